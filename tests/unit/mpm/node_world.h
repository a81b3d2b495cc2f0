// SPDX-License-Identifier: Apache-2.0
//
// Bodies of grid nodes with a matrix of springs, for tests of multigrid on nodes.
//
// Every two nodes within `reach` of each other are joined by a spring that also resists shear,
//
//     K = k exp(-|d|^2 / 2) (d d^T / |d|^2 + 1/10),
//
// k the geometric mean of the stiffnesses of both nodes, and every node has a mass. So the matrix
// is symmetric and positive, and without mass a body could be moved and not be deformed for free.
#ifndef PLI_TESTS_NODE_WORLD_H
#define PLI_TESTS_NODE_WORLD_H

#include "near.h"

#include "base/random.h"
#include "math/mat3.h"
#include "mpm/implicit/node_multigrid.h"

// Whether there is a node, and how stiff it is; size is what the body makes of it.
typedef double (*node_body)(double size, const int32_t at[3]);

typedef struct node_world {
    pli_context *context;
    pli_node_grid *grid;
    pli_ell *matrix;
    double *stiffness; // [count]
    pli_node_multigrid *multigrid;

    // held nodes
    pli_node_constraints constraints;
    int32_t *held;    // [count]
    double *tangents; // [count][9]
} node_world;

enum { NODE_WORLD_MIDDLE = 64, NODE_WORLD_EXTENT = 24 };

// A ball, the half of which is a thousand times stiffer.
static inline double node_ball(double size, const int32_t at[3])
{
    double square = 0;
    for (int a = 0; a < 3; ++a) {
        double d = at[a] - NODE_WORLD_MIDDLE - 0.3;
        square += d * d;
    }
    if (square > size * size) return 0;
    return at[0] + at[1] / 2 > NODE_WORLD_MIDDLE * 3 / 2 ? 1000 : 1;
}

// A plate of three layers with stiff and soft squares.
static inline double node_plate(double size, const int32_t at[3])
{
    if (abs(at[0] - NODE_WORLD_MIDDLE) > size || abs(at[2] - NODE_WORLD_MIDDLE) > size) return 0;
    if (at[1] < NODE_WORLD_MIDDLE || at[1] > NODE_WORLD_MIDDLE + 2) return 0;
    return (at[0] / 8 + at[2] / 8) % 2 == 0 ? 1 : 1000;
}

// A bar along x of 8 x 8 nodes.
static inline double node_bar(double size, const int32_t at[3])
{
    if (abs(at[0] - NODE_WORLD_MIDDLE) > size) return 0;
    for (int a = 1; a < 3; ++a) {
        if (at[a] < NODE_WORLD_MIDDLE - 4 || at[a] >= NODE_WORLD_MIDDLE + 4) return 0;
    }
    return 1;
}

static inline void node_world_fill_grid(node_world *w, node_body body, double size)
{
    int32_t at[3], low = NODE_WORLD_MIDDLE - NODE_WORLD_EXTENT;
    for (int32_t n = 0; n < 8 * NODE_WORLD_EXTENT * NODE_WORLD_EXTENT * NODE_WORLD_EXTENT; ++n) {
        at[0] = low + n / (4 * NODE_WORLD_EXTENT * NODE_WORLD_EXTENT);
        at[1] = low + n / (2 * NODE_WORLD_EXTENT) % (2 * NODE_WORLD_EXTENT);
        at[2] = low + n % (2 * NODE_WORLD_EXTENT);
        if (body(size, at) > 0) OK(w->context, pli_node_grid_mark(w->grid, at, 1));
    }
    OK(w->context, pli_node_grid_finish(w->grid));
}

static inline void node_world_set_spring(const double d[3], double k, double K[9])
{
    double square = pli_vec3_norm2(d), scale = k * exp(-0.5 * square);
    for (int e = 0; e < 9; ++e) {
        K[e] = scale * (d[e / 3] * d[e % 3] / square + 0.1 * (e % 4 == 0));
    }
}

static inline void node_world_fill_row(node_world *w, int32_t row, double mass)
{
    pli_ell *matrix = w->matrix;
    const double *stiffness = w->stiffness;
    double *values = matrix->values + 9 * (int64_t)row * matrix->width;
    double *D = values + 9 * matrix->center;
    for (int c = 0; c < 3; ++c) D[4 * c] += mass;
    for (int32_t slot = 0; slot < matrix->width; ++slot) {
        int32_t other = matrix->column[(int64_t)row * matrix->width + slot];
        if (other < 0 || other == row) continue;
        double d[3], K[9];
        for (int a = 0; a < 3; ++a) {
            d[a] = w->grid->at[3 * (int64_t)other + a] - w->grid->at[3 * (int64_t)row + a];
        }
        node_world_set_spring(d, sqrt(stiffness[row] * stiffness[other]), K);
        for (int e = 0; e < 9; ++e) {
            D[e] += K[e];
            values[9 * slot + e] -= K[e];
        }
    }
}

