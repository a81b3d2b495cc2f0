// SPDX-License-Identifier: Apache-2.0
//
// Figures: animals and people from eggs and limbs.
#include "geometry/generate/recipe_build.h"

static const double degree = 0.017453292519943295;

#define LIMB(ax, ay, az, bx, by, bz, ra, rb, mirrored)                   \
    {                                                                    \
        PLI_PART_LIMB, {ax, ay, az}, {bx, by, bz}, {ra, rb, 0}, mirrored \
    }
#define EGG(x, y, z, rx, ry, rz, mirrored)                         \
    {                                                              \
        PLI_PART_EGG, {x, y, z}, {0, 0, 0}, {rx, ry, rz}, mirrored \
    }
#define TURNED_EGG(x, y, z, tx, ty, tz, rx, ry, rz, mirrored)         \
    {                                                                 \
        PLI_PART_EGG, {x, y, z}, {tx, ty, tz}, {rx, ry, rz}, mirrored \
    }

// Cuts off what lies below a height.
static void cut_below(pli_sculpt *sculpt, int32_t mark, double height, double smooth)
{
    const double point[3] = {0, height, 0}, down[3] = {0, -1, 0};
    pli_sculpt_plane(sculpt, point, down);
    pli_sculpt_common(sculpt, mark, smooth);
}

void pli_recipe_creature(pli_sculpt *sculpt)
{
    static const pli_part body[] = {
        EGG(0, 0.92, 0.06, 0.34, 0.42, 0.31, false),                      // belly
        EGG(0, 1.00, -0.13, 0.39, 0.46, 0.31, false),                     // back
        EGG(0, 1.18, 0.02, 0.33, 0.26, 0.26, false),                      // chest
        LIMB(0, 1.30, 0.02, 0, 1.55, 0.10, 0.21, 0.17, false),            // neck
        EGG(0, 1.68, 0.14, 0.23, 0.20, 0.24, false),                      // head
        LIMB(0, 1.63, 0.28, 0, 1.57, 0.54, 0.14, 0.075, false),           // snout
        LIMB(0.11, 1.79, 0.08, 0.19, 1.90, 0.04, 0.085, 0.075, true),     // root of an ear
        TURNED_EGG(0.25, 2.06, 0.02, 0, 0, -20, 0.105, 0.23, 0.06, true), // ear
        LIMB(0.28, 1.26, 0.02, 0.56, 1.10, 0.08, 0.14, 0.105, true),      // upper arm
        LIMB(0.56, 1.10, 0.08, 0.70, 1.32, 0.32, 0.105, 0.085, true),     // lower arm
        LIMB(0.20, 0.64, 0.02, 0.33, 0.38, 0.14, 0.21, 0.15, true),       // thigh
        LIMB(0.33, 0.38, 0.14, 0.32, 0.13, 0.00, 0.15, 0.11, true),       // shank
        TURNED_EGG(0.34, 0.085, 0.11, 0, 12, 0, 0.13, 0.085, 0.22, true), // foot
    };
    static const pli_part details[] = {
        LIMB(0.70, 1.34, 0.34, 0.66, 1.52, 0.40, 0.055, 0.04, true), // fingers
        LIMB(0.71, 1.34, 0.35, 0.77, 1.50, 0.42, 0.055, 0.04, true),
        LIMB(0.72, 1.33, 0.34, 0.86, 1.43, 0.38, 0.055, 0.04, true),
        LIMB(0.30, 0.06, 0.26, 0.28, 0.045, 0.37, 0.06, 0.045, true), // toes
        LIMB(0.36, 0.06, 0.27, 0.38, 0.045, 0.39, 0.06, 0.045, true),
        LIMB(0.42, 0.06, 0.24, 0.47, 0.045, 0.34, 0.06, 0.045, true),
        EGG(0, 1.59, 0.60, 0.055, 0.045, 0.04, false),    // nose
        EGG(0.115, 1.755, 0.315, 0.05, 0.05, 0.05, true), // eye
    };
    // plates of the shell, from the shoulders down the back
    static const pli_part shell[] = {
        TURNED_EGG(0, 1.33, -0.13, 30, 0, 0, 0.30, 0.075, 0.27, false),
        TURNED_EGG(0, 1.20, -0.15, 18, 0, 0, 0.38, 0.075, 0.32, false),
        TURNED_EGG(0, 1.06, -0.15, 6, 0, 0, 0.415, 0.075, 0.34, false),
        TURNED_EGG(0, 0.92, -0.15, -6, 0, 0, 0.415, 0.075, 0.34, false),
        TURNED_EGG(0, 0.78, -0.15, -18, 0, 0, 0.38, 0.075, 0.32, false),
        TURNED_EGG(0, 0.65, -0.15, -32, 0, 0, 0.30, 0.075, 0.27, false),
    };
    static const double tail[6][4] = {{0, 0.72, -0.20, 0.22},     {0, 0.48, -0.46, 0.165},
                                      {0.02, 0.27, -0.72, 0.125}, {0.10, 0.13, -0.96, 0.095},
                                      {0.26, 0.09, -1.13, 0.07},  {0.44, 0.12, -1.20, 0.045}};
    int32_t mark = sculpt->count;
    pli_sculpt_parts(sculpt, PLI_LENGTH(body), body);
    pli_sculpt_sweep(sculpt, 6, &tail[0][0], 3);
    pli_sculpt_blend(sculpt, mark, 0.09);
    pli_sculpt_parts(sculpt, PLI_LENGTH(shell), shell);
    pli_sculpt_blend(sculpt, mark, 0.05);
    pli_sculpt_parts(sculpt, PLI_LENGTH(details), details);
    pli_sculpt_blend(sculpt, mark, 0.03);
}

