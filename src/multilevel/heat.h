// SPDX-License-Identifier: Apache-2.0
//
// Distances in a mesh from the flow of heat (Crane et al. 2013), short in stiff matter and long in
// soft (Trusty et al. 2025, section 3.6.1).
//
// Stiffness E is the conductivity, e = E / E_soft with the softest E of the mesh, so e >= 1. Heat
// from the sources spreads for a short time t,
//
//     (M + t L_e) u = sources,
//
// and decays along shortest paths of the metric ds / sqrt(e). Its gradient gives their direction
// X = -grad u / |grad u| in each element; the length of the distance's gradient is known to be
// 1 / sqrt(e), which makes the weighting survive. The distance d is what fits best:
//
//     L_e d = div(e grad d),   that is   sum over elements of |T| sqrt(e) X . grad phi_i .
//
// In the softest matter d is a true length, elsewhere it is shorter by sqrt(E_soft / E). Both
// matrices (laplacian.h) are factored once; distances from any number of sets of sources follow by
// substitution. A source gets so much heat that alone it would be about as hot as any other,
// whatever the matter and the mesh around it; the boundary between sources is where heat balances.
//
// Each connected component has its own time t = m^2, m the mean length of its edges in the metric,
// but at least a third of the mean that they would have in its softest matter: heat that does not
// cross an element counts edges instead of measuring lengths. So in matter that is stiffer by a
// factor than most around it, heat smooths the distance over as many edges as the root of that
// factor: it stays ordered and small there, but is blunt. Heat falls by about e^-1 (in soft matter
// up to e^-3) per edge and is lost to underflow some hundreds of edges away. Elements in which its
// gradient cannot be told take the direction of shortest paths along edges (Dijkstra) instead. The
// same paths bound the distance from above, for what the sum along a path of edges gives is never
// too short: where mesh or contrast are so bad that heat misleads, paths along edges are the
// answer.
//
// Distances are shifted so that sources have mean zero in each connected component, then set to
// zero there and cut off below at zero. Components without a source are infinitely far.
//
// Threads: create and compute are parallel with the same bits for any number of threads; one call
// on an object at a time. compute allocates nothing. Needs the sparse Cholesky of cholesky.h.
#ifndef PLI_MULTILEVEL_HEAT_H
#define PLI_MULTILEVEL_HEAT_H

#include "geometry/mesh/incidence.h"
#include "geometry/mesh/laplacian.h"
#include "linear/direct/cholesky.h"
#include "multilevel/queue.h"

typedef struct pli_heat_def {
    pli_simplices mesh;      // its arrays are borrowed
    const double *stiffness; // [element_count] > 0 (Pa); NULL: all the same
} pli_heat_def;

typedef struct pli_heat {
    pli_context *context;
    pli_simplices mesh; // borrowed

    // made by create
    double *ratio;            // [element_count]  e
    pli_incidence incidence;  // elements of the vertices
    pli_laplacian *laplacian; // weighted by e; its rows are the graph of the edges
    float *lengths;           // [entry_count]  of edges in the metric (m); 0 on the diagonal
    double *warmth;           // [vertex_count]  heat of a source there
    int32_t *component;       // [vertex_count]  by edges
    int32_t component_count;
    double *time;            // [component_count]  t (m^2)
    pli_cholesky *diffusion; // of M + t L_e
    pli_cholesky *poisson;   // of L_e, one vertex of each component held

    // scratch of compute
    double *x;           // [vertex_count][3]  right-hand side, then solution, in the first column
    double *flux;        // [element_count][corner_count]  share of an element in the divergence
    double *path;        // [vertex_count]  length of the shortest path along edges (m)
    pli_queue queue;     // [vertex_count]
    double *shift;       // [component_count]
    int32_t *sources_in; // [component_count]
} pli_heat;

// Errors: argument (no elements, a stiffness that is not positive and finite).
PLI_CHECKED pli_status pli_heat_check(pli_context *context, const pli_heat_def *def);

// Errors: argument (as check tells), mesh (as for laplacian.h), unsupported (a build without
// CHOLMOD), numeric (a matrix could not be factored), memory.
PLI_CHECKED pli_status pli_heat_create(pli_context *context, const pli_heat_def *def,
                                       pli_heat **heat);
void pli_heat_destroy(pli_heat *heat);

// distance [vertex_count] (m) to the nearest of sources [source_count]; infinite where none is
// connected. Errors: argument (a source outside the mesh), memory.
PLI_CHECKED pli_status pli_heat_compute(pli_heat *heat, int32_t source_count,
                                        const int32_t *sources, double *distance);

// The edges as a graph, with their lengths in the metric; an entry of a vertex with itself has
// length zero. Lifetime: that of heat.
static inline pli_graph pli_heat_graph(const pli_heat *heat)
{
    const pli_laplacian *l = heat->laplacian;
    return (pli_graph){l->vertex_count, l->row_start, l->column};
}

#endif
