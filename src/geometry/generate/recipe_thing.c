// SPDX-License-Identifier: Apache-2.0
//
// Things: from turned, extruded and repeated parts.
#include "geometry/generate/recipe_build.h"

#include <string.h>

static const double pi = 3.14159265358979323846;
static const double origin[3] = {0, 0, 0};
static const double axis_y[3] = {0, 1, 0};
static const double axis_z[3] = {0, 0, 1};

#define BRICK(x, y, z, sx, sy, sz)                                \
    {                                                             \
        PLI_PART_BRICK, {x, y, z}, {0, 0, 0}, {sx, sy, sz}, false \
    }

// Unit vector number `index` of `count` that are spread evenly over the sphere (Fibonacci spiral).
static void spread_direction(int32_t index, int32_t count, double out[3])
{
    // equal steps in height, the golden angle between neighbours
    double height = 1 - 2 * (index + 0.5) / count;
    double ring = sqrt(1 - height * height);
    double angle = index * pi * (3 - sqrt(5.0));
    pli_vec3_set(ring * cos(angle), height, ring * sin(angle), out);
}

static void push_cylinder(pli_sculpt *sculpt, const double start[3], const double end[3],
                          double radius)
{
    const pli_shape *shape = NULL;
    if (sculpt->status != PLI_OK) return;
    pli_status status = pli_shape_cylinder(sculpt->set, start, end, radius, &shape);
    pli_sculpt_push(sculpt, status, shape);
}

static void push_torus(pli_sculpt *sculpt, const double center[3], const double axis[3],
                       double radius, double tube)
{
    const pli_shape *shape = NULL;
    if (sculpt->status != PLI_OK) return;
    pli_status status = pli_shape_torus(sculpt->set, center, axis, radius, tube, &shape);
    pli_sculpt_push(sculpt, status, shape);
}

static void push_prism(pli_sculpt *sculpt, int32_t count, const double *polygon, double depth)
{
    const pli_shape *shape = NULL;
    if (sculpt->status != PLI_OK) return;
    pli_status status = pli_shape_prism(sculpt->set, count, polygon, depth, &shape);
    pli_sculpt_push(sculpt, status, shape);
}

// A ring around the z axis with rectangular cross-section: radii from inner to outer, |z| <= half.
static void push_ring(pli_sculpt *sculpt, double inner, double outer, double half)
{
    static const double upright[3] = {90, 0, 0};
    const double profile[4][2] = {{inner, -half}, {outer, -half}, {outer, half}, {inner, half}};
    const pli_shape *shape = NULL;
    if (sculpt->status != PLI_OK) return;
    pli_status status = pli_shape_lathe(sculpt->set, 4, &profile[0][0], &shape);
    pli_sculpt_push(sculpt, status, shape);
    pli_sculpt_place(sculpt, upright, origin);
}

// ---- wheel

enum { SPOKES = 6 };
static const double tyre_inner = 0.66;

void pli_recipe_wheel(pli_sculpt *sculpt)
{
    int32_t mark = sculpt->count;
    for (int side = -1; side <= 1; side += 2) {
        const double center[3] = {0, 0, side * 0.13};
        push_torus(sculpt, center, axis_z, 0.81, 0.19);
    }
    pli_sculpt_blend(sculpt, mark, 0.2);
    push_ring(sculpt, 0.63, 0.72, 0.21);
    pli_sculpt_round(sculpt, 0.03);
    const double hub[2][3] = {{0, 0, -0.22}, {0, 0, 0.22}};
    push_cylinder(sculpt, hub[0], hub[1], 0.16);
    pli_sculpt_round(sculpt, 0.05);
    for (int spoke = 0; spoke < SPOKES; ++spoke) {
        double angle = 2 * pi * (spoke + 0.5) / SPOKES;
        const double start[3] = {0.12 * cos(angle), 0.12 * sin(angle), 0};
        const double end[3] = {0.66 * cos(angle), 0.66 * sin(angle), 0};
        pli_sculpt_limb(sculpt, start, end, 0.095, 0.085);
    }
    pli_sculpt_blend(sculpt, mark, 0.05);
    // the bore for the axle
    const double bore[2][3] = {{0, 0, -1}, {0, 0, 1}};
    push_cylinder(sculpt, bore[0], bore[1], 0.09);
    pli_sculpt_cut(sculpt, mark, 0.04);
}

