// SPDX-License-Identifier: Apache-2.0
#include "mpm/seed/emitter.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "mpm/seed/seeding_fill.h"

enum {
    SPRAY_STREAM = 0x5ef0, // of random numbers
    SHADOW_STREAM = 0x5ef1,
    SHADOW_SIDE = 128, // lines along each side of the rectangle that the shadow falls on
    STEPS_A_CELL = 16, // least steps along a line
    HALVINGS = 30,     // of a least step: an exit is found to 6e-11 of a cell
    WINDOW_CELLS = 4,  // that matter moves in one go
    MOST_WINDOWS = 1 << 20
};

struct pli_emitter {
    pli_context *context;
    pli_emitter_stream_def def;
    pli_seeding_pattern *pattern;
    pli_bounds bounds; // of the source, a little larger (m)
    double speed;      // m/s
    double along[3];   // unit vector of the velocity
    double full_rate;  // m^3/s
    double share;      // of the particles that are kept
};

// ---- where a line leaves the source

// The part of the line p + s along that is in the bounds; false: none.
static bool clip_line(const pli_emitter *emitter, const double p[3], double *first, double *last)
{
    *first = -INFINITY;
    *last = INFINITY;
    for (int k = 0; k < 3; ++k) {
        double d = emitter->along[k];
        double low = emitter->bounds.min[k] - p[k];
        double high = emitter->bounds.max[k] - p[k];
        if (d == 0) {
            if (low > 0 || high < 0) return false;
            continue;
        }
        *first = pli_larger(*first, pli_smaller(low / d, high / d));
        *last = pli_smaller(*last, pli_larger(low / d, high / d));
    }
    return *first <= *last;
}

static double value_along(const pli_emitter *emitter, const double p[3], double s)
{
    double x[3];
    pli_vec3_add_scaled(p, s, emitter->along, x);
    return pli_shape_value(emitter->def.borrowed_shape, x);
}

// The surface between a place inside and one outside.
static double bisect(const pli_emitter *emitter, const double p[3], double inside, double outside)
{
    for (int i = 0; i < HALVINGS; ++i) {
        double middle = 0.5 * (inside + outside);
        if (value_along(emitter, p, middle) < 0) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    return outside;
}

// How far from p, along the velocity, its line leaves the source for the last time (m); -infinity
// when it never is inside. Exact only between low and high: what turns out to be beyond is told as
// any number beyond.
static double exit_distance(const pli_emitter *emitter, const double p[3], double low, double high)
{
    double first, s;
    if (!clip_line(emitter, p, &first, &s)) return -INFINITY;
    double least = emitter->def.seeding.dx / STEPS_A_CELL;
    double slope = pli_shape_lipschitz(emitter->def.borrowed_shape);
    double value = value_along(emitter, p, s);
    if (value < 0) return s;
    while (s > first && s > low) {
        double next = s - pli_larger(value / slope, least);
        value = value_along(emitter, p, next);
        if (value < 0) return next > high ? next : bisect(emitter, p, next, s);
        s = next;
    }
    return -INFINITY;
}

// ---- the shadow

// Two unit vectors across a third.
static void build_frame(const double along[3], double across[2][3])
{
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        if (fabs(along[k]) < fabs(along[axis])) axis = k;
    }
    double unit[3] = {0, 0, 0};
    unit[axis] = 1;
    pli_vec3_cross(along, unit, across[0]);
    pli_vec3_normalize(across[0], across[0]);
    pli_vec3_cross(along, across[0], across[1]);
}

typedef struct shadow_job {
    const pli_emitter *emitter;
    pli_random random;
    double across[2][3];
    double middle[3];
    double steps[2]; // edges of the fields that have a line each (m)
} shadow_job;

