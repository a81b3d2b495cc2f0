#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A short scene of every family, and the tests of the live thread and its server, under the thread
sanitizer: no report. PLIANT_TSAN_BUILD is a build with the preset tsan (clang, libomp, Archer, which
tells the sanitizer what OpenMP orders)."""
import os
import pathlib
import subprocess

import common

BUILD = pathlib.Path(os.environ.get("PLIANT_TSAN_BUILD", common.BUILD / "tsan"))
if not (BUILD / "pliant").exists():
    common.skip("this needs a build with the preset tsan")

ENVIRONMENT = dict(os.environ, OMP_TOOL_LIBRARIES="libarcher.so", OMP_WAIT_POLICY="passive",
                   OPENBLAS_NUM_THREADS="1",
                   TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=0 exitcode=66")
SIZES = {"tetrahedra": 6, "barrier": 4, "cloth": 4, "subspace": 4, "vertices": 3, "regional": 2,
         "implicit": 2}


class Races(common.Fault):
    def test_short_scenes_have_no_races(self):
        common.PLIANT = str(BUILD / "pliant")
        for family, size in SIZES.items():
            with self.subTest(family):
                scene = self.write_scene(family, size)
                process = self.start("run", scene, "-q", "-o", family, "-j", 4, "--frames", 2,
                                     env=ENVIRONMENT)
                code, _, err = self.end(process, 1800)
                self.assertEqual((code, err), (0, ""))

    def test_threads_of_the_page_have_no_races(self):
        programs = sorted((BUILD / "tests").glob("test.unit.serve.*"))
        self.assertTrue(programs)
        for program in programs:
            with self.subTest(program.name):
                done = subprocess.run([program], capture_output=True, text=True, timeout=1800,
                                      env=dict(ENVIRONMENT, OMP_NUM_THREADS="2",
                                               PLIANT_SOURCE=str(common.SOURCE)))
                self.assertNotIn("WARNING: ThreadSanitizer", done.stderr)
                self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])


if __name__ == "__main__":
    common.main()
