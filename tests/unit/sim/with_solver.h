// SPDX-License-Identifier: Apache-2.0
//
// One scene with several solvers: what comes out, and what is refused.
#ifndef PLI_TESTS_WITH_SOLVER_H
#define PLI_TESTS_WITH_SOLVER_H

#include "simulate.h"

static inline const char *with_solver(const char *yaml, const char *solver, char text[4096])
{
    snprintf(text, 4096, "%ssolver: %s\n", yaml, solver);
    return text;
}

static inline void start(simulation *s, const char *yaml, const char *solver, int32_t threads)
{
    char text[4096];
    simulation_init(s, with_solver(yaml, solver, text), threads);
}

// Largest distance of two states' vertices (m).
static inline double distance(const simulation *a, const simulation *b)
{
    const double *x = pli_state_get(a->state).positions;
    const double *y = pli_state_get(b->state).positions;
    double largest = 0;
    for (int64_t k = 0; k < 3 * (int64_t)a->info.vertex_count; ++k) {
        largest = fmax(largest, fabs(x[k] - y[k]));
    }
    return largest;
}

static inline void expect_refusal(const char *yaml, const char *solver, const char *message)
{
    char text[4096];
    expect_no_model(with_solver(yaml, solver, text), PLI_ERROR_UNSUPPORTED, message);
}

#define CUBE(more)                                                                            \
    "materials: {soft: {law: corotated, density: 1000, mu: 2e4}}\n"                           \
    "bodies: {cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: soft, position: [0, 2, " \
    "0]}}\n" more

#endif
