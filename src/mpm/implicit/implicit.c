// SPDX-License-Identifier: Apache-2.0
#include "mpm/implicit/implicit.h"

#include "base/memory.h"
#include "mpm/implicit/implicit_inside.h"

#include <math.h>

enum { LANES = PLI_CLOUD_LANES, SLOTS = PLI_EVALUATION_SLOTS, SLOT_GRAIN = 4096 };

// ---- life

pli_implicit_kind pli_implicit_kind_make(const pli_material *material, bool inside)
{
    pli_implicit_kind kind = {.material = *material, .inside = inside};
    kind.law = pli_material_step_law(material, inside);
    pli_material_step_params(material, inside, pli_material_rest_history(material), kind.params);
    return kind;
}

pli_status pli_implicit_create(pli_context *context, const pli_cloud *cloud, int32_t kind_count,
                               const pli_implicit_kind *kinds, pli_implicit **implicit)
{
    *implicit = NULL;
    pli_implicit *made = PLI_NEW(context, pli_implicit, 1, "implicit particles");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->cloud = cloud;
    made->kind_count = kind_count;
    for (int32_t k = 0; k < kind_count; ++k) {
        int32_t count = kinds[k].law->param_count;
        if (count > made->param_count) made->param_count = count;
    }
    made->kinds = PLI_NEW(context, pli_implicit_kind, kind_count, "kinds");
    if (made->kinds == NULL) {
        pli_implicit_destroy(made);
        return PLI_ERROR_MEMORY;
    }
    memcpy(made->kinds, kinds, (size_t)kind_count * sizeof *kinds);
    *implicit = made;
    return PLI_OK;
}

void pli_implicit_destroy(pli_implicit *implicit)
{
    if (implicit == NULL) return;
    pli_context *context = implicit->context;
    PLI_RELEASE(context, implicit->chunk_cell, implicit->stress, implicit->stress_x,
                implicit->tangents, implicit->params, implicit->weight, implicit->kinds, implicit);
}

int64_t pli_implicit_memory(const pli_implicit *implicit)
{
    return (int64_t)(pli_memory_size(implicit->chunk_cell) + pli_memory_size(implicit->tangents) +
                     pli_memory_size(implicit->params) + pli_memory_size(implicit->weight) +
                     pli_memory_size(implicit->stress) + pli_memory_size(implicit->stress_x));
}

int32_t pli_implicit_reach(const pli_implicit *implicit)
{
    return implicit->cloud->width - 1;
}

// ---- a step begins

static pli_status reserve(pli_implicit *implicit)
{
    static const char what[] = "implicit particles";
    const pli_cloud *cloud = implicit->cloud;
    pli_context *context = implicit->context;
    if (cloud->slot_room > implicit->slot_room) {
        int64_t room = cloud->slot_room;
        // made again when they are wanted
        pli_release(context, implicit->tangents);
        implicit->tangents = NULL;
        PLI_TRY(PLI_RESIZE(context, implicit->params, implicit->param_count * room, what));
        PLI_TRY(PLI_RESIZE(context, implicit->weight, room, what));
        PLI_TRY(PLI_RESIZE(context, implicit->stress, 9 * room, what));
        implicit->slot_room = (int32_t)room;
    }
    if (cloud->cell_room > implicit->chunk_room || implicit->chunk_cell == NULL) {
        PLI_TRY(PLI_RESIZE(context, implicit->chunk_cell, cloud->cell_room + 1, what));
        implicit->chunk_room = cloud->cell_room;
    }
    if (cloud->node_room > implicit->node_room) {
        PLI_TRY(PLI_RESIZE(context, implicit->stress_x, 3 * (int64_t)cloud->node_room, what));
        implicit->node_room = cloud->node_room;
    }
    return PLI_OK;
}

static void cut_chunks(pli_implicit *implicit)
{
    const pli_cloud *cloud = implicit->cloud;
    int32_t begin = 0;
    implicit->chunk_count = 0;
    for (int32_t cell = 0; cell < cloud->cell_count; ++cell) {
        bool is_full = cloud->cell_slot[cell + 1] - cloud->cell_slot[begin] > PLI_IMPLICIT_CHUNK;
        if (cell > 0 && !is_full) continue;
        begin = cell;
        implicit->chunk_cell[implicit->chunk_count++] = cell;
    }
    implicit->chunk_cell[implicit->chunk_count] = cloud->cell_count;
}

