// SPDX-License-Identifier: Apache-2.0
//
// Fast passes over particles against the plain ones: all splines and laws, mixtures, crowded cells;
// what they keep from call to call, and what they promise about threads and memory.
#include "materials.h"
#include "near.h"
#include "support/fault_sweep.h"
#include "support/implicit_reference.h"
#include "support/same_bits.h"

#include "base/context.h"
#include "base/random.h"
#include "math/vec3.h"
#include "mpm/implicit/implicit.h"

enum { MOST_KINDS = 8, MOST_INPUTS = 32 };

typedef struct world_def {
    pli_spline_kind spline;
    int32_t threads;
    int32_t count;
    double spread;    // edge of the cube that particles are in (m), cells have 0.1
    const char *laws; // names with commas, one a kind
} world_def;

typedef struct world {
    pli_context *context;
    pli_cloud *cloud;
    pli_implicit *implicit;
    int32_t kind_count;
    pli_implicit_kind matter[MOST_KINDS];
    pli_cloud_kind kinds[MOST_KINDS];
    pli_cloud_source source;
    double *position, *velocity, *affine, *deformation, *memory;
    int32_t *kind;
    double *x; // [nodes][3]
} world;

static void set_particle(world *w, int32_t k, double spread)
{
    pli_random random = {3, 7};
    for (int a = 0; a < 3; ++a) {
        double place = pli_random_uniform(random, (uint64_t)(100 * k + a));
        w->position[3 * k + a] = 0.43 + spread * place;
        w->velocity[3 * k + a] = pli_random_range(random, (uint64_t)(100 * k + 10 + a), -1, 1);
    }
    for (int i = 0; i < 9; ++i) {
        w->affine[9 * k + i] = pli_random_range(random, (uint64_t)(100 * k + 20 + i), -2, 2);
        w->deformation[9 * k + i] =
            (i % 4 == 0) + pli_random_range(random, (uint64_t)(100 * k + 40 + i), -0.1, 0.1);
    }
    w->memory[k] = pli_random_range(random, (uint64_t)(100 * k + 60), 0.9, 1.1);
    w->kind[k] = k % w->kind_count;
}

// Laws with their fallbacks as inputs.
static void set_laws(world *w, const char *names)
{
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", names);
    for (char *name; (name = strsep(&rest, ",")) != NULL; ++w->kind_count) {
        const pli_material_ops *law = pli_material_find(NULL, name);
        double inputs[MOST_INPUTS];
        assert_non_null(law);
        (void)pli_material_defaults(law, inputs);
        pli_material made = material_of(law, 1000, inputs);
        w->matter[w->kind_count] = pli_implicit_kind_make(&made, false);
        w->kinds[w->kind_count] = (pli_cloud_kind){1 + w->kind_count, 1e-3 * (1 + w->kind_count)};
    }
}

static void make_rows(world *w, const world_def *def)
{
    size_t n = (size_t)def->count + 1;
    w->position = calloc(3 * n, sizeof(double));
    w->velocity = calloc(3 * n, sizeof(double));
    w->affine = calloc(9 * n, sizeof(double));
    w->deformation = calloc(9 * n, sizeof(double));
    w->memory = calloc(n, sizeof(double));
    w->kind = calloc(n, sizeof(int32_t));
    for (int32_t k = 0; k < def->count; ++k) set_particle(w, k, def->spread);
    w->source = (pli_cloud_source){.count = def->count,
                                   .position = w->position,
                                   .velocity = w->velocity,
                                   .affine = w->affine,
                                   .deformation = w->deformation,
                                   .memory = w->memory,
                                   .kind = w->kind};
}

static pli_cloud_def describe_cloud(const world *w, pli_spline_kind spline)
{
    pli_cloud_def def = {
        .spline = spline, .dx = 0.1, .kind_count = w->kind_count, .kinds = w->kinds};
    pli_vec3_set(-0.31, -0.2, -0.1, def.origin);
    return def;
}

static void build(world *w)
{
    OK(w->context, pli_cloud_build(w->cloud, &w->source));
    OK(w->context, pli_implicit_begin(w->implicit));
}

static double *make_vector(const world *w)
{
    return calloc(3 * (size_t)w->cloud->nodes->count + 1, sizeof(double));
}

