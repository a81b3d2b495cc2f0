// SPDX-License-Identifier: Apache-2.0
//
// The largest safe step of surfaces, on lists of pairs found with a margin of 2 mm, as a solver
// keeps them for several iterations. Every vertex moves by a random vector: a little, so that the
// whole step is free, or so far that surfaces collide; or all move together by much. The ratio is
// to asking the same pairs one by one, by the same number of threads.
#include "bench.h"
#include "surface.h"

#include "base/parallel.h"
#include "base/random.h"

#include <math.h>

enum { REPEATS = 5, GRAIN = 1024 };

static const double margin = 0.002;

// a way to move, all vertices together and each for itself
typedef struct motion {
    const char *name;
    double common; // m
    double own;    // m
} motion;

static const motion motions[] = {{"0.01 mm", 0, 1e-5},
                                 {"20 mm together, 0.1 mm apart", 0.02, 1e-4},
                                 {"0.5 mm", 0, 5e-4},
                                 {"20 mm", 0, 0.02}};
enum { MOTIONS = sizeof motions / sizeof *motions };

typedef struct step_run {
    pli_context *context;
    const pli_bench_surface *s;
    pli_broad_phase *broad;
    pli_broad_phase_pairs pairs;
    pli_ccd_def def;
    pli_safe_step_report report;
    double plain; // the step by asking one by one
} step_run;

static void move_surface(const motion *m, pli_bench_surface *s)
{
    pli_random random = {.seed = 17, .stream = 2};
    for (int64_t i = 0; i < 3 * (int64_t)s->vertex_count; ++i) {
        s->x1[i] = s->x0[i] + m->common + pli_random_range(random, (uint64_t)i, -m->own, m->own);
    }
}

static void run_safe_step(void *user)
{
    step_run *run = user;
    (void)pli_safe_step(run->broad, &run->pairs, run->s->x0, run->s->x1, &run->def, &run->report);
}

// Minus the smallest time of pairs of one kind.
static double ask_pairs(const step_run *run, pli_ccd_kind kind, const pli_pair_list *list,
                        int64_t begin, int64_t end)
{
    const pli_bench_surface *s = run->s;
    double smallest = 1;
    for (int64_t i = begin; i < end; ++i) {
        int64_t a = list->pairs[i][0], b = list->pairs[i][1];
        int64_t v[PLI_CCD_POINTS];
        for (int c = 0; c < PLI_CCD_POINTS; ++c) {
            v[c] = kind == PLI_CCD_EDGE_EDGE ? s->edges[2 * (c < 2 ? a : b) + c % 2]
                   : c == 0                  ? s->points[a]
                                             : s->triangles[3 * b + c - 1];
        }
        const double *const start[] = {s->x0 + 3 * v[0], s->x0 + 3 * v[1], s->x0 + 3 * v[2],
                                       s->x0 + 3 * v[3]};
        const double *const stop[] = {s->x1 + 3 * v[0], s->x1 + 3 * v[1], s->x1 + 3 * v[2],
                                      s->x1 + 3 * v[3]};
        pli_ccd_query query;
        pli_ccd_report report;
        pli_ccd_query_init(kind, start, stop, &query);
        pli_ccd_solve(&query, &run->def, &report);
        if (report.time < smallest) smallest = report.time;
    }
    return -smallest;
}

static double ask_triangles(void *user, int64_t begin, int64_t end)
{
    const step_run *run = user;
    return ask_pairs(run, PLI_CCD_POINT_TRIANGLE, &run->pairs.point_triangle, begin, end);
}

static double ask_edges(void *user, int64_t begin, int64_t end)
{
    const step_run *run = user;
    return ask_pairs(run, PLI_CCD_EDGE_EDGE, &run->pairs.edge_edge, begin, end);
}

static void run_plain(void *user)
{
    step_run *run = user;
    double triangles =
        pli_parallel_max(run->context, run->pairs.point_triangle.count, GRAIN, ask_triangles, run);
    double edges =
        pli_parallel_max(run->context, run->pairs.edge_edge.count, GRAIN, ask_edges, run);
    run->plain = -fmax(triangles, edges);
}

// Times one motion; returns how many times faster it is than asking one by one.
static double measure(pli_bench *bench, const char *name, const char *moved, step_run *run)
{
    int64_t count = run->pairs.point_triangle.count + run->pairs.edge_edge.count;
    double seconds = pli_bench_best_seconds(run_safe_step, run, REPEATS);
    double plain = pli_bench_best_seconds(run_plain, run, 1);
    const pli_safe_step_report *r = &run->report;
    int64_t asked = r->free_count + r->contact_count + r->stalled_count;
    pli_bench_note(bench,
                   "safe step of %s, %s: %.4f (one by one %.4f), %lld pairs, %.1f ns a pair; "
                   "%.2f %% by boxes, %.2f %% by planes, %lld queries",
                   name, moved, r->time, run->plain, (long long)count,
                   1e9 * seconds / (double)count, 100 * (double)r->box_count / (double)count,
                   100 * (double)r->plane_count / (double)count, (long long)asked);
    return plain / seconds;
}

static pli_status measure_surface(pli_bench *bench, const char *name, pli_bench_surface *s,
                                  double *least)
{
    step_run run = {.context = pli_bench_context(bench), .s = s, .def = pli_ccd_def_default()};
    PLI_TRY(pli_bench_surface_broad(run.context, s, &run.broad));
    pli_status status = PLI_OK;
    for (int k = 0; status == PLI_OK && k < MOTIONS; ++k) {
        move_surface(&motions[k], s);
        status = pli_broad_phase_find_swept(run.broad, s->x0, s->x1, margin, &run.pairs);
        if (status == PLI_OK) *least = fmin(*least, measure(bench, name, motions[k].name, &run));
    }
    pli_broad_phase_destroy(run.broad);
    return status;
}

pli_status pli_bench_safe_step(pli_bench *bench)
{
    static const int surfaces[] = {PLI_BENCH_TWO_CUBES, PLI_BENCH_CLOTH};
    pli_context *context = pli_bench_context(bench);
    double least = INFINITY;
    for (size_t k = 0; k < sizeof surfaces / sizeof *surfaces; ++k) {
        const pli_bench_surface_case *one = &pli_bench_surfaces[surfaces[k]];
        pli_bench_surface s;
        pli_status status = one->make(context, &s);
        if (status == PLI_OK) status = measure_surface(bench, one->name, &s, &least);
        pli_bench_surface_clear(context, &s);
        if (status != PLI_OK) return status;
    }
    pli_claim claim = {.claim = "safe-step",
                       .what = "largest safe step, over asking all pairs one by one; the least",
                       .paper = "-",
                       .ours = least,
                       .unit = "x",
                       .band_low = 3,
                       .band_high = INFINITY};
    pli_bench_claim(bench, &claim);
    return PLI_OK;
}
