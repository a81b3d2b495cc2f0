// SPDX-License-Identifier: Apache-2.0
//
// The broad phase on surfaces as contact sees them: solids, cloth, rubble, and awkward cases.
// Rates are of warm calls with all threads; the ratio is to one thread testing the boxes of all
// pairs of edges of the first surface around their whole ways, in plain double precision.
#include "bench.h"
#include "surface.h"

#include "base/memory.h"
#include "geometry/collision/bounds.h"

#include <math.h>

enum { REPEATS = 7 };

// what is timed
typedef struct broad_run {
    const pli_bench_surface *s;
    pli_broad_phase *broad;
    pli_broad_phase_pairs pairs;
    pli_status status;
    int64_t brute_count;
    pli_bounds *boxes; // [edge_count] of the edges, for testing all pairs
} broad_run;

static const double reach = 0.001;

static void run_find(void *user)
{
    broad_run *run = user;
    run->status =
        pli_broad_phase_find_swept(run->broad, run->s->x0, run->s->x1, reach, &run->pairs);
}

// Pairs of edges by testing all of them, as a yardstick.
static void run_brute(void *user)
{
    broad_run *run = user;
    const pli_bench_surface *s = run->s;
    for (int32_t e = 0; e < s->edge_count; ++e) {
        run->boxes[e] = pli_bounds_empty();
        for (int c = 0; c < 2; ++c) {
            int64_t v = 3 * (int64_t)s->edges[2 * (int64_t)e + c];
            pli_bounds_add_point(&run->boxes[e], s->x0 + v);
            pli_bounds_add_point(&run->boxes[e], s->x1 + v);
        }
        run->boxes[e] = pli_bounds_expand(run->boxes[e], 0.5 * reach);
    }
    run->brute_count = 0;
    for (int32_t a = 0; a < s->edge_count; ++a) {
        const int32_t *p = s->edges + 2 * (int64_t)a;
        for (int32_t b = a + 1; b < s->edge_count; ++b) {
            pli_bounds common = pli_bounds_intersection(run->boxes[a], run->boxes[b]);
            if (pli_bounds_is_empty(&common)) continue;
            const int32_t *q = s->edges + 2 * (int64_t)b;
            run->brute_count += p[0] != q[0] && p[0] != q[1] && p[1] != q[0] && p[1] != q[1];
        }
    }
}

// Times the surface; the ratio to brute force is claimed when asked for.
static pli_status measure(pli_bench *bench, const char *name, const pli_bench_surface *s,
                          bool has_claim)
{
    pli_context *context = pli_bench_context(bench);
    broad_run run = {.s = s};
    pli_status status = pli_bench_surface_broad(context, s, &run.broad);
    if (status != PLI_OK) goto done;
    double seconds = pli_bench_best_seconds(run_find, &run, REPEATS);
    status = run.status;
    if (status != PLI_OK) goto done;
    int64_t primitives = (int64_t)s->vertex_count + s->edge_count + s->triangle_count;
    int64_t pairs = run.pairs.point_triangle.count + run.pairs.edge_edge.count;
    pli_bench_note(bench,
                   "%s: %lld primitives, %lld pairs, %.0f ns/primitive, %.1f million pairs/s", name,
                   (long long)primitives, (long long)pairs, 1e9 * seconds / (double)primitives,
                   1e-6 * (double)pairs / seconds);
    if (!has_claim) goto done;

    status = PLI_ERROR_MEMORY;
    run.boxes = PLI_NEW(context, pli_bounds, s->edge_count, "bench boxes");
    if (run.boxes == NULL) goto done;
    status = PLI_OK;
    double brute = pli_bench_best_seconds(run_brute, &run, 1);
    pli_bench_note(bench,
                   "pairs of edges: %lld with boxes around whole ways, %lld with boxes that move",
                   (long long)run.brute_count, (long long)run.pairs.edge_edge.count);
    pli_claim claim = {.claim = "broad",
                       .what = "all pairs of a cube, all threads, over plain tests of its edges",
                       .paper = "-",
                       .ours = brute / seconds,
                       .unit = "x",
                       .band_low = 10,
                       .band_high = INFINITY};
    pli_bench_claim(bench, &claim);

done:
    pli_release(context, run.boxes);
    pli_broad_phase_destroy(run.broad);
    return status;
}

pli_status pli_bench_kernels_broad(pli_bench *bench)
{
    pli_context *context = pli_bench_context(bench);
    for (int k = 0; k < PLI_BENCH_SURFACES; ++k) {
        pli_bench_surface s;
        pli_status status = pli_bench_surfaces[k].make(context, &s);
        if (status == PLI_OK) {
            status = measure(bench, pli_bench_surfaces[k].name, &s, k == PLI_BENCH_CUBE);
        }
        pli_bench_surface_clear(context, &s);
        if (status != PLI_OK) return status;
    }
    return PLI_OK;
}
