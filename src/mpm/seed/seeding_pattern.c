// SPDX-License-Identifier: Apache-2.0
#include "mpm/seed/seeding_pattern.h"

#include "base/memory.h"
#include "base/random.h"
#include "mpm/seed/seeding_tile.h"

#include <math.h>

enum {
    SEEDING_STREAM = 0x5eed, // of random numbers, so that other uses of a seed are not disturbed
    DARTS_STREAM = 0x5eee,
    COORDINATE_BITS = 21, // of a random point along each axis
    CELL_BITS = 21        // of a cell's number along each axis that tell it from others
};

static const double coordinate_unit = 1.0 / (1 << COORDINATE_BITS);

// ---- boxes of the same volume

typedef struct box_list {
    int32_t count;
    double *corners; // [count][3]
    double *edges;   // [count][3]
} box_list;

static int longest_axis(const double edges[3])
{
    // edges that differ by rounding count as equal
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        if (edges[k] > edges[axis] * (1 + 1e-9)) axis = k;
    }
    return axis;
}

// Into how many slices a box of several parts is cut: in a way that makes cubes of cubic numbers.
static int32_t slice_count(int32_t parts)
{
    static const int32_t primes[] = {2, 3, 5, 7};
    for (int i = 0; i < 4; ++i) {
        if (parts % primes[i] == 0) return primes[i];
    }
    return 2;
}

// Cuts a box into parts of equal volume, across its longest edge again and again.
static void cut_box(const double corner[3], const double edges[3], int32_t parts, box_list *list)
{
    if (parts == 1) {
        pli_vec3_copy(corner, list->corners + 3 * (int64_t)list->count);
        pli_vec3_copy(edges, list->edges + 3 * (int64_t)list->count);
        ++list->count;
        return;
    }
    int axis = longest_axis(edges);
    int32_t slices = slice_count(parts);
    for (int32_t s = 0; s < slices; ++s) {
        int32_t begin = parts * s / slices;
        int32_t end = parts * (s + 1) / slices;
        double slice_corner[3], slice_edges[3];
        pli_vec3_copy(corner, slice_corner);
        pli_vec3_copy(edges, slice_edges);
        slice_corner[axis] += edges[axis] * begin / parts;
        slice_edges[axis] *= (double)(end - begin) / parts;
        cut_box(slice_corner, slice_edges, end - begin, list);
    }
}

// ---- the lists of each kind

static pli_status allocate_lists(pli_seeding_pattern *pattern, int32_t side, int64_t count)
{
    int64_t cells = (int64_t)side * side * side;
    pattern->side = side;
    pattern->offsets = PLI_NEW(pattern->context, int32_t, cells + 1, "seeding offsets");
    pattern->points = PLI_NEW(pattern->context, double, 3 * count, "seeding points");
    if (pattern->offsets == NULL || pattern->points == NULL) return PLI_ERROR_MEMORY;
    return PLI_OK;
}

static pli_status build_lattice(pli_seeding_pattern *pattern, int32_t per_cell)
{
    PLI_TRY(allocate_lists(pattern, 1, per_cell));
    pattern->offsets[1] = per_cell;
    pattern->most = per_cell;
    pattern->spacing = pli_seeding_lattice(per_cell, pattern->points);
    return PLI_OK;
}

static pli_status build_jittered(pli_seeding_pattern *pattern, int32_t per_cell)
{
    static const double corner[3] = {0, 0, 0}, edges[3] = {1, 1, 1};
    PLI_TRY(allocate_lists(pattern, 1, per_cell));
    pattern->edges = PLI_NEW(pattern->context, double, 3 * (int64_t)per_cell, "seeding boxes");
    if (pattern->edges == NULL) return PLI_ERROR_MEMORY;
    box_list list = {0, pattern->points, pattern->edges};
    cut_box(corner, edges, per_cell, &list);
    pattern->offsets[1] = per_cell;
    pattern->most = per_cell;
    return PLI_OK;
}

// Sorts the tile's particles by cells.
static void sort_tile(const pli_seeding_tile *tile, pli_seeding_pattern *pattern)
{
    int32_t cells = tile->side * tile->side * tile->side;
    int32_t *offsets = pattern->offsets;
    for (int32_t i = 0; i < tile->count; ++i) ++offsets[pli_seeding_tile_cell(tile, i) + 1];
    for (int32_t c = 0; c < cells; ++c) {
        if (offsets[c + 1] > pattern->most) pattern->most = offsets[c + 1];
        offsets[c + 1] += offsets[c];
    }
    // entry c + 1 is where cell c begins, and moves to its end while the cell is filled
    for (int32_t c = cells; c > 0; --c) offsets[c] = offsets[c - 1];
    for (int32_t i = 0; i < tile->count; ++i) {
        int32_t slot = offsets[pli_seeding_tile_cell(tile, i) + 1]++;
        for (int k = 0; k < 3; ++k) {
            double x = tile->points[3 * (int64_t)i + k];
            pattern->points[3 * (int64_t)slot + k] = x - floor(x);
        }
    }
}

