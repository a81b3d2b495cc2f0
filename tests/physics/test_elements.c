// SPDX-License-Identifier: Apache-2.0
//
// Kinds of tetrahedra: what they reproduce exactly, how fast they converge, and that those which
// are meant not to lock do not.
#include "simulate.h"

#include "math/mat3.h"
#include "math/vec3.h"
#include "support/solid_elements.h"
#include "support/solid_mesh.h"
#include "support/solid_run.h"

enum { KINDS = 3 };
static const char *const elements[KINDS] = {"linear", "quadratic", "locking-free"};

static const char *const quasi_static = "gravity: [0, 0, 0]\n"
                                        "solver: {name: pn-pcg, linear: cholesky, tolerance: "
                                        "1e-10, max_iterations: 500}\n"
                                        "time: {fps: 1, frames: 1, mode: quasi-static}\n";

// A scene whose only body is the unit cube, cut into n cells a side, with points that place moves.
static void block_init(simulation *s, int32_t n, pli_solid_place_fn place, const char *yaml)
{
    pli_context *context = make_context(1);
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_solid_block(context, (const int32_t[3]){n, n, n}, place, NULL, &mesh));
    pli_mesh_data data = pli_solid_mesh_data(mesh);
    simulation_init_mesh(s, yaml, &data);
    pli_tet_mesh_destroy(mesh);
    pli_context_destroy(context);
}

// ---- what is reproduced exactly

// A cube whose inner points are shaken.
static void place_shaken(const void *user, const double s[3], double x[3])
{
    (void)user;
    for (int k = 0; k < 3; ++k) {
        bool inside =
            s[0] > 0.01 && s[0] < 0.99 && s[1] > 0.01 && s[1] < 0.99 && s[2] > 0.01 && s[2] < 0.99;
        x[k] = s[k] + (inside ? 0.05 * sin(37 * s[(k + 1) % 3] + 17 * s[k] + k) : 0);
    }
}

static bool is_on_cube(const double X[3])
{
    for (int k = 0; k < 3; ++k) {
        if (X[k] < 1e-9 || X[k] > 1 - 1e-9) return true;
    }
    return false;
}

// Grips that hold the surface where A puts it; what is inside finds its place, and all stresses are
// alike.
static void patches_of_elements_deform_alike(void **state)
{
    (void)state;
    static const double A[9] = {1.1, 0.2, 0, -0.05, 0.95, 0.1, 0.07, 0, 1.02};
    static const char *const materials[] = {"law: stable-neo-hookean, young: 1e6, poisson: 0.3",
                                            "law: hencky, young: 1e6, poisson: 0.49"};
    for (int k = 0; k < 2 * KINDS; ++k) {
        char yaml[1024];
        snprintf(yaml, sizeof yaml,
                 "materials: {m: {density: 1000, %s}}\n"
                 "bodies: {cube: {geometry: {grid: {}}, material: m, element: %s}}\n%s",
                 materials[k / KINDS], elements[k % KINDS], quasi_static);
        simulation s;
        block_init(&s, 3, place_shaken, yaml);
        const double *X = pli_model_get_mesh(s.model).rest_positions,
                     *x = pli_state_get(s.state).positions;
        for (int32_t i = 0; i < s.info.vertex_count; ++i) {
            double target[3];
            pli_mat3_apply(A, X + 3 * i, target);
            if (is_on_cube(X + 3 * i)) OK(s.context, pli_state_set_grip(s.state, i, 1e14, target));
        }
        simulation_step(&s);
        for (int32_t i = 0; i < s.info.vertex_count; ++i) {
            double target[3];
            pli_mat3_apply(A, X + 3 * i, target);
            // grips give way by stress times area over their stiffness
            for (int j = 0; j < 3; ++j) NEAR(x[3 * i + j], target[j], 0, 2e-7);
        }
        simulation_clear(&s);
    }
}

static void rigid_motions_cost_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; ++k) {
        char yaml[1024];
        snprintf(yaml, sizeof yaml,
                 "materials: {m: {law: stable-neo-hookean, density: 1000, young: 1e6, poisson: "
                 "0.49}}\n"
                 "bodies: {cube: {geometry: {grid: {}}, material: m, element: %s}}\n%s",
                 elements[k], quasi_static);
        simulation s;
        block_init(&s, 2, place_shaken, yaml);
        double R[9], axis[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3};
        double *x = calloc(3 * (size_t)s.info.vertex_count, sizeof *x);
        assert_non_null(x);
        pli_mat3_rotation(axis, 1.1, R);
        const double *X = pli_model_get_mesh(s.model).rest_positions;
        for (int32_t i = 0; i < s.info.vertex_count; ++i) {
            pli_mat3_apply(R, X + 3 * i, x + 3 * i);
            x[3 * i] += 5;
        }
        OK(s.context, pli_state_set(s.state, x, NULL));
        pli_step_report report;
        OK(s.context, pli_solver_measure(s.solver, s.state, &report));
        NEAR(report.energy.elastic, 0, 0, 1e-9);
        NEAR(report.min_J, 1, 1e-12, 0);
        free(x);
        simulation_clear(&s);
    }
}

