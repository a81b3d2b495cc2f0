// SPDX-License-Identifier: Apache-2.0
//
// Units behind numbers: "30 MPa", "12cm", "1/24 s", "0.9 g/cm^3", "45 deg", "5 %".
//
// A unit is a product of known names, with a prefix where that is usual, each to a power, behind
// "/" in the denominator: "kg/m^3", "N/mm2", "Pa s", "kg/(m s)". A number is converted to the unit
// of its key; a unit of another dimension is refused. Angles are a dimension of their own, in
// degrees, so that turns and numbers are not mixed up.
#ifndef PLI_SIM_SCENE_UNIT_H
#define PLI_SIM_SCENE_UNIT_H

#include "sim/scene/quantity.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum pli_unit_fault {
    PLI_UNIT_OK,
    PLI_UNIT_ABSENT,  // no number with a unit behind it
    PLI_UNIT_UNKNOWN, // no unit that is known
    PLI_UNIT_OTHER,   // of another dimension
    PLI_UNIT_LARGE,   // as of quantities
    PLI_UNIT_SMALL
} pli_unit_fault;

// Where the unit of a text begins that is a number with a unit behind it; else NULL.
const char *pli_unit_of(const char *text);

// Reads a number with a unit behind it, in the given unit ("": a pure number). That may name two,
// "N/m^2 or N/m"; the dimension decides. On a fault *value is 0.
pli_unit_fault pli_unit_read(const char *text, const char *unit, double *value);

// What one of a unit is in another one. Never large, small or absent.
pli_unit_fault pli_unit_factor(const char *from, const char *to, double *factor);

// "Pa (stress)", "a pure number": a unit and what it measures.
void pli_unit_describe(const char *unit, char *text, size_t capacity);

#endif
