# Recordings of liquids: perp view, render, export and plot of them. record_swirl writes one by a
# formula: liquid that swirls in a round tank about a disc that moves.
# cost: 6
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"

"$RECORD_SWIRL" a.perp 25 2 24 || exit 99
"$RECORD_SWIRL" s.perp 3 3 10 || exit 99
"$RECORD_SWIRL" b.perp 4 2 24 cut || exit 99
"$RECORD_SAMPLE" bodies.perp 6 || exit 99
small=(--size 160x160)

# Half of the tank, a circle of radius 0.45, is liquid but for the disc of radius 0.06; the grid of
# side 1 is 160/1.07 pixels wide.
run render a.perp -o a.png "${small[@]}" --frame 0 --no-caption; expect 'particles in the plane' 0 'out=a.png: 1 frame of 160 x 160'; silent 'without noise'
area='160/1.07*160/1.07*(3.1416/2*0.45*0.45 - 3.1416/2*0.06*0.06)'
holds 'fill most of it' png a.png "0.7*$area < count(colourful) < 1.1*$area"
run render a.perp -o b.png "${small[@]}" --frame 0 --no-caption --show surface; expect 'its surface' 0
holds 'fills it' png b.png "0.95*$area < count(colourful) < 1.08*$area"
holds 'below the middle only' png b.png 'all(not colourful(*at(x, 60)) for x in range(160)) and colourful(*at(40, 100)) and colourful(*at(120, 100))'
holds 'but not where the disc is' png b.png 'not colourful(*at(int(80 + 0.1*160/1.07), 82))'
run render a.perp -o c.png "${small[@]}" --no-caption --show grid --separating; expect 'its cells' 0
holds 'with those that separate' png c.png 'count(pink) > 3 and count(colourful) > 2000'
run render a.perp -o c.png "${small[@]}" --frame 0 --no-caption --colour pressure --show surface; expect 'by pressure' 0
holds 'which grows downwards' png c.png 'at(80, 140)[0] > at(80, 140)[2] + 60 and at(40, 84)[2] > at(40, 84)[0]'
for show in particles surface; do
  run render a.perp -o c.png "${small[@]}" --show $show --threads 1 -q; cp c.png d.png; run render a.perp -o c.png "${small[@]}" --show $show --threads 3 -q
  holds "$show: the same bytes with any number of threads" cmp c.png d.png
  run render s.perp -o c.png "${small[@]}" --show $show --threads 1 -q; cp c.png d.png; run render s.perp -o c.png "${small[@]}" --show $show --threads 3 -q
  holds "$show in space, too" cmp c.png d.png
  holds "$show in space: there is liquid" png c.png 'count(colourful) > 1500'
done
run render a.perp b.perp -o c.png --size 320x160 --frame 3 --no-caption; expect 'two side by side, one of them cut' 0 'out=320 x 160' 'err=b.perp: the end is missing'
holds 'with a seam' png c.png 'all(at(159, y) == (255, 255, 255) for y in range(160)) and all(sum(colourful(*at(x, y)) for x in half for y in range(160)) > 3000 for half in (range(159), range(161, 320)))'
for more in '' '--size 16 --seed 1234567'; do
  # shellcheck disable=SC2086
  for walls in slip separating; do "$PERP" run ceiling --steps 2 --walls $walls $more -f -o $walls.perp -q; done
  run render slip.perp separating.perp -o c.png --size 800x430 --show surface; expect 'two with commands' 0
  holds 'their legends stand at one height' png c.png 'len({tuple(y for y in range(385, 430) if any(colourful(*at(x, y)) for x in half)) for half in (range(200, 399), range(600, 800))} - {()}) == 1'
  [ -n "$more" ] || holds 'below the pictures' png c.png 'all(not colourful(*at(x, y)) for y in range(385, 405) for x in range(800))'
