// SPDX-License-Identifier: Apache-2.0
//
// A soft body in a game loop: 60 steps a second of the same cost, a hand that drags it, positions
// to draw, and a watch that tells how much of the frame's time was used. The scene is a text in
// memory.
//
//     cc game_loop.c $(pkg-config --cflags --libs pliant) -lm -o game_loop && ./game_loop
#include <pliant/pliant.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RATE = 60, FRAMES = 180, RELEASE = 90 }; // steps a second; frames; when the hand lets go

// pd-multigrid with fixed iterations takes the same time for every step
static const char scene_text[] =
    "materials: {jelly: {law: corotated, density: 100, young: 2e4, poisson: 0.3, drag: 1}}\n"
    "bodies:\n"
    "  ball: {geometry: {fill: {shape: {sphere: 0.2}, vertices: 700}}, material: jelly,\n"
    "         position: [0, 0.21, 0]}\n"
    "colliders: {floor: {shape: plane, friction: 0.3}}\n"
    "solver: {name: pd-multigrid, fixed_iterations: 3}\n"
    "time: {fps: 60}\n";

// What a renderer would do with positions [count][3]; this one finds the lowest.
static double draw(const double *x, int32_t count)
{
    double lowest = INFINITY;
    for (int32_t i = 0; i < count; ++i) lowest = fmin(lowest, x[3 * i + 1]);
    return lowest;
}

// What the mouse would do: up half a metre and half a metre to the side in one second.
static void read_mouse(double time, const double start[3], double target[3])
{
    const double way = 0.5 * fmin(time, 1);
    for (int k = 0; k < 3; ++k) target[k] = start[k] + (k < 2 ? way : 0);
}

int main(void)
{
    pli_context *context = NULL;
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    pli_state *state = NULL;
    pli_solver *solver = NULL;
    pli_model_info info = {0};
    pli_step_report report = {0};
    double start[3] = {0}, target[3] = {0}, lifted = 0, lowest = 0, slowest = 0;
    char text[256] = "";
    int32_t top = 0, late = 0;

    pli_status status = pli_context_create(NULL, &context);
    if (status != PLI_OK) return EXIT_FAILURE;
    status = pli_scene_parse(context, scene_text, sizeof scene_text - 1, "game", NULL, &scene);
    if (status == PLI_OK) status = pli_model_create(context, scene, NULL, &model);
    if (status == PLI_OK) status = pli_state_create(model, &state);
    if (status == PLI_OK) status = pli_solver_create(model, &solver);
    if (status == PLI_OK) {
        info = pli_model_get_info(model);
        pli_solver_set_measuring(solver, false); // energies are not needed in every frame
        const double *x = pli_state_get(state).positions;
        for (int32_t i = 1; i < info.vertex_count; ++i)
            top = x[3 * i + 1] > x[3 * top + 1] ? i : top;
        memcpy(start, x + 3 * top, sizeof start);
        printf("%d vertices, %d tetrahedra\n", info.vertex_count, info.tet_count);
    }
    for (int frame = 0; status == PLI_OK && frame < FRAMES; ++frame) {
        // input: a spring of 400 N/m from the top of the ball to the mouse; 0 N/m lets go
        read_mouse((double)frame / RATE, start, target);
        status = pli_state_set_grip(state, top, frame < RELEASE ? 400 : 0, target);
        if (status == PLI_OK) status = pli_solver_step(solver, state, &report);
        const double *x = pli_state_get(state).positions;
        lowest = draw(x, info.vertex_count);
        if (frame == RELEASE - 1) lifted = lowest;
        if (frame % 30 == 0) {
            printf("frame %3d: lowest point %6.3f m, step took %4.1f ms of %.1f\n", frame, lowest,
                   1e3 * report.seconds, 1e3 / RATE);
        }
        late += report.seconds > 1.0 / RATE;
        slowest = fmax(slowest, report.seconds);
    }
    printf("%d of %d steps were late, the slowest took %.1f ms\n", late, FRAMES, 1e3 * slowest);
    pli_context_message(context, text, sizeof text);
    if (status != PLI_OK) fprintf(stderr, "%s\n", text);
    pli_solver_destroy(solver);
    pli_state_destroy(state);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);

    // 3.3 kg stretch the hand's spring by 8 cm and the jelly by some, so that most of 50 cm is left
    printf("the hand lifted it by %.2f m, then it fell back to the floor\n", lifted);
    bool right = lifted > 0.2 && lifted < 0.5 && fabs(lowest) < 0.02;
    return status == PLI_OK && right ? EXIT_SUCCESS : EXIT_FAILURE;
}