void pli_recipe_cat(pli_sculpt *sculpt)
{
    static const pli_part body[] = {
        LIMB(0, 0.63, -0.34, 0, 0.66, 0.34, 0.195, 0.185, false),     // trunk
        EGG(0, 0.56, 0.02, 0.17, 0.18, 0.30, false),                  // belly
        EGG(0, 0.60, 0.38, 0.18, 0.22, 0.17, false),                  // chest
        LIMB(0, 0.74, 0.42, 0, 0.96, 0.54, 0.14, 0.13, false),        // neck
        EGG(0, 1.06, 0.60, 0.215, 0.185, 0.19, false),                // head
        EGG(0.09, 1.00, 0.71, 0.10, 0.085, 0.09, true),               // cheek
        LIMB(0.11, 0.58, 0.40, 0.125, 0.30, 0.42, 0.10, 0.075, true), // front leg
        LIMB(0.125, 0.30, 0.42, 0.125, 0.08, 0.42, 0.075, 0.07, true),
        EGG(0.125, 0.065, 0.47, 0.08, 0.065, 0.115, true),                // front paw
        TURNED_EGG(0.12, 0.52, -0.36, -15, 0, 0, 0.12, 0.22, 0.18, true), // thigh
        LIMB(0.15, 0.38, -0.30, 0.15, 0.24, -0.48, 0.10, 0.075, true),    // hind leg
        LIMB(0.15, 0.24, -0.48, 0.15, 0.08, -0.42, 0.075, 0.07, true),
        EGG(0.15, 0.065, -0.36, 0.08, 0.065, 0.125, true), // hind paw
    };
    static const pli_part details[] = {
        LIMB(0.115, 1.16, 0.58, 0.165, 1.36, 0.55, 0.095, 0.03, true), // ear
        EGG(0, 1.035, 0.80, 0.035, 0.028, 0.03, false),                // nose
        EGG(0.085, 1.115, 0.755, 0.04, 0.045, 0.03, true),             // eye
    };
    static const double tail[6][4] = {{0, 0.70, -0.46, 0.085},    {0, 0.80, -0.66, 0.08},
                                      {0.02, 0.98, -0.82, 0.075}, {0.05, 1.20, -0.84, 0.07},
                                      {0.05, 1.36, -0.74, 0.065}, {0.03, 1.40, -0.60, 0.055}};
    int32_t mark = sculpt->count;
    pli_sculpt_parts(sculpt, PLI_LENGTH(body), body);
    pli_sculpt_sweep(sculpt, 6, &tail[0][0], 3);
    pli_sculpt_blend(sculpt, mark, 0.08);
    pli_sculpt_parts(sculpt, PLI_LENGTH(details), details);
    pli_sculpt_blend(sculpt, mark, 0.025);
}

