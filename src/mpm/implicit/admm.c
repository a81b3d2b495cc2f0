// SPDX-License-Identifier: Apache-2.0
#include "mpm/implicit/admm.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linear/krylov/krylov.h"
#include "linear/matrix/vector.h"
#include "material/prox.h"
#include "mpm/implicit/admm_inside.h"
#include "mpm/implicit/implicit_inside.h"
#include "optimize/descent.h"

enum {
    SLOTS = PLI_EVALUATION_SLOTS,
    POINTS = PLI_PROX_POINTS,
    SLOT_GRAIN = 1024,
    NODE_GRAIN = 1024
};

_Static_assert(SLOTS <= POINTS, "what is evaluated at once has to fit");

struct pli_admm {
    pli_context *context;
    pli_admm_def def;
    pli_objective *objective;  // borrowed
    pli_implicit *implicit;    // borrowed
    const pli_anchor *inertia; // borrowed
    int32_t start_count;       // planes of start
    double *moduli;            // [kinds] norms of dP/dF at rest (Pa)

    int32_t slot_room;
    double *u;     // [9][slot_room] multipliers, a deformation
    double *start; // [start_count][slot_room] where the next z-step begins (prox.h)
    double *c;     // [slot_room] stiffness of the tie between z and F (Pa)
    pli_admm_matrix matrix;
};

// ---- life

pli_admm_def pli_admm_def_default(void)
{
    return (pli_admm_def){.tolerance = 1e-7,
                          .max_iterations = 100,
                          .weight_scale = 0.5,
                          .linear_tolerance = 0.1,
                          .linear_iterations = 1000};
}

// written so that a NaN fails
static pli_status check_def(pli_context *context, const pli_admm_def *def)
{
    bool good = def->weight_scale > 0 && def->weight_scale < INFINITY &&
                def->linear_tolerance > 0 && def->linear_tolerance < 1 &&
                def->linear_iterations > 0 && def->max_iterations >= 0;
    if (good) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "ADMM with weights scaled by %g, %d iterations, and x-steps to %g in %d; "
                    "weights and iterations must be positive, the tolerance between 0 and 1",
                    def->weight_scale, (int)def->max_iterations, def->linear_tolerance,
                    (int)def->linear_iterations);
}

pli_status pli_admm_create(pli_context *context, const pli_admm_def *def, pli_objective *objective,
                           pli_implicit *implicit, const pli_anchor *inertia, pli_admm **admm)
{
    *admm = NULL;
    PLI_TRY(check_def(context, def));
    pli_admm *made = PLI_NEW(context, pli_admm, 1, "ADMM");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    made->objective = objective;
    made->implicit = implicit;
    made->inertia = inertia;
    made->moduli = PLI_NEW(context, double, implicit->kind_count, "moduli of kinds");
    if (made->moduli == NULL) {
        pli_admm_destroy(made);
        return PLI_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < implicit->kind_count; ++k) {
        const pli_implicit_kind *kind = &implicit->kinds[k];
        int32_t count = pli_prox_start_count(kind->law);
        if (count > made->start_count) made->start_count = count;
        made->moduli[k] = pli_material_rest_norm(kind->law, kind->params);
    }
    *admm = made;
    return PLI_OK;
}

void pli_admm_destroy(pli_admm *admm)
{
    if (admm == NULL) return;
    pli_admm_matrix_clear(&admm->matrix);
    pli_release(admm->context, admm->moduli);
    pli_release(admm->context, admm->u);
    pli_release(admm->context, admm->start);
    pli_release(admm->context, admm->c);
    pli_release(admm->context, admm);
}

static bool grow(pli_admm *admm, double **array, int64_t count)
{
    double *grown =
        pli_reallocate(admm->context, *array, count, sizeof **array, "particles of ADMM");
    if (grown != NULL) *array = grown;
    return grown != NULL;
}

static pli_status reserve(pli_admm *admm)
{
    int64_t room = admm->implicit->cloud->slot_room;
    if (room <= admm->slot_room) return PLI_OK;
    bool good = grow(admm, &admm->u, 9 * room) &&
                grow(admm, &admm->start, admm->start_count * room) && grow(admm, &admm->c, room);
    if (good) admm->slot_room = (int32_t)room;
    return good ? PLI_OK : PLI_ERROR_MEMORY;
}

// ---- a step begins

static void weigh_slots(void *user, int64_t begin, int64_t end)
{
    pli_admm *admm = user;
    double scale = admm->def.weight_scale * admm->def.weight_scale;
    for (int64_t slot = begin; slot < end; ++slot) {
        admm->c[slot] = scale * admm->moduli[admm->implicit->cloud->kind[slot]];
        for (int k = 0; k < 9; ++k) admm->u[k * (int64_t)admm->slot_room + slot] = 0;
    }
}

// ---- z and u

// What one minimisation carries from stage to stage; b of `at` is the right-hand side of the
// x-step, and d the x-step.
typedef struct descent {
    pli_admm *admm;
    const pli_anchor *inertia;
    pli_descent at;
    bool has_start; // z-steps have a start
} descent;

