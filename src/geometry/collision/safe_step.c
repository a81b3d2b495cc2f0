// SPDX-License-Identifier: Apache-2.0
//
// The largest safe step of a surface (Li et al. 2020), pliant/detect.h.
//
// Most pairs are far apart for the motion at hand, so they are refused as cheaply as can be:
//
//   boxes    swept boxes of the vertices, shared by all their pairs, in single precision rounded
//            outwards: a few vector instructions a pair;
//   planes   the coordinate planes, those across the mean difference and across the closest points
//            at t = 0, tested on the differences F(t, u, v) of ccd.h, so that common motion does
//            not count;
//   queries  what is left, each up to the smallest time known so far.
//
// That smallest time must not depend on who computes what when. Blocks of pairs use their own; all
// blocks of a wave start from what the waves before it found, combined in the order of the blocks.
// Waves grow, and take blocks in strides of the golden section, so that the first ones are a sample
// of the whole surface. When the time has halved, boxes are refitted to the shorter way.
#include "base/parallel.h"
#include "geometry/collision/bounds.h"
#include "geometry/collision/broad_phase.h"
#include "geometry/collision/ccd.h"
#include "geometry/collision/ccd_plane.h"
#include "geometry/collision/distance.h"
#include "geometry/collision/simplex_tree.h"

enum { BLOCK_SIZE = 256, FIRST_WAVE = 16, LAST_WAVE = 512 };

// roundings of heights above a plane, as in ccd.c, and with room to spare
static const double height_error = 16 * PLI_CCD_ROUNDING;
static const double excess = 1 + 32 * PLI_CCD_ROUNDING;

// what the indices of a list of pairs mean
typedef struct pair_kind {
    pli_ccd_kind kind;
    int32_t first_size; // corners
    int32_t second_size;
} pair_kind;

static const pair_kind pair_kinds[] = {{PLI_CCD_POINT_TRIANGLE, 1, 3},
                                       {PLI_CCD_EDGE_EDGE, 2, 2},
                                       {PLI_CCD_POINT_EDGE, 1, 2},
                                       {PLI_CCD_POINT_POINT, 1, 1}};
enum { KINDS = sizeof pair_kinds / sizeof *pair_kinds };

// what blocks work on
typedef struct step_job {
    pli_broad_surface surface;
    const double *x0;
    const double *x1;
    const pli_ccd_def *def;

    // of the list
    pair_kind kind;
    pli_pair_list list;
    int64_t block_count;
    int64_t stride; // of blocks that follow each other

    // of the wave
    int64_t wave_begin; // blocks before it
    double time;        // the smallest before it
    pli_safe_step_report results[LAST_WAVE];
} step_job;

static pli_safe_step_report begin_report(double time)
{
    return (pli_safe_step_report){.time = time, .pair = {-1, -1}, .bad_vertex = -1};
}

// ---- boxes

static const int32_t *find_corners(const step_job *job, int32_t size, int32_t index)
{
    return job->surface.corners[size - 1] + size * (int64_t)index;
}

// Collects the pairs in [begin, end) whose boxes overlap; returns how many.
PLI_INLINE int32_t select_pairs(const step_job *job, int64_t begin, int64_t end, int32_t first_size,
                                int32_t second_size, int64_t *selected)
{
    const float *boxes = job->surface.boxes;
    int32_t count = 0;
    int32_t last = -1;
    pli_f8 reach = {0};
    for (int64_t i = begin; i < end; ++i) {
        const int32_t *pair = job->list.pairs[i];
        if (pair[0] != last) {
            last = pair[0];
            pli_f8 box = pli_simplex_box(first_size, find_corners(job, first_size, last), boxes);
            reach = -(pli_f8){box[3], box[4], box[5], box[0], box[1], box[2], box[6], box[7]};
        }
        pli_f8 other = pli_simplex_box(second_size, find_corners(job, second_size, pair[1]), boxes);
        // written without a branch: who overlaps is not to be guessed
        selected[count] = i;
        count += pli_f8_bits((pli_f8_mask)(other <= reach)) == 0xff;
    }
    return count;
}

