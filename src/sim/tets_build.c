// SPDX-License-Identifier: Apache-2.0
#include "sim/tets_build.h"

#include "material/lame.h"
#include "material/laws.h"

#include <string.h>

// some of the model's tetrahedra
typedef struct tet_list {
    int32_t count;
    int32_t *of;   // [count] index in the model
    int32_t *tets; // [count][4]
} tet_list;

// Whether the corotated law without a volume term is all there is to it.
static bool is_projective(const pli_solver *s, int32_t tet)
{
    if (s->model->solver_kind->minimizer != PLI_MINIMIZER_LOCAL_GLOBAL) return false;
    const pli_model_material *material = &s->model->materials[s->model->material_of[tet]];
    return s->model->laws[material->law] == &pli_law_corotated &&
           material->params[PLI_LAME_LAMBDA] == 0;
}

// Takes scratch that the caller gives back.
static pli_status list_tets(const pli_solver *s, bool all, bool projective, tet_list *list)
{
    const pli_model *model = s->model;
    *list = (tet_list){0};
    list->of = pli_arena_ints(s->scratch, model->tet_count, "tetrahedra");
    list->tets = pli_arena_ints(s->scratch, 4 * (int64_t)model->tet_count, "tetrahedra");
    if (list->of == NULL || list->tets == NULL) return PLI_ERROR_MEMORY;
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        if (!all && is_projective(s, tet) != projective) continue;
        memcpy(list->tets + 4 * (int64_t)list->count, model->tets + 4 * (int64_t)tet,
               4 * sizeof(int32_t));
        list->of[list->count++] = tet;
    }
    return PLI_OK;
}

static pli_status create_elastic(const pli_solver *s, const tet_list *list, pli_elastic **elastic)
{
    const pli_model *model = s->model;
    int32_t *law_of_tet = pli_arena_ints(s->scratch, list->count, "laws");
    double *params =
        pli_arena_doubles(s->scratch, (int64_t)list->count * PLI_ELASTIC_PARAMS, "law parameters");
    if (law_of_tet == NULL || params == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < list->count; ++k) {
        const pli_model_material *material = &model->materials[model->material_of[list->of[k]]];
        law_of_tet[k] = material->law;
        memcpy(params + (int64_t)k * PLI_ELASTIC_PARAMS, material->params,
               PLI_ELASTIC_PARAMS * sizeof(double));
    }
    pli_elastic_def def = {.vertex_count = model->vertex_count,
                           .tet_count = list->count,
                           .rest = model->rest,
                           .tets = list->tets,
                           .law_count = model->law_count,
                           .laws = model->laws,
                           .law_of_tet = law_of_tet,
                           .params = params};
    return pli_elastic_create(s->context, &def, elastic);
}

static pli_status create_projective(pli_solver *s, const tet_list *list)
{
    const pli_model *model = s->model;
    double *mu = pli_arena_doubles(s->scratch, list->count, "moduli");
    if (mu == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < list->count; ++k) {
        mu[k] = model->materials[model->material_of[list->of[k]]].params[PLI_LAME_MU];
    }
    pli_projective_def def = {.vertex_count = model->vertex_count,
                              .tet_count = list->count,
                              .rest = model->rest,
                              .tets = list->tets,
                              .mu = mu};
    return pli_projective_create(s->context, &def, &s->projective);
}

pli_status pli_tets_build(pli_solver *s)
{
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    tet_list list;
    pli_status status = list_tets(s, false, true, &list);
    if (status == PLI_OK && list.count > 0) status = create_projective(s, &list);
    if (status == PLI_OK) status = list_tets(s, false, false, &list);
    // reports want an elastic term even when it is empty
    bool wanted = list.count > 0 || s->projective == NULL;
    if (status == PLI_OK && wanted) status = create_elastic(s, &list, &s->elastic);
    pli_arena_end(s->scratch, mark);
    return status;
}

pli_status pli_tets_get_all(pli_solver *s, const pli_elastic **elastic)
{
    *elastic = s->projective == NULL ? s->elastic : s->all_tets;
    if (*elastic != NULL) return PLI_OK;
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    tet_list list;
    pli_status status = list_tets(s, true, false, &list);
    if (status == PLI_OK) status = create_elastic(s, &list, &s->all_tets);
    pli_arena_end(s->scratch, mark);
    *elastic = s->all_tets;
    return status;
}
