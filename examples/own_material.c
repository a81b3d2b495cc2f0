// SPDX-License-Identifier: Apache-2.0
//
// A material law of your own: rubber with fibres along y, which bear pull but no pressure. It is
// made of a law that pliant has and a term that it lacks. A bar of it hangs from the ceiling; how
// far it stretches is compared with the theory of rods.
//
//     cc own_material.c $(pkg-config --cflags --libs pliant) -lm -o own_material && ./own_material
#include <pliant/pliant.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const pli_material_input inputs[] = {
    {.key = "young", .unit = "Pa", .fallback = NAN, .max = INFINITY, .exclusive = true},
    {.key = "poisson", .unit = "", .fallback = NAN, .min = -1, .max = 0.5, .exclusive = true},
    {.key = "fibres", .unit = "Pa", .fallback = 0, .min = 0, .max = 1e12},
};

static const pli_material_ops *rubber; // a law of two parameters
static void derive(const double *in, double *params)
{
    rubber->derive(in, params);
    params[2] = in[2];
}

// psi = rubber + k/4 max(I - 1, 0)^2 with I = |f|^2, f = F a, a = (0, 1, 0): P += k (I - 1) f a^T.
// Planes: entry k of point i is at k * n + i. Any of the outputs may be NULL.
static void evaluate(int32_t n, const double *F, const double *params, pli_projection projection,
                     double *psi, double *P, double *dPdF)
{
    rubber->evaluate(n, F, params, projection, psi, P, dPdF);
    for (int32_t i = 0; i < n; ++i) {
        const double f[3] = {F[n + i], F[4 * n + i], F[7 * n + i]};
        double k = params[2 * n + i], pull = f[0] * f[0] + f[1] * f[1] + f[2] * f[2] - 1;
        if (pull <= 0) continue;
        if (psi != NULL) psi[i] += k / 4 * pull * pull;
        for (int r = 0; r < 3; ++r) {
            if (P != NULL) P[(3 * r + 1) * n + i] += k * pull * f[r];
            double *row = dPdF != NULL ? dPdF + (3 * r + 1) * 9 * n + i : NULL;
            for (int s = 0; row != NULL && s < 3; ++s) // positive semi-definite as it is
                row[(3 * s + 1) * n] += k * (r == s ? pull : 0) + 2 * k * f[r] * f[s];
        }
    }
}

static double sound_speed(const double *params, double density)
{
    return rubber->sound_speed(params, density) + sqrt(2 * params[2] / density);
}

static const pli_material_ops reinforced = {.name = "reinforced",
                                            .doc = "Rubber with fibres along y.",
                                            .input_count = 3,
                                            .inputs = inputs,
                                            .param_count = 3,
                                            .derive = derive,
                                            .evaluate = evaluate,
                                            .sound_speed = sound_speed};

static const char scene_text[] =
    "materials: {m: {law: reinforced, density: 1000, young: 1e5, poisson: 0.3,\n"
    "                parameters: {fibres: 1e5}}}\n"
    "bodies: {bar: {geometry: {grid: {size: [0.1, 1, 0.1], cells: [2, 20, 2]}}, material: m}}\n"
    "constraints: [{where: {half_space: {point: [0, 0.499, 0], normal: [0, 1, 0]}}}]\n"
    "time: {mode: quasi-static}\n";

int main(void)
{
    const pli_material_ops *laws[] = {&reinforced};
    pli_context_def def = {.laws = laws, .law_count = 1};
    pli_context *context = NULL;
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    pli_state *state = NULL;
    pli_solver *solver = NULL;
    pli_step_report report = {0};
    double stretch = 0;
    rubber = pli_material_find(NULL, "neo-hookean");
    pli_status status = pli_context_create(&def, &context);
    int64_t size = sizeof scene_text - 1;
    if (status == PLI_OK) status = pli_scene_parse(context, scene_text, size, "bar", NULL, &scene);
    if (status == PLI_OK) status = pli_model_create(context, scene, NULL, &model);
    if (status == PLI_OK) status = pli_state_create(model, &state);
    if (status == PLI_OK) status = pli_solver_create(model, &solver);
    if (status == PLI_OK) status = pli_solver_step(solver, state, &report);
    if (status == PLI_OK) stretch = -0.5 - pli_state_get(state).positions[1]; // of a lower corner
    if (status != PLI_OK) fprintf(stderr, "%s\n", pli_status_text(status));
    pli_solver_destroy(solver);
    pli_state_destroy(state);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);

    // a rod stretches by density g L^2 / (2 E); fibres add 2 k to E
    double weight = 1000 * 9.81, theory = weight / (2 * (1e5 + 2 * 1e5)), without = weight / 2e5;
    printf("stretched by %.4f m; theory %.4f m, without fibres %.4f m\n", stretch, theory, without);
    return report.stop > 0 && fabs(stretch / theory - 1) < 0.05 ? EXIT_SUCCESS : EXIT_FAILURE;
}
