# Ctrl-C: the best iterate is written, exit status 130, no temporary files.
# cost: 6
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
set -m   # jobs in the background listen to SIGINT only with job control

"$PERP" gen obstacle --size 250 -o o >/dev/null || exit 99
long=(-m pgs --tol 1e-14 --iteration-limit 2000000000 --progress)

# start ARGUMENT...: a long solve; returns when it iterates
start() {
  : >.err   # the last one's words must not be taken for this one's
  "$PERP" "$@" >.out 2>.err &
  pid=$!
  for ((i = 0; i < 300; i++)); do
    if grep -q iteration .err || ! kill -0 "$pid" 2>/dev/null; then break; fi
    sleep 0.1
  done
}
await() {
  wait "$pid"
  code=$? out=$(cat .out) err=$(cat .err)
}

start solve o "${long[@]}" -o x.mtx --trace t.csv
kill -INT "$pid"; await
expect 'Ctrl-C ends a solve' 130 'out=interrupted' 'out=x.mtx' 'err=iteration '
holds 'x is complete' test "$(grep -c -v '^%' x.mtx)" -eq 62501
run check o x.mtx; expect 'and can be judged' 1 'out=fails'
holds 'the trace is there' test -s t.csv
leftovers 'no temporary files'

start solve o "${long[@]}" --json
kill -INT "$pid"; await
expect 'Ctrl-C with --json' 130
json 'one object' status=stopped exit_code=130 solved=false

start solve o "${long[@]}" -o y.mtx
kill -TERM "$pid"; await
expect 'SIGTERM ends at once' 143
holds 'without a file' test ! -e y.mtx
leftovers 'nor temporary ones'

# A = -I, a little coupled, has 2^20 solutions: seconds, long enough to be interrupted.
mkdir e
{ echo '%%MatrixMarket matrix coordinate real symmetric'; echo '20 20 39'
  for ((i = 1; i <= 20; i++)); do echo "$i $i -1"; done
  for ((i = 1; i < 20; i++)); do echo "$((i + 1)) $i 0.01"; done; } >e/A.mtx
{ echo '%%MatrixMarket matrix array real general'; echo '20 1'; yes 1 | head -n 20; } >e/b.mtx
start solve e --all --progress --json
kill -INT "$pid"; await
if [ "$code" -eq 0 ]; then
  ok 'Ctrl-C while enumerating # skipped: it was faster'
else
  expect 'Ctrl-C while enumerating' 130
  json 'is incomplete' complete=false exit_code=130
fi

# A second Ctrl-C ends the program where it waits: here for a plotter that never answers.
mkdir bin
printf '#!/bin/sh\necho $$ >plotter\nexec sleep 60\n' >bin/gnuplot
chmod +x bin/gnuplot
"$PERP" gen obstacle --size 5 -o s >/dev/null
PATH=$PWD/bin:$PATH "$PERP" solve s -m pgs --plot c.svg >.out 2>.err &
pid=$!
for ((i = 0; i < 300; i++)); do
  if [ -s plotter ]; then break; fi
  sleep 0.1
done
sleep 0.3
kill -INT "$pid"; sleep 0.3
holds 'the first Ctrl-C only asks' kill -0 "$pid"
kill -INT "$pid"; await
kill "$(cat plotter)" 2>/dev/null
expect 'the second ends the program' 130
holds 'without a plot' test ! -e c.svg
leftovers 'and without temporary files'
finish
