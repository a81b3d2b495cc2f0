// SPDX-License-Identifier: Apache-2.0
//
// After the stencils: a boundary that is a closed manifold, no crumbs, and an order with locality.
// See stuffing.h. For the files stuffing*.c only.
//
// Around a point the tetrahedra cut a small sphere into triangles, the point's link. The boundary
// is a manifold there when the link is all of the sphere or a disc. Where it is not, tetrahedra are
// removed: all but the largest of several pieces, all but the largest of several fans around an
// edge, and everything around a point whose link has a hole.
#ifndef PLI_GEOMETRY_STUFFING_CLEAN_H
#define PLI_GEOMETRY_STUFFING_CLEAN_H

#include "geometry/stuffing_stencil.h"

// Removes tetrahedra until the boundary is a manifold. Errors: memory.
pli_status pli_soup_remove_pinches(pli_soup *soup);

// Removes connected pieces with less than the given part of the volume and says how many.
pli_status pli_soup_remove_crumbs(pli_soup *soup, double part, int32_t *dropped_count);

// Drops unused points and numbers the rest along a Morton curve; the smallest vertex of a
// tetrahedron comes first, and tetrahedra are sorted by it.
pli_status pli_soup_sort(pli_soup *soup);

#endif
