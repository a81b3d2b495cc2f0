#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The walks of the guide for artists, researchers and engineers go as they are written.

Each page is read from top to bottom in a folder of its own. A fence that names a file, such as ```yaml toy.yaml, is that
file from there on; a block of ```sh is run line by line, and every command has to succeed; what stands in a block of ```text
right after one has to be said by it, line by line, where ... stands for anything. A word behind sh says what its commands need
that a build or a machine may not have: pictures, film, modes or python; such blocks are left out where it is missing.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["PLIANT_SOURCE"])
BUILD = os.path.dirname(os.environ["PLIANT"])
FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def environment():
    # the system's Python is the one that has numpy
    paths = {"PATH": os.pathsep.join([BUILD, "/usr/bin", os.environ["PATH"]]), "PYTHONPATH": str(SOURCE / "python"),
             "PYTHONDONTWRITEBYTECODE": "1"}
    return dict(os.environ, **paths)


def run(command, folder):
    return subprocess.run(command, shell=True, cwd=folder, env=environment(), capture_output=True, text=True,
                          check=False)


def abilities():
    """What this build and this machine can do beyond the rest."""
    can = {None}
    if "pictures on" in run("pliant --version", ".").stdout:
        can.add("pictures")
        if shutil.which("ffmpeg"):
            can.add("film")
    if "ARPACK on" in run("pliant --version", ".").stdout:
        can.add("modes")
    if run("python3 -c 'import numpy, pliant; pliant.Scene.load(\"demo\")'", ".").returncode == 0:
        can.add("python")
    return can


def pattern(line):
    """A line of the page as a regular expression: blanks are alike, and ... is anything."""
    words = [".*".join(re.escape(part) for part in word.split("...")) for word in line.split()]
    return re.compile(r"\s+".join(words))


class Walkthroughs(unittest.TestCase):
    def walk(self, page):
        text = (SOURCE / "docs/guide" / page).read_text(encoding="utf-8")
        can, said, commands = abilities(), None, 0
        with tempfile.TemporaryDirectory(prefix="pliant_test.") as folder:
            for language, word, block in FENCE.findall(text):
                word = word or None
                if language == "sh":
                    said = ""
                    if word not in can:
                        said = None
                        continue
                    for command in block.splitlines():
                        result = run(command, folder)
                        self.assertEqual(result.returncode, 0, f"{page}: {command}\n{result.stdout}{result.stderr}")
                        said += result.stdout + result.stderr
                        commands += 1
                elif language == "text" and said is not None:
                    for line in filter(str.strip, block.splitlines()):
                        self.assertRegex(said, pattern(line), f"{page}: {line}")
                elif word is not None:
                    (pathlib.Path(folder) / word).write_text(block, encoding="utf-8")
        self.assertGreaterEqual(commands, 6)

    def test_artists(self):
        self.walk("for-artists.md")

    def test_researchers(self):
        self.walk("for-researchers.md")

    def test_engineers(self):
        self.walk("for-engineers.md")


if __name__ == "__main__":
    unittest.main()
