// SPDX-License-Identifier: Apache-2.0
//
// The nodes of a cloud: which there are, those of every cell, and the cells of every node. Blocks
// of cells and blocks of nodes are of the same size, so that a block of cells reaches nodes of
// eight blocks, and a node is reached from cells of eight.
#include "mpm/implicit/cloud_inside.h"

#include "base/memory.h"

enum { EDGE = PLI_NODE_EDGE, TABLE = 2 * EDGE, BLOCK_GRAIN = 2, NODE_GRAIN = 64 };

// Numbers of things in two blocks along each axis, z fastest; -1: there is none.
typedef int32_t number_table[TABLE][TABLE][TABLE];

// Enters the things of a block, whose bits are set (16 x + 4 y + z), numbered from `first` on.
static void enter_block(number_table table, const int32_t corner[3], uint64_t bits, int32_t first)
{
    for (; bits != 0; bits &= bits - 1) {
        int32_t bit = __builtin_ctzll(bits);
        table[corner[0] + bit / 16][corner[1] + bit / 4 % 4][corner[2] + bit % 4] = first++;
    }
}

// The coordinates of block e of eight, from a block on in the direction of sign; false: outside.
static bool step_to(const int32_t at[3], int sign, int e, int32_t to[3])
{
    const int32_t step[3] = {e / 4, e / 2 % 2, e % 2};
    for (int k = 0; k < 3; ++k) to[k] = at[k] + sign * step[k];
    return to[0] >= 0 && to[1] >= 0 && to[2] >= 0;
}

// The coordinates of a block of cells.
static void block_at(const pli_cloud *cloud, int32_t block, int32_t at[3])
{
    const int32_t *base = cloud->cell_base + 3 * (int64_t)cloud->block_cell[block];
    for (int k = 0; k < 3; ++k) at[k] = base[k] / EDGE;
}

// ---- nodes that cells reach

// Bits along z of all nodes that cells of a block reach, in eight blocks.
static void list_reached(uint64_t cells, int32_t width, uint8_t rows[TABLE][TABLE])
{
    memset(rows, 0, TABLE * TABLE);
    for (int line = 0; line < EDGE * EDGE; ++line) {
        unsigned bits = cells >> (EDGE * line) & 15;
        for (int k = 1; k < width; ++k) bits |= bits << 1;
        for (int x = 0; x < width; ++x) {
            for (int y = 0; y < width; ++y) {
                rows[line / EDGE + x][line % EDGE + y] |= (uint8_t)bits;
            }
        }
    }
}

// Of these, the bits of block e.
static uint64_t reached_bits(uint8_t rows[TABLE][TABLE], int e)
{
    uint64_t bits = 0;
    for (int line = 0; line < EDGE * EDGE; ++line) {
        unsigned row = rows[EDGE * (e / 4) + line / EDGE][EDGE * (e / 2 % 2) + line % EDGE];
        bits |= (uint64_t)(row >> (EDGE * (e % 2)) & 15) << (EDGE * line);
    }
    return bits;
}

static pli_status mark_nodes(pli_cloud *cloud)
{
    pli_node_grid_clear(cloud->nodes);
    for (int32_t b = 0; b < cloud->block_count; ++b) {
        uint8_t rows[TABLE][TABLE];
        int32_t at[3], to[3];
        block_at(cloud, b, at);
        list_reached(cloud->block_cells[b], cloud->width, rows);
        for (int e = 0; e < 8; ++e) {
            uint64_t bits = reached_bits(rows, e);
            if (bits == 0) continue;
            (void)step_to(at, 1, e, to);
            PLI_TRY(pli_node_grid_mark_block(cloud->nodes, to, bits));
        }
    }
    return pli_node_grid_finish(cloud->nodes);
}

// ---- nodes of cells