void pli_recipe_lucky_cat(pli_sculpt *sculpt)
{
    static const pli_part body[] = {
        EGG(0, 0.33, -0.06, 0.36, 0.36, 0.32, false),                // trunk
        EGG(0, 0.45, 0.05, 0.27, 0.24, 0.24, false),                 // chest
        EGG(0.25, 0.19, 0.10, 0.19, 0.17, 0.24, true),               // thigh
        EGG(0.20, 0.08, 0.30, 0.11, 0.08, 0.12, true),               // hind paw
        EGG(0, 0.71, 0.05, 0.34, 0.235, 0.26, false),                // head
        EGG(0.13, 0.64, 0.20, 0.13, 0.10, 0.11, true),               // cheek
        LIMB(0.28, 0.44, 0.08, 0.43, 0.60, 0.12, 0.11, 0.09, false), // arm that beckons
        LIMB(0.43, 0.60, 0.12, 0.43, 0.86, 0.14, 0.09, 0.08, false),
        EGG(0.43, 0.91, 0.15, 0.09, 0.095, 0.09, false),
        LIMB(-0.27, 0.46, 0.10, -0.18, 0.30, 0.30, 0.11, 0.085, false), // arm that hangs down
        EGG(-0.14, 0.28, 0.33, 0.09, 0.08, 0.075, false),
    };
    static const pli_part details[] = {
        LIMB(0.20, 0.86, 0.03, 0.25, 0.98, 0.01, 0.10, 0.035, true), // ear
        EGG(0, 0.69, 0.31, 0.035, 0.025, 0.03, false),               // nose
        EGG(0.12, 0.745, 0.275, 0.045, 0.05, 0.03, true),            // eye
        EGG(0, 0.50, 0.28, 0.055, 0.055, 0.045, false),              // bell
    };
    static const double tail[4][4] = {{-0.12, 0.11, -0.30, 0.075},
                                      {-0.34, 0.09, -0.27, 0.07},
                                      {-0.445, 0.11, -0.12, 0.065},
                                      {-0.44, 0.19, 0.00, 0.055}};
    int32_t mark = sculpt->count;
    pli_sculpt_parts(sculpt, PLI_LENGTH(body), body);
    pli_sculpt_sweep(sculpt, 4, &tail[0][0], 3);
    pli_sculpt_blend(sculpt, mark, 0.06);
    pli_sculpt_parts(sculpt, PLI_LENGTH(details), details);
    pli_sculpt_blend(sculpt, mark, 0.02);
    // sits flat
    cut_below(sculpt, mark, 0, 0.04);
}

void pli_recipe_bust(pli_sculpt *sculpt)
{
    static const pli_part body[] = {
        EGG(0, 0.18, -0.02, 0.66, 0.27, 0.29, false),           // shoulders
        EGG(0, 0.06, 0.06, 0.44, 0.34, 0.30, false),            // chest
        LIMB(0, 0.34, -0.02, 0, 0.68, 0.02, 0.21, 0.17, false), // neck
        EGG(0, 1.03, 0.00, 0.25, 0.29, 0.31, false),            // skull
        EGG(0, 0.88, 0.11, 0.19, 0.24, 0.20, false),            // face
        EGG(0, 0.71, 0.18, 0.10, 0.075, 0.095, false),          // chin
    };
    static const pli_part details[] = {
        LIMB(0, 1.00, 0.29, 0, 0.895, 0.35, 0.03, 0.045, false),          // nose
        LIMB(0.05, 1.06, 0.275, 0.14, 1.05, 0.235, 0.03, 0.025, true),    // brow
        TURNED_EGG(0.245, 0.94, 0.00, 0, 20, 0, 0.035, 0.09, 0.06, true), // ear
        LIMB(0, 0.785, 0.275, 0.05, 0.79, 0.26, 0.03, 0.02, true),        // mouth
    };
    static const double plinth[7][2] = {{0, -0.36},    {0.38, -0.36}, {0.36, -0.29}, {0.24, -0.20},
                                        {0.22, -0.04}, {0.26, 0.10},  {0, 0.10}};
    const pli_shape *shape = NULL;
    int32_t mark = sculpt->count;
    pli_sculpt_parts(sculpt, PLI_LENGTH(body), body);
    pli_sculpt_blend(sculpt, mark, 0.14);
    pli_sculpt_parts(sculpt, PLI_LENGTH(details), details);
    pli_sculpt_blend(sculpt, mark, 0.05);
    // cut off below the shoulders and set on a turned foot
    cut_below(sculpt, mark, -0.10, 0.08);
    pli_status status = pli_shape_lathe(sculpt->set, PLI_LENGTH(plinth), &plinth[0][0], &shape);
    pli_sculpt_push(sculpt, status, shape);
    pli_sculpt_round(sculpt, 0.03);
    pli_sculpt_blend(sculpt, mark, 0.05);
}

