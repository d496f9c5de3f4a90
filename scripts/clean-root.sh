#!/usr/bin/env bash
# Proves that ./run and ./test work on a machine that has only git, gcc and make.
#
#   scripts/clean-root.sh [--full | --only-run] [--keep] [--repo DIR] [ROOT]
#
#   --full       ./test with all its builds instead of ./test --quick
#   --only-run   ./run, and no ./test
#   --keep       leave the root in place afterwards, to look around in it
#   --repo DIR   prove the HEAD of another clone (default: the one this script lies in)
#   ROOT         where to build the root (default: a new directory below /var/tmp)
#
# A Debian root is made with debootstrap from the mirror this machine uses, the committed HEAD is
# cloned into it, and both programs run there under chroot. Needs root (or sudo) and debootstrap.
set -euo pipefail

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; }

here=$(cd "$(dirname "$0")" && pwd)
repo=$(dirname "$here")
root='' keep=0 tested=1 test_arguments=(--quick)
arguments=("$@")
while [ $# -gt 0 ]; do
  case $1 in
    --full) test_arguments=() ;;
    --only-run) tested=0 ;;
    --keep) keep=1 ;;
    --repo) repo=$(cd "${2:?--repo needs a directory}" && pwd); shift ;;
    -h | --help) usage; exit 0 ;;
    -*) echo "unknown option $1" >&2; usage >&2; exit 2 ;;
    *) root=$1 ;;
  esac
  shift
done

if [ "$(id -u)" -ne 0 ]; then
  exec sudo --preserve-env=http_proxy,https_proxy,no_proxy "$0" "${arguments[@]}"
fi
export PATH=$PATH:/usr/sbin:/sbin
command -v debootstrap >/dev/null || { echo 'debootstrap is missing: apt-get install debootstrap' >&2; exit 5; }
commit=$(git -c safe.directory="$repo" -C "$repo" rev-parse --short HEAD)

# A mount namespace of our own: whatever happens, no mount outlives this script.
if [ -z "${PERP_CLEAN_ROOT_INSIDE:-}" ] && unshare --mount true 2>/dev/null; then
  PERP_CLEAN_ROOT_INSIDE=1 exec unshare --mount --propagation private "$0" "${arguments[@]}"
fi

if [ -z "$root" ]; then
  root=$(mktemp -d /var/tmp/perp-clean-root.XXXXXX)
elif [ -e "$root" ] && [ -n "$(ls -A "$root")" ]; then
  echo "$root is not empty" >&2
  exit 2
else
  mkdir -p "$root"
fi
root=$(cd "$root" && pwd)
chmod 755 "$root"
log=$(mktemp /var/tmp/perp-clean-root-log.XXXXXX)

clean_up() {
  local status=$? mount
  trap - EXIT
  for mount in dev/shm dev/pts dev proc sys; do
    if mountpoint -q "$root/$mount"; then umount "$root/$mount" || umount -l "$root/$mount"; fi
  done
  if [ "$keep" -eq 1 ]; then
    echo "kept: $root (enter with: chroot $root)"
  elif awk -v root="$root" 'index($2, root "/") == 1 { found = 1 } END { exit !found }' /proc/mounts; then
    echo "left in place, since something is still mounted below it: $root" >&2
  else
    rm -rf --one-file-system "$root"
  fi
  rm -f "$log"
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

stage_total=$((5 + tested))
# shellcheck source=scripts/stage.sh
. "$here/stage.sh"

# try TEXT CMD...: one numbered line; a failure shows the log and ends the script.
try() {
  local text=$1
  shift
  stage_begin "$text"
  if stage_quietly "$log" "$@"; then
    stage_end
  else
    stage_end FAILED
    stage_show "$log" 60
    exit 1
  fi
}

# The mirror is whatever this machine's apt has for its own release: lines "URI SUITE COMPONENT".
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
# shellcheck disable=SC2016  # $(...) is apt's notation here
sources=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
  awk -v name="$codename" '$2 ~ "^" name "([-/]|$)"' | sort -u)
