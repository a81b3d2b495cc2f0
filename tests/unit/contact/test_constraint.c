// SPDX-License-Identifier: Apache-2.0
//
// Colliders as constraints of a minimisation: derivatives of E(x) = E'(P(x)), the active set, its
// forces, and that nothing depends on threads or allocates.
#include "derivatives.h"
#include "solids.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/context.h"
#include "contact/constraint.h"

static const pli_projection_ops *ops = &pli_constraint_projection;

static pli_constraint *make_constraint(solids *s, int32_t point_count, const uint8_t *fixed)
{
    pli_constraint *constraint = NULL;
    s->def.point_count = point_count;
    s->def.fixed = fixed;
    OK(s->context, pli_constraint_create(s->context, &s->def, &constraint));
    return constraint;
}

static pli_active_set active_of(const pli_constraint *constraint)
{
    pli_active_set set;
    ops->get_active(constraint, &set);
    return set;
}

// ---- derivatives of the projected objective (Gast et al. 2015)

// E'(x) = 1/2 s |x - a|^2 + 1/4 s ((x - a) . b)^4, pulling towards a
static const double stiffness = 40;
static const double slant[3] = {0.7, -1.1, 0.5};

typedef struct path_user {
    pli_constraint *constraint;
    double target[3];     // a
    double base[3];       // a point on the surface
    double tangent[2][3]; // orthonormal
    double H[9];          // T (H' + curvature) T at the base
} path_user;

static double free_energy(const path_user *user, const double x[3], double g[3], double H[9])
{
    double d[3];
    pli_vec3_subtract(x, user->target, d);
    double q = pli_vec3_dot(d, slant);
    for (int i = 0; i < 3; ++i) {
        g[i] = stiffness * (d[i] + q * q * q * slant[i]);
        for (int j = 0; j < 3; ++j) {
            H[3 * i + j] = stiffness * ((i == j) + 3 * q * q * slant[i] * slant[j]);
        }
    }
    return stiffness * (0.5 * pli_vec3_norm2(d) + 0.25 * q * q * q * q);
}

static void place(const path_user *user, const double *u, double x[3])
{
    pli_vec3_add_scaled(user->base, u[0], user->tangent[0], x);
    pli_vec3_add_scaled(x, u[1], user->tangent[1], x);
}

static double path_energy(void *data, const double *u)
{
    const path_user *user = data;
    double x[3], g[3], H[9];
    place(user, u, x);
    ops->project(user->constraint, x, NULL);
    return free_energy(user, x, g, H);
}

static void path_gradient(void *data, const double *u, double *slope)
{
    const path_user *user = data;
    for (int k = 0; k < 2; ++k) {
        double x[3], d[3], g[3], H[9];
        place(user, u, x);
        pli_vec3_copy(user->tangent[k], d);
        ops->project(user->constraint, x, d);
        free_energy(user, x, g, H);
        slope[k] = pli_vec3_dot(g, d);
    }
}

// Right at u = 0, the only place where the check asks for it.
static void path_hessian(void *data, const double *u, double *H)
{
    (void)u;
    const path_user *user = data;
    for (int i = 0; i < 2; ++i) {
        double Ht[3];
        pli_mat3_apply(user->H, user->tangent[i], Ht);
        for (int j = 0; j < 2; ++j) H[2 * i + j] = pli_vec3_dot(Ht, user->tangent[j]);
    }
}

// Two orthonormal vectors that T admits.
static void span_tangents(const double T[9], double tangent[2][3])
{
    const double seed[2][3] = {{0.3, 0.8, -0.5}, {-0.6, 0.2, 0.7}};
    for (int k = 0; k < 2; ++k) {
        pli_mat3_apply(T, seed[k], tangent[k]);
        if (k == 1) {
            double along = pli_vec3_dot(tangent[0], tangent[1]);
            pli_vec3_add_scaled(tangent[1], -along, tangent[0], tangent[1]);
        }
        pli_vec3_normalize(tangent[k], tangent[k]);
    }
}

