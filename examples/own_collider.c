// SPDX-License-Identifier: Apache-2.0
//
// A collider of your own: hills given by a formula as a signed distance. A soft ball falls on a
// slope, rolls down and stays in the valley; the program checks that the ground held.
//
//     cc own_collider.c $(pkg-config --cflags --libs pliant) -lm -o own_collider && ./own_collider
#include <pliant/pliant.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// what scenes say: name, unit, default and range
static const pli_material_input inputs[] = {
    {.key = "height", .unit = "m", .fallback = 0.1, .min = 0, .max = 10},
    {.key = "length", .unit = "m", .fallback = 1, .min = 0.1, .max = 100},
};

// Ground below y = -h cos(2 pi x / l) / 2, whose valley is at x = 0. Height above it over
// sqrt(1 + s^2), with s the steepest slope, is less than the distance and right at the surface.
static void values(const void *user, const double *in, int32_t n, const double *x, double *value)
{
    (void)user;
    double wave = 2 * acos(-1) / in[1], steepest = 0.5 * in[0] * wave;
    for (int32_t i = 0; i < n; ++i) {
        double ground = -0.5 * in[0] * cos(wave * x[3 * i]);
        value[i] = (x[3 * i + 1] - ground) / sqrt(1 + steepest * steepest);
    }
}

static const pli_distance_ops hills = {.name = "hills",
                                       .doc = "Waves along x.",
                                       .input_count = 2,
                                       .inputs = inputs,
                                       .slope = 1,    // never changes faster than a distance
                                       .detail = 0.1, // bends over some 10 cm
                                       .values = values};

static const char scene_text[] =
    "materials: {soft: {law: fixed-corotated, density: 500, young: 5e4, poisson: 0.3, drag: 0.5}}\n"
    "bodies:\n"
    "  ball: {geometry: {fill: {shape: {sphere: 0.08}, vertices: 300}}, material: soft,\n"
    "         position: [0.3, 0.15, 0]}\n"
    "colliders:\n"
    "  ground: {shape: {own: {name: hills, parameters: {height: 0.15}}}, friction: 0.8}\n"
    "time: {fps: 50}\n";

int main(void)
{
    const pli_distance_ops *shapes[] = {&hills};
    pli_context_def def = pli_context_def_default();
    pli_context *context = NULL;
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    pli_state *state = NULL;
    pli_solver *solver = NULL;
    pli_model_info info = {0};
    double deepest = 0, middle[3] = {NAN, NAN, NAN};
    char text[256] = "";
    def.shapes = shapes;
    def.shape_count = 1;

    pli_status status = pli_context_create(&def, &context);
    if (status != PLI_OK) return EXIT_FAILURE;
    status = pli_scene_parse(context, scene_text, sizeof scene_text - 1, "hills", NULL, &scene);
    if (status == PLI_OK) status = pli_model_create(context, scene, NULL, &model);
    if (status == PLI_OK) status = pli_state_create(model, &state);
    if (status == PLI_OK) status = pli_solver_create(model, &solver);
    if (status == PLI_OK) info = pli_model_get_info(model);
    for (int step = 0; status == PLI_OK && step <= 400; ++step) {
        pli_step_report report;
        status = pli_solver_step(solver, state, &report);
        if (status != PLI_OK) break;
        deepest = fmax(deepest, report.max_depth);
        if (step % 50 != 0) continue;
        memset(middle, 0, sizeof middle);
        for (int32_t i = 0; i < 3 * info.vertex_count; ++i) {
            middle[i % 3] += pli_state_get(state).positions[i] / info.vertex_count;
        }
        printf("%4.1f s: ball at x %6.3f, y %6.3f m, %d contacts\n", report.time, middle[0],
               middle[1], report.contacts);
    }
    pli_context_message(context, text, sizeof text);
    if (status != PLI_OK) fprintf(stderr, "%s\n", text);
    pli_solver_destroy(solver);
    pli_state_destroy(state);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);

    // it lies in the valley at x = 0, y = -0.075 m, and no vertex was ever inside of the ground
    printf("deepest penetration %.1e m\n", deepest);
    bool rests = fabs(middle[0]) < 0.05 && fabs(middle[1] + 0.075 - 0.08) < 0.02;
    return status == PLI_OK && rests && deepest < 1e-6 ? EXIT_SUCCESS : EXIT_FAILURE;
}
