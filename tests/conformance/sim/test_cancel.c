// SPDX-License-Identifier: Apache-2.0
//
// A step that its caller does not want any more ends soon, whatever computes it, and leaves nothing
// behind: the state is that before it, and the next step has the bits it would have had.
#include "simulate.h"

#include "base/timers.h"

#include <stdio.h>

static const char *const mesh_scene =
    "materials: {soft: {law: %s, density: 1000, young: 1e5, poisson: 0.3}}\n"
    "bodies:\n"
    "  cube: {geometry: {grid: {cells: [3, 3, 3]}}, material: soft, position: [0, 0.52, 0],\n"
    "    velocity: [0.5, -2, 0.3]}\n"
    "colliders: {ground: {shape: plane%s}}\n"
    "contact: {method: %s}\n"
    "time: {fps: 50, frames: 10}\n"
    "solver: {name: %s%s}\n";

static const char *const particle_scene =
    "domain: {cell: 0.1, min: [-1, -1, -1], max: [1, 1, 1]}\n"
    "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
    "bodies:\n"
    "  ball: {geometry: {particles: {shape: {sphere: {radius: 0.3}}}}, material: soft,\n"
    "    velocity: [0.5, -2, 0.3]}\n"
    "colliders: {ground: {shape: {plane: {point: [0, -0.3, 0]}}}}\n"
    "time: {fps: 50, frames: 10}\n"
    "solver: {name: %s%s}\n";

typedef struct sort {
    const char *solver;
    const char *law;     // of meshes; NULL: particles
    const char *contact; // of meshes
} sort;

static const sort sorts[] = {
    {"newton", "fixed-corotated", "none"},
    {"newton", "neo-hookean", "barrier"},
    {"newton-plain", "fixed-corotated", "none"},
    {"pn-pcg", "fixed-corotated", "none"},
    {"pn-sgs", "fixed-corotated", "none"},
    {"pn-mgpcg", "fixed-corotated", "none"},
    {"newton-multigrid", "fixed-corotated", "none"},
    {"ipc-pcg", "neo-hookean", "barrier"},
    {"ipc-llt", "neo-hookean", "barrier"},
    {"lbfgs", "fixed-corotated", "none"},
    {"vbd", "fixed-corotated", "none"},
    {"pd-multigrid", "corotated", "none"},
    {"pd-direct", "corotated", "none"},
    {"pd-pcg", "corotated", "none"},
    {"vivace", "corotated", "none"},
    {"chebyshev", "corotated", "none"},
    {"hot", NULL, NULL},
    {"lbfgs-h", NULL, NULL},
    {"lbfgs-gmg", NULL, NULL},
    {"pn-pcg", NULL, NULL},
    {"pn-pcg-mf", NULL, NULL},
    {"admm", NULL, NULL},
    {"semi-implicit", NULL, NULL},
    {"explicit", NULL, NULL},
    {"regional", NULL, NULL},
};

enum { SORTS = sizeof sorts / sizeof sorts[0] };

static void start(simulation *s, const sort *it, const char *more)
{
    char yaml[2048];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    // acceleration is for a fixed number of iterations, without the search for a decrease
    bool accelerated = strcmp(it->solver, "chebyshev") == 0;
    const char *fixed = more[0] == '\0' ? ", fixed_iterations: 10" : "";
    char options[128];
    snprintf(options, sizeof options, "%s%s%s", more, accelerated ? ", line_search: none" : "",
             accelerated ? fixed : "");
    if (it->law == NULL) {
        snprintf(yaml, sizeof yaml, particle_scene, it->solver, options);
    } else {
        bool projective = strcmp(it->law, "corotated") == 0;
        bool barrier = strcmp(it->contact, "barrier") == 0;
        const char *collides = projective ? ", method: quadratic" : ", method: penalty";
        snprintf(yaml, sizeof yaml, mesh_scene, it->law, barrier ? "" : collides, it->contact,
                 it->solver, options);
    }
#pragma GCC diagnostic pop
    simulation_init(s, yaml, 1);
}

// ---- soon

