// SPDX-License-Identifier: Apache-2.0
//
// Tetrahedra that yield: a bar in tension against the closed form of von Mises with linear
// hardening, volume, springback of a bent beam.
#include "materials.h"
#include "simulate.h"

#include "math/mat3.h"

// ---- asking

static const double *field_of(const simulation *s, const char *name, int64_t *count)
{
    pli_frame frame;
    OK(s->context, pli_solver_frame(s->solver, s->state, &frame));
    for (int32_t k = 0; k < frame.parts[0].field_count; ++k) {
        const pli_frame_field *field = &frame.parts[0].fields[k];
        if (strcmp(field->name, name) != 0) continue;
        *count = frame.parts[0].cell_count;
        return field->values;
    }
    fail_msg("no field %s", name);
    return NULL;
}

static void step(simulation *s, int count)
{
    for (int k = 0; k < count; ++k) {
        pli_step_report report;
        OK(s->context, pli_solver_step(s->solver, s->state, &report));
        AT_LEAST(report.stop, 1);
        assert_int_equal(report.inverted, 0);
    }
}

// ---- a bar in tension

static const double young = 1e6, poisson = 0.3, yield_stress = 1e4, hardening = 2e5;

enum { HOLD = 20, LEVELS = 5 };

// The length changes at once and is then held, so that the lagged return settles; two axes of the
// bar's lower end are free but for three vertices, which take its rigid motions.
static const char tension_text[] =
    "gravity: [0, 0, 0]\n"
    "materials: {m: {law: %s, density: 1000, young: 1e6, poisson: 0.3,\n"
    "                yield: {von-mises: {stress: 1e4, hardening: 2e5}}}}\n"
    "bodies: {b: {geometry: {grid: {size: [0.2, 1, 0.2], cells: [1, 3, 1]}}, material: m}}\n"
    "constraints:\n"
    "  - {where: {half_space: {point: [0, 0.49, 0], normal: [0, 1, 0]}}, axes: y, motion: "
    "{segments: [\n"
    "      {velocity: [0, 0.005, 0], duration: 1}, {duration: 19}, {velocity: [0, 0.025, 0], "
    "duration: 1},\n"
    "      {duration: 19}, {velocity: [0, 0.05, 0], duration: 1}, {duration: 19},\n"
    "      {velocity: [0, -0.01, 0], duration: 1}, {duration: 19}, {velocity: [0, 0.05, 0], "
    "duration: 1},\n"
    "      {duration: 19}]}}\n"
    "  - {where: {half_space: {point: [0, -0.49, 0], normal: [0, -1, 0]}}, axes: y}\n"
    "  - {where: {box: {min: [-0.11, -0.51, -0.11], max: [-0.09, -0.49, -0.09]}}}\n"
    "  - {where: {box: {min: [0.09, -0.51, -0.11], max: [0.11, -0.49, -0.09]}}, axes: z}\n"
    "time: {mode: quasi-static, fps: 1, frames: 100}\n"
    "solver: {name: newton, norm: error, tolerance: 1e-10, plasticity: %s}\n";

// Lengths after each level, all but the fourth beyond the limit.
static const double lengths[LEVELS] = {1.005, 1.03, 1.08, 1.07, 1.12};

// In logarithmic strain e the axial Kirchhoff stress is E e up to the limit; beyond it the plastic
// strain a is e - tau / E and tau = yield + H a. Returns tau.
static double tension(double length, double *a)
{
    double e = log(length), tau = young * (e - *a);
    double limit = yield_stress + hardening * *a;
    if (tau <= limit) return tau;
    *a += (tau - limit) / (young + hardening);
    return young * (e - *a);
}

// settled: after so many steps of a level the stress is that of the curve.
static void follow_the_curve(const char *plasticity, int settled)
{
    char text[4096];
    simulation s;
    double a = 0;
    snprintf(text, sizeof text, tension_text, "hencky", plasticity);
    simulation_init(&s, text, 1);
    for (int level = 0; level < LEVELS; ++level) {
        int64_t count;
        step(&s, settled);
        double tau = tension(lengths[level], &a);
        // Cauchy's stress is that over the volume, which only pressure changes
        double sigma = fabs(tau) / exp((1 - 2 * poisson) * tau / young);
        const double *stress = field_of(&s, "von_mises", &count);
        for (int64_t k = 0; k < count; ++k) NEAR(stress[k], sigma, 1e-6, 0);
        const double *strain = field_of(&s, "plastic", &count);
        for (int64_t k = 0; k < count; ++k) NEAR(strain[k], a, 1e-6, 1e-12);
        step(&s, HOLD - settled);
    }
    AT_LEAST(a, 0.05);
    simulation_clear(&s);
}

static void bar_follows_the_curve_of_linear_hardening(void **state)
{
    (void)state;
    follow_the_curve("lagged", HOLD);
}

// Nothing has to settle where a step is solved with its yielding in it.
static void yielding_inside_of_a_step_is_there_at_once(void **state)
{
    (void)state;
    follow_the_curve("implicit", 1);
}

