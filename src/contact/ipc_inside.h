// SPDX-License-Identifier: Apache-2.0
//
// Inside of pli_ipc: its arrays and the functions that its files share.
#ifndef PLI_CONTACT_IPC_INSIDE_H
#define PLI_CONTACT_IPC_INSIDE_H

#include "contact/ipc.h"
#include "geometry/collision/broad_phase.h"
#include "linear/matrix/stencils.h"

enum { PLI_IPC_HESSIAN = PLI_CONTACT_DOFS * PLI_CONTACT_DOFS, PLI_IPC_CHUNK = 1024 };

// a contact whose friction is frozen
typedef struct pli_ipc_tangential {
    pli_friction friction;
    int32_t vertices[PLI_CONTACT_POINTS];
    int32_t bodies[2];
} pli_ipc_tangential;

struct pli_ipc {
    pli_context *context;
    pli_timers *timers;
    pli_ipc_rules rules;

    // constant
    int32_t vertex_count;
    int32_t body_count;
    int32_t plane_count;
    int32_t point_count; // vertices of surfaces
    int32_t edge_count;
    int32_t triangle_count;
    int32_t tet_count;
    int32_t *points;    // [point_count] ascending
    int32_t *edges;     // [edge_count][2]
    int32_t *triangles; // [triangle_count][3]
    int32_t *tets;      // [tet_count][4]
    int32_t *body_of;   // [vertex_count]
    double *rest;       // [vertex_count][3] (m)
    double *planes;     // [plane_count][4]
    pli_stiffness_def law;
    bool adaptive;

    pli_barrier_def barrier; // its stiffness may change

    // candidates: pairs that can be contacts while all points are near the way at the same time
    pli_broad_phase *broad;
    pli_broad_phase_pairs pairs;
    bool has_candidates;
    int64_t candidate_count;
    double *start_of_way; // [point_count][3] (m)
    double *way;          // [point_count][3] from there to its end (m)
    double way_square;    // sum of squares of the way (m^2)
    double margin;        // how far a coordinate may be from the way (m)
    double *far;          // [vertex_count][3] scratch: the end of a way (m)

    // contacts at x
    pli_status status;  // of the last search
    pli_status failure; // of memory in any search since it was last told
    bool is_valid;      // the rest of this group belongs to x
    double *x;          // [vertex_count][3] (m)
    double *distance;   // [candidate_room] of candidates; beyond dhat it may be anything larger
    int64_t candidate_room;
    int64_t contact_count;
    int64_t contact_room;
    pli_ipc_contact *contacts; // [contact_room]

    // smallest gap of the iteration before, for the growth of the stiffness
    double previous_gap;

    // friction
    const double *start;  // [vertex_count][3] where points stick (m); borrowed
    double friction_slip; // up to which they count as sticking (m)
    int64_t tangential_count;
    int64_t tangential_room;
    pli_ipc_tangential *tangentials;

    // report
    int32_t pair_count;
    int32_t pair_room;
    pli_ipc_pair *pair_list;

    // scratch of derivatives
    double *blocks; // [PLI_IPC_CHUNK][12] gradients
    int64_t stencil_room;
    int32_t *coupled;      // [stencil_room][4] vertices of contacts, then of friction; -1: none
    double *hessians;      // [stencil_room][144]
    pli_stencils stencils; // where they go
};

static inline void pli_ipc_begin(pli_ipc *ipc, const char *phase)
{
    if (ipc->timers != NULL) pli_timers_begin(ipc->timers, phase);
}

static inline void pli_ipc_end(pli_ipc *ipc)
{
    if (ipc->timers != NULL) pli_timers_end(ipc->timers);
}

// ipc_search.c: finds the contacts at x, unless they are those that were found last. The outcome is
// in status.
void pli_ipc_detect(pli_ipc *ipc, const double *x);

static inline bool pli_ipc_has_failed(const pli_ipc *ipc)
{
    return ipc->status != PLI_OK || ipc->failure != PLI_OK;
}

// The outcome of the last search, or memory that ran out before it.
static inline pli_status pli_ipc_tell(pli_ipc *ipc)
{
    pli_status told = ipc->failure != PLI_OK ? ipc->failure : ipc->status;
    ipc->failure = PLI_OK;
    return told;
}

// ipc_search.c: room for `count` items of an array, half as many again when it has to grow.
PLI_CHECKED pli_status pli_ipc_grow(pli_ipc *ipc, void **array, int64_t *room, int64_t count,
                                    size_t size);

// ipc.c: energy, or gradient times scale added to g, of barriers or of friction at the positions of
// the last search.
pli_sum pli_ipc_energy_of(pli_ipc *ipc, bool friction);
void pli_ipc_add_gradient_of(pli_ipc *ipc, bool friction, double scale, double *g);

#endif
