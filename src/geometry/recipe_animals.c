// SPDX-License-Identifier: Apache-2.0
//
// Recipes of living things: y up, facing +z.
#include "geometry/recipe_parts.h"

#include "math/vec3.h"

#define PART_COUNT(table) ((int32_t)(sizeof(table) / sizeof(table)[0]))

// An upright armoured animal with tall ears to hang it by.
const pli_shape *pli_recipe_creature(pli_parts *parts)
{
    static const pli_part body[] = {
        {{0, 0.02, 0}, 0, {0.27, 0.36, 0.25}, 0, false},            // trunk
        {{0, -0.06, 0.09}, 0, {0.22, 0.24, 0.21}, 0, false},        // belly
        {{0, 0.3, 0.02}, 0.15, {0, 0.5, 0.08}, 0.13, false},        // neck
        {{0, 0.56, 0.09}, 0, {0.17, 0.16, 0.18}, 0, false},         // head
        {{0, 0.53, 0.2}, 0.1, {0, 0.47, 0.4}, 0.055, false},        // snout
        {{0.08, 0.66, 0.02}, 0.05, {0.2, 0.98, -0.04}, 0.06, true}, // ear
        {{0.2, 0.98, -0.04}, 0.06, {0.23, 1.1, -0.06}, 0.025, true},
        {{0.22, 0.24, 0.02}, 0.1, {0.46, 0.12, 0.06}, 0.075, true}, // arms
        {{0.46, 0.12, 0.06}, 0.075, {0.53, 0.33, 0.24}, 0.065, true},
        {{0.53, 0.33, 0.24}, 0.06, {0.5, 0.43, 0.32}, 0.03, true}, // claws
        {{0.53, 0.33, 0.24}, 0.06, {0.58, 0.42, 0.32}, 0.03, true},
        {{0.14, -0.2, 0.02}, 0.15, {0.23, -0.48, 0.1}, 0.11, true}, // legs
        {{0.23, -0.48, 0.1}, 0.11, {0.25, -0.74, -0.01}, 0.085, true},
        {{0.25, -0.77, 0.0}, 0.08, {0.28, -0.79, 0.22}, 0.06, true},
        {{0, -0.22, -0.18}, 0.13, {0, -0.5, -0.42}, 0.085, false}, // tail
        {{0, -0.5, -0.42}, 0.085, {0, -0.66, -0.66}, 0.05, false},
        {{0, -0.66, -0.66}, 0.05, {0, -0.64, -0.86}, 0.025, false},
    };
    pli_parts_add_table(parts, PART_COUNT(body), body);
    const pli_shape *blob = pli_parts_union(parts, 0.07);

    // bands of armour over the back: grooves around the trunk
    pli_parts_add(parts, parts->status, blob);
    static const double heights[] = {-0.2, -0.08, 0.04, 0.16};
    for (int i = 0; i < 4 && parts->status == PLI_OK; ++i) {
        double y = (heights[i] - 0.02) / 0.36;
        double radius = 0.265 * sqrt(1 - y * y);
        double center[3] = {0, heights[i], -0.03};
        double axis[3] = {0, 1, 0.25};
        const pli_shape *groove = NULL;
        pli_status status = pli_shape_torus(parts->set, center, axis, radius, 0.016, &groove);
        pli_parts_add(parts, status, groove);
    }
    return pli_parts_difference(parts, 0.02);
}

const pli_shape *pli_recipe_cat(pli_parts *parts)
{
    static const pli_part body[] = {
        {{0, 0.02, -0.28}, 0.2, {0, 0.03, 0.2}, 0.185, false},         // trunk
        {{0, 0.02, 0.2}, 0, {0.16, 0.19, 0.2}, 0, false},              // chest
        {{0, 0.1, 0.26}, 0.13, {0, 0.27, 0.42}, 0.11, false},          // neck
        {{0, 0.33, 0.47}, 0, {0.17, 0.145, 0.155}, 0, false},          // head
        {{0, 0.28, 0.6}, 0, {0.075, 0.055, 0.06}, 0, false},           // muzzle
        {{0.09, 0.42, 0.44}, 0.07, {0.125, 0.555, 0.42}, 0.018, true}, // ear
        {{0.1, 0.0, -0.3}, 0.13, {0.11, -0.22, -0.26}, 0.085, true},   // hind leg
        {{0.11, -0.22, -0.26}, 0.085, {0.11, -0.42, -0.36}, 0.055, true},
        {{0.11, -0.46, -0.35}, 0.055, {0.11, -0.47, -0.25}, 0.05, true},
        {{0.09, -0.02, 0.24}, 0.1, {0.095, -0.25, 0.24}, 0.07, true}, // fore leg
        {{0.095, -0.25, 0.24}, 0.07, {0.095, -0.45, 0.25}, 0.055, true},
        {{0.095, -0.46, 0.26}, 0.055, {0.095, -0.47, 0.33}, 0.05, true},
        {{0, 0.1, -0.44}, 0.06, {0, 0.14, -0.68}, 0.05, false}, // tail
        {{0, 0.14, -0.68}, 0.05, {0, 0.32, -0.82}, 0.045, false},
        {{0, 0.32, -0.82}, 0.045, {0, 0.55, -0.8}, 0.04, false},
        {{0, 0.55, -0.8}, 0.04, {0, 0.68, -0.68}, 0.03, false},
    };
    pli_parts_add_table(parts, PART_COUNT(body), body);
    return pli_parts_union(parts, 0.06);
}

