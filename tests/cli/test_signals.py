#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Being stopped: once, the state is saved and the run can go on bit for bit; twice, at once."""
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

PLIANT = os.environ["PLIANT"]
# instrumented programs are slower
PATIENCE = 60 if os.environ.get("PLIANT_INSTRUMENTED") == "1" else 20

# steps that take some tens of milliseconds, and more of them than anyone waits for
SCENE = """
about: A soft block swings.
materials:
  soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}
bodies:
  block:
    geometry: {grid: {size: [2, 1, 1], cells: [12, 6, 6]}}
    material: soft
constraints:
  - {body: block, where: {half_space: {point: [-0.99, 0, 0], normal: [-1, 0, 0]}}}
time: {fps: 240, frames: 100000}
"""

# in contact, with friction, from the first steps on
CONTACT = """
about: A block lands on the ground and another on it.
materials:
  soft: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.3}
bodies:
  lower:
    geometry: {grid: {size: [1, 0.5, 1], cells: [6, 3, 6]}}
    material: soft
    position: [0, 0.255, 0]
    velocity: [0.5, -1, 0]
  upper:
    geometry: {grid: {size: [0.8, 0.4, 0.8], cells: [5, 3, 5]}}
    material: soft
    position: [0.1, 0.715, 0.05]
    velocity: [0, -1, 0.3]
colliders: {ground: {shape: plane, friction: 0.3}}
contact: {method: barrier, distance: 5e-3, friction: 0.4}
output: {checkpoint_every: 1}
time: {fps: 240, frames: 100000}
"""

# short steps, with more particles from step to step
POUR = """
about: Water is poured.
domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1]}
materials: {water: {preset: water}}
bodies:
  pool:
    geometry: {particles: {shape: {box: {center: [0.5, 0.2, 0.5], size: [1, 0.4, 1]}}}}
    material: water
emitters:
  tap:
    shape: {box: {center: [0.5, 0.8, 0.5], size: [0.3, 0.05, 0.3]}}
    material: water
    velocity: [0, -1, 0]
output: {checkpoint_every: 1}
time: {fps: 240, frames: 100000}
"""


