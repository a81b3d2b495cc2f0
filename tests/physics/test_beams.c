// SPDX-License-Identifier: Apache-2.0
//
// Beams of tetrahedra against beam theory: end loads small and large, own weight, frequencies,
// buckling.
//
// Linear tetrahedra are too stiff in bending, by some c / n^2 with n cells over the height; so two
// meshes are extrapolated, and neither of them may be softer than theory. Loads are grips: springs
// so soft and so far away that their force does not change.
#include "simulate.h"

#include "math/vec3.h"
#include "sim/step/scripts.h"

static const double young = 1e6; // Pa

// ---- beams along x, held at x = 0

typedef struct beam {
    double length, height, width; // m
    int32_t cells[3];
    const char *law;
    double poisson;
    double gravity;     // along -y (m/s^2)
    const char *axes;   // that are held everywhere; "": none
    const char *solver; // NULL: projected Newton
} beam;

static void beam_init(simulation *s, const beam *b, const char *time)
{
    char yaml[2048], held[128] = "";
    if (b->axes[0] != '\0') {
        snprintf(held, sizeof held, "  - {where: all, axes: %s}\n", b->axes);
    }
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: %s, density: 1000, young: %.17g, poisson: %.17g}}\n"
             "bodies: {beam: {geometry: {grid: {center: [%.17g, 0, 0], size: [%.17g, %.17g, "
             "%.17g],\n"
             "  cells: [%d, %d, %d]}}, material: m}}\n"
             "gravity: [0, %.17g, 0]\n"
             "constraints:\n"
             "  - {where: {half_space: {point: [1e-9, 0, 0], normal: [-1, 0, 0]}}}\n"
             "%s"
             "solver: {name: %s, linear: cholesky, tolerance: 1e-11, max_iterations: 500}\n"
             "%s",
             b->law, young, b->poisson, b->length / 2, b->length, b->height, b->width,
             (int)b->cells[0], (int)b->cells[1], (int)b->cells[2], -b->gravity, held,
             b->solver != NULL ? b->solver : "pn-pcg", time);
    simulation_init(s, yaml, 1);
}

static const char *quasi_static = "time: {fps: 1, frames: 1, mode: quasi-static}\n";

// A plane beam: one cell wide, nothing moves along z, and there is no Poisson's ratio.
static beam plane_beam(double height, int32_t n, const char *law)
{
    return (beam){.length = 1,
                  .height = height,
                  .width = height / n,
                  .cells = {(int32_t)lround(n / height), n, 1},
                  .law = law,
                  .axes = "z"};
}

static bool is_tip(const simulation *s, const beam *b, int32_t vertex)
{
    return pli_model_get_mesh(s->model).rest_positions[3 * vertex] > b->length - 1e-9;
}

// Share of the end face that a vertex stands for.
static double tip_share(const simulation *s, const beam *b, int32_t vertex)
{
    const double *X = pli_model_get_mesh(s->model).rest_positions + 3 * vertex;
    double share = 1.0 / b->cells[1] / b->cells[2];
    if (fabs(fabs(X[1]) - b->height / 2) < 1e-9) share /= 2;
    if (fabs(fabs(X[2]) - b->width / 2) < 1e-9) share /= 2;
    return is_tip(s, b, vertex) ? share : 0;
}

// A force on the end face (N), the same whatever moves: to 1e-4 when that is as long as the beam.
static void load_tip(simulation *s, const beam *b, const double force[3])
{
    const double far = 1e4;
    double size = pli_vec3_norm(force);
    for (int32_t i = 0; i < s->info.vertex_count; ++i) {
        double share = tip_share(s, b, i), target[3];
        if (share == 0) continue;
        pli_vec3_add_scaled(pli_model_get_mesh(s->model).rest_positions + 3 * i, far / size, force,
                            target);
        OK(s->context, pli_state_set_grip(s->state, i, share * size / far, target));
    }
}

// Mean displacement of the end face (m).
static void tip_moved(const simulation *s, const beam *b, double u[3])
{
    const double *X = pli_model_get_mesh(s->model).rest_positions,
                 *x = pli_state_get(s->state).positions;
    pli_vec3_set(0, 0, 0, u);
    for (int32_t i = 0; i < s->info.vertex_count; ++i) {
        double share = tip_share(s, b, i);
        for (int k = 0; k < 3; ++k) u[k] += share * (x[3 * i + k] - X[3 * i + k]);
    }
}

