// SPDX-License-Identifier: Apache-2.0
#include "mpm/implicit/node_grid.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "mpm/grid/morton.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCKS = 64, BLOCK_NODES = 64, MOST_REACH = 4, BLOCK_GRAIN = 4 };

// ---- coordinates

static int color_of(const int32_t at[3])
{
    return 4 * (at[0] & 1) + 2 * (at[1] & 1) + (at[2] & 1);
}

// ---- the hash

// The slot of a block, or the free one where it would be (Knuth 1973, 6.4: multiplicative hashing,
// linear steps).
static int64_t find_slot(const pli_node_grid *grid, const int32_t at[3])
{
    uint64_t hash = pli_morton(at) * 0x9e3779b97f4a7c15ull;
    int64_t slot = (int64_t)(hash >> 20) & (grid->slot_count - 1);
    while (grid->slots[slot] != 0) {
        const pli_node_block *block = &grid->blocks[grid->slots[slot] - 1];
        if (memcmp(block->at, at, sizeof block->at) == 0) break;
        slot = (slot + 1) & (grid->slot_count - 1);
    }
    return slot;
}

static void fill_slots(pli_node_grid *grid)
{
    memset(grid->slots, 0, (size_t)grid->slot_count * sizeof *grid->slots);
    for (int32_t k = 0; k < grid->block_count; ++k) {
        grid->slots[find_slot(grid, grid->blocks[k].at)] = k + 1;
    }
}

int32_t pli_node_grid_find_block(const pli_node_grid *grid, const int32_t at[3])
{
    return grid->slots[find_slot(grid, at)] - 1;
}

// Room for one more block. On failure what there was is still good.
static pli_status grow_blocks(pli_node_grid *grid)
{
    if (grid->block_count < grid->block_room) return PLI_OK;
    pli_context *context = grid->context;
    int64_t room = grid->block_room > 0 ? 2 * (int64_t)grid->block_room : FIRST_BLOCKS;
    PLI_TRY(PLI_RESIZE(context, grid->blocks, room, "blocks of nodes"));
    PLI_TRY(PLI_RESIZE(context, grid->by_color, room, "blocks of nodes"));
    PLI_TRY(PLI_RESIZE(context, grid->slots, 4 * room, "blocks of nodes"));
    grid->slot_count = 4 * room;
    grid->block_room = (int32_t)room;
    fill_slots(grid);
    return PLI_OK;
}

// ---- life

pli_status pli_node_grid_create(pli_context *context, pli_node_grid **grid)
{
    *grid = NULL;
    pli_node_grid *made = PLI_NEW(context, pli_node_grid, 1, "grid of nodes");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    pli_status status = grow_blocks(made);
    if (status != PLI_OK) {
        pli_node_grid_destroy(made);
        return status;
    }
    *grid = made;
    return PLI_OK;
}

void pli_node_grid_destroy(pli_node_grid *grid)
{
    if (grid == NULL) return;
    pli_context *context = grid->context;
    PLI_RELEASE(context, grid->slots, grid->by_color, grid->blocks, grid->at, grid);
}

int64_t pli_node_grid_memory(const pli_node_grid *grid)
{
    return (int64_t)(pli_memory_size(grid->slots) + pli_memory_size(grid->by_color) +
                     pli_memory_size(grid->blocks) + pli_memory_size(grid->at));
}

void pli_node_grid_clear(pli_node_grid *grid)
{
    grid->count = 0;
    grid->block_count = 0;
    fill_slots(grid);
}

// ---- marking

// The part of [low, low + width) in a block, from its own lowest node on.
static void clip(int32_t low, int32_t width, int32_t block, int32_t *from, int32_t *to)
{
    *from = low - PLI_NODE_EDGE * block;
    *to = *from + width;
    if (*from < 0) *from = 0;
    if (*to > PLI_NODE_EDGE) *to = PLI_NODE_EDGE;
}

// Bits of the nodes of a block that are in a box.
static uint64_t box_bits(const int32_t low[3], int32_t width, const int32_t block[3])
{
    int32_t from[3], to[3];
    for (int k = 0; k < 3; ++k) clip(low[k], width, block[k], &from[k], &to[k]);
    // a row along z, all rows of a plane, all planes
    uint64_t row = ((1ull << (to[2] - from[2])) - 1) << from[2];
    uint64_t plane = 0, bits = 0;
    for (int32_t y = from[1]; y < to[1]; ++y) plane |= row << (4 * y);
    for (int32_t x = from[0]; x < to[0]; ++x) bits |= plane << (16 * x);
    return bits;
}

