// SPDX-License-Identifier: Apache-2.0
//
// Kernels per point: 3x3 decompositions and material laws, one thread, ratios to plain scalar code.
#include "bench.h"

#include "base/memory.h"
#include "base/random.h"
#include "material/reference.h"
#include "math/svd.h"
#include "math/svd_simd.h"
#include "pliant/extend.h"

#include <math.h>
#include <string.h>

enum {
    COUNT = 4096, // decompositions of a round: inputs and outputs stay in the second-level cache
    POINT_COUNT = 504, // points of a round of a law; see batch.h on strides
    PARAM_COUNT = 24,  // most of a law, and of its inputs
    REPEATS = 15
};

typedef struct arrays {
    double F[9][COUNT];
    float F_float[9][COUNT];
    double U[9][COUNT];
    double sigma[3][COUNT];
    double V[9][COUNT];
    float U_float[9][COUNT];
    float sigma_float[3][COUNT];
    float V_float[9][COUNT];

    // one law
    const pli_material_ops *law;
    double points[9 * POINT_COUNT]; // F in planes
    double params[PARAM_COUNT * POINT_COUNT];
    double psi[POINT_COUNT];
    double P[9 * POINT_COUNT];
    double dPdF[81 * POINT_COUNT];
} arrays;

// Deformations of a lively simulation: the identity and a third of random numbers.
static void fill(arrays *a)
{
    pli_random random = {.seed = 1, .stream = 2};
    for (uint64_t k = 0; k < 9; ++k) {
        for (uint64_t i = 0; i < COUNT; ++i) {
            double value = (k % 4 == 0) + pli_random_range(random, 9 * i + k, -0.3, 0.3);
            a->F[k][i] = value;
            a->F_float[k][i] = (float)value;
            if (i < POINT_COUNT) a->points[k * POINT_COUNT + i] = value;
        }
    }
}

static void run_scalar(void *user)
{
    arrays *a = user;
    for (int i = 0; i < COUNT; ++i) {
        double F[9], U[9], sigma[3], V[9];
        for (int k = 0; k < 9; ++k) F[k] = a->F[k][i];
        pli_svd(F, U, sigma, V);
        for (int k = 0; k < 9; ++k) a->U[k][i] = U[k];
        for (int k = 0; k < 9; ++k) a->V[k][i] = V[k];
        for (int k = 0; k < 3; ++k) a->sigma[k][i] = sigma[k];
    }
}

static void store_d4(arrays *a, int i, const pli_svd_parts_d4 *parts)
{
    for (int k = 0; k < 9; ++k) pli_d4_store(parts->U[k], &a->U[k][i]);
    for (int k = 0; k < 9; ++k) pli_d4_store(parts->V[k], &a->V[k][i]);
    for (int k = 0; k < 3; ++k) pli_d4_store(parts->sigma[k], &a->sigma[k][i]);
}

static void run_d4(void *user)
{
    arrays *a = user;
    for (int i = 0; i < COUNT; i += PLI_D4_LANES) {
        pli_d4 F[9];
        pli_svd_parts_d4 parts;
        for (int k = 0; k < 9; ++k) F[k] = pli_d4_load(&a->F[k][i]);
        pli_svd_d4(F, &parts);
        store_d4(a, i, &parts);
    }
}

static void run_d4_pair(void *user)
{
    arrays *a = user;
    for (int i = 0; i < COUNT; i += 2 * PLI_D4_LANES) {
        pli_d4 F[18];
        pli_svd_parts_d4 parts[2];
        for (int k = 0; k < 9; ++k) F[k] = pli_d4_load(&a->F[k][i]);
        for (int k = 0; k < 9; ++k) F[9 + k] = pli_d4_load(&a->F[k][i + PLI_D4_LANES]);
        pli_svd_pair_d4(F, parts);
        store_d4(a, i, &parts[0]);
        store_d4(a, i + PLI_D4_LANES, &parts[1]);
    }
}

static void store_f8(arrays *a, int i, const pli_svd_parts_f8 *parts)
{
    for (int k = 0; k < 9; ++k) pli_f8_store(parts->U[k], &a->U_float[k][i]);
    for (int k = 0; k < 9; ++k) pli_f8_store(parts->V[k], &a->V_float[k][i]);
    for (int k = 0; k < 3; ++k) pli_f8_store(parts->sigma[k], &a->sigma_float[k][i]);
}

static void run_f8(void *user)
{
    arrays *a = user;
    for (int i = 0; i < COUNT; i += PLI_F8_LANES) {
        pli_f8 F[9];
        pli_svd_parts_f8 parts;
        for (int k = 0; k < 9; ++k) F[k] = pli_f8_load(&a->F_float[k][i]);
        pli_svd_f8(F, &parts);
        store_f8(a, i, &parts);
    }
}

static void run_f8_pair(void *user)
{
    arrays *a = user;
    for (int i = 0; i < COUNT; i += 2 * PLI_F8_LANES) {
        pli_f8 F[18];
        pli_svd_parts_f8 parts[2];
        for (int k = 0; k < 9; ++k) F[k] = pli_f8_load(&a->F_float[k][i]);
        for (int k = 0; k < 9; ++k) F[9 + k] = pli_f8_load(&a->F_float[k][i + PLI_F8_LANES]);
        pli_svd_pair_f8(F, parts);
        store_f8(a, i, &parts[0]);
        store_f8(a, i + PLI_F8_LANES, &parts[1]);
    }
}

