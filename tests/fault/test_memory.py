#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Limits on address space: a run ends well, or says in which stage how many bytes were needed and
ends with code 1; it never crashes or hangs, and what it saved can be resumed. Below what loading the
libraries takes, the program says that (cli/before_main.h); far below, the system's loader does, with
its code 127."""
import re
import resource

import common

if common.INSTRUMENTED:
    common.skip("sanitizers need more address space than any limit")

MEGABYTE = 1 << 20
LOADED = 480 * MEGABYTE  # see CMakeLists.txt
# as much as half a gigabyte does not hold, except where steps would take too long
SIZES = {"tetrahedra": 40, "barrier": 24, "cloth": 24, "subspace": 12, "vertices": 6, "regional": 4,
         "implicit": 9}


class Memory(common.Fault):
    def run_limited(self, limit, *arguments):
        """The program with so many bytes of address space."""
        return self.call(*arguments, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_AS, (limit, limit)))

    def expect_understood(self, code, err):
        if code == 0:
            return
        self.assertEqual(code, 1, err)
        # particles have addresses reserved for as many as there may be; CHOLMOD and HDF5 do not say
        # how much they needed
        self.assertRegex(err, r"out of memory in .+, needed \d+ bytes|in sparse Cholesky, |"
                              r"HDF5 could not build the checkpoint of step \d+ in memory|"
                              r"refuses to reserve \d+ GiB of addresses")

    def test_too_little_to_load_is_said(self):
        for megabytes in (64, 128, 192, 256, 384, 479):
            code, _, err = self.run_limited(megabytes * MEGABYTE, "--version")
            if code == 127:
                self.assertIn("failed to map segment", err)
                self.assertLess(megabytes, 192)
                continue
            self.assertEqual(code, 1, err)
            self.assertRegex(err, r"out of memory in loading libraries, needed \d+ bytes")
        self.assertEqual(self.run_limited(LOADED, "--version")[0], 0)

    def test_limits_are_met_with_a_message(self):
        steps = range(480, 2049, 98) if common.LONG else (480, 680)
        families = SIZES if common.LONG else ("tetrahedra", "implicit")
        for family in families:
            scene = self.write_scene(family, SIZES[family])
            failed = 0
            for megabytes in steps:
                with self.subTest(f"{family}, {megabytes} MB"):
                    out = self.folder / "out"
                    code, _, err = self.run_limited(megabytes * MEGABYTE, "run", scene, "-q", "-f",
                                                    "-j", 4, "--frames", 1, "-o", out)
                    self.expect_understood(code, err)
                    failed += code != 0
                    self.assertEqual(common.leftovers(out) if out.exists() else [], [])
                    for path in out.glob("frames/*"):
                        self.assertTrue(common.is_whole_frame(path))
            if family in ("tetrahedra", "implicit"):
                self.assertGreater(failed, 0)
            print(f"{family}: {failed} of {len(steps)} limits were too low")

    def test_need_is_told_before_a_run(self):
        scene = self.write_scene("regional", 2)
        out, _ = self.expect(0, "check", scene)
        self.assertTrue(re.search(r"\d+(\.\d+)? [kMG]B", out), out)


if __name__ == "__main__":
    common.main()
