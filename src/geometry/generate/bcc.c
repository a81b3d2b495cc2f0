// SPDX-License-Identifier: Apache-2.0
#include "geometry/generate/bcc.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/generate/block.h"

#include <string.h>

enum {
    GROUP = 4,            // blocks along the edge of a group that is judged as a whole
    GROUP_BLOCKS = 64,    // blocks of a group
    CHUNK = 64,           // points evaluated at once
    MAX_BLOCKS = 1 << 28, // of the whole box
    MAX_SLOTS = 1 << 23   // stored ones: node ids fit into 30 bits
};

const int8_t pli_bcc_offset[PLI_BCC_DIRECTIONS][3] = {
    {2, 0, 0},  {0, 2, 0},  {0, 0, 2},  {1, -1, -1}, {1, 1, -1},  {1, -1, 1},  {1, 1, 1},
    {-2, 0, 0}, {0, -2, 0}, {0, 0, -2}, {-1, 1, 1},  {-1, -1, 1}, {-1, 1, -1}, {-1, -1, -1},
};

int pli_bcc_direction(const int32_t from[3], const int32_t to[3])
{
    const int32_t d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    for (int k = 0; k < 3; ++k) {
        if (d[k] == 2) return k;
        if (d[k] == -2) return PLI_BCC_OWNED + k;
    }
    int32_t sign = d[0];
    int index = PLI_BCC_LONG + (sign * d[1] > 0) + 2 * (sign * d[2] > 0);
    return sign > 0 ? index : PLI_BCC_OWNED + index;
}

static void block_coordinates(const pli_bcc *bcc, int64_t block, int32_t at[3])
{
    at[0] = (int32_t)(block % bcc->extent[0]);
    at[1] = (int32_t)(block / bcc->extent[0] % bcc->extent[1]);
    at[2] = (int32_t)(block / bcc->extent[0] / bcc->extent[1]);
}

void pli_bcc_coordinates(const pli_bcc *bcc, int32_t node, int32_t at[3])
{
    int32_t local = node % PLI_BCC_BLOCK_NODES;
    int32_t kind = local & 1;
    int32_t cube[3];
    pli_block_coordinates(local >> 1, cube);
    block_coordinates(bcc, bcc->block[node / PLI_BCC_BLOCK_NODES], at);
    for (int k = 0; k < 3; ++k) at[k] = 2 * (PLI_BCC_BLOCK * at[k] + cube[k]) + kind;
}

int32_t pli_bcc_find(const pli_bcc *bcc, const int32_t at[3])
{
    int32_t block[3];
    for (int k = 0; k < 3; ++k) {
        // eight half edges to a block
        block[k] = at[k] >> 3;
        if (at[k] < 0 || block[k] >= bcc->extent[k]) return -1;
    }
    int64_t index =
        block[0] + (int64_t)bcc->extent[0] * (block[1] + (int64_t)bcc->extent[1] * block[2]);
    int32_t slot = bcc->slot[index];
    if (slot < 0) return -1;
    int32_t cell = pli_block_cell(at[0] >> 1, at[1] >> 1, at[2] >> 1);
    return slot * PLI_BCC_BLOCK_NODES + 2 * cell + (at[0] & 1);
}

// what workers share while a lattice is set up
typedef struct bcc_job {
    pli_bcc *bcc;
    const pli_shape *shape;
    int32_t groups[3]; // along x, y, z
    int8_t *side;      // [blocks] of each block: -1 inside, 0 near the surface, 1 outside
} bcc_job;

// Middle of a box of cubes whose smallest corner is at these cubes.
static void cube_middle(const pli_bcc *bcc, const int32_t corner[3], int32_t cubes, double x[3])
{
    double at[3];
    for (int k = 0; k < 3; ++k) at[k] = 2.0 * corner[k] + cubes;
    pli_bcc_position(bcc, at, x);
}

// -1 or 1 when the value at the middle of so many cubes tells the side of all nodes in and around
// them, 0 when it does not.
static int8_t judge_side(const pli_bcc *bcc, const pli_shape *shape, int32_t cubes, double value)
{
    // half a diagonal, one edge for the neighbours, half of one for shifted surfaces
    double reach = pli_shape_lipschitz(shape) * bcc->spacing * (0.5 * sqrt(3.0) * cubes + 1.5);
    if (value > reach) return 1;
    return value < -reach ? -1 : 0;
}

