// SPDX-License-Identifier: Apache-2.0
//
// Whose a file in a folder is: the list of files that pliant wrote there, in the hidden file
// .pliant-files, and calls that write and remove below the folder and never touch what is not on
// that list.
//
// The list is a text, a line per file:
//
//     pliant files 1
//     file 1234 0123456789abcdef scene.yaml     size and hash: what people like to edit
//     size 88123 frames/cube_00000.vtu          size alone: what is large
//     head pvd series.pvd                       kind of a file that grows or is written again
//
// A file belongs to pliant when a line has its name and the file is what the line says: of that
// size and hash, of that size, or one that begins as files of that kind do (as far as it goes: one
// that was cut short or is empty counts; of checkpoints and caches, which nobody else writes, the
// name is enough, since a damaged one must not be in the way). A link, a folder or a device never
// does. Names are
// relative, have no ".." and lead through no link: every part of a name is opened below the folder
// before it, so that a folder that is swapped for a link is not followed either.
//
// A line is on the disk before the file gets its name, so that a process may be killed, and power
// lost, at any moment: what is there is always listed. A line without a file means nothing. Lines
// are only added, in one write for all files of a frame; the list is restarted with a run.
// A piece of a line at the end of the list, which a full disk leaves, is cut off.
//
// Threads: calls on one list are serial.
#ifndef PLI_IO_RUN_MANIFEST_H
#define PLI_IO_RUN_MANIFEST_H

#include "base/text.h"
#include "io/file/file.h"

#define PLI_MANIFEST_FILE ".pliant-files"

typedef struct pli_manifest pli_manifest;

typedef enum pli_owner { // of a file
    PLI_OWNER_NOBODY,    // there is no such file
    PLI_OWNER_PLIANT,
    PLI_OWNER_OTHERS
} pli_owner;

// Kinds of files that are known by how they begin.
typedef enum pli_head {
    PLI_HEAD_LOG,        // lines of steps, iterations or iterates
    PLI_HEAD_TABLE,      // probes.csv
    PLI_HEAD_RECORD,     // run.json
    PLI_HEAD_PVD,        // series.pvd
    PLI_HEAD_CHECKPOINT, // checkpoint/step_<number>.h5
    PLI_HEAD_CACHE,      // cache/<key>.bin
    PLI_HEADS
} pli_head;

// Reads the list of a folder, which must be there; without one it is empty, and nothing is written
// before something is listed. Errors: io (a list that is none of ours), memory.
PLI_CHECKED pli_status pli_manifest_open(pli_context *context, const char *folder,
                                         pli_manifest **manifest);
void pli_manifest_close(pli_manifest *manifest);

// Reads the list again, for who has locked the folder since: another process may have added to it.
// What was to be listed and is not yet is forgotten. Errors: io, memory.
PLI_CHECKED pli_status pli_manifest_reload(pli_manifest *manifest);

// Whether the folder has no list: nothing was written there, or by a version without lists.
bool pli_manifest_is_missing(const pli_manifest *manifest);

// The open folder. Lifetime: that of the list.
int pli_manifest_folder(const pli_manifest *manifest);

// Whose a file is. What cannot be looked at belongs to others.
pli_owner pli_manifest_owner(const pli_manifest *manifest, const char *name);

// Whether a file, whoever it belongs to, begins like those of a kind.
bool pli_manifest_begins(const pli_manifest *manifest, const char *name, pli_head head);

// Reads how a file begins, whoever it belongs to, at most `room` bytes, with a zero byte after
// them, and how large it is. false: there is no regular file of that name.
bool pli_manifest_peek(const pli_manifest *manifest, const char *name, char *bytes, size_t room,
                       int64_t *size);

// Lists files to come, or those of an older version; pli_manifest_sync brings the lines to the
// disk. Errors: argument (a name that leads elsewhere), memory; io.
PLI_CHECKED pli_status pli_manifest_add(pli_manifest *manifest, const char *name, int64_t size);
PLI_CHECKED pli_status pli_manifest_add_head(pli_manifest *manifest, const char *name,
                                             pli_head head);
PLI_CHECKED pli_status pli_manifest_sync(pli_manifest *manifest);

// Fails when a file of that name belongs to others. Errors: io, memory.
PLI_CHECKED pli_status pli_manifest_check(const pli_manifest *manifest, const char *name);

// Opens the folder below that holds `name`: frames of "frames/a.vtu". One that is missing is made,
// if that is wanted; who removed it in the middle of a run does not want it back. Lifetime: until
// close. Errors: io (missing, a link), memory.
PLI_CHECKED pli_status pli_manifest_enter(const pli_manifest *manifest, const char *name, bool make,
                                          int *descriptor);

// Writes a whole file, listed by its bytes or by its kind. Errors: io (others' file), memory.
PLI_CHECKED pli_status pli_manifest_write(pli_manifest *manifest, const char *name,
                                          const void *bytes, int64_t count);
PLI_CHECKED pli_status pli_manifest_write_head(pli_manifest *manifest, const char *name,
                                               pli_head head, const void *bytes, int64_t count);

// The same of a file that lies in two pieces.
typedef struct pli_piece {
    const void *bytes;
    int64_t count;
} pli_piece;
PLI_CHECKED pli_status pli_manifest_write_pieces(pli_manifest *manifest, const char *name,
                                                 pli_head head, const pli_piece pieces[2]);

// Opens a file for reading and appending, listed by its kind. Lifetime: until close. Errors: io
// (others' file), memory.
PLI_CHECKED pli_status pli_manifest_append_to(pli_manifest *manifest, const char *name,
                                              pli_head head, int *descriptor);

// Removes a file of pliant's; *owner tells whose it was, and what is others' stays.
void pli_manifest_remove(const pli_manifest *manifest, const char *name, pli_owner *owner);

// Drops the lines of all names but those that begin so, "cache/". Errors: io, memory.
PLI_CHECKED pli_status pli_manifest_restart(pli_manifest *manifest, const char *keep);

// Called for every name in a folder: its name below the list's folder, and whether it is a folder
// (links are not).
typedef void (*pli_manifest_visit_fn)(void *user, const char *name, bool is_folder);

// Visits what is in the folder `name` ("": the list's own), but for ".", ".." and the list itself.
// A folder that is not there, or is a link, has nothing in it. Errors: io (cannot be listed),
// memory.
PLI_CHECKED pli_status pli_manifest_visit(const pli_manifest *manifest, const char *name,
                                          pli_manifest_visit_fn visit, void *user);

#endif
