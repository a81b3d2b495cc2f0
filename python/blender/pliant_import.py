# SPDX-License-Identifier: Apache-2.0
"""Imports a run of pliant into Blender: bodies with their motion, particles, colliders.

As an add-on: Edit > Preferences > Add-ons > Install, then File > Import > pliant run. As a script:

    blender -b -P pliant_import.py -- RUN [--save FILE.blend] [--render FILE.png] [--frame N]
                                          [--size WxH] [--samples N] [--every N]

Meshes become objects that a Mesh Cache modifier plays from .pc2 files (in RUN/blender, or where
--cache says); files and modifier stay usable without this add-on. Particles become vertices, with a
small sphere at each, and are read from the run whenever the frame changes. Frame 1 is the initial
state. Runs have y up unless their scene says otherwise; Blender has z up, so they are turned.

Needs the Python module pliant: installed, or beside this file in the source tree, or in the folder
that PLIANT_PYTHON names.
"""
import argparse
import glob
import json
import os
import pathlib
import struct
import sys

import bpy
import numpy as np
from bpy.app.handlers import persistent
from bpy_extras.io_utils import ImportHelper
from mathutils import Vector

bl_info = {
    "name": "pliant run",
    "description": "Import runs of the simulator pliant: bodies, particles, colliders",
    "author": "pliant",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "File > Import > pliant run",
    "category": "Import-Export",
}

FIRST_FRAME = 1
# calm colours of bodies, one after the other; colliders are grey
COLORS = ((0.80, 0.22, 0.12), (0.10, 0.35, 0.70), (0.15, 0.55, 0.25), (0.85, 0.55, 0.10),
          (0.45, 0.20, 0.60), (0.10, 0.55, 0.60))
COLLIDER_COLOR = (0.55, 0.55, 0.57)


def import_pliant():
    """The module, from wherever it is."""
    places = [os.environ.get("PLIANT_PYTHON", ""),
              str(pathlib.Path(__file__).resolve().parent.parent), "/usr/lib/python3/dist-packages",
              *glob.glob("/usr/local/lib/python3*/dist-packages")]
    # last, so that what Blender brings along comes first
    sys.path += [place for place in places
                 if os.path.isfile(os.path.join(place, "pliant", "__init__.py"))
                 and place not in sys.path]
    import pliant
    return pliant


# ---- from runs to arrays

def read_settings(folder):
    """Frames per second and the axis that is up, as the run says."""
    try:
        said = json.loads((pathlib.Path(folder) / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        said = {}
    return said.get("fps", 24), said.get("up", "y")


def to_blender(points, up):
    """Points with z up, as float32."""
    turned = points if up == "z" else np.column_stack([points[:, 0], -points[:, 2], points[:, 1]])
    return np.ascontiguousarray(turned, np.float32)


class Skin:
    """The surface of a part: its triangles, and which of its points they use."""

    def __init__(self, pliant, part):
        triangles = pliant.surface(part.cells) if part.kind in ("tets", "tets10") else part.cells
        self.used, inverse = np.unique(triangles, return_inverse=True)
        self.triangles = inverse.reshape(-1, 3)
        self.point_count = len(part.points)

    def fits(self, part):
        return part is not None and len(part.points) == self.point_count


class PointCache:
    """A .pc2 file that grows by a frame at a time."""

    def __init__(self, path, vertex_count):
        self.path = str(path)
        self.vertex_count = vertex_count
        self.count = 0
        self.file = open(path, "wb")
        self.write_head()

    def write_head(self):
        self.file.seek(0)
        self.file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, self.vertex_count, 0, 1,
                                    self.count))

    def add(self, points):
        points.tofile(self.file)
        self.file.flush()
        self.count += 1

    def close(self):
        self.write_head()
        self.file.close()


# ---- from arrays to objects

def make_material(name, color):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*color, 1)
    shader.inputs["Roughness"].default_value = 0.5
    material.diffuse_color = (*color, 1)
    return material


def make_object(name, points, triangles, material, collection):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points.tolist(), [], triangles.tolist())
    mesh.materials.append(material)
    mesh.update()
    made = bpy.data.objects.new(name, mesh)
    collection.objects.link(made)
    return made


def play_cache(target, path):
    """Lets a modifier move the vertices of an object as the file says."""
    modifier = target.modifiers.new("pliant", "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.filepath = str(path)
    modifier.frame_start = FIRST_FRAME
    modifier.interpolation = "LINEAR"


def make_points(name, folder, radius, material, collection):
    """Vertices that follow the run, with a sphere at each."""
    cloud = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    collection.objects.link(cloud)
    cloud["pliant_run"], cloud["pliant_part"] = str(folder), name
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=radius)
    ball = bpy.context.object
    ball.name = f"{name} particle"
    for face in ball.data.polygons:
        face.use_smooth = True
    ball.data.materials.append(material)
    for owner in list(ball.users_collection):
        owner.objects.unlink(ball)
    collection.objects.link(ball)
    ball.parent = cloud
    cloud.instance_type = "VERTS"
    return cloud


