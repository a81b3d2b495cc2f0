// SPDX-License-Identifier: Apache-2.0
// Surfaces of shapes by dual contouring: where they are, what they are, and that they are sharp.
#include "support/fault_sweep.h"
#include "support/same_bits.h"
#include "unit/geometry/shape_zoo.h"
#include "workshop.h"

#include "base/hash.h"
#include "geometry/shapes/contour.h"
#include "geometry/shapes/contour_cell.h"

static const double pi = 3.14159265358979323846;
static const double origin[3] = {0, 0, 0};

static pli_tri_mesh *contour(const workshop *w, const pli_shape *shape, const pli_bounds *box,
                             int32_t resolution)
{
    pli_bounds everywhere = pli_bounds_infinite();
    pli_tri_mesh *mesh = NULL;
    OK(w->context,
       pli_contour_create(w->context, shape, box != NULL ? box : &everywhere, resolution, &mesh));
    return mesh;
}

static pli_bounds cube(double half)
{
    return (pli_bounds){{-half, -half, -half}, {half, half, half}};
}

static pli_tri_mesh_report check_mesh(const pli_tri_mesh *mesh, bool closed)
{
    pli_tri_mesh_report report;
    OK(mesh->context, pli_tri_mesh_check(mesh, &report));
    assert_true(report.is_oriented);
    assert_true(report.is_manifold);
    assert_int_equal(report.unused_vertices, 0);
    assert_int_equal(report.is_closed, closed);
    return report;
}

// the largest |value| at a vertex
static double farthest_vertex(const pli_shape *shape, const pli_tri_mesh *mesh)
{
    double farthest = 0;
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        farthest = fmax(farthest, fabs(pli_shape_value(shape, mesh->points + 3 * (int64_t)v)));
    }
    return farthest;
}

// distance from a point to the nearest vertex
static double nearest_vertex(const pli_tri_mesh *mesh, const double x[3])
{
    double nearest = INFINITY;
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        nearest = fmin(nearest, pli_vec3_distance(mesh->points + 3 * (int64_t)v, x));
    }
    return nearest;
}

static void loops_close_and_agree_across_faces(void **state)
{
    (void)state;
    pli_contour_case cases[256];
    pli_contour_cases_build(cases);
    assert_int_equal(cases[0].loop_count, 0);
    assert_int_equal(cases[255].loop_count, 0);
    assert_int_equal(cases[1].loop_count, 1);
    assert_int_equal(cases[0x0f].loop_count, 1);
    // inside at every other corner: four corners cut off; its complement the same by the rule
    assert_int_equal(cases[0x69].loop_count, 4);
    int folded = 0;
    for (int mask = 0; mask < 256; ++mask) {
        int edges[PLI_CONTOUR_EDGES] = {0};
        for (int e = 0; e < PLI_CONTOUR_EDGES; ++e) {
            bool crossed = (mask >> pli_contour_edge_corner(e, 0) & 1) !=
                           (mask >> pli_contour_edge_corner(e, 1) & 1);
            assert_int_equal(crossed, cases[mask].loop[e] != PLI_CONTOUR_NO_LOOP);
            if (crossed) ++edges[cases[mask].loop[e]];
        }
        // a piece of surface has at least three corners
        for (int loop = 0; loop < cases[mask].loop_count; ++loop) AT_LEAST(edges[loop], 3);
        folded += cases[mask].folded != 0;
    }
    AT_LEAST(folded, 1);
}

// Error of second order: facets of a sphere are off by about the cell size squared over the radius.
static void sphere_is_met_to_second_order(void **state)
{
    workshop *w = *state;
    const pli_shape *ball;
    const double center[3] = {0.1, -0.2, 0.3};
    const double radius = 0.7;
    OK(w->context, pli_shape_sphere(w->set, center, radius, &ball));
    double last = 0;
    for (int32_t resolution = 12; resolution <= 48; resolution *= 2) {
        pli_tri_mesh *mesh = contour(w, ball, NULL, resolution);
        pli_tri_mesh_report report = check_mesh(mesh, true);
        double cell = 2 * radius / resolution;
        double order2 = cell * cell / radius;
        // moved onto the sphere, but for those that a border of their cell holds back
        AT_MOST(farthest_vertex(ball, mesh), 0.02 * order2);
        double volume = 4 * pi / 3 * radius * radius * radius;
        double area = 4 * pi * radius * radius;
        // triangles with legs of a cell's edge lie edge^2 / (6 radius) below the sphere on average,
        // and edges are longer where the surface is oblique to the cells
        AT_MOST(fabs(report.volume - volume), area * order2 / 4);
        AT_MOST(fabs(report.area - area), area * order2 / radius);
        // halving the cells quarters the error, with room for how the cells happen to lie
        double error = fabs(report.volume - volume);
        if (last > 0) AT_MOST(error, last / 3);
        last = error;
        pli_tri_mesh_destroy(mesh);
    }
}

