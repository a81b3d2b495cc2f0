# SPDX-License-Identifier: Apache-2.0
"""Frames: a state as something to look at, in memory, in files and as pictures."""
import ctypes
import operator
import os

import numpy as np

from . import errors
from ._handles import Context, Wrapper
from ._library import lib
from ._structs import FrameField, FramePart, FrameStruct, at, text

KINDS = ("tets", "triangles", "points", "tets10")
ROLES = ("body", "collider", "obstacle")
PLACES = ("point", "cell")
# the eight linear tetrahedra of a quadratic one
SPLIT = [[0, 4, 6, 7], [4, 1, 5, 8], [6, 5, 2, 9], [7, 8, 9, 3],
         [6, 8, 4, 5], [6, 8, 5, 9], [6, 8, 9, 7], [6, 8, 7, 4]]


class Part:
    """A body, collider or set of particles of a frame.

    ``points`` [n][3] (m), ``cells`` [m][4] of tets, [m][10] of tets10 (nodes of edges behind the
    corners) or [m][3] of triangles (None for points),
    ``fields``: arrays by name, ``units`` and ``places`` ("point", "cell") of them, ``kind``
    ("tets", "tets10", "triangles", "points"), ``role`` ("body", "collider", "obstacle").
    """

    def __init__(self, struct, array):
        self.name = text(struct.name)
        self.kind = KINDS[struct.kind]
        self.role = ROLES[struct.role]
        self.radius = struct.radius
        self.points = array(struct.points, (struct.point_count, 3), np.float64)
        corners = (4, 3, 0, 10)[struct.kind]
        self.cells = array(struct.cells, (struct.cell_count, corners), np.int32) \
            if corners else None
        self.fields, self.units, self.places = {}, {}, {}
        for k in range(struct.field_count):
            field = at(FrameField, struct.fields, k)
            rows = struct.point_count if field.place == 0 else struct.cell_count
            shape = (rows,) if field.components == 1 else (rows, field.components)
            name = text(field.name)
            self.fields[name] = array(field.values, shape, np.float64)
            self.units[name] = text(field.unit) or ""
            self.places[name] = PLACES[field.place]

    def __repr__(self):
        return f"<Part {self.name!r}: {len(self.points)} points, {self.kind}>"


class Frame:
    """A moment: ``index``, ``step``, ``time`` (s) and ``parts``, a dict of Part by name."""

    def __init__(self, struct, array):
        self.index = struct.index
        self.step = struct.step
        self.time = struct.time
        parts = [Part(at(FramePart, struct.parts, k), array) for k in range(struct.part_count)]
        self.parts = {part.name: part for part in parts}

    def __repr__(self):
        return f"<Frame {self.index} at {self.time:g} s: {', '.join(self.parts)}>"


def copy_array(address, shape, dtype):
    """A copy of memory of the library's."""
    result = np.empty(shape, dtype)
    if address and result.size:
        ctypes.memmove(result.ctypes.data, address, result.nbytes)
    return result


def surface(tets):
    """Triangles [k][3] around tetrahedra [m][4], seen from outside counter-clockwise.

    A side of quadratic ones, [m][10], is four triangles.
    """
    tets = np.asarray(tets)
    if tets.ndim == 2 and tets.shape[1] == 10:
        tets = tets[:, SPLIT].reshape(-1, 4)
    if tets.size == 0:
        tets = np.zeros((0, 4), np.int32)
    if tets.ndim != 2 or tets.shape[1] != 4 or tets.dtype.kind not in "iu":
        raise errors.ArgumentError(f"tetrahedra are whole numbers of the shape (m, 4), not "
                                   f"{tets.dtype} of the shape {tets.shape}")
    if tets.size and not (0 <= tets.min() and tets.max() < 2**31):
        raise errors.ArgumentError("vertices of tetrahedra count from 0 and fit into 32 bits")
    tets = tets.astype(np.int32)
    faces = tets[:, [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]].reshape(-1, 3)
    _, first, count = np.unique(np.sort(faces, 1), axis=0, return_index=True, return_counts=True)
    return faces[np.sort(first[count == 1])]


class FrameWriter(Wrapper):
    """Writes frames of your own loop into a folder, as runs do: series.pvd and frames/.

        with pliant.FrameWriter("out") as writer:
            writer.add(sim)
            for report in sim.frames():
                writer.add(sim)
    """

    def __init__(self, folder, compress=False):
        self._context = Context()
        self._count = 0
        definition = lib.pli_frame_writer_def_default()
        definition.folder = os.fsencode(folder)
        definition.compress = compress
        self._resource = self._context.make(
            lib.pli_frame_writer_create, lib.pli_frame_writer_destroy, self._context.pointer,
            ctypes.byref(definition))

    def add(self, simulation):
        """Writes the state of a simulation as the next frame, and lists it in series.pvd."""
        frame = simulation.solver._frame(simulation.state)
        frame.index = self._count
        self._context.check(lib.pli_frame_writer_add(self._pointer, ctypes.byref(frame)))
        self._count += 1


