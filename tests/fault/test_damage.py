#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged checkpoints, as the program meets them: the newest is refused with its reason, the one
before it is used, and the run ends with the bits of one that was never disturbed. Where none can be
used, nothing in the folder changes. (tests/unit/io/test_checkpoint.c cuts at every 512th byte and
flips every byte of the head and 1,000 others.)"""
import shutil

import common

FAMILIES = tuple(common.FAMILIES) if common.LONG else ("tetrahedra", "regional")
FLIPS = 60 if common.LONG else 3


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name != ".lock"}


class Damage(common.Fault):
    def prepare(self, family):
        self.scene = self.write_scene(family, 1)
        self.expect(0, "run", self.scene, "-o", "half", "-q", "--steps", 3)
        self.expect(0, "run", self.scene, "-o", "whole", "-q")
        self.half = self.folder / "half"
        self.out = self.folder / "out"

    def copy(self):
        """A fresh copy of the run that ended half way, and its checkpoints, newest first."""
        shutil.rmtree(self.out, ignore_errors=True)
        shutil.copytree(self.half, self.out)
        states = sorted((self.out / "checkpoint").glob("step_*.h5"), reverse=True)
        self.assertEqual([path.name for path in states], ["step_00000003.h5", "step_00000002.h5"])
        return states

    def damages(self, size):
        """(what it is called, how bytes become others, what the message says)"""
        for cut in (0, 511, 512, size // 2, size - 1):
            said = "first 512 bytes" if cut < 512 else "it was written with"
            yield f"cut at {cut}", lambda old, cut=cut: old[:cut], said
        yield "longer", lambda old: old + b"\0", "it was written with"
        yield "other version", lambda old: old.replace(b"format 1", b"format 7", 1), "has format 7"
        yield "nothing of ours", lambda old: bytes(len(old)), "first 512 bytes"
        places = [0, 20, 511, 512, size - 1]
        for at in places + [self.random.randrange(512, size) for _ in range(FLIPS)]:
            flip = 1 << self.random.randrange(8)
            yield (f"bit {flip} of byte {at}",
                   lambda old, at=at, flip=flip: old[:at] + bytes([old[at] ^ flip]) + old[at + 1:],
                   "checksum" if at >= 512 else "")

    def test_newest_is_refused_and_the_one_before_used(self):
        for family in FAMILIES:
            self.prepare(family)
            size = self.copy()[0].stat().st_size
            damages = list(self.damages(size))
            for name, change, said in damages if common.LONG else damages[len(family) % 3::3]:
                with self.subTest(f"{family}, {name}"):
                    newest = self.copy()[0]
                    newest.write_bytes(change(newest.read_bytes()))
                    _, err = self.expect(0, "run", self.scene, "-o", "out", "--resume")
                    self.assertRegex(err, f"checkpoint refused.*{newest.name}.*{said}")
                    self.assertEqual(common.digests(self.out),
                                     common.digests(self.folder / "whole"))
                    self.assertEqual(common.read_steps(self.out),
                                     common.read_steps(self.folder / "whole"))
            for name in ("half", "whole", "out"):
                shutil.rmtree(self.folder / name)

    def test_without_a_good_one_nothing_is_touched(self):
        self.prepare("tetrahedra")
        for path in self.copy():
            path.write_bytes(path.read_bytes()[:700])
        before = contents(self.out)
        _, err = self.expect(3, "run", self.scene, "-o", "out", "--resume")
        self.assertIn("no checkpoint can be used", err)
        self.assertEqual(contents(self.out), before)

    def test_another_scene_is_refused_with_both_hashes(self):
        self.prepare("tetrahedra")
        self.copy()
        before = contents(self.out)
        _, err = self.expect(2, "run", self.scene, "-o", "out", "--resume",
                             "--set", "materials.soft.young=2e5")
        self.assertRegex(err, "another scene.*hash is [0-9a-f]{16}.*[0-9a-f]{16}")
        self.assertEqual(contents(self.out), before)


if __name__ == "__main__":
    common.main()
