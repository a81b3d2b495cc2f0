#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The n-th write, fsync, rename, open, close or other call on a run's folder fails, once or from then
on (injected by strace): the run ends with code 3, nothing is called saved that is not, earlier frames
are whole, temporary files are gone, and it resumes to the same bits. And the order of calls that
makes every file survive a loss of power: write, sync, close, rename, sync of the folder."""
import os
import re
import shutil

import common

if not common.can_trace():
    common.skip("strace is not here or may not trace (Debian: strace)")

# calls, and the errors that they fail with
ERRORS = {"write": "ENOSPC", "pwrite64": "EIO", "fsync": "EIO", "renameat": "EIO", "openat": "EMFILE",
          "close": "EIO", "ftruncate": "EIO", "mkdir": "ENOSPC", "mkdirat": "ENOSPC", "read": "EIO", "getdents64": "EIO",
          "flock": "ENOLCK"}
SAMPLE = 30
FRAMES = 3
ENVIRONMENT = dict(os.environ, OMP_WAIT_POLICY="passive", OPENBLAS_NUM_THREADS="1")


class Call:
    """A line of a trace: which call it is, counted among those of its name, and what it is about."""

    def __init__(self, name, number, text, out):
        self.name, self.number, self.text = name, number, text
        self.path = text.split(str(out), 1)[1].split(">")[0].split('"')[0]

    def __repr__(self):
        return f"{self.name} {self.number} of {self.path or '/'}"

    def is_harmless(self):
        """What may fail without anything being lost or wrong: then the run may go on."""
        # the lock itself is taken by flock; its content is for messages
        if self.path == "/.lock":
            return self.name not in ("flock", "openat")
        # nothing was written through it, or all of it is synced
        if self.name == "close":
            return ".tmp" not in self.path
        # a folder that is there already; old drafts and old checkpoints that stay
        if self.name in ("mkdir", "mkdirat", "getdents64") or "O_NONBLOCK|O_CLOEXEC|O_DIRECTORY" in self.text:
            return True
        # whose a file is, for old checkpoints and drafts: what is not known stays
        if "O_NOFOLLOW" in self.text and "O_RDONLY" in self.text:
            return True
        # a checkpoint that cannot be read: the one before it is used
        reads = self.name == "read" or "O_RDONLY" in self.text
        return reads and self.path.startswith(("/run.json", "/checkpoint/step_"))


class Syscalls(common.Fault):
    def prepare(self, family):
        self.scene = self.write_scene(family, 1)
        self.out = self.folder / "out"
        self.whole = self.folder / f"whole_{family}"
        self.half = self.folder / f"half_{family}"
        self.expect(0, "run", self.scene, "-q", "-o", self.whole, "--frames", FRAMES)
        self.expect(0, "run", self.scene, "-q", "-o", self.half, "--frames", FRAMES, "--steps", 2)

    def run_traced(self, options, *arguments):
        before = ["strace", "-f", "-y", "-s", "0", "-e", "signal=none", "-o",
                  str(self.folder / "trace"), *options]
        return self.call("run", self.scene, "-q", "-j", 1, "-o", self.out, "--frames", FRAMES,
                         *arguments, before=before, env=ENVIRONMENT)

    def list_calls(self, *arguments):
        """Every call of an undisturbed run that is about its folder."""
        code, _, err = self.run_traced(["-e", "trace=" + ",".join(ERRORS)], *arguments)
        self.assertEqual(code, 0, err)
        counts, calls = {}, []
        self.fragile = 0
        for line in (self.folder / "trace").read_text().splitlines():
            found = re.match(r"\d+ +(\w+)\(", line)
            if found is None:
                continue
            name = found[1]
            counts[name] = counts.get(name, 0) + 1
            # HDF5 1.10 crashes at exit when a file that it only read could not be closed
            if name == "close" and "/checkpoint/step_" in line:
                self.fragile = counts[name]
                continue
            if str(self.out) in line:
                calls.append(Call(name, counts[name], line, self.out))
        return calls

    def begin(self, resumed):
        shutil.rmtree(self.out, ignore_errors=True)
        if resumed:
            shutil.copytree(self.half, self.out)
        return ["--resume"] if resumed else []

    def expect_nothing_false(self, err):
        """A state that is called saved is there; frames are right; nothing temporary is left."""
        for step in re.findall(r"the state of step (\d+) is saved", err):
            self.assertTrue((self.out / "checkpoint" / f"step_{int(step):08}.h5").exists(), err)
        self.assertEqual(common.leftovers(self.out), [])
        frames = self.out / "frames"
        for path in sorted(frames.iterdir()) if frames.exists() else []:
            self.assertEqual(path.read_bytes(), (self.whole / "frames" / path.name).read_bytes())

    def inject(self, call, persistent, resumed):
        """Lets one call fail, or it and all later ones of its name."""
        arguments = self.begin(resumed)
        when = f"{call.number}+" if persistent else f"{call.number}"
        fault = f"inject={call.name}:error={ERRORS[call.name]}:when={when}"
        code, _, err = self.run_traced(["-e", f"trace={call.name}", "-e", fault], *arguments)
        self.assertIn("(INJECTED)", (self.folder / "trace").read_text())
        if call.is_harmless():
            self.assertIn(code, (0, 3), err)
        else:
            self.assertEqual(code, 3, err)
        # who cannot write cannot speak either
        if code == 3 and not (persistent and call.name == "write"):
            self.assertRegex(err, "pliant: .*(No space left|Input/output error|Too many open|"
                                  "No locks|cannot|can be used|in use|already holds|gone)")
        self.expect_nothing_false(err)
        if resumed:
            self.assertTrue(any((self.out / "checkpoint").glob("step_*.h5")), "all states are gone")
        # once the fault is over, the run goes on from what is there
        self.expect(0, "run", self.scene, "-q", "-o", self.out, "--frames", FRAMES, "--resume")
        self.assertEqual(common.digests(self.out), common.digests(self.whole))
        self.assertEqual(common.read_steps(self.out), common.read_steps(self.whole))

    def test_every_call_may_fail(self):
        for family in ("tetrahedra", "regional") if common.LONG else ("tetrahedra",):
            self.prepare(family)
            for resumed in (False, True):
                calls = self.list_calls(*self.begin(resumed))
                self.assertGreater(len(calls), 50)
                cases = [(call, persistent) for call in calls for persistent in (False, True)]
                cases = [(call, persistent) for call, persistent in cases if not
                         (persistent and call.name == "close" and call.number <= self.fragile)]
                if not common.LONG:
                    cases = self.random.sample(cases, SAMPLE // 2)
                for call, persistent in cases:
                    with self.subTest(f"{family}{', resumed' * resumed}{', for good' * persistent}: "
                                      f"{call}"):
                        self.inject(call, persistent, resumed)
                print(f"{family}{', resumed' * resumed}: {len(cases)} of {2 * len(calls)} faults")

    def test_sync_that_failed_is_not_tried_again(self):
        """Pages of a failed sync may be lost, though the next one of the same file succeeds."""
        self.prepare("tetrahedra")
        calls = self.list_calls(*self.begin(False))
        syncs = [call for call in calls if call.name == "fsync" and "steps.jsonl" in call.path]
        self.assertEqual(len(syncs), FRAMES)
        self.begin(False)
        fault = f"inject=fsync:error=EIO:when={syncs[-1].number}"
        code, _, err = self.run_traced(["-e", "trace=fsync", "-e", fault])
        self.assertEqual(code, 3, err)
        self.assertIn("steps.jsonl", err)
        states = sorted(path.name for path in (self.out / "checkpoint").iterdir())
        self.assertEqual(states[-1], f"step_{FRAMES - 1:08}.h5")
        self.assertIn(f"the state of step {FRAMES - 1} is saved", err)

    def test_order_survives_a_loss_of_power(self):
        self.prepare("regional")
        self.begin(False)
        code, _, err = self.run_traced(["-e", "trace=openat,write,pwrite64,fsync,close,renameat"])
        self.assertEqual(code, 0, err)
        lines = (self.folder / "trace").read_text().splitlines()
        renamed = [index for index, line in enumerate(lines)
                   if " renameat(" in line and str(self.out) in line]
        self.assertGreaterEqual(sum('/checkpoint>, "step_' in lines[index] for index in renamed),
                                FRAMES)
        for index in renamed:
            folder, draft = re.search(r'renameat\(\d+<([^>]+)>, "([^"]+)"', lines[index]).groups()
            self.expect_order(lines, index, os.path.join(folder, draft), folder)

    def expect_order(self, lines, index, draft, folder):
        """Of one file: opened, all written, then synced, closed, renamed, and its folder synced."""
        name = os.path.basename(draft)
        opened = max(k for k in range(index) if " openat(" in lines[k] and f'"{name}"' in lines[k])
        kinds = [re.match(r"\d+ +(\w+)\(", line)[1] for line in lines[opened + 1:index]
                 if f"<{draft}>" in line]
        self.assertRegex(" ".join(kinds), r"^((write|pwrite64) )+fsync close$", draft)
        # files of one frame are renamed one after the other
        others = [line for line in lines[index + 1:] if " renameat(" not in line or folder not in line]
        after = [line for line in others[:2] if f"<{folder}>" in line]
        self.assertTrue(any(" fsync(" in line for line in after), f"{folder} is not synced")


if __name__ == "__main__":
    common.main()
