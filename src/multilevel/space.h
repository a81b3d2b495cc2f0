// SPDX-License-Identifier: Apache-2.0
//
// A coarse space as an operator: the matrix U of equation 10 of Trusty et al. 2025, never stored.
//
// Unknowns q of a handle are four rows of three numbers; with u = (X - c) / s for its centre c and
// size s a vertex at X moves by
//
//     w(X) = sum_i phi_i(X) (sum_k u_k Q_ik + Q_i3),       held coordinates by nothing
//
// so that the columns of U are rows of zeros where coordinates are held. What is kept are the
// weights and the rest positions, from both sides: handles of a vertex for w = U q, vertices of a
// handle for z = U^T y.
//
// Products with U^T H U go in three sparse passes, lift, multiply, restrict; U^T H U itself is
// galerkin.h. Parallel, with the same bits for any number of threads: sums over the vertices of a
// handle are cut into pieces by their number alone.
//
// Threads: one call on an object at a time.
#ifndef PLI_MULTILEVEL_SPACE_H
#define PLI_MULTILEVEL_SPACE_H

#include "linear/matrix/bcsr.h"
#include "multilevel/bases.h"

enum { PLI_HANDLE_ROWS = 4, PLI_HANDLE_DOFS = 12 };

// Some vertices of one handle.
typedef struct pli_space_piece {
    int32_t handle;
    int64_t begin; // in vertex and weight
    int64_t end;
} pli_space_piece;

typedef struct pli_space {
    pli_context *context;
    const pli_bases *bases; // borrowed
    const double *points;   // [vertex_count][3] at rest (m); borrowed
    const uint8_t *fixed;   // [vertex_count] bits 1, 2, 4: held; borrowed, NULL: none

    // vertices of the handles
    int64_t *start;  // [handle_count + 1]
    int32_t *vertex; // [link_count]  increasing in a handle
    double *weight;  // [link_count]

    int32_t piece_count;
    pli_space_piece *pieces; // [piece_count]  by handle
    int32_t *piece_start;    // [handle_count + 1]
    double *partial;         // [piece_count][12]
} pli_space;

// fixed may change between calls of other functions. Errors: memory.
PLI_CHECKED pli_status pli_space_create(pli_context *context, const pli_bases *bases,
                                        const double *points, const uint8_t *fixed,
                                        pli_space **space);
void pli_space_destroy(pli_space *space);

int64_t pli_space_size(const pli_space *space); // unknowns

// w = U q, [vertex_count][3]
void pli_space_lift(const pli_space *space, const double *q, double *w);

// z = U^T y
void pli_space_restrict(pli_space *space, const double *y, double *z);

// A diagonal block of a vertex without what held coordinates have there.
static inline void pli_space_free_block(const pli_space *space, int32_t vertex,
                                        const double block[9], double freed[9])
{
    uint8_t mask = space->fixed != NULL ? space->fixed[vertex] : 0;
    for (int e = 0; e < 9; ++e) {
        bool held = (mask & (1u << (e / 3))) != 0 || (mask & (1u << (e % 3))) != 0;
        freed[e] = held ? 0 : block[e];
    }
}

// The four numbers phi (u, 1) of a vertex and a handle that moves it with weight phi. A handle
// without size has vertices at its centre alone, where u is zero.
static inline void pli_space_place(const pli_space *space, int32_t vertex, int32_t handle,
                                   double weight, double place[PLI_HANDLE_ROWS])
{
    const double *X = space->points + 3 * (int64_t)vertex;
    const double *c = space->bases->center + 3 * (int64_t)handle;
    double size = space->bases->size[handle];
    double scale = size > 0 ? weight / size : 0;
    for (int k = 0; k < 3; ++k) place[k] = scale * (X[k] - c[k]);
    place[3] = weight;
}

#endif
