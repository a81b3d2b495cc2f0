// SPDX-License-Identifier: Apache-2.0
#include "sim/model/subspace_build.h"

#include "base/memory.h"
#include "base/timers.h"
#include "sim/model/subspace_cache.h"
#include "sim/step/tets_build.h"

#include <math.h>
#include <string.h>

enum { POLISH_SHORT = 20, POLISH_LONG = 40 };

// ---- the model's part

static pli_status describe_mesh(pli_reduction_source *source)
{
    const pli_model *model = source->model;
    pli_context *context = model->context;
    source->mesh = (pli_simplices){.vertex_count = model->vertex_count,
                                   .points = model->rest,
                                   .corner_count = 4,
                                   .element_count = model->tet_count,
                                   .elements = model->tets};
    PLI_TRY(PLI_MAKE(context, source->stiffness, model->tet_count, "stiffness"));
    PLI_TRY(PLI_MAKE(context, source->held, model->vertex_count, "held vertices"));
    PLI_TRY(PLI_MAKE(context, source->body_of, model->vertex_count, "bodies of vertices"));
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        source->stiffness[tet] = model->materials[model->material_of[tet]].rest_norm;
    }
    return PLI_OK;
}

static void mark_held(pli_reduction_source *source)
{
    const pli_model *model = source->model;
    const uint8_t all = 7;
    for (int32_t k = 0; k < model->constraint_count; ++k) {
        const pli_model_handle *handle = &model->constraints[k];
        for (int32_t i = 0; i < handle->vertex_count; ++i) {
            source->held[handle->vertices[i]] |= handle->axes;
        }
    }
    for (int32_t i = 0; i < model->vertex_count; ++i) source->held[i] = source->held[i] == all;
}

static void mark_bodies(pli_reduction_source *source)
{
    for (int32_t k = 0; k < pli_model_things(source->model); ++k) {
        const pli_model_body *body = &source->model->bodies[k];
        int32_t number = body->kind == PLI_BODY_OBSTACLE ? -1 : k;
        for (int32_t i = 0; i < body->vertex_count; ++i) {
            source->body_of[body->first_vertex + i] = number;
        }
    }
}

static bool wants_affine(const pli_subspace_def *def)
{
    if (def->affine != PLI_AFFINE_AUTO) return def->affine == PLI_AFFINE_ON;
    return def->preconditioner != PLI_REDUCED_FACTOR;
}

pli_status pli_reduction_source_init(pli_reduction_source *source, const pli_model *model)
{
    const pli_subspace_def *def = &model->solver_def.subspace;
    *source = (pli_reduction_source){.model = model,
                                     .def = def,
                                     .wants_affine = wants_affine(def),
                                     .wants_cubature =
                                         def->hessian != PLI_REDUCED_FULL && !model->has_rayleigh};
    PLI_TRY(describe_mesh(source));
    mark_held(source);
    mark_bodies(source);
    return PLI_OK;
}

void pli_reduction_source_clear(pli_reduction_source *source)
{
    pli_context *context = source->model->context;
    PLI_RELEASE(context, source->body_of, source->held, source->stiffness);
    source->body_of = NULL;
    source->held = NULL;
    source->stiffness = NULL;
}

// what goes on while the parts are made
typedef struct reducing {
    pli_context *context;
    const pli_model *model;
    const pli_subspace_def *def;
    const pli_model_def *hooks;
    pli_reduction_source source;
    const char *stage; // that is being computed
    double begin;      // of everything (s)
    bool cached;       // all of it came out of the cache
} reducing;

// Says how far it is and asks whether to go on.
static pli_status tell_fraction(void *user, double fraction)
{
    const reducing *r = user;
    pli_preparation preparation = {.what = "subspace",
                                   .stage = r->stage,
                                   .fraction = fraction,
                                   .seconds = pli_clock_seconds() - r->begin};
    if (r->hooks->prepare != NULL) r->hooks->prepare(r->hooks->prepare_user, &preparation);
    return pli_model_go_on(r->context, r->hooks);
}

