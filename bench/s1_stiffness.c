// SPDX-License-Identifier: Apache-2.0
//
// SC1-10: the step in which a lattice ball first touches the ground, over stiffness from 1e6 to
// 1e10 Pa (figure 14): iterations of conjugate gradients and seconds, with a full-space Newton
// method and with ours, from the same state.
#include "s1.h"
#include "s1_pair.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>

enum { DECADES = 5, CONTACT_LIMIT = 40 };

typedef struct contact_step {
    double iterations[2]; // of conjugate gradients, mean of the step's linear solves
    double seconds[2];
    int32_t failures; // of both sides
} contact_step;

static void read_duel(const pli_s1_duel *duel, contact_step *step)
{
    for (int side = 0; side < 2; ++side) {
        const pli_step_report *report = &duel->reports[side];
        step->iterations[side] =
            (double)report->linear_iterations / (report->iterations > 0 ? report->iterations : 1);
        step->seconds[side] = report->seconds;
        step->failures += report->stop <= 0;
    }
}

static pli_status run_decade(pli_bench *bench, double young, contact_step *step)
{
    char stiffness[64];
    bool contact = false;
    pli_s1_pair pair;
    pli_s1_duel duel;
    pli_s1_pair_def def = {.scene = "s1/basketball",
                           .overrides = {stiffness},
                           .solvers = {PLI_S1_ITERATIVE, PLI_S1_OURS}};
    *step = (contact_step){0};
    if (pli_bench_is_paper_size(bench))
        def.overrides[1] = "bodies.ball.geometry.fill.vertices=61000";
    snprintf(stiffness, sizeof stiffness, "materials.rubber.young=%g", young);
    PLI_TRY(pli_s1_pair_init(&pair, bench, &def));
    pli_status status = pli_s1_pair_find_contact(&pair, CONTACT_LIMIT, &contact);
    if (status == PLI_OK) status = pli_s1_pair_duel(&pair, &duel);
    pli_s1_pair_clear(&pair);
    if (status != PLI_OK) return status;
    read_duel(&duel, step);
    pli_bench_note(bench,
                   "E %.0e Pa, step %d%s: %s %d solves, %.0f iterations each, %.2f s; ours %d, "
                   "%.0f, %.2f s; apart %.1e",
                   young, (int)duel.reports[0].step, contact ? "" : " (no contact)",
                   PLI_S1_ITERATIVE, (int)duel.reports[0].iterations, step->iterations[0],
                   step->seconds[0], (int)duel.reports[1].iterations, step->iterations[1],
                   step->seconds[1], duel.error.largest);
    return PLI_OK;
}

// Largest over smallest number of iterations of one side.
static double spread(const contact_step *steps, int side)
{
    double low = INFINITY;
    double high = 0;
    for (int k = 0; k < DECADES; ++k) {
        low = fmin(low, steps[k].iterations[side]);
        high = fmax(high, steps[k].iterations[side]);
    }
    return high / fmax(1, low);
}

pli_status pli_bench_s1_stiffness(pli_bench *bench)
{
    contact_step steps[DECADES];
    int32_t failures = 0;
    for (int k = 0; k < DECADES; ++k) {
        PLI_TRY(run_decade(bench, pow(10, 6 + k), &steps[k]));
        failures += steps[k].failures;
    }
    const contact_step *stiffest = &steps[DECADES - 1];
    pli_claim claims[] = {
        {"Q1-2", "step of first contact at 1e10 Pa: speed over " PLI_S1_ITERATIVE, "40",
         stiffest->seconds[0] / stiffest->seconds[1], "x", 10, INFINITY},
        {"Q1-3", "iterations of ours, most over fewest, 1e6 to 1e10 Pa", "2", spread(steps, 1), "x",
         0, 2.5},
        {"Q1-3", "iterations of " PLI_S1_ITERATIVE ", 1e10 over 1e6 Pa", "100",
         stiffest->iterations[0] / fmax(1, steps[0].iterations[0]), "x", 10, INFINITY},
        {"Q1-3", "steps that did not converge", "0", failures, "", 0, 0},
    };
    for (size_t k = 0; k < sizeof claims / sizeof *claims; ++k) pli_bench_claim(bench, &claims[k]);
    return PLI_OK;
}
