// SPDX-License-Identifier: Apache-2.0
//
// Inside of grid_collider.h: which nodes of a page are in an object, and what is remembered of it.
//
// Nodes of a page are looked at in 16 rows of eight along z, which is how they lie in memory and
// what a vector holds. A contact is one object at one page: a bit for each node that it has and, if
// it lets things slide, rows of normals for the rows that have any such node. A flat object has the
// same normal everywhere and keeps one row.
//
// Remembered pages are in a hash table by code, open addressing with linear steps and no
// tombstones: forgetting moves later entries up (Knuth 1973, 6.4, algorithm R). A page that no
// static object touches is known by its code alone.
#ifndef PLI_MPM_GRID_GRID_CONTACT_H
#define PLI_MPM_GRID_GRID_CONTACT_H

#include "mpm/grid/grid_collider.h"

enum {
    PLI_PAGE_ROWS = PLI_BLOCK_X * PLI_BLOCK_Y,
    PLI_ROW_NORMALS = 3 * PLI_BLOCK_Z // floats of a row of normals: x of eight nodes, y, z
};

_Static_assert(PLI_BLOCK_Z == 8, "a row is a vector of eight floats");

typedef struct pli_grid_contact {
    int32_t body;
    int32_t stride;               // floats from the normals of a row to those of the next, or 0
    const float *normals;         // of the rows with nodes, PLI_ROW_NORMALS each; NULL: sticky
    uint8_t lanes[PLI_PAGE_ROWS]; // bit k: node k of the row is in the object
} pli_grid_contact;

// What static objects do to a page; the normals follow in the same block of memory.
typedef struct pli_grid_memory {
    int32_t count;
    pli_grid_contact contacts[]; // [count] in the order in which bodies act
} pli_grid_memory;

typedef struct pli_grid_slot {
    bool is_used;
    uint32_t code;
    pli_grid_memory *memory; // owned, NULL: nothing touches the page
} pli_grid_slot;

// An object or a wall.
typedef struct pli_grid_body {
    pli_grid_collider def;
    pli_bounds box; // of the shape, before the pose (m)
    double slope;   // of the shape's values, at most; may be infinite
    bool is_active;
    bool is_wall;
} pli_grid_body;

struct pli_grid_colliders {
    pli_context *context;
    pli_shape_set *shapes; // of the walls
    double origin[3];      // m
    double dx;             // m
    int32_t blocks[3];
    int32_t body_count;
    pli_grid_body *bodies; // [body_count] objects, then walls
    // [body_count] who acts when: objects that let things slide, sticky ones, walls that let things
    // slide, sticky ones
    int32_t *order;

    // what is remembered
    int64_t known_count;
    int64_t slot_count; // a power of two, or 0
    pli_grid_slot *slots;
};

// Nodes so close outside a surface, in cells, are in the object.
#define PLI_GRID_SURFACE 1e-6

// x0 = c + R^T (x - c - u)
void pli_grid_to_shape(const pli_grid_motion *motion, const double x[3], double x0[3]);

// Nodes from low to low + edge along each axis.
typedef struct pli_grid_box {
    int32_t low[3];
    int32_t edge;
} pli_grid_box;

// False: none of the nodes is in the body.
bool pli_grid_body_may_touch(const pli_grid_colliders *set, const pli_grid_body *body,
                             const pli_grid_box *box);

// The position of the first node of a row.
void pli_grid_row_position(const pli_grid_colliders *set, const int32_t at[3], int32_t row,
                           double x[3]);

// A page to look at. Which of its nodes have mass is found out when somebody asks.
typedef struct pli_grid_view {
    int32_t at[3];
    const float *nodes; // [PLI_PAGE_NODES][8]; NULL: all nodes count
    bool has_lanes;
    uint8_t lanes[PLI_PAGE_ROWS]; // bit k: node k of the row has mass
} pli_grid_view;

void pli_grid_view_init(pli_grid_view *view, const int32_t at[3], const float *nodes);

// The lanes of all rows, [PLI_PAGE_ROWS].
const uint8_t *pli_grid_view_lanes(pli_grid_view *view);

// Whether nodes that count are in a body, and which. normals has room for PLI_PAGE_ROWS rows and
// belongs to the contact from then on.
bool pli_grid_contact_find(const pli_grid_colliders *set, int32_t body, pli_grid_view *view,
                           float *normals, pli_grid_contact *contact);

// The slot of a page that is known, NULL for others.
const pli_grid_slot *pli_grid_memory_find(const pli_grid_colliders *set, uint32_t code);

// Forgets all pages and gives the table back.
void pli_grid_memory_clear(pli_grid_colliders *set);

#endif
