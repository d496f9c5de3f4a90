# shellcheck shell=bash disable=SC2034  # a part of other scripts
# common.sh: what the install checks share. The build passes PERP_SOURCE, PERP_BUILD, PERP_PREFIX, PERP_WORK,
# PERP_LIBDIR, PERP_VERSION, PERP_SONAME and PERP_CMAKE.
set -uo pipefail
here=$PERP_SOURCE/tests/install
libdir=$PERP_PREFIX/$PERP_LIBDIR
export PKG_CONFIG_PATH=$libdir/pkgconfig
unset LD_LIBRARY_PATH CMAKE_PREFIX_PATH

die() {
  printf '%s\n' "$*"
  exit 1
}

# try COMMAND...: it must succeed; its output is shown if it does not.
try() {
  local output
  output=$("$@" 2>&1) || die "failed: $*"$'\n'"$output"
}

# answers COMMAND...: the consumer runs and finds the solution.
answers() {
  local output
  output=$("$@" 2>&1) || die "failed: $*"$'\n'"$output"
  [[ $output == *"solved: x = (2.5, 0), perp $PERP_VERSION"* ]] || die "$* printed: $output"
}

need() {   # need TOOL...: skips the check where one is missing
  local tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
  done
}

# scratch NAME: an empty directory to work in
scratch() {
  work=$PERP_WORK/$1
  rm -rf "$work"
  mkdir -p "$work"
}
