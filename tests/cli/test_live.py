#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pliant live: a hand drags a body over the socket, wrong commands change nothing, the log replays."""
import array
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

PLIANT = os.environ["PLIANT"]
PATIENCE = 120 if os.environ.get("PLIANT_INSTRUMENTED") == "1" else 60
TOKEN = "0123456789abcdef-live_token"

BAR = """
materials: {soft: {law: corotated, density: 1000, young: 5e4, poisson: 0, drag: 2}}
bodies: {bar: {geometry: {grid: {size: [1, 0.2, 0.2], cells: [8, 2, 2]}}, material: soft}}
constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]
gravity: [0, 0, 0]
time: {fps: 60, frames: 10}
solver: pd-multigrid
"""


class Socket:
    """A WebSocket that sends texts and keeps what comes: texts by type, and the newest frame."""

    def __init__(self, port):
        self.line = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.line.sendall((f"GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {TOKEN}\r\n"
                           f"Origin: http://127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                           "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                           "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            self.take_more()
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101"), head
        self.state = self.settings = self.frame = None
        self.errors, self.vertices, self.farewell, self.closed = [], {}, None, None

    def take_more(self):
        more = self.line.recv(1 << 16)
        if not more:
            raise EOFError
        self.data += more

    def take(self, count):
        while len(self.data) < count:
            self.take_more()
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def send(self, **message):
        self.send_text(json.dumps(message))

    def send_text(self, text):
        text = text.encode()
        if len(text) < 126:
            size = struct.pack("!BB", 0x81, 0x80 | len(text))
        else:
            size = struct.pack("!BBH", 0x81, 0xFE, len(text)) if len(text) < 65536 else struct.pack("!BBQ", 0x81, 0xFF, len(text))
        self.line.sendall(size + b"\0\0\0\0" + text)

    def take_frame(self):
        first, length = self.take(2)
        length = struct.unpack("!H", self.take(2))[0] if length == 126 else length
        length = struct.unpack("!Q", self.take(8))[0] if length == 127 else length
        return first, self.take(length)

    def hear(self):
        """Takes one message in, of one frame or several, and acknowledges frames of the simulation."""
        first, content = self.take_frame()
        last = first
        while not last & 128:
            last, more = self.take_frame()
            content += more
        if first & 15 == 1:
            self.hear_text(json.loads(content))
        elif first & 15 == 2:
            self.hear_packet(content)
        elif first & 15 == 8:
            self.closed = struct.unpack("!H", content[:2])[0]

    def hear_text(self, message):
        if message["type"] == "error":
            self.errors.append(message)
        elif message["type"] == "bye":
            self.farewell = message["text"]
        else:
            setattr(self, message["type"], message)

    def hear_packet(self, data):
        kind, sequence, size = struct.unpack_from("<H", data, 6)[0], *struct.unpack_from("<q8xI", data, 8)
        text = json.loads(data[32:32 + size])

        def numbers(code, about):
            begin = 32 + size + about["offset"]
            return array.array(code, data[begin:begin + 4 * about["count"]])
        if kind == 2:
            self.vertices[text["topology"]] = numbers("I", text["vertices"])
            return
        part = text["parts"][0]
        self.frame = dict(zip(self.vertices[part["topology"]], zip(*[iter(numbers("f", part["points"]))] * 3)))
        self.send(type="ack", sequence=sequence)

    def wait(self, holds, what):
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(f"not seen: {what}; state {self.state}, errors {self.errors}")
            self.hear()


class Live(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = pathlib.Path(self.folder.name)
        (self.out / "bar.yaml").write_text(BAR)
        (self.out / "token").touch(mode=0o600)
        (self.out / "token").write_text(TOKEN + "\n")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.program = subprocess.Popen(
            [PLIANT, "live", str(self.out / "bar.yaml"), "-o", str(self.out / "live"), "--no-open",
             "--port", str(self.port), "--token-file", str(self.out / "token")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.assertIn(f":{self.port}/open?code=", self.program.stdout.readline())

    def tearDown(self):
        self.program.kill()
        self.program.wait()
        self.program.stdout.close()
        self.folder.cleanup()

    def connect(self):
        page = Socket(self.port)
        self.addCleanup(page.line.close)
        return page

    def end(self):
        self.program.send_signal(signal.SIGINT)
        self.assertEqual(self.program.wait(PATIENCE), 0)

    def test_a_setting_that_makes_a_step_endless_is_taken_back(self):
        page = self.connect()
        page.wait(lambda: page.settings and page.state and page.state["step"] > 0, "settings and steps")
        for solver in ("pd-multigrid", "vbd", "lbfgs", "newton"):
            page.send(type="set", path="solver.name", value=solver)
            page.wait(lambda s=solver: f'"{s}"' in json.dumps(page.settings), "the solver")
            page.send(type="set", path="solver.fixed_iterations", value="1000000000")
            page.wait(lambda: "1000000000" in json.dumps(page.settings), "the setting")
            time.sleep(0.5)
            page.send(type="set", path="solver.fixed_iterations", value="3")
            page.wait(lambda: "1000000000" not in json.dumps(page.settings), "the setting taken back")
            step = page.state["step"]
            page.wait(lambda n=step: page.state["step"] > n + 2, "steps afterwards")
        # a pause and the beginning are to be had as well
        page.send(type="set", path="solver.name", value="pd-multigrid")
        page.send(type="set", path="solver.fixed_iterations", value="1000000000")
        page.wait(lambda: "1000000000" in json.dumps(page.settings), "the setting")
        time.sleep(0.5)
        page.send(type="pause")
        page.wait(lambda: page.state["mode"] == "paused", "a pause")
        page.send(type="play")
        page.wait(lambda: page.state["mode"] == "running", "going on")
        time.sleep(0.5)
        page.send(type="reset")
        page.wait(lambda: page.state["step"] == 0, "the beginning")
        self.assertEqual(page.errors, [])
        self.end()
        again = subprocess.run([PLIANT, "live", "--replay", str(self.out / "live/live.jsonl"), "--json"],
                               capture_output=True, text=True)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(json.loads(again.stdout)["states_different"], 0)

    def test_hand_drags_and_log_replays(self):
        page = self.connect()
        page.wait(lambda: page.frame and page.settings and page.state, "frame, settings and state")
        tip = max(page.frame, key=lambda v: (page.frame[v][0], -abs(page.frame[v][1]), -abs(page.frame[v][2])))
        x, y, z = page.frame[tip]
        page.send(type="drag", id=1, body="bar", vertex=tip, target=[x, y + 0.2, z])
        page.wait(lambda: page.frame[tip][1] > y + 0.12, "the tip follows the hand")
        page.send(type="pause")
        page.wait(lambda: page.state["mode"] == "paused", "a pause")
        step = page.state["step"]
        page.send(type="step")
        page.wait(lambda: page.state["step"] == step + 1, "a single step")
        page.send(type="release", id=1)
        page.send(type="pin", body="bar", vertex=tip)
        page.wait(lambda: len(page.state["pins"]) == 1, "a pin")
        page.send(type="set", path="materials.soft.young", value="2e5")
        page.wait(lambda: "200000" in json.dumps(page.settings), "the setting")
        page.send(type="play")
        page.send(type="record", on=True)
        page.wait(lambda: page.state["recording"].endswith("recording-1"), "a recording")
        page.send(type="record", on=False)
        page.wait(lambda: page.state["recording"] == "", "its end")
        page.send(type="reset")
        page.wait(lambda: not page.state["pins"] and page.state["time"] < 5 and abs(page.frame[tip][1] - y) < 1e-6,
                  "the beginning")
        self.end()
        self.assertEqual(page.errors, [])
        again = subprocess.run([PLIANT, "live", "--replay", str(self.out / "live/live.jsonl"), "--json"],
                               capture_output=True, text=True)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("bit for bit", again.stderr)
        self.assertEqual(json.loads(again.stdout)["states_different"], 0)
        frames = subprocess.run([PLIANT, "check", "--frames", str(self.out / "live/recording-1")], capture_output=True)
        self.assertEqual(frames.returncode, 0, frames.stderr)

    def test_wrong_commands_are_answered_and_change_nothing(self):
        page, other = self.connect(), self.connect()
        wrong = [dict(type="explode"), dict(type="drag", id=1), dict(type="drag", id=1, body="none", vertex=0, target=[0, 0, 0]),
                 dict(type="drag", id=1, body="bar", vertex=10**8, target=[0, 0, 0]),
                 dict(type="drag", id=1, body="bar", vertex=0, target=[0, 0, float("inf")]),
                 dict(type="set", path="bodies.bar.geometry", value="{file: {path: /etc/passwd}}"),
                 dict(type="set", path="materials.soft.young", value="-1"), dict(type="release", id=9)]
        for count, message in enumerate(wrong, 1):
            page.send(**message)
            page.wait(lambda: len(page.errors) == count, f"an answer to {message}")
        other.wait(lambda: other.frame and other.state and other.state["pages"] == 2, "two pages")
        self.assertEqual(other.errors, [])
        rest = dict(other.frame)
        time.sleep(0.3)
        other.wait(lambda: other.state["step"] > 20, "steps")
        self.assertLess(max(abs(a - b) for v in rest for a, b in zip(rest[v], other.frame[v])), 1e-6)

    def check_at_rest(self, page):
        """The bar is where it was, nobody holds it, and it goes on being simulated."""
        step = page.state["step"]
        page.wait(lambda: page.state["step"] > step + 5 and page.frame, "further steps")
        self.assertEqual((page.state["hands"], page.state["pins"]), (0, []))
        self.assertLess(max(abs(page.frame[v][1]) for v in page.frame), 0.1 + 1e-6)

    def test_malformed_commands_are_answered_to_their_sender_alone(self):
        page, other = self.connect(), self.connect()
        page.wait(lambda: page.state and page.frame, "state and frame")
        other.wait(lambda: other.state and other.frame, "state and frame")
        hold = '"type": "drag", "id": 1, "body": "bar", "vertex": 0, "target": [0, 1, 0]'
        wrong = ["", "null", "[]", "7", '"drag"', "{", "{}", '{"type": 7}', '{"type": null}', '{"type": ["drag"]}',
                 '{"type": "DRAG"}', '{"type": "drag\\u0000"}', '{"type": "explode"}', "[" * 60000,
                 "{" + hold + ', "strength": NaN}', "{" + hold + ', "strength": -1}', "{" + hold + ', "radius": "wide"}',
                 "{" + hold.replace("[0, 1, 0]", "[0, NaN, 0]") + "}", "{" + hold.replace("[0, 1, 0]", "[0, 1e999, 0]") + "}",
                 "{" + hold.replace("[0, 1, 0]", "[0, 1]") + "}", "{" + hold.replace("[0, 1, 0]", "[0, 1, 0, 0]") + "}",
                 "{" + hold.replace("[0, 1, 0]", '["0", 1, 0]') + "}", "{" + hold.replace("[0, 1, 0]", "null") + "}"]
        wrong += ["{" + hold.replace('"vertex": 0', f'"vertex": {value}') + "}"
                  for value in ("-1", "1.5", "1e308", '"0"', "null", "[]", "2147483648", "9007199254740993")]
        wrong += ["{" + hold.replace('"id": 1', f'"id": {value}') + "}" for value in ("0", "-1", "0.5", '"1"', "1e300")]
        wrong += ['{"type": "pin", "body": "bar"}', '{"type": "pin", "body": 5, "vertex": 0}', '{"type": "unpin", "id": -99}',
                  '{"type": "record"}', '{"type": "record", "on": "yes"}', '{"type": "set"}', '{"type": "fields", "names": 3}',
                  '{"type": "set", "path": "gravity", "value": [0, 0, 0]}', '{"type": "set", "path": "gravity", "value": "[0, NaN, 0]"}',
                  '{"type": "set", "path": "gravity", "value": "[0, 0"}', '{"type": "set", "path": "../gravity", "value": "1"}']
        for count, text in enumerate(wrong, 1):
            page.send_text(text)
            page.wait(lambda: len(page.errors) >= count, f"an answer to {text[:80]}")
            self.assertEqual(len(page.errors), count, text[:80])
        self.check_at_rest(other)
        self.assertEqual(other.errors, [])

    def test_a_million_commands_in_one_message(self):
        page, other = self.connect(), self.connect()
        other.wait(lambda: other.state and other.frame, "state and frame")
        command = '{"type":"drag","id":1,"body":"bar","vertex":0,"target":[0,9,0]}'
        # as many as fit are refused in words: a message is one command
        page.send_text("[" + ",".join([command] * (65000 // (len(command) + 1))) + "]")
        page.wait(lambda: len(page.errors) == 1, "an answer")
        try:
            page.send_text("[" + ",".join([command] * 10**6) + "]")
            page.wait(lambda: page.closed is not None, "a close")
            self.assertEqual(page.closed, 1009)
        except (ConnectionError, EOFError):
            pass  # it was closed while we were still talking
        self.check_at_rest(other)

    def wait_for_turn(self, page, vertex, pins):
        """Pins a vertex, again if that was refused: what this page said before has been done then."""
        refused = None
        while page.state is None or len(page.state["pins"]) < pins:
            if refused is None or len(page.errors) > refused and page.errors[-1]["about"] == "pin":
                refused = len(page.errors)
                page.send(type="pin", body="bar", vertex=vertex)
            page.hear()

    def test_storms_of_pauses_are_applied_between_steps_and_replay(self):
        page, other = self.connect(), self.connect()
        page.wait(lambda: page.state and page.frame, "state and frame")
        tip = max(page.frame, key=lambda v: page.frame[v][0])
        for turn in range(150):
            page.send(type="pause" if turn % 2 else "play")
            other.send(type="play" if turn % 2 else "pause")
            page.send(type="drag", id=1, body="bar", vertex=tip, target=[0.5, 0.001 * turn, 0])
        self.wait_for_turn(page, tip, 1)
        self.wait_for_turn(other, tip, 2)
        # what did not fit into the queue was refused in words, and nothing else was
        for error in page.errors + other.errors:
            self.assertIn("too many commands are waiting", error["text"])
        page.send(type="drag", id=1, body="bar", vertex=tip, target=[0.5, 0.1, 0])
        page.send(type="pause")
        page.wait(lambda: page.state["mode"] == "paused" and page.state["hands"] == 1, "a pause")
        step = page.state["step"]
        for count in range(1, 11):
            page.send(type="step")
            page.wait(lambda: page.state["step"] == step + count, "a single step")
        # who leaves in the middle of a drag is in the log as well
        page.line.close()
        other.wait(lambda: other.state["hands"] == 0, "that it let go")
        other.send(type="play")
        other.wait(lambda: other.state["mode"] == "running" and other.state["step"] > step + 20, "further steps")
        self.end()
        again = subprocess.run([PLIANT, "live", "--replay", str(self.out / "live/live.jsonl"), "--json"],
                               capture_output=True, text=True)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(json.loads(again.stdout)["states_different"], 0)

    def test_who_leaves_lets_go(self):
        page, other = self.connect(), self.connect()
        page.wait(lambda: page.frame, "a frame")
        page.send(type="drag", id=1, body="bar", vertex=0, target=[0, 0, 0])
        other.wait(lambda: other.state and other.state["hands"] == 1, "a hand")
        page.line.close()
        other.wait(lambda: other.state["hands"] == 0, "that it let go")

    def test_reader_that_never_reads_does_not_hold_the_simulation_up(self):
        asleep, page = self.connect(), self.connect()
        page.wait(lambda: page.state and page.state["step"] > 0, "a step")
        begin, first = time.monotonic(), page.state["step"]
        page.wait(lambda: page.state["step"] > first + 60, "steps")
        self.assertLess(time.monotonic() - begin, PATIENCE / 2)
        self.assertIsNone(asleep.frame)
        self.end()


if __name__ == "__main__":
    unittest.main()
