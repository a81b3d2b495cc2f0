// SPDX-License-Identifier: Apache-2.0
//
// Membranes and hinges: derivatives, invariance, definiteness, at rest, deformed, and next to the
// states where they could break: flat and folded hinges, slivers.
#include "derivatives.h"
#include "support/fault_sweep.h"
#include "support/matrix_checks.h"

#include "base/memory.h"
#include "fem/shell.h"
#include "geometry/generate/sheet_mesh.h"
#include "geometry/mesh/hinges.h"
#include "math/eigen.h"
#include "math/mat3.h"
#include "simulate.h"

enum { MOST = 3 * 64 };

// A sheet of squares with its terms bound to a matrix of their own.
typedef struct sheet {
    pli_context *context;
    pli_tri_mesh *mesh;
    double thickness[128];
    double young[128];
    double poisson[128];
    double bending[128];
    pli_shell *shell;
    pli_objective objective;
    int32_t n; // unknowns
} sheet;

static pli_shell_term_def sheet_def(sheet *s)
{
    for (int32_t k = 0; k < s->mesh->triangle_count; ++k) {
        s->thickness[k] = 0.02;
        s->young[k] = 1e5 * (1 + 0.1 * k);
        s->poisson[k] = 0.3;
        s->bending[k] = 1;
    }
    return (pli_shell_term_def){.membrane = {.vertex_count = s->mesh->vertex_count,
                                             .triangle_count = s->mesh->triangle_count,
                                             .rest = s->mesh->points,
                                             .triangles = s->mesh->triangles,
                                             .thickness = s->thickness,
                                             .young = s->young,
                                             .poisson = s->poisson},
                                .bending = s->bending};
}

static void sheet_init(sheet *s, pli_context *context, int32_t cells)
{
    *s = (sheet){.context = context};
    pli_sheet_mesh_def def = {.size = {0.1 * cells, 0.1 * cells}, .cells = {cells, cells}};
    OK(context, pli_sheet_mesh_create(context, &def, &s->mesh));
    pli_shell_term_def shell = sheet_def(s);
    OK(context, pli_shell_create(context, &shell, &s->shell));
    pli_objective_init(&s->objective, context, s->mesh->vertex_count);
    pli_shell_add(s->shell, &s->objective);
    OK(context, pli_objective_build_pattern(&s->objective));
    s->n = 3 * s->mesh->vertex_count;
    assert_true(s->n <= MOST);
}

static void sheet_clear(sheet *s)
{
    pli_objective_clear(&s->objective);
    pli_shell_destroy(s->shell);
    pli_tri_mesh_destroy(s->mesh);
}

static double sheet_energy(void *user, const double *x)
{
    return pli_sum_value(pli_objective_energy(&((sheet *)user)->objective, x));
}

static void sheet_gradient(void *user, const double *x, double *g)
{
    pli_objective_compute_gradient(&((sheet *)user)->objective, x, g);
}

static void sheet_multiply(void *user, const double *x, const double *d, double *Hd)
{
    pli_objective *objective = &((sheet *)user)->objective;
    pli_objective_compute_hessian(objective, x, false);
    pli_bcsr_multiply(objective->H, d, Hd);
}

static void disturb(const sheet *s, double amount, double *x)
{
    pli_random random = {5, 9};
    for (int32_t k = 0; k < s->n; ++k) {
        x[k] = s->mesh->points[k] + pli_random_range(random, (uint64_t)k, -amount, amount);
    }
}

static void gradient_and_hessian_are_derivatives_of_the_energy(void **state)
{
    pli_context *context = *state;
    sheet s;
    sheet_init(&s, context, 3);
    derivatives_case shell = {.n = s.n,
                              .energy = sheet_energy,
                              .gradient = sheet_gradient,
                              .multiply = sheet_multiply,
                              .user = &s,
                              .scale = 0.02,
                              .magnitude = 100};
    double x[MOST];
    disturb(&s, 0, x);
    CHECK_DERIVATIVES(&shell, x, "at rest");
    disturb(&s, 0.01, x);
    CHECK_DERIVATIVES(&shell, x, "mildly deformed");
    disturb(&s, 0.03, x);
    CHECK_DERIVATIVES(&shell, x, "crumpled");
    sheet_clear(&s);
}