def guess_radius(part):
    """Of particles: as frames say it, or from how densely they lie."""
    if "radius" in part.fields and len(part.points):
        return float(np.median(part.fields["radius"]))
    if part.radius > 0:
        return part.radius
    extent = np.ptp(part.points, axis=0) if len(part.points) else np.ones(3)
    return float(0.5 * (np.prod(np.maximum(extent, 1e-3)) / max(len(part.points), 1)) ** (1 / 3))


# ---- particles follow the time line

_series = {}  # opened runs by folder, with the axis that is up


def series_of(folder):
    if folder not in _series:
        _series[folder] = (import_pliant().Series(folder), read_settings(folder)[1])
    return _series[folder]


def set_points(cloud, points):
    mesh = cloud.data
    mesh.clear_geometry()
    mesh.vertices.add(len(points))
    mesh.vertices.foreach_set("co", points.ravel())
    mesh.update()


@persistent
def update_particles(scene, *_):
    """Called by Blender whenever the frame changes: reads the particles of that frame."""
    clouds = [found for found in scene.objects if "pliant_run" in found]
    frames = {}
    for cloud in clouds:
        folder = cloud["pliant_run"]
        try:
            if folder not in frames:
                series, up = series_of(folder)
                position = (scene.frame_current - FIRST_FRAME) * cloud.get("pliant_every", 1)
                frames[folder] = series[min(max(position, 0), len(series) - 1)], up
        except Exception as error:  # a run that was moved must not stop Blender
            print(f"pliant: {folder}: {error}")
            continue
        frame, up = frames[folder]
        part = frame.parts.get(cloud["pliant_part"])
        set_points(cloud, to_blender(part.points, up) if part else np.zeros((0, 3), np.float32))


# ---- a run

class Importer:
    """Goes through the frames of a run once, and makes what they need."""

    def __init__(self, folder, cache=None, every=1):
        self.pliant = import_pliant()
        self.folder = pathlib.Path(folder).resolve()
        self.cache = pathlib.Path(cache) if cache else self.folder / "blender"
        self.every = every
        self.fps, self.up = read_settings(self.folder)
        self.series = self.pliant.Series(self.folder)
        self.collection = bpy.data.collections.new(self.folder.name)
        bpy.context.scene.collection.children.link(self.collection)
        self.meshes = {}  # by name: skin, object, cache, last points
        self.clouds = {}
        self.bodies = []  # objects that are not scenery
        self.low, self.high = np.full(3, np.inf), np.full(3, -np.inf)

    def material_for(self, part):
        own = COLORS[len(self.bodies) % len(COLORS)]
        return make_material(part.name, COLLIDER_COLOR if part.role == "collider" else own)

    def add_mesh(self, part):
        skin = Skin(self.pliant, part)
        points = to_blender(part.points[skin.used], self.up)
        made = make_object(part.name, points, skin.triangles, self.material_for(part),
                           self.collection)
        self.cache.mkdir(parents=True, exist_ok=True)
        cache = PointCache(self.cache / f"{part.name.replace('/', '_')}.pc2", len(points))
        self.meshes[part.name] = [skin, made, cache, points]
        return made

    def add_cloud(self, part):
        made = make_points(part.name, self.folder, guess_radius(part), self.material_for(part),
                           self.collection)
        made["pliant_every"] = self.every
        self.clouds[part.name] = made
        return made

    def see(self, part):
        """Makes what a part needs when it is seen for the first time."""
        known = part.name in self.meshes or part.name in self.clouds
        if not known:
            made = self.add_cloud(part) if part.kind == "points" else self.add_mesh(part)
            if part.role != "collider":
                self.bodies.append(made)
        if part.role != "collider" and len(part.points):
            points = to_blender(part.points, self.up)
            self.low = np.minimum(self.low, points.min(axis=0))
            self.high = np.maximum(self.high, points.max(axis=0))

    def store(self, frame, count):
        """Adds a frame to all caches; what is missing stays where it was."""
        for name, entry in self.meshes.items():
            skin, _, cache, points = entry
            part = frame.parts.get(name)
            if skin.fits(part):
                points = entry[3] = to_blender(part.points[skin.used], self.up)
            while cache.count <= count:
                cache.add(points)

    def run(self):
        positions = range(0, len(self.series), self.every)
        for count, position in enumerate(positions):
            frame = self.series[position]
            for part in frame.parts.values():
                self.see(part)
            self.store(frame, count)
        for _, made, cache, _ in self.meshes.values():
            cache.close()
            play_cache(made, cache.path)
        scene = bpy.context.scene
        scene.render.fps = max(1, round(self.fps / self.every))
        scene.frame_start, scene.frame_end = FIRST_FRAME, FIRST_FRAME + len(positions) - 1
        scene.frame_set(FIRST_FRAME)
        update_particles(scene)
        return self


def import_run(folder, cache=None, every=1):
    """Imports a run's folder into the current scene; returns the Importer, which has all of it."""
    install_handler()
    return Importer(folder, cache, every).run()


# ---- the add-on

