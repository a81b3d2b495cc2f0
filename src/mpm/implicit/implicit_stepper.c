// SPDX-License-Identifier: Apache-2.0
#include "mpm/implicit/implicit_stepper.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linear/matrix/vector.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "mpm/implicit/admm.h"
#include "optimize/anchor.h"
#include "optimize/lbfgs.h"
#include "optimize/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NODE_GRAIN = 1024, SLOT_GRAIN = 4096, MOST_ROUNDS = 4, MOST_RETREATS = 40 };

struct pli_implicit_stepper {
    pli_context *context;
    pli_implicit_stepper_def def;
    double *rest_norm; // [kind_count] |dP/dF| at rest (Pa)
    double *sound;     // [kind_count] speed at rest (m/s)
    bool may_invert;   // F of all kinds may be anything

    pli_cloud *cloud;
    pli_implicit *implicit;
    pli_node_hold *hold;
    pli_node_source *source;
    pli_node_source *matrix_free; // without a matrix, for short steps; NULL: none is
    bool is_matrix_free;          // the step that is being computed
    pli_objective objective;
    pli_anchor inertia;
    pli_minimizer minimizer;
    pli_minimizer matrix_free_minimizer; // over `matrix_free`

    const pli_cloud_source *particles; // that were loaded, borrowed
    double *kept;                      // [particles] what is left in the end, borrowed; or NULL
    int32_t round;                     // of the step

    // of the step that is being computed
    double h;            // s
    double energy_noise; // rounding of the elastic energy (J)
    int32_t node_room;
    double *mass;        // [node_room] (kg)
    double *v;           // [node_room][3] before the step; momentum at first (m/s)
    double *target;      // [node_room][3] x~ (m)
    double *inertias;    // [node_room] m / h^2 (N/m)
    double *force_scale; // [node_room] l xi (N)
    double *weights;     // [node_room] of the norm
    double *left;        // [node_room] |T g| / (l xi), where somebody wants to know
    double *x;           // [node_room][3] iterate (m)
    double *force;       // [node_room][3] of constraints (N), then velocities of the end (m/s)
    int32_t slot_room;
    double *stiffness; // [slot_room] xi of particles (Pa)
};

// ---- life

static pli_status create_rest_norms(pli_implicit_stepper *s)
{
    int32_t count = s->def.cloud.kind_count;
    s->rest_norm = PLI_NEW(s->context, double, count, "stiffness of kinds");
    s->sound = PLI_NEW(s->context, double, count, "sound of kinds");
    if (s->rest_norm == NULL || s->sound == NULL) return PLI_ERROR_MEMORY;
    s->may_invert = true;
    for (int32_t k = 0; k < count; ++k) {
        const pli_implicit_kind *kind = &s->def.kinds[k];
        const pli_cloud_kind *size = &s->def.cloud.kinds[k];
        s->sound[k] = kind->law->sound_speed(kind->params, size->mass / size->volume);
        s->rest_norm[k] = pli_material_rest_norm(kind->law, kind->params);
        s->may_invert = s->may_invert && (kind->law->flags & PLI_LAW_INVERTIBLE) != 0;
    }
    return PLI_OK;
}

static pli_status create_lbfgs(pli_implicit_stepper *s)
{
    pli_lbfgs_def def = {.tolerance = s->def.tolerance,
                         .window = s->def.window,
                         .max_iterations = s->def.max_iterations,
                         .fixed_iterations = s->def.fixed_iterations,
                         .refresh = s->def.refresh,
                         .restarts = s->def.restarts,
                         .line_search = s->def.search,
                         .initial = pli_node_source_get(s->source)};
    pli_lbfgs *lbfgs;
    PLI_TRY(pli_lbfgs_create(s->context, &def, &s->objective, &lbfgs));
    s->minimizer = pli_lbfgs_minimizer(lbfgs);
    return PLI_OK;
}

static pli_status create_newton(pli_implicit_stepper *s, pli_node_source *source,
                                pli_minimizer *minimizer)
{
    bool linear = s->def.method == PLI_IMPLICIT_LINEAR;
    pli_newton_def def = {.tolerance = s->def.tolerance,
                          .max_iterations = s->def.max_iterations,
                          .fixed_iterations = linear ? 1 : s->def.fixed_iterations,
                          .projected = s->def.source.projected,
                          .safeguard = !linear,
                          .length_clamp = INFINITY,
                          .line_search = s->def.search,
                          .source = pli_node_source_get(source)};
    pli_newton *newton;
    PLI_TRY(pli_newton_create(s->context, &def, &s->objective, &newton));
    *minimizer = pli_newton_minimizer(newton);
    return PLI_OK;
}