// The points of one law among those that are evaluated.
typedef struct law_points {
    int32_t slots[SLOTS];
    pli_prox prox;
} law_points;

// y = F + u, and where the last z-step ended
static void gather_points(const descent *s, const pli_material_ops *law, const pli_evaluation *at,
                          law_points *points)
{
    const pli_admm *admm = s->admm;
    const pli_implicit *implicit = admm->implicit;
    pli_prox *prox = &points->prox;
    prox->is_warm = s->has_start;
    for (int32_t n = 0; n < prox->count; ++n) {
        int32_t k = points->slots[n];
        int64_t slot = at->first + k;
        prox->c[n] = admm->c[slot];
        for (int j = 0; j < 9; ++j) {
            prox->y[j * POINTS + n] =
                at->F[j * at->stride + k] + admm->u[j * (int64_t)admm->slot_room + slot];
        }
        for (int j = 0; j < law->param_count; ++j) {
            prox->params[j * POINTS + n] =
                implicit->params[j * (int64_t)implicit->slot_room + slot];
        }
        for (int j = 0; s->has_start && j < admm->start_count; ++j) {
            prox->start[j * POINTS + n] = admm->start[j * (int64_t)admm->slot_room + slot];
        }
    }
}

// u <- y - z, and the stress c (F - z + u) that pushes nodes
static void scatter_points(const descent *s, const law_points *points, pli_evaluation *at)
{
    const pli_admm *admm = s->admm;
    const pli_prox *prox = &points->prox;
    for (int32_t n = 0; n < prox->count; ++n) {
        int32_t k = points->slots[n];
        int64_t slot = at->first + k;
        for (int j = 0; j < 9; ++j) {
            double u = prox->y[j * POINTS + n] - prox->z[j * POINTS + n];
            double apart = at->F[j * at->stride + k] - prox->z[j * POINTS + n];
            admm->u[j * (int64_t)admm->slot_room + slot] = u;
            at->P[j * at->stride + k] = prox->c[n] * (apart + u);
        }
        for (int j = 0; j < admm->start_count; ++j) {
            admm->start[j * (int64_t)admm->slot_room + slot] = prox->start[j * POINTS + n];
        }
    }
}

// z- and u-steps of the slots of `at`, law by law.
static void split_slots(const descent *s, pli_evaluation *at, law_points *points)
{
    const pli_implicit *implicit = s->admm->implicit;
    const int32_t *kind = implicit->cloud->kind + at->first;
    bool done[SLOTS] = {false};
    for (int32_t begin = 0; begin < at->count; ++begin) {
        if (done[begin]) continue;
        // all that have the law of the first one that is left
        const pli_material_ops *law = implicit->kinds[kind[begin]].law;
        points->prox.count = 0;
        for (int32_t k = begin; k < at->count; ++k) {
            if (done[k] || implicit->kinds[kind[k]].law != law) continue;
            points->slots[points->prox.count++] = k;
            done[k] = true;
        }
        gather_points(s, law, at, points);
        pli_prox_solve(law, &points->prox);
        scatter_points(s, points, at);
    }
}

// A pass over particles with what it is about.
typedef struct split_pass {
    pli_implicit_pass pass; // the first
    const descent *s;
} split_pass;

static void split_part(const pli_implicit_pass *pass, int64_t first_cell, int64_t end_cell,
                       pli_evaluation *at)
{
    const descent *s = ((const split_pass *)(const void *)pass)->s;
    double Q[9 * SLOTS];
    law_points points;
    pli_implicit_deform_part(pass, first_cell, end_cell, at);
    split_slots(s, at, &points);
    pli_implicit_set_pushes(pass->implicit, at, Q);
    pli_implicit_push_part(pass, first_cell, end_cell, at, Q);
}

// z and u at x, and r += sum V c D^T (F - z + u)
static void split_particles(descent *s)
{
    split_pass split = {.pass = {.implicit = s->admm->implicit, .x = s->at.x, .part = split_part},
                        .s = s};
    pli_timers_begin(s->at.env->timers, "local step");
    split.pass.g = s->at.b;
    pli_implicit_run_colors(&split.pass);
    s->has_start = true;
    pli_timers_end(s->at.env->timers);
}

// ---- x

// r <- -(r + k (x - x~))
static void finish_side(void *user, int64_t begin, int64_t end)
{
    const descent *s = user;
    for (int64_t node = begin; node < end; ++node) {
        double stiffness = s->inertia->stiffness[node];
        for (int64_t k = 3 * node; k < 3 * node + 3; ++k) {
            s->at.b[k] = -(s->at.b[k] + stiffness * (s->at.x[k] - s->inertia->target[k]));
        }
    }
}

// q = T A p; p is admissible
static void apply_restricted(const void *self, const double *p, double *q)
{
    const descent *s = self;
    pli_admm_matrix_multiply(&s->admm->matrix, p, q);
    pli_objective_mask(s->at.objective, q);
    pli_objective_restrict(s->at.objective, q);
}

