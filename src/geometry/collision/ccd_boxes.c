// SPDX-License-Identifier: Apache-2.0
//
// Branch and bound of continuous collision detection: boxes of (t, u, v) in the order in which they
// begin. See ccd.h.
#include "geometry/collision/ccd_plane.h"
#include "math/vec3.h"

enum {
    BOX_CAPACITY = 1024,
    CONTRACT_ROUNDS = 4 // most times that a box is moved up before it is split
};

// each value is a difference (1 rounding), interpolated three times (3 each); a height above a
// plane adds 3 and the sum of |n_k|, at most 1.8
static const double value_error = 64 * PLI_CCD_ROUNDING;

// the time left of a box, relative to before, at which another round is worth its while
static const double worthwhile = 0.75;

typedef struct box {
    double low[3]; // t, u, v
    double high[3];
    int32_t axis; // to split along; -1 where it is as small as is asked for
} box;

typedef struct search {
    const pli_ccd_query *query;
    const pli_ccd_goal *goal;
    box *boxes; // [BOX_CAPACITY], a heap: the box that begins first is boxes[0]
    int32_t count;
} search;

// F at the eight corners of a box, and how far rounding may have moved each component.
typedef struct box_values {
    double F[2][PLI_CCD_CORNERS][3]; // at low and high t, corners as in the query
    double error[2];                 // at low and high t
} box_values;

static void evaluate_box(const search *s, const box *b, box_values *values)
{
    for (int side = 0; side < 2; ++side) {
        double t = side == 0 ? b->low[0] : b->high[0];
        double patch[PLI_CCD_CORNERS][3];
        double(*F)[3] = values->F[side];
        pli_ccd_corners(s->query, t, patch);
        for (int k = 0; k < 3; ++k) {
            // sides v = 0 and v = 1 of the patch at both u, then both v on them
            double low0 = pli_ccd_lerp(patch[0][k], patch[2][k], b->low[1]);
            double low1 = pli_ccd_lerp(patch[1][k], patch[3][k], b->low[1]);
            double high0 = pli_ccd_lerp(patch[0][k], patch[2][k], b->high[1]);
            double high1 = pli_ccd_lerp(patch[1][k], patch[3][k], b->high[1]);
            F[0][k] = pli_ccd_lerp(low0, low1, b->low[2]);
            F[1][k] = pli_ccd_lerp(low0, low1, b->high[2]);
            F[2][k] = pli_ccd_lerp(high0, high1, b->low[2]);
            F[3][k] = pli_ccd_lerp(high0, high1, b->high[2]);
        }
        double size = pli_ccd_lerp(s->query->start_size, s->query->end_size, t);
        values->error[side] = value_error * size + DBL_MIN;
    }
}

// Until when the plane with unit normal n keeps the part of the patch away.
static double reach_of_plane(const search *s, const box *b, const box_values *values,
                             const double n[3])
{
    double heights[2][PLI_CCD_CORNERS];
    for (int side = 0; side < 2; ++side) {
        for (int c = 0; c < PLI_CCD_CORNERS; ++c) {
            heights[side][c] = pli_vec3_dot(n, values->F[side][c]) - 2 * values->error[side];
        }
    }
    return pli_ccd_plane_reach(heights[0], heights[1], s->goal->level, b->low[0], b->high[0]);
}

// The coordinate axis, with sign, along which the part lies farthest at the low end of time.
static void find_axis(const box_values *values, double n[3])
{
    double best = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int c = 0; c < PLI_CCD_CORNERS; ++c) {
            low = fmin(low, values->F[0][c][k]);
            high = fmax(high, values->F[0][c][k]);
        }
        double height = fmax(low, -high);
        if (height <= best) continue;
        best = height;
        pli_vec3_set(0, 0, 0, n);
        n[k] = low >= -high ? 1 : -1;
    }
}

// From the origin to the middle of the part at the low end of time.
static void find_middle(const box_values *values, double n[3])
{
    const double(*F)[3] = values->F[0];
    for (int k = 0; k < 3; ++k) n[k] = 0.25 * (F[0][k] + F[1][k] + F[2][k] + F[3][k]);
    pli_vec3_normalize(n, n);
}

// Perpendicular to the part at the low end of time, away from the origin: from its diagonals.
static void find_normal(const box_values *values, double n[3])
{
    const double(*F)[3] = values->F[0];
    double one[3], other[3], middle[3];
    pli_vec3_subtract(F[3], F[0], one);
    pli_vec3_subtract(F[2], F[1], other);
    // unit diagonals, so that small parts have a normal too
    pli_vec3_normalize(one, one);
    pli_vec3_normalize(other, other);
    pli_vec3_cross(one, other, n);
    pli_vec3_normalize(n, n);
    pli_vec3_add(F[0], F[3], middle);
    if (pli_vec3_dot(n, middle) < 0) pli_vec3_scale(-1, n, n);
}

