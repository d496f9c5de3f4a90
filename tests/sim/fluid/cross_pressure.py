#!/usr/bin/env python3
"""Cross-checks the pressure problems that `perp run --dump-problems` writes.

    cross_pressure.py PERP

Three answers to each: the x of the simulation, found on the grid; that of active_set on the file's
matrix by columns; and that of scipy's bounded least squares, an active-set method of Stark and Parker
on |L'x + inv(L) b| with A = L L', which shares nothing with perp.
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
    import scipy.linalg
    from scipy.optimize import lsq_linear
except ImportError:
    restart_or_skip()

PERP = sys.argv[1]
SCENES = [("dam-break-2d", 18), ("falling-block", 20), ("ceiling", 14), ("dam-break-3d", 8)]
failures = 0
pressing = parting = 0


def vector(folder, name):
    with open(os.path.join(folder, name + ".mtx"), encoding="ascii") as file:
        words = [line for line in file if not line.startswith("%")]
    return np.array([float(word) for word in words[1:]])   # inf is not scipy's


def check(what, condition):
    global failures
    if not condition:
        failures += 1
        print("not ok:", what)


def compare(folder):
    global pressing, parting
    A = scipy.io.mmread(os.path.join(folder, "A.mtx")).toarray()
    b, lo, hi, x = (vector(folder, name) for name in ("b", "lo", "hi", "x"))
    out = os.path.join(folder, "y.mtx")
    subprocess.run([PERP, "solve", folder, "--method", "active_set", "--tol", "1e-11", "-q",
                    "-o", out], check=True, stdout=subprocess.DEVNULL)
    columns = vector(folder, "y")
    L = scipy.linalg.cholesky(A, lower=True)
    target = -scipy.linalg.solve_triangular(L, b, lower=True)
    least = lsq_linear(L.T, target, bounds=(lo, hi), method="bvls", tol=1e-14,
                       max_iter=20*len(b)).x
    # in free fall b is rounding, and so is all of p
    scale = max(np.abs(least).max(), np.abs(b).max()/A.diagonal().max())
    check(f"{folder}: the simulation's x", np.abs(x - least).max() <= 1e-5*scale)
    check(f"{folder}: active_set by columns", np.abs(columns - least).max() <= 1e-7*scale)
    wall = lo == 0
    pressing += int((x[wall] > 0).sum())
    parting += int((x[wall] == 0).sum())


with tempfile.TemporaryDirectory() as place:
    for scene, size in SCENES:
        dump = os.path.join(place, scene)
        subprocess.run([PERP, "run", scene, "--size", str(size), "--steps", "24", "-q",
                        "-o", dump + ".perp", "--dump-problems", dump], check=True)
        folders = sorted(os.listdir(dump))
        check(f"{scene}: {len(folders)} problems of 24 steps", len(folders) >= 20)
        for name in folders[3::6]:
            compare(os.path.join(dump, name))
check(f"walls press in {pressing} rows and let go in {parting}", pressing > 50 and parting > 5)
print("failures:", failures)
sys.exit(failures > 0)