// ---- one hinge

typedef struct one_hinge {
    pli_hinges *hinges;
    pli_bcsr *H;
} one_hinge;

static const int32_t hinge_vertices[4] = {0, 1, 2, 3};

// Two triangles about the x axis; the second is turned up by an angle, 0 being flat.
static void fold(double angle, double x[12])
{
    const double points[12] = {0, 0, 0, 1, 0, 0, 0.4, -1, 0, 0.6, cos(angle), sin(angle)};
    memcpy(x, points, sizeof points);
}

static void hinge_init(one_hinge *h, pli_context *context, double rest_angle)
{
    double rest[12];
    double rigidity = 2;
    fold(rest_angle, rest);
    pli_hinges_def def = {.vertex_count = 4,
                          .hinge_count = 1,
                          .rest = rest,
                          .vertices = hinge_vertices,
                          .rigidity = &rigidity};
    OK(context, pli_hinges_create(context, &def, &h->hinges));
    OK(context, pli_bcsr_create(context, 4, 1, &h->hinges->elements.cliques, &h->H));
    OK(context, pli_hinges_term.bind(h->hinges, h->H));
}

static void hinge_clear(one_hinge *h)
{
    pli_bcsr_destroy(h->H);
    pli_hinges_destroy(h->hinges);
}

static double hinge_energy(void *user, const double *x)
{
    return pli_sum_value(pli_hinges_term.energy(((one_hinge *)user)->hinges, x));
}

static void hinge_gradient(void *user, const double *x, double *g)
{
    memset(g, 0, 12 * sizeof *g);
    pli_hinges_term.add_gradient(((one_hinge *)user)->hinges, x, g);
}

static void hinge_hessian(one_hinge *h, const double *x, bool projected, double *H)
{
    pli_bcsr_set_zero(h->H);
    pli_hinges_term.add_hessian(h->hinges, x, projected, h->H);
    for (int32_t i = 0; i < 12; ++i) {
        for (int32_t j = 0; j < 12; ++j) {
            int64_t slot = pli_bcsr_find(h->H, i / 3, j / 3);
            H[12 * i + j] = h->H->values[9 * slot + 3 * (i % 3) + j % 3];
        }
    }
}

static void hinge_exact_hessian(void *user, const double *x, double *H)
{
    hinge_hessian(user, x, false, H);
}

static void hinges_are_smooth_from_flat_to_folded(void **state)
{
    pli_context *context = *state;
    // the last ones are folded onto themselves but for a thousandth of a radian, and beyond flat
    static const double angles[] = {0, 1e-9, 0.3, 1.5, 2.5, 3.1, 3.1405, -0.7, -3.1405};
    one_hinge h;
    hinge_init(&h, context, 0);
    for (size_t k = 0; k < sizeof angles / sizeof *angles; ++k) {
        derivatives_case hinge = {.n = 12,
                                  .energy = hinge_energy,
                                  .gradient = hinge_gradient,
                                  .hessian = hinge_exact_hessian,
                                  .user = &h,
                                  .scale = 0.05,
                                  .magnitude = 10};
        double x[12];
        fold(angles[k], x);
        NEAR(pli_hinge_angle(x, hinge_vertices), angles[k], 1e-12, 1e-15);
        CHECK_DERIVATIVES(&hinge, x, "hinge");
    }
    hinge_clear(&h);
}

// With a rest angle the energy is continuous where the angle jumps from pi to -pi.
static void a_hinge_with_a_rest_angle_passes_the_fold_without_a_jump(void **state)
{
    pli_context *context = *state;
    const double pi = 3.14159265358979323846;
    one_hinge h;
    hinge_init(&h, context, 1);
    double x[12];
    fold(pi - 1e-6, x);
    double before = hinge_energy(&h, x);
    fold(pi + 1e-6, x);
    double after = hinge_energy(&h, x);
    // energies c/2 (pi - 1 -+ 1e-6)^2: c is a little over 2, so that they differ by 2e-6 (pi - 1) c
    NEAR(after, before, 0, 2e-5);
    assert_true(after > before);
    fold(1, x);
    NEAR(hinge_energy(&h, x), 0, 0, 1e-25);
    hinge_clear(&h);
}

