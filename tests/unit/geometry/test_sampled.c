// SPDX-License-Identifier: Apache-2.0
// Sampled distance grids (Gast et al. 2015): what their interpolants reproduce, and grids from
// meshes.
#include "support/same_bits.h"
#include "unit/geometry/mesh_oracle.h"
#include "workshop.h"

#include "geometry/generate/grid_mesh.h"
#include "geometry/generate/recipe.h"
#include "geometry/generate/stuffing.h"
#include "geometry/shapes/contour.h"
#include "geometry/shapes/stencil.h"

static void random_point(uint64_t index, double reach, double out[3])
{
    pli_random random = {31, 0};
    for (uint64_t k = 0; k < 3; ++k)
        out[k] = pli_random_range(random, 3 * index + k, -reach, reach);
}

static double polynomial(double x, int degree)
{
    return degree == 0 ? 1 : degree == 1 ? 2 - 3 * x : 0.5 - x + 0.7 * x * x;
}

static double polynomial_slope(double x, int degree)
{
    return degree == 0 ? 0 : degree == 1 ? -3 : -1 + 1.4 * x;
}

static void stencils_reproduce_polynomials(void **state)
{
    (void)state;
    enum { SAMPLES = 6 };
    for (int degree = 0; degree <= 2; ++degree) {
        for (int cubic = 0; cubic < 2; ++cubic) {
            // linear stencils stop at degree one; cubic ones reproduce quadratics off the border
            if (degree == 2 && !cubic) continue;
            double border = degree == 2 ? 1 : 0;
            for (double x = border; x <= SAMPLES - 1 - border; x += 0.01) {
                pli_stencil s = pli_stencil_at(x, SAMPLES, cubic != 0);
                double value = 0, slope = 0;
                for (int k = 0; k < s.count; ++k) {
                    value += s.weight[k] * polynomial(s.sample[k], degree);
                    slope += s.slope[k] * polynomial(s.sample[k], degree);
                }
                NEAR(value, polynomial(x, degree), 1e-13, 1e-13);
                NEAR(slope, polynomial_slope(x, degree), 1e-12, 1e-12);
            }
        }
    }
    // the smallest grid has two samples
    pli_stencil s = pli_stencil_at(0.25, 2, true);
    double value = 0;
    for (int k = 0; k < 4; ++k) value += s.weight[k] * polynomial(s.sample[k], 1);
    NEAR(value, polynomial(0.25, 1), 1e-14, 0);
}

static void cubic_grids_have_continuous_gradients(void **state)
{
    workshop *w = *state;
    const pli_shape *ball, *grid[2];
    const double origin[3] = {0, 0, 0};
    OK(w->context, pli_shape_sphere(w->set, origin, 1, &ball));
    OK(w->context, pli_shape_sampled(w->set, ball, 16, PLI_SHAPE_LINEAR, &grid[0]));
    OK(w->context, pli_shape_sampled(w->set, ball, 16, PLI_SHAPE_CUBIC, &grid[1]));
    // sixteen cells over the diameter: the spacing is an eighth and 0 a border between cells
    double worst[2] = {0, 0};
    for (uint64_t i = 0; i < 200; ++i) {
        double x[3], before[3], after[3];
        random_point(i, 1, x);
        for (int kind = 0; kind < 2; ++kind) {
            x[0] = 0.5 - 1e-9;
            pli_shape_gradient(grid[kind], x, before);
            x[0] = 0.5 + 1e-9;
            pli_shape_gradient(grid[kind], x, after);
            worst[kind] = fmax(worst[kind], pli_vec3_distance(before, after));
        }
    }
    // second derivatives times the step
    AT_MOST(worst[1], 1e-6);
    AT_LEAST(worst[0], 1e-3);
}

