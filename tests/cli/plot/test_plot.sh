# --plot and perp plot: SVG and PNG through gnuplot, and clear messages where something is missing.
# cost: 4
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
tiny p
"$PERP" gen obstacle --size 12 -o o >/dev/null || exit 99
"$PERP" gen torsion --nx 12 --ny 9 -o t >/dev/null || exit 99
"$PERP" gen torsion --nx 12 --ny 9 --c -9 -o back >/dev/null || exit 99
"$PERP" gen fluid2d --size 8 -o f >/dev/null || exit 99

# well_formed FILE: an SVG that an XML parser accepts, where there is one.
well_formed() {
  grep -q '</svg>' "$1" || return 1
  command -v python3 >/dev/null || return 0
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"
}
is_png() { head -c 4 "$1" | grep -q PNG; }

holds 'gen tells the grid' grep -q '"nx": 12, "ny": 12' o/grid.json
holds 'only where there is one' bash -c '"$PERP" gen murty -o m >/dev/null && test ! -e m/grid.json'
"$PERP" gen obstacle --size 5 -o g --gz >/dev/null; holds 'packed with --gz' test -s g/grid.json.gz -a ! -e g/grid.json
"$PERP" gen murty -o g -f >/dev/null; holds 'gone with the problem' test ! -e g/grid.json -a ! -e g/grid.json.gz

printf '# a comment\nn,seconds,method\n\n10,0.1,"a, b"\n100,1.5,"a, b"\n10,0.3,c""d\n100,,c""d\n' >times.csv
printf 'x\tresidual\n0\t1\n1\t0\n2\tnan\n' >r.tsv
PATH=/nowhere run solve p --plot c.svg; expect 'without gnuplot' 5 'err=--plot needs gnuplot' 'err=apt install gnuplot-nox'
PATH=/nowhere run plot o -o c.svg; expect 'perp plot without gnuplot' 5 'err=-o needs gnuplot' 'err=apt install gnuplot-nox'
holds 'nothing is written' test ! -e c.svg
run solve p --plot c.pdf; expect 'another suffix' 2 'err=must end in .svg or .png'
run plot p/b.mtx -o c.svg; expect 'a vector alone' 2 "err=p/b.mtx is a matrix or a vector; name the problem's directory first"
run plot o -o c.pdf; expect 'another suffix here' 2 'err=must end in .svg or .png'
run plot o; expect 'no picture named' 2 'err=-o picture.svg'
run plot -o c.svg; expect 'nothing to draw' 2 'err=usage: perp plot DIR'
if ! command -v gnuplot >/dev/null; then
  echo 'ok - plots # skipped: no gnuplot'
  finish
  exit
fi

run solve o -m psor --plot c.svg; expect 'an SVG' 0 'out=c.svg'; silent 'without noise'
holds 'is one' well_formed c.svg
holds 'the end is marked' grep -q '>solved<' c.svg
run solve o -m psor --plot u.svg --iteration-limit 2; expect 'an end without a solution' 1
holds 'is marked too' grep -q '>ended unsolved<' u.svg
holds 'and has whole iterations only' bash -c '! grep -Eq ">0.5<" u.svg'
run solve o -m psor --plot c.png; expect 'a PNG' 0 'out=c.png'
holds 'is one' is_png c.png
run solve o -m pgs --stop.measure box --plot "it's \"me\".svg"; expect 'a measure, and quotes in the name' 0
holds 'is there' grep -q '>box<' "it's \"me\".svg"
run solve p -m enumerate --plot e.svg; expect 'a solve without iterations' 0
holds 'is drawn too' grep -q '</svg>' e.svg
run solve o --plot nowhere/c.svg; expect 'a folder that is not there' 6 'err=nowhere/c.svg'