static void set_params(void *user, int64_t begin, int64_t end)
{
    pli_implicit *implicit = user;
    const pli_cloud *cloud = implicit->cloud;
    for (int64_t slot = begin; slot < end; ++slot) {
        const pli_implicit_kind *kind = &implicit->kinds[cloud->kind[slot]];
        double own[PLI_MATERIAL_PARAMS], history = cloud->memory[slot];
        const double *params = kind->params;
        if (kind->law != kind->material.law) {
            pli_material_step_params(&kind->material, kind->inside, history, own);
            params = own;
        }
        for (int32_t k = 0; k < implicit->param_count; ++k) {
            implicit->params[k * (int64_t)implicit->slot_room + slot] = params[k];
        }
        implicit->weight[slot] =
            cloud->volume[slot] * pli_material_stiffness(&kind->material, history);
    }
}

pli_status pli_implicit_begin(pli_implicit *implicit)
{
    implicit->has_stress = false;
    PLI_TRY(reserve(implicit));
    cut_chunks(implicit);
    pli_parallel_for(implicit->context, implicit->cloud->slot_count, SLOT_GRAIN, set_params,
                     implicit);
    return PLI_OK;
}

// ---- material

void pli_evaluation_begin(pli_evaluation *at, int64_t first, int64_t count)
{
    enum { BLOCK = PLI_EVALUATION_BLOCK };
    at->first = first;
    at->count = (int32_t)count;
    at->stride = (int32_t)((count + BLOCK - 1) / BLOCK * BLOCK);
}

bool pli_evaluation_clip(const pli_cloud *cloud, int64_t cell, const pli_evaluation *at,
                         int64_t *first, int32_t *count)
{
    int64_t from = cloud->cell_slot[cell], to = cloud->cell_slot[cell + 1];
    int64_t end = at->first + at->count;
    if (from < at->first) from = at->first;
    if (to > end) to = end;
    *first = from;
    *count = (int32_t)(to - from);
    return from < to;
}

PLI_INLINE void deform_lanes(const pli_cloud *cloud, int32_t width, int64_t slot, const double *own,
                             int64_t F_stride, double *F)
{
    pli_cloud_weights at;
    pli_d4 G[9], old[9];
    pli_cloud_weigh(cloud, width, slot, &at);
    pli_cloud_differentiate(width, &at, own, G);
    for (int k = 0; k < 9; ++k) {
        old[k] = pli_cloud_load(cloud->F + k * (int64_t)cloud->slot_room + slot);
    }
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            pli_d4 value = old[3 * a + b] + G[3 * a] * old[b] + G[3 * a + 1] * old[3 + b] +
                           G[3 * a + 2] * old[6 + b];
            pli_cloud_save(value, F + (3 * a + b) * F_stride);
        }
    }
}

void pli_implicit_deform(const pli_implicit *implicit, int64_t cell, const double *x, int64_t first,
                         int32_t count, pli_evaluation *at)
{
    const pli_cloud *cloud = implicit->cloud;
    int64_t stride = at->stride;
    double own[3 * PLI_SPLINE_NODES];
    pli_cloud_take(cloud, cell, x, own);
    for (int32_t k = 0; k < count; k += LANES) {
        double *F = at->F + (first - at->first) + k;
        PLI_WITH_WIDTH(cloud->spline, deform_lanes(cloud, width, first + k, own, stride, F));
    }
}

// Repeats the last `count` % PLI_EVALUATION_BLOCK numbers of planes up to the stride.
static void fill_up(const pli_evaluation *at, int32_t planes, double *values)
{
    for (int32_t p = 0; p < planes; ++p) {
        for (int32_t k = at->count; k < at->stride; ++k) {
            values[p * at->stride + k] = values[p * at->stride + k - LANES];
        }
    }
}