static double *random_vector(const world *w, uint64_t stream, double scale)
{
    double *d = make_vector(w);
    for (int32_t k = 0; k < 3 * w->cloud->nodes->count; ++k) {
        d[k] = scale * pli_random_range((pli_random){11, stream}, (uint64_t)k, -1, 1);
    }
    return d;
}

static world make_world(const world_def *def)
{
    world w = {.context = make_context(def->threads)};
    set_laws(&w, def->laws);
    make_rows(&w, def);
    pli_cloud_def cloud = describe_cloud(&w, def->spline);
    OK(w.context, pli_cloud_create(w.context, &cloud, &w.cloud));
    OK(w.context, pli_implicit_create(w.context, w.cloud, w.kind_count, w.matter, &w.implicit));
    build(&w);
    w.x = random_vector(&w, 1, 0.003);
    return w;
}

static void free_rows(world *w)
{
    free(w->position);
    free(w->velocity);
    free(w->affine);
    free(w->deformation);
    free(w->memory);
    free(w->kind);
}

static void clear_world(world *w)
{
    pli_implicit_destroy(w->implicit);
    pli_cloud_destroy(w->cloud);
    pli_context_destroy(w->context);
    free_rows(w);
    free(w->x);
}

static pli_ell *make_matrix(const world *w)
{
    pli_ell *matrix = NULL;
    int32_t reach = pli_implicit_reach(w->implicit), side = 2 * reach + 1;
    int32_t width = side * side * side;
    OK(w->context, pli_ell_create(w->context, w->cloud->nodes->count, width, width / 2, &matrix));
    pli_node_grid_neighbors(w->cloud->nodes, reach, matrix->column);
    return matrix;
}

static double largest_of(const double *values, int64_t count)
{
    double largest = 0;
    for (int64_t k = 0; k < count; ++k) largest = fmax(largest, fabs(values[k]));
    return largest;
}

// ---- against the plain passes

static void compare_terms(const world *w)
{
    int64_t n = 3 * (int64_t)w->cloud->nodes->count;
    double *fast = make_vector(w), *plain = make_vector(w);
    double energy = pli_sum_value(pli_implicit_term.energy(w->implicit, w->x));
    pli_implicit_term.add_gradient(w->implicit, w->x, fast);
    pli_implicit_gradient_reference(w->implicit, w->x, plain);
    // sums of the same numbers in another order
    NEAR(energy, pli_implicit_energy_reference(w->implicit, w->x), 1e-12, 0);
    double largest = largest_of(plain, n);
    for (int64_t k = 0; k < n; ++k) NEAR(fast[k], plain[k], 0, 1e-12 * largest);
    free(fast);
    free(plain);
}

// A half that is assembled has the same bits.
static void compare_half(const world *w, bool projected, const pli_ell *whole)
{
    pli_ell *half = NULL;
    int32_t reach = pli_implicit_reach(w->implicit);
    double *got = calloc(9 * (size_t)whole->width, sizeof *got);
    double *want = calloc(9 * (size_t)whole->width, sizeof *want);
    assert_true(got != NULL && want != NULL);
    OK(w->context, pli_ell_create_half(w->context, whole->row_count, whole->width, reach, &half));
    pli_node_grid_neighbors(w->cloud->nodes, reach, half->column);
    pli_implicit_assemble(w->implicit, w->x, projected, half);
    for (int32_t row = 0; row < whole->row_count; ++row) {
        pli_ell_get_row(half, row, got);
        pli_ell_get_row(whole, row, want);
        assert_memory_equal(got, want, 9 * (size_t)whole->width * sizeof *got);
    }
    free(got);
    free(want);
    pli_ell_destroy(half);
}

static void compare_matrices(const world *w, bool projected)
{
    pli_ell *fast = make_matrix(w), *plain = make_matrix(w);
    int64_t slots = (int64_t)fast->row_count * fast->width;
    pli_implicit_assemble(w->implicit, w->x, projected, fast);
    pli_implicit_assemble_reference(w->implicit, w->x, projected, plain);
    double largest = largest_of(plain->values, 9 * slots);
    assert_true(largest > 0);
    for (int64_t k = 0; k < 9 * slots; ++k) {
        if (plain->column[k / 9] < 0) continue;
        NEAR(fast->values[k], plain->values[k], 0, 1e-13 * largest);
    }
    compare_half(w, projected, fast);
    pli_ell_destroy(fast);
    pli_ell_destroy(plain);
}

