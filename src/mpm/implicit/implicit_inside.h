// SPDX-License-Identifier: Apache-2.0
//
// Inside of implicit.h: material of a run of cells.
#ifndef PLI_MPM_IMPLICIT_IMPLICIT_INSIDE_H
#define PLI_MPM_IMPLICIT_IMPLICIT_INSIDE_H

#include "mpm/implicit/cloud_inside.h"
#include "mpm/implicit/implicit.h"

enum {
    PLI_TANGENT_SIZE = 45,
    // slots that are evaluated at once; a cell that has more is taken apart
    PLI_EVALUATION_SLOTS = PLI_IMPLICIT_CHUNK,
    // laws work on whole blocks of points: planes have room for what is missing
    PLI_EVALUATION_BLOCK = 8
};

// What is wanted of some slots from `first` on. Planes are `stride` long: `count`, and copies of
// the last ones to fill a block.
typedef struct pli_evaluation {
    int64_t first;
    int32_t count;
    int32_t stride;                         // at most PLI_EVALUATION_SLOTS
    double F[9 * PLI_EVALUATION_SLOTS];     // in: deformation gradients
    double psi[PLI_EVALUATION_SLOTS];       // J/m^3; from here on if it was wanted
    double P[9 * PLI_EVALUATION_SLOTS];     // Pa
    double dPdF[81 * PLI_EVALUATION_SLOTS]; // Pa
} pli_evaluation;

typedef enum pli_evaluation_want {
    PLI_WANT_ENERGY = 1,
    PLI_WANT_STRESS = 2,
    PLI_WANT_TANGENT = 4
} pli_evaluation_want;

// Turns to the slots from `first` on, at most PLI_EVALUATION_SLOTS, a multiple of four.
void pli_evaluation_begin(pli_evaluation *at, int64_t first, int64_t count);

// Evaluates the laws of the slots; want is a sum of what is wanted.
void pli_implicit_evaluate(const pli_implicit *implicit, unsigned want, bool projected,
                           pli_evaluation *at);

// Sets F of the slots [first, first + count) of a cell in `at` to (1 + sum x grad w^T) F.
void pli_implicit_deform(const pli_implicit *implicit, int64_t cell, const double *x, int64_t first,
                         int32_t count, pli_evaluation *at);

// The slots of a cell that are in `at`; false: none.
bool pli_evaluation_clip(const pli_cloud *cloud, int64_t cell, const pli_evaluation *at,
                         int64_t *first, int32_t *count);

// A pass over particles: calls `part` for the slots of every run of cells, as many at a time as are
// evaluated at once. Only cells with more than that are cut.
typedef struct pli_implicit_pass pli_implicit_pass;

struct pli_implicit_pass {
    pli_implicit *implicit;
    const double *x; // [nodes][3] where, or which way
    bool projected;
    void (*part)(const pli_implicit_pass *pass, int64_t first_cell, int64_t end_cell,
                 pli_evaluation *at);
    pli_d4 *energy; // what parts add up: sums of four lanes and their rounding errors, [2]
    double *g;      // [nodes][3] what parts push nodes with
};

// Runs a pass over all particles, in any order of runs.
void pli_implicit_run(pli_implicit_pass *pass);

// Runs a pass whose parts add to nodes: blocks of cells by colours.
void pli_implicit_run_colors(pli_implicit_pass *pass);

// The particles of some cells.
void pli_implicit_visit(const pli_implicit_pass *pass, int64_t first_cell, int64_t end_cell,
                        pli_evaluation *at);

// F(x) of all slots of a part.
void pli_implicit_deform_part(const pli_implicit_pass *pass, int64_t first_cell, int64_t end_cell,
                              pli_evaluation *at);

// Q [count / 4][9][4] = V P F^T of the slots of a part, with the stresses in `at`.
void pli_implicit_set_pushes(const pli_implicit *implicit, const pli_evaluation *at, double *Q);

// Adds what the slots of a part give to the nodes of their cells, Q grad w, to g of the pass, which
// runs by colours; Q [count / 4][9][4].
void pli_implicit_push_part(const pli_implicit_pass *pass, int64_t first_cell, int64_t end_cell,
                            const pli_evaluation *at, const double *Q);

// The index of (row, column), row <= column, among the 45 of a symmetric 9x9 matrix.
static inline int32_t pli_tangent_index(int32_t row, int32_t column)
{
    return row * 9 - row * (row - 1) / 2 + column - row;
}

#endif