// Head and shoulders on a round foot.
const pli_shape *pli_recipe_bust(pli_parts *parts)
{
    static const pli_part body[] = {
        {{0, -0.3, -0.02}, 0, {0.33, 0.2, 0.17}, 0, false},             // shoulders
        {{0, -0.42, 0.0}, 0, {0.22, 0.2, 0.16}, 0, false},              // chest
        {{0.2, -0.27, -0.02}, 0.12, {0.32, -0.36, 0}, 0.1, true},       // upper arms
        {{0, -0.2, -0.03}, 0.11, {0, 0.08, 0}, 0.1, false},             // neck
        {{0, 0.3, 0.0}, 0, {0.17, 0.23, 0.2}, 0, false},                // skull
        {{0, 0.18, 0.08}, 0, {0.13, 0.16, 0.13}, 0, false},             // jaw
        {{0, 0.06, 0.15}, 0, {0.05, 0.04, 0.05}, 0, false},             // chin
        {{0, 0.3, 0.19}, 0.02, {0, 0.21, 0.235}, 0.033, false},         // nose
        {{0.03, 0.345, 0.175}, 0.025, {0.1, 0.345, 0.145}, 0.02, true}, // brow
        {{0.165, 0.24, -0.01}, 0.03, {0.175, 0.3, -0.03}, 0.035, true}, // ear
    };
    pli_parts_add_table(parts, PART_COUNT(body), body);
    const pli_shape *figure = pli_parts_union(parts, 0.05);

    pli_parts_add(parts, parts->status, figure);
    static const double levels[3] = {-0.78, -0.68, -0.45};
    static const double radii[2] = {0.2, 0.1};
    for (int i = 0; i < 2 && parts->status == PLI_OK; ++i) {
        double start[3] = {0, levels[i], 0};
        double end[3] = {0, levels[i + 1], 0};
        const pli_shape *foot = NULL;
        pli_status status = pli_shape_cylinder(parts->set, start, end, radii[i], &foot);
        pli_parts_add(parts, status, foot);
    }
    return pli_parts_union(parts, 0.03);
}

// A wading bird on long legs.
const pli_shape *pli_recipe_bird(pli_parts *parts)
{
    static const pli_part body[] = {
        {{0, 0.05, -0.02}, 0, {0.14, 0.14, 0.27}, 0, false},        // trunk
        {{0, 0.02, -0.22}, 0.1, {0, -0.02, -0.44}, 0.035, false},   // tail
        {{0.12, 0.06, -0.02}, 0, {0.04, 0.1, 0.24}, 0, true},       // wing
        {{0.13, 0.04, -0.2}, 0.04, {0.07, 0.0, -0.4}, 0.025, true}, // wing tip
        {{0, 0.1, 0.2}, 0.085, {0, 0.26, 0.33}, 0.06, false},       // neck
        {{0, 0.26, 0.33}, 0.06, {0, 0.45, 0.29}, 0.045, false},
        {{0, 0.45, 0.29}, 0.045, {0, 0.6, 0.33}, 0.045, false},
        {{0, 0.64, 0.36}, 0, {0.07, 0.07, 0.085}, 0, false},         // head
        {{0, 0.63, 0.4}, 0.042, {0, 0.57, 0.72}, 0.012, false},      // beak
        {{0.07, -0.02, 0}, 0.06, {0.085, -0.18, 0.02}, 0.033, true}, // leg
        {{0.085, -0.18, 0.02}, 0.033, {0.085, -0.45, -0.03}, 0.028, true},
        {{0.085, -0.45, -0.03}, 0.032, {0.085, -0.74, 0.02}, 0.028, true},
        {{0.085, -0.75, 0.01}, 0.03, {0.085, -0.76, 0.16}, 0.02, true}, // toes
        {{0.085, -0.75, 0.01}, 0.03, {0.165, -0.76, 0.11}, 0.02, true},
        {{0.085, -0.75, 0.01}, 0.03, {0.025, -0.76, 0.12}, 0.02, true},
        {{0.085, -0.75, 0.01}, 0.03, {0.085, -0.76, -0.07}, 0.02, true},
    };
    pli_parts_add_table(parts, PART_COUNT(body), body);
    return pli_parts_union(parts, 0.03);
}