// At a point of the surface that E' presses against.
static void check_projected_derivatives(solids *s, const double start[3])
{
    path_user user = {.constraint = make_constraint(s, 1, NULL)};
    double n[3], g[3], H[9];
    pli_vec3_copy(start, user.base);
    ops->project(user.constraint, user.base, NULL);
    // what is not inside is pulled to the surface the same way
    for (int step = 0; step < 8; ++step) {
        double value = pli_collider_gradient(&s->colliders[0], user.base, n);
        pli_vec3_add_scaled(user.base, -value / pli_vec3_norm2(n), n, user.base);
    }
    pli_vec3_normalize(n, n);
    pli_vec3_add_scaled(user.base, -0.3, n, user.target);
    pli_vec3_add_scaled(user.target, 0.1, slant, user.target);
    free_energy(&user, user.base, g, H);
    if (pli_vec3_dot(g, n) <= 0) {
        for (int k = 0; k < 3; ++k) user.target[k] = 2 * user.base[k] - user.target[k];
        free_energy(&user, user.base, g, H);
    }
    ops->choose_active(user.constraint, user.base, g);
    pli_active_set set = active_of(user.constraint);
    assert_int_equal(set.count, 1);

    // the normal is taken out, and the curvature belongs to the force
    double Tn[3];
    pli_mat3_apply(set.tangents, n, Tn);
    AT_MOST(pli_vec3_norm(Tn), 1e-14);
    span_tangents(set.tangents, user.tangent);
    pli_mat3_add_scaled(H, 1, set.curvature, user.H);
    derivatives_case term = {.n = 2,
                             .energy = path_energy,
                             .gradient = path_gradient,
                             .hessian = path_hessian,
                             .user = &user,
                             .scale = 0.1,
                             .magnitude = stiffness};
    const double zero[2] = {0, 0};
    CHECK_DERIVATIVES(&term, zero, "projected objective");
    pli_constraint_destroy(user.constraint);
}

static void derivatives_of_the_projected_objective_hold_in_tangent_directions(void **state)
{
    (void)state;
    for (solid_kind kind = 0; kind < SOLID_ANALYTIC; ++kind) {
        solids *s = solids_make(1);
        pli_collider *collider = solids_add(s, solids_shape(s, kind), PLI_COLLIDER_CONSTRAINT);
        solids_move(collider);
        int32_t checked = 0;
        for (uint64_t i = 0; checked < 4; ++i) {
            double x[3];
            solids_point(11, i, 1.2, x);
            // near a smooth place of the surface: flat ends and edges of a cylinder are not
            double g[3], H[9];
            double value = pli_collider_hessian(collider, x, g, H);
            bool is_curved = pli_mat3_contract(H, H) > 0.1 || kind == SOLID_PLANE;
            if (fabs(value) > 0.05 || !is_curved) continue;
            check_projected_derivatives(s, x);
            ++checked;
        }
        solids_destroy(s);
    }
}

// ---- the active set (Gast et al. 2015)

static void pressed_points_are_active_lifting_ones_are_not(void **state)
{
    solids *s = *state;
    solids_add_plane(s, 0, 1, 0, PLI_COLLIDER_CONSTRAINT);
    pli_constraint *constraint = make_constraint(s, 5, NULL);
    // pressed, lifting, above, touching without force, pressed obliquely
    const double x[5][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0.1, 0}, {3, 0, 0}, {4, 0, 0}};
    const double g[5][3] = {{0, 5, 0}, {1, -3, 0}, {0, 7, 0}, {0, 0, 0}, {2, 3, -1}};
    ops->choose_active(constraint, &x[0][0], &g[0][0]);
    pli_active_set set = active_of(constraint);
    assert_int_equal(set.count, 3);
    assert_true(set.points[0] == 0 && set.points[1] == 3 && set.points[2] == 4);
    const double T[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1};
    for (int k = 0; k < 27; ++k) {
        assert_true(set.tangents[k] == T[k % 9]);
        assert_true(set.curvature[k] == 0);
    }
    double forces[5][3] = {{0}};
    pli_constraint_add_forces(constraint, &forces[0][0]);
    const double want[5] = {5, 0, 0, 0, 3};
    for (int p = 0; p < 5; ++p) {
        assert_true(forces[p][0] == 0 && forces[p][1] == want[p] && forces[p][2] == 0);
    }
    pli_collision_report report;
    pli_constraint_measure(constraint, &x[0][0], &report);
    assert_true(report.contacts == 3 && report.min_gap == 0 && report.max_depth == 0);
    ops->release(constraint);
    assert_int_equal(active_of(constraint).count, 0);
    pli_constraint_destroy(constraint);
}

