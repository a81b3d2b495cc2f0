// SPDX-License-Identifier: Apache-2.0
//
// Kinds of tetrahedra: what they reproduce exactly, how fast they converge, and that those which
// are meant not to lock do not.
#include "simulate.h"

#include "base/timers.h"
#include "geometry/generate/grid_mesh.h"
#include "math/vec3.h"
#include "sim/model/model.h"

static const char *const elements[] = {"linear", "quadratic", "locking-free"};

// ---- slabs of one layer, whose cells are crossed: four prisms of three tetrahedra

typedef void (*place_fn)(const double s[3], double x[3]);

// Three tetrahedra of a prism over a triangle: sides are cut from their smallest vertex.
static void fill_prism(const int32_t low[3], int32_t layer, int32_t *tets)
{
    // from the smallest vertex up; triangles that turn the other way are turned back by the mesh
    int32_t a = low[0], b = low[1], c = low[2], swap;
    if (a > b) swap = a, a = b, b = swap;
    if (b > c) swap = b, b = c, c = swap;
    if (a > b) swap = a, a = b, b = swap;
    const int32_t made[12] = {a,         b,         c, c + layer, a,         b,
                              b + layer, c + layer, a, a + layer, b + layer, c + layer};
    memcpy(tets, made, sizeof made);
}

// A scene whose only body is the unit square times [0, 1], n cells a side, moved by place.
static void slab_init(simulation *s, int32_t n, place_fn place, const char *yaml)
{
    pli_context *context = make_context(1);
    int32_t corners = (n + 1) * (n + 1), layer = corners + n * n, count = 0;
    double *points = calloc(6 * (size_t)layer, sizeof *points);
    int32_t *tets = calloc(48 * (size_t)(n * n), sizeof *tets);
    for (int32_t k = 0; k < 2 * layer; ++k) {
        int32_t at = k % layer, i = at < corners ? at : at - corners, m = at < corners ? n + 1 : n;
        double shift = at < corners ? 0 : 0.5;
        const double x[3] = {(i % m + shift) / n, (i / m + shift) / n, k / layer};
        place(x, points + 3 * (int64_t)k);
    }
    for (int32_t k = 0; k < 4 * n * n; ++k) {
        int32_t i = k / 4 % n, j = k / 4 / n, first = j * (n + 1) + i;
        const int32_t ring[5] = {first, first + 1, first + n + 2, first + n + 1, first};
        const int32_t low[3] = {ring[k % 4], ring[k % 4 + 1], corners + k / 4};
        fill_prism(low, layer, tets + 12 * (int64_t)count);
        count += 1;
    }
    pli_tet_mesh_def def = {.vertex_count = 2 * layer,
                            .points = points,
                            .tet_count = 3 * count,
                            .tets = tets,
                            .turn_inverted = true};
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_tet_mesh_create(context, &def, NULL, &mesh));
    pli_mesh_data data = {.point_count = mesh->vertex_count,
                          .points = mesh->points,
                          .tet_count = mesh->tet_count,
                          .tets = mesh->tets};
    simulation_init_mesh(s, yaml, &data);
    pli_tet_mesh_destroy(mesh);
    free(tets);
    free(points);
    pli_context_destroy(context);
}

// ---- loads on sides

// Adds the nodal forces of a traction t (N/m^2) on all sides of tetrahedra whose corners side
// finds.
static void add_traction(const simulation *s, bool (*side)(const double X[3]), const double t[3],
                         double *forces)
{
    // the edges of the side across from every corner
    static const int around[4][3] = {{1, 4, 5}, {2, 3, 5}, {0, 3, 4}, {0, 1, 2}};
    const double *X = pli_model_rest_positions(s->model);
    const int32_t *tets = pli_model_tets(s->model), *mids = pli_model_mid_nodes(s->model);
    for (int64_t k = 0; k < 4 * (int64_t)s->info.tet_count; ++k) {
        int32_t corners[3], count = 0;
        bool on = true;
        for (int i = 0; i < 4; ++i) {
            if (i == k % 4) continue;
            corners[count++] = tets[4 * (k / 4) + i];
            on = on && side(X + 3 * (int64_t)tets[4 * (k / 4) + i]);
        }
        if (!on) continue;
        double u[3], v[3], n[3];
        pli_vec3_subtract(X + 3 * corners[1], X + 3 * corners[0], u);
        pli_vec3_subtract(X + 3 * corners[2], X + 3 * corners[0], v);
        pli_vec3_cross(u, v, n);
        double third = pli_vec3_norm(n) / 6;
        for (int i = 0; i < 3; ++i) {
            int32_t node = mids != NULL ? mids[6 * (k / 4) + around[k % 4][i]] : corners[i];
            pli_vec3_add_scaled(forces + 3 * (int64_t)node, third, t, forces + 3 * (int64_t)node);
        }
    }
}

