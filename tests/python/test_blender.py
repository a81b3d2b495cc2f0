# SPDX-License-Identifier: Apache-2.0
"""Inside of Blender, without a window: the module simulates, and the add-on brings runs in as they
are. Skipped where Blender is not installed."""
import os
import shutil
import subprocess
import sys

import common
from common import ROOT, Folder, fountain, main, two_bodies

import pliant

ADDON = ROOT / "python" / "blender" / "pliant_import.py"

# what both scripts begin with: vertices of an object as modifiers leave them
BEGIN = """
import importlib.util, sys
import bpy, numpy as np
sys.path.insert(0, {python!r})
import pliant
found = importlib.util.spec_from_file_location("pliant_import", {addon!r})
addon = importlib.util.module_from_spec(found)
found.loader.exec_module(addon)

def vertices(name):
    graph = bpy.context.evaluated_depsgraph_get()
    mesh = bpy.data.objects[name].evaluated_get(graph).to_mesh()
    result = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", result)
    return result.reshape(-1, 3)

def turned(points):
    return np.column_stack([points[:, 0], -points[:, 2], points[:, 1]]).astype(np.float32)
"""

SIMULATE = """
sim = pliant.Simulation({{**{scene!r}}})
sim.bodies["bar"].velocities = [0, 1, 0]
sim.step()
body = sim.bodies["bar"]
mesh = bpy.data.meshes.new("made")
mesh.from_pydata(body.positions.tolist(), [], body.triangles.tolist())
assert not mesh.validate()
bpy.context.collection.objects.link(bpy.data.objects.new("made", mesh))
assert np.array_equal(vertices("made"), body.positions.astype(np.float32))
"""

IMPORT = """
addon.register()
assert bpy.ops.import_scene.pliant_run(filepath={run!r} + "/series.pvd") == {{"FINISHED"}}
assert (bpy.context.scene.frame_start, bpy.context.scene.frame_end) == (1, 5)
assert bpy.context.scene.render.fps == 30
for frame in pliant.Series({run!r}):
    bpy.context.scene.frame_set(1 + frame.index)
    for name in ("cube", "bar"):
        part = frame.parts[name]
        used = np.unique(pliant.surface(part.cells))
        assert np.array_equal(vertices(name), turned(part.points[used])), (frame.index, name)
addon.import_run({particles!r})
bpy.context.scene.frame_set(4)
bpy.ops.wm.save_as_mainfile(filepath={blend!r})
"""

CHECK = """
counts = []
for frame in pliant.Series({particles!r}):
    bpy.context.scene.frame_set(1 + frame.index)
    part = frame.parts.get("spout")  # nothing has come out at first
    points = part.points if part else np.zeros((0, 3))
    counts.append(len(points))
    assert np.array_equal(vertices("spout"), turned(points)), frame.index
assert counts[-1] > counts[0], counts
addon.unregister()
"""


class Blender(Folder):
    def blender(self, *arguments):
        environment = {name: value for name, value in os.environ.items()
                       if name != "MALLOC_PERTURB_"}  # Blender's own memory is not on trial
        done = subprocess.run(["blender", "-b", "--factory-startup", *map(str, arguments)],
                              env=environment, capture_output=True, text=True, timeout=250)
        return done.returncode, done.stdout + done.stderr

    def run_script(self, script, *before, **values):
        path = self.folder / "script.py"
        values.update(python=str(ROOT / "python"), addon=str(ADDON))
        path.write_text((BEGIN + script + "\nprint('all is well')\n").format(**values))
        code, said = self.blender(*before, "--python-exit-code", "1", "-P", path)
        self.assertEqual(code, 0, said)
        self.assertIn("all is well", said)

    def test_runs_come_in_as_they_are(self):
        run, particles, blend = (str(self.folder / name)
                                 for name in ("run", "particles", "all.blend"))
        pliant.run(two_bodies(), run)
        pliant.run(fountain(), particles)
        self.run_script(SIMULATE + IMPORT, scene=two_bodies(), run=run, particles=particles,
                        blend=blend)
        # another Blender opens the file: the add-on reads particles as the frame changes
        self.run_script("addon.register()\n" + CHECK, blend, particles=particles)

    def test_the_script_saves_and_says_what_is_wrong(self):
        pliant.run(common.cube(), self.folder / "run")
        code, said = self.blender("-P", ADDON, "--", self.folder / "run", "--save",
                                  self.folder / "out.blend", "--cache", self.folder / "cache")
        self.assertEqual(code, 0, said)
        self.assertIn("1 meshes, 0 sets of particles, frames 1 to 5", said)
        self.assertTrue((self.folder / "out.blend").is_file())
        self.assertTrue((self.folder / "cache" / "cube.pc2").is_file())
        code, said = self.blender("-P", ADDON, "--", self.folder / "none")
        self.assertNotEqual(code, 0)
        self.assertIn("pliant: ", said)


if __name__ == "__main__":
    if shutil.which("blender") is None:
        print("skipped: there is no Blender")
        sys.exit(77)
    main()