// Ready for the oven: legs in the air, wings folded.
const pli_shape *pli_recipe_turkey(pli_parts *parts)
{
    static const pli_part body[] = {
        {{0, 0.0, -0.05}, 0, {0.4, 0.3, 0.52}, 0, false},           // trunk
        {{0.12, 0.13, -0.12}, 0, {0.24, 0.22, 0.4}, 0, true},       // breast
        {{0.33, -0.02, 0.22}, 0.18, {0.3, 0.12, 0.52}, 0.12, true}, // thigh
        {{0.3, 0.12, 0.52}, 0.12, {0.2, 0.2, 0.76}, 0.055, true},   // drumstick
        {{0.2, 0.2, 0.76}, 0.055, {0.17, 0.22, 0.86}, 0.05, true},  // bone
        {{0.15, 0.24, 0.88}, 0, {0.045, 0.045, 0.04}, 0, true},     // knuckles
        {{0.19, 0.21, 0.9}, 0, {0.045, 0.045, 0.04}, 0, true},
        {{0.36, 0.05, -0.35}, 0.11, {0.5, -0.02, -0.08}, 0.075, true}, // wing
        {{0.5, -0.02, -0.08}, 0.075, {0.46, -0.1, -0.34}, 0.05, true},
        {{0, 0.05, -0.5}, 0.13, {0, 0.08, -0.64}, 0.1, false}, // neck
        {{0, -0.02, 0.42}, 0.1, {0, 0.04, 0.58}, 0.05, false}, // tail
    };
    pli_parts_add_table(parts, PART_COUNT(body), body);
    return pli_parts_union(parts, 0.07);
}

const pli_shape *pli_recipe_eared_sphere(pli_parts *parts)
{
    static const pli_part body[] = {
        {{0, 0, 0}, 0, {0.5, 0.5, 0.5}, 0, false},
        {{0.18, 0.4, 0}, 0.1, {0.3, 0.95, -0.05}, 0.1, true},
    };
    pli_parts_add_table(parts, PART_COUNT(body), body);
    return pli_parts_union(parts, 0.08);
}

// ---- swept bodies

// A row of limbs along a Catmull-Rom spline through knots {x, y, z, radius}.
static void add_sweep(pli_parts *parts, int32_t knot_count, const double (*knots)[4],
                      int32_t pieces)
{
    double last[4] = {knots[0][0], knots[0][1], knots[0][2], knots[0][3]};
    for (int32_t s = 1; s <= (knot_count - 1) * pieces; ++s) {
        int32_t k = (s - 1) / pieces;
        double t = (double)(s - k * pieces) / pieces;
        const double *p[4] = {knots[k > 0 ? k - 1 : 0], knots[k], knots[k + 1],
                              knots[k + 2 < knot_count ? k + 2 : knot_count - 1]};
        double w[4] = {0.5 * t * (t * (2 - t) - 1), 0.5 * (t * t * (3 * t - 5) + 2),
                       0.5 * t * (t * (4 - 3 * t) + 1), 0.5 * t * t * (t - 1)};
        double next[4];
        for (int i = 0; i < 4; ++i) {
            next[i] = w[0] * p[0][i] + w[1] * p[1][i] + w[2] * p[2][i] + w[3] * p[3][i];
        }
        pli_parts_add_limb(parts, last, last[3], next, next[3]);
        for (int i = 0; i < 4; ++i) last[i] = next[i];
    }
}

