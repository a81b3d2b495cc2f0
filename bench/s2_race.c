// SPDX-License-Identifier: Apache-2.0
//
// Figures 10 to 12: how far the energy of one step is from its minimum after so much time, for
// projective dynamics with the multigrid, with a prefactored matrix, and with the solvers that the
// paper compares with. All start from the same point and minimise the same function; the error is
//
//     (g(x) - g*) / (g(x0) - g*),   g* from Newton's method, converged.
//
// Every method runs twice: once watched by the clock alone, once for the energies of its iterates,
// so that measuring costs no time. Making the solvers, factoring included, is not counted.
#include "s2.h"
#include "s2_problem.h"

#include "base/memory.h"
#include "base/timers.h"
#include "linear/matrix/vector.h"
#include "sim/step/mesh_stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATES = 1500, TICKS = 10, FRAMES = 15 };

static const double tick = 0.05; // s

typedef struct race_method {
    const char *name;
    pli_lifted_solver_kind kind;
    int32_t iterations; // of a linear solve
    double rho;         // Chebyshev
} race_method;

static const race_method rivals[] = {
    {"Vivace 10", PLI_LIFTED_VIVACE, 10, 0}, {"Vivace 50", PLI_LIFTED_VIVACE, 50, 0},
    {"PCG 10", PLI_LIFTED_PCG, 10, 0},       {"PCG 20", PLI_LIFTED_PCG, 20, 0},
    {"PCG 40", PLI_LIFTED_PCG, 40, 0},
};

// the paper tunes rho for each example; so do we, by trying these
static const double chebyshev_rhos[] = {0.9,   0.95,  0.98,   0.99,   0.995,
                                        0.998, 0.999, 0.9995, 0.9998, 0.9999};

typedef struct race {
    pli_bench *bench;
    pli_s2_problem problem;
    double lowest; // g*
    double first;  // g(x0) - g*
    double *x;     // [size] iterate

    // of the method that runs
    int32_t count; // iterates
    double began;
    bool keeps_energy;
    double seconds[ITERATES]; // since the start, after each iteration
    double errors[ITERATES];
} race;

// What a method had reached at every tick, and after its first iteration.
typedef struct race_curve {
    double at_tick[TICKS];
    double first;
    double first_seconds;
    int32_t iterations; // within the ticks
} race_curve;

// ---- the truth

static pli_status find_minimum(race *self)
{
    // an error of the velocity of 1e-4 m/s is one of the energy of 1e-8 J, far below what is
    // compared
    static const char *more[] = {"solver.name=pn-pcg",        "solver.linear=cholesky",
                                 "solver.fixed_iterations=0", "solver.max_iterations=80",
                                 "solver.tolerance=1e-4",     NULL};
    pli_s2_problem *p = &self->problem;
    pli_bench_scene truth;
    pli_step_report report;
    PLI_TRY(pli_s2_scene_init(&truth, self->bench, p->row, more));
    pli_status status = pli_state_set(truth.state, p->before, p->velocity);
    if (status == PLI_OK) status = pli_solver_step(truth.solver, truth.state, &report);
    if (status == PLI_OK) {
        const pli_objective *objective = &pli_solver_meshes(p->scene.solver)->objective;
        pli_sum lowest = pli_objective_energy(objective, pli_state_get(truth.state).positions);
        pli_sum start = pli_objective_energy(objective, p->start);
        self->lowest = pli_sum_value(lowest);
        self->first = pli_sum_difference(start, lowest);
        pli_bench_note(self->bench,
                       "%s: Newton ends by %s after %d iterations, residual %.1e; g0 - g* = %.4g J",
                       p->row->name, pli_stop_name(report.stop), (int)report.iterations,
                       report.residual, self->first);
    }
    pli_bench_scene_clear(&truth);
    return status;
}

// ---- one method

static void watch(void *user, const pli_iterate *iterate)
{
    race *self = user;
    if (iterate->iteration == 0 || self->count == ITERATES) return;
    if (self->keeps_energy) {
        self->errors[self->count] = (iterate->energy - self->lowest) / self->first;
    } else {
        self->seconds[self->count] = pli_clock_seconds() - self->began;
    }
    ++self->count;
}

static pli_status fill_def(const race *self, const race_method *method, pli_local_global_def *def)
{
    const pli_s2_problem *p = &self->problem;
    *def = (pli_local_global_def){.chebyshev_rho = method->rho,
                                  .chebyshev_gamma = 0.9,
                                  .chebyshev_delay = 10,
                                  .measures_energy = self->keeps_energy};
    def->line_search.kind = PLI_SEARCH_NONE;
    def->linear = (pli_lifted_solver_def){
        .kind = method->kind, .iterations = method->iterations, .hierarchy = p->hierarchy};
    return pli_s2_problem_multigrid_def(p, p->hierarchy, &def->linear.multigrid);
}

static pli_status minimize(race *self, const race_method *method, int32_t iterations,
                           bool keeps_energy)
{
    pli_s2_problem *p = &self->problem;
    pli_objective *objective = &pli_solver_meshes(p->scene.solver)->objective;
    pli_local_global *local_global = NULL;
    pli_local_global_def def;
    pli_minimize_report report;
    pli_minimize_env env = {
        .timers = &p->timers, .scratch = p->arena, .monitor = watch, .user = self};
    self->count = 0;
    self->keeps_energy = keeps_energy;
    PLI_TRY(fill_def(self, method, &def));
    def.max_iterations = def.fixed_iterations = iterations;
    PLI_TRY(pli_local_global_create(p->context, &def, objective, &local_global));
    const pli_minimizer minimizer = pli_local_global_minimizer(local_global);
    pli_status status = pli_minimizer_begin_step(&minimizer, 1);
    // once without looking, so that everything is in place
    for (int round = 0; status == PLI_OK && round < 2; ++round) {
        self->count = 0;
        pli_vector_copy(p->context, p->size, p->start, self->x);
        self->began = pli_clock_seconds();
        status = pli_minimizer_minimize(&minimizer, &env, self->x, &report);
        if (keeps_energy) break;
    }
    pli_local_global_destroy(local_global);
    return status;
}