// Masses of nodes are positive, add up to that of the body, and have its centre.
static void masses_are_positive(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; ++k) {
        char yaml[1024];
        snprintf(
            yaml, sizeof yaml,
            "materials: {m: {law: stable-neo-hookean, density: 1000, young: 1e6, poisson: "
            "0.3}}\n"
            "bodies: {ball: {geometry: {fill: {shape: {sphere: {radius: 1}}, spacing: 0.35}},\n"
            "  material: m, element: %s}}\n%s",
            elements[k], quasi_static);
        simulation s;
        simulation_init(&s, yaml, 1);
        const double *m = pli_model_get_mesh(s.model).masses;
        double sum = 0;
        for (int32_t i = 0; i < s.info.vertex_count; ++i) {
            assert_true(m[i] > 0);
            sum += m[i];
        }
        NEAR(sum, s.info.mass, 1e-12, 0);
        // the sides of quadratic elements lie on the sphere
        if (k == 1) NEAR(sum, 1000 * 4 * M_PI / 3, 2e-3, 0);
        simulation_clear(&s);
    }
}

// ---- what they are right about

// Against what quadratic elements of 16, 32 and 64 cells a side tend to: their differences fall by
// 2.1, as the corner of the clamped side is singular.
static void cooks_membrane_does_not_lock(void **state)
{
    static const double poisson[3] = {0.3, 0.499, 0.4999};
    static const double converged[3] = {0.14709e-3, 0.12419e-3, 0.12404e-3};
    for (int k = 0; k < 3; ++k) {
        double tip;
        OK(*state, pli_solid_cook(*state, "quadratic", 16, poisson[k], &tip));
        NEAR(tip, converged[k], 0.01, 0);
        OK(*state, pli_solid_cook(*state, "locking-free", 32, poisson[k], &tip));
        NEAR(tip, converged[k], 0.01, 0);
        OK(*state, pli_solid_cook(*state, "linear", 8, poisson[k], &tip));
        AT_MOST(tip, 0.95 * converged[k]);
    }
}

static void cantilevers_bend_as_timoshenko_says(void **state)
{
    double ratio;
    OK(*state, pli_solid_cantilever(*state, "quadratic", 2, &ratio));
    NEAR(ratio, 1, 0.01, 0);
    OK(*state, pli_solid_cantilever(*state, "linear", 2, &ratio));
    AT_MOST(ratio, 0.75);
}

static void thick_cylinders_widen_as_lame_says(void **state)
{
    static const struct {
        const char *element;
        double poisson;
        int32_t rings;
    } rows[] = {{"linear", 0.3, 24},
                {"quadratic", 0.3, 8},
                {"quadratic", 0.4999, 8},
                {"locking-free", 0.4999, 32}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        pli_solid_lame errors;
        OK(*state,
           pli_solid_cylinder(*state, rows[k].element, rows[k].poisson, rows[k].rings, &errors));
        AT_MOST(errors.displacement, 0.01);
        AT_MOST(errors.hoop, 0.01);
    }
}

static void errors_fall_with_the_order_of_the_element(void **state)
{
    // patches are some two cells across: 1.45, 1.54, 1.77, 1.92 from 2 to 32 cells a side
    static const double orders[KINDS] = {2, 3, 1.8};
    for (int k = 0; k < KINDS; ++k) {
        double coarse, fine;
        int32_t n = k == 1 ? 4 : 8;
        OK(*state, pli_solid_manufactured(*state, elements[k], n, &coarse));
        OK(*state, pli_solid_manufactured(*state, elements[k], 2 * n, &fine));
        NEAR(log2(coarse / fine), orders[k], 0, 0.1);
    }
}