// Counts the lines of some rows that meet the source. Each is somewhere in its field: rows of lines
// would err together along a straight edge.
static pli_sum count_lines(void *user, int64_t begin, int64_t end)
{
    const shadow_job *job = user;
    pli_sum sum = {0, 0};
    for (int64_t line = begin * SHADOW_SIDE; line < end * SHADOW_SIDE; ++line) {
        const int64_t at[2] = {line / SHADOW_SIDE, line % SHADOW_SIDE};
        double p[3];
        pli_vec3_copy(job->middle, p);
        for (int k = 0; k < 2; ++k) {
            double place = pli_random_uniform(job->random, (uint64_t)(2 * line + k));
            double fields = (double)at[k] + place - SHADOW_SIDE / 2;
            pli_vec3_add_scaled(p, fields * job->steps[k], job->across[k], p);
        }
        sum.hi += exit_distance(job->emitter, p, -INFINITY, -INFINITY) > -INFINITY;
    }
    return sum;
}

static double shadow_area(const pli_emitter *emitter)
{
    const pli_bounds *bounds = &emitter->bounds;
    shadow_job job = {.emitter = emitter, .random = {emitter->def.seeding.seed, SHADOW_STREAM}};
    build_frame(emitter->along, job.across);
    for (int k = 0; k < 3; ++k) {
        job.middle[k] = 0.5 * (bounds->min[k] + bounds->max[k]);
        // how wide the bounds are, seen along the velocity
        for (int i = 0; i < 2; ++i) {
            double edge = bounds->max[k] - bounds->min[k];
            job.steps[i] += fabs(job.across[i][k]) * edge / SHADOW_SIDE;
        }
    }
    pli_sum lines = pli_parallel_sum(emitter->context, SHADOW_SIDE, 4, count_lines, &job);
    return pli_sum_value(lines) * job.steps[0] * job.steps[1];
}

// ---- making one

static pli_status check_def(pli_context *context, const pli_emitter_stream_def *def)
{
    PLI_TRY(pli_seeding_def_check(context, &def->seeding));
    double speed = pli_vec3_norm(def->velocity);
    if (!(isfinite(speed) && speed > 0)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the speed of what is emitted is %g, must be positive", speed);
    }
    if (!(isfinite(def->rate) && def->rate >= 0)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the rate of a source is %g, must not be negative", def->rate);
    }
    if (!(isfinite(def->start) && def->end >= def->start)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a source works from %g to %g s; it must not end before it starts",
                        def->start, def->end);
    }
    pli_bounds bounds = pli_shape_bounds(def->borrowed_shape);
    if (pli_bounds_is_empty(&bounds) || !pli_bounds_is_finite(&bounds)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the shape of a source is empty or unbounded; intersect it with a box");
    }
    return PLI_OK;
}

// Finds out how much the source can emit, and which share of that is wanted.
static pli_status set_rate(pli_emitter *emitter)
{
    double rate = emitter->def.rate;
    emitter->full_rate = shadow_area(emitter) * emitter->speed;
    if (!(emitter->full_rate > 0)) {
        return PLI_FAIL(emitter->context, PLI_ERROR_ARGUMENT,
                        "the shape of a source has no inside to be seen along its velocity");
    }
    // the measured area may be a little too small
    if (rate > 1.01 * emitter->full_rate) {
        return PLI_FAIL(emitter->context, PLI_ERROR_ARGUMENT,
                        "the rate of a source is %g m^3/s, but its shape and speed give %g at most",
                        rate, emitter->full_rate);
    }
    emitter->share = rate > 0 ? pli_smaller(rate / emitter->full_rate, 1) : 1;
    return PLI_OK;
}

