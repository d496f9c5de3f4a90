#!/usr/bin/env bash
# Makes the player: one HTML page with everything in it, and the same as an array for C.
#
#   viewer/bundle.sh DIR OUT       DIR is that of fetch.sh; writes OUT.html and OUT.c
#
# The licences of three and uPlot stay in the page as comments.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "${1:?usage: viewer/bundle.sh DIR OUT}" && pwd)
out=${2:?usage: viewer/bundle.sh DIR OUT}
modules=$folder/node_modules
if [ -x "$modules/.bin/esbuild" ]; then esbuild=$modules/.bin/esbuild; else esbuild=esbuild; fi

licences() {
  local name version
  for name in three uplot; do
    version=$(sed -n 's/^ *"version": "\(.*\)",*$/\1/p' "$modules/$name/package.json" | head -n 1)
    printf '/*! This page contains %s %s:\n\n' "$name" "$version"
    cat "$modules/$name/LICENSE"
    printf '\n*/\n'
  done
}

NODE_PATH=$modules "$esbuild" "$here/src/main.js" --bundle --minify --format=iife --target=es2022 \
  --charset=utf8 --legal-comments=none --log-level=warning --outfile="$out.js"
licences >"$out.licences"

# A line that is nothing but a mark is replaced by the file of that name.
awk -v style="$out.css" -v script="$out.js" -v licences="$out.licences" '
  function copy(file,   line) { while ((getline line < file) > 0) print line; close(file) }
  $0 == "/*style*/" { copy(style); next }
  $0 == "/*script*/" { copy(script); next }
  $0 == "/*licences*/" { copy(licences); next }
  { print }' "$here/src/page.html" >"$out.html"

{
  echo '// Made by viewer/bundle.sh.'
  echo '#include "page.h"'
  echo 'const unsigned char player_page[] = {'
  od -An -v -tu1 -w40 "$out.html" | sed 's/^ *//; s/  */,/g; s/$/,/'
  echo '};'
  echo 'const size_t player_page_length = sizeof player_page;'
  echo 'const char player_missing[] = "";'
} >"$out.c"
rm -f "$out.js" "$out.css" "$out.licences"
