// SPDX-License-Identifier: Apache-2.0
//
// The coarse spaces of a model, for solvers that are or contain a multigrid: the scene's section
// solver.multigrid turned into a hierarchy (multilevel/skinning.h) and the smoothers of its levels.
//
// The graph that handles spread along is that of all elements: tetrahedra, the triangles of shells
// and the springs of cloth. Obstacles, which nothing moves but their scripts, take no part. The
// stiffness of a vertex is the mean of |dP/dF| at rest over its elements; a cloth is the same
// everywhere. All of it follows from the rest shape and the materials, so that it is made once and
// belongs to the model.
#ifndef PLI_SIM_MODEL_COARSE_BUILD_H
#define PLI_SIM_MODEL_COARSE_BUILD_H

#include "sim/model/model.h"

// Fills hierarchy and multigrid of a model whose bodies, materials and solver are there, from its
// solver_def; nothing when the solver needs none. Errors: scene, memory.
pli_status pli_coarse_build(pli_model *model);

// Reads the smoothers of a section solver.multigrid for as many levels as it says, or for two.
// Errors: argument (with what is wrong), memory.
pli_status pli_coarse_parse(pli_context *context, const pli_multigrid_def *def,
                            pli_vcycle_def *multigrid);

// Bytes that the levels of a model take in a solver: coarse matrices, vectors, links.
int64_t pli_coarse_memory(const pli_model *model);

#endif
