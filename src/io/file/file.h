// SPDX-License-Identifier: Apache-2.0
//
// Whole files in, whole files out, and the names of both.
//
// Reading takes regular files only: a folder, a pipe or a device is refused before a byte is read,
// so that a wrong path never hangs. The size is known before memory is asked for and has a limit.
//
// Writing never lets anyone see half a file. A draft is a hidden file in the folder of its target
// (".pliant-<process>-<number>.tmp"); committing it syncs its bytes to the disk, renames it to the
// target's name and syncs the folder. A draft that is destroyed without a commit leaves nothing
// behind, and an earlier file of that name stays as it was:
//
//     pli_status status = pli_draft_create(context, path, &draft);
//     if (status == PLI_OK) status = pli_draft_append(draft, bytes, count);
//     if (status == PLI_OK) status = pli_draft_commit(draft);
//     pli_draft_destroy(draft);
//
// Libraries that want a name instead of bytes write to pli_draft_name. Every failure says which
// file, what was tried, how many bytes, and the system's reason. A program that runs under a limit
// on file sizes must ignore SIGXFSZ to get that failure instead of being killed.
//
// Paths are byte strings with '/' between parts; nothing here depends on the working folder except
// through relative paths. Threads: calls on different drafts are independent.
#ifndef PLI_IO_FILE_FILE_H
#define PLI_IO_FILE_FILE_H

#include "base/context.h"

// Largest file that is ever read (bytes).
#define PLI_FILE_SIZE_LIMIT (INT64_C(4) << 30)

// Reads a regular file of at most limit bytes (0: PLI_FILE_SIZE_LIMIT). The block has a zero byte
// after its end, which count does not include. Lifetime: until pli_release.
// Errors: io (missing, unreadable, not a regular file, too large), memory.
PLI_CHECKED pli_status pli_file_read(pli_context *context, const char *path, int64_t limit,
                                     char **bytes, int64_t *count);

// The same in an open folder, without following a link: path is what messages call the file, and
// what stands after its last '/' is its name.
PLI_CHECKED pli_status pli_file_read_in(pli_context *context, int folder, const char *path,
                                        int64_t limit, char **bytes, int64_t *count);

// Writes a whole file at once through a draft.
PLI_CHECKED pli_status pli_file_write(pli_context *context, const char *path, const void *bytes,
                                      int64_t count);

// Opens a regular file `name` of an open folder without ever waiting for it; path is what messages
// call it, flags are those of open, such as O_RDWR | O_NOFOLLOW. *size may be NULL.
// Lifetime: until close. Errors: io (missing, unreadable, a link, not a regular file).
PLI_CHECKED pli_status pli_file_open(pli_context *context, int folder, const char *name,
                                     const char *path, int flags, int *descriptor, int64_t *size);

typedef struct pli_draft pli_draft;

// Opens a draft of the file `path`, whose folder must exist. Errors: io, memory.
PLI_CHECKED pli_status pli_draft_create(pli_context *context, const char *path, pli_draft **draft);

// The same in an open folder, whatever stands at its path by now: path is what messages call it,
// and what stands after its last '/' is the file's name. Lifetime: the folder's descriptor is
// borrowed for that of the draft.
PLI_CHECKED pli_status pli_draft_create_in(pli_context *context, int folder, const char *path,
                                           pli_draft **draft);

// Removes the hidden file unless it was committed; NULL is legal.
void pli_draft_destroy(pli_draft *draft);

// The hidden file's name, for libraries that write by name. Lifetime: that of the draft.
const char *pli_draft_name(const pli_draft *draft);

// Adds bytes at the end; each call is a call of the system, so hand over large pieces.
PLI_CHECKED pli_status pli_draft_append(pli_draft *draft, const void *bytes, int64_t count);

// Puts the draft in its target's place. Only once; after a failure the draft can only be destroyed.
PLI_CHECKED pli_status pli_draft_commit(pli_draft *draft);

// The stages of a commit, for who puts many files in place together: settling closes the file and
// brings its bytes to the disk, placing renames, and pli_folder_sync, once, makes renames survive a
// loss of power. Who settles without a sync calls pli_folder_sync_all, once for all files, before
// the first is placed: it brings the whole file system to the disk, which is a lot faster than a
// hundred syncs and a lot slower than one.
PLI_CHECKED pli_status pli_draft_settle(pli_draft *draft, bool sync);
PLI_CHECKED pli_status pli_draft_place(pli_draft *draft);
PLI_CHECKED pli_status pli_folder_sync(pli_context *context, int folder, const char *path);
PLI_CHECKED pli_status pli_folder_sync_all(pli_context *context, int folder, const char *path);

// Bytes appended so far.
int64_t pli_draft_size(const pli_draft *draft);

// Makes, if need be, and opens the folder `name` of an open folder; a link is refused. path is what
// messages call it. Lifetime: until close. Errors: io.
PLI_CHECKED pli_status pli_folder_enter(pli_context *context, int folder, const char *name,
                                        const char *path, int *descriptor);

// Makes a folder and those above it; one that is already there is fine.
PLI_CHECKED pli_status pli_folder_create(pli_context *context, const char *path);

bool pli_path_exists(const char *path);

// "folder/name"; `name` alone when it is absolute or the folder is "". NULL when memory ran out.
char *pli_path_join(pli_context *context, const char *folder, const char *name);

// What stands before the last '/': "a/b" of "a/b/c.msh", "." of "c.msh", "/" of "/c.msh". NULL when
// memory ran out.
char *pli_path_folder(pli_context *context, const char *path);

// The part after the last '/': "c.msh". Lifetime: that of path.
const char *pli_path_name(const char *path);

// What stands after the name's last '.': "msh" of "a.b/c.msh", "" of "c", "c." and ".hidden".
// Lifetime: that of path.
const char *pli_path_ending(const char *path);

// Where a file that a document in `folder` mentions really is. A relative path counts from that
// folder. Unless allow_outside is set, the file must lie in the folder or below it: absolute paths,
// ".." that climb out of it, and symbolic links that lead out of it are refused. A file that does
// not exist is judged by its path alone. Whoever takes the path out of a document must have refused
// one that contains a zero byte. Errors: scene (refused), memory.
PLI_CHECKED pli_status pli_path_resolve(pli_context *context, const char *folder, const char *path,
                                        bool allow_outside, char **resolved);

#endif
