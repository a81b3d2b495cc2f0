// SPDX-License-Identifier: Apache-2.0
//
// Kinds of tetrahedra: what they reproduce exactly, how fast they converge, and that those which
// are meant not to lock do not.
#include "simulate.h"

#include "base/timers.h"
#include "geometry/generate/grid_mesh.h"
#include "math/mat3.h"
#include "math/vec3.h"

enum { KINDS = 3 };
static const char *const elements[KINDS] = {"linear", "quadratic", "locking-free"};

static const char *const quasi_static = "gravity: [0, 0, 0]\n"
                                        "solver: {name: pn-pcg, linear: cholesky, tolerance: "
                                        "1e-10, max_iterations: 500}\n"
                                        "time: {fps: 1, frames: 1, mode: quasi-static}\n";

// ---- blocks of cells

typedef void (*place_fn)(const double s[3], double x[3]);

// A scene whose only body is the unit cube, cut into cells, with points that place moves.
static void block_init(simulation *s, const int32_t cells[3], place_fn place, const char *yaml)
{
    pli_context *context = make_context(1);
    pli_grid_mesh_def grid = {
        {{0, 0, 0}, {1, 1, 1}}, {cells[0], cells[1], cells[2]}, PLI_GRID_MESH_SIX};
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_grid_mesh_create(context, &grid, &mesh));
    for (int32_t k = 0; k < mesh->vertex_count; ++k) {
        double at[3];
        pli_vec3_copy(mesh->points + 3 * (int64_t)k, at);
        place(at, mesh->points + 3 * (int64_t)k);
    }
    pli_mesh_data data = {.point_count = mesh->vertex_count,
                          .points = mesh->points,
                          .tet_count = mesh->tet_count,
                          .tets = mesh->tets};
    simulation_init_mesh(s, yaml, &data);
    pli_tet_mesh_destroy(mesh);
    pli_context_destroy(context);
}

static double *forces_of(const simulation *s)
{
    double *forces = calloc(3 * (size_t)s->info.vertex_count, sizeof *forces);
    assert_non_null(forces);
    return forces;
}

// ---- slabs of one layer, whose cells are crossed: four prisms of three tetrahedra

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
    const double *X = pli_model_get_mesh(s->model).rest_positions;
    const int32_t *tets = pli_model_get_mesh(s->model).tets,
                  *mids = pli_model_get_mesh(s->model).mid_nodes;
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

// ---- what is reproduced exactly

// A cube whose inner points are shaken.
static void place_shaken(const double s[3], double x[3])
{
    for (int k = 0; k < 3; ++k) {
        bool inside =
            s[0] > 0.01 && s[0] < 0.99 && s[1] > 0.01 && s[1] < 0.99 && s[2] > 0.01 && s[2] < 0.99;
        x[k] = s[k] + (inside ? 0.05 * sin(37 * s[(k + 1) % 3] + 17 * s[k] + k) : 0);
    }
}

static bool is_on_cube(const double X[3])
{
    for (int k = 0; k < 3; ++k) {
        if (X[k] < 1e-9 || X[k] > 1 - 1e-9) return true;
    }
    return false;
}

// Grips that hold the surface where A puts it; what is inside finds its place, and all stresses are
// alike.
static void patches_of_elements_deform_alike(void **state)
{
    (void)state;
    static const double A[9] = {1.1, 0.2, 0, -0.05, 0.95, 0.1, 0.07, 0, 1.02};
    static const char *const materials[] = {"law: stable-neo-hookean, young: 1e6, poisson: 0.3",
                                            "law: hencky, young: 1e6, poisson: 0.49"};
    for (int k = 0; k < 2 * KINDS; ++k) {
        char yaml[1024];
        snprintf(yaml, sizeof yaml,
                 "materials: {m: {density: 1000, %s}}\n"
                 "bodies: {cube: {geometry: {grid: {}}, material: m, element: %s}}\n%s",
                 materials[k / KINDS], elements[k % KINDS], quasi_static);
        simulation s;
        block_init(&s, (const int32_t[3]){3, 3, 3}, place_shaken, yaml);
        const double *X = pli_model_get_mesh(s.model).rest_positions,
                     *x = pli_state_get(s.state).positions;
        for (int32_t i = 0; i < s.info.vertex_count; ++i) {
            double target[3];
            pli_mat3_apply(A, X + 3 * i, target);
            if (is_on_cube(X + 3 * i)) OK(s.context, pli_state_set_grip(s.state, i, 1e14, target));
        }
        simulation_step(&s);
        for (int32_t i = 0; i < s.info.vertex_count; ++i) {
            double target[3];
            pli_mat3_apply(A, X + 3 * i, target);
            // grips give way by stress times area over their stiffness
            for (int j = 0; j < 3; ++j) NEAR(x[3 * i + j], target[j], 0, 2e-7);
        }
        simulation_clear(&s);
    }
}

