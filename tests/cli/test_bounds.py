#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing that is read is waited for or takes for ever: pipes and devices in the place of files, scenes
that include large files many times, names by the ten thousand, frames of many bodies; signals are
heard while a scene is read, and what could not be saved is not promised."""
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

PLIANT = os.environ["PLIANT"]
MATERIAL = "{law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}"
CUBE = "{geometry: {grid: {size: [1, 1, 1], cells: [1, 1, 1]}}, material: soft}"
SCENE = f"materials:\n  soft: {MATERIAL}\nbodies:\n  cube: {CUBE}\ntime: {{fps: 24, frames: 3}}\n"
PATIENCE = 60  # s: far beyond what anything here takes, and less than for ever


class Bounds(unittest.TestCase):
    def setUp(self):
        self.before = os.getcwd()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pliant_bounds."))
        os.chdir(self.folder)
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(os.chdir, self.before)
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(self.folder / ".cache"))
        (self.folder / "cube.yaml").write_text(SCENE)

    def call(self, *arguments, **options):
        """Runs the program; returns its code, its errors, and the processor's time that it took."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([PLIANT, *map(str, arguments)], stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, timeout=PATIENCE, env=self.environment, **options)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return done.returncode, done.stderr, after.ru_utime - before.ru_utime

    # ---- pipes and devices

    def replaced(self, name, kind):
        """A run in whose folder a file was replaced by a pipe, or by a link to a device."""
        shutil.rmtree("out", ignore_errors=True)
        code, err, _ = self.call("run", "cube.yaml", "-q", "-o", "out", "--frames", 2)
        self.assertEqual(code, 0, err)
        path = self.folder / "out" / name
        path.unlink()
        if kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("/dev/zero")

    def test_a_pipe_or_device_in_a_run_is_never_waited_for(self):
        names = ["steps.jsonl", "run.json", "series.pvd", "scene.yaml", "report.html", ".lock",
                 ".pliant-files", "checkpoint/step_00000002.h5", "frames/cube_00001.vtu"]
        commands = [["run", "cube.yaml", "-q", "-o", "out", "--resume", "--frames", 3],
                    ["run", "cube.yaml", "-q", "-o", "out", "--force"],
                    ["export", "out", "-o", "exported", "-q"],
                    ["check", "out", "-q"]]
        for kind in ("pipe", "device"):
            for name in names:
                self.replaced(name, kind)
                for command in commands:
                    with self.subTest(f"{kind} {name}: {command[0]} {command[-1]}"):
                        self.call(*command)  # or the time is up

    def test_a_pipe_or_device_as_a_scene_include_or_mesh_is_refused(self):
        os.mkfifo("pipe")
        os.mkfifo("pipe.obj")
        os.symlink("/dev/zero", "zero.obj")
        (self.folder / "including.yaml").write_text("include: pipe\n" + SCENE)
        meshes = "materials:\n  soft: " + MATERIAL + \
            "\nbodies:\n  a: {geometry: {file: %s}, material: soft}\n"
        (self.folder / "mesh.yaml").write_text(meshes % "pipe.obj")
        (self.folder / "device.yaml").write_text(meshes % "zero.obj")
        for arguments in (["pipe"], ["/dev/zero"], ["including.yaml"], ["mesh.yaml"],
                          ["device.yaml", "--allow-outside"]):
            code, err, _ = self.call("check", *arguments)
            self.assertIn(code, (2, 3), err)
            self.assertRegex(err, "is a (pipe|device)")

    # ---- scenes that take long

    def test_the_same_large_file_is_not_read_over_and_over(self):
        (self.folder / "large.yaml").write_text("# nothing\n" * 1_500_000)
        includes = ", ".join(["large.yaml"] * 255)
        (self.folder / "many.yaml").write_text(f"include: [{includes}]\n{SCENE}")
        code, err, seconds = self.call("check", "many.yaml")
        self.assertEqual(code, 2, err)
        self.assertIn("counts as often as it is included", err)
        self.assertRegex(err, r"many\.yaml:1:\d+: include: ")
        self.assertLess(seconds, 10)

    def time_of(self, count, text):
        (self.folder / "counted.yaml").write_text(text(count) + "solver: {name: nothing}\n")
        code, err, seconds = self.call("check", "counted.yaml")
        self.assertEqual(code, 2, err)
        self.assertIn("nothing", err)
        return seconds

    def test_reading_names_takes_time_in_proportion_to_them(self):
        def materials(count):
            rows = "".join(f"  m{k}: {MATERIAL}\n" for k in range(count))
            bodies = "".join(f"  b{k}: {CUBE.replace('soft', f'm{k}')}\n" for k in range(count))
            return f"materials:\n{rows}bodies:\n{bodies}"

        few, many = self.time_of(5_000, materials), self.time_of(40_000, materials)
        # eight times as many; sixty-four times as long if every body were compared with every material.
        # A tenth of a second is for starting and for clocks
        self.assertLess(many, 20 * (few + 0.1), f"{few} s and {many} s")

    def test_frames_take_time_in_proportion_to_bodies(self):
        def bodies(count):
            rows = "".join(f"  b{k}: {{geometry: {{grid: {{size: [1, 1, 1], cells: [1, 1, 1]}}}}, "
                           f"material: soft, position: [{2 * k}, 0, 0]}}\n" for k in range(count))
            return f"materials:\n  soft: {MATERIAL}\nbodies:\n{rows}contact: none\ntime: {{fps: 24, frames: 1}}\n"

        seconds = []
        for count in (1_000, 6_000):
            (self.folder / "bodies.yaml").write_text(bodies(count))
            code, err, taken = self.call("run", "bodies.yaml", "-q", "-f", "-o", f"out{count}")
            self.assertEqual(code, 0, err)
            seconds.append(taken)
            self.assertEqual(len(list((self.folder / f"out{count}/frames").iterdir())), 2 * count)
        self.assertLess(seconds[1], 15 * (seconds[0] + 0.1), seconds)

    def test_a_pile_of_bodies_is_refused_without_counting_all_that_cross(self):
        cube = CUBE.replace("}}, ", "}}, position: [0, 0, 0], ")
        rows = "".join(f"  b{k}: {cube}\n" for k in range(20_000))
        (self.folder / "pile.yaml").write_text(f"materials:\n  soft: {MATERIAL}\nbodies:\n{rows}")
        code, err, seconds = self.call("check", "pile.yaml")
        self.assertEqual(code, 2, err)
        self.assertIn("body b0 crosses or touches body b1 at the start, in 120 pairs of triangles", err)
        # every triangle against every other takes minutes; 0.6 s when this was written
        self.assertLess(seconds, 15)

    # ---- signals

    def stop(self, arguments, after, **options):
        process = subprocess.Popen([PLIANT, *arguments], stderr=subprocess.PIPE, text=True,
                                   env=self.environment, **options)
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=PATIENCE)[1]
        return process.returncode, err

    def test_an_interrupt_is_heard_while_a_scene_is_read(self):
        reader, writer = os.pipe()
        try:
            code, err = self.stop(["run", "-"], 0.5, stdin=reader)
        finally:
            os.close(reader)
            os.close(writer)
        self.assertEqual(code, 130, err)
        self.assertIn("while the scene was read", err)

    # ---- promises

    def test_what_could_not_be_saved_is_not_promised(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        for arguments in ([], ["--resume"]):
            code, err, _ = self.call("run", "cube.yaml", "-o", "full", *arguments, preexec_fn=limit)
            self.assertEqual(code, 3, err)
            self.assertNotIn("--resume", err)
            self.assertNotIn("saved in", err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
