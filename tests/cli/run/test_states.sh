# perp run: states of interrupted and killed runs, of bodies and of liquids; nothing is lost.
# cost: 25
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
set -m   # jobs in the background listen to SIGINT only with job control

# Sanitized programs are several times slower: there half the steps are as long.
steps=150 wet=100
if [ -n "${PERP_BRIEF_TESTS-}" ]; then steps=60 wet=40; fi
bodies=(run hollow-sphere --spheres 30 --steps $steps --seed 4)
liquid=(run dam-break-2d --size 24 --steps $wet --seed 4)
same() { holds "$1" cmp "$2" "$3"; }

# start FILE ARGUMENT...: a run in the background, which records FILE; returns when it steps.
start() {
  local file=$1
  shift
  rm -f "$file" "$file".state*
  "$PERP" "$@" -o "$file" >.out 2>.err </dev/null &
  pid=$!
  for ((i = 0; i < 300; i++)); do if [ -s "$file" ] || ! kill -0 "$pid" 2>/dev/null; then break; fi; sleep 0.02; done
}
# await: its end, as `run` leaves it.
await() { wait "$pid" 2>/dev/null; code=$? out=$(<.out) err=$(<.err); }
# resumed: the step that the last run with --json went on from
resumed() { sed -n 's/.*"resumed_from": \([0-9]*\).*/\1/p' .out; }

"$PERP" "${bodies[@]}" -q -o bodies.perp; "$PERP" "${liquid[@]}" -q -o liquid.perp
holds 'a run that is not disturbed leaves one file' test ! -e bodies.perp.state -a ! -e liquid.perp.state

# Signals, at moments that nobody chose: the step named is the step it goes on from.
for signal in INT TERM HUP; do
  for kind in bodies liquid; do
    if [ "$kind" = bodies ]; then line=("${bodies[@]}"); else line=("${liquid[@]}"); fi
    start a.perp "${line[@]}"
    sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
    kill "-$signal" "$pid" 2>/dev/null; await
    if [ "$code" -eq 0 ]; then ok "SIG$signal, $kind # skipped: it was faster"; continue; fi
    expect "SIG$signal, $kind" 130 'out=interrupted ' 'out!=solved  ' 'err=interrupted after '
    at=$(sed -n 's/.*interrupted after \([0-9]*\) of.*/\1/p' .err)
    if [ "$at" -gt 0 ]; then holds 'it says from where' grep -q "continues from step $at\$" .err; fi
    holds 'one file is left' test ! -e a.perp.state
    run view a.perp -o a.html; expect 'which can be watched' 0 'err!=missing'
    run run --resume a.perp --json; expect 'and goes on' 0; json 'from that step' "resumed_from=$at" steps="$("$RECORD_INFO" "$kind.perp" step | tail -n 1)"
    same 'to the same bytes' "$kind.perp" a.perp
    holds 'in one file' test ! -e a.perp.state
  done
done

# In a step that never ends. What comes before it falls freely, without a problem to solve.
start a.perp run hollow-sphere --spheres 8 --method pgs --tol 1e-300 --iteration-limit 2000000000 --steps 50 --progress
for ((i = 0; i < 300; i++)); do if grep -q 'so far' .err; then break; fi; sleep 0.1; done
kill -INT "$pid"; await
expect 'in the middle of a step' 130 'err=11/50, step 12 has taken ' 'err=interrupted after 11 of 50' 'err=continues from step 11' 'out=interrupted      after 11 of 50 steps, all solved'
"$PERP" run --resume a.perp --json >.out 2>.err & pid=$!
sleep 0.5; kill -TERM "$pid"; await
expect 'and in it again' 130; json 'it is the same step' resumed_from=11 steps=11 status=interrupted complete=false
start a.perp run dam-break-2d --size 20 --method pgs --tol 1e-300 --iteration-limit 2000000000 --steps 50
sleep 0.3; kill -INT "$pid"; await
expect 'in the first step' 130 'out=in the first of 50 steps' "err=no step was saved: 'perp run --resume a.perp' starts over"

