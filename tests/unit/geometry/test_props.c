// SPDX-License-Identifier: Apache-2.0
// Geometry of the contact scenes: arches, houses of cards, beds of spikes, rods and rings.
#include "near.h"
#include "support/fault_sweep.h"
#include "support/tet_quality.h"

#include "base/memory.h"
#include "geometry/collision/crossing.h"
#include "geometry/collision/distance.h"
#include "geometry/generate/arch.h"
#include "geometry/generate/card_house.h"
#include "geometry/generate/grid_mesh.h"
#include "geometry/generate/rod.h"
#include "geometry/generate/spikes.h"
#include "geometry/mesh/surface.h"

static const double pi = 3.14159265358979323846;

static const pli_arch_plan arch = {.span = 1,
                                   .rise = 0.8,
                                   .thickness = 0.1,
                                   .depth = 0.2,
                                   .gap = 1e-3,
                                   .blocks = 25,
                                   .cells = {2, 2, 2}};

static const pli_card_house_plan house = {.storeys = 3,
                                          .height = 0.1,
                                          .width = 0.06,
                                          .thickness = 0.002,
                                          .lean = 0.35,
                                          .gap = 2e-4,
                                          .cells = {1, 4, 3}};

static const pli_spikes_plan spikes = {.columns = 3,
                                       .rows = 2,
                                       .pitch = 0.2,
                                       .height = 0.25,
                                       .radius = 0.08,
                                       .tip_radius = 0.01,
                                       .plate = 0.05,
                                       .sides = 4,
                                       .layers = 5};

// the failure is a wrong argument and its text contains these words
static void refused(pli_context *context, pli_status got, const char *words)
{
    char text[512];
    pli_context_message(context, text, sizeof text);
    assert_int_equal(got, PLI_ERROR_ARGUMENT);
    if (strstr(text, words) == NULL) {
        fprintf(stderr, "message \"%s\" does not contain \"%s\"\n", text, words);
        fail();
    }
}

// ---- pieces that stand beside each other

typedef struct pieces {
    pli_context *context;
    int32_t count;
    pli_tet_mesh *meshes[64];
    pli_surface *surfaces[64];
} pieces;

static void pieces_add(pieces *p, pli_tet_mesh *mesh)
{
    p->meshes[p->count] = mesh;
    OK(p->context, pli_surface_create(mesh, &p->surfaces[p->count]));
    ++p->count;
}

static void pieces_clear(pieces *p)
{
    for (int32_t k = 0; k < p->count; ++k) {
        pli_surface_destroy(p->surfaces[k]);
        pli_tet_mesh_destroy(p->meshes[k]);
    }
    pli_context_destroy(p->context);
}

static pieces make_arch(const pli_arch_plan *plan)
{
    pieces p = {.context = make_context(1)};
    for (int32_t k = 0; k < plan->blocks; ++k) {
        pli_tet_mesh *mesh = NULL;
        OK(p.context, pli_arch_block_create(p.context, plan, k, &mesh));
        pieces_add(&p, mesh);
    }
    return p;
}

static pieces make_house(const pli_card_house_plan *plan)
{
    pieces p = {.context = make_context(1)};
    for (int32_t k = 0; k < pli_card_house_count(plan->storeys); ++k) {
        pli_tet_mesh *mesh = NULL;
        OK(p.context, pli_card_house_create(p.context, plan, k, &mesh));
        pieces_add(&p, mesh);
    }
    return p;
}

