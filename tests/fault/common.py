# SPDX-License-Identifier: Apache-2.0
"""For tests of faults: one scene of every family, a folder of their own, and claims about runs.

Environment: PLIANT is the program, PLIANT_SOURCE and PLIANT_BUILD are the trees (see
tests/cmake/checks.cmake); PLIANT_FAULT_LONG=1 asks for everything (`make fault`) instead of a sample,
and PLIANT_FAULT_SEED moves the random moments.
"""
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PLIANT = os.environ["PLIANT"]
SOURCE = pathlib.Path(os.environ["PLIANT_SOURCE"])
BUILD = pathlib.Path(os.environ["PLIANT_BUILD"])
LONG = os.environ.get("PLIANT_FAULT_LONG") == "1"
SEED = int(os.environ.get("PLIANT_FAULT_SEED", "1"))
INSTRUMENTED = os.environ.get("PLIANT_INSTRUMENTED") == "1"
# seconds until something that takes a moment counts as hanging; no claim about speed
PATIENCE = 240 if INSTRUMENTED else 120

# ---- scenes of any size N: small ones for many runs, wide ones for many threads

TETRAHEDRA = """
about: A soft block swings, hits a plane and is pulled.
materials:
  soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, rayleigh: 0.01}
bodies:
  block:
    geometry: {grid: {size: [2, 1, 1], cells: [2*N, N, N]}}
    material: soft
constraints:
  - {body: block, where: {half_space: {point: [-0.99, 0, 0], normal: [-1, 0, 0]}}}
colliders: {ground: {shape: {plane: {point: [0, -0.55, 0], normal: [0, 1, 0]}}}}
time: {fps: 120, frames: 6}
output: {checkpoint_every: 1}
solver: newton
"""

BARRIER = """
about: A block lands on the ground and another on it, with friction.
materials:
  soft: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.3}
bodies:
  lower:
    geometry: {grid: {size: [1, 0.5, 1], cells: [2*N, N, 2*N]}}
    material: soft
    position: [0, 0.255, 0]
    velocity: [0.5, -1, 0]
  upper:
    geometry: {grid: {size: [0.8, 0.4, 0.8], cells: [N, N, N]}}
    material: soft
    position: [0.1, 0.715, 0.05]
    velocity: [0, -1, 0.3]
colliders: {ground: {shape: plane, friction: 0.3}}
contact: {method: barrier, distance: 5e-3, friction: 0.4}
time: {fps: 240, frames: 6}
output: {checkpoint_every: 1}
solver: ipc-pcg
"""

CLOTH = """
about: A cloth on two springs, and a cube that falls on a plane and a ball.
contact: none
materials: {soft: {law: corotated, density: 1000, mu: 2e4}}
bodies:
  cloth: {kind: cloth, geometry: {sheet: {columns: 7*N, rows: 7*N}}}
  cube: {geometry: {grid: {size: [0.4, 0.4, 0.4], cells: [2*N, 2*N, 2*N]}}, material: soft,
    position: [2, 0.205, 0], velocity: [0, -1, 0]}
attachments:
  - {body: cloth, where: {half_space: {point: [0.45, 0, -0.45], normal: [1, 0, -1]}}, stiffness: 100}
  - {body: cloth, where: {half_space: {point: [-0.45, 0, -0.45], normal: [-1, 0, -1]}},
     stiffness: 100}
colliders:
  ground: {shape: plane, stiffness: 2e4, method: auto}
  ball: {shape: {sphere: {center: [2, -0.2, 0], radius: 0.18}}, stiffness: 2e4, method: auto}
checks: {collider_overlap: ignore}
time: {fps: 60, frames: 6}
output: {checkpoint_every: 1}
solver: {name: pd-multigrid, tolerance: 1e-5}
"""

SUBSPACE = """
about: A block falls on the ground and another on it, in the space of handles.
materials:
  soft: {law: neo-hookean, density: 1000, young: 5e4, poisson: 0.3}
  firm: {law: neo-hookean, density: 1000, young: 1e6, poisson: 0.3}
bodies:
  lower: {geometry: {grid: {size: [1, 0.5, 1], cells: [2*N, N, 2*N]}}, material: soft,
    position: [0, 0.26, 0], velocity: [0.5, -1, 0],
    regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, material: firm}]}
  upper: {geometry: {grid: {size: [0.8, 0.4, 0.8], cells: [2*N, N, 2*N]}}, material: soft,
    position: [0.1, 0.73, 0.05], velocity: [0, -1, 0.3]}
colliders: {ground: {shape: plane, friction: 0.3}}
contact: {method: barrier, distance: 5e-3, friction: 0.4}
time: {fps: 100, frames: 6}
output: {checkpoint_every: 1}
solver: {name: subspace, subspace: {handles: 9}}
"""

VERTICES = """
about: A cloth on two springs, and a cube that falls on a plane and a ball, vertex by vertex.
""" + CLOTH.split("\n", 2)[2].replace("solver: {name: pd-multigrid, tolerance: 1e-5}",
                                     "solver: {name: vbd, tolerance: 1e-4}")

REGIONAL = """
about: Water is poured into a pool beside a block of rubber.
domain: {cell: 0.1/N, min: [0, 0, 0], max: [1, 1, 1]}
materials: {water: {preset: water}, rubber: {law: fixed-corotated, density: 1000, young: 1e7,
  poisson: 0.3}}
bodies:
  pool:
    geometry: {particles: {shape: {box: {center: [0.5, 0.15, 0.5], size: [1, 0.3, 1]}}}}
    material: water
  block: {geometry: {particles: {shape: {box: {size: [0.2, 0.2, 0.2]}}}}, material: rubber,
    position: [0.5, 0.45, 0.5], velocity: [0, -1, 0]}
emitters:
  tap:
    shape: {box: {center: [0.2, 0.8, 0.2], size: [0.2, 0.1, 0.2]}}
    material: water
    velocity: [0, -1, 0]
time: {fps: 240, frames: 6}
output: {checkpoint_every: 1}
solver: regional
"""

