// SPDX-License-Identifier: Apache-2.0
//
// The shipped scenes, which the build puts into the program (cmake/PliantScenes.cmake).
#ifndef PLI_CLI_EMBEDDED_H
#define PLI_CLI_EMBEDDED_H

#include <stddef.h>
#include <stdint.h>

typedef struct pli_cli_embedded {
    const char *name; // "rubber/stretch"
    const char *begin;
    const char *end; // one past the last byte; a zero byte stands there
} pli_cli_embedded;

// Sorted by name; a row with NULL ends them.
extern const pli_cli_embedded pli_cli_embedded_scenes[];
extern const int32_t pli_cli_embedded_scene_count;

// What a scene was called before.
typedef struct pli_cli_former_name {
    const char *former;
    const char *name;
} pli_cli_former_name;

// A row with NULL ends them.
extern const pli_cli_former_name pli_cli_former_names[];

#endif
