#!/usr/bin/env bash
# check_sources.sh ROOT: rules of the source that no compiler checks.
set -uo pipefail
cd "$1" || exit 1
bad=0

# forbid WHY PATTERN PATH...: no line of these sources matches.
forbid() {
  local why=$1 pattern=$2 found
  shift 2
  found=$(grep -rnE --include='*.c' --include='*.h' --exclude=plain.h "$pattern" "$@")
  case $? in
    0) printf '%s\n%s\n' "$why" "$found"; bad=1 ;;
    1) ;;
    *) echo "grep failed in $*"; bad=1 ;;
  esac
}

libraries=(src sim/contact sim/crew sim/fluid sim/option)
forbid 'numbers depend on the locale; use plain_print() and plain_number() of src/text/plain.h:' \
       '(^|[^_a-z])(v?s?n?printf|v?sn?printf|sscanf|strto(d|f|ld)|atof|localeconv)\(' "${libraries[@]}"
forbid 'a library does not choose the locale:' '(^|[^_a-z])setlocale\(' "${libraries[@]}"
forbid 'the program reads and writes numbers in the locale "C", in which it starts:' \
       '(^|[^_a-z])setlocale\(' cli sim backend
exit $bad
