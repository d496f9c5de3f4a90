# Examples that show a time limit succeed: those of the help and those of the documents.
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"

run docs made; expect 'docs' 0
run gen obstacle -o demo; expect 'a problem for the examples' 0
examples=$(cat made/commands.md "$SOURCE"/README.md "$SOURCE"/docs/*.md |
           grep -o '`perp [^`]*--time-limit [^`]*`\|^ *perp [^|#]*--time-limit [^|#]*' |
           grep -v 'TIME' | tr -d '`' | sed 's/^ *//; s/ *$//' | sort -u)
count=0
while read -r program arguments; do
  [ "$program" = perp ] || continue
  count=$((count + 1))
  for _ in 1 2 3; do   # somebody else may have the processor for a while
    # shellcheck disable=SC2086
    run $arguments
    [ "$code" -ne 0 ] || break
  done
  expect "perp $arguments" 0
done <<<"$examples"
if [ "$count" -ge 2 ]; then ok "$count examples"; else not_ok 'there are examples' "$examples"; fi

# a limit far above what a step takes leaves nothing unsolved and nothing late by much
run run stack --boxes 20 --steps 20 --time-limit 2s --json
expect 'a long limit' 0 'out="late": 0'
finish