// Bands are promises for machines with AVX2; on others the ratios are only reported.
static void claim_ratio(pli_bench *bench, const char *id, const char *what, double ratio,
                        double low)
{
#ifdef __AVX2__
    double high = isnan(low) ? NAN : INFINITY;
#else
    double high = low = NAN;
#endif
    pli_claim claim = {.claim = id,
                       .what = what,
                       .paper = "-",
                       .ours = ratio,
                       .unit = "x",
                       .band_low = low,
                       .band_high = high};
    pli_bench_claim(bench, &claim);
}

static void claim_decompositions(pli_bench *bench, arrays *a)
{
    static const struct {
        const char *claim;
        const char *what;
        void (*run)(void *user);
        double band_low;
    } kernels[] = {
        {"svd-d4", "decompositions, four doubles at once, over scalar ones", run_d4, 2},
        {"svd-d4x2", "decompositions, twice four doubles in step, over scalar ones", run_d4_pair,
         3},
        {"svd-f8", "decompositions, eight floats at once, over scalar ones", run_f8, 5},
        {"svd-f8x2", "decompositions, twice eight floats in step, over scalar ones", run_f8_pair,
         6},
    };
    double scalar = pli_bench_best_seconds(run_scalar, a, REPEATS);
    pli_bench_note(bench, "scalar double: %.2f million decompositions/s", 1e-6 * COUNT / scalar);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; ++k) {
        double seconds = pli_bench_best_seconds(kernels[k].run, a, REPEATS);
        pli_bench_note(bench, "%s: %.2f million/s", kernels[k].claim, 1e-6 * COUNT / seconds);
        claim_ratio(bench, kernels[k].claim, kernels[k].what, scalar / seconds,
                    kernels[k].band_low);
    }
}

static void run_law(void *user)
{
    arrays *a = user;
    a->law->evaluate(POINT_COUNT, a->points, a->params, PLI_TANGENT_PROJECTED, a->psi, a->P,
                     a->dPdF);
}

static void run_law_exact(void *user)
{
    arrays *a = user;
    a->law->evaluate(POINT_COUNT, a->points, a->params, PLI_TANGENT_EXACT, a->psi, a->P, a->dPdF);
}

static void run_law_stress(void *user)
{
    arrays *a = user;
    a->law->evaluate(POINT_COUNT, a->points, a->params, PLI_TANGENT_EXACT, a->psi, a->P, NULL);
}

static void run_law_energy(void *user)
{
    arrays *a = user;
    a->law->evaluate(POINT_COUNT, a->points, a->params, PLI_TANGENT_EXACT, a->psi, NULL, NULL);
}

static void run_reference(void *user)
{
    arrays *a = user;
    for (int32_t i = 0; i < POINT_COUNT; ++i) {
        double params[2] = {a->params[i],
                            a->params[POINT_COUNT + i]}; // as all that have a reference
        double F[9];
        pli_reference_point point;
        for (int k = 0; k < 9; ++k) F[k] = a->points[k * POINT_COUNT + i];
        (void)pli_reference_evaluate(a->law, params, F, PLI_TANGENT_PROJECTED, &point);
        a->psi[i] = point.psi;
        for (int k = 0; k < 9; ++k) a->P[k * POINT_COUNT + i] = point.P[k];
        for (int k = 0; k < 81; ++k) a->dPdF[k * POINT_COUNT + i] = point.dPdF[k];
    }
}

static void claim_law(pli_bench *bench, const pli_material_ops *law, arrays *a)
{
    static const double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double inputs[PARAM_COUNT], params[PARAM_COUNT];
    pli_reference_point point;
    a->law = law;
    (void)pli_material_defaults(law, inputs);
    if (strcmp(law->inputs[0].key, "young") == 0) inputs[1] = 0.4;
    law->derive(inputs, params);
    for (int32_t k = 0; k < law->param_count * POINT_COUNT; ++k) {
        a->params[k] = params[k / POINT_COUNT];
    }
    double projected = pli_bench_best_seconds(run_law, a, REPEATS);
    double nano = 1e9 / POINT_COUNT;
    pli_bench_note(
        bench, "%s, ns a point: projected tangent %.0f, exact %.0f, stress %.0f, energy %.0f",
        law->name, nano * projected, nano * pli_bench_best_seconds(run_law_exact, a, REPEATS),
        nano * pli_bench_best_seconds(run_law_stress, a, REPEATS),
        nano * pli_bench_best_seconds(run_law_energy, a, REPEATS));
    if (!pli_reference_evaluate(law, params, rest, PLI_TANGENT_PROJECTED, &point)) return;
    double reference = pli_bench_best_seconds(run_reference, a, REPEATS);

    // the linear law has next to nothing to compute: both versions only write the tangent
    bool is_linear = strcmp(law->name, "linear") == 0;
    claim_ratio(bench, law->name, "energy, stress and projected tangent over the reference",
                reference / projected, is_linear ? NAN : 4);
}

pli_status pli_bench_kernels_svd(pli_bench *bench)
{
    pli_context *context = pli_bench_context(bench);
    arrays *a = PLI_NEW(context, arrays, 1, "kernel arrays");
    if (a == NULL) return PLI_ERROR_MEMORY;
    fill(a);
    claim_decompositions(bench, a);
    for (int32_t k = 0; pli_material_get(k) != NULL; ++k) claim_law(bench, pli_material_get(k), a);
    pli_release(context, a);
    return PLI_OK;
}
