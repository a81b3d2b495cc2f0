// SPDX-License-Identifier: Apache-2.0
//
// The surface of one body of a model, and what a selection has of it: for loads and cavities.
#ifndef PLI_SIM_MODEL_BODY_SURFACE_H
#define PLI_SIM_MODEL_BODY_SURFACE_H

#include "sim/body/selection.h"
#include "sim/model/model.h"

typedef struct pli_body_surface {
    pli_context *context;
    int32_t triangle_count;
    int32_t *triangles;   // [triangle_count][3] vertices of the model, counter-clockwise from
                          // outside; of a shell or a cloth as they stand
    uint8_t *vertex_mask; // [vertex_count of the body] selected vertices
    uint8_t *mask;        // [triangle_count] selected triangles
    int32_t selected_vertices;
    int32_t selected_triangles;
} pli_body_surface;

// The surface of a body, with what is selected of it. Errors: mesh (faces that belong to too many
// tetrahedra), memory; there is nothing to clear then.
PLI_CHECKED pli_status pli_body_surface_init(const pli_model *model, int32_t body,
                                             const pli_body_def *def, const pli_body_mesh *mesh,
                                             const pli_variant *where, pli_body_surface *surface);
void pli_body_surface_clear(pli_body_surface *surface);

// Volume that triangles of the model enclose at its start (m^3).
double pli_model_enclosed_volume(const pli_model *model, int32_t triangle_count,
                                 const int32_t *triangles);

#endif