// Products and the diagonal against the matrix.
static void compare_products(const world *w)
{
    int32_t n = w->cloud->nodes->count;
    pli_ell *matrix = make_matrix(w);
    double *d = random_vector(w, 2, 1), *want = make_vector(w), *got = make_vector(w);
    double *blocks = calloc(9 * (size_t)n, sizeof(double)), *D = calloc(9 * (size_t)n, sizeof *D);
    pli_implicit_assemble_reference(w->implicit, w->x, true, matrix);
    OK(w->context, pli_implicit_prepare(w->implicit, w->x, true));
    pli_ell_multiply(matrix, d, want);
    pli_ell_get_diagonal_blocks(matrix, D);
    pli_implicit_multiply(w->implicit, d, got);
    pli_implicit_add_diagonal(w->implicit, blocks);
    double largest = largest_of(want, 3 * n), largest_block = largest_of(D, 9 * n);
    for (int32_t k = 0; k < 3 * n; ++k) NEAR(got[k], want[k], 0, 1e-12 * largest);
    for (int32_t k = 0; k < 9 * n; ++k) NEAR(blocks[k], D[k], 0, 1e-12 * largest_block);
    free(blocks);
    free(D);
    free(d);
    free(want);
    free(got);
    pli_ell_destroy(matrix);
}

static void compare_all(const world_def *def)
{
    world w = make_world(def);
    compare_terms(&w);
    compare_matrices(&w, true);
    compare_matrices(&w, false);
    compare_products(&w);
    clear_world(&w);
}

static void all_splines_and_laws_equal_the_plain_passes(void **state)
{
    (void)state;
    const char *laws[] = {"fixed-corotated", "corotated", "neo-hookean", "stable-neo-hookean",
                          "hencky",          "fluid",     "linear"};
    for (int spline = 0; spline < 3; ++spline) {
        for (size_t k = 0; k < sizeof laws / sizeof *laws; ++k) {
            compare_all(&(world_def){(pli_spline_kind)spline, 2, 70, 0.4, laws[k]});
        }
    }
}

static void mixtures_of_laws_equal_the_plain_passes(void **state)
{
    (void)state;
    const char *laws = "fixed-corotated,hencky,fixed-corotated,fluid,stable-neo-hookean";
    for (int spline = 0; spline < 3; ++spline) {
        compare_all(&(world_def){(pli_spline_kind)spline, 2, 150, 0.5, laws});
    }
}

// More particles than are evaluated at once, and than are summed at once.
static void crowded_cells_equal_the_plain_passes(void **state)
{
    (void)state;
    for (int spline = 0; spline < 3; ++spline) {
        for (int32_t count = 60; count <= 76; ++count) {
            world_def def = {(pli_spline_kind)spline, 1, count, 0.03, "fixed-corotated"};
            compare_all(&def);
        }
        compare_all(&(world_def){(pli_spline_kind)spline, 1, 700, 0.12, "hencky"});
    }
}

// ---- the matrix

static void the_matrix_is_symmetric_to_the_bit(void **state)
{
    (void)state;
    for (int spline = 0; spline < 3; ++spline) {
        world w = make_world(
            &(world_def){(pli_spline_kind)spline, 2, 300, 0.6, "fixed-corotated,neo-hookean"});
        pli_ell *matrix = make_matrix(&w);
        pli_implicit_assemble(w.implicit, w.x, true, matrix);
        for (int64_t slot = 0; slot < (int64_t)matrix->row_count * matrix->width; ++slot) {
            int64_t column = matrix->column[slot], place = slot % matrix->width;
            if (column < 0 || place == matrix->center) continue;
            const double *block = matrix->values + 9 * slot;
            const double *mirror =
                matrix->values + 9 * (column * matrix->width + matrix->width - 1 - place);
            for (int e = 0; e < 9; ++e) {
                assert_memory_equal(&block[e], &mirror[3 * (e % 3) + e / 3], sizeof *block);
            }
        }
        pli_ell_destroy(matrix);
        clear_world(&w);
    }
}

