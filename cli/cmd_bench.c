// SPDX-License-Identifier: Apache-2.0
//
// Benchmarks may look inside the library, so they are a program of their own beside this one.
#include "process.h"
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const sizes[] = {"lite", "paper", NULL};

static const pli_cli_option options[] = {
    {.name = "size",
     .value = "SIZE",
     .kind = PLI_CLI_CHOICE,
     .offset = offsetof(pli_cli_arguments, bench_size),
     .choices = sizes,
     .fallback = "lite",
     .doc = "problem sizes: small enough for a coffee break, or those of the paper"},
    {.name = "json",
     .value = "FILE",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, bench_json),
     .hint = PLI_CLI_HINT_FILE,
     .doc = "also writes the claims with our figures, bands and verdicts to FILE"},
    {.name = "output",
     .letter = 'o',
     .value = "DIR",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, output),
     .hint = PLI_CLI_HINT_FOLDER,
     .doc = "folder for pictures and other files of a benchmark (default: the current one)"},
};

static int run_bench(pli_cli_session *session)
{
    const pli_cli_arguments *arguments = &session->arguments;
    char program[4096];
    if (!pli_cli_path_beside("pliant-bench", program, sizeof program) ||
        access(program, X_OK) != 0) {
        pli_cli_error(&session->console, "pliant-bench is not beside this program; build it with "
                                         "-DPLIANT_BENCH=ON, or reinstall");
        return PLI_CLI_IO;
    }

    char threads[16];
    snprintf(threads, sizeof threads, "%d", (int)pli_cli_thread_count(arguments));
    const char *values[PLI_CLI_MAX_OPERANDS + 10] = {program};
    int32_t count = 1;
    for (int32_t index = 0; index < arguments->operand_count; ++index) {
        values[count++] = arguments->operands[index];
    }
    const char *const pairs[][2] = {{"--size", sizes[arguments->bench_size]},
                                    {"--threads", threads},
                                    {"--json", arguments->bench_json},
                                    {"--folder", arguments->output}};
    for (size_t index = 0; index < sizeof pairs / sizeof *pairs; ++index) {
        if (pairs[index][1] == NULL) continue;
        values[count++] = pairs[index][0];
        values[count++] = pairs[index][1];
    }
    // nothing of ours may be left in a buffer, or it would be lost
    fflush(NULL);
    execv(program, (char *const *)values);
    pli_cli_error(&session->console, "%s cannot be started: %s", program, strerror(errno));
    return PLI_CLI_IO;
}

const pli_cli_command pli_cli_command_bench = {
    .name = "bench",
    .operands = "[ID|all]...",
    .max_operands = PLI_CLI_MAX_OPERANDS,
    .hint = PLI_CLI_HINT_BENCH,
    .computes = true,
    .summary = "reproduces the tables of the papers; without an id, lists them",
    .about =
        "Runs benchmarks by their ids, and prints for each claim the figure of the paper, ours, "
        "and whether ours lies in the band that was set for it; 'all' runs every one of them. "
        "Without an "
        "id, lists them.",
    .examples = "  pliant bench\n  pliant bench s4-mesh --json s4-mesh.json\n",
    .own = PLI_CLI_OPTIONS(options),
    .shared = {&pli_cli_threads_options, &pli_cli_help_options},
    .run = run_bench,
};
