// SPDX-License-Identifier: Apache-2.0
//
// What the page is told about a run's folder: its session, the frames there are, each frame and its
// topologies, the report; and what it may leave there, a view. See docs/protocol.md, "Requests".
//
// The folder is looked at when somebody asks. It may grow, be restarted by another run, or vanish:
// requests then get what there is, or words with a status. The folder of a run that goes may have
// no frames yet.
#ifndef PLI_SERVE_VIEW_SITE_H
#define PLI_SERVE_VIEW_SITE_H

#include "serve/server.h"

#define PLI_VIEW_FILE "view.json"

typedef struct pli_view_site pli_view_site;

// The user of these ops is a pli_view_site.
extern const pli_site_ops pli_view_site_ops;

// Errors: io (no such folder, no frames in it and nobody who makes some, a damaged list), memory.
PLI_CHECKED pli_status pli_view_site_create(pli_context *context, const char *folder,
                                            pli_view_site **site);
void pli_view_site_destroy(pli_view_site *site);

// 1 when somebody who may asked for something in the last 15 seconds, otherwise 0: requests
// do not say which browser they come from.
int32_t pli_view_site_watchers(const pli_view_site *site);

#endif