static void box_is_reproduced_exactly(void **state)
{
    workshop *w = *state;
    const pli_shape *box;
    const double center[3] = {0.013, -0.027, 0.119};
    const double size[3] = {1.07, 0.61, 0.43};
    OK(w->context, pli_shape_box(w->set, center, size, 0, &box));
    pli_bounds around = cube(1.1);
    for (int32_t pass = 0; pass < 2; ++pass) {
        pli_tri_mesh *mesh = contour(w, box, pass == 0 ? &around : NULL, 23);
        pli_tri_mesh_report report = check_mesh(mesh, true);
        // planes through crossings that are good to 1e-10 of a cell
        NEAR(report.volume, size[0] * size[1] * size[2], 1e-9, 0);
        NEAR(report.area, 2 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0]), 1e-9, 0);
        AT_MOST(farthest_vertex(box, mesh), 1e-9);
        for (int corner = 0; corner < 8; ++corner) {
            double x[3];
            for (int k = 0; k < 3; ++k) x[k] = center[k] + size[k] * ((corner >> k & 1) - 0.5);
            AT_MOST(nearest_vertex(mesh, x), 1e-9);
        }
        pli_tri_mesh_destroy(mesh);
    }
}

// Rims are sharp: the cylinder's volume is right to second order, and its ends are flat.
static void turned_cylinder_keeps_its_rims(void **state)
{
    workshop *w = *state;
    const pli_shape *cylinder;
    OK(w->context, pli_shape_cylinder(w->set, zoo_start, zoo_end, 0.35, &cylinder));
    pli_tri_mesh *mesh = contour(w, cylinder, NULL, 40);
    pli_tri_mesh_report report = check_mesh(mesh, true);
    double height = pli_vec3_distance(zoo_start, zoo_end);
    // the facets' height over a circle is a few thousandths of the radius at this resolution
    NEAR(report.volume, pi * 0.35 * 0.35 * height, 4e-3, 0);
    NEAR(report.area, 2 * pi * 0.35 * (0.35 + height), 4e-3, 0);

    // points of the rims are close to the mesh's vertices, which a rounded edge would not reach
    double axis[3], across[3], up[3], x[3];
    pli_vec3_subtract(zoo_end, zoo_start, axis);
    pli_vec3_normalize(axis, axis);
    pli_vec3_cross(axis, (const double[3]){1, 0, 0}, across);
    pli_vec3_normalize(across, across);
    pli_vec3_cross(axis, across, up);
    double cell = 1.5 / 40;
    int32_t on_rim = 0;
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        double from[3];
        pli_vec3_subtract(mesh->points + 3 * (int64_t)v, zoo_end, from);
        double along = pli_vec3_dot(from, axis);
        pli_vec3_add_scaled(from, -along, axis, from);
        on_rim += fabs(along) < 1e-3 * cell && fabs(pli_vec3_norm(from) - 0.35) < 0.05 * cell;
    }
    AT_LEAST(on_rim, 2 * pi * 0.35 / cell);
    for (int i = 0; i < 64; ++i) {
        double angle = 2 * pi * i / 64;
        pli_vec3_add_scaled(zoo_end, 0.35 * cos(angle), across, x);
        pli_vec3_add_scaled(x, 0.35 * sin(angle), up, x);
        AT_MOST(nearest_vertex(mesh, x), cell);
    }
    pli_tri_mesh_destroy(mesh);
}

