#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Abuses the server of the page, and checks how it takes that.

  tests/fault/page_abuse.py http://127.0.0.1:8686/ --token-file FILE [--speed S] [--patience SECONDS] [ATTACK]...
  tests/fault/page_abuse.py --program FIXTURE

Every attack has the answers that are right: a status, a code of a socket's close frame, or an end of
the connection in time. The library that reads requests and frames (libwebsockets) ends the connection
without a word where it cannot make sense of what comes: status and code 0. Meanwhile a bystander, a socket that behaves, must be served as ever, and
after each attack a plain request must be. Loopback only. A program is started with the speed of its
clock as its argument, prints its address and its token, and ends with its input.

Exit 0: all is well; 1: a line per fault.
"""
import argparse
import base64
import contextlib
import os
import random
import re
import resource
import select
import selectors
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.parse

HEAD_SECONDS = 10
IDLE_SECONDS = 60
STALL_SECONDS = 30
SILENCE_SECONDS = 45  # a ping, and no answer
CLIENTS = 64
GRACE = 15  # seconds that a loaded machine may be late

SAFETY = ("x-content-type-options", "referrer-policy", "cache-control", "content-security-policy",
          "cross-origin-resource-policy", "x-frame-options")


class Fault(Exception):
    """The server did what it should not."""


class Ended(Fault):
    """The connection has ended."""


def expect(holds, what):
    if not holds:
        raise Fault(what)


# ---- talking


class Line:
    """A connection, with what came over it."""

    def __init__(self, target, receive_buffer=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(GRACE)
        self.socket.connect((target.host, target.port))
        self.inbox = b""

    def say(self, data):
        """Sends; a server that has closed already is no fault here."""
        with contextlib.suppress(OSError):
            self.socket.sendall(data)

    def more(self):
        """False: the connection has ended."""
        try:
            data = self.socket.recv(1 << 16)
        except (ConnectionError, BrokenPipeError):
            return False
        except socket.timeout:
            raise Fault("no answer and no end of the connection") from None
        self.inbox += data
        return bool(data)

    def take(self, count):
        while len(self.inbox) < count:
            if not self.more():
                raise Ended("the connection has ended within an answer")
        data, self.inbox = self.inbox[:count], self.inbox[count:]
        return data

    def answer(self, method="GET"):
        """Status, headers and body; status 0: the connection has ended without an answer."""
        while b"\r\n\r\n" not in self.inbox:
            if not self.more():
                expect(not self.inbox, "the connection has ended within a head")
                return 0, {}, b""
        head, self.inbox = self.inbox.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        headers = dict((line.split(": ", 1)[0].lower(), line.split(": ", 1)[1])
                       for line in lines[1:])
        for name in SAFETY:
            expect(name in headers, f"the answer has no {name}")
        status = int(lines[0].split(" ")[1])
        size = int(headers.get("content-length", 0)) if method != "HEAD" else 0
        return status, headers, self.take(size)

    def ends(self):
        """Waits for the end of the connection, whatever still comes."""
        while self.more():
            pass

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # sockets

    def frame(self):
        """Opcode and content of the next frame."""
        first, second = self.take(2)
        expect(second & 0x80 == 0 and first & 0x70 == 0, "the server sent a frame it may not")
        size = second
        if size == 126:
            size, = struct.unpack(">H", self.take(2))
        elif size == 127:
            size, = struct.unpack(">Q", self.take(8))
        return first & 0x0F, self.take(size)

    def close_code(self):
        """The code that the server closes with, 0: none; the connection has to end behind it."""
        while True:
            try:
                opcode, content = self.frame()
            except Ended:
                return 0
            if opcode == 8:
                self.say(masked(0x88, content))
                self.ends()
                return struct.unpack(">H", content[:2])[0] if len(content) >= 2 else 1005


def masked(first, content=b"", mask=b"\x37\xfa\x21\x3d", length=None):
    """A frame of a client; length lies about its size."""
    size = len(content) if length is None else length
    if size < 126:
        head = struct.pack(">BB", first, 0x80 | size)
    elif size < 65536:
        head = struct.pack(">BBH", first, 0x80 | 126, size)
    else:
        head = struct.pack(">BBQ", first, 0x80 | 127, size)
    return head + mask + bytes(byte ^ mask[i & 3] for i, byte in enumerate(content))


class Target:
    """The server: its place, its token, and the questions one asks it."""

    def __init__(self, address, token, speed, patience):
        parts = urllib.parse.urlsplit(address)
        self.host = parts.hostname
        self.port = parts.port
        self.token = token
        self.name = f"{self.host}:{self.port}"
        self.speed = speed
        self.patience = patience

    def head(self, target="/", method="GET", *lines, host=None, token=True):
        text = f"{method} {target} HTTP/1.1\r\nHost: {host or self.name}\r\n"
        if token:
            text += f"Authorization: Bearer {self.token}\r\n"
        return (text + "".join(line + "\r\n" for line in lines) + "\r\n").encode("latin-1")

    def status(self, data, method="GET"):
        """The status of an answer on a connection of its own; what refuses has to close."""
        with Line(self) as line:
            line.say(data)
            status, headers, _ = line.answer(method)
            if status >= 400 and headers.get("connection", "close") == "close":
                with contextlib.suppress(OSError):
                    line.socket.shutdown(socket.SHUT_WR)
                line.ends()
            return status

    def upgrade(self, *lines, token=True, origin=True, host=None, version="13", key=None):
        key = key or base64.b64encode(os.urandom(16)).decode()
        fields = ["Connection: Upgrade", "Upgrade: websocket", f"Sec-WebSocket-Key: {key}",
                  f"Sec-WebSocket-Version: {version}"]
        if token:
            fields.append(f"Authorization: Bearer {self.token if token is True else token}")
        if origin:
            fields.append("Origin: " + (f"http://{self.name}" if origin is True else origin))
        return self.head("/api/socket", "GET", *fields, *lines, token=False, host=host)

    def open(self, **options):
        line = Line(self, **options)
        line.say(self.upgrade())
        status, _, _ = line.answer()
        if status != 101:
            line.close()
            raise Fault(f"a socket was refused with {status}")
        return line

    def code(self, data):
        """The code of the close frame that follows these bytes."""
        with self.open() as line:
            line.say(data)
            return line.close_code()

    def check_alive(self):
        status = self.status(self.head("/api/session"))
        expect(status == 200, f"afterwards a plain request gets {status}")


class Bystander(threading.Thread):
    """A socket that behaves: asks twice a second and must get its answer each time."""

    def __init__(self, target):
        super().__init__(daemon=True)
        self.line = target.open()
        self.fault = None
        self.done = threading.Event()
        self.answers = 0

    def run(self):
        try:
            while not self.done.wait(0.5):
                self.line.say(masked(0x89, b"there?"))
                while True:
                    opcode, content = self.line.frame()
                    expect(opcode != 8, "the bystander was closed")
                    if opcode == 9:
                        self.line.say(masked(0x8A, content))
                    if opcode == 10 and content == b"there?":
                        break
                self.answers += 1
        except (Fault, OSError) as fault:
            self.fault = f"{fault} (after {self.answers} answers)"

    def finish(self):
        self.done.set()
        self.join(2 * GRACE)
        self.line.close()
        expect(self.fault is None, f"bystander: {self.fault}")
        expect(self.answers > 0, "bystander: had no answer")


# ---- attacks

ATTACKS = []  # (name, function, whether it needs sockets, whether it takes its time)


def attack(sockets=False, slow=False):
    def keep(function):
        ATTACKS.append((function.__name__, function, sockets, slow))
        return function
    return keep


def expect_status(target, data, allowed, what):
    status = target.status(data)
    expect(status in allowed, f"{what} gets {status}, not {' or '.join(map(str, allowed))}")


@attack()
def path_traversal(target):
    file = "etc/passwd"
    tries = ["/../" + file, "/../../../../" + file, "/..", "/a/../../" + file, "/%2e%2e/" + file,
             "/%2e%2e%2f" + file, "/..%2f" + file, "/.%2e/" + file, "/%2E%2E/%2e./" + file,
             "/%252e%252e%252f" + file, "/%25252e/" + file, "/..\\" + file, "/..%5c" + file,
             "/%5c..%5c" + file, "//" + file, "/" + file, "///../" + file, "/%00", "/a%00.html",
             "/%c0%ae%c0%ae/" + file, "/%e0%80%ae/" + file, "/%uff0e%uff0e/" + file, "/..;/" + file,
             "/./" + file, "/api/frame/../../" + file, "/api/../../" + file, "/%",
             "/api/frame/%2e%2e%2f%2e%2e%2f" + file, "/\x7f", "/\x01", "/proc/self/environ", "/~",
             "C:/boot.ini", file, "/" + "a" * 8000, "/" + "../" * 3000, "/report/../" + file]
    with Line(target) as line:
        line.say(target.head("/"))
        page = line.answer()[2]
    for one in tries:
        for token in (True, False):
            with Line(target) as line:
                line.say(target.head(one, token=token))
                status, _, body = line.answer()
            # what is the root when all dots are gone is the page, and nothing else is there
            expect(status in (0, 400, 403, 404) or (status == 200 and body == page),
                   f"{one[:60]} gets {status}")


@attack()
def very_long_path(target):
    expect_status(target, target.head("/" + "a" * 65536), (0,), "a path of 64 kB")


@attack()
def foreign_hosts(target):
    port = target.port
    for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}",
                 f"localhost.evil.example:{port}", "127.0.0.1", "127.0.0.1:1", f"127.1:{port}",
                 f"2130706433:{port}", f"0x7f000001:{port}", f"user@127.0.0.1:{port}", ""):
        expect_status(target, target.head("/", host=host or " "), (400, 403), f"the host '{host}'")
    expect_status(target, f"GET / HTTP/1.1\r\nHost: {target.name}\r\nHost: a\r\n\r\n".encode(),
                  (400,), "a second host")
    expect_status(target, b"GET / HTTP/1.1\r\n\r\n", (400,), "no host")


@attack()
def foreign_origins(target):
    port = target.port
    for origin in ("null", f"http://127.0.0.1.evil.example:{port}", "http://evil.example",
                   f"http://localhost.evil.example:{port}", f"https://127.0.0.1:{port}",
                   f"http://127.0.0.1:{port}.evil.example", "http://127.0.0.1",
                   f"http://127.0.0.1:{port}/", "file://", f"http://evil.example#127.0.0.1:{port}"):
        expect_status(target, target.head("/api/session", "GET", f"Origin: {origin}"), (403,),
                      f"a request from {origin}")
        expect_status(target, target.upgrade(origin=origin), (403,), f"a socket from {origin}")


@attack()
def wrong_tokens(target):
    token = target.token
    for wrong in ("", "x", token[:-1], token + "0", token[:-1] + "~", token.upper() + "x",
                  token * 2, "%00" + token):
        expect_status(target, target.upgrade(token=wrong or " "), (403,),
                      "a socket with a wrong token")
        expect_status(target, target.head("/api/session", "GET",
                                          f"Authorization: Bearer {wrong}", token=False),
                      (403,), "a wrong token of a bearer")
    # addresses get into histories and logs: a token in one counts for nothing
    expect_status(target, target.head(f"/api/session?token={token}", token=False), (403,),
                  "a token in the query")
    expect_status(target, target.head("/api/session", token=False), (403,), "no token")
    expect_status(target, target.head("/api/view", "POST", "Content-Length: 2", token=False)
                  + b"{}", (403,), "a change without a token")


@attack()
def guessed_codes_and_cookies(target):
    for code in ("", "x", "0" * 32, "f" * 31, "f" * 33, "%00", "0" * 8000, target.token):
        expect_status(target, target.head(f"/open?code={code}", token=False), (0, 400, 403),
                      f"the code '{code[:40]}'")
    expect_status(target, target.head("/open", token=False), (403,), "no code")
    for method in ("POST", "HEAD"):
        line = target.head("/open?code=" + "0" * 32, method, "Content-Length: 0", token=False)
        status = target.status(line, method)
        expect(status in (403, 405), f"{method} of a code gets {status}")
    name = f"pliant-{target.port}"
    for cookie in (f"{name}=", f"{name}", f"{name}={'0' * 32}", f"{name}={target.token}", "=",
                   f"{name}=;" * 500, ";" * 4000, f"x{name}={'f' * 32}; {name}={'f' * 8000}"):
        expect_status(target, target.head("/api/session", "GET", f"Cookie: {cookie}", token=False),
                      (403,), f"the cookie '{cookie[:40]}'")
    expect_status(target, target.head("/api/session", "GET", "Cookie: a=b", "Cookie: c=d"), (400,),
                  "two lines of cookies")


@attack()
def methods_and_versions(target):
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH"):
        expect_status(target, target.head("/", method), (405,), method)
    for method in ("TRACE", "CONNECT", "BREW", "GE\x01T"):
        expect_status(target, target.head("/", method), (0, 403), f"the method {method}")
    name = target.name.encode()
    for version, status in ((b"HTTP/2.0", 505), (b"HTTP/0.9", 505), (b"HTTP/1.2", 505),
                            (b"HTTP/11", 505), (b"ICY", 400), (b"", 400)):
        expect_status(target, b"GET / " + version + b"\r\nHost: " + name + b"\r\n\r\n", (status,),
                      f"the version {version}")
    expect_status(target, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", (0, 403), "TLS")
    expect_status(target, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", (0, 403), "HTTP/2")


@attack()
def header_injection(target):
    expect_status(target, target.head("/%0d%0aSet-Cookie:%20a=b"), (400,), "an encoded line break")
    expect_status(target, target.head("/a\r\nX: b"), (400,), "a line break in a path")
    # the library passes over lines that are written badly; they change nothing
    for line in ("Y: a\rb", "Y: a\nb", "Y: a\x00b", "Y : a", " Y: a", "Y: a\r\n folded", "\x00: a",
                 "Y\x00: a", ": a", "Y: \x1b[31m"):
        expect_status(target, target.head("/", "GET", line), (0, 200, 400, 403, 408), repr(line))
        expect_status(target, target.head("/api/session", "GET", line, token=False), (0, 400, 403, 408),
                      repr(line))
    with Line(target) as line:
        line.say(target.head("/api/session?x=%0d%0aX-Injected:%20y"))
        _, headers, _ = line.answer()
        expect("x-injected" not in headers, "a query came back as a header")


@attack()
def large_heads(target):
    expect_status(target, target.head("/", "GET", "Y: " + "a" * 65536), (0,), "a header of 64 kB")
    expect_status(target, target.head("/", "GET", *[f"Y{i}: a" for i in range(10000)]), (0,),
                  "10,000 header lines")
    expect_status(target, target.head("/", "GET", *["y:"] * 10000), (0,), "10,000 empty lines")
    expect_status(target, b"A" * 200000, (0, 403), "200 kB without a line")


@attack()
def smuggling(target):
    inner = target.head("/api/session").decode()
    expect_status(target, target.head("/api/view", "POST", "Content-Length: 5", "Content-Length: 0")
                  + b"hello", (400,), "two lengths")
    expect_status(target, target.head("/api/view", "POST", "Content-Length: 5", "Content-Length: 5")
                  + b"hello", (400,), "two equal lengths")
    for encoding in ("chunked", "identity", "chunked, identity", " \tchunked", "xchunked"):
        expect_status(target, target.head("/api/view", "POST", "Content-Length: 4",
                                          "Transfer-Encoding:" + encoding) + b"0\r\n\r\n",
                      (400,), f"the encoding {encoding}")
    for length in ("+5", "-1", "0x5", "5,5", "5 5", "", "1e3", "five"):
        expect_status(target, target.head("/api/view", "POST", f"Content-Length: {length}"),
                      (400,) if length else (400, 411), f"the length '{length}'")
    for length in (65537, 2 ** 31, 2 ** 63 - 1, 2 ** 64, 10 ** 40):
        expect_status(target, target.head("/api/view", "POST", f"Content-Length: {length}"), (413,),
                      f"the length {length}")
    expect_status(target, target.head("/api/view", "POST"), (411,), "no length")
    # what follows a refused request is never read as another
    with Line(target) as line:
        line.say(target.head("/", "GET", "Content-Length: 9", "Content-Length: 0")
                 + inner.encode())
        status, _, _ = line.answer()
        line.ends()
        expect(status == 400 and not line.inbox, "bytes after a refused request were answered")


@attack()
def pipelined_flood(target):
    """Of hundreds of requests in one go one is answered at most, and then the connection ends."""
    for first in (target.head("/"), target.head("/api/session"),
                  target.head("/nothing", "POST", "Content-Length: 4") + b"body"):
        with Line(target) as line:
            line.say(first + target.head("/") * 300)
            line.ends()
            answers = line.inbox.count(b"HTTP/1.1 ")
            expect(answers <= 1, f"{answers} requests were answered that did not wait")


@attack(sockets=True)
def handshakes(target):
    expect_status(target, target.upgrade(origin=False), (403,), "a socket without an origin")
    expect_status(target, target.upgrade(token=False), (403,), "a socket without a token")
    expect_status(target, target.upgrade(version="8"), (426,), "an old version")
    expect_status(target, target.upgrade(version="13, 8"), (426,), "two versions")
    expect_status(target, target.upgrade(key="short"), (400,), "a short key")
    expect_status(target, target.upgrade(key="=" * 24), (400,), "a key that is none")
    expect_status(target, target.upgrade(host="evil.example"), (403,), "a socket on another host")
    expect_status(target, target.upgrade("Content-Length: 70000"), (413,), "a socket with a body")
    with Line(target) as line:
        line.say(target.upgrade("Sec-WebSocket-Extensions: permessage-deflate"))
        status, headers, _ = line.answer()
        expect(status == 101, f"a socket that offers extensions gets {status}")
        expect("sec-websocket-extensions" not in headers, "an extension was agreed on")


@attack(sockets=True)
def oversized_messages(target):
    for length in (65537, 10 ** 6, 2 ** 31, 2 ** 32 + 1, 2 ** 63 - 1):
        code = target.code(masked(0x81, b"a" * 100, length=length))
        expect(code == 1009, f"a message of {length} bytes closes with {code}")
    code = target.code(masked(0x81, length=2 ** 63))
    expect(code == 0, f"a negative length closes with {code}")
    half = b"a" * 40000
    code = target.code(masked(0x01, half) + masked(0x80, half))
    expect(code == 1009, f"two large fragments close with {code}")


@attack(sockets=True)
def many_fragments(target):
    code = target.code(masked(0x01, b"a") + masked(0x00, b"b") * 10000)
    expect(code in (1008, 1009), f"10,000 fragments close with {code}")
    code = target.code(masked(0x01) + masked(0x00) * 10000)
    expect(code in (1008, 1009), f"10,000 empty fragments close with {code}")


@attack(sockets=True)
def forbidden_frames(target):
    tries = {"ping of 126 bytes":
             masked(0x89, b"x" * 126), "close of 126 bytes": masked(0x88, b"\x03\xe8" + b"x" * 124),
             "fragmented ping": masked(0x09, b"x"), "fragmented close": masked(0x08),
             "continuation of nothing": masked(0x80, b"x"),
             "text within a text": masked(0x01, b"x") + masked(0x81, b"y"),
             "close of one byte": masked(0x88, b"\x03"),
             "request": target.head("/")}
    for bits in (0x40, 0x20, 0x10, 0x70):
        tries[f"reserved bits {bits:#x}"] = masked(0x81 | bits, b"x")
    for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
        tries[f"opcode {opcode}"] = masked(0x80 | opcode, b"x")
    for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535):
        tries[f"close with {code}"] = masked(0x88, struct.pack(">H", code))
    for what, data in tries.items():
        code = target.code(data)
        expect(code in (0, 1002), f"{what} closes with {code}")
    code = target.code(masked(0x82, b"x"))
    expect(code == 1003, f"a binary message closes with {code}")


@attack(sockets=True)
def bad_texts(target):
    for text in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"ok \xe2\x82",
                 b"\x80", b"\xf8\x88\x80\x80\x80"):
        code = target.code(masked(0x81, text))
        expect(code == 1007, f"{text} closes with {code}")
    code = target.code(masked(0x01, b"\xe2") + masked(0x00, b"\x28"))
    expect(code == 1007, f"bad text over fragments closes with {code}")
    code = target.code(masked(0x88, b"\x03\xe8\xff"))
    expect(code == 0, f"a bad reason closes with {code}")


@attack(sockets=True)
def proper_closes(target):
    for code in (1000, 1001, 3000, 4999):
        got = target.code(masked(0x88, struct.pack(">H", code) + b"bye"))
        expect(got == code, f"close with {code} is answered with {got}")
    got = target.code(masked(0x88))
    expect(got == 1005, f"close without a code is answered with {got}")


@attack(sockets=True)
def floods(target):
    code = target.code(masked(0x81, b"{}") * 20000)
    expect(code == 1008, f"20,000 messages close with {code}")
    # the library answers one ping at a time and passes over the others
    for frame in (masked(0x89, b"x"), masked(0x8A), masked(0x8A, b"x")):
        with target.open() as line:
            line.say(frame * 20000 + masked(0x81, b"still here"))
            while line.frame() != (1, b"still here"):
                pass


def spoil(generator, data):
    """The bytes with some of them changed, left out, said twice or cut."""
    data = bytearray(data)
    for _ in range(generator.randrange(1, 5)):
        place = generator.randrange(len(data) + 1)
        length = generator.randrange(1, 9)
        kind = generator.randrange(5)
        if kind == 0:
            data[place:place + length] = generator.randbytes(length)
        elif kind == 1:
            del data[place:place + length]
        elif kind == 2:
            data[place:place] = data[place:place + 20 * length]
        elif kind == 3:
            data[place:place] = generator.choice((b"\r\n", b"\r\n\r\n", b"\0", b"%", b":", b" ", b"\n"))
        else:
            del data[place:]
        if not data:
            break
    return bytes(data)


@attack(sockets=True)
def spoiled_bytes(target):
    """Requests and frames that are almost right, from a seed."""
    generator = random.Random(24)
    requests = [target.head("/"), target.head("/open?code=" + "0" * 32 + "&lite=1", token=False),
                target.head("/api/session", "GET", "Cookie: a=b; c=d", f"Origin: http://{target.name}"),
                target.head("/api/view", "POST", "Content-Length: 20") + b"{" * 20,
                target.head("/", "HEAD", "Connection: close"), target.upgrade()]
    frames = [masked(0x81, b"text"), masked(0x01, b"a") + masked(0x89, b"p") + masked(0x80, b"b"),
              masked(0x81, "\u00e9\u20ac".encode() * 100), masked(0x88, b"\x03\xe8bye"), masked(0x8A),
              masked(0x81, b"x" * 5000), masked(0x81, b"y" * 66000)]
    for i in range(600):
        line = Line(target)
        data = spoil(generator, generator.choice(requests) * generator.randrange(1, 3))
        if i % 2:
            data = target.upgrade() + spoil(generator, b"".join(generator.choices(frames, k=4)))
        cut = generator.randrange(len(data) + 1)
        line.say(data[:cut])
        line.say(data[cut:])
        # half of them stay until they are told something, or not
        if generator.randrange(2):
            select.select([line.socket], [], [], 0.02)
        line.close()


@attack(sockets=True)
def sudden_ends(target):
    """Resets in the middle of everything."""
    for data in (b"", target.upgrade()[:40], target.upgrade(), target.upgrade() + b"\x81",
                 target.upgrade() + masked(0x81, b"x", length=1000),
                 target.upgrade() + masked(0x01, b"x"), target.upgrade() + masked(0x81, b"flow")):
        for _ in range(5):
            line = Line(target)
            line.say(data)
            line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            line.close()


def count_refused(lines, count):
    """How many of the silent connections were told 503, up to so many."""
    refused = 0
    deadline = time.monotonic() + GRACE
    with selectors.DefaultSelector() as selector:
        for line in lines:
            selector.register(line.socket, selectors.EVENT_READ, line)
        while refused < count and time.monotonic() < deadline:
            for key, _ in selector.select(0.1):
                selector.unregister(key.fileobj)
                status, _, _ = key.data.answer()
                expect(status in (503, 0), f"a silent connection gets {status}")
                refused += 1
    return refused


def crowd(target, count):
    """So many connections that say nothing: those past the limit get 503."""
    lines = []
    try:
        for _ in range(count):
            lines.append(Line(target))
        refused = count_refused(lines, count - CLIENTS)
        expect(refused >= count - CLIENTS, f"of {count} connections {refused} were refused")
    finally:
        for line in lines:
            line.close()
    # places come free as soon as the server has seen the ends
    deadline = time.monotonic() + GRACE
    while target.status(target.head("/")) != 200:
        expect(time.monotonic() < deadline, "the places of a crowd never come free")
        time.sleep(0.05)


@attack()
def crowd_of_200(target):
    crowd(target, 200)


@attack()
def crowd_of_1000(target):
    crowd(target, 1000)


# ---- attacks that take their time; each has a thread


def expect_end(line, seconds, what):
    """The server ends the connection about so many seconds from now."""
    line.socket.settimeout(seconds + GRACE)
    with contextlib.suppress(Fault):
        line.ends()
        return
    raise Fault(f"{what} is still there after {seconds + GRACE:.0f} seconds")


def in_time(target, seconds):
    """The server's seconds in ours; None: longer than we wait."""
    ours = seconds / target.speed
    return ours if ours <= target.patience else None


