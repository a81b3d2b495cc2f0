// SPDX-License-Identifier: Apache-2.0
#include "mpm/implicit/cloud_inside.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "mpm/grid/morton.h"

#include <string.h>

enum {
    LANES = PLI_CLOUD_LANES,
    CELL_GRAIN = 8,
    ROW_GRAIN = 1024,
    DIGIT = 11, // bits of a key that are sorted at once
    RADIX = 1 << DIGIT,
    PAGE = 512,    // numbers of 4 KB
    PAGE_SKEW = 8, // a cache line
    FILL_AHEAD = 6 // particles that are asked for before they are needed
};

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
    PLI_RELEASE(context, cloud->cell_slot, cloud->cell_base, cloud->cell_node, cloud->cell_sums,
                cloud->cell_key, cloud->block_cell, cloud->block_cells, cloud->node_block_cells,
                cloud->blocks_by_color, cloud->node_start, cloud->node_entry, cloud->keys, cloud);
}

int64_t pli_cloud_memory(const pli_cloud *cloud)
{
    int64_t bytes = pli_node_grid_memory(cloud->nodes);
    const void *others[] = {cloud->cell_slot,       cloud->cell_base,        cloud->cell_node,
                            cloud->cell_sums,       cloud->cell_key,         cloud->block_cell,
                            cloud->blocks_by_color, cloud->block_cells,      cloud->node_start,
                            cloud->node_entry,      cloud->node_block_cells, cloud->keys};
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
        bytes += (int64_t)pli_memory_size(others[k]);
    }
#define X(member, numbers) bytes += (int64_t)pli_memory_size(cloud->member);
    SLOT_ARRAYS(X)
#undef X
    return bytes;
}

static const char what[] = "particles of a step";

// ---- order

// Blocks by their Morton code, cells of a block with z fastest.
static uint64_t cell_code(const int32_t base[3])
{
    const int32_t block[3] = {base[0] >> 2, base[1] >> 2, base[2] >> 2};
    uint64_t inside = (uint64_t)(16 * (base[0] & 3) + 4 * (base[1] & 3) + (base[2] & 3));
    return pli_morton(block) << 6 | inside;
}

// no cell has this code: coordinates end before
static const uint64_t nowhere = UINT64_MAX;

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

