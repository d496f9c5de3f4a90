# shellcheck shell=bash
# Numbered lines, "[2/5] building release ... ok, 14 s", for the scripts that source this file.
#
#   stage_total=5              how many lines there will be (a parent script may have exported it)
#   stage_begin TEXT           prints "[k/total] TEXT ... "
#   stage_end [VERDICT]        completes the line with the verdict and the seconds it took
#   stage_quietly LOG CMD...   runs CMD with all its output in LOG, and returns its status
#   stage_show LOG [LINES [PATTERN]]   shows the end of a log, or LINES from the first match on

stage_total=${stage_total:-1}
stage_index=${stage_index:-0}
stage_started=$SECONDS

stage_begin() {
  stage_index=$((stage_index + 1))
  stage_started=$SECONDS
  printf '[%d/%d] %s ... ' "$stage_index" "$stage_total" "$1"
}

stage_end() {
  printf '%s, %d s\n' "${1:-ok}" "$((SECONDS - stage_started))"
}

stage_quietly() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 </dev/null
}

stage_show() {
  local lines=${2:-40} first=''
  if [ -n "${3:-}" ]; then first=$(grep -n -m 1 -E "$3" "$1" | cut -d: -f1); fi
  echo "      from $1:"
  if [ -n "$first" ]; then
    sed -n "$first,$((first + lines - 1))p" "$1"
  else
    tail -n "$lines" "$1"
  fi | sed 's/^/      | /'
}
