// SPDX-License-Identifier: Apache-2.0
#include "sim/step/minimizer_build.h"

#include "geometry/mesh/tet_mesh.h"
#include "optimize/lbfgs.h"
#include "optimize/local_global.h"
#include "optimize/newton.h"
#include "optimize/vertex_descent.h"
#include "sim/model/subspace_build.h"
#include "sim/step/solver_table.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- Newton

// What turns the length of a Newton step into a velocity (s).
static double step_unit(const pli_model *model)
{
    return model->time.mode == PLI_MODE_DYNAMIC ? model->dt : 1;
}

static pli_judge choose_judge(const pli_model *model)
{
    if (model->norm == PLI_NORM_STEP) return PLI_JUDGE_STEP;
    return model->norm == PLI_NORM_ERROR ? PLI_JUDGE_ERROR : PLI_JUDGE_GRADIENT;
}

// Rounding of the elastic energy (J). Laws such as mu/2 (I - 3) - mu log J are differences of
// numbers of the size of the stiffness, so that what they round does not vanish at rest; errors of
// tetrahedra are independent.
static double elastic_noise(const pli_model *model)
{
    double sum = 0;
    for (int64_t tet = 0; tet < model->tet_count; ++tet) {
        double volume = pli_tet_volume_at(model->rest, model->tets + 4 * tet);
        double noise = DBL_EPSILON * model->materials[model->material_of[tet]].rest_norm * volume;
        sum += noise * noise;
    }
    return sqrt(sum);
}

// Largest kappa of the downhill test with shells and cloth. Newton's direction bends a sheet where
// steepest descent stretches it: their cosine is of the order of thickness over size, and steepest
// descent would get nowhere.
static const double sheet_downhill = 1e-6;

static pli_line_search_def describe_search(const pli_mesh_stepper *s)
{
    const pli_solver_def *def = &s->model->solver_def;
    return (pli_line_search_def){.kind = s->model->solver_parts.search,
                                 .decrease = def->wolfe_decrease,
                                 .curvature = def->wolfe_curvature,
                                 .max_evaluations = 40};
}

// What linear solves leave of their right-hand side where steps have to tell the error: without
// inertia, matrices are badly conditioned, and solutions much worse than residuals.
static const double error_tolerance = 1e-4;

// Relative tolerance of linear solves; 0: by the rule of inexact Newton methods.
static double choose_linear_tolerance(const pli_model *model)
{
    double given = model->solver_def.linear_tolerance;
    if (given > 0) return given;
    double own = model->solver_kind->linear_tolerance;
    bool errors = model->norm == PLI_NORM_ERROR;
    return errors && (own <= 0 || own > error_tolerance) ? error_tolerance : own;
}

// Cycles of a linear solve; 0: until its tolerance. Newton's solves have to be worth the assembly
// of their matrix, those of L-BFGS have only to be symmetric.
static int32_t count_cycles(const pli_model *model)
{
    const pli_solver_def *def = &model->solver_def;
    if (def->linear_tolerance > 0) return 0;
    if (def->multigrid.cycles > 0) return def->multigrid.cycles;
    bool one = def->fixed_iterations > 0 || pli_solver_has(model->solver_kind, PLI_KEEPS_PAIRS);
    return one ? 1 : 0;
}

// Directions by linear solves, to a relative tolerance, 0: as whoever asks wants them.
static pli_status create_linear(pli_mesh_stepper *s, double relative_tolerance,
                                pli_direction_source *source)
{
    const pli_model *model = s->model;
    const pli_solver_def *def = &model->solver_def;
    PLI_TRY(pli_objective_build_pattern(&s->objective));
    pli_linear_solver_def linear = {.kind = model->solver_parts.linear,
                                    .preconditioner = model->solver_parts.preconditioner,
                                    .max_iterations = def->linear_max_iterations,
                                    .stop_at_indefinite = true,
                                    .precondition_by_multigrid = model->solver_parts.multigrid,
                                    .cycles = count_cycles(model),
                                    .hierarchy = model->hierarchy,
                                    .multigrid = model->multigrid,
                                    .fixed = s->fixed};
    PLI_TRY(pli_linear_solver_create(s->context, &linear, s->objective.H, &s->linear));
    pli_linear_solver_set_low_rank(s->linear, s->objective.low_rank);
    pli_linear_solver_set_timers(s->linear, s->timers);
    s->linear_source = (pli_linear_source){
        .linear = s->linear, .relative_tolerance = relative_tolerance, .timers = s->timers};
    *source = pli_linear_source_get(&s->linear_source);
    return PLI_OK;
}

