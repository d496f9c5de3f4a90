# perp run: scenes, refusals, recordings that are cut, interrupted, resumed; the same bits always.
# cost: 6
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
set -m   # jobs in the background listen to SIGINT only with job control

info() { "$RECORD_INFO" "$@" >.info 2>&1; }
says() { if grep -qx -- "$2" .info; then ok "$1"; else not_ok "$1" "$(cat .info)"; fi; }
same() { holds "$1" cmp "$2" "$3"; }

run run --list; expect 'a list' 0 'out=hollow-sphere   spheres inside' 'out=  --spheres      number of spheres                            15 [0, 20000]'
narrow 'of 80 columns'
holds 'a line for every parameter' test "$(grep -c '^  --[a-z-]*  *[a-z].* [0-9.a-z]* \[[0-9.e-]*, [0-9.e-]*\]$\|^  --.*|' .out)" = "$(grep -c '^  ' .out)"
for scene in box stack pyramid wall card-house wedge arch heavy-on-light hopper; do
  [[ $out == *$'\n'"$scene "* || $out == "$scene "* ]] || not_ok "$scene is in the list" "$out"
done
run run --list --json; json 'as JSON'
run run; expect 'no scene' 2 "err=the scene is missing; 'perp run --list' lists the scenes"
run run hallow-sphere; expect 'a slip' 2 "err=there is no scene 'hallow-sphere'; did you mean 'hollow-sphere'?"
run run hollow-sphere --spheres -3; expect 'a bad number has its range' 2 'err=--spheres = -3 is outside [0, 20000]'
run run hollow-sphere --spheres 2.5; expect 'half a sphere' 2 'err=--spheres = 2.5 is not a whole number'
run run hollow-sphere --dt 0; expect 'no time' 2 'err=--dt = 0 is outside [1e-06, 1]'
run run hollow-sphere --shperes 3; expect 'a slip in an option' 2 "err=did you mean '--spheres'?"
run run hollow-sphere --smallest 2; expect 'numbers that do not go together' 2 'err=--smallest = 2 <= --largest = 1.2'
run run hollow-sphere --spheres 500 --radius 5; expect 'too many' 2 'err=--spheres = 500 is too many: only' 'err=raise --radius, or leave it out'
run run hollow-sphere --smallest 3 --largest 2; expect 'the wrong way round' 2 'err=--smallest = 3 <= --largest = 2 < --radius = '
run run box --radius 1000 --width 10; expect 'no room' 2 'err=--balls = 150 is outside [0, 0]' 'err=lower --balls or --radius, or raise --width or --height'
run run heavy-on-light --boxes 6 --ratio 1000; expect 'a heavy tower' 2 'err=--ratio = 1000 is outside' 'err=for 6 boxes; lower --boxes, or bring --ratio nearer to 1'
run run box --balls 500; expect 'too many in the plane' 2 'err=--balls = 500 is outside [0, 196]'
run run wall --bricks 4 --steps 1 --friction 0.3; expect 'friction that the model has not' 0 'err=warning: --friction = 0.3 has no effect in the model '\''normal'\'''
run run wall --bricks 4 --steps 1 --friction 0.3 --model friction --json; json 'with the model that has it' model=friction; silent 'no warning'
run run box --every 0; expect 'every 0' 2 'err=--every = 0 is outside [1, 65536]'
run run box --every x; expect 'every x' 2 'err=--every = x is not a whole number'
run run stack --boxes 2 --steps 200 --json; json 'what rests is solved' steps=200 solved=200
run run stack --boxes 2 --steps 5 -o quiet.perp -q; expect 'quietly' 0; silent 'no noise'; holds 'no report' test -z "$out"
run run stack --boxes 2 --steps 5 -q --json; json 'but JSON where asked for' steps=5
run run hollow-sphere --steps 100 --method pgs --iteration-limit 1 -q; expect 'quiet about all but errors' 1 'err=steps were not solved'
holds 'and nothing else' test -z "$out"
for bricks in 0 1 7 100 250 999; do
  run run wall --bricks $bricks --ball-mass 0 --steps 0 --json; json "a wall of $bricks bricks" bodies=$((bricks + 1))
