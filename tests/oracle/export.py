# SPDX-License-Identifier: Apache-2.0
"""Exports as other programs read them, against formulas."""
import json
import re
import struct
import sys

from sample import FPS, FRAMES, SKIPPED, bodies, check, check_close, np, samples

try:
    import h5py
    import meshio
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as error:
    print("skipped:", error)
    sys.exit(SKIPPED)

FLOAT_ERROR = 6e-8   # half a unit in the 24th bit
TEXT_ERROR = 6e-7    # half a unit in the seventh digit, and the float's own error


class Skin:
    """Surface of a body, in the order in which the exporters number its vertices."""

    def __init__(self, body):
        self.body = body
        corners = body.cells.shape[1]
        if corners == 4:
            faces = np.concatenate([body.cells[:, f] for f in ([1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1])])
            _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
            faces = faces[first[count == 1]]
        else:
            faces = body.cells if corners == 3 else np.zeros((0, 3), int)
        self.ids = np.unique(faces) if corners > 1 else np.arange(len(body.points))
        self.points = body.points[self.ids]
        number = np.full(len(body.points), -1)
        number[self.ids] = np.arange(len(self.ids))
        self.triangles = number[faces]

    def values(self, name):
        place, _, array = self.body.fields[name]
        if place == "cell":
            total = np.zeros((len(self.body.points),) + array.shape[1:])
            count = np.zeros(len(self.body.points))
            for corner in self.body.cells.T:
                np.add.at(total, corner, array)
                np.add.at(count, corner, 1)
            array = (total.T / count).T
        return array[self.ids]


def triangle_set(triangles):
    """Triangles with their orientation, but without order and first corner."""
    return {tuple(np.roll(t, -int(np.argmin(t)))) for t in np.asarray(triangles)}


def check_triangles(got, skin, where):
    check(len(got) == len(skin.triangles), where + " number of triangles")
    check(triangle_set(got) == triangle_set(skin.triangles), where + " triangles")


def check_ply(folder):
    for frame in range(FRAMES):
        for body in bodies(frame):
            skin = Skin(body)
            path = f"{folder}/ply/{body.name}_{frame:05}.ply"
            reader = vtk.vtkPLYReader()
            reader.SetFileName(path)
            reader.Update()
            data = reader.GetOutput()
            check_close(vtk_to_numpy(data.GetPoints().GetData()), skin.points, FLOAT_ERROR, path)
            mesh = meshio.read(path)
            check_close(mesh.points, skin.points, FLOAT_ERROR, path)
            if len(skin.triangles):
                check_triangles(mesh.cells_dict["triangle"], skin, path)
                polygons = vtk_to_numpy(data.GetPolys().GetConnectivityArray()).reshape(-1, 3)
                check_triangles(polygons, skin, path)
            for name in body.fields:
                want = skin.values(name)
                if want.ndim == 1:
                    got = mesh.point_data[name]
                else:
                    got = np.stack([mesh.point_data[name + axis] for axis in ("_x", "_y", "_z")], axis=1)
                # averages of floats
                check_close(got, want, 2 * FLOAT_ERROR, f"{path} {name}")


def check_pc2(folder):
    for number, body in enumerate(bodies(0)):
        skin = Skin(body)
        path = f"{folder}/obj+pc2/{body.name}"
        if len(skin.triangles):
            mesh = meshio.read(path + ".obj")
            check_close(mesh.points, skin.points, TEXT_ERROR, path + ".obj")
            check_triangles(mesh.cells_dict["triangle"], skin, path + ".obj")
        with open(path + ".pc2", "rb") as file:
            content = file.read()
        magic, version, count, start, rate, samples_count = struct.unpack("<12siiffi", content[:32])
        check(magic == b"POINTCACHE2\0" and version == 1, path + ".pc2")
        check((count, start, rate, samples_count) == (len(skin.ids), 0, 1, FRAMES), path + ".pc2 header")
        points = np.frombuffer(content, "<f4", offset=32).reshape(FRAMES, count, 3)
        for frame in range(FRAMES):
            check_close(points[frame], Skin(bodies(frame)[number]).points, FLOAT_ERROR, path + ".pc2")


