#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A loop of your own: a flag in the wind, whose forces follow from where the cloth is and how it
moves, and a gust that strikes it in between by setting velocities.

    python3 wind.py [FOLDER]      # writes frames for ParaView, `pliant view` or Blender
"""
import sys

import numpy as np
import pliant

SCENE = {
    "bodies": {"flag": {
        "kind": "cloth", "geometry": {"sheet": {"width": 1.5, "depth": 1, "columns": 30,
                                                "rows": 20}},
        "axis": [1, 0, 0], "angle": 90,
        "springs": {"stretch": 400, "bend": 0.05, "area_density": 0.15, "drag": 0.2}}},
    "attachments": [{"where": {"half_space": {"point": [-0.74, 0, 0], "normal": [-1, 0, 0]}},
                     "stiffness": 500}],
    "time": {"fps": 60, "frames": 90},
    "solver": {"name": "pd-multigrid", "fixed_iterations": 8},
    "contact": "none",  # the solver is one for real time, which takes no barriers
}
AIR = 1.2  # density (kg/m^3)


def wind_at(time):
    """Velocity of the air (m/s)."""
    return np.array([6 + 2 * np.sin(3 * time), 0.5 * np.sin(7 * time), 1.5 * np.sin(5 * time)])


def wind_forces(flag, triangles, time):
    """Forces on vertices: every triangle stops the air that blows against it."""
    a, b, c = (flag.positions[triangles[:, k]] for k in range(3))
    area = 0.5 * np.cross(b - a, c - a)  # normal times area
    flow = wind_at(time) - flag.velocities[triangles].mean(axis=1)
    normal = area / np.linalg.norm(area, axis=1, keepdims=True)
    against = np.einsum("ij,ij->i", flow, normal)
    force = AIR * (against * np.abs(against))[:, None] * area
    forces = np.zeros_like(flag.positions)
    for corner in range(3):
        np.add.at(forces, triangles[:, corner], force / 3)
    return forces


def main():
    sim = pliant.Simulation(SCENE)
    flag = sim.bodies["flag"]
    triangles = flag.triangles
    writer = pliant.FrameWriter(sys.argv[1]) if len(sys.argv) > 1 else None
    for step in range(sim.model.frame_count):
        flag.forces = wind_forces(flag, triangles, sim.time)
        if step == 45:
            print("a gust from the side")
            free = flag.rest_positions[:, 0] > -0.5
            flag.velocities[free] += [0, 0, 4]
        report = sim.step()
        if writer:
            writer.add(sim)
        if step % 10 == 9:
            tip = flag.positions[np.argmax(flag.rest_positions[:, 0])]
            print(f"{sim.time:5.2f} s  tip at {np.round(tip, 2)}  "
                  f"wind pushes with {np.linalg.norm(flag.forces.sum(axis=0)):5.2f} N  "
                  f"kinetic {report.energy.kinetic:6.3f} J")


if __name__ == "__main__":
    main()
