#!/usr/bin/env bash
# The installed program works where it was put: it simulates, and its player, renderer and exporter
# are in it. So it does after its prefix was moved.
# shellcheck source=tests/install/common.sh
. "$PERP_SOURCE/tests/install/common.sh"
[ -x "$PERP_PREFIX/bin/perp" ] || { echo 'skipped: there is no program'; exit 77; }
scratch program
cp -R "$PERP_PREFIX" "$work/moved"

for perp in "$PERP_PREFIX/bin/perp" "$work/moved/bin/perp"; do
  mkdir "$work/run"
  cd "$work/run" || exit 1
  [ "$("$perp" --version | head -n 1)" = "perp $PERP_VERSION" ] || die "$perp says $("$perp" --version)"
  try "$perp" run hollow-sphere --spheres 3 --steps 5 -o a.perp
  try "$perp" render a.perp -o a.png --size 64x64
  try "$perp" export a.perp -o a.glb
  if "$perp" doctor | grep -q '^player  *built in'; then
    try "$perp" view a.perp
    grep -q '</html>' a.html || die 'a.html is no page'
  fi
  cd "$work" && rm -r "$work/run"
done

# It brings no library but its own and those of the packages that it was built with.
while read -r name _ path _; do
  case $name in
    libperp*) case $path in "$work/moved/"*) ;; *) die "$name is taken from $path" ;; esac ;;
    *perp*) die "unknown library $name" ;;
  esac
done < <(ldd "$work/moved/bin/perp")
