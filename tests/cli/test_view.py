#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pliant view: what a browser is given, against the files of the run, and how looking ends."""
import array
import fcntl
import gzip
import http.client
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
import zlib

PLIANT = os.environ["PLIANT"]
PATIENCE = 60 if os.environ.get("PLIANT_INSTRUMENTED") == "1" else 20
TOKEN = "0123456789abcdef-test_token"

POUR = """
about: Water falls beside a block.
domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1]}
materials: {water: {preset: water}}
bodies:
  pool:
    geometry: {particles: {shape: {box: {center: [0.5, 0.4, 0.5], size: [0.4, 0.4, 0.4]}}}}
    material: water
colliders: {floor: {shape: {box: {center: [0.5, 0, 0.5], size: [1, 0.1, 1]}}}}
time: {fps: 60, frames: 3}
"""


class Packet:
    """A packet as docs/protocol.md describes it."""

    def __init__(self, data):
        magic, version, self.kind, self.sequence, self.time, text, size = struct.unpack_from("<4sHHqdII", data)
        assert magic == b"PLIF" and version == 1 and size == len(data) and text % 8 == 0
        self.text = json.loads(data[32:32 + text].decode("utf-8"))
        self.arrays = data[32 + text:]

    def numbers(self, about):
        code, width = {"f32": ("f", 4), "u32": ("I", 4), "u16": ("H", 2)}[about["type"]]
        begin = about["offset"]
        assert begin % 8 == 0 and begin + width * about["count"] <= len(self.arrays)
        numbers = array.array(code, self.arrays[begin:begin + width * about["count"]])
        assert sys.byteorder == "little" and len(numbers) == about["count"]
        if about["type"] != "u16":
            return numbers
        low, high = about["low"], about["high"]
        return [low[i % 3] + (high[i % 3] - low[i % 3]) * n / 65535 for i, n in enumerate(numbers)]


