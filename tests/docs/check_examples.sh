#!/usr/bin/env bash
# The examples of the documents, of `perp help COMMAND` and of `perp explain METHOD` are run.
#
#   check_examples.sh SOURCE PERP [whole]
#
# Every line of a ```sh block that uses `perp` runs, in the order of its document and in one folder
# per document, as a reader would type it. It must end with status 0. A block without a language
# whose lines begin with `$ ` is a conversation: its commands run, and the lines below each command
# must occur in the answer, in that order; `...` stands for lines left out, and numbers may differ.
# A ```python block runs where its modules are, with numpy as np.
# Lines that build perp, test it or measure it (./run, ./test, cmake, bench/run, ...) are left out.
#
# Unless `whole` is given, long runs are cut short: `perp run` takes 12 steps on small grids, frames
# named in later lines are clipped to those, films are small, and a time limit in milliseconds is a
# hundred times as long, because other programs may keep this machine busy.
set -uo pipefail
source=$1 program=$2 whole=${3:-}
work=$(mktemp -d "${TMPDIR:-/tmp}/perp-examples.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
export LC_ALL=C TERM=xterm COLUMNS=80 HOME=$work/home
mkdir -p "$work/bin" "$work/given" "$HOME"

# The program, or a wrapper that cuts its runs short.
if [ "$whole" = whole ]; then
  ln -s "$program" "$work/bin/perp"
else
  cat >"$work/bin/perp" <<WRAPPER
#!/usr/bin/env bash
command=\${1:-} words=() previous=''
for word in "\$@"; do
  case \$previous in
    --steps) word=12 ;;
    --frame) [ "\$word" -lt 12 ] || word=11 ;;
    --step) [ "\$word" -lt 12 ] || word=11 ;;
    --grid) word=200x100 ;;
    --time-limit) word=\${word%ms}00ms ;;
  esac
  words+=("\$word")
  previous=\$word
done
case "\$command \${2:-}" in
  'run --list' | 'run -'*) ;;
  run\ *)
    case " \$* " in *' --help '* | *' --resume '*) ;; *' --steps '*) ;; *) words+=(--steps 12) ;; esac
    case \$2 in
      dam-break-3d | falling-ball)
        case " \$* " in *' --size '*) ;; *) words+=(--size 12) ;; esac ;;
    esac ;;
  'reproduce '?*)
    case " \$* " in *' --quick '*) ;; *) words+=(--quick) ;; esac ;;
  render\ *)
    case " \$* " in *.mp4\ *) words+=(--size 320x240) ;; esac ;;
esac
exec "$program" "\${words[@]}"
WRAPPER
  chmod +x "$work/bin/perp"
fi
export PATH=$work/bin:$PATH

failures=0 ran=0 talked=0
complain() {
  printf 'not ok - %s\n' "$1"
  shift
  printf '%s\n' "$@" | head -n 40 | sed 's/^/#   /'
  failures=$((failures + 1))
}

plots=1 player=1 films=1
command -v gnuplot >/dev/null || plots=0
command -v ffmpeg >/dev/null || films=0
"$program" doctor | grep -q '^player  *built in' || player=0

# possible LINE: 0 if what the line needs is on this machine.
possible() {
  case $1 in
    *'perp view'*) [ "$player" -eq 1 ] ;;
    *'perp plot'* | *'--plot '*) [ "$plots" -eq 1 ] ;;
    *.mp4*) [ "$films" -eq 1 ] ;;
  esac
}

