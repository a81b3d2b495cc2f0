// SPDX-License-Identifier: Apache-2.0
#include "mpm/cloud_inside.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "mpm/morton.h"

#include <string.h>

enum { LANES = PLI_CLOUD_LANES, CELL_GRAIN = 8, NODE_GRAIN = 64, RADIX = 256 };

// a particle on its way to its cell: order of cells, then of rows
typedef struct pli_cloud_key {
    uint64_t code;
    int32_t row;
} pli_cloud_key;

// ---- life

static pli_status check_def(pli_context *context, const pli_cloud_def *def)
{
    if (def->kind_count >= 1 && def->dx > 0 && isfinite(def->dx)) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "%d kinds of particles in cells of %g m; there must be at least one, and cells "
                    "must be positive and finite",
                    (int)def->kind_count, def->dx);
}

pli_status pli_cloud_create(pli_context *context, const pli_cloud_def *def, pli_cloud **cloud)
{
    *cloud = NULL;
    PLI_TRY(check_def(context, def));
    pli_cloud *made = PLI_NEW(context, pli_cloud, 1, "particles of a step");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->spline = def->spline;
    made->width = pli_spline_width(def->spline);
    made->cell_nodes = made->width * made->width * made->width;
    made->dx = def->dx;
    memcpy(made->origin, def->origin, sizeof made->origin);
    made->kind_count = def->kind_count;
    made->kinds = PLI_NEW(context, pli_cloud_kind, def->kind_count, "kinds");
    pli_status status = made->kinds != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_node_grid_create(context, &made->nodes);
    if (status != PLI_OK) {
        pli_cloud_destroy(made);
        return status;
    }
    memcpy(made->kinds, def->kinds, (size_t)def->kind_count * sizeof *made->kinds);
    *cloud = made;
    return PLI_OK;
}

// X(member, numbers of a slot)
#define SLOT_ARRAYS(X) \
    X(f, 3) X(v, 3) X(C, 9) X(F, 9) X(mass, 1) X(volume, 1) X(memory, 1) X(kind, 1) X(row, 1)

void pli_cloud_destroy(pli_cloud *cloud)
{
    if (cloud == NULL) return;
    pli_context *context = cloud->context;
    pli_node_grid_destroy(cloud->nodes);
    pli_release(context, cloud->kinds);
#define X(member, numbers) pli_release(context, cloud->member);
    SLOT_ARRAYS(X)
#undef X
    pli_release(context, cloud->cell_slot);
    pli_release(context, cloud->cell_base);
    pli_release(context, cloud->cell_node);
    pli_release(context, cloud->cell_sums);
    pli_release(context, cloud->block_cell);
    pli_release(context, cloud->blocks_by_color);
    pli_release(context, cloud->node_start);
    pli_release(context, cloud->node_entry);
    pli_release(context, cloud->keys);
    pli_release(context, cloud);
}

int64_t pli_cloud_memory(const pli_cloud *cloud)
{
    int64_t bytes = pli_node_grid_memory(cloud->nodes);
    const void *others[] = {cloud->cell_slot,  cloud->cell_base,  cloud->cell_node,
                            cloud->cell_sums,  cloud->block_cell, cloud->blocks_by_color,
                            cloud->node_start, cloud->node_entry, cloud->keys};
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
        bytes += (int64_t)pli_memory_size(others[k]);
    }
#define X(member, numbers) bytes += (int64_t)pli_memory_size(cloud->member);
    SLOT_ARRAYS(X)
#undef X
    return bytes;
}

static bool grow(pli_cloud *cloud, void **array, int64_t count, size_t size)
{
    void *grown = pli_reallocate(cloud->context, *array, count, size, "particles of a step");
    if (grown != NULL) *array = grown;
    return grown != NULL;
}

// ---- order

// Blocks by their Morton code, cells of a block with z fastest.
static uint64_t cell_code(const int32_t base[3])
{
    const int32_t block[3] = {base[0] >> 2, base[1] >> 2, base[2] >> 2};
    uint64_t inside = (uint64_t)(16 * (base[0] & 3) + 4 * (base[1] & 3) + (base[2] & 3));
    return pli_morton(block) << 6 | inside;
}

