// SPDX-License-Identifier: Apache-2.0
//
// What the parts of mpm/law.h share: eight particles on their way through a law, the flow of the
// laws that yield by shear, and the limits of matter that is nearly gone.
//
// Two ways lead from F to the stress. The short one (law_f8.c) needs no decomposition: it uses the
// invariants of F and functions of b = F F^T (math/symmetric_simd.h), which covers whatever is not
// far from rest. It says which lanes it has settled; the others go the long way (law_principal.c),
// by singular values, like the reference. A lane's way depends on that lane alone.
#ifndef PLI_MPM_LAW_INSIDE_H
#define PLI_MPM_LAW_INSIDE_H

#include "mpm/law.h"

#include "math/simd_exp.h"
#include "math/simd_log.h"

#include <math.h>

// Logarithms take singular values below this one, those of flat and inverted matter, for it.
#define PLI_MPM_LEAST_STRETCH 1e-4

// Its cube: the least det F of a logarithm and of a speed.
#define PLI_MPM_LEAST_VOLUME 1e-12

// A fluid is not pressed further than this.
#define PLI_MPM_LEAST_FLUID 1e-2
#define PLI_MPM_LEAST_FLUID_LOG (-4.605170185988091)

// A strain of shear that is over its limit by less than this, and a singular value by less than
// twice as much, are taken for rounding of F: a state that has been put onto the limit stays there,
// and its memory rests.
#define PLI_MPM_ROUNDING 1e-6f

// The larger of both; not-a-number stays one, which fmax would hide.
static inline double pli_mpm_at_least(double least, double x)
{
    return x < least ? least : x;
}

// The same for lanes.
PLI_INLINE pli_f8 pli_mpm_at_least_f8(double least, pli_f8 x)
{
    return pli_f8_max(pli_f8_broadcast((float)least), x);
}

// Eight particles on their way.
typedef struct pli_mpm_lanes {
    pli_f8 *F;      // [9]
    pli_f8 *memory; // [1]
    pli_f8 *tau;    // [6] without viscosity, and before the hardening of snow (Pa)
    pli_f8 J;       // det F
    pli_f8 trace;   // log J; set by laws with a logarithm
} pli_mpm_lanes;

// Sets the lanes that are not settled from singular values.
void pli_mpm_principal_f8(const pli_mpm_material *material, pli_f8_mask settled,
                          pli_mpm_lanes *lanes);

// Yielding by shear moves a strain with the trace t and a deviator of the norm n to one with the
// deviator multiplied by keep and another trace.
typedef struct pli_mpm_flow {
    pli_f8 keep;
    pli_f8 trace;
    pli_f8_mask moved; // where anything changed
} pli_mpm_flow;

// von Mises. In units of strain the limit is l = sqrt(2/3) (yield_stress + H a) / (2 mu), H the
// hardening and a the plastic strain so far. The return goes along the deviator to where it meets
// the limit that has grown on the way (Simo and Hughes 1998, box 3.1):
//
//   g = (n - l) / (1 + H / (3 mu)),   keep = 1 - g / n,   a <- a + sqrt(2/3) g
PLI_INLINE void pli_mpm_flow_von_mises(const pli_mpm_material *material, pli_f8 n, pli_f8 *memory,
                                       pli_mpm_flow *flow)
{
    const double root = 0.81649658092772603; // sqrt(2/3)
    const double stress = 0.5 * root / material->mu;
    const float limit = (float)(stress * material->yield_stress);
    const float growth = (float)(stress * material->strain_hardening);
    const float share = (float)(1 / (1 + material->strain_hardening / (3 * material->mu)));
    pli_f8 beyond = n - (limit + growth * *memory);
    flow->moved = (pli_f8_mask)(beyond > PLI_MPM_ROUNDING);
    pli_f8 g = share * pli_f8_select(flow->moved, beyond, (pli_f8){0});
    flow->keep = 1.0f - g / pli_f8_max(pli_f8_broadcast(PLI_MPM_ROUNDING), n);
    *memory += (float)root * g;
}

// Drucker-Prager. v, the memory, is the logarithm of the volume that sand has gained without
// stress; it is given back first (Tampubolon et al. 2017), t <- t + v, and what the strain then
// loses becomes the new v. Three cases (Klar et al. 2016):
//
//   t >= 0            apart: no strain at all, v <- t
//   g = n + a t <= 0  inside the cone: the strain as it is, v <- 0
//   else              keep = 1 - g / n = -a t / n, v <- 0
//
// with a = sqrt(2/3) 2 sin(angle) / (3 - sin(angle)) (3 lambda + 2 mu) / (2 mu).
PLI_INLINE void pli_mpm_flow_drucker_prager(const pli_mpm_material *material, pli_f8 n, pli_f8 t,
                                            pli_f8 *memory, pli_mpm_flow *flow)
{
    const double root = 0.81649658092772603; // sqrt(2/3)
    const double sine = sin(material->friction_angle);
    const double ratio = 1 + 1.5 * material->lambda / material->mu;
    const float cone = (float)(root * 2 * sine / (3 - sine) * ratio);
    const pli_f8 zero = {0};
    pli_f8 total = material->volume_correction ? t + *memory : t;
    pli_f8_mask apart = (pli_f8_mask)(total >= 0.0f);
    pli_f8 bearable = -cone * total;
    pli_f8 keep = pli_f8_select((pli_f8_mask)(n > bearable), bearable / n, zero + 1.0f);
    flow->keep = pli_f8_select(apart, zero, keep);
    flow->trace = pli_f8_select(apart, zero, total);
    flow->moved = (pli_f8_mask)(flow->keep != 1.0f) | (pli_f8_mask)(flow->trace != t);
    if (material->volume_correction) *memory = pli_f8_select(apart, total, zero);
}

// The flow of a Hencky material with the strain (n, t); none leaves everything as it is.
PLI_INLINE void pli_mpm_flow_hencky(const pli_mpm_material *material, pli_f8 n, pli_f8 t,
                                    pli_f8 *memory, pli_mpm_flow *flow)
{
    flow->trace = t;
    flow->keep = pli_f8_broadcast(1);
    flow->moved = (pli_f8_mask){0};
    if (material->yield == PLI_MPM_VON_MISES) {
        pli_mpm_flow_von_mises(material, n, memory, flow);
    } else if (material->yield == PLI_MPM_DRUCKER_PRAGER) {
        pli_mpm_flow_drucker_prager(material, n, t, memory, flow);
    }
}

#endif
