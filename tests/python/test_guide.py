# SPDX-License-Identifier: Apache-2.0
"""Every piece of Python in docs/guide/python.md runs, one after the other as a reader would."""
import contextlib
import io
import re
import unittest

from common import ROOT, main

import pliant

GUIDE = ROOT / "docs" / "guide" / "python.md"


class Guide(unittest.TestCase):
    def test_the_pieces_run_in_order(self):
        text = GUIDE.read_text(encoding="utf-8")
        fences = re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        pieces = [(text.count("\n", 0, found.start()) + 1, found[1]) for found in fences]
        self.assertGreater(len(pieces), 10)
        names = {"__name__": "guide"}
        said = io.StringIO()
        for line, piece in pieces:
            with self.subTest(line=line), contextlib.redirect_stdout(said):
                exec(compile("\n" * line + piece, str(GUIDE), "exec"), names)
        self.assertIn("mine.yaml:1:8: time: unknown key 'fsp'", said.getvalue())

    def test_all_that_is_public_has_a_docstring_and_what_matters_is_in_the_guide(self):
        text = GUIDE.read_text(encoding="utf-8")
        for name in pliant.__all__:
            thing = getattr(pliant, name)
            if callable(thing):
                self.assertTrue(thing.__doc__, name)
                for member, value in vars(thing).items() if isinstance(thing, type) else ():
                    if not member.startswith("_") and (callable(value)
                                                       or isinstance(value, property)):
                        self.assertTrue(value.__doc__, f"{name}.{member}")
        for name in ("Scene", "Simulation", "Model", "State", "Solver", "Mesh", "FrameWriter",
                     "Series", "run", "export", "picture", "read_steps", "set_threads"):
            self.assertIn(name, text)

    def test_every_exception_is_in_the_guide(self):
        text = GUIDE.read_text(encoding="utf-8")
        for name in pliant.__all__:
            thing = getattr(pliant, name)
            if isinstance(thing, type) and issubclass(thing, pliant.Error):
                self.assertIn(f"{name}`", text)


if __name__ == "__main__":
    main()