static void rigid_motions_cost_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; ++k) {
        char yaml[1024];
        snprintf(yaml, sizeof yaml,
                 "materials: {m: {law: stable-neo-hookean, density: 1000, young: 1e6, poisson: "
                 "0.49}}\n"
                 "bodies: {cube: {geometry: {grid: {}}, material: m, element: %s}}\n%s",
                 elements[k], quasi_static);
        simulation s;
        block_init(&s, (const int32_t[3]){2, 2, 2}, place_shaken, yaml);
        double R[9], axis[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3}, *x = forces_of(&s);
        pli_mat3_rotation(axis, 1.1, R);
        const double *X = pli_model_get_mesh(s.model).rest_positions;
        for (int32_t i = 0; i < s.info.vertex_count; ++i) {
            pli_mat3_apply(R, X + 3 * i, x + 3 * i);
            x[3 * i] += 5;
        }
        OK(s.context, pli_state_set(s.state, x, NULL));
        pli_step_report report;
        OK(s.context, pli_solver_measure(s.solver, s.state, &report));
        NEAR(report.energy.elastic, 0, 0, 1e-9);
        NEAR(report.min_J, 1, 1e-12, 0);
        free(x);
        simulation_clear(&s);
    }
}

// Masses of nodes are positive, add up to that of the body, and have its centre.
static void masses_are_positive(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; ++k) {
        char yaml[1024];
        snprintf(
            yaml, sizeof yaml,
            "materials: {m: {law: stable-neo-hookean, density: 1000, young: 1e6, poisson: "
            "0.3}}\n"
            "bodies: {ball: {geometry: {fill: {shape: {sphere: {radius: 1}}, spacing: 0.35}},\n"
            "  material: m, element: %s}}\n%s",
            elements[k], quasi_static);
        simulation s;
        simulation_init(&s, yaml, 1);
        const double *m = pli_model_get_mesh(s.model).masses;
        double sum = 0;
        for (int32_t i = 0; i < s.info.vertex_count; ++i) {
            assert_true(m[i] > 0);
            sum += m[i];
        }
        NEAR(sum, s.info.mass, 1e-12, 0);
        // the sides of quadratic elements lie on the sphere
        if (k == 1) NEAR(sum, 1000 * 4 * M_PI / 3, 2e-3, 0);
        simulation_clear(&s);
    }
}

// ---- Cook's membrane

static int32_t cook_cells;

static void place_cook(const double s[3], double x[3])
{
    x[0] = 0.048 * s[0];
    x[1] = s[1] * (0.044 - 0.028 * s[0]) + 0.044 * s[0];
    x[2] = 0.044 / cook_cells * s[2];
}

static bool is_cooks_end(const double X[3])
{
    return X[0] > 0.048 - 1e-9;
}

// Rise of the upper corner of the free end (m).
static double cooks_tip(const char *element, int32_t n, double poisson)
{
    char yaml[1024];
    cook_cells = n;
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: stable-neo-hookean, density: 1000, young: 250e6, poisson: "
             "%.17g}}\n"
             "bodies: {slab: {geometry: {grid: {}}, material: m, element: %s}}\n"
             "constraints:\n"
             "  - {where: {half_space: {point: [1e-9, 0, 0], normal: [-1, 0, 0]}}}\n"
             "  - {where: all, axes: z}\n%s",
             poisson, element, quasi_static);
    simulation s;
    slab_init(&s, n, place_cook, yaml);
    double *forces = forces_of(&s);
    add_traction(&s, is_cooks_end, (const double[3]){0, 1e5, 0}, forces);
    OK(s.context, pli_state_set_forces(s.state, forces));
    simulation_step(&s);
    const double *X = pli_model_get_mesh(s.model).rest_positions,
                 *x = pli_state_get(s.state).positions;
    double tip = 0;
    for (int32_t k = 0; k < 3 * s.info.vertex_count; k += 3) {
        if (X[k] > 0.048 - 1e-9 && X[k + 1] > 0.06 - 1e-9) tip = x[k + 1] - X[k + 1];
    }
    free(forces);
    simulation_clear(&s);
    return tip;
}

