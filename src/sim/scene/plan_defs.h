// SPDX-License-Identifier: Apache-2.0
//
// Geometry of bodies that is built by a plan, as scenes describe it. These structs are known by
// their schemas only: nothing outside has to know their layout.
#ifndef PLI_SIM_SCENE_PLAN_DEFS_H
#define PLI_SIM_SCENE_PLAN_DEFS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pli_arch_def { // blocks along a catenary, each a body of its own
    double span;              // between the ends of the middle line (m)
    double rise;              // of the middle line (m)
    double thickness;         // m
    double depth;             // along z (m)
    int32_t blocks;
    double gap;       // between blocks and to the ground y = 0 (m)
    int32_t cells[3]; // of a block along the line, across it and along z
} pli_arch_def;

typedef struct pli_card_house_def { // cards that lean in pairs, and boards, each a body of its own
    int32_t storeys;
    double height;    // of a card along its slope (m)
    double width;     // along z (m)
    double thickness; // m
    double lean;      // from the vertical (degrees)
    double gap;       // between cards and to the ground y = 0 (m)
    int32_t cells[3]; // of a card across its thickness, along its height and along z
} pli_card_house_def;

typedef struct pli_spikes_def { // rows of cones with round tips on a plate
    int32_t columns;            // spikes along x
    int32_t rows;               // spikes along z
    double pitch;               // from a spike to the next (m)
    double height;              // of the tips above the plate, whose top is y = 0 (m)
    double radius;              // on the plate (m)
    double tip_radius;          // m
    double plate;               // thickness (m)
    int32_t sides;              // cells across a spike, even
    int32_t layers;             // cells along a spike
} pli_spikes_def;

typedef struct pli_rod_def { // a round rod along x, built of cells
    double length;           // m
    double radius;           // m
    int32_t sides;           // cells across, even
    int32_t layers;          // cells along
} pli_rod_def;

typedef struct pli_ring_def { // a ring around the y axis, built of cells
    double radius;            // from the centre to the middle of the tube (m)
    double tube_radius;       // m
    int32_t sides;            // cells across the tube, even
    int32_t layers;           // cells around the ring
} pli_ring_def;

typedef struct pli_scroll_def { // a sheet that is rolled up about the z axis
    double center[3];           // of the axis (m)
    double radius;              // of the innermost turn where it begins (m)
    double gap;                 // from one turn to the next (m)
    double turns;
    double width;    // along z (m)
    int32_t columns; // squares along the spiral
    int32_t rows;    // squares along z
} pli_scroll_def;

#endif