// A cube between rollers and a load: the same stress everywhere, whatever the element. On quadratic
// ones this needs the nodal forces of their sides' shape functions.
static void even_loads_stretch_cubes_evenly(void **state)
{
    static const char *const loads[] = {"traction: [0, 1e3, 0]", "pressure: -1e3",
                                        "force: [0, 1e3, 0]"};
    for (int k = 0; k < 3 * KINDS; ++k) {
        pli_solid s;
        pli_step_report report;
        OK(*state,
           pli_solid_init(
               &s, *state, NULL,
               "materials: {m: {law: linear, density: 1000, young: 1e6, poisson: 0.3}}\n"
               "bodies: {cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: m, element: %s}}\n"
               "constraints:\n"
               "  - {where: {half_space: {point: [-0.499, 0, 0], normal: [-1, 0, 0]}}, axes: x}\n"
               "  - {where: {half_space: {point: [0, -0.499, 0], normal: [0, -1, 0]}}, axes: y}\n"
               "  - {where: {half_space: {point: [0, 0, -0.499], normal: [0, 0, -1]}}, axes: z}\n"
               "loads: [{where: {half_space: {point: [0, 0.499, 0], normal: [0, 1, 0]}}, %s}]\n%s",
               elements[k % KINDS], loads[k / KINDS], quasi_static));
        OK(*state, pli_solid_step(&s, &report));
        // a pressure acts on the area as it is now, smaller by 0.6 of a thousandth
        double band = k / KINDS == 1 ? 1e-3 : 1e-6;
        for (int32_t i = 0; i < 3 * s.info.vertex_count; ++i) {
            double strain = i % 3 == 1 ? 1e-3 : -0.3e-3;
            NEAR(s.x[i] - s.X[i], strain * (s.X[i] + 0.5), band, 1e-9);
        }
        pli_solid_clear(&s);
    }
}

// ---- contact

// A cube falls on a plane and on another one, whose sides are of another kind.
static void every_kind_rests_on_barriers(void **state)
{
    (void)state;
    static const char *const solvers[] = {"ipc-pcg", "newton", "pn-mgpcg"};
    for (int k = 0; k < 2 * KINDS; ++k) {
        char yaml[2048];
        snprintf(yaml, sizeof yaml,
                 "materials: {m: {law: stable-neo-hookean, density: 1000, young: 1e5, poisson: "
                 "0.47, rayleigh: 0.02}}\n"
                 "bodies:\n"
                 "  lower: {geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}}, material: m, "
                 "element: %s,\n    position: [0, 0.52, 0]}\n"
                 "  upper: {geometry: {grid: {size: [0.8, 0.8, 0.8], cells: [2, 2, 2]}}, material: "
                 "m, element: %s,\n    position: [0.1, 1.45, 0.1], velocity: [0, -2, 0]}\n"
                 "colliders: {ground: {shape: plane, friction: 0.3}}\n"
                 "contact: {method: barrier, distance: 1e-2, friction: 0.3}\n"
                 "solver: {name: %s}\n"
                 "time: {fps: 50, frames: 10}\n",
                 elements[k % KINDS], elements[(k + 1) % KINDS], solvers[k % 3]);
        simulation s;
        simulation_init(&s, yaml, 1);
        for (int i = 0; i < 12; ++i) {
            pli_step_report report = simulation_step(&s);
            assert_true(report.min_J > 0);
            assert_true(!report.collides || report.min_gap > 0);
        }
        simulation_clear(&s);
    }
}

// ---- what the scene leaves open

static void element_auto_goes_by_poissons_ratio(void **state)
{
    (void)state;
    static const struct {
        const char *poisson, *solver;
        pli_element_kind element;
    } rows[] = {{"0.45", "newton", PLI_ELEMENT_LINEAR},
                {"0.46", "newton", PLI_ELEMENT_LOCKING_FREE},
                {"0.46", "pd-direct", PLI_ELEMENT_LINEAR}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        char yaml[1024];
        snprintf(yaml, sizeof yaml,
                 "materials: {m: {law: stable-neo-hookean, density: 1000, young: 1e6, poisson: "
                 "%s}}\n"
                 "bodies: {cube: {geometry: {grid: {cells: [1, 1, 1]}}, material: m}}\n"
                 "solver: %s\n",
                 rows[k].poisson, rows[k].solver);
        simulation s;
        simulation_init(&s, yaml, 1);
        assert_int_equal(pli_model_get_body(s.model, 0).element, rows[k].element);
        simulation_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_of_elements_deform_alike),
        cmocka_unit_test(rigid_motions_cost_nothing),
        cmocka_unit_test(masses_are_positive),
        TEST_IN_CONTEXT(cooks_membrane_does_not_lock, 2),
        TEST_IN_CONTEXT(cantilevers_bend_as_timoshenko_says, 2),
        TEST_IN_CONTEXT(thick_cylinders_widen_as_lame_says, 2),
        TEST_IN_CONTEXT(even_loads_stretch_cubes_evenly, 1),
        TEST_IN_CONTEXT(errors_fall_with_the_order_of_the_element, 2),
        cmocka_unit_test(every_kind_rests_on_barriers),
        cmocka_unit_test(element_auto_goes_by_poissons_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
