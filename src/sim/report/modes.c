// SPDX-License-Identifier: Apache-2.0
#include "pliant/modes.h"

#include "base/memory.h"
#include "linear/direct/eigen_pairs.h"
#include "sim/step/loads.h"
#include "sim/step/mesh_stepper.h"
#include "sim/step/scripts.h"
#include "sim/step/shells_build.h"
#include "sim/step/tets_build.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_COUNT = 10 };

struct pli_modes {
    pli_context *context;
    int32_t vertex_count;
    pli_modes_report report;
    double resolution; // omega^2 nearer to zero is rounding
    double *values;    // [count] omega^2 (rad^2/s^2)
    double *shapes;    // [count][vertex_count][3]
    double *shares;    // [count][3]
};

// ---- stiffness

// Terms that store energy or only push; tetrahedra of projective dynamics as what they stand for.
static void add_terms(const pli_mesh_stepper *s, pli_objective *objective)
{
    for (int32_t k = 0; k < s->objective.term_count; ++k) {
        const pli_term *term = &s->objective.terms[k];
        if (term->role != PLI_TERM_FORCE) continue;
        if (term->self == s->projective && s->projective != NULL) {
            pli_objective_add(objective, &pli_elastic_term, s->elastic); // linear, all of them
        } else {
            pli_objective_add(objective, term->ops, term->self);
        }
    }
    objective->fixed = s->fixed;
}

// Puts scripts and matter where the state has them.
static pli_status prepare(pli_mesh_stepper *s, const pli_state *state)
{
    double time = pli_state_time(state);
    PLI_TRY(pli_tets_ensure_elastic(s));
    pli_tets_set_time(s, time);
    pli_tets_load(s, state);
    pli_shells_load(s, state);
    pli_loads_set(s, state, time);
    pli_scripts_hold(s, time);
    pli_scripts_attach(s, state, time);
    return PLI_OK;
}

static pli_status check_contact(pli_mesh_stepper *s, const pli_state *state)
{
    pli_step_report report;
    if (s->contacts == NULL) return PLI_OK;
    PLI_TRY(pli_solver_measure(s->solver, state, &report));
    if (report.contacts == 0) return PLI_OK;
    return PLI_FAIL(s->context, PLI_ERROR_UNSUPPORTED,
                    "modes of bodies that touch something are not known, because contact ends when "
                    "they swing; hold them by constraints, or take the state at rest");
}

// ---- figures

static double total_mass(const pli_model *model)
{
    double sum = 0;
    for (int32_t k = 0; k < model->vertex_count; ++k) sum += model->mass[k];
    return sum;
}

// (phi^T M e)^2 of each axis, over all mass
static void fill_shares(pli_modes *modes, const pli_model *model)
{
    double mass = total_mass(model);
    for (int32_t mode = 0; mode < modes->report.count; ++mode) {
        const double *shape = modes->shapes + 3 * (int64_t)modes->vertex_count * mode;
        for (int axis = 0; axis < 3; ++axis) {
            double sum = 0;
            for (int64_t k = 0; k < modes->vertex_count; ++k) {
                sum += model->mass[k] * shape[3 * k + axis];
            }
            modes->shares[3 * mode + axis] = sum * sum / mass;
        }
    }
}

static void fill_report(pli_modes *modes, const pli_eigen_report *found)
{
    modes->report.residual = found->residual;
    modes->resolution = found->resolution;
    for (int32_t k = 0; k < modes->report.count; ++k) {
        modes->report.rigid += fabs(modes->values[k]) <= modes->resolution;
        modes->report.unstable += modes->values[k] < -modes->resolution;
    }
}

static int64_t count_unknowns(const pli_mesh_stepper *s)
{
    int64_t count = 0;
    for (int64_t k = 0; k < 3 * (int64_t)s->model->vertex_count; ++k) {
        count += !pli_scripts_are_holding(s, k) && s->model->mass[k / 3] > 0;
    }
    return count;
}

// ---- the computation

