// SPDX-License-Identifier: Apache-2.0
#include "near.h"

#include "base/fault.h"
#include "base/random.h"
#include "geometry/shape.h"
#include "math/vec3.h"

enum { KIND_COUNT = 24, HEIGHT_SIDE = 9, BALL_LONGITUDES = 24, BALL_LATITUDES = 12 };

typedef struct sample_shapes {
    int count;
    const char *name[KIND_COUNT];
    const pli_shape *shape[KIND_COUNT];
} sample_shapes;

static void keep(sample_shapes *all, const char *name, const pli_shape *shape)
{
    assert_true(all->count < KIND_COUNT);
    all->name[all->count] = name;
    all->shape[all->count++] = shape;
}

// ---- one of every kind; returns the first failure, so that it serves the sweep too

static pli_status make_primitives(pli_shape_set *set, sample_shapes *all)
{
    const pli_shape *shape = NULL;
    const double center[3] = {0.1, -0.05, 0.2};
    const double a[3] = {-0.4, -0.2, 0.1};
    const double b[3] = {0.3, 0.4, -0.2};
    if (pli_shape_plane(set, center, (double[3]){1, 2, -0.5}, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "plane", shape);
    if (pli_shape_box(set, center, (double[3]){0.9, 0.6, 0.7}, 0.1, &shape)) {
        return PLI_ERROR_MEMORY;
    }
    keep(all, "box", shape);
    if (pli_shape_sphere(set, center, 0.5, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "sphere", shape);
    if (pli_shape_ellipsoid(set, center, (double[3]){0.6, 0.3, 0.45}, &shape)) {
        return PLI_ERROR_MEMORY;
    }
    keep(all, "ellipsoid", shape);
    if (pli_shape_capsule(set, a, b, 0.2, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "capsule", shape);
    if (pli_shape_cylinder(set, a, b, 0.25, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "cylinder", shape);
    if (pli_shape_cone(set, a, b, (pli_cone_radii){0.4, 0.15}, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "cone", shape);
    if (pli_shape_round_cone(set, a, b, (pli_cone_radii){0.3, 0.1}, &shape)) {
        return PLI_ERROR_MEMORY;
    }
    keep(all, "round cone", shape);
    if (pli_shape_torus(set, center, (double[3]){0.3, 1, 0.2}, 0.4, 0.15, &shape)) {
        return PLI_ERROR_MEMORY;
    }
    keep(all, "torus", shape);
    return PLI_OK;
}

static pli_status make_fields(pli_shape_set *set, sample_shapes *all)
{
    const pli_shape *shape = NULL;
    double heights[HEIGHT_SIDE * HEIGHT_SIDE];
    for (int k = 0; k < HEIGHT_SIDE * HEIGHT_SIDE; ++k) heights[k] = 0.1 * sin(1.7 * k);
    pli_height_samples samples = {{-1, -0.1, -1}, {2, 2}, HEIGHT_SIDE, HEIGHT_SIDE, heights};
    if (pli_shape_height_field(set, &samples, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "height field", shape);
    if (pli_shape_struts(set, 0.7, 0.12, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "struts", shape);
    if (pli_shape_gyroid(set, 0.8, 0.1, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "gyroid", shape);
    if (pli_shape_create_sampled(set, all->shape[3], 17, PLI_GRID_LINEAR, &shape)) {
        return PLI_ERROR_MEMORY;
    }
    keep(all, "linear grid", shape);
    if (pli_shape_create_sampled(set, all->shape[3], 17, PLI_GRID_CUBIC, &shape)) {
        return PLI_ERROR_MEMORY;
    }
    keep(all, "cubic grid", shape);
    return PLI_OK;
}

static pli_status make_combinations(pli_shape_set *set, sample_shapes *all)
{
    const pli_shape *shape = NULL;
    const pli_shape *two[2] = {all->shape[1], all->shape[8]};
    if (pli_shape_union(set, 9, all->shape + 1, 0.15, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "smooth union", shape);
    if (pli_shape_union(set, 2, two, 0, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "sharp union", shape);
    if (pli_shape_intersection(set, 2, two, 0.1, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "smooth intersection", shape);
    if (pli_shape_difference(set, 2, two, 0.1, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "smooth difference", shape);
    return PLI_OK;
}

static pli_status make_modifications(pli_shape_set *set, sample_shapes *all)
{
    const pli_shape *shape = NULL;
    const pli_shape *ellipsoid = all->shape[3];
    pli_placement placement = {{0.1, 0.2, -0.1}, {1, -1, 0.5}, 0.7, 0.8};
    if (pli_shape_negation(set, ellipsoid, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "negation", shape);
    if (pli_shape_shell(set, ellipsoid, 0.1, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "shell", shape);
    if (pli_shape_transform(set, all->shape[7], &placement, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "transform", shape);
    if (pli_shape_repetition(set, all->shape[2], (double[3]){0.9, 0, 1.1}, (int32_t[3]){3, 1, 2},
                             &shape)) {
        return PLI_ERROR_MEMORY;
    }
    keep(all, "repetition", shape);
    if (pli_shape_twist(set, all->shape[1], 1.3, &shape)) return PLI_ERROR_MEMORY;
    keep(all, "twist", shape);
    return PLI_OK;
}

static pli_status make_all(pli_shape_set *set, sample_shapes *all)
{
    all->count = 0;
    pli_status status = make_primitives(set, all);
    if (status == PLI_OK) status = make_fields(set, all);
    if (status == PLI_OK) status = make_combinations(set, all);
    if (status == PLI_OK) status = make_modifications(set, all);
    return status;
}

static void random_point(pli_random random, uint64_t k, double x[3])
{
    for (uint64_t i = 0; i < 3; ++i) x[i] = pli_random_range(random, 3 * k + i, -0.9, 0.9);
}

typedef struct fixture {
    pli_context *context;
    pli_shape_set *set;
    sample_shapes all;
} fixture;

static void fixture_init(fixture *made)
{
    made->context = make_context(1);
    OK(made->context, pli_shape_set_create(made->context, &made->set));
    OK(made->context, make_all(made->set, &made->all));
}

static void fixture_clear(fixture *made)
{
    pli_shape_set_destroy(made->set);
    pli_context_destroy(made->context);
}

// ---- derivatives

// True when the Hessian is the same on both sides of x, so that no crease lies within the step.
static bool is_smooth_at(const pli_shape *shape, const double x[3], double step)
{
    double scale = 1;
    double jump = 0;
    for (int k = 0; k < 6; ++k) {
        pli_shape_jet here;
        pli_shape_jet there;
        double y[3] = {x[0], x[1], x[2]};
        y[k / 2] += k % 2 == 0 ? 2 * step : -2 * step;
        pli_shape_jet_compute(shape, x, &here);
        pli_shape_jet_compute(shape, y, &there);
        for (int i = 0; i < 9; ++i) {
            jump = fmax(jump, fabs(here.hessian[i] - there.hessian[i]));
            scale = fmax(scale, fabs(here.hessian[i]));
        }
        for (int i = 0; i < 3; ++i) {
            double predicted =
                pli_vec3_dot(here.hessian + 3 * i, y) - pli_vec3_dot(here.hessian + 3 * i, x);
            double change = there.gradient[i] - here.gradient[i];
            jump = fmax(jump, fabs(change - predicted) * 1e-2 / step);
        }
    }
    return jump < 1e-2 * scale && scale < 50;
}

static void derivatives_are_those_of_the_value(void **state)
{
    (void)state;
    fixture made;
    fixture_init(&made);
    const double step = 1e-5;
    for (int s = 0; s < made.all.count; ++s) {
        const pli_shape *shape = made.all.shape[s];
        pli_random random = {17, (uint64_t)s};
        int tested = 0;
        for (uint64_t k = 0; k < 60; ++k) {
            double x[3];
            pli_shape_jet jet;
            random_point(random, k, x);
            pli_shape_jet_compute(shape, x, &jet);
            NEAR(jet.value, pli_shape_value(shape, x), 1e-13, 1e-14);
            if (!is_smooth_at(shape, x, step)) continue;
            ++tested;
            for (int i = 0; i < 3; ++i) {
                double ahead[3] = {x[0], x[1], x[2]};
                double behind[3] = {x[0], x[1], x[2]};
                double up[3];
                double down[3];
                ahead[i] += step;
                behind[i] -= step;
                // central differences: truncation step^2 f''', rounding 1e-16 / step
                NEAR(jet.gradient[i],
                     (pli_shape_value(shape, ahead) - pli_shape_value(shape, behind)) / (2 * step),
                     1e-6, 1e-6);
                pli_shape_gradient(shape, ahead, up);
                pli_shape_gradient(shape, behind, down);
                for (int j = 0; j < 3; ++j) {
                    NEAR(jet.hessian[3 * i + j], (up[j] - down[j]) / (2 * step), 1e-4, 1e-4);
                }
            }
        }
        if (tested < 25) fail_msg("%s: only %d smooth points", made.all.name[s], tested);
    }
    fixture_clear(&made);
}

// ---- distances

// Moves from x down or up the gradient to the surface; false when it does not get there.
static bool project_to_surface(const pli_shape *shape, double x[3])
{
    for (int round = 0; round < 60; ++round) {
        pli_shape_jet jet;
        pli_shape_jet_compute(shape, x, &jet);
        if (fabs(jet.value) < 1e-12) return true;
        double slope2 = pli_vec3_norm2(jet.gradient);
        if (slope2 < 1e-6) return false;
        pli_vec3_add_scaled(x, -jet.value / slope2, jet.gradient, x);
    }
    return false;
}

static void exact_shapes_give_the_distance_to_their_surface(void **state)
{
    (void)state;
    enum { SURFACE = 4000, QUERIES = 40 };
    static double surface[SURFACE][3];
    fixture made;
    fixture_init(&made);
    int exact_count = 0;
    for (int s = 0; s < made.all.count; ++s) {
        const pli_shape *shape = made.all.shape[s];
        if (!pli_shape_is_exact(shape) || !pli_shape_is_bounded(shape)) continue;
        ++exact_count;
        int count = 0;
        pli_random random = {3, (uint64_t)s};
        for (uint64_t k = 0; count < SURFACE && k < 4 * SURFACE; ++k) {
            random_point(random, k, surface[count]);
            count += project_to_surface(shape, surface[count]);
        }
        for (uint64_t k = 0; k < QUERIES; ++k) {
            double x[3];
            double nearest = INFINITY;
            random_point((pli_random){5, (uint64_t)s}, k, x);
            for (int i = 0; i < count; ++i) {
                nearest = fmin(nearest, pli_vec3_distance(x, surface[i]));
            }
            // samples lie on the surface, about 0.03 apart: never nearer than the distance, and
            // further by at most their gap, or its square over the distance when that is larger
            double distance = fabs(pli_shape_value(shape, x));
            AT_MOST(distance, nearest + 1e-9);
            AT_LEAST(distance, nearest - 0.09);

            // the gradient points from the nearest point of the surface
            double g[3];
            pli_shape_gradient(shape, x, g);
            NEAR(pli_vec3_norm(g), 1, 1e-9, 0);
            pli_vec3_add_scaled(x, -pli_shape_value(shape, x), g, x);
            NEAR(pli_shape_value(shape, x), 0, 0, 1e-9);
        }
    }
    assert_true(exact_count >= 9);
    fixture_clear(&made);
}

static void ellipsoid_is_exact_on_its_planes_of_symmetry(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_shape_set *set = NULL;
    const pli_shape *shape = NULL;
    OK(context, pli_shape_set_create(context, &set));
    OK(context, pli_shape_ellipsoid(set, (double[3]){0, 0, 0}, (double[3]){3, 2, 1}, &shape));
    NEAR(pli_shape_value(shape, (double[3]){0, 0, 0}), -1, 1e-15, 0);
    NEAR(pli_shape_value(shape, (double[3]){0, 0, 4}), 3, 1e-15, 0);
    NEAR(pli_shape_value(shape, (double[3]){5, 0, 0}), 2, 1e-15, 0);
    NEAR(pli_shape_value(shape, (double[3]){0, -2, 0}), 0, 0, 1e-15);
    // near the middle of the disc z = 0 the nearest point is above or below
    double x[3] = {0.5, 0.2, 0};
    double value = pli_shape_value(shape, x);
    double nudged = pli_shape_value(shape, (double[3]){0.5, 0.2, 1e-9});
    NEAR(value, nudged, 1e-8, 0);
    assert_true(value < -0.9);
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
}

static void bounds_contain_the_solid(void **state)
{
    (void)state;
    fixture made;
    fixture_init(&made);
    for (int s = 0; s < made.all.count; ++s) {
        double low[3];
        double high[3];
        int inside = 0;
        pli_shape_bounds(made.all.shape[s], low, high);
        for (uint64_t k = 0; k < 10000; ++k) {
            double x[3];
            random_point((pli_random){9, (uint64_t)s}, k, x);
            pli_vec3_scale(2, x, x);
            if (pli_shape_value(made.all.shape[s], x) > 0) continue;
            ++inside;
            for (int i = 0; i < 3; ++i) assert_true(x[i] >= low[i] && x[i] <= high[i]);
        }
        if (inside <= 10) fail_msg("%s: only %d points inside", made.all.name[s], inside);
    }
    fixture_clear(&made);
}

static void values_change_no_faster_than_the_lipschitz_constant(void **state)
{
    (void)state;
    fixture made;
    fixture_init(&made);
    for (int s = 0; s < made.all.count; ++s) {
        for (uint64_t k = 0; k < 300; ++k) {
            double g[3];
            double x[3];
            random_point((pli_random){11, (uint64_t)s}, k, x);
            pli_shape_gradient(made.all.shape[s], x, g);
            AT_MOST(pli_vec3_norm(g), pli_shape_lipschitz(made.all.shape[s]) + 1e-9);
        }
    }
    fixture_clear(&made);
}

// Members far away are skipped: the value must be the plain fold over all of them.
static void skipping_members_does_not_change_a_union(void **state)
{
    (void)state;
    enum { MEMBERS = 60 };
    pli_context *context = make_context(1);
    pli_shape_set *set = NULL;
    const pli_shape *members[MEMBERS];
    const pli_shape *all = NULL;
    OK(context, pli_shape_set_create(context, &set));
    for (int k = 0; k < MEMBERS; ++k) {
        double center[3];
        random_point((pli_random){1, 1}, (uint64_t)k, center);
        OK(context, pli_shape_sphere(set, center, 0.1, &members[k]));
    }
    OK(context, pli_shape_union(set, MEMBERS, members, 0, &all));
    for (uint64_t k = 0; k < 500; ++k) {
        double x[3];
        double smallest = INFINITY;
        random_point((pli_random){1, 2}, k, x);
        for (int m = 0; m < MEMBERS; ++m) smallest = fmin(smallest, pli_shape_value(members[m], x));
        assert_true(pli_shape_value(all, x) == smallest);
    }
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
}

static void repetition_is_the_union_of_its_copies(void **state)
{
    (void)state;
    fixture made;
    fixture_init(&made);
    const pli_shape *sphere = made.all.shape[2];
    const pli_shape *copies = NULL;
    for (int s = 0; s < made.all.count; ++s) {
        if (strcmp(made.all.name[s], "repetition") == 0) copies = made.all.shape[s];
    }
    for (uint64_t k = 0; k < 300; ++k) {
        double x[3];
        double smallest = INFINITY;
        random_point((pli_random){2, 2}, k, x);
        for (int c = 0; c < 6; ++c) {
            double q[3] = {x[0] - 0.9 * (c % 3 - 1), x[1], x[2] - 1.1 * (c / 3 - 0.5)};
            smallest = fmin(smallest, pli_shape_value(sphere, q));
        }
        NEAR(pli_shape_value(copies, x), smallest, 1e-14, 1e-15);
    }
    fixture_clear(&made);
}

static void batch_gives_single_values_at_any_thread_count(void **state)
{
    (void)state;
    enum { POINTS = 3000 };
    static double points[POINTS][3];
    static double values[POINTS];
    pli_context *context = make_context(4);
    pli_shape_set *set = NULL;
    const pli_shape *shape = NULL;
    OK(context, pli_shape_set_create(context, &set));
    OK(context, pli_shape_sphere(set, (double[3]){0, 0, 0}, 0.5, &shape));
    for (uint64_t k = 0; k < POINTS; ++k) random_point((pli_random){4, 4}, k, points[k]);
    pli_shape_values(shape, POINTS, points[0], values);
    for (int k = 0; k < POINTS; ++k) assert_true(values[k] == pli_shape_value(shape, points[k]));
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
}

// ---- triangles

// A sphere of radius 0.5 by longitudes and latitudes, oriented outwards.
static void make_ball(double points[][3], int32_t triangles[][3], pli_triangles *ball)
{
    int point_count = 0;
    int triangle_count = 0;
    pli_vec3_set(0, 0.5, 0, points[point_count++]);
    for (int j = 1; j < BALL_LATITUDES; ++j) {
        for (int i = 0; i < BALL_LONGITUDES; ++i) {
            double theta = M_PI * j / BALL_LATITUDES;
            double phi = 2 * M_PI * i / BALL_LONGITUDES;
            pli_vec3_set(0.5 * sin(theta) * cos(phi), 0.5 * cos(theta),
                         -0.5 * sin(theta) * sin(phi), points[point_count++]);
        }
    }
    pli_vec3_set(0, -0.5, 0, points[point_count++]);
    for (int j = 0; j < BALL_LATITUDES; ++j) {
        for (int i = 0; i < BALL_LONGITUDES; ++i) {
            int next = (i + 1) % BALL_LONGITUDES;
            int row = 1 + (j - 1) * BALL_LONGITUDES;
            int32_t a = j == 0 ? 0 : row + i;
            int32_t b = row + next;
            int32_t c = j == BALL_LATITUDES - 1 ? point_count - 1 : row + BALL_LONGITUDES + i;
            int32_t d = row + BALL_LONGITUDES + next;
            if (j > 0) {
                int32_t upper[3] = {a, c, b};
                memcpy(triangles[triangle_count++], upper, sizeof upper);
            }
            if (j < BALL_LATITUDES - 1) {
                int32_t lower[3] = {j == 0 ? a : b, c, d};
                memcpy(triangles[triangle_count++], lower, sizeof lower);
            }
        }
    }
    *ball = (pli_triangles){point_count, points[0], triangle_count, triangles[0]};
}

static void triangles_give_the_signed_distance_of_their_surface(void **state)
{
    (void)state;
    double points[BALL_LONGITUDES * BALL_LATITUDES][3];
    int32_t triangles[2 * BALL_LONGITUDES * BALL_LATITUDES][3];
    pli_triangles ball;
    make_ball(points, triangles, &ball);
    pli_context *context = make_context(2);
    pli_shape_set *set = NULL;
    const pli_shape *shape = NULL;
    OK(context, pli_shape_set_create(context, &set));
    OK(context, pli_shape_create_from_triangles(set, &ball, 32, &shape));
    assert_false(pli_shape_is_analytic(shape));
    for (uint64_t k = 0; k < 400; ++k) {
        double x[3];
        random_point((pli_random){6, 6}, k, x);
        pli_vec3_scale(0.6, x, x);
        // facets lie up to 0.5 (1 - cos(pi / 24)) + ... = 0.012 inside the sphere; near the
        // centre the interpolated tip of the cone is blunt
        if (pli_vec3_norm(x) < 0.1) continue;
        NEAR(pli_shape_value(shape, x), pli_vec3_norm(x) - 0.5, 0, 0.015);
    }

    // a corner that refers to nothing
    triangles[5][1] = 9999;
    assert_int_equal(pli_shape_create_from_triangles(set, &ball, 32, &shape), PLI_ERROR_MESH);
    assert_null(shape);
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
}

// ---- refusals and failures

static void wrong_parameters_are_refused(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_shape_set *set = NULL;
    const pli_shape *sphere = NULL;
    const pli_shape *shape = NULL;
    const double zero[3] = {0, 0, 0};
    OK(context, pli_shape_set_create(context, &set));
    OK(context, pli_shape_sphere(set, zero, 1, &sphere));
    pli_placement flat = {.scale = 0};
    pli_status wrong[] = {
        pli_shape_sphere(set, zero, -1, &shape),
        pli_shape_sphere(set, (double[3]){NAN, 0, 0}, 1, &shape),
        pli_shape_plane(set, zero, zero, &shape),
        pli_shape_box(set, zero, (double[3]){1, 1, 1}, 0.6, &shape),
        pli_shape_cylinder(set, zero, zero, 1, &shape),
        pli_shape_cone(set, zero, (double[3]){1, 0, 0}, (pli_cone_radii){0, 0}, &shape),
        pli_shape_torus(set, zero, zero, 1, 0.1, &shape),
        pli_shape_union(set, 0, &sphere, 0, &shape),
        pli_shape_union(set, 1, &sphere, -1, &shape),
        pli_shape_shell(set, NULL, 1, &shape),
        pli_shape_transform(set, sphere, &flat, &shape),
        pli_shape_repetition(set, sphere, (double[3]){1, 1, 1}, (int32_t[3]){0, 1, 1}, &shape),
        pli_shape_twist(set, sphere, INFINITY, &shape),
        pli_shape_create_sampled(set, sphere, 1, PLI_GRID_LINEAR, &shape),
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k) {
        assert_int_equal(wrong[k], PLI_ERROR_ARGUMENT);
    }
    assert_null(shape);
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
}

static bool survives_failure(int64_t fail_at)
{
    pli_fault fault = {.fail_at = fail_at};
    pli_context_def def = pli_context_def_default();
    def.allocator = pli_fault_allocator(&fault);
    def.thread_count = 1;
    pli_context *context = NULL;
    if (pli_context_create(&def, &context) != PLI_OK) return false;
    pli_shape_set *set = NULL;
    sample_shapes all;
    double points[BALL_LONGITUDES * BALL_LATITUDES][3];
    int32_t triangles[2 * BALL_LONGITUDES * BALL_LATITUDES][3];
    pli_triangles ball;
    const pli_shape *shape = NULL;
    make_ball(points, triangles, &ball);
    pli_status status = pli_shape_set_create(context, &set);
    if (status == PLI_OK) status = make_all(set, &all);
    if (status == PLI_OK) status = pli_shape_create_from_triangles(set, &ball, 4, &shape);
    assert_true(status == PLI_OK || status == PLI_ERROR_MEMORY);
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
    assert_int_equal(fault.live_blocks, 0);
    return status == PLI_OK && fault.calls < fail_at;
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state)
{
    (void)state;
    int64_t n = 1;
    while (n < 500 && !survives_failure(n)) ++n;
    assert_true(n > 10 && n < 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_the_value),
        cmocka_unit_test(exact_shapes_give_the_distance_to_their_surface),
        cmocka_unit_test(ellipsoid_is_exact_on_its_planes_of_symmetry),
        cmocka_unit_test(bounds_contain_the_solid),
        cmocka_unit_test(values_change_no_faster_than_the_lipschitz_constant),
        cmocka_unit_test(skipping_members_does_not_change_a_union),
        cmocka_unit_test(repetition_is_the_union_of_its_copies),
        cmocka_unit_test(batch_gives_single_values_at_any_thread_count),
        cmocka_unit_test(triangles_give_the_signed_distance_of_their_surface),
        cmocka_unit_test(wrong_parameters_are_refused),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