void pli_recipe_wheel_tyre(pli_sculpt *sculpt)
{
    push_ring(sculpt, tyre_inner, 1.5, 1);
}

// ---- ball of struts

// The 60 corners of a truncated icosahedron with edges of length 2: even permutations of
// (0, 1, 3 p), (1, 2 + p, 2 p) and (p, 2, 2 p + 1) with all signs, p the golden ratio.
static int32_t list_corners(double corners[60][3])
{
    const double p = 0.5 * (1 + sqrt(5.0));
    const double base[3][3] = {{0, 1, 3 * p}, {1, 2 + p, 2 * p}, {p, 2, 2 * p + 1}};
    int32_t count = 0;
    for (int b = 0; b < 3; ++b) {
        for (int signs = 0; signs < 8; ++signs) {
            // zero has no sign
            if (b == 0 && (signs & 1) != 0) continue;
            for (int shift = 0; shift < 3; ++shift) {
                for (int k = 0; k < 3; ++k) {
                    double x = base[b][k];
                    corners[count][(k + shift) % 3] = (signs >> k & 1) != 0 ? -x : x;
                }
                ++count;
            }
        }
    }
    return count;
}

void pli_recipe_strutball(pli_sculpt *sculpt)
{
    // circumscribed radius of the corners, 4.956, so the ball has radius 1 to the strut's middle
    const double scale = 1 / 4.956;
    double corners[60][3];
    int32_t count = list_corners(corners);
    int32_t mark = sculpt->count;
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t j = i + 1; j < count; ++j) {
            if (pli_vec3_distance(corners[i], corners[j]) > 2.1) continue;
            double a[3], b[3];
            pli_vec3_scale(scale, corners[i], a);
            pli_vec3_scale(scale, corners[j], b);
            pli_sculpt_limb(sculpt, a, b, 0.095, 0.095);
        }
    }
    pli_sculpt_blend(sculpt, mark, 0.03);
}

// ---- hoop and net

enum { NET_LEVELS = 5, NET_STRANDS = 8 };

// A knot of the net; knots of every other level are half a step further round.
static void net_knot(int level, int strand, double out[3])
{
    static const double radius[NET_LEVELS] = {0.98, 0.80, 0.66, 0.58, 0.56};
    double angle = 2 * pi * (strand + 0.5 * (level % 2)) / NET_STRANDS;
    pli_vec3_set(radius[level] * cos(angle), -0.32 * level, radius[level] * sin(angle), out);
}

void pli_recipe_hoop(pli_sculpt *sculpt)
{
    static const pli_part bracket[] = {BRICK(0, -0.02, -1.16, 0.40, 0.14, 0.34),
                                       BRICK(0, -0.10, -1.34, 0.52, 0.42, 0.12)};
    int32_t mark = sculpt->count;
    for (int level = 0; level + 1 < NET_LEVELS; ++level) {
        for (int strand = 0; strand < NET_STRANDS; ++strand) {
            double top[3], left[3], right[3];
            net_knot(level, strand, top);
            net_knot(level + 1, level % 2 == 0 ? strand - 1 : strand, left);
            net_knot(level + 1, level % 2 == 0 ? strand : strand + 1, right);
            pli_sculpt_limb(sculpt, top, left, 0.08, 0.08);
            pli_sculpt_limb(sculpt, top, right, 0.08, 0.08);
        }
    }
    push_torus(sculpt, origin, axis_y, 1, 0.10);
    pli_sculpt_parts(sculpt, PLI_LENGTH(bracket), bracket);
    pli_sculpt_blend(sculpt, mark, 0.025);
}

