# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python module share: where things are, small scenes, a main that skips."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLIANT_BUILD", ROOT / "build"))
PROGRAM = os.environ.get("PLIANT", str(BUILD / "pliant"))

try:
    import numpy as np  # noqa: F401
except ImportError:
    print("skipped: the module needs numpy (Debian: python3-numpy)")
    sys.exit(77)

sys.path.insert(0, str(ROOT / "python"))
os.environ.setdefault("PLIANT_LIBRARY", str(BUILD / "libpliant.so"))

SOFT = {"law": "corotated", "density": 1000, "young": 5e4, "poisson": 0.3}


def cube(**more):
    """A cube of 2 x 2 x 2 cells that falls onto nothing."""
    scene = {"materials": {"soft": SOFT},
             "bodies": {"cube": {"geometry": {"grid": {"size": [1, 1, 1], "cells": [2, 2, 2]}},
                                 "material": "soft", "position": [0, 2, 0]}},
             "time": {"fps": 30, "frames": 4}}
    scene.update(more)
    return scene


def two_bodies():
    """A cube, and a bar that is held at its left end."""
    scene = cube(gravity=[0, 0, 0])
    scene["bodies"]["bar"] = {"geometry": {"grid": {"size": [2, 0.5, 0.5], "cells": [4, 1, 1]}},
                              "material": "soft"}
    scene["constraints"] = [{"body": "bar", "where": {
        "half_space": {"point": [-0.99, 0, 0], "normal": [-1, 0, 0]}}}]
    scene["contact"] = "none"
    return scene


def snow(solver="explicit", **more):
    """A box of a few hundred particles that falls."""
    scene = {"materials": {"snow": {"preset": "snow"}},
             "domain": {"cell": 0.05, "min": [-0.5, 0, -0.5], "max": [0.5, 1, 0.5]},
             "bodies": {"box": {"geometry": {"particles": {
                 "shape": {"box": {"center": [0, 0.5, 0], "size": [0.2, 0.2, 0.2]}}}},
                 "material": "snow"}},
             "time": {"fps": 50, "frames": 3}, "solver": solver}
    scene.update(more)
    return scene


def fountain(solver="explicit"):
    """Particles that become more with every step."""
    scene = snow(solver)
    scene["emitters"] = {"spout": {"shape": {"box": {"center": [0, 0.8, 0],
                                                     "size": [0.2, 0.1, 0.2]}},
                                   "material": "snow", "velocity": [0, -2, 0]}}
    return scene


class Folder(unittest.TestCase):
    """A test with a folder of its own, self.folder."""

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)


def run_python(script, *arguments, timeout=120, **environment):
    """Runs a script in an interpreter of its own; returns (code, stdout, stderr)."""
    variables = dict(os.environ, PYTHONPATH=str(ROOT / "python"), **environment)
    variables = {name: value for name, value in variables.items() if value is not None}
    done = subprocess.run([sys.executable, "-B", "-c", script, *arguments], env=variables,
                          capture_output=True, text=True, timeout=timeout)
    return done.returncode, done.stdout, done.stderr


def main():
    unittest.main(verbosity=2)