static void cubic_grids_converge_faster(void **state)
{
    workshop *w = *state;
    const pli_shape *ball;
    const double origin[3] = {0.1, 0, 0};
    OK(w->context, pli_shape_sphere(w->set, origin, 1, &ball));
    double error[2][2] = {{0, 0}, {0, 0}};
    for (int kind = 0; kind < 2; ++kind) {
        for (int level = 0; level < 2; ++level) {
            const pli_shape *grid;
            OK(w->context,
               pli_shape_sampled(w->set, ball, 16 << level,
                                 kind == 0 ? PLI_SHAPE_LINEAR : PLI_SHAPE_CUBIC, &grid));
            for (uint64_t i = 0; i < 500; ++i) {
                double x[3];
                random_point(i, 0.9, x);
                if (pli_vec3_distance(x, origin) < 0.4) continue;
                double e = fabs(pli_shape_value(grid, x) - pli_shape_value(ball, x));
                error[kind][level] = fmax(error[kind][level], e);
            }
        }
    }
    // orders two and three
    AT_LEAST(error[0][0] / error[0][1], 3);
    AT_LEAST(error[1][0] / error[1][1], 6);
    AT_MOST(error[1][1], 0.1 * error[0][1]);
}

static pli_tri_mesh *box_skin(pli_context *context)
{
    pli_grid_mesh_def def = {{{-0.5, -0.3, -0.2}, {0.5, 0.3, 0.2}}, {5, 3, 2}, PLI_GRID_MESH_SIX};
    pli_tet_mesh *mesh = NULL;
    pli_surface *surface = NULL;
    pli_tri_mesh *skin = NULL;
    OK(context, pli_grid_mesh_create(context, &def, &mesh));
    OK(context, pli_surface_create(mesh, &surface));
    OK(context, pli_surface_to_tri_mesh(surface, mesh, &skin));
    pli_surface_destroy(surface);
    pli_tet_mesh_destroy(mesh);
    return skin;
}

static void a_mesh_of_a_box_gives_the_distance_to_the_box(void **state)
{
    workshop *w = *state;
    const pli_shape *box, *grid;
    const double origin[3] = {0, 0, 0};
    const double size[3] = {1, 0.6, 0.4};
    pli_tri_mesh *skin = box_skin(w->context);
    OK(w->context, pli_shape_box(w->set, origin, size, 0, &box));
    // the samples lie on the faces of the box and on the edges of its triangles
    OK(w->context, pli_shape_sampled_mesh(w->set, skin, 20, PLI_SHAPE_LINEAR, &grid));
    for (uint64_t i = 0; i < 2000; ++i) {
        double x[3];
        random_point(i, 1, x);
        // within the grid, three cells of 0.05 beyond the box
        for (int k = 0; k < 3; ++k) x[k] *= 0.5 * size[k] + 0.15;
        // linear interpolation smears edges over a cell
        NEAR(pli_shape_value(grid, x), pli_shape_value(box, x), 0, 0.02);
        // and beyond it the value is not too small, by the triangle inequality
        pli_vec3_scale(3, x, x);
        AT_LEAST(pli_shape_value(grid, x), pli_shape_value(box, x) - 0.02);
    }
    pli_tri_mesh_destroy(skin);
}

static void a_mesh_turned_inside_out_encloses_the_same(void **state)
{
    workshop *w = *state;
    const pli_shape *grid, *turned;
    pli_tri_mesh *skin = box_skin(w->context);
    OK(w->context, pli_shape_sampled_mesh(w->set, skin, 12, PLI_SHAPE_CUBIC, &grid));
    for (int32_t t = 0; t < skin->triangle_count; ++t) {
        int32_t swapped = skin->triangles[3 * t];
        skin->triangles[3 * t] = skin->triangles[3 * t + 1];
        skin->triangles[3 * t + 1] = swapped;
    }
    OK(w->context, pli_shape_sampled_mesh(w->set, skin, 12, PLI_SHAPE_CUBIC, &turned));
    for (uint64_t i = 0; i < 100; ++i) {
        double x[3];
        random_point(i, 0.6, x);
        NEAR(pli_shape_value(turned, x), pli_shape_value(grid, x), 0, 1e-12);
    }
    pli_tri_mesh_destroy(skin);
}

