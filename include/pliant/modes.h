// SPDX-License-Identifier: Apache-2.0
//
// Natural vibrations: the lowest eigenpairs of K phi = omega^2 M phi, with K the exact Hessian of
// everything in a scene that stores energy, M the masses of the vertices, and what constraints hold
// taken out. Of the rest shape, or of a state, whose stress then counts: a string that is pulled
// sounds higher, a column that is pressed lower, down to 0 at the load under which it buckles.
#ifndef PLIANT_MODES_H
#define PLIANT_MODES_H

#include "pliant/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pli_modes pli_modes;

typedef struct pli_modes_def { // all of it may be zero
    int32_t count;             // lowest modes; 0: ten
    pli_cancel_fn cancel;      // asked between solves; NULL: never stops
    void *cancel_user;
} pli_modes_def;

typedef struct pli_vibration {
    double frequency;    // Hz; 0: rigid or unstable
    double omega2;       // rad^2/s^2
    bool rigid;          // nothing resists it: omega2 is no more than rounding
    bool unstable;       // omega2 is negative: the state is not stable, deviations grow
    double share[3];     // of the mass that takes part when the ground is shaken along x, y, z
    const double *shape; // [vertex_count][3], of length 1 in the product of the masses (kg^-1/2).
                         // Lifetime: that of the modes
} pli_vibration;

typedef struct pli_modes_report {
    int32_t count;
    int32_t rigid;    // modes that nothing resists: a free body has six
    int32_t unstable; // modes that grow
    double residual;  // largest |K phi - omega^2 M phi| over the largest omega^2 |M phi|
    int64_t unknowns; // coordinates that can move
} pli_modes_report;

// Modes of the rest shape (state: NULL) or of a state of the model; the state should be one at
// rest. def may be NULL. Colliders and contact take no part; a state in which something touches is
// refused, and so are particles. Errors: argument, unsupported (particles; a build without ARPACK
// or CHOLMOD; touching), numeric, interrupted, memory.
PLI_API PLI_CHECKED pli_status pli_modes_compute(const pli_model *model, const pli_state *state,
                                                 const pli_modes_def *def, pli_modes **modes);
PLI_API void pli_modes_destroy(pli_modes *modes);

PLI_API pli_modes_report pli_modes_get_report(const pli_modes *modes);

// A mode from 0 on, lowest first.
PLI_API pli_vibration pli_modes_get(const pli_modes *modes, int32_t index);

#ifdef __cplusplus
}
#endif

#endif
