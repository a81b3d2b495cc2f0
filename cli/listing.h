// SPDX-License-Identifier: Apache-2.0
//
// Lists of named things, one line each, and the page about one of them with its parameters; as text
// for people or as JSON for programs.
#ifndef PLI_CLI_LISTING_H
#define PLI_CLI_LISTING_H

#include "session.h"

#include "pliant/scene.h"

typedef struct pli_cli_entry {
    const char *name;
    const char *kind; // "law", or "particles" that a solver takes; NULL where all are alike
    const char *doc;
    const char *source; // paper it comes from, or NULL
} pli_cli_entry;

typedef struct pli_cli_parameter {
    const char *key;
    char kind[640];    // "number", or "one of a, b"
    const char *unit;  // "": a pure number
    char range[96];    // "> 0"; "": anything
    char fallback[64]; // "": none
    bool required;
    const char *doc;
} pli_cli_parameter;

// A line per entry, the name first.
void pli_cli_print_entries(const pli_cli_entry *entries, int32_t count, bool as_json);

// What an entry is, a note about it (or NULL), and its parameters.
void pli_cli_print_page(const pli_cli_entry *entry, const char *note,
                        const pli_cli_parameter *parameters, int32_t count, bool as_json);

// The entry with a name; NULL when there is none, and the nearest was suggested as an error. what
// is the word for one, such as "solver", which with an s is the command that lists them.
const pli_cli_entry *pli_cli_find_entry(pli_cli_session *session, const char *what,
                                        const pli_cli_entry *entries, int32_t count,
                                        const char *name);

// "there is no solver 'nwton'; did you mean newton?", or, when nearest is NULL, where to look.
void pli_cli_refuse_name(pli_cli_session *session, const char *what, const char *name,
                         const char *nearest);

// A field of the scene's schema as a parameter.
void pli_cli_describe_field(const pli_field *field, pli_cli_parameter *parameter);

// "> 0" or "0 to 0.5, both excluded"; "" when both ends are open.
typedef struct pli_cli_bounds {
    double min;
    double max;
    bool min_excluded;
    bool max_excluded;
} pli_cli_bounds;

void pli_cli_format_bounds(const pli_cli_bounds *bounds, char *text, size_t capacity);

#endif
