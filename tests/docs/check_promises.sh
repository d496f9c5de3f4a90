#!/usr/bin/env bash
# check_promises.sh SOURCE BUILD: every row of docs/promises.md names a test, and every test that it
# names exists in this build.
set -uo pipefail
page=$1/docs/promises.md
mapfile -t known < <(cd "$2" && ctest -N | sed -n 's/^ *Test *#[0-9]*: //p')
declare -A exists
for one in "${known[@]}"; do exists[$one]=1; done
bad=0 rows=0
complain() {
  printf '%s\n' "$*"
  bad=$((bad + 1))
}
[ "${#known[@]}" -ge 100 ] || complain "ctest knows only ${#known[@]} tests"
while IFS= read -r row; do
  rows=$((rows + 1))
  holders=$(awk -F ' [|] ' '{ sub(/ *[|] *$/, "", $NF); print $NF }' <<<"$row" | grep -oE '`[^`]+`' | tr -d '`')
  [ -n "$holders" ] || complain "no test holds: $row"
  for one in $holders; do
    [ -n "${exists[$one]:-}" ] || complain "there is no test $one: $row"
  done
done < <(grep -E '^\| ' "$page" | grep -vE '^\| promise ')
[ "$rows" -ge 20 ] || complain "found only $rows promises"
[ "$bad" -eq 0 ] && echo "$rows promises"
