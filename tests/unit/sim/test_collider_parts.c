// SPDX-License-Identifier: Apache-2.0
// Colliders in frames: which surface they show, and where it is at a time.
#include "simulate.h"
#include "support/fault_sweep.h"

#include "geometry/mesh/tri_mesh.h"
#include "sim/report/collider_part.h"

static const double pi = 3.14159265358979323846;

// A cube of 1 m about the origin, without weight, so that nothing depends on contact.
#define CUBE                                                                               \
    "gravity: [0, 0, 0]\n"                                                                 \
    "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}}\n" \
    "bodies:\n"                                                                            \
    "  cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: soft}\n"

static const pli_frame_part *find_part(const pli_frame *frame, const char *name)
{
    for (int32_t i = 0; i < frame->part_count; ++i) {
        if (strcmp(frame->parts[i].name, name) == 0) return &frame->parts[i];
    }
    return NULL;
}

static pli_tri_mesh_report report_of(pli_context *context, const pli_frame_part *part)
{
    pli_tri_mesh *mesh = NULL;
    pli_tri_mesh_report report;
    OK(context, pli_tri_mesh_create(context, part->point_count, part->points, part->cell_count,
                                    part->cells, &mesh));
    OK(context, pli_tri_mesh_check(mesh, &report));
    pli_tri_mesh_destroy(mesh);
    return report;
}

static pli_frame frame_of(simulation *s)
{
    pli_frame frame;
    OK(s->context, pli_solver_frame(s->solver, s->state, &frame));
    return frame;
}

static void colliders_follow_the_bodies(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    CUBE "colliders:\n"
                         "  brick: {shape: {box: {center: [0, -2, 0], size: [3, 1, 2]}}}\n"
                         "  cube: {shape: {sphere: {center: [3, 0, 0], radius: 1}}}\n",
                    1);
    pli_frame frame = frame_of(&s);
    assert_int_equal(frame.part_count, 3);
    assert_int_equal(frame.parts[0].role, PLI_ROLE_BODY);
    assert_int_equal(frame.parts[0].kind, PLI_PART_TETS);
    for (int i = 1; i < 3; ++i) {
        assert_int_equal(frame.parts[i].role, PLI_ROLE_COLLIDER);
        assert_int_equal(frame.parts[i].kind, PLI_PART_TRIANGLES);
        assert_int_equal(frame.parts[i].field_count, 0);
    }
    pli_tri_mesh_report brick = report_of(s.context, &frame.parts[1]);
    assert_true(brick.is_closed && brick.is_manifold);
    NEAR(brick.volume, 6, 1e-9, 0);
    // readers of files tell parts by their names
    assert_null(find_part(&frame, "sphere"));
    const pli_frame_part *ball = find_part(&frame, "cube (collider)");
    assert_non_null(ball);
    // facets of a fortieth of the diameter lose some thousandths
    NEAR(report_of(s.context, ball).volume, 4 * pi / 3, 5e-3, 0);
    simulation_clear(&s);
}

static void planes_are_squares_below_the_bodies(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    CUBE "colliders:\n"
                         "  floor: {shape: {plane: {point: [7, -1, 3], normal: [0, 2, 0]}}}\n"
                         "  abyss: {shape: {plane: {point: [0, -40, 0], normal: [0.6, 0.8, 0]}}}\n",
                    1);
    pli_frame frame = frame_of(&s);
    const pli_frame_part *floor = find_part(&frame, "floor");
    assert_int_equal(floor->cell_count, 2);
    for (int i = 0; i < 4; ++i) NEAR(floor->points[3 * i + 1], -1, 0, 1e-12);
    pli_bounds box = pli_bounds_of_points(4, floor->points);
    // the middle is that of the bodies; as wide as they, their diagonal and distance on both sides
    NEAR(box.min[0], -box.max[0], 0, 1e-12);
    NEAR(box.max[0] - box.min[0], 1 + 2 * (sqrt(3) + 1), 1e-12, 0);
    // faces the bodies
    double u[3], v[3], n[3];
    pli_vec3_subtract(floor->points + 3, floor->points, u);
    pli_vec3_subtract(floor->points + 6, floor->points, v);
    pli_vec3_cross(u, v, n);
    AT_LEAST(n[1], 1);
    // a plane far away is found, too
    const pli_frame_part *abyss = find_part(&frame, "abyss");
    assert_int_equal(abyss->cell_count, 2);
    for (int i = 0; i < 4; ++i) {
        const double *x = abyss->points + 3 * i;
        NEAR(0.6 * x[0] + 0.8 * (x[1] + 40), 0, 0, 1e-9);
    }
    simulation_clear(&s);
}

