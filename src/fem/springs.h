// SPDX-License-Identifier: Apache-2.0
//
// Springs between vertices (M7), E(x) = sum_s k_s/2 (|x_j - x_i| - l_s)^2, as a term: the matter of
// mass-spring cloth. The element itself is material/spring.h.
//
// For projective dynamics the matrix is S = sum_s k_s (e_i - e_j)(e_i - e_j)^T; the Hessian of a
// spring is never more than that, so that S (x) I bounds it everywhere (Liu et al. 2013).
//
// Same bits for any number of threads; no heap after creation and binding.
#ifndef PLI_FEM_SPRINGS_H
#define PLI_FEM_SPRINGS_H

#include "optimize/term.h"

typedef struct pli_spring_def { // everything is copied
    int32_t vertex_count;
    int32_t spring_count;
    const int32_t *ends;       // [spring_count][2]
    const double *stiffness;   // [spring_count] (N/m)
    const double *rest_length; // [spring_count] (m)
} pli_spring_def;

typedef struct pli_spring_net pli_spring_net;

extern const pli_term_ops pli_spring_term;

PLI_CHECKED pli_status pli_spring_net_create(pli_context *context, const pli_spring_def *def,
                                             pli_spring_net **net);
void pli_spring_net_destroy(pli_spring_net *net);

// Largest |x_j - x_i| / l over all springs; 1 when there are none.
double pli_spring_net_max_stretch(const pli_spring_net *net, const double *x);

int64_t pli_spring_net_memory_bytes(const pli_spring_net *net);

#endif
