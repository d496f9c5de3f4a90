# Farkas vectors, error bounds, proofs, warm starts and linear solvers.
# shellcheck source=tests/cli/kit/tap.sh
. "$(dirname "$0")/../kit/tap.sh"
tiny p

# two contacts that press against each other: y_1 + y_2 = -2 whatever x is
mkdir pressed; matrix pressed/A.mtx 2 2 1 -1 -1 1; matrix pressed/b.mtx 2 1 -1 -1
run solve pressed --certificate u.mtx
expect 'an infeasible problem' 4 'out=infeasible' 'out=certificate      u.mtx'
narrow 'in 80 columns'
holds 'u is a vector of two' test "$(grep -vc '^%' u.mtx)" -eq 3
run check pressed --infeasible u.mtx; expect 'check agrees' 0 'out=infeasible' 'out=inf: no solution of any size'
narrow 'in 80 columns'
run check -A pressed/A.mtx -b pressed/b.mtx --infeasible u.mtx; expect 'with single files' 0
run check pressed --infeasible u.mtx --json; expect 'and as JSON' 0
json 'with its members' status=infeasible proven=true worst=-1 radius value reason n=2 exit_code=0
run solve pressed --json --certificate u2.mtx; expect 'solve --json' 4
json 'tells the radius and the file' status=infeasible radius certificate=u2.mtx exit_code=4
matrix one.mtx 2 1 1 0; run check pressed --infeasible one.mtx
expect 'a vector that proves nothing' 1 'out=unproven' 'out=column' 'out=radius'
matrix wrong.mtx 2 1 1 -1; run check pressed --infeasible wrong.mtx
expect 'a wrong sign' 1 'out=u[1] = -1 has no right sign'
run check pressed --infeasible wrong.mtx --json; json 'names the row' status=unproven proven=false worst=1 exit_code=1
matrix long.mtx 3 1 1 1 1; run check pressed --infeasible long.mtx; expect 'a wrong length' 3 'err=long.mtx'
run check pressed u.mtx --infeasible u.mtx; expect 'an answer too many' 2 'err=unexpected argument'
run check --infeasible u.mtx; expect 'no problem' 2 'err=a directory is needed'
run check p; expect 'no answer' 2 'err=usage'
# rows of 10^5 +- 1 that nearly cancel: there is a solution, of size 9e10
mkdir far; matrix far/A.mtx 3 3 100001 -100001 -1 1 100001 -100000 -100000 -1 100000; matrix far/b.mtx 3 1 -1 -1 -1
run solve far; expect 'which is found' 0 'out=solved' 'out=29999999999 ' 'out=30000300002 '
# the same with 30 rows behind it, too many to enumerate: a proof up to a radius
{ printf '%%%%MatrixMarket matrix coordinate real general\n33 33 69\n'
  printf '%s\n' '1 1 100001' '2 1 -100001' '3 1 -1' '1 2 1' '2 2 100001' '3 2 -100000' '1 3 -100000' '2 3 -1' '3 3 100000'
  for i in {4..33}; do printf '%s\n' "$i 1 1" "$i $i 1"; done; } >far/A.mtx