class File:
    """The arrays of a .vtu or .vtp file with raw appended data, by name."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        mark = data.index(b"<AppendedData")
        self.payload = data[data.index(b"_", mark) + 1:]
        header = data[:mark].decode("utf-8")
        self.compressed = "vtkZLibDataCompressor" in header
        self.arrays = {}
        for tag in re.findall(r"<DataArray [^>]*>", header):
            about = dict(re.findall(r'(\w+)="([^"]*)"', tag))
            if about["format"] == "appended":
                self.arrays[about["Name"]] = self.read(about["type"], int(about["offset"]))

    def read(self, kind, offset):
        code = {"Float64": "d", "Float32": "f", "Int32": "i", "UInt8": "B"}[kind]
        first, = struct.unpack_from("<Q", self.payload, offset)
        if not self.compressed:
            return array.array(code, self.payload[offset + 8:offset + 8 + first])
        sizes = struct.unpack_from(f"<{first}Q", self.payload, offset + 24)
        at, parts = offset + 24 + 8 * first, []
        for size in sizes:
            parts.append(zlib.decompress(self.payload[at:at + size]))
            at += size
        return array.array(code, b"".join(parts))


class Viewing:
    """A running pliant view."""

    def __init__(self, folder, *options, environment=None, **more):
        self.secrets = tempfile.TemporaryDirectory()
        file = pathlib.Path(self.secrets.name) / "token"
        file.touch(mode=0o600)
        file.write_text(TOKEN + "\n")
        self.process = subprocess.Popen([PLIANT, "view", folder, "--token-file", file, *options],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=environment, **more)
        self.address = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/open\?code=[0-9a-f]{32})", self.address)
        if match is None:
            self.process.kill()
            raise AssertionError(f"'{self.address}' is no address: {self.process.communicate()[1]}")
        self.port, self.door = int(match.group(1)), match.group(2)

    def ask(self, path, token=True, method="GET", body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = dict(headers or {})
        if token:
            headers["Authorization"] = "Bearer " + (TOKEN if token is True else token)
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer, data

    def open(self, path=None):
        """The cookie that a browser gets for an address."""
        answer, _ = self.ask(path or self.door, token=False)
        assert answer.status == 303, answer.status
        return answer.headers["Set-Cookie"].split(";")[0]

    def status(self, path, cookie, **options):
        headers = dict(options.pop("headers", {}), Cookie=cookie)
        return self.ask(path, token=False, headers=headers, **options)[0].status

    def status_for_another_user(self, path, cookie=""):
        """What nobody is answered; only root can ask for them."""
        child = os.fork()
        if child == 0:
            try:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
                os._exit(self.status(path, cookie) - 300)
            finally:
                os._exit(255)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) + 300

    def get(self, path):
        answer, data = self.ask(path)
        assert answer.status == 200, (path, answer.status, data)
        return data

    def end(self, number=signal.SIGINT):
        began = time.monotonic()
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, time.monotonic() - began, out, err

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.secrets.cleanup()


class View(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.demo = str(cls.folder / "demo")
        cls.pour = str(cls.folder / "pour")
        (cls.folder / "pour.yaml").write_text(POUR)
        fields = "output.fields=[velocity, displacement, material, von_mises, von_mises_cell]"
        subprocess.run([PLIANT, "run", "demo", "--frames", "2", "-o", cls.demo, "-q", "--set", fields], check=True)
        subprocess.run([PLIANT, "run", cls.folder / "pour.yaml", "-o", cls.pour, "-q"], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def view(self, folder, *options, **more):
        return Viewing(folder, "--no-open", *options, **more)

    def test_page_is_given_to_anyone(self):
        with self.view(self.demo) as viewing:
            answer, data = viewing.ask("/", token=False)
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.headers["Content-Encoding"], "gzip")
            self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
            self.assertIn(b"<html", gzip.decompress(data))

    def test_everything_else_needs_the_token(self):
        with self.view(self.demo) as viewing:
            for token in (False, "0123456789abcdef-test_tokem", TOKEN[:-1], TOKEN + "0"):
                for path in ("/api/session", "/api/series", "/api/frame/0", "/report"):
                    self.assertEqual(viewing.ask(path, token=token)[0].status, 403, path)
            # addresses get into histories: what is in them counts for nothing
            self.assertEqual(viewing.ask("/report?token=" + TOKEN, token=False)[0].status, 403)
            answer, _ = viewing.ask("/report")
            self.assertEqual(answer.status, 200)
            self.assertIn("sandbox", answer.headers["Content-Security-Policy"])

    def test_an_address_lets_one_browser_in_once(self):
        with self.view(self.demo) as viewing:
            # asking for the head alone, or wrongly, does not use it up
            self.assertEqual(viewing.ask(viewing.door, token=False, method="HEAD")[0].status, 405)
            self.assertEqual(viewing.ask(viewing.door[:-1] + "g", token=False)[0].status, 403)
            answer, _ = viewing.ask(viewing.door + "&lite", token=False)
            self.assertEqual((answer.status, answer.headers["Location"]), (303, "/?lite"))
            name, *attributes = answer.headers["Set-Cookie"].split("; ")
            self.assertRegex(name, rf"^pliant-{viewing.port}=[0-9a-f]{{32}}$")
            self.assertEqual(sorted(attributes), ["HttpOnly", "Path=/", "SameSite=Strict"])
            self.assertNotIn(name.split("=")[1], viewing.address)
            self.assertEqual(viewing.status("/api/session", name), 200)
            self.assertEqual(viewing.status("/api/session", f"a=b; {name}; c=d"), 200)
            self.assertEqual(viewing.status("/api/session", name[:-1]), 403)
            self.assertEqual(viewing.status("/api/session", "x" + name), 403)
            answer, data = viewing.ask(viewing.door, token=False)
            self.assertEqual(answer.status, 403)
            self.assertIn(b"Enter", data)
            # whoever goes back is let in still
            self.assertEqual(viewing.status(viewing.door, name), 303)

    def test_cookies_are_no_use_to_pages_of_others(self):
        view = json.dumps({"pliant_view": 1, "camera": {"position": [3, 2, 4], "target": [0, 1, 0]}})
        with self.view(self.demo) as viewing:
            cookie = viewing.open()
            for site, status in (("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403)):
                self.assertEqual(viewing.status("/api/session", cookie, headers={"Sec-Fetch-Site": site}), status, site)
            self.assertEqual(viewing.status("/api/view", cookie, method="POST", body=view), 403)
            for port, status in ((viewing.port, 200), (viewing.port + 1, 403)):
                origin = {"Origin": f"http://127.0.0.1:{port}"}
                self.assertEqual(viewing.status("/api/view", cookie, method="POST", body=view, headers=origin), status)

    def test_arguments_of_processes_hold_nothing_that_others_can_use(self):
        seen = self.folder / "handed"
        browser = self.folder / "handed_browser"
        browser.write_text(f'#!/bin/sh\nprintf "%s" "$1" > "{seen}.part"\nmv "{seen}.part" "{seen}"\n')
        browser.chmod(0o755)
        with Viewing(self.demo, environment=dict(os.environ, BROWSER=str(browser))) as viewing:
            self.wait_for(seen)
            door = "/" + seen.read_text().split("/", 3)[3]
            own = pathlib.Path(f"/proc/{viewing.process.pid}/cmdline").read_bytes().decode()
            for text in (seen.read_text(), own):
                self.assertNotIn(TOKEN, text)
                self.assertNotIn(viewing.door, text)
            # another user who reads the list of processes is not let in, and keeps nobody out
            if os.getuid() == 0:
                self.assertEqual(viewing.status_for_another_user(door), 403)
            cookie = viewing.open(door)
            self.assertEqual(viewing.status("/api/session", cookie), 200)
            # the printed one has not been used
            viewing.open()

    def test_a_cookie_that_leaks_is_no_use_to_other_users(self):
        if os.getuid() != 0:
            self.skipTest("only root can be another user")
        with self.view(self.demo) as viewing:
            cookie = viewing.open()
            self.assertEqual(viewing.status("/api/session", cookie), 200)
            self.assertEqual(viewing.status_for_another_user("/api/session", cookie), 403)

    def test_enter_on_the_terminal_gives_a_new_address(self):
        controller, terminal = pty.openpty()
        def take_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        try:
            with self.view(self.demo, stdin=terminal, preexec_fn=take_terminal) as viewing:
                os.write(controller, b"\n")
                fresh = viewing.process.stdout.readline().strip()
                self.assertEqual(fresh.split("?")[0], viewing.address.split("?")[0])
                self.assertNotEqual(fresh, viewing.address)
                self.assertEqual(viewing.ask(viewing.door, token=False)[0].status, 403)
                viewing.open("/" + fresh.split("/", 3)[3])
                self.assertIn("Enter gives a new one", viewing.end()[3])
        finally:
            os.close(controller)
            os.close(terminal)

    def test_a_report_that_is_a_link_is_not_followed(self):
        folder = self.folder / "linked"
        shutil.copytree(self.demo, folder)
        secret = self.folder / "secret"
        secret.write_text("<p>secret")
        (folder / "report.html").unlink()
        (folder / "report.html").symlink_to(secret)
        with self.view(str(folder)) as viewing:
            self.assertFalse(json.loads(viewing.get("/api/session"))["report"])
            answer, data = viewing.ask("/report")
            self.assertEqual(answer.status, 500)
            self.assertIn(b"is a symbolic link", data)
            # nor does it wait for a pipe
            (folder / "report.html").unlink()
            os.mkfifo(folder / "report.html")
            self.assertEqual(viewing.ask("/report")[0].status, 500)

    def test_other_machines_are_kept_out_unless_they_are_wanted(self):
        for command in ("view", "live"):
            what = self.demo if command == "view" else str(self.folder / "pour.yaml")
            for host in ("0.0.0.0", "::"):
                result = subprocess.run([PLIANT, command, what, "--no-open", "--host", host, "-q"], cwd=self.folder,
                                        capture_output=True, text=True, timeout=PATIENCE, check=False)
                self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                self.assertIn("--yes-remote", result.stderr)
        with self.view(self.demo, "--host", "0.0.0.0", "--yes-remote") as viewing:
            viewing.get("/api/session")
            self.assertIn("warning: other machines can reach this page", viewing.end()[3])
        with self.view(self.demo, "--host", "127.0.0.1", "--yes-remote") as viewing:
            self.assertNotIn("other machines", viewing.end()[3])

    def test_session_and_series_describe_the_run(self):
        with self.view(self.demo) as viewing:
            session = json.loads(viewing.get("/api/session"))
            self.assertEqual((session["protocol"], session["mode"], session["title"]), (1, "view", "demo"))
            self.assertTrue(session["report"])
            series = json.loads(viewing.get("/api/series"))
            self.assertEqual([frame[0] for frame in series["frames"]], [0, 1, 2])
            self.assertFalse(series["going"])
            self.assertEqual(series["outcome"], "done")
            fps = json.loads((pathlib.Path(self.demo) / "run.json").read_text())["fps"]
            self.assertEqual(series["fps"], fps)
            self.assertAlmostEqual(series["frames"][2][1], 2 / fps)
            self.assertEqual(viewing.ask("/api/frame/3")[0].status, 404)

    def test_surfaces_are_those_of_the_files(self):
        with self.view(self.demo) as viewing:
            frame = Packet(viewing.get("/api/frame/2?fields=velocity,von_mises,von_mises_cell"))
            self.assertEqual((frame.kind, frame.sequence, frame.text["frame"]), (1, 2, 2))
            part = frame.text["parts"][0]
            topology = Packet(viewing.get("/api/topology/2/0"))
            self.assertEqual((topology.kind, topology.text["topology"]), (2, part["topology"]))
            vertices = topology.numbers(topology.text["vertices"])
            triangles = topology.numbers(topology.text["triangles"])
            points = frame.numbers(part["points"])
            self.assertEqual(len(points), 3 * len(vertices))
            self.assertLess(max(triangles), len(vertices))
            # a closed surface: every edge has two sides, and Euler's number is 2
            edges = {}
            for t in range(0, len(triangles), 3):
                for a, b in ((0, 1), (1, 2), (2, 0)):
                    edge = (triangles[t + a], triangles[t + b])
                    self.assertNotIn(edge, edges)
                    edges[edge] = t
            self.assertTrue(all((b, a) in edges for a, b in edges))
            self.assertEqual(len(vertices) - len(edges) // 2 + len(triangles) // 3, 2)
            # the same topology in another frame has the same name
            first = Packet(viewing.get("/api/frame/0")).text["parts"][0]
            self.assertEqual(first["topology"], part["topology"])
            self.assertEqual(first["fields"], [])
            self.compare_mesh(frame, part, topology, points)

    def compare_mesh(self, frame, part, topology, points):
        file = File(f"{self.demo}/frames/{part['name']}_00002.vtu").arrays
        vertices = topology.numbers(topology.text["vertices"])
        fields = {field["name"]: frame.numbers(field["values"]) for field in part["fields"]}
        for i, v in enumerate(vertices):
            for k in range(3):
                # single precision: half a unit in the 24th bit
                wanted = file["Points"][3 * v + k]
                self.assertLessEqual(abs(points[3 * i + k] - wanted), 6e-8 * abs(wanted) + 1e-30)
                self.assertEqual(fields["velocity"][3 * i + k], file["velocity"][3 * v + k])
            wanted = file["von_mises"][v]
            self.assertLessEqual(abs(fields["von_mises"][i] - wanted), 6e-8 * abs(wanted))
        self.compare_means(file, topology, vertices, fields["von_mises_cell"])

    def compare_means(self, file, topology, vertices, values):
        """Values of cells are means over the tetrahedra behind the triangles around a point."""
        cells = file["connectivity"]
        behind = {}
        for t in range(0, len(cells), 4):
            for left_out in range(4):
                behind[frozenset(cells[t + k] for k in range(4) if k != left_out)] = t // 4
        triangles = topology.numbers(topology.text["triangles"])
        around = [[] for _ in vertices]
        for t in range(0, len(triangles), 3):
            corners = triangles[t:t + 3]
            cell = behind[frozenset(vertices[corner] for corner in corners)]
            for corner in corners:
                around[corner].append(file["von_mises_cell"][cell])
        for got, wanted in zip(values, around):
            mean = sum(wanted) / len(wanted)
            self.assertLessEqual(abs(got - mean), 1e-7 * abs(mean))

    def test_particles_are_those_of_the_files(self):
        with self.view(self.pour) as viewing:
            frame = Packet(viewing.get("/api/frame/3"))
            parts = {part["name"]: part for part in frame.text["parts"]}
            pool = parts["pool"]
            self.assertEqual((pool["kind"], pool["points"]["type"], pool["topology"]), ("points", "u16", ""))
            self.assertGreater(pool["radius"], 0)
            points = frame.numbers(pool["points"])
            self.assertGreater(len(points), 1000)
            self.assertEqual(parts["floor"]["role"], "collider")
            self.assertEqual(frame.text["bounds"][0], pool["points"]["low"])
            want = File(f"{self.pour}/frames/pool_00003.vtp").arrays["Points"]
            self.assertEqual(len(points), len(want))
            low, high = pool["points"]["low"], pool["points"]["high"]
            for i, (got, wanted) in enumerate(zip(points, want)):
                # half a step of 65535
                self.assertLessEqual(abs(got - wanted), 0.501 * (high[i % 3] - low[i % 3]) / 65535)

    def test_views_are_kept_in_the_folder(self):
        with self.view(self.pour) as viewing:
            path = pathlib.Path(self.pour) / "view.json"
            self.assertEqual(viewing.ask("/api/view", method="POST", body="{}")[0].status, 400)
            self.assertFalse(path.exists())
            view = json.dumps({"pliant_view": 1, "camera": {"position": [3, 2, 4], "target": [0, 1, 0]}})
            self.assertEqual(viewing.ask("/api/view", token=False, method="POST", body=view)[0].status, 403)
            self.assertEqual(viewing.ask("/api/view", method="POST", body=view)[0].status, 200)
            self.assertEqual(path.read_text(), view)
            self.assertEqual(viewing.ask("/api/view", method="POST", body=" " * 70000)[0].status, 413)

    def test_a_run_that_goes_is_followed_until_it_is_killed(self):
        folder = str(self.folder / "going")
        run = subprocess.Popen([PLIANT, "run", self.folder / "pour.yaml", "-o", folder, "-q",
                                "--frames", "100000"])
        try:
            self.wait_for(pathlib.Path(folder) / "series.pvd")
            with self.view(folder) as viewing:
                series = json.loads(viewing.get("/api/series"))
                self.assertTrue(series["going"])
                self.assertEqual(series["outcome"], "running")
                began = time.monotonic()
                while len(json.loads(viewing.get("/api/series"))["frames"]) < len(series["frames"]) + 2:
                    self.assertLess(time.monotonic() - began, PATIENCE)
                    time.sleep(0.05)
                run.kill()
                run.wait()
                series = json.loads(viewing.get("/api/series"))
                self.assertFalse(series["going"])
                self.assertEqual(series["outcome"], "killed")
                last = series["frames"][-1][0]
                self.assertEqual(Packet(viewing.get(f"/api/frame/{last}")).sequence, last)
                self.begin_anew(folder, viewing)
        finally:
            if run.poll() is None:
                run.kill()
                run.wait()

    def begin_anew(self, folder, viewing):
        """A run by force in the folder that is looked at."""
        before = json.loads(viewing.get("/api/series"))
        subprocess.run([PLIANT, "run", "demo", "--frames", "1", "-o", folder, "-q", "--force"], check=True)
        after = json.loads(viewing.get("/api/series"))
        self.assertEqual([frame[0] for frame in after["frames"]], [0, 1])
        self.assertNotEqual(before["instance"], after["instance"])
        self.assertEqual(Packet(viewing.get("/api/frame/1")).text["parts"][0]["name"], "cube")

    def wait_for(self, path):
        began = time.monotonic()
        while not path.exists():
            self.assertLess(time.monotonic() - began, PATIENCE)
            time.sleep(0.05)

    def test_signals_end_it_with_0(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.view(self.demo) as viewing:
                viewing.get("/api/series")
                code, seconds, out, err = viewing.end(number)
                self.assertEqual((code, out), (0, ""))
                self.assertIn("Ctrl-C ends", err)
                if os.environ.get("PLIANT_INSTRUMENTED") != "1":
                    self.assertLess(seconds, 5)  # well within one on a machine that has nothing else to do

    def test_open_connections_do_not_keep_it(self):
        with self.view(self.demo) as viewing:
            idle = socket.create_connection(("127.0.0.1", viewing.port))
            half = socket.create_connection(("127.0.0.1", viewing.port))
            half.sendall(b"GET /api/series HTTP/1.1\r\nHost")
            self.assertEqual(viewing.end()[0], 0)
            idle.close()
            half.close()

    def test_json_for_other_programs(self):
        process = subprocess.Popen([PLIANT, "view", self.demo, "--no-open", "--json", "-q"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        text = ""
        while not text.endswith("}\n"):
            text += process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        self.assertTrue(json.loads(text)["address"].startswith("http://127.0.0.1:"))
        self.assertEqual((process.returncode, err), (0, ""))

    def test_browser_is_started_with_the_address(self):
        seen = self.folder / "seen"
        browser = self.folder / "browser"
        browser.write_text(f'#!/bin/sh\necho noise\nprintf "%s" "$*" > "{seen}.part"\nmv "{seen}.part" "{seen}"\n')
        browser.chmod(0o755)
        environment = dict(os.environ, BROWSER=f"{browser} --new-window")
        with Viewing(self.demo, environment=environment) as viewing:
            self.wait_for(seen)
            place = re.escape(viewing.address.split("?")[0])
            self.assertRegex(seen.read_text(), rf"^--new-window {place}\?code=[0-9a-f]{{32}}$")
            self.assertEqual(viewing.end()[2], "")

    def test_a_browser_that_is_not_there_is_no_failure(self):
        environment = dict(os.environ, BROWSER="/nonexistent/browser")
        with Viewing(self.demo, environment=environment) as viewing:
            viewing.get("/api/series")
            self.assertEqual(viewing.end()[0], 0)

    def refuse(self, code, words, *options):
        result = subprocess.run([PLIANT, "view", "--no-open", *options], capture_output=True, text=True,
                                timeout=PATIENCE, check=False)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertIn(words, result.stderr)

    def test_faults_are_said_at_once(self):
        empty = self.folder / "empty"
        empty.mkdir(exist_ok=True)
        self.refuse(3, "no such folder", str(self.folder / "nothing"))
        self.refuse(3, "holds no frames", str(empty))
        self.refuse(2, "--token-file", self.demo, "--token", "short")
        token = self.folder / "open_token"
        token.write_text(TOKEN)
        token.chmod(0o644)
        self.refuse(2, "can be read or written by others", self.demo, "--token-file", str(token))
        token.chmod(0o600)
        token.write_text("short")
        self.refuse(2, "16 to 64", self.demo, "--token-file", str(token))
        self.refuse(2, "No such file", self.demo, "--token-file", str(self.folder / "nothing"))
        self.refuse(2, "no regular file", self.demo, "--token-file", "/dev/zero")
        self.refuse(2, "port", self.demo, "--port", "70000")
        self.refuse(2, "DIR")
        with self.view(self.demo) as viewing:
            self.refuse(3, str(viewing.port), self.demo, "--port", str(viewing.port))


if __name__ == "__main__":
    unittest.main()
