// SPDX-License-Identifier: Apache-2.0
#include "mpm/grid/grid_contact.h"

#include "math/mat3.h"

#include <math.h>

typedef enum block_part { BLOCK_NONE, BLOCK_SOME, BLOCK_ALL } block_part;

void pli_grid_row_position(const pli_grid_colliders *set, const int32_t at[3], int32_t row,
                           double x[3])
{
    x[0] = set->origin[0] + set->dx * (PLI_BLOCK_X * at[0] + row / PLI_BLOCK_Y);
    x[1] = set->origin[1] + set->dx * (PLI_BLOCK_Y * at[1] + row % PLI_BLOCK_Y);
    x[2] = set->origin[2] + set->dx * (PLI_BLOCK_Z * at[2]);
}

void pli_grid_to_shape(const pli_grid_motion *motion, const double x[3], double x0[3])
{
    double arm[3];
    for (int k = 0; k < 3; ++k) arm[k] = x[k] - motion->center[k] - motion->offset[k];
    pli_mat3_apply_transposed(motion->R, arm, x0);
    pli_vec3_add(x0, motion->center, x0);
}

static bool is_outside(const pli_bounds *box, const double x[3], double distance)
{
    for (int k = 0; k < 3; ++k) {
        if (box->min[k] - x[k] > distance || x[k] - box->max[k] > distance) return true;
    }
    return false;
}

static double largest3(const double a[3])
{
    return pli_larger(fabs(a[0]), pli_larger(fabs(a[1]), fabs(a[2])));
}

// How much of the nodes within a radius (m) of x is certain to be in a body.
static block_part part_inside(const pli_grid_colliders *set, const pli_grid_body *body,
                              const double x[3], double radius)
{
    double middle[3];
    pli_grid_to_shape(&body->def.motion, x, middle);

    // larger than what rounding could do, and than the layer outside the surface that counts
    double slack = 1e-12 * (largest3(x) + largest3(middle)) + 2 * PLI_GRID_SURFACE * set->dx;
    if (is_outside(&body->box, middle, radius + slack)) return BLOCK_NONE;

    // no value changes faster than the slope
    if (!isfinite(body->slope)) return BLOCK_SOME;
    double value = pli_shape_value(body->def.shape, middle);
    double reach = body->slope * (radius + slack) + slack + 1e-12 * fabs(value);
    if (value > reach) return BLOCK_NONE;
    return value < -reach ? BLOCK_ALL : BLOCK_SOME;
}

// The same of a page, by the middle of its nodes and their distance from there.
static block_part page_inside(const pli_grid_colliders *set, const pli_grid_body *body,
                              const int32_t at[3])
{
    const double edges[3] = {PLI_BLOCK_X - 1, PLI_BLOCK_Y - 1, PLI_BLOCK_Z - 1};
    double x[3];
    pli_grid_row_position(set, at, 0, x);
    pli_vec3_add_scaled(x, 0.5 * set->dx, edges, x);
    return part_inside(set, body, x, 0.5 * set->dx * pli_vec3_norm(edges));
}

bool pli_grid_body_may_touch(const pli_grid_colliders *set, const pli_grid_body *body,
                             const pli_grid_box *box)
{
    double x[3], half = 0.5 * box->edge;
    for (int k = 0; k < 3; ++k) x[k] = set->origin[k] + set->dx * (box->low[k] + half);
    return part_inside(set, body, x, set->dx * half * sqrt(3)) != BLOCK_NONE;
}

// The nodes of rows with any that count, as seen by the shape, [returned][8][3].
static int32_t gather_rows(const pli_grid_colliders *set, const pli_grid_motion *motion,
                           const pli_grid_view *view, double *points)
{
    // from one node to the next, R^T (0, 0, dx)
    double step[3];
    pli_vec3_scale(set->dx, motion->R + 6, step);
    int32_t count = 0;
    for (int32_t row = 0; row < PLI_PAGE_ROWS; ++row) {
        if (view->lanes[row] == 0) continue;
        double x[3], first[3];
        pli_grid_row_position(set, view->at, row, x);
        pli_grid_to_shape(motion, x, first);
        for (int32_t k = 0; k < PLI_BLOCK_Z; ++k) {
            pli_vec3_add_scaled(first, k, step, points + 3 * (PLI_BLOCK_Z * count + k));
        }
        ++count;
    }
    return count;
}