done
run run wall --columns 12 --rows 8 --steps 3 -o c.perp; run run wall --steps 3 -o d.perp; expect 'by default 12 x 8' 0
holds 'the same motion' cmp <("$RECORD_INFO" c.perp kinetic) <("$RECORD_INFO" d.perp kinetic)
rm c.perp d.perp quiet.perp
run run stack --boxes 2 --steps 200 --sleep 20 -f -o rest.perp; expect 'or sleeps' 0
holds 'both boxes do' test "$("$RECORD_INFO" rest.perp asleep | tail -n 1)" = 2
run run stack --boxes 2 --steps 200 --sleep 0 -f -o rest.perp; holds 'unless told not to' test "$("$RECORD_INFO" rest.perp asleep | tail -n 1)" = 0
run run box --directions 2; expect 'two directions' 2 'err=--directions = 2 is outside [3, 64]'
run run box --model sticky; expect 'another model' 2 'err=--model = sticky is not one of normal|friction|staggered|boxed'
run run box --method nosuch; expect 'another method' 2 "err=there is no method 'nosuch'"
run run box --seed -1; expect 'a seed below 0' 2 'err=--seed = -1'
run run box -o nowhere/a.perp; expect 'no such folder' 6 'err=nowhere/a.perp: No such file'
run run box --json -o -; expect 'two things on the standard output' 2
run run box --help; expect 'help of a scene' 0 'out=What to look for: ' 'out=Parameters of the scene' 'out=--balls N'
run help run; expect 'help' 0 'out=--resume FILE'

run run box --balls 0 --steps 20 -o empty.perp; expect 'no bodies' 0 'out=20 of 20 steps' 'out=21 frames'
info empty.perp; says 'and no contacts' 'contacts 0'
run run hollow-sphere --spheres 0 --steps 0 -o nothing.perp; expect 'no steps' 0 'out=1 frame,'
info nothing.perp; says 'is complete' 'complete 1'
run run box --steps 100 --json; json 'JSON' scene=box steps=100 solved=100 unsolved=0 bodies=154 complete=true
narrow 'of 80 columns'

short=(hollow-sphere --steps 260 --seed 7 --spheres 8)
run run "${short[@]}" -o a.perp; expect 'a recording' 0 'out=260 of 260 steps' 'out=a.perp: 261 frames' 'out=next             perp view a.perp'
silent 'without noise'
info a.perp
says 'has all frames' 'frames 261'
says 'all rows' 'rows 261'
says 'the bodies that move' 'moving 8'
says 'and its command' 'command perp run hollow-sphere --steps 260 --spheres 8 --seed 7'
holds 'its energy never grows' awk 'NR > 1 && $1 > last + 1e-9*(1 + (last < 0 ? -last : last)) { exit 1 } { last = $1 }' \
  <(paste -d' ' <("$RECORD_INFO" a.perp kinetic) <("$RECORD_INFO" a.perp potential) | awk '{ printf "%.17g\n", $1 + $2 }')
holds 'and all is certified' test "$("$RECORD_INFO" a.perp unsolved | sort -u)" = 0
run run "${short[@]}" -f -o b.perp; expect 'once more' 0
same 'the same bytes' a.perp b.perp
cp b.perp kept.perp; run run "${short[@]}" -o b.perp -q; expect 'a finished recording is not overwritten' 2 'err=b.perp is a finished recording; --force overwrites it'
same 'and stays' kept.perp b.perp; rm kept.perp
run run "${short[@]}" -o b.perp -q --force; expect 'unless forced' 0
for threads in 2 4; do
  rm b.perp; run run "${short[@]}" --threads $threads -f -o b.perp; same "and with $threads threads" a.perp b.perp
