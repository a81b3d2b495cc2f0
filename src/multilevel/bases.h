// SPDX-License-Identifier: Apache-2.0
//
// Weights of the handles of a coarse space over a mesh: the sparse, material-aware bases of Trusty
// et al. 2025 (section 3.5), and those they are compared with.
//
// A handle is an affine field about its centre, so a vertex at X moves by
//
//     u(X) = sum_i phi_i(X) A_i (1, X - c_i),     A_i  3 x 4 numbers        (equation 7)
//
// and what is computed here are the phi. All kinds but the eigenmodes are a partition of unity,
// which with affine handles reproduces affine fields.
//
// Material-aware (K5 to K8). The subdomain of a handle is its cluster and the clusters that share a
// face with it. There K u = 0, K = L M^-1 L with the Laplacian L weighted by the elements'
// stiffness, with u = 1 at the handle's centre, 0 at the neighbours' centres and 0 on the part of
// the subdomain's boundary that is inside the mesh; elsewhere the boundary is free. Negative values
// are clipped and the rest is scaled to sum one (equation 9). With Dirichlet-aware bases fixed
// vertices are zeros of all u and have one more function of their own, which is 1 there and 0 at
// the centres of the clusters around, and takes part in the sum (equation 11): the phi of a vertex
// then sum to less than one where it is felt. A vertex that no function reaches follows its own
// cluster alone, which the paper cannot promise.
//
// Rivals (K18): isotropic radial functions around the same centres; eigenmodes of the weighted
// Laplacian, global; biharmonic coordinates (after Wang et al. 2015): K u = 0 over the whole mesh,
// unweighted, 1 at the own centre and 0 at all others, neither clipped nor scaled.
//
// Handles are computed in parallel, same bits for any number of threads. Needs the sparse Cholesky.
#ifndef PLI_MULTILEVEL_BASES_H
#define PLI_MULTILEVEL_BASES_H

#include "multilevel/partition.h"

typedef enum pli_bases_kind {
    PLI_BASES_MATERIAL,
    PLI_BASES_RADIAL,
    PLI_BASES_EIGENMODES,
    PLI_BASES_BIHARMONIC
} pli_bases_kind;

typedef struct pli_bases_def {
    pli_bases_kind kind;
    pli_simplices mesh;
    const double *stiffness;        // [element_count] (Pa); NULL: all the same
    const pli_partition *partition; // of the same mesh
    const uint8_t *fixed;           // [vertex_count] not 0: held in all coordinates; NULL: none
    bool dirichlet_aware;           // of the material-aware kind; else fixed is not looked at
    double drop;                    // weights below this are left out before scaling, such as 1e-6
    void (*progress)(void *user, double fraction); // NULL: nobody
    void *user;
} pli_bases_def;

// Sparse rows, one for every vertex.
typedef struct pli_bases {
    pli_context *context;
    int32_t vertex_count;
    int32_t handle_count;
    int64_t *start;  // [vertex_count + 1]
    int32_t *handle; // [start[vertex_count]]  increasing in a row
    double *weight;  // [start[vertex_count]]  phi
    double *center;  // [handle_count][3]  c (m)
    double *size;    // [handle_count]  largest distance of a vertex with weight from the centre (m)
    int32_t orphan_count; // vertices that no function reached
} pli_bases;

// Errors: argument, mesh, unsupported (a build without CHOLMOD), numeric, memory.
PLI_CHECKED pli_status pli_bases_create(pli_context *context, const pli_bases_def *def,
                                        pli_bases **bases);
void pli_bases_destroy(pli_bases *bases);

// One handle per body, weight one, at the body's centre of mass; body_of [vertex_count], -1: none.
// The coarsest level (K1). Errors: argument, memory.
typedef struct pli_affine_def {
    int32_t vertex_count;
    const double *points; // [vertex_count][3] (m)
    const double *masses; // [vertex_count] (kg)
    int32_t body_count;
    const int32_t *body_of; // [vertex_count]
} pli_affine_def;
PLI_CHECKED pli_status pli_bases_create_affine(pli_context *context, const pli_affine_def *def,
                                               pli_bases **bases);

#endif
