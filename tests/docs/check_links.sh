#!/usr/bin/env bash
# check_links.sh ROOT: what the documents mention exists.
#
#   - every relative link of README.md, CONTRIBUTING.md, CHANGELOG.md, STYLE.md and docs/**/*.md leads to a file, and its
#     #fragment to a heading
#   - every path in `code` that begins with a folder of the repository exists
#   - docs/reading-order.md mentions every folder with sources
set -uo pipefail
cd "$1" || exit 1

bad=0
complain() {
  printf '%s\n' "$*"
  bad=$((bad + 1))
}

# has_heading FILE ANCHOR: one of its headings has this anchor, as web viewers make it.
declare -A anchors
has_heading() {
  if [ -z "${anchors[$1]:-}" ]; then
    anchors[$1]=$'\n'$(sed -n 's/^#\{1,6\} //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g')$'\n'
  fi
  [[ ${anchors[$1]} == *$'\n'"$2"$'\n'* ]]
}

mapfile -t documents < <(find README.md CONTRIBUTING.md CHANGELOG.md STYLE.md docs -name '*.md' 2>/dev/null | sort)
[ "${#documents[@]}" -ge 5 ] || complain "found only ${#documents[@]} documents"

links=0 paths=0
code_span=$'`[^`]+`'
for document in "${documents[@]}"; do
  folder=$(dirname "$document")
  prose=$(awk '/^ *```/ { code = !code; next } !code' "$document")   # without blocks of code
  while IFS= read -r target; do
    case $target in '' | http://* | https://* | mailto:*) continue ;; esac
    links=$((links + 1))
    file=${target%%#*} fragment=''
    [[ $target == *'#'* ]] && fragment=${target#*#}
    place=$document
    if [ -n "$file" ]; then place=$folder/$file; fi
    if [ ! -e "$place" ]; then
      complain "$document: the link $target leads nowhere"
    elif [ -n "$fragment" ] && ! has_heading "$place" "$fragment"; then
      complain "$document: $place has no heading #$fragment"
    fi
  done < <(grep -oE '\]\([^) ]+\)|href="[^"]+"' <<<"$prose" | sed 's/^](//; s/)$//; s/^href="//; s/"$//' | sort -u)

  # NAME, DIR and * stand for something else; build/ and out/ are made.
  while IFS= read -r path; do
    case $path in *NAME* | *DIR* | *NNN* | *'*'* | *' '*) continue ;; esac
    paths=$((paths + 1))
    [ -e "$path" ] || [ -e "$folder/$path" ] || complain "$document: there is no $path"
  done < <(grep -oE "$code_span" <<<"$prose" | tr -d '`' |
           grep -E '^(\./)?(include|src|cli|tests|bench|examples|docs|scripts|\.ci)/|^\./(run|test)$|^[A-Z]+\.md$' | sed 's/[.,;:]$//')
done
[ "$links" -ge 20 ] || complain "found only $links links"
[ "$paths" -ge 5 ] || complain "found only $paths paths"

for folder in */ src/*/ src/*/*/ sim/*/ cli/*/; do
  [ -n "$(find "$folder" -maxdepth 1 -name '*.[ch]' -print -quit)" ] || continue
  grep -qF "| \`$folder\` |" docs/reading-order.md || complain "docs/reading-order.md does not mention ${folder%/}"
done

if [ "$bad" -gt 0 ]; then
  echo "$bad complaints"
  exit 1
fi
echo "${#documents[@]} documents, $links links, $paths paths"