class Glb:
    def __init__(self, path):
        with open(path, "rb") as file:
            content = file.read()
        magic, version, length = struct.unpack("<4sII", content[:12])
        check(magic == b"glTF" and version == 2 and length == len(content), "glb header")
        size, kind = struct.unpack("<I4s", content[12:20])
        check(kind == b"JSON" and size % 4 == 0, "JSON chunk")
        self.json = json.loads(content[20:20 + size])
        size2, kind = struct.unpack("<I4s", content[20 + size:28 + size])
        check(kind == b"BIN\0" and size2 % 4 == 0 and 28 + size + size2 == len(content), "BIN chunk")
        check(self.json["buffers"][0]["byteLength"] == size2, "buffer length")
        self.binary = content[28 + size:]

    def accessor(self, index):
        accessor = self.json["accessors"][index]
        view = self.json["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3}[accessor["type"]]
        check(view.get("byteStride", 4 * width) == 4 * width, "stride")
        kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        offset = view["byteOffset"] + accessor["byteOffset"]
        end = accessor["byteOffset"] + 4 * width * accessor["count"]
        check(end <= view["byteLength"] and view["byteOffset"] + view["byteLength"] <= len(self.binary), "view")
        array = np.frombuffer(self.binary, kind, width * accessor["count"], offset).reshape(-1, width)
        if "min" in accessor:
            check((array.min(axis=0) == np.float32(accessor["min"])).all(), "min, exactly")
            check((array.max(axis=0) == np.float32(accessor["max"])).all(), "max, exactly")
        return array


def check_glb(folder):
    path = folder + "/glb/frames.glb"
    glb = Glb(path)
    animation = glb.json["animations"][0]
    times = glb.accessor(animation["samplers"][0]["input"])[:, 0]
    weights = glb.accessor(animation["samplers"][0]["output"]).reshape(FRAMES, FRAMES - 1)
    check_close(times, np.arange(FRAMES) / FPS, FLOAT_ERROR, "times")
    check((weights == np.eye(FRAMES)[:, 1:]).all(), "weights")
    check({c["target"]["node"] for c in animation["channels"]} == {0, 1, 2}, "animated nodes")
    for number, body in enumerate(bodies(0)):
        node = glb.json["nodes"][number]
        check(node["name"] == body.name, "name")
        primitive = glb.json["meshes"][node["mesh"]]["primitives"][0]
        skin = Skin(body)
        base = glb.accessor(primitive["attributes"]["POSITION"])
        if len(skin.triangles):
            check_triangles(glb.accessor(primitive["indices"]).reshape(-1, 3), skin, body.name)
        else:
            check(primitive["mode"] == 0, "points")
        targets = [glb.accessor(t["POSITION"]) for t in primitive["targets"]]
        for frame in range(FRAMES):
            got = base + sum(w * t for w, t in zip(weights[frame], targets))
            # base and difference are floats each
            check_close(got, Skin(bodies(frame)[number]).points, 3 * FLOAT_ERROR, f"{body.name} {frame}")

    reader = vtk.vtkGLTFReader()
    reader.SetFileName(path)
    reader.Update()
    check(reader.GetOutput() is not None and reader.GetNumberOfAnimations() == 1, "VTK reads the glb")


def check_usda(folder):
    with open(folder + "/usda/frames.usda", encoding="utf-8") as file:
        text = file.read()
    check(text.startswith("#usda 1.0\n"), "usda header")
    for line in ('upAxis = "Y"', "metersPerUnit = 1", f"timeCodesPerSecond = {FPS:.0f}", "startTimeCode = 0",
                 f"endTimeCode = {FRAMES - 1}", 'defaultPrim = "World"'):
        check(line in text, line)
    check(text.count("{") == text.count("}") and text.count("(") == text.count(")"), "brackets")
    numbers = lambda s: np.array([float(x) for x in re.findall(r"[-+0-9.e]+", s)])
    prims = re.split(r"\n    def ", text)[1:]
    check(len(prims) == 3, "prims")
    for number, (prim, body) in enumerate(zip(prims, bodies(0))):
        kind, name = re.match(r'(\w+) "(\w+)"', prim).groups()
        skin = Skin(body)
        check(kind == ("Mesh" if len(skin.triangles) else "Points") and name == body.name, "prim " + name)
        if kind == "Mesh":
            check('uniform token subdivisionScheme = "none"' in prim, "subdivision")
            counts = numbers(re.search(r"faceVertexCounts = \[(.*?)\]", prim).group(1))
            corners = numbers(re.search(r"faceVertexIndices = \[(.*?)\]", prim).group(1)).astype(int)
            check((counts == 3).all() and len(counts) == len(skin.triangles), "counts")
            check_triangles(corners.reshape(-1, 3), skin, name)
        for attribute in ("points", "extent"):
            block = re.search(attribute + r"\.timeSamples = \{(.*?)\n        \}", prim, re.S).group(1)
            samples_found = re.findall(r"(\d+): \[(.*?)\],\n", block + "\n")
            check([int(s[0]) for s in samples_found] == list(range(FRAMES)), attribute + " time codes")
            for frame, (_, values) in enumerate(samples_found):
                want = Skin(bodies(frame)[number]).points
                if attribute == "extent":
                    want = np.stack([want.min(axis=0), want.max(axis=0)])
                check_close(numbers(values).reshape(-1, 3), want, TEXT_ERROR, f"{name} {attribute} {frame}")


def read_step(root, step):
    """One step of a temporal UnstructuredGrid, as the format's specification says."""
    steps = root["Steps"]
    part, point = steps["PartOffsets"][step], steps["PointOffsets"][step]
    cell, corner = steps["CellOffsets"][step, 0], steps["ConnectivityIdOffsets"][step, 0]
    points, cells = root["NumberOfPoints"][part], root["NumberOfCells"][part]
    corners = root["NumberOfConnectivityIds"][part]
    grid = {
        "points": root["Points"][point:point + points],
        "offsets": root["Offsets"][cell + part:cell + part + cells + 1],
        "connectivity": root["Connectivity"][corner:corner + corners],
        "types": root["Types"][cell:cell + cells],
    }
    for group, count in (("PointData", points), ("CellData", cells)):
        for name in root.get(group, {}):
            start = steps[group + "Offsets"][name][step]
            grid[name] = root[group][name][start:start + count]
    return grid


def write_static(path, grid, body):
    """The same step as a file of version 1.0, which VTK 9.1 reads."""
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Version"] = np.array([1, 0])
        root.attrs.create("Type", b"UnstructuredGrid", dtype=h5py.string_dtype("ascii", 16))
        root["NumberOfPoints"] = np.array([len(grid["points"])])
        root["NumberOfCells"] = np.array([len(grid["types"])])
        root["NumberOfConnectivityIds"] = np.array([len(grid["connectivity"])])
        root["Points"], root["Offsets"] = grid["points"], grid["offsets"]
        root["Connectivity"], root["Types"] = grid["connectivity"], grid["types"]
        for name, (place, _, _) in body.fields.items():
            root[("PointData/" if place == "point" else "CellData/") + name] = grid[name]


def check_vtkhdf(folder):
    for number, body in enumerate(bodies(0)):
        path = f"{folder}/vtkhdf/{body.name}.vtkhdf"
        with h5py.File(path, "r") as file:
            root = file["VTKHDF"]
            check(list(root.attrs["Version"]) == [2, 0], "version")
            kind = root.attrs.get_id("Type")
            check(kind.dtype == "S16" and root.attrs["Type"] == b"UnstructuredGrid", "Type of fixed length")
            check(root["Steps"].attrs["NSteps"] == FRAMES, "NSteps")
            check((root["Steps/NumberOfParts"][()] == 1).all(), "NumberOfParts")
            check_close(root["Steps/Values"][()], np.arange(FRAMES) / FPS, 1e-15, "Values")
            check(len(root["NumberOfCells"]) == 1, "cells are stored once")
            for frame in range(FRAMES):
                want = bodies(frame)[number]
                grid = read_step(root, frame)
                check_close(grid["points"], want.points, 1e-15, path)
                check((grid["connectivity"].reshape(want.cells.shape) == want.cells).all(), "connectivity")
                check((np.diff(grid["offsets"]) == want.cells.shape[1]).all(), "offsets")
                for name, field in want.fields.items():
                    check_close(grid[name], field[2], FLOAT_ERROR, f"{path} {name}")
                static = f"{folder}/{body.name}_{frame}.hdf"  # VTK keeps them open
                write_static(static, grid, want)
                reader = vtk.vtkHDFReader()
                reader.SetFileName(static)
                reader.Update()
                output = reader.GetOutputDataObject(0)
                check_close(vtk_to_numpy(output.GetPoints().GetData()), want.points, 1e-15, "VTK points")
                check(output.GetNumberOfCells() == len(want.cells), "VTK cells")
                check(output.GetCellType(0) == {4: 10, 3: 5, 1: 1}[want.cells.shape[1]], "VTK cell type")


with samples() as folder:
    check_ply(folder)
    check_pc2(folder)
    check_glb(folder)
    check_usda(folder)
    check_vtkhdf(folder)
print("export: meshio, VTK and h5py agree")
