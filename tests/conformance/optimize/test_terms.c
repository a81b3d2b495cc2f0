// SPDX-License-Identifier: Apache-2.0
//
// One suite for all energy terms of meshes. A row is a scene; every term of its objective is looked
// at alone, after a step that gave it targets, lags and contacts:
//
//   - gradient and Hessian are the derivatives of the energy;
//   - gradients and Hessians are added to what is there, and the Hessian is symmetric;
//   - projected Hessians are positive semi-definite;
//   - energy, gradient and Hessian have the same bits for any number of threads, and allocate
//   nothing.
//
// A new term is tested by a scene in which it has something to do; the last test says which terms
// met one.
#include "derivatives.h"
#include "simulate.h"
#include "support/matrix_checks.h"
#include "support/same_bits.h"

#include "base/context.h"
#include "fem/hinge.h"
#include "fem/membrane.h"
#include "math/vec3.h"
#include "sim/step/mesh_stepper.h"

#define SOFT                                                                                      \
    "  soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, drag: 2, rayleigh: " \
    "0.02}\n"
// sheets of 5 x 5 cells that hang from their corners in the wind, which is a drag
#define HANGING                                                                               \
    "attachments:\n"                                                                          \
    "  - {where: {box: {min: [-0.51, -1, -0.51], max: [-0.49, 1, -0.49]}}, stiffness: 100}\n" \
    "  - {where: {box: {min: [0.49, -1, -0.51], max: [0.51, 1, -0.49]}}, stiffness: 100}\n"
// two cubes in contact with each other and the ground, and sliding
#define CUBES(contact, ground)                                                                  \
    "materials:\n" SOFT "bodies:\n"                                                             \
    "  lower: {geometry: {grid: {cells: [1, 1, 1]}}, material: soft, position: [0, 0.51, 0],\n" \
    "    velocity: [0.2, 0, 0.1]}\n"                                                            \
    "  upper: {geometry: {grid: {size: [0.8, 0.8, 0.8], cells: [1, 1, 1]}}, material: soft,\n"  \
    "    position: [0.05, 1.42, 0.05], velocity: [0.5, -1, 0]}\n"                               \
    "colliders: {ground: {shape: plane, friction: 0.3" ground "}}\n" contact

