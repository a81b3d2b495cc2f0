// SPDX-License-Identifier: Apache-2.0
//
// A part of the case "s1": vertex block descent with a fixed number of iterations per step, on soft
// cloth and on cloth 100 times as stiff (figure 2 of S1). How far its motion is from the converged
// one is the root mean square distance of all vertices at the ends of all steps, over how far the
// converged motion has come by then.
#include "scene_run.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>

// The cloth with a solver and a stiffness of its springs (N/m).
static pli_status open_scene(pli_bench *bench, const char *solver, double stretch,
                             pli_bench_scene *scene)
{
    char solver_text[128];
    char stretch_text[64];
    char bend_text[64];
    const char *overrides[] = {solver_text, stretch_text, bend_text, NULL};
    snprintf(solver_text, sizeof solver_text, "solver=%s", solver);
    snprintf(stretch_text, sizeof stretch_text, "bodies.cloth.springs.stretch=%g", stretch);
    snprintf(bend_text, sizeof bend_text, "bodies.cloth.springs.bend=%g", stretch / 50);
    return pli_bench_scene_init(scene, bench, "cloth/sag", overrides);
}

// Sums over steps of what two motions of the same cloth differ by.
typedef struct comparison {
    double error;   // squared distances (m^2)
    double way;     // squared heights of the reference, which begins in the plane y = 0 (m^2)
    double seconds; // of the motion that is compared
    double reference_seconds;
} comparison;

static void compare(const pli_bench_scene *s, const pli_bench_scene *reference, comparison *c)
{
    const double *x = pli_state_get(s->state).positions;
    const double *y = pli_state_get(reference->state).positions;
    for (int32_t k = 0; k < 3 * s->info.vertex_count; ++k) {
        c->error += (x[k] - y[k]) * (x[k] - y[k]);
        if (k % 3 == 1) c->way += y[k] * y[k];
    }
}

// Height of the lowest vertex (m).
static double lowest(const pli_bench_scene *s)
{
    const double *x = pli_state_get(s->state).positions;
    double least = INFINITY;
    for (int32_t i = 0; i < s->info.vertex_count; ++i) least = fmin(least, x[3 * i + 1]);
    return least;
}

// Takes the same steps with both.
static pli_status run_both(pli_bench_scene *s, pli_bench_scene *reference, comparison *c)
{
    const pli_time_def *time = &pli_scene_get(s->scene)->time;
    for (int32_t k = 0; k < time->frames * time->steps_per_frame; ++k) {
        pli_bench_tally tally;
        PLI_TRY(pli_bench_scene_steps(s, 1, true, &tally));
        c->seconds += tally.seconds;
        PLI_TRY(pli_bench_scene_steps(reference, 1, true, &tally));
        c->reference_seconds += tally.seconds;
        compare(s, reference, c);
    }
    return PLI_OK;
}

static pli_status measure(pli_bench *bench, double stretch, int32_t iterations, double *error)
{
    char solver[64];
    pli_bench_scene s;
    pli_bench_scene reference;
    comparison c = {0};
    snprintf(solver, sizeof solver, "{name: vbd, fixed_iterations: %d}", (int)iterations);
    PLI_TRY(open_scene(bench, solver, stretch, &s));
    pli_status status = open_scene(bench, "{name: newton, tolerance: 1e-6, fixed_iterations: 0}",
                                   stretch, &reference);
    if (status == PLI_OK) {
        status = run_both(&s, &reference, &c);
        *error = sqrt(c.error / c.way);
        pli_bench_note(bench,
                       "%5g N/m, %4d iterations: error %.4f, sag in the end %.4f m, converged %.4f "
                       "m, time of newton %.2f x",
                       stretch, (int)iterations, *error, -lowest(&s), -lowest(&reference),
                       c.reference_seconds / c.seconds);
        pli_bench_scene_clear(&reference);
    }
    pli_bench_scene_clear(&s);
    return status;
}

pli_status pli_bench_s1_vbd(pli_bench *bench)
{
    static const int32_t iterations[] = {5, 20, 80};
    enum { SHIPPED = 1 }; // of them, what the scene has
    double ratio = NAN;
    for (int k = 0; k < 3; ++k) {
        double soft = NAN;
        double stiff = NAN;
        PLI_TRY(measure(bench, 100, iterations[k], &soft));
        PLI_TRY(measure(bench, 1e4, iterations[k], &stiff));
        if (k == SHIPPED) ratio = stiff / soft;
    }
    pli_bench_claim(bench, &(pli_claim){"Q1-13", "error of vbd's motion, 100 times as stiff",
                                        "highly damped", ratio, "x", 3, INFINITY});
    return PLI_OK;
}