// Flow keeps the volume, with every law that can yield so.
static void flow_keeps_the_volume(void **state)
{
    (void)state;
    static const char *const laws[] = {"hencky", "fixed-corotated", "neo-hookean",
                                       "stable-neo-hookean"};
    for (int law = 0; law < 4; ++law) {
        char text[4096];
        simulation s;
        pli_state_array array;
        double most = 0;
        snprintf(text, sizeof text, tension_text, laws[law], "lagged");
        simulation_init(&s, text, 1);
        step(&s, 2 * HOLD);
        const double *A1 = simulation_array(&s, "plastic_deformations", &array);
        assert_int_equal(array.rows, s.info.tet_count);
        for (int64_t row = 0; row < array.rows; ++row) {
            double A[9];
            for (int k = 0; k < 9; ++k) A[k] = A1[9 * row + k] + (k % 4 == 0);
            NEAR(pli_mat3_determinant(A), 1, 1e-10, 0);
            most = fmax(most, fabs(A1[9 * row + 4]));
        }
        AT_LEAST(most, 0.005);
        simulation_clear(&s);
    }
}

// ---- springback

// A beam along x whose ends are turned against each other by a tenth of a radian and moved inwards
// to where the ends of an arc are, held until the return settles, and let go at one end.
static const char beam_text[] =
    "materials: {m: {law: hencky, density: 1000, young: 1e7, poisson: 0%s}}\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {b: {geometry: {grid: {size: [1, 0.1, 0.03], cells: [%d, %d, 1]}}, material: m}}\n"
    "constraints:\n"
    "  - {where: {half_space: {point: [0.499, 0, 0], normal: [1, 0, 0]}}, motion: {segments: [\n"
    "      {axis: [0, 0, 1], spin: %.17g, velocity: [-2.0829e-4, 0, 0], duration: 1}, {duration: "
    "29}],\n"
    "      after: release, center: [0.5, 0, 0]}}\n"
    "  - {where: {half_space: {point: [-0.499, 0, 0], normal: [-1, 0, 0]}}, motion: {segments: [\n"
    "      {axis: [0, 0, 1], spin: %.17g, velocity: [2.0829e-4, 0, 0], duration: 1}], center: "
    "[-0.5, 0, 0]}}\n"
    "time: {mode: quasi-static, fps: 1, frames: 40}\n"
    "solver: {name: newton, norm: error, tolerance: 1e-8}\n";

// The angle between the ends: slopes of what were lines along y there.
static double angle_of_ends(const simulation *s)
{
    const double *x = pli_state_get(s->state).positions;
    double slope[2] = {0, 0}, weight[2] = {0, 0};
    for (int32_t v = 0; v < s->info.vertex_count; ++v) {
        const double *X = pli_model_get_mesh(s->model).rest_positions + 3 * (int64_t)v;
        int end = X[0] > 0.4999 ? 1 : X[0] < -0.4999 ? 0 : -1;
        if (end < 0) continue;
        slope[end] -= X[1] * x[3 * v];
        weight[end] += X[1] * x[3 * v + 1];
    }
    return atan2(slope[1], weight[1]) - atan2(slope[0], weight[0]);
}

// Elastic-perfectly plastic bending: elastic up to a curvature k_e = 2 yield / (E height), beyond
// it M = M_e (3/2 - (k_e / k)^2 / 2), and M / (E I) is what springs back. Linear tetrahedra are 5 %
// off with half as many cells, and 0.01 % with twice as many along the beam.
static void a_bent_beam_springs_back(void **state)
{
    (void)state;
    const double turn = 0.1, degrees = 180 / 3.14159265358979323846, first = 2 * 1e4 / (1e7 * 0.1);
    for (int yields = 0; yields < 2; ++yields) {
        char text[4096];
        simulation s;
        snprintf(text, sizeof text, beam_text, yields ? ", yield: {von-mises: 1e4}" : "", 40, 12,
                 turn / 2 * degrees, -turn / 2 * degrees);
        simulation_init(&s, text, 1);
        step(&s, 30);
        NEAR(angle_of_ends(&s), turn, 1e-9, 0);
        step(&s, 5);
        double left = turn - first * (1.5 - 0.5 * first * first / turn / turn);
        NEAR(angle_of_ends(&s), yields ? left : 0, 0.01, 1e-6);
        simulation_clear(&s);
    }
}

// Presets that yield as particles stay elastic as meshes, unless the scene states it.
static void meshes_yield_where_it_is_stated(void **state)
{
    (void)state;
    static const char text[] =
        "materials: {m: {preset: metal%s}}\n"
        "bodies: {b: {geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}}, material: m}}\n";
    for (int stated = 0; stated < 2; ++stated) {
        char whole[512];
        simulation s;
        pli_state_array array;
        snprintf(whole, sizeof whole, text, stated ? ", yield: von-mises" : "");
        simulation_init(&s, whole, 1);
        (void)simulation_array(&s, "plastic_deformations", &array);
        assert_int_equal(array.rows, stated ? s.info.tet_count : 0);
        simulation_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bar_follows_the_curve_of_linear_hardening),
        cmocka_unit_test(yielding_inside_of_a_step_is_there_at_once),
        cmocka_unit_test(flow_keeps_the_volume),
        cmocka_unit_test(a_bent_beam_springs_back),
        cmocka_unit_test(meshes_yield_where_it_is_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
