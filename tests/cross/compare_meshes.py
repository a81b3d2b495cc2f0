# SPDX-License-Identifier: Apache-2.0
"""Meshes that Gmsh and meshio write must read as those programs mean them.

compare_meshes.py DUMP: DUMP is the program mesh_dump. Gmsh meshes one geometry with named groups in
every version and encoding; meshio says what is in each file and converts it to the other formats.
Exit code 77: Gmsh or meshio is not there.
"""
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import meshio
    import numpy as np
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

GEOMETRY = """SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 0.3, 0.2};
Box(2) = {1, 0, 0, 0.5, 0.3, 0.2};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }
Physical Volume("long part") = {1};
Physical Volume(8) = {2};
Physical Surface("skin") = Surface{:};
Mesh.MeshSizeMax = 0.12;
"""


def read(dump, path):
    """What mesh_dump prints: points, (tets, groups), (triangles, groups)."""
    run = subprocess.run([dump, path], capture_output=True, text=True)
    if run.returncode != 0:
        raise AssertionError(run.stderr)
    points, cells = [], {"t": ([], []), "f": ([], [])}
    for line in run.stdout.split("\n"):
        if not line:
            continue
        kind, rest = line.split(" ", 1)
        if kind == "p":
            points.append([float.fromhex(x) for x in rest.split()])
            continue
        count = 4 if kind == "t" else 3
        words = rest.split(" ", count)
        cells[kind][0].append([int(x) for x in words[:count]])
        cells[kind][1].append(words[count])
    return np.array(points), cells["t"], cells["f"]


def cells_of(mesh, kind):
    blocks = [block.data for block in mesh.cells if block.type == kind]
    return np.concatenate(blocks) if blocks else np.zeros((0, 3 if kind == "triangle" else 4), int)


def names_of(mesh, kind, dimension):
    """Name or number of each cell's physical group."""
    names = {int(tag): name for name, (tag, dim) in mesh.field_data.items() if dim == dimension}
    tags = mesh.cell_data.get("gmsh:physical")
    result = []
    for block, tag in zip(mesh.cells, tags or []):
        if block.type == kind:
            result += [names.get(int(t), str(t) if t else "") for t in tag]
    return result


def compare(dump, path, mesh, groups):
    """The same points, bit by bit, and the same cells in the same order."""
    points, tets, triangles = read(dump, path)
    assert points.shape == mesh.points.shape, (path, points.shape, mesh.points.shape)
    # meshio reads some formats in single precision
    same = points.astype(mesh.points.dtype) == mesh.points
    assert same.all(), (path, "points differ by", abs(points - mesh.points).max())
    for got, kind, dimension in ((tets, "tetra", 3), (triangles, "triangle", 2)):
        want = cells_of(mesh, kind)
        assert len(got[0]) == len(want), (path, kind, len(got[0]), len(want))
        assert len(want) == 0 or (np.array(got[0]) == want).all(), (path, kind)
        if groups:
            assert got[1] == names_of(mesh, kind, dimension), (path, kind, "groups differ")
    print("%-22s %d points %d tets %d triangles" %
          (os.path.basename(path), len(points), len(tets[0]), len(triangles[0])))


def check_gmsh(dump, folder):
    with open(folder + "/box.geo", "w") as file:
        file.write(GEOMETRY)
    for version in ("msh22", "msh41"):
        for binary in ([], ["-bin"]):
            path = "%s/%s%s.msh" % (folder, version, "b" if binary else "")
            command = ["gmsh", "-3", "-format", version, *binary, "-o", path, folder + "/box.geo"]
            subprocess.run(command, check=True, capture_output=True)
            compare(dump, path, meshio.read(path), True)
    return meshio.read(folder + "/msh41b.msh")