// d: T A T d = T r
static pli_status solve_step(descent *s)
{
    pli_krylov_def def = pli_krylov_def_default();
    pli_krylov_report report;
    def.max_iterations = s->admm->def.linear_iterations;
    def.relative_tolerance = s->admm->def.linear_tolerance;
    pli_operator A = {.size = s->at.n, .self = s, .apply = apply_restricted};
    pli_operator B = pli_admm_matrix_jacobi(&s->admm->matrix);
    pli_krylov_system system = {.A = &A, .B = &B, .b = s->at.b, .x = s->at.d};
    PLI_TRY(pli_pcg(s->admm->context, &def, &system, s->at.env->scratch, &report));
    s->at.last.linear_iterations = report.iterations;
    s->at.report->linear_iterations += report.iterations;
    return PLI_OK;
}

static pli_status step_nodes(descent *s)
{
    pli_context *context = s->admm->context;
    pli_timers_begin(s->at.env->timers, "global step");
    pli_parallel_for(context, s->at.objective->point_count, NODE_GRAIN, finish_side, s);
    pli_objective_mask(s->at.objective, s->at.b);
    pli_objective_restrict(s->at.objective, s->at.b);
    pli_status status = solve_step(s);
    if (status == PLI_OK) {
        // against rounding of the solve
        pli_objective_mask(s->at.objective, s->at.d);
        pli_objective_restrict(s->at.objective, s->at.d);
        pli_vector_axpy(context, s->at.n, 1, s->at.d, s->at.x);
        pli_objective_project(s->at.objective, s->at.x, NULL);
    }
    pli_timers_end(s->at.env->timers);
    return status;
}

// ---- the iteration

// E and dE/dx at x, and who is told.
static void tell(void *self)
{
    descent *s = self;
    pli_timers_begin(s->at.env->timers, "gradient");
    s->at.report->energy = pli_sum_value(pli_objective_energy(s->at.objective, s->at.x));
    ++s->at.report->energy_evaluations;
    pli_objective_compute_gradient(s->at.objective, s->at.x, s->at.g);
    pli_objective_choose_active(s->at.objective, s->at.x, s->at.g);
    pli_timers_end(s->at.env->timers);
    pli_descent_measure(&s->at);
    // an infinite E is not the end, but no minimum either
    s->at.rules.judges = isfinite(s->at.report->energy);
    s->at.measure = isnan(s->at.report->energy) ? NAN : s->at.last.gradient;
    pli_descent_tell(&s->at);
}

static pli_status iterate(void *self, bool *over)
{
    descent *s = self;
    (void)over;
    pli_vector_fill(s->admm->context, s->at.n, 0, s->at.b);
    // at first z = F(x) and u = 0: nothing pushes
    if (s->at.report->iterations > 0) split_particles(s);
    PLI_TRY(step_nodes(s));
    ++s->at.report->iterations;
    s->at.last.alpha = 1;
    s->at.last.energy_evaluations = 1;
    s->at.last.direction = PLI_DIRECTION_NEWTON;
    return PLI_OK;
}

static pli_status prepare(descent *s)
{
    pli_admm *admm = s->admm;
    PLI_TRY(pli_descent_take_vectors(&s->at, false));
    PLI_TRY(reserve(admm));
    pli_timers_begin(s->at.env->timers, "matrix");
    pli_parallel_for(admm->context, admm->implicit->cloud->slot_count, SLOT_GRAIN, weigh_slots,
                     admm);
    pli_status status =
        pli_admm_matrix_build(&admm->matrix, admm->implicit, admm->c, s->inertia->stiffness);
    pli_timers_end(s->at.env->timers);
    return status;
}

// ---- the minimiser

static pli_status minimize(void *self, const pli_minimize_env *env, double *x,
                           pli_minimize_report *report)
{
    static const pli_descent_ops ops = {tell, iterate};
    pli_admm *admm = self;
    descent s = {.admm = admm,
                 .inertia = admm->inertia,
                 .at = pli_descent_begin(admm->objective, env, x, report)};
    s.at.rules = (pli_stopping){.tolerance = admm->def.tolerance,
                                .max_iterations = admm->def.max_iterations};
    PLI_TRY(prepare(&s));
    pli_objective_release(admm->objective);
    pli_objective_project(admm->objective, x, NULL);
    return pli_descent_run(&s.at, &ops, &s);
}

static int64_t memory(const void *self)
{
    const pli_admm *admm = self;
    const pli_admm_matrix *matrix = &admm->matrix;
    const void *arrays[] = {admm->u,        admm->start,     admm->c,         matrix->column,
                            matrix->values, matrix->inverse, matrix->expanded};
    int64_t bytes = 0;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
        bytes += (int64_t)pli_memory_size(arrays[k]);
    }
    return bytes;
}

static void destroy(void *self)
{
    pli_admm_destroy(self);
}

pli_minimizer pli_admm_minimizer(pli_admm *admm)
{
    static const pli_minimizer_ops ops = {
        .minimize = minimize, .memory = memory, .destroy = destroy};
    return (pli_minimizer){&ops, admm};
}
