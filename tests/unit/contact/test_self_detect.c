// SPDX-License-Identifier: Apache-2.0
// Detection of collisions of bodies with each other and themselves (Gast et al. 2015): equal to
// trying all vertices against all tetrahedra and all triangles, whatever is remembered and by any
// number of threads.
#include "bodies.h"
#include "support/fault_sweep.h"

#include "base/hash.h"
#include "geometry/collision/triangle.h"
#include "geometry/mesh/tet_mesh.h"

static bool has_corner(int32_t size, const int32_t *corners, int32_t vertex)
{
    for (int32_t k = 0; k < size; ++k) {
        if (corners[k] == vertex) return true;
    }
    return false;
}

static bool is_on_surface(const bodies *b, int32_t vertex)
{
    return has_corner(3 * b->triangle_count, b->triangles, vertex);
}

// How often a body covers a point, inverted elements counted negatively, those at one vertex not at
// all.
static int32_t degree_at(const bodies *b, const double p[3], int32_t body, int32_t skip)
{
    int32_t degree = 0;
    for (int32_t t = b->first_tet[body]; t < b->first_tet[body + 1]; ++t) {
        const int32_t *tet = b->tets + 4 * t;
        const double *corners[4];
        if (has_corner(4, tet, skip)) continue;
        for (int k = 0; k < 4; ++k) corners[k] = b->x + 3 * tet[k];
        if (pli_tet_contains(corners, p)) degree += pli_tet_volume_at(b->x, tet) < 0 ? -1 : 1;
    }
    return degree;
}

// A vertex is in its own body when elements that it is no corner of cover it, and all together
// places close to it along its normal.
static bool is_in_own_body(const bodies *b, int32_t vertex, int32_t body)
{
    const double *p = b->x + 3 * vertex;
    double n[3] = {0, 0, 0};
    for (int32_t t = 0; t < b->triangle_count; ++t) {
        const int32_t *c = b->triangles + 3 * t;
        if (!has_corner(3, c, vertex)) continue;
        double u[3], v[3], area[3];
        pli_vec3_subtract(b->x + 3 * c[1], b->x + 3 * c[0], u);
        pli_vec3_subtract(b->x + 3 * c[2], b->x + 3 * c[0], v);
        pli_vec3_cross(u, v, area);
        pli_vec3_add(n, area, n);
    }
    double q[3];
    pli_vec3_normalize(n, n);
    pli_vec3_add_scaled(p, 1e-7, n, q);
    return degree_at(b, p, body, vertex) > 0 && degree_at(b, q, body, -1) > 0;
}

static bool is_in_body(const bodies *b, int32_t vertex, int32_t body)
{
    if (bodies_of_vertex(b, vertex) == body) return is_in_own_body(b, vertex, body);
    return degree_at(b, b->x + 3 * vertex, body, -1) > 0;
}

// The closest triangle of a body, the first of equally close ones; -1: none counts.
static int32_t find_closest(const bodies *b, int32_t vertex, int32_t body, double *distance2)
{
    int32_t best = -1;
    *distance2 = INFINITY;
    for (int32_t t = 0; t < b->triangle_count; ++t) {
        const int32_t *c = b->triangles + 3 * t;
        if (bodies_of_vertex(b, c[0]) != body || has_corner(3, c, vertex)) continue;
        double w[3];
        double d2 = pli_triangle_closest(b->x + 3 * vertex, b->x + 3 * c[0], b->x + 3 * c[1],
                                         b->x + 3 * c[2], w);
        if (d2 < *distance2) {
            *distance2 = d2;
            best = t;
        }
    }
    return best;
}

// contacts that are no deeper than this only touch (m); whether they count is a matter of rounding
static const double touching = 1e-9;

static int32_t skip_touching(const pli_self_contact *contacts, int32_t count, int32_t next)
{
    while (next < count && contacts[next].depth <= touching) ++next;
    return next;
}