static void ball_on_the_floor_leans_on_the_points_that_are_pressed(void **state)
{
    enum { POINTS = 400 };
    solids *s = *state;
    solids_move(solids_add_plane(s, 0, 1, 0, PLI_COLLIDER_CONSTRAINT));
    pli_constraint *constraint = make_constraint(s, POINTS, NULL);
    double x[3 * POINTS], g[3 * POINTS], n[3];
    for (uint64_t i = 0; i < POINTS; ++i) {
        solids_point(12, i, 1, x + 3 * i);
        solids_point(13, i, 9, g + 3 * i);
    }
    ops->project(constraint, x, NULL);
    ops->choose_active(constraint, x, g);
    pli_active_set set = active_of(constraint);
    int32_t next = 0;
    for (int32_t p = 0; p < POINTS; ++p) {
        double value = pli_collider_gradient(&s->colliders[0], x + 3 * p, n);
        AT_LEAST(value, -1e-13);
        bool want = fabs(value) <= 1e-12 && pli_vec3_dot(n, g + 3 * p) >= 0;
        bool got = next < set.count && set.points[next] == p;
        assert_int_equal(got, want);
        next += got;
    }
    assert_int_equal(next, set.count);
    // about half of the points were below, and half of these are pressed
    assert_true(set.count > POINTS / 8);
    pli_constraint_destroy(constraint);
}

// Colliders of the inside of a box, one for each face.
static void add_room(solids *s)
{
    const double size[3] = {1, 0.8, 1.2};
    const pli_shape *box = NULL, *parts[6];
    int32_t count = 0;
    OK(s->context, pli_shape_box(s->set, (double[3]){0, 0, 0}, size, 0, &box));
    OK(s->context, pli_shape_parts(s->set, solids_negation(s, box), 6, parts, &count));
    assert_int_equal(count, 6);
    for (int32_t k = 0; k < count; ++k) solids_add(s, parts[k], PLI_COLLIDER_CONSTRAINT);
}

static void corner_of_a_room_holds_by_three_walls(void **state)
{
    solids *s = *state;
    add_room(s);
    pli_constraint *constraint = make_constraint(s, 3, NULL);
    // towards a corner, towards an edge, and out of a corner along one wall
    double x[3][3] = {{-0.7, -0.6, 0.9}, {-0.7, -0.6, 0.1}, {-0.7, -0.6, 0.9}};
    const double g[3][3] = {{3, 5, -7}, {3, 5, 2}, {3, 5, 7}};
    ops->project(constraint, &x[0][0], NULL);
    const double want[3][3] = {{-0.5, -0.4, 0.6}, {-0.5, -0.4, 0.1}, {-0.5, -0.4, 0.6}};
    for (int p = 0; p < 3; ++p) AT_MOST(pli_vec3_distance(x[p], want[p]), 1e-15);
    ops->choose_active(constraint, &x[0][0], &g[0][0]);
    pli_active_set set = active_of(constraint);
    assert_int_equal(set.count, 3);
    for (int k = 0; k < 9; ++k) {
        assert_true(set.tangents[k] == 0);
        NEAR(set.tangents[9 + k], k == 8, 0, 1e-15);
        NEAR(set.tangents[18 + k], k == 8, 0, 1e-15);
    }
    double forces[3][3] = {{0}};
    pli_constraint_add_forces(constraint, &forces[0][0]);
    const double held[3][3] = {{3, 5, -7}, {3, 5, 0}, {3, 5, 0}};
    for (int p = 0; p < 3; ++p) AT_MOST(pli_vec3_distance(forces[p], held[p]), 1e-14);
    pli_collision_report report;
    pli_constraint_measure(constraint, &x[0][0], &report);
    assert_int_equal(report.contacts, 7);
    pli_constraint_destroy(constraint);
}

