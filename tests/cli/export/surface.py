#!/usr/bin/env python3
"""Reads the mesh of a surface, PLY or OBJ, and says whether it is closed, its volume and its area.

    surface.py FILE [VOLUME PART [AREA PART]]

Exit status 1 if an edge is not in two triangles, once in each direction, or if volume or area are off
by more than that part of what they should be.
"""
import math
import struct
import sys


def read_ply(data):
    end = data.index(b"end_header\n") + len(b"end_header\n")
    lines = data[:end].decode("ascii").splitlines()
    sizes = [int(line.split()[2]) for line in lines if line.startswith("element")]
    assert [line for line in lines if line.startswith("property")] == [
        "property float x", "property float y", "property float z",
        "property list uchar int vertex_indices"]
    if "format ascii 1.0" in lines:
        rows = data[end:].decode("ascii").splitlines()
        assert len(rows) == sum(sizes)
        points = [tuple(map(float, row.split())) for row in rows[:sizes[0]]]
        faces = [tuple(map(int, row.split())) for row in rows[sizes[0]:]]
        assert all(face[0] == 3 for face in faces)
        return points, [face[1:] for face in faces]
    assert len(data) == end + 12*sizes[0] + 13*sizes[1]
    points = list(struct.iter_unpack("<3f", data[end:end + 12*sizes[0]]))
    faces = list(struct.iter_unpack("<B3i", data[end + 12*sizes[0]:]))
    assert all(face[0] == 3 for face in faces)
    return points, [face[1:] for face in faces]


def read_obj(data):
    rows = [line.split() for line in data.decode("ascii").splitlines()]
    points = [tuple(map(float, row[1:])) for row in rows if row[0] == "v"]
    return points, [tuple(int(word) - 1 for word in row[1:]) for row in rows if row[0] == "f"]


def main():
    name = sys.argv[1]
    with open(name, "rb") as file:
        data = file.read()
    points, faces = (read_obj if name.endswith(".obj") else read_ply)(data)
    assert {corner for face in faces for corner in face} == set(range(len(points)))
    edges = {(face[k], face[(k + 1) % 3]) for face in faces for k in range(3)}
    closed = len(edges) == 3*len(faces) and all((b, a) in edges for a, b in edges)
    volume = area = 0.0
    for face in faces:
        p, q, r = (points[corner] for corner in face)
        u, v = ([b - a for a, b in zip(p, other)] for other in (q, r))
        n = (u[1]*v[2] - u[2]*v[1], u[2]*v[0] - u[0]*v[2], u[0]*v[1] - u[1]*v[0])
        area += 0.5*math.hypot(*n)
        volume += sum(a*b for a, b in zip(p, n))/6.0
    print(f"{name}: {len(faces)} triangles, volume {volume:.6g}, area {area:.6g}, "
          f"{'closed' if closed else 'NOT CLOSED'}")
    wanted = list(map(float, sys.argv[2:]))
    good = closed and all(abs(found - true) <= part*true for found, true, part in
                          zip((volume, area), wanted[::2], wanted[1::2]))
    return 0 if good else 1


sys.exit(main())
