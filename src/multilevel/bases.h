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
// Material-aware. The subdomain of a handle is its cluster and the clusters that share a
// face with it. There K u = 0 with u = 1 at the handle's centre, 0 at the neighbours' centres and 0
// at vertices with elements outside the subdomain; elsewhere its boundary is free. Negative values
// are clipped and the rest is scaled to sum one (equation 9). At a centre its own handle is alone.
//
//     K = L M^-1 L,    L_ij = sum E |e| grad_i . grad_j,    M_i = sum E |e| / corners
//
// Both L and M are weighted by the stiffness E of elements, over the softest of the subdomain,
// which the paper leaves open. In the limit of a stiff part u is constant there, with the mass
// weighted or not; but with a plain mass K has the square of the contrast, and constants, which K
// annihilates, come out of a solve with errors of 6e-8 at a contrast of 1e6 and 4e-2 at 1e12. With
// the weighted mass they stay at 1e-12 whatever the contrast. This is checked in every solve, with
// a right-hand side that costs nothing; when it fails by more than 1e-6 (bad elements), stiffness
// counts up to a smaller contrast.
//
// Dirichlet-aware. Fixed vertices are zeros of all u and have one more function of their own, on
// the clusters with fixed vertices and those that share faces with them: 1 at the fixed vertices, 0
// at all centres and towards the rest of the mesh. It takes part in the sum (equation 11), so that
// the phi of a vertex sum to less than one where it is felt. A handle whose centre is fixed stands
// at the nearest free vertex of its cluster; without one it has no weights at all.
//
// A vertex that no function reaches follows its own cluster alone, which the paper cannot promise.
// This happens where clusters meet that share no face, such as four blocks along an edge: some
// percent of the vertices of a partition into blocks, hardly any of one that looks like Voronoi
// cells. A vertex without elements has no weights.
//
// Rivals (K18). Radial: the C2 function of Wendland 1995 around the centres, of twice their mean
// distance from each other, scaled to sum one; it knows no gaps. Eigenmodes: the lowest of L u =
// lambda M u over the whole mesh, L weighted and M not, one per cluster, scaled to a largest value
// of 1, all about the centroid of the mesh. Biharmonic coordinates (after Wang et al. 2015): K u =
// 0 over the whole mesh, unweighted, 1 at the own centre and 0 at all others, neither clipped nor
// scaled nor thinned out. The last two have weights everywhere: rows are dense.
//
// Clusters have to be connected through faces and their centres to be vertices of their own
// elements. Handles are computed in parallel, same bits for any number of threads; progress is
// called by the calling thread. Needs the sparse Cholesky, radial functions apart.
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
    double drop; // material and radial: values below it are left out before scaling, such as 1e-6
    pli_status (*progress)(void *user, double fraction); // a failure stops; NULL: nobody
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
    double
        *size; // [handle_count]  largest distance of a vertex with weight from the centre (m), or 1
    int32_t orphan_count; // vertices that no function reached
} pli_bases;

// Errors: argument, mesh (an element without volume or area), unsupported (a build without
// CHOLMOD), numeric (a function can't be computed to working precision), memory.
PLI_CHECKED pli_status pli_bases_create(pli_context *context, const pli_bases_def *def,
                                        pli_bases **bases);
void pli_bases_destroy(pli_bases *bases);

// One handle per body, weight one, at the body's centre of mass: the coarsest level (Trusty et al.
// 2025). Vertices of no body, such as fixed ones, have no weights. Errors: argument, memory.
typedef struct pli_affine_def {
    int32_t vertex_count;
    const double *points; // [vertex_count][3] (m)
    const double *masses; // [vertex_count] (kg), > 0
    int32_t body_count;
    const int32_t *body_of; // [vertex_count]  -1: none
} pli_affine_def;
PLI_CHECKED pli_status pli_bases_create_affine(pli_context *context, const pli_affine_def *def,
                                               pli_bases **bases);

#endif
