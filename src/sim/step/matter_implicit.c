// SPDX-License-Identifier: Apache-2.0
#include "sim/step/matter_implicit.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"
#include "mpm/implicit/implicit_march.h"
#include "sim/report/culprit.h"
#include "sim/report/matter_frame.h"
#include "sim/report/matter_measure.h"
#include "sim/step/matter_colliders.h"
#include "sim/step/matter_implicit_emit.h"
#include "sim/step/substeps.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 4096 };

static const double linear_tolerance = 1e-3; // of the solves of the linear method

typedef struct pli_matter_implicit {
    pli_solver *solver; // whose part it is; the next two are its own
    const pli_model *model;
    pli_context *context;
    const pli_grid_method *method;
    pli_grid_colliders *colliders;
    pli_implicit_stepper *stepper;
    pli_matter_state work; // of the step that is being computed
    int64_t volume_room;
    double *volume;                 // [volume_room] of particles, where they have their own (m^3)
    const pli_material **materials; // [kind_count] of the model
    int32_t current;                // substep, counted from 1
    pli_step_report *report;

    // scaled residuals
    bool listens;
    int64_t residual_room;
    double *residual;      // [residual_room] of the particles of work, or of what it became
    int64_t residual_step; // whose end it belongs to, 0: none
    const double *residual_positions; // of the state that has it

    pli_matter_parts *parts; // of frames; NULL: nobody has asked for one
} pli_matter_implicit;

static bool is_plastic_inside(const pli_model *model)
{
    return model->solver_def.grid.plasticity == PLI_PLASTICITY_IMPLICIT;
}

// ---- life

static pli_implicit_method choose_method(const char *minimizer)
{
    static const char *const names[] = {[PLI_IMPLICIT_LBFGS] = "lbfgs",
                                        [PLI_IMPLICIT_NEWTON] = "newton",
                                        [PLI_IMPLICIT_ADMM] = "admm",
                                        [PLI_IMPLICIT_LINEAR] = "linear"};
    int method = 0;
    while (strcmp(names[method], minimizer) != 0) ++method;
    return (pli_implicit_method)method;
}

static pli_spline_kind choose_spline(const pli_implicit_grid_def *grid)
{
    if (grid->spline == PLI_SPLINE_CHOICE_LINEAR) return PLI_SPLINE_LINEAR;
    return grid->spline == PLI_SPLINE_CHOICE_CUBIC ? PLI_SPLINE_CUBIC : PLI_SPLINE_QUADRATIC;
}

static pli_node_multigrid_def describe_multigrid(const pli_matter_implicit *m)
{
    static const pli_node_smoother smoothers[] = {
        [PLI_GRID_SMOOTHER_SWEEPS] = PLI_NODE_GAUSS_SEIDEL,
        [PLI_GRID_SMOOTHER_JACOBI] = PLI_NODE_JACOBI,
        [PLI_GRID_SMOOTHER_CHEBYSHEV] = PLI_NODE_CHEBYSHEV};
    const pli_implicit_grid_def *grid = &m->model->solver_def.grid;
    pli_node_multigrid_def def = pli_node_multigrid_def_default();
    def.level_count = grid->levels;
    def.embedding = m->method->embedding;
    def.smoother = smoothers[grid->smoother];
    def.single = grid->precision == PLI_PRECISION_SINGLE;
    def.direct = grid->coarsest == PLI_GRID_COARSEST_DIRECT;
    def.coarsest_iterations = m->model->solver_def.linear_max_iterations;
    if (m->method->coarsest_tolerance > 0) def.coarsest_tolerance = m->method->coarsest_tolerance;
    return def;
}

static pli_node_source_def describe_source(const pli_matter_implicit *m)
{
    const pli_solver_def *def = &m->model->solver_def;
    const pli_grid_method *method = m->method;
    double given = def->linear_tolerance;
    return (pli_node_source_def){.assembled = method->assembled,
                                 .projected = m->model->solver_kind->projected,
                                 .minres = method->minres,
                                 .preconditioner = method->preconditioner,
                                 .rule = given > 0 ? PLI_NODE_FIXED : method->rule,
                                 .tolerance = given > 0 ? given : linear_tolerance,
                                 .max_iterations = def->linear_max_iterations,
                                 .multigrid = describe_multigrid(m)};
}