static pli_status begin_stage(reducing *r, const char *stage)
{
    r->stage = stage;
    return tell_fraction(r, 0);
}

static pli_status create_partition(reducing *r, pli_reduction *reduction)
{
    PLI_TRY(begin_stage(r, "clusters"));
    pli_partition_def def = pli_partition_def_default();
    def.mesh = r->source.mesh;
    def.stiffness = r->source.stiffness;
    def.count = r->def->handles;
    def.oversampling = r->def->oversampling;
    def.jump = r->def->jump;
    def.conform = r->def->conform;
    def.prune_ratio = r->def->prune_ratio;
    def.prune_period = r->def->prune_period;
    def.max_rounds = r->def->rounds;
    def.seed = r->model->seed;
    def.progress = tell_fraction;
    def.user = r;
    return pli_partition_create(r->context, &def, &reduction->partition);
}

static pli_status create_bases(reducing *r, pli_reduction *reduction)
{
    static const pli_bases_kind kinds[] = {[PLI_SUBSPACE_BASES_MATERIAL] = PLI_BASES_MATERIAL,
                                           [PLI_SUBSPACE_BASES_RADIAL] = PLI_BASES_RADIAL,
                                           [PLI_SUBSPACE_BASES_EIGENMODES] = PLI_BASES_EIGENMODES,
                                           [PLI_SUBSPACE_BASES_BIHARMONIC] = PLI_BASES_BIHARMONIC};
    PLI_TRY(begin_stage(r, "weights"));
    pli_bases_def def = {.kind = kinds[r->def->bases],
                         .mesh = r->source.mesh,
                         .stiffness = r->source.stiffness,
                         .partition = reduction->partition,
                         .fixed = r->source.held,
                         .dirichlet_aware = r->def->dirichlet,
                         .drop = 1e-4,
                         .progress = tell_fraction,
                         .user = r};
    return pli_bases_create(r->context, &def, &reduction->bases);
}

static pli_status create_affine(const reducing *r, pli_reduction *reduction)
{
    if (!r->source.wants_affine) return PLI_OK;
    pli_affine_def def = {.vertex_count = r->model->vertex_count,
                          .points = r->model->rest,
                          .masses = r->model->mass,
                          .body_count = r->model->body_count,
                          .body_of = r->source.body_of};
    return pli_bases_create_affine(r->context, &def, &reduction->affine);
}

static pli_status create_cubature(reducing *r, pli_reduction *reduction)
{
    if (!r->source.wants_cubature) return PLI_OK;
    PLI_TRY(begin_stage(r, "cubature"));
    pli_cubature_def def = pli_cubature_def_default();
    bool modal = r->def->hessian != PLI_REDUCED_POLYNOMIAL;
    def.kind = modal ? PLI_CUBATURE_MODAL : PLI_CUBATURE_POLYNOMIAL;
    def.mesh = r->source.mesh;
    // where every element has numbers of its own, materials tell nothing
    def.material_of = r->model->inputs == NULL ? r->model->material_of : NULL;
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
    def.progress = tell_fraction;
    def.user = r;
    return pli_cubature_create(r->context, &def, &reduction->cubature);
}

// Whichever of 20 and 40 is nearer to the way from a cluster's middle to its rim (Trusty et al.
// 2025).
static int32_t choose_polish(const reducing *r, const pli_reduction *reduction)
{
    if (r->def->polish >= 0) return r->def->polish;
    double middle = 0.5 * (POLISH_SHORT + POLISH_LONG);
    return reduction->partition->hop_radius < middle ? POLISH_SHORT : POLISH_LONG;
}

// Tetrahedra whose Hessian the coarse levels see.
static int32_t count_cubature(const pli_model *model)
{
    const pli_cubature *cubature = model->reduction->cubature;
    return cubature != NULL ? cubature->count : model->tet_count;
}

