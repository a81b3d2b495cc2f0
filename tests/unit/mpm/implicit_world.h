// SPDX-License-Identifier: Apache-2.0
//
// A block of particles of two materials, objects around it, and what an implicit step needs of
// them.
#ifndef PLI_TESTS_IMPLICIT_WORLD_H
#define PLI_TESTS_IMPLICIT_WORLD_H

#include "materials.h"

#include "base/arena.h"
#include "base/random.h"
#include "math/mat3.h"
#include "mpm/implicit/implicit_stepper.h"

enum { BLOCK_KINDS = 2, BLOCK_OBJECTS = 8 };

// Particles, and everything that a stepper's def refers to. dx is 0.1 m and node 0 at the origin
// unless a test changes that before block_start.
typedef struct block {
    pli_context *context;
    pli_arena *scratch;
    pli_timers timers;
    pli_shape_set *shapes;
    pli_grid_colliders_def colliders_def;
    pli_grid_collider objects[BLOCK_OBJECTS];
    pli_grid_colliders *colliders;
    pli_cloud_kind sizes[BLOCK_KINDS];
    pli_implicit_kind kinds[BLOCK_KINDS];
    pli_implicit_stepper_def def;
    pli_implicit_stepper *stepper;

    int64_t count;
    double *position, *velocity, *affine, *deformation, *memory;
    int32_t *kind;
} block;

static inline void block_set_matter(block *b, int32_t kind, const char *law, double young,
                                    double poisson)
{
    pli_material made = material_solid(law, 1000, young, poisson);
    b->kinds[kind] = pli_implicit_kind_make(&made, false);
}

static inline void block_set_law(block *b, int32_t kind, const char *law, double young)
{
    block_set_matter(b, kind, law, young, 0.3);
}

// Gives matter the hardening of snow.
static inline void block_harden(block *b, int32_t kind, double hardening)
{
    pli_material made = material_hardening(b->kinds[kind].material, hardening);
    b->kinds[kind] = pli_implicit_kind_make(&made, false);
}

// Eight a cell on a lattice; the half with larger x is the stiff one.
static inline void block_place(block *b, int64_t k, const double corner[3], const int32_t cells[3])
{
    double step = 0.5 * b->def.cloud.dx;
    int64_t y = 2 * cells[1], z = 2 * cells[2];
    int64_t index[3] = {k / (y * z), k / z % y, k % z};
    for (int a = 0; a < 3; ++a) {
        b->position[3 * k + a] = corner[a] + step * ((double)index[a] + 0.5);
    }
    for (int e = 0; e < 9; e += 4) b->deformation[9 * k + e] = 1;
    b->memory[k] = 1;
    b->kind[k] = index[0] >= cells[0];
}

// Cells full of particles from a corner on; density 1000, 1e4 and 1e6 Pa.
static inline block *block_make_box(int32_t threads, const double corner[3], const int32_t cells[3])
{
    block *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->context = make_context(threads);
    OK(b->context, pli_arena_create(b->context, 0, &b->scratch));
    OK(b->context, pli_shape_set_create(b->context, &b->shapes));
    b->colliders_def =
        (pli_grid_colliders_def){.dx = 0.1, .blocks = {10, 10, 5}, .colliders = b->objects};
    b->def = (pli_implicit_stepper_def){
        .cloud = {.spline = PLI_SPLINE_QUADRATIC, .dx = 0.1, .kind_count = BLOCK_KINDS},
        .affine = true,
        .method = PLI_IMPLICIT_NEWTON,
        .source = {.projected = true,
                   .preconditioner = PLI_NODE_BLOCK_JACOBI,
                   .rule = PLI_NODE_INEXACT,
                   .max_iterations = 10000,
                   .multigrid = pli_node_multigrid_def_default()},
        .tolerance = 1e-7,
        .max_iterations = 200,
        .window = 8,
        .search = {.kind = PLI_SEARCH_BACKTRACKING, .curvature = 0.9, .max_evaluations = 40}};
    block_set_law(b, 0, "fixed-corotated", 1e4);
    block_set_law(b, 1, "fixed-corotated", 1e6);
    size_t n = 8 * (size_t)cells[0] * (size_t)cells[1] * (size_t)cells[2];
    b->count = (int64_t)n;
    b->position = calloc(3 * n, sizeof(double));
    b->velocity = calloc(3 * n, sizeof(double));
    b->affine = calloc(9 * n, sizeof(double));
    b->deformation = calloc(9 * n, sizeof(double));
    b->memory = calloc(n, sizeof(double));
    b->kind = calloc(n, sizeof(int32_t));
    for (int32_t k = 0; k < BLOCK_KINDS; ++k) b->sizes[k] = (pli_cloud_kind){0.125, 1.25e-4};
    for (int64_t k = 0; k < b->count; ++k) block_place(b, k, corner, cells);
    return b;
}

