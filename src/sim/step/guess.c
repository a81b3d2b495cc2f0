// SPDX-License-Identifier: Apache-2.0
#include "sim/step/guess.h"
#include "sim/step/tets_build.h"

#include "optimize/rounding.h"
#include "sim/step/align.h"
#include "sim/step/scripts.h"

#include <math.h>
#include <string.h>

enum { POINT_GRAIN = 2048 };

// Writes a guess into s->x and puts held coordinates where their scripts want them.
static void set_guess(pli_mesh_stepper *s, const double *guess, double time)
{
    memcpy(s->x, guess, 3 * (size_t)s->model->vertex_count * sizeof(double));
    pli_scripts_hold(s, time);
    pli_objective_project(&s->objective, s->x, NULL);
}

// guess = x~ - a h^2 M^-1 g
static void move_by_forces(void *user, int64_t begin, int64_t end)
{
    double *guess = ((double **)user)[0]; // holds g
    const pli_mesh_stepper *s = ((pli_mesh_stepper **)user)[1];
    for (int64_t point = begin; point < end; ++point) {
        // what has no mass is held
        double stiffness = s->inertia_stiffness[point];
        double flexibility = stiffness > 0 ? 1 / stiffness : 0;
        for (int64_t k = 3 * point; k < 3 * point + 3; ++k) {
            guess[k] = s->inertia_target[k] - flexibility * guess[k];
        }
    }
}

typedef enum guess_kind {
    GUESS_INERTIAL,  // no forces: naive, so at least one iteration has to improve it
    GUESS_EXPLICIT,  // all forces at x_n
    GUESS_BALLISTIC, // gravity, and forces from outside
    GUESS_STILL,     // where everything is, which at least was free of contact
    GUESS_REST,      // the rest shape of bodies that are tangled
    GUESS_COUNT
} guess_kind;

// a body with this share of inverted tetrahedra is tangled: its state shows no way to follow
static const double tangled_share = 0.1;

static bool is_tangled(const pli_mesh_stepper *s, const pli_model_body *body)
{
    int32_t inverted = 0;
    for (int32_t k = 0; k < body->tet_count; ++k) inverted += !(s->J[body->first_tet + k] > 0);
    return inverted > tangled_share * body->tet_count;
}

// Puts tangled bodies into their rest shape, where inertia wants them as a whole; false: there are
// none.
static bool compute_rest_guess(pli_mesh_stepper *s, const pli_state *state, double *guess)
{
    const pli_model *model = s->model;
    bool tangled = false;
    memcpy(guess, s->inertia_target, 3 * (size_t)model->vertex_count * sizeof(double));
    pli_tets_measure(s, state->x, s->J);
    for (int32_t k = 0; k < model->body_count; ++k) {
        const pli_model_body *body = &model->bodies[k];
        if (!is_tangled(s, body)) continue;
        tangled = true;
        int64_t first = 3 * (int64_t)body->first_vertex;
        memcpy(guess + first, model->rest + first, 3 * (size_t)body->vertex_count * sizeof(double));
        pli_align_body(model, body, s->inertia_target, s->fixed, guess);
    }
    return tangled;
}

// Returns false when there is no such guess.
static bool compute_guess(pli_mesh_stepper *s, const pli_state *state, guess_kind kind,
                          double *guess)
{
    size_t bytes = 3 * (size_t)s->model->vertex_count * sizeof(double);
    if (kind == GUESS_REST) {
        return s->model->solver_def.rest_shape_guess && compute_rest_guess(s, state, guess);
    }
    if (kind == GUESS_STILL) {
        memcpy(guess, state->x, bytes);
        return s->contacts != NULL || pli_solver_has(s->model->solver_kind, PLI_STARTS_STILL);
    }
    memset(guess, 0, bytes);
    for (int32_t k = 0; k < s->objective.term_count && kind != GUESS_INERTIAL; ++k) {
        const pli_term *term = &s->objective.terms[k];
        bool wanted =
            kind == GUESS_EXPLICIT ? term->role != PLI_TERM_INERTIA : pli_term_is_linear(term);
        if (wanted) term->ops->add_gradient(term->self, state->x, guess);
    }
    void *job[2] = {guess, s};
    pli_parallel_for(s->context, s->model->vertex_count, POINT_GRAIN, move_by_forces, job);
    return true;
}

// Leaves the best guess in s->x. guess and best are scratch, [vertex_count][3].
static void choose_best_guess(pli_mesh_stepper *s, const pli_state *state, double time,
                              double *guess, double *best, pli_step_report *report)
{
    size_t bytes = 3 * (size_t)s->model->vertex_count * sizeof(double);
    double best_energy = INFINITY;
    s->min_iterations = 1;
    for (guess_kind kind = GUESS_INERTIAL; kind < GUESS_COUNT; ++kind) {
        // single vertices leave colliders in one sweep, but do not make up for a body that stood
        // still: that would be damping
        bool too_still =
            kind == GUESS_STILL && pli_solver_has(s->model->solver_kind, PLI_STARTS_STILL);
        if (too_still && best_energy < INFINITY) continue;
        if (!compute_guess(s, state, kind, guess)) continue;
        set_guess(s, guess, time);
        double energy = pli_sum_value(pli_objective_energy(&s->objective, s->x));
        ++report->energy_evaluations;
        // anything is as good as a guess that has no energy
        bool is_worse = isfinite(best_energy) &&
                        energy > best_energy + pli_rounding_of_distant_energy(best_energy, 0);
        if (is_worse) continue;
        best_energy = energy;
        memcpy(best, s->x, bytes);
        s->min_iterations = kind == GUESS_INERTIAL || kind == GUESS_STILL;
    }
    if (best_energy < INFINITY) memcpy(s->x, best, bytes);
}

