#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scene from a dict, and one number of it changed again and again: how far a beam sags.

Compares with the theory of slender beams, w = rho g A L^4 / (8 E I), which holds for small sags.

    python3 sweep.py
"""
import pliant

LENGTH, HEIGHT, DENSITY, GRAVITY = 1.0, 0.1, 1000.0, 9.81


def make_scene():
    return pliant.Scene({
        "about": "A beam that is held at its left end and bends under its own weight.",
        "materials": {"rubber": {"law": "neo-hookean", "density": DENSITY, "young": 1e6,
                                 "poisson": 0.3}},
        "bodies": {"beam": {
            "geometry": {"grid": {"size": [LENGTH, HEIGHT, HEIGHT], "cells": [50, 5, 5]}},
            "material": "rubber"}},
        "constraints": [{"where": {"half_space": {"point": [-0.499 * LENGTH, 0, 0],
                                                  "normal": [-1, 0, 0]}}}],
        # no inertia: a step leads to where the beam comes to rest
        "time": {"fps": 1, "frames": 1, "mode": "quasi-static"},
    })


def sag_of(scene):
    """Steps until the beam rests; returns how far the middle of its free end has come down."""
    sim = pliant.Simulation(scene)
    beam = sim.bodies["beam"]
    tip = beam.rest_positions[:, 0] > 0.499 * LENGTH
    report = sim.step()
    if not report.converged:
        print(f"  not converged: {report.stop} after {report.iterations} iterations")
    return (beam.rest_positions[tip, 1] - beam.positions[tip, 1]).mean()


def main():
    scene = make_scene()
    second_moment = HEIGHT**4 / 12
    print("     young       sag    theory")
    for young in (3e6, 1e7, 3e7, 1e8):
        scene.set("materials.rubber.young", young)
        theory = DENSITY * GRAVITY * HEIGHT**2 * LENGTH**4 / (8 * young * second_moment)
        print(f"{young:9.0e} Pa {1000 * sag_of(scene):7.2f} {1000 * theory:7.2f} mm")


if __name__ == "__main__":
    main()
