// SPDX-License-Identifier: Apache-2.0
//
// The characteristic norm of meshes (Wang et al. 2020): a number for every vertex, by what its
// material bears on the surface of its one-ring; one tolerance for all units, materials and
// resolutions.
#include "simulate.h"

#include "math/vec3.h"
#include "sim/step/mesh_stepper.h"

// Two materials that differ in density and stiffness meet in the middle of a block.
static const char *two_materials =
    "materials:\n"
    "  soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}\n"
    "  firm: {law: fixed-corotated, density: 3000, young: 2e7, poisson: 0.4}\n"
    "bodies:\n"
    "  block:\n"
    "    geometry: {grid: {size: [0.8, 0.4, 0.6], cells: [4, 3, 3]}}\n"
    "    material: soft\n"
    "    regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, material: firm}]\n"
    "solver: {name: newton, norm: characteristic}\n";

static const char *one_material =
    "materials: {m: {law: fixed-corotated, density: 1000, young: 1, poisson: 0.4}}\n"
    "bodies: {block: {geometry: {grid: {size: [1, 1, 1], cells: [4, 4, 4]}}, material: m}}\n"
    "solver: {name: newton, norm: characteristic}\n";

// ---- the numbers, from their definitions

// |dP/dF| of the fixed corotated law at rest (derived).
static double rest_stiffness(double young, double poisson)
{
    double mu = young / (2 * (1 + poisson));
    double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    double along = 2 * mu + lambda;
    return sqrt(3 * along * along + 6 * lambda * lambda + 12 * mu * mu);
}

static bool has_corner(const int32_t tet[4], int32_t vertex)
{
    return tet[0] == vertex || tet[1] == vertex || tet[2] == vertex || tet[3] == vertex;
}

static bool has_face(const int32_t tet[4], const int32_t face[3])
{
    return has_corner(tet, face[0]) && has_corner(tet, face[1]) && has_corner(tet, face[2]);
}

static double face_area(const double *x, const int32_t face[3])
{
    double a[3], b[3], n[3];
    pli_vec3_subtract(x + 3 * face[1], x + 3 * face[0], a);
    pli_vec3_subtract(x + 3 * face[2], x + 3 * face[0], b);
    pli_vec3_cross(a, b, n);
    return 0.5 * pli_vec3_norm(n);
}

// Surface of the polyhedron that the tetrahedra of a vertex form: faces of one of them only.
static double ring_surface(const pli_model *model, int32_t vertex)
{
    double area = 0;
    for (int32_t t = 0; t < model->tet_count; ++t) {
        const int32_t *tet = model->tets + 4 * t;
        for (int k = 0; k < 4 && has_corner(tet, vertex); ++k) {
            const int32_t face[3] = {tet[(k + 1) % 4], tet[(k + 2) % 4], tet[(k + 3) % 4]};
            int sharers = 0;
            for (int32_t u = 0; u < model->tet_count; ++u) {
                const int32_t *other = model->tets + 4 * u;
                sharers += has_corner(other, vertex) && has_face(other, face);
            }
            if (sharers == 1) area += face_area(model->rest, face);
        }
    }
    return area;
}

static double tet_volume(const double *x, const int32_t tet[4])
{
    double e[3][3], n[3];
    for (int k = 0; k < 3; ++k) pli_vec3_subtract(x + 3 * tet[k + 1], x + 3 * tet[0], e[k]);
    pli_vec3_cross(e[0], e[1], n);
    return fabs(pli_vec3_dot(n, e[2])) / 6;
}

// Mean of |dP/dF| over the tetrahedra of a vertex, by mass.
static double mean_stiffness(const pli_model *model, int32_t vertex)
{
    double sum = 0;
    double mass = 0;
    for (int32_t t = 0; t < model->tet_count; ++t) {
        const int32_t *tet = model->tets + 4 * t;
        if (!has_corner(tet, vertex)) continue;
        double center = 0;
        for (int k = 0; k < 4; ++k) center += 0.25 * model->rest[3 * tet[k]];
        bool firm = center > 0;
        double part = (firm ? 3000 : 1000) * tet_volume(model->rest, tet);
        sum += part * (firm ? rest_stiffness(2e7, 0.4) : rest_stiffness(1e5, 0.3));
        mass += part;
    }
    return sum / mass;
}

static void every_vertex_has_its_own_number(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, two_materials, 1);
    int32_t n = s.info.vertex_count;
    double least = INFINITY;
    double most = 0;
    for (int32_t i = 0; i < n; ++i) {
        double bears = ring_surface(s.model, i) * mean_stiffness(s.model, i);
        NEAR(s.model->norm_weights[i], 1 / (bears * bears * n), 1e-10, 0);
        least = fmin(least, bears);
        most = fmax(most, bears);
    }
    AT_LEAST(most, 100 * least);
    simulation_clear(&s);
}

