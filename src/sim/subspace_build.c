// SPDX-License-Identifier: Apache-2.0
#include "sim/subspace_build.h"

#include "base/memory.h"
#include "base/timers.h"
#include "geometry/tet_mesh.h"
#include "sim/tets_build.h"

#include <math.h>
#include <string.h>

enum { POLISH_SHORT = 20, POLISH_LONG = 40 };

// ---- the model's part

// what the parts are made from
typedef struct reducing {
    pli_context *context;
    const pli_model *model;
    const pli_reduction_def *def;
    pli_simplices mesh;
    double *stiffness; // [tet_count] (Pa)
    uint8_t *held;     // [vertex_count] 1: a script holds all coordinates
    int32_t *body_of;  // [vertex_count] -1: obstacle
} reducing;

static pli_status describe_mesh(reducing *r)
{
    const pli_model *model = r->model;
    r->mesh = (pli_simplices){.vertex_count = model->vertex_count,
                              .points = model->rest,
                              .corner_count = 4,
                              .element_count = model->tet_count,
                              .elements = model->tets};
    r->stiffness = PLI_NEW(r->context, double, model->tet_count, "stiffness");
    r->held = PLI_NEW(r->context, uint8_t, model->vertex_count, "held vertices");
    r->body_of = PLI_NEW(r->context, int32_t, model->vertex_count, "bodies of vertices");
    if (r->stiffness == NULL || r->held == NULL || r->body_of == NULL) return PLI_ERROR_MEMORY;
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        r->stiffness[tet] = model->materials[model->material_of[tet]].rest_norm;
    }
    return PLI_OK;
}

static void mark_held(reducing *r)
{
    const pli_model *model = r->model;
    const uint8_t all = 7;
    for (int32_t k = 0; k < model->constraint_count; ++k) {
        const pli_model_handle *handle = &model->constraints[k];
        for (int32_t i = 0; i < handle->vertex_count; ++i) {
            r->held[handle->vertices[i]] |= handle->axes;
        }
    }
    for (int32_t i = 0; i < model->vertex_count; ++i) r->held[i] = r->held[i] == all;
}

static void mark_bodies(reducing *r)
{
    for (int32_t k = 0; k < r->model->body_count; ++k) {
        const pli_model_body *body = &r->model->bodies[k];
        int32_t number = body->kind == PLI_BODY_OBSTACLE ? -1 : k;
        for (int32_t i = 0; i < body->vertex_count; ++i) {
            r->body_of[body->first_vertex + i] = number;
        }
    }
}

static pli_status create_partition(const reducing *r, pli_reduction *reduction)
{
    pli_partition_def def = pli_partition_def_default();
    def.mesh = r->mesh;
    def.stiffness = r->stiffness;
    def.count = r->def->handles;
    def.oversampling = r->def->oversampling;
    def.jump = r->def->jump;
    def.conform = r->def->conform;
    def.prune_ratio = r->def->prune_ratio;
    def.prune_period = r->def->prune_period;
    def.max_rounds = r->def->rounds;
    def.seed = r->model->seed;
    return pli_partition_create(r->context, &def, &reduction->partition);
}

static pli_status create_bases(const reducing *r, pli_reduction *reduction)
{
    static const pli_bases_kind kinds[] = {[PLI_REDUCTION_MATERIAL] = PLI_BASES_MATERIAL,
                                           [PLI_REDUCTION_RADIAL] = PLI_BASES_RADIAL,
                                           [PLI_REDUCTION_EIGENMODES] = PLI_BASES_EIGENMODES,
                                           [PLI_REDUCTION_BIHARMONIC] = PLI_BASES_BIHARMONIC};
    pli_bases_def def = {.kind = kinds[r->def->bases],
                         .mesh = r->mesh,
                         .stiffness = r->stiffness,
                         .partition = reduction->partition,
                         .fixed = r->held,
                         .dirichlet_aware = r->def->dirichlet,
                         .drop = 1e-4};
    return pli_bases_create(r->context, &def, &reduction->bases);
}

static pli_status create_affine(const reducing *r, pli_reduction *reduction)
{
    bool factored = r->def->preconditioner == PLI_REDUCED_FACTOR;
    bool wanted = r->def->affine == PLI_AFFINE_AUTO ? !factored : r->def->affine == PLI_AFFINE_ON;
    if (!wanted) return PLI_OK;
    pli_affine_def def = {.vertex_count = r->model->vertex_count,
                          .points = r->model->rest,
                          .masses = r->model->mass,
                          .body_count = r->model->body_count,
                          .body_of = r->body_of};
    return pli_bases_create_affine(r->context, &def, &reduction->affine);
}

static pli_status create_cubature(const reducing *r, pli_reduction *reduction)
{
    if (r->def->hessian == PLI_REDUCED_FULL || r->model->has_rayleigh) return PLI_OK;
    pli_cubature_def def = pli_cubature_def_default();
    bool modal = r->def->hessian != PLI_REDUCED_POLYNOMIAL;
    def.kind = modal ? PLI_CUBATURE_MODAL : PLI_CUBATURE_POLYNOMIAL;
    def.mesh = r->mesh;
    def.material_of = r->model->material_of;
    def.partition = reduction->partition;
    def.bases = reduction->bases;
    def.affine = true;
    def.group_size = 600;
    def.share = r->def->hessian == PLI_REDUCED_AUTO ? 0.5 : 1;
    def.degree = r->def->degree;
    def.tolerance = r->def->cubature_tolerance;
    def.initial = r->def->cubature_initial;
    def.increment = r->def->cubature_increment;
    def.seed = r->model->seed;
    PLI_TRY(pli_cubature_create(r->context, &def, &reduction->cubature));
    bool dense = 2 * (int64_t)reduction->cubature->count >= r->model->tet_count;
    if (r->def->hessian == PLI_REDUCED_AUTO && dense) {
        pli_cubature_destroy(reduction->cubature);
        reduction->cubature = NULL;
    }
    return PLI_OK;
}

