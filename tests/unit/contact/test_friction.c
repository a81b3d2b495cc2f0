// SPDX-License-Identifier: Apache-2.0
//
// Coulomb's friction after a step, for each of the three ways to collide, and collisions as a step
// of their own.
#include "solids.h"
#include "support/same_bits.h"

#include "contact/constraint.h"
#include "contact/coulomb.h"
#include "contact/penalty.h"
#include "contact/postprocess.h"

// ---- the rule

static double relative_energy(const pli_coulomb *pair, const double v[3])
{
    double d[3];
    pli_vec3_subtract(v, pair->velocity, d);
    return 0.5 * pair->mass * pli_vec3_norm2(d);
}

static void friction_only_takes_energy(void **state)
{
    (void)state;
    pli_random random = {41, 1};
    for (uint64_t i = 0; i < 2000; ++i) {
        pli_coulomb pair = {.friction = pli_random_range(random, 4 * i, 0, 2),
                            .impulse = pli_random_range(random, 4 * i + 1, 0, 3),
                            .mass = pli_random_range(random, 4 * i + 2, 0.1, 4),
                            .held = (uint8_t)(i % 8)};
        double v[3], before[3], d[3];
        solids_point(26, 3 * i, 1, pair.normal);
        pli_vec3_normalize(pair.normal, pair.normal);
        solids_point(26, 3 * i + 1, 1, pair.velocity);
        solids_point(26, 3 * i + 2, 2, before);
        pli_vec3_copy(before, v);
        double change = pli_coulomb_apply(&pair, v);
        AT_MOST(change, 0);
        NEAR(relative_energy(&pair, v) - relative_energy(&pair, before), change, 1e-12, 1e-14);
        // the brake is tangential, leaves held components alone, and is within the cone
        pli_vec3_subtract(v, before, d);
        AT_MOST(pair.mass * pli_vec3_norm(d), pair.friction * pair.impulse * (1 + 1e-12));
        for (int k = 0; k < 3; ++k) {
            if (pair.held >> k & 1) assert_true(v[k] == before[k]);
        }
        NEAR(pli_vec3_dot(d, pair.normal), 0, 0, 1e-14);
    }
}

static void point_stops_exactly_when_the_cap_is_reached(void **state)
{
    (void)state;
    // 1.5 m/s of 2 kg need 3 N s: mu j = 0.5 * 6
    pli_coulomb pair = {.normal = {0, 1, 0}, .friction = 0.5, .impulse = 6, .mass = 2};
    double v[3] = {0.9, 0.25, -1.2};
    double change = pli_coulomb_apply(&pair, v);
    NEAR(v[0], 0, 0, 1e-15);
    NEAR(v[2], 0, 0, 1e-15);
    assert_true(v[1] == 0.25);
    NEAR(change, -2.25, 1e-15, 0);
    // beyond the cap it stops, too, and does not turn around
    pair.impulse = 60;
    pli_vec3_set(0.9, 0.25, -1.2, v);
    pli_coulomb_apply(&pair, v);
    assert_true(v[0] == 0 && v[1] == 0.25 && v[2] == 0);
    // half of it takes half of the speed
    pair.impulse = 3;
    pli_vec3_set(0.9, 0.25, -1.2, v);
    pli_coulomb_apply(&pair, v);
    NEAR(v[0], 0.45, 1e-15, 0);
    NEAR(v[2], -0.6, 1e-15, 0);
}

static void nothing_is_braked_without_a_cause(void **state)
{
    (void)state;
    double v[3] = {1, 2, 3};
    pli_coulomb pair = {.normal = {0, 1, 0}, .impulse = 6, .mass = 2};
    assert_true(pli_coulomb_apply(&pair, v) == 0);
    pair = (pli_coulomb){.normal = {0, 1, 0}, .friction = 1, .mass = 2};
    assert_true(pli_coulomb_apply(&pair, v) == 0);
    // a point at rest, and one without mass
    pair.impulse = 1;
    pair.mass = 0;
    pli_vec3_copy(v, pair.velocity);
    assert_true(pli_coulomb_apply(&pair, v) == 0);
    assert_true(v[0] == 1 && v[1] == 2 && v[2] == 3);
}

// ---- constraints and penalties

// A floor that moved along x by 0.3 during the step of 0.1 s, at the same height.
static pli_collider *add_belt(solids *s, pli_collider_method method)
{
    pli_collider *belt = solids_add_plane(s, 0, 1, 0, method);
    belt->before.offset[0] = -0.1;
    belt->now.offset[0] = 0.2;
    belt->friction = 0.5;
    return belt;
}

static const double step = 0.1;

