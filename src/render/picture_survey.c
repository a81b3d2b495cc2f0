// SPDX-License-Identifier: Apache-2.0
#include "render/picture.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "geometry/collision/bounds.h"
#include "io/frames/frame_part.h"

#include <string.h>

enum {
    SPACING_PROBES = 64,    // particles whose neighbours are looked up
    SPACING_NEIGHBOURS = 6, // as many as a lattice has at its spacing
};

// a collider counts as large as the bodies up to this many times their size
static const double comparable = 2.5;

// of particles: what is drawn stays within single precision (m)
static const double largest_radius = 1e15;

const pli_frame_field *pli_picture_find_field(const pli_picture_def *def,
                                              const pli_frame_part *part)
{
    if (def->field == NULL || def->field[0] == '\0') return NULL;
    if (pli_picture_is_collider(part)) return NULL;
    for (int32_t i = 0; i < part->field_count; ++i) {
        const pli_frame_field *field = &part->fields[i];
        if (strcmp(field->name, def->field) != 0) continue;
        return def->component < field->components ? field : NULL;
    }
    return NULL;
}

double pli_picture_field_value(const pli_picture_def *def, const pli_frame_field *field,
                               int64_t item)
{
    const double *value = field->values + item * field->components;
    if (def->component >= 0) return value[def->component];
    // the magnitude of a number is the number, sign included
    if (field->components == 1) return value[0];
    double sum = 0;
    for (int32_t k = 0; k < field->components; ++k) sum += value[k] * value[k];
    return sqrt(sum);
}

bool pli_picture_is_drawable(const double point[3])
{
    // written so that a NaN fails
    const double limit = 1e15;
    return fabs(point[0]) < limit && fabs(point[1]) < limit && fabs(point[2]) < limit;
}

// how far the points reach in every direction across up
static void bearings_init(const pli_picture_def *def, pli_picture_survey_data *survey)
{
    static const double pi = 3.14159265358979323846;
    double front[3];
    double side[3];
    pli_picture_axes(def->camera.up, front, side);
    for (int k = 0; k < PLI_PICTURE_BEARINGS; ++k) {
        double angle = 2 * pi * k / PLI_PICTURE_BEARINGS;
        pli_vec3_scale(cos(angle), front, survey->bearing[k]);
        pli_vec3_add_scaled(survey->bearing[k], sin(angle), side, survey->bearing[k]);
    }
}

static void extent_init(const pli_picture_def *def, pli_picture_extent *extent)
{
    *extent = (pli_picture_extent){.empty = true,
                                   .low = {INFINITY, INFINITY, INFINITY},
                                   .high = {-INFINITY, -INFINITY, -INFINITY}};
    pli_picture_fit_init(def, 0, &extent->fit);
    for (int k = 0; k < PLI_PICTURE_BEARINGS; ++k) extent->around[k] = -INFINITY;
}

static void extent_add(const pli_picture_survey_data *survey, bool orbits, const double point[3],
                       pli_picture_extent *extent)
{
    extent->empty = false;
    for (int k = 0; k < 3; ++k) {
        extent->low[k] = fmin(extent->low[k], point[k]);
        extent->high[k] = fmax(extent->high[k], point[k]);
    }
    pli_picture_fit_add(&extent->fit, point, 0);
    for (int k = 0; orbits && k < PLI_PICTURE_BEARINGS; ++k) {
        extent->around[k] = fmax(extent->around[k], pli_vec3_dot(point, survey->bearing[k]));
    }
}

static void extent_merge(pli_picture_extent *extent, const pli_picture_extent *other)
{
    extent->empty = extent->empty && other->empty;
    for (int k = 0; k < 3; ++k) {
        extent->low[k] = fmin(extent->low[k], other->low[k]);
        extent->high[k] = fmax(extent->high[k], other->high[k]);
    }
    for (int k = 0; k < 2; ++k) {
        extent->fit.most[k] = fmax(extent->fit.most[k], other->fit.most[k]);
        extent->fit.least[k] = fmin(extent->fit.least[k], other->fit.least[k]);
    }
    for (int k = 0; k < PLI_PICTURE_BEARINGS; ++k) {
        extent->around[k] = fmax(extent->around[k], other->around[k]);
    }
}

