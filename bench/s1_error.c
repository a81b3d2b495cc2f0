// SPDX-License-Identifier: Apache-2.0
//
// steps with contact from states of a reference run, taken by the reference
// and by ours; how far apart the vertices end, over the scene's diagonal (figure 13).
//
// A step may have several solutions: the tip of a tendril can slip to either side. Where a second
// solver in the full space ends elsewhere than the reference, an error of ours tells nothing; such
// steps are told but not judged.
#include "s1.h"
#include "s1_pair.h"

#include "base/context.h"
#include "base/timers.h"

#include <math.h>
#include <stdio.h>

enum { CONTACT_LIMIT = 40 };

typedef struct error_row {
    const char *scene;
    const char *paper_size; // override
    int32_t steps;          // from the first one with contact
    const char *paper;
} error_row;

static const error_row rows[] = {
    {"contact/lattice-ball", "bodies.ball.geometry.fill.vertices=61000", 4, "<= 0.01"},
    {"contact/koosh", "bodies.koosh.geometry.fill.vertices=150000", 4, "0.01"},
    {"mixed/shoe", "bodies.shoe.geometry.fill.vertices=200000", 4, "<= 0.01"},
};

enum { ROWS = sizeof rows / sizeof *rows };

// A second solver in the full space, apart from the reference by more than this: no one solution.
static const double ambiguous = 1e-3;

// What came of the steps of a row.
typedef struct row_error {
    int32_t steps;
    int32_t judged;
    double worst; // of those
    int32_t failures;
} row_error;

// One step of all three from the same state.
static pli_status fight_once(pli_bench *bench, pli_s1_pair *pair, pli_bench_scene *witness,
                             const error_row *row, row_error *result)
{
    pli_s1_duel duel;
    pli_step_report seen;
    PLI_TRY(pli_state_copy(pair->sides[0].state, witness->state));
    PLI_TRY(pli_s1_pair_duel(pair, &duel));
    PLI_TRY(pli_solver_step(witness->solver, witness->state, &seen));
    double doubt = pli_s1_error_measure(&pair->sides[0], witness).largest;
    ++result->steps;
    result->failures += (duel.reports[0].stop <= 0) + (duel.reports[1].stop <= 0);
    if (doubt <= ambiguous) {
        ++result->judged;
        result->worst = fmax(result->worst, duel.error.largest);
    }
    pli_bench_note(bench,
                   "%s, step %d: %d contacts, ours %.2e of the diagonal apart at vertex %d, %s "
                   "%.1e%s",
                   row->scene, (int)duel.reports[0].step, (int)duel.reports[0].contacts,
                   duel.error.largest, (int)duel.error.vertex, PLI_S1_ITERATIVE, doubt,
                   doubt <= ambiguous ? "" : " (several solutions)");
    return PLI_OK;
}

// Until the steps are done or the time is over.
static pli_status fight(pli_bench *bench, pli_s1_pair *pair, pli_bench_scene *witness,
                        const error_row *row, row_error *result)
{
    double deadline = pli_clock_seconds() + (pli_bench_is_paper_size(bench) ? 7200 : 50);
    bool contact = false;
    PLI_TRY(pli_s1_pair_find_contact(pair, CONTACT_LIMIT, &contact));
    for (int32_t k = 0; k < row->steps; ++k) {
        if (k > 0 && pli_clock_seconds() > deadline) break;
        PLI_TRY(fight_once(bench, pair, witness, row, result));
    }
    return PLI_OK;
}

static void claim_row(pli_bench *bench, const error_row *row, const row_error *result)
{
    char what[96];
    snprintf(what, sizeof what, "%s: largest error of a step, of %d", row->scene,
             (int)result->judged);
    pli_bench_claim(bench, &(pli_claim){"Q1-4", what, row->paper,
                                        result->judged > 0 ? result->worst : NAN, "", 0, 0.01});
    snprintf(what, sizeof what, "%s: steps that did not converge", row->scene);
    pli_bench_claim(bench, &(pli_claim){"Q1-4", what, "0", result->failures, "", 0, 0});
}

static pli_status run_row(pli_bench *bench, const error_row *row)
{
    pli_s1_pair pair;
    pli_bench_scene witness;
    row_error result = {0};
    pli_s1_pair_def def = {.scene = row->scene, .solvers = {PLI_S1_DIRECT, PLI_S1_OURS}};
    if (pli_bench_is_paper_size(bench)) def.overrides[0] = row->paper_size;
    const char *overrides[] = {"solver={name: " PLI_S1_ITERATIVE "}", def.overrides[0], NULL};
    PLI_TRY(pli_s1_pair_init(&pair, bench, &def));
    pli_status status = pli_bench_scene_init(&witness, bench, row->scene, overrides);
    if (status == PLI_OK) {
        status = fight(bench, &pair, &witness, row, &result);
        pli_bench_scene_clear(&witness);
    }
    pli_s1_pair_clear(&pair);
    if (status == PLI_OK) claim_row(bench, row, &result);
    return status;
}

pli_status pli_bench_s1_error(pli_bench *bench)
{
    for (int32_t k = 0; k < ROWS; ++k) PLI_TRY(run_row(bench, &rows[k]));
    return PLI_OK;
}
