// SPDX-License-Identifier: Apache-2.0
//
// Tetrahedra as energy terms of a solver. Newton's methods take all of them as pli_elastic. Where
// one matrix serves many iterations, those of the corotated law without a volume term (lambda = 0)
// become pli_projective, which is made for it, and pli_elastic takes the others, if there are any.
//
// Frames want stress and J of every tetrahedron in the order of the model, for which there is a
// pli_elastic of all of them in either case; where the objective does without, it is made when it
// is first asked for.
#ifndef PLI_SIM_TETS_BUILD_H
#define PLI_SIM_TETS_BUILD_H

#include "sim/solver.h"

// Fills elastic and projective of a solver. Errors: mesh (a rest volume that is not positive),
// memory.
pli_status pli_tets_build(pli_solver *solver);

// All tetrahedra, in the order of the model. Lifetime: that of the solver. Errors: memory.
pli_status pli_tets_get_all(pli_solver *solver, const pli_elastic **elastic);

#endif
