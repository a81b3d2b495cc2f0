// SPDX-License-Identifier: Apache-2.0
//
// What the machine has, as far as this process may use it.
#ifndef PLI_BASE_MACHINE_H
#define PLI_BASE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

// Bytes of memory that the process can have at most: what is installed, swap not counted since
// nothing that is simulated there would end, or less where a limit on addresses (ulimit -v) or on
// its group (a container's) says so. INT64_MAX: not known.
int64_t pli_machine_memory(void);

#endif
