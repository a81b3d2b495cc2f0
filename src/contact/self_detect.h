// SPDX-License-Identifier: Apache-2.0
//
// Inside of pli_self_collision: its arrays, and the detection that fills them. See
// self_collision.h for the method.
#ifndef PLI_CONTACT_SELF_DETECT_H
#define PLI_CONTACT_SELF_DETECT_H

#include "contact/self_collision.h"
#include "geometry/mesh/incidence.h"

// what one surface vertex was found to touch
typedef struct pli_self_touch {
    int32_t body;     // ascending; -1: no more
    int32_t triangle; // closest one of that body
} pli_self_touch;

// a vertex and the triangle it is in contact with
typedef struct pli_self_pair {
    int32_t vertex;
    int32_t body;
    int32_t triangle;
} pli_self_pair;

struct pli_self_collision {
    pli_context *context;
    pli_timers *timers;
    int32_t vertex_count;
    int32_t tet_count;
    int32_t body_count;
    int32_t triangle_count;
    int32_t surface_count; // vertices on surfaces
    double stiffness;      // k (N/m^2)
    double friction;       // mu
    bool self;

    // constant
    int32_t *tets;              // [tet_count][4]
    int32_t *body_of_vertex;    // [vertex_count]
    int32_t *triangles;         // [triangle_count][3]
    int32_t *surface_vertex;    // [surface_count] ascending
    int32_t *closest_at_rest;   // [vertex_count] triangle of the body closest at rest, -1: none
    pli_incidence tets_at;      // elements of a vertex
    pli_incidence triangles_at; // surface triangles of a vertex
    int64_t hessian_chunk;      // stencils that are computed before they are added

    // what the last detection found, written by pli_self_collision_detect
    bool is_valid;           // the rest of this group belongs to x
    double *x;               // [vertex_count][3] positions (m)
    pli_self_touch *touches; // [surface_count][PLI_SELF_CONTACT_BODIES]
    int32_t contact_count;
    pli_self_contact *contacts; // [surface_count PLI_SELF_CONTACT_BODIES] room, in order

    // pairs that stand in for a detection
    bool is_frozen;
    int32_t frozen_count;
    pli_self_pair *frozen; // [surface_count PLI_SELF_CONTACT_BODIES] room

    // memory of earlier detections; only speed depends on it
    int32_t *last_triangle; // [surface_count][PLI_SELF_CONTACT_BODIES] or -1

    // scratch
    pli_tet_locate *locate;
    pli_bvh *surface_tree;
    pli_bounds *triangle_boxes; // [triangle_count]
    double *triangle_centers;   // [triangle_count][3]
    double *hessians;           // [hessian_chunk][144]
};

static inline void pli_self_collision_begin(pli_self_collision *collision, const char *phase)
{
    if (collision->timers != NULL) pli_timers_begin(collision->timers, phase);
}

static inline void pli_self_collision_end(pli_self_collision *collision)
{
    if (collision->timers != NULL) pli_timers_end(collision->timers);
}

// Finds the contacts at x, unless they are those that were found last.
void pli_self_collision_detect(pli_self_collision *collision, const double *x);

// Fills triangle_boxes with the boxes of the surface at x.
void pli_self_collision_fill_boxes(pli_self_collision *collision, const double *x);

// Fills closest_at_rest; x are the rest positions, which surface_tree was built for.
void pli_self_collision_find_rest(pli_self_collision *collision, const double *x);

#endif