static bool locate(const pli_cloud *cloud, const double x[3], int32_t base[3], double f[3])
{
    for (int k = 0; k < 3; ++k) {
        double u = (x[k] - cloud->origin[k]) / cloud->dx;
        double low = pli_spline_base(cloud->spline, u);
        // written so that a NaN fails
        if (!(low >= 0 && low < PLI_NODE_LIMIT - PLI_SPLINE_WIDTH)) return false;
        base[k] = (int32_t)low;
        f[k] = u - low;
    }
    return true;
}

// Sorts keys by the bits of their codes that differ, eight at a time; equal ones keep their order.
// Returns where they are then.
static pli_cloud_key *sort_keys(pli_cloud_key *keys, pli_cloud_key *other, int64_t count,
                                uint64_t differing)
{
    for (int shift = 0; shift < 64; shift += 8) {
        if ((differing >> shift & (RADIX - 1)) == 0) continue;
        int64_t place[RADIX] = {0};
        for (int64_t k = 0; k < count; ++k) ++place[keys[k].code >> shift & (RADIX - 1)];
        int64_t first = 0;
        for (int digit = 0; digit < RADIX; ++digit) {
            int64_t here = place[digit];
            place[digit] = first;
            first += here;
        }
        for (int64_t k = 0; k < count; ++k) {
            other[place[keys[k].code >> shift & (RADIX - 1)]++] = keys[k];
        }
        pli_cloud_key *swap = keys;
        keys = other;
        other = swap;
    }
    return keys;
}

static pli_status fail_at(const pli_cloud *cloud, int64_t row, const double x[3])
{
    return PLI_FAIL(cloud->context, PLI_ERROR_NUMERIC,
                    "particle %lld is at (%g, %g, %g) m, where the grid has no nodes",
                    (long long)row, x[0], x[1], x[2]);
}

static pli_status order_particles(pli_cloud *cloud, const pli_cloud_source *source,
                                  pli_cloud_key **sorted)
{
    int64_t count = source->count;
    if (count > cloud->sort_room) {
        int64_t room = count + count / 4;
        if (!grow(cloud, (void **)&cloud->keys, 2 * room, sizeof *cloud->keys)) {
            return PLI_ERROR_MEMORY;
        }
        cloud->sort_room = room;
    }
    uint64_t any = 0, all = UINT64_MAX;
    for (int64_t row = 0; row < count; ++row) {
        int32_t base[3];
        double f[3];
        const double *x = source->position + 3 * row;
        if (!locate(cloud, x, base, f)) return fail_at(cloud, row, x);
        cloud->keys[row] = (pli_cloud_key){cell_code(base), (int32_t)row};
        any |= cloud->keys[row].code;
        all &= cloud->keys[row].code;
    }
    *sorted = sort_keys(cloud->keys, cloud->keys + cloud->sort_room, count, any & ~all);
    return PLI_OK;
}

// ---- cells

static void count_cells(const pli_cloud_key *keys, int64_t count, int32_t *cells, int32_t *slots)
{
    *cells = *slots = 0;
    for (int64_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && keys[end].code == keys[begin].code) ++end;
        ++*cells;
        *slots += (int32_t)((end - begin + LANES - 1) / LANES * LANES);
    }
}