class Signals(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)
        (self.folder / "block.yaml").write_text(SCENE)
        (self.folder / "contact.yaml").write_text(CONTACT)
        (self.folder / "pour.yaml").write_text(POUR)

    def tearDown(self):
        self.scratch.cleanup()

    def start(self, *options, output="out", scene="block.yaml"):
        return subprocess.Popen([PLIANT, "run", scene, "-o", output, *options],
                                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)

    def wait_for_steps(self, process, count, output="out"):
        path = self.folder / output / "steps.jsonl"
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if path.exists() and path.read_bytes().count(b"\n") >= count:
                return
            if process.poll() is not None:
                self.fail(f"the run ended by itself: {process.stderr.read()}")
            time.sleep(0.02)
        process.kill()
        self.fail(f"no {count} steps within {PATIENCE} s")

    def end(self, process, patience=PATIENCE):
        try:
            out, err = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            self.fail(f"still running after {patience} s")
        return process.returncode, out, err

    def steps(self, output="out"):
        lines = (self.folder / output / "steps.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def results(self, output="out"):
        """The steps without what is never the same."""
        return [{k: v for k, v in step.items() if k != "seconds"} for step in self.steps(output)]

    def test_once_saves_the_state_and_resuming_gives_the_same_bits(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            output = number.name
            process = self.start(output=output)
            self.wait_for_steps(process, 3, output)
            process.send_signal(number)
            code, _, err = self.end(process)
            self.assertEqual(code, 130, err)
            self.assertIn(number.name, err)
            self.assertIn("--resume", err)

            made = len(self.steps(output))
            self.assertTrue(any((self.folder / output / "checkpoint").iterdir()))
            wanted = made + 2
            process = self.start("--resume", "--steps", str(wanted), output=output)
            code, _, err = self.end(process)
            self.assertEqual(code, 0, err)
            process = self.start("--steps", str(wanted), output=output + "_whole")
            self.assertEqual(self.end(process)[0], 0)

            self.assertEqual(self.results(output), self.results(output + "_whole"))

    def test_twice_ends_at_once(self):
        process = self.start("--set", "bodies.block.geometry={grid: {size: [2, 1, 1], "
                                      "cells: [40, 20, 20]}}")
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        code, _, _ = self.end(process, 2 if PATIENCE == 20 else 10)
        self.assertEqual(code, 130)

    def test_killed_run_goes_on_from_its_checkpoint(self):
        process = self.start("--set", "output.checkpoint_every=1")
        self.wait_for_steps(process, 4)
        process.kill()
        process.communicate()
        process = self.start("--resume", "--steps", "8", "--set", "output.checkpoint_every=1")
        code, _, err = self.end(process)
        self.assertEqual(code, 0, err)
        self.assertEqual([step["step"] for step in self.steps()], list(range(1, 9)))

    def test_run_killed_in_contact_goes_on_with_the_same_bits(self):
        for solver in ("ipc-pcg", "ipc-llt"):
            options = {"output": solver, "scene": "contact.yaml"}
            process = self.start("--solver", solver, **options)
            self.wait_for_steps(process, 6, solver)
            process.kill()
            process.communicate()
            made = (self.folder / solver / "steps.jsonl").read_bytes().count(b"\n")
            wanted = str(max(12, made + 2))
            process = self.start("--resume", "--solver", solver, "--steps", wanted, **options)
            code, _, err = self.end(process)
            self.assertEqual(code, 0, err)
            process = self.start("--solver", solver, "--steps", wanted, output=solver + "_whole",
                                 scene="contact.yaml")
            code, _, err = self.end(process)
            self.assertEqual(code, 0, err)
            self.assertEqual(self.results(solver), self.results(solver + "_whole"))
            touching = {tuple(pair["bodies"]) for pair in self.results(solver)[-1]["pairs"]}
            self.assertEqual(touching, {("lower", "upper"), ("lower", "ground")})
            last = f"step_{int(wanted):08}.h5"
            states = [(self.folder / name / "checkpoint" / last).read_bytes()
                      for name in (solver, solver + "_whole")]
            self.assertEqual(*states)

    def test_killed_run_of_particles_goes_on_with_the_same_bits(self):
        for solver in ("regional", "explicit"):
            options = {"output": solver, "scene": "pour.yaml"}
            process = self.start("--solver", solver, **options)
            self.wait_for_steps(process, 6, solver)
            process.kill()
            process.communicate()
            made = (self.folder / solver / "steps.jsonl").read_bytes().count(b"\n")
            wanted = made + 3
            process = self.start("--resume", "--solver", solver, "--steps", str(wanted), **options)
            code, _, err = self.end(process)
            self.assertEqual(code, 0, err)
            process = self.start("--solver", solver, "--steps", str(wanted),
                                 output=solver + "_whole", scene="pour.yaml")
            code, _, err = self.end(process)
            self.assertEqual(code, 0, err)
            last = f"step_{wanted:08}.h5"
            states = [(self.folder / name / "checkpoint" / last).read_bytes()
                      for name in (solver, solver + "_whole")]
            self.assertEqual(*states)
            counts = [[dict(step, **step["explicit"])[key] for step in self.steps(name)
                       for key in ("particles", "emitted", "sweeps", "steps")]
                      for name in (solver, solver + "_whole")]
            self.assertEqual(*counts)
            self.assertGreater(counts[0][-4], counts[0][0])

    def test_step_of_particles_can_be_stopped_in_the_middle(self):
        # a step of a minute of simulated time takes much longer than anyone waits
        process = self.start("--set", "time.fps=0.0166", "--set", "solver.max_substeps=1e9",
                             scene="pour.yaml")
        deadline = time.monotonic() + PATIENCE
        while not (self.folder / "out" / "series.pvd").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.5)
        self.assertIsNone(process.poll())
        self.assertEqual(len(self.steps()), 0)
        process.send_signal(signal.SIGINT)
        code, _, err = self.end(process, 5 if PATIENCE == 20 else 20)
        self.assertEqual(code, 130, err)
        self.assertIn("after step 0", err)
        self.assertTrue((self.folder / "out" / "checkpoint" / "step_00000000.h5").exists())
        self.assertEqual(json.loads((self.folder / "out" / "run.json").read_text())["status"],
                         "interrupted")
        # and what was saved opens: it goes on, until it is stopped again
        process = self.start("--resume", "--set", "time.fps=0.0166", "--set",
                             "solver.max_substeps=1e9",
                             scene="pour.yaml")
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        code, _, err = self.end(process, 5 if PATIENCE == 20 else 20)
        self.assertEqual(code, 130, err)

    def test_time_limit_is_an_interruption(self):
        code, _, err = self.end(self.start("--max-wall", "0.5s"))
        self.assertEqual(code, 130, err)
        self.assertIn("--resume", err)

    def test_time_limit_holds_within_a_long_step(self):
        # one step of hours: the limit comes in the middle of it
        began = time.monotonic()
        code, _, err = self.end(self.start("--max-wall", "3s", "--set", "time.fps=0.0166",
                                           "--set", "solver.max_substeps=1e9",
                                           scene="pour.yaml"))
        took = time.monotonic() - began
        self.assertEqual(code, 130, err)
        # a machine that does other things as well may be late by some tenths of a second
        self.assertLess(took, 4 if PATIENCE == 20 else 20)
        self.assertIn("out of time after step 0", err)
        self.assertIn("allow more", err)
        record = json.loads((self.folder / "out" / "run.json").read_text())
        self.assertEqual(record["status"], "limited")
        # what was saved opens, and goes on to the same limit
        code, _, err = self.end(self.start("--resume", "--max-wall", "2s", "--set",
                                           "time.fps=0.0166", "--set",
                                           "solver.max_substeps=1e9", scene="pour.yaml"))
        self.assertEqual(code, 130, err)

    def test_time_limit_within_a_step_leaves_the_same_bits(self):
        for _ in range(60):
            code, _, err = self.end(self.start("--max-wall", "0.4s", "--resume", "--steps", "20"))
            if code == 0:
                break
            self.assertEqual(code, 130, err)
        self.assertEqual(code, 0, err)
        process = self.start("--steps", "20", output="whole")
        self.assertEqual(self.end(process)[0], 0)
        self.assertEqual(self.results(), self.results("whole"))

    def test_time_limit_holds_while_the_model_is_made(self):
        # a model that takes many times as long
        code, _, err = self.end(self.start("--max-wall", "0.001s", "--set",
                                           "bodies.block.geometry={grid: {size: [2, 1, 1], "
                                           "cells: [80, 40, 40]}}"))
        self.assertEqual(code, 130, err)
        self.assertIn("out of time before the first step", err)
        self.assertFalse((self.folder / "out" / "run.json").exists())

    def test_run_survives_a_listener_that_leaves(self):
        process = subprocess.Popen([PLIANT, "run", "block.yaml", "-o", "out", "--steps", "4"],
                                   cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        process.stderr.close()
        self.assertEqual(process.wait(timeout=PATIENCE), 0)
        self.assertEqual(len(self.steps()), 4)

    def test_folder_in_use_is_refused(self):
        process = self.start()
        self.wait_for_steps(process, 1)
        for option in ("--force", "--resume"):
            second = self.start(option)
            code, _, err = self.end(second)
            self.assertEqual(code, 3, err)
            self.assertIn("out", err)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.end(process)[0], 130)


if __name__ == "__main__":
    unittest.main()