// Judges the blocks of one group, all at once if its own middle allows it.
static void judge_group(const bcc_job *job, int64_t group)
{
    const pli_bcc *bcc = job->bcc;
    const int32_t first[3] = {
        (int32_t)(group % job->groups[0]) * GROUP,
        (int32_t)(group / job->groups[0] % job->groups[1]) * GROUP,
        (int32_t)(group / job->groups[0] / job->groups[1]) * GROUP,
    };
    const int32_t cube[3] = {first[0] * PLI_BCC_BLOCK, first[1] * PLI_BCC_BLOCK,
                             first[2] * PLI_BCC_BLOCK};
    double middle[3], points[3 * GROUP_BLOCKS], values[GROUP_BLOCKS];
    int64_t blocks[GROUP_BLOCKS];
    cube_middle(bcc, cube, GROUP * PLI_BCC_BLOCK, middle);
    int8_t whole =
        judge_side(bcc, job->shape, GROUP * PLI_BCC_BLOCK, pli_shape_value(job->shape, middle));

    int32_t count = 0;
    for (int32_t b = 0; b < GROUP_BLOCKS; ++b) {
        int32_t at[3];
        pli_block_coordinates(b, at);
        for (int k = 0; k < 3; ++k) at[k] += first[k];
        if (at[0] >= bcc->extent[0] || at[1] >= bcc->extent[1] || at[2] >= bcc->extent[2]) continue;
        const int32_t corner[3] = {at[0] * PLI_BCC_BLOCK, at[1] * PLI_BCC_BLOCK,
                                   at[2] * PLI_BCC_BLOCK};
        cube_middle(bcc, corner, PLI_BCC_BLOCK, points + 3 * count);
        blocks[count++] =
            at[0] + (int64_t)bcc->extent[0] * (at[1] + (int64_t)bcc->extent[1] * at[2]);
    }
    if (whole == 0) pli_shape_values(job->shape, count, points, values);
    for (int32_t b = 0; b < count; ++b) {
        job->side[blocks[b]] =
            whole != 0 ? whole : judge_side(bcc, job->shape, PLI_BCC_BLOCK, values[b]);
    }
}

static void judge_groups(void *user, int64_t begin, int64_t end)
{
    for (int64_t group = begin; group < end; ++group) judge_group(user, group);
}

static void evaluate_slots(void *user, int64_t begin, int64_t end)
{
    const bcc_job *job = user;
    pli_bcc *bcc = job->bcc;
    double points[3 * CHUNK];
    for (int64_t slot = begin; slot < end; ++slot) {
        int32_t first = (int32_t)slot * PLI_BCC_BLOCK_NODES;
        bool inside = job->side[bcc->block[slot]] < 0;
        for (int32_t node = first; node < first + PLI_BCC_BLOCK_NODES; ++node) {
            if (inside) {
                bcc->value[node] = -INFINITY;
                continue;
            }
            int32_t at[3];
            pli_bcc_coordinates(bcc, node, at);
            const double real[3] = {at[0], at[1], at[2]};
            int32_t filled = node % CHUNK;
            pli_bcc_position(bcc, real, points + 3 * filled);
            if (filled == CHUNK - 1) {
                pli_shape_values(job->shape, CHUNK, points, bcc->value + node - filled);
            }
        }
    }
}

