// SPDX-License-Identifier: Apache-2.0
//
// Eight material points at a time in single precision, for explicit particles: what a law and a
// yield rule bring along, and what they share.
//
// Two ways lead from F to the stress. The near one needs no decomposition: it uses the invariants
// of F and functions of b = F F^T (math/symmetric_simd.h), which covers whatever is not far from
// rest. It says which lanes it has settled; the others go the far way, by singular values. A lane's
// way depends on that lane alone. tau and F are good to 1e-6 of the stiffness near rest.
//
// Every law has a quantity q, symmetric and in the frame of tau, that is the stress but for its
// modulus and a pressure, dev tau = 2 mu dev q: yielding by shear is a limit of its deviator.
#ifndef PLI_MATERIAL_LANES_H
#define PLI_MATERIAL_LANES_H

#include "material/material.h"
#include "material/yield.h"

#include "math/simd_exp.h"
#include "math/simd_log.h"
#include "math/symmetric_simd.h"

#include <math.h>

// Its cube is the least det F of a logarithm and of a speed.
#define PLI_LEAST_VOLUME 1e-12

// A fluid is not pressed further than this.
#define PLI_LEAST_FLUID 1e-2
#define PLI_LEAST_FLUID_LOG (-4.605170185988091)

// A strain of shear that is over its limit by less than this, and a singular value by less than
// twice as much, are taken for rounding of F: a state that has been put onto the limit stays there,
// and its history rests.
#define PLI_YIELD_ROUNDING 1e-6f

// The larger of both; not-a-number stays one.
PLI_INLINE pli_f8 pli_at_least_f8(double least, pli_f8 x)
{
    return pli_f8_max(pli_f8_broadcast((float)least), x);
}

// Eight points on their way.
typedef struct pli_lanes {
    pli_f8 *F;       // [9]
    pli_f8 *history; // [1]
    pli_f8 *tau;     // [6] without viscosity and hardening (Pa)
    pli_f8 J;        // det F
    pli_f8 trace;    // log J; set by laws with a logarithm
} pli_lanes;

// The same in the frame of their singular vectors.
typedef struct pli_principal_lanes {
    pli_f8 s[3];   // singular values
    pli_f8 tau[3]; // Kirchhoff stress (Pa)
    pli_f8 J;
    pli_f8 trace; // log J
    pli_f8 history;
    pli_f8_mask moved; // where s is another one than that of F
} pli_principal_lanes;

// Kernels of a law. Of a fluid, the first one alone.
typedef struct pli_law_lanes {
    // tau is linear in log s: 2 mu log s + lambda tr(log s)
    bool logarithmic;

    // A whole step, see pli_material_advance_f8.
    void (*advance)(const pli_material *material, float dt, const pli_f8 C[9], pli_f8 F[9],
                    pli_f8 *history, pli_f8 tau[6], pli_f8 *speed2);

    // tau, J and trace of singular values.
    void (*far)(const pli_material *material, pli_principal_lanes *p);

    // q of singular values.
    void (*shear)(const pli_f8 s[3], pli_f8 q[3]);

    // Optional: moves s, keeping its product, to where dev q is `keep` times what it was, and the
    // same for one point, false where there is none; NULL: along the deviator of log s.
    void (*relax)(pli_f8 keep, pli_f8 s[3]);
    bool (*relax_point)(double keep, double s[3]);
} pli_law_lanes;

// Yielding by shear moves a strain with the trace t and a deviator of the norm n to one with the
// deviator multiplied by keep and another trace.
typedef struct pli_flow {
    pli_f8 keep;
    pli_f8 trace;
    pli_f8_mask moved; // where anything changed
} pli_flow;

// Kernels of a yield rule.
typedef struct pli_yield_lanes {
    // only for laws whose stress is linear in logarithms
    bool logarithmic;

    // Lanes that certainly stay as they are, on the near way; b = F F^T.
    pli_f8_mask (*holds)(const pli_material *material, const pli_f8 b[6], pli_f8 J,
                         const pli_f8 q[6], pli_f8 history);

    // Optional: the return map in logarithmic strain with deviator norm n and trace t, on the near
    // way of laws that are linear in it, instead of holds.
    void (*flow)(const pli_material *material, pli_f8 n, pli_f8 t, pli_f8 *history, pli_flow *flow);

    // The return map on the far way: s, history and moved.
    void (*restore)(const pli_material *material, pli_principal_lanes *p);

    // What multiplies the stress; NULL: 1.
    pli_f8 (*stiffness)(const pli_material *material, pli_f8 history);
} pli_yield_lanes;

PLI_INLINE pli_f8 pli_product_f8(const pli_f8 x[3])
{
    return x[0] * x[1] * x[2];
}

PLI_INLINE pli_f8 pli_mean_f8(const pli_f8 x[3])
{
    return (x[0] + x[1] + x[2]) * (1.0f / 3);
}