static const struct {
    const char *name;
    const char *yaml;
    double amount;    // by which vertices are moved from where the step has left them (m)
    double scale;     // over which energies change their shape (m)
    double magnitude; // of what energies add up (J)
} rows[] = {
    {"tetrahedra",
     "materials:\n" SOFT "  firm: {law: stable-neo-hookean, density: 2000, young: 4e5, poisson: "
     "0.4}\n"
     "bodies:\n"
     "  bar: {geometry: {grid: {size: [0.6, 0.3, 0.3], cells: [2, 1, 1]}}, material: soft,\n"
     "    regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, material: "
     "firm}]}\n"
     "attachments: [{body: bar, where: {half_space: {point: [0.2, 0, 0], normal: [1, 0, 0]}}, "
     "stiffness: 300}]\n",
     0.1, 0.1, 1e4},
    {"quadratic tetrahedra",
     "materials:\n" SOFT "  firm: {law: stable-neo-hookean, density: 2000, young: 4e5, poisson: "
     "0.4}\n"
     "bodies:\n"
     "  bar: {geometry: {grid: {size: [0.6, 0.3, 0.3], cells: [2, 1, 1]}}, material: soft,\n"
     "    element: quadratic,\n"
     "    regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, material: "
     "firm}]}\n",
     0.05, 0.1, 1e4},
    {"locking-free tetrahedra",
     "materials:\n" SOFT "  firm: {law: stable-neo-hookean, density: 2000, young: 4e5, poisson: "
     "0.49, rayleigh: 0.01}\n"
     "bodies:\n"
     "  bar: {geometry: {grid: {size: [0.6, 0.3, 0.3], cells: [3, 2, 1]}}, material: soft,\n"
     "    element: locking-free,\n"
     "    regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, material: "
     "firm}]}\n",
     0.02, 0.05, 1e4},
    {"viscoelastic tetrahedra",
     "materials:\n  soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, "
     "rayleigh: "
     "0.02,\n    viscoelastic: [{ratio: 1, time: 0.01}, {ratio: 0.5, time: 0.1}]}\n"
     "  firm: {law: stable-neo-hookean, density: 2000, young: 4e5, poisson: 0.4}\n"
     "bodies:\n"
     "  bar: {geometry: {grid: {size: [0.6, 0.3, 0.3], cells: [2, 1, 1]}}, material: soft,\n"
     "    regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, material: "
     "firm}],\n"
     "    start: {stretched: [1.3, 0.7, 1]}}\n",
     0.1, 0.1, 1e4},
    {"viscoelastic quadratic tetrahedra",
     "materials:\n  soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, "
     "rayleigh: "
     "0.02,\n    viscoelastic: [{ratio: 1, time: 0.01}, {ratio: 0.5, time: 0.1}]}\n"
     "  firm: {law: stable-neo-hookean, density: 2000, young: 4e5, poisson: 0.4}\n"
     "bodies:\n"
     "  bar: {geometry: {grid: {size: [0.6, 0.3, 0.3], cells: [2, 1, 1]}}, material: soft, "
     "element: quadratic,\n"
     "    regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, material: "
     "firm}],\n"
     "    start: {stretched: [1.3, 0.7, 1]}}\n",
     0.05, 0.1, 1e4},
    {"projective tetrahedra",
     "materials: {soft: {law: corotated, density: 1000, mu: 2e4}}\n"
     "bodies: {bar: {geometry: {grid: {size: [0.6, 0.3, 0.3], cells: [2, 1, 1]}}, material: "
     "soft}}\n"
     "solver: pd-direct\n",
     0.05, 0.1, 1e4},
    {"shell",
     "materials: {cotton: {law: stable-neo-hookean, density: 400, young: 1e5, poisson: 0.3, "
     "rayleigh: 0.01}}\n"
     "bodies: {sheet: {kind: shell, geometry: {sheet: {columns: 5, rows: 5}}, material: cotton}}\n"
     "contact: none\n" HANGING,
     0.02, 0.02, 1e3},
    {"folding shell",
     "materials: {paper: {law: stable-neo-hookean, density: 400, young: 1e5, poisson: 0.3, "
     "rayleigh: 0.01}}\n"
     "bodies: {sheet: {kind: shell, geometry: {sheet: {columns: 5, rows: 5}}, material: paper,\n"
     "  fold: {angle: 5, hardening: 0.2}}}\n"
     "contact: none\n" HANGING,
     0.02, 0.02, 1e3},
    {"plate",
     "materials: {cotton: {law: stable-neo-hookean, density: 400, young: 1e5, poisson: 0.3, "
     "rayleigh: 0.01}}\n"
     "bodies: {sheet: {kind: shell, geometry: {sheet: {columns: 5, rows: 5}}, material: cotton,\n"
     "  bending_model: plate}}\n"
     "contact: none\n" HANGING,
     0.02, 0.02, 1e3},
    {"cloth",
     "bodies: {cloth: {kind: cloth, geometry: {sheet: {columns: 5, rows: 5}},\n"
     "  springs: {rayleigh: 0.02, drag: 4}}}\n"
     "contact: none\n" HANGING,
     0.02, 0.05, 1e3},
    {"barriers", CUBES("contact: {method: barrier, distance: 2e-2, friction: 0.3}\n", ""), 1e-4,
     1e-3, 1e4},
    // the pressure is that on all of the surface, which is closed; unit.fem.pressure has open ones
    {"loads",
     "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
     "bodies: {bar: {geometry: {grid: {size: [0.6, 0.3, 0.3], cells: [2, 1, 1]}}, material: "
     "soft}}\n"
     "loads:\n"
     "  - {pressure: 1e3}\n"
     "  - {traction: [0, 10, 0], where: {half_space: {point: [0.29, 0, 0], normal: [1, 0, 0]}}}\n"
     "  - {acceleration: [1, 2, 3], over_time: [{time: 0, factor: 0}, {time: 1, factor: 2}]}\n",
     0.02, 0.1, 1e3},
    {"cavities",
     "materials: {skin: {law: stable-neo-hookean, density: 400, young: 1e5, poisson: 0.3}}\n"
     "bodies:\n"
     "  given: {kind: shell, geometry: {grid: {cells: [2, 1, 1]}}, material: skin}\n"
     "  gas: {kind: shell, geometry: {grid: {cells: [1, 2, 1]}}, material: skin, position: [2, 0, "
     "0]}\n"
     "  liquid: {kind: shell, geometry: {grid: {cells: [1, 1, 2]}}, material: skin, position: [4, "
     "0, 0]}\n"
     "cavities:\n"
     "  pump: {body: given, content: {pressure: 100}}\n"
     "  air: {body: gas, content: {gas: {pressure: 100, ambient: 1000}}}\n"
     "  water: {body: liquid, content: {liquid: {bulk: 1e4}}}\n"
     "contact: none\n",
     0.02, 0.1, 1e4},
    {"penalties", CUBES("contact: penalty\n", ", method: penalty"), 1e-3, 1e-2, 1e4},
};

