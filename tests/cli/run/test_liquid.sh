# perp run of liquids: refusals, recordings that are cut, interrupted, resumed; problems of steps.
# cost: 4
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
set -m   # jobs in the background listen to SIGINT only with job control

info() { "$RECORD_INFO" "$@" >.info 2>&1; }
says() { if grep -qx -- "$2" .info; then ok "$1"; else not_ok "$1" "$(cat .info)"; fi; }
same() { holds "$1" cmp "$2" "$3"; }
last() { "$RECORD_INFO" "$1" "$2" | tail -n 1; }

run run --list; expect 'liquids are in the list' 0 'out=dam-break-2d    a column of liquid' 'out=All scenes of liquids also have' 'out=separating [no-slip|slip|separating]'
for scene in falling-block dam-break-2d tilted-box ceiling swirl dam-break-3d falling-ball; do
  [[ $out == *$'\n'"$scene "* ]] || not_ok "$scene is in the list" "$out"
done
run run swirl --help; expect 'help of one' 0 'out=--walls' 'out=--spin NUMBER' 'out=What to look for: '
for option in --model --directions --sleep --contacts 'friction at a contact' nb###_nc#### --friction.rounds --enumerate.limit liquids:; do
  if [[ $out == *"$option"* ]]; then not_ok 'without what is of bodies' "$option" "$out"; fi
done
expect 'with what is of liquids' 0 'out=--keep auto|all|surface' 'out=--fields' 'out=step####_n#####' 'out=--krylov.'; narrow 'in 80 columns'
run run box --help; expect 'help of bodies' 0 'out=--model normal' 'out=--sleep N' 'out=nb###_nc####' 'out!=--keep' 'out!=--fields' 'out!=step####' 'out!=bodies:'
run run --help; expect 'help of both says which' 0 'out=bodies: a body at rest' 'out=liquids: which particles' 'out=nb###_nc####' 'out=step####'
run completion bash
# shellcheck disable=SC2016
holds 'completion leaves them out, too' bash -c 'eval "$1"; COMP_WORDS=(perp run swirl --); COMP_CWORD=3; _perp; printf "%s\n" "${COMPREPLY[@]}" >.words; grep -qx -e --keep .words && grep -qx -e --spin .words && ! grep -qx -e --model .words && ! grep -qx -e --sleep .words' _ "$out"
run run swirl --walls sticky; expect 'other walls' 2 'err=--walls = sticky is not one of no-slip|slip|separating'
run run swirl --size 3; expect 'too small' 2 'err=--size = 3 is outside [4, 2048]'
run run dam-break-3d --size 200; expect 'too large' 2 'err=--size = 200 is outside [4, 192]'
run run swirl --wals slip; expect 'a slip in an option' 2 "err=did you mean '--walls'?"
run run swirl --model normal; expect 'what bodies have' 2 'err=--model is only for scenes of bodies; swirl is a scene of liquids'
run run box --fields all; expect 'what liquids have' 2 'err=--fields is only for scenes of liquids; box is a scene of bodies'
run run falling-ball --radius 0.4 --depth 0.5; expect 'no room for a ball' 2 'err=--depth = 0.5 leaves no room for a ball of radius 0.4; lower --depth or --radius'
run run swirl --method nosuch; expect 'another method' 2 "err=there is no method 'nosuch'"

short=(dam-break-2d --size 20 --steps 140 --seed 3)
run run "${short[@]}" -o a.perp; expect 'a recording' 0 'out=solved' 'out=140 of 140 steps' 'out=20 x 20 cells, separating walls' 'out=a.perp: 141 frames' 'out=volume' 'out=Newton and'
silent 'without noise'; narrow 'of 80 columns'
info a.perp
says 'has all frames' 'frames 141'; says 'all rows' 'rows 141'; says 'fields' 'fields 7'; says 'a solid' 'bodies 1'
says 'and its command' 'command perp run dam-break-2d --steps 140 --size 20 --seed 3'
holds 'all is certified' test "$("$RECORD_INFO" a.perp unsolved | sort -u)" = 0
holds 'potential energy was there at the start' awk 'NR == 1 && $1 < 1200 { exit 1 }' <("$RECORD_INFO" a.perp potential)
holds 'and less is left' awk -v "e=$(last a.perp potential)" 'BEGIN { exit !(e < 900) }'
run run "${short[@]}" --json; json 'JSON' scene=dam-break-2d steps=140 solved=140 walls=separating complete=true
for threads in 2 4; do
  rm -f b.perp; run run "${short[@]}" --threads $threads -f -o b.perp; same "the same bytes with $threads threads" a.perp b.perp
