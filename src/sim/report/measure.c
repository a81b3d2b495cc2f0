// SPDX-License-Identifier: Apache-2.0
//
// What a state of meshes amounts to: energies, momenta, smallest J.
#include "sim/step/mesh_stepper.h"

#include "base/parallel.h"
#include "math/vec3.h"
#include "sim/step/loads.h"
#include "sim/step/tets_build.h"

#include <math.h>
#include <string.h>

enum { POINT_GRAIN = 4096 };

// momentum, angular momentum, kinetic energy
enum { MOTION_COUNT = 7 };

typedef struct motion_job {
    const double *mass;
    const double *x;
    const double *v;
    pli_sum *sums; // [blocks][MOTION_COUNT]
} motion_job;

static void add_point_motion(double m, const double *x, const double *v, pli_sum *sums)
{
    double spin[3];
    pli_vec3_cross(x, v, spin);
    for (int k = 0; k < 3; ++k) {
        pli_sum_add(&sums[k], m * v[k]);
        pli_sum_add(&sums[3 + k], m * spin[k]);
    }
    pli_sum_add(&sums[6], 0.5 * m * pli_vec3_norm2(v));
}

// Ranges are at least a grain long, so that each has a place of its own.
static void sum_block(void *user, int64_t begin, int64_t end)
{
    const motion_job *job = user;
    pli_sum sums[MOTION_COUNT] = {{0, 0}};
    for (int64_t point = begin; point < end; ++point) {
        add_point_motion(job->mass[point], job->x + 3 * point, job->v + 3 * point, sums);
    }
    memcpy(job->sums + begin / POINT_GRAIN * MOTION_COUNT, sums, sizeof sums);
}

// All of them in one pass, because a report must not cost more than a step.
static pli_status measure_motion(pli_mesh_stepper *s, const pli_state *state,
                                 pli_step_report *report)
{
    int64_t block_count = (state->vertex_count + POINT_GRAIN - 1) / POINT_GRAIN;
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    motion_job job = {.mass = s->model->mass, .x = state->x, .v = state->v};
    job.sums = pli_arena_take(s->scratch, block_count * MOTION_COUNT, sizeof *job.sums, "momenta");
    pli_status status = PLI_ERROR_MEMORY;
    if (job.sums == NULL) goto done;
    memset(job.sums, 0, (size_t)(block_count * MOTION_COUNT) * sizeof *job.sums);
    pli_parallel_for(s->context, state->vertex_count, POINT_GRAIN, sum_block, &job);
    pli_sum total[MOTION_COUNT] = {{0, 0}};
    for (int64_t k = 0; k < block_count * MOTION_COUNT; ++k) {
        pli_sum_merge(&total[k % MOTION_COUNT], job.sums[k]);
    }
    for (int k = 0; k < 3; ++k) {
        report->momentum[k] = pli_sum_value(total[k]);
        report->angular_momentum[k] = pli_sum_value(total[3 + k]);
    }
    report->energy.kinetic = pli_sum_value(total[6]);
    status = PLI_OK;

done:
    pli_arena_end(s->scratch, mark);
    return status;
}

// Elastic energy (J), smallest J and number of inverted tetrahedra.
static void measure_tets(pli_mesh_stepper *s, const pli_state *state, pli_step_report *report)
{
    report->energy.elastic = pli_tets_energy(s, state);
    pli_tets_measure(s, state->x, s->J);
    report->min_J = s->model->tet_count > 0 ? INFINITY : NAN;
    report->inverted = 0;
    for (int32_t tet = 0; tet < s->model->tet_count; ++tet) {
        report->min_J = fmin(report->min_J, s->J[tet]);
        if (!(s->J[tet] > 0)) ++report->inverted;
    }
}

// The same in one pass.
static void measure_projective(const pli_mesh_stepper *s, const double *x, pli_step_report *report)
{
    pli_projective_report found;
    pli_projective_measure(s->projective, x, &found);
    report->energy.elastic = found.energy;
    report->min_J = found.min_J;
    report->inverted = (int32_t)found.inverted;
}

static void fill_energies(pli_mesh_stepper *s, const pli_state *state, pli_energies *energy)
{
    if (s->shell != NULL) {
        energy->elastic += pli_sum_value(pli_shell_energy(s->shell, state->x));
    }
    if (s->springs != NULL) {
        energy->elastic += pli_sum_value(pli_spring_term.energy(s->springs, state->x));
    }
    energy->gravity = pli_sum_value(pli_gravity_term.energy(&s->gravity, state->x));
    if (s->model->attachment_count > 0) {
        energy->attachment = pli_sum_value(pli_attachment_term.energy(&s->attachment, state->x));
    }
    energy->attachment += pli_sum_value(pli_attachment_term.energy(&s->grip, state->x));
}

pli_status pli_mesh_stepper_measure(pli_mesh_stepper *s, const pli_state *state, bool after_step,
                                    pli_step_report *report)
{
    if (s->projective != NULL) {
        measure_projective(s, state->x, report);
    } else {
        measure_tets(s, state, report);
    }
    PLI_TRY(measure_motion(s, state, report));
    fill_energies(s, state, &report->energy);
    pli_loads_measure(s, state, pli_state_time(state), report);
    pli_energies *energy = &report->energy;
    energy->total = energy->kinetic + energy->elastic + energy->gravity + energy->attachment +
                    energy->load + energy->cavity;
    PLI_TRY(pli_contacts_measure(s->contacts, state, after_step, report));
    return pli_probes_measure(s, state, after_step, report);
}
