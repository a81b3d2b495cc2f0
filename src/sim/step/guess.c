// SPDX-License-Identifier: Apache-2.0
#include "sim/step/guess.h"

#include "contact/ipc.h"
#include "linear/matrix/vector.h"
#include "math/vec3.h"
#include "sim/model/barrier_build.h"
#include "sim/step/align.h"

#include <math.h>
#include <string.h>

enum { POINT_GRAIN = 2048 };

void pli_solver_hold(pli_solver *s, double time)
{
    memset(s->fixed, 0, (size_t)s->model->vertex_count);
    for (int32_t k = 0; k < s->model->constraint_count; ++k) {
        const pli_model_handle *handle = &s->model->constraints[k];
        pli_pose pose;
        pli_motion_get_pose(&handle->motion, time, &pose);
        if (!pose.active) continue;
        for (int32_t i = 0; i < handle->vertex_count; ++i) {
            int64_t vertex = handle->vertices[i];
            double x[3];
            pli_motion_apply(&handle->motion, &pose, s->model->start + 3 * vertex, x);
            s->fixed[vertex] |= handle->axes;
            for (int axis = 0; axis < 3; ++axis) {
                if (handle->axes & (1u << axis)) s->x[3 * vertex + axis] = x[axis];
            }
        }
    }
}

// Writes a guess into s->x and puts held coordinates where their scripts want them.
static void set_guess(pli_solver *s, const double *guess, double time)
{
    memcpy(s->x, guess, 3 * (size_t)s->model->vertex_count * sizeof(double));
    pli_solver_hold(s, time);
    pli_objective_project(&s->objective, s->x, NULL);
}

