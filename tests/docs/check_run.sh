#!/usr/bin/env bash
# What ./run shows at its end, by scripts/replay.sh: files where everything is there, words where
# something is missing, and a status that says whether something failed.
#
#   check_run.sh SOURCE PERP
#
# The scene is made small, and pictures are only written, not drawn.
set -uo pipefail
source=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/perp-run.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
cp -R "$source/scripts" "$work/scripts"
cat >"$work/perp" <<WRAPPER
#!/usr/bin/env bash
case " \$MISSING " in *" \$1 "*) echo "perp \$1: a part is missing" >&2; exit 5 ;; esac
case " \$BROKEN " in *" \$1 "*) echo "perp \$1: it broke" >&2; exit 1 ;; esac
words=()
for word in "\$@"; do
  case \$word in 30) word=4 ;; 360 | 120) word=40 ;; 150) word='6 --size 24' ;; esac
  words+=(\$word)   # unquoted: one word may become three
done
case \$1 in
  render) echo drawn >"\$4" ;;
  *) exec "$2" "\${words[@]}" ;;
esac
WRAPPER
chmod +x "$work/perp"
export PERP=$work/perp MISSING='' BROKEN=''
failures=0

# replay STATUS: runs it; it has to end with that.
replay() {
  rm -rf "$work/out"
  local status=0
  said=$("$work/scripts/replay.sh" 2>&1 </dev/null) || status=$?
  if [ "$status" -ne "$1" ]; then
    printf 'not ok - status %d instead of %d:\n%s\n' "$status" "$1" "$said"
    failures=$((failures + 1))
  fi
}
# holds NAME CONDITION...
holds() {
  local name=$1
  shift
  if "$@"; then echo "ok - $name"; return; fi
  printf 'not ok - %s\n%s\n' "$name" "$said"
  failures=$((failures + 1))
}
says() { grep -qF -e "$1" <<<"$said"; }
silent_of() { ! says "$1"; }

plots=1
command -v gnuplot >/dev/null || plots=0
player=0
if "$2" doctor | grep -q '^player  *built in'; then player=1; fi

replay 0
holds 'the steps were solved' says '40 of 40 steps'
holds 'a recording' test -s "$work/out/hollow-sphere.perp"
holds 'a video' test -s "$work/out/hollow-sphere.mp4"
holds 'which is named' says 'out/hollow-sphere.mp4'
if [ "$player" -eq 1 ]; then
  holds 'a page' grep -q '</html>' "$work/out/hollow-sphere.html"
  holds 'which is named' says 'double click it'
fi
if [ "$plots" -eq 1 ]; then
  holds 'curves' grep -q '</svg>' "$work/out/hollow-sphere.svg"
  holds 'and convergence' grep -q '</svg>' "$work/out/step.svg"
fi
holds 'a liquid' test -s "$work/out/falling-block.perp"
holds 'and one that sticks to walls' test -s "$work/out/falling-block-slip.perp"
holds 'whose steps were solved, too' says '6 of 6 steps'
if [ "$player" -eq 1 ]; then
  holds 'on one page' grep -q '</html>' "$work/out/falling-block.html"
fi
holds 'the largest problem' test -s "$work/out/step/A.mtx"

cp -rs /usr/bin "$work/bin"
rm -f "$work"/bin/gnuplot*
export MISSING='view render plot' PATH=$work/bin
replay 0
holds 'what is missing is left out' test ! -e "$work/out/hollow-sphere.html"
holds 'with the words of the program' says 'perp view: a part is missing'
holds 'also of the second' says 'perp render: a part is missing'
holds 'without gnuplot' says 'gnuplot is missing'
holds 'and not promised' silent_of 'double click'

export MISSING='view plot' BROKEN=render
replay 1
holds 'what breaks is a failure' says 'perp render: it broke'
export BROKEN=run
replay 1
holds 'no scene, no page' silent_of 'a page'
[ "$failures" -eq 0 ]
