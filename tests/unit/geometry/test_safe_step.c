// SPDX-License-Identifier: Apache-2.0
// The largest safe step of a surface (Li et al. 2020). Exact arithmetic judges single pairs in
// test_ccd_exact.
#include "near.h"
#include "support/same_bits.h"

#include "ccd_zoo.h"

#include "base/context.h"
#include "base/memory.h"
#include "geometry/mesh/edges.h"

enum {
    SIDE = 26,
    LAYER = (SIDE + 1) * (SIDE + 1),
    VERTICES = 2 * LAYER,
    TRIANGLES = 4 * SIDE * SIDE,
    LONE = 60 // grains, and as many rods
};

// a surface with its motion
typedef struct scene {
    pli_context *context;
    pli_broad_phase *broad;
    pli_broad_phase_def def;
    double x0[3 * VERTICES];
    double x1[3 * VERTICES];
    int32_t points[VERTICES];
    int32_t triangles[3 * TRIANGLES];
    int32_t *edges;
} scene;

static void finish_scene(scene *s)
{
    s->def.points = s->points;
    s->def.triangles = s->triangles;
    s->def.edges = s->edges;
    OK(s->context, pli_broad_phase_create(s->context, &s->def, &s->broad));
}

static void clear_scene(scene *s)
{
    pli_broad_phase_destroy(s->broad);
    pli_release(s->context, s->edges);
    pli_context_destroy(s->context);
}

// Two sheets of squares of a centimetre, the second `height` above the first and shifted a little;
// nothing moves.
static void make_sheets(int32_t threads, double height, scene *s)
{
    memset(s, 0, sizeof *s);
    s->context = make_context(threads);
    for (int32_t v = 0; v < VERTICES; ++v) {
        int32_t layer = v / LAYER;
        int32_t i = v % LAYER;
        double shift = 0.0013 * layer;
        pli_vec3_set(0.01 * (i / (SIDE + 1)) + shift, 0.01 * (i % (SIDE + 1)) + 2 * shift,
                     height * layer, s->x0 + (ptrdiff_t)3 * v);
        s->points[v] = v;
    }
    memcpy(s->x1, s->x0, sizeof s->x1);
    for (int32_t q = 0; q < 2 * SIDE * SIDE; ++q) {
        int32_t cell = q % (SIDE * SIDE);
        int32_t a = q / (SIDE * SIDE) * LAYER + cell / SIDE * (SIDE + 1) + cell % SIDE;
        const int32_t two[6] = {a, a + SIDE + 1, a + SIDE + 2, a, a + SIDE + 2, a + 1};
        memcpy(s->triangles + (ptrdiff_t)6 * q, two, sizeof two);
    }
    s->def.vertex_count = s->def.point_count = VERTICES;
    s->def.triangle_count = TRIANGLES;
    OK(s->context,
       pli_edges_build(s->context, TRIANGLES, s->triangles, &s->def.edge_count, &s->edges));
    finish_scene(s);
}

// Rods and grains of random places and motions.
static void make_lone_parts(uint64_t seed, double speed, scene *s)
{
    memset(s, 0, sizeof *s);
    s->context = make_context(2);
    pli_random r = {seed, 9};
    s->def.vertex_count = 3 * LONE;
    s->def.point_count = 3 * LONE;
    s->def.edge_count = LONE;
    s->edges = PLI_NEW(s->context, int32_t, 2 * LONE, "test edges");
    assert_non_null(s->edges);
    for (int32_t i = 0; i < 9 * LONE; ++i) {
        uint64_t k = 2 * (uint64_t)i;
        s->x0[i] = pli_random_uniform(r, k);
        s->x1[i] = s->x0[i] + pli_random_range(r, k + 1, -speed, speed);
    }
    for (int32_t v = 0; v < 3 * LONE; ++v) {
        s->points[v] = v;
        if (v < 2 * LONE) s->edges[v] = v;
    }
    finish_scene(s);
}

// Every vertex moves by its own random vector.
static void shake(double size, uint64_t seed, scene *s)
{
    pli_random r = {seed, 4};
    for (int32_t i = 0; i < 3 * VERTICES; ++i) {
        s->x1[i] = s->x0[i] + pli_random_range(r, (uint64_t)i, -size, size);
    }
}

