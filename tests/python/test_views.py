# SPDX-License-Identifier: Apache-2.0
"""Arrays are the library's memory itself, and outlive every object that they came from."""
import gc
import threading
import unittest

from common import Folder, cube, fountain, main, run_python, snow

import numpy as np
import pliant
from pliant import _handles
from pliant._library import lib


def address(name, pointer):
    return getattr(lib.pli_state_get(pointer), name)


class Sharing(unittest.TestCase):
    def test_arrays_of_meshes_are_the_memory_of_the_library(self):
        sim = pliant.Simulation(cube())
        state = sim.state._pointer
        for name, array in (("positions", sim.positions),
                            ("velocities", sim.velocities),
                            ("forces", sim.forces)):
            self.assertEqual(array.ctypes.data, address(name, state))
        self.assertEqual(sim.bodies["cube"].positions.ctypes.data,
                         address("positions", state))
        x = sim.positions
        sim.step()
        self.assertIs(sim.positions, x)
        self.assertEqual(x.ctypes.data, address("positions", state))
        self.assertLess(x[:, 1].mean(), 2)

    def test_what_is_written_is_what_the_next_step_sees(self):
        moved, placed = pliant.Simulation(cube()), pliant.Simulation(cube())
        moved.positions[:, 0] += 5
        moved.bodies["cube"].velocities[3] = [0, 0, 1]
        placed.positions = placed.positions + [5, 0, 0]
        velocities = np.zeros((27, 3))
        velocities[3, 2] = 1
        placed.velocities = velocities
        moved.step(), placed.step()
        # velocities have an error of the tolerance, 1.8e-4 m/s, for 1/30 s
        self.assertAlmostEqual(moved.bodies["cube"].center[0], 5, delta=1.8e-4 / 30)
        self.assertEqual(moved.state.hash, placed.state.hash)

    def test_arrays_of_models_are_read_only(self):
        model = pliant.Simulation(cube()).model
        for array in (model.rest_positions, model.masses, model.tets):
            with self.assertRaises(ValueError):
                array[0] = 0

    def test_arrays_of_particles_are_the_memory_of_the_library(self):
        sim = pliant.Simulation(snow())
        sim.particles.velocities[:, 0] = 1
        self.assertTrue((sim.particles.velocities[:, 0] == 1).all())
        self.assertEqual(sim.particles.velocities.ctypes.data, sim.particles.velocities.ctypes.data)
        sim.step()
        self.assertAlmostEqual(sim.particles.velocities[:, 0].mean(), 1, 4)
        self.assertAlmostEqual(sim.particles.positions[:, 0].mean(), sim.dt, 3)
        with self.assertRaises(ValueError):
            sim.particles.ids[0] = 5