static pli_status build_poisson(pli_seeding_pattern *pattern, int32_t per_cell)
{
    pli_seeding_tile *tile = NULL;
    uint64_t seed = pli_random_bits((pli_random){pattern->seed, DARTS_STREAM}, 0);
    pli_status status = pli_seeding_tile_create(pattern->context, per_cell, seed, &tile);
    if (status != PLI_OK) goto done;
    status = allocate_lists(pattern, tile->side, tile->count);
    if (status != PLI_OK) goto done;
    pattern->spacing = tile->radius;
    sort_tile(tile, pattern);

done:
    pli_seeding_tile_destroy(tile);
    return status;
}

void pli_seeding_pattern_set_mean(pli_seeding_pattern *pattern, double mean)
{
    // ten standard deviations: beyond lies less than one cell in 1e20
    pattern->mean = mean;
    pattern->most = (int32_t)(mean + 10 * sqrt(mean) + 10);
}

static pli_status build_lists(pli_seeding_pattern *pattern, int32_t per_cell)
{
    switch (pattern->kind) {
    case PLI_SEEDING_LATTICE: return build_lattice(pattern, per_cell);
    case PLI_SEEDING_JITTERED: return build_jittered(pattern, per_cell);
    case PLI_SEEDING_POISSON: return build_poisson(pattern, per_cell);
    default: pli_seeding_pattern_set_mean(pattern, per_cell); return PLI_OK;
    }
}

pli_status pli_seeding_pattern_create(pli_context *context, const pli_seeding_def *def,
                                      pli_seeding_pattern **out)
{
    *out = NULL;
    pli_seeding_pattern *pattern = PLI_NEW(context, pli_seeding_pattern, 1, "seeding pattern");
    if (pattern == NULL) return PLI_ERROR_MEMORY;
    pattern->context = context;
    pattern->kind = def->kind;
    pattern->mean = def->per_cell;
    pattern->seed = pli_random_bits((pli_random){def->seed, SEEDING_STREAM}, 0);
    pli_status status = build_lists(pattern, def->per_cell);
    if (status == PLI_OK) {
        PLI_ASSERT(context, pattern->most <= PLI_SEEDING_CELL_ROOM);
        *out = pattern;
    } else {
        pli_seeding_pattern_destroy(pattern);
    }
    return status;
}

void pli_seeding_pattern_destroy(pli_seeding_pattern *pattern)
{
    if (pattern == NULL) return;
    PLI_RELEASE(pattern->context, pattern->edges, pattern->points, pattern->offsets, pattern);
}

// ---- cells

// The random numbers of a cell.
static pli_random random_of(const pli_seeding_pattern *pattern, const int64_t cell[3])
{
    const uint64_t mask = ((uint64_t)1 << CELL_BITS) - 1;
    uint64_t stream = 0;
    for (int k = 0; k < 3; ++k) stream = stream << CELL_BITS | ((uint64_t)cell[k] & mask);
    return (pli_random){pattern->seed, stream};
}

// A point of a box, uniform, never on its faces.
static void draw_point(pli_random random, int32_t index, const double corner[3],
                       const double edges[3], double point[3])
{
    uint64_t bits = pli_random_bits(random, (uint64_t)index);
    for (int k = 0; k < 3; ++k) {
        uint64_t part = bits >> (k * COORDINATE_BITS) & (((uint64_t)1 << COORDINATE_BITS) - 1);
        point[k] = corner[k] + edges[k] * ((double)part + 0.5) * coordinate_unit;
    }
}

// A number from Poisson's distribution, by inversion: the least k with P(K <= k) > u.
static int32_t draw_count(double mean, double u, int32_t most)
{
    int32_t k = 0;
    double share = exp(-mean);
    double sum = share;
    while (u >= sum && k < most) {
        ++k;
        share *= mean / k;
        sum += share;
    }
    return k;
}

static int32_t compute_random(const pli_seeding_pattern *pattern, const int64_t cell[3],
                              double *points)
{
    static const double corner[3] = {0, 0, 0}, edges[3] = {1, 1, 1};
    pli_random random = random_of(pattern, cell);
    int32_t count = draw_count(pattern->mean, pli_random_uniform(random, 0), pattern->most);
    for (int32_t i = 0; i < count; ++i) draw_point(random, i + 1, corner, edges, points + 3 * i);
    return count;
}

// Place of a cell in the period.
static int64_t place_of(const pli_seeding_pattern *pattern, const int64_t cell[3])
{
    int64_t place = 0;
    for (int k = 2; k >= 0; --k) {
        int64_t at = cell[k] % pattern->side;
        place = place * pattern->side + (at < 0 ? at + pattern->side : at);
    }
    return place;
}

int32_t pli_seeding_pattern_compute(const pli_seeding_pattern *pattern, const int64_t cell[3],
                                    double *points)
{
    if (pattern->kind == PLI_SEEDING_RANDOM) return compute_random(pattern, cell, points);
    int64_t place = place_of(pattern, cell);
    int32_t first = pattern->offsets[place];
    int32_t count = pattern->offsets[place + 1] - first;
    const double *source = pattern->points + 3 * (int64_t)first;
    if (pattern->edges == NULL) {
        for (int32_t i = 0; i < 3 * count; ++i) points[i] = source[i];
        return count;
    }
    pli_random random = random_of(pattern, cell);
    for (int32_t i = 0; i < count; ++i) {
        draw_point(random, i, source + 3 * i, pattern->edges + 3 * i, points + 3 * i);
    }
    return count;
}
