#!/usr/bin/env python3
"""Reads what perp export wrote, by readers of its own, and compares it with the recording.

    check.py RECORDING KIND:FILE[:FRAME]...

KIND is ply, points, vtp, vtp-points, vtp-contacts, pvd, csv, csv-contacts, csv-steps, glb or npy;
without FRAME it is the last. Prints a line for each; exit status 77 if numpy is missing.
"""
import csv
import json
import math
import os
import struct
import sys
import traceback
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from recording import Recording

SPHERE, BOX, PLANE, HOLLOW = range(4)


def near(a, b, tolerance=1e-6):
    return abs(a - b) <= tolerance*(1 + abs(b))


def all_near(a, b, tolerance=1e-6):
    return len(a) == len(b) and all(near(x, y, tolerance) for x, y in zip(a, b))


def dot(a, b):
    return sum(x*y for x, y in zip(a, b))


def cross(a, b):
    return [a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]]


def minus(a, b):
    return [x - y for x, y in zip(a, b)]


def matrix(q):
    """Of a unit quaternion with w first: rows."""
    w, x, y, z = [v/math.sqrt(dot(q, q)) for v in q]
    return [[1 - 2*(y*y + z*z), 2*(x*y - w*z), 2*(x*z + w*y)],
            [2*(x*y + w*z), 1 - 2*(x*x + z*z), 2*(y*z - w*x)],
            [2*(x*z - w*y), 2*(y*z + w*x), 1 - 2*(x*x + y*y)]]


def turn(q, v):
    return [dot(row, v) for row in matrix(q)]


# --------------------------------------------------------------------------------- bodies as meshes

def check_meshes(rec, frame, points, normals, bodies, triangles):
    """Spheres, boxes, discs and rectangles have the right place, size and orientation."""
    head = rec.head['bodies']
    flat = rec.head['dimension'] == 2
    faces = {}
    for t in triangles:
        assert len({bodies[k] for k in t}) == 1, 'a triangle of two bodies'
        faces.setdefault(bodies[t[0]], []).append(t)
    vertices = {}
    for k, body in enumerate(bodies):
        vertices.setdefault(body, []).append(k)
    for n in normals:
        assert near(dot(n, n), 1, 1e-5), f'a normal of length {math.sqrt(dot(n, n))}'
    for body, shape in enumerate(head['shape']):
        state, e = rec.state(frame, body), head['extent'][body]
        centre, q = state[:3], state[3:7]
        if shape in (SPHERE, BOX):
            assert body in faces, f'body {body} is not there'
        for k in vertices.get(body, []):
            at = minus(points[k], centre)
            if shape == SPHERE and not flat:
                assert near(math.sqrt(dot(at, at)), e[0], 1e-5)
                assert dot(at, normals[k]) > 0.999*e[0]
            if shape == SPHERE and flat:
                assert math.sqrt(dot(at, at)) <= e[0]*1.00001 and abs(at[2]) < 1e-6
            if shape == BOX:
                own = [dot(column, at) for column in zip(*matrix(q))]
                for c in range(2 if flat else 3):
                    assert near(abs(own[c]), e[c], 1e-4), f'{own} is no corner of {e}'
            if shape == PLANE and not flat:
                assert near(dot(points[k], e), head['offset'][body], 1e-5)
            if shape == HOLLOW and not flat:
                assert near(math.sqrt(dot(at, at)), e[0], 1e-5)
        volume = area = 0.0
        for a, b, c in ([points[k] for k in t] for t in faces.get(body, [])):
            size = cross(minus(b, a), minus(c, a))
            volume += dot(minus(a, centre), size)/6
            area += size[2]/2
        if shape == SPHERE and not flat:
            assert near(volume, 4*math.pi/3*e[0]**3, 0.02), f'{volume} for radius {e[0]}'
        if shape == BOX and not flat:
            assert near(volume, 8*e[0]*e[1]*e[2], 1e-4), f'{volume} for {e}'
        if shape == SPHERE and flat:
            assert near(area, math.pi*e[0]**2, 0.01), f'{area} for radius {e[0]}'
        if shape == BOX and flat:
            assert near(area, 4*e[0]*e[1], 1e-4)
    return faces


# ---------------------------------------------------------------------------------------------- PLY

TYPES = {'float': 'f', 'int': 'i', 'uchar': 'B'}


