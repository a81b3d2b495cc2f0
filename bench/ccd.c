// SPDX-License-Identifier: Apache-2.0
//
// Continuous collision detection on a million queries whose truth is known by construction.
//
// Half of them collide: all numbers are multiples of a power of two with few digits, so that moving
// one primitive onto the other at a given time makes no rounding error, and "later than the time of
// contact" can be told without tolerance. The other half are kept apart by a plane throughout, at
// 10 tolerances at least.
#include "bench.h"

#include "base/random.h"
#include "base/timers.h"
#include "geometry/collision/ccd.h"
#include "math/vec3.h"

#include <math.h>

enum { METHODS = 3, QUERIES = 1000000, BLOCK = 1000, DRAWS = 64 };

static const double tolerance = 1e-6;

typedef void method(const pli_ccd_query *query, const pli_ccd_def *def, pli_ccd_report *report);

typedef struct sample {
    pli_ccd_query query;
    double hit; // time of contact, exact; the first may be earlier. 2 where there is none
} sample;

typedef struct tally {
    int64_t missed;
    int64_t late;
    int64_t alarms;  // contact reported where there is none
    int64_t stalled; // not decided
    double seconds;
} tally;

// numbers of one query, in order
typedef struct source {
    pli_random random;
    uint64_t next;
} source;

// a whole multiple of 1 / steps in [low, high]
static double draw(source *s, double low, double high, double steps)
{
    double value = pli_random_range(s->random, s->next++, low, high);
    return floor(value * steps) / steps;
}

// Weights of points inside the primitives, sixteenths, against those of the second negative.
static void draw_weights(source *s, pli_ccd_kind kind, double w[PLI_CCD_POINTS])
{
    double u = draw(s, 0.125, 0.5, 16);
    double v = draw(s, 0.125, 0.5, 16);
    if (kind == PLI_CCD_EDGE_EDGE) {
        w[0] = u;
        w[1] = 1 - u;
        w[2] = -v;
        w[3] = v - 1;
        return;
    }
    w[0] = 1;
    w[1] = -u;
    w[2] = -v;
    w[3] = u + v - 1;
    if (kind == PLI_CCD_POINT_EDGE) w[2] = u - 1;
    if (kind == PLI_CCD_POINT_POINT) w[1] = -1;
}

static int first_count(pli_ccd_kind kind)
{
    return kind == PLI_CCD_EDGE_EDGE ? 2 : 1;
}

// Moves the first primitive onto the second at a multiple of 1/64; exact.
static double make_hit(source *s, pli_ccd_kind kind, double x[2][PLI_CCD_POINTS][3])
{
    double w[PLI_CCD_POINTS];
    double r[3] = {0, 0, 0};
    double hit = draw(s, 1.0 / 64, 1, 64);
    draw_weights(s, kind, w);
    for (int i = 0; i < pli_ccd_point_count(kind); ++i) {
        pli_vec3_add_scaled(r, w[i] * (1 - hit), x[0][i], r);
        pli_vec3_add_scaled(r, w[i] * hit, x[1][i], r);
    }
    for (int i = 0; i < first_count(kind); ++i) {
        pli_vec3_subtract(x[0][i], r, x[0][i]);
        pli_vec3_subtract(x[1][i], r, x[1][i]);
    }
    return hit;
}

// Moves every vertex to its side of a plane through the origin with a random normal.
static void keep_apart(source *s, pli_ccd_kind kind, double x[2][PLI_CCD_POINTS][3])
{
    double n[3];
    double gap = tolerance * pow(10, pli_random_range(s->random, s->next++, 1.1, 6));
    for (int k = 0; k < 3; ++k) n[k] = draw(s, -1, 1, 1024) + 1e-3;
    pli_vec3_normalize(n, n);
    for (int i = 0; i < 2 * PLI_CCD_POINTS; ++i) {
        double *p = x[i / PLI_CCD_POINTS][i % PLI_CCD_POINTS];
        double height = pli_vec3_dot(n, p);
        bool is_first = i % PLI_CCD_POINTS < first_count(kind);
        double wanted = is_first ? fabs(height) + gap : -fabs(height);
        pli_vec3_add_scaled(p, wanted - height, n, p);
    }
}

