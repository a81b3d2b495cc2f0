// SPDX-License-Identifier: Apache-2.0
//
// The table of fields that describes a def struct: for every member its key in scene files, unit,
// default, range and meaning. Reading, checking, printing, documentation and completion of scenes
// all go by it, so that each of these facts is written down once.
//
// A walk (pli_schema_walk) visits a def and everything below it; whatever else has to be known of a
// scene is a walk with another visitor. scene.h has the structs and the table of the root.
#ifndef PLIANT_SCHEMA_H
#define PLIANT_SCHEMA_H

#include "pliant/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pli_field_kind {
    PLI_FIELD_REAL,     // double
    PLI_FIELD_INTEGER,  // int32_t
    PLI_FIELD_BOOL,     // bool
    PLI_FIELD_TEXT,     // const char *
    PLI_FIELD_CHOICE,   // int32_t, index into choices
    PLI_FIELD_VECTOR,   // double[3]
    PLI_FIELD_TRIPLE,   // int32_t[3]
    PLI_FIELD_REALS,    // const double * and int32_t count
    PLI_FIELD_INTEGERS, // const int32_t * and int32_t count
    PLI_FIELD_TEXTS,    // const char *const * and int32_t count
    PLI_FIELD_STRUCT,   // an inline struct described by `schema`
    PLI_FIELD_LIST,     // const struct * and int32_t count, a YAML list
    PLI_FIELD_NAMED,    // the same, a YAML map; the struct's first member is its const char *name
    PLI_FIELD_VARIANT,  // pli_variant: one of `variants`
    PLI_FIELD_VARIANTS, // const pli_variant * and int32_t count
    PLI_FIELD_MESH,     // const pli_mesh_data *, not in the file: the content of the path beside it
    PLI_FIELD_PAINTED // const pli_paint_def * and int32_t count: what a file says in place of some
                      // numbers of the struct, which differ from place to place
} pli_field_kind;

typedef enum pli_field_flags {
    PLI_FIELD_REQUIRED = 1,     // the file must say it
    PLI_FIELD_MIN_EXCLUDED = 2, // value > min instead of >=
    PLI_FIELD_MAX_EXCLUDED = 4, // value < max instead of <=
    PLI_FIELD_NONZERO = 8,      // a vector that must have a direction
    PLI_FIELD_OPTIONAL = 16,    // the default means "not given"; it need not be in the range
    PLI_FIELD_PATH = 32,        // a file's name, relative to the file that says it
    PLI_FIELD_UNIFORM = 64, // a vector that in a file may be one number, which stands for all three
    PLI_FIELD_OWN_UNIT = 128, // a number whose unit only its user knows: one that is written behind
                              // it goes to the key "unit" beside it
    PLI_FIELD_PAINTABLE = 256,   // in a file it may be a map of the struct's PLI_FIELD_PAINTED
    PLI_FIELD_PAINTED_UNIT = 512 // of such a map: a number in the unit of what it stands for
} pli_field_flags;

struct pli_schema;

typedef struct pli_field {
    const char *key;   // as in the file
    const char *alias; // second spelling, or NULL
    const char
        *former; // key that it had before, which files may still say, with a warning; or NULL
    pli_field_kind kind;
    unsigned flags;       // pli_field_flags
    size_t offset;        // of the member
    size_t count_offset;  // of its count, where there is one
    const char *fallback; // default as text, or NULL: zero, empty, absent
    double min;           // for numbers; min = max = 0: any finite value
    double max;
    const char *unit;                         // "" for a pure number
    const char *const *choices;               // NULL-terminated, for PLI_FIELD_CHOICE
    const struct pli_schema *schema;          // of the struct or of the list's items
    const struct pli_schema *const *variants; // NULL-terminated; a variant's key is schema->name
    const char *doc;                          // one sentence
} pli_field;

typedef struct pli_schema {
    const char *name;       // "body"; for a variant its key in the file
    const char *former;     // for a variant: the key that it had before, or NULL
    const char *doc;        // one sentence
    size_t size;            // of the struct
    const char *scalar_key; // field that a plain scalar or list stands for, or NULL
    int32_t field_count;
    const pli_field *fields;
    bool is_row;          // a plain list stands for its fields one after another
    const char *list_key; // field that a plain list stands for, where it is not scalar_key; or NULL
} pli_schema;

