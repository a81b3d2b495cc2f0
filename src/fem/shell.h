// SPDX-License-Identifier: Apache-2.0
//
// Thin shells: triangles that resist stretching (membrane.h) and bending (plate.h or hinge.h), made
// from thickness, Young's modulus and Poisson's ratio.
//
// Terms of their own, because they couple different stencils: three vertices, six and four. Two
// triangles that both bend as plates share no hinge, unless their edge is crowded: where more than
// two triangles meet, plates end as at a free edge and hinges join them. A hinge between triangles
// of different rigidity has their mean by area.
#ifndef PLI_FEM_SHELL_H
#define PLI_FEM_SHELL_H

#include "fem/hinge.h"
#include "fem/membrane.h"
#include "fem/plate.h"
#include "optimize/objective.h"

// What a shell is made from; everything is copied.
typedef struct pli_shell_term_def {
    pli_membrane_def membrane;
    const double *bending;   // [triangle_count] factor on the rigidity of a plate (-)
    const uint8_t *is_plate; // [triangle_count] bends as a plate; NULL: all by hinges
    const double *yield; // [triangle_count] angle at which its hinges yield (radians), 0: never;
                         // NULL: none does; of two triangles the first one's
    const double *hardening; // [triangle_count] as in hinge.h; NULL as yield
} pli_shell_term_def;

typedef struct pli_shell {
    pli_context *context;
    pli_membrane *membrane;
    pli_hinges *hinges;
    int32_t *hinge_triangles; // [hinges->hinge_count][2] the triangles of a hinge
    int32_t *hinge_rows; // [hinges->hinge_count] place among all pairs of triangles at an edge,
                         // as in geometry/mesh/hinges.h
    pli_plates *plates;  // NULL: nothing bends as a plate
    int32_t *plate_triangles; // [plates->plate_count] the triangle of a plate
} pli_shell;

// Errors: mesh (a triangle without area at rest), argument, memory.
pli_status pli_shell_create(pli_context *context, const pli_shell_term_def *def, pli_shell **shell);
void pli_shell_destroy(pli_shell *shell);

// Adds its terms to an objective; the shell is borrowed.
void pli_shell_add(pli_shell *shell, pli_objective *objective);

// Energy of all (J).
pli_sum pli_shell_energy(pli_shell *shell, const double *x);

// D = E t^3 / (12 (1 - nu^2)), the flexural rigidity of a plate (N m).
static inline double pli_plate_rigidity(double young, double poisson, double thickness)
{
    return young * thickness * thickness * thickness / (12 * (1 - poisson * poisson));
}

#endif
