// SPDX-License-Identifier: Apache-2.0
//
// What a state amounts to: energies, momenta, smallest J.
#include "sim/solver.h"

#include "math/vec3.h"

#include <math.h>

enum { POINT_GRAIN = 4096 };

typedef struct momentum_job {
    const double *mass;
    const double *x;
    const double *v;
    int32_t component; // 0..2 momentum, 3..5 angular momentum, 6 kinetic energy
} momentum_job;

static double point_quantity(const momentum_job *job, int64_t point)
{
    double m = job->mass[point];
    const double *x = job->x + 3 * point;
    const double *v = job->v + 3 * point;
    if (job->component < 3) return m * v[job->component];
    if (job->component == 6) return 0.5 * m * pli_vec3_norm2(v);
    double spin[3];
    pli_vec3_cross(x, v, spin);
    return m * spin[job->component - 3];
}

static pli_sum sum_quantity(void *user, int64_t begin, int64_t end)
{
    const momentum_job *job = user;
    pli_sum sum = {0, 0};
    for (int64_t point = begin; point < end; ++point) pli_sum_add(&sum, point_quantity(job, point));
    return sum;
}

static double total_quantity(const pli_solver *s, const pli_state *state, int32_t component)
{
    momentum_job job = {s->model->mass, state->x, state->v, component};
    return pli_sum_value(
        pli_parallel_sum(s->context, state->vertex_count, POINT_GRAIN, sum_quantity, &job));
}

// Elastic energy (J), smallest J and inverted tetrahedra, by one pass over each term.
static void measure_tets(pli_solver *s, const double *x, pli_step_report *report)
{
    report->min_J = s->model->tet_count > 0 ? INFINITY : NAN;
    report->inverted = 0;
    if (s->projective != NULL) {
        pli_projective_report found;
        pli_projective_measure(s->projective, x, &found);
        report->energy.elastic += found.energy;
        report->min_J = fmin(report->min_J, found.min_J);
        report->inverted += (int32_t)found.inverted;
    }
    if (s->elastic == NULL) return;
    report->energy.elastic += pli_sum_value(pli_elastic_term.energy(s->elastic, x));
    pli_elastic_measure(s->elastic, x, s->J, NULL);
    for (int32_t tet = 0; tet < s->elastic->tet_count; ++tet) {
        report->min_J = fmin(report->min_J, s->J[tet]);
        if (!(s->J[tet] > 0)) ++report->inverted;
    }
}

static void fill_energies(pli_solver *s, const pli_state *state, pli_energies *energy)
{
    energy->kinetic = total_quantity(s, state, 6);
    if (s->shell != NULL) {
        energy->elastic += pli_sum_value(pli_shell_energy(s->shell, state->x));
    }
    if (s->springs != NULL) {
        energy->elastic += pli_sum_value(pli_spring_term.energy(s->springs, state->x));
    }
    energy->gravity = pli_sum_value(pli_gravity_term.energy(&s->gravity, state->x));
    if (s->model->attachment_count > 0) {
        energy->attachment = pli_sum_value(pli_anchor_term.energy(&s->attachment, state->x));
    }
    energy->total = energy->kinetic + energy->elastic + energy->gravity + energy->attachment;
}

pli_status pli_solver_fill_report(pli_solver *s, const pli_state *state, pli_step_report *report)
{
    report->step = state->step;
    report->time = pli_state_time(state);
    report->energy = (pli_energies){0};
    measure_tets(s, state->x, report);
    fill_energies(s, state, &report->energy);
    for (int32_t k = 0; k < 3; ++k) {
        report->momentum[k] = total_quantity(s, state, k);
        report->angular_momentum[k] = total_quantity(s, state, k + 3);
    }
    return pli_contacts_measure(s->contacts, state, report);
}

pli_status pli_solver_measure(pli_solver *solver, const pli_state *state, pli_step_report *report)
{
    *report = (pli_step_report){.dt = state->dt,
                                .solver = solver->model->solver_kind->info.name,
                                .vertices = state->vertex_count};
    double time = pli_state_time(state);
    pli_contacts_begin_step(solver->contacts, time, time);
    return pli_solver_fill_report(solver, state, report);
}

const char *pli_stop_name(pli_stop stop)
{
    switch (stop) {
    case PLI_STOP_GRADIENT: return "gradient";
    case PLI_STOP_STEP: return "step";
    case PLI_STOP_FIXED: return "fixed";
    case PLI_STOP_DIRECTION: return "newton-step";
    case PLI_STOP_ITERATIONS: return "iterations";
    case PLI_STOP_LINESEARCH: return "line-search";
    case PLI_STOP_NONFINITE: return "nonfinite";
    case PLI_STOP_LINEAR: return "linear";
    }
    return "unknown";
}