done
run run "${short[@]}" --walls slip -f -o b.perp; info b.perp; expect 'slip' 0 'out=slip walls'
holds 'moves otherwise' test "$(last a.perp kinetic)" != "$(last b.perp kinetic)"
holds 'and nothing separates' test "$("$RECORD_INFO" b.perp separating | sort -u)" = 0
holds 'as it does without it' test "$("$RECORD_INFO" a.perp separating | sort -n | tail -n 1)" -gt 0
run run swirl --size 16 --steps 6 --every 3 --fields none --times -f -o b.perp; info b.perp; says 'every third' 'frames 3'; says 'no fields' 'fields 0'; says 'times' 'times 1'
run run falling-ball --size 12 --steps 3 -f -o b.perp; info b.perp; expect 'three dimensions' 0 'out=12 x 12 x 12 cells'; says 'with what can be seen' 'cells 12 12 12'
few=$(sed -n 's/^particles //p' .info); run run falling-ball --size 12 --steps 3 --keep all -f -o b.perp; info b.perp
holds 'and more' test "$(sed -n 's/^particles //p' .info)" -gt "$few"
run run swirl --size 16 --steps 4 --transfer apic --every-cell 1 --compensate 1 --cfl 1 --flip 0.9 --reseed 0 --particles 3 --json; json 'all options together' solved=4
run run swirl --size 16 --steps 2 -m minmap_newton --preset paper --json; json 'as the paper does' method=minmap_newton solved=2
run run swirl --size 16 --steps 2 --preset paper; expect 'which auto does not' 2 'err=it needs --method minmap_newton'
run run tilted-box --size 16 --steps 6 --turn 2 -f -o b.perp; expect 'a box that turns' 0; info b.perp; says 'is a solid that moves' 'moving 1'
run run dam-break-2d --size 4 --width 0.05 --height 0.05 --steps 3 -f -o b.perp; expect 'hardly a drop' 0 'out=3 of 3 steps'; info b.perp; says 'is recorded' 'frames 4'
run run dam-break-2d --size 4 --width 0.05 --steps 3; expect 'not even a drop' 0 'err=warning: there is no liquid'
run run swirl --size 16 --steps 2 -m pgs; expect 'sweeps are not called Newton' 0 'out= sweeps and ' 'out= inner iterations a' 'out!=Newton'
run run swirl --size 16 --steps 2 -m nncg; expect 'nor is what has no word' 0 'out= outer and' 'out!=Newton'
run run dam-break-2d --size 32 --steps 20 --substeps 1; expect 'substeps that were too few' 0 'err=warning: --substeps = 1 was too few for --cfl = 2'
run run ceiling --size 20 --steps 90 --walls slip; expect 'volume that is lost has a way out' 0 'out=--compensate 1 holds'
run run ceiling --size 40 --steps 40 --iteration-limit 1 -m pgs; expect 'steps that are not solved have a page' 1 "err='perp explain liquids' says what to do"
run explain liquids; expect 'that page' 0 'out=0 <= p  _|_  div u >= 0' 'out=Infeasible:'
run run swirl -o swirl.mp4; expect 'a video is made from a recording' 2 "err=--output = swirl.mp4: perp run writes a recording, such as swirl.perp; then 'perp render swirl.perp -o swirl.mp4'"
run run swirl --size 16 --steps 0 -f -o b.perp; expect 'no steps' 0 'out=1 frame,'

# Cut anywhere, resumed to the same bytes; made longer.
bytes=$(stat -c %s a.perp)
for share in 5 60 99; do
  head -c $((bytes*share/100)) a.perp >r.perp
  run run --resume r.perp; expect "resumed at $share %" 0 'out=140 of 140 steps'; same 'to the same bytes' a.perp r.perp
done
run run dam-break-2d --size 20 --steps 70 --seed 3 -o r.perp --force
run run --resume r.perp --steps 140 --threads 2 -q; expect 'made longer' 0; same 'the same bytes' a.perp r.perp
cp a.perp r.perp; run run --resume r.perp; expect 'nothing is left to do' 0; same 'and nothing changes' a.perp r.perp

