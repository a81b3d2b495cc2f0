# SPDX-License-Identifier: Apache-2.0
"""Scenes from dicts, texts, files and names; changes; what is wrong is said where it is."""
import pickle
import unittest

import common
from common import ROOT, Folder, cube, main

import numpy as np
import pliant


class Making(Folder):
    def test_dict_text_and_file_are_the_same_scene(self):
        made = pliant.Scene(cube())
        parsed = pliant.Scene.parse(made.text())
        path = self.folder / "own.yaml"
        made.save(path)
        loaded = pliant.Scene.load(path)
        self.assertEqual(made.hash, parsed.hash)
        self.assertEqual(made.hash, loaded.hash)
        self.assertEqual((made.name, loaded.name), ("scene", "own"))
        self.assertIn("own", repr(loaded))
        self.assertIn("# ", made.text(comments=True))

    def test_every_shipped_scene_survives_the_way_through_a_dict(self):
        names = pliant.scenes()
        self.assertEqual(len(names), len(list((ROOT / "scenes").rglob("*.yaml"))))
        for name in names:
            scene = pliant.Scene.load(name)
            again = pliant.Scene(scene.to_dict(), name=name)
            self.assertEqual(scene.hash, again.hash, name)

    def test_former_names_of_scenes_give_a_warning(self):
        with self.assertWarnsRegex(FutureWarning, "'s4/map' is called 'rubber/map' now"):
            former = pliant.Scene.load("s4/map")
        self.assertEqual(former.hash, pliant.Scene.load("rubber/map").hash)
        self.assertNotIn("s4/map", pliant.scenes())

    def test_numbers_of_numpy_and_tuples_are_taken(self):
        plain = pliant.Scene(cube())
        scene = cube()
        scene["bodies"]["cube"]["position"] = np.array([0.0, 2.0, 0.0])
        numbers = {"young": np.float64(5e4), "density": np.int64(1000)}
        scene["materials"]["soft"] = dict(common.SOFT, **numbers)
        scene["bodies"]["cube"]["geometry"]["grid"]["size"] = (1, 1, 1)
        self.assertEqual(pliant.Scene(scene).hash, plain.hash)

    def test_only_dicts_make_scenes(self):
        with self.assertRaisesRegex(TypeError, "Scene.parse"):
            pliant.Scene("bodies: {}")

    def test_meshes_come_from_arrays(self):
        points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1 / 3]])
        scene = cube(gravity=[0, 0, 0])
        scene["bodies"]["cube"]["geometry"] = pliant.Mesh(points, tets=[[0, 1, 2, 3]])
        sim = pliant.Simulation(scene)
        self.assertTrue(np.array_equal(sim.positions, points + [0, 2, 0]))
        self.assertTrue(np.array_equal(sim.model.tets, [[0, 1, 2, 3]]))
        sheet = pliant.Mesh(points[:3], triangles=[[0, 1, 2]])
        sim = pliant.Simulation({"bodies": {"sheet": {
            "kind": "cloth", "geometry": sheet,
            "springs": {"stretch": 10, "bend": 1, "area_density": 0.2}}}})
        self.assertEqual(sim.model.triangle_count, 1)
        # the files are there for as long as the scene, so that its text can be read again
        again = pliant.Scene.parse(sim.scene.text(), allow_outside=True)
        self.assertEqual(again.hash, sim.scene.hash)

    def test_a_surface_from_arrays_is_a_shape(self):
        corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
        faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7],
                 [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
        scene = cube()
        scene["bodies"]["cube"]["geometry"] = {
            "fill": {"shape": pliant.Mesh(corners, triangles=faces), "vertices": 200}}
        sim = pliant.Simulation(scene)
        # a cube of a cubic metre; the lattice cuts its edges a little
        self.assertAlmostEqual(sim.model.mass, 1000, delta=100)


class Changing(unittest.TestCase):
    def test_set_changes_one_value(self):
        scene = pliant.Scene(cube())
        before = scene.hash
        self.assertIs(scene.set("materials.soft.young", 1e6), scene)
        self.assertEqual(scene.get("materials.soft.young"), 1e6)
        scene.set("bodies.cube.position[1]", 3).set("bodies.cube.velocity", np.array([1, 0, 0.5]))
        self.assertEqual(scene.get("bodies.cube.position"), [0, 3, 0])
        self.assertEqual(scene.get("bodies.cube.velocity[2]"), 0.5)
        scene.set("solver", "newton").set("colliders", {"ground": {"shape": "plane"}})
        self.assertEqual(scene.get("solver.name"), "newton")
        self.assertEqual(list(scene.get("colliders")), ["ground"])
        self.assertNotEqual(scene.hash, before)

    def test_numbers_have_units_and_are_painted(self):
        scene = pliant.Scene(cube()).set("materials.soft.young", "30 kPa")
        self.assertEqual(scene.get("materials.soft.young"), 30000)
        scene.set("materials.soft.young", {"expression": "1e5 * (2 + x)"})
        scene.set("materials.soft.poisson", {"keys": [[0, 0.3], ["1 s", "40 %"]]})
        self.assertEqual(scene.get("materials.soft.young"), {"expression": ["1e5 * (2 + x)"]})
        self.assertEqual(scene.get("materials.soft.poisson.keys[1].value"), 0.4)
        self.assertEqual(pliant.Scene(scene.to_dict()).hash, scene.hash)
        with self.assertRaisesRegex(pliant.SceneError, r"expected Pa \(stress\), found 'kg'"):
            scene.set("materials.soft.young", "3 kg")

    def test_a_wrong_change_leaves_the_scene_as_it_was(self):
        scene = pliant.Scene(cube())
        before = scene.hash
        with self.assertRaisesRegex(pliant.SceneError, "materials.soft.young"):
            scene.set("materials.soft.young", -1)
        with self.assertRaises(pliant.SceneError):
            scene.set("bodies.sphere.position", [0, 0, 0])
        self.assertEqual(scene.hash, before)
        scene.set("time.fps", 50)
        self.assertEqual(scene.get("time.fps"), 50)

    def test_models_keep_the_scene_they_were_made_from(self):
        scene = pliant.Scene(cube())
        sim = pliant.Simulation(scene)
        scene.set("time.fps", 60)
        self.assertEqual(sim.dt, 1 / 30)
        self.assertEqual(pliant.Model(scene).dt, 1 / 60)

    def test_get_says_what_is_not_there(self):
        with self.assertRaisesRegex(KeyError, "no 'time.foo'"):
            pliant.Scene(cube()).get("time.foo")
        with self.assertRaises(KeyError):
            pliant.Scene(cube()).get("bodies.cube.position[7]")


class Failing(Folder):
    def test_errors_have_file_line_and_column(self):
        with self.assertRaises(pliant.SceneError) as caught:
            pliant.Scene.parse("time:\n  fpss: 30\n", name="mine.yaml")
        error = caught.exception
        self.assertEqual((error.file, error.line, error.column), ("mine.yaml", 2, 3))
        self.assertIn("fps", str(error))
        self.assertTrue(error.origin)
        self.assertIsInstance(error, ValueError)
        self.assertIsInstance(error, pliant.Error)
        self.assertEqual(str(pickle.loads(pickle.dumps(error))), str(error))

    def test_each_status_is_an_exception_that_python_knows(self):
        pairs = {pliant.OutOfMemoryError: MemoryError, pliant.ArgumentError: ValueError,
                 pliant.SceneError: ValueError, pliant.MeshError: ValueError,
                 pliant.FileError: OSError, pliant.UnsupportedError: NotImplementedError,
                 pliant.NumericError: ArithmeticError, pliant.ClosedError: ValueError}
        for ours, known in pairs.items():
            self.assertTrue(issubclass(ours, known) and issubclass(ours, pliant.Error))
            self.assertEqual(str(ours("what is wrong")), "what is wrong")

    def test_missing_files_are_file_errors(self):
        with self.assertRaisesRegex(pliant.FileError, "neither a file nor the name"):
            pliant.Scene.load("no/such")
        scene = cube()
        scene["bodies"]["cube"]["geometry"] = {"file": "missing.msh"}
        with self.assertRaises(OSError) as caught:
            pliant.Scene(scene)
        self.assertIsInstance(caught.exception, pliant.FileError)

    def test_texts_that_are_not_utf8_are_scene_errors(self):
        path = self.folder / "bad.yaml"
        path.write_bytes(b"about: \xff\xfe\n")
        with self.assertRaisesRegex(pliant.SceneError, "bad.yaml:1:1"):
            pliant.Scene.load(path)

    def test_broken_meshes_are_mesh_errors(self):
        scene = cube()
        scene["bodies"]["cube"]["geometry"] = pliant.Mesh(np.zeros((4, 3)), tets=[[0, 1, 2, 9]])
        with self.assertRaises(pliant.MeshError):
            pliant.Simulation(scene)

    def test_what_a_solver_cannot_do_is_unsupported(self):
        with self.assertRaises(pliant.UnsupportedError):
            pliant.Simulation(cube(solver="lbfgs", contact="barrier"))

    def test_a_closed_scene_says_so(self):
        with pliant.Scene(cube()) as scene:
            pass
        for use in (scene.text, scene.to_dict, lambda: scene.hash,
                    lambda: scene.set("time.fps", 1), lambda: pliant.Model(scene)):
            self.assertRaises(pliant.ClosedError, use)
        self.assertIn("closed", repr(scene))


class Catalogs(unittest.TestCase):
    def test_lists_have_what_the_library_has(self):
        takes = {entry.name: entry.takes for entry in pliant.solvers()}
        self.assertEqual((takes["pd-multigrid"], takes["regional"]), ("meshes", "particles"))
        self.assertTrue(all(entry.doc and entry.source for entry in pliant.solvers()))
        laws = {law.name: law for law in pliant.materials()}
        self.assertEqual([key.key for key in laws["corotated"].inputs][:2], ["young", "poisson"])
        fibre = {key.key: key for key in laws["fibres"].inputs}["fibre"]
        self.assertEqual((fibre.components, fibre.fallback), (3, (0.0, 1.0, 0.0)))
        presets = {preset.name: preset for preset in pliant.presets()}
        self.assertEqual(presets["snow"].density, 400)
        self.assertIn("obj+pc2", pliant.export_formats())
        self.assertIn("CHOLMOD", pliant.build_info())

    def test_schema_has_the_keys_of_scenes(self):
        found = pliant.schema()["definitions"]["scene"]
        self.assertLessEqual({"bodies", "materials", "time", "solver"}, set(found["properties"]))

    def test_thread_counts_must_be_possible(self):
        self.assertRaises(ValueError, pliant.set_threads, -1)
        pliant.set_threads(10**6)
        self.addCleanup(pliant.set_threads, 0)
        self.assertRaises(pliant.ArgumentError, pliant.Scene, cube())


if __name__ == "__main__":
    main()
