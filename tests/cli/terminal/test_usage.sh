# Wrong usage: exit status 2, and a message that names the thing, the value and the range.
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
tiny p

run; expect 'no command shows the help and is wrong usage' 2 'out=Usage: perp COMMAND'
run --help; expect '--help' 0 'out=Commands:'; narrow '--help fits 80 columns'
run -h; expect '-h' 0 'out=Commands:'
for version in --version -V -v version; do run $version; expect "$version" 0 'out=perp 0.'; done
run slove p; expect 'a command with a slip' 2 "err=did you mean 'solve'?"
run clas; expect 'the beginning of a command' 2 "err=did you mean 'classify'?"
run zebra; expect 'an unknown command' 2 "err=there is no command 'zebra'"
run --zebra; expect 'an unknown option instead of a command' 2 "err=there is no option '--zebra'"
run help slove; expect 'help on a slip' 2 "err=did you mean 'solve'?"
run help zebra; expect 'help on nothing' 2 'err=the commands are solve, check, '
run help pgs; expect 'help on a method' 2 "err='perp explain pgs'"
run help friction; expect 'help on a family' 2 "err='perp gen friction --help'"
run help gen; expect 'help gen' 0
run help solve; expect 'help solve' 0 'out=Usage: perp solve'
run help; expect 'help' 0 'out=Commands:'

run solve p --method pgss; expect 'a method with a slip' 2 "err=perp solve: there is no method 'pgss'; did you mean 'pgs'?"
run solve p --method zebra; expect 'an unknown method' 2 "err='perp methods' lists them"
run solve p --tol -3; expect 'a value outside its range' 2 'err=perp solve: --tol = -3 is outside (0, 1)'
run solve p --tol=zebra; expect 'a value that is no number' 2 'err=--tol'
run solve p --time-limit 5parsecs; expect 'a wrong time' 2 'err=--time-limit = 5parsecs is not a time'
run solve p --time-limit -1s; expect 'a negative time' 2 'err=--time-limit = -1 is outside'
run solve p --iteration-limit -1; expect 'whole numbers are printed whole' 2 'err=--iteration-limit = -1 is outside [0, 2147483647]'
run solve p --iteration-limit 3000000000; expect 'large ones too' 2 'err=--iteration-limit = 3000000000 is outside [0, 2147483647]'
run solve p --method enumerate --enumerate.limit -1; expect 'the largest, too' 2 'err=--enumerate.limit = -1 is outside [0, 9007199254740992]'
run solve p --iteration-limit 1.5; expect 'half an iteration' 2 'err=--iteration-limit = 1.5 is not a whole number'
run solve p --presolve maybe; expect 'a switch that is neither on nor off' 2 'err=--presolve'
run solve p --stop.measure zebra; expect 'an unknown choice' 2 'err=--stop.measure'
run solve p --seed -1; expect 'a negative seed' 2 'err=--seed'
run solve p --threads 0; expect 'no threads' 2 'err=--threads = 0 is outside [1, 256]'
run solve p --sweep.omega 1.4 --method enumerate; expect 'a parameter that the method lacks' 2 \
  'err=method enumerate has no parameter --sweep.omega; methods that have it: ' 'err=psor'
run solve p --sweep.omga 1; expect 'a parameter with a slip' 2 "err=did you mean '--sweep.omega'?"
run solve p --time_limt 1; expect 'an underscore and a slip' 2 "err=did you mean '--time-limit'?"
run solve p --time_limit 5parsecs; expect 'an underscore' 2 'err=--time-limit = 5parsecs is not a time'
run solve p -o ''; expect 'an output without a name' 2 'err=--output: the name of the file is empty'
run solve p --trace=; expect 'a trace without a name' 2 'err=--trace: the name of the file is empty'
run solve ''; expect 'a problem without a name' 2 'err=an argument is empty'
run solve -A '' -b p/b.mtx; expect 'a matrix without a name' 2 'err=--matrix: the name of the file is empty'
run gen ''; expect 'a family without a name' 2 'err=an argument is empty'
run gen obstacle -o ''; expect 'a directory without a name' 2 'err=--output: the name of the directory is empty'
run solve p --tol; expect 'a missing value' 2 "err=option '--tol' needs a value"
run solve p -m; expect 'a missing value of a letter' 2 "err=option '--method' needs a value"
run solve p --quiet=3; expect 'a value where none belongs' 2 "err=option '--quiet' takes no value"
run solve p --quie; expect 'abbreviations are not accepted' 2 "err=did you mean '--quiet'?"
run solve p --meth; expect 'nor where a value follows' 2 "err=did you mean '--method'?"
run solve p --sweep; expect 'nor ambiguous ones' 2 "err=unknown option '--sweep'"
run solve p -z; expect 'an unknown letter' 2 "err=unknown option '-z'"
run solve p q; expect 'an argument too many' 2 "err=unexpected argument 'q'"
run solve; expect 'no problem' 2 'err=no problem was named'
run check; expect 'check without anything' 2 'err=usage: perp check'
run check p; expect 'check without x' 2 'err=usage: perp check'
run completion; expect 'completion without a shell' 2 'err=the name of a shell is missing'
run completion fishy; expect 'an unknown shell' 2 "err=did you mean 'fish'?"
run completion tcsh; expect 'a shell that we do not know' 2 'err=bash, zsh and fish'
run explain lemkee; expect 'explain something unknown' 2 "err=there is no page on 'lemkee'"
run explain pgss; expect 'explain with a slip' 2 "err=did you mean 'pgs'?"
run man zebra; expect 'the manual of nothing' 2 "err=there is no command 'zebra'"
run solve p --json --tol 7; expect 'wrong usage with --json' 2 'err=--tol = 7'
json 'is one JSON object all the same' perp=1 status=error exit_code=2 'error=--tol = 7 is outside (0, 1)'

run help solve; expect 'choices of every method' 0 'out=ainv_scaled' 'out=--pivot.crash on|off|N'
mapfile -t commands < <("$PERP" help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { print $1 }')
holds 'all commands are found' test "${#commands[@]}" -ge 16
for command in "${commands[@]}"; do
  run "$command" --help
  expect "$command --help" 0 "out=Usage: perp $command"
  narrow "$command --help fits 80 columns"
done
run run --help; expect 'the last example of five is there' 0 'out=perp run --resume a.perp --steps 5000'
run view; expect 'what is missing' 2 'err=a recording, such as a.perp, is missing; usage: perp view A.perp'
run explain certificate; expect 'all that makes solved' 0 'out=componentwise' 'out=dual objective'
run check --help; expect 'check has the parameters of the certificate' 0 'out=Parameters of the certificate:' 'out!=every method'
run help solve; expect 'formulas are not broken' 0
holds 'at an operator' bash -c '! grep -Eq "( (=|<=|>=|<|>|[+])|\[[0-9]+,)$" .out'
run gen dense-psd --help; run gen p-matrix --help; run gen m-matrix --help
expect 'a parameter that is 0 or 1' 0 'out=0|1'
finish