static void a_sheet_encloses_nothing(void **state)
{
    workshop *w = *state;
    const double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.2}, {0, 1, 0.1}};
    const int32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    pli_tri_mesh *sheet = NULL;
    const pli_shape *grid;
    OK(w->context, pli_tri_mesh_create(w->context, 4, &points[0][0], 2, &triangles[0][0], &sheet));
    assert_int_equal(pli_shape_sampled_mesh(w->set, sheet, 16, PLI_SHAPE_LINEAR, &grid),
                     PLI_ERROR_MESH);
    assert_null(grid);
    pli_tri_mesh_destroy(sheet);
}

// A surface such as scanners give: ears, thin and uneven triangles, every vertex off by a tenth of
// an edge.
static void a_noisy_surface_can_be_filled(void **state)
{
    workshop *w = *state;
    pli_recipe_shapes bunny;
    const pli_shape *shape;
    pli_tri_mesh *exact = NULL, *scan = NULL;
    pli_tet_mesh *mesh = NULL;
    pli_bounds everywhere = pli_bounds_infinite();
    pli_stuffing_def def = {.vertex_count = 1500};
    OK(w->context, pli_recipe_build(w->set, "bunny", 1, &bunny));
    OK(w->context, pli_contour_create(w->context, bunny.shape, &everywhere, 40, &exact));
    AT_LEAST(exact->triangle_count, 3000);
    for (int32_t i = 0; i < 3 * exact->vertex_count; ++i) {
        exact->points[i] += pli_random_range((pli_random){4, 1}, (uint64_t)i, -0.0025, 0.0025);
    }
    OK(w->context, pli_tri_mesh_create(w->context, exact->vertex_count, exact->points,
                                       exact->triangle_count, exact->triangles, &scan));
    OK(w->context, pli_shape_sampled_mesh(w->set, scan, 48, PLI_SHAPE_CUBIC, &shape));
    OK(w->context, pli_stuffing_create(w->context, shape, &def, NULL, &mesh));
    oracle_check_mesh(mesh);
    NEAR(mesh->vertex_count, 1500, 0.10, 0);
    NEAR(pli_tet_mesh_volume(mesh), pli_tri_mesh_volume(scan), 0.02, 0);
    pli_tet_mesh_destroy(mesh);
    pli_tri_mesh_destroy(scan);
    pli_tri_mesh_destroy(exact);
}

static void samples_do_not_depend_on_the_thread_count(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        pli_shape_set *set = NULL;
        const pli_shape *grid;
        pli_tri_mesh *skin = box_skin(context);
        OK(context, pli_shape_set_create(context, &set));
        OK(context, pli_shape_sampled_mesh(set, skin, 24, PLI_SHAPE_CUBIC, &grid));
        for (uint64_t i = 0; i < 64; ++i) {
            double x[3];
            random_point(i, 0.8, x);
            same_bits_keep_double(&bits, pli_shape_value(grid, x));
        }
        pli_tri_mesh_destroy(skin);
        pli_shape_set_destroy(set);
        pli_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stencils_reproduce_polynomials),
        TEST_IN_WORKSHOP(cubic_grids_have_continuous_gradients, 1),
        TEST_IN_WORKSHOP(cubic_grids_converge_faster, 2),
        TEST_IN_WORKSHOP(a_mesh_of_a_box_gives_the_distance_to_the_box, 2),
        TEST_IN_WORKSHOP(a_mesh_turned_inside_out_encloses_the_same, 1),
        TEST_IN_WORKSHOP(a_sheet_encloses_nothing, 1),
        TEST_IN_WORKSHOP(a_noisy_surface_can_be_filled, 2),
        cmocka_unit_test(samples_do_not_depend_on_the_thread_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
