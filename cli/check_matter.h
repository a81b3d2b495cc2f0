// SPDX-License-Identifier: Apache-2.0
//
// What 'pliant check' says of a scene of particles instead of vertices, unknowns and tolerance.
#ifndef PLI_CLI_CHECK_MATTER_H
#define PLI_CLI_CHECK_MATTER_H

#include "json.h"

#include "pliant/sim.h"

// Lines of comments: particles, kinds, emitters, domain, colliders, mass, steps, solver.
void pli_cli_print_matter(const pli_model *model, const pli_scene_def *scene);

// The same as members of an object.
void pli_cli_put_matter(pli_cli_json *json, const pli_model *model, const pli_scene_def *scene);

#endif
