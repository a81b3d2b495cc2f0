// SPDX-License-Identifier: Apache-2.0
#include "solid_elements.h"

#include "base/context.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "solid_mesh.h"
#include "solid_run.h"

#include <math.h>
#include <string.h>

#define QUASI_STATIC                                                                    \
    "gravity: [0, 0, 0]\n"                                                              \
    "solver: {name: pn-pcg, linear: cholesky, tolerance: 1e-10, max_iterations: 500}\n" \
    "time: {fps: 1, frames: 1, mode: quasi-static}\n"

// ---- Cook's membrane

static void place_cook(const void *user, const double s[3], double x[3])
{
    const int32_t *cells = user;
    x[0] = 0.048 * s[0];
    x[1] = s[1] * (0.044 - 0.028 * s[0]) + 0.044 * s[0];
    x[2] = 0.044 / *cells * s[2];
}

pli_status pli_solid_cook(pli_context *context, const char *element, int32_t n, double poisson,
                          double *tip)
{
    pli_tet_mesh *mesh = NULL;
    PLI_TRY(pli_solid_slab(context, n, place_cook, &n, &mesh));
    pli_mesh_data data = pli_solid_mesh_data(mesh);
    pli_solid s;
    pli_status status = pli_solid_init(
        &s, context, &data,
        "materials: {m: {law: stable-neo-hookean, density: 1000, young: 250e6, poisson: %.17g}}\n"
        "bodies: {slab: {geometry: {grid: {}}, material: m, element: %s}}\n"
        "constraints:\n"
        "  - {where: {half_space: {point: [1e-9, 0, 0], normal: [-1, 0, 0]}}}\n"
        "  - {where: all, axes: z}\n"
        "loads:\n"
        "  - {where: {half_space: {point: [0.047999999, 0, 0], normal: [1, 0, 0]}}, traction: [0, "
        "1e5, 0]}\n" QUASI_STATIC,
        poisson, element);
    pli_tet_mesh_destroy(mesh);
    if (status != PLI_OK) return status;
    pli_step_report report;
    status = pli_solid_step(&s, &report);
    for (int32_t k = 0; k < 3 * s.info.vertex_count; k += 3) {
        if (s.X[k] > 0.048 - 1e-9 && s.X[k + 1] > 0.06 - 1e-9) *tip = s.x[k + 1] - s.X[k + 1];
    }
    pli_solid_clear(&s);
    return status;
}

// ---- cantilever

static const double beam_length = 1, beam_height = 0.1;

static void place_beam(const void *user, const double s[3], double x[3])
{
    (void)user;
    x[0] = beam_length * s[0];
    x[1] = beam_height * (s[1] - 0.5);
    x[2] = beam_height * (s[2] - 0.5);
}

// P l^3 / (3 E I) + P l / (k G A) of P = 1 N/m^2 times A.
static double timoshenko(void)
{
    const double E = 1e6, G = 0.5e6, area = pow(beam_height, 2), I = pow(beam_height, 4) / 12;
    const double P = area, shear = 10.0 / 12;
    return P * pow(beam_length, 3) / (3 * E * I) + P * beam_length / (shear * G * area);
}

pli_status pli_solid_cantilever(pli_context *context, const char *element, int32_t through,
                                double *ratio)
{
    pli_tet_mesh *mesh = NULL;
    PLI_TRY(pli_solid_block(context, (const int32_t[3]){10 * through, through, through}, place_beam,
                            NULL, &mesh));
    pli_mesh_data data = pli_solid_mesh_data(mesh);
    pli_solid s;
    pli_status status = pli_solid_init(
        &s, context, &data,
        "materials: {m: {law: linear, density: 1000, young: 1e6, poisson: 0}}\n"
        "bodies: {beam: {geometry: {grid: {}}, material: m, element: %s}}\n"
        "constraints: [{where: {half_space: {point: [1e-9, 0, 0], normal: [-1, 0, 0]}}}]\n"
        "loads:\n"
        "  - {where: {half_space: {point: [0.999999999, 0, 0], normal: [1, 0, 0]}}, traction: [0, "
        "-1, 0]}\n" QUASI_STATIC,
        element);
    pli_tet_mesh_destroy(mesh);
    if (status != PLI_OK) return status;
    pli_step_report report;
    status = pli_solid_step(&s, &report);
    // nodes of the end in the plane that bending leaves as long as it was
    double moved = 0, count = 0;
    for (int32_t k = 0; k < 3 * s.info.vertex_count; k += 3) {
        if (s.X[k] < beam_length - 1e-9 || fabs(s.X[k + 1]) > 1e-9) continue;
        moved += s.X[k + 1] - s.x[k + 1];
        count += 1;
    }
    *ratio = moved / count / timoshenko();
    pli_solid_clear(&s);
    return status;
}

