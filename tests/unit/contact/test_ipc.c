// SPDX-License-Identifier: Apache-2.0
//
// Barrier contact as one term: derivatives, which contacts there are, forces, stiffness, friction,
// and what holds whatever was asked before (Li et al. 2020).
#include "ipc_world.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/memory.h"
#include "contact/stencil.h"
#include "derivatives.h"
#include "geometry/mesh/edges.h"
#include "linear/matrix/dense.h"

// ---- derivatives

static double term_energy(void *user, const double *x)
{
    return ipc_world_energy(user, x);
}

static void term_gradient(void *user, const double *x, double *g)
{
    ipc_world_gradient(user, x, g);
}

static void term_multiply(void *user, const double *x, const double *d, double *Hd)
{
    ipc_world *w = user;
    ipc_world_hessian(w, x, false);
    pli_bcsr_multiply(w->objective.H, d, Hd);
}

// Counts contacts of each kind at x, and how many pairs of edges are mollified there.
static int32_t count_kinds(ipc_world *w, const double *x,
                           int32_t kinds[PLI_CONTACT_POINT_PLANE + 1])
{
    int64_t count = 0;
    int32_t mollified = 0;
    const pli_ipc_contact *contacts = NULL;
    OK(w->b.context, pli_ipc_find(w->ipc, x, &count, &contacts));
    memset(kinds, 0, (PLI_CONTACT_POINT_PLANE + 1) * sizeof *kinds);
    for (int64_t c = 0; c < count; ++c) {
        double points[PLI_CONTACT_DOFS], m;
        ++kinds[contacts[c].stencil.kind];
        pli_contact_gather(&contacts[c].stencil, x, points);
        mollified += contacts[c].stencil.kind == PLI_CONTACT_EDGE_EDGE &&
                     pli_contact_mollify(&contacts[c].stencil, points, &m, NULL, NULL);
    }
    return mollified;
}

static void check_derivatives(ipc_world *w, const char *what)
{
    derivatives_case term = {.n = 3 * w->b.vertex_count,
                             .energy = term_energy,
                             .gradient = term_gradient,
                             .multiply = term_multiply,
                             .user = w,
                             // the largest step, 1e-4 m in 60 directions, must not change features
                             .scale = 1e-2,
                             .magnitude = ipc_world_energy(w, w->b.x)};
    CHECK_DERIVATIVES(&term, w->b.x, what);
}

static void gradient_and_hessian_are_derivatives_of_the_energy(void **state)
{
    (void)state;
    // shaken a lot, and so little that the edges of the boxes are still nearly parallel
    static const double noises[] = {1e-2, 1e-4};
    for (int k = 0; k < 2; ++k) {
        ipc_world *w = ipc_world_make(2);
        int32_t kinds[PLI_CONTACT_POINT_PLANE + 1];
        ipc_world_add_plane(w, 0.02, 1, 0.01, -0.05);
        ipc_world_add_pile(w, 2, noises[k]);
        ipc_world_build(w);
        int32_t mollified = count_kinds(w, w->b.x, kinds);
        AT_LEAST(kinds[PLI_CONTACT_POINT_TRIANGLE], 10);
        AT_LEAST(kinds[PLI_CONTACT_EDGE_EDGE], 10);
        AT_LEAST(kinds[PLI_CONTACT_POINT_PLANE], 4);
        if (k == 1) AT_LEAST(mollified, 3);
        check_derivatives(w, k == 0 ? "shaken pile" : "nearly parallel edges");
        ipc_world_destroy(w);
    }
}

static void friction_has_its_derivatives_too(void **state)
{
    (void)state;
    // sliding, and sticking within the smoothed part
    static const double slips[] = {1e-3, 0.2};
    for (int k = 0; k < 2; ++k) {
        ipc_world *w = ipc_world_make(2);
        w->friction = 0.4;
        ipc_world_add_plane(w, 0, 1, 0, -0.05);
        ipc_world_add_pile(w, 2, 1e-2);
        ipc_world_build(w);
        double *start = ipc_world_positions(w), *d = ipc_world_vector(w);
        ipc_world_motion(w, 5, 1e-2, 1e-3, d);
        for (int32_t i = 0; i < 3 * w->b.vertex_count; ++i) start[i] += d[i];
        OK(w->b.context, pli_ipc_freeze_friction(w->ipc, w->b.x, start, slips[k]));
        check_derivatives(w, k == 0 ? "sliding" : "sticking");
        free(d);
        free(start);
        ipc_world_destroy(w);
    }
}

