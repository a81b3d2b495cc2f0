// SPDX-License-Identifier: Apache-2.0
#include "mpm/seed/seeding_fill.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/generate/block.h"

enum {
    POINT_ROOM = 1024, // points that are tested at once; no fewer than a cell may have
    PLACE_GRAIN = 64,  // blocks
    BLOCK_GRAIN = 4,   // blocks
    PHASE_BITS = 30    // of a cell, for where in a cell the grid's origin is
};

_Static_assert((int)POINT_ROOM >= (int)PLI_SEEDING_CELL_ROOM,
               "the points of a cell are tested together");

// bounds may be off by rounding; cells are looked at this far beyond them
static const double margin_cells = 1e-6;

typedef struct fill_job {
    const pli_seeding_pattern *pattern;
    const pli_seeding_body *body;
    double dx;
    double phase[3];   // corner of cell 0 (in cells), in [0, 1)
    int64_t lowest[3]; // block
    int64_t blocks[3]; // along each axis

    uint8_t *places; // [blocks] pli_seeding_place
    int32_t *active; // [active_count] blocks that are not outside
    int32_t active_count;
    uint64_t *masks;  // [active_count][most] a bit for each of a block's particles: it is inside
    int64_t *offsets; // [active_count + 1] where the positions of a block begin
    double *positions;
} fill_job;

// ---- the grid

// Only where in a cell the origin is matters, in fixed point: whole cells then drop out exactly.
static double phase_of(double origin, double dx)
{
    const int64_t one = (int64_t)1 << PHASE_BITS;
    int64_t fixed = llround(origin / dx * (double)one);
    return (double)(fixed & (one - 1)) / (double)one;
}

static int64_t divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

// Finds the blocks around the body. Returns false when there are too many to count.
static bool cover_body(fill_job *job, const pli_seeding_def *def)
{
    const double limit = (double)((int64_t)1 << (PHASE_BITS + 1)); // cells
    double total = 1;
    for (int k = 0; k < 3; ++k) {
        double low = job->body->bounds.min[k] / def->dx - job->phase[k] - margin_cells;
        double high = job->body->bounds.max[k] / def->dx - job->phase[k] + margin_cells;
        if (!(low > -limit && high < limit)) return false;
        job->lowest[k] = divide_down((int64_t)floor(low), PLI_BLOCK_SIDE);
        job->blocks[k] = divide_down((int64_t)floor(high), PLI_BLOCK_SIDE) + 1 - job->lowest[k];
        total *= (double)job->blocks[k];
    }
    return total < INT32_MAX;
}

static void lowest_cell(const fill_job *job, int64_t block, int64_t cell[3])
{
    const int64_t at[3] = {block % job->blocks[0], block / job->blocks[0] % job->blocks[1],
                           block / (job->blocks[0] * job->blocks[1])};
    for (int k = 0; k < 3; ++k) cell[k] = PLI_BLOCK_SIDE * (job->lowest[k] + at[k]);
}

// Positions (m) of the particles of one of the 64 cells of a block; returns how many.
static int32_t cell_positions(const fill_job *job, const int64_t lowest[3], int32_t cell,
                              double *points)
{
    int32_t at[3];
    int64_t number[3];
    double corner[3];
    pli_block_coordinates(cell, at);
    for (int k = 0; k < 3; ++k) {
        number[k] = lowest[k] + at[k];
        corner[k] = (double)number[k] + job->phase[k];
    }
    int32_t count = pli_seeding_pattern_compute(job->pattern, number, points);
    for (int32_t i = 0; i < count; ++i) {
        for (int k = 0; k < 3; ++k) points[3 * i + k] = job->dx * (corner[k] + points[3 * i + k]);
    }
    return count;
}

// ---- stages

static void place_blocks(void *user, int64_t begin, int64_t end)
{
    const fill_job *job = user;
    for (int64_t block = begin; block < end; ++block) {
        int64_t cell[3];
        pli_bounds box;
        lowest_cell(job, block, cell);
        for (int k = 0; k < 3; ++k) {
            box.min[k] = job->dx * ((double)cell[k] + job->phase[k]);
            box.max[k] = job->dx * ((double)(cell[k] + PLI_BLOCK_SIDE) + job->phase[k]);
        }
        job->places[block] = (uint8_t)job->body->place(job->body->data, &box);
    }
}

// Sets bits [first, first + count) of a mask for points that are inside; returns their number.
static int32_t mark_points(const fill_job *job, int64_t active, int32_t first, int32_t count,
                           const double *points)
{
    bool inside[POINT_ROOM];
    uint64_t *mask = job->masks + active * job->pattern->most;
    bool is_inside = job->places[job->active[active]] == PLI_SEEDING_INSIDE;
    if (!is_inside) job->body->test(job->body->data, count, points, inside);
    int32_t found = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (!is_inside && !inside[i]) continue;
        mask[(first + i) / 64] |= (uint64_t)1 << (first + i) % 64;
        ++found;
    }
    return found;
}

// Particles of a block that are inside.
static int32_t mark_block(const fill_job *job, int64_t active)
{
    double points[3 * POINT_ROOM];
    int64_t lowest[3];
    lowest_cell(job, job->active[active], lowest);
    int32_t found = 0, done = 0, held = 0;
    for (int32_t cell = 0; cell < PLI_BLOCK_CELLS; ++cell) {
        held += cell_positions(job, lowest, cell, points + 3 * held);
        bool is_last = cell + 1 == PLI_BLOCK_CELLS;
        if (!is_last && held + job->pattern->most <= POINT_ROOM) continue;
        found += mark_points(job, active, done, held, points);
        done += held;
        held = 0;
    }
    return found;
}