mirror=$(awk -v name="$codename" '$2 == name && $3 == "main" { print $1; exit }' <<<"$sources")
[ -n "$mirror" ] || { echo "apt on this machine has no mirror for $codename" >&2; exit 5; }
include=()
case $sources in *https:*) include=(--include=ca-certificates) ;; esac

# apt inside uses the mirrors, proxy and keys of apt outside.
configure_apt() {
  local key
  awk '{ print "deb", $1, $2, $3 }' <<<"$sources" >"$root/etc/apt/sources.list"
  apt-config dump | grep '^Acquire::' | grep -v -i 'auto-\{0,1\}detect' >"$root/etc/apt/apt.conf.d/90outside" || true
  mkdir -p "$root/etc/apt/trusted.gpg.d"
  for key in /etc/apt/trusted.gpg /etc/apt/trusted.gpg.d/* /etc/apt/keyrings/* /usr/share/keyrings/*archive-keyring.gpg; do
    case $key in *.gpg | *.asc) [ -f "$key" ] && cp "$key" "$root/etc/apt/trusted.gpg.d/" ;; esac
  done
  for file in /etc/resolv.conf /etc/hosts; do
    if [ -f "$file" ]; then cp -L "$file" "$root$file"; fi
  done
  if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
    mkdir -p "$root/usr/local/share/ca-certificates"
    cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"
    if [ -x "$root/usr/sbin/update-ca-certificates" ]; then chroot "$root" update-ca-certificates; fi
  fi
}

mount_kernel() {
  mount -t proc proc "$root/proc"
  mount --bind /dev "$root/dev"
  if [ -d /dev/shm ]; then mount --bind /dev/shm "$root/dev/shm"; fi
}

prepare() {
  set -e
  configure_apt
  mount_kernel
}

# inside CMD...: in the root, with nothing of the caller's environment but the proxy.
inside() {
  local name keep_environment=()
  for name in http_proxy https_proxy no_proxy; do
    if [ -n "${!name:-}" ]; then keep_environment+=("$name=${!name}"); fi
  done
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    "${keep_environment[@]}" "$@"
}

install_minimum() {
  inside apt-get -q update &&
    inside DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends git gcc make
}

clone() {
  git -c safe.directory="$repo" -C "$repo" bundle create "$root/root/perp.bundle" HEAD &&
    inside git clone -q /root/perp.bundle /root/perp
}

try "making a $codename root in $root" debootstrap --variant=minbase "${include[@]}" "$codename" "$root" "$mirror"
prepare >"$log" 2>&1 || { stage_show "$log"; exit 1; }
try 'installing git, gcc and make there' install_minimum
try "cloning commit $commit" clone

failures=0
# prove LINES CMD...: runs a program of the clone and shows its closing lines.
prove() {
  local lines=$1 status=0
  shift
  stage_begin "$*"
  # shellcheck disable=SC2016  # expanded by the inner shell
  stage_quietly "$log" inside /bin/sh -c 'cd /root/perp && exec "$@"' sh "$@" || status=$?
  if [ "$status" -eq 0 ]; then
    stage_end
    tail -n "$lines" "$log" | sed 's/^/      | /'
  else
    failures=$((failures + 1))
    stage_end "FAILED with exit status $status"
    stage_show "$log" 80
  fi
}
prove 40 ./run # first: it needs fewer packages than ./test installs
if [ "$tested" -eq 1 ]; then prove 1 ./test "${test_arguments[@]}"; fi

stage_begin 'the clone is as clean as it was'
if stage_quietly "$log" inside git -C /root/perp status --porcelain && [ ! -s "$log" ]; then
  stage_end
else
  failures=$((failures + 1))
  stage_end FAILED
  stage_show "$log"
fi

if [ "$failures" -eq 0 ]; then
  echo "commit $commit $([ "$tested" -eq 0 ] && echo 'builds and' || echo 'builds, passes and') runs from git, gcc and make alone"
else
  echo "commit $commit: $failures of $((2 + tested)) proofs failed"
  exit 1
fi
