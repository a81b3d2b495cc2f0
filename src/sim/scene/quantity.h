// SPDX-License-Identifier: Apache-2.0
//
// Numbers as scenes write them, the same in every locale.
//
// Reading is strict: the whole text must be one number, such as "9.81", "-.5", "1e-3", or a
// fraction of two of them, "1/24". Hexadecimal numbers, "nan", "inf", blanks and anything left over
// are refused, and so is what a double cannot hold: too large, or so close to zero that digits
// would be lost (below 2.2e-308).
// Writing gives a text that reads back as the same double and is pleasant to read: "0.1", "250",
// "2.1e11", "1e-7".
#ifndef PLI_SIM_SCENE_QUANTITY_H
#define PLI_SIM_SCENE_QUANTITY_H

#include <stdint.h>

typedef enum pli_quantity_fault {
    PLI_QUANTITY_OK,
    PLI_QUANTITY_SYNTAX, // not a number at all
    PLI_QUANTITY_LARGE,  // beyond 1.8e308, or a division by zero
    PLI_QUANTITY_SMALL   // not zero, but below 2.2e-308
} pli_quantity_fault;

// Reads a number; on a fault *value is 0.
pli_quantity_fault pli_quantity_parse(const char *text, double *value);

// What a number is multiplied by: p / q 10^exponent (180 / pi)^radians. p and q are at most 1e17.
typedef struct pli_quantity_factor {
    int64_t p;
    int64_t q;
    int32_t exponent;
    int32_t radians;
} pli_quantity_factor;

// Where the number or fraction that a text begins with ends; the text itself when there is none.
const char *pli_quantity_skip(const char *text);

// The number from text to where pli_quantity_skip says, times a factor. The product is exact in
// decimals and rounded once where there is neither a fraction nor q nor pi.
pli_quantity_fault pli_quantity_scale(const char *text, const pli_quantity_factor *factor,
                                      double *value);

enum { PLI_QUANTITY_CAPACITY = 40 };

// Writes a finite number.
void pli_quantity_format(double value, char text[PLI_QUANTITY_CAPACITY]);

#endif
