// SPDX-License-Identifier: Apache-2.0
//
// Expressions of x, y and z, such as "1e5 * (1 + 4 * smoothstep(0, 1, y))".
//
// Numbers, + - * / ^ (to the right first, before a sign), brackets, x, y, z, pi, and the functions
//     sin cos tan exp log sqrt abs floor     (of one number)
//     min max pow                            (of two)
//     step(edge, a)            0 below the edge, else 1
//     clamp(a, low, high)
//     smoothstep(low, high, a) 0 below, 1 above, 3 t^2 - 2 t^3 between
//     noise(a, b, c)           smooth and random from -1 to 1, with features of size 1, by the seed
// An expression is parsed once into a flat program for a stack. Neither parsing nor evaluating
// allocates, and evaluating ends after as many steps as the program has.
#ifndef PLI_BASE_EXPRESSION_H
#define PLI_BASE_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

enum {
    PLI_EXPRESSION_CODE = 256, // steps of a program
    PLI_EXPRESSION_DEPTH = 32, // brackets within each other, and numbers on the stack
    PLI_EXPRESSION_ERROR = 160
};

typedef struct pli_instruction {
    double value; // of a constant
    int32_t operation;
} pli_instruction;

typedef struct pli_expression {
    int32_t count;
    pli_instruction code[PLI_EXPRESSION_CODE];
} pli_expression;

// False: error says at which column what is wrong.
bool pli_expression_parse(const char *text, pli_expression *expression,
                          char error[PLI_EXPRESSION_ERROR]);

// The value at a place; not finite where that is what it comes to.
double pli_expression_evaluate(const pli_expression *expression, const double x[3], uint64_t seed);

#endif
