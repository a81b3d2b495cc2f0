// SPDX-License-Identifier: Apache-2.0
// Sources of particles.
#include "support/fault_sweep.h"
#include "support/same_bits.h"
#include "unit/mpm/point_pairs.h"

#include "base/hash.h"
#include "mpm/seed/emitter.h"

enum { KINDS = 4 };

static const double pi = 3.14159265358979323846;
static const double zero[3] = {0, 0, 0};

typedef struct source {
    pli_context *context;
    pli_shape_set *set;
    pli_emitter_stream_def def;
    pli_emitter *emitter;
} source;

// A ball of 0.03 m that emits 0.5 m/s obliquely, as in the scenes of S0.
static source make_ball(int32_t threads, int kind)
{
    source s = {.context = make_context(threads)};
    OK(s.context, pli_shape_set_create(s.context, &s.set));
    const double center[3] = {0.5, 1.1, 0.48};
    OK(s.context, pli_shape_sphere(s.set, center, 0.03, &s.def.borrowed_shape));
    s.def.seeding = (pli_seeding_def){(pli_seeding_kind)kind, 7e-3, {0, 0, 0}, 8, 3};
    pli_vec3_set(0.3, -0.4, 0, s.def.velocity);
    s.def.end = INFINITY;
    return s;
}

static void open_source(source *s)
{
    OK(s->context, pli_emitter_create(s->context, &s->def, &s->emitter));
}

static void clear_source(source *s)
{
    pli_emitter_destroy(s->emitter);
    pli_shape_set_destroy(s->set);
    pli_context_destroy(s->context);
}

// all that was emitted, moved on to one time
typedef struct stream {
    int32_t count;
    int32_t room;
    double *points; // [count][3]
} stream;

static void append(stream *all, const source *s, const pli_seeding *emitted, double rest)
{
    if (all->count + emitted->count > all->room) {
        all->room = 2 * (all->count + emitted->count);
        all->points = realloc(all->points, 3 * (size_t)all->room * sizeof *all->points);
        assert_non_null(all->points);
    }
    for (int32_t i = 0; i < emitted->count; ++i) {
        pli_vec3_add_scaled(emitted->positions + 3 * (int64_t)i, rest, s->def.velocity,
                            all->points + 3 * (int64_t)all->count++);
    }
}

// Runs a source to `end` in equal steps.
static stream run(const source *s, pli_emitter_state *state, double end, int steps)
{
    stream all = {0};
    double begin = state->time;
    for (int i = 1; i <= steps; ++i) {
        double time = i == steps ? end : begin + (end - begin) * i / steps;
        pli_seeding *emitted = NULL;
        OK(s->context, pli_emitter_advance(s->emitter, time, NULL, NULL, state, &emitted));
        append(&all, s, emitted, end - time);
        pli_seeding_destroy(emitted);
    }
    return all;
}

// ---- rates

static void flow_rate_is_area_times_speed(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        source s = make_ball(2, kind);
        open_source(&s);
        pli_emitter_state at = pli_emitter_begin(s.emitter);
        double rate = pi * 0.03 * 0.03 * 0.5;
        // of 13000 lines that meet the ball some 500 fields at the rim scatter: 0.1 %, times five
        NEAR(pli_emitter_rate(s.emitter), rate, 5e-3, 0);
        stream all = run(&s, &at, 1, 120);
        // 33000 particles scatter by 0.6 % where they are independent, times five
        double volume = 7e-3 * 7e-3 * 7e-3 / 8;
        NEAR(all.count * volume, rate, 0.03, 0);
        assert_int_equal(at.count, all.count);
        NEAR(at.time, 1, 0, 0);
        free(all.points);
        clear_source(&s);
    }
}

