// SPDX-License-Identifier: Apache-2.0
#include "sim/step/pursuit.h"

#include "contact/ipc.h"
#include "sim/model/barrier_build.h"
#include "sim/step/guess.h"
#include "sim/step/scripts.h"

#include <math.h>
#include <string.h>

enum { PURSUIT_ROUNDS = 8, PURSUIT_ITERATIONS = 30 };

// Frees what is held and ties it to where scripts want it; target is s->pursuit_target.
static void tie_held(pli_mesh_stepper *s, double time, double stiffness, double *keep)
{
    size_t bytes = 3 * (size_t)s->model->vertex_count * sizeof(double);
    memcpy(keep, s->x, bytes);
    pli_scripts_hold(s, time);
    memcpy(s->pursuit_target, s->x, bytes);
    memcpy(s->x, keep, bytes);
    for (int32_t k = 0; k < s->model->vertex_count; ++k) {
        s->pursuit_stiffness[k] = s->fixed[k] != 0 ? stiffness : 0;
        s->fixed[k] = 0;
    }
}

// Moves what is held straight to where scripts want it, if nothing is in the way; true: it is
// there. Part of the way would end in contact, with no room left for the next step. keep and d are
// scratch.
static bool snap_held(pli_mesh_stepper *s, double time, double *keep, double *d)
{
    size_t bytes = 3 * (size_t)s->model->vertex_count * sizeof(double);
    memcpy(keep, s->x, bytes);
    pli_scripts_hold(s, time);
    if (pli_guess_go_safely(s, keep, d) >= 1) return true;
    memcpy(s->x, keep, bytes);
    return false;
}

static double farthest_from_target(const pli_mesh_stepper *s)
{
    double farthest = 0;
    for (int64_t k = 0; k < 3 * (int64_t)s->model->vertex_count; ++k) {
        if (pli_scripts_are_holding(s, k))
            farthest = fmax(farthest, fabs(s->x[k] - s->pursuit_target[k]));
    }
    return farthest;
}

// scratch of a pursuit, each [vertex_count][3] (m)
typedef struct pursuit {
    double *before; // where a round began
    double *keep;
    double *d;
} pursuit;

// Springs get stiffer from round to round. Where something yields, each round ends ten times nearer
// to the target; where nothing does, it only presses harder, and the round before is what counts.
static pli_status pursue(pli_mesh_stepper *s, double time, const pursuit *p,
                         pli_step_report *report, bool *there)
{
    size_t bytes = 3 * (size_t)s->model->vertex_count * sizeof(double);
    double stiffness = fmax(10 * pli_ipc_stiffness(pli_contacts_barrier(s->contacts)),
                            pli_barrier_spring(s->model));
    double behind = INFINITY;
    *there = false;
    for (int round = 0; round < PURSUIT_ROUNDS; ++round) {
        memcpy(p->before, s->x, bytes);
        tie_held(s, time, stiffness, p->keep);
        PLI_TRY(pli_mesh_stepper_minimize(s, PURSUIT_ITERATIONS, report));
        *there = snap_held(s, time, p->keep, p->d);
        double distance = farthest_from_target(s);
        bool presses = !*there && distance > 0.5 * behind;
        if (presses) memcpy(s->x, p->before, bytes);
        if (presses || *there) break;
        behind = distance;
        stiffness *= 10;
    }
    return PLI_OK;
}

pli_status pli_pursuit_run(pli_mesh_stepper *s, double time, pli_step_report *report)
{
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    int64_t count = 3 * (int64_t)s->model->vertex_count;
    pursuit p = {pli_arena_doubles(s->scratch, count, "pursuit"),
                 pli_arena_doubles(s->scratch, count, "pursuit"),
                 pli_arena_doubles(s->scratch, count, "pursuit")};
    pli_status status = PLI_ERROR_MEMORY;
    if (p.before == NULL || p.keep == NULL || p.d == NULL) goto done;
    bool there = false;
    status = pursue(s, time, &p, report, &there);
    memset(s->pursuit_stiffness, 0, (size_t)s->model->vertex_count * sizeof(double));
    if (!there && status == PLI_OK) {
        PLI_LOG(s->context, PLI_LOG_WARNING,
                "step %lld: contact keeps scripted vertices %.3g m from where they should be",
                (long long)s->solver->step, farthest_from_target(s));
    }

done:
    pli_arena_end(s->scratch, mark);
    return status;
}
