// SPDX-License-Identifier: Apache-2.0
//
// Fields of frames that elements have: stress, strain and what follows from them (cells.h), per
// element and averaged to vertices.
//
// At a vertex tensors and numbers are averages over the elements around it, weighted by their
// volume at rest; principal stresses, their direction and von Mises stress are those of the average
// tensor. Stress that jumps where two materials of a body meet is smeared over the elements there:
// who wants the jump looks at the elements.
#ifndef PLI_SIM_REPORT_ELEMENT_FIELDS_H
#define PLI_SIM_REPORT_ELEMENT_FIELDS_H

#include "sim/model/model.h"
#include "sim/model/state.h"

typedef enum pli_element_field {
    PLI_ELEMENT_VON_MISES,
    PLI_ELEMENT_J,
    PLI_ELEMENT_PLASTIC, // history variable of what yields
    PLI_ELEMENT_STRESS,
    PLI_ELEMENT_PRINCIPAL,
    PLI_ELEMENT_DIRECTION, // of the largest principal stress
    PLI_ELEMENT_LOG_STRAIN,
    PLI_ELEMENT_GREEN_STRAIN,
    PLI_ELEMENT_DENSITY, // of energy
    PLI_ELEMENT_FIELD_COUNT
} pli_element_field;

typedef struct pli_element_fields pli_element_fields;
typedef struct pli_mesh_stepper pli_mesh_stepper;

// Bit masks of pli_element_field: wanted per element, and at vertices. Errors: memory.
PLI_CHECKED pli_status pli_element_fields_create(const pli_model *model, uint32_t of_cells,
                                                 uint32_t of_vertices, pli_element_fields **fields);
void pli_element_fields_destroy(pli_element_fields *fields);

// Computes the fields of a state. Errors: memory.
PLI_CHECKED pli_status pli_element_fields_fill(pli_element_fields *fields,
                                               pli_mesh_stepper *stepper, const pli_state *state);

// Values of a field, [cells or vertices][components]; NULL: not wanted.
const double *pli_element_fields_get(const pli_element_fields *fields, pli_element_field field,
                                     bool at_vertices);

#endif
