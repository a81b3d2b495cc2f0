// SPDX-License-Identifier: Apache-2.0
#include "s1_pair.h"

#include "base/context.h"
#include "base/timers.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

static int32_t append_all(const char *const *from, const char **to, int32_t count)
{
    for (int32_t k = 0; from[k] != NULL; ++k) to[count++] = from[k];
    return count;
}

static pli_status init_side(pli_s1_pair *pair, pli_bench *bench, const pli_s1_pair_def *def,
                            int side)
{
    char solver[64];
    const char *all[2 * PLI_S1_OVERRIDES + 3] = {solver};
    int32_t count = 1;
    if (side == 0) all[count++] = "solver.tolerance=0"; // that of the scene is meant for ours
    count = append_all(def->overrides, all, count);
    append_all(def->own[side], all, count);
    snprintf(solver, sizeof solver, "solver.name=%s", def->solvers[side]);
    double start = pli_clock_seconds();
    PLI_TRY(pli_bench_scene_init(&pair->sides[side], bench, def->scene, all));
    pair->setup_seconds[side] = pli_clock_seconds() - start;
    return PLI_OK;
}

pli_status pli_s1_pair_init(pli_s1_pair *pair, pli_bench *bench, const pli_s1_pair_def *def)
{
    *pair = (pli_s1_pair){0};
    pli_status status = init_side(pair, bench, def, 0);
    if (status == PLI_OK) status = init_side(pair, bench, def, 1);
    if (status == PLI_OK) status = pli_state_create(pair->sides[0].model, &pair->before);
    if (status != PLI_OK) pli_s1_pair_clear(pair);
    return status;
}

void pli_s1_pair_clear(pli_s1_pair *pair)
{
    pli_state_destroy(pair->before);
    for (int side = 0; side < 2; ++side) pli_bench_scene_clear(&pair->sides[side]);
    *pair = (pli_s1_pair){0};
}

pli_status pli_s1_pair_find_contact(pli_s1_pair *pair, int32_t limit, bool *contact)
{
    pli_bench_scene *first = &pair->sides[0];
    *contact = false;
    for (int32_t k = 0; k < limit && !*contact; ++k) {
        pli_step_report report;
        PLI_TRY(pli_state_copy(first->state, pair->before));
        PLI_TRY(pli_solver_step(first->solver, first->state, &report));
        *contact = report.contacts > 0;
    }
    if (*contact) PLI_TRY(pli_state_copy(pair->before, first->state));
    return PLI_OK;
}

// ---- races

pli_status pli_s1_pair_race(pli_s1_pair *pair, int32_t steps, double patience,
                            pli_bench_tally tallies[2])
{
    for (int side = 0; side < 2; ++side) {
        tallies[side] = (pli_bench_tally){.least_J = INFINITY, .min_gap = INFINITY};
    }
    PLI_TRY(pli_state_copy(pair->sides[0].state, pair->sides[1].state));
    for (int32_t k = 0; k < steps; ++k) {
        if (tallies[0].seconds + tallies[1].seconds > patience) {
            tallies[0].unfinished = tallies[1].unfinished = true;
            return PLI_OK;
        }
        for (int side = 0; side < 2; ++side) {
            pli_bench_tally step;
            PLI_TRY(pli_bench_scene_steps(&pair->sides[side], 1, false, &step));
            pli_bench_tally_add(&step, &tallies[side]);
        }
    }
    return PLI_OK;
}

// ---- duels

pli_s1_error pli_s1_error_measure(const pli_bench_scene *a, const pli_bench_scene *b)
{
    const double *x = pli_state_get(a->state).positions;
    const double *y = pli_state_get(b->state).positions;
    double squares = 0;
    pli_s1_error error = {0};
    for (int32_t i = 0; i < a->info.vertex_count; ++i) {
        double distance = pli_vec3_distance(x + 3 * (int64_t)i, y + 3 * (int64_t)i) / a->info.size;
        squares += distance * distance;
        if (distance <= error.largest) continue;
        error.largest = distance;
        error.vertex = i;
    }
    error.mean = sqrt(squares / a->info.vertex_count);
    return error;
}

pli_status pli_s1_pair_duel(pli_s1_pair *pair, pli_s1_duel *duel)
{
    *duel = (pli_s1_duel){0};
    PLI_TRY(pli_state_copy(pair->sides[0].state, pair->before));
    PLI_TRY(pli_state_copy(pair->sides[0].state, pair->sides[1].state));
    for (int side = 0; side < 2; ++side) {
        pli_bench_scene *s = &pair->sides[side];
        PLI_TRY(pli_solver_step(s->solver, s->state, &duel->reports[side]));
        duel->reports[side].pairs = NULL;
        duel->reports[side].pair_count = 0;
    }
    duel->error = pli_s1_error_measure(&pair->sides[0], &pair->sides[1]);
    PLI_TRY(pli_state_copy(pair->sides[0].state, pair->sides[1].state));
    return PLI_OK;
}
