// SPDX-License-Identifier: Apache-2.0
#include "sim/scene.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_MEMORY = 4096, FIRST_NOTES = 64, TEXT_CAPACITY = 1024 };

typedef struct scene_note {
    const void *address;
    pli_position position;
} scene_note;

struct pli_scene {
    pli_context *context;
    pli_arena *memory; // of everything in def, and of the texts below
    pli_scene_def def;
    const char *source; // file's name in messages, or NULL
    const char *name;   // of the scene

    int32_t note_count;
    int32_t note_capacity;
    scene_note *notes; // [note_capacity], in the order they were made
};

// ---- making

static const char *copy_text(pli_scene *scene, const char *text, size_t length)
{
    char *copy = pli_scene_take(scene, length + 1);
    if (copy != NULL) memcpy(copy, text, length);
    return copy;
}

// "cube" of "scenes/cube.yaml"; "scene" of nothing.
static const char *make_name(pli_scene *scene, const char *source)
{
    if (source == NULL) return "scene";
    const char *slash = strrchr(source, '/');
    const char *name = slash != NULL ? slash + 1 : source;
    const char *dot = strrchr(name, '.');
    size_t length = dot != NULL && dot != name ? (size_t)(dot - name) : strlen(name);
    return length > 0 ? copy_text(scene, name, length) : "scene";
}

pli_status pli_scene_create_empty(pli_context *context, const char *source, pli_scene **scene)
{
    *scene = NULL;
    pli_scene *made = PLI_NEW(context, pli_scene, 1, "scene");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    pli_status status = pli_arena_create(context, FIRST_MEMORY, &made->memory);
    if (status != PLI_OK) goto done;

    if (source != NULL) made->source = copy_text(made, source, strlen(source));
    made->name = make_name(made, source);
    bool is_named = made->name != NULL && (source == NULL || made->source != NULL);
    status = is_named ? PLI_OK : PLI_ERROR_MEMORY;
    pli_scene_def_init(&made->def);

done:
    if (status != PLI_OK) {
        pli_scene_destroy(made);
        return status;
    }
    *scene = made;
    return PLI_OK;
}

pli_status pli_scene_create(pli_context *context, const pli_scene_def *def, pli_scene **scene)
{
    *scene = NULL;
    pli_scene *made = NULL;
    const pli_schema *schema = pli_scene_schema();
    pli_status status = pli_scene_create_empty(context, NULL, &made);
    if (status == PLI_OK) status = pli_scene_check_links(made, schema, def);
    if (status == PLI_OK) status = pli_scene_copy(made, schema, def, &made->def);
    if (status == PLI_OK) status = pli_scene_validate(made);
    if (status != PLI_OK) {
        pli_scene_destroy(made);
        return status;
    }
    *scene = made;
    return PLI_OK;
}

void pli_scene_destroy(pli_scene *scene)
{
    if (scene == NULL) return;
    pli_release(scene->context, scene->notes);
    pli_arena_destroy(scene->memory);
    pli_release(scene->context, scene);
}

// ---- looking

const pli_scene_def *pli_scene_get(const pli_scene *scene)
{
    return &scene->def;
}

pli_scene_def *pli_scene_edit(pli_scene *scene)
{
    return &scene->def;
}

pli_context *pli_scene_context(const pli_scene *scene)
{
    return scene->context;
}

const char *pli_scene_name(const pli_scene *scene)
{
    return scene->name;
}

const char *pli_scene_source(const pli_scene *scene)
{
    return scene->source;
}

void *pli_scene_take(pli_scene *scene, size_t bytes)
{
    // sizes beyond int64_t are refused by the arena as negative
    void *memory = pli_arena_take(scene->memory, (int64_t)bytes, 1, "scene");
    if (memory != NULL) memset(memory, 0, bytes);
    return memory;
}

// ---- notes and failures

pli_status pli_scene_note(pli_scene *scene, const void *address, const pli_position *position)
{
    if (scene->note_count == scene->note_capacity) {
        int32_t capacity = scene->note_count > 0 ? 2 * scene->note_count : FIRST_NOTES;
        scene_note *larger = pli_reallocate(scene->context, scene->notes, capacity, sizeof *larger,
                                            "notes on where values stand");
        if (larger == NULL) return PLI_ERROR_MEMORY;
        scene->notes = larger;
        scene->note_capacity = capacity;
    }
    scene->notes[scene->note_count++] = (scene_note){address, *position};
    return PLI_OK;
}

bool pli_scene_find_position(const pli_scene *scene, const pli_visit *at, pli_position *position)
{
    // structs are noted before their members: the last note of an address is that of the member
    // that starts there, the first one that of the outermost struct
    for (int32_t i = scene->note_count - 1; at->member != NULL && i >= 0; --i) {
        if (scene->notes[i].address != at->member) continue;
        *position = scene->notes[i].position;
        return true;
    }
    for (int32_t i = 0; i < scene->note_count; ++i) {
        if (scene->notes[i].address != at->holder) continue;
        *position = scene->notes[i].position;
        return true;
    }
    return false;
}

