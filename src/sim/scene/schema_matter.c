// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/schema.h"

// ---- particles

static const char *const pattern_names[] = {[PLI_PATTERN_JITTERED] = "jittered",
                                            [PLI_PATTERN_LATTICE] = "lattice",
                                            [PLI_PATTERN_RANDOM] = "random",
                                            [PLI_PATTERN_POISSON] = "poisson",
                                            NULL};

// rows of how particles fill a volume
#define PER_CELL                                                          \
    .key = "per_cell", .fallback = "8", .min = 1, .max = 256, .unit = "", \
    .doc = "Particles in a cell of the domain's grid, on average."
#define PATTERN                                                                                  \
    .key = "pattern", .fallback = "jittered",                                                    \
    .doc = "How they are spread: a random one in each of equal boxes of a cell (jittered), the " \
           "same in every cell (lattice), anywhere (random), or at random but no two near each " \
           "other (poisson)."

static const pli_field stretch_fields[] = {
    {.key = "fixed",
     PLI_VECTOR(pli_stretch_def, fixed),
     .fallback = "[1, 1, 1]",
     .flags = PLI_FIELD_UNIFORM | PLI_FIELD_MIN_EXCLUDED,
     .min = 0,
     .max = 1e3,
     .unit = "",
     .doc = "Stretch along x, y and z, the same of all particles."},
    {.key = "random",
     PLI_MEMBERS(PLI_FIELD_REALS, pli_stretch_def, random, random_count),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .min = 0,
     .max = 1e3,
     .unit = "",
     .doc = "Least and most stretch, two numbers; every particle has its own along x, y and z."},
};
const pli_schema pli_stretch_schema = {
    .name = "stretch",
    .doc = "How much the elastic part of the deformation stretches particles when they begin; they "
           "are where they would be anyway.",
    .size = sizeof(pli_stretch_def),
    .scalar_key = "fixed",
    PLI_TABLE(stretch_fields)};

static const char *const volumes_names[] = {
    [PLI_VOLUMES_SEEDED] = "seeded", [PLI_VOLUMES_DENSITY] = "density", NULL};

static const pli_field particles_fields[] = {
    {.key = "shape",
     PLI_VARIANT(pli_particles_def, shape, pli_shape_variants),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "The shape that is filled."},
    {PER_CELL, PLI_INTEGER(pli_particles_def, filling.per_cell)},
    {PATTERN, PLI_CHOICE(pli_particles_def, filling.pattern, pattern_names)},
    {.key = "stretch",
     PLI_STRUCT(pli_particles_def, stretch, &pli_stretch_schema),
     .doc = "How much particles are stretched when they begin."},
    {.key = "volumes",
     PLI_CHOICE(pli_particles_def, volumes, volumes_names),
     .fallback = "seeded",
     .doc = "The volume of particles at rest: equal shares of the shape (seeded), or each its mass "
            "over the density that the grid has around it at the start (density)."},
};
const pli_schema pli_particles_schema = {
    .name = "particles",
    .doc = "A shape filled with particles, which move on the grid of the domain.",
    .size = sizeof(pli_particles_def),
    PLI_TABLE(particles_fields)};

static const pli_field emission_fields[] = {
    {.key = "shape",
     PLI_VARIANT(pli_emitter_def, shape, pli_shape_variants),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "The shape that they come out of, on the side that the velocity points to."},
    {.key = "material",
     PLI_TEXT(pli_emitter_def, material),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "Name of a material."},
    {PER_CELL, PLI_INTEGER(pli_emitter_def, filling.per_cell)},
    {PATTERN, PLI_CHOICE(pli_emitter_def, filling.pattern, pattern_names)},
    {.key = "velocity",
     PLI_VECTOR(pli_emitter_def, velocity),
     .flags = PLI_FIELD_REQUIRED | PLI_FIELD_NONZERO,
     .min = -1e9,
     .max = 1e9,
     .unit = "m/s",
     .doc = "Velocity of what comes out."},
    {.key = "rate",
     PLI_REAL(pli_emitter_def, rate),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "0",
     .min = 0,
     .max = 1e18,
     .unit = "m^3/s",
     .doc = "Volume that comes out per time, thinned out like a spray; by default all that the "
            "cross section of the shape lets through."},
    {.key = "begin",
     PLI_REAL(pli_emitter_def, begin),
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .unit = "s",
     .doc = "When it opens."},
    {.key = "end",
     PLI_REAL(pli_emitter_def, end),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .unit = "s",
     .doc = "When it closes; by default never."},
    {.key = "motion",
     PLI_STRUCT(pli_emitter_def, motion, &pli_motion_schema),
     .doc = "How the shape moves, without stretching; by default not at all, and about the centre "
            "of its bounds. What comes out has the velocity of the shape, too, and is turned with "
            "it; after: release closes it."},
};
const pli_schema pli_emitter_schema = {.name = "emitter",
                                       .doc = "A shape that particles stream out of.",
                                       .size = sizeof(pli_emitter_def),
                                       PLI_TABLE(emission_fields)};

