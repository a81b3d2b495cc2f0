# SPDX-License-Identifier: Apache-2.0
"""The module's picture of the C library is the C compiler's: structs, functions, numbers."""
import ctypes
import os
import re
import subprocess
import sys
import unittest

from common import ROOT, Folder, main

from pliant import _library, _structs, catalog, errors, frames, scene, simulation

HEADERS = "".join(path.read_text() for path in sorted((ROOT / "include" / "pliant").glob("*.h")))

# numbers of C that the module repeats: expression and value
NUMBERS = {
    "PLI_ITEM_REAL": scene.REAL, "PLI_ITEM_INTEGER": scene.INTEGER, "PLI_ITEM_BOOL": scene.BOOL,
    "PLI_ITEM_TEXT": scene.TEXT, "PLI_ITEM_CHOICE": scene.CHOICE, "PLI_ITEM_STRUCT": scene.STRUCT,
    "PLI_ITEM_VARIANT": scene.VARIANT, "PLI_ITEM_MESH": scene.MESH,
    "PLI_FIELD_NAMED": scene.NAMED, "PLI_FIELD_PAINTED": scene.PAINTED, "PLI_FIELD_OPTIONAL": scene.OPTIONAL,
    "PLI_STOP_NONFINITE": simulation.NONFINITE,
    "PLI_ARRAY_F64": 0, "PLI_ARRAY_I64": 1, "PLI_ARRAY_I32": 2,
    "PLI_PART_TETS": frames.KINDS.index("tets"),
    "PLI_PART_TRIANGLES": frames.KINDS.index("triangles"),
    "PLI_PART_POINTS": frames.KINDS.index("points"),
    "PLI_ROLE_BODY": frames.ROLES.index("body"),
    "PLI_ROLE_COLLIDER": frames.ROLES.index("collider"),
    "PLI_ROLE_OBSTACLE": frames.ROLES.index("obstacle"),
    "PLI_PLACE_POINT": frames.PLACES.index("point"), "PLI_PLACE_CELL": frames.PLACES.index("cell"),
    "PLI_COLORMAP_SEQUENTIAL": 0, "PLI_COLORMAP_DIVERGING": 1, "PLI_COLORMAP_CATEGORIES": 2,
    "PLI_BACKGROUND_LIGHT": 0, "PLI_BACKGROUND_DARK": 1,
    "PLI_COLLIDERS_SHOW": 0, "PLI_COLLIDERS_HIDE": 1, "PLI_COLLIDERS_GLASS": 2,
    "PLI_LOG_ERROR": 0, "PLI_LOG_TRACE": 4,
    "PLI_ERROR_MEMORY": errors.BY_STATUS.index(errors.OutOfMemoryError),
    "PLI_ERROR_ARGUMENT": errors.BY_STATUS.index(errors.ArgumentError),
    "PLI_ERROR_SCENE": errors.BY_STATUS.index(errors.SceneError),
    "PLI_ERROR_MESH": errors.BY_STATUS.index(errors.MeshError),
    "PLI_ERROR_IO": errors.BY_STATUS.index(errors.FileError),
    "PLI_ERROR_UNSUPPORTED": errors.BY_STATUS.index(errors.UnsupportedError),
    "PLI_ERROR_NUMERIC": errors.BY_STATUS.index(errors.NumericError),
    "PLI_ERROR_INTERRUPTED": errors.BY_STATUS.index(errors.InterruptedStep),
}


def make_program():
    """A C program that prints names with sizes, offsets and numbers."""
    rows = []
    for name, struct in _structs.STRUCTS.items():
        rows.append(f'{{"{name}", sizeof({name}), 0}}')
        for member, _ in struct._fields_:
            rows.append(f'{{"{name}.{member}", sizeof((({name} *)0)->{member}), '
                        f'offsetof({name}, {member})}}')
    rows += [f'{{"{name}", {name}, 0}}' for name in NUMBERS]
    return ('#include "pliant/pliant.h"\n#include <stdio.h>\n'
            'static const struct { const char *name; long size, offset; } rows[] = {\n'
            + ",\n".join(rows) + "};\nint main(void)\n{\n"
            "for (unsigned k = 0; k < sizeof rows / sizeof *rows; ++k)\n"
            'printf("%s %ld %ld\\n", rows[k].name, rows[k].size, rows[k].offset);\n}\n')