def read_ply(path):
    data = open(path, 'rb').read()
    end = data.index(b'end_header\n') + len(b'end_header\n')
    lines = data[:end].decode('ascii').splitlines()
    assert lines[0] == 'ply' and lines[1] in ('format ascii 1.0', 'format binary_little_endian 1.0')
    text = lines[1] == 'format ascii 1.0'
    words, at, elements = iter(data[end:].split()), end, {}
    order, properties = [], {}
    for line in lines[2:]:
        word = line.split()
        if word[0] == 'element':
            order.append((word[1], int(word[2])))
            properties[word[1]] = []
        elif word[0] == 'property':
            properties[order[-1][0]].append(word[1:])

    def number(kind):
        nonlocal at
        if text:
            word = next(words)
            return float(word) if kind == 'float' else int(word)
        size = struct.calcsize('<' + TYPES[kind])
        value = struct.unpack('<' + TYPES[kind], data[at:at + size])[0]
        at += size
        return value

    for name, count in order:
        rows = elements[name] = []
        for _ in range(count):
            row = {}
            for p in properties[name]:
                if p[0] == 'list':
                    row[p[3]] = [number(p[2]) for _ in range(number(p[1]))]
                else:
                    row[p[1]] = number(p[0])
            rows.append(row)
    assert next(words, None) is None if text else at == len(data), 'something follows the numbers'
    return elements


def check_ply(path, rec, frame):
    mesh = read_ply(path)
    vertex = mesh['vertex']
    points = [[v['x'], v['y'], v['z']] for v in vertex]
    normals = [[v['nx'], v['ny'], v['nz']] for v in vertex]
    check_meshes(rec, frame, points, normals, [v['body'] for v in vertex],
                 [f['vertex_indices'] for f in mesh['face']])
    moving = [v for v in vertex if v['body'] in rec.moving]
    colours = {(v['red'], v['green'], v['blue']) for v in moving}
    assert not moving or len(colours) > 1, 'all of one colour'


NAMES = 'x y z qw qx qy qz vx vy vz wx wy wz'.split()


def with_centre(rec):
    return [i for i, shape in enumerate(rec.head['bodies']['shape']) if shape != PLANE]


def half_sides(rec, i):
    e = rec.head['bodies']['extent'][i]
    return e if rec.head['bodies']['shape'][i] == BOX else [e[0]]*3


def radius(rec, i):
    e = rec.head['bodies']['extent'][i]
    return math.sqrt(dot(e, e)) if rec.head['bodies']['shape'][i] == BOX else e[0]


def check_points(path, rec, frame):
    vertex = read_ply(path)['vertex']
    assert [v['body'] for v in vertex] == with_centre(rec)
    for v in vertex:
        i = v['body']
        assert all_near([v[n] for n in NAMES], rec.state(frame, i)), f'body {i}'
        assert near(v['radius'], radius(rec, i)) and near(v['mass'], rec.head['bodies']['mass'][i])
        assert all_near([v['hx'], v['hy'], v['hz']], half_sides(rec, i))
        assert v['group'] == rec.head['bodies']['group'][i]


# ---------------------------------------------------------------------------------------------- VTK

FORMATS = {'Float32': 'f', 'Float64': 'd', 'Int32': 'i', 'UInt8': 'B'}


def read_vtp(path):
    """The attributes of the piece, and the arrays by name as lists of tuples."""
    data = open(path, 'rb').read()
    mark = b'<AppendedData encoding="raw">'
    begin = data.index(mark) + len(mark)
    tree = xml.fromstring(data[:begin] + b'</AppendedData></VTKFile>')
    assert tree.attrib['type'] == 'PolyData' and tree.attrib['byte_order'] == 'LittleEndian'
    assert tree.attrib['header_type'] == 'UInt64'
    begin = data.index(b'_', begin) + 1
    arrays, end = {}, begin
    for a in tree.iter('DataArray'):
        assert a.attrib['format'] == 'appended'
        at = begin + int(a.attrib['offset'])
        assert at == end, f'{a.attrib["Name"]} does not follow the array before'
        size, = struct.unpack('<Q', data[at:at + 8])
        code, components = FORMATS[a.attrib['type']], int(a.attrib.get('NumberOfComponents', 1))
        count = size//struct.calcsize('<' + code)
        values = struct.unpack(f'<{count}{code}', data[at + 8:at + 8 + size])
        arrays[a.attrib['Name']] = [values[k:k + components] for k in range(0, count, components)]
        end = at + 8 + size
    assert data[end:].split() == [b'</AppendedData>', b'</VTKFile>'], data[end:]
    piece = {k: int(v) for k, v in tree.find('PolyData/Piece').attrib.items()}
    assert len(arrays['Points']) == piece['NumberOfPoints']
    for a in tree.find('PolyData/Piece/PointData'):
        assert len(arrays[a.attrib['Name']]) == piece['NumberOfPoints'], a.attrib['Name']
    cells = piece['NumberOfPolys'] or piece['NumberOfVerts']
    each = 3 if piece['NumberOfPolys'] else 1
    assert [o[0] for o in arrays['offsets']] == [each*(k + 1) for k in range(cells)]
    assert len(arrays['connectivity']) == each*cells
    return piece, arrays


