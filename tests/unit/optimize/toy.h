// SPDX-License-Identifier: Apache-2.0
//
// Small functions of one point (x, y, z) as energy terms, to try minimisers on.
#ifndef PLI_TESTS_TOY_H
#define PLI_TESTS_TOY_H

#include "minimize.h"
#include "near.h"

#include "linear/krylov/solver.h"
#include "math/eigen.h"

typedef struct toy {
    double (*value)(const double x[3]);
    void (*gradient)(const double x[3], double g[3]);
    void (*hessian)(const double x[3], double H[9]);
    int evaluations;
} toy;

static inline pli_sum toy_energy(void *self, const double *x)
{
    toy *t = self;
    ++t->evaluations;
    return (pli_sum){t->value(x), 0};
}

static inline void toy_add_gradient(void *self, const double *x, double *g)
{
    double own[3];
    ((toy *)self)->gradient(x, own);
    for (int k = 0; k < 3; ++k) g[k] += own[k];
}

static inline void toy_add_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    double own[9];
    ((toy *)self)->hessian(x, own);
    if (projected) pli_psd_clamp(3, own);
    for (int k = 0; k < 9; ++k) H->values[k] += own[k];
}

static const pli_term_ops toy_term = {
    .name = "toy",
    .energy = toy_energy,
    .add_gradient = toy_add_gradient,
    .add_hessian = toy_add_hessian,
};

// f = 100 (y - x^2)^2 + (1 - x)^2 + z^2, minimum 0 at (1, 1, 0)
static inline double rosenbrock(const double x[3])
{
    double a = x[1] - x[0] * x[0];
    double b = 1 - x[0];
    return 100 * a * a + b * b + x[2] * x[2];
}

static inline void rosenbrock_gradient(const double x[3], double g[3])
{
    double a = x[1] - x[0] * x[0];
    g[0] = -400 * a * x[0] - 2 * (1 - x[0]);
    g[1] = 200 * a;
    g[2] = 2 * x[2];
}

static inline void rosenbrock_hessian(const double x[3], double H[9])
{
    memset(H, 0, 9 * sizeof(double));
    H[0] = 1200 * x[0] * x[0] - 400 * x[1] + 2;
    H[1] = H[3] = -400 * x[0];
    H[4] = 200;
    H[8] = 2;
}

// everything a minimisation of one point needs
typedef struct toy_problem {
    pli_context *context;
    toy function;
    pli_objective objective;
    pli_linear_solver *linear;
    pli_arena *scratch;
    pli_timers timers;
    double weight;
} toy_problem;

static inline void toy_problem_init(toy_problem *p, toy function, pli_linear_solver_kind linear)
{
    *p = (toy_problem){.function = function, .weight = 1};
    p->context = make_context(1);
    pli_objective_init(&p->objective, p->context, 1);
    pli_objective_add(&p->objective, &toy_term, &p->function);
    p->objective.norm_weights = &p->weight;
    OK(p->context, pli_objective_build_pattern(&p->objective));
    pli_linear_solver_def def = {.kind = linear,
                                 .preconditioner = PLI_PRECONDITION_NONE,
                                 .max_iterations = 100,
                                 .stop_at_indefinite = true};
    OK(p->context, pli_linear_solver_create(p->context, &def, p->objective.H, &p->linear));
    OK(p->context, pli_arena_create(p->context, 1 << 14, &p->scratch));
    pli_timers_clear(&p->timers);
}

static inline void toy_problem_clear(toy_problem *p)
{
    pli_arena_destroy(p->scratch);
    pli_linear_solver_destroy(p->linear);
    pli_objective_clear(&p->objective);
    pli_context_destroy(p->context);
}

#endif