# A line may use files that its document takes as given.
given_recording() {   # given_recording NAME.perp
  case ${1##*/} in
    slip.perp) perp run ceiling --walls slip -o "$1" ;;
    separating.perp) perp run ceiling --walls separating -o "$1" ;;
    dam.perp) perp run dam-break-3d -o "$1" ;;
    smooth.perp) perp run hollow-sphere --friction 0 -o "$1" ;;
    *) perp run hollow-sphere -o "$1" ;;
  esac >"$work/given.log" 2>&1
}
provide() {   # provide LINE: makes the inputs that it names and that are not there
  local word previous='' made=' '
  for word in $1; do
    if [ "$previous" = -o ]; then made+="$word "; fi   # the line itself makes it
    case $word in
      '#'*) break ;;
      out/pressed)   # as ./run leaves it
        if [ ! -e out/pressed ]; then
          mkdir -p out/pressed
          printf '%%%%MatrixMarket matrix array real general\n2 2\n1\n-1\n-1\n1\n' >out/pressed/A.mtx
          printf '%%%%MatrixMarket matrix array real general\n2 1\n-1\n-1\n' >out/pressed/b.mtx
        fi ;;
      *.perp)
        if [[ $made != *" $word "* ]] && [ ! -e "$word" ]; then
          [ -e "$work/given/$word" ] || given_recording "$work/given/$word"
          cp "$work/given/$word" "$word"
        fi ;;
      demo)
        if [[ $1 == *--infeasible* ]]; then
          rm -rf demo
          mkdir demo
          printf '%%%%MatrixMarket matrix array real general\n1 1\n0\n' >demo/A.mtx
          printf '%%%%MatrixMarket matrix array real general\n1 1\n-1\n' >demo/b.mtx
          printf '%%%%MatrixMarket matrix array real general\n1 1\n1\n' >u.mtx
        elif [ ! -e demo ] && [[ $1 != *'-o demo'* ]]; then
          perp gen obstacle -o demo >/dev/null 2>&1
        fi ;;
      x.mtx)
        if [ "$previous" != -o ] && [ ! -e x.mtx ]; then perp solve demo -o x.mtx >/dev/null 2>&1; fi ;;
      trace.csv)
        if [ ! -e trace.csv ]; then
          [ -e demo ] || perp gen obstacle -o demo >/dev/null 2>&1
          perp solve demo -m psor --trace trace.csv >/dev/null 2>&1
        fi ;;
      times.tsv)
        [ -e times.tsv ] || printf 'n\tmethod\tseconds\n10\tpgs\t2e-4\n100\tpgs\t2e-2\n' >times.tsv ;;
    esac
    previous=$word
  done
}

# An experiment takes minutes and depends on no files: once is enough. 0: it has run already.
reproduced='|'
has_run() {
  local line=${1%%#*}
  line=${line%"${line##*[! ]}"}   # without blanks at its end
  case $line in 'perp reproduce '*) ;; *) return 1 ;; esac
  [[ $reproduced != *"|$line|"* ]] || return 0
  reproduced+="$line|"
  return 1
}

# try WHERE LINE: runs it in this folder; its status has to be 0.
try() {
  local said status=0
  possible "$2" || return 0
  if has_run "$2"; then ran=$((ran + 1)); return 0; fi
  provide "$2"
  said=$(bash -euo pipefail -c "$2" 2>&1 </dev/null) || status=$?
  # a method for a simpler model says so, and ends with 1
  if [ "$status" -eq 1 ] && [[ $said == *$'\nother model '* ]]; then status=0; fi
  if [ "$status" -ne 0 ]; then complain "$1: $2" "status $status" "$said"; fi
  ran=$((ran + 1))
}

# plain: what two answers that differ in their numbers only have in common.
plain() { sed -E 's/[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?/N/g; s/[[:space:]]+/ /g; s/^ //; s/ $//'; }

# talk WHERE LINE WANTED: runs the line; the lines of WANTED occur in its answer in that order.
talk() {
  local where=$1 line=$2 said status=0
  possible "$line" || return 0
  provide "$line"
  said=$(bash -euo pipefail -c "$line" 2>&1 </dev/null) || status=$?
  case $status in 0 | 1 | 4) ;; *) complain "$where: $line" "status $status" "$said"; return ;; esac
  talked=$((talked + 1))
  local wanted missing
  wanted=$(grep -vxF -e '...' <<<"$3" | plain | grep -v '^$')
  [ -n "$wanted" ] || return 0
  missing=$(awk 'NR == FNR { want[++count] = $0; next }
                 next_one < count && $0 == want[next_one + 1] { next_one++ }
                 END { if (next_one < count) print want[next_one + 1] }' \
            <(printf '%s\n' "$wanted") <(plain <<<"$said"))
  if [ -n "$missing" ]; then complain "$where: $line" "the answer has no line like: $missing" "$said"; fi
}