// Angle that the end face has turned by, downwards (rad).
static double tip_angle(const simulation *s, const beam *b)
{
    const double *X = pli_model_get_mesh(s->model).rest_positions,
                 *x = pli_state_get(s->state).positions;
    double up[2] = {0, 0};
    for (int32_t i = 0; i < s->info.vertex_count; ++i) {
        if (!is_tip(s, b, i)) continue;
        for (int k = 0; k < 2; ++k) up[k] += X[3 * i + 1] * x[3 * i + k];
    }
    return atan2(up[0], up[1]);
}

// Removes an error c / n^2 from values at n and 2 n.
static double extrapolate(double coarse, double fine)
{
    return fine + (fine - coarse) / 3;
}

// ---- small end load

// Deflection over that of Timoshenko's theory, for P = 0.01 N.
static double end_deflection(int32_t n, double poisson)
{
    beam b = {.length = 1,
              .height = 0.1,
              .width = 0.1,
              .cells = {10 * n, n, n},
              .law = "linear",
              .poisson = poisson,
              .axes = ""};
    simulation s;
    beam_init(&s, &b, quasi_static);
    load_tip(&s, &b, (double[3]){0, -0.01, 0});
    simulation_step(&s);
    double u[3], I = 1e-4 / 12, G = young / (2 * (1 + poisson));
    tip_moved(&s, &b, u);
    simulation_clear(&s);
    double k = 10 * (1 + poisson) / (12 + 11 * poisson);
    double theory = 0.01 / (3 * young * I) + 0.01 / (k * G * 0.01);
    if (poisson == 0.3) NEAR(theory, 4.03060e-4, 1e-6, 0);
    return -u[1] / theory;
}

static void end_loads_bend_beams_as_timoshenko_says(void **state)
{
    (void)state;
    static const double known[] = {0.6419, 0.8769, 0.9660}; // at n = 2, 4, 8
    double found[3];
    for (int k = 0; k < 3; ++k) {
        found[k] = end_deflection(2 << k, 0);
        NEAR(found[k], known[k], 0, 5e-3);
        AT_MOST(found[k], 1);
        if (k > 0) AT_LEAST(found[k], found[k - 1]);
    }
    NEAR(extrapolate(found[1], found[2]), 1, 0.015, 0);
    // a Poisson's ratio locks besides
    double coarse = end_deflection(4, 0.3), fine = end_deflection(8, 0.3);
    AT_MOST(fine, 1);
    NEAR(extrapolate(coarse, fine), 1, 0.015, 0);
}

// ---- large end load and own weight

// Of a plane beam with one cell a height along it; angle, shortening and deflection of its end.
typedef struct bow {
    double angle; // rad
    double u, w;  // over the length
} bow;

static const double slender = 0.02; // height over length
enum { BOW_LOADS = 4 };
static const double bow_loads[BOW_LOADS] = {1, 2, 5, 10};

// Bends a beam by a load k = P L^2 / E I, or k = q L^3 / E I of its own weight.
static void bend(int32_t n, bool by_weight, double k, bow *result)
{
    beam b = plane_beam(slender, n, "fixed-corotated");
    double EI = young * b.width * pow(b.height, 3) / 12, u[3];
    simulation s;
    b.gravity = by_weight ? k * EI / (1000 * b.width * b.height) : 0;
    beam_init(&s, &b, quasi_static);
    if (!by_weight) load_tip(&s, &b, (double[3]){0, -k * EI, 0});
    simulation_step(&s);
    tip_moved(&s, &b, u);
    *result = (bow){tip_angle(&s, &b), -u[0], -u[1]};
    simulation_clear(&s);
}

// Two meshes, the finer with 6 or 8 cells over the height, or 16 where time does not matter. Every
// other load where it does; returns every how manyth.
static int bend_twice(bool by_weight, bow *fine, bow *limit)
{
    bool is_long = getenv("PLIANT_LONG") != NULL;
    int32_t n = is_long ? 8 : by_weight ? 3 : 4;
    int step = is_long ? 1 : 2;
    bow coarse[BOW_LOADS];
    for (int k = step - 1; k < BOW_LOADS; k += step) {
        bend(n, by_weight, bow_loads[k], &coarse[k]);
        bend(2 * n, by_weight, bow_loads[k], &fine[k]);
        limit[k] = (bow){extrapolate(coarse[k].angle, fine[k].angle),
                         extrapolate(coarse[k].u, fine[k].u), extrapolate(coarse[k].w, fine[k].w)};
    }
    return step;
}