done
rm b.perp; run run --spheres 8 --seed 7 --steps 260 hollow-sphere -f -o b.perp; same 'in another order' a.perp b.perp
run run "${short[@]}" --seed 8 -f -o b.perp; holds 'another seed, other bytes' test "$(cmp -s a.perp b.perp; echo $?)" = 1
"$PERP" run "${short[@]}" -o - >b.perp; same 'on the standard output' a.perp b.perp
run run "${short[@]}" --every 10 --exact --times --contacts none -f -o b.perp; expect 'every tenth step' 0 'out=27 frames'
info b.perp; says 'fewer frames' 'frames 27'; says 'all the same rows' 'rows 261'; says 'no contacts' 'contacts 0'; says 'times' 'times 1'
run run "${short[@]}" --contacts all -f -o b.perp; info a.perp; cp .info .all; info b.perp
holds 'contacts' test "$(grep ^contacts .info)" = "$(grep ^contacts .all)"

# Files that are somebody else's, or not finished.
echo precious >note.perp
run run box --steps 1 -o note.perp; expect 'not over another file' 2 'err=note.perp exists and is not a recording'
holds 'which is still there' grep -q precious note.perp
run run box --steps 1 -o note.perp --force; expect 'unless forced' 0
head -c 9000 a.perp >cut.perp
info cut.perp; says 'a cut file is read' 'perp info: warning: cut.perp: the end is missing; [0-9]* frames are there'
run run box --steps 1 -o cut.perp; expect 'nor over an interrupted one' 2 "err='perp run --resume cut.perp' continues it"

# Cut anywhere, resumed to the same bytes.
bytes=$(stat -c %s a.perp)
for share in 5 35 60 80 99; do
  head -c $((bytes*share/100)) a.perp >r.perp
  run run --resume r.perp; expect "resumed at $share %" 0 'out=260 of 260 steps'
  same 'to the same bytes' a.perp r.perp
done
cp a.perp r.perp; run run --resume r.perp; expect 'nothing is left to do' 0; same 'and nothing changes' a.perp r.perp

# A finished or interrupted one made longer: as if it had been so from the start.
for from in 0 30 64 200; do
  run run hollow-sphere --steps $from --seed 7 --spheres 8 -o r.perp --force; cp r.perp old.perp
  run run --resume r.perp --steps 260; expect "from $from steps to 260" 0 'out=260 of 260 steps'
  same 'the same bytes' a.perp r.perp
done
run run hollow-sphere --seed 7 --spheres 8 --steps 300 -o l.perp; cp a.perp r.perp
run run --resume r.perp --steps 300 --threads 2 -q; expect 'and once more' 0; same 'the same bytes again' l.perp r.perp
head -c $((bytes*2/3)) a.perp >r.perp; run run --resume r.perp --steps 300; expect 'an interrupted one, too' 0; same 'likewise' l.perp r.perp
cp a.perp r.perp; run run --resume r.perp --steps 260; expect 'it has as many' 0; same 'and stays' a.perp r.perp
run run --resume r.perp --steps 259; expect 'not shorter' 2 'err=--steps = 259 is outside [260, 100000000]; r.perp has 260 steps'
run run --resume r.perp --steps x; expect 'nor to x' 2 'err=--steps = x is not a whole number'; same 'it stays' a.perp r.perp
(ulimit -f 4; "$PERP" run --resume r.perp --steps 300 >.out 2>.err); code=$? out='' err=$(cat .err)
expect 'no room for another' 6 'err=File too large'; same 'leaves the old one' a.perp r.perp; leftovers 'and nothing else'
rm l.perp old.perp
cp a.perp r.perp; printf 'X' | dd of=r.perp bs=1 seek=$((bytes*2/3)) conv=notrunc 2>/dev/null
run view r.perp; [ "$code" -eq 5 ] || expect 'and how to mend it' 3 "err='perp run --resume r.perp' makes the rest of it again"
info r.perp; says 'damage is seen' 'perp info: r.perp: chunk [0-9]* at byte [0-9]*: the check sum is .*'
run run --resume r.perp; expect 'and repaired' 0 'err=what follows is made again'; same 'to the same bytes' a.perp r.perp
head -c 100 a.perp >r.perp; run run --resume r.perp; expect 'without a header' 3 'err=r.perp: the recording has no whole header'
run run --resume note; expect 'no such file' 6 'err=note'
run run --resume a.perp --dt 0.1; expect 'with other options' 2 "err=unknown option '--dt'"
run run --resume a.perp --seed 1; expect 'with another seed' 2 'err=--seed cannot be changed with --resume, which takes all settings from a.perp'
run run box --resume a.perp; expect 'with a scene' 2 "err='box': --resume takes the scene"
"$RECORD_SAMPLE" s.perp; run run --resume s.perp; expect 'of another program' 3 'err=was made by perp 0.0.0'

