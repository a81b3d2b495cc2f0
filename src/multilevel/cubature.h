// SPDX-License-Identifier: Apache-2.0
//
// Cubature by moment fitting (Trusty et al. 2025, section 3.8): a few elements with weights that
// integrate what a coarse space can make as well as all of them.
//
// For every cluster of a partition, and in it for every kind of matter, elements k and weights
// w_k >= 0 are sought with
//
//     sum_k w_k f(x_k) = sum over all elements of |e| f(x_e)       (equations 17 and 19)
//
// for all f of a family, x_e the barycentre, where a basis function is the mean of its corners'
// values. Modal: products of up to `degree` of the bases that are not zero in the cluster, with 1.
// Polynomial: monomials of the coordinates up to `degree`, for comparison; coordinates
// are taken from the middle of the cluster and run from -1 to 1 along its longest side. Where bases
// are constant one element is enough, where they vary more are taken.
//
// Weights by non-negative least squares (nnls.h) over a sample of the elements, which grows by
// draws that favour what would change the residual most (algorithm 3), until the relative residual
// |A w - b| / |b| of all moments is under the tolerance. All elements with their volumes as weights
// always solve it; they are taken where no fit is good enough, where as many moments as elements
// are independent, and where there are more than four times as many products as elements, which
// bases that reach over the whole mesh can make.
//
// Products of functions that sum to one depend on each other. The fit is therefore not to the
// moments themselves but to those of an orthonormal basis of the products (moments.h): first
// functions that 1 and the others make up are left out, then products. What is left of them may
// differ from zero at any element by so little that, with weights of the right sum, all moments
// together miss a quarter of the tolerance. The residual that decides is that of the original
// moments all the same. A fit has no more elements than this basis has functions, and is well
// conditioned.
//
// The time of a fit grows with the cube of its elements, so that large clusters may be cut across
// their longest extent first; moments of the pieces add up to those of the cluster.
//
// Draws depend on the seed, on the cluster's number and on nothing else. Clusters are independent
// of each other: parallel, same bits for any number of threads.
#ifndef PLI_MULTILEVEL_CUBATURE_H
#define PLI_MULTILEVEL_CUBATURE_H

#include "multilevel/bases.h"

typedef enum pli_cubature_kind { PLI_CUBATURE_MODAL, PLI_CUBATURE_POLYNOMIAL } pli_cubature_kind;

typedef struct pli_cubature_def {
    pli_cubature_kind kind;
    pli_simplices mesh;
    const int32_t *material_of; // [element_count]; NULL: all the same
    const pli_partition *partition;
    const pli_bases *bases; // of the modal kind; else not looked at
    bool affine;      // modal: functions are those of affine handles, phi and phi times coordinates
    int32_t degree;   // 1 or 2; polynomial: 0 to 4
    double tolerance; // relative residual, over 0 and under 1
    int32_t initial;  // elements drawn at first in a cluster; 0: as many as independent moments
    int32_t increment;  // further ones in a round; 0: half of it
    int32_t group_size; // elements that are fitted together, at most; 0: a cluster, however large
    double share;       // of them that a fit may need at most; otherwise all are taken
    uint64_t seed;
    // by the calling thread; a failure stops; NULL: nobody
    pli_status (*progress)(void *user, double fraction);
    void *user;
} pli_cubature_def;

typedef struct pli_cubature {
    pli_context *context;
    int32_t count;
    int32_t *elements; // [count]  increasing
    double *weights;   // [count]  > 0, m^3 or m^2
    double residual;   // largest of a cluster, relative, of all moments
    int32_t rounds;    // fits, the most of a cluster; 0: all elements were taken without one
} pli_cubature;

// Modal, of degree 2, with the tolerance of the paper, 1e-9.
pli_cubature_def pli_cubature_def_default(void);

// Errors: argument (numbers out of range; a partition or bases of another mesh; weights that are
// not finite), mesh (an element without volume or area), memory.
PLI_CHECKED pli_status pli_cubature_create(pli_context *context, const pli_cubature_def *def,
                                           pli_cubature **cubature);
void pli_cubature_destroy(pli_cubature *cubature);

#endif