// Against quadratic elements of 16, 32 and 64 cells a side, extrapolated: the differences fall by
// 2.1, as the corner of the clamped side is singular.
static void cooks_membrane_does_not_lock(void **state)
{
    (void)state;
    static const double poisson[3] = {0.3, 0.499, 0.4999};
    static const double converged[3] = {0.14709e-3, 0.12419e-3, 0.12404e-3};
    for (int k = 0; k < 3; ++k) {
        NEAR(cooks_tip("quadratic", 16, poisson[k]), converged[k], 0.01, 0);
        NEAR(cooks_tip("locking-free", 32, poisson[k]), converged[k], 0.01, 0);
        double linear = cooks_tip("linear", 8, poisson[k]);
        NEAR(linear < 0.95 * converged[k], 1, 0, 0);
    }
}

// ---- cantilever

static const double beam_length = 1, beam_height = 0.1;

static void place_beam(const double s[3], double x[3])
{
    x[0] = beam_length * s[0];
    x[1] = beam_height * (s[1] - 0.5);
    x[2] = beam_height * (s[2] - 0.5);
}

static bool is_beams_end(const double X[3])
{
    return X[0] > beam_length - 1e-9;
}

// Deflection at the tip over that of Timoshenko's theory.
static double cantilever(const char *element, int32_t through)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: linear, density: 1000, young: 1e6, poisson: 0}}\n"
             "bodies: {beam: {geometry: {grid: {}}, material: m, element: %s}}\n"
             "constraints: [{where: {half_space: {point: [1e-9, 0, 0], normal: [-1, 0, 0]}}}]\n%s",
             element, quasi_static);
    simulation s;
    block_init(&s, (const int32_t[3]){10 * through, through, through}, place_beam, yaml);
    double *forces = forces_of(&s);
    add_traction(&s, is_beams_end, (const double[3]){0, -1, 0}, forces);
    OK(s.context, pli_state_set_forces(s.state, forces));
    simulation_step(&s);
    const double *X = pli_model_get_mesh(s.model).rest_positions,
                 *x = pli_state_get(s.state).positions;
    double moved = 0, weight = 0;
    for (int32_t k = 0; k < 3 * s.info.vertex_count; k += 3) {
        // nodes in the plane of bending
        if (!is_beams_end(X + k) || fabs(X[k + 1]) > 1e-9) continue;
        moved += X[k + 1] - x[k + 1];
        weight += 1;
    }
    free(forces);
    simulation_clear(&s);
    double P = 0.01, I = 1e-4 / 12, G = 0.5e6, area = 0.01, shear = 10.0 / 12;
    return moved / weight / (P / (3 * 1e6 * I) + P / (shear * G * area));
}

static void cantilevers_bend_as_timoshenko_says(void **state)
{
    (void)state;
    NEAR(cantilever("quadratic", 2), 1, 0.01, 0);
    assert_true(cantilever("linear", 2) < 0.75);
}

// ---- a thick cylinder under inner pressure, in plane strain

enum { RINGS = 8, SECTORS = 12 };
static const double inner = 1, outer = 2, young = 1e6, pressure = 1e3;

static void place_ring(const double s[3], double x[3])
{
    double r = inner + (outer - inner) * s[0], angle = 0.5 * M_PI * s[1];
    x[0] = r * cos(angle);
    x[1] = r * sin(angle);
    x[2] = 0.1 * s[2];
}