static void find_nodes(void *user, int64_t begin, int64_t end)
{
    const pli_cloud *cloud = user;
    size_t run = (size_t)cloud->width * sizeof(int32_t);
    for (int64_t b = begin; b < end; ++b) {
        number_table table;
        int32_t at[3], to[3];
        block_at(cloud, (int32_t)b, at);
        for (int e = 0; e < 8; ++e) {
            (void)step_to(at, 1, e, to);
            int32_t block = pli_node_grid_find_block(cloud->nodes, to);
            if (block < 0) continue;
            const int32_t corner[3] = {EDGE * (e / 4), EDGE * (e / 2 % 2), EDGE * (e % 2)};
            const pli_node_block *nodes = &cloud->nodes->blocks[block];
            enter_block(table, corner, nodes->nodes, nodes->first);
        }
        for (int64_t cell = cloud->block_cell[b]; cell < cloud->block_cell[b + 1]; ++cell) {
            const int32_t *base = cloud->cell_base + 3 * cell;
            int32_t *to_nodes = cloud->cell_node + cell * cloud->cell_nodes;
            for (int x = 0; x < cloud->width; ++x) {
                for (int y = 0; y < cloud->width; ++y, to_nodes += cloud->width) {
                    memcpy(to_nodes, &table[base[0] % EDGE + x][base[1] % EDGE + y][base[2] % EDGE],
                           run);
                }
            }
        }
    }
}

// ---- cells of nodes

// Which block of cells is where a block of nodes is.
static void match_blocks(pli_cloud *cloud)
{
    memset(cloud->node_block_cells, 0xff,
           (size_t)cloud->nodes->block_count * sizeof *cloud->node_block_cells);
    for (int32_t b = 0; b < cloud->block_count; ++b) {
        int32_t at[3];
        block_at(cloud, b, at);
        cloud->node_block_cells[pli_node_grid_find_block(cloud->nodes, at)] = b;
    }
}

// Cells around the nodes of a block, which stand in the upper half of the table.
static void list_cells_around(const pli_cloud *cloud, const pli_node_block *nodes,
                              number_table table)
{
    memset(table, 0xff, sizeof(number_table));
    for (int e = 0; e < 8; ++e) {
        int32_t to[3];
        if (!step_to(nodes->at, -1, e, to)) continue;
        int32_t same = pli_node_grid_find_block(cloud->nodes, to);
        int32_t block = same < 0 ? -1 : cloud->node_block_cells[same];
        if (block < 0) continue;
        const int32_t corner[3] = {EDGE * (1 - e / 4), EDGE * (1 - e / 2 % 2), EDGE * (1 - e % 2)};
        enter_block(table, corner, cloud->block_cells[block], cloud->block_cell[block]);
    }
}

// Where the cells of a node stand in a table, counted back from the node, by the place of the node
// in the cell.
typedef struct cell_steps {
    int32_t count;
    int32_t back[PLI_SPLINE_NODES];
} cell_steps;

static cell_steps list_steps(int32_t width)
{
    cell_steps steps = {.count = width * width * width};
    for (int32_t place = 0; place < steps.count; ++place) {
        int32_t i = place / (width * width), j = place / width % width, k = place % width;
        steps.back[place] = (i * TABLE + j) * TABLE + k;
    }
    return steps;
}

// Writes the entries of a node of a block, in the order of places; returns their number. entries
// NULL: only counts.
static int32_t list_node_cells(const cell_steps *steps, number_table table, int32_t bit,
                               int32_t *entries)
{
    const int32_t *node = &table[EDGE + bit / 16][EDGE + bit / 4 % 4][EDGE + bit % 4];
    int32_t count = 0;
    for (int32_t place = 0; place < steps->count; ++place) {
        int32_t cell = node[-steps->back[place]];
        if (cell < 0) continue;
        if (entries != NULL) entries[count] = cell * steps->count + place;
        ++count;
    }
    return count;
}

typedef struct entry_job {
    pli_cloud *cloud;
    bool writes; // else node_start of the next node becomes their number
} entry_job;

// Counts or writes the entries of the nodes of some blocks.
static void list_entries(void *user, int64_t begin, int64_t end)
{
    const entry_job *job = user;
    pli_cloud *cloud = job->cloud;
    cell_steps steps = list_steps(cloud->width);
    for (int64_t b = begin; b < end; ++b) {
        const pli_node_block *block = &cloud->nodes->blocks[b];
        number_table table;
        list_cells_around(cloud, block, table);
        int32_t *start = cloud->node_start + block->first;
        for (uint64_t bits = block->nodes; bits != 0; bits &= bits - 1, ++start) {
            int32_t *entries = job->writes ? cloud->node_entry + *start : NULL;
            int32_t count = list_node_cells(&steps, table, __builtin_ctzll(bits), entries);
            if (!job->writes) start[1] = count;
        }
    }
}

