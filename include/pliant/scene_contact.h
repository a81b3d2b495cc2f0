// SPDX-License-Identifier: Apache-2.0
//
// Parts of scenes: colliders, contact, the domain of particles and their emitters. See scene.h.
#ifndef PLIANT_SCENE_CONTACT_H
#define PLIANT_SCENE_CONTACT_H

#include "pliant/scene_body.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- colliders ---------------------------------------------------------------------------------

typedef enum pli_collider_method {
    PLI_COLLIDER_AUTO,       // constraint, or penalty where the shape is sampled on a grid; barrier
                             // when the bodies' contact is, penalty there if it has no end
    PLI_COLLIDER_CONSTRAINT, // no vertex is ever inside
    PLI_COLLIDER_PENALTY,    // what is inside is pushed out by a stiff spring
    PLI_COLLIDER_POSTPROCESS, // moved out after the solve, which knows nothing of it
    PLI_COLLIDER_BARRIER,     // kept at a distance by contact, which sees the surface's triangles
    PLI_COLLIDER_QUADRATIC    // what is inside is pulled to the surface by a linear spring
} pli_collider_method;

typedef enum pli_boundary_kind { // boundary condition of particles at a surface
    PLI_BOUNDARY_SEPARATE,       // they slide along it, with friction, and may leave
    PLI_BOUNDARY_SLIP,           // they slide along it, with friction, and never leave
    PLI_BOUNDARY_STICKY          // they move with it
} pli_boundary_kind;

typedef struct pli_collider_def { // a solid that stands still or follows a script
    const char *name;
    pli_variant shape;
    bool inside_out;  // the bodies are inside of it
    int32_t method;   // pli_collider_method
    double stiffness; // penalty: N/m^2, quadratic: N/m; 0: from what the bodies are made of
    double friction;  // Coulomb's coefficient
    pli_motion_def motion;
    double margin;    // distance that vertices keep from the surface (m)
    int32_t boundary; // pli_boundary_kind, of particles
    double spacing;   // barrier: edge length of the triangles of a curved surface (m); 0: chosen
} pli_collider_def;

// ---- the grid that particles move on, and where they come from ---------------------------------

typedef struct pli_domain_def { // a box with walls
    double cell;                // edge of the cells (m); 0: not given
    const double *min;          // [3] corner of the room inside of the walls (m); none: around all
    int32_t min_count;          // 0 or 3
    const double *max;          // [3] the opposite corner (m)
    int32_t max_count;          // 0 or 3
    int32_t walls;              // pli_boundary_kind
    double friction;            // of the walls, Coulomb's coefficient
} pli_domain_def;

typedef struct pli_emitter_def { // a shape that particles stream out of
    const char *name;
    pli_variant shape;
    const char *material;
    pli_filling_def filling;
    double velocity[3];    // of what comes out (m/s)
    double rate;           // m^3/s; 0: all that the shape's cross section lets through
    double begin;          // s
    double end;            // s; 0: never
    pli_motion_def motion; // of the shape, which carries the velocity along
} pli_emitter_def;

// ---- contact of bodies ------------------------------------------------------------------------

typedef enum pli_contact_method {
    PLI_CONTACT_NONE,    // bodies pass through each other and themselves
    PLI_CONTACT_PENALTY, // vertices inside of tetrahedra are pushed out by stiff springs
    PLI_CONTACT_BARRIER, // surfaces never touch: a barrier and continuous collision detection
    PLI_CONTACT_AUTO     // by what there is, see pli_scene_info.contact; never in a valid scene
} pli_contact_method;

typedef struct pli_contact_pair_def { // two bodies, or a body and a collider
    const char *const *bodies;        // [2] names
    int32_t body_count;
    bool collide;    // false: they pass through each other
    double friction; // Coulomb's coefficient; negative: as everywhere
} pli_contact_pair_def;

typedef struct pli_contact_def { // of bodies with each other and with themselves
    int32_t method;              // pli_contact_method
    bool self;                   // a body collides with itself, too
    double stiffness;            // penalty: N/m^2, 0: from the materials; barrier: N/m, 0: adaptive
    double friction;             // Coulomb's coefficient
    // of the barrier
    double distance;       // at which contact begins (m); 0: 1e-3 of the scene's diagonal
    double friction_speed; // below which friction is static (m/s); 0: 1e-3 diagonals per second
    int32_t friction_iterations; // solves with friction frozen again; 0: until it no longer changes
    const pli_contact_pair_def *pairs; // later ones win
    int32_t pair_count;
} pli_contact_def;

#ifdef __cplusplus
}
#endif

#endif
