// SPDX-License-Identifier: Apache-2.0
#include "material/batch.h"

#include <string.h>

// A block of its own for the remainder of a batch.
typedef struct stage {
    double F[9 * PLI_BLOCK];
    double params[PLI_BLOCK_PARAMS_MAX * PLI_BLOCK];
    double psi[PLI_BLOCK];
    double P[9 * PLI_BLOCK];
    double dPdF[81 * PLI_BLOCK];
} stage;

static pli_planes shift(const pli_planes *batch, int32_t begin)
{
    pli_planes at = *batch;
    at.F += begin;
    at.params += begin;
    if (at.psi != NULL) at.psi += begin;
    if (at.P != NULL) at.P += begin;
    if (at.dPdF != NULL) at.dPdF += begin;
    return at;
}

// Copies count points of each plane and repeats the last one.
static void fill(int32_t plane_count, int32_t count, int64_t stride, const double *from, double *to)
{
    for (int32_t plane = 0; plane < plane_count; ++plane) {
        for (int32_t k = 0; k < PLI_BLOCK; ++k) {
            to[plane * PLI_BLOCK + k] = from[plane * stride + (k < count ? k : count - 1)];
        }
    }
}

static void copy_back(int32_t plane_count, int32_t count, int64_t stride, const double *from,
                      double *to)
{
    if (to == NULL) return;
    for (int32_t plane = 0; plane < plane_count; ++plane) {
        memcpy(to + plane * stride, from + plane * PLI_BLOCK, (size_t)count * sizeof(double));
    }
}

// The last count < PLI_BLOCK points.
static void run_remainder(int32_t count, int32_t param_count, const pli_planes *at,
                          pli_projection projection, pli_block_fn block)
{
    stage staged;
    fill(9, count, at->stride, at->F, staged.F);
    fill(param_count, count, at->stride, at->params, staged.params);
    pli_planes planes = {.stride = PLI_BLOCK,
                         .F = staged.F,
                         .params = staged.params,
                         .psi = at->psi != NULL ? staged.psi : NULL,
                         .P = at->P != NULL ? staged.P : NULL,
                         .dPdF = at->dPdF != NULL ? staged.dPdF : NULL};
    block(&planes, projection);
    copy_back(1, count, at->stride, staged.psi, at->psi);
    copy_back(9, count, at->stride, staged.P, at->P);
    copy_back(81, count, at->stride, staged.dPdF, at->dPdF);
}

void pli_batch_run(int32_t n, int32_t param_count, const pli_planes *batch,
                   pli_projection projection, pli_block_fn block)
{
    int32_t begin = 0;
    for (; begin <= n - PLI_BLOCK; begin += PLI_BLOCK) {
        pli_planes at = shift(batch, begin);
        block(&at, projection);
    }
    if (begin == n) return;
    pli_planes at = shift(batch, begin);
    run_remainder(n - begin, param_count, &at, projection, block);
}
