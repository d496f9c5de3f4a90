"""A reader of recordings NAME.perp, written after docs/recording.md alone."""
import json
import struct
import zlib


def plane(data, at, count, size=4):
    """Words whose lowest bytes all come first, then the second lowest, and so on."""
    rows = [data[at + k*count:at + (k + 1)*count] for k in range(size)]
    words = [sum(rows[k][i] << 8*k for k in range(size)) for i in range(count)]
    return words, at + size*count


def floats(words):
    return list(struct.unpack(f'<{len(words)}f', struct.pack(f'<{len(words)}I', *words)))


def doubles(words):
    return list(struct.unpack(f'<{len(words)}d', struct.pack(f'<{len(words)}Q', *words)))


def chunks(path):
    """The chunks of a recording, unpacked: their kinds, counts and bodies."""
    data = open(path, 'rb').read()
    assert data[:8] == b'PERPREC1'
    at = 8
    while at + 24 <= len(data):
        kind, stored, plain, _, count, _ = struct.unpack('<4s5I', data[at:at + 24])
        body = zlib.decompress(data[at + 24:at + 24 + stored])
        assert len(body) == plain
        at += 24 + stored
        yield kind, count, body


class Recording:
    def __init__(self, path):
        self.frames, self.contacts, self.steps = [], [], []
        for kind, count, body in chunks(path):
            if kind == b'HEAD':
                self.head = json.loads(body)
            elif kind == b'FRAM':
                self._frames(body, count)
            elif kind == b'STEP':
                self._steps(body, count)
        bodies = self.head['bodies']
        self.moving = [i for i, fixed in enumerate(bodies['static']) if not fixed]
        self.interval = self.head['dt']*self.head['every']

    def _frames(self, data, count):
        frames, bodies, contacts, _ = struct.unpack('<4I', data[:16])
        assert frames == count
        at, state = 16, []
        for _ in range(13):
            z, at = plane(data, at, frames*bodies)
            for k, word in enumerate(z):
                before = z[k - bodies] if k >= bodies else 0
                z[k] = (before + ((word >> 1) ^ -(word & 1))) & 0xffffffff
            state.append(floats(z))
        for f in range(frames):
            self.frames.append([[state[c][f*bodies + i] for c in range(13)] for i in range(bodies)])
        counts = struct.unpack(f'<{frames}I', data[at:at + 4*frames])
        at += 4*frames
        words, values = [], []
        for _ in range(3):
            w, at = plane(data, at, contacts)
            words.append(w)
        for _ in range(10):
            w, at = plane(data, at, contacts)
            values.append(floats(w))
        assert at == len(data)
        k = 0
        for n in counts:
            n = 0 if n == 0xffffffff else n
            self.contacts.append([tuple(w[i] for w in words) + tuple(v[i] for v in values)
                                  for i in range(k, k + n)])
            k += n

    def _steps(self, data, count):
        rows, columns, _, _ = struct.unpack('<4I', data[:16])
        assert rows == count
        at, table = 16, []
        for _ in range(columns):
            w, at = plane(data, at, rows, 8)
            table.append(doubles(w))
        self.steps += [list(row) for row in zip(*table)]

    def time(self, frame):
        return frame*self.interval

    def state(self, frame, body):
        """Place, orientation, velocity, spin; what is static rests where the header says."""
        bodies = self.head['bodies']
        if not bodies['static'][body]:
            return self.frames[frame][self.moving.index(body)]
        return bodies['position'][body] + bodies['orientation'][body] + [0.0]*6
