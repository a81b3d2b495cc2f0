// SPDX-License-Identifier: Apache-2.0
#include "contact/stiffness.h"

#include "contact/barrier.h"
#include "linear/matrix/vector.h"

#include <math.h>

static const double reference_distance = 1e-3; // of the diagonal: a usual dhat
static const double inertia_ratio = 10;        // the floor there over the stiffness of inertia
static const double highest_ratio = 100;       // of the highest stiffness to the floor
static const double tiny_gap = 1e-9;           // of the diagonal, below which gaps are watched

double pli_stiffness_min(const pli_stiffness_def *def)
{
    double inertia = def->mean_mass / (def->step * def->step);
    return inertia_ratio * inertia * (reference_distance * def->diagonal / def->dhat);
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

double pli_stiffness_settle(const pli_stiffness_def *def, double stiffness, double balanced,
                            double push)
{
    if (!(stiffness > 0)) return balanced;
    // a balance that has hardly moved is no reason to change: every change does work
    bool stays = balanced <= 2 * stiffness && stiffness <= 2 * balanced;
    double settled = stays ? stiffness : fmax(balanced, 0.5 * stiffness);
    // what carries load shall stand at half the distance, not squeezed into a corner of it
    double first;
    (void)pli_barrier(0.5 * def->dhat, def->dhat, &first, NULL);
    double loaded = stiffness * push / -first;
    if (loaded > 2 * stiffness) settled = fmax(settled, fmin(loaded, 4 * stiffness));
    if (loaded > 0.5 * stiffness) settled = fmax(settled, stiffness);
    return settled;
}
