// SPDX-License-Identifier: Apache-2.0
//
// The linear system M/h^2 + K of a bar, 1 x 0.35 x 0.35 m, that is clamped at one end: Kuhn
// tetrahedra, linear elasticity, lumped mass, gravity as load.
#ifndef PLI_BENCH_S2_BAR_H
#define PLI_BENCH_S2_BAR_H

#include "bench.h"

#include "base/arena.h"
#include "geometry/mesh/tet_mesh.h"
#include "linear/krylov/krylov.h"
#include "linear/matrix/bcsr.h"
#include "linear/multigrid/multigrid.h"
#include "multilevel/skinning.h"

// Where the stiff matter is; the clamp is in soft matter.
typedef enum pli_bar_matter {
    PLI_BAR_QUARTERS, // every other quarter of the length
    PLI_BAR_SLABS,    // every other eighth of the length
    PLI_BAR_CHECKER   // every other cube of 6 cells
} pli_bar_matter;

typedef struct pli_bar_def {
    int32_t cells[3];
    double young;    // of soft matter (Pa)
    double contrast; // stiff matter is so much stiffer; 1: all is the same
    pli_bar_matter matter;
} pli_bar_def;

typedef struct pli_bar {
    pli_context *context;
    pli_arena *arena;
    pli_tet_mesh *mesh;
    pli_bcsr *matrix;  // clamped vertices are unit rows
    uint8_t *mask;     // [vertex_count] 7: clamped
    double *young;     // [tet_count] Pa
    double *stiffness; // [vertex_count] largest of the tetrahedra around (Pa)
    int32_t *piece;    // [vertex_count] of matter
    double *b;         // [vertex_count][3] weight (N), zero where clamped
    double *x;         // [vertex_count][3] solution
} pli_bar;

// On failure nothing is left to clear.
pli_status pli_bar_init(pli_bar *bar, pli_context *context, const pli_bar_def *def);
void pli_bar_clear(pli_bar *bar);

// The values of a multigrid over the bar's matrix. Errors: numeric (a coarse matrix is not
// definite).
pli_status pli_bar_build_multigrid(const pli_bar *bar, pli_multigrid *multigrid);

// Conjugate gradients with the multigrid as preconditioner, from x = 0.
pli_status pli_bar_solve(const pli_bar *bar, const pli_multigrid *multigrid, double tolerance,
                         int32_t max_iterations, pli_krylov_report *report);

// |b - A x| / |b|
double pli_bar_residual(const pli_bar *bar);

// The skinning hierarchy with levels chosen by size; with sampling by matter or without.
pli_status pli_bar_hierarchy(const pli_bar *bar, bool by_matter, pli_skinning_weights weights,
                             pli_hierarchy **hierarchy);

#endif
