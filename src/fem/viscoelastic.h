// SPDX-License-Identifier: Apache-2.0
//
// Viscoelasticity of tetrahedra: branches beside any law (generalised Maxwell solid, Prony series).
//
// With S(F) the second Piola-Kirchhoff stress of the law, the stress at a material point is
//
//     c S(F) + sum_i H_i,   H_i' + H_i / tau_i = gamma_i S(F)'
//
// (Simo 1987; Holzapfel 1996): the law, multiplied by c, is what slow loads feel, and branch i adds
// gamma_i of it at once, which then fades with its time tau_i. S being linear in time within a step
// of length h, the update is exact, and of second order otherwise:
//
//     H_i <- e_i H_i + gamma_i g_i (S(F) - S_n),   e_i = exp(-h / tau_i),
//                                                  g_i = (1 - e_i) / (h / tau_i)
//
// (Simo and Hughes 1998, section 10.3). As a function of F that stress has a potential,
//
//     W(F) = (c + sum gamma_i g_i) psi(F) + 1/2 B : (F^T F - 1),
//     B    = sum (e_i H_i - gamma_i g_i S_n)  constant in a step,
//
// so that a step remains a minimisation and every law can take branches. The elastic term has the
// factor and B at each point (elastic.h); here they follow from the history.
//
// What is remembered of a point: S at the end of the last step, and H_i. Both live in the
// material's frame, so rotations do not touch them. A point whose J is below
// PLI_VISCOELASTIC_LEAST_J, or that is turned inside out, keeps its S until it is back: the inverse
// of F means nothing there, and the branches only fade.
//
// The whole stress relaxes, volume and shape alike: Poisson's ratio does not change with time.
//
// Energy. Between steps the branches store about 1/2 H_i : (gamma_i C)^-1 : H_i with the law's
// tangent at rest C, exact for small strains; a model of this kind has no other for large ones.
//
// Arrays are per material point, in the order of the elastic term's def. Threads: parallel inside,
// the same bits for any number.
#ifndef PLI_FEM_VISCOELASTIC_H
#define PLI_FEM_VISCOELASTIC_H

#include "fem/elastic.h"

enum { PLI_BRANCHES = 8 }; // of a material, at most

#define PLI_VISCOELASTIC_LEAST_J 0.01

// What a material has beside its law.
typedef struct pli_branches {
    int32_t count;              // 0: elastic
    double slow;                // c, the share of the law that stays (-)
    double ratio[PLI_BRANCHES]; // gamma, modulus of a branch over that of the law (-)
    double time[PLI_BRANCHES];  // tau (s)
} pli_branches;

typedef struct pli_viscoelastic {
    const pli_branches *materials;
    const int32_t *material_of; // [tet_count]
    const int32_t *first_point; // [tet_count] row of its first material point; NULL: its number
    int32_t branch_count;       // most branches of a material, H_i per point
    double h;                   // length of a step (s)
} pli_viscoelastic;

// What points remember; 6 numbers are 00, 11, 22, 12, 02, 01.
typedef struct pli_viscoelastic_history {
    double *stress;     // [points][6] S of the law (Pa)
    double *overstress; // [points][branch_count][6] H (Pa)
} pli_viscoelastic_history;

// Makes a term (whose def said that it relaxes) the energy W of a step that begins with a history.
void pli_viscoelastic_begin_step(const pli_viscoelastic *viscoelastic,
                                 const pli_viscoelastic_history *history, pli_elastic *elastic);

// The end of a step at x [vertex_count][3]: updates the history.
void pli_viscoelastic_end_step(const pli_viscoelastic *viscoelastic, const double *x,
                               const pli_viscoelastic_history *history, pli_elastic *elastic);

// Makes the stress of a term that of a state: c S + sum H_i.
void pli_viscoelastic_rest(const pli_viscoelastic *viscoelastic,
                           const pli_viscoelastic_history *history, pli_elastic *elastic);

// Energy stored at x, in the law and in the branches (J).
double pli_viscoelastic_energy(const pli_viscoelastic *viscoelastic, const double *x,
                               const pli_viscoelastic_history *history, const pli_elastic *elastic);

#endif
