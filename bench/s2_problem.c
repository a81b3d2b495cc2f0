// SPDX-License-Identifier: Apache-2.0
#include "s2_problem.h"

#include "base/memory.h"
#include "linear/matrix/vector.h"
#include "multilevel/skinning.h"
#include "sim/step/mesh_stepper.h"

#include <stdio.h>
#include <string.h>

#define CREATURE_SIZE(count) "bodies.creature.geometry.fill.vertices=" #count

const pli_s2_row pli_s2_creatures[PLI_S2_CREATURES] = {
    {"rubber/creature", CREATURE_SIZE(1250), "1241/3581", 1, {10}, "direct/GS(3)", 1, "303.0", 0},
    {"rubber/creature", CREATURE_SIZE(6654), "6654/20751", 1, {25}, "direct/GS(3)", 1, "232.6", 0},
    {"rubber/creature",
     CREATURE_SIZE(14779),
     "14779/54855",
     1,
     {50},
     "direct/GS(3)",
     1,
     "181.8",
     0},
    {"rubber/creature", NULL, "50736/163779", 2, {25, 500}, "direct/GS(3)/GS(3)", 1, "86.2", 60},
    {"rubber/creature",
     CREATURE_SIZE(95587),
     "95587/306957",
     2,
     {50, 1000},
     "direct/GS(3)/GS(3)",
     1,
     "55.2",
     0},
    {"rubber/creature",
     CREATURE_SIZE(126966),
     "126966/405899",
     3,
     {25, 300, 2000},
     "direct/GS(3)/GS(3)/GS(3)",
     1,
     "41.0",
     0},
};
const pli_s2_row pli_s2_cloth = {"cloth/projective",       NULL, "40401/240000", 3, {25, 100, 1000},
                                 "direct/J(10)/J(5)/J(5)", 4,    "74.8",         40};
const pli_s2_row pli_s2_dragon = {"rubber/dragon",      NULL, "200094/676675", 2, {50, 1000},
                                  "direct/GS(2)/GS(2)", 1,    "39.4",          20};
const pli_s2_row pli_s2_octopus = {"rubber/octopus",     NULL, "39223/112145", 2, {100, 1000},
                                   "direct/GS(2)/GS(2)", 3,    "43.2",         0};

// ---- scenes

static void write_levels(const pli_s2_row *row, int room, char *text)
{
    int used = snprintf(text, (size_t)room, "solver.multigrid.levels=[");
    for (int32_t k = 0; k < row->level_count && used < room; ++k) {
        used += snprintf(text + used, (size_t)(room - used), "%s%d", k > 0 ? ", " : "",
                         (int)row->levels[k]);
    }
    if (used < room) snprintf(text + used, (size_t)(room - used), "]");
}

pli_status pli_s2_scene_init(pli_bench_scene *scene, pli_bench *bench, const pli_s2_row *row,
                             const char *const *more)
{
    enum { ROOM = 16 };
    char levels[96];
    char smoothers[96];
    char iterations[64];
    const char *overrides[ROOM] = {"solver.name=pd-multigrid", iterations};
    int32_t count = 2;
    if (row->level_count > 0) {
        write_levels(row, sizeof levels, levels);
        snprintf(smoothers, sizeof smoothers, "solver.multigrid.smoothers=%s", row->smoothers);
        overrides[count++] = levels;
        overrides[count++] = smoothers;
    }
    snprintf(iterations, sizeof iterations, "solver.fixed_iterations=%d", (int)row->iterations);
    if (row->size != NULL) overrides[count++] = row->size;
    for (int32_t k = 0; more != NULL && more[k] != NULL && count + 1 < ROOM; ++k) {
        overrides[count++] = more[k];
    }
    return pli_bench_scene_init(scene, bench, row->name, overrides);
}

// ---- the problem

static pli_status allocate(pli_s2_problem *p)
{
    p->size = 3 * (int64_t)p->scene.model->vertex_count;
    p->before = PLI_NEW(p->context, double, p->size, "positions");
    p->velocity = PLI_NEW(p->context, double, p->size, "velocities");
    p->start = PLI_NEW(p->context, double, p->size, "start");
    p->b = PLI_NEW(p->context, double, p->size, "right-hand side");
    bool complete = p->before != NULL && p->velocity != NULL && p->start != NULL && p->b != NULL;
    return complete ? pli_arena_create(p->context, 1 << 20, &p->arena) : PLI_ERROR_MEMORY;
}

pli_status pli_s2_problem_advance(pli_s2_problem *p, int32_t frames)
{
    pli_bench_tally tally;
    PLI_TRY(pli_bench_scene_steps(&p->scene, frames, false, &tally));
    size_t bytes = (size_t)p->size * sizeof(double);
    memcpy(p->before, pli_state_get(p->scene.state).positions, bytes);
    memcpy(p->velocity, pli_state_get(p->scene.state).velocities, bytes);
    // the solver's terms are those of this step until the next
    PLI_TRY(pli_bench_scene_steps(&p->scene, 1, false, &tally));
    for (int64_t k = 0; k < p->size; ++k) {
        p->start[k] = p->before[k] + p->scene.model->dt * p->velocity[k];
    }
    pli_objective_compute_gradient(&pli_solver_meshes(p->scene.solver)->objective, p->start, p->b);
    pli_vector_scale(p->context, p->size, -1, p->b);
    return PLI_OK;
}

