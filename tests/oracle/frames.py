# SPDX-License-Identifier: Apache-2.0
"""Frames as VTK and meshio read them, against formulas."""
import os
import sys

from sample import FPS, FRAMES, SKIPPED, bodies, check, check_close, samples

try:
    import meshio
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as error:
    print("skipped:", error)
    sys.exit(SKIPPED)

POINT_ERROR = 1e-15  # points are doubles; the formulas differ in rounding only
FIELD_ERROR = 6e-8   # fields are floats: half a unit in the 24th bit


def check_arrays(data, fields, place, where):
    names = {name for name, field in fields.items() if field[0] == place}
    got = {data.GetArrayName(i) for i in range(data.GetNumberOfArrays())}
    check(got == names, f"{where}: {place} arrays {got}, want {names}")
    for name in names:
        array = data.GetArray(name)
        check_close(vtk_to_numpy(array), fields[name][2], FIELD_ERROR, f"{where} {name}")
        unit = array.GetInformation().Get(vtk.vtkDataArray.UNITS_LABEL()) if array.HasInformation() else None
        check(unit == fields[name][1], f"{where} {name}: unit {unit}, want {fields[name][1]}")


def check_body(grid, body, frame, where):
    check_close(vtk_to_numpy(grid.GetPoints().GetData()), body.points, POINT_ERROR, where + " points")
    cells = grid.GetVerts() if isinstance(grid, vtk.vtkPolyData) else grid.GetCells()
    corners = vtk_to_numpy(cells.GetConnectivityArray()).reshape(body.cells.shape)
    check((corners == body.cells).all(), where + " connectivity")
    if isinstance(grid, vtk.vtkUnstructuredGrid):
        types = vtk_to_numpy(grid.GetCellTypesArray())
        want = vtk.VTK_TETRA if body.cells.shape[1] == 4 else vtk.VTK_TRIANGLE
        check((types == want).all(), where + " types")
    check_arrays(grid.GetPointData(), body.fields, "point", where)
    check_arrays(grid.GetCellData(), body.fields, "cell", where)
    field = grid.GetFieldData()
    check(field.GetArray("TimeValue").GetValue(0) == frame / FPS, where + " TimeValue")
    check(field.GetArray("Step").GetValue(0) == 2 * frame, where + " Step")
    check(field.GetArray("Frame").GetValue(0) == frame, where + " Frame")
    check(field.HasArray("Collider") == (body.name == "sheet"), where + " Collider")


def check_files(folder):
    """Each file by VTK's own reader."""
    for frame in range(FRAMES):
        for body in bodies(frame):
            points = body.name == "drops"
            path = f"{folder}/frames/{body.name}_{frame:05}.{'vtp' if points else 'vtu'}"
            reader = vtk.vtkXMLPolyDataReader() if points else vtk.vtkXMLUnstructuredGridReader()
            reader.SetFileName(path)
            reader.Update()
            check(reader.GetErrorCode() == 0, path)
            check_body(reader.GetOutput(), body, frame, path)


def parse_collection(folder):
    """The .pvd as VTK's XML parser sees it: ParaView's reader for it is not part of VTK."""
    parser = vtk.vtkXMLDataParser()
    parser.SetFileName(folder + "/series.pvd")
    check(parser.Parse() == 1, folder + "/series.pvd")
    root = parser.GetRootElement()
    check(root.GetAttribute("type") == "Collection", "type of the .pvd")
    collection = root.FindNestedElementWithName("Collection")
    return [collection.GetNestedElement(i) for i in range(collection.GetNumberOfNestedElements())]


def check_collection(folder):
    entries = parse_collection(folder)
    check(len(entries) == 3 * FRAMES, "number of entries")
    for i, entry in enumerate(entries):
        body = bodies(i // 3)[i % 3]
        check(float(entry.GetAttribute("timestep")) == i // 3 / FPS, "timestep")
        check(int(entry.GetAttribute("part")) == i % 3, "part")
        check(entry.GetAttribute("name") == body.name, "name")
        check(os.path.exists(folder + "/" + entry.GetAttribute("file")), "file")


def check_meshio(folder):
    for frame in range(FRAMES):
        for body in bodies(frame)[:2]:
            path = f"{folder}/frames/{body.name}_{frame:05}.vtu"
            mesh = meshio.read(path)
            kind = "tetra" if body.cells.shape[1] == 4 else "triangle"
            check_close(mesh.points, body.points, POINT_ERROR, path)
            check((mesh.cells_dict[kind] == body.cells).all(), path + " cells")
            for name, (place, _, want) in body.fields.items():
                got = mesh.point_data[name] if place == "point" else mesh.cell_data[name][0]
                check_close(got, want, FIELD_ERROR, f"{path} {name}")


with samples() as folder:
    for series in ("raw", "zlib"):
        check_files(f"{folder}/{series}")
        check_collection(f"{folder}/{series}")
        check_meshio(f"{folder}/{series}")
print("frames: VTK", vtk.vtkVersion().GetVTKVersion(), "and meshio agree")
