# SPDX-License-Identifier: Apache-2.0
"""Scenes: what there is and how it starts, read from files, texts and dicts."""
import ctypes
import json
import os
import pathlib
import re
import shutil
import tempfile
import warnings
import weakref

import numpy as np

from . import errors
from ._handles import Context, Wrapper
from ._library import installed_path, lib, source_root
from ._structs import Field, LoadDef, Schema, Variant, YamlDef, at, text


class Mesh:
    """A mesh of your own, to be put into a scene's dict as a geometry or a shape.

    ``points`` are [n][3] in metres; ``tets`` [m][4] of a solid, or ``triangles`` [m][3] of a shell,
    a cloth, an obstacle, or the closed surface of a shape. Vertices keep their order.

        pliant.Scene({"bodies": {"b": {"geometry": pliant.Mesh(points, tets=tets), ...}}})
    """

    def __init__(self, points, tets=None, triangles=None):
        self.points = np.asarray(points, float).reshape(-1, 3)
        self.tets = np.asarray(() if tets is None else tets, np.int64).reshape(-1, 4)
        self.triangles = np.asarray(() if triangles is None else triangles, np.int64)
        self.triangles = self.triangles.reshape(-1, 3)

    def write(self, path):
        """Writes it as Gmsh's format 2.2; numbers keep all their digits."""
        cells = [(4, row) for row in self.tets] + [(2, row) for row in self.triangles]
        with open(path, "w", encoding="ascii") as file:
            file.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{len(self.points)}\n")
            for k, (x, y, z) in enumerate(self.points.tolist()):
                file.write(f"{k + 1} {x!r} {y!r} {z!r}\n")
            file.write(f"$EndNodes\n$Elements\n{len(cells)}\n")
            for k, (kind, row) in enumerate(cells):
                file.write(f"{k + 1} {kind} 0 {' '.join(str(i + 1) for i in row.tolist())}\n")
            file.write("$EndElements\n")


class MeshFolder:
    """Files of meshes that a scene's dict holds as arrays, for as long as the scene lives."""

    def __init__(self):
        self.folder = None
        self.count = 0

    def add(self, mesh):
        if self.folder is None:
            self.folder = tempfile.mkdtemp(prefix="pliant-")
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self.count += 1
        path = os.path.join(self.folder, f"mesh_{self.count}.msh")
        mesh.write(path)
        return path