// Without a word in the scene, backtracking only asks that the energy does not rise, as the
// released code of Wang et al. 2020 does.
static pli_line_search_def describe_search(const pli_matter_implicit *m)
{
    const pli_solver_def *def = &m->model->solver_def;
    pli_line_search_def search = {.kind = m->model->solver_kind->search,
                                  .decrease = def->wolfe_decrease,
                                  .curvature = def->wolfe_curvature,
                                  .max_evaluations = 40};
    switch ((pli_line_search_kind)def->line_search) {
    case PLI_LINE_SEARCH_WOLFE: search.kind = PLI_SEARCH_WOLFE; break;
    case PLI_LINE_SEARCH_BACKTRACKING: search.kind = PLI_SEARCH_BACKTRACKING; break;
    case PLI_LINE_SEARCH_NONE: search.kind = PLI_SEARCH_NONE; break;
    case PLI_LINE_SEARCH_AUTO:
        if (search.kind == PLI_SEARCH_BACKTRACKING) search.decrease = 0;
        break;
    }
    return search;
}

static pli_implicit_stepper_def describe_stepper(const pli_matter_implicit *m)
{
    const pli_model *model = m->model;
    const pli_solver_def *def = &model->solver_def;
    const pli_implicit_grid_def *grid = &def->grid;
    bool flip =
        grid->transfer == PLI_TRANSFER_AUTO ? m->method->flip : grid->transfer == PLI_TRANSFER_FLIP;
    bool backward = grid->positions == PLI_POSITIONS_AUTO
                        ? m->method->backward
                        : grid->positions == PLI_POSITIONS_BACKWARD;
    pli_implicit_stepper_def stepper = {
        .cloud = {.spline = choose_spline(grid),
                  .dx = model->matter->dx,
                  .kind_count = model->matter->kind_count},
        .borrowed_colliders = m->colliders,
        .affine = !flip,
        .flip = grid->flip,
        .backward = backward,
        .method = choose_method(model->solver_kind->minimizer),
        .source = describe_source(m),
        .plain_norm = m->method->plain_norm,
        .tolerance = model->tolerance,
        .max_iterations = def->max_iterations,
        .fixed_iterations = def->fixed_iterations,
        .window = def->window,
        .refresh = pli_solver_refresh(model->solver_kind, def),
        .restarts = grid->restarts,
        .matrix_free_courant = grid->matrix_free_short_steps ? m->method->matrix_free_courant : 0,
        .search = describe_search(m)};
    pli_vec3_copy(model->matter->origin, stepper.cloud.origin);
    pli_vec3_copy(model->gravity, stepper.gravity);
    return stepper;
}

pli_implicit_stepper_def pli_matter_implicit_describe(const pli_model *model)
{
    pli_matter_implicit planned = {.model = model, .method = model->solver_kind->grid};
    return describe_stepper(&planned);
}

static pli_status create_stepper(pli_matter_implicit *m)
{
    const pli_matter *matter = m->model->matter;
    int64_t count = matter->kind_count;
    pli_implicit_kind *kinds = PLI_NEW(m->context, pli_implicit_kind, count, "kinds");
    pli_cloud_kind *sizes = PLI_NEW(m->context, pli_cloud_kind, count, "kinds");
    pli_status status = PLI_ERROR_MEMORY;
    if (kinds == NULL || sizes == NULL) goto done;
    m->materials = PLI_NEW(m->context, const pli_material *, count, "kinds");
    if (m->materials == NULL) goto done;
    for (int64_t k = 0; k < count; ++k) {
        const pli_matter_kind *kind = &matter->kinds[k];
        m->materials[k] = &kind->matter.material;
        kinds[k] = pli_implicit_kind_make(&kind->matter.material, is_plastic_inside(m->model));
        sizes[k] = (pli_cloud_kind){.mass = kind->mass, .volume = kind->matter.volume};
    }
    pli_implicit_stepper_def def = describe_stepper(m);
    def.kinds = kinds;
    def.cloud.kinds = sizes;
    status = pli_implicit_stepper_create(m->context, &def, &m->stepper);

done:
    pli_release(m->context, sizes);
    pli_release(m->context, kinds);
    return status;
}