// A cube in the middle of the room, particles off their lattice by up to a tenth of a cell.
static inline block *block_make(int32_t threads, int32_t cells)
{
    block *b =
        block_make_box(threads, (double[3]){1.5, 1.5, 1.5}, (int32_t[3]){cells, cells, cells});
    for (int64_t k = 0; k < 3 * b->count; ++k) {
        b->position[k] += pli_random_range((pli_random){7, 3}, (uint64_t)k, -0.01, 0.01);
    }
    return b;
}

static inline pli_grid_collider *block_add(block *b, const pli_shape *shape, pli_grid_hold hold)
{
    assert_true(b->colliders_def.collider_count < BLOCK_OBJECTS);
    pli_grid_collider *object = &b->objects[b->colliders_def.collider_count++];
    *object = (pli_grid_collider){.name = "thing", .shape = shape, .hold = hold};
    pli_grid_motion_init(&object->motion);
    return object;
}

// A half-space through (x, y, z).
static inline pli_grid_collider *block_add_plane(block *b, const double at[3],
                                                 const double normal[3], pli_grid_hold hold)
{
    const pli_shape *plane = NULL;
    OK(b->context, pli_shape_plane(b->shapes, at, normal, &plane));
    return block_add(b, plane, hold);
}

// A sticky end, a slope that lets slide and a corner that lets go: nodes held in all ways.
static inline void block_add_holders(block *b)
{
    block_add_plane(b, (double[3]){1.55, 0, 0}, (double[3]){1, 0, 0}, PLI_GRID_STICKY);
    block_add_plane(b, (double[3]){1.8, 1.6, 1.6}, (double[3]){0.2, 0.9, 0.3}, PLI_GRID_SLIP);
    block_add_plane(b, (double[3]){0, 0, 1.6}, (double[3]){0, 0, 1}, PLI_GRID_SEPARATE);
}

static inline void block_start_colliders(block *b)
{
    OK(b->context, pli_grid_colliders_create(b->context, &b->colliders_def, &b->colliders));
    b->def.borrowed_colliders = b->colliders;
    b->def.cloud.kinds = b->sizes;
    b->def.kinds = b->kinds;
}

static inline void block_start(block *b)
{
    block_start_colliders(b);
    OK(b->context, pli_implicit_stepper_create(b->context, &b->def, &b->stepper));
}

// Another stepper for the same particles, after the def was changed.
static inline void block_restart(block *b)
{
    pli_implicit_stepper_destroy(b->stepper);
    b->stepper = NULL;
    OK(b->context, pli_implicit_stepper_create(b->context, &b->def, &b->stepper));
}

static inline void block_destroy(block *b)
{
    pli_implicit_stepper_destroy(b->stepper);
    pli_grid_colliders_destroy(b->colliders);
    pli_shape_set_destroy(b->shapes);
    pli_arena_destroy(b->scratch);
    pli_context_destroy(b->context);
    free(b->position);
    free(b->velocity);
    free(b->affine);
    free(b->deformation);
    free(b->memory);
    free(b->kind);
    free(b);
}

