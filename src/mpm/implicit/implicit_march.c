// SPDX-License-Identifier: Apache-2.0
#include "mpm/implicit/implicit_march.h"

#include "base/parallel.h"
#include "math/mat3.h"
#include "optimize/minimizer.h"

#include <math.h>

enum { GRAIN = 4096 };

// times that a substep of the linear method may be halved
enum { MOST_HALVINGS = 30 };

// one step on its way
typedef struct march {
    pli_context *context;
    const pli_implicit_march_def *def;
    const pli_minimize_env *env;
    pli_implicit_rows *rows;
    pli_cloud_source particles; // the rows, for the stepper, which borrows them for a substep
    double wanted;              // length that the linear method would like (s)
} march;

// ---- fluids and yielding

// Fluids have their volume in F while a substep is computed.
static void begin_rows(void *user, int64_t begin, int64_t end)
{
    const march *m = user;
    for (int64_t row = begin; row < end; ++row) {
        if (!pli_material_is_fluid(m->def->materials[m->rows->kind[row]])) continue;
        double *F = m->rows->deformation + 9 * row;
        pli_mat3_identity(F);
        for (int e = 0; e < 9; e += 4) F[e] = exp(m->rows->history[row] / 3);
    }
}

static void end_fluid(double F[9], double *history)
{
    const double least = 0.01; // as explicit steps have it
    *history = log(fmax(pli_mat3_determinant(F), least));
    pli_mat3_identity(F);
}

static void yield_rows(void *user, int64_t begin, int64_t end)
{
    const march *m = user;
    for (int64_t row = begin; row < end; ++row) {
        const pli_material *material = m->def->materials[m->rows->kind[row]];
        double *F = m->rows->deformation + 9 * row, *history = &m->rows->history[row];
        if (pli_material_is_fluid(material)) {
            end_fluid(F, history);
        } else {
            (void)pli_material_step_return(material, m->def->yields_inside, F, history);
        }
    }
}

// ---- how far to go

static pli_cloud_source source_of(const pli_implicit_rows *rows)
{
    return (pli_cloud_source){.count = rows->count,
                              .position = rows->position,
                              .velocity = rows->velocity,
                              .affine = rows->affine,
                              .deformation = rows->deformation,
                              .memory = rows->history,
                              .kind = rows->kind,
                              .volume = rows->volume};
}

static pli_status find_limit(const pli_implicit_march_def *def, double begin, double end,
                             double *limit, double *speed)
{
    PLI_TRY(def->owner.move_objects(def->owner.self, begin, end));
    PLI_TRY(pli_implicit_stepper_speed(def->stepper, speed));
    *speed = fmax(*speed, def->least_speed);
    *limit = *speed > 0 ? def->reach / *speed : INFINITY;
    return PLI_OK;
}

pli_status pli_implicit_march_limit(const pli_implicit_march_def *def,
                                    const pli_implicit_rows *rows, double begin, double end,
                                    double *limit, double *speed)
{
    pli_cloud_source particles = source_of(rows);
    PLI_TRY(pli_implicit_stepper_load(def->stepper, &particles));
    return find_limit(def, begin, end, limit, speed);
}

// ---- substeps

// Takes the rows over and chooses the length h of a substep, of which some were made before.
static pli_status begin_substep(march *m, int32_t number, double at, double end, double *h)
{
    double left = end - at, limit, speed;
    pli_parallel_for(m->context, m->rows->count, GRAIN, begin_rows, m);
    m->particles = source_of(m->rows);
    PLI_TRY(pli_implicit_stepper_load(m->def->stepper, &m->particles));
    PLI_TRY(find_limit(m->def, at, end, &limit, &speed));
    double count = ceil(left / fmin(limit, m->wanted) * (1 - 1e-9));
    *h = count > 1 ? left / count : left;
    return m->def->owner.begin(m->def->owner.self, number, count, speed);
}

// Moves what was taken over; the linear method may have to halve h.
static pli_status move(march *m, double at, pli_implicit_substep *substep)
{
    const pli_implicit_march_def *def = m->def;
    pli_cloud_target to = {.position = m->rows->position,
                           .velocity = m->rows->velocity,
                           .affine = m->rows->affine,
                           .deformation = m->rows->deformation};
    for (;;) {
        PLI_TRY(def->owner.move_objects(def->owner.self, at, at + substep->h));
        PLI_TRY(pli_implicit_stepper_step(def->stepper, &to, substep->h, m->env, &substep->report));
        if (!substep->report.raised) break;
        if (substep->retries == MOST_HALVINGS) {
            return PLI_FAIL(m->context, PLI_ERROR_NUMERIC,
                            "a linear step raises the energy even if it is only %g s long",
                            substep->h);
        }
        ++substep->retries;
        substep->h *= 0.5;
    }
    m->wanted = def->halves ? 2 * substep->h : INFINITY;
    return PLI_OK;
}

static pli_status end_substep(march *m, double at)
{
    pli_timers_begin(m->env->timers, "yield");
    pli_parallel_for(m->context, m->rows->count, GRAIN, yield_rows, m);
    pli_timers_end(m->env->timers);
    return m->def->owner.end(m->def->owner.self, at, m->rows);
}

pli_status pli_implicit_march(pli_context *context, const pli_implicit_march_def *def, double begin,
                              double end, const pli_minimize_env *env, pli_implicit_rows *rows,
                              bool *rejected)
{
    march m = {.context = context, .def = def, .env = env, .rows = rows, .wanted = INFINITY};
    int32_t number = 0;
    *rejected = false;
    for (double at = begin; at < end;) {
        pli_implicit_substep substep = {0};
        PLI_TRY(pli_minimizer_check_cancel(context, env));
        pli_timers_begin(env->timers, "load");
        pli_status status = begin_substep(&m, ++number, at, end, &substep.h);
        pli_timers_end(env->timers);
        if (status != PLI_OK) return status;
        double planned = substep.h;
        PLI_TRY(move(&m, at, &substep));
        def->owner.tell(def->owner.self, &substep);
        *rejected = substep.report.outcome.stop == PLI_STOP_NONFINITE;
        if (*rejected) return PLI_OK;
        // exactly the end, whatever sums of lengths round to
        bool is_last = planned == end - at && substep.h == planned;
        at = is_last ? end : at + substep.h;
        PLI_TRY(end_substep(&m, at));
    }
    return PLI_OK;
}