done
run render b.perp -o f_%02d.png "${small[@]}" --fps 60 -q; expect 'pictures' 0; holds 'one for each frame' test "$(echo f_*.png)" = 'f_00.png f_01.png f_02.png f_03.png'
run render b.perp -o g_%02d.png "${small[@]}" --fps 120 -q; holds 'and between them' test "$(find . -name 'g_*.png' | wc -l)" = 7
run render a.perp -o c.png --colour impulse; expect 'colours of bodies' 2 'err=--colour = impulse is not for a liquid: speed or pressure'
run render a.perp -o c.png --contacts; expect 'contacts' 2 'err=--contacts is not for a liquid'
run render s.perp -o c.png --show grid; expect 'cells in space' 2 'err=--show = grid is for scenes in the plane'
run render bodies.perp -o c.png --show surface; expect 'the surface of bodies' 2 'err=--show is for liquids'
run render bodies.perp -o c.png --separating; expect 'cells of bodies' 2 'err=--separating is for liquids'
run render bodies.perp -o c.png --colour pressure; expect 'pressure of bodies' 2 'err=--colour = pressure is for liquids'
run render a.perp bodies.perp -o c.png; expect 'a liquid and bodies' 3 'err=a picture shows two scenes'
run render a.perp s.perp -o c.png; expect 'the plane and space' 3 'err=a picture shows two scenes'

# Export, read by readers of its own.
quietly() {
  run export "$@" -q
  if [ "$code" -ne 0 ] || [ -n "$out$err" ]; then not_ok "export $*" "exit status $code" "$out" "$err"; fi
}
"$RECORD_SWIRL" s.perp 13 3 8 || exit 99   # frames 0 and 12 are in the collection
for r in a s; do
  quietly $r.perp -o $r.ply; quietly $r.perp -o $r-text.ply --ascii --frame 1 --colour pressure
  quietly $r.perp -o $r.vtp --frame 1; quietly $r.perp -o $r.vti; quietly $r.perp -o $r.pvd --frames ::12
  quietly $r.perp -o $r.csv; quietly $r.perp -o $r-cells.csv --what cells; quietly $r.perp -o $r-steps.csv --what steps
  quietly $r.perp -o $r.npz; for what in particles cells steps; do quietly $r.perp -o $r-$what.npy --what $what; done
  python3 "$SOURCE/tests/cli/export/liquid.py" $r.perp ply:$r.ply ply:$r-text.ply:1 vtp:$r.vtp:1 vti:$r.vti pvd:$r.pvd csv:$r.csv \
    csv-cells:$r-cells.csv csv-steps:$r-steps.csv npy:$r || failures=$((failures + 1))
done
for name in a.ply a.vti a.npz a.csv; do cp $name old; quietly a.perp -o $name; holds "$name: the same bytes once more" cmp $name old; done
holds 'some cells separate' grep -q ',1$' a-cells.csv
run export a.perp -o a.csv; expect 'what it says' 0 'out=a.perp: 25 frames' 'out=particles' 'out=rows'; narrow 'within 80 columns'
run export a.perp -o a.glb; expect 'a scene of bodies' 2 'err=a .glb has bodies that move, and a.perp is a liquid'
run export a.perp -o a.csv --what contacts; expect 'contacts of a liquid' 2 'err=--what = contacts is not for a liquid: particles, cells, surface or steps'
run export bodies.perp -o a.csv --what cells; expect 'cells of bodies' 2 'err=--what = cells is not for bodies: bodies, contacts or steps'
run export bodies.perp -o a.vti; expect 'the grid of bodies' 2 'err=.vti has the grid of a liquid'
run export a.perp -o a.ply --detail 3; expect 'triangles of particles' 2 'err=--detail is not for a liquid'
run export a.perp -o a.ply --colour group; expect 'groups of a liquid' 2 'err=--colour = group is not for a liquid'
PATH=/nowhere run export a.perp -o a.vdb; expect 'no plugin' 5 'err=needs the plugin perp-vdb' 'err=apt-get install python3-openvdb' 'err=docs/export.md'
holds 'nothing stays' test ! -e a.vdb -a ! -e a.vdb.vti
mkdir bin; printf '#!/bin/sh\ncp "$1" "$2"\n' >bin/perp-vdb; chmod +x bin/perp-vdb
PATH=$PWD/bin:$PATH run export a.perp --to vdb --frame 2; expect 'with a plugin' 0 'out=a.vdb'
quietly a.perp -o two.vti --frame 2; holds 'it gets the grid' cmp a.vdb two.vti
printf '#!/bin/sh\nexit 3\n' >bin/perp-vdb; PATH=$PWD/bin:$PATH run export a.perp -o b.vdb; expect 'a plugin that fails' 5 'err=failed'
"$PERP" run falling-block --size 12 --steps 2 --fields none -o bare.perp -q
run export bare.perp -o bare.vti; expect 'a grid that was not recorded' 3 "err=bare.perp has no grid: 'perp run --fields all' records them"
run export bare.perp -o bare.csv; expect 'its particles' 0; holds 'without pressure' grep -qx 'frame,time,x,y,vx,vy' <(head -n 1 bare.csv)
run export bare.perp -o bare.ply --colour pressure; expect 'colours of pressure' 3 'err=bare.perp has no grid'
run render bare.perp -o bare.png --show grid; expect 'a picture of it' 3 'err=bare.perp has no pressures'

