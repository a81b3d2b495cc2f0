// SPDX-License-Identifier: Apache-2.0
#include "contact/postprocess.h"

#include "contact/coulomb.h"
#include "contact/feasible.h"

enum { POINT_GRAIN = 256 };

// times the size of the scene: points this close after being moved out touch
static const double feasible_depth = 1e-13;
static const double touching_distance = 1e-12;

typedef struct process_job {
    pli_feasible feasible;
    const pli_postprocess_state *state;
    pli_sum energy; // change (J)
} process_job;

// The colliders that a point touches, their normals, and their velocities there.
typedef struct touched_solids {
    pli_halfspaces h; // a: normals in the free coordinates, b: normal velocities
    pli_coulomb pair[PLI_HALFSPACES];
    int32_t collider[PLI_HALFSPACES];
} touched_solids;

static void list_touched(const process_job *job, int64_t point, touched_solids *t)
{
    const pli_collision_def *def = job->feasible.def;
    const double *x = job->state->x + 3 * point;
    t->h.count = t->h.equal_count = 0;
    for (int32_t b = 0; b < def->collider_count && t->h.count < PLI_HALFSPACES; ++b) {
        const pli_collider *collider = &def->colliders[b];
        if (!pli_collider_is(collider, job->feasible.method)) continue;
        if (!(pli_collider_value(collider, x) < touching_distance * def->size)) continue;
        pli_coulomb *pair = &t->pair[t->h.count];
        t->collider[t->h.count] = b;
        *pair = (pli_coulomb){.friction = collider->friction,
                              .mass = job->state->mass[point],
                              .held = pli_collision_held(def, point)};
        pli_feasible_normal(&job->feasible, b, x, pair->normal, NULL);
        pli_collider_velocity(collider, x, job->state->h, pair->velocity);
        double *a = t->h.a[t->h.count];
        pli_vec3_copy(pair->normal, a);
        pli_collision_clear_held(pair->held, a);
        if (!(pli_vec3_norm(a) > 1e-6)) continue;
        double relative[3];
        pli_vec3_subtract(job->state->v + 3 * point, pair->velocity, relative);
        t->h.b[t->h.count++] = pli_vec3_dot(pair->normal, relative);
    }
}

// Takes the inward velocity; returns the change of kinetic energy relative to what is touched.
static double stop_inward(const touched_solids *t, const pli_nearest *stop, double v[3])
{
    double change = 0;
    for (int32_t i = 0; i < stop->count; ++i) {
        int32_t k = stop->index[i];
        double before[3], after[3], kick[3];
        pli_vec3_scale(stop->y[i], t->h.a[k], kick);
        pli_vec3_subtract(v, t->pair[k].velocity, before);
        pli_vec3_add(v, kick, v);
        pli_vec3_subtract(v, t->pair[k].velocity, after);
        change += 0.5 * t->pair[k].mass * (pli_vec3_norm2(after) - pli_vec3_norm2(before));
    }
    return change;
}

static void process_pair(void *user, int64_t point, int32_t collider)
{
    (void)collider;
    process_job *job = user;
    double *v = job->state->v + 3 * point;
    pli_feasible_point moved = {.x = job->state->x + 3 * point,
                                .held = pli_collision_held(job->feasible.def, point)};
    pli_feasible_project(&job->feasible, &moved);

    touched_solids t;
    pli_nearest stop;
    list_touched(job, point, &t);
    if (!pli_halfspaces_solve(&t.h, 1e-14 * pli_vec3_norm(v), &stop)) return;
    pli_sum_add(&job->energy, stop_inward(&t, &stop, v));
    for (int32_t i = 0; i < stop.count; ++i) {
        int32_t k = stop.index[i];
        pli_coulomb *pair = &t.pair[k];
        double braked[3];
        pair->impulse = pair->mass * stop.y[i];
        pli_sum_add(&job->energy, pli_coulomb_brake(pair, v, braked));
        if (job->state->resultants == NULL) continue;
        pli_resultant *sum = &job->state->resultants[t.collider[k]];
        pli_resultant_add(sum, moved.x, pair->impulse / job->state->h, t.h.a[k]);
        pli_resultant_add(sum, moved.x, 1 / job->state->h, braked);
    }
}

static pli_sum process_range(void *user, int64_t begin, int64_t end)
{
    // blocks run at the same time: each has a sum of its own
    process_job job = *(const process_job *)user;
    pli_collision_scan scan = {job.feasible.def, job.feasible.method, -job.feasible.tolerance,
                               job.state->x};
    pli_collision_visit(&scan, begin, end, process_pair, &job);
    return job.energy;
}

void pli_postprocess_apply(pli_context *context, const pli_collision_def *def,
                           const pli_postprocess_state *state, pli_collision_report *report)
{
    pli_collider_method method = PLI_COLLIDER_POSTPROCESS;
    pli_collision_measure(context, def, method, state->x, report);
    process_job job = {.feasible = {def, method, feasible_depth * def->size}, .state = state};
    // sums by collider take the points one after the other
    report->energy = pli_sum_value(
        state->resultants != NULL
            ? process_range(&job, 0, def->point_count)
            : pli_parallel_sum(context, def->point_count, POINT_GRAIN, process_range, &job));
}
