// SPDX-License-Identifier: Apache-2.0
#include "json.h"

#include <inttypes.h>
#include <math.h>

static void put_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *letter = text; *letter != '\0'; ++letter) {
        if (*letter == '"' || *letter == '\\') {
            fprintf(out, "\\%c", *letter);
        } else if ((unsigned char)*letter < 0x20) {
            fprintf(out, "\\u%04x", (unsigned)*letter);
        } else {
            fputc(*letter, out);
        }
    }
    fputc('"', out);
}

// The comma before a value, its place, and its key.
static void put_place(pli_cli_json *json, const char *key)
{
    if (json->depth > 0) {
        fputs(json->empty ? "\n" : ",\n", json->out);
        for (int32_t level = 0; level < json->depth; ++level) fputs("  ", json->out);
    }
    json->empty = false;
    if (key == NULL) return;
    put_string(json->out, key);
    fputs(": ", json->out);
}

void pli_cli_json_init(pli_cli_json *json, FILE *out)
{
    *json = (pli_cli_json){.out = out, .empty = true};
}

void pli_cli_json_begin(pli_cli_json *json, const char *key, char bracket)
{
    put_place(json, key);
    fputc(bracket, json->out);
    ++json->depth;
    json->empty = true;
}

void pli_cli_json_end(pli_cli_json *json, char bracket)
{
    --json->depth;
    if (!json->empty) {
        fputc('\n', json->out);
        for (int32_t level = 0; level < json->depth; ++level) fputs("  ", json->out);
    }
    fputc(bracket, json->out);
    json->empty = false;
    if (json->depth == 0) fputc('\n', json->out);
}

void pli_cli_json_text(pli_cli_json *json, const char *key, const char *text)
{
    put_place(json, key);
    if (text != NULL) {
        put_string(json->out, text);
    } else {
        fputs("null", json->out);
    }
}

void pli_cli_json_real(pli_cli_json *json, const char *key, double value)
{
    put_place(json, key);
    if (isfinite(value)) {
        fprintf(json->out, "%.17g", value);
    } else {
        fputs("null", json->out);
    }
}

void pli_cli_json_integer(pli_cli_json *json, const char *key, int64_t value)
{
    put_place(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void pli_cli_json_bool(pli_cli_json *json, const char *key, bool value)
{
    put_place(json, key);
    fputs(value ? "true" : "false", json->out);
}
