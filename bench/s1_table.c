// SPDX-License-Identifier: Apache-2.0
//
// Tables 1 and 2 of Trusty et al. 2025: scenes with contact, seconds of a direct solver in the full
// space over seconds of ours for the same number of steps from the same state.
//
// The race begins with the first step that has contact, as in table 2, where the steps with the
// most complex contact are compared and early ones only, since the two ways part in the end.
#include "s1.h"
#include "s1_pair.h"

#include "base/context.h"

#include "sim/model/model.h"

#include <math.h>
#include <stdio.h>

enum { CONTACT_LIMIT = 40 }; // steps until contact

// A row of table 2; at paper size more vertices.
typedef struct table_row {
    const char *name;
    const char *scene;
    const char *paper_size[2]; // overrides, NULL: none
    const char *ours;          // override of our solver, NULL: none
    int32_t steps;
    const char *paper;
} table_row;

static const table_row rows[] = {
    {"hoop",
     "contact/lattice-hoop",
     {"bodies.ball.geometry.fill.vertices=58000", "bodies.hoop.geometry.fill.vertices=25000"},
     NULL,
     30,
     "11.91"},
    {"stressball",
     "mixed/stressball",
     {"bodies.ball.geometry.fill.vertices=100000", NULL},
     NULL,
     30,
     "7.64"},
    {"roller",
     "contact/foam-roller",
     {"bodies.roller.geometry.fill.vertices=50000", "bodies.ground.geometry.fill.vertices=60000"},
     NULL,
     50,
     "13.38"},
    {"koosh, 40 iterations",
     "contact/koosh",
     {"bodies.koosh.geometry.fill.vertices=150000", "solver.subspace.handles=400"},
     "solver.subspace.polish=40",
     30,
     "9.81"},
};

enum { ROWS = sizeof rows / sizeof *rows, KOOSH = ROWS - 1 };

// Seconds that a race may take, of both together.
static double patience(const pli_bench *bench)
{
    return pli_bench_is_paper_size(bench) ? 7200 : 50;
}

static pli_s1_pair_def describe(const pli_bench *bench, const table_row *row)
{
    pli_s1_pair_def def = {
        .scene = row->scene, .solvers = {PLI_S1_DIRECT, PLI_S1_OURS}, .own = {{NULL}, {row->ours}}};
    if (pli_bench_is_paper_size(bench)) {
        for (int k = 0; k < 2; ++k) def.overrides[k] = row->paper_size[k];
    }
    return def;
}

static void tell_sizes(pli_bench *bench, const table_row *row, const pli_s1_pair *pair)
{
    const pli_bench_scene *ours = &pair->sides[1];
    pli_bench_note(bench,
                   "%s: %d vertices, %d faces, %d tetrahedra, %d subspace unknowns; set-up %.2f s "
                   "with %s, %.2f s with %s",
                   row->name, (int)ours->info.vertex_count,
                   (int)ours->model->surface_triangle_count, (int)ours->info.tet_count,
                   12 * (int)ours->info.handle_count, pair->setup_seconds[0], PLI_S1_DIRECT,
                   pair->setup_seconds[1], PLI_S1_OURS);
}

static void tell_race(pli_bench *bench, const char *solver, const pli_bench_tally *tally)
{
    double solves = fmax(1, (double)tally->solves);
    pli_bench_note(bench,
                   "  %-8s %3d steps in %8.2f s, %6.1f solves a step, %8.1f linear iterations a "
                   "solve, %d not converged, smallest J %.3f%s",
                   solver, (int)tally->steps, tally->seconds, solves / fmax(1, tally->steps),
                   (double)tally->linear_iterations / solves, (int)tally->failures, tally->least_J,
                   tally->unfinished ? " (out of time)" : "");
}

static void claim_row(pli_bench *bench, const table_row *row, const pli_bench_tally tallies[2])
{
    char what[96];
    snprintf(what, sizeof what, "%s: speed over %s, %d steps", row->name, PLI_S1_DIRECT,
             (int)tallies[0].steps);
    pli_bench_claim(bench, &(pli_claim){"Q1-1", what, row->paper,
                                        tallies[0].seconds / tallies[1].seconds, "x", 7, INFINITY});
    snprintf(what, sizeof what, "%s: steps that did not converge, or inverted", row->name);
    int32_t bad = tallies[1].failures + tallies[1].max_inverted;
    pli_bench_claim(bench, &(pli_claim){"Q1-1", what, "0", bad, "", 0, 0});
}

static pli_status run_row(pli_bench *bench, const table_row *row, pli_bench_tally tallies[2])
{
    pli_s1_pair pair;
    bool contact = false;
    pli_s1_pair_def def = describe(bench, row);
    PLI_TRY(pli_s1_pair_init(&pair, bench, &def));
    tell_sizes(bench, row, &pair);
    pli_status status = pli_s1_pair_find_contact(&pair, CONTACT_LIMIT, &contact);
    if (status == PLI_OK) status = pli_s1_pair_race(&pair, row->steps, patience(bench), tallies);
    pli_s1_pair_clear(&pair);
    if (status != PLI_OK) return status;
    if (!contact) pli_bench_note(bench, "  no contact within %d steps", CONTACT_LIMIT);
    tell_race(bench, PLI_S1_DIRECT, &tallies[0]);
    tell_race(bench, PLI_S1_OURS, &tallies[1]);
    claim_row(bench, row, tallies);
    return PLI_OK;
}

// The row of table 2 with few iterations of the polish, raced against that with many: a direct
// solver takes half a minute a step there, and it is over many steps that the two part.
static pli_status race_polish(pli_bench *bench, double koosh_speed)
{
    const table_row *row = &rows[KOOSH];
    pli_bench_tally tallies[2];
    pli_s1_pair pair;
    bool contact = false;
    pli_s1_pair_def def = describe(bench, row);
    def.solvers[0] = PLI_S1_OURS;
    def.own[0][0] = "solver.subspace.polish=10";
    PLI_TRY(pli_s1_pair_init(&pair, bench, &def));
    pli_status status = pli_s1_pair_find_contact(&pair, CONTACT_LIMIT, &contact);
    if (status == PLI_OK) status = pli_s1_pair_race(&pair, row->steps, patience(bench), tallies);
    pli_s1_pair_clear(&pair);
    if (status != PLI_OK) return status;
    tell_race(bench, "polish 10", &tallies[0]);
    tell_race(bench, "polish 40", &tallies[1]);
    double ratio = tallies[0].seconds / tallies[1].seconds;
    pli_bench_claim(bench, &(pli_claim){"Q1-1", "koosh: time with 10 iterations over that with 40",
                                        "3.81", ratio, "x", 1, INFINITY});
    pli_bench_claim(
        bench, &(pli_claim){"Q1-1", "koosh, 10 iterations: speed over " PLI_S1_DIRECT ", by both",
                            "2.57", koosh_speed / ratio, "x", NAN, NAN});
    return PLI_OK;
}

pli_status pli_bench_s1_table(pli_bench *bench)
{
    double speed = NAN;
    for (int32_t k = 0; k < ROWS; ++k) {
        pli_bench_tally tallies[2];
        PLI_TRY(run_row(bench, &rows[k], tallies));
        speed = tallies[0].seconds / tallies[1].seconds;
    }
    return race_polish(bench, speed);
}
