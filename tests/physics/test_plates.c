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
            if (kind == JITTERED)
                turned = pli_random_range((pli_random){3, 5}, (uint64_t)a, 0, 1) < 0.5;
            int32_t cells[2][6] = {{a, c, d, a, d, b}, {a, c, b, b, c, d}};
            memcpy(mesh.triangles + 3 * count, cells[turned], sizeof cells[0]);
            count += 2;
        }
    }
    mesh.data = (pli_mesh_data){.point_count = n,
                                .points = mesh.points,
                                .triangle_count = count,
                                .triangles = mesh.triangles};
    return &mesh.data;
}

// ---- supported at its edges

// The largest deflection of a square plate under its weight, in q a^4 / D; its edges keep their
// height and are free to turn.
static double deflection(const char *model, pattern kind, int cells, double poisson)
{
    char text[2048];
    simulation s;
    snprintf(text, sizeof text,
             "materials: {m: {law: stable-neo-hookean, density: 1000, young: 1e6, poisson: %g}}\n"
             "contact: none\n"
             "bodies: {b: {kind: shell, geometry: sheet, material: m, thickness: 0.01, "
             "bending_model: %s}}\n"
             "gravity: [0, -1e-5, 0]\n"
             "constraints:\n"
             "  - {axes: xz}\n"
             "  - {where: {half_space: {point: [-0.4999, 0, 0], normal: [-1, 0, 0]}}, axes: y}\n"
             "  - {where: {half_space: {point: [0.4999, 0, 0], normal: [1, 0, 0]}}, axes: y}\n"
             "  - {where: {half_space: {point: [0, 0, -0.4999], normal: [0, 0, -1]}}, axes: y}\n"
             "  - {where: {half_space: {point: [0, 0, 0.4999], normal: [0, 0, 1]}}, axes: y}\n"
             "solver: {name: newton, linear: cholesky, tolerance: 1e-12}\n"
             "time: {fps: 1, frames: 1, mode: quasi-static}\n",
             poisson, model);
    simulation_init_mesh(&s, text, make_rectangle(1, 1, cells, cells, kind));
    simulation_step(&s);
    double lowest = 0;
    for (int32_t v = 0; v < s.info.vertex_count; ++v) {
        lowest = fmin(lowest, pli_state_get(s.state).positions[3 * v + 1]);
    }
    simulation_clear(&s);
    double D = 1e6 * 1e-6 / (12 * (1 - poisson * poisson));
    return -lowest * D / (1000 * 0.01 * 1e-5);
}

// 0.0040624 whatever Poisson's ratio (Timoshenko and Woinowsky-Krieger 1959, table 8), on meshes
// with a grain, without one and without order.
static void a_supported_plate_sags_as_kirchhoff_says_on_every_mesh(void **state)
{
    (void)state;
    const double exact = 0.0040624;
    for (int kind = 0; kind < PATTERNS; ++kind) {
        for (int nu = 0; nu < 2; ++nu) {
            double coarse = deflection("plate", (pattern)kind, 8, 0.3 * nu);
            double fine = deflection("plate", (pattern)kind, 32, 0.3 * nu);
            NEAR(coarse, exact, 0.035, 0);
            NEAR(fine, exact, 4e-3, 0);
        }
    }
    // hinges by themselves are right on the sheets they are made for, and too stiff on others
    NEAR(deflection("hinges", ALTERNATING, 32, 0.3), exact, 0.01, 0);
    AT_MOST(deflection("hinges", ALIKE, 32, 0.3), 0.65 * exact);
}

// ---- constant moments

static double smallest_distance_to_rim(const double *X)
{
    return fmin(0.5 - fabs(X[0]), 0.5 - fabs(X[2]));
}

// Inside a plate of constant curvature nothing pushes, on a mesh without order: neither for a
// cylinder nor for a sphere, a saddle and a twist.
static void constant_curvature_is_in_equilibrium(void **state)
{
    (void)state;
    static const double curvatures[4][3] = {{1, 0, 0}, {1, 1, 0}, {1, -1, 0}, {0, 0, 1}};
    static const char text[] =
        "materials: {m: {law: stable-neo-hookean, density: 1000, young: 1e6, poisson: 0.3}}\n"
        "contact: none\n"
        "bodies: {b: {kind: shell, geometry: sheet, material: m, bending_model: plate}}\n";
    simulation s;
    simulation_init_mesh(&s, text, make_rectangle(1, 1, 12, 12, JITTERED));
    pli_plates *plates = pli_solver_meshes(s.solver)->shell->plates;
    int32_t n = s.info.vertex_count;
    const double *X = pli_model_get_mesh(s.model).rest_positions;
    double *x = calloc(6 * (size_t)n, sizeof *x), *g = x + 3 * n;
    for (int k = 0; k < 4; ++k) {
        const double *c = curvatures[k];
        double inner = 0, rim = 0;
        for (int32_t v = 0; v < n; ++v) {
            const double *p = X + 3 * v;
            memcpy(x + 3 * v, p, 3 * sizeof *x);
            x[3 * v + 1] =
                1e-6 * (0.5 * (c[0] * p[0] * p[0] + c[1] * p[2] * p[2]) + c[2] * p[0] * p[2]);
        }
        memset(g, 0, 3 * (size_t)n * sizeof *g);
        pli_plates_term.add_gradient(plates, x, g);
        for (int32_t v = 0; v < n; ++v) {
            double *most = smallest_distance_to_rim(X + 3 * v) > 0.3 ? &inner : &rim;
            *most = fmax(*most, fabs(g[3 * v + 1]));
        }
        // angles of a millionth have ten digits
        AT_MOST(inner, 1e-8 * rim);
    }
    free(x);
    simulation_clear(&s);
}

