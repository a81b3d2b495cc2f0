// SPDX-License-Identifier: Apache-2.0
#include "sim/step/tets_build.h"

#include "material/lame.h"
#include "material/laws.h"
#include "sim/model/model_paint.h"

#include <string.h>

// Whether the corotated law without a volume term is all there is.
bool pli_tets_are_projective(const pli_model *model)
{
    if (!pli_solver_has(model->solver_kind, PLI_KEEPS_MATRIX)) return false;
    for (int32_t k = 0; k < model->body_count; ++k) {
        if (model->bodies[k].element != PLI_ELEMENT_LINEAR) return false;
    }
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        const pli_model_material *material = &model->materials[model->material_of[tet]];
        double params[PLI_MODEL_PARAMS];
        if (model->laws[material->law] != &pli_law_corotated) return false;
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

// Arrays of an elastic term, in scratch.
typedef struct elements {
    int32_t *numbers; // of the model's tetrahedra
    int32_t *tets;
    int32_t *mid;
    int32_t *laws;
    int32_t *materials;
    double *params;
} elements;

static bool allocate_elements(pli_arena *scratch, int64_t count, elements *e)
{
    e->numbers = pli_arena_ints(scratch, count, "tetrahedra");
    e->tets = pli_arena_ints(scratch, 4 * count, "tetrahedra");
    e->mid = pli_arena_ints(scratch, 6 * count, "tetrahedra");
    e->laws = pli_arena_ints(scratch, count, "laws");
    e->materials = pli_arena_ints(scratch, count, "materials");
    e->params = pli_arena_doubles(scratch, count * PLI_ELASTIC_PARAMS, "law parameters");
    return e->numbers != NULL && e->tets != NULL && e->mid != NULL && e->laws != NULL &&
           e->materials != NULL && e->params != NULL;
}

static void fill_element(const pli_model *model, elements *e, int64_t k, int64_t tet)
{
    const pli_model_material *material = &model->materials[model->material_of[tet]];
    e->numbers[k] = (int32_t)tet;
    memcpy(e->tets + 4 * k, model->tets + 4 * tet, 4 * sizeof *e->tets);
    if (model->mid_nodes != NULL) {
        memcpy(e->mid + 6 * k, model->mid_nodes + 6 * tet, 6 * sizeof *e->mid);
    }
    e->laws[k] = material->law;
    e->materials[k] = material->source;
    pli_model_tet_params(model, tet, e->params + k * PLI_ELASTIC_PARAMS);
}

static pli_elastic_def describe_elements(const pli_model *model, const elements *e, int32_t count)
{
    return (pli_elastic_def){.vertex_count = model->vertex_count,
                             .tet_count = count,
                             .rest = model->rest,
                             .tets = e->tets,
                             .law_count = model->law_count,
                             .laws = model->laws,
                             .law_of_tet = e->laws,
                             .params = e->params};
}

pli_status pli_tets_create_elastic(pli_mesh_stepper *s, const pli_tet_choice *choice,
                                   pli_elastic **elastic)
{
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    pli_status status = PLI_ERROR_MEMORY;
    elements e;
    if (!allocate_elements(s->scratch, choice->count, &e)) goto done;
    for (int32_t k = 0; k < choice->count; ++k) fill_element(s->model, &e, k, choice->tets[k]);
    pli_elastic_def def = describe_elements(s->model, &e, choice->count);
    def.weights = choice->weights;
    status = pli_elastic_create(s->context, &def, elastic);

done:
    pli_arena_end(s->scratch, mark);
    return status;
}

// The tetrahedra of all bodies with one kind of element; none for kinds that no body has, but for
// the linear one.
static pli_status create_kind(pli_mesh_stepper *s, pli_element_kind kind, pli_elastic **elastic)
{
    const pli_model *model = s->model;
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    pli_status status = PLI_ERROR_MEMORY;
    int32_t count = 0;
    elements e;
    if (!allocate_elements(s->scratch, model->tet_count, &e)) goto done;
    for (int32_t k = 0; k < model->body_count; ++k) {
        const pli_model_body *body = &model->bodies[k];
        if (body->element != kind) continue;
        for (int32_t tet = 0; tet < body->tet_count; ++tet) {
            fill_element(model, &e, count++, body->first_tet + tet);
        }
    }
    status = PLI_OK;
    if (count == 0 && kind != PLI_ELEMENT_LINEAR) goto done;
    pli_elastic_def def = describe_elements(model, &e, count);
    def.yields = model->yields != NULL;
    def.relaxes = model->branches != NULL;
    def.numbers = e.numbers;
    if (kind == PLI_ELEMENT_QUADRATIC) def.mid_nodes = e.mid;
    if (kind == PLI_ELEMENT_LOCKING_FREE) {
        def.class_of_tet = e.materials;
        def.stabilisation = PLI_TETS_STABILISATION;
    }
    status = pli_elastic_create(s->context, &def, elastic);

done:
    pli_arena_end(s->scratch, mark);
    return status;
}

pli_status pli_tets_ensure_elastic(pli_mesh_stepper *s)
{
    if (s->elastic != NULL) return PLI_OK;
    PLI_TRY(create_kind(s, PLI_ELEMENT_QUADRATIC, &s->quadratic));
    PLI_TRY(create_kind(s, PLI_ELEMENT_LOCKING_FREE, &s->patched));
    return create_kind(s, PLI_ELEMENT_LINEAR, &s->elastic);
}

int32_t pli_tets_list(const pli_mesh_stepper *s, pli_elastic *list[PLI_TETS_KINDS])
{
    pli_elastic *const all[PLI_TETS_KINDS] = {s->elastic, s->quadratic, s->patched};
    int32_t count = 0;
    for (int k = 0; k < PLI_TETS_KINDS; ++k) {
        if (all[k] != NULL) list[count++] = all[k];
    }
    return count;
}

void pli_tets_measure(const pli_mesh_stepper *s, const double *x, double *J)
{
    pli_elastic *list[PLI_TETS_KINDS];
    int32_t count = pli_tets_list(s, list);
    for (int32_t k = 0; k < count; ++k) pli_elastic_measure(list[k], x, J);
}

void pli_tets_add(pli_mesh_stepper *s, pli_objective *objective)
{
    if (s->projective != NULL) {
        pli_objective_add(objective, &pli_projective_term, s->projective);
        return;
    }
    pli_objective_add(objective, &pli_elastic_term, s->elastic);
    // barriers keep volumes above zero, those of linear elements themselves (contact/ipc.h)
    bool upright = s->model->contact.method == PLI_CONTACT_BARRIER;
    const pli_term_ops *quadratic = upright ? &pli_elastic_upright_term : &pli_elastic_term;
    if (s->quadratic != NULL) pli_objective_add(objective, quadratic, s->quadratic);
    if (s->patched != NULL) pli_objective_add(objective, &pli_elastic_patched_term, s->patched);
}

void pli_tets_destroy(pli_mesh_stepper *s)
{
    pli_elastic_destroy(s->patched);
    pli_elastic_destroy(s->quadratic);
    pli_elastic_destroy(s->elastic);
    pli_projective_destroy(s->projective);
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
                         .first_point = model->first_point,
                         .inside = model->solver_def.plasticity == PLI_PLASTICITY_IMPLICIT};
}