static pli_status create(pli_solver *solver, void **self)
{
    const pli_model *model = solver->model;
    pli_matter_implicit *made = PLI_NEW(solver->context, pli_matter_implicit, 1, "stepper");
    *self = made;
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->solver = solver;
    made->model = model;
    made->context = solver->context;
    made->method = model->solver_kind->grid;
    made->work.context = model->context;
    pli_status status = pli_matter_colliders_create(model, &made->colliders);
    return status == PLI_OK ? create_stepper(made) : status;
}

static void destroy(void *self)
{
    pli_matter_implicit *m = self;
    pli_matter_parts_destroy(m->parts);
    pli_implicit_stepper_destroy(m->stepper);
    pli_grid_colliders_destroy(m->colliders);
    pli_matter_state_clear(&m->work);
    pli_release(m->context, m->residual);
    pli_release(m->context, m->volume);
    pli_release(m->context, m->materials);
    pli_release(m->context, m);
}

// ---- rows

typedef struct size_job {
    const pli_matter *matter;
    const pli_matter_state *state;
    double *volume;
} size_job;

static void size_rows(void *user, int64_t begin, int64_t end)
{
    const size_job *job = user;
    const pli_matter_state *state = job->state;
    for (int64_t row = begin; row < end; ++row) {
        job->volume[row] = pli_matter_volume(job->matter, state->kind[row], state->id[row]);
    }
}

// Volumes by rows, where particles have their own.
static pli_status list_volumes(pli_matter_implicit *m, const pli_matter_state *state)
{
    size_job job = {.matter = m->model->matter, .state = state};
    if (job.matter->volumes == NULL) return PLI_OK;
    if (state->count > m->volume_room) {
        int64_t room = state->count + state->count / 4;
        double *grown = pli_reallocate(m->context, m->volume, room, sizeof *grown, "volumes");
        if (grown == NULL) return PLI_ERROR_MEMORY;
        m->volume = grown;
        m->volume_room = room;
    }
    job.volume = m->volume;
    pli_parallel_for(m->context, state->count, GRAIN, size_rows, &job);
    return PLI_OK;
}

// Rows of a state; only those of m->work are changed.
static pli_status list_rows(pli_matter_implicit *m, const pli_matter_state *state,
                            pli_implicit_rows *rows)
{
    PLI_TRY(list_volumes(m, state));
    *rows = (pli_implicit_rows){.count = state->count,
                                .position = state->position,
                                .velocity = state->velocity,
                                .affine = state->affine,
                                .deformation = state->deformation,
                                .history = state->memory,
                                .kind = state->kind,
                                .volume = m->volume};
    return PLI_OK;
}

// ---- scaled residuals

// Whether anybody will look at it: a hook, or frames, which runs write at the end of a frame, and
// others whenever they like.
static bool has_listener(const pli_solver *s, const pli_state *state)
{
    bool is_field = s->model->frame_fields >> PLI_PARTICLE_RESIDUAL & 1;
    bool ends_frame = (state->step + 1) % s->model->time.steps_per_frame == 0;
    return s->hooks.residual != NULL || (is_field && (ends_frame || s->frames != NULL));
}

static pli_status reserve_residuals(pli_matter_implicit *m)
{
    int64_t count = m->work.count;
    if (!m->listens || count <= m->residual_room) return PLI_OK;
    int64_t room = m->residual_room == 0 ? count : count + count / 4;
    double *grown = pli_reallocate(m->context, m->residual, room, sizeof *grown, "residuals");
    if (grown == NULL) return PLI_ERROR_MEMORY;
    m->residual = grown;
    m->residual_room = room;
    return PLI_OK;
}

// Makes way for rows that emitters have added, where nothing was left: those have ids from
// first_id on, and the others have kept their order.
static void spread_residuals(pli_matter_implicit *m, int64_t count, int64_t first_id)
{
    for (int64_t row = m->work.count - 1; row >= 0; --row) {
        m->residual[row] = m->work.id[row] >= first_id ? 0 : m->residual[--count];
    }
}

// Tells whoever wants it of an iterate.
static void tell_residuals(pli_matter_implicit *m, const pli_iterate *iterate)
{
    const pli_solver *s = m->solver;
    if (s->hooks.residual == NULL || iterate->g == NULL) return;
    pli_implicit_stepper_measure(m->stepper, iterate->g, NULL, m->residual);
    pli_residual_view view = {.step = s->step,
                              .substep = m->current,
                              .round = pli_implicit_stepper_round(m->stepper),
                              .iteration = iterate->iteration,
                              .residual = iterate->residual,
                              .count = m->work.count,
                              .positions = m->work.position,
                              .residuals = m->residual,
                              .ids = m->work.id};
    s->hooks.residual(s->hooks.residual_user, &view);
}

