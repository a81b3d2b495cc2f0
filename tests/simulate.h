// SPDX-License-Identifier: Apache-2.0
//
// Scenes written as YAML in tests, compiled and stepped; every call fails the test when it fails.
#ifndef PLI_TESTS_SIMULATE_H
#define PLI_TESTS_SIMULATE_H

#include "near.h"

#include "pliant/pliant.h"

typedef struct simulation {
    pli_context *context;
    pli_scene *scene;
    pli_model *model;
    pli_state *state;
    pli_solver *solver;
    pli_model_info info;
} simulation;

// Takes the context over.
static inline void simulation_init_in(simulation *s, pli_context *context, const char *yaml)
{
    *s = (simulation){.context = context};
    OK(s->context,
       pli_scene_parse(s->context, yaml, (int64_t)strlen(yaml), "test", NULL, &s->scene));
    OK(s->context, pli_model_create(s->context, s->scene, NULL, &s->model));
    OK(s->context, pli_state_create(s->model, &s->state));
    OK(s->context, pli_solver_create(s->model, &s->solver));
    s->info = pli_model_get_info(s->model);
}

static inline void simulation_init(simulation *s, const char *yaml, int32_t thread_count)
{
    simulation_init_in(s, make_context(thread_count), yaml);
}

// A scene whose only body gets a mesh as its geometry, one thread.
static inline void simulation_init_mesh(simulation *s, const char *yaml, const pli_mesh_data *mesh)
{
    pli_file_def file = {.path = "", .mesh = mesh};
    pli_scene *scene = NULL;
    *s = (simulation){.context = make_context(1)};
    OK(s->context, pli_scene_parse(s->context, yaml, (int64_t)strlen(yaml), "test", NULL, &scene));
    pli_scene_def def = *pli_scene_get(scene);
    pli_body_def body = def.bodies[0];
    body.geometry = (pli_variant){PLI_GEOMETRY_FILE, &file};
    def.bodies = &body;
    OK(s->context, pli_scene_create(s->context, &def, &s->scene));
    pli_scene_destroy(scene);
    OK(s->context, pli_model_create(s->context, s->scene, NULL, &s->model));
    OK(s->context, pli_state_create(s->model, &s->state));
    OK(s->context, pli_solver_create(s->model, &s->solver));
    s->info = pli_model_get_info(s->model);
}

static inline void simulation_clear(simulation *s)
{
    pli_solver_destroy(s->solver);
    pli_state_destroy(s->state);
    pli_model_destroy(s->model);
    pli_scene_destroy(s->scene);
    pli_context_destroy(s->context);
}

// One step that must converge.
static inline pli_step_report simulation_step(simulation *s)
{
    pli_step_report report;
    OK(s->context, pli_solver_step(s->solver, s->state, &report));
    if (report.stop <= 0) {
        fprintf(stderr, "step %lld did not converge: %s after %d iterations, residual %g of %g\n",
                (long long)report.step, pli_stop_name(report.stop), (int)report.iterations,
                report.residual, report.tolerance);
        fail();
    }
    return report;
}

static inline pli_step_report simulation_run(simulation *s, int steps)
{
    pli_step_report report = {0};
    for (int k = 0; k < steps; ++k) report = simulation_step(s);
    return report;
}

// A scene that can't be read, or made a model of, fails so, with a message that has this in it.
static inline void expect_no_model(const char *yaml, pli_status expected, const char *message)
{
    char found[1024] = "";
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    pli_context *context = make_context(1);
    pli_status status = pli_scene_parse(context, yaml, (int64_t)strlen(yaml), "s", NULL, &scene);
    if (status == PLI_OK) status = pli_model_create(context, scene, NULL, &model);
    pli_context_message(context, found, sizeof found);
    if (status != expected || strstr(found, message) == NULL) {
        fail_msg("expected '%s', found %d '%s'", message, (int)status, found);
    }
    assert_null(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

// Mass-weighted mean position.
static inline void simulation_center(const simulation *s, double center[3])
{
    const double *x = pli_state_get(s->state).positions;
    const double *mass = pli_model_get_mesh(s->model).masses;
    double total = 0;
    center[0] = center[1] = center[2] = 0;
    for (int32_t i = 0; i < s->info.vertex_count; ++i) {
        total += mass[i];
        for (int k = 0; k < 3; ++k) center[k] += mass[i] * x[3 * i + k];
    }
    for (int k = 0; k < 3; ++k) center[k] /= total;
}

// The data of an array of the state, by its name in checkpoints.
static inline const double *simulation_array(const simulation *s, const char *name,
                                             pli_state_array *array)
{
    for (int32_t k = 0; pli_state_get_array(s->state, k, array); ++k) {
        if (strcmp(array->name, name) == 0) return array->data;
    }
    fail_msg("no array %s", name);
    return NULL;
}

#endif
