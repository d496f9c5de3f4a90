# perp gen: every family, its parameters, and directories that are never half full.
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"

run gen; expect 'gen alone lists the families' 0 'out=obstacle'; narrow 'in 80 columns'
run gen --list --json; expect '--list --json' 0; json 'is one object' families
families=$("$PERP" gen --list | awk '/^[a-z]/ { print $1 }')
for family in $families; do
  run gen "$family" --help; expect "$family --help" 0 'out=The answer'; narrow "$family --help fits 80 columns"
  run gen "$family" -o "$family"; expect "$family" 0 "out=wrote            $family: A.mtx b.mtx"
  narrow "the report on $family fits 80 columns"
  if [ -e "$family/x.mtx" ]; then
    run check "$family" "$family/x.mtx"
    expect "the known answer of $family holds" 0 'out=holds'
  fi
done
run gen obstacle -o obstacle; expect 'a directory that is not empty' 2 'err=--force writes into it'
touch obstacle/hi.mtx obstacle/A.mtx.gz
run gen obstacle -o obstacle --force --size 5; expect '--force' 0 'out=n = 25'
run solve obstacle; expect 'leaves nothing of the old problem behind' 0 'out=n = 25'
mkdir e; run gen obstacle -o e; expect 'an empty directory' 0
(cd e && rm ./* && "$PERP" gen obstacle --size 3 -o . >/dev/null); holds 'this directory' test -s e/A.mtx
run gen obstacle -o q/r; expect 'a folder that is not there' 6 'err=q/r: cannot make the directory'
echo >file; run gen obstacle -o file; expect 'a file in the way' 2 'err=exists and is not a directory'
run gen obstacle; expect 'no directory' 2 'err=perp gen obstacle -o DIR'
run gen obstacle -o ''; expect 'an empty name' 2 'err=the name of the directory is empty'
run gen obstacle -o z/// --gz --json; expect '--gz --json' 0; json 'is one object' directory=z n nnz note
holds 'packed files' gzip -t z/A.mtx.gz z/b.mtx.gz
run solve z; expect 'can be solved' 0
run gen obstacel -o y; expect 'a family with a slip' 2 "err=did you mean 'obstacle'?"
run gen zebra -o y; expect 'an unknown family' 2 "err='perp gen --list' lists them"
run gen obstacle --size -3 -o y; expect 'a value outside its range' 2 'err=perp gen: --size = -3 is outside [1, '
run gen obstacle --size 2.5 -o y; expect 'half a point' 2 'err=--size = 2.5 is not a whole number'
run gen obstacle --size zebra -o y; expect 'no number' 2 'err=--size = zebra is not a whole number'
run gen obstacle --szie 3 -o y; expect 'a parameter with a slip' 2 "err=did you mean '--size'?"
run gen obstacle --zebra 3 -o y; expect 'an unknown parameter' 2 "err='perp gen obstacle --help' lists"
run gen murty --variant zebra -o y; expect 'an unknown choice' 2 'err=is not one of unit|exponential'
run gen murty --variant exponential --n 4 -o v; expect 'a choice' 0
run gen dense-pd --seed x -o y; expect 'a seed that is none' 2 'err=--seed = x'
run gen -o first dense-pd --seed 1; expect 'the family last' 0
run gen dense-pd --seed 1 -o second; expect 'the same again' 0
run gen dense-pd --seed 2 -o third; expect 'another seed' 0
holds 'the same seed gives the same bytes' cmp first/A.mtx second/A.mtx
holds 'another one does not' bash -c '! cmp -s first/A.mtx third/A.mtx'
leftovers 'nothing is left behind'
finish
