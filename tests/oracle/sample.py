# SPDX-License-Identifier: Apache-2.0
"""The numbers of tests/sample_frames.h, computed again from their formulas."""
import contextlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
SIDE = 9
FRAMES = 3
FPS = 24.0

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(SKIPPED)


@contextlib.contextmanager
def samples():
    """Runs the program that writes the samples and gives the folder that holds them."""
    folder = tempfile.mkdtemp(prefix="pliant-oracle-")
    try:
        subprocess.run([sys.argv[1], folder], check=True)
        yield folder
    finally:
        shutil.rmtree(folder)


def moved(rest, time):
    x, y, z = rest[:, 0], rest[:, 1], rest[:, 2]
    return np.stack([x + 0.05 * np.sin(3 * time + 2 * y), y - 0.5 * time**2, z * (1 + 0.1 * time)], axis=1)


def values(tuples, components, time, number):
    """Field `number` (from 1) of a body."""
    flat = np.sin(0.1 * np.arange(tuples * components) + time) * number
    return flat.reshape(tuples, components) if components > 1 else flat


class Body:
    def __init__(self, name, points, cells, fields):
        self.name, self.points, self.cells = name, points, cells
        self.fields = fields  # name -> (place, unit, array)


def block(time):
    n, m = SIDE, SIDE - 1
    i = np.arange(n**3)
    rest = 0.1 * np.stack([i % n, i // n % n, i // n**2], axis=1)
    six = np.array([[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]])
    step = (six & 1) + n * (six >> 1 & 1) + n**2 * (six >> 2)
    cube = np.arange(m**3)
    base = cube % m + n * (cube // m % m) + n**2 * (cube // m**2)
    cells = (base[:, None, None] + step[None]).reshape(-1, 4)
    fields = {
        "velocity": ("point", "m/s", values(n**3, 3, time, 1)),
        "pressure": ("point", "Pa", values(n**3, 1, time, 2)),
        "stress": ("cell", "Pa", values(len(cells), 1, time, 3)),
        "axis": ("cell", None, values(len(cells), 3, time, 4)),
    }
    return Body("block", moved(rest, time), cells, fields)


def sheet(time):
    n, m = SIDE, SIDE - 1
    i = np.arange(n**2)
    rest = np.stack([0.1 * (i % n), np.full(n**2, 2.0), 0.1 * (i // n)], axis=1)
    square = np.arange(m**2)
    base = square % m + n * (square // m)
    two = np.array([[0, n, 1], [1, n, n + 1]])
    cells = (base[:, None, None] + two[None]).reshape(-1, 3)
    return Body("sheet", moved(rest, time), cells, {"height": ("point", "m", values(n**2, 1, time, 1))})


def drops(time):
    i = np.arange(SIDE)
    rest = np.stack([0.01 * i, np.full(SIDE, 3.0), 0.02 * i], axis=1)
    return Body("drops", moved(rest, time), np.arange(SIDE)[:, None], {"speed": ("point", "m/s", values(SIDE, 1, time, 1))})


def bodies(frame):
    time = frame / FPS
    return [block(time), sheet(time), drops(time)]


def check(condition, what):
    if not condition:
        print("FAILED:", what)
        sys.exit(1)


def check_close(got, want, relative, what):
    """Every number within `relative` of the largest wanted one."""
    got, want = np.asarray(got), np.asarray(want)
    check(got.shape == want.shape, f"{what}: shape {got.shape}, want {want.shape}")
    if want.size == 0:
        return
    error = np.abs(got.astype(float) - want).max()
    allowed = relative * max(np.abs(want).max(), 1e-300)
    check(error <= allowed, f"{what}: error {error}, allowed {allowed}")
