"""Judges a picture: png.py FILE 'EXPRESSION'.

The reader shares nothing with the writer. The expression knows width, height, at(x, y) and
count(test), and the tests colourful and pink.
"""
import struct
import sys
import zlib

data = open(sys.argv[1], 'rb').read()
assert data[:8] == b'\x89PNG\r\n\x1a\n', 'no PNG'
place, packed = 8, b''
while place < len(data):
    size, kind = struct.unpack('>I4s', data[place:place + 8])
    body = data[place + 8:place + 8 + size]
    assert struct.unpack('>I', data[place + 8 + size:place + 12 + size])[0] == zlib.crc32(kind + body)
    if kind == b'IHDR':
        width, height, depth, colour = struct.unpack('>IIBB', body[:10])
        assert (depth, colour) == (8, 2)
    if kind == b'IDAT':
        packed += body
    place += 12 + size
assert kind == b'IEND'
plain, stride, rows = zlib.decompress(packed), 3*width, [bytearray(3*width)]
for y in range(height):
    line = plain[(stride + 1)*y:(stride + 1)*(y + 1)]
    row, above = bytearray(stride), rows[-1]
    for k in range(stride):
        a, b, c = (row[k - 3] if k > 2 else 0), above[k], (above[k - 3] if k > 2 else 0)
        guess = [0, a, b, (a + b)//2, min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2*c), 2, c))[2]]
        row[k] = line[k + 1] + guess[line[0]] & 255
    rows.append(row)


def at(x, y):
    return tuple(rows[y + 1][3*x:3*x + 3])


def count(test):
    return sum(test(*at(x, y)) for y in range(height) for x in range(width))


def colourful(r, g, b):
    return max(r, g, b) - min(r, g, b) > 60


def pink(r, g, b):
    return r > 180 and g < 100 and b > 90


if not eval(sys.argv[2]):
    sys.exit(f'{sys.argv[2]} does not hold for {width} x {height}: '
             f'{count(colourful)} colourful, {count(pink)} pink')