static pli_status create_admm(pli_implicit_stepper *s)
{
    pli_admm_def def = pli_admm_def_default();
    def.tolerance = s->def.tolerance;
    def.max_iterations = s->def.max_iterations;
    def.linear_iterations = s->def.source.max_iterations;
    pli_admm *admm;
    PLI_TRY(pli_admm_create(s->context, &def, &s->objective, s->implicit, &s->inertia, &admm));
    s->minimizer = pli_admm_minimizer(admm);
    return PLI_OK;
}

static pli_status create_matrix_free(pli_implicit_stepper *s)
{
    if (s->def.method != PLI_IMPLICIT_LBFGS || !(s->def.matrix_free_courant > 0)) return PLI_OK;
    pli_node_source_def def = s->def.source;
    def.assembled = false;
    def.preconditioner = PLI_NODE_BLOCK_JACOBI;
    def.rule = PLI_NODE_INEXACT;
    PLI_TRY(pli_node_source_create(s->context, &def, s->implicit, &s->matrix_free));
    return create_newton(s, s->matrix_free, &s->matrix_free_minimizer);
}

static pli_status create_minimizers(pli_implicit_stepper *s)
{
    PLI_TRY(create_matrix_free(s));
    switch (s->def.method) {
    case PLI_IMPLICIT_LBFGS: return create_lbfgs(s);
    case PLI_IMPLICIT_ADMM: return create_admm(s);
    case PLI_IMPLICIT_NEWTON:
    case PLI_IMPLICIT_LINEAR: break;
    }
    return create_newton(s, s->source, &s->minimizer);
}

static pli_status create_parts(pli_implicit_stepper *s)
{
    const pli_implicit_stepper_def *def = &s->def;
    PLI_TRY(create_rest_norms(s));
    PLI_TRY(pli_cloud_create(s->context, &def->cloud, &s->cloud));
    PLI_TRY(
        pli_implicit_create(s->context, s->cloud, def->cloud.kind_count, def->kinds, &s->implicit));
    PLI_TRY(pli_node_hold_create(s->context, def->borrowed_colliders, &s->hold));
    PLI_TRY(pli_node_source_create(s->context, &def->source, s->implicit, &s->source));
    pli_objective_init(&s->objective, s->context, 0);
    pli_objective_add(&s->objective, &pli_anchor_term, &s->inertia);
    pli_objective_add(&s->objective, &pli_implicit_term, s->implicit);
    s->objective.projection = pli_node_hold_feasible(s->hold);
    return create_minimizers(s);
}

pli_status pli_implicit_stepper_create(pli_context *context, const pli_implicit_stepper_def *def,
                                       pli_implicit_stepper **stepper)
{
    *stepper = NULL;
    pli_implicit_stepper *made = PLI_NEW(context, pli_implicit_stepper, 1, "implicit steps");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    pli_status status = create_parts(made);
    // kinds are copied by those who need them
    made->def.kinds = NULL;
    made->def.cloud.kinds = NULL;
    if (status != PLI_OK) {
        pli_implicit_stepper_destroy(made);
        return status;
    }
    *stepper = made;
    return PLI_OK;
}

// X(member, numbers of a node)
#define NODE_ARRAYS(X) \
    X(mass, 1)         \
    X(v, 3)            \
    X(target, 3) X(inertias, 1) X(force_scale, 1) X(weights, 1) X(left, 1) X(x, 3) X(force, 3)

void pli_implicit_stepper_destroy(pli_implicit_stepper *s)
{
    if (s == NULL) return;
    pli_context *context = s->context;
    pli_minimizer_destroy(&s->matrix_free_minimizer);
    pli_minimizer_destroy(&s->minimizer);
    pli_objective_clear(&s->objective);
    pli_node_source_destroy(s->matrix_free);
    pli_node_source_destroy(s->source);
    pli_node_hold_destroy(s->hold);
    pli_implicit_destroy(s->implicit);
    pli_cloud_destroy(s->cloud);
#define X(member, numbers) pli_release(context, s->member);
    NODE_ARRAYS(X)
#undef X
    pli_release(context, s->stiffness);
    pli_release(context, s->sound);
    pli_release(context, s->rest_norm);
    pli_release(context, s);
}