static void tell_iterate(void *user, const pli_iterate *iterate)
{
    pli_matter_implicit *m = user;
    tell_residuals(m, iterate);
    pli_solver_tell(m->solver, iterate, m->current);
}

static bool is_cancelled(void *user)
{
    const pli_matter_implicit *m = user;
    return pli_solver_is_cancelled(m->solver);
}

// ---- what a march asks for

static pli_status move_objects(void *self, double begin, double end)
{
    const pli_matter_implicit *m = self;
    return pli_matter_colliders_move(m->model, begin, end, m->colliders);
}

static pli_status begin_substep(void *self, int32_t number, double left, double speed)
{
    pli_matter_implicit *m = self;
    m->current = number;
    pli_implicit_stepper_keep(m->stepper, m->listens && left <= 1 ? m->residual : NULL);
    return pli_substeps_check(m->model, number - 1, left, speed);
}

static void add_substep(void *self, const pli_implicit_substep *substep)
{
    const pli_matter_implicit *m = self;
    pli_step_report *report = m->report;
    pli_grid_report *grid = &report->grid;
    const pli_implicit_report *done = &substep->report;
    const pli_minimize_report *outcome = &done->outcome;
    bool worse = grid->substeps == 0 || outcome->stop < 0;
    if (worse && report->stop >= 0) report->stop = outcome->stop;
    report->iterations += outcome->iterations;
    report->linear_iterations += outcome->linear_iterations;
    report->energy_evaluations += outcome->energy_evaluations;
    report->residual = fmax(report->residual, outcome->residual);
    grid->shortest = grid->substeps == 0 ? substep->h : fmin(grid->shortest, substep->h);
    grid->longest = fmax(grid->longest, substep->h);
    ++grid->substeps;
    grid->retries += substep->retries;
    grid->unconverged += outcome->stop < 0;
    grid->nodes = done->nodes;
    grid->constrained = done->held;
    grid->rounds += done->rounds;
    grid->matrices += done->counts.matrices;
    grid->solves += done->counts.solves;
    grid->cycles += done->counts.cycles;
    grid->coarsest_iterations += done->counts.coarsest_iterations;
    grid->capped += done->counts.capped;
    grid->dropped_pairs += outcome->dropped_pairs;
    grid->position_steps += done->advect.steps;
    grid->repeated_positions += done->advect.repeated;
}

// Adds what emitters bring.
static pli_status end_substep(void *self, double at, pli_implicit_rows *rows)
{
    pli_matter_implicit *m = self;
    int64_t before = m->work.count, first_id = m->work.next_id;
    PLI_TRY(pli_matter_implicit_emit(m->model, at, &m->work));
    m->report->matter.emitted += m->work.count - before;
    PLI_TRY(reserve_residuals(m));
    if (m->listens && m->work.count > before) spread_residuals(m, before, first_id);
    return list_rows(m, &m->work, rows);
}

static pli_implicit_march_def describe_march(pli_matter_implicit *m)
{
    const pli_model *model = m->model;
    return (pli_implicit_march_def){
        .stepper = m->stepper,
        .materials = m->materials,
        .yields_inside = is_plastic_inside(model),
        .halves = m->method->linear,
        .reach = model->solver_def.grid.cfl * model->matter->dx,
        .least_speed = pli_matter_implicit_emit_speed(model),
        .owner = {move_objects, begin_substep, add_substep, end_substep, m}};
}

// ---- a step

static void fill_levels(const pli_matter_implicit *m, pli_grid_report *grid)
{
    const pli_node_multigrid *multigrid = pli_implicit_stepper_multigrid(m->stepper);
    if (multigrid == NULL) return;
    grid->level_count = pli_node_multigrid_level_count(multigrid);
    for (int32_t k = 0; k < grid->level_count && k < PLI_REPORT_LEVELS; ++k) {
        pli_node_level_info level = pli_node_multigrid_get_level(multigrid, k);
        grid->level_nodes[k] = level.node_count;
        grid->level_blocks[k] = level.block_count;
        grid->level_bytes[k] = level.memory;
    }
}

