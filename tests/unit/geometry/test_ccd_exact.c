// SPDX-License-Identifier: Apache-2.0
// Continuous collision detection against exact arithmetic, on all families of queries.
#include "near.h"

#ifdef PLI_TEST_HAS_GMP
#include "ccd_zoo.h"
#include "exact_contact.h"

enum {
    METHODS = 3,
    // of each family and kind; 13 families of 2 large kinds and 2 small ones: 20800 queries
    LARGE_COUNT = 600,
    SMALL_COUNT = 200,
    SAFE_COUNT = 200
};

typedef void method(const pli_ccd_query *query, const pli_ccd_def *def, pli_ccd_report *report);

static method *const methods[METHODS] = {pli_ccd_advance, pli_ccd_enclose, pli_ccd_solve};
static const char *const method_names[METHODS] = {"advance", "enclose", "solve"};

static bool touches_until(const zoo_query *q, double T)
{
    const double *start[PLI_CCD_POINTS], *end[PLI_CCD_POINTS];
    for (int i = 0; i < PLI_CCD_POINTS; ++i) {
        start[i] = q->x[0][i];
        end[i] = q->x[1][i];
    }
    return exact_contact(q->kind, start, end, T);
}

static void print_query(const zoo_query *q)
{
    for (int i = 0; i < PLI_CCD_POINTS; ++i) {
        fprintf(stderr, "    %a %a %a -> %a %a %a\n", q->x[0][i][0], q->x[0][i][1], q->x[0][i][2],
                q->x[1][i][0], q->x[1][i][1], q->x[1][i][2]);
    }
}

// what the methods did with the queries of one kind
typedef struct tally {
    int stalled[METHODS];
} tally;

static void refuse(const char *what, int m, int family, const zoo_query *q,
                   const pli_ccd_report *report)
{
    fprintf(stderr, "%s, family %d, kind %d: outcome %d at %.17g is %s\n", method_names[m], family,
            (int)q->kind, (int)report->outcome, report->time, what);
    print_query(q);
    fail();
}

static void check_query(int family, const zoo_query *q, tally *counts)
{
    pli_ccd_def def = pli_ccd_def_default();
    def.gap = 0;
    def.tolerance = 1e-6 * q->size;
    pli_ccd_query query;
    pli_ccd_report reports[METHODS];
    zoo_query_init(q, &query);
    int latest = 0;
    for (int m = 0; m < METHODS; ++m) {
        methods[m](&query, &def, &reports[m]);
        if (reports[m].time > reports[latest].time) latest = m;
        counts->stalled[m] += reports[m].outcome == PLI_CCD_STALLED;
        if (reports[m].outcome == PLI_CCD_FREE) assert_true(reports[m].time == 1);
        if (reports[m].outcome == PLI_CCD_CONTACT &&
            ccd_distance(&query, reports[m].time) > 10 * def.tolerance) {
            refuse("too early", m, family, q, &reports[m]);
        }
    }

    // what holds for the latest time holds for the others
    if (reports[latest].time > 0 && touches_until(q, reports[latest].time)) {
        refuse("too late", latest, family, q, &reports[latest]);
    }
}

static void check_kind(pli_ccd_kind kind, int count)
{
    tally counts = {0};
    for (int family = 0; family < ZOO_FAMILIES; ++family) {
        for (int index = 0; index < count; ++index) {
            zoo_query q;
            zoo_make((zoo_family)family, kind, (uint64_t)index, &q);
            check_query(family, &q, &counts);
        }
    }
    // advancement gives up on about one in six of these; boxes hardly ever; both together never
    assert_in_range(counts.stalled[0], 0, count * ZOO_FAMILIES / 4);
    assert_in_range(counts.stalled[1], 0, count * ZOO_FAMILIES / 100);
    assert_int_equal(counts.stalled[2], 0);
}

static void point_point_is_never_missed_late_or_early(void **state)
{
    (void)state;
    check_kind(PLI_CCD_POINT_POINT, SMALL_COUNT);
}

static void point_edge_is_never_missed_late_or_early(void **state)
{
    (void)state;
    check_kind(PLI_CCD_POINT_EDGE, SMALL_COUNT);
}

static void point_triangle_is_never_missed_late_or_early(void **state)
{
    (void)state;
    check_kind(PLI_CCD_POINT_TRIANGLE, LARGE_COUNT);
}

static void edge_edge_is_never_missed_late_or_early(void **state)
{
    (void)state;
    check_kind(PLI_CCD_EDGE_EDGE, LARGE_COUNT);
}

// ---- the safe step of a surface of one pair