// All elements have volume and no two triangles of any two pieces meet, decided exactly.
static void assert_apart(const pieces *p)
{
    int32_t vertices = 0;
    int32_t triangles = 0;
    for (int32_t k = 0; k < p->count; ++k) {
        assert_true(pli_tet_mesh_quality(p->meshes[k]).min_volume > 0);
        vertices += p->meshes[k]->vertex_count;
        triangles += p->surfaces[k]->triangle_count;
    }
    double *points = calloc((size_t)vertices, 3 * sizeof *points);
    int32_t *corners = calloc((size_t)triangles, 3 * sizeof *corners);
    assert_true(points != NULL && corners != NULL);
    pli_soup soup = {.points = points, .triangles = corners};
    for (int32_t k = 0; k < p->count; ++k) {
        const pli_tet_mesh *mesh = p->meshes[k];
        const pli_surface *surface = p->surfaces[k];
        memcpy(points + 3 * soup.vertex_count, mesh->points,
               3 * sizeof(double) * (size_t)mesh->vertex_count);
        for (int32_t i = 0; i < 3 * surface->triangle_count; ++i) {
            corners[3 * soup.triangle_count + i] = soup.vertex_count + surface->triangles[i];
        }
        soup.vertex_count += mesh->vertex_count;
        soup.triangle_count += surface->triangle_count;
    }
    int64_t crossings = -1;
    pli_crossing first;
    OK(p->context, pli_soup_find_crossings(p->context, &soup, 1, &first, &crossings));
    assert_int_equal(crossings, 0);
    free(points);
    free(corners);
}

static const double *corner_of(const pieces *p, int32_t piece, int32_t triangle, int corner)
{
    const pli_surface *surface = p->surfaces[piece];
    return p->meshes[piece]->points + 3 * (int64_t)surface->triangles[3 * triangle + corner];
}

// Squared distance of two triangles that do not cross: of corners to the other, of edges.
static double triangle_distance2(const pieces *p, const int32_t pair[2], int32_t a, int32_t b)
{
    const double *x[2][3];
    double least = INFINITY;
    double weights[4];
    double distance2;
    for (int k = 0; k < 3; ++k) {
        x[0][k] = corner_of(p, pair[0], a, k);
        x[1][k] = corner_of(p, pair[1], b, k);
    }
    for (int k = 0; k < 3; ++k) {
        pli_closest_point_triangle(x[0][k], x[1][0], x[1][1], x[1][2], weights, &distance2);
        least = fmin(least, distance2);
        pli_closest_point_triangle(x[1][k], x[0][0], x[0][1], x[0][2], weights, &distance2);
        least = fmin(least, distance2);
        for (int l = 0; l < 3; ++l) {
            pli_closest_edge_edge(x[0][k], x[0][(k + 1) % 3], x[1][l], x[1][(l + 1) % 3], weights,
                                  &distance2);
            least = fmin(least, distance2);
        }
    }
    return least;
}

static double piece_distance(const pieces *p, int32_t first, int32_t second)
{
    const int32_t pair[2] = {first, second};
    double least = INFINITY;
    for (int32_t a = 0; a < p->surfaces[first]->triangle_count; ++a) {
        for (int32_t b = 0; b < p->surfaces[second]->triangle_count; ++b) {
            least = fmin(least, triangle_distance2(p, pair, a, b));
        }
    }
    return sqrt(least);
}

static double lowest(const pieces *p, int32_t piece)
{
    return pli_tet_mesh_bounds(p->meshes[piece]).min[1];
}

// ---- arch

static void blocks_of_an_arch_keep_the_gap_to_each_other_and_the_ground(void **state)
{
    (void)state;
    for (double gap = 1e-4; gap < 2e-2; gap *= 10) {
        pli_arch_plan plan = arch;
        plan.gap = gap;
        plan.cells[0] = plan.cells[1] = plan.cells[2] = 1;
        pieces p = make_arch(&plan);
        assert_apart(&p);
        // the distance of parallel edges is known to half the digits
        for (int32_t k = 0; k + 1 < p.count; ++k) NEAR(piece_distance(&p, k, k + 1), gap, 1e-6, 0);
        for (int32_t k = 0; k + 2 < p.count; ++k) AT_LEAST(piece_distance(&p, k, k + 2), 0.02);
        NEAR(lowest(&p, 0), gap, 0, 1e-16);
        NEAR(lowest(&p, p.count - 1), gap, 0, 1e-16);
        for (int32_t k = 1; k + 1 < p.count; ++k) AT_LEAST(lowest(&p, k), 0.05);
        pieces_clear(&p);
    }
}