static pli_status reserve(pli_cloud *cloud, int32_t cells, int32_t slots)
{
    bool good = true;
    if (slots > cloud->slot_room) {
        int64_t room = (int64_t)slots + slots / 4 / LANES * LANES;
#define X(member, numbers) \
    good = good && grow(cloud, (void **)&cloud->member, room * (numbers), sizeof *cloud->member);
        SLOT_ARRAYS(X)
#undef X
        if (good) cloud->slot_room = (int32_t)room;
    }
    // lists of starts have an entry even when there is nothing
    if (good && (cells > cloud->cell_room || cloud->cell_room == 0)) {
        int64_t room = (int64_t)cells + cells / 4 + 1;
        int64_t entries = room * cloud->cell_nodes;
        good = grow(cloud, (void **)&cloud->cell_slot, room + 1, sizeof *cloud->cell_slot) &&
               grow(cloud, (void **)&cloud->cell_base, 3 * room, sizeof *cloud->cell_base) &&
               grow(cloud, (void **)&cloud->cell_node, entries, sizeof *cloud->cell_node) &&
               grow(cloud, (void **)&cloud->cell_sums, 4 * entries, sizeof *cloud->cell_sums) &&
               grow(cloud, (void **)&cloud->node_entry, entries, sizeof *cloud->node_entry) &&
               // there are no more blocks than cells
               grow(cloud, (void **)&cloud->block_cell, room + 1, sizeof *cloud->block_cell) &&
               grow(cloud, (void **)&cloud->blocks_by_color, room, sizeof *cloud->blocks_by_color);
        if (good) cloud->cell_room = (int32_t)room;
    }
    return good ? PLI_OK : PLI_ERROR_MEMORY;
}

static void fill_slot(pli_cloud *cloud, const pli_cloud_source *source, int64_t slot, int32_t row,
                      int32_t base[3])
{
    int64_t stride = cloud->slot_room;
    double f[3] = {0, 0, 0};
    (void)locate(cloud, source->position + 3 * (int64_t)row, base, f);
    for (int k = 0; k < 3; ++k) {
        cloud->f[k * stride + slot] = f[k];
        cloud->v[k * stride + slot] = source->velocity[3 * (int64_t)row + k];
    }
    for (int k = 0; k < 9; ++k) {
        cloud->C[k * stride + slot] = source->affine[9 * (int64_t)row + k];
        cloud->F[k * stride + slot] = source->deformation[9 * (int64_t)row + k];
    }
    int32_t kind = source->kind[row];
    const pli_cloud_kind *common = &cloud->kinds[kind];
    double share = source->volume != NULL ? source->volume[row] / common->volume : 1;
    cloud->mass[slot] = share * common->mass;
    cloud->volume[slot] = source->volume != NULL ? source->volume[row] : common->volume;
    cloud->memory[slot] = source->memory[row];
    cloud->kind[slot] = kind;
    cloud->row[slot] = row;
}

// A slot that is left over looks like the one before it, but weighs nothing.
static void fill_idle(pli_cloud *cloud, int64_t slot)
{
    int64_t stride = cloud->slot_room;
    for (int k = 0; k < 3; ++k) {
        cloud->f[k * stride + slot] = cloud->f[k * stride + slot - 1];
        cloud->v[k * stride + slot] = 0;
    }
    for (int k = 0; k < 9; ++k) {
        cloud->C[k * stride + slot] = 0;
        cloud->F[k * stride + slot] = cloud->F[k * stride + slot - 1];
    }
    cloud->mass[slot] = cloud->volume[slot] = 0;
    cloud->memory[slot] = cloud->memory[slot - 1];
    cloud->kind[slot] = cloud->kind[slot - 1];
    cloud->row[slot] = -1;
}

static void fill_cells(pli_cloud *cloud, const pli_cloud_source *source, const pli_cloud_key *keys)
{
    int32_t slot = 0;
    cloud->cell_count = cloud->block_count = 0;
    for (int64_t begin = 0, end; begin < source->count; begin = end) {
        end = begin;
        if (begin == 0 || keys[begin].code >> 6 != keys[begin - 1].code >> 6) {
            cloud->block_cell[cloud->block_count++] = cloud->cell_count;
        }
        int32_t cell = cloud->cell_count++;
        cloud->cell_slot[cell] = slot;
        for (; end < source->count && keys[end].code == keys[begin].code; ++end) {
            fill_slot(cloud, source, slot++, keys[end].row, cloud->cell_base + 3 * (int64_t)cell);
        }
        while (slot % LANES != 0) fill_idle(cloud, slot++);
    }
    cloud->cell_slot[cloud->cell_count] = slot;
    cloud->block_cell[cloud->block_count] = cloud->cell_count;
    cloud->slot_count = slot;
    cloud->count = (int32_t)source->count;
}

