// SPDX-License-Identifier: Apache-2.0
//
// Numbers of scenes as text, the same in every locale: a decimal point is a point, whatever the
// user's settings say.
//
// Reading is strict: the whole text must be one number, such as "9.81", "-.5", "1e-3", or a
// fraction of two of them, "1/24". Hexadecimal numbers, "nan", "inf", blanks and anything left over
// are refused, and so is what a double cannot hold: too large, or so close to zero that digits
// would be lost (below 2.2e-308).
// Writing gives the shortest text that reads back as the same double.
#ifndef PLI_SIM_QUANTITY_H
#define PLI_SIM_QUANTITY_H

typedef enum pli_quantity_fault {
    PLI_QUANTITY_OK,
    PLI_QUANTITY_SYNTAX, // not a number at all
    PLI_QUANTITY_LARGE,  // beyond 1.8e308, or a division by zero
    PLI_QUANTITY_SMALL   // not zero, but below 2.2e-308
} pli_quantity_fault;

// Reads a number; on a fault *value is 0.
pli_quantity_fault pli_quantity_parse(const char *text, double *value);

enum { PLI_QUANTITY_CAPACITY = 32 };

// Writes a finite number: "0.1", "250", "1e-7", "6.02e23".
void pli_quantity_format(double value, char text[PLI_QUANTITY_CAPACITY]);

#endif
