# tap.sh: what the test scripts share. Each case prints "ok - name" or "not ok - name" with the reason.
# Expects PERP (the program), JSON_CHECK, TERMINAL and SOURCE (the repository) in the environment.
# shellcheck shell=bash
set -u
# Started in the background or by nohup, a shell ignores SIGINT for good, and so do its children:
# those that test Ctrl-C would wait for ever. Begin again with the signals as they should be.
if [ -z "${PERP_SIGNALS-}" ] && env --default-signal=INT true 2>/dev/null; then
  PERP_SIGNALS=default exec env --default-signal=INT,HUP,TERM bash "$0" "$@"
fi
unset NO_COLOR
export LC_ALL=C TERM=xterm COLUMNS=80
work=$(mktemp -d "${TMPDIR:-/tmp}/perp-cli.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
failures=0

ok() { printf 'ok - %s\n' "$1"; }
not_ok() {
  printf 'not ok - %s\n' "$1"
  shift
  [ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/#   /'
  failures=$((failures + 1))
}
finish() { [ "$failures" -eq 0 ] || exit 1; }

# png FILE 'EXPRESSION': whether it holds for the picture; kit/png.py says what it may name.
png() { python3 "$SOURCE/tests/cli/kit/png.py" "$@"; }

# run ARGUMENT...: perp with these; leaves $code, $out, $err and the files out and err.
run() {
  "$PERP" "$@" >"$work/.out" 2>"$work/.err" </dev/null
  code=$?
  out=$(<"$work/.out")
  err=$(<"$work/.err")
}

# expect NAME CODE [out=TEXT | err=TEXT | out!=TEXT | err!=TEXT]...: judges the last run.
expect() {
  local name=$1 wanted=$2 test
  shift 2
  if [ "$code" -ne "$wanted" ]; then
    not_ok "$name" "exit status $code, expected $wanted" "$out" "$err"
    return 1
  fi
  for test in "$@"; do
    case $test in
      out=*) [[ $out == *"${test#out=}"* ]] ;;
      err=*) [[ $err == *"${test#err=}"* ]] ;;
      'out!='*) [[ $out != *"${test#out!=}"* ]] ;;
      'err!='*) [[ $err != *"${test#err!=}"* ]] ;;
    esac || {
      not_ok "$name" "$test does not hold" "$out" "$err"
      return 1
    }
  done
  ok "$name"
}

# silent NAME: the last run said nothing on stderr.
silent() { if [ -z "$err" ]; then ok "$1"; else not_ok "$1" "$err"; fi; }

# json NAME [KEY=VALUE]...: the last run's stdout is one JSON object with these members.
json() {
  local name=$1 why
  shift
  if why=$("$JSON_CHECK" "$@" <"$work/.out" 2>&1); then ok "$name"; else not_ok "$name" "$why" "$out"; fi
}

# holds NAME COMMAND...: the command succeeds.
holds() {
  local name=$1 why
  shift
  if why=$("$@" 2>&1); then ok "$name"; else not_ok "$name" "$* failed" "$why"; fi
}

# narrow NAME: no line of the last run's stdout is wider than 80 columns.
narrow() {
  local wide
  wide=$(awk 'length($0) > 80' "$work/.out")
  if [ -z "$wide" ]; then ok "$1"; else not_ok "$1" "$wide"; fi
}

# matrix FILE ROWS COLUMNS VALUE...: a dense matrix, column by column.
matrix() {
  local file=$1 rows=$2 columns=$3
  shift 3
  { printf '%%%%MatrixMarket matrix array real general\n%d %d\n' "$rows" "$columns"; printf '%s\n' "$@"; } >"$file"
}

# tiny DIR: A = [2 1; 1 2], b = (-1, 1): x = (0.5, 0), y = (0, 1.5).
tiny() {
  mkdir -p "$1"
  matrix "$1/A.mtx" 2 2 2 1 1 2
  matrix "$1/b.mtx" 2 1 -1 1
}

# leftovers NAME [DIR]: no temporary file is left behind.
leftovers() {
  local found
  found=$(find "${2:-.}" -name '*perp-*' -o -name '*.tmp*' -o -name '.*.mtx*' | head -n 5)
  if [ -z "$found" ]; then ok "$1"; else not_ok "$1" "$found"; fi
}
