// SPDX-License-Identifier: Apache-2.0
//
// Scenes for what every step has to keep: as many kinds of matter, contact and constraints as their
// solvers take, and small.
#ifndef PLI_TESTS_STEP_SCENES_H
#define PLI_TESTS_STEP_SCENES_H

static const char busy_scene[] =
    "materials:\n"
    "  soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, rayleigh: 0.01}\n"
    "  firm: {law: neo-hookean, density: 1500, young: 1e6, poisson: 0.4, drag: 0.1}\n"
    "bodies:\n"
    "  left: {geometry: {grid: {size: [1, 0.4, 0.4], cells: [10, 5, 5]}}, material: soft,\n"
    "    velocity: [0, 1, 0], angular_velocity: [30, 0, 100]}\n"
    "  right: {geometry: {grid: {size: [0.4, 1, 0.4], cells: [5, 10, 5], split: six}},\n"
    "    material: firm, position: [2, 0, 0], axis: [0, 0, 1], angle: 20}\n"
    "constraints:\n"
    "  - {body: left, where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}},\n"
    "     motion: {segments: [{duration: 0.1, velocity: [-1, 0, 0], axis: [1, 0, 0], spin: 90}],\n"
    "              after: release}}\n"
    "  - {body: right, where: {sphere: {center: [2, 0, 0], radius: 0.2}}, axes: y}\n"
    "attachments: [{body: right, where: {half_space: {point: [2, 0.4, 0], normal: [0, 1, 0]}},\n"
    "  stiffness: 100}]\n"
    "time: {fps: 24, frames: 1, integrator: bdf2}\n";

// Everything that collides: a slab falls on a constraint that moves, a penalty on a grid and a
// post-process, a ring falls on the slab, and beside them jaws close the hole of another ring; all
// with friction.
static const char contact_scene[] =
    "materials:\n"
    "  soft: {law: fixed-corotated, density: 1000, young: 5e4, poisson: 0.3, rayleigh: 0.01}\n"
    "bodies:\n"
    "  slab: {geometry: {grid: {size: [1, 0.4, 1], cells: [8, 3, 8]}}, material: soft,\n"
    "    position: [0, 0.3, 0], velocity: [0.5, -1, 0]}\n"
    "  ring: {geometry: {fill: {shape: {torus: {axis: [0, 1, 0], radius: 0.3, tube_radius: "
    "0.12}},\n"
    "    vertices: 150}}, material: soft, position: [0, 0.65, 0], velocity: [0, -1, 0.5]}\n"
    "  pinched: {geometry: {fill: {shape: {torus: {axis: [0, 1, 0], radius: 0.22, tube_radius:\n"
    "    0.12}}, vertices: 300}}, material: soft, position: [-3, 0.8, 0]}\n"
    "colliders:\n"
    "  ground: {shape: {plane: {point: [0, 0.08, 0]}}, friction: 0.3, motion: {segments:\n"
    "    [{duration: 9, velocity: [0, 0, 0.5]}]}}\n"
    "  stone: {shape: {sampled: {shape: {sphere: {center: [0, -0.1, 0], radius: 0.19}},\n"
    "    resolution: 12}}, friction: 0.3}\n"
    "  wall: {shape: {plane: {point: [0.52, 0, 0], normal: [-1, 0, 0]}}, method: postprocess}\n"
    "  left: {shape: {box: {center: [-3.46, 0.5, 0], size: [0.2, 2, 2]}}, friction: 0.1,\n"
    "    motion: {segments: [{duration: 0.2, velocity: [0.9, 0, 0]}]}}\n"
    "  right: {shape: {box: {center: [-2.54, 0.5, 0], size: [0.2, 2, 2]}}, friction: 0.1,\n"
    "    motion: {segments: [{duration: 0.2, velocity: [-0.9, 0, 0]}]}}\n"
    "contact: {method: penalty, friction: 0.3}\n"
    "time: {fps: 48, frames: 1}\n";

