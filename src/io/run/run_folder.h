// SPDX-License-Identifier: Apache-2.0
//
// The folder of a run: whose it is, what an earlier run left in it, and names in it.
//
// Taking a folder makes it and locks it. The lock is the system's, on the file .lock, and ends with
// the process however it ends. Accepting it decides whether a run may write there. Until then, and
// when it is refused, nothing in it changes; a lock that was made for the question is removed.
//
// Nothing is ever removed or replaced but files that a run of pliant wrote and that are as it wrote
// them, by the list of files (io/run/manifest.h): a new run is refused where something of others is
// in its way and says what else is there; one that replaces another is refused where anything of
// others is; one that goes on is refused where it would have to write over something of others.
// What `render`, `export` and the page leave in the folder when they are not told another is none
// of the run's, and stays.
//
// Folders of versions that kept no list: with a run.json that begins as pliant's, what begins as
// pliant's files do counts as theirs, frames only of bodies that series.pvd lists, scene.yaml only
// when it is not younger than run.json. Where there is no such run.json, nothing does.
#ifndef PLI_IO_RUN_RUN_FOLDER_H
#define PLI_IO_RUN_RUN_FOLDER_H

#include "io/run/manifest.h"

#define PLI_SCENE_FILE "scene.yaml"
#define PLI_RUN_FILE "run.json"

typedef struct pli_run_folder {
    pli_context *context;
    char *path;
    pli_manifest *files; // what runs wrote in it
    int lock;            // descriptor of the lock, -1: none
    bool made;           // it was not there before
    bool made_lock;      // nor was the lock
    bool has_run;        // an earlier run left files
} pli_run_folder;

typedef enum pli_run_mode { PLI_RUN_NEW, PLI_RUN_FORCE, PLI_RUN_RESUME } pli_run_mode;

// Errors: io (cannot be made or written, in use by another process), memory. After a failure there
// is nothing to clear.
PLI_CHECKED pli_status pli_run_folder_init(pli_run_folder *folder, pli_context *context,
                                           const char *path);

// Decides whether the run may write, and clears away drafts of a killed process if so.
// has_own_scene: the scene was read from the folder's own scene.yaml, which is not written then.
// Errors: io (holds a run, or what is of others), memory.
PLI_CHECKED pli_status pli_run_folder_accept(pli_run_folder *folder, pli_run_mode mode,
                                             bool has_own_scene);

// Gives the lock up.
void pli_run_folder_clear(pli_run_folder *folder);

// Gives the lock up and removes what was made, the lock and the folder, if nothing else is in it.
void pli_run_folder_undo(pli_run_folder *folder);

// Removes all files of an earlier run but its cache, whose files know what they belong to.
// Errors: io, memory.
PLI_CHECKED pli_status pli_run_folder_wipe(pli_run_folder *folder);

// Whether a run works in a folder right now. The lock is asked, so that one whose process was
// killed does not count.
bool pli_run_folder_is_taken(pli_context *context, const char *path);

// folder/name. Lifetime: until pli_release. NULL when memory ran out.
char *pli_run_folder_join(const pli_run_folder *folder, const char *name);

#endif
