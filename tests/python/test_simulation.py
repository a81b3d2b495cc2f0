# SPDX-License-Identifier: Apache-2.0
"""The four objects and the usual loop: reports, bodies, setting, pushing, gripping, copies."""
import logging
import math
import threading
import unittest

from common import Folder, cube, main, two_bodies

import numpy as np
import pliant

G = 9.81


class Stepping(unittest.TestCase):
    def test_a_free_body_falls_as_it_should(self):
        sim = pliant.Simulation(cube())
        for k in range(1, 4):
            report = sim.step()
            self.assertEqual((report.step, sim.step_count), (k, k))
            self.assertAlmostEqual(sim.time, k / 30, 14)
            self.assertEqual(report.time, sim.time)
        # implicit Euler adds h g in every step: the velocity is exact, the fall h^2 g (1 + 2 + 3)
        self.assertAlmostEqual(sim.velocities[:, 1].mean(), -G * 3 / 30, 9)
        self.assertAlmostEqual(sim.bodies["cube"].center[1], 2 - G * 6 / 900, 9)

    def test_a_report_has_what_the_step_did(self):
        sim = pliant.Simulation(cube(solver="newton"))
        report = sim.step()
        self.assertTrue(report.converged and report.accepted)
        self.assertEqual((report.solver, report.stop), ("newton", "gradient"))
        self.assertLessEqual(report.residual, report.tolerance)
        self.assertAlmostEqual(report.momentum[1], -sim.model.mass * G / 30, 6)
        self.assertAlmostEqual(report.energy.kinetic, sim.model.mass * (G / 30) ** 2 / 2, 6)
        self.assertAlmostEqual(sum(report.energy[:-1]), report.energy.total, 9)
        self.assertAlmostEqual(report.min_J, 1, 9)
        self.assertAlmostEqual(sum(report.phases.values()), report.seconds, delta=report.seconds)
        self.assertEqual((report.vertices, report.inverted, report.collides), (27, 0, False))
        self.assertIsNone(report.explicit)
        with self.assertWarnsRegex(FutureWarning, "'grid' is called 'implicit' now"):
            self.assertIsNone(report.grid)
        self.assertEqual(sim.measure().energy, report.energy)

    def test_loads_and_cavities_are_in_model_and_report(self):
        scene = {"materials": {"skin": {"law": "neo-hookean", "density": 1000, "young": 1e5, "poisson": 0.3}},
                 "bodies": {"box": {"kind": "shell", "geometry": {"grid": {"cells": [1, 1, 1]}},
                                    "material": "skin"}},
                 "loads": [{"body": "box", "force": [0, 3, 0]}],
                 "cavities": {"air": {"body": "box", "content": {"gas": {"pressure": 10}}}},
                 "contact": "none", "gravity": [0, 0, 0], "time": {"fps": 60}}
        sim = pliant.Simulation(scene)
        (load,) = sim.model.loads
        self.assertEqual((load.kind, load.vertex_count), ("force", 8))
        self.assertAlmostEqual(load.force[1], 3, 12)
        report = sim.step()
        self.assertAlmostEqual(report.momentum[1], 3 / 60, 6)
        self.assertLess(report.energy.load, 0)
        air = report.cavities["air"]
        self.assertGreater(air.volume, 1)
        self.assertAlmostEqual((air.pressure + 101325) * air.volume ** 1.4 / 101335, 1, 10)

    def test_not_converging_is_in_the_report(self):
        scene = cube(solver={"name": "newton", "max_iterations": 1, "tolerance": 1e-12})
        scene["bodies"]["cube"]["start"] = {"stretched": {"scale": [3, 0.5, 1]}}
        report = pliant.Simulation(scene).step()
        self.assertFalse(report.converged)
        self.assertEqual((report.stop, report.accepted), ("iterations", True))

    def test_numbers_that_are_not_finite_reject_the_step(self):
        for name in ("velocities", "positions", "forces"):
            sim = pliant.Simulation(two_bodies())
            getattr(sim, name)[3, 1] = math.nan
            report = sim.step()
            self.assertFalse(report.accepted or report.converged, name)
            self.assertEqual((report.stop, sim.step_count), ("nonfinite", 0))

    def test_frames_are_made_of_steps(self):
        sim = pliant.Simulation(cube(time={"fps": 10, "frames": 3, "steps_per_frame": 2}))
        reports = list(sim.frames())
        self.assertEqual([report.step for report in reports], [2, 4, 6])
        self.assertEqual([report.step for report in sim.frames(1)], [8])
        sim.reset()
        self.assertEqual((sim.step_count, sim.time), (0, 0))
        last = sim.run(0.3)
        self.assertEqual((last.step, sim.step_count), (6, 6))
        self.assertIsNone(sim.run(0))

    def test_results_do_not_depend_on_the_number_of_threads(self):
        hashes = set()
        for count in (1, 2, 4):
            pliant.set_threads(count)
            sim = pliant.Simulation("demo")
            sim.step()
            hashes.add(sim.state.hash)
        pliant.set_threads(0)
        self.assertEqual(len(hashes), 1)

    def test_log_lines_go_to_logging(self):
        scene = cube(colliders={"ground": {"shape": "plane"}})
        scene["bodies"]["cube"]["position"] = [0, 0.2, 0]
        scene["checks"] = {"collider_overlap": "warning"}
        with self.assertLogs("pliant", logging.WARNING) as caught:
            pliant.Simulation(scene)
        self.assertIn("cube", "".join(caught.output))

    def test_monitors_hear_iterations_and_may_raise(self):
        sim = pliant.Simulation(two_bodies())
        sim.velocities[:, 0] = 1
        heard = []
        sim.solver.set_monitor(heard.append)
        report = sim.step()
        self.assertEqual([line["iteration"] for line in heard], list(range(report.iterations + 1)))
        self.assertEqual(heard[-1]["residual"], report.residual)

        def fail(_):
            raise ZeroDivisionError("from inside")

        before = sim.state.hash
        sim.solver.set_monitor(fail)
        self.assertRaisesRegex(ZeroDivisionError, "from inside", sim.step)
        self.assertEqual(sim.state.hash, before)
        sim.solver.set_monitor(None)
        self.assertTrue(sim.step().converged)

    def test_reports_without_measuring_have_no_energies(self):
        sim = pliant.Simulation(cube())
        sim.solver.set_measuring(False)
        self.assertTrue(math.isnan(sim.step().energy.total))

    def test_repr_says_what_it_is(self):
        sim = pliant.Simulation(two_bodies())
        self.assertEqual(repr(sim), "<pliant.Simulation 'scene': 47 vertices, 0 s>")
        self.assertEqual(repr(sim.bodies["bar"]), "<pliant.Body 'bar': 20 vertices>")
        self.assertIn("0 steps", repr(sim.state))