// The whole matrix, dense.
static double *dense_hessian(ipc_world *w, const double *x, bool projected)
{
    int32_t n = 3 * w->b.vertex_count;
    double *H = calloc((size_t)n * (size_t)n, sizeof *H), *e = ipc_world_vector(w);
    assert_non_null(H);
    ipc_world_hessian(w, x, projected);
    for (int32_t k = 0; k < n; ++k) {
        memset(e, 0, (size_t)n * sizeof *e);
        e[k] = 1;
        pli_bcsr_multiply(w->objective.H, e, H + (size_t)n * (size_t)k);
    }
    free(e);
    return H;
}

static void projected_hessian_is_positive_semidefinite(void **state)
{
    (void)state;
    for (uint64_t stream = 0; stream < 8; ++stream) {
        ipc_world *w = ipc_world_make(1);
        w->friction = 0.3;
        ipc_world_add_plane(w, 0, 1, 0, -0.05);
        ipc_world_add_pile(w, 1, 0);
        bodies_shake(&w->b, 10 + stream, stream < 4 ? 1e-2 : 1e-5);
        ipc_world_build(w);
        OK(w->b.context, pli_ipc_freeze_friction(w->ipc, w->b.x, w->b.rest, 1e-3));
        int32_t n = 3 * w->b.vertex_count;
        double *H = dense_hessian(w, w->b.x, true), largest = 0, asymmetry = 0;
        for (int32_t k = 0; k < n * n; ++k) {
            largest = fmax(largest, fabs(H[k]));
            asymmetry = fmax(asymmetry, fabs(H[k] - H[k % n * n + k / n]));
        }
        AT_LEAST(largest, 1);
        assert_true(asymmetry == 0);
        // shifted by the rounding of its entries it can be factored
        for (int32_t k = 0; k < n; ++k) H[(n + 1) * k] += 1e-12 * n * largest;
        assert_true(pli_dense_cholesky_factor(w->b.context, n, H));
        free(H);
        ipc_world_destroy(w);
    }
}

static void energy_is_infinite_where_surfaces_touch(void **state)
{
    ipc_world *w = *state;
    ipc_world_add_plane(w, 0, 1, 0, -0.05);
    ipc_world_add_pile(w, 2, 0);
    ipc_world_build(w);
    double *x = ipc_world_positions(w);
    assert_true(isfinite(ipc_world_energy(w, x)));
    for (int32_t v = w->b.first_vertex[1]; v < w->b.first_vertex[2]; ++v) x[3 * v + 1] -= 0.04;
    for (int32_t v = w->b.first_vertex[1]; v < w->b.first_vertex[2]; ++v) {
        if (fabs(x[3 * v + 1] - 0.5) < 1e-9) x[3 * v + 1] = 0.5;
    }
    assert_true(ipc_world_energy(w, x) == INFINITY);
    memcpy(x, w->b.x, 3 * (size_t)w->b.vertex_count * sizeof *x);
    x[1] = -0.05;
    assert_true(ipc_world_energy(w, x) == INFINITY);
    x[1] = -0.06;
    assert_true(ipc_world_energy(w, x) == INFINITY);
    x[1] = NAN;
    assert_true(ipc_world_energy(w, x) == INFINITY);
    free(x);
}

// ---- which contacts there are

typedef struct contact_list {
    int64_t count;
    pli_ipc_contact *contacts;
} contact_list;

static void list_add(contact_list *list, const ipc_world *w, const pli_contact_stencil *stencil,
                     const double *x, int32_t second)
{
    double points[PLI_CONTACT_DOFS];
    pli_contact_gap gap;
    pli_contact_gather(stencil, x, points);
    pli_contact_measure(stencil, points, &gap, NULL, NULL);
    if (!(gap.distance < w->def.dhat)) return;
    list->contacts = bodies_grow(list->contacts, (int32_t)list->count, sizeof *list->contacts);
    list->contacts[list->count++] =
        (pli_ipc_contact){*stencil, {w->body_of[stencil->vertices[0]], second}, gap.distance};
}

static bool share_vertex(const int32_t *a, int count_a, const int32_t *b, int count_b)
{
    for (int i = 0; i < count_a * count_b; ++i) {
        if (a[i / count_b] == b[i % count_b]) return true;
    }
    return false;
}

static bool do_collide(const ipc_world *w, int32_t a, int32_t b)
{
    return w->self || w->body_of[a] != w->body_of[b];
}

