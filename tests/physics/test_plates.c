// SPDX-License-Identifier: Apache-2.0
//
// Bending of shells as plates, against Kirchhoff's theory.
#include "simulate.h"

#include "base/random.h"
#include "sim/step/mesh_stepper.h"

enum { MOST = 65 };

// Meshes of a rectangle in the plane y = 0.
typedef enum pattern { ALTERNATING, ALIKE, JITTERED, PATTERNS } pattern;

typedef struct rectangle {
    double points[3 * MOST * MOST];
    int32_t triangles[6 * MOST * MOST];
    pli_mesh_data data;
} rectangle;

static rectangle mesh;

static const pli_mesh_data *make_rectangle(double width, double depth, int columns, int rows,
                                           pattern kind)
{
    int32_t n = 0, count = 0;
    for (int j = 0; j <= rows; ++j) {
        for (int i = 0; i <= columns; ++i, ++n) {
            double u = (double)i / columns, v = (double)j / rows;
            bool inner = i > 0 && j > 0 && i < columns && j < rows;
            if (kind == JITTERED && inner) {
                pli_random random = {11, 4};
                u += pli_random_range(random, 2 * (uint64_t)n, -0.25, 0.25) / columns;
                v += pli_random_range(random, 2 * (uint64_t)n + 1, -0.25, 0.25) / rows;
            }
            mesh.points[3 * n] = width * (u - 0.5);
            mesh.points[3 * n + 1] = 0;
            mesh.points[3 * n + 2] = depth * (v - 0.5);
        }
    }
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            int32_t a = j * (columns + 1) + i, b = a + 1, c = a + columns + 1, d = c + 1;
            bool turned = kind == ALTERNATING && (i + j) % 2 == 1;
            if (kind == JITTERED) turned = pli_random_range((pli_random){3, 5}, (uint64_t)a, 0, 1) < 0.5;
            int32_t cells[2][6] = {{a, c, d, a, d, b}, {a, c, b, b, c, d}};
            memcpy(mesh.triangles + 3 * count, cells[turned], sizeof cells[0]);
            count += 2;
        }
    }
    mesh.data = (pli_mesh_data){.point_count = n, .points = mesh.points, .triangle_count = count, .triangles = mesh.triangles};
    return &mesh.data;
}

static double support(const char *model, pattern kind, int cells, double poisson, const char *axes)
{
    char text[2048];
    simulation s;
    snprintf(text, sizeof text,
             "materials: {m: {law: stable-neo-hookean, density: 1000, young: 1e6, poisson: %g}}\n"
             "contact: none\n"
             "bodies: {b: {kind: shell, geometry: sheet, material: m, thickness: 0.01, bending_model: %s}}\n"
             "gravity: [0, -1e-5, 0]\n"
             "constraints:\n"
             "  - {axes: xz}\n"
             "  - {where: {half_space: {point: [-0.4999, 0, 0], normal: [-1, 0, 0]}}, axes: %s}\n"
             "  - {where: {half_space: {point: [0.4999, 0, 0], normal: [1, 0, 0]}}, axes: %s}\n"
             "  - {where: {half_space: {point: [0, 0, -0.4999], normal: [0, 0, -1]}}, axes: %s}\n"
             "  - {where: {half_space: {point: [0, 0, 0.4999], normal: [0, 0, 1]}}, axes: %s}\n"
             "solver: {name: newton, linear: cholesky, tolerance: 1e-12}\n"
             "time: {fps: 1, frames: 1, mode: quasi-static}\n",
             poisson, model, axes, axes, axes, axes);
    simulation_init_mesh(&s, text, make_rectangle(1, 1, cells, cells, kind));
    simulation_step(&s);
    double lowest = 0;
    for (int32_t v = 0; v < s.info.vertex_count; ++v) {
        lowest = fmin(lowest, pli_state_positions(s.state)[3 * v + 1]);
    }
    simulation_clear(&s);
    double D = 1e6 * 1e-6 / (12 * (1 - poisson * poisson));
    return -lowest * D / (1000 * 0.01 * 1e-5);
}

static void explore(void **state)
{
    (void)state;
    static const char *const names[] = {"alternating", "alike", "jittered"};
    for (int kind = 0; kind < PATTERNS; ++kind) {
        for (int n = 8; n <= 32; n *= 2) {
            printf("%s %d: hinges %.5f plate nu 0.3 %.5f nu 0 %.5f  (0.00406)\n", names[kind], n,
                   support("hinges", (pattern)kind, n, 0.3, "y"), support("plate", (pattern)kind, n, 0.3, "y"), support("plate", (pattern)kind, n, 0.0, "y"));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
