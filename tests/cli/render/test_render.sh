# perp render: pictures and videos of recordings, refusals, cut files, full disks, Ctrl-C.
# cost: 16
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
set -m   # jobs in the background listen to SIGINT only with job control

"$RECORD_SAMPLE" a.perp 12
small=(--size 160x120)

run render a.perp -o a.png "${small[@]}"; expect 'a picture' 0 'out=a.png: 1 frame of 160 x 120'
silent 'without noise'
holds 'is a PNG of that size' png a.png '(width, height) == (160, 120)'
holds 'with spheres, blue and orange and others, for they are one group' png a.png 'count(lambda r, g, b: b > r + 60) > 200 and count(lambda r, g, b: r > g + 40 and g > b + 20) > 100'
cp a.png b.png; run render a.perp -o b.png "${small[@]}" --threads 3 --frame 11; holds 'the last frame, the same bytes with 3 threads' cmp a.png b.png
run render a.perp -o b.png "${small[@]}" --frame 0; holds 'another frame, other bytes' test "$(cmp -s a.png b.png; echo $?)" = 1
run render a.perp -o b.png "${small[@]}" --camera 120,30,2; holds 'another camera, too' test "$(cmp -s a.png b.png; echo $?)" = 1
run render a.perp -o b.png "${small[@]}" --colour speed --frame 0 --no-caption; expect 'by speed' 0
holds 'what rests is blue' png b.png 'count(lambda r, g, b: b > r + 40) > 800 and count(lambda r, g, b: r > b + 60) == 0'
run render a.perp -o b.png "${small[@]}" --contacts; expect 'with arrows' 0; holds 'which are dark' png b.png 'count(lambda r, g, b: r + g + b < 120) > 40'
run render a.perp -o b.png "${small[@]}" --json; json 'JSON' output=b.png frames=1 width=160 height=120
run render - -o b.png "${small[@]}" <a.perp; expect 'nothing on the standard input' 3
"$PERP" render - -o b.png "${small[@]}" <a.perp >/dev/null; holds 'a recording on the standard input' cmp a.png b.png

# The caption: red where the step was not solved, which is step 7 of the sample.
red='count(lambda r, g, b: r > 170 and g < 90 and b < 100)'
run render a.perp -o c.png --size 320x180 --frame 7; holds 'an unsolved step is red' png c.png "$red > 30"
run render a.perp -o c.png --size 320x180 --frame 8; holds 'a solved one is not' png c.png "$red < 5"
run render a.perp -o h_%d.png --size 320x180 --fps 30 -q
for k in 3 4 5; do
  holds "of two steps a picture one is unsolved: picture $k" png h_$k.png "$red $([ $k -eq 4 ] && echo '> 30' || echo '< 5')"
done
"$RECORD_SAMPLE" e.perp 5 3
for k in 2 3 4; do   # its pictures are after steps 6, 9 and 12
  run render e.perp -o c.png --size 320x180 --frame $k
  holds "of three steps a frame one is unsolved: frame $k" png c.png "$red $([ $k -eq 3 ] && echo '> 30' || echo '< 5')"
done
run render a.perp -o c.png --size 320x180 --frame 8 -q
ink='sum(sum(at(x, y)) < 300 for y in range(26) for x in range(100))'
holds 'and has a caption' png c.png "$ink > 40"
run render a.perp -o c.png --size 320x180 --frame 8 --no-caption; holds 'unless not wanted' png c.png "$ink == 0"

# Numbered pictures.
run render a.perp -o f_%03d.png "${small[@]}" --fps 10; expect 'pictures' 0 'out=2 frames'
holds 'numbered' test "$(echo f_*)" = 'f_000.png f_001.png'
run render a.perp -o b.png "${small[@]}" --frame 6; holds 'the second after a tenth of a second' cmp f_001.png b.png
run render a.perp -o g_%d.png "${small[@]}" --fps 60 --speed 0.5 -q; expect 'slowly' 0; holds 'twice as many' test "$(find . -name 'g_*.png' | wc -l)" = 23

