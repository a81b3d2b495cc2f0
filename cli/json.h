// SPDX-License-Identifier: Apache-2.0
//
// JSON on standard output, a value at a time. Commas and indentation are kept by the writer.
#ifndef PLI_CLI_JSON_H
#define PLI_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct pli_cli_json {
    FILE *out;
    int32_t depth;
    bool empty; // nothing was written yet into the innermost list or object
} pli_cli_json;

void pli_cli_json_init(pli_cli_json *json, FILE *out);

// Begin and end a list '[' or an object '{'; key is NULL inside a list and at the top.
void pli_cli_json_begin(pli_cli_json *json, const char *key, char bracket);
void pli_cli_json_end(pli_cli_json *json, char bracket);

// A value; text NULL and numbers that are not finite become null.
void pli_cli_json_text(pli_cli_json *json, const char *key, const char *text);
void pli_cli_json_real(pli_cli_json *json, const char *key, double value);
void pli_cli_json_integer(pli_cli_json *json, const char *key, int64_t value);
void pli_cli_json_bool(pli_cli_json *json, const char *key, bool value);

#endif
