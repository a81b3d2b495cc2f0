// SPDX-License-Identifier: Apache-2.0
#include "material/principal.h"

#include "material/batch.h"

enum { LANES = PLI_D4_LANES };

// Up to four points from `begin` on, the last one repeated, and how many of them there are.
static int32_t load(int32_t n, int32_t begin, int32_t planes, const double *from, pli_d4 *to)
{
    int32_t count = n - begin < LANES ? n - begin : LANES;
    for (int32_t plane = 0; plane < planes; ++plane) {
        const double *row = from + (int64_t)plane * n + begin;
        for (int32_t k = 0; k < LANES; ++k) to[plane][k] = row[k < count ? k : count - 1];
    }
    return count;
}

static void store(int32_t n, int32_t begin, int32_t count, int32_t planes, const pli_d4 *from,
                  double *to)
{
    if (to == NULL) return;
    for (int32_t plane = 0; plane < planes; ++plane) {
        memcpy(to + (int64_t)plane * n + begin, &from[plane], (size_t)count * sizeof *to);
    }
}

void pli_principal_run(int32_t n, int32_t param_count, const double *s, const double *params,
                       double *psi, double *g, double *hessian, pli_principal_fn four)
{
    for (int32_t begin = 0; begin < n; begin += LANES) {
        pli_d4 at[3], p[PLI_BLOCK_PARAMS_MAX];
        pli_principal out;
        int32_t count = load(n, begin, 3, s, at);
        (void)load(n, begin, param_count, params, p);
        four(at, p, &out);
        store(n, begin, count, 1, &out.psi, psi);
        store(n, begin, count, 3, out.g, g);
        store(n, begin, count, 6, out.hessian, hessian);
    }
}

void pli_principal_evaluate(const pli_material_ops *law, int32_t n, const double *s,
                            const double *params, double *psi, double *g, double *hessian)
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    if (law->principal != NULL) {
        law->principal(n, s, params, psi, g, hessian);
        return;
    }
    // F = diag(s), and of what the law says there, what is on the diagonal
    double F[9 * PLI_BLOCK] = {0}, P[9 * PLI_BLOCK], dPdF[81 * PLI_BLOCK];
    size_t plane = (size_t)n * sizeof(double);
    for (int k = 0; k < 3; ++k) memcpy(F + 4 * k * n, s + k * n, plane);
    law->evaluate(n, F, params, PLI_TANGENT_EXACT, psi, g != NULL ? P : NULL,
                  hessian != NULL ? dPdF : NULL);
    for (int k = 0; g != NULL && k < 3; ++k) memcpy(g + k * n, P + 4 * k * n, plane);
    for (int k = 0; hessian != NULL && k < 6; ++k) {
        memcpy(hessian + k * n, dPdF + (36 * pairs[k][0] + 4 * pairs[k][1]) * n, plane);
    }
}