class Layout(Folder):
    def setUp(self):
        super().setUp()
        source, program = self.folder / "layout.c", self.folder / "layout"
        source.write_text(make_program())
        compiler = os.environ.get("PLIANT_COMPILER", "cc")
        subprocess.run([compiler, f"-I{ROOT / 'include'}", str(source), "-o", str(program)],
                       check=True)
        lines = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
        rows = [line.split() for line in lines.strip().split("\n")]
        self.found = {name: (int(size), int(offset)) for name, size, offset in rows}

    def test_structs_and_numbers_are_those_of_the_compiler(self):
        for name, struct in _structs.STRUCTS.items():
            self.assertEqual(ctypes.sizeof(struct), self.found[name][0], name)
            for member, kind in struct._fields_:
                here = (ctypes.sizeof(kind), getattr(struct, member).offset)
                self.assertEqual(here, self.found[f"{name}.{member}"], f"{name}.{member}")
        for name, value in NUMBERS.items():
            self.assertEqual(value, self.found[name][0], name)


class Declarations(unittest.TestCase):
    """Counts and kinds of parameters, as the headers say."""

    def parameters_of(self, name):
        found = re.search(rf"PLI_API [^;{{]*?\b{name}\(([^;]*?)\)\s*(?:PLI_PRINTF[^;]*)?;", HEADERS,
                          re.DOTALL)
        self.assertIsNotNone(found, f"no header has {name}")
        inside = " ".join(found[1].split())
        return [] if inside == "void" else inside.split(",")

    def test_functions_have_the_parameters_of_the_headers(self):
        words = {"double": "f64", "int32_t": "i32", "int64_t": "i64", "size_t": "size",
                 "bool": "bool"}
        for line in _library.FUNCTIONS.strip().split("\n"):
            _, name, *kinds = line.split()
            parameters = self.parameters_of(name)
            self.assertEqual(len(parameters), len(kinds), name)
            for parameter, kind in zip(parameters, kinds):
                is_pointer = "*" in parameter or "[" in parameter or parameter.strip().split()[0] \
                    in ("pli_iteration_fn", "pli_cancel_fn")
                if is_pointer:
                    self.assertIn(kind, ("ptr", "str"), f"{name}: {parameter}")
                else:
                    wanted = words.get(parameter.split()[0], "enum")
                    self.assertEqual(kind, wanted, f"{name}: {parameter}")

    def test_results_are_those_of_the_headers(self):
        words = {"pli_status": "status", "void": "void", "int32_t": "i32", "int64_t": "i64",
                 "uint64_t": "u64", "double": "f64", "bool": "bool"}
        for line in _library.FUNCTIONS.strip().split("\n"):
            result, name, *_ = line.split()
            found = re.search(rf"PLI_API\s+(?:PLI_CHECKED\s+)?(?:const\s+)?(\w+)\s*(\*?){name}\(",
                              " ".join(HEADERS.split()))
            self.assertIsNotNone(found, name)
            if found[2]:
                self.assertEqual(result, "str" if found[1] == "char" else "ptr", name)
            else:
                self.assertEqual(result, words.get(found[1], found[1]), name)

    def test_versions_agree(self):
        numbers = [re.search(rf"PLI_VERSION_{part} (\d+)", HEADERS)[1]
                   for part in ("MAJOR", "MINOR", "PATCH")]
        self.assertEqual(".".join(numbers), _library.VERSION)
        self.assertEqual(catalog.version(), _library.VERSION)
        self.assertEqual(_library.SONAME, "libpliant.so." + ".".join(numbers[:2]))


if __name__ == "__main__":
    sys.exit(main())
