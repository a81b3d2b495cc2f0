// SPDX-License-Identifier: Apache-2.0
//
// Numbers in the files that are written and read here: always with a point, whatever the locale of
// the program that uses the library. Not-a-number and infinities have no common spelling, so the
// callers decide about them before they come here.
#ifndef PLI_IO_TEXT_NUMBER_H
#define PLI_IO_TEXT_NUMBER_H

#include "base/text.h"

// Appends the shortest text that reads back as the same double, such as "0.1".
void pli_text_append_number(pli_text *text, double value);

// Appends seven digits of a number, which is what a float holds, without an exponent where that is
// short. Fast, for texts of millions of numbers. Not-a-number becomes 0, infinities the largest.
void pli_text_append_float(pli_text *text, float value);

// Reads the `length` bytes at text as one number. False: they are none, or it is not finite.
bool pli_number_from_bytes(const char *text, int64_t length, double *value);

// Reads the `length` bytes at text as a decimal integer. False: they are none, or it is too large.
bool pli_integer_from_bytes(const char *text, int64_t length, int64_t *value);

#endif