def check_conversions(dump, folder, mesh):
    solid = meshio.Mesh(mesh.points, [("tetra", cells_of(mesh, "tetra")),
                                      ("triangle", cells_of(mesh, "triangle"))])
    surface = meshio.Mesh(mesh.points, [("triangle", cells_of(mesh, "triangle"))])
    tets = meshio.Mesh(mesh.points, [("tetra", cells_of(mesh, "tetra"))])
    plans = [
        ("m22.msh", solid, {"file_format": "gmsh22", "binary": False}),
        ("m22b.msh", solid, {"file_format": "gmsh22", "binary": True}),
        ("m41.msh", tets, {"file_format": "gmsh", "binary": False}),
        ("m41b.msh", tets, {"file_format": "gmsh", "binary": True}),
        ("m42.vtk", solid, {"file_format": "vtk42", "binary": False}),
        ("m42b.vtk", solid, {"file_format": "vtk42", "binary": True}),
        ("m51.vtk", solid, {"file_format": "vtk51", "binary": False}),
        ("m51b.vtk", solid, {"file_format": "vtk51", "binary": True}),
        ("m.mesh", solid, {}),
        ("m.node", tets, {}),
        ("m.obj", surface, {}),
        ("m.off", surface, {}),
        ("m.ply", surface, {"binary": False}),
        ("mb.ply", surface, {"binary": True}),
    ]
    for name, content, options in plans:
        path = folder + "/" + name
        meshio.write(path, content, **options)
        compare(dump, path, meshio.read(path), False)


def check_stl(dump, folder, mesh):
    """Points are merged and renumbered: compare the triangles' coordinates."""
    surface = meshio.Mesh(mesh.points, [("triangle", cells_of(mesh, "triangle"))])
    for binary in (False, True):
        path = "%s/s%d.stl" % (folder, binary)
        meshio.write(path, surface, binary=binary)
        points, _, triangles = read(dump, path)
        got = points[np.array(triangles[0])]
        want = mesh.points[cells_of(mesh, "triangle")]
        assert got.shape == want.shape and abs(got - want).max() < 1e-6, path
        assert len(points) == len(np.unique(want.reshape(-1, 3), axis=0)), path
        print("%-22s %d points %d triangles" % (os.path.basename(path), len(points), len(got)))


def check_polydata(dump, folder):
    """Polygons and triangle strips as VTK itself writes them."""
    try:
        import vtk
        from vtk.util.numpy_support import vtk_to_numpy
    except ImportError as error:
        print("without VTK:", error)
        return
    sphere = vtk.vtkSphereSource()
    stripper = vtk.vtkStripper()
    stripper.SetInputConnection(sphere.GetOutputPort())
    for source, name in ((sphere, "polygons"), (stripper, "strips")):
        split = vtk.vtkTriangleFilter()
        split.SetInputConnection(source.GetOutputPort())
        split.Update()
        want = vtk_to_numpy(split.GetOutput().GetPolys().GetData()).reshape(-1, 4)[:, 1:]
        points = vtk_to_numpy(split.GetOutput().GetPoints().GetData())
        for binary in (False, True):
            path = "%s/%s%d.vtk" % (folder, name, binary)
            writer = vtk.vtkPolyDataWriter()
            writer.SetInputConnection(source.GetOutputPort())
            writer.SetFileName(path)
            writer.SetFileType(vtk.VTK_BINARY if binary else vtk.VTK_ASCII)
            writer.Write()
            got, _, triangles = read(dump, path)
            # text has 6 digits of each coordinate
            assert abs(got - points).max() < (1e-12 if binary else 1e-6), path
            turned = {tuple(np.roll(t, -int(np.argmin(t)))) for t in np.array(triangles[0])}
            assert turned == {tuple(np.roll(t, -int(np.argmin(t)))) for t in want}, path
            print("%-22s %d points %d triangles" % (os.path.basename(path), len(got), len(turned)))


def check_samples(dump, folder):
    """Files as other programs write them, of those formats that meshio reads too."""
    for name in ("ok_groups.msh", "ok_line_ends.msh", "ok_plain.vtk", "ok_mixed.vtk", "ok_from_0.node", "ok_from_1.ele"):
        path = os.path.join(folder, name)
        mesh = meshio.read(path)
        compare(dump, path, mesh, name == "ok_groups.msh")


def main():
    if shutil.which("gmsh") is None:
        print("skipped: no gmsh")
        return 77
    dump = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        mesh = check_gmsh(dump, folder)
        check_conversions(dump, folder, mesh)
        check_stl(dump, folder, mesh)
        check_polydata(dump, folder)
    check_samples(dump, os.path.join(os.environ["PLIANT_SOURCE"], "tests", "data", "meshes"))
    return 0


sys.exit(main())
