// SPDX-License-Identifier: Apache-2.0
#include "geometry/collision/ccd.h"

#include "geometry/collision/ccd_plane.h"
#include "geometry/collision/distance.h"

// n . D of a rounded difference D makes 4 roundings, interpolating it in time 3, and |n_k| <= 1 + 4
// u
static const double height_error = 16 * PLI_CCD_ROUNDING;

// relative excess of the length of a computed unit vector, with room to spare
static const double normal_excess = 32 * PLI_CCD_ROUNDING;

// a query that is nearer than this fraction of its way to the target has arrived
static const double arrival = 0.125;

const int8_t pli_ccd_pair_of_corner[4][PLI_CCD_CORNERS][2] = {
    [PLI_CCD_POINT_POINT] = {{0, 1}, {0, 1}, {0, 1}, {0, 1}},
    [PLI_CCD_POINT_EDGE] = {{0, 1}, {0, 1}, {0, 2}, {0, 2}},
    [PLI_CCD_POINT_TRIANGLE] = {{0, 1}, {0, 1}, {0, 2}, {0, 3}},
    [PLI_CCD_EDGE_EDGE] = {{0, 2}, {0, 3}, {1, 2}, {1, 3}},
};

pli_ccd_def pli_ccd_def_default(void)
{
    return (pli_ccd_def){.separation = 0,
                         .gap = 0.1,
                         .tolerance = 1e-6,
                         .t_max = 1,
                         .advance_limit = 32,
                         .box_limit = 4096};
}

int32_t pli_ccd_point_count(pli_ccd_kind kind)
{
    static const int32_t counts[4] = {2, 3, 4, 4};
    return counts[kind];
}

// The differences of vertices at one end of the motion; returns the largest component.
static double take_differences(pli_ccd_kind kind, const double *const x[PLI_CCD_POINTS],
                               double corners[PLI_CCD_CORNERS][3])
{
    double largest = 0;
    for (int c = 0; c < PLI_CCD_CORNERS; ++c) {
        const int8_t *pair = pli_ccd_pair_of_corner[kind][c];
        pli_vec3_subtract(x[pair[0]], x[pair[1]], corners[c]);
        for (int k = 0; k < 3; ++k) {
            // written so that a NaN is kept
            if (!(fabs(corners[c][k]) <= largest)) largest = fabs(corners[c][k]);
        }
    }
    return largest;
}

void pli_ccd_query_init(pli_ccd_kind kind, const double *const start[PLI_CCD_POINTS],
                        const double *const end[PLI_CCD_POINTS], pli_ccd_query *query)
{
    query->kind = kind;
    query->start_size = take_differences(kind, start, query->start);
    query->end_size = take_differences(kind, end, query->end);
    query->scale = 1;
    query->is_finite = isfinite(query->start_size) && isfinite(query->end_size);
    double size = fmax(query->start_size, query->end_size);
    if (!query->is_finite || size == 0) return;

    // measure in the power of two above the size, within what has an inverse
    int exponent;
    (void)frexp(size, &exponent);
    exponent = exponent < -960 ? -960 : exponent > 1020 ? 1020 : exponent;
    query->scale = ldexp(1, exponent);
    double inverse = ldexp(1, -exponent);
    for (int c = 0; c < PLI_CCD_CORNERS; ++c) {
        pli_vec3_scale(inverse, query->start[c], query->start[c]);
        pli_vec3_scale(inverse, query->end[c], query->end[c]);
    }
    query->start_size *= inverse;
    query->end_size *= inverse;
}

double pli_ccd_closest_plane(const pli_ccd_query *query, double t, double normal[3])
{
    static const double origin[3] = {0, 0, 0};
    double corners[PLI_CCD_CORNERS][3];
    double opposite[PLI_CCD_CORNERS][3];
    pli_distance distance;
    pli_ccd_corners(query, t, corners);
    for (int c = 0; c < PLI_CCD_CORNERS; ++c) pli_vec3_scale(-1, corners[c], opposite[c]);

    // the first point, or the first point of the second edge, in the origin
    switch (query->kind) {
    case PLI_CCD_POINT_POINT: pli_distance_point_point(origin, opposite[0], &distance); break;
    case PLI_CCD_POINT_EDGE:
        pli_distance_point_edge(origin, opposite[0], opposite[2], &distance);
        break;
    case PLI_CCD_POINT_TRIANGLE:
        pli_distance_point_triangle(origin, opposite[0], opposite[2], opposite[3], &distance);
        break;
    case PLI_CCD_EDGE_EDGE:
        pli_vec3_subtract(corners[0], corners[1], opposite[1]);
        pli_distance_edge_edge(corners[0], corners[2], origin, opposite[1], &distance);
        break;
    }
    pli_vec3_copy(distance.normal, normal);
    return distance.length;
}

static double norm1(const double a[3])
{
    return fabs(a[0]) + fabs(a[1]) + fabs(a[2]);
}