static pli_status solve(pli_mesh_stepper *s, const pli_state *state, const pli_modes_def *def,
                        pli_modes *modes)
{
    PLI_TRY(check_contact(s, state));
    PLI_TRY(prepare(s, state));
    pli_objective objective;
    pli_objective_init(&objective, s->context, s->model->vertex_count);
    add_terms(s, &objective);
    pli_status status = pli_objective_build_pattern(&objective);
    if (status == PLI_OK && objective.low_rank != NULL) {
        status =
            PLI_FAIL(s->context, PLI_ERROR_UNSUPPORTED,
                     "modes of bodies with gas or liquid in a cavity are not known, because its "
                     "stiffness joins all of its walls; give it a pressure");
    }
    if (status == PLI_OK) {
        pli_eigen_report found;
        pli_objective_compute_hessian(&objective, state->x, false);
        pli_eigen_problem problem = {.K = objective.H,
                                     .mass = s->model->mass,
                                     .fixed = s->fixed,
                                     .count = def->count,
                                     .cancel = def->cancel,
                                     .user = def->cancel_user};
        status = pli_eigen_lowest(s->context, &problem, modes->values, modes->shapes, &found);
        if (status == PLI_OK) fill_report(modes, &found);
    }
    modes->report.unknowns = count_unknowns(s);
    pli_objective_clear(&objective);
    return status;
}

// With a solver of its own, whose terms it binds to another matrix.
static pli_status compute(const pli_model *model, const pli_state *state, const pli_modes_def *def,
                          pli_modes *modes)
{
    pli_solver *solver = NULL;
    pli_state *rest = NULL;
    pli_status status = pli_solver_create(model, &solver);
    if (status == PLI_OK && state == NULL) {
        status = pli_state_create(model, &rest);
        if (status == PLI_OK) {
            memcpy(rest->x, model->rest, 3 * (size_t)model->vertex_count * sizeof(double));
        }
    }
    if (status == PLI_OK) {
        status = solve(pli_solver_meshes(solver), state != NULL ? state : rest, def, modes);
    }
    if (status == PLI_OK) fill_shares(modes, model);
    pli_state_destroy(rest);
    pli_solver_destroy(solver);
    return status;
}

pli_status pli_modes_compute(const pli_model *model, const pli_state *state,
                             const pli_modes_def *def, pli_modes **modes)
{
    *modes = NULL;
    pli_context *context = model->context;
    if (model->matter != NULL || model->vertex_count == 0) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "particles have no modes; only bodies of meshes have");
    }
    pli_modes_def wanted = def != NULL ? *def : (pli_modes_def){0};
    if (wanted.count == 0) wanted.count = DEFAULT_COUNT;
    if (wanted.count < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "%d modes were asked for; at least 1 is wanted", (int)wanted.count);
    }
    pli_modes *made = PLI_NEW(context, pli_modes, 1, "modes");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->vertex_count = model->vertex_count;
    made->report.count = wanted.count;
    made->values = PLI_NEW(context, double, wanted.count, "modes");
    made->shares = PLI_NEW(context, double, 3 * (int64_t)wanted.count, "modes");
    made->shapes =
        PLI_NEW(context, double, 3 * (int64_t)wanted.count * model->vertex_count, "modes");
    bool complete = made->values != NULL && made->shares != NULL && made->shapes != NULL;
    pli_status status = complete ? compute(model, state, &wanted, made) : PLI_ERROR_MEMORY;
    if (status != PLI_OK) {
        pli_modes_destroy(made);
        return status;
    }
    *modes = made;
    return PLI_OK;
}

void pli_modes_destroy(pli_modes *modes)
{
    if (modes == NULL) return;
    PLI_RELEASE(modes->context, modes->shapes, modes->shares, modes->values);
    pli_release(modes->context, modes);
}

pli_modes_report pli_modes_get_report(const pli_modes *modes)
{
    return modes->report;
}

pli_vibration pli_modes_get(const pli_modes *modes, int32_t index)
{
    double omega2 = modes->values[index];
    bool rigid = fabs(omega2) <= modes->resolution;
    double omega = rigid ? 0 : sqrt(fmax(omega2, 0));
    pli_vibration mode = {.frequency = omega / (2 * 3.14159265358979323846),
                          .omega2 = omega2,
                          .rigid = rigid,
                          .unstable = omega2 < 0 && !rigid,
                          .shape = modes->shapes + 3 * (int64_t)modes->vertex_count * index};
    memcpy(mode.share, modes->shares + 3 * (int64_t)index, sizeof mode.share);
    return mode;
}