class Bodies(unittest.TestCase):
    def test_a_body_is_its_part_of_the_arrays(self):
        sim = pliant.Simulation(two_bodies())
        box, bar = sim.bodies["cube"], sim.bodies["bar"]
        self.assertEqual((box.vertex_count, bar.vertex_count), (27, 20))
        self.assertTrue(np.array_equal(np.vstack([box.positions, bar.positions]), sim.positions))
        self.assertAlmostEqual(box.masses.sum(), 1000, 9)
        self.assertAlmostEqual(bar.masses.sum(), 500, 9)
        self.assertEqual(len(box.tets) + len(bar.tets), sim.model.tet_count)
        self.assertEqual((bar.tets.min(), bar.tets.max()), (0, 19))
        self.assertTrue(np.allclose(box.center, [0, 2, 0], atol=1e-12))
        # a box of 2 x 2 x 2 cells has 24 squares around it, of two triangles each
        self.assertEqual(box.triangles.shape, (48, 3))

    def test_surfaces_look_outwards(self):
        body = pliant.Simulation(cube()).bodies["cube"]
        a, b, c = (body.positions[body.triangles[:, k]] for k in range(3))
        volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6
        self.assertAlmostEqual(volume, 1, 12)

    def test_fields_are_those_of_frames(self):
        sim = pliant.Simulation(two_bodies())
        sim.bodies["cube"].velocities = [1, 2, 3]
        fields = sim.bodies["cube"].fields
        self.assertTrue(np.array_equal(fields["velocity"], np.tile([1.0, 2, 3], (27, 1))))
        self.assertTrue(np.allclose(fields["J"], 1, atol=1e-12))
        frame = sim.frame()
        self.assertEqual(list(frame.parts), ["cube", "bar"])
        part = frame.parts["bar"]
        self.assertEqual((part.kind, part.role, part.units["velocity"], part.places["J"]),
                         ("tets", "body", "m/s", "cell"))
        self.assertEqual((frame.index, frame.step, frame.time), (0, 0, 0))
        self.assertIn("bar", repr(frame) + repr(part))

    def test_cloth_has_triangles(self):
        sim = pliant.Simulation({"bodies": {"sheet": {
            "kind": "cloth", "geometry": {"sheet": {"columns": 3, "rows": 2}},
            "springs": {"stretch": 10, "bend": 1, "area_density": 0.2}}}})
        self.assertEqual(sim.bodies["sheet"].triangles.shape, (12, 3))
        self.assertEqual(sim.bodies["sheet"].tets.shape, (0, 4))


