#!/usr/bin/env python3
"""Reads what perp export wrote of a liquid, by readers of its own, and compares it with the recording.

    liquid.py RECORDING KIND:FILE[:FRAME]...

KIND is ply, vtp, vti, pvd, csv, csv-cells, csv-steps or npy; without FRAME it is the last. Prints a
line for each. Where there is VTK (Debian: python3-vtk9) it reads .vtp and .vti, too. The recording
is read after docs/recording.md alone.
"""
import csv
import json
import os
import struct
import sys
import traceback
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check import FORMATS, read_ply, read_vtp, same
from recording import chunks, doubles, floats, plane

LIQUID, SEPARATING = 1, 4


def unfold(z):
    return z >> 1 ^ -(z & 1)


def wrap(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


class Liquid:
    """Frames as lists of (x, y, z, vx, vy, vz, cell); cells as lists of (type, surface, pressure)."""

    def __init__(self, path):
        self.frames, self.cells, self.steps = [], [], []
        for kind, count, body in chunks(path):
            if kind == b'HEAD':
                self.head = json.loads(body)
                self.h = self.head['spacing']
            elif kind == b'FLOW':
                self._flow(body, count)
            elif kind == b'GRID':
                self._grid(body, count)
            elif kind == b'STEP':
                self._steps(body, count)
        self.interval = self.head['dt']*self.head['every']

    def _flow(self, data, count):
        frames, bodies, particles, axes, fine, nx, ny, _ = struct.unpack('<8I', data[:32])
        assert frames == count
        at = 32 + 28*frames*bodies
        counts = struct.unpack(f'<{frames}I', data[at:at + 4*frames])
        tops = struct.unpack(f'<{frames}f', data[at + 4*frames:at + 8*frames])
        at += 8*frames
        steps, at = plane(data, at, particles)
        within = []
        for _ in range(axes):
            words, at = plane(data, at, particles, 1 if fine <= 256 else 2)
            within.append(words)
        speeds = [data[at + c*particles:at + (c + 1)*particles] for c in range(axes)]
        assert at + axes*particles == len(data)
        i = 0
        for n, top in zip(counts, tops):
            cell, s, frame = 0, [0]*axes, []
            for _ in range(n):
                cell += steps[i]
                place = [cell % nx, cell//nx % ny, cell//nx//ny]
                s = [wrap(s[c] + unfold(speeds[c][i]), 8) for c in range(axes)]
                x = [(place[c] + (within[c][i] + 0.5)/fine)*self.h for c in range(axes)]
                v = [top*(w/127)*abs(w/127) for w in s]
                frame.append((*x, *[0.0]*(3 - axes), *v, *[0.0]*(3 - axes), cell))
                i += 1
            self.frames.append(frame)

    def _grid(self, data, count):
        frames, nx, ny, nz, fields = struct.unpack('<5I', data[:20])
        assert frames == count and fields == 7
        cells, at = nx*ny*nz, 32
        types = data[at:at + frames*cells]
        surface = struct.unpack(f'<{frames*cells}b', data[at + frames*cells:at + 2*frames*cells])
        at += 2*frames*cells
        units = struct.unpack(f'<{frames}f', data[at:at + 4*frames])
        words, at = plane(data, at + 4*frames, frames*cells, 2)
        assert at == len(data)
        for f in range(frames):
            last, frame = 0, []
            for i in range(f*cells, (f + 1)*cells):
                last = wrap(last + unfold(words[i]), 16)
                frame.append((types[i], surface[i]*self.h/64, units[f]*last))
            self.cells.append(frame)

    def _steps(self, data, count):
        rows, columns, points, _ = struct.unpack('<4I', data[:16])
        assert rows == count and points == 0
        at, table = 16, []
        for _ in range(columns):
            w, at = plane(data, at, rows, 8)
            table.append(doubles(w))
        self.steps += [list(row) for row in zip(*table)]

    def time(self, frame):
        return frame*self.interval


def near(a, b):
    return abs(a - b) <= 2e-6*(1 + abs(b))


def all_near(a, b):
    assert len(a) == len(b)
    for x, y in zip(a, b):
        assert near(x, y), f'{a} is not {b}'


def check_ply(path, rec, frame):
    rows = read_ply(path)['vertex']
    assert len(rows) == len(rec.frames[frame]) > 0
    for row, p in zip(rows, rec.frames[frame]):
        all_near([row[n] for n in 'x y z vx vy vz'.split()], p[:6])
        assert near(row['pressure'], rec.cells[frame][p[6]][2])
    assert len({(r['red'], r['green'], r['blue']) for r in rows}) > 3


def check_vtp(path, rec, frame):
    piece, arrays = read_vtp(path)
    assert piece['NumberOfVerts'] == len(rec.frames[frame]) > 0
    assert near(arrays['TimeValue'][0][0], rec.time(frame))
    for x, v, q, p in zip(arrays['Points'], arrays['velocity'], arrays['pressure'],
                          rec.frames[frame]):
        all_near(x, p[:3])
        all_near(v, p[3:6])
        assert near(q[0], rec.cells[frame][p[6]][2])
    with_vtk(path, 'vtkXMLPolyDataReader', lambda data: (
        data.GetNumberOfPoints() == len(rec.frames[frame]) and all(
            near(data.GetPoint(k)[c], p[c]) for k, p in enumerate(rec.frames[frame][:50])
            for c in range(3))))


def read_vti(path):
    data = open(path, 'rb').read()
    mark = b'<AppendedData encoding="raw">'
    begin = data.index(mark) + len(mark)
    tree = xml.fromstring(data[:begin] + b'</AppendedData></VTKFile>')
    assert tree.attrib['type'] == 'ImageData' and tree.attrib['byte_order'] == 'LittleEndian'
    image, begin = tree.find('ImageData'), data.index(b'_', begin) + 1
    assert image.find('Piece').attrib['Extent'] == image.attrib['WholeExtent']
    arrays, end = {}, begin
    for a in tree.iter('DataArray'):
        at = begin + int(a.attrib['offset'])
        assert at == end
        size, = struct.unpack('<Q', data[at:at + 8])
        code = FORMATS[a.attrib['type']]
        count = size//struct.calcsize('<' + code)
        arrays[a.attrib['Name']] = struct.unpack(f'<{count}{code}', data[at + 8:at + 8 + size])
        end = at + 8 + size
    return image.attrib, arrays


def check_vti(path, rec, frame):
    about, arrays = read_vti(path)
    nx, ny, nz = rec.head['cells']
    flat = rec.head['dimension'] == 2
    assert about['WholeExtent'] == f'0 {nx} 0 {ny} 0 {0 if flat else nz}'
    assert [float(x) for x in about['Spacing'].split()] == [rec.h]*3
    assert [float(x) for x in about['Origin'].split()] == [0, 0, 0]
    cells = rec.cells[frame]
    assert list(arrays['type']) == [c[0] & 3 for c in cells]
    assert list(arrays['separating']) == [c[0] >> 2 for c in cells]
    for name, k in (('surface', 1), ('pressure', 2)):
        assert len(arrays[name]) == nx*ny*nz
        assert all(near(a, c[k]) for a, c in zip(arrays[name], cells)), name
    with_vtk(path, 'vtkXMLImageDataReader', lambda data: (
        data.GetNumberOfCells() == nx*ny*nz and all(
            near(data.GetCellData().GetArray('pressure').GetValue(k), cells[k][2])
            for k in range(0, nx*ny*nz, 97))))


def with_vtk(path, reader, test):
    """By the reader of VTK itself, if it is there."""
    try:
        import vtk
    except ImportError:
        return
    source = getattr(vtk, reader)()
    source.SetFileName(path)
    source.Update()
    assert test(source.GetOutput()), f'VTK reads {path} otherwise'
    print(f'# {path} by VTK {vtk.vtkVersion().GetVTKVersion()}')


def check_pvd(path, rec, frame):
    for name, check in ((path, check_vtp), (path[:-4] + '_grid.pvd', check_vti)):
        sets = xml.parse(name).getroot().findall('Collection/DataSet')
        assert len(sets) > 1
        for s in sets:
            file = os.path.join(os.path.dirname(path), s.attrib['file'])
            at = int(file[-8:-4])
            assert float(s.attrib['timestep']) == rec.time(at)
            check(file, rec, at)


def check_csv(path, rec, frame):
    rows = list(csv.reader(open(path)))
    flat = rec.head['dimension'] == 2
    axes = [0, 1] if flat else [0, 1, 2]
    assert rows[0] == (['frame', 'time'] + ['x', 'y', 'z'][:len(axes)] +
                       ['vx', 'vy', 'vz'][:len(axes)] + ['pressure'])
    wanted = [(f, p) for f, frame_ in enumerate(rec.frames) for p in frame_]
    assert len(rows) - 1 == len(wanted)
    for r, (f, p) in zip(rows[1:], wanted):
        assert int(r[0]) == f and float(r[1]) == rec.time(f)
        all_near([float(v) for v in r[2:]],
                 [*[p[c] for c in axes], *[p[3 + c] for c in axes], rec.cells[f][p[6]][2]])


def check_csv_cells(path, rec, frame):
    rows = list(csv.reader(open(path)))
    nx, ny, _ = rec.head['cells']
    assert rows[0] == 'frame time i j k pressure separating'.split()
    wanted = [(f, i, c) for f, cells in enumerate(rec.cells) for i, c in enumerate(cells)
              if c[0] & 3 == LIQUID]
    assert len(rows) - 1 == len(wanted)
    for r, (f, i, c) in zip(rows[1:], wanted):
        assert [int(v) for v in r[2:5]] == [i % nx, i//nx % ny, i//nx//ny] and int(r[0]) == f
        assert same(r[5], floats([struct.unpack('<I', struct.pack('<f', c[2]))[0]])[0])
        assert int(r[6]) == c[0] >> 2


def check_csv_steps(path, rec, frame):
    rows = list(csv.reader(open(path)))
    assert rows[0] == rec.head['columns']
    assert [[float(v) for v in r] for r in rows[1:]] == rec.steps


def check_npy(path, rec, frame):
    """FILE.npz, and FILE-particles.npy, FILE-cells.npy, FILE-steps.npy."""
    import numpy as np
    a = np.load(path + '.npz')
    start = a['start']
    assert list(start) == list(np.cumsum([0] + [len(f) for f in rec.frames]))
    for f, list_ in enumerate(rec.frames):
        part = a['particles'][start[f]:start[f + 1]]
        assert (part['frame'] == f).all()
        assert np.allclose(part['x'], [p[:3] for p in list_], atol=1e-6)
        assert np.allclose(part['v'], [p[3:6] for p in list_], atol=1e-6)
    nx, ny, nz = rec.head['cells']
    cells = a['cells']
    assert cells.shape == (len(rec.frames), nz, ny, nx)
    wanted = np.array(rec.cells)
    assert (cells['type'].ravel() == wanted[:, :, 0].ravel() % 4).all()
    assert (cells['separating'].ravel() == wanted[:, :, 0].ravel()//4).all()
    assert np.allclose(cells['pressure'].ravel(), wanted[:, :, 2].ravel(), rtol=1e-6)
    assert np.allclose(cells['surface'].ravel(), wanted[:, :, 1].ravel(), rtol=1e-6)
    assert np.allclose(a['time'], [rec.time(f) for f in range(len(rec.frames))])
    assert list(a['steps']['volume']) == [r[rec.head['columns'].index('volume')] for r in rec.steps]
    assert a['pose'].shape == (len(rec.frames), 1, 7) and a['moving'].tolist() == [1]
    for what in ('particles', 'cells', 'steps'):
        assert (np.load(f'{path}-{what}.npy') == a[what]).all(), what


def main():
    rec, failures = Liquid(sys.argv[1]), 0
    for argument in sys.argv[2:]:
        kind, path, *frame = argument.split(':')
        frame = int(frame[0]) if frame else len(rec.frames) - 1
        try:
            globals()['check_' + kind.replace('-', '_')](path, rec, frame)
            print(f'ok - {path} is what {sys.argv[1]} has')
        except ModuleNotFoundError as error:
            print(f'ok - # SKIP {error}')
        except Exception:   # every kind is checked, whatever another one did
            failures += 1
            print(f'not ok - {path} is what {sys.argv[1]} has')
            print('  ' + traceback.format_exc().replace('\n', '\n  '))
    sys.exit(1 if failures else 0)


main()