static void list_points(contact_list *list, const ipc_world *w, const double *x)
{
    for (int32_t v = 0; v < w->b.vertex_count; ++v) {
        bool used = false;
        for (int32_t k = 0; k < 3 * w->b.triangle_count; ++k) used |= w->b.triangles[k] == v;
        for (int32_t t = 0; used && t < w->b.triangle_count; ++t) {
            const int32_t *corners = w->b.triangles + 3 * t;
            if (share_vertex(&v, 1, corners, 3) || !do_collide(w, v, corners[0])) continue;
            pli_contact_stencil stencil = pli_contact_stencil_default(PLI_CONTACT_POINT_TRIANGLE);
            stencil.vertices[0] = v;
            memcpy(stencil.vertices + 1, corners, 3 * sizeof *corners);
            list_add(list, w, &stencil, x, w->body_of[corners[0]]);
        }
    }
}

static void list_edges(contact_list *list, const ipc_world *w, const double *x)
{
    int32_t edge_count = 0, *edges = NULL;
    OK(w->b.context,
       pli_edges_build(w->b.context, w->b.triangle_count, w->b.triangles, &edge_count, &edges));
    for (int32_t i = 0; i < edge_count; ++i) {
        for (int32_t j = i + 1; j < edge_count; ++j) {
            const int32_t *a = edges + 2 * i, *b = edges + 2 * j;
            if (share_vertex(a, 2, b, 2) || !do_collide(w, a[0], b[0])) continue;
            pli_contact_stencil stencil = pli_contact_stencil_default(PLI_CONTACT_EDGE_EDGE);
            memcpy(stencil.vertices, a, 2 * sizeof *a);
            memcpy(stencil.vertices + 2, b, 2 * sizeof *b);
            double rest[PLI_CONTACT_DOFS];
            pli_contact_gather(&stencil, w->b.rest, rest);
            stencil.mollifier = pli_mollifier_threshold(rest);
            list_add(list, w, &stencil, x, w->body_of[b[0]]);
        }
    }
    pli_release(w->b.context, edges);
}

static void list_planes(contact_list *list, const ipc_world *w, const double *x)
{
    for (int32_t v = 0; v < w->b.vertex_count && w->def.plane_count > 0; ++v) {
        pli_contact_stencil stencil = pli_contact_stencil_default(PLI_CONTACT_POINT_PLANE);
        stencil.vertices[0] = v;
        stencil.plane = w->plane;
        list_add(list, w, &stencil, x, w->b.body_count);
    }
}

static void expect_same_contact(const pli_ipc_contact *a, const pli_ipc_contact *b)
{
    assert_int_equal(a->stencil.kind, b->stencil.kind);
    assert_memory_equal(a->stencil.vertices, b->stencil.vertices, sizeof a->stencil.vertices);
    assert_memory_equal(a->bodies, b->bodies, sizeof a->bodies);
    assert_true(a->stencil.mollifier == b->stencil.mollifier);
    assert_true(a->stencil.weight == b->stencil.weight);
}

static void contacts_are_all_pairs_closer_than_dhat(void **state)
{
    (void)state;
    for (uint64_t stream = 0; stream < 12; ++stream) {
        ipc_world *w = ipc_world_make(2);
        w->self = stream % 3 != 2;
        ipc_world_add_plane(w, 0.1, 1, 0, -0.05);
        ipc_world_add_pile(w, 2, 0);
        // random positions, up to a heap of splinters
        bodies_shake(&w->b, 20 + stream, stream % 2 == 0 ? 0.02 : 0.3);
        ipc_world_build(w);
        contact_list list = {0};
        list_points(&list, w, w->b.x);
        list_edges(&list, w, w->b.x);
        list_planes(&list, w, w->b.x);
        int64_t count = 0;
        const pli_ipc_contact *contacts = NULL;
        OK(w->b.context, pli_ipc_find(w->ipc, w->b.x, &count, &contacts));
        assert_int_equal(count, list.count);
        AT_LEAST((double)count, 30);
        for (int64_t c = 0; c < count; ++c) {
            expect_same_contact(&contacts[c], &list.contacts[c]);
            NEAR(contacts[c].distance, list.contacts[c].distance, 1e-12, 1e-15);
        }
        free(list.contacts);
        ipc_world_destroy(w);
    }
}