static void tell_reduction(const reducing *r, const pli_reduction *reduction)
{
    const pli_partition *partition = reduction->partition;
    PLI_LOG(r->context, PLI_LOG_INFO,
            "subspace: %d handles (%d rounds, %d pruned, radius %.1f edges), %.1f per vertex, %d "
            "vertices without support, %s%.3g s",
            (int)reduction->bases->handle_count, (int)partition->rounds, (int)partition->pruned,
            partition->hop_radius,
            (double)reduction->bases->start[r->model->vertex_count] / r->model->vertex_count,
            (int)reduction->bases->orphan_count, r->cached ? "from the cache, " : "",
            reduction->seconds);
    PLI_LOG(r->context, PLI_LOG_INFO,
            "subspace: cubature of %d of %d tetrahedra (residual %.1e), coarse solves to %.0e, "
            "polish of %d iterations, Hessian rebuilt when the mean of %d steps is below %.3g, at "
            "most every %d iterations",
            (int)count_cubature(r->model), (int)r->model->tet_count,
            reduction->cubature != NULL ? reduction->cubature->residual : 0, r->def->tolerance,
            (int)reduction->polish, (int)r->def->refresh_average, r->def->refresh_threshold,
            (int)r->def->refresh_period);
}

static pli_status create_parts(reducing *r, pli_reduction *reduction)
{
    PLI_TRY(create_partition(r, reduction));
    PLI_TRY(create_bases(r, reduction));
    PLI_TRY(create_affine(r, reduction));
    PLI_TRY(create_cubature(r, reduction));
    return begin_stage(r, "");
}

static pli_status check_shown(const reducing *r, const pli_reduction *reduction)
{
    int32_t count = reduction->bases->handle_count;
    if (r->model->frame_handle < count) return PLI_OK;
    return PLI_FAIL(r->context, PLI_ERROR_SCENE,
                    "output.handle: found %d, but the handles of this scene are 0 to %d",
                    (int)r->model->frame_handle, (int)count - 1);
}

static pli_status build_reduction(reducing *r, pli_reduction *reduction)
{
    r->begin = pli_clock_seconds();
    PLI_TRY(pli_reduction_source_init(&r->source, r->model));
    const pli_cache *cache = &r->hooks->cache;
    bool has_cache = cache->load != NULL || cache->store != NULL;
    pli_cache_key key = {{0}};
    if (has_cache) key = pli_reduction_key(&r->source);
    PLI_TRY(pli_reduction_load(&r->source, &key, cache, reduction, &r->cached));
    if (!r->cached) PLI_TRY(create_parts(r, reduction));
    reduction->polish = choose_polish(r, reduction);
    reduction->seconds = pli_clock_seconds() - r->begin;
    tell_reduction(r, reduction);
    if (!r->cached) pli_reduction_store(&r->source, &key, cache, reduction);
    return check_shown(r, reduction);
}

pli_status pli_reduction_build(pli_model *model, const pli_model_def *def)
{
    if (!model->solver_kind->subspace) return PLI_OK;
    reducing r = {.context = model->context,
                  .model = model,
                  .def = &model->solver_def.subspace,
                  .hooks = def,
                  .source.model = model};
    pli_reduction *reduction = PLI_NEW(model->context, pli_reduction, 1, "subspace");
    if (reduction == NULL) return PLI_ERROR_MEMORY;
    model->reduction = reduction;
    pli_status status = build_reduction(&r, reduction);
    pli_reduction_source_clear(&r.source);
    return status;
}

void pli_reduction_clear(pli_reduction *reduction)
{
    pli_cubature_destroy(reduction->cubature);
    pli_bases_destroy(reduction->affine);
    pli_bases_destroy(reduction->bases);
    pli_partition_destroy(reduction->partition);
    *reduction = (pli_reduction){0};
}

void pli_reduction_destroy(pli_context *context, pli_reduction *reduction)
{
    if (reduction == NULL) return;
    pli_reduction_clear(reduction);
    pli_release(context, reduction);
}

