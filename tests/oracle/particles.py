# SPDX-License-Identifier: Apache-2.0
"""Particles as VTK, meshio and h5py read them, against the formulas of tests/sample_cloud.h."""
import re
import sys

from sample import FPS, SKIPPED, check, check_close, np, samples

try:
    import h5py
    import meshio
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as error:
    print("skipped:", error)
    sys.exit(SKIPPED)

COUNTS = [0, 1, 5, 300, 299]
DUST = 20
DUST_RADIUS = 0.0125
POINT_ERROR = 1e-15  # points are doubles; the formulas differ in rounding only
FLOAT_ERROR = 6e-8   # half a unit in the 24th bit
TEXT_ERROR = 6e-7    # half a unit in the seventh digit, and the float's own error


def sand(frame):
    """Points and fields of a frame; fields of whole numbers are arrays of integers."""
    time = frame / FPS
    i = np.arange(COUNTS[frame])
    points = np.stack([0.01 * i, 1 + np.sin(0.3 * i) - 0.5 * time**2, -0.02 * i], axis=1)
    fields = {
        "velocity": np.sin(0.1 * np.arange(3 * len(i)) + time).reshape(-1, 3),
        "J": 1 + 0.001 * i,
        "material": i % 3 - 1,
        "count": 16777217 + 2 * i,
        "radius": np.where(i % 4 == 3, 0, 0.005 * (1 + i % 2)),
    }
    return points, fields


def dust(frame):
    i = np.arange(DUST)
    return np.stack([2 + 0.05 * i, np.full(DUST, frame / FPS), 0.1 * (i % 2)], axis=1), {}


def check_values(got, want, where):
    if want.dtype.kind == "i":
        check(got.dtype == np.int32 and (got == want).all(), where + ": whole numbers, exactly")
    else:
        check_close(got, want, FLOAT_ERROR, where)


def check_vtp(folder):
    for frame in range(len(COUNTS)):
        for name, (points, fields) in (("sand", sand(frame)), ("dust", dust(frame))):
            path = f"{folder}/frames/{name}_{frame:05}.vtp"
            reader = vtk.vtkXMLPolyDataReader()
            reader.SetFileName(path)
            reader.Update()
            check(reader.GetErrorCode() == 0, path)
            data = reader.GetOutput()
            check(data.GetNumberOfPoints() == len(points), path + " points")
            check(data.GetNumberOfVerts() == len(points) == data.GetNumberOfCells(), path + " vertices")
            radius = data.GetFieldData().GetArray("Radius")
            check((radius is None) == (name == "sand"), path + " Radius")
            check(radius is None or radius.GetValue(0) == DUST_RADIUS, path + " Radius")
            check(data.GetFieldData().GetArray("TimeValue").GetValue(0) == frame / FPS, path + " TimeValue")
            check(data.GetPointData().GetNumberOfArrays() == len(fields), path + " fields")
            if len(points) == 0:
                continue
            check_close(vtk_to_numpy(data.GetPoints().GetData()), points, POINT_ERROR, path)
            corners = vtk_to_numpy(data.GetVerts().GetConnectivityArray())
            check((corners == np.arange(len(points))).all(), path + " connectivity")
            for field, want in fields.items():
                check_values(vtk_to_numpy(data.GetPointData().GetArray(field)), want, f"{path} {field}")


def check_ply(folder):
    for frame in range(1, len(COUNTS)):
        points, fields = sand(frame)
        path = f"{folder}/sand_{frame:05}.ply"
        mesh = meshio.read(path)
        check_close(mesh.points, points, FLOAT_ERROR, path)
        for field, want in fields.items():
            columns = [field] if want.ndim == 1 else [field + axis for axis in ("_x", "_y", "_z")]
            got = np.stack([mesh.point_data[c] for c in columns], axis=-1).reshape(want.shape)
            check_values(got, want, f"{path} {field}")
        reader = vtk.vtkPLYReader()
        reader.SetFileName(path)
        reader.Update()
        check_close(vtk_to_numpy(reader.GetOutput().GetPoints().GetData()), points, FLOAT_ERROR, path)


def check_usda(folder):
    with open(folder + "/frames.usda", encoding="utf-8") as file:
        text = file.read()
    check(text.count("{") == text.count("}") and text.count("(") == text.count(")"), "brackets")
    numbers = lambda s: np.array([float(x) for x in re.findall(r"[-+0-9.e]+", s)])
    first, second = re.split(r"\n    def ", text)[1:]
    check(first.startswith('Points "sand"') and second.startswith('Points "dust"'), "prims")
    check('float[] widths (\n            interpolation = "vertex"' in first, "widths of every particle")
    check("float[] widths = [0.025] (" in second, "width of all particles")
    for attribute, width in (("points", 3), ("velocities", 3), ("widths", 1)):
        block = re.search(attribute + r"\.timeSamples = \{(.*?)\n        \}", first, re.S).group(1)
        found = re.findall(r"(\d+): \[(.*?)\],\n", block + "\n")
        check([int(s[0]) for s in found] == list(range(len(COUNTS))), attribute + " time codes")
        for frame, (_, values) in enumerate(found):
            points, fields = sand(frame)
            got = numbers(values).reshape(-1, width)
            if attribute != "widths":
                want = points if attribute == "points" else fields["velocity"]
                check_close(got, want, TEXT_ERROR, f"{attribute} {frame}")
                continue
            check(len(got) == len(points) and (got > 0).all(), f"widths {frame}")
            sized = fields["radius"] > 0
            check_close(got[sized, 0], 2 * fields["radius"][sized], TEXT_ERROR, f"widths {frame}")


def check_vtkhdf(folder):
    with h5py.File(folder + "/sand.vtkhdf", "r") as file:
        root = file["VTKHDF"]
        steps = root["Steps"]
        check(steps.attrs["NSteps"] == len(COUNTS), "NSteps")
        for frame, count in enumerate(COUNTS):
            points, fields = sand(frame)
            part, start = steps["PartOffsets"][frame], steps["PointOffsets"][frame]
            cell, corner = steps["CellOffsets"][frame, 0], steps["ConnectivityIdOffsets"][frame, 0]
            check(root["NumberOfPoints"][part] == root["NumberOfCells"][part] == count, "counts")
            check_close(root["Points"][start:start + count], points, POINT_ERROR, f"points {frame}")
            check((root["Types"][cell:cell + count] == 1).all(), "vertices")
            check((root["Connectivity"][corner:corner + count] == np.arange(count)).all(), "connectivity")
            for name, want in fields.items():
                begin = steps["PointDataOffsets"][name][frame]
                check_values(root["PointData"][name][begin:begin + count], want, f"{name} {frame}")


with samples() as folder:
    check_vtp(folder + "/cloud")
    check_vtp(folder + "/cloud-zlib")
    check_ply(folder + "/cloud-ply")
    check_usda(folder + "/cloud-usda")
    check_vtkhdf(folder + "/cloud-vtkhdf")
print("particles: VTK", vtk.vtkVersion().GetVTKVersion(), "meshio and h5py agree")