// what is left of the number is the size of elements.
static void one_material_gives_the_norm_of_a_uniform_mesh(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, one_material, 1);
    int32_t n = s.info.vertex_count;
    for (int32_t i = 0; i < n; ++i) {
        double bears = 5.24891 * ring_surface(s.model, i);
        // the constant has six digits
        NEAR(s.model->norm_weights[i], 1 / (bears * bears * n), 5e-6, 0);
    }
    simulation_clear(&s);
}

// |g / (l xi)| <= eps sqrt(n): forces of what every vertex bears have norm 1, whatever n is.
static void forces_that_vertices_bear_have_norm_one(void **state)
{
    (void)state;
    const char *const scenes[] = {one_material, two_materials};
    for (int k = 0; k < 2; ++k) {
        simulation s;
        simulation_init(&s, scenes[k], 1);
        int32_t n = s.info.vertex_count;
        double *g = calloc((size_t)n, 3 * sizeof *g);
        assert_non_null(g);
        for (int32_t i = 0; i < n; ++i) g[3 * i + 1] = 1 / sqrt(s.model->norm_weights[i] * n);
        NEAR(pli_objective_norm(&pli_solver_meshes(s.solver)->objective, g), 1, 1e-13, 0);
        NEAR(s.model->tolerance, 1e-7, 0, 0);
        free(g);
        simulation_clear(&s);
    }
}

// ---- units

enum { VERTICES = 63 };

typedef struct outcome {
    int32_t iterations[4];
    double residual[4];
    double x[3 * VERTICES];
} outcome;

// A bar of two materials that sags, with the unit of length `length` times as small as a metre and
// that of mass `mass` times as small as a kilogram.
static void run_in_units(const char *solver, double length, double mass, outcome *out)
{
    char yaml[2048];
    double density = mass / (length * length * length);
    double modulus = mass / length;
    snprintf(yaml, sizeof yaml,
             "materials:\n"
             "  soft: {law: fixed-corotated, density: %.17g, young: %.17g, poisson: 0.3}\n"
             "  firm: {law: fixed-corotated, density: %.17g, young: %.17g, poisson: 0.4}\n"
             "bodies:\n"
             "  bar:\n"
             "    geometry: {grid: {size: [%.17g, %.17g, %.17g], cells: [6, 2, 2]}}\n"
             "    material: soft\n"
             "    regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, "
             "material: firm}]\n"
             "gravity: [0, %.17g, 0]\n"
             "constraints: [{where: {half_space: {point: [%.17g, 0, 0], normal: [-1, 0, 0]}}}]\n"
             "solver: {name: %s, norm: characteristic}\n",
             1000 * density, 1e5 * modulus, 3000 * density, 2e6 * modulus, length, 0.2 * length,
             0.2 * length, -9.81 * length, -0.499 * length, solver);
    simulation s;
    simulation_init(&s, yaml, 1);
    assert_int_equal(s.info.vertex_count, VERTICES);
    for (int k = 0; k < 4; ++k) {
        pli_step_report report = simulation_step(&s);
        out->iterations[k] = report.iterations;
        out->residual[k] = report.residual;
    }
    memcpy(out->x, pli_state_get(s.state).positions, sizeof out->x);
    simulation_clear(&s);
}

static void results_do_not_depend_on_units(void **state)
{
    (void)state;
    // direct solves: conjugate gradients may end an iteration sooner by rounding alone
    static const char *const solvers[] = {"newton, linear: cholesky", "lbfgs"};
    // millimetres, grams, and both
    static const double units[][2] = {{1000, 1}, {1, 1000}, {1000, 1000}};
    for (int k = 0; k < 2; ++k) {
        outcome si;
        run_in_units(solvers[k], 1, 1, &si);
        for (int u = 0; u < 3; ++u) {
            outcome other;
            double length = units[u][0];
            run_in_units(solvers[k], length, units[u][1], &other);
            for (int i = 0; i < 4; ++i) {
                assert_int_equal(other.iterations[i], si.iterations[i]);
                // residuals are sums of forces that cancel to 1e-7 and less
                NEAR(other.residual[i], si.residual[i], 1e-3, 1e-13);
            }
            for (int i = 0; i < 3 * VERTICES; ++i) {
                NEAR(other.x[i], length * si.x[i], 0, 1e-10 * length);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vertex_has_its_own_number),
        cmocka_unit_test(one_material_gives_the_norm_of_a_uniform_mesh),
        cmocka_unit_test(forces_that_vertices_bear_have_norm_one),
        cmocka_unit_test(results_do_not_depend_on_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
