#!/usr/bin/env bash
# The code in README.md and docs/*.md is extracted, built and run against the prefix.
#
#   ```c blocks with main()     programs: built and run; the file name is that of a first line `// NAME.c...`
#   those of a world or liquid  (they include its header) the body of a main(): built and run
#   other ```c blocks           fragments: compiled inside a function after snippets.h, which declares what they mention
#   ```sh blocks                run if every line is a call of `cc`; the test docs_examples runs those that call `perp`
# shellcheck source=tests/install/common.sh
. "$PERP_SOURCE/tests/install/common.sh"
need gcc pkg-config awk
scratch snippets
export LD_LIBRARY_PATH=$libdir

# Block k of a document becomes k.c or k.sh.
extract() {
  awk -v out="$1" '
    /^ *```(c|sh)$/ { kind = substr($1, 4); file = sprintf("%s/%02d.%s", out, ++count, kind); printf "" > file; next }
    /^ *```/        { if (kind != "") close(file); kind = ""; next }
    kind != ""      { print > file }' "$2"
}

programs=0 fragments=0 scripts=0
for document in README.md $(cd "$PERP_SOURCE" && ls docs/*.md); do
  out=$work/$(basename "$document" .md)
  mkdir -p "$out/run"
  extract "$out" "$PERP_SOURCE/$document"
  for block in "$out"/[0-9]*; do
    [ -e "$block" ] || continue
    case $block in
      *.c)
        if grep -q '^#include <perp/[cf]' "$block" && ! grep -q 'int main(' "$block"; then
          { grep '^#include' "$block"; echo 'int main(void) {'; grep -v '^#include' "$block"; echo '}'; } >"$out/body.c"
          mv "$out/body.c" "$block"
        fi
        if grep -q 'int main(' "$block"; then
          name=$(sed -n '1s|^// \([a-z_]*\.c\).*|\1|p' "$block")
          cp "$block" "$out/run/${name:-program.c}"
          libraries=(-lperp -lm)
          if grep -q 'perp/contact.h' "$block"; then libraries=(-lperp-contact "${libraries[@]}"); fi
          if grep -q 'perp/fluid.h' "$block"; then libraries=(-lperp-fluid "${libraries[@]}"); fi
          try gcc -std=c17 -Wall -Wextra -Wpedantic -Wno-unused -Werror "-I$PERP_PREFIX/include" "$block" "-L$libdir" "${libraries[@]}" -o "$out/program"
          try "$out/program"
          programs=$((programs + 1))
        else
          { cat "$here/snippets.h"; echo 'void snippet(void) {'; cat "$block"; echo '}'; } >"$out/fragment.c"
          try gcc -std=c17 -Wall -Wno-unused -Werror "-I$PERP_PREFIX/include" -c "$out/fragment.c" -o "$out/fragment.o"
          fragments=$((fragments + 1))
        fi ;;
      *.sh)
        if grep -vq '^cc ' "$block"; then continue; fi
        output=$(cd "$out/run" && bash -euo pipefail "$block" 2>&1) || die "failed: $(cat "$block")"$'\n'"$output"
        scripts=$((scripts + 1)) ;;
    esac
  done
done
echo "$programs programs, $fragments fragments, $scripts scripts"
[ "$programs" -ge 3 ] || die "only $programs programs were found"
[ "$scripts" -ge 2 ] || die "only $scripts scripts were found"
