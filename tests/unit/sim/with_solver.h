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
    const double *x = pli_state_positions(a->state);
    const double *y = pli_state_positions(b->state);
    double largest = 0;
    for (int64_t k = 0; k < 3 * (int64_t)a->info.vertex_count; ++k) {
        largest = fmax(largest, fabs(x[k] - y[k]));
    }
    return largest;
}

// Text to model; expects a failure whose message has this in it.
static inline void expect_refusal(const char *yaml, const char *solver, const char *message)
{
    char text[4096];
    char found[1024] = "";
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    pli_context *context = make_context(1);
    with_solver(yaml, solver, text);
    pli_status status = pli_scene_parse(context, text, (int64_t)strlen(text), "s", NULL, &scene);
    if (status == PLI_OK) status = pli_model_create(context, scene, &model);
    pli_context_message(context, found, sizeof found);
    if (status != PLI_ERROR_UNSUPPORTED || strstr(found, message) == NULL) {
        fprintf(stderr, "expected '%s', found %d '%s'\n", message, (int)status, found);
        fail();
    }
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

#define CUBE(more)                                                                            \
    "materials: {soft: {law: corotated, density: 1000, mu: 2e4}}\n"                           \
    "bodies: {cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: soft, position: [0, 2, " \
    "0]}}\n" more

#endif
