// SPDX-License-Identifier: Apache-2.0
//
// One suite for all sources of directions of meshes. A row is a solver whose minimiser takes its
// directions from the source, for a bar that is held at one end; it is looked at after a step, away
// from the minimum, where the projected Hessian is definite:
//
//   - directions point downhill and leave fixed coordinates alone;
//   - linear sources solve as well as they are asked to;
//   - what begins forgets what was before, bits do not depend on the number of threads, and a warm
//     source allocates nothing.
//
// A new source is a row.
#include "derivatives.h"
#include "simulate.h"
#include "support/same_bits.h"

#include "base/context.h"
#include "linear/direct/cholesky.h"
#include "sim/step/mesh_stepper.h"

static const char *const bar =
    "materials: {soft: {law: stable-neo-hookean, density: 1000, young: 1e5, poisson: 0.4}}\n"
    "bodies: {bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [12, 3, 3]}}, material: soft}}\n"
    "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]\n"
    "time: {fps: 30, frames: 1}\n"
    "solver: ";

static const struct {
    const char *solver;
    bool is_exact;  // solves the whole system, to any tolerance
    bool is_direct; // left out where the build has no Cholesky
} rows[] = {
    {"pn-pcg", true, false},
    {"pn-sgs", true, false},
    {"pn-mgpcg", true, false},
    {"newton-multigrid", false, false},
    {"ipc-llt", true, true},
    {"{name: subspace, subspace: {handles: 9, hessian: full, preconditioner: blocks}}", false,
     false},
    {"{name: subspace, subspace: {handles: 9, hessian: full, preconditioner: factor}}", false,
     true},
    {"{name: subspace, subspace: {handles: 9, hessian: cubature, polish: 10}}", false, false},
};

enum { ROWS = sizeof rows / sizeof *rows };

// A source after a step, and a place at which it is asked.
typedef struct run {
    simulation s;
    pli_objective *objective;
    pli_direction_source source;
    int64_t n;
    double *x; // [n] (m)
    double *g; // [n] gradient at x (N)
    double *d; // [n] direction (m)
} run;

// Moves the free vertices about, differently for every seed.
static void place(run *r, uint64_t seed)
{
    const double *x = pli_state_get(r->s.state).positions;
    for (int64_t k = 0; k < r->n; ++k) {
        bool is_fixed = r->objective->fixed[k / 3] >> k % 3 & 1;
        double away = pli_random_range((pli_random){seed, 5}, (uint64_t)k, -0.01, 0.01);
        r->x[k] = x[k] + (is_fixed ? 0 : away);
    }
    bool changed = false;
    OK(r->s.context, pli_objective_prepare(r->objective, r->x, &changed));
    pli_objective_compute_gradient(r->objective, r->x, r->g);
}

static bool start(run *r, int row, int32_t threads)
{
    if (rows[row].is_direct && !pli_cholesky_is_available()) return false;
    *r = (run){0};
    char yaml[1024];
    snprintf(yaml, sizeof yaml, "%s%s\n", bar, rows[row].solver);
    simulation_init(&r->s, yaml, threads);
    simulation_step(&r->s);
    pli_mesh_stepper *meshes = pli_solver_meshes(r->s.solver);
    meshes->linear_source.relative_tolerance = 0;
    r->objective = &meshes->objective;
    r->source = meshes->subspace != NULL ? pli_subspace_source(meshes->subspace)
                                         : pli_linear_source_get(&meshes->linear_source);
    r->n = 3 * (int64_t)r->s.info.vertex_count;
    r->x = calloc(3 * (size_t)r->n, sizeof *r->x);
    r->g = r->x + r->n;
    r->d = r->g + r->n;
    return true;
}

static void clear(run *r)
{
    free(r->x);
    simulation_clear(&r->s);
}

// d of a minimisation that begins at the place of this seed.
static void direct(run *r, uint64_t seed, double tolerance)
{
    pli_direction_point at = {.objective = r->objective, .x = r->x, .alpha = 1, .projected = true};
    pli_direction_matrix made = {0};
    pli_direction_report report = {.step = -1};
    const pli_direction_ops *ops = r->source.ops;
    pli_arena *scratch = r->s.solver->scratch;
    place(r, seed);
    ops->begin(r->source.self);
    OK(r->s.context, ops->prepare(r->source.self, &at, &made));
    assert_true(made.usable && made.definite);
    pli_arena_mark mark = pli_arena_begin(scratch);
    OK(r->s.context, ops->solve(r->source.self, r->g, tolerance, scratch, r->d, &report));
    pli_arena_end(scratch, mark);
    assert_false(report.truncated);
}

static void directions_point_downhill_and_leave_fixed_coordinates_alone(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        run r;
        if (!start(&r, row, 1)) continue;
        for (uint64_t seed = 1; seed <= 4; ++seed) {
            direct(&r, seed, seed % 2 == 0 ? 0.5 : 1e-4);
            double size = derivatives_norm((int32_t)r.n, r.d) * derivatives_norm((int32_t)r.n, r.g);
            AT_MOST(derivatives_dot((int32_t)r.n, r.d, r.g), -1e-6 * size);
            int32_t fixed = 0;
            for (int64_t k = 0; k < r.n; ++k) {
                if (!(r.objective->fixed[k / 3] >> k % 3 & 1)) continue;
                NEAR(r.d[k], 0, 0, 0);
                ++fixed;
            }
            assert_int_equal(fixed, 3 * 4 * 4); // the face that is held
        }
        clear(&r);
    }
}

static void linear_sources_solve_as_well_as_they_are_asked_to(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        run r;
        if (!rows[row].is_exact || !start(&r, row, 1)) continue;
        direct(&r, 1, 1e-10);
        double *Hd = calloc((size_t)r.n, sizeof *Hd);
        pli_objective_multiply_hessian(r.objective, r.d, Hd);
        pli_objective_mask(r.objective, Hd);
        for (int64_t k = 0; k < r.n; ++k) Hd[k] += r.g[k];
        // solves end in the norm of a preconditioner, whose blocks differ by factors of ten
        double size = derivatives_norm((int32_t)r.n, r.g);
        AT_MOST(derivatives_norm((int32_t)r.n, Hd), 1e-9 * size);
        free(Hd);
        clear(&r);
    }
}

static void what_begins_forgets_and_allocates_nothing(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        run r;
        if (!start(&r, row, 1)) continue;
        size_t bytes = (size_t)r.n * sizeof *r.d;
        double *first = malloc(bytes);
        direct(&r, 1, 1e-4);
        memcpy(first, r.d, bytes);
        direct(&r, 2, 1e-4);
        assert_memory_not_equal(first, r.d, bytes);
        int64_t before = pli_context_allocation_count(r.s.context);
        direct(&r, 1, 1e-4);
        assert_memory_equal(first, r.d, bytes);
        assert_int_equal(pli_context_allocation_count(r.s.context), before);
        free(first);
        clear(&r);
    }
}

static void bits_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        if (rows[row].is_direct && !pli_cholesky_is_available()) continue;
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            run r;
            start(&r, row, bits.threads);
            direct(&r, 1, 1e-4);
            same_bits_keep(&bits, r.d, (size_t)r.n * sizeof *r.d);
            clear(&r);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_point_downhill_and_leave_fixed_coordinates_alone),
        cmocka_unit_test(linear_sources_solve_as_well_as_they_are_asked_to),
        cmocka_unit_test(what_begins_forgets_and_allocates_nothing),
        cmocka_unit_test(bits_do_not_depend_on_the_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