// The rest of the gradient is the steepest descent that both planes of a wedge admit.
static void descent_that_is_left_leads_into_no_touched_plane(void **state)
{
    (void)state;
    for (int degrees = 30; degrees <= 150; degrees += 20) {
        solids *s = solids_make(1);
        double half = 0.5 * degrees * M_PI / 180, n[2][3];
        solids_add_plane(s, cos(half), sin(half), 0, PLI_COLLIDER_CONSTRAINT);
        solids_add_plane(s, -cos(half), sin(half), 0, PLI_COLLIDER_CONSTRAINT);
        pli_constraint *constraint = make_constraint(s, 1, NULL);
        const double x[3] = {0, 0, 0.3};
        for (int b = 0; b < 2; ++b) pli_collider_gradient(&s->colliders[b], x, n[b]);
        for (uint64_t i = 0; i < 100; ++i) {
            double g[3], f[3] = {0, 0, 0}, r[3], Tg[3];
            solids_point(14, i, 1, g);
            ops->choose_active(constraint, x, g);
            pli_constraint_add_forces(constraint, f);
            pli_vec3_subtract(g, f, r);
            for (int b = 0; b < 2; ++b) AT_MOST(pli_vec3_dot(n[b], r), 1e-13);
            // forces push outwards only, and do no work on what is left
            NEAR(pli_vec3_dot(f, r), 0, 0, 1e-13);
            pli_active_set set = active_of(constraint);
            if (set.count == 0) continue;
            pli_mat3_apply(set.tangents, g, Tg);
            AT_MOST(pli_vec3_distance(Tg, r), 1e-13);
        }
        pli_constraint_destroy(constraint);
        solids_destroy(s);
    }
}

static void active_points_stay_on_their_surface(void **state)
{
    solids *s = *state;
    pli_collider *ball = solids_add(s, solids_sphere(s, 0.7), PLI_COLLIDER_CONSTRAINT);
    pli_constraint *constraint = make_constraint(s, 2, NULL);
    double x[2][3] = {{0, 0.7, 0}, {0.7, 0, 0}};
    const double g[2][3] = {{0.1, 1, 0}, {-1, 0, 0}};
    ops->choose_active(constraint, &x[0][0], &g[0][0]);
    assert_int_equal(active_of(constraint).count, 1);
    // away from the ball: the pressed point follows its surface, the lifting one is free
    x[0][0] += 0.2;
    x[1][0] += 0.2;
    ops->project(constraint, &x[0][0], NULL);
    NEAR(pli_collider_value(ball, x[0]), 0, 0, 1e-13);
    assert_true(x[1][0] == 0.7 + 0.2);
    pli_constraint_destroy(constraint);
}

