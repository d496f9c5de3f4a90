# perp solve and perp check in normal use.
# cost: 4
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
tiny p

run solve p; expect 'a tiny problem' 0 'out=solved' 'out=method' 'out=n = 2' 'out=residual' 'out=0.5'
matrix rest.mtx 2 1 1 1
run solve -A p/A.mtx -b rest.mtx; expect 'nothing to do' 0 'out=no method had to run' 'out!=falls back'
run solve p; silent 'nothing on stderr in a pipe'; narrow 'the report fits 80 columns'
run solve p -o x.mtx; expect '-o' 0 'out=x.mtx'
holds 'x is a Matrix Market file' grep -q '^%%MatrixMarket matrix array real general' x.mtx
run check p x.mtx; expect 'check agrees' 0 'out=holds'
run solve p -o -; expect '-o - writes x to stdout, and only that' 0 'out=%%MatrixMarket' 'out!=method'
run solve p -o x.mtx.gz; expect '-o x.mtx.gz' 0
holds 'is packed' gzip -t x.mtx.gz
run check p x.mtx.gz; expect 'and can be checked' 0 'out=holds'
mkdir vast
matrix vast/A.mtx 3 3 2 -1 0 -1 2 -1 0 -1 2
matrix vast/b.mtx 3 1 -8e307 0 0
run solve vast -o x.mtx; expect 'near overflow: a small residual is refused with a reason' 1 'out=overflow may hide' 'out!=: solved'
run check vast x.mtx; expect 'and check gives the same reason' 1 'out=x cannot be certified' 'out=refused' 'out!=does not solve'
run solve -A p/A.mtx -b p/b.mtx; expect 'single files' 0 'out=solved'
matrix hi.mtx 2 1 0.25 inf
matrix lo.mtx 2 1 -1e20 -inf
run solve p --hi hi.mtx; expect 'an upper bound' 0 'out=0.25'
run solve p --lo lo.mtx; expect 'free rows' 0 'out=-1'
cp hi.mtx p/hi.mtx; run solve p; expect 'hi.mtx in the directory' 0 'out=0.25'; rm p/hi.mtx
matrix p/x0.mtx 2 1 0.5 0; run solve p -m pgs; expect 'a perfect guess' 0 'out=solved'; rm p/x0.mtx
mkdir packed; gzip -c p/A.mtx >packed/A.mtx.gz; gzip -c p/b.mtx >packed/b.mtx.gz
run solve packed; expect 'packed files' 0 'out=solved'
run solve p; expect 'the objective' 0 "out=objective        -0.25, of 1/2 x'Ax + b'x"
run solve p --json; expect '--json' 0
json 'has all members' objective=-0.25 perp=1 status=solved method n=2 nnz=4 residual natural_residual iterations inner_iterations \
  factorizations factor_nonzeros setup_seconds seconds message solved=true attainable weaker worst gap bound_violation components tol=1e-08 kkt=false kkt_failed dual_objective primal_residual dual_residual \
  exit_code=0 '!error'

run gen obstacle --size 40 -o o; expect 'a larger problem' 0
run solve o; expect 'is solved' 0 'out=not shown; -o x.mtx writes it'
run solve o --print; expect '--print' 0 'out=    1599  '
for method in $("$PERP" methods --all --names); do
  case $method in enumerate) continue ;; esac
  run solve o --method "$method" --iteration-limit 3
  case $method in jacobi | pgs | psor | nncg | apgd)   # sweeps and gradients cannot be that quick
    expect "$method after 3 iterations" 1 'out=residual' 'out=worst row'
    continue ;;
  esac
  case $code in   # methods that jump may be quicker, and some refuse the problem
    0) expect "$method within 3 iterations" 0 'out=solved' 'out=residual' ;;
    4) expect "$method refuses it" 4 "err=$method" ;;
    *) expect "$method within 3 iterations" 1 'out=residual' 'out=worst row' ;;
  esac
