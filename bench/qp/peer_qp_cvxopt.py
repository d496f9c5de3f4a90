#!/usr/bin/env python3
"""cvxopt on the quadratic program of a file: peer_qp_cvxopt.py FILE TOL SECONDS; see qp_peers.c.

Without cvxopt it prints nothing and ends with 77.
"""
import array
import math
import sys
import time

try:
    import cvxopt
    from cvxopt import matrix, solvers, spmatrix
except ImportError:
    sys.exit(77)


DENSE_ROWS = 1000


def take(file, kind, count):
    data = array.array(kind)
    data.fromfile(file, count)
    return data


def take_matrix(file, rows, columns, entries):
    start = take(file, "i", columns + 1)
    row = take(file, "i", entries)
    value = take(file, "d", entries)
    column = [j for j in range(columns) for _ in range(start[j], start[j + 1])]
    return row, column, value


with open(sys.argv[1], "rb") as file:
    n, m, entries_P, entries_B = take(file, "i", 4)
    P = take_matrix(file, n, n, entries_P)
    B = take_matrix(file, m, n, entries_B)
    q, lo, hi = (take(file, "d", n) for _ in range(3))
    low, high = (take(file, "d", m) for _ in range(2))

# Equations A v = b and inequalities G v <= h: (sign, row or variable, limit).
equal = [("row", 1.0, i, low[i]) for i in range(m) if low[i] == high[i]]
equal += [("bound", 1.0, j, lo[j]) for j in range(n) if lo[j] == hi[j]]
less = []
for kind, below, above in (("row", low, high), ("bound", lo, hi)):
    for i in range(len(below)):
        if below[i] == above[i]:
            continue
        if below[i] > -math.inf:
            less.append((kind, -1.0, i, -below[i]))
        if above[i] < math.inf:
            less.append((kind, 1.0, i, above[i]))
of_row = [[] for _ in range(m)]
for i, j, value in zip(*B):
    of_row[i].append((j, value))


def gather(what):
    rows, columns, values = [], [], []
    for k, (kind, sign, i, _) in enumerate(what):
        for j, value in of_row[i] if kind == "row" else [(i, 1.0)]:
            rows.append(k)
            columns.append(j)
            values.append(sign * value)
    limits = matrix([limit for _, _, _, limit in what], (len(what), 1), "d")
    return spmatrix(values, rows, columns, (len(what), n)), limits


tol = float(sys.argv[2])
A, b = gather(equal)
G, h = gather(less)
P = spmatrix(list(P[2]), list(P[0]), P[1], (n, n))
q = matrix(list(q), (n, 1), "d")
solvers.options.update(show_progress=False, abstol=tol, reltol=tol, feastol=tol)
start = time.process_time()
try:
    # Its dense LDL' is more robust than its sparse default, and far too slow for large problems.
    answer = solvers.qp(P, q, G, h, A, b, kktsolver="ldl" if n + m <= DENSE_ROWS else None)
except (ValueError, ArithmeticError):   # a matrix without full rank, or a breakdown
    sys.exit(3)
seconds = time.process_time() - start
l = array.array("d", bytes(8 * m))
for what, values in ((equal, answer["y"]), (less, answer["z"])):
    for k, (kind, sign, i, _) in enumerate(what):
        if kind == "row":
            l[i] -= sign * values[k]
sys.stdout.write("%.9f %d\n" % (seconds, answer["status"] == "optimal"))
sys.stdout.flush()
sys.stdout.buffer.write(array.array("d", answer["x"]).tobytes())
sys.stdout.buffer.write(l.tobytes())