// Bits of the values that are inside.
static uint8_t lanes_inside(const double *values, double limit)
{
    uint32_t lanes = 0;
    for (int32_t k = 0; k < PLI_BLOCK_Z; ++k) lanes |= (uint32_t)(values[k] <= limit) << k;
    return (uint8_t)lanes;
}

// Outward unit normals [3][8] of the lanes of a row with nodes at points [8][3]; zero for others,
// and where there is no gradient.
static void find_normals(const pli_grid_collider *body, uint8_t lanes, const double *points,
                         float *normals)
{
    for (int32_t k = 0; k < PLI_BLOCK_Z; ++k) {
        double n[3] = {0, 0, 0};
        if (lanes >> k & 1) {
            double gradient[3];
            pli_shape_gradient(body->shape, points + 3 * k, gradient);
            pli_vec3_normalize(gradient, gradient);
            pli_mat3_apply(body->motion.R, gradient, n);
        }
        for (int c = 0; c < 3; ++c) normals[PLI_BLOCK_Z * c + k] = (float)n[c];
    }
}

// Nodes one by one.
static bool find_nodes(const pli_grid_colliders *set, const pli_grid_collider *body,
                       const pli_grid_view *view, float *normals, pli_grid_contact *contact)
{
    double points[3 * PLI_PAGE_NODES], values[PLI_PAGE_NODES];
    int32_t row_count = gather_rows(set, &body->motion, view, points);
    pli_shape_values(body->shape, (int64_t)PLI_BLOCK_Z * row_count, points, values);

    double limit = PLI_GRID_SURFACE * set->dx;
    bool has_any = false;
    int32_t next = 0;
    for (int32_t row = 0; row < PLI_PAGE_ROWS; ++row) {
        if (view->lanes[row] == 0) continue;
        int32_t node = PLI_BLOCK_Z * next++;
        uint8_t lanes = view->lanes[row] & lanes_inside(values + node, limit);
        contact->lanes[row] = lanes;
        if (lanes == 0) continue;
        has_any = true;
        if (contact->normals == NULL) continue;
        find_normals(body, lanes, points + 3 * node, normals);
        normals += PLI_ROW_NORMALS;
    }
    return has_any;
}

void pli_grid_view_init(pli_grid_view *view, const int32_t at[3], const float *nodes)
{
    *view = (pli_grid_view){.at = {at[0], at[1], at[2]}, .nodes = nodes};
}

const uint8_t *pli_grid_view_lanes(pli_grid_view *view)
{
    if (view->has_lanes) return view->lanes;
    view->has_lanes = true;
    for (int32_t row = 0; row < PLI_PAGE_ROWS; ++row) {
        uint32_t lanes = view->nodes == NULL ? 0xff : 0;
        for (int32_t k = 0; k < PLI_BLOCK_Z && view->nodes != NULL; ++k) {
            float mass = view->nodes[PLI_NODE_FLOATS * (PLI_BLOCK_Z * row + k)];
            lanes |= (uint32_t)(mass > 0) << k;
        }
        view->lanes[row] = (uint8_t)lanes;
    }
    return view->lanes;
}

bool pli_grid_contact_find(const pli_grid_colliders *set, int32_t index, pli_grid_view *view,
                           float *normals, pli_grid_contact *contact)
{
    const pli_grid_collider *body = &set->bodies[index].def;
    block_part part = page_inside(set, &set->bodies[index], view->at);
    if (part == BLOCK_NONE) return false;
    bool is_sticky = body->hold == PLI_GRID_STICKY;
    *contact = (pli_grid_contact){.body = index,
                                  .stride = is_sticky ? 0 : PLI_ROW_NORMALS,
                                  .normals = is_sticky ? NULL : normals};
    const uint8_t *wanted = pli_grid_view_lanes(view);
    if (part == BLOCK_SOME || !is_sticky) {
        return find_nodes(set, body, view, normals, contact);
    }

    // all of the block is held, and nobody asks in which direction
    uint32_t any = 0;
    for (int32_t row = 0; row < PLI_PAGE_ROWS; ++row) {
        contact->lanes[row] = wanted[row];
        any |= wanted[row];
    }
    return any != 0;
}
