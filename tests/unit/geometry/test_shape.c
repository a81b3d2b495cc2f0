// SPDX-License-Identifier: Apache-2.0
// Signed-distance shapes: derivatives, exact distances, bounds, combinations (Gast et al. 2015).
#include "support/fault_sweep.h"
#include "unit/geometry/shape_zoo.h"
#include "workshop.h"

static const double pi = 3.14159265358979323846;

typedef void (*zoo_check)(zoo_kind kind, const pli_shape *shape);

static void for_each_kind(zoo_check check)
{
    pli_context *context = make_context(1);
    for (int kind = 0; kind < ZOO_COUNT; ++kind) {
        pli_shape_set *set = NULL;
        const pli_shape *shape = NULL;
        OK(context, pli_shape_set_create(context, &set));
        OK(context, zoo_build(set, (zoo_kind)kind, &shape));
        check((zoo_kind)kind, shape);
        pli_shape_set_destroy(set);
    }
    pli_context_destroy(context);
}

// central difference of the value (component -1) or of a component of the gradient
static double difference(const pli_shape *shape, const double x[3], int axis, double h, int what)
{
    double side[2];
    for (int s = 0; s < 2; ++s) {
        double y[3], g[3];
        pli_vec3_copy(x, y);
        y[axis] += s == 0 ? -h : h;
        double value = pli_shape_gradient(shape, y, g);
        side[s] = what < 0 ? value : g[what];
    }
    return (side[1] - side[0]) / (2 * h);
}

// Whether a difference agrees with the derivative; -1 when a kink is so near that differences of
// two step sizes disagree with each other.
static int compare(const pli_shape *shape, const double x[3], int axis, int what, double got)
{
    const double h = 1e-5;
    double coarse = difference(shape, x, axis, h, what);
    double fine = difference(shape, x, axis, 0.5 * h, what);
    // rounding 1e-16 / h and truncation h^2 times third (fourth) derivatives of up to 1e3 (1e5)
    double allowed = what < 0 ? 1e-7 : 1e-5;
    double scale = 1 + fabs(got);
    if (fabs(coarse - fine) > 0.5 * allowed * scale) return -1;
    return fabs(fine - got) <= allowed * scale;
}

static void check_derivatives(zoo_kind kind, const pli_shape *shape)
{
    int checked = 0;
    int skipped = 0;
    for (uint64_t i = 0; i < 400; ++i) {
        double x[3], g[3], H[9];
        zoo_point(1, i, 1.2, x);
        double value = pli_shape_hessian(shape, x, g, H);
        NEAR(value, pli_shape_value(shape, x), 1e-12, 1e-13);
        for (int axis = 0; axis < 3; ++axis) {
            for (int what = -1; what < 3; ++what) {
                double got = what < 0 ? g[axis] : H[3 * what + axis];
                int agrees = compare(shape, x, axis, what, got);
                if (agrees < 0) ++skipped;
                if (agrees == 1) ++checked;
                if (agrees != 0) continue;
                fprintf(stderr, "kind %d at %g %g %g: derivative %d by %d is %g, difference %g\n",
                        kind, x[0], x[1], x[2], what, axis, got,
                        difference(shape, x, axis, 0.5e-5, what));
                fail();
            }
        }
    }
    AT_LEAST((double)checked, 20.0 * skipped);
}

static void derivatives_are_those_of_the_value(void **state)
{
    (void)state;
    for_each_kind(check_derivatives);
}

static void check_bunches(zoo_kind kind, const pli_shape *shape)
{
    (void)kind;
    enum { N = 200 };
    double points[3 * N], values[N];
    for (uint64_t i = 0; i < N; ++i) {
        // half of them close together, half all over
        zoo_point(2, i, i < N / 2 ? 0.2 : 2, points + 3 * i);
    }
    pli_shape_values(shape, N, points, values);
    for (int i = 0; i < N; ++i) {
        double single = pli_shape_value(shape, points + 3 * i);
        assert_memory_equal(&single, &values[i], sizeof single);
    }
}

static void bunching_points_changes_no_bit(void **state)
{
    (void)state;
    for_each_kind(check_bunches);
}