// ---- Cook's membrane

static void place_cook(const double s[3], double x[3])
{
    x[0] = 0.048 * s[0];
    x[1] = s[1] * (0.044 + (0.016 - 0.044) * s[0]) + 0.044 * s[0];
    x[2] = s[2];
}

static bool is_cooks_end(const double X[3])
{
    return X[0] > 0.048 - 1e-9;
}

static double cook_thickness;
static int cook_flip;

static void place_slab(const double s[3], double x[3])
{
    double q[3] = {s[0], s[1], s[2]};
    if (cook_flip == 1) q[1] = 1 - s[1], q[2] = 1 - s[2];
    place_cook(q, x);
    x[2] *= cook_thickness;
}

// Rise of the upper corner of the free end (m).
static double cooks_tip(const char *element, int32_t n, double poisson)
{
    char yaml[1024];
    cook_thickness = 0.044 / n;
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: stable-neo-hookean, density: 1000, young: 250e6, poisson: "
             "%.17g}}\n"
             "bodies: {slab: {geometry: {grid: {}}, material: m, element: %s}}\n"
             "gravity: [0, 0, 0]\n"
             "constraints:\n"
             "  - {where: {half_space: {point: [1e-9, 0, 0], normal: [-1, 0, 0]}}}\n"
             "  - {where: all, axes: z}\n"
             "solver: {name: pn-pcg, linear: cholesky, tolerance: 1e-9, max_iterations: 500}\n"
             "time: {fps: 1, frames: 1, mode: quasi-static}\n",
             poisson, element);
    simulation s;
    slab_init(&s, n, place_slab, yaml);
    double *forces = calloc(3 * (size_t)s.info.vertex_count, sizeof *forces);
    add_traction(&s, is_cooks_end, (const double[3]){0, 1e5, 0}, forces);
    OK(s.context, pli_state_set_forces(s.state, forces));
    double start = pli_clock_seconds();
    pli_step_report report = simulation_step(&s);
    double seconds = pli_clock_seconds() - start;
    const double *X = pli_model_rest_positions(s.model), *x = pli_state_positions(s.state);
    double tip = 0;
    for (int32_t k = 0; k < 3 * s.info.vertex_count; k += 3) {
        if (X[k] > 0.048 - 1e-9 && X[k + 1] > 0.06 - 1e-9) tip = x[k + 1] - X[k + 1];
    }
    if (getenv("PLIANT_FIGURES") != NULL) {
        printf("cook %s n %d nu %g: tip %.9g mm, %d iterations %.2f s\n", element, (int)n, poisson,
               1e3 * tip, (int)report.iterations, seconds);
    }
    free(forces);
    simulation_clear(&s);
    return tip;
}

static void cooks_membrane_does_not_lock(void **state)
{
    (void)state;
    static const double poisson[] = {0.3, 0.499, 0.4999};
    for (int k = 0; k < 3 && getenv("COOK64") != NULL; ++k) cooks_tip("quadratic", 64, poisson[k]);
    for (int k = 0; k < 3 && getenv("COOK64") == NULL; ++k) {
        for (int e = 0; e < 3; ++e) {
            for (int32_t n = 8; n <= (e == 1 ? 32 : 32); n *= 2)
                cooks_tip(elements[e], n, poisson[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cooks_membrane_does_not_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