done
run solve o -m pgs --iteration-limit 3 -o best.mtx; expect 'an iteration limit' 1 'out=iteration limit  the iteration'
holds 'keeps the column' bash -c 'sed -n 2p .out | grep -q "^method           pgs"'
run solve o -m pgs --iteration_limit 3; expect 'an underscore in the name of an option' 1 'out=iteration limit'
run solve o -m pgs --iteration_limit=3; expect 'also with an equals sign' 1 'out=iteration limit'
run check o best.mtx; expect 'the best iterate is written, and does not hold' 1 'out=fails' 'out=worst row'
run check o best.mtx --tol 0.99; expect 'but with a loose tolerance it does' 0 'out=holds'
run check o best.mtx --json; expect 'check --json' 1
json 'tells the verdict' status=unsolved solved=false exit_code=1 n=1600 residual
run solve o -m pgs --time-limit 1us; expect 'a time limit' 1 'out=time limit'
run solve o -m psor --sweep.omega 1.8 --sweep.symmetric on --tol 1e-6; expect 'parameters of a method' 0 'out=psor'
run solve o -m psor --sweep.omega=1.8; expect 'with an equals sign' 0 'out=psor'
run solve o -m pgs --stop.measure natural --stop.tol 0.1; expect 'a measure stops and does not certify' 1 'out=measure reached'
run solve o -m pgs --linear sparse_lu; expect 'a linear solver for none' 0 'err=--linear has no effect on pgs' 'err=principal_pivoting'
run solve o -m principal_pivoting --linear sparse_lu; silent 'a linear solver that is used'
run solve o -m active_set --linear sparse_ldl; silent 'a file of a general matrix whose values are symmetric'
run solve o --linear sparse_ldl; silent 'auto hands a linear solver on'
holds 'to active_set' grep -q '^method  *active_set' .out
run solve p --linear sparse_lu; expect 'and says where nobody took it' 0 'err=--linear has no effect on' 'err!=on auto'
run solve p -m minmap_newton; expect 'a small matrix is factored' 0 'out!= inner'
run solve p -m minmap_newton --krylov.solver cr; expect 'a Krylov solver that is named runs' 0 'out= inner'
run solve p -m minmap_newton --preset paper --json; json 'the parameters of a paper' status inner_iterations
run solve p -m minmap_newton --preset papre; expect 'a preset with a slip' 2 "err=method minmap_newton has no preset 'papre'; there is paper of minmap_newton"
run solve p --preset paper; expect 'a preset of another method' 2 "err=method auto has no preset 'paper'; it needs --method minmap_newton"
run solve p --preset papre; expect 'a preset with a slip, of no method' 2 "err=method auto has no preset 'papre'; there is paper of minmap_newton"
run explain minmap_newton; expect 'it is explained' 0 'out=--preset paper'
run solve o -m psor --trace t.csv --iteration-limit 20; expect '--trace' 1 'out=t.csv'
holds 'the trace has its header' grep -qx 'iteration,seconds,residual,measure,inner_iterations' t.csv
holds 'and its rows' test "$(wc -l <t.csv)" -ge 20
holds 'of five fields' awk -F, 'NF != 5 { exit 1 }' t.csv
run solve o -m psor --trace - --iteration-limit 20; expect '--trace - is CSV and nothing else' 1 'out=iteration,seconds' 'out!=method'
run solve o -m pgs --sweep.order coloured --threads 1 -o x1.mtx --tol 1e-4; expect 'one thread' 0
run solve o -m pgs --sweep.order coloured --threads 2 -o x2.mtx --tol 1e-4; expect 'two threads' 0
holds 'give the same bits' cmp x1.mtx x2.mtx
run solve o --progress -m pgs --tol 1e-13; expect '--progress' 0
run solve o --quiet; expect '--quiet' 0; silent 'says nothing on stderr'
run solve o -m pgs --iteration-limit 3 -o -; expect '-o - warns if x is no solution' 1 'err=warning: not solved' 'out=%%Matrix'
run solve o -m pgs --iteration-limit 3 -o - -q; expect 'but not with -q' 1; silent 'which is silent'
for known in '--nx 8 --ny 12,-0.1834372196' '--e 0.99,-60.15092732' '--e 0.1,-0.180487995'; do   # MINPACK-2, COPS
  # shellcheck disable=SC2086  # two options
  "$PERP" gen bearing ${known%,*} -o bearing -f >/dev/null
  run solve bearing -o x.mtx; expect "minimum of the bearing ${known%,*}" 0 "out=objective        ${known#*,}"
done
run check bearing x.mtx; expect 'check has it, too' 0 'out=objective        -0.180487995'
run check o best.mtx -o y.mtx; expect 'check writes y' 1 'out=y.mtx'
holds 'which has n rows' test "$(wc -l <y.mtx)" -ge 1600

mkdir zero; printf '%%%%MatrixMarket matrix coordinate real general\n0 0 0\n' >zero/A.mtx; matrix zero/b.mtx 0 1
printf '%%%%MatrixMarket matrix array real general\n0 1\n' >zero/b.mtx
run solve zero; expect 'a problem without unknowns' 0 'out=n = 0'
run solve zero --json; json 'and as JSON' n=0 worst=-1
mkdir skew; matrix skew/A.mtx 2 2 2 0 1 2; cp p/b.mtx skew; run solve skew; expect 'no objective without symmetry' 0 'out!=objective'
run solve skew --json; json 'in JSON neither' objective=
mkdir sym; printf '%%%%MatrixMarket matrix coordinate integer symmetric\n2 2 3\n1 1 2\n2 1 1\n2 2 2\n' >sym/A.mtx
cp p/b.mtx sym; run solve sym; expect 'a symmetric file' 0 'out=nnz = 4' 'out=0.5'

