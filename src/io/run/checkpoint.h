// SPDX-License-Identifier: Apache-2.0
//
// Checkpoints: a state as named arrays, with the scene it belongs to, in one HDF5 file that is
// either whole or refused.
//
// A file is <folder>/step_00000042.h5:
//   bytes 0 ... 511   text: format, length of the file, checksum over every byte that follows
//   the rest          HDF5 (which skips such a block; h5dump and h5py open the file as it is)
//     /               attributes format, pliant, build, scene_hash, step, time, array_count
//     /scene          text of the resolved scene
//     /state/<name>   one dataset an array, [rows][columns], little-endian IEEE 754 numbers or
//                     integers of 32 or 64 bits, as the state has them
//
// Rows of arrays that are of particles may be other than those of the state that is to be filled:
// they are as many as there were particles when the file was written, the same in all of them, and
// the reader asks for room before it reads.
//
// Arrays that are optional are left out when all of them is zero, as those of grips are where
// nothing is gripped, and read as zeros where they are missing.
//
// HDF5 builds the content in memory and the bytes go to the disk through a draft (io/file/file.h):
// written beside the target, synced, renamed, folder synced. So a full disk never meets HDF5, and a
// damaged file never does either, since length and checksum are verified before HDF5 opens it. They
// tell damage, not intent: against who forges the checksum, too, HDF5 1.10 is not proof. The
// content has no time stamps: the same state gives the same bytes.
//
// The two newest files are kept; only what pliant wrote (io/run/manifest.h) is removed or replaced.
// Loading tries the newest, and when that is refused the one before it, and says why; a file that
// belongs to another scene ends the search.
#ifndef PLI_IO_RUN_CHECKPOINT_H
#define PLI_IO_RUN_CHECKPOINT_H

#include "base/context.h"
#include "io/run/manifest.h"
#include "pliant/sim.h"

#define PLI_CHECKPOINT_FOLDER "checkpoint"

enum { PLI_CHECKPOINT_FORMAT = 1, PLI_CHECKPOINTS_KEPT = 2 };

// What a checkpoint belongs to and holds. For reading, step, time and scene_text are not looked at.
typedef struct pli_checkpoint_def {
    const char *folder;  // made when it is not there
    pli_manifest *files; // that lists what pliant wrote; NULL: the folder's own
    const char *prefix;  // leads from the folder of `files` to this one: "checkpoint/"
    uint64_t scene_hash;
    const char *scene_text;
    int64_t step;
    double time; // s
    int32_t array_count;
    const pli_state_array *arrays; // [array_count]; reading fills their data
    // reading: makes rows for so many particles, and changes `arrays` to where they are then.
    // NULL: files must have as many rows as the arrays
    pli_status (*set_particle_count)(void *user, int64_t count);
    void *user;
} pli_checkpoint_def;

typedef struct pli_checkpoint_info {
    int64_t step; // -1: none was read
    double time;  // s
} pli_checkpoint_info;

// Writes a checkpoint, then removes all but the newest ones that pliant wrote there.
// Errors: io (among them: another file has that name), memory; earlier checkpoints are as they
// were.
PLI_CHECKED pli_status pli_checkpoint_write(pli_context *context, const pli_checkpoint_def *def);

// Reads one file. Errors: io (damaged, another version, other arrays), scene (of another scene),
// memory. When it fails before the arrays were read, which all damage does, they are unchanged; who
// wants nothing else ever reads into a copy.
PLI_CHECKED pli_status pli_checkpoint_read(pli_context *context, const char *path,
                                           const pli_checkpoint_def *def,
                                           pli_checkpoint_info *info);

// Reads the newest checkpoint of the folder that is whole. Refused ones are logged as warnings.
// Errors: as above; io when there is none.
PLI_CHECKED pli_status pli_checkpoint_read_newest(pli_context *context,
                                                  const pli_checkpoint_def *def,
                                                  pli_checkpoint_info *info);

enum { PLI_CHECKPOINT_UNKNOWN = -2 };

// Step of the newest file, whole or not; -1 when the folder has none, PLI_CHECKPOINT_UNKNOWN when
// it is there and cannot be listed.
int64_t pli_checkpoint_newest_step(const char *folder);

// Removes the listed files of steps beyond `step`; -1: all. The prefix leads from the folder of
// `files` to this one.
void pli_checkpoint_discard_after(pli_manifest *files, const char *folder, const char *prefix,
                                  int64_t step);

// Lists as pliant's the checkpoints that a version without lists left, known by how they begin.
// Errors: io, memory.
PLI_CHECKED pli_status pli_checkpoint_adopt(pli_manifest *files, const char *folder,
                                            const char *prefix);

#endif
