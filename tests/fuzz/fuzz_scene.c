// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes the scene reader: any bytes give a scene that can be written and read back, or one line of
// text. Start it with the scenes of tests/data as the corpus. Files are looked for in a folder that
// does not exist, so that nothing outside is read.
#include "pliant/io.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) abort();
}

static void stop_at_assertion(void *user, const char *condition, const char *file, int line)
{
    (void)user;
    (void)condition;
    (void)file;
    (void)line;
    abort();
}

static pli_status parse(pli_context *context, const char *text, int64_t count, pli_scene **scene)
{
    return pli_scene_parse(context, text, count, "nowhere/input.yaml", NULL, scene);
}

// What was written is read back as the same scene.
static void check_scene(pli_context *context, const pli_scene *scene)
{
    char *text = NULL;
    pli_scene *again = NULL;
    pli_yaml_def def = {.comments = true};
    check(pli_scene_to_yaml(scene, &def, &text) == PLI_OK);
    check(parse(context, text, (int64_t)strlen(text), &again) == PLI_OK);
    check(pli_scene_hash(again) == pli_scene_hash(scene));
    pli_scene_destroy(again);
    pli_text_free(context, text);
}

static void check_message(const pli_context *context, pli_status status)
{
    char message[1024];
    pli_context_message(context, message, sizeof message);
    check(status == PLI_ERROR_SCENE || status == PLI_ERROR_IO);
    check(strncmp(message, "nowhere/", 8) == 0 || strncmp(message, "scene: nested", 13) == 0);
    check(strchr(message, '\n') == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pli_context_def def = pli_context_def_default();
    def.thread_count = 1;
    def.assert_hook = stop_at_assertion;
    pli_context *context = NULL;
    check(pli_context_create(&def, &context) == PLI_OK);
    pli_scene *scene = NULL;
    pli_status status = parse(context, (const char *)data, (int64_t)size, &scene);
    if (status == PLI_OK) {
        check_scene(context, scene);
    } else {
        check_message(context, status);
    }
    pli_scene_destroy(scene);
    pli_context_destroy(context);
    return 0;
}
