// SPDX-License-Identifier: Apache-2.0
#include "sim/step/matter_explicit.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"
#include "sim/report/culprit.h"
#include "sim/report/matter_measure.h"
#include "sim/step/matter_colliders.h"
#include "sim/step/matter_emit.h"
#include "sim/step/substeps.h"

#include <math.h>
#include <string.h>

// A tick is TICK_RESERVE times as short as what is stable when a step begins, and so much shorter
// again when that was not enough.
enum {
    FIRST_PAGES = 256,
    RECORD_GRAIN = 1024,
    TICK_RESERVE = 16,
    MOST_FINER = TICK_RESERVE * TICK_RESERVE * TICK_RESERVE * TICK_RESERVE,
    MOST_LEVEL = 28,
    MOST_TICKS = 1 << MOST_LEVEL
};

// ---- colliders

// What does not move is looked at once for every page.
static pli_status remember_pages(pli_matter_explicit *m, const pli_stepper_sweep_info *sweep)
{
    const pli_paged_grid *grid = pli_stepper_particles(m->stepper)->grid;
    int32_t count = 0;
    for (int32_t k = 0; k < sweep->page_count; ++k) {
        if (pli_grid_colliders_knows(m->colliders, sweep->pages[k])) continue;
        if (count == m->page_room) {
            int64_t room = 2 * (int64_t)count + FIRST_PAGES;
            pli_grid_page *grown =
                pli_reallocate(m->context, m->pages, room, sizeof *grown, "pages of a sweep");
            if (grown == NULL) return PLI_ERROR_MEMORY;
            m->pages = grown;
            m->page_room = (int32_t)room;
        }
        m->pages[count].code = sweep->pages[k];
        pli_paged_grid_coordinates(grid, sweep->pages[k], m->pages[count++].at);
    }
    return count > 0 ? pli_grid_colliders_remember(m->colliders, count, m->pages) : PLI_OK;
}

// ---- what the stepper asks for

// Blocks with longer steps than others move in sweeps of their own, at the same times.
static pli_status count_substep(pli_matter_explicit *m, double begin, double end)
{
    if (m->substeps > 0 && begin == m->substep_time) return PLI_OK;
    m->substep_time = begin;
    double left = (m->end_time - begin) / (end - begin);
    return pli_substeps_check(m->model, ++m->substeps, left, m->speed);
}

static pli_status begin_sweep(void *user, const pli_stepper_sweep_info *sweep)
{
    pli_matter_explicit *m = user;
    if (pli_solver_is_cancelled(m->solver)) {
        return PLI_FAIL(m->context, PLI_ERROR_INTERRUPTED, "the step was abandoned");
    }
    double begin = m->begin_time + (double)sweep->time * m->tick;
    double end = begin + sweep->step * m->tick;
    PLI_TRY(count_substep(m, begin, end));
    PLI_TRY(pli_matter_colliders_move(m->model, begin, end, m->colliders));
    return remember_pages(m, sweep);
}

static void constrain_page(void *user, uint32_t code, float *nodes, double dt)
{
    const pli_matter_explicit *m = user;
    pli_grid_page page = {.code = code, .nodes = nodes};
    (void)dt;
    pli_paged_grid_coordinates(pli_stepper_particles(m->stepper)->grid, code, page.at);
    pli_grid_colliders_apply(m->colliders, &page, NULL);
}

static void forget_page(void *user, uint32_t code)
{
    const pli_matter_explicit *m = user;
    pli_grid_colliders_forget(m->colliders, code);
}

// ---- life

// Those that emitters may bring are addresses only until they are there.
static int64_t particle_room(const pli_matter *matter)
{
    const int64_t emitted = (int64_t)1 << 26;
    int64_t start = matter->start.count > 0 ? matter->start.count : 1;
    return matter->emitter_count > 0 ? start + emitted : start;
}

