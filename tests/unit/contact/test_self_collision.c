// SPDX-License-Identifier: Apache-2.0
// Energy, derivatives and friction of collisions of bodies with each other (Gast et al. 2015).
#include "bodies.h"

#include "derivatives.h"
#include "math/eigen.h"
#include "math/mat3.h"

static const pli_term_ops *const term = &pli_self_collision_term;

// ---- derivatives

// A block and a small tetrahedron whose tip is inside of it, closest to a chosen feature.
static bodies make_tip(double x, double y, double z)
{
    bodies b = bodies_start(1);
    bodies_add_box(&b, (double[3]){0, 0, 0}, (double[3]){1, 1, 1}, 1, 1, 1);
    bodies_add_tet(&b, (double[12]){x, y, z, 1.5, 1.4, 2, 2, 1.4, 2.1, 1.5, 2, 2.2});
    bodies_build(&b, false);
    return b;
}

static double case_energy(void *user, const double *x)
{
    return pli_sum_value(term->energy(((bodies *)user)->collision, x));
}

static void case_gradient(void *user, const double *x, double *g)
{
    const bodies *b = user;
    memset(g, 0, 3 * (size_t)b->vertex_count * sizeof *g);
    term->add_gradient(b->collision, x, g);
}

// The Hessian as a dense matrix, through one whose pattern couples everything.
static void dense_hessian(const bodies *b, const double *x, bool projected, double *dense)
{
    pli_bcsr *H = NULL;
    int32_t *all = calloc((size_t)b->vertex_count, sizeof *all);
    for (int32_t v = 0; v < b->vertex_count; ++v) all[v] = v;
    pli_clique_list list = {b->vertex_count, 1, all};
    OK(b->context, pli_bcsr_create(b->context, b->vertex_count, 1, &list, &H));
    OK(b->context, pli_self_collision_prepare(b->collision, x, H));
    term->add_hessian(b->collision, x, projected, H);
    int32_t n = 3 * b->vertex_count;
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < n; ++j) {
            int64_t slot = pli_bcsr_find(H, i / 3, j / 3);
            dense[n * i + j] = H->values[9 * slot + 3 * (i % 3) + j % 3];
        }
    }
    pli_bcsr_destroy(H);
    free(all);
}

static void case_hessian(void *user, const double *x, double *H)
{
    dense_hessian(user, x, false, H);
}

// The surface of a convex block is closest at its faces; edges and corners are closest to points
// near reentrant ones, which appear when the triangle ahead bulges inwards.
static void derivatives_hold_for_faces_edges_and_corners(void **state)
{
    (void)state;
    bool seen[3] = {false, false, false};
    for (uint64_t trial = 0; trial < 40; ++trial) {
        bodies b = bodies_start(1);
        bodies_add_box(&b, (double[3]){0, 0, 0}, (double[3]){1, 1, 1}, 2, 2, 2);
        bodies_add_tet(&b, (double[12]){0.5, 0.5, 0.75, 0.4, 0.4, 2, 0.9, 0.4, 2, 0.5, 0.9, 2});
        bodies_build(&b, false);
        // the middle of the top is pushed in, so that its corner and edges stick into the block
        double *middle = b.x + 3 * (1 + 3 * (1 + 3 * 2));
        pli_vec3_set(0.5, 0.5, 0.8, middle);
        pli_random random = {91, trial};
        double *tip = b.x + 3 * b.first_vertex[1];
        for (int32_t v = b.first_vertex[1]; v < b.first_vertex[2]; ++v) {
            // whichever vertex the mesh put first, move the low one
            if (b.x[3 * v + 2] < 1) tip = b.x + 3 * v;
        }
        for (uint64_t k = 0; k < 3; ++k) {
            tip[k] += pli_random_range(random, k, -0.1, 0.1) - (k == 2 ? 0.08 : 0);
        }
        int32_t count;
        const pli_self_contact *contact = pli_self_collision_find(b.collision, b.x, &count);
        if (count == 1 && contact->depth > 0.02) {
            seen[contact->feature == PLI_TRIANGLE_FACE     ? 0
                 : contact->feature >= PLI_TRIANGLE_EDGE_0 ? 1
                                                           : 2] = true;
            derivatives_case check = {.n = 3 * b.vertex_count,
                                      .energy = case_energy,
                                      .gradient = case_gradient,
                                      .hessian = case_hessian,
                                      .user = &b,
                                      .scale = 0.02,
                                      .magnitude = 1};
            CHECK_DERIVATIVES(&check, b.x, "contact");
        }
        bodies_clear(&b);
    }
    assert_true(seen[0] && seen[1] && seen[2]);
}

