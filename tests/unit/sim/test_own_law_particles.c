// SPDX-License-Identifier: Apache-2.0
//
// Laws of users in scenes of particles, explicit and implicit, against the built-in ones that they
// copy: that of the example (without its fibres, Neo-Hookean rubber), and laws without any of the
// optional forms, which yield as others do.
#include "simulate.h"

#define main example_main
int example_main(void);
#include "../../../examples/own_material.c"
#undef main

enum { STEPS = 12 };

// A block that is thrown at the floor; the law and what else the material says are put in.
static const char block_text[] =
    "domain: {cell: 0.05, min: [0, 0, 0], max: [1, 1, 1]}\n"
    "materials: {m: {law: %s, density: 1000, young: 2e4, poisson: 0.3%s}}\n"
    "bodies:\n"
    "  block:\n"
    "    geometry: {particles: {shape: {box: {center: [0.5, 0.17, 0.5], size: [0.3, 0.2, "
    "0.25]}}}}\n"
    "    material: m\n"
    "    velocity: [0.3, -1, 0]\n"
    "    angular_velocity: [0, 0, 100]\n"
    "time: {frames: 1, fps: 200}\n"
    "solver: %s\n";

typedef struct run {
    const char *law;
    const char *rest; // of the material
    const char *solver;
} run;

// Copies of built-in laws with nothing but what a law must have.
static pli_material_ops bare_neo_hookean, bare_hencky, bare_corotated;

static void make_bare(const char *name, const char *own, pli_material_ops *law)
{
    *law = *pli_material_find(NULL, name);
    law->name = own;
    law->principal = NULL;
    law->lanes = NULL;
}

static pli_context *make_laws(int32_t threads)
{
    static const pli_material_ops *const laws[] = {&reinforced, &bare_neo_hookean, &bare_hencky,
                                                   &bare_corotated};
    pli_context_def def = pli_context_def_default();
    pli_context *context = NULL;
    rubber = pli_material_find(NULL, "neo-hookean");
    make_bare("neo-hookean", "bare-neo-hookean", &bare_neo_hookean);
    make_bare("hencky", "bare-hencky", &bare_hencky);
    make_bare("fixed-corotated", "bare-corotated", &bare_corotated);
    def.thread_count = threads;
    def.laws = laws;
    def.law_count = 4;
    OK(NULL, pli_context_create(&def, &context));
    return context;
}

static simulation simulate(const run *what, int32_t threads)
{
    char text[2048];
    simulation s;
    snprintf(text, sizeof text, block_text, what->law, what->rest, what->solver);
    simulation_init_in(&s, make_laws(threads), text);
    for (int k = 0; k < STEPS; ++k) {
        pli_step_report report;
        OK(s.context, pli_solver_step(s.solver, s.state, &report));
        AT_LEAST(report.stop, 1);
    }
    return s;
}

// The largest difference of both.
static double compare(const simulation *a, const simulation *b, const char *name)
{
    pli_state_array first, second;
    const double *x = simulation_array(a, name, &first), *y = simulation_array(b, name, &second);
    double most = 0;
    assert_int_equal(first.rows, second.rows);
    for (int64_t k = 0; k < first.rows * first.columns; ++k) most = fmax(most, fabs(x[k] - y[k]));
    return most;
}

static void expect_alike(const run *own, const char *copied, double tolerance)
{
    run built_in = *own;
    built_in.law = copied;
    if (strcmp(own->law, "reinforced") == 0) built_in.rest = "";
    simulation a = simulate(&built_in, 1), b = simulate(own, 1);
    AT_MOST(compare(&a, &b, "particle_positions"), tolerance);
    AT_MOST(compare(&a, &b, "particle_deformations"), 20 * tolerance);
    AT_MOST(compare(&a, &b, "particle_memories"), 20 * tolerance);
    simulation_clear(&b);
    simulation_clear(&a);
}

// Explicit steps of the built-in law are of single precision, 1e-7 of places and deformations in
// each of some hundred; implicit ones differ by rounding of the law, and by where a minimisation
// ends.
static const double explicit_tolerance = 2e-5, implicit_tolerance = 1e-7;

static void law_of_the_example_is_rubber_in_explicit_steps(void **state)
{
    (void)state;
    expect_alike(&(run){"reinforced", ", parameters: {fibres: 0}", "explicit"}, "neo-hookean",
                 explicit_tolerance);
}

static void law_of_the_example_is_rubber_in_implicit_steps(void **state)
{
    (void)state;
    static const char *const solvers[] = {"hot", "pn-pcg"};
    for (int k = 0; k < 2; ++k) {
        expect_alike(&(run){"reinforced", ", parameters: {fibres: 0}", solvers[k]}, "neo-hookean",
                     implicit_tolerance);
    }
}

static void fibres_pull(void **state)
{
    (void)state;
    static const char *const solvers[] = {"explicit", "hot"};
    for (int k = 0; k < 2; ++k) {
        simulation soft = simulate(&(run){"neo-hookean", "", solvers[k]}, 1);
        simulation firm =
            simulate(&(run){"reinforced", ", parameters: {fibres: 1e5}", solvers[k]}, 1);
        AT_LEAST(compare(&soft, &firm, "particle_positions"), 5 * explicit_tolerance);
        simulation_clear(&firm);
        simulation_clear(&soft);
    }
}

static void bare_laws_yield_as_built_in_ones_do(void **state)
{
    (void)state;
    static const struct {
        run own;
        const char *copied;
    } cases[] = {
        {{"bare-hencky", ", yield: {drucker-prager: 30}", "explicit"}, "hencky"},
        {{"bare-hencky", ", yield: {von-mises: {stress: 500, hardening: 1e3}}", "explicit"},
         "hencky"},
        {{"bare-neo-hookean", ", yield: {snow: {}}", "explicit"}, "neo-hookean"},
        {{"bare-hencky", ", yield: {drucker-prager: 30}", "hot"}, "hencky"},
        {{"bare-hencky", ", yield: {von-mises: 500}", "hot"}, "hencky"},
        {{"bare-corotated", ", yield: {snow: {}}", "hot"}, "fixed-corotated"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        bool is_explicit = strcmp(cases[k].own.solver, "explicit") == 0;
        expect_alike(&cases[k].own, cases[k].copied,
                     is_explicit ? explicit_tolerance : implicit_tolerance);
    }
}

static void own_laws_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    static const char *const solvers[] = {"explicit", "hot"};
    for (int k = 0; k < 2; ++k) {
        run what = {"reinforced", ", parameters: {fibres: 1e5}", solvers[k]};
        uint64_t hash = 0;
        for (int32_t threads = 1; threads <= 4; threads *= 2) {
            simulation s = simulate(&what, threads);
            if (threads > 1) assert_true(pli_state_hash(s.state) == hash);
            hash = pli_state_hash(s.state);
            simulation_clear(&s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_of_the_example_is_rubber_in_explicit_steps),
        cmocka_unit_test(law_of_the_example_is_rubber_in_implicit_steps),
        cmocka_unit_test(fibres_pull),
        cmocka_unit_test(bare_laws_yield_as_built_in_ones_do),
        cmocka_unit_test(own_laws_have_the_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
