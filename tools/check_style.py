#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of style that a formatter does not know.

  tools/check_style.py [--root DIR] [--objects ARCHIVE] [--shared LIBRARY]

In every source: the licence line first, no tabs, no trailing spaces, an end of line at the end, no
TODO without an issue. In C: functions up to 80 lines, up to 150 with a comment `long because: ...`;
OpenMP only in base/parallel.c; no printing, exiting or aborting in src/. In the built library:
every external symbol begins with pli_, and nothing refers to printf, exit, abort, stdout or stderr.

Exit 0: fine (warnings may be printed); 1: a line per fault, `file:line: what is wrong`.
"""
import argparse
import pathlib
import re
import subprocess
import sys

FUNCTION_WARN = 80
FUNCTION_LIMIT = 150
FILE_WARN = 900

SPDX = "SPDX-License-Identifier: Apache-2.0"
C_FOLDERS = ("include", "src", "cli", "bench", "tests", "examples")
OTHER_FOLDERS = C_FOLDERS + ("tools", "cmake", "scenes", "python", ".ci")
C_SUFFIXES = (".c", ".h", ".inl")
# files that carry the licence line; scenes do not, for they are there to be copied
LICENSED_SUFFIXES = C_SUFFIXES + (".py", ".sh", ".cmake")

PRINTING = re.compile(r"\b(printf|vprintf|puts|putchar|perror|exit|_exit|_Exit|quick_exit|abort)\s*\(")
STREAMS = re.compile(r"\b(stdout|stderr)\b")
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
WITH_ISSUE = re.compile(r"\bTODO\(#\d+\)")
FORBIDDEN_REFERENCES = {
    "printf", "vprintf", "puts", "putchar", "perror", "exit", "_exit", "_Exit", "quick_exit",
    "abort", "__assert_fail", "stdout", "stderr", "__printf_chk",
}


def blank_comments_and_texts(text):
    """The same text with comments, strings and characters blanked; lines and columns stay."""
    pattern = re.compile(r"//(?:\\\n|[^\n])*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'",
                         re.DOTALL)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def functions_of(code):
    """(name, first line, last line) of every function in C text without comments and strings."""
    # preprocessor lines could hold unmatched braces
    code = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*",
                  lambda match: re.sub(r"[^\n]", " ", match.group(0)), code, flags=re.MULTILINE)
    depth = 0
    head_start = 0  # where the declaration that is being read began
    opened = None
    for position, letter in enumerate(code):
        if letter == "{":
            if depth == 0:
                head = code[head_start:position]
                is_function = head.rstrip().endswith(")") and "=" not in head
                opened = (head, head_start) if is_function else None
            depth += 1
        elif letter == "}":
            depth = max(0, depth - 1)
            if depth == 0:
                if opened:
                    head, start = opened
                    start += len(head) - len(head.lstrip())
                    name = re.search(r"(\w+)\s*\(", head)
                    yield (name.group(1) if name else "?", code.count("\n", 0, start) + 1,
                           code.count("\n", 0, position) + 1)
                opened = None
                head_start = position + 1
        elif letter == ";" and depth == 0:
            head_start = position + 1


class Checker:
    def __init__(self, root):
        self.root = root
        self.faults = []
        self.warnings = []

    def fault(self, path, line, what):
        self.faults.append(f"{path.relative_to(self.root)}:{line}: {what}")

    def check_text(self, path, lines):
        # the licence line comes first, after what an interpreter needs
        if path.suffix in LICENSED_SUFFIXES or path.name in ("CMakeLists.txt", "Makefile"):
            first = lines[1] if lines and lines[0].startswith("#!") and len(lines) > 1 else \
                lines[0] if lines else ""
            if SPDX not in first:
                self.fault(path, 1, f"the first line has to say '{SPDX}'")
        for number, line in enumerate(lines, 1):
            if line != line.rstrip():
                self.fault(path, number, "spaces at the end of the line")
            if "\t" in line and path.name != "Makefile":
                self.fault(path, number, "a tab; indent with spaces")

    def check_c(self, path, text, lines):
        relative = path.relative_to(self.root).as_posix()
        if len(lines) > FILE_WARN:
            self.warnings.append(f"{relative}:1: warning: {len(lines)} lines; "
                                 f"is it one room or two?")
        for number, line in enumerate(lines, 1):
            if UNFINISHED.search(line) and not WITH_ISSUE.search(line):
                self.fault(path, number, "unfinished work needs an issue: TODO(#12)")
        code = blank_comments_and_texts(text)
        for number, line in enumerate(code.split("\n"), 1):
            if re.match(r"\s*#\s*pragma\s+omp", line) and relative != "src/base/parallel.c":
                self.fault(path, number, "OpenMP belongs into src/base/parallel.c; "
                                         "use pli_parallel_for and its sisters")
            if relative.startswith("src/"):
                match = PRINTING.search(line) or STREAMS.search(line)
                if match:
                    self.fault(path, number, f"the library never prints, exits or aborts, "
                                             f"but here is '{match.group(1)}'")
        for name, first, last in functions_of(code):
            self.check_function(path, lines, name, first, last)

    def check_function(self, path, lines, name, first, last):
        length = last - first + 1
        if length > FUNCTION_LIMIT:
            self.fault(path, first, f"{name} has {length} lines; no function has more than "
                                    f"{FUNCTION_LIMIT}: make functions of its stages")
        elif length > FUNCTION_WARN:
            # the reason stands in the function or in the comment above it
            above = first - 2
            while above >= 0 and lines[above].lstrip().startswith("//"):
                above -= 1
            if not any("long because:" in line for line in lines[above + 1:last]):
                self.fault(path, first, f"{name} has {length} lines; over {FUNCTION_WARN} needs a "
                                        f"comment '// long because: ...', or shorter stages")

    def check_files(self):
        seen = [self.root / "CMakeLists.txt", self.root / "Makefile"]
        for folder in OTHER_FOLDERS:
            seen += sorted((self.root / folder).rglob("*"))
        for path in seen:
            if not path.is_file() or "__pycache__" in path.parts:
                continue
            known = path.suffix in LICENSED_SUFFIXES + (".txt", ".in", ".json", ".md", ".yaml") or \
                path.name == "Makefile"
            if not known:
                continue
            text = path.read_text(encoding="utf-8")
            lines = text.split("\n")
            if lines and lines[-1] == "":
                lines.pop()
            elif text:
                self.fault(path, len(lines), "no end of line at the end of the file")
            self.check_text(path, lines)
            if path.suffix in C_SUFFIXES:
                self.check_c(path, text, lines)

    def check_objects(self, archive, shared):
        if archive:
            for name, kind, member in symbols(["nm", "--print-file-name", archive]):
                if kind in "TDBRCGSVW" and not allowed_symbol(name):
                    self.faults.append(f"{member}: external symbol '{name}' lacks the prefix pli_; "
                                       f"make it static or rename it")
                if kind == "U" and name.split("@")[0] in FORBIDDEN_REFERENCES:
                    self.faults.append(f"{member}: refers to '{name}': the library never prints, "
                                       f"exits or aborts")
        if shared:
            for name, kind, member in symbols(["nm", "--print-file-name", "-D", shared]):
                if kind in "TDBRCGSVW" and not allowed_symbol(name.split("@")[0]):
                    self.faults.append(f"{member}: the shared library shows '{name}', which is not "
                                       f"part of its interface")


def allowed_symbol(name):
    # the sanitizers and the coverage runtime bring their own
    return name.startswith("pli_") or name.startswith(("__asan", "__odr_asan", "__ubsan", "__gcov",
                                                       "__sanitizer", "_init", "_fini"))


def symbols(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"check_style: {' '.join(command)} failed: {done.stderr.strip()}")
    for line in done.stdout.splitlines():
        match = re.match(r"(.*?):(?:[0-9a-f]+)?\s+([A-Za-z])\s+(\S+)$", line)
        if match:
            yield match.group(3), match.group(2), match.group(1)


def main():
    parser = argparse.ArgumentParser(description="Checks rules of style.")
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--objects", help="static library to look into")
    parser.add_argument("--shared", help="shared library to look into")
    options = parser.parse_args()

    checker = Checker(options.root.resolve())
    checker.check_files()
    checker.check_objects(options.objects, options.shared)
    for line in checker.warnings + checker.faults:
        print(line, file=sys.stderr)
    return 1 if checker.faults else 0


if __name__ == "__main__":
    sys.exit(main())