static void an_arch_without_gaps_has_the_volume_of_its_line_times_its_section(void **state)
{
    pli_arch_plan plan = arch;
    plan.gap = 0;
    plan.blocks = 200;
    plan.thickness = 0.05;
    double volume = 0;
    pli_context *context = *state;
    for (int32_t k = 0; k < plan.blocks; ++k) {
        pli_tet_mesh *mesh = NULL;
        OK(context, pli_arch_block_create(context, &plan, k, &mesh));
        volume += pli_tet_mesh_volume(mesh);
        assert_int_equal(mesh->tet_count, 6 * 2 * 2 * 2);
        pli_tet_mesh_destroy(mesh);
    }
    // u = 2.1905... solves cosh u - 1 = 1.6 u, the line's length is span sinh(u) / u
    double u = 2.2;
    for (int k = 0; k < 50; ++k) u -= (cosh(u) - 1 - 1.6 * u) / (sinh(u) - 1.6);
    double length = sinh(u) / u;
    // a block that turns by theta has sin(theta) / theta of the volume between arcs, that is
    // theta^2 / 6 less; the mean over the catenary is 5.7e-5. Level ends take what they give
    NEAR(1 - volume / (length * plan.thickness * plan.depth), 5.7e-5, 0.03, 0);
}

static void an_arch_is_symmetric_and_spans_what_was_asked(void **state)
{
    (void)state;
    pieces p = make_arch(&arch);
    pli_bounds box = pli_bounds_empty();
    for (int32_t k = 0; k < p.count; ++k) {
        box = pli_bounds_union(box, pli_tet_mesh_bounds(p.meshes[k]));
        // mirrored meshes add up in another order
        NEAR(pli_tet_mesh_volume(p.meshes[k]), pli_tet_mesh_volume(p.meshes[p.count - 1 - k]),
             1e-13, 0);
    }
    NEAR(box.min[0], -box.max[0], 1e-14, 0);
    NEAR(box.max[2] - box.min[2], 0.2, 1e-15, 0);
    // outer faces are half a thickness outside of the line, a little more where the ends slope
    NEAR(box.max[0], 0.5 + 0.5 * 0.1, 0.02, 0);
    // the crown is a chord of the outer line, which it cuts by 0.005 at most
    NEAR(box.max[1], 0.8 + 0.5 * 0.1, 0, 0.005);
    pieces_clear(&p);
}

// What a block weighs (as an area) and where its centroid is along x, from its tetrahedra.
static double weigh(const pli_tet_mesh *mesh, double *x)
{
    double volume = 0;
    *x = 0;
    for (int64_t t = 0; t < mesh->tet_count; ++t) {
        double centroid[3];
        double part = pli_tet_volume_at(mesh->points, mesh->tets + 4 * t);
        pli_tet_centroid(mesh->points, mesh->tets + 4 * t, centroid);
        volume += part;
        *x += part * centroid[0];
    }
    *x /= volume;
    return volume;
}