// Consistent forces of the pressure on the inner sides of linear or quadratic elements, whose nodes
// all lie on the arc: by areas of the sides between them.
static void add_pressure(const simulation *s, double *forces)
{
    static const int around[4][3] = {{1, 4, 5}, {2, 3, 5}, {0, 3, 4}, {0, 1, 2}};
    const double *X = pli_model_get_mesh(s->model).rest_positions;
    const int32_t *tets = pli_model_get_mesh(s->model).tets,
                  *mids = pli_model_get_mesh(s->model).mid_nodes;
    for (int64_t k = 0; k < 4 * (int64_t)s->info.tet_count; ++k) {
        int32_t corners[3], count = 0;
        for (int i = 0; i < 4; ++i) {
            int32_t node = tets[4 * (k / 4) + i];
            const double *at = X + 3 * (int64_t)node;
            if (i == k % 4 || hypot(at[0], at[1]) > inner + 1e-9) continue;
            corners[count++] = node;
        }
        if (count < 3) continue;
        double u[3], v[3], n[3];
        pli_vec3_subtract(X + 3 * corners[1], X + 3 * corners[0], u);
        pli_vec3_subtract(X + 3 * corners[2], X + 3 * corners[0], v);
        pli_vec3_cross(u, v, n);
        double third = pressure * pli_vec3_norm(n) / 6;
        for (int i = 0; i < 3; ++i) {
            int32_t node = mids != NULL ? mids[6 * (k / 4) + around[k % 4][i]] : corners[i];
            double r = hypot(X[3 * node], X[3 * node + 1]);
            forces[3 * node] += third * X[3 * node] / r;
            forces[3 * node + 1] += third * X[3 * node + 1] / r;
        }
    }
}

// u(r) = (1 + nu) p a^2 / (E (b^2 - a^2)) ((1 - 2 nu) r + b^2 / r)
static void check_cylinder(const char *element, double poisson, int32_t rings)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: stable-neo-hookean, density: 1000, young: %g, poisson: %.17g}}\n"
             "bodies: {ring: {geometry: {grid: {}}, material: m, element: %s}}\n"
             "constraints:\n"
             "  - {where: {half_space: {point: [0, 1e-9, 0], normal: [0, -1, 0]}}, axes: y}\n"
             "  - {where: {half_space: {point: [1e-9, 0, 0], normal: [-1, 0, 0]}}, axes: x}\n"
             "  - {where: all, axes: z}\n%s",
             young, poisson, element, quasi_static);
    simulation s;
    block_init(&s, (const int32_t[3]){rings, 3 * rings / 2, 1}, place_ring, yaml);
    double *forces = forces_of(&s);
    add_pressure(&s, forces);
    OK(s.context, pli_state_set_forces(s.state, forces));
    simulation_step(&s);
    const double *X = pli_model_get_mesh(s.model).rest_positions,
                 *x = pli_state_get(s.state).positions;
    double c = (1 + poisson) * pressure * inner * inner / young / (outer * outer - inner * inner);
    double worst = 0;
    for (int32_t k = 0; k < 3 * s.info.vertex_count; k += 3) {
        double r = hypot(X[k], X[k + 1]), u = hypot(x[k], x[k + 1]) - r;
        double exact = c * ((1 - 2 * poisson) * r + outer * outer / r);
        worst = fmax(worst, fabs(u / exact - 1));
    }
    AT_MOST(worst, 0.01);
    free(forces);
    simulation_clear(&s);
}

static void thick_cylinders_widen_as_lame_says(void **state)
{
    (void)state;
    check_cylinder("quadratic", 0.3, 8);
    check_cylinder("quadratic", 0.4999, 8);
    check_cylinder("locking-free", 0.4999, 32);
}

// ---- order of convergence

// A cube of a linear material with the displacement u = c (sin x cos y, ..) on its surface, and the
// forces that go with it inside.
static void exact_displacement(const double X[3], double u[3])
{
    for (int k = 0; k < 3; ++k) {
        u[k] = 1e-3 * sin(2 * X[k]) * cos(2 * X[(k + 1) % 3] + 0.3 * k);
    }
}

// -div sigma = -(mu laplace u + (lambda + mu) grad div u), by central differences of the closed
// form.
static void exact_force(const double X[3], double mu, double lambda, double f[3])
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
        for (int j = 0; j < 3; ++j) f[i] -= mu * second[i][j][j] + (lambda + mu) * second[j][j][i];
    }
}

static void place_unit(const double s[3], double x[3])
{
    pli_vec3_copy(s, x);
}