static void torus_has_its_hole(void **state)
{
    workshop *w = *state;
    const pli_shape *torus;
    OK(w->context, pli_shape_torus(w->set, zoo_center, zoo_axis, 0.6, 0.2, &torus));
    pli_tri_mesh *mesh = contour(w, torus, NULL, 40);
    pli_tri_mesh_report report = check_mesh(mesh, true);
    // a cell is a fifth of the tube's radius: (1/5)^2 / 8 and some
    NEAR(report.volume, 2 * pi * pi * 0.6 * 0.2 * 0.2, 0.01, 0);
    // vertices - edges + faces = 0, with three edges to two faces
    assert_int_equal(2 * mesh->vertex_count, mesh->triangle_count);
    pli_tri_mesh_destroy(mesh);
}

// Two boxes that form a step, and a box with a notch cut out: concave edges and corners.
static void concave_corners_are_sharp(void **state)
{
    workshop *w = *state;
    const pli_shape *part[3], *step, *notched;
    const double size[3] = {1.03, 0.51, 0.77};
    const double above[3] = {-0.2, 0.31, 0.09};
    const double small[3] = {0.53, 0.41, 0.43};
    const double cut[3] = {0.5, 0.25, 0.36};
    OK(w->context, pli_shape_box(w->set, origin, size, 0, &part[0]));
    OK(w->context, pli_shape_box(w->set, above, small, 0, &part[1]));
    OK(w->context, pli_shape_union(w->set, 2, part, 0, &step));
    pli_tri_mesh *mesh = contour(w, step, NULL, 31);
    pli_tri_mesh_report report = check_mesh(mesh, true);
    // the upper box stands in the lower one from 0.105 to 0.255
    double volume = size[0] * size[1] * size[2] + small[0] * small[2] * (0.515 - 0.255);
    NEAR(report.volume, volume, 1e-9, 0);
    const double foot[3] = {above[0] + 0.265, 0.255, above[2] + 0.215};
    AT_MOST(nearest_vertex(mesh, foot), 1e-9);
    pli_tri_mesh_destroy(mesh);

    OK(w->context, pli_shape_box(w->set, cut, small, 0, &part[1]));
    OK(w->context, pli_shape_difference(w->set, 2, part, 0, &notched));
    mesh = contour(w, notched, NULL, 31);
    report = check_mesh(mesh, true);
    double removed = (0.515 - 0.235) * (0.255 - 0.045) * (0.385 - 0.145);
    NEAR(report.volume, size[0] * size[1] * size[2] - removed, 1e-9, 0);
    const double inner[3] = {0.235, 0.045, 0.145};
    AT_MOST(nearest_vertex(mesh, inner), 1e-9);
    pli_tri_mesh_destroy(mesh);
}

static void plane_ends_at_the_box(void **state)
{
    workshop *w = *state;
    const pli_shape *level, *tilted;
    const double up[3] = {0, 2, 0};
    const double point[3] = {0, 0.1, 0};
    pli_bounds box = {{-1, -0.5, -2}, {1, 0.5, 2}};
    OK(w->context, pli_shape_plane(w->set, point, up, &level));
    pli_tri_mesh *mesh = contour(w, level, &box, 17);
    pli_tri_mesh_report report = check_mesh(mesh, false);
    NEAR(report.area, 8, 1e-12, 0);
    assert_int_equal(report.component_count, 1);
    for (int32_t t = 0; t < mesh->triangle_count; ++t) {
        const int32_t *c = mesh->triangles + 3 * (int64_t)t;
        double u[3], v[3], n[3];
        pli_vec3_subtract(mesh->points + 3 * c[1], mesh->points + 3 * c[0], u);
        pli_vec3_subtract(mesh->points + 3 * c[2], mesh->points + 3 * c[0], v);
        pli_vec3_cross(u, v, n);
        assert_true(n[1] > 0 && fabs(n[0]) < 1e-12 && fabs(n[2]) < 1e-12);
    }
    pli_tri_mesh_destroy(mesh);

    // through four parallel edges of the box: a parallelogram stretched by 1 / n_y
    const double slope[3] = {0.2, 1, 0.1};
    OK(w->context, pli_shape_plane(w->set, origin, slope, &tilted));
    mesh = contour(w, tilted, &box, 17);
    report = check_mesh(mesh, false);
    NEAR(report.area, 8 * pli_vec3_norm(slope), 1e-9, 0);
    AT_MOST(farthest_vertex(tilted, mesh), 1e-12);
    pli_tri_mesh_destroy(mesh);
}

