// SPDX-License-Identifier: Apache-2.0
// Tetrahedral meshes, their surfaces, ring areas (Wang et al. 2020) and structured boxes.
#include "near.h"
#include "support/fault_sweep.h"
#include "support/tet_quality.h"

#include "base/hash.h"
#include "geometry/generate/grid_mesh.h"
#include "geometry/mesh/boundary.h"
#include "geometry/mesh/surface.h"
#include "math/mat3.h"

static const double corner_points[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};

static pli_status create(pli_context *context, int32_t vertex_count, const double *points,
                         int32_t tet_count, const int32_t *tets, pli_tet_mesh **mesh)
{
    pli_tet_mesh_def def = {
        .vertex_count = vertex_count, .points = points, .tet_count = tet_count, .tets = tets};
    return pli_tet_mesh_create(context, &def, NULL, mesh);
}

// the failure has this status and its text contains these words
static void refused(pli_context *context, pli_status got, pli_status want, const char *words)
{
    char text[512];
    pli_context_message(context, text, sizeof text);
    assert_int_equal(got, want);
    if (strstr(text, words) == NULL) {
        fprintf(stderr, "message \"%s\" does not contain \"%s\"\n", text, words);
        fail();
    }
}

static pli_tet_mesh *make_grid(pli_context *context, int32_t nx, int32_t ny, int32_t nz,
                               pli_grid_mesh_split split)
{
    pli_grid_mesh_def def = {
        .bounds = {{-0.5, 0, 1}, {0.5, 3, 2.5}}, .cells = {nx, ny, nz}, .split = split};
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_grid_mesh_create(context, &def, &mesh));
    return mesh;
}

static void broken_meshes_are_refused_by_name(void **state)
{
    pli_context *context = *state;
    const double *points = &corner_points[0][0];
    pli_tet_mesh *mesh = NULL;

    const int32_t outside[] = {0, 1, 2, 3, 0, 1, 2, 5, 0, 1, -1, 3};
    refused(context, create(context, 5, points, 3, outside, &mesh), PLI_ERROR_MESH, "cells 1, 2 ");
    assert_null(mesh);

    const int32_t repeated[] = {0, 1, 2, 3, 0, 1, 1, 3};
    refused(context, create(context, 5, points, 2, repeated, &mesh), PLI_ERROR_MESH, "twice");

    const int32_t inverted[] = {0, 1, 2, 3, 0, 2, 1, 3};
    refused(context, create(context, 5, points, 2, inverted, &mesh), PLI_ERROR_MESH,
            "tetrahedra 1 are inverted");

    double flat_points[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    const int32_t one[] = {0, 1, 2, 3};
    refused(context, create(context, 4, flat_points, 1, one, &mesh), PLI_ERROR_MESH, "no volume");
    flat_points[11] = NAN;
    refused(context, create(context, 4, flat_points, 1, one, &mesh), PLI_ERROR_MESH, "not finite");
    refused(context, create(context, 4, points, 0, one, &mesh), PLI_ERROR_MESH, "no tetrahedra");
    refused(context, create(context, -1, points, 1, one, &mesh), PLI_ERROR_ARGUMENT, "vertices");
}

static void only_five_offenders_are_named(void **state)
{
    pli_context *context = *state;
    int32_t tets[4 * 9];
    for (int t = 0; t < 9; ++t) {
        // elements 2 and up are inverted
        const int32_t good[4] = {0, 1, 2, 3};
        const int32_t bad[4] = {0, 2, 1, 3};
        memcpy(tets + 4 * t, t < 2 ? good : bad, sizeof good);
    }
    pli_tet_mesh *mesh = NULL;
    refused(context, create(context, 5, &corner_points[0][0], 9, tets, &mesh), PLI_ERROR_MESH,
            "2, 3, 4, 5, 6 and 2 more");
}

static void inverted_elements_are_turned_on_request(void **state)
{
    pli_context *context = *state;
    const int32_t tets[] = {0, 2, 1, 3, 1, 2, 3, 4};
    const int32_t groups[] = {7, -1};
    pli_tet_mesh_def def = {.vertex_count = 5,
                            .points = &corner_points[0][0],
                            .tet_count = 2,
                            .tets = tets,
                            .tet_group = groups,
                            .turn_inverted = true};
    pli_tet_mesh_report report;
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_tet_mesh_create(context, &def, &report, &mesh));
    assert_int_equal(report.turned_tets, 1);
    // 1/6 for the corner, 1/3 for the regular tetrahedron in the middle of the unit cube
    NEAR(pli_tet_mesh_volume(mesh), 0.5, 1e-15, 0);
    NEAR(pli_tet_volume_at(mesh->points, mesh->tets), 1.0 / 6, 1e-15, 0);
    assert_int_equal(mesh->tet_group[0], 7);
    pli_tet_mesh_destroy(mesh);
}