static pli_status create_stepper(pli_matter_explicit *m)
{
    const pli_matter *matter = m->model->matter;
    const pli_steps_def *steps = &m->model->solver_def.steps;
    pli_mpm_kind *kinds = PLI_NEW(m->context, pli_mpm_kind, matter->kind_count, "kinds");
    if (kinds == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < matter->kind_count; ++k) kinds[k] = matter->kinds[k].matter;
    pli_stepper_def def = {.dx = matter->dx,
                           .kind_count = matter->kind_count,
                           .kinds = kinds,
                           .particle_room = particle_room(matter),
                           .tick = m->model->dt,
                           .longest = steps->longest,
                           .sound_share = steps->sound,
                           .advection_share = steps->advection,
                           .is_regional = m->model->solver_kind->regional,
                           .is_guarded = steps->guard,
                           .begin = begin_sweep,
                           .constrain = constrain_page,
                           .forget = forget_page,
                           .user = m};
    memcpy(def.blocks, matter->blocks, sizeof def.blocks);
    pli_vec3_copy(m->model->gravity, def.gravity);
    pli_status status = pli_stepper_create(m->context, &def, &m->stepper);
    pli_release(m->context, kinds);
    return status;
}

static pli_status create(pli_solver *solver, void **self)
{
    const pli_model *model = solver->model;
    pli_matter_explicit *made = PLI_NEW(solver->context, pli_matter_explicit, 1, "stepper");
    *self = made;
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->solver = solver;
    made->model = model;
    made->context = solver->context;
    made->emitted.context = model->context;
    made->records = PLI_NEW(model->context, pli_particle, PLI_MATTER_BATCH, "particles");
    pli_status status = made->records != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_matter_colliders_create(model, &made->colliders);
    return status == PLI_OK ? create_stepper(made) : status;
}

static void destroy(void *self)
{
    pli_matter_explicit *m = self;
    pli_context *context = m->context;
    pli_stepper_destroy(m->stepper);
    pli_grid_colliders_destroy(m->colliders);
    pli_matter_state_clear(&m->emitted);
    pli_release(context, m->records);
    pli_release(context, m->pages);
    pli_release(context, m->offsets);
    pli_release(context, m->plans);
    pli_matter_parts_destroy(m->parts);
    pli_release(context, m);
}

// ---- in and out

// particles of a state that become records, or come from chunks
typedef struct transport {
    pli_matter_explicit *solver;
    const pli_matter_state *from;
    pli_matter_state *to;
    int64_t first;
} transport;

static void narrow(const double *from, int count, float *to)
{
    for (int k = 0; k < count; ++k) to[k] = (float)from[k];
}

static void widen(const float *from, int count, double *to)
{
    for (int k = 0; k < count; ++k) to[k] = (double)from[k];
}

static void fill_records(void *user, int64_t begin, int64_t end)
{
    const transport *job = user;
    const pli_matter *matter = job->solver->model->matter;
    const pli_matter_state *state = job->from;
    for (int64_t k = begin; k < end; ++k) {
        pli_particle *record = &job->solver->records[k];
        int64_t row = job->first + k;
        for (int axis = 0; axis < 3; ++axis) {
            record->position[axis] =
                (state->position[3 * row + axis] - matter->origin[axis]) / matter->dx - 0.5;
        }
        narrow(state->velocity + 3 * row, 3, record->v);
        narrow(state->affine + 9 * row, 9, record->C);
        narrow(state->deformation + 9 * row, 9, record->F);
        record->memory = (float)state->memory[row];
        record->id = state->id[row];
    }
}

pli_status pli_matter_load(pli_matter_explicit *m, const pli_matter_state *state)
{
    transport job = {.solver = m, .from = state};
    PLI_TRY(pli_matter_check_kinds(m->model->matter, state));
    pli_stepper_clear(m->stepper);
    while (job.first < state->count) {
        int32_t kind = state->kind[job.first];
        int64_t count = 1;
        while (count < PLI_MATTER_BATCH && job.first + count < state->count &&
               state->kind[job.first + count] == kind) {
            ++count;
        }
        pli_parallel_for(m->context, count, RECORD_GRAIN, fill_records, &job);
        PLI_TRY(pli_stepper_add(m->stepper, kind, count, m->records));
        job.first += count;
    }
    return PLI_OK;
}

