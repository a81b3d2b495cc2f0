// SPDX-License-Identifier: Apache-2.0
//
// What numbers resolve: the one place for constants that minimisers, line searches and initial
// guesses compare with rounding.
//
// E is a compensated sum of very many parts, so that its rounding is that of its parts, which
// differ by size and sign. `noise` is rounding besides that of E's own size: energies near rest are
// differences of larger numbers (J).
#ifndef PLI_OPTIMIZE_ROUNDING_H
#define PLI_OPTIMIZE_ROUNDING_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

// Changes of E along a line that mean nothing.
static inline double pli_rounding_of_energy(double energy, double noise)
{
    return 1e-14 * fabs(energy) + noise;
}

// The same for points that no line joins, where all parts round independently.
static inline double pli_rounding_of_distant_energy(double energy, double noise)
{
    return 1e-13 * fabs(energy) + noise;
}

// Whether the decrease that a slope promises cannot be seen in E. Searches give up after having
// halved a step some times, and a hundredth of what was promised has to be seen by then.
static inline bool pli_rounding_hides_slope(double slope, double energy, double noise)
{
    return fabs(slope) <= 1e-12 * fabs(energy) + noise;
}

// Changes of the energy of a few dozen elements that mean nothing.
static inline double pli_rounding_of_local_energy(double energy)
{
    return 16 * DBL_EPSILON * fabs(energy);
}

// A pivot below this share of its diagonal entry, of a 3x3 block, is zero.
static const double pli_rounding_of_pivot = 8 * DBL_EPSILON;

// What a coordinate may change by without having moved, for coordinates of this size (m).
static inline double pli_rounding_of_coordinate(double largest)
{
    return 2 * DBL_EPSILON * largest;
}

#endif