class Outliving(unittest.TestCase):
    def test_arrays_stay_readable_after_everything_is_gone(self):
        sim = pliant.Simulation(cube())
        sim.step()
        arrays = [sim.positions, sim.velocities, sim.model.rest_positions, sim.model.tets,
                  sim.bodies["cube"].positions[3:5]]
        copies = [array.copy() for array in arrays]
        sim.close()
        del sim
        gc.collect()
        pliant.Simulation(cube()).step()
        for array, copy in zip(arrays, copies):
            self.assertTrue(np.array_equal(array, copy))

    def test_memory_goes_with_the_last_array(self):
        released = []
        sim = pliant.Simulation(cube())
        resource = sim.state._resource
        destroy = resource._destroy
        resource._destroy = lambda pointer: (released.append(pointer), destroy(pointer))
        del resource
        part = sim.bodies["cube"].positions[5]
        sim.close()
        del sim
        gc.collect()
        self.assertEqual(released, [])
        del part
        gc.collect()
        self.assertEqual(len(released), 1)

    def test_contexts_go_last_even_in_cycles(self):
        order = []

        def watch(name, resource):
            destroy = resource._destroy
            resource._destroy = lambda pointer: (order.append(name), destroy(pointer))

        for _ in range(5):
            sim = pliant.Simulation(cube())
            watch("context", sim.scene._context)
            watch("model", sim.model._resource)
            watch("state", sim.state._resource)
            watch("solver", sim.solver._resource)
            sim.itself = sim
            sim.positions
            del sim
            gc.collect()
            self.assertEqual(order[-1], "context")
            self.assertGreater(order.index("model"), order.index("state"))
            self.assertGreater(order.index("model"), order.index("solver"))
            order.clear()

    def test_closed_objects_raise(self):
        sim = pliant.Simulation(cube())
        sim.close()
        for use in (sim.step, sim.measure, sim.frame, lambda: sim.positions, lambda: sim.time,
                    sim.state.copy, lambda: sim.state.release(), lambda: sim.state.hash,
                    lambda: sim.model.masses):
            self.assertRaises(pliant.ClosedError, use)
        with pliant.Simulation(cube()) as sim:
            sim.step()
        self.assertRaises(pliant.ClosedError, sim.step)

    def test_old_arrays_of_particles_show_what_was_then(self):
        for solver in ("explicit", "hot"):
            for scene in (snow, fountain):
                sim = pliant.Simulation(scene(solver))
                held = []
                for _ in range(3):
                    held.append((sim.particles.positions, sim.particles.positions.copy()))
                    sim.step()
                sim.close()
                for array, copy in held:
                    self.assertTrue(np.array_equal(array, copy))

    def test_holding_arrays_changes_no_result(self):
        for solver in ("explicit", "hot"):
            held, plain = pliant.Simulation(fountain(solver)), pliant.Simulation(fountain(solver))
            kept = []
            for _ in range(3):
                kept.append(held.particles.velocities)
                held.step()
                plain.step()
                self.assertEqual(held.state.hash, plain.state.hash)
            self.assertGreater(len(held.particles), len(kept[0]))

    def test_the_interpreter_ends_quietly_with_everything_open(self):
        code, out, err = run_python(
            "import pliant\n"
            "sim = pliant.Simulation('demo')\n"
            "x = sim.positions\nsim.step()\n"
            "sim.itself = sim\nsim.solver.set_monitor(print)\nprint('done')",
            MALLOC_PERTURB_="165")
        self.assertEqual((code, out.strip(), err), (0, "done", ""))


class Files(Folder):
    def test_arrays_of_loaded_frames_outlive_the_series(self):
        sim = pliant.Simulation(cube())
        with pliant.FrameWriter(self.folder) as writer:
            writer.add(sim)
        series = pliant.Series(self.folder)
        points = series[0].parts["cube"].points
        series.close()
        del series
        gc.collect()
        self.assertTrue(np.array_equal(points, sim.positions))


class Threads(unittest.TestCase):
    def test_a_state_that_is_in_use_is_refused(self):
        sim = pliant.Simulation(cube())
        inside, go_on = threading.Event(), threading.Event()

        def wait(_):
            inside.set()
            go_on.wait(60)

        sim.solver.set_monitor(wait)
        thread = threading.Thread(target=sim.step)
        thread.start()
        self.assertTrue(inside.wait(60))
        self.assertRaisesRegex(RuntimeError, "another thread", sim.step)
        self.assertRaisesRegex(RuntimeError, "another thread", sim.save, "unused")
        other = pliant.Solver(sim.model)
        self.assertRaisesRegex(RuntimeError, "another thread", other.step, sim.state)
        go_on.set()
        thread.join()
        self.assertEqual(sim.step_count, 1)

    def test_no_buffer_keeps_itself_alive(self):
        sim = pliant.Simulation(snow())
        resource = sim.state._resource
        x = sim.particles.positions[::2]
        self.assertTrue(resource.has_views())
        del x
        gc.collect()
        self.assertFalse(resource.has_views())
        self.assertIsInstance(resource, _handles.Resource)


if __name__ == "__main__":
    main()
