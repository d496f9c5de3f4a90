# perp export: files read back by readers of their own and compared with the recording; names, frames,
# refusals, cut recordings, full disks, Ctrl-C. The other files of this folder are the readers.
# cost: 4
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
set -m   # jobs in the background listen to SIGINT only with job control

"$RECORD_SAMPLE" a.perp 12 || exit 99
# compare RECORDING KIND:FILE[:FRAME]...: what is in the files is what is in the recording.
compare() {
  python3 "$SOURCE/tests/cli/export/check.py" "$@"
  local status=$?
  if [ "$status" -eq 77 ]; then echo 'ok - # SKIP there is no numpy'
  elif [ "$status" -ne 0 ]; then failures=$((failures + 1))
  fi
}
# quietly ARGUMENT...: perp export, which must succeed in silence.
quietly() {
  run export "$@" -q
  if [ "$code" -ne 0 ] || [ -n "$out$err" ]; then not_ok "export $*" "exit status $code" "$out" "$err"; fi
}

if ! command -v python3 >/dev/null; then
  echo 'ok - # SKIP there is no python3 to read files with'
else
  run run box --balls 12 --steps 25 -o flat.perp -q; run run card-house --steps 8 -o cards.perp -q
  run run box --balls 0 --steps 2 -o none.perp -q
  for r in a flat cards none; do
    quietly $r.perp -o mesh.ply
    quietly $r.perp -o text.ply --ascii --frame 1 --detail 9
    quietly $r.perp -o points.ply --points
    quietly $r.perp -o mesh.vtp --frame 1
    quietly $r.perp -o points.vtp --points --frame 2
    quietly $r.perp -o contacts.vtp --what contacts
    quietly $r.perp -o bodies.csv
    quietly $r.perp -o steps.csv --what steps
    quietly $r.perp -o motion.glb
    compare $r.perp ply:mesh.ply ply:text.ply:1 points:points.ply vtp:mesh.vtp:1 vtp-points:points.vtp:2 \
      vtp-contacts:contacts.vtp csv:bodies.csv csv-steps:steps.csv glb:motion.glb glb-colours:motion.glb+mesh.ply
  done
  python3 "$SOURCE/tests/cli/export/flip.py" a.perp flipped.perp
  run export flipped.perp -o motion.glb; expect 'q and -q are the same' 0 'err=flipped.perp: the end is missing; 12 frames'
  compare flipped.perp glb:motion.glb
  quietly a.perp -o contacts.csv --what contacts
  quietly a.perp -o t.npz
  for what in bodies contacts steps; do quietly a.perp -o t-$what.npy --what $what; done
  compare a.perp csv-contacts:contacts.csv npy:t
  quietly flat.perp -o series.pvd --frames ::5
  compare flat.perp pvd:series.pvd
  holds 'with a file per frame' test "$(find series -name 'bodies_*.vtp' | wc -l)" = 6
fi

# What it says, and the same bytes.
run export a.perp -o a.glb; expect 'a scene in motion' 0 'out=a.perp: 12 frames, 16 bodies' 'out=a.glb: 0.'
silent 'without noise'
narrow 'within 80 columns'
for name in a.glb a.ply a.npz a.csv a.vtp; do
  run export a.perp -o "$name" -q; cp "$name" "old-$name"; run export a.perp -o "$name" -q
  holds "$name: the same bytes once more" cmp "$name" "old-$name"
done
run run box --balls 3 --steps 4 --times -o timed.perp -q; quietly timed.perp -o timed.csv --what steps; quietly timed.perp -o timed.npy --what steps
holds 'seconds of the steps, if recorded' grep -q "('lz', '<f8'), ('seconds', '<f8')\]" <(head -c 2000 timed.npy)
holds 'in arrays as in tables' test "$(tail -n 1 timed.csv | awk -F, '{ printf "%.9e", $NF }')" = "$(tail -c 8 timed.npy | od -An -tf8 | awk '{ printf "%.9e", $1 }')"
run export a.perp --json -o b.csv; json 'JSON' output=b.csv format=csv frames=12 rows=180 files=1
run export a.perp --to csv -q; expect 'named after the recording' 0; holds 'beside it' test -s a.csv
run export a.perp --to npy -q; expect 'arrays' 0; holds 'are an .npz' test -s a.npz
run export a.perp --to csv -o table; expect 'a name without an ending' 0; holds 'is that table' cmp table a.csv
run export a.perp -o - --to csv; holds 'a table on the standard output' cmp "$work/.out" a.csv
run export a.perp -o a.csv.gz -q; gzip -dc a.csv.gz >unpacked.csv; holds 'a packed table' cmp unpacked.csv a.csv
"$PERP" export - -o b.csv -q <a.perp; holds 'a recording on the standard input' cmp b.csv a.csv