@attack(slow=True)
def slow_writer(target):
    seconds = in_time(target, HEAD_SECONDS)
    if seconds is None:
        return
    with Line(target) as line:
        begin = time.monotonic()
        for byte in target.head("/") * 100:
            line.say(bytes([byte]))
            ready, _, _ = select.select([line.socket], [], [], seconds / 20)
            if ready:
                break
            expect(time.monotonic() < begin + seconds + GRACE, "a slow writer is not stopped")
        status, _, _ = line.answer()
        expect(status == 408, f"a slow writer gets {status}")


@attack(slow=True)
def slow_body(target):
    seconds = in_time(target, HEAD_SECONDS)
    if seconds is None:
        return
    with Line(target) as line:
        line.socket.settimeout(seconds + GRACE)
        line.say(target.head("/api/view", "POST", "Content-Length: 100") + b"{")
        status, _, _ = line.answer()
        expect(status == 408, f"a body that does not come gets {status}")


@attack(slow=True)
def idle_connection(target):
    seconds = in_time(target, IDLE_SECONDS)
    if seconds is None:
        return
    with Line(target) as line:
        expect_end(line, seconds, "an idle connection")
        expect(not line.inbox, "an idle connection was told something")


@attack(sockets=True, slow=True)
def dead_socket(target):
    seconds = in_time(target, SILENCE_SECONDS)
    if seconds is None:
        return
    with target.open() as line:
        expect_end(line, seconds, "a socket that answers no ping")


