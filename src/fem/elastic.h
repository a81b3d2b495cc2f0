// SPDX-License-Identifier: Apache-2.0
//
// Elastic energy of tetrahedra, E(x) = sum_p V_p psi(F_p(x)) over material points, as a term of the
// objective: linear tetrahedra with one point, quadratic ones of ten nodes with four
// (tet_quadratic.h), and linear ones that share their change of volume with a patch
// (elastic_patch.h).
//
// With the gradients g_a of the shape functions at rest,
//     F_ij          = sum_a x_ai g_aj
//     dE/dx_ai      = V P_ij g_aj
//     d2E/dx_ai bk  = V g_aj (dP_ij/dF_kl) g_bl      (Sifakis and Barbic 2012, section 4)
//
// Tetrahedra are kept sorted by material law and handled in batches of eight: gather, one call of
// the law for the batch, scatter. Scattering runs by the colours of chunks of tetrahedra that share
// no vertex within a colour, so it needs no atomics and gives the same bits for any thread count.
//
// For minimisers that keep their matrix, the scalar matrix is that of the law at rest,
//     S_ab = sum_t w_t V_t g_a . g_b,   w = dP_00/dF_00 = 2 mu + lambda for isotropic laws
// (the quasi-Newton method of Liu et al. 2017). Away from rest it need not bound the Hessian, so
// steps want a line search.
//
// Minimisers that move one vertex at a time get its tetrahedra in full batches, too: those of
// several vertices are gathered together. A corner's diagonal block is V g^T (dP/dF) g with the
// projected tangent, so it is positive semi-definite.
//
// A point may be given more than its law: energy (factor psi + 1/2 B : (F^T F - 1)) with a factor
// and a symmetric B that stay constant in a step, whose meaning is somebody else's
// (viscoelastic.h). The projected tangent is that of the sum, eigenvalues below zero raised to
// zero.
//
// Degenerate and inverted tetrahedra are fine as far as the law allows; only the rest shape must
// have positive volume.
#ifndef PLI_FEM_ELASTIC_H
#define PLI_FEM_ELASTIC_H

#include "fem/elastic_patch.h"
#include "fem/elements.h"
#include "geometry/mesh/incidence.h"
#include "material/material.h"
#include "pliant/extend.h"

enum { PLI_ELASTIC_PARAMS = PLI_MATERIAL_PARAMS };

// of J that an iteration leaves where elements are kept from inverting
#define PLI_ELASTIC_KEPT 0.1

// What the term is made from; everything is copied.
typedef struct pli_elastic_def {
    int32_t vertex_count;
    int32_t tet_count;
    const double *rest;  // [vertex_count][3] (m)
    const int32_t *tets; // [tet_count][4], positive volume at rest
    int32_t law_count;
    const pli_material_ops *const *laws;
    const int32_t *law_of_tet;   // [tet_count]
    const double *params;        // [tet_count][PLI_ELASTIC_PARAMS], as the law derived them
    const double *weights;       // [tet_count] m^3 that a tetrahedron stands for; NULL: its volume
    bool yields;                 // shapes at rest change, see plastic.h
    bool relaxes;                // laws have factors and stress added, see viscoelastic.h
    const int32_t *mid_nodes;    // [tet_count][6] of edges 01, 12, 02, 03, 13, 23; NULL: linear
    const int32_t *class_of_tet; // [tet_count] what patches do not cross; NULL: no patches
    double stabilisation;        // share of the volume that patches leave to their tetrahedra
    const int32_t *numbers;      // [tet_count] that the caller knows them by; NULL: the def's order
} pli_elastic_def;

// consecutive tetrahedra with one law
typedef struct pli_elastic_group {
    const pli_material_ops *law;
    int32_t begin;
    int32_t end;
    double *params; // [law->param_count][points][end - begin]
} pli_elastic_group;

typedef struct pli_elastic {
    pli_elements
        elements; // the first; an element is a tetrahedron, in processing order, or a patch
    int32_t tet_count;
    int32_t nodes;  // of an element, 4 or 10
    int32_t points; // material points of an element, 1 or 4

    // constant but for what yields, in processing order
    int32_t *tets;     // [tet_count][nodes]
    int32_t *origin;   // [tet_count] number that the caller knows it by
    double *gradients; // [points][3 (nodes - 1)][tet_count] plane 3 a + j: d N_(a+1) / d X_j; N_0
                       // is minus their sum
    double *volume;    // [points][tet_count] (m^3)
    double *rest_gradients; // gradients and volume of what has never yielded; NULL: nothing yields
    double *rest_volume;
    double *factor;       // [points][tet_count] that multiplies the law; NULL: 1, nothing is added
    double *added_stress; // [points][6][tet_count] B (Pa): 00, 11, 22, 12, 02, 01
    int32_t group_count;
    pli_elastic_group *groups;
    pli_patches *patches; // NULL: no locking-free elements

    // set by bind_vertices
    pli_incidence incidence; // tetrahedra of vertices, in processing order
} pli_elastic;

extern const pli_term_ops pli_elastic_term;
extern const pli_term_ops pli_elastic_upright_term; // keeps J above zero at all material points
extern const pli_term_ops pli_elastic_patched_term; // of elements with patches, which it keeps, too

pli_status pli_elastic_create(pli_context *context, const pli_elastic_def *def,
                              pli_elastic **elastic);
void pli_elastic_destroy(pli_elastic *elastic);

// Gives tetrahedra other parameters of their laws: change is asked for each, by its number, and
// says whether it has filled params [PLI_ELASTIC_PARAMS].
void pli_elastic_change_params(pli_elastic *elastic,
                               bool (*change)(void *user, int32_t tet, double *params), void *user);

// A material point by itself.
typedef struct pli_elastic_point {
    int32_t tet;   // number of its element
    int32_t point; // of the element
    double share;  // of the volume of the element that it stands for
    double volume; // m^3
    double F[9]; // as its law sees it: of patches (Jbar/J)^(1/3) F, of what yields the elastic part
    double psi;  // what was asked for (J/m^3)
    double P[9]; // (Pa)
    double T[81]; // dP/dF, not projected (Pa)
} pli_elastic_point;

// What is asked of points, as their law has it alone, or with factor and added stress.
typedef enum pli_elastic_want {
    PLI_ELASTIC_ENERGY = 1,
    PLI_ELASTIC_STRESS = 2,
    PLI_ELASTIC_TANGENT = 4,
    PLI_ELASTIC_WHOLE = 8
} pli_elastic_want;

typedef void (*pli_elastic_visit_fn)(void *user, const pli_elastic_point *point);

// Calls visit for the points of elements begin to end of the processing order, at x or, x being
// NULL, at rest.
void pli_elastic_visit(const pli_elastic *elastic, const double *x, pli_elastic_want want,
                       int64_t begin, int64_t end, pli_elastic_visit_fn visit, void *user);

// F of a material point of the element that is number tet in processing order.
void pli_elastic_deformation(const pli_elastic *elastic, const double *x, int64_t tet,
                             int32_t point, double F[9]);

// Jbar and J of all patches at x, which pli_elastic.patches then has.
void pli_elastic_update_patches(const pli_elastic *elastic, const double *x);

// Determinants of F by the numbers of elements, for reports, the smallest of the material points.
void pli_elastic_measure(const pli_elastic *elastic, const double *x, double *J);

#endif
