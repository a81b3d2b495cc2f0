// SPDX-License-Identifier: Apache-2.0
//
// The optimisation integrator on tetrahedral meshes without collisions (Gast et al. 2015).
#include "s4_map.h"
#include "scene_run.h"

#include "base/context.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// the paper's cubes have 65^3 particles, ours at lite size 17^3
static const char *cells_of(const pli_bench *bench)
{
    return pli_bench_is_paper_size(bench) ? "bodies.cube.geometry.grid.cells=[64,64,64]"
                                          : "bodies.cube.geometry.grid.cells=[16,16,16]";
}

// ---- Q4-2, Q4-3, Q4-11: stretched cubes, ours at one step per frame, plain Newton at its own

typedef struct stretch_claim {
    const char *scene;
    const char *claim;
    const char *paper_solves;
    const char *paper_newton;
} stretch_claim;

static pli_status run_at(pli_bench *bench, const char *scene, const char *solver,
                         int32_t steps_per_frame, bool stop_at_failure, pli_bench_tally *tally)
{
    char solver_override[64];
    char steps_override[64];
    snprintf(solver_override, sizeof solver_override, "solver.name=%s", solver);
    snprintf(steps_override, sizeof steps_override, "time.steps_per_frame=%d",
             (int)steps_per_frame);
    // plain Newton converges within a few iterations or not at all: the caps only end the latter
    const char *overrides[] = {solver_override, steps_override, "solver.max_iterations=100",
                               "solver.linear_max_iterations=500", NULL};
    pli_bench_limits limits = {.stop_at_failure = stop_at_failure};
    return pli_bench_scene_run(bench, scene, overrides, limits, tally, NULL);
}

// Smallest number of steps per frame at which every step of plain Newton converges.
static pli_status newton_needs(pli_bench *bench, const char *scene, int32_t *steps_per_frame)
{
    enum { LIMIT = 16 };
    for (*steps_per_frame = 1; *steps_per_frame < LIMIT; ++*steps_per_frame) {
        pli_bench_tally tally;
        PLI_TRY(run_at(bench, scene, "newton-plain", *steps_per_frame, true, &tally));
        if (tally.failures == 0) return PLI_OK;
    }
    return PLI_OK;
}

static pli_status claim_stretch(pli_bench *bench, const stretch_claim *c)
{
    pli_bench_tally ours;
    PLI_TRY(run_at(bench, c->scene, "newton", 1, false, &ours));
    int32_t plain = 0;
    PLI_TRY(newton_needs(bench, c->scene, &plain));
    pli_bench_claim(bench, &(pli_claim){c->claim, "steps that fail at 1 step per frame, newton",
                                        "0", ours.failures, "", 0, 0});
    pli_bench_claim(bench, &(pli_claim){c->claim, "solves per step, newton", c->paper_solves,
                                        (double)ours.solves / ours.steps, "", 1.5, 6});
    pli_bench_claim(bench, &(pli_claim){c->claim, "steps per frame that newton-plain needs",
                                        c->paper_newton, plain, "", 2, INFINITY});
    // three evaluations per step belong to the initial guesses, one to the start of the
    // minimisation
    double searching = (double)(ours.energy_evaluations - 4 * ours.steps) / (double)ours.solves;
    pli_bench_claim(bench, &(pli_claim){"Q4-11", "energy evaluations per solve in the line search",
                                        "nearly 1", searching, "", 1, 1.3});
    pli_bench_note(bench, "%s: %.3g s per frame, %.1f linear iterations per solve", c->scene,
                   ours.seconds / ours.steps, (double)ours.linear_iterations / (double)ours.solves);
    return PLI_OK;
}

// ---- Q4-5, Q4-6: tangled cubes

typedef struct tangle_claim {
    const char *claim;
    const char *scene;
    const char *stiffness[3]; // overrides, stiffest first
    const char *paper_steps[3];
    const char *paper_solves;
    int32_t step_limit;
} tangle_claim;

// Steps until no tetrahedron is inverted; the limit + 1 when that never happens.
static pli_status steps_to_untangle(pli_bench *bench, const tangle_claim *c, int32_t which,
                                    bool rest_shape_guess, int32_t *steps, pli_bench_tally *sum)
{
    const char *overrides[] = {
        cells_of(bench), c->stiffness[which],
        rest_shape_guess ? "solver.rest_shape_guess=true" : "solver.rest_shape_guess=false", NULL};
    pli_bench_scene s;
    *sum = (pli_bench_tally){0};
    PLI_TRY(pli_bench_scene_init(&s, bench, c->scene, overrides));
    pli_status status = PLI_OK;
    for (*steps = 1; *steps <= c->step_limit && status == PLI_OK; ++*steps) {
        pli_bench_tally tally;
        status = pli_bench_scene_steps(&s, 1, false, &tally);
        sum->failures += tally.failures;
        sum->solves += tally.solves;
        sum->linear_iterations += tally.linear_iterations;
        sum->seconds += tally.seconds;
        sum->min_J = tally.min_J;
        if (tally.inverted == 0) break;
    }
    pli_bench_note(bench,
                   "%s, %s, %s: %d unknowns, %lld solves, %lld linear iterations, %.1f s, "
                   "min J %.3g, %d steps not converged",
                   c->scene, c->stiffness[which], overrides[2], (int)(3 * s.info.vertex_count),
                   (long long)sum->solves, (long long)sum->linear_iterations, sum->seconds,
                   sum->min_J, (int)sum->failures);
    pli_bench_scene_clear(&s);
    return status;
}

