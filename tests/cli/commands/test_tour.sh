# scripts/tour.sh, the first half of ./run: a short table, the full one in a file, eight curves a panel.
# cost: 12
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"

# The tour works in the folder above its own and names the program as ./run builds it, so that the
# width of its lines does not depend on where this build is.
mkdir -p scripts build/release/cli; cp "$SOURCE"/scripts/{tour,stage}.sh scripts/; ln -s "$PERP" build/release/cli/perp
methods='jacobi pgs psor southwell nncg apgd interior_point fischer_newton principal_pivoting lemke minmap_newton auto'
PERP='' PERP_TOUR_METHODS=$methods PERP_TOUR_SECONDS=1 scripts/tour.sh >.out 2>.err </dev/null; code=$? out=$(<.out) err=$(<.err)
expect 'the tour' 0 'out=fastest certified' 'out=auto took'; narrow 'fits 80 columns'
holds 'its table has a line for each problem' test "$(sed -n '/^problem /,/^$/p' .out | wc -l)" = 6
holds 'the full one is a file' test "$(wc -l <out/table.tsv)" -gt 40
holds 'which is not printed' test "$(wc -l <.out)" -le 32

# Each line of the short table against the full one.
for problem in fluid wall mixed friction; do
  best=$(awk -F'\t' -v p="$problem" '$1 == p && $4 == "solved" && $3 !~ /^auto/ { print $7 "\t" $3 }' out/table.tsv | sort -g | head -n 1 | cut -f 2)
  solved=$(awk -F'\t' -v p="$problem" '$1 == p && $4 == "solved"' out/table.tsv | wc -l)
  all=$(awk -F'\t' -v p="$problem" '$1 == p' out/table.tsv | wc -l)
  took=$(awk -F'\t' -v p="$problem" '$1 == p && sub(/^auto: /, "", $3) { print $3 }' out/table.tsv)
  holds "$problem: $solved of $all, $best, auto took $took" grep -Eq "^$problem +[0-9]+  $solved of $all +$best, .*  $took, " .out
done
holds 'what was left out is told in a file' test -e out/left-out.txt

if command -v gnuplot >/dev/null; then
  holds 'the curves are drawn' test -s out/convergence.png
  colours=$(sed -n 's/^set style line \([1-9]\|[1-9][0-9]\) lc rgb "\(#[0-9a-f]*\)".*/\1 \2/p' out/convergence.gp | grep -v '^99 ')
  holds 'of eight methods at most' test "$(wc -l <<<"$colours")" -le 8
  holds 'in a colour each' test "$(cut -d' ' -f2 <<<"$colours" | sort -u | wc -l)" = "$(wc -l <<<"$colours")"
  holds 'in each panel' awk '/^  plot /  { panels++; n = 0 } / with lines ls / { if (++n > 8) bad = 1; total++ } END { exit bad || panels != 4 || total < 12 }' out/convergence.gp
fi
finish