static pli_status reserve(pli_implicit_stepper *s)
{
    bool good = true;
    int32_t nodes = s->cloud->nodes->count;
    // arrays are there even if there is no node yet
    if (nodes > s->node_room || s->node_room == 0) {
        int64_t room = (int64_t)nodes + nodes / 4 + 1;
#define X(member, numbers)                                                                   \
    if (good) {                                                                              \
        double *grown =                                                                      \
            pli_reallocate(s->context, s->member, room * (numbers), sizeof *grown, "nodes"); \
        good = grown != NULL;                                                                \
        if (good) s->member = grown;                                                         \
    }
        NODE_ARRAYS(X)
#undef X
        if (good) s->node_room = (int32_t)room;
    }
    if (good && s->cloud->slot_room > s->slot_room) {
        double *grown = pli_reallocate(s->context, s->stiffness, s->cloud->slot_room, sizeof *grown,
                                       "stiffness of particles");
        good = grown != NULL;
        if (good) {
            s->stiffness = grown;
            s->slot_room = s->cloud->slot_room;
        }
    }
    return good ? PLI_OK : PLI_ERROR_MEMORY;
}

// ---- what is there

// v from momentum
static void divide_by_mass(void *user, int64_t begin, int64_t end)
{
    pli_implicit_stepper *s = user;
    for (int64_t node = begin; node < end; ++node) {
        double scale = s->mass[node] > 0 ? 1 / s->mass[node] : 0;
        for (int k = 0; k < 3; ++k) s->v[3 * node + k] *= scale;
    }
}

pli_status pli_implicit_stepper_load(pli_implicit_stepper *s, const pli_cloud_source *particles)
{
    s->particles = particles;
    PLI_TRY(pli_cloud_build(s->cloud, particles));
    // emitters may have let nobody in yet
    if (s->cloud->nodes->count == 0) return PLI_OK;
    PLI_TRY(reserve(s));
    PLI_TRY(pli_implicit_begin(s->implicit));
    pli_cloud_to_nodes(s->cloud, s->def.affine, s->mass, s->v);
    pli_parallel_for(s->context, s->cloud->nodes->count, NODE_GRAIN, divide_by_mass, s);
    return PLI_OK;
}

pli_status pli_implicit_stepper_speed(pli_implicit_stepper *s, double *speed)
{
    int64_t n = 3 * (int64_t)s->cloud->nodes->count;
    *speed = 0;
    if (n == 0) return PLI_OK;
    pli_vector_copy(s->context, n, s->v, s->x);
    PLI_TRY(pli_node_hold_build(s->hold, s->cloud->nodes, s->mass, s->x));
    pli_node_hold_apply(s->hold, s->x);
    *speed = pli_cloud_speed(s->cloud, s->x);
    return PLI_OK;
}

// ---- the start of a step

// x~ and m / h^2
static void predict_nodes(void *user, int64_t begin, int64_t end)
{
    pli_implicit_stepper *s = user;
    for (int64_t node = begin; node < end; ++node) {
        s->inertias[node] = s->mass[node] / (s->h * s->h);
        for (int k = 0; k < 3; ++k) {
            s->x[3 * node + k] = s->v[3 * node + k] + s->h * s->def.gravity[k];
            s->target[3 * node + k] = s->h * s->x[3 * node + k];
        }
    }
}

// Where inertia and objects want the nodes to go.
static pli_status predict(pli_implicit_stepper *s)
{
    int32_t count = s->cloud->nodes->count;
    pli_parallel_for(s->context, count, NODE_GRAIN, predict_nodes, s);
    PLI_TRY(pli_node_hold_build(s->hold, s->cloud->nodes, s->mass, s->x));
    pli_node_hold_apply(s->hold, s->x);
    pli_vector_scale(s->context, 3 * (int64_t)count, s->h, s->x);
    return PLI_OK;
}

