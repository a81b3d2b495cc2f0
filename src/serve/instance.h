// SPDX-License-Identifier: Apache-2.0
//
// A name for one start of a server, by which pages tell one that came back from one that was slow.
#ifndef PLI_SERVE_INSTANCE_H
#define PLI_SERVE_INSTANCE_H

#include <stdint.h>

enum { PLI_INSTANCE_CAPACITY = 17 };

// 16 hexadecimal digits that depend on the time, the process and the salt. Nobody has to be kept
// from guessing them.
void pli_instance_make(uint64_t salt, char text[PLI_INSTANCE_CAPACITY]);

#endif