@attack(sockets=True, slow=True)
def slow_reader(target):
    """Takes a byte now and then of a stream of packets: dropped, and nobody else notices."""
    seconds = in_time(target, STALL_SECONDS)
    with target.open(receive_buffer=4096) as line:
        line.say(masked(0x81, b"flow"))
        begin = time.monotonic()
        if seconds is None:
            time.sleep(target.patience / 4)
            return
        while time.monotonic() < begin + seconds + GRACE:
            time.sleep(0.2)
            try:
                if not line.socket.recv(1):
                    return
                # asking for more does not help
                line.socket.sendall(masked(0x8A))
            except OSError:
                return
        raise Fault("a slow reader is not dropped")


# ---- running


def run_one(target, name, function, faults):
    begin = time.monotonic()
    try:
        function(target)
    except (Fault, OSError) as fault:
        faults.append(f"{name}: {fault}")
    return time.monotonic() - begin


def has_sockets(target):
    with Line(target) as line:
        line.say(target.upgrade())
        status, _, _ = line.answer()
        expect(status in (101, 404), f"a socket gets {status}")
        return status == 101


def run(target, names):
    """Faults of all attacks (or of those named)."""
    faults = []
    sockets = has_sockets(target)
    chosen = [one for one in ATTACKS if (sockets or not one[2]) and (not names or one[0] in names)]
    bystander = Bystander(target) if sockets else None
    if bystander:
        bystander.start()
    threads = [threading.Thread(target=run_one, args=(target, name, function, faults))
               for name, function, _, slow in chosen if slow]
    for thread in threads:
        thread.start()
    for name, function, _, slow in chosen:
        if slow:
            continue
        seconds = run_one(target, name, function, faults)
        run_one(target, name, Target.check_alive, faults)
        print(f"{name}: {seconds:.2f} s", flush=True)
    for thread in threads:
        thread.join()
    run_one(target, "the end", Target.check_alive, faults)
    if bystander:
        run_one(target, "the end", lambda _: bystander.finish(), faults)
    return faults