python=''
for one in python3 /usr/bin/python3; do
  if [ -z "$python" ] && "$one" -c 'import numpy' 2>/dev/null; then python=$one; fi
done
snakes=0
# script WHERE TEXT: runs a block of Python, if this machine has what it imports.
script() {
  local said module
  [ -n "$python" ] || return 0
  for module in $(sed -n 's/^import \([a-z]*\).*/\1/p' <<<"$2"); do
    "$python" -c "import $module" 2>/dev/null || return 0
  done
  said=$("$python" -c $'import numpy as np\n'"$2" 2>&1 </dev/null) || complain "$1: python" "$2" "$said"
  snakes=$((snakes + 1))
}

# document FILE: its blocks, in order. A record per command: kind, line number, line, answer.
document() {
  local where=$1 folder=$work/${1//\//_}
  mkdir -p "$folder"
  cd "$folder" || exit 99
  local number=0 kind='' line='' command='' answer=''
  flush() {
    if [ -n "$command" ]; then talk "$where" "$command" "$answer"; fi
    if [ "$kind" = python ]; then script "$where:$number" "$answer"; fi
    command='' answer=''
  }
  while IFS= read -r line; do
    number=$((number + 1))
    if [[ $line =~ ^\ *\`\`\`(.*)$ ]]; then
      flush
      if [ -n "$kind" ]; then kind=''; else kind=${BASH_REMATCH[1]:-conversation}; fi
      continue
    fi
    case $kind in
      sh)
        case $line in
          perp\ * | 'for '*perp* | printf\ * | mkdir\ *) try "$where:$number" "$line" ;;
        esac ;;
      python) answer+=$line$'\n' ;;
      conversation)
        case $line in
          '$ perp '*) flush; command=${line#'$ '} ;;
          '$ '*) flush ;;
          *) if [ -n "$command" ]; then answer+=$line$'\n'; fi ;;
        esac ;;
    esac
  done <"$source/$where"
  flush
}

cd "$source" || exit 99
mapfile -t documents < <(ls README.md docs/*.md)
for one in "${documents[@]}"; do document "$one"; done
in_documents=$ran

# The examples of `perp help COMMAND`.
mkdir -p "$work/help"
cd "$work/help" || exit 99
mapfile -t commands < <(perp help | awk '/^  [a-z]/ { print $1 }' | sort -u)
for one in "${commands[@]}"; do
  while IFS= read -r line; do
    case $line in *'completions/'* | eval*) continue ;; esac   # these change a shell's set-up
    rm -rf ./*.perp demo
    try "perp help $one" "$line"
  done < <(perp help "$one" 2>/dev/null | sed -n '/^Examples/,$s/^  \(perp .*\)$/\1/p')
done
in_help=$((ran - in_documents))

# The example of every method's page.
for one in $(perp methods --all --names); do
  while IFS= read -r line; do
    rm -rf demo
    try "perp explain $one" "$line"
  done < <(perp explain "$one" | sed -n '/^Example/,$s/^  \(perp .*\)$/\1/p')
done

[ "$in_documents" -ge 70 ] || complain "found only $in_documents examples in the documents"
[ "$talked" -ge 10 ] || complain "found only $talked conversations in the documents"
[ "$in_help" -ge 30 ] || complain "found only $in_help examples in the help"
[ -z "$python" ] || [ "$snakes" -ge 2 ] || complain "ran only $snakes blocks of Python"
echo "$in_documents examples of documents, $talked conversations, $snakes of Python, $in_help of help," \
     "$((ran - in_documents - in_help)) of methods"
[ "$failures" -eq 0 ]