# Refusals.
run render; expect 'no recording' 2
run render a.perp; expect 'no output' 2 'err=the name of the file is missing; give -o a.mp4'
run render a.perp -o a.gif; expect 'another format' 2 'err=--output = a.gif: the name must end in .mp4 or .png'
run render a.perp -o f_%d_%d.png; expect 'two numbers' 2 'err=has 2 places for a number'
run render a.perp -o f_%d.mp4; expect 'a numbered video' 2 'err=has 1 places for a number'
run render a.perp -o a.png --size 10x10; expect 'too small' 2 'err=--size = 10x10: 10 is outside [64, 7680]'
run render a.perp -o a.png --size 99999x100; expect 'too large' 2 'err=--size = 99999x100: 99999 is outside'
run render a.perp -o a.png --size big; expect 'no size' 2 'err=--size = big is not of the form 1280x720'
run render a.perp -o a.mp4 --size 101x100; expect 'an odd video' 2 'err=the sides of a video are even'
run render a.perp -o a.mp4 --frame 3; expect 'a frame of a video' 2 'err=--frame is for one picture'
run render a.perp -o a.png --fps 3; expect 'a rate of a picture' 2 'err=--fps and --speed are for videos'
run render a.perp -o x.png --frame 12; expect 'a frame that is not there' 2 'err=--frame = 12 is outside [0, 11]'
run render a.perp -o x.png --frame -1; expect 'a frame before the first' 2 'err=--frame = -1 is outside'
run render a.perp -o x.png --frame 1.5; expect 'half a frame' 2 'err=--frame = 1.5 is not a whole number'
run render a.perp -o x_%d.png --fps 0; expect 'no rate' 2 'err=--fps = 0 is outside [1, 240]'
run render a.perp -o x_%d.png --fps nan; expect 'no number' 2 'err=--fps = nan is not a number'
run render a.perp -o x.png --camera 30; expect 'half a camera' 2 'err=--camera = 30 has no elevation'
run render a.perp -o x.png --camera 30,95; expect 'over the top' 2 'err=elevation = 95 is outside [-89, 89]'
run render a.perp -o x.png --camera 30,5,1,2; expect 'too much of it' 2 'err=is not of the form AZIMUTH,ELEVATION[,ZOOM]'
run render a.perp -o x.png --colour red; expect 'another colour' 2 'err=--colour = red is not one of group|speed|impulse'
run render a.perp -o x.png --supersample 0; expect 'no samples' 2 'err=--supersample = 0 is outside [1, 16]'
run render none.perp -o x.png; expect 'no such file' 6 'err=none.perp: No such file'
run render a.perp -o none/x.png; expect 'no such folder' 6 'err=none/x.png: No such file'
run render a.perp -o none/x.mp4; expect 'nor for a video' 6 'err=none/x.mp4: No such file'
echo 'no recording' >n.perp; run render n.perp -o x.png; expect 'no recording' 3 'err=n.perp'
holds 'nothing was written' test ! -e x.png

# Files that are cut, or damaged.
"$RECORD_SAMPLE" long.perp 70 cut
run render long.perp -o x.png "${small[@]}"; expect 'a recording without an end' 0 'err=the end is missing; 70 frames are there'
head -c $((8 + 24 + $(od -An -tu4 -j12 -N4 a.perp))) a.perp >cut.perp; run render cut.perp -o y.png "${small[@]}"; expect 'without a whole frame' 3 'err=cut.perp: there is no whole frame in it'
head -c 100 a.perp >cut.perp; run render cut.perp -o y.png "${small[@]}"; expect 'without a header' 3 'err=cut.perp'
cp a.perp bad.perp; printf 'X' | dd of=bad.perp bs=1 seek=3000 conv=notrunc 2>/dev/null
run render bad.perp -o y.png "${small[@]}"; expect 'a damaged one' 3 'err=bad.perp: chunk'
holds 'nothing was written' test ! -e y.png

