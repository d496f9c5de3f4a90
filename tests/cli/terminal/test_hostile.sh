# Text that comes from a file or is a name is shown and never obeyed: by gnuplot, ffmpeg, a browser,
# a terminal, or by those who read what perp writes.
# cost: 9
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
# shellcheck disable=SC2016
hostile=('`touch HIT`' '$(touch HIT)' '"; system("touch HIT") #' "'; system('touch HIT') #"
  "''''\`touch HIT\`'" '"`touch HIT`' '@GPVAL_VERSION' '%n%s%n' '%03d' 'back\' 'a{b}^c_d&e~f' '-rf' '--help'
  '</script><script>touch()</script>' '</title><script>1</script>' '<!--' '&lt;&#60;' $'two\nlines' $'tab\there' $'\e]0;title\a\e[31mred'
  $'\x9b31m' $'bad\xff\xc3utf8' $'\xe2\x80\xa8\xe2\x80\xaereversed' '!touch HIT' '| touch HIT' 'concat:a|b' 'http://127.0.0.1:9/')

# The bytes that a terminal may act on, and the marks of Unicode that it may: none but line ends.
tame() {
  ! LC_ALL=C grep -aPq '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\xa8-\xae]|\xc2[\x80-\x9f]' "$@" && iconv -f utf-8 -t utf-8 "$@" >/dev/null
}
# calm NAME: nothing was run, and the last run printed nothing that acts.
calm() {
  if [ -e HIT ] || [ -e p/HIT ]; then not_ok "$1" 'a command was run'; rm -f HIT p/HIT; return; fi
  if tame "$work/.out" && tame "$work/.err"; then ok "$1"; else not_ok "$1" "$(cat -v "$work/.out" "$work/.err")"; fi
}
well_formed() {
  tame "$1" && grep -q '</svg>' "$1" && ! grep -qi '<script' "$1" || return 1
  command -v python3 >/dev/null || return 0
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"
}
printable() { printf %q "$1"; }

tiny p
"$RECORD_SAMPLE" a.perp 20 || exit 99
have_gnuplot=0; command -v gnuplot >/dev/null && have_gnuplot=1
run view a.perp -o plain.html; have_player=$((code != 5))
scripts=0; [ $have_player -eq 0 ] || scripts=$(grep -ci '<script\|</script' plain.html)