static void check_slope_and_bounds(zoo_kind kind, const pli_shape *shape)
{
    pli_bounds bounds = pli_shape_bounds(shape);
    double slope = pli_shape_lipschitz(shape);
    for (uint64_t i = 0; i < 4000; ++i) {
        double x[3], y[3];
        zoo_point(3, i, 1.5, x);
        zoo_point(4, i, i % 2 == 0 ? 1.5 : 0.05, y);
        if (i % 2 != 0) pli_vec3_add(x, y, y);
        double a = pli_shape_value(shape, x);
        double b = pli_shape_value(shape, y);
        double distance = pli_vec3_distance(x, y);
        if (isfinite(slope)) AT_MOST(fabs(a - b), slope * distance * (1 + 1e-9) + 1e-14);
        if (a >= 0) continue;
        for (int k = 0; k < 3; ++k) {
            AT_LEAST(x[k], bounds.min[k]);
            AT_MOST(x[k], bounds.max[k]);
        }
    }
    assert_int_equal(isfinite(slope), kind != ZOO_TWIST);
}

static void slope_stays_bounded_and_inside_stays_in_bounds(void **state)
{
    (void)state;
    for_each_kind(check_slope_and_bounds);
}

// An exact distance d at x: the point x - d grad is on the surface, and no surface point is nearer
// than |d|.
static void check_exactness(zoo_kind kind, const pli_shape *shape)
{
    enum { SAMPLES = 3000 };
    static double surface[3 * SAMPLES];
    if (!pli_shape_is_exact(shape)) return;
    for (uint64_t i = 0; i < SAMPLES; ++i) {
        double g[3];
        double *x = surface + 3 * i;
        zoo_point(5, i, 1.3, x);
        for (int step = 0; step < 3; ++step) {
            double d = pli_shape_gradient(shape, x, g);
            pli_vec3_add_scaled(x, -d, g, x);
        }
        // the gradient of a box jumps on its medial axis, from where one step may miss
        AT_MOST(fabs(pli_shape_value(shape, x)), 1e-9);
    }
    for (uint64_t i = 0; i < 300; ++i) {
        double x[3], g[3], foot[3];
        zoo_point(6, i, 1.3, x);
        double d = pli_shape_gradient(shape, x, g);
        NEAR(pli_vec3_norm(g), 1.0, 1e-9, 0);
        pli_vec3_add_scaled(x, -d, g, foot);
        AT_MOST(fabs(pli_shape_value(shape, foot)), 1e-9);
        for (int s = 0; s < SAMPLES; ++s) {
            double distance = pli_vec3_distance(x, surface + 3 * s);
            if (distance < fabs(d) - 1e-9) {
                fprintf(stderr, "kind %d: distance %g, but a surface point is at %g\n", kind, d,
                        distance);
                fail();
            }
        }
    }
}

static void exact_distances_are_euclidean(void **state)
{
    (void)state;
    for_each_kind(check_exactness);
}

static void flags_tell_what_shapes_are(void **state)
{
    workshop *w = *state;
    for (int kind = 0; kind < ZOO_COUNT; ++kind) {
        const pli_shape *shape = NULL;
        OK(w->context, zoo_build(w->set, (zoo_kind)kind, &shape));
        bool exact = kind <= ZOO_LATHE || kind == ZOO_NEGATION || kind == ZOO_OFFSET ||
                     kind == ZOO_TRANSFORM || kind == ZOO_REPETITION;
        assert_int_equal(pli_shape_is_exact(shape), exact);
        assert_int_equal(pli_shape_is_analytic(shape), kind < ZOO_SAMPLED_LINEAR);
    }
    // a grid anywhere in the tree shows
    const pli_shape *parts[2] = {NULL, NULL};
    const pli_shape *both = NULL;
    OK(w->context, zoo_build(w->set, ZOO_SPHERE, &parts[0]));
    OK(w->context, zoo_build(w->set, ZOO_SAMPLED_CUBIC, &parts[1]));
    OK(w->context, pli_shape_union(w->set, 2, parts, 0, &both));
    assert_false(pli_shape_is_analytic(both));
}