static pli_viscoelastic describe_viscoelastic(const pli_model *model)
{
    return (pli_viscoelastic){.materials = model->branches,
                              .material_of = model->material_of,
                              .first_point = model->first_point,
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
    pli_elastic *list[PLI_TETS_KINDS];
    int32_t count = pli_tets_list(s, list);
    for (int32_t k = 0; k < count; ++k) {
        if (plastic.materials != NULL) {
            pli_plastic_apply(&plastic, state->plastic, state->plastic_history, list[k]);
        }
        if (viscoelastic.materials != NULL) pli_viscoelastic_rest(&viscoelastic, &history, list[k]);
    }
}

void pli_tets_begin_step(pli_mesh_stepper *s, const pli_state *state)
{
    const pli_viscoelastic viscoelastic = describe_viscoelastic(s->model);
    const pli_viscoelastic_history history = point_history(state);
    pli_elastic *list[PLI_TETS_KINDS];
    int32_t count = pli_tets_list(s, list);
    pli_tets_load(s, state);
    for (int32_t k = 0; viscoelastic.materials != NULL && k < count; ++k) {
        pli_viscoelastic_begin_step(&viscoelastic, &history, list[k]);
    }
}

void pli_tets_end_step(pli_mesh_stepper *s, pli_state *state)
{
    const pli_plastic plastic = describe_plastic(s->model);
    const pli_viscoelastic viscoelastic = describe_viscoelastic(s->model);
    const pli_viscoelastic_history history = point_history(state);
    pli_elastic *list[PLI_TETS_KINDS];
    int32_t count = pli_tets_list(s, list);
    for (int32_t k = 0; k < count; ++k) {
        if (plastic.materials != NULL) {
            pli_plastic_return(&plastic, state->x, state->plastic, state->plastic_history, list[k]);
        }
        if (viscoelastic.materials == NULL) continue;
        pli_viscoelastic_end_step(&viscoelastic, state->x, &history, list[k]);
    }
}

double pli_tets_energy(pli_mesh_stepper *s, const pli_state *state)
{
    const pli_viscoelastic viscoelastic = describe_viscoelastic(s->model);
    const pli_viscoelastic_history history = point_history(state);
    pli_elastic *list[PLI_TETS_KINDS];
    int32_t count = pli_tets_list(s, list);
    double sum = 0;
    for (int32_t k = 0; k < count; ++k) {
        sum += viscoelastic.materials == NULL
                   ? pli_sum_value(pli_elastic_term.energy(list[k], state->x))
                   : pli_viscoelastic_energy(&viscoelastic, state->x, &history, list[k]);
    }
    return sum;
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
    pli_elastic *list[PLI_TETS_KINDS];
    int32_t count = pli_tets_list(s, list);
    for (int32_t source = 0; source < count; ++source) {
        const pli_elastic *elastic = list[source];
        pli_elastic_change_params(list[source], change_params, &r);
        if (s->rayleigh == NULL) continue;
        double *damping = pli_rayleigh_damping(s->rayleigh, source);
        for (int64_t k = 0; k < elastic->elements.cliques.count; ++k) {
            int64_t tet = elastic->patches != NULL ? elastic->patches->begin[k] : k;
            if (find_numbers(&r, elastic->origin[tet])) damping[k] = r.rayleigh;
        }
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
        pli_model_lump_tet(model, tet, change, drag);
    }
}