// Mattiasson (1981); inextensible, which these beams are to k h^2 / 12 L^2 = 3e-4.
static void large_end_loads_bend_beams_as_the_elastica(void **state)
{
    (void)state;
    static const bow known[BOW_LOADS] = {{0.461352, 0.056433, 0.301721},
                                         {0.781750, 0.160642, 0.493457},
                                         {1.215368, 0.387628, 0.713792},
                                         {1.430286, 0.554996, 0.810609}};
    bow fine[BOW_LOADS], limit[BOW_LOADS];
    int step = bend_twice(false, fine, limit);
    for (int k = step - 1; k < BOW_LOADS; k += step) {
        AT_MOST(fine[k].w, known[k].w);
        NEAR(limit[k].angle, known[k].angle, 0.01, 0);
        NEAR(limit[k].u, known[k].u, 0.01, 0);
        NEAR(limit[k].w, known[k].w, 0.01, 0);
    }
}

static void beams_bow_under_their_weight_as_the_elastica(void **state)
{
    (void)state;
    static const double known[BOW_LOADS][2] = {
        {0.123471, 0.1246}, {0.238507, 0.2467}, {0.495905, 0.5857}, {0.700200, 1.0668}};
    bow fine[BOW_LOADS], limit[BOW_LOADS];
    int step = bend_twice(true, fine, limit);
    for (int k = step - 1; k < BOW_LOADS; k += step) {
        AT_MOST(fine[k].w, known[k][0]);
        NEAR(limit[k].w, known[k][0], 0.015, 0);
        NEAR(limit[k].w / (1 - limit[k].u), known[k][1], 0.015, 0);
    }
}

// ---- frequencies

enum { MODES = 8 };

// x <- x - (x . M y) y
static void take_out(const simulation *s, const double *y, double *x)
{
    const double *mass = pli_model_get_mesh(s->model).masses;
    int64_t n = 3 * (int64_t)s->info.vertex_count;
    double dot = 0;
    for (int64_t k = 0; k < n; ++k) dot += mass[k / 3] * x[k] * y[k];
    for (int64_t k = 0; k < n; ++k) x[k] -= dot * y[k];
}

// x <- x / |x|_M; returns |x|_M^2
static double normalise(const simulation *s, double *x)
{
    const double *mass = pli_model_get_mesh(s->model).masses;
    int64_t n = 3 * (int64_t)s->info.vertex_count;
    double dot = 0;
    for (int64_t k = 0; k < n; ++k) dot += mass[k / 3] * x[k] * x[k];
    for (int64_t k = 0; k < n; ++k) x[k] /= sqrt(dot);
    return dot;
}