// Heights of the corners above the plane with unit normal n at t = 0 and 1, less what rounding may
// have added to them or to values between them; returns the least at time t.
static double plane_heights(const pli_ccd_query *query, const double n[3], double t,
                            double start[PLI_CCD_CORNERS], double end[PLI_CCD_CORNERS])
{
    double least = INFINITY;
    for (int c = 0; c < PLI_CCD_CORNERS; ++c) {
        const double *at_start = query->start[c];
        const double *at_end = query->end[c];
        start[c] = pli_vec3_dot(n, at_start) - height_error * norm1(at_start) - DBL_MIN;
        end[c] = pli_vec3_dot(n, at_end) - height_error * norm1(at_end) - DBL_MIN;
        least = fmin(least, pli_ccd_lerp(start[c], end[c], t));
    }
    return least;
}

// The goal of a query whose closest points at t = 0 are `length` apart, and provably `height`.
static pli_ccd_goal goal_of(const pli_ccd_query *query, const pli_ccd_def *def, double height,
                            double length)
{
    double separation = def->separation / query->scale;
    double tolerance = def->tolerance / query->scale;
    double target = separation + def->gap * fmax(height - separation, 0);
    if (length > target) tolerance = fmin(tolerance, arrival * (length - target));
    return (pli_ccd_goal){
        .level = target * (1 + normal_excess), .tolerance = tolerance, .t_max = def->t_max};
}

// One step from report->time across the given plane. `length` is the distance there.
// True when the advancement goes on.
static bool advance_once(const pli_ccd_query *query, const pli_ccd_goal *goal, const double n[3],
                         double length, pli_ccd_report *report)
{
    double start[PLI_CCD_CORNERS], end[PLI_CCD_CORNERS];
    double before[PLI_CCD_CORNERS], after[PLI_CCD_CORNERS];
    double t = report->time;
    double height = plane_heights(query, n, t, start, end);
    if (!(height - goal->level > goal->tolerance)) {
        // arrived, unless the plane is a poor one
        bool is_near = length - goal->level <= 2 * goal->tolerance;
        report->outcome = is_near ? PLI_CCD_CONTACT : PLI_CCD_STALLED;
        return false;
    }

    for (int c = 0; c < PLI_CCD_CORNERS; ++c) {
        before[c] = pli_ccd_lerp(start[c], end[c], t);
        after[c] = pli_ccd_lerp(start[c], end[c], goal->t_max);
    }
    report->time = pli_ccd_plane_reach(before, after, goal->level, t, goal->t_max);
    report->advance_count += 1;
    if (report->time >= goal->t_max) report->outcome = PLI_CCD_FREE;
    return report->time > t && report->time < goal->t_max;
}

static void begin_report(pli_ccd_report *report)
{
    *report = (pli_ccd_report){.outcome = PLI_CCD_STALLED};
}

// What is searched for, and the plane across the closest points at t = 0.
static pli_ccd_goal find_goal(const pli_ccd_query *query, const pli_ccd_def *def, double n[3],
                              double *length)
{
    double start[PLI_CCD_CORNERS], end[PLI_CCD_CORNERS];
    *length = pli_ccd_closest_plane(query, 0, n);
    double height = plane_heights(query, n, 0, start, end);
    return goal_of(query, def, height, *length);
}

static void run_advance(const pli_ccd_query *query, const pli_ccd_goal *goal, int32_t step_limit,
                        double n[3], double length, pli_ccd_report *report)
{
    for (int32_t step = 0; step < step_limit; ++step) {
        if (!advance_once(query, goal, n, length, report)) return;
        length = pli_ccd_closest_plane(query, report->time, n);
    }
}

void pli_ccd_advance(const pli_ccd_query *query, const pli_ccd_def *def, pli_ccd_report *report)
{
    double n[3], length;
    begin_report(report);
    if (!query->is_finite) return;
    pli_ccd_goal goal = find_goal(query, def, n, &length);
    run_advance(query, &goal, def->advance_limit, n, length, report);
}

void pli_ccd_enclose(const pli_ccd_query *query, const pli_ccd_def *def, pli_ccd_report *report)
{
    double n[3], length;
    begin_report(report);
    if (!query->is_finite) return;
    pli_ccd_goal goal = find_goal(query, def, n, &length);
    pli_ccd_search_boxes(query, &goal, def->box_limit, report);
}

void pli_ccd_solve(const pli_ccd_query *query, const pli_ccd_def *def, pli_ccd_report *report)
{
    double n[3], length;
    begin_report(report);
    if (!query->is_finite) return;
    pli_ccd_goal goal = find_goal(query, def, n, &length);
    run_advance(query, &goal, def->advance_limit, n, length, report);
    if (report->outcome == PLI_CCD_STALLED) {
        pli_ccd_search_boxes(query, &goal, def->box_limit, report);
    }
}
