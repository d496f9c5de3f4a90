#!/usr/bin/env bash
# check_headers.sh ROOT: the public headers follow the pattern of docs/decisions/036.
#
#   - what has X_create has X_destroy, and X_step or X_solve; X_save and X_load come together; X_step returns an
#     X_report, and X_last returns it again
#   - perp_last_message() is the only function with the text of an error
#   - a struct that has a `size` begins with it; every struct that comes from X_defaults() or a perp_default_X() has one
#   - a short name of a paper is expanded in the first comment of each header that uses it
set -uo pipefail
cd "$1" || exit 1

bad=0
complain() {
  printf '%s\n' "$*"
  bad=$((bad + 1))
}

mapfile -t functions < <(cat include/perp/*.h | sed 's|//.*||' |
                         grep -oE '^[a-z][a-z0-9_ ]* \**perp_[a-z0-9_]+\(' | grep -oE 'perp_[a-z0-9_]+\(' | tr -d '(' | sort -u)
has() { printf '%s\n' "${functions[@]}" | grep -qxE "$1"; }   # has PATTERN: a function of that name

created=0
for name in "${functions[@]}"; do
  case $name in
    *_create)
      created=$((created + 1)) thing=${name%_create}
      has "${thing}_destroy" || complain "$name() has no ${thing}_destroy()"
      # perp_solver_create makes what perp_solve solves with
      has "${thing}_(step|solve)" || has "${thing%r}" || complain "$name() has no ${thing}_step() or _solve()"
      ;;
    *_destroy) has "${name%_destroy}_create" || complain "$name() has no ${name%_destroy}_create()" ;;
    *_save) has "${name%_save}_load" || complain "$name() has no ${name%_save}_load()" ;;
    *_load) has "${name%_load}_save" || complain "$name() has no ${name%_load}_save()" ;;
    *_step)
      thing=${name%_step}
      has "${thing}_last" || complain "$name() has no ${thing}_last()"
      grep -qE "^perp_error $name\(.*${thing}_report \*report\)" include/perp/*.h ||
        complain "$name() does not return a ${thing}_report"
      ;;
    perp_last_message) ;;
    *_message*) complain "$name(): the text of every error is in perp_last_message()" ;;
  esac
done
[ "$created" -ge 3 ] || complain "found only $created functions to create something"

guarded=0
while read -r struct first; do   # structs with a size, and their first member
  guarded=$((guarded + 1))
  [ "$first" = size ] || complain "$struct does not begin with its size, but with $first"
done < <(awk '/^typedef struct perp_[a-z_]+ \{|^struct perp_[a-z_]+ \{/ { struct = $0; sub(/ \{.*/, "", struct); sub(/.* /, "", struct); first = "" }
              struct && /^  [a-z].*;/ {
                member = $0; sub(/;.*/, "", member); sub(/.*[ *]/, "", member)
                if (first == "") first = member
                if ($1 == "size_t" && member == "size") print struct, first
              }
              /^\}/ { struct = "" }' include/perp/*.h)
while read -r struct _; do
  awk -v struct="$struct" '$0 ~ "^typedef struct " struct " \\{" { inside = 1 } inside && /^  size_t size;/ { found = 1 }
                           /^\}/ { inside = 0 } END { exit !found }' include/perp/*.h ||
    complain "$struct comes from a function, and has no size"
done < <(cat include/perp/*.h | grep -oE '^perp_[a-z_]+ perp_([a-z_]+_defaults|default_[a-z_]+)\(')
[ "$guarded" -ge 7 ] || complain "found only $guarded structs with a size"

for header in include/perp/*.h; do
  for name in E13 MNS08 ANE17 SPH BOX; do
    grep -qw "$name" "$header" || continue
    sed '/^[^/]/,$d' "$header" | grep -qE "(^|[ .])$name: " || complain "$header uses $name and does not expand it"
  done
done

echo "${#functions[@]} functions, $guarded structs with a size"
[ "$bad" -eq 0 ]
