// SPDX-License-Identifier: Apache-2.0
#include "solid_cavities.h"

#include "sim/model/model.h"
#include "solid_mesh.h"
#include "solid_run.h"

#include <math.h>

// ---- a thin sphere of rubber

// f(z) = 1 / (2 z^4) + 2 / z; an incompressible Neo-Hookean wall from 1 to `outer` that is
// stretched from l_a at the inside to l_b holds the pressure mu (f(l_b) - f(l_a)) (Green and Zerna
// 1954).
static double sphere_pressure(double mu, double stretch, double outer)
{
    double l = cbrt(1 + (pow(stretch, 3) - 1) / pow(outer, 3));
    return mu * (0.5 * pow(l, -4) + 2 / l - 0.5 * pow(stretch, -4) - 2 / stretch);
}

static pli_status follow_curve(pli_solid *s, double outer, pli_solid_inflation *found)
{
    enum { STEPS = 24 };
    double highest = 0, last = 0;
    for (int step = 1; step <= STEPS; ++step) {
        pli_step_report report;
        PLI_TRY(pli_solid_step(s, &report));
        double grown = report.cavities[0].volume / s->model->cavities[0].law.volume;
        double expected = sphere_pressure(1e5, cbrt(grown), outer);
        last = report.cavities[0].pressure;
        highest = fmax(highest, last);
        found->volume_error = fmax(found->volume_error, fabs(grown / (1 + 6.0 * step / STEPS) - 1));
        found->pressure_error = fmax(found->pressure_error, fabs(last / expected - 1));
    }
    found->fall = last / highest;
    return PLI_OK;
}

pli_status pli_solid_inflate(pli_context *context, pli_solid_inflation *found)
{
    const double outer = 1.005;
    pli_tet_mesh *mesh = NULL;
    *found = (pli_solid_inflation){0};
    PLI_TRY(pli_solid_sphere(context, 16, 1, outer, &mesh));
    pli_mesh_data data = pli_solid_mesh_data(mesh);
    pli_solid s;
    pli_status status = pli_solid_init(
        &s, context, &data,
        "materials: {rubber: {law: neo-hookean, density: 1000, mu: 1e5, lambda: 5e7}}\n"
        "bodies: {ball: {geometry: {grid: {}}, material: rubber, element: linear}}\n"
        "gravity: [0, 0, 0]\ncontact: none\n"
        // poles move along their axes
        "constraints:\n"
        "  - {where: {box: {min: [-2, -1e-6, -1e-6], max: [2, 1e-6, 1e-6]}}, axes: yz}\n"
        "  - {where: {box: {min: [-1e-6, -2, -1e-6], max: [1e-6, 2, 1e-6]}}, axes: xz}\n"
        "  - {where: {box: {min: [-1e-6, -1e-6, -2], max: [1e-6, 1e-6, 2]}}, axes: xy}\n"
        "cavities:\n"
        "  air: {body: ball, content: {liquid: {bulk: 1e8}}, over_time: [{time: 0, factor: 1}, "
        "{time: 1, factor: 7}]}\n"
        "solver: {name: newton, linear: cholesky}\n"
        "time: {fps: 24, frames: 24, mode: quasi-static}\n");
    pli_tet_mesh_destroy(mesh);
    if (status != PLI_OK) return status;
    status = follow_curve(&s, outer, found);
    pli_solid_clear(&s);
    return status;
}

// ---- gas

