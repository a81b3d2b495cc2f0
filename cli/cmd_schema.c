// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include "pliant/io.h"

static const char *const formats[] = {"json", "markdown", "paths", NULL};
enum { FORMAT_JSON, FORMAT_MARKDOWN, FORMAT_PATHS };

// The way from the root to a section.
typedef struct section {
    const struct section *parent; // NULL for the root, which has no key
    const char *key;
} section;

static void print_prefix(const section *within)
{
    if (within->parent == NULL) return;
    print_prefix(within->parent);
    printf("%s.", within->key);
}

// Every path inside sections that --set takes, one a line: "time.fps".
static void print_paths(const pli_schema *schema, const section *within)
{
    for (int32_t index = 0; index < schema->field_count; ++index) {
        const pli_field *field = &schema->fields[index];
        if (field->kind == PLI_FIELD_STRUCT) {
            section inner = {within, field->key};
            print_paths(field->schema, &inner);
        } else if (field->schema == NULL && field->variants == NULL) {
            print_prefix(within);
            printf("%s\n", field->key);
        }
    }
}

static int run_schema(pli_cli_session *session)
{
    if (session->arguments.format == FORMAT_PATHS) {
        print_paths(pli_scene_schema(), &(section){NULL, ""});
        return PLI_CLI_DONE;
    }
    char *text = NULL;
    pli_status status = session->arguments.format == FORMAT_JSON
                            ? pli_schema_to_json(session->context, &text)
                            : pli_schema_to_markdown(session->context, &text);
    if (status != PLI_OK) return pli_cli_report(session, status);
    fputs(text, stdout);
    pli_text_free(session->context, text);
    return PLI_CLI_DONE;
}

static const pli_cli_option options[] = {
    {.name = "format",
     .value = "FORMAT",
     .kind = PLI_CLI_CHOICE,
     .offset = offsetof(pli_cli_arguments, format),
     .choices = formats,
     .fallback = "json",
     .doc = "what to print"},
};

const pli_cli_command pli_cli_command_schema = {
    .name = "schema",
    .operands = "",
    .summary = "prints the keys of scene files, for editors and people",
    .about = "Prints what scene files may contain: as JSON Schema, by which editors complete and "
             "check scenes; as reference documentation; or as the paths that --set takes.",
    .examples = "  pliant schema > pliant.schema.json\n"
                "  # first line of a scene, for editors with a YAML language server:\n"
                "  # yaml-language-server: $schema=pliant.schema.json\n",
    .own = PLI_CLI_OPTIONS(options),
    .shared = {&pli_cli_help_options},
    .run = run_schema,
};