enum { ROWS = sizeof rows / sizeof *rows };

// A scene after a step, and the places at which its terms are looked at.
typedef struct scene {
    simulation s;
    pli_objective *objective;
    pli_bcsr *H; // with the pattern of all terms, which are bound to it
    int32_t n;
    double *x;
} scene;

static scene start(int row, int32_t threads)
{
    scene one = {0};
    simulation_init(&one.s, rows[row].yaml, threads);
    double *forces = calloc(3 * (size_t)one.s.info.vertex_count, sizeof *forces);
    for (int32_t k = 0; k < 3 * one.s.info.vertex_count; ++k) forces[k] = 0.1 * (k % 5);
    OK(one.s.context, pli_state_set_forces(one.s.state, forces));
    free(forces);
    pli_step_report report;
    OK(one.s.context, pli_solver_step(one.s.solver, one.s.state, &report));
    one.objective = &pli_solver_meshes(one.s.solver)->objective;
    one.n = 3 * one.s.info.vertex_count;
    one.x = calloc((size_t)one.n, sizeof *one.x);
    assert_non_null(one.x);
    const double *x = pli_state_get(one.s.state).positions;
    for (int32_t k = 0; k < one.n; ++k) {
        one.x[k] = x[k] + pli_random_range((pli_random){7, 3}, (uint64_t)k, -rows[row].amount,
                                           rows[row].amount);
    }
    pli_clique_list lists[PLI_OBJECTIVE_TERMS];
    int32_t count = pli_objective_get_cliques(one.objective, lists);
    OK(one.s.context, pli_bcsr_create(one.s.context, one.n / 3, count, lists, &one.H));
    for (int32_t k = 0; k < one.objective->term_count; ++k) {
        const pli_term *term = &one.objective->terms[k];
        bool changed = false;
        if (term->ops->bind != NULL) OK(one.s.context, term->ops->bind(term->self, one.H));
        if (term->ops->prepare == NULL) continue;
        OK(one.s.context, term->ops->prepare(term->self, one.x, one.H, &changed));
    }
    return one;
}

static void clear(scene *one)
{
    free(one->x);
    pli_bcsr_destroy(one->H);
    simulation_clear(&one->s);
}

// ---- derivatives

typedef struct term_case {
    const pli_term *term;
    pli_bcsr *H;
} term_case;

static double case_energy(void *user, const double *x)
{
    const pli_term *term = ((term_case *)user)->term;
    return pli_sum_value(term->ops->energy(term->self, x));
}

static void case_gradient(void *user, const double *x, double *g)
{
    const term_case *one = user;
    memset(g, 0, 3 * (size_t)one->H->row_count * sizeof *g);
    one->term->ops->add_gradient(one->term->self, x, g);
}

static void add_hessian(const pli_term *term, const double *x, bool projected, pli_bcsr *H)
{
    pli_bcsr_set_zero(H);
    if (term->ops->add_hessian != NULL) term->ops->add_hessian(term->self, x, projected, H);
    pli_bcsr_close_extra(H);
}

