// SPDX-License-Identifier: Apache-2.0
//
// Bodies of particles with the matrix of an implicit step, for tests of multigrid on their nodes.
//
// Particles stand on a lattice of eight to a cell, each somewhat off its place and deformed; those
// on one side are of a second kind. The matrix is that of a step from rest,
//
//     H = M/h^2 + sum_p V_p g_ip . dP/dF . g_jp,
//
// with tangents that are projected.
#ifndef PLI_TESTS_CLOUD_WORLD_H
#define PLI_TESTS_CLOUD_WORLD_H

#include "materials.h"

#include "base/random.h"
#include "math/mat3.h"
#include "mpm/implicit/implicit.h"
#include "mpm/implicit/node_geometric.h"

enum { CLOUD_KINDS = 2, CLOUD_MIDDLE = 20, CLOUD_EXTENT = 14 };

typedef struct cloud_def {
    int32_t threads;
    double radius; // of a ball (cells)
    double young[CLOUD_KINDS];
    double off;   // how far particles are off their places at most (cells)
    double floor; // nodes up to this height are held (cells); NAN: none are
} cloud_def;

typedef struct cloud_world {
    pli_context *context;
    pli_cloud *cloud;
    pli_implicit *implicit;
    pli_cloud_kind kinds[CLOUD_KINDS];
    pli_implicit_kind matter[CLOUD_KINDS];
    double h; // s

    // particles
    pli_cloud_source source;
    double *position, *velocity, *affine, *deformation, *memory;
    int32_t *kind;

    pli_ell *matrix;
    pli_node_constraints constraints;
    int32_t *held;    // [nodes]
    double *tangents; // [nodes][9]

    pli_node_multigrid *multigrid;
    pli_node_geometric *geometric;
} cloud_world;

static inline cloud_def cloud_def_default(void)
{
    return (cloud_def){
        .threads = 2, .radius = 4, .young = {1e5, 1e5}, .off = 0.1, .floor = (double)NAN};
}

static inline bool cloud_is_inside(double radius, const double u[3])
{
    double square = 0;
    for (int a = 0; a < 3; ++a) square += (u[a] - CLOUD_MIDDLE) * (u[a] - CLOUD_MIDDLE);
    return square < radius * radius;
}

// Adds a particle at u (cells).
static inline void cloud_world_add(cloud_world *w, double off, const double u[3])
{
    const pli_cloud *cloud = w->cloud;
    int64_t k = w->source.count++;
    pli_random random = {3, (uint64_t)k};
    for (int a = 0; a < 3; ++a) {
        double place = u[a] + pli_random_range(random, (uint64_t)a, -off, off);
        w->position[3 * k + a] = cloud->origin[a] + cloud->dx * place;
    }
    for (int e = 0; e < 9; ++e) {
        w->deformation[9 * k + e] =
            (e % 4 == 0) + pli_random_range(random, (uint64_t)(10 + e), -0.05, 0.05);
    }
    w->memory[k] = 1;
    w->kind[k] = u[0] + u[1] > 2 * CLOUD_MIDDLE;
}

static inline void cloud_world_fill(cloud_world *w, const cloud_def *def)
{
    enum { SIDE = 4 * CLOUD_EXTENT, MOST = SIDE * SIDE * SIDE };
    size_t room = 0;
    double u[3];
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t n = 0; n < MOST; ++n) {
            const int32_t at[3] = {n / SIDE / SIDE, n / SIDE % SIDE, n % SIDE};
            for (int a = 0; a < 3; ++a) u[a] = CLOUD_MIDDLE - CLOUD_EXTENT + 0.5 * at[a] + 0.25;
            if (!cloud_is_inside(def->radius, u)) continue;
            if (pass == 1) cloud_world_add(w, def->off, u);
            room += pass == 0;
        }
        if (pass == 1) break;
        w->position = calloc(3 * room, sizeof(double));
        w->velocity = calloc(3 * room, sizeof(double));
        w->affine = calloc(9 * room, sizeof(double));
        w->deformation = calloc(9 * room, sizeof(double));
        w->memory = calloc(room, sizeof(double));
        w->kind = calloc(room, sizeof(int32_t));
        assert_true(w->position != NULL && w->velocity != NULL && w->affine != NULL &&
                    w->deformation != NULL && w->memory != NULL && w->kind != NULL);
    }
    w->source = (pli_cloud_source){.count = w->source.count,
                                   .position = w->position,
                                   .velocity = w->velocity,
                                   .affine = w->affine,
                                   .deformation = w->deformation,
                                   .memory = w->memory,
                                   .kind = w->kind};
}