// Two guesses, with gravity and without; the one of lower energy is the start (Gast et al. 2015).
// What rests on something would fall through it by the first, what falls freely is done with it.
static void choose_guess(pli_implicit_stepper *s)
{
    int64_t n = 3 * (int64_t)s->cloud->nodes->count;
    if (!(pli_vec3_norm2(s->def.gravity) > 0)) return;
    pli_sum falling = pli_objective_energy(&s->objective, s->x);
    pli_vector_copy(s->context, n, s->v, s->force);
    pli_node_hold_apply(s->hold, s->force);
    pli_vector_scale(s->context, n, s->h, s->force);
    pli_sum resting = pli_objective_energy(&s->objective, s->force);
    if (!(pli_sum_difference(resting, falling) < 0)) return;
    pli_vector_copy(s->context, n, s->force, s->x);
}

// ---- the norm

static double growth_of(const pli_implicit_stepper *s, int64_t slot)
{
    const pli_implicit_kind *kind = &s->implicit->kinds[s->cloud->kind[slot]];
    return pli_material_stiffness(&kind->material, s->cloud->memory[slot]);
}

// xi of particles; returns the sum of the squares of what rounding does to their energies.
static pli_sum set_stiffness(void *user, int64_t begin, int64_t end)
{
    pli_implicit_stepper *s = user;
    pli_sum noise = {0, 0};
    for (int64_t slot = begin; slot < end; ++slot) {
        s->stiffness[slot] = growth_of(s, slot) * s->rest_norm[s->cloud->kind[slot]];
        double one = DBL_EPSILON * s->stiffness[slot] * s->cloud->volume[slot];
        noise.hi += one * one;
    }
    return noise;
}

static void set_weights(void *user, int64_t begin, int64_t end)
{
    pli_implicit_stepper *s = user;
    double area = 24 * s->cloud->dx * s->cloud->dx, count = s->cloud->nodes->count;
    for (int64_t node = begin; node < end; ++node) {
        double mass = s->mass[node];
        double b = mass > 0 ? area * s->force_scale[node] / mass : 0;
        s->force_scale[node] = b;
        s->weights[node] = b > 0 ? 1 / (b * b * count) : 0;
        if (s->def.plain_norm) s->weights[node] = s->h * s->h;
    }
}

static double largest_of(void *user, int64_t begin, int64_t end)
{
    const pli_implicit_stepper *s = user;
    double largest = 0;
    for (int64_t node = begin; node < end; ++node) largest = fmax(largest, s->force_scale[node]);
    return largest;
}

// Weights of the norm and tau, the tolerance for a grid of the stiffest matter alone (kg m/s).
static double build_norm(pli_implicit_stepper *s)
{
    int32_t count = s->cloud->nodes->count;
    pli_sum noise =
        pli_parallel_sum(s->context, s->cloud->slot_count, SLOT_GRAIN, set_stiffness, s);
    s->energy_noise = sqrt(pli_sum_value(noise));
    memset(s->force_scale, 0, (size_t)count * sizeof *s->force_scale);
    pli_cloud_spread(s->cloud, s->stiffness, s->force_scale);
    pli_parallel_for(s->context, count, NODE_GRAIN, set_weights, s);
    s->objective.norm_weights = s->weights;
    if (s->def.plain_norm) return s->def.tolerance;
    double largest = pli_parallel_max(s->context, count, NODE_GRAIN, largest_of, s);
    return s->def.tolerance * largest * s->h * sqrt((double)count);
}

// ---- minimisation

// Cells that sound goes in a step, at most.
static double courant_of(void *user, int64_t begin, int64_t end)
{
    const pli_implicit_stepper *s = user;
    double most = 0;
    for (int64_t slot = begin; slot < end; ++slot) {
        double sound = s->sound[s->cloud->kind[slot]] * sqrt(growth_of(s, slot));
        most = fmax(most, sound * s->h / s->cloud->dx);
    }
    return most;
}

// The source of the step's directions.
static pli_node_source *source_of(const pli_implicit_stepper *s)
{
    return s->is_matrix_free ? s->matrix_free : s->source;
}

static void choose_source(pli_implicit_stepper *s)
{
    s->is_matrix_free =
        s->matrix_free != NULL && pli_parallel_max(s->context, s->cloud->slot_count, SLOT_GRAIN,
                                                   courant_of, s) <= s->def.matrix_free_courant;
}

static const pli_minimizer *minimizer_of(const pli_implicit_stepper *s)
{
    return s->is_matrix_free ? &s->matrix_free_minimizer : &s->minimizer;
}

