#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A short scene of every family under valgrind: no error, no leak. PLIANT_VALGRIND_BUILD is a build
for processors that valgrind knows (`make fault` makes it with the preset valgrind)."""
import os
import pathlib

import common

BUILD = pathlib.Path(os.environ.get("PLIANT_VALGRIND_BUILD", common.BUILD / "valgrind"))
if not common.has_program("valgrind") or not (BUILD / "pliant").exists():
    common.skip("this needs valgrind, and a build with the preset valgrind")

# HDF5 and OpenBLAS keep what they have until the process ends: reachable, and no leak
OPTIONS = ["valgrind", "--error-exitcode=99", "--leak-check=full", "--show-leak-kinds=definite",
           "--errors-for-leak-kinds=definite", "--num-callers=30", "--quiet"]


class Valgrind(common.Fault):
    def test_short_scenes_have_no_errors(self):
        common.PLIANT = str(BUILD / "pliant")
        environment = dict(os.environ, OMP_WAIT_POLICY="passive", OPENBLAS_NUM_THREADS="1")
        for family in common.FAMILIES:
            with self.subTest(family):
                scene = self.write_scene(family, 1)
                for options in (("--frames", 1), ("--frames", 2, "--resume")):
                    process = self.start("run", scene, "-q", "-o", family, "-j", 2, *options,
                                         before=OPTIONS, env=environment)
                    code, _, err = self.end(process, 1800)
                    self.assertEqual((code, err), (0, ""))


if __name__ == "__main__":
    common.main()
