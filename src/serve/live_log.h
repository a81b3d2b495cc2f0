// SPDX-License-Identifier: Apache-2.0
//
// What was done to a live simulation, as a file to do it again from: live.jsonl. Its first line is
// the head,
//     {"pliant_live":1,"version":"0.2.0","build":"...","name":"creature","scene_hash":"...",
//      "scene":"<the scene as YAML>"}
// then a line for each command, with the number of steps taken before it, in the order in which
// they were done; and now and then a mark, {"step":100,"type":"mark","hash":"..."}, the hash of the
// state after so many steps.
#ifndef PLI_SERVE_LIVE_LOG_H
#define PLI_SERVE_LIVE_LOG_H

#include "pliant/base.h"
#include "serve/live_command.h"

typedef struct pli_live_log_head {
    const char *scene; // as YAML
    const char *name;  // of the scene
    uint64_t scene_hash;
} pli_live_log_head;

typedef struct pli_live_log pli_live_log;

// Begins folder/live.jsonl. Errors: io (one is there already), memory.
PLI_CHECKED pli_status pli_live_log_create(pli_context *context, const char *folder,
                                           const pli_live_log_head *head, pli_live_log **log);
void pli_live_log_destroy(pli_live_log *log);

// Adds a line. A log that can't be written any more says so in the context's log, once, and hears
// no more.
void pli_live_log_add(pli_live_log *log, const pli_live_command *command, int64_t steps);
void pli_live_log_mark(pli_live_log *log, int64_t steps, uint64_t hash);

// ---- reading

typedef enum pli_live_line {
    PLI_LIVE_LINE_COMMAND,
    PLI_LIVE_LINE_MARK,
    PLI_LIVE_LINE_END
} pli_live_line;

typedef struct pli_live_entry {
    pli_live_line line;
    int64_t steps; // taken before it; never falls from one entry to the next
    pli_live_command command;
    uint64_t hash; // of a mark
} pli_live_entry;

typedef struct pli_live_reader pli_live_reader;

// Opens a log and reads its head. Errors: io (missing, damaged; says which line), memory.
PLI_CHECKED pli_status pli_live_reader_create(pli_context *context, const char *path,
                                              pli_live_reader **reader);
void pli_live_reader_destroy(pli_live_reader *reader);

// Lifetime: that of the reader.
const pli_live_log_head *pli_live_reader_head(const pli_live_reader *reader);

// The next entry. A last line that was cut short counts as the end. Errors: io, memory.
PLI_CHECKED pli_status pli_live_reader_next(pli_live_reader *reader, pli_live_entry *entry);

#endif