// The thrust with the least deviation at the crown: through the middle of the crown and of the
// ends. From the crown outwards its height falls by (sum of weight x distance) / horizontal thrust.
static void the_thrust_stays_in_the_middle_third_and_within_friction(void **state)
{
    (void)state;
    pli_arch_plan plan = arch;
    plan.blocks = 24; // a joint in the crown
    plan.gap = 0;
    pieces p = make_arch(&plan);
    double crown[4][2];
    OK(p.context, pli_arch_block_corners(p.context, &plan, 12, crown));
    double top = 0.5 * (crown[0][1] + crown[1][1]);

    // the horizontal thrust that brings the line from the crown to the middle of the end
    double moment = 0;
    for (int32_t k = 12; k < 24; ++k) {
        double x;
        double weight = weigh(p.meshes[k], &x);
        moment += weight * (0.5 - x);
    }
    double thrust = moment / top;

    double weight = 0;
    double first = 0; // moment of the weights about x = 0
    for (int32_t k = 12; k < 24; ++k) {
        double corners[4][2];
        double x;
        OK(p.context, pli_arch_block_corners(p.context, &plan, k, corners));
        double part = weigh(p.meshes[k], &x);
        weight += part;
        first += part * x;
        // where the line y = top - (weight x - first) / thrust cuts the joint after the block
        const double *inner = corners[3];
        const double *outer = corners[2];
        double across[2] = {outer[0] - inner[0], outer[1] - inner[1]};
        double height = top - (weight * inner[0] - first) / thrust;
        double share = (height - inner[1]) / (across[1] + weight / thrust * across[0]);
        AT_LEAST(share, 1.0 / 3);
        AT_MOST(share, 2.0 / 3);
        // slope of the force against the joint's normal, at most mu = 0.5
        double along[2] = {across[1], -across[0]};
        double normal = thrust * along[0] - weight * along[1];
        double shear = thrust * across[0] - weight * across[1];
        AT_MOST(fabs(shear), 0.5 * fabs(normal));
    }
    pieces_clear(&p);
}

static void arches_that_cannot_be_built_are_refused(void **state)
{
    pli_context *context = *state;
    pli_arch_plan plan = arch;
    plan.thickness = 0.6;
    refused(context, pli_arch_check(context, &plan), "nothing is left of block");
    plan = arch;
    plan.gap = 0.1;
    refused(context, pli_arch_check(context, &plan), "nothing is left of block 1");
    plan = arch;
    plan.rise = 0;
    refused(context, pli_arch_check(context, &plan), "rise");
    plan = arch;
    plan.rise = 101;
    refused(context, pli_arch_check(context, &plan), "at most 100 times");
    plan = arch;
    plan.blocks = 0;
    refused(context, pli_arch_check(context, &plan), "at least one block");
    plan.blocks = 25;
    plan.gap = NAN;
    refused(context, pli_arch_check(context, &plan), "gap");
    // quite flat and very steep ones are possible
    plan = arch;
    plan.rise = 0.15;
    plan.thickness = 0.02;
    OK(context, pli_arch_check(context, &plan));
    plan.rise = 20;
    plan.thickness = 1e-3;
    plan.blocks = 3;
    OK(context, pli_arch_check(context, &plan));
}

// ---- house of cards

static void a_house_has_pairs_and_boards_storey_by_storey(void **state)
{
    (void)state;
    assert_int_equal(pli_card_house_count(1), 2);
    assert_int_equal(pli_card_house_count(2), 7);
    assert_int_equal(pli_card_house_count(3), 15);
    int32_t leaning = 0;
    for (int32_t k = 0; k < 15; ++k) {
        pli_card_place place = pli_card_house_place(&house, k);
        bool board = place.angle > 1;
        leaning += board ? 0 : 1;
        assert_int_equal(board, k == 6 || k == 7 || k == 12);
        NEAR(fabs(place.angle), board ? 0.5 * pi : 0.35, 1e-15, 0);
    }
    assert_int_equal(leaning, 12);
}

