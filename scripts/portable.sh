# shellcheck shell=bash
# ./test --portable: libperp and its tests on systems other than this one.
#
# Sourced by ./test, whose functions it uses. For each system three lines: the build, in which
# warnings are errors; the tests with the label "portable", which are all those in the folders of
# tests/ named after the folders of src/; and a comparison of bits: what portable_hashes prints there
# and here must be the same. docs/portable.md has the results.
logs=${logs:?}   # of ./test

portable_systems='musl aarch64 windows'

# What stands for a system: the tools without which it is skipped.
portable_tools() {
  case $1 in
    musl) echo musl-gcc ;;
    aarch64) echo aarch64-linux-gnu-gcc qemu-aarch64 ;;
    windows) echo x86_64-w64-mingw32-gcc wine ;;
  esac
}

# How a program for a system is run here.
portable_emulator() {
  case $1 in
    aarch64) echo qemu-aarch64 -L /usr/aarch64-linux-gnu ;;
    windows) echo wine ;;
  esac
}

# The tests that a system leaves out, as a regular expression, each with its reason.
portable_left_out() {
  local names=(
    klu cholmod cholmod_backend   # need SuiteSparse on the other system
    quadratic                     # counts steps and digits on data from the C library's sin() and exp()
  )
  if [ "$1" = aarch64 ]; then
    names+=(
      campaign interior_point quadratic_problems   # minutes each under qemu
      solve_certify together                       # likewise
      limits                                       # measures seconds, which an emulator stretches
    )
  fi
  (IFS='|'; echo "^(${names[*]})\$")
}

# portable_bits SYSTEM: one check: the hashes of this system and of the other are the same.
portable_bits() {
  local mine=$logs/hashes-native.txt theirs=$logs/hashes-$1.txt program
  program=$(find "build/$1/tests" -maxdepth 1 -name 'portable_hashes*' -type f -perm -u+x | head -n 1)
  stage_begin "bits on $1"
  # shellcheck disable=SC2046  # the emulator's words
  if $(portable_emulator "$1") "$program" 2>"$theirs.err" | tr -d '\r' >"$theirs" &&
    [ -s "$mine" ] && diff "$mine" "$theirs" >"$logs/hashes-$1.diff"; then
    stage_end "$(wc -l <"$theirs") hashes are the same"
    passed=$((passed + 1))
  else
    stage_end FAILED
    failed=$((failed + 1))
    stage_show "$logs/hashes-$1.diff"
  fi
}

portable_run() {
  local system tool missing
  export WINEPREFIX=$PWD/build/wine WINEDEBUG=-all
  if build native; then build/native/tests/portable_hashes >"$logs/hashes-native.txt"; fi

  for system in $portable_systems; do
    missing=''
    for tool in $(portable_tools "$system"); do
      command -v "$tool" >/dev/null || missing+=" $tool"
    done
    if [ -n "$missing" ]; then
      skip "building $system" "no$missing"
      skip "tests on $system" "no$missing"
      skip "bits on $system" "no$missing"
    elif build "$system"; then
      # The first program under wine makes its folder: it must be alone.
      if [ "$system" = windows ]; then stage_quietly "$logs/wine.log" wine wineboot -i; fi
      if [ "$system" = aarch64 ]; then local -x PERP_BRIEF_TESTS=1; fi
      run_tests "$system" "tests on $system" -E "$(portable_left_out "$system")"
      unset PERP_BRIEF_TESTS
      portable_bits "$system"
    else
      skip "tests on $system" 'no build'
      skip "bits on $system" 'no build'
    fi
  done
}
