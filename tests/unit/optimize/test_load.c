// SPDX-License-Identifier: Apache-2.0
//
// Forces as a term: the gradient is that of the energy, single vertices see the same, and what is
// idle does nothing.
#include "derivatives.h"

#include "optimize/load.h"

enum { POINTS = 5 };

static const double forces[3 * POINTS] = {1, -2, 3, 0, 0, 0, 4, 0.5, -6, 7, 8, 9, -1e3, 2e-3, 0};

static double energy_at(void *user, const double *x)
{
    return pli_sum_value(pli_load_term.energy(user, x));
}

static void gradient_at(void *user, const double *x, double *g)
{
    memset(g, 0, 3 * POINTS * sizeof *g);
    pli_load_term.add_gradient(user, x, g);
}

static void gradient_is_that_of_the_energy(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_load load = {context, POINTS, forces};
    double x[3 * POINTS];
    for (int k = 0; k < 3 * POINTS; ++k) x[k] = 0.1 * k - 0.3;
    derivatives_case term = {.n = 3 * POINTS,
                             .energy = energy_at,
                             .gradient = gradient_at,
                             .user = &load,
                             .scale = 1,
                             .magnitude = 1e3};
    CHECK_DERIVATIVES(&term, x, "forces");
    pli_context_destroy(context);
}

static void vertices_see_their_part(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_load load = {context, POINTS, forces};
    static const int32_t vertices[2] = {3, 0};
    double x[3 * POINTS];
    double g[3 * POINTS] = {0};
    double seen[6] = {0};
    double energy[2] = {0};
    double H[12] = {0};
    for (int k = 0; k < 3 * POINTS; ++k) x[k] = k;
    pli_load_term.add_gradient(&load, x, g);
    pli_vertex_batch batch = {2, vertices, energy, seen, H};
    pli_load_term.add_vertices(&load, x, &batch);
    assert_memory_equal(seen, g + 9, 24);
    assert_memory_equal(seen + 3, g, 24);
    assert_true(energy[0] == -(7 * 9 + 8 * 10 + 9 * 11) && energy[1] == -(-2 * 1 + 3 * 2));
    for (int k = 0; k < 12; ++k) assert_true(H[k] == 0);
    pli_context_destroy(context);
}

static void an_idle_load_adds_nothing(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_load idle = {context, POINTS, NULL};
    static const int32_t vertices[POINTS] = {0, 1, 2, 3, 4};
    static const double x[3 * POINTS] = {1, 2, 3};
    const double zero[3 * POINTS] = {0};
    double energy[POINTS] = {0};
    double g[3 * POINTS] = {0};
    assert_true(energy_at(&idle, x) == 0);
    pli_load_term.add_gradient(&idle, x, g);
    pli_vertex_batch batch = {POINTS, vertices, energy, g, NULL};
    pli_load_term.add_vertices(&idle, x, &batch);
    assert_memory_equal(g, zero, sizeof g);
    assert_memory_equal(energy, zero, sizeof energy);
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_that_of_the_energy),
        cmocka_unit_test(vertices_see_their_part),
        cmocka_unit_test(an_idle_load_adds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
