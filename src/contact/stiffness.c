// SPDX-License-Identifier: Apache-2.0
#include "contact/stiffness.h"

#include "linear/vector.h"
#include "pliant/contact.h"

#include <math.h>

static const double reference_gap = 1e-8; // of the diagonal, where the floor is measured
static const double inertia_ratio = 1e11; // stiffness of the barrier there over that of inertia
static const double highest_ratio = 100;  // of the highest stiffness to the floor
static const double tiny_gap = 1e-9;      // of the diagonal, below which gaps are watched

double pli_stiffness_min(const pli_stiffness_def *def)
{
    double second;
    double gap = fmin(reference_gap * def->diagonal, 0.5 * def->dhat);
    (void)pli_barrier(gap, def->dhat, NULL, &second);
    return inertia_ratio * def->mean_mass / (def->step * def->step * second);
}

double pli_stiffness_max(const pli_stiffness_def *def)
{
    return highest_ratio * pli_stiffness_min(def);
}

double pli_stiffness_balance(const pli_context *context, const pli_stiffness_def *def,
                             int64_t count, const double *energy_gradient,
                             const double *contact_gradient)
{
    double square = pli_vector_dot(context, count, contact_gradient, contact_gradient);
    double along = pli_vector_dot(context, count, contact_gradient, energy_gradient);
    double balanced = square > 0 ? -along / square : 0;
    // a balance that is not a number counts as none
    return fmin(fmax(balanced, pli_stiffness_min(def)), pli_stiffness_max(def));
}

double pli_stiffness_grow(const pli_stiffness_def *def, double stiffness, int64_t count,
                          const double *previous_gaps, const double *gaps)
{
    double tiny = tiny_gap * def->diagonal;
    for (int64_t k = 0; k < count; ++k) {
        if (previous_gaps[k] < tiny && gaps[k] < previous_gaps[k]) {
            // a stiffness above the limit came from elsewhere and is left alone
            return fmax(stiffness, fmin(2 * stiffness, pli_stiffness_max(def)));
        }
    }
    return stiffness;
}
