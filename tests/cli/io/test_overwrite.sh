# What a command reads it does not overwrite, under whatever name, and no file without being asked.
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
tiny p
run solve p -o x.mtx; expect 'an answer' 0
mkdir sub far; ln -s ../p/A.mtx sub/soft.mtx; ln p/A.mtx sub/hard.mtx; ln -s p folder; ln x.mtx y.mtx
cp -r p kept; cp x.mtx kept/
unchanged() {
  local part
  for part in A.mtx b.mtx; do cmp "kept/$part" "p/$part" || return 1; done
  cmp kept/x.mtx x.mtx
}
# refused NAME ARGUMENT...: exit status 2, a message that says why, and every file as it was.
refused() {
  local name=$1
  shift
  run "$@"; expect "$name" 2 'err=read here' 'err=choose another name for the output'
  holds 'nothing is lost' unchanged
}

refused 'solve -o over A' solve p -o p/A.mtx
refused 'solve --trace over b' solve p --trace p/b.mtx
refused 'solve --bound-output over A' solve p --bound --bound-output p/A.mtx
refused 'solve --certificate over A' solve p --certificate p/A.mtx
refused 'another way to write the name' solve p -o ./sub/../p/A.mtx
refused 'an absolute name' solve p -o "$PWD/p/A.mtx"
refused 'through a folder that is a link' solve folder -o p/A.mtx
refused 'a symbolic link to an input' solve p -o sub/soft.mtx
refused 'a hard link to an input' solve p -o sub/hard.mtx
refused 'an input that is a link' solve -A sub/soft.mtx -b p/b.mtx -o p/A.mtx
refused 'the guess' solve p --x0 x.mtx -o x.mtx
refused 'check over x' check p x.mtx -o x.mtx
refused 'check over A' check p x.mtx -o p/A.mtx
refused 'check over another name of x' check p x.mtx -o y.mtx
"$PERP" solve -A - -b p/b.mtx -o p/A.mtx <p/A.mtx >.out 2>.err; code=$? out='' err=$(<.err)
expect 'the standard input is a file, too' 2 'err=p/A.mtx is the same file as stdin, which is read here'; holds 'nothing is lost' unchanged
run solve p -o x.mtx --trace x.mtx; expect 'two outputs in one file' 2 'err=--output and --trace would both write x.mtx'
run solve p -o new.mtx --trace ./sub/../new.mtx; expect 'also if it is not there yet' 2 'err=--output and --trace would both write'
holds 'and is not made' test ! -e new.mtx
run solve p -o x.mtx; expect 'an output that is not read' 0 'out=x.mtx'
run solve p -o /dev/null --trace /dev/null; expect 'a device is for all' 0

"$RECORD_SAMPLE" a.perp 20 && cp a.perp a.kept && ln a.perp b.png && ln a.perp b.mp4 && ln -s a.perp c.html || exit 99
same_recording() { cmp a.kept a.perp; }
recording() { local name=$1; shift; run "$@"; [ "$code" -eq 5 ] || expect "$name" 2 'err=read here'; holds 'it stays' same_recording; }
recording 'view over the recording' view a.perp -o a.perp
recording 'view over a link to it' view a.perp -o c.html
recording 'export over the recording' export a.perp -o a.perp --to csv
recording 'export over a hard link' export a.perp -o b.png --to ply --frame 1
recording 'render over a hard link' render a.perp -o b.png --frame 1 --size 160x90
recording 'a video over a hard link' render a.perp -o b.mp4 --size 160x90
ln a.perp f_0001.png; recording 'a numbered picture over a hard link' render a.perp -o f_%04d.png --size 160x90
ln -s a.perp d.svg; recording 'plot over a link' plot a.perp -o d.svg
printf 'x,y\n1,2\n' >t.csv; ln t.csv t.svg; cp t.csv t.kept
run plot t.csv -o t.svg; [ "$code" -eq 5 ] || expect 'plot over a table' 2 'err=t.svg is the same file as t.csv'
holds 'it stays' cmp t.csv t.kept

run run stack --boxes 1 --steps 3 -o r.perp -q; expect 'a recording' 0
cp r.perp r.kept; run run stack --boxes 1 --steps 4 -o r.perp -q; expect 'is not overwritten' 2 'err=r.perp is a finished recording; --force overwrites it'
holds 'it stays' cmp r.perp r.kept
run run --resume r.perp --steps 6 -q; expect 'but it can be made longer' 0
run run stack --boxes 1 --steps 4 -o r.perp -q --force; expect 'or replaced, if asked for' 0
leftovers 'nothing is left behind'
finish
