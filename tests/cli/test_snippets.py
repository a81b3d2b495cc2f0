#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""C that the guide on embedding shows compiles as it stands, and scenes in it are read.

Blocks of ```c are compiled one by one with every header of pliant before them, warnings as errors.
"""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["PLIANT_SOURCE"])
GUIDE = SOURCE / "docs/guide/embedding.md"
HEAD = "#include <math.h>\n#include <pliant/pliant.h>\n"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"),
                      re.MULTILINE | re.DOTALL)


class Snippets(unittest.TestCase):
    def test_every_block_of_c_compiles(self):
        found = blocks("c")
        self.assertGreaterEqual(len(found), 3)
        for text in found:
            with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
                file.write(HEAD + text)
                file.flush()
                # functions and tables that are shown are not used within the block
                command = [os.environ["PLIANT_COMPILER"], "-std=c17", "-Wall", "-Wextra", "-Wpedantic",
                           "-Werror", "-Wno-unused-function", "-Wno-unused-const-variable",
                           "-Wno-unused-variable", f"-I{SOURCE}/include", "-fsyntax-only", file.name]
                result = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual(result.returncode, 0, result.stderr + text)

    def test_the_program_refuses_own_shapes_in_the_words_of_the_guide(self):
        """The message that the guide shows is the one that the program gives."""
        own = next(text for text in blocks("yaml") if "my-ball" in text)
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder) / "mine.yaml"
            scene.write_text("materials: {m: {preset: rubber}}\n"
                             "bodies: {b: {geometry: {grid: {cells: [1, 1, 1]}}, material: m}}\n" + own,
                             encoding="utf-8")
            result = subprocess.run([os.environ["PLIANT"], "check", str(scene)], capture_output=True,
                                    text=True, check=False)
        self.assertEqual(result.returncode, 2)
        shown = re.search(r"colliders\.rock\.shape.*", GUIDE.read_text(encoding="utf-8")).group()
        self.assertIn(shown, result.stderr)


if __name__ == "__main__":
    unittest.main()