// explicit points of surfaces, independent of the distance functions; u, v in [0, 1)
static void ellipsoid_point(double u, double v, double out[3])
{
    double height = 2 * u - 1;
    double ring = sqrt(1 - height * height);
    pli_vec3_set(zoo_center[0] + zoo_radii[0] * ring * cos(2 * pi * v),
                 zoo_center[1] + zoo_radii[1] * ring * sin(2 * pi * v),
                 zoo_center[2] + zoo_radii[2] * height, out);
}

// two vectors that make an orthonormal frame with a unit one
static void complete_frame(const double a[3], double b[3], double c[3])
{
    const double helper[3] = {fabs(a[0]) < 0.6, fabs(a[0]) >= 0.6, 0};
    pli_vec3_cross(a, helper, b);
    pli_vec3_normalize(b, b);
    pli_vec3_cross(a, b, c);
}

static void torus_point(double u, double v, double out[3])
{
    double a[3], b[3], c[3];
    pli_vec3_normalize(zoo_axis, a);
    complete_frame(a, b, c);
    double ring = 0.6 + 0.2 * cos(2 * pi * u);
    pli_vec3_add_scaled(zoo_center, ring * cos(2 * pi * v), b, out);
    pli_vec3_add_scaled(out, ring * sin(2 * pi * v), c, out);
    pli_vec3_add_scaled(out, 0.2 * sin(2 * pi * u), a, out);
}

// bottom, flank and (radius 0) tip of the cone
static void cone_point(double u, double v, double out[3])
{
    double a[3], b[3], c[3];
    pli_vec3_subtract(zoo_end, zoo_start, a);
    double length = pli_vec3_normalize(a, a);
    complete_frame(a, b, c);
    double height = u < 0.3 ? 0 : (u - 0.3) / 0.7 * length;
    double ring = u < 0.3 ? 0.5 * sqrt(u / 0.3) : 0.5 * (1 - height / length);
    pli_vec3_add_scaled(zoo_start, ring * cos(2 * pi * v), b, out);
    pli_vec3_add_scaled(out, ring * sin(2 * pi * v), c, out);
    pli_vec3_add_scaled(out, height, a, out);
}

static void box_point(double u, double v, double out[3])
{
    // six faces side by side in u
    int face = (int)(6 * u);
    double w = 6 * u - face;
    int axis = face % 3;
    out[axis] = zoo_center[axis] + (face < 3 ? -0.5 : 0.5) * zoo_size[axis];
    int next = (axis + 1) % 3;
    int last = (axis + 2) % 3;
    out[next] = zoo_center[next] + (w - 0.5) * zoo_size[next];
    out[last] = zoo_center[last] + (v - 0.5) * zoo_size[last];
}

static void distances_match_brute_force_over_explicit_surfaces(void **state)
{
    enum { N = 160 };
    typedef void (*point_fn)(double u, double v, double out[3]);
    const struct {
        zoo_kind kind;
        point_fn point;
    } cases[] = {{ZOO_ELLIPSOID, ellipsoid_point},
                 {ZOO_TORUS, torus_point},
                 {ZOO_CONE, cone_point},
                 {ZOO_BOX, box_point}};
    static double samples[N * N][3];
    workshop *w = *state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        const pli_shape *shape = NULL;
        OK(w->context, zoo_build(w->set, cases[c].kind, &shape));
        for (int i = 0; i < N * N; ++i) {
            cases[c].point((i / N + 0.5) / N, (i % N + 0.5) / N, samples[i]);
            AT_MOST(fabs(pli_shape_value(shape, samples[i])), 1e-14);
        }
        for (uint64_t q = 0; q < 150; ++q) {
            double x[3];
            zoo_point(7, q, 1.2, x);
            double nearest = INFINITY;
            for (int i = 0; i < N * N; ++i)
                nearest = fmin(nearest, pli_vec3_distance(x, samples[i]));
            double d = fabs(pli_shape_value(shape, x));
            AT_MOST(d, nearest + 1e-13);
            // samples lie up to 0.03 apart, and half of that inside of edges and corners
            NEAR(nearest, d, 0, 0.015);
        }
    }
}