static double extent_diagonal(const pli_picture_extent *extent)
{
    return extent->empty ? 0 : pli_vec3_distance(extent->low, extent->high);
}

void pli_picture_survey_init(const pli_picture_def *def, pli_picture_survey_data *survey)
{
    *survey = (pli_picture_survey_data){
        .lowest = INFINITY, .lowest_particle = INFINITY, .range = {INFINITY, -INFINITY}};
    extent_init(def, &survey->extent);
    bearings_init(def, survey);
}

// Adds the points of a part to an extent; returns the smallest height along up.
static double survey_points(const pli_picture_def *def, const pli_frame_part *part,
                            const pli_picture_survey_data *survey, pli_picture_extent *extent)
{
    double up[3];
    pli_vec3_normalize(def->camera.up, up);
    double lowest = INFINITY;
    for (int64_t i = 0; i < part->point_count; ++i) {
        const double *point = part->points + 3 * i;
        if (!pli_picture_is_drawable(point)) continue;
        lowest = fmin(lowest, pli_vec3_dot(point, up));
        extent_add(survey, def->camera.orbit != 0, point, extent);
    }
    return lowest;
}

static void survey_body(const pli_picture_def *def, const pli_frame_part *part,
                        pli_picture_survey_data *survey)
{
    double lowest = survey_points(def, part, survey, &survey->extent);
    double *kept = part->kind == PLI_PART_POINTS ? &survey->lowest_particle : &survey->lowest;
    *kept = fmin(*kept, lowest);
}

static uint64_t hash_name(const pli_frame_part *part)
{
    return pli_hash_bytes(PLI_HASH_START, part->name, strlen(part->name));
}

const pli_picture_collider *pli_picture_collider_find(const pli_picture_survey_data *survey,
                                                      const pli_frame_part *part)
{
    uint64_t name = hash_name(part);
    for (int32_t i = 0; i < survey->collider_count; ++i) {
        if (survey->colliders[i].name == name) return &survey->colliders[i];
    }
    // when there are too many, the last place is shared
    bool full = survey->collider_count == PLI_PICTURE_COLLIDERS;
    return full ? &survey->colliders[PLI_PICTURE_COLLIDERS - 1] : NULL;
}

static void survey_collider(const pli_picture_def *def, const pli_frame_part *part,
                            const double bodies[3], pli_picture_survey_data *survey)
{
    const pli_picture_collider *known = pli_picture_collider_find(survey, part);
    int32_t index = known != NULL ? (int32_t)(known - survey->colliders) : survey->collider_count++;
    pli_picture_collider *collider = &survey->colliders[index];
    if (known == NULL) {
        *collider = (pli_picture_collider){.name = hash_name(part), .lowest = INFINITY};
        extent_init(def, &collider->extent);
    }
    pli_picture_collider_survey(def, part, bodies, collider);
    double lowest = survey_points(def, part, survey, &collider->extent);
    collider->lowest = fmin(collider->lowest, lowest);
}

// The middle of the box around a frame's bodies.
static void middle_of_bodies(const pli_frame *frame, double middle[3])
{
    pli_bounds box = pli_bounds_empty();
    for (int32_t i = 0; i < frame->part_count; ++i) {
        const pli_frame_part *part = &frame->parts[i];
        for (int64_t p = 0; p < part->point_count && !pli_picture_is_collider(part); ++p) {
            if (pli_picture_is_drawable(part->points + 3 * p)) {
                pli_bounds_add_point(&box, part->points + 3 * p);
            }
        }
    }
    for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (box.min[k] + box.max[k]);
}

static void survey_field(const pli_picture_def *def, const pli_frame_part *part,
                         pli_picture_survey_data *survey)
{
    const pli_frame_field *field = pli_picture_find_field(def, part);
    if (field == NULL) return;
    bool per_point = field->place == PLI_PLACE_POINT || part->kind == PLI_PART_POINTS;
    int64_t count = per_point ? part->point_count : part->cell_count;
    for (int64_t i = 0; i < count; ++i) {
        double value = pli_picture_field_value(def, field, i);
        if (!isfinite(value)) continue;
        survey->range[0] = fmin(survey->range[0], value);
        survey->range[1] = fmax(survey->range[1], value);
    }
}