// As blocks are found when particles are added.
int32_t pli_matter_block_of(const pli_matter_explicit *m, const double position[3])
{
    static const int32_t edges[3] = {PLI_BLOCK_X, PLI_BLOCK_Y, PLI_BLOCK_Z};
    const pli_matter *matter = m->model->matter;
    const pli_paged_grid *grid = pli_stepper_particles(m->stepper)->grid;
    int32_t at[3];
    for (int axis = 0; axis < 3; ++axis) {
        double u = (position[axis] - matter->origin[axis]) / matter->dx - 0.5;
        int64_t unit = (int64_t)edges[axis] * PLI_PARTICLE_ONE;
        at[axis] = (int32_t)(llrint(u * PLI_PARTICLE_ONE) / unit);
    }
    return grid->table[pli_paged_grid_code(grid, at)] - 1;
}

static void read_particle(const pli_matter *matter, const pli_particle *record, int32_t kind,
                          pli_matter_state *to, int64_t row)
{
    for (int axis = 0; axis < 3; ++axis) {
        to->position[3 * row + axis] =
            matter->origin[axis] + matter->dx * (record->position[axis] + 0.5);
    }
    widen(record->v, 3, to->velocity + 3 * row);
    widen(record->C, 9, to->affine + 9 * row);
    widen(record->F, 9, to->deformation + 9 * row);
    to->memory[row] = (double)record->memory;
    to->kind[row] = kind;
    to->id[row] = record->id;
}

// Reads the particles of some lists back; lists are counted kind by kind, and block by block.
static void read_lists(void *user, int64_t begin, int64_t end)
{
    const transport *job = user;
    const pli_matter *matter = job->solver->model->matter;
    const pli_particles *particles = pli_stepper_particles(job->solver->stepper);
    for (int64_t k = begin; k < end; ++k) {
        int32_t kind = (int32_t)(k / particles->block_count);
        int32_t block = (int32_t)(k % particles->block_count);
        const pli_particle_list *list =
            pli_particles_list(particles, (pli_particle_place){block, 0}, kind);
        int32_t chunk = list->first;
        for (int32_t i = 0; i < list->count; ++i) {
            pli_particle record;
            pli_particles_get(particles, block, chunk, i % PLI_PARTICLE_LANES, &record);
            read_particle(matter, &record, kind, job->to, job->solver->offsets[k] + i);
            if (i % PLI_PARTICLE_LANES == PLI_PARTICLE_LANES - 1) chunk = particles->next[chunk];
        }
    }
}

// Where the particles of each list begin in the state. Errors: memory.
static pli_status find_offsets(pli_matter_explicit *m)
{
    const pli_particles *particles = pli_stepper_particles(m->stepper);
    int64_t count = (int64_t)particles->kind_count * particles->block_count;
    if (count > m->offset_room) {
        int64_t room = count + count / 2;
        int64_t *grown = pli_reallocate(m->context, m->offsets, room, sizeof *grown, "lists");
        if (grown == NULL) return PLI_ERROR_MEMORY;
        m->offsets = grown;
        m->offset_room = room;
    }
    int64_t at = 0;
    for (int64_t k = 0; k < count; ++k) {
        pli_particle_place place = {(int32_t)(k % particles->block_count), 0};
        m->offsets[k] = at;
        at += pli_particles_list(particles, place, (int32_t)(k / particles->block_count))->count;
    }
    return PLI_OK;
}

static pli_status store(pli_matter_explicit *m, pli_matter_state *state)
{
    const pli_particles *particles = pli_stepper_particles(m->stepper);
    transport job = {.solver = m, .to = state};
    PLI_TRY(find_offsets(m));
    PLI_TRY(pli_matter_state_reserve(state, particles->count));
    state->count = particles->count;
    int64_t lists = (int64_t)particles->kind_count * particles->block_count;
    pli_parallel_for(m->context, lists, 1, read_lists, &job);
    pli_matter_emit_store(m, state);
    return PLI_OK;
}