@contextlib.contextmanager
def started(program, speed):
    """A server of our own, which must end well."""
    process = subprocess.Popen([program, str(speed)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline().strip()
        expect(re.match(r"http://127\.0\.0\.1:\d+/ \w+$", line), f"{program} said '{line}'")
        yield line.split()
        process.stdin.close()
        expect(process.wait(GRACE) == 0, f"{program} ended with {process.returncode}")
    finally:
        process.kill()
        process.wait()


def main():
    parser = argparse.ArgumentParser(description="Abuses the server of the page.")
    parser.add_argument("address", nargs="?", help="http://127.0.0.1:8686/")
    parser.add_argument("attacks", nargs="*", help="only these")
    parser.add_argument("--token-file", help="that the server at the address was started with")
    parser.add_argument("--program", help="start this one and abuse it")
    parser.add_argument("--speed", type=float, default=1, help="of the server's clock")
    parser.add_argument("--patience", type=float, default=12,
                        help="seconds; what has a longer time-out is not waited for")
    options = parser.parse_args()
    if not options.program and not (options.address and options.token_file):
        parser.error("the address of a server with --token-file, or --program")

    # a crowd needs descriptors
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most if most < 4096 and most > 0 else 4096, most))
    try:
        if options.program:
            with started(options.program, options.speed) as (address, token):
                faults = run(Target(address, token, options.speed, options.patience), options.attacks)
        else:
            with open(options.token_file, encoding="ascii") as file:
                token = file.read().strip()
            faults = run(Target(options.address, token, options.speed, options.patience),
                         options.attacks)
    except (Fault, OSError) as fault:
        faults = [str(fault)]
    for fault in faults:
        print(f"page_abuse: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
