// SPDX-License-Identifier: Apache-2.0
//
// `pliant check --frames DIR`: finished frames are tested for surfaces that cross and tetrahedra
// that are inverted. A line per frame with findings, then one in all; or JSON.
#ifndef PLI_CLI_CHECK_FRAMES_H
#define PLI_CLI_CHECK_FRAMES_H

#include "session.h"

// Returns the exit code: done, broken when something was found, or that of a failure.
int pli_cli_check_frames(pli_cli_session *session, const char *folder);

#endif