// Compares a term that has been asked many things with one that has not, at x and on the way d.
static void expect_same_as_fresh(ipc_world *w, const double *x, const double *d)
{
    ipc_world fresh = *w;
    fresh.ipc = NULL;
    OK(w->b.context, pli_ipc_create(w->b.context, &w->def, &fresh.ipc));
    int64_t counts[2] = {0, 0};
    const pli_ipc_contact *contacts[2] = {NULL, NULL};
    OK(w->b.context, pli_ipc_find(w->ipc, x, &counts[0], &contacts[0]));
    OK(w->b.context, pli_ipc_find(fresh.ipc, x, &counts[1], &contacts[1]));
    assert_int_equal(counts[0], counts[1]);
    for (int64_t c = 0; c < counts[0]; ++c) {
        expect_same_contact(&contacts[0][c], &contacts[1][c]);
        assert_true(contacts[0][c].distance == contacts[1][c].distance);
    }
    assert_true(ipc_world_energy(w, x) == ipc_world_energy(&fresh, x));
    double *g = ipc_world_vector(w), *fresh_g = ipc_world_vector(w);
    ipc_world_gradient(w, x, g);
    ipc_world_gradient(&fresh, x, fresh_g);
    assert_memory_equal(g, fresh_g, 3 * (size_t)w->b.vertex_count * sizeof *g);
    free(fresh_g);
    free(g);
    // how far it goes is the same to the last bit only after a beginning
    pli_ipc_begin_step(w->ipc, x, d);
    pli_ipc_begin_step(fresh.ipc, x, d);
    assert_true(pli_ipc_max_step(w->ipc, x, d) == pli_ipc_max_step(fresh.ipc, x, d));
    pli_ipc_destroy(fresh.ipc);
}

static void what_is_found_does_not_depend_on_what_was_asked_before(void **state)
{
    ipc_world *w = *state;
    ipc_world_add_plane(w, 0, 1, 0, -0.05);
    ipc_world_add_pile(w, 2, 0.01);
    ipc_world_build(w);
    double *x = ipc_world_positions(w), *d = ipc_world_vector(w);
    int64_t touching = 0;
    for (uint64_t step = 0; step < 150; ++step) {
        // ways of all lengths; every third is only looked at, every seventh goes all the way
        double size = 0.1 * pow(10, -3 * pli_random_uniform((pli_random){6, 0}, step));
        ipc_world_motion(w, step, size, 0.1 * size, d);
        double alpha = pli_ipc_max_step(w->ipc, x, d);
        assert_true(alpha == pli_ipc_max_step(w->ipc, x, d));
        expect_same_as_fresh(w, x, d);
        if (step % 3 == 2) continue;
        if (step % 7 != 6) alpha *= pli_random_uniform((pli_random){6, 1}, step);
        for (int32_t k = 0; k < 3 * w->b.vertex_count; ++k) x[k] += alpha * d[k];
        expect_same_as_fresh(w, x, d);
        int64_t count = 0;
        const pli_ipc_contact *contacts = NULL;
        OK(w->b.context, pli_ipc_find(w->ipc, x, &count, &contacts));
        touching += count > 0;
    }
    AT_LEAST((double)touching, 50);
    free(d);
    free(x);
}

static void same_bits_for_any_thread_count(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        ipc_world *w = ipc_world_make(bits.threads);
        w->friction = 0.3;
        ipc_world_add_plane(w, 0, 1, 0, -0.05);
        ipc_world_add_pile(w, 10, 0.003);
        ipc_world_build(w);
        OK(w->b.context, pli_ipc_freeze_friction(w->ipc, w->b.x, w->b.rest, 1e-3));
        double *d = ipc_world_vector(w);
        double *y = ipc_world_vector(w);
        size_t bytes = 3 * (size_t)w->b.vertex_count * sizeof *d;
        ipc_world_motion(w, 4, 0.05, 0.01, d);
        double energy = ipc_world_energy(w, w->b.x), step = pli_ipc_max_step(w->ipc, w->b.x, d);
        assert_true(energy > 0 && step > 0 && step < 1);
        same_bits_keep_double(&bits, energy);
        same_bits_keep_double(&bits, step);
        ipc_world_gradient(w, w->b.x, y);
        same_bits_keep(&bits, y, bytes);
        ipc_world_hessian(w, w->b.x, true);
        pli_bcsr_multiply(w->objective.H, d, y);
        same_bits_keep(&bits, y, bytes);
        free(d);
        free(y);
        ipc_world_destroy(w);
    }
}