# The surface in space as triangles: a ball has its volume and area, a splash what was recorded.
mesh() { python3 "$SOURCE/tests/cli/export/surface.py" "$@"; }
"$PERP" run falling-ball --size 48 --depth 0 --radius 0.2 --steps 0 -f -o ball.perp -q
run export ball.perp -o ball.ply --what surface; expect 'a surface' 0 'out=triangles'; narrow 'within 80 columns'
holds 'of a ball' mesh ball.ply 0.03351 0.04 0.50265 0.03
"$PERP" run dam-break-3d --size 16 --steps 40 -o dam.perp -q
volume=$("$RECORD_INFO" dam.perp volume | tail -n 1)
quietly dam.perp -o dam.obj; quietly dam.perp -o dam.ply --what surface --ascii; quietly dam.perp -o packed.ply --what surface
for file in dam.obj dam.ply packed.ply; do holds "$file: closed, and as much as there is" mesh $file "$volume" 0.12; done
cp dam.obj old; quietly dam.perp -o dam.obj; holds 'the same bytes once more' cmp dam.obj old
run export dam.perp -o 'dam_%04d.obj' --frames ::20; expect 'of several frames' 0 'out=3 files' 'out=triangles in the last'
for frame in 0000 0020 0040; do holds "frame $frame" mesh dam_$frame.obj; done
holds 'the last is the last' cmp <(tail -n +2 dam_0040.obj) <(tail -n +2 dam.obj)
run export dam.perp --to obj --frame 3 --json; json 'its JSON' format=obj files=1
run export a.perp -o x.obj; expect 'a surface in the plane' 2 'err=the surface is a mesh in space, and a.perp is in the plane'
run export bodies.perp -o x.obj; expect 'that of bodies' 2 'err=.obj has the surface of a liquid, and bodies.perp has bodies'
run export dam.perp -o x.csv --what surface; expect 'as a table' 2 'err=--what = surface is for .ply and .obj, not for .csv'
run export dam.perp -o x.ply --what cells; expect 'cells as a mesh' 2 'err=--what = cells is not for .ply of a liquid: particles or surface'
run export dam.perp -o x.obj --what particles; expect 'particles as a mesh' 2 'err=--what = particles is not for .obj of a liquid: surface'
run export dam.perp -o x.ply --what surface --colour speed; expect 'its colours' 2 'err=--colour is not for a surface'
run export bodies.perp -o x.ply --what contacts; expect 'contacts as a mesh' 2 'err=--what is not for .ply of bodies'
"$PERP" run falling-ball --size 8 --steps 1 --fields none -o bare3.perp -q
run export bare3.perp -o x.obj; expect 'a surface that was not recorded' 3 'err=bare3.perp has no grid'
run run falling-ball -o x.obj; expect 'a mesh is made from a recording' 2 "err='perp export x.perp -o x.obj'"