static void cards_keep_the_gap_to_each_other_and_the_ground(void **state)
{
    (void)state;
    pli_card_house_plan plan = house;
    plan.cells[1] = plan.cells[2] = 1;
    pieces p = make_house(&plan);
    assert_apart(&p);
    int32_t touching = 0;
    for (int32_t a = 0; a < p.count; ++a) {
        for (int32_t b = a + 1; b < p.count; ++b) {
            double distance = piece_distance(&p, a, b);
            AT_LEAST(distance, plan.gap * (1 - 1e-6));
            // the next nearest are ends of boards and the far card of the top they lie on, which is
            // lower by thickness sin(lean) = 3.4 gap; parallel edges are good to half the digits
            bool near = distance < plan.gap * (1 + 1e-6);
            assert_true(near || distance > 3 * plan.gap);
            touching += near ? 1 : 0;
        }
    }
    // 6 pairs lean, 3 neighbours stand foot to foot, both cards of 5 tops bear a board, 3 pairs
    // stand on boards, 2 boards lie end to end
    assert_int_equal(touching, 6 + 3 + 2 * 5 + 2 * 3 + 1);
    for (int32_t k = 0; k < 6; ++k) NEAR(lowest(&p, k), plan.gap, 0, 1e-16);
    for (int32_t k = 6; k < 15; ++k) AT_LEAST(lowest(&p, k), 0.09);
    pieces_clear(&p);
}

static void cards_have_their_size_and_feet_stand_above_tops(void **state)
{
    (void)state;
    pieces p = make_house(&house);
    assert_apart(&p);
    for (int32_t k = 0; k < 6; ++k) {
        NEAR(pli_tet_mesh_volume(p.meshes[k]), 0.1 * 0.06 * 0.002, 1e-12, 0);
        assert_int_equal(p.meshes[k]->tet_count, 6 * 4 * 3);
    }
    // board 6 starts over the whole top of the first pair: cards 0 and 1 meet below it
    pli_bounds board = pli_tet_mesh_bounds(p.meshes[6]);
    double x = 0.5 * (pli_card_house_place(&house, 0).center[0] +
                      pli_card_house_place(&house, 1).center[0]);
    AT_MOST(board.min[0], x - house.thickness);
    // the pair that stands on it is in the middle between the tops
    double middle = 0.5 * (pli_card_house_place(&house, 8).center[0] +
                           pli_card_house_place(&house, 9).center[0]);
    double pitch =
        pli_card_house_place(&house, 2).center[0] - pli_card_house_place(&house, 0).center[0];
    NEAR(middle, x + 0.5 * pitch, 0, 1e-16);
    pieces_clear(&p);
}

static void houses_that_cannot_be_built_are_refused(void **state)
{
    pli_context *context = *state;
    pli_card_house_plan plan = house;
    plan.lean = 0;
    refused(context, pli_card_house_check(context, &plan), "lean");
    plan = house;
    plan.storeys = PLI_CARD_HOUSE_STOREYS + 1;
    refused(context, pli_card_house_check(context, &plan), "1 to 100 storeys");
    plan = house;
    plan.thickness = -1;
    refused(context, pli_card_house_check(context, &plan), "thickness");
    plan = house;
    plan.gap = -1;
    refused(context, pli_card_house_check(context, &plan), "gap");
}

// ---- spikes

static pli_tet_mesh *make_spikes(pli_context *context, const pli_spikes_plan *plan)
{
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_spikes_create(context, plan, &mesh));
    return mesh;
}

// Plate, truncated cone and cap of the ball.
static double spikes_volume(const pli_spikes_plan *plan)
{
    double c = plan->height - plan->tip_radius;
    double r = plan->tip_radius;
    double R = plan->radius;
    // the elevation of the cone's normal, by bisection
    double low = 0;
    double high = 0.5 * pi;
    for (int k = 0; k < 60; ++k) {
        double middle = 0.5 * (low + high);
        bool above = R * cos(middle) - c * sin(middle) > r;
        low = above ? middle : low;
        high = above ? high : middle;
    }
    double ring = r * cos(low);
    double height = c + r * sin(low);
    double cap = r * (1 - sin(low));
    double cone =
        pi / 3 * height * (R * R + R * ring + ring * ring) + pi / 3 * cap * cap * (3 * r - cap);
    double plate = plan->pitch * plan->pitch * plan->plate;
    return plan->columns * plan->rows * (plate + cone);
}