// ---- the domain

const char *const pli_boundary_names[] = {[PLI_BOUNDARY_SEPARATE] = "separate",
                                          [PLI_BOUNDARY_SLIP] = "slip",
                                          [PLI_BOUNDARY_STICKY] = "sticky",
                                          NULL};

static const pli_field domain_fields[] = {
    {.key = "cell",
     PLI_REAL(pli_domain_def, cell),
     .flags = PLI_FIELD_OPTIONAL,
     .fallback = "0",
     PLI_EXTENT,
     .doc = "Edge of the cells of the grid; scenes of particles must say it."},
    {.key = "min",
     PLI_MEMBERS(PLI_FIELD_REALS, pli_domain_def, min, min_count),
     .flags = PLI_FIELD_OPTIONAL,
     PLI_COORDINATE,
     .doc = "Corner of the room inside of the walls, three numbers; by default it is around all "
            "that there is."},
    {.key = "max",
     PLI_MEMBERS(PLI_FIELD_REALS, pli_domain_def, max, max_count),
     .flags = PLI_FIELD_OPTIONAL,
     PLI_COORDINATE,
     .doc = "The opposite corner, three numbers."},
    {.key = "walls",
     PLI_CHOICE(pli_domain_def, walls, pli_boundary_names),
     .fallback = "separate",
     .doc = "Boundary condition of particles at the walls: they slide and may leave (separate), "
            "slide only (slip), or are fixed (sticky)."},
    {.key = "friction",
     PLI_REAL(pli_domain_def, friction),
     .fallback = "0",
     .min = 0,
     .max = 1e3,
     .unit = "",
     .doc = "Coulomb's coefficient of friction of the walls."},
};
const pli_schema pli_domain_schema = {.name = "domain",
                                      .doc = "The box with walls and the grid that particles "
                                             "move on.",
                                      .size = sizeof(pli_domain_def),
                                      .scalar_key = "cell",
                                      PLI_TABLE(domain_fields)};

// ---- steps

static const pli_field steps_fields[] = {
    {.key = "sound",
     PLI_REAL(pli_steps_def, sound),
     .fallback = "0.5",
     .flags = PLI_FIELD_MIN_EXCLUDED,
     .min = 0,
     .max = 1,
     .unit = "",
     .doc = "Share of the time that sound takes to cross a cell; a step is no longer than that."},
    {.key = "advection",
     PLI_REAL(pli_steps_def, advection),
     .fallback = "0.5",
     .flags = PLI_FIELD_MIN_EXCLUDED,
     .min = 0,
     .max = 1,
     .unit = "",
     .doc = "Share of the time that the fastest particle takes to cross a cell; a step is no "
            "longer than that."},
    {.key = "tick",
     PLI_REAL(pli_steps_def, tick),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .unit = "s",
     .doc = "The shortest step, of which all others are multiples; by default it follows from "
            "what moves and what it is made of."},
    {.key = "longest",
     PLI_INTEGER(pli_steps_def, longest),
     .fallback = "1048576",
     .min = 1,
     .max = 1 << 23,
     .unit = "",
     .doc = "The longest step of a region, in ticks, a power of two."},
    {.key = "guard",
     PLI_BOOL(pli_steps_def, guard),
     .fallback = "true",
     .doc = "Whether what is next to a region of shorter step takes that step, too, so that "
            "regions meet in matter of one kind."},
};
const pli_schema pli_steps_schema = {.name = "steps",
                                     .doc = "Time steps of the solvers explicit and regional.",
                                     .size = sizeof(pli_steps_def),
                                     PLI_TABLE(steps_fields)};

// ---- implicit steps

static const char *const spline_names[] = {[PLI_SPLINE_CHOICE_AUTO] = "auto",
                                           [PLI_SPLINE_CHOICE_LINEAR] = "linear",
                                           [PLI_SPLINE_CHOICE_QUADRATIC] = "quadratic",
                                           [PLI_SPLINE_CHOICE_CUBIC] = "cubic",
                                           NULL};
static const char *const transfer_names[] = {
    [PLI_TRANSFER_AUTO] = "auto", [PLI_TRANSFER_APIC] = "apic", [PLI_TRANSFER_FLIP] = "flip", NULL};