// Every kind of body at once: a hanging cloth of two materials, a hollow ball on the ground, a
// solid and an obstacle that turns.
static const char shell_scene[] =
    "materials:\n"
    "  cotton: {law: stable-neo-hookean, density: 400, young: 1e6, poisson: 0.3, rayleigh: 0.01}\n"
    "  hem: {law: fixed-corotated, density: 900, young: 5e6, poisson: 0.2, drag: 0.1}\n"
    "contact: none\n"
    "bodies:\n"
    "  wall: {kind: obstacle, geometry: {sheet: {columns: 3, rows: 2}}, position: [0, -2, 0],\n"
    "    motion: {segments: [{duration: 1, axis: [1, 0, 0], spin: 50, velocity: [0, 1, 0]}]}}\n"
    "  cloth: {kind: shell, geometry: {sheet: {columns: 18, rows: 18}}, material: cotton,\n"
    "    regions: [{where: {half_space: {point: [0, 0, 0.4], normal: [0, 0, 1]}}, material: "
    "hem}]}\n"
    "  ball: {kind: shell, geometry: {fill: {shape: {sphere: 0.3}, vertices: 150}},\n"
    "    material: cotton, thickness: 5e-3, position: [2, -0.68, 0]}\n"
    "  cube: {geometry: {grid: {size: [0.3, 0.3, 0.3], cells: [3, 3, 3]}}, material: cotton,\n"
    "    position: [-2, 0, 0]}\n"
    "constraints: [{body: cloth, where: {half_space: {point: [0, 0, -0.49], normal: [0, 0, "
    "-1]}}}]\n"
    "colliders: {ground: {shape: {plane: {point: [0, -1, 0]}}, friction: 0.3}}\n"
    "time: {fps: 48, frames: 1, integrator: bdf2}\n";

// Tetrahedra of all kinds: a quadratic bar that yields, a locking-free one that is damped, and a
// ball with curved sides that falls on the ground.
static const char elements_scene[] =
    "materials:\n"
    "  m: {law: hencky, density: 1000, young: 1e5, poisson: 0.3,\n"
    "      yield: {von-mises: {stress: 500, hardening: 1e4}}}\n"
    "  n: {law: stable-neo-hookean, density: 400, young: 1e5, poisson: 0.49, rayleigh: 1e-3}\n"
    "bodies:\n"
    "  a: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [4, 1, 1]}}, material: m, element: "
    "quadratic}\n"
    "  b: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [5, 2, 2]}}, material: n, element: "
    "locking-free, position: [0, 1, 0]}\n"
    "  c: {geometry: {fill: {shape: {sphere: {radius: 0.3}}, spacing: 0.2}}, material: n, element: "
    "quadratic, position: [2, 0, 0]}\n"
    "constraints:\n"
    "  - {body: a, where: {half_space: {point: [0.49, 0, 0], normal: [1, 0, 0]}}, motion: "
    "{segments: [{velocity: [0.5, 0, 0], duration: 1}]}}\n"
    "  - {body: a, where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}\n"
    "  - {body: b, where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}\n"
    "colliders: {ground: {shape: {plane: {point: [0, -0.32, 0]}}}}\n"
    "contact: {method: barrier, distance: 5e-3, stiffness: 1e4}\n"
    "time: {fps: 48, frames: 1}\n";

// A bar that is pulled, and a block of snow that falls.
static const char yielding_scene[] =
    "materials:\n"
    "  m: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, rayleigh: 1e-3,\n"
    "      yield: {von-mises: {stress: 500, hardening: 1e4}}}\n"
    "  n: {law: hencky, density: 400, young: 1e5, poisson: 0.2, yield: {snow: {}}}\n"
    "  o: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.3}\n"
    "bodies:\n"
    "  a: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [6, 2, 2]}}, material: m}\n"
    "  b: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [5, 2, 2]}}, material: n, position: [0, "
    "1, 0]}\n"
    "  c: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [4, 2, 2]}}, material: o, position: [0, "
    "2, 0]}\n"
    "constraints:\n"
    "  - {where: {half_space: {point: [0.49, 0, 0], normal: [1, 0, 0]}}, motion: {segments: "
    "[{velocity: [0.5, 0, 0], duration: 1}]}}\n"
    "  - {where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}\n"
    "contact: none\n"
    "time: {fps: 50, frames: 4}\n";

// A bar of slow foam that is bent, beside one of rubber with a stiff half.
static const char viscoelastic_scene[] =
    "materials:\n"
    "  m: {law: fixed-corotated, density: 300, young: 1e5, poisson: 0.3, rayleigh: 1e-3,\n"
    "      viscoelastic: [{ratio: 2, time: 0.05}, {ratio: 0.5, time: 0.5}, {ratio: 0.1, time: "
    "5}]}\n"
    "  n: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.4, viscoelastic: [{ratio: 1, "
    "time: 0.02}]}\n"
    "  o: {law: neo-hookean, density: 1000, young: 4e5, poisson: 0.3}\n"
    "bodies:\n"
    "  a: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [6, 2, 2]}}, material: m}\n"
    "  b: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [5, 2, 2]}}, material: n, position: [0, "
    "1, 0],\n"
    "    regions: [{where: {half_space: {point: [0, 1, 0], normal: [1, 0, 0]}}, material: o}]}\n"
    "constraints:\n"
    "  - {where: {half_space: {point: [0.49, 0, 0], normal: [1, 0, 0]}}, motion: {segments: "
    "[{velocity: [0.5, 1, 0], duration: 1}]}}\n"
    "  - {where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}\n"
    "contact: none\n"
    "time: {fps: 50, frames: 4}\n";

