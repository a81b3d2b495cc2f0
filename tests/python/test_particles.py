# SPDX-License-Identifier: Apache-2.0
"""Particles: reading, setting, emitters, what is not allowed."""
import math
import unittest

from common import fountain, main, snow

import numpy as np
import pliant


class Reading(unittest.TestCase):
    def test_particles_have_their_arrays(self):
        sim = pliant.Simulation(snow())
        particles = sim.particles
        n = len(particles)
        self.assertEqual((n, n), (sim.model.particle_count, len(particles.positions)))
        self.assertEqual([particles.velocities.shape, particles.affine.shape,
                          particles.deformation.shape, particles.history.shape],
                         [(n, 3), (n, 9), (n, 9), (n,)])
        self.assertEqual(len(set(particles.ids.tolist())), n)
        self.assertTrue(np.allclose(particles.J, 1))
        # a box of 0.2 m of 400 kg/m^3
        self.assertAlmostEqual(particles.masses.sum(), 400 * 0.008, 6)
        self.assertTrue((np.abs(particles.positions - [0, 0.5, 0]) <= 0.1).all())
        self.assertEqual(sim.model.kinds[0].source, "box")
        self.assertTrue(particles.of("box").all())
        self.assertRaisesRegex(KeyError, "there are box", particles.of, "ball")

    def test_fluid_that_is_pressed_has_the_volume_of_its_frames(self):
        for solver in ("explicit", "hot"):
            scene = snow(solver, gravity=[0, 0, 0], materials={"snow": {"preset": "water"}})
            scene["bodies"]["box"]["geometry"]["particles"]["stretch"] = {"fixed": [0.99] * 3}
            sim = pliant.Simulation(scene)
            self.assertTrue(np.allclose(sim.particles.J, 0.99**3, rtol=1e-12))
            sim.step()
            self.assertTrue(sim.model.kinds[0].is_fluid)
            # what is not yet undone after one step; the deformation itself is the identity
            self.assertGreater(np.abs(sim.particles.J - 1).max(), 1e-5)
            fields = sim.frame().parts["box"].fields
            # frames have single precision
            self.assertTrue(np.allclose(sim.particles.J, fields["J"], rtol=1e-6))

    def test_they_fall(self):
        for solver in ("explicit", "regional", "hot"):
            sim = pliant.Simulation(snow(solver))
            report = sim.step()
            # g h, exactly for a free body; explicit storage is in single precision
            self.assertAlmostEqual(sim.particles.velocities[:, 1].mean(), -9.81 * sim.dt, 4)
            self.assertEqual(report.implicit is None, solver != "hot")
            self.assertEqual(report.explicit is None, solver == "hot")

    def test_emitters_bring_more(self):
        sim = pliant.Simulation(fountain())
        before = len(sim.particles)
        sim.run(0.1)
        self.assertGreater(len(sim.particles), before)
        spout = sim.particles.of("spout")
        self.assertEqual(spout.sum(), len(sim.particles) - before)
        self.assertLess(sim.particles.velocities[spout, 1].max(), -1.5)
        frame = sim.frame()
        self.assertEqual(len(frame.parts["spout"].points), spout.sum())
        self.assertEqual(frame.parts["spout"].kind, "points")
        self.assertIsNone(frame.parts["spout"].cells)


class Setting(unittest.TestCase):
    def test_velocities_and_positions_can_be_set(self):
        for solver in ("explicit", "hot"):
            sim = pliant.Simulation(snow(solver, gravity=[0, 0, 0]))
            sim.particles.velocities = [1, 0, 0]
            sim.particles.positions += [0.05, 0, 0]
            start = sim.particles.positions[:, 0].mean()
            sim.step()
            # a body that flies freely keeps its velocity; single precision of explicit steps
            self.assertAlmostEqual(sim.particles.positions[:, 0].mean() - start, sim.dt, 5)
            self.assertRaises(pliant.ArgumentError, setattr, sim.particles, "velocities", math.nan)

    def test_particles_outside_of_the_domain_or_time_do_no_harm(self):
        for solver in ("explicit", "hot"):
            for value in (1e300, -5.0, math.nan, math.inf):
                for name in ("positions", "velocities", "deformation", "affine", "memory"):
                    sim = pliant.Simulation(snow(solver))
                    getattr(sim.particles, name)[7] = value
                    try:
                        report = sim.step()
                    except pliant.Error:
                        continue
                    finite = all(np.isfinite(getattr(sim.particles, part)).all()
                                 for part in ("positions", "velocities"))
                    self.assertTrue(finite or not report.accepted, (solver, name, value))

    def test_particles_have_neither_forces_nor_grips(self):
        sim = pliant.Simulation(snow())
        self.assertEqual(sim.forces.shape, (0, 3))
        self.assertRaisesRegex(pliant.ArgumentError, "particles cannot be held", sim.state.grip, 0,
                               [0, 0, 0], 1)
        self.assertEqual(sim.bodies, {})


if __name__ == "__main__":
    main()
