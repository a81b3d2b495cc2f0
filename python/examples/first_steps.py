#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""First steps: a soft ball falls on the ground and bounces; its height as a curve of text.

    python3 first_steps.py [PICTURE.png]
"""
import sys

import pliant

SCENE = """
materials:
  jelly: {law: neo-hookean, density: 1000, young: 2e5, poisson: 0.4}
bodies:
  ball:
    geometry: {fill: {shape: {sphere: {radius: 0.2}}, vertices: 400}}
    material: jelly
    position: [0, 1, 0]
colliders:
  ground: {shape: plane}
time: {fps: 60, frames: 72}
"""


def main():
    sim = pliant.Simulation(pliant.Scene.parse(SCENE))
    ball = sim.bodies["ball"]
    print(f"{sim.model.vertex_count} vertices, solver {sim.model.solver}")
    print("  time  height of the centre")
    lowest, bounce = ball.center[1], 0
    for report in sim.frames():
        height = ball.center[1]
        if height > lowest:
            bounce = max(bounce, height)
        elif height < lowest:
            lowest, bounce = height, 0
            if len(sys.argv) > 1 and report.contacts:
                pliant.write_png(sys.argv[1], pliant.picture(sim, field="von_mises"))
        if not report.converged:
            print(f"step {report.step} did not converge: {report.stop}")
        if report.step % 3 == 0:
            print(f"{sim.time:6.3f}  {height:5.3f} m  {' ' * int(50 * height)}o")
    print(f"squeezed until its centre was at {lowest:.3f} m, then bounced to {bounce:.3f} m")


if __name__ == "__main__":
    main()
