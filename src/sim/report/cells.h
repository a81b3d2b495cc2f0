// SPDX-License-Identifier: Apache-2.0
//
// Stress, strain and energy of every element of meshes: tetrahedra, then the triangles of shells.
//
//     stress        sigma = P F^T / J, Cauchy (Pa); of a shell that of its middle surface
//     log strain    ln V, V^2 = F F^T: where the element is now, as stress is
//     Green strain  (F^T F - 1) / 2: along the axes of the rest shape
//     density       energy per volume at rest (J/m^3)
//
// Symmetric tensors are xx, yy, zz, xy, yz, xz, as VTK has them. Of what yields F is the elastic
// part, so strains are elastic ones. An element that is flat counts as a very thin one.
#ifndef PLI_SIM_REPORT_CELLS_H
#define PLI_SIM_REPORT_CELLS_H

#include "sim/model/model.h"
#include "sim/model/state.h"

typedef struct pli_mesh_stepper pli_mesh_stepper;

// Wanted arrays [cells]; those that are NULL are not.
typedef struct pli_cell_values {
    double *stress;       // [cells][6] (Pa)
    double *log_strain;   // [cells][6]
    double *green_strain; // [cells][6]
    double *J;            // [cells] volume over volume at rest, of a shell area over area
    double *density;      // [cells] (J/m^3)
    double *volume;       // [cells] at rest (m^3)
} pli_cell_values;

// Fills what is wanted. Errors: memory.
PLI_CHECKED pli_status pli_cells_measure(pli_mesh_stepper *stepper, const pli_state *state,
                                         const pli_cell_values *wanted);

// Of one law at one deformation, such as that of a particle: outputs that are NULL are not wanted.
void pli_stress_from(const double F[9], const double P[9], double stress[6]);
void pli_log_strain_from(const double F[9], double strain[6]);
void pli_green_strain_from(const double F[9], double strain[6]);

// Principal values, the largest first, and the unit vector of the first one; either may be NULL.
void pli_principal_from(const double tensor[6], double values[3], double direction[3]);

// sqrt(3/2) of the norm of the deviator.
double pli_von_mises_from(const double stress[6]);

#endif
