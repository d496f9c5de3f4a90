#!/usr/bin/env python3
"""Writes a recording once more, with q as -q in every second frame of every second body.

    flip.py FROM TO

The same orientations, so nothing that reads recordings may show a difference.
"""
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from recording import plane

data = open(sys.argv[1], 'rb').read()
out, at, seen = data[:8], 8, 0
while at < len(data):
    kind, stored, plain, first, count, _ = struct.unpack('<4s5I', data[at:at + 24])
    body = bytearray(zlib.decompress(data[at + 24:at + 24 + stored]))
    at += 24 + stored
    if kind == b'LAST':
        break                       # it has the old places of the chunks
    if kind == b'FRAM':
        frames, bodies = struct.unpack('<2I', body[:8])
        for component in range(3, 7):
            begin = 16 + 4*frames*bodies*component
            z, _ = plane(body, begin, frames*bodies)
            for k, word in enumerate(z):
                before = z[k - bodies] if k >= bodies else 0
                z[k] = (before + ((word >> 1) ^ -(word & 1))) & 0xffffffff
            for k in range(frames*bodies):
                if (k//bodies + seen) % 2 and k % bodies % 2:
                    z[k] ^= 0x80000000
            for k in reversed(range(frames*bodies)):
                d = (z[k] - (z[k - bodies] if k >= bodies else 0)) & 0xffffffff
                z[k] = 2*d if d < 1 << 31 else 2*((1 << 32) - d) - 1
            for k in range(4):
                row = begin + k*frames*bodies
                body[row:row + frames*bodies] = bytes(w >> 8*k & 255 for w in z)
        seen += frames
    packed = zlib.compress(bytes(body))
    head = struct.pack('<4s4I', kind, len(packed), plain, first, count)
    out += head + struct.pack('<I', zlib.crc32(head + packed)) + packed
open(sys.argv[2], 'wb').write(out)
