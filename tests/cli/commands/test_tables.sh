# perp classify, methods, explain, doctor.
# cost: 4
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
tiny p

run classify p; expect 'classify' 0 'out=class' 'out=symmetric' 'out=positive definite' 'out=auto'
narrow 'fits 80 columns'
run classify p --json; expect 'classify --json' 0; json 'is one object' n=2 'classes' rows components=1 methods auto_plan
"$PERP" gen obstacle --size 9 -o o >/dev/null; "$PERP" gen p-matrix -o q >/dev/null
run classify o; expect 'classify a membrane' 0 'out=proven to converge' 'out=does not accept it' 'out=auto would run'
run classify q; expect 'classify a P-matrix' 0 'out=accepts it, no proof' \
  "out=none of this version's methods" 'out=accepts it, no proof    jacobi, pgs, psor, southwell, nncg, apgd' 'out=does not accept it      gradient_projection' 'out=proximal'
run classify o --json; json 'classify --json tells the plan' auto_plan
run methods; expect 'methods: the first tier, one line each' 0 'out=Choose: ' $'out=\n  pgs   ' $'out=\n  auto  ' \
  'out!=southwell' 'out!=jacobi' 'out!=(E13'; narrow 'fits 80 columns'
run methods --names; expect 'methods --names' 0; chosen=$out
holds 'a line of the list for each name' test "$("$PERP" methods | grep -c '^  [a-z]')" -eq "$(wc -w <<<"$chosen")"
run methods --all; expect 'methods --all: every tier, with sources' 0 'out=Choose: ' 'out=Reference: ' 'out=Internal: ' \
  $'out=\n  southwell ' $'out=\n  jacobi ' 'out=(E13 5.2)'; narrow 'fits 80 columns'
run methods --json; expect 'methods --json' 0; json 'is one object' methods
expect 'with tiers' 0 'out="tier": "choose"' 'out="tier": "reference"' 'out="tier": "internal"'
run methods --all --names; expect 'methods --all --names' 0
names=$out
holds 'the first tier is a part of all' test -z "$(grep -vxF "$names" <<<"$chosen")"
holds 'all are more' test "$(wc -w <<<"$names")" -gt "$(wc -w <<<"$chosen")"
for name in $names; do
  run explain "$name"; expect "explain $name" 0 "out=$name: " 'out=Converges' 'out=Advice' "out= --method $name"
  narrow "explain $name fits 80 columns"
  read -r scene steps < <(sed -n 's/^  perp run \([^ ]*\) --steps \([0-9]*\) .*/\1 \2/p' .out)
  if [ -n "${scene:-}" ]; then
    run run "$scene" --steps "$steps" --method "$name"
    holds "the method takes the example of explain $name" test "$code" -le 1
    continue
  fi
  read -r family parameters < <(sed -n 's/^  perp gen \(.*\) -o demo.*/\1/p' .out)
  # shellcheck disable=SC2086  # the parameters are words
  run gen "$family" $parameters -o demo -f
  run solve demo --method "$name" --iteration-limit 1
  holds "the method takes the example of explain $name" test "$code" -le 1
done
run explain; expect 'explain lists what there is' 0 'out=Topics:'; narrow 'in 80 columns'
for topic in $(sed '1,/^Topics:/d' .out | awk '{ print $1 }'); do
  run explain "$topic"; expect "explain $topic" 0; narrow "explain $topic fits 80 columns"
done
run doctor; expect 'doctor' 0 'out=perp ' 'out=compiler' 'out=processors' 'out=gnuplot' 'out=linear solvers' 'out=dense_lu' 'out=backend klu' 'out=backend cholmod' 'out=ffmpeg'
narrow 'fits 80 columns'
run run stack --steps 0; boxes=$([ "$code" -eq 0 ] && echo 'built in, with ODE' || echo 'not built')
run doctor; expect 'whether there are boxes' 0 "out=boxes            $boxes" 'out=scenes           17' 'out=player '
run doctor --json; expect 'doctor --json' 0; json 'is one object' version compiler components writable=true
PATH=/nowhere run doctor; expect 'doctor without gnuplot' 0 'out=apt install gnuplot-nox'
run explain references; expect 'short names' 0 'out=E13' 'out=MNS08' 'out=BOX' 'out=H+'
"$PERP" explain references >references
for list in 'run --list' 'gen --list' methods; do
  # shellcheck disable=SC2086  # words
  "$PERP" $list | grep -oE '\[[A-Z]+[0-9]*\]' | tr -d '[]'
done | sort -u >cited
holds 'titles cite some' test "$(wc -l <cited)" -ge 4
while read -r name; do holds "[$name] is explained" grep -q "^  $name  " references; done <cited
run explain status; expect 'statuses with exit status' 0 'out=solved            0 the' 'out=infeasible        4 a' 'out=ray               1 '
run explain certificate; expect 'formulas are indented' 0 $'out=\n\n    r_i = |mid('
run explain files; expect 'the format of files' 0 'out=skew-symmetric' 'out=repeated entry is an error'
finish