// Full steps of Newton's method that may lead over a ridge of E. Without inertia bodies turn far in
// a step; what touches must not be led through, and a sheet that turns in full steps stretches on
// the way more than bending ever makes up for.
static int32_t count_full_steps(const pli_mesh_stepper *s)
{
    enum { FULL_STEPS = 4 };
    const pli_model *model = s->model;
    bool is_free = s->contacts == NULL && s->shell == NULL;
    bool exact = !model->solver_kind->projected && model->solver_kind->safeguard &&
                 model->solver_parts.linear == PLI_SOLVER_CHOLESKY;
    return model->time.mode == PLI_MODE_QUASI_STATIC && is_free && exact ? FULL_STEPS : 0;
}

static pli_status build_newton(pli_mesh_stepper *s)
{
    const pli_solver_def *def = &s->model->solver_def;
    const pli_solver_kind *kind = s->model->solver_kind;
    bool sheets = s->shell != NULL || s->springs != NULL;
    pli_newton_def newton = {
        .tolerance = s->model->tolerance,
        .judge = choose_judge(s->model),
        .step_unit = step_unit(s->model),
        .max_iterations = def->max_iterations,
        .fixed_iterations = def->fixed_iterations,
        .projected = kind->projected,
        .safeguard = kind->safeguard,
        .full_steps = count_full_steps(s),
        .downhill = sheets ? fmin(def->downhill, sheet_downhill) : def->downhill,
        .length_clamp = def->length_clamp,
        .linear_scale = def->linear_scale,
        .linear_cap = def->linear_cap,
        .linear_tolerance = choose_linear_tolerance(s->model),
        .line_search = describe_search(s),
    };
    PLI_TRY(kind->subspace ? pli_subspace_build(s, &newton.source)
                           : create_linear(s, 0, &newton.source));
    pli_newton *made;
    PLI_TRY(pli_newton_create(s->context, &newton, &s->objective, &made));
    s->minimizer = pli_newton_minimizer(made);
    return PLI_OK;
}

// ---- L-BFGS

static pli_status build_lbfgs(pli_mesh_stepper *s)
{
    const pli_model *model = s->model;
    const pli_solver_def *def = &model->solver_def;
    pli_lbfgs_def lbfgs = {.tolerance = model->tolerance,
                           .judge = choose_judge(model),
                           .window = def->window,
                           .refresh = pli_solver_refresh(model->solver_kind, def),
                           .max_iterations = def->max_iterations,
                           .fixed_iterations = def->fixed_iterations,
                           .line_search = describe_search(s)};
    PLI_TRY(create_linear(s, choose_linear_tolerance(model), &lbfgs.initial));
    pli_lbfgs *made;
    PLI_TRY(pli_lbfgs_create(s->context, &lbfgs, &s->objective, &made));
    s->minimizer = pli_lbfgs_minimizer(made);
    return PLI_OK;
}

// ---- local-global

static pli_lifted_solver_def describe_lifted(const pli_model *model)
{
    const pli_solver_def *def = &model->solver_def;
    const pli_solver_kind *kind = model->solver_kind;
    int32_t iterations =
        def->linear_iterations > 0 ? def->linear_iterations : kind->linear_iterations;
    bool cycles = kind->lifted == PLI_LIFTED_MULTIGRID;
    if (cycles) iterations = def->multigrid.cycles > 0 ? def->multigrid.cycles : 1;
    if (def->linear_tolerance > 0) iterations = def->linear_max_iterations;
    return (pli_lifted_solver_def){.kind = kind->lifted,
                                   .iterations = iterations,
                                   .relative_tolerance = def->linear_tolerance,
                                   .seed = model->seed,
                                   .multigrid = model->multigrid,
                                   .hierarchy = model->hierarchy};
}

