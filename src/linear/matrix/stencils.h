// SPDX-License-Identifier: Apache-2.0
//
// Adding many small dense matrices to a block matrix at once: the Hessians of contacts, each of
// which couples up to four vertices that no element need couple.
//
// build takes a list of stencils and does all the searching: for every row it lists the stencils
// that touch it, where their blocks go in the pattern, and which extra blocks (bcsr.h) the row
// needs. add then gives each row to one worker, which adds its blocks in the order of the stencils.
// So rows are worked off in parallel without locks, sums have the same bits for any number of
// threads, and the extra blocks come out sorted. When the same list comes again, as it does in most
// iterations of a minimisation, build has nothing to do.
//
//     prepare:      pli_stencils_build(stencils, H, count, vertices)   may fail
//     add_hessian:  pli_stencils_add(stencils, hessians, H)            can't, if there is room
//
// Threads: one call on an object at a time.
#ifndef PLI_LINEAR_MATRIX_STENCILS_H
#define PLI_LINEAR_MATRIX_STENCILS_H

#include "linear/matrix/bcsr.h"

enum { PLI_STENCIL_VERTICES = 4, PLI_STENCIL_DOFS = 3 * PLI_STENCIL_VERTICES };

// An extra block that some stencils need.
typedef struct pli_stencil_place {
    int32_t row;
    int32_t column;
} pli_stencil_place;

typedef struct pli_stencils {
    pli_context *context;

    // the list that was built, and for which pattern
    uint64_t revision;
    int32_t matrix_row_count;
    int64_t count;
    int32_t *vertices; // [count][4]  -1: the stencil has fewer

    // rows that stencils touch, and their corners there: 4 stencil + corner, in order of stencils
    int32_t row_count;
    int32_t *rows;         // [row_count]      increasing
    int32_t *corner_start; // [row_count + 1]
    int32_t *corners;      // [corner_count]
    int32_t *targets;      // [corner_count][4]  where the blocks go, see stencils.c
    int32_t *row_of;       // [matrix rows + 1]  scratch: corners of a row
    int32_t *columns;      // [corner_count][4]  scratch: columns beside the pattern, by rows

    // extra blocks, by row and column
    int32_t *place_start; // [row_count + 1]
    int32_t place_count;
    pli_stencil_place *places; // [place_count]
    uint64_t place_revision;   // hash of the places
    int32_t place_row_count;   // rows that have some
    int32_t *place_rows;       // [place_row_count]
    int32_t *place_row_start;  // [place_row_count + 1]
    int32_t *block_of_place;   // [place_count]  scratch: where add finds them in the matrix
} pli_stencils;

// An empty object without memory of its own; clear gives back what build took.
void pli_stencils_init(pli_context *context, pli_stencils *stencils);
void pli_stencils_clear(pli_stencils *stencils);

// Searches for a list, which is copied, and makes room in the matrix for its extra blocks beside
// those the matrix has now. Terms that share a matrix may have to reserve more: place_count says
// how much each needs. On failure the object is empty. Errors: argument (a vertex outside the
// rows, or twice in a stencil), unsupported (2^29 stencils or 2^31 blocks), memory.
//     vertices  [count][4]  -1 where a stencil has fewer
PLI_CHECKED pli_status pli_stencils_build(pli_stencils *stencils, pli_bcsr *matrix, int64_t count,
                                          const int32_t *vertices);

// A += the stencils' matrices; the matrix is closed afterwards. False when there is no room for
// extra blocks; nothing is added then.
//     hessians  [count][12][12]  by the vertices of the stencil; rows and columns of missing ones
//                                are not read
PLI_CHECKED bool pli_stencils_add(pli_stencils *stencils, const double *hessians, pli_bcsr *matrix);

#endif