static void spikes_have_the_volume_of_cones_with_round_tips(void **state)
{
    pli_context *context = *state;
    pli_spikes_plan plan = spikes;
    plan.columns = plan.rows = 1;
    double error[2];
    for (int k = 0; k < 2; ++k) {
        plan.sides = 8 << k;
        plan.layers = 8 << k;
        pli_tet_mesh *mesh = make_spikes(context, &plan);
        error[k] = 1 - pli_tet_mesh_volume(mesh) / spikes_volume(&plan);
        pli_tet_mesh_destroy(mesh);
    }
    // polygons inscribed in circles: of second order, and always too small
    AT_LEAST(error[1], 0);
    AT_MOST(error[0], 0.01);
    NEAR(error[0] / error[1], 4, 0.1, 0);
}

static void spikes_stand_in_rows_on_a_closed_surface(void **state)
{
    (void)state;
    pieces p = {.context = make_context(1)};
    pieces_add(&p, make_spikes(p.context, &spikes));
    assert_apart(&p);
    const pli_tet_mesh *mesh = p.meshes[0];
    int32_t cells = 3 * 2 * (6 * 6 + 5 * 4 * 4);
    assert_int_equal(mesh->tet_count, 6 * cells);

    // Euler's number of a closed surface without holes: V - E + F = V - F / 2 = 2
    assert_int_equal(2 * p.surfaces[0]->vertex_count - p.surfaces[0]->triangle_count, 4);
    pli_bounds box = pli_tet_mesh_bounds(mesh);
    const double half[3] = {0.3, 0.25, 0.2};
    for (int k = 0; k < 3; ++k) {
        NEAR(box.max[k], half[k], 1e-15, 0);
        NEAR(box.min[k], k == 1 ? -0.05 : -half[k], 1e-15, 0);
    }

    // six tips at their places, one vertex each
    int32_t tips = 0;
    for (int64_t k = 0; k < mesh->vertex_count; ++k) {
        const double *x = mesh->points + 3 * k;
        if (x[1] < 0.25 - 1e-15) continue;
        ++tips;
        NEAR(fabs(x[2]), 0.1, 1e-14, 0);
        assert_true(fabs(x[0]) < 1e-15 || fabs(fabs(x[0]) - 0.2) < 1e-15);
    }
    assert_int_equal(tips, 6);
    pieces_clear(&p);
}

static void vertices_above_the_plate_lie_on_cone_or_ball(void **state)
{
    (void)state;
    pieces p = {.context = make_context(1)};
    pli_spikes_plan plan = spikes;
    plan.columns = plan.rows = 1;
    pieces_add(&p, make_spikes(p.context, &plan));
    const pli_surface *surface = p.surfaces[0];
    double c = 0.25 - 0.01;
    double slope = 0; // of the cone, from the ring where it touches the ball
    for (int32_t k = 0; k < surface->vertex_count; ++k) {
        const double *x = p.meshes[0]->points + 3 * (int64_t)surface->mesh_vertex[k];
        double ring = hypot(x[0], x[2]);
        if (x[1] <= 0) continue;
        double from_ball = fabs(hypot(ring, x[1] - c) - 0.01);
        if (from_ball < 1e-15) continue;
        if (slope == 0) slope = (0.08 - ring) / x[1];
        NEAR((0.08 - ring) / x[1], slope, 1e-12, 0);
    }
    // the cone's distance from the ball's middle is the ball's radius
    NEAR((0.08 - slope * c) / sqrt(1 + slope * slope), 0.01, 1e-12, 0);
    pieces_clear(&p);
}