// ---- a thick cylinder under a pressure inside, in plane strain

static const double inner = 1, outer = 2, pressure = 1e3, ring_young = 1e6;

static void place_ring(const void *user, const double s[3], double x[3])
{
    (void)user;
    double r = inner + (outer - inner) * s[0], angle = 0.5 * M_PI * s[1];
    x[0] = r * cos(angle);
    x[1] = r * sin(angle);
    x[2] = 0.1 * s[2];
}

// u(r) = (1 + nu) p a^2 / (E (b^2 - a^2)) ((1 - 2 nu) r + b^2 / r)
static double lame_displacement(double poisson, double r)
{
    double c =
        (1 + poisson) * pressure * inner * inner / ring_young / (outer * outer - inner * inner);
    return c * ((1 - 2 * poisson) * r + outer * outer / r);
}

// sigma(r) = p a^2 / (b^2 - a^2) (1 + b^2 / r^2)
static double lame_hoop(double r)
{
    return pressure * inner * inner / (outer * outer - inner * inner) *
           (1 + outer * outer / (r * r));
}

// sigma_tt at a place from xx, yy, zz, xy, yz, xz.
static double hoop_of(const double *stress, const double X[3])
{
    double r2 = X[0] * X[0] + X[1] * X[1];
    return (stress[0] * X[1] * X[1] + stress[1] * X[0] * X[0] - 2 * stress[3] * X[0] * X[1]) / r2;
}

// The hoop stress that vertices have from the elements around them, but for those on the faces,
// which have elements on one side alone.
static pli_status compare_hoop_of_vertices(pli_solid *s, pli_solid_lame *errors)
{
    const double *stress;
    PLI_TRY(pli_solid_field(s, "stress", &stress));
    double square = 0, count = 0;
    for (int64_t k = 0; k < s->info.vertex_count; ++k) {
        double r = hypot(s->X[3 * k], s->X[3 * k + 1]);
        if (r < 1.01 * inner || r > 0.99 * outer) continue;
        square += pow(hoop_of(stress + 6 * k, s->X + 3 * k) - lame_hoop(r), 2);
        count += 1;
    }
    errors->hoop_vertices = sqrt(square / count) / lame_hoop(inner);
    return PLI_OK;
}

// The hoop stress of elements against that at their centres: over the volume, and the average of
// the layer that touches the inner face.
static pli_status compare_hoop(pli_solid *s, pli_solid_lame *errors)
{
    const int32_t *tets = pli_model_get_mesh(s->model).tets;
    const double *stress;
    PLI_TRY(pli_solid_field(s, "stress_cell", &stress));
    double square = 0, volume = 0, found = 0, expected = 0;
    for (int64_t t = 0; t < s->info.tet_count; ++t) {
        double X[3], V = pli_tet_volume_at(s->X, tets + 4 * t);
        pli_tet_centroid(s->X, tets + 4 * t, X);
        double r = hypot(X[0], X[1]), hoop = hoop_of(stress + 6 * t, X), exact = lame_hoop(r);
        square += V * pow(hoop - exact, 2);
        volume += V;
        bool touches = false;
        for (int k = 0; k < 4; ++k) {
            const double *corner = s->X + 3 * (int64_t)tets[4 * t + k];
            touches = touches || hypot(corner[0], corner[1]) < inner + 1e-9;
        }
        if (touches) found += V * hoop, expected += V * exact;
    }
    errors->hoop_elements = sqrt(square / volume) / lame_hoop(inner);
    errors->hoop = fabs(found / expected - 1);
    return compare_hoop_of_vertices(s, errors);
}