static pli_status step(void *self, pli_state *state, pli_step_report *report)
{
    pli_matter_implicit *m = self;
    pli_timers *timers = &m->solver->timers;
    pli_minimize_env env = {.timers = timers,
                            .scratch = m->solver->scratch,
                            .monitor = tell_iterate,
                            .cancel = is_cancelled,
                            .user = m};
    PLI_TRY(pli_matter_check_kinds(m->model->matter, &state->matter));
    m->listens = has_listener(m->solver, state);
    double begin = pli_state_time(state), end = (double)(state->step + 1) * state->dt;
    pli_timers_begin(timers, "load");
    pli_status status = pli_matter_state_copy(&state->matter, &m->work);
    if (status == PLI_OK) status = reserve_residuals(m);
    pli_timers_end(timers);
    if (status != PLI_OK) return status;
    m->residual_step = 0;
    report->stop = PLI_STOP_GRADIENT;
    report->tolerance = m->model->tolerance;
    bool rejected;
    pli_implicit_rows rows;
    pli_implicit_march_def march = describe_march(m);
    m->report = report;
    PLI_TRY(list_rows(m, &m->work, &rows));
    PLI_TRY(pli_implicit_march(m->context, &march, begin, end, &env, &rows, &rejected));
    if (rejected) return PLI_OK;
    pli_timers_begin(timers, "report");
    fill_levels(m, &report->grid);
    report->grid.bytes = pli_implicit_stepper_memory(m->stepper);
    pli_timers_end(timers);
    report->matter.particles = m->work.count;

    // what was computed becomes the state
    pli_matter_state before = state->matter;
    state->matter = m->work;
    m->work = before;
    ++state->step;
    ++state->history;
    if (m->listens) {
        m->residual_step = state->step;
        m->residual_positions = state->matter.position;
    }
    return PLI_OK;
}

// ---- frames

// The length of the substep that a step would begin with (s), which is the same for all particles.
static pli_status plan_substep(pli_matter_implicit *m, const pli_state *state, double *h)
{
    double begin = pli_state_time(state), dt = m->model->dt, speed;
    pli_implicit_rows rows;
    pli_implicit_march_def march = describe_march(m);
    PLI_TRY(list_rows(m, &state->matter, &rows));
    PLI_TRY(pli_implicit_march_limit(&march, &rows, begin, begin + dt, h, &speed));
    *h = fmin(*h, dt);
    return PLI_OK;
}

static pli_status fill_parts(void *self, const pli_state *state, pli_frame_part *parts,
                             int32_t *count)
{
    pli_matter_implicit *m = self;
    double h;
    if (m->parts == NULL) PLI_TRY(pli_matter_parts_create(m->model, &m->parts));
    PLI_TRY(pli_matter_parts_begin(m->parts, state));
    PLI_TRY(plan_substep(m, state, &h));
    double *step = pli_matter_parts_values(m->parts, PLI_PARTICLE_STEP);
    double *status = pli_matter_parts_values(m->parts, PLI_PARTICLE_STATUS);
    double *residual = pli_matter_parts_values(m->parts, PLI_PARTICLE_RESIDUAL);
    bool is_known = m->residual_step > 0 && m->residual_step == state->step &&
                    m->residual_positions == state->matter.position;
    for (int64_t row = 0; row < state->matter.count; ++row) {
        step[row] = h;
        status[row] = 0;
        if (residual != NULL) residual[row] = is_known ? m->residual[row] : 0;
    }
    *count = pli_matter_parts_list(m->parts, state, parts);
    return PLI_OK;
}

// ---- the table

static pli_status measure(void *self, const pli_state *state, bool after_step,
                          pli_step_report *report)
{
    const pli_matter_implicit *m = self;
    (void)after_step;
    return pli_matter_measure(m->solver, state, report);
}

static bool blame(void *self, const pli_state *state)
{
    const pli_matter_implicit *m = self;
    return pli_culprit_blame_particle(m->solver, state);
}

const pli_stepper_ops pli_matter_implicit_ops = {.has_short_loops = true,
                                                 .create = create,
                                                 .destroy = destroy,
                                                 .step = step,
                                                 .measure = measure,
                                                 .fill_parts = fill_parts,
                                                 .blame = blame};