# States that are larger than a chunk: in parts, of which a cut may leave some.
"$SMALL_PARTS" run "${short[@]}" -o p.perp -q; holds 'states in parts' test "$(grep -ac SAVE p.perp)" -gt 5
holds 'make no other file' test "$(stat -c %s p.perp)" -lt $((bytes + bytes/10))
info p.perp; says 'which anybody reads' 'frames 141'
mapfile -t parts < <(grep -abo SAVE p.perp | cut -d: -f1)
for at in "$((${parts[0]} + 9))" "$((${parts[1]} + 30))" "$((${parts[2]}))" "$(($(stat -c %s p.perp) - 1))"; do
  head -c "$at" p.perp >r.perp
  "$SMALL_PARTS" run --resume r.perp -q; same "cut at byte $at, they are made again" p.perp r.perp
done
head -c $((bytes*99/100)) p.perp >r.perp; run run --resume r.perp; expect 'another program goes on from them' 0 'out=140 of 140 steps'
holds 'to the same end' test "$(last r.perp kinetic)" = "$(last a.perp kinetic)"
"$SMALL_PARTS" run dam-break-2d --size 20 --steps 70 --seed 3 -o r.perp --force -q
"$SMALL_PARTS" run --resume r.perp --steps 140 -q; same 'made longer, too' p.perp r.perp

# Ctrl-C.
"$PERP" run dam-break-2d --size 40 --steps 100000 --progress -o i.perp >second 2>progress &
pid=$!
for ((i = 0; i < 300; i++)); do if grep -q ' particles, ' progress || ! kill -0 "$pid" 2>/dev/null; then break; fi; sleep 0.1; done
kill -INT "$pid"; wait "$pid"; code=$? out=$(cat second) err=$(cat progress)
expect 'Ctrl-C' 130 "err='perp run --resume i.perp' " 'err=/100000, ' 'err= Newton, ' 'out=next             perp run --resume i.perp' 'out=interrupted'
info i.perp; says 'leaves a whole file' 'complete 1'
holds 'after lines of one length, with a bar' test "$(grep ' particles, ' progress | awk '{ print length($0), /^\[#* *\]/ }' | sort -u)" = '79 1'

# It says where --resume will begin: at the newest state, whether the recording was due one or not.
stop() {   # stop COMMAND...: a run with that option, interrupted as soon as the command succeeds
  rm -f j.perp; "$PERP" run dam-break-2d --size 12 --steps 10000000 --every "$every" -o j.perp >second 2>progress &
  pid=$!
  for ((i = 0; i < 300; i++)); do if "$@" || ! kill -0 "$pid" 2>/dev/null; then break; fi; sleep 0.1; done
  kill -INT "$pid"; wait "$pid"; code=$? out=$(cat second) err=$(cat progress)
}
every=50000; stop test -s j.perp
expect 'within a span' 130 "err='perp run --resume j.perp' continues from step " 'err!=starts over'
every=1; stop grep -aq SAVE j.perp
expect 'behind a state of the recording' 130 "err='perp run --resume j.perp' continues from step " 'err!=starts over'
read -r after saved < <(sed -n 's/.*interrupted after \([0-9]*\) of.* continues from step \([0-9]*\)$/\1 \2/p' progress); holds 'which is the last one made' test "$after" = "$saved" -a "$saved" -gt 0
head -c "$(($(grep -abo SAVE a.perp | head -n 1 | cut -d: -f1) - 1))" a.perp >r.perp
run run --resume r.perp; expect 'a recording without a state' 0 'err=warning: r.perp has no saved state yet: its steps are made again'; same 'starts over' a.perp r.perp

# A full disk.
(ulimit -f 20; "$PERP" run "${short[@]}" -o d.perp >.out 2>.err); code=$? out='' err=$(cat .err)
expect 'a full disk' 6 'err=File too large'
run run "${short[@]}" -o d.perp -f -q; same 'and once more' a.perp d.perp