// M/h^2 + elasticity on the nodes of the cloud.
static inline void cloud_world_assemble(cloud_world *w)
{
    enum { SLOTS = 125 };
    int32_t nodes = w->cloud->nodes->count;
    double *x = calloc(3 * (size_t)nodes, sizeof *x), *mass = calloc((size_t)nodes, sizeof *mass);
    double *momentum = calloc(3 * (size_t)nodes, sizeof *momentum);
    assert_true(x != NULL && mass != NULL && momentum != NULL);
    OK(w->context, pli_ell_create(w->context, nodes, SLOTS, SLOTS / 2, &w->matrix));
    pli_node_grid_neighbors(w->cloud->nodes, 2, w->matrix->column);
    pli_implicit_assemble(w->implicit, x, true, w->matrix);
    OK(w->context, pli_implicit_prepare(w->implicit, x, true));
    pli_cloud_to_nodes(w->cloud, false, mass, momentum);
    for (int64_t i = 0; i < nodes; ++i) {
        double *D = w->matrix->values + 9 * (i * SLOTS + SLOTS / 2);
        for (int c = 0; c < 3; ++c) D[4 * c] += mass[i] / (w->h * w->h);
    }
    free(x);
    free(mass);
    free(momentum);
}

// T A T + c (1 - T), c the size of the diagonal
static inline void cloud_world_project(cloud_world *w)
{
    pli_ell *matrix = w->matrix;
    const double **T = calloc((size_t)matrix->row_count, sizeof *T);
    assert_non_null(T);
    for (int32_t k = 0; k < w->constraints.count; ++k) T[w->held[k]] = w->tangents + 9 * k;
    for (int64_t slot = 0; slot < (int64_t)matrix->row_count * matrix->width; ++slot) {
        int64_t row = slot / matrix->width, column = matrix->column[slot];
        double *A = matrix->values + 9 * slot, c = pli_mat3_trace(A) / 3, half[9];
        if (column < 0) continue;
        if (T[row] != NULL) {
            pli_mat3_multiply(T[row], A, half);
            pli_mat3_copy(half, A);
        }
        if (T[column] != NULL) {
            pli_mat3_multiply(A, T[column], half);
            pli_mat3_copy(half, A);
        }
        if (row != column || T[row] == NULL) continue;
        for (int e = 0; e < 9; ++e) A[e] += c * ((e % 4 == 0) - T[row][e]);
    }
    free(T);
}

// The projector of nodes that slip.
static inline void cloud_world_slope(double T[9])
{
    const double slope[3] = {0.48, 0.8, -0.36};
    for (int e = 0; e < 9; ++e) T[e] = (e % 4 == 0) - slope[e / 3] * slope[e % 3];
}

// Holds the nodes up to a height: on one side they do not move, on the other they slip on a slope.
static inline void cloud_world_hold(cloud_world *w, double height)
{
    double slip[9];
    const pli_node_grid *grid = w->cloud->nodes;
    cloud_world_slope(slip);
    for (int32_t node = 0; node < grid->count; ++node) {
        const int32_t *at = grid->at + 3 * (int64_t)node;
        if (at[1] > height) continue;
        int32_t k = w->constraints.count++;
        w->held[k] = node;
        for (int e = 0; e < 9; ++e) w->tangents[9 * k + e] = at[0] < CLOUD_MIDDLE ? 0 : slip[e];
    }
    cloud_world_project(w);
}

