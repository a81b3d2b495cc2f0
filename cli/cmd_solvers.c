// SPDX-License-Identifier: Apache-2.0
#include "listing.h"

#include "pliant/sim.h"

#include <string.h>

enum { MAX_SOLVERS = 64, MAX_PARAMETERS = 64 };

// Parameters of all solvers: the fields of the scene's section "solver", less the name itself.
static int32_t get_parameters(pli_cli_parameter parameters[MAX_PARAMETERS])
{
    const pli_schema *root = pli_scene_schema();
    int32_t count = 0;
    for (int32_t index = 0; index < root->field_count; ++index) {
        const pli_field *section = &root->fields[index];
        if (strcmp(section->key, "solver") != 0 || section->schema == NULL) continue;
        for (int32_t inner = 0; inner < section->schema->field_count; ++inner) {
            const pli_field *field = &section->schema->fields[inner];
            if (strcmp(field->key, "name") == 0 || count == MAX_PARAMETERS) continue;
            pli_cli_describe_field(field, &parameters[count++]);
        }
    }
    return count;
}

static int run_solvers(pli_cli_session *session)
{
    pli_cli_entry entries[MAX_SOLVERS];
    int32_t count = 0;
    while (count < pli_solver_info_count() && count < MAX_SOLVERS) {
        const pli_solver_info *info = pli_solver_info_get(count);
        entries[count++] = (pli_cli_entry){info->name, NULL, info->doc, info->source};
    }
    if (session->arguments.operand_count == 0) {
        pli_cli_print_entries(entries, count, session->arguments.json);
        return PLI_CLI_DONE;
    }

    const pli_cli_entry *entry =
        pli_cli_find_entry(session, "solver", entries, count, session->arguments.operands[0]);
    if (entry == NULL) return PLI_CLI_USAGE;
    pli_cli_parameter parameters[MAX_PARAMETERS];
    int32_t parameter_count = get_parameters(parameters);
    pli_cli_print_page(entry,
                       "Parameters, in the scene's section 'solver' or as "
                       "--set solver.KEY=VALUE:",
                       parameters, parameter_count, session->arguments.json);
    return PLI_CLI_DONE;
}

const pli_cli_command pli_cli_command_solvers = {
    .name = "solvers",
    .operands = "[NAME]",
    .max_operands = 1,
    .hint = PLI_CLI_HINT_SOLVER,
    .summary = "lists the solvers, or the parameters of one",
    .about =
        "Lists the solvers, one line each, the name first. With a name: what it is, the paper it "
        "comes from, and every parameter with its unit, default and range.",
    .examples = "  pliant solvers\n  pliant solvers newton\n",
    .shared = {&pli_cli_json_options},
    .run = run_solvers,
};
