# Files that unpack to far more than they are, streams without an end, and claims of great sizes: they
# are refused, and the memory that it takes stays below 64 MB plus twice the file.
# cost: 9
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
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
rm -f bomb.perp
finish
