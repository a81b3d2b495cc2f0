// SPDX-License-Identifier: Apache-2.0
//
// The files of a run's folder that are the same whoever takes its steps, pli_run or, for a
// recording, somebody else: run.json, report.html and scene.yaml are written whole; logs and frames
// are opened to be added to.
#ifndef PLI_IO_RUN_RUN_FILES_H
#define PLI_IO_RUN_RUN_FILES_H

#include "io/run/run_folder.h"
#include "io/run/run_json.h"
#include "io/run/run_log.h"

// Fills in what stays as it is while the run lasts, but for the scene's hash: names, sizes, seed,
// and that it starts now.
// Lifetime: the folder, the report, the model's info and the scene's name are borrowed.
void pli_run_record_init(pli_run_record *record, const pli_run_folder *folder,
                         const pli_report *report, const pli_scene *scene,
                         const pli_model_info *model);

// Fills in what the process knows now: the outcome so far, threads, and peak memory.
void pli_run_record_update(pli_run_record *record, pli_run_outcome outcome);

// Writes run.json. Errors: io, memory.
PLI_CHECKED pli_status pli_run_files_write_record(const pli_run_folder *folder,
                                                  const pli_run_record *record);

// Writes report.html. Errors: io, memory.
PLI_CHECKED pli_status pli_run_files_write_report(const pli_run_folder *folder,
                                                  const pli_run_record *record);

// Whether the scene was read from the very file that its run would write it to. Errors: memory.
PLI_CHECKED pli_status pli_run_files_find_own_scene(const pli_run_folder *folder,
                                                    const pli_scene *scene, bool *own);

// Writes the scene with every default filled in, unless it came from that file. Errors: io, memory.
PLI_CHECKED pli_status pli_run_files_write_scene(const pli_run_folder *folder,
                                                 const pli_scene *scene);

// Opens a log by its name in the folder; def.path is not looked at. Errors: io, memory.
PLI_CHECKED pli_status pli_run_files_open_log(const pli_run_folder *folder, const char *name,
                                              pli_log_def def, pli_log **log);

// Opens probes.csv, whose rows after step `keep` are cut off, -1: all are; *log stays NULL where
// the model measures nothing. Errors: io, memory.
PLI_CHECKED pli_status pli_run_files_open_probes(const pli_run_folder *folder,
                                                 const pli_model *model, int64_t keep,
                                                 pli_log **log);

// Opens the series of frames; those after `keep` are cut off, -1: all are. Errors: io, memory.
PLI_CHECKED pli_status pli_run_files_open_frames(const pli_run_folder *folder,
                                                 const pli_output_def *output, int32_t keep,
                                                 pli_frame_writer **frames);

#endif