// Over the edge of a box, and along a face of it: the edge pulls no point back, the face does.
static void active_points_leave_at_edges(void **state)
{
    solids *s = *state;
    const pli_shape *shape = NULL;
    OK(s->context, pli_shape_box(s->set, (double[]){0, 0, 0}, (double[]){1, 1, 1}, 0, &shape));
    solids_add(s, shape, PLI_COLLIDER_CONSTRAINT);
    pli_constraint *constraint = make_constraint(s, 3, NULL);
    // on the top; the second one at its edge already
    double x[3][3] = {{0.4, 0.5, 0.1}, {0.5, 0.5, 0.1}, {0.2, 0.5, 0.1}};
    double d[3][3] = {{0.25, 0, 0}, {0.25, 0, 0.1}, {0.1, 0.1, 0}};
    const double g[3][3] = {{-1, 1, 0}, {-1, 1, 0}, {-1, 1, 0}};
    ops->choose_active(constraint, &x[0][0], &g[0][0]);
    for (int k = 0; k < 3; ++k) pli_vec3_add(x[k], d[k], x[k]);
    ops->project(constraint, &x[0][0], &d[0][0]);
    const double want[3][3] = {{0.65, 0.5, 0.1}, {0.75, 0.5, 0.2}, {0.3, 0.5, 0.1}};
    const double want_d[3][3] = {{0.25, 0, 0}, {0.25, 0, 0.1}, {0.1, 0, 0}};
    for (int k = 0; k < 3; ++k) {
        AT_MOST(pli_vec3_distance(x[k], want[k]), 1e-15);
        AT_MOST(pli_vec3_distance(d[k], want_d[k]), 1e-15);
    }
    pli_constraint_destroy(constraint);
}

// Along the floor into the wall: the floor is not left, the wall is not entered.
static void active_points_slide_until_something_stops_them(void **state)
{
    solids *s = *state;
    add_room(s);
    pli_constraint *constraint = make_constraint(s, 1, NULL);
    double x[3] = {0.2, -0.4, 0.1}, d[3] = {2, 0, 0.25};
    const double g[3] = {-1, 3, 0};
    ops->choose_active(constraint, x, g);
    assert_int_equal(active_of(constraint).count, 1);
    pli_vec3_add(x, d, x);
    x[1] += 0.05;
    ops->project(constraint, x, d);
    // what is left runs along the crease
    const double want[3] = {0.5, -0.4, 0.35}, want_d[3] = {0, 0, 0.25};
    AT_MOST(pli_vec3_distance(x, want), 1e-15);
    AT_MOST(pli_vec3_distance(d, want_d), 1e-15);
    double again[3];
    pli_vec3_copy(x, again);
    ops->project(constraint, again, NULL);
    assert_memory_equal(again, x, sizeof x);
    pli_constraint_destroy(constraint);
}

static void colliders_that_coincide_share_one_force(void **state)
{
    solids *s = *state;
    solids_add_plane(s, 0, 1, 0, PLI_COLLIDER_CONSTRAINT);
    solids_add_plane(s, 0, 1, 0, PLI_COLLIDER_CONSTRAINT);
    pli_constraint *constraint = make_constraint(s, 1, NULL);
    const double x[3] = {0, 0, 0}, g[3] = {1, 4, 2};
    ops->choose_active(constraint, x, g);
    pli_collision_report report;
    pli_constraint_measure(constraint, x, &report);
    assert_int_equal(report.contacts, 1);
    double f[3] = {0, 0, 0};
    pli_constraint_add_forces(constraint, f);
    NEAR(f[1], 4, 1e-15, 0);
    pli_constraint_destroy(constraint);
}

static void held_coordinates_are_left_to_whoever_holds_them(void **state)
{
    solids *s = *state;
    solids_add_plane(s, 0.6, 0.8, 0, PLI_COLLIDER_CONSTRAINT);
    const uint8_t fixed[3] = {1, 7, 3};
    pli_constraint *constraint = make_constraint(s, 3, fixed);
    double x[3][3] = {{0.3, -0.5, 0.1}, {0.3, -0.5, 0.1}, {0.3, -0.5, 0.1}};
    const double g[3][3] = {{100, 8, 2}, {0, 8, 0}, {0, 8, 0}};
    ops->project(constraint, &x[0][0], NULL);
    // the first slides along y only; the others can't move out at all
    assert_true(x[0][0] == 0.3 && x[0][2] == 0.1);
    NEAR(x[0][1], -0.3 * 0.6 / 0.8, 0, 1e-15);
    for (int p = 1; p < 3; ++p) assert_true(x[p][0] == 0.3 && x[p][1] == -0.5 && x[p][2] == 0.1);
    ops->choose_active(constraint, &x[0][0], &g[0][0]);
    pli_active_set set = active_of(constraint);
    assert_int_equal(set.count, 1);
    for (int k = 0; k < 9; ++k) NEAR(set.tangents[k], k == 8, 0, 1e-15);
    // along y the force of the surface is g_y, whatever holds x
    double forces[3][3] = {{0}};
    pli_constraint_add_forces(constraint, &forces[0][0]);
    NEAR(forces[0][1], 8, 1e-15, 0);
    pli_constraint_destroy(constraint);
}