def check_time(arrays, rec, frame):
    assert near(arrays['TimeValue'][0][0], rec.time(frame), 1e-12)


def check_vtp(path, rec, frame):
    _, arrays = read_vtp(path)
    check_time(arrays, rec, frame)
    corners = [c[0] for c in arrays['connectivity']]
    bodies = [b[0] for b in arrays['body']]
    check_meshes(rec, frame, arrays['Points'], arrays['Normals'], bodies,
                 [corners[k:k + 3] for k in range(0, len(corners), 3)])
    for k in range(0, len(bodies), 7):
        s = rec.state(frame, bodies[k])
        spin = cross(s[10:], minus(arrays['Points'][k], s[:3]))
        assert all_near(arrays['velocity'][k], [v + w for v, w in zip(s[7:10], spin)], 1e-4)


def check_vtp_points(path, rec, frame):
    piece, arrays = read_vtp(path)
    check_time(arrays, rec, frame)
    bodies = [b[0] for b in arrays['body']]
    assert bodies == with_centre(rec) and piece['NumberOfVerts'] == len(bodies)
    assert [c[0] for c in arrays['connectivity']] == list(range(len(bodies)))
    for k, i in enumerate(bodies):
        s = rec.state(frame, i)
        for name, low, high in (('Points', 0, 3), ('orientation', 3, 7), ('velocity', 7, 10),
                                ('spin', 10, 13)):
            assert all_near(arrays[name][k], s[low:high]), f'{name} of body {i}'
        assert near(arrays['radius'][k][0], radius(rec, i))
        assert all_near(arrays['half'][k], half_sides(rec, i))
        assert near(arrays['mass'][k][0], rec.head['bodies']['mass'][i])
        assert arrays['group'][k][0] == rec.head['bodies']['group'][i]


def check_vtp_contacts(path, rec, frame):
    _, arrays = read_vtp(path)
    check_time(arrays, rec, frame)
    rows = zip(arrays['a'], arrays['b'], arrays['unsolved'], arrays['Points'], arrays['normal'],
               arrays['gap'], arrays['impulse'])
    assert [sum(map(tuple, row), ()) for row in rows] == rec.contacts[frame]


def check_pvd(path, rec, frame):
    folder = os.path.dirname(path)
    for name, check in ((path, check_vtp), (path[:-4] + '_contacts.pvd', check_vtp_contacts)):
        tree = xml.parse(name).getroot()
        assert tree.attrib['type'] == 'Collection'
        sets = tree.findall('Collection/DataSet')
        assert len(sets) > 1
        for s in sets:
            file = os.path.join(folder, s.attrib['file'])
            at = int(file[-8:-4])
            assert float(s.attrib['timestep']) == rec.time(at), f'{file}: {s.attrib}'
            _, arrays = read_vtp(file)
            check_time(arrays, rec, at)
        check(os.path.join(folder, sets[-1].attrib['file']), rec, at)


# ---------------------------------------------------------------------------------------------- CSV

def same(a, b):
    """A decimal number is exactly a float."""
    return struct.pack('<f', float(a)) == struct.pack('<f', b) or (float(a) == 0 == b)


def check_csv(path, rec, frame):
    rows = list(csv.reader(open(path)))
    assert rows[0] == ['frame', 'time', 'body'] + NAMES
    expected = [(f, i) for f in range(len(rec.frames)) for i in rec.moving]
    assert [(int(r[0]), int(r[2])) for r in rows[1:]] == expected
    for r in rows[1:]:
        assert float(r[1]) == rec.time(int(r[0]))
        assert all(same(a, b) for a, b in zip(r[3:], rec.state(int(r[0]), int(r[2]))))


