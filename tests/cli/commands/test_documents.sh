# Manual pages, documentation and completion scripts: valid, and the committed ones up to date.
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"

run docs made; expect 'docs' 0
for page in made/*.md made/man/*.1; do
  name=${page#made/}
  if [ ! -e "$SOURCE/docs/$name" ]; then
    not_ok "docs/$name is committed" "make it with: cmake --build BUILD --target docs"
  elif why=$(diff -u "$SOURCE/docs/$name" "$page" | head -n 20) && [ -z "$why" ]; then
    ok "docs/$name is up to date"
  else
    not_ok "docs/$name is up to date" "refresh it with: cmake --build BUILD --target docs" "$why"
  fi
done
for page in "$SOURCE"/docs/man/*.1; do
  holds "docs/man/${page##*/} is still made" test -e "made/man/${page##*/}"
done
if command -v groff >/dev/null; then
  for page in made/man/*.1; do
    why=$(groff -man -Tutf8 -ww -z "$page" 2>&1)
    if [ -z "$why" ]; then ok "groff takes ${page##*/}"; else not_ok "groff takes ${page##*/}" "$why"; fi
  done
else
  echo 'ok - manual pages # skipped: no groff'
fi
run man; expect 'man' 0 'out=.TH PERP 1'
run man solve; expect 'man solve' 0 'out=.TH PERP\-SOLVE 1'

for shell in bash zsh fish; do
  run completion "$shell"; expect "completion $shell" 0 'out=solve'
  cp .out "$shell.txt"
  if command -v "$shell" >/dev/null; then holds "$shell takes it" "$shell" -n "$shell.txt"; fi
done
# offered LINE: what bash would offer after this line, the last word being incomplete
offered() {
  bash -c '. ./bash.txt; COMP_WORDS=('"$1"'); [ "${1: -1}" != " " ] || COMP_WORDS+=("");
           COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _perp; printf "%s\n" "${COMPREPLY[@]}"' bash "$1"
}
offers() {   # offers NAME LINE WORD
  if offered "$2" | grep -qx -e "$3"; then ok "$1"; else not_ok "$1" "$(offered "$2" | head -n 20)"; fi
}
offers 'bash completes commands' 'perp so' solve
offers 'and options' 'perp solve --sweep.o' --sweep.omega
offers 'and methods' 'perp solve --method pg' pgs
offers 'and choices' 'perp solve --sweep.order col' coloured
offers 'of every method that has the parameter' 'perp solve --krylov.preconditioner mi' mic
offers 'and linear solvers' 'perp solve --linear sparse' sparse_lu
offers 'and families' 'perp gen obst' obstacle
offers 'and their parameters' 'perp gen obstacle --si' --size
offers 'and pages' 'perp explain certi' certificate
offers 'and shells' 'perp completion zs' zsh
offers 'and kinds of options' 'perp option ca' call
offers 'and choices of a family' 'perp gen bricks --preset nb977' nb977_nc9534
mkdir folder; offers 'and files' 'perp solve fol' folder
finish