// The edge of a wedge meets the border where it should, which takes the constrained fit.
static void sharp_edges_reach_the_border(void **state)
{
    workshop *w = *state;
    const pli_shape *half[2], *wedge;
    const double left[3] = {-1, 0, 0.3};
    const double right[3] = {0, 1, -0.2};
    OK(w->context, pli_shape_plane(w->set, origin, left, &half[0]));
    OK(w->context, pli_shape_plane(w->set, origin, right, &half[1]));
    OK(w->context, pli_shape_intersection(w->set, 2, half, 0, &wedge));
    pli_bounds box = cube(1);
    pli_tri_mesh *mesh = contour(w, wedge, &box, 21);
    check_mesh(mesh, false);
    double edge[3], end[3];
    pli_vec3_cross(left, right, edge);
    for (int side = -1; side <= 1; side += 2) {
        pli_vec3_scale(side / edge[2], edge, end);
        AT_MOST(nearest_vertex(mesh, end), 1e-9);
    }
    pli_tri_mesh_destroy(mesh);
}

static void inside_out_shapes_face_inwards(void **state)
{
    workshop *w = *state;
    const pli_shape *ball, *room;
    OK(w->context, pli_shape_sphere(w->set, origin, 0.5, &ball));
    OK(w->context, pli_shape_negation(w->set, ball, &room));
    pli_bounds box = cube(0.7);
    pli_tri_mesh *mesh = contour(w, room, &box, 30);
    pli_tri_mesh_report report = check_mesh(mesh, true);
    NEAR(report.volume, -4 * pi / 3 * 0.125, 0.01, 0);
    pli_tri_mesh_destroy(mesh);
}

static void every_kind_of_shape_has_a_manifold_surface(void **state)
{
    workshop *w = *state;
    pli_bounds box = cube(1.4);
    for (int kind = 0; kind < ZOO_COUNT; ++kind) {
        const pli_shape *shape;
        OK(w->context, zoo_build(w->set, (zoo_kind)kind, &shape));
        pli_bounds bounds = pli_shape_bounds(shape);
        bool inside = true;
        for (int k = 0; k < 3; ++k) inside &= bounds.min[k] >= -1.4 && bounds.max[k] <= 1.4;
        inside |= kind == ZOO_NEGATION;
        pli_tri_mesh *mesh = contour(w, shape, &box, 28);
        AT_LEAST(mesh->triangle_count, 100);
        check_mesh(mesh, inside);
        for (int64_t v = 0; v < mesh->vertex_count; ++v) {
            AT_MOST(pli_bounds_distance(&box, mesh->points + 3 * v), 0);
        }
        pli_tri_mesh_destroy(mesh);
    }
}

// Balls smaller than cells, strewn at random: every case of a cell occurs, pinched faces too.
static void surfaces_finer_than_the_cells_stay_manifold(void **state)
{
    enum { BALLS = 160 };
    workshop *w = *state;
    const pli_shape *ball[BALLS], *foam, *sponge, *block, *solid;
    pli_random random = {5, 1};
    for (uint64_t i = 0; i < BALLS; ++i) {
        double center[3];
        zoo_point(7, i, 0.3, center);
        OK(w->context,
           pli_shape_sphere(w->set, center, pli_random_range(random, i, 0.04, 0.075), &ball[i]));
    }
    const double size[3] = {0.95, 0.95, 0.95};
    OK(w->context, pli_shape_union(w->set, BALLS, ball, 0, &foam));
    OK(w->context, pli_shape_box(w->set, origin, size, 0, &block));
    OK(w->context, pli_shape_negation(w->set, foam, &sponge));
    OK(w->context,
       pli_shape_intersection(w->set, 2, (const pli_shape *[]){block, sponge}, 0, &solid));
    for (int32_t resolution = 7; resolution < 12; ++resolution) {
        pli_tri_mesh *mesh = contour(w, foam, NULL, resolution);
        check_mesh(mesh, true);
        pli_tri_mesh_destroy(mesh);
        mesh = contour(w, solid, NULL, resolution);
        check_mesh(mesh, true);
        pli_tri_mesh_destroy(mesh);
    }
}