static pli_status reserve_nodes(pli_cloud *cloud)
{
    static const char what[] = "nodes of a step";
    int32_t count = cloud->nodes->count, blocks = cloud->nodes->block_room;
    if (count > cloud->node_room || cloud->node_start == NULL) {
        int64_t room = (int64_t)count + count / 4;
        PLI_TRY(PLI_RESIZE(cloud->context, cloud->node_start, room + 1, what));
        cloud->node_room = (int32_t)room;
    }
    if (blocks > cloud->node_block_room) {
        PLI_TRY(PLI_RESIZE(cloud->context, cloud->node_block_cells, blocks, what));
        cloud->node_block_room = blocks;
    }
    return PLI_OK;
}

pli_status pli_cloud_find_nodes(pli_cloud *cloud)
{
    pli_context *context = cloud->context;
    PLI_TRY(mark_nodes(cloud));
    PLI_TRY(reserve_nodes(cloud));
    match_blocks(cloud);
    pli_parallel_for(context, cloud->block_count, BLOCK_GRAIN, find_nodes, cloud);
    entry_job job = {cloud, false};
    pli_parallel_for(context, cloud->nodes->block_count, BLOCK_GRAIN, list_entries, &job);
    cloud->node_start[0] = 0;
    for (int32_t node = 0; node < cloud->nodes->count; ++node) {
        cloud->node_start[node + 1] += cloud->node_start[node];
    }
    job.writes = true;
    pli_parallel_for(context, cloud->nodes->block_count, BLOCK_GRAIN, list_entries, &job);
    return PLI_OK;
}

// ---- sums of nodes

typedef struct gather_job {
    const pli_cloud *cloud;
    double *first;  // [nodes]    the first of four numbers; NULL: there are three, all for `vector`
    double *vector; // [nodes][3]
} gather_job;

static void gather_nodes(void *user, int64_t begin, int64_t end)
{
    const gather_job *job = user;
    const pli_cloud *cloud = job->cloud;
    int skip = job->first != NULL;
    for (int64_t node = begin; node < end; ++node) {
        double sum[4] = {0, 0, 0, 0};
        for (int32_t k = cloud->node_start[node]; k < cloud->node_start[node + 1]; ++k) {
            const double *given = cloud->cell_sums + 4 * (int64_t)cloud->node_entry[k];
            for (int c = 0; c < 4; ++c) sum[c] += given[c];
        }
        if (skip) job->first[node] += sum[0];
        for (int c = 0; c < 3 && job->vector != NULL; ++c) {
            job->vector[3 * node + c] += sum[skip + c];
        }
    }
}

void pli_cloud_gather(const pli_cloud *cloud, double *first, double *vector)
{
    gather_job job = {cloud, first, vector};
    pli_parallel_for(cloud->context, cloud->nodes->count, NODE_GRAIN, gather_nodes, &job);
}

// ---- blocks by colours

typedef struct color_job {
    const pli_cloud *cloud;
    pli_range_fn body;
    void *user;
    int32_t first; // of the colour, among blocks by colours
} color_job;

static void run_some_blocks(void *user, int64_t begin, int64_t end)
{
    const color_job *job = user;
    const pli_cloud *cloud = job->cloud;
    for (int64_t k = begin; k < end; ++k) {
        int32_t block = cloud->blocks_by_color[job->first + k];
        job->body(job->user, cloud->block_cell[block], cloud->block_cell[block + 1]);
    }
}

static void run_colors(void *user)
{
    color_job *job = user;
    const pli_cloud *cloud = job->cloud;
    for (int color = 0; color < PLI_NODE_COLORS; ++color) {
        job->first = cloud->color_start[color];
        int32_t count = cloud->color_start[color + 1] - job->first;
        if (count > 0) pli_parallel_for(cloud->context, count, 1, run_some_blocks, job);
    }
}

void pli_cloud_run_blocks(const pli_cloud *cloud, pli_range_fn body, void *user)
{
    color_job job = {.cloud = cloud, .body = body, .user = user};
    // eight short loops
    pli_parallel_team(cloud->context, run_colors, &job);
}
