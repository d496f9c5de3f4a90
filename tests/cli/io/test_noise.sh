# Recordings whose sizes and check sums agree and whose contents are nonsense: every command refuses them
# by name, or answers from the parts that it can read, without a crash, within 64 MB plus twice the file.
# cost: 9
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
room=65536   # kB
# Sanitizers need memory of their own.
"$PEAK" plain "$PERP" --version >/dev/null; base=$(<plain); [ "$base" -lt 30000 ] || room=$((room + base + 400000))

# Boxes and a liquid, finished; the boxes once more, torn.
run run box --balls 4 --steps 200 -o s.perp -q; expect 'a recording' 0
run run dam-break-2d --size 8 --steps 6 -o d.perp -q; expect 'of a liquid' 0
head -c $(($(stat -c %s s.perp) - 300)) s.perp >u.perp

# noisy FROM TYPE SEED: says which commands did otherwise.
noisy() {
  local wrong=() command code peak most
  "$RECORD_FORGE" "$1" forged.perp noise "$2" "$3" 2>/dev/null || return
  most=$((room + 2*$(stat -c %s forged.perp)/1024))
  for command in 'export FILE -o x.csv --frame 1' 'export FILE -o x.csv --what steps' 'plot FILE -o x.svg' 'render FILE -o x.png' 'view FILE -o x.html' 'run --resume FILE' 'run --resume FILE --steps 220'; do
    cp forged.perp noise.perp
    # shellcheck disable=SC2086
    "$PEAK" peak timeout 60 "$PERP" ${command/FILE/noise.perp} >.out 2>.err </dev/null
    code=$? peak=$(<peak)
    [ "$peak" -le "$most" ] || wrong+=("$command: $peak kB of $most kB")
    case $code in
      0 | 5) ;;
      # a liquid has contents of another kind; of a header that is none, nothing is known
      2) [[ $1 = d.perp || $2 = HEAD ]] || wrong+=("$command: exit status 2: $(<.err)") ;;
      3) grep -q '^perp [a-z]*: noise.perp' .err || wrong+=("$command: $(<.err)") ;;
      *) wrong+=("$command: exit status $code: $(<.err)") ;;
    esac
  done
  if [ ${#wrong[@]} -eq 0 ]; then ok "$1, $2 with nonsense $3"; else not_ok "$1, $2 with nonsense $3" "${wrong[@]}"; fi
}
for seed in 0 1 2 3 7; do
  for type in HEAD FRAM STEP SAVE LAST; do noisy s.perp $type $seed; done
  for type in FLOW GRID STEP; do noisy d.perp $type $seed; done
  noisy u.perp FRAM $seed
done

# What is wrong is said of the file.
"$RECORD_FORGE" s.perp noise.perp noise FRAM 0
run run --resume noise.perp --steps 220; expect 'frames' 3 'err=perp run: noise.perp: chunk 2 at byte' 'err=FRAM has'
holds 'nothing is written' bash -c '"$0" s.perp again.perp noise FRAM 0 && cmp -s again.perp noise.perp' "$RECORD_FORGE"
"$RECORD_FORGE" s.perp noise.perp noise FRAM 7
run run --resume noise.perp --steps 220; expect 'a word that has to be 0' 3 'err=FRAM has' 'err=in place of a 0'
finish
