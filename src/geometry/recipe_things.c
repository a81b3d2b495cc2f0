// SPDX-License-Identifier: Apache-2.0
//
// Recipes of made things: y up.
#include "geometry/recipe_parts.h"

#include "math/vec3.h"

static const double pi = 3.14159265358979323846;

// ---- single solids as parts

static void add_cylinder(pli_parts *parts, const double start[3], const double end[3],
                         double radius)
{
    if (parts->status != PLI_OK) return;
    const pli_shape *shape = NULL;
    pli_status status = pli_shape_cylinder(parts->set, start, end, radius, &shape);
    pli_parts_add(parts, status, shape);
}

static void add_box(pli_parts *parts, const double center[3], const double size[3], double rounding)
{
    if (parts->status != PLI_OK) return;
    const pli_shape *shape = NULL;
    pli_status status = pli_shape_box(parts->set, center, size, rounding, &shape);
    pli_parts_add(parts, status, shape);
}

static void add_sphere(pli_parts *parts, const double center[3], double radius)
{
    if (parts->status != PLI_OK) return;
    const pli_shape *shape = NULL;
    pli_status status = pli_shape_sphere(parts->set, center, radius, &shape);
    pli_parts_add(parts, status, shape);
}

static void add_torus(pli_parts *parts, const double center[3], const double axis[3], double radius,
                      double tube)
{
    if (parts->status != PLI_OK) return;
    const pli_shape *shape = NULL;
    pli_status status = pli_shape_torus(parts->set, center, axis, radius, tube, &shape);
    pli_parts_add(parts, status, shape);
}

static void add_plane(pli_parts *parts, const double point[3], const double normal[3])
{
    if (parts->status != PLI_OK) return;
    const pli_shape *shape = NULL;
    pli_status status = pli_shape_plane(parts->set, point, normal, &shape);
    pli_parts_add(parts, status, shape);
}

static const pli_shape *shell_of(pli_parts *parts, const pli_shape *member, double thickness)
{
    const pli_shape *shape = NULL;
    if (parts->status == PLI_OK) {
        parts->status = pli_shape_shell(parts->set, member, thickness, &shape);
    }
    return shape;
}

// ---- wheel: rim, hub and six spokes; the axle along z

const pli_shape *pli_recipe_wheel(pli_parts *parts)
{
    // rim: a wide ring, rounded
    add_cylinder(parts, (double[3]){0, 0, -0.06}, (double[3]){0, 0, 0.06}, 0.245);
    add_cylinder(parts, (double[3]){0, 0, -0.2}, (double[3]){0, 0, 0.2}, 0.19);
    const pli_shape *rim = pli_parts_difference(parts, 0.02);

    // hub with a hole for the axle, and spokes
    add_cylinder(parts, (double[3]){0, 0, -0.08}, (double[3]){0, 0, 0.08}, 0.075);
    for (int k = 0; k < 6; ++k) {
        double angle = 2 * pi * k / 6;
        double out[3] = {0.205 * sin(angle), 0.205 * cos(angle), 0};
        pli_parts_add_limb(parts, (double[3]){0, 0, 0}, 0.036, out, 0.028);
    }
    pli_parts_add(parts, parts->status, rim);
    const pli_shape *solid = pli_parts_union(parts, 0.02);
    pli_parts_add(parts, parts->status, solid);
    add_cylinder(parts, (double[3]){0, 0, -0.2}, (double[3]){0, 0, 0.2}, 0.03);
    return pli_parts_difference(parts, 0);
}

// ---- strutball: the 90 edges of a truncated icosahedron of edge 2

enum { BALL_CORNERS = 60 };

// Corners are the cyclic permutations of three triples with all signs.
static int fill_ball_corners(double corners[BALL_CORNERS][3])
{
    const double phi = 1.61803398874989485;
    const double triples[3][3] = {{0, 1, 3 * phi}, {1, 2 + phi, 2 * phi}, {2, 1 + 2 * phi, phi}};
    int count = 0;
    for (int k = 0; k < 3 * 3 * 8; ++k) {
        const double *triple = triples[k / 24];
        int turn = k / 8 % 3;
        int signs = k % 8;
        if (triple[0] == 0 && signs % 2 == 1) continue;
        for (int i = 0; i < 3; ++i) {
            corners[count][(i + turn) % 3] = (signs >> i & 1) != 0 ? -triple[i] : triple[i];
        }
        ++count;
    }
    return count;
}

const pli_shape *pli_recipe_strutball(pli_parts *parts)
{
    double corners[BALL_CORNERS][3];
    int count = fill_ball_corners(corners);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < i; ++j) {
            // edges have length 2, the next distance is that of the diagonals of pentagons
            if (pli_vec3_distance(corners[i], corners[j]) > 2.1) continue;
            pli_parts_add_limb(parts, corners[i], 0.46, corners[j], 0.46);
        }
    }
    return pli_parts_union(parts, 0);
}

// ---- hoop: a ring with a net of diamonds below

