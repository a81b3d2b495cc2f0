// SPDX-License-Identifier: Apache-2.0
//
// Patterns of block matrices from element stencils.
//
// The neighbours of a vertex are the union of the vertices of its elements. Rows are worked off in
// batches that fit a fixed buffer: each row of a batch collects its neighbours in a small hash
// table of its own and sorts them, rows in parallel; then the batch is appended to the pattern.
// Memory beyond the result is one list of elements per vertex and that buffer, however many
// elements meet in a vertex. Rows are sets, so the result does not depend on who computed them.
#ifndef PLI_LINEAR_MATRIX_BCSR_PATTERN_H
#define PLI_LINEAR_MATRIX_BCSR_PATTERN_H

#include "linear/matrix/bcsr.h"

typedef struct pli_bcsr_pattern {
    int64_t block_count;
    int64_t *row_start; // [row_count + 1]
    int32_t *column;    // [block_count]  increasing in a row
} pli_bcsr_pattern;

// Builds the pattern; its arrays belong to the caller. On failure both are NULL.
PLI_CHECKED pli_status pli_bcsr_pattern_build(pli_context *context, int32_t row_count,
                                              int32_t list_count, const pli_clique_list *lists,
                                              pli_bcsr_pattern *pattern);

// Sorts the columns of a row, which is short as a rule.
void pli_pattern_sort(int32_t *items, int64_t count);

// The same for equal patterns, and as good as never for others.
uint64_t pli_pattern_hash(int32_t row_count, const int64_t *row_start, const int32_t *column);

// Place of a column in a row of a pattern whose columns increase, or -1.
static inline int64_t pli_pattern_find(const int64_t *row_start, const int32_t *column, int32_t row,
                                       int32_t wanted)
{
    int64_t low = row_start[row];
    int64_t high = row_start[row + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (column[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < row_start[row + 1] && column[low] == wanted ? low : -1;
}

#endif
