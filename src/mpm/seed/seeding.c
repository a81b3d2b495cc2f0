// SPDX-License-Identifier: Apache-2.0
#include "mpm/seed/seeding.h"

#include "base/memory.h"
#include "base/random.h"
#include "mpm/seed/seeding_fill.h"

enum {
    THIN_STREAM = 0x5eef,   // of random numbers
    LEAST_RESOLUTION = 128, // of measuring volumes
    MOST_RESOLUTION = 512
};

static const double farthest_origin = 1073741824.0; // cells

pli_status pli_seeding_def_check(pli_context *context, const pli_seeding_def *def)
{
    int kind = (int)def->kind;
    if (kind < PLI_SEEDING_LATTICE || kind > PLI_SEEDING_POISSON) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "seeding of kind %d; there are lattice, jittered, random and poisson",
                        kind);
    }
    if (!(isfinite(def->dx) && def->dx > 0)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "dx is %g, must be positive", def->dx);
    }
    if (def->per_cell < 1 || def->per_cell > PLI_SEEDING_MOST) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%d particles per cell, allowed are 1 to %d",
                        def->per_cell, PLI_SEEDING_MOST);
    }
    for (int k = 0; k < 3; ++k) {
        if (fabs(def->origin[k] / def->dx) < farthest_origin) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the grid's origin is at %g, must be within 2^30 cells of %g m from 0",
                        def->origin[k], def->dx);
    }
    return PLI_OK;
}

// ---- shapes

static pli_seeding_place place_in_shape(const void *data, const pli_bounds *box)
{
    const pli_shape *shape = data;
    double middle[3];
    for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (box->min[k] + box->max[k]);
    double value = pli_shape_value(shape, middle);
    double reach = pli_shape_lipschitz(shape) * pli_vec3_distance(middle, box->max) * (1 + 1e-9);
    if (value > reach) return PLI_SEEDING_OUTSIDE;
    return value < -reach ? PLI_SEEDING_INSIDE : PLI_SEEDING_ACROSS;
}

static void test_in_shape(const void *data, int32_t count, const double *points, bool *inside)
{
    enum { CHUNK = 256 };
    double values[CHUNK];
    for (int32_t begin = 0; begin < count; begin += CHUNK) {
        int32_t n = count - begin < CHUNK ? count - begin : CHUNK;
        pli_shape_values(data, n, points + 3 * (int64_t)begin, values);
        for (int32_t i = 0; i < n; ++i) inside[begin + i] = values[i] < 0;
    }
}

// ---- numbers

// Keeps `wanted` of the particles, each set of so many being as likely as any other (Knuth 1969,
// selection sampling).
static void thin(pli_seeding *seeding, int32_t wanted, uint64_t seed)
{
    pli_random random = {seed, THIN_STREAM};
    int32_t kept = 0;
    for (int32_t i = 0; i < seeding->count && kept < wanted; ++i) {
        double left = seeding->count - i;
        if (pli_random_uniform(random, (uint64_t)i) * left >= wanted - kept) continue;
        pli_vec3_copy(seeding->positions + 3 * (int64_t)i, seeding->positions + 3 * (int64_t)kept);
        ++kept;
    }
    seeding->count = kept;
}

// Independent points, as many as belong into the volume: more than that are drawn, by six standard
// deviations of their number, and thinned. A process of independent points, given its number,
// stays one.
static pli_status add_random(pli_seeding *seeding, const pli_seeding_def *def,
                             pli_seeding_pattern *pattern, const pli_seeding_body *body,
                             double volume)
{
    double wanted = round(volume * def->per_cell / (def->dx * def->dx * def->dx));
    double excess = wanted > 36 ? 6 / sqrt(wanted) : 1;
    pli_seeding_pattern_set_mean(pattern, def->per_cell * (1 + excess));
    PLI_TRY(pli_seeding_add_body(seeding, def, pattern, body));
    if (wanted < seeding->count) thin(seeding, (int32_t)wanted, def->seed);
    return PLI_OK;
}

// The particles of a body whose volume is known.
static pli_status create(pli_context *context, const pli_seeding_def *def,
                         const pli_seeding_body *body, double volume, pli_seeding **out)
{
    pli_seeding *seeding = NULL;
    pli_seeding_pattern *pattern = NULL;
    pli_status status = pli_seeding_pattern_create(context, def, &pattern);
    if (status != PLI_OK) goto done;
    status = pli_seeding_create_empty(context, &seeding);
    if (status != PLI_OK) goto done;
    seeding->volume = def->dx * def->dx * def->dx / def->per_cell;
    seeding->spacing = pattern->spacing * def->dx;
    status = def->kind == PLI_SEEDING_RANDOM ? add_random(seeding, def, pattern, body, volume)
                                             : pli_seeding_add_body(seeding, def, pattern, body);
    if (status != PLI_OK) goto done;
    if (seeding->count == 0 && !pli_bounds_is_empty(&body->bounds)) {
        PLI_LOG(context, PLI_LOG_WARNING,
                "a body got no particles: it is smaller than cells of "
                "%g m with %d particles each can show",
                def->dx, def->per_cell);
    }

done:
    pli_seeding_pattern_destroy(pattern);
    if (status != PLI_OK) {
        pli_seeding_destroy(seeding);
        seeding = NULL;
    }
    *out = seeding;
    return status;
}

// Measures a shape in cells of half dx, but not too few nor too many of them.
static pli_status measure(pli_context *context, const pli_seeding_def *def, const pli_shape *shape,
                          double *volume)
{
    pli_bounds bounds = pli_shape_bounds(shape);
    double cells = pli_bounds_is_empty(&bounds) ? 0 : 2 * pli_bounds_longest(&bounds) / def->dx;
    cells = pli_smaller(pli_larger(cells, LEAST_RESOLUTION), MOST_RESOLUTION);
    return pli_shape_volume(context, shape, (int32_t)cells, volume);
}

pli_status pli_seeding_create_in_shape(pli_context *context, const pli_seeding_def *def,
                                       const pli_shape *shape, pli_seeding **seeding)
{
    *seeding = NULL;
    PLI_TRY(pli_seeding_def_check(context, def));
    double volume = 0;
    if (def->kind == PLI_SEEDING_RANDOM) PLI_TRY(measure(context, def, shape, &volume));
    pli_seeding_body body = {pli_shape_bounds(shape), place_in_shape, test_in_shape, shape};
    return create(context, def, &body, volume, seeding);
}
