// SPDX-License-Identifier: Apache-2.0
//
// A view in JSON, as docs/protocol.md has it. Reading is strict: a key that is not known, a value
// of another kind or outside its range is refused with the text's name and the key's path, since a
// picture that silently differs from what was framed is worse than none.
#include "io/frames/view.h"

#include "base/memory.h"
#include "base/suggest.h"
#include "io/file/file.h"
#include "io/file/json.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BYTES_LIMIT = 1 << 16, PIXELS_LIMIT = 16384, NAMES_LIMIT = 1024, VERSION = 1 };

// coordinates that can still be drawn (m)
static const double farthest = 1e15;

struct pli_view {
    pli_context *context;
    pli_json json; // owns the texts below
    const char **hidden;

    // what the file says; what it leaves out stays as the picture has it
    bool has_camera, has_up, has_fov, has_color, has_range, has_map, has_component;
    bool has_edges, has_dark, has_colliders, has_hidden, has_section, has_size;
    pli_picture_def def;
};

// a value with where it stands
typedef struct place {
    pli_view *view;
    const char *file;
    const char *path; // "camera.fov"
} place;

// ---- refusing

static const char *describe(const pli_json_node *node)
{
    static const char *const names[] = {"null",   "true or false", "a number",
                                        "a text", "a list",        "an object"};
    return names[node->kind];
}

static pli_status refuse_kind(const place *at, const pli_json_node *node, const char *wanted)
{
    return PLI_FAIL(at->view->context, PLI_ERROR_ARGUMENT, "%s: %s: found %s; allowed is %s",
                    at->file, at->path, describe(node), wanted);
}

static pli_status refuse_value(const place *at, const char *text)
{
    return PLI_FAIL(at->view->context, PLI_ERROR_ARGUMENT, "%s: %s: %s", at->file, at->path, text);
}

// ---- values

static pli_status read_bool(const place *at, const pli_json_node *node, bool *value)
{
    if (node->kind != PLI_JSON_BOOL) return refuse_kind(at, node, "true or false");
    *value = node->number != 0;
    return PLI_OK;
}

static pli_status read_number(const place *at, const pli_json_node *node, const double range[2],
                              double *value)
{
    if (node->kind != PLI_JSON_NUMBER) return refuse_kind(at, node, "a number");
    *value = node->number;
    if (*value >= range[0] && *value <= range[1]) return PLI_OK;
    return PLI_FAIL(at->view->context, PLI_ERROR_ARGUMENT, "%s: %s: found %g; allowed are %g to %g",
                    at->file, at->path, *value, range[0], range[1]);
}

static pli_status read_integer(const place *at, const pli_json_node *node, const double range[2],
                               int32_t *value)
{
    double number = 0;
    PLI_TRY(read_number(at, node, range, &number));
    if (number != floor(number)) return refuse_value(at, "a whole number is needed");
    *value = (int32_t)number;
    return PLI_OK;
}

// A list of so many numbers.
static pli_status read_numbers(const place *at, const pli_json_node *node, const double range[2],
                               int32_t count, double *values)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "a list of %d numbers", (int)count);
    if (node->kind != PLI_JSON_ARRAY) return refuse_kind(at, node, wanted);
    const pli_json *json = &at->view->json;
    int32_t found = 0;
    for (node = pli_json_child(json, node); node != NULL; node = pli_json_next(json, node)) {
        double value = 0;
        PLI_TRY(read_number(at, node, range, &value));
        if (found < count) values[found] = value;
        ++found;
    }
    if (found == count) return PLI_OK;
    return PLI_FAIL(at->view->context, PLI_ERROR_ARGUMENT,
                    "%s: %s: found %d numbers; %d are needed", at->file, at->path, (int)found,
                    (int)count);
}

static pli_status read_point(const place *at, const pli_json_node *node, double point[3])
{
    const double range[2] = {-farthest, farthest};
    return read_numbers(at, node, range, 3, point);
}

// A direction that is long enough to have one.
static pli_status read_direction(const place *at, const pli_json_node *node, double direction[3])
{
    PLI_TRY(read_point(at, node, direction));
    double length = fabs(direction[0]) + fabs(direction[1]) + fabs(direction[2]);
    if (length > 1e-9) return PLI_OK;
    return refuse_value(at, "must not be zero: it is a direction");
}

