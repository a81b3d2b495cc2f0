// SPDX-License-Identifier: Apache-2.0
//
// Taking shapes apart: the parts' union is the shape, and creases are split.
#include "shape_zoo.h"
#include "support/fault_sweep.h"
#include "workshop.h"

enum { CAPACITY = 64, SAMPLES = 4000 };

// Returns the number of parts, after a check that their least value has the shape's sign.
static int32_t check_parts(workshop *f, const pli_shape *shape, const pli_shape **parts)
{
    int32_t count = 0;
    OK(f->context, pli_shape_parts(f->set, shape, CAPACITY, parts, &count));
    assert_true(count >= 1);
    for (uint64_t i = 0; i < SAMPLES; ++i) {
        double x[3];
        zoo_point(1, i, 2, x);
        double least = INFINITY;
        for (int32_t k = 0; k < count; ++k) least = fmin(least, pli_shape_value(parts[k], x));
        double value = pli_shape_value(shape, x);
        // values within rounding of the surface have no sign to speak of
        if (fabs(value) > 1e-12) assert_true((least < 0) == (value < 0));
    }
    return count;
}

static const pli_shape *build(workshop *f, zoo_kind kind)
{
    const pli_shape *shape = NULL;
    OK(f->context, zoo_build(f->set, kind, &shape));
    return shape;
}

static const pli_shape *negate(workshop *f, const pli_shape *source)
{
    const pli_shape *shape = NULL;
    OK(f->context, pli_shape_negation(f->set, source, &shape));
    return shape;
}

static const pli_shape *turn(workshop *f, const pli_shape *source)
{
    pli_shape_placement placement = {.translation = {0.2, -0.1, 0.3}, .scale = 0.7};
    double axis[3];
    pli_vec3_normalize(zoo_axis, axis);
    pli_mat3_rotation(axis, 0.8, placement.rotation);
    const pli_shape *shape = NULL;
    OK(f->context, pli_shape_transform(f->set, source, &placement, &shape));
    return shape;
}

static void union_of_the_parts_is_the_shape(void **state)
{
    workshop *f = *state;
    const pli_shape *parts[CAPACITY];
    for (zoo_kind kind = 0; kind < ZOO_COUNT; ++kind) {
        const pli_shape *shape = build(f, kind);
        check_parts(f, shape, parts);
        check_parts(f, negate(f, shape), parts);
        check_parts(f, turn(f, shape), parts);
        check_parts(f, negate(f, turn(f, negate(f, shape))), parts);
    }
}

static void creases_are_split(void **state)
{
    workshop *f = *state;
    const pli_shape *parts[CAPACITY];
    const pli_shape *box = build(f, ZOO_BOX);
    const pli_shape *pile = build(f, ZOO_UNION);
    const pli_shape *carved = build(f, ZOO_DIFFERENCE);
    assert_int_equal(check_parts(f, pile, parts), 4);
    assert_int_equal(check_parts(f, negate(f, negate(f, pile)), parts), 4);
    assert_int_equal(check_parts(f, negate(f, carved), parts), 3);
    assert_int_equal(check_parts(f, turn(f, negate(f, turn(f, box))), parts), 6);

    // a union in a union, and the inside of a room with things in it: six walls and four parts
    const pli_shape *room[2] = {negate(f, box), turn(f, pile)};
    const pli_shape *furnished = NULL;
    OK(f->context, pli_shape_union(f->set, 2, room, 0, &furnished));
    assert_int_equal(check_parts(f, furnished, parts), 10);
}

// On the inside of a box every part is a plane: its value is linear and its gradient constant.
static void walls_of_a_room_are_smooth_across_their_creases(void **state)
{
    workshop *f = *state;
    const pli_shape *parts[CAPACITY];
    int32_t count = check_parts(f, turn(f, negate(f, build(f, ZOO_BOX))), parts);
    for (int32_t k = 0; k < count; ++k) {
        for (uint64_t i = 0; i < 50; ++i) {
            double x[3], y[3], gx[3], gy[3];
            zoo_point(2, 2 * i, 2, x);
            zoo_point(2, 2 * i + 1, 2, y);
            pli_shape_gradient(parts[k], x, gx);
            pli_shape_gradient(parts[k], y, gy);
            AT_MOST(pli_vec3_distance(gx, gy), 1e-15);
        }
    }
}

static void what_is_smooth_or_rounded_stays_whole(void **state)
{
    workshop *f = *state;
    const pli_shape *parts[CAPACITY];
    static const zoo_kind whole[] = {ZOO_SPHERE,  ZOO_BOX,        ZOO_SMOOTH_UNION, ZOO_DIFFERENCE,
                                     ZOO_TORUS,   ZOO_NEGATION,   ZOO_TRANSFORM,    ZOO_TWIST,
                                     ZOO_CAPSULE, ZOO_REPETITION, ZOO_SHELL};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; ++i) {
        const pli_shape *shape = build(f, whole[i]);
        assert_int_equal(check_parts(f, shape, parts), 1);
        assert_ptr_equal(parts[0], shape);
    }
    const pli_shape *rounded = negate(f, build(f, ZOO_ROUND_BOX));
    assert_int_equal(check_parts(f, rounded, parts), 1);
    assert_ptr_equal(parts[0], rounded);
}

static void too_many_parts_are_refused(void **state)
{
    workshop *f = *state;
    const pli_shape *parts[CAPACITY];
    int32_t count = -1;
    const pli_shape *pile = build(f, ZOO_UNION);
    assert_int_equal(pli_shape_parts(f->set, pile, 3, parts, &count), PLI_ERROR_ARGUMENT);
    assert_int_equal(count, 0);
    char message[256];
    pli_context_message(f->context, message, sizeof message);
    assert_non_null(strstr(message, "more than 3 parts"));
    OK(f->context, pli_shape_parts(f->set, pile, 4, parts, &count));
    assert_int_equal(pli_shape_parts(f->set, NULL, 3, parts, &count), PLI_ERROR_ARGUMENT);
}

static void failed_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        fault_sweep_pause(&sweep);
        workshop f = {.context = sweep.context};
        OK(f.context, pli_shape_set_create(f.context, &f.set));
        const pli_shape *shape = turn(&f, negate(&f, build(&f, ZOO_BOX)));
        const pli_shape *parts[CAPACITY];
        int32_t count = -1;
        fault_sweep_resume(&sweep);
        sweep.status = pli_shape_parts(f.set, shape, CAPACITY, parts, &count);
        assert_int_equal(count, sweep.status == PLI_OK ? 6 : 0);
        pli_shape_set_destroy(f.set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_WORKSHOP(union_of_the_parts_is_the_shape, 1),
        TEST_IN_WORKSHOP(creases_are_split, 1),
        TEST_IN_WORKSHOP(walls_of_a_room_are_smooth_across_their_creases, 1),
        TEST_IN_WORKSHOP(what_is_smooth_or_rounded_stays_whole, 1),
        TEST_IN_WORKSHOP(too_many_parts_are_refused, 1),
        cmocka_unit_test(failed_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