class Acting(unittest.TestCase):
    def test_assigning_copies_and_checks(self):
        sim = pliant.Simulation(two_bodies())
        sim.bodies["bar"].velocities = [0, 1, 0]
        self.assertTrue((sim.velocities[:27] == 0).all() and (sim.velocities[27:, 1] == 1).all())
        sim.positions = sim.positions + [1, 0, 0]
        self.assertAlmostEqual(sim.bodies["cube"].center[0], 1, 12)
        sim.velocities = 0
        self.assertFalse(sim.velocities.any())
        for name in ("positions", "velocities", "forces"):
            with self.assertRaisesRegex(pliant.ArgumentError, f"{name} must be finite"):
                setattr(sim, name, math.inf)
        with self.assertRaises(ValueError):
            sim.positions = np.zeros((5, 3))
        sim.bodies["cube"].velocities += [0, 0, 2]
        self.assertTrue((sim.velocities[:27, 2] == 2).all())

    def test_forces_push_until_they_are_changed(self):
        sim = pliant.Simulation(two_bodies())
        sim.bodies["cube"].forces[:, 0] = sim.bodies["cube"].masses
        first, second = sim.step(), sim.step()
        self.assertAlmostEqual(first.momentum[0], 1000 / 30, 5)
        self.assertAlmostEqual(second.momentum[0], 2000 / 30, 5)
        sim.forces = 0
        self.assertAlmostEqual(sim.step().momentum[0], 2000 / 30, 5)
        # of 1000 kg at rest against 2 h^2, and the bar stands still
        self.assertAlmostEqual(sim.bodies["cube"].center[0], (1 + 2 + 2) / 900, 9)
        self.assertTrue(np.allclose(sim.bodies["bar"].positions, sim.bodies["bar"].rest_positions))

    def test_grips_pull_vertices_of_a_body(self):
        sim = pliant.Simulation(two_bodies())
        bar = sim.bodies["bar"]
        tip = int(np.argmax(bar.positions.sum(axis=1)))
        target = bar.positions[tip] + [0, 0.5, 0]
        bar.grip(tip, target, 500)
        self.assertEqual(sim.state.grip_stiffnesses[27 + tip], 500)
        self.assertTrue(np.array_equal(sim.state.grip_targets[27 + tip], target))
        report = sim.run(1)
        self.assertGreater(bar.positions[tip, 1], 0.3)
        self.assertGreater(report.energy.attachment, 0)
        bar.release(tip)
        self.assertFalse(sim.state.grip_stiffnesses.any())
        bar.grip(-1, target, 1)
        self.assertEqual(sim.state.grip_stiffnesses[46], 1)
        bar.release()
        sim.state.grip(3, [0, 0, 0], 7)
        sim.state.release()
        self.assertFalse(sim.state.grip_stiffnesses.any())

    def test_bad_grips_are_refused(self):
        sim = pliant.Simulation(two_bodies())
        with self.assertRaises(IndexError):
            sim.bodies["bar"].grip(20, [0, 0, 0], 1)
        with self.assertRaisesRegex(pliant.ArgumentError, "stiffness -1"):
            sim.state.grip(0, [0, 0, 0], -1)
        with self.assertRaises(pliant.ArgumentError):
            sim.state.grip(47, [0, 0, 0], 1)