static pli_status claim_tangle(pli_bench *bench, const tangle_claim *c)
{
    static const char *what[3] = {"steps until nothing is inverted, stiffest",
                                  "steps until nothing is inverted, medium",
                                  "steps until nothing is inverted, softest"};
    for (int32_t which = 0; which < 3; ++which) {
        int32_t steps = 0;
        pli_bench_tally sum;
        PLI_TRY(steps_to_untangle(bench, c, which, true, &steps, &sum));
        double limit = which == 0 ? 1 : c->step_limit;
        pli_bench_claim(
            bench, &(pli_claim){c->claim, what[which], c->paper_steps[which], steps, "", 1, limit});
        if (which == 0) {
            pli_bench_claim(bench, &(pli_claim){c->claim, "solves of that one step",
                                                c->paper_solves, (double)sum.solves, "", NAN, NAN});
            PLI_TRY(steps_to_untangle(bench, c, which, false, &steps, &sum));
            pli_bench_claim(bench, &(pli_claim){c->claim, "the same without the rest guess",
                                                c->paper_solves, (double)sum.solves, "", NAN, NAN});
        }
    }
    return PLI_OK;
}

// ---- Q4-10: free fall

static pli_status claim_free_fall(pli_bench *bench)
{
    const char *overrides[] = {"gravity=[0,-9.81,0]", "constraints=[]", NULL};
    pli_bench_scene s;
    PLI_TRY(pli_bench_scene_init(&s, bench, "rubber/stretch", overrides));
    pli_bench_tally tally;
    pli_status status = pli_bench_scene_steps(&s, 24, false, &tally);
    pli_bench_scene_clear(&s);
    PLI_TRY(status);
    pli_bench_claim(bench, &(pli_claim){"Q4-10", "solves in 24 steps of free fall", "0",
                                        (double)tally.solves, "", 0, 0});
    return PLI_OK;
}

// ---- Q4-15: how many decades of the tolerance are usable

static pli_status stretch_with_tolerance(pli_bench *bench, double tolerance, double **positions,
                                         int64_t *count, double *size, int32_t *failures)
{
    char text[64];
    snprintf(text, sizeof text, "solver.tolerance=%g", tolerance);
    const char *overrides[] = {"solver.norm=force", text, NULL};
    pli_bench_scene s;
    PLI_TRY(pli_bench_scene_init(&s, bench, "rubber/stretch", overrides));
    pli_bench_tally tally;
    pli_status status = pli_bench_scene_steps(&s, 24, false, &tally);
    *count = 3 * (int64_t)s.info.vertex_count;
    *size = s.info.size;
    *failures = tally.failures;
    *positions = PLI_NEW(s.context, double, *count, "positions");
    if (status == PLI_OK && *positions == NULL) status = PLI_ERROR_MEMORY;
    if (status == PLI_OK) {
        memcpy(*positions, pli_state_get(s.state).positions, (size_t)*count * sizeof(double));
    }
    pli_bench_scene_clear(&s);
    return status;
}

static double largest_difference(const double *a, const double *b, int64_t count)
{
    double largest = 0;
    for (int64_t k = 0; k < count; ++k) largest = fmax(largest, fabs(a[k] - b[k]));
    return largest;
}

// A tolerance is usable when every step converges and no vertex differs visibly (a thousandth of
// the scene) from the run with the tightest one.
static pli_status claim_tolerance_range(pli_bench *bench)
{
    pli_context *context = pli_bench_context(bench);
    double *reference = NULL;
    int usable = 0;
    pli_status status = PLI_OK;
    for (int exponent = -7; exponent <= 4 && status == PLI_OK; ++exponent) {
        double *positions = NULL;
        int64_t count = 0;
        double size = 1;
        int32_t failures = 0;
        status =
            stretch_with_tolerance(bench, pow(10, exponent), &positions, &count, &size, &failures);
        if (status == PLI_OK && reference == NULL && failures == 0) {
            reference = positions;
            positions = NULL;
            usable = 1;
        } else if (status == PLI_OK && reference != NULL) {
            double error = largest_difference(reference, positions, count) / size;
            bool fine = failures == 0 && error < 1e-3;
            pli_bench_note(bench, "tau 1e%d N: %d failures, difference %.2e of the scene%s",
                           exponent, (int)failures, error, fine ? "" : " (not usable)");
            usable += fine;
            if (!fine) exponent = 99;
        }
        pli_release(context, positions);
    }
    pli_release(context, reference);
    PLI_TRY(status);
    pli_bench_claim(bench, &(pli_claim){"Q4-15", "decades of usable tolerance", ">= 3", usable - 1,
                                        "decades", 3, INFINITY});
    return PLI_OK;
}

pli_status pli_bench_s4_mesh(pli_bench *bench)
{
    static const stretch_claim stretch = {"rubber/stretch", "Q4-2", "2.8", "3"};
    static const stretch_claim pulse = {"rubber/pulse", "Q4-3", "2.9", "5"};
    static const tangle_claim random_start = {
        "Q4-5",
        "rubber/random",
        {"materials.rubber.young=1e6", "materials.rubber.young=1e5", "materials.rubber.young=1e4"},
        {"1", "40", "100"},
        "109.6",
        150};
    static const tangle_claim point_start = {
        "Q4-6",
        "rubber/point",
        {"materials.rubber.young=1e6", "materials.rubber.young=1e5", "materials.rubber.young=1e4"},
        {"1", "5", "120"},
        "88.8",
        150};
    PLI_TRY(claim_stretch(bench, &stretch));
    PLI_TRY(claim_stretch(bench, &pulse));
    PLI_TRY(claim_free_fall(bench));
    PLI_TRY(claim_tolerance_range(bench));
    PLI_TRY(pli_bench_s4_map(bench));
    PLI_TRY(claim_tangle(bench, &random_start));
    return claim_tangle(bench, &point_start);
}