static inline node_world *node_world_make(int32_t threads, node_body body, double size,
                                          int32_t reach, double mass)
{
    node_world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->context = make_context(threads);
    OK(w->context, pli_node_grid_create(w->context, &w->grid));
    node_world_fill_grid(w, body, size);
    int32_t count = w->grid->count, side = 2 * reach + 1, slots = side * side * side;
    w->stiffness = malloc((size_t)(count + 1) * sizeof *w->stiffness);
    w->held = malloc((size_t)(count + 1) * sizeof *w->held);
    w->tangents = malloc((size_t)(count + 1) * 9 * sizeof *w->tangents);
    assert_true(w->stiffness != NULL && w->held != NULL && w->tangents != NULL);
    w->constraints = (pli_node_constraints){0, w->held, w->tangents};
    OK(w->context, pli_ell_create(w->context, count, slots, slots / 2, &w->matrix));
    pli_node_grid_neighbors(w->grid, reach, w->matrix->column);
    for (int32_t node = 0; node < count; ++node) {
        w->stiffness[node] = body(size, w->grid->at + 3 * (int64_t)node);
    }
    for (int32_t node = 0; node < count; ++node) node_world_fill_row(w, node, mass);
    // what is in slots without a neighbour must not matter
    for (int64_t slot = 0; slot < (int64_t)count * slots; ++slot) {
        if (w->matrix->column[slot] < 0) w->matrix->values[9 * slot + 4] = NAN;
    }
    return w;
}

static inline void node_world_build(node_world *w, const pli_node_multigrid_def *def)
{
    pli_node_multigrid_destroy(w->multigrid);
    OK(w->context, pli_node_multigrid_create(w->context, def, &w->multigrid));
    OK(w->context, pli_node_multigrid_build(w->multigrid, w->grid, w->matrix, &w->constraints));
}

static inline void node_world_destroy(node_world *w)
{
    pli_node_multigrid_destroy(w->multigrid);
    pli_ell_destroy(w->matrix);
    pli_node_grid_destroy(w->grid);
    pli_context_destroy(w->context);
    free(w->stiffness);
    free(w->held);
    free(w->tangents);
    free(w);
}

// T A T + c (1 - T), c the size of the diagonal
static inline void node_world_project(node_world *w)
{
    pli_ell *matrix = w->matrix;
    int32_t *place = malloc((size_t)matrix->row_count * sizeof *place);
    assert_non_null(place);
    memset(place, 0xff, (size_t)matrix->row_count * sizeof *place);
    for (int32_t k = 0; k < w->constraints.count; ++k) place[w->held[k]] = k;
    for (int64_t slot = 0; slot < (int64_t)matrix->row_count * matrix->width; ++slot) {
        int32_t row = (int32_t)(slot / matrix->width), column = matrix->column[slot];
        double *A = matrix->values + 9 * slot, c = pli_mat3_trace(A) / 3, half[9];
        if (column < 0) continue;
        if (place[row] >= 0) {
            pli_mat3_multiply(w->tangents + 9 * place[row], A, half);
            pli_mat3_copy(half, A);
        }
        if (place[column] >= 0) {
            pli_mat3_multiply(A, w->tangents + 9 * place[column], half);
            pli_mat3_copy(half, A);
        }
        if (row != column || place[row] < 0) continue;
        for (int e = 0; e < 9; ++e) A[e] += c * ((e % 4 == 0) - w->tangents[9 * place[row] + e]);
    }
    free(place);
}

// Holds the nodes in the lower part of a body: some not at all free, some along an axis, some along
// a slope.
static inline void node_world_hold(node_world *w, double height)
{
    const double slope[3] = {0.48, 0.8, -0.36};
    for (int32_t node = 0; node < w->grid->count; ++node) {
        const int32_t *at = w->grid->at + 3 * (int64_t)node;
        if (at[1] > NODE_WORLD_MIDDLE + height) continue;
        int32_t k = w->constraints.count++;
        w->held[k] = node;
        double *T = w->tangents + 9 * (int64_t)k;
        for (int e = 0; e < 9; ++e) {
            bool is_diagonal = e % 4 == 0;
            if (at[0] < NODE_WORLD_MIDDLE - 1)
                T[e] = 0;
            else if (at[0] < NODE_WORLD_MIDDLE + 2)
                T[e] = is_diagonal && e != 4;
            else
                T[e] = is_diagonal - slope[e / 3] * slope[e % 3];
        }
    }
    node_world_project(w);
}

static inline double *node_world_vector(const node_world *w, int32_t level, uint64_t seed)
{
    int64_t count =
        3 * (int64_t)(level == 0 ? w->grid : pli_node_multigrid_grid(w->multigrid, level))->count;
    double *v = calloc((size_t)count + 1, sizeof *v);
    assert_non_null(v);
    pli_random random = {seed, 1};
    for (int64_t i = 0; i < count && seed != 0; ++i) {
        v[i] = pli_random_range(random, (uint64_t)i, -1, 1);
    }
    return v;
}

static inline double node_world_dot(int64_t count, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

#endif
