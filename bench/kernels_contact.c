// SPDX-License-Identifier: Apache-2.0
//
// Contact kernels: ns per stencil of barrier and friction, one thread.
#include "bench.h"

#include "base/memory.h"
#include "base/random.h"
#include "contact/stencil.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

enum { COUNT = 1024, REPEATS = 15, DOFS = PLI_CONTACT_DOFS };

typedef struct arrays {
    pli_contact_stencil stencil;
    pli_barrier_def barrier;
    double x[COUNT][DOFS];
    double start[COUNT][DOFS];
    pli_friction friction[COUNT];
    double gradient[DOFS];
    double hessian[DOFS * DOFS];
    double sum; // keeps the calls alive
    bool wants_gradient;
    bool wants_hessian;
    bool projected;
} arrays;

// Pairs about half of dhat = 0.1 apart, in any position above each other; `spread` turns the second
// edge by up to so much against the first.
static void fill(arrays *a, pli_contact_kind kind, double spread)
{
    pli_random random = {.seed = 3, .stream = (uint64_t)kind};
    a->stencil = pli_contact_stencil_default(kind);
    a->stencil.friction = 0.5;
    a->barrier = (pli_barrier_def){0.1, 1};
    for (uint64_t i = 0; i < COUNT; ++i) {
        double s = pli_random_range(random, 4 * i, 0.1, 0.4);
        double t = pli_random_range(random, 4 * i + 1, 0.1, 0.4);
        double gap = pli_random_range(random, 4 * i + 2, 0.01, 0.09);
        double turn = pli_random_range(random, 4 * i + 3, 0.5 * spread, spread);
        double triangle[DOFS] = {s, t, gap, 0, 0, 0, 1, 0.1, 0, 0.1, 1, 0};
        double edges[DOFS] = {0, 0, 0, 1, 0, 0, s - 1, -turn, gap, s + 1, +turn, gap};
        memcpy(a->x[i], kind == PLI_CONTACT_EDGE_EDGE ? edges : triangle, sizeof triangle);
        for (int k = 0; k < DOFS; ++k) {
            a->start[i][k] =
                a->x[i][k] + pli_random_range(random, 5000 + 12 * i, 0, 1e-2) * (k % 3);
        }
    }
    if (kind == PLI_CONTACT_EDGE_EDGE) a->stencil.mollifier = 4e-3;
}

static void run_barrier(void *user)
{
    arrays *a = user;
    for (int i = 0; i < COUNT; ++i) {
        a->sum += pli_contact_evaluate(&a->stencil, &a->barrier, a->x[i], a->projected,
                                       a->wants_gradient ? a->gradient : NULL,
                                       a->wants_hessian ? a->hessian : NULL);
    }
}

// the plain way: exact Hessian, then eigenvalues of the 12x12 matrix
static void run_dense_clamp(void *user)
{
    arrays *a = user;
    for (int i = 0; i < COUNT; ++i) {
        a->sum +=
            pli_contact_evaluate(&a->stencil, &a->barrier, a->x[i], false, a->gradient, a->hessian);
        (void)pli_psd_clamp(DOFS, a->hessian);
    }
}

static void run_friction(void *user)
{
    arrays *a = user;
    for (int i = 0; i < COUNT; ++i) {
        a->sum += pli_friction_evaluate(&a->friction[i], 1e-3, a->x[i], a->start[i],
                                        a->wants_gradient ? a->gradient : NULL,
                                        a->wants_hessian ? a->hessian : NULL);
    }
}

static double nanoseconds(void (*body)(void *user), arrays *a, bool gradient, bool hessian)
{
    a->wants_gradient = gradient;
    a->wants_hessian = hessian;
    return 1e9 / COUNT * pli_bench_best_seconds(body, a, REPEATS);
}

static void claim_kind(pli_bench *bench, const char *name, arrays *a)
{
    a->projected = true;
    double energy = nanoseconds(run_barrier, a, false, false);
    double gradient = nanoseconds(run_barrier, a, true, false);
    double projected = nanoseconds(run_barrier, a, true, true);
    double dense = nanoseconds(run_dense_clamp, a, true, true);
    a->projected = false;
    double exact = nanoseconds(run_barrier, a, true, true);
    pli_bench_note(bench,
                   "%s, ns per stencil: energy %.0f, with gradient %.0f, with exact Hessian %.0f, "
                   "with projected Hessian %.0f",
                   name, energy, gradient, exact, projected);
    pli_claim claim = {.claim = name,
                       .what = "projected Hessian over clamping the 12x12 matrix",
                       .paper = "-",
                       .ours = dense / projected,
                       .unit = "x",
                       .band_low = 1,
                       .band_high = INFINITY};
    pli_bench_claim(bench, &claim);
}

pli_status pli_bench_kernels_contact(pli_bench *bench)
{
    pli_context *context = pli_bench_context(bench);
    arrays *a = PLI_NEW(context, arrays, 1, "contact kernel arrays");
    if (a == NULL) return PLI_ERROR_MEMORY;
    fill(a, PLI_CONTACT_POINT_TRIANGLE, 1);
    claim_kind(bench, "point-triangle", a);
    for (int i = 0; i < COUNT; ++i) {
        pli_friction_freeze(&a->stencil, &a->barrier, a->x[i], &a->friction[i]);
    }
    pli_bench_note(bench, "friction, ns per stencil: energy %.0f, with gradient %.0f, all %.0f",
                   nanoseconds(run_friction, a, false, false),
                   nanoseconds(run_friction, a, true, false),
                   nanoseconds(run_friction, a, true, true));
    fill(a, PLI_CONTACT_EDGE_EDGE, 1);
    claim_kind(bench, "edge-edge", a);
    fill(a, PLI_CONTACT_EDGE_EDGE, 0.02);
    claim_kind(bench, "edge-edge, mollified", a);
    pli_release(context, a);
    return PLI_OK;
}