# Scenes.
run run stack --boxes 3 --steps 20 -f -o s.perp -q   # between boxes arrows are on the upper one
if [ "$code" -eq 0 ]; then
  run render s.perp -o s.png --size 640x360 --contacts --no-caption; run render s.perp -o t.png --size 640x360 --no-caption
  on_top='sum(sum(at(x, y)) < 200 for y in range(60, 126) for x in range(240, 400))'   # above the contacts
  holds 'nothing is black on the highest box' png t.png "$on_top == 0"; holds 'but an arrow' png s.png "$on_top > 5"
fi
for scene in 'box --balls 0 --steps 1' 'box --steps 40' 'stack --steps 2' 'hopper --spheres 100 --steps 3'; do
  # shellcheck disable=SC2086  # the options are words
  run run $scene -f -o s.perp -q; run render s.perp -o s.png "${small[@]}" --colour impulse --contacts; expect "$scene" 0
done

# A full disk.
(ulimit -f 4; "$PERP" render a.perp -o full.png --size 320x180 >.out 2>.err); code=$? out='' err=$(cat .err)
expect 'a full disk' 6 'err=full.png: File too large'
holds 'leaves no file' test ! -e full.png

# Videos.
if ! command -v ffmpeg >/dev/null; then
  echo 'ok - # SKIP there is no ffmpeg'
else
  run render a.perp -o a.mp4 "${small[@]}"; expect 'a video' 0 'out=a.mp4: 6 frames of 160 x 120'
  silent 'without noise'
  holds 'is an MP4 that plays while it loads' test "$(head -c 2000 a.mp4 | grep -ac 'ftypisom.*' )" -ge 1
  holds 'with its index in front' awk 'BEGIN { RS = "\001" } { text = text $0 } END { exit !(index(text, "moov") < index(text, "mdat")) }' <(tr '\000' ' ' <a.mp4)
  holds 'of 6 frames' test "$(ffmpeg -nostdin -i a.mp4 -map 0:v -f framecrc - 2>/dev/null | grep -vc '^#')" = 6
  run render a.perp -o b.mp4 "${small[@]}" --threads 3; holds 'and the same bytes once more' cmp a.mp4 b.mp4
  run render a.perp -o a.mp4 "${small[@]}" --frame 3; expect 'an old one stays where the new one is refused' 2; holds 'as it is' cmp a.mp4 b.mp4
  (ulimit -f 4; "$PERP" render long.perp -o full.mp4 --size 160x120 --fps 30 >.out 2>.err); code=$? out='' err=$(grep -v warning .err)
  expect 'a full disk' 6 'err=full.mp4: ffmpeg failed: '
  holds 'leaves no file' test ! -e full.mp4
  "$RECORD_SAMPLE" i.perp 1000
  "$PERP" render i.perp -o i.mp4 --size 320x180 --fps 240 --progress >.out 2>.err &
  pid=$!
  for ((i = 0; i < 300; i++)); do if grep -q ' frames  about ' .err || ! kill -0 "$pid" 2>/dev/null; then break; fi; sleep 0.1; done
  kill -INT "$pid"; wait "$pid"; code=$? out=$(cat .out) err=$(cat .err)
  expect 'Ctrl-C' 130 'err=interrupted after' 'err=nothing was written' 'err= frames  about '
  holds 'leaves no file' test ! -e i.mp4
fi
mkdir -p empty
PATH=$work/empty "$PERP" render a.perp -o n.mp4 >.out 2>.err; code=$? out='' err=$(cat .err)
expect 'without ffmpeg' 5 'err=n.mp4 needs ffmpeg, which is not on PATH' 'err=apt install ffmpeg' 'err=frames_%04d.png'
leftovers 'no temporary file is left'
finish
