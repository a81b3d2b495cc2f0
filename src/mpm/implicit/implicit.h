// SPDX-License-Identifier: Apache-2.0
//
// The elastic energy of particles as a function of what their nodes do in a step:
// a term (optimize/term.h) of the objective that an implicit step minimises.
//
// The unknowns are displacements of nodes, x_i = h v_i (m): not positions, which would lose the
// digits that the place in the world takes. With weight gradients at the beginning of the step,
//
//   F_p(x) = (1 + sum_i x_i grad w_ip^T) F_p,        E = sum_p V_p psi(F_p(x))
//   dE/dx_i = sum_p V_p P(F_p(x)) g_ip,              g_ip = F_p^T grad w_ip
//   d2E/dx_i dx_j = sum_p V_p g_ip . dP/dF . g_jp
//
// (Wang et al. 2020, equations 1 and 2). Any law of extend.h may be used, in any mixture. What
// hardens as snow does has its energy multiplied by that, so that V_p stands for the product, for
// the length of a step; yielding itself happens between steps, or inside with the laws of
// material/plastic.h.
//
// The matrix. Rows have a slot for each node within reach, 5^3 with quadratic splines (ell.h, slip
// 26). It is summed cell by cell: for the particles of a cell, which share their nodes, the blocks
// of all pairs of nodes are a product of two small dense matrices,
//
//   K_ij = sum_p g_ip . A_p . g_jp,   A_p = V_p dP/dF (9x9)
//
// formed in registers and added to the matrix once for all of them (implicit_assemble.c): memory
// sees an eighth of what particles would bring one by one. The half with j >= i is computed, the
// other half is its mirror. Blocks of 4 x 4 x 4 cells of one colour are worked on in parallel.
//
// Energies and gradients. Whoever asks for an energy mostly wants the gradient at the same x next:
// stresses are computed along and kept, so that no F is decomposed twice.
//
// Without a matrix. The tangents A_p are kept, 45 numbers a particle, and a product passes over
// particles instead: more arithmetic, much less memory.
//
// Threads: parallel inside, the same bits for any number.
#ifndef PLI_MPM_IMPLICIT_IMPLICIT_H
#define PLI_MPM_IMPLICIT_IMPLICIT_H

#include "linear/matrix/ell.h"
#include "material/material.h"
#include "mpm/implicit/cloud.h"
#include "optimize/term.h"
#include "pliant/extend.h"

// What particles of a kind are made of, and the law that a step has for it.
typedef struct pli_implicit_kind {
    pli_material material;
    bool inside; // it yields in the solve, where there is a potential
    const pli_material_ops *law;
    double params[PLI_MATERIAL_PARAMS]; // of a particle that has never yielded
} pli_implicit_kind;

pli_implicit_kind pli_implicit_kind_make(const pli_material *material, bool inside);

typedef struct pli_implicit {
    pli_context *context;
    const pli_cloud *cloud; // borrowed
    int32_t kind_count;
    pli_implicit_kind *kinds;
    int32_t param_count; // the most that a law of theirs has

    int32_t slot_room;
    double *params;   // [param_count][slot_room] of particles
    double *weight;   // [slot_room] volume times what multiplies the energy of the law (m^3)
    double *tangents; // [slot_room / 4][45][4] upper triangles of A by rows; NULL until asked for
    // what pushes nodes at the place where the energy was asked for last: a gradient there, which
    // is what line searches end with, needs no law any more
    bool has_stress;
    int32_t node_room;
    double *stress_x; // [node_room][3] the place
    double *stress;   // [slot_room / 4][9][4] V P F^T (J)

    // runs of cells with up to PLI_IMPLICIT_CHUNK slots
    int32_t chunk_count;
    int32_t chunk_room;
    int32_t *chunk_cell; // [chunk_room + 1]
} pli_implicit;

// slots of a run of cells, unless a single cell has more
enum { PLI_IMPLICIT_CHUNK = 64 };

// The cloud is borrowed. Errors: memory.
PLI_CHECKED pli_status pli_implicit_create(pli_context *context, const pli_cloud *cloud,
                                           int32_t kind_count, const pli_implicit_kind *kinds,
                                           pli_implicit **implicit);
void pli_implicit_destroy(pli_implicit *implicit);

// Begins a step with the particles that the cloud has now; only growth allocates. Errors: memory.
PLI_CHECKED pli_status pli_implicit_begin(pli_implicit *implicit);

// self is a pli_implicit; energy and gradient only.
extern const pli_term_ops pli_implicit_term;

// Nodes within which of each other there are slots: 2 for quadratic splines.
int32_t pli_implicit_reach(const pli_implicit *implicit);

// matrix += d2E/dx2 at x, for a matrix with the slots of pli_node_grid_neighbors. What is there
// must be symmetric: one half is added to, and the other becomes its mirror.
void pli_implicit_assemble(const pli_implicit *implicit, const double *x, bool projected,
                           pli_ell *matrix);

// Keeps the tangents at x for products. Errors: memory.
PLI_CHECKED pli_status pli_implicit_prepare(pli_implicit *implicit, const double *x,
                                            bool projected);

// The tangent A = V dP/dF (J) of a slot as it is kept: its upper triangle by rows.
void pli_implicit_get_tangents(const pli_implicit *implicit, int64_t slot, double A[45]);

// y += d2E/dx2 d with the tangents that are kept.
void pli_implicit_multiply(const pli_implicit *implicit, const double *d, double *y);

// blocks [nodes][9] += the diagonal blocks of d2E/dx2 with the tangents that are kept.
void pli_implicit_add_diagonal(const pli_implicit *implicit, double *blocks);

// blocks [nodes][9] += their diagonals as they would be at rest, from the Lame constants of the
// materials; no tangents are needed (implicit_rest.c).
void pli_implicit_add_rest_diagonal(const pli_implicit *implicit, double *blocks);

int64_t pli_implicit_memory(const pli_implicit *implicit);

#endif
