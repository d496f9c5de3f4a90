# perp reproduce: the experiments of papers, complete and well-formed.
# cost: 6
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"

run reproduce; expect 'reproduce alone lists the experiments' 0 'out=mns08'; narrow 'in 80 columns'
run reproduce --json; expect 'as JSON too' 0; json 'is one object' experiments
run reproduce mns80; expect 'a name with a slip' 2 "err=did you mean 'mns08'?"
run reproduce zebra; expect 'an unknown experiment' 2 "err='perp reproduce' lists them"
run reproduce mns08 -o ''; expect 'an empty name' 2 'err=the name of the directory is empty'
run reproduce mns08 -o nowhere/out; expect 'a folder that is not there' 6 'err=nowhere/out: cannot make the directory'
echo >file; run reproduce mns08 -o file; expect 'a file in the way' 2 'err=exists and is not a directory'
run reproduce mns08 --seed x -o y; expect 'a seed that is none' 2 'err=--seed = x'
holds 'nothing is made before the options are right' test ! -e y
mkdir locked; chmod a-w locked
if touch locked/probe 2>/dev/null; then echo 'ok - a folder without permission # skipped: root may write anywhere'
else run reproduce mns08 --quick -o locked; expect 'a folder without permission' 6 'err=cannot write into the directory'; fi

run reproduce mns08 --quick -o out; expect 'a quick run' 0 'out=table1.tsv' 'out=report.md' 'err=nb449_nc1821'
narrow 'its report fits 80 columns'
rectangular() {   # rectangular FILE ROWS: a head and ROWS rows, all with the same number of fields
  awk -F '\t' -v rows="$2" 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad || n < 3 || NR != rows + 1 }' "$1"
}
for series in '' -normal; do
  for table in 1:5 2:5 3:2 4:2; do
    file=out/table${table%:*}$series.tsv
    holds "$file is a table of ${table#*:} rows" rectangular "$file" "${table#*:}"
  done
  for figure in 1 2 3; do
    file=out/figure$figure$series.tsv
    holds "$file has points" test "$(wc -l <"$file")" -gt 5
    holds "$file: seconds and errors are positive" awk -F '\t' 'NR > 1 && !($2 > 0 && $3 > 0) { exit 1 }' "$file"
    holds "$file has the curves of PGS and of interior points" bash -c "grep -q '^PGS	' $file && grep -q '^interior point	' $file"
  done
done
column() { awk -F '\t' -v head="$2" 'NR == 1 { for (c = 1; c <= NF; c++) if ($c == head) k = c } NR > 1 { print $k }' "$1"; }
same() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "$2" "expected: $3"; fi; }
same 'the sizes are those in the names' "$(column out/table1.tsv n | xargs)" '18 45 48 1044 1821'
same 'the numbers of the paper stand beside ours' "$(column out/table1.tsv '1e-2, paper' | xargs)" '6 120 111 312 414'
same 'contact points are a third of the rows' "$(column out/table2.tsv points | xargs)" '6 15 16 348 607'
same 'or all of them' "$(column out/table2-normal.tsv points | xargs)" '18 45 48 1044 1821'
holds 'nobody finds more than there are' awk -F '\t' '
  NR > 1 { for (c = 3; c <= NF; c++) if (split($c, p, "/") == 2 && !(p[1] + 0 <= p[2] + 0 && p[2] + 0 <= $2 + 0)) exit 1 }' out/table2.tsv
holds 'the report shows the tables' grep -q '^| nb449_nc1821 | 1821 | 28,010 | ' out/report.md

# Table 1 counts sweeps of its own; the method pgs with the paper's measure must agree.
mine=$(column out/table1.tsv '1e-2, ours' | xargs)
method=
for name in $(column out/table1.tsv name); do
  "$PERP" gen bricks --preset "$name" -o "$name" >/dev/null
  run solve "$name" -m pgs --stop.measure mns08_r1 --stop.tol 1e-2 --tol 1e-14 --split no --presolve off --json
  method="$method $(sed -n 's/.*"iterations": *\([0-9]*\).*/\1/p' .out | head -n 1)"
done
same 'the method pgs needs as many sweeps' "$mine" "${method# }"

if command -v gnuplot >/dev/null; then
  for figure in 1 2 3; do holds "figure$figure.svg is drawn" grep -q '</svg>' "out/figure$figure.svg"; done
  holds 'the report shows the figures' grep -q '(figure3.svg)' out/report.md
fi
if [ -z "${PERP_BRIEF_TESTS:-}" ]; then   # once is enough under sanitizers and counting lines
  PATH=/nowhere run reproduce mns08 --quick --json -o again; expect 'the same again without gnuplot' 0 'err=gnuplot is not on PATH'
  json 'is one object' experiment=mns08 directory=again quick=true seed=0 files problems
  for table in 1 2; do
    for series in '' -normal; do holds "table$table$series.tsv has the same bytes" cmp "out/table$table$series.tsv" "again/table$table$series.tsv"; done
  done
  holds 'there are numbers' test -s again/figure1.tsv
  holds 'and no pictures' test ! -e again/figure1.svg
fi
run reproduce ane17 --quick -o liquid; expect 'the pressures of a liquid' 0 'out=separating.tsv' 'out=report.md' 'err=48 x 48'
narrow 'its report fits 80 columns'
holds 'solvers and preconditioners for slip' rectangular liquid/slip.tsv 24
holds 'and for walls that let go' rectangular liquid/separating.tsv 24
holds 'three resolutions' rectangular liquid/resolution.tsv 3
holds 'six xi each' rectangular liquid/xi.tsv 18
certified() { column liquid/resolution.tsv auto_residual | awk '!($1 > 0 && $1 <= 1e-8) { bad = 1 } END { exit bad || NR != 3 }'; }
holds 'auto is certified' certified
same 'names of columns differ by more than spaces' "$(head -n 1 liquid/resolution.tsv | tr '\t' '\n' | sed 's/ *$//' | sort | uniq -d)" ''
same 'runs that 10 Newton steps did not end are marked' "$(awk -F '\t' '$2 == "0.5" { print $3, $7 }' liquid/xi.tsv | sort -u)" '> 10 iteration limit'
same 'and not drawn' "$(column liquid/xi-iterations.tsv xi | sort -u | grep -c '^0.5')" 0
holds 'the others are done' awk -F '\t' 'NR > 1 && $2 != "0.5" && $7 != "measure reached" && $7 != "solved" { exit 1 }' liquid/xi.tsv
same 'slip reaches its threshold here' "$(column liquid/slip.tsv ended | sort -u)" '1e-5 reached'
faster() { awk -F '\t' '$1 == "cg" && $2 == "identity" { a = $3 } $1 == "cg" && $2 == "ic" { b = $3 } END { exit !(b > 0 && 2*b < a) }' liquid/slip.tsv; }
holds 'incomplete Cholesky halves the iterations' faster
run reproduce mns08 --quick --quiet --seed 5 --json -o /dev/null/x; expect 'quietly, and in vain' 6
leftovers 'nothing is left behind'
finish
