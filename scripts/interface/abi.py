#!/usr/bin/env python3
"""The binary interface of the shared libraries, as a record that a test compares.

  abi.py --write               writes tests/install/abi/LIBRARY.abi
  abi.py --check [LIBDIR]      compares the headers with the records, and the names that the
                               libraries in LIBDIR define with those that the headers declare

A record has a line for each function with its types, each struct with its size, each field with its
offset, and each value of an enum and each constant. What a line says comes from headers.py and from
a program made of the headers, so no field can be forgotten. --cc names the compiler (cc), --include
a folder with perp/*.h, --records the folder of records.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True   # the work tree stays as it is
import headers

HEAD = '''# What programs built against {soname} rely on. `ninja abi` writes this file, and the test
# install_abi compares it. CONTRIBUTING.md, "Change the interface", says what a difference means.
'''
PATTERN = re.compile(r'(\S+ [^:]+): (.*)')
MOVES = re.compile(r'offset (\d+), (.*)')


def facts_of(header):
    """(key, C expressions, format): a line of the record for each declaration of a header."""
    for item in header.items:
        if item.kind == 'function':
            yield f'function {item.name}', [], item.type
        elif item.kind == 'opaque':
            continue
        elif item.kind == 'macro' and header.name != 'version':
            if not item.value.startswith('"'):
                whole = re.fullmatch(r'[-+]?[\d.]+(e[-+]?\d+)?', item.value) is None or item.value.isdigit()
                yield f'constant {item.name}', \
                    [f'(long long)({item.name})' if whole else f'(double)({item.name})'], \
                    '%lld' if whole else '%.17g'
        elif item.kind == 'enum':
            if item.name:
                yield f'enum {item.name}', [f'(long long)sizeof(enum {item.name})'], 'size %lld'
            for value in item.members:
                yield f'value {value.name}', [f'(long long){value.name}'], '%lld'
        elif item.kind == 'struct':
            whole = f'struct {item.name}'
            yield whole, [f'(long long)sizeof({whole})', f'(long long)_Alignof({whole})'], \
                'size %lld, alignment %lld'
            for field in item.members:
                for name, kind in zip(field.names, field.types):
                    place = re.sub(r'\[\w+\]\.', '[0].', name)
                    yield f'field {item.name}.{name}', \
                        [f'(long long)offsetof({whole}, {place})',
                         f'(long long)sizeof((({whole} *)0)->{place})'], \
                        f'offset %lld, size %lld, {kind}'


def measure(facts, names, folder, compiler):
    """A line of the record for each fact: a program made of the headers prints the numbers."""
    lines = ['#include <stddef.h>', '#include <stdio.h>',
             *(f'#include <perp/{name}>' for name in names), 'int main(void) {',
             '  if (sizeof(void *) != 8) return 77;']
    for key, expressions, form in facts:
        lines.append(f'  printf("%s\\n", "{key}: {form}");' if not expressions else
                     f'  printf("{key}: {form}\\n", {", ".join(expressions)});')
    lines += ['  return 0;', '}', '']
    with tempfile.TemporaryDirectory() as work:
        source, program = pathlib.Path(work) / 'record.c', pathlib.Path(work) / 'record'
        source.write_text('\n'.join(lines))
        subprocess.run([*compiler.split(), '-std=c17', f'-I{folder}', str(source), '-o',
                        str(program)], check=True)
        ran = subprocess.run([str(program)], stdout=subprocess.PIPE, text=True)
    if ran.returncode == 77:
        print('skipped: the records are of systems with pointers of 8 bytes')
        sys.exit(77)
    ran.check_returncode()
    return ran.stdout.splitlines()


def collect(folder, compiler):
    """library -> (soname, lines)."""
    libraries, version = {}, {}
    for header in headers.read_all(folder / 'perp'):
        libraries.setdefault(headers.which_library(header), []).append(header)
        if header.name == 'version':
            version = {item.name: item.value for item in header.items}
    number = f'{version["PERP_VERSION_MAJOR"]}.{version["PERP_VERSION_MINOR"]}'
    facts = {library: [fact for header in members for fact in facts_of(header)]
             for library, members in sorted(libraries.items())}
    lines = measure([fact for some in facts.values() for fact in some],
                    [header.path.name for members in libraries.values() for header in members],
                    folder, compiler)
    result = {}
    for library, some in facts.items():
        result[library] = (f'lib{library}.so.{number}', lines[:len(some)])
        lines = lines[len(some):]
    return result


def as_text(soname, lines):
    return HEAD.format(soname=soname) + f'soname: {soname}\n' + '\n'.join(lines) + '\n'


def compare(lines, record):
    """What changed, one sentence each, and whether a program built before may fail."""
    def table(some):
        return dict(PATTERN.match(line).groups() for line in some if PATTERN.match(line))
    before, now = table(record), table(lines)
    changes, breaks = [], False
    for key, value in before.items():
        if key not in now:
            changes.append(f'{key} is gone')
        elif now[key] != value:
            was, becomes = MOVES.match(value), MOVES.match(now[key])
            moves = was and becomes and was[2] == becomes[2]
            changes.append(f'{key} moves from offset {was[1]} to {becomes[1]}' if moves else
                           f'{key} was: {value}; is: {now[key]}')
        else:
            continue
        grows = re.match(r'value \w+_COUNT$', key) and key in now and int(now[key]) > int(value)
        breaks |= not grows
    for key, value in now.items():
        if key not in before:
            changes.append(f'{key} is new: {value}')
            breaks |= key.startswith('field ')
    return changes, breaks


def check_record(library, soname, lines, path):
    record = path.read_text().splitlines() if path.exists() else []
    changes, breaks = compare(lines, record)
    old = next((line.split()[1] for line in record if line.startswith('soname: ')), 'none')
    if not changes and old == soname:
        return 0
    print(f'lib{library}: the headers are not what {path.name} records:')
    for change in changes:
        print(f'  {change}')
    if old != soname:
        print(f'  soname was: {old}; is: {soname}')
    elif breaks:
        print(f'''
Programs that were built against {soname} would read wrong memory or not start. Take the change
back; or, if a library named {soname} has been released, raise PERP_VERSION_MINOR in
include/perp/version.h, which renames the libraries, and tell users in CHANGELOG.md.''')
    print('\nThen run `ninja abi` in the build folder, and commit tests/install/abi with your '
          'change.\nCONTRIBUTING.md, "Change the interface", has the rules.')
    return 1


def check_names(library, lines, folder):
    """What the libraries define is what the headers declare, no more and no less."""
    declared = {line.split()[1].rstrip(':') for line in lines if line.startswith('function ')}
    failures = 0
    for name, options in ((f'lib{library}.so', ['-D']), (f'lib{library}.a', [])):
        said = subprocess.run(['nm', *options, '--defined-only', '--extern-only',
                               str(folder / name)], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=True).stdout
        defined = {words[2] for words in map(str.split, said.splitlines()) if len(words) == 3}
        for one in sorted(declared - defined):
            print(f'{name} does not define {one}, which a header declares')
        for one in sorted(defined - declared):
            print(f'{name} defines {one}, which no header declares')
        failures += declared != defined
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument('--write', action='store_true')
    what.add_argument('--check', nargs='?', const='', metavar='LIBDIR')
    parser.add_argument('--cc', default=os.environ.get('CC', 'cc'))
    parser.add_argument('--include', type=pathlib.Path, default=headers.ROOT / 'include')
    parser.add_argument('--records', type=pathlib.Path,
                        default=headers.ROOT / 'tests' / 'install' / 'abi')
    given = parser.parse_args()
    failures, count = 0, 0
    interface = collect(given.include, given.cc)
    for library, (soname, lines) in interface.items():
        path = given.records / f'{library}.abi'
        if given.write:
            given.records.mkdir(exist_ok=True)
            path.write_text(as_text(soname, lines))
            continue
        failures += check_record(library, soname, lines, path)
        if given.check:
            failures += check_names(library, lines, pathlib.Path(given.check))
        count += len(lines)
    for path in given.records.glob('*.abi'):
        if path.stem not in interface:
            print(f'{path.name} is the record of no library')
            failures += 1
    if not given.write and not failures:
        print(f'{len(interface)} libraries, {count} lines')
    return 1 if failures else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except headers.Problem as problem:
        sys.exit(str(problem))
