#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other processors, emulated by qemu: a program that was built for more than there is says what is
missing, before anything else runs; and one processor is enough."""
import os
import subprocess

import common


class Processor(common.Fault):
    @common.unittest.skipUnless(common.has_program("qemu-x86_64"), "qemu-x86_64 is not here")
    def test_missing_features_are_named(self):
        build = subprocess.run([common.PLIANT, "--version"], capture_output=True, text=True).stdout
        if "AVX2" not in build:
            self.skipTest("this build needs no more than every processor has")
        for arguments in (["--version"], ["help"], ["run", "demo"]):
            done = subprocess.run(["qemu-x86_64", "-cpu", "Nehalem", common.PLIANT, *arguments],
                                  capture_output=True, text=True, timeout=300, cwd=self.folder)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, "built for another processor; this one lacks.* AVX2")
            self.assertEqual(done.stdout, "")

    def test_one_processor_is_enough(self):
        scene = self.write_scene("regional", 1)
        allowed = min(os.sched_getaffinity(0))
        results = []
        for name, options in (("all", {}), ("one", {
                "preexec_fn": lambda: os.sched_setaffinity(0, {allowed})})):
            self.expect(0, "run", scene, "-q", "-o", name, "-j", 4, **options)
            results.append(common.digests(self.folder / name))
        self.assertEqual(*results)


if __name__ == "__main__":
    common.main()