// Whichever of 20 and 40 is nearer to the way from a cluster's middle to its rim (K12).
static int32_t choose_polish(const reducing *r, const pli_reduction *reduction)
{
    if (r->def->polish >= 0) return r->def->polish;
    double middle = 0.5 * (POLISH_SHORT + POLISH_LONG);
    return reduction->partition->hop_radius < middle ? POLISH_SHORT : POLISH_LONG;
}

static void tell_reduction(const reducing *r, const pli_reduction *reduction)
{
    const pli_partition *partition = reduction->partition;
    PLI_LOG(r->context, PLI_LOG_INFO,
            "subspace: %d handles (%d rounds, %d pruned, radius %.1f edges), %.1f per vertex, %d "
            "vertices without support, %.3g s",
            (int)reduction->bases->handle_count, (int)partition->rounds, (int)partition->pruned,
            partition->hop_radius,
            (double)reduction->bases->start[r->model->vertex_count] / r->model->vertex_count,
            (int)reduction->bases->orphan_count, reduction->seconds);
    PLI_LOG(r->context, PLI_LOG_INFO,
            "subspace: cubature of %d of %d tetrahedra (residual %.1e), coarse solves to %.0e, "
            "polish of %d iterations, Hessian anew when the mean of %d steps is below %.3g, at "
            "most every %d iterations",
            (int)(reduction->cubature != NULL ? reduction->cubature->count : r->model->tet_count),
            (int)r->model->tet_count,
            reduction->cubature != NULL ? reduction->cubature->residual : 0, r->def->tolerance,
            (int)reduction->polish, (int)r->def->refresh_average, r->def->refresh_threshold,
            (int)r->def->refresh_period);
}

static pli_status build_reduction(reducing *r, pli_reduction *reduction)
{
    double begin = pli_clock_seconds();
    PLI_TRY(describe_mesh(r));
    mark_held(r);
    mark_bodies(r);
    PLI_TRY(create_partition(r, reduction));
    PLI_TRY(create_bases(r, reduction));
    PLI_TRY(create_affine(r, reduction));
    PLI_TRY(create_cubature(r, reduction));
    reduction->polish = choose_polish(r, reduction);
    reduction->seconds = pli_clock_seconds() - begin;
    tell_reduction(r, reduction);
    return PLI_OK;
}

pli_status pli_reduction_build(pli_model *model)
{
    if (!model->solver_kind->subspace) return PLI_OK;
    reducing r = {.context = model->context, .model = model, .def = &model->solver_def.subspace};
    pli_reduction *reduction = PLI_NEW(model->context, pli_reduction, 1, "subspace");
    if (reduction == NULL) return PLI_ERROR_MEMORY;
    model->reduction = reduction;
    pli_status status = build_reduction(&r, reduction);
    pli_release(r.context, r.body_of);
    pli_release(r.context, r.held);
    pli_release(r.context, r.stiffness);
    return status;
}

void pli_reduction_destroy(pli_context *context, pli_reduction *reduction)
{
    if (reduction == NULL) return;
    pli_cubature_destroy(reduction->cubature);
    pli_bases_destroy(reduction->affine);
    pli_bases_destroy(reduction->bases);
    pli_partition_destroy(reduction->partition);
    pli_release(context, reduction);
}

// ---- the solver's part

// The elastic energy of the cubature's elements, each standing for its weight.
static pli_status create_cubature_term(pli_solver *s)
{
    const pli_cubature *cubature = s->model->reduction->cubature;
    if (cubature == NULL) return PLI_OK;
    pli_tet_choice choice = {
        .count = cubature->count, .tets = cubature->elements, .weights = cubature->weights};
    return pli_tets_create_elastic(s, &choice, &s->cubature);
}

pli_status pli_subspace_build(pli_solver *s)
{
    const pli_reduction *reduction = s->model->reduction;
    const pli_reduction_def *def = &s->model->solver_def.subspace;
    PLI_TRY(pli_objective_build_split_pattern(&s->objective));
    PLI_TRY(create_cubature_term(s));
    pli_subspace_def subspace = {
        .affine = reduction->affine,
        .bases = reduction->bases,
        .points = s->model->rest,
        .cubature = {s->cubature != NULL ? &pli_elastic_term : NULL, s->cubature},
        .tolerance = def->tolerance,
        .max_iterations = s->model->solver_def.linear_max_iterations,
        .polish_iterations = reduction->polish,
        .level_preconditioner =
            def->preconditioner == PLI_REDUCED_FACTOR ? PLI_SUBSPACE_FACTOR : PLI_SUBSPACE_BLOCKS,
        .polish_preconditioner = def->polish_preconditioner == PLI_REDUCED_FACTOR
                                     ? PLI_SUBSPACE_FACTOR
                                     : PLI_SUBSPACE_BLOCKS,
        .average_length = def->refresh_average,
        .threshold = def->refresh_threshold,
        .period = def->refresh_period,
        .timers = &s->timers};
    PLI_TRY(pli_subspace_create(s->context, &subspace, &s->objective, &s->subspace));
    s->newton.source = pli_subspace_source(s->subspace);
    return PLI_OK;
}