void pli_recipe_hoop_rim(pli_sculpt *sculpt)
{
    static const pli_part box = BRICK(0, 0, -1.4, 0.8, 0.8, 0.7);
    int32_t mark = sculpt->count;
    push_torus(sculpt, origin, axis_y, 1, 0.105);
    pli_sculpt_parts(sculpt, 1, &box);
    pli_sculpt_blend(sculpt, mark, 0);
}

// ---- kooshball

// A ball of radius 0.40 with tendrils in all directions, thick at the root, up to a distance.
static void build_koosh(pli_sculpt *sculpt, int32_t tendrils, double length, const double radii[2],
                        double smooth)
{
    int32_t mark = sculpt->count;
    pli_sculpt_ball(sculpt, origin, 0.40);
    for (int32_t i = 0; i < tendrils; ++i) {
        double direction[3], start[3], end[3];
        spread_direction(i, tendrils, direction);
        pli_vec3_scale(0.34, direction, start);
        pli_vec3_scale(length, direction, end);
        pli_sculpt_limb(sculpt, start, end, radii[0], radii[1]);
    }
    pli_sculpt_blend(sculpt, mark, smooth);
}

void pli_recipe_koosh(pli_sculpt *sculpt)
{
    static const double radii[2] = {0.10, 0.09};
    build_koosh(sculpt, 32, 0.91, radii, 0.03);
}

void pli_recipe_koosh_fine(pli_sculpt *sculpt)
{
    static const double radii[2] = {0.05, 0.045};
    build_koosh(sculpt, 120, 0.96, radii, 0.02);
}

// ---- shoe

static const double sole_height = 0.38;

// Everything within a slab of heights.
static void push_slab(pli_sculpt *sculpt, double low, double high)
{
    const pli_part slab = BRICK(0, 0.5 * (low + high), 0, 4, high - low, 4);
    pli_sculpt_parts(sculpt, 1, &slab);
}

// The sole: the outline of a foot, with channels across the heel and grooves below.
static void push_sole(pli_sculpt *sculpt)
{
    static const double rounding = 0.05;
    static const double outline[24][2] = {
        {0, -1.05},      {0.13, -1.02},   {0.21, -0.92},  {0.25, -0.76},  {0.25, -0.56},
        {0.225, -0.32},  {0.215, -0.08},  {0.25, 0.20},   {0.305, 0.46},  {0.32, 0.66},
        {0.29, 0.84},    {0.21, 0.98},    {0.09, 1.06},   {-0.04, 1.07},  {-0.15, 1.01},
        {-0.235, 0.88},  {-0.28, 0.68},   {-0.29, 0.46},  {-0.265, 0.20}, {-0.225, -0.08},
        {-0.215, -0.32}, {-0.235, -0.56}, {-0.23, -0.80}, {-0.15, -0.99}};
    static const double lying[3] = {90, 0, 0};
    static const double middle[3] = {0, 0.19, 0};
    int32_t mark = sculpt->count;
    push_prism(sculpt, PLI_LENGTH(outline), &outline[0][0], sole_height - 2 * rounding);
    pli_sculpt_round(sculpt, rounding);
    pli_sculpt_place(sculpt, lying, middle);
    for (int channel = 0; channel < 3; ++channel) {
        double z = -0.80 + 0.28 * channel;
        const double start[3] = {-1, 0.235, z};
        const double end[3] = {1, 0.235, z};
        push_cylinder(sculpt, start, end, 0.075);
    }
    for (int groove = 0; groove < 5; ++groove) {
        double z = 0.06 + 0.2 * groove;
        const double start[3] = {-1, 0, z};
        const double end[3] = {1, 0, z};
        push_cylinder(sculpt, start, end, 0.055);
    }
    pli_sculpt_cut(sculpt, mark, 0.03);
}

// The foot that the upper covers, made thinner all around by `inset`.
static void push_foot(pli_sculpt *sculpt, double inset)
{
    const pli_part foot[] = {
        {PLI_PART_EGG,
         {0, 0.46, -0.74},
         {0, 0, 0},
         {0.28 - inset, 0.70 - inset, 0.34 - inset},
         false}, // heel and ankle
        {PLI_PART_EGG,
         {0, 0.36, -0.18},
         {14, 0, 0},
         {0.27 - inset, 0.44 - inset, 0.62 - inset},
         false}, // instep
        {PLI_PART_EGG,
         {0.015, 0.28, 0.50},
         {6, 0, 0},
         {0.34 - inset, 0.31 - inset, 0.58 - inset},
         false}, // toes
    };
    int32_t mark = sculpt->count;
    pli_sculpt_parts(sculpt, PLI_LENGTH(foot), foot);
    pli_sculpt_blend(sculpt, mark, 0.3);
}

