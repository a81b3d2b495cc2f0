// SPDX-License-Identifier: Apache-2.0
#include "sim/step/loads.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "sim/model/state.h"

#include <string.h>

static bool is_dead(const pli_model_load *load)
{
    return load->triangle_count == 0;
}

// ---- life

static pli_status create_pressure(pli_mesh_stepper *s, int32_t count)
{
    const pli_model *model = s->model;
    if (count == 0) return PLI_OK;
    pli_pressure_patch *patches = PLI_NEW(s->context, pli_pressure_patch, count, "pressure");
    if (patches == NULL) return PLI_ERROR_MEMORY;
    int32_t at = 0;
    for (int32_t k = 0; k < model->load_count; ++k) {
        const pli_model_load *load = &model->loads[k];
        if (is_dead(load)) continue;
        patches[at++] = (pli_pressure_patch){load->triangle_count + load->side_count,
                                             load->triangles, load->closed, load->shares};
    }
    pli_status status =
        pli_pressure_create(s->context, model->vertex_count, count, patches, &s->pressure);
    pli_release(s->context, patches);
    return status;
}

static pli_status create_cavities(pli_mesh_stepper *s)
{
    const pli_model *model = s->model;
    int32_t count = model->cavity_count;
    if (count == 0) return PLI_OK;
    PLI_TRY(PLI_MAKE(s->context, s->cavity_reports, count, "cavities"));
    pli_cavity_patch *patches = PLI_NEW(s->context, pli_cavity_patch, count, "cavities");
    if (patches == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < count; ++k) {
        const pli_model_cavity *cavity = &model->cavities[k];
        patches[k] = (pli_cavity_patch){cavity->triangle_count, cavity->triangles, cavity->law};
    }
    pli_status status =
        pli_cavities_create(s->context, model->vertex_count, count, patches, &s->cavities);
    pli_release(s->context, patches);
    return status;
}

pli_status pli_loads_create(pli_mesh_stepper *s)
{
    const pli_model *model = s->model;
    int32_t pressures = 0;
    for (int32_t k = 0; k < model->load_count; ++k) pressures += !is_dead(&model->loads[k]);
    if (pressures < model->load_count) {
        PLI_TRY(PLI_MAKE(s->context, s->dead_force, 3 * (int64_t)model->vertex_count, "loads"));
    }
    PLI_TRY(create_pressure(s, pressures));
    return create_cavities(s);
}

void pli_loads_destroy(pli_mesh_stepper *s)
{
    pli_cavities_destroy(s->cavities);
    pli_pressure_destroy(s->pressure);
    PLI_RELEASE(s->context, s->cavity_reports, s->dead_force);
}

void pli_loads_add(pli_mesh_stepper *s)
{
    pli_objective *objective = &s->objective;
    if (s->dead_force != NULL) {
        s->dead_load = (pli_load){s->context, s->model->vertex_count, s->dead_force};
        pli_objective_add(objective, &pli_load_term, &s->dead_load);
    }
    if (s->pressure != NULL) pli_objective_add(objective, &pli_pressure_term, s->pressure);
    if (s->cavities != NULL) pli_objective_add(objective, &pli_cavity_term, s->cavities);
}

// ---- with a step

// f += factor times what the load is at 1
static void add_dead(const pli_model_load *load, double factor, double *force)
{
    for (int32_t i = 0; i < load->vertex_count; ++i) {
        double *f = force + 3 * (int64_t)load->vertices[i];
        pli_vec3_add_scaled(f, factor * load->weights[i], load->vector, f);
    }
}

void pli_loads_set(pli_mesh_stepper *s, const pli_state *state, double time)
{
    const pli_model *model = s->model;
    int32_t patch = 0;
    if (s->dead_force != NULL) {
        memset(s->dead_force, 0, 3 * (size_t)model->vertex_count * sizeof *s->dead_force);
    }
    for (int32_t k = 0; k < model->load_count; ++k) {
        const pli_model_load *load = &model->loads[k];
        double factor = pli_course_at(&load->course, time);
        if (is_dead(load)) {
            add_dead(load, factor, s->dead_force);
        } else {
            s->pressure->value[patch++] = factor * load->pressure;
        }
    }
    if (s->pressure != NULL) pli_pressure_refer(s->pressure, state->x);
    for (int32_t k = 0; k < model->cavity_count; ++k) {
        s->cavities->factor[k] = pli_course_at(&model->cavities[k].course, time);
    }
}

// ---- work

// Mean of the factors at both ends of a step.
static double mean_factor(const pli_course *course, double from, double to)
{
    return 0.5 * (pli_course_at(course, from) + pli_course_at(course, to));
}

// sum of w_i d_i, what a dead load's vector is multiplied by to have its work
static void sum_displacements(const pli_model_load *load, const double *from, const double *to,
                              double sum[3])
{
    pli_vec3_set(0, 0, 0, sum);
    for (int32_t i = 0; i < load->vertex_count; ++i) {
        int64_t at = 3 * (int64_t)load->vertices[i];
        for (int k = 0; k < 3; ++k) sum[k] += load->weights[i] * (to[at + k] - from[at + k]);
    }
}

void pli_loads_add_work(pli_mesh_stepper *s, pli_state *state, double from, double time)
{
    const pli_model *model = s->model;
    int32_t patch = 0;
    if (s->pressure != NULL) pli_pressure_refer(s->pressure, state->x);
    for (int32_t k = 0; k < model->load_count; ++k) {
        const pli_model_load *load = &model->loads[k];
        double factor = mean_factor(&load->course, from, time), moved[3];
        if (is_dead(load)) {
            sum_displacements(load, state->x, s->x, moved);
            state->load_work += factor * pli_vec3_dot(load->vector, moved);
        } else {
            double swept = pli_pressure_swept_volume(s->pressure, patch++, s->x);
            state->load_work -= factor * load->pressure * swept;
        }
    }
    for (int32_t k = 0; k < model->cavity_count; ++k) {
        const pli_model_cavity *cavity = &model->cavities[k];
        if (cavity->law.kind != PLI_CAVITY_GIVEN) continue;
        double gained = pli_cavities_volume(s->cavities, k, s->x) -
                        pli_cavities_volume(s->cavities, k, state->x);
        double factor = mean_factor(&cavity->course, from, time);
        state->cavity_work += factor * cavity->law.pressure * gained;
    }
}

// ---- reports

void pli_loads_measure(pli_mesh_stepper *s, const pli_state *state, double time,
                       pli_step_report *report)
{
    const pli_model *model = s->model;
    report->energy.load = -state->load_work;
    report->energy.cavity = -state->cavity_work;
    report->cavity_count = model->cavity_count;
    report->cavities = s->cavity_reports;
    for (int32_t k = 0; k < model->cavity_count; ++k) {
        const pli_model_cavity *cavity = &model->cavities[k];
        double volume = pli_cavities_volume(s->cavities, k, state->x);
        double factor = pli_course_at(&cavity->course, time);
        s->cavity_reports[k] =
            (pli_cavity_report){.name = cavity->name,
                                .volume = volume,
                                .pressure = -pli_cavity_slope(&cavity->law, factor, volume)};
        if (cavity->law.kind == PLI_CAVITY_GIVEN) continue;
        report->energy.cavity += pli_cavity_energy(&cavity->law, factor, volume);
    }
}
