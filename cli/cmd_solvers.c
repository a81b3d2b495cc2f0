// SPDX-License-Identifier: Apache-2.0
#include "listing.h"

#include "pliant/sim.h"

#include <stdio.h>
#include <string.h>

enum { MAX_SOLVERS = 64, MAX_PARAMETERS = 128, KEY_CAPACITY = 64 };

// parameters and the room for their keys
typedef struct solver_parameters {
    int32_t count;
    pli_cli_parameter items[MAX_PARAMETERS];
    char keys[MAX_PARAMETERS][KEY_CAPACITY];
} solver_parameters;

static bool is_unused(const pli_solver_info *solver, const char *section)
{
    bool found = false;
    for (int32_t k = 0; k < PLI_SOLVER_SECTIONS && solver->unused[k] != NULL; ++k) {
        found = found || strcmp(solver->unused[k], section) == 0;
    }
    return found;
}

// The fields of a section, those of sections inside it that the solver uses with both keys:
// "multigrid.levels".
static void add_fields(const pli_schema *schema, const pli_solver_info *solver, const char *prefix,
                       solver_parameters *parameters)
{
    for (int32_t index = 0; index < schema->field_count; ++index) {
        const pli_field *field = &schema->fields[index];
        char key[KEY_CAPACITY];
        snprintf(key, sizeof key, "%s%s", prefix, field->key);
        if (field->kind == PLI_FIELD_STRUCT) {
            char inner[KEY_CAPACITY + 1];
            snprintf(inner, sizeof inner, "%s.", key);
            if (is_unused(solver, key)) continue;
            add_fields(field->schema, solver, inner, parameters);
            continue;
        }
        if (strcmp(key, "name") == 0 || parameters->count == MAX_PARAMETERS) continue;
        int32_t at = parameters->count++;
        memcpy(parameters->keys[at], key, sizeof key);
        pli_cli_describe_field(field, &parameters->items[at]);
        parameters->items[at].key = parameters->keys[at];
    }
}

// Parameters of a solver: the fields of the scene's section "solver", less the name itself.
static void get_parameters(const pli_solver_info *solver, solver_parameters *parameters)
{
    const pli_field *section = pli_schema_find(pli_scene_schema(), "solver");
    parameters->count = 0;
    if (section != NULL) add_fields(section->schema, solver, "", parameters);
}

static int run_solvers(pli_cli_session *session)
{
    pli_cli_entry entries[MAX_SOLVERS];
    int32_t count = 0;
    pli_solver_info info;
    while (count < MAX_SOLVERS && pli_solver_info_get(count, &info)) {
        entries[count++] = (pli_cli_entry){info.name, info.takes, info.doc, info.source};
    }
    if (session->arguments.operand_count == 0) {
        pli_cli_print_entries(entries, count, session->arguments.json);
        return PLI_CLI_DONE;
    }

    const pli_cli_entry *entry =
        pli_cli_find_entry(session, "solver", entries, count, session->arguments.operands[0]);
    if (entry == NULL) return PLI_CLI_USAGE;
    solver_parameters parameters;
    if (!pli_solver_info_get((int32_t)(entry - entries), &info)) return PLI_CLI_USAGE;
    get_parameters(&info, &parameters);
    pli_cli_print_page(entry,
                       "Parameters, in the scene's section 'solver' or as "
                       "--set solver.KEY=VALUE:",
                       parameters.items, parameters.count, session->arguments.json);
    return PLI_CLI_DONE;
}

const pli_cli_command pli_cli_command_solvers = {
    .name = "solvers",
    .operands = "[NAME]",
    .max_operands = 1,
    .hint = PLI_CLI_HINT_SOLVER,
    .summary = "lists the solvers, or the parameters of one",
    .about =
        "Lists the solvers, one line each: the name, what it takes (meshes, particles or both), "
        "and what it does. With a name: what it is, the paper it comes from, and every parameter "
        "with its unit, default and range.",
    .examples = "  pliant solvers\n  pliant solvers newton\n",
    .shared = {&pli_cli_json_options},
    .run = run_solvers,
};