// A ring that emits sideways has hollows; every line through it carries its matter once.
static void hollows_emit_nothing_twice(void **state)
{
    (void)state;
    const double y_axis[3] = {0, 1, 0};
    // shadows along and across the axis: 4 pi R r, and two half discs joined by a band
    const double areas[2] = {4 * pi * 0.05 * 0.02, pi * 0.02 * 0.02 + 4 * 0.05 * 0.02};
    for (int across = 0; across < 2; ++across) {
        source s = make_ball(2, PLI_SEEDING_JITTERED);
        OK(s.context, pli_shape_torus(s.set, zero, y_axis, 0.05, 0.02, &s.def.borrowed_shape));
        pli_vec3_set(across ? 1 : 0, across ? 0 : 1, 0, s.def.velocity);
        open_source(&s);
        pli_emitter_state at = pli_emitter_begin(s.emitter);
        NEAR(pli_emitter_rate(s.emitter), areas[across], 5e-3, 0);
        stream all = run(&s, &at, 0.2, 40);
        NEAR(all.count * 7e-3 * 7e-3 * 7e-3 / 8, 0.2 * areas[across], 0.02, 0);
        AT_LEAST(least_distance(s.context, all.count, all.points, 0.01), 1e-9);
        free(all.points);
        clear_source(&s);
    }
}

static void sprays_have_the_rate_asked_for(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        source s = make_ball(2, kind);
        s.def.rate = 3e-4; // of 1.41e-3
        open_source(&s);
        pli_emitter_state at = pli_emitter_begin(s.emitter);
        stream all = run(&s, &at, 4, 100);
        // 28000 particles scatter by 0.6 %
        NEAR(all.count * 7e-3 * 7e-3 * 7e-3 / 8, 4 * 3e-4, 0.03, 0);
        NEAR(pli_emitter_rate(s.emitter), 3e-4, 1e-12, 0);
        free(all.points);
        clear_source(&s);
    }
}

// ---- places

static void particles_appear_on_the_downstream_side(void **state)
{
    (void)state;
    source s = make_ball(1, PLI_SEEDING_POISSON);
    open_source(&s);
    pli_emitter_state at = pli_emitter_begin(s.emitter);
    const double dt = 0.004;
    for (int step = 1; step <= 50; ++step) {
        pli_seeding *emitted = NULL;
        OK(s.context, pli_emitter_advance(s.emitter, step * dt, NULL, NULL, &at, &emitted));
        assert_true(emitted->count > 0);
        for (int32_t i = 0; i < emitted->count; ++i) {
            const double *x = emitted->positions + 3 * (int64_t)i;
            double before[3];
            pli_vec3_add_scaled(x, -dt, s.def.velocity, before);
            // exits are found to 1e-10 of a cell; at the rim a particle may cross the ball's edge
            // within the step, where the line was outside by as much as a tangent's end is
            double step_length = 0.5 * dt;
            AT_LEAST(pli_shape_value(s.def.borrowed_shape, x), -1e-11);
            AT_MOST(pli_shape_value(s.def.borrowed_shape, before),
                    sqrt(0.03 * 0.03 + step_length * step_length) - 0.03);
        }
        pli_seeding_destroy(emitted);
    }
    clear_source(&s);
}

static void streams_keep_the_spacing_of_their_pattern(void **state)
{
    (void)state;
    static const int kinds[2] = {PLI_SEEDING_LATTICE, PLI_SEEDING_POISSON};
    for (int i = 0; i < 2; ++i) {
        source s = make_ball(2, kinds[i]);
        open_source(&s);
        pli_emitter_state at = pli_emitter_begin(s.emitter);
        double spacing = i == 0 ? 0.5 * 7e-3 : 0.41 * 7e-3;
        stream all = run(&s, &at, 0.5, 111);
        // positions of up to 1 m, moved by several steps, are rounded by some 1e-16 each
        AT_LEAST(least_distance(s.context, all.count, all.points, 0.01), spacing * (1 - 1e-11));
        free(all.points);
        clear_source(&s);
    }
}

static int compare_points(const void *a, const void *b)
{
    const double *x = a, *y = b;
    for (int k = 0; k < 3; ++k) {
        // rounding must not decide
        if (fabs(x[k] - y[k]) > 1e-9) return x[k] < y[k] ? -1 : 1;
    }
    return 0;
}