// ---- forces

static void sum_over(const ipc_world *w, const double *force, int32_t body, double sum[3])
{
    sum[0] = sum[1] = sum[2] = 0;
    for (int32_t v = 0; v < w->b.vertex_count; ++v) {
        if (body < 0 || w->body_of[v] == body) pli_vec3_add(sum, force + 3 * v, sum);
    }
}

static double sum_of_lengths(const ipc_world *w, const double *force)
{
    double sum = 0;
    for (int32_t v = 0; v < w->b.vertex_count; ++v) sum += pli_vec3_norm(force + 3 * v);
    return sum;
}

static void forces_between_bodies_sum_to_nothing(void **state)
{
    ipc_world *w = *state;
    w->friction = 0.5;
    ipc_world_add_pile(w, 3, 0.01);
    ipc_world_build(w);
    OK(w->b.context, pli_ipc_freeze_friction(w->ipc, w->b.x, w->b.rest, 1e-3));
    pli_ipc_report report;
    double *forces[2] = {ipc_world_vector(w), ipc_world_vector(w)};
    OK(w->b.context, pli_ipc_measure(w->ipc, w->b.x, &report));
    pli_ipc_fill_forces(w->ipc, forces[0], forces[1]);
    for (int k = 0; k < 2; ++k) {
        double sum[3], torque[3] = {0, 0, 0}, size = sum_of_lengths(w, forces[k]);
        AT_LEAST(size, 1);
        sum_over(w, forces[k], -1, sum);
        for (int axis = 0; axis < 3; ++axis) NEAR(sum[axis], 0, 0, 1e-13 * size);
        for (int32_t v = 0; v < w->b.vertex_count; ++v) {
            double moment[3];
            pli_vec3_cross(w->b.x + 3 * v, forces[k] + 3 * v, moment);
            pli_vec3_add(torque, moment, torque);
        }
        // friction acts at both closest points, which are a gap apart
        for (int axis = 0; axis < 3 && k == 0; ++axis) NEAR(torque[axis], 0, 0, 1e-12 * size);
    }
    free(forces[1]);
    free(forces[0]);
}

static void resultants_of_pairs_are_the_forces_on_bodies(void **state)
{
    ipc_world *w = *state;
    w->friction = 0.5;
    w->self = false;
    ipc_world_add_plane(w, 0, 1, 0, -0.05);
    ipc_world_add_pile(w, 3, 0.01);
    ipc_world_build(w);
    OK(w->b.context, pli_ipc_freeze_friction(w->ipc, w->b.x, w->b.rest, 1e-3));
    pli_ipc_report report;
    double *normal = ipc_world_vector(w), *tangential = ipc_world_vector(w),
           *gaps = ipc_world_vector(w);
    OK(w->b.context, pli_ipc_measure(w->ipc, w->b.x, &report));
    pli_ipc_fill_forces(w->ipc, normal, tangential);
    pli_ipc_fill_gaps(w->ipc, gaps);
    static const int32_t pairs[][2] = {{0, 1}, {0, 3}, {1, 2}};
    assert_int_equal(report.pair_count, 3);
    int64_t contacts = 0;
    double on_body[4][2][3] = {0}, gap = INFINITY;
    for (int32_t k = 0; k < 3; ++k) {
        const pli_ipc_pair *pair = &report.pairs[k];
        assert_true(pair->first == pairs[k][0] && pair->second == pairs[k][1]);
        contacts += pair->contacts;
        gap = fmin(gap, pair->min_gap);
        pli_vec3_add(on_body[pair->first][0], pair->normal, on_body[pair->first][0]);
        pli_vec3_add(on_body[pair->first][1], pair->friction, on_body[pair->first][1]);
        pli_vec3_subtract(on_body[pair->second][0], pair->normal, on_body[pair->second][0]);
        pli_vec3_subtract(on_body[pair->second][1], pair->friction, on_body[pair->second][1]);
    }
    assert_true(contacts == report.contacts && gap == report.min_gap);
    double size = sum_of_lengths(w, normal);
    for (int32_t body = 0; body < 3; ++body) {
        double sums[2][3];
        sum_over(w, normal, body, sums[0]);
        sum_over(w, tangential, body, sums[1]);
        for (int k = 0; k < 6; ++k) {
            NEAR(on_body[body][k / 3][k % 3], sums[k / 3][k % 3], 0, 1e-13 * size);
        }
    }
    // the plane pushes up what lies on it, and the smallest gap of a vertex is the smallest gap
    AT_LEAST(report.pairs[1].normal[1], 1);
    double smallest = INFINITY;
    for (int32_t v = 0; v < w->b.vertex_count; ++v) {
        smallest = fmin(smallest, gaps[v]);
        AT_MOST(gaps[v], w->def.dhat);
    }
    assert_true(smallest == report.min_gap);
    // that of friction is the rest
    AT_LEAST(ipc_world_energy(w, w->b.x), report.barrier_energy);
    free(gaps);
    free(tangential);
    free(normal);
}