pli_status pli_solid_adiabate(pli_context *context, double *change, double *squeeze)
{
    pli_solid s;
    PLI_TRY(pli_solid_init(
        &s, context, NULL,
        "materials: {skin: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.3}}\n"
        "bodies: {ball: {kind: shell, thickness: 2e-3, geometry: {fill: {shape: {sphere: {radius: "
        "0.1}}, vertices: 300}}, material: skin}}\n"
        "contact: none\n"
        "colliders: {ground: {shape: {plane: {point: [0, -0.12, 0]}}, method: penalty}}\n"
        "time: {fps: 60, frames: 20}\n"
        "cavities: {air: {body: ball, content: {gas: {pressure: 2e3}}}}\n"));
    pli_status status = PLI_OK;
    double start = (2e3 + 101325) * pow(s.model->cavities[0].law.volume, 1.4);
    double smallest = INFINITY, largest = 0;
    *change = 0;
    for (int step = 0; step < 20 && status == PLI_OK; ++step) {
        pli_step_report report;
        status = pli_solid_step(&s, &report);
        if (status != PLI_OK) break;
        const pli_cavity_report *air = &report.cavities[0];
        double now = (air->pressure + 101325) * pow(air->volume, 1.4);
        *change = fmax(*change, fabs(now / start - 1));
        smallest = fmin(smallest, air->volume);
        largest = fmax(largest, air->volume);
    }
    *squeeze = smallest / largest;
    pli_solid_clear(&s);
    return status;
}

// Height of a lid of mass m over gas at atmospheric pressure, let go at h = 1: the time of its
// first return to the top, by Runge-Kutta steps.
static double model_period(double m, double g)
{
    const double dt = 1e-6, p = 101325, y = 1.4;
    double h = 1, v = 0, t = 0;
    bool down = true;
    while (down || v > 0) {
        double k[4], u[4], at = h, speed = v;
        for (int i = 0; i < 4; ++i) {
            double s = i == 2 ? dt : 0.5 * dt;
            u[i] = speed;
            k[i] = p / m * (pow(at, -y) - 1) - g;
            at = h + s * u[i];
            speed = v + s * k[i];
        }
        h += dt / 6 * (u[0] + 2 * u[1] + 2 * u[2] + u[3]);
        v += dt / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]);
        t += dt;
        down = down && v <= 0;
    }
    return t;
}

// Steps until the lid has come back to the top four times: where its velocity changes from up to
// down. Time of the last, or 0 if it takes longer than 4 s.
static pli_status count_bounces(pli_solid *s, int32_t lid, double *last, double *lowest)
{
    double before = 0;
    *last = 0;
    *lowest = 1;
    for (int bounces = 0; bounces < 4;) {
        pli_step_report report;
        PLI_TRY(pli_solid_step(s, &report));
        double v = pli_state_get(s->state).velocities[3 * lid + 1];
        *lowest = fmin(*lowest, report.cavities[0].volume);
        if (before > 0 && v <= 0) {
            ++bounces;
            *last = report.time;
        }
        before = v;
        if (report.time > 4) *last = 0;
        if (report.time > 4) break;
    }
    return PLI_OK;
}

// A box of gas of 1 m^3 whose lid moves up and down; its skin has next to no stiffness.
pli_status pli_solid_bounce(pli_context *context, double *ratio, double *lowest)
{
    const double g = 80;
    pli_solid s;
    PLI_TRY(pli_solid_init(
        &s, context, NULL,
        "materials: {skin: {law: neo-hookean, density: 1e4, young: 1000, poisson: 0.3}}\n"
        "bodies: {box: {kind: shell, thickness: 0.01, geometry: {grid: {cells: [1, 1, 1]}}, "
        "material: skin}}\n"
        "contact: none\n"
        "gravity: [0, %g, 0]\n"
        "constraints:\n"
        "  - {axes: xz}\n"
        "  - {where: {half_space: {point: [0, -0.49, 0], normal: [0, -1, 0]}}}\n"
        "cavities: {air: {body: box, content: gas}}\n"
        "time: {fps: 2000, frames: 2000, integrator: bdf2}\n"
        "solver: {name: newton, tolerance: 1e-8}\n",
        -g));
    const double *mass = pli_model_get_mesh(s.model).masses;
    double lid = 0, last;
    int32_t top = 0;
    for (int32_t k = 0; k < s.info.vertex_count; ++k) {
        if (s.X[3 * k + 1] < 0) continue;
        lid += mass[k];
        top = k;
    }
    pli_status status = count_bounces(&s, top, &last, lowest);
    *ratio = last / 4 / model_period(lid, g);
    pli_solid_clear(&s);
    return status;
}
