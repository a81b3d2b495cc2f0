// SPDX-License-Identifier: Apache-2.0
// Continuous collision detection: known times, gaps and separations, limits, odd input.
// Exact arithmetic has a file of its own.
#include "near.h"

#include "ccd_zoo.h"

enum { METHODS = 3, COUNT = 2000 };

typedef void method(const pli_ccd_query *query, const pli_ccd_def *def, pli_ccd_report *report);

static method *const methods[METHODS] = {pli_ccd_advance, pli_ccd_enclose, pli_ccd_solve};

// A point above a triangle with legs of 4, falling from height 1 to -3; an edge likewise onto an
// edge; onto an edge's middle; onto a point.
static void make_fall(pli_ccd_kind kind, zoo_query *q)
{
    static const double below[4][3][3] = {
        [PLI_CCD_POINT_POINT] = {{1, 1, 0}},
        [PLI_CCD_POINT_EDGE] = {{0, 0, 0}, {2, 2, 0}},
        [PLI_CCD_POINT_TRIANGLE] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
    };
    *q = (zoo_query){.kind = kind, .size = 4, .hit = 0.25};
    for (int end = 0; end < 2; ++end) {
        double height = end == 0 ? 1 : -3;
        pli_vec3_set(1, 1, height, q->x[end][0]);
        for (int i = 0; i < 3; ++i) pli_vec3_copy(below[kind][i], q->x[end][1 + i]);
        if (kind != PLI_CCD_EDGE_EDGE) continue;
        pli_vec3_set(-1, 0, height, q->x[end][0]);
        pli_vec3_set(2, 0, height, q->x[end][1]);
        pli_vec3_set(0, -1, 0, q->x[end][2]);
        pli_vec3_set(0, 3, 0, q->x[end][3]);
    }
}

static void falling_meets_at_the_known_time(void **state)
{
    (void)state;
    pli_ccd_def def = pli_ccd_def_default();
    def.gap = 0;
    for (int kind = 0; kind < 4; ++kind) {
        zoo_query q;
        pli_ccd_query query;
        make_fall((pli_ccd_kind)kind, &q);
        zoo_query_init(&q, &query);
        NEAR(ccd_distance(&query, 0), 1, 1e-15, 0);
        for (int m = 0; m < METHODS; ++m) {
            pli_ccd_report report;
            methods[m](&query, &def, &report);
            assert_int_equal(report.outcome, PLI_CCD_CONTACT);
            assert_true(report.time < 0.25);
            // the speed is 4, the tolerance 1e-6
            NEAR(report.time, 0.25, 0, 1e-6 / 4);
        }
    }
}

static void separation_and_gap_shift_the_time(void **state)
{
    (void)state;
    pli_ccd_def def = pli_ccd_def_default();
    def.separation = 0.2;
    def.gap = 0.5;
    for (int kind = 0; kind < 4; ++kind) {
        zoo_query q;
        pli_ccd_query query;
        make_fall((pli_ccd_kind)kind, &q);
        zoo_query_init(&q, &query);
        for (int m = 0; m < METHODS; ++m) {
            pli_ccd_report report;
            methods[m](&query, &def, &report);
            // target 0.2 + 0.5 (1 - 0.2) = 0.6, reached after 0.4 at speed 4
            assert_int_equal(report.outcome, PLI_CCD_CONTACT);
            assert_true(report.time <= 0.1);
            NEAR(report.time, 0.1, 0, 1e-6 / 4);
        }
    }
}

static void interval_ends_where_asked(void **state)
{
    (void)state;
    pli_ccd_def def = pli_ccd_def_default();
    def.gap = 0;
    def.t_max = 0.24;
    zoo_query q;
    pli_ccd_query query;
    make_fall(PLI_CCD_EDGE_EDGE, &q);
    zoo_query_init(&q, &query);
    for (int m = 0; m < METHODS; ++m) {
        pli_ccd_report report;
        methods[m](&query, &def, &report);
        assert_int_equal(report.outcome, PLI_CCD_FREE);
        assert_true(report.time == 0.24);
    }
}

// Distances at many times up to the one returned stay above the target, and reach it there.
static void check_target(const pli_ccd_query *query, const pli_ccd_def *def,
                         const pli_ccd_report *report)
{
    double d0 = ccd_distance(query, 0);
    double target = def->separation + def->gap * fmax(d0 - def->separation, 0);
    // the distance that this test measures, and the target made of it, have rounding errors
    double slack = 1e-14 * query->scale;
    for (int sample = 0; sample <= 16 && report->time > 0; ++sample) {
        AT_LEAST(ccd_distance(query, report->time * sample / 16), target - slack);
    }
    if (report->outcome != PLI_CCD_CONTACT) return;
    AT_MOST(ccd_distance(query, report->time), fmax(target + 4 * def->tolerance, d0) + slack);
}

static void distance_keeps_the_target(void **state)
{
    (void)state;
    pli_ccd_def def = pli_ccd_def_default();
    static const zoo_family families[] = {ZOO_RANDOM, ZOO_HIT, ZOO_GRAZE, ZOO_TOGETHER};
    for (int index = 0; index < COUNT; ++index) {
        zoo_query q;
        pli_ccd_query query;
        zoo_make(families[index % 4], (pli_ccd_kind)(index / 4 % 4), (uint64_t)index, &q);
        zoo_query_init(&q, &query);
        def.gap = 0.1 * (index % 3);
        def.separation = index % 5 == 0 ? 0.01 : 0;
        for (int m = 0; m < METHODS; ++m) {
            pli_ccd_report report;
            methods[m](&query, &def, &report);
            check_target(&query, &def, &report);
        }
    }
}