// Error of the last iterate that was ready at a time; 1 before the first.
static double error_at(const race *self, double time)
{
    double error = 1;
    for (int32_t k = 0; k < self->count && self->seconds[k] <= time; ++k) error = self->errors[k];
    return error;
}

static pli_status run_method(race *self, const race_method *method, race_curve *curve)
{
    enum { PROBE = 3 };
    *curve = (race_curve){0};
    // how many iterations fit into the ticks
    PLI_TRY(minimize(self, method, PROBE, false));
    double per_iteration = self->seconds[PROBE - 1] / PROBE;
    double fitting = ceil(1.2 * TICKS * tick / per_iteration);
    int32_t iterations = (int32_t)fmin(ITERATES, fmax(PROBE, fitting));
    PLI_TRY(minimize(self, method, iterations, false));
    PLI_TRY(minimize(self, method, iterations, true));
    for (int k = 0; k < TICKS; ++k) curve->at_tick[k] = error_at(self, (k + 1) * tick);
    for (int32_t k = 0; k < self->count; ++k) curve->iterations += self->seconds[k] <= TICKS * tick;
    curve->first = self->errors[0];
    curve->first_seconds = self->seconds[0];
    pli_bench_note(
        self->bench,
        "    %-20s %4d iterations; error after 50, 100, 200, 500 ms: %.2e %.2e %.2e %.2e",
        method->name, (int)curve->iterations, curve->at_tick[0], curve->at_tick[1],
        curve->at_tick[3], curve->at_tick[TICKS - 1]);
    return PLI_OK;
}

// The best of all rho, judged at the middle of the time.
static pli_status run_chebyshev(race *self, race_curve *best)
{
    best->at_tick[TICKS / 2] = INFINITY;
    for (size_t k = 0; k < sizeof chebyshev_rhos / sizeof *chebyshev_rhos; ++k) {
        char name[32];
        race_curve curve;
        snprintf(name, sizeof name, "Chebyshev %g", chebyshev_rhos[k]);
        race_method method = {name, PLI_LIFTED_JACOBI, 1, chebyshev_rhos[k]};
        PLI_TRY(run_method(self, &method, &curve));
        if (curve.at_tick[TICKS / 2] < best->at_tick[TICKS / 2]) *best = curve;
    }
    return PLI_OK;
}

// Largest ratio of the errors of ours and a rival's, over all ticks at which ours is above what
// single precision can tell.
static double worst_ratio(const race_curve *ours, const race_curve *rival)
{
    const double noise = 1e-6;
    double worst = 0;
    for (int k = 0; k < TICKS; ++k) {
        if (ours->at_tick[k] > noise) worst = fmax(worst, ours->at_tick[k] / rival->at_tick[k]);
    }
    return worst;
}

static void claim_rival(race *self, const char *name, const race_curve *ours,
                        const race_curve *rival)
{
    char what[96];
    snprintf(what, sizeof what, "%s: error over that of %s, worst tick", self->problem.row->name,
             name);
    pli_bench_claim(self->bench,
                    &(pli_claim){"Q2-7", what, "< 1", worst_ratio(ours, rival), "x", 0, 1});
}

static pli_status race_all(race *self)
{
    race_curve ours;
    race_curve rival;
    race_method cycles = {"multigrid", PLI_LIFTED_MULTIGRID, 1, 0};
    race_method direct = {"direct", PLI_LIFTED_DIRECT, 1, 0};
    PLI_TRY(run_method(self, &cycles, &ours));
    PLI_TRY(run_method(self, &direct, &rival));
    char what[96];
    snprintf(what, sizeof what, "%s: error after 50 ms over the first one of a direct solver",
             self->problem.row->name);
    pli_bench_claim(self->bench,
                    &(pli_claim){"Q2-7", what, "< 1", ours.at_tick[0] / rival.first, "x", 0, 1});
    for (size_t k = 0; k < sizeof rivals / sizeof *rivals; ++k) {
        PLI_TRY(run_method(self, &rivals[k], &rival));
        claim_rival(self, rivals[k].name, &ours, &rival);
    }
    PLI_TRY(run_chebyshev(self, &rival));
    claim_rival(self, "Chebyshev, tuned", &ours, &rival);
    return PLI_OK;
}

static pli_status run_row(pli_bench *bench, const pli_s2_row *row)
{
    pli_context *context = pli_bench_context(bench);
    race *self = PLI_NEW(context, race, 1, "race");
    if (self == NULL) return PLI_ERROR_MEMORY;
    self->bench = bench;
    pli_status status = pli_s2_problem_init(&self->problem, bench, row, NULL, FRAMES);
    if (status == PLI_OK) {
        self->x = PLI_NEW(context, double, self->problem.size, "iterate");
        status = self->x != NULL ? find_minimum(self) : PLI_ERROR_MEMORY;
        if (status == PLI_OK) status = race_all(self);
        pli_release(context, self->x);
        pli_s2_problem_clear(&self->problem);
    }
    pli_release(context, self);
    return status;
}

pli_status pli_bench_s2_race(pli_bench *bench)
{
    PLI_TRY(run_row(bench, &pli_s2_cloth));
    return run_row(bench, &pli_s2_octopus);
}
