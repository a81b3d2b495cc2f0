// SPDX-License-Identifier: Apache-2.0
//
// Which keys of a scene can be changed while it is simulated, and how a page offers them: gravity,
// stiffness and damping of what there is, friction, the solver and its iterations. Units, ranges
// and values come from the scene's field table.
#ifndef PLI_SERVE_LIVE_SETTINGS_H
#define PLI_SERVE_LIVE_SETTINGS_H

#include "base/text.h"
#include "pliant/scene.h"

// Appends the list of settings with their values, as the message "settings" has it: [{...}, ...].
// Errors: memory.
PLI_CHECKED pli_status pli_live_settings_append(const pli_scene *scene, pli_text *text);

// Refuses a path that is not one of the settings. Errors: argument (says so), memory.
PLI_CHECKED pli_status pli_live_settings_check(const pli_scene *scene, const char *path);

#endif