static void ellipsoid_is_right_at_its_centre_and_far_away(void **state)
{
    workshop *w = *state;
    const pli_shape *shape = NULL;
    OK(w->context, zoo_build(w->set, ZOO_ELLIPSOID, &shape));
    // the shortest radius is along y
    NEAR(pli_shape_value(shape, zoo_center), -0.25, 1e-15, 0);
    double x[3] = {zoo_center[0], zoo_center[1] + 1e6, zoo_center[2]};
    NEAR(pli_shape_value(shape, x), 1e6 - 0.25, 1e-15, 0);
    // in the middle plane, off the centre: the nearest point is off that plane
    pli_vec3_set(zoo_center[0] + 0.1, zoo_center[1], zoo_center[2] + 0.1, x);
    double g[3], foot[3], r[3];
    double d = pli_shape_gradient(shape, x, g);
    pli_vec3_add_scaled(x, -d, g, foot);
    pli_vec3_subtract(foot, zoo_center, r);
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += r[k] * r[k] / (zoo_radii[k] * zoo_radii[k]);
    NEAR(sum, 1.0, 1e-12, 0);
    AT_LEAST(fabs(g[1]), 0.5);
    // denormal distances from the middle plane are no trouble
    x[1] += 1e-310;
    NEAR(pli_shape_value(shape, x), d, 1e-12, 0);
}

static void combinations_contain_what_they_should(void **state)
{
    workshop *w = *state;
    const pli_shape *part[2], *sum, *common, *rest, *blend;
    OK(w->context, zoo_build(w->set, ZOO_ELLIPSOID, &part[0]));
    OK(w->context, zoo_build(w->set, ZOO_TORUS, &part[1]));
    OK(w->context, pli_shape_union(w->set, 2, part, 0, &sum));
    OK(w->context, pli_shape_intersection(w->set, 2, part, 0, &common));
    OK(w->context, pli_shape_difference(w->set, 2, part, 0, &rest));
    OK(w->context, pli_shape_union(w->set, 2, part, 0.3, &blend));
    for (uint64_t i = 0; i < 2000; ++i) {
        double x[3];
        zoo_point(8, i, 1, x);
        double a = pli_shape_value(part[0], x);
        double b = pli_shape_value(part[1], x);
        NEAR(pli_shape_value(sum, x), fmin(a, b), 0, 0);
        NEAR(pli_shape_value(common, x), fmax(a, b), 0, 0);
        NEAR(pli_shape_value(rest, x), fmax(a, -b), 0, 0);
        // a blend adds at most a sixth of its radius, and nothing where the two differ by more
        double smooth = pli_shape_value(blend, x);
        AT_MOST(smooth, fmin(a, b));
        AT_LEAST(smooth, fmin(a, b) - 0.3 / 6 - 1e-15);
        if (fabs(a - b) > 0.3) NEAR(smooth, fmin(a, b), 0, 0);
    }
}

static void repetition_is_the_union_of_its_copies(void **state)
{
    workshop *w = *state;
    const pli_shape *source, *row;
    // longer than the spacing and off centre, so that copies overlap
    OK(w->context, zoo_build(w->set, ZOO_ROUND_CONE, &source));
    const double spacing[3] = {0.5, 0, 0.9};
    const int32_t count[3] = {4, 1, 3};
    OK(w->context, pli_shape_repetition(w->set, source, spacing, count, &row));
    assert_false(pli_shape_is_exact(row));
    for (uint64_t i = 0; i < 500; ++i) {
        double x[3];
        zoo_point(9, i, 2, x);
        double least = INFINITY;
        for (int c = 0; c < 12; ++c) {
            double y[3];
            pli_vec3_copy(x, y);
            y[0] -= (c % 4 - 1.5) * spacing[0];
            y[2] -= (c / 4 - 1) * spacing[2];
            least = fmin(least, pli_shape_value(source, y));
        }
        double got = pli_shape_value(row, x);
        // outside the nearest copy decides; inside any copy that contains the point will do
        if (least > 0) NEAR(got, least, 0, 1e-15);
        assert_int_equal(got < 0, least < 0);
    }
}