pli_status pli_emitter_create(pli_context *context, const pli_emitter_stream_def *def,
                              pli_emitter **out)
{
    *out = NULL;
    PLI_TRY(check_def(context, def));
    pli_emitter *emitter = PLI_NEW(context, pli_emitter, 1, "emitter");
    if (emitter == NULL) return PLI_ERROR_MEMORY;
    emitter->context = context;
    emitter->def = *def;
    emitter->speed = pli_vec3_normalize(def->velocity, emitter->along);
    // lines begin outside of the source even where it touches its bounds
    emitter->bounds =
        pli_bounds_expand(pli_shape_bounds(def->borrowed_shape), def->seeding.dx / STEPS_A_CELL);
    pli_status status = set_rate(emitter);
    if (status != PLI_OK) goto done;
    status = pli_seeding_pattern_create(context, &def->seeding, &emitter->pattern);

done:
    if (status != PLI_OK) {
        pli_emitter_destroy(emitter);
        emitter = NULL;
    }
    *out = emitter;
    return status;
}

void pli_emitter_destroy(pli_emitter *emitter)
{
    if (emitter == NULL) return;
    pli_seeding_pattern_destroy(emitter->pattern);
    pli_release(emitter->context, emitter);
}

pli_emitter_state pli_emitter_begin(const pli_emitter *emitter)
{
    return (pli_emitter_state){emitter->def.start, 0};
}

pli_bounds pli_emitter_bounds(const pli_emitter *emitter)
{
    return emitter->bounds;
}

double pli_emitter_rate(const pli_emitter *emitter)
{
    return emitter->share * emitter->full_rate;
}

// ---- what leaves in a window of time, as a body in the space of labels

typedef struct window {
    const pli_emitter *emitter;
    double begin; // s, itself not included
    double end;   // s
} window;

// How far a label that exits in the window is from the surface, at most, when it is looked at in
// the middle of the window.
static double window_reach(const window *w)
{
    return 0.5 * (w->end - w->begin) * w->emitter->speed * (1 + 1e-9) +
           1e-9 * w->emitter->def.seeding.dx;
}

// Where labels are in the middle of the window.
static void carry(const window *w, int64_t count, const double *labels, double *points)
{
    double middle = 0.5 * (w->begin + w->end);
    for (int64_t i = 0; i < count; ++i) {
        pli_vec3_add_scaled(labels + 3 * i, middle, w->emitter->def.velocity, points + 3 * i);
    }
}

static pli_seeding_place place_in_window(const void *data, const pli_bounds *box)
{
    const window *w = data;
    const pli_shape *shape = w->emitter->def.borrowed_shape;
    double label[3], middle[3];
    for (int k = 0; k < 3; ++k) label[k] = 0.5 * (box->min[k] + box->max[k]);
    carry(w, 1, label, middle);
    double reach = window_reach(w) + pli_vec3_distance(label, box->max) * (1 + 1e-9);
    double value = pli_shape_value(shape, middle);
    return fabs(value) > pli_shape_lipschitz(shape) * reach ? PLI_SEEDING_OUTSIDE
                                                            : PLI_SEEDING_ACROSS;
}

// Whether a label is in the share that is emitted: a random number that depends on it alone.
static bool is_in_share(const pli_emitter *emitter, const double label[3])
{
    if (emitter->share >= 1) return true;
    uint64_t index = pli_hash_bytes(PLI_HASH_START, label, 3 * sizeof *label);
    pli_random random = {emitter->def.seeding.seed, SPRAY_STREAM};
    return pli_random_uniform(random, index) < emitter->share;
}

static bool leaves_in(const window *w, const double label[3])
{
    double low = w->begin * w->emitter->speed;
    double high = w->end * w->emitter->speed;
    double exit = exit_distance(w->emitter, label, low, high);
    return exit > low && exit <= high && is_in_share(w->emitter, label);
}

static void test_in_window(const void *data, int32_t count, const double *labels, bool *inside)
{
    enum { CHUNK = 64 };
    const window *w = data;
    const pli_shape *shape = w->emitter->def.borrowed_shape;
    double limit = pli_shape_lipschitz(shape) * window_reach(w);
    for (int32_t begin = 0; begin < count; begin += CHUNK) {
        int32_t n = count - begin < CHUNK ? count - begin : CHUNK;
        const double *label = labels + 3 * (int64_t)begin;
        double points[3 * CHUNK], values[CHUNK];
        carry(w, n, label, points);
        pli_shape_values(shape, n, points, values);
        for (int32_t i = 0; i < n; ++i) {
            inside[begin + i] = fabs(values[i]) <= limit && leaves_in(w, label + 3 * i);
        }
    }
}

