// SPDX-License-Identifier: Apache-2.0
//
// Vertex block descent (Chen, Liu, Yang and Yuksel 2024): block coordinate descent on the
// objective, one vertex at a time.
//
// Vertices are coloured so that no clique of a term has two of the same colour. An iteration goes
// through the colours in order, and all vertices i of a colour move at once, each as if the others
// stood still (equations 7 to 10 of the paper):
//
//     f_i = -dE/dx_i,   H_i = d2E/dx_i^2 (3x3, projected),   x_i += H_i^-1 f_i
//
// It needs neither a matrix nor a linear solver, costs little, and each colour sees what the ones
// before it did. In exchange an iteration carries news no further than a few elements: its rate
// is that of Gauss-Seidel, and the stiffer matter is against its inertia, the more iterations a
// step wants. With a fixed number of them a stiff body looks as if it were damped.
//
// A vertex whose block is singular to rounding (no inertia, slack neighbours) or whose step is not
// finite stays where it is for this time. Projected blocks do not bound the energy, so full steps
// nearly always decrease it, but are not bound to. With `searches` a step is halved until the
// vertex's own energy does not rise; then neither does the total, and a law that is infinite at
// inverted elements is never led there. The paper leaves the search out.
//
// Judged by the tolerance, every iteration computes the gradient once more than it needs it,
// because the forces of a sweep belong to different positions. With fixed_iterations only the last
// one is judged, unless energies are measured: residuals and gradients of those before are told as
// NaN, as are energies that nobody measured. With `searches` what is judged must have a finite
// energy.
//
// Coordinates that are held stay; vertices that are not held altogether move in the remaining ones.
//
// Same bits for any number of threads, since vertices of one colour read nothing that another one
// writes. A warm minimisation allocates nothing.
//
// Left out: Chebyshev acceleration and the paper's damping. Refused: terms that choose again in
// every iteration what they couple, or that limit steps by more than their energy (barriers,
// contact of bodies), and constraints by projection.
#ifndef PLI_OPTIMIZE_VERTEX_DESCENT_H
#define PLI_OPTIMIZE_VERTEX_DESCENT_H

#include "optimize/minimizer.h"

typedef struct pli_vertex_descent_def {
    double tolerance; // of what is judged
    pli_judge judge;  // the gradient or the error
    int32_t max_iterations;
    int32_t fixed_iterations; // > 0: exactly so many, no convergence test
    bool searches;            // steps of vertices are shortened until their energy does not rise
    bool measures_energy;     // tell the energy of every iterate to the monitor
} pli_vertex_descent_def;

typedef struct pli_vertex_descent pli_vertex_descent;

// Colours for an objective whose terms are all there; the objective is borrowed and needs no
// pattern of its own. Errors: unsupported (a term that cannot be minimised so, named; constraints),
// memory.
PLI_CHECKED pli_status pli_vertex_descent_create(pli_context *context,
                                                 const pli_vertex_descent_def *def,
                                                 pli_objective *objective,
                                                 pli_vertex_descent **descent);
void pli_vertex_descent_destroy(pli_vertex_descent *descent);

// Lifetime: that of the object, which destroying the minimiser ends.
pli_minimizer pli_vertex_descent_minimizer(pli_vertex_descent *descent);

// How many colours a sweep has, for instruments.
int32_t pli_vertex_descent_color_count(const pli_vertex_descent *descent);

#endif