// "file:line:column: path: text"
static void place_text(const pli_position *position, const char *path, const char *format,
                       va_list arguments, char line[TEXT_CAPACITY])
{
    char text[TEXT_CAPACITY];
    char number[32] = "";
    vsnprintf(text, sizeof text, format, arguments);
    if (position->line > 0) {
        snprintf(number, sizeof number, ":%d:%d", position->line, position->column);
    }
    int count = snprintf(line, TEXT_CAPACITY, "%s%s: %s%s", position->source, number, path,
                         path[0] != '\0' ? ": " : "");
    if (count < 0 || count >= TEXT_CAPACITY) return;
    snprintf(line + count, (size_t)(TEXT_CAPACITY - count), "%s", text);
}

pli_status pli_position_fail(pli_context *context, pli_status status, const pli_position *position,
                             const char *path, const char *format, ...)
{
    char line[TEXT_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    place_text(position, path, format, arguments, line);
    va_end(arguments);
    return PLI_FAIL(context, status, "%s", line);
}

// The position to blame for something; its source is never NULL.
static pli_position position_of(const pli_scene *scene, const pli_visit *at)
{
    pli_position position = {0};
    (void)pli_scene_find_position(scene, at, &position);
    if (position.source == NULL) position.source = scene->source;
    if (position.source == NULL) position.source = "scene";
    return position;
}

pli_status pli_scene_fail(const pli_scene *scene, pli_status status, const pli_visit *at,
                          const char *format, ...)
{
    char line[TEXT_CAPACITY];
    pli_position position = position_of(scene, at);
    va_list arguments;
    va_start(arguments, format);
    place_text(&position, at->path, format, arguments, line);
    va_end(arguments);
    return PLI_FAIL(scene->context, status, "%s", line);
}

pli_status pli_scene_fail_again(const pli_scene *scene, pli_status status, const pli_visit *at)
{
    if (status == PLI_ERROR_MEMORY) return status;
    char text[512];
    pli_context_message(pli_scene_context(scene), text, sizeof text);
    // what was wrong with a parameter of ours is wrong with the scene
    if (status == PLI_ERROR_ARGUMENT) status = PLI_ERROR_SCENE;
    return pli_scene_fail(scene, status, at, "%s", text);
}

void pli_scene_warn(const pli_scene *scene, const pli_visit *at, const char *format, ...)
{
    char line[TEXT_CAPACITY];
    pli_position position = position_of(scene, at);
    va_list arguments;
    va_start(arguments, format);
    place_text(&position, at->path, format, arguments, line);
    va_end(arguments);
    PLI_LOG(scene->context, PLI_LOG_WARNING, "%s", line);
}

// ---- hash

typedef struct scene_hash {
    uint64_t value;
} scene_hash;

static void hash_bytes(scene_hash *hash, const void *bytes, size_t count)
{
    hash->value = pli_hash_bytes(hash->value, count > 0 ? bytes : "", count);
}

static void hash_mesh(scene_hash *hash, const pli_mesh_data *mesh)
{
    if (mesh == NULL) return;
    hash_bytes(hash, mesh->points, 3 * sizeof(double) * (size_t)mesh->point_count);
    hash_bytes(hash, mesh->tets, 4 * sizeof(int32_t) * (size_t)mesh->tet_count);
    hash_bytes(hash, mesh->triangles, 3 * sizeof(int32_t) * (size_t)mesh->triangle_count);
    for (int32_t i = 0; i < mesh->group_count; ++i) {
        hash_bytes(hash, mesh->group_names[i], strlen(mesh->group_names[i]));
    }
    size_t tet_groups = mesh->tet_groups != NULL ? (size_t)mesh->tet_count : 0;
    size_t triangle_groups = mesh->triangle_groups != NULL ? (size_t)mesh->triangle_count : 0;
    hash_bytes(hash, mesh->tet_groups, sizeof(int32_t) * tet_groups);
    hash_bytes(hash, mesh->triangle_groups, sizeof(int32_t) * triangle_groups);
}

// Adds a field: its path, the number of its items, and the values it holds as text.
static pli_status hash_field(void *user, const pli_visit *visit)
{
    scene_hash *hash = user;
    if (visit->field == NULL) return PLI_OK;
    pli_items items;
    pli_field_get_items(visit->field, visit->holder, &items);
    hash_bytes(hash, visit->path, strlen(visit->path));
    hash_bytes(hash, &items.count, sizeof items.count);
    if (items.kind == PLI_ITEM_MESH) hash_mesh(hash, *(const pli_mesh_data *const *)items.first);
    if (items.kind == PLI_ITEM_VARIANT) {
        for (int32_t i = 0; i < items.count; ++i) {
            const pli_variant *variant = (const pli_variant *)items.first + i;
            hash_bytes(hash, &variant->kind, sizeof variant->kind);
        }
    }
    if (items.kind > PLI_ITEM_CHOICE) return PLI_OK;
    for (int32_t i = 0; i < items.count; ++i) {
        char buffer[PLI_FIELD_TEXT_CAPACITY];
        const char *item = (const char *)items.first + (size_t)i * items.stride;
        const char *text = pli_field_print(visit->field, item, buffer);
        hash_bytes(hash, text, strlen(text));
    }
    return PLI_OK;
}

uint64_t pli_scene_hash(const pli_scene *scene)
{
    scene_hash hash = {PLI_HASH_START};
    pli_status status =
        pli_schema_walk(scene->context, pli_scene_schema(), &scene->def, hash_field, &hash);
    // without memory for the path there is no hash: 0 equals no other
    return status == PLI_OK ? hash.value : 0;
}
