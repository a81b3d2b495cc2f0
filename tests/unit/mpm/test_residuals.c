// SPDX-License-Identifier: Apache-2.0
//
// What implicit steps leave of forces (H17), and how large they are (implicit_sizes.h): nodes
// against the norm of the convergence test, particles against a plain sum over nodes, counts
// against those of a cloud.
#include "grid_world.h"
#include "materials.h"
#include "support/fault_sweep.h"

#include "base/arena.h"
#include "mpm/implicit/implicit_sizes.h"

enum { SIDE = 12, MOST = SIDE * SIDE * SIDE, KINDS = 2 };

// A block of matter, stiff on one side, that falls on a floor on which it slides, beside a post
// that it sticks to; all of it is shaken.
typedef struct block {
    world *w;
    pli_implicit_stepper *stepper;
    pli_arena *scratch;
    pli_timers timers;
    pli_cloud_source source;
    double position[3 * MOST], velocity[3 * MOST], affine[9 * MOST], deformation[9 * MOST],
        memory[MOST];
    int32_t kind[MOST];

    // heard
    int32_t iterates;
    int32_t node_count;
    double *nodes; // [node_count]
    double particles[MOST];
} block;

static void fill(block *b)
{
    for (int64_t k = 0; k < MOST; ++k) {
        const int64_t at[3] = {k / SIDE / SIDE, k / SIDE % SIDE, k % SIDE};
        pli_random random = {5, (uint64_t)k};
        for (int a = 0; a < 3; ++a) {
            b->position[3 * k + a] = 0.0625 * ((double)at[a] + 0.5) - (a == 1 ? 0.1 : 0.4);
            b->velocity[3 * k + a] = pli_random_range(random, (uint64_t)a, -1, 1) - 2 * (a == 1);
        }
        pli_mat3_identity(b->deformation + 9 * k);
        b->memory[k] = 1;
        b->kind[k] = at[0] > SIDE / 2;
    }
    b->source = (pli_cloud_source){.count = MOST,
                                   .position = b->position,
                                   .velocity = b->velocity,
                                   .affine = b->affine,
                                   .deformation = b->deformation,
                                   .memory = b->memory,
                                   .kind = b->kind};
}

static pli_implicit_stepper_def describe(const world *w, pli_implicit_method method)
{
    return (pli_implicit_stepper_def){
        .cloud = {.spline = PLI_SPLINE_QUADRATIC,
                  .dx = 0.125,
                  .origin = {-2, -2, -2},
                  .kind_count = KINDS},
        .gravity = {0, -9.81, 0},
        .borrowed_colliders = w->set,
        .affine = true,
        .method = method,
        .source = {.assembled = method == PLI_IMPLICIT_LBFGS,
                   .projected = true,
                   .preconditioner = method == PLI_IMPLICIT_LBFGS ? PLI_NODE_EMBEDDED_CYCLE
                                                                  : PLI_NODE_BLOCK_JACOBI,
                   .rule = method == PLI_IMPLICIT_LBFGS ? PLI_NODE_ONCE : PLI_NODE_INEXACT,
                   .max_iterations = 1000,
                   .multigrid = pli_node_multigrid_def_default()},
        .tolerance = 1e-7,
        .max_iterations = 100,
        .window = 8,
        .search = {.kind = PLI_SEARCH_BACKTRACKING, .max_evaluations = 40}};
}

static block *block_make(pli_implicit_method method)
{
    block *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->w = world_make(2);
    world *w = b->w;
    world_add(w, world_plane(w, 0, 1, 0), PLI_GRID_SLIP, 0);
    world_add(w, world_sphere(w, 0.5, 0.4, 0, 0.2), PLI_GRID_STICKY, 0);
    world_build(w);
    fill(b);
    pli_implicit_stepper_def def = describe(w, method);
    double volume = pow(0.0625, 3);
    pli_cloud_kind sizes[KINDS] = {{1000 * volume, volume}, {2000 * volume, volume}};
    pli_material matter[KINDS] = {material_solid("fixed-corotated", 1000, 1e4, 0.3),
                                  material_solid("neo-hookean", 2000, 1e7, 0.3)};
    pli_implicit_kind kinds[KINDS] = {pli_implicit_kind_make(&matter[0], false),
                                      pli_implicit_kind_make(&matter[1], false)};
    def.cloud.kinds = sizes;
    def.kinds = kinds;
    OK(w->context, pli_implicit_stepper_create(w->context, &def, &b->stepper));
    OK(w->context, pli_arena_create(w->context, 1 << 16, &b->scratch));
    OK(w->context, pli_implicit_stepper_load(b->stepper, &b->source));
    b->node_count = pli_implicit_stepper_nodes(b->stepper)->count;
    b->nodes = calloc((size_t)b->node_count, sizeof *b->nodes);
    assert_non_null(b->nodes);
    return b;
}

static void block_destroy(block *b)
{
    pli_implicit_stepper_destroy(b->stepper);
    pli_arena_destroy(b->scratch);
    world_destroy(b->w);
    free(b->nodes);
    free(b);
}

