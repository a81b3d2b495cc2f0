// SPDX-License-Identifier: Apache-2.0
#include "geometry/shapes/contour_cell.h"

#include "math/eigen.h"
#include "math/mat3.h"

#include <string.h>

// eigenvalues below this share of the largest belong to directions that the planes leave open
static const double truncation = 0.01;

// The edge along `axis` that touches a corner.
static int edge_at_corner(int axis, int corner)
{
    return 4 * axis + (corner >> (axis + 1) % 3 & 1) + 2 * (corner >> (axis + 2) % 3 & 1);
}

static int corner_of_face(int face, int index)
{
    int axis = face / 2;
    return (face & 1) << axis | (index & 1) << (axis + 1) % 3 | (index >> 1) << (axis + 2) % 3;
}

// The loop of one edge takes over that of another.
static void join_loops(uint8_t loop[PLI_CONTOUR_EDGES], int kept, int other)
{
    uint8_t from = loop[other];
    for (int e = 0; e < PLI_CONTOUR_EDGES; ++e) {
        if (loop[e] == from) loop[e] = loop[kept];
    }
}

// Joins the crossed edges of a face; returns how many there are.
static int follow_face(int mask, int face, uint8_t loop[PLI_CONTOUR_EDGES])
{
    int axis = face / 2;
    int b = (axis + 1) % 3;
    int c = (axis + 2) % 3;
    int crossed[4];
    int count = 0;
    for (int side = 0; side < 2; ++side) {
        int along_b = edge_at_corner(b, corner_of_face(face, side << 1));
        int along_c = edge_at_corner(c, corner_of_face(face, side));
        if (loop[along_b] != PLI_CONTOUR_NO_LOOP) crossed[count++] = along_b;
        if (loop[along_c] != PLI_CONTOUR_NO_LOOP) crossed[count++] = along_c;
    }
    if (count == 2) join_loops(loop, crossed[0], crossed[1]);
    for (int index = 0; index < 4 && count == 4; ++index) {
        int corner = corner_of_face(face, index);
        if (mask >> corner & 1)
            join_loops(loop, edge_at_corner(b, corner), edge_at_corner(c, corner));
    }
    return count;
}

// Renumbers loops from 0 on, in the order of their first edges.
static uint8_t number_loops(uint8_t loop[PLI_CONTOUR_EDGES])
{
    uint8_t name[PLI_CONTOUR_EDGES];
    uint8_t count = 0;
    for (int e = 0; e < PLI_CONTOUR_EDGES; ++e) {
        if (loop[e] == PLI_CONTOUR_NO_LOOP) continue;
        uint8_t number = 0;
        while (number < count && name[number] != loop[e]) ++number;
        if (number == count) name[count++] = loop[e];
        loop[e] = number;
    }
    return count;
}

static void build_case(int mask, pli_contour_case *entry)
{
    memset(entry, 0, sizeof *entry);
    for (int e = 0; e < PLI_CONTOUR_EDGES; ++e) {
        int low = mask >> pli_contour_edge_corner(e, 0) & 1;
        int high = mask >> pli_contour_edge_corner(e, 1) & 1;
        entry->loop[e] = low != high ? (uint8_t)e : PLI_CONTOUR_NO_LOOP;
    }
    bool doubled[PLI_CONTOUR_FACES];
    for (int face = 0; face < PLI_CONTOUR_FACES; ++face) {
        doubled[face] = follow_face(mask, face, entry->loop) == 4;
    }
    entry->loop_count = number_loops(entry->loop);

    // opposite edges of a face with two paths lie on different ones
    for (int face = 0; face < PLI_CONTOUR_FACES; ++face) {
        if (!doubled[face]) continue;
        int b = (face / 2 + 1) % 3;
        uint8_t first = entry->loop[edge_at_corner(b, corner_of_face(face, 0))];
        uint8_t second = entry->loop[edge_at_corner(b, corner_of_face(face, 3))];
        if (first == second) entry->folded |= (uint8_t)(1u << face);
    }
}

void pli_contour_cases_build(pli_contour_case *cases)
{
    for (int mask = 0; mask < 256; ++mask) build_case(mask, &cases[mask]);
}

// A d = b, the normal equations of the planes about their middle.
typedef struct equations {
    double A[9]; // sum n n^T
    double b[3]; // sum n (n . (p - middle)) (m)
    double middle[3];
    double cutoff; // smallest eigenvalue that counts
} equations;

static void sum_planes(const pli_contour_planes *planes, equations *eq)
{
    memset(eq, 0, sizeof *eq);
    for (int i = 0; i < planes->count; ++i) {
        pli_vec3_add_scaled(eq->middle, 1.0 / planes->count, planes->point[i], eq->middle);
    }
    for (int i = 0; i < planes->count; ++i) {
        const double *n = planes->normal[i];
        double offset[3];
        pli_vec3_subtract(planes->point[i], eq->middle, offset);
        pli_vec3_add_scaled(eq->b, pli_vec3_dot(n, offset), n, eq->b);
        for (int r = 0; r < 9; ++r) eq->A[r] += n[r / 3] * n[r % 3];
    }
}

// Gives coordinate k of the offset the value d: its column moves to the right-hand side.
static void fix_coordinate(equations *eq, int k, double d)
{
    for (int r = 0; r < 3; ++r) {
        eq->b[r] -= eq->A[3 * r + k] * d;
        eq->A[3 * r + k] = eq->A[3 * k + r] = 0;
    }
    eq->b[k] = 0;
}

// Adds A^+ b to x, the pseudo-inverse without eigenvalues under the cutoff.
static void solve(const equations *eq, double x[3])
{
    double values[3], Q[9], r[3];
    pli_eigen_symmetric(3, eq->A, values, Q);
    pli_mat3_apply_transposed(Q, eq->b, r);
    for (int k = 0; k < 3; ++k) r[k] = values[k] > eq->cutoff ? r[k] / values[k] : 0;
    pli_mat3_apply(Q, r, r);
    pli_vec3_add(x, r, x);
}

static double largest_eigenvalue(const double A[9])
{
    double values[3], Q[9];
    pli_eigen_symmetric(3, A, values, Q);
    return values[2];
}

void pli_contour_vertex(const pli_contour_planes *planes, const pli_bounds *cell, double x[3])
{
    equations eq;
    sum_planes(planes, &eq);
    // without gradients the middle is all there is
    eq.cutoff = pli_larger(truncation * largest_eigenvalue(eq.A), 1e-12);

    // cells at the border of the grid have no thickness
    bool fixed[3];
    double place[3];
    for (int k = 0; k < 3; ++k) {
        fixed[k] = cell->min[k] == cell->max[k];
        place[k] = fixed[k] ? cell->min[k] : eq.middle[k];
        if (fixed[k]) fix_coordinate(&eq, k, place[k] - eq.middle[k]);
    }
    for (;;) {
        pli_vec3_copy(place, x);
        solve(&eq, x);
        // the coordinate that is farthest outside
        int worst = -1;
        double outside = 0;
        for (int k = 0; k < 3; ++k) {
            if (fixed[k]) x[k] = place[k];
            double over = pli_larger(cell->min[k] - x[k], x[k] - cell->max[k]);
            if (fixed[k] || !(over > outside)) continue;
            worst = k;
            outside = over;
        }
        if (worst < 0) return;
        fixed[worst] = true;
        place[worst] = x[worst] < cell->min[worst] ? cell->min[worst] : cell->max[worst];
        fix_coordinate(&eq, worst, place[worst] - eq.middle[worst]);
    }
}