// ---- with barriers

// Whether scripts move anything between the positions x and those in s->x.
static bool do_scripts_move(const pli_mesh_stepper *s, const double *x)
{
    for (int64_t k = 0; k < 3 * (int64_t)s->model->vertex_count; ++k) {
        if (pli_scripts_are_holding(s, k) && s->x[k] != x[k]) return true;
    }
    return false;
}

double pli_guess_go_safely(pli_mesh_stepper *s, const double *x, double *d)
{
    int64_t count = 3 * (int64_t)s->model->vertex_count;
    for (int64_t k = 0; k < count; ++k) d[k] = s->x[k] - x[k];
    double alpha = pli_objective_max_step(&s->objective, x, d);
    if (alpha >= 1) {
        // where the filter looked, which rounding may have moved from where s->x was
        for (int64_t k = 0; k < count; ++k) s->x[k] = x[k] + d[k];
        return 1;
    }
    for (int64_t k = 0; k < count; ++k) s->x[k] = x[k] + alpha * d[k];
    return alpha;
}

// what a safe guess is worth
typedef struct safe_guess {
    bool arrived;
    double energy;
} safe_guess;

static bool is_better(const safe_guess *guess, const safe_guess *best)
{
    if (guess->arrived != best->arrived) return guess->arrived;
    return guess->energy < best->energy;
}

// guess, d and best are scratch, [vertex_count][3].
static void choose_safe_guess(pli_mesh_stepper *s, const pli_state *state, double time,
                              double *guess, double *d, double *best, pli_step_report *report,
                              bool *arrived)
{
    static const guess_kind tried[] = {GUESS_STILL, GUESS_INERTIAL, GUESS_BALLISTIC};
    bool moves = s->model->time.mode == PLI_MODE_DYNAMIC;
    size_t bytes = 3 * (size_t)s->model->vertex_count * sizeof(double);
    safe_guess chosen = {false, INFINITY};
    for (int i = 0; i < (moves ? 3 : 1); ++i) {
        compute_guess(s, state, tried[i], guess);
        set_guess(s, guess, time);
        bool scripted = do_scripts_move(s, state->x);
        double alpha = pli_guess_go_safely(s, state->x, d);
        safe_guess found = {alpha >= 1 || !scripted,
                            pli_sum_value(pli_objective_energy(&s->objective, s->x))};
        ++report->energy_evaluations;
        if (i > 0 && !is_better(&found, &chosen)) continue;
        chosen = found;
        memcpy(best, s->x, bytes);
    }
    memcpy(s->x, best, bytes);
    *arrived = chosen.arrived;
}

// ---- the choice

// Goes on as the last step or piece did, unless that costs energy.
static pli_status choose_rest_guess(pli_mesh_stepper *s, const pli_state *state,
                                    const pli_piece *piece, pli_step_report *report)
{
    set_guess(s, state->x, piece->end);
    if (state->history == 0) return PLI_OK;
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    int64_t count = 3 * (int64_t)s->model->vertex_count;
    double *still = pli_arena_doubles(s->scratch, count, "initial guess");
    double *guess = pli_arena_doubles(s->scratch, count, "initial guess");
    if (still != NULL && guess != NULL) {
        double energy = pli_sum_value(pli_objective_energy(&s->objective, s->x));
        memcpy(still, s->x, (size_t)count * sizeof *still);
        for (int64_t k = 0; k < count; ++k) {
            guess[k] = state->x[k] + piece->ratio * (state->x[k] - state->x_before[k]);
        }
        set_guess(s, guess, piece->end);
        bool is_better = pli_sum_value(pli_objective_energy(&s->objective, s->x)) < energy;
        if (!is_better) memcpy(s->x, still, (size_t)count * sizeof *still);
        report->energy_evaluations += 2;
    }
    pli_arena_end(s->scratch, mark);
    return still != NULL && guess != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

pli_status pli_guess_choose(pli_mesh_stepper *s, const pli_state *state, const pli_piece *piece,
                            pli_step_report *report, bool *arrived)
{
    double time = piece->end;
    *arrived = true;
    s->min_iterations = 1;
    pli_objective_release(&s->objective);
    bool barrier = pli_contacts_barrier(s->contacts) != NULL;
    if (!barrier && s->model->time.mode == PLI_MODE_QUASI_STATIC) {
        return choose_rest_guess(s, state, piece, report);
    }
    if (!barrier && !s->model->solver_kind->best_guess) {
        set_guess(s, s->inertia_target, time);
        return PLI_OK;
    }
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    int64_t count = 3 * (int64_t)s->model->vertex_count;
    double *guess = pli_arena_doubles(s->scratch, count, "initial guess");
    double *best = pli_arena_doubles(s->scratch, count, "initial guess");
    double *way = pli_arena_doubles(s->scratch, count, "initial guess");
    bool complete = guess != NULL && best != NULL && way != NULL;
    if (complete && barrier) {
        choose_safe_guess(s, state, time, guess, way, best, report, arrived);
    } else if (complete) {
        choose_best_guess(s, state, time, guess, best, report);
    }
    pli_arena_end(s->scratch, mark);
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}
