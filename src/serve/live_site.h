// SPDX-License-Identifier: Apache-2.0
//
// What the server answers while a scene is simulated live: the socket of docs/protocol.md. Pages
// come and go; the simulation does not wait for them.
#ifndef PLI_SERVE_LIVE_SITE_H
#define PLI_SERVE_LIVE_SITE_H

#include "serve/live_thread.h"
#include "serve/server.h"

typedef struct pli_live_site pli_live_site;

extern const pli_site_ops pli_live_site_ops; // user: a pli_live_site

typedef struct pli_live_site_def {
    pli_live_thread *borrowed_thread;
    const char *title;            // of the page
    const char *up;               // "y" or "z"
    bool drags;                   // there are vertices to take hold of
    const char *borrowed_contact; // pli_scene_info.contact; NULL: nothing is told
} pli_live_site_def;

// Errors: memory.
PLI_CHECKED pli_status pli_live_site_create(pli_context *context, const pli_live_site_def *def,
                                            pli_live_site **site);
void pli_live_site_destroy(pli_live_site *site);

// Tells the site whose sockets it writes to. Before the first turn.
void pli_live_site_attach(pli_live_site *site, pli_server *borrowed_server);

// Hands on what the simulation had to say: state, settings, answers. Call it with every turn.
void pli_live_site_turn(pli_live_site *site);

// Says good-bye to every page.
void pli_live_site_close(pli_live_site *site, const char *why);

#endif
