// SPDX-License-Identifier: Apache-2.0
//
// A small scene of particles of two kinds, one of them streaming out of an emitter.
#ifndef PLI_TESTS_PARTICLE_SCENE_H
#define PLI_TESTS_PARTICLE_SCENE_H

// About 500 particles at first, and some 70 more with every step of 1/48 s.
#define PARTICLE_SCENE                                                                        \
    "domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1]}\n"                                  \
    "materials:\n"                                                                            \
    "  rubber: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}\n"             \
    "  water: {preset: water}\n"                                                              \
    "bodies:\n"                                                                               \
    "  ball:\n"                                                                               \
    "    geometry: {particles: {shape: {sphere: {center: [0.4, 0.3, 0.5], radius: 0.12}}}}\n" \
    "    material: rubber\n"                                                                  \
    "emitters:\n"                                                                             \
    "  tap:\n"                                                                                \
    "    shape: {box: {center: [0.6, 0.8, 0.5], size: [0.2, 0.05, 0.2]}}\n"                   \
    "    material: water\n"                                                                   \
    "    velocity: [0, -1, 0]\n"                                                              \
    "output: {checkpoint_every: 1}\n"                                                         \
    "time: {frames: 6, fps: 48}\n"

#endif
