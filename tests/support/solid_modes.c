// SPDX-License-Identifier: Apache-2.0
#include "solid_modes.h"

#include "base/context.h"
#include "base/memory.h"
#include "pliant/modes.h"
#include "solid_run.h"

#include <math.h>
#include <stdio.h>

static pli_status beam_init(pli_solid *s, pli_context *context, const pli_solid_beam *beam,
                            const char *time)
{
    char held[64] = "";
    if (beam->axes[0] != '\0') {
        snprintf(held, sizeof held, "  - {where: all, axes: %s}\n", beam->axes);
    }
    return pli_solid_init(
        s, context, NULL,
        "materials: {m: {law: %s, density: 1000, young: 1e6, poisson: 0}}\n"
        "bodies: {beam: {geometry: {grid: {center: [0.5, 0, 0], size: [1, 0.1, 0.1], cells: [%d, "
        "%d, %d]}}, material: m, element: %s}}\n"
        "gravity: [0, 0, 0]\n"
        "constraints:\n"
        "  - {where: {half_space: {point: [1e-9, 0, 0], normal: [-1, 0, 0]}}}\n"
        "%s"
        "solver: {name: newton, linear: cholesky, tolerance: 1e-9}\n"
        "time: {%s}\n",
        beam->law, (int)beam->cells[0], (int)beam->cells[1], (int)beam->cells[2], beam->element,
        held, time);
}

static pli_status find_modes(pli_solid *s, int32_t count, pli_modes **modes)
{
    pli_modes_def def = {.count = count};
    return pli_modes_compute(s->model, NULL, &def, modes);
}

pli_status pli_solid_beam_modes(pli_context *context, const pli_solid_beam *beam, int32_t count,
                                double *frequencies)
{
    pli_solid s;
    pli_modes *modes = NULL;
    PLI_TRY(beam_init(&s, context, beam, "fps: 1, frames: 1, mode: quasi-static"));
    pli_status status = find_modes(&s, count, &modes);
    for (int32_t k = 0; k < count && status == PLI_OK; ++k) {
        frequencies[k] = pli_modes_get(modes, k).frequency;
    }
    pli_modes_destroy(modes);
    pli_solid_clear(&s);
    return status;
}

// phi^T M (x - X): how far the body swings in a mode.
static double swing(const pli_solid *s, const pli_vibration *mode)
{
    const double *mass = pli_model_get_mesh(s->model).masses;
    double sum = 0;
    for (int64_t k = 0; k < 3 * (int64_t)s->info.vertex_count; ++k) {
        sum += mass[k / 3] * mode->shape[k] * (s->x[k] - s->X[k]);
    }
    return sum;
}

// Zeros of the swing over four half periods, in steps of 1/150 of one; 0: fewer were seen.
static pli_status swing_frequency(pli_solid *s, const pli_vibration *mode, double *frequency)
{
    double first = 0, last = 0, before = 0;
    int zeros = 0;
    for (int step = 0; step < 600 && zeros < 5; ++step) {
        pli_step_report report;
        PLI_TRY(pli_solid_step(s, &report));
        double now = swing(s, mode);
        if (step > 0 && before * now <= 0) {
            last = report.time - report.dt * now / (now - before);
            if (++zeros == 1) first = last;
        }
        before = now;
    }
    *frequency = zeros == 5 ? 2 / (last - first) : 0;
    return PLI_OK;
}

// Small velocities in the shape of a mode.
static pli_status strike(pli_solid *s, const pli_vibration *mode)
{
    int64_t unknowns = 3 * (int64_t)s->info.vertex_count;
    double *v = PLI_NEW(s->context, double, unknowns, "velocities");
    if (v == NULL) return PLI_ERROR_MEMORY;
    for (int64_t k = 0; k < unknowns; ++k) v[k] = 1e-5 * mode->shape[k];
    pli_status status = pli_state_set(s->state, NULL, v);
    pli_release(s->context, v);
    return status;
}

pli_status pli_solid_struck_beam(pli_context *context, const pli_solid_beam *beam, int32_t mode,
                                 double *ratio)
{
    enum { MOST = 8 };
    double known[MOST], found = 0;
    char time[96];
    PLI_TRY(pli_solid_beam_modes(context, beam, mode + 1, known));
    snprintf(time, sizeof time, "fps: %.17g, frames: 1, integrator: bdf2", 150 * known[mode]);
    pli_solid s;
    pli_modes *modes = NULL;
    pli_vibration shape = {0};
    PLI_TRY(beam_init(&s, context, beam, time));
    pli_status status = find_modes(&s, mode + 1, &modes);
    if (status == PLI_OK) shape = pli_modes_get(modes, mode);
    if (status == PLI_OK) status = strike(&s, &shape);
    if (status == PLI_OK) status = swing_frequency(&s, &shape, &found);
    *ratio = found / known[mode];
    pli_modes_destroy(modes);
    pli_solid_clear(&s);
    return status;
}

pli_status pli_solid_free_modes(pli_context *context, double *ratio)
{
    pli_solid s;
    pli_modes *modes = NULL;
    PLI_TRY(pli_solid_init(
        &s, context, NULL,
        "materials: {m: {law: neo-hookean, young: 1e6, poisson: 0.3, density: 1000}}\n"
        "bodies: {cube: {material: m, geometry: {grid: {size: [1, 1, 1], cells: [6, 6, 6]}}}}\n"));
    pli_status status = find_modes(&s, 7, &modes);
    double zero = 0, seventh = 0;
    for (int32_t k = 0; k < 7 && status == PLI_OK; ++k) {
        seventh = sqrt(fabs(pli_modes_get(modes, k).omega2));
        if (k < 6) zero = fmax(zero, seventh);
    }
    *ratio = zero / seventh;
    pli_modes_destroy(modes);
    pli_solid_clear(&s);
    return status;
}
