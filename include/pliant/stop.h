// SPDX-License-Identifier: Apache-2.0
//
// Why a minimisation, and the step that it belongs to, ended.
#ifndef PLIANT_STOP_H
#define PLIANT_STOP_H

#include "pliant/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// The sign tells success, the value tells why.
typedef enum pli_stop {
    PLI_STOP_GRADIENT = 1,    // the norm of the gradient fell under the tolerance
    PLI_STOP_FIXED = 3,       // the fixed number of iterations was made, as asked
    PLI_STOP_DIRECTION = 4,   // what the next iteration would change fell under the tolerance
    PLI_STOP_EXPLICIT = 5,    // nothing was to be solved
    PLI_STOP_ITERATIONS = -1, // budget spent; the state is the best iterate
    PLI_STOP_LINESEARCH = -2, // no admissible decrease was found, above the tolerance
    PLI_STOP_NONFINITE = -3,  // energy, gradient or direction not finite; the step was rejected
    PLI_STOP_LINEAR = -4,     // no direction: a matrix could not be factored, even projected
    PLI_STOP_ROUNDING = -5    // above the tolerance, but no representable progress is left
} pli_stop;

// "gradient", "newton-step", ... as in steps.jsonl.
PLI_API const char *pli_stop_name(pli_stop stop);

#ifdef __cplusplus
}
#endif

#endif
