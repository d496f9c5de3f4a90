# --plot: SVG and PNG through gnuplot, and a clear message where it is missing.
# shellcheck source=tests/cli/tap.sh
. "$(dirname "$0")/tap.sh"
tiny p
"$PERP" gen obstacle --size 12 -o o >/dev/null || exit 99

PATH=/nowhere run solve p --plot c.svg; expect 'without gnuplot' 5 'err=--plot needs gnuplot' 'err=apt install gnuplot-nox'
holds 'nothing is written' test ! -e c.svg
run solve p --plot c.pdf; expect 'another suffix' 2 'err=must end in .svg or .png'
if command -v gnuplot >/dev/null; then
  run solve o -m psor --plot c.svg; expect 'an SVG' 0 'out=c.svg'; silent 'without noise'
  holds 'is one' grep -q '</svg>' c.svg
  holds 'the end is marked' grep -q '>solved<' c.svg
  run solve o -m psor --plot u.svg --iteration-limit 2; expect 'an end without a solution' 1
  holds 'is marked too' grep -q '>ended unsolved<' u.svg
  holds 'and has whole iterations only' bash -c '! grep -Eq ">0.5<" u.svg'
  run solve o -m psor --plot c.png; expect 'a PNG' 0 'out=c.png'
  holds 'is one' bash -c 'head -c 4 c.png | grep -q PNG'
  run solve o -m pgs --stop.measure box --plot "it's \"me\".svg"; expect 'a measure, and quotes in the name' 0
  holds 'is there' grep -q '>box<' "it's \"me\".svg"
  run solve p -m enumerate --plot e.svg; expect 'a solve without iterations' 0
  holds 'is drawn too' grep -q '</svg>' e.svg
  run solve o --plot nowhere/c.svg; expect 'a folder that is not there' 6 'err=nowhere/c.svg'
  mkdir bin; printf '#!/bin/sh\nexit 3\n' >bin/gnuplot; chmod +x bin/gnuplot
  PATH=$PWD/bin:$PATH run solve o --plot f.svg; expect 'a gnuplot that fails' 5 'err=gnuplot could not draw'
  holds 'leaves no file' test ! -e f.svg
else
  echo 'ok - plots # skipped: no gnuplot'
fi
leftovers 'nothing is left behind'
finish