void pli_recipe_sole(pli_sculpt *sculpt)
{
    static const pli_part opening = {
        PLI_PART_EGG, {0, 1.16, -0.70}, {-10, 0, 0}, {0.60, 0.38, 0.58}, false};
    int32_t mark = sculpt->count;
    push_sole(sculpt);
    int32_t upper = sculpt->count;
    push_foot(sculpt, 0);
    push_slab(sculpt, sole_height - 0.10, 2);
    pli_sculpt_common(sculpt, upper, 0);
    push_foot(sculpt, 0.12);
    pli_sculpt_parts(sculpt, 1, &opening);
    pli_sculpt_cut(sculpt, upper, 0.06);
    pli_sculpt_blend(sculpt, mark, 0.04);
}

void pli_recipe_sole_outsole(pli_sculpt *sculpt)
{
    push_slab(sculpt, -1, 0.13);
}

void pli_recipe_sole_midsole(pli_sculpt *sculpt)
{
    push_slab(sculpt, 0, sole_height);
}

// ---- ball with stiff cells

enum { CELL_SEEDS = 51 };

void pli_recipe_cellball(pli_sculpt *sculpt)
{
    pli_sculpt_ball(sculpt, origin, 1);
}

void pli_recipe_cellball_walls(pli_sculpt *sculpt)
{
    // one seed in the middle and two shells around it
    static const int32_t shell_seeds[2] = {14, 36};
    static const double shell_radius[2] = {0.46, 0.86};
    double seeds[CELL_SEEDS][3] = {{0, 0, 0}};
    int32_t count = 1;
    for (int shell = 0; shell < 2; ++shell) {
        for (int32_t i = 0; i < shell_seeds[shell]; ++i) {
            spread_direction(i, shell_seeds[shell], seeds[count]);
            pli_vec3_scale(shell_radius[shell], seeds[count], seeds[count]);
            ++count;
        }
    }
    if (sculpt->status != PLI_OK) return;
    int32_t mark = sculpt->count;
    const pli_shape *shape = NULL;
    pli_status status = pli_shape_cells(sculpt->set, count, &seeds[0][0], 0.07, &shape);
    pli_sculpt_push(sculpt, status, shape);
    // the skin: everything but the ball below it
    pli_sculpt_ball(sculpt, origin, 0.93);
    if (sculpt->status != PLI_OK) return;
    const pli_shape *ball = sculpt->pile[--sculpt->count];
    status = pli_shape_negation(sculpt->set, ball, &shape);
    pli_sculpt_push(sculpt, status, shape);
    pli_sculpt_blend(sculpt, mark, 0);
}

// ---- roller and terrain

enum { BUMP_ROWS = 7, BUMPS = 9 };

void pli_recipe_roller(pli_sculpt *sculpt)
{
    int32_t mark = sculpt->count;
    const double left[3] = {-0.94, 0, 0};
    const double right[3] = {0.94, 0, 0};
    push_cylinder(sculpt, left, right, 0.50);
    pli_sculpt_round(sculpt, 0.06);
    for (int row = 0; row < BUMP_ROWS; ++row) {
        for (int bump = 0; bump < BUMPS; ++bump) {
            double angle = 2 * pi * (bump + 0.5 * (row % 2)) / BUMPS;
            const double center[3] = {-0.84 + 0.28 * row, 0.55 * cos(angle), 0.55 * sin(angle)};
            pli_sculpt_ball(sculpt, center, 0.16);
        }
    }
    pli_sculpt_blend(sculpt, mark, 0.06);
    const double bore[2][3] = {{-2, 0, 0}, {2, 0, 0}};
    push_cylinder(sculpt, bore[0], bore[1], 0.26);
    pli_sculpt_cut(sculpt, mark, 0.08);
}

