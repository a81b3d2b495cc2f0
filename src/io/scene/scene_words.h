// SPDX-License-Identifier: Apache-2.0
//
// What somebody may have meant by a word that scenes do not know: the words of other programs and
// of papers (dt, E, rho, youngs_modulus, mesh, ...), and words of scenes that stand in the wrong
// place.
#ifndef PLI_IO_SCENE_SCENE_WORDS_H
#define PLI_IO_SCENE_SCENE_WORDS_H

#include "pliant/scene.h"

enum { PLI_WORD_CAPACITY = 320 };

// What a key that a struct does not have stands for elsewhere; "" when nothing is known. The text
// goes behind "unknown key 'dt'" and begins with a colon.
const char *pli_word_of_key(const pli_schema *schema, const char *key,
                            char text[PLI_WORD_CAPACITY]);

// The same for a name that is no variant of a field.
const char *pli_word_of_variant(const pli_field *field, const char *name,
                                char text[PLI_WORD_CAPACITY]);

// The same for a text that is no choice of a field; begins with a semicolon.
const char *pli_word_of_choice(const pli_field *field, const char *choice,
                               char text[PLI_WORD_CAPACITY]);

#endif
