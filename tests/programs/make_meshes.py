#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of triangles in the STL format for the tests of examples/volume. Usage: make_meshes.py FOLDER"""
import itertools
import pathlib
import struct
import sys

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
OCTAHEDRON = [[(x, 0, 0), (0, y, 0), (0, 0, z)] for x, y, z in itertools.product((-2, 2), (-1, 1), (-1, 1))]


def binary(faces):
    records = (struct.pack("<12fH", 0, 0, 0, *itertools.chain(*face), 0) for face in faces)
    return b"solid".ljust(80) + struct.pack("<I", len(faces)) + b"".join(records)


def text(faces):
    facets = ("facet normal 0 0 0\n outer loop\n" + "".join("  vertex %g %g %g\n" % corner for corner in face) +
              " endloop\nendfacet\n" for face in faces)
    return ("solid octahedron\n" + "".join(facets) + "endsolid octahedron\n").encode()


whole = binary(OCTAHEDRON)
infinite = OCTAHEDRON[:2] + [[(0, 0, 0), (1, float("inf"), 0), (0, 0, 1)]] + OCTAHEDRON[3:]
for name, content in {
        "binary": whole, "text": text(OCTAHEDRON), "torn": b"mesh " + whole[5:-1], "empty": b"", "nothing": text([]),
        "two_corners": b"solid\nfacet\nvertex 0 0 0\nvertex 0 0 1\nendfacet\n", "word": b"solid\nfacet\nvertex 0 zero 0\n",
        "infinite": binary(infinite), "point": text([[(1, 1, 1)] * 3])}.items():
    (folder / (name + ".stl")).write_bytes(content)
