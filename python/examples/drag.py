#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""As if by a hand: a creature is taken by an ear, led along a circle and let go; energies are
recorded, and Ctrl-C ends the loop at any time with what there is.

    python3 drag.py [TABLE.csv]
"""
import csv
import math
import sys

import numpy as np
import pliant

SCENE = {
    "materials": {"flesh": {"law": "corotated", "density": 1000, "young": 1e5, "poisson": 0.3,
                            "drag": 1}},
    "bodies": {"creature": {
        "geometry": {"fill": {"shape": {"recipe": {"name": "creature", "size": 1}},
                              "vertices": 1500}},
        "material": "flesh", "position": [0, 0.6, 0]}},
    "colliders": {"ground": {"shape": "plane", "method": "quadratic"}},
    "time": {"fps": 30, "frames": 90},
    "solver": {"name": "pd-multigrid", "fixed_iterations": 10},
}


def main():
    sim = pliant.Simulation(SCENE)
    body = sim.bodies["creature"]
    # a hand takes hold of more than one vertex: of all that are near the one on top
    top = body.positions[np.argmax(body.positions[:, 1])]
    held = np.flatnonzero(np.linalg.norm(body.positions - top, axis=1) < 0.15)
    start = body.positions[held].copy()
    # enough to carry the body: its mass over the square of a few steps, for all of them together
    stiffness = sim.model.mass / (3 * sim.dt) ** 2 / len(held)
    table = []
    try:
        for step in range(sim.model.frame_count):
            angle = 2 * math.pi * step / 60
            if step < 60:
                circle = [0.4 * (1 - math.cos(angle)), 0.1, 0.4 * math.sin(angle)]
                for vertex, place in zip(held, start):
                    body.grip(vertex, place + circle, stiffness)
            elif step == 60:
                body.release()
            report = sim.step()
            table.append([sim.time, *report.energy])
            if step % 10 == 9:
                state = "held" if sim.state.grip_stiffnesses.any() else "free"
                hand = body.positions[held].mean(axis=0)
                print(f"{sim.time:5.2f} s  {state}  hand at {np.round(hand, 2)}  "
                      f"kinetic {report.energy.kinetic:7.2f} J  "
                      f"elastic {report.energy.elastic:7.2f} J")
    except KeyboardInterrupt:
        print("stopped")
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["time", *pliant.Energies._fields], *table])
    most = max(table, key=lambda row: row[2])
    print(f"most elastic energy: {most[2]:.2f} J at {most[0]:.2f} s")


if __name__ == "__main__":
    main()