static double root_mean_square(const block *b)
{
    double sum = 0;
    for (int32_t k = 0; k < b->node_count; ++k) sum += b->nodes[k] * b->nodes[k];
    return sqrt(sum / b->node_count);
}

static void hear(void *user, const pli_iterate *iterate)
{
    block *b = user;
    assert_non_null(iterate->g);
    pli_implicit_stepper_measure(b->stepper, iterate->g, b->nodes, b->particles);
    // the same numbers summed in another order
    NEAR(root_mean_square(b), iterate->residual, 1e-12, 0);
    ++b->iterates;
}

static pli_implicit_report step(block *b, bool is_watched)
{
    pli_implicit_report report;
    pli_cloud_target to = {.position = b->position,
                           .velocity = b->velocity,
                           .affine = b->affine,
                           .deformation = b->deformation};
    pli_minimize_env env = {.timers = &b->timers,
                            .scratch = b->scratch,
                            .monitor = is_watched ? hear : NULL,
                            .user = b};
    OK(b->w->context, pli_implicit_stepper_step(b->stepper, &to, 5e-3, &env, &report));
    assert_true(report.outcome.stop > 0);
    return report;
}

static void nodes_have_what_the_norm_is_made_of(void **state)
{
    (void)state;
    static const pli_implicit_method methods[] = {PLI_IMPLICIT_LBFGS, PLI_IMPLICIT_NEWTON};
    for (int k = 0; k < 2; ++k) {
        block *b = block_make(methods[k]);
        pli_implicit_report report = step(b, true);
        assert_int_equal(b->iterates, report.outcome.iterations + report.rounds);
        assert_int_equal(pli_implicit_stepper_round(b->stepper), report.rounds);
        assert_true(report.held > 0 && report.outcome.iterations > 2);
        block_destroy(b);
    }
}

// What is kept in the end is that of the last iterate, and watching changes nothing.
static void the_last_iterate_is_kept(void **state)
{
    (void)state;
    block *watched = block_make(PLI_IMPLICIT_LBFGS), *quiet = block_make(PLI_IMPLICIT_LBFGS);
    static double kept[MOST];
    step(watched, true);
    pli_implicit_stepper_keep(quiet->stepper, kept);
    step(quiet, false);
    assert_memory_equal(quiet->position, watched->position, sizeof quiet->position);
    double most = 0;
    for (int k = 0; k < MOST; ++k) {
        // sums of the same numbers; the gradient is computed once more, in the same order
        NEAR(kept[k], watched->particles[k], 1e-12, 1e-20);
        assert_true(kept[k] >= 0);
        most = fmax(most, kept[k]);
    }
    AT_LEAST(most, 1e-12);
    block_destroy(watched);
    block_destroy(quiet);
}

// ---- nodes to particles

static pli_status make_cloud(pli_context *context, pli_spline_kind spline, const block *b,
                             pli_cloud **cloud)
{
    pli_cloud_kind sizes[KINDS] = {{1, 1}, {2, 1}};
    pli_cloud_def def = {
        .spline = spline, .dx = 0.125, .origin = {-2, -2, -2}, .kind_count = KINDS, .kinds = sizes};
    PLI_TRY(pli_cloud_create(context, &def, cloud));
    return pli_cloud_build(*cloud, &b->source);
}

// sum w_ip q_i, one node after the other
static double sample_plainly(const pli_cloud *cloud, const double *q, const double x[3])
{
    double sum = 0;
    int32_t low[3], width = cloud->width;
    pli_d4 w[3][PLI_SPLINE_WIDTH], d[PLI_SPLINE_WIDTH];
    for (int a = 0; a < 3; ++a) {
        double u = (x[a] - cloud->origin[a]) / cloud->dx, base = pli_spline_base(cloud->spline, u);
        double f = u - base;
        low[a] = (int32_t)base;
        pli_spline_weights(width, (pli_d4){f, f, f, f}, w[a], d);
    }
    for (int32_t n = 0; n < width * width * width; ++n) {
        const int32_t i = n / (width * width), j = n / width % width, k = n % width;
        const int32_t at[3] = {low[0] + i, low[1] + j, low[2] + k};
        int32_t node = pli_node_grid_find(cloud->nodes, at);
        assert_true(node >= 0);
        sum += w[0][i][0] * w[1][j][0] * w[2][k][0] * q[node];
    }
    return sum;
}

