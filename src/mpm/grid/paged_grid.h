// SPDX-License-Identifier: Apache-2.0
//
// A sparse grid in pages: eight floats for each node, 4 x 4 x 8 nodes a page of 4 KiB, pages
// in Morton order in a range of addresses that is reserved once and has memory only where it is
// written. In the manner of Setaluri et al. 2014.
//
// A page is named by its code: the bits of its three block coordinates in turn, x lowest, as long
// as each has any; so codes are dense for any domain whose sides are powers of two in blocks, and
// at most eight times as many as needed for others. Blocks that are near in space are near in
// memory. Inside a page, z runs fastest:
//
//   page[8 * (8 (4 i + j) + k)],   0 <= i, j < 4,  0 <= k < 8
//
// A table, reserved the same way, has one number for each page, 0 where nothing was ever set: who
// owns the block, or what its last owner left. Reading a page that was never written gives zeros.
//
// Threads: reading and writing pages and table entries is up to the caller; the rest is serial.
#ifndef PLI_MPM_GRID_PAGED_GRID_H
#define PLI_MPM_GRID_PAGED_GRID_H

#include "base/context.h"

enum {
    PLI_BLOCK_X = 4,
    PLI_BLOCK_Y = 4,
    PLI_BLOCK_Z = 8,
    PLI_NODE_FLOATS = 8,
    PLI_PAGE_NODES = PLI_BLOCK_X * PLI_BLOCK_Y * PLI_BLOCK_Z,
    PLI_PAGE_FLOATS = PLI_PAGE_NODES * PLI_NODE_FLOATS
};

typedef struct pli_paged_grid {
    pli_context *context;
    int32_t blocks[3];   // of the domain
    uint32_t masks[3];   // bits of a code that belong to each axis
    uint32_t code_count; // codes below this one may be in the domain
    float *pages;        // [code_count][PLI_PAGE_FLOATS]
    int32_t *table;      // [code_count]
} pli_paged_grid;

// blocks: 1 to 2^20 along each axis, 2^31 codes in all. Errors: argument, memory (addresses).
PLI_CHECKED pli_status pli_paged_grid_create(pli_context *context, const int32_t blocks[3],
                                             pli_paged_grid **grid);
void pli_paged_grid_destroy(pli_paged_grid *grid);

// The code of a block inside the domain, and back.
uint32_t pli_paged_grid_code(const pli_paged_grid *grid, const int32_t at[3]);
void pli_paged_grid_coordinates(const pli_paged_grid *grid, uint32_t code, int32_t at[3]);

// The code of the block a step of -1, 0 or 1 along each axis away; the block must be in the domain.
uint32_t pli_paged_grid_step(const pli_paged_grid *grid, uint32_t code, const int32_t step[3]);

static inline float *pli_paged_grid_page(const pli_paged_grid *grid, uint32_t code)
{
    return grid->pages + (int64_t)PLI_PAGE_FLOATS * code;
}

// Gives the memory of a page back; it reads as zeros then.
void pli_paged_grid_release(pli_paged_grid *grid, uint32_t code);

// Bytes of memory that pages and table have at the moment, pages included that were only read (see
// base/addresses.h). Asks the system about all codes: for reports, not for every step.
int64_t pli_paged_grid_memory(const pli_paged_grid *grid);

#endif
