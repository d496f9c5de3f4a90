# Bad input: exit status 3 and a message that says where.
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
tiny p

run solve nowhere; expect 'a directory that is not there' 3 'err=nowhere: there is no such directory'
run solve p/A.mtx; expect 'a file instead of a directory' 3 'err=is not a directory'
mkdir empty; run solve empty; expect 'an empty directory' 3 'err=empty/A.mtx: there is no such file'
cp -r p nob; rm nob/b.mtx; run solve nob; expect 'no b.mtx' 3 'err=nob/b.mtx'
run solve -A p/A.mtx; expect '-A without -b' 2 'err=b is missing: -b FILE'
run solve -b p/b.mtx; expect '-b without -A' 2 'err=A is missing: -A FILE'
cp p/A.mtx plain.mtx.gz; run solve -A plain.mtx.gz -b p/b.mtx
expect 'a name with .gz on a plain file' 3 'err=plain.mtx.gz: its name ends in .gz, but its contents are not gzip data'
mkdir one; matrix one/A.mtx 1 1 1; matrix one/b.mtx 2 1 1 1
run solve one; expect 'one entry is not 1 entries' 3 'err=expected 1 entry, one for each row of A, found 2'
run solve -A q.mtx -b p/b.mtx; expect 'a matrix file that is not there' 3 'err=q.mtx: there is no such file'
run check p q.mtx; expect 'an answer that is not there' 3 'err=q.mtx: there is no such file'
cp -r p both; gzip -k both/A.mtx; run solve both; expect 'A.mtx and A.mtx.gz' 3 'err=both A.mtx and A.mtx.gz are there'

bad() {   # bad NAME TEXT CONTENT: A.mtx with this content is refused with this text
  rm -rf bad; cp -r p bad; printf '%b' "$3" >bad/A.mtx
  run solve bad; expect "$1" 3 "err=$2"
}
head='%%MatrixMarket matrix coordinate real general\n'
bad 'an empty file' 'bad/A.mtx' ''
bad 'no banner' 'bad/A.mtx:1:' '2 2 1\n1 1 1\n'
bad 'a table of numbers' "'perp explain files' has an example" '2 1\n1 2\n'
bad 'a missing field' 'bad/A.mtx:3:' "${head}2 2 1\n1 1\n"
bad 'an index too large' 'bad/A.mtx:3:' "${head}2 2 1\n3 1 1\n"
bad 'a missing entry' 'bad/A.mtx:' "${head}2 2 2\n1 1 1\n"
bad 'an entry twice' 'bad/A.mtx:' "${head}2 2 2\n1 1 1\n1 1 2\n"
bad 'a word instead of a number' 'bad/A.mtx:3:' "${head}2 2 1\n1 1 zebra\n"
bad 'nan' 'bad/A.mtx:3:' "${head}2 2 1\n1 1 nan\n"
bad 'inf in the matrix' 'bad/A.mtx:3:' "${head}2 2 1\n1 1 inf\n"
bad 'a matrix that is not square' 'must be square' "${head}2 3 1\n1 1 1\n"
bad 'a complex matrix' 'bad/A.mtx:1:' '%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1 1\n'
run solve bad --json; expect 'bad input with --json' 3; json 'is one object' status=error exit_code=3 error

cp -r p short; matrix short/b.mtx 3 1 1 2 3; run solve short; expect 'b too long' 3 'err=expected 2 entries'
matrix long.mtx 1 1 0; run check p long.mtx; expect 'x too short' 3 'err=expected 2 entries'
cp -r p wide; matrix wide/b.mtx 2 2 1 2 3 4; run solve wide; expect 'b is a matrix' 3 'err=wide/b.mtx'
matrix lo.mtx 2 1 0 0.5; matrix hi.mtx 2 1 1 0.2
run solve p --lo lo.mtx --hi hi.mtx; expect 'lo > hi' 3 'err=row 1, counting from 0: lo = 0.5 > hi = 0.2'
matrix lo.mtx 2 1 inf 0; run solve p --lo lo.mtx; expect 'lo = inf' 3 'err=row 0, counting from 0'
matrix x0.mtx 2 1 nan 0; run solve p --x0 x0.mtx; expect 'a guess that is no number' 3 'err=x0.mtx'
head -c 40 /dev/zero >p/lo.mtx; run solve p; expect 'zeros instead of text' 3 'err=p/lo.mtx'; rm p/lo.mtx
gzip -c p/A.mtx | head -c 30 >cut.mtx.gz; run solve p -A cut.mtx.gz; expect 'a damaged gzip file' 3 'err=cut.mtx.gz'
run classify nowhere; expect 'classify without a problem' 3 'err=there is no such directory'
"$PERP" solve -A - -b p/b.mtx <p/A.mtx >out.txt; holds 'the matrix from stdin' test $? -eq 0
finish
