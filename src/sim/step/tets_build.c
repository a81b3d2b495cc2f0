// SPDX-License-Identifier: Apache-2.0
#include "sim/step/tets_build.h"

#include "geometry/mesh/tet_mesh.h"
#include "material/lame.h"
#include "material/laws.h"
#include "sim/model/model_paint.h"

#include <string.h>

// Whether the corotated law without a volume term is all there is.
bool pli_tets_are_projective(const pli_model *model)
{
    if (!pli_solver_has(model->solver_kind, PLI_KEEPS_MATRIX)) return false;
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        double params[PLI_MODEL_PARAMS];
        int32_t law = model->materials[model->material_of[tet]].law;
        if (model->laws[law] != &pli_law_corotated) return false;
        pli_model_tet_params(model, tet, params);
        if (params[PLI_LAME_LAMBDA] != 0) return false;
    }
    return model->tet_count > 0 && model->branches == NULL;
}

static pli_status create_projective(pli_mesh_stepper *s)
{
    const pli_model *model = s->model;
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    pli_status status = PLI_ERROR_MEMORY;
    double *mu = pli_arena_doubles(s->scratch, model->tet_count, "moduli");
    if (mu == NULL) goto done;
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        double params[PLI_MODEL_PARAMS];
        pli_model_tet_params(model, tet, params);
        mu[tet] = params[PLI_LAME_MU];
    }
    pli_projective_def def = {.vertex_count = model->vertex_count,
                              .tet_count = model->tet_count,
                              .rest = model->rest,
                              .tets = model->tets,
                              .mu = mu};
    status = pli_projective_create(s->context, &def, &s->projective);

done:
    pli_arena_end(s->scratch, mark);
    return status;
}

pli_status pli_tets_create_elastic(pli_mesh_stepper *s, const pli_tet_choice *choice,
                                   pli_elastic **elastic)
{
    const pli_model *model = s->model;
    int32_t count = choice != NULL ? choice->count : model->tet_count;
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    pli_status status = PLI_ERROR_MEMORY;
    int32_t *tets = pli_arena_ints(s->scratch, 4 * (int64_t)count, "tetrahedra");
    int32_t *law_of_tet = pli_arena_ints(s->scratch, count, "laws");
    double *params =
        pli_arena_doubles(s->scratch, (int64_t)count * PLI_ELASTIC_PARAMS, "law parameters");
    if (tets == NULL || law_of_tet == NULL || params == NULL) goto done;
    for (int32_t k = 0; k < count; ++k) {
        int64_t tet = choice != NULL ? choice->tets[k] : k;
        memcpy(tets + 4 * (int64_t)k, model->tets + 4 * tet, 4 * sizeof *tets);
        law_of_tet[k] = model->materials[model->material_of[tet]].law;
        pli_model_tet_params(model, tet, params + (int64_t)k * PLI_ELASTIC_PARAMS);
    }
    pli_elastic_def def = {.vertex_count = model->vertex_count,
                           .tet_count = count,
                           .rest = model->rest,
                           .tets = tets,
                           .law_count = model->law_count,
                           .laws = model->laws,
                           .law_of_tet = law_of_tet,
                           .params = params,
                           .weights = choice != NULL ? choice->weights : NULL,
                           .yields = model->yields != NULL && choice == NULL,
                           .relaxes = model->branches != NULL && choice == NULL};
    status = pli_elastic_create(s->context, &def, elastic);

done:
    pli_arena_end(s->scratch, mark);
    return status;
}

pli_status pli_tets_ensure_elastic(pli_mesh_stepper *s)
{
    return s->elastic != NULL ? PLI_OK : pli_tets_create_elastic(s, NULL, &s->elastic);
}

pli_status pli_tets_build(pli_mesh_stepper *s)
{
    s->bounds_tets = pli_tets_are_projective(s->model);
    // in float, as fast as can be; without inertia strains may be smaller than that can tell
    bool moves = s->model->time.mode == PLI_MODE_DYNAMIC;
    return s->bounds_tets && moves ? create_projective(s) : pli_tets_ensure_elastic(s);
}

static pli_plastic describe_plastic(const pli_model *model)
{
    return (pli_plastic){.materials = model->yields,
                         .material_of = model->material_of,
                         .inside = model->solver_def.plasticity == PLI_PLASTICITY_IMPLICIT};
}