pli_status pli_s2_problem_multigrid_def(const pli_s2_problem *p, const pli_hierarchy *hierarchy,
                                        pli_vcycle_def *def)
{
    PLI_TRY(pli_multigrid_parse(p->context, p->row->smoothers, hierarchy->level_count + 1, def));
    def->single = true;
    return PLI_OK;
}

// One iteration, after which the matrix has its blocks.
static pli_status make_global(pli_s2_problem *p)
{
    pli_local_global_def def = {.max_iterations = 1, .fixed_iterations = 1};
    def.line_search.kind = PLI_SEARCH_NONE;
    def.linear = (pli_lifted_solver_def){.kind = PLI_LIFTED_JACOBI, .iterations = 1};
    pli_objective *objective = &pli_solver_meshes(p->scene.solver)->objective;
    PLI_TRY(pli_local_global_create(p->context, &def, objective, &p->global));
    const pli_minimizer minimizer = pli_local_global_minimizer(p->global);
    PLI_TRY(pli_minimizer_begin_step(&minimizer, 1));
    pli_minimize_env env = {.timers = &p->timers, .scratch = p->arena};
    pli_minimize_report report;
    pli_arena_mark mark = pli_arena_begin(p->arena);
    double *x = pli_arena_doubles(p->arena, p->size, "iterate");
    pli_status status = PLI_ERROR_MEMORY;
    if (x != NULL) {
        pli_vector_copy(p->context, p->size, p->start, x);
        status = pli_minimizer_minimize(&minimizer, &env, x, &report);
    }
    pli_arena_end(p->arena, mark);
    return status;
}

static pli_status fill_problem(pli_s2_problem *p, int32_t frames)
{
    PLI_TRY(allocate(p));
    PLI_TRY(pli_s2_problem_advance(p, frames));
    PLI_TRY(make_global(p));
    return pli_s2_problem_hierarchy(p, p->row->level_count, p->row->levels, 12, false,
                                    &p->hierarchy);
}

pli_status pli_s2_problem_init(pli_s2_problem *p, pli_bench *bench, const pli_s2_row *row,
                               const char *const *more, int32_t frames)
{
    *p = (pli_s2_problem){.context = pli_bench_context(bench), .row = row};
    PLI_TRY(pli_s2_scene_init(&p->scene, bench, row, more));
    pli_status status = fill_problem(p, frames);
    if (status != PLI_OK) pli_s2_problem_clear(p);
    return status;
}

void pli_s2_problem_clear(pli_s2_problem *p)
{
    pli_hierarchy_destroy(p->hierarchy);
    pli_local_global_destroy(p->global);
    pli_arena_destroy(p->arena);
    pli_release(p->context, p->b);
    pli_release(p->context, p->start);
    pli_release(p->context, p->velocity);
    pli_release(p->context, p->before);
    pli_bench_scene_clear(&p->scene);
    *p = (pli_s2_problem){0};
}

pli_status pli_s2_problem_hierarchy(const pli_s2_problem *p, int32_t level_count,
                                    const int32_t *levels, int32_t dofs, bool smooth,
                                    pli_hierarchy **hierarchy)
{
    const pli_model *model = p->scene.model;
    pli_skinning_def def = {.graph = pli_lifted_graph(pli_local_global_matrix(p->global)),
                            .positions = model->rest,
                            .dofs = dofs,
                            .level_count = level_count,
                            .weights = smooth ? PLI_SKINNING_SMOOTH : PLI_SKINNING_CONSTANT,
                            .corner_count = 4,
                            .element_count = model->tet_count,
                            .elements = model->tets};
    for (int32_t k = 0; k < level_count; ++k) def.node_counts[level_count - 1 - k] = levels[k];
    return pli_skinning_create(p->context, &def, hierarchy);
}

pli_status pli_s2_problem_blocks(const pli_s2_problem *p, pli_bcsr **matrix)
{
    const pli_lifted *S = pli_local_global_matrix(p->global);
    PLI_TRY(pli_bcsr_create_from_rows(p->context, S->row_count, S->row_start, S->column, matrix));
    for (int64_t slot = 0; slot < S->entry_count; ++slot) {
        double *block = (*matrix)->values + 9 * slot;
        block[0] = block[4] = block[8] = S->values[slot];
    }
    for (int32_t k = 0; k < S->block_count; ++k) {
        double *block = (*matrix)->values + 9 * S->diagonal[S->block_row[k]];
        for (int i = 0; i < 9; ++i) block[i] += S->blocks[9 * (int64_t)k + i];
    }
    return PLI_OK;
}