static void rooms_are_shown_whole_and_face_inwards(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    CUBE "colliders:\n"
                         "  room:\n"
                         "    shape: {box: {center: [2, 1, 0], size: [11, 9, 8]}}\n"
                         "    inside_out: true\n",
                    1);
    pli_frame frame = frame_of(&s);
    const pli_frame_part *room = find_part(&frame, "room");
    pli_tri_mesh_report report = report_of(s.context, room);
    assert_true(report.is_closed && report.is_manifold);
    NEAR(report.volume, -11 * 9 * 8, 1e-9, 0);
    simulation_clear(&s);
}

// A shape far larger than the bodies is cut out around them.
static void vast_shapes_are_cut_to_what_matters(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    CUBE "colliders:\n"
                         "  earth: {shape: {sphere: {center: [0, -1001, 0], radius: 1000}}}\n",
                    1);
    pli_frame frame = frame_of(&s);
    const pli_frame_part *earth = find_part(&frame, "earth");
    pli_bounds box = pli_bounds_of_points(earth->point_count, earth->points);
    AT_MOST(pli_bounds_longest(&box), 21 * sqrt(3));
    AT_LEAST(earth->cell_count, 1000);
    for (int64_t v = 0; v < earth->point_count; ++v) {
        static const double center[3] = {0, -1001, 0};
        // cells of less than a metre on a radius of 1000
        NEAR(pli_vec3_distance(earth->points + 3 * v, center), 1000, 0, 1e-3);
    }
    simulation_clear(&s);
}

static void scripts_move_and_release_surfaces(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    CUBE "time: {fps: 10, steps_per_frame: 1}\n"
                         "colliders:\n"
                         "  paddle:\n"
                         "    shape: {box: {center: [3, 0, 0], size: [1, 0.2, 0.4]}}\n"
                         "    motion:\n"
                         "      segments: [{duration: 0.25, velocity: [0, 2, 0], axis: [0, 0, 1], "
                         "spin: 360}]\n"
                         "      after: release\n",
                    1);
    pli_frame frame = frame_of(&s);
    double corner[3]; // of the box, before
    const pli_frame_part *paddle = find_part(&frame, "paddle");
    int32_t vertex = 0;
    for (int32_t v = 0; v < paddle->point_count; ++v) {
        if (paddle->points[3 * v] > 3.499 && paddle->points[3 * v + 1] > 0.099) vertex = v;
    }
    memcpy(corner, paddle->points + 3 * vertex, sizeof corner);
    NEAR(corner[0], 3.5, 0, 1e-9);

    simulation_run(&s, 1);
    frame = frame_of(&s);
    paddle = find_part(&frame, "paddle");
    // 36 degrees about z through the centre of the box, and 0.2 m up
    double angle = 36 * pi / 180;
    double x = corner[0] - 3;
    double y = corner[1];
    NEAR(paddle->points[3 * vertex], 3 + x * cos(angle) - y * sin(angle), 0, 1e-9);
    NEAR(paddle->points[3 * vertex + 1], 0.2 + x * sin(angle) + y * cos(angle), 0, 1e-9);

    simulation_run(&s, 2);
    frame = frame_of(&s);
    assert_int_equal(frame.part_count, 1);
    assert_null(find_part(&frame, "paddle"));
    simulation_clear(&s);
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    static const char text[] =
        CUBE "colliders:\n"
             "  cube: {shape: {plane: {point: [0, -1, 0], normal: [0, 1, 0]}}}\n"
             "  room: {shape: {sphere: {center: [0, 0, 0], radius: 4}}, inside_out: true,\n"
             "         motion: {segments: [{duration: 1, velocity: [0, 1, 0]}]}}\n";
    for (fault_sweep sweep = {.at_least = 40}; fault_sweep_next(&sweep);) {
        fault_sweep_pause(&sweep);
        simulation s;
        simulation_init_in(&s, sweep.context, text);
        fault_sweep_resume(&sweep);
        pli_collider_parts *parts = NULL;
        sweep.status = pli_collider_parts_create(s.model, &parts);
        assert_int_equal(parts == NULL, sweep.status != PLI_OK);
        pli_collider_parts_destroy(parts);
        simulation_clear(&s);
        sweep.context = NULL;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colliders_follow_the_bodies),
        cmocka_unit_test(planes_are_squares_below_the_bodies),
        cmocka_unit_test(rooms_are_shown_whole_and_face_inwards),
        cmocka_unit_test(vast_shapes_are_cut_to_what_matters),
        cmocka_unit_test(scripts_move_and_release_surfaces),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