static void add_outcome(const pli_minimize_report *one, pli_minimize_report *all)
{
    pli_minimize_report before = *all;
    *all = *one;
    all->iterations += before.iterations;
    all->linear_iterations += before.linear_iterations;
    all->energy_evaluations += before.energy_evaluations;
    all->dropped_pairs += before.dropped_pairs;
}

// Whether the solution says that other nodes should have been held; then x honours that. Forces of
// constraints are left behind: what remains of the gradient. After the last round nobody is
// released, and who got inside has the velocity of the object at least.
static bool revise(pli_implicit_stepper *s, bool is_last)
{
    int64_t n = 3 * (int64_t)s->cloud->nodes->count;
    pli_objective_compute_gradient(&s->objective, s->x, s->force);
    pli_vector_scale(s->context, n, 1 / s->h, s->x);
    bool changed =
        pli_node_hold_revise(s->hold, s->cloud->nodes, s->x, is_last ? NULL : s->force) > 0;
    if (changed) pli_node_hold_apply(s->hold, s->x);
    pli_vector_scale(s->context, n, s->h, s->x);
    return changed;
}

// The linear method starts where nothing has moved yet. Returns the energy that it should end
// below: the lesser of those there and at x~, and what the tolerance of its solve may cost.
static double begin_linear(pli_implicit_stepper *s)
{
    int64_t n = 3 * (int64_t)s->cloud->nodes->count;
    double moved = pli_sum_value(pli_objective_energy(&s->objective, s->x));
    pli_vector_fill(s->context, n, 0, s->x);
    pli_node_hold_apply(s->hold, s->x);
    pli_vector_scale(s->context, n, s->h, s->x);
    double still = pli_sum_value(pli_objective_energy(&s->objective, s->x));
    return fmin(moved, still) + s->def.source.tolerance * fabs(still) + s->energy_noise;
}

// Where inertia alone would turn matter inside out that must not be, a step starts nearer to where
// it is: half as far, again and again. What is held stays so.
static void retreat(pli_implicit_stepper *s)
{
    int64_t n = 3 * (int64_t)s->cloud->nodes->count;
    for (int k = 0; k < MOST_RETREATS && !s->may_invert; ++k) {
        if (!isinf(pli_sum_value(pli_objective_energy(&s->objective, s->x)))) return;
        pli_vector_scale(s->context, n, 0.5 / s->h, s->x);
        pli_node_hold_apply(s->hold, s->x);
        pli_vector_scale(s->context, n, s->h, s->x);
    }
}

// Minimises until all nodes are held that should be, and no others.
static pli_status solve(pli_implicit_stepper *s, const pli_minimize_env *env,
                        pli_implicit_report *report)
{
    bool linear = s->def.method == PLI_IMPLICIT_LINEAR;
    double limit = linear ? begin_linear(s) : 0;
    pli_minimize_env noisy = *env;
    noisy.energy_noise = s->energy_noise;
    if (!linear) choose_guess(s);
    for (bool changed = true; changed && report->rounds < MOST_ROUNDS; ++report->rounds) {
        pli_minimize_report outcome;
        s->round = report->rounds + 1;
        retreat(s);
        PLI_TRY(pli_minimizer_minimize(minimizer_of(s), &noisy, s->x, &outcome));
        add_outcome(&outcome, &report->outcome);
        if (outcome.stop == PLI_STOP_NONFINITE) break;
        changed = revise(s, report->rounds + 1 == MOST_ROUNDS);
    }
    report->raised = linear && isfinite(limit) && !(report->outcome.energy <= limit);
    report->counts = pli_node_source_get_counts(source_of(s));
    report->matrix_free = s->is_matrix_free;
    return PLI_OK;
}

// ---- scaled residuals

typedef struct left_job {
    const pli_implicit_stepper *s;
    const double *g; // [nodes][3] (N)
} left_job;

static void measure_nodes(void *user, int64_t begin, int64_t end)
{
    const left_job *job = user;
    const pli_implicit_stepper *s = job->s;
    for (int64_t node = begin; node < end; ++node) {
        double free[3];
        int64_t place = s->hold->place[node];
        pli_vec3_copy(job->g + 3 * node, free);
        if (place >= 0) pli_mat3_apply(s->hold->tangents + 9 * place, job->g + 3 * node, free);
        s->left[node] = s->force_scale[node] > 0 ? pli_vec3_norm(free) / s->force_scale[node] : 0;
    }
}

