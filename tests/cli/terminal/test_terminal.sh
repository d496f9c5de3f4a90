# On a terminal: colour unless NO_COLOR, and a live line while solving.
# cost: 5
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
tiny p
escape=$'\033['

shown() { out=$("$TERMINAL" "$@" </dev/null); code=$?; err=''; }

shown "$PERP" solve p
if [ "$code" -eq 77 ]; then
  echo 'ok - terminal # skipped: no pseudo terminal'
  exit 0
fi
expect 'colour on a terminal' 0 "out=${escape}32msolved"
shown env NO_COLOR=1 "$PERP" solve p; expect 'NO_COLOR' 0 "out!=$escape" 'out=solved'
shown env TERM=dumb "$PERP" solve p; expect 'a dumb terminal' 0 "out!=$escape" 'out=solved'
shown "$PERP" solve p --no-color; expect '--no-color' 0 "out!=$escape" 'out=solved'
shown "$PERP" solve --help; expect 'bold headings' 0 "out=${escape}1m"
run solve p; expect 'no colour in a pipe' 0 "out!=$escape"

"$PERP" gen obstacle --size 250 -o o >/dev/null || exit 99
shown "$PERP" solve o -m pgs --tol 1e-14 --time-limit 1500ms
expect 'a live line' 1 $'out=\r\033[Kiteration ' 'out= left' 'out=time limit'
PERP_COLUMNS=40 shown "$PERP" solve o -m pgs --tol 1e-14 --time-limit 1500ms
widest() { printf '%s' "$out" | tr '\r' '\n' | sed -n 's/^.\[K\(iteration .*\)/\1/p' | awk '{ if (length($0) > n) n = length($0) } END { print n + 0 }'; }
holds 'on a narrow terminal it does not wrap' test "$(widest)" = 39
shown "$PERP" solve o -m pgs --tol 1e-14 --time-limit 500ms --quiet
expect '--quiet has none' 1 $'out!=\r\033[Kiteration '
run solve o -m pgs --tol 1e-14 --time-limit 1500ms --progress
expect 'plain lines in a pipe' 1 'err=iteration ' "err!=$escape"
"$PERP" run box --steps 1 -o a.perp -q; head -c -10 a.perp >cut.perp
# Messages fit the terminal, whatever its width; in a pipe they are one line.
for columns in 40 80 132; do
  PERP_COLUMNS=$columns shown "$PERP" run box -o cut.perp
  holds "a message at $columns columns" test "$(printf '%s' "$out" | tr -d '\r' | awk '{ if (length($0) > n) n = length($0) } END { print n + 0 }')" -le "$columns"
  lines=$(printf '%s\n' "$out" | wc -l)
  holds 'takes as many lines as it needs' test "$((columns < 100))" = "$((lines > 1))"
done
PERP_COLUMNS=60 shown "$PERP" run box -o cut.perp; expect 'a command in it' 2 "out='perp run --resume cut.perp'"
run run no-such-scene; holds 'one line in a pipe' test "$(wc -l <.err)" = 1
run solve o -m pgs --tol 1e-14 --time-limit 1200ms; silent 'no progress in a pipe unless asked'
finish
