#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mesh files for tests: what other programs write, with their peculiarities, and what is broken.

  tests/data/make_meshes.py [--check]

Writes tests/data/meshes/* and, for each file, a line of meshes/table.txt: its name, and either the
numbers of vertices, tetrahedra and triangles and the volume (of the tetrahedra, or within closed
triangles), or "!" and a part of the message that refuses it. With --check: exit 1 when the files
are not these.
"""
import pathlib
import struct
import sys

FOLDER = pathlib.Path(__file__).resolve().parent / "meshes"


def bar(cells):
    """A box of unit cells, six tetrahedra each: points, tetrahedra, triangles of its boundary."""
    n = [count + 1 for count in cells]
    points = [(float(i), float(j), float(k)) for k in range(n[2]) for j in range(n[1]) for i in range(n[0])]
    tets = []
    for cell in ((i, j, k) for k in range(cells[2]) for j in range(cells[1]) for i in range(cells[0])):
        for path in ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)):
            corner, tet = list(cell), []
            for axis in (None, *path):
                if axis is not None:
                    corner[axis] += 1
                tet.append(corner[0] + n[0] * (corner[1] + n[1] * corner[2]))
            even = path in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
            tets.append(tuple(tet) if even else (tet[1], tet[0], *tet[2:]))
    faces = {}
    for a, b, c, d in tets:
        for face in ((b, d, c), (a, c, d), (a, d, b), (a, b, c)):
            face = (face[0], face[2], face[1])
            key = tuple(sorted(face))
            faces[key] = None if key in faces else face
    return points, tets, [face for face in faces.values() if face]


def volume_of(points, tets, triangles):
    def six(a, b, c, d):
        u, v, w = ([points[q][k] - d[k] for k in range(3)] for q in (a, b, c))
        return (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
                u[2] * (v[0] * w[1] - v[1] * w[0]))
    if tets:
        return sum(-six(a, b, c, points[d]) for a, b, c, d in tets) / 6
    return sum(six(a, b, c, (0, 0, 0)) for a, b, c in triangles) / 6


P, T, F = bar((4, 2, 1))
CUBE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
QUADS = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
FIVE = [(0, 1, 3, 4), (1, 2, 3, 6), (1, 3, 4, 6), (1, 4, 5, 6), (3, 4, 6, 7)]


def lines(rows, form="{}", first=None):
    """Rows of numbers, numbered when there is a first."""
    out = []
    for i, row in enumerate(rows):
        head = [] if first is None else [str(i + first)]
        out.append(" ".join(head + [form.format(x) for x in row]))
    return "\n".join(out) + "\n"


def up(rows, by=1):
    return [tuple(v + by for v in row) for row in rows]


def gmsh22(points=CUBE, tets=FIVE, nodes=None, count=None):
    elements = "".join(f"{i + 1} 4 2 0 1 {' '.join(str(v + 1) for v in tet)}\n" for i, tet in enumerate(tets))
    return ("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n%s$EndNodes\n$Elements\n%d\n%s$EndElements\n" %
            (len(points) if nodes is None else nodes, lines(points, first=1),
             len(tets) if count is None else count, elements))


def gmsh22_full():
    """Groups with names, comments, vertices whose numbers have gaps, points and lines besides."""
    tag = [3 * i + 5 for i in range(len(P))]
    rows = [(15, 0, (0,)), (1, 0, (0, 1))] + [(2, 7, f) for f in F] + [(4, 3 + (i % 2), t) for i, t in enumerate(T)]
    elements = "".join(f"{2 * i + 1} {kind} 3 {group} 1 0 {' '.join(str(tag[v]) for v in row)}\n"
                       for i, (kind, group, row) in enumerate(rows))
    return ('$Comments\nfrom nowhere\n$EndComments\n$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n'
            '2 7 "skin"\n3 3 "stiff part"\n3 4 "soft"\n$EndPhysicalNames\n$Nodes\n%d\n%s$EndNodes\n$Elements\n%d\n%s'
            '$EndElements\n$NodeData\n1\n"height"\n1\n0.0\n3\n0\n1\n%d\n%s$EndNodeData\n' %
            (len(P), "".join(f"{t} {x:.16g} {y:.16g} {z:.16g}\n" for t, (x, y, z) in zip(tag, P)), len(rows), elements,
             len(P), "".join(f"{t} {y}\n" for t, (x, y, z) in zip(tag, P))))


def gmsh41():
    half = len(P) // 2
    blocks = [(1, half, P[:half]), (1 + half, len(P) - half, P[half:])]
    nodes = "".join(f"3 1 0 {n}\n" + "".join(f"{first + i}\n" for i in range(n)) + lines(rows)
                    for first, n, rows in blocks)
    return ('$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 2 "all of it"\n$EndPhysicalNames\n'
            '$Entities\n0 0 1 1\n1 0 0 0 4 2 1 0 0\n1 0 0 0 4 2 1 1 2 1 1\n$EndEntities\n'
            '$Nodes\n2 %d 1 %d\n%s$EndNodes\n$Elements\n2 %d 1 %d\n2 1 2 %d\n%s3 1 4 %d\n%s$EndElements\n' %
            (len(P), len(P), nodes, len(F) + len(T), len(F) + len(T), len(F), lines(up(F), first=1), len(T),
             lines(up(T), first=1 + len(F))))


def vtk(points=CUBE, tets=FIVE, types=None, more=""):
    return ("# vtk DataFile Version 2.0\nmade\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n%sCELLS %d %d\n%s"
            "CELL_TYPES %d\n%s%s" %
            (len(points), lines(points), len(tets), 5 * len(tets), lines([(4, *t) for t in tets]), len(tets),
             "".join(f"{t}\n" for t in (types or [10] * len(tets))), more))


def vtk_mixed():
    cells = [(1, 0)] + [(3, *f) for f in F] + [(4, *t) for t in T]
    kinds = [1] + [5] * len(F) + [10] * len(T)
    return ("# vtk DataFile Version 3.0\nmixed cells\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d float\n%s\n"
            "METADATA\nINFORMATION 0\n\nCELLS %d %d\n%s\nCELL_TYPES %d\n%s\nCELL_DATA %d\nSCALARS part int 1\n"
            "LOOKUP_TABLE default\n%s\nPOINT_DATA %d\nVECTORS speed float\n%s" %
            (len(P), lines(P), len(cells), sum(map(len, cells)), lines(cells), len(kinds),
             " ".join(map(str, kinds)), len(kinds), " ".join("1" for _ in kinds), len(P), lines(P)))


def vtk_polydata():
    strip = (0, 1, 3, 2)
    return ("# vtk DataFile Version 3.0\nsheet\nASCII\nDATASET POLYDATA\nPOINTS 6 float\n%sPOLYGONS 1 5\n"
            "4 1 4 5 3\nTRIANGLE_STRIPS 1 5\n4 %d %d %d %d\n" %
            (lines([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (2, 0, 0), (2, 1, 0)]), *strip))


def medit():
    return ("# a comment\nMeshVersionFormatted 2\n\nDimension\n3\n\nVertices\n%d\n%s\nCorners\n2\n1 2\nEdges\n1\n1 2 0\n"
            "Ridges\n1\n1\nTriangles %d\n%s\nRequiredTriangles\n1\n1\nTetrahedra\n%d\n%s\nEnd\n" %
            (len(P), lines([(*p, 0) for p in P]), len(F), lines([(*f, 4) for f in up(F)]), len(T),
             lines([(*t, 1 + i % 2) for i, t in enumerate(up(T))])))


def vega():
    half = len(T) // 2
    return ("# made\n*VERTICES\n%d 3 0 0\n%s\n*ELEMENTS\nTET\n%d 4 0\n%s\n*MATERIAL steel\nENU, 1000, 1e7, 0.3\n\n"
            "*SET lower\n%s\n\n*REGION\nallElements, steel\n" %
            (len(P), lines(P, first=1), len(T), lines(up(T), first=1),
             ",\n".join(", ".join(str(i + 1) for i in range(k, min(k + 8, half))) for k in range(0, half, 8))))


def obj():
    """Names and materials, texture coordinates, indices from the end, tabs, no end of the last line."""
    text = "# made\nmtllib none.mtl\no block\n" + "".join(f"v  {x}\t{y}  {z}\n" for x, y, z in CUBE)
    text += "vt 0 0\nvn 0 0 1\nusemtl red\ns 1\ng two faces\n"
    for i, quad in enumerate(QUADS):
        text += "f " + " ".join(f"{v + 1}/1/1" if i % 3 == 0 else f"{v + 1}//1" if i % 3 == 1 else str(v - 8)
                                for v in quad) + "\n"
    return text.rstrip("\n")


def off():
    return "\n  COFF # colours\n\n8 6 12\n%s# faces\n%s" % (
        lines([(*p, 255, 0, 0, 255) for p in CUBE]), lines([(4, *q, 0.5, 0.5, 0.5) for q in QUADS]))


def ply_text():
    return ("ply\nformat ascii 1.0\ncomment made\nobj_info none\nelement vertex 8\nproperty float x\nproperty float y\n"
            "property float z\nproperty uchar red\nelement edge 1\nproperty int vertex1\nproperty int vertex2\n"
            "element face 6\nproperty list uchar int vertex_indices\nproperty uchar red\nend_header\n%s0 1\n%s" %
            (lines([(*p, 9) for p in CUBE]), lines([(4, *q, 200) for q in QUADS])))


def ply_binary(order):
    head = ("ply\nformat binary_%s_endian 1.0\nelement vertex 8\nproperty double x\nproperty double y\n"
            "property double z\nelement face 6\nproperty list uint8 uint32 vertex_index\nend_header\n" %
            ("little" if order == "<" else "big"))
    body = b"".join(struct.pack(order + "3d", *p) for p in CUBE)
    return head.encode() + body + b"".join(struct.pack(order + "B4I", 4, *q) for q in QUADS)


def corners():
    return [tuple(CUBE[v] for v in t) for q in QUADS for t in ((q[0], q[1], q[2]), (q[0], q[2], q[3]))]


def stl_text(count=12, end="endsolid block"):
    facet = "facet normal 0 0 0\n  outer loop\n%s  endloop\nendfacet\n"
    return "solid block\n" + "".join(facet % "".join("    vertex %g %g %g\n" % p for p in t)
                                     for t in corners()[:count]) + end + "\n"


def stl_binary():
    """A head that begins as the text form does."""
    return b"solid but binary".ljust(80) + struct.pack("<I", 12) + b"".join(
        struct.pack("<12fH", 0, 0, 0, *(x for p in t for x in p), 0) for t in corners())


def counts(points, tets, triangles):
    return "%d %d %d %.9g" % (len(points), len(tets), len(triangles), volume_of(points, tets, triangles))


def good_files():
    solid, skinned = counts(P, T, []), counts(P, T, F)
    cube, block = counts(CUBE, [], [(q[0], q[i], q[i + 1]) for q in QUADS for i in (1, 2)]), counts(CUBE, FIVE, [])
    yield "ok_groups.msh", gmsh22_full(), skinned
    yield "ok_blocks.msh", gmsh41(), skinned
    yield "ok_line_ends.msh", gmsh22().replace("\n", "\r\n"), block
    yield "ok_plain.vtk", vtk(more="POINT_DATA 8\nSCALARS s float\nLOOKUP_TABLE default\n" + "0\n" * 8), block
    yield "ok_mixed.vtk", vtk_mixed(), skinned
    yield "ok_strips.vtk", vtk_polydata(), "6 0 4"
    yield "ok_sections.mesh", medit(), skinned
    yield "ok_regions.veg", vega(), solid
    yield "ok_faces.obj", obj(), cube
    yield "ok_colours.off", off(), cube
    yield "ok_properties.ply", ply_text(), cube
    yield "ok_little.ply", ply_binary("<"), cube
    yield "ok_big.ply", ply_binary(">"), cube
    yield "ok_text.stl", stl_text(), cube
    yield "ok_solids.stl", stl_text(0, "endsolid nothing") + stl_text().upper().replace("\n", "\r\n"), cube
    yield "ok_binary.stl", stl_binary(), cube
    for base in (0, 1):
        yield f"ok_from_{base}.node", f"# made\n{len(P)} 3 1 1\n" + lines([(*p, 0.5, 1) for p in P], first=base), solid
        yield f"ok_from_{base}.ele", f"{len(T)} 4 1\n" + lines([(*t, 3) for t in up(T, base)], first=base) + "# end\n", solid
    # what reads well although it can't be simulated, or hardly
    yield "inverted.msh", gmsh22(tets=[(1, 0, 3, 4)] + FIVE[1:]), counts(CUBE, [(1, 0, 3, 4)] + FIVE[1:], [])
    yield "flat.msh", gmsh22(tets=FIVE + [(0, 1, 2, 3)]), counts(CUBE, FIVE + [(0, 1, 2, 3)], [])
    twice = CUBE + [(1, 0, 0), (1, 1, 0), (2, 0, 0), (1, 0, 1)]
    yield "coincident.msh", gmsh22(twice, FIVE + [(8, 10, 9, 11)]), counts(twice, FIVE + [(8, 10, 9, 11)], [])
    yield "unused.msh", gmsh22(CUBE + [(9, 9, 9), (8, 8, 8)]), counts(CUBE + [(9, 9, 9), (8, 8, 8)], FIVE, [])
    yield "no_elements.msh", gmsh22(tets=[]), counts(CUBE, [], [])
    pinched = CUBE + [(2, 1, 1), (2, 2, 1), (2, 1, 2)]
    yield "pinched.msh", gmsh22(pinched, FIVE + [(6, 8, 9, 10)]), counts(pinched, FIVE + [(6, 8, 9, 10)], [])
    inside = CUBE + [(.5, .5, .5), (1.5, .5, .5), (.5, 1.5, .5), (.5, .5, 1.5)]
    yield "overlapping.msh", gmsh22(inside, FIVE + [(8, 9, 10, 11)]), counts(inside, FIVE + [(8, 9, 10, 11)], [])
    yield "triangles.msh", gmsh22(CUBE[:3], []).replace(
        "$Elements\n0\n", "$Elements\n1\n1 2 2 0 1 1 2 3\n"), "3 0 1"
    yield "points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "3 0 0"
    yield "pentagon.obj", "v 0 0 0\nv 2 0 0\nv 3 1 0\nv 1 2 0\nv -1 1 0\nf 1 2 3 4 5\n", "5 0 3"
    yield "open.off", "OFF\n4 3 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n", "4 0 3"
    yield "crowded.off", "OFF\n5 3 0\n0 0 0\n0 0 1\n1 0 0\n-1 1 0\n-1 -1 0\n3 0 1 2\n3 0 1 3\n3 0 1 4\n", "5 0 3"
    yield "bowtie.off", "OFF\n5 2 0\n0 0 0\n1 0 0\n0 1 0\n-1 0 0\n0 -1 0\n3 0 1 2\n3 0 3 4\n", "5 0 2"
    yield "twice.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 1 2\n", "3 0 2"
    yield "turned.off", "OFF\n4 2 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n3 0 1 2\n3 1 2 3\n", "4 0 2"
    yield "apart.off", "OFF\n6 2 0\n0 0 0\n1 0 0\n0 1 0\n5 0 0\n6 0 0\n5 1 0\n3 0 1 2\n3 3 4 5\n", "6 0 2"
    yield "crossing.off", ("OFF\n7 5 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n-1 .2 .2\n2 .2 .2\n2 .3 .3\n"
                           "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n3 4 5 6\n"), "7 0 5"
    yield "needles.off", "OFF\n4 2 0\n0 0 0\n1 0 0\n2 0 0\n3 0 0\n3 0 1 2\n3 1 2 3\n", "4 0 2"


def broken_files():
    yield "repeated.msh", gmsh22(tets=FIVE + [(0, 1, 1, 3)]), ":22: tetrahedron 5, counted from 0, uses a vertex"
    yield "nan.msh", gmsh22().replace("\n8 0 1 1\n", "\n8 0 nan 1\n"), ":13: found 'nan'"
    yield "past_end.msh", gmsh22(tets=FIVE + [(0, 1, 99, 3)]), ":22: an element refers to node 100"
    yield "count_short.msh", gmsh22(nodes=6), ":12: found '7' where the end of the section"
    yield "cut.msh", gmsh22()[:70], ":5: 8 nodes are announced"
    yield "huge_count.msh", gmsh22(nodes=2000000000), ":5: 2000000000 nodes are announced"
    yield "empty.msh", "", ":1: the file is empty"
    yield "word.msh", gmsh22().replace("3 1 1 0\n", "3 one 1 0\n", 1), ":8: found 'one' where a coordinate of a node"
    yield "hexahedron.vtk", vtk(types=[10, 10, 12, 10, 10]), ":23: cell 2, counted from 0, is of type 12"
    yield "index_zero.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", ":4: a face refers to vertex 0"
    yield "index_high.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 12\n", ":4: a face refers to vertex 12"
    yield "utf16.obj", b"\xfe\xff" + "v 0 0 0\n".encode("utf-16-be"), ":1: the text is encoded as UTF-16"
    yield "exponent.obj", "v 0 0 0\nv 1e0 3.1+e2 0\n", ":2: found '3.1+e2'"
    yield "no_corners.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n0\n3 0 1 2\n", ":6: a face has 0 corners"
    yield "cut.off", "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n", ":6: the file ends"
    yield "cut.stl", stl_text(5, "  facet normal 0 0 0\n    outer loop\n      vertex 0 0"), ":40: the file ends"
    yield "no_solid.stl", stl_text(1).split("\n", 1)[1], ":1: found 'facet'"
    yield "short_row.ply", ply_text().replace("\n1 1 1 9\n", "\n1 1\n"), ":23: the line ends where a value should be"
    yield "empty.ply", "", ":1: the file is empty"
    yield "empty.stl", "", ":1: the file is empty"
    yield "cut.node", "8 3 0 0\n0 0 0 0\n1 1 0 0\n", ":1: 8 nodes are announced"
    yield "cut.mesh", medit()[:400], ":33: the file ends"
    yield "cut.veg", vega()[:300], ":22: the file ends"
    yield "cut.ply", ply_binary("<")[:-9], ": byte 450: 4 values of a list are announced"


def all_files():
    table = []
    for name, content, told in good_files():
        yield name, content
        table.append(f"{name} {told}")
    for name, content, part in broken_files():
        yield name, content
        table.append(f"{name} ! {part}")
    yield "table.txt", "\n".join(table) + "\n"


def main():
    check = "--check" in sys.argv[1:]
    made = {name: content if isinstance(content, bytes) else content.encode() for name, content in all_files()}
    there = {path.name: path.read_bytes() for path in FOLDER.iterdir()} if FOLDER.is_dir() else {}
    wrong = sorted(name for name in made.keys() | there.keys() if made.get(name) != there.get(name))
    if check:
        for name in wrong:
            print(f"tests/data/meshes/{name}: is not what make_meshes.py writes; run it", file=sys.stderr)
        return 1 if wrong else 0
    FOLDER.mkdir(exist_ok=True)
    for name in wrong:
        if name in made:
            (FOLDER / name).write_bytes(made[name])
        else:
            (FOLDER / name).unlink()
    return 0


sys.exit(main())
