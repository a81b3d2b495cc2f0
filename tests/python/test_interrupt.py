# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and cancel(): a step ends within an iteration, and the state is whole."""
import os
import signal
import subprocess
import sys
import unittest

from common import ROOT, Folder, main, snow, two_bodies

import pliant


def interrupt_at(sim, iteration):
    """Sends Ctrl-C to this process when a step reaches an iteration."""
    def hear(report):
        if report["iteration"] == iteration:
            os.kill(os.getpid(), signal.SIGINT)
    sim.solver.set_monitor(hear)


def moving():
    """A simulation whose first step takes a few iterations."""
    sim = pliant.Simulation(two_bodies())
    sim.velocities[:, 0] = [k % 3 for k in range(47)]
    return sim


class Interrupting(unittest.TestCase):
    def test_ctrl_c_during_a_step_is_a_keyboard_interrupt(self):
        sim, plain = moving(), moving()
        before = sim.state.hash
        interrupt_at(sim, 1)
        self.assertRaises(KeyboardInterrupt, sim.step)
        self.assertEqual((sim.state.hash, sim.step_count), (before, 0))
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        sim.solver.set_monitor(None)
        sim.step()
        plain.step()
        self.assertEqual(sim.state.hash, plain.state.hash)

    def test_handlers_of_others_stay(self):
        heard = []

        def handler(*_):
            heard.append(1)

        before = signal.signal(signal.SIGINT, handler)
        try:
            sim = moving()
            interrupt_at(sim, 1)
            sim.step()
            self.assertEqual((heard, sim.step_count), ([1], 1))
            self.assertIs(signal.getsignal(signal.SIGINT), handler)
        finally:
            signal.signal(signal.SIGINT, before)

    def test_cancel_ends_the_step_and_leaves_the_state(self):
        for sim in (moving(), pliant.Simulation(snow()), pliant.Simulation(snow("hot"))):
            before = sim.state.hash
            sim.cancel()
            self.assertRaises(pliant.InterruptedStep, sim.step)
            self.assertEqual(sim.state.hash, before)
            sim.step()
            self.assertEqual(sim.step_count, 1)


class Programs(Folder):
    def test_a_script_that_computes_ends_at_ctrl_c(self):
        # a million sweeps would take minutes: only the cancel hook can end this step early
        script = (
            "import pliant, sys\n"
            "scene = pliant.Scene.load('rubber/balls').set('time.fps', 0.2)\n"
            "sim = pliant.Simulation(scene.set('domain.cell', 0.016))\n"
            "print('ready', flush=True)\n"
            "try:\n    sim.step()\n"
            "except KeyboardInterrupt:\n    print('stopped', sim.step_count)\n")
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"))
        process = subprocess.Popen([sys.executable, "-B", "-c", script], env=environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            self.assertEqual(process.stdout.readline().strip(), "ready")
            # a signal that comes before the step is a plain KeyboardInterrupt; so wait for threads
            # that only a step starts, or for so many seconds of computing
            wait_for_work(process.pid)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
            process.wait()
        self.assertEqual((out.strip(), err, process.returncode), ("stopped 0", "", 0))


def wait_for_work(pid):
    """Waits until a process has computed for a while."""
    def used():
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    start = used()
    while used() < start + 0.5:
        pass


if __name__ == "__main__":
    main()