static void unused_and_coincident_vertices_are_counted(void **state)
{
    pli_context *context = *state;
    double points[6][3];
    memcpy(points[0], corner_points, sizeof corner_points);
    // vertex 3 is not used, vertex 5 stands where vertex 0 does
    memcpy(points[5], corner_points[0], sizeof corner_points[0]);
    const int32_t tets[] = {0, 1, 2, 4, 5, 2, 1, 4};
    pli_tet_mesh_def def = {.vertex_count = 6,
                            .points = &points[0][0],
                            .tet_count = 2,
                            .tets = tets,
                            .turn_inverted = true};
    pli_tet_mesh_report report;
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_tet_mesh_create(context, &def, &report, &mesh));
    assert_int_equal(report.unused_vertices, 1);
    assert_int_equal(report.coincident_vertices, 1);
    assert_int_equal(mesh->vertex_count, 5);
    const int32_t origin[] = {0, 1, 2, 4, 5};
    assert_memory_equal(mesh->vertex_origin, origin, sizeof origin);
    pli_tet_mesh_destroy(mesh);
}

static void grid_fills_its_box_with_matching_faces(void **state)
{
    pli_context *context = *state;
    for (int split = PLI_GRID_MESH_FIVE; split <= PLI_GRID_MESH_SIX; ++split) {
        pli_tet_mesh *mesh = make_grid(context, 3, 4, 5, (pli_grid_mesh_split)split);
        assert_int_equal(mesh->vertex_count, 4 * 5 * 6);
        assert_int_equal(mesh->tet_count, split * 60);
        NEAR(pli_tet_mesh_volume(mesh), 4.5, 1e-14, 0);

        pli_surface *surface = NULL;
        pli_tri_mesh *skin = NULL;
        pli_tri_mesh_report report;
        OK(context, pli_surface_create(mesh, &surface));
        // two triangles per square of the box: faces between cells match
        assert_int_equal(surface->triangle_count, 2 * 2 * (12 + 15 + 20));
        OK(context, pli_surface_to_tri_mesh(surface, mesh, &skin));
        OK(context, pli_tri_mesh_check(skin, &report));
        assert_true(report.is_closed && report.is_oriented && report.is_manifold);
        assert_int_equal(report.component_count, 1);
        NEAR(report.volume, 4.5, 1e-14, 0);
        NEAR(report.area, 2 * (3 + 1.5 + 4.5), 1e-14, 0);
        pli_tri_mesh_destroy(skin);
        pli_surface_destroy(surface);
        pli_tet_mesh_destroy(mesh);
    }
}

static void wrong_grids_are_refused(void **state)
{
    pli_context *context = *state;
    pli_grid_mesh_def def = {{{0, 0, 0}, {1, 1, 1}}, {1, 0, 1}, PLI_GRID_MESH_SIX};
    pli_tet_mesh *mesh = NULL;
    refused(context, pli_grid_mesh_create(context, &def, &mesh), PLI_ERROR_ARGUMENT, "along y");
    def.cells[1] = INT32_MAX;
    refused(context, pli_grid_mesh_create(context, &def, &mesh), PLI_ERROR_ARGUMENT, "too many");
    def.cells[1] = 1;
    def.bounds.max[2] = -1;
    refused(context, pli_grid_mesh_create(context, &def, &mesh), PLI_ERROR_ARGUMENT, "finite");
    def.split = (pli_grid_mesh_split)7;
    refused(context, pli_grid_mesh_create(context, &def, &mesh), PLI_ERROR_ARGUMENT, "5 or 6");
}

