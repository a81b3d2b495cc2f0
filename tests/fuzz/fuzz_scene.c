// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes the scene reader: any bytes give a scene whose numbers are finite and that is the same
// when it is written and read back, or one line of text. What follows a byte 0x1c, which no scene
// may have, is a setting as --set takes them. Files are looked for in a folder that does not exist,
// so that nothing outside is read.
#include "fuzz.h"

#include "pliant/io.h"

#include <math.h>

static pli_status parse(pli_context *context, const char *text, int64_t count,
                        const pli_load_def *def, pli_scene **scene)
{
    return pli_scene_parse(context, text, count, "nowhere/input.yaml", def, scene);
}

// What was written is read back as the same scene, and written again as the same text.
static void check_scene(pli_context *context, const pli_scene *scene)
{
    char *text = NULL;
    char *text_again = NULL;
    pli_scene *again = NULL;
    pli_yaml_def def = {.comments = true};
    CHECK(pli_scene_to_yaml(scene, &def, &text) == PLI_OK);
    CHECK(parse(context, text, (int64_t)strlen(text), NULL, &again) == PLI_OK);
    CHECK(pli_scene_hash(again) == pli_scene_hash(scene));
    CHECK(pli_scene_to_yaml(again, &def, &text_again) == PLI_OK);
    CHECK(strcmp(text, text_again) == 0);
    pli_scene_destroy(again);
    pli_text_free(context, text);
    pli_text_free(context, text_again);
}

static pli_status check_number(void *user, const pli_visit *visit)
{
    (void)user;
    if (visit->field == NULL) return PLI_OK;
    pli_items items = pli_field_get_items(visit->field, visit->holder);
    for (int32_t i = 0; items.kind == PLI_ITEM_REAL && i < items.count; ++i) {
        const char *item = (const char *)items.first + (size_t)i * items.stride;
        double value = 0;
        memcpy(&value, item, sizeof value);
        CHECK(isfinite(value));
    }
    return PLI_OK;
}

static void check_refusal(const fuzz_world *world, pli_status status)
{
    char message[2048];
    pli_context_message(world->context, message, sizeof message);
    CHECK(status == PLI_ERROR_SCENE || status == PLI_ERROR_IO);
    static const char *const begins[] = {"nowhere/", "scene: nested", "--set "};
    bool known = false;
    for (int i = 0; i < 3; ++i) known |= strncmp(message, begins[i], strlen(begins[i])) == 0;
    CHECK(known);
    fuzz_check_message(world, "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_world world;
    fuzz_world_init(&world);
    // the setting is a text of its own, ended by a zero byte
    const uint8_t *cut = size > 0 ? memchr(data, 0x1c, size) : NULL;
    size_t count = cut != NULL ? (size_t)(cut - data) : size;
    char *setting = calloc(size - count + 1, 1);
    CHECK(setting != NULL);
    if (cut != NULL) memcpy(setting, cut + 1, size - count - 1);
    const char *const sets[] = {setting};
    pli_load_def def = {.set_count = cut != NULL, .sets = sets};

    pli_scene *scene = NULL;
    pli_status status = parse(world.context, (const char *)data, (int64_t)count, &def, &scene);
    if (status == PLI_OK) {
        CHECK(pli_schema_walk(world.context, pli_scene_schema(), pli_scene_get(scene), check_number,
                              NULL) == PLI_OK);
        check_scene(world.context, scene);
    } else {
        check_refusal(&world, status);
    }
    pli_scene_destroy(scene);
    free(setting);
    fuzz_world_clear(&world);
    return 0;
}
