#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What C would cut without a word is refused: numbers that do not fit, arrays of other shapes, NaN."""
import os
import tempfile
import unittest

import common
import numpy as np
import pliant
from pliant.frames import surface, write_png

HUGE = 2**40 + 5


class Limits(unittest.TestCase):
    def setUp(self):
        self.sim = pliant.Simulation(common.cube())
        self.addCleanup(self.sim.close)

    def test_grips_are_not_wrapped_or_filled_up(self):
        state, body = self.sim.state, self.sim.bodies["cube"]
        for vertex in (HUGE, -HUGE, 2**32, 2**63, -1, self.sim.model.vertex_count):
            with self.assertRaises((ValueError, IndexError), msg=vertex):
                state.grip(vertex, [1, 2, 3], 7)
            with self.assertRaises((ValueError, IndexError), msg=vertex):
                state.release(vertex)
        with self.assertRaises(IndexError):
            body.grip(HUGE, [1, 2, 3], 7)
        for target in ([1, 2], [1, 2, 3, 4], 5, [[1, 2, 3]], [1, 2, np.nan], [1, np.inf, 3]):
            with self.assertRaises(ValueError, msg=target):
                state.grip(5, target, 7)
        for stiffness in (np.nan, np.inf, -1):
            with self.assertRaises(ValueError, msg=stiffness):
                state.grip(5, [1, 2, 3], stiffness)
        for vertex in (1.5, "1", None):
            with self.assertRaises(TypeError, msg=vertex):
                body.grip(vertex, [1, 2, 3], 7)
        self.assertFalse(np.any(state.grip_stiffnesses))
        state.grip(np.int64(5), (1, 2, 3), 7)
        self.assertEqual(state.grip_stiffnesses[5], 7)

    def test_numbers_of_structs_are_not_wrapped(self):
        with tempfile.TemporaryDirectory() as folder:
            for options in ({"frames": 2**32 + 1}, {"steps": 2**64 + 1}, {"frames": -2**31 - 1}):
                with self.assertRaises(ValueError, msg=options):
                    pliant.run(common.cube(), os.path.join(folder, "out"), **options)
                self.assertEqual(os.listdir(folder), [])
            with self.assertRaises(ValueError):
                pliant.export(folder, folder, "ply", first=2**32)
        with self.assertRaises(ValueError):
            pliant.picture(self.sim, size=(2**32 + 64, 64))
        with self.assertRaises(ValueError):
            pliant.picture(self.sim, size=(64, 64), samples=2**32 + 1)
        with self.assertRaises(ValueError):
            pliant.set_threads(2**32 + 1)

    def test_arrays_are_not_cut_or_folded(self):
        with self.assertRaises(ValueError):
            surface(np.zeros((8, 3), int))
        with self.assertRaises(ValueError):
            surface([[0, 1, 2, 2**32 + 3]])
        with self.assertRaises(ValueError):
            surface([[0.5, 1, 2, 3]])
        self.assertEqual(len(surface([[0, 1, 2, 3]])), 4)
        self.assertEqual(len(surface([])), 0)
        with tempfile.TemporaryDirectory() as folder:
            for value in (256, -1, 0.5):
                with self.assertRaises(ValueError, msg=value):
                    write_png(os.path.join(folder, "a.png"), np.full((4, 4, 3), value))
        for value in (np.nan, [1, 2], np.zeros((2, 3))):
            with self.assertRaises(ValueError):
                self.sim.positions = value

    def test_a_pipe_in_the_place_of_steps_is_not_waited_for(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(os.path.join(folder, "steps.jsonl"))
            with self.assertRaises(OSError):
                pliant.read_steps(folder)


if __name__ == "__main__":
    common.main()