void pli_implicit_stepper_measure(pli_implicit_stepper *s, const double *g, double *nodes,
                                  double *particles)
{
    int32_t count = s->cloud->nodes->count;
    left_job job = {s, g};
    pli_parallel_for(s->context, count, NODE_GRAIN, measure_nodes, &job);
    if (nodes != NULL) memcpy(nodes, s->left, (size_t)count * sizeof *nodes);
    if (particles != NULL) pli_cloud_sample(s->cloud, s->left, particles);
}

void pli_implicit_stepper_keep(pli_implicit_stepper *s, double *borrowed_particles)
{
    s->kept = borrowed_particles;
}

int32_t pli_implicit_stepper_round(const pli_implicit_stepper *s)
{
    return s->round;
}

// ---- the end of a step

static void move_particles(pli_implicit_stepper *s, pli_implicit_report *report)
{
    int64_t n = 3 * (int64_t)s->cloud->nodes->count;
    pli_vector_scale(s->context, n, 1 / s->h, s->x);
    pli_node_hold_brake(s->hold, s->h, s->mass, s->force, s->x);
    pli_cloud_pull pull = {.velocity = s->x,
                           .before = s->def.affine ? NULL : s->v,
                           .flip = s->def.affine ? 0 : s->def.flip,
                           .h = s->h,
                           .stays = s->def.backward};
    pli_cloud_from_nodes(s->cloud, &pull);
    if (s->def.backward) report->advect = pli_cloud_advect(s->cloud, s->x, s->h);
}

static pli_status begin(pli_implicit_stepper *s, double h)
{
    s->h = h;
    PLI_TRY(predict(s));
    s->objective.point_count = s->cloud->nodes->count;
    s->inertia = (pli_anchor){s->context, s->cloud->nodes->count, s->inertias, s->target};
    pli_node_step step = {.h = h,
                          .tau = build_norm(s),
                          .inertia = s->inertias,
                          .hold = s->hold,
                          .particles = s->particles};
    choose_source(s);
    return pli_node_source_begin_step(source_of(s), &step);
}

pli_status pli_implicit_stepper_step(pli_implicit_stepper *s, const pli_cloud_target *to, double h,
                                     const pli_minimize_env *env, pli_implicit_report *report)
{
    *report = (pli_implicit_report){.outcome.stop = PLI_STOP_GRADIENT};
    if (s->cloud->nodes->count == 0) return PLI_OK;
    pli_node_source_set_timers(s->source, env->timers);
    if (s->matrix_free != NULL) pli_node_source_set_timers(s->matrix_free, env->timers);
    pli_timers_begin(env->timers, "predict");
    pli_status status = begin(s, h);
    pli_timers_end(env->timers);
    if (status != PLI_OK) return status;
    report->nodes = s->cloud->nodes->count;

    PLI_TRY(solve(s, env, report));
    report->held = s->hold->count;
    if (report->outcome.stop == PLI_STOP_NONFINITE || report->raised) return PLI_OK;

    pli_timers_begin(env->timers, "to particles");
    if (s->kept != NULL) pli_implicit_stepper_measure(s, s->force, NULL, s->kept);
    move_particles(s, report);
    pli_cloud_store(s->cloud, to);
    pli_timers_end(env->timers);
    return PLI_OK;
}

// ---- for instruments

const pli_node_grid *pli_implicit_stepper_nodes(const pli_implicit_stepper *s)
{
    return s->cloud->nodes;
}

const pli_node_multigrid *pli_implicit_stepper_multigrid(const pli_implicit_stepper *s)
{
    return s->is_matrix_free ? NULL : pli_node_source_multigrid(s->source);
}

int64_t pli_implicit_stepper_memory(const pli_implicit_stepper *s)
{
    int64_t bytes = pli_cloud_memory(s->cloud) + pli_implicit_memory(s->implicit) +
                    pli_node_hold_memory(s->hold) + pli_node_source_memory(s->source) +
                    (int64_t)pli_memory_size(s->stiffness);
    if (s->matrix_free != NULL) bytes += pli_node_source_memory(s->matrix_free);
    bytes += pli_minimizer_memory(&s->minimizer) + pli_minimizer_memory(&s->matrix_free_minimizer);
#define X(member, numbers) bytes += (int64_t)pli_memory_size(s->member);
    NODE_ARRAYS(X)
#undef X
    return bytes;
}