static void contact_built_in_is_found(void **state)
{
    (void)state;
    pli_ccd_def def = pli_ccd_def_default();
    def.gap = 0;
    for (int index = 0; index < COUNT; ++index) {
        zoo_query q;
        pli_ccd_query query;
        pli_ccd_report report;
        zoo_make(ZOO_HIT, (pli_ccd_kind)(index % 4), (uint64_t)index, &q);
        zoo_query_init(&q, &query);
        pli_ccd_solve(&query, &def, &report);
        assert_int_equal(report.outcome, PLI_CCD_CONTACT);
        // the built-in contact is off by rounding, 1e-15, at speeds that may be small
        AT_MOST(report.time, q.hit + 1e-9);
    }
}

static void limits_cost_tightness_only(void **state)
{
    (void)state;
    for (int index = 0; index < COUNT; ++index) {
        zoo_query q;
        pli_ccd_query query;
        zoo_make((zoo_family)(index % ZOO_FAMILIES), (pli_ccd_kind)(index / 16 % 4),
                 (uint64_t)index, &q);
        zoo_query_init(&q, &query);
        for (int m = 0; m < METHODS; ++m) {
            pli_ccd_def def = pli_ccd_def_default();
            pli_ccd_report full, cut;
            def.tolerance = 1e-6 * q.size;
            methods[m](&query, &def, &full);
            def.advance_limit = 1;
            def.box_limit = 2;
            methods[m](&query, &def, &cut);
            assert_true(cut.advance_count <= 1 && cut.box_count <= 2);
            if (cut.outcome == PLI_CCD_FREE) assert_int_equal(full.outcome, PLI_CCD_FREE);
            // a stop within the tolerance may come before or after another
            if (cut.outcome == PLI_CCD_STALLED && m < 2) AT_MOST(cut.time, full.time);
        }
    }
}

static void scale_by_powers_of_two_changes_nothing(void **state)
{
    (void)state;
    for (int index = 0; index < COUNT / 4; ++index) {
        zoo_query q;
        pli_ccd_query query;
        pli_ccd_report report, scaled;
        pli_ccd_def def = pli_ccd_def_default();
        zoo_make(ZOO_HIT, (pli_ccd_kind)(index % 4), (uint64_t)index, &q);
        zoo_query_init(&q, &query);
        pli_ccd_solve(&query, &def, &report);
        for (int exponent = -900; exponent <= 900; exponent += 600) {
            zoo_query other = q;
            zoo_scale(ldexp(1, exponent), &other);
            def.tolerance = ldexp(pli_ccd_def_default().tolerance, exponent);
            zoo_query_init(&other, &query);
            pli_ccd_solve(&query, &def, &scaled);
            assert_int_equal(scaled.outcome, report.outcome);
            assert_true(scaled.time == report.time);
        }
    }
}

static void extreme_and_broken_numbers_are_survived(void **state)
{
    (void)state;
    static const double numbers[] = {0,     -0.0,   1,      NAN,     INFINITY, -INFINITY,
                                     1e308, -1e308, 5e-324, -5e-324, 1e-300,   1e-160};
    zoo_source s = {.random = {.seed = 5, .stream = 5}};
    pli_ccd_def def = pli_ccd_def_default();
    for (int index = 0; index < COUNT; ++index) {
        zoo_query q = {.kind = (pli_ccd_kind)(index % 4)};
        pli_ccd_query query;
        for (int i = 0; i < 6 * PLI_CCD_POINTS; ++i) {
            bool is_tame = zoo_whole(&s, 3) > 0;
            q.x[i / 12][i / 3 % 4][i % 3] = numbers[is_tame ? zoo_whole(&s, 3) : zoo_whole(&s, 12)];
        }
        zoo_query_init(&q, &query);
        for (int m = 0; m < METHODS; ++m) {
            pli_ccd_report report;
            methods[m](&query, &def, &report);
            assert_true(report.time >= 0 && report.time <= 1);
            if (!query.is_finite) assert_int_equal(report.outcome, PLI_CCD_STALLED);
            if (!query.is_finite) assert_true(report.time == 0);
        }
    }
}

static void common_motion_costs_nothing(void **state)
{
    (void)state;
    // a pair that keeps its shape, carried a hundred sizes away: free after one step
    for (int index = 0; index < 100; ++index) {
        zoo_query q;
        pli_ccd_query query;
        pli_ccd_report report;
        pli_ccd_def def = pli_ccd_def_default();
        zoo_make(ZOO_RANDOM, (pli_ccd_kind)(index % 4), (uint64_t)index, &q);
        for (int i = 0; i < PLI_CCD_POINTS; ++i) {
            pli_vec3_add(q.x[0][i], (double[3]){64, -32, 128}, q.x[1][i]);
        }
        zoo_query_init(&q, &query);
        pli_ccd_solve(&query, &def, &report);
        assert_int_equal(report.outcome, PLI_CCD_FREE);
        assert_int_equal(report.advance_count, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_meets_at_the_known_time),
        cmocka_unit_test(separation_and_gap_shift_the_time),
        cmocka_unit_test(interval_ends_where_asked),
        cmocka_unit_test(distance_keeps_the_target),
        cmocka_unit_test(contact_built_in_is_found),
        cmocka_unit_test(limits_cost_tightness_only),
        cmocka_unit_test(scale_by_powers_of_two_changes_nothing),
        cmocka_unit_test(extreme_and_broken_numbers_are_survived),
        cmocka_unit_test(common_motion_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
