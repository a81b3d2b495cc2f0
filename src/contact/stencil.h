// SPDX-License-Identifier: Apache-2.0
//
// Stencils of contact as the functions of pliant/contact.h see them: a distance that can be
// differentiated (geometry/collision/distance.h), whatever the kind.
//
// With phi(s) = b(sqrt(s)) of the squared distance s,
//     phi' = b' / (2 d),   phi'' = (b'' - b' / d) / (4 d^2),
// the Hessian of an energy of one distance lives in at most five dimensions and is projected there.
// That of a mollified pair of edges, the product of two functions, is projected in the nine
// dimensions that are left when translations are taken out.
//
// A point over a half-space has one weight, 1, and slides in both directions of the plane without a
// point that moves: its distance has point_count 1, and its Hessian is composed here.
#ifndef PLI_CONTACT_STENCIL_H
#define PLI_CONTACT_STENCIL_H

#include "contact/barrier.h"
#include "geometry/collision/distance.h"

// Distance of the closest features; returns the feature (see pli_contact_gap).
int32_t pli_contact_separate(const pli_contact_stencil *stencil, const double *x,
                             pli_distance *distance);

// m of a stencil and, when they are not NULL, its derivatives; false when it is 1 all around.
bool pli_contact_mollify(const pli_contact_stencil *stencil, const double *x, double *value,
                         double *gradient, double *hessian);

// The points of a stencil out of positions [vertex_count][3].
static inline void pli_contact_gather(const pli_contact_stencil *stencil, const double *positions,
                                      double x[PLI_CONTACT_DOFS])
{
    int32_t count = pli_contact_point_count(stencil->kind);
    for (int32_t i = 0; i < count; ++i) {
        pli_vec3_copy(positions + 3 * (int64_t)stencil->vertices[i], x + 3 * i);
    }
}

#endif