class PLIANT_OT_import(bpy.types.Operator, ImportHelper):
    """Import a run of pliant: choose its series.pvd"""
    bl_idname = "import_scene.pliant_run"
    bl_label = "Import pliant run"
    bl_options = {"REGISTER", "UNDO"}
    filename_ext = ".pvd"
    filter_glob: bpy.props.StringProperty(default="*.pvd", options={"HIDDEN"})
    every: bpy.props.IntProperty(name="Every n-th frame", default=1, min=1)

    def execute(self, _):
        chosen = pathlib.Path(self.filepath)
        folder = chosen if chosen.is_dir() else chosen.parent
        try:
            made = import_run(folder, every=self.every)
        except Exception as error:  # told in Blender's own way
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{len(made.meshes)} meshes, {len(made.clouds)} sets of particles")
        return {"FINISHED"}


def add_menu(menu, _):
    menu.layout.operator(PLIANT_OT_import.bl_idname, text="pliant run (series.pvd)")


def install_handler():
    handlers = bpy.app.handlers.frame_change_post
    if not any(handler.__name__ == update_particles.__name__ for handler in handlers):
        handlers.append(update_particles)


def register():
    bpy.utils.register_class(PLIANT_OT_import)
    bpy.types.TOPBAR_MT_file_import.append(add_menu)
    install_handler()


def unregister():
    bpy.types.TOPBAR_MT_file_import.remove(add_menu)
    bpy.utils.unregister_class(PLIANT_OT_import)
    handlers = bpy.app.handlers.frame_change_post
    for handler in [one for one in handlers if one.__name__ == update_particles.__name__]:
        handlers.remove(handler)


# ---- as a script

def add_view(made, size):
    """A camera that sees all bodies at all times, a sun, a sky and a ground."""
    aspect = size[1] / size[0]
    middle, extent = (made.low + made.high) / 2, float(np.linalg.norm(made.high - made.low))
    scene = bpy.context.scene
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    toward = Vector((0.45, -1.0, 0.4)).normalized()
    narrow = np.arctan(np.tan(camera.data.angle / 2) * min(aspect, 1))
    camera.location = Vector(middle) + toward * float(0.5 * extent / np.sin(narrow))
    camera.rotation_euler = (-toward).to_track_quat("-Z", "Y").to_euler()
    camera.data.clip_end = 100 * extent
    scene.camera = camera
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle = 2.2, 0.1
    sun.rotation_euler = (0.6, 0.2, 0.5)
    scene.collection.objects.link(sun)
    scene.world = bpy.data.worlds.new("sky")
    scene.world.use_nodes = True
    sky = scene.world.node_tree.nodes["Background"].inputs
    sky["Color"].default_value, sky["Strength"].default_value = (0.75, 0.8, 0.9, 1), 0.4
    if len(made.meshes) + len(made.clouds) == len(made.bodies):
        # no colliders: something to stand on, for the eye
        place = (middle[0], middle[1], made.low[2] - 1e-3 * extent)
        bpy.ops.mesh.primitive_plane_add(size=20 * extent, location=place)
        bpy.context.object.data.materials.append(make_material("ground", (0.8, 0.8, 0.8)))


def render(path, frame, size, samples):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = False  # not in every build
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    scene.render.filepath = str(pathlib.Path(path).resolve())
    scene.frame_set(frame)
    bpy.ops.render.render(write_still=True)


def parse_size(text):
    width, height = text.lower().split("x")
    return int(width), int(height)


def main(arguments):
    parser = argparse.ArgumentParser(prog="blender -b -P pliant_import.py --")
    parser.add_argument("run", help="folder of a run")
    parser.add_argument("--save", help="writes a .blend file")
    parser.add_argument("--render", help="writes a picture")
    parser.add_argument("--frame", type=int, default=FIRST_FRAME, help="of the picture")
    parser.add_argument("--size", type=parse_size, default=(960, 600), help="of the picture: WxH")
    parser.add_argument("--samples", type=int, default=32, help="a pixel")
    parser.add_argument("--every", type=int, default=1, help="takes every n-th frame")
    parser.add_argument("--cache", help="folder of the .pc2 files; RUN/blender if not given")
    chosen = parser.parse_args(arguments)
    for found in list(bpy.data.objects):  # what Blender begins with
        bpy.data.objects.remove(found)
    made = import_run(chosen.run, chosen.cache, chosen.every)
    print(f"pliant: {len(made.meshes)} meshes, {len(made.clouds)} sets of particles, frames "
          f"{bpy.context.scene.frame_start} to {bpy.context.scene.frame_end}")
    add_view(made, chosen.size)
    if chosen.render:
        render(chosen.render, chosen.frame, chosen.size, chosen.samples)
    if chosen.save:
        bpy.ops.wm.save_as_mainfile(filepath=str(pathlib.Path(chosen.save).resolve()))


if __name__ == "__main__":
    if "--" in sys.argv:
        try:
            main(sys.argv[sys.argv.index("--") + 1:])
        except Exception as failure:
            sys.exit(f"pliant: {failure}")
    else:
        register()
