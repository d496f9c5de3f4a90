#!/usr/bin/env bash
# Installs the Debian packages that are missing, and only those.
#
#   scripts/packages.sh run      what ./run needs: a compiler, the build tools, a plotter, video
#   scripts/packages.sh test     what ./test needs in addition: test library, sanitizers, fuzzer, oracles
#   scripts/packages.sh portable what ./test --portable needs: compilers and emulators of other systems
#
# PERP_NO_APT=1 installs nothing. Then, and where packages cannot be installed (no apt-get, no
# network, no password), the missing tools are listed, and the caller continues if the tools without
# which nothing can be built are there. Sourced by ./run and ./test, which call packages_install.

packages_top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=scripts/stage.sh
. "$packages_top/scripts/stage.sh"

# shellcheck disable=SC2034  # the lists are reached by name, ${!wanted}
{
packages_run='gcc libc6-dev cmake ninja-build pkg-config zlib1g-dev libjansson-dev libode-dev
  gnuplot-nox ffmpeg esbuild curl ca-certificates'
packages_test="$packages_run g++ libcmocka-dev clang-14 libclang-rt-14-dev gcovr file
  python3 python3-numpy python3-scipy libsuitesparse-dev chromium nodejs
  locales"
packages_portable='gcc libc6-dev cmake ninja-build pkg-config libcmocka-dev musl-tools
  gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user gcc-mingw-w64-x86-64-win32 wine64 wine'

# The commands that stand for the packages where dpkg cannot be asked, each with what it is for if
# one can do without it.
packages_tools_run='cc cmake ninja pkg-config gnuplot:plots ffmpeg:videos esbuild:the-player
  curl:the-player'
packages_tools_test='cc cmake ninja pkg-config gnuplot ffmpeg esbuild curl c++ clang-14 gcovr file
  python3 chromium node'
packages_tools_portable='cc cmake ninja pkg-config musl-gcc:musl aarch64-linux-gnu-gcc:64-bit-ARM
  qemu-aarch64:64-bit-ARM x86_64-w64-mingw32-gcc:Windows wine:Windows'
}

# packages_missing LIST: the names that are not installed, one per line.
packages_missing() {
  local wanted=packages_$1 name
  for name in ${!wanted}; do
    [ "$(dpkg-query -W -f='${Status}' "$name" 2>/dev/null)" = 'install ok installed' ] || echo "$name"
  done
}

packages_apt() {
  local root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo 'not root, and there is no sudo'; return 1; }
    root=(sudo)
  fi
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 "$@"
}

packages_update_and_install() {
  packages_apt update
  packages_apt install -y --no-install-recommends "$@"
}

# packages_look LIST WHY: ends the line with what is missing; returns 1 if one cannot do without it.
packages_look() {
  local tools=packages_tools_$1 wanted=packages_$1 word absent='' spared=''
  for word in ${!tools}; do
    command -v "${word%%:*}" >/dev/null && continue
    case $word in
      *:*) spared+=", ${word%%:*} (for $(tr - ' ' <<<"${word#*:}"))" ;;
      *) absent+=" $word" ;;
    esac
  done
  stage_end "$2"
  if [ -n "$spared" ]; then echo "      goes on without ${spared#, }"; fi
  [ -z "$absent" ] && return 0
  echo "      not found:$absent"
  # shellcheck disable=SC2086  # the names are words
  echo '      Debian has them in:' ${!wanted}
  return 1
}

# packages_install LIST: one numbered line; returns 1 if the list cannot be satisfied.
packages_install() {
  local list=$1 log=$packages_top/build/log/packages-$1.log missing
  if [ "${PERP_NO_APT:-0}" = 1 ] || ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    stage_begin "looking for the tools"
    if [ "${PERP_NO_APT:-0}" = 1 ]; then
      packages_look "$list" 'no packages installed (PERP_NO_APT=1)'
    else
      packages_look "$list" 'no apt-get on this machine'
    fi
    return
  fi

  missing=$(packages_missing "$list")
  if [ -z "$missing" ]; then
    stage_begin 'packages'
    stage_end 'all present'
    return 0
  fi
  # shellcheck disable=SC2086  # the names are words
  set -- $missing
  stage_begin "installing $# missing package$([ $# -eq 1 ] || echo s): $*"
  if stage_quietly "$log" packages_update_and_install "$@" && [ -z "$(packages_missing "$list")" ]; then
    stage_end
  elif packages_look "$list" "FAILED: $(grep -E '^(E|Err)[: ]' "$log" | tail -n 1)"; then
    echo "      what apt-get said: $log"
  else
    stage_show "$log"
    return 1
  fi
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  case ${1:-} in
    run | test | portable) packages_install "$1" ;;
    *) echo 'usage: scripts/packages.sh run|test|portable' >&2; exit 2 ;;
  esac
fi