static void cutting_time_changes_nothing(void **state)
{
    (void)state;
    static const int steps[3] = {1, 7, 100};
    for (int kind = 0; kind < KINDS; ++kind) {
        stream streams[3];
        source s = make_ball(2, kind);
        s.def.rate = 1e-3;
        open_source(&s);
        for (int i = 0; i < 3; ++i) {
            pli_emitter_state at = pli_emitter_begin(s.emitter);
            streams[i] = run(&s, &at, 0.3, steps[i]);
            qsort(streams[i].points, (size_t)streams[i].count, 3 * sizeof(double), compare_points);
            assert_int_equal(streams[i].count, streams[0].count);
        }
        for (int32_t k = 0; k < 3 * streams[0].count; ++k) {
            NEAR(streams[1].points[k], streams[0].points[k], 0, 1e-13);
            NEAR(streams[2].points[k], streams[0].points[k], 0, 1e-13);
        }
        for (int i = 0; i < 3; ++i) free(streams[i].points);
        clear_source(&s);
    }
}

// ---- state

// All that is emitted in two halves, the second by the same emitter or by another that goes on with
// what a checkpoint holds.
static uint64_t hash_of_emission(int32_t threads, int kind, bool restarts)
{
    source s = make_ball(threads, kind);
    open_source(&s);
    pli_emitter_state at = pli_emitter_begin(s.emitter);
    stream first = run(&s, &at, 0.1, 10);
    pli_emitter_state saved = {at.time, at.count};
    if (restarts) {
        pli_emitter_destroy(s.emitter);
        open_source(&s);
    }
    stream second = run(&s, &saved, 0.2, 10);
    assert_int_equal(saved.count, first.count + second.count);
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, first.points,
                                   3 * (size_t)first.count * sizeof *first.points);
    hash = pli_hash_bytes(hash, second.points, 3 * (size_t)second.count * sizeof *second.points);
    free(first.points);
    free(second.points);
    clear_source(&s);
    return hash;
}

static void threads_and_restarts_change_no_bit(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        uint64_t whole = 0;
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            same_bits_keep_hash(&bits, whole = hash_of_emission(bits.threads, kind, false));
        }
        assert_true(hash_of_emission(1, kind, true) == whole);
    }
}

static void sources_open_and_close(void **state)
{
    (void)state;
    source s = make_ball(1, PLI_SEEDING_LATTICE);
    s.def.start = 0.2;
    s.def.end = 0.4;
    open_source(&s);
    pli_emitter_state at = pli_emitter_begin(s.emitter);
    NEAR(at.time, 0.2, 0, 0);
    at.time = 0; // a caller whose clock starts earlier
    stream before = run(&s, &at, 0.2, 5);
    assert_int_equal(before.count, 0);
    stream all = run(&s, &at, 0.7, 10);
    NEAR(all.count * 7e-3 * 7e-3 * 7e-3 / 8, 0.2 * pi * 0.03 * 0.03 * 0.5, 0.03, 0);
    stream after = run(&s, &at, 1, 5);
    assert_int_equal(after.count, 0);
    // no time, no particles
    stream none = run(&s, &at, 1, 1);
    assert_int_equal(none.count, 0);
    free(before.points);
    free(all.points);
    free(after.points);
    free(none.points);
    clear_source(&s);
}

typedef struct half {
    double limit;
    int32_t asked;
} half;

static bool is_left(void *user, const double position[3])
{
    half *h = user;
    ++h->asked;
    return position[2] < h->limit;
}

static void particles_without_room_are_left_out(void **state)
{
    (void)state;
    source s = make_ball(2, PLI_SEEDING_JITTERED);
    open_source(&s);
    pli_emitter_state free_at = pli_emitter_begin(s.emitter), at = free_at;
    half h = {0.48, 0};
    pli_seeding *all = NULL, *kept = NULL;
    OK(s.context, pli_emitter_advance(s.emitter, 0.2, NULL, NULL, &free_at, &all));
    OK(s.context, pli_emitter_advance(s.emitter, 0.2, is_left, &h, &at, &kept));
    assert_int_equal(h.asked, all->count);
    assert_int_equal(at.count, kept->count);
    int32_t next = 0;
    for (int32_t i = 0; i < all->count; ++i) {
        const double *x = all->positions + 3 * (int64_t)i;
        if (x[2] >= 0.48) continue;
        assert_memory_equal(x, kept->positions + 3 * (int64_t)next, 3 * sizeof *x);
        ++next;
    }
    assert_int_equal(next, kept->count);
    pli_seeding_destroy(all);
    pli_seeding_destroy(kept);
    clear_source(&s);
}

