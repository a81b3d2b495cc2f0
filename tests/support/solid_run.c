// SPDX-License-Identifier: Apache-2.0
#include "solid_run.h"

#include "base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The scene of a text, with the mesh as the geometry of its first body.
static pli_status make_scene(pli_solid *s, const pli_mesh_data *mesh, const char *text)
{
    pli_scene *scene = NULL;
    PLI_TRY(pli_scene_parse(s->context, text, (int64_t)strlen(text), "solid", NULL, &scene));
    if (mesh == NULL) {
        s->scene = scene;
        return PLI_OK;
    }
    pli_file_def file = {.path = "", .mesh = mesh};
    pli_scene_def def = *pli_scene_get(scene);
    pli_body_def body = def.bodies[0];
    body.geometry = (pli_variant){PLI_GEOMETRY_FILE, &file};
    def.bodies = &body;
    pli_status status = pli_scene_create(s->context, &def, &s->scene);
    pli_scene_destroy(scene);
    return status;
}

static pli_status build(pli_solid *s, const pli_mesh_data *mesh, const char *text)
{
    PLI_TRY(make_scene(s, mesh, text));
    PLI_TRY(pli_model_create(s->context, s->scene, NULL, &s->model));
    PLI_TRY(pli_state_create(s->model, &s->state));
    PLI_TRY(pli_solver_create(s->model, &s->solver));
    s->info = pli_model_get_info(s->model);
    s->X = pli_model_get_mesh(s->model).rest_positions;
    s->x = pli_state_get(s->state).positions;
    return PLI_OK;
}

pli_status pli_solid_init(pli_solid *s, pli_context *context, const pli_mesh_data *mesh,
                          const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    *s = (pli_solid){.context = context};
    if (length < 0 || (size_t)length >= sizeof text) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "the text of a scene is too long");
    }
    pli_status status = build(s, mesh, text);
    if (status != PLI_OK) pli_solid_clear(s);
    return status;
}

void pli_solid_clear(pli_solid *s)
{
    pli_solver_destroy(s->solver);
    pli_state_destroy(s->state);
    pli_model_destroy(s->model);
    pli_scene_destroy(s->scene);
    *s = (pli_solid){.context = s->context};
}

pli_status pli_solid_step(pli_solid *s, pli_step_report *report)
{
    PLI_TRY(pli_solver_step(s->solver, s->state, report));
    if (report->stop > 0) return PLI_OK;
    return PLI_FAIL(s->context, PLI_ERROR_NUMERIC, "step %lld did not converge: %s",
                    (long long)report->step, pli_stop_name(report->stop));
}

const double *pli_solid_probe(const pli_step_report *report, const char *name)
{
    for (int32_t k = 0; k < report->probe_count; ++k) {
        if (strcmp(report->probes[k].name, name) == 0) return report->probes[k].values;
    }
    return NULL;
}

pli_status pli_solid_field(pli_solid *s, const char *name, const double **values)
{
    pli_frame frame;
    *values = NULL;
    PLI_TRY(pli_solver_frame(s->solver, s->state, &frame));
    for (int32_t k = 0; k < frame.parts[0].field_count; ++k) {
        const pli_frame_field *field = &frame.parts[0].fields[k];
        if (strcmp(field->name, name) == 0) *values = field->values;
    }
    return *values != NULL ? PLI_OK : PLI_FAIL(s->context, PLI_ERROR_ARGUMENT, "no field %s", name);
}
