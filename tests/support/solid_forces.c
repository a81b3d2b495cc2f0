// SPDX-License-Identifier: Apache-2.0
#include "solid_forces.h"

#include "base/context.h"
#include "base/memory.h"
#include "fem/pressure.h"
#include "math/vec3.h"
#include "solid_run.h"

#include <math.h>

#define RUBBER "materials: {rubber: {law: neo-hookean, young: 1e5, poisson: 0.3, density: 1000}}\n"
#define BLOCK(place)                                                                           \
    "bodies: {block: {geometry: {grid: {size: [0.1, 0.2, 0.1], cells: [3, 6, 3]}}, material: " \
    "rubber" place "}}\n"
#define TOP "where: {box: {min: [-1, 0.0999, -1], max: [1, 1, 1]}}"
#define PULL                                                                              \
    "loads: [{where: {half_space: {point: [0, -0.0999, 0], normal: [0, -1, 0]}}, force: " \
    "[0.4, -3, 0.7]}]\n"
#define NEWTON "solver: {name: newton, tolerance: 1e-11}\n"

static void momentum_of(const pli_solid *s, double p[3])
{
    const double *v = pli_state_get(s->state).velocities,
                 *mass = pli_model_get_mesh(s->model).masses;
    pli_vec3_set(0, 0, 0, p);
    for (int64_t k = 0; k < s->info.vertex_count; ++k) {
        pli_vec3_add_scaled(p, mass[k], v + 3 * k, p);
    }
}

// Weight, load and the force of that name against the change of momentum, unless at rest.
static pli_status balance(pli_context *context, const char *scene, const double load[3],
                          const char *name, bool moves, double *worst)
{
    pli_solid s;
    *worst = 0;
    PLI_TRY(pli_solid_init(&s, context, NULL, RUBBER "%s", scene));
    pli_status status = PLI_OK;
    double weight = 9.81 * s.info.mass;
    for (int step = 0; step < 10 && status == PLI_OK; ++step) {
        double before[3], after[3], sum[3] = {load[0], load[1] - weight, load[2]};
        pli_step_report report;
        momentum_of(&s, before);
        status = pli_solid_step(&s, &report);
        momentum_of(&s, after);
        const double *force = status == PLI_OK ? pli_solid_probe(&report, name) : NULL;
        if (status == PLI_OK && force == NULL) {
            status = PLI_FAIL(context, PLI_ERROR_ARGUMENT, "nothing measures %s", name);
        }
        for (int k = 0; k < 3 && status == PLI_OK; ++k) {
            double change = moves ? (after[k] - before[k]) / report.dt : 0;
            *worst = fmax(*worst, fabs(sum[k] + force[k] - change) / weight);
        }
    }
    pli_solid_clear(&s);
    return status;
}

pli_status pli_solid_balances(pli_context *context, pli_solid_balance *found)
{
    static const double pull[3] = {0.4, -3, 0.7}, none[3] = {0, 0, 0};
    PLI_TRY(balance(context,
                    BLOCK("") PULL NEWTON "contact: none\nconstraints: [{body: block, " TOP
                                          ", name: support}]\n"
                                          "time: {frames: 10, fps: 10, mode: quasi-static}\n",
                    pull, "support.force", false, &found->rest));
    PLI_TRY(balance(context,
                    BLOCK("") PULL NEWTON
                    "contact: none\nconstraints: [{body: block, " TOP
                    ", name: support, motion: {segments: [{duration: 10, velocity: [0.1, 0.2, 0], "
                    "spin: 90}]}}]\n"
                    "time: {frames: 100, fps: 100}\n",
                    pull, "support.force", true, &found->motion));
    return balance(context,
                   BLOCK(", position: [0, 0.101, 0], velocity: [0.3, -0.5, 0]") NEWTON
                   "colliders: {floor: {shape: plane, friction: 0.3}}\n"
                   "contact: {method: barrier, friction: 0.3}\n"
                   "time: {frames: 100, fps: 100}\n",
                   none, "floor.force", true, &found->contact);
}

// ---- pressure on a closed surface

// A ball is blown up unevenly by hand.
static void deform(int32_t count, const double *X, double *x)
{
    for (int64_t k = 0; k < 3 * (int64_t)count; k += 3) {
        x[k] = 1.3 * X[k] + 0.2 * sin(3 * X[k + 1]) + 7;
        x[k + 1] = 0.8 * X[k + 1] + 0.1 * X[k] * X[k + 2];
        x[k + 2] = 1.1 * X[k + 2] + 0.3 * cos(2 * X[k]);
    }
}

pli_status pli_solid_closed_pressure(pli_context *context, double *resultant)
{
    pli_solid s;
    PLI_TRY(pli_solid_init(
        &s, context, NULL,
        RUBBER "bodies: {ball: {kind: shell, thickness: 1e-3, geometry: {fill: {shape: {sphere: "
               "{radius: 1}}, vertices: 500}}, material: rubber}}\n"));
    int64_t unknowns = 3 * (int64_t)s.info.vertex_count;
    pli_mesh_view mesh = pli_model_get_mesh(s.model);
    pli_pressure_patch patch = {mesh.triangle_count, mesh.triangles, true, NULL};
    pli_pressure *pressure = NULL;
    double *x = PLI_NEW(context, double, 2 * unknowns, "positions and forces");
    pli_status status =
        x == NULL ? PLI_ERROR_MEMORY
                  : pli_pressure_create(context, s.info.vertex_count, 1, &patch, &pressure);
    if (status == PLI_OK) {
        double sum[3] = {0, 0, 0}, size = 0, *g = x + unknowns;
        pressure->value[0] = 1e5;
        deform(s.info.vertex_count, s.X, x);
        for (int64_t k = 0; k < unknowns; ++k) g[k] = 0;
        pli_pressure_term.add_gradient(pressure, x, g);
        for (int64_t k = 0; k < unknowns; k += 3) {
            pli_vec3_add(sum, g + k, sum);
            size += pli_vec3_norm(g + k);
        }
        *resultant = pli_vec3_norm(sum) / size;
    }
    pli_pressure_destroy(pressure);
    pli_release(context, x);
    pli_solid_clear(&s);
    return status;
}