// Shape functions of four or ten nodes.
static void shape_at(const double L[4], bool quadratic, double N[10])
{
    static const int ends[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    for (int k = 0; k < 4; ++k) N[k] = quadratic ? L[k] * (2 * L[k] - 1) : L[k];
    for (int k = 0; k < 6; ++k) N[4 + k] = 4 * L[ends[k][0]] * L[ends[k][1]];
}

// Integrates over the elements by the fifth-order rule of a collapsed cube with 4^3 points: calls
// with the place, the weight, the nodes and their shape functions.
typedef void (*integrand)(void *user, const double X[3], double weight, int count,
                          const int32_t *nodes, const double *N);

static void integrate(const simulation *s, integrand visit, void *user)
{
    static const double g[4] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813,
                                0.93056815579702629};
    static const double w[4] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                0.17392742256872693};
    const double *rest = pli_model_get_mesh(s->model).rest_positions;
    const int32_t *tets = pli_model_get_mesh(s->model).tets,
                  *mids = pli_model_get_mesh(s->model).mid_nodes;
    for (int64_t t = 0; t < s->info.tet_count; ++t) {
        int32_t nodes[10];
        memcpy(nodes, tets + 4 * t, 4 * sizeof *nodes);
        if (mids != NULL) memcpy(nodes + 4, mids + 6 * t, 6 * sizeof *nodes);
        double volume = pli_tet_volume_at(rest, nodes);
        for (int q = 0; q < 64; ++q) {
            double a = g[q / 16], b = g[q / 4 % 4], c = g[q % 4], N[10], X[3] = {0, 0, 0};
            double L[4] = {a, (1 - a) * b, (1 - a) * (1 - b) * c, (1 - a) * (1 - b) * (1 - c)};
            double weight =
                6 * volume * w[q / 16] * w[q / 4 % 4] * w[q % 4] * (1 - a) * (1 - a) * (1 - b);
            for (int k = 0; k < 4; ++k) {
                pli_vec3_add_scaled(X, L[k], rest + 3 * (int64_t)nodes[k], X);
            }
            shape_at(L, mids != NULL, N);
            visit(user, X, weight, mids != NULL ? 10 : 4, nodes, N);
        }
    }
}

typedef struct manufactured {
    double mu, lambda;
    double *forces;
    const double *X, *x;
    double error;
} manufactured;

static void add_force(void *user, const double X[3], double weight, int count, const int32_t *nodes,
                      const double *N)
{
    manufactured *m = user;
    double f[3];
    exact_force(X, m->mu, m->lambda, f);
    for (int k = 0; k < count; ++k) {
        double *to = m->forces + 3 * (int64_t)nodes[k];
        pli_vec3_add_scaled(to, weight * N[k], f, to);
    }
}

static void add_error(void *user, const double X[3], double weight, int count, const int32_t *nodes,
                      const double *N)
{
    manufactured *m = user;
    double u[3], found[3] = {0, 0, 0};
    exact_displacement(X, u);
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) {
            found[i] += N[k] * (m->x[3 * nodes[k] + i] - m->X[3 * nodes[k] + i]);
        }
    }
    pli_vec3_subtract(found, u, found);
    m->error += weight * pli_vec3_norm2(found);
}

// The error in displacement, L2 (m).
static double manufactured_error(const char *element, int32_t n)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: linear, density: 1000, young: 1e6, poisson: 0.3}}\n"
             "bodies: {cube: {geometry: {grid: {}}, material: m, element: %s}}\n%s",
             element, quasi_static);
    simulation s;
    block_init(&s, (const int32_t[3]){n, n, n}, place_unit, yaml);
    manufactured m = {.mu = 1e6 / 2.6,
                      .lambda = 1e6 * 0.3 / (1.3 * 0.4),
                      .forces = forces_of(&s),
                      .X = pli_model_get_mesh(s.model).rest_positions,
                      .x = pli_state_get(s.state).positions};
    integrate(&s, add_force, &m);
    for (int32_t i = 0; i < s.info.vertex_count; ++i) {
        double u[3], target[3];
        if (!is_on_cube(m.X + 3 * i)) continue;
        exact_displacement(m.X + 3 * i, u);
        pli_vec3_add(m.X + 3 * i, u, target);
        OK(s.context, pli_state_set_grip(s.state, i, 1e14, target));
    }
    OK(s.context, pli_state_set_forces(s.state, m.forces));
    simulation_step(&s);
    m.x = pli_state_get(s.state).positions;
    integrate(&s, add_error, &m);
    free(m.forces);
    simulation_clear(&s);
    return sqrt(m.error);
}

