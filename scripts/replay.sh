#!/usr/bin/env bash
# Scenes to watch. First it simulates spheres that fall into a hollow sphere, and makes a page that
# plays them, a video, curves over time, and a plot of how methods converge on the largest problem.
# Then it simulates a liquid that falls on two circles, once with walls that it can leave and once
# with walls that hold it, and makes a page with both. All results are in out/.
#
#   scripts/replay.sh                      normally called at the end of ./run
#   PERP=path/to/perp scripts/replay.sh    use another build of the program
#
# A step whose program is missing is skipped, and the output says so.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

out=out
perp=${PERP:-build/release/cli/perp}
name=$out/hollow-sphere
liquid=$out/falling-block
logs=$out/results

[ -n "${stage_index:-}" ] || stage_total=8
# shellcheck source=scripts/stage.sh
. scripts/stage.sh
[ -x "$perp" ] || { echo "replay: there is no program $perp; ./run builds it" >&2; exit 5; }
mkdir -p "$logs"

# ---------------------------------------------------------------------------------------- the scene

# live LOG CMD...: CMD with its bar on a terminal, lines of progress elsewhere; what it prints on
# stdout is for LOG.
live() {
  local log=$1
  shift
  if [ -t 2 ]; then
    "$@" >"$log" </dev/null
  else
    "$@" --progress 2>&1 >"$log" </dev/null | sed 's/^/      /' >&2
    return "${PIPESTATUS[0]}"
  fi
}

# 30 spheres, 6 seconds: they have come to rest by then.
stage_begin 'simulating 30 spheres in a hollow sphere, 360 steps'
echo
rm -f "$name".{perp,html,mp4,svg} "$out/step.svg"
code=0
live "$logs/hollow-sphere.txt" \
  "$perp" run hollow-sphere --spheres 30 --steps 360 -o "$name.perp" || code=$?
if [ "$code" -eq 130 ]; then exit 130; fi
if [ "$code" -ne 0 ]; then
  stage_end '      FAILED'
  stage_show "$logs/hollow-sphere.txt"
  exit 1
fi
stage_end "      $(sed -n '1s/^solved  *//p' "$logs/hollow-sphere.txt")"

# ----------------------------------------------------------------------------- page, video and plot

shown='' failed=0
# make_file FILE TEXT LINE CMD...: one stage; LINE tells what FILE is. Exit status 5 of CMD: something
# that it needs is missing, and its last line says what.
make_file() {
  local file=$1 text=$2 line=$3 status=0 log
  shift 3
  log=$logs/$(basename "$file").txt
  stage_begin "$text"
  stage_quietly "$log" "$@" || status=$?
  if [ "$status" -eq 0 ] && [ -s "$file" ]; then
    stage_end
    shown+=$(printf '  %-26s %s' "$file" "$line")$'\n'
  elif [ "$status" -eq 5 ]; then
    stage_end 'left out'
    tail -n 1 "$log" | fold -s -w 72 | sed 's/^/      /'
  elif [ "$status" -eq 130 ]; then
    exit 130
  else
    stage_end FAILED
    stage_show "$log"
    failed=1
  fi
}

# The largest problem of the first two seconds, when the heap gets dense, solved by the methods that
# are for it and by two that are not.
# shellcheck disable=SC2317  # called through make_file
converge() {
  local dump=$logs/steps rows
  rm -rf "$dump" "$out/step"
  "$perp" run hollow-sphere --spheres 30 --steps 120 --dump-problems "$dump" || return
  rows=$(find "$dump" -maxdepth 1 -name 'nb*_nc*' | sed 's/.*_nc\([0-9]*\).*/\1/' | sort -n | tail -n 1)
  mv "$(find "$dump" -maxdepth 1 -name "nb*_nc$rows*" | sort | head -n 1)" "$out/step" || return
  rm -rf "$dump"
  command -v gnuplot >/dev/null || { echo 'gnuplot is missing'; return 5; }
  PERP=$perp PERP_TOUR_METHODS='pgs contact_sweep staggering convex_friction lemke
    fischer_newton interior_point auto' stage_index='' scripts/tour.sh "$out/step" || return
  cp "$out/own/convergence.svg" "$out/step.svg"
}

make_file "$name.html" 'a page that plays it' 'double click it: it plays the scene in a browser' \
  "$perp" view "$name.perp" -o "$name.html"
make_file "$name.mp4" 'a video of it, 180 pictures' 'a video of it' \
  "$perp" render "$name.perp" -o "$name.mp4" --size 960x540
make_file "$name.svg" 'its curves over time' 'energies, contacts, residuals, iterations' \
  "$perp" plot "$name.perp" -o "$name.svg"
make_file "$out/step.svg" 'how methods converge on its largest problem' 'convergence on its largest problem, out/step' \
  converge

# ---------------------------------------------------------------------------------------- a liquid

# 2.5 seconds: the liquid has hit the circles, left them and begins to calm down.
rm -f "$liquid".{perp,html} "$liquid-slip.perp"
# pour NAME TEXT OPTION...: one run of it, as a stage.
pour() {
  local file=$out/$1 log=$logs/$1.txt code=0
  stage_begin "$2"
  echo
  shift 2
  live "$log" "$perp" run falling-block --steps 150 "$@" -o "$file.perp" || code=$?
  if [ "$code" -eq 130 ]; then exit 130; fi
  if [ "$code" -eq 0 ]; then
    stage_end "      $(sed -n '1s/^solved  *//p' "$log")"
  else
    stage_end '      FAILED'
    stage_show "$log"
    failed=1
    return 1
  fi
}
if pour falling-block 'simulating a liquid with walls that it can leave, 150 steps' &&
    pour falling-block-slip 'simulating the same liquid with slip walls, which hold it' --walls slip; then
  make_file "$liquid.html" 'a page with both, side by side' 'the liquid, with and without separating walls' \
    "$perp" view "$liquid.perp" "$liquid-slip.perp" -o "$liquid.html"
fi

cat <<TEXT

Where to look:
$shown$(printf '  %-26s %s' "$name.perp" 'the recording, for perp view, render, plot, export')

What to try next:
  $perp run --list
  $perp run wall -o wall.perp
  $perp view wall.perp
  $perp run swirl -o swirl.perp
  $perp view swirl.perp
  $perp solve $out/step
  $perp explain contact_sweep
TEXT
[ "$failed" -eq 0 ]
