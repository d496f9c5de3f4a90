# Files that unpack to far more than they are, streams without an end, and claims of great sizes: they
# are refused, and the memory that it takes stays below 64 MB plus twice the file.
# cost: 9
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
room=65536   # kB
# Sanitizers need memory of their own.
"$PEAK" plain "$PERP" --version >/dev/null; base=$(<plain); [ "$base" -lt 30000 ] || room=$((room + base + 400000))

# small NAME CODE FILE ARGUMENT...: perp ends with that code, and within its room.
small() {
  local name=$1 wanted=$2 file=$3 peak most
  shift 3
  "$PEAK" peak timeout 60 "$PERP" "$@" >"$work/.out" 2>"$work/.err" </dev/null
  code=$? out=$(<"$work/.out") err=$(<"$work/.err") peak=$(<peak)
  most=$((room + 2*$(stat -c %s "$file")/1024))
  expect "$name" "$wanted"
  if [ "$peak" -le "$most" ]; then ok "in $peak of $most kB"; else not_ok "$name: memory" "$peak kB, more than $most kB" "$err"; fi
}

# Recordings.
"$RECORD_SAMPLE" a.perp 20 && "$RECORD_SWIRL" l.perp >/dev/null 2>&1
run run box --balls 4 --steps 200 -o s.perp -q; expect 'a recording with states' 0
for bomb in 'HEAD 100' 'HEAD 2' 'FRAM 100' 'STEP 100' 'LAST 100'; do
  # shellcheck disable=SC2086
  "$RECORD_FORGE" a.perp bomb.perp $bomb || exit 99
  small "a recording: $bomb" 3 bomb.perp export bomb.perp -o x.csv --frame 1
  small 'resumed' 3 bomb.perp run --resume bomb.perp
  small 'overwritten' 2 bomb.perp run box --steps 1 -o bomb.perp
  run view bomb.perp -o x.html; [ "$code" -eq 5 ] || small 'viewed' 3 bomb.perp view bomb.perp -o x.html
done
for bomb in 'FLOW 100' 'GRID 100' 'STEP 100'; do
  # shellcheck disable=SC2086
  "$RECORD_FORGE" l.perp bomb.perp $bomb || exit 99
  small "of a liquid: $bomb" 3 bomb.perp export bomb.perp -o x.csv --frame 1
done
"$RECORD_FORGE" s.perp bomb.perp SAVE 100 10 || exit 99
small 'states of 1 GB' 3 bomb.perp run --resume bomb.perp; expect 'are not those of the scene' 3 'err=this scene has one of at most'
small 'nor is it made longer' 3 bomb.perp run --resume bomb.perp --steps 300
# A header that names a large scene is compared with that scene before a world is made of it.
for words in 'box --balls 100000 --width 10000 --height 10000' 'hollow-sphere --spheres 20000' 'wall --bricks 10000' 'dam-break-3d --size 192' 'dam-break-2d --size 2000'; do
  "$RECORD_FORGE" s.perp bomb.perp arguments "$words" || exit 99
  small "a header that names $words" 3 bomb.perp run --resume bomb.perp; expect 'is not that scene' 3 'err=its scene is not what'
  small 'nor is it made longer' 3 bomb.perp run --resume bomb.perp --steps 300
done
# Nor does a header make perp write elsewhere.
for words in 'box --balls 4 --steps 200 --dump-problems stolen' 'box --balls 4 --steps 200 --output stolen --force'; do
  "$RECORD_FORGE" s.perp bomb.perp arguments "$words" || exit 99
  run run --resume bomb.perp; expect "a header with $words" 3; holds 'writes nothing' test ! -e stolen
done
# What is wrong with the options of a header is said of the file; what is wrong with one's own is not.
while IFS='|' read -r words message; do
  "$RECORD_FORGE" s.perp bomb.perp arguments "$words" || exit 99
  run run --resume bomb.perp; expect "a header with $words" 3 "err=perp run: bomb.perp: the header: $message"
  run run --resume bomb.perp --json; json 'as JSON' status=error exit_code=3
