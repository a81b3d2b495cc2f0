#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Particles as arrays: a snowball hits the ground; what was packed, and where, goes into files.

    python3 snowball.py [FOLDER]      # writes snow.npz and snow.ply
"""
import pathlib
import sys
import tempfile

import numpy as np
import pliant

SCENE = {
    "domain": {"cell": 0.02, "min": [-0.6, 0, -0.6], "max": [0.6, 0.8, 0.6], "walls": "sticky"},
    "materials": {"snow": {"preset": "snow"}},
    "bodies": {"ball": {
        "geometry": {"particles": {"shape": {"sphere": {"radius": 0.12}}}},
        "material": "snow", "position": [0, 0.25, 0], "velocity": [1, -5, 0]}},
    "time": {"fps": 60, "frames": 15},
    "solver": "regional",
}


def write_ply(path, points, **values):
    """A PLY of points with a named number each, as Blender, Houdini and MeshLab read it."""
    names = ["x", "y", "z", *values]
    rows = np.empty(len(points), [(name, "<f4") for name in names])
    for k, axis in enumerate("xyz"):
        rows[axis] = points[:, k]
    for name, column in values.items():
        rows[name] = column
    head = ["ply", "format binary_little_endian 1.0", f"element vertex {len(points)}",
            *(f"property float {name}" for name in names), "end_header"]
    with open(path, "wb") as file:
        file.write(("\n".join(head) + "\n").encode())
        rows.tofile(file)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    sim = pliant.Simulation(SCENE)
    print(f"{len(sim.particles)} particles of {sim.particles.masses.sum():.2f} kg in all")
    start = {int(k): x for k, x in zip(sim.particles.ids, sim.particles.positions.copy())}
    for report in sim.frames():
        speed = np.linalg.norm(sim.particles.velocities, axis=1)
        print(f"{sim.time:5.3f} s  fastest {speed.max():5.2f} m/s  lowest "
              f"{sim.particles.positions[:, 1].min():6.3f} m  "
              f"{report.explicit['block_updates']} block updates")

    # the order of particles changes; their ids do not
    particles = sim.particles
    moved = particles.positions - np.array([start[int(k)] for k in particles.ids])
    packed = 1 - particles.history  # of snow: how much of its volume is gone for good
    print(f"moved by {np.linalg.norm(moved, axis=1).mean():.3f} m on average; "
          f"{100 * (packed > 0.01).mean():.0f} % of it was packed by more than a percent")
    np.savez(folder / "snow.npz", positions=particles.positions, velocities=particles.velocities,
             ids=particles.ids, packed=packed)
    write_ply(folder / "snow.ply", particles.positions, packed=packed, J=particles.J)
    print(f"written: {folder}/snow.npz, {folder}/snow.ply")


if __name__ == "__main__":
    main()