// Sheets that are bent by scripts at two sides: one whose folds stay, and a plate.
static const char folding_scene[] =
    "materials: {m: {law: stable-neo-hookean, density: 800, young: 1e6, poisson: 0.3, rayleigh: "
    "1e-3}}\n"
    "contact: none\n"
    "bodies:\n"
    "  a: {kind: shell, geometry: {sheet: {columns: 6, rows: 6}}, material: m, thickness: 0.02,\n"
    "    fold: {angle: 3, hardening: 0.1}}\n"
    "  b: {kind: shell, geometry: {sheet: {columns: 6, rows: 6}}, material: m, thickness: 0.02,\n"
    "    bending_model: plate, position: [0, 1, 0]}\n"
    "constraints:\n"
    "  - {where: {half_space: {point: [0.49, 0, 0], normal: [1, 0, 0]}}, motion: {segments: "
    "[{velocity: [-1, 1, 0], duration: 1}]}}\n"
    "  - {where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}\n"
    "time: {fps: 50, frames: 4}\n";

// A bar of a law that is infinite where elements are inverted, bent by three metres a second.
static const char rubber_scene[] =
    "materials: {rubber: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.4}}\n"
    "bodies: {bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [10, 3, 3]}}, material: rubber,\n"
    "  velocity: [0, -3, 0]}}\n"
    "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]\n"
    "time: {fps: 30, frames: 1}\n";

// Laws with and without an energy at inverted elements, damping and drag, attachments, springs,
// held coordinates, and colliders of both laws that all of it is inside of here and there.
#define ATTACHED_SCENE(bodies, constraints)                                                    \
    "materials:\n"                                                                             \
    "  soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, drag: 2, "        \
    "rayleigh: 0.02}\n"                                                                        \
    "  firm: {law: stable-neo-hookean, density: 2000, young: 4e5, poisson: 0.4}\n"             \
    "contact: none\n"                                                                          \
    "bodies:\n"                                                                                \
    "  bar:\n"                                                                                 \
    "    geometry: {grid: {size: [0.6, 0.3, 0.3], cells: [4, 2, 2]}}\n"                        \
    "    material: soft\n"                                                                     \
    "    regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, material: "    \
    "firm}]\n"                                                                                 \
    "  cloth: {kind: cloth, geometry: {sheet: {columns: 7, rows: 7}}, position: [2, 0, 0],\n"  \
    "    springs: {rayleigh: 0.01}}\n" bodies                                                  \
    "attachments: [{body: bar, where: {half_space: {point: [0.2, 0, 0], normal: [1, 0, 0]}}, " \
    "stiffness: 300}]\n"                                                                       \
    "constraints:\n"                                                                           \
    "  - {body: bar, where: {half_space: {point: [-0.29, 0, 0], normal: [-1, 0, 0]}}}\n"       \
    "  - {body: cloth, where: {half_space: {point: [1.51, 0, 0], normal: [-1, 0, 0]}}, axes: " \
    "yz}\n" constraints "colliders:\n"                                                         \
    "  ground: {shape: {plane: {point: [0, -0.1, 0], normal: [0.1, 1, 0]}}, stiffness: 2e4,\n" \
    "    method: quadratic}\n"                                                                 \
    "  ball: {shape: {sphere: {center: [2, 0, 0], radius: 0.3}}, stiffness: 2e4, method: "     \
    "penalty}\n"                                                                               \
    "checks: {collider_overlap: ignore}\n"                                                     \
    "time: {fps: 60, frames: 1}\n"

static const char collider_scene[] = ATTACHED_SCENE("", "");

// The same with a shell.
static const char attached_scene[] = ATTACHED_SCENE(
    "  leaf: {kind: shell, geometry: {sheet: {columns: 4, rows: 4}}, position: [4, 0, 0],\n"
    "    material: firm, thickness: 0.02}\n",
    "  - {body: leaf, where: {half_space: {point: [3.51, 0, 0], normal: [-1, 0, 0]}}}\n");

