#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may include whom.

Reads every #include of the sources and refuses those that the tables below do not allow:
  - a module of src/ includes itself, the modules of its row, and the public headers of its row;
  - include/pliant includes its own headers and the C library;
  - cli/ and examples/ include public headers, their own files and the C library;
  - libraries from outside are named per module, so that each stays behind one door;
  - no row has a permission that is not used (where no ROOT is named).

  tools/check_layers.py [ROOT]

Exit 0: all is allowed; 1: a line per wrong include, `file:line: what is wrong and what is allowed`.
"""
import pathlib
import re
import sys

# ---- the tables

MODULES = {
    "base": [],
    "math": [],
    "geometry": ["base", "math"],
    "linear": ["base", "math"],
    "material": ["base", "math"],
    "optimize": ["base", "math", "linear"],
    "fem": ["base", "math", "geometry", "linear", "material", "optimize"],
    "mpm": ["base", "math", "geometry", "linear", "material", "optimize"],
    "contact": ["base", "math", "geometry", "linear", "optimize"],
    "multilevel": ["base", "math", "geometry", "linear", "optimize"],
    "sim": ["base", "math", "geometry", "linear", "material", "optimize", "fem", "mpm", "contact",
            "multilevel"],
    "io": ["base", "geometry"],
    "render": ["base", "math", "geometry", "io"],
    "serve": ["base", "io"],
}

# public headers speak of what a module does; one that speaks of higher modules is out of reach.
# What they include themselves need not be named
PUBLIC = {
    "base": ["base", "schema", "stop"],
    "math": [],
    "geometry": ["detect", "extend"],
    "linear": [],
    "material": ["extend", "scene", "schema"],
    "optimize": ["stop"],
    "fem": ["extend"],
    "mpm": ["extend"],
    "contact": ["contact", "detect", "scene"],
    "multilevel": [],
    "sim": ["extend", "modes", "scene", "scene_reader", "sim"],
    "io": ["io", "scene", "scene_reader", "sim"],
    "render": ["picture"],
    "serve": ["base", "io", "scene", "serve", "sim"],
}

# libraries from outside: header (or folder of headers) and the modules that may know it
EXTERNAL = {
    "omp.h": ["base"],
    "immintrin.h": ["math"],
    "cholmod.h": ["linear"],
    "amd.h": ["linear"],
    "arpack.h": ["linear"],
    "cblas.h": ["linear"],
    "sleef.h": ["math"],
    "metis.h": ["linear", "multilevel"],
    "yaml.h": ["io"],
    "libwebsockets.h": ["serve"],
    "hdf5.h": ["io"],
    "hdf5_hl.h": ["io"],
    "H5FDdevelop.h": ["io"],
    "zlib.h": ["io"],
    "png.h": ["io"],
    "embree3/": ["render"],
}

# the C library: C17, POSIX and the few of Linux that are used
C_LIBRARY = set("""
assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h
setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h
stdnoreturn.h string.h tgmath.h threads.h time.h uchar.h wchar.h wctype.h
dirent.h dlfcn.h fcntl.h glob.h libgen.h poll.h pthread.h sched.h spawn.h strings.h termios.h
unistd.h sys/file.h sys/statvfs.h sys/ioctl.h sys/mman.h sys/resource.h sys/socket.h sys/stat.h sys/time.h
sys/random.h sys/types.h sys/un.h sys/utsname.h sys/wait.h netinet/in.h netinet/tcp.h arpa/inet.h
""".split())

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')


def includes_of(path):
    """Pairs of line number and included name."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def allowed_outside(name, who):
    """None when a header that is not ours may be included by a module (or cli, public ...)."""
    if name in C_LIBRARY:
        return None
    for header, modules in EXTERNAL.items():
        if name == header or (header.endswith("/") and name.startswith(header)):
            if who in modules:
                return None
            return f"only {' and '.join(modules)} may use it"
    return "it is neither ours nor in the tables of tools/check_layers.py"


def sources(folder):
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".c", ".h", ".inl") and path.is_file():
            yield path


class Checker:
    def __init__(self, root):
        self.root = root
        self.faults = []
        self.used = set()  # pairs (module, what it includes) of the tables

    def fault(self, path, line, name, why):
        self.faults.append(f'{path.relative_to(self.root)}:{line}: "{name}" may not be included '
                           f'here: {why}')

    def check_public(self, path, line, name):
        if name.startswith("pliant/"):
            return
        if name not in C_LIBRARY:
            self.fault(path, line, name, "public headers include one another and the C library")

    def check_module(self, path, line, name, module):
        top = name.split("/")[0]
        if "/" not in name and (path.parent / name).is_file():
            return
        if top == "pliant":
            stem = pathlib.PurePosixPath(name).stem
            self.used.add((module, f"pliant/{stem}.h"))
            if stem not in PUBLIC[module]:
                allowed = ", ".join(f"pliant/{one}.h" for one in PUBLIC[module]) or "none"
                self.fault(path, line, name, f"of the public headers {module} knows {allowed}")
        elif top in MODULES:
            self.used.add((module, top))
            if top != module and top not in MODULES[module]:
                allowed = ", ".join(MODULES[module]) or "the C library"
                self.fault(path, line, name, f"{module} may include {allowed}")
            elif not (self.root / "src" / name).is_file():
                self.fault(path, line, name, "there is no such file below src/")
        else:
            why = allowed_outside(name, module)
            if why:
                self.fault(path, line, name, why)

    def check_user(self, path, line, name, who):
        if name.startswith("pliant/") or (path.parent / name).is_file() or name in C_LIBRARY:
            return
        if name.split("/")[0] in MODULES:
            self.fault(path, line, name, f"{who} may use public headers (pliant/*.h) only")
        else:
            self.fault(path, line, name, f"{who} may use public headers and the C library only")

    def check_permissions(self):
        """A permission that nobody uses is a door that stands open."""
        for module, lower in MODULES.items():
            rows = lower + [f"pliant/{stem}.h" for stem in PUBLIC.get(module, [])]
            for name in rows:
                if (module, name) not in self.used:
                    self.faults.append(f"tools/check_layers.py:1: {module} may include {name} and "
                                       f"does not: take it from its row")

    def run(self):
        for path in sources(self.root / "include"):
            for line, name in includes_of(path):
                self.check_public(path, line, name)
        for path in sources(self.root / "src"):
            module = path.relative_to(self.root / "src").parts[0]
            if module not in MODULES:
                self.faults.append(f"{path.relative_to(self.root)}:1: src/{module} is not a module; "
                                   f"the modules are {', '.join(MODULES)}")
                continue
            for line, name in includes_of(path):
                self.check_module(path, line, name, module)
        for who in ("cli", "examples"):
            for path in sources(self.root / who):
                for line, name in includes_of(path):
                    self.check_user(path, line, name, who)
        return self.faults

    def run_whole(self):
        """The same for the whole project, where the tables themselves are judged as well."""
        self.run()
        self.check_permissions()
        return self.faults


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    root = root if root.is_dir() else root.parent.parent
    checker = Checker(root)
    faults = checker.run() if len(sys.argv) > 1 else checker.run_whole()
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