class States(Folder):
    def test_copies_go_their_own_way(self):
        sim = pliant.Simulation(cube())
        sim.step()
        other = sim.state.copy()
        self.assertEqual(other.hash, sim.state.hash)
        sim.step()
        self.assertNotEqual(other.hash, sim.state.hash)
        sim.solver.step(other)
        self.assertEqual(other.hash, sim.state.hash)

    def test_checkpoints_bring_back_everything(self):
        sim = pliant.Simulation(two_bodies())
        sim.forces[5] = [1, 2, 3]
        sim.bodies["bar"].grip(3, [0, 1, 0], 10)
        sim.step()
        sim.save(self.folder)
        before = sim.state.hash
        expected = [sim.step() and sim.state.hash for _ in range(2)]
        other = pliant.Simulation(two_bodies())
        other.load(self.folder)
        self.assertEqual(other.state.hash, before)
        self.assertEqual([other.step() and other.state.hash for _ in range(2)], expected)
        sim.load(self.folder)
        self.assertEqual(sim.state.hash, before)
        with self.assertRaises(pliant.SceneError):
            pliant.Simulation(cube()).load(self.folder)
        with self.assertRaises(pliant.FileError):
            sim.load(self.folder / "none")

    def test_writing_ends_the_history_of_bdf2(self):
        def simulate(kick):
            sim = pliant.Simulation(cube(time={"fps": 30, "frames": 1, "integrator": "bdf2"}))
            sim.velocities[:, 0] = np.linspace(0, 1, 27)
            sim.step(), sim.step()
            kick(sim)
            sim.step(), sim.step()
            return sim.state.hash

        def write(sim):
            sim.velocities[:, 1] += 1

        def assign(sim):
            velocities = sim.velocities.copy()
            velocities[:, 1] += 1
            sim.velocities = velocities

        def by_stealth(sim):
            sim.velocities[:, 1] += 1
            sim.state._remember()

        self.assertEqual(simulate(write), simulate(assign))
        self.assertNotEqual(simulate(write), simulate(by_stealth))
        # reading is not writing
        self.assertEqual(simulate(lambda sim: sim.velocities.sum()), simulate(lambda sim: None))

    def test_mixed_up_models_are_refused(self):
        one, two = pliant.Simulation(cube()), pliant.Simulation(cube())
        with self.assertRaises(pliant.ArgumentError):
            one.solver.step(two.state)
        with self.assertRaises(pliant.ArgumentError):
            one.state.copy_from(two.state)

    def test_arrays_have_the_names_of_checkpoints(self):
        sim = pliant.Simulation(cube())
        arrays = sim.state.arrays()
        self.assertLessEqual({"positions", "velocities", "forces", "grip_targets", "step"},
                             set(arrays))
        self.assertIs(arrays["positions"], sim.positions)
        self.assertEqual(sim.state.contact_forces.shape, (27, 3))
        self.assertEqual(sim.bodies["cube"].contact_forces.shape, (27, 3))


class Models(unittest.TestCase):
    def test_figures_are_attributes(self):
        model = pliant.Model(pliant.Scene(two_bodies()))
        self.assertEqual((model.vertex_count, model.body_count, model.has_particles),
                         (47, 2, False))
        self.assertEqual(model.info["mass"], model.mass)
        self.assertEqual([tuple(body) for body in model.bodies], [("cube", 0, 27), ("bar", 27, 20)])
        self.assertIn("tolerance", dir(model))
        self.assertIsNone(pliant.State(model).particles)
        with self.assertRaises(AttributeError):
            model.nonsense

    def test_one_model_serves_many_threads(self):
        model = pliant.Model(pliant.Scene(cube()))
        hashes = []

        def work():
            state, solver = pliant.State(model), pliant.Solver(model)
            for _ in range(3):
                solver.step(state)
            hashes.append(state.hash)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(hashes), 4)
        self.assertEqual(len(set(hashes)), 1)


if __name__ == "__main__":
    main()