// The same for each pair of sizes, with the sizes as constants.
static int32_t select_block(const step_job *job, int64_t begin, int64_t end, int64_t *selected)
{
    switch (job->kind.kind) {
    case PLI_CCD_POINT_TRIANGLE: return select_pairs(job, begin, end, 1, 3, selected);
    case PLI_CCD_EDGE_EDGE: return select_pairs(job, begin, end, 2, 2, selected);
    case PLI_CCD_POINT_EDGE: return select_pairs(job, begin, end, 1, 2, selected);
    case PLI_CCD_POINT_POINT: return select_pairs(job, begin, end, 1, 1, selected);
    }
    return 0;
}

// ---- planes

// a pair with its vertices, in the order of the stencil
typedef struct stencil {
    pli_ccd_kind kind;
    const double *start[PLI_CCD_POINTS];
    const double *end[PLI_CCD_POINTS];
} stencil;

static void gather_stencil(const step_job *job, const int32_t pair[2], stencil *s)
{
    int32_t first_size = job->kind.first_size;
    int32_t size = first_size + job->kind.second_size;
    const int32_t *first = find_corners(job, first_size, pair[0]);
    const int32_t *second = find_corners(job, job->kind.second_size, pair[1]);
    s->kind = job->kind.kind;
    for (int32_t i = 0; i < size; ++i) {
        int32_t corner = i < first_size ? first[i] : second[i - first_size];
        int64_t vertex = job->surface.vertices[corner];
        s->start[i] = job->x0 + 3 * vertex;
        s->end[i] = job->x1 + 3 * vertex;
    }
}

// differences at the corners of the patch, a vector of corners per axis
typedef struct patch {
    pli_d4 start[3];
    pli_d4 end[3];
} patch;

PLI_INLINE void take_differences(const int8_t pairs[PLI_CCD_CORNERS][2],
                                 const double *const x[PLI_CCD_POINTS], pli_d4 out[3])
{
    const double *const a[4] = {x[pairs[0][0]], x[pairs[1][0]], x[pairs[2][0]], x[pairs[3][0]]};
    const double *const b[4] = {x[pairs[0][1]], x[pairs[1][1]], x[pairs[2][1]], x[pairs[3][1]]};
    for (int k = 0; k < 3; ++k) {
        pli_d4 first = {a[0][k], a[1][k], a[2][k], a[3][k]};
        pli_d4 second = {b[0][k], b[1][k], b[2][k], b[3][k]};
        out[k] = first - second;
    }
}

// The target is highest for the largest distance that is possible at t = 0, that of two vertices.
PLI_INLINE double bound_target(const patch *p, const pli_ccd_def *def)
{
    pli_d4 square = p->start[0] * p->start[0];
    square += p->start[1] * p->start[1] + p->start[2] * p->start[2];
    double least =
        pli_smaller(pli_smaller(square[0], square[1]), pli_smaller(square[2], square[3]));
    // what squares lose by underflow is below 1e-153
    double distance = sqrt(least) * excess + 1e-153;
    return excess * (def->separation + def->gap * pli_larger(distance - def->separation, 0));
}

// Heights above a plane at two times, less what rounding may have added to them.
typedef struct heights {
    pli_d4 start;
    pli_d4 last;
} heights;

// Of heights at t = 0 and 1; `bound` are the sums of the sizes of what heights were made of.
PLI_INLINE heights take_heights(pli_d4 start, pli_d4 start_bound, pli_d4 end, pli_d4 end_bound,
                                double time)
{
    start -= height_error * start_bound + DBL_MIN;
    end -= height_error * end_bound + DBL_MIN;
    return (heights){start, (1 - time) * start + time * end};
}

PLI_INLINE bool are_heights_above(heights h, double level)
{
    return pli_d4_all((pli_d4_mask)(h.start > level) & (pli_d4_mask)(h.last > level));
}

// Whether a coordinate plane keeps the target throughout [0, time].
PLI_INLINE bool is_axis_between(const patch *p, int axis, double target, double time)
{
    pli_d4 start = p->start[axis];
    pli_d4 end = p->end[axis];
    pli_d4 start_bound = pli_d4_abs(start);
    pli_d4 end_bound = pli_d4_abs(end);
    if (start[0] < 0) {
        start = -start;
        end = -end;
    }
    return are_heights_above(take_heights(start, start_bound, end, end_bound, time), target);
}