static uint64_t hash_mesh(const pli_tri_mesh *mesh)
{
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, mesh->points,
                                   (size_t)mesh->vertex_count * 3 * sizeof(double));
    return pli_hash_bytes(hash, mesh->triangles,
                          (size_t)mesh->triangle_count * 3 * sizeof(int32_t));
}

static void bytes_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        workshop *w = workshop_open(bits.threads);
        const pli_shape *shape;
        OK(w->context, zoo_build(w->set, ZOO_DIFFERENCE, &shape));
        pli_tri_mesh *mesh = contour(w, shape, NULL, 50);
        same_bits_keep_hash(&bits, hash_mesh(mesh));
        pli_tri_mesh_destroy(mesh);
        workshop_close(w);
    }
}

static void what_has_no_surface_gives_an_empty_mesh(void **state)
{
    workshop *w = *state;
    const pli_shape *ball;
    OK(w->context, pli_shape_sphere(w->set, origin, 0.5, &ball));
    pli_bounds boxes[2] = {cube(0.1), {{2, 2, 2}, {3, 3, 3}}};
    for (int i = 0; i < 2; ++i) {
        pli_tri_mesh *mesh = contour(w, ball, &boxes[i], 20);
        assert_int_equal(mesh->triangle_count, 0);
        assert_int_equal(mesh->vertex_count, 0);
        pli_tri_mesh_destroy(mesh);
    }
}

static void unbounded_and_absurd_requests_are_refused(void **state)
{
    workshop *w = *state;
    const pli_shape *plane, *ball;
    OK(w->context, zoo_build(w->set, ZOO_PLANE, &plane));
    OK(w->context, zoo_build(w->set, ZOO_SPHERE, &ball));
    pli_bounds everywhere = pli_bounds_infinite();
    pli_tri_mesh *mesh = NULL;
    assert_int_equal(pli_contour_create(w->context, plane, &everywhere, 20, &mesh),
                     PLI_ERROR_ARGUMENT);
    assert_int_equal(pli_contour_create(w->context, ball, &everywhere, 0, &mesh),
                     PLI_ERROR_ARGUMENT);
    assert_int_equal(
        pli_contour_create(w->context, ball, &everywhere, PLI_CONTOUR_RESOLUTION + 1, &mesh),
        PLI_ERROR_ARGUMENT);
    assert_null(mesh);
}

static void failing_allocations_leave_nothing(void **state)
{
    workshop *w = *state;
    const pli_shape *ball;
    OK(w->context, pli_shape_sphere(w->set, origin, 1, &ball));
    pli_bounds everywhere = pli_bounds_infinite();
    for (fault_sweep sweep = {.at_least = 12}; fault_sweep_next(&sweep);) {
        pli_tri_mesh *mesh = NULL;
        sweep.status = pli_contour_create(sweep.context, ball, &everywhere, 12, &mesh);
        assert_int_equal(mesh == NULL, sweep.status != PLI_OK);
        pli_tri_mesh_destroy(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_close_and_agree_across_faces),
        TEST_IN_WORKSHOP(sphere_is_met_to_second_order, 2),
        TEST_IN_WORKSHOP(box_is_reproduced_exactly, 2),
        TEST_IN_WORKSHOP(turned_cylinder_keeps_its_rims, 2),
        TEST_IN_WORKSHOP(torus_has_its_hole, 2),
        TEST_IN_WORKSHOP(concave_corners_are_sharp, 2),
        TEST_IN_WORKSHOP(plane_ends_at_the_box, 2),
        TEST_IN_WORKSHOP(sharp_edges_reach_the_border, 1),
        TEST_IN_WORKSHOP(inside_out_shapes_face_inwards, 1),
        TEST_IN_WORKSHOP(every_kind_of_shape_has_a_manifold_surface, 2),
        TEST_IN_WORKSHOP(surfaces_finer_than_the_cells_stay_manifold, 2),
        cmocka_unit_test(bytes_do_not_depend_on_threads),
        TEST_IN_WORKSHOP(what_has_no_surface_gives_an_empty_mesh, 1),
        TEST_IN_WORKSHOP(unbounded_and_absurd_requests_are_refused, 1),
        TEST_IN_WORKSHOP(failing_allocations_leave_nothing, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
