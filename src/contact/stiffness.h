// SPDX-License-Identifier: Apache-2.0
//
// How stiff the barrier is: chosen from the scene, and raised when gaps stay tiny.
//
// The stiffness k (N/m) does not change what contact means, it shifts where in (0, dhat) bodies
// come to rest, and so how well conditioned the systems are. After the supplement of Li et al.
// 2020, section 2, in the units of pliant/contact.h (energies in J, distances not squared):
//
// 1. Floor. With the mean lumped mass m of the surface, inertia has the stiffness m/h^2. With the
//    usual dhat, 1e-3 of the scene's diagonal l, the barrier shall have ten times that (1e11 times
//    at a gap of 1e-8 l, as the paper puts it), and for any other push as hard at the same
//    fraction of it:
//        k_min = 10 (m / h^2) (1e-3 l / dhat)
//    The paper's k_min is the same for the usual dhat and grows like 1/dhat^2, to thousands of
//    times the stiffness of materials.
// 2. Balance. With the forces g_E of everything else and g_c of the barrier with k = 1, the k that
//    leaves least of both is
//        k_g = -g_c . g_E / |g_c|^2
// 3. k = k_g within [k_min, 100 k_min] when a step begins.
//    After the first step with contact a stiffness is changed no more than by a half downwards, and
//    not at all within a factor of two.
// 4. Load. Beyond the paper, whose balance is blind to it: once gaps are tiny, forces balance with
//    any stiffness, and systems become ill-conditioned. With F the mean of the contacts' forces,
//    weighted by force, the k at which F stands at half of dhat is F / (-b'(dhat / 2)). While that
//    is more than twice the present k, k grows by up to four times a step, without an upper limit.
// 5. Doubling, up to 100 k_min, after an iteration in which a gap was below 1e-9 l, still is, and
//    has shrunk.
//
// Plain functions; sums have the same bits for any number of threads.
#ifndef PLI_CONTACT_STIFFNESS_H
#define PLI_CONTACT_STIFFNESS_H

#include "base/context.h"

typedef struct pli_stiffness_def {
    double mean_mass; // of the vertices that can touch (kg), positive
    double step;      // h (s), positive; for BDF2 what plays its part, 2h/3
    double dhat;      // m, positive
    double diagonal;  // l, of the box around the scene (m), positive
} pli_stiffness_def;

// k_min and 100 k_min (N/m)
double pli_stiffness_min(const pli_stiffness_def *def);
double pli_stiffness_max(const pli_stiffness_def *def);

// The stiffness (N/m) to begin a step with. energy_gradient [count] (N) without barrier and
// friction, contact_gradient [count] (m) of the barrier with k = 1, both 0 at unknowns that are
// held. Without contact it is k_min.
double pli_stiffness_balance(const pli_context *context, const pli_stiffness_def *def,
                             int64_t count, const double *energy_gradient,
                             const double *contact_gradient);

// The stiffness to begin a step with, from that of the step before (0: there was none), the balance
// and the push, which is the mean of -b' over all contacts weighted by itself (m); rules 3 and 4.
double pli_stiffness_settle(const pli_stiffness_def *def, double stiffness, double balanced,
                            double push);

// The stiffness to go on with. gaps [count] (m) of the same stencils after the iteration before
// and now; count 1 with the smallest ones is the cheap form.
double pli_stiffness_grow(const pli_stiffness_def *def, double stiffness, int64_t count,
                          const double *previous_gaps, const double *gaps);

#endif