// x less its mean, as the norm and in place
PLI_INLINE pli_f8 pli_deviate_f8(pli_f8 x[3])
{
    pli_f8 middle = pli_mean_f8(x);
    for (int k = 0; k < 3; ++k) x[k] -= middle;
    return pli_f8_sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

PLI_INLINE void pli_logarithms_f8(const pli_f8 s[3], pli_f8 L[3])
{
    for (int k = 0; k < 3; ++k) L[k] = pli_f8_log(pli_at_least_f8(PLI_LEAST_STRETCH, s[k]));
}

// A plain step (material.h) of points that are kept in single precision: what is beyond what a rule
// admits by no more than margin, in strain, stays.
void pli_material_advance_within(const pli_material *material, double margin, int32_t n, double dt,
                                 const double *C, double *F, double *history, double *tau,
                                 double *speed2);

// Lanes that a rule, or none, leaves as they are.
PLI_INLINE pli_f8_mask pli_lanes_hold(const pli_material *material, const pli_f8 b[6], pli_f8 J,
                                      const pli_f8 q[6], pli_f8 history)
{
    if (material->yield == NULL) return ~(pli_f8_mask){0};
    return material->yield->lanes->holds(material, b, J, q, history);
}

// Back along the deviator of log s, which keeps J and ends at a sphere, to where dev q of the law
// has the norm.
void pli_lanes_return(const pli_law_lanes *law, pli_f8 norm, pli_f8 s[3]);

// Sets the lanes that are not settled from singular values.
void pli_lanes_go_far(const pli_material *material, pli_f8_mask settled, pli_lanes *lanes);

// ---- a whole step of a solid, which is inlined into one function of its law

// The near way for an F that was deformed already, given b = F F^T: tau and J, yielding included;
// returns the lanes that it has settled.
typedef pli_f8_mask (*pli_near_fn)(const pli_material *material, const pli_f8 b[6],
                                   pli_lanes *lanes);

// rho_0 dp/drho of a cube (Pa).
typedef pli_f8 (*pli_slope_fn)(const pli_material *material, pli_f8 J, pli_f8 trace);

// F <- (1 + dt C) F, and b = F F^T of the new one
PLI_INLINE void pli_lanes_deform(float dt, const pli_f8 C[9], pli_f8 F[9], pli_f8 b[6])
{
    pli_f8 out[9];
    for (int i = 0; i < 9; i += 3) {
        pli_f8 x = dt * C[i];
        pli_f8 y = dt * C[i + 1];
        pli_f8 z = dt * C[i + 2];
        for (int j = 0; j < 3; ++j) {
            out[i + j] = F[i + j] + (x * F[j] + y * F[3 + j] + z * F[6 + j]);
        }
    }
    for (int k = 0; k < 9; ++k) F[k] = out[k];
    pli_symmetric_gram_f8(out, b);
}

// tau += 2 viscosity J dev((C + C^T) / 2)
PLI_INLINE void pli_lanes_add_viscosity(const pli_material *material, const pli_f8 C[9], pli_f8 J,
                                        pli_f8 tau[6])
{
    if (material->viscosity == 0) return;
    pli_f8 eta = (float)material->viscosity * J;
    pli_f8 rate[6] = {C[0] + C[0], C[4] + C[4], C[8] + C[8], C[5] + C[7], C[2] + C[6], C[1] + C[3]};
    (void)pli_symmetric_deviate_f8(rate);
    for (int k = 0; k < 6; ++k) tau[k] += eta * rate[k];
}

// With rho_0 c^2 = (4/3) mu J + slope, the second part never below zero; J is never zero, and
// inverted matter as dense as its mirror image.
PLI_INLINE void pli_lanes_move(const pli_material *material, float dt, const pli_f8 C[9],
                               pli_near_fn near, pli_slope_fn slope, pli_lanes *lanes,
                               pli_f8 *speed2)
{
    pli_f8 b[6];
    pli_lanes_deform(dt, C, lanes->F, b);
    pli_f8_mask settled = near(material, b, lanes);
    if (!pli_f8_all(settled)) pli_lanes_go_far(material, settled, lanes);

    pli_f8 J = pli_at_least_f8(PLI_LEAST_VOLUME, pli_f8_abs(lanes->J));
    pli_f8 growth = slope(material, J, lanes->trace);
    const float inverse = (float)(1 / material->density);
    *speed2 = inverse * ((float)(4 * material->mu / 3) * J + pli_at_least_f8(0, growth));
    if (material->yield != NULL && material->yield->lanes->stiffness != NULL) {
        pli_f8 factor = material->yield->lanes->stiffness(material, *lanes->history);
        for (int k = 0; k < 6; ++k) lanes->tau[k] *= factor;
        *speed2 *= factor;
    }
    pli_lanes_add_viscosity(material, C, lanes->J, lanes->tau);
}

#endif