// Compares all contacts with brute force; returns how many there are.
static int32_t check_contacts(const bodies *b, bool self)
{
    int32_t count;
    const pli_self_contact *contacts = pli_self_collision_find(b->collision, b->x, &count);
    int32_t next = skip_touching(contacts, count, 0);
    for (int32_t v = 0; v < b->vertex_count; ++v) {
        if (!is_on_surface(b, v)) continue;
        int32_t bodies_found = 0;
        for (int32_t body = 0; body < b->body_count && bodies_found < 2; ++body) {
            if (body == bodies_of_vertex(b, v) && !self) continue;
            if (!is_in_body(b, v, body)) continue;
            ++bodies_found;
            double d2;
            int32_t triangle = find_closest(b, v, body, &d2);
            if (triangle < 0 || d2 <= touching * touching) continue;
            assert_true(next < count);
            const pli_self_contact *contact = &contacts[next];
            next = skip_touching(contacts, count, next + 1);
            assert_int_equal(contact->vertex, v);
            assert_int_equal(contact->body, body);
            assert_int_equal(contact->triangle, triangle);
            NEAR(contact->depth, sqrt(d2), 1e-9, 1e-12);
        }
    }
    assert_int_equal(next, count);
    return count;
}

// Three boxes pushed into each other and shaken; the last steps turn elements inside out.
static bodies make_pile(int32_t threads)
{
    bodies b = bodies_start(threads);
    bodies_add_box(&b, (double[3]){0, 0, 0}, (double[3]){1, 1, 1}, 3, 3, 3);
    bodies_add_box(&b, (double[3]){2, 0, 0}, (double[3]){3, 1, 1}, 4, 3, 2);
    bodies_add_box(&b, (double[3]){0, 2, 0}, (double[3]){1, 3, 1}, 2, 3, 4);
    bodies_add_tet(&b, (double[12]){3, 3, 3, 4, 3, 3, 3, 4, 3, 3, 3, 4});
    return b;
}

static void pose_pile(bodies *b, int32_t step)
{
    memcpy(b->x, b->rest, 3 * (size_t)b->vertex_count * sizeof *b->x);
    bodies_shift(b, 1, -1.1 - 0.05 * step, 0.1, 0.2);
    bodies_shift(b, 2, 0.3, -1.2 - 0.05 * step, 0.1);
    bodies_shift(b, 3, -2.6 - 0.02 * step, -2.5, -2.7);
    bodies_shake(b, (uint64_t)step, step < 4 ? 0.01 : 0.06 * (step - 3));
}

static void detection_equals_brute_force_in_a_pile(void **state)
{
    (void)state;
    for (int self = 0; self < 2; ++self) {
        bodies b = make_pile(2);
        bodies_build(&b, self != 0);
        int32_t most = 0;
        for (int32_t step = 0; step < 9; ++step) {
            pose_pile(&b, step);
            int32_t count = check_contacts(&b, self != 0);
            if (count > most) most = count;
        }
        assert_true(most > 40);
        bodies_clear(&b);
    }
}

// Faces that coincide exactly, vertex on vertex: all found, none with a depth.
static void touching_faces_are_contacts_without_depth(void **state)
{
    (void)state;
    bodies b = bodies_start(1);
    bodies_add_box(&b, (double[3]){0, 0, 0}, (double[3]){0.3, 0.3, 0.3}, 3, 3, 3);
    bodies_add_box(&b, (double[3]){0, 0, 0.3}, (double[3]){0.3, 0.3, 0.6}, 3, 3, 3);
    bodies_build(&b, true);
    int32_t count = check_contacts(&b, true);
    assert_int_equal(count, 2 * 16);
    pli_self_collision_report report;
    pli_self_collision_measure(b.collision, b.x, &report, NULL);
    AT_MOST(report.max_depth, 1e-15);
    AT_MOST(report.energy, 1e-30);

    // the same body twice at the same place: every vertex of the surface coincides with another
    bodies_shift(&b, 1, 0, 0, -0.3);
    assert_int_equal(check_contacts(&b, true), 2 * (64 - 8));
    bodies_clear(&b);
}

