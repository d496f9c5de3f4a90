# perp option: prices, dates, refusals, JSON, tables, pictures, Ctrl-C.
# cost: 9
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
small='--grid 160x80'

run option put --S0 36 --K 40 --r 0.06 --sigma 0.2 --T 1
expect 'an American put' 0 'out=price            4.4866' 'out=delta -0.6968' 'out=exercise today up to S = 32.9' 'out=all certified'
silent 'without noise'
run option put --S0 36 --K 40 --r 0.06 --dates 50; expect 'Bermudan' 0 'out=price            4.477' 'out=50'
run option put --S0 36 --K 40 --r 0.06 --bermudan 0.5,1; expect 'two dates' 0 'out=Bermudan put'
run option put --european; expect 'European' 0 'out=price            5.57352' 'out!=boundary'
run option put --r -0.02 --q -0.06 --T 3 $small; expect 'two boundaries' 0 'out=exercise today from S = 4' 'out= to 68.'
run option put --method psor --iteration-limit 1 --one-grid $small; expect 'unsolved steps are never called certified' 1 'out=not solved' 'out!=certified'
run option call; expect 'a call without dividends is the European one' 0 'out=price            10.45' 'out!=boundary'
run option call --q 0.08 --json; expect 'JSON' 0
json 'is one object' status=solved option=call exercise=American method=tridiagonal unsolved=0 n=799
# shellcheck disable=SC2086
for method in psor active_set auto; do
  "$PERP" explain $method >/dev/null 2>&1 || continue
  run option put $small --one-grid -m $method; expect "by $method" 0 "out=steps by $method" 'out=price            6.08'
done
# shellcheck disable=SC2086
run option put $small -m psor --iteration-limit 1; expect 'steps that are not solved' 1 'err=steps were not solved' 'out=price'
# shellcheck disable=SC2086
run option put $small -m psor --iteration-limit 1 --json; json 'are counted' status=unsolved exit_code=1

run option --help; expect 'parameters of methods that can do the steps, of no others' 0 'out=--sweep.omega' 'out!=--friction.' 'out!=--enumerate.'

run option; expect 'neither put nor call' 2
run option straddle; expect 'another word' 2 "err='straddle' is neither put nor call"
run option put --S0 -1; expect 'S0 < 0' 2 'err=perp option: --S0 = -1 is outside [0, 1e100]'
run option put --K 0; expect 'K = 0' 2 'err=perp option: --K = 0 is outside [1e-100, 1e100]'
run option put --sigma -1; expect 'sigma < 0' 2 'err=perp option: --sigma = -1 is outside [0, 10000]'
run option put --T 1e5; expect 'a long time' 2 'err=perp option: --T = 100000 is outside [0, 10000]'
run option put --r 1e5; expect 'much interest' 2 'err=perp option: --r = 100000 is outside [-10000, 10000]'
run option put --q -1e5; expect 'costs' 2 'err=perp option: --q = -100000 is outside [-10000, 10000]'
run option put --q -9 --T 10; expect 'costs for long' 2 'err=--q = -9 and --T = 10: q T = -90 is outside [-50, 50]; bring one of them nearer to 0'
run option put --sigma x; expect 'no number' 2 'err=--sigma = x is not a number'
run option put --T inf; expect 'no end' 2 'err=--T = inf is not a number'
run option put --sigma 30 --T 1; expect 'too much noise' 2 'err=--sigma = 30 and --T = 1: sigma sqrt(T) = 30 is outside [0, 20]; bring one of them nearer to 0'
run option put --grid 100; expect 'half a grid' 2 'err=--grid = 100 is not of the form NODESxSTEPS'
run option put --grid 4x4; expect 'a tiny grid' 2 'err=--grid = 4x4: 4 is outside [16, 10000000]'
run option put --european --dates 3; expect 'two kinds of exercise' 2 'err=exclude each other'
run option put --bermudan 0.5,0.4; expect 'dates that do not ascend' 2 'err=date 0.4 does not come after 0.5'
run option put --bermudan 0.5,2; expect 'a date after maturity' 2 'err=date 2 is outside [0, T = 1]'
run option put --dates 0; expect 'no dates' 2 'err=--dates = 0 is outside [1, 100000]'
run option put --method nosuch; expect 'an unknown method' 2 "err=there is no method 'nosuch'"
run option put --method contact_sweep; expect 'a method that cannot' 4 'err=needs the contact LCP'
run option put -o nowhere/a.tsv; expect 'a folder that is not there' 6 'err=nowhere/a.tsv'

# shellcheck disable=SC2086
run option put $small -o put.tsv; expect 'a table' 0 'out=price'
holds 'has the value' grep -q '^S	value	payoff$' put.tsv
holds 'and the boundary' grep -q '^time	S	other$' put.tsv
holds 'of every step' test "$(awk '/^time/ { on = 1; next } on' put.tsv | wc -l)" = 80
# shellcheck disable=SC2086
run option put $small -o -; expect 'on the standard output' 0 'out=S	value	payoff' 'out!=price  '

run option put --grid 100000x100000 --time-limit 50ms; expect 'a time limit' 1 'err=time limit'
timeout --foreground -s INT 0.5 "$PERP" option put --grid 100000x100000 >.out 2>.err
holds 'Ctrl-C' grep -q 'interrupted before there was a price' .err
"$PERP" option put --grid 20000x20000 --one-grid --progress --time-limit 2500ms >.out 2>.err
holds 'progress of long work' grep -q ' of 200[0-9]* steps' .err

PATH=/nowhere run option put --plot c.svg; expect 'without gnuplot' 5 'err=--plot needs gnuplot' 'err=use -o'
if command -v gnuplot >/dev/null; then
  # shellcheck disable=SC2086
  run option call --q 0.06 $small --plot call.svg; expect 'pictures' 0
  holds 'of the value' grep -q '>payoff<' call.svg
  holds 'of the boundary' grep -q '>exercise from here upwards<' call-boundary.svg
  # shellcheck disable=SC2086
  run option call $small --plot plain.svg; expect 'without a boundary' 0
  holds 'it is drawn all the same' grep -q '</svg>' plain-boundary.svg
  run option put --sigma 0 --plot none.svg; expect 'without a grid' 0 'out=none is needed'
  holds 'it is drawn all the same' grep -q '</svg>' none.svg
  rm -f -- *.svg
fi
rm -f put.tsv
leftovers 'nothing is left behind'
finish
