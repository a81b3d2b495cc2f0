// SPDX-License-Identifier: Apache-2.0
//
// Yielding of tetrahedra: multiplicative plasticity, F = Fe Fp, by any rule of material/yield.h.
//
// A tetrahedron remembers A = Fp^-1 and a history variable. Its law sees Fe = F A, which is the
// deformation from another shape at rest: with the gradients of the shape functions multiplied by
// A, energy, forces and stiffness are those of an elastic tetrahedron (elastic.h), and nothing else
// has to know. What hardens as snow does has its energy multiplied.
//
// The return map is applied after a step, outside of the solve: Fe <- that on the yield surface,
// A <- F^-1 Fe. Where the law is elastic (lagged), a step is thus solved as if it were elastic from
// where the last one left; forces at its end are those before the return, and a quasi-static load
// comes to its equilibrium as steps are repeated. Where the law has the yielding of a step in its
// energy (inside, material/plastic.h), a step ends with the stress that the return leaves; the
// law's parameters then follow the history of every tetrahedron.
//
// Arrays are by number of a tetrahedron, material point after material point, and zero for what has
// never yielded: A - 1, and the history variable less that at rest. Threads: parallel inside, the
// same bits for any number.
#ifndef PLI_FEM_PLASTIC_H
#define PLI_FEM_PLASTIC_H

#include "fem/elastic.h"
#include "material/material.h"

typedef struct pli_plastic {
    const pli_material *materials; // those without a rule are elastic
    const int32_t *material_of;    // [tet_count]
    const int32_t *first_point;    // [tet_count] row of its first material point; NULL: its number
    bool inside;                   // laws are those of pli_material_step_law
} pli_plastic;

// Makes the tetrahedra of a term (whose def said that they yield) deform from A; A1 [points][9] is
// A - 1, history [points].
void pli_plastic_apply(const pli_plastic *plastic, const double *A1, const double *history,
                       pli_elastic *elastic);

// Applies the return maps at positions x [vertex_count][3], and pli_plastic_apply.
void pli_plastic_return(const pli_plastic *plastic, const double *x, double *A1, double *history,
                        pli_elastic *elastic);

#endif