static void projected_hessians_are_positive_and_exact_where_that_is_positive(void **state)
{
    pli_context *context = *state;
    one_hinge h;
    hinge_init(&h, context, 0);
    static const double angles[] = {0, 0.5, 2, 3.1, -1};
    for (size_t k = 0; k < sizeof angles / sizeof *angles; ++k) {
        double x[12], H[144], values[12], Q[144];
        fold(angles[k], x);
        hinge_hessian(&h, x, true, H);
        pli_eigen_symmetric(12, H, values, Q);
        AT_LEAST(values[0], -1e-12 * values[11]);
    }
    hinge_clear(&h);

    // membranes: clamped modes have no negative direction, stretched ones are not clamped at all
    sheet s;
    sheet_init(&s, context, 2);
    for (int stretched = 0; stretched < 2; ++stretched) {
        double x[MOST], d[MOST], Hd[MOST];
        disturb(&s, stretched ? 0 : 0.04, x);
        for (int32_t k = 0; k < s.n; ++k) x[k] *= stretched ? 1.2 : 1;
        pli_random random = {3, 1};
        for (uint64_t trial = 0; trial < 50; ++trial) {
            for (int32_t k = 0; k < s.n; ++k) {
                d[k] = pli_random_normal(random, MOST * trial + (uint64_t)k);
            }
            pli_objective_compute_hessian(&s.objective, x, true);
            AT_MOST(pli_bcsr_symmetry_error(s.objective.H), 1e-14);
            pli_bcsr_multiply(s.objective.H, d, Hd);
            double projected = derivatives_dot(s.n, d, Hd);
            AT_LEAST(projected, 0);
            if (!stretched) continue;
            sheet_multiply(&s, x, d, Hd);
            // two ways to sum the same modes
            NEAR(derivatives_dot(s.n, d, Hd), projected, 1e-12, 0);
        }
    }
    sheet_clear(&s);
}

static void rigid_motion_changes_neither_energy_nor_the_size_of_forces(void **state)
{
    pli_context *context = *state;
    sheet s;
    sheet_init(&s, context, 3);
    double x[MOST], y[MOST], g[MOST], turned[MOST];
    disturb(&s, 0.03, x);
    const double axis[3] = {0.36, 0.48, 0.8};
    double R[9];
    pli_mat3_rotation(axis, 2.2, R);
    for (int32_t k = 0; k < s.n; k += 3) {
        pli_mat3_apply(R, x + k, y + k);
        for (int i = 0; i < 3; ++i) y[k + i] += 0.3 * (i + 1);
    }
    NEAR(sheet_energy(&s, y), sheet_energy(&s, x), 1e-11, 0);
    sheet_gradient(&s, x, g);
    sheet_gradient(&s, y, turned);
    double force[3] = {0}, torque[3] = {0};
    double size = derivatives_norm(s.n, g);
    for (int32_t k = 0; k < s.n; k += 3) {
        double f[3], spin[3];
        pli_mat3_apply(R, g + k, f);
        for (int i = 0; i < 3; ++i) NEAR(turned[k + i], f[i], 0, 1e-10 * size);
        pli_vec3_cross(x + k, g + k, spin);
        pli_vec3_add(force, g + k, force);
        pli_vec3_add(torque, spin, torque);
    }
    for (int i = 0; i < 3; ++i) {
        NEAR(force[i], 0, 0, 1e-12 * size);
        NEAR(torque[i], 0, 0, 1e-12 * size);
    }
    disturb(&s, 0, x);
    NEAR(sheet_energy(&s, x), 0, 0, 1e-25);
    sheet_clear(&s);
}