static inline pli_cloud_source block_source(const block *b)
{
    return (pli_cloud_source){.count = b->count,
                              .position = b->position,
                              .velocity = b->velocity,
                              .affine = b->affine,
                              .deformation = b->deformation,
                              .memory = b->memory,
                              .kind = b->kind};
}

static inline pli_cloud_target block_target(const block *b)
{
    return (pli_cloud_target){b->position, b->velocity, b->affine, b->deformation, NULL};
}

// What a minimisation tells on its way.
typedef struct block_history {
    int32_t iterations; // of all minimisations together
    int32_t starts;
    double first_residual; // of the last minimisation
    double first_gradient;
    double energy;
    double largest_rise; // of E from one iterate to the next, over its noise (J)
} block_history;

static inline void block_watch(void *user, const pli_iterate *iterate)
{
    block_history *history = user;
    if (iterate->iteration == 0) {
        ++history->starts;
        history->first_residual = iterate->residual;
        history->first_gradient = iterate->gradient;
    } else {
        ++history->iterations;
        double noise = 1e-13 * fabs(history->energy);
        history->largest_rise =
            fmax(history->largest_rise, iterate->energy - history->energy - noise);
    }
    history->energy = iterate->energy;
}

// One step of h (s); history may be NULL.
static inline pli_implicit_report block_step(block *b, double h, block_history *history)
{
    pli_implicit_report report;
    pli_cloud_source from = block_source(b);
    pli_cloud_target to = block_target(b);
    block_history own = {0};
    pli_minimize_env env = {.timers = &b->timers,
                            .scratch = b->scratch,
                            .monitor = block_watch,
                            .user = history != NULL ? history : &own};
    OK(b->context, pli_implicit_stepper_load(b->stepper, &from));
    OK(b->context, pli_implicit_stepper_step(b->stepper, &to, h, &env, &report));
    return report;
}

// Momentum (kg m/s) and angular momentum about the origin (kg m^2/s) with that of C.
static inline void block_momenta(const block *b, double momentum[3], double angular[3])
{
    double spread = pli_spline_spread(b->def.cloud.spline) * b->def.cloud.dx * b->def.cloud.dx;
    for (int a = 0; a < 3; ++a) momentum[a] = angular[a] = 0;
    for (int64_t k = 0; k < b->count; ++k) {
        double m = b->sizes[b->kind[k]].mass, arm[3];
        const double *C = b->affine + 9 * k;
        pli_vec3_cross(b->position + 3 * k, b->velocity + 3 * k, arm);
        for (int a = 0; a < 3; ++a) {
            int next = (a + 1) % 3, after = (a + 2) % 3;
            momentum[a] += m * b->velocity[3 * k + a];
            angular[a] += m * (arm[a] + spread * (C[3 * after + next] - C[3 * next + after]));
        }
    }
}

// Mean position of all particles (m).
static inline void block_center(const block *b, double center[3])
{
    pli_vec3_set(0, 0, 0, center);
    for (int64_t k = 0; k < b->count; ++k) {
        pli_vec3_add_scaled(center, 1 / (double)b->count, b->position + 3 * k, center);
    }
}

// Every F by itself: 1 + size times numbers between -1 and 1.
static inline void block_deform(block *b, double size)
{
    for (int64_t k = 0; k < 9 * b->count; ++k) {
        b->deformation[k] =
            (k % 9 % 4 == 0) + pli_random_range((pli_random){4, 4}, (uint64_t)k, -size, size);
    }
}

// A linear motion v = v0 + A (x - center), and C = A.
static inline void block_move(block *b, const double v0[3], const double A[9])
{
    double center[3] = {0, 0, 0};
    for (int64_t k = 0; k < 3 * b->count; ++k) center[k % 3] += b->position[k] / (double)b->count;
    for (int64_t k = 0; k < b->count; ++k) {
        double arm[3], turn[3];
        pli_vec3_subtract(b->position + 3 * k, center, arm);
        pli_mat3_apply(A, arm, turn);
        pli_vec3_add(v0, turn, b->velocity + 3 * k);
        pli_mat3_copy(A, b->affine + 9 * k);
    }
}

#endif