// Names end with NULL; *value is the index of the one that was found.
static pli_status read_choice(const place *at, const pli_json_node *node, const char *const *names,
                              int32_t *value)
{
    if (node->kind != PLI_JSON_STRING) return refuse_kind(at, node, "a text");
    pli_suggest suggest;
    pli_suggest_init(&suggest, node->text);
    for (int32_t k = 0; names[k] != NULL; ++k) {
        *value = k;
        if (strcmp(names[k], node->text) == 0) return PLI_OK;
        pli_suggest_add(&suggest, names[k]);
    }
    char found[PLI_EXCERPT_CAPACITY];
    return PLI_FAIL(at->view->context, PLI_ERROR_ARGUMENT, "%s: %s: found '%s'; allowed are %s",
                    at->file, at->path, pli_excerpt(node->text, found), pli_suggest_text(&suggest));
}

// ---- objects

typedef struct key_reader {
    const char *key;
    const char *path;
    pli_status (*read)(const place *at, const pli_json_node *node);
} key_reader;

static pli_status refuse_key(const place *at, const key_reader *readers, const char *key)
{
    pli_suggest suggest;
    char found[PLI_EXCERPT_CAPACITY];
    pli_suggest_init(&suggest, key);
    for (; readers->key != NULL; ++readers) pli_suggest_add(&suggest, readers->key);
    return PLI_FAIL(at->view->context, PLI_ERROR_ARGUMENT,
                    "%s: %s: unknown key '%s'; allowed are %s", at->file, at->path,
                    pli_excerpt(key, found), pli_suggest_text(&suggest));
}

// Reads every member by its reader; the readers end with a NULL key.
static pli_status read_object(const place *at, const pli_json_node *object,
                              const key_reader *readers)
{
    const pli_json *json = &at->view->json;
    if (object->kind != PLI_JSON_OBJECT) return refuse_kind(at, object, "an object");
    const pli_json_node *member = pli_json_child(json, object);
    for (; member != NULL; member = pli_json_next(json, member)) {
        const key_reader *reader = readers;
        while (reader->key != NULL && strcmp(reader->key, member->key) != 0) ++reader;
        if (reader->key == NULL) return refuse_key(at, readers, member->key);
        place there = {at->view, at->file, reader->path};
        if (pli_json_get(json, object, member->key) != member) {
            return refuse_value(&there, "is there twice");
        }
        PLI_TRY(reader->read(&there, member));
    }
    return PLI_OK;
}

// Refuses an object without one of its keys.
static pli_status need_key(const place *at, const pli_json_node *object, const char *key)
{
    if (pli_json_get(&at->view->json, object, key) != NULL) return PLI_OK;
    return PLI_FAIL(at->view->context, PLI_ERROR_ARGUMENT, "%s: %s: '%s' is missing", at->file,
                    at->path, key);
}

// ---- camera

static pli_status read_position(const place *at, const pli_json_node *node)
{
    return read_point(at, node, at->view->def.camera.position);
}

static pli_status read_target(const place *at, const pli_json_node *node)
{
    return read_point(at, node, at->view->def.camera.target);
}

static pli_status read_up(const place *at, const pli_json_node *node)
{
    at->view->has_up = true;
    return read_direction(at, node, at->view->def.camera.up);
}

static pli_status read_fov(const place *at, const pli_json_node *node)
{
    const double range[2] = {1, 150};
    at->view->has_fov = true;
    return read_number(at, node, range, &at->view->def.camera.fov);
}

static pli_status read_camera(const place *at, const pli_json_node *node)
{
    static const key_reader readers[] = {{"position", "camera.position", read_position},
                                         {"target", "camera.target", read_target},
                                         {"up", "camera.up", read_up},
                                         {"fov", "camera.fov", read_fov},
                                         {0}};
    PLI_TRY(read_object(at, node, readers));
    PLI_TRY(need_key(at, node, "position"));
    PLI_TRY(need_key(at, node, "target"));
    const pli_camera_def *camera = &at->view->def.camera;
    if (memcmp(camera->position, camera->target, sizeof camera->target) == 0) {
        return refuse_value(at, "position and target must be two points");
    }
    at->view->has_camera = true;
    return PLI_OK;
}

// ---- colours

static pli_status read_field(const place *at, const pli_json_node *node)
{
    // null: one colour per body
    if (node->kind != PLI_JSON_STRING && node->kind != PLI_JSON_NULL) {
        return refuse_kind(at, node, "the name of a field");
    }
    at->view->def.field = node->kind == PLI_JSON_STRING ? node->text : "";
    return PLI_OK;
}

