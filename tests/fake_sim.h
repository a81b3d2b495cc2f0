// SPDX-License-Identifier: Apache-2.0
//
// A tiny simulation behind the public functions of scene.h and sim.h that runs use: points on
// springs to the origin, so that every step depends on the whole history in the state's arrays. It
// can be told to fail in the ways a real one does. The definitions are weak: a test that includes
// this file uses them as long as it needs nothing else from the real modules.
#ifndef PLI_TESTS_FAKE_SIM_H
#define PLI_TESTS_FAKE_SIM_H

#include "near.h"

#include "base/memory.h"
#include "pliant/io.h"

#include <unistd.h>

#define WEAK __attribute__((weak))

enum { FAKE_POINTS = 50 };

// what the next steps do; set by the tests
static struct {
    int64_t reject_at;    // this step is rejected
    int64_t nonfinite_at; // this step ends with an infinite energy
    int64_t stall_at;     // this step does not converge
    int step_microseconds;
    int32_t iterations_seen;
} fake;

struct pli_scene {
    pli_context *context;
    pli_scene_def def;
    const char *source;
};

struct pli_model {
    pli_context *context;
    const pli_scene *scene;
    double rest[FAKE_POINTS][3];
    int32_t tets[FAKE_POINTS - 3][4];
    double masses[FAKE_POINTS];
};

struct pli_state {
    const pli_model *model;
    double x[FAKE_POINTS][3];
    double v[FAKE_POINTS][3];
    int64_t step;
    double time;
};

struct pli_solver {
    const pli_model *model;
    pli_solver_hooks hooks;
    pli_frame_field field;
    pli_frame_part part;
};

static inline void fake_scene_init(pli_scene *scene, pli_context *context, int32_t frames)
{
    memset(scene, 0, sizeof *scene);
    memset(&fake, 0, sizeof fake);
    scene->context = context;
    scene->def.time.frames = frames;
    scene->def.time.fps = 24;
    scene->def.time.steps_per_frame = 2;
    scene->def.output.every = 1;
    scene->def.output.checkpoint_every = 2;
    scene->def.about = "springs";
    scene->def.seed = 7;
}

WEAK const pli_scene_def *pli_scene_get(const pli_scene *scene)
{
    return &scene->def;
}

WEAK pli_context *pli_scene_context(const pli_scene *scene)
{
    return scene->context;
}

WEAK pli_scene_info pli_scene_get_info(const pli_scene *scene)
{
    return (pli_scene_info){
        .name = "springs", .source = scene->source, .contact = "none, as the scene says"};
}

WEAK void pli_text_free(pli_context *context, char *text)
{
    pli_release(context, text);
}