static void nothing_near_is_no_contact(void **state)
{
    ipc_world *w = *state;
    w->self = false;
    bodies_add_box(&w->b, (double[]){0, 0, 0}, (double[]){1, 1, 1}, 2, 2, 2);
    bodies_add_box(&w->b, (double[]){0, 1.1, 0}, (double[]){1, 2, 1}, 2, 2, 2);
    ipc_world_build(w);
    pli_ipc_report report;
    double *force = ipc_world_vector(w), *gaps = ipc_world_vector(w);
    OK(w->b.context, pli_ipc_measure(w->ipc, w->b.x, &report));
    pli_ipc_fill_forces(w->ipc, force, NULL);
    pli_ipc_fill_gaps(w->ipc, gaps);
    assert_true(report.contacts == 0 && report.pair_count == 0 && report.min_gap == INFINITY);
    assert_true(report.barrier_energy == 0 && sum_of_lengths(w, force) == 0 && gaps[5] == 0.1);
    free(gaps);
    free(force);
}

// ---- stiffness

static void stiffness_that_is_given_stays(void **state)
{
    ipc_world *w = *state;
    ipc_world_add_pile(w, 1, 0.01);
    ipc_world_build(w);
    double *g = ipc_world_vector(w), *scratch = ipc_world_vector(w), stiffness = 3;
    ipc_world_gradient(w, w->b.x, g);
    OK(w->b.context, pli_ipc_choose_stiffness(w->ipc, w->b.x, g, scratch, &stiffness));
    assert_true(stiffness == 100 && pli_ipc_stiffness(w->ipc) == 100);
    free(scratch);
    free(g);
}

static void stiffness_balances_the_other_forces(void **state)
{
    ipc_world *w = *state;
    w->def.stiffness = 0;
    ipc_world_add_pile(w, 1, 0.01);
    ipc_world_build(w);
    double low = pli_stiffness_min(&w->def.law), high = pli_stiffness_max(&w->def.law);
    assert_true(pli_ipc_stiffness(w->ipc) == low);
    int32_t n = 3 * w->b.vertex_count;
    double *g = ipc_world_vector(w), *scratch = ipc_world_vector(w);
    pli_ipc_set_stiffness(w->ipc, 1);
    ipc_world_gradient(w, w->b.x, g);
    pli_ipc_set_stiffness(w->ipc, low);
    // other forces that a barrier of the wanted stiffness would balance
    static const double wanted[] = {0.1, 1, 7, 50, 1e3};
    for (int k = 0; k < 5; ++k) {
        double *others = ipc_world_vector(w), stiffness = 0;
        for (int32_t i = 0; i < n; ++i) others[i] = -wanted[k] * low * g[i];
        OK(w->b.context, pli_ipc_choose_stiffness(w->ipc, w->b.x, others, scratch, &stiffness));
        NEAR(stiffness, fmin(fmax(wanted[k] * low, low), high), 1e-12, 0);
        // it stays as long as the balance does within a factor of two
        double kept = 1.9 * stiffness;
        OK(w->b.context, pli_ipc_choose_stiffness(w->ipc, w->b.x, others, scratch, &kept));
        assert_true(kept == 1.9 * stiffness);
        kept = 0.45 * stiffness;
        OK(w->b.context, pli_ipc_choose_stiffness(w->ipc, w->b.x, others, scratch, &kept));
        assert_true(kept == stiffness);
        free(others);
    }
    free(scratch);
    free(g);
}

// Lets an iteration begin with the upper box `gap` above the lower one.
static bool prepare_with_gap(ipc_world *w, double gap)
{
    double *x = ipc_world_positions(w);
    bool changed = false;
    for (int32_t v = w->b.first_vertex[1]; v < w->b.first_vertex[2]; ++v) x[3 * v + 1] += gap;
    OK(w->b.context, pli_objective_prepare(&w->objective, x, &changed));
    free(x);
    return changed;
}