// Chooses origin and extent so that two cubes of outside surround the bounds.
static pli_status place_lattice(pli_bcc *bcc, const pli_bounds *bounds, const pli_bcc_def *def)
{
    if (!pli_bounds_is_finite(bounds) || pli_bounds_is_empty(bounds)) {
        return PLI_FAIL(bcc->context, PLI_ERROR_ARGUMENT,
                        "only a bounded shape can be filled with tetrahedra; intersect it with a "
                        "box first");
    }
    double total = 1;
    for (int k = 0; k < 3; ++k) {
        double extent = bounds->max[k] - bounds->min[k];
        double cubes = 2 * ceil(0.5 * extent / def->spacing + fabs(def->phase[k])) + 4;
        double blocks = ceil(cubes / PLI_BCC_BLOCK);
        total *= blocks;
        if (!(total <= MAX_BLOCKS)) {
            return PLI_FAIL(bcc->context, PLI_ERROR_ARGUMENT,
                            "spacing %g is too small for a shape of size %g", def->spacing,
                            pli_bounds_longest(bounds));
        }
        bcc->extent[k] = (int32_t)blocks;
        // a node lies in the middle of the bounds, shifted by the phase
        double middle = 0.5 * (bounds->min[k] + bounds->max[k]) + def->phase[k] * def->spacing;
        bcc->origin[k] = middle - 0.5 * cubes * def->spacing;
    }
    return PLI_OK;
}

static int64_t block_count(const pli_bcc *bcc)
{
    return (int64_t)bcc->extent[0] * bcc->extent[1] * bcc->extent[2];
}

// Gives every block that is not outside a slot, in the order of blocks.
static pli_status assign_slots(const bcc_job *job)
{
    pli_bcc *bcc = job->bcc;
    int64_t count = 0;
    for (int64_t b = 0; b < block_count(bcc); ++b) count += job->side[b] <= 0;
    if (count > MAX_SLOTS) {
        return PLI_FAIL(bcc->context, PLI_ERROR_ARGUMENT,
                        "spacing %g gives more lattice nodes than there are numbers for them",
                        bcc->spacing);
    }
    bcc->block = PLI_NEW(bcc->context, int32_t, count, "lattice blocks");
    bcc->value = PLI_NEW(bcc->context, double, count *PLI_BCC_BLOCK_NODES, "lattice values");
    if (bcc->block == NULL || bcc->value == NULL) return PLI_ERROR_MEMORY;
    for (int64_t b = 0; b < block_count(bcc); ++b) {
        bcc->slot[b] = -1;
        if (job->side[b] > 0) continue;
        bcc->block[bcc->slot_count] = (int32_t)b;
        bcc->slot[b] = bcc->slot_count++;
    }
    return PLI_OK;
}

static pli_status fill_lattice(pli_bcc *bcc, const pli_shape *shape)
{
    pli_context *context = bcc->context;
    bcc_job job = {.bcc = bcc, .shape = shape};
    int64_t group_count = 1;
    for (int k = 0; k < 3; ++k) {
        job.groups[k] = (bcc->extent[k] + GROUP - 1) / GROUP;
        group_count *= job.groups[k];
    }
    pli_status status = PLI_ERROR_MEMORY;
    bcc->slot = PLI_NEW(context, int32_t, block_count(bcc), "lattice slots");
    job.side = PLI_NEW(context, int8_t, block_count(bcc), "lattice sides");
    if (bcc->slot == NULL || job.side == NULL) goto done;
    pli_parallel_for(context, group_count, 1, judge_groups, &job);
    status = assign_slots(&job);
    if (status != PLI_OK) goto done;
    pli_parallel_for(context, bcc->slot_count, 1, evaluate_slots, &job);

done:
    pli_release(context, job.side);
    return status;
}

pli_status pli_bcc_create(pli_context *context, const pli_shape *shape, const pli_bcc_def *def,
                          pli_bcc **out)
{
    *out = NULL;
    if (!isfinite(def->spacing) || !(def->spacing > 0)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "spacing is %g, must be positive",
                        def->spacing);
    }
    pli_bcc *bcc = PLI_NEW(context, pli_bcc, 1, "lattice");
    if (bcc == NULL) return PLI_ERROR_MEMORY;
    bcc->context = context;
    bcc->spacing = def->spacing;
    pli_bounds bounds = pli_shape_bounds(shape);
    pli_status status = place_lattice(bcc, &bounds, def);
    if (status == PLI_OK) status = fill_lattice(bcc, shape);
    if (status == PLI_OK) {
        *out = bcc;
    } else {
        pli_bcc_destroy(bcc);
    }
    return status;
}

void pli_bcc_destroy(pli_bcc *bcc)
{
    if (bcc == NULL) return;
    PLI_RELEASE(bcc->context, bcc->value, bcc->block, bcc->slot, bcc);
}