// A cube that falls onto another one, with penalties between them.
static const char cubes_scene[] =
    "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
    "bodies:\n"
    "  low: {geometry: {grid: {size: [0.4, 0.4, 0.4], cells: [3, 3, 3]}}, material: soft,\n"
    "    position: [0, 0.2, 0]}\n"
    "  high: {geometry: {grid: {size: [0.3, 0.3, 0.3], cells: [3, 3, 3]}}, material: soft,\n"
    "    position: [0.05, 0.56, 0.03], velocity: [0, -1, 0]}\n"
    "colliders: {ground: {shape: plane, stiffness: 2e4, method: quadratic}}\n"
    "contact: penalty\n"
    "time: {fps: 60, frames: 1}\n";

// A cloth on two springs, and a cube that falls on a plane and a ball.
static const char cloth_scene[] =
    "materials: {soft: {law: corotated, density: 1000, mu: 2e4}}\n"
    "contact: none\n"
    "bodies:\n"
    "  cloth: {kind: cloth, geometry: {sheet: {columns: 14, rows: 14}}}\n"
    "  cube: {geometry: {grid: {size: [0.4, 0.4, 0.4], cells: [4, 4, 4]}}, material: soft,\n"
    "    position: [2, 0.205, 0], velocity: [0, -1, 0]}\n"
    "attachments:\n"
    "  - {body: cloth, where: {half_space: {point: [0.45, 0, -0.45], normal: [1, 0, -1]}},\n"
    "     stiffness: 100}\n"
    "  - {body: cloth, where: {half_space: {point: [-0.45, 0, -0.45], normal: [-1, 0, -1]}},\n"
    "     stiffness: 100}\n"
    "colliders:\n"
    "  ground: {shape: plane, stiffness: 2e4, method: quadratic}\n"
    "  ball: {shape: {sphere: {center: [2, -0.2, 0], radius: 0.18}}, stiffness: 2e4,\n"
    "    method: quadratic}\n"
    "checks: {collider_overlap: ignore}\n"
    "time: {fps: 60, frames: 1}\n";

// A bar that hangs from one side, pulled by springs at its other end, beside a cube that is held by
// one coordinate and spins. Holds and springs come and go while it moves.
static const char bars_scene[] =
    "materials:\n"
    "  soft: {law: corotated, density: 1000, mu: 2e4}\n"
    "  firm: {law: corotated, density: 1000, young: 2e5, poisson: 0, drag: 0.5}\n"
    "contact: none\n"
    "bodies:\n"
    "  bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [10, 3, 3]}}, material: soft}\n"
    "  cube: {geometry: {grid: {size: [0.4, 0.4, 0.4], cells: [4, 4, 4]}}, material: firm,\n"
    "    position: [2, 0, 0], angular_velocity: [0, 90, 0]}\n"
    "constraints:\n"
    "  - {body: bar, where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}},\n"
    "     motion: {segments: [{duration: 0.1, velocity: [0, 1, 0]}], after: release}}\n"
    "  - {body: cube, where: {sphere: {center: [2, 0, 0], radius: 0.15}}, axes: y}\n"
    "attachments: [{body: bar, where: {half_space: {point: [0.49, 0, 0], normal: [1, 0, 0]}},\n"
    "  stiffness: 100, motion: {segments: [{duration: 0.06, velocity: [0, 2, 0]}], after: "
    "release}}]\n"
    "time: {fps: 30, frames: 1}\n";

// Two blocks fall on the ground and on each other with friction; a third, held at one end by a
// script, comes down on them.
static const char barrier_scene[] =
    "materials:\n"
    "  soft: {law: neo-hookean, density: 1000, young: 5e4, poisson: 0.3}\n"
    "bodies:\n"
    "  lower: {geometry: {grid: {size: [1, 0.5, 1], cells: [3, 2, 3]}}, material: soft,\n"
    "    position: [0, 0.26, 0], velocity: [0.5, -1, 0]}\n"
    "  upper: {geometry: {grid: {size: [0.8, 0.4, 0.8], cells: [3, 2, 3]}}, material: soft,\n"
    "    position: [0.1, 0.73, 0.05], velocity: [0, -1, 0.3]}\n"
    "  arm: {geometry: {grid: {size: [1, 0.2, 0.2], cells: [4, 1, 1]}}, material: soft,\n"
    "    position: [0.6, 1.04, 0], velocity: [0, -2, 0]}\n"
    "colliders: {ground: {shape: plane, friction: 0.3}}\n"
    "contact: {method: barrier, distance: 5e-3, friction: 0.4}\n"
    "constraints:\n"
    "  - {body: arm, where: {half_space: {point: [1.05, 0, 0], normal: [1, 0, 0]}},\n"
    "     motion: {segments: [{duration: 0.1, velocity: [0, -2, 0]}]}}\n"
    "time: {fps: 100, frames: 20}\n";