void pli_recipe_bird(pli_sculpt *sculpt)
{
    static const pli_part body[] = {
        TURNED_EGG(0, 0, 0, -8, 0, 0, 0.23, 0.21, 0.44, false),      // trunk
        EGG(0, 0.03, 0.22, 0.20, 0.20, 0.24, false),                 // breast
        LIMB(0, 0.10, 0.36, 0, 0.20, 0.50, 0.15, 0.13, false),       // neck
        EGG(0, 0.23, 0.55, 0.15, 0.145, 0.17, false),                // head
        LIMB(0.12, 0.08, 0.14, 0.48, 0.20, 0.16, 0.11, 0.085, true), // arm
        LIMB(0.48, 0.20, 0.16, 0.92, 0.30, 0.02, 0.085, 0.06, true),
        TURNED_EGG(0.42, 0.13, -0.02, 0, 6, 15, 0.38, 0.065, 0.24, true),    // inner feathers
        TURNED_EGG(0.78, 0.24, -0.08, 0, 24, 12, 0.34, 0.06, 0.17, true),    // outer feathers
        TURNED_EGG(0.07, -0.01, -0.56, -4, -12, 0, 0.10, 0.055, 0.30, true), // tail
    };
    static const pli_part details[] = {
        LIMB(0, 0.22, 0.68, 0, 0.18, 0.84, 0.06, 0.022, false),         // beak
        EGG(0.095, 0.275, 0.63, 0.04, 0.04, 0.04, true),                // eye
        LIMB(0.08, -0.17, -0.06, 0.09, -0.25, -0.18, 0.05, 0.04, true), // leg
        LIMB(0.09, -0.25, -0.18, 0.09, -0.27, -0.30, 0.04, 0.03, true),
    };
    int32_t mark = sculpt->count;
    pli_sculpt_parts(sculpt, PLI_LENGTH(body), body);
    pli_sculpt_blend(sculpt, mark, 0.10);
    pli_sculpt_parts(sculpt, PLI_LENGTH(details), details);
    pli_sculpt_blend(sculpt, mark, 0.03);
}

void pli_recipe_turkey(pli_sculpt *sculpt)
{
    static const pli_part body[] = {
        EGG(0, 0.44, -0.06, 0.56, 0.45, 0.66, false),                  // trunk
        EGG(0.19, 0.62, -0.16, 0.34, 0.355, 0.50, true),               // breast
        LIMB(0.45, 0.44, 0.22, 0.42, 0.52, 0.58, 0.28, 0.21, true),    // thigh
        LIMB(0.42, 0.52, 0.58, 0.32, 0.65, 0.88, 0.19, 0.09, true),    // drumstick
        LIMB(0.52, 0.58, -0.34, 0.66, 0.43, -0.02, 0.15, 0.125, true), // wing
        LIMB(0.66, 0.43, -0.02, 0.65, 0.29, -0.28, 0.12, 0.08, true),
        EGG(0, 0.50, -0.70, 0.19, 0.17, 0.14, false), // neck
    };
    static const pli_part details[] = {
        LIMB(0.32, 0.65, 0.88, 0.29, 0.70, 1.00, 0.06, 0.06, true), // bone
        EGG(0.315, 0.715, 1.02, 0.065, 0.065, 0.06, true),
        EGG(0.26, 0.695, 1.03, 0.065, 0.065, 0.06, true),
    };
    int32_t mark = sculpt->count;
    pli_sculpt_parts(sculpt, PLI_LENGTH(body), body);
    pli_sculpt_blend(sculpt, mark, 0.10);
    pli_sculpt_parts(sculpt, PLI_LENGTH(details), details);
    pli_sculpt_blend(sculpt, mark, 0.04);
    // lies flat on its plate
    cut_below(sculpt, mark, 0.02, 0.08);
}

