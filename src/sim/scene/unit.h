// SPDX-License-Identifier: Apache-2.0
//
// Units that people write behind numbers. Scenes have none: every number is in the unit of its key.
// What is known here serves messages that say what the number would be.
#ifndef PLI_SIM_SCENE_UNIT_H
#define PLI_SIM_SCENE_UNIT_H

#include <stdbool.h>

enum { PLI_UNIT_ADVICE = 160 };

// What is wrong with a text that begins with a number and goes on with something else, for a key in
// the given unit ("": a pure number); begins with a semicolon: "; the key is in Pa, without a unit
// behind the number: write 3e7". False when the text does not look like that.
bool pli_unit_advise(const char *text, const char *unit, char advice[PLI_UNIT_ADVICE]);

#endif
