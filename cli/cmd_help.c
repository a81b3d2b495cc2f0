// SPDX-License-Identifier: Apache-2.0
#include "help.h"
#include "session.h"

#include <unistd.h>

static int run_help(pli_cli_session *session)
{
    int32_t columns = pli_cli_columns(STDOUT_FILENO);
    if (session->arguments.man) {
        pli_cli_print_man(stdout);
        return PLI_CLI_DONE;
    }
    if (session->arguments.operand_count == 0) {
        pli_cli_print_overview(stdout, columns);
        return PLI_CLI_DONE;
    }
    const char *name = session->arguments.operands[0];
    const pli_cli_command *command = pli_cli_find_command(name);
    if (command == NULL) {
        pli_cli_error(&session->console, "unknown command '%s'; 'pliant help' lists the commands",
                      name);
        return PLI_CLI_USAGE;
    }
    pli_cli_print_help(stdout, command, columns);
    return PLI_CLI_DONE;
}

static const pli_cli_option options[] = {
    {.name = "man",
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, man),
     .doc = "prints the man page of the whole program, as input for man"},
};

const pli_cli_command pli_cli_command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .max_operands = 1,
    .hint = PLI_CLI_HINT_COMMAND,
    .summary = "lists the commands, or tells more about one",
    .about = "Without a command, lists the commands; with one, shows what it does and its options.",
    .own = PLI_CLI_OPTIONS(options),
    .shared = {&pli_cli_help_options},
    .run = run_help,
};
