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

libraries=(src sim/contact sim/kit sim/fluid sim/american)
forbid 'numbers depend on the locale; use plain_print() and plain_number() of src/text/plain.h:' \
       '(^|[^_a-z])(v?s?n?printf|v?sn?printf|sscanf|strto(d|f|ld)|atof|localeconv)\(' "${libraries[@]}"
forbid 'a library does not choose the locale:' '(^|[^_a-z])setlocale\(' "${libraries[@]}"
forbid 'the program reads and writes numbers in the locale "C", in which it starts:' \
       '(^|[^_a-z])setlocale\(' cli sim backend

names='([sS][yY][mM][mM]|[sS][kK][eE][wW])'
found=$(grep -rnE --include='*.c' --include='*.h' --exclude=symmetry.h \
             "^[^/]*($names.*[0-9]e-[0-9]|[0-9]e-[0-9].*$names)" src)
[ -z "$found" ] || { printf 'how much asymmetry is allowed stands in src/operator/symmetry.h:\n%s\n' "$found"; bad=1; }

# A backend is built as a library of somebody else is: it includes public headers, headers of its own
# folder, and those of other libraries.
internal=$(find src sim cli experiments bench tests -name '*.h' -printf '%f\n')
while IFS=: read -r file line name; do
  [[ $name =~ ^perp/[a-z]+\.h$ ]] && [ -f "include/$name" ] && continue
  [ -f "${file%/*}/${name##*/}" ] && continue
  grep -qxF "${name##*/}" <<<"$internal" || continue
  echo "$file:$line includes $name: a backend sees the public headers only"
  bad=1
done < <(grep -rnE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include' backend |
           sed -E 's/^([^:]*:[0-9]*):[^<"]*[<"]([^>"]*).*/\1:\2/')

# Sources name a header without its folder, so a name stands for one header. A folder with more
# files than anybody can look through is split.
twice=$(find include src sim cli experiments backend bench tests -name '*.h' -printf '%f\n' | sort | uniq -d)
[ -z "$twice" ] || { echo "several headers have one name: $twice"; bad=1; }
most=30
while read -r count folder; do
  [ "$count" -le $most ] || { echo "$folder has $count files, more than $most: make rooms in it"; bad=1; }
done < <(find include src sim cli experiments backend bench tests viewer/src scripts -type f \
           -not -path 'bench/results/*' -not -path '*/seeds/*' -printf '%h\n' | sort | uniq -c)
exit $bad
