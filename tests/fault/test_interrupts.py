#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signals at any moment. The first SIGINT or SIGTERM saves the state and ends with 130, the second
ends at once, and whatever was left can be resumed with the same bits; SIGPIPE and readers that leave
do no harm; pauses and clocks that jump change no result. (tests/cli/test_signals.py has the stages
one by one.)"""
import os
import signal
import subprocess
import time

import common

FAMILIES = tuple(common.FAMILIES) if common.LONG else ("subspace", "regional")
MOMENTS = 24 if common.LONG else 4
# s; a run that takes longer undisturbed, on a busy machine, also takes longer to end
LIMIT = 2


class Interrupts(common.Fault):
    def prepare(self, family, frames=None):
        self.scene = self.write_scene(family, 1)
        if frames is not None:
            text = self.scene.read_text().replace("frames: 6", f"frames: {frames}")
            self.scene.write_text(text)
        begun = time.monotonic()
        self.expect(0, "run", self.scene, "-q", "-o", "whole")
        self.duration = time.monotonic() - begun
        self.whole = self.folder / "whole"
        self.out = self.folder / "out"

    def clean(self):
        for folder in (self.whole, self.out):
            common.shutil.rmtree(folder, ignore_errors=True)

    def expect_resumes(self):
        self.assertEqual(common.leftovers(self.out), [])
        self.expect(0, "run", self.scene, "-q", "-o", self.out, "--resume")
        self.assertEqual(common.digests(self.out), common.digests(self.whole))
        self.assertEqual(common.read_steps(self.out), common.read_steps(self.whole))
        common.shutil.rmtree(self.out)

    def send_at_random(self, *numbers):
        """Starts, waits for a random while, sends signals; returns exit code, messages, seconds."""
        process = self.start("run", self.scene, "-o", self.out)
        time.sleep(self.random.uniform(0, self.duration))
        sent = time.monotonic()
        for number in numbers:
            process.send_signal(number)
        code, _, err = self.end(process)
        return code, err, time.monotonic() - sent

    def test_one_signal_at_any_moment_saves_the_state(self):
        for family in FAMILIES:
            self.prepare(family)
            for moment in range(MOMENTS):
                number = (signal.SIGINT, signal.SIGTERM)[moment % 2]
                with self.subTest(f"{family}, {number.name} {moment}"):
                    code, err, seconds = self.send_at_random(number)
                    # before the program is loaded, the system ends it; nothing has begun then
                    if code == -number:
                        self.assertFalse(self.out.exists())
                    elif code == 130:
                        self.assertIn(f"stopped by {number.name}", err)
                        self.assertLess(seconds, max(LIMIT, 5 * self.duration))
                        self.expect_saved(err)
                    else:
                        self.assertEqual(code, 0, err)
                    self.expect_resumes()
            self.clean()

    def expect_saved(self, err):
        """Either nothing had begun, or the newest state is that of the last step in the log."""
        if "before the first step" in err or "while the scene was read" in err:
            self.assertFalse(self.out.exists())
            return
        steps = common.read_steps(self.out)
        states = sorted(path.name for path in (self.out / "checkpoint").iterdir())
        self.assertEqual(states[-1], f"step_{len(steps):08}.h5")
        self.assertIn(f"after step {len(steps)};", err)
        self.assertIn("--resume", err)

    def test_two_signals_end_at_once_and_nothing_is_lost(self):
        for family in FAMILIES:
            self.prepare(family)
            for moment in range(MOMENTS // 2):
                with self.subTest(f"{family}, {moment}"):
                    code, err, _ = self.send_at_random(signal.SIGTERM, signal.SIGINT)
                    self.assertIn(code, (130, 0, -signal.SIGTERM, -signal.SIGINT), err)
                    # what a draft held is cleared by whoever takes the folder next
                    self.expect(0, "run", self.scene, "-q", "-o", self.out, "--resume")
                    self.expect_resumes()
            self.clean()

    def test_second_signal_ends_a_long_step_at_once(self):
        self.prepare("regional")
        # a step of a minute takes much longer than anyone waits
        process = self.start("run", self.scene, "-o", self.out, "--set", "time.fps=0.0166")
        self.wait_until(lambda: (self.out / "series.pvd").exists(), process)
        process.send_signal(signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        code, _, _ = self.end(process)
        self.assertEqual(code, 130)

    def test_long_preparation_is_stopped(self):
        scene = self.write_scene("subspace", 12)
        process = self.start("run", scene, "-o", "out")
        line = process.stderr.readline()
        self.assertIn("contact: ", line)
        line = process.stderr.readline()
        self.assertIn("preparing", line)
        process.send_signal(signal.SIGTERM)
        code, _, err = self.end(process)
        self.assertEqual(code, 130, err)
        self.assertIn("before the first step", err)
        self.assertFalse((self.folder / "out").exists())

    def test_broken_pipes_do_no_harm(self):
        self.prepare("tetrahedra")
        # nobody reads what is said: the run goes on, and only the lost summary is a failure
        for stream, wanted in (("stderr", (0,)), ("stdout", (3,))):
            read, write = os.pipe()
            os.close(read)
            process = self.start("run", self.scene, "-o", self.out, "--json", **{stream: write})
            os.close(write)
            code, _, err = self.end(process)
            self.assertIn(code, wanted, err)
            self.expect_resumes()
        # a SIGPIPE out of nowhere is nothing to the program
        process = self.start("run", self.scene, "-o", self.out, "-q")
        self.wait_until(lambda: (self.out / "run.json").exists(), process)
        process.send_signal(signal.SIGPIPE)
        self.assertEqual(self.end(process)[0], 0)
        self.expect_resumes()

    def test_pauses_change_nothing_and_are_told(self):
        self.prepare("barrier", 40)
        process = self.start("run", self.scene, "-o", self.out)
        self.wait_until(lambda: (self.out / "steps.jsonl").exists(), process)
        for _ in range(3):
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.02)
            process.send_signal(signal.SIGCONT)
            time.sleep(self.random.uniform(0, self.duration / 10))
        code, _, err = self.end(process)
        self.assertEqual(code, 0, err)
        self.assertIn("was paused", err)
        self.assertEqual(common.digests(self.out), common.digests(self.whole))
        self.assertEqual(common.read_steps(self.out), common.read_steps(self.whole))

    @common.unittest.skipIf(common.INSTRUMENTED, "sanitizers want to be loaded first")
    def test_clocks_that_jump_change_nothing(self):
        self.prepare("barrier")
        shim = self.folder / "clock_shim.so"
        source = common.SOURCE / "tests" / "fault" / "clock_shim.c"
        subprocess.run([os.environ.get("PLIANT_COMPILER", "cc"), "-D_GNU_SOURCE", "-O1", "-fPIC",
                        "-shared", "-o", shim, source, "-ldl"], check=True)
        self.expect(0, "run", self.scene, "-q", "-o", self.out,
                    env=dict(os.environ, LD_PRELOAD=str(shim)))
        self.assertEqual(common.digests(self.out), common.digests(self.whole))
        self.assertEqual(common.read_steps(self.out), common.read_steps(self.whole))


if __name__ == "__main__":
    common.main()
