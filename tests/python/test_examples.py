# SPDX-License-Identifier: Apache-2.0
"""Every example runs, is short, and tells what it is there to tell."""
import os
import re
import subprocess
import sys

from common import ROOT, Folder, main

import numpy as np
import pliant

EXAMPLES = ROOT / "python" / "examples"


class Examples(Folder):
    def run_example(self, name, *arguments):
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"))
        done = subprocess.run([sys.executable, "-B", str(EXAMPLES / name), *map(str, arguments)],
                              env=environment, capture_output=True, text=True, timeout=200)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stderr)
        return done.stdout

    def test_first_steps_show_a_ball_that_bounces(self):
        out = self.run_example("first_steps.py")
        found = re.search(r"at ([\d.]+) m, then bounced to ([\d.]+) m", out)
        low, high = map(float, found.groups())
        self.assertTrue(0.1 < low < 0.2 < high < 1, out)
        self.assertNotIn("did not converge", out)

    def test_sweep_comes_near_the_theory_of_beams(self):
        out = self.run_example("sweep.py")
        rows = [list(map(float, re.findall(r"[\d.]+(?:e\+\d+)?", line)))
                for line in out.split("\n")[1:5]]
        self.assertEqual([row[0] for row in rows], [3e6, 1e7, 3e7, 1e8])
        for young, sag, theory in rows[2:]:
            # small sags; linear tetrahedra are a little stiff
            self.assertTrue(0.9 * theory < sag < theory, (young, sag, theory))

    def test_wind_blows_and_frames_are_written(self):
        out = self.run_example("wind.py", self.folder / "wind")
        self.assertIn("a gust from the side", out)
        series = pliant.Series(self.folder / "wind")
        self.assertEqual(len(series), 90)
        heights = [frame.parts["flag"].points[:, 1].mean() for frame in series]
        # a flag that nothing blew at would hang from its pole
        self.assertGreater(min(heights), -0.5)

    def test_snowball_is_packed_and_written(self):
        out = self.run_example("snowball.py", self.folder)
        self.assertGreater(float(re.search(r"(\d+) % of it was packed", out)[1]), 10)
        stored = np.load(self.folder / "snow.npz")
        count = len(stored["ids"])
        self.assertEqual(stored["positions"].shape, (count, 3))
        head, body = (self.folder / "snow.ply").read_bytes().split(b"end_header\n", 1)
        self.assertIn(f"element vertex {count}".encode(), head)
        self.assertEqual(len(body), count * 5 * 4)

    def test_drag_follows_the_hand_and_lets_go(self):
        out = self.run_example("drag.py", self.folder / "table.csv")
        self.assertEqual((out.count("held"), out.count("free")), (6, 3))
        rows = np.loadtxt(self.folder / "table.csv", delimiter=",", skiprows=1)
        self.assertEqual(rows.shape, (90, 9))
        self.assertTrue(np.isfinite(rows).all())
        self.assertGreater(rows[:60, 4].min(), 0)  # the spring of the hand
        self.assertEqual(rows[60:, 4].max(), 0)

    def test_run_report_tells_of_a_run(self):
        out = self.run_example("run_report.py")
        self.assertIn("done: 30 steps", out)
        self.assertIn("assembly", out)
        self.assertIn("in 31 frames", out)

    def test_examples_are_short(self):
        names = sorted(path.name for path in EXAMPLES.glob("*.py"))
        self.assertEqual(names, ["drag.py", "first_steps.py", "run_report.py", "snowball.py",
                                 "sweep.py", "wind.py"])
        for name in names:
            self.assertLess(len((EXAMPLES / name).read_text().split("\n")), 80, name)


if __name__ == "__main__":
    main()