// Spikes along a curve from t = low to t = high: from its surface upwards and back.
static void add_spikes(pli_sculpt *sculpt, int32_t count, const double *spine, double low,
                       double high)
{
    const double step = 0.55;
    for (double t = low; t <= high; t += step) {
        double here[4], next[4], ahead[3], base[3], tip[3];
        pli_sculpt_curve(count, spine, t, here);
        pli_sculpt_curve(count, spine, t + 0.01, next);
        pli_vec3_subtract(next, here, ahead);
        pli_vec3_normalize(ahead, ahead);
        // across the curve and as far up as that allows
        double up[3] = {0, 1, 0};
        pli_vec3_add_scaled(up, -ahead[1], ahead, up);
        pli_vec3_normalize(up, up);
        double r = 0.09 + 0.35 * here[3];
        pli_vec3_add_scaled(here, here[3] - 0.3 * r, up, base);
        pli_vec3_add_scaled(base, 1.0 * r, up, tip);
        pli_vec3_add_scaled(tip, -0.6 * r, ahead, tip);
        pli_sculpt_limb(sculpt, base, tip, 0.65 * r, 0.25 * r);
    }
}

void pli_recipe_dragon(pli_sculpt *sculpt)
{
    // from the tip of the tail in an S over the ground, up the neck to the back of the head
    static const double spine[14][4] = {
        {0.62, 0.30, -1.02, 0.065},  {0.42, 0.16, -1.16, 0.08},  {0.06, 0.13, -1.20, 0.10},
        {-0.26, 0.16, -1.04, 0.125}, {-0.40, 0.22, -0.74, 0.15}, {-0.44, 0.34, -0.40, 0.20},
        {-0.42, 0.46, -0.04, 0.25},  {-0.26, 0.52, 0.28, 0.265}, {0.04, 0.54, 0.46, 0.25},
        {0.32, 0.66, 0.44, 0.21},    {0.46, 0.90, 0.32, 0.175},  {0.44, 1.16, 0.26, 0.15},
        {0.36, 1.36, 0.36, 0.14},    {0.32, 1.42, 0.54, 0.14}};
    static const pli_part head[] = {
        TURNED_EGG(0.31, 1.45, 0.62, 14, -8, 0, 0.175, 0.145, 0.21, false), // skull
        LIMB(0.30, 1.43, 0.72, 0.24, 1.35, 1.00, 0.12, 0.085, false),       // upper jaw
        LIMB(0.30, 1.33, 0.64, 0.24, 1.19, 0.90, 0.085, 0.055, false),      // lower jaw
        EGG(0.29, 1.43, 1.00, 0.042, 0.042, 0.05, false),                   // nostrils
        EGG(0.19, 1.43, 0.98, 0.042, 0.042, 0.05, false),
        EGG(0.41, 1.54, 0.73, 0.055, 0.055, 0.06, false), // eyes
        EGG(0.19, 1.54, 0.70, 0.055, 0.055, 0.06, false),
    };
    static const double horns[2][4][4] = {{{0.39, 1.55, 0.56, 0.085},
                                           {0.46, 1.67, 0.44, 0.08},
                                           {0.51, 1.74, 0.30, 0.072},
                                           {0.53, 1.76, 0.17, 0.06}},
                                          {{0.24, 1.55, 0.54, 0.085},
                                           {0.20, 1.67, 0.40, 0.08},
                                           {0.19, 1.74, 0.26, 0.072},
                                           {0.21, 1.76, 0.13, 0.06}}};
    // hip or shoulder, knee, ankle, foot of the four legs
    static const double legs[4][4][4] = {{{-0.10, 0.44, 0.52, 0.16},
                                          {-0.12, 0.36, 0.78, 0.12},
                                          {-0.10, 0.13, 0.74, 0.085},
                                          {-0.06, 0.08, 0.92, 0.08}},
                                         {{0.22, 0.48, 0.36, 0.16},
                                          {0.46, 0.38, 0.26, 0.12},
                                          {0.50, 0.13, 0.24, 0.085},
                                          {0.62, 0.08, 0.38, 0.08}},
                                         {{-0.52, 0.38, -0.22, 0.18},
                                          {-0.80, 0.34, -0.10, 0.135},
                                          {-0.84, 0.13, -0.24, 0.09},
                                          {-0.90, 0.08, -0.06, 0.085}},
                                         {{-0.32, 0.36, -0.34, 0.17},
                                          {-0.08, 0.32, -0.28, 0.13},
                                          {-0.02, 0.13, -0.42, 0.09},
                                          {0.08, 0.08, -0.26, 0.085}}};
    int32_t mark = sculpt->count;
    pli_sculpt_sweep(sculpt, 14, &spine[0][0], 3);
    pli_sculpt_blend(sculpt, mark, 0.02);
    int32_t parts = sculpt->count;
    for (int leg = 0; leg < 4; ++leg) pli_sculpt_sweep(sculpt, 4, &legs[leg][0][0], 2);
    pli_sculpt_parts(sculpt, PLI_LENGTH(head), head);
    pli_sculpt_blend(sculpt, parts, 0.05);
    pli_sculpt_blend(sculpt, mark, 0.08);
    for (int horn = 0; horn < 2; ++horn) pli_sculpt_sweep(sculpt, 4, &horns[horn][0][0], 2);
    add_spikes(sculpt, 14, &spine[0][0], 1.2, 12.4);
    pli_sculpt_blend(sculpt, mark, 0.025);
}

