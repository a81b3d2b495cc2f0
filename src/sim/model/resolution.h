// SPDX-License-Identifier: Apache-2.0
//
// Whether a model's positions are fine enough where it stands: a double has 53 bits, so that
// positions X away from the origin are X 2^-52 apart. Strains are rounded by that over the length
// of an edge, gaps by that over the distance of contact. Far away, small things stand still or
// shake, and no solver can tell; so such scenes are refused, and it is told what would be right.
//
// Particles have a rule of their own: the origin of their grid is at most 2^30 cells from 0.
#ifndef PLI_SIM_MODEL_RESOLUTION_H
#define PLI_SIM_MODEL_RESOLUTION_H

#include "sim/model/model.h"

// Checks a model whose bodies and contact are there, body by body against the mean length of its
// edges: beyond 1e-6 of it (or 1e-3 of the distance of contact) it is refused, beyond 1e-8 warned
// of. Errors: scene.
pli_status pli_resolution_check(const pli_model *model);

// Sum of the lengths of the edges of elements with `size` corners each, [count][size], each edge as
// often as it occurs (m); adds to *edges how many that are.
double pli_resolution_sum_edges(const double *points, const int32_t *elements, int64_t count,
                                int size, int64_t *edges);

#endif
