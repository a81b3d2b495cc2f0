// SPDX-License-Identifier: Apache-2.0
//
// The shortest vector that satisfies a few linear inequalities in three dimensions:
//     min |s|^2  with  a_i . s + b_i >= 0   (= 0 for those marked so).
//
// At most three of them bind, s = sum_i y_i a_i over the binding ones with y_i >= 0, and the
// problem is strictly convex: the first subset of up to three that fulfils these conditions is the
// answer. Trying the few subsets in a fixed order is exact, deterministic and has no case that
// cycles.
//
// It serves three times: as the step of a point out of several constraints that it violates (a the
// gradients, b the values), for the forces of touched constraints (a the normals, b_i = -n_i . g: y
// are the multipliers, and s - g is the steepest descent that the constraints admit), and as the
// impulse that takes the inward velocity (b_i = n_i . v).
#ifndef PLI_CONTACT_HALFSPACES_H
#define PLI_CONTACT_HALFSPACES_H

#include <stdbool.h>
#include <stdint.h>

enum { PLI_HALFSPACES = 8 };

typedef struct pli_halfspaces {
    int32_t count;       // at most PLI_HALFSPACES
    int32_t equal_count; // the first so many hold with equality; at most 3, independent
    double a[PLI_HALFSPACES][3];
    double b[PLI_HALFSPACES];
} pli_halfspaces;

typedef struct pli_nearest {
    int32_t count;     // binding ones
    int32_t index[3];  // increasing
    double y[3];       // multipliers
    double inverse[9]; // of the matrix a_i . a_j of the binding ones, identity beyond count
    double step[3];    // s
} pli_nearest;

// False when nothing satisfies all of them to within tolerance (in units of b).
bool pli_halfspaces_solve(const pli_halfspaces *h, double tolerance, pli_nearest *nearest);

// Whether a_i with these indices are linearly independent, by a margin; fills the inverse.
bool pli_halfspaces_invert(const pli_halfspaces *h, int32_t count, const int32_t *index,
                           double inverse[9]);

#endif