pli_status pli_node_grid_mark_block(pli_node_grid *grid, const int32_t at[3], uint64_t bits)
{
    int32_t block = pli_node_grid_find_block(grid, at);
    if (block < 0) {
        PLI_TRY(grow_blocks(grid));
        block = grid->block_count++;
        grid->blocks[block] = (pli_node_block){.at = {at[0], at[1], at[2]}};
        grid->slots[find_slot(grid, at)] = block + 1;
    }
    grid->blocks[block].nodes |= bits;
    return PLI_OK;
}

pli_status pli_node_grid_mark(pli_node_grid *grid, const int32_t low[3], int32_t width)
{
    PLI_ASSERT(grid->context, width >= 1 && width <= PLI_NODE_EDGE);
    for (int k = 0; k < 3; ++k) {
        if (low[k] >= 0 && low[k] <= PLI_NODE_LIMIT - width) continue;
        return PLI_FAIL(grid->context, PLI_ERROR_ARGUMENT,
                        "%d nodes along each axis from (%d, %d, %d) on; coordinates must be from 0 "
                        "to %d",
                        (int)width, (int)low[0], (int)low[1], (int)low[2], PLI_NODE_LIMIT - 1);
    }
    int32_t at[3];
    for (at[0] = low[0] / 4; 4 * at[0] < low[0] + width; ++at[0]) {
        for (at[1] = low[1] / 4; 4 * at[1] < low[1] + width; ++at[1]) {
            for (at[2] = low[2] / 4; 4 * at[2] < low[2] + width; ++at[2]) {
                PLI_TRY(pli_node_grid_mark_block(grid, at, box_bits(low, width, at)));
            }
        }
    }
    return PLI_OK;
}

// ---- numbers

static int compare_blocks(const void *a, const void *b)
{
    uint64_t first = pli_morton(((const pli_node_block *)a)->at);
    uint64_t second = pli_morton(((const pli_node_block *)b)->at);
    return first < second ? -1 : first > second;
}

static pli_status number_blocks(pli_node_grid *grid)
{
    int64_t count = 0;
    for (int32_t k = 0; k < grid->block_count; ++k) {
        grid->blocks[k].first = (int32_t)count;
        count += __builtin_popcountll(grid->blocks[k].nodes);
    }
    if (count > grid->room) {
        int64_t room = count + count / 4;
        PLI_TRY(PLI_RESIZE(grid->context, grid->at, 3 * room, "coordinates of nodes"));
        grid->room = (int32_t)room;
    }
    grid->count = (int32_t)count;
    return PLI_OK;
}

static void set_coordinates(pli_node_grid *grid)
{
    int32_t node = 0;
    for (int32_t k = 0; k < grid->block_count; ++k) {
        const pli_node_block *block = &grid->blocks[k];
        for (uint64_t rest = block->nodes; rest != 0; rest &= rest - 1, ++node) {
            int32_t bit = __builtin_ctzll(rest);
            grid->at[3 * (int64_t)node] = 4 * block->at[0] + bit / 16;
            grid->at[3 * (int64_t)node + 1] = 4 * block->at[1] + bit / 4 % 4;
            grid->at[3 * (int64_t)node + 2] = 4 * block->at[2] + bit % 4;
        }
    }
}

static void sort_colors(pli_node_grid *grid)
{
    int32_t place[PLI_NODE_COLORS] = {0};
    for (int32_t k = 0; k < grid->block_count; ++k) ++place[color_of(grid->blocks[k].at)];
    grid->color_start[0] = 0;
    for (int c = 0; c < PLI_NODE_COLORS; ++c) {
        grid->color_start[c + 1] = grid->color_start[c] + place[c];
        place[c] = grid->color_start[c];
    }
    for (int32_t k = 0; k < grid->block_count; ++k) {
        grid->by_color[place[color_of(grid->blocks[k].at)]++] = k;
    }
}

pli_status pli_node_grid_finish(pli_node_grid *grid)
{
    qsort(grid->blocks, (size_t)grid->block_count, sizeof *grid->blocks, compare_blocks);
    fill_slots(grid);
    PLI_TRY(number_blocks(grid));
    set_coordinates(grid);
    sort_colors(grid);
    return PLI_OK;
}

// ---- finding

// The number of the node of a bit of a block; -1: there is none.
static int32_t node_of(const pli_node_block *block, int bit)
{
    uint64_t mask = 1ull << bit;
    if (!(block->nodes & mask)) return -1;
    return block->first + __builtin_popcountll(block->nodes & (mask - 1));
}

static int bit_of(int32_t x, int32_t y, int32_t z)
{
    return 16 * (x & 3) + 4 * (y & 3) + (z & 3);
}

int32_t pli_node_grid_find(const pli_node_grid *grid, const int32_t at[3])
{
    int32_t nodes[1];
    pli_node_grid_find_box(grid, at, 1, nodes);
    return nodes[0];
}

