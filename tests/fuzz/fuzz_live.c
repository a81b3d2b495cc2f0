// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes the messages of the live page: any bytes give a command that is within its ranges and
// reads back from a log as the same, or a refusal. A setting is put into a scene as the live
// simulation does it, and the scene that comes out is sound or refused.
#include "fuzz.h"

#include "pliant/io.h"
#include "serve/live_command.h"
#include "serve/live_settings.h"

#include <math.h>

static const char scene_text[] =
    "materials:\n  soft: {law: neo-hookean, young: 1e4, poisson: 0.3, density: 1000}\n"
    "bodies:\n  cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: soft}\n"
    "contact: penalty\n";

static pli_status parse_scene(pli_context *context, const char *set, pli_scene **scene)
{
    const char *const sets[] = {set};
    pli_load_def def = {.sets = sets, .set_count = set != NULL};
    return pli_scene_parse(context, scene_text, (int64_t)strlen(scene_text), "nowhere/a.yaml", &def,
                           scene);
}

// ---- the command itself

static void check_command(const pli_live_command *command)
{
    CHECK(memchr(command->body, 0, sizeof command->body) != NULL);
    CHECK(memchr(command->path, 0, sizeof command->path) != NULL);
    CHECK(memchr(command->value, 0, sizeof command->value) != NULL);
    for (int32_t k = 0; k < 3; ++k) CHECK(isfinite(command->target[k]));
    CHECK(isfinite(command->strength) && command->strength > 0);
    CHECK(isfinite(command->radius) && command->radius >= 0 && command->vertex >= 0);
    CHECK(pli_live_kind_name(command->kind)[0] != '\0');
}

// What a log has of a command is the same command.
static void check_log(fuzz_world *world, const pli_live_command *command)
{
    pli_json json = {.context = world->context};
    pli_text text;
    pli_live_command again;
    pli_text_init(&text, world->context);
    pli_live_command_append(&text, command, 7);
    CHECK(!text.failed && text.bytes[text.length - 1] == '\n');
    CHECK(memchr(text.bytes, '\n', (size_t)text.length - 1) == NULL);
    CHECK(pli_json_parse(&json, text.bytes, text.length) == PLI_OK);
    CHECK(pli_live_command_read(&json, &again) == PLI_OK);
    CHECK(again.kind == command->kind && again.hand == command->hand && again.on == command->on);
    CHECK(again.vertex == command->vertex && again.radius == command->radius);
    CHECK(again.strength == command->strength && strcmp(again.body, command->body) == 0);
    CHECK(memcmp(again.target, command->target, sizeof again.target) == 0);
    CHECK(strcmp(again.path, command->path) == 0 && strcmp(again.value, command->value) == 0);
    pli_text_clear(&text);
    pli_json_clear(&json);
}

// ---- what a setting does to a scene

static void try_setting(fuzz_world *world, const pli_live_command *command)
{
    char set[PLI_LIVE_VALUE * 2 + 2];
    pli_scene *scene = NULL;
    pli_scene *changed = NULL;
    pli_text list;
    pli_text_init(&list, world->context);
    CHECK(parse_scene(world->context, NULL, &scene) == PLI_OK);
    if (pli_live_settings_check(scene, command->path) == PLI_OK) {
        snprintf(set, sizeof set, "%s=%s", command->path, command->value);
        if (parse_scene(world->context, set, &changed) == PLI_OK) {
            CHECK(pli_live_settings_append(changed, &list) == PLI_OK);
        }
    }
    pli_text_clear(&list);
    pli_scene_destroy(changed);
    pli_scene_destroy(scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_world world;
    fuzz_world_init(&world);
    pli_json json = {.context = world.context};
    pli_live_command command;
    pli_status status = pli_json_parse(&json, (const char *)data, (int64_t)size);
    if (status == PLI_OK) status = pli_live_command_read(&json, &command);
    pli_json_clear(&json);
    if (status == PLI_OK) {
        check_command(&command);
        check_log(&world, &command);
        if (command.kind == PLI_LIVE_SET) try_setting(&world, &command);
    } else {
        CHECK(status == PLI_ERROR_IO || status == PLI_ERROR_ARGUMENT);
        fuzz_check_message(&world, "");
    }
    fuzz_world_clear(&world);
    return 0;
}