static double find_step(scene *s, double reach, const pli_ccd_def *def,
                        pli_safe_step_report *report)
{
    pli_broad_phase_pairs pairs;
    OK(s->context, pli_broad_phase_find_swept(s->broad, s->x0, s->x1, reach, &pairs));
    double step = pli_safe_step(s->broad, &pairs, s->x0, s->x1, def, report);
    assert_true(step == report->time);
    int64_t decided = report->box_count + report->plane_count + report->free_count +
                      report->contact_count + report->stalled_count;
    int64_t count = pairs.point_triangle.count + pairs.edge_edge.count + pairs.point_edge.count +
                    pairs.point_point.count;
    if (step > 0) assert_int_equal(decided, count);
    return step;
}

// The query of a pair of the lists.
static void init_query(const scene *s, pli_ccd_kind kind, const int32_t pair[2],
                       pli_ccd_query *query)
{
    int32_t v[PLI_CCD_POINTS] = {0};
    if (kind == PLI_CCD_EDGE_EDGE) {
        memcpy(v, s->edges + (ptrdiff_t)2 * pair[0], 2 * sizeof *v);
        memcpy(v + 2, s->edges + (ptrdiff_t)2 * pair[1], 2 * sizeof *v);
    } else {
        v[0] = s->points[pair[0]];
    }
    if (kind == PLI_CCD_POINT_POINT) v[1] = s->points[pair[1]];
    if (kind == PLI_CCD_POINT_EDGE) {
        memcpy(v + 1, s->edges + (ptrdiff_t)2 * pair[1], 2 * sizeof *v);
    }
    if (kind == PLI_CCD_POINT_TRIANGLE) {
        memcpy(v + 1, s->triangles + (ptrdiff_t)3 * pair[1], 3 * sizeof *v);
    }
    const double *start[PLI_CCD_POINTS], *end[PLI_CCD_POINTS];
    for (int i = 0; i < 4; ++i) {
        start[i] = s->x0 + (ptrdiff_t)3 * v[i];
        end[i] = s->x1 + (ptrdiff_t)3 * v[i];
    }
    pli_ccd_query_init(kind, start, end, query);
}

// No pair of the list comes nearer than the separation up to the step.
static void check_list(const scene *s, pli_ccd_kind kind, const pli_pair_list *list, double step,
                       double separation)
{
    for (int64_t i = 0; i < list->count; ++i) {
        pli_ccd_query query;
        init_query(s, kind, list->pairs[i], &query);
        // distances that this test measures have rounding errors
        double slack = 1e-14 * query.scale;
        for (int sample = 0; sample <= 4; ++sample) {
            AT_LEAST(ccd_distance(&query, step * sample / 4), separation - slack);
        }
        // and it is proven: no query up to there ends in contact
        pli_ccd_def def = pli_ccd_def_default();
        pli_ccd_report report;
        def.gap = 0;
        def.separation = separation;
        def.t_max = step;
        // a step that ends at contact does so within the tolerance
        def.tolerance = 1e-12;
        pli_ccd_solve(&query, &def, &report);
        AT_LEAST(report.time, step * (1 - 1e-5));
    }
}

// The step is safe for all pairs, and as long as the pair that limits it allows.
static void check_step(scene *s, const pli_ccd_def *def)
{
    pli_safe_step_report report;
    double step = find_step(s, def->separation, def, &report);
    assert_int_equal(report.bad_vertex, -1);
    pli_broad_phase_pairs pairs;
    OK(s->context, pli_broad_phase_find_swept(s->broad, s->x0, s->x1, def->separation, &pairs));
    if (step > 0) {
        check_list(s, PLI_CCD_POINT_TRIANGLE, &pairs.point_triangle, step, def->separation);
        check_list(s, PLI_CCD_EDGE_EDGE, &pairs.edge_edge, step, def->separation);
        check_list(s, PLI_CCD_POINT_EDGE, &pairs.point_edge, step, def->separation);
        check_list(s, PLI_CCD_POINT_POINT, &pairs.point_point, step, def->separation);
    }
    if (step == def->t_max) {
        assert_int_equal(report.pair[0], -1);
        assert_int_equal(report.contact_count, 0);
        return;
    }

    // at the end of the step the pair has come to its target
    pli_ccd_query query;
    assert_int_equal(report.stalled_count, 0);
    assert_true(report.contact_count > 0);
    init_query(s, report.kind, report.pair, &query);
    double d0 = ccd_distance(&query, 0);
    double target = def->separation + def->gap * fmax(d0 - def->separation, 0);
    AT_MOST(ccd_distance(&query, step), target + 4 * def->tolerance + 1e-14);
}