# Frames.
run export a.perp -o f.csv --frames 2:8:3 -q; holds 'some frames' test "$(cut -d, -f1 f.csv | uniq | tr '\n' ' ')" = 'frame 2 5 8 '
run export a.perp -o f.csv --frames :1 -q; holds 'the first ones' test "$(cut -d, -f1 f.csv | uniq | tr '\n' ' ')" = 'frame 0 1 '
run export a.perp -o f.csv --frames 9: -q; holds 'the last ones' test "$(cut -d, -f1 f.csv | uniq | tr '\n' ' ')" = 'frame 9 10 11 '
run export a.perp -o f.csv --frames ::6 -q; holds 'every sixth' test "$(cut -d, -f1 f.csv | uniq | tr '\n' ' ')" = 'frame 0 6 '
run export a.perp -o f.csv --frame 4 -q; holds 'one' test "$(cut -d, -f1 f.csv | uniq | tr '\n' ' ')" = 'frame 4 '
run export a.perp -o f.csv --frames 3:5 --what steps -q; holds 'the steps of these' test "$(cut -d, -f1 f.csv | tr '\n' ' ')" = 'step 3 4 5 '
run export a.perp -o f.npy --frames 3:5 --what steps -q; holds 'and in an array' grep -aq "'shape': (3,)" f.npy
holds 'that begins with the first of them' test "$(tail -c $((3*22*8)) f.npy | od -A n -t f8 -N 8 | tr -d ' ')" = 3
run export a.perp -o n.ply --frames 0:11:5; expect 'a file for each' 0 'out=n_%04d.ply: ' 'out=3 files'
holds 'numbered as in the recording' test "$(echo n_*)" = 'n_0000.ply n_0005.ply n_0010.ply'
run export a.perp -o m_%d.ply -q; holds 'or as the name says' test "$(find . -name 'm_*.ply' | wc -l)" = 12
run export a.perp -o one.ply --frame 5 -q; holds 'each that frame' cmp one.ply n_0005.ply
run export a.perp -o c.ply --colour speed --frame 0 -q; expect 'by speed' 0
run export a.perp -o d.ply --colour group --frame 0 -q; holds 'other colours' test "$(cmp -s c.ply d.ply; echo $?)" = 1