// ---- what is wrong

static void refuse(const source *s, const pli_emitter_stream_def *def)
{
    pli_emitter *emitter = (pli_emitter *)(uintptr_t)def;
    assert_int_equal(pli_emitter_create(s->context, def, &emitter), PLI_ERROR_ARGUMENT);
    assert_null(emitter);
}

static void wrong_sources_are_refused(void **state)
{
    (void)state;
    source s = make_ball(1, PLI_SEEDING_LATTICE);
    static const double speeds[3] = {0, NAN, INFINITY};
    for (int i = 0; i < 3; ++i) {
        pli_emitter_stream_def def = s.def;
        pli_vec3_set(speeds[i], 0, 0, def.velocity);
        refuse(&s, &def);
    }
    static const double rates[4] = {-1, NAN, INFINITY, 1.5e-3};
    for (int i = 0; i < 4; ++i) {
        pli_emitter_stream_def def = s.def;
        def.rate = rates[i];
        refuse(&s, &def);
    }
    pli_emitter_stream_def def = s.def;
    def.end = -1;
    refuse(&s, &def);
    def = s.def;
    def.start = NAN;
    refuse(&s, &def);
    def = s.def;
    def.seeding.per_cell = 0;
    refuse(&s, &def);
    def = s.def;
    OK(s.context, pli_shape_plane(s.set, zero, s.def.velocity, &def.borrowed_shape));
    refuse(&s, &def);
    // two balls that do not meet have nothing in common
    const double far[3] = {3, 0, 0};
    const pli_shape *parts[2] = {s.def.borrowed_shape, NULL};
    OK(s.context, pli_shape_sphere(s.set, far, 0.5, &parts[1]));
    OK(s.context, pli_shape_intersection(s.set, 2, parts, 0, &def.borrowed_shape));
    refuse(&s, &def);
    pli_emitter_destroy(NULL);
    clear_source(&s);
}

static void wrong_times_leave_the_state_alone(void **state)
{
    (void)state;
    source s = make_ball(1, PLI_SEEDING_LATTICE);
    open_source(&s);
    pli_emitter_state at = {0.5, 7};
    static const double times[4] = {0.4, NAN, INFINITY, 1e9};
    for (int i = 0; i < 4; ++i) {
        pli_seeding *emitted = (pli_seeding *)&at;
        assert_int_equal(pli_emitter_advance(s.emitter, times[i], NULL, NULL, &at, &emitted),
                         PLI_ERROR_ARGUMENT);
        assert_null(emitted);
        NEAR(at.time, 0.5, 0, 0);
        assert_int_equal(at.count, 7);
    }
    clear_source(&s);
}

static void failed_allocations_release_everything(void **state)
{
    (void)state;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        source s = make_ball(1, PLI_SEEDING_JITTERED);
        pli_emitter_state at = {0, 0};
        pli_seeding *emitted = NULL;
        sweep.status = pli_emitter_create(sweep.context, &s.def, &s.emitter);
        // long enough for several windows, so that the positions have to grow
        if (sweep.status == PLI_OK) {
            sweep.status = pli_emitter_advance(s.emitter, 0.3, NULL, NULL, &at, &emitted);
        }
        assert_int_equal(emitted == NULL, sweep.status != PLI_OK);
        if (sweep.status != PLI_OK) NEAR(at.time, 0, 0, 0);
        pli_seeding_destroy(emitted);
        pli_emitter_destroy(s.emitter);
        s.emitter = NULL;
        clear_source(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow_rate_is_area_times_speed),
        cmocka_unit_test(hollows_emit_nothing_twice),
        cmocka_unit_test(sprays_have_the_rate_asked_for),
        cmocka_unit_test(particles_appear_on_the_downstream_side),
        cmocka_unit_test(streams_keep_the_spacing_of_their_pattern),
        cmocka_unit_test(cutting_time_changes_nothing),
        cmocka_unit_test(threads_and_restarts_change_no_bit),
        cmocka_unit_test(sources_open_and_close),
        cmocka_unit_test(particles_without_room_are_left_out),
        cmocka_unit_test(wrong_sources_are_refused),
        cmocka_unit_test(wrong_times_leave_the_state_alone),
        cmocka_unit_test(failed_allocations_release_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
