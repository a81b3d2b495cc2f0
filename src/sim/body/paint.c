// SPDX-License-Identifier: Apache-2.0
#include "sim/body/paint.h"

#include "base/suggest.h"
#include "geometry/mesh/mesh_check.h"
#include "geometry/mesh/tet_mesh.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "sim/scene/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool has_array(const pli_paint_def *def)
{
    return def->array != NULL && def->array[0] != '\0';
}

int32_t pli_paint_way_count(const pli_paint_def *def)
{
    return has_array(def) + (def->expression_count > 0) + (def->key_count > 0);
}

void pli_paint_describe(const pli_paint_def *def, char *text, size_t capacity)
{
    char excerpt[PLI_EXCERPT_CAPACITY];
    if (has_array(def)) {
        snprintf(text, capacity, "by array '%s'", pli_excerpt(def->array, excerpt));
    } else if (def->expression_count == 1) {
        snprintf(text, capacity, "by expression '%s'", pli_excerpt(def->expression[0], excerpt));
    } else if (def->expression_count == 3) {
        char y[PLI_EXCERPT_CAPACITY];
        char z[PLI_EXCERPT_CAPACITY];
        snprintf(text, capacity, "by expressions '%s', '%s', '%s'",
                 pli_excerpt(def->expression[0], excerpt), pli_excerpt(def->expression[1], y),
                 pli_excerpt(def->expression[2], z));
    } else {
        snprintf(text, capacity, "by keys");
    }
}

// ---- arrays of a mesh file

static int32_t cell_place(const pli_canvas *canvas)
{
    return canvas->mesh->corner_count == 4 ? PLI_MESH_TETS : PLI_MESH_TRIANGLES;
}

// Whether cells of the body are those of the file: not where its boundary is taken of tetrahedra.
static bool has_cells_of_file(const pli_canvas *canvas)
{
    return canvas->mesh->corner_count == 4 || !pli_body_mesh_has_tets(canvas->body);
}

static bool fits(const pli_canvas *canvas, const pli_mesh_array *array)
{
    if (array->place == PLI_MESH_POINTS) return true;
    return array->place == cell_place(canvas) && has_cells_of_file(canvas);
}

static bool find_array(pli_paint *paint, const pli_canvas *canvas, char *error)
{
    const pli_mesh_data *file = pli_body_mesh_file(canvas->body);
    if (file == NULL) {
        snprintf(error, PLI_PAINT_ERROR,
                 "the geometry of body %s is not a mesh file, which an array would be in; write an "
                 "expression",
                 canvas->body->name);
        return false;
    }
    char found[PLI_EXCERPT_CAPACITY];
    pli_suggest suggest;
    pli_suggest_init(&suggest, pli_excerpt(paint->def->array, found));
    int32_t count = 0;
    for (int32_t k = 0; k < file->array_count; ++k) {
        const pli_mesh_array *array = &file->arrays[k];
        if (!fits(canvas, array)) continue;
        bool is_it = strcmp(array->name, paint->def->array) == 0;
        // values in cells are nearer to what is wanted than means of those at corners
        if (is_it && (paint->array == NULL || array->place != PLI_MESH_POINTS)) {
            paint->array = array;
        }
        pli_suggest_add(&suggest, array->name);
        ++count;
    }
    if (paint->array != NULL) return true;
    snprintf(error, PLI_PAINT_ERROR, "the mesh file of body %s has no array '%s'%s%s",
             canvas->body->name, found, count > 0 ? "; it has " : ", nor any other",
             count > 0 ? pli_suggest_text(&suggest) : "");
    return false;
}