# Refusals.
run export; expect 'no recording' 2
run export a.perp; expect 'no output' 2 'err=the name or format of the file is missing; give -o a.ply'
run export a.perp -o a.stl; expect 'another format' 2 'err=--output = a.stl: the name must end in .ply, .obj, .pvd, .vtp, .vti, .glb, .csv, .npz, .npy or .vdb'
run export a.perp --to stl; expect 'of another name' 2 'err=--to = stl is not one of ply|obj|vtk|glb|csv|npy'
run export - --to csv; expect 'a pipe has no name' 2 'err=-o a.csv'
run export a.perp -o a.glb --what surface; expect 'an option of other formats' 2 'err=--what does not work with .glb, only with .ply, .obj, .vtp, .vti, .csv or .npy'
run export a.perp -o a.glb --ascii; expect 'text where there is none' 2 'err=--ascii does not work with .glb, only with .ply'
run export a.perp -o a.csv --points; expect 'points of a table' 2 'err=--points does not work with .csv'
run export a.perp -o a.glb --colour speed; expect 'colours that do not move' 2 'err=--colour does not work with .glb'
run export a.perp -o a.vtp --what steps; expect 'steps as points' 2 'err=--what = steps is not for .vtp'
run export a.perp -o x_%d.glb; expect 'a numbered scene' 2 'err=has 1 places for a number'
run export a.perp -o x_%d_%d.ply; expect 'two numbers' 2 'err=has 2 places for a number'
run export a.perp -o x.ply --frame 12; expect 'a frame that is not there' 2 'err=--frame = 12 is outside [0, 11]'
run export a.perp -o x.ply --frame 1.5; expect 'half a frame' 2 'err=--frame = 1.5 is not a whole number'
run export a.perp -o x.ply --frame ''; expect 'no frame' 2 'err=is not a whole number'
run export a.perp -o x.csv --frames 3; expect 'frames without a colon' 2 'err=--frames = 3 is not of the form FIRST:LAST[:STEP]'
run export a.perp -o x.csv --frames 3:x; expect 'no number' 2 'err=is not of the form'
run export a.perp -o x.csv --frames 1:2:3:4; expect 'too much of it' 2 'err=is not of the form'
run export a.perp -o x.csv --frames 8:3; expect 'backwards' 2 'err=8 to 3 is not within [0, 11]'
run export a.perp -o x.csv --frames 0:12; expect 'beyond the end' 2 'err=0 to 12 is not within [0, 11]'
run export a.perp -o x.csv --frames ::0; expect 'standing still' 2 'err=the step 0 is not positive'
run export a.perp -o x.csv --frame 1 --frames 1:2; expect 'both' 2 'err=exclude each other'
run export a.perp -o x.ply --detail 0; expect 'no triangles' 2 'err=--detail = 0 is outside [1, 64]'
run export a.perp -o x.csv --what all; expect 'another table' 2 'err=--what = all is not one of bodies|contacts|steps'
run export a.perp -o - --to ply --frames 0:2; expect 'three files on one output' 2 'err=the standard output takes one frame'
run export a.perp -o - --to vtk; expect 'a collection, too' 2 'err=a collection has many files'
run export a.perp -o a.perp --to csv; expect 'over itself' 2 'err=a.perp is read here and would be overwritten'
run export a.perp -o x.pvd.gz; expect 'a packed collection' 2 'err=a .pvd collection cannot be compressed'
run export gone.perp -o x.csv; expect 'no such file' 6 'err=gone.perp: No such file'
run export a.perp -o none/x.csv; expect 'no such folder' 6 'err=none/x.csv: No such file'
echo 'no recording' >n.perp; run export n.perp -o x.csv; expect 'no recording' 3 'err=n.perp'
holds 'nothing was written' test -z "$(find . -name 'x*')"

# Recordings that are cut, damaged, or without contacts.
"$RECORD_SAMPLE" long.perp 70 cut
run export long.perp -o x.csv; expect 'a recording without an end' 0 'err=the end is missing; 70 frames are there' 'out=70 frames'
cp a.perp bad.perp; printf 'X' | dd of=bad.perp bs=1 seek=3000 conv=notrunc 2>/dev/null
run export bad.perp -o y.glb; expect 'a damaged one' 3 'err=bad.perp: chunk'
run run box --balls 5 --steps 10 --contacts none -o bare.perp -q
run export bare.perp -o y.csv --what contacts; expect 'contacts that were not recorded' 0 'err=the contacts of'
holds 'no damage, no file' test ! -e y.glb

# A full disk, and Ctrl-C.
for name in full.glb full.ply full.npz full.csv full.vtp full.pvd; do
  (ulimit -f 4; "$PERP" export a.perp -o "$name" --frame 1 >.out 2>.err); code=$? out='' err=$(<.err)
  [ "$name" = full.csv ] || [ "$name" = full.npz ] || expect "$name: a full disk" 6 'err=File too large'
done
(ulimit -f 4; "$PERP" export a.perp -o full.csv >.out 2>.err); code=$? out='' err=$(<.err); expect 'full.csv: a full disk' 6 'err=full.csv: File too large'
(ulimit -f 4; "$PERP" export a.perp -o full.npz >.out 2>.err); code=$? out='' err=$(<.err); expect 'full.npz: a full disk' 6 'err=full.npz: File too large'
holds 'leaves no file' test -z "$(find . -name 'full.???' -type f -size +8)"
"$RECORD_SAMPLE" i.perp 4000
"$PERP" export i.perp -o i_%d.ply --detail 64 --progress >.out 2>.err &
pid=$!
for ((i = 0; i < 300; i++)); do if grep -q ' frames  about ' .err || ! kill -0 "$pid" 2>/dev/null; then break; fi; sleep 0.1; done
kill -INT "$pid"; wait "$pid"; code=$? out=$(<.out) err=$(<.err)
expect 'Ctrl-C' 130 'err=interrupted after' 'err=whole files are there' 'err= frames  about '
leftovers 'no temporary file is left'
finish
