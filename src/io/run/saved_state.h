// SPDX-License-Identifier: Apache-2.0
//
// A state as checkpoints see it: its arrays, and a hash of everything that it depends on.
//
// The hash covers the resolved scene without what changes no result (about, output, the number of
// frames), and the compiled mesh or the particles at the start, so that another mesh in a file of
// the same name is noticed.
#ifndef PLI_IO_RUN_SAVED_STATE_H
#define PLI_IO_RUN_SAVED_STATE_H

#include "io/run/checkpoint.h"
#include "pliant/io.h"

typedef struct pli_saved_state {
    pli_context *context;
    const pli_model *model; // borrowed
    pli_state *state;       // borrowed
    char *scene_text;       // resolved scene, from pli_scene_to_yaml
    uint64_t scene_hash;
    pli_state_array *arrays; // [array_count], of the state that is being saved or filled
    int32_t array_count;
    pli_manifest *files; // borrowed: lists checkpoints as pliant's; NULL: their folder's own list
    const char *prefix;  // leads from the folder of `files` to that of the checkpoints
} pli_saved_state;

// Errors: memory, io. After a failure there is nothing to clear.
PLI_CHECKED pli_status pli_saved_state_init(pli_saved_state *saved, const pli_scene *scene,
                                            const pli_model *model, pli_state *state);
void pli_saved_state_clear(pli_saved_state *saved);

// Writes a checkpoint of the state to a folder of checkpoints.
PLI_CHECKED pli_status pli_saved_state_save(pli_saved_state *saved, const char *folder);

// Restores the state from the newest whole checkpoint. It is read into another state first: after a
// failure the state is as it was.
PLI_CHECKED pli_status pli_saved_state_load(pli_saved_state *saved, const char *folder);

#endif
