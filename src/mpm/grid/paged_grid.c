// SPDX-License-Identifier: Apache-2.0
#include "mpm/grid/paged_grid.h"

#include "base/addresses.h"
#include "base/memory.h"

enum { MOST_BLOCKS = 1 << 20, CODE_BITS = 31 };

static const int64_t page_bytes = PLI_PAGE_FLOATS * (int64_t)sizeof(float);
static const int64_t entry_bytes = sizeof(int32_t);

// ---- codes

// How many bits the numbers below count need.
static int32_t bit_count(int32_t count)
{
    int32_t bits = 0;
    while ((int64_t)1 << bits < count) ++bits;
    return bits;
}

// Spreads the low bits of value over the bits of mask, lowest first.
static uint32_t spread_bits(uint32_t value, uint32_t mask)
{
    uint32_t spread = 0;
    for (; mask != 0; mask &= mask - 1, value >>= 1) {
        uint32_t lowest = mask & (~mask + 1);
        if ((value & 1) != 0) spread |= lowest;
    }
    return spread;
}

// The bits of value at the bits of mask, side by side.
static uint32_t gather_bits(uint32_t value, uint32_t mask)
{
    uint32_t gathered = 0;
    for (uint32_t place = 1; mask != 0; mask &= mask - 1, place <<= 1) {
        uint32_t lowest = mask & (~mask + 1);
        if ((value & lowest) != 0) gathered |= place;
    }
    return gathered;
}

// Deals the bits of a code to the axes in turn, as long as each needs any.
static void set_masks(pli_paged_grid *grid)
{
    int32_t place = 0;
    for (int32_t level = 0; level < CODE_BITS; ++level) {
        for (int k = 0; k < 3; ++k) {
            if (level < bit_count(grid->blocks[k])) grid->masks[k] |= (uint32_t)1 << place++;
        }
    }
}

uint32_t pli_paged_grid_code(const pli_paged_grid *grid, const int32_t at[3])
{
    uint32_t code = 0;
    for (int k = 0; k < 3; ++k) {
        PLI_ASSERT(grid->context, at[k] >= 0 && at[k] < grid->blocks[k]);
        code |= spread_bits((uint32_t)at[k], grid->masks[k]);
    }
    return code;
}

void pli_paged_grid_coordinates(const pli_paged_grid *grid, uint32_t code, int32_t at[3])
{
    for (int k = 0; k < 3; ++k) at[k] = (int32_t)gather_bits(code, grid->masks[k]);
}

uint32_t pli_paged_grid_step(const pli_paged_grid *grid, uint32_t code, const int32_t step[3])
{
    uint32_t stepped = 0;
    for (int k = 0; k < 3; ++k) {
        uint32_t mask = grid->masks[k];
        uint32_t part = code & mask;
        // a carry runs through ones at the other axes' bits, a borrow through zeros
        if (step[k] > 0) part = (part | ~mask) + 1;
        if (step[k] < 0) part = part - 1;
        stepped |= part & mask;
    }
    return stepped;
}

// ---- the grid

static pli_status check_blocks(pli_context *context, const int32_t blocks[3])
{
    int32_t bits = 0;
    for (int k = 0; k < 3; ++k) {
        if (blocks[k] < 1 || blocks[k] > MOST_BLOCKS) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                            "the domain has %d x %d x %d blocks; allowed are 1 to %d along an axis",
                            blocks[0], blocks[1], blocks[2], MOST_BLOCKS);
        }
        bits += bit_count(blocks[k]);
    }
    if (bits <= CODE_BITS) return PLI_OK;
    return PLI_FAIL(
        context, PLI_ERROR_ARGUMENT,
        "the domain has %d x %d x %d blocks, which with sides rounded up to powers of "
        "two are 2^%d; at most 2^%d are possible: take larger cells or a smaller domain",
        blocks[0], blocks[1], blocks[2], bits, CODE_BITS);
}

static pli_status reserve_pages(pli_paged_grid *grid)
{
    int64_t count = grid->code_count;
    grid->pages = pli_addresses_reserve(count * page_bytes, PLI_ADDRESSES_SPARSE);
    grid->table = pli_addresses_reserve(count * entry_bytes, PLI_ADDRESSES_SPARSE);
    if (grid->pages != NULL && grid->table != NULL) return PLI_OK;
    return PLI_FAIL(grid->context, PLI_ERROR_MEMORY,
                    "the system refuses to reserve %.3g GiB of addresses (not memory) for a domain "
                    "of %d x %d x %d blocks of %d x %d x %d cells: take larger cells or a smaller "
                    "domain, or lift the limit on addresses (ulimit -v, vm.overcommit_memory)",
                    (double)(count * (page_bytes + entry_bytes)) / (1 << 30), grid->blocks[0],
                    grid->blocks[1], grid->blocks[2], PLI_BLOCK_X, PLI_BLOCK_Y, PLI_BLOCK_Z);
}

pli_status pli_paged_grid_create(pli_context *context, const int32_t blocks[3],
                                 pli_paged_grid **grid)
{
    *grid = NULL;
    PLI_TRY(check_blocks(context, blocks));
    pli_paged_grid *made = PLI_NEW(context, pli_paged_grid, 1, "paged grid");
    if (made == NULL) return PLI_ERROR_MEMORY;

    made->context = context;
    for (int k = 0; k < 3; ++k) made->blocks[k] = blocks[k];
    set_masks(made);
    // codes grow with every coordinate, so the last block has the largest
    int32_t last[3] = {blocks[0] - 1, blocks[1] - 1, blocks[2] - 1};
    made->code_count = pli_paged_grid_code(made, last) + 1;

    pli_status status = reserve_pages(made);
    if (status != PLI_OK) goto done;
    *grid = made;
    made = NULL;

done:
    pli_paged_grid_destroy(made);
    return status;
}

void pli_paged_grid_destroy(pli_paged_grid *grid)
{
    if (grid == NULL) return;
    int64_t count = grid->code_count;
    pli_addresses_release(grid->table, count * entry_bytes);
    pli_addresses_release(grid->pages, count * page_bytes);
    pli_release(grid->context, grid);
}

void pli_paged_grid_release(pli_paged_grid *grid, uint32_t code)
{
    pli_addresses_discard(pli_paged_grid_page(grid, code), page_bytes);
}

int64_t pli_paged_grid_memory(const pli_paged_grid *grid)
{
    int64_t count = grid->code_count;
    return pli_addresses_touched(grid->pages, count * page_bytes) +
           pli_addresses_touched(grid->table, count * entry_bytes);
}