// All slots, which have one law, where they are.
static void evaluate_one_law(const pli_implicit *implicit, const pli_material_ops *law,
                             unsigned want, bool projected, pli_evaluation *at)
{
    double params[PLI_MATERIAL_PARAMS * SLOTS];
    for (int32_t p = 0; p < law->param_count; ++p) {
        memcpy(params + p * at->stride,
               implicit->params + p * (int64_t)implicit->slot_room + at->first,
               (size_t)at->count * sizeof *params);
    }
    fill_up(at, 9, at->F);
    fill_up(at, law->param_count, params);
    law->evaluate(at->stride, at->F, params, projected ? PLI_TANGENT_PROJECTED : PLI_TANGENT_EXACT,
                  want & PLI_WANT_ENERGY ? at->psi : NULL, want & PLI_WANT_STRESS ? at->P : NULL,
                  want & PLI_WANT_TANGENT ? at->dPdF : NULL);
}

// ---- several laws

// points of one law, gathered from the slots
typedef struct law_batch {
    int32_t count;
    int32_t slots[SLOTS];
    double F[9 * SLOTS];
    double params[PLI_MATERIAL_PARAMS * SLOTS];
    double psi[SLOTS];
    double P[9 * SLOTS];
    double dPdF[81 * SLOTS];
} law_batch;

static void copy_planes(const law_batch *batch, int32_t planes, const double *from, int32_t stride,
                        double *to)
{
    for (int32_t p = 0; p < planes; ++p) {
        for (int32_t k = 0; k < batch->count; ++k) {
            to[p * stride + batch->slots[k]] = from[p * batch->count + k];
        }
    }
}

static void evaluate_batch(const pli_implicit *implicit, const pli_material_ops *law, unsigned want,
                           bool projected, law_batch *batch, pli_evaluation *at)
{
    int32_t n = batch->count;
    for (int32_t k = 0; k < n; ++k) {
        for (int32_t p = 0; p < 9; ++p) {
            batch->F[p * n + k] = at->F[p * at->stride + batch->slots[k]];
        }
        for (int32_t p = 0; p < law->param_count; ++p) {
            batch->params[p * n + k] =
                implicit->params[p * (int64_t)implicit->slot_room + at->first + batch->slots[k]];
        }
    }
    law->evaluate(n, batch->F, batch->params, projected ? PLI_TANGENT_PROJECTED : PLI_TANGENT_EXACT,
                  want & PLI_WANT_ENERGY ? batch->psi : NULL,
                  want & PLI_WANT_STRESS ? batch->P : NULL,
                  want & PLI_WANT_TANGENT ? batch->dPdF : NULL);
    if (want & PLI_WANT_ENERGY) copy_planes(batch, 1, batch->psi, at->stride, at->psi);
    if (want & PLI_WANT_STRESS) copy_planes(batch, 9, batch->P, at->stride, at->P);
    if (want & PLI_WANT_TANGENT) copy_planes(batch, 81, batch->dPdF, at->stride, at->dPdF);
}

static void evaluate_several(const pli_implicit *implicit, unsigned want, bool projected,
                             pli_evaluation *at)
{
    const pli_cloud *cloud = implicit->cloud;
    law_batch batch;
    bool done[SLOTS] = {false};
    for (int32_t begin = 0; begin < at->count; ++begin) {
        if (done[begin]) continue;
        // all that have the law of the first one that is left
        const pli_material_ops *law = implicit->kinds[cloud->kind[at->first + begin]].law;
        batch.count = 0;
        for (int32_t k = begin; k < at->count; ++k) {
            if (done[k] || implicit->kinds[cloud->kind[at->first + k]].law != law) continue;
            batch.slots[batch.count++] = k;
            done[k] = true;
        }
        evaluate_batch(implicit, law, want, projected, &batch, at);
    }
}

void pli_implicit_evaluate(const pli_implicit *implicit, unsigned want, bool projected,
                           pli_evaluation *at)
{
    const int32_t *kind = implicit->cloud->kind + at->first;
    const pli_material_ops *law = implicit->kinds[kind[0]].law;
    int32_t same = 1;
    while (same < at->count && implicit->kinds[kind[same]].law == law) ++same;
    if (same == at->count) {
        evaluate_one_law(implicit, law, want, projected, at);
    } else {
        evaluate_several(implicit, want, projected, at);
    }
}
