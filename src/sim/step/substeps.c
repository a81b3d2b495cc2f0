// SPDX-License-Identifier: Apache-2.0
#include "sim/step/substeps.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

// An implicit substep is a minimisation, an explicit one a pass over the particles.
enum { MOST_IMPLICIT = 1000, MOST_EXPLICIT = 20000, TEXT = 480 };

// times the limit that may seem to be left while matter is fast for a moment
static const double patience = 16;

static bool is_implicit(const pli_model *model)
{
    return model->solver_kind->grid != NULL;
}

int64_t pli_substeps_limit(const pli_model *model)
{
    int32_t given = model->solver_def.max_substeps;
    if (given > 0) return given;
    return is_implicit(model) ? MOST_IMPLICIT : MOST_EXPLICIT;
}

// Cells that matter may move in a substep.
static double cells_of(const pli_model *model)
{
    const pli_solver_def *def = &model->solver_def;
    return is_implicit(model) ? def->grid.cfl : def->steps.advection;
}

// Substeps of a time step at a speed (m/s).
static double count_substeps(const pli_model *model, double speed)
{
    return ceil(model->dt * speed / (cells_of(model) * model->matter->dx) * (1 - 1e-9));
}

// The row of the fastest particle; -1: there is none, or none moves.
static int64_t find_fastest(const pli_matter_state *state, double *speed)
{
    int64_t fastest = -1;
    *speed = 0;
    for (int64_t row = 0; row < state->count; ++row) {
        double v = pli_vec3_norm(state->velocity + 3 * row);
        if (!(v > *speed)) continue;
        *speed = v;
        fastest = row;
    }
    return fastest;
}

double pli_substeps_speed(const pli_matter_state *state)
{
    double speed;
    find_fastest(state, &speed);
    return speed;
}

// What would take too long, and what would be right. Where the speed alone does not explain it,
// sound does.
static const char *explain(const pli_model *model, int64_t done, double left, double speed,
                           char text[TEXT])
{
    double substeps = (double)done + left;
    double wanted = count_substeps(model, speed);
    double steps = model->time.steps_per_frame * ceil(substeps / (double)pli_substeps_limit(model));
    bool by_speed = is_implicit(model) || 2 * wanted > substeps;
    char why[128], advice[64] = "";
    if (by_speed) {
        snprintf(why, sizeof why,
                 "matter moves at up to %.3g m/s, and no more than %.3g cells of %.3g m in each",
                 speed, cells_of(model), model->matter->dx);
    } else if (done > 0) {
        snprintf(why, sizeof why, "matter became so fast or so dense within it");
    } else {
        snprintf(why, sizeof why,
                 "matter is so stiff or light that sound takes that many to cross its way, in "
                 "cells of %.3g m",
                 model->matter->dx);
    }
    if (steps <= 1e6)
        snprintf(advice, sizeof advice, ", or write time.steps_per_frame: %.0f", steps);
    snprintf(text, TEXT,
             "a step of %.3g s would take %.3g substeps, because %s; at most %lld are made "
             "(solver.max_substeps). Check the units%s%s",
             model->dt, substeps, why, (long long)pli_substeps_limit(model),
             by_speed || done > 0 ? " and velocities" : " of young and density", advice);
    return text;
}

pli_status pli_substeps_check(const pli_model *model, int64_t done, double left, double speed)
{
    char text[TEXT];
    double limit = (double)pli_substeps_limit(model);
    // written so that what is no number is left to those who look for such
    bool is_over = done == 0 ? left > limit : (double)done >= limit || left > patience * limit;
    if (!is_over) return PLI_OK;
    return PLI_FAIL(model->context, PLI_ERROR_NUMERIC, "%s",
                    explain(model, done, left, speed, text));
}

// The fastest of what is there and of what emitters bring; *visit is its velocity in the scene.
static double find_start(const pli_model *model, const pli_scene_def *def, pli_visit *visit,
                         char path[PLI_PATH_CAPACITY])
{
    const pli_matter *matter = model->matter;
    double speed;
    int64_t row = find_fastest(&matter->start, &speed);
    if (row >= 0 && def != NULL) {
        const pli_matter_kind *kind = &matter->kinds[matter->start.kind[row]];
        const pli_body_def *body = &def->bodies[kind->source];
        snprintf(path, PLI_PATH_CAPACITY, "bodies.%s.velocity", body->name);
        *visit = (pli_visit){.path = path, .holder = body, .member = &body->velocity};
    }
    for (int32_t k = 0; k < matter->emitter_count; ++k) {
        if (!(matter->emitters[k].speed > speed)) continue;
        speed = matter->emitters[k].speed;
        if (def == NULL) continue;
        const pli_emitter_def *emitter = &def->emitters[k];
        snprintf(path, PLI_PATH_CAPACITY, "emitters.%s.velocity", emitter->name);
        *visit = (pli_visit){.path = path, .holder = emitter, .member = &emitter->velocity};
    }
    return speed;
}

double pli_substeps_at_start(const pli_model *model)
{
    char path[PLI_PATH_CAPACITY];
    pli_visit visit;
    if (model->matter == NULL) return 0;
    return count_substeps(model, find_start(model, NULL, &visit, path));
}

pli_status pli_substeps_check_start(const pli_model *model, const pli_scene *scene)
{
    char path[PLI_PATH_CAPACITY] = "solver.max_substeps", text[TEXT];
    const pli_scene_def *def = pli_scene_get(scene);
    pli_visit visit = {.path = path, .holder = &def->solver, .member = &def->solver.max_substeps};
    double speed = find_start(model, def, &visit, path);
    double substeps = count_substeps(model, speed);
    if (!(substeps > (double)pli_substeps_limit(model))) return PLI_OK;
    return pli_scene_fail(scene, PLI_ERROR_SCENE, &visit, "%s",
                          explain(model, 0, substeps, speed, text));
}