// A long bar folded back into itself.
static void a_body_collides_with_itself(void **state)
{
    (void)state;
    for (int self = 0; self < 2; ++self) {
        bodies b = bodies_start(1);
        bodies_add_box(&b, (double[3]){0, 0, 0}, (double[3]){8, 0.5, 0.5}, 32, 2, 2);
        bodies_build(&b, self != 0);
        for (int32_t v = 0; v < b.vertex_count; ++v) {
            double *x = b.x + 3 * v;
            double s = x[0], y = x[1];
            if (s < 3) continue;
            // half a turn of radius 0.2, then back
            double angle = fmin((s - 3) / 0.5, 3.14159265358979323846);
            double rest = s - 3 - 0.5 * angle;
            double radius = 0.7 - y;
            x[0] = 3 + radius * sin(angle) - rest;
            x[1] = 0.7 - radius * cos(angle) - 0.63 * fmin(rest, 1);
        }
        int32_t count = check_contacts(&b, self != 0);
        assert_true(self != 0 ? count > 10 : count == 0);
        bodies_clear(&b);
    }
}

static void single_tetrahedra_collide(void **state)
{
    (void)state;
    bodies b = bodies_start(1);
    for (int32_t k = 0; k < 6; ++k) {
        pli_random random = {82, (uint64_t)k};
        double points[12];
        for (uint64_t i = 0; i < 12; ++i) points[i] = pli_random_uniform(random, i);
        bodies_add_tet(&b, points);
    }
    bodies_build(&b, true);
    int32_t sum = 0;
    for (uint64_t step = 0; step < 20; ++step) {
        bodies_shake(&b, step, 0.1);
        sum += check_contacts(&b, true);
    }
    assert_true(sum > 10);
    bodies_clear(&b);
}

static uint64_t hash_contacts(bodies *b)
{
    int32_t count;
    double energy, *g = calloc(3 * (size_t)b->vertex_count, sizeof *g);
    const pli_self_contact *contacts = pli_self_collision_find(b->collision, b->x, &count);
    uint64_t hash = PLI_HASH_START;
    for (int32_t c = 0; c < count; ++c) {
        hash = pli_hash_bytes(hash, &contacts[c].vertex, 4 * sizeof(int32_t));
        hash = pli_hash_bytes(hash, &contacts[c].depth, 8 * sizeof(double));
    }
    energy = pli_sum_value(pli_self_collision_term.energy(b->collision, b->x));
    pli_self_collision_term.add_gradient(b->collision, b->x, g);
    hash = pli_hash_bytes(hash, &energy, sizeof energy);
    hash = pli_hash_bytes(hash, g, 3 * (size_t)b->vertex_count * sizeof *g);
    free(g);
    return hash;
}

static void memory_and_threads_do_not_change_a_bit(void **state)
{
    (void)state;
    enum { STEPS = 9 };
    uint64_t reference[STEPS] = {0};
    // runs: 1, 2, 4 threads with memory of the steps before, and one that forgets after each
    for (int run = 0; run < 4; ++run) {
        bodies b = make_pile(run == 0 || run == 3 ? 1 : 2 * run);
        bodies_build(&b, true);
        for (int32_t k = 0; k < STEPS; ++k) {
            int32_t step = run == 3 ? STEPS - 1 - k : k;
            pose_pile(&b, step);
            uint64_t hash = hash_contacts(&b);
            if (run == 0) reference[step] = hash;
            assert_true(hash == reference[step]);
            if (run == 3) pli_self_collision_forget(b.collision);
        }
        bodies_clear(&b);
    }
}