static void falling_sheet_stops_at_the_known_time(void **state)
{
    (void)state;
    static scene s;
    make_sheets(2, 0.02, &s);
    // everything moves sideways, and the second sheet falls by 5 cm: distance 0.02 - 0.05 t
    for (int32_t v = 0; v < VERTICES; ++v) {
        pli_vec3_add(s.x0 + (ptrdiff_t)3 * v, (double[]){0.03, -0.01, v < LAYER ? 0 : -0.05},
                     s.x1 + (ptrdiff_t)3 * v);
    }
    pli_ccd_def def = pli_ccd_def_default();
    pli_safe_step_report report;
    def.tolerance = 1e-9;
    const struct {
        double gap, separation, time;
    } cases[] = {{0, 0, 0.4}, {0.1, 0, 0.36}, {0, 0.005, 0.3}, {0.5, 0.005, 0.15}};
    for (int k = 0; k < 4; ++k) {
        def.gap = cases[k].gap;
        def.separation = cases[k].separation;
        double step = find_step(&s, def.separation, &def, &report);
        // the target is that of the distance proven, a few roundings of 1e-17 below 0.02
        AT_MOST(step, cases[k].time + 1e-14);
        // speed 0.05, four tolerances
        NEAR(step, cases[k].time, 0, 4e-9 / 0.05);
        assert_true(report.pair[0] >= 0 && report.pair[1] >= 0);
        check_step(&s, &def);
    }
    // an interval that ends before
    def.t_max = 0.09;
    assert_true(find_step(&s, 0, &def, &report) == 0.09);
    assert_int_equal(report.pair[0], -1);
    clear_scene(&s);
}

static void random_motions_are_safe_and_tight(void **state)
{
    (void)state;
    static scene s;
    pli_ccd_def def = pli_ccd_def_default();
    make_sheets(2, 0.004, &s);
    // from steps that are free to ones that tangle everything, for which boxes are refitted
    for (uint64_t k = 0; k < 4; ++k) {
        shake(1e-3 * pow(3, (double)k), k, &s);
        def.separation = k % 2 == 1 ? 1e-4 : 0;
        check_step(&s, &def);
    }
    clear_scene(&s);
}

static void rods_and_grains_are_safe_too(void **state)
{
    (void)state;
    static scene s;
    pli_ccd_def def = pli_ccd_def_default();
    for (uint64_t seed = 0; seed < 20; ++seed) {
        make_lone_parts(seed, 0.02 * pow(1.5, (double)seed), &s);
        check_step(&s, &def);
        clear_scene(&s);
    }
}

static void reports_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    static scene s;
    pli_ccd_def def = pli_ccd_def_default();
    for (uint64_t k = 0; k < 3; ++k) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            pli_safe_step_report report;
            make_sheets(bits.threads, 0.004, &s);
            shake(1e-3 * pow(4, (double)k), 77, &s);
            // more pairs than needed, so that there are many waves
            (void)find_step(&s, 0.01, &def, &report);
            // both ways of ending are met
            assert_true(k == 0 ? report.time == 1 : report.time < 1);
            int64_t counts[] = {report.kind,         report.pair[0],     report.pair[1],
                                report.box_count,    report.plane_count, report.free_count,
                                report.contact_count};
            same_bits_keep_double(&bits, report.time);
            same_bits_keep(&bits, counts, sizeof counts);
            clear_scene(&s);
        }
    }
}

