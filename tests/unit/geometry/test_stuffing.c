// SPDX-License-Identifier: Apache-2.0
// The tetrahedraliser: lattice, cutting, filling, repair, and the whole.
#include "support/fault_sweep.h"
#include "support/same_bits.h"
#include "support/tet_quality.h"
#include "unit/geometry/mesh_oracle.h"
#include "workshop.h"

#include "base/memory.h"
#include "geometry/generate/cutting.h"
#include "geometry/generate/stuffing.h"
#include "math/mat3.h"

static const double pi = 3.14159265358979323846;
static const double origin[3] = {0, 0, 0};

static pli_tet_mesh *stuff(pli_context *context, const pli_shape *shape, int32_t vertices,
                           pli_stuffing_report *report)
{
    pli_stuffing_def def = {.vertex_count = vertices};
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_stuffing_create(context, shape, &def, report, &mesh));
    return mesh;
}

// a lattice with a filling, seen as a mesh
typedef struct raw_mesh {
    pli_bcc *bcc;
    pli_cutting *cutting;
    pli_filling filling;
    pli_tet_mesh view;
} raw_mesh;

static void clear_raw(raw_mesh *raw)
{
    pli_filling_clear(&raw->filling);
    pli_cutting_destroy(raw->cutting);
    pli_bcc_destroy(raw->bcc);
}

static void lattice_nodes_know_their_neighbours(void **state)
{
    workshop *w = *state;
    const pli_shape *ball;
    OK(w->context, pli_shape_sphere(w->set, origin, 1, &ball));
    pli_bcc_def def = {.spacing = 0.21, .phase = {0.1, 0.2, 0.3}};
    pli_bcc *bcc = NULL;
    OK(w->context, pli_bcc_create(w->context, ball, &def, &bcc));
    for (int32_t node = 0; node < pli_bcc_node_count(bcc); ++node) {
        int32_t at[3];
        pli_bcc_coordinates(bcc, node, at);
        assert_int_equal(pli_bcc_find(bcc, at), node);
        const double real[3] = {at[0], at[1], at[2]};
        double x[3];
        pli_bcc_position(bcc, real, x);
        double value = pli_shape_value(ball, x);
        if (isfinite(bcc->value[node])) {
            NEAR(bcc->value[node], value, 0, 0);
        } else {
            // not evaluated: more than an edge and a half inside
            AT_MOST(value, -1.5 * bcc->spacing);
        }
        for (int direction = 0; direction < PLI_BCC_DIRECTIONS; ++direction) {
            int32_t there[3];
            for (int k = 0; k < 3; ++k) there[k] = at[k] + pli_bcc_offset[direction][k];
            assert_int_equal(pli_bcc_direction(at, there), direction);
            assert_int_equal(pli_bcc_direction(there, at), (direction + 7) % 14);
            int32_t other = pli_bcc_find(bcc, there);
            // what is not stored is far outside
            if (other < 0) AT_LEAST(value, 0.2 * bcc->spacing);
        }
    }
    pli_bcc_destroy(bcc);
}

// A surface as wild as a lattice can see: random signs at the nodes, and values whose ratios put
// the interpolated cuts right before and right behind the places where they begin to violate a
// node.
static void make_noise(pli_context *context, const pli_shape *ball, uint64_t stream, raw_mesh *raw)
{
    // t / (1 - t) for t = 0.285 and 0.3985, both from above and from below
    static const double sizes[] = {1, 1, 0.3987, 0.3985, 0.6626, 0.6624};
    pli_bcc_def lattice = {.spacing = 0.16};
    pli_cutting_def def = {ball, 0, false};
    pli_random random = {17, stream};
    OK(context, pli_bcc_create(context, ball, &lattice, &raw->bcc));
    for (int32_t node = 0; node < pli_bcc_node_count(raw->bcc); ++node) {
        bool is_inner = raw->bcc->value[node] < -0.05;
        double u = pli_random_uniform(random, 2 * (uint64_t)node);
        double v = pli_random_uniform(random, 2 * (uint64_t)node + 1);
        // few outside nodes in some trials, few inside nodes in others
        double sign = u < 0.2 + 0.1 * (double)(stream % 6) ? 1 : -1;
        raw->bcc->value[node] = is_inner ? sign * sizes[(int)(6 * v)] : 1;
    }
    OK(context, pli_cutting_create(raw->bcc, &def, &raw->cutting));
    OK(context, pli_filling_init(raw->cutting, &raw->filling));
    raw->view = (pli_tet_mesh){.context = context,
                               .vertex_count = raw->filling.vertex_count,
                               .tet_count = raw->filling.tet_count,
                               .points = raw->filling.points,
                               .tets = raw->filling.tets};
}