int64_t pli_reduction_memory(const pli_model *model)
{
    if (model->reduction == NULL) return 0;
    // the Hessian stands twice, apart and together; weights from both sides; a handle has blocks of
    // 12 x 12 with about 30 others, in the matrix and in its factor; chosen tetrahedra stand twice
    const int64_t per_vertex = 15 * (9 * 8 + 4) + 12 * 8 + 8;
    const int64_t per_weight = 2 * (8 + 4);
    const int64_t per_pair = 2 * 144 * 8;
    const int64_t per_tet = 4 + 8 + 4 * 4 + 16 * 4 + 10 * 8;
    const pli_bases *bases = model->reduction->bases;
    int64_t handles = bases->handle_count;
    int64_t others = handles < 30 ? handles : 30;
    int64_t chosen = model->reduction->cubature != NULL ? count_cubature(model) : 0;
    return per_vertex * model->vertex_count + per_weight * bases->start[bases->vertex_count] +
           per_pair * handles * others + per_tet * chosen;
}

void pli_reduction_get_info(const pli_model *model, pli_model_info *info)
{
    if (model->reduction == NULL) return;
    info->handle_count = model->reduction->bases->handle_count;
    info->cubature_count = count_cubature(model);
    info->polish_iterations = model->reduction->polish;
    info->subspace_memory = pli_reduction_memory(model);
}

// ---- the solver's part

// A cubature of half of the elements or more is not worth it.
static bool uses_cubature(const pli_model *model)
{
    const pli_cubature *cubature = model->reduction->cubature;
    if (cubature == NULL) return false;
    bool dense = 2 * (int64_t)cubature->count >= model->tet_count;
    return model->solver_def.subspace.hessian != PLI_REDUCED_AUTO || !dense;
}

// The elastic energy of the cubature's elements, each standing for its weight.
static pli_status create_cubature_term(pli_mesh_stepper *s)
{
    const pli_cubature *cubature = s->model->reduction->cubature;
    if (!uses_cubature(s->model)) return PLI_OK;
    pli_tet_choice choice = {
        .count = cubature->count, .tets = cubature->elements, .weights = cubature->weights};
    return pli_tets_create_elastic(s, &choice, &s->cubature);
}

// Without inertia full steps with an old Hessian go on and on, so that it is rebuilt whenever the
// period allows.
static double refresh_threshold(const pli_model *model)
{
    bool moves = model->time.mode == PLI_MODE_DYNAMIC;
    return moves ? model->solver_def.subspace.refresh_threshold : INFINITY;
}

pli_status pli_subspace_build(pli_mesh_stepper *s, pli_direction_source *source)
{
    const pli_reduction *reduction = s->model->reduction;
    const pli_subspace_def *def = &s->model->solver_def.subspace;
    PLI_TRY(pli_objective_build_split_pattern(&s->objective));
    PLI_TRY(create_cubature_term(s));
    pli_subspace_source_def subspace = {
        .affine = reduction->affine,
        .bases = reduction->bases,
        .points = s->model->rest,
        .cubature = {.ops = s->cubature != NULL ? &pli_elastic_term : NULL, .self = s->cubature},
        .tolerance = def->tolerance,
        .max_iterations = s->model->solver_def.linear_max_iterations,
        .polish_iterations = reduction->polish,
        .level_preconditioner =
            def->preconditioner == PLI_REDUCED_FACTOR ? PLI_SUBSPACE_FACTOR : PLI_SUBSPACE_BLOCKS,
        .polish_preconditioner = def->polish_preconditioner == PLI_REDUCED_FACTOR
                                     ? PLI_SUBSPACE_FACTOR
                                     : PLI_SUBSPACE_BLOCKS,
        .average_length = def->refresh_average,
        .threshold = refresh_threshold(s->model),
        .period = def->refresh_period,
        .timers = s->timers};
    PLI_TRY(pli_subspace_create(s->context, &subspace, &s->objective, &s->subspace));
    *source = pli_subspace_source(s->subspace);
    return PLI_OK;
}