# Ctrl-C.
"$PERP" run hollow-sphere --spheres 40 --sleep 0 --steps 100000 --every 3 --progress -o i.perp >second 2>progress &
pid=$!
for ((i = 0; i < 300; i++)); do if grep -q ' contacts, ' progress || ! kill -0 "$pid" 2>/dev/null; then break; fi; sleep 0.1; done
run run box --steps 1 -o i.perp; expect 'a file in use was not interrupted' 6 'err=i.perp: another program is writing it' 'err!=--resume'
run run box --steps 1 --force -o i.perp; expect 'one run at a time' 6 'err=i.perp: another program is writing it'
kill -INT "$pid"; wait "$pid"; code=$? out=$(cat second) err=$(cat progress)
expect 'Ctrl-C' 130 "err='perp run --resume i.perp' " 'err=/100000, ' 'out=next             perp run --resume i.perp' 'out=interrupted'
info i.perp; says 'leaves a whole file' 'complete 1'
holds 'of lines of one length' test "$(grep ' contacts, ' progress | awk '{print length($0)}' | sort -u)" = 79

# A full disk.
(ulimit -f 20; "$PERP" run "${short[@]}" -o d.perp >.out 2>.err); code=$? out='' err=$(cat .err)
expect 'a full disk' 6 'err=File too large; the' "err='perp run --resume d.perp' "
holds 'leaves the beginning' cmp -n "$(stat -c %s d.perp)" a.perp d.perp
info d.perp; says 'which can be read' 'complete 0'
run run --resume d.perp; expect 'and resumed' 0; same 'to the same bytes' a.perp d.perp
if [ -c /dev/full ]; then run run box --steps 5 -o /dev/full; expect 'a device that is full' 6 'err=/dev/full: No space left'; fi
run run box --steps 5 -o z.perp --dump-problems /dev/null/x; expect 'no place for problems' 6 'err=/dev/null/x'

# Problems of each step.
run run hollow-sphere --spheres 4 --steps 80 --dump-problems dump; expect 'problems' 0
first=$(find dump -name 'nb*' | sort | head -n 1)
holds 'named by bodies and rows' test "${first#dump/nb00}" != "$first"
for folder in $(find dump -name 'nb*' | sort | head -n 3); do
  rows=$(sed -n '/^%/!{p;q}' "$folder/b.mtx")
  name=${folder#dump/nb*_nc}
  holds "$folder has as many rows" test "$((10#${name%%_*}))" -eq "${rows% 1}"
  run check "$folder" "$folder/x.mtx"; expect 'and its solution' 0 'out=holds'
done
holds 'and says where it is from' grep -q '^% perp run hollow-sphere --steps 80 --spheres 4' "$first/A.mtx"

# Steps that are not solved are said.
run run hollow-sphere --steps 100 --method pgs --iteration-limit 1 -o u.perp; expect 'unsolved steps' 1 'out=not all solved' 'err=steps were not solved'
holds 'are in the recording' test "$("$RECORD_INFO" u.perp unsolved | sort -un | tail -n 1)" -gt 0
run run stack --steps 20 --time-limit 1us -o o.perp; expect 'overlaps that stay' 1 'out=touching' 'out!=projected'
holds 'are in the recording, too' test "$("$RECORD_INFO" o.perp unprojected | sort -un | tail -n 1)" -gt 0
run run hollow-sphere --steps 100 --method lemke --model normal; expect 'another method' 0
finish
