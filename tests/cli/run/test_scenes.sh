# Every scene through the program: certified steps, the same bytes on any number of threads, ranges,
# nothing at all, full disks. PERP_LONG_TESTS runs them at their defaults.
# cost: 5
# shellcheck shell=bash source=tests/cli/kit/tap.sh disable=SC2016
. "$(dirname "$0")/../kit/tap.sh"
info() { "$RECORD_INFO" "$@"; }
value() { sed -n "s/.*\"$1\": \([-0-9.e+]*\),\{0,1\}\$/\1/p" .out; }   # of a number in the JSON of the last run
long=${PERP_LONG_TESTS:+1}

run run stack --steps 1
if [ "$code" -eq 5 ]; then echo '# without ODE there are no boxes'; finish; exit 0; fi

# Steps that are certified, counted by the program: 99.9 % of them at the defaults.
steps=0 solved=0 many=2500
count() {   # count SCENE [OPTION]...
  rm -f one.perp; run run "$@" -o one.perp --json
  steps=$((steps + $(value steps))) solved=$((solved + $(value solved)))
  holds "$1: the recording says the same" test "$(info one.perp unsolved | awk '$1 > 0 { n++ } END { print n + 0 }')" = "$(value unsolved)"
}
if [ -n "$long" ]; then
  for scene in box hollow-sphere stack pyramid wall card-house wedge arch heavy-on-light; do count $scene; done
  count hopper --steps 80   # then a heap of 8000 contacts takes seconds a step
elif [ -n "${PERP_BRIEF_TESTS:-}" ]; then   # under sanitizers and while lines are counted
  many=250
  count box --steps 20; count hollow-sphere --steps 60; count stack --steps 30; count pyramid --base 4 --steps 20
  count wall --bricks 20 --steps 20; count card-house --levels 2 --steps 30; count wedge --steps 30; count arch --steps 20
  count heavy-on-light --steps 30; count hopper --spheres 100 --steps 20
else
  count box --steps 150; count hollow-sphere --steps 300; count stack; count pyramid --base 5 --steps 200
  count wall --bricks 40 --steps 60; count card-house --levels 2 --steps 200; count wedge; count arch; count heavy-on-light
  count hopper --spheres 200 --steps 40
fi
holds "99.9 % are solved: $solved of $steps" test $((1000*solved)) -ge $((999*steps))
holds 'of many' test "$steps" -ge $many
steps=0 solved=0
for scene in falling-block dam-break-2d tilted-box ceiling swirl dam-break-3d falling-ball; do
  if [ -n "$long" ]; then count $scene; else
    size=24; case $scene in *3d | *ball) size=10 ;; esac
    count $scene --size $size --steps 40
  fi
done
holds "and all of liquids: $solved of $steps" test "$solved" -eq "$steps"

# One that is not is said: on the screen, in the exit status, in the recording, in its contacts.
run run hollow-sphere --steps 60 --method pgs --iteration-limit 2 -f -o u.perp
expect 'what is not certified' 1 'out=not all solved' 'err=steps were not solved; the first is step '
holds 'is in the recording' test "$(info u.perp unsolved | grep -vc '^0')" -gt 0
run run hollow-sphere --steps 60 --method pgs --iteration-limit 2 --progress -f -o u.perp; expect 'in a pipe as well' 1

# Energy: never more than before, without restitution; what Newton's restitution adds beside friction is measured.
for scene in hollow-sphere 'wall --bricks 12' 'card-house --friction 0' 'box --friction 0.3'; do
  # shellcheck disable=SC2086  # words
  run run $scene --steps 60 --json; json "$scene: nothing is gained" gains=0
done
run run hollow-sphere --steps 300 --restitution 0.9 --friction 0.8 -f -o e.perp; expect 'restitution and friction' 0 'out=energy gained'
run run hollow-sphere --steps 300 --restitution 0.9 --friction 0.8 --json -f -o e.perp
holds 'as the recording has it' awk -v gained="$(value gained)" '{ if (NR > 1 && $1 < last - 1e-6) sum += last - $1; last = $1 }
  END { d = sum - gained; exit !(gained > 0 && d*d < 1e-8*gained*gained) }' <(info e.perp dissipated)