static void colliders_that_are_off_or_of_other_methods_are_not_there(void **state)
{
    solids *s = *state;
    solids_add_plane(s, 0, 1, 0, PLI_COLLIDER_CONSTRAINT)->active = false;
    solids_add_plane(s, 0, 1, 0, PLI_COLLIDER_PENALTY);
    solids_add_plane(s, 0, 1, 0, PLI_COLLIDER_POSTPROCESS);
    pli_constraint *constraint = make_constraint(s, 1, NULL);
    double x[3] = {0, -1, 0};
    const double g[3] = {0, 1, 0};
    ops->project(constraint, x, NULL);
    assert_true(x[1] == -1);
    ops->choose_active(constraint, x, g);
    assert_int_equal(active_of(constraint).count, 0);
    pli_collision_report report;
    pli_constraint_measure(constraint, x, &report);
    assert_true(isinf(report.min_gap) && report.min_gap > 0 && report.max_depth == 0);
    pli_constraint_destroy(constraint);
}

static void gap_is_the_smallest_of_all_pairs(void **state)
{
    enum { POINTS = 700 };
    solids *s = *state;
    for (solid_kind kind = SOLID_SPHERE; kind < SOLID_BLEND; ++kind) {
        if (kind == SOLID_INSIDE_OUT_SPHERE) continue;
        pli_collider *c = solids_add(s, solids_shape(s, kind), PLI_COLLIDER_CONSTRAINT);
        solids_point(15, (uint64_t)kind, 8, c->now.offset);
    }
    pli_constraint *constraint = make_constraint(s, POINTS, NULL);
    double x[3 * POINTS];
    for (uint64_t shift = 0; shift < 20; ++shift) {
        double want = INFINITY;
        for (uint64_t i = 0; i < POINTS; ++i) {
            double center[3];
            solids_point(16, i / 70 + 10 * shift, 6, center);
            solids_point(17, i, 0.3, x + 3 * i);
            pli_vec3_add(x + 3 * i, center, x + 3 * i);
            for (int32_t b = 0; b < s->def.collider_count; ++b) {
                want = fmin(want, pli_collider_value(&s->colliders[b], x + 3 * i));
            }
        }
        pli_collision_report report;
        pli_constraint_measure(constraint, x, &report);
        assert_true(report.min_gap == want);
        assert_true(report.max_depth == fmax(0, -want));
    }
    pli_constraint_destroy(constraint);
}

// ---- the same bits for any number of threads, and no allocation

enum { MANY = 3000 };

typedef struct outcome {
    double x[3 * MANY];
    double d[3 * MANY];
    double v[3 * MANY];
    double forces[3 * MANY];
    double tangents[9 * MANY];
    double friction;
    pli_collision_report report;
} outcome;

