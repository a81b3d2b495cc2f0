// SPDX-License-Identifier: Apache-2.0
//
// What particles amount to: energies, momenta, smallest J (Fang et al. 2018).
//
// A particle carries an affine field of velocity, v + C (x - x_p), and with quadratic splines its
// matter spreads by dx^2 / 4 along each axis; both are in the kinetic energy and in the angular
// momentum, which transfers keep (Jiang et al. 2015):
//
//   kinetic   m/2 (|v|^2 + dx^2/4 |C|^2)
//   angular   m (x x v + dx^2/4 axial(C)),   axial(C)_i = C_kj - C_jk
#include "sim/report/matter_measure.h"
#include "sim/report/matter_probes.h"

#include "base/parallel.h"
#include "material/batch.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 4096 };

// what is summed up: momentum, angular momentum, kinetic, elastic and potential energy, inverted
enum { ANGULAR = 3, KINETIC = 6, ELASTIC, GRAVITY, INVERTED, SUM_COUNT };

typedef struct measuring {
    const pli_model *model;
    const pli_matter_state *state;
    pli_sum *sums; // [blocks][SUM_COUNT]
    double *min_J; // [blocks]
} measuring;

static void add_motion(const measuring *job, int64_t row, double mass, pli_sum *sums)
{
    double arm[3];
    double dx = job->model->matter->dx, spread = 0.25 * dx * dx;
    const double *x = job->state->position + 3 * row;
    const double *v = job->state->velocity + 3 * row, *C = job->state->affine + 9 * row;
    pli_vec3_cross(x, v, arm);
    double square = pli_vec3_norm2(v);
    for (int k = 0; k < 9; ++k) square += spread * C[k] * C[k];
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3, after = (k + 2) % 3;
        double axial = C[3 * after + next] - C[3 * next + after];
        pli_sum_add(&sums[k], mass * v[k]);
        pli_sum_add(&sums[ANGULAR + k], mass * (arm[k] + spread * axial));
    }
    pli_sum_add(&sums[KINETIC], 0.5 * mass * square);
    pli_sum_add(&sums[GRAVITY], -mass * pli_vec3_dot(job->model->gravity, x));
}

// Returns J.
static double add_deformation(const measuring *job, int64_t row, const pli_mpm_kind *kind,
                              double density, pli_sum *sums)
{
    const pli_matter_state *state = job->state;
    double volume = pli_matter_volume(job->model->matter, state->kind[row], state->id[row]);
    const double *F = state->deformation + 9 * row;
    double memory = job->state->memory[row];
    double J = pli_material_volume_ratio(&kind->material, F, memory);
    pli_sum_add(&sums[ELASTIC], volume * density);
    if (!(J > 0)) pli_sum_add(&sums[INVERTED], 1);
    return J;
}

// Rows of one kind from `row` on, as many as have their energies computed together.
static int32_t count_alike(const pli_matter_state *state, int64_t row, int64_t end)
{
    int32_t count = 1;
    while (count < PLI_BLOCK && row + count < end && state->kind[row + count] == state->kind[row]) {
        ++count;
    }
    return count;
}

// Ranges are at least a grain long, so that each has a place of its own.
static void measure_range(void *user, int64_t begin, int64_t end)
{
    const measuring *job = user;
    pli_sum sums[SUM_COUNT] = {{0, 0}};
    double min_J = INFINITY;
    const pli_matter_state *state = job->state;
    for (int64_t row = begin; row < end;) {
        const pli_matter_kind *kind = &job->model->matter->kinds[state->kind[row]];
        double density[PLI_BLOCK];
        int32_t count = count_alike(state, row, end);
        pli_material_energies(&kind->matter.material, count, state->deformation + 9 * row,
                              state->memory + row, density);
        for (int32_t k = 0; k < count; ++k, ++row) {
            add_motion(job, row, kind->mass, sums);
            min_J = fmin(min_J, add_deformation(job, row, &kind->matter, density[k], sums));
        }
    }
    memcpy(job->sums + begin / GRAIN * SUM_COUNT, sums, sizeof sums);
    job->min_J[begin / GRAIN] = min_J;
}

static void fill_report(const pli_sum total[SUM_COUNT], pli_step_report *report)
{
    for (int k = 0; k < 3; ++k) {
        report->momentum[k] = pli_sum_value(total[k]);
        report->angular_momentum[k] = pli_sum_value(total[ANGULAR + k]);
    }
    pli_energies *energy = &report->energy;
    *energy = (pli_energies){.kinetic = pli_sum_value(total[KINETIC]),
                             .elastic = pli_sum_value(total[ELASTIC]),
                             .gravity = pli_sum_value(total[GRAVITY])};
    energy->total = energy->kinetic + energy->elastic + energy->gravity;
    report->inverted = (int32_t)pli_sum_value(total[INVERTED]);
}

pli_status pli_matter_measure(pli_solver *s, const pli_state *state, pli_step_report *report)
{
    int64_t count = state->matter.count, blocks = (count + GRAIN - 1) / GRAIN;
    PLI_TRY(pli_matter_check_kinds(s->model->matter, &state->matter));
    report->min_J = NAN;
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    measuring job = {.model = s->model, .state = &state->matter};
    job.sums = pli_arena_take(s->scratch, blocks * SUM_COUNT, sizeof *job.sums, "energies");
    job.min_J = pli_arena_doubles(s->scratch, blocks, "determinants");
    pli_status status = PLI_ERROR_MEMORY;
    if (job.sums == NULL || job.min_J == NULL) goto done;
    for (int64_t k = 0; k < blocks; ++k) job.min_J[k] = INFINITY;
    memset(job.sums, 0, (size_t)(blocks * SUM_COUNT) * sizeof *job.sums);
    pli_parallel_for(s->context, count, GRAIN, measure_range, &job);
    pli_sum total[SUM_COUNT] = {{0, 0}};
    for (int64_t k = 0; k < blocks * SUM_COUNT; ++k) {
        pli_sum_merge(&total[k % SUM_COUNT], job.sums[k]);
    }
    double min_J = INFINITY;
    for (int64_t k = 0; k < blocks; ++k) min_J = fmin(min_J, job.min_J[k]);
    if (count > 0) report->min_J = min_J;
    fill_report(total, report);
    pli_matter_probes_measure(s, state, report);
    status = PLI_OK;

done:
    pli_arena_end(s->scratch, mark);
    return status;
}