static pli_viscoelastic describe_viscoelastic(const pli_model *model)
{
    return (pli_viscoelastic){.materials = model->branches,
                              .material_of = model->material_of,
                              .branch_count = model->branch_count,
                              .h = model->dt};
}

static pli_viscoelastic_history point_history(const pli_state *state)
{
    return (pli_viscoelastic_history){state->law_stress, state->overstress};
}

void pli_tets_load(pli_mesh_stepper *s, const pli_state *state)
{
    const pli_plastic plastic = describe_plastic(s->model);
    const pli_viscoelastic viscoelastic = describe_viscoelastic(s->model);
    const pli_viscoelastic_history history = point_history(state);
    if (s->elastic == NULL) return;
    if (plastic.materials != NULL) {
        pli_plastic_apply(&plastic, state->plastic, state->plastic_history, s->elastic);
    }
    if (viscoelastic.materials != NULL) pli_viscoelastic_rest(&viscoelastic, &history, s->elastic);
}

void pli_tets_begin_step(pli_mesh_stepper *s, const pli_state *state)
{
    const pli_viscoelastic viscoelastic = describe_viscoelastic(s->model);
    const pli_viscoelastic_history history = point_history(state);
    pli_tets_load(s, state);
    if (viscoelastic.materials == NULL) return;
    pli_viscoelastic_begin_step(&viscoelastic, &history, s->elastic);
}

void pli_tets_end_step(pli_mesh_stepper *s, pli_state *state)
{
    const pli_plastic plastic = describe_plastic(s->model);
    const pli_viscoelastic viscoelastic = describe_viscoelastic(s->model);
    const pli_viscoelastic_history history = point_history(state);
    if (plastic.materials != NULL) {
        pli_plastic_return(&plastic, state->x, state->plastic, state->plastic_history, s->elastic);
    }
    if (viscoelastic.materials == NULL) return;
    pli_viscoelastic_end_step(&viscoelastic, state->x, &history, s->elastic);
}

double pli_tets_energy(pli_mesh_stepper *s, const pli_state *state)
{
    const pli_viscoelastic viscoelastic = describe_viscoelastic(s->model);
    const pli_viscoelastic_history history = point_history(state);
    if (viscoelastic.materials == NULL) {
        return pli_sum_value(pli_elastic_term.energy(s->elastic, state->x));
    }
    return pli_viscoelastic_energy(&viscoelastic, state->x, &history, s->elastic);
}

// ---- what changes with time

typedef struct retiming {
    const pli_model *model;
    double time;
    // the material asked for last: neighbours mostly are of one
    int32_t material;
    bool is_keyed;
    double params[PLI_MODEL_PARAMS];
    double drag;
    double rayleigh;
} retiming;

// The numbers of a tetrahedron's material at the time; false: they do not change.
static bool find_numbers(retiming *r, int32_t tet)
{
    int32_t material = r->model->material_of[tet];
    if (material == r->material) return r->is_keyed;
    r->material = material;
    r->is_keyed = pli_model_is_keyed(r->model, material);
    if (r->is_keyed) {
        pli_model_material_at(r->model, material, r->time, r->params, &r->drag, &r->rayleigh);
    }
    return r->is_keyed;
}

static bool change_params(void *user, int32_t tet, double *params)
{
    retiming *r = user;
    if (!find_numbers(r, tet)) return false;
    memcpy(params, r->params, sizeof r->params);
    return true;
}

void pli_tets_set_time(pli_mesh_stepper *s, double time)
{
    if (s->model->track_count == 0 || s->elastic == NULL) return;
    retiming r = {.model = s->model, .time = time, .material = -1};
    pli_elastic_change_params(s->elastic, change_params, &r);
    if (s->rayleigh == NULL) return;
    double *damping = pli_rayleigh_damping(s->rayleigh, 0);
    for (int32_t k = 0; k < s->model->tet_count; ++k) {
        if (find_numbers(&r, s->elastic->origin[k])) damping[k] = r.rayleigh;
    }
}

void pli_tets_add_drag(const pli_mesh_stepper *s, double time, double *drag)
{
    const pli_model *model = s->model;
    if (model->track_count == 0) return;
    retiming r = {.model = model, .time = time, .material = -1};
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        if (!find_numbers(&r, tet)) continue;
        const pli_model_material *material = &model->materials[model->material_of[tet]];
        double change = material->density * (r.drag - material->drag);
        pli_tet_lump(model->rest, model->tets + 4 * (int64_t)tet, change, drag);
    }
}