// Curvatures along x and z of the middle of a strip, by least squares of
// y = a + b x + c z + k_x x^2 / 2 + k_z z^2 / 2 + k_xz x z.
static void fit_curvatures(const simulation *s, double *along, double *across)
{
    double A[36] = {0}, r[6] = {0};
    const double *X = pli_model_get_mesh(s->model).rest_positions,
                 *x = pli_state_get(s->state).positions;
    for (int32_t v = 0; v < s->info.vertex_count; ++v) {
        const double *p = X + 3 * v;
        if (fabs(p[0]) > 0.2) continue;
        double row[6] = {1, p[0], p[2], 0.5 * p[0] * p[0], 0.5 * p[2] * p[2], p[0] * p[2]};
        for (int i = 0; i < 36; ++i) A[i] += row[i / 6] * row[i % 6];
        for (int i = 0; i < 6; ++i) r[i] += row[i] * x[3 * v + 1];
    }
    for (int i = 0; i < 6; ++i) {
        for (int j = i + 1; j < 6; ++j) {
            double factor = A[6 * j + i] / A[7 * i];
            for (int k = i; k < 6; ++k) A[6 * j + k] -= factor * A[6 * i + k];
            r[j] -= factor * r[i];
        }
    }
    for (int i = 5; i >= 0; --i) {
        for (int j = i + 1; j < 6; ++j) r[i] -= A[6 * i + j] * r[j];
        r[i] /= A[7 * i];
    }
    *along = r[3];
    *across = r[4];
}

enum { STRIP_COLUMNS = 40, STRIP_ROWS = 10 };

// Moments about z at both ends of a strip of length 1: pairs of forces in the first two columns and
// in the last two (N m).
static void bend_ends(simulation *s, double moment)
{
    double *f = calloc(3 * (size_t)s->info.vertex_count, sizeof *f);
    for (int row = 0; row <= STRIP_ROWS; ++row) {
        int64_t first = (STRIP_COLUMNS + 1) * row, last = first + STRIP_COLUMNS;
        double share = moment / STRIP_ROWS * (row == 0 || row == STRIP_ROWS ? 0.5 : 1);
        double near = share / (mesh.points[3 * (first + 1)] + 0.5);
        double far = share / (0.5 - mesh.points[3 * (last - 1)]);
        f[3 * first + 1] = near;
        f[3 * (first + 1) + 1] = -near;
        f[3 * (last - 1) + 1] = -far;
        f[3 * last + 1] = far;
    }
    OK(s->context, pli_state_set_forces(s->state, f));
    free(f);
}

// A strip that moments at its ends bend becomes a saddle: its curvature along is M / (E t^3 / 12)
// per width, and that across is -nu times as much. A mesh without order has a hundredth of it all
// over the place.
static void a_bent_strip_curves_across_against_its_bending(void **state)
{
    (void)state;
    static const double ratios[] = {0, 0.3, 0.45, -0.3}, bands[PATTERNS] = {2e-3, 2e-3, 1.2e-2};
    const double width = 0.25, moment = 1e-6, stiffness = 1e6 * 1e-6 / 12;
    for (int kind = 0; kind < PATTERNS; ++kind) {
        for (int nu = 0; nu < 4; ++nu) {
            char text[2048];
            double along, across;
            simulation s;
            snprintf(text, sizeof text,
                     "materials: {m: {law: stable-neo-hookean, density: 1000, young: 1e6, "
                     "poisson: %g}}\n"
                     "contact: none\ngravity: [0, 0, 0]\n"
                     "bodies: {b: {kind: shell, geometry: sheet, material: m, thickness: 0.01, "
                     "bending_model: plate}}\n"
                     "constraints: [{axes: xz}, {where: {vertices: [214, 226, 388]}, axes: y}]\n"
                     "solver: {name: newton, linear: cholesky, tolerance: 1e-14}\n"
                     "time: {fps: 1, frames: 1, mode: quasi-static}\n",
                     ratios[nu]);
            simulation_init_mesh(
                &s, text, make_rectangle(1, width, STRIP_COLUMNS, STRIP_ROWS, (pattern)kind));
            bend_ends(&s, moment);
            simulation_step(&s);
            fit_curvatures(&s, &along, &across);
            NEAR(along, moment / width / stiffness, bands[kind], 0);
            NEAR(across / along, -ratios[nu], 0, bands[kind]);
            simulation_clear(&s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_supported_plate_sags_as_kirchhoff_says_on_every_mesh),
        cmocka_unit_test(constant_curvature_is_in_equilibrium),
        cmocka_unit_test(a_bent_strip_curves_across_against_its_bending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
