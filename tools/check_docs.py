#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What documents name is there.

  tools/check_docs.py [ROOT]

In the Markdown files of the project, but for the change log:
  - a source file or a folder of them in backticks is there: by its path from the root, from src/, tests/
    or include/, or a file by its name alone; `name.{h,c}` and `name_*.c` stand for several;
  - `file: name, name` names what stands in that file, as `newton.c: improves_gradient`;
  - `pli_...` and `PLI_...` in backticks stand in some source;
  - names of tests such as `unit.base.number` are those of files in tests/;
  - links between documents lead somewhere.
Exit 0: all of it is; 1: a line per fault, `file:line: what is missing`.
"""
import fnmatch
import os
import pathlib
import re
import sys

SOURCES = (".c", ".h", ".inl", ".py", ".sh", ".mjs", ".cmake", ".ts", ".yaml", ".css", ".js")
# what users write and what runs leave behind has no place here
FOREIGN = (".yaml", ".py", ".js")
LEFT_OUT = {"build", "node_modules", "out", ".git", "__pycache__"}
QUOTED = re.compile(r"`([^`]+)`")
FILE = re.compile(r"^([\w./*-]+(?:\.(?:\w+)|\.\{\w+(?:,\w+)*\}))(?:: ([\w*, ]+))?$")
PREFIXED = re.compile(r"\b(?:pli|PLI)_\w+\b(?![*\w])")
FOLDER = re.compile(r"^[\w-]+(?:/[\w-]+)+/?$")
TEST = re.compile(r"^(unit|conformance|physics|cli|python)\.([\w.]+)$")
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


class Documents:
    def __init__(self, root):
        self.root = root
        self.files = []
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(set(folders) - LEFT_OUT)
            inside = pathlib.Path(folder).relative_to(root)
            self.files += [(inside / name).as_posix() for name in names]
        self.files.sort()
        self.sources = [path for path in self.files if path.endswith(SOURCES)]
        self.tops = {path.split("/")[0] for path in self.files if "/" in path}
        self.texts = {}
        self.words = set()
        for path in self.sources:
            if path.endswith((".c", ".h", ".inl")):
                self.words |= set(re.findall(r"\b(?:pli|PLI)_\w+", self.text(path)))

    def text(self, path):
        if path not in self.texts:
            self.texts[path] = (self.root / path).read_text(encoding="utf-8", errors="replace")
        return self.texts[path]

    def find(self, name):
        """The sources that a name with wildcards stands for."""
        if "/" in name:
            wanted = [folder + name for folder in ("", "src/", "tests/", "include/")]
            return [path for path in self.sources if any(fnmatch.fnmatch(path, one) for one in wanted)]
        return [path for path in self.sources if fnmatch.fnmatch(path.rsplit("/", 1)[-1], name)]

    def faults_of_quote(self, quote):
        for name in PREFIXED.findall(quote):
            if name not in self.words and not name.endswith("_"):
                yield f"no source has {name}"
        test = TEST.match(quote)
        if test:
            *folders, last = test.group(2).split(".")
            stem = "/".join(["tests", test.group(1), *folders])
            wanted = (f"{stem}/test_{last}.*", f"{stem}/{last}.*")
            if not any(fnmatch.fnmatch(path, one) for path in self.files for one in wanted):
                yield f"there is no test {quote}"
        match = FILE.match(quote)
        if not match or test:
            folders = quote.split("/")
            is_ours = FOLDER.match(quote) and folders[0] in self.tops and not LEFT_OUT & set(folders)
            if is_ours and not any(path.startswith((quote.rstrip("/") + "/", quote + ".")) for path in self.files):
                yield f"there is no {quote}"
            return
        base, dot, endings = match.group(1).rpartition(".")
        found = []
        for ending in endings.strip("{}").split(","):
            if dot + ending not in SOURCES or ("/" not in base and dot + ending in FOREIGN):
                return
            here = self.find(f"{base}.{ending}")
            if not here:
                yield f"there is no file {base}.{ending}"
            found += here
        for name in (match.group(2) or "").replace(",", " ").split():
            pattern = re.compile(rf"\b{name.replace('*', chr(92) + 'w*')}\b")
            if found and not any(pattern.search(self.text(path)) for path in found):
                yield f"{match.group(1)} has no {name}"

    def faults_of(self, document):
        folder = (self.root / document).parent
        is_code = False
        for number, line in enumerate(self.text(document).splitlines(), 1):
            if line.startswith("```"):
                is_code = not is_code
            if is_code:
                continue
            said = [fault for quote in QUOTED.findall(line) for fault in self.faults_of_quote(quote)]
            said += [f"the link to {link} leads nowhere" for link in LINK.findall(line)
                     if not (folder / link).exists()]
            yield from (f"{document}:{number}: {fault}" for fault in said)

    def faults(self):
        documents = [path for path in self.files if path.endswith(".md") and path != "CHANGELOG.md"]
        return [fault for document in documents for fault in self.faults_of(document)]


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    faults = Documents(root.resolve()).faults()
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
