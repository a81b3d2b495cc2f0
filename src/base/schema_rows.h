// SPDX-License-Identifier: Apache-2.0
//
// Initialisers of the rows of a schema (pliant/schema.h): where a member is, and of which kind.
#ifndef PLI_BASE_SCHEMA_ROWS_H
#define PLI_BASE_SCHEMA_ROWS_H

#include "pliant/schema.h"

#define PLI_COUNT_OF(array) ((int32_t)(sizeof(array) / sizeof *(array)))

// how a schema refers to its rows
#define PLI_TABLE(rows) .field_count = PLI_COUNT_OF(rows), .fields = (rows)

#define PLI_MEMBER(kind_, type, member) .kind = (kind_), .offset = offsetof(type, member)
#define PLI_MEMBERS(kind_, type, member, count_member) \
    PLI_MEMBER(kind_, type, member), .count_offset = offsetof(type, count_member)

#define PLI_REAL(type, member) PLI_MEMBER(PLI_FIELD_REAL, type, member)
#define PLI_INTEGER(type, member) PLI_MEMBER(PLI_FIELD_INTEGER, type, member)
#define PLI_BOOL(type, member) PLI_MEMBER(PLI_FIELD_BOOL, type, member)
#define PLI_TEXT(type, member) PLI_MEMBER(PLI_FIELD_TEXT, type, member)
#define PLI_VECTOR(type, member) PLI_MEMBER(PLI_FIELD_VECTOR, type, member)
#define PLI_TRIPLE(type, member) PLI_MEMBER(PLI_FIELD_TRIPLE, type, member)
#define PLI_CHOICE(type, member, list) PLI_MEMBER(PLI_FIELD_CHOICE, type, member), .choices = (list)
#define PLI_STRUCT(type, member, table) \
    PLI_MEMBER(PLI_FIELD_STRUCT, type, member), .schema = (table)
#define PLI_VARIANT(type, member, table) \
    PLI_MEMBER(PLI_FIELD_VARIANT, type, member), .variants = (table)

#endif
