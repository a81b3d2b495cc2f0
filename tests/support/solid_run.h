// SPDX-License-Identifier: Apache-2.0
//
// Scenes of solids that are compiled from a text, stepped and looked at, with statuses for what
// fails: for figures that tests hold to a band and the benchmark prints.
#ifndef PLI_TESTS_SOLID_RUN_H
#define PLI_TESTS_SOLID_RUN_H

#include "pliant/pliant.h"

typedef struct pli_solid {
    pli_context *context;
    pli_scene *scene;
    pli_model *model;
    pli_state *state;
    pli_solver *solver;
    pli_model_info info;
    const double *X; // [vertex_count][3] at rest
    const double *x; // [vertex_count][3] now
} pli_solid;

// Compiles a scene, whose only body gets the mesh as its geometry unless that is NULL. On failure
// nothing is left to clear.
PLI_CHECKED pli_status pli_solid_init(pli_solid *s, pli_context *context, const pli_mesh_data *mesh,
                                      const char *format, ...) PLI_PRINTF(4, 5);
void pli_solid_clear(pli_solid *s);

// One step; fails if it does not converge (numeric).
PLI_CHECKED pli_status pli_solid_step(pli_solid *s, pli_step_report *report);

// A measured quantity of a report; NULL: there is none of that name.
const double *pli_solid_probe(const pli_step_report *report, const char *name);

// A field of the first part of the solver's frame; NULL: there is none of that name. Lifetime:
// until the solver's next call.
PLI_CHECKED pli_status pli_solid_field(pli_solid *s, const char *name, const double **values);

#endif
