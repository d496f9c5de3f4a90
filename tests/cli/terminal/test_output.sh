# Output that cannot be written: exit status 6, a message, and no half file.
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
tiny p

run solve p -o nowhere/x.mtx; expect 'a folder that is not there' 6 'err=nowhere/x.mtx'
run solve p --trace nowhere/t.csv; expect 'a trace that cannot be written' 6 'err=nowhere/t.csv'
run solve p -o p/A.mtx/x.mtx; expect 'a path through a file' 6 'err=p/A.mtx/x.mtx'
mkdir d; run solve p -o d; expect 'a directory in the way' 6 'err=d'
run solve p -o nowhere/x.mtx --json; expect 'with --json' 6; json 'the error alone: nothing was solved' status=error exit_code=6 error '!n'
run solve p --all -o nowhere/x.mtx --trace t.csv; expect 'one bad path of two' 6 'err=nowhere/x-1.mtx'
holds 'nothing is written' test ! -e t.csv
mkfifo pipe; cat pipe >piped.mtx & reader=$!
run solve p -o pipe; expect 'a named pipe' 0; wait "$reader"
holds 'gets all of x' test "$(wc -l <piped.mtx)" -ge 4
run check p p/b.mtx -o nowhere/y.mtx; expect 'check that cannot write' 6 'err=nowhere/y.mtx'
run solve p --all -o nowhere/x.mtx; expect '--all that cannot write' 6 'err=nowhere/x-1.mtx'
run docs nowhere/d; expect 'docs that cannot write' 6 'err=nowhere/d'
run solve p -o x.mtx; expect 'a good one' 0
cp x.mtx before.mtx
# The standard output carries one thing.
"$RECORD_SAMPLE" a.perp 3
for arguments in 'solve p' 'check p x.mtx' 'option put --grid 16x16' 'run box --steps 1' 'view a.perp' 'export a.perp --to csv'; do
  # shellcheck disable=SC2086  # words
  run $arguments -o - --json; expect "$arguments -o - --json" 2 'err=-o - and --json cannot share the standard output'
  json 'says so' exit_code=2
  # shellcheck disable=SC2086  # words
  run $arguments -o -; [ "$code" -eq 5 ] || expect "$arguments -o -" 0 'out!="perp"'
done
run check p x.mtx -o -; holds 'and nothing else' test "$(sed '/^%/d' .out | wc -l)" = 3
if [ -c /dev/full ]; then
  run solve p -o /dev/full; expect 'a full disk' 6 'err=No space left'
  run solve p --trace /dev/full; expect 'a full disk for the trace' 6 'err=No space left'
  for arguments in 'solve p' 'solve p --json' 'methods' '--help' 'completion bash' 'man solve'; do
    # shellcheck disable=SC2086  # words
    err=$("$PERP" $arguments 2>&1 >/dev/full </dev/null); code=$? out=''
    expect "a full disk behind stdout: $arguments" 6 'err=No space left'
  done
  "$PERP" gen obstacle --size 3 -o g >/dev/null; holds 'gen' test -s g/A.mtx
else
  echo 'ok - full disk # skipped: no /dev/full'
fi
if [ "$(id -u)" -ne 0 ]; then
  mkdir locked; chmod 555 locked
  run solve p -o locked/x.mtx; expect 'a folder that may not be written to' 6 'err=locked/x.mtx'
  chmod 755 locked
fi
ln -s x.mtx link.mtx; run solve p -o link.mtx; expect 'a symbolic link' 0
holds 'stays one' test -L link.mtx
holds 'the file is the same' cmp x.mtx before.mtx
leftovers 'nothing is left behind'
finish
