# perp view: pages from recordings, names, refusals, JSON. viewer/test looks into the pages.
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
sample=${PERP%/cli/perp}/tests/record_sample

"$sample" a.perp 70 && "$sample" b.perp 20 && "$sample" cut.perp 70 cut || exit 99
run view a.perp
if [ "$code" -eq 5 ]; then
  expect 'a perp without the player says what to install' 5 'err=built without the player' 'err=esbuild' 'err=npm'
  finish
  exit 0
fi
expect 'a recording becomes a page' 0 'out=a.perp: 16 bodies, 70 frames, 69 steps, 2 not solved' 'out=a.html, 0.' 'out=browser'
silent 'without noise'
narrow 'within 80 columns'
holds 'named after it' grep -q '<title>spheres that swing in a bowl</title>' a.html
holds 'with the recording in it' grep -q 'class="recording">eJ' a.html
cp a.html first.html
run view a.perp -o again.html; holds 'the same bytes each time' cmp first.html again.html
run view a.perp b.perp -o both.html; expect 'two recordings' 0 'out=a.perp: 16' 'out=b.perp: 16' 'out=both.html'
holds 'are both there' test "$(grep -c 'class="recording">' both.html)" -eq 2
run view a.perp --every 7 --no-contacts -o small.html; expect 'fewer frames' 0 'out=10 frames'
holds 'make it smaller' test "$(stat -c %s small.html)" -lt "$(stat -c %s a.html)"
run view a.perp --json; expect 'JSON' 0
json 'is one object' page=a.html
run view a.perp -o -; expect 'a page on the standard output' 0 'out=<!doctype html>'
cmp -s "$work/.out" a.html && ok 'is that page' || not_ok 'is that page'
run view - -o piped.html; expect 'nothing on the standard input' 3 'err=stdin'
"$PERP" view - -o piped.html <a.perp >/dev/null 2>&1; holds 'a recording from a pipe' test -s piped.html
run view cut.perp; expect 'a missing end is a warning' 0 'err=the end is missing'
head -c "$(grep -abo FRAM a.perp | head -n 1 | cut -d: -f1)" a.perp >start.perp; run view start.perp -o start.html; expect 'nothing but a start is no page' 3 'err=start.perp: there is no whole frame in it'
holds 'and leaves none' test ! -e start.html
run view cut.perp -q; silent 'that -q silences'
head -c "$(grep -abo STEP a.perp | tail -n 1 | cut -d: -f1)" a.perp >untold.perp
run view untold.perp; expect 'frames without their steps are left out' 0 'out=64 frames, 63 steps'

run view; expect 'no recording' 2
run view b.perp a.perp -o a.perp; expect 'over a recording' 2 'err=a.perp is read here and would be overwritten'
run view a.perp b.perp a.perp; expect 'three recordings' 2
run view -; expect 'a pipe has no name' 2 'err=-o'
run view a.perp --every 0; expect 'no zeroth frame' 2 'err=--every = 0 is outside [1, 1000000]'
run view a.perp --every 2x; expect 'nor half a one' 2 'err=--every = 2x'
run view none.perp -o x.html; expect 'a file that is not there' 6 'err=none.perp'
printf 'PERPREC1 and what not' >bad.perp
run view bad.perp -o x.html; expect 'a file that is no recording' 3 'err=bad.perp: '
head -c 3000 a.perp | tail -c 2500 >noise.perp
run view noise.perp -o x.html; expect 'noise' 3 'err=noise.perp: '
run view a.perp -o no/such/folder.html; expect 'a folder that is not there' 6 'err=no/such'
run view a.perp -o /dev/full; expect 'a full disk' 6
holds 'nothing half is left' test ! -e x.html
leftovers 'and nothing beside'
finish
