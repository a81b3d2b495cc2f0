// SPDX-License-Identifier: Apache-2.0
//
// SC1-10, SC1-11, SC1-12: steps with contact from states of a reference run, taken by the reference
// and by ours; how far apart the vertices end, over the scene's diagonal (figure 13, D7).
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
    {"s1/basketball", "bodies.ball.geometry.fill.vertices=61000", 4, "<= 0.01"},
    {"s1/koosh", "bodies.koosh.geometry.fill.vertices=150000", 4, "0.01"},
    {"s1/shoe", "bodies.shoe.geometry.fill.vertices=200000", 4, "<= 0.01"},
};

enum { ROWS = sizeof rows / sizeof *rows };

// What came of the steps of a row.
typedef struct row_error {
    int32_t steps;
    double worst;
    int32_t failures;
} row_error;

// Duels until the steps are done or the time is over.
static pli_status fight(pli_bench *bench, pli_s1_pair *pair, const error_row *row, double deadline,
                        row_error *result)
{
    bool contact = false;
    *result = (row_error){0};
    PLI_TRY(pli_s1_pair_find_contact(pair, CONTACT_LIMIT, &contact));
    for (int32_t k = 0; k < row->steps; ++k) {
        pli_s1_duel duel;
        if (k > 0 && pli_clock_seconds() > deadline) break;
        PLI_TRY(pli_s1_pair_duel(pair, &duel));
        ++result->steps;
        result->worst = fmax(result->worst, duel.error);
        result->failures += (duel.reports[0].stop <= 0) + (duel.reports[1].stop <= 0);
        pli_bench_note(bench, "%s, step %d: %d contacts, apart %.2e of the diagonal at vertex %d",
                       row->scene, (int)duel.reports[0].step, (int)duel.reports[0].contacts,
                       duel.error, (int)duel.vertex);
    }
    return PLI_OK;
}

static pli_status run_row(pli_bench *bench, const error_row *row)
{
    char what[96];
    pli_s1_pair pair;
    row_error result;
    bool paper_size = pli_bench_is_paper_size(bench);
    double deadline = pli_clock_seconds() + (paper_size ? 7200 : 50);
    pli_s1_pair_def def = {.scene = row->scene, .solvers = {PLI_S1_DIRECT, PLI_S1_OURS}};
    if (paper_size) def.overrides[0] = row->paper_size;
    PLI_TRY(pli_s1_pair_init(&pair, bench, &def));
    pli_status status = fight(bench, &pair, row, deadline, &result);
    pli_s1_pair_clear(&pair);
    if (status != PLI_OK) return status;
    snprintf(what, sizeof what, "%s: largest error of a step, of %d", row->scene,
             (int)result.steps);
    pli_bench_claim(bench, &(pli_claim){"Q1-4", what, row->paper, result.worst, "", 0, 0.01});
    snprintf(what, sizeof what, "%s: steps that did not converge", row->scene);
    pli_bench_claim(bench, &(pli_claim){"Q1-4", what, "0", result.failures, "", 0, 0});
    return PLI_OK;
}

pli_status pli_bench_s1_error(pli_bench *bench)
{
    for (int32_t k = 0; k < ROWS; ++k) PLI_TRY(run_row(bench, &rows[k]));
    return PLI_OK;
}
