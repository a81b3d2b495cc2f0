// SPDX-License-Identifier: Apache-2.0
#include "sim/report/culprit.h"

#include "base/parallel.h"
#include "math/mat3.h"
#include "sim/step/tets_build.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// First entry that is not finite, -1: there is none.
static int64_t find_broken(const double *values, int64_t count)
{
    for (int64_t k = 0; k < count; ++k) {
        if (!isfinite(values[k])) return k;
    }
    return -1;
}

// ---- whether there is one: a single pass over the state, before every step

enum { MAX_FIELDS = 7, GRAIN = 4096 };

// Numbers of the state, so many for each vertex or particle.
typedef struct state_field {
    const double *values; // [count][columns]
    int32_t columns;
} state_field;

typedef struct state_fields {
    int64_t count; // of vertices or particles
    int32_t field_count;
    state_field fields[MAX_FIELDS];
} state_fields;

static state_fields fields_of_matter(const pli_matter_state *matter)
{
    return (state_fields){.count = matter->count,
                          .field_count = 5,
                          .fields = {{matter->position, 3},
                                     {matter->velocity, 3},
                                     {matter->affine, 9},
                                     {matter->deformation, 9},
                                     {matter->memory, 1}}};
}

static state_fields fields_of_mesh(const pli_state *state)
{
    bool has_past = state->history > 0;
    return (state_fields){.count = state->vertex_count,
                          .field_count = has_past ? 7 : 5,
                          .fields = {{state->x, 3},
                                     {state->v, 3},
                                     {state->grip_stiffness, 1},
                                     {state->grip_target, 3},
                                     {state->force, 3},
                                     {state->x_before, 3},
                                     {state->v_before, 3}}};
}

// How many numbers of these vertices or particles are not finite.
static double count_broken(void *user, int64_t begin, int64_t end)
{
    const state_fields *job = user;
    int64_t broken = 0;
    for (int32_t f = 0; f < job->field_count; ++f) {
        const state_field *field = &job->fields[f];
        for (int64_t k = begin * field->columns; k < end * field->columns; ++k) {
            broken += !(fabs(field->values[k]) <= DBL_MAX);
        }
    }
    return (double)broken;
}

static bool is_sound(const pli_solver *solver, state_fields fields)
{
    return fields.count == 0 ||
           pli_parallel_max(solver->context, fields.count, GRAIN, count_broken, &fields) <= 0;
}

bool pli_culprit_is_sound(const pli_solver *solver, const pli_state *state)
{
    return is_sound(solver, fields_of_mesh(state)) &&
           is_sound(solver, fields_of_matter(&state->matter));
}

// ---- vertices

static const pli_model_body *body_of_vertex(const pli_model *model, int64_t vertex)
{
    int32_t k = 0;
    while (k + 1 < pli_model_things(model) && model->bodies[k + 1].first_vertex <= vertex) ++k;
    return &model->bodies[k];
}

// Blames the first vertex whose value is not finite; values [vertex_count][columns].
static bool blame_vertex(pli_mesh_stepper *s, const char *what, const double *values,
                         int32_t columns)
{
    int64_t at = find_broken(values, (int64_t)columns * s->model->vertex_count);
    if (at < 0) return false;
    const pli_model_body *body = body_of_vertex(s->model, at / columns);
    snprintf(s->solver->culprit, sizeof s->solver->culprit, "%s of vertex %lld of body %.80s is %g",
             what, (long long)(at / columns - body->first_vertex), body->name, values[at]);
    return true;
}

static bool blame_state(pli_mesh_stepper *s, const pli_state *state)
{
    return blame_vertex(s, "the position", state->x, 3) ||
           blame_vertex(s, "the velocity", state->v, 3) ||
           (state->history > 0 && (blame_vertex(s, "an earlier position", state->x_before, 3) ||
                                   blame_vertex(s, "an earlier velocity", state->v_before, 3))) ||
           blame_vertex(s, "the grip", state->grip_stiffness, 1) ||
           blame_vertex(s, "the target of the grip", state->grip_target, 3) ||
           blame_vertex(s, "the force from outside", state->force, 3);
}

// ---- tetrahedra

static const pli_model_body *body_of_tet(const pli_model *model, int64_t tet)
{
    for (int32_t k = 0; k < model->body_count; ++k) {
        const pli_model_body *body = &model->bodies[k];
        if (tet >= body->first_tet && tet < body->first_tet + body->tet_count) return body;
    }
    return &model->bodies[0];
}

// What of a tetrahedron is not finite at x in one material point; NULL: nothing.
static const char *sickness_at(const pli_elastic *elastic, const pli_elastic_group *group,
                               int32_t tet, int32_t point, const double *x)
{
    double F[9], psi, P[9], dPdF[81], params[PLI_ELASTIC_PARAMS];
    for (int32_t k = 0; k < group->law->param_count; ++k) {
        int64_t row = (int64_t)k * elastic->points + point;
        params[k] = group->params[row * (group->end - group->begin) + tet - group->begin];
    }
    pli_elastic_deformation(elastic, x, tet, point, F);
    if (find_broken(F, 9) >= 0) return "has a deformation that is not finite";
    if (elastic->patches != NULL && !(pli_mat3_determinant(F) > 0)) {
        return "is inverted, where its energy is infinite";
    }
    group->law->evaluate(1, F, params, PLI_TANGENT_EXACT, &psi, P, dPdF);
    bool is_outside = psi == INFINITY && !(pli_mat3_determinant(F) > 0);
    if (is_outside) return "is inverted, where its energy is infinite";
    if (!isfinite(psi)) return "has an energy that is not finite";
    if (find_broken(P, 9) >= 0) return "has a stress that is not finite";
    return find_broken(dPdF, 81) >= 0 ? "has a tangent that is not finite" : NULL;
}

