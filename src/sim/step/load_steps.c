// SPDX-License-Identifier: Apache-2.0
#include "sim/step/load_steps.h"

#include "base/memory.h"
#include "linear/matrix/vector.h"
#include "optimize/rounding.h"
#include "sim/step/loads.h"
#include "sim/step/scripts.h"
#include "sim/step/shells_build.h"
#include "sim/step/tets_build.h"

#include <math.h>
#include <string.h>

// the first piece where a limit point is to be refused, and the largest one that a minimisation
// which met an indefinite Hessian is believed at
static const double careful_piece = 0.25;
static const double believed_piece = 1.0 / 16;

// of the energy that a convex one releases, what more is no rounding
static const double excess = 1e-3;

struct pli_load_steps {
    pli_state *begun; // the state before the step
    double *balance;  // [vertex_count][3] gradient before the step (N)
    double *force;    // [vertex_count][3] of the relief (N)
    double *start;    // [vertex_count][3] where a piece begins, held coordinates at its end (m)
    double *slope;    // [vertex_count][3] gradient there (N)
    double energy;    // there (J)
    bool looks;       // for snaps
};

pli_status pli_load_steps_create(pli_mesh_stepper *s)
{
    const pli_model *model = s->model;
    if (model->time.mode != PLI_MODE_QUASI_STATIC) return PLI_OK;
    pli_load_steps *made = PLI_NEW(s->context, pli_load_steps, 1, "load steps");
    s->load_steps = made;
    if (made == NULL) return PLI_ERROR_MEMORY;
    int64_t count = 3 * (int64_t)model->vertex_count;
    // what touches may slip or let go, which releases energy, too
    made->looks = model->time.snap != PLI_SNAP_ALLOW && s->contacts == NULL;
    PLI_TRY(pli_state_create(model, &made->begun));
    made->balance = PLI_NEW(s->context, double, count, "load steps");
    made->force = PLI_NEW(s->context, double, count, "load steps");
    made->start = PLI_NEW(s->context, double, count, "load steps");
    made->slope = PLI_NEW(s->context, double, count, "load steps");
    bool complete =
        made->balance != NULL && made->force != NULL && made->start != NULL && made->slope != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

void pli_load_steps_destroy(pli_mesh_stepper *s)
{
    pli_load_steps *l = s->load_steps;
    if (l == NULL) return;
    PLI_RELEASE(s->context, l->slope, l->start, l->force, l->balance);
    pli_state_destroy(l->begun);
    pli_release(s->context, l);
}

// ---- snaps

void pli_load_steps_look(pli_mesh_stepper *s, const pli_state *state, const pli_piece *piece)
{
    pli_load_steps *l = s->load_steps;
    if (!l->looks) return;
    memcpy(s->x, state->x, 3 * (size_t)state->vertex_count * sizeof(double));
    pli_scripts_hold(s, piece->end);
    memcpy(l->start, s->x, 3 * (size_t)state->vertex_count * sizeof(double));
    l->energy = pli_sum_value(pli_objective_energy(&s->objective, l->start));
    pli_objective_compute_gradient(&s->objective, l->start, l->slope);
}

// Whether more energy was released on the way to x than a convex one could have.
static bool has_snapped(const pli_mesh_stepper *s)
{
    const pli_load_steps *l = s->load_steps;
    if (!l->looks || !isfinite(l->energy)) return false;
    int64_t count = 3 * (int64_t)s->model->vertex_count;
    double end = pli_sum_value(pli_objective_energy(&s->objective, s->x));
    double work = pli_vector_dot(s->context, count, l->slope, l->start) -
                  pli_vector_dot(s->context, count, l->slope, s->x);
    double noise = pli_rounding_of_distant_energy(fabs(l->energy) + fabs(end), s->energy_noise);
    return l->energy - end > (1 + excess) * work + noise;
}

// ---- pieces

// Whether an attempt that ended so may go better with less load.
static bool can_help(const pli_mesh_stepper *s, pli_stop stop)
{
    const pli_model *model = s->model;
    // branches of viscoelastic matter relax by whole steps
    bool whole = model->time.load_steps == PLI_LOAD_STEPS_FIXED || model->branches != NULL;
    if (whole) return false;
    if (model->solver_def.fixed_iterations > 0) return false;
    // what creeps does so with less load, too
    if (pli_solver_has(model->solver_kind, PLI_IS_STEADY)) return false;
    return stop <= 0 && stop != PLI_STOP_ROUNDING;
}

// The gradient of the state as it came, which nothing balances.
static pli_status measure_balance(pli_mesh_stepper *s, const pli_piece *whole,
                                  const pli_state *state)
{
    pli_load_steps *l = s->load_steps;
    memcpy(s->x, state->x, 3 * (size_t)state->vertex_count * sizeof(double));
    pli_tets_begin_step(s, state);
    pli_shells_load(s, state);
    pli_scripts_hold(s, whole->begin);
    pli_scripts_attach(s, state, whole->begin);
    pli_loads_set(s, state, whole->begin);
    pli_tets_set_time(s, whole->begin);
    pli_contacts_begin_step(s->contacts, whole->begin, whole->begin);
    s->drag.target = state->x;
    if (s->rayleigh != NULL) pli_rayleigh_begin_step(s->rayleigh, state->x, whole->h);
    pli_objective_compute_gradient(&s->objective, state->x, l->balance);
    bool finite =
        isfinite(pli_vector_max_abs(s->context, 3 * (int64_t)state->vertex_count, l->balance));
    if (!finite) memset(l->balance, 0, 3 * (size_t)state->vertex_count * sizeof(double));
    return PLI_OK;
}

static void set_relief(pli_mesh_stepper *s, double done)
{
    pli_load_steps *l = s->load_steps;
    s->relief.force = done < 1 ? l->force : NULL;
    for (int64_t k = 0; k < 3 * (int64_t)s->model->vertex_count; ++k) {
        l->force[k] = (1 - done) * l->balance[k];
    }
}

static pli_status refuse(const pli_mesh_stepper *s, double factor)
{
    return PLI_FAIL(
        s->context, PLI_ERROR_NUMERIC,
        "step %lld: the load passes a limit point near %.3g of this step, where the structure "
        "snaps to another equilibrium; prescribe the displacement instead of the load, compute it "
        "with inertia (time.mode: dynamic), or write time.snap: allow",
        (long long)s->solver->step, factor);
}

// How far a step has got.
typedef struct progress {
    double done;    // of the step
    double size;    // of the next piece
    double before;  // of the last one; 0: none yet
    int32_t streak; // pieces that went well, in a row
} progress;

static pli_piece next_piece(const progress *p, const pli_piece *whole)
{
    double to = p->done + p->size;
    double length = whole->end - whole->begin;
    return (pli_piece){.begin = whole->begin + p->done * length,
                       .end = to < 1 ? whole->begin + to * length : whole->end,
                       .h = p->size * whole->h,
                       .ratio = p->size / (p->before > 0 ? p->before : 1)};
}

// What is made of an attempt.
typedef enum verdict { GOOD, TOO_LARGE, LOST, SNAPPED } verdict;

static verdict judge(const pli_mesh_stepper *s, const progress *p, const pli_step_report *report)
{
    const pli_model *model = s->model;
    bool can_cut = 0.5 * p->size >= model->time.least_piece;
    if (can_help(s, report->stop)) return can_cut ? TOO_LARGE : LOST;
    if (report->stop <= 0) return LOST;
    if (model->time.snap != PLI_SNAP_REFUSE || !s->load_steps->looks) return GOOD;
    if (has_snapped(s)) return can_cut ? TOO_LARGE : SNAPPED;
    return s->indefinite > 0 && p->size > believed_piece && can_cut ? TOO_LARGE : GOOD;
}

// The state is that of the end, or lost on the way.
static pli_status make_pieces(pli_mesh_stepper *s, const pli_piece *whole, double first,
                              pli_state *state, pli_step_report *report, bool *lost)
{
    progress p = {.size = first};
    *lost = false;
    PLI_TRY(measure_balance(s, whole, state));
    while (p.done < 1) {
        while (p.done + p.size > 1) p.size *= 0.5;
        pli_piece piece = next_piece(&p, whole);
        set_relief(s, p.done + p.size);
        PLI_TRY(pli_mesh_stepper_attempt(s, state, &piece, report));
        verdict found = judge(s, &p, report);
        if (found == SNAPPED) return refuse(s, p.done + p.size);
        *lost = found == LOST;
        if (*lost) return PLI_OK;
        if (found == TOO_LARGE) {
            p.size *= 0.5;
            p.streak = 0;
            ++report->cuts;
            continue;
        }
        report->snapped |= has_snapped(s);
        PLI_TRY(pli_mesh_stepper_accept(s, &piece, state, report));
        ++report->pieces;
        p.done += p.size;
        p.before = p.size;
        p.streak = (p.streak + 1) % 2;
        if (p.streak == 0) p.size *= 2;
    }
    return PLI_OK;
}

// Pieces where all at once did not do; where they do not either, what all at once came to.
static pli_status go_in_pieces(pli_mesh_stepper *s, const pli_piece *whole, double first,
                               pli_state *state, pli_step_report *report)
{
    pli_load_steps *l = s->load_steps;
    bool lost = false;
    PLI_TRY(pli_state_copy(state, l->begun));
    pli_status status = make_pieces(s, whole, first, state, report, &lost);
    s->relief.force = NULL;
    if (status != PLI_OK || lost) {
        pli_status restored = pli_state_copy(l->begun, state);
        PLI_TRY(status);
        PLI_TRY(restored);
    }
    if (!lost) {
        // the next step goes on from one whole step to the next
        memcpy(state->x_before, l->begun->x, 3 * (size_t)state->vertex_count * sizeof(double));
        memcpy(state->v_before, l->begun->v, 3 * (size_t)state->vertex_count * sizeof(double));
        return PLI_OK;
    }
    report->pieces = 0;
    PLI_TRY(pli_mesh_stepper_attempt(s, state, whole, report));
    if (report->stop == PLI_STOP_NONFINITE) return PLI_OK;
    ++report->pieces;
    return pli_mesh_stepper_accept(s, whole, state, report);
}

pli_status pli_load_steps_run(pli_mesh_stepper *s, const pli_piece *whole, pli_state *state,
                              pli_step_report *report)
{
    const pli_time_def *time = &s->model->time;
    bool is_careful = time->snap == PLI_SNAP_REFUSE && s->load_steps->looks &&
                      s->model->branches == NULL && time->load_steps == PLI_LOAD_STEPS_AUTO &&
                      time->least_piece <= careful_piece;
    if (is_careful) {
        PLI_TRY(go_in_pieces(s, whole, careful_piece, state, report));
    } else {
        PLI_TRY(pli_mesh_stepper_attempt(s, state, whole, report));
        if (can_help(s, report->stop) && time->least_piece <= 0.5) {
            ++report->cuts;
            PLI_TRY(go_in_pieces(s, whole, 0.5, state, report));
        } else if (report->stop != PLI_STOP_NONFINITE) {
            report->snapped = report->stop > 0 && has_snapped(s);
            if (report->snapped && time->snap == PLI_SNAP_REFUSE) return refuse(s, 1);
            report->pieces = 1;
            PLI_TRY(pli_mesh_stepper_accept(s, whole, state, report));
        }
    }
    if (report->snapped) {
        PLI_LOG(s->context, PLI_LOG_WARNING,
                "step %lld: the structure snapped to another equilibrium; time.snap: refuse finds "
                "the load at which it does, time.snap: allow says nothing",
                (long long)s->solver->step);
    }
    return PLI_OK;
}