def prepare(value, key, meshes):
    """A value as JSON can say it: numpy's numbers and arrays, paths, and meshes as files."""
    if isinstance(value, Mesh):
        return {"mesh" if key == "shape" else "file": {"path": meshes.add(value)}}
    if isinstance(value, dict):
        return {str(name): prepare(item, name, meshes) for name, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [prepare(item, key, meshes) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value


class Scene(Wrapper):
    """What there is and how it starts. Checked when it is made, so a wrong one raises SceneError.

        scene = pliant.Scene.load("cube.yaml")          # a file, or a shipped scene: "rubber/stretch"
        scene = pliant.Scene({"bodies": {...}, ...})    # a dict with the keys of scene files
        scene.set("materials.rubber.young", 1e6)        # as --set of the program
    """

    def __init__(self, description, name="scene", allow_outside=False):
        """A scene from a dict with the keys of scene files. ``pliant.schema()`` has them all."""
        if not isinstance(description, dict):
            raise TypeError(f"a scene is made from a dict, not from {type(description).__name__}; "
                            f"texts go to Scene.parse, files to Scene.load")
        self._meshes = MeshFolder()
        said = json.dumps(prepare(description, "", self._meshes), indent=1, ensure_ascii=False)
        self._begin(said, name, allow_outside or self._meshes.count > 0)

    @classmethod
    def parse(cls, said, name="scene", allow_outside=False):
        """A scene from a text in YAML or JSON. Relative paths count from the folder of ``name``."""
        scene = cls.__new__(cls)
        scene._meshes = MeshFolder()
        scene._begin(said, name, allow_outside)
        return scene

    @classmethod
    def load(cls, path, allow_outside=False):
        """A scene from a file, or a shipped one by its name (``pliant.scenes()`` lists them)."""
        found = pathlib.Path(path)
        if not found.is_file():
            shipped = shipped_folder()
            path = current_name(shipped, str(path))
            named = shipped / f"{path}.yaml" if shipped else None
            if named is None or not named.is_file():
                raise errors.FileError(f"'{path}' is neither a file nor the name of a shipped "
                                       f"scene; pliant.scenes() lists those")
            found, path = named, f"{path}.yaml"
        try:
            said = found.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise errors.SceneError(f"{path}:1:1: the file is not UTF-8: {error}") from None
        return cls.parse(said, str(path), allow_outside)

    def _begin(self, said, name, allow_outside):
        self._said = said
        self._name = name
        self._outside = allow_outside
        self._sets = []
        self._context = Context()
        self._resource = self._read(self._sets)

    def _read(self, sets):
        """The scene with changes applied."""
        said = self._said.encode()
        changes = (ctypes.c_char_p * len(sets))(*(change.encode() for change in sets))
        definition = LoadDef(ctypes.addressof(changes), len(sets), self._outside)
        return self._context.make(lib.pli_scene_parse, lib.pli_scene_destroy,
                                  self._context.pointer, said, len(said), self._name.encode(),
                                  ctypes.byref(definition))

    def set(self, path, value):
        """Changes one value: ``scene.set("bodies.cube.position[1]", 2)``.

        The path is made of keys, names and indices; the value is anything a dict could hold. A
        wrong one raises SceneError and leaves the scene as it was. Models that were made before
        stay as they are. Returns the scene, so that calls can be chained.
        """
        self._pointer  # raises when closed
        last = re.split(r"[.\[]", path)[-1]
        said = json.dumps(prepare(value, last, self._meshes), ensure_ascii=False)
        sets = self._sets + [f"{path}={said}"]
        self._outside = self._outside or self._meshes.count > 0
        self._resource = self._read(sets)
        self._sets = sets
        return self

    def get(self, path):
        """One value by its path, with every default filled in: ``scene.get("time.fps")``."""
        value = self.to_dict()
        for step in re.findall(r"[^.\[\]]+", path):
            try:
                value = value[int(step)] if isinstance(value, list) else value[step]
            except (KeyError, IndexError, ValueError, TypeError):
                raise KeyError(f"the scene has no '{path}' (at '{step}')") from None
        return value

    def text(self, comments=False):
        """The scene as YAML with every default filled in; Scene.parse reads it again."""
        definition = YamlDef(comments, True)
        return self._context.text(lib.pli_scene_to_yaml, self._pointer, ctypes.byref(definition))

    def to_dict(self):
        """The scene as a dict with every default filled in; Scene(...) takes it again."""
        return read_struct(lib.pli_scene_schema(), lib.pli_scene_get(self._pointer))

    def save(self, path):
        """Writes the scene to a file, with every default filled in."""
        pathlib.Path(path).write_text(self.text(), encoding="utf-8")

    @property
    def contact(self):
        """Which contact bodies have, and who said so: ``'barrier, chosen because there are 2 bodies; ...'``."""
        return text(lib.pli_scene_get_info(self._pointer).contact)

    @property
    def name(self):
        """The name of the file without folder and ending."""
        return text(lib.pli_scene_get_info(self._pointer).name)

    @property
    def hash(self):
        """64-bit hash of everything that the scene describes, contents of meshes included."""
        return lib.pli_scene_hash(self._pointer)

    def __repr__(self):
        return f"<pliant.Scene {self.name!r}>" if self._resource else "<pliant.Scene, closed>"


# ---- a description as a dict, by the library's own table of fields

# pli_item_kind
REAL, INTEGER, BOOL, TEXT, CHOICE, STRUCT, VARIANT, MESH = range(8)
NAMED = 12  # pli_field_kind
PAINTED = 16
OPTIONAL = 16  # pli_field_flags


def fields_of(schema):
    """Address and content of every field of a schema."""
    table = at(Schema, schema)
    for k in range(table.field_count):
        yield table.fields + k * ctypes.sizeof(Field), at(Field, table.fields, k)


def read_struct(schema, address):
    """The struct at an address as a dict; what was not given is left out."""
    result = {}
    for field_address, field in fields_of(schema):
        optional = field.flags & OPTIONAL
        if optional and lib.pli_field_is_absent(field_address, address):
            continue
        items = lib.pli_field_get_items(field_address, address)
        if items.kind == MESH or (field.kind == NAMED and field.key is None):
            continue
        value = read_items(field, items)
        if field.kind == PAINTED:  # in the place of the numbers
            result.update(value)
        elif value is not None:
            result[text(field.key)] = value
    return result


def read_items(field, items):
    """What a field holds: one item, a list, or a dict by names."""
    values = [read_item(field, items.kind, items.first + k * items.stride)
              for k in range(items.count)]
    if field.kind in (NAMED, PAINTED):
        names = [text(ctypes.c_char_p.from_address(items.first + k * items.stride).value)
                 for k in range(items.count)]
        return {name: {key: item for key, item in value.items() if key != "name"}
                if isinstance(value, dict) else value for name, value in zip(names, values)}
    if items.is_list or items.fixed > 1:
        return values
    return values[0] if values else None


def read_item(field, kind, address):
    """One item at an address."""
    if kind == REAL:
        return ctypes.c_double.from_address(address).value
    if kind == INTEGER:
        return ctypes.c_int32.from_address(address).value
    if kind == BOOL:
        return ctypes.c_bool.from_address(address).value
    if kind == TEXT:
        return text(ctypes.c_char_p.from_address(address).value) or ""
    if kind == CHOICE:
        index = ctypes.c_int32.from_address(address).value
        return text(at(ctypes.c_char_p, field.choices, index).value)
    if kind == STRUCT:
        return read_struct(field.schema, address)
    variant = at(Variant, address)
    if variant.kind < 0:
        return None
    schema = at(ctypes.c_void_p, field.variants, variant.kind).value
    return {text(at(Schema, schema).name): read_struct(schema, variant.data)}


# ---- shipped scenes

def shipped_folder():
    """The folder of shipped scenes, or None when they are not there."""
    named = os.environ.get("PLIANT_SCENES")
    root = source_root()
    for folder in (named and pathlib.Path(named), installed_path("SCENES"),
                   root and root / "scenes"):
        if folder and folder.is_dir():
            return folder
    return None


def current_name(folder, name):
    """What a shipped scene is called today; a former name gives a warning."""
    table = folder / "former-names.txt" if folder else None
    if table is None or not table.is_file():
        return name
    names = dict(line.split() for line in table.read_text().splitlines())
    if name in names:
        warnings.warn(f"the scene '{name}' is called '{names[name]}' now", FutureWarning,
                      stacklevel=3)
    return names.get(name, name)


def scenes():
    """Names of the shipped scenes, for Scene.load."""
    folder = shipped_folder()
    if folder is None:
        return []
    return sorted(str(path.relative_to(folder).with_suffix("")).replace(os.sep, "/")
                  for path in folder.rglob("*.yaml"))
