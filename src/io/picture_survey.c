// SPDX-License-Identifier: Apache-2.0
#include "io/picture.h"

#include "base/parallel.h"
#include "math/vec3.h"

#include <string.h>

enum {
    SPACING_PROBES = 64,    // particles whose neighbours are looked up
    SPACING_NEIGHBOURS = 6, // as many as a lattice has at its spacing
};

const pli_frame_field *pli_picture_find_field(const pli_picture_def *def,
                                              const pli_frame_part *part)
{
    if (def->field == NULL || def->field[0] == '\0') return NULL;
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
        survey->around[k] = -INFINITY;
    }
}

static void bearings_add(pli_picture_survey_data *survey, const double point[3])
{
    for (int k = 0; k < PLI_PICTURE_BEARINGS; ++k) {
        survey->around[k] = fmax(survey->around[k], pli_vec3_dot(point, survey->bearing[k]));
    }
}

void pli_picture_survey_init(const pli_picture_def *def, pli_picture_survey_data *survey)
{
    *survey = (pli_picture_survey_data){.empty = true,
                                        .low = {INFINITY, INFINITY, INFINITY},
                                        .high = {-INFINITY, -INFINITY, -INFINITY},
                                        .lowest = INFINITY,
                                        .lowest_particle = INFINITY,
                                        .range = {INFINITY, -INFINITY}};
    pli_picture_fit_init(def, 0, &survey->fit);
    bearings_init(def, survey);
}

static void survey_points(const pli_picture_def *def, const pli_frame_part *part,
                          pli_picture_survey_data *survey)
{
    double up[3];
    pli_vec3_normalize(def->camera.up, up);
    double lowest = INFINITY;
    for (int64_t i = 0; i < part->point_count; ++i) {
        const double *point = part->points + 3 * i;
        if (!pli_picture_is_drawable(point)) continue;
        survey->empty = false;
        for (int k = 0; k < 3; ++k) {
            survey->low[k] = fmin(survey->low[k], point[k]);
            survey->high[k] = fmax(survey->high[k], point[k]);
        }
        lowest = fmin(lowest, pli_vec3_dot(point, up));
        pli_picture_fit_add(&survey->fit, point, 0);
        if (def->camera.orbit != 0) bearings_add(survey, point);
    }
    double *kept = part->kind == PLI_PART_POINTS ? &survey->lowest_particle : &survey->lowest;
    *kept = fmin(*kept, lowest);
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

void pli_picture_survey_add(const pli_context *context, const pli_picture_def *def,
                            const pli_frame *frame, pli_picture_survey_data *survey)
{
    const pli_frame_part *largest = NULL; // set of particles
    for (int32_t i = 0; i < frame->part_count; ++i) {
        const pli_frame_part *part = &frame->parts[i];
        survey_points(def, part, survey);
        survey_field(def, part, survey);
        if (part->kind != PLI_PART_POINTS) continue;
        if (largest == NULL || part->point_count > largest->point_count) largest = part;
    }
    // particles are packed best when they start: the first frame that has some decides
    bool wanted = def->particle_radius == 0 && survey->spacing == 0 && largest != NULL;
    if (wanted) survey->spacing = particle_spacing(context, largest);
}

double pli_picture_particle_radius(const pli_picture_def *def,
                                   const pli_picture_survey_data *survey)
{
    if (def->particle_radius > 0) return def->particle_radius;
    // a little more than half of the spacing closes the gaps between neighbours
    if (survey->spacing > 0) return 0.6 * survey->spacing;
    double diagonal = survey->empty ? 0 : pli_vec3_distance(survey->low, survey->high);
    return diagonal > 0 ? 0.02 * diagonal : 0.01;
}

pli_picture_survey_data pli_picture_survey_grown(const pli_picture_def *def,
                                                 const pli_picture_survey_data *survey)
{
    pli_picture_survey_data grown = *survey;
    if (survey->empty || survey->lowest_particle == INFINITY) return grown;
    double radius = pli_picture_particle_radius(def, survey);
    for (int k = 0; k < 3; ++k) {
        grown.low[k] -= radius;
        grown.high[k] += radius;
    }
    grown.lowest_particle -= radius;
    for (int k = 0; k < PLI_PICTURE_BEARINGS; ++k) grown.around[k] += radius;
    pli_picture_fit *fit = &grown.fit;
    for (int k = 0; k < 2; ++k) {
        fit->most[k] += radius * sqrt(1 + fit->high[k] * fit->high[k]);
        fit->least[k] -= radius * sqrt(1 + fit->low[k] * fit->low[k]);
    }
    return grown;
}
