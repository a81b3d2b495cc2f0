// SPDX-License-Identifier: Apache-2.0
//
// pliant: the command-line program. It uses public headers only, so it proves the API.
#include "help.h"
#include "process.h"
#include "session.h"
#include "signals.h"

#include <string.h>
#include <unistd.h>

const pli_cli_command *const pli_cli_commands[] = {
    &pli_cli_command_run,     &pli_cli_command_check,
    &pli_cli_command_view,    &pli_cli_command_live,
    &pli_cli_command_render,  &pli_cli_command_export,
    &pli_cli_command_modes,   &pli_cli_command_scenes,
    &pli_cli_command_solvers, &pli_cli_command_materials,
    &pli_cli_command_bench,   &pli_cli_command_schema,
    &pli_cli_command_doctor,  &pli_cli_command_completion,
    &pli_cli_command_help,    NULL,
};

static int refuse_command(const char *name)
{
    const char *names[sizeof pli_cli_commands / sizeof *pli_cli_commands] = {NULL};
    for (int32_t index = 0; pli_cli_commands[index] != NULL; ++index) {
        names[index] = pli_cli_commands[index]->name;
    }
    const char *nearest = pli_cli_nearest(name, names);
    if (nearest != NULL) {
        fprintf(stderr, "pliant: unknown command '%s'; did you mean '%s'?\n", name, nearest);
    } else {
        fprintf(stderr, "pliant: unknown command '%s'; 'pliant help' lists the commands\n", name);
    }
    return PLI_CLI_USAGE;
}

// Runs a command whose arguments are known: makes the console and the context for it.
static int run_command(pli_cli_session *session)
{
    if (!pli_cli_console_init(&session->console, &session->arguments)) {
        pli_cli_console_clear(&session->console);
        return PLI_CLI_IO;
    }
    pli_context_def def = pli_context_def_default();
    def.log = pli_cli_console_log;
    def.log_user = &session->console;
    def.log_level = pli_cli_console_level(&session->console);
    def.thread_count = pli_cli_thread_count(&session->arguments);

    pli_status status = pli_context_create(&def, &session->context);
    int code = status == PLI_OK ? session->command->run(session)
                                : pli_cli_fail(&session->console, NULL, status);
    pli_context_destroy(session->context);
    pli_cli_console_clear(&session->console);
    return code;
}

// Understands the command line and does what it says.
static int obey(int count, char *const *values)
{
    if (count < 2) {
        pli_cli_print_overview(stderr, pli_cli_columns(STDERR_FILENO));
        return PLI_CLI_USAGE;
    }
    const char *name = values[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        pli_cli_print_overview(stdout, pli_cli_columns(STDOUT_FILENO));
        return PLI_CLI_DONE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        pli_cli_print_version(stdout);
        return PLI_CLI_DONE;
    }

    pli_cli_session session = {.command = pli_cli_find_command(name),
                               .values = values,
                               .value_count = count,
                               .begun = pli_cli_seconds()};
    if (session.command == NULL) return refuse_command(name);
    char message[512];
    if (!pli_cli_parse(session.command, count - 2, values + 2, &session.arguments, message,
                       sizeof message)) {
        fprintf(stderr, "pliant %s: %s\n", name, message);
        return PLI_CLI_USAGE;
    }
    if (session.arguments.help) {
        pli_cli_print_help(stdout, session.command, pli_cli_columns(STDOUT_FILENO));
        return PLI_CLI_DONE;
    }
    if (session.command->computes) pli_cli_calm_threads(values);
    return run_command(&session);
}

int main(int count, char **values)
{
    pli_cli_open_standard_streams();
    pli_cli_signals_ignore();
    return pli_cli_finish_output(obey(count, values));
}