// A knot of the net: rows alternate by half a mesh.
static void net_knot(int row, int column, double out[3])
{
    enum { COLUMNS = 10 };
    static const double radius[5] = {0.45, 0.39, 0.335, 0.295, 0.27};
    static const double height[5] = {0, -0.16, -0.32, -0.48, -0.62};
    double angle = 2 * pi * (column + 0.5 * (row % 2)) / COLUMNS;
    pli_vec3_set(radius[row] * cos(angle), height[row], radius[row] * sin(angle), out);
}

const pli_shape *pli_recipe_hoop(pli_parts *parts)
{
    const double strand = 0.027;
    add_torus(parts, (double[3]){0, 0, 0}, (double[3]){0, 1, 0}, 0.46, 0.045);
    for (int row = 0; row < 4; ++row) {
        for (int column = 0; column < 10; ++column) {
            double from[3];
            double to[3];
            net_knot(row, column, from);
            for (int side = 0; side < 2; ++side) {
                // even rows lead to columns c - 1 and c below, odd ones to c and c + 1
                net_knot(row + 1, column - (row % 2 == 0) + side, to);
                pli_parts_add_limb(parts, from, strand, to, strand);
            }
        }
    }
    return pli_parts_union(parts, 0);
}

// ---- koosh: a core with tendrils all around

const pli_shape *pli_recipe_koosh(pli_parts *parts)
{
    enum { TENDRILS = 100 };
    add_sphere(parts, (double[3]){0, 0, 0}, 0.36);
    for (int k = 0; k < TENDRILS; ++k) {
        double direction[3];
        double root[3];
        double tip[3];
        pli_fibonacci_direction(k, TENDRILS, direction);
        pli_vec3_scale(0.3, direction, root);
        // lengths vary a little, as by hand
        pli_vec3_scale(0.95 - 0.06 * (k * 7 % 5) / 4.0, direction, tip);
        pli_parts_add_limb(parts, root, 0.05, tip, 0.042);
    }
    return pli_parts_union(parts, 0);
}

// ---- sole: a shoe, the toes towards +z

// The outline of a foot between two heights: cylinders under heel, arch, ball and toes.
static const pli_shape *foot_slab(pli_parts *parts, double low, double high, double grow)
{
    static const double outline[6][3] = {{0, -0.36, 0.13},      {0.01, -0.2, 0.12},
                                         {0.015, -0.02, 0.125}, {0.0, 0.14, 0.16},
                                         {-0.02, 0.26, 0.15},   {-0.035, 0.36, 0.115}};
    for (int k = 0; k < 6; ++k) {
        double start[3] = {outline[k][0], low, outline[k][1]};
        double end[3] = {outline[k][0], high, outline[k][1]};
        add_cylinder(parts, start, end, outline[k][2] + grow);
    }
    const pli_shape *outline_shape = pli_parts_union(parts, 0.12);

    // blending swells tops and bottoms too: cut them flat again
    pli_parts_add(parts, parts->status, outline_shape);
    add_box(parts, (double[3]){0, 0.5 * (low + high), 0}, (double[3]){2, high - low, 2}, 0);
    return pli_parts_intersection(parts, 0.015);
}

// What the foot fills, to be made a shell.
static const pli_shape *foot_last(pli_parts *parts)
{
    static const pli_part body[] = {
        {{-0.03, 0.05, 0.34}, 0.085, {-0.02, 0.05, 0.2}, 0.115, false}, // toes
        {{-0.02, 0.05, 0.2}, 0.115, {0.0, 0.1, 0.02}, 0.115, false},    // instep
        {{0.0, 0.1, 0.02}, 0.115, {0, 0.16, -0.2}, 0.11, false},
        {{0, 0.06, -0.36}, 0.1, {0, 0.16, -0.2}, 0.11, false}, // heel
        {{0, 0.16, -0.3}, 0.1, {0, 0.45, -0.3}, 0.1, false},   // ankle
    };
    pli_parts_add_table(parts, (int32_t)(sizeof body / sizeof body[0]), body);
    return pli_parts_union(parts, 0.1);
}

const pli_shape *pli_recipe_sole(pli_parts *parts)
{
    // midsole with holes from side to side
    const pli_shape *slab = foot_slab(parts, -0.15, 0, 0);
    pli_parts_add(parts, parts->status, slab);
    for (int k = 0; k < 7; ++k) {
        double z = -0.38 + 0.122 * k;
        add_cylinder(parts, (double[3]){-1, -0.075, z}, (double[3]){1, -0.075, z}, 0.036);
    }
    const pli_shape *midsole = pli_parts_difference(parts, 0);

    // upper: the shell of the last, open at the ankle, above the sole
    const pli_shape *last = foot_last(parts);
    const pli_shape *skin = shell_of(parts, last, 0.06);
    pli_parts_add(parts, parts->status, skin);
    add_plane(parts, (double[3]){0, -0.03, 0}, (double[3]){0, -1, 0});
    add_plane(parts, (double[3]){0, 0.27, -0.3}, (double[3]){0, 1, 0.12});
    const pli_shape *upper = pli_parts_intersection(parts, 0);

    pli_parts_add(parts, parts->status, midsole);
    pli_parts_add(parts, parts->status, upper);
    return pli_parts_union(parts, 0.02);
}

