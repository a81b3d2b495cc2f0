// SPDX-License-Identifier: Apache-2.0
#include "geometry/generate/arch.h"

#include "geometry/generate/grid_mesh.h"

enum { INNER, OUTER };

// the steepest arch: beyond it the numbers of the catenary leave the range of doubles
static const double steepest = 100;

// A cut across the arch.
typedef struct joint {
    double corners[2][2]; // inner and outer (m)
    double along[2];      // unit normal of the cut, in the direction of the blocks
    double clearance;     // from the cut to the block on either side (m)
} joint;

// u > 0 with cosh u - 1 = q u. The left side is convex and above the right one at u = 2 q, so that
// Newton's method comes down to the root without passing it.
static double solve_shape(double q)
{
    double u = 2 * q;
    for (double step = u; step > 1e-14 * u;) {
        double half = sinh(0.5 * u);
        step = (2 * half * half - q * u) / (sinh(u) - q);
        u -= step;
    }
    return u;
}

// The cut at a length s of the middle line from the crown; a is the parameter of the catenary.
static joint cut_across(const pli_arch_plan *plan, double a, double s)
{
    double slope = s / a;
    double stretch = sqrt(1 + slope * slope);
    double middle[2] = {a * asinh(slope), plan->rise + a * (1 - stretch)};
    joint cut = {.along = {1 / stretch, -slope / stretch}, .clearance = 0.5 * plan->gap};
    for (int side = INNER; side <= OUTER; ++side) {
        double reach = (side == OUTER ? 0.5 : -0.5) * plan->thickness;
        cut.corners[side][0] = middle[0] - reach * cut.along[1];
        cut.corners[side][1] = middle[1] + reach * cut.along[0];
    }
    return cut;
}

// Makes the cut at an end of the line level: its corners slide along the line's end to the ground.
static void level(const pli_arch_plan *plan, joint *cut)
{
    for (int side = INNER; side <= OUTER; ++side) {
        double *corner = cut->corners[side];
        corner[0] -= corner[1] / cut->along[1] * cut->along[0];
        corner[1] = 0;
    }
    cut->along[0] = 0;
    cut->along[1] = cut->along[1] > 0 ? 1 : -1;
    cut->clearance = plan->gap;
}

// Cut number `index` of blocks + 1.
static joint find_joint(const pli_arch_plan *plan, int32_t index)
{
    double u = solve_shape(2 * plan->rise / plan->span);
    double a = 0.5 * plan->span / u;
    double s = a * sinh(u) * (2.0 * index / plan->blocks - 1);
    joint cut = cut_across(plan, a, s);
    if (index == 0 || index == plan->blocks) level(plan, &cut);
    return cut;
}

// The share of a side from one cut towards the other that keeps the clearance; more than 1 where
// the side does not lead away from the cut.
static double clear_share(const joint *cut, const double side[2])
{
    double away = side[0] * cut->along[0] + side[1] * cut->along[1];
    return away > 0 ? cut->clearance / away : 2;
}

// One side of the block between two cuts, from `start` to `end`; false when nothing is left of it.
static bool trim_side(const joint *before, const joint *after, int side, double start[2],
                      double end[2])
{
    const double *a = before->corners[side];
    const double *b = after->corners[side];
    const double forwards[2] = {b[0] - a[0], b[1] - a[1]};
    double from = clear_share(before, forwards);
    double to = 1 - clear_share(after, forwards);
    for (int k = 0; k < 2; ++k) {
        start[k] = a[k] + from * forwards[k];
        end[k] = a[k] + to * forwards[k];
    }
    return from < to;
}

static pli_status check_numbers(pli_context *context, const pli_arch_plan *plan)
{
    const double lengths[4] = {plan->span, plan->rise, plan->thickness, plan->depth};
    static const char *const names[4] = {"span", "rise", "thickness", "depth"};
    for (int k = 0; k < 4; ++k) {
        if (lengths[k] > 0 && isfinite(lengths[k])) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%s of an arch is %g, must be positive",
                        names[k], lengths[k]);
    }
    if (!(plan->gap >= 0) || plan->blocks < 1) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "an arch has a gap of at least 0 and at least one block, not %g and %d",
                        plan->gap, (int)plan->blocks);
    }
    if (plan->rise > steepest * plan->span) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "an arch rises at most %g times its span; here it is %g times", steepest,
                        plan->rise / plan->span);
    }
    return PLI_OK;
}

pli_status pli_arch_block_corners(pli_context *context, const pli_arch_plan *plan, int32_t block,
                                  double corners[4][2])
{
    PLI_TRY(check_numbers(context, plan));
    joint before = find_joint(plan, block);
    joint after = find_joint(plan, block + 1);
    if (trim_side(&before, &after, INNER, corners[0], corners[3]) &&
        trim_side(&before, &after, OUTER, corners[1], corners[2])) {
        return PLI_OK;
    }
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "nothing is left of block %d of the arch: with %d blocks, a thickness of %g "
                    "and a gap of %g are too much; use fewer blocks, or less of both",
                    (int)block + 1, (int)plan->blocks, plan->thickness, plan->gap);
}

pli_status pli_arch_check(pli_context *context, const pli_arch_plan *plan)
{
    double corners[4][2];
    for (int32_t block = 0; block < plan->blocks; ++block) {
        PLI_TRY(pli_arch_block_corners(context, plan, block, corners));
    }
    return check_numbers(context, plan);
}

// (along, across, z), each from 0 to 1, to the block: bilinear in the plane.
static void map_point(double corners[4][2], double depth, double point[3])
{
    double s = point[0];
    double t = point[1];
    double mapped[2];
    for (int k = 0; k < 2; ++k) {
        double before = (1 - t) * corners[0][k] + t * corners[1][k];
        double after = (1 - t) * corners[3][k] + t * corners[2][k];
        mapped[k] = (1 - s) * before + s * after;
    }
    pli_vec3_set(mapped[0], mapped[1], (point[2] - 0.5) * depth, point);
}

pli_status pli_arch_block_create(pli_context *context, const pli_arch_plan *plan, int32_t block,
                                 pli_tet_mesh **mesh)
{
    *mesh = NULL;
    double corners[4][2];
    PLI_TRY(pli_arch_block_corners(context, plan, block, corners));
    pli_grid_mesh_def grid = {.bounds = {{0, 0, 0}, {1, 1, 1}},
                              .cells = {plan->cells[0], plan->cells[1], plan->cells[2]},
                              .split = PLI_GRID_MESH_SIX};
    PLI_TRY(pli_grid_mesh_create(context, &grid, mesh));
    for (int64_t k = 0; k < (*mesh)->vertex_count; ++k) {
        map_point(corners, plan->depth, (*mesh)->points + 3 * k);
    }
    return PLI_OK;
}