// Once made, evaluations allocate nothing; nor does room in the matrix, once it was needed.
static void warm_evaluations_allocate_nothing(void **state)
{
    (void)state;
    bodies b = make_pile(2);
    bodies_build(&b, true);
    pli_bcsr *H = NULL;
    pli_clique_list list = {4, b.tet_count, b.tets};
    OK(b.context, pli_bcsr_create(b.context, b.vertex_count, 1, &list, &H));
    int64_t before = pli_context_allocation_count(b.context);
    for (int32_t step = 0; step < 18; ++step) {
        pose_pile(&b, step % 9);
        int64_t start = pli_context_allocation_count(b.context);
        // calloc in the test itself does not count
        hash_contacts(&b);
        assert_int_equal(pli_context_allocation_count(b.context), start);
        if (step == 9) before = start;
        OK(b.context, pli_self_collision_prepare(b.collision, b.x, H));
        pli_bcsr_set_zero(H);
        pli_self_collision_term.add_hessian(b.collision, b.x, true, H);
        pli_bcsr_close_extra(H);
    }
    assert_int_equal(pli_context_allocation_count(b.context), before);
    pli_bcsr_destroy(H);
    bodies_clear(&b);
}

static void positions_that_are_not_finite_are_survived(void **state)
{
    (void)state;
    bodies b = make_pile(1);
    bodies_build(&b, true);
    pose_pile(&b, 2);
    int32_t count;
    for (int32_t k = 0; k < 3 * b.vertex_count; ++k) {
        if (k % 3 == 0) b.x[k] = k % 2 == 0 ? NAN : INFINITY;
    }
    pli_self_collision_find(b.collision, b.x, &count);
    assert_int_equal(count, 0);
    for (int32_t k = 0; k < 3 * b.vertex_count; ++k) b.x[k] = 1e300 * (k % 7 - 3);
    pli_self_collision_find(b.collision, b.x, &count);
    pose_pile(&b, 2);
    assert_true(check_contacts(&b, true) > 0);
    bodies_clear(&b);
}

static void failed_allocations_release_everything(void **state)
{
    (void)state;
    bodies b = bodies_start(1);
    bodies_add_box(&b, (double[3]){0, 0, 0}, (double[3]){1, 1, 1}, 1, 1, 1);
    pli_self_collision_def def = bodies_def(&b, true);
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_self_collision *collision = NULL;
        sweep.status = pli_self_collision_create(sweep.context, &def, &collision);
        assert_int_equal(collision == NULL, sweep.status != PLI_OK);
        pli_self_collision_destroy(collision);
    }
    bodies_clear(&b);
}

static void check_refused(const bodies *b, const pli_self_collision_def *def)
{
    pli_self_collision *collision = NULL;
    assert_int_equal(pli_self_collision_create(b->context, def, &collision), PLI_ERROR_ARGUMENT);
    assert_null(collision);
}

static void definitions_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    bodies b = bodies_start(1);
    bodies_add_box(&b, (double[3]){0, 0, 0}, (double[3]){1, 1, 1}, 1, 1, 1);
    bodies_add_box(&b, (double[3]){2, 0, 0}, (double[3]){3, 1, 1}, 1, 1, 1);
    const pli_self_collision_def good = bodies_def(&b, true);
    pli_self_collision_def def = good;
    def.stiffness = -1;
    check_refused(&b, &def);
    def = good;
    def.friction = NAN;
    check_refused(&b, &def);
    def = good;
    const int32_t ranges[3] = {0, 9, 8};
    def.first_vertex = ranges;
    check_refused(&b, &def);
    def = good;
    int32_t kept = b.triangles[1];
    b.triangles[1] = 16;
    check_refused(&b, &def);
    b.triangles[1] = kept;
    b.tets[2] = 12;
    check_refused(&b, &def);
    bodies_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(detection_equals_brute_force_in_a_pile),
        cmocka_unit_test(touching_faces_are_contacts_without_depth),
        cmocka_unit_test(a_body_collides_with_itself),
        cmocka_unit_test(single_tetrahedra_collide),
        cmocka_unit_test(memory_and_threads_do_not_change_a_bit),
        cmocka_unit_test(warm_evaluations_allocate_nothing),
        cmocka_unit_test(positions_that_are_not_finite_are_survived),
        cmocka_unit_test(failed_allocations_release_everything),
        cmocka_unit_test(definitions_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
