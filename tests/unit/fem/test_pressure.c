// SPDX-License-Identifier: Apache-2.0
//
// Pressure that follows a surface: resultants, energy, and the tangent of open patches.
#include "derivatives.h"

#include "base/context.h"
#include "fem/pressure.h"
#include "math/vec3.h"

// Three faces of an octahedron, and all eight.
static const int32_t triangles[] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4,
                                    2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
enum { VERTICES = 6, OPEN = 3, CLOSED = 8, UNKNOWNS = 3 * VERTICES };

static void place(double far, double x[UNKNOWNS])
{
    for (int k = 0; k < UNKNOWNS; ++k) {
        x[k] = far + pli_random_range((pli_random){5, 1}, (uint64_t)k, -0.2, 0.2);
    }
    for (int k = 0; k < 3; ++k) {
        x[3 * (2 * k) + k] += 1;
        x[3 * (2 * k + 1) + k] -= 1;
    }
}

static pli_pressure *make(pli_context *context, int32_t count, double value)
{
    pli_pressure_patch patch = {count, triangles, count == CLOSED, NULL};
    pli_pressure *pressure = NULL;
    OK(context, pli_pressure_create(context, VERTICES, 1, &patch, &pressure));
    pressure->value[0] = value;
    return pressure;
}

static double energy(void *user, const double *x)
{
    return pli_sum_value(pli_pressure_term.energy(user, x));
}

static void gradient(void *user, const double *x, double *g)
{
    memset(g, 0, UNKNOWNS * sizeof *g);
    pli_pressure_term.add_gradient(user, x, g);
}

// Neither force nor moment, wherever the surface is.
static void a_closed_surface_has_no_resultant(void **state)
{
    (void)state;
    const double value = 1e5;
    pli_context *context = make_context(1);
    pli_pressure *pressure = make(context, CLOSED, value);
    double x[UNKNOWNS], g[UNKNOWNS], force[3] = {0}, moment[3] = {0}, turn[3];
    place(0, x);
    gradient(pressure, x, g);
    for (int i = 0; i < UNKNOWNS; i += 3) {
        pli_vec3_add(force, g + i, force);
        pli_vec3_cross(x + i, g + i, turn);
        pli_vec3_add(moment, turn, moment);
    }
    // the area of the octahedron is about 7 m^2
    AT_MOST(pli_vec3_norm(force), 1e-12 * value * 7);
    AT_MOST(pli_vec3_norm(moment), 1e-12 * value * 7);
    AT_LEAST(derivatives_norm(UNKNOWNS, g), value);
    pli_pressure_destroy(pressure);
    pli_context_destroy(context);
}

// At the reference the gradient is that of the energy, and everywhere -p A / 3 to each corner.
static void the_gradient_is_the_force_of_the_pressure(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    double x[UNKNOWNS], g[UNKNOWNS], A[3];
    place(0, x);
    pli_pressure *pressure = make(context, OPEN, 3);
    pli_pressure_refer(pressure, x);
    gradient(pressure, x, g);
    for (int k = 0; k < UNKNOWNS; ++k) {
        const double h = 1e-4;
        double at = x[k], ends[2];
        for (int side = 0; side < 2; ++side) {
            x[k] = at + (side ? h : -h);
            ends[side] = energy(pressure, x);
        }
        x[k] = at;
        NEAR((ends[1] - ends[0]) / (2 * h), g[k], 1e-7, 1e-7);
    }
    double sum[3] = {0}, expected[3] = {0};
    for (int t = 0; t < OPEN; ++t) {
        double ab[3], ac[3];
        pli_vec3_subtract(x + 3 * triangles[3 * t + 1], x + 3 * triangles[3 * t], ab);
        pli_vec3_subtract(x + 3 * triangles[3 * t + 2], x + 3 * triangles[3 * t], ac);
        pli_vec3_cross(ab, ac, A);
        pli_vec3_add_scaled(expected, 1.5, A, expected);
    }
    for (int k = 0; k < UNKNOWNS; ++k) sum[k % 3] += g[k];
    for (int k = 0; k < 3; ++k) NEAR(sum[k], expected[k], 1e-12, 1e-12);
    pli_pressure_destroy(pressure);
    pli_context_destroy(context);
}