static void surface_knows_owners_and_vertices(void **state)
{
    pli_context *context = *state;
    pli_tet_mesh *mesh = make_grid(context, 3, 3, 3, PLI_GRID_MESH_SIX);
    pli_surface *surface = NULL;
    OK(context, pli_surface_create(mesh, &surface));
    // all but the 2 x 2 x 2 inner vertices
    assert_int_equal(surface->vertex_count, 64 - 8);
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        assert_int_equal(surface->surface_of_vertex[surface->mesh_vertex[v]], v);
    }
    for (int32_t t = 0; t < surface->triangle_count; ++t) {
        const int32_t *tet = mesh->tets + 4 * surface->tet_of_triangle[t];
        const int32_t *corner = surface->triangles + 3 * t;
        // the owner has all three corners, and its fourth lies behind the triangle
        int32_t fourth = tet[0] + tet[1] + tet[2] + tet[3] - corner[0] - corner[1] - corner[2];
        double volume = pli_tet_volume(mesh->points + 3 * fourth, mesh->points + 3 * corner[0],
                                       mesh->points + 3 * corner[1], mesh->points + 3 * corner[2]);
        AT_LEAST(volume, 1e-12);
    }
    pli_surface_destroy(surface);
    pli_tet_mesh_destroy(mesh);
}

static void overlapping_elements_have_no_surface(void **state)
{
    pli_context *context = *state;
    const int32_t tets[] = {0, 1, 2, 3, 0, 1, 2, 4};
    pli_tet_mesh *mesh = NULL;
    OK(context, create(context, 5, &corner_points[0][0], 2, tets, &mesh));
    pli_surface *surface = NULL;
    refused(context, pli_surface_create(mesh, &surface), PLI_ERROR_MESH,
            "tetrahedra 0 and 1 overlap: the face with vertices 0, 1, 2");
    assert_null(surface);

    // their boundary is there to be drawn: three faces of each, without the shared one
    pli_arena *scratch = NULL;
    pli_boundary boundary;
    pli_tets both = pli_tet_mesh_view(mesh);
    OK(context, pli_arena_create(context, 0, &scratch));
    OK(context, pli_boundary_build(&both, scratch, &boundary));
    assert_true(boundary.has_overlap);
    assert_int_equal(boundary.triangle_count, 6);
    pli_arena_destroy(scratch);
    pli_tet_mesh_destroy(mesh);
}

static void masses_add_up_to_density_times_volume(void **state)
{
    pli_context *context = *state;
    pli_tet_mesh *mesh = make_grid(context, 2, 3, 4, PLI_GRID_MESH_FIVE);
    double density[5 * 24];
    double masses[3 * 4 * 5] = {0};
    double volumes[5 * 24];
    double want = 0;
    for (int t = 0; t < 5 * 24; ++t) {
        volumes[t] = pli_tet_volume_at(mesh->points, mesh->tets + 4 * t);
        density[t] = 1000 + t;
        want += density[t] * volumes[t];
    }
    for (int t = 0; t < 5 * 24; ++t) {
        double quarter = pli_tet_lump(mesh->points, mesh->tets + 4 * t, density[t], masses);
        NEAR(4 * quarter, density[t] * volumes[t], 1e-15, 0);
    }
    double sum = 0;
    for (int v = 0; v < 60; ++v) {
        AT_LEAST(masses[v], 1e-3);
        sum += masses[v];
    }
    NEAR(sum, want, 1e-14, 0);
    pli_tet_mesh_destroy(mesh);
}

static void mirroring_keeps_elements_positive(void **state)
{
    pli_context *context = *state;
    pli_tet_mesh *mesh = make_grid(context, 2, 2, 2, PLI_GRID_MESH_SIX);
    const double mirror[9] = {-2, 0, 0, 0, 1, 0, 0, 0, 1};
    const double shift[3] = {10, 0, 0};
    OK(context, pli_tet_mesh_transform(mesh, mirror, shift));
    AT_LEAST(pli_tet_mesh_quality(mesh).min_volume, 1e-6);
    NEAR(pli_tet_mesh_volume(mesh), 9.0, 1e-14, 0);
    pli_bounds bounds = pli_tet_mesh_bounds(mesh);
    NEAR(bounds.min[0], 9.0, 1e-15, 0);
    NEAR(bounds.max[0], 11.0, 1e-15, 0);
    const double flat[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1};
    refused(context, pli_tet_mesh_transform(mesh, flat, shift), PLI_ERROR_ARGUMENT, "flattens");
    pli_tet_mesh_destroy(mesh);
}