# fields
run plot o -o o.svg; expect 'a field' 0 'out=solved' 'out=at lo' 'out=o.svg'; silent 'without noise'
holds 'is SVG' well_formed o.svg
holds 'with its legend' grep -q 'free boundary' o.svg
holds 'its contact set' grep -Eq 'contact \([0-9]+\)' o.svg
holds 'its verdict' grep -q 'solved by' o.svg
holds 'and its picture inside' grep -q 'data:image/png;base64' o.svg
run solve o -o x.mtx; run plot o x.mtx -o o.png; expect 'an x that is given' 0 'out=solved'
holds 'is drawn as PNG' is_png o.png
matrix zero.mtx 144 1 $(yes 0 | head -n 144)
run plot o zero.mtx -o z.svg; expect 'an x that is no solution' 1 'out=unsolved' 'out=what is drawn is not a solution'
holds 'is drawn and said to be none' grep -q 'x is no solution' z.svg
run plot o x.mtx -o j.svg --json; expect 'perp plot --json' 0; json 'counts the rows' kind=field status=solved n=144 at_lo free at_hi=0 plot=j.svg
run plot o x.mtx -o y.svg --value y; expect 'the contact force' 0; holds 'has its name' grep -q 'y = A x + b' y.svg
run plot o x.mtx -o y.svg --value z; expect 'another letter' 2 'err=--value = z is not one of x|y'
"$PERP" gen bearing -o oil >/dev/null; run plot oil -o oil.svg; expect 'the cavity of MINPACK-2' 0 'out=824 at lo, 1676 free, 0 at hi'
holds 'angles in halves of pi' grep -q '>3π/2<' oil.svg
run plot t -o t.svg; expect 'bounds on both sides' 0 'out=0 at lo'; holds 'say which' grep -q 'plastic, at the distance' t.svg
run plot back -o b.svg; expect 'twisted the other way' 0 'out=0 at hi'; holds 'says so' grep -q 'plastic, at -distance' b.svg
run plot f -o f.svg --title 'a <title> & more'; expect 'a partly filled grid' 0; holds 'with a title' well_formed f.svg
run plot o x.mtx -o k.svg --kind matrix; expect 'the matrix instead' 0; holds 'is drawn' grep -q 'column of A' k.svg
run plot p -o p.svg; expect 'a problem without a grid' 0; holds 'shows matrix and pairs' grep -q 'distance of x from its bound' p.svg
run plot p -o p.svg --grid 2x1; expect 'a grid on the command line' 0
run plot -A p/A.mtx -b p/b.mtx -o q.svg; expect 'files one by one' 0; holds 'are drawn' well_formed q.svg
matrix half.mtx 2 1 0.5 0; run plot -A p/A.mtx -b p/b.mtx half.mtx -o q.svg; expect 'with x' 0 'out=solved'
run plot p -o p.svg --grid 3x4; expect 'a wrong grid' 3 'err=12 unknowns, but A has 2 rows'
run plot p -o p.svg --grid zebra; expect 'no grid' 2 'err=--grid = zebra is not of the form 50x40'
run plot p -o p.svg --kind field; expect 'a field without a grid' 2 'err=needs a grid'
run plot p -o p.svg --kind zebra; expect 'an unknown kind' 2 'err=--kind = zebra is not one of field|matrix'
cp -r o bad; echo '{"nx": 12, "ny": 0}' >bad/grid.json; run plot bad -o x.svg; expect 'a bad grid.json' 3 'err=bad/grid.json: nx and ny'
echo '{' >bad/grid.json; run plot bad -o x.svg; expect 'a broken one' 3 'err=bad/grid.json:'
echo '{"nx": 12, "ny": 12, "filled": [1, 2]}' >bad/grid.json; run plot bad -o x.svg; expect 'a short list' 3 'err=filled must be'
echo '{"nx": 12, "ny": 12, "x": {"step": -1}}' >bad/grid.json; run plot bad -o x.svg; expect 'a step back' 3 'err=must be positive'
holds 'no half picture' test ! -e x.svg
run plot o -o nowhere/c.svg; expect 'a folder that is not there, here' 6 'err=nowhere/c.svg'
run plot zebra -o c2.svg; expect 'a problem that is not there' 3 'err=no such directory, table or recording'
run plot o -o c2.svg -m pgs --time-limit 1e-9; expect 'a time limit' 1 'out=unsolved'; holds 'still draws' well_formed c2.svg