# The same seed, the same bytes: with one thread, two and four, and friction everywhere.
bytes() {   # bytes SCENE [OPTION]...
  local threads
  for threads in 1 2 4; do
    rm -f t$threads.perp; run run "$@" --model friction --seed 3 --threads $threads -o t$threads.perp
    [ "$threads" -eq 1 ] || holds "$1: $threads threads" cmp t1.perp t$threads.perp
  done
  holds "$1 has contacts" test "$(info t1.perp contacts | sort -n | tail -n 1)" -gt 0
}
n=${long:+5}; n=${n:-1}
bytes box --balls $((39*n)) --friction 0.3 --steps 120; bytes hollow-sphere --spheres $((10*n)) --steps $((80*n))
bytes stack --boxes $((4*n)) --steps 30 --sleep 0; bytes pyramid --base 4 --steps $((20*n)) --sleep 0
bytes wall --bricks $((10*n)) --steps $((25*n)); bytes card-house --levels 2 --steps $((40*n)) --friction 0.2
bytes wedge --boxes 3 --steps $((20*n)) --sleep 0; bytes arch --steps $((30*n)) --friction 0.1
bytes heavy-on-light --boxes 3 --steps $((40*n)); bytes hopper --spheres $((100*n)) --steps $((25*n))

# Parameters outside of their range, each of each scene, from the list itself.
run run --list; cp .out list; bad=0
while read -r scene name low high; do
  for number in "$low" "$high"; do
    [ "$number" = "$low" ] && number=$(awk -v x="$low" 'BEGIN { print x - 1 - (x < 0 ? -x : x) }') ||
      number=$(awk -v x="$high" 'BEGIN { printf "%.0f", 2*x + 1 }')
    run run "$scene" "$name=$number" --steps 0
    [[ $code -eq 2 && $err == *"$name = $number is outside ["* ]] || { not_ok "$scene $name=$number" "$code" "$err"; bad=1; }
  done
done < <(awk '/^[a-z]/ { scene = $1 } /^  --/ && !/[|]/ { gsub(/[][,]/, ""); print scene, $1, $(NF - 1), $NF }' list | grep -v -- --steps)
[ $bad -ne 0 ] || ok "outside of the range: $(grep -c '^  --' list) parameters"

# No bodies, no contacts, no steps: through all that reads recordings.
for nothing in 'box --balls 0' 'hollow-sphere --spheres 0' 'stack --boxes 0' 'pyramid --base 0' 'wall --bricks 0 --ball-mass 0' \
  'card-house --levels 0' 'wedge --boxes 0' 'heavy-on-light --boxes 0' 'hopper --spheres 0'; do
  rm -f z.perp
  # shellcheck disable=SC2086  # words
  run run $nothing --steps 3 -f -o z.perp; expect "$nothing" 0 'out=3 of 3 steps'
  run render z.perp -o z.png --size 64x64; expect 'in a picture' 0
  run view z.perp -o z.html; [ "$code" -eq 5 ] || expect 'in the player' 0
done
curves() {   # curves NAME: what perp plot draws of z.perp, with gnuplot or without
  run plot z.perp -o z.svg; if [ "$code" -eq 5 ]; then return; fi
  expect "$1: curves" 0; holds "$1: nothing to solve" grep -q 'there was nothing to solve' z.svg
  run plot z.perp -o z.svg --what residuals; expect "$1: one alone" 0; silent 'without a word'
}
curves 'no bodies'
run run hollow-sphere --spheres 0 --steps 0 -o z0.perp; expect 'and no steps' 0
run render z0.perp -o z.png --size 64x64; expect 'in a picture, too' 0
run view z0.perp -o z.html; [ "$code" -eq 5 ] || expect 'in the player, too' 0
cp z0.perp z.perp; curves 'no steps'
run plot z.perp -o z.svg --step 1; [ "$code" -eq 5 ] || expect 'of no step' 3 'err=there is no step in it'
run run hollow-sphere --spheres 1 --gravity 0 --steps 20 -f -o z.perp --json; json 'a body without contacts' contacts=0 solved=20
curves 'no contacts'
run plot z.perp -o z.svg --step 1; [ "$code" -eq 5 ] || expect 'of a step without contacts' 0

# A file that may not grow: no half file, nothing else, and the message.
run run hollow-sphere --steps 60 -o f.perp; mkdir full
limited() {   # limited NAME BLOCKS ARGUMENT...: with files of at most BLOCKS kB
  local name=$1 blocks=$2; shift 2
  err=$( (ulimit -f "$blocks"; "$PERP" "$@" 2>&1 >/dev/null)); code=$? out=''   # not through a file, either
  expect "$name" 6 'err=File too large'
  holds "$name: nothing is left" test -z "$(ls -A full)"
}
limited 'a recording without room for its header' 0 run hollow-sphere --steps 60 -o full/a.perp
limited 'problems' 0 run hollow-sphere --steps 60 --dump-problems full/d
limited 'a problem' 0 gen obstacle -o full/p
limited 'a picture' 1 render f.perp -o full/a.png
run view f.perp -o z.html; [ "$code" -eq 5 ] || limited 'a page' 8 view f.perp -o full/a.html
finish
