// SPDX-License-Identifier: Apache-2.0
//
// Opening an address in the browser of whoever sits in front of the machine.
#ifndef PLI_CLI_BROWSER_H
#define PLI_CLI_BROWSER_H

#include <stdbool.h>

// Starts $BROWSER, or where there is a desktop xdg-open, and does not wait for it. False: there is
// neither, or it could not be started.
bool pli_cli_open_browser(const char *address);

#endif