static void common_motion_costs_no_query(void **state)
{
    (void)state;
    static scene s;
    make_sheets(2, 0.004, &s);
    for (int32_t v = 0; v < VERTICES; ++v) {
        pli_vec3_add(s.x0 + (ptrdiff_t)3 * v, (double[]){0.05, -0.02, -0.03},
                     s.x1 + (ptrdiff_t)3 * v);
    }
    pli_ccd_def def = pli_ccd_def_default();
    pli_safe_step_report report;
    assert_true(find_step(&s, 0, &def, &report) == 1);
    assert_true(report.plane_count > 10000);
    // a flat sheet has pairs that none of the few planes separates: one in a hundred at most
    AT_MOST((double)report.free_count, 0.01 * (double)report.plane_count);
    clear_scene(&s);
}

static void pairs_in_excess_do_not_shorten_the_step(void **state)
{
    (void)state;
    static scene s;
    pli_ccd_def def = pli_ccd_def_default();
    pli_safe_step_report few, many;
    // with a gap, a pair that is far may be asked to keep a part of that only when it is asked
    def.gap = 0;
    make_sheets(2, 0.004, &s);
    shake(4e-3, 5, &s);
    double step = find_step(&s, 0, &def, &few);
    double with_more = find_step(&s, 0.01, &def, &many);
    assert_true(step < 1);
    assert_true(many.box_count > few.box_count + 10000);
    // who is asked first changes times within the tolerance, over a speed of about 0.004
    NEAR(with_more, step, 0, 4 * def.tolerance / 0.004);
    clear_scene(&s);
}

static void call_allocates_nothing_and_keeps_the_pairs(void **state)
{
    (void)state;
    static scene s;
    pli_ccd_def def = pli_ccd_def_default();
    pli_broad_phase_pairs pairs;
    make_sheets(2, 0.004, &s);
    shake(4e-3, 5, &s);
    OK(s.context, pli_broad_phase_find_swept(s.broad, s.x0, s.x1, 0.001, &pairs));
    int64_t before = pli_context_allocation_count(s.context);
    double step = pli_safe_step(s.broad, &pairs, s.x0, s.x1, &def, NULL);
    assert_true(step > 0 && step < 1);
    assert_true(pli_safe_step(s.broad, &pairs, s.x0, s.x1, &def, NULL) == step);
    assert_int_equal(pli_context_allocation_count(s.context), before);
    clear_scene(&s);
}

static void touching_and_broken_positions_leave_no_step(void **state)
{
    (void)state;
    static scene s;
    pli_ccd_def def = pli_ccd_def_default();
    pli_safe_step_report report;
    make_sheets(1, 0.004, &s);

    // a vertex of the second sheet on one of the first
    int32_t v = LAYER + 100;
    pli_vec3_copy(s.x0, s.x0 + (ptrdiff_t)3 * v);
    shake(1e-3, 1, &s);
    assert_true(find_step(&s, 0, &def, &report) == 0);
    assert_true(report.pair[0] >= 0);

    // a number that is none
    pli_broad_phase_pairs pairs;
    OK(s.context, pli_broad_phase_find_swept(s.broad, s.x0, s.x1, 0, &pairs));
    s.x1[(ptrdiff_t)3 * v + 1] = NAN;
    assert_true(pli_safe_step(s.broad, &pairs, s.x0, s.x1, &def, &report) == 0);
    assert_int_equal(report.bad_vertex, v);

    // without pairs everything is allowed
    s.x1[(ptrdiff_t)3 * v + 1] = 0;
    pairs = (pli_broad_phase_pairs){0};
    assert_true(pli_safe_step(s.broad, &pairs, s.x0, s.x1, &def, &report) == 1);
    assert_int_equal(report.bad_vertex, -1);
    clear_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_sheet_stops_at_the_known_time),
        cmocka_unit_test(random_motions_are_safe_and_tight),
        cmocka_unit_test(rods_and_grains_are_safe_too),
        cmocka_unit_test(reports_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(common_motion_costs_no_query),
        cmocka_unit_test(pairs_in_excess_do_not_shorten_the_step),
        cmocka_unit_test(call_allocates_nothing_and_keeps_the_pairs),
        cmocka_unit_test(touching_and_broken_positions_leave_no_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
