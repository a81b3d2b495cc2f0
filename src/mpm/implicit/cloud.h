// SPDX-License-Identifier: Apache-2.0
//
// The particles of an implicit step and the nodes that they reach, in an order that makes passes
// over them fast.
//
// Particles that have the same lowest node form a cell: all of them reach the same nodes. Cells are
// in the order of blocks of 4 x 4 x 4 cells (Morton code), and inside of them, z fastest. The
// particles of a cell stand in slots of four lanes, one behind the other; slots that are left over
// hold a particle without mass and volume. So a pass takes a cell's nodes into the nearest cache
// once, and works on four particles at a time.
//
// What particles give to nodes is summed in two passes, without a race and always in the same
// order: every cell writes what its nodes get to a place of its own; then every node adds up what
// stands in the cells that it belongs to. (Gradients and the level-0 matrix are summed cell by
// cell, blocks of cells by colours: implicit.h.)
//
// Transfers. With weights w_ip, gradients in 1/m, and velocities of nodes before (v) and after
// (v + dv) a step:
//
//   to nodes     m_i = sum m_p w_ip,   (m v)_i = sum m_p w_ip (v_p + C_p (x_i - x_p))
//                FLIP, PIC: without C
//   to particles v_p = sum w_ip v_i,   C_p = sum w_ip v_i (x_i - x_p)^T / (dx^2 spread)
//                FLIP blend a: v_p <- a (v_p + sum w_ip dv_i) + (1 - a) sum w_ip v_i
//   gradient     G_p = sum v_i grad w_ip^T,   F <- (1 + h G) F
//
// Threads: parallel inside, the same bits for any number.
#ifndef PLI_MPM_IMPLICIT_CLOUD_H
#define PLI_MPM_IMPLICIT_CLOUD_H

#include "mpm/grid/spline.h"
#include "mpm/implicit/node_grid.h"

enum { PLI_CLOUD_LANES = 4 };

// Particles as whoever keeps them has them; arrays of rows.
typedef struct pli_cloud_source {
    int64_t count;
    const double *position;    // [count][3] (m)
    const double *velocity;    // [count][3] (m/s)
    const double *affine;      // [count][9] (1/s)
    const double *deformation; // [count][9]
    const double *memory;      // [count] of the material
    const int32_t *kind;       // [count]
    const double *volume;      // [count] at rest (m^3); NULL: those of the kinds
} pli_cloud_source;

// What particles of a kind have in common. One with a volume of its own has the mass of its kind
// all the same.
typedef struct pli_cloud_kind {
    double mass;   // of a particle (kg)
    double volume; // at rest (m^3)
} pli_cloud_kind;

typedef struct pli_cloud_def {
    pli_spline_kind spline;
    double dx;        // m
    double origin[3]; // of the node with coordinates 0 (m)
    int32_t kind_count;
    const pli_cloud_kind *kinds; // [kind_count] copied
} pli_cloud_def;

typedef struct pli_cloud {
    pli_context *context;
    pli_spline_kind spline;
    int32_t width;      // nodes of a cell along each axis
    int32_t cell_nodes; // width^3
    double dx;
    double origin[3];
    int32_t kind_count;
    pli_cloud_kind *kinds;
    pli_node_grid *nodes;

    // particles, in slots; planes of arrays with several numbers are slot_room long
    int32_t count;
    int32_t slot_count; // a multiple of four
    int32_t slot_room;
    double *f;      // [3][slot_room] position from the lowest node of the cell (cells)
    double *v;      // [3][slot_room] (m/s)
    double *C;      // [9][slot_room] (1/s)
    double *F;      // [9][slot_room]
    double *mass;   // [slot_room] (kg), 0: nobody is there
    double *volume; // [slot_room] (m^3)
    double *memory; // [slot_room]
    int32_t *kind;  // [slot_room]
    int32_t *row;   // [slot_room] of the source, -1: nobody is there

    // cells
    int32_t cell_count;
    int32_t cell_room;
    int32_t *cell_slot; // [cell_room + 1] first slot
    int32_t *cell_key;  // [cell_room + 1] first of the sorted keys
    int32_t *cell_base; // [cell_room][3] lowest node
    int32_t *cell_node; // [cell_room][cell_nodes] numbers of nodes, z fastest
    double *cell_sums;  // [cell_room][cell_nodes][4] what nodes get, between two passes

    // blocks of 4 x 4 x 4 cells, by colours as those of node_grid.h
    int32_t block_count;
    int32_t *block_cell;      // [block_count + 1] first cell
    uint64_t *block_cells;    // [block_count] bit 16 x + 4 y + z: there is that cell
    int32_t *blocks_by_color; // [block_count]
    int32_t color_start[PLI_NODE_COLORS + 1];

    // cells of nodes: entries cell * cell_nodes + place, in the order of places
    int32_t node_room;
    int32_t *node_start; // [node_room + 1]
    int32_t *node_entry; // [cell_room * cell_nodes]
    int32_t node_block_room;
    int32_t *node_block_cells; // [node_block_room] the block of cells at a block of nodes, or -1

    // scratch of sorting
    int64_t sort_room;
    struct pli_cloud_key *keys; // [2 sort_room]
} pli_cloud;

