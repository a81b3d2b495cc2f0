# SPDX-License-Identifier: Apache-2.0
"""An installed tree has the module, which finds library and scenes of that tree, wherever it is."""
import os
import subprocess

from common import BUILD, Folder, main, run_python


class Installing(Folder):
    def test_the_installed_module_works_where_it_was_moved_to(self):
        environment = dict(os.environ, DESTDIR=str(self.folder / "stage"))
        subprocess.run(["cmake", "--install", str(BUILD), "--prefix", "/opt/pliant"], check=True,
                       env=environment, stdout=subprocess.DEVNULL)
        tree = self.folder / "tree"
        (self.folder / "stage" / "opt" / "pliant").rename(tree)
        packages, = {path.parent.parent for path in tree.rglob("pliant/__init__.py")}
        self.assertEqual(packages.name, "dist-packages")
        code, out, err = run_python(
            f"import sys; sys.path.insert(0, {str(packages)!r})\nimport pliant\n"
            "print(pliant.__file__, pliant.library_path)\n"
            "sim = pliant.Simulation('demo')\nprint(sim.step().converged)",
            PLIANT_LIBRARY=None)
        self.assertEqual(code, 0, err)
        places, converged = out.strip().split("\n")
        for place in places.split():
            self.assertTrue(place.startswith(str(tree)), place)
        self.assertEqual(converged, "True")
        self.assertTrue((tree / "share" / "pliant" / "python" / "blender").is_dir())
        self.assertFalse(list(tree.rglob("__pycache__")))


if __name__ == "__main__":
    main()
