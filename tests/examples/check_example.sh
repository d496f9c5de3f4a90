#!/usr/bin/env bash
# check_example.sh PROGRAM SOURCE: runs an example; its output must contain, in order, what the source expects.
set -uo pipefail
program=$1 source=$2

output=$("$program" 2>/dev/null)
code=$?
if [ "$code" -ne 0 ]; then
  echo "$program ended with code $code"
  printf '%s\n' "$output"
  exit 1
fi
mapfile -t expected < <(sed -n 's|^// expect: ||p' "$source")
if [ "${#expected[@]}" -eq 0 ]; then
  echo "$source expects nothing: add a line '// expect: ...'"
  exit 1
fi

next=0
while IFS= read -r line; do
  if [ "$next" -lt "${#expected[@]}" ] && [[ $line == *"${expected[$next]}"* ]]; then next=$((next + 1)); fi
done <<<"$output"
if [ "$next" -lt "${#expected[@]}" ]; then
  echo "missing: ${expected[$next]}"
  echo 'the output was:'
  printf '%s\n' "$output"
  exit 1
fi