// Errors: argument, memory.
PLI_CHECKED pli_status pli_cloud_create(pli_context *context, const pli_cloud_def *def,
                                        pli_cloud **cloud);
void pli_cloud_destroy(pli_cloud *cloud);

// Takes particles over and finds their nodes; only growth allocates. Errors: numeric (a position
// that no node of the grid is near to, or that is no number: the message names the row), memory.
PLI_CHECKED pli_status pli_cloud_build(pli_cloud *cloud, const pli_cloud_source *source);

// mass [nodes] (kg) and momentum [nodes][3] (kg m/s) of nodes; with_affine: APIC.
void pli_cloud_to_nodes(pli_cloud *cloud, bool with_affine, double *mass, double *momentum);

// sums [nodes] += sum m_p w_ip q_p of a number q [slot_count] of every slot.
void pli_cloud_spread(pli_cloud *cloud, const double *q, double *sums);

// values [count of the source] = sum w_ip q_i of a number q [nodes] of every node, by rows.
void pli_cloud_sample(const pli_cloud *cloud, const double *q, double *values);

// How particles take velocities from nodes.
typedef struct pli_cloud_pull {
    const double *velocity; // [nodes][3] at the end of the step (m/s)
    const double *before;   // [nodes][3] at its beginning, for FLIP; NULL: none
    double flip;            // share of FLIP, 0 with APIC
    double h;               // length of the step (s): F <- (1 + h grad v) F
    bool stays;             // positions are left as they are, for pli_cloud_advect
} pli_cloud_pull;

// Sets v, C, F of all particles, and f, by which they move with the velocity of the nodes: x += h
// v.
void pli_cloud_from_nodes(pli_cloud *cloud, const pli_cloud_pull *pull);

// The fastest that particles would move with velocities [nodes][3] of nodes (m/s): the largest of
// |v_p| + sqrt(3) 1.5 dx |G_p|, G the gradient (cloud_advect.c).
double pli_cloud_speed(const pli_cloud *cloud, const double *velocity);

typedef struct pli_advect_report {
    int64_t steps;    // of Newton's method, all particles together
    int64_t repeated; // particles that took more than one
} pli_advect_report;

// Moves particles by backward Euler in the field of the nodes' velocity [nodes][3] over h (s)
// (cloud_advect.c).
pli_advect_report pli_cloud_advect(pli_cloud *cloud, const double *velocity, double h);

// Writes particles back to rows; pointers of `to` that are NULL are left out.
typedef struct pli_cloud_target {
    double *position;
    double *velocity;
    double *affine;
    double *deformation;
    double *memory;
} pli_cloud_target;

void pli_cloud_store(const pli_cloud *cloud, const pli_cloud_target *to);

// Adds up for every node what stands in cell_sums: the first number goes to first [nodes] and the
// other three to vector [nodes][3], or, where first is NULL, the first three to vector; the fourth
// must be a number all the same. vector NULL: nobody wants it. What is there stays, and is added
// to.
void pli_cloud_gather(const pli_cloud *cloud, double *first, double *vector);

int64_t pli_cloud_memory(const pli_cloud *cloud);

#endif