static const char *const positions_names[] = {[PLI_POSITIONS_AUTO] = "auto",
                                              [PLI_POSITIONS_FORWARD] = "forward",
                                              [PLI_POSITIONS_BACKWARD] = "backward",
                                              NULL};
static const char *const smoother_names[] = {[PLI_GRID_SMOOTHER_SWEEPS] = "gauss-seidel",
                                             [PLI_GRID_SMOOTHER_JACOBI] = "jacobi",
                                             [PLI_GRID_SMOOTHER_CHEBYSHEV] = "chebyshev",
                                             NULL};
static const char *const coarsest_names[] = {
    [PLI_GRID_COARSEST_PCG] = "pcg", [PLI_GRID_COARSEST_DIRECT] = "direct", NULL};

const char *const pli_plasticity_names[] = {
    [PLI_PLASTICITY_LAGGED] = "lagged", [PLI_PLASTICITY_IMPLICIT] = "implicit", NULL};

static const pli_field grid_fields[] = {
    {.key = "spline",
     PLI_CHOICE(pli_implicit_grid_def, spline, spline_names),
     .fallback = "auto",
     .doc = "Weights of the nodes around a particle; auto is quadratic."},
    {.key = "transfer",
     PLI_CHOICE(pli_implicit_grid_def, transfer, transfer_names),
     .fallback = "auto",
     .doc = "How velocities go between particles and nodes: apic keeps affine velocities, flip is "
            "a blend of FLIP and PIC; auto is flip for newton and semi-implicit, else apic."},
    {.key = "flip",
     PLI_REAL(pli_implicit_grid_def, flip),
     .fallback = "0.95",
     .min = 0,
     .max = 1,
     .unit = "",
     .doc = "Share of FLIP in the blend; 0 is PIC."},
    {.key = "positions",
     PLI_CHOICE(pli_implicit_grid_def, positions, positions_names),
     .fallback = "auto",
     .doc = "Particles move with the velocity of where they are when a step begins (forward), or "
            "of where they are when it ends (backward), which keeps them out of sticky colliders; "
            "auto is backward for newton, else forward."},
    {.key = "cfl",
     PLI_REAL(pli_implicit_grid_def, cfl),
     .fallback = "0.6",
     .flags = PLI_FIELD_MIN_EXCLUDED,
     .min = 0,
     .max = 1,
     .unit = "",
     .doc = "Cells that matter moves in a step, at most, by its velocity when the step begins; "
            "steps of the scene are cut accordingly."},
    {.key = "levels",
     PLI_INTEGER(pli_implicit_grid_def, levels),
     .fallback = "3",
     .min = 1,
     .max = 8,
     .unit = "",
     .doc = "Levels of the multigrid, the grid itself included."},
    {.key = "matrix_free_short_steps",
     .former = "eases",
     PLI_BOOL(pli_implicit_grid_def, matrix_free_short_steps),
     .fallback = "true",
     .doc = "Whether hot is matrix-free, without levels, in steps so short that sound crosses at "
            "most 3 cells."},
    {.key = "restarts",
     PLI_BOOL(pli_implicit_grid_def, restarts),
     .fallback = "true",
     .doc = "Whether L-BFGS forgets what it has learnt when an iteration raises the residual."},
    {.key = "smoother",
     PLI_CHOICE(pli_implicit_grid_def, smoother, smoother_names),
     .fallback = "gauss-seidel",
     .doc = "What smooths on each level; others than gauss-seidel are for comparison."},
    {.key = "coarsest",
     PLI_CHOICE(pli_implicit_grid_def, coarsest, coarsest_names),
     .fallback = "pcg",
     .doc = "How the coarsest level is solved; direct is by dense Cholesky, for few nodes."},
    {.key = "precision",
     PLI_CHOICE(pli_implicit_grid_def, precision, pli_precision_names),
     .fallback = "single",
     .doc = "Precision of the matrices that smoothers read; all else is double."},
    {.key = "plasticity",
     PLI_CHOICE(pli_implicit_grid_def, plasticity, pli_plasticity_names),
     .fallback = "lagged",
     .doc = "When matter yields: after a step has been solved as if it were elastic (lagged), or "
            "while it is solved (implicit), which is exact for von Mises with the law hencky, "
            "good to the strain at which it yields with fixed-corotated, and for snow right but "
            "for the pressure of a step; sand yields afterwards in any case."},
};
const pli_schema pli_implicit_grid_schema = {.name = "grid",
                                             .doc = "Implicit steps of particles on their grid.",
                                             .size = sizeof(pli_implicit_grid_def),
                                             PLI_TABLE(grid_fields)};