static void angles_hold_for_any_surface(void **state)
{
    workshop *w = *state;
    const pli_shape *ball;
    OK(w->context, pli_shape_sphere(w->set, origin, 1, &ball));
    double least = 180;
    double largest = 0;
    int32_t total = 0;
    for (uint64_t trial = 0; trial < 18; ++trial) {
        raw_mesh raw;
        make_noise(w->context, ball, trial, &raw);
        total += raw.filling.tet_count;
        assert_true(raw.filling.tet_count > 0);
        pli_tet_quality quality = pli_tet_mesh_quality(&raw.view);
        least = fmin(least, quality.min_dihedral);
        largest = fmax(largest, quality.max_dihedral);
        // neighbours agree on their faces: the filling has a surface, and it is closed
        pli_tri_mesh_report skin = oracle_skin(&raw.view);
        assert_true(skin.is_closed);
        NEAR(skin.volume, quality.total_volume, 1e-10, 0);
        assert_int_equal(pli_cutting_vertex_count(raw.cutting), raw.filling.vertex_count);
        clear_raw(&raw);
    }
    AT_LEAST(least, least_dihedral);
    AT_MOST(largest, largest_dihedral);
    // the surfaces were many and wild enough to come near the bounds
    AT_LEAST(total, 20000);
    AT_MOST(least, 12);
    AT_LEAST(largest, 160);
}

static void repair_makes_any_filling_a_manifold(void **state)
{
    workshop *w = *state;
    const pli_shape *ball;
    OK(w->context, pli_shape_sphere(w->set, origin, 1, &ball));
    int32_t removed = 0;
    for (uint64_t trial = 0; trial < 6; ++trial) {
        raw_mesh raw;
        pli_filling_report report;
        make_noise(w->context, ball, trial, &raw);
        OK(w->context, pli_filling_repair(&raw.filling, 0.001, &report));
        removed += report.pinch_tets;
        raw.view.vertex_count = raw.filling.vertex_count;
        raw.view.tet_count = raw.filling.tet_count;
        pli_tri_mesh_report skin = oracle_skin(&raw.view);
        assert_true(skin.is_closed && skin.is_manifold);
        assert_int_equal(skin.unused_vertices, 0);
        assert_int_equal(skin.component_count >= report.component_count, 1);
        clear_raw(&raw);
    }
    AT_LEAST((double)removed, 100);
}

// Two tetrahedra that share `shared` corners; the second is smaller.
static void make_pair(pli_context *context, int shared, pli_filling *filling)
{
    static const double points[8][3] = {{0, 0, 0},  {1, 0, 0},    {0, 1, 0},    {0, 0, 1},
                                        {-1, 0, 0}, {0, -0.5, 0}, {0, 0, -0.5}, {-0.2, -0.2, -0.2}};
    const int32_t pairs[2][8] = {{0, 1, 2, 3, 0, 4, 5, 6}, {0, 1, 2, 3, 0, 1, 5, 6}};
    *filling = (pli_filling){.context = context, .vertex_count = 8, .tet_count = 2};
    filling->points = PLI_NEW(context, double, 24, "points");
    filling->tets = PLI_NEW(context, int32_t, 8, "tets");
    memcpy(filling->points, points, sizeof points);
    memcpy(filling->tets, pairs[shared - 1], sizeof pairs[0]);
    for (int t = 0; t < 2; ++t) {
        int32_t *tet = filling->tets + 4 * t;
        if (pli_tet_volume_at(filling->points, tet) < 0) pli_tet_turn(tet);
    }
}