// Whether a file can say the key of a field.
static inline bool pli_field_is_key(const pli_field *field)
{
    return field->kind != PLI_FIELD_MESH && field->kind != PLI_FIELD_PAINTED;
}

// What is painted over a number of the struct at holder: an item of its PLI_FIELD_PAINTED, or NULL.
PLI_API const void *pli_field_paint(const pli_schema *schema, const pli_field *field,
                                    const void *holder);

// One of several structs: the index into the field's variants, and the struct. kind -1: absent.
// data NULL: the variant with all its defaults; in a scene that was validated it is never NULL.
typedef struct pli_variant {
    int32_t kind;
    const void *data;
} pli_variant;

// Fills a def with the defaults of its schema.
PLI_API void pli_schema_init(const pli_schema *schema, void *def);

// The field with this key, alias or former key, or NULL. Keys that are not for files are not found.
PLI_API const pli_field *pli_schema_find(const pli_schema *schema, const char *key);

// What a member holds, whatever its kind: `count` items that lie `stride` bytes apart.
typedef enum pli_item_kind {
    PLI_ITEM_REAL,    // double
    PLI_ITEM_INTEGER, // int32_t
    PLI_ITEM_BOOL,    // bool
    PLI_ITEM_TEXT,    // const char *
    PLI_ITEM_CHOICE,  // int32_t
    PLI_ITEM_STRUCT,  // of field->schema
    PLI_ITEM_VARIANT, // pli_variant
    PLI_ITEM_MESH     // const pli_mesh_data *
} pli_item_kind;

typedef struct pli_items {
    pli_item_kind kind;
    bool is_list;      // a list or a map of names, also when it has one item
    int32_t fixed;     // the number of items if the type fixes it, else 0
    int32_t count;     // of items
    size_t stride;     // bytes from one item to the next
    const void *first; // the first item; may be NULL when count is 0
} pli_items;

// The items of a member of the struct at holder. holder NULL: only kind, is_list, fixed and stride.
PLI_API pli_items pli_field_get_items(const pli_field *field, const void *holder);

// Whether an optional field of the struct at holder holds its default, that is, was not given.
PLI_API bool pli_field_is_absent(const pli_field *field, const void *holder);

// The schema of a variant that is one of the field's; NULL when it is absent or not one of them.
PLI_API const pli_schema *pli_field_variant(const pli_field *field, const pli_variant *variant);

enum { PLI_FIELD_ERROR_CAPACITY = 640 };

// Reads one item of a field (real, integer, bool, choice, or text, which is borrowed) from a text
// and checks its range. When that fails, returns false and says in error what was found and what is
// allowed: "found '0.5'; allowed: greater than -1 and less than 0.5".
PLI_API bool pli_field_parse(const pli_field *field, const char *text, void *item,
                             char error[PLI_FIELD_ERROR_CAPACITY]);

enum { PLI_FIELD_TEXT_CAPACITY = 128 };

// Writes one item so that pli_field_parse reads it back as the same; a text item is returned as it
// is, other items are written to buffer, which is returned.
PLI_API const char *pli_field_print(const pli_field *field, const void *item,
                                    char buffer[PLI_FIELD_TEXT_CAPACITY]);

// "from 1 to 100", "greater than 0", "any finite number", "one of y, z": what a field allows.
PLI_API const char *pli_field_range(const pli_field *field, char buffer[PLI_FIELD_ERROR_CAPACITY]);

// One stop of a walk: a struct as a whole (field and member NULL), or one of its fields.
typedef struct pli_visit {
    const char *path;         // "bodies.cube.geometry.fill.shape.sphere.radius"; valid for the call
    const pli_schema *schema; // of the struct
    const void *holder;       // the struct
    const pli_field *field;
    const void *member; // in the struct
} pli_visit;

typedef pli_status (*pli_visit_fn)(void *user, const pli_visit *visit);

// Visits a def and everything below it: each struct first, then its fields in the order of the
// table, each followed by what it holds. Ends at the first visit that does not return PLI_OK.
// Errors: those of visit, scene (nested deeper than PLI_SCENE_DEPTH), memory.
PLI_API PLI_CHECKED pli_status pli_schema_walk(pli_context *context, const pli_schema *schema,
                                               const void *def, pli_visit_fn visit, void *user);

enum { PLI_SCENE_DEPTH = 64 };

#ifdef __cplusplus
}
#endif

#endif