static void color_blocks(pli_cloud *cloud)
{
    int32_t place[PLI_NODE_COLORS] = {0};
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t b = 0; b < cloud->block_count; ++b) {
            const int32_t *base = cloud->cell_base + 3 * (int64_t)cloud->block_cell[b];
            int color = 4 * (base[0] >> 2 & 1) + 2 * (base[1] >> 2 & 1) + (base[2] >> 2 & 1);
            if (pass == 0) {
                ++place[color];
            } else {
                cloud->blocks_by_color[place[color]++] = b;
            }
        }
        if (pass == 1) break;
        cloud->color_start[0] = 0;
        for (int c = 0; c < PLI_NODE_COLORS; ++c) {
            cloud->color_start[c + 1] = cloud->color_start[c] + place[c];
            place[c] = cloud->color_start[c];
        }
    }
}

// ---- nodes

static void find_nodes(void *user, int64_t begin, int64_t end)
{
    const pli_cloud *cloud = user;
    for (int64_t cell = begin; cell < end; ++cell) {
        pli_node_grid_find_box(cloud->nodes, cloud->cell_base + 3 * cell, cloud->width,
                               cloud->cell_node + cell * cloud->cell_nodes);
    }
}

static pli_status list_entries(pli_cloud *cloud)
{
    int32_t count = cloud->nodes->count;
    if (count > cloud->node_room || cloud->node_room == 0) {
        int64_t room = (int64_t)count + count / 4 + 1;
        if (!grow(cloud, (void **)&cloud->node_start, room + 1, sizeof *cloud->node_start)) {
            return PLI_ERROR_MEMORY;
        }
        cloud->node_room = (int32_t)room;
    }
    int64_t entries = (int64_t)cloud->cell_count * cloud->cell_nodes;
    int32_t *start = cloud->node_start;
    memset(start, 0, ((size_t)count + 1) * sizeof *start);
    for (int64_t k = 0; k < entries; ++k) ++start[cloud->cell_node[k] + 1];
    for (int32_t node = 0; node < count; ++node) start[node + 1] += start[node];
    for (int64_t k = 0; k < entries; ++k) {
        cloud->node_entry[start[cloud->cell_node[k]]++] = (int32_t)k;
    }
    // starts have moved on to the next node's
    for (int32_t node = count; node > 0; --node) start[node] = start[node - 1];
    start[0] = 0;
    return PLI_OK;
}

pli_status pli_cloud_build(pli_cloud *cloud, const pli_cloud_source *source)
{
    pli_cloud_key *keys = NULL;
    int32_t cells, slots;
    PLI_TRY(order_particles(cloud, source, &keys));
    count_cells(keys, source->count, &cells, &slots);
    PLI_TRY(reserve(cloud, cells, slots));
    fill_cells(cloud, source, keys);
    color_blocks(cloud);
    pli_node_grid_clear(cloud->nodes);
    for (int64_t cell = 0; cell < cloud->cell_count; ++cell) {
        PLI_TRY(pli_node_grid_mark(cloud->nodes, cloud->cell_base + 3 * cell, cloud->width));
    }
    PLI_TRY(pli_node_grid_finish(cloud->nodes));
    pli_parallel_for(cloud->context, cloud->cell_count, CELL_GRAIN, find_nodes, cloud);
    return list_entries(cloud);
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

void pli_cloud_run_blocks(const pli_cloud *cloud, pli_range_fn body, void *user)
{
    color_job job = {.cloud = cloud, .body = body, .user = user};
    for (int color = 0; color < PLI_NODE_COLORS; ++color) {
        job.first = cloud->color_start[color];
        int32_t count = cloud->color_start[color + 1] - job.first;
        if (count > 0) pli_parallel_for(cloud->context, count, 1, run_some_blocks, &job);
    }
}