static void quality_of_known_tetrahedra(void **state)
{
    pli_context *context = *state;
    const double degrees = 180 / 3.14159265358979323846;
    const double regular[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    const int32_t tet[] = {0, 1, 2, 3};
    pli_tet_mesh_def def = {4, regular, 1, tet, NULL, true, NULL};
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_tet_mesh_create(context, &def, NULL, &mesh));
    pli_tet_quality quality = pli_tet_mesh_quality(mesh);
    NEAR(quality.min_dihedral, degrees * acos(1.0 / 3), 1e-13, 0);
    NEAR(quality.max_dihedral, degrees * acos(1.0 / 3), 1e-13, 0);
    NEAR(quality.max_aspect, 1.0, 1e-14, 0);
    NEAR(quality.min_edge, sqrt(8), 1e-15, 0);
    NEAR(quality.total_volume, 8.0 / 3, 1e-15, 0);
    pli_tet_mesh_destroy(mesh);

    // the corner of a cube: right angles at the three edges, acos(1/sqrt(3)) at the others
    OK(context, create(context, 4, &corner_points[0][0], 1, tet, &mesh));
    quality = pli_tet_mesh_quality(mesh);
    NEAR(quality.min_dihedral, degrees * acos(1 / sqrt(3)), 1e-13, 0);
    NEAR(quality.max_dihedral, 90.0, 1e-13, 0);
    NEAR(quality.max_edge, sqrt(2), 1e-15, 0);
    assert_int_equal(quality.worst_tet, 0);
    pli_tet_mesh_destroy(mesh);
}

static void ring_areas_of_a_grid_are_those_of_its_cubes(void **state)
{
    pli_context *context = *state;
    // cells of edge 1; in the five-split, vertices of even i + j + k belong to the small corner
    // tetrahedra's tips in half of the cells and those of odd parity to the others
    pli_grid_mesh_def def = {{{0, 0, 0}, {2, 2, 2}}, {2, 2, 2}, PLI_GRID_MESH_FIVE};
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_grid_mesh_create(context, &def, &mesh));
    double areas[27];
    pli_tets tets = pli_tet_mesh_view(mesh);
    OK(context, pli_tets_ring_areas(context, &tets, areas));
    // odd vertex (1, 1, 1): the tip of one corner tetrahedron in each of the eight cells, an
    // octahedron with faces of edge sqrt(2)
    NEAR(areas[13], 8 * sqrt(3) / 2, 1e-14, 0);
    // even vertex (0, 0, 0): all of its cell but the corner tetrahedron opposite to it: six faces
    // of a cube, three of them halved, and the cut of edge sqrt(2)
    NEAR(areas[0], 4.5 + sqrt(3) / 2, 1e-14, 0);

    const double scale[9] = {3, 0, 0, 0, 3, 0, 0, 0, 3};
    const double zero[3] = {0, 0, 0};
    OK(context, pli_tet_mesh_transform(mesh, scale, zero));
    OK(context, pli_tets_ring_areas(context, &tets, areas));
    NEAR(areas[13], 9 * 8 * sqrt(3) / 2, 1e-14, 0);
    pli_tet_mesh_destroy(mesh);
}

// how often a vertex is loaded when the elements are visited in order and a cache of the given
// number of vertices forgets the oldest load first; 1 is the least possible
static double loads_per_vertex(const pli_tet_mesh *mesh, int32_t capacity)
{
    int64_t *loaded_at = calloc((size_t)mesh->vertex_count, sizeof *loaded_at);
    int64_t loads = 0;
    for (int64_t k = 0; k < 4 * (int64_t)mesh->tet_count; ++k) {
        int64_t *at = &loaded_at[mesh->tets[k]];
        if (*at == 0 || loads - *at >= capacity) *at = ++loads;
    }
    free(loaded_at);
    return (double)loads / mesh->vertex_count;
}

// share of elements that have a corner in common with the element before
static double shared_share(const pli_tet_mesh *mesh)
{
    int32_t shared = 0;
    for (int32_t t = 1; t < mesh->tet_count; ++t) {
        bool found = false;
        for (int k = 0; k < 16; ++k) {
            found = found || mesh->tets[4 * t + k / 4] == mesh->tets[4 * (t - 1) + k % 4];
        }
        shared += found;
    }
    return (double)shared / (mesh->tet_count - 1);
}