static void spikes_that_cannot_be_built_are_refused(void **state)
{
    pli_context *context = *state;
    pli_spikes_plan plan = spikes;
    plan.radius = 0.1;
    refused(context, pli_spikes_check(context, &plan), "less than half the pitch");
    plan = spikes;
    plan.tip_radius = 0.08;
    refused(context, pli_spikes_check(context, &plan), "tip_radius");
    plan = spikes;
    plan.tip_radius = 0;
    refused(context, pli_spikes_check(context, &plan), "tip_radius");
    plan = spikes;
    plan.sides = 3;
    refused(context, pli_spikes_check(context, &plan), "even");
    plan = spikes;
    plan.rows = 0;
    refused(context, pli_spikes_check(context, &plan), "at least 1");
    plan = spikes;
    plan.columns = plan.rows = 10000;
    refused(context, pli_spikes_check(context, &plan), "too many");
}

// ---- rods and rings

static pli_tet_mesh *make_rod(pli_context *context, bool closed, int32_t sides, int32_t layers)
{
    pli_rod_plan plan = {closed, 0.5, 0.1, sides, layers};
    pli_tet_mesh *mesh = NULL;
    OK(context, pli_rod_create(context, &plan, &mesh));
    assert_int_equal(mesh->tet_count, 6 * sides * sides * layers);
    assert_int_equal(mesh->vertex_count,
                     (sides + 1) * (sides + 1) * (closed ? layers : layers + 1));
    return mesh;
}

static void rods_and_rings_have_the_volume_of_cylinder_and_torus(void **state)
{
    pli_context *context = *state;
    const double volume[2] = {pi * 0.01 * 0.5, 2 * pi * pi * 0.5 * 0.01};
    for (int closed = 0; closed < 2; ++closed) {
        double error[2];
        for (int k = 0; k < 2; ++k) {
            pli_tet_mesh *mesh = make_rod(context, closed != 0, 4 << k, 20 << k);
            error[k] = 1 - pli_tet_mesh_volume(mesh) / volume[closed];
            // cells of the rod are about cubes; the cut of a cube has angles of 45 degrees, and
            // where squares are bent into the disc they are sheared
            if (!closed) AT_LEAST(pli_tet_mesh_quality(mesh).min_dihedral, 20);
            pli_tet_mesh_destroy(mesh);
        }
        // inscribed, of second order
        AT_LEAST(error[1], 0);
        AT_MOST(error[0], 0.05);
        NEAR(error[0] / error[1], 4, 0.1, 0);
    }
}

static void surfaces_of_rods_and_rings_are_closed_and_lie_where_they_should(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; ++closed) {
        pieces p = {.context = make_context(1)};
        pieces_add(&p, make_rod(p.context, closed != 0, 4, 12));
        assert_apart(&p);
        const pli_surface *surface = p.surfaces[0];
        // Euler's number is 2 for a ball and 0 for a torus
        assert_int_equal(2 * surface->vertex_count - surface->triangle_count, closed ? 0 : 4);
        for (int32_t k = 0; k < surface->vertex_count; ++k) {
            const double *x = p.meshes[0]->points + 3 * (int64_t)surface->mesh_vertex[k];
            double from_ring = hypot(hypot(x[0], x[2]) - 0.5, x[1]);
            bool at_end = fabs(fabs(x[0]) - 0.25) < 1e-15;
            if (closed) NEAR(from_ring, 0.1, 1e-14, 0);
            if (!closed && !at_end) NEAR(hypot(x[1], x[2]), 0.1, 1e-14, 0);
        }
        pieces_clear(&p);
    }
}

static void rods_that_cannot_be_built_are_refused(void **state)
{
    pli_context *context = *state;
    const pli_rod_plan thick = {true, 0.1, 0.1, 4, 12};
    refused(context, pli_rod_check(context, &thick), "must be less than the ring's");
    const pli_rod_plan odd = {false, 1, 0.1, 3, 12};
    refused(context, pli_rod_check(context, &odd), "even");
    const pli_rod_plan few = {true, 1, 0.1, 4, 2};
    refused(context, pli_rod_check(context, &few), "at least 3");
    const pli_rod_plan many = {false, 1, 0.1, 1000, 1000};
    refused(context, pli_rod_check(context, &many), "too many");
    const pli_rod_plan endless = {false, INFINITY, 0.1, 2, 2};
    refused(context, pli_rod_check(context, &endless), "must be positive");
}

