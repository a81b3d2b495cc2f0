#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed at random moments, again and again, and resumed every time: they end with the
bits of a run that nobody disturbed, and nothing half written ever has a final name.

PLIANT_FAULT_KILLS is how many kills there are in all."""
import os
import re
import time

import common

# as many as a test of every day has time for; the long one has every family
FAMILIES = tuple(common.FAMILIES) if common.LONG else ("barrier", "regional")
KILLS = int(os.environ.get("PLIANT_FAULT_KILLS", "200" if common.LONG else "12"))


class Kills(common.Fault):
    on_disk = True

    def prepare(self, family):
        """An undisturbed run, and how long it takes."""
        self.scene = self.write_scene(family, 1)
        self.options = ["run", self.scene, "--frames", 12, "-q"]
        begun = time.monotonic()
        self.expect(0, *self.options, "-o", "whole")
        self.duration = time.monotonic() - begun
        self.whole = self.folder / "whole"

    def expect_nothing_half(self, out):
        """Every final name in the folder is of a whole file."""
        for path in (out / "frames").glob("*.vt[up]") if (out / "frames").exists() else []:
            self.assertTrue(common.is_whole_frame(path), f"{path} is half a frame")
            whole = self.whole / "frames" / path.name
            self.assertEqual(path.read_bytes(), whole.read_bytes(), f"{path} differs")
        for path in (out / "checkpoint").glob("step_*.h5") if (out / "checkpoint").exists() else []:
            text = path.read_bytes()[:512].decode("ascii", "replace")
            size = re.search(r"bytes (\d+)\n", text)
            self.assertTrue(size, f"{path} has no head")
            self.assertEqual(int(size[1]), path.stat().st_size, f"{path} is half a checkpoint")

    def kill_once(self, out):
        """Runs or resumes, and kills at a random moment; false when the run was done before."""
        process = self.start(*self.options, "-o", out, "--resume")
        time.sleep(self.random.uniform(0, self.duration))
        process.kill()
        code, _, err = self.end(process)
        self.assertNotIn("refused", err)
        if code == -9:
            self.expect_nothing_half(out)
            return True
        self.assertEqual(code, 0, err)
        return False

    def disturb(self, out, most):
        """Kills a run up to so many times, then lets it end; returns how often it was killed."""
        kills = 0
        while kills < most and self.kill_once(out):
            kills += 1
        _, err = self.expect(0, *self.options, "-o", out, "--resume")
        self.assertNotIn("refused", err)
        return kills

    def expect_same(self, out):
        self.assertEqual(common.digests(out), common.digests(self.whole))
        self.assertEqual(common.read_steps(out), common.read_steps(self.whole))
        self.assertEqual(common.leftovers(out), [])

    def test_killed_runs_end_with_the_same_bits(self):
        for index, family in enumerate(FAMILIES):
            with self.subTest(family):
                self.prepare(family)
                wanted = (KILLS * (index + 1)) // len(FAMILIES) - (KILLS * index) // len(FAMILIES)
                kills = runs = 0
                while kills < wanted:
                    out = self.folder / f"{family}_{runs}"
                    kills += self.disturb(out, min(5, wanted - kills))
                    self.expect_same(out)
                    common.shutil.rmtree(out)
                    runs += 1
                print(f"{family}: {kills} kills in {runs} runs")
                common.shutil.rmtree(self.whole)

    def test_killed_while_it_begins_anew_by_force(self):
        """The old run is gone or whole, never mixed with the new one."""
        self.prepare("tetrahedra")
        for kill in range(max(2, KILLS // 12)):
            out = self.folder / "forced"
            self.expect(0, "run", self.scene, "-q", "-o", out, "--frames", 3, "-f")
            process = self.start(*self.options, "-o", out, "--force")
            time.sleep(self.random.uniform(0, self.duration / 2))
            process.kill()
            self.end(process)
            self.expect_nothing_half(out)
            self.expect(0, *self.options, "-o", out, "--resume")
            self.expect_same(out)


if __name__ == "__main__":
    common.main()