# kill -9 loses at most --save-every, and the step and the writing that were under way, for which a busy
# machine gets a second. Lines of progress have the time at which they came.
for kind in bodies liquid; do
  if [ "$kind" = bodies ]; then line=(run hollow-sphere --spheres 150 --sleep 0 --steps 100000); else line=(run dam-break-2d --size 50 --steps 100000); fi
  rm -f k.perp; mkfifo pipe
  while read -r text; do echo "${EPOCHREALTIME/./} $text"; done <pipe >lines & reader=$!
  "$PERP" "${line[@]}" --save-every 1 --every 5000 --progress -o k.perp >.out 2>pipe & pid=$!
  sleep "4.$((RANDOM % 10))"
  killed=${EPOCHREALTIME/./}; kill -9 "$pid"; await; wait "$reader"; rm pipe
  least=$(awk -v until=$((killed - 2000000)) '$1 < until && match($0, /[0-9]+\/100000/) { split(substr($0, RSTART), n, "/"); step = n[1] } END { print step + 0 }' lines)
  cp k.perp whole.perp; cp k.perp.state whole.perp.state
  "$PERP" run --resume k.perp --json >.out 2>.err & pid=$!
  sleep 0.5; kill -INT "$pid"; await
  expect "killed, $kind" 130
  holds 'no more is lost' test "$(resumed)" -ge "$least" -a "$least" -gt 0
  head -c 100 whole.perp.state >whole.perp.part; mv whole.perp.part whole.perp.state
  "$PERP" run --resume whole.perp --json >.out 2>.err & pid=$!
  sleep 0.3; kill -INT "$pid"; await
  expect 'a damaged state is not used' 130 'err=whole.perp.state is not used: '
done

# Killed again and again, with a state after each step, and resumed to the same bytes.
for kind in bodies liquid; do
  if [ "$kind" = bodies ]; then line=("${bodies[@]}" --save-every 0); else line=("${liquid[@]}" --save-every 0); fi
  start a.perp "${line[@]}"
  for ((k = 0; k < 6; k++)); do
    sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
    kill -9 "$pid" 2>/dev/null; await
    "$PERP" run --resume a.perp --save-every "0.0$((RANDOM % 9))" >.out 2>.err & pid=$!
  done
  await; expect "killed six times, $kind" 0; same 'the same bytes' "$kind.perp" a.perp
  holds 'and no state is left' test "$(echo a.perp*)" = a.perp
done

# A run may be killed after its recording is whole and before its state is gone.
cp bodies.perp a.perp; echo old >a.perp.state; echo half >a.perp.state.new
run run --resume a.perp
expect 'a state beside a finished recording' 0; same 'which stays as it is' bodies.perp a.perp
holds 'is removed' test "$(echo a.perp*)" = a.perp

# A state of one recording is not taken for another's, nor kept by a new run.
start a.perp "${bodies[@]}" --save-every 0; sleep 0.4; kill -9 "$pid" 2>/dev/null; await
if [ -e a.perp.state ]; then
  head -c $(($(stat -c %s bodies.perp) / 2)) bodies.perp >b.perp; cp b.perp c.perp; cp a.perp.state b.perp.state
  run run --resume b.perp; expect 'half a recording and a state' 0; same 'to the same bytes, whichever run wrote it' bodies.perp b.perp
  "$PERP" run hollow-sphere --spheres 30 --steps $steps --seed 5 -q -o other.perp
  head -c $(($(stat -c %s other.perp) / 2)) other.perp >b.perp; cp a.perp.state b.perp.state
  run run --resume b.perp; expect 'a state of another scene' 0 'err=b.perp.state is not used: it is of another recording'
  same 'changes nothing' other.perp b.perp
  run run "${bodies[@]:1}" -o a.perp --force; expect 'a new run' 0; holds 'removes an old state' test ! -e a.perp.state
fi

# Made longer from where it was interrupted, or killed.
start a.perp run hollow-sphere --spheres 30 --steps $((steps*3/5)) --seed 4; sleep 0.3; kill -INT "$pid" 2>/dev/null; await
run run --resume a.perp --steps $steps; expect 'an interrupted one made longer' 0; same 'is as long as the long one' bodies.perp a.perp
start a.perp run hollow-sphere --spheres 30 --steps $((steps*3/5)) --seed 4 --save-every 0; sleep 0.3; kill -9 "$pid" 2>/dev/null; await
run run --resume a.perp --steps $steps --json; expect 'a killed one, too' 0; same 'likewise' bodies.perp a.perp
holds 'without a state beside it' test ! -e a.perp.state

