// SPDX-License-Identifier: Apache-2.0
//
// From what a user calls a scene to a scene: a file, a shipped scene by its name, or `-` for
// standard input, with the changes that the options ask for.
#ifndef PLI_CLI_SCENE_SOURCE_H
#define PLI_CLI_SCENE_SOURCE_H

#include "embedded.h"
#include "session.h"

#include "pliant/scene.h"

// The shipped scene with a name, or NULL; a former name gives a note that says today's.
const pli_cli_embedded *pli_cli_find_scene(pli_cli_session *session, const char *name);

// The shipped scene that someone may have meant, or NULL.
const char *pli_cli_nearest_scene(const char *name);

// Loads the scene that the first operand names, with --set, --solver, --frames and --seed applied.
// Returns 0, or the exit code of a failure that was reported.
int pli_cli_load_scene(pli_cli_session *session, pli_scene **scene);

// The first line of a simulation: which contact bodies have, and who said so. Particles have none.
void pli_cli_say_contact(pli_cli_session *session, const pli_scene *scene);

#endif