static void volumes_are_those_of_textbooks(void **state)
{
    workshop *w = *state;
    double length = pli_vec3_distance(zoo_start, zoo_end);
    const struct {
        zoo_kind kind;
        double volume;
    } cases[] = {
        {ZOO_BOX, 1.0 * 0.7 * 1.3},
        {ZOO_SPHERE, 4 * pi / 3 * 0.216},
        {ZOO_ELLIPSOID, 4 * pi / 3 * 0.5 * 0.25 * 0.8},
        {ZOO_CAPSULE, pi * 0.0625 * length + 4 * pi / 3 * 0.015625},
        {ZOO_CYLINDER, pi * 0.1225 * length},
        {ZOO_CONE, pi * 0.25 * length / 3},
        {ZOO_FRUSTUM, pi * length / 3 * (0.09 + 0.15 + 0.25)},
        {ZOO_TORUS, 2 * pi * pi * 0.6 * 0.04},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        const pli_shape *shape = NULL;
        double volume;
        OK(w->context, zoo_build(w->set, cases[c].kind, &shape));
        OK(w->context, pli_shape_volume(w->context, shape, 100, &volume));
        // second order in the cell, a hundredth of the size, divided by the thinnest part
        NEAR(volume, cases[c].volume, 2e-3, 0);
    }

    // turning cross-sections keeps their area
    const pli_shape *box, *twisted;
    double before, after;
    OK(w->context, zoo_build(w->set, ZOO_ROUND_BOX, &box));
    OK(w->context, pli_shape_twist(w->set, box, 2, &twisted));
    OK(w->context, pli_shape_volume(w->context, box, 100, &before));
    OK(w->context, pli_shape_volume(w->context, twisted, 100, &after));
    NEAR(after, before, 2e-3, 0);

    // the gyroid has area 3.0915 per unit cell (Schoen 1970), a thin sheet that times its thickness
    const pli_shape *parts[2], *sheet;
    const double origin[3] = {0.5, 0.5, 0.5};
    const double unit[3] = {1, 1, 1};
    OK(w->context, pli_shape_gyroid(w->set, 1, 0.04, &parts[0]));
    OK(w->context, pli_shape_box(w->set, origin, unit, 0, &parts[1]));
    OK(w->context, pli_shape_intersection(w->set, 2, parts, 0, &sheet));
    OK(w->context, pli_shape_volume(w->context, sheet, 150, &after));
    NEAR(after, 3.0915 * 0.04, 0.01, 0);

    const pli_shape *plane;
    OK(w->context, zoo_build(w->set, ZOO_PLANE, &plane));
    assert_int_equal(pli_shape_volume(w->context, plane, 10, &after), PLI_ERROR_ARGUMENT);
}

