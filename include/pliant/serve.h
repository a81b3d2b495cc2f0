// SPDX-License-Identifier: Apache-2.0
//
// The page in the browser: looking at runs, and at simulations while a person drags them.
//
//     pli_page_def def = {0};
//     status = pli_page_create_view(context, &def, "out/demo", &page);
//     status = pli_page_make_address(page, PLI_PAGE_FOR_PERSON, &address);
//     printf("%s\n", address);
//     while (!stopped && status == PLI_OK) status = pli_page_turn(page, 200);
//     pli_page_destroy(page);
//
// The page listens on the machine's own address (127.0.0.1) unless told otherwise, and answers
// browsers that were opened with an address it made, and scripts that know its token. What goes
// over the wire is in docs/protocol.md.
#ifndef PLIANT_SERVE_H
#define PLIANT_SERVE_H

#include "pliant/base.h"
#include "pliant/io.h"
#include "pliant/scene.h"
#include "pliant/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pli_page_def { // all of it may be zero
    const char *host;         // 127.0.0.1, ::1, or an address of this machine; NULL: 127.0.0.1
    int32_t port;             // 0: 8686, or where that is taken, any
    bool allows_remote;       // host may be one that other machines reach
    const char *token;        // of scripts: 16 to 64 letters, digits, - and _; NULL: none
    const char *const *extra_hosts; // [extra_host_count] names that pages may call this machine
    int32_t extra_host_count;       // by, besides loopback ones
} pli_page_def;

typedef struct pli_page pli_page;

// Serves the frames of a run's folder, finished or still growing; that of a run that goes need not
// have any yet. Errors: argument, io (the folder holds no frames, the port is taken), memory.
PLI_API PLI_CHECKED pli_status pli_page_create_view(pli_context *context, const pli_page_def *def,
                                                    const char *folder, pli_page **page);

// ---- live: a person reaches into the simulation
// --------------------------------------------------

typedef struct pli_live_def { // the scene has to be set; all else may be zero
    const pli_scene *scene;   // borrowed for the call
    // of the log of what is done (live.jsonl) and of recordings (recording-1, ...); made if it is
    // not there. NULL: neither log nor recordings
    const char *folder;
    bool paused;  // begins when a page says so
    bool unpaced; // as fast as it can, not as fast as the clock
} pli_live_def;

// Compiles the scene, then simulates it in a thread of its own until the page is destroyed, which
// ends recordings and the log. Errors: argument, scene, mesh, unsupported, io (the port is taken,
// the folder holds a log already), memory.
PLI_API PLI_CHECKED pli_status pli_page_create_live(pli_context *context, const pli_page_def *def,
                                                    const pli_live_def *live, pli_page **page);

// Does again what a log tells, without a page, and compares the states with those that it noted.
typedef struct pli_replay_def {
    const char *log;    // live.jsonl
    const char *folder; // that a recording of it goes to, as recording-1, ...; NULL: none
    // hears how far it is, after every step; NULL: nobody does
    void (*progress)(void *user, int64_t step);
    void *progress_user;
    pli_cancel_fn cancel; // NULL: never stops
    void *cancel_user;
} pli_replay_def;

typedef struct pli_replay_report {
    int64_t steps;       // taken
    int64_t commands;    // done
    int64_t marks;       // states that were compared
    int64_t wrong_marks; // states that were not the same, bit for bit
    int64_t first_wrong; // step after which the first of them came; 0: there is none
    uint64_t hash;       // of the last state
} pli_replay_report;

// Errors: io (the log is missing or damaged), scene (a mesh file has changed since), memory,
// interrupted; the report then says what was done before. States that differ are no error.
PLI_API PLI_CHECKED pli_status pli_live_replay(pli_context *context, const pli_replay_def *def,
                                               pli_replay_report *report);

// ---- every page
// ----------------------------------------------------------------------------------

PLI_API void pli_page_destroy(pli_page *page);

typedef struct pli_page_info {
    const char *address; // where it listens: "http://127.0.0.1:8686/". Lifetime: that of the page
    bool is_remote;      // other machines reach it
    // browsers that are connected now (live), or 1 if any was heard from in the last 15 s (view)
    int32_t watchers;
} pli_page_info;

PLI_API pli_page_info pli_page_get_info(const pli_page *page);

// Who an address is made for.
typedef enum pli_page_reader {
    PLI_PAGE_FOR_PERSON, // it is shown, and opened within ten minutes
    PLI_PAGE_FOR_BROWSER // a browser of the same user on this machine is started with it, and opens
} pli_page_reader;       // it within two minutes; whoever else sees it can't use it

// Makes an address to open in a browser, "http://127.0.0.1:8686/open?code=...". It works once, and
// no more when another one is made for such a reader. Lifetime: until the next call. Errors: io
// (the system gives no random numbers).
PLI_API PLI_CHECKED pli_status pli_page_make_address(pli_page *page, pli_page_reader reader,
                                                     const char **address);

// Waits up to so many milliseconds for browsers, and answers them. Errors: io (the system's own),
// never because of a browser.
PLI_API PLI_CHECKED pli_status pli_page_turn(pli_page *page, int32_t milliseconds);

// Ends a turn that waits. From any thread, and from signal handlers.
PLI_API void pli_page_wake(pli_page *page);

#ifdef __cplusplus
}
#endif

#endif
