// SPDX-License-Identifier: Apache-2.0
//
// The step at which a moving tetrahedron inverts.
#include "near.h"

#include "base/random.h"
#include "geometry/mesh/inversion.h"
#include "geometry/mesh/tet_mesh.h"
#include "math/vec3.h"

static const int32_t corners[4] = {0, 1, 2, 3};

static double step_of(const double *x, const double *d, double keep)
{
    const double *at[4], *along[4];
    for (int k = 0; k < 4; ++k) {
        at[k] = x + 3 * k;
        along[k] = d + 3 * k;
    }
    return pli_inversion_step(at, along, keep);
}

static double volume_at(const double *x, const double *d, double t)
{
    double y[12];
    for (int k = 0; k < 12; ++k) y[k] = x[k] + t * d[k];
    return pli_tet_volume_at(y, corners);
}

static void a_corner_that_crosses_its_face_stops_in_front_of_it(void **state)
{
    (void)state;
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    double d[12] = {0};
    d[11] = -4; // the height is 1 - 4 t
    NEAR(step_of(x, d, 0), 0.25, 1e-14, 0);
    NEAR(step_of(x, d, 0.2), 0.2, 1e-14, 0);
    d[11] = -0.5;
    assert_true(step_of(x, d, 0) == 1);
    d[11] = 4;
    assert_true(step_of(x, d, 0.1) == 1);
}

static void rigid_motion_is_not_limited(void **state)
{
    (void)state;
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    double d[12];
    for (int k = 0; k < 12; ++k) d[k] = 1e6;
    assert_true(step_of(x, d, 0.1) == 1);
}

static void inverted_and_flat_elements_limit_nothing(void **state)
{
    (void)state;
    const double inverted[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -1};
    const double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    double d[12] = {0};
    d[11] = -1;
    assert_true(step_of(inverted, d, 0.1) == 1);
    assert_true(step_of(flat, d, 0.1) == 1);
}

static void volumes_stay_positive_up_to_the_step_and_vanish_at_it(void **state)
{
    (void)state;
    pli_random random = {7, 1};
    int limited = 0;
    for (uint64_t trial = 0; trial < 20000; ++trial) {
        double x[12], d[12];
        double scale = pow(10, pli_random_range(random, 100 * trial, -6, 6));
        for (uint64_t k = 0; k < 12; ++k) {
            x[k] = scale * pli_random_range(random, 100 * trial + 1 + k, -1, 1);
            d[k] = 3 * scale * pli_random_range(random, 100 * trial + 20 + k, -1, 1);
        }
        double start = volume_at(x, d, 0);
        if (start <= 1e-3 * scale * scale * scale) continue;
        double keep = 0.1;
        double t = step_of(x, d, keep);
        assert_true(t > 0 && t <= 1);
        for (int k = 0; k <= 50; ++k) {
            // rounding of the volume, relative to the size of its terms
            assert_true(volume_at(x, d, t * k / 50.0) > (keep - 1e-9) * start);
        }
        if (t == 1) continue;
        ++limited;
        NEAR(volume_at(x, d, t), keep * start, 0, 1e-9 * scale * scale * scale);
    }
    assert_true(limited > 1000);
}

static void the_smallest_step_of_a_mesh_does_not_depend_on_threads(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static double x[12 * COUNT], d[12 * COUNT];
    static int32_t tets[4 * COUNT];
    pli_random random = {9, 2};
    double least = 1;
    for (int32_t t = 0; t < COUNT; ++t) {
        for (int k = 0; k < 12; ++k) {
            x[12 * t + k] = (k == 3 || k == 7 || k == 11) ? 1 : 0;
            // most tetrahedra are far from inverting, as those of a mesh are
            double size = t % 13 == 0 ? 1 : 0.08;
            d[12 * t + k] = size * pli_random_range(random, (uint64_t)(12 * t + k), -1, 1);
        }
        for (int k = 0; k < 4; ++k) tets[4 * t + k] = 4 * t + k;
        least = fmin(least, step_of(x + 12 * t, d + 12 * t, 0.1));
    }
    for (int32_t threads = 1; threads <= 4; threads *= 2) {
        pli_context *context = make_context(threads);
        assert_true(pli_inversion_steps(context, COUNT, tets, x, d, 0.1) == least);
        assert_true(pli_inversion_steps(context, 0, tets, x, d, 0.1) == 1);
        pli_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_corner_that_crosses_its_face_stops_in_front_of_it),
        cmocka_unit_test(rigid_motion_is_not_limited),
        cmocka_unit_test(inverted_and_flat_elements_limit_nothing),
        cmocka_unit_test(volumes_stay_positive_up_to_the_step_and_vanish_at_it),
        cmocka_unit_test(the_smallest_step_of_a_mesh_does_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