typedef struct probe_work {
    const pli_frame_part *part;
    int64_t stride;
    double spacing[SPACING_PROBES]; // mean distance to the nearest neighbours (m); 0: none
} probe_work;

// mean distance from a particle to its nearest neighbours, by looking at all of them
static double neighbour_distance(const pli_frame_part *part, int64_t probe)
{
    const double *centre = part->points + 3 * probe;
    double nearest[SPACING_NEIGHBOURS]; // squared distances, ascending
    int32_t count = 0;
    for (int64_t i = 0; i < part->point_count; ++i) {
        double d[3];
        pli_vec3_subtract(part->points + 3 * i, centre, d);
        double distance2 = pli_vec3_norm2(d);
        if (!(distance2 > 0)) continue;
        if (count == SPACING_NEIGHBOURS && !(distance2 < nearest[count - 1])) continue;
        int32_t slot = count < SPACING_NEIGHBOURS ? count++ : count - 1;
        for (; slot > 0 && nearest[slot - 1] > distance2; --slot) nearest[slot] = nearest[slot - 1];
        nearest[slot] = distance2;
    }
    double sum = 0;
    for (int32_t i = 0; i < count; ++i) sum += sqrt(nearest[i]);
    return count > 0 && isfinite(sum) ? sum / count : 0;
}

static void probe_range(void *user, int64_t begin, int64_t end)
{
    probe_work *work = user;
    for (int64_t i = begin; i < end; ++i) {
        int64_t probe = i * work->stride;
        if (probe < work->part->point_count) {
            work->spacing[i] = neighbour_distance(work->part, probe);
        }
    }
}

// median over some particles, so that a few that fly alone do not count; 0 when unknown
static double particle_spacing(const pli_context *context, const pli_frame_part *part)
{
    probe_work work = {.part = part, .stride = part->point_count / SPACING_PROBES + 1};
    pli_parallel_for(context, SPACING_PROBES, 1, probe_range, &work);

    double sorted[SPACING_PROBES];
    int32_t count = 0;
    for (int32_t i = 0; i < SPACING_PROBES; ++i) {
        if (!(work.spacing[i] > 0)) continue;
        int32_t slot = count++;
        for (; slot > 0 && sorted[slot - 1] > work.spacing[i]; --slot) {
            sorted[slot] = sorted[slot - 1];
        }
        sorted[slot] = work.spacing[i];
    }
    return count > 0 ? sorted[count / 2] : 0;
}

// sizes of particles: the largest that they have, and whether some have none; returns the latter
static bool survey_radii(const pli_frame_part *part, pli_picture_survey_data *survey)
{
    bool unsized = false;
    const pli_frame_field *radii = pli_part_find_radius(part);
    for (int64_t i = 0; i < part->point_count; ++i) {
        double radius = pli_part_radius(part, radii, i);
        survey->own_radius = fmax(survey->own_radius, radius);
        unsized = unsized || radius == 0;
    }
    survey->own_radius = fmin(survey->own_radius, largest_radius);
    survey->has_unsized = survey->has_unsized || unsized;
    return unsized;
}

void pli_picture_survey_add(const pli_context *context, const pli_picture_def *def,
                            const pli_frame *frame, pli_picture_survey_data *survey)
{
    const pli_frame_part *largest = NULL; // set of particles that need a radius
    double bodies[3];
    middle_of_bodies(frame, bodies);
    for (int32_t i = 0; i < frame->part_count; ++i) {
        const pli_frame_part *part = &frame->parts[i];
        if (pli_picture_is_collider(part)) {
            bool is_seen = def->colliders != PLI_COLLIDERS_HIDE && part->point_count > 0;
            if (is_seen) survey_collider(def, part, bodies, survey);
            continue;
        }
        survey_body(def, part, survey);
        survey_field(def, part, survey);
        if (part->kind != PLI_PART_POINTS || !survey_radii(part, survey)) continue;
        if (largest == NULL || part->point_count > largest->point_count) largest = part;
    }
    // particles are packed best when they start: the first frame that has some decides
    bool wanted = def->particle_radius == 0 && survey->spacing == 0 && largest != NULL;
    if (wanted) survey->spacing = particle_spacing(context, largest);
}