pli_status pli_solid_cylinder(pli_context *context, const char *element, double poisson,
                              int32_t rings, pli_solid_lame *errors)
{
    pli_tet_mesh *mesh = NULL;
    *errors = (pli_solid_lame){0};
    PLI_TRY(pli_solid_block(context, (const int32_t[3]){rings, 3 * rings / 2, 1}, place_ring, NULL,
                            &mesh));
    pli_mesh_data data = pli_solid_mesh_data(mesh);
    pli_solid s;
    pli_status status = pli_solid_init(
        &s, context, &data,
        "materials: {m: {law: stable-neo-hookean, density: 1000, young: %g, poisson: %.17g}}\n"
        "bodies: {ring: {geometry: {grid: {}}, material: m, element: %s}}\n"
        "constraints:\n"
        "  - {where: {half_space: {point: [0, 1e-9, 0], normal: [0, -1, 0]}}, axes: y}\n"
        "  - {where: {half_space: {point: [1e-9, 0, 0], normal: [-1, 0, 0]}}, axes: x}\n"
        "  - {where: all, axes: z}\n"
        // the inner face, and nothing of the next ring
        "loads: [{where: {sphere: {center: [0, 0, 0], radius: 1.006}}, pressure: %g}]\n"
        "output: {fields: [stress, stress_cell]}\n" QUASI_STATIC,
        ring_young, poisson, element, pressure);
    pli_tet_mesh_destroy(mesh);
    if (status != PLI_OK) return status;
    pli_step_report report;
    status = pli_solid_step(&s, &report);
    for (int32_t k = 0; k < 3 * s.info.vertex_count; k += 3) {
        double r = hypot(s.X[k], s.X[k + 1]), u = hypot(s.x[k], s.x[k + 1]) - r;
        errors->displacement =
            fmax(errors->displacement, fabs(u / lame_displacement(poisson, r) - 1));
    }
    if (status == PLI_OK) status = compare_hoop(&s, errors);
    pli_solid_clear(&s);
    return status;
}

// ---- a manufactured solution

static const double cube_mu = 1e6 / 2.6, cube_lambda = 1e6 * 0.3 / (1.3 * 0.4);

// u = c (sin 2x cos 2y, ...)
static void exact_displacement(const double X[3], double u[3])
{
    for (int k = 0; k < 3; ++k) {
        u[k] = 1e-3 * sin(2 * X[k]) * cos(2 * X[(k + 1) % 3] + 0.3 * k);
    }
}

// -div sigma = -(mu laplace u + (lambda + mu) grad div u), by central differences of the closed
// form.
static void exact_force(const double X[3], double f[3])
{
    const double h = 1e-3;
    double second[3][3][3]; // d2 u_i / dX_j dX_k
    for (int jk = 0; jk < 9; ++jk) {
        double sum[3] = {0, 0, 0};
        for (int sign = 0; sign < 4; ++sign) {
            double at[3], u[3];
            pli_vec3_copy(X, at);
            at[jk / 3] += sign & 1 ? h : -h;
            at[jk % 3] += sign & 2 ? h : -h;
            exact_displacement(at, u);
            for (int i = 0; i < 3; ++i) sum[i] += (sign == 0 || sign == 3 ? 1 : -1) * u[i];
        }
        for (int i = 0; i < 3; ++i) second[i][jk / 3][jk % 3] = sum[i] / (4 * h * h);
    }
    for (int i = 0; i < 3; ++i) {
        f[i] = 0;
        for (int j = 0; j < 3; ++j) {
            f[i] -= cube_mu * second[i][j][j] + (cube_lambda + cube_mu) * second[j][j][i];
        }
    }
}