// guess = x~ - a h^2 M^-1 g
static void move_by_forces(void *user, int64_t begin, int64_t end)
{
    double *guess = ((double **)user)[0]; // holds g
    const pli_solver *s = ((pli_solver **)user)[1];
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

static bool is_tangled(const pli_solver *s, const pli_model_body *body)
{
    int32_t inverted = 0;
    for (int32_t k = 0; k < body->tet_count; ++k) inverted += !(s->J[body->first_tet + k] > 0);
    return inverted > tangled_share * body->tet_count;
}

// Puts tangled bodies into their rest shape, where inertia wants them as a whole; false: there are
// none.
static bool compute_rest_guess(pli_solver *s, const pli_state *state, double *guess)
{
    const pli_model *model = s->model;
    bool tangled = false;
    memcpy(guess, s->inertia_target, 3 * (size_t)model->vertex_count * sizeof(double));
    pli_elastic_measure(s->elastic, state->x, s->J, NULL);
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
static bool compute_guess(pli_solver *s, const pli_state *state, guess_kind kind, double *guess)
{
    size_t bytes = 3 * (size_t)s->model->vertex_count * sizeof(double);
    if (kind == GUESS_REST) {
        return s->model->solver_def.rest_shape_guess && compute_rest_guess(s, state, guess);
    }
    if (kind == GUESS_STILL) {
        memcpy(guess, state->x, bytes);
        return s->contacts != NULL || s->vertex_descent != NULL;
    }
    memset(guess, 0, bytes);
    for (int32_t k = 0; k < s->objective.term_count && kind != GUESS_INERTIAL; ++k) {
        const pli_term *term = &s->objective.terms[k];
        bool is_field = term->self == &s->gravity || term->self == &s->load;
        bool wanted = kind == GUESS_EXPLICIT ? term->self != &s->inertia : is_field;
        if (wanted) term->ops->add_gradient(term->self, state->x, guess);
    }
    void *job[2] = {guess, s};
    pli_parallel_for(s->context, s->model->vertex_count, POINT_GRAIN, move_by_forces, job);
    return true;
}

// Leaves the best guess in s->x. guess and best are scratch, [vertex_count][3].
static void choose_best_guess(pli_solver *s, const pli_state *state, double time, double *guess,
                              double *best, pli_step_report *report)
{
    size_t bytes = 3 * (size_t)s->model->vertex_count * sizeof(double);
    double best_energy = INFINITY;
    s->min_iterations = 1;
    for (guess_kind kind = GUESS_INERTIAL; kind < GUESS_COUNT; ++kind) {
        // single vertices leave colliders in one sweep, but do not make up for a body that stood
        // still: that would be damping
        bool too_still = kind == GUESS_STILL && s->vertex_descent != NULL;
        if (too_still && best_energy < INFINITY) continue;
        if (!compute_guess(s, state, kind, guess)) continue;
        set_guess(s, guess, time);
        double energy = pli_sum_value(pli_objective_energy(&s->objective, s->x));
        ++report->energy_evaluations;
        double noise = 1e-13 * fabs(best_energy);
        if (energy > best_energy + (isfinite(noise) ? noise : 0)) continue;
        best_energy = energy;
        memcpy(best, s->x, bytes);
        s->min_iterations = kind == GUESS_INERTIAL || kind == GUESS_STILL;
    }
    if (best_energy < INFINITY) memcpy(s->x, best, bytes);
}

// ---- with barriers

static bool is_held(const pli_solver *s, int64_t k)
{
    return s->fixed[k / 3] & (1u << (k % 3));
}

// Whether scripts move anything between the positions x and those in s->x.
static bool do_scripts_move(const pli_solver *s, const double *x)
{
    for (int64_t k = 0; k < 3 * (int64_t)s->model->vertex_count; ++k) {
        if (is_held(s, k) && s->x[k] != x[k]) return true;
    }
    return false;
}

// Goes from x towards s->x for as far as nothing touches; d is scratch. Returns how far.
static double go_safely(pli_solver *s, const double *x, double *d)
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
static void choose_safe_guess(pli_solver *s, const pli_state *state, double time, double *guess,
                              double *d, double *best, pli_step_report *report, bool *arrived)
{
    static const guess_kind tried[] = {GUESS_STILL, GUESS_INERTIAL, GUESS_BALLISTIC};
    bool moves = s->model->time.mode == PLI_MODE_DYNAMIC;
    size_t bytes = 3 * (size_t)s->model->vertex_count * sizeof(double);
    safe_guess chosen = {false, INFINITY};
    for (int i = 0; i < (moves ? 3 : 1); ++i) {
        compute_guess(s, state, tried[i], guess);
        set_guess(s, guess, time);
        bool scripted = do_scripts_move(s, state->x);
        double alpha = go_safely(s, state->x, d);
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

// ---- held coordinates that a barrier keeps from arriving

enum { PURSUIT_ROUNDS = 8, PURSUIT_ITERATIONS = 30 };

// Frees what is held and ties it to where scripts want it; target is s->pursuit_target.
static void tie_held(pli_solver *s, double time, double stiffness, double *keep)
{
    size_t bytes = 3 * (size_t)s->model->vertex_count * sizeof(double);
    memcpy(keep, s->x, bytes);
    pli_solver_hold(s, time);
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
static bool snap_held(pli_solver *s, double time, double *keep, double *d)
{
    size_t bytes = 3 * (size_t)s->model->vertex_count * sizeof(double);
    memcpy(keep, s->x, bytes);
    pli_solver_hold(s, time);
    if (go_safely(s, keep, d) >= 1) return true;
    memcpy(s->x, keep, bytes);
    return false;
}

static double farthest_from_target(const pli_solver *s)
{
    double farthest = 0;
    for (int64_t k = 0; k < 3 * (int64_t)s->model->vertex_count; ++k) {
        if (is_held(s, k)) farthest = fmax(farthest, fabs(s->x[k] - s->pursuit_target[k]));
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
static pli_status pursue(pli_solver *s, double time, const pursuit *p, pli_step_report *report,
                         bool *there)
{
    size_t bytes = 3 * (size_t)s->model->vertex_count * sizeof(double);
    double stiffness = fmax(10 * pli_ipc_stiffness(pli_contacts_barrier(s->contacts)),
                            pli_barrier_spring(s->model));
    double behind = INFINITY;
    *there = false;
    for (int round = 0; round < PURSUIT_ROUNDS; ++round) {
        memcpy(p->before, s->x, bytes);
        tie_held(s, time, stiffness, p->keep);
        PLI_TRY(pli_solver_minimize(s, report));
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

pli_status pli_guess_pursue(pli_solver *s, double time, pli_step_report *report)
{
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    int64_t count = 3 * (int64_t)s->model->vertex_count;
    pursuit p = {pli_arena_doubles(s->scratch, count, "pursuit"),
                 pli_arena_doubles(s->scratch, count, "pursuit"),
                 pli_arena_doubles(s->scratch, count, "pursuit")};
    pli_status status = PLI_ERROR_MEMORY;
    if (p.before == NULL || p.keep == NULL || p.d == NULL) goto done;
    int32_t max_iterations = s->newton.max_iterations;
    bool there = false;
    s->newton.max_iterations = PURSUIT_ITERATIONS;
    status = pursue(s, time, &p, report, &there);
    s->newton.max_iterations = max_iterations;
    memset(s->pursuit_stiffness, 0, (size_t)s->model->vertex_count * sizeof(double));
    if (!there && status == PLI_OK) {
        PLI_LOG(s->context, PLI_LOG_WARNING,
                "step %lld: contact keeps scripted vertices %.3g m from where they should be",
                (long long)s->step, farthest_from_target(s));
    }

done:
    pli_arena_end(s->scratch, mark);
    return status;
}

// ---- the choice

pli_status pli_guess_choose(pli_solver *s, const pli_state *state, double time,
                            pli_step_report *report, bool *arrived)
{
    *arrived = true;
    s->min_iterations = 1;
    pli_objective_release(&s->objective);
    bool barrier = pli_contacts_barrier(s->contacts) != NULL;
    if (!barrier && s->model->time.mode == PLI_MODE_QUASI_STATIC) {
        set_guess(s, state->x, time);
        return PLI_OK;
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
