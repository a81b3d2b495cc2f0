// SPDX-License-Identifier: Apache-2.0
//
// The folder of a run: whose it is, what an earlier run left in it, and names in it.
//
// Taking a folder makes it, locks it and clears away drafts that a killed process left. The lock is
// the system's, on the file .lock, and ends with the process however it ends. Nothing is ever
// removed but files that a run makes, by the names it gives them.
#ifndef PLI_IO_RUN_FOLDER_H
#define PLI_IO_RUN_FOLDER_H

#include "base/context.h"

#define PLI_SCENE_FILE "scene.yaml"
#define PLI_RUN_FILE "run.json"

typedef struct pli_run_folder {
    pli_context *context;
    char *path;
    int lock;     // descriptor of the lock, -1: none
    bool made;    // it was not there before
    bool has_run; // an earlier run left files
} pli_run_folder;

// Errors: io (cannot be made or written, in use by another process), memory. After a failure there
// is nothing to clear.
PLI_CHECKED pli_status pli_run_folder_init(pli_run_folder *folder, pli_context *context,
                                           const char *path);

// Gives the lock up.
void pli_run_folder_clear(pli_run_folder *folder);

// Gives the lock up and removes a folder that was made and is still empty.
void pli_run_folder_undo(pli_run_folder *folder);

// Removes all files of an earlier run but its cache, whose files know what they belong to.
void pli_run_folder_wipe(pli_run_folder *folder);

// Whether a run works in a folder right now. The lock is asked, so that one whose process was
// killed does not count.
bool pli_run_folder_is_taken(pli_context *context, const char *path);

// folder/name. Lifetime: until pli_release. NULL when memory ran out.
char *pli_run_folder_join(const pli_run_folder *folder, const char *name);

#endif
