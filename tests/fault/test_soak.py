#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Very many steps: memory does not grow after it has warmed up, and time is the number of steps times
their length, not a sum that drifts. 100,000 steps in the long test; steps are counted in 64 bits."""
import os
import subprocess

import common

STEPS = int(os.environ.get("PLIANT_FAULT_STEPS", "100000" if common.LONG else "2000"))
FAMILIES = tuple(common.FAMILIES) if common.LONG else ("tetrahedra", "barrier")
# share of the memory after a tenth of the steps; or bytes, for programs as small as these, where an
# arena that grows once to the most contacts there are is more than that share. A block of the
# smallest size that is lost in every step of the long test is more than either
GROWTH = 0.01
FLOOR = 1 << 20


class Soak(common.Fault):
    def test_memory_does_not_grow_and_time_does_not_drift(self):
        for family in FAMILIES:
            with self.subTest(family):
                scene = self.write_scene(family, 1)
                # a tap would fill the room, and with it the memory
                text = scene.read_text()
                begin, end = text.find("emitters:"), text.find("time:")
                scene.write_text(text[:begin] + text[end:] if begin >= 0 else text)
                # steps of particles and of handles take ten to a hundred times as long
                steps = STEPS // 10 if family in ("implicit", "regional", "subspace") else STEPS
                done = subprocess.run([os.environ["PLIANT_SOAK"], scene, str(steps)], text=True,
                                      capture_output=True, timeout=3000)
                self.assertEqual(done.returncode, 0, done.stderr)
                rows = [line.split() for line in done.stdout.splitlines()]
                self.assertEqual([int(row[0]) for row in rows],
                                 [steps // 10 * k for k in range(1, 11)])
                first, last = int(rows[0][1]), int(rows[-1][1])
                print(f"{family}: {steps} steps, {first} bytes after a tenth, {last} at the end")
                self.assertLessEqual(last, first + max(GROWTH * first, FLOOR))
                for row in rows:
                    # one rounding of the product, whatever the number of steps
                    self.assertLessEqual(abs(float(row[2]) - float(row[3])),
                                         2.3e-16 * float(row[3]))


if __name__ == "__main__":
    common.main()
