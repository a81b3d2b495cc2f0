// SPDX-License-Identifier: Apache-2.0
#include "sim/model/model_paint.h"

#include "base/memory.h"
#include "geometry/mesh/mesh_check.h"
#include "sim/body/body_copy.h"
#include "sim/body/material_matter.h"
#include "sim/body/material_resolve.h"
#include "sim/body/paint.h"
#include "sim/model/model_building.h"
#include "sim/scene/schema.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// ---- what is asked of a model

void pli_model_tet_params(const pli_model *model, int64_t tet, double params[PLI_MODEL_PARAMS])
{
    const pli_model_material *material = &model->materials[model->material_of[tet]];
    memcpy(params, material->params, sizeof material->params);
}

bool pli_model_is_keyed(const pli_model *model, int32_t material)
{
    for (int32_t k = 0; k < model->track_count; ++k) {
        if (model->tracks[k].source == model->materials[material].source) return true;
    }
    return false;
}

const double *pli_model_inputs(const pli_model *model, int32_t material)
{
    if (model->inputs == NULL) return NULL;
    return model->inputs + (int64_t)material * model->input_stride;
}

void pli_model_material_at(const pli_model *model, int32_t material, double time,
                           double params[PLI_MODEL_PARAMS], double *drag, double *rayleigh)
{
    const pli_model_material *from = &model->materials[material];
    double inputs[PLI_MATERIAL_INPUTS];
    memcpy(inputs, pli_model_inputs(model, material), (size_t)model->input_stride * sizeof *inputs);
    if (drag != NULL) *drag = from->drag;
    if (rayleigh != NULL) *rayleigh = from->rayleigh;
    for (int32_t k = 0; k < model->track_count; ++k) {
        const pli_model_track *track = &model->tracks[k];
        if (track->source != from->source) continue;
        double value = pli_paint_keyed(track->keys, track->key_count, track->ease, time);
        if (track->of == PLI_TRACK_DRAG && drag != NULL) *drag = value;
        if (track->of == PLI_TRACK_RAYLEIGH && rayleigh != NULL) *rayleigh = value;
        if (track->of >= 0) inputs[track->of] = value;
    }
    if (params != NULL) model->laws[from->law]->derive(inputs, params);
}

double pli_model_young_at(const pli_model *model, int32_t material, double time)
{
    const pli_model_material *from = &model->materials[material];
    int32_t young = pli_material_find_input(model->laws[from->law], "young");
    if (young < 0) return 0;
    for (int32_t k = 0; k < model->track_count; ++k) {
        const pli_model_track *track = &model->tracks[k];
        if (track->source != from->source || track->of != young) continue;
        return pli_paint_keyed(track->keys, track->key_count, track->ease, time);
    }
    return from->young;
}

void pli_model_clear_paint(pli_model *model)
{
    for (int32_t k = 0; k < model->track_count; ++k) {
        pli_release(model->context, (void *)(uintptr_t)model->tracks[k].keys);
    }
    for (int32_t k = 0; k < model->painted_count; ++k) {
        pli_release(model->context, (void *)(uintptr_t)model->painted[k].number);
        pli_release(model->context, (void *)(uintptr_t)model->painted[k].by);
    }
    PLI_RELEASE(model->context, model->tracks, model->painted, model->inputs);
}

// ---- what is told of a model