// ---- cellball: a ball whose surface bulges in cells

const pli_shape *pli_recipe_cellball(pli_parts *parts)
{
    enum { CELLS = 72 };
    add_sphere(parts, (double[3]){0, 0, 0}, 0.44);
    for (int k = 0; k < CELLS; ++k) {
        double direction[3];
        pli_fibonacci_direction(k, CELLS, direction);
        pli_vec3_scale(0.405, direction, direction);
        add_sphere(parts, direction, 0.098);
    }
    return pli_parts_union(parts, 0);
}

// ---- roller: a tube with rows of knobs, the axis along x

const pli_shape *pli_recipe_roller(pli_parts *parts)
{
    enum { RINGS = 9, KNOBS = 12 };
    add_cylinder(parts, (double[3]){-0.5, 0, 0}, (double[3]){0.5, 0, 0}, 0.19);
    for (int ring = 0; ring < RINGS; ++ring) {
        for (int k = 0; k < KNOBS; ++k) {
            double angle = 2 * pi * (k + 0.5 * (ring % 2)) / KNOBS;
            double center[3] = {-0.44 + 0.88 * ring / (RINGS - 1), 0.185 * cos(angle),
                                0.185 * sin(angle)};
            add_sphere(parts, center, 0.045);
        }
    }
    const pli_shape *solid = pli_parts_union(parts, 0);
    pli_parts_add(parts, parts->status, solid);
    add_cylinder(parts, (double[3]){-1, 0, 0}, (double[3]){1, 0, 0}, 0.1);
    return pli_parts_difference(parts, 0);
}

// ---- terrain: hills cut out of a slab

const pli_shape *pli_recipe_terrain(pli_parts *parts)
{
    enum { SIDE = 49 };
    double heights[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; ++k) {
        double x = 2.0 * (k % SIDE) / (SIDE - 1) - 1;
        double z = 2.0 * (k / SIDE) / (SIDE - 1) - 1;
        double ridge = 0.06 * sin(3.1 * x + 1.3 * sin(2.2 * z)) * cos(2.7 * z - 0.8 * x);
        double ripples = 0.02 * sin(8.3 * x + 2.1 * z) * sin(7.1 * z - 1.7 * x);
        double hill = 0.11 * exp(-9 * ((x - 0.35) * (x - 0.35) + (z + 0.3) * (z + 0.3)));
        heights[k] = ridge + ripples + hill;
    }
    pli_height_samples samples = {.origin = {-0.5, 0, -0.5},
                                  .size = {1, 1},
                                  .columns = SIDE,
                                  .rows = SIDE,
                                  .heights = heights};
    const pli_shape *field = NULL;
    pli_status status = pli_shape_height_field(parts->set, &samples, &field);
    pli_parts_add(parts, status, field);
    add_box(parts, (double[3]){0, 0, 0}, (double[3]){1, 0.44, 1}, 0.01);
    return pli_parts_intersection(parts, 0);
}

// ---- anvil: foot, waist, body and horn; the horn towards +x

const pli_shape *pli_recipe_anvil(pli_parts *parts)
{
    add_box(parts, (double[3]){0, -0.27, 0}, (double[3]){0.56, 0.11, 0.36}, 0.02);
    add_box(parts, (double[3]){0, -0.19, 0}, (double[3]){0.42, 0.1, 0.27}, 0.02);
    add_box(parts, (double[3]){0, -0.06, 0}, (double[3]){0.27, 0.26, 0.17}, 0.02);
    add_box(parts, (double[3]){-0.06, 0.12, 0}, (double[3]){0.62, 0.19, 0.24}, 0.015);
    pli_parts_add_limb(parts, (double[3]){0.22, 0.105, 0}, 0.1, (double[3]){0.62, 0.175, 0}, 0.028);
    const pli_shape *solid = pli_parts_union(parts, 0.07);

    // a flat face, and the square hole in it
    pli_parts_add(parts, parts->status, solid);
    add_box(parts, (double[3]){0, 0.315, 0}, (double[3]){2, 0.2, 2}, 0);
    add_box(parts, (double[3]){-0.28, 0.2, 0}, (double[3]){0.055, 0.2, 0.055}, 0);
    return pli_parts_difference(parts, 0);
}

// ---- bowl: half a shell on a ring

const pli_shape *pli_recipe_bowl(pli_parts *parts)
{
    add_sphere(parts, (double[3]){0, 0, 0}, 0.5);
    const pli_shape *ball = pli_parts_union(parts, 0);
    const pli_shape *skin = shell_of(parts, ball, 0.08);
    pli_parts_add(parts, parts->status, skin);
    add_plane(parts, (double[3]){0, 0, 0}, (double[3]){0, 1, 0});
    const pli_shape *half = pli_parts_intersection(parts, 0.02);

    pli_parts_add(parts, parts->status, half);
    add_torus(parts, (double[3]){0, -0.48, 0}, (double[3]){0, 1, 0}, 0.2, 0.045);
    return pli_parts_union(parts, 0.03);
}
