// SPDX-License-Identifier: Apache-2.0
//
// How the broad phase of pliant/detect.h works, and what its neighbours see of it.
//
// The method is a packed tree of boxes (simplex_tree.h) over triangles and one over edges, which
// are refitted from call to call; points and edges look for their partners in the order of their
// indices. Blocks of them write into slices of one array, dealt by what each found the last time;
// only when a slice was too short are all of them run again, with slices that fit.
//
// Boxes belong to vertices: that of a primitive is the union of those of its corners. Vertices that
// no primitive uses are left out, so those that are used have numbers of their own.
#ifndef PLI_GEOMETRY_COLLISION_BROAD_PHASE_H
#define PLI_GEOMETRY_COLLISION_BROAD_PHASE_H

#include "base/context.h"
#include "pliant/detect.h"

// A surface as the broad phase keeps it. Views: they live as long as the object.
typedef struct pli_broad_surface {
    pli_context *context;
    const int32_t *vertices;   // [surface vertex] as numbered by the caller
    const float *boxes;        // [surface vertex][8] min, -max (m), 0, 0
    const int32_t *corners[3]; // [index][1 + k] surface vertices of points, edges, triangles
} pli_broad_surface;

pli_broad_surface pli_broad_phase_surface(const pli_broad_phase *broad);

// Computes the boxes of the way from x0 to x0 + t (x1 - x0), inflated by half the reach. Boxes of
// primitives that come as near as the reach on that way touch or overlap. Returns a vertex, in the
// caller's numbers, whose position is not finite, or -1. Pairs found before stay as they are.
int32_t pli_broad_phase_fit_boxes(pli_broad_phase *broad, const double *x0, const double *x1,
                                  double t, double reach);

#endif