// Numbers of the nodes of a box that are in one block.
static void find_in_block(const pli_node_block *block, const int32_t low[3], int32_t width,
                          int32_t *nodes)
{
    int32_t from[3], to[3];
    for (int k = 0; k < 3; ++k) clip(low[k], width, block->at[k], &from[k], &to[k]);
    for (int32_t x = from[0]; x < to[0]; ++x) {
        for (int32_t y = from[1]; y < to[1]; ++y) {
            int32_t row = (4 * block->at[0] + x - low[0]) * width + 4 * block->at[1] + y - low[1];
            int32_t first = row * width + 4 * block->at[2] - low[2];
            for (int32_t z = from[2]; z < to[2]; ++z) {
                nodes[first + z] = node_of(block, bit_of(x, y, z));
            }
        }
    }
}

void pli_node_grid_find_box(const pli_node_grid *grid, const int32_t low[3], int32_t width,
                            int32_t *nodes)
{
    int32_t at[3];
    for (int32_t k = 0; k < width * width * width; ++k) nodes[k] = -1;
    // floors also for coordinates below 0, where there is nothing
    for (at[0] = low[0] >> 2; 4 * at[0] < low[0] + width; ++at[0]) {
        for (at[1] = low[1] >> 2; 4 * at[1] < low[1] + width; ++at[1]) {
            for (at[2] = low[2] >> 2; 4 * at[2] < low[2] + width; ++at[2]) {
                int32_t block =
                    at[0] < 0 || at[1] < 0 || at[2] < 0 ? -1 : pli_node_grid_find_block(grid, at);
                if (block >= 0) find_in_block(&grid->blocks[block], low, width, nodes);
            }
        }
    }
}

typedef struct neighbor_job {
    const pli_node_grid *grid;
    int32_t reach;
    int32_t *columns;
} neighbor_job;

// The nodes of a block and of those around it, [12][12][12].
static void list_surroundings(const pli_node_grid *grid, const pli_node_block *block,
                              int32_t *nodes)
{
    enum { EDGE = 3 * PLI_NODE_EDGE };
    memset(nodes, 0xff, EDGE * EDGE * EDGE * sizeof *nodes);
    for (int32_t n = 0; n < 27; ++n) {
        const int32_t step[3] = {n / 9, n / 3 % 3, n % 3};
        int32_t at[3];
        bool is_out = false;
        for (int k = 0; k < 3; ++k) {
            at[k] = block->at[k] + step[k] - 1;
            is_out = is_out || at[k] < 0;
        }
        int32_t other = is_out ? -1 : pli_node_grid_find_block(grid, at);
        if (other < 0) continue;
        int32_t number = grid->blocks[other].first;
        for (uint64_t rest = grid->blocks[other].nodes; rest != 0; rest &= rest - 1, ++number) {
            int32_t bit = __builtin_ctzll(rest);
            int32_t x = 4 * step[0] + bit / 16, y = 4 * step[1] + bit / 4 % 4;
            nodes[(x * EDGE + y) * EDGE + 4 * step[2] + bit % 4] = number;
        }
    }
}

static void list_neighbors(void *user, int64_t begin, int64_t end)
{
    enum { EDGE = 3 * PLI_NODE_EDGE };
    const neighbor_job *job = user;
    int32_t reach = job->reach, width = 2 * reach + 1;
    for (int64_t b = begin; b < end; ++b) {
        const pli_node_block *block = &job->grid->blocks[b];
        int32_t around[EDGE * EDGE * EDGE];
        list_surroundings(job->grid, block, around);
        int32_t *column = job->columns + (int64_t)block->first * width * width * width;
        for (uint64_t rest = block->nodes; rest != 0; rest &= rest - 1) {
            int32_t bit = __builtin_ctzll(rest);
            int32_t low[3] = {4 + bit / 16 - reach, 4 + bit / 4 % 4 - reach, 4 + bit % 4 - reach};
            for (int32_t x = low[0]; x < low[0] + width; ++x) {
                for (int32_t y = low[1]; y < low[1] + width; ++y) {
                    memcpy(column, around + (x * EDGE + y) * EDGE + low[2],
                           (size_t)width * sizeof *column);
                    column += width;
                }
            }
        }
    }
}

void pli_node_grid_neighbors(const pli_node_grid *grid, int32_t reach, int32_t *columns)
{
    PLI_ASSERT(grid->context, reach >= 0 && reach <= MOST_REACH);
    neighbor_job job = {grid, reach, columns};
    pli_parallel_for(grid->context, grid->block_count, BLOCK_GRAIN, list_neighbors, &job);
}