# tables
run plot times.csv -o a.svg --by method --log x,y; expect 'a table' 0 'out=4 rows, 2 curves'; holds 'is drawn' well_formed a.svg
holds 'with the names of its curves' grep -q '>a, b<' a.svg
printf 'seconds\n3\n1\n2\n' >one.csv; run plot one.csv -o one.svg; expect 'one column' 0 'out=3 rows, 1 curve'
holds 'is drawn over its rows' grep -q '>row<' one.svg
run plot r.tsv -o r.svg --log y; expect 'TSV with a zero and a gap' 0 'out=1 curve'
"$PERP" solve o -m psor --trace t.csv >/dev/null; run plot t.csv -o tr.svg --x iteration --y residual,seconds --log y
expect 'a trace' 0 'out=2 curves'; run plot - -o s.svg <t.csv; expect 'an empty standard input' 3 'err=stdin: expected a header'
run plot times.csv -o d.svg --x zeconds; expect 'a column with a slip' 2 "err=did you mean 'seconds'?"
run plot times.csv -o d.svg --y method; expect 'a column of words' 3 'err=no numbers in column method'
run plot times.csv -o d.svg --y zebra; expect 'no such column' 2 'err=the columns are n, seconds, method'
run plot times.csv -o d.svg --x method; expect 'a column of words' 3 'err=no numbers in column method'
run plot times.csv -o d.svg --log z; expect 'an axis that is none' 2 'err=write x, y or x,y'
run plot times.csv -o d.svg --grid 2x2; expect 'an option for problems' 2 'err=--grid is for problems'
run plot o -o d.svg --by method; expect 'an option for tables' 2 'err=--by is for tables'
printf 'a,b\n1,2\n3\n' >short.csv; run plot short.csv -o d.svg; expect 'a short row' 3 'err=short.csv:3: expected 2 fields'
run plot times.csv r.tsv -o d.svg; expect 'two tables' 2 'err=one table at a time'
run plot times.csv -o w.svg --json; expect 'a table --json' 0; json 'counts curves' kind=table rows=4 curves=1
holds 'none of them leaves a file' test ! -e d.svg

# recordings
"$RECORD_SAMPLE" a.perp 70 && "$RECORD_SAMPLE" b.perp 30 cut
run plot a.perp; expect 'a recording' 0 'out=a.perp: 69 steps, 2 not solved' 'out=a.svg'; silent 'without noise'
holds 'becomes a.svg' well_formed a.svg
for text in 'spheres that swing in a bowl' 'time, s' 'energy, J' kinetic potential dissipated total contacts 'tolerance 1e-08' \
  'not solved: 2' iterations 'overlap, m' record_sample; do holds "with '$text'" grep -q ">.*$text" a.svg; done
holds 'a cross for each step that was not solved, and one in the legend' test "$(grep -o "#gpPt1'" a.svg | wc -l)" = 3
run plot a.perp b.perp -o both.svg; expect 'two recordings' 0 'out=a.perp: 69 steps' 'out=b.perp: 29 steps' 'err=b.perp: the end is missing'
holds 'have names' grep -q '>b kinetic<' both.svg; holds 'and colours' grep -q '>a kinetic<' both.svg
run plot a.perp -o e.png --what energies; expect 'one chart, as PNG' 0; holds 'is a PNG' test "$(head -c 4 e.png | tail -c 3)" = PNG
mkdir tap; printf '#!/bin/sh\ncat >script\necho "<svg></svg>"\n' >tap/gnuplot; chmod +x tap/gnuplot
run run hollow-sphere --spheres 4 --steps 40 -o h.perp -q; PATH=$PWD/tap:$PATH run plot h.perp -o h.svg --what energies
for name in kinetic potential; do
  "$RECORD_INFO" h.perp "$name" | awk '{ printf "%.5g\n", $1 }' >"$name"
  holds "the $name energy is that of the recording" awk -v name="$name" 'NR == FNR { want[++n] = $1; next }
    NF == 2 && $1 ~ /^[0-9]/ { got = sprintf("%.5g", $2); at = got == want[at + 1] ? at + 1 : got == want[1]; if (at == n) found = 1 }
    END { exit !(found && n == 41) }' "$name" script
