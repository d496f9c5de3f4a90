#!/usr/bin/env python3
"""cvxopt on the QP whose matrix and vector are in a file of doubles: peer_cvxopt.py FILE N.

Prints the seconds of the best of three calls, 1 if cvxopt calls the answer optimal, and x.
Without cvxopt it prints nothing.
"""
import array
import sys
import time

try:
    import cvxopt
    from cvxopt import solvers
except ImportError:
    sys.exit(77)

n = int(sys.argv[2])
data = array.array("d")
with open(sys.argv[1], "rb") as file:
    data.fromfile(file, n * n + n)
A = cvxopt.matrix(data[: n * n], (n, n))  # symmetric: rows or columns, it is the same
b = cvxopt.matrix(data[n * n :], (n, 1))
G = cvxopt.spmatrix(-1.0, range(n), range(n))
h = cvxopt.matrix(0.0, (n, 1))
solvers.options.update(show_progress=False, abstol=1e-12, reltol=1e-10, feastol=1e-10)
best, answer = float("inf"), None
for _ in range(3):
    start = time.perf_counter()
    answer = solvers.qp(A, b, G, h)
    best = min(best, time.perf_counter() - start)
print(best, int(answer["status"] == "optimal"))
print(*("%.17g" % max(v, 0.0) for v in answer["x"]))
