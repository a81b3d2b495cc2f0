// SPDX-License-Identifier: Apache-2.0
#include "solid_laws.h"

#include "base/context.h"
#include "fem/hinge_angle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ratio[2] = {0.8, 0.3}, tau[2] = {0.5, 4}; // of the branches

// ---- relaxation

static pli_status held_stress(pli_context *context, const char *law, const char *branches,
                              int32_t steps, double *stress)
{
    pli_solid s;
    PLI_TRY(pli_solid_init(&s, context, NULL,
                           "materials: {m: {law: %s, density: 1000, young: 1e6, poisson: 0.3%s}}\n"
                           "bodies: {b: {geometry: {grid: {cells: [2, 2, 2]}}, material: m}}\n"
                           "gravity: [0, 0, 0]\n"
                           "constraints: [{motion: {center: [0, 0, 0], keyframes: [{time: 0}, "
                           "{time: 0.1, scale: [1.1, "
                           "1.3, 0.9]}]}}]\n"
                           "output: {fields: [von_mises]}\n"
                           "time: {mode: quasi-static, fps: 10, frames: 1}\n",
                           law, branches));
    pli_status status = PLI_OK;
    for (int32_t step = 0; step < steps && status == PLI_OK; ++step) {
        pli_step_report report;
        const double *field = NULL;
        status = pli_solid_step(&s, &report);
        if (status == PLI_OK) status = pli_solid_field(&s, "von_mises", &field);
        if (status == PLI_OK) stress[step] = field[0];
    }
    pli_solid_clear(&s);
    return status;
}

pli_status pli_solid_relaxation(pli_context *context, const char *law, int32_t branch_count,
                                double *error)
{
    enum { STEPS = 40 };
    static const char *const branches[3] = {
        "", ", viscoelastic: [{ratio: 0.8, time: 0.5}]",
        ", viscoelastic: [{ratio: 0.8, time: 0.5}, {ratio: 0.3, time: 4}]"};
    const double h = 0.1;
    double slow, stress[STEPS];
    PLI_TRY(held_stress(context, law, branches[0], 1, &slow));
    PLI_TRY(held_stress(context, law, branches[branch_count], STEPS, stress));
    *error = 0;
    for (int step = 0; step < STEPS; ++step) {
        double factor = 1;
        for (int32_t k = 0; k < branch_count; ++k) {
            double gain = ratio[k] * tau[k] / h * (1 - exp(-h / tau[k]));
            factor += gain * exp(-step * h / tau[k]);
        }
        *error = fmax(*error, fabs(stress[step] / (slow * factor) - 1));
    }
    return PLI_OK;
}

// ---- creep

// J(t) = (1 - gamma / (1 + gamma) exp(-t / T)) stress / E with T = (1 + gamma) tau, of a load that
// grows within h: its mean over the last h.
pli_status pli_solid_creep(pli_context *context, double *error)
{
    const double h = 1e-3, gamma = ratio[0], T = (1 + gamma) * tau[0];
    pli_solid s;
    *error = 0;
    PLI_TRY(pli_solid_init(
        &s, context, NULL,
        "materials: {m: {law: linear, density: 1000, young: 1e6, poisson: 0.3,\n"
        "  viscoelastic: [{ratio: 0.8, time: 0.5}]}}\n"
        "bodies: {b: {geometry: {grid: {cells: [1, 2, 1]}}, material: m}}\n"
        "gravity: [0, 0, 0]\n"
        "constraints:\n"
        "  - {where: {half_space: {point: [0, -0.49, 0], normal: [0, -1, 0]}}, axes: y}\n"
        "  - {where: {box: {min: [-0.51, -0.51, -0.51], max: [-0.49, -0.49, -0.49]}}}\n"
        "  - {where: {box: {min: [0.49, -0.51, -0.51], max: [0.51, -0.49, -0.49]}}, axes: z}\n"
        "loads: [{where: {half_space: {point: [0, 0.49, 0], normal: [0, 1, 0]}}, traction: [0, 1, "
        "0]}]\n"
        "solver: {name: newton, linear: cholesky, norm: error, tolerance: 1e-13}\n"
        "time: {mode: quasi-static, fps: 1000, frames: 1}\n"));
    pli_status status = PLI_OK;
    for (int step = 1; step <= 600 && status == PLI_OK; ++step) {
        pli_step_report report;
        status = pli_solid_step(&s, &report);
        int32_t last = 3 * (s.info.vertex_count - 1) + 1;
        double strain = (s.x[last] - s.X[last]) / (s.X[last] + 0.5);
        double mean = T / h * exp(-step * h / T) * (exp(h / T) - 1);
        *error = fmax(*error, fabs(strain / (1e-6 * (1 - gamma / (1 + gamma) * mean)) - 1));
    }
    pli_solid_clear(&s);
    return status;
}