// The Hessian of an open patch is the symmetric part of its tangent; both of a closed one are
// equal.
static void the_hessian_is_the_symmetric_part_of_the_tangent(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; ++closed) {
        pli_context *context = make_context(1);
        pli_pressure *pressure = make(context, closed ? CLOSED : OPEN, 2);
        double x[UNKNOWNS], plus[UNKNOWNS], minus[UNKNOWNS], tangent[UNKNOWNS][UNKNOWNS];
        place(1, x);
        const double h = 1e-3; // the force is a quadratic function, whose differences are exact
        for (int k = 0; k < UNKNOWNS; ++k) {
            double at = x[k];
            x[k] = at + h;
            gradient(pressure, x, plus);
            x[k] = at - h;
            gradient(pressure, x, minus);
            x[k] = at;
            for (int i = 0; i < UNKNOWNS; ++i) tangent[i][k] = (plus[i] - minus[i]) / (2 * h);
        }
        pli_bcsr *H = NULL;
        const pli_clique_list *cliques = pli_pressure_term.get_cliques(pressure);
        OK(context, pli_bcsr_create(context, VERTICES, 1, cliques, &H));
        OK(context, pli_pressure_term.bind(pressure, H));
        pli_pressure_term.add_hessian(pressure, x, false, H);
        double skew = 0;
        for (int i = 0; i < UNKNOWNS; ++i) {
            for (int j = 0; j < UNKNOWNS; ++j) {
                int64_t slot = pli_bcsr_find(H, i / 3, j / 3);
                double entry = slot >= 0 ? H->values[9 * slot + 3 * (i % 3) + j % 3] : 0;
                NEAR(entry, 0.5 * (tangent[i][j] + tangent[j][i]), 1e-9, 1e-9);
                skew = fmax(skew, fabs(tangent[i][j] - tangent[j][i]));
            }
        }
        if (closed) {
            AT_MOST(skew, 1e-9);
        } else {
            AT_LEAST(skew, 0.1);
        }
        pli_bcsr_destroy(H);
        pli_pressure_destroy(pressure);
        pli_context_destroy(context);
    }
}

// Along a line through the reference the energy is the work of the force, whatever the patch.
static void the_energy_is_the_work_along_a_line(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_pressure *pressure = make(context, OPEN, 2);
    double x[UNKNOWNS], d[UNKNOWNS], at[UNKNOWNS], g[UNKNOWNS];
    place(0, x);
    derivatives_direction(UNKNOWNS, 3, d);
    pli_pressure_refer(pressure, x);
    for (int i = 0; i < 5; ++i) {
        const double h = 1e-4;
        double ends[2];
        for (int side = 0; side < 2; ++side) {
            derivatives_shift(UNKNOWNS, x, 0.3 * i + (side ? h : -h), d, at);
            ends[side] = energy(pressure, at);
        }
        derivatives_shift(UNKNOWNS, x, 0.3 * i, d, at);
        gradient(pressure, at, g);
        NEAR((ends[1] - ends[0]) / (2 * h), derivatives_dot(UNKNOWNS, g, d), 1e-7, 1e-7);
    }
    pli_pressure_destroy(pressure);
    pli_context_destroy(context);
}

// Only open patches have to be looked at in every iteration.
static void open_patches_move_their_reference(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; ++closed) {
        pli_context *context = make_context(1);
        pli_pressure *pressure = make(context, closed ? CLOSED : OPEN, 2);
        double x[UNKNOWNS];
        bool changed = false;
        place(0, x);
        OK(context, pli_pressure_term.prepare(pressure, x, NULL, &changed));
        assert_int_equal(changed, !closed);
        if (!closed) NEAR(energy(pressure, x), 0, 0, 0);
        pli_pressure_destroy(pressure);
        pli_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_surface_has_no_resultant),
        cmocka_unit_test(the_gradient_is_the_force_of_the_pressure),
        cmocka_unit_test(the_hessian_is_the_symmetric_part_of_the_tangent),
        cmocka_unit_test(the_energy_is_the_work_along_a_line),
        cmocka_unit_test(open_patches_move_their_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