static void gradient_has_no_net_force_or_torque(void **state)
{
    (void)state;
    bodies b = make_tip(0.9, 0.8, 0.7);
    double force[3] = {0, 0, 0}, torque[3] = {0, 0, 0};
    double *forces = calloc(3 * (size_t)b.vertex_count, sizeof *forces);
    pli_self_collision_report report;
    pli_self_collision_measure(b.collision, b.x, &report, forces);
    assert_int_equal(report.contact_count, 1);
    NEAR(report.max_depth, 0.1, 1e-12, 0);
    // k depth^3, and its derivative on the tip, outwards
    NEAR(report.energy, 1e4 * 1e-3, 1e-10, 0);
    for (int32_t v = 0; v < b.vertex_count; ++v) {
        double t[3];
        pli_vec3_add(force, forces + 3 * v, force);
        pli_vec3_cross(b.x + 3 * v, forces + 3 * v, t);
        pli_vec3_add(torque, t, torque);
        if (b.x[3 * v] == 0.9) NEAR(forces[3 * v], 1e4 * 3 * 0.01, 1e-10, 0);
    }
    NEAR(pli_vec3_norm(force), 0, 0, 1e-11);
    NEAR(pli_vec3_norm(torque), 0, 0, 1e-11);
    free(forces);
    bodies_clear(&b);
}

static void projected_hessian_is_positive_semidefinite(void **state)
{
    (void)state;
    bodies b = make_tip(0.9, 0.85, 0.8);
    int32_t n = 3 * b.vertex_count;
    double *H = calloc((size_t)(n * n), sizeof *H);
    for (int projected = 0; projected < 2; ++projected) {
        dense_hessian(&b, b.x, projected != 0, H);
        double least = INFINITY, most = 0;
        for (uint64_t trial = 0; trial < 2000; ++trial) {
            pli_random random = {92, trial};
            double quadratic = 0;
            for (int32_t i = 0; i < n; ++i) {
                for (int32_t j = 0; j < n; ++j) {
                    quadratic += pli_random_normal(random, (uint64_t)i) * H[n * i + j] *
                                 pli_random_normal(random, (uint64_t)j);
                }
            }
            least = fmin(least, quadratic);
            most = fmax(most, quadratic);
        }
        assert_true(most > 0);
        if (projected == 0) {
            assert_true(least < 0);
        } else {
            AT_LEAST(least, -1e-12 * most);
        }
    }
    free(H);
    bodies_clear(&b);
}

// The matrix of the elements alone has no place for contacts: they go beside the pattern.
static void blocks_beside_the_pattern_complete_the_hessian(void **state)
{
    (void)state;
    bodies b = make_tip(0.9, 0.85, 0.8);
    int32_t n = 3 * b.vertex_count;
    double *dense = calloc((size_t)(n * n), sizeof *dense);
    double *d = calloc((size_t)n, sizeof *d);
    double *Hd = calloc((size_t)n, sizeof *Hd);
    dense_hessian(&b, b.x, true, dense);
    pli_bcsr *H = NULL;
    pli_clique_list list = {4, b.tet_count, b.tets};
    OK(b.context, pli_bcsr_create(b.context, b.vertex_count, 1, &list, &H));
    bool changed = false;
    OK(b.context, term->prepare(b.collision, b.x, H, &changed));
    assert_false(changed);
    term->add_hessian(b.collision, b.x, true, H);
    pli_bcsr_close_extra(H);
    derivatives_direction(n, 5, d);
    pli_bcsr_multiply(H, d, Hd);
    for (int32_t i = 0; i < n; ++i) {
        NEAR(Hd[i], derivatives_dot(n, dense + (int64_t)n * i, d), 0, 1e-10);
    }
    assert_true(derivatives_norm(n, Hd) > 1);
    pli_bcsr_destroy(H);
    free(Hd);
    free(d);
    free(dense);
    bodies_clear(&b);
}

// The tip goes in and out: nothing outside, and the cube of the depth inside.
static void energy_is_zero_outside_and_continuous(void **state)
{
    (void)state;
    bodies b = make_tip(1.1, 0.4, 0.6);
    int32_t tip = -1;
    for (int32_t v = b.first_vertex[1]; v < b.vertex_count; ++v) {
        if (b.x[3 * v] == 1.1) tip = v;
    }
    assert_true(tip >= 0);
    for (int k = -1000; k <= 1000; ++k) {
        double depth = k * 1e-4;
        b.x[3 * tip] = 1 - depth;
        double want = depth > 0 ? 1e4 * depth * depth * depth : 0;
        NEAR(pli_sum_value(term->energy(b.collision, b.x)), want, 1e-6, 1e-18);
    }
    // down to the last bit, where the softening matters
    b.x[3 * tip] = nextafter(1, 0);
    double d = pow(1 - b.x[3 * tip], 2);
    NEAR(pli_sum_value(term->energy(b.collision, b.x)), 1e4 * d * sqrt(d + 1e-15), 1e-12, 0);
    assert_true(pli_self_collision_term.deferred);
    bodies_clear(&b);
}

// ---- friction

static double kinetic_energy(const bodies *b, const double *mass, const double *v)
{
    double sum = 0;
    for (int32_t i = 0; i < b->vertex_count; ++i) {
        if (isfinite(mass[i])) sum += 0.5 * mass[i] * pli_vec3_norm2(v + 3 * i);
    }
    return sum;
}

static void momentum(const bodies *b, const double *mass, const double *v, double p[3])
{
    pli_vec3_set(0, 0, 0, p);
    for (int32_t i = 0; i < b->vertex_count; ++i) {
        pli_vec3_add_scaled(p, mass[i], v + 3 * i, p);
    }
}