// ---- time

double pli_matter_choose_tick(const pli_matter_explicit *m, int64_t *ticks)
{
    double dt = m->model->dt, wanted = m->model->solver_def.steps.tick;
    if (wanted > 0) {
        *ticks = (int64_t)ceil(dt / wanted * (1 - 1e-9));
        return dt / (double)*ticks;
    }
    double limit = fmin(pli_stepper_limit(m->stepper), pli_matter_emit_limit(m));
    int level = 0;
    while (level < MOST_LEVEL && TICK_RESERVE * ldexp(dt, -level) > limit) ++level;
    *ticks = (int64_t)1 << level;
    return ldexp(dt, -level);
}

// Calls of advance with what is emitted in between.
static pli_status run(pli_matter_explicit *m, double begin, int64_t ticks)
{
    PLI_TRY(pli_stepper_set_tick(m->stepper, m->tick));
    int64_t pieces = pli_matter_emit_pieces(m, begin, ticks);
    for (int64_t piece = 0; piece < pieces; ++piece) {
        int64_t from = ticks * piece / pieces, to = ticks * (piece + 1) / pieces;
        m->begin_time = begin + (double)from * m->tick;
        PLI_TRY(pli_stepper_advance(m->stepper, to - from));
        PLI_TRY(pli_matter_emit(m, begin + (double)to * m->tick));
    }
    return PLI_OK;
}

static void warn_of_tick(pli_matter_explicit *m, int64_t hasty)
{
    if (m->has_warned) return;
    m->has_warned = true;
    PLI_LOG(m->context, PLI_LOG_WARNING,
            "%lld times a block moved by more than its stable step, because solver.steps.tick is "
            "%g s, and %.3g s was the limit when the step began; leave it out, or make it shorter. "
            "Later ones are not told",
            (long long)hasty, m->tick, m->limit);
}

// A tick that the scene gives may be longer than the limit, which is a share of what sound takes
// to cross a cell and matter to leave it; beyond the whole of that no explicit step is stable.
static pli_status check_tick(const pli_matter_explicit *m)
{
    const pli_steps_def *steps = &m->model->solver_def.steps;
    double stable = m->limit / fmax(steps->sound, steps->advection);
    if (!(steps->tick > 0) || m->tick <= stable) return PLI_OK;
    return PLI_FAIL(m->context, PLI_ERROR_NUMERIC,
                    "solver.steps.tick is %g s, and the stable step is %.3g s (%.3g s to "
                    "be safe); leave it out, or make it shorter",
                    m->tick, stable, m->limit);
}

// The stable steps of when the step begins; they are powers of two.
static pli_status check_substeps(const pli_matter_explicit *m, int64_t ticks)
{
    double limit = fmin(m->limit, pli_matter_emit_limit(m));
    double substeps = fmin(exp2(ceil(log2(m->model->dt / limit))), (double)ticks);
    return pli_substeps_check(m->model, 0, substeps, m->speed);
}

static pli_status fail_of_haste(const pli_matter_explicit *m)
{
    return PLI_FAIL(m->context, PLI_ERROR_NUMERIC,
                    "matter became too fast or too stiff for any time step: not even %.3g s is "
                    "short enough",
                    m->tick);
}

static void fill_matter_report(const pli_matter_explicit *m, int64_t before,
                               pli_matter_report *report)
{
    pli_stepper_report done = pli_stepper_get_report(m->stepper);
    report->particles = pli_stepper_particles(m->stepper)->count;
    report->emitted = report->particles - before;
    report->tick = m->tick;
    report->ticks = done.time;
    report->sweeps = done.sweeps;
    report->block_updates = done.block_updates;
    report->particle_updates = done.particle_updates;
    report->buffer_updates = done.buffer_updates;
    report->schedule_seconds += done.schedule_seconds;
    _Static_assert((int)PLI_REPORT_STEPS == (int)PLI_STEPPER_LEVELS, "one histogram");
    memcpy(report->steps, done.blocks_by_step, sizeof report->steps);
}

