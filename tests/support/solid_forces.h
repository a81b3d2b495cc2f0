// SPDX-License-Identifier: Apache-2.0
//
// Figures of forces: what supports and colliders carry against what pulls.
#ifndef PLI_TESTS_SOLID_FORCES_H
#define PLI_TESTS_SOLID_FORCES_H

#include "pliant/base.h"

// Largest component of what is missing from a balance of forces, in any of some steps, over the
// weight of the body: of a hanging block under a load at rest; of one whose support moves, where
// the sum of forces is the change of momentum; and of one that falls on a floor with friction.
typedef struct pli_solid_balance {
    double rest;
    double motion;
    double contact;
} pli_solid_balance;

PLI_CHECKED pli_status pli_solid_balances(pli_context *context, pli_solid_balance *found);

// Sum of the forces of a pressure on a ball that is deformed, over the sum of their sizes.
PLI_CHECKED pli_status pli_solid_closed_pressure(pli_context *context, double *resultant);

#endif
