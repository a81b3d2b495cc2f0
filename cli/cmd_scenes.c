// SPDX-License-Identifier: Apache-2.0
#include "json.h"
#include "listing.h"
#include "scene_source.h"

#include "pliant/io.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SCENES = 512, DOC_CAPACITY = 256 };

// Length of the first sentence: up to a full stop before a word with a capital letter.
static int first_sentence(const char *text)
{
    for (const char *stop = strchr(text, '.'); stop != NULL; stop = strchr(stop + 1, '.')) {
        size_t gap = strspn(stop + 1, " \n");
        if (gap > 0 && isupper((unsigned char)stop[1 + gap])) return (int)(stop - text);
    }
    return (int)strlen(text);
}

// The first sentence of what a shipped scene says about itself, as one line.
static void describe_scene(const pli_cli_embedded *embedded, pli_context *context,
                           char doc[DOC_CAPACITY])
{
    pli_scene *scene = NULL;
    pli_status status = pli_scene_parse(context, embedded->begin, embedded->end - embedded->begin,
                                        embedded->name, NULL, &scene);
    if (status == PLI_OK) {
        const char *about = pli_scene_get(scene)->about;
        snprintf(doc, DOC_CAPACITY, "%.*s", first_sentence(about), about);
        for (char *letter = doc; *letter != '\0'; ++letter) {
            if (*letter == '\n') *letter = ' ';
        }
    } else {
        snprintf(doc, DOC_CAPACITY, "(cannot be read: %s)", pli_status_text(status));
    }
    // what ends the text: spaces and the last full stop
    for (size_t end = strlen(doc); end > 0 && strchr(" .", doc[end - 1]) != NULL; --end) {
        doc[end - 1] = '\0';
    }
    pli_scene_destroy(scene);
}

static int list_scenes(pli_cli_session *session)
{
    int32_t count = pli_cli_embedded_scene_count;
    if (count > MAX_SCENES) count = MAX_SCENES;
    pli_cli_entry entries[MAX_SCENES];
    char(*docs)[DOC_CAPACITY] = malloc((size_t)MAX_SCENES * DOC_CAPACITY);
    if (docs == NULL) return pli_cli_fail(&session->console, NULL, PLI_ERROR_MEMORY);
    for (int32_t index = 0; index < count; ++index) {
        const pli_cli_embedded *embedded = &pli_cli_embedded_scenes[index];
        describe_scene(embedded, session->context, docs[index]);
        entries[index] = (pli_cli_entry){embedded->name, NULL, docs[index], NULL};
    }
    pli_cli_print_entries(entries, count, session->arguments.json);
    free(docs);
    return PLI_CLI_DONE;
}

static int run_scenes(pli_cli_session *session)
{
    if (session->arguments.operand_count == 0) return list_scenes(session);
    const char *name = session->arguments.operands[0];
    const pli_cli_embedded *embedded = pli_cli_find_scene(session, name);
    if (embedded == NULL) {
        pli_cli_refuse_name(session, "scene", name, pli_cli_nearest_scene(name));
        return PLI_CLI_USAGE;
    }
    if (session->arguments.json) {
        pli_cli_json json;
        pli_cli_json_init(&json, stdout);
        pli_cli_json_begin(&json, NULL, '{');
        pli_cli_json_text(&json, "name", embedded->name);
        pli_cli_json_text(&json, "text", embedded->begin);
        pli_cli_json_end(&json, '}');
    } else {
        fwrite(embedded->begin, 1, (size_t)(embedded->end - embedded->begin), stdout);
    }
    return PLI_CLI_DONE;
}

const pli_cli_command pli_cli_command_scenes = {
    .name = "scenes",
    .operands = "[NAME]",
    .max_operands = 1,
    .hint = PLI_CLI_HINT_SCENE_NAME,
    .summary = "lists the shipped scenes, or prints the text of one",
    .about = "Lists the scenes that are part of the program, one line each, the name first. With a "
             "name: its text, to copy and change.",
    .examples = "  pliant scenes\n  pliant scenes demo > mine.yaml\n",
    .shared = {&pli_cli_json_options},
    .run = run_scenes,
};
