// SPDX-License-Identifier: Apache-2.0
//
// the step in which a lattice ball first touches the ground, over stiffness from 1e6 to
// 1e10 Pa (figure 14): iterations of conjugate gradients and seconds, with a full-space Newton
// method and with ours, from the same state. At 1e10 Pa, whose time is a claim, both take the step
// several times by turns, and the median of the ratios of their times counts, so that a moment when
// the machine is busy does not decide.
#include "s1.h"
#include "s1_pair.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DECADES = 5, CONTACT_LIMIT = 40, REPEATS = 5 };

typedef struct contact_step {
    double iterations[2]; // of conjugate gradients, mean of the step's linear solves
    double seconds[2];    // medians
    double speed;         // of ours over the rival: median of the repeats
    double slowest;       // of them
    double fastest;
    int32_t failures; // of both sides
} contact_step;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts and returns the middle.
static double sort(int count, double *values)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

// Every repeat takes the same way, so that only times differ.
static void read_duels(int count, const pli_s1_duel *duels, contact_step *step)
{
    double speeds[REPEATS], seconds[2][REPEATS];
    for (int k = 0; k < count; ++k) {
        for (int side = 0; side < 2; ++side) seconds[side][k] = duels[k].reports[side].seconds;
        speeds[k] = seconds[0][k] / seconds[1][k];
    }
    for (int side = 0; side < 2; ++side) {
        const pli_step_report *report = &duels[0].reports[side];
        step->iterations[side] =
            (double)report->linear_iterations / (report->iterations > 0 ? report->iterations : 1);
        step->seconds[side] = sort(count, seconds[side]);
        step->failures += report->stop <= 0;
    }
    step->speed = sort(count, speeds);
    step->slowest = speeds[0];
    step->fastest = speeds[count - 1];
}

// The next step again and again, each time from the state before it.
static pli_status repeat_duel(pli_s1_pair *pair, int count, pli_s1_duel *duels)
{
    for (int k = 0; k < count; ++k) {
        if (k > 0) PLI_TRY(pli_state_copy(pair->before, pair->sides[0].state));
        PLI_TRY(pli_s1_pair_duel(pair, &duels[k]));
    }
    return PLI_OK;
}

static pli_status run_decade(pli_bench *bench, double young, int repeats, contact_step *step)
{
    char stiffness[64];
    bool contact = false;
    pli_s1_pair pair;
    pli_s1_duel duels[REPEATS];
    pli_s1_pair_def def = {.scene = "contact/lattice-ball",
                           .overrides = {stiffness},
                           .solvers = {PLI_S1_ITERATIVE, PLI_S1_OURS}};
    *step = (contact_step){0};
    if (pli_bench_is_paper_size(bench))
        def.overrides[1] = "bodies.ball.geometry.fill.vertices=61000";
    snprintf(stiffness, sizeof stiffness, "materials.rubber.young=%g", young);
    PLI_TRY(pli_s1_pair_init(&pair, bench, &def));
    pli_status status = pli_s1_pair_find_contact(&pair, CONTACT_LIMIT, &contact);
    if (status == PLI_OK) status = repeat_duel(&pair, repeats, duels);
    pli_s1_pair_clear(&pair);
    if (status != PLI_OK) return status;
    read_duels(repeats, duels, step);
    const pli_s1_duel *first = &duels[0];
    pli_bench_note(bench,
                   "E %.0e Pa, step %d%s: %s %d solves, %.0f iterations each, %.2f s; ours %d, "
                   "%.0f, %.2f s; apart %.1e; %.1f x as fast, from %.1f to %.1f (%d x)",
                   young, (int)first->reports[0].step, contact ? "" : " (no contact)",
                   PLI_S1_ITERATIVE, (int)first->reports[0].iterations, step->iterations[0],
                   step->seconds[0], (int)first->reports[1].iterations, step->iterations[1],
                   step->seconds[1], first->error.largest, step->speed, step->slowest,
                   step->fastest, repeats);
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
        PLI_TRY(run_decade(bench, pow(10, 6 + k), k == DECADES - 1 ? REPEATS : 1, &steps[k]));
        failures += steps[k].failures;
    }
    const contact_step *stiffest = &steps[DECADES - 1];
    pli_claim claims[] = {
        {"Q1-2", "step of first contact at 1e10 Pa: speed over " PLI_S1_ITERATIVE, "40",
         stiffest->speed, "x", 10, INFINITY},
        {"Q1-3", "iterations of ours, most over fewest, 1e6 to 1e10 Pa", "2", spread(steps, 1), "x",
         0, 2.5},
        {"Q1-3", "iterations of " PLI_S1_ITERATIVE ", 1e10 over 1e6 Pa", "100",
         stiffest->iterations[0] / fmax(1, steps[0].iterations[0]), "x", 10, INFINITY},
        {"Q1-3", "steps that did not converge", "0", failures, "", 0, 0},
    };
    for (size_t k = 0; k < sizeof claims / sizeof *claims; ++k) pli_bench_claim(bench, &claims[k]);
    return PLI_OK;
}