# A = -1, b = 1: x = 0 and x = 1 both solve it
mkdir two; matrix two/A.mtx 1 1 -1; matrix two/b.mtx 1 1 1
run solve two --all; expect '--all finds both solutions' 0 'out=solutions        2; there are no others'
holds 'and shows them after the verdict, with row numbers' \
  bash -c 'tail -n 3 .out | head -n 1 | grep -qx "solution 2" && tail -n 1 .out | grep -Eq "^ +0 +1 +0$"'
run solve two --all -o s.mtx; expect '--all -o' 0 'out=s-1.mtx ... s-2.mtx' 'out!=solution 1'
run solve two --all -o s.mtx --print; expect '--all -o --print' 0 'out=solution 1'
run check two s-1.mtx; expect 'the first holds' 0
run check two s-2.mtx; expect 'the second too' 0
holds 'they differ' bash -c '! diff -q <(tail -n 1 s-1.mtx) <(tail -n 1 s-2.mtx)'
run solve two --all --json; expect '--all --json' 0; json 'lists them' 'solutions=2 items' complete=true
run solve two --all --enumerate.limit 1
expect '--enumerate.limit: incomplete' 1 'out=incomplete' 'out=more may exist' 'out=1, possibly not all' \
  'out!=1 factorizations'
run solve two --all --enumerate.limit 1 --json; expect 'with --json too' 1
json 'which says so' 'solutions=1 items' complete=false exit_code=1 status=solved
run solve p -m enumerate --json; json 'complete without --all' complete=true '!solutions'
mkdir face; matrix face/A.mtx 1 1 0; matrix face/b.mtx 1 1 0
run solve face --all; expect 'a face of solutions' 0 'out=a point inside a face of dimension 1'
mkdir many; matrix many/b.mtx 7 1 1 1 1 1 1 1 1
matrix many/A.mtx 7 7 $(awk 'BEGIN { for (i = 0; i < 49; i++) print i % 8 ? 0 : -1 }')
run solve many --all; expect 'many solutions' 0 'out=128; there are no others' 'out=solution 100' 'out=28 more solutions' 'out!=solution 101'
run solve many --all --print; expect 'all shown with --print' 0 'out=solution 128'
run solve two --all -m pgs; expect '--all with a method that cannot' 2 'err=methods that look for all: enumerate'
run solve two --all -o -; expect '--all -o -' 2 'err=one file per solution'
run solve two --json -o -; expect '--json -o -' 2 'err=cannot share the standard output'
run solve o -m enumerate; expect 'a problem too large for the method' 4 'err=enumerate'
run solve o --all --json; expect 'and with --json' 4; json 'still one object' status=error exit_code=4 error

# y = (x_1 - 1, -x_0 - 1), which has no solution and is not symmetric
mkdir skew; matrix skew/A.mtx 2 2 0 -1 1 0; matrix skew/b.mtx 2 1 -1 -1
for method in keller active_set pgs_sm gradient_projection multigrid; do
  run solve skew -m $method; expect "$method does not take this A" 4 'out=needs a symmetric A' 'out!=so that x'
done
run solve skew -m keller --json; expect 'and with --json' 4; json 'says so' status=unsolved exit_code=4
run solve skew -m pgs; expect 'pgs takes it' 1 'out=The residual is 1' 'out!=so that x'
run solve skew -m enumerate; expect 'several labels' 4 'out=All 4 label assignments were examined and none'
# one free row: there is one label only
mkdir label; matrix label/A.mtx 1 1 2; matrix label/b.mtx 1 1 -1; matrix label/lo.mtx 1 1 -inf
run solve label -m enumerate; expect 'one value' 0 'out=Presolve found the value of x.'
run solve label -m enumerate --presolve off; expect 'one label' 0 'out=The only label assignment was examined, and 1' 'out!=1 solutions'
# y = (x_0 - x_1 + 1, x_0 - x_1 - 2): no x is right in both rows
mkdir apart; matrix apart/A.mtx 2 2 1 1 -1 -1; matrix apart/b.mtx 2 1 1 -2
run solve apart -m dantzig; expect 'rows that stay wrong' 1 'out=stays wrong in some rows' 'out!=every row right'
run solve o --time-limit 0.001us; expect 'no time at all' 1 'out=no method has run'

# A = 0, b = -1: y = -1 whatever x is
mkdir none; matrix none/A.mtx 1 1 0; matrix none/b.mtx 1 1 -1
run solve none -o nx.mtx; expect 'a problem without solution' 4
holds 'x is still written' test -s nx.mtx
run solve none --all; expect 'all of no solutions' 4 'out=0: there is none'
mkdir nan; matrix nan/A.mtx 1 1 1e-300; matrix nan/b.mtx 1 1 -1e300
run solve nan --json; json 'no NaN and no infinity in JSON' perp=1 status
finish
