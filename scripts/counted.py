"""Programs that count their own work: the instructions of each block of code that they run.

Built by gcc with -fsanitize-coverage=trace-pc, a program of bench/ calls bench/kit/work.c at the start
of each block. A file of weights says how many instructions each block has. The count is the same in
every run, whatever else the machine does.
"""
import pathlib
import re
import subprocess
import sys


def configure(tree, where, flags='', counted=True):
    """Prepares a build of a source tree's benchmarks in the folder `where`."""
    where.parent.mkdir(parents=True, exist_ok=True)
    options = where.parent / 'options.cmake'   # read after the checks of the compiler, which have no counter
    options.write_text('add_compile_options($<$<COMPILE_LANGUAGE:C>:-fsanitize-coverage=trace-pc>)\n'
                       'add_compile_definitions(WORK_COUNTED)\n')
    subprocess.run(['cmake', '-S', str(tree), '-B', str(where), '-G', 'Ninja',
                    '-DCMAKE_C_COMPILER=gcc', '-DCMAKE_BUILD_TYPE=Release', '-DPERP_BUILD_BENCH=ON',
                    '-DPERP_BUILD_TESTS=OFF', '-DCMAKE_EXPORT_COMPILE_COMMANDS=ON', f'-DCMAKE_C_FLAGS={flags}'] +
                   ([f'-DCMAKE_PROJECT_INCLUDE={options}'] if counted else []),
                   check=True, stdout=subprocess.DEVNULL)


def build(where, counted=True):
    """Builds bench_ablation in a prepared folder. Returns the program."""
    result = subprocess.run(['cmake', '--build', str(where), '--target', 'bench_ablation'],
                            capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(result.stdout[-3000:])
    program = where / 'bench' / 'bench_ablation'
    if counted:
        weigh(program, weights(where))
    return program


def weights(where):
    return pathlib.Path(f'{where}.weights')


def weigh(path, out):
    """Writes a byte per address of the program: the instructions from there to the block's end."""
    code = subprocess.run(['objdump', '-d', '--no-show-raw-insn', '-j', '.text', str(path)],
                          capture_output=True, text=True, check=True).stdout
    found, start, cost, counted = {}, None, 0, False
    for line in code.splitlines():
        match = re.match(r'\s+([0-9a-f]+):\t(\S+)(.*)', line)
        if match and counted:   # the address to which the counter returns
            start, cost, counted = int(match[1], 16), 0, False
        ends = match is None or match[2].startswith(('jmp', 'ret')) or '__sanitizer_cov_trace_pc' in match[3]
        cost += 0 if match is None else 10 if re.search('div|sqrt', match[2]) else 1
        if start is not None and ends:
            found[start], start = min(cost, 255), None
        counted = match is not None and match[2].startswith('call') and '__sanitizer_cov_trace_pc' in match[3]
    if not found:
        sys.exit('objdump shows no counted blocks')
    bytes_ = bytearray(max(found) + 1)
    for address, cost in found.items():
        bytes_[address] = cost
    out.write_bytes(bytes_)


def rows(path):
    """{item: (solved, work, hash of x)}: what bench_ablation printed, without a line that is cut off."""
    fields = (line.split('\t') for line in path.read_text().splitlines(keepends=True) if line.endswith('\n'))
    return {row[0]: (row[1] == '1', int(row[2]), row[3].strip()) for row in fields}