static void pinches_lose_their_smaller_part(void **state)
{
    pli_context *context = *state;
    for (int shared = 1; shared <= 2; ++shared) {
        pli_filling filling;
        pli_filling_report report;
        make_pair(context, shared, &filling);
        OK(context, pli_filling_repair(&filling, 0.001, &report));
        assert_int_equal(report.pinch_tets, 1);
        assert_int_equal(filling.tet_count, 1);
        assert_int_equal(filling.vertex_count, 4);
        NEAR(pli_filling_volume(&filling), 1.0 / 6, 1e-15, 0);
        pli_filling_clear(&filling);
    }
}

static void surface_vertices_lie_on_the_surface(void **state)
{
    workshop *w = *state;
    // a blend, whose value is not a distance
    const double a[3] = {-0.5, 0, 0}, b[3] = {0.5, 0.1, 0};
    const pli_shape *parts[2], *blend;
    OK(w->context, pli_shape_sphere(w->set, a, 0.5, &parts[0]));
    OK(w->context, pli_shape_sphere(w->set, b, 0.4, &parts[1]));
    OK(w->context, pli_shape_union(w->set, 2, parts, 0.5, &blend));
    pli_stuffing_report report;
    pli_tet_mesh *mesh = stuff(w->context, blend, 1500, &report);
    oracle_check_mesh(mesh);
    pli_surface *surface = NULL;
    OK(w->context, pli_surface_create(mesh, &surface));
    for (int32_t v = 0; v < surface->vertex_count; ++v) {
        double value = pli_shape_value(blend, mesh->points + 3 * surface->mesh_vertex[v]);
        NEAR(value, report.level, 0, 2e-7 * report.spacing);
    }
    pli_surface_destroy(surface);
    pli_tet_mesh_destroy(mesh);
}

static void counts_and_volumes_are_met(void **state)
{
    workshop *w = *state;
    const double size[3] = {1, 1.7, 0.6};
    const double axis[3] = {0.1, 0.7, 0.3};
    const pli_shape *shapes[3];
    const double volumes[3] = {4 * pi / 3, 1.02, 2 * pi * pi * 0.05};
    OK(w->context, pli_shape_sphere(w->set, origin, 1, &shapes[0]));
    OK(w->context, pli_shape_box(w->set, origin, size, 0, &shapes[1]));
    OK(w->context, pli_shape_torus(w->set, origin, axis, 1, sqrt(0.05), &shapes[2]));
    static const int32_t counts[] = {150, 1000, 12000};
    for (int s = 0; s < 3; ++s) {
        for (int c = 0; c < 3; ++c) {
            pli_tet_mesh *mesh = stuff(w->context, shapes[s], counts[c], NULL);
            oracle_check_mesh(mesh);
            NEAR(mesh->vertex_count, counts[c], 0.10, 0);
            NEAR(pli_tet_mesh_volume(mesh), volumes[s], 0.02, 0);
            pli_tet_mesh_destroy(mesh);
        }
    }
}

static void a_centred_lattice_nearly_keeps_symmetry(void **state)
{
    workshop *w = *state;
    const pli_shape *ball;
    OK(w->context, pli_shape_sphere(w->set, origin, 1, &ball));
    pli_stuffing_def def = {.spacing = 0.23};
    pli_tet_mesh *mesh = NULL;
    OK(w->context, pli_stuffing_create(w->context, ball, &def, NULL, &mesh));
    double center[3] = {0, 0, 0};
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        pli_vec3_add(center, mesh->points + 3 * v, center);
    }
    // mirrored points cancel, except for nodes on a mirror plane that had to choose a side
    AT_MOST(pli_vec3_norm(center) / mesh->vertex_count, 0.002 * def.spacing);
    pli_tet_mesh_destroy(mesh);
}

