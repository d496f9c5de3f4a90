# Examples that show a time limit succeed: those of the help and those of the documents.
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"

run docs made; expect 'docs' 0
run gen obstacle -o demo; expect 'a problem for the examples' 0
examples=$(cat made/commands.md "$SOURCE"/README.md "$SOURCE"/docs/*.md |
           grep -o '`perp [^`]*--time-limit [^`]*`\|^ *perp [^|#]*--time-limit [^|#]*' |
           grep -v 'TIME' | tr -d '`' | sed 's/^ *//; s/ *$//' | sort -u)

# seconds_without ARGUMENT...: what one solve, or the first five steps of a scene, take now without the
# limit. Later steps say nothing: bodies that rest are asleep.
seconds_without() {
  local words=() word skip=0
  for word in "$@"; do
    case $skip$word in 0--time-limit) skip=1 ;; 0--json) ;; 0*) words+=("$word") ;; *) skip=0 ;; esac
  done
  if [ "$1" = run ]; then words+=(--steps 5); fi
  run "${words[@]}" --json
  printf '%s\n' "$out" | awk -F'[:,]' '/"seconds"/ { print $2 }'
}

count=0
while read -r program arguments; do
  [ "$program" = perp ] || continue
  count=$((count + 1))
  given=$(printf '%s\n' "$arguments" | sed 's/.*--time-limit \([^ ]*\).*/\1/')
  limit=$given
  # Somebody else may have the processor for a while. So a limit that fails is tried again as it is, and
  # then in the measure of this moment: three times what it takes now without one.
  for try in 1 2 3 4 5 6; do
    # shellcheck disable=SC2086
    run ${arguments/--time-limit $given/--time-limit $limit}
    [ "$code" -ne 0 ] || break
    # shellcheck disable=SC2086
    [ $try -lt 3 ] || limit=$(seconds_without $arguments | awk '{ printf "%.6fs", 3*$1 }')
  done
  expect "perp $arguments (with $limit)" 0
  # The example's own limit has to be longer than what it needs, but for sanitizers, which take longer.
  # shellcheck disable=SC2086
  if [ "$limit" != "$given" ] && [ -z "${SANITIZED-}" ]; then
    least=$(for try in 1 2 3 4 5; do seconds_without $arguments; done | sort -g | head -n 1)
    holds "its limit of $given is not too short" awk -v least="$least" -v given="$given" \
      -v steps="$([[ $arguments == run* ]] && echo 5 || echo 1)" \
      'BEGIN { sub(/s$/, "", given); if (sub(/m$/, "", given)) given /= 1000; exit !(least/steps < given) }'
  fi
done <<<"$examples"
if [ "$count" -ge 2 ]; then ok "$count examples"; else not_ok 'there are examples' "$examples"; fi

# a limit far above what a step takes leaves nothing unsolved and nothing late by much
run run stack --boxes 20 --steps 20 --time-limit 20s --json
expect 'a long limit' 0 'out="late": 0'
finish
