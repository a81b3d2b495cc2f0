# SPDX-License-Identifier: Apache-2.0
"""Finding the library: the order of places, and what is said when it is in none of them."""
import shutil

from common import BUILD, ROOT, Folder, main, run_python

PRINT = "import pliant; print(pliant.library_path); print(pliant.version())"


class Loading(Folder):
    def test_the_environment_variable_decides(self):
        copy = self.folder / "elsewhere.so"
        shutil.copy(BUILD / "libpliant.so", copy)
        code, out, err = run_python(PRINT, PLIANT_LIBRARY=str(copy))
        self.assertEqual((code, out.split()[0]), (0, str(copy)), err)

    def test_the_source_tree_has_its_build_folder(self):
        root = self.folder / "tree"
        shutil.copytree(ROOT / "python" / "pliant", root / "python" / "pliant")
        (root / "include" / "pliant").mkdir(parents=True)
        (root / "include" / "pliant" / "base.h").touch()
        (root / "build").mkdir()
        shutil.copy(BUILD / "libpliant.so", root / "build" / "libpliant.so")
        code, out, err = run_python(f"import sys; sys.path.insert(0, {str(root / 'python')!r})\n"
                                    + PRINT, PLIANT_LIBRARY=None)
        self.assertEqual((code, out.split()[0]), (0, str(root / "build" / "libpliant.so")), err)

    def installed(self, library):
        packages = self.folder / "lib" / "python3" / "dist-packages"
        shutil.copytree(ROOT / "python" / "pliant", packages / "pliant")
        (packages / "pliant" / "_installed.py").write_text(
            f"LIBRARY = '../../../{library}'\nSCENES = '../../../../share/pliant/scenes'\n")
        return f"import sys; sys.path.insert(0, {str(packages)!r})\n"

    def test_an_installed_module_finds_the_library_beside_it(self):
        begin = self.installed("libpliant.so.0.2")
        shutil.copy(BUILD / "libpliant.so", self.folder / "lib" / "libpliant.so.0.2")
        scenes = self.folder / "share" / "pliant" / "scenes" / "own"
        scenes.mkdir(parents=True)
        shutil.copy(ROOT / "scenes" / "demo.yaml", scenes / "demo.yaml")
        code, out, err = run_python(begin + PRINT + "\nprint(pliant.scenes())\n"
                                    "print(pliant.Scene.load('own/demo').name)",
                                    PLIANT_LIBRARY=None)
        self.assertEqual(code, 0, err)
        self.assertEqual(out.split(), [str(self.folder / "lib" / "libpliant.so.0.2"), "0.2.0",
                                       "['own/demo']", "demo"])

    def test_a_missing_library_is_an_import_error_that_says_what_was_tried(self):
        code, _, err = run_python(PRINT, PLIANT_LIBRARY="/nowhere/libpliant.so")
        self.assertEqual(code, 1)
        self.assertIn("ImportError: libpliant.so was not found", err)
        self.assertIn("/nowhere/libpliant.so (PLIANT_LIBRARY): there is no such file", err)
        self.assertIn("make install", err)
        code, _, err = run_python(self.installed("libpliant.so.0.2") + PRINT, PLIANT_LIBRARY=None,
                                  LD_LIBRARY_PATH=str(self.folder))
        if code != 0:  # where pliant is installed, the system's loader finds it
            self.assertIn("beside the installed module", err)
            self.assertIn("the system's loader", err)

    def test_another_library_is_refused(self):
        broken = self.folder / "broken.so"
        broken.write_text("not a library")
        code, _, err = run_python(PRINT, PLIANT_LIBRARY=str(broken))
        self.assertEqual(code, 1)
        self.assertIn("ImportError", err)
        code, _, err = run_python(PRINT, PLIANT_LIBRARY="libm.so.6")
        self.assertEqual(code, 1)
        self.assertIn("it is not pliant's library", err)

    def test_another_version_is_refused(self):
        code, _, err = run_python("import pliant._library as l; l.check_version('0.3.7', 'x.so')")
        self.assertEqual(code, 1)
        self.assertIn("x.so is pliant 0.3.7, but the Python module is 0.2.0", err)
        code, _, err = run_python("import pliant._library as l; l.check_version('0.2.9', 'x.so')")
        self.assertEqual(code, 0, err)

    def test_import_leaves_the_environment_alone(self):
        code, out, err = run_python("import os; before = dict(os.environ); import pliant\n"
                                    "print(dict(os.environ) == before)",
                                    OMP_WAIT_POLICY=None, OPENBLAS_NUM_THREADS=None)
        self.assertEqual((code, out.strip()), (0, "True"), err)

    def test_threads_of_blas_are_as_before_a_call(self):
        code, out, err = run_python(
            "import pliant\nfrom pliant import _library as l\n"
            "if l.one_blas_thread.set is None: print('same'); raise SystemExit\n"
            "l.one_blas_thread.set(2)\n"
            "with l.one_blas_thread:\n    inside = l.one_blas_thread.get()\n"
            "print('same' if (inside, l.one_blas_thread.get()) == (1, 2) else 'other')",
            OPENBLAS_NUM_THREADS="2")
        self.assertEqual((code, out.strip()), (0, "same"), err)


if __name__ == "__main__":
    main()