static void stiffness_doubles_while_tiny_gaps_shrink(void **state)
{
    ipc_world *w = *state;
    w->def.stiffness = 0;
    w->self = false;
    // so high up that differences of heights are exact
    bodies_add_box(&w->b, (double[]){0, -1, 0}, (double[]){1, 0, 1}, 1, 1, 1);
    bodies_add_box(&w->b, (double[]){0.1, 0, 0.1}, (double[]){0.8, 1, 0.8}, 1, 1, 1);
    ipc_world_build(w);
    double k = pli_ipc_stiffness(w->ipc), tiny = 1e-9 * w->def.law.diagonal;
    assert_false(prepare_with_gap(w, 0.5 * tiny)); // nothing to compare with
    assert_true(prepare_with_gap(w, 0.4 * tiny) && pli_ipc_stiffness(w->ipc) == 2 * k);
    assert_true(prepare_with_gap(w, 0.3 * tiny) && pli_ipc_stiffness(w->ipc) == 4 * k);
    assert_false(prepare_with_gap(w, 0.35 * tiny)); // it grows
    assert_false(prepare_with_gap(w, 2 * tiny));
    assert_false(prepare_with_gap(w, 0.5 * tiny)); // it was not tiny
    assert_true(pli_ipc_stiffness(w->ipc) == 4 * k);
    pli_ipc_set_stiffness(w->ipc, 4 * k); // another step forgets gaps
    assert_false(prepare_with_gap(w, 0.3 * tiny));
    for (int round = 0; round < 20; ++round) prepare_with_gap(w, (0.2 - 0.005 * round) * tiny);
    assert_true(pli_ipc_stiffness(w->ipc) == pli_stiffness_max(&w->def.law));
}

// ---- friction

static void friction_is_frozen_until_it_is_frozen_again(void **state)
{
    ipc_world *w = *state;
    w->friction = 0.5;
    ipc_world_add_pile(w, 2, 0.01);
    ipc_world_build(w);
    int32_t n = 3 * w->b.vertex_count;
    double *x = ipc_world_positions(w), *start = ipc_world_positions(w);
    double *before = ipc_world_vector(w), *after = ipc_world_vector(w);
    pli_ipc_report report;
    // without freezing there is none
    OK(w->b.context, pli_ipc_measure(w->ipc, x, &report));
    pli_ipc_fill_forces(w->ipc, NULL, before);
    assert_true(sum_of_lengths(w, before) == 0 && report.friction_work == 0);
    assert_true(pli_ipc_has_friction(w->ipc));
    OK(w->b.context, pli_ipc_freeze_friction(w->ipc, x, start, 1e-6));
    // everything slides over the lower box, which pulls it back
    for (int32_t v = w->b.first_vertex[1]; v < w->b.vertex_count; ++v) x[3 * v] += 1e-2;
    OK(w->b.context, pli_ipc_measure(w->ipc, x, &report));
    pli_ipc_fill_forces(w->ipc, NULL, before);
    assert_true(report.friction_work < 0);
    AT_LEAST(report.pairs[0].friction[0], 1);
    double slid = report.friction_work;
    // twice as far: the same forces, twice the work, although gaps are others by now
    for (int32_t v = w->b.first_vertex[1]; v < w->b.vertex_count; ++v) {
        x[3 * v] += 1e-2;
        x[3 * v + 1] += 1e-3;
    }
    OK(w->b.context, pli_ipc_measure(w->ipc, x, &report));
    pli_ipc_fill_forces(w->ipc, NULL, after);
    double largest = 0;
    for (int32_t k = 0; k < n; ++k) largest = fmax(largest, fabs(after[k] - before[k]));
    // the normals of some contacts are tilted, so lifting counts as slip there
    AT_MOST(largest, 0.2 * sum_of_lengths(w, before));
    NEAR(report.friction_work, 2 * slid, 0.1, 0);
    // frozen with wider gaps, forces are smaller
    OK(w->b.context, pli_ipc_freeze_friction(w->ipc, x, start, 1e-6));
    OK(w->b.context, pli_ipc_measure(w->ipc, x, &report));
    pli_ipc_fill_forces(w->ipc, NULL, after);
    AT_MOST(sum_of_lengths(w, after), 0.99 * sum_of_lengths(w, before));
    free(after);
    free(before);
    free(start);
    free(x);
}

// ---- what goes wrong

