// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/scene.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "sim/scene/schema.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_MEMORY = 4096, FIRST_NOTES = 64, TEXT_CAPACITY = 1024, MOST_WARNINGS = 16 };

typedef struct scene_note {
    const void *address;
    pli_position position;
} scene_note;

// which notes an address has
typedef struct note_slot {
    int32_t first; // 1 + index, 0: the slot is free
    int32_t last;
} note_slot;

struct pli_scene {
    pli_context *context;
    pli_arena *memory; // of everything in def, and of the texts below
    pli_scene_def def;
    const char *source;        // file's name in messages, or NULL
    const char *name;          // of the scene
    const char *contact_text;  // which contact there is and who said so; NULL: not yet validated
    int32_t explained_contact; // what contact_text tells of
    int32_t chosen_contact;    // what was chosen; PLI_CONTACT_AUTO: the scene states it

    int32_t note_count;
    int32_t note_capacity;
    int64_t slot_count; // power of two, more than twice the notes, or 0
    note_slot *slots;   // [slot_count] finds the notes of an address
    scene_note *notes;  // [note_capacity], in the order they were made

    bool validating; // warnings are kept
    int32_t warning_count;
    int32_t read_warning_count; // the first of them, which came with the text
    const char *warnings[MOST_WARNINGS];
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
    made->chosen_contact = PLI_CONTACT_AUTO;
    made->explained_contact = PLI_CONTACT_AUTO;
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
    PLI_RELEASE(scene->context, scene->slots, scene->notes);
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

pli_scene_info pli_scene_get_info(const pli_scene *scene)
{
    return (pli_scene_info){.name = scene->name,
                            .source = scene->source,
                            .contact = scene->contact_text != NULL ? scene->contact_text : "",
                            .warning_count = scene->warning_count,
                            .warnings = scene->warnings};
}

bool pli_scene_chose_contact(const pli_scene *scene)
{
    return scene->chosen_contact != PLI_CONTACT_AUTO;
}

pli_status pli_scene_explain_contact(pli_scene *scene, const char *reason, const char *besides)
{
    int32_t method = scene->def.contact.method;
    // what was chosen stays so when the scene is validated again
    bool again = scene->contact_text != NULL && besides[0] == '\0';
    if (reason == NULL && again && scene->explained_contact == method) return PLI_OK;
    char text[TEXT_CAPACITY];
    const char *name = pli_schema_find(&pli_contact_schema, "method")->choices[method];
    const char *advice = method != PLI_CONTACT_NONE ? "; contact: none switches it off" : "";
    if (reason == NULL) snprintf(text, sizeof text, "%s, as the scene says%s", name, besides);
    if (reason != NULL) {
        snprintf(text, sizeof text, "%s, chosen because %s%s%s", name, reason, advice, besides);
    }
    scene->explained_contact = method;
    scene->chosen_contact = reason != NULL ? method : PLI_CONTACT_AUTO;
    scene->contact_text = copy_text(scene, text, strlen(text));
    return scene->contact_text != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

void *pli_scene_take(pli_scene *scene, size_t bytes)
{
    // sizes beyond int64_t are refused by the arena as negative
    void *memory = pli_arena_take(scene->memory, (int64_t)bytes, 1, "scene");
    if (memory != NULL) memset(memory, 0, bytes);
    return memory;
}

// ---- notes and failures

// The slot of an address, or the free one where it belongs.
static note_slot *find_slot(const pli_scene *scene, const void *address)
{
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, &address, sizeof address);
    uint64_t mask = (uint64_t)scene->slot_count - 1;
    for (uint64_t at = hash & mask;; at = (at + 1) & mask) {
        note_slot *slot = &scene->slots[at];
        if (slot->first == 0 || scene->notes[slot->first - 1].address == address) return slot;
    }
}

static void index_note(pli_scene *scene, int32_t note)
{
    note_slot *slot = find_slot(scene, scene->notes[note].address);
    if (slot->first == 0) slot->first = note + 1;
    slot->last = note + 1;
}

static pli_status grow_notes(pli_scene *scene)
{
    int32_t capacity = scene->note_count > 0 ? 2 * scene->note_count : FIRST_NOTES;
    int64_t slot_count = 1;
    while (slot_count < 2 * (int64_t)capacity) slot_count *= 2;
    PLI_TRY(PLI_RESIZE(scene->context, scene->notes, capacity, "notes on where values stand"));
    note_slot *slots =
        PLI_NEW(scene->context, note_slot, slot_count, "notes on where values stand");
    if (slots == NULL) return PLI_ERROR_MEMORY;
    pli_release(scene->context, scene->slots);
    scene->slots = slots;
    scene->slot_count = slot_count;
    scene->note_capacity = capacity;
    for (int32_t i = 0; i < scene->note_count; ++i) index_note(scene, i);
    return PLI_OK;
}

pli_status pli_scene_note(pli_scene *scene, const void *address, const pli_position *position)
{
    if (scene->note_count == scene->note_capacity) PLI_TRY(grow_notes(scene));
    scene->notes[scene->note_count] = (scene_note){address, *position};
    index_note(scene, scene->note_count++);
    return PLI_OK;
}

// Where a member, or failing that its struct, was written; false when nobody said.
static bool find_position(const pli_scene *scene, const pli_visit *at, pli_position *position)
{
    if (scene->slot_count == 0) return false;
    // structs are noted before their members: the last note of an address is that of the member
    // that starts there, the first one that of the outermost struct
    const note_slot *member = at->member != NULL ? find_slot(scene, at->member) : NULL;
    const note_slot *holder = find_slot(scene, at->holder);
    int32_t note = member != NULL && member->first > 0 ? member->last : holder->first;
    if (note > 0) *position = scene->notes[note - 1].position;
    return note > 0;
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
    (void)find_position(scene, at, &position);
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

// Keeps a warning for those who come later; one that finds no place or memory was logged at least.
static void keep_warning(pli_scene *scene, const char *text)
{
    if (scene->warning_count == MOST_WARNINGS) return;
    const char *copy = copy_text(scene, text, strlen(text));
    if (copy != NULL) scene->warnings[scene->warning_count++] = copy;
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
    // while it is validated nobody else has the scene
    if (scene->validating) keep_warning((pli_scene *)(uintptr_t)scene, line);
}

void pli_position_warn(pli_scene *scene, const pli_position *position, const char *path,
                       const char *format, ...)
{
    char line[TEXT_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    place_text(position, path, format, arguments, line);
    va_end(arguments);
    PLI_LOG(scene->context, PLI_LOG_WARNING, "%s", line);
    keep_warning(scene, line);
    scene->read_warning_count = scene->warning_count;
}

void pli_scene_set_validating(pli_scene *scene, bool validating)
{
    if (validating) scene->warning_count = scene->read_warning_count;
    scene->validating = validating;
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
    size_t mids = mesh->tet_mids != NULL ? 6 * (size_t)mesh->tet_count : 0;
    hash_bytes(hash, mesh->tet_mids, sizeof(int32_t) * mids);
    hash_bytes(hash, mesh->set_groups, sizeof(int32_t) * (size_t)mesh->set_count);
    hash_bytes(hash, mesh->set_points, sizeof(int32_t) * (size_t)mesh->set_count);
    hash_bytes(hash, mesh->triangle_groups, sizeof(int32_t) * triangle_groups);
    for (int32_t i = 0; i < mesh->array_count; ++i) {
        const pli_mesh_array *array = &mesh->arrays[i];
        size_t count =
            (size_t)pli_mesh_place_count(mesh, array->place) * (size_t)array->component_count;
        hash_bytes(hash, array->name, strlen(array->name));
        hash_bytes(hash, array->values, sizeof(double) * count);
    }
}

// Adds a field: its path, the number of its items, and the values it holds as text.
static pli_status hash_field(void *user, const pli_visit *visit)
{
    scene_hash *hash = user;
    if (visit->field == NULL) return PLI_OK;
    pli_items items = pli_field_get_items(visit->field, visit->holder);
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