class Series(Wrapper):
    """Frames that a run or a FrameWriter left in a folder, read one by one.

        for frame in pliant.Series("out/demo"):
            print(frame.time, frame.parts["cube"].points.mean(axis=0))
    """

    def __init__(self, folder):
        self._context = Context()
        self._resource = self._context.make(lib.pli_series_create, lib.pli_series_destroy,
                                            self._context.pointer, os.fsencode(folder))

    def update(self):
        """Looks for frames that were added since, by a run that is still going."""
        self._context.check(lib.pli_series_update(self._pointer))

    def __len__(self):
        return lib.pli_series_count(self._pointer)

    def __getitem__(self, position):
        """The frame at a position; its arrays are views that keep it in memory."""
        count = len(self)
        if isinstance(position, slice):
            return [self[k] for k in range(*position.indices(count))]
        position = operator.index(position)
        if not -count <= position < count:
            raise IndexError(f"frame {position} of {count}")
        resource = self._context.make(lib.pli_series_load, lib.pli_frame_destroy, self._pointer,
                                      position % count)

        def array(address, shape, dtype):
            return resource.view(address, shape, dtype, False)

        return Frame(at(FrameStruct, resource.pointer), array)

    def _infos(self):
        for position in range(len(self)):
            yield lib.pli_series_get_info(self._pointer, position)

    @property
    def times(self):
        """Times of all frames (s)."""
        return np.array([info.time for info in self._infos()])

    @property
    def indices(self):
        """Numbers of all frames; not every number need be there."""
        return [info.index for info in self._infos()]


# ---- pictures

COLORMAPS = ("sequential", "diverging", "categories")
BACKGROUNDS = ("light", "dark")
COLLIDERS = ("show", "hide", "glass")


def picture(simulation, size=(960, 600), field="", azimuth=None, elevation=None, value_range=None,
            **options):
    """Draws a simulation's state and returns the picture, [height][width][3] of uint8.

    ``field`` colours ("velocity", "J", ...), ``azimuth`` and ``elevation`` place the camera
    (degrees), ``value_range`` are the values at both ends of the colours. ``options`` are further
    ones of pli_picture_def: samples, occlusion_rays, shadow_rays, lit, component, edges,
    edge_width, particle_radius, ground, legend, time_stamp, colormap ("sequential", "diverging",
    "categories"), background ("light", "dark"), colliders ("show", "hide", "glass").
    """
    solver = simulation.solver
    definition = lib.pli_picture_def_default()
    definition.width, definition.height = size
    definition.field = field.encode()
    if azimuth is not None:
        definition.camera.azimuth = azimuth
    if elevation is not None:
        definition.camera.elevation = elevation
    if simulation.scene.get("up") == "z":
        definition.camera.up[:] = (0, 0, 1)
    if value_range is not None:
        definition.automatic_range = False
        definition.range[:] = value_range
    set_options(definition, options)
    context = solver._context
    drawer = context.make(lib.pli_picture_create, lib.pli_picture_destroy, context.pointer,
                          ctypes.byref(definition))
    pixels = np.zeros((definition.height, definition.width, 3), np.uint8)
    frame = solver._frame(simulation.state)
    context.check(lib.pli_picture_draw(drawer.pointer, ctypes.byref(frame), pixels.ctypes.data))
    return pixels


def set_options(definition, options):
    """Sets members of a picture's def by their names."""
    words = {"colormap": COLORMAPS, "background": BACKGROUNDS, "colliders": COLLIDERS}
    plain = {"samples", "occlusion_rays", "shadow_rays", "lit", "component", "edges", "edge_width",
             "particle_radius", "particle_scale", "ground", "legend", "time_stamp"}
    for name, value in options.items():
        if name in words:
            if value not in words[name]:
                raise ValueError(f"{name} is {value!r}; allowed: {', '.join(words[name])}")
            setattr(definition, name, words[name].index(value))
        elif name in plain:
            setattr(definition, name, value)
        else:
            allowed = ", ".join(sorted(plain | set(words)))
            raise TypeError(f"a picture has no option {name!r}; there are {allowed}")


def write_png(path, pixels):
    """Writes a picture, [height][width][3] of uint8, as a PNG."""
    given = np.asarray(pixels)
    pixels = np.ascontiguousarray(given, np.uint8)
    if not np.array_equal(given, pixels):
        raise ValueError("pixels must be whole numbers from 0 to 255")
    if pixels.ndim != 3 or pixels.shape[2] != 3:
        raise ValueError(f"pixels have the shape {pixels.shape}; it must be (height, width, 3)")
    context = Context()
    context.check(lib.pli_picture_write_png(context.pointer, os.fsencode(path), pixels.shape[1],
                                            pixels.shape[0], pixels.ctypes.data))
