#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Any number of threads gives the same bits, on a scene of every family: frames, states and what the
steps report (contacts, iterations, gaps, sums). Scenes are wide enough that loops have more blocks
than one worker takes; there are fewer processors than threads. The long test has wider scenes, more
steps, threads bound to processors, and repeats."""
import os

import common

COUNTS = (1, 2, 3, 4, 7, 16)
#                          sample  long
SIZES = {"tetrahedra": (8, 14), "barrier": (6, 10), "cloth": (6, 9), "subspace": (4, 8),
         "vertices": (3, 5), "regional": (2, 3), "implicit": (2, 4)}
FRAMES = 3 if common.LONG else 1
REPEATS = 20


class Threads(common.Fault):
    def results(self, scene, threads, **more):
        out = self.folder / "out"
        environment = dict(os.environ, **more)
        self.expect(0, "run", scene, "-o", out, "-q", "-f", "-j", threads, "--frames", FRAMES,
                    env=environment)
        return common.digests(out), common.read_steps(out)

    def test_thread_counts_give_the_same_bits(self):
        for family, sizes in SIZES.items():
            with self.subTest(family):
                scene = self.write_scene(family, sizes[common.LONG])
                wanted = self.results(scene, COUNTS[0])
                for threads in COUNTS[1:]:
                    self.assertEqual(self.results(scene, threads), wanted, f"{threads} threads")

    @common.unittest.skipUnless(common.LONG, "part of the long test")
    def test_binding_and_repeating_give_the_same_bits(self):
        for family, sizes in SIZES.items():
            with self.subTest(family):
                scene = self.write_scene(family, sizes[False])
                wanted = self.results(scene, 1)
                bound = {"OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}
                for threads in (1, 2, 4):
                    self.assertEqual(self.results(scene, threads, **bound), wanted, "bound")
                for repeat in range(REPEATS):
                    self.assertEqual(self.results(scene, 2 + repeat % 3), wanted, f"{repeat}")


if __name__ == "__main__":
    common.main()