// ---- the cut of single cells

static void cells_cut_from_any_corner_fill_themselves(void **state)
{
    (void)state;
    for (int32_t origin = 0; origin < 8; ++origin) {
        const int32_t corners[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        double points[24];
        int32_t tets[24];
        double volume = 0;
        for (int c = 0; c < 8; ++c) {
            pli_vec3_set(c & 1, c >> 1 & 1, c >> 2, points + 3 * c);
        }
        pli_grid_mesh_cut_cell(corners, origin, tets);
        for (int t = 0; t < 6; ++t) {
            double part = pli_tet_volume_at(points, tets + 4 * t);
            NEAR(part, 1.0 / 6, 1e-15, 0);
            volume += part;
            // each has the whole diagonal
            bool has[8] = {false};
            for (int k = 0; k < 4; ++k) has[tets[4 * t + k]] = true;
            assert_true(has[origin] && has[7 - origin]);
        }
        NEAR(volume, 1, 1e-15, 0);
    }
}

// ---- memory

static pli_status make_one(pli_context *context, int which, pli_tet_mesh **mesh)
{
    if (which == 0) return pli_arch_block_create(context, &arch, 3, mesh);
    if (which == 1) return pli_card_house_create(context, &house, 6, mesh);
    const pli_rod_plan ring = {true, 0.5, 0.1, 2, 5};
    if (which == 2) return pli_rod_create(context, &ring, mesh);
    return pli_spikes_create(context, &spikes, mesh);
}

static void no_allocation_that_fails_leaves_anything_behind(void **state)
{
    (void)state;
    for (int which = 0; which < 4; ++which) {
        for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
            pli_tet_mesh *mesh = NULL;
            sweep.status = make_one(sweep.context, which, &mesh);
            assert_int_equal(mesh == NULL, sweep.status != PLI_OK);
            pli_tet_mesh_destroy(mesh);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_an_arch_keep_the_gap_to_each_other_and_the_ground),
        TEST_IN_CONTEXT(an_arch_without_gaps_has_the_volume_of_its_line_times_its_section, 1),
        cmocka_unit_test(an_arch_is_symmetric_and_spans_what_was_asked),
        cmocka_unit_test(the_thrust_stays_in_the_middle_third_and_within_friction),
        TEST_IN_CONTEXT(arches_that_cannot_be_built_are_refused, 1),
        cmocka_unit_test(a_house_has_pairs_and_boards_storey_by_storey),
        cmocka_unit_test(cards_keep_the_gap_to_each_other_and_the_ground),
        cmocka_unit_test(cards_have_their_size_and_feet_stand_above_tops),
        TEST_IN_CONTEXT(houses_that_cannot_be_built_are_refused, 1),
        TEST_IN_CONTEXT(spikes_have_the_volume_of_cones_with_round_tips, 1),
        cmocka_unit_test(spikes_stand_in_rows_on_a_closed_surface),
        cmocka_unit_test(vertices_above_the_plate_lie_on_cone_or_ball),
        TEST_IN_CONTEXT(spikes_that_cannot_be_built_are_refused, 1),
        TEST_IN_CONTEXT(rods_and_rings_have_the_volume_of_cylinder_and_torus, 1),
        cmocka_unit_test(surfaces_of_rods_and_rings_are_closed_and_lie_where_they_should),
        TEST_IN_CONTEXT(rods_that_cannot_be_built_are_refused, 1),
        cmocka_unit_test(cells_cut_from_any_corner_fill_themselves),
        cmocka_unit_test(no_allocation_that_fails_leaves_anything_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