# Particles are those of the scene; in space only some are recorded, and everybody says so.
"$PERP" run falling-ball --size 16 --steps 4 -f -o ball.perp -q; "$PERP" run falling-ball --size 16 --steps 4 --keep all -o whole.perp -q
points() { sed -n 's/^element vertex //p;/^end_header/q' "$1"; }
quietly ball.perp -o ball.ply --frame 2; quietly whole.perp -o whole.ply --frame 2
run export ball.perp -o ball.ply --frame 2; some=$(points ball.ply); all=$(points whole.ply)
holds 'not all are recorded' test "$some" -lt "$all"
expect 'how many' 0 "out=1 frame, $all particles, $some recorded" "out=near the surface only; 'perp run --keep all' records the rest"; narrow 'within 80 columns'
run export whole.perp -o whole.ply --frame 2; expect 'all of them' 0 "out=1 frame, $all particles" 'out!=recorded' 'out!=--keep'
run export ball.perp -o 'n_%d.ply'; expect 'of many frames the most' 0 'out=5 frames, up to'
run export ball.perp -o ball.csv --what steps; expect 'none of a table of steps' 0 'out=5 frames' 'out!=particles'
run export ball.perp -o ball.ply --frame 2 --json; json 'as JSON' "particles=$all" "recorded=$some"
run view ball.perp; [ "$code" -eq 5 ] || expect 'a page says the same' 0 'out= recorded' 'out!=particles (up to'

# Curves.
if command -v gnuplot >/dev/null; then
  run plot a.perp -o a.svg; expect 'curves of a liquid' 0 'out=a.perp: 24 steps'
  for name in 'volume drift, %' 'energy, J' 'momentum, N s' iterations residual 'divergence, 1/s'; do holds "with $name" grep -q ">$name<" a.svg; done
  holds 'of a method that nobody knows' grep -q '>outer<' a.svg
  for pair in auto:Newton multigrid:Newton pgs:sweeps lemke:pivots; do
    "$PERP" run swirl --size 12 --steps 3 -m "${pair%:*}" -f -o m.perp -q
    run plot m.perp -o c.svg --what iterations; holds "$pair" test "$(grep -oE '>(Newton|sweeps|pivots|outer)<' c.svg | sort -u)" = ">${pair#*:}<"
  done
  "$PERP" run swirl --size 12 --steps 3 -m pgs -f -o m.perp -q; run plot m.perp -o c.svg --what iterations; holds 'sweeps have none inside' test "$(grep -c '>inner<' c.svg)" = 0
  run plot a.perp b.perp -o c.svg --what volume,momentum; expect 'of two' 0; holds 'both' grep -q '>b<' c.svg; holds 'above a labelled axis' grep -q '>time, s<' c.svg
  run plot a.perp bodies.perp -o c.svg; expect 'of a liquid and bodies' 3 'err=bodies and a liquid have no curves in common'
  run plot a.perp -o c.svg --what contacts; expect 'contacts of a liquid' 2 'err=--what = contacts: choose from volume, energies, momentum, iterations, residuals, divergence and all'
  run plot a.perp -o c.svg --step 2; expect 'a step of a liquid' 2 'err=--step is for bodies'
fi

# The page.
run view a.perp; code_view=$code
if [ "$code_view" -ne 5 ]; then
  expect 'a page' 0 'out=a.perp: ' 'out=a.html'
  run view a.perp --particles 100 --json; json 'fewer particles' page=a.html
  holds 'and how many' grep -q '"shown": *\(9[0-9]\|100\)' "$work/.out"
  run view a.perp -o c.html -q; silent 'quiet is quiet'
  run view a.perp --particles 0; expect 'none' 2 'err=--particles = 0 is outside'
  run view a.perp --cells 0; expect 'no cells' 2 'err=--cells = 0 is outside'
  run view a.perp bodies.perp -o c.html; expect 'a liquid and bodies' 3 'err=a.perp shows a liquid'
fi
finish