static void run_everything(int32_t threads, outcome *out)
{
    solids *s = solids_make(threads);
    for (solid_kind kind = 0; kind < SOLID_ANALYTIC; ++kind) {
        if (kind == SOLID_INSIDE_OUT_SPHERE) continue;
        pli_collider *c = solids_add(s, solids_shape(s, kind), PLI_COLLIDER_CONSTRAINT);
        solids_move(c);
        c->friction = 0.3;
        solids_point(18, (uint64_t)kind, 0.5, c->now.offset);
    }
    pli_constraint *constraint = make_constraint(s, MANY, NULL);
    static double g[3 * MANY], mass[MANY];
    for (uint64_t i = 0; i < MANY; ++i) {
        solids_point(19, i, 1.5, out->x + 3 * i);
        solids_point(20, i, 1, out->d + 3 * i);
        solids_point(21, i, 1, out->v + 3 * i);
        solids_point(22, i, 1, g + 3 * i);
        mass[i] = 1;
    }
    int64_t before = pli_context_allocation_count(s->context);
    for (int turn = 0; turn < 2; ++turn) {
        ops->project(constraint, out->x, out->d);
        ops->choose_active(constraint, out->x, g);
    }
    out->friction = pli_constraint_apply_friction(constraint, out->x, mass, 0.1, out->v);
    pli_constraint_add_forces(constraint, out->forces);
    pli_constraint_measure(constraint, out->x, &out->report);
    pli_active_set set = active_of(constraint);
    memcpy(out->tangents, set.tangents, 9 * (size_t)set.count * sizeof(double));
    assert_true(set.count > MANY / 20);
    assert_true(pli_context_allocation_count(s->context) == before);
    pli_constraint_destroy(constraint);
    solids_destroy(s);
}

static void results_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    outcome *got = calloc(1, sizeof *got);
    assert_non_null(got);
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        memset(got, 0, sizeof *got);
        run_everything(bits.threads, got);
        AT_MOST(got->friction, -1e-3);
        same_bits_keep(&bits, got, sizeof *got);
    }
    free(got);
}

static void failed_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        fault_sweep_pause(&sweep);
        solids s = {.def = {.size = 1, .point_count = 10}, .context = sweep.context};
        OK(s.context, pli_shape_set_create(s.context, &s.set));
        solids_add(&s, solids_sphere(&s, 1), PLI_COLLIDER_CONSTRAINT);
        s.def.colliders = s.colliders;
        fault_sweep_resume(&sweep);
        pli_constraint *constraint = NULL;
        sweep.status = pli_constraint_create(s.context, &s.def, &constraint);
        assert_int_equal(constraint == NULL, sweep.status != PLI_OK);
        pli_constraint_destroy(constraint);
        pli_shape_set_destroy(s.set);
    }
}

static void sampled_shapes_are_refused(void **state)
{
    solids *s = *state;
    solids_add(s, solids_shape(s, SOLID_CUBIC), PLI_COLLIDER_CONSTRAINT)->name = "bowl";
    pli_constraint *constraint = NULL;
    s->def.point_count = 1;
    assert_int_equal(pli_constraint_create(s->context, &s->def, &constraint), PLI_ERROR_SCENE);
    assert_null(constraint);
    s->def.collider_count = 0;
    s->def.size = 0;
    assert_int_equal(pli_constraint_create(s->context, &s->def, &constraint), PLI_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_the_projected_objective_hold_in_tangent_directions),
        TEST_WITH_SOLIDS(pressed_points_are_active_lifting_ones_are_not, 1),
        TEST_WITH_SOLIDS(ball_on_the_floor_leans_on_the_points_that_are_pressed, 2),
        TEST_WITH_SOLIDS(corner_of_a_room_holds_by_three_walls, 1),
        cmocka_unit_test(descent_that_is_left_leads_into_no_touched_plane),
        TEST_WITH_SOLIDS(active_points_stay_on_their_surface, 1),
        TEST_WITH_SOLIDS(active_points_leave_at_edges, 1),
        TEST_WITH_SOLIDS(active_points_slide_until_something_stops_them, 1),
        TEST_WITH_SOLIDS(colliders_that_coincide_share_one_force, 1),
        TEST_WITH_SOLIDS(held_coordinates_are_left_to_whoever_holds_them, 1),
        TEST_WITH_SOLIDS(colliders_that_are_off_or_of_other_methods_are_not_there, 1),
        TEST_WITH_SOLIDS(gap_is_the_smallest_of_all_pairs, 2),
        cmocka_unit_test(results_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
        TEST_WITH_SOLIDS(sampled_shapes_are_refused, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