// Bends a sheet in the plane y = 0 to a cylinder whose curvature lies along a direction at an
// angle, and lifts vertices that diagonals meet in by an amount, the others down by it.
static void bend(const pli_tri_mesh *flat, int32_t columns, double angle, double curvature,
                 double lift, double *x)
{
    double c = cos(angle);
    double s = sin(angle);
    for (int32_t v = 0; v < flat->vertex_count; ++v) {
        const double *X = flat->points + 3 * v;
        double along = c * X[0] + s * X[2];
        double across = -s * X[0] + c * X[2];
        double phi = curvature * along;
        bool even = (v % (columns + 1) + v / (columns + 1)) % 2 == 0;
        double radius = 1 / curvature - (even ? lift : -lift);
        double turned = radius * sin(phi);
        x[3 * v] = c * turned - s * across;
        x[3 * v + 1] = 1 / curvature - radius * cos(phi);
        x[3 * v + 2] = s * turned + c * across;
    }
}

// Hinges whose vertices all lie away from the boundary.
static int32_t keep_inner(int32_t columns, pli_hinge_list *list)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < list->count; ++k) {
        bool inner = true;
        for (int i = 0; i < 4; ++i) {
            int32_t v = list->vertices[4 * k + i];
            int32_t column = v % (columns + 1);
            int32_t row = v / (columns + 1);
            inner = inner && column > 0 && row > 0 && column < columns && row < columns;
        }
        if (inner) memmove(list->vertices + 4 * kept++, list->vertices + 4 * k, 16);
    }
    return kept;
}

// Smallest energy per area, in D/2 kappa^2, of squares bent along a direction, and the lift in
// kappa L^2 for which it is attained. All hinges have c = 4/3 D, `share` of the sides are there.
// Sides across x have the angle (k_1 + y) L, those across z (k_2 + y) L, diagonals
// (-y +- k_12) sqrt(2) L, with y = 4 lift / L^2.
static void relax(double angle, double share, double *lift, double *per_area)
{
    double k1 = cos(angle) * cos(angle);
    double k2 = sin(angle) * sin(angle);
    double k12 = cos(angle) * sin(angle);
    double a = 4.0 / 3 * share;
    double b = 4.0 / 3;
    double y = -a * (k1 + k2) / (2 * (a + b));
    *lift = y / 4;
    *per_area = a * ((k1 + y) * (k1 + y) + (k2 + y) * (k2 + y)) + 2 * b * (y * y + k12 * k12);
}

// A sheet of squares that is bent to a cylinder, in whatever direction, and left to itself stores
// D/2 kappa^2 per area: vertices with eight edges then stand out by kappa L^2 / 16,
// the others in.
static void a_cylinder_stores_the_energy_of_a_plate(void **state)
{
    enum { CELLS = 40, VERTICES = (CELLS + 1) * (CELLS + 1) };
    static const double angles[] = {0, 0.4, 0.78539816339744831, 1.5707963267948966};
    const double D = 3, curvature = 0.01, L = 1.0 / CELLS;
    static double rigidity[12 * VERTICES];
    static double x[3 * VERTICES];
    pli_context *context = *state;
    pli_sheet_mesh_def def = {.size = {1, 1}, .cells = {CELLS, CELLS}};
    pli_tri_mesh *mesh = NULL;
    pli_hinge_list list;
    OK(context, pli_sheet_mesh_create(context, &def, &mesh));
    OK(context, pli_hinge_list_build(context, mesh->triangle_count, mesh->triangles, &list));
    // inner edges: all sides minus the boundary, over two
    assert_int_equal(list.count, (3 * mesh->triangle_count - 4 * CELLS) / 2);
    for (int32_t k = 0; k < list.count; ++k) rigidity[k] = D;
    int32_t inner = keep_inner(CELLS, &list);
    pli_hinges_def hinges_def = {.vertex_count = mesh->vertex_count,
                                 .hinge_count = inner,
                                 .rest = mesh->points,
                                 .vertices = list.vertices,
                                 .rigidity = rigidity};
    pli_hinges *hinges = NULL;
    OK(context, pli_hinges_create(context, &hinges_def, &hinges));
    // diagonals of (CELLS - 2)^2 squares, and sides between two of them
    double diagonals = (CELLS - 2) * (CELLS - 2);
    double sides = 2 * (CELLS - 2) * (CELLS - 3);
    assert_true(inner == diagonals + sides);
    for (size_t k = 0; k < sizeof angles / sizeof *angles; ++k) {
        double lift = 0, per_area = 0;
        double share = sides / (2 * diagonals);
        relax(angles[k], share, &lift, &per_area);
        double energy[3];
        for (int i = 0; i < 3; ++i) {
            bend(mesh, CELLS, angles[k], curvature, 0.5 * (1 + i) * lift * curvature * L * L, x);
            energy[i] = pli_sum_value(pli_hinges_term.energy(hinges, x));
        }
        // it is the smallest: the parabola through the three has its vertex in the middle
        double vertex = 0.5 * (energy[0] - energy[2]) / (energy[0] - 2 * energy[1] + energy[2]);
        AT_MOST(fabs(vertex), 1e-3);
        double area = diagonals * L * L;
        NEAR(energy[1], 0.5 * D * curvature * curvature * per_area * area, 1e-3, 0);

        // with all sides, that is D/2 kappa^2 in every direction
        relax(angles[k], 1, &lift, &per_area);
        NEAR(per_area, 1, 1e-12, 0);
        NEAR(lift, -1.0 / 16, 1e-12, 0);
    }
    pli_hinges_destroy(hinges);
    pli_hinge_list_clear(context, &list);
    pli_tri_mesh_destroy(mesh);
}