def check_csv_contacts(path, rec, frame):
    rows = list(csv.reader(open(path)))
    assert rows[0] == 'frame time a b px py pz nx ny nz gap jx jy jz unsolved'.split()
    expected = [(f, c) for f, list_ in enumerate(rec.contacts) for c in list_]
    assert len(rows) - 1 == len(expected) > 0
    for r, (f, c) in zip(rows[1:], expected):
        assert (int(r[0]), int(r[2]), int(r[3]), int(r[14])) == (f, c[0], c[1], c[2] & 1)
        assert all(same(a, b) for a, b in zip(r[4:14], c[3:]))


def check_csv_steps(path, rec, frame):
    rows = list(csv.reader(open(path)))
    assert rows[0] == rec.head['columns']
    assert [[float(v) for v in r] for r in rows[1:]] == rec.steps


# --------------------------------------------------------------------------------------------- glTF

def read_glb(path):
    data = open(path, 'rb').read()
    magic, version, length, size, kind = struct.unpack('<4sII I4s', data[:20])
    assert (magic, version, length, kind) == (b'glTF', 2, len(data), b'JSON') and size % 4 == 0
    tree, at = json.loads(data[20:20 + size]), 20 + size
    if at == len(data):
        return tree, b''
    more, kind = struct.unpack('<I4s', data[at:at + 8])
    assert kind == b'BIN\0' and at + 8 + more == len(data)
    assert tree['buffers'] == [{'byteLength': more}]
    return tree, data[at + 8:]


def values(tree, data, index):
    a = tree['accessors'][index]
    view = tree['bufferViews'][a['bufferView']]
    components = {'SCALAR': 1, 'VEC3': 3, 'VEC4': 4}[a['type']]
    code = {5126: 'f', 5123: 'H'}[a['componentType']]
    at, count = view['byteOffset'] + a.get('byteOffset', 0), a['count']*components
    numbers = struct.unpack_from(f'<{count}{code}', data, at)
    return [numbers[k:k + components] for k in range(0, count, components)]


def check_motion(tree, data, rec):
    animation, = tree['animations']
    seen = set()
    for channel in animation['channels']:
        sampler = animation['samplers'][channel['sampler']]
        assert sampler['interpolation'] == 'LINEAR'
        times = [t[0] for t in values(tree, data, sampler['input'])]
        assert all_near(times, [rec.time(f) for f in range(len(rec.frames))])
        out, body = values(tree, data, sampler['output']), channel['target']['node']
        path = channel['target']['path']
        seen.add((body, path))
        for f, value in enumerate(out):
            s = rec.state(f, body)
            if path == 'translation':
                assert list(value) == s[:3], f'body {body}, frame {f}'
                continue
            q = [s[4], s[5], s[6], s[3]]
            length = math.sqrt(dot(q, q))
            sign = 1 if dot(value, q) > 0 else -1
            assert all_near(value, [sign*v/length for v in q]) and near(dot(value, value), 1)
            assert f == 0 or dot(value, out[f - 1]) >= 0, f'body {body} jumps at frame {f}'
    assert seen == {(i, p) for i in rec.moving for p in ('translation', 'rotation')}


def check_glb(path, rec, frame):
    tree, data = read_glb(path)
    head, nodes = rec.head['bodies'], tree['nodes']
    names = [n['name'] for n in nodes] + [m['name'] for m in tree.get('meshes', [])]
    plain = [''.join(c if c.isalnum() else '_' for c in n) for n in names]
    assert len(set(plain)) == len(names), 'a name is there twice'
    for i, shape in enumerate(head['shape']):
        node = nodes[i]
        if shape == PLANE:
            assert not {'translation', 'rotation', 'scale'} & set(node)
            continue
        assert all_near(node['scale'], half_sides(rec, i)) and 'mesh' in node
        assert all_near(node['translation'], rec.state(0, i)[:3])
        for p in tree['meshes'][node['mesh']]['primitives']:
            points = values(tree, data, p['attributes']['POSITION'])
            corners = [c[0] for c in values(tree, data, p['indices'])]
            assert max(corners) < len(points) and len(corners) % 3 == 0
            if shape == BOX:
                assert all(abs(x) == 1 for point in points for x in point[:2])
            if shape == SPHERE:
                assert all(dot(x, x) < 1.00001 for x in points)
    if rec.moving:
        check_motion(tree, data, rec)
    # Up is +y, and the camera sees the middle of every body at the start.
    stage = nodes[tree['scenes'][0]['nodes'][0]]
    assert sorted(stage['children']) == list(range(len(nodes) - 1))
    x, y, z, w = stage.get('rotation', [0, 0, 0, 1])
    g = rec.head['gravity']
    if rec.head['dimension'] == 3 and dot(g, g) > 0:
        up = [-v/math.sqrt(dot(g, g)) for v in g]
        assert all_near(turn([w, x, y, z], up), [0, 1, 0])
    camera = next(n for n in nodes if 'camera' in n)
    x, y, z, w = camera['rotation']
    lens = tree['cameras'][0]
    for i in rec.moving:
        at = minus(rec.state(0, i)[:3], camera['translation'])
        at = [dot(column, at) for column in zip(*matrix([w, x, y, z]))]
        if lens['type'] == 'perspective':
            high = -at[2]*math.tan(lens['perspective']['yfov']/2)
            wide = high*lens['perspective']['aspectRatio']
        else:
            wide, high = lens['orthographic']['xmag'], lens['orthographic']['ymag']
        assert at[2] < 0 and abs(at[0]) < wide and abs(at[1]) < high, f'body {i} is out of sight'