static void the_matrix_is_added_to_what_is_there(void **state)
{
    (void)state;
    world w = make_world(&(world_def){PLI_SPLINE_QUADRATIC, 2, 200, 0.5, "fixed-corotated"});
    pli_ell *alone = make_matrix(&w), *added = make_matrix(&w);
    int64_t slots = (int64_t)alone->row_count * alone->width;
    pli_implicit_assemble(w.implicit, w.x, true, alone);
    double largest = largest_of(alone->values, 9 * slots);
    // symmetric: a multiple of the identity in every slot
    for (int64_t k = 0; k < 9 * slots; ++k) added->values[k] = k % 9 % 4 == 0 ? largest : 0;
    pli_implicit_assemble(w.implicit, w.x, true, added);
    for (int64_t k = 0; k < 9 * slots; ++k) {
        if (alone->column[k / 9] < 0) continue;
        double before = k % 9 % 4 == 0 ? largest : 0;
        NEAR(added->values[k], before + alone->values[k], 0, 1e-14 * largest);
    }
    pli_ell_destroy(alone);
    pli_ell_destroy(added);
    clear_world(&w);
}

// ---- what is kept

static double *gradient_at(const world *w, const double *x)
{
    double *g = make_vector(w);
    pli_implicit_term.add_gradient(w->implicit, x, g);
    return g;
}

static void check_same(const world *w, const double *a, const double *b)
{
    assert_memory_equal(a, b, 3 * (size_t)w->cloud->nodes->count * sizeof *a);
}

static void a_gradient_after_its_energy_is_a_fresh_one(void **state)
{
    (void)state;
    world w = make_world(
        &(world_def){PLI_SPLINE_QUADRATIC, 2, 500, 0.7, "fixed-corotated,hencky,fixed-corotated"});
    double *other = random_vector(&w, 5, 0.002);
    double *fresh = gradient_at(&w, w.x), *fresh_other = gradient_at(&w, other);
    (void)pli_implicit_term.energy(w.implicit, w.x);
    double *kept = gradient_at(&w, w.x), *not_kept = gradient_at(&w, other);
    check_same(&w, kept, fresh);
    check_same(&w, not_kept, fresh_other);

    // the caller's array may change under the same address
    memcpy(w.x, other, 3 * (size_t)w.cloud->nodes->count * sizeof *other);
    double *moved = gradient_at(&w, w.x);
    check_same(&w, moved, fresh_other);
    free(other);
    free(fresh);
    free(fresh_other);
    free(kept);
    free(not_kept);
    free(moved);
    clear_world(&w);
}

static void another_step_keeps_no_stress(void **state)
{
    (void)state;
    world w = make_world(&(world_def){PLI_SPLINE_QUADRATIC, 1, 100, 0.4, "fixed-corotated"});
    (void)pli_implicit_term.energy(w.implicit, w.x);
    for (int64_t k = 0; k < 9 * w.source.count; ++k) w.deformation[k] *= 1.1;
    build(&w);
    double *g = gradient_at(&w, w.x), *want = make_vector(&w);
    pli_implicit_gradient_reference(w.implicit, w.x, want);
    double largest = largest_of(want, 3 * (int64_t)w.cloud->nodes->count);
    for (int32_t k = 0; k < 3 * w.cloud->nodes->count; ++k) NEAR(g[k], want[k], 0, 1e-12 * largest);
    free(g);
    free(want);
    clear_world(&w);
}

// A law that is not defined where a particle is turned inside out.
static void an_undefined_energy_is_infinite_and_no_more_than_that(void **state)
{
    (void)state;
    world w = make_world(&(world_def){PLI_SPLINE_QUADRATIC, 2, 200, 0.5, "hencky"});
    assert_true(isfinite(pli_sum_value(pli_implicit_term.energy(w.implicit, w.x))));
    w.deformation[9 * 77] = -1;
    build(&w);
    double energy = pli_sum_value(pli_implicit_term.energy(w.implicit, w.x));
    assert_true(isinf(energy) && energy > 0);
    double *g = gradient_at(&w, w.x);
    for (int32_t k = 0; k < 3 * w.cloud->nodes->count; ++k) assert_true(isfinite(g[k]));
    free(g);
    clear_world(&w);
}

// ---- the cloud