done
run plot a.perp -o e.svg --what penetration,residuals; expect 'two of them' 0; holds 'no others' test "$(grep -c '>energy, J<' e.svg)" = 0
run plot a.perp -o s.svg --step 5; expect 'a step' 0; holds 'has its convergence' grep -q 'the largest island of step 5' s.svg
run plot a.perp -o s.svg --json; json 'recordings --json' kind=recording panels=5 plot=s.svg
run run box --balls 0 --steps 2 -o none.perp -q; run plot none.perp -o n.svg; expect 'a recording without bodies' 0; holds 'says so' grep -q 'nothing to solve' n.svg
cp a.perp renamed; run plot renamed -o r2.svg; expect 'a recording under another name' 0 'out=renamed: 69 steps'
run plot a.perp -o d.svg --what energy; expect 'another curve' 2 'err=--what = energy: choose from energies, contacts, residuals, iterations, penetration and all'
run plot a.perp -o d.svg --what energies,; expect 'half a list' 2 'err=choose from'
run plot a.perp -o d.svg --step 70; expect 'a step that is not there' 2 'err=--step = 70 is outside [1, 69]'
run plot a.perp -o d.svg --step 3 --what energies; expect 'both' 2 'err=contradict'
run plot a.perp -o d.svg --by method; expect 'an option for tables, here' 2 'err=--by is for tables, and a.perp is a recording'
run plot times.csv -o d.svg --what energies; expect 'an option for recordings' 2 'err=--what is for recordings'
run plot a.perp times.csv -o d.svg; expect 'a table among recordings' 3 'err=times.csv'
head -c 700 a.perp >cut.perp; run plot cut.perp -o d.svg; expect 'a recording without a step' 3 'err=cut.perp'
holds 'none of them leaves a file' test ! -e d.svg
# A legend of long lines covers no curve: it is below where every corner has one.
printf 'curve\tn\titerations\nCG inside of Newton, separating\t50\t450\nCG inside of Newton, separating\t512\t5000\nauto, separating: multigrid cycles\t50\t7\nauto, separating: multigrid cycles\t512\t7\n' >long.tsv
height_of() { awk -v "what=>$1<" '/translate\(/ { at = $0; sub(/.*translate\([^,]*,/, "", at); sub(/\).*/, "", at) } index($0, what) { print int(at); exit }' "$2"; }
run plot long.tsv -o long.svg --by curve --log x,y; expect 'curves with long names' 0
holds 'are named below the axis' test "$(height_of 'auto, separating: multigrid cycles' long.svg)" -gt "$(height_of n long.svg)"

# What gnuplot gets are the numbers of the recording.
mkdir spy; printf '#!/bin/sh\ncat >%s/script\nexec %s <%s/script\n' "$PWD" "$(command -v gnuplot)" "$PWD" >spy/gnuplot; chmod +x spy/gnuplot
PATH=$PWD/spy:$PATH run plot a.perp -o e.svg --what energies
"$PERP" export a.perp -o - --to csv --what steps | awk -F, 'NR > 1 { printf "%.9g %.9g\n", $2, $12 }' >kinetic
holds 'all of them' test "$(grep -cxFf kinetic script)" -ge 70

mkdir bin; printf '#!/bin/sh\nexit 3\n' >bin/gnuplot; chmod +x bin/gnuplot
PATH=$PWD/bin:$PATH run solve o --plot fail.svg; expect 'a gnuplot that fails' 5 'err=gnuplot could not draw'
PATH=$PWD/bin:$PATH run plot o x.mtx -o fail.svg; expect 'for perp plot, too' 5 'err=gnuplot could not draw'
holds 'leaves no file' test ! -e fail.svg
echo kept >fail.svg; PATH=$PWD/bin:$PATH run plot o x.mtx -o fail.svg; holds 'and an old one alone' grep -qx kept fail.svg
leftovers 'nothing is left behind'
finish
