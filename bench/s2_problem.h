// SPDX-License-Identifier: Apache-2.0
//
// One step of a scene as a problem to be solved again and again: the function that the step
// minimises, where it starts, and its matrix of projective dynamics.
#ifndef PLI_BENCH_S2_PROBLEM_H
#define PLI_BENCH_S2_PROBLEM_H

#include "scene_run.h"

#include "linear/multigrid/hierarchy.h"
#include "optimize/local_global.h"

enum { PLI_S2_LEVELS = 3 };

// A row of table 1 of the paper.
typedef struct pli_s2_row {
    const char *name;    // of the shipped scene, "rubber/creature"
    const char *size;    // override that sets the number of vertices; NULL: the scene's own
    const char *paper;   // vertices/elements of the paper's mesh
    int32_t level_count; // coarse ones; 0: levels and smoothers as the program chooses them
    int32_t levels[PLI_S2_LEVELS]; // nodes, coarsest first
    const char *smoothers;         // coarsest first
    int32_t iterations;            // per frame
    const char *paper_fps;
    double bar_fps; // what ours must reach; 0: reported only
} pli_s2_row;

enum { PLI_S2_CREATURES = 6 };

extern const pli_s2_row pli_s2_creatures[PLI_S2_CREATURES];
extern const pli_s2_row pli_s2_cloth;
extern const pli_s2_row pli_s2_dragon;
extern const pli_s2_row pli_s2_octopus;

// A scene of the table, set up as its row says. more [ends with NULL, at most 4] are further
// overrides, later ones win; NULL: none.
pli_status pli_s2_scene_init(pli_bench_scene *scene, pli_bench *bench, const pli_s2_row *row,
                             const char *const *more);

typedef struct pli_s2_problem {
    pli_bench_scene scene; // its solver's terms are those of the step
    pli_context *context;
    pli_arena *arena;
    pli_timers timers; // of minimisations
    const pli_s2_row *row;
    int64_t size;             // 3 vertices
    double *before;           // [size] positions before the step (m)
    double *velocity;         // [size] velocities before the step (m/s)
    double *start;            // [size] where the step starts, x + h v (m)
    double *b;                // [size] minus the gradient there (N)
    pli_hierarchy *hierarchy; // of the row's levels, affine, piecewise constant
    pli_local_global *global; // made one iteration: its matrix has the blocks at the start
} pli_s2_problem;

// Goes on for so many frames and takes the step after them. On failure nothing is left to clear.
pli_status pli_s2_problem_init(pli_s2_problem *problem, pli_bench *bench, const pli_s2_row *row,
                               const char *const *more, int32_t frames);
void pli_s2_problem_clear(pli_s2_problem *problem);

// Goes on in the same way from where it is: another step of the same scene.
pli_status pli_s2_problem_advance(pli_s2_problem *problem, int32_t frames);

// Multigrid as the row says, in the given hierarchy.
pli_status pli_s2_problem_multigrid_def(const pli_s2_problem *problem,
                                        const pli_hierarchy *hierarchy, pli_vcycle_def *def);

// A hierarchy of other kinds: node counts coarsest first.
pli_status pli_s2_problem_hierarchy(const pli_s2_problem *problem, int32_t level_count,
                                    const int32_t *levels, int32_t dofs, bool smooth,
                                    pli_hierarchy **hierarchy);

// The matrix as 3x3 blocks.
pli_status pli_s2_problem_blocks(const pli_s2_problem *problem, pli_bcsr **matrix);

#endif
