#!/usr/bin/env bash
# check_front.sh ROOT: the front page stays short, and the map leads to every page.
#
#   - README.md has at most 700 words, code included, and links docs/index.md
#   - docs/index.md links every page of docs/, and the README.md of every folder there that has pages
#   - perp/version.h, the newest section of CHANGELOG.md and CITATION.cff have one version
#   - CHANGELOG.md has one line of at most 220 bytes per entry
set -uo pipefail
cd "$1" || exit 1

bad=0
complain() {
  printf '%s\n' "$*"
  bad=$((bad + 1))
}
links() { grep -oE '\]\([^) #]+' "$1" | sed 's/^](//'; }   # links FILE: their targets, without #fragments

words=$(wc -w <README.md)
[ "$words" -le 700 ] || complain "README.md has $words words; 700 are allowed, and the rest belongs into docs/"
links README.md | grep -qxF docs/index.md || complain 'README.md does not link docs/index.md'

mapfile -t pages < <(find docs -maxdepth 1 -name '*.md' ! -name index.md -printf '%f\n' | sort
                     find docs -mindepth 2 -name '*.md' -printf '%P\n' | sed 's|/.*|/README.md|' | sort -u)
[ "${#pages[@]}" -ge 20 ] || complain "found only ${#pages[@]} pages in docs/"
for page in "${pages[@]}"; do
  links docs/index.md | grep -qxF "$page" || complain "docs/index.md does not link $page"
done

version=$(sed -n 's/^#define PERP_VERSION_STRING "\(.*\)"$/\1/p' include/perp/version.h)
newest=$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)
[ "$newest" = "$version" ] || complain "the newest section of CHANGELOG.md is $newest, the version is $version"
parts=$(awk '/^#define PERP_VERSION_(MAJOR|MINOR|PATCH) / { printf "%s%s", dot, $3; dot = "." }' include/perp/version.h)
[ "$parts" = "$version" ] || complain "perp/version.h: the numbers are $parts, the text is $version"
grep -qxF "version: $version" CITATION.cff || complain "CITATION.cff does not have version $version"
while IFS= read -r line; do
  complain "CHANGELOG.md: not one short line: ${line:0:60}"
done < <(LC_ALL=C awk '/^ / || (/^- / && length > 220)' CHANGELOG.md)

echo "README.md: $words words; docs/index.md: ${#pages[@]} pages"
[ "$bad" -eq 0 ]
