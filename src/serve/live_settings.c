// SPDX-License-Identifier: Apache-2.0
#include "serve/live_settings.h"

#include "io/file/json.h"
#include "pliant/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the table of what can be changed

typedef enum setting_shape { // what a page shows for it
    SHAPE_VECTOR,
    SHAPE_LINEAR,
    SHAPE_LOGARITHMIC,
    SHAPE_WHOLE,
    SHAPE_SOLVER
} setting_shape;

typedef struct setting_row {
    const char *schema; // of the struct that has the key
    const char *key;
    const char *label;
    setting_shape shape;
    double low; // ends of a slider, unless logarithmic: then it reaches as far around the value
    double high;
} setting_row;

static const setting_row rows[] = {
    {"scene", "gravity", "Gravity", SHAPE_VECTOR, -30, 30},
    {"material", "young", "Young's modulus", SHAPE_LOGARITHMIC, 0, 0},
    {"material", "drag", "damping by mass", SHAPE_LINEAR, 0, 10},
    {"material", "rayleigh", "damping by stiffness", SHAPE_LINEAR, 0, 0.1},
    {"material", "viscosity", "viscosity", SHAPE_LINEAR, 0, 100},
    {"springs", "stretch", "stretching", SHAPE_LOGARITHMIC, 0, 0},
    {"springs", "bend", "bending", SHAPE_LOGARITHMIC, 0, 0},
    {"springs", "drag", "damping by mass", SHAPE_LINEAR, 0, 10},
    {"springs", "rayleigh", "damping by stiffness", SHAPE_LINEAR, 0, 0.1},
    {"contact", "friction", "Friction of bodies", SHAPE_LINEAR, 0, 1.5},
    {"solver", "name", "Solver", SHAPE_SOLVER, 0, 0},
    {"solver", "fixed_iterations", "Iterations a step (0: until converged)", SHAPE_WHOLE, 0, 100},
    {"solver", "max_iterations", "Iterations at most", SHAPE_WHOLE, 1, 1000},
    {"solver", "linear_iterations", "Inner iterations (0: the solver's own)", SHAPE_WHOLE, 0, 100},
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

static const setting_row *find_row(const pli_visit *visit)
{
    if (visit->field == NULL) return NULL;
    for (int32_t k = 0; k < ROW_COUNT; ++k) {
        bool same = strcmp(rows[k].schema, visit->schema->name) == 0 &&
                    strcmp(rows[k].key, visit->field->key) == 0;
        if (same) return &rows[k];
    }
    return NULL;
}

// ---- one setting as JSON

// "rubber: Young's modulus": what the path says before the key, without sections.
static void append_label(pli_text *text, const pli_visit *visit, const setting_row *row)
{
    char label[256];
    const char *first = strchr(visit->path, '.');
    const char *last = first != NULL ? strchr(first + 1, '.') : NULL;
    if (last != NULL) {
        snprintf(label, sizeof label, "%.*s: %s", (int)(last - first - 1), first + 1, row->label);
    } else {
        snprintf(label, sizeof label, "%s", row->label);
    }
    pli_json_append_string(text, label);
}

// The value as a scene file would have it.
static void append_value(pli_text *text, const pli_visit *visit)
{
    char number[PLI_FIELD_TEXT_CAPACITY];
    char value[4 * PLI_FIELD_TEXT_CAPACITY] = "";
    pli_items items = pli_field_get_items(visit->field, visit->holder);
    bool list = items.is_list || items.fixed > 1;
    size_t used = 0;
    for (int32_t k = 0; k < items.count && k < 3; ++k) {
        const void *item = (const char *)items.first + (size_t)k * items.stride;
        const char *printed = pli_field_print(visit->field, item, number);
        int written = snprintf(value + used, sizeof value - used, "%s%s",
                               list ? (k == 0 ? "[" : ", ") : "", printed);
        used += written > 0 && (size_t)written < sizeof value - used ? (size_t)written : 0;
    }
    if (list) snprintf(value + used, sizeof value - used, "]");
    pli_json_append_string(text, value);
}

static bool holds_particles(const pli_scene_def *def)
{
    bool found = def->emitter_count > 0;
    for (int32_t k = 0; k < def->body_count; ++k) {
        found = found || def->bodies[k].geometry.kind == PLI_GEOMETRY_PARTICLES;
    }
    return found;
}

static void append_solvers(pli_text *text, const pli_scene_def *def)
{
    const char *wanted = holds_particles(def) ? "particles" : "meshes";
    pli_text_append(text, ",\"choices\":[\"auto\"");
    pli_solver_info info;
    for (int32_t k = 0; pli_solver_info_get(k, &info); ++k) {
        bool fits = strcmp(info.takes, wanted) == 0 || strcmp(info.takes, "both") == 0;
        if (!fits || strcmp(info.name, "auto") == 0) continue;
        pli_text_append(text, ",");
        pli_json_append_string(text, info.name);
    }
    pli_text_append(text, "]");
}

// A slider around a value reaches three decades down and up, within what the field allows.
static void append_range(pli_text *text, const pli_visit *visit, const setting_row *row)
{
    double low = row->low;
    double high = row->high;
    if (row->shape == SHAPE_LOGARITHMIC) {
        double value = *(const double *)visit->member;
        low = value * 1e-3;
        high = value * 1e3;
    }
    bool bounded = visit->field->min < visit->field->max;
    if (bounded) low = fmax(low, visit->field->min);
    if (bounded) high = fmin(high, visit->field->max);
    pli_json_add_number(text, "low", low);
    pli_json_add_number(text, "high", high);
    if (row->shape == SHAPE_LOGARITHMIC) pli_text_append(text, ",\"logarithmic\":true");
}

static const char *kind_name(setting_shape shape)
{
    switch (shape) {
    case SHAPE_VECTOR: return "vector";
    case SHAPE_WHOLE: return "integer";
    case SHAPE_SOLVER: return "choice";
    case SHAPE_LINEAR:
    case SHAPE_LOGARITHMIC: break;
    }
    return "number";
}

typedef struct walk {
    const pli_scene_def *def;
    pli_text *text;   // NULL: looks for a path
    const char *path; // that is looked for
    bool found;
} walk;

// Whether springs are those of a cloth: other bodies have none that do anything.
static bool are_cloths(const pli_scene_def *def, const void *springs)
{
    for (int32_t k = 0; k < def->body_count; ++k) {
        if (springs == &def->bodies[k].springs) return def->bodies[k].kind == PLI_BODY_CLOTH;
    }
    return false;
}

// Whether a setting means something in this scene: what was not given can't be changed, cloth alone
// has springs, particles alone are viscous, no solver of particles has inner iterations to choose,
// and what does not touch has no friction.
static bool applies(const walk *w, const pli_visit *visit, const setting_row *row)
{
    if (strcmp(row->schema, "springs") == 0 || row->shape == SHAPE_LOGARITHMIC) {
        if (pli_field_is_absent(visit->field, visit->holder)) return false;
        if (row->shape == SHAPE_LOGARITHMIC && !(*(const double *)visit->member > 0)) return false;
    }
    if (strcmp(row->schema, "springs") == 0 && !are_cloths(w->def, visit->holder)) return false;
    bool particles = holds_particles(w->def);
    if (strcmp(row->key, "viscosity") == 0) return particles;
    if (strcmp(row->key, "drag") == 0 || strcmp(row->key, "rayleigh") == 0) return !particles;
    if (strcmp(row->key, "linear_iterations") == 0) return !particles;
    if (strcmp(row->key, "friction") == 0) return w->def->contact.method != PLI_CONTACT_NONE;
    return true;
}

static void append_item(const walk *w, const pli_visit *visit, const setting_row *row)
{
    pli_text *text = w->text;
    pli_text_append(text, w->found ? ",{\"path\":" : "{\"path\":");
    pli_json_append_string(text, visit->path);
    pli_text_append(text, ",\"label\":");
    append_label(text, visit, row);
    pli_json_add_string(text, "unit", visit->field->unit != NULL ? visit->field->unit : "");
    pli_text_format(text, ",\"kind\":\"%s\",\"value\":", kind_name(row->shape));
    append_value(text, visit);
    if (row->shape == SHAPE_SOLVER) {
        append_solvers(text, w->def);
    } else {
        append_range(text, visit, row);
    }
    pli_text_append(text, "}");
}

static pli_status visit_field(void *user, const pli_visit *visit)
{
    walk *w = user;
    const setting_row *row = find_row(visit);
    if (row == NULL || !applies(w, visit, row)) return PLI_OK;
    if (w->text == NULL) {
        w->found = w->found || strcmp(visit->path, w->path) == 0;
        return PLI_OK;
    }
    append_item(w, visit, row);
    w->found = true;
    return PLI_OK;
}

pli_status pli_live_settings_append(const pli_scene *scene, pli_text *text)
{
    walk w = {.def = pli_scene_get(scene), .text = text};
    pli_text_append(text, "[");
    PLI_TRY(pli_schema_walk(pli_scene_context(scene), pli_scene_schema(), w.def, visit_field, &w));
    pli_text_append(text, "]");
    return text->failed ? PLI_ERROR_MEMORY : PLI_OK;
}

pli_status pli_live_settings_check(const pli_scene *scene, const char *path)
{
    pli_context *context = pli_scene_context(scene);
    walk w = {.def = pli_scene_get(scene), .path = path};
    PLI_TRY(pli_schema_walk(context, pli_scene_schema(), w.def, visit_field, &w));
    if (w.found) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "%s: can't be changed while the scene is simulated; the settings that can are "
                    "listed",
                    path);
}