static void case_multiply(void *user, const double *x, const double *d, double *Hd)
{
    const term_case *one = user;
    const pli_term *term = one->term;
    add_hessian(term, x, false, one->H);
    pli_bcsr_multiply(one->H, d, Hd);
    if (term->ops->add_low_rank == NULL) return;
    pli_low_rank *part = NULL;
    pli_context *context = one->H->context;
    OK(context, pli_low_rank_create(context, 3 * (int64_t)one->H->row_count,
                                    term->ops->count_low_rank(term->self), &part));
    term->ops->add_low_rank(term->self, x, part);
    pli_low_rank_multiply_add(part, d, Hd);
    pli_low_rank_destroy(part);
}

static void gradients_and_hessians_are_derivatives_of_the_energy(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        scene one = start(row, 2);
        for (int32_t k = 0; k < one.objective->term_count; ++k) {
            term_case user = {&one.objective->terms[k], one.H};
            derivatives_case term = {.n = one.n,
                                     .energy = case_energy,
                                     .gradient = case_gradient,
                                     .multiply = case_multiply,
                                     .user = &user,
                                     .scale = rows[row].scale,
                                     .magnitude = rows[row].magnitude};
            char what[128];
            snprintf(what, sizeof what, "%s of %s", user.term->ops->name, rows[row].name);
            // works in single precision; unit.fem.projective compares it with the exact term
            if (user.term->ops == &pli_projective_term) continue;
            CHECK_DERIVATIVES(&term, one.x, what);
        }
        clear(&one);
    }
}

// ---- sums and signs

static void terms_add_to_what_is_there(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        scene one = start(row, 1);
        double *alone = calloc(3 * (size_t)one.n, sizeof *alone);
        double *sum = alone + one.n, *twice = sum + one.n;
        for (int32_t k = 0; k < one.objective->term_count; ++k) {
            const pli_term *term = &one.objective->terms[k];
            pli_bcsr *H = one.H;
            memset(alone, 0, (size_t)one.n * sizeof *alone);
            for (int32_t i = 0; i < one.n; ++i) sum[i] = i % 7;
            term->ops->add_gradient(term->self, one.x, alone);
            term->ops->add_gradient(term->self, one.x, sum);
            for (int32_t i = 0; i < one.n; ++i) NEAR(sum[i] - i % 7, alone[i], 1e-12, 1e-12);
            if (term->ops->add_hessian == NULL) continue;
            add_hessian(term, one.x, true, H);
            if (pli_bcsr_symmetry_error(H) > 1e-12)
                fprintf(stderr, "SYM %s %s %g\n", rows[row].name, term->ops->name,
                        pli_bcsr_symmetry_error(H));
            pli_bcsr_multiply(H, sum, alone);
            term->ops->add_hessian(term->self, one.x, true, H);
            pli_bcsr_close_extra(H);
            pli_bcsr_multiply(H, sum, twice);
            double size = derivatives_norm(one.n, twice);
            for (int32_t i = 0; i < one.n; ++i) NEAR(twice[i], 2 * alone[i], 0, 1e-12 * size);
        }
        free(alone);
        clear(&one);
    }
}

static void projected_hessians_are_positive(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        scene one = start(row, 1);
        double *d = calloc(2 * (size_t)one.n, sizeof *d), *Hd = d + one.n;
        for (int32_t k = 0; k < one.objective->term_count; ++k) {
            add_hessian(&one.objective->terms[k], one.x, true, one.H);
            for (uint64_t trial = 0; trial < 100; ++trial) {
                for (int32_t i = 0; i < one.n; ++i) {
                    d[i] = pli_random_normal((pli_random){11, trial}, (uint64_t)i);
                }
                pli_bcsr_multiply(one.H, d, Hd);
                double size = derivatives_norm(one.n, d) * derivatives_norm(one.n, Hd);
                AT_LEAST(derivatives_dot(one.n, d, Hd), -1e-12 * size);
            }
        }
        free(d);
        clear(&one);
    }
}

