// SPDX-License-Identifier: Apache-2.0
//
// What stands in the place of a number that differs from place to place, or with time.
#include "sim/scene/schema.h"

static const pli_field key_fields[] = {
    {.key = "time",
     PLI_REAL(pli_paint_key_def, time),
     .flags = PLI_FIELD_REQUIRED,
     .fallback = "-1",
     .min = 0,
     .max = 1e9,
     .unit = "s",
     .doc = "When; later than the key before."},
    {.key = "value",
     PLI_REAL(pli_paint_key_def, value),
     .flags = PLI_FIELD_REQUIRED | PLI_FIELD_PAINTED_UNIT,
     .unit = "",
     .doc = "Value then, in the unit of the number."},
};
static const pli_schema key_schema = {.name = "key",
                                      .doc = "A value at a moment; in short a list of the two.",
                                      .size = sizeof(pli_paint_key_def),
                                      .is_row = true,
                                      PLI_TABLE(key_fields)};

static const char *const ease_names[] = {
    [PLI_EASE_LINEAR] = "linear", [PLI_EASE_SMOOTH] = "smooth", NULL};

static const pli_field paint_fields[] = {
    {.key = "array",
     PLI_TEXT(pli_paint_def, array),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "Name of an array of the body's mesh file, on its vertices or cells."},
    {.key = "component",
     PLI_INTEGER(pli_paint_def, component),
     .flags = PLI_FIELD_OPTIONAL,
     .fallback = "-1",
     .min = 0,
     .max = 8,
     .unit = "",
     .doc = "Which component of the array's values, counted from 0, where they have several."},
    {.key = "unit",
     PLI_TEXT(pli_paint_def, unit),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "Unit of the array's values; by default that of the number."},
    {.key = "scale",
     PLI_REAL(pli_paint_def, scale),
     .flags = PLI_FIELD_OPTIONAL,
     .fallback = "1",
     .min = -1e300,
     .max = 1e300,
     .unit = "",
     .doc = "Factor on the array's values."},
    {.key = "offset",
     PLI_REAL(pli_paint_def, offset),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_PAINTED_UNIT,
     .fallback = "0",
     .min = -1e300,
     .max = 1e300,
     .unit = "",
     .doc = "What is added to the scaled values, in the unit of the number."},
    {.key = "expression",
     PLI_MEMBERS(PLI_FIELD_TEXTS, pli_paint_def, expression, expression_count),
     .flags = PLI_FIELD_OPTIONAL | PLI_FIELD_UNIFORM,
     .doc = "Expression of x, y and z, the place at rest in the scene, in SI units; three of them "
            "for a vector."},
    {.key = "keys",
     PLI_MEMBERS(PLI_FIELD_LIST, pli_paint_def, keys, key_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &key_schema,
     .doc =
         "Values over time, such as [[0, 1e5], [2, 2e5]]; before the first and after the last key "
         "the value stays."},
    {.key = "ease",
     PLI_CHOICE(pli_paint_def, ease, ease_names),
     .flags = PLI_FIELD_OPTIONAL,
     .fallback = "linear",
     .doc = "How to go from one key to the next."},
};
const pli_schema pli_paint_schema = {
    .name = "paint",
    .doc = "A number that differs from place to place, by an array of the mesh file or an "
           "expression, or that changes with time, by keys.",
    .size = sizeof(pli_paint_def),
    PLI_TABLE(paint_fields)};