// Tells of a number in the range, together with what was told of it before.
static pli_status tell(pli_model *model, const char *number, const pli_paint_def *paint,
                       const double range[2], const char *unit)
{
    char by[128];
    pli_paint_describe(paint, by, sizeof by);
    for (int32_t k = 0; k < model->painted_count; ++k) {
        pli_painted_info *told = &model->painted[k];
        if (strcmp(told->number, number) != 0) continue;
        told->least = fmin(told->least, range[0]);
        told->most = fmax(told->most, range[1]);
        return PLI_OK;
    }
    int64_t count = model->painted_count + 1;
    PLI_TRY(PLI_RESIZE(model->context, model->painted, count, "painted numbers"));
    pli_painted_info *told = &model->painted[model->painted_count++];
    *told = (pli_painted_info){.least = range[0], .most = range[1], .unit = unit};
    told->number = pli_string_copy(model->context, number);
    told->by = pli_string_copy(model->context, by);
    return told->number != NULL && told->by != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

// ---- which numbers of a material are painted

// A painted number of a material: its row of the table, its paint, and where its value belongs.
typedef struct number {
    const pli_field *field;     // unit and range; of a parameter: the input's unit
    const pli_paint_def *paint; //
    int32_t parameter;          // -1: a member of the material
    const char *unit;
    int32_t value_count; // 1, or 3: a direction
} number;

enum { NUMBERS = 8 + PLI_MATERIAL_INPUTS };

static int32_t list_numbers(const pli_material_def *def, const pli_material_ops *law,
                            number numbers[NUMBERS])
{
    int32_t count = 0;
    for (int32_t k = 0; k < def->painted_count && count < NUMBERS; ++k) {
        const pli_field *field = pli_schema_find(&pli_material_schema, def->painted[k].key);
        numbers[count++] = (number){field, &def->painted[k], -1, field->unit, 1};
    }
    for (int32_t k = 0; k < def->parameter_count && count < NUMBERS; ++k) {
        const pli_named_value *given = &def->parameters[k];
        const pli_material_input *input = pli_material_input_of(law, given->name);
        if (input == NULL || given->painted_count == 0) continue;
        int32_t value_count = input->components > 0 ? input->components : 1;
        numbers[count++] = (number){NULL, given->painted, k, input->unit, value_count};
    }
    return count;
}

bool pli_material_is_painted(const pli_material_def *def)
{
    if (def->painted_count > 0) return true;
    for (int32_t k = 0; k < def->parameter_count; ++k) {
        if (def->parameters[k].painted_count > 0) return true;
    }
    return false;
}

// Whether something differs from place to place, not only with time.
static bool has_places(const number *numbers, int32_t count)
{
    for (int32_t k = 0; k < count; ++k) {
        if (numbers[k].paint->key_count == 0) return true;
    }
    return false;
}

// ---- rows of elements

// the painting of a body with one material of the scene
typedef struct painting {
    pli_building *b;
    const pli_model_body *body;
    pli_canvas canvas;
    const pli_material_def *def;
    int32_t source;
    int32_t count;
    number numbers[NUMBERS];
    pli_paint *paints; // [count]

    // the material of an element
    pli_material_def own;
    pli_named_value parameters[PLI_MATERIAL_INPUTS];
    double directions[PLI_MATERIAL_INPUTS][3]; // of the parameters that are directions

    // the values found
    double ranges[NUMBERS][2];
    pli_offenders wrong;
    int32_t wrong_number;
    char text[PLI_FIELD_ERROR_CAPACITY];
} painting;

// "materials.rubber.parameters.bulk"
static void name_number(const pli_material_def *def, const number *of, char path[PLI_PATH_CAPACITY])
{
    bool is_input = of->parameter >= 0;
    snprintf(path, PLI_PATH_CAPACITY, "materials.%s.%s%s", def->name, is_input ? "parameters." : "",
             is_input ? def->parameters[of->parameter].name : of->paint->key);
}

static pli_status refuse_number(const painting *p, int32_t index, const char *text)
{
    const number *of = &p->numbers[index];
    char path[PLI_PATH_CAPACITY];
    name_number(p->def, of, path);
    pli_visit at = {.path = path, .holder = of->paint, .member = of->paint};
    return pli_scene_fail(p->b->scene, PLI_ERROR_SCENE, &at, "%s", text);
}

// Puts values where the material of an element has them.
static void put_values(painting *p, const number *to, const double values[3])
{
    if (to->parameter < 0) {
        memcpy((char *)&p->own + to->field->offset, values, sizeof *values);
        return;
    }
    pli_named_value *parameter = &p->parameters[to->parameter];
    if (to->value_count == 1) {
        parameter->value = *values;
        return;
    }
    double *direction = p->directions[to->parameter];
    memcpy(direction, values, 3 * sizeof *direction);
    parameter->direction = direction;
    parameter->direction_count = 3;
}

static void note_wrong(painting *p, int32_t cell, int32_t index, const char *text)
{
    if (p->wrong.count == 0) {
        p->wrong_number = index;
        snprintf(p->text, sizeof p->text, "%s", text);
    }
    pli_offenders_add(&p->wrong, cell);
}

// The values of an element; false: one is out of the range of its key.
static bool take_values(painting *p, int32_t cell)
{
    for (int32_t k = 0; k < p->count; ++k) {
        const number *one = &p->numbers[k];
        double values[3] = {0};
        char error[PLI_FIELD_ERROR_CAPACITY] = "found a value that is missing or not finite";
        pli_paint_cell(&p->paints[k], &p->canvas, cell, values);
        bool is_right = isfinite(values[0]) && isfinite(values[1]) && isfinite(values[2]);
        if (is_right && one->field != NULL) is_right = pli_field_check(one->field, values, error);
        if (!is_right) {
            note_wrong(p, cell, k, error);
            return false;
        }
        for (int32_t i = 0; i < one->value_count; ++i) {
            p->ranges[k][0] = fmin(p->ranges[k][0], values[i]);
            p->ranges[k][1] = fmax(p->ranges[k][1], values[i]);
        }
        put_values(p, one, values);
    }
    return true;
}

// The number that a problem of a material is about.
static int32_t find_number(const painting *p, const pli_material_problem *problem)
{
    for (int32_t k = 0; k < p->count; ++k) {
        const number *one = &p->numbers[k];
        const char *key =
            one->parameter >= 0 ? p->def->parameters[one->parameter].name : one->paint->key;
        const char *blamed = strrchr(problem->key, '.');
        if (strcmp(blamed != NULL ? blamed + 1 : problem->key, key) == 0) return k;
    }
    return 0;
}

// The row of an element.
static void paint_cell(painting *p, int32_t cell, int32_t row)
{
    pli_model *model = p->b->model;
    pli_resolved_material values;
    pli_material_problem problem;
    if (!take_values(p, cell)) return;
    if (!pli_material_resolve(p->b->context, &p->own, &values, &problem)) {
        note_wrong(p, cell, find_number(p, &problem), problem.text);
        return;
    }
    pli_model_set_material(model, p->source, &values, row);
}

static pli_status check_values(const painting *p)
{
    if (p->wrong.count == 0) return PLI_OK;
    char cells[128];
    char by[128];
    char text[PLI_FIELD_ERROR_CAPACITY + 512];
    pli_offenders_text(&p->wrong, cells, sizeof cells);
    pli_paint_describe(p->numbers[p->wrong_number].paint, by, sizeof by);
    const bool tets = p->canvas.mesh->corner_count == 4;
    snprintf(text, sizeof text, "painted %s, %s %s of body %s: %s", by,
             p->wrong.count > 1 ? (tets ? "tetrahedra" : "triangles")
                                : (tets ? "tetrahedron" : "triangle"),
             cells, p->body->name, p->text);
    return refuse_number(p, p->wrong_number, text);
}

static int32_t *body_materials(pli_model *model, const pli_model_body *body, int32_t *count)
{
    bool shell = body->kind == PLI_BODY_SHELL;
    *count = shell ? body->triangle_count : body->tet_count;
    return shell ? model->triangle_material + body->first_triangle
                 : model->material_of + body->first_tet;
}

// Rows for all elements of a body that are made of a material of the scene.
static pli_status paint_cells(painting *p)
{
    pli_model *model = p->b->model;
    int32_t cell_count = 0;
    int32_t *material_of = body_materials(model, p->body, &cell_count);
    int64_t count = 0;
    for (int32_t cell = 0; cell < cell_count; ++cell) count += material_of[cell] == p->source;
    int64_t total = model->material_count + count;
    if (total > INT32_MAX) {
        return PLI_FAIL(p->b->context, PLI_ERROR_UNSUPPORTED, "too many painted elements");
    }
    PLI_TRY(PLI_RESIZE(p->b->context, model->materials, total, "painted materials"));
    PLI_TRY(
        PLI_RESIZE(p->b->context, model->inputs, total * model->input_stride, "painted materials"));
    for (int32_t cell = 0; cell < cell_count; ++cell) {
        if (material_of[cell] != p->source) continue;
        model->materials[model->material_count] = model->materials[p->source];
        paint_cell(p, cell, model->material_count);
        material_of[cell] = model->material_count++;
    }
    // no element has this row any more
    if (count > 0) model->materials[p->source].rest_norm = 0;
    PLI_TRY(check_values(p));
    for (int32_t k = 0; k < p->count && count > 0; ++k) {
        char path[PLI_PATH_CAPACITY];
        if (p->numbers[k].paint->key_count > 0) continue;
        name_number(p->def, &p->numbers[k], path);
        PLI_TRY(tell(model, path, p->numbers[k].paint, p->ranges[k], p->numbers[k].unit));
    }
    return PLI_OK;
}

static pli_status begin_paints(painting *p)
{
    char error[PLI_PAINT_ERROR];
    PLI_TRY(PLI_MAKE(p->b->context, p->paints, p->count, "paints"));
    for (int32_t k = 0; k < p->count; ++k) {
        const number *one = &p->numbers[k];
        p->ranges[k][0] = INFINITY;
        p->ranges[k][1] = -INFINITY;
        if (!pli_paint_init(&p->paints[k], one->paint, one->unit, one->value_count, &p->canvas,
                            error)) {
            return refuse_number(p, k, error);
        }
    }
    p->own = *p->def;
    p->own.painted_count = 0;
    p->own.parameters = p->parameters;
    for (int32_t k = 0; k < p->def->parameter_count; ++k) {
        p->parameters[k] = p->def->parameters[k];
        p->parameters[k].painted_count = 0;
    }
    return PLI_OK;
}

static pli_canvas make_canvas(const pli_building *b, int32_t index)
{
    const pli_model_body *body = &b->model->bodies[index];
    double offset[3];
    pli_canvas canvas = {.body = pli_building_body(b, index),
                         .mesh = pli_building_mesh(b, index),
                         .points = b->model->rest + 3 * (int64_t)body->first_vertex,
                         .seed = (uint64_t)(uint32_t)b->def->seed};
    pli_body_copy_place(canvas.body, b->def->seed, body->source, body->copy, canvas.place, offset);
    return canvas;
}

// One material of the scene in one body.
static pli_status paint_material(pli_building *b, int32_t index, int32_t source)
{
    painting *p = PLI_NEW(b->context, painting, 1, "painting");
    if (p == NULL) return PLI_ERROR_MEMORY;
    p->b = b;
    p->body = &b->model->bodies[index];
    p->canvas = make_canvas(b, index);
    p->def = &b->def->materials[source];
    p->source = source;
    p->count = list_numbers(p->def, b->model->laws[b->model->materials[source].law], p->numbers);
    pli_status status = PLI_OK;
    if (has_places(p->numbers, p->count)) {
        status = begin_paints(p);
        if (status == PLI_OK) status = paint_cells(p);
    }
    PLI_RELEASE(b->context, p->paints, p);
    return status;
}

// ---- thickness and bending of shells

static pli_status refuse_body(const pli_building *b, const pli_body_def *def,
                              const pli_paint_def *paint, const char *text)
{
    char path[PLI_PATH_CAPACITY];
    snprintf(path, sizeof path, "bodies.%s.%s", def->name, paint->key);
    pli_visit at = {.path = path, .holder = paint, .member = paint};
    return pli_scene_fail(b->scene, PLI_ERROR_SCENE, &at, "%s", text);
}

static pli_status tell_elements(const pli_building *b, const pli_canvas *canvas,
                                const pli_paint_def *def, const pli_field *field,
                                const double *values)
{
    double range[2] = {INFINITY, -INFINITY};
    char path[PLI_PATH_CAPACITY];
    for (int32_t cell = 0; cell < canvas->mesh->cell_count; ++cell) {
        range[0] = fmin(range[0], values[cell]);
        range[1] = fmax(range[1], values[cell]);
    }
    snprintf(path, sizeof path, "bodies.%s.%s", canvas->body->name, def->key);
    return tell(b->model, path, def, range, field->unit);
}

// One number of a body, an element each, into an array of the model.
static pli_status paint_elements(const pli_building *b, const pli_canvas *canvas,
                                 const pli_paint_def *def, double *to)
{
    const pli_field *field = pli_schema_find(&pli_body_schema, def->key);
    pli_paint paint;
    pli_offenders wrong = {0};
    char error[PLI_FIELD_ERROR_CAPACITY] = "found a value that is missing or not finite";
    char fault[PLI_PAINT_ERROR];
    if (!pli_paint_init(&paint, def, field->unit, 1, canvas, fault)) {
        return refuse_body(b, canvas->body, def, fault);
    }
    for (int32_t cell = 0; cell < canvas->mesh->cell_count; ++cell) {
        char one[PLI_FIELD_ERROR_CAPACITY];
        pli_paint_cell(&paint, canvas, cell, &to[cell]);
        bool is_right = isfinite(to[cell]) && pli_field_check(field, &to[cell], one);
        if (!is_right && wrong.count == 0 && isfinite(to[cell])) memcpy(error, one, sizeof error);
        if (!is_right) pli_offenders_add(&wrong, cell);
    }
    if (wrong.count == 0) return tell_elements(b, canvas, def, field, to);
    char cells[128];
    char text[PLI_FIELD_ERROR_CAPACITY + 256];
    pli_offenders_text(&wrong, cells, sizeof cells);
    snprintf(text, sizeof text, "triangle%s %s: %s", wrong.count > 1 ? "s" : "", cells, error);
    return refuse_body(b, canvas->body, def, text);
}

static pli_status paint_shell(const pli_building *b, int32_t index)
{
    const pli_model_body *body = &b->model->bodies[index];
    pli_canvas canvas = make_canvas(b, index);
    for (int32_t k = 0; k < canvas.body->painted_count; ++k) {
        const pli_paint_def *def = &canvas.body->painted[k];
        double *to = strcmp(def->key, "thickness") == 0 ? b->model->thickness
                     : strcmp(def->key, "bending") == 0 ? b->model->bending
                                                        : NULL;
        if (to == NULL) continue;
        PLI_TRY(paint_elements(b, &canvas, def, to + body->first_triangle));
    }
    return PLI_OK;
}

pli_status pli_model_paint_body(pli_building *b, int32_t index)
{
    const pli_model_body *body = &b->model->bodies[index];
    if (body->kind == PLI_BODY_SHELL) PLI_TRY(paint_shell(b, index));
    if (body->kind != PLI_BODY_SOLID && body->kind != PLI_BODY_SHELL) return PLI_OK;
    for (int32_t k = 0; k < b->def->material_count; ++k) {
        if (!pli_material_is_painted(&b->def->materials[k])) continue;
        PLI_TRY(paint_material(b, index, k));
    }
    return PLI_OK;
}

// ---- velocities

pli_status pli_model_paint_velocity(const pli_building *b, int32_t index, double *velocity)
{
    const pli_body_def *def = pli_building_body(b, index);
    const pli_paint_def *of = NULL;
    for (int32_t k = 0; k < def->painted_count; ++k) {
        if (strcmp(def->painted[k].key, "velocity") == 0) of = &def->painted[k];
    }
    if (of == NULL) return PLI_OK;
    pli_canvas canvas = make_canvas(b, index);
    const pli_model_body *body = &b->model->bodies[index];
    char error[PLI_PAINT_ERROR];
    pli_paint *paint = PLI_NEW(b->context, pli_paint, 1, "paint");
    double *weights = PLI_NEW(b->context, double, body->vertex_count, "paint");
    double *values = PLI_NEW(b->context, double, 3 * (int64_t)body->vertex_count, "paint");
    pli_status status = PLI_ERROR_MEMORY;
    if (paint == NULL || weights == NULL || values == NULL) goto done;
    status = PLI_OK;
    if (!pli_paint_init(paint, of, "m/s", 3, &canvas, error)) {
        status = refuse_body(b, def, of, error);
        goto done;
    }
    pli_paint_vertices(paint, &canvas, weights, values);
    pli_offenders wrong = {0};
    for (int64_t k = 0; k < 3 * (int64_t)body->vertex_count; ++k) {
        bool is_right = fabs(values[k]) <= 1e9;
        if (!is_right && (wrong.count == 0 || k % 3 == 0))
            pli_offenders_add(&wrong, (int32_t)(k / 3));
        velocity[k] += values[k];
    }
    if (wrong.count > 0) {
        char vertices[128];
        pli_offenders_text(&wrong, vertices, sizeof vertices);
        snprintf(error, sizeof error,
                 "vertices %s: found a value that is missing, not finite or larger than 1e9 m/s",
                 vertices);
        status = refuse_body(b, def, of, error);
    }

done:
    PLI_RELEASE(b->context, values, weights, paint);
    return status;
}

// ---- keys

static pli_status add_track(pli_building *b, int32_t source, const pli_paint_def *paint, int32_t of)
{
    pli_model *model = b->model;
    PLI_TRY(PLI_RESIZE(b->context, model->tracks, (int64_t)model->track_count + 1, "keys"));
    pli_model_track *track = &model->tracks[model->track_count];
    pli_paint_key_def *keys = PLI_NEW(b->context, pli_paint_key_def, paint->key_count, "keys");
    if (keys == NULL) return PLI_ERROR_MEMORY;
    memcpy(keys, paint->keys, (size_t)paint->key_count * sizeof *keys);
    *track = (pli_model_track){source, of, paint->ease, paint->key_count, keys};
    ++model->track_count;
    return PLI_OK;
}

static int32_t track_of(const pli_material_ops *law, const char *key)
{
    if (strcmp(key, "drag") == 0) return PLI_TRACK_DRAG;
    if (strcmp(key, "rayleigh") == 0) return PLI_TRACK_RAYLEIGH;
    return pli_material_find_input(law, key);
}

// The largest value decides whether there is a term at all.
static void note_damping(pli_model *model, const pli_model_track *track)
{
    for (int32_t k = 0; k < track->key_count; ++k) {
        if (track->keys[k].value <= 0) continue;
        model->has_drag = model->has_drag || track->of == PLI_TRACK_DRAG;
        model->has_rayleigh = model->has_rayleigh || track->of == PLI_TRACK_RAYLEIGH;
    }
}

static pli_status tell_keys(pli_model *model, const pli_material_def *def, const number *of)
{
    double range[2] = {INFINITY, -INFINITY};
    char path[PLI_PATH_CAPACITY];
    for (int32_t k = 0; k < of->paint->key_count; ++k) {
        range[0] = fmin(range[0], of->paint->keys[k].value);
        range[1] = fmax(range[1], of->paint->keys[k].value);
    }
    name_number(def, of, path);
    return tell(model, path, of->paint, range, of->unit);
}

pli_status pli_model_build_tracks(pli_building *b)
{
    pli_model *model = b->model;
    for (int32_t source = 0; source < b->def->material_count; ++source) {
        const pli_material_def *def = &b->def->materials[source];
        const pli_material_ops *law = model->laws[model->materials[source].law];
        number numbers[NUMBERS];
        int32_t count = list_numbers(def, law, numbers);
        for (int32_t k = 0; k < count; ++k) {
            const pli_paint_def *paint = numbers[k].paint;
            if (paint->key_count == 0) continue;
            const char *key =
                numbers[k].parameter >= 0 ? def->parameters[numbers[k].parameter].name : paint->key;
            PLI_TRY(add_track(b, source, paint, track_of(law, key)));
            note_damping(model, &model->tracks[model->track_count - 1]);
            PLI_TRY(tell_keys(model, def, &numbers[k]));
        }
    }
    return PLI_OK;
}
