// SPDX-License-Identifier: Apache-2.0
#include "sim/report/matter_frame.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "sim/report/frame_fields.h"

enum { GRAIN = 4096 };

static const pli_frame_field fields[PLI_PARTICLE_FIELD_COUNT] = {
    [PLI_PARTICLE_VELOCITY] = {"velocity", "m/s", PLI_PLACE_POINT, 3, NULL, false},
    [PLI_PARTICLE_MATERIAL] = {"material", "", PLI_PLACE_POINT, 1, NULL, true},
    [PLI_PARTICLE_J] = {"J", "", PLI_PLACE_POINT, 1, NULL, false},
    [PLI_PARTICLE_PLASTIC] = {"plastic", "", PLI_PLACE_POINT, 1, NULL, false},
    [PLI_PARTICLE_STEP] = {"step", "s", PLI_PLACE_POINT, 1, NULL, false},
    [PLI_PARTICLE_STATUS] = {"status", "", PLI_PLACE_POINT, 1, NULL, true},
    [PLI_PARTICLE_RESIDUAL] = {"residual", "", PLI_PLACE_POINT, 1, NULL, false},
    [PLI_PARTICLE_ID] = {"id", "", PLI_PLACE_POINT, 1, NULL, true},
};

const pli_frame_field *pli_particle_field_get(int32_t field)
{
    return &fields[field];
}

uint32_t pli_particle_fields_find(const char *const *names, int32_t count, const char **unknown)
{
    return pli_frame_fields_find(fields, PLI_PARTICLE_FIELD_COUNT, names, count, unknown);
}

struct pli_matter_parts {
    pli_context *context;
    const pli_model *model;
    int64_t room;
    double *values[PLI_PARTICLE_FIELD_COUNT]; // [room][components]; none of velocities
    pli_frame_field *part_fields;             // [source_count][PLI_PARTICLE_FIELD_COUNT]
};

pli_status pli_matter_parts_create(const pli_model *model, pli_matter_parts **parts)
{
    *parts = NULL;
    pli_matter_parts *made = PLI_NEW(model->context, pli_matter_parts, 1, "frame");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = model->context;
    made->model = model;
    made->part_fields =
        PLI_NEW(model->context, pli_frame_field,
                (int64_t)model->matter->source_count * PLI_PARTICLE_FIELD_COUNT, "frame fields");
    if (made->part_fields == NULL) {
        pli_matter_parts_destroy(made);
        return PLI_ERROR_MEMORY;
    }
    *parts = made;
    return PLI_OK;
}

void pli_matter_parts_destroy(pli_matter_parts *parts)
{
    if (parts == NULL) return;
    for (int k = 0; k < PLI_PARTICLE_FIELD_COUNT; ++k) {
        pli_release(parts->context, parts->values[k]);
    }
    PLI_RELEASE(parts->context, parts->part_fields, parts);
}

static pli_status reserve(pli_matter_parts *parts, int64_t count)
{
    if (count <= parts->room) return PLI_OK;
    int64_t room = parts->room == 0 ? count : count + count / 2;
    for (int k = 0; k < PLI_PARTICLE_FIELD_COUNT; ++k) {
        // velocities are in the state, and some are of other solvers
        bool is_wanted = parts->model->frame_fields >> k & 1;
        if (k == PLI_PARTICLE_VELOCITY || (k == PLI_PARTICLE_RESIDUAL && !is_wanted)) continue;
        PLI_TRY(PLI_RESIZE(parts->context, parts->values[k], room * fields[k].components,
                           "frame fields"));
    }
    parts->room = room;
    return PLI_OK;
}

// ---- what the state tells

typedef struct field_job {
    const pli_matter_parts *parts;
    const pli_matter_state *state;
} field_job;

static void fill_rows(void *user, int64_t begin, int64_t end)
{
    const field_job *job = user;
    const pli_matter_state *state = job->state;
    double *const *values = job->parts->values;
    for (int64_t row = begin; row < end; ++row) {
        const pli_matter_kind *kind = &job->parts->model->matter->kinds[state->kind[row]];
        const double *F = state->deformation + 9 * row;
        double memory = state->memory[row];
        const pli_material *material = &kind->matter.material;
        values[PLI_PARTICLE_MATERIAL][row] = kind->material;
        values[PLI_PARTICLE_J][row] = pli_material_volume_ratio(material, F, memory);
        // of a fluid it is the volume again, which is no yielding
        values[PLI_PARTICLE_PLASTIC][row] = pli_material_is_fluid(material) ? 0 : memory;
        values[PLI_PARTICLE_ID][row] = state->id[row];
    }
}

// ---- parts

static void fill_part(const pli_matter_parts *parts, const pli_matter_state *state, int32_t source,
                      int64_t first, int64_t count, pli_frame_part *part)
{
    pli_frame_field *own = parts->part_fields + (int64_t)source * PLI_PARTICLE_FIELD_COUNT;
    *part = (pli_frame_part){.name = parts->model->matter->sources[source].name,
                             .kind = PLI_PART_POINTS,
                             .point_count = (int32_t)count,
                             .points = state->position + 3 * first,
                             .fields = own,
                             .radius = parts->model->matter->sources[source].radius};
    for (int32_t field = 0; field < PLI_PARTICLE_FIELD_COUNT; ++field) {
        if (!(parts->model->frame_fields & (1u << field))) continue;
        const double *values =
            field == PLI_PARTICLE_VELOCITY ? state->velocity : parts->values[field];
        own[part->field_count] = fields[field];
        own[part->field_count].values = values + fields[field].components * first;
        ++part->field_count;
    }
}

pli_status pli_matter_parts_begin(pli_matter_parts *parts, const pli_state *state)
{
    const pli_matter_state *particles = &state->matter;
    PLI_TRY(pli_matter_check_kinds(parts->model->matter, particles));
    PLI_TRY(reserve(parts, particles->count));
    field_job job = {parts, particles};
    pli_parallel_for(parts->context, particles->count, GRAIN, fill_rows, &job);
    return PLI_OK;
}

double *pli_matter_parts_values(const pli_matter_parts *parts, pli_particle_field field)
{
    return parts->values[field];
}

int32_t pli_matter_parts_list(pli_matter_parts *parts, const pli_state *state, pli_frame_part *list)
{
    const pli_matter_state *particles = &state->matter;
    const pli_matter *model = parts->model->matter;
    int32_t count = 0;
    for (int64_t first = 0, end; first < particles->count; first = end) {
        int32_t source = model->kinds[particles->kind[first]].source;
        end = first;
        while (end < particles->count && model->kinds[particles->kind[end]].source == source) {
            ++end;
        }
        fill_part(parts, particles, source, first, end - first, &list[count++]);
    }
    return count;
}
