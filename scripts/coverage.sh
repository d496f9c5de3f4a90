#!/usr/bin/env bash
# Line coverage of each folder of the libraries and the program; fails where it is below 85 %.
#
#   scripts/coverage.sh            builds with counters, runs the tests, reports
#   scripts/coverage.sh --report   reports on the counters that the last run left behind
#   scripts/coverage.sh --html     the same as the first, and writes build/asan/html/index.html
#
# The counters are in the build with the address sanitizer, to save the time of another build. That
# build is optimised a little, so some lines have no code of their own. Counters are not atomic,
# because atomic ones are slow: threads that count at the same time lose counts, but rarely all counts
# of a line.
#
# PERP_COVERAGE=N requires N per cent instead of 85.
set -euo pipefail
cd "$(dirname "$0")/.."

needed=${PERP_COVERAGE:-85}
build=build/asan
html=()
case ${1:-} in
  --report) ;;
  '' | --html)
    cmake --preset asan
    cmake --build --preset asan
    find "$build" -name '*.gcda' -delete
    ctest --preset asan -j "${PERP_JOBS:-$(nproc)}" -LE '^full$'
    if [ "${1:-}" = --html ]; then
      mkdir -p "$build/html"
      html=(--html-details "$build/html/index.html")
    fi
    ;;
  *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
esac

[ -n "$(find "$build" -name '*.gcno' -print -quit 2>/dev/null)" ] || {
  echo "$build has no counters; run scripts/coverage.sh without --report" >&2
  exit 1
}
# A program that ends amid a loop, by a signal, and threads that count at the same time leave counts
# that do not add up: such a line is left out, where gcovr would stop or, with several jobs, wait for
# ever. One job takes three seconds.
gcovr -j 1 --gcov-ignore-parse-errors --root . --filter 'src/' --filter 'sim/' --filter 'cli/' --filter 'experiments/' --exclude-unreachable-branches \
  --csv "$build/coverage.csv" "${html[@]}" "$build" >"$build/gcovr.log" 2>&1 || {
  tail -n 40 "$build/gcovr.log" >&2
  exit 1
}

# src/method/sweep/pgs.c belongs to src/method, sim/contact/step.c to sim/contact, cli/io/mtx.c to cli.
awk -F, -v needed="$needed" '
  NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
  {
    parts = split($column["filename"], part, "/")
    folder = ((part[1] == "src" || part[1] == "sim") && parts > 2) ? part[1] "/" part[2] : part[1]
    lines[folder] += $column["line_total"]
    covered[folder] += $column["line_covered"]
  }
  END {
    for (folder in lines) {
      if (lines[folder] == 0) continue
      percent = 100*covered[folder]/lines[folder]
      printf "%-16s %6d of %6d lines  %5.1f %%  %s\n", folder, covered[folder], lines[folder], percent,
        (percent >= needed ? "ok" : "LOW")
    }
  }' "$build/coverage.csv" | sort | tee "$build/folders.txt"
[ -s "$build/folders.txt" ] || { echo 'no lines were found' >&2; exit 1; }
if grep -q ' LOW$' "$build/folders.txt"; then
  echo "below $needed %: $(awk '/ LOW$/ { printf "%s%s", sep, $1; sep = ", " }' "$build/folders.txt")" >&2
  exit 1
fi