// A long winding body on four legs, with horns and a row of spikes.
const pli_shape *pli_recipe_dragon(pli_parts *parts)
{
    static const double spine[][4] = {
        {0.02, 0.5, 0.78, 0.085},   {0.0, 0.48, 0.62, 0.085},    {-0.05, 0.28, 0.5, 0.1},
        {-0.08, 0.12, 0.32, 0.14},  {0.02, 0.1, 0.08, 0.155},    {0.12, 0.1, -0.16, 0.14},
        {0.08, 0.06, -0.38, 0.11},  {-0.1, -0.03, -0.54, 0.085}, {-0.3, -0.1, -0.5, 0.065},
        {-0.42, -0.13, -0.3, 0.05}, {-0.36, -0.1, -0.1, 0.038},  {-0.27, 0.02, -0.02, 0.02},
    };
    static const pli_part body[] = {
        {{0.02, 0.53, 0.84}, 0, {0.12, 0.1, 0.14}, 0, false},         // skull
        {{0.02, 0.52, 0.92}, 0.075, {0.03, 0.5, 1.1}, 0.055, false},  // upper jaw
        {{0.02, 0.46, 0.88}, 0.05, {0.03, 0.39, 1.04}, 0.032, false}, // lower jaw
        {{0.08, 0.6, 0.78}, 0.035, {0.14, 0.7, 0.6}, 0.014, false},   // horns
        {{-0.04, 0.6, 0.78}, 0.035, {-0.1, 0.7, 0.6}, 0.014, false},
        {{0.03, 0.55, 1.1}, 0.03, {0.03, 0.57, 1.1}, 0.03, false},  // nose
        {{0.02, 0.08, 0.3}, 0.09, {0.14, -0.1, 0.38}, 0.06, false}, // fore legs
        {{0.14, -0.1, 0.38}, 0.06, {0.17, -0.3, 0.32}, 0.05, false},
        {{0.17, -0.32, 0.32}, 0.05, {0.19, -0.33, 0.44}, 0.035, false},
        {{-0.16, 0.08, 0.3}, 0.09, {-0.28, -0.1, 0.34}, 0.06, false},
        {{-0.28, -0.1, 0.34}, 0.06, {-0.3, -0.3, 0.28}, 0.05, false},
        {{-0.3, -0.32, 0.28}, 0.05, {-0.33, -0.33, 0.4}, 0.035, false},
        {{0.18, 0.05, -0.16}, 0.11, {0.32, -0.1, -0.08}, 0.075, false}, // hind legs
        {{0.32, -0.1, -0.08}, 0.075, {0.33, -0.3, -0.18}, 0.05, false},
        {{0.33, -0.32, -0.18}, 0.05, {0.36, -0.33, -0.05}, 0.035, false},
        {{0.0, 0.05, -0.2}, 0.11, {-0.1, -0.1, -0.16}, 0.075, false},
        {{-0.1, -0.1, -0.16}, 0.075, {-0.11, -0.3, -0.24}, 0.05, false},
        {{-0.11, -0.32, -0.24}, 0.05, {-0.12, -0.33, -0.11}, 0.035, false},
    };
    add_sweep(parts, PART_COUNT(spine), spine, 3);
    pli_parts_add_table(parts, PART_COUNT(body), body);

    // spikes over the knots of the spine
    for (int32_t k = 1; k < PART_COUNT(spine) - 1; ++k) {
        const double *knot = spine[k];
        double tip[3] = {knot[0], knot[1] + 1.75 * knot[3] + 0.02, knot[2] - 0.35 * knot[3]};
        pli_parts_add_limb(parts, knot, 0.6 * knot[3], tip, 0.013);
    }
    return pli_parts_union(parts, 0.035);
}

// A sack with eyes over eight arms that curl up at their ends.
const pli_shape *pli_recipe_octopus(pli_parts *parts)
{
    static const pli_part body[] = {
        {{0, 0.42, -0.06}, 0, {0.27, 0.33, 0.27}, 0, false},
        {{0, 0.1, 0}, 0, {0.21, 0.17, 0.21}, 0, false},
        {{0.15, 0.22, 0.17}, 0, {0.06, 0.065, 0.06}, 0, true},
    };
    pli_parts_add_table(parts, PART_COUNT(body), body);
    const double pi = 3.14159265358979323846;
    for (int arm = 0; arm < 8; ++arm) {
        // alternate arms bend to alternate sides
        double angle = 2 * pi * (arm + 0.5) / 8;
        double bend = arm % 2 == 0 ? 0.35 : -0.35;
        static const double reach[6] = {0.1, 0.3, 0.52, 0.74, 0.92, 0.96};
        static const double height[6] = {0.05, -0.06, -0.16, -0.17, -0.08, 0.06};
        static const double radius[6] = {0.11, 0.095, 0.078, 0.06, 0.044, 0.028};
        double knots[6][4];
        for (int i = 0; i < 6; ++i) {
            double turned = angle + bend * reach[i] * reach[i];
            knots[i][0] = reach[i] * sin(turned);
            knots[i][1] = height[i];
            knots[i][2] = reach[i] * cos(turned);
            knots[i][3] = radius[i];
        }
        add_sweep(parts, 6, (const double(*)[4])knots, 2);
    }
    return pli_parts_union(parts, 0.06);
}
