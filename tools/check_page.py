#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the committed page, viewer/dist/index.html, was built from the sources beside it.

  tools/check_page.py [--root DIR] [--rebuild]

The build stamps two hashes into the page (viewer/vite.config.ts), which are computed again here,
without Node: pliant-sources, of the sources, and pliant-page, the SHA-256 of the page itself with
zeros for the 64 digits of that hash. So a source that was changed without a build is found, and a
page that was changed after it. Also: the page loads nothing, package.json names exact versions, and
the lock file holds no addresses of downloads.

Whoever changes a page can write fitting hashes into it. --rebuild finds that, too: it builds the
page again beside the tree, with the packages of the lock file, and compares all bytes. It needs
Node and the packages, which npm fetches if they are not there.

Exit 0: fine; 1: a line per fault; 77: cannot be rebuilt here, and why.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SINGLES = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts")
FOLDERS = ("src", "mock", "unit")
NODE = (20, 19)  # vite's
MAKE = "cd viewer && npm ci && npm run build"
SEAL = re.compile(rb'<meta name="pliant-page" content="([0-9a-f]{64})">')
STAMP = re.compile(r'<meta name="pliant-sources" content="([0-9a-f]{64})">')
# what would make a browser ask for another file
LOADS = re.compile(r'<(?:script|img|iframe|source|video|audio)[^>]*\ssrc=|<link[^>]*\shref="(?!data:,")'
                   r'|@import\b|url\(["\']?https?:')


def hash_of_sources(viewer):
    names = list(SINGLES) + [path.relative_to(viewer).as_posix()
                             for path in (viewer / "src").rglob("*") if path.is_file()]
    total = hashlib.sha256()
    for name in sorted(names):
        digest = hashlib.sha256((viewer / name).read_bytes()).hexdigest()
        total.update(f"{name}\0{digest}\n".encode())
    return total.hexdigest()


def is_sealed(page):
    """Whether a page holds its own hash, once."""
    seals = SEAL.findall(page)
    if len(seals) != 1:
        return False
    blank = SEAL.sub(b'<meta name="pliant-page" content="' + 64 * b"0" + b'">', page)
    return hashlib.sha256(blank).hexdigest().encode() == seals[0]


def faults_of_page(viewer):
    page = viewer / "dist" / "index.html"
    if not page.is_file():
        return [f"viewer/dist/index.html is missing; make it: {MAKE}"]
    if not is_sealed(page.read_bytes()):
        return ["viewer/dist/index.html was changed after it was built: the hash of the page in it is not its own; "
                f"build it again: {MAKE}"]
    text = page.read_text(encoding="utf-8")
    stamp = STAMP.search(text)
    if not stamp or stamp.group(1) != hash_of_sources(viewer):
        return [f"viewer/dist/index.html is not what its sources make; build it again: {MAKE}"]
    # scripts may hold such texts; the markup may not
    markup = re.sub(r"(<script[^>]*>).*?</script>", r"\1</script>", text, flags=re.DOTALL)
    return ["viewer/dist/index.html loads something: it has to be one file"] if LOADS.search(markup) else []


def faults_of_packages(viewer):
    package = json.loads((viewer / "package.json").read_text(encoding="utf-8"))
    faults = []
    for group in ("dependencies", "devDependencies"):
        for name, version in package.get(group, {}).items():
            if not re.fullmatch(r"\d+\.\d+\.\d+", version):
                faults.append(f"viewer/package.json: {name} has to name an exact version, not {version}")
    lock = json.loads((viewer / "package-lock.json").read_text(encoding="utf-8"))
    if any("resolved" in item for item in lock.get("packages", {}).values()):
        faults.append("viewer/package-lock.json holds addresses of downloads; "
                      "make it with npm's option omit-lockfile-registry-resolved")
    return faults


class NotHere(Exception):
    """What is needed to build the page is missing."""


def check_node():
    node = shutil.which("node")
    if node is None:
        raise NotHere("there is no Node (Debian: nodejs)")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if numbers < NODE:
        raise NotHere(f"building needs Node {NODE[0]}.{NODE[1]} or later, not {version or 'none'}")


def have_packages(viewer):
    """Has the packages of the lock file put into viewer/node_modules, unless they are there."""
    script = pathlib.Path(__file__).resolve().parent.parent / "tests" / "page" / "run.sh"
    fetched = subprocess.run(["sh", script, "packages"], capture_output=True, text=True, check=False,
                             env=dict(os.environ, PLIANT_SOURCE=str(viewer.parent), CI=""))
    if fetched.returncode != 0:
        raise NotHere((fetched.stdout + fetched.stderr).strip() or "the packages are missing")


def build(viewer, folder):
    """Builds the page from a copy of the sources, so that nothing in the tree changes."""
    for name in SINGLES:
        shutil.copy(viewer / name, folder)
    for name in FOLDERS:
        if (viewer / name).is_dir():
            shutil.copytree(viewer / name, folder / name)
    (folder / "node_modules").symlink_to(viewer / "node_modules")
    made = subprocess.run(["node_modules/.bin/vite", "build"], cwd=folder, capture_output=True, text=True,
                          check=False, timeout=240)
    return made.returncode == 0, made.stdout + made.stderr


def faults_of_rebuilding(viewer):
    check_node()
    have_packages(viewer)
    with tempfile.TemporaryDirectory(prefix="pliant-page-") as name:
        folder = pathlib.Path(name)
        built, words = build(viewer, folder)
        if not built:
            return [f"the page cannot be built again:\n{words.strip()}"]
        fresh = (folder / "dist" / "index.html").read_bytes()
    page = (viewer / "dist" / "index.html").read_bytes()
    if fresh == page:
        return []
    place = next((k for k, (a, b) in enumerate(zip(fresh, page)) if a != b), min(len(fresh), len(page)))
    return [f"viewer/dist/index.html is not what its sources build: it differs from byte {place} on "
            f"({len(page)} bytes, built {len(fresh)}); build it again: {MAKE}"]


def main():
    parser = argparse.ArgumentParser(description="Checks that the built page fits its sources.")
    parser.add_argument("--rebuild", action="store_true",
                        help="builds the page again, and compares all bytes")
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    viewer = options.root.resolve() / "viewer"
    faults = faults_of_page(viewer) + faults_of_packages(viewer)
    try:
        if options.rebuild and not faults:
            faults = faults_of_rebuilding(viewer)
    except NotHere as why:
        print(f"check_page: skipped, the page is not built again: {why}")
        return 77
    for line in faults:
        print(line, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
