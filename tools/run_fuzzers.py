#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzzers of the preset "fuzz", each for a time, and fails when one finds something.

  tools/run_fuzzers.py [--seconds N] [--build DIR] [--schema FILE] [TARGET ...]

Inputs start from tests/fuzz/corpus, scenes/, tests/data and the meshes of the folder that
PLIANT_MESHES names, if any; what a fuzzer adds stays in DIR/corpus/<target> for the next time. An input may take a second of the processor and 256 MB of memory. What breaks a promise is kept
in DIR/findings.

Prints a line per fuzzer. Exit 0: nothing was found; 1: something was, the line says where it lies.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MESHES = [ROOT / "tests" / "data" / "meshes"] + [pathlib.Path(name) for name in (os.environ.get("PLIANT_MESHES"),) if name]

SECONDS_PER_INPUT = 1
MEGABYTES = 256
LONGEST_INPUT = 16384  # bytes: longer ones are slow, and hardly reach more code
LARGEST_SEED = 65536

# endings of files that a mesh target starts from
MESH_ENDINGS = {
    "mesh_gmsh": ("msh",), "mesh_vtk": ("vtk",), "mesh_ply": ("ply",), "mesh_off": ("off",),
    "mesh_medit": ("mesh",), "mesh_vega": ("veg",), "mesh_stl": ("stl",),
    "mesh_tetgen": ("node", "ele", "face"), "mesh_obj": ("obj",),
}

# quarantine counts as memory of the process, and would hide what the target itself takes
SANITIZER = {"ASAN_OPTIONS": "quarantine_size_mb=8:malloc_context_size=4:allocator_may_return_null=1",
             "UBSAN_OPTIONS": "print_stacktrace=1"}


def seed_files(target):
    """Files that the inputs of a target start from."""
    own = ROOT / "tests" / "fuzz" / "corpus" / target
    files = [path for path in own.rglob("*") if path.is_file()] if own.is_dir() else []
    if target == "scene":
        files += sorted((ROOT / "scenes").rglob("*.yaml")) + sorted((ROOT / "tests" / "data").glob("*.yaml"))
    for ending in MESH_ENDINGS.get(target, ()):
        files += [path for folder in MESHES for path in sorted(folder.rglob(f"*.{ending}"))]
    return [path for path in files if path.stat().st_size <= LARGEST_SEED]