static void wrong_defs_are_told(void **state)
{
    ipc_world *w = *state;
    ipc_world_add_pile(w, 1, 0);
    pli_ipc_def right = *ipc_world_def(w), def = right;
    char text[256];
    def.dhat = 0;
    assert_int_equal(pli_ipc_create(w->b.context, &def, &w->ipc), PLI_ERROR_ARGUMENT);
    def = right;
    def.stiffness = NAN;
    assert_int_equal(pli_ipc_create(w->b.context, &def, &w->ipc), PLI_ERROR_ARGUMENT);
    w->b.triangles[4] = w->b.vertex_count;
    assert_int_equal(pli_ipc_create(w->b.context, &right, &w->ipc), PLI_ERROR_MESH);
    pli_context_message(w->b.context, text, sizeof text);
    assert_string_equal(text, "triangle 1 of contact has the vertex 20; vertices are 0 to 19");
    assert_null(w->ipc);
}

// Everything that may allocate, once; returns the first failure.
static pli_status use_everything(pli_context *context, ipc_world *w, double *scratch)
{
    pli_ipc *ipc = NULL;
    pli_objective objective;
    pli_ipc_report report;
    bool changed;
    pli_objective_init(&objective, context, w->b.vertex_count);
    pli_status status = pli_ipc_create(context, &w->def, &ipc);
    if (status == PLI_OK) {
        pli_objective_add(&objective, &pli_ipc_term, ipc);
        status = pli_objective_build_pattern(&objective);
    }
    if (status == PLI_OK) {
        // a way on which memory runs out is not gone, and is told afterwards
        double alpha = pli_ipc_max_step(ipc, w->b.x, scratch);
        status = pli_ipc_check(ipc);
        assert_true((alpha > 0) == (status == PLI_OK));
    }
    if (status == PLI_OK) {
        double energy = pli_sum_value(pli_ipc_term.energy(ipc, w->b.rest));
        status = pli_ipc_freeze_friction(ipc, w->b.x, w->b.rest, 1e-3);
        assert_true(status != PLI_OK || isfinite(energy));
    }
    if (status == PLI_OK) status = pli_objective_prepare(&objective, w->b.x, &changed);
    if (status == PLI_OK) pli_objective_compute_hessian(&objective, w->b.x, true);
    if (status == PLI_OK) status = pli_ipc_measure(ipc, w->b.x, &report);
    pli_objective_clear(&objective);
    pli_ipc_destroy(ipc);
    return status;
}

static void any_failing_allocation_is_told_and_leaves_nothing_behind(void **state)
{
    ipc_world *w = *state;
    w->friction = 0.3;
    ipc_world_add_plane(w, 0, 1, 0, -0.05);
    ipc_world_add_pile(w, 2, 0.01);
    (void)ipc_world_def(w);
    double *d = ipc_world_vector(w);
    ipc_world_motion(w, 3, 0.05, 0.01, d);
    for (fault_sweep sweep = {.at_least = 29}; fault_sweep_next(&sweep);) {
        sweep.status = use_everything(sweep.context, w, d);
    }
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_and_hessian_are_derivatives_of_the_energy),
        cmocka_unit_test(friction_has_its_derivatives_too),
        cmocka_unit_test(projected_hessian_is_positive_semidefinite),
        TEST_IN_IPC_WORLD(energy_is_infinite_where_surfaces_touch, 2),
        cmocka_unit_test(contacts_are_all_pairs_closer_than_dhat),
        TEST_IN_IPC_WORLD(what_is_found_does_not_depend_on_what_was_asked_before, 2),
        cmocka_unit_test(same_bits_for_any_thread_count),
        TEST_IN_IPC_WORLD(forces_between_bodies_sum_to_nothing, 2),
        TEST_IN_IPC_WORLD(resultants_of_pairs_are_the_forces_on_bodies, 2),
        TEST_IN_IPC_WORLD(nothing_near_is_no_contact, 2),
        TEST_IN_IPC_WORLD(stiffness_that_is_given_stays, 1),
        TEST_IN_IPC_WORLD(stiffness_balances_the_other_forces, 1),
        TEST_IN_IPC_WORLD(stiffness_doubles_while_tiny_gaps_shrink, 1),
        TEST_IN_IPC_WORLD(friction_is_frozen_until_it_is_frozen_again, 1),
        TEST_IN_IPC_WORLD(wrong_defs_are_told, 1),
        TEST_IN_IPC_WORLD(any_failing_allocation_is_told_and_leaves_nothing_behind, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
