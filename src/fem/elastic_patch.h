// SPDX-License-Identifier: Apache-2.0
//
// Patches of tetrahedra that share their change of volume, so that linear elements do not lock when
// matter is almost incompressible (F-bar on patches: de Souza Neto et al. 2005, section 3).
//
// Tetrahedra of one material that lie together form a patch of volume V. With J_t = det F_t and
//     Jbar = sum_t V_t J_t / V
// the law of a tetrahedron is evaluated at F_t (Jbar / J_t)^e, e = (1 - stabilisation) / 3:
//     E(x) = sum_t V_t psi((Jbar / J_t)^e F_t).
// E is an energy, so forces are its gradient and the Hessian is symmetric, whatever the law; where
// F is the same all over a patch, it is that of linear tetrahedra. By ln(Jbar) = L the second
// derivatives of an element are a matrix [10][10] in F and L, which can be made positive
// semi-definite, and the Hessian of a patch is
//     sum_t V_t B_t^T FF_t B_t + c b^T + b c^T + kappa b b^T,  b = dL/dx, c = sum_t V_t B_t^T FL_t.
// Elements that invert have infinite energy.
//
// Patches are grown tetrahedron by tetrahedron over faces: next is the neighbour that adds the
// fewest vertices, then the one with most faces in the patch, then the first one. What remains
// alone joins the smallest neighbour. A function of the mesh alone.
#ifndef PLI_FEM_ELASTIC_PATCH_H
#define PLI_FEM_ELASTIC_PATCH_H

#include "linear/matrix/bcsr.h"

// Tetrahedra of a patch: a mesh has some five for every vertex, so that a patch constrains a volume
// for some three coordinates.
enum { PLI_PATCH_TETS = 16, PLI_PATCH_TETS_MAX = 20 };

typedef struct pli_patches {
    int32_t count;
    double exponent;         // e
    int32_t *begin;          // [count + 1] first tetrahedron, in processing order
    int32_t *of_tet;         // [tet_count] patch
    int8_t *place;           // [tet_count][4] corners among the vertices of the patch
    int32_t *vertices;       // [count][cliques.size] each once, the last one repeated
    int8_t *vertex_count;    // [count] different ones
    pli_clique_list cliques; // the patches

    // written for a range of patches by those who look at it
    double *share;    // [tet_count] V_t / V
    double *volume;   // [count] V (m^3)
    double *J;        // [tet_count]
    double *m;        // [tet_count] P : F (Pa)
    double *mean;     // [count] Jbar
    double *pressure; // [count] q = e sum_t V_t m_t / (V Jbar) (Pa)
    double *b;        // [count][cliques.size][3] (1/m)
    double *c;        // [count][cliques.size][3] (N)
    double *kappa;    // [count] (J)
} pli_patches;

// Patches of tets [tet_count][4] of which none has tetrahedra of two classes. patch_of [tet_count];
// patches are numbered by their first tetrahedron. Errors: memory.
PLI_CHECKED pli_status pli_patches_grow(pli_context *context, int32_t vertex_count,
                                        int32_t tet_count, const int32_t *tets,
                                        const int32_t *class_of, int32_t *patch_of, int32_t *count);

// The patches of tetrahedra in processing order, those of a patch one after another; patch_of is
// ascending. Errors: memory.
PLI_CHECKED pli_status pli_patches_create(pli_context *context, int32_t tet_count,
                                          const int32_t *tets, const int32_t *patch_of,
                                          int32_t count, pli_patches **patches);
void pli_patches_destroy(pli_context *context, pli_patches *patches);

// Adds c b^T + b c^T + kappa b b^T of a patch to the blocks in slots [count][size^2].
void pli_patches_add_coupling(const pli_patches *patches, int32_t patch, const int32_t *slots,
                              double *values);

#endif