// The difference of the closest points at t = 0.
static void find_normal(const stencil *s, double n[3])
{
    const double *const *x = s->start;
    double w[4], square;
    switch (s->kind) {
    case PLI_CCD_POINT_POINT: pli_vec3_subtract(x[0], x[1], n); return;
    case PLI_CCD_POINT_EDGE: pli_closest_point_edge(x[0], x[1], x[2], w, &square); break;
    case PLI_CCD_POINT_TRIANGLE:
        pli_closest_point_triangle(x[0], x[1], x[2], x[3], w, &square);
        break;
    case PLI_CCD_EDGE_EDGE:
        pli_closest_edge_edge(x[0], x[1], x[2], x[3], w, &square);
        for (int k = 0; k < 3; ++k) {
            n[k] = w[0] * x[0][k] + w[1] * x[1][k] - w[2] * x[2][k] - w[3] * x[3][k];
        }
        return;
    }
    pli_vec3_copy(x[0], n);
    for (int c = 1; c < pli_ccd_point_count(s->kind); ++c) {
        pli_vec3_add_scaled(n, -w[c - 1], x[c], n);
    }
}

// Heights above the plane across n, in units of |n|.
PLI_INLINE heights find_heights(const patch *p, const double n[3], double time)
{
    pli_d4 start = n[0] * p->start[0] + n[1] * p->start[1] + n[2] * p->start[2];
    pli_d4 end = n[0] * p->end[0] + n[1] * p->end[1] + n[2] * p->end[2];
    pli_d4 start_bound = {0};
    pli_d4 end_bound = {0};
    for (int k = 0; k < 3; ++k) {
        start_bound += fabs(n[k]) * pli_d4_abs(p->start[k]);
        end_bound += fabs(n[k]) * pli_d4_abs(p->end[k]);
    }
    return take_heights(start, start_bound, end, end_bound, time);
}

// |n| or a little more; not a number where it would be too small to tell.
PLI_INLINE double bound_length(const double n[3])
{
    double square = pli_vec3_norm2(n);
    return square > DBL_MIN / DBL_EPSILON ? sqrt(square) * excess : NAN;
}

// Whether the plane across the mean difference at t = 0 keeps the target.
PLI_INLINE bool is_mean_between(const patch *p, double target, double time)
{
    double n[3];
    for (int k = 0; k < 3; ++k) {
        pli_d4 f = p->start[k];
        n[k] = (f[0] + f[1]) + (f[2] + f[3]);
    }
    return are_heights_above(find_heights(p, n, time), target * bound_length(n) * excess);
}

// Whether the plane across the closest points at t = 0 keeps the target of the distance that it
// proves there.
PLI_INLINE bool is_closest_between(const stencil *s, const patch *p, const pli_ccd_def *def,
                                   double time)
{
    double n[3];
    find_normal(s, n);
    heights h = find_heights(p, n, time);
    double separation = def->separation * bound_length(n) * excess;
    double least =
        pli_smaller(pli_smaller(h.start[0], h.start[1]), pli_smaller(h.start[2], h.start[3]));
    double target = separation + def->gap * pli_larger(least - separation, 0);
    return are_heights_above(h, target * excess);
}

// Whether a plane keeps the pair farther apart than its target up to the time.
static bool is_kept_apart(const stencil *s, const pli_ccd_def *def, double time)
{
    patch p;
    take_differences(pli_ccd_pair_of_corner[s->kind], s->start, p.start);
    take_differences(pli_ccd_pair_of_corner[s->kind], s->end, p.end);
    double target = bound_target(&p, def);
    for (int axis = 0; axis < 3; ++axis) {
        if (is_axis_between(&p, axis, target, time)) return true;
    }
    return is_mean_between(&p, target, time) || is_closest_between(s, &p, def, time);
}

// ---- queries

