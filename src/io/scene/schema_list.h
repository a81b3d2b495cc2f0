// SPDX-License-Identifier: Apache-2.0
//
// Every part of the field table once, with a name of its own: what documentation and the JSON
// Schema are sections of. A part is a struct or a choice between structs. Shapes hold shapes, so
// the table is not a tree; the list follows each part once, in the order a reader meets them.
#ifndef PLI_IO_SCENE_SCHEMA_LIST_H
#define PLI_IO_SCENE_SCHEMA_LIST_H

#include "pliant/scene.h"

enum { PLI_SCHEMA_PARTS = 128, PLI_SCHEMA_ID_CAPACITY = 64 };

typedef struct pli_schema_part {
    const pli_schema *schema; // a struct, or NULL:
    const pli_field *choice;  // a field with variants; all fields with the same ones are one part
    char id[PLI_SCHEMA_ID_CAPACITY];
} pli_schema_part;

typedef struct pli_schema_list {
    int32_t count;
    pli_schema_part parts[PLI_SCHEMA_PARTS];
} pli_schema_list;

void pli_schema_list_build(pli_schema_list *list, const pli_schema *root);

// The id of a part; "" when it is none.
const char *pli_schema_list_struct_id(const pli_schema_list *list, const pli_schema *schema);
const char *pli_schema_list_choice_id(const pli_schema_list *list, const pli_field *field);

// Whether a struct has a key that a file must give.
bool pli_schema_has_required(const pli_schema *schema);

#endif