// ---- folds

double pli_solid_fold_map(const double *angles, int count, double a, double r)
{
    double rest = 0;
    for (int k = 0; k < count; ++k) {
        double beyond = fabs(angles[k] - rest) - a;
        if (!(beyond > 0)) continue;
        rest += copysign((1 - r) * beyond, angles[k] - rest);
        a += r * beyond;
    }
    return rest;
}

// The edge that two triangles share, then the corners across from it.
static void find_hinge(const int32_t *triangles, int32_t hinge[4])
{
    int32_t shared = 0;
    for (int side = 0; side < 2; ++side) {
        const int32_t *here = triangles + 3 * side, *there = triangles + 3 * (1 - side);
        for (int k = 0; k < 3; ++k) {
            bool both = here[k] == there[0] || here[k] == there[1] || here[k] == there[2];
            if (!both) hinge[2 + side] = here[k];
            if (both && side == 0) hinge[shared++] = here[k];
        }
    }
}

static pli_status hinge_of_sheet(pli_context *context, int32_t hinge[4])
{
    pli_solid s;
    pli_frame frame;
    PLI_TRY(pli_solid_init(
        &s, context, NULL,
        "materials: {m: {law: stable-neo-hookean, density: 800, young: 1e8, poisson: 0.3}}\n"
        "contact: none\n"
        "bodies: {b: {kind: shell, material: m, geometry: {sheet: {columns: 1, rows: 1}}}}\n"));
    pli_status status = pli_solver_frame(s.solver, s.state, &frame);
    if (status == PLI_OK) find_hinge(frame.parts[0].cells, hinge);
    pli_solid_clear(&s);
    return status;
}

pli_status pli_solid_fold(pli_solid *s, pli_context *context, const double *angles, int count,
                          const char *fold, double *rest)
{
    int32_t hinge[4];
    PLI_TRY(hinge_of_sheet(context, hinge));
    // the diagonal from the first to the second vertex of the edge
    char keys[1024] = "";
    for (int k = 0; k < count; ++k) {
        size_t length = strlen(keys);
        snprintf(keys + length, sizeof keys - length,
                 ", {time: %d, axis: [%d, 0, 1], angle: %.17g}", k + 1, hinge[0] == 0 ? 1 : -1,
                 angles[k] * 180 / M_PI);
    }
    PLI_TRY(pli_solid_init(
        s, context, NULL,
        "materials: {paper: {law: stable-neo-hookean, density: 800, young: 1e8, poisson: 0.3}}\n"
        "contact: none\ngravity: [0, 0, 0]\n"
        "bodies: {b: {kind: shell, material: paper, thickness: 0.03, fold: {%s},\n"
        "  geometry: {sheet: {columns: 1, rows: 1, width: 0.1, depth: 0.1}}}}\n"
        "constraints:\n"
        "  - {where: {vertices: [%d, %d, %d]}}\n"
        "  - {where: {vertices: [%d]}, motion: {center: [0, 0, 0], after: release, keyframes: "
        "[{time: 0}%s]}}\n"
        "solver: {name: pn-pcg, linear: cholesky, norm: error, tolerance: 1e-11}\n"
        "time: {mode: quasi-static, fps: 1, frames: 1}\n",
        fold, (int)hinge[0], (int)hinge[1], (int)hinge[2], (int)hinge[3], keys));
    pli_status status = PLI_OK;
    double folded = 0;
    // three steps beyond the last key, for what is let go
    for (int step = 0; step < count + 3 && status == PLI_OK; ++step) {
        pli_step_report report;
        status = pli_solid_step(s, &report);
        if (step == count - 1) folded = pli_hinge_angle(s->x, hinge);
    }
    double angle = pli_hinge_angle(s->x, hinge);
    *rest = folded * angles[count - 1] < 0 ? -angle : angle;
    if (status != PLI_OK) pli_solid_clear(s);
    return status;
}