static void reordering_brings_neighbours_together(void **state)
{
    pli_context *context = *state;
    pli_tet_mesh *mesh = make_grid(context, 24, 24, 24, PLI_GRID_MESH_SIX);
    double volume = pli_tet_mesh_volume(mesh);
    double original[3];
    memcpy(original, mesh->points + 3 * 777, sizeof original);

    // with a cache smaller than a layer of the grid, rows lose to the space-filling curve
    double rows = loads_per_vertex(mesh, 256);
    OK(context, pli_tet_mesh_reorder(mesh));
    AT_MOST(loads_per_vertex(mesh, 256), 0.9 * rows);
    AT_MOST(loads_per_vertex(mesh, 1024), 1.5);
    // some six elements have the same smallest vertex and follow one another
    AT_LEAST(shared_share(mesh), 5.0 / 6);
    NEAR(pli_tet_mesh_volume(mesh), volume, 1e-13, 0);
    AT_LEAST(pli_tet_mesh_quality(mesh).min_volume, 1e-9);
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        if (mesh->vertex_origin[v] == 777) {
            assert_memory_equal(mesh->points + 3 * v, original, sizeof original);
        }
    }
    pli_tet_mesh_destroy(mesh);
}

static void groups_travel_with_their_elements(void **state)
{
    pli_context *context = *state;
    pli_tet_mesh *grid = make_grid(context, 5, 5, 5, PLI_GRID_MESH_FIVE);
    int32_t groups[5 * 125];
    for (int32_t t = 0; t < grid->tet_count; ++t) {
        groups[t] = grid->points[3 * grid->tets[4 * t]] < 0 ? 0 : 1;
    }
    pli_tet_mesh_def def = {.vertex_count = grid->vertex_count,
                            .points = grid->points,
                            .tet_count = grid->tet_count,
                            .tets = grid->tets,
                            .tet_group = groups};
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_tet_mesh_create(context, &def, NULL, &mesh));
    OK(context, pli_tet_mesh_reorder(mesh));
    for (int32_t t = 0; t < mesh->tet_count; ++t) {
        assert_int_equal(mesh->tet_group[t], mesh->points[3 * mesh->tets[4 * t]] < 0 ? 0 : 1);
    }
    pli_tet_mesh_destroy(mesh);
    pli_tet_mesh_destroy(grid);
}

static pli_status build_everything(pli_context *context)
{
    pli_grid_mesh_def def = {{{0, 0, 0}, {1, 1, 1}}, {2, 2, 2}, PLI_GRID_MESH_FIVE};
    pli_tet_mesh *mesh = NULL;
    pli_surface *surface = NULL;
    pli_tri_mesh *skin = NULL;
    pli_tri_mesh_report report;
    double areas[27];
    pli_status status = pli_grid_mesh_create(context, &def, &mesh);
    if (status == PLI_OK) status = pli_tet_mesh_reorder(mesh);
    if (status == PLI_OK) {
        pli_tets tets = pli_tet_mesh_view(mesh);
        status = pli_tets_ring_areas(context, &tets, areas);
    }
    if (status == PLI_OK) status = pli_surface_create(mesh, &surface);
    if (status == PLI_OK) status = pli_surface_to_tri_mesh(surface, mesh, &skin);
    if (status == PLI_OK) status = pli_tri_mesh_check(skin, &report);
    pli_tri_mesh_destroy(skin);
    pli_surface_destroy(surface);
    pli_tet_mesh_destroy(mesh);
    return status;
}

static void failing_allocations_leak_nothing(void **state)
{
    (void)state;
    for (fault_sweep sweep = {.at_least = 18}; fault_sweep_next(&sweep);) {
        sweep.status = build_everything(sweep.context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(broken_meshes_are_refused_by_name, 1),
        TEST_IN_CONTEXT(only_five_offenders_are_named, 1),
        TEST_IN_CONTEXT(inverted_elements_are_turned_on_request, 1),
        TEST_IN_CONTEXT(unused_and_coincident_vertices_are_counted, 1),
        TEST_IN_CONTEXT(grid_fills_its_box_with_matching_faces, 1),
        TEST_IN_CONTEXT(wrong_grids_are_refused, 1),
        TEST_IN_CONTEXT(surface_knows_owners_and_vertices, 1),
        TEST_IN_CONTEXT(overlapping_elements_have_no_surface, 1),
        TEST_IN_CONTEXT(masses_add_up_to_density_times_volume, 1),
        TEST_IN_CONTEXT(mirroring_keeps_elements_positive, 1),
        TEST_IN_CONTEXT(quality_of_known_tetrahedra, 1),
        TEST_IN_CONTEXT(ring_areas_of_a_grid_are_those_of_its_cubes, 1),
        TEST_IN_CONTEXT(reordering_brings_neighbours_together, 1),
        TEST_IN_CONTEXT(groups_travel_with_their_elements, 1),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
