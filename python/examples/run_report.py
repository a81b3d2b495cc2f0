#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run in a folder, as `pliant run` makes it, and an analysis of what it left there.

    python3 run_report.py [FOLDER]      # of a run that exists; without: makes a small one
"""
import sys
import tempfile

import numpy as np
import pliant


def make_run(folder):
    scene = pliant.Scene.load("demo").set("time.frames", 30)
    scene.set("bodies.cube.geometry.grid.cells", [6, 6, 6])

    def tell(progress):
        print(f"\rframe {progress.frame} of {progress.frame_count}", end="", flush=True)

    info = pliant.run(scene, folder, progress=tell)
    print(f"\n{info.outcome}: {info.step} steps in {info.seconds:.2f} s, "
          f"{info.unconverged} without convergence")


def column(steps, *keys):
    """One number of every step as an array; not a number where a step lacks it."""
    def pick(step):
        for key in keys:
            step = step.get(key, {})
        return step if isinstance(step, (int, float)) else np.nan
    return np.array([pick(step) for step in steps])


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp() + "/demo"
    if len(sys.argv) == 1:
        make_run(folder)
    steps = pliant.read_steps(folder)
    iterations = column(steps, "iterations")
    elastic = column(steps, "energy", "elastic")
    print(f"{len(steps)} steps, {iterations.mean():.1f} iterations each, "
          f"at most {iterations.max():.0f}")
    print(f"elastic energy: at most {np.nanmax(elastic):.2f} J in step {np.nanargmax(elastic) + 1}")
    times = {}
    for step in steps:
        for phase, seconds in step["seconds"].items():
            times[phase] = times.get(phase, 0) + seconds
    total = times.pop("total")
    for phase, seconds in sorted(times.items(), key=lambda item: -item[1])[:4]:
        print(f"  {phase:12} {100 * seconds / total:4.0f} % of {total:.2f} s")
    series = pliant.Series(folder)
    name = next(name for name, part in series[0].parts.items() if part.role == "body")
    size = [np.ptp(frame.parts[name].points, axis=0) for frame in series]
    print(f"{name} was at most {np.max(size, axis=0).round(3)} m large, in {len(series)} frames")


if __name__ == "__main__":
    main()
