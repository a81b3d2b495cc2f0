// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/plan_defs.h"
#include "sim/scene/schema.h"

#include "material/yield.h"

// ---- motion

static const char *const ease_names[] = {
    [PLI_EASE_LINEAR] = "linear", [PLI_EASE_SMOOTH] = "smooth", NULL};
static const char *const after_names[] = {
    [PLI_MOTION_HOLD] = "hold", [PLI_MOTION_RELEASE] = "release", NULL};

static const pli_field segment_fields[] = {
    {.key = "duration",
     PLI_REAL(pli_motion_segment_def, duration),
     .flags = PLI_FIELD_REQUIRED,
     .min = 1e-9,
     .max = 1e9,
     .unit = "s",
     .doc = "How long this part of the motion lasts."},
    {.key = "velocity",
     PLI_VECTOR(pli_motion_segment_def, velocity),
     .fallback = PLI_ORIGIN_DEFAULT,
     .min = -1e9,
     .max = 1e9,
     .unit = "m/s",
     .doc = "Velocity."},
    {.key = "axis",
     PLI_VECTOR(pli_motion_segment_def, axis),
     .fallback = PLI_AXIS_DEFAULT,
     PLI_DIRECTION,
     .doc = "Axis of rotation through the moving centre, of any length."},
    {.key = "spin",
     PLI_REAL(pli_motion_segment_def, spin),
     .fallback = "0",
     .min = -1e9,
     .max = 1e9,
     .unit = "deg/s",
     .doc = "Speed of rotation about the axis."},
    {.key = "stretch",
     PLI_VECTOR(pli_motion_segment_def, stretch),
     .flags = PLI_FIELD_UNIFORM,
     .fallback = PLI_ORIGIN_DEFAULT,
     .min = -1e9,
     .max = 1e9,
     .unit = "1/s",
     .doc = "Growth of the extent along x, y, z per second, relative to the start."},
};
static const pli_schema segment_schema = {
    .name = "segment",
    .doc = "Steady motion for a while, from where the segment before ended.",
    .size = sizeof(pli_motion_segment_def),
    PLI_TABLE(segment_fields)};

static const pli_field keyframe_fields[] = {
    {.key = "time",
     PLI_REAL(pli_keyframe_def, time),
     .flags = PLI_FIELD_REQUIRED,
     .fallback = "-1",
     .min = 0,
     .max = 1e9,
     .unit = "s",
     .doc = "When; later than the keyframe before."},
    {.key = "translate",
     PLI_VECTOR(pli_keyframe_def, translate),
     .fallback = PLI_ORIGIN_DEFAULT,
     PLI_COORDINATE,
     .doc = "Translation from the start."},
    {.key = "axis",
     PLI_VECTOR(pli_keyframe_def, axis),
     .fallback = PLI_AXIS_DEFAULT,
     PLI_DIRECTION,
     .doc = "Axis of rotation, of any length."},
    {.key = "angle",
     PLI_REAL(pli_keyframe_def, angle),
     .fallback = "0",
     PLI_DEGREES,
     .doc = "Angle from the start."},
    {.key = "scale",
     PLI_VECTOR(pli_keyframe_def, scale),
     .flags = PLI_FIELD_UNIFORM,
     .fallback = "[1, 1, 1]",
     .min = -1e9,
     .max = 1e9,
     .unit = "",
     .doc = "Scale about the centre along x, y, z, or one number for all."},
};
static const pli_schema keyframe_schema = {.name = "keyframe",
                                           .doc = "Where to be at a moment.",
                                           .size = sizeof(pli_keyframe_def),
                                           PLI_TABLE(keyframe_fields)};

