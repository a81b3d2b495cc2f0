// SPDX-License-Identifier: Apache-2.0
//
// Linear elasticity:
//
//   psi = mu e : e + lambda/2 tr^2 e,   e = (F + F^T) / 2 - I,   P = 2 mu e + lambda tr(e) I
//
// For small displacements and for tests with closed-form answers. It is not invariant under
// rotations: a body that turns seems to grow. The tangent is constant and positive semi-definite,
// so the projected one is the same. The planes of the tangent are
//   dP_ij/dF_kl = mu (d_ik d_jl + d_il d_jk) + lambda d_ij d_kl
#include "material/batch.h"
#include "material/lame.h"
#include "material/laws.h"

#include "math/simd.h"

static void block_psi_and_stress(const pli_planes *at, int64_t offset)
{
    const double *F = at->F + offset;
    pli_d4 mu = pli_d4_load(at->params + PLI_LAME_MU * at->stride + offset);
    pli_d4 lambda = pli_d4_load(at->params + PLI_LAME_LAMBDA * at->stride + offset);
    pli_d4 e[9];
    pli_d4 square = {0};
    for (int k = 0; k < 9; ++k) {
        int transposed = 3 * (k % 3) + k / 3;
        e[k] = 0.5 * (pli_d4_load(F + k * at->stride) + pli_d4_load(F + transposed * at->stride));
        if (k % 4 == 0) e[k] -= 1.0;
        square += e[k] * e[k];
    }
    pli_d4 trace = e[0] + e[4] + e[8];
    if (at->psi != NULL) {
        pli_d4_store(mu * square + 0.5 * lambda * trace * trace, at->psi + offset);
    }
    if (at->P == NULL) return;
    for (int k = 0; k < 9; ++k) {
        pli_d4 stress = 2.0 * mu * e[k];
        if (k % 4 == 0) stress += lambda * trace;
        pli_d4_store(stress, at->P + k * at->stride + offset);
    }
}

static void block_tangent(const pli_planes *at, int64_t offset)
{
    pli_d4 mu = pli_d4_load(at->params + PLI_LAME_MU * at->stride + offset);
    pli_d4 lambda = pli_d4_load(at->params + PLI_LAME_LAMBDA * at->stride + offset);
    for (int plane = 0; plane < 81; ++plane) {
        int ij = plane / 9;
        int kl = plane % 9;
        pli_d4 entry = {0};
        if (ij == kl) entry += mu;
        if (ij == 3 * (kl % 3) + kl / 3) entry += mu;
        if (ij % 4 == 0 && kl % 4 == 0) entry += lambda;
        pli_d4_store(entry, at->dPdF + plane * at->stride + offset);
    }
}

static void block(const pli_planes *at, pli_projection projection)
{
    (void)projection;
    for (int64_t offset = 0; offset < PLI_BLOCK; offset += PLI_D4_LANES) {
        if (at->psi != NULL || at->P != NULL) block_psi_and_stress(at, offset);
        if (at->dPdF != NULL) block_tangent(at, offset);
    }
}

static void evaluate(int32_t n, const double *F, const double *params, pli_projection projection,
                     double *psi, double *P, double *dPdF)
{
    pli_planes batch = {n, F, params, psi, P, dPdF};
    pli_batch_run(n, PLI_LAME_PARAM_COUNT, &batch, projection, block);
}

const pli_material_ops pli_law_linear = {
    .name = "linear",
    .doc = "Small displacements only; not invariant under rotation. For tests and closed forms.",
    .flags = PLI_LAW_INVERTIBLE,
    .evaluate = evaluate,
    PLI_LAME_FIELDS,
};