// Sorts keys by the bits of their codes that differ, some at a time; equal ones keep their order.
// Returns where they are then.
static pli_cloud_key *sort_keys(pli_cloud_key *keys, pli_cloud_key *other, int64_t count,
                                uint64_t differing)
{
    for (int shift = 0; shift < 64 && differing >> shift != 0; shift += DIGIT) {
        // from the first bit that differs on
        shift += __builtin_ctzll(differing >> shift);
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

typedef struct key_job {
    pli_cloud *cloud;
    const pli_cloud_source *source;
} key_job;

// Keys of rows; that of a particle where there are no nodes is `nowhere`.
static void set_keys(void *user, int64_t begin, int64_t end)
{
    const key_job *job = user;
    for (int64_t row = begin; row < end; ++row) {
        int32_t base[3];
        double f[3];
        bool is_found = locate(job->cloud, job->source->position + 3 * row, base, f);
        job->cloud->keys[row] = (pli_cloud_key){is_found ? cell_code(base) : nowhere, (int32_t)row};
    }
}

static pli_status order_particles(pli_cloud *cloud, const pli_cloud_source *source,
                                  pli_cloud_key **sorted)
{
    int64_t count = source->count;
    if (count > cloud->sort_room) {
        int64_t room = count + count / 4;
        PLI_TRY(PLI_RESIZE(cloud->context, cloud->keys, 2 * room, what));
        cloud->sort_room = room;
    }
    key_job job = {cloud, source};
    pli_parallel_for(cloud->context, count, ROW_GRAIN, set_keys, &job);
    uint64_t any = 0, all = UINT64_MAX;
    for (int64_t row = 0; row < count; ++row) {
        uint64_t code = cloud->keys[row].code;
        if (code == nowhere) return fail_at(cloud, row, source->position + 3 * row);
        any |= code;
        all &= code;
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
    pli_context *context = cloud->context;
    if (slots > cloud->slot_room) {
        // planes that are a multiple of 4 KB apart would share a few places of the nearest cache
        int64_t room = ((int64_t)slots + slots / 4) / PAGE * PAGE + PAGE + PAGE_SKEW;
#define X(member, numbers) PLI_TRY(PLI_RESIZE(context, cloud->member, room *(numbers), what));
        SLOT_ARRAYS(X)
#undef X
        cloud->slot_room = (int32_t)room;
    }
    // lists of starts have an entry even when there is nothing
    if (cells > cloud->cell_room || cloud->cell_room == 0) {
        int64_t room = (int64_t)cells + cells / 4 + 1;
        int64_t entries = room * cloud->cell_nodes;
        PLI_TRY(PLI_RESIZE(context, cloud->cell_slot, room + 1, what));
        PLI_TRY(PLI_RESIZE(context, cloud->cell_key, room + 1, what));
        PLI_TRY(PLI_RESIZE(context, cloud->cell_base, 3 * room, what));
        PLI_TRY(PLI_RESIZE(context, cloud->cell_node, entries, what));
        PLI_TRY(PLI_RESIZE(context, cloud->cell_sums, 4 * entries, what));
        PLI_TRY(PLI_RESIZE(context, cloud->node_entry, entries, what));
        // there are no more blocks than cells
        PLI_TRY(PLI_RESIZE(context, cloud->block_cell, room + 1, what));
        PLI_TRY(PLI_RESIZE(context, cloud->block_cells, room, what));
        PLI_TRY(PLI_RESIZE(context, cloud->blocks_by_color, room, what));
        cloud->cell_room = (int32_t)room;
    }
    return PLI_OK;
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
    cloud->mass[slot] = common->mass;
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

// Where cells and blocks of cells begin, among keys and slots.
static void list_cells(pli_cloud *cloud, const pli_cloud_key *keys, int64_t count)
{
    int32_t slot = 0;
    cloud->cell_count = cloud->block_count = 0;
    for (int64_t begin = 0, end; begin < count; begin = end) {
        if (begin == 0 || keys[begin].code >> 6 != keys[begin - 1].code >> 6) {
            cloud->block_cells[cloud->block_count] = 0;
            cloud->block_cell[cloud->block_count++] = cloud->cell_count;
        }
        cloud->block_cells[cloud->block_count - 1] |= 1ull << (keys[begin].code & 63);
        cloud->cell_key[cloud->cell_count] = (int32_t)begin;
        cloud->cell_slot[cloud->cell_count++] = slot;
        for (end = begin + 1; end < count && keys[end].code == keys[begin].code;) ++end;
        slot += (int32_t)((end - begin + LANES - 1) / LANES * LANES);
    }
    cloud->cell_key[cloud->cell_count] = (int32_t)count;
    cloud->cell_slot[cloud->cell_count] = slot;
    cloud->block_cell[cloud->block_count] = cloud->cell_count;
    cloud->slot_count = slot;
    cloud->count = (int32_t)count;
}

typedef struct fill_job {
    pli_cloud *cloud;
    const pli_cloud_source *source;
    const pli_cloud_key *keys;
} fill_job;

// Asks for the numbers of a row.
static void expect_row(const pli_cloud_source *source, int64_t row)
{
    __builtin_prefetch(source->position + 3 * row);
    __builtin_prefetch(source->velocity + 3 * row);
    __builtin_prefetch(source->affine + 9 * row);
    __builtin_prefetch(source->affine + 9 * row + 8);
    __builtin_prefetch(source->deformation + 9 * row);
    __builtin_prefetch(source->deformation + 9 * row + 8);
    __builtin_prefetch(source->memory + row);
    __builtin_prefetch(source->kind + row);
}

static void fill_cells(void *user, int64_t first_cell, int64_t end_cell)
{
    const fill_job *job = user;
    pli_cloud *cloud = job->cloud;
    for (int64_t cell = first_cell; cell < end_cell; ++cell) {
        int32_t *base = cloud->cell_base + 3 * cell;
        int64_t slot = cloud->cell_slot[cell];
        for (int64_t k = cloud->cell_key[cell]; k < cloud->cell_key[cell + 1]; ++k) {
            int64_t later = k + FILL_AHEAD < cloud->count ? k + FILL_AHEAD : k;
            expect_row(job->source, job->keys[later].row);
            fill_slot(cloud, job->source, slot++, job->keys[k].row, base);
        }
        while (slot % LANES != 0) fill_idle(cloud, slot++);
    }
}

// Blocks by colours, those of a colour by their particles, the largest first and roughly: who
// shares them out to threads is left with small ones in the end.
static void color_blocks(pli_cloud *cloud)
{
    enum { SIZES = 16, MOST = 64 * 4 * LANES, PLACES = PLI_NODE_COLORS * SIZES };
    int32_t place[PLACES + 1] = {0};
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t b = 0; b < cloud->block_count; ++b) {
            int32_t first = cloud->block_cell[b], last = cloud->block_cell[b + 1];
            const int32_t *base = cloud->cell_base + 3 * (int64_t)first;
            int color = 4 * (base[0] >> 2 & 1) + 2 * (base[1] >> 2 & 1) + (base[2] >> 2 & 1);
            int64_t slots = cloud->cell_slot[last] - cloud->cell_slot[first];
            int64_t size = slots < MOST ? slots * SIZES / MOST : SIZES - 1;
            int64_t key = SIZES * color + SIZES - 1 - size;
            if (pass == 0) {
                ++place[key + 1];
            } else {
                cloud->blocks_by_color[place[key]++] = b;
            }
        }
        if (pass == 1) break;
        for (int k = 0; k < PLACES; ++k) place[k + 1] += place[k];
        for (int k = 0; k <= PLI_NODE_COLORS; ++k) cloud->color_start[k] = place[SIZES * k];
    }
}

pli_status pli_cloud_build(pli_cloud *cloud, const pli_cloud_source *source)
{
    pli_cloud_key *keys = NULL;
    int32_t cells, slots;
    PLI_TRY(order_particles(cloud, source, &keys));
    count_cells(keys, source->count, &cells, &slots);
    PLI_TRY(reserve(cloud, cells, slots));
    list_cells(cloud, keys, source->count);
    fill_job fill = {cloud, source, keys};
    pli_parallel_for(cloud->context, cloud->cell_count, CELL_GRAIN, fill_cells, &fill);
    color_blocks(cloud);
    return pli_cloud_find_nodes(cloud);
}