def fill_corpus(target, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for number, path in enumerate(seed_files(target)):
        shutil.copyfile(path, folder / f"seed_{number:04}_{path.name}")


def words_of_schema(schema):
    """Keys, names of variants and values of a JSON Schema."""
    words = set()
    queue = [schema]
    while queue:
        node = queue.pop()
        if isinstance(node, dict):
            if isinstance(node.get("properties"), dict):
                words.update(node["properties"])
            words.update(value for value in node.get("enum", ()) if isinstance(value, str))
            if isinstance(node.get("const"), str):
                words.add(node["const"])
            queue += node.values()
        elif isinstance(node, list):
            queue += node
    return sorted(words)


def write_dictionary(schema_file, path):
    """A dictionary of scenes for libFuzzer, from what the program says scenes may contain."""
    numbers = ["0", "-1", ".nan", ".inf", "1e308", "1e-320", "2147483648", "9223372036854775808"]
    words = words_of_schema(json.loads(schema_file.read_text(encoding="utf-8")))
    texts = [f"{word}: " for word in words] + words + numbers
    path.write_text("".join(f'"{text}"\n' for text in texts), encoding="utf-8")


def processor_seconds(command, environment):
    """What a call takes of the processor, which a busy machine does not change."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(command, env=environment, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, result.returncode


class Fuzzer:
    def __init__(self, build, target, dictionary):
        self.program = build / "tests" / f"fuzz_{target}"
        self.target = target
        self.corpus = build / "corpus" / target
        self.findings = build / "findings"
        self.log = build / "logs" / f"{target}.log"
        self.environment = dict(os.environ, **SANITIZER)
        # slow inputs are kept and timed again apart, since this clock runs on while others compute
        self.options = [f"-report_slow_units={SECONDS_PER_INPUT}", f"-timeout={20 * SECONDS_PER_INPUT}",
                        f"-rss_limit_mb={MEGABYTES}", "-print_final_stats=1", "-reload=0",
                        f"-artifact_prefix={self.findings}/{target}-"]
        if target == "checkpoint":
            # HDF5 keeps memory for itself, over which every input would be searched for leaks
            self.options.append("-detect_leaks=0")
        if dictionary:
            self.options.append(f"-dict={dictionary}")
        self.runs = self.edges = self.inputs = self.peak = 0

    def found(self):
        return set(self.findings.glob(f"{self.target}-*"))

    def call(self, seconds):
        """One call of the program; counts what it did, and returns whether it ended well."""
        command = [self.program, f"-max_total_time={max(1, int(seconds))}", f"-max_len={LONGEST_INPUT}",
                   *self.options, self.corpus]
        with open(self.log, "a", encoding="utf-8") as log:
            code = subprocess.run(command, env=self.environment, stdout=log, stderr=log,
                                  check=False).returncode
        text = self.log.read_text(encoding="utf-8", errors="replace")
        self.runs = sum(int(n) for n in re.findall(r"stat::number_of_executed_units: (\d+)", text))
        self.edges = max([int(n) for n in re.findall(r" cov: (\d+) ", text)], default=0)
        self.inputs = max([int(n) for n in re.findall(r" corp: (\d+)/", text)], default=0)
        self.peak = max([int(n) for n in re.findall(r"stat::peak_rss_mb: +(\d+)", text)], default=0)
        return code == 0

    def is_only_slow_here(self, path):
        """Whether an input that timed out takes less than its second when it has a processor."""
        if "-timeout-" not in path.name and "-slow-unit-" not in path.name:
            return False
        startup, _ = processor_seconds([self.program, "-runs=0"], self.environment)
        used, code = processor_seconds([self.program, "-timeout=120", path], self.environment)
        return code == 0 and used - startup < SECONDS_PER_INPUT

    def run(self, seconds):
        """Fuzzes for a time; returns the inputs that broke a promise."""
        begin = time.monotonic()
        known = self.found()
        self.log.unlink(missing_ok=True)
        while True:
            fine = self.call(seconds - (time.monotonic() - begin))
            new = sorted(self.found() - known)
            # one that ends without an input to show for it could not run; its log says why
            bad = [] if fine or new else [self.log]
            for path in new:
                if self.is_only_slow_here(path):
                    path.unlink()
                else:
                    bad.append(path)
            ended = time.monotonic() - begin >= seconds
            if bad or ended or (fine and seconds - (time.monotonic() - begin) < 2):
                return bad


def report(fuzzer, seconds, bad):
    outcome = "found " + ", ".join(str(path) for path in bad) if bad else "nothing found"
    print(f"fuzz {fuzzer.target}: {seconds:.0f} s, {fuzzer.runs} runs, {fuzzer.edges} edges, "
          f"{fuzzer.inputs} inputs kept, {fuzzer.peak} MB at most: {outcome}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Runs the fuzzers.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "fuzz")
    parser.add_argument("--schema", type=pathlib.Path, help="what `pliant schema` prints")
    parser.add_argument("targets", nargs="*")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    there = sorted(path.name[len("fuzz_"):] for path in (build / "tests").glob("fuzz_*"))
    unknown = [name for name in arguments.targets if name not in there]
    if unknown or not there:
        print(f"run_fuzzers: there is no fuzzer {' '.join(unknown)}; known are {' '.join(there)}",
              file=sys.stderr)
        return 1
    for name in ("findings", "logs"):
        (build / name).mkdir(parents=True, exist_ok=True)
    dictionary = None
    if arguments.schema:
        dictionary = build / "scene.dict"
        write_dictionary(arguments.schema, dictionary)

    found = False
    for target in arguments.targets or there:
        fuzzer = Fuzzer(build, target, dictionary if target in ("scene", "live") else None)
        fill_corpus(target, fuzzer.corpus)
        begin = time.monotonic()
        bad = fuzzer.run(arguments.seconds)
        report(fuzzer, time.monotonic() - begin, bad)
        found = found or bool(bad)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
