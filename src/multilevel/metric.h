// SPDX-License-Identifier: Apache-2.0
//
// The stiffness that the distances of a partition see (partition.h).
//
// Interfaces. Faces inside a piece across which the stiffness changes by a factor of 2 or more are
// passable but slow: elements with a vertex at one count as softer, by a given factor, than the
// softest of their component (Trusty et al. 2025, section 3.6).
//
// Components. An ideal k-means puts clusters in proportion to the sum of V e^(-n / (n + 2)) over
// elements of volume V and stiffness e in n dimensions (clusters.h). That compares what hangs
// together well; between bodies that do not, it would leave a stiff one with a handle or two
// however finely it is meshed and whatever befalls it. So the stiffness of component c counts
//
//   (sum_c V e^(-n / (n + 2)) / vertices_c)^((n + 2) / n)
//
// times what it is, and clusters are shared in proportion to vertices.
#ifndef PLI_MULTILEVEL_METRIC_H
#define PLI_MULTILEVEL_METRIC_H

#include "multilevel/pieces.h"

// Allocates *metric [element_count], to be released by the caller. stiffness [element_count] > 0,
// NULL: all the same; jump: stiffness at interfaces over the softest, 0: left alone; pieces are
// those of the mesh. Errors: memory.
PLI_CHECKED pli_status pli_metric_build(pli_context *context, const pli_simplices *mesh,
                                        const double *stiffness, double jump,
                                        const pli_pieces *pieces, double **metric);

#endif
