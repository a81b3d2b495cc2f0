// SPDX-License-Identifier: Apache-2.0
//
// What "converged" means: the weights of the gradient's norm and the default tolerance.
//
//   velocity        |g| = a h sqrt(sum |g_i|^2 / m_i) / sqrt(sum m_i), in m/s. Where the rest
//                   of the objective is convex this bounds the root mean square error of the
//                   velocity, because the Hessian is at least M / (a h^2). Default: 1e-4 of the
//                   scene's diagonal per second.
//   characteristic  |g| = sqrt(mean (|g_i| / (l_i xi_i))^2), a pure number: force relative to what
//                   the material has on the surface l_i of the vertex's one-ring, with xi_i the
//                   mass-weighted norm of dP/dF at rest (Wang et al. 2020, eq. 13 to 15, for
//                   meshes); in a shell, l_i is the rim of the one-ring times the thickness, in
//                   cloth l_i xi_i is the sum of k l over the springs of the vertex.
//                   Default: 1e-7.
//   step            largest entry of Newton's step over h, in m/s (without inertia over 1 s).
//                   Default: 1e-3 of the scene's diagonal per second (Li et al. 2020, section 4.5:
//                   1e-2).
//   error           error of the positions in the norm of the energy, relative to the deformation,
//   a
//                   pure number (optimize/stopping.h). Default: 1e-5, so that a sag is right to
//                   five digits. The default without inertia, where nothing else says what is near:
//                   forces are small under small loads, and where soft and stiff directions meet.
//                   Its minimisers measure the gradient by the characteristic norm beside it.
//   force           |g| = sqrt(sum |g_i|^2), in N (Gast et al. 2015). Default: 1e-7 of the mean
//                   l_i xi_i.
// Vertices of obstacles do not count: nothing moves them.
//
// Implicit steps of particles have the characteristic norm of mpm/implicit/implicit_stepper.h, or,
// where the solver's row of the table says so, the plain length |h g| in kg m/s; its default
// tolerance is that of the row. Explicit ones have none.
#ifndef PLI_SIM_STEP_NORM_H
#define PLI_SIM_STEP_NORM_H

#include "sim/model/model.h"

// Fills norm, norm_weights, norm_scale and tolerance of a model whose arrays are complete.
pli_status pli_norm_build(pli_model *model);

// The same of a model of particles, whose solver is chosen: norm and tolerance.
void pli_norm_build_matter(pli_model *model);

// The unit of the norm, "" for pure numbers. Lifetime: static.
const char *pli_norm_unit(const pli_model *model);

#endif