void pli_recipe_roller_bore(pli_sculpt *sculpt)
{
    const double ends[2][3] = {{-2, 0, 0}, {2, 0, 0}};
    push_cylinder(sculpt, ends[0], ends[1], 0.36);
}

void pli_recipe_terrain(pli_sculpt *sculpt)
{
    enum { SAMPLES = 41 };
    static const pli_part block = BRICK(0, 0, 0, 2, 0.9, 2);
    double heights[SAMPLES * SAMPLES];
    for (int j = 0; j < SAMPLES; ++j) {
        for (int i = 0; i < SAMPLES; ++i) {
            double x = -1 + 2.0 * i / (SAMPLES - 1);
            double z = -1 + 2.0 * j / (SAMPLES - 1);
            heights[j * SAMPLES + i] = 0.14 * sin(2.9 * x + 0.7) * cos(2.3 * z - 0.4) +
                                       0.07 * sin(5.1 * x - 3.2 * z) +
                                       0.035 * cos(8.3 * x + 1.1) * sin(7.7 * z + 0.3);
        }
    }
    pli_shape_ground ground = {{-1, 0, -1}, {2, 2}, SAMPLES, SAMPLES, heights};
    const pli_shape *shape = NULL;
    int32_t mark = sculpt->count;
    if (sculpt->status != PLI_OK) return;
    pli_status status = pli_shape_height_field(sculpt->set, &ground, &shape);
    pli_sculpt_push(sculpt, status, shape);
    pli_sculpt_parts(sculpt, 1, &block);
    pli_sculpt_common(sculpt, mark, 0);
}

// ---- anvil

void pli_recipe_anvil(pli_sculpt *sculpt)
{
    // profiles without the rounding of their edges
    static const double rounding = 0.035;
    static const double foot[6][2] = {{-0.50, 0.035}, {0.50, 0.035}, {0.48, 0.10},
                                      {0.28, 0.20},   {-0.28, 0.20}, {-0.48, 0.10}};
    static const double face[7][2] = {{-0.34, 0.56}, {0.30, 0.56},  {0.48, 0.63}, {0.82, 0.74},
                                      {0.82, 0.80},  {-0.42, 0.80}, {-0.42, 0.62}};
    static const pli_part waist = BRICK(0, 0.38, 0, 0.42, 0.46, 0.28);
    static const double horn[4][4] = {{-0.36, 0.69, 0, 0.145},
                                      {-0.70, 0.70, 0, 0.135},
                                      {-1.00, 0.745, 0, 0.09},
                                      {-1.22, 0.79, 0, 0.045}};
    int32_t mark = sculpt->count;
    push_prism(sculpt, PLI_LENGTH(foot), &foot[0][0], 0.50);
    pli_sculpt_round(sculpt, rounding);
    push_prism(sculpt, PLI_LENGTH(face), &face[0][0], 0.30);
    pli_sculpt_round(sculpt, rounding);
    pli_sculpt_parts(sculpt, 1, &waist);
    pli_sculpt_sweep(sculpt, 4, &horn[0][0], 3);
    pli_sculpt_blend(sculpt, mark, 0.08);
}

// ---- bowl

void pli_recipe_bowl(pli_sculpt *sculpt)
{
    static const double center[3] = {0, 1, 0};
    static const double ring[3] = {0, 0.06, 0};
    int32_t mark = sculpt->count;
    pli_sculpt_ball(sculpt, center, 1);
    pli_sculpt_ball(sculpt, center, 0.82);
    pli_sculpt_cut(sculpt, mark, 0);
    pli_sculpt_plane(sculpt, center, axis_y);
    pli_sculpt_common(sculpt, mark, 0);
    // a round brim and a ring to stand on
    push_torus(sculpt, center, axis_y, 0.91, 0.09);
    push_torus(sculpt, ring, axis_y, 0.42, 0.08);
    pli_sculpt_blend(sculpt, mark, 0.03);
}
