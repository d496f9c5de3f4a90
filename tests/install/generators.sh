#!/usr/bin/env bash
# perp is built from nothing, in parallel, by the generator that cmake chooses by itself, and as a
# folder of another project. Nothing is optimised: only the rules matter here.
#
#   generators.sh makefiles    the libraries, by Makefiles
#   generators.sh whole        with the program and the tests, as `cmake -S . -B build` does
#   generators.sh subproject   add_subdirectory(perp), by both generators
# shellcheck source=tests/install/common.sh
. "$PERP_SOURCE/tests/install/common.sh"
need g++ make
scratch "generators_$1"
quick=(-DCMAKE_C_FLAGS_DEBUG=-O0 -DCMAKE_BUILD_TYPE=Debug)

# exports LIBRARY: its global names; there must be many, and perp_* alone.
exports() {
  local names
  names=$(nm --defined-only --extern-only "$1" 2>/dev/null | awk 'NF == 3 { print $3 }')
  [ "$(wc -l <<<"$names")" -ge 30 ] || die "$1 defines only: $names"
  ! grep -v '^perp_' <<<"$names" || die "$1 defines other names than perp_*"
}

case $1 in
  makefiles)
    build=$work/build
    try "$PERP_CMAKE" -S "$PERP_SOURCE" -B "$build" -G 'Unix Makefiles' "${quick[@]}" \
        -DPERP_BUILD_TESTS=OFF -DPERP_BUILD_CLI=OFF
    try "$PERP_CMAKE" --build "$build" -j2
    exports "$build/src/libperp.a"
    # What is up to date stays; an object that changed is in the library after the next build.
    before=$(stat -c %Y.%y "$build/src/libperp.a")
    try "$PERP_CMAKE" --build "$build" -j2
    [ "$(stat -c %Y.%y "$build/src/libperp.a")" = "$before" ] || die 'a second build made libperp.a again'
    rm "$build/src/CMakeFiles/perp_base.dir/base/team.c.o"
    try "$PERP_CMAKE" --build "$build" -j2
    [ "$(stat -c %Y.%y "$build/src/libperp.a")" != "$before" ] || die 'libperp.a misses a new object'
    ;;
  whole)
    try "$PERP_CMAKE" -S "$PERP_SOURCE" -B "$work/build" -G 'Unix Makefiles' "${quick[@]}" -DPERP_BUILD_PLAYER=OFF
    try "$PERP_CMAKE" --build "$work/build" -j2
    exports "$work/build/src/libperp.a"
    [ "$("$work/build/cli/perp" --version | head -n 1)" = "perp $PERP_VERSION" ] || die 'the program does not work'
    ;;
  subproject)
    need ninja
    # Makefiles build the library and one user of it, Ninja builds everything.
    for generator in 'Unix Makefiles' Ninja; do
      build=$work/${generator##* }
      try "$PERP_CMAKE" -S "$here/subproject" -B "$build" -G "$generator" "-DPERP_SOURCE=$PERP_SOURCE"
      targets=()
      if [ "$generator" != Ninja ]; then targets=(--target with_perp_static); fi
      try "$PERP_CMAKE" --build "$build" -j2 "${targets[@]}"
      answers "$build/with_perp_static"
      tests=$(cd "$build" && "${PERP_CMAKE%cmake}ctest" -N)
      [[ $tests == *'Total Tests: 0'* ]] || die "the project around perp got its tests: $tests"
    done
    for program in "$work"/Ninja/with_*; do answers "$program"; done
    try "$PERP_CMAKE" --install "$work/Ninja" --prefix "$work/prefix"
    installed=$(cd "$work/prefix" && find . -type f)
    [ "$installed" = ./bin/with_perp_static ] || die "perp installs itself with the project around it: $installed"
    ;;
  *) die "generators.sh: unknown argument '$1'" ;;
esac