static void cells_and_nodes_know_each_other(void **state)
{
    (void)state;
    for (int spline = 0; spline < 3; ++spline) {
        world w = make_world(&(world_def){(pli_spline_kind)spline, 2, 600, 1.3, "fixed-corotated"});
        const pli_cloud *cloud = w.cloud;
        int32_t want[PLI_SPLINE_NODES];
        for (int64_t cell = 0; cell < cloud->cell_count; ++cell) {
            const int32_t *nodes = cloud->cell_node + cell * cloud->cell_nodes;
            pli_node_grid_find_box(cloud->nodes, cloud->cell_base + 3 * cell, cloud->width, want);
            assert_memory_equal(nodes, want, (size_t)cloud->cell_nodes * sizeof *nodes);
            for (int32_t k = 0; k < cloud->cell_nodes; ++k) assert_true(nodes[k] >= 0);
        }
        assert_int_equal(cloud->node_start[cloud->nodes->count],
                         cloud->cell_count * cloud->cell_nodes);
        for (int32_t node = 0; node < cloud->nodes->count; ++node) {
            // a node that no cell reaches would be none
            assert_true(cloud->node_start[node] < cloud->node_start[node + 1]);
            int32_t last = -1;
            for (int32_t k = cloud->node_start[node]; k < cloud->node_start[node + 1]; ++k) {
                int32_t entry = cloud->node_entry[k];
                assert_int_equal(cloud->cell_node[entry], node);
                assert_true(entry % cloud->cell_nodes > last);
                last = entry % cloud->cell_nodes;
            }
        }
        clear_world(&w);
    }
}

static void every_particle_has_one_slot_of_its_cell(void **state)
{
    (void)state;
    world w = make_world(&(world_def){PLI_SPLINE_QUADRATIC, 2, 600, 0.9, "hencky,fluid"});
    const pli_cloud *cloud = w.cloud;
    int64_t stride = cloud->slot_room, seen = 0;
    for (int64_t cell = 0; cell < cloud->cell_count; ++cell) {
        for (int64_t slot = cloud->cell_slot[cell]; slot < cloud->cell_slot[cell + 1]; ++slot) {
            int64_t row = cloud->row[slot];
            if (row < 0) assert_true(cloud->mass[slot] == 0 && cloud->volume[slot] == 0);
            if (row < 0) continue;
            for (int k = 0; k < 3; ++k) {
                double x = cloud->origin[k] + cloud->dx * (cloud->cell_base[3 * cell + k] +
                                                           cloud->f[k * stride + slot]);
                NEAR(x, w.position[3 * row + k], 1e-14, 1e-15);
                assert_true(cloud->v[k * stride + slot] == w.velocity[3 * row + k]);
            }
            for (int k = 0; k < 9; ++k) {
                assert_true(cloud->F[k * stride + slot] == w.deformation[9 * row + k]);
                assert_true(cloud->C[k * stride + slot] == w.affine[9 * row + k]);
            }
            assert_int_equal(cloud->kind[slot], w.kind[row]);
            ++seen;
        }
    }
    assert_int_equal(seen, w.source.count);
    clear_world(&w);
}

static void nobody_has_no_energy(void **state)
{
    (void)state;
    world w = make_world(&(world_def){PLI_SPLINE_QUADRATIC, 2, 0, 1, "fixed-corotated"});
    pli_ell *matrix = make_matrix(&w);
    assert_int_equal(w.cloud->nodes->count, 0);
    assert_true(pli_sum_value(pli_implicit_term.energy(w.implicit, w.x)) == 0);
    pli_implicit_term.add_gradient(w.implicit, w.x, w.x);
    pli_implicit_assemble(w.implicit, w.x, true, matrix);
    OK(w.context, pli_implicit_prepare(w.implicit, w.x, true));
    pli_implicit_multiply(w.implicit, w.x, w.x);
    pli_ell_destroy(matrix);
    clear_world(&w);
}

// ---- promises

