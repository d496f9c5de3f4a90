#!/usr/bin/env python3
"""Cross-checks the Matrix Market reader and writer with scipy.io, through mtx_echo.

    cross_scipy.py MTX_ECHO

scipy writes, mtx_echo reads and writes again, scipy reads: every value must come back bit for bit.
Exit code 77 (skipped) if no interpreter with numpy and scipy is found.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
from scipy_here import restart_or_skip

try:
    import numpy as np
    import scipy.io
    import scipy.sparse as sp
except ImportError:
    restart_or_skip()


def echo(*words, **options):
    return subprocess.run([ECHO, *words], stderr=subprocess.PIPE, **options)


def dense(matrix):
    return matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix)


def same(a, b):
    a, b = dense(a).astype(float), dense(b).astype(float)
    return a.shape == b.shape and np.array_equal(a, b)


def random_values(rng, size):
    """Doubles of every exponent, and plain ones."""
    wild = rng.integers(0, 2**63, size, dtype=np.int64).view(np.float64)
    wild = np.where(np.isfinite(wild), wild, 1.0) * rng.choice([-1.0, 1.0], size)
    return np.where(rng.random(size) < 0.5, wild, rng.standard_normal(size))


def random_sparse(rng, rows, columns, density, symmetry):
    a = sp.random(rows, columns, density, random_state=int(rng.integers(2**31)), format="coo")
    a.data = random_values(rng, a.nnz)
    if symmetry == "general":
        return a
    lower = sp.tril(a, -1)
    if symmetry == "skew-symmetric":
        return (lower - lower.T).tocoo()
    return (lower + lower.T + sp.diags(random_values(rng, rows))).tocoo()


def check(name, condition, detail=""):
    global checks
    checks += 1
    if not condition:
        print(f"FAILED: {name} {detail}")
        sys.exit(1)


def check_round_trip(name, matrix, symmetry, folder, threads, suffix, **options):
    first = os.path.join(folder, "first.mtx")
    second = os.path.join(folder, "second.mtx" + suffix)
    scipy.io.mmwrite(first, matrix, symmetry=symmetry, precision=17, **options)
    done = echo("-t", str(threads), first, second)
    check(name, done.returncode == 0, done.stderr.decode())
    check(name + ", first reading", same(scipy.io.mmread(first), matrix))
    back = scipy.io.mmread(second)
    check(name + ", second reading", same(back, matrix))
    check(name + ", kind", sp.issparse(back) == sp.issparse(matrix))


def check_pipe(rng, folder):
    """From a pipe into a pipe, gzip by content, entries in no order."""
    a = random_sparse(rng, 40, 30, 0.2, "general")
    order = rng.permutation(a.nnz)
    a = sp.coo_matrix((a.data[order], (a.row[order], a.col[order])), a.shape)
    path = os.path.join(folder, "pipe.mtx")
    scipy.io.mmwrite(path, a, precision=17)
    packed = subprocess.run(["gzip", "-c", path], stdout=subprocess.PIPE, check=True).stdout
    for data in (open(path, "rb").read(), packed):
        done = echo("-", "-", input=data, stdout=subprocess.PIPE)
        check("pipe", done.returncode == 0, done.stderr.decode())
        with open(path, "wb") as out:
            out.write(done.stdout)
        check("pipe", same(scipy.io.mmread(path), a))
    csc = a.tocsc()
    csc.sort_indices()
    rows = [line.split() for line in open(path) if not line.startswith("%")][1:]
    check("order", [int(r[0]) - 1 for r in rows] == csc.indices.tolist())


def check_refused(rng, folder):
    """What scipy writes and this reader refuses, with a place and a reason."""
    path = os.path.join(folder, "no.mtx")
    for matrix, options, words in (
            (sp.eye(3), {"field": "pattern"}, b"no.mtx:1:34: expected the field 'real' or"),
            (np.eye(2) * 1j, {}, b"no.mtx:1:29: expected the field 'real' or 'integer'"),
            (np.array([[1.0, np.nan]]), {}, b"found 'nan'"),
            (np.array([[1.0, np.inf]]), {}, b"found 'inf'")):
        scipy.io.mmwrite(path, matrix, symmetry="general", **options)
        done = echo(path, "-", stdout=subprocess.PIPE)
        check("refused", done.returncode == 3 and words in done.stderr, done.stderr.decode())
        check("refused", done.stdout == b"")
    x = np.array([[np.inf], [-np.inf], [1.5]])
    scipy.io.mmwrite(path, x, symmetry="general", precision=17)
    done = echo("-i", "-v", path, path + ".out")
    check("infinite", done.returncode == 0, done.stderr.decode())
    check("infinite", same(scipy.io.mmread(path + ".out"), x))


def main():
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        for trial in range(12):
            threads, suffix = 1 + trial % 4, ".gz" if trial % 3 == 0 else ""
            for symmetry in ("general", "symmetric", "skew-symmetric"):
                rows = int(rng.integers(1, 90))
                columns = rows if symmetry != "general" else int(rng.integers(1, 90))
                a = random_sparse(rng, rows, columns, 0.15, symmetry)
                check_round_trip("sparse " + symmetry, a, symmetry, folder, threads, suffix)
                check_round_trip("dense " + symmetry, a.toarray(), symmetry, folder, threads,
                                 suffix)
            i = sp.random(50, 60, 0.1, random_state=trial).tocoo()
            i.data = rng.integers(-1000, 1000, i.nnz)
            check_round_trip("integer", i, "general", folder, threads, suffix, field="integer")
        large = random_sparse(rng, 3000, 3000, 0.01, "general")   # several chunks
        check_round_trip("large", large, "general", folder, 2, "")
        check_pipe(rng, folder)
        check_refused(rng, folder)
    print(f"{checks} checks with scipy {scipy.__version__} passed")


if len(sys.argv) != 2:
    sys.exit(__doc__)
ECHO = os.path.abspath(sys.argv[1])
checks = 0
main()
