#!/usr/bin/env python3
"""Times reading a Matrix Market file against scipy.io.mmread, in one run on one file.

    read_mtx.py READ_MTX [--nonzeros 10000000] [--repeat 3] [--no-header]

READ_MTX is the program built from bench/read_mtx.c. Prints a CSV row on standard output and a
readable line on standard error. Times are the best of the repeats, the file being in the cache;
scipy reads once. Exit code 77 (skipped) if no interpreter with numpy and scipy is found.
"""
import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
    import scipy
    import scipy.io
except ImportError:
    SYSTEM = "/usr/bin/python3"
    if os.environ.get("READ_MTX_RETRIED") or not os.access(SYSTEM, os.X_OK):
        print("skipped: no python3 with numpy and scipy", file=sys.stderr)
        sys.exit(77)
    os.environ["READ_MTX_RETRIED"] = "1"
    os.execv(SYSTEM, [SYSTEM] + sys.argv)


def machine():
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as info:
            name = next(line.split(":", 1)[1].strip() for line in info if "model name" in line)
    except (OSError, StopIteration):
        pass
    return f"{name} ({os.cpu_count()} processors)".replace(",", " ")


def run(program, *words):
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().split()


def read(program, path, threads, repeat):
    rows = [run(program, "read", path, str(threads)) for _ in range(repeat)]
    return min(float(row[0]) for row in rows), int(rows[0][1]), float(rows[0][2])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", metavar="READ_MTX")
    parser.add_argument("--nonzeros", type=int, default=10**7)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-header", action="store_true")
    options = parser.parse_args()
    program = os.path.abspath(options.program)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bench.mtx")
        writing = float(run(program, "write", str(options.nonzeros), path)[0])
        size = os.path.getsize(path)
        one, nonzeros, total = read(program, path, 1, options.repeat)
        two, _, total_two = read(program, path, 2, options.repeat)
        start = time.perf_counter()
        peer = scipy.io.mmread(path)
        peer_time = time.perf_counter() - start
        if peer.nnz != nonzeros or total != total_two:
            sys.exit("the readers disagree about the file")
        if abs(float(np.sum(peer.data)) - total) > 1e-9*float(np.sum(np.abs(peer.data))):
            sys.exit("the readers disagree about the values")

    megabytes = size/1e6
    if not options.no_header:
        print("nonzeros,bytes,write_seconds,read1_seconds,read2_seconds,scipy_seconds,"
              "read1_mb_per_s,read2_mb_per_s,ratio1,ratio2,scipy,machine")
    print(f"{nonzeros},{size},{writing:.3f},{one:.3f},{two:.3f},{peer_time:.3f},"
          f"{megabytes/one:.0f},{megabytes/two:.0f},{peer_time/one:.1f},{peer_time/two:.1f},"
          f"{scipy.__version__},{machine()}")
    print(f"{nonzeros} nonzeros, {megabytes:.0f} MB: "
          f"1 thread {one:.2f} s ({megabytes/one:.0f} MB/s), "
          f"2 threads {two:.2f} s ({megabytes/two:.0f} MB/s), "
          f"scipy {scipy.__version__} {peer_time:.1f} s; "
          f"{peer_time/one:.0f} and {peer_time/two:.0f} times as fast, "
          f"on {machine()}", file=sys.stderr)


main()