WEAK pli_status pli_scene_to_yaml(const pli_scene *scene, const pli_yaml_def *def, char **text)
{
    char yaml[512];
    snprintf(yaml, sizeof yaml,
             "about: %s\nseed: %d\ntime:\n  frames: %d%s\n  steps_per_frame: %d\noutput:\n"
             "  every: %d\nchecks:\n  inverted_start: error\n",
             scene->def.about, scene->def.seed, scene->def.time.frames,
             def != NULL && def->comments ? "  # how many" : "", scene->def.time.steps_per_frame,
             scene->def.output.every);
    *text = pli_string_copy(scene->context, yaml);
    return *text != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

WEAK pli_status pli_model_create(pli_context *context, const pli_scene *scene,
                                 const pli_model_def *def, pli_model **model)
{
    (void)def;
    *model = PLI_NEW(context, pli_model, 1, "model");
    if (*model == NULL) return PLI_ERROR_MEMORY;
    (*model)->context = context;
    (*model)->scene = scene;
    for (int32_t i = 0; i < FAKE_POINTS; ++i) {
        (*model)->rest[i][0] = cos(i + scene->def.seed);
        (*model)->rest[i][1] = sin(0.7 * i);
        (*model)->rest[i][2] = cos(0.3 * i);
        (*model)->masses[i] = 1;
    }
    for (int32_t i = 0; i < FAKE_POINTS - 3; ++i) {
        for (int32_t k = 0; k < 4; ++k) (*model)->tets[i][k] = i + k;
    }
    return PLI_OK;
}

WEAK void pli_model_destroy(pli_model *model)
{
    if (model != NULL) pli_release(model->context, model);
}

WEAK pli_model_info pli_model_get_info(const pli_model *model)
{
    const pli_time_def *time = &model->scene->def.time;
    return (pli_model_info){.body_count = 1,
                            .vertex_count = FAKE_POINTS,
                            .tet_count = FAKE_POINTS - 3,
                            .dt = 1 / time->fps / time->steps_per_frame,
                            .solver = "newton",
                            .tolerance = 1e-3,
                            .tolerance_unit = "m/s"};
}

WEAK pli_mesh_view pli_model_get_mesh(const pli_model *model)
{
    return (pli_mesh_view){.vertex_count = FAKE_POINTS,
                           .rest_positions = &model->rest[0][0],
                           .masses = model->masses,
                           .tet_count = FAKE_POINTS - 3,
                           .tets = &model->tets[0][0]};
}

WEAK pli_status pli_state_create(const pli_model *model, pli_state **state)
{
    *state = PLI_NEW(model->context, pli_state, 1, "state");
    if (*state == NULL) return PLI_ERROR_MEMORY;
    (*state)->model = model;
    memcpy((*state)->x, model->rest, sizeof model->rest);
    return PLI_OK;
}

WEAK void pli_state_destroy(pli_state *state)
{
    if (state != NULL) pli_release(state->model->context, state);
}

WEAK pli_status pli_state_copy(const pli_state *from, pli_state *to)
{
    *to = *from;
    return PLI_OK;
}

WEAK uint64_t pli_state_hash(const pli_state *state)
{
    return (uint64_t)state->step;
}

WEAK pli_status pli_state_set_particle_count(pli_state *state, int64_t count)
{
    (void)state;
    return count == 0 ? PLI_OK : PLI_ERROR_ARGUMENT;
}

WEAK pli_state_view pli_state_get(const pli_state *state)
{
    return (pli_state_view){.step = state->step, .time = state->time};
}

WEAK bool pli_state_get_array(pli_state *state, int32_t index, pli_state_array *array)
{
    const pli_state_array arrays[4] = {{"x", PLI_ARRAY_F64, FAKE_POINTS, 3, state->x, false, false},
                                       {"v", PLI_ARRAY_F64, FAKE_POINTS, 3, state->v, false, false},
                                       {"step", PLI_ARRAY_I64, 1, 1, &state->step, false, false},
                                       {"time", PLI_ARRAY_F64, 1, 1, &state->time, false, false}};
    if (index < 0 || index >= 4) return false;
    *array = arrays[index];
    return true;
}

WEAK pli_status pli_solver_create(const pli_model *model, pli_solver **solver)
{
    *solver = PLI_NEW(model->context, pli_solver, 1, "solver");
    if (*solver == NULL) return PLI_ERROR_MEMORY;
    (*solver)->model = model;
    return PLI_OK;
}

WEAK void pli_solver_destroy(pli_solver *solver)
{
    if (solver != NULL) pli_release(solver->model->context, solver);
}

WEAK void pli_solver_set_hooks(pli_solver *solver, const pli_solver_hooks *hooks)
{
    solver->hooks = *hooks;
}

// Two iterations, heard and cancellable.
static inline bool fake_iterate(pli_solver *solver, int64_t step)
{
    for (int32_t i = 0; i < 2; ++i) {
        const pli_solver_hooks *hooks = &solver->hooks;
        if (hooks->cancel != NULL && hooks->cancel(hooks->cancel_user)) return false;
        pli_iteration_report report = {.step = step, .iteration = i, .residual = 1.0 / (1 + i)};
        if (hooks->iteration != NULL) hooks->iteration(hooks->iteration_user, &report);
        ++fake.iterations_seen;
    }
    return true;
}

WEAK pli_status pli_solver_step(pli_solver *solver, pli_state *state, pli_step_report *report)
{
    pli_model_info info = pli_model_get_info(solver->model);
    int64_t step = state->step + 1;
    if (fake.step_microseconds > 0) usleep((useconds_t)fake.step_microseconds);
    if (!fake_iterate(solver, step)) return PLI_ERROR_INTERRUPTED;
    *report = (pli_step_report){.step = step,
                                .dt = info.dt,
                                .solver = "newton",
                                .stop = PLI_STOP_GRADIENT,
                                .iterations = 2,
                                .linear_iterations = 20,
                                .residual = 5e-4,
                                .tolerance = 1e-3,
                                .min_J = 0.9,
                                .vertices = FAKE_POINTS,
                                .phase_count = 1,
                                .phase_name = {"springs"},
                                .phase_seconds = {1e-5},
                                .seconds = 1e-5};
    report->time = state->time;
    if (step == fake.reject_at) {
        report->stop = PLI_STOP_NONFINITE;
        return PLI_OK;
    }
    if (step == fake.stall_at) report->stop = PLI_STOP_ITERATIONS;
    for (int32_t i = 0; i < 3 * FAKE_POINTS; ++i) {
        double *x = &state->x[0][0] + i;
        double *v = &state->v[0][0] + i;
        *v = 0.99 * *v - info.dt * 30 * *x;
        *x += info.dt * *v;
        report->energy.kinetic += 0.5 * *v * *v;
        report->energy.elastic += 15 * *x * *x;
    }
    state->step = step;
    state->time = (double)step * info.dt;
    report->time = state->time;
    report->energy.total = report->energy.kinetic + report->energy.elastic;
    if (step == fake.nonfinite_at) report->energy.total = INFINITY;
    return PLI_OK;
}

WEAK pli_status pli_solver_frame(pli_solver *solver, const pli_state *state, pli_frame *frame)
{
    solver->field =
        (pli_frame_field){"velocity", "m/s", PLI_PLACE_POINT, 3, &state->v[0][0], false};
    solver->part = (pli_frame_part){.name = "springs",
                                    .kind = PLI_PART_TETS,
                                    .point_count = FAKE_POINTS,
                                    .points = &state->x[0][0],
                                    .cell_count = FAKE_POINTS - 3,
                                    .cells = &solver->model->tets[0][0],
                                    .field_count = 1,
                                    .fields = &solver->field};
    *frame = (pli_frame){.part_count = 1, .parts = &solver->part};
    return PLI_OK;
}

#endif