# shellcheck disable=SC2046
matrix far/b.mtx 33 1 -1 -1 -1 $(printf '0 %.0s' {4..33})
run solve far --certificate f.mtx
expect 'a solution beyond the radius' 1 'out=no small solution' 'out=no solution has |x|_1 <' 'out=certificate      f.mtx'
narrow 'in 80 columns'
run check far --infeasible f.mtx; expect 'check agrees' 1 'out=no small solution' 'out=no solution has a smaller'
run check far --infeasible f.mtx --json; json 'and as JSON' 'status=no small solution' proven=false bounded=true radius exit_code=1
run solve far --json; json 'solve --json' 'status=no small solution' radius exit_code=1
# 0.1 + 0.2 = 0.3 with fixed variables: false in doubles, by 2.8e-17
mkdir tenths; matrix tenths/A.mtx 3 3 0 0 1 0 0 1 -1 -1 0; matrix tenths/b.mtx 3 1 0 0 -0.3
matrix tenths/lo.mtx 3 1 0.1 0.2 -inf; matrix tenths/hi.mtx 3 1 0.1 0.2 inf
run solve tenths; expect 'a contradiction by rounding' 0 'out=solved' 'out=Row 2 cannot' 'out=2.78e-17'
matrix v.mtx 3 1 0 0 -1; run check tenths --infeasible v.mtx
expect 'is no proof' 1 'out=unproven' 'out=but the tolerance and the rounding' 'out!=radius'
# the same, off by less and by more than the tolerance
matrix tenths/b.mtx 3 1 0 0 -0.300000000001; matrix w.mtx 3 1 0 0 1
run solve tenths; expect 'a contradiction below the tolerance' 0 'out=solved' 'out=fixed and miss it by 1e-12'
run check tenths --infeasible w.mtx; expect 'is no proof' 1 'out=unproven'
run check tenths --infeasible w.mtx --tol 1e-13; expect 'but for a smaller tolerance' 0 'out=infeasible'
matrix tenths/b.mtx 3 1 0 0 -0.30000001
run solve tenths; expect 'one above the tolerance' 4 'out=infeasible'
run check tenths --infeasible w.mtx; expect 'is proven' 0 'out=infeasible'
run check tenths --infeasible w.mtx --tol 1e-7; expect 'but for a larger tolerance' 1 'out=unproven'
run solve p --certificate none.mtx; expect 'nothing to certify' 0 'out=not written'
holds 'and nothing written' test ! -e none.mtx
run solve p --certificate no/such/u.mtx; expect 'a folder that is not there' 6 'err=no/such'

run solve p --bound; expect '--bound' 0 'out=error bound' 'out=componentwise'; narrow 'in 80 columns'
run solve p --bound-output e.mtx; expect '--bound-output' 0 'out=error bound' 'out=e.mtx'
holds 'has a number for every row' test "$(grep -vc '^%' e.mtx)" -eq 3
run solve p --prove; expect '--prove' 0 'out=proof            x itself is an exact solution'
run solve p --bound --prove --json; json 'as JSON' bound proof status=solved
run solve pressed --bound --prove; expect 'where there is none' 4 'out=unknown' 'out=not proven'
run solve p --all --prove; expect 'one solution only' 2 'err=--prove'

run gen obstacle --size 20 -o o; expect 'a grid' 0
run solve o --bound --prove -m pgs; expect 'has a bound and a proof' 0 'out=M-matrix' 'out=an exact solution'
run solve o -m pgs --start psor:5; expect '--start' 0 'out=solved'
run solve o -m psor --start gradient; expect 'without a number' 0 'out=solved'
run solve p --start gauss:3; expect 'an unknown start' 2 "err='gauss' is not one of none, pgs, psor, gradient"
run solve p --start pgs:many; expect 'no number' 2 "err='many' is no number of iterations"
run solve p --start pgs:-1; expect 'a negative number' 2 "err='-1' is no number"

run solve p --linear dense_lu; expect '--linear' 0 'out=solved'
run solve p --linear dense_lo; expect 'misspelt' 2 "err=did you mean 'dense_lu'?"
run solve p --linear zzzzzzzz; expect 'unknown' 2 'err=there are dense_lu'
mkdir empty; PERP_BACKENDS=$work/empty run doctor --json; json 'doctor lists linear solvers' linear_solvers components
mkdir broken; printf 'no library' >broken/libperp-klu.so
PERP_BACKENDS=$work/broken run solve p --linear klu; expect 'a broken backend' 5 'err=cannot be used'
printf 'no library' >broken/libperp-cholmod.so
PERP_BACKENDS=$work/broken run solve p --linear cholmod; expect 'another' 5 'err=cannot be used' 'err=libsuitesparse-dev'
run doctor
if grep -q 'backend cholmod *found\|libperp-cholmod.so' .out; then
  run gen obstacle --size 12 -o c; expect 'a symmetric problem' 0
  run solve c -m minmap_newton --linear cholmod; expect '--linear cholmod' 0 'out=solved'
  run solve c -m active_set --linear cholmod; expect 'of active_set' 0 'out=solved'
  run solve p -m minmap_newton --linear cholmod; expect 'on any problem' 0 'out=solved'
fi
finish