// Forces between parts of a body add up to nothing, and turn nothing.
static void internal_forces_have_no_resultant(void **state)
{
    (void)state;
    const pli_term_ops *const internal[] = {&pli_elastic_term,         &pli_elastic_upright_term,
                                            &pli_elastic_patched_term, &pli_membrane_term,
                                            &pli_hinges_term,          &pli_spring_term};
    enum { INTERNAL = sizeof internal / sizeof *internal };
    int met = 0;
    for (int row = 0; row < ROWS; ++row) {
        scene one = start(row, 1);
        double *g = calloc((size_t)one.n, sizeof *g);
        for (int32_t k = 0; k < INTERNAL * one.objective->term_count; ++k) {
            const pli_term *term = &one.objective->terms[k / INTERNAL];
            if (term->ops != internal[k % INTERNAL]) continue;
            double force[3] = {0}, torque[3] = {0}, turn[3];
            memset(g, 0, (size_t)one.n * sizeof *g);
            term->ops->add_gradient(term->self, one.x, g);
            for (int32_t i = 0; i < one.n; i += 3) {
                pli_vec3_add(force, g + i, force);
                pli_vec3_cross(one.x + i, g + i, turn);
                pli_vec3_add(torque, turn, torque);
            }
            double size = derivatives_norm(one.n, g);
            AT_MOST(fmax(pli_vec3_norm(force), pli_vec3_norm(torque)), 1e-11 * size);
            met += size > 1e-3;
        }
        free(g);
        clear(&one);
    }
    AT_LEAST(met, 4);
}

// ---- promises

static void terms_have_the_same_bits_for_any_thread_count_and_allocate_nothing(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            scene one = start(row, bits.threads);
            double *g = calloc((size_t)one.n, sizeof *g);
            pli_bcsr *H = one.H;
            for (int32_t k = 0; k < one.objective->term_count; ++k) {
                const pli_term *term = &one.objective->terms[k];
                int64_t calls = pli_context_allocation_count(one.s.context);
                same_bits_keep_double(&bits, pli_sum_value(term->ops->energy(term->self, one.x)));
                term->ops->add_gradient(term->self, one.x, g);
                same_bits_keep(&bits, g, (size_t)one.n * sizeof *g);
                add_hessian(term, one.x, true, H);
                same_bits_keep(&bits, H->values, 9 * (size_t)H->block_count * sizeof *H->values);
                same_bits_keep(&bits, H->extra.blocks,
                               (size_t)H->extra.count * sizeof *H->extra.blocks);
                assert_int_equal(pli_context_allocation_count(one.s.context), calls);
            }
            free(g);
            clear(&one);
        }
    }
}

// Every kind of term meets a scene in which its gradient is not zero.
static void every_term_has_something_to_do(void **state)
{
    (void)state;
    enum { MOST = 64 };
    const char *names[MOST];
    double forces[MOST];
    int count = 0;
    for (int row = 0; row < ROWS; ++row) {
        scene one = start(row, 1);
        double *g = calloc((size_t)one.n, sizeof *g);
        for (int32_t k = 0; k < one.objective->term_count; ++k) {
            const pli_term *term = &one.objective->terms[k];
            int known = 0;
            while (known < count && strcmp(names[known], term->ops->name) != 0) ++known;
            assert_true(known < MOST);
            if (known == count) forces[count++] = 0;
            names[known] = term->ops->name;
            memset(g, 0, (size_t)one.n * sizeof *g);
            term->ops->add_gradient(term->self, one.x, g);
            forces[known] = fmax(forces[known], derivatives_norm(one.n, g));
        }
        free(g);
        clear(&one);
    }
    for (int k = 0; k < count; ++k) {
        if (!(forces[k] > 1e-6)) fail_msg("term '%s' has no force in any scene", names[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_and_hessians_are_derivatives_of_the_energy),
        cmocka_unit_test(terms_add_to_what_is_there),
        cmocka_unit_test(projected_hessians_are_positive),
        cmocka_unit_test(internal_forces_have_no_resultant),
        cmocka_unit_test(terms_have_the_same_bits_for_any_thread_count_and_allocate_nothing),
        cmocka_unit_test(every_term_has_something_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
