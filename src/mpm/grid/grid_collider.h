// SPDX-License-Identifier: Apache-2.0
//
// Solids that act on the velocities of grid nodes and the walls around the domain.
//
// An object is a shape by signed distance, negative inside, that stands still or moves rigidly.
// Its shape is given at a place of its own; the pose takes it from there,
//
//   x = c + u + R (x0 - c),      and a point of it moves with   w(x) = du/dt + spin x (x - c - u).
//
// It acts on the nodes inside it, the surface included to within 1e-6 of a cell, so that a floor
// that runs through nodes has all of them and not those that rounding picks. With the outward
// normal n and r = v - w, v the velocity of the node, r_n = r . n and r_t = r - r_n n:
//
//   sticky     v = w
//   slip       v = w + s r_t                  the normal part is taken away
//   separate   the same where r_n < 0         what moves away from the object is left alone
//   s = max(0, 1 - mu |r_n| / |r_t|)          Coulomb's friction, mu |dv_n| at most
//
// (Stomakhin et al. 2013, section 8). A node at which the distance has no gradient, such as the
// centre of a ball, is held as if the object were sticky.
//
// Several objects at a node. Those that let things slide act in the order of the set; then sticky
// ones, of which the last wins and gets all of the impulse; walls have the last word over both.
// Where two that let things slide share a node, they act in turn until neither changes it by more
// than 1e-6 of its speed, 32 times at most: two at right angles are both respected after one turn,
// and a wedge of angle a after k turns up to cos^(2k-1)(a) of the velocity. When there is no
// solution, as between jaws that close, the last one is right. A shape with concave creases belongs
// into the set as its parts (pli_shape_parts), so that both sides of a crease are respected.
//
// Walls. A particle at u cells from the lowest node minus a half reaches nodes floor(u) to
// floor(u) + 2, and its block has to have a block behind it (particles.h); so reached are nodes 0
// to last = block (blocks - 1) + 1. The faces of the domain are the planes through these two. The
// nodes nearer to a face than its wall's distance, but always the outermost two of either side,
// belong to the wall. A particle that comes as close as to have only wall nodes is at u = 0 or at
// the end of the last block but one, and has slowed down by the weight of its last free node,
// s^2 / 2 at s cells from there: as long as no node moves farther than a cell per step, it never
// arrives, and no stencil leaves the grid.
//
// Speed. A page is told to be far from an object by the box of the shape or by one signed distance
// and the bound on its slope; objects with neither are evaluated everywhere. What objects with
// is_static do to a page (which nodes, which normals) can be remembered until the page goes. It
// makes no difference to the outcome, not in one bit.
//
// Threads: pli_grid_colliders_apply reads the set only and may work on several pages at once. All
// else is serial.
#ifndef PLI_MPM_GRID_GRID_COLLIDER_H
#define PLI_MPM_GRID_GRID_COLLIDER_H

#include "geometry/shapes/shape.h"
#include "mpm/grid/paged_grid.h"

typedef enum pli_grid_hold {
    PLI_GRID_STICKY,
    PLI_GRID_SLIP,
    PLI_GRID_SEPARATE,
    PLI_GRID_HOLDS // how many there are
} pli_grid_hold;

typedef struct pli_grid_motion {
    double center[3];   // c (m)
    double R[9];        // proper rotation
    double offset[3];   // u (m)
    double velocity[3]; // du/dt (m/s)
    double spin[3];     // angular velocity (rad/s)
} pli_grid_motion;

typedef struct pli_grid_collider {
    const char *name;       // for messages; borrowed, NULL: none
    const pli_shape *shape; // before the pose; borrowed
    pli_grid_hold hold;
    double friction; // mu >= 0; sticky ones need none
    // the pose never changes and may be remembered; velocities may be anything: a belt, a roller
    bool is_static;
    pli_grid_motion motion; // at the start
} pli_grid_collider;

// All zero: sticky and two nodes thick.
typedef struct pli_grid_wall {
    pli_grid_hold hold;
    double friction; // mu >= 0
    double distance; // of its surface from the face (m), counts as 1.5 dx at least
} pli_grid_wall;

enum { PLI_GRID_WALLS = 6 }; // at low x, high x, low y, ... high z

typedef struct pli_grid_colliders_def {
    double origin[3];  // of node 0 (m)
    double dx;         // distance of nodes (m)
    int32_t blocks[3]; // of the paged grid, 2 at least along each axis
    pli_grid_wall walls[PLI_GRID_WALLS];
    int32_t collider_count;
    const pli_grid_collider *colliders; // [collider_count]
} pli_grid_colliders_def;

typedef struct pli_grid_colliders pli_grid_colliders;

// One page of the grid.
typedef struct pli_grid_page {
    uint32_t code;
    int32_t at[3]; // its block
    // [PLI_PAGE_NODES][8] mass (kg), momentum (3), velocity (3, m/s), spare; pages that are only to
    // be remembered need none
    float *nodes;
} pli_grid_page;

// At rest, where the shape was made.
void pli_grid_motion_init(pli_grid_motion *motion);

// Sets the velocities of a motion to those by which the object gets to its pose in a time h (s)
// from the pose before, less than half a turn away, so that poses and velocities agree. Both
// poses turn about the same centre.
void pli_grid_motion_follow(const pli_grid_motion *before, double h, pli_grid_motion *motion);

// w at a point x.
void pli_grid_motion_velocity(const pli_grid_motion *motion, const double x[3], double w[3]);

// The objects of the def, numbered as there, and the walls after them; all are there at first.
// Errors: argument (named by the object), memory.
PLI_CHECKED pli_status pli_grid_colliders_create(pli_context *context,
                                                 const pli_grid_colliders_def *def,
                                                 pli_grid_colliders **colliders);
void pli_grid_colliders_destroy(pli_grid_colliders *colliders);

// Objects and walls together.
int32_t pli_grid_colliders_count(const pli_grid_colliders *colliders);

// Moves an object. Errors: argument (not a rigid motion, no such object, another pose for an object
// that is static); then nothing has changed.
PLI_CHECKED pli_status pli_grid_colliders_set_motion(pli_grid_colliders *colliders,
                                                     int32_t collider,
                                                     const pli_grid_motion *motion);

// Takes an object away or puts it back. Walls stay. Errors: argument.
PLI_CHECKED pli_status pli_grid_colliders_set_active(pli_grid_colliders *colliders,
                                                     int32_t collider, bool is_active);

// Remembers for the pages that are not known yet what static objects do to them. Allocates only
// for those. Errors: argument (a page outside the grid), memory; then none of them is known.
PLI_CHECKED pli_status pli_grid_colliders_remember(pli_grid_colliders *colliders, int64_t count,
                                                   const pli_grid_page *pages);

// Whether a page is known, that is, was remembered and not forgotten since.
bool pli_grid_colliders_knows(const pli_grid_colliders *colliders, uint32_t code);

// Forgets a page, known or not.
void pli_grid_colliders_forget(pli_grid_colliders *colliders, uint32_t code);

// Changes the velocities of the nodes of a page that have mass and are inside an object or wall,
// and adds to impulses [pli_grid_colliders_count][3] what each has given to them, mass times change
// of velocity (kg m/s); NULL: nobody wants to know. Threads need sums of their own, added up in a
// fixed order.
void pli_grid_colliders_apply(const pli_grid_colliders *colliders, const pli_grid_page *page,
                              double *impulses);

#endif