// Everything that passes give, one number after the other.
static double *list_results(const world *w, size_t *count)
{
    size_t nodes = (size_t)w->cloud->nodes->count, n = 3 * nodes;
    pli_ell *matrix = make_matrix(w);
    size_t values = 9 * nodes * (size_t)matrix->width;
    double *all = calloc(1 + 5 * n + 10 * nodes + values, sizeof *all), *next = all;
    double *d = random_vector(w, 9, 1);
    pli_cloud_to_nodes(w->cloud, true, next, next + nodes);
    next += 4 * nodes;
    pli_implicit_term.add_gradient(w->implicit, w->x, next);
    next += n;
    *next++ = pli_sum_value(pli_implicit_term.energy(w->implicit, w->x));
    pli_implicit_term.add_gradient(w->implicit, w->x, next);
    next += n;
    OK(w->context, pli_implicit_prepare(w->implicit, w->x, true));
    pli_implicit_multiply(w->implicit, d, next);
    next += n;
    pli_implicit_add_diagonal(w->implicit, next);
    next += 9 * nodes;
    pli_implicit_assemble(w->implicit, w->x, true, matrix);
    memcpy(next, matrix->values, values * sizeof *next);
    *count = (size_t)(next - all) + values;
    free(d);
    pli_ell_destroy(matrix);
    return all;
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (int spline = 0; spline < 3; ++spline) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            world w = make_world(&(world_def){(pli_spline_kind)spline, bits.threads, 3000, 1.5,
                                              "fixed-corotated,hencky,fixed-corotated"});
            size_t count;
            double *results = list_results(&w, &count);
            same_bits_keep(&bits, results, count * sizeof *results);
            free(results);
            clear_world(&w);
        }
    }
}

static void warm_calls_allocate_nothing(void **state)
{
    (void)state;
    world w = make_world(&(world_def){PLI_SPLINE_QUADRATIC, 2, 500, 0.7, "fixed-corotated,hencky"});
    pli_ell *matrix = make_matrix(&w);
    double *g = make_vector(&w), *blocks = calloc(9 * (size_t)w.cloud->nodes->count, sizeof *g);
    OK(w.context, pli_implicit_prepare(w.implicit, w.x, true));
    int64_t before = pli_context_allocation_count(w.context);
    build(&w);
    (void)pli_implicit_term.energy(w.implicit, w.x);
    pli_implicit_term.add_gradient(w.implicit, w.x, g);
    pli_implicit_assemble(w.implicit, w.x, true, matrix);
    OK(w.context, pli_implicit_prepare(w.implicit, w.x, true));
    pli_implicit_multiply(w.implicit, w.x, g);
    pli_implicit_add_diagonal(w.implicit, blocks);
    assert_int_equal(pli_context_allocation_count(w.context), before);
    free(g);
    free(blocks);
    pli_ell_destroy(matrix);
    clear_world(&w);
}

// Creates and uses everything in w.
static pli_status try_all(world *w)
{
    pli_cloud_def def = describe_cloud(w, PLI_SPLINE_QUADRATIC);
    PLI_TRY(pli_cloud_create(w->context, &def, &w->cloud));
    PLI_TRY(pli_implicit_create(w->context, w->cloud, w->kind_count, w->matter, &w->implicit));
    PLI_TRY(pli_cloud_build(w->cloud, &w->source));
    PLI_TRY(pli_implicit_begin(w->implicit));
    double *x = make_vector(w);
    pli_status status = pli_implicit_prepare(w->implicit, x, true);
    free(x);
    return status;
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    world w = {0};
    set_laws(&w, "fixed-corotated,hencky");
    make_rows(&w, &(world_def){PLI_SPLINE_QUADRATIC, 1, 300, 1, NULL});
    for (fault_sweep sweep = {.at_least = 20}; fault_sweep_next(&sweep);) {
        w.context = sweep.context;
        w.cloud = NULL;
        w.implicit = NULL;
        sweep.status = try_all(&w);
        // what failed once can be built
        fault_sweep_pause(&sweep);
        if (w.implicit != NULL) build(&w);
        pli_implicit_destroy(w.implicit);
        pli_cloud_destroy(w.cloud);
    }
    free_rows(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_splines_and_laws_equal_the_plain_passes),
        cmocka_unit_test(mixtures_of_laws_equal_the_plain_passes),
        cmocka_unit_test(crowded_cells_equal_the_plain_passes),
        cmocka_unit_test(the_matrix_is_symmetric_to_the_bit),
        cmocka_unit_test(the_matrix_is_added_to_what_is_there),
        cmocka_unit_test(a_gradient_after_its_energy_is_a_fresh_one),
        cmocka_unit_test(another_step_keeps_no_stress),
        cmocka_unit_test(an_undefined_energy_is_infinite_and_no_more_than_that),
        cmocka_unit_test(cells_and_nodes_know_each_other),
        cmocka_unit_test(every_particle_has_one_slot_of_its_cell),
        cmocka_unit_test(nobody_has_no_energy),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(warm_calls_allocate_nothing),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