// Rubber that meets sand and water, one of them with a region of other matter.
static const char mixture_scene[] =
    "domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1]}\n"
    "materials:\n"
    "  rubber: {law: fixed-corotated, density: 1000, young: 2e5, poisson: 0.3}\n"
    "  jelly: {law: neo-hookean, density: 1000, young: 5e3, poisson: 0.3}\n"
    "  sand: {preset: sand}\n"
    "  water: {preset: water}\n"
    "bodies:\n"
    "  ball: {geometry: {particles: {shape: {sphere: {radius: 0.15}}}}, position: [0.5, 0.5, "
    "0.5],\n"
    "    material: rubber, velocity: [0, -2, 0], angular_velocity: [0, 0, 200],\n"
    "    regions: [{where: {half_space: {point: [0.5, 0.5, 0.5], normal: [1, 0, 0]}},\n"
    "      material: jelly}]}\n"
    "  heap: {geometry: {particles: {shape: {box: {size: [0.3, 0.3, 0.3]}}, pattern: random}},\n"
    "    position: [0.8, 0.15, 0.5], material: sand}\n"
    "  pool: {geometry: {particles: {shape: {box: {size: [0.5, 0.2, 0.8]}}, pattern: lattice}},\n"
    "    position: [0.3, 0.1, 0.5], material: water}\n"
    "colliders:\n"
    "  post: {shape: {box: {center: [0.1, 0.5, 0.1], size: [0.1, 1, 0.1]}}, friction: 0.3}\n"
    "checks: {collider_overlap: ignore}\n"
    "time: {fps: 100, frames: 1}\n";

// A jet of water into an empty room.
static const char jet_scene[] =
    "domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1]}\n"
    "gravity: [0, 0, 0]\n"
    "materials: {water: {preset: water}}\n"
    "emitters: {jet: {shape: {box: {center: [0.2, 0.5, 0.5], size: [0.1, 0.2, 0.2]}},\n"
    "  material: water, velocity: [1, 0, 0], begin: 0.02}}\n"
    "time: {fps: 50, frames: 1}\n";

// Rubber with a stiff half drops onto the floor of a room, beside a corner of it.
#define DROP_SCENE                                                                              \
    "domain: {cell: 0.1, min: [0, 0, 0], max: [1, 1, 1]}\n"                                     \
    "materials:\n"                                                                              \
    "  soft: {law: fixed-corotated, density: 1000, young: 2e4, poisson: 0.3}\n"                 \
    "  stiff: {law: fixed-corotated, density: 1000, young: 2e6, poisson: 0.3}\n"                \
    "bodies:\n"                                                                                 \
    "  block: {geometry: {particles: {shape: {box: {size: [0.4, 0.3, 0.3]}}}}, position: [0.3," \
    " 0.2, 0.3],\n"                                                                             \
    "    material: soft, velocity: [-1, -1, 0.5], angular_velocity: [0, 50, 0],\n"              \
    "    regions: [{where: {half_space: {point: [0.3, 0.2, 0.3], normal: [1, 0, 0]}},\n"        \
    "      material: stiff}]}\n"                                                                \
    "time: {fps: 50, frames: 1}\n"

// A jet of water into an empty room, and a snowball behind it in the order of kinds.
#define WATER_SCENE                                                                             \
    "domain: {cell: 0.1, min: [0, 0, 0], max: [2, 1, 1]}\n"                                     \
    "gravity: [0, 0, 0]\n"                                                                      \
    "materials: {water: {preset: water}, snow: {preset: snow}}\n"                               \
    "bodies: {ball: {geometry: {particles: {shape: {sphere: {radius: 0.15}}}}, position: [1.8," \
    " 0.5, 0.5],\n"                                                                             \
    "  material: snow}}\n"                                                                      \
    "emitters:\n"                                                                               \
    "  jet: {shape: {box: {center: [0.3, 0.5, 0.5], size: [0.2, 0.4, 0.4]}}, material: water,"  \
    " pattern: lattice, velocity: [1, 0, 0], begin: 0.02}\n"                                    \
    "  tap: {shape: {box: {center: [1.3, 0.8, 0.5], size: [0.2, 0.2, 0.2]}}, material: water,"  \
    " pattern: lattice, velocity: [0, -1, 0], end: 0.1}\n"                                      \
    "time: {fps: 50, frames: 1}\n"

#endif
