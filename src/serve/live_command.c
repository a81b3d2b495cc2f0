// SPDX-License-Identifier: Apache-2.0
#include "serve/live_command.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// ---- the table of commands

typedef enum live_keys { // which keys a command has
    KEY_HAND = 1,        // above 0
    KEY_PIN = 2,         // below 0, or absent
    KEY_PLACE = 4,       // body and vertex, strength, radius
    KEY_TARGET = 8,
    KEY_SETTING = 16,
    KEY_SWITCH = 32
} live_keys;

typedef struct live_row {
    const char *name;
    unsigned keys;
    bool matters;
} live_row;

static const live_row rows[] = {
    [PLI_LIVE_DRAG] = {"drag", KEY_HAND | KEY_PLACE | KEY_TARGET, true},
    [PLI_LIVE_RELEASE] = {"release", KEY_HAND, true},
    [PLI_LIVE_PIN] = {"pin", KEY_PIN | KEY_PLACE, true},
    [PLI_LIVE_UNPIN] = {"unpin", KEY_PIN, true},
    [PLI_LIVE_SET] = {"set", KEY_SETTING, true},
    [PLI_LIVE_RESET] = {"reset", 0, true},
    [PLI_LIVE_PAUSE] = {"pause", 0, false},
    [PLI_LIVE_PLAY] = {"play", 0, false},
    [PLI_LIVE_STEP] = {"step", 0, false},
    [PLI_LIVE_RECORD] = {"record", KEY_SWITCH, false},
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

bool pli_live_command_matters(pli_live_kind kind)
{
    return rows[kind].matters;
}

const char *pli_live_kind_name(pli_live_kind kind)
{
    return rows[kind].name;
}

// ---- reading

typedef struct reader {
    const pli_json *json;
    const pli_json_node *object;
    pli_live_command *command;
} reader;

static pli_status refuse(const reader *r, const char *key, const char *wanted)
{
    return PLI_FAIL(r->json->context, PLI_ERROR_ARGUMENT, "%s: %s has to be %s",
                    rows[r->command->kind].name, key, wanted);
}

// A whole number between two; absent leaves the value as it is where that is allowed.
static pli_status read_whole(const reader *r, const char *key, double low, double high,
                             int64_t *value)
{
    const pli_json_node *node = pli_json_get(r->json, r->object, key);
    bool fits = node != NULL && node->kind == PLI_JSON_NUMBER && node->number >= low &&
                node->number <= high && node->number == floor(node->number);
    if (!fits) return refuse(r, key, "a whole number in its range");
    *value = (int64_t)node->number;
    return PLI_OK;
}

// A number between two; absent leaves the value as it is.
static pli_status read_number(const reader *r, const char *key, double low, double high,
                              double *value)
{
    const pli_json_node *node = pli_json_get(r->json, r->object, key);
    if (node == NULL) return PLI_OK;
    if (node->kind != PLI_JSON_NUMBER || !(node->number >= low && node->number <= high)) {
        return refuse(r, key, "a number in its range");
    }
    *value = node->number;
    return PLI_OK;
}

static pli_status read_text(const reader *r, const char *key, char *value, size_t capacity)
{
    const pli_json_node *node = pli_json_get(r->json, r->object, key);
    bool fits = node != NULL && node->kind == PLI_JSON_STRING && strlen(node->text) < capacity;
    if (!fits) return refuse(r, key, "a text, and not too long");
    memcpy(value, node->text, strlen(node->text) + 1);
    return PLI_OK;
}

static pli_status read_target(const reader *r)
{
    enum { FAR = 1000000 }; // m: beyond it nothing is in sight
    const pli_json_node *list = pli_json_get(r->json, r->object, "target");
    const pli_json_node *item =
        list != NULL && list->kind == PLI_JSON_ARRAY ? pli_json_child(r->json, list) : NULL;
    for (int32_t k = 0; k < 3; ++k) {
        bool fits = item != NULL && item->kind == PLI_JSON_NUMBER && fabs(item->number) <= FAR;
        if (!fits) return refuse(r, "target", "three numbers");
        r->command->target[k] = item->number;
        item = pli_json_next(r->json, item);
    }
    return item == NULL ? PLI_OK : refuse(r, "target", "three numbers");
}

static pli_status read_place(const reader *r)
{
    pli_live_command *command = r->command;
    int64_t vertex = 0;
    PLI_TRY(read_text(r, "body", command->body, sizeof command->body));
    PLI_TRY(read_whole(r, "vertex", 0, INT32_MAX, &vertex));
    command->vertex = (int32_t)vertex;
    PLI_TRY(read_number(r, "strength", 1e-6, 1e6, &command->strength));
    return read_number(r, "radius", 0, 1e6, &command->radius);
}

static pli_status read_switch(const reader *r)
{
    const pli_json_node *node = pli_json_get(r->json, r->object, "on");
    if (node == NULL || node->kind != PLI_JSON_BOOL) return refuse(r, "on", "true or false");
    r->command->on = node->number != 0;
    return PLI_OK;
}

static pli_status read_keys(const reader *r, unsigned keys)
{
    enum { MOST = 1 << 30 };
    pli_live_command *command = r->command;
    if (keys & KEY_HAND) PLI_TRY(read_whole(r, "id", 1, MOST, &command->hand));
    if (keys & KEY_PIN && pli_json_get(r->json, r->object, "id") != NULL) {
        PLI_TRY(read_whole(r, "id", -MOST, -1, &command->hand));
    }
    if (keys & KEY_PLACE) PLI_TRY(read_place(r));
    if (keys & KEY_TARGET) PLI_TRY(read_target(r));
    if (keys & KEY_SETTING) {
        PLI_TRY(read_text(r, "path", command->path, sizeof command->path));
        PLI_TRY(read_text(r, "value", command->value, sizeof command->value));
    }
    if (keys & KEY_SWITCH) PLI_TRY(read_switch(r));
    return PLI_OK;
}

pli_status pli_live_command_read(const pli_json *json, pli_live_command *command)
{
    *command = (pli_live_command){.strength = 1};
    const pli_json_node *object = json->node_count > 0 ? &json->nodes[0] : NULL;
    const char *type = object != NULL && object->kind == PLI_JSON_OBJECT
                           ? pli_json_text(json, object, "type", "")
                           : "";
    for (int32_t kind = 0; kind < ROW_COUNT; ++kind) {
        if (strcmp(type, rows[kind].name) != 0) continue;
        command->kind = (pli_live_kind)kind;
        reader r = {json, object, command};
        return read_keys(&r, rows[kind].keys);
    }
    return PLI_FAIL(json->context, PLI_ERROR_ARGUMENT,
                    "a message has to be an object whose type is known: drag, release, pin, unpin, "
                    "set, reset, pause, play, step, record, fields or ack");
}

// ---- writing

void pli_live_command_append(pli_text *text, const pli_live_command *command, int64_t step)
{
    unsigned keys = rows[command->kind].keys;
    pli_text_format(text, "{\"step\":%" PRId64 ",\"type\":\"%s\"", step, rows[command->kind].name);
    if (keys & (KEY_HAND | KEY_PIN) && command->hand != 0) {
        pli_json_add_integer(text, "id", command->hand);
    }
    if (keys & KEY_PLACE) {
        pli_json_add_string(text, "body", command->body);
        pli_json_add_integer(text, "vertex", command->vertex);
        pli_json_add_number(text, "strength", command->strength);
        pli_json_add_number(text, "radius", command->radius);
    }
    if (keys & KEY_TARGET) {
        pli_json_add_key(text, "target");
        pli_json_append_numbers(text, command->target, 3);
    }
    if (keys & KEY_SETTING) {
        pli_json_add_string(text, "path", command->path);
        pli_json_add_string(text, "value", command->value);
    }
    if (keys & KEY_SWITCH) pli_text_format(text, ",\"on\":%s", command->on ? "true" : "false");
    pli_text_append(text, "}\n");
}