static bool check_components(const pli_paint *paint, char *error)
{
    int32_t count = paint->array->component_count;
    int32_t component = paint->def->component;
    if (component >= count) {
        snprintf(error, PLI_PAINT_ERROR,
                 "array '%s' has %d components, counted from 0; found "
                 "component %d",
                 paint->def->array, count, component);
        return false;
    }
    if (paint->value_count == 3 && component >= 0) {
        snprintf(error, PLI_PAINT_ERROR,
                 "three components are needed; found component %d alone of array '%s'", component,
                 paint->def->array);
        return false;
    }
    bool is_one = count == 1 || component >= 0;
    if (paint->value_count == 1 ? is_one : count == 3) return true;
    snprintf(error, PLI_PAINT_ERROR,
             paint->value_count == 1
                 ? "array '%s' has %d components, of which one is needed: write component: 0"
                 : "array '%s' has %d components for each value; three are needed",
             paint->def->array, count);
    return false;
}

static bool init_array(pli_paint *paint, const char *unit, const pli_canvas *canvas, char *error)
{
    const pli_paint_def *def = paint->def;
    if (!find_array(paint, canvas, error) || !check_components(paint, error)) return false;
    paint->factor = def->scale;
    if (def->unit == NULL || def->unit[0] == '\0') return true;
    double factor = 1;
    char expected[64];
    char found[PLI_EXCERPT_CAPACITY];
    if (pli_unit_factor(def->unit, unit, &factor) != PLI_UNIT_OK) {
        pli_unit_describe(unit, expected, sizeof expected);
        snprintf(error, PLI_PAINT_ERROR, "expected %s, found '%s'", expected,
                 pli_excerpt(def->unit, found));
        return false;
    }
    paint->factor *= factor;
    return true;
}

static bool init_expressions(pli_paint *paint, char *error)
{
    const pli_paint_def *def = paint->def;
    if (def->expression_count != paint->value_count) {
        snprintf(error, PLI_PAINT_ERROR, "found %d expressions, expected %s", def->expression_count,
                 paint->value_count == 1 ? "one" : "three, for x, y and z");
        return false;
    }
    for (int32_t k = 0; k < def->expression_count; ++k) {
        char found[PLI_EXCERPT_CAPACITY];
        char fault[PLI_EXPRESSION_ERROR];
        if (pli_expression_parse(def->expression[k], &paint->expressions[k], fault)) continue;
        snprintf(error, PLI_PAINT_ERROR, "expression '%s', %s",
                 pli_excerpt(def->expression[k], found), fault);
        return false;
    }
    return true;
}

bool pli_paint_init(pli_paint *paint, const pli_paint_def *def, const char *unit,
                    int32_t value_count, const pli_canvas *canvas, char error[PLI_PAINT_ERROR])
{
    paint->def = def;
    paint->value_count = value_count;
    paint->array = NULL;
    paint->factor = 1;
    error[0] = '\0';
    if (has_array(def)) return init_array(paint, unit, canvas, error);
    return def->key_count > 0 || init_expressions(paint, error);
}

// ---- values

double pli_paint_keyed(const pli_paint_key_def *keys, int32_t key_count, int32_t ease, double time)
{
    int32_t after = 0;
    while (after < key_count && keys[after].time <= time) ++after;
    if (after == 0) return keys[0].value;
    if (after == key_count) return keys[key_count - 1].value;
    const pli_paint_key_def *from = &keys[after - 1];
    const pli_paint_key_def *to = &keys[after];
    double t = (time - from->time) / (to->time - from->time);
    if (ease == PLI_EASE_SMOOTH) t = t * t * (3 - 2 * t);
    return from->value + t * (to->value - from->value);
}

// The value of an array's item, scaled.
static double array_value(const pli_paint *paint, int64_t item, int32_t k)
{
    const pli_mesh_array *array = paint->array;
    int32_t component = paint->def->component >= 0 ? paint->def->component : k;
    return paint->factor * array->values[item * array->component_count + component] +
           paint->def->offset;
}

// Takes a vector of the mesh file along with the body; its length stays.
static void turn(const pli_paint *paint, const pli_canvas *canvas, double *values)
{
    if (paint->array == NULL || paint->value_count != 3) return;
    double length = pli_vec3_norm(values);
    double turned[3];
    pli_mat3_apply(canvas->place, values, turned);
    double stretched = pli_vec3_norm(turned);
    if (stretched > 0) pli_vec3_scale(length / stretched, turned, values);
}