// Moves up the beginning of a box as far as the best of several planes proves it free.
static void contract_once(const search *s, box *b, const box_values *values)
{
    static void (*const find_plane[])(const box_values *values,
                                      double n[3]) = {find_axis, find_normal, find_middle};
    double reach = b->low[0];
    for (int k = 0; k < 3 && reach < b->high[0]; ++k) {
        double n[3];
        find_plane[k](values, n);
        reach = fmax(reach, reach_of_plane(s, b, values, n));
    }
    b->low[0] = reach;
}

static double largest_change(const double a[3], const double b[3])
{
    return fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
}

static bool can_split(const box *b, int axis)
{
    double middle = 0.5 * (b->low[axis] + b->high[axis]);
    return middle > b->low[axis] && middle < b->high[axis];
}

// The axis along which F varies most; -1 when it varies less than the tolerance, or than rounding.
static int32_t choose_axis(const search *s, const box *b, const box_values *values)
{
    double widths[3] = {0, 0, 0};
    for (int c = 0; c < PLI_CCD_CORNERS; ++c) {
        widths[0] = fmax(widths[0], largest_change(values->F[0][c], values->F[1][c]));
    }
    for (int side = 0; side < 2; ++side) {
        const double(*F)[3] = values->F[side];
        for (int c = 0; c < 2; ++c) {
            widths[1] = fmax(widths[1], largest_change(F[c], F[2 + c]));
            widths[2] = fmax(widths[2], largest_change(F[2 * c], F[2 * c + 1]));
        }
    }
    double error = fmax(values->error[0], values->error[1]);
    if (widths[0] + widths[1] + widths[2] <= fmax(s->goal->tolerance, 4 * error)) return -1;
    int32_t axis = -1;
    double widest = 0;
    for (int k = 0; k < 3; ++k) {
        if (widths[k] > widest && can_split(b, k)) {
            widest = widths[k];
            axis = k;
        }
    }
    return axis;
}

static void insert_box(search *s, const box *b)
{
    int32_t at = s->count++;
    while (at > 0 && s->boxes[(at - 1) / 2].low[0] > b->low[0]) {
        s->boxes[at] = s->boxes[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->boxes[at] = *b;
}

// Takes out the box that begins first.
static box take_box(search *s)
{
    box first = s->boxes[0];
    box last = s->boxes[--s->count];
    int32_t at = 0;
    for (int32_t child = 1; child < s->count; child = 2 * at + 1) {
        if (child + 1 < s->count && s->boxes[child + 1].low[0] < s->boxes[child].low[0]) ++child;
        if (!(s->boxes[child].low[0] < last.low[0])) break;
        s->boxes[at] = s->boxes[child];
        at = child;
    }
    s->boxes[at] = last;
    return first;
}

// Adds what cannot be proven free of a box.
static void add_box(search *s, box b)
{
    box_values values;
    for (int round = 0; round < CONTRACT_ROUNDS; ++round) {
        double before = b.high[0] - b.low[0];
        evaluate_box(s, &b, &values);
        contract_once(s, &b, &values);
        if (b.low[0] >= b.high[0]) return;
        if (b.high[0] - b.low[0] > worthwhile * before) break;
    }
    b.axis = choose_axis(s, &b, &values);
    insert_box(s, &b);
}

static void split_box(search *s, const box *b)
{
    box half = *b;
    double middle = 0.5 * (b->low[b->axis] + b->high[b->axis]);
    half.high[b->axis] = middle;
    add_box(s, half);
    half = *b;
    half.low[b->axis] = middle;
    add_box(s, half);
}

// True when the primitives are as near at time t as a contact has to be.
static bool is_arrived(const search *s, double t)
{
    double n[3];
    return pli_ccd_closest_plane(s->query, t, n) <= s->goal->level + s->goal->tolerance;
}

void pli_ccd_search_boxes(const pli_ccd_query *query, const pli_ccd_goal *goal, int32_t box_limit,
                          pli_ccd_report *report)
{
    box boxes[BOX_CAPACITY];
    search s = {.query = query, .goal = goal, .boxes = boxes};
    double tested = -1; // time at which the distance was last looked at
    report->outcome = PLI_CCD_STALLED;
    add_box(&s, (box){.low = {report->time, 0, 0}, .high = {goal->t_max, 1, 1}});
    while (s.count > 0) {
        // nothing happens before the box that begins first
        box b = take_box(&s);
        report->time = b.low[0];
        if (b.axis < 0 || (b.low[0] > tested && is_arrived(&s, b.low[0]))) {
            report->outcome = PLI_CCD_CONTACT;
            return;
        }
        tested = b.low[0];
        if (report->box_count >= box_limit || s.count + 2 > BOX_CAPACITY) return;
        report->box_count += 1;
        split_box(&s, &b);
    }
    report->outcome = PLI_CCD_FREE;
    report->time = goal->t_max;
}