# Few frames, so that rows wait without one; times; a state in parts.
"$PERP" "${bodies[@]}" --every 40 -q -o few.perp
start a.perp "${bodies[@]}" --every 40; sleep 0.4; kill -INT "$pid" 2>/dev/null; await
run run --resume a.perp; expect 'rows without frames' 0; same 'wait as well' few.perp a.perp
start a.perp "${bodies[@]}" --times; sleep 0.4; kill -INT "$pid" 2>/dev/null; await
run run --resume a.perp; expect 'with times' 0
holds 'which are kept' test "$("$RECORD_INFO" a.perp step | wc -l)" -eq $((steps + 1))
perp=$PERP; PERP=$SMALL_PARTS
"$PERP" "${liquid[@]}" -q -o parts.perp
start a.perp "${liquid[@]}" --save-every 0; sleep 0.3; kill -9 "$pid" 2>/dev/null; await
"$PERP" run --resume a.perp >.out 2>.err & pid=$!; sleep 0.2; kill -INT "$pid" 2>/dev/null; await
run run --resume a.perp; expect 'states in parts' 0; same 'to the same bytes' parts.perp a.perp
PERP=$perp

# A full disk: the last good state stays.
if command -v prlimit >/dev/null; then
  start a.perp "${bodies[@]}" --save-every 0
  for ((i = 0; i < 300; i++)); do if [ "$(stat -c %s a.perp)" -gt 9000 ] || ! kill -0 "$pid" 2>/dev/null; then break; fi; sleep 0.02; done
  prlimit --pid "$pid" --fsize=8000 2>/dev/null; sleep 0.2; kill -INT "$pid" 2>/dev/null; await
  if [ "$code" -eq 0 ]; then ok 'a full disk # skipped: it was faster'; else
    holds 'a full disk is told' grep -q 'File too large' .err
    told=$(sed -n 's/.*continues from step \([0-9]*\)$/\1/p' .err | tail -n 1)
    run run --resume a.perp --json; expect 'and resumed' 0; json 'from the step that was told' "resumed_from=$told"
    holds 'which is none of the first' test "$told" -gt 0
    same 'to the same bytes' bodies.perp a.perp
  fi
  for wait in 0.4 0.8 1.6; do   # until what is there already fills the 4 kB below
    start a.perp "${bodies[@]}"; sleep "$wait"; kill -INT "$pid" 2>/dev/null; await
    if [ "$code" -eq 0 ] || [ "$(stat -c %s a.perp)" -gt 6000 ]; then break; fi
  done
  if [ "$code" -ne 0 ]; then
    cp a.perp before.perp
    (ulimit -f 4; "$PERP" run --resume a.perp >.out 2>.err); code=$? out='' err=$(<.err)
    expect 'no room to go on' 6 'err=the recording stays as it is'; same 'and it does' before.perp a.perp
  fi
  run run --resume a.perp; expect 'later there is' 0; same 'the same bytes' bodies.perp a.perp
fi

# A disk that is full from some byte on: the step that is told is the step it goes on from.
if command -v prlimit >/dev/null; then
  sizes=16; if [ -n "${PERP_BRIEF_TESTS-}" ]; then sizes=4; fi
  for kind in bodies liquid parts; do
    perp=$PERP line=(run hollow-sphere --spheres 8 --steps $steps --seed 4)
    if [ "$kind" = liquid ]; then line=(run dam-break-2d --size 10 --steps $((wet*4/5)) --seed 4); fi
    if [ "$kind" = parts ]; then line+=(--every 2 --times) PERP=$SMALL_PARTS; fi
    "$PERP" "${line[@]}" -q -o small.perp --force
    size=$(stat -c %s small.perp) wrong='' full=0
    for ((bytes = size/sizes; bytes < size; bytes += size/sizes - 7)); do
      rm -f a.perp*
      prlimit --fsize="$bytes" "$PERP" "${line[@]}" --save-every 0 -o a.perp >.out 2>.err
      if [ $? -ne 6 ]; then continue; fi
      full=$((full + 1))
      told=$(sed -n 's/.*continues from step \([0-9]*\)$/\1/p' .err | tail -n 1)
      run run --resume a.perp --json
      if [ "$code" -ne 0 ] || [ "$(resumed)" != "${told:-0}" ]; then wrong+=" $bytes"; fi
      if [ "$kind" != parts ] && ! cmp -s small.perp a.perp; then wrong+=" $bytes"; fi
    done
    PERP=$perp
    holds "a disk full at any byte, $kind" test -z "$wrong" -a "$full" -ge $((sizes/2))
  done
fi

# Impatience.
start a.perp "${liquid[@]}" --save-every 0.1; sleep 0.5; kill -INT "$pid" 2>/dev/null; kill -INT "$pid" 2>/dev/null; await
if [ "$code" -ne 0 ]; then
  expect 'a second Ctrl-C' 130; run run --resume a.perp; expect 'loses no more than a crash' 0; same 'the same bytes' liquid.perp a.perp
fi
leftovers 'no temporary files'

run run box --save-every -1; expect 'no such time' 2 'err=--save-every = -1 is outside [0, 1000000000]'
finish