// The surface of a query, and its safe step.
static double find_safe_step(pli_context *context, const zoo_query *q, const pli_ccd_def *def)
{
    static const int32_t numbers[PLI_CCD_POINTS] = {0, 1, 2, 3};
    pli_broad_phase_def surface = {.vertex_count = pli_ccd_point_count(q->kind),
                                   .points = numbers,
                                   .edges = numbers,
                                   .triangles = numbers + 1};
    surface.point_count = q->kind == PLI_CCD_EDGE_EDGE ? 0 : 1;
    if (q->kind == PLI_CCD_POINT_TRIANGLE) surface.triangle_count = 1;
    if (q->kind == PLI_CCD_EDGE_EDGE) surface.edge_count = 2;
    if (q->kind == PLI_CCD_POINT_POINT) surface.point_count = 2;
    if (q->kind == PLI_CCD_POINT_EDGE) {
        surface.edges = numbers + 1;
        surface.edge_count = 1;
    }
    pli_broad_phase *broad = NULL;
    pli_broad_phase_pairs pairs;
    OK(context, pli_broad_phase_create(context, &surface, &broad));
    OK(context, pli_broad_phase_find_swept(broad, q->x[0][0], q->x[1][0], 0, &pairs));
    double step = pli_safe_step(broad, &pairs, q->x[0][0], q->x[1][0], def, NULL);
    pli_broad_phase_destroy(broad);
    return step;
}

static void safe_steps_are_never_late(void **state)
{
    pli_context *context = *state;
    pli_ccd_def def = pli_ccd_def_default();
    def.gap = 0;
    int free_count = 0;
    for (int index = 0; index < 4 * ZOO_FAMILIES * SAFE_COUNT; ++index) {
        zoo_query q;
        zoo_make((zoo_family)(index / 4 % ZOO_FAMILIES), (pli_ccd_kind)(index % 4),
                 (uint64_t)(100000 + index), &q);
        def.tolerance = 1e-6 * q.size;
        // the whole way, and a part that ends between numbers
        def.t_max = index % 3 == 0 ? 0.7 : 1;
        double step = find_safe_step(context, &q, &def);
        free_count += step == def.t_max;
        if (step > 0) assert_false(touches_until(&q, step));
    }
    // boxes and planes have been asked, too
    assert_true(free_count > ZOO_FAMILIES * SAFE_COUNT);
}

// ---- the oracle itself, on contacts known by heart

static void oracle_knows_contacts_of_whole_numbers(void **state)
{
    (void)state;
    // a point falls from height 1 to -3 onto a triangle: contact at 1/4
    zoo_query q = {.kind = PLI_CCD_POINT_TRIANGLE,
                   .x = {{{1, 1, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}},
                         {{1, 1, -3}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}}}};
    assert_true(touches_until(&q, 0.25));
    assert_false(touches_until(&q, nextafter(0.25, 0)));
    // past the long edge, and right onto it
    for (int end = 0; end < 2; ++end) pli_vec3_set(2, 2 + 0x1p-51, q.x[end][0][2], q.x[end][0]);
    assert_false(touches_until(&q, 1));
    for (int end = 0; end < 2; ++end) q.x[end][0][1] = 2;
    assert_true(touches_until(&q, 0.25));
    assert_false(touches_until(&q, nextafter(0.25, 0)));
    // in the plane, from outside: reaches the edge x = 0 at 1/2
    pli_vec3_set(-1, 1, 0, q.x[0][0]);
    pli_vec3_set(1, 1, 0, q.x[1][0]);
    assert_true(touches_until(&q, 0.5));
    assert_false(touches_until(&q, nextafter(0.5, 0)));
}

static void oracle_knows_contacts_at_irrational_times(void **state)
{
    (void)state;
    // p = (3 t, 1, 0) and a line through the origin along (1, 2 t, 0): 6 t^2 = 1
    zoo_query q = {.kind = PLI_CCD_POINT_EDGE,
                   .x = {{{0, 1, 0}, {-4, 0, 0}, {4, 0, 0}}, {{3, 1, 0}, {-4, -8, 0}, {4, 8, 0}}}};
    double hit = sqrt(1.0 / 6);
    assert_true(touches_until(&q, nextafter(hit, 1)));
    assert_false(touches_until(&q, nextafter(hit, 0)));
    // two edges that pass through each other's ends only
    zoo_query e = {.kind = PLI_CCD_EDGE_EDGE,
                   .x = {{{0, 0, 1}, {2, 0, 1}, {2, 0, 0}, {2, 3, 0}},
                         {{0, 0, -1}, {2, 0, -1}, {2, 0, 0}, {2, 3, 0}}}};
    assert_true(touches_until(&e, 0.5));
    assert_false(touches_until(&e, nextafter(0.5, 0)));
    e.x[0][2][1] = e.x[1][2][1] = 0x1p-1000;
    assert_false(touches_until(&e, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(safe_steps_are_never_late, 1),
        cmocka_unit_test(oracle_knows_contacts_of_whole_numbers),
        cmocka_unit_test(oracle_knows_contacts_at_irrational_times),
        cmocka_unit_test(point_point_is_never_missed_late_or_early),
        cmocka_unit_test(point_edge_is_never_missed_late_or_early),
        cmocka_unit_test(point_triangle_is_never_missed_late_or_early),
        cmocka_unit_test(edge_edge_is_never_missed_late_or_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void exact_oracle_needs_gmp(void **state)
{
    (void)state;
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact_oracle_needs_gmp)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