static void errors_fall_with_the_order_of_the_element(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; ++k) {
        int32_t n = k == 1 ? 4 : 8;
        double coarse = manufactured_error(elements[k], n);
        double fine = manufactured_error(elements[k], 2 * n);
        if (k == 0) NEAR(log2(coarse / fine), 2, 0, 0.1);
        if (k == 1) NEAR(log2(coarse / fine), 3, 0, 0.1);
        // patches are some two cells across: 1.45, 1.54, 1.77, 1.92 from 2 to 32 cells a side
        if (k == 2) NEAR(log2(coarse / fine), 1.8, 0, 0.1);
    }
}

// ---- contact

// A cube falls on a plane and on another one, whose sides are of another kind.
static void every_kind_rests_on_barriers(void **state)
{
    (void)state;
    static const char *const solvers[] = {"ipc-pcg", "newton", "pn-mgpcg"};
    for (int k = 0; k < 2 * KINDS; ++k) {
        char yaml[2048];
        snprintf(yaml, sizeof yaml,
                 "materials: {m: {law: stable-neo-hookean, density: 1000, young: 1e5, poisson: "
                 "0.47, rayleigh: 0.02}}\n"
                 "bodies:\n"
                 "  lower: {geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}}, material: m, "
                 "element: %s,\n    position: [0, 0.52, 0]}\n"
                 "  upper: {geometry: {grid: {size: [0.8, 0.8, 0.8], cells: [2, 2, 2]}}, material: "
                 "m, element: %s,\n    position: [0.1, 1.45, 0.1], velocity: [0, -2, 0]}\n"
                 "colliders: {ground: {shape: plane, friction: 0.3}}\n"
                 "contact: {method: barrier, distance: 1e-2, friction: 0.3}\n"
                 "solver: {name: %s}\n"
                 "time: {fps: 50, frames: 10}\n",
                 elements[k % KINDS], elements[(k + 1) % KINDS], solvers[k % 3]);
        simulation s;
        simulation_init(&s, yaml, 1);
        for (int i = 0; i < 12; ++i) {
            pli_step_report report = simulation_step(&s);
            assert_true(report.min_J > 0);
            assert_true(!report.collides || report.min_gap > 0);
        }
        simulation_clear(&s);
    }
}

// ---- what the scene leaves open

static void element_auto_goes_by_poissons_ratio(void **state)
{
    (void)state;
    static const struct {
        const char *poisson, *solver;
        pli_element_kind element;
    } rows[] = {{"0.45", "newton", PLI_ELEMENT_LINEAR},
                {"0.46", "newton", PLI_ELEMENT_LOCKING_FREE},
                {"0.46", "pd-direct", PLI_ELEMENT_LINEAR}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        char yaml[1024];
        snprintf(yaml, sizeof yaml,
                 "materials: {m: {law: stable-neo-hookean, density: 1000, young: 1e6, poisson: "
                 "%s}}\n"
                 "bodies: {cube: {geometry: {grid: {cells: [1, 1, 1]}}, material: m}}\n"
                 "solver: %s\n",
                 rows[k].poisson, rows[k].solver);
        simulation s;
        simulation_init(&s, yaml, 1);
        assert_int_equal(pli_model_get_body(s.model, 0).element, rows[k].element);
        simulation_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_of_elements_deform_alike),
        cmocka_unit_test(rigid_motions_cost_nothing),
        cmocka_unit_test(masses_are_positive),
        cmocka_unit_test(cooks_membrane_does_not_lock),
        cmocka_unit_test(cantilevers_bend_as_timoshenko_says),
        cmocka_unit_test(thick_cylinders_widen_as_lame_says),
        cmocka_unit_test(errors_fall_with_the_order_of_the_element),
        cmocka_unit_test(every_kind_rests_on_barriers),
        cmocka_unit_test(element_auto_goes_by_poissons_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