static void constraint_brakes_by_its_multiplier(void **state)
{
    solids *s = *state;
    add_belt(s, PLI_COLLIDER_CONSTRAINT);
    s->def.point_count = 3;
    pli_constraint *constraint = NULL;
    OK(s->context, pli_constraint_create(s->context, &s->def, &constraint));
    // pressed with 40 N, pressed hard, not pressed; the belt runs at 3 m/s
    const double x[3][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    const double g[3][3] = {{0, 40, 0}, {0, 1e6, 0}, {0, -1, 0}};
    const double mass[3] = {2, 2, 2};
    double v[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    pli_constraint_projection.choose_active(constraint, &x[0][0], &g[0][0]);
    double change = pli_constraint_apply_friction(constraint, &x[0][0], mass, step, &v[0][0]);
    // mu h f / m = 0.5 * 0.1 * 40 / 2
    NEAR(v[0][0], 1, 1e-14, 0);
    NEAR(v[1][0], 3, 1e-14, 0);
    assert_true(v[2][0] == 0);
    // as the belt sees it, 3 m/s became 2 m/s and 0
    NEAR(change, 0.5 * 2 * (4 - 9) + 0.5 * 2 * (0 - 9), 1e-14, 0);
    pli_constraint_destroy(constraint);
}

static void penalty_brakes_by_its_force(void **state)
{
    solids *s = *state;
    pli_collider *belt = add_belt(s, PLI_COLLIDER_PENALTY);
    s->def.point_count = 3;
    pli_penalty penalty = {s->context, s->def, false};
    const double depth = 0.01;
    const double x[3][3] = {{0, -depth, 0}, {1, -1, 0}, {2, 0.1, 0}};
    const double mass[3] = {2, 2, 2};
    double v[3][3] = {{0, 1, 0}, {0, 0, 0}, {0, 0, 0}};
    double change = pli_penalty_apply_friction(&penalty, &x[0][0], mass, step, &v[0][0], NULL);
    double force = 3 * belt->stiffness * depth * depth;
    double gain = 0.5 * step * force / 2;
    NEAR(v[0][0], gain, 1e-13, 0);
    assert_true(v[0][1] == 1);
    NEAR(v[1][0], 3, 1e-14, 0);
    assert_true(v[2][0] == 0);
    NEAR(change, (3 - gain) * (3 - gain) - 9 - 9, 1e-13, 0);
}

// Tangential gravity m g sin(a) against a normal force m g cos(a): after one step from rest a point
// stays if and only if tan(a) <= mu (Gast et al. 2015).
static void block_on_an_incline_slips_beyond_the_angle_of_friction(void **state)
{
    (void)state;
    const double mu = 0.5, weight = 9.81 * 2, mass = 2;
    for (int sign = -1; sign <= 1; sign += 2) {
        solids *s = solids_make(1);
        double angle = atan(mu) + sign * 1e-3;
        solids_add_plane(s, sin(angle), cos(angle), 0, PLI_COLLIDER_CONSTRAINT)->friction = mu;
        s->def.point_count = 1;
        pli_constraint *constraint = NULL;
        OK(s->context, pli_constraint_create(s->context, &s->def, &constraint));
        const double x[3] = {0, 0, 0}, g[3] = {0, weight, 0};
        double speed = step * 9.81 * sin(angle);
        double v[3] = {speed * cos(angle), -speed * sin(angle), 0};
        pli_constraint_projection.choose_active(constraint, x, g);
        pli_constraint_apply_friction(constraint, x, &mass, step, v);
        assert_int_equal(pli_vec3_norm(v) > 1e-12, sign > 0);
        pli_constraint_destroy(constraint);
        solids_destroy(s);
    }
}

// ---- collisions after the solve (Gast et al. 2015)

static void postprocess_moves_out_stops_and_brakes(void **state)
{
    solids *s = *state;
    solids_add_plane(s, 0, 1, 0, PLI_COLLIDER_POSTPROCESS)->friction = 0.25;
    const uint8_t fixed[5] = {0, 0, 0, 7, 1};
    s->def.point_count = 5;
    s->def.fixed = fixed;
    // falling, leaving, above, held altogether, held along x
    double x[5][3] = {{0, -0.2, 0}, {1, -0.1, 0}, {2, 0.1, 0}, {3, -1, 0}, {4, -0.3, 0}};
    double v[5][3] = {{3, -4, 0}, {1, 2, 0}, {0, -9, 0}, {0, -9, 0}, {7, -4, 3}};
    const double mass[5] = {2, 2, 2, 2, 2};
    pli_postprocess_state after = {step, mass, &x[0][0], &v[0][0], NULL};
    pli_collision_report report;
    pli_postprocess_apply(s->context, &s->def, &after, &report);
    const double want_x[5][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0.1, 0}, {3, -1, 0}, {4, 0, 0}};
    // mu times the normal velocity is what friction takes
    const double want_v[5][3] = {{2, 0, 0}, {1, 2, 0}, {0, -9, 0}, {0, -9, 0}, {7, 0, 2}};
    for (int p = 0; p < 5; ++p) {
        AT_MOST(pli_vec3_distance(x[p], want_x[p]), 1e-15);
        AT_MOST(pli_vec3_distance(v[p], want_v[p]), 1e-14);
    }
    assert_int_equal(report.contacts, 3);
    NEAR(report.min_gap, -0.3, 1e-15, 0);
    NEAR(report.max_depth, 0.3, 1e-15, 0);
    NEAR(report.energy, (4 - 25) + (4 - 25), 1e-14, 0);
}

static void postprocess_gives_the_velocity_of_what_pushes(void **state)
{
    solids *s = *state;
    pli_collider *piston = solids_add_plane(s, 0, 1, 0, PLI_COLLIDER_POSTPROCESS);
    piston->friction = 10;
    pli_vec3_set(0.1, 0.2, 0, piston->now.offset);
    s->def.point_count = 1;
    double x[3] = {0, 0.1, 0}, v[3] = {0, 0, 0};
    const double mass = 3;
    pli_postprocess_state after = {step, &mass, x, v, NULL};
    pli_collision_report report;
    pli_postprocess_apply(s->context, &s->def, &after, &report);
    NEAR(x[1], 0.2, 1e-15, 0);
    NEAR(v[0], 1, 1e-14, 0);
    NEAR(v[1], 2, 1e-14, 0);
    NEAR(report.energy, -0.5 * 3 * 5, 1e-14, 0);
}

static void postprocess_leaves_no_inward_velocity_in_creases(void **state)
{
    solids *s = *state;
    solids_add_plane(s, 1, 0.3, 0, PLI_COLLIDER_POSTPROCESS)->friction = 0.2;
    solids_add_plane(s, -1, 0.3, 0, PLI_COLLIDER_POSTPROCESS)->friction = 0.4;
    s->def.point_count = 1;
    const double mass = 1;
    int32_t settled = 0;
    for (uint64_t i = 0; i < 300; ++i) {
        double x[3], v[3];
        solids_point(27, i, 0.5, x);
        solids_point(28, i, 1, v);
        double before = 0.5 * pli_vec3_norm2(v);
        pli_postprocess_state after = {step, &mass, x, v, NULL};
        pli_collision_report report;
        pli_postprocess_apply(s->context, &s->def, &after, &report);
        AT_MOST(report.energy, 1e-16);
        NEAR(0.5 * pli_vec3_norm2(v) - before, report.energy, 0, 1e-14);
        for (int32_t b = 0; b < 2; ++b) {
            double n[3];
            double value = pli_collider_gradient(&s->colliders[b], x, n);
            AT_LEAST(value, -1e-13);
            if (report.contacts == 0 || value > 1e-12) continue;
            AT_LEAST(pli_vec3_dot(n, v), -1e-13);
            ++settled;
        }
    }
    assert_true(settled > 100);
}

enum { MANY = 2000 };

static double run_many(int32_t threads, double *x, double *v)
{
    solids *s = solids_make(threads);
    for (solid_kind kind = 0; kind < SOLID_BLEND; ++kind) {
        if (kind == SOLID_INSIDE_OUT_SPHERE) continue;
        pli_collider *c = solids_add(s, solids_shape(s, kind), PLI_COLLIDER_POSTPROCESS);
        solids_move(c);
        c->friction = 0.3;
    }
    s->def.point_count = MANY;
    static double mass[MANY];
    for (uint64_t i = 0; i < MANY; ++i) {
        solids_point(29, i, 1.5, x + 3 * i);
        solids_point(30, i, 1, v + 3 * i);
        mass[i] = 1;
    }
    pli_postprocess_state after = {step, mass, x, v, NULL};
    pli_collision_report report;
    pli_postprocess_apply(s->context, &s->def, &after, &report);
    assert_true(report.contacts > MANY / 10);
    solids_destroy(s);
    return report.energy;
}

static void postprocess_has_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    static double x[3 * MANY], v[3 * MANY];
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        same_bits_keep_double(&bits, run_many(bits.threads, x, v));
        same_bits_keep(&bits, x, sizeof x);
        same_bits_keep(&bits, v, sizeof v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_only_takes_energy),
        cmocka_unit_test(point_stops_exactly_when_the_cap_is_reached),
        cmocka_unit_test(nothing_is_braked_without_a_cause),
        TEST_WITH_SOLIDS(constraint_brakes_by_its_multiplier, 1),
        TEST_WITH_SOLIDS(penalty_brakes_by_its_force, 1),
        cmocka_unit_test(block_on_an_incline_slips_beyond_the_angle_of_friction),
        TEST_WITH_SOLIDS(postprocess_moves_out_stops_and_brakes, 1),
        TEST_WITH_SOLIDS(postprocess_gives_the_velocity_of_what_pushes, 1),
        TEST_WITH_SOLIDS(postprocess_leaves_no_inward_velocity_in_creases, 1),
        cmocka_unit_test(postprocess_has_the_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
