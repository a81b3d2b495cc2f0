# SPDX-License-Identifier: Apache-2.0
"""Files: the same bits as the program's runs, frames, exports, pictures."""
import json
import struct
import subprocess

from common import PROGRAM, Folder, cube, main, snow, two_bodies

import numpy as np
import pliant


def program(*arguments):
    subprocess.run([PROGRAM, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


class SameAsTheProgram(Folder):
    def simulate(self, description):
        """The scene by the program and by a loop in Python; frames of both."""
        scene = pliant.Scene(description)
        path = self.folder / "scene.yaml"
        scene.save(path)
        program("run", path, "-o", self.folder / "run", "--quiet")
        series = pliant.Series(self.folder / "run")
        sim = pliant.Simulation(scene)
        self.assertEqual(len(series), scene.get("time.frames") + 1)
        frames = [sim.frame()] + [sim.frame() for _ in sim.frames()]
        return series, frames, sim

    def test_meshes_have_the_same_bits(self):
        scene = two_bodies()
        scene.update(gravity=[0, -9.81, 0], colliders={"ground": {
            "shape": {"plane": {"point": [0, -0.6, 0]}}, "friction": 0.3}},
            contact="penalty", time={"fps": 24, "frames": 5, "steps_per_frame": 2})
        series, frames, sim = self.simulate(scene)
        for stored, frame in zip(series, frames):
            self.assertEqual((stored.index, stored.time), (frame.index, frame.time))
            for name in ("cube", "bar"):
                self.assertTrue(np.array_equal(stored.parts[name].points, frame.parts[name].points))
                self.assertTrue(np.array_equal(stored.parts[name].fields["velocity"],
                                               frame.parts[name].fields["velocity"].astype("f4")))
        other = pliant.Simulation(scene)
        other.load(self.folder / "run" / "checkpoint")
        self.assertEqual(other.state.hash, sim.state.hash)

    def test_factors_of_large_matrices_have_the_same_bits(self):
        scene = cube(solver="ipc-llt", contact="barrier", time={"fps": 50, "frames": 1})
        scene["bodies"]["cube"]["geometry"]["grid"]["cells"] = [9, 9, 9]
        series, frames, _ = self.simulate(scene)
        self.assertTrue(np.array_equal(series[1].parts["cube"].points,
                                       frames[1].parts["cube"].points))

    def test_particles_have_the_same_bits(self):
        for solver in ("explicit", "hot"):
            self.folder /= solver
            self.folder.mkdir()
            series, frames, _ = self.simulate(snow(solver))
            for stored, frame in zip(series, frames):
                self.assertTrue(np.array_equal(stored.parts["box"].points,
                                               frame.parts["box"].points))


class Runs(Folder):
    def test_a_run_writes_what_the_program_writes(self):
        heard = []
        with pliant.Run(cube(), self.folder / "run", progress=heard.append) as run:
            infos = list(run)
        self.assertEqual([info.frame for info in infos], [1, 2, 3, 4])
        self.assertEqual((infos[-1].outcome, infos[-1].unconverged), ("done", 0))
        self.assertEqual([progress.step for progress in heard], [1, 2, 3, 4])
        self.assertEqual(heard[1].report.step, 2)
        self.assertEqual((heard[-1].frame_count, heard[-1].step_count), (4, 4))
        for name in ("scene.yaml", "steps.jsonl", "series.pvd", "run.json", "report.html"):
            self.assertTrue((self.folder / "run" / name).is_file(), name)
        self.assertEqual(json.loads((self.folder / "run" / "run.json").read_text())["status"],
                         "done")
        steps = pliant.read_steps(self.folder / "run")
        self.assertEqual([step["step"] for step in steps], [1, 2, 3, 4])
        self.assertEqual(steps[-1]["energy"]["kinetic"], heard[-1].report.energy.kinetic)

    def test_steps_of_earlier_versions_are_read(self):
        lines = [{"step": 1, "matter": {"particles": 9, "emitted": 2}, "particles": 9,
                  "grid": {"pieces": 3, "held": 4, "solves": 5}},
                 {"step": 2, "matter": {"particles": 9, "emitted": 0, "tick": 0.5}}]
        path = self.folder / "steps.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.assertEqual(pliant.read_steps(self.folder), [
            {"step": 1, "particles": 9, "emitted": 2,
             "implicit": {"substeps": 3, "constrained": 4, "solves": 5}},
            {"step": 2, "particles": 9, "emitted": 0, "explicit": {"tick": 0.5}}])

    def test_runs_are_limited_and_resumed(self):
        info = pliant.run(cube(), self.folder / "run", steps=2)
        self.assertEqual((info.outcome, info.step), ("limited", 2))
        info = pliant.run(cube(), self.folder / "run", resume=True)
        self.assertEqual((info.outcome, info.step, info.first_step), ("done", 4, 2))
        with self.assertRaises(pliant.FileError):
            pliant.run(cube(), self.folder / "run")
        info = pliant.run(cube(), self.folder / "run", force=True, frames=1)
        self.assertEqual((info.outcome, info.frame), ("done", 1))

    def test_what_progress_raises_ends_the_run_with_its_state_saved(self):
        def stop_at_two(progress):
            if progress.step == 2:
                raise ZeroDivisionError

        with pliant.Run(cube(), self.folder / "run", progress=stop_at_two) as run:
            self.assertRaises(ZeroDivisionError, run.execute)
            self.assertEqual(run.info.outcome, "interrupted")
            self.assertFalse(run.advance())
        info = pliant.run(cube(), self.folder / "run", resume=True)
        self.assertEqual((info.outcome, info.step), ("done", 4))

    def test_cancel_ends_a_run(self):
        with pliant.Run(cube(), self.folder / "run") as run:
            run.cancel()
            self.assertRaises(pliant.InterruptedStep, run.advance)

    def test_exports_are_made(self):
        pliant.run(cube(), self.folder / "run")
        count = pliant.export(self.folder / "run", self.folder / "out", "obj+pc2")
        self.assertEqual(count, 2)
        head = (self.folder / "out" / "cube.pc2").read_bytes()[:32]
        # "POINTCACHE2", version, vertices (26 of 27 are on the surface), start, rate, frames
        self.assertEqual(struct.unpack("<12siiffi", head), (b"POINTCACHE2\0", 1, 26, 0, 1, 5))
        count = pliant.export(self.folder / "run", self.folder / "some", "ply", first=1, every=2)
        self.assertEqual(count, 2)
        with self.assertRaises(pliant.ArgumentError):
            pliant.export(self.folder / "run", self.folder / "out", "word")