static double value_at_point(const pli_paint *paint, const pli_canvas *canvas, const double x[3],
                             int32_t k)
{
    const pli_paint_def *def = paint->def;
    if (def->key_count > 0) return pli_paint_keyed(def->keys, def->key_count, def->ease, 0);
    return pli_expression_evaluate(&paint->expressions[k], x, canvas->seed);
}

void pli_paint_cell(const pli_paint *paint, const pli_canvas *canvas, int32_t cell, double *values)
{
    const pli_body_mesh *mesh = canvas->mesh;
    int32_t corner_count = mesh->corner_count;
    const int32_t *corners = mesh->cells + (int64_t)cell * corner_count;
    bool at_corners = paint->array != NULL && paint->array->place == PLI_MESH_POINTS;
    double x[3] = {0, 0, 0};
    for (int32_t i = 0; i < corner_count; ++i) {
        pli_vec3_add_scaled(x, 1.0 / corner_count, canvas->points + 3 * (int64_t)corners[i], x);
    }
    for (int32_t k = 0; k < paint->value_count; ++k) {
        double sum = 0;
        for (int32_t i = 0; at_corners && i < corner_count; ++i) {
            sum += array_value(paint, mesh->vertex_origin[corners[i]], k);
        }
        values[k] = at_corners             ? sum / corner_count
                    : paint->array != NULL ? array_value(paint, cell, k)
                                           : value_at_point(paint, canvas, x, k);
    }
    turn(paint, canvas, values);
}

// The volume of a tetrahedron, or twice the area of a triangle: only ratios count.
static double cell_size(const pli_canvas *canvas, const int32_t *corners)
{
    if (canvas->mesh->corner_count == 4) {
        return fabs(pli_tet_volume_at(canvas->points, corners));
    }
    double ab[3];
    double ac[3];
    double normal[3];
    const double *a = canvas->points + 3 * (int64_t)corners[0];
    pli_vec3_subtract(canvas->points + 3 * (int64_t)corners[1], a, ab);
    pli_vec3_subtract(canvas->points + 3 * (int64_t)corners[2], a, ac);
    pli_vec3_cross(ab, ac, normal);
    return pli_vec3_norm(normal);
}

// Means by volume of the cells around a vertex.
static void gather_cells(const pli_paint *paint, const pli_canvas *canvas, double *weights,
                         double *values)
{
    const pli_body_mesh *mesh = canvas->mesh;
    int32_t n = paint->value_count;
    memset(weights, 0, (size_t)mesh->vertex_count * sizeof *weights);
    memset(values, 0, (size_t)mesh->vertex_count * (size_t)n * sizeof *values);
    for (int32_t cell = 0; cell < mesh->cell_count; ++cell) {
        const int32_t *corners = mesh->cells + (int64_t)cell * mesh->corner_count;
        double size = cell_size(canvas, corners);
        for (int32_t i = 0; i < mesh->corner_count; ++i) {
            weights[corners[i]] += size;
            for (int32_t k = 0; k < n; ++k) {
                values[(int64_t)corners[i] * n + k] += size * array_value(paint, cell, k);
            }
        }
    }
    for (int64_t k = 0; k < (int64_t)mesh->vertex_count * n; ++k) values[k] /= weights[k / n];
}

void pli_paint_vertices(const pli_paint *paint, const pli_canvas *canvas, double *weights,
                        double *values)
{
    int32_t n = paint->value_count;
    bool in_cells = paint->array != NULL && paint->array->place != PLI_MESH_POINTS;
    if (in_cells) gather_cells(paint, canvas, weights, values);
    for (int64_t vertex = 0; vertex < canvas->mesh->vertex_count; ++vertex) {
        for (int32_t k = 0; k < n && !in_cells; ++k) {
            values[vertex * n + k] =
                paint->array != NULL
                    ? array_value(paint, canvas->mesh->vertex_origin[vertex], k)
                    : value_at_point(paint, canvas, canvas->points + 3 * vertex, k);
        }
        turn(paint, canvas, values + vertex * n);
    }
}