static void spacing_and_level_can_be_fixed(void **state)
{
    workshop *w = *state;
    const pli_shape *ball;
    OK(w->context, pli_shape_sphere(w->set, origin, 1, &ball));
    pli_stuffing_def def = {.spacing = 0.35, .keep_level = true};
    pli_stuffing_report report;
    pli_tet_mesh *mesh = NULL;
    OK(w->context, pli_stuffing_create(w->context, ball, &def, &report, &mesh));
    NEAR(report.spacing, 0.35, 0, 0);
    NEAR(report.level, 0, 0, 0);
    // inscribed: smaller than the ball, which the sampled volume knows
    AT_MOST(report.mesh_volume, 0.99 * 4 * pi / 3);
    NEAR(report.shape_volume, 4 * pi / 3, 1e-3, 0);
    pli_tet_mesh_destroy(mesh);
}

static void meshes_do_not_depend_on_the_thread_count(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        pli_shape_set *set = NULL;
        const pli_shape *parts[2], *shape;
        const double apart[3] = {0.9, 0.2, 0};
        OK(context, pli_shape_set_create(context, &set));
        OK(context, pli_shape_sphere(set, origin, 1, &parts[0]));
        OK(context, pli_shape_sphere(set, apart, 0.6, &parts[1]));
        OK(context, pli_shape_union(set, 2, parts, 0.3, &shape));
        pli_tet_mesh *mesh = stuff(context, shape, 6000, NULL);
        same_bits_keep_hash(&bits, oracle_hash(mesh));
        pli_tet_mesh_destroy(mesh);
        pli_shape_set_destroy(set);
        pli_context_destroy(context);
    }
}

static void separate_pieces_are_kept_and_crumbs_dropped(void **state)
{
    (void)state;
    heard_warnings heard = {0};
    pli_context *context = listening_context(&heard);
    pli_shape_set *set = NULL;
    OK(context, pli_shape_set_create(context, &set));
    const double left[3] = {-1.2, 0, 0}, right[3] = {1.2, 0, 0}, above[3] = {0, 0.8, 0};
    const pli_shape *parts[3], *two, *three;
    OK(context, pli_shape_sphere(set, left, 1, &parts[0]));
    OK(context, pli_shape_sphere(set, right, 1, &parts[1]));
    // 0.0005 of the volume
    OK(context, pli_shape_sphere(set, above, 0.1, &parts[2]));
    OK(context, pli_shape_union(set, 2, parts, 0, &two));
    OK(context, pli_shape_union(set, 3, parts, 0, &three));
    pli_stuffing_report report;
    pli_tet_mesh *mesh = stuff(context, two, 2000, &report);
    assert_int_equal(report.component_count, 2);
    assert_int_equal(report.dropped_components, 0);
    assert_int_equal(oracle_skin(mesh).component_count, 2);
    pli_tet_mesh_destroy(mesh);

    heard.count = 0;
    pli_stuffing_def def = {.spacing = 0.07};
    OK(context, pli_stuffing_create(context, three, &def, &report, &mesh));
    assert_int_equal(report.component_count, 2);
    assert_int_equal(report.dropped_components, 1);
    assert_true(heard.count > 0);
    pli_tet_mesh_destroy(mesh);
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
}