class Frames(Folder):
    def test_a_loop_of_your_own_writes_frames(self):
        sim = pliant.Simulation(cube())
        sim.forces[:, 0] = 1
        with pliant.FrameWriter(self.folder, compress=True) as writer:
            writer.add(sim)
            for _ in sim.frames(3):
                writer.add(sim)
        series = pliant.Series(self.folder)
        self.assertEqual((len(series), series.indices), (4, [0, 1, 2, 3]))
        self.assertTrue(np.allclose(series.times, np.arange(4) / 30))
        self.assertTrue(np.array_equal(series[-1].parts["cube"].points, sim.positions))
        self.assertEqual([frame.index for frame in series[1:3]], [1, 2])
        self.assertEqual(len(list(series)), 4)
        self.assertRaises(IndexError, lambda: series[4])

    def test_a_series_grows(self):
        sim = pliant.Simulation(cube())
        writer = pliant.FrameWriter(self.folder)
        writer.add(sim)
        series = pliant.Series(self.folder)
        sim.step()
        writer.add(sim)
        self.assertEqual(len(series), 1)
        series.update()
        self.assertEqual(len(series), 2)

    def test_folders_without_frames_are_file_errors(self):
        self.assertRaises(pliant.FileError, pliant.Series, self.folder)
        (self.folder / "file").touch()
        self.assertRaises(pliant.FileError, pliant.FrameWriter, self.folder / "file" / "inside")


class Pictures(Folder):
    def test_a_picture_shows_the_body(self):
        sim = pliant.Simulation(cube())
        try:
            plain = pliant.picture(sim, size=(96, 64), ground=False, samples=1, lit=False)
        except pliant.UnsupportedError:
            self.skipTest("built without pictures")
        self.assertEqual((plain.shape, plain.dtype), ((64, 96, 3), np.uint8))
        # the middle shows the body, the corner does not
        self.assertGreater(np.abs(plain[32, 48].astype(int) - plain[0, 0]).sum(), 30)
        colored = pliant.picture(sim, (96, 64), field="displacement", value_range=(0, 1),
                                 azimuth=10, elevation=40, background="dark", colormap="diverging")
        self.assertFalse(np.array_equal(plain, colored))
        pliant.write_png(self.folder / "cube.png", plain)
        self.assertEqual((self.folder / "cube.png").read_bytes()[:4], b"\x89PNG")

    def test_unknown_options_are_refused(self):
        sim = pliant.Simulation(cube())
        self.assertRaisesRegex(TypeError, "no option 'color'", pliant.picture, sim, color=1)
        self.assertRaisesRegex(ValueError, "allowed: light, dark", pliant.picture, sim,
                               background="pink")
        self.assertRaises(ValueError, pliant.write_png, "unused.png", np.zeros((4, 4)))


if __name__ == "__main__":
    main()