static const char *sickness_of(const pli_elastic *elastic, const pli_elastic_group *group,
                               int32_t tet, const double *x)
{
    const char *sickness = NULL;
    for (int32_t point = 0; point < elastic->points && sickness == NULL; ++point) {
        sickness = sickness_at(elastic, group, tet, point, x);
    }
    return sickness;
}

// Names the first sick tetrahedron of an elastic term, if it comes before *first.
static void blame_elastic(pli_mesh_stepper *s, const pli_elastic *elastic, const double *x,
                          int64_t *first)
{
    for (int32_t k = 0; k < elastic->group_count; ++k) {
        const pli_elastic_group *group = &elastic->groups[k];
        for (int32_t tet = group->begin; tet < group->end; ++tet) {
            const char *sickness = sickness_of(elastic, group, tet, x);
            if (sickness == NULL || elastic->origin[tet] > *first) continue;
            *first = elastic->origin[tet];
            const pli_model_body *body = body_of_tet(s->model, *first);
            snprintf(s->solver->culprit, sizeof s->solver->culprit,
                     "tetrahedron %lld of body %.80s (law %.40s) %s",
                     (long long)(*first - body->first_tet), body->name, group->law->name, sickness);
        }
    }
}

static bool blame_tet(pli_mesh_stepper *s, const double *x)
{
    pli_elastic *list[PLI_TETS_KINDS];
    int32_t count = pli_tets_list(s, list);
    int64_t first = INT64_MAX;
    for (int32_t k = 0; k < count; ++k) blame_elastic(s, list[k], x, &first);
    return first < INT64_MAX;
}

// ---- everything else that has forces

static bool blame_force(pli_mesh_stepper *s, const double *x)
{
    bool found = false;
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    double *g = pli_arena_doubles(s->scratch, 3 * (int64_t)s->model->vertex_count, "forces");
    if (g != NULL) {
        pli_objective_compute_gradient(&s->objective, x, g);
        found = blame_vertex(s, "the force", g, 3);
    }
    pli_arena_end(s->scratch, mark);
    return found;
}

static const double tiny_gap = 1e-50; // of the distance of contact

// Bodies that all but touch: powers of such a gap, of which barriers are made, are not numbers.
static bool blame_gap(pli_mesh_stepper *s, const pli_state *state)
{
    pli_step_report found = {0};
    bool is_known = pli_contacts_barrier(s->contacts) != NULL &&
                    pli_contacts_measure(s->contacts, state, false, &found) == PLI_OK;
    for (int32_t k = 0; is_known && k < found.pair_count; ++k) {
        const pli_contact_pair *pair = &found.pairs[k];
        if (pair->min_gap > tiny_gap * s->model->contact.distance) continue;
        snprintf(s->solver->culprit, sizeof s->solver->culprit,
                 "the gap between %.80s and %.80s is %g m", pair->first, pair->second,
                 pair->min_gap);
        return true;
    }
    return false;
}

bool pli_culprit_blame_mesh(pli_mesh_stepper *s, const pli_state *state)
{
    if (!pli_culprit_is_sound(s->solver, state)) return blame_state(s, state);
    if (blame_vertex(s, "the predicted position", s->inertia_target, 3)) return true;
    bool is_finite = find_broken(s->x, 3 * (int64_t)s->model->vertex_count) < 0;
    const double *x = is_finite ? s->x : state->x;
    return blame_tet(s, x) || blame_gap(s, state) || blame_force(s, x);
}

// ---- particles

static bool blame_rows(pli_solver *s, const pli_matter_state *matter, const char *what,
                       const double *values, int32_t columns)
{
    int64_t at = find_broken(values, columns * matter->count);
    if (at < 0) return false;
    int64_t row = at / columns;
    // nobody has looked at kinds yet
    int32_t kind = matter->kind[row];
    bool is_known = kind >= 0 && kind < s->model->matter->kind_count;
    pli_kind_info info = {.source = "unknown kind"};
    if (is_known) info = pli_model_get_kind(s->model, kind);
    snprintf(s->culprit, sizeof s->culprit, "%s of particle %d of %.80s is %g", what,
             (int)matter->id[row], info.source, values[at]);
    return true;
}

bool pli_culprit_blame_particle(pli_solver *solver, const pli_state *state)
{
    const pli_matter_state *matter = &state->matter;
    return blame_rows(solver, matter, "the position", matter->position, 3) ||
           blame_rows(solver, matter, "the velocity", matter->velocity, 3) ||
           blame_rows(solver, matter, "the velocity around", matter->affine, 9) ||
           blame_rows(solver, matter, "the deformation", matter->deformation, 9) ||
           blame_rows(solver, matter, "the memory", matter->memory, 1);
}

void pli_culprit_find(pli_solver *solver, const pli_state *state, pli_step_report *report)
{
    report->culprit = NULL;
    if (report->stop != PLI_STOP_NONFINITE) return;
    if (solver->ops->blame(solver->stepper, state)) report->culprit = solver->culprit;
}
