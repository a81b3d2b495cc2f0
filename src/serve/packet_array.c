// SPDX-License-Identifier: Apache-2.0
#include "serve/packet_array.h"

#include "base/parallel.h"

#include <float.h>
#include <math.h>

enum {
    EXTENT_CHUNKS = 64, // pieces that a search for a box is cut into
    GRAIN = 8192        // points that are worth another worker
};

// ---- boxes

pli_extent pli_extent_nothing(void)
{
    return (pli_extent){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

void pli_extent_add(pli_extent *extent, const pli_extent *other)
{
    for (int k = 0; k < 3; ++k) {
        extent->low[k] = fmin(extent->low[k], other->low[k]);
        extent->high[k] = fmax(extent->high[k], other->high[k]);
    }
}

bool pli_extent_is_empty(const pli_extent *extent)
{
    for (int k = 0; k < 3; ++k) {
        if (!(extent->low[k] <= extent->high[k])) return true;
    }
    return false;
}

// Where the n-th point that is shown stands in the part.
static inline int64_t point_of(const pli_surface *surface, int64_t shown)
{
    return surface != NULL ? surface->skin.point_ids[shown] : shown;
}

typedef struct extent_search {
    const pli_frame_part *part;
    const pli_surface *surface;
    int64_t count;
    int64_t chunk; // points a piece
    pli_extent found[EXTENT_CHUNKS];
} extent_search;

static pli_extent search_points(const extent_search *search, int64_t begin, int64_t end)
{
    pli_extent extent = pli_extent_nothing();
    for (int64_t i = begin; i < end; ++i) {
        const double *point = search->part->points + 3 * point_of(search->surface, i);
        for (int k = 0; k < 3; ++k) {
            double value = point[k];
            // comparisons with what is not a number are false
            if (value < extent.low[k] && value >= -DBL_MAX) extent.low[k] = value;
            if (value > extent.high[k] && value <= DBL_MAX) extent.high[k] = value;
        }
    }
    return extent;
}

static void search_chunks(void *user, int64_t begin, int64_t end)
{
    extent_search *search = user;
    for (int64_t i = begin; i < end; ++i) {
        int64_t last = (i + 1) * search->chunk;
        if (last > search->count) last = search->count;
        search->found[i] = search_points(search, i * search->chunk, last);
    }
}

pli_extent pli_packet_extent(const pli_context *context, const pli_frame_part *part,
                             const pli_surface *surface)
{
    extent_search search = {.part = part, .surface = surface};
    search.count = surface != NULL ? surface->skin.point_count : part->point_count;
    search.chunk = (search.count + EXTENT_CHUNKS - 1) / EXTENT_CHUNKS;
    if (search.chunk < GRAIN) search.chunk = GRAIN;
    int64_t chunk_count = (search.count + search.chunk - 1) / search.chunk;
    pli_parallel_for(context, chunk_count, 1, search_chunks, &search);
    pli_extent extent = pli_extent_nothing();
    for (int64_t i = 0; i < chunk_count; ++i) pli_extent_add(&extent, &search.found[i]);
    return extent;
}

// ---- loops

typedef struct writing {
    const pli_packet_array *array;
    void *target;
} writing;

static void write_points(void *user, int64_t begin, int64_t end)
{
    const writing *job = user;
    const pli_packet_array *array = job->array;
    float *target = job->target;
    for (int64_t i = begin; i < end; ++i) {
        const double *point = array->part->points + 3 * point_of(array->surface, i);
        for (int k = 0; k < 3; ++k) target[3 * i + k] = (float)point[k];
    }
}

// What is not a number, and what lies outside, goes to the nearest end.
static inline uint16_t narrow(double value, double low, double scale)
{
    double stored = (value - low) * scale + 0.5;
    if (!(stored > 0)) return 0;
    return stored < 65535 ? (uint16_t)stored : 65535;
}

static void write_narrow_points(void *user, int64_t begin, int64_t end)
{
    const writing *job = user;
    const pli_packet_array *array = job->array;
    uint16_t *target = job->target;
    double low[3];
    double scale[3];
    for (int k = 0; k < 3; ++k) {
        double width = array->extent.high[k] - array->extent.low[k];
        low[k] = array->extent.low[k];
        scale[k] = width > 0 ? 65535 / width : 0;
    }
    for (int64_t i = begin; i < end; ++i) {
        const double *point = array->part->points + 3 * point_of(array->surface, i);
        for (int k = 0; k < 3; ++k) target[3 * i + k] = narrow(point[k], low[k], scale[k]);
    }
}

static void write_point_values(void *user, int64_t begin, int64_t end)
{
    const writing *job = user;
    const pli_packet_array *array = job->array;
    int32_t components = array->components;
    float *target = job->target;
    for (int64_t i = begin; i < end; ++i) {
        const double *value = array->field->values + components * point_of(array->surface, i);
        for (int32_t k = 0; k < components; ++k) target[components * i + k] = (float)value[k];
    }
}

// Means over the cells around each point, or where a mean has no meaning the first of them.
static void write_cell_values(void *user, int64_t begin, int64_t end)
{
    const writing *job = user;
    const pli_packet_array *array = job->array;
    const pli_surface *surface = array->surface;
    int32_t components = array->components;
    float *target = job->target;
    for (int64_t i = begin; i < end; ++i) {
        int32_t first = surface->first[i];
        int32_t last = array->field->whole ? first + 1 : surface->first[i + 1];
        double sum[PLI_FIELD_COMPONENTS] = {0};
        for (int32_t j = first; j < last; ++j) {
            const double *value = array->field->values + components * (int64_t)surface->around[j];
            for (int32_t k = 0; k < components; ++k) sum[k] += value[k];
        }
        for (int32_t k = 0; k < components; ++k) {
            target[components * i + k] = (float)(sum[k] / (last - first));
        }
    }
}

void pli_packet_array_write(const pli_packet_array *array, const pli_context *context,
                            uint8_t *arrays)
{
    writing job = {array, arrays + array->offset};
    pli_range_fn body = array->narrow ? write_narrow_points : write_points;
    if (array->field != NULL) {
        body = array->field->place == PLI_PLACE_CELL ? write_cell_values : write_point_values;
    }
    pli_parallel_for(context, array->point_count, GRAIN, body, &job);
}