static inline pli_implicit_kind cloud_world_matter(double young)
{
    pli_material solid = material_solid("fixed-corotated", 1000, young, 0.3);
    return pli_implicit_kind_make(&solid, false);
}

static inline cloud_world *cloud_world_make(const cloud_def *def)
{
    cloud_world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->context = make_context(def->threads);
    w->h = 1e-2;
    double dx = 0.05, volume = dx * dx * dx / 8;
    for (int k = 0; k < CLOUD_KINDS; ++k) {
        w->kinds[k] = (pli_cloud_kind){(1000 + 500 * k) * volume, volume};
        w->matter[k] = cloud_world_matter(def->young[k]);
    }
    pli_cloud_def cloud = {.spline = PLI_SPLINE_QUADRATIC,
                           .dx = dx,
                           .origin = {-0.31, 0.2, 0.077},
                           .kind_count = CLOUD_KINDS,
                           .kinds = w->kinds};
    OK(w->context, pli_cloud_create(w->context, &cloud, &w->cloud));
    OK(w->context, pli_implicit_create(w->context, w->cloud, CLOUD_KINDS, w->matter, &w->implicit));
    cloud_world_fill(w, def);
    OK(w->context, pli_cloud_build(w->cloud, &w->source));
    OK(w->context, pli_implicit_begin(w->implicit));
    cloud_world_assemble(w);
    size_t nodes = (size_t)w->cloud->nodes->count;
    w->held = calloc(nodes, sizeof *w->held);
    w->tangents = calloc(9 * nodes, sizeof *w->tangents);
    assert_true(w->held != NULL && w->tangents != NULL);
    w->constraints = (pli_node_constraints){0, w->held, w->tangents};
    if (!isnan(def->floor)) cloud_world_hold(w, def->floor);
    OK(w->context, pli_node_geometric_create(w->context, w->cloud, w->implicit, &w->geometric));
    return w;
}

static inline void cloud_world_destroy(cloud_world *w)
{
    pli_node_multigrid_destroy(w->multigrid);
    pli_node_geometric_destroy(w->geometric);
    pli_implicit_destroy(w->implicit);
    pli_cloud_destroy(w->cloud);
    pli_ell_destroy(w->matrix);
    pli_context_destroy(w->context);
    free(w->position);
    free(w->velocity);
    free(w->affine);
    free(w->deformation);
    free(w->memory);
    free(w->kind);
    free(w->held);
    free(w->tangents);
    free(w);
}

static inline void cloud_world_build(cloud_world *w, const pli_node_multigrid_def *def,
                                     bool is_geometric)
{
    pli_node_multigrid_destroy(w->multigrid);
    OK(w->context, pli_node_multigrid_create(w->context, def, &w->multigrid));
    if (is_geometric) {
        OK(w->context, pli_node_geometric_build(w->geometric, &w->source, w->h, w->matrix,
                                                &w->constraints, w->multigrid));
    } else {
        OK(w->context,
           pli_node_multigrid_build(w->multigrid, w->cloud->nodes, w->matrix, &w->constraints));
    }
}

static inline int64_t cloud_world_size(const cloud_world *w)
{
    return 3 * (int64_t)w->cloud->nodes->count;
}

// A vector of random numbers; seed 0: of zeros.
static inline double *cloud_world_vector(int64_t size, uint64_t seed)
{
    double *v = calloc((size_t)size, sizeof *v);
    assert_non_null(v);
    for (int64_t i = 0; i < size && seed != 0; ++i) {
        v[i] = pli_random_range((pli_random){seed, 1}, (uint64_t)i, -1, 1);
    }
    return v;
}

static inline double cloud_world_dot(int64_t size, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < size; ++i) sum += a[i] * b[i];
    return sum;
}

#endif
