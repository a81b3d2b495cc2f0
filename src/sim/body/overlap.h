// SPDX-License-Identifier: Apache-2.0
//
// Start-up check of what overlaps at time 0: vertices of bodies inside of colliders, and
// where bodies collide also inside of other bodies and of their own.
//
// It is told with the names of both, the number of vertices, and the few deepest ones with their
// depth, so that the scene can be put right. Vertices that only touch count as outside; held
// vertices count like all others. A body with a random or collapsed start is not checked against
// itself: it means to be tangled. What is left out is what contact does not see either: vertices
// inside of more than two bodies count for the first two, and bodies in the very same place only
// touch. Barriers, which do not even let bodies touch, have a check of their own
// (sim/model/barrier_check.h).
#ifndef PLI_SIM_BODY_OVERLAP_H
#define PLI_SIM_BODY_OVERLAP_H

#include "sim/model/model.h"

enum { PLI_OVERLAP_LISTED = 5 };

// Vertices of one body that are inside of something.
typedef struct pli_overlap {
    int32_t count;                     // of vertices
    int32_t ids[PLI_OVERLAP_LISTED];   // of the deepest, deepest first, counted within their body
    double depths[PLI_OVERLAP_LISTED]; // m
} pli_overlap;

// The vertices of a body that start inside of a collider. Errors: memory.
pli_status pli_overlap_find(const pli_model *model, const pli_model_collider *collider,
                            const pli_model_body *body, pli_overlap *overlap);

// Checks a model whose bodies and colliders are there, as strictly as the scene wants.
// Errors: scene, memory.
pli_status pli_overlap_check(const pli_model *model, const pli_scene *scene);

#endif
