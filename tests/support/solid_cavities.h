// SPDX-License-Identifier: Apache-2.0
//
// Figures of cavities and of pressure that follows a surface, against closed forms and models of
// one degree of freedom.
#ifndef PLI_TESTS_SOLID_CAVITIES_H
#define PLI_TESTS_SOLID_CAVITIES_H

#include "pliant/base.h"

// A thin sphere of incompressible rubber whose volume is prescribed, up to seven times that at
// rest, so that its pressure may fall: it is largest at a stretch of 7^(1/6) = 1.38 (Green and
// Zerna 1954).
typedef struct pli_solid_inflation {
    double pressure_error; // largest over the curve, relative
    double volume_error;   // of what was prescribed, relative
    double fall;           // pressure at the end over the largest
} pli_solid_inflation;

PLI_CHECKED pli_status pli_solid_inflate(pli_context *context, pli_solid_inflation *found);

// A ball of gas falls on a plane: largest relative change of (p + p_0) V^gamma, and the least
// volume over the largest.
PLI_CHECKED pli_status pli_solid_adiabate(pli_context *context, double *change, double *squeeze);

// A weight on a column of gas: its period over that of m h'' = p_0 (h^-gamma - 1) - m g, and the
// least height over that at the beginning.
PLI_CHECKED pli_status pli_solid_bounce(pli_context *context, double *ratio, double *lowest);

#endif
