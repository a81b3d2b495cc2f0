// SPDX-License-Identifier: Apache-2.0
//
// Help texts and the man page, made from the option table.
#ifndef PLI_CLI_HELP_H
#define PLI_CLI_HELP_H

#include "options.h"

#include <stdio.h>

// The commands, one line each.
void pli_cli_print_overview(FILE *out, int32_t columns);

// What a command does, its options with defaults, and examples.
void pli_cli_print_help(FILE *out, const pli_cli_command *command, int32_t columns);

// pliant(1), as input for man.
void pli_cli_print_man(FILE *out);

// Name, version, compiler and features.
void pli_cli_print_version(FILE *out);

// Writes a text from column `indent` on, wrapped before column `columns`; used says how many
// columns of the first line are taken. Line ends and runs of spaces count as one space.
void pli_cli_print_wrapped(FILE *out, const char *text, int32_t used, int32_t indent,
                           int32_t columns);

#endif
