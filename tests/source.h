// SPDX-License-Identifier: Apache-2.0
//
// Where tests find files of the repository: below PLIANT_SOURCE, which ctest sets, or below the
// current folder when a test is started by hand in the root.
#ifndef PLI_TESTS_SOURCE_H
#define PLI_TESTS_SOURCE_H

#include <stdio.h>
#include <stdlib.h>

static inline const char *source_root(void)
{
    const char *root = getenv("PLIANT_SOURCE");
    return root != NULL ? root : ".";
}

// The path of a shipped scene, such as "contact/lattice-hoop".
static inline const char *scene_path(const char *name, char *path, size_t capacity)
{
    snprintf(path, capacity, "%s/scenes/%s.yaml", source_root(), name);
    return path;
}

// The path of a file in tests/data.
static inline const char *sample_path(const char *name, char *path, size_t capacity)
{
    snprintf(path, capacity, "%s/tests/data/%s", source_root(), name);
    return path;
}

#endif