static pli_status read_component(const place *at, const pli_json_node *node)
{
    const double range[2] = {PLI_COMPONENT_MAGNITUDE, PLI_FIELD_COMPONENTS - 1};
    at->view->has_component = true;
    return read_integer(at, node, range, &at->view->def.component);
}

static pli_status read_range(const place *at, const pli_json_node *node)
{
    pli_picture_def *def = &at->view->def;
    const double range[2] = {-DBL_MAX, DBL_MAX};
    at->view->has_range = true;
    def->automatic_range = node->kind == PLI_JSON_NULL;
    if (def->automatic_range) return PLI_OK;
    PLI_TRY(read_numbers(at, node, range, 2, def->range));
    if (def->range[0] < def->range[1]) return PLI_OK;
    return refuse_value(at, "the first value must be less than the second");
}

static pli_status read_map(const place *at, const pli_json_node *node)
{
    static const char *const names[] = {"sequential", "diverging", "categories", NULL};
    int32_t map = 0;
    PLI_TRY(read_choice(at, node, names, &map));
    at->view->has_map = true;
    at->view->def.colormap = (pli_colormap)map;
    return PLI_OK;
}

static pli_status read_color(const place *at, const pli_json_node *node)
{
    static const key_reader readers[] = {{"field", "color.field", read_field},
                                         {"component", "color.component", read_component},
                                         {"range", "color.range", read_range},
                                         {"map", "color.map", read_map},
                                         {0}};
    at->view->has_color = true;
    if (node->kind == PLI_JSON_NULL) return PLI_OK;
    return read_object(at, node, readers);
}

// ---- what is seen

static pli_status read_edges(const place *at, const pli_json_node *node)
{
    at->view->has_edges = true;
    return read_bool(at, node, &at->view->def.edges);
}

static pli_status read_dark(const place *at, const pli_json_node *node)
{
    bool dark = false;
    PLI_TRY(read_bool(at, node, &dark));
    at->view->has_dark = true;
    at->view->def.background = dark ? PLI_BACKGROUND_DARK : PLI_BACKGROUND_LIGHT;
    return PLI_OK;
}

static pli_status read_colliders(const place *at, const pli_json_node *node)
{
    static const char *const names[] = {"show", "hide", "glass", NULL};
    int32_t look = 0;
    PLI_TRY(read_choice(at, node, names, &look));
    at->view->has_colliders = true;
    at->view->def.colliders = (pli_collider_look)look;
    return PLI_OK;
}

static pli_status read_hidden(const place *at, const pli_json_node *node)
{
    pli_view *view = at->view;
    if (node->kind != PLI_JSON_ARRAY) return refuse_kind(at, node, "a list of names");
    view->has_hidden = true;
    for (node = pli_json_child(&view->json, node); node != NULL;
         node = pli_json_next(&view->json, node)) {
        if (node->kind != PLI_JSON_STRING) return refuse_kind(at, node, "a list of names");
        if (view->def.hidden_count == NAMES_LIMIT) return refuse_value(at, "has too many names");
        view->hidden[view->def.hidden_count++] = node->text;
    }
    view->def.hidden = view->hidden;
    return PLI_OK;
}

static pli_status read_normal(const place *at, const pli_json_node *node)
{
    return read_direction(at, node, at->view->def.section.normal);
}

static pli_status read_offset(const place *at, const pli_json_node *node)
{
    const double range[2] = {-farthest, farthest};
    return read_number(at, node, range, &at->view->def.section.offset);
}

static pli_status read_section(const place *at, const pli_json_node *node)
{
    static const key_reader readers[] = {
        {"normal", "section.normal", read_normal}, {"offset", "section.offset", read_offset}, {0}};
    at->view->has_section = true;
    if (node->kind == PLI_JSON_NULL) return PLI_OK;
    PLI_TRY(read_object(at, node, readers));
    PLI_TRY(need_key(at, node, "normal"));
    PLI_TRY(need_key(at, node, "offset"));
    at->view->def.section.cuts = true;
    return PLI_OK;
}

static pli_status read_size(const place *at, const pli_json_node *node)
{
    const double range[2] = {1, PIXELS_LIMIT};
    double size[2] = {0, 0};
    PLI_TRY(read_numbers(at, node, range, 2, size));
    if (size[0] != floor(size[0]) || size[1] != floor(size[1])) {
        return refuse_value(at, "whole numbers are needed");
    }
    at->view->has_size = true;
    at->view->def.width = (int32_t)size[0];
    at->view->def.height = (int32_t)size[1];
    return PLI_OK;
}