void pli_recipe_octopus(pli_sculpt *sculpt)
{
    static const pli_part body[] = {
        EGG(0, 0.86, -0.10, 0.46, 0.52, 0.46, false),  // mantle
        EGG(0, 0.46, 0.04, 0.38, 0.30, 0.38, false),   // head
        EGG(0.22, 0.58, 0.36, 0.11, 0.11, 0.10, true), // eyes
    };
    int32_t mark = sculpt->count;
    pli_sculpt_parts(sculpt, PLI_LENGTH(body), body);
    for (int arm = 0; arm < 8; ++arm) {
        // arms leave the head downwards, run out over the ground and curl up sideways
        static const double outline[6][4] = {{0.16, 0.38, 0, 0.21},    {0.48, 0.22, 0, 0.18},
                                             {0.80, 0.15, 0.06, 0.15}, {1.08, 0.14, 0.20, 0.13},
                                             {1.24, 0.21, 0.40, 0.11}, {1.22, 0.34, 0.54, 0.09}};
        double angle = degree * (22.5 + 45 * arm);
        double points[6][4];
        for (int i = 0; i < 6; ++i) {
            double out = outline[i][0];
            double side = outline[i][2];
            points[i][0] = out * cos(angle) - side * sin(angle);
            points[i][1] = outline[i][1];
            points[i][2] = out * sin(angle) + side * cos(angle);
            points[i][3] = outline[i][3];
        }
        pli_sculpt_sweep(sculpt, 6, &points[0][0], 3);
    }
    pli_sculpt_blend(sculpt, mark, 0.07);
}

void pli_recipe_bunny(pli_sculpt *sculpt)
{
    static const pli_part body[] = {
        EGG(0, 0, 0, 0.60, 0.60, 0.60, false),                         // the sphere
        LIMB(0.18, 0.48, -0.02, 0.28, 1.20, -0.10, 0.15, 0.115, true), // ear
        EGG(0, -0.34, -0.55, 0.16, 0.16, 0.16, false),                 // tail
        EGG(0.30, -0.50, 0.32, 0.17, 0.12, 0.26, true),                // foot
    };
    static const pli_part details[] = {
        EGG(0.20, 0.20, 0.535, 0.07, 0.08, 0.05, true),  // eye
        EGG(0, 0.06, 0.60, 0.06, 0.045, 0.05, false),    // nose
        EGG(0.10, -0.03, 0.565, 0.12, 0.09, 0.08, true), // cheek
    };
    int32_t mark = sculpt->count;
    pli_sculpt_parts(sculpt, PLI_LENGTH(body), body);
    pli_sculpt_blend(sculpt, mark, 0.10);
    pli_sculpt_parts(sculpt, PLI_LENGTH(details), details);
    pli_sculpt_blend(sculpt, mark, 0.03);
}