static void mark_blocks(void *user, int64_t begin, int64_t end)
{
    fill_job *job = user;
    for (int64_t a = begin; a < end; ++a) job->offsets[a + 1] = mark_block(job, a);
}

static void write_blocks(void *user, int64_t begin, int64_t end)
{
    const fill_job *job = user;
    double points[3 * POINT_ROOM];
    for (int64_t a = begin; a < end; ++a) {
        const uint64_t *mask = job->masks + a * job->pattern->most;
        double *out = job->positions + 3 * job->offsets[a];
        int64_t lowest[3];
        lowest_cell(job, job->active[a], lowest);
        int32_t done = 0;
        for (int32_t cell = 0; cell < PLI_BLOCK_CELLS; ++cell) {
            int32_t count = cell_positions(job, lowest, cell, points);
            for (int32_t i = 0; i < count; ++i, ++done) {
                if ((mask[done / 64] >> done % 64 & 1) == 0) continue;
                pli_vec3_copy(points + 3 * i, out);
                out += 3;
            }
        }
    }
}

// ---- memory

static pli_status list_active(pli_context *context, fill_job *job)
{
    int64_t blocks = job->blocks[0] * job->blocks[1] * job->blocks[2];
    job->places = PLI_NEW(context, uint8_t, blocks, "seeding blocks");
    if (job->places == NULL) return PLI_ERROR_MEMORY;
    pli_parallel_for(context, blocks, PLACE_GRAIN, place_blocks, job);
    int32_t count = 0;
    for (int64_t b = 0; b < blocks; ++b) count += job->places[b] != PLI_SEEDING_OUTSIDE;
    job->active = PLI_NEW(context, int32_t, count, "seeding active blocks");
    if (job->active == NULL) return PLI_ERROR_MEMORY;
    for (int64_t b = 0; b < blocks; ++b) {
        if (job->places[b] != PLI_SEEDING_OUTSIDE) job->active[job->active_count++] = (int32_t)b;
    }
    return PLI_OK;
}

// Finds what is inside, and where each block's positions go behind the first `held`.
static pli_status mark_active(pli_context *context, fill_job *job, int32_t held)
{
    int64_t count = job->active_count;
    job->masks = PLI_NEW(context, uint64_t, count * job->pattern->most, "seeding masks");
    job->offsets = PLI_NEW(context, int64_t, count + 1, "seeding offsets");
    if (job->masks == NULL || job->offsets == NULL) return PLI_ERROR_MEMORY;
    pli_parallel_for(context, count, BLOCK_GRAIN, mark_blocks, job);
    job->offsets[0] = held;
    for (int64_t a = 0; a < count; ++a) job->offsets[a + 1] += job->offsets[a];
    if (job->offsets[count] <= INT32_MAX) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "the body would get %.0f particles, allowed are %d; take a larger dx or fewer "
                    "particles per cell",
                    (double)job->offsets[count], INT32_MAX);
}

// Makes room for count particles, half as many more when it grows repeatedly.
static pli_status reserve(pli_seeding *seeding, int32_t count)
{
    if (count <= seeding->room) return PLI_OK;
    int64_t room = count;
    int64_t larger = seeding->room + (int64_t)seeding->room / 2;
    if (larger > room) room = larger < INT32_MAX ? larger : INT32_MAX;
    PLI_TRY(PLI_RESIZE(seeding->context, seeding->positions, 3 * room, "particle positions"));
    seeding->room = (int32_t)room;
    return PLI_OK;
}

static pli_status fill(pli_seeding *seeding, fill_job *job)
{
    pli_context *context = seeding->context;
    PLI_TRY(list_active(context, job));
    PLI_TRY(mark_active(context, job, seeding->count));
    int32_t count = (int32_t)job->offsets[job->active_count];
    PLI_TRY(reserve(seeding, count));
    job->positions = seeding->positions;
    pli_parallel_for(context, job->active_count, BLOCK_GRAIN, write_blocks, job);
    seeding->count = count;
    return PLI_OK;
}

pli_status pli_seeding_add_body(pli_seeding *seeding, const pli_seeding_def *def,
                                const pli_seeding_pattern *pattern, const pli_seeding_body *body)
{
    pli_context *context = seeding->context;
    if (pli_bounds_is_empty(&body->bounds)) return PLI_OK;
    if (!pli_bounds_is_finite(&body->bounds)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the body is unbounded and can't be filled; intersect it with a box");
    }
    fill_job job = {.pattern = pattern, .body = body, .dx = def->dx};
    for (int k = 0; k < 3; ++k) job.phase[k] = phase_of(def->origin[k], def->dx);
    if (!cover_body(&job, def)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a body %g m across is too large or too far away for cells of %g m; take "
                        "a larger dx",
                        pli_bounds_longest(&body->bounds), def->dx);
    }
    pli_status status = fill(seeding, &job);
    PLI_RELEASE(context, job.offsets, job.masks, job.active, job.places);
    return status;
}

pli_status pli_seeding_create_empty(pli_context *context, pli_seeding **seeding)
{
    *seeding = PLI_NEW(context, pli_seeding, 1, "seeding");
    if (*seeding == NULL) return PLI_ERROR_MEMORY;
    (*seeding)->context = context;
    return PLI_OK;
}

void pli_seeding_destroy(pli_seeding *seeding)
{
    if (seeding == NULL) return;
    PLI_RELEASE(seeding->context, seeding->positions, seeding);
}
