// SPDX-License-Identifier: Apache-2.0
//
// What tests of scenes share: the samples that use every key, of meshes and of particles, and
// comparing messages.
#ifndef PLI_TESTS_SCENE_SAMPLES_H
#define PLI_TESTS_SCENE_SAMPLES_H

#include "near.h"
#include "source.h"

#include "io/file/file.h"
#include "pliant/io.h"
#include "pliant/scene.h"
#include "pliant/scene_reader.h"

static const char everything_of_meshes[] = "scene_everything.yaml";
static const char everything_of_particles[] = "scene_particles.yaml";

static inline pli_scene *load_sample(pli_context *context, const char *name)
{
    char path[512];
    pli_scene *scene = NULL;
    OK(context, pli_scene_load(context, sample_path(name, path, sizeof path), NULL, &scene));
    return scene;
}

// The text of a sample. Lifetime: until pli_release.
static inline char *read_sample(pli_context *context, const char *name)
{
    char path[512];
    char *text = NULL;
    int64_t count = 0;
    OK(context, pli_file_read(context, sample_path(name, path, sizeof path), 0, &text, &count));
    return text;
}

static inline pli_scene *load_everything(pli_context *context)
{
    return load_sample(context, everything_of_meshes);
}

// The call failed as it should, with exactly this message.
static inline void refused_check(pli_context *context, pli_status status, const char *want,
                                 const char *file, int line)
{
    char message[1024];
    pli_context_message(context, message, sizeof message);
    if (status == PLI_ERROR_SCENE && strcmp(message, want) == 0) return;
    fprintf(stderr, "%s:%d: status '%s', message\n  %s\nwant\n  %s\n", file, line,
            pli_status_text(status), message, want);
    fail();
}

#define REFUSED(context, call, want) refused_check((context), (call), (want), __FILE__, __LINE__)

#endif