// Shortens the step where the pair asks for it.
static void decide_pair(const step_job *job, const int32_t pair[2], pli_safe_step_report *report)
{
    stencil s;
    gather_stencil(job, pair, &s);
    if (is_kept_apart(&s, job->def, report->time)) {
        ++report->plane_count;
        return;
    }

    pli_ccd_query query;
    pli_ccd_report outcome;
    pli_ccd_def def = *job->def;
    def.t_max = report->time;
    pli_ccd_query_init(s.kind, s.start, s.end, &query);
    pli_ccd_solve(&query, &def, &outcome);
    report->free_count += outcome.outcome == PLI_CCD_FREE;
    report->contact_count += outcome.outcome == PLI_CCD_CONTACT;
    report->stalled_count += outcome.outcome == PLI_CCD_STALLED;
    if (outcome.outcome == PLI_CCD_FREE) return;
    report->time = outcome.time;
    report->kind = s.kind;
    report->pair[0] = pair[0];
    report->pair[1] = pair[1];
}

static pli_safe_step_report run_block(const step_job *job, int64_t block)
{
    int64_t selected[BLOCK_SIZE];
    int64_t begin = BLOCK_SIZE * block;
    int64_t end = begin + BLOCK_SIZE;
    if (end > job->list.count) end = job->list.count;
    int32_t count = select_block(job, begin, end, selected);
    pli_safe_step_report report = begin_report(job->time);
    report.box_count = end - begin - count;
    for (int32_t i = 0; i < count && report.time > 0; ++i) {
        decide_pair(job, job->list.pairs[selected[i]], &report);
    }
    return report;
}

static void run_blocks(void *user, int64_t begin, int64_t end)
{
    step_job *job = user;
    for (int64_t i = begin; i < end; ++i) {
        job->results[i] = run_block(job, (job->wave_begin + i) * job->stride % job->block_count);
    }
}

// ---- waves

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// A stride that visits every block once, near the golden section of their number.
static int64_t find_stride(int64_t block_count)
{
    int64_t stride = (int64_t)(0.6180339887498949 * (double)block_count);
    while (stride > 1 && greatest_divisor(block_count, stride) != 1) --stride;
    return stride < 1 ? 1 : stride;
}

static void merge_report(const pli_safe_step_report *part, pli_safe_step_report *report)
{
    report->box_count += part->box_count;
    report->plane_count += part->plane_count;
    report->free_count += part->free_count;
    report->contact_count += part->contact_count;
    report->stalled_count += part->stalled_count;
    if (!(part->time < report->time)) return;
    report->time = part->time;
    report->kind = part->kind;
    report->pair[0] = part->pair[0];
    report->pair[1] = part->pair[1];
}

double pli_safe_step(pli_broad_phase *broad, const pli_broad_phase_pairs *pairs, const double *x0,
                     const double *x1, const pli_ccd_def *def, pli_safe_step_report *out)
{
    const pli_pair_list lists[KINDS] = {pairs->point_triangle, pairs->edge_edge, pairs->point_edge,
                                        pairs->point_point};
    step_job job;
    job.surface = pli_broad_phase_surface(broad);
    job.x0 = x0;
    job.x1 = x1;
    job.def = def;
    pli_safe_step_report report = begin_report(def->t_max);
    double box_time = def->t_max;
    report.bad_vertex = pli_broad_phase_fit_boxes(broad, x0, x1, box_time, def->separation);
    if (report.bad_vertex >= 0) report.time = 0;

    int64_t wave = FIRST_WAVE;
    for (int k = 0; k < KINDS; ++k) {
        job.kind = pair_kinds[k];
        job.list = lists[k];
        job.block_count = (lists[k].count + BLOCK_SIZE - 1) / BLOCK_SIZE;
        job.stride = find_stride(job.block_count);
        job.wave_begin = 0;
        while (job.wave_begin < job.block_count && report.time > 0) {
            int64_t left = job.block_count - job.wave_begin;
            int64_t count = wave < left ? wave : left;
            job.time = report.time;
            pli_parallel_for(job.surface.context, count, 1, run_blocks, &job);
            for (int64_t i = 0; i < count; ++i) merge_report(&job.results[i], &report);
            job.wave_begin += count;
            if (wave < LAST_WAVE) wave *= 2;
            if (report.time < 0.5 * box_time) {
                box_time = report.time;
                (void)pli_broad_phase_fit_boxes(broad, x0, x1, box_time, def->separation);
            }
        }
    }
    if (out != NULL) *out = report;
    return report.time;
}