static void fill_random(uint64_t stream, int32_t count, double low, double high, double *out)
{
    pli_random random = {93, stream};
    for (int32_t k = 0; k < count; ++k) out[k] = pli_random_range(random, (uint64_t)k, low, high);
}

static void friction_takes_energy_and_keeps_momentum(void **state)
{
    (void)state;
    bodies b = bodies_start(1);
    bodies_add_box(&b, (double[3]){0, 0, 0}, (double[3]){1, 1, 1}, 3, 3, 3);
    bodies_add_box(&b, (double[3]){0.1, 0.2, 0.9}, (double[3]){1.2, 1.1, 2}, 3, 3, 3);
    bodies_build(&b, false);
    double *mass = calloc((size_t)b.vertex_count, sizeof *mass);
    double *v = calloc(3 * (size_t)b.vertex_count, sizeof *v);
    double lost = 0;
    for (uint64_t trial = 0; trial < 30; ++trial) {
        double before[3], after[3], drop[3];
        fill_random(trial, b.vertex_count, 0.1, 2, mass);
        fill_random(100 + trial, 3 * b.vertex_count, -1, 1, v);
        momentum(&b, mass, v, before);
        double energy = kinetic_energy(&b, mass, v);
        double h = pow(10, -(double)(trial % 6));
        double change = pli_self_collision_apply_friction(b.collision, b.x, mass, h, v);
        assert_true(change <= 0);
        lost -= change;
        NEAR(kinetic_energy(&b, mass, v) - energy, change, 1e-9, 1e-12 * energy);
        momentum(&b, mass, v, after);
        pli_vec3_subtract(after, before, drop);
        NEAR(pli_vec3_norm(drop), 0, 0, 1e-12);
    }
    assert_true(lost > 0.1);
    free(v);
    free(mass);
    bodies_clear(&b);
}

// One tip on a face: sliding stops when Coulomb's law allows that much, slows by mu h f / m if not.
static void impulse_is_limited_by_the_normal_force_over_the_step(void **state)
{
    (void)state;
    bodies b = make_tip(0.95, 0.4, 0.5);
    int32_t count;
    const pli_self_contact *contact = pli_self_collision_find(b.collision, b.x, &count);
    assert_int_equal(count, 1);
    double force = 3e4 * 0.05 * 0.05; // dE/ddepth (N)
    int32_t tip = contact->vertex;
    double *mass = calloc((size_t)b.vertex_count, sizeof *mass);
    double *v = calloc(3 * (size_t)b.vertex_count, sizeof *v);
    for (int32_t i = 0; i < b.vertex_count; ++i) mass[i] = i < b.first_vertex[1] ? INFINITY : 2;
    for (int k = 0; k < 3; ++k) {
        double h = pow(10, -k);
        memset(v, 0, 3 * (size_t)b.vertex_count * sizeof *v);
        pli_vec3_set(-0.5, 3, 4, v + 3 * tip);
        double change = pli_self_collision_apply_friction(b.collision, b.x, mass, h, v);
        double speed = fmax(5 - 0.3 * h * force / 2, 0);
        NEAR(v[3 * tip], -0.5, 1e-12, 0);
        NEAR(hypot(v[3 * tip + 1], v[3 * tip + 2]), speed, 1e-9, 1e-12);
        NEAR(change, 0.5 * 2 * (speed * speed - 25), 1e-9, 0);
        // what must keep its velocity does
        for (int32_t i = 0; i < 3 * b.first_vertex[1]; ++i) assert_true(v[i] == 0);
    }
    free(v);
    free(mass);
    bodies_clear(&b);
}

static void phases_are_timed(void **state)
{
    (void)state;
    bodies b = make_tip(0.9, 0.4, 0.5);
    pli_timers timers;
    pli_timers_clear(&timers);
    pli_self_collision_destroy(b.collision);
    pli_self_collision_def def = bodies_def(&b, true);
    def.timers = &timers;
    OK(b.context, pli_self_collision_create(b.context, &def, &b.collision));
    term->energy(b.collision, b.x);
    assert_true(pli_timers_seconds(&timers, "broad phase") > 0);
    assert_true(pli_timers_seconds(&timers, "contact") > 0);
    assert_int_equal(timers.depth, 0);
    // the same positions are not searched again
    int64_t calls = timers.calls[0];
    double *g = calloc(3 * (size_t)b.vertex_count, sizeof *g);
    term->add_gradient(b.collision, b.x, g);
    assert_int_equal(timers.calls[0], calls);
    free(g);
    bodies_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_hold_for_faces_edges_and_corners),
        cmocka_unit_test(gradient_has_no_net_force_or_torque),
        cmocka_unit_test(projected_hessian_is_positive_semidefinite),
        cmocka_unit_test(blocks_beside_the_pattern_complete_the_hessian),
        cmocka_unit_test(energy_is_zero_outside_and_continuous),
        cmocka_unit_test(friction_takes_energy_and_keeps_momentum),
        cmocka_unit_test(impulse_is_limited_by_the_normal_force_over_the_step),
        cmocka_unit_test(phases_are_timed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
