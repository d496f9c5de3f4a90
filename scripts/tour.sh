#!/usr/bin/env bash
# A tour of perp: generates different problems, solves each with every method, prints one line per
# problem and plots the convergence of eight methods. All results are in out/.
#
#   scripts/tour.sh                        normally called by ./run
#   scripts/tour.sh DIR...                 solve your own problems instead; results in out/own/
#   PERP=path/to/perp scripts/tour.sh      use another build of the program
#   PERP_TOUR_METHODS='pgs auto' ...       use only these methods
#   PERP_TOUR_SECONDS=1 ...                use another time limit per solve (default 3)
set -uo pipefail
own=()
for folder in "$@"; do
  own+=("$(realpath -e -- "$folder")") || { echo "tour: $folder: there is no such directory" >&2; exit 3; }
done
cd "$(dirname "$0")/.." || exit 1

# name | arguments of `perp gen` | title of the panel | its directory, if it is not generated
problems=(
  'fluid|fluid2d --size 48|A swirling liquid that may leave its walls|'
  'wall|wall|Contact forces in a wall of bricks|'
  'mixed|mixed --n 1000|Free, boxed, fixed and one-sided rows|'
  'friction|friction|Coulomb friction in a heap of spheres|'
)
out=out
if [ ${#own[@]} -gt 0 ]; then
  problems=() out=out/own
  for folder in "${own[@]}"; do problems+=("$(basename "$folder" | tr '|"\t' '___')|||$folder"); done
fi
perp=${PERP:-build/release/cli/perp}
seconds=${PERP_TOUR_SECONDS:-3}
results=$out/results
convergence=$out/convergence

[ -n "${stage_index:-}" ] || stage_total=$((${#own[@]} > 0 ? 2 : 3))
# shellcheck source=scripts/stage.sh
. scripts/stage.sh
[ -x "$perp" ] || { echo "tour: there is no program $perp; ./run builds it" >&2; exit 5; }

# ------------------------------------------------------------------------------------ the problems

rm -rf "$results"
mkdir -p "$results"
if [ ${#own[@]} -eq 0 ]; then stage_begin "generating ${#problems[@]} problems into $out/"; fi
for problem in "${problems[@]}"; do
  IFS='|' read -r name arguments title folder <<<"$problem"
  if [ -n "$folder" ]; then continue; fi
  rm -rf "${out:?}/$name"
  # shellcheck disable=SC2086  # the arguments are words
  if ! stage_quietly "$results/$name.gen.txt" "$perp" gen $arguments -o "$out/$name"; then
    stage_end FAILED
    stage_show "$results/$name.gen.txt"
    exit 1
  fi
done
if [ ${#own[@]} -eq 0 ]; then stage_end; fi

# -------------------------------------------------------------------------------------- the solves

methods=${PERP_TOUR_METHODS:-$("$perp" methods --all --names)} || exit 1
methods=$(echo "$methods" | tr -s '[:space:]' '\n' | sed '/^$/d')
if grep -qx auto <<<"$methods"; then methods=$(grep -vx auto <<<"$methods"; echo auto); fi
count=$((${#problems[@]} * $(wc -l <<<"$methods")))

# field KEY FILE: the first value of "KEY" in a JSON object, without its quotes.
field() {
  awk -v key="\"$1\"" '
    { text = text " " $0 }
    END {
      at = index(text, key)
      if (!at) exit
      rest = substr(text, at + length(key))
      sub(/^[ \t\r]*:[ \t\r]*/, "", rest)
      if (rest ~ /^"/) {
        rest = substr(rest, 2)
        sub(/".*/, "", rest)
      } else sub(/[],} \t\r].*/, "", rest)
      if (rest != "null") print rest
    }' "$2"
}

# progress DONE TEXT: a bar on a terminal; elsewhere progress_problem prints a line for each problem.
if [ -n "${NO_COLOR:-}" ]; then bright='' faint='' plain=''; else bright=$'\e[32m' faint=$'\e[2m' plain=$'\e[0m'; fi
progress() {
  local width=32 full
  full=$(($1 * width / count))
  if [ -t 2 ]; then
    printf '\r\e[K      %s%s%s%s%s %d/%d  %s' \
      "$bright" "$(printf '%*s' "$full" '' | tr ' ' '#')" \
      "$plain$faint" "$(printf '%*s' $((width - full)) '' | tr ' ' '.')" "$plain" "$1" "$count" "$2" >&2
  fi
}
progress_problem() { if [ ! -t 2 ]; then printf '      %d/%d  %s\n' "$1" "$count" "$2" >&2; fi; }
progress_end() { if [ -t 2 ]; then printf '\r\e[K' >&2; fi; }

# word_of CODE: how a solve ended that has no status but this exit code.
word_of() {
  case $1 in
    0) echo 'no result' ;;
    2 | 4) echo 'not accepted' ;;
    3) echo 'bad input' ;;
    5) echo 'not built in' ;;
    130) echo 'interrupted' ;;
    *) if [ "$1" -gt 128 ]; then echo "crashed ($1)"; else echo "error $1"; fi ;;
  esac
}

stage_begin "solving them with $(wc -l <<<"$methods") methods, at most $seconds s each"
echo
trap 'progress_end; exit 130' INT
printf 'problem\tn\tmethod\tstatus\titerations\tresidual\tseconds\n' >"$out/table.tsv"
printf 'problem\tmethod\titeration\tseconds\tresidual\tend\n' >"$convergence.tsv"
done=0 crashed=0 refused='' idle=''
for problem in "${problems[@]}"; do
  IFS='|' read -r name arguments title folder <<<"$problem"
  size=''
  progress_problem "$done" "$name"
  for method in $methods; do
    progress "$done" "$name: $method"
    base=$results/$name-$method
    code=0
    "$perp" solve "${folder:-$out/$name}" --method "$method" --time-limit "${seconds}s" --json \
      --trace "$base.csv" -o "$base.x.mtx" >"$base.json" 2>"$base.err" </dev/null || code=$?
    done=$((done + 1))
    if [ "$code" -eq 130 ]; then progress_end; exit 130; fi
    if [ "$code" -gt 128 ]; then crashed=$((crashed + 1)); fi

    status=$(field status "$base.json" | tr _ ' ')
    case $status in '' | error) status=$(word_of "$code") ;; esac
    if [ "$status" = 'not accepted' ]; then     # too large for it, or bounds that it cannot take
      why=$(sed -n "1{s/^perp[^:]*: $method //;s/[,;].*//;s/ (operator.*//;p}" "$base.err")
      refused+=$method$'\t'$name$'\t'$why$'\n'
      continue
    fi
    if [ "$status" = unsolved ] && [ "$(field iterations "$base.json")" = 0 ]; then
      idle+=$method$'\t'$name$'\t'$(field message "$base.json" | sed 's/[:;].*//')$'\n'
    fi
    label=$method
    chosen=$(field method "$base.json")
    if [ -n "$chosen" ] && [ "$chosen" != "$method" ]; then label="$method: $chosen"; fi
    known=$(field n "$base.json")
    size=${known:-$size}
    row=$name
    for value in "$size" "$label" "$status" "$(field iterations "$base.json")" \
      "$(field residual "$base.json")" "$(field seconds "$base.json")"; do
      row+=$'\t'${value:--}
    done
    echo "$row" >>"$out/table.tsv"

    # The curve: the best residual so far, which is that of the x that would be returned, at most some
    # 400 points, evenly spread over the logarithm of the iteration. Only the last row of a trace is
    # certified; what a method estimates to be better than that was not.
    [ -s "$base.csv" ] || continue
    awk -F, -v OFS='\t' -v problem="$name" -v method="$method" -v solved="$([ "$status" = solved ] && echo 1 || echo 2)" '
      NR == FNR { if (FNR > 1) end = $column["residual"]; else for (i = 1; i <= NF; i++) column[$i] = i; next }
      FNR == 1 { next }
      { if (FNR == 2 || $column["residual"] + 0 < best + 0) best = $column["residual"] }
      best + 0 < end + 0 { best = end }
      {
        held = problem OFS method OFS $column["iteration"] OFS $column["seconds"] OFS best
        waiting = 1
        if ($column["iteration"] < next_shown) next
        next_shown = $column["iteration"]*1.02
        pending = pending held OFS 0 "\n"
        waiting = 0
      }
      END {
        if (!waiting) sub(/0\n$/, "", pending)      # the last point carries the mark of the end
        else pending = pending held OFS
        if (FNR > 1) printf "%s%d\n", pending, solved
      }' "$base.csv" "$base.csv" >"$base.curve.tsv"
    cat "$base.curve.tsv" >>"$convergence.tsv"
  done
done
progress_end
solved_rows=$(($(wc -l <"$out/table.tsv") - 1))
stage_end "      $solved_rows solves"

# ---------------------------------------------------------------------------------------- the plot

# drawn METHOD [PROBLEM [ITERATIONS]]: whether there is a curve of at least ITERATIONS (1) iterations.
drawn() {
  awk -F'\t' -v m="$1" -v p="${2:-}" -v least="${3:-1}" '
    $2 == m && (p == "" || $1 == p) && $3 >= least { found = 1; exit }
    END { exit !found }' "$convergence.tsv"
}

# chosen: at most eight methods, a colour each. auto, the fastest that solved each problem, then those
# that solved most problems, in the least time; the others are in the table.
curves_most=8
ranked=$(awk -F'\t' '
  NR == 1 { next }
  { sub(/:.*/, "", $3); if (!($3 in all)) order[++count] = $3; all[$3] = 1 }
  $4 == "solved" {
    solved[$3]++
    time[$3] += $7
    if ($3 != "auto" && (!($1 in best) || $7 + 0 < fastest[$1])) { best[$1] = $3; fastest[$1] = $7 + 0 }
  }
  $4 != "solved" { time[$3] += $7 }
  END {
    if ("auto" in all) print "auto"
    for (p in best) first[best[p]] = 1
    for (i = 1; i <= count; i++) if (order[i] in first) print order[i]
    for (i = 1; i <= count; i++) {      # the rest by rank
      top = ""
      for (k = 1; k <= count; k++) {
        m = order[k]
        if (m == "auto" || m in first || m in done) continue
        if (top == "" || solved[m] > solved[top] || (solved[m] == solved[top] && time[m] < time[top])) top = m
      }
      if (top != "") { print top; done[top] = 1 }
    }
  }' "$out/table.tsv")
chosen='' dots=''
for method in $ranked; do
  if drawn "$method" '' 2; then chosen+=$method$'\n'
  elif drawn "$method"; then dots+=$method$'\n'; fi
done
chosen=$(head -n "$curves_most" <<<"$chosen$dots")   # what solves at once is a dot: only if there is room
chosen=$(for method in $methods; do grep -x -- "$method" <<<"$chosen"; done)   # in the order of all

panels=${#problems[@]}
columns=$((panels > 1 ? 2 : 1))
rows=$(((panels + columns - 1) / columns))
{
  cat <<GNUPLOT
# Best residual so far against iteration, one panel per problem. Run in this directory: gnuplot convergence.gp
curve(p, m) = "results/".p."-".m.".curve.tsv"      # together: convergence.tsv
shown(r) = r > 1e-16 ? r : 1e-16        # zero has no logarithm
set datafile separator "\t"
set key off
set border 3 lc rgb "#555555"
set tics nomirror out scale 0.6 textcolor rgb "#333333"
set grid xtics ytics lt 1 lc rgb "#e6e6e6" lw 1
set logscale xy
set format x "10^{%T}"
set format y "10^{%T}"
set ytics 1e2
set mxtics 1
set mytics 1
set style line 99 lc rgb "#777777" lw 1.5 dt (2,5)
set xlabel "iteration" textcolor rgb "#333333" offset 0,0.4
set ylabel "best residual so far" textcolor rgb "#333333" offset 1.6,0
GNUPLOT
  index=0
  for method in $chosen; do
    # Distinguishable colours, also for colour-blind readers.
    colours=('#0072b2' '#e69f00' '#009e73' '#d55e00' '#56b4e9' '#cc79a7' '#8a6d00' '#882255')
    colour=${colours[$index]} width=2 dash=1
    mark='pt 7 ps 0.75'
    # auto lies on top of the method that it chose: thin dashes and a ring leave that one visible.
    if [ "$method" = auto ]; then colour='#111111' width=1.3 dash='(8,7)' mark='pt 6 ps 1.4'; fi
    index=$((index + 1))
    echo "set style line $index lc rgb \"$colour\" lw $width dt $dash $mark"
    echo "set style line $((index + 100)) lc rgb \"$colour\" lw 2 pt 2 ps 0.8"
  done

  # The legend: a line sample and a name for each method, in centred rows below the panels.
  legend='' legend_row='' legend_rows=() legend_width=0 index=0
  for method in $chosen; do
    index=$((index + 1))
    if ! drawn "$method"; then continue; fi
    entry=$((68 + 8 * ${#method}))
    if [ $((legend_width + entry)) -gt 1040 ]; then
      legend_rows+=("$legend_width$legend_row")
      legend_row='' legend_width=0
    fi
    legend_row+=" $index:$method:$legend_width"
    legend_width=$((legend_width + entry))
  done
  legend_rows+=("$legend_width$legend_row")
  height=$((rows * 362 + 94 + 24 * ${#legend_rows[@]}))
  bottom=$((24 * ${#legend_rows[@]} - 4))
  for row in "${legend_rows[@]}"; do
    read -r legend_width entries <<<"$row"
    for entry in $entries; do
      IFS=: read -r index method offset <<<"$entry"
      left=$(((1100 - legend_width) / 2 + offset + 12))
      legend+="  set arrow from screen $left/1100.0, screen $bottom.0/$height to screen $((left + 30))/1100.0, screen $bottom.0/$height nohead ls $index"$'\n'
      legend+="  set label \"$method\" at screen $((left + 37))/1100.0, screen $bottom.0/$height left noenhanced textcolor rgb \"#222222\""$'\n'
    done
    bottom=$((bottom - 24))
  done
  cat <<GNUPLOT
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size 1100,$height font "DejaVu Sans,13" background "#ffffff" }
  if (kind eq "png") { set terminal pngcairo size 1100,$height font "DejaVu Sans,10.5" background "#ffffff" }
  set output "convergence.".kind
  set multiplot
  set label 1 "{/*1.45 How fast do methods converge?}" at screen 0.5, screen 1 - 30.0/$height center textcolor rgb "#111111"
  set label 2 "• solved, × ended unsolved; dotted: the tolerance 10^{-8}" at screen 0.5, screen 1 - 56.0/$height center textcolor rgb "#666666"
$legend
GNUPLOT
  panel=0
  for problem in "${problems[@]}"; do
    IFS='|' read -r name arguments title folder <<<"$problem"
    n=$(awk -F'\t' -v p="$name" '$1 == p && $2 != "-" { print $2; exit }' "$out/table.tsv")
    last=$(awk -F'\t' -v p="$name" '
      $1 == p && $5 != "" && $3 > last { last = $3 }
      END { printf "%d", (last > 4 ? 1.25*last : 5) }' "$convergence.tsv")
    row=$((panel / columns)) column=$((panel % columns))
    panel=$((panel + 1))
    cat <<GNUPLOT
  set lmargin at screen ($column + 0.13)/$columns.0
  set rmargin at screen ($column + 0.96)/$columns.0
  set tmargin at screen 1 - ($row*362 + 118.0)/$height
  set bmargin at screen 1 - ($row*362 + 372.0)/$height
  set title "{/:Bold ${name//_/\\\\_}}  ${title:+$title, }n = ${n:-?}" textcolor rgb "#222222" offset 0,-0.4
GNUPLOT
    echo '  set arrow from graph 0, first 1e-8 to graph 1, first 1e-8 nohead ls 99'
    # the first curve is not to be seen: it makes the range include the tolerance
    printf '  plot [1:%d][1e-16 < * : * < 1e1] 3e-9 with lines lc rgb "#00ffffff" notitle' "$last"
    index=0
    for method in $chosen; do
      index=$((index + 1))
      if ! drawn "$method" "$name"; then continue; fi
      # shellcheck disable=SC2016  # the dollars are gnuplot's
      for marks in '$3 >= 1|lines|0' '$6 == 1|points|0' '$6 == 2|points|100'; do
        IFS='|' read -r condition style shift <<<"$marks"
        printf ', \\\n    curve("%s", "%s") using (%s ? $3 : NaN):(shown($5)) with %s ls %d notitle' \
          "$name" "$method" "$condition" "$style" $((index + shift))
      done
    done
    printf '\n  unset label\n  unset arrow\n'
  done
  printf '  unset multiplot\n}\nset output\n'
} >"$convergence.gp"

stage_begin 'plotting the convergence'
if ! command -v gnuplot >/dev/null; then
  stage_end 'left out: gnuplot is missing'
  plotted=2
elif stage_quietly "$results/gnuplot.txt" env -C "$out" gnuplot convergence.gp && [ -s "$convergence.svg" ] && [ -s "$convergence.png" ]; then
  stage_end
  plotted=1
else
  stage_end FAILED
  stage_show "$results/gnuplot.txt"
  plotted=0
fi

# --------------------------------------------------------------------------------------- the table

# Per problem: how many methods solved it, which was the fastest, and what auto did.
short_table() {
  awk -F'\t' '
    function duration(s) {
      if (s < 0.9995e-3) return sprintf("%.0f us", s*1e6)
      if (s < 0.9995) return sprintf("%.3g ms", s*1e3)
      return sprintf("%.3g s", s)
    }
    function cell(r, c, text) { table[r, c] = text; if (length(text) > width[c]) width[c] = length(text) }
    NR == 1 { next }
    {
      if (!($1 in row)) {
        row[$1] = ++rows
        fastest[rows] = auto[rows] = "none"
        cell(rows, 1, $1)
      }
      r = row[$1]
      if ($2 != "-") cell(r, 2, $2)
      tried[r]++
      if ($4 == "solved") solved[r]++
      if ($4 == "solved" && $3 !~ /^auto/ && (!(r in time) || $7 + 0 < time[r])) {
        time[r] = $7 + 0
        fastest[r] = $3 ", " duration($7)
      }
      if ($3 ~ /^auto/) {
        took = $3
        sub(/^auto(: )?/, "", took)
        auto[r] = (took == "" ? "" : took ", ") ($4 == "solved" ? "" : $4 ", ") duration($7)
      }
    }
    END {
      cell(0, 1, "problem"); cell(0, 2, "n"); cell(0, 3, "solved by")
      cell(0, 4, "fastest certified"); cell(0, 5, "auto took")
      for (r = 1; r <= rows; r++) {
        cell(r, 3, solved[r] + 0 " of " tried[r])
        cell(r, 4, fastest[r])
        cell(r, 5, auto[r])
      }
      for (r = 0; r <= rows; r++) {
        line = sprintf("%-" width[1] "s  %" width[2] "s  %-" width[3] "s  %-" width[4] "s  %s", table[r, 1], table[r, 2], table[r, 3], table[r, 4], table[r, 5])
        sub(/ +$/, "", line)
        print line
      }
    }' "$out/table.tsv"
}

# Every solve, in at most 80 columns.
full_table() {
  awk -F'\t' '
    function duration(s) {
      if (s !~ /^[0-9]/) return s
      if (s < 0.9995e-3) return sprintf("%.0f us", s*1e6)
      if (s < 0.9995) return sprintf("%.3g ms", s*1e3)
      return sprintf("%.3g s", s)
    }
    {
      if (NR > 1 && $6 ~ /^[0-9]/) $6 = sprintf("%.1e", $6)
      if (NR > 1) $7 = duration($7); else $7 = "time"
      for (i = 1; i <= 7; i++) {
        cell[NR, i] = $i
        if (length($i) > width[i]) width[i] = length($i)
      }
    }
    END {
      gap = 2
      for (i = 1; i <= 7; i++) total += width[i]
      if (total + 6*gap > 80) gap = 1
      excess = total + 6*gap - 80     # taken from the names of the problems, then of the methods
      if (excess > 0 && width[1] > 8) {
        cut = width[1] - excess < 8 ? width[1] - 8 : excess
        width[1] -= cut
        excess -= cut
      }
      if (excess > 0) width[3] -= excess
      for (r = 1; r <= NR; r++) {
        if (r > 1 && cell[r, 1] != cell[r - 1, 1]) {
          line = ""
          for (i = 1; i <= 7; i++) line = line sprintf("%s%*s", i > 1 ? sprintf("%*s", gap, "") : "", width[i], "")
          gsub(/ /, "-", line)
          print line
        }
        line = ""
        for (i = 1; i <= 7; i++) {
          text = substr(cell[r, i], 1, width[i])
          side = (i == 1 || i == 3 || i == 4) ? "-" : ""
          line = line (i > 1 ? sprintf("%*s", gap, "") : "") sprintf("%" side width[i] "s", text)
        }
        sub(/ +$/, "", line)
        print line
      }
    }' "$out/table.tsv"
}


# reasons WORDS LIST: why some methods did nothing, from lines of method, problem and reason.
reasons() {
  [ -n "$2" ] || return 0
  printf '%s' "$2" | awk -F'\t' -v words="$1" '
    !(($1, $3) in problems) { method[++count] = $1; why[count] = $3 }
    { problems[$1, $3] = problems[$1, $3] (problems[$1, $3] == "" ? "" : ", ") $2 }
    END {                           # methods that have one reason share a line
      for (i = 1; i <= count; i++) {
        at = problems[method[i], why[i]] ": " why[i]
        if (!(at in methods)) order[++lines] = at
        methods[at] = methods[at] (methods[at] == "" ? "" : ", ") method[i]
      }
      for (i = 1; i <= lines; i++) printf "%s: %s on %s\n", words, methods[order[i]], order[i]
    }' | fold -s -w 78 | sed "s/ *$//; /^$1/!s/^/  /"
}

echo
short_table
{
  reasons 'left out' "$refused"
  reasons 'gave up at once' "$idle"
} >"$out/left-out.txt"
if [ ${#own[@]} -gt 0 ]; then
  echo
  full_table
  cat "$out/left-out.txt"
  printf '\n%s\n' "curves: $convergence.svg (.png, .tsv); table: $out/table.tsv; each result: $results/"
  [ "$crashed" -eq 0 ] && [ "$plotted" -gt 0 ]
  exit
fi

# ---------------------------------------------------------------- friction, and a problem without a solution

failed=''
rm -rf "${out:?}/pressed"
if [ -s "$results/friction-auto.json" ]; then
  if [ "$(field status "$results/friction-auto.json")" != solved ]; then failed+=' friction'; fi
  printf '\nfriction, n = %s: %s; %s\n' "$(field n "$results/friction-auto.json")" \
    "$(field status "$results/friction-auto.json")" \
    "$(field message "$results/friction-auto.json" | sed 's/^auto ran/auto:/; s/ ([^:]*):/:/g')"
fi

mkdir -p "$out/pressed"      # two contacts that press against each other: y_1 + y_2 = -2 whatever x is
printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n-1\n-1\n1\n' >"$out/pressed/A.mtx"
printf '%%%%MatrixMarket matrix array real general\n2 1\n-1\n-1\n' >"$out/pressed/b.mtx"
code=0
"$perp" solve "$out/pressed" --json --certificate "$results/pressed.u.mtx" \
  >"$results/pressed.json" 2>"$results/pressed.err" || code=$?
verdict='proof checked'
"$perp" check "$out/pressed" --infeasible "$results/pressed.u.mtx" >"$results/pressed.check.txt" 2>&1 || verdict='NO PROOF'
if [ "$code" -ne 4 ] || [ "$verdict" = 'NO PROOF' ]; then failed+=' pressed'; fi
printf 'pressed, n = %s: %s, exit %d; %s: %s\n' "$(field n "$results/pressed.json")" \
  "$(field status "$results/pressed.json")" "$code" "$verdict" "$results/pressed.u.mtx"

unsolved=$(awk -F'\t' '
  NR > 1 { seen[$1] = 1; if ($4 == "solved") solved[$1] = 1 }
  END { for (p in seen) if (!(p in solved)) printf " %s", p }' "$out/table.tsv")
first=${problems[0]%%|*}
cat <<TEXT

Where to look:
$(printf '  %-26s %s\n' \
  "$convergence.svg (.png)" 'the curves; data in .tsv, script in .gp' \
  "$out/table.tsv" 'every method on every problem' \
  "$out/left-out.txt" 'which methods do not accept which problem, and why' \
  "$out/$first/" 'one of the problems: A.mtx, b.mtx, bounds' \
  "$results/" 'each result: JSON, trace, solution, messages')
What to try with these:
  $perp solve $out/$first
  $perp check $out/$first $results/$first-auto.x.mtx
  $perp solve $out/$first --bound --prove
  $perp classify $out/friction
  $perp solve $out/pressed
  $perp explain pgs
TEXT

if [ "$crashed" -gt 0 ]; then echo "tour: solves that crashed: $crashed; see $results/*.err" >&2; exit 1; fi
if [ -n "$failed" ]; then echo "tour: not as expected:$failed; see $results/" >&2; exit 1; fi
if [ -n "$unsolved" ]; then echo "tour: no method solved:$unsolved" >&2; exit 1; fi
[ "$plotted" -gt 0 ] || exit 1