done <<'END'
box --balls -4 --steps 200|--balls = -4 is outside [0, 100000]
box --balls 4 --steps 1e9|--steps = 1e9 is outside [0, 100000000]
box --balls 4 --width 0.01|--balls = 4 is outside [0, 0]
box --balls 4 --tol 7|--tol = 7 is outside (0, 1)
box --balls 4 --every 0|--every = 0 is outside [1, 65536]
box --balls 4 --directions 1|--directions = 1 is outside [3, 64]
box --balls 4 --seed x|--seed = x is not a whole number
box --method nosuch|there is no method 'nosuch'
box --nosuch 1|unknown option '--nosuch'
box --steps|option '--steps' needs a value
nosuch|there is no scene 'nosuch'
dam-break-2d --size 1|--size = 1 is outside [4, 2048]
END
# What plays, draws or exports a recording takes its numbers from the header.
for fault in dt=-1 dt=0 every=0 steps=-1 'dimension=7' 'bodies=[]' 'tol="x"'; do
  "$RECORD_FORGE" s.perp bomb.perp set "$fault" || exit 99
  for command in 'view bomb.perp -o x.html' 'render bomb.perp -o x.png' 'export bomb.perp -o x.csv --frame 1' 'plot bomb.perp -o x.svg' 'run --resume bomb.perp'; do
    # shellcheck disable=SC2086
    run $command; [ "$code" -eq 5 ] || expect "$fault: $command" 3 'err=bomb.perp: '
  done
done
cp s.perp bomb.perp
for own in '--threads 0' '--save-every -1' '--steps 100' '--steps x'; do
  # shellcheck disable=SC2086
  run run --resume bomb.perp $own; expect "with $own" 2 "err=perp run: ${own% *} = ${own#* } is " 'err!=header'
  holds 'it stays as it is' cmp -s s.perp bomb.perp
done
rm -f bomb.perp

# Matrix Market: comments, lines, blanks and entries without an end.
tiny p
head='%%MatrixMarket matrix coordinate real general'
# Under sanitizers the room is larger than any of these, so a tenth shows the same steps.
megabytes=300; if [ -n "${PERP_BRIEF_TESTS-}" ]; then megabytes=30; fi
filled() { head -c "${megabytes}000000" /dev/zero | tr '\0' "$1"; }   # many times one character
{ echo "$head"; printf '%% '; filled c; printf '\n2 2 1\n1 1 1\n'; } | gzip -1 >comment.mtx.gz
{ echo "$head"; filled '\n'; printf '2 2 1\n1 1 1\n'; } | gzip -1 >blank.mtx.gz
{ echo "$head"; printf '2 2 1\n1 1 '; filled 0; } | gzip -1 >line.mtx.gz
{ echo "$head"; printf '2 2 1\n1 1 1\n'; filled '\n'; } | gzip -1 >tail.mtx.gz
{ echo "$head"; entries=$((megabytes*400000/3)); printf '20000 20000 %s\n' $entries; yes '1 1 0' | head -n $entries; } | gzip -1 >entries.mtx.gz
filled c | gzip -1 >no.mtx.gz
for bomb in comment blank line tail entries no; do
  small "a matrix: $bomb" 3 $bomb.mtx.gz solve -A $bomb.mtx.gz -b p/b.mtx
done
small 'a matrix without an end' 3 /dev/null solve -A /dev/zero -b p/b.mtx
expect 'is refused for its first line' 3 'err=/dev/zero:1:1: expected'
small 'a vector without an end' 3 /dev/null solve -A p/A.mtx -b /dev/zero
small 'a recording without an end' 3 /dev/null export /dev/zero -o x.csv
printf '%s\n2147483647 2147483647 2147483647\n1 1 1\n' "$head" >claim.mtx
small 'a matrix that claims too much' 3 claim.mtx solve -A claim.mtx -b p/b.mtx
filled x | gzip -1 >t.csv.gz; run plot t.csv.gz -o t.svg; [ "$code" -eq 5 ] || small 'a table' 3 t.csv.gz plot t.csv.gz -o t.svg
# Honest ones pass: a matrix that packs well, and a long one from a pipe.
"$PERP" gen obstacle --size 400 -o wide --gz >/dev/null && run classify wide; expect 'a packed problem' 0
gzip -dc wide/A.mtx.gz | "$PERP" classify -A - -b wide/b.mtx.gz >/dev/null; holds 'a matrix from a pipe' test $? -eq 0
finish
