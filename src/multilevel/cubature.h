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
// values. Modal: products of up to `degree` of the bases that are not zero in the cluster, with 1
// (K14). Polynomial: monomials of the coordinates up to `degree` (K16), for comparison. Where bases
// are constant one element is enough, where they vary more are taken.
//
// Weights by non-negative least squares (nnls.h) over a sample of the elements, which grows by
// draws that favour what would reduce the residual most (algorithm 3), until the relative residual
// is under the tolerance or all elements are in: then the volumes themselves solve it.
//
// Moments are scaled to comparable size and made independent before the fit, because products of
// basis functions that sum to one are not.
//
// Clusters are independent of each other: parallel, same bits for any number of threads.
#ifndef PLI_MULTILEVEL_CUBATURE_H
#define PLI_MULTILEVEL_CUBATURE_H

#include "multilevel/bases.h"

typedef enum pli_cubature_kind { PLI_CUBATURE_MODAL, PLI_CUBATURE_POLYNOMIAL } pli_cubature_kind;

typedef struct pli_cubature_def {
    pli_cubature_kind kind;
    pli_simplices mesh;
    const int32_t *material_of; // [element_count]; NULL: all the same
    const pli_partition *partition;
    const pli_bases *bases;
    int32_t degree;    // 1 or 2; polynomial: 0 to 4
    double tolerance;  // relative residual
    int32_t initial;   // elements drawn at first in a cluster; 0: as many as there are moments
    int32_t increment; // further ones in a round; 0: half of it
    uint64_t seed;
    void (*progress)(void *user, double fraction); // NULL: nobody
    void *user;
} pli_cubature_def;

typedef struct pli_cubature {
    pli_context *context;
    int32_t count;
    int32_t *elements; // [count]  increasing
    double *weights;   // [count]  > 0, m^3 or m^2
    double residual;   // largest of a cluster, relative
    int32_t rounds;    // largest of a cluster
} pli_cubature;

pli_cubature_def pli_cubature_def_default(void);

// Errors: argument, mesh, memory.
PLI_CHECKED pli_status pli_cubature_create(pli_context *context, const pli_cubature_def *def,
                                           pli_cubature **cubature);
void pli_cubature_destroy(pli_cubature *cubature);

#endif
