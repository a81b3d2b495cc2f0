#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ten minutes of the guide go as they are written: its scene, its commands, what they print."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

GUIDE = (pathlib.Path(os.environ["PLIANT_SOURCE"]) / "docs/guide/first-steps.md").read_text("utf-8")
TEN_MINUTES = GUIDE[GUIDE.index("## Ten minutes"):GUIDE.index("## Look")]
LINES = [line[4:] for line in TEN_MINUTES.splitlines() if line.startswith("    ")]
SCENE = re.search(r"^```yaml\n(.*?)^```$", TEN_MINUTES, re.MULTILINE | re.DOTALL).group(1)


def typed(beginning):
    """The one command of the page that begins so, without its comment."""
    found = [line.split(" #")[0].strip() for line in LINES if line.startswith(beginning)]
    assert len(found) == 1, (beginning, found)
    return found[0]


class TenMinutes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="pliant_test.")
        (pathlib.Path(cls.folder) / "mine.yaml").write_text(SCENE, encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def shell(self, command, code=0):
        path = os.path.dirname(os.environ["PLIANT"]) + os.pathsep + os.environ["PATH"]
        result = subprocess.run(command, shell=True, cwd=self.folder, env=dict(os.environ, PATH=path),
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stdout + result.stderr

    def test_1_check_says_what_the_page_says(self):
        said = self.shell(typed("pliant check"))
        for line in LINES:
            if line.startswith("# "):
                self.assertIn(line, said)

    def test_2_a_misspelt_key_is_found(self):
        wrong = pathlib.Path(self.folder) / "wrong.yaml"
        wrong.write_text(SCENE.replace("young", "yuong"), encoding="utf-8")
        said = self.shell("pliant check wrong.yaml", 2)
        line = next(line for line in LINES if "yuong" in line)
        begin, end = line.removeprefix("mine.yaml").split("...")
        self.assertIn(begin.strip(), said)
        self.assertIn(end.strip(), said)

    def test_3_the_scene_runs_and_can_be_drawn(self):
        self.assertIn("pliant run mine.yaml", LINES)
        self.assertIn("done: 45 frames", self.shell("pliant run mine.yaml"))
        if "pictures on" in self.shell("pliant --version"):
            self.assertIn("wrote mine.png", self.shell(typed("pliant render")))

    def test_4_it_can_be_changed_from_the_command_line(self):
        self.shell(typed("pliant run mine.yaml -o out/stiff") + " --frames 2")
        shipped = (pathlib.Path(os.environ["PLIANT_SOURCE"]) / "scenes").rglob("*.yaml")
        listed = self.shell(typed("pliant scenes  ")).splitlines()
        self.assertEqual(len(listed), len(list(shipped)))
        self.shell(typed("pliant scenes cloth/ball-drop"))
        self.shell("pliant check cloth.yaml")


if __name__ == "__main__":
    unittest.main()
