#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the committed page, viewer/dist/index.html, was built from the sources beside it.

  tools/check_page.py [--root DIR]

The build stamps the hash of its sources into the page (viewer/vite.config.ts); here it is computed
again, without Node. Also: the page loads nothing, package.json names exact versions, and the lock
file holds no addresses of downloads.

Exit 0: fine; 1: a line per fault.
"""
import argparse
import hashlib
import json
import pathlib
import re
import sys

SINGLES = ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts")
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


def faults_of_page(viewer):
    page = viewer / "dist" / "index.html"
    if not page.is_file():
        return ["viewer/dist/index.html is missing; make it: cd viewer && npm ci && npm run build"]
    text = page.read_text(encoding="utf-8")
    stamp = STAMP.search(text)
    if not stamp or stamp.group(1) != hash_of_sources(viewer):
        return ["viewer/dist/index.html is not what its sources make; "
                "build it again: cd viewer && npm ci && npm run build"]
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


def main():
    parser = argparse.ArgumentParser(description="Checks that the built page fits its sources.")
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    viewer = parser.parse_args().root.resolve() / "viewer"
    faults = faults_of_page(viewer) + faults_of_packages(viewer)
    for line in faults:
        print(line, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