# Problems of steps.
run run ceiling --size 16 --steps 8 --dump-problems dump; expect 'problems' 0
holds 'one for each step' test "$(find dump -name 'step*' | wc -l)" = 8
for folder in dump/step0001_* dump/step0008_*; do
  rows=$(sed -n '/^%/!{p;q}' "$folder/b.mtx"); name=${folder##*_n}
  holds "$folder has as many rows" test "$((10#$name))" -eq "${rows% 1}"
  run check "$folder" "$folder/x.mtx"; expect 'and its solution' 0 'out=holds'
  run solve "$folder" --method lemke; expect 'which another method finds' 0
done
# The guess is where the solve began: 0 at first, then the pressure before, which is near.
holds 'the first guess is 0' test "$(sed '/^%/d' dump/step0001_*/x0.mtx | tail -n +2 | sort -u)" = 0
run run dam-break-2d --size 16 --steps 6 --dump-problems column; expect 'problems of a column' 0
folder=$(echo column/step0006_*); mkdir bare; cp "$folder"/{A,b,lo,hi}.mtx bare
iterations() { "$PERP" solve "$@" --method pgs --json | sed -n 's/^ *"iterations": \([0-9]*\).*/\1/p'; }
near=$(iterations "$folder"); far=$(iterations bare); named=$(iterations bare --x0 "$folder/x0.mtx")
holds "a solve begins from it: $near iterations, else $far" test "$near" -lt "$far"
holds 'and from the file by its name' test "$named" = "$near"
holds 'and says where it is from' grep -q '^% perp run ceiling --steps 8 --size 16' dump/step0008_*/A.mtx
run run ceiling --size 16 --steps 8 --dump-problems dump; expect 'not over those' 2 'err=--dump-problems = dump: it has problems of another run, such as step0001_n' 'err=name another directory, or remove that one'
run run box --steps 1 --dump-problems dump; expect 'nor beside them' 2 'err=it has problems of another run'
mkdir other; : >other/notes.txt; : >other/step_by_step_nonsense; run run ceiling --size 16 --steps 1 --dump-problems other; expect 'beside what is something else' 0

# They are drawn as what they are: pressure in cells, where these lie in the plane.
if command -v gnuplot >/dev/null; then
  wide=$(awk -F, 'NR > 1 && $2 > n { n = $2 } END { print n + 1 }' "$folder/cells.csv"); high=$(awk -F, 'NR > 1 && $3 > n { n = $3 } END { print n + 1 }' "$folder/cells.csv")
  run plot "$folder" -o p.svg --json; json 'the pressure of a step as a picture' kind=field status=solved
  holds 'of its cells' grep -q "pressure, $wide x $high points" p.svg
  run plot "$folder" -o p.svg --kind matrix --json; json 'or its matrix' kind=matrix
  cp -r "$folder" odd; sed -i '3d' odd/cells.csv; run plot odd -o q.svg; expect 'a row is missing' 3 'err=odd/cells.csv:3: expected the row 2'
  sed -i '2q' odd/cells.csv; run plot odd -o q.svg; expect 'most are' 3 'err=odd/cells.csv: 1 x 1 points with 1 unknowns, but A has'
  printf 'row,i,j,k\n1,0,\n' >odd/cells.csv; run plot odd -o q.svg; expect 'a line without an end' 3 'err=odd/cells.csv:2: expected the row 1'
  echo 'a,b' >odd/cells.csv; run plot odd -o q.svg; expect 'no cells' 3 'err=odd/cells.csv:1: expected the columns row,i,j,k'
  "$PERP" run falling-ball --size 8 --steps 1 --dump-problems deep -q; run plot deep/step0001_* -o q.svg --json; json 'in space there is no such picture' kind=matrix
fi

# Which cell a row is: rows that A couples are neighbours, and cells and pressures are the recorded ones.
coupled() {   # coupled FOLDER: all entries beside the diagonal are of cells that touch
  awk -F '[ ,]' 'NR == FNR { if (FNR > 1) { i[$1] = $2; j[$1] = $3; k[$1] = $4; seen[$2, $3, $4]++; cells++ } next }
    /^%/ { next } !size++ { if ($1 != cells) exit 1; next }
    function far(a, b) { return a > b ? a - b : b - a }
    $1 != $2 { pairs++; if (far(i[$1], i[$2]) + far(j[$1], j[$2]) + far(k[$1], k[$2]) != 1) exit 1 }
    END { for (c in seen) if (seen[c] > 1) exit 1; exit !(pairs > cells) }' "$1/cells.csv" "$1/A.mtx"
}
holds 'the map' coupled column/step0006_*
run run falling-ball --size 10 --steps 5 -o ball.perp --dump-problems ball; expect 'in space' 0; holds 'its map' coupled ball/step0005_*
run export ball.perp -o ball.csv --what cells --frame 5
holds 'has the recorded cells' cmp <(cut -d, -f2-4 ball/step0005_*/cells.csv | tail -n +2) <(cut -d, -f3-5 ball.csv | tail -n +2)

# Steps that are not solved are said.
run run dam-break-2d --size 24 --steps 3 --method pgs --iteration-limit 1 -o u.perp; expect 'unsolved steps' 1 'out=not all solved' 'err=steps were not solved'
holds 'are in the recording' test "$("$RECORD_INFO" u.perp unsolved | sort -un | tail -n 1)" -gt 0
finish
