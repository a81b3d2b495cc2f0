// SPDX-License-Identifier: Apache-2.0
//
// What objects and walls (grid_collider.h) do to the numbered nodes of an implicit step (Gast et
// al. 2015; Wang et al. 2020): constraints that hold while a step is solved.
//
// A held node has a projector T and a velocity c; its velocity is v = T v + c throughout. Sticky
// objects leave nothing free, T = 0 and c = w, the object's velocity at the node. Objects that let
// things slide take the part along their outward normal n, T = 1 - n n^T and c = (n . w) n; where
// several of them share a node, all of their normals are taken, in order, as far as they are
// independent: what is less than 1/100 apart from those before counts as the same. Objects act in
// the same order as in explicit steps: those that let things slide, then sticky ones, of which the
// last wins, then walls, of which the last word is taken even where nothing is free any more.
//
// Separation. A node of an object that lets things go is held if its velocity before the solve,
// after what objects before it have made of it, would take it inwards. Whether that was right shows
// after the solve: with n_k the normals that are taken and f the force of the constraints,
//
//   f = sum lambda_k n_k,    lambda_k = f . n*_k,    n*_k the dual vectors, n_i . n*_k = delta_ik
//
// a node that had to be pulled, lambda_k < 0, is released from that object, one that got inside is
// held, and the step is solved again from where it is (pli_node_hold_revise). A node that an object
// took a second time stays with it.
//
// Friction acts after the solve, on what moves along the object, by the impulse j = h lambda that
// the object gave: the relative velocity is scaled by max(0, 1 - mu j / (m |r|)) (Gast et al.
// 2015). Of several objects with friction at a node the last one counts.
//
// Threads: building is parallel, the same bits for any number.
#ifndef PLI_MPM_IMPLICIT_NODE_HOLD_H
#define PLI_MPM_IMPLICIT_NODE_HOLD_H

#include "mpm/grid/grid_collider.h"
#include "mpm/implicit/node_grid.h"
#include "mpm/implicit/node_multigrid.h"
#include "optimize/projection.h"

typedef struct pli_held_node {
    double T[9];
    double c[3]; // m/s
    bool is_held;

    // of the last object with friction that lets it slide
    double friction; // coefficient, 0: there is none
    double dual[3];  // n*
    double w[3];     // velocity (m/s)
} pli_held_node;

typedef struct pli_node_hold {
    pli_context *context;
    const pli_grid_colliders *colliders; // borrowed
    const double *mass;                  // [nodes] of the last build, borrowed (kg)
    double least_mass;                   // of a node that counts (kg)

    int32_t room;
    pli_held_node *all; // [room] every node
    uint16_t *verdict;  // [room] of objects that let go, see node_hold.c

    // the held ones
    int32_t count;
    int32_t *nodes;   // [room] increasing
    double *tangents; // [room][9]
    int32_t *place;   // [room] of every node among the held ones, -1: free
} pli_node_hold;

PLI_CHECKED pli_status pli_node_hold_create(pli_context *context,
                                            const pli_grid_colliders *borrowed_colliders,
                                            pli_node_hold **hold);
void pli_node_hold_destroy(pli_node_hold *hold);

// Finds the held nodes of a grid, where the objects are now; velocity [nodes][3] is that before the
// solve (m/s). Nodes whose mass [nodes] (kg) is nothing beside that of others are held, too: nobody
// notices them, and no matrix is regular with them. Only growth allocates. Errors: memory.
PLI_CHECKED pli_status pli_node_hold_build(pli_node_hold *hold, const pli_node_grid *grid,
                                           const double *mass, const double *velocity);

// v <- T v + c for all nodes.
void pli_node_hold_apply(const pli_node_hold *hold, double *v);

// With the solution v [nodes][3] (m/s) and the forces [nodes][3] of the constraints (N), NULL:
// nobody is released: changes what is held of the nodes that may separate. Returns how many
// changed.
int32_t pli_node_hold_revise(pli_node_hold *hold, const pli_node_grid *grid, const double *v,
                             const double *force);

// Brakes v [nodes][3] of nodes of mass [nodes] (kg) that slide, by the forces of the constraints
// over a time h (s).
void pli_node_hold_brake(const pli_node_hold *hold, double h, const double *mass,
                         const double *force, double *v);

// The held nodes for a multigrid, and as constraints of an objective that never change. Lifetime:
// until the next build or revision.
pli_node_constraints pli_node_hold_constraints(const pli_node_hold *hold);
pli_feasible_set pli_node_hold_feasible(pli_node_hold *hold);

int64_t pli_node_hold_memory(const pli_node_hold *hold);

#endif