static const double patience = 0.3; // s until the caller has had enough
static const double most = 30;      // s: what does not end by itself takes days

static bool has_had_enough(void *user)
{
    return pli_clock_seconds() - *(const double *)user > patience;
}

// Steps until one is given up; false: they all ended by themselves.
static bool gives_up(const sort *it, const char *more)
{
    simulation s;
    start(&s, it, more);
    pli_status status = PLI_OK;
    double begin = 0;
    pli_solver_set_hooks(s.solver,
                         &(pli_solver_hooks){.cancel = has_had_enough, .cancel_user = &begin});
    for (int step = 0; step < 3 && status == PLI_OK; ++step) {
        uint64_t before = pli_state_hash(s.state);
        pli_step_report report;
        begin = pli_clock_seconds();
        status = pli_solver_step(s.solver, s.state, &report);
        AT_MOST(pli_clock_seconds() - begin, most);
        if (status == PLI_OK) continue;
        assert_int_equal(status, PLI_ERROR_INTERRUPTED);
        assert_true(pli_state_hash(s.state) == before);
    }
    simulation_clear(&s);
    return status != PLI_OK;
}

static void no_number_of_iterations_keeps_a_step_from_being_given_up(void **state)
{
    (void)state;
    int given_up = 0;
    for (int k = 0; k < SORTS; ++k) {
        given_up += gives_up(&sorts[k], ", fixed_iterations: 1000000000");
    }
    // many end where rounding lets nothing move; those that count alone do not
    AT_LEAST(given_up, 5);
}

static void no_number_of_inner_iterations_keeps_a_step_from_being_given_up(void **state)
{
    (void)state;
    static const char *const endless[] = {"vivace", "chebyshev"};
    for (int k = 0; k < 2; ++k) {
        const sort it = {endless[k], "corotated", "none"};
        assert_true(gives_up(&it, ", fixed_iterations: 1, linear_iterations: 1000000000"));
    }
    const sort conjugate = {"pd-pcg", "corotated", "none"};
    (void)gives_up(&conjugate, ", fixed_iterations: 1, linear_iterations: 1000000000");
}

// ---- without a trace

static bool after_some(void *user)
{
    int *left = user;
    return --*left <= 0;
}

static void a_step_that_was_given_up_leaves_nothing_behind(void **state)
{
    (void)state;
    enum { STEPS = 4 };
    for (int k = 0; k < SORTS; ++k) {
        simulation calm;
        simulation disturbed;
        start(&calm, &sorts[k], "");
        start(&disturbed, &sorts[k], "");
        for (int step = 0; step < STEPS; ++step) {
            pli_step_report report;
            pli_status status = PLI_ERROR_INTERRUPTED;
            // sooner and later, and then not at all
            for (int asks = 1; asks <= 64 && status == PLI_ERROR_INTERRUPTED; asks *= 2) {
                int left = asks;
                uint64_t before = pli_state_hash(disturbed.state);
                pli_solver_set_hooks(disturbed.solver, &(pli_solver_hooks){.cancel = after_some,
                                                                           .cancel_user = &left});
                status = pli_solver_step(disturbed.solver, disturbed.state, &report);
                if (status == PLI_OK) continue;
                assert_int_equal(status, PLI_ERROR_INTERRUPTED);
                assert_true(pli_state_hash(disturbed.state) == before);
            }
            pli_solver_set_hooks(disturbed.solver, NULL);
            if (status != PLI_OK) {
                OK(disturbed.context, pli_solver_step(disturbed.solver, disturbed.state, &report));
            }
            OK(calm.context, pli_solver_step(calm.solver, calm.state, &report));
            if (pli_state_hash(calm.state) != pli_state_hash(disturbed.state)) {
                fail_msg("%s: step %d has other bits after it was given up", sorts[k].solver,
                         step + 1);
            }
        }
        simulation_clear(&disturbed);
        simulation_clear(&calm);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_number_of_iterations_keeps_a_step_from_being_given_up),
        cmocka_unit_test(no_number_of_inner_iterations_keeps_a_step_from_being_given_up),
        cmocka_unit_test(a_step_that_was_given_up_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
