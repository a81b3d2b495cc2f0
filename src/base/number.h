// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text, the same in every locale: a file written or read under a comma locale is the
// same file. Reading is correctly rounded; writing is the shortest text that reads back as the same
// number.
//
// A number is [+-] digits [. digits] [e [+-] digits], with a digit on at least one side of the
// point. Words such as "nan" and hexadecimal forms are not numbers. Most numbers of real files are
// converted by exact integer arithmetic: a mantissa of up to 19 digits and a power of ten up to 19
// fit into 128 bits. The others go to strtod as digits and an exponent, without a decimal point.
#ifndef PLI_BASE_NUMBER_H
#define PLI_BASE_NUMBER_H

#include "base/text.h"

enum { PLI_NUMBER_CAPACITY = 32 }; // bytes that a formatted number needs, with its zero byte

// Reads the longest number at begin and returns where it ends; begin itself when there is none.
// Numbers too large for a double become infinite.
const char *pli_number_parse(const char *begin, const char *end, double *value);

// The same for whole numbers, [+-] digits; one that does not fit into 64 bits is not a number.
const char *pli_integer_parse(const char *begin, const char *end, int64_t *value);

// Reads the `length` bytes at text as one number. False: they are none, or it is not finite.
bool pli_number_from_bytes(const char *text, int64_t length, double *value);

// The same for whole numbers. False: the bytes are none, or it is too large.
bool pli_integer_from_bytes(const char *text, int64_t length, int64_t *value);

// Writes a finite number; nan and infinities become "nan", "inf" and "-inf".
void pli_number_format(double value, char text[PLI_NUMBER_CAPACITY]);

// Appends the shortest text that reads back as the same double, such as "0.1".
void pli_text_append_number(pli_text *text, double value);

// Appends seven digits of a number, which is what a float holds, without an exponent where that is
// short. Fast, for texts of millions of numbers. Not-a-number becomes 0, infinities the largest.
void pli_text_append_float(pli_text *text, float value);

#endif