// Shape functions of four or ten nodes.
static void shape_at(const double L[4], bool quadratic, double N[10])
{
    static const int ends[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    for (int k = 0; k < 4; ++k) N[k] = quadratic ? L[k] * (2 * L[k] - 1) : L[k];
    for (int k = 0; k < 6; ++k) N[4 + k] = 4 * L[ends[k][0]] * L[ends[k][1]];
}

// Called with a place, its weight, the nodes around it and their shape functions.
typedef void (*integrand_fn)(void *user, const double X[3], double weight, int count,
                             const int32_t *nodes, const double *N);

// Integrates over the elements by 4^3 Gauss points of a collapsed cube.
static void integrate(const pli_solid *s, integrand_fn visit, void *user)
{
    static const double g[4] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813,
                                0.93056815579702629};
    static const double w[4] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                0.17392742256872693};
    const int32_t *tets = pli_model_get_mesh(s->model).tets,
                  *mids = pli_model_get_mesh(s->model).mid_nodes;
    for (int64_t t = 0; t < s->info.tet_count; ++t) {
        int32_t nodes[10];
        memcpy(nodes, tets + 4 * t, 4 * sizeof *nodes);
        if (mids != NULL) memcpy(nodes + 4, mids + 6 * t, 6 * sizeof *nodes);
        double volume = pli_tet_volume_at(s->X, nodes);
        for (int q = 0; q < 64; ++q) {
            double a = g[q / 16], b = g[q / 4 % 4], c = g[q % 4], N[10], X[3] = {0, 0, 0};
            double L[4] = {a, (1 - a) * b, (1 - a) * (1 - b) * c, (1 - a) * (1 - b) * (1 - c)};
            double weight =
                6 * volume * w[q / 16] * w[q / 4 % 4] * w[q % 4] * (1 - a) * (1 - a) * (1 - b);
            for (int k = 0; k < 4; ++k) {
                pli_vec3_add_scaled(X, L[k], s->X + 3 * (int64_t)nodes[k], X);
            }
            shape_at(L, mids != NULL, N);
            visit(user, X, weight, mids != NULL ? 10 : 4, nodes, N);
        }
    }
}

static void add_force(void *user, const double X[3], double weight, int count, const int32_t *nodes,
                      const double *N)
{
    double f[3], *forces = user;
    exact_force(X, f);
    for (int k = 0; k < count; ++k) {
        double *to = forces + 3 * (int64_t)nodes[k];
        pli_vec3_add_scaled(to, weight * N[k], f, to);
    }
}

typedef struct error_sum {
    const pli_solid *solid;
    double square;
} error_sum;

static void add_error(void *user, const double X[3], double weight, int count, const int32_t *nodes,
                      const double *N)
{
    error_sum *sum = user;
    double u[3], found[3] = {0, 0, 0};
    exact_displacement(X, u);
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) {
            int64_t at = 3 * (int64_t)nodes[k] + i;
            found[i] += N[k] * (sum->solid->x[at] - sum->solid->X[at]);
        }
    }
    pli_vec3_subtract(found, u, found);
    sum->square += weight * pli_vec3_norm2(found);
}

static void place_unit(const void *user, const double s[3], double x[3])
{
    (void)user;
    pli_vec3_copy(s, x);
}

static bool is_on_cube(const double X[3])
{
    for (int k = 0; k < 3; ++k) {
        if (X[k] < 1e-9 || X[k] > 1 - 1e-9) return true;
    }
    return false;
}

// Springs hold the surface where the solution has it, forces push the insides.
static pli_status push_cube(pli_solid *s, double *forces)
{
    integrate(s, add_force, forces);
    for (int32_t i = 0; i < s->info.vertex_count; ++i) {
        double u[3], target[3];
        if (!is_on_cube(s->X + 3 * i)) continue;
        exact_displacement(s->X + 3 * i, u);
        pli_vec3_add(s->X + 3 * i, u, target);
        PLI_TRY(pli_state_set_grip(s->state, i, 1e14, target));
    }
    return pli_state_set_forces(s->state, forces);
}

pli_status pli_solid_manufactured(pli_context *context, const char *element, int32_t n,
                                  double *error)
{
    pli_tet_mesh *mesh = NULL;
    PLI_TRY(pli_solid_block(context, (const int32_t[3]){n, n, n}, place_unit, NULL, &mesh));
    pli_mesh_data data = pli_solid_mesh_data(mesh);
    pli_solid s;
    pli_status status = pli_solid_init(
        &s, context, &data,
        "materials: {m: {law: linear, density: 1000, young: 1e6, poisson: 0.3}}\n"
        "bodies: {cube: {geometry: {grid: {}}, material: m, element: %s}}\n" QUASI_STATIC,
        element);
    pli_tet_mesh_destroy(mesh);
    if (status != PLI_OK) return status;
    double *forces = PLI_NEW(context, double, 3 * (int64_t)s.info.vertex_count, "forces");
    status = forces != NULL ? push_cube(&s, forces) : PLI_ERROR_MEMORY;
    pli_step_report report;
    if (status == PLI_OK) status = pli_solid_step(&s, &report);
    error_sum sum = {.solid = &s};
    integrate(&s, add_error, &sum);
    *error = sqrt(sum.square);
    pli_release(context, forces);
    pli_solid_clear(&s);
    return status;
}