// Moves the particles of a state by a step, with ticks that are `finer` times as short as usual.
static pli_status try_step(pli_matter_explicit *m, const pli_state *state, int64_t finer,
                           pli_timers *timers)
{
    int64_t ticks = 0;
    pli_timers_begin(timers, "load");
    pli_status status = pli_matter_load(m, &state->matter);
    if (status == PLI_OK) status = pli_matter_emit_begin(m, &state->matter);
    if (status == PLI_OK) {
        m->tick = pli_matter_choose_tick(m, &ticks) / (double)finer;
        m->limit = pli_stepper_limit(m->stepper);
        m->speed = pli_substeps_speed(&state->matter);
        m->substeps = 0;
        m->end_time = (double)(state->step + 1) * state->dt;
        status = check_tick(m);
        if (status == PLI_OK) status = check_substeps(m, ticks);
    }
    pli_timers_end(timers);
    if (status != PLI_OK) return status;
    if (ticks > MOST_TICKS / finer) return fail_of_haste(m);

    pli_timers_begin(timers, "move");
    status = run(m, pli_state_time(state), ticks * finer);
    pli_timers_end(timers);
    return status;
}

static pli_status step(void *self, pli_state *state, pli_step_report *report)
{
    pli_matter_explicit *m = self;
    pli_timers *timers = &m->solver->timers;
    pli_matter_report *matter = &report->matter;
    PLI_TRY(pli_matter_check_kinds(m->model->matter, &state->matter));
    report->stop = PLI_STOP_EXPLICIT;
    bool is_given = m->model->solver_def.steps.tick > 0;
    for (int64_t finer = 1;; finer *= TICK_RESERVE, ++matter->retries) {
        pli_status status = try_step(m, state, finer, timers);
        int64_t hasty = pli_stepper_get_report(m->stepper).hasty_updates;
        if (is_given && hasty > 0) warn_of_tick(m, hasty);
        bool is_over = m->substeps >= pli_substeps_limit(m->model);
        bool is_worth_a_retry = !is_given && !is_over && hasty > 0 && finer < MOST_FINER;
        if (is_worth_a_retry && (status == PLI_OK || status == PLI_ERROR_NUMERIC)) continue;
        if (status != PLI_OK) return status;
        if (!is_given && hasty > 0) return fail_of_haste(m);
        break;
    }
    pli_timers_begin(timers, "store");
    fill_matter_report(m, state->matter.count, matter);
    pli_status status = store(m, &state->matter);
    pli_timers_end(timers);
    if (status != PLI_OK) return status;
    ++state->step;
    ++state->history;
    return PLI_OK;
}

// ---- the table

static pli_status measure(void *self, const pli_state *state, bool after_step,
                          pli_step_report *report)
{
    const pli_matter_explicit *m = self;
    (void)after_step;
    return pli_matter_measure(m->solver, state, report);
}

static pli_status fill_parts(void *self, const pli_state *state, pli_frame_part *parts,
                             int32_t *count)
{
    return pli_matter_explicit_fill_parts(self, state, parts, count);
}

static bool blame(void *self, const pli_state *state)
{
    const pli_matter_explicit *m = self;
    return pli_culprit_blame_particle(m->solver, state);
}

const pli_stepper_ops pli_matter_explicit_ops = {.create = create,
                                                 .destroy = destroy,
                                                 .step = step,
                                                 .measure = measure,
                                                 .fill_parts = fill_parts,
                                                 .blame = blame};

pli_matter_explicit *pli_solver_explicit(pli_solver *solver)
{
    return solver->ops == &pli_matter_explicit_ops ? solver->stepper : NULL;
}
