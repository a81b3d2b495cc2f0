// SPDX-License-Identifier: Apache-2.0
//
// Copies of a body: how many there are, what they are called and where each of them stands.
#ifndef PLI_SIM_BODY_BODY_COPY_H
#define PLI_SIM_BODY_BODY_COPY_H

#include "pliant/scene.h"

enum { PLI_BODY_COPY_NAME = 256 };

// At least 1; 64 bits because counts multiply.
int64_t pli_body_copy_count(const pli_body_def *def);

// "torus" for a single body, else "torus-1", "torus-2", ...; all pieces of a copy, then the next.
void pli_body_copy_name(const pli_body_def *def, int32_t copy, int32_t piece,
                        char name[PLI_BODY_COPY_NAME]);

// x = A X + offset takes the body's own coordinates to where the copy stands: A scales, turns as
// the body says, then by the copy's number of steps, then by the copy's own random rotation.
void pli_body_copy_place(const pli_body_def *def, int32_t seed, int32_t body, int32_t copy,
                         double A[9], double offset[3]);

#endif
