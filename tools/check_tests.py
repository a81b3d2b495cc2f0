#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source file is tested somewhere that can be found.

  tools/check_tests.py [ROOT]

A file src/<module>/.../x_y.c is found when there is tests/unit/<module>/test_x_y.c, or the test of its
family, test_x.c; the table at the end of tests/README.md says where the others are tested: by names of
files, or, as `pli_law_*`, those that define such a part, for a suite that runs over all of its kind.
Lines of it that name a file or a test which is not there are refused as well.
Exit 0: all are found; 1: a line per fault.
"""
import fnmatch
import pathlib
import re
import sys

ROW = re.compile(r"^\| (\w+) \| ([\w* ]+) \| ([\w. ]+) \|$")
PART = re.compile(r"^const \w+ (pli_\w+) = \{", re.MULTILINE)


def has_test(root, name):
    kind, *rest = name.split(".")
    folder = root / "tests" / kind / pathlib.Path(*rest[:-1])
    return any((folder / f"{start}{rest[-1]}{ending}").is_file()
               for start in ("test_", "long_", "") for ending in (".c", ".py", ".sh", ".mjs"))


def is_named(root, module, stem):
    words = stem.split("_")
    return any(has_test(root, f"unit.{module}.{'_'.join(words[:count])}") for count in range(len(words), 0, -1))


def faults_of(root):
    table = root / "tests" / "README.md"
    faults, covered = [], {}
    lines = table.read_text(encoding="utf-8").splitlines() if table.is_file() else []
    sources, parts = {}, {}
    for path in sorted((root / "src").rglob("*.c")):
        module = path.relative_to(root / "src").parts[0]
        sources.setdefault(module, set()).add(path.stem)
        for name in PART.findall(path.read_text(encoding="utf-8")):
            parts.setdefault(module, {})[name] = path.stem
    for number, line in enumerate(lines, 1):
        row = ROW.match(line)
        if not row or row.group(1) == "module":
            continue
        where = f"tests/README.md:{number}"
        for name in row.group(3).split():
            if not has_test(root, name):
                faults.append(f"{where}: there is no test {name}")
        for pattern in row.group(2).split():
            known = parts.get(row.group(1), {})
            stems = [known[name] for name in fnmatch.filter(known, pattern)] or \
                fnmatch.filter(sources.get(row.group(1), ()), pattern)
            covered.setdefault(row.group(1), set()).update(stems)
            if not stems:
                faults.append(f"{where}: src/{row.group(1)} has no file {pattern}.c")
    for module, stems in sources.items():
        for stem in sorted(stems):
            if stem not in covered.get(module, ()) and not is_named(root, module, stem):
                faults.append(f"src/{module}/.../{stem}.c: no tests/unit/{module}/test_{stem}.c, and no line of the table "
                              f"in tests/README.md says where it is tested")
    return faults


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    faults = faults_of(root if root.is_dir() else root.parent.parent)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