def check_glb_colours(path, rec, frame):
    """Bodies have the colours of the PLY file, but for levels of lightness."""
    glb, ply = path.split('+')
    tree, _ = read_glb(glb)
    seen = {}
    for v in read_ply(ply)['vertex']:
        colour = v['red'], v['green'], v['blue']
        seen[v['body']] = max(seen.get(v['body'], colour), colour, key=sum)
    for i in rec.moving:
        material = tree['meshes'][tree['nodes'][i]['mesh']]['primitives'][0]['material']
        linear = tree['materials'][material]['pbrMetallicRoughness']['baseColorFactor'][:3]
        colour = [255*(12.92*x if x < 0.0031308 else 1.055*x**(1/2.4) - 0.055) for x in linear]
        assert all(abs(a - b) < 0.035*255 + 1 for a, b in zip(colour, seen[i])), \
            f'body {i}: {colour}, not {seen[i]}'


# -------------------------------------------------------------------------------------------- NumPy

def check_npy(path, rec, frame):
    try:
        import numpy as np
    except ImportError:
        if os.environ.get('PERP_RETRIED') or not os.access('/usr/bin/python3', os.X_OK):
            sys.exit(77)
        os.environ['PERP_RETRIED'] = '1'
        os.execv('/usr/bin/python3', ['/usr/bin/python3'] + sys.argv)
    arrays = np.load(path + '.npz')
    assert sorted(arrays) == ['bodies', 'contacts', 'frame', 'moving', 'state', 'steps', 'time']
    state = np.array(rec.frames, dtype='f4').reshape(len(rec.frames), len(rec.moving), 13)
    assert np.array_equal(arrays['state'], state) and arrays['state'].dtype == np.dtype('<f4')
    assert arrays['frame'].tolist() == list(range(len(rec.frames)))
    assert arrays['time'].tolist() == [rec.time(f) for f in range(len(rec.frames))]
    assert arrays['moving'].tolist() == rec.moving
    bodies, contacts, steps = arrays['bodies'], arrays['contacts'], arrays['steps']
    for name in ('shape', 'extent', 'offset', 'mass', 'group', 'material', 'position'):
        assert bodies[name].tolist() == rec.head['bodies'][name], name
    expected = [(f, *c) for f, list_ in enumerate(rec.contacts) for c in list_]
    got = [(int(c['frame']), int(c['a']), int(c['b']), int(c['unsolved']), *c['point'].tolist(),
            *c['normal'].tolist(), float(c['gap']), *c['impulse'].tolist()) for c in contacts]
    assert got == expected
    assert list(steps.dtype.names) == rec.head['columns']
    assert [list(s) for s in steps.tolist()] == rec.steps
    for name, what in (('bodies', 'state'), ('contacts', 'contacts'), ('steps', 'steps')):
        assert np.array_equal(np.load(f'{path}-{name}.npy'), arrays[what]), name


def main():
    rec, failures = Recording(sys.argv[1]), 0
    for word in sys.argv[2:]:
        kind, path, frame = (word.split(':') + [len(rec.frames) - 1])[:3]
        try:
            globals()['check_' + kind.replace('-', '_')](path, rec, int(frame))
            print(f'ok - {sys.argv[1]}: {word}')
        except Exception:
            failures += 1
            print(f'not ok - {sys.argv[1]}: {word}')
            print('#   ' + traceback.format_exc().strip().replace('\n', '\n#   '))
    sys.exit(failures > 0)


if __name__ == '__main__':
    main()