for text in "${hostile[@]}"; do
  shown=$(printable "$text")
  # as a name: of a file that is not there, of a folder, of an option's value
  run solve "./$text"; calm "no such folder: $shown"
  run solve p "--method=$text"; calm "no such method: $shown"
  run solve p "--$text"; calm "no such option: $shown"
  name=./${text//\//_}
  cp -r p "$name"
  run solve "$name"; expect "a folder: $shown" 0; calm 'its report'
  run solve "$name" --json; expect 'its JSON' 0; json 'is one object' status=solved
  printf 'x\n' >"$name/b.mtx"; run solve "$name"; expect 'its message' 3; calm 'is calm'
  cp p/b.mtx "$name/b.mtx"
  # Under sanitizers gnuplot, which is not ours, gets those that try to run something.
  if [ $have_gnuplot -eq 1 ] && [[ -z "${PERP_BRIEF_TESTS-}" || $text == *HIT* ]]; then
    run solve "$name" --plot s.svg; expect 'its curve' 0; calm 'is drawn'; holds 'well' well_formed s.svg
    if [[ $text == *HIT* ]]; then
      run plot "$name" -o s.svg; expect 'its picture' 0; calm 'is drawn'; holds 'well' well_formed s.svg
    fi
    # in a table: the name of a column, a value that names a curve, and the title
    rm -f t.svg
    printf '%s\n' "x;y;\"${text//\"/\"\"}\"" "1;2;\"${text//\"/\"\"}\"" "2;3;\"${text//\"/\"\"}\"" >t.csv
    run plot t.csv -o t.svg --x x --y y "--by=$text" "--title=$text"; calm "a column: $shown"; [ "$code" -ne 0 ] || holds 'well drawn' well_formed t.svg
  fi
  rm -rf "$name"
  # as the name of what is written
  run solve p "--output=$name"; expect "written: $shown" 0; calm 'its report'
  holds 'under that name' test -s "$name"; rm -f "$name"
done

# Commands that perp suggests can be copied into a shell: they name that file, and run nothing else.
suggested() {   # the command after a label of the report, or in quotation marks on stderr
  if [ "$1" = next ]; then sed -n 's/^next  *perp \(.*\)/\1/p' "$work/.out"
  else sed -n "s/.*'perp \(run --resume .*\)' continues.*/\1/p" "$work/.err"; fi
}
copied() { bash -c "'$PERP' $(suggested "$1")" >"$work/.out" 2>"$work/.err"; code=$?; }
for text in "${hostile[@]}" 'a b' "it's" '*' '~' '#' 'a;b' 'ä ö'; do
  name=${text//\//_}; shown=$(printable "$name")
  run gen murty "--output=$name"; expect "made: $shown" 0
  copied next; expect 'and solved by what is suggested' 0; calm 'calmly'; rm -rf "./$name"
  head -c -100 a.perp >"./$name.perp"
  run run box "--output=$name.perp"; expect "not overwritten: $shown" 2
  copied quoted; calm "what is suggested runs nothing else"; holds 'and knows the file' test "$code" -ne 2; rm -f "./$name.perp"
done

# inside a recording that somebody sent: each where it could end a quotation, then all at once
for text in "${hostile[@]:0:8}" "${hostile[*]}"; do
  shown=$(printable "$text")
  "$RECORD_FORGE" a.perp words.perp words "$text" || exit 99
  if [ $have_gnuplot -eq 1 ]; then
    run plot words.perp -o r.svg; expect "in a recording: $shown" 0; calm 'is drawn'; holds 'well' well_formed r.svg
  fi
  run export words.perp -o w.ply --frame 1; expect 'a PLY' 0; calm 'of it'
  holds 'has one line for it' test "$(LC_ALL=C sed '/^end_header$/q' w.ply | LC_ALL=C grep -ac '^comment')" -eq "$(LC_ALL=C sed '/^end_header$/q' w.ply | LC_ALL=C grep -acv '^ply$\|^format\|^element\|^property\|^end_header$')"
  run export words.perp -o w.glb; expect 'a GLB' 0; calm 'of it'
  run render words.perp -o w.png --frame 1 --size 160x90; expect 'a picture' 0; calm 'of it'
  run run --resume words.perp; calm 'it is not gone on with'
  if [ $have_player -eq 1 ]; then
    run view words.perp -o w.html; expect 'a page' 0; calm 'of it'
    holds 'has its own scripts only' test "$(grep -ci '<script\|</script' w.html)" -eq "$scripts"
    holds 'and no comment' test "$(grep -c '<title>[^<]*</title>' w.html)" -eq 1
  fi
done

if command -v ffmpeg >/dev/null; then
  # shellcheck disable=SC2016
  for text in '`touch HIT`' '-y' 'concat:a|b' 'pipe:1' $'two\nlines'; do
    run render a.perp "--output=$text.mp4" --size 160x90; expect "a video: $(printable "$text")" 0; calm 'its report'
    holds 'under that name' test -s "./$text.mp4"
  done
fi
if [ $have_gnuplot -eq 1 ]; then   # what a user has set up is not in the picture
  mkdir home && printf 'set title "mine"\nset terminal dumb\nset output "stolen"\n' >home/.gnuplot
  printf 'x,y\n1,2\n2,3\n' >t.csv
  HOME=$work/nowhere run plot t.csv -o one.svg; expect 'a picture without a start-up file' 0
  HOME=$work/home XDG_CONFIG_HOME=$work/home run plot t.csv -o two.svg; expect 'and with one' 0
  holds 'the same bytes' cmp one.svg two.svg
  holds 'and nothing else' test ! -e stolen
fi
finish