static void what_is_too_thin_is_reported(void **state)
{
    (void)state;
    heard_warnings heard = {0};
    pli_context *context = listening_context(&heard);
    pli_shape_set *set = NULL;
    OK(context, pli_shape_set_create(context, &set));
    const pli_shape *parts[2], *fin;
    // a block with a fin whose middle plane lies between the layers of a lattice of edge 0.2
    const double block[3] = {1, 1, 1}, beside[3] = {1.2, 0.05, 0}, thin[3] = {1.6, 0.02, 0.9};
    OK(context, pli_shape_box(set, origin, block, 0, &parts[0]));
    OK(context, pli_shape_box(set, beside, thin, 0, &parts[1]));
    OK(context, pli_shape_union(set, 2, parts, 0, &fin));
    pli_stuffing_def def = {.spacing = 0.2};
    pli_stuffing_report report;
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_stuffing_create(context, fin, &def, &report, &mesh));
    AT_LEAST(report.lost_share, 0.001);
    assert_true(heard.count > 0);
    pli_tet_mesh_destroy(mesh);

    // the fin alone is gone altogether
    def.spacing = 0.5;
    assert_int_equal(pli_stuffing_create(context, parts[1], &def, &report, &mesh), PLI_ERROR_MESH);
    assert_null(mesh);
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
}

static void sampled_shapes_can_be_filled(void **state)
{
    workshop *w = *state;
    const pli_shape *ball, *grid, *again;
    OK(w->context, pli_shape_sphere(w->set, origin, 1, &ball));
    OK(w->context, pli_shape_sampled(w->set, ball, 24, PLI_SHAPE_CUBIC, &grid));
    pli_tet_mesh *mesh = stuff(w->context, grid, 700, NULL);
    oracle_check_mesh(mesh);
    NEAR(pli_tet_mesh_volume(mesh), 4 * pi / 3, 0.01, 0);

    // and the skin of that mesh sampled once more
    pli_surface *surface = NULL;
    pli_tri_mesh *skin = NULL;
    OK(w->context, pli_surface_create(mesh, &surface));
    OK(w->context, pli_surface_to_tri_mesh(surface, mesh, &skin));
    OK(w->context, pli_shape_sampled_mesh(w->set, skin, 32, PLI_SHAPE_LINEAR, &again));
    pli_tet_mesh *copy = stuff(w->context, again, 700, NULL);
    oracle_check_mesh(copy);
    NEAR(pli_tet_mesh_volume(copy), 4 * pi / 3, 0.02, 0);
    pli_tet_mesh_destroy(copy);
    pli_tri_mesh_destroy(skin);
    pli_surface_destroy(surface);
    pli_tet_mesh_destroy(mesh);
}

static void wrong_requests_are_refused(void **state)
{
    workshop *w = *state;
    const pli_shape *ball, *plane;
    const double up[3] = {0, 1, 0};
    OK(w->context, pli_shape_sphere(w->set, origin, 1, &ball));
    OK(w->context, pli_shape_plane(w->set, origin, up, &plane));
    pli_tet_mesh *mesh = NULL;
    pli_stuffing_def def = {0};
    assert_int_equal(pli_stuffing_create(w->context, ball, &def, NULL, &mesh), PLI_ERROR_ARGUMENT);
    def.spacing = NAN;
    assert_int_equal(pli_stuffing_create(w->context, ball, &def, NULL, &mesh), PLI_ERROR_ARGUMENT);
    def.spacing = 1e-7;
    assert_int_equal(pli_stuffing_create(w->context, ball, &def, NULL, &mesh), PLI_ERROR_ARGUMENT);
    def.vertex_count = 3;
    assert_int_equal(pli_stuffing_create(w->context, ball, &def, NULL, &mesh), PLI_ERROR_ARGUMENT);
    def.vertex_count = 100;
    assert_int_equal(pli_stuffing_create(w->context, plane, &def, NULL, &mesh), PLI_ERROR_ARGUMENT);
    assert_null(mesh);
}

static pli_status build_small(pli_context *context, const pli_stuffing_def *def)
{
    pli_shape_set *set = NULL;
    const pli_shape *ball = NULL;
    pli_tet_mesh *mesh = NULL;
    pli_status status = pli_shape_set_create(context, &set);
    if (status == PLI_OK) status = pli_shape_sphere(set, origin, 1, &ball);
    if (status == PLI_OK) status = pli_stuffing_create(context, ball, def, NULL, &mesh);
    pli_tet_mesh_destroy(mesh);
    pli_shape_set_destroy(set);
    return status;
}

