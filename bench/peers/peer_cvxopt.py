#!/usr/bin/env python3
"""cvxopt on the QP of a file: peer_cvxopt.py FILE TOL DENSE.

The file is that of outside.c: n, colptr, row, value, b, lo, hi. DENSE = 1: the matrix is given to
cvxopt as a dense one. Prints the seconds of the best of up to three calls, 1 if cvxopt calls the
answer optimal, and x as raw doubles. Without cvxopt it prints nothing.
"""
import array
import math
import sys
import time

try:
    import cvxopt
    from cvxopt import solvers
except ImportError:
    sys.exit(77)


def take(file, kind, count):
    data = array.array(kind)
    data.fromfile(file, count)
    return data


with open(sys.argv[1], "rb") as file:
    n = take(file, "i", 1)[0]
    colptr = take(file, "i", n + 1)
    row = take(file, "i", colptr[n])
    value = take(file, "d", colptr[n])
    b, lo, hi = (take(file, "d", n) for _ in range(3))
column = [j for j in range(n) for _ in range(colptr[j], colptr[j + 1])]
A = cvxopt.spmatrix(cvxopt.matrix(value), cvxopt.matrix(row), column, (n, n))
if sys.argv[3] == "1":
    A = cvxopt.matrix(A)
below = [i for i in range(n) if lo[i] > -math.inf]
above = [i for i in range(n) if hi[i] < math.inf]
G = cvxopt.spmatrix(
    [-1.0] * len(below) + [1.0] * len(above),
    range(len(below) + len(above)),
    below + above,
    (len(below) + len(above), n),
)
h = cvxopt.matrix([-lo[i] for i in below] + [hi[i] for i in above], (len(below) + len(above), 1), "d")
tol = float(sys.argv[2])
solvers.options.update(show_progress=False, abstol=0.01 * tol, reltol=tol, feastol=tol)
b = cvxopt.matrix(b)
best, answer, begun = math.inf, None, time.perf_counter()
for _ in range(3):
    start = time.perf_counter()
    answer = solvers.qp(A, b, G, h)
    best = min(best, time.perf_counter() - start)
    if time.perf_counter() - begun > 0.5:
        break
sys.stdout.write("%.9f %d\n" % (best, answer["status"] == "optimal"))
sys.stdout.flush()
x = array.array("d", (min(max(v, lo[i]), hi[i]) for i, v in enumerate(answer["x"])))
sys.stdout.buffer.write(x.tobytes())
