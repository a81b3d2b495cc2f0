#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Very many steps: memory does not grow after it has warmed up, and time is the number of steps times
their length, not a sum that drifts. 100,000 steps in the long test; steps are counted in 64 bits."""
import os
import subprocess

import common

STEPS = int(os.environ.get("PLIANT_FAULT_STEPS", "100000" if common.LONG else "2000"))
FAMILIES = tuple(common.FAMILIES) if common.LONG else ("tetrahedra", "barrier")
# share of what is held once it is warm: after a tenth of the steps, and after the most contacts there
# ever were, by which some arrays are sized
GROWTH = 0.01


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
                rows = [line.split() for line in done.stdout.splitlines()[1:]]
                self.assertEqual([int(row[0]) for row in rows],
                                 [steps // 10 * k for k in range(1, 11)])
                resident, blocks, held, contacts = ([int(row[k]) for row in rows] for k in (1, 2, 3, 6))
                print(f"{family}: {steps} steps, resident {resident}, held {held} in {blocks} blocks, "
                      f"most contacts {contacts}\n{done.stderr}")
                self.assertEqual(set(blocks), {blocks[0]}, done.stderr)
                warm = contacts.index(contacts[-1])
                self.assertLessEqual(held[-1], (1 + GROWTH) * held[warm], done.stderr)
                self.assertLessEqual(resident[-1], (1 + GROWTH) * resident[warm], done.stderr)
                for row in rows:
                    # one rounding of the product, whatever the number of steps
                    self.assertLessEqual(abs(float(row[4]) - float(row[5])),
                                         2.3e-16 * float(row[5]))


if __name__ == "__main__":
    common.main()