static void a_triangle_without_area_costs_infinite_energy_and_breaks_nothing(void **state)
{
    pli_context *context = *state;
    sheet s;
    sheet_init(&s, context, 2);
    double x[MOST], g[MOST];
    disturb(&s, 0, x);
    memcpy(x + 3, x, 3 * sizeof *x);
    assert_true(isinf(sheet_energy(&s, x)));
    sheet_gradient(&s, x, g);
    pli_objective_compute_hessian(&s.objective, x, true);
    for (int32_t k = 0; k < s.n; ++k) assert_true(isfinite(g[k]));
    for (int64_t k = 0; k < 9 * s.objective.H->block_count; ++k) {
        assert_true(isfinite(s.objective.H->values[k]));
    }
    // next to it energy and forces are large but finite
    x[4] += 1e-6;
    assert_true(isfinite(sheet_energy(&s, x)));
    sheet_clear(&s);
}

static void a_shell_needs_area_at_rest(void **state)
{
    pli_context *context = *state;
    sheet s = {.context = context};
    pli_sheet_mesh_def def = {.size = {1, 1}, .cells = {1, 1}};
    OK(context, pli_sheet_mesh_create(context, &def, &s.mesh));
    memcpy(s.mesh->points + 9, s.mesh->points, 3 * sizeof(double));
    pli_shell_term_def shell = sheet_def(&s);
    pli_shell *made = NULL;
    char message[256];
    assert_int_equal(pli_shell_create(context, &shell, &made), PLI_ERROR_MESH);
    assert_null(made);
    pli_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "has no area at rest"));
    pli_tri_mesh_destroy(s.mesh);
}

static void hinges_join_the_triangles_of_crowded_edges_in_order(void **state)
{
    pli_context *context = *state;
    // three triangles at the edge 0-1, oriented as they please, and one at another edge of the last
    static const int32_t triangles[12] = {0, 1, 2, 0, 1, 3, 1, 0, 4, 4, 0, 5};
    pli_hinge_list list;
    OK(context, pli_hinge_list_build(context, 4, triangles, &list));
    static const int32_t vertices[12] = {0, 1, 2, 3, 0, 1, 3, 4, 0, 4, 1, 5};
    static const int32_t pairs[6] = {0, 1, 1, 2, 2, 3};
    assert_int_equal(list.count, 3);
    assert_memory_equal(list.vertices, vertices, sizeof vertices);
    assert_memory_equal(list.triangles, pairs, sizeof pairs);
    pli_hinge_list_clear(context, &list);
}