IMPLICIT = """
about: Rubber with a stiff half drops onto the floor of a room, beside a corner of it.
domain: {cell: 0.1/N, min: [0, 0, 0], max: [1, 1, 1]}
materials:
  soft: {law: fixed-corotated, density: 1000, young: 2e4, poisson: 0.3}
  stiff: {law: fixed-corotated, density: 1000, young: 2e6, poisson: 0.3}
bodies:
  block: {geometry: {particles: {shape: {box: {size: [0.4, 0.3, 0.3]}}}}, position: [0.3, 0.2, 0.3],
    material: soft, velocity: [-1, -1, 0.5], angular_velocity: [0, 50, 0],
    regions: [{where: {half_space: {point: [0.3, 0.2, 0.3], normal: [1, 0, 0]}}, material: stiff}]}
time: {fps: 100, frames: 6}
output: {checkpoint_every: 1}
solver: {name: hot, grid: {matrix_free_short_steps: false}}
"""

FAMILIES = {
    "tetrahedra": TETRAHEDRA,
    "barrier": BARRIER,
    "cloth": CLOTH,
    "subspace": SUBSPACE,
    "vertices": VERTICES,
    "regional": REGIONAL,
    "implicit": IMPLICIT,
}


def scene_text(family, size):
    """The scene of a family, whose sizes are written as products of N."""
    text = FAMILIES[family].replace("0.1/N", repr(0.1 / size))
    return re.sub(r"(?:(\d)\*)?\bN\b", lambda found: str(int(found[1] or 1) * size), text)


# ---- what a folder holds


def read_steps(folder):
    """The steps without what is no result: times, and memory, which is of all steps so far."""
    steps = []
    for line in (folder / "steps.jsonl").read_text().splitlines():
        step = json.loads(line)
        step.pop("seconds", None)
        step.get("explicit", {}).pop("schedule_seconds", None)
        grid = step.get("implicit", {})
        for part in (grid, *grid.get("levels", ())):
            part.pop("bytes", None)
        steps.append(step)
    return steps


def digests(folder):
    """What has to have the same bits: frames, their list, and the newest state."""
    found = {}
    for path in sorted((folder / "frames").iterdir()):
        found["frames/" + path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    found["series.pvd"] = hashlib.sha256((folder / "series.pvd").read_bytes()).hexdigest()
    states = sorted((folder / "checkpoint").glob("step_*.h5"))
    if states:
        found["state"] = (states[-1].name, hashlib.sha256(states[-1].read_bytes()).hexdigest())
    return found


def leftovers(folder):
    """Hidden files that a run which ended must not leave."""
    return [str(path) for path in folder.rglob(".pliant-*.tmp") if path.is_file()]


def is_whole_frame(path):
    """Whether a frame ends as every frame ends."""
    return path.read_bytes().rstrip().endswith(b"</VTKFile>")


# ---- tests


def quick_folder():
    """A place in memory, where syncing takes no time; None: wherever temporary files are."""
    place = "/dev/shm"
    has_room = os.access(place, os.W_OK) and shutil.disk_usage(place).free > 1 << 30
    return place if has_room else None


class Fault(unittest.TestCase):
    """A test with a scratch folder, out of which no process outlives it."""

    on_disk = False  # whether how a disk takes its time is part of the test

    def setUp(self):
        place = None if self.on_disk else quick_folder()
        self.scratch = tempfile.TemporaryDirectory(prefix="pliant_fault_", dir=place)
        self.folder = pathlib.Path(self.scratch.name)
        self.random = random.Random(f"{SEED} {self.id()}")
        self.processes = []

    def tearDown(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
        self.scratch.cleanup()

    def write_scene(self, family, size=2, name=None):
        path = self.folder / f"{name or family}.yaml"
        path.write_text(scene_text(family, size))
        return path

    def start(self, *arguments, **options):
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        command = [*options.pop("before", []), PLIANT, *map(str, arguments)]
        process = subprocess.Popen(command, cwd=self.folder, text=True, **options)
        self.processes.append(process)
        return process

    def end(self, process, patience=PATIENCE):
        try:
            out, err = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            self.fail(f"still running after {patience} s: {err}")
        return process.returncode, out or "", err or ""

    def call(self, *arguments, **options):
        return self.end(self.start(*arguments, **options))

    def expect(self, wanted, *arguments, **options):
        code, out, err = self.call(*arguments, **options)
        self.assertEqual(code, wanted, f"pliant {' '.join(map(str, arguments))}\n{out}{err}")
        return out, err

    def wait_until(self, claim, process=None, patience=PATIENCE):
        deadline = time.monotonic() + patience
        while not claim():
            if process is not None and process.poll() is not None:
                return False
            if time.monotonic() > deadline:
                self.fail("what was waited for did not happen")
            time.sleep(0.002)
        return True


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def main():
    """Runs the tests of a script; one whose every test was skipped is skipped as a whole."""
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun > 0 and len(result.skipped) == result.testsRun:
        sys.exit(77)
    sys.exit(0)


def has_program(name):
    return shutil.which(name) is not None


def can_trace():
    """Whether strace is there and may trace."""
    if not has_program("strace"):
        return False
    command = ["strace", "-f", "-o", "/dev/null", "-e", "inject=getpid:error=EPERM", "true"]
    return subprocess.run(command, capture_output=True, timeout=30).returncode == 0


def kill_group(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
