// SPDX-License-Identifier: Apache-2.0
//
// Words for messages about what was found and what would have been right: "found 'rubbr'; defined
// are rubber, steel (did you mean 'rubber'?)".
#ifndef PLI_BASE_SUGGEST_H
#define PLI_BASE_SUGGEST_H

#include <stdbool.h>
#include <stdint.h>

enum { PLI_SUGGEST_CAPACITY = 512 };

typedef struct pli_suggest {
    const char *word;    // what was found; borrowed
    const char *nearest; // the nearest candidate so far, or NULL; borrowed
    int32_t distance;    // its number of edits
    bool full;           // the list has ended with "..."
    int32_t length;      // of list
    char list[PLI_SUGGEST_CAPACITY];
} pli_suggest;

// word may be NULL: candidates are only listed.
void pli_suggest_init(pli_suggest *suggest, const char *word);
void pli_suggest_add(pli_suggest *suggest, const char *candidate);

// "a, b, c (did you mean 'b'?)"; a long list ends with "...", an empty one is "none". The hint is
// left out when no candidate is near. Call it once, after the last candidate. Lifetime: that of
// suggest.
const char *pli_suggest_text(pli_suggest *suggest);

enum { PLI_EXCERPT_CAPACITY = 68 };

// The first characters of a text that somebody else wrote, fit for a message: one line, cut between
// characters and ended with "..." when it is long. Returns buffer.
const char *pli_excerpt(const char *text, char buffer[PLI_EXCERPT_CAPACITY]);

#endif
