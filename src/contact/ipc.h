// SPDX-License-Identifier: Apache-2.0
//
// Incremental potential contact as an energy term: surfaces that never cross (Li et al. 2020).
//
// After Li, Ferguson, Schneider, Langlois, Zorin, Panozzo, Jiang and Kaufman 2020, with the pieces
// of pliant/contact.h. Over all pairs of a point and a triangle and of two edges that share no
// vertex, and of points with half-spaces,
//
//     E(x) = sum_c k m_c b(d_c, dhat) + sum_f mu lambda_f f0(|u_f|),
//
// the second sum over contacts that were frozen for friction. Every pair counts, as in the paper: a
// point over the corner of six triangles is pushed by six pairs.
//
// How it is used by a minimiser:
//
//     max_step     the largest alpha up to which nothing touches and no tetrahedron inverts, with a
//                  tenth of every gap and volume kept
//     energy ...   anywhere where surfaces are apart; infinite where a distance is zero. Positions
//                  that are reached by crossing have finite energies, so a minimiser must not go
//                  farther than max_step tells
//     prepare      may raise the stiffness k when gaps stay tiny, and says so
//
// Candidate pairs are found for boxes in which vertices may move (the way of max_step and a margin
// around it); as long as every vertex is inside its box, energies need no new search. What is found
// does not depend on that history: contacts are those closer than dhat, in a fixed order.
//
// Memory grows where candidates are found. An allocation that fails there makes a step zero, or
// energies infinite, until a function that returns a status has told it.
#ifndef PLI_CONTACT_IPC_H
#define PLI_CONTACT_IPC_H

#include "base/timers.h"
#include "contact/resultant.h"
#include "contact/stiffness.h"
#include "optimize/term.h"
#include "pliant/contact.h"

typedef struct pli_ipc pli_ipc;

// Who collides with whom, and how rough it is. Bodies have numbers from 0, planes follow them. Must
// be symmetric; called by several threads at once.
typedef struct pli_ipc_rules {
    bool (*collides)(void *user, int32_t first, int32_t second);   // NULL: everything
    double (*friction)(void *user, int32_t first, int32_t second); // mu (-); NULL: none
    void *user;
} pli_ipc_rules;

typedef struct pli_ipc_def {
    int32_t vertex_count;
    const double *rest; // [vertex_count][3] for the mollifier (m)
    int32_t body_count;
    const int32_t *body_of; // [vertex_count]
    int32_t triangle_count;
    const int32_t *triangles; // [triangle_count][3] all surfaces
    int32_t plane_count;
    const double *planes; // [plane_count][4] unit normal and offset, free space is n.x > offset
    int32_t tet_count;
    const int32_t *tets;  // [tet_count][4] that may not invert
    const bool *is_fixed; // [vertex_count] vertices that never move; NULL: all do
    pli_ipc_rules rules;
    double dhat;           // m
    pli_stiffness_def law; // of the adaptive stiffness
    double stiffness;      // k (N/m); 0: adaptive
    pli_timers *timers;    // borrowed, may be NULL
} pli_ipc_def;

// Copies what it needs, except rules.user and timers. Errors: argument, mesh, memory.
PLI_CHECKED pli_status pli_ipc_create(pli_context *context, const pli_ipc_def *def, pli_ipc **ipc);
void pli_ipc_destroy(pli_ipc *ipc);

extern const pli_term_ops pli_ipc_term;

// Forgets candidates and finds those of the way from x to x + d, both [vertex_count][3]. What is
// computed after it depends on nothing that was asked before, to the last bit: without it, step
// sizes depend in their last digits on which candidates are at hand.
void pli_ipc_begin_step(pli_ipc *ipc, const double *x, const double *d);

// One pair closer than dhat.
typedef struct pli_ipc_contact {
    pli_contact_stencil stencil;
    int32_t bodies[2]; // a plane counts after the bodies
    double distance;   // m
} pli_ipc_contact;

// The contacts at x, in a fixed order. Lifetime: until the next call. Errors: memory, argument
// (positions that are not finite).
PLI_CHECKED pli_status pli_ipc_find(pli_ipc *ipc, const double *x, int64_t *count,
                                    const pli_ipc_contact **contacts);

// The largest alpha <= 1 as pli_ipc_term.max_step tells it.
double pli_ipc_max_step(pli_ipc *ipc, const double *x, const double *d);

// Tells whether an allocation has failed since this was last told. Errors: memory.
PLI_CHECKED pli_status pli_ipc_check(pli_ipc *ipc);

// ---- stiffness

double pli_ipc_stiffness(const pli_ipc *ipc);

// The stiffness to begin a step at x with, by balance with the forces of everything else, whose
// gradient energy_gradient [vertex_count][3] (N) is 0 where coordinates are held; scratch is as
// long. Unless the balance has moved by more than a factor of two, it stays as given. A stiffness
// that the def gives stays in any case.
PLI_CHECKED pli_status pli_ipc_choose_stiffness(pli_ipc *ipc, const double *x,
                                                const double *energy_gradient, double *scratch,
                                                double *stiffness);
void pli_ipc_set_stiffness(pli_ipc *ipc, double stiffness);

// ---- friction

// Freezes normal forces and tangents at x for slips from start [vertex_count][3], which is borrowed
// until the next call; up to `slip` (m), eps_v h, they count as sticking. Errors: memory.
PLI_CHECKED pli_status pli_ipc_freeze_friction(pli_ipc *ipc, const double *x, const double *start,
                                               double slip);

bool pli_ipc_has_friction(const pli_ipc *ipc);

// ---- what it amounts to

// Contact between two bodies, or of a body with a plane; first <= second.
typedef struct pli_ipc_pair {
    int32_t first;
    int32_t second;
    int32_t contacts;
    double min_gap;     // m
    double normal[3];   // sum of the barrier's forces on the first (N)
    double friction[3]; // sum of the frictional forces on the first (N)
    pli_resultant sum;  // of both kinds on the first
} pli_ipc_pair;

typedef struct pli_ipc_report {
    int64_t contacts;
    double min_gap;            // m; infinite when nothing is within dhat
    double barrier_energy;     // J
    double friction_work;      // of the frictional forces over the slip since start (J), at most 0
    int32_t pair_count;        // pairs in contact
    const pli_ipc_pair *pairs; // by first and second. Lifetime: until the next call
} pli_ipc_report;

// Measures the contacts at x. Errors: memory.
PLI_CHECKED pli_status pli_ipc_measure(pli_ipc *ipc, const double *x, pli_ipc_report *report);

// Of the contacts that were measured last, forces on vertices, [vertex_count][3] (N), and the
// smallest gap of each vertex, [vertex_count] (m, dhat where there is none); forces that are NULL
// are not wanted.
void pli_ipc_fill_forces(pli_ipc *ipc, double *normal_force, double *friction_force);
void pli_ipc_fill_gaps(const pli_ipc *ipc, double *gaps);

#endif
