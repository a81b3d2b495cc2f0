#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Disks that are full, folders that cannot be written, vanish or are taken: exit code 3 with the
file and the reason, whatever was written before is whole, nothing temporary stays, and once there is
room again the run goes on to the same bits."""
import os
import re
import resource
import shutil
import subprocess
import tempfile

import common

NOBODY = 65534
FAMILIES = tuple(common.FAMILIES) if common.LONG else ("tetrahedra", "implicit")


def mount(*arguments):
    """Whether the system let us; a folder of a test is unmounted by Disk.tearDown."""
    if os.geteuid() != 0:
        return False
    return subprocess.run(["mount", *map(str, arguments)], capture_output=True).returncode == 0


class Disk(common.Fault):
    def setUp(self):
        super().setUp()
        self.mounts = []
        self.out = self.folder / "disk" / "out"
        (self.folder / "disk").mkdir()

    def tearDown(self):
        for path in reversed(self.mounts):
            subprocess.run(["umount", "-l", str(path)], check=True)
        super().tearDown()

    def mount(self, *arguments):
        if not mount(*arguments):
            self.skipTest("this needs root, and mounts that are allowed")
        self.mounts.append(arguments[-1])

    def prepare(self, family):
        self.scene = self.write_scene(family, 1)
        self.whole = self.folder / f"whole_{family}"
        self.expect(0, "run", self.scene, "-q", "-o", self.whole)

    def expect_tidy(self):
        """Nothing temporary, every frame whole and as it should be, the list names what is there."""
        self.assertEqual(common.leftovers(self.out), [])
        frames = sorted((self.out / "frames").glob("*")) if (self.out / "frames").exists() else []
        for path in frames:
            whole = self.whole / "frames" / path.name
            self.assertEqual(path.read_bytes(), whole.read_bytes(), path)
        series = self.out / "series.pvd"
        listed = re.findall(r'file="([^"]*)"', series.read_text()) if series.exists() else []
        for name in listed:
            self.assertTrue((self.out / name).exists(), f"{name} is listed and not there")

    def expect_goes_on(self):
        self.expect(0, "run", self.scene, "-q", "-o", self.out, "--resume")
        self.assertEqual(common.digests(self.out), common.digests(self.whole))
        self.assertEqual(common.read_steps(self.out), common.read_steps(self.whole))

    def wait_for_checkpoints(self, process):
        folder = self.out / "checkpoint"
        self.wait_until(lambda: folder.exists() and any(folder.glob("step_*.h5")), process)

    # ---- full

    def size_of(self, folder):
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

    def test_full_disk(self):
        disk = self.folder / "disk"
        self.mount("-t", "tmpfs", "-o", "size=64m", "none", disk)
        for family in FAMILIES:
            self.prepare(family)
            whole = self.size_of(self.whole)
            parts = range(1, 20) if common.LONG else (1, 6, 12)
            for part in parts:
                size = whole * part // 20 // 4096 * 4096 + 4096
                with self.subTest(f"{family}, {size} bytes"):
                    subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)
                    _, err = self.expect(3, "run", self.scene, "-o", self.out)
                    self.assertIn("No space left on device", err)
                    self.assertIn(str(self.out), err)
                    self.expect_tidy()
                    subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
                    self.expect_goes_on()
                    shutil.rmtree(self.out)

    def test_limit_on_file_sizes(self):
        for family in FAMILIES:
            self.prepare(family)
            # files that tell times have no fixed size
            sizes = {path.stat().st_size for path in self.whole.rglob("*")
                     if path.suffix in (".vtu", ".vtp", ".h5", ".yaml", ".pvd")}
            limits = sorted({size * part // 8 for size in sizes for part in (1, 5)})
            for limit in limits if common.LONG else limits[::3][-4:]:
                with self.subTest(f"{family}, {limit} bytes"):
                    code, _, err = self.call(
                        "run", self.scene, "-o", self.out,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                    self.assertEqual(code, 3, err)
                    self.assertRegex(err, r"cannot (write|append) \d+ bytes after the first \d+")
                    self.assertIn("File too large", err)
                    self.expect_tidy()
                    self.expect_goes_on()
                    shutil.rmtree(self.out)

    def test_device_that_is_always_full(self):
        self.prepare("tetrahedra")
        with open("/dev/full", "w") as full:
            _, err = self.expect(3, "run", self.scene, "-q", "-o", self.out, "--json", stdout=full)
            self.assertIn("No space left on device", err)
            # the run itself is done
            self.assertEqual(common.digests(self.out), common.digests(self.whole))
            # messages that nobody can hear are no reason to stop
            shutil.rmtree(self.out)
            self.expect(0, "run", self.scene, "-o", self.out, stderr=full)
        self.assertEqual(common.digests(self.out), common.digests(self.whole))

    # ---- not to be written

    def test_read_only_disk_is_refused_at_the_start(self):
        self.prepare("tetrahedra")
        disk = self.folder / "disk"
        self.mount("-t", "tmpfs", "-o", "ro", "none", disk)
        _, err = self.expect(3, "run", self.scene, "-o", self.out)
        self.assertIn("Read-only file system", err)
        self.assertIn(str(self.out), err)

    def test_disk_that_becomes_read_only_stops_the_run(self):
        # a file that is open for writing forbids to change the mount, and what is mounted over the folder
        # is not where a run writes: it holds on to the folder that it took
        if not common.can_trace():
            self.skipTest("strace is not here or may not trace")
        self.prepare("tetrahedra")
        before = ["strace", "-f", "-o", "/dev/null", "-e", "signal=none", "-e", "trace=openat",
                  "-e", "inject=openat:error=EROFS:when=800+"]
        code, _, err = self.call("run", self.scene, "-q", "-o", self.out, "--frames", 100000,
                                 before=before)
        self.assertEqual(code, 3, err)
        self.assertIn("Read-only file system", err)
        self.assertTrue(any((self.out / "checkpoint").glob("step_*.h5")))

    def test_folder_without_permission_is_refused(self):
        if os.geteuid() != 0:
            self.skipTest("this needs root, which becomes nobody")
        self.prepare("tetrahedra")
        # what nobody can reach: a copy of the program, and a folder that is not nobody's
        program = self.folder / "pliant"
        shutil.copy(common.PLIANT, program)
        for path in (self.folder, program, self.folder / "disk"):
            path.chmod(0o755)
        process = subprocess.run(
            [program, "run", self.scene, "-o", self.out], capture_output=True, text=True,
            timeout=common.PATIENCE, preexec_fn=lambda: os.setuid(NOBODY))
        self.assertEqual(process.returncode, 3, process.stderr)
        self.assertIn("Permission denied", process.stderr)
        # a run of somebody else's can be looked at, not resumed
        shutil.copytree(self.whole, self.out)
        before = {path: path.stat().st_mtime_ns for path in self.out.rglob("*")}
        for option in ("--resume", "--force"):
            process = subprocess.run(
                [program, "run", self.scene, "-o", self.out, option], capture_output=True,
                text=True, timeout=common.PATIENCE, preexec_fn=lambda: os.setuid(NOBODY))
            self.assertEqual(process.returncode, 3, process.stderr)
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.out.rglob("*")}, before)

    # ---- gone, or taken

    def test_folder_that_vanishes_stops_the_run_and_stays_away(self):
        self.prepare("tetrahedra")
        # checkpoints are made where they belong, and the run goes on, unless one was being written
        for name, frames, wanted in ((".", 100000, (3,)), ("frames", 100000, (3,)),
                                     ("checkpoint", 60, (0, 3))):
            with self.subTest(name):
                process = self.start("run", self.scene, "-q", "-o", self.out, "--frames", frames)
                self.wait_for_checkpoints(process)
                gone = self.out / name
                with tempfile.TemporaryDirectory(dir=self.folder) as trash:
                    os.rename(gone.resolve(), os.path.join(trash, "gone"))
                    code, _, err = self.end(process)
                self.assertIn(code, wanted, err)
                self.assertIn(str(self.out) if code == 3 else "", err)
                if name == ".":
                    self.assertFalse(self.out.exists())
                shutil.rmtree(self.out, ignore_errors=True)

    def test_many_at_once_and_one_has_the_folder(self):
        self.prepare("tetrahedra")
        for options in ((), ("--force",), ("--resume",)):
            with self.subTest(options):
                processes = [self.start("run", self.scene, "-o", self.out, *options)
                             for _ in range(5)]
                ends = [self.end(process) for process in processes]
                done = [code for code, _, _ in ends if code == 0]
                self.assertGreaterEqual(len(done), 1, ends)
                for code, _, err in ends:
                    self.assertIn(code, (0, 3), err)
                    if code == 3:
                        self.assertRegex(err, "in use by another run, process|already holds a run")
                if options == ():
                    self.assertEqual(len(done), 1)
                self.expect_tidy()
                self.assertEqual(common.digests(self.out), common.digests(self.whole))
                shutil.rmtree(self.out)


if __name__ == "__main__":
    common.main()
