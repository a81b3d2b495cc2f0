// SPDX-License-Identifier: Apache-2.0
//
// Penalty collisions of bodies with each other and with themselves, as a term of the objective
// (Gast et al. 2015, section 5.3).
//
// A contact is a vertex of the surface that lies inside a body, together with the closest point of
// that body's surface. Inside is where tetrahedra that the vertex is not a corner of cover it, the
// inverted ones counted negatively: that is a question of the surface alone, so nothing jumps when
// elements turn over (the paper counts any tetrahedron, and its energy does jump). A vertex has at
// most one contact with a body, and with no more than two bodies (the ones that come first).
// With d the squared distance of the two,
//
//     E = k d sqrt(d + e),   e = 1e-15 m^2,
//
// about the cube of the depth. Where the closest point moves from one primitive to another E is
// continuous, and so it is where a vertex enters a body; the gradient may jump where the closest
// point does, in ridges only.
//
// Detection at new positions: boxes of the tetrahedra are refitted and every surface vertex is
// located in them (geometry/collision/tet_locate.h). For those found inside, an upper bound of the
// distance comes from the triangle that was closest last time; failing that, from the triangles
// that were closest to the corners of the tetrahedron at rest, which are precomputed: the mesh
// itself carries the samples of the rest pose's distance field. A search of the boxes of the
// surface within that bound then finds the closest triangle, exactly; equal distances go to the
// smallest index, so what was remembered never changes a result. Triangles that the vertex belongs
// to do not count. The outcome is kept with the positions it belongs to: energy, gradient and
// Hessian at the same positions cost one detection.
//
// Friction is applied to the velocities after the solve. With the unit normal n of a contact, its
// weights w = (1, -w_1, -w_2, -w_3), the relative velocity v = sum_i w_i v_i and the mass m felt
// there, 1/m = sum_i w_i^2 / m_i, the impulse that stops all sliding is j = -m (I - n n^T) v. It is
// limited to what Coulomb's law allows in a step h, |j| <= mu h |f|, with the contact force f.
// Contacts are treated one after the other. Momentum is conserved and kinetic energy never rises.
//
// Invariants: the same bits for any number of threads, with or without memory of earlier calls. A
// call on a term that exists allocates nothing. What it leaves out: contacts of edges with edges,
// and of vertices that have passed through a body within one step.
//
// Threads: calls on one object are serial; loops inside are parallel.
#ifndef PLI_CONTACT_SELF_COLLISION_H
#define PLI_CONTACT_SELF_COLLISION_H

#include "base/timers.h"
#include "geometry/collision/bvh.h"
#include "geometry/collision/distance.h"
#include "geometry/collision/tet_locate.h"
#include "optimize/term.h"

enum { PLI_SELF_CONTACT_BODIES = 2 }; // bodies that one vertex can be in contact with

// What the term is made from; arrays are copied.
typedef struct pli_self_collision_def {
    int32_t vertex_count;
    const double *rest; // [vertex_count][3] (m)
    int32_t tet_count;
    const int32_t *tets; // [tet_count][4]
    int32_t body_count;
    const int32_t *first_vertex; // [body_count + 1] vertices first_vertex[b] .. first_vertex[b + 1]
    const int32_t *first_tet;    // [body_count + 1] the same for tetrahedra
    int32_t triangle_count;
    const int32_t *triangles; // [triangle_count][3] surfaces of all bodies, in vertices of the mesh
    double stiffness;         // k (N/m^2), positive
    double friction;          // mu, not negative
    bool self;                // bodies collide with themselves too
    pli_timers *timers;       // borrowed; phases "broad phase" and "contact"; may be NULL
} pli_self_collision_def;

// A vertex inside a body and the closest point of that body's surface.
typedef struct pli_self_contact {
    int32_t vertex;
    int32_t body;
    int32_t triangle;
    pli_triangle_feature feature; // part of the triangle the closest point lies on
    double depth;                 // m
    double normal[3];             // unit vector from the closest point to the vertex
    double weights[4];            // of the vertex (1) and of the corners (negative)
} pli_self_contact;

typedef struct pli_self_collision pli_self_collision;

extern const pli_term_ops pli_self_collision_term;

// Errors: argument (ranges, corners or numbers that make no sense), memory.
pli_status pli_self_collision_create(pli_context *context, const pli_self_collision_def *def,
                                     pli_self_collision **collision);
void pli_self_collision_destroy(pli_self_collision *collision);

// Makes room in H for the blocks that the contacts at x couple; to be called before add_hessian at
// x. Errors: memory.
pli_status pli_self_collision_prepare(pli_self_collision *collision, const double *x, pli_bcsr *H);

// All contacts at x, sorted by vertex and body; also the check of overlaps before a simulation.
// Lifetime: until the next call with other positions.
const pli_self_contact *pli_self_collision_find(pli_self_collision *collision, const double *x,
                                                int32_t *count);

// From now on vertices meet the triangles that they meet at x and no others, as long as they have
// not come out; NULL: everything is detected again. See optimize/term.h.
void pli_self_collision_freeze(pli_self_collision *collision, const double *x);

// Forgets earlier contacts and positions. Results do not change by it.
void pli_self_collision_forget(pli_self_collision *collision);

typedef struct pli_self_collision_report {
    int32_t contact_count;
    double max_depth; // m
    double energy;    // J
} pli_self_collision_report;

// What the contacts at x amount to. forces [vertex_count][3] (N) is overwritten; may be NULL.
void pli_self_collision_measure(pli_self_collision *collision, const double *x,
                                pli_self_collision_report *report, double *forces);

// Applies friction over a step h (s) at the contacts of x to the velocities v [vertex_count][3]
// (m/s). mass [vertex_count] (kg), positive; infinite for vertices that must keep their velocity.
// Returns the change of kinetic energy (J), not positive.
double pli_self_collision_apply_friction(pli_self_collision *collision, const double *x,
                                         const double *mass, double h, double *v);

#endif