static const pli_field motion_fields[] = {
    {.key = "segments",
     PLI_MEMBERS(PLI_FIELD_LIST, pli_motion_def, segments, segment_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &segment_schema,
     .doc = "The motion as a sequence of velocities."},
    {.key = "keyframes",
     PLI_MEMBERS(PLI_FIELD_LIST, pli_motion_def, keyframes, keyframe_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &keyframe_schema,
     .doc = "The motion as a sequence of poses."},
    {.key = "ease",
     PLI_CHOICE(pli_motion_def, ease, ease_names),
     .fallback = "linear",
     .doc = "How to go from one keyframe to the next."},
    {.key = "after",
     PLI_CHOICE(pli_motion_def, after, after_names),
     .fallback = "hold",
     .doc = "What happens once the script is over."},
    {.key = "center",
     PLI_MEMBERS(PLI_FIELD_REALS, pli_motion_def, center, center_count),
     .flags = PLI_FIELD_OPTIONAL,
     PLI_COORDINATE,
     .doc = "Centre of rotation and stretching, three numbers; by default the centroid of what "
            "moves."},
};
const pli_schema pli_motion_schema = {
    .name = "motion",
    .doc = "A script of motion by segments or by keyframes; neither: stand still.",
    .size = sizeof(pli_motion_def),
    PLI_TABLE(motion_fields)};

// ---- materials

static const pli_field parameter_fields[] = {
    {.key = "value",
     PLI_REAL(pli_named_value, value),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_OWN_UNIT | PLI_FIELD_PAINTABLE,
     .fallback = PLI_NO_VALUE,
     .min = -1e300,
     .max = 1e300,
     .unit = "",
     .doc = "Value, in the unit of the input."},
    {.key = "unit",
     PLI_TEXT(pli_named_value, unit),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "Unit of the value, where it is another one."},
    {.key = "direction",
     PLI_MEMBERS(PLI_FIELD_REALS, pli_named_value, direction, direction_count),
     .flags = PLI_FIELD_OPTIONAL,
     .min = -1e9,
     .max = 1e9,
     .unit = "",
     .doc = "Three numbers, of any length: an input that is a direction, along the axes of the "
            "scene in the rest shape."},
    PLI_PAINTED(pli_named_value),
};
const pli_schema pli_parameter_schema = {.name = "parameter",
                                         .doc = "One input of a law or of a shape of one's own.",
                                         .size = sizeof(pli_named_value),
                                         .scalar_key = "value",
                                         .list_key = "direction",
                                         PLI_TABLE(parameter_fields)};

// rows of damping
#define DRAG                                                             \
    .key = "drag", .fallback = "0", .min = 0, .max = 1e9, .unit = "1/s", \
    .doc = "Damping in proportion to mass."
#define RAYLEIGH                                                           \
    .key = "rayleigh", .fallback = "0", .min = 0, .max = 1e9, .unit = "s", \
    .doc = "Damping in proportion to stiffness."

static const pli_field branch_fields[] = {
    {.key = "ratio",
     PLI_REAL(pli_branch_def, ratio),
     .flags = PLI_FIELD_REQUIRED | PLI_FIELD_MIN_EXCLUDED,
     .min = 0,
     .max = 1e6,
     .unit = "",
     .doc = "Its modulus, relative to that of the law."},
    {.key = "time",
     PLI_REAL(pli_branch_def, time),
     .flags = PLI_FIELD_REQUIRED | PLI_FIELD_MIN_EXCLUDED,
     .min = 0,
     .max = 1e12,
     .unit = "s",
     .doc = "In which its stress fades to 1/e."},
};
static const pli_schema branch_schema = {
    .name = "branch",
    .doc = "A spring and a dashpot in a row, beside the law: one term of a Prony series.",
    .size = sizeof(pli_branch_def),
    PLI_TABLE(branch_fields)};

static const char *const moduli_names[] = {
    [PLI_MODULI_LONG_TERM] = "long-term", [PLI_MODULI_INSTANTANEOUS] = "instantaneous", NULL};

static const pli_field material_fields[] = {
    {.key = "preset",
     PLI_TEXT(pli_material_def, preset),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "A named starting point that supplies law and numbers not given here."},
    {.key = "law",
     PLI_TEXT(pli_material_def, law),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "The material law; by default that of the preset."},
    {.key = "density",
     .alias = "rho",
     PLI_REAL(pli_material_def, density),
     .flags = PLI_FIELD_PAINTABLE | PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .unit = "kg/m^3",
     .doc = "Mass density; by default that of the preset."},
    {.key = "young",
     .alias = "E",
     PLI_REAL(pli_material_def, young),
     .flags = PLI_FIELD_PAINTABLE | PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "0",
     .min = 0,
     .max = 1e15,
     .unit = "Pa",
     .doc = "Young's modulus; by default that of the preset."},
    {.key = "poisson",
     .alias = "nu",
     PLI_REAL(pli_material_def, poisson),
     .flags =
         PLI_FIELD_PAINTABLE | PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED | PLI_FIELD_MAX_EXCLUDED,
     .fallback = "-1",
     .min = -1,
     .max = 0.5,
     .unit = "",
     .doc = "Poisson's ratio; by default that of the preset."},
    {.key = "mu",
     PLI_REAL(pli_material_def, mu),
     .flags = PLI_FIELD_PAINTABLE | PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "0",
     .min = 0,
     .max = 1e15,
     .unit = "Pa",
     .doc = "Shear modulus, with lambda, instead of young and poisson."},
    {.key = "lambda",
     PLI_REAL(pli_material_def, lambda),
     .flags = PLI_FIELD_PAINTABLE | PLI_FIELD_OPTIONAL,
     .fallback = "0",
     .min = -1e15,
     .max = 1e15,
     .unit = "Pa",
     .doc = "First Lame parameter, with mu."},
    {.key = "parameters",
     PLI_MEMBERS(PLI_FIELD_NAMED, pli_material_def, parameters, parameter_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &pli_parameter_schema,
     .doc = "Further inputs of the law, by their names."},
    {DRAG, PLI_REAL(pli_material_def, drag), .flags = PLI_FIELD_PAINTABLE},
    {RAYLEIGH, PLI_REAL(pli_material_def, rayleigh), .flags = PLI_FIELD_PAINTABLE},
    {.key = "viscosity",
     PLI_REAL(pli_material_def, viscosity),
     .fallback = "0",
     .min = 0,
     .max = 1e15,
     .unit = "Pa s",
     .doc = "Viscosity of shear, of particles."},
    {.key = "yield",
     PLI_VARIANT(pli_material_def, yield, pli_yield_variants),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "How it deforms plastically: particles, by default as the preset says, and tetrahedra, "
            "where it is stated."},
    {.key = "viscoelastic",
     PLI_MEMBERS(PLI_FIELD_LIST, pli_material_def, viscoelastic, viscoelastic_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &branch_schema,
     .doc = "Branches whose stress fades, beside the law: a Prony series of up to eight terms, of "
            "tetrahedra."},
    {.key = "moduli",
     PLI_CHOICE(pli_material_def, moduli, moduli_names),
     .fallback = "long-term",
     .doc = "What the numbers of the law are beside viscoelastic branches: those of slow loads, or "
            "of sudden ones, of which the branches then take away their ratios."},
    PLI_PAINTED(pli_material_def),
};
const pli_schema pli_material_schema = {.name = "material",
                                        .doc = "What something is made of.",
                                        .size = sizeof(pli_material_def),
                                        .scalar_key = "preset",
                                        PLI_TABLE(material_fields)};

// ---- geometry of bodies

#define PLI_SQUARES .min = 1, .max = 30000, .unit = ""

static const char *const split_names[] = {[PLI_SPLIT_FIVE] = "five", [PLI_SPLIT_SIX] = "six", NULL};

static const pli_field grid_fields[] = {
    {PLI_CENTER, PLI_VECTOR(pli_grid_def, center)},
    {.key = "size",
     PLI_VECTOR(pli_grid_def, size),
     .fallback = "[1, 1, 1]",
     PLI_EXTENT,
     .doc = "Edge lengths along x, y, z."},
    {.key = "cells",
     PLI_TRIPLE(pli_grid_def, cells),
     .fallback = "[8, 8, 8]",
     .min = 1,
     .max = 100000,
     .unit = "",
     .doc = "Number of cells along x, y, z."},
    {.key = "split",
     PLI_CHOICE(pli_grid_def, split, split_names),
     .fallback = "five",
     .doc = "Tetrahedra per cell: five, mirrored from cell to cell, or six, all alike."},
};
const pli_schema pli_grid_schema = {.name = "grid",
                                    .doc = "A box of cells, each cut into tetrahedra.",
                                    .size = sizeof(pli_grid_def),
                                    PLI_TABLE(grid_fields)};

static const pli_field fill_fields[] = {
    {.key = "shape",
     PLI_VARIANT(pli_fill_def, shape, pli_shape_variants),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "The shape that is filled."},
    {.key = "vertices",
     PLI_INTEGER(pli_fill_def, vertices),
     .fallback = "2000",
     .min = 8,
     .max = 100000000,
     .unit = "",
     .doc = "Wanted number of vertices, when no spacing is given."},
    {.key = "spacing",
     PLI_REAL(pli_fill_def, spacing),
     .flags = PLI_FIELD_OPTIONAL,
     .fallback = "0",
     PLI_EXTENT,
     .doc = "Edge length of the lattice; by default from vertices."},
};
static const pli_schema fill_schema = {.name = "fill",
                                       .doc = "A shape filled with tetrahedra.",
                                       .size = sizeof(pli_fill_def),
                                       PLI_TABLE(fill_fields)};

static const pli_field sheet_fields[] = {
    {PLI_CENTER, PLI_VECTOR(pli_sheet_def, center)},
    {.key = "width",
     PLI_REAL(pli_sheet_def, width),
     .fallback = "1",
     PLI_EXTENT,
     .doc = "Extent along x."},
    {.key = "depth",
     PLI_REAL(pli_sheet_def, depth),
     .fallback = "1",
     PLI_EXTENT,
     .doc = "Extent along z."},
    {.key = "columns",
     PLI_INTEGER(pli_sheet_def, columns),
     .fallback = "20",
     PLI_SQUARES,
     .doc = "Squares along x."},
    {.key = "rows",
     PLI_INTEGER(pli_sheet_def, rows),
     .fallback = "20",
     PLI_SQUARES,
     .doc = "Squares along z."},
};
const pli_schema pli_sheet_schema = {
    .name = "sheet",
    .doc = "A flat sheet of squares across y, cut into triangles by alternating diagonals.",
    .size = sizeof(pli_sheet_def),
    PLI_TABLE(sheet_fields)};

static const pli_field scroll_fields[] = {
    {.key = "center",
     PLI_VECTOR(pli_scroll_def, center),
     .fallback = PLI_ORIGIN_DEFAULT,
     PLI_COORDINATE,
     .doc = "Centre of the axis."},
    {.key = "radius",
     PLI_REAL(pli_scroll_def, radius),
     .fallback = "0.1",
     PLI_EXTENT,
     .doc = "Radius where the spiral begins."},
    {.key = "gap",
     PLI_REAL(pli_scroll_def, gap),
     .fallback = "0.01",
     PLI_EXTENT,
     .doc = "Distance from one turn to the next."},
    {.key = "turns",
     PLI_REAL(pli_scroll_def, turns),
     .fallback = "3",
     .min = 1e-3,
     .max = 1e6,
     .unit = "",
     .doc = "How often it goes round."},
    {.key = "width",
     PLI_REAL(pli_scroll_def, width),
     .fallback = "0.5",
     PLI_EXTENT,
     .doc = "Extent along the axis, which is z."},
    {.key = "columns",
     PLI_INTEGER(pli_scroll_def, columns),
     .fallback = "90",
     PLI_SQUARES,
     .doc = "Squares along the spiral."},
    {.key = "rows",
     PLI_INTEGER(pli_scroll_def, rows),
     .fallback = "20",
     PLI_SQUARES,
     .doc = "Squares along the axis."},
};
const pli_schema pli_scroll_schema = {
    .name = "scroll",
    .doc = "A sheet that is rolled up about the z axis, and at rest so.",
    .size = sizeof(pli_scroll_def),
    PLI_TABLE(scroll_fields)};

static const pli_field file_fields[] = {
    {.key = "path",
     PLI_TEXT(pli_file_def, path),
     .flags = PLI_FIELD_REQUIRED | PLI_FIELD_PATH,
     .doc = "Mesh file with tetrahedra; for a shell, a cloth or an obstacle, triangles do."},
    {.key = "mesh", PLI_MEMBER(PLI_FIELD_MESH, pli_file_def, mesh), .doc = "Content of the file."},
};
const pli_schema pli_file_schema = {.name = "file",
                                    .doc = "A mesh from a file.",
                                    .size = sizeof(pli_file_def),
                                    .scalar_key = "path",
                                    PLI_TABLE(file_fields)};

static const pli_schema *const geometry_variants[] = {
    [PLI_GEOMETRY_GRID] = &pli_grid_schema,
    [PLI_GEOMETRY_FILL] = &fill_schema,
    [PLI_GEOMETRY_FILE] = &pli_file_schema,
    [PLI_GEOMETRY_ARCH] = &pli_arch_schema,
    [PLI_GEOMETRY_CARD_HOUSE] = &pli_card_house_schema,
    [PLI_GEOMETRY_SPIKES] = &pli_spikes_schema,
    [PLI_GEOMETRY_ROD] = &pli_rod_schema,
    [PLI_GEOMETRY_RING] = &pli_ring_schema,
    [PLI_GEOMETRY_SHEET] = &pli_sheet_schema,
    [PLI_GEOMETRY_SCROLL] = &pli_scroll_schema,
    [PLI_GEOMETRY_PARTICLES] = &pli_particles_schema,
    NULL};

// ---- how bodies start

static const pli_schema start_rest_schema = {
    .name = "rest", .doc = "Undeformed.", .size = sizeof(pli_start_rest_def)};

static const pli_field start_random_fields[] = {
    {.key = "scale",
     PLI_REAL(pli_start_random_def, scale),
     .fallback = "1",
     .min = 1e-9,
     .max = 1e9,
     .unit = "",
     .doc = "Size of the box relative to the bounding box."},
};
static const pli_schema start_random_schema = {
    .name = "random",
    .doc = "Every vertex anywhere in the body's bounding box.",
    .size = sizeof(pli_start_random_def),
    .scalar_key = "scale",
    PLI_TABLE(start_random_fields)};

static const pli_field start_collapsed_fields[] = {
    {.key = "point",
     PLI_MEMBERS(PLI_FIELD_REALS, pli_start_collapsed_def, point, point_count),
     .flags = PLI_FIELD_OPTIONAL,
     PLI_COORDINATE,
     .doc = "The point, three numbers; by default the centroid."},
};
const pli_schema pli_start_collapsed_schema = {.name = "collapsed",
                                               .doc = "Every vertex at one point.",
                                               .size = sizeof(pli_start_collapsed_def),
                                               .scalar_key = "point",
                                               PLI_TABLE(start_collapsed_fields)};

static const pli_field start_stretched_fields[] = {
    {.key = "scale",
     PLI_VECTOR(pli_start_stretched_def, scale),
     .flags = PLI_FIELD_UNIFORM | PLI_FIELD_REQUIRED,
     .fallback = "[1, 1, 1]",
     .min = -1e9,
     .max = 1e9,
     .unit = "",
     .doc = "Factors along x, y, z about the centroid, or one for all; negative ones mirror."},
};
static const pli_schema start_stretched_schema = {.name = "stretched",
                                                  .doc = "Stretched or squeezed.",
                                                  .size = sizeof(pli_start_stretched_def),
                                                  .scalar_key = "scale",
                                                  .field_count =
                                                      PLI_COUNT_OF(start_stretched_fields),
                                                  .fields = start_stretched_fields};

static const pli_schema *const start_variants[] = {[PLI_START_REST] = &start_rest_schema,
                                                   [PLI_START_RANDOM] = &start_random_schema,
                                                   [PLI_START_COLLAPSED] =
                                                       &pli_start_collapsed_schema,
                                                   [PLI_START_STRETCHED] = &start_stretched_schema,
                                                   NULL};

// ---- bodies

static const pli_field region_fields[] = {
    {.key = "where",
     PLI_VARIANT(pli_region_def, where, pli_selection_variants),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "Which part of the body."},
    {.key = "material",
     PLI_TEXT(pli_region_def, material),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "Name of a material."},
};
static const pli_schema region_schema = {.name = "region",
                                         .doc = "A part of a body made of another material.",
                                         .size = sizeof(pli_region_def),
                                         PLI_TABLE(region_fields)};

static const pli_field copies_fields[] = {
    {.key = "count",
     PLI_TRIPLE(pli_copies_def, count),
     .fallback = "[1, 1, 1]",
     .min = 1,
     .max = 1000,
     .unit = "",
     .doc = "Copies along x, y, z, centred on the body's position."},
    {.key = "spacing",
     PLI_VECTOR(pli_copies_def, spacing),
     .fallback = PLI_ORIGIN_DEFAULT,
     PLI_COORDINATE,
     .doc = "Distance from one copy to the next along x, y, z."},
    {.key = "turn",
     PLI_REAL(pli_copies_def, turn),
     .fallback = "0",
     .min = 0,
     .max = 180,
     .unit = "deg",
     .doc = "Each copy is turned about a random axis by a random angle up to this one."},
    {.key = "axis",
     PLI_VECTOR(pli_copies_def, axis),
     .fallback = PLI_AXIS_DEFAULT,
     PLI_DIRECTION,
     .doc = "Axis through the body's own origin that copies are turned about, of any length."},
    {.key = "angle",
     PLI_REAL(pli_copies_def, angle),
     .fallback = "0",
     PLI_DEGREES,
     .doc = "Each copy is turned about the axis by this angle more than the one before."},
};
static const pli_schema copies_schema = {.name = "copies",
                                         .doc = "A body several times over.",
                                         .size = sizeof(pli_copies_def),
                                         PLI_TABLE(copies_fields)};

static const pli_field springs_fields[] = {
    {.key = "stretch",
     PLI_REAL(pli_springs_def, stretch),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "-1",
     .min = 0,
     .max = 1e15,
     .unit = "N/m",
     .doc = "Stiffness of each spring along an edge, and of the diagonals of squares; by default "
            "100."},
    {.key = "bend",
     PLI_REAL(pli_springs_def, bend),
     .flags = PLI_FIELD_OPTIONAL,
     .fallback = "-1",
     .min = 0,
     .max = 1e15,
     .unit = "N/m",
     .doc = "Stiffness of each spring over two edges of a grid, or across the edge of two "
            "triangles; by default 20."},
    {.key = "area_density",
     PLI_REAL(pli_springs_def, area_density),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "-1",
     .min = 0,
     .max = 1e9,
     .unit = "kg/m^2",
     .doc = "Mass of a square metre; by default 1."},
    {DRAG, PLI_REAL(pli_springs_def, drag)},
    {RAYLEIGH, PLI_REAL(pli_springs_def, rayleigh)},
};
static const pli_schema springs_schema = {.name = "springs",
                                          .doc = "The springs that cloth is made of.",
                                          .size = sizeof(pli_springs_def),
                                          PLI_TABLE(springs_fields)};

const char *const pli_element_names[] = {[PLI_ELEMENT_AUTO] = "auto",
                                         [PLI_ELEMENT_LINEAR] = "linear",
                                         [PLI_ELEMENT_QUADRATIC] = "quadratic",
                                         [PLI_ELEMENT_LOCKING_FREE] = "locking-free",
                                         NULL};
static const char *const kind_names[] = {[PLI_BODY_SOLID] = "solid",
                                         [PLI_BODY_SHELL] = "shell",
                                         [PLI_BODY_OBSTACLE] = "obstacle",
                                         [PLI_BODY_CLOTH] = "cloth",
                                         NULL};

static const pli_field fold_fields[] = {
    {.key = "angle",
     PLI_REAL(pli_fold_def, angle),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_MIN_EXCLUDED,
     .fallback = "0",
     .min = 0,
     .max = 180,
     .unit = "deg",
     .doc = "How far a hinge bends from its angle at rest before it yields; by default never."},
    {.key = "hardening",
     PLI_REAL(pli_fold_def, hardening),
     .fallback = "0.05",
     .min = 0,
     .max = 0.99,
     .unit = "",
     .doc = "The share of a hinge's stiffness that is left while it yields."},
};
static const pli_schema fold_schema = {.name = "fold",
                                       .doc =
                                           "When bending stays: how the hinges of a shell yield.",
                                       .size = sizeof(pli_fold_def),
                                       .scalar_key = "angle",
                                       PLI_TABLE(fold_fields)};

static const char *const bending_names[] = {[PLI_BENDING_AUTO] = "auto",
                                            [PLI_BENDING_HINGES] = "hinges",
                                            [PLI_BENDING_PLATE] = "plate",
                                            NULL};

static const pli_field body_fields[] = {
    {.key = "kind",
     PLI_CHOICE(pli_body_def, kind, kind_names),
     .fallback = "solid",
     .doc = "What it is: a solid of tetrahedra, a thin shell of triangles such as sheet metal, an "
            "obstacle, which is a surface that only its motion moves, or a cloth of springs."},
    {.key = "geometry",
     PLI_VARIANT(pli_body_def, geometry, geometry_variants),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "Where its tetrahedra, triangles or particles come from."},
    {.key = "material",
     PLI_TEXT(pli_body_def, material),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "Name of a material; an obstacle and a cloth have none."},
    {.key = "thickness",
     PLI_REAL(pli_body_def, thickness),
     .flags = PLI_FIELD_PAINTABLE | PLI_FIELD_OPTIONAL,
     .fallback = "0",
     PLI_EXTENT,
     .doc = "Thickness of a shell; by default a millimetre."},
    {.key = "bending",
     PLI_REAL(pli_body_def, bending),
     .flags = PLI_FIELD_PAINTABLE | PLI_FIELD_OPTIONAL,
     .fallback = "-1",
     .min = 0,
     .max = 1e9,
     .unit = "",
     .doc = "Factor on a shell's resistance to bending, which follows from thickness and material; "
            "by default 1."},
    {.key = "regions",
     PLI_MEMBERS(PLI_FIELD_LIST, pli_body_def, regions, region_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &region_schema,
     .doc = "Parts made of other materials; where they overlap, later ones win."},
    {.key = "position",
     PLI_VECTOR(pli_body_def, position),
     .fallback = PLI_ORIGIN_DEFAULT,
     PLI_COORDINATE,
     .doc = "Translation, applied last."},
    {.key = "axis",
     PLI_VECTOR(pli_body_def, axis),
     .fallback = PLI_AXIS_DEFAULT,
     PLI_DIRECTION,
     .doc = "Axis of rotation through the origin, of any length; rotation is applied second."},
    {.key = "angle",
     PLI_REAL(pli_body_def, angle),
     .fallback = "0",
     PLI_DEGREES,
     .doc = "Angle of rotation."},
    {.key = "scale",
     PLI_VECTOR(pli_body_def, scale),
     .flags = PLI_FIELD_UNIFORM,
     .fallback = "[1, 1, 1]",
     .min = 1e-9,
     .max = 1e9,
     .unit = "",
     .doc = "Scale along x, y, z, or one number for all, applied first."},
    {.key = "velocity",
     PLI_VECTOR(pli_body_def, velocity),
     .flags = PLI_FIELD_PAINTABLE,
     .fallback = PLI_ORIGIN_DEFAULT,
     .min = -1e9,
     .max = 1e9,
     .unit = "m/s",
     .doc = "Velocity at the start."},
    {.key = "angular_velocity",
     PLI_VECTOR(pli_body_def, angular_velocity),
     .fallback = PLI_ORIGIN_DEFAULT,
     .min = -1e9,
     .max = 1e9,
     .unit = "deg/s",
     .doc = "Angular velocity at the start, about the centre of mass."},
    {.key = "start",
     PLI_VARIANT(pli_body_def, start, start_variants),
     .fallback = "rest",
     .doc = "How it is deformed at the start."},
    {.key = "copies",
     PLI_MEMBER(PLI_FIELD_STRUCT, pli_body_def, copies),
     .schema = &copies_schema,
     .doc = "The body several times over, in rows."},
    {.key = "motion",
     PLI_STRUCT(pli_body_def, motion, &pli_motion_schema),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "How an obstacle moves; by default not at all."},
    {.key = "springs",
     PLI_STRUCT(pli_body_def, springs, &springs_schema),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "What a cloth is made of."},
    {.key = "element",
     PLI_CHOICE(pli_body_def, element, pli_element_names),
     .fallback = "auto",
     .doc = "Tetrahedra of a solid: linear, with four nodes; quadratic, with ten; or locking-free, "
            "linear ones that share their change of volume with their neighbours, for matter that "
            "is almost incompressible. By default those of a file of second order are quadratic, "
            "and others linear, unless poisson is above 0.45: then locking-free, where the solver "
            "takes it."},
    {.key = "bending_model",
     PLI_CHOICE(pli_body_def, bending_model, bending_names),
     .fallback = "auto",
     .doc = "How a shell bends: about each edge by itself (hinges), or as a plate, whose Poisson's "
            "ratio couples the curvatures of two directions."},
    {.key = "fold",
     PLI_STRUCT(pli_body_def, fold, &fold_schema),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "Folds of a shell that stay; it then bends by hinges."},
    PLI_PAINTED(pli_body_def),
};
const pli_schema pli_body_schema = {.name = "body",
                                    .doc = "Something that moves and deforms.",
                                    .size = sizeof(pli_body_def),
                                    PLI_TABLE(body_fields)};

// ---- constraints and attachments

// rows of which vertices are meant
#define BODY \
    .key = "body", .flags = PLI_FIELD_OPTIONAL, .doc = "Name of a body; by default every body."
#define WHERE \
    .key = "where", .fallback = "all", .doc = "Which vertices, in the body's initial placement."

#define REACTION_NAME                                                                 \
    .key = "name", .flags = PLI_FIELD_OPTIONAL,                                       \
    .doc = "Name of the reaction among what is measured; by default the kind of the " \
           "section and the number in it, such as constraint-0."

static const pli_field constraint_fields[] = {
    {BODY, PLI_TEXT(pli_constraint_def, body)},
    {WHERE, PLI_VARIANT(pli_constraint_def, where, pli_selection_variants)},
    {.key = "axes",
     PLI_TEXT(pli_constraint_def, axes),
     .fallback = "xyz",
     .doc = "Which directions are constrained: any of x, y and z."},
    {.key = "motion",
     PLI_STRUCT(pli_constraint_def, motion, &pli_motion_schema),
     .doc = "How the vertices move; by default not at all."},
    {REACTION_NAME, PLI_TEXT(pli_constraint_def, name)},
};
const pli_schema pli_constraint_schema = {.name = "constraint",
                                          .doc = "Dirichlet boundary condition: vertices whose "
                                                 "positions are fixed or follow a script.",
                                          .size = sizeof(pli_constraint_def),
                                          PLI_TABLE(constraint_fields)};

static const pli_field attachment_fields[] = {
    {BODY, PLI_TEXT(pli_attachment_def, body)},
    {WHERE, PLI_VARIANT(pli_attachment_def, where, pli_selection_variants)},
    {.key = "stiffness",
     PLI_REAL(pli_attachment_def, stiffness),
     .flags = PLI_FIELD_REQUIRED | PLI_FIELD_MIN_EXCLUDED,
     .min = 0,
     .max = 1e15,
     .unit = "N/m",
     .doc = "Stiffness of the spring of each vertex."},
    {.key = "motion",
     PLI_STRUCT(pli_attachment_def, motion, &pli_motion_schema),
     .doc = "How the springs' ends move; by default not at all."},
    {REACTION_NAME, PLI_TEXT(pli_attachment_def, name)},
};
const pli_schema pli_attachment_schema = {
    .name = "attachment",
    .doc = "Springs from vertices to where they started, or to a script.",
    .size = sizeof(pli_attachment_def),
    PLI_TABLE(attachment_fields)};