static pli_status read_version(const place *at, const pli_json_node *node)
{
    const double range[2] = {VERSION, VERSION};
    int32_t version = 0;
    return read_integer(at, node, range, &version);
}

static pli_status read_view(const place *at, const pli_json_node *root)
{
    static const key_reader readers[] = {{"pliant_view", "pliant_view", read_version},
                                         {"camera", "camera", read_camera},
                                         {"color", "color", read_color},
                                         {"edges", "edges", read_edges},
                                         {"dark", "dark", read_dark},
                                         {"colliders", "colliders", read_colliders},
                                         {"hidden", "hidden", read_hidden},
                                         {"section", "section", read_section},
                                         {"size", "size", read_size},
                                         {0}};
    PLI_TRY(read_object(at, root, readers));
    return need_key(at, root, "pliant_view");
}

// ---- public

// What is not JSON is told with the text's name.
static pli_status parse_json(pli_view *view, const char *name, const char *bytes, int64_t count)
{
    pli_status status = pli_json_parse(&view->json, bytes, count);
    if (status != PLI_ERROR_IO) return status;
    char text[256];
    pli_context_message(view->context, text, sizeof text);
    return PLI_FAIL(view->context, PLI_ERROR_ARGUMENT, "%s: %s", name, text);
}

static pli_status fill(pli_view *view, const char *name, const char *bytes, int64_t count)
{
    view->def = pli_picture_def_default();
    PLI_TRY(PLI_MAKE(view->context, view->hidden, NAMES_LIMIT, "view"));
    PLI_TRY(parse_json(view, name, bytes, count));
    place top = {view, name, "a view"};
    return read_view(&top, &view->json.nodes[0]);
}

pli_status pli_view_parse(pli_context *context, const char *name, const char *bytes, int64_t count,
                          pli_view **view)
{
    *view = NULL;
    pli_view *made = PLI_NEW(context, pli_view, 1, "view");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->json.context = context;
    pli_status status = fill(made, name, bytes, count);
    if (status != PLI_OK) {
        pli_view_destroy(made);
        return status;
    }
    *view = made;
    return PLI_OK;
}

pli_status pli_view_load(pli_context *context, const char *path, pli_view **view)
{
    *view = NULL;
    char *bytes = NULL;
    int64_t count = 0;
    PLI_TRY(pli_file_read(context, path, BYTES_LIMIT, &bytes, &count));
    pli_status status = pli_view_parse(context, path, bytes, count, view);
    pli_release(context, bytes);
    return status;
}

void pli_view_destroy(pli_view *view)
{
    if (view == NULL) return;
    pli_context *context = view->context;
    pli_json_clear(&view->json);
    PLI_RELEASE(context, view->hidden, view);
}

static void apply_camera(const pli_view *view, pli_camera_def *camera)
{
    const pli_camera_def *from = &view->def.camera;
    if (view->has_up) memcpy(camera->up, from->up, sizeof camera->up);
    if (view->has_fov) camera->fov = from->fov;
    if (!view->has_camera) return;
    camera->automatic = false;
    memcpy(camera->position, from->position, sizeof camera->position);
    memcpy(camera->target, from->target, sizeof camera->target);
}

static void apply_color(const pli_view *view, pli_picture_def *def)
{
    const pli_picture_def *from = &view->def;
    if (view->has_color) def->field = from->field;
    if (view->has_component) def->component = from->component;
    if (view->has_map) def->colormap = from->colormap;
    if (!view->has_range) return;
    def->automatic_range = from->automatic_range;
    memcpy(def->range, from->range, sizeof def->range);
}

void pli_view_apply(const pli_view *view, pli_picture_def *def)
{
    const pli_picture_def *from = &view->def;
    apply_camera(view, &def->camera);
    apply_color(view, def);
    if (view->has_edges) def->edges = from->edges;
    if (view->has_dark) def->background = from->background;
    if (view->has_colliders) def->colliders = from->colliders;
    if (view->has_section) def->section = from->section;
    if (view->has_hidden) {
        def->hidden = from->hidden;
        def->hidden_count = from->hidden_count;
    }
    if (view->has_size) {
        def->width = from->width;
        def->height = from->height;
    }
}