static void wrong_parameters_are_refused(void **state)
{
    workshop *w = *state;
    const double o[3] = {0, 0, 0};
    const double wild[3] = {0, NAN, 0};
    const double flat[3] = {1, 0, 1};
    const double clockwise[3][2] = {{0, 0}, {0, 1}, {1, 0}};
    const double behind[3][2] = {{-1, 0}, {1, 0}, {0, 1}};
    const int32_t none[3] = {1, 0, 1};
    const pli_shape *ball, *plane, *s = (const pli_shape *)&o;
    pli_shape_placement skewed = {{1, 1, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}, 1};
    pli_shape_ground ground = {{0, 0, 0}, {1, 1}, 1, 2, o};
    OK(w->context, pli_shape_sphere(w->set, o, 1, &ball));
    OK(w->context, pli_shape_plane(w->set, o, flat, &plane));
    const pli_status refused[] = {
        pli_shape_plane(w->set, o, o, &s),
        pli_shape_sphere(w->set, o, 0, &s),
        pli_shape_sphere(w->set, wild, 1, &s),
        pli_shape_box(w->set, o, flat, 0, &s),
        pli_shape_box(w->set, o, zoo_size, 0.4, &s),
        pli_shape_ellipsoid(w->set, o, flat, &s),
        pli_shape_capsule(w->set, o, wild, 1, &s),
        pli_shape_cylinder(w->set, o, o, 1, &s),
        pli_shape_cone(w->set, o, flat, 0, 0, &s),
        pli_shape_torus(w->set, o, o, 1, 0.1, &s),
        pli_shape_prism(w->set, 3, &clockwise[0][0], 1, &s),
        pli_shape_prism(w->set, 2, &clockwise[0][0], 1, &s),
        pli_shape_lathe(w->set, 3, &behind[0][0], &s),
        pli_shape_height_field(w->set, &ground, &s),
        pli_shape_struts(w->set, -1, 1, &s),
        pli_shape_gyroid(w->set, 1, INFINITY, &s),
        pli_shape_cells(w->set, 1, o, 1, &s),
        pli_shape_union(w->set, 0, NULL, 0, &s),
        pli_shape_union(w->set, 1, &ball, -1, &s),
        pli_shape_shell(w->set, ball, 0, &s),
        pli_shape_transform(w->set, ball, &skewed, &s),
        pli_shape_repetition(w->set, ball, flat, none, &s),
        pli_shape_repetition(w->set, plane, flat, (const int32_t[3]){2, 1, 1}, &s),
        pli_shape_twist(w->set, ball, NAN, &s),
        pli_shape_sampled(w->set, plane, 10, PLI_SHAPE_CUBIC, &s),
        pli_shape_sampled(w->set, ball, 1, PLI_SHAPE_CUBIC, &s),
        pli_shape_negation(w->set, NULL, &s),
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        assert_int_equal(refused[i], PLI_ERROR_ARGUMENT);
    }
    assert_null(s);
}

static void trees_have_a_deepest_level(void **state)
{
    workshop *w = *state;
    const pli_shape *shape = NULL;
    const double x[3] = {2, 0, 0};
    OK(w->context, zoo_build(w->set, ZOO_SPHERE, &shape));
    for (int depth = 2; depth <= PLI_SHAPE_DEPTH; ++depth) {
        const pli_shape *twice[2] = {shape, shape};
        const pli_shape *deeper = NULL;
        OK(w->context,
           pli_shape_union(w->set, depth == PLI_SHAPE_DEPTH ? 2 : 1, twice, 0, &deeper));
        shape = deeper;
    }
    AT_LEAST(pli_shape_value(shape, x), 1);
    const pli_shape *deepest = NULL;
    assert_int_equal(pli_shape_negation(w->set, shape, &deepest), PLI_ERROR_ARGUMENT);
}

static pli_status build_zoo(pli_context *context)
{
    pli_shape_set *set = NULL;
    const pli_shape *shape = NULL;
    pli_status status = pli_shape_set_create(context, &set);
    for (int kind = 0; status == PLI_OK && kind < ZOO_COUNT; ++kind) {
        status = zoo_build(set, (zoo_kind)kind, &shape);
    }
    pli_shape_set_destroy(set);
    return status;
}

static void failing_allocations_leak_nothing(void **state)
{
    (void)state;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        sweep.status = build_zoo(sweep.context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_the_value),
        cmocka_unit_test(bunching_points_changes_no_bit),
        cmocka_unit_test(slope_stays_bounded_and_inside_stays_in_bounds),
        cmocka_unit_test(exact_distances_are_euclidean),
        TEST_IN_WORKSHOP(flags_tell_what_shapes_are, 1),
        TEST_IN_WORKSHOP(distances_match_brute_force_over_explicit_surfaces, 1),
        TEST_IN_WORKSHOP(ellipsoid_is_right_at_its_centre_and_far_away, 1),
        TEST_IN_WORKSHOP(combinations_contain_what_they_should, 1),
        TEST_IN_WORKSHOP(repetition_is_the_union_of_its_copies, 1),
        TEST_IN_WORKSHOP(volumes_are_those_of_textbooks, 2),
        TEST_IN_WORKSHOP(wrong_parameters_are_refused, 1),
        TEST_IN_WORKSHOP(trees_have_a_deepest_level, 1),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