// What becomes of a radius that was not given.
static double scaled(const pli_picture_def *def, double radius)
{
    return def->particle_scale > 0 ? fmin(def->particle_scale * radius, largest_radius) : radius;
}

double pli_picture_particle_radius(const pli_picture_def *def,
                                   const pli_picture_survey_data *survey)
{
    if (def->particle_radius > 0) return def->particle_radius;
    // a little more than half of the spacing closes the gaps between neighbours
    if (survey->spacing > 0) return scaled(def, 0.6 * survey->spacing);
    double diagonal = extent_diagonal(&survey->extent);
    return scaled(def, diagonal > 0 ? 0.02 * diagonal : 0.01);
}

double pli_picture_radius_of(const pli_picture_def *def, const pli_frame_part *part,
                             const pli_frame_field *radii, int64_t particle, double otherwise)
{
    if (def->particle_radius > 0) return def->particle_radius;
    double own = pli_part_radius(part, radii, particle);
    return own > 0 ? scaled(def, fmin(own, largest_radius)) : otherwise;
}

// Largest radius with which any particle is drawn (m).
static double drawn_radius(const pli_picture_def *def, const pli_picture_survey_data *survey)
{
    if (def->particle_radius > 0) return def->particle_radius;
    double otherwise = survey->has_unsized ? pli_picture_particle_radius(def, survey) : 0;
    return fmax(scaled(def, survey->own_radius), otherwise);
}

static void grow_by_particles(double radius, pli_picture_survey_data *survey)
{
    pli_picture_extent *extent = &survey->extent;
    for (int k = 0; k < 3; ++k) {
        extent->low[k] -= radius;
        extent->high[k] += radius;
    }
    survey->lowest_particle -= radius;
    for (int k = 0; k < PLI_PICTURE_BEARINGS; ++k) extent->around[k] += radius;
    pli_picture_fit *fit = &extent->fit;
    for (int k = 0; k < 2; ++k) {
        fit->most[k] += radius * sqrt(1 + fit->high[k] * fit->high[k]);
        fit->least[k] -= radius * sqrt(1 + fit->low[k] * fit->low[k]);
    }
}

// Colliders that are not much larger than the bodies belong into the picture. The ground lies at
// the highest floor, or a little below everything, so that it shows through nowhere.
static void take_in_colliders(const pli_picture_def *def, pli_picture_survey_data *survey)
{
    const pli_picture_extent bodies = survey->extent;
    double most = comparable * extent_diagonal(&bodies);
    double floor = -INFINITY;
    double lowest = INFINITY;
    for (int32_t i = 0; i < survey->collider_count; ++i) {
        const pli_picture_collider *collider = &survey->colliders[i];
        if (pli_picture_is_ground(def, collider)) {
            floor = fmax(floor, collider->lowest);
            continue;
        }
        lowest = fmin(lowest, collider->lowest);
        if (bodies.empty || extent_diagonal(&collider->extent) <= most) {
            extent_merge(&survey->extent, &collider->extent);
        }
    }
    survey->lowest = fmin(survey->lowest, lowest - 1e-3 * extent_diagonal(&survey->extent));
    if (floor == -INFINITY) return;
    survey->lowest = floor;
    survey->lowest_particle = fmax(survey->lowest_particle, floor);
}

pli_picture_survey_data pli_picture_survey_grown(const pli_picture_def *def,
                                                 const pli_picture_survey_data *survey)
{
    pli_picture_survey_data grown = *survey;
    if (!survey->extent.empty && survey->lowest_particle != INFINITY) {
        grow_by_particles(drawn_radius(def, survey), &grown);
    }
    for (int k = 0; k < 3; ++k) {
        grown.middle[k] = 0.5 * (grown.extent.low[k] + grown.extent.high[k]);
    }
    if (survey->collider_count > 0) take_in_colliders(def, &grown);
    return grown;
}