// The matrix bounds the Hessian of projective terms and of springs; with others a search has to see
// to the decrease, unless the scene wants none.
static bool needs_search(const pli_mesh_stepper *s)
{
    bool others = !s->bounds_tets && s->model->tet_count > 0;
    return others && s->model->solver_def.line_search == PLI_LINE_SEARCH_AUTO;
}

static pli_status build_local_global(pli_mesh_stepper *s)
{
    const pli_model *model = s->model;
    const pli_solver_def *def = &model->solver_def;
    pli_local_global_def local_global = {.tolerance = model->tolerance,
                                         .judge = choose_judge(model),
                                         .max_iterations = def->max_iterations,
                                         .fixed_iterations = def->fixed_iterations,
                                         .line_search = describe_search(s),
                                         .measures_energy = model->wants_energies,
                                         .linear = describe_lifted(model)};
    if (needs_search(s)) local_global.line_search.kind = PLI_SEARCH_BACKTRACKING;
    if (model->solver_kind->accelerated) {
        local_global.chebyshev_rho = def->chebyshev.rho;
        local_global.chebyshev_gamma = def->chebyshev.gamma;
        local_global.chebyshev_delay = def->chebyshev.delay;
    }
    pli_local_global *made;
    PLI_TRY(pli_local_global_create(s->context, &local_global, &s->objective, &made));
    s->minimizer = pli_local_global_minimizer(made);
    return PLI_OK;
}

// ---- vertex descent

// A law that is not defined everywhere must not be led where it is not; elsewhere full steps do,
// unless the scene wants a search.
static bool needs_vertex_search(const pli_model *model)
{
    if (model->solver_def.line_search != PLI_LINE_SEARCH_AUTO) {
        return model->solver_parts.search != PLI_SEARCH_NONE;
    }
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        const pli_model_material *material = &model->materials[model->material_of[tet]];
        if (!(model->laws[material->law]->flags & PLI_LAW_INVERTIBLE)) return true;
    }
    return false;
}

static pli_status build_vertex_descent(pli_mesh_stepper *s)
{
    const pli_model *model = s->model;
    const pli_solver_def *def = &model->solver_def;
    pli_vertex_descent_def descent = {.tolerance = model->tolerance,
                                      .judge = choose_judge(model),
                                      .max_iterations = def->max_iterations,
                                      .fixed_iterations = def->fixed_iterations,
                                      .searches = needs_vertex_search(model),
                                      .measures_energy = model->wants_energies};
    pli_vertex_descent *made;
    PLI_TRY(pli_vertex_descent_create(s->context, &descent, &s->objective, &made));
    s->minimizer = pli_vertex_descent_minimizer(made);
    return PLI_OK;
}

// by the names that rows of solver_table.c say
static const struct {
    const char *name;
    pli_status (*build)(pli_mesh_stepper *s);
} minimizers[] = {
    {"newton", build_newton},
    {"lbfgs", build_lbfgs},
    {"local-global", build_local_global},
    {"vertex-descent", build_vertex_descent},
};

pli_status pli_minimizer_build(pli_mesh_stepper *s)
{
    const pli_solver_kind *kind = s->model->solver_kind;
    s->energy_noise = elastic_noise(s->model);
    for (size_t k = 0; k < sizeof minimizers / sizeof *minimizers; ++k) {
        if (strcmp(minimizers[k].name, kind->minimizer) == 0) return minimizers[k].build(s);
    }
    return PLI_FAIL(s->context, PLI_ERROR_UNSUPPORTED, "solver %s: there is no minimiser %s",
                    kind->info.name, kind->minimizer);
}