// Three triangles at one edge: plates end there, and hinges join them; the fourth is the neighbour
// of one of them.
static void plates_leave_crowded_edges_to_hinges(void **state)
{
    pli_context *context = *state;
    static const double rest[] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, -1, 1, 0, 1};
    static const int32_t triangles[] = {0, 1, 2, 0, 1, 3, 0, 1, 4, 1, 5, 2};
    const double ones[4] = {1, 1, 1, 1}, zeros[4] = {0};
    const uint8_t all[4] = {1, 1, 1, 1};
    pli_shell_term_def def = {.membrane = {.vertex_count = 6,
                                           .triangle_count = 4,
                                           .rest = rest,
                                           .triangles = triangles,
                                           .thickness = ones,
                                           .young = ones,
                                           .poisson = zeros},
                              .bending = ones,
                              .is_plate = all};
    pli_shell *shell = NULL;
    OK(context, pli_shell_create(context, &def, &shell));
    assert_int_equal(shell->hinges->hinge_count, 2);
    assert_int_equal(shell->plates->plate_count, 4);
    static const int hinges[4] = {1, 0, 0, 1};
    for (int k = 0; k < 4; ++k) assert_int_equal(shell->plates->hinges[k] != 0, hinges[k]);
    assert_int_equal(shell->hinge_rows[0], 0);
    assert_int_equal(shell->hinge_rows[1], 1);
    pli_shell_destroy(shell);
}

// Neighbouring turns of a scroll are a gap apart, its vertices are spaced equally.
static void scrolls_are_spirals_of_equal_squares(void **state)
{
    pli_context *context = *state;
    pli_scroll_mesh_def def = {.radius = 0.1, .gap = 0.02, .turns = 4, .width = 0.3};
    def.cells[0] = 400;
    def.cells[1] = 3;
    pli_tri_mesh *mesh = NULL;
    OK(context, pli_scroll_mesh_create(context, &def, &mesh));
    assert_int_equal(mesh->vertex_count, 401 * 4);
    assert_int_equal(mesh->triangle_count, 2 * 400 * 3);
    double length = pli_scroll_length(&def, 8 * 3.14159265358979323846);
    for (int32_t k = 0; k < 400; ++k) {
        const double *x = mesh->points + 3 * k;
        // a chord is shorter than its arc by the square of the angle over 24
        NEAR(pli_vec3_distance(x, x + 3), length / 400, 1e-3, 0);
    }
    double begin = hypot(mesh->points[0], mesh->points[1]);
    double end = hypot(mesh->points[3 * 400], mesh->points[3 * 400 + 1]);
    NEAR(begin, 0.1, 1e-12, 0);
    NEAR(end, 0.18, 1e-12, 0);
    pli_tri_mesh_report report;
    OK(context, pli_tri_mesh_check(mesh, &report));
    assert_true(report.is_manifold && report.is_oriented && !report.is_closed);
    pli_tri_mesh_destroy(mesh);
}

static pli_status create_shell(pli_context *context, sheet *s)
{
    pli_sheet_mesh_def def = {.size = {1, 1}, .cells = {2, 2}};
    s->context = context;
    PLI_TRY(pli_sheet_mesh_create(context, &def, &s->mesh));
    pli_shell_term_def shell = sheet_def(s);
    return pli_shell_create(context, &shell, &s->shell);
}

static void no_failing_allocation_leaks(void **state)
{
    (void)state;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        sheet s = {0};
        sweep.status = create_shell(sweep.context, &s);
        pli_shell_destroy(s.shell);
        pli_tri_mesh_destroy(s.mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(gradient_and_hessian_are_derivatives_of_the_energy, 2),
        TEST_IN_CONTEXT(hinges_are_smooth_from_flat_to_folded, 1),
        TEST_IN_CONTEXT(a_hinge_with_a_rest_angle_passes_the_fold_without_a_jump, 1),
        TEST_IN_CONTEXT(projected_hessians_are_positive_and_exact_where_that_is_positive, 1),
        TEST_IN_CONTEXT(rigid_motion_changes_neither_energy_nor_the_size_of_forces, 1),
        TEST_IN_CONTEXT(a_cylinder_stores_the_energy_of_a_plate, 1),
        TEST_IN_CONTEXT(a_triangle_without_area_costs_infinite_energy_and_breaks_nothing, 1),
        TEST_IN_CONTEXT(a_shell_needs_area_at_rest, 1),
        TEST_IN_CONTEXT(hinges_join_the_triangles_of_crowded_edges_in_order, 1),
        TEST_IN_CONTEXT(plates_leave_crowded_edges_to_hinges, 1),
        TEST_IN_CONTEXT(scrolls_are_spirals_of_equal_squares, 1),
        cmocka_unit_test(no_failing_allocation_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
