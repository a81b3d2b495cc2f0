// SPDX-License-Identifier: Apache-2.0
//
// Tetrahedra as the energy term of a stepper: pli_elastic, or, where one matrix serves many
// iterations and all of them have the corotated law without a volume term (lambda = 0),
// pli_projective, which is made for that.
//
// It is the one or the other. Projective terms compute in single precision, below which a line
// search cannot see; with other laws there is one, and it has to see the decrease.
//
// Frames want stress and J of every tetrahedron, for which there is pli_elastic in either case;
// beside pli_projective it is made when it is first asked for.
#ifndef PLI_SIM_STEP_TETS_BUILD_H
#define PLI_SIM_STEP_TETS_BUILD_H

#include "fem/plastic.h"
#include "sim/step/mesh_stepper.h"

// Share of the volume of every tetrahedron that patches leave to it; see docs/theory/elements.md.
#define PLI_TETS_STABILISATION 0.0

// Elastic terms of a stepper: linear, quadratic and locking-free tetrahedra.
enum { PLI_TETS_KINDS = 3 };

// Those that there are; returns how many.
int32_t pli_tets_list(const pli_mesh_stepper *stepper, pli_elastic *list[PLI_TETS_KINDS]);

// pli_elastic_measure of all of them.
void pli_tets_measure(const pli_mesh_stepper *stepper, const double *x, double *J);

// Adds the tetrahedra of a stepper to its objective, and gives them back.
void pli_tets_add(pli_mesh_stepper *stepper, pli_objective *objective);
void pli_tets_destroy(pli_mesh_stepper *stepper);

// Fills projective or elastic of a stepper. Errors: mesh (a rest volume that is not positive),
// memory.
pli_status pli_tets_build(pli_mesh_stepper *stepper);

// Whether the tetrahedra of a model are, or would be, projective.
bool pli_tets_are_projective(const pli_model *model);

// Some tetrahedra of a model, each standing for a volume.
typedef struct pli_tet_choice {
    int32_t count;
    const int32_t *tets;   // [count]
    const double *weights; // [count] (m^3)
} pli_tet_choice;

// The elastic energy of a choice of linear tetrahedra. Errors: memory.
pli_status pli_tets_create_elastic(pli_mesh_stepper *stepper, const pli_tet_choice *choice,
                                   pli_elastic **elastic);

// Fills elastic, quadratic and patched of a stepper if that was not done yet. Errors: memory.
pli_status pli_tets_ensure_elastic(pli_mesh_stepper *stepper);

// Makes the tetrahedra of a stepper those of a state, as it is between steps: what yielded keeps
// its shape, what is viscoelastic the stress of its branches. To be called before anything is asked
// of them.
void pli_tets_load(pli_mesh_stepper *stepper, const pli_state *state);

// The same for a step that begins with a state: branches fade and take up stress on the way.
void pli_tets_begin_step(pli_mesh_stepper *stepper, const pli_state *state);

// The end of a step: yields and updates branches at the positions of the state.
void pli_tets_end_step(pli_mesh_stepper *stepper, pli_state *state);

// Energy that the tetrahedra store (J); not of projective ones.
double pli_tets_energy(pli_mesh_stepper *stepper, const pli_state *state);

// Gives the tetrahedra the numbers that their materials have at a time (s), where those change. No
// allocation.
void pli_tets_set_time(pli_mesh_stepper *stepper, double time);

// Adds what drag differs by at a time (s) from the model's, k m of every vertex (kg/s).
void pli_tets_add_drag(const pli_mesh_stepper *stepper, double time, double *drag);

#endif
