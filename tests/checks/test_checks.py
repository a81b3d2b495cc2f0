#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checks find what they are for: each fault is planted in a small tree of its own."""
import hashlib
import importlib.util
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("PLIANT_SOURCE", pathlib.Path(__file__).parents[2]))
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


def load(name):
    """A script of tools/ as a module: starting an interpreter for every claim would take long."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LAYERS = load("check_layers")
STYLE = load("check_style")
PAGE = load("check_page")
TESTS = load("check_tests")
DOCS = load("check_docs")


def long_function(lines, reason=""):
    body = "".join(f"    x += {index};\n" for index in range(lines - 4))
    return f"int pli_f(int x)\n{{\n{reason}{body}    return x;\n}}\n"


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.write("CMakeLists.txt", "# SPDX-License-Identifier: Apache-2.0\n")
        self.write("Makefile", "# SPDX-License-Identifier: Apache-2.0\nall:\n\ttrue\n")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


class Docs(Tree):
    def test_names_that_are_not_there_are_found(self):
        self.write("src/base/a_b.c", SPDX + "int pli_a(void);\n")
        self.write("tests/unit/base/test_a.c", SPDX)
        for good in ("`src/base/a_b.c`", "`base/a_*.c`", "`a_b.c: pli_a`", "`unit.base.a`", "`src/base`", "[a](b.md)",
                     "`mine.yaml`", "a_c.c", "`out/a_c.c/`"):
            self.write("docs/b.md", good + "\n")
            self.assertEqual(DOCS.Documents(self.root).faults(), [], good)
        for bad in ("`src/a_b.c`", "`a_c.c`", "`a_b.{h,c}`", "`a_b.c: find`", "`pli_c()`", "`unit.base.c`", "`src/b`",
                    "[a](c.md)"):
            self.write("docs/b.md", bad + "\n")
            self.assertEqual(len(DOCS.Documents(self.root).faults()), 1, bad)


class Tests(Tree):
    def check(self, *rows):
        self.write("tests/README.md", "".join(f"| {row} |\n" for row in rows))
        return "\n".join(TESTS.faults_of(self.root))

    def test_names_families_and_the_table_are_enough(self):
        for stem in ("a", "b_c", "d"):
            self.write(f"src/base/{stem}.c", f"{SPDX}const int pli_part_{stem} = {{0}};\n")
        for stem in ("a", "b"):
            self.write(f"tests/unit/base/test_{stem}.c", SPDX)
        self.assertIn("src/base/.../d.c: no tests/unit/base/test_d.c", self.check())
        self.assertEqual(self.check("base | d | unit.base.a"), "")
        self.assertEqual(self.check("base | d* | unit.base.a unit.base.b"), "")
        self.assertEqual(self.check("base | pli_part_* | unit.base.a"), "")

    def test_lines_about_what_is_not_there_are_refused(self):
        self.write("src/base/a.c", SPDX)
        self.write("tests/unit/base/test_a.c", SPDX)
        self.assertIn("tests/README.md:1: src/base has no file e.c", self.check("base | e | unit.base.a"))
        self.assertIn("tests/README.md:1: there is no test unit.base.f", self.check("base | a | unit.base.f"))


class Layers(Tree):
    def check(self, path, include):
        self.write(path, f"{SPDX}#include {include}\n")
        return "\n".join(LAYERS.Checker(self.root).run())

    def refused(self, path, include, why):
        text = self.check(path, include)
        self.assertIn(f"{path}:2: ", text)
        self.assertIn(why, text)

    def allowed(self, path, include):
        self.assertEqual(self.check(path, include), "")

    def test_lower_modules_are_allowed(self):
        self.write("src/base/a.h", SPDX)
        self.allowed("src/geometry/b.c", '"base/a.h"')

    def test_own_header_is_allowed(self):
        self.write("src/fem/own.h", SPDX)
        self.allowed("src/fem/own.c", '"own.h"')

    def test_higher_modules_are_refused(self):
        self.write("src/fem/a.h", SPDX)
        self.refused("src/linear/b.c", '"fem/a.h"', "linear may include base, math")

    def test_sisters_meet_in_sim_only(self):
        self.write("src/contact/a.h", SPDX)
        self.refused("src/fem/b.c", '"contact/a.h"', "fem may include")
        (self.root / "src/fem/b.c").unlink()
        self.allowed("src/sim/b.c", '"contact/a.h"')

    def test_missing_headers_are_refused(self):
        self.refused("src/geometry/b.c", '"base/gone.h"', "no such file")

    def test_public_headers_above_a_module_are_refused(self):
        self.refused("src/linear/b.c", '"pliant/sim.h"', "linear knows none")
        (self.root / "src/linear/b.c").unlink()
        self.allowed("src/io/b.c", '"pliant/sim.h"')

    def test_permissions_that_nobody_uses_are_found(self):
        self.write("src/base/a.h", SPDX)
        self.write("src/geometry/b.c", SPDX + '#include "base/a.h"\n')
        faults = LAYERS.Checker(self.root).run_whole()
        self.assertTrue(any("geometry may include math and does not" in fault for fault in faults))
        self.assertFalse(any("geometry may include base and" in fault for fault in faults))

    def test_libraries_have_one_door(self):
        self.refused("src/fem/b.c", "<cholmod.h>", "only linear may use it")
        (self.root / "src/fem/b.c").unlink()
        self.allowed("src/linear/b.c", "<cholmod.h>")

    def test_unknown_libraries_are_refused(self):
        self.refused("src/io/b.c", "<glib.h>", "neither ours nor in the tables")

    def test_program_uses_public_headers_only(self):
        self.write("src/base/a.h", SPDX)
        self.refused("cli/b.c", '"base/a.h"', "public headers")
        (self.root / "cli/b.c").unlink()
        self.allowed("cli/b.c", '"pliant/base.h"')

    def test_public_headers_know_the_c_library_only(self):
        self.write("src/base/a.h", SPDX)
        self.refused("include/pliant/b.h", '"base/a.h"', "the C library")
        self.refused("include/pliant/b.h", "<yaml.h>", "the C library")

    def test_unknown_modules_are_refused(self):
        self.write("src/misc/a.c", SPDX)
        self.assertIn("src/misc is not a module", LAYERS.Checker(self.root).run()[0])


class Style(Tree):
    def check(self, path, text):
        self.write(path, text)
        checker = STYLE.Checker(self.root)
        checker.check_files()
        return checker

    def refused(self, path, text, why, line):
        said = "\n".join(self.check(path, text).faults)
        self.assertIn(f"{path}:{line}: ", said)
        self.assertIn(why, said)

    def allowed(self, path, text):
        checker = self.check(path, text)
        self.assertEqual((checker.faults, checker.warnings), ([], []))

    def test_licence_line(self):
        self.refused("src/base/a.c", "int pli_x;\n", "SPDX", 1)
        self.refused("tools/a.sh", "#!/bin/sh\ntrue\n", "SPDX", 1)
        (self.root / "src/base/a.c").unlink()
        self.allowed("tools/a.sh", "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\ntrue\n")

    def test_white_space(self):
        self.refused("src/base/a.c", SPDX + "int pli_x; \n", "spaces at the end", 2)
        self.refused("src/base/a.c", SPDX + "\tint pli_x;\n", "a tab", 2)
        self.refused("src/base/a.c", SPDX + "int pli_x;", "no end of line", 2)

    def test_long_functions(self):
        self.allowed("src/base/a.c", SPDX + long_function(80))
        self.refused("src/base/a.c", SPDX + long_function(81), "pli_f has 81 lines", 2)
        self.allowed("src/base/a.c", SPDX + long_function(120, "    // long because: a table\n"))
        self.allowed("src/base/a.c", SPDX + "// long because: a table\n" + long_function(120))
        self.refused("src/base/a.c", SPDX + long_function(151, "    // long because: it is\n"),
                     "no function has more than 150", 2)

    def test_length_counts_functions_only(self):
        table = "static const int table[] = {\n" + "    1,\n" * 200 + "};\n"
        self.allowed("src/base/a.c", SPDX + table)
        # braces in texts and comments do not count
        self.allowed("src/base/a.c", SPDX + 'const char *pli_x = "{"; // {\n' + long_function(60) +
                     long_function(60))

    def test_printing_and_ending(self):
        for call in ('printf("x")', "exit(1)", "abort()", 'fprintf(stderr, "x")', 'puts("x")'):
            text = f"{SPDX}void pli_f(void)\n{{\n    {call};\n}}\n"
            self.refused("src/base/a.c", text, "never prints, exits or aborts", 4)
            (self.root / "src/base/a.c").unlink()
            self.allowed("cli/a.c", text)
        self.allowed("src/base/a.c", SPDX + "// never calls printf() or abort()\n")
        self.allowed("src/io/a.c", SPDX + "void pli_f(void)\n{\n    snprintf(a, 1, b);\n}\n")

    def test_openmp_has_one_room(self):
        text = SPDX + "#pragma omp parallel\n"
        self.allowed("src/base/parallel.c", text)
        self.refused("src/fem/a.c", text, "pli_parallel_for", 2)

    def test_unfinished_work(self):
        self.refused("src/base/a.c", SPDX + "// TODO: later\n", "needs an issue", 2)
        self.refused("src/base/a.c", SPDX + "// FIXME\n", "needs an issue", 2)
        self.allowed("src/base/a.c", SPDX + "// TODO(#12): later\n")

    def test_long_files_are_warned_of(self):
        checker = self.check("src/base/a.c", SPDX + "int pli_x;\n" * 901)
        self.assertEqual(checker.faults, [])
        self.assertIn("src/base/a.c:1: warning: 902 lines", checker.warnings[0])

    def test_symbols(self):
        source = self.root / "unit.c"
        source.write_text('extern int printf(const char *, ...);\nint pli_good(void) { return 0; }\n'
                          'int bad(void) { return printf("%d", 1); }\nstatic int fine;\n'
                          "int pli_use(void) { return fine++; }\n")
        unit = self.root / "unit.o"
        compiler = os.environ.get("PLIANT_COMPILER", "cc")
        subprocess.run([compiler, "-O0", "-c", str(source), "-o", str(unit)], check=True)
        checker = STYLE.Checker(self.root)
        checker.check_objects(str(unit), None)
        text = "\n".join(checker.faults)
        self.assertIn("external symbol 'bad' lacks the prefix pli_", text)
        self.assertIn("refers to 'printf'", text)
        self.assertNotIn("pli_good", text)
        self.assertNotIn("'fine'", text)


class Page(Tree):
    def setUp(self):
        super().setUp()
        for name in PAGE.SINGLES:
            self.write(f"viewer/{name}", "{}\n")
        self.write("viewer/src/main.ts", "start();\n")
        self.viewer = self.root / "viewer"
        self.build("<script>start()</script>")

    def build(self, body):
        stamp = PAGE.hash_of_sources(self.viewer)
        page = (f'<meta name="pliant-sources" content="{stamp}"><meta name="pliant-page" content="{64 * "0"}">'
                f'<link href="data:,">{body}')
        seal = hashlib.sha256(page.encode()).hexdigest()
        self.write("viewer/dist/index.html", page.replace(64 * "0", seal))

    def faults(self):
        return "\n".join(PAGE.faults_of_page(self.viewer) + PAGE.faults_of_packages(self.viewer))

    def test_a_page_that_fits_its_sources_passes(self):
        self.assertEqual(self.faults(), "")

    def test_a_source_that_changed_is_found(self):
        self.write("viewer/src/main.ts", "start(2);\n")
        self.assertIn("not what its sources make", self.faults())

    def test_a_source_that_was_added_is_found(self):
        self.write("viewer/src/ui/more.ts", "more();\n")
        self.assertIn("not what its sources make", self.faults())

    def test_a_page_that_was_changed_after_it_was_built_is_found(self):
        page = self.viewer / "dist/index.html"
        built = page.read_text()
        seal = PAGE.SEAL.search(built.encode()).group(1).decode()
        for changed in (built.replace("start()", "steal()"), built + "\n", built[:-1],
                        built.replace(seal, seal[::-1]), built.replace('name="pliant-page"', 'name="x"'),
                        built + f'<meta name="pliant-page" content="{seal}">'):
            page.write_text(changed)
            self.assertIn("changed after it was built", self.faults())
        page.write_text(built)
        self.assertEqual(self.faults(), "")

    def test_a_page_that_is_missing_is_found(self):
        (self.viewer / "dist/index.html").unlink()
        self.assertIn("is missing", self.faults())

    def test_a_page_that_loads_something_is_refused(self):
        for body in ('<script src="/a.js"></script>', '<link rel="stylesheet" href="a.css">',
                     '<img src="a.png">', "<style>@import 'a.css';</style>"):
            self.build(body)
            self.assertIn("loads something", self.faults(), body)

    def test_versions_are_exact_and_the_lock_file_has_no_addresses(self):
        self.write("viewer/package.json", '{"dependencies": {"three": "^0.187.0"}}\n')
        self.write("viewer/package-lock.json",
                   '{"packages": {"a": {"resolved": "https://registry.example/a.tgz"}}}\n')
        self.build("")
        self.assertIn("exact version", self.faults())
        self.assertIn("addresses of downloads", self.faults())


if __name__ == "__main__":
    unittest.main()