// The box around the labels that may exit in the window: the source's, moved back.
static pli_bounds window_bounds(const window *w)
{
    pli_bounds all = pli_bounds_empty();
    for (int side = 0; side < 2; ++side) {
        pli_bounds moved = w->emitter->bounds;
        double time = side == 0 ? w->begin : w->end;
        pli_vec3_add_scaled(moved.min, -time, w->emitter->def.velocity, moved.min);
        pli_vec3_add_scaled(moved.max, -time, w->emitter->def.velocity, moved.max);
        all = pli_bounds_union(all, moved);
    }
    return all;
}

// ---- a step

// Appends the labels that exit from begin to end; long times are cut, so that boxes stay small.
static pli_status add_labels(const pli_emitter *emitter, double begin, double end,
                             pli_seeding *seeding)
{
    if (!(end > begin)) return PLI_OK;
    double piece = WINDOW_CELLS * emitter->def.seeding.dx / emitter->speed;
    double pieces = ceil((end - begin) / piece);
    if (!(pieces <= MOST_WINDOWS)) {
        return PLI_FAIL(emitter->context, PLI_ERROR_ARGUMENT,
                        "a source is asked for %g s at once, allowed are %g", end - begin,
                        MOST_WINDOWS * piece);
    }
    double from = begin;
    for (int32_t i = 1; i <= (int32_t)pieces; ++i) {
        double to = i < (int32_t)pieces ? begin + (end - begin) * i / pieces : end;
        window w = {emitter, from, to};
        pli_seeding_body body = {window_bounds(&w), place_in_window, test_in_window, &w};
        PLI_TRY(pli_seeding_add_body(seeding, &emitter->def.seeding, emitter->pattern, &body));
        from = to;
    }
    return PLI_OK;
}

// Moves labels to where they are at a time, and keeps those that are accepted.
static void settle(const pli_emitter *emitter, double time, pli_emitter_accept_fn accept,
                   void *user, pli_seeding *seeding)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < seeding->count; ++i) {
        double x[3];
        pli_vec3_add_scaled(seeding->positions + 3 * (int64_t)i, time, emitter->def.velocity, x);
        if (accept != NULL && !accept(user, x)) continue;
        pli_vec3_copy(x, seeding->positions + 3 * (int64_t)kept++);
    }
    seeding->count = kept;
}

pli_status pli_emitter_advance(const pli_emitter *emitter, double t1, pli_emitter_accept_fn accept,
                               void *user, pli_emitter_state *state, pli_seeding **emitted)
{
    *emitted = NULL;
    const pli_seeding_def *def = &emitter->def.seeding;
    if (!(isfinite(t1) && t1 >= state->time)) {
        return PLI_FAIL(emitter->context, PLI_ERROR_ARGUMENT,
                        "a source can't go from %g back to %g s", state->time, t1);
    }
    pli_seeding *seeding = NULL;
    PLI_TRY(pli_seeding_create_empty(emitter->context, &seeding));
    seeding->volume = def->dx * def->dx * def->dx / def->per_cell;
    seeding->spacing = emitter->pattern->spacing * def->dx;
    double begin = pli_larger(state->time, emitter->def.start);
    pli_status status = add_labels(emitter, begin, pli_smaller(t1, emitter->def.end), seeding);
    if (status != PLI_OK) {
        pli_seeding_destroy(seeding);
        return status;
    }
    settle(emitter, t1, accept, user, seeding);
    state->time = t1;
    state->count += seeding->count;
    *emitted = seeding;
    return PLI_OK;
}
