// SPDX-License-Identifier: Apache-2.0
//
// Rigid alignment: turns and moves every body as a whole to where inertia wants it.
//
// Elastic energy does not change under a rigid motion of a body, while inertia prefers one: the
// rotation R and translation that minimise sum_i m_i |R (x_i - c) + c' - y_i|^2, a Procrustes
// problem with a closed solution (Kabsch 1976). A minimiser that walks along straight lines
// reaches it only by many small steps when the body is stiff and the step long, because a straight
// line leaves the curved valley of rigid motions at once. So when line searches turn out short,
// this gives it the rest of the way in one go; the caller keeps the result only if the energy
// falls.
#ifndef PLI_SIM_STEP_ALIGN_H
#define PLI_SIM_STEP_ALIGN_H

#include "sim/model/model.h"

// x [vertex_count][3] is replaced; target [vertex_count][3] is where inertia wants the points;
// fixed [vertex_count] bits of coordinates that keep their values.
void pli_align_body(const pli_model *model, const pli_model_body *body, const double *target,
                    const uint8_t *fixed, double *x);

// The same for all bodies.
void pli_align_bodies(const pli_model *model, const double *target, const uint8_t *fixed,
                      double *x);

#endif