static void make_sample(int64_t index, sample *out)
{
    source s = {.random = {.seed = 11, .stream = 3}, .next = (uint64_t)index * DRAWS};
    // mostly the two kinds that surfaces are made of
    static const pli_ccd_kind kinds[8] = {
        PLI_CCD_POINT_TRIANGLE, PLI_CCD_EDGE_EDGE, PLI_CCD_POINT_TRIANGLE, PLI_CCD_EDGE_EDGE,
        PLI_CCD_POINT_TRIANGLE, PLI_CCD_EDGE_EDGE, PLI_CCD_POINT_EDGE,     PLI_CCD_POINT_POINT};
    pli_ccd_kind kind = kinds[index / 2 % 8];
    double x[2][PLI_CCD_POINTS][3];
    for (int i = 0; i < 6 * PLI_CCD_POINTS; ++i)
        x[i / 12][i / 3 % 4][i % 3] = draw(&s, -1, 1, 65536);
    out->hit = 2;
    if (index % 2 == 0) {
        out->hit = make_hit(&s, kind, x);
    } else {
        keep_apart(&s, kind, x);
    }
    const double *const start[4] = {x[0][0], x[0][1], x[0][2], x[0][3]};
    const double *const end[4] = {x[1][0], x[1][1], x[1][2], x[1][3]};
    pli_ccd_query_init(kind, start, end, &out->query);
}

static void judge(const sample *one, const pli_ccd_report *report, tally *counts)
{
    bool collides = one->hit <= 1;
    counts->missed += collides && report->outcome == PLI_CCD_FREE;
    counts->late += collides && report->time >= one->hit;
    counts->alarms += !collides && report->outcome == PLI_CCD_CONTACT;
    counts->stalled += report->outcome == PLI_CCD_STALLED;
}

static void run_block(int64_t begin, method *const methods[METHODS], tally tallies[METHODS])
{
    sample samples[BLOCK];
    pli_ccd_report reports[BLOCK];
    pli_ccd_def def = pli_ccd_def_default();
    def.gap = 0;
    def.tolerance = tolerance;
    for (int i = 0; i < BLOCK; ++i) make_sample(begin + i, &samples[i]);
    for (int m = 0; m < METHODS; ++m) {
        double before = pli_clock_seconds();
        for (int i = 0; i < BLOCK; ++i) methods[m](&samples[i].query, &def, &reports[i]);
        tallies[m].seconds += pli_clock_seconds() - before;
        for (int i = 0; i < BLOCK; ++i) judge(&samples[i], &reports[i], &tallies[m]);
    }
}

static void claim_count(pli_bench *bench, const char *id, const char *what, int64_t count,
                        double allowed)
{
    pli_claim claim = {.claim = id,
                       .what = what,
                       .paper = "0",
                       .ours = (double)count,
                       .unit = "queries",
                       .band_low = 0,
                       .band_high = allowed};
    pli_bench_claim(bench, &claim);
}

pli_status pli_bench_ccd(pli_bench *bench)
{
    static method *const methods[METHODS] = {pli_ccd_advance, pli_ccd_enclose, pli_ccd_solve};
    static const char *const names[METHODS] = {"advance", "enclose", "solve"};
    tally tallies[METHODS] = {0};
    for (int64_t begin = 0; begin < QUERIES; begin += BLOCK) run_block(begin, methods, tallies);
    for (int m = 0; m < METHODS; ++m) {
        const tally *counts = &tallies[m];
        pli_bench_note(bench, "%s: %.0f ns a query, %.4f %% false alarms, %.4f %% undecided",
                       names[m], 1e9 * counts->seconds / QUERIES,
                       200.0 * (double)counts->alarms / QUERIES,
                       100.0 * (double)counts->stalled / QUERIES);
        claim_count(bench, names[m], "collisions missed, of half a million", counts->missed, 0);
        claim_count(bench, names[m], "times later than the contact", counts->late, 0);
        claim_count(bench, names[m], "contacts reported where there is none", counts->alarms, 0);
    }
    claim_count(bench, "solve", "queries left undecided", tallies[METHODS - 1].stalled, 0);
    return pli_bench_safe_step(bench);
}
