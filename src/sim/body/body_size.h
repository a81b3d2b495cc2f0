// SPDX-License-Identifier: Apache-2.0
//
// How large a scene's bodies will be, told before they are made: what cannot fit into the memory
// of the machine is refused at once, not after minutes of building.
//
// Only a lower bound refuses: positions, masses, rest shapes, indices and what the leanest solver
// keeps. What the solver of the scene really takes is known when the model is made; that it is more
// than there is, is a warning.
#ifndef PLI_SIM_BODY_BODY_SIZE_H
#define PLI_SIM_BODY_BODY_SIZE_H

#include "pliant/scene.h"

// Refuses bodies that cannot fit, copies included. Errors: scene.
PLI_CHECKED pli_status pli_body_check_sizes(const pli_scene *scene);

// The same for a lattice, whose number of vertices follows from a volume (m^3) and a spacing (m);
// the message leaves the body's name to the caller. Errors: scene.
PLI_CHECKED pli_status pli_body_check_lattice(pli_context *context, double volume, double spacing);

// The same for a shape (m^3) that is filled with so many particles in a cell of the grid, of this
// width (m). Errors: scene.
PLI_CHECKED pli_status pli_body_check_particles(pli_context *context, double volume,
                                                int32_t per_cell, double cell);

// Warns of a model that takes more bytes than there are.
void pli_body_warn_memory(pli_context *context, int64_t bytes);

#endif