static void particles_have_the_mean_of_their_nodes(void **state)
{
    (void)state;
    block *b = calloc(1, sizeof *b);
    assert_non_null(b);
    fill(b);
    for (int spline = PLI_SPLINE_LINEAR; spline <= PLI_SPLINE_CUBIC; ++spline) {
        pli_context *context = make_context(2);
        pli_cloud *cloud = NULL;
        OK(context, make_cloud(context, (pli_spline_kind)spline, b, &cloud));
        double *q = calloc((size_t)cloud->nodes->count, sizeof *q);
        assert_non_null(q);
        for (int32_t k = 0; k < cloud->nodes->count; ++k) {
            q[k] = pli_random_range((pli_random){7, 0}, (uint64_t)k, 0, 1);
        }
        pli_cloud_sample(cloud, q, b->particles);
        for (int64_t k = 0; k < MOST; ++k) {
            // up to 64 terms below one
            NEAR(b->particles[k], sample_plainly(cloud, q, b->position + 3 * k), 0, 1e-14);
        }
        for (int32_t k = 0; k < cloud->nodes->count; ++k) q[k] = 3;
        pli_cloud_sample(cloud, q, b->particles);
        for (int64_t k = 0; k < MOST; ++k) NEAR(b->particles[k], 3, 1e-14, 0);
        free(q);
        pli_cloud_destroy(cloud);
        pli_context_destroy(context);
    }
    free(b);
}

// ---- sizes

static void counts_are_those_of_a_cloud(void **state)
{
    (void)state;
    block *b = calloc(1, sizeof *b);
    assert_non_null(b);
    fill(b);
    for (int spline = PLI_SPLINE_LINEAR; spline <= PLI_SPLINE_CUBIC; ++spline) {
        pli_context *context = make_context(1);
        pli_cloud *cloud = NULL;
        pli_implicit_sizes sizes;
        OK(context, make_cloud(context, (pli_spline_kind)spline, b, &cloud));
        pli_cloud_def def = {
            .spline = (pli_spline_kind)spline, .dx = 0.125, .origin = {-2, -2, -2}};
        OK(context, pli_implicit_sizes_count(context, &def, MOST, b->position, &sizes));
        assert_int_equal(sizes.particles, MOST);
        assert_int_equal(sizes.cells, cloud->cell_count);
        assert_int_equal(sizes.nodes, cloud->nodes->count);
        int32_t reach = cloud->width - 1, side = 2 * reach + 1, slots = side * side * side;
        int64_t entries = (int64_t)cloud->nodes->count * slots, filled = 0;
        int32_t *columns = malloc((size_t)entries * sizeof *columns);
        assert_non_null(columns);
        pli_node_grid_neighbors(cloud->nodes, reach, columns);
        for (int64_t k = 0; k < entries; ++k) filled += columns[k] >= 0;
        // there are fewer nodes than are sampled, so that all of them are
        NEAR(sizes.neighbors, (double)filled / cloud->nodes->count, 1e-14, 0);
        OK(context, pli_implicit_sizes_count(context, &def, 0, NULL, &sizes));
        assert_true(sizes.nodes == 0 && sizes.neighbors == 0);
        free(columns);
        pli_cloud_destroy(cloud);
        pli_context_destroy(context);
    }
    free(b);
}

// What a stepper has after a step, but for the arena, is close to what was said before it.
static void bytes_are_as_estimated(void **state)
{
    (void)state;
    static const pli_implicit_method methods[] = {PLI_IMPLICIT_LBFGS, PLI_IMPLICIT_NEWTON};
    for (int k = 0; k < 2; ++k) {
        block *b = block_make(methods[k]);
        pli_implicit_stepper_def def = describe(b->w, methods[k]);
        pli_implicit_sizes sizes;
        OK(b->w->context,
           pli_implicit_sizes_count(b->w->context, &def.cloud, MOST, b->source.position, &sizes));
        step(b, false);
        double bytes = (double)pli_implicit_stepper_memory(b->stepper);
        const pli_node_multigrid *multigrid = pli_implicit_stepper_multigrid(b->stepper);
        for (int32_t l = 0; multigrid != NULL && l < pli_node_multigrid_level_count(multigrid);
             ++l) {
            bytes += (double)pli_node_multigrid_get_level(multigrid, l).memory;
        }
        double pairs = methods[k] == PLI_IMPLICIT_LBFGS ? 2 * 9 * 24.0 * b->node_count : 0;
        bytes += pairs + (double)pli_arena_peak(b->scratch);
        // rooms of a quarter more, and how full rows are, are known to a tenth
        NEAR((double)pli_implicit_sizes_memory(&sizes, &def), bytes, 0.15, 0);
        block_destroy(b);
    }
}

static void counting_without_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    block *b = calloc(1, sizeof *b);
    assert_non_null(b);
    fill(b);
    pli_cloud_def def = {.spline = PLI_SPLINE_QUADRATIC, .dx = 0.125, .origin = {-2, -2, -2}};
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_implicit_sizes sizes;
        sweep.status = pli_implicit_sizes_count(sweep.context, &def, MOST, b->position, &sizes);
    }
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_have_what_the_norm_is_made_of),
        cmocka_unit_test(the_last_iterate_is_kept),
        cmocka_unit_test(particles_have_the_mean_of_their_nodes),
        cmocka_unit_test(counts_are_those_of_a_cloud),
        cmocka_unit_test(bytes_are_as_estimated),
        cmocka_unit_test(counting_without_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests_name("residuals", tests, NULL, NULL);
}
