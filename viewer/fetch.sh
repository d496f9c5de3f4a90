#!/usr/bin/env bash
# Puts three and uPlot, as package-lock.json pins them, into DIR/node_modules.
#
#   viewer/fetch.sh DIR [curl|npm [FROM]]
#
# FROM is the folder of another package-lock.json, such as that of a test. With curl the archives
# that are no tools of development are fetched and compared with the check sums of the lock file; the
# bundler, esbuild, must be installed. npm brings its own. The default is curl where both curl and
# esbuild are, otherwise npm. What is there already is not fetched again. Exit status 5: a tool is
# missing, 6: it could not be fetched.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
from=${3:-$here}
lock=$from/package-lock.json
folder=${1:?usage: viewer/fetch.sh DIR [curl|npm [FROM]]}
way=${2:-}
has() { command -v "$1" >/dev/null; }

if [ -z "$way" ]; then
  if has curl && has esbuild; then way=curl
  elif has npm; then way=npm
  else echo 'neither curl and esbuild nor npm is here'; exit 5
  fi
fi
mkdir -p "$folder" || exit 6
cmp -s "$lock" "$folder/fetched-$way" && exit 0

# locked NAME KEY: the value of a key of a package in the lock file.
locked() {
  awk -F'"' -v name="node_modules/$1" -v key="$2" '
    $2 == name { inside = 1 }
    inside && $2 == key { print $4; exit }' "$lock"
}

# The packages that are no tools: a line each.
packages() {
  awk -F'"' '
    $2 ~ /^node_modules\// { name = substr($2, 14); tool = 0 }
    name && $2 == "dev" { tool = 1 }
    name && /^    }/ { if (!tool) print name; name = "" }' "$lock"
}

# take NAME: one archive, checked before it is unpacked.
take() {
  local name=$1 archive sum wanted words
  archive=$(mktemp "$folder/$name.XXXXXX") || return 6
  wanted=$(locked "$name" integrity | sed 's/^sha512-//' | base64 -d | od -An -v -tx1 | tr -d ' \n')
  if ! words=$(curl -sS -f -L --retry 1 --connect-timeout 10 --max-time 120 -o "$archive" \
      "$(locked "$name" resolved)" 2>&1); then
    echo "$name could not be fetched (${words##*$'\n'})"
    rm -f "$archive"
    return 6
  fi
  sum=$(sha512sum <"$archive" | cut -d' ' -f1)
  if [ "$sum" != "$wanted" ]; then
    echo "$name: the check sum is $sum, not $wanted"
    rm -f "$archive"
    return 6
  fi
  rm -rf "${folder:?}/node_modules/$name"
  mkdir -p "$folder/node_modules/$name" &&
    tar -xzf "$archive" -C "$folder/node_modules/$name" --strip-components=1 --no-same-owner
  local status=$?
  rm -f "$archive"
  return "$status"
}

rm -f "$folder"/fetched-*
case $way in
  curl) for name in $(packages); do take "$name" || exit 6; done ;;
  npm)
    cp "$from/package.json" "$lock" "$folder/" &&
      (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) || exit 6
    ;;
  *) echo "'$way' is neither curl nor npm"; exit 2 ;;
esac
cp "$lock" "$folder/fetched-$way"
