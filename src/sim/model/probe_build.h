// SPDX-License-Identifier: Apache-2.0
//
// What a model measures at every step, as a list of quantities: what the probes of the scene want,
// and force and moment of every constraint, attachment, obstacle and collider.
//
// A place is where a probe is: averages over vertices and over cells, both with weights that add up
// to one. Cells are tetrahedra, then the triangles of shells. Of a vertex the cells are those
// around it, weighted by volume; of a point in the material the tetrahedron or triangle that it is
// in; of a selection those that it contains, or, where it contains none, those that it touches.
#ifndef PLI_SIM_MODEL_PROBE_BUILD_H
#define PLI_SIM_MODEL_PROBE_BUILD_H

#include "sim/model/model_building.h"

typedef enum pli_probe_of {
    PLI_PROBE_POSITION,
    PLI_PROBE_DISPLACEMENT,
    PLI_PROBE_VELOCITY,
    PLI_PROBE_MOMENTUM,
    PLI_PROBE_MASS,
    PLI_PROBE_VOLUME,
    PLI_PROBE_KINETIC,
    PLI_PROBE_ELASTIC,
    PLI_PROBE_J,
    PLI_PROBE_STRESS,
    PLI_PROBE_PRINCIPAL,
    PLI_PROBE_VON_MISES,
    PLI_PROBE_LOG_STRAIN,
    PLI_PROBE_GREEN_STRAIN,
    PLI_PROBE_DENSITY,
    PLI_PROBE_OF_COUNT
} pli_probe_of;

typedef struct pli_probe_row {
    const char *name;
    const char *unit;
    int32_t components;
    bool of_cells;     // averages over cells, or sums over them
    bool is_extensive; // grows with what is selected: not of a single place
    bool of_particles; // particles have it, too
} pli_probe_row;

// What probes can measure at a place.
const pli_probe_row *pli_probe_row_get(pli_probe_of of);

// Whose quantity it is.
typedef enum pli_quantity_kind {
    PLI_QUANTITY_PLACE,      // source: place
    PLI_QUANTITY_DISTANCE,   // source, other: places
    PLI_QUANTITY_CONTACT,    // source, other: body of the scene, or -1 - collider
    PLI_QUANTITY_CONSTRAINT, // source: constraint; what it does to bodies
    PLI_QUANTITY_ATTACHMENT, // source: attachment
    PLI_QUANTITY_COLLIDER    // source: collider
} pli_quantity_kind;

// what of a resultant, or of the motion of a constraint
typedef enum pli_quantity_part {
    PLI_PART_FORCE,
    PLI_PART_MOMENT,
    PLI_PART_TRAVEL
} pli_quantity_part;

typedef struct pli_model_quantity {
    char *name; // "tip.displacement"
    const char *unit;
    int32_t components;
    pli_quantity_kind kind;
    int32_t source;
    int32_t other;
    int32_t of; // pli_probe_of of a place, else pli_quantity_part
} pli_model_quantity;

typedef struct pli_model_place {
    int32_t vertex_count;
    int32_t *vertices;      // [vertex_count]
    double *vertex_weights; // [vertex_count] they add up to 1
    int32_t cell_count;
    int32_t *cells;       // [cell_count] tetrahedra, then triangles of shells
    double *cell_weights; // [cell_count] they add up to 1
    int32_t source;       // of particles: body or emitter
} pli_model_place;

struct pli_model_probes {
    int32_t quantity_count;
    pli_model_quantity *quantities;
    int32_t place_count;
    pli_model_place *places;
    bool wants_cells;     // a quantity is of cells
    bool wants_reactions; // a quantity is of a constraint, an attachment or a collider
};

// Fills model->probes, once bodies, constraints and colliders are there. Errors: scene (a name that
// is not there, a selection without vertices), memory.
PLI_CHECKED pli_status pli_probe_build(const pli_building *building);
void pli_probe_clear(pli_model *model);

// How many quantities a model measures.
static inline int32_t pli_probe_count(const pli_model *model)
{
    return model->probes != NULL ? model->probes->quantity_count : 0;
}

// The quantity of an index, without values.
pli_probe_value pli_probe_blank(const pli_model_probes *probes, int32_t index);

#endif