static void failing_allocations_leak_nothing(void **state)
{
    (void)state;
    pli_stuffing_def by_spacing = {.spacing = 0.6};
    for (fault_sweep sweep = {.at_least = 50}; fault_sweep_next(&sweep);) {
        sweep.status = build_small(sweep.context, &by_spacing);
    }
    pli_stuffing_def by_count = {.vertex_count = 60};
    for (fault_sweep sweep = {.stride = 7, .at_least = 14}; fault_sweep_next(&sweep);) {
        sweep.status = build_small(sweep.context, &by_count);
    }
}

// Two balls on a thin rod come apart on a coarse lattice, and the number that is told joins them.
static void thin_part_that_breaks_is_told_with_the_vertices_that_keep_it(void **state)
{
    (void)state;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(NULL, &context));
    pli_shape_set *set = NULL;
    const pli_shape *parts[3];
    const pli_shape *dumbbell = NULL;
    const pli_shape *apart = NULL;
    const double centers[2][3] = {{-1, 0.02, 0.03}, {1, 0, -0.01}};
    OK(context, pli_shape_set_create(context, &set));
    for (int k = 0; k < 2; ++k) OK(context, pli_shape_sphere(set, centers[k], 0.6, &parts[k]));
    OK(context, pli_shape_capsule(set, centers[0], centers[1], 0.06, &parts[2]));
    OK(context, pli_shape_union(set, 3, parts, 0, &dumbbell));
    OK(context, pli_shape_union(set, 2, parts, 0, &apart));

    pli_stuffing_def def = {.vertex_count = 600};
    pli_stuffing_report report;
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_stuffing_create(context, dumbbell, &def, &report, &mesh));
    pli_tet_mesh_destroy(mesh);
    assert_int_equal(report.component_count, 2);
    assert_int_equal(report.whole_components, 1);
    AT_LEAST(report.whole_vertices, 1200);
    def.vertex_count = report.whole_vertices;
    OK(context, pli_stuffing_create(context, dumbbell, &def, &report, &mesh));
    pli_tet_mesh_destroy(mesh);
    assert_int_equal(report.component_count, 1);
    assert_int_equal(report.whole_vertices, 0);

    // pieces of the shape's own stay
    def.vertex_count = 600;
    OK(context, pli_stuffing_create(context, apart, &def, &report, &mesh));
    pli_tet_mesh_destroy(mesh);
    assert_int_equal(report.component_count, 2);
    assert_int_equal(report.whole_components, 2);
    assert_int_equal(report.whole_vertices, 0);
    pli_shape_set_destroy(set);
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thin_part_that_breaks_is_told_with_the_vertices_that_keep_it),
        TEST_IN_WORKSHOP(lattice_nodes_know_their_neighbours, 1),
        TEST_IN_WORKSHOP(angles_hold_for_any_surface, 2),
        TEST_IN_WORKSHOP(repair_makes_any_filling_a_manifold, 1),
        TEST_IN_CONTEXT(pinches_lose_their_smaller_part, 1),
        TEST_IN_WORKSHOP(surface_vertices_lie_on_the_surface, 1),
        TEST_IN_WORKSHOP(counts_and_volumes_are_met, 2),
        TEST_IN_WORKSHOP(a_centred_lattice_nearly_keeps_symmetry, 1),
        TEST_IN_WORKSHOP(spacing_and_level_can_be_fixed, 1),
        cmocka_unit_test(meshes_do_not_depend_on_the_thread_count),
        cmocka_unit_test(separate_pieces_are_kept_and_crumbs_dropped),
        cmocka_unit_test(what_is_too_thin_is_reported),
        TEST_IN_WORKSHOP(sampled_shapes_can_be_filled, 2),
        TEST_IN_WORKSHOP(wrong_requests_are_refused, 1),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