// Lowest frequencies of a beam at rest (Hz), from inverse iterations x <- K^-1 M x with the matrix
// of the solver. Modes of equal frequency are found one after another.
static void find_frequencies(const beam *b, int count, double *frequencies)
{
    simulation s;
    beam_init(&s, b, quasi_static);
    int64_t n = 3 * (int64_t)s.info.vertex_count;
    double *modes = calloc((size_t)(n * count), sizeof *modes);
    double *f = calloc((size_t)n, sizeof *f);
    bool definite = false;
    pli_mesh_stepper *meshes = pli_solver_meshes(s.solver);
    pli_scripts_hold(meshes, 0);
    pli_objective_compute_hessian(&meshes->objective, pli_state_get(s.state).positions, false);
    OK(s.context, pli_linear_solver_build(meshes->linear, &definite));
    assert_true(definite);
    for (int mode = 0; mode < count; ++mode) {
        double *x = modes + n * mode, before = 0, now = 1;
        for (int64_t k = 0; k < n; ++k) x[k] = sin(1.7 * (double)k + mode);
        for (int step = 0; step < 300 && fabs(now / before - 1) > 1e-9; ++step) {
            for (int64_t k = 0; k < n; ++k) {
                bool held = meshes->fixed[k / 3] & (1u << (k % 3));
                f[k] = held ? 0 : pli_model_get_mesh(s.model).masses[k / 3] * x[k];
            }
            pli_krylov_report solved;
            OK(s.context,
               pli_linear_solver_solve(meshes->linear, f, 1e-12, meshes->scratch, x, &solved));
            for (int k = 0; k < mode; ++k) take_out(&s, modes + n * k, x);
            before = now;
            // x was of length one, so this is 1 / omega^4
            now = normalise(&s, x);
        }
        frequencies[mode] = pow(now, -0.25) / (2 * M_PI);
    }
    free(f);
    free(modes);
    simulation_clear(&s);
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The frequency equation of a Timoshenko cantilever (Huang 1961): zero at b^2 = rho A L^4 w^2 / E
// I; r^2 = I / A L^2, s^2 = E I / k G A L^2.
static double huang(double b, double r2, double s2)
{
    double root = sqrt((r2 - s2) * (r2 - s2) + 4 / (b * b));
    double alpha = sqrt((root - r2 - s2) / 2), beta = sqrt((root + r2 + s2) / 2);
    return 2 + (b * b * (r2 - s2) * (r2 - s2) + 2) * cosh(b * alpha) * cos(b * beta) -
           b * (r2 + s2) / sqrt(1 - b * b * r2 * s2) * sinh(b * alpha) * sin(b * beta);
}

// Its first root between two frequencies (Hz).
static double timoshenko_frequency(double low, double high, double height)
{
    double r2 = height * height / 12, s2 = r2 * 2 / (5.0 / 6);
    double unit = 2 * M_PI * sqrt(1000 / young / r2);
    for (int step = 0; step < 60; ++step) {
        double middle = (low + high) / 2;
        bool is_left = huang(low * unit, r2, s2) * huang(middle * unit, r2, s2) > 0;
        *(is_left ? &low : &high) = middle;
    }
    return low;
}

// Euler and Bernoulli; a square section has every frequency twice. Between the second and the third
// are torsion and, at 7.9 Hz, stretching.
static void beams_swing_at_their_frequencies(void **state)
{
    (void)state;
    static const double known[3] = {0.510835, 3.201345, 8.963860};
    beam b = {
        .length = 1, .height = 0.1, .width = 0.1, .cells = {80, 8, 8}, .law = "linear", .axes = ""};
    double found[MODES];
    find_frequencies(&b, MODES, found);
    qsort(found, MODES, sizeof *found, compare_numbers);
    // that theory has no shear and no inertia of turning, which take 0.4 %, 3.6 % and 8.5 %
    for (int k = 0; k < 6; ++k) {
        double shear = timoshenko_frequency(0.8 * known[k / 2], 1.05 * known[k / 2], b.height);
        double got = found[k < 4 ? k : k + 2];
        if (k < 2) NEAR(got, known[0], 0.02, 0);
        NEAR(got, shear, 0.02, 0);
        AT_LEAST(got, shear);
    }
    NEAR(found[5], 7.905694, 0.01, 0);
}

// c / 4 L, 3 c / 4 L, ...
static void bars_stretch_at_their_frequencies(void **state)
{
    (void)state;
    beam b = {.length = 1,
              .height = 0.1,
              .width = 0.1,
              .cells = {40, 2, 2},
              .law = "linear",
              .axes = "yz"};
    double found[2];
    find_frequencies(&b, 2, found);
    NEAR(found[0], 7.905694, 0.002, 0);
    NEAR(found[1], 3 * 7.905694, 0.002, 0);
}

// ---- buckling

static double euler_load(const beam *b)
{
    return M_PI * M_PI * young * b->width * pow(b->height, 3) / 12 / (4 * b->length * b->length);
}

// How far a column bends to the side under a load, in parts of Euler's, next to 1e-4 of Euler's
// load to the side (m).
static double lean(int32_t n, double share)
{
    beam b = plane_beam(0.1, n, "fixed-corotated");
    b.solver = "newton";
    double load = euler_load(&b), u[3];
    simulation s;
    beam_init(&s, &b, quasi_static);
    load_tip(&s, &b, (double[3]){-share * load, -1e-4 * load, 0});
    simulation_step(&s);
    tip_moved(&s, &b, u);
    simulation_clear(&s);
    return -u[1];
}

// The load at which bending would go on without end, in parts of Euler's: w = c / (1 - P / P_c),
// from two loads below (Southwell 1932).
static double critical_load(int32_t n)
{
    const double low = 0.5, high = 0.8;
    double ratio = lean(n, high) / lean(n, low);
    return (ratio * high - low) / (ratio - 1);
}

// pi^2 E I / 4 L^2 of a slender column; shear takes P_c / k G A = 0.5 % of it, in compression the
// column gets shorter by 0.2 %.
static void columns_buckle_at_eulers_load(void **state)
{
    (void)state;
    beam whole = {.length = 1, .height = 0.1, .width = 0.1};
    NEAR(euler_load(&whole), 20.5617, 2e-6, 0);
    double coarse = critical_load(4), fine = critical_load(8);
    AT_LEAST(coarse, fine);
    AT_LEAST(fine, 1);
    NEAR(extrapolate(coarse, fine), 1, 0.03, 0);
    // 8e-5 L of the load beside, 1 / (1 - 0.97) times as much, and the elastica's 0.31 L
    double below = lean(4, 0.97 * coarse), above = lean(4, 1.03 * coarse);
    AT_MOST(below, 4e-3);
    AT_LEAST(above, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(end_loads_bend_beams_as_timoshenko_says),
        cmocka_unit_test(large_end_loads_bend_beams_as_the_elastica),
        cmocka_unit_test(beams_bow_under_their_weight_as_the_elastica),
        cmocka_unit_test(beams_swing_at_their_frequencies),
        cmocka_unit_test(bars_stretch_at_their_frequencies),
        cmocka_unit_test(columns_buckle_at_eulers_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
