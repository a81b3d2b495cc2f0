// SPDX-License-Identifier: Apache-2.0
#include "near.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/text.h"
#include "base/timers.h"

#include <time.h>

static void failure_keeps_text_and_origin(void **state)
{
    pli_context *context = *state;
    pli_status status = PLI_FAIL(context, PLI_ERROR_MESH, "tetrahedron %d is flat", 7);
    assert_int_equal(status, PLI_ERROR_MESH);

    char text[64];
    pli_context_message(context, text, sizeof text);
    assert_string_equal(text, "tetrahedron 7 is flat");
    pli_context_origin(context, text, sizeof text);
    assert_memory_equal(text, "test_base.c:", 12);
}

typedef struct heard {
    pli_log_level level;
    char text[128];
    int count;
} heard;

static void hear(void *user, pli_log_level level, const char *text)
{
    heard *last = user;
    last->level = level;
    ++last->count;
    snprintf(last->text, sizeof last->text, "%s", text);
}

static void messages_stay_on_their_line(void **state)
{
    (void)state;
    heard last = {0};
    pli_context_def def = pli_context_def_default();
    def.log = hear;
    def.log_user = &last;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    // as a file may have it in its name or inside
    static const char wild[] = "a\nb\r\x1b[2Jc\td\x7f caf\xc3\xa9";
    static const char tame[] = "a?b??[2Jc?d? caf\xc3\xa9";
    char text[64];
    assert_int_equal(PLI_FAIL(context, PLI_ERROR_IO, "%s", wild), PLI_ERROR_IO);
    pli_context_message(context, text, sizeof text);
    assert_string_equal(text, tame);
    PLI_LOG(context, PLI_LOG_WARNING, "%s", wild);
    assert_string_equal(last.text, tame);
    pli_context_destroy(context);
}

static void log_hook_gets_lines_up_to_its_level(void **state)
{
    (void)state;
    heard last = {0};
    pli_context_def def = pli_context_def_default();
    def.log = hear;
    def.log_user = &last;
    def.log_level = PLI_LOG_WARNING;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    PLI_LOG(context, PLI_LOG_INFO, "not heard");
    assert_int_equal(last.count, 0);
    PLI_LOG(context, PLI_LOG_WARNING, "step %d", 3);
    assert_int_equal(last.count, 1);
    assert_string_equal(last.text, "step 3");
    PLI_ASSERT(context, 1 + 1 == 3);
    assert_int_equal(last.level, PLI_LOG_ERROR);
    pli_context_destroy(context);
}

static void wrong_thread_count_is_refused(void **state)
{
    (void)state;
    pli_context_def def = pli_context_def_default();
    def.thread_count = -1;
    pli_context *context = (pli_context *)&def;
    assert_int_equal(pli_context_create(&def, &context), PLI_ERROR_ARGUMENT);
    assert_null(context);
}

static void nth_allocation_fails_and_leaks_nothing(void **state)
{
    (void)state;
    // a context that can't be had leaves nothing, and none
    pli_status status = PLI_ERROR_MEMORY;
    for (int64_t n = 1; status != PLI_OK; ++n) {
        pli_fault fault = {.fail_at = n};
        pli_context_def def = pli_context_def_default();
        def.allocator = pli_fault_allocator(&fault);
        pli_context *context = NULL;
        status = pli_context_create(&def, &context);
        assert_int_equal(status, fault.failures > 0 ? PLI_ERROR_MEMORY : PLI_OK);
        assert_int_equal(context == NULL, fault.failures > 0);
        pli_context_destroy(context);
        assert_int_equal(fault.live_blocks, 0);
    }
    for (fault_sweep sweep = {.at_least = 2}; fault_sweep_next(&sweep);) {
        double *a = PLI_NEW(sweep.context, double, 10, "first");
        double *b = PLI_NEW(sweep.context, double, 10, "second");
        sweep.status = a != NULL && b != NULL ? PLI_OK : PLI_ERROR_MEMORY;
        char text[128];
        pli_context_message(sweep.context, text, sizeof text);
        const char *const wants[] = {"out of memory in first, needed 80 bytes",
                                     "out of memory in second, needed 80 bytes", ""};
        assert_string_equal(text, wants[sweep.n - 1]);
        pli_release(sweep.context, a);
        pli_release(sweep.context, b);
    }
}

static void absurd_sizes_are_refused(void **state)
{
    pli_context *context = *state;
    assert_null(pli_allocate(context, INT64_MAX, 8, "huge"));
    assert_null(pli_allocate(context, -1, 8, "negative"));
}

static void reallocation_keeps_content(void **state)
{
    pli_context *context = *state;
    int32_t *a = PLI_NEW(context, int32_t, 3, "a");
    a[2] = 42;
    a = pli_reallocate(context, a, 1000, sizeof *a, "a");
    assert_int_equal(a[2], 42);
    assert_int_equal(a[999], 0);
    assert_int_equal((uintptr_t)a % 64, 0);
    pli_release(context, a);
}

static void blocks_of_every_size_are_zero_and_aligned(void **state)
{
    pli_context *context = *state;
    // small ones, and around the size from which on large pages are asked for
    const int64_t sizes[] = {1, 1000, (8 << 20) - 65, (8 << 20) - 64, (8 << 20) + 1, 21 << 20};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        char *block = pli_allocate(context, sizes[k], 1, "block");
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        for (int64_t i = 0; i < sizes[k]; i += 997) assert_int_equal(block[i], 0);
        block[sizes[k] - 1] = 1;
        pli_release(context, block);
    }
}

static void warm_arena_does_not_allocate(void **state)
{
    pli_context *context = *state;
    pli_arena *arena = NULL;
    OK(context, pli_arena_create(context, 64, &arena));
    int64_t before = 0;
    for (int round = 0; round < 3; ++round) {
        if (round == 2) before = pli_context_allocation_count(context);
        pli_arena_mark outer = pli_arena_begin(arena);
        double *a = pli_arena_doubles(arena, 1000, "a");
        pli_arena_mark inner = pli_arena_begin(arena);
        double *b = pli_arena_doubles(arena, 5000, "b");
        assert_non_null(a);
        assert_non_null(b);
        assert_int_equal((uintptr_t)b % 64, 0);
        a[999] = 1;
        b[0] = 2;
        b[4999] = 3;
        assert_true(a[999] == 1);
        pli_arena_end(arena, inner);
        pli_arena_end(arena, outer);
    }
    assert_int_equal(pli_context_allocation_count(context), before);
    assert_int_equal(pli_arena_peak(arena), 48000);
    pli_arena_destroy(arena);
}

static pli_sum sum_of_sines(void *user, int64_t begin, int64_t end)
{
    (void)user;
    pli_sum sum = {0, 0};
    for (int64_t i = begin; i < end; ++i) sum.hi += sin((double)i);
    return sum;
}

static void sums_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    double reference = 0;
    for (int32_t threads = 1; threads <= 7; ++threads) {
        pli_context *context = make_context(threads);
        double sum = pli_sum_value(pli_parallel_sum(context, 1234567, 64, sum_of_sines, NULL));
        if (threads == 1) reference = sum;
        assert_memory_equal(&sum, &reference, sizeof sum);
        pli_context_destroy(context);
    }
}

static void compensated_sum_keeps_small_parts(void **state)
{
    (void)state;
    pli_sum sum = {0, 0};
    pli_sum_add(&sum, 1e16);
    for (int i = 0; i < 1000; ++i) pli_sum_add(&sum, 0.1);
    pli_sum_add(&sum, -1e16);
    NEAR(pli_sum_value(sum), 100.0, 1e-13, 0);
}

static void mark_range(void *user, int64_t begin, int64_t end)
{
    int *hits = user;
    for (int64_t i = begin; i < end; ++i) ++hits[i];
}

static void parallel_loop_visits_every_item_once(void **state)
{
    pli_context *context = *state;
    static const int64_t counts[] = {0, 1, 7, 512, 513, 100003};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        int *hits = calloc((size_t)counts[k] + 1, sizeof *hits);
        assert_non_null(hits);
        pli_parallel_for(context, counts[k], 10, mark_range, hits);
        for (int64_t i = 0; i < counts[k]; ++i) assert_int_equal(hits[i], 1);
        free(hits);
    }
}

static double largest_cosine(void *user, int64_t begin, int64_t end)
{
    (void)user;
    double largest = -2;
    for (int64_t i = begin; i < end; ++i) largest = fmax(largest, i == 777 ? 3 : cos((double)i));
    return largest;
}

static void parallel_max_finds_the_largest(void **state)
{
    pli_context *context = *state;
    NEAR(pli_parallel_max(context, 10000, 16, largest_cosine, NULL), 3.0, 0, 0);
    assert_true(isinf(pli_parallel_max(context, 0, 16, largest_cosine, NULL)));
}

static void random_bits_match_published_vectors(void **state)
{
    (void)state;
    // known answer of Philox 4x32-10 for all-zero counter and key (Salmon et al. 2011, Random123)
    pli_random zero = {0, 0};
    assert_true(pli_random_bits(zero, 0) == 0xe169c58d6627e8d5ULL);
    // all-ones counter and key
    pli_random ones = {UINT64_MAX, UINT64_MAX};
    assert_true((uint32_t)pli_random_bits(ones, UINT64_MAX) == 0x408f276du);
}

static void random_numbers_have_the_right_moments(void **state)
{
    (void)state;
    pli_random random = {42, 1};
    enum { N = 200000 };
    double mean = 0, square = 0, normal = 0, normal_square = 0;
    for (uint64_t i = 0; i < N; ++i) {
        double u = pli_random_uniform(random, i);
        assert_true(u >= 0 && u < 1);
        mean += u / N;
        square += u * u / N;
        double g = pli_random_normal(random, i);
        normal += g / N;
        normal_square += g * g / N;
    }
    // four standard errors
    NEAR(mean, 0.5, 0, 4 * sqrt(1.0 / 12 / N));
    NEAR(square, 1.0 / 3, 0, 4 * sqrt(4.0 / 45 / N));
    NEAR(normal, 0.0, 0, 4 / sqrt(N));
    NEAR(normal_square, 1.0, 0, 4 * sqrt(2.0 / N));
}

static void timers_charge_the_innermost_phase(void **state)
{
    (void)state;
    pli_timers timers;
    pli_timers_clear(&timers);
    pli_timers_begin(&timers, "outer");
    pli_timers_begin(&timers, "inner");
    double start = pli_clock_seconds();
    while (pli_clock_seconds() - start < 0.02) continue;
    pli_timers_end(&timers);
    pli_timers_end(&timers);
    AT_LEAST(pli_timers_seconds(&timers, "inner"), 0.02);
    AT_MOST(pli_timers_seconds(&timers, "outer"), pli_timers_seconds(&timers, "inner"));
    assert_int_equal(timers.calls[0], 1);
}

static void hash_depends_on_every_byte(void **state)
{
    (void)state;
    unsigned char bytes[37] = {0};
    uint64_t base = pli_hash_bytes(PLI_HASH_START, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = 1;
        assert_true(pli_hash_bytes(PLI_HASH_START, bytes, sizeof bytes) != base);
        bytes[i] = 0;
    }
    assert_true(pli_hash_bytes(PLI_HASH_START, bytes, 36) != base);
}

// whatever the length leaves over after rounds of 64 bytes
static void wide_hash_depends_on_every_byte_and_the_length(void **state)
{
    (void)state;
    unsigned char bytes[203] = {0};
    uint64_t seen[204];
    for (size_t count = 0; count <= sizeof bytes; ++count) {
        seen[count] = pli_hash_wide(PLI_HASH_START, bytes, count);
        for (size_t i = 0; i < count; ++i) {
            assert_true(seen[i] != seen[count]);
            bytes[i] ^= 0x40;
            assert_true(pli_hash_wide(PLI_HASH_START, bytes, count) != seen[count]);
            bytes[i] ^= 0x40;
        }
    }
    assert_true(pli_hash_wide(1, bytes, 203) != seen[203]);
}

static void text_grows_and_formats(void **state)
{
    pli_context *context = *state;
    pli_text text;
    pli_text_init(&text, context);
    for (int i = 0; i < 500; ++i) pli_text_format(&text, "%d,", i);
    pli_text_append(&text, "end");
    assert_false(text.failed);
    assert_int_equal((int)strlen(text.bytes), (int)text.length);
    assert_memory_equal(text.bytes, "0,1,2,", 6);
    pli_text_clear(&text);
}

static void edit_distance_counts_edits(void **state)
{
    (void)state;
    assert_int_equal(pli_text_distance("friction", "frition"), 1);
    assert_int_equal(pli_text_distance("", "abc"), 3);
    assert_int_equal(pli_text_distance("same", "same"), 0);
    assert_int_equal(pli_text_distance("young", "yuong"), 2);
}

// What the body of a team did.
typedef struct team_work {
    pli_context *context;
    int32_t calls;
    double sum;
    int32_t *hits; // [TEAM_ITEMS]
} team_work;

enum { TEAM_ITEMS = 20000, TEAM_LOOPS = 300 };

static pli_sum_pair sum_of_powers(void *user, int64_t begin, int64_t end)
{
    (void)user;
    pli_sum_pair sums = {{0, 0}, {0, 0}};
    for (int64_t i = begin; i < end; ++i) {
        pli_sum_add(&sums.first, sin((double)i));
        pli_sum_add(&sums.second, cos((double)i));
    }
    return sums;
}

static void mark_nested(void *user, int64_t begin, int64_t end)
{
    team_work *work = user;
    // a loop inside a loop must not reach the team
    pli_parallel_for(work->context, end - begin, 1, mark_range, work->hits + begin);
}

static void do_team_work(void *user)
{
    team_work *work = user;
    ++work->calls;
    for (int k = 0; k < TEAM_LOOPS; ++k) {
        pli_parallel_for(work->context, TEAM_ITEMS, 64, mark_range, work->hits);
    }
    pli_parallel_for(work->context, TEAM_ITEMS, 64, mark_nested, work);
    pli_sum_pair sums = pli_parallel_sum_pair(work->context, TEAM_ITEMS, 64, sum_of_powers, NULL);
    work->sum = pli_sum_value(sums.first) + 1000 * pli_sum_value(sums.second);
}

static void do_nested_team(void *user)
{
    team_work *work = user;
    pli_parallel_team(work->context, do_team_work, work);
}

static void teams_run_every_loop_completely_and_with_the_same_bits(void **state)
{
    (void)state;
    static int32_t hits[TEAM_ITEMS];
    double want = 0;
    for (int32_t threads = 1; threads <= 4; ++threads) {
        memset(hits, 0, sizeof hits);
        team_work work = {.context = make_context(threads), .hits = hits};
        pli_parallel_team(work.context, threads == 3 ? do_nested_team : do_team_work, &work);
        assert_int_equal(work.calls, 1);
        for (int i = 0; i < TEAM_ITEMS; ++i) assert_int_equal(hits[i], TEAM_LOOPS + 1);
        if (threads == 1) want = work.sum;
        assert_memory_equal(&work.sum, &want, sizeof want);

        // without a team, too
        do_team_work(&work);
        assert_memory_equal(&work.sum, &want, sizeof want);
        pli_context_destroy(work.context);
    }
}

static void count_call(void *user)
{
    ++*(int32_t *)user;
}

static void a_sleeping_team_wakes_up_for_work(void *user)
{
    team_work *work = user;
    for (int k = 0; k < 5; ++k) {
        // longer than workers look out for work
        struct timespec pause = {0, 2000000};
        nanosleep(&pause, NULL);
        pli_parallel_for(work->context, TEAM_ITEMS, 64, mark_range, work->hits);
    }
}

static void workers_of_a_team_may_sleep(void **state)
{
    (void)state;
    static int32_t hits[TEAM_ITEMS];
    team_work work = {.context = make_context(4), .hits = hits};
    pli_parallel_team(work.context, a_sleeping_team_wakes_up_for_work, &work);
    for (int i = 0; i < TEAM_ITEMS; ++i) assert_int_equal(hits[i], 5);

    int32_t calls = 0;
    pli_parallel_host(1, count_call, &calls);
    pli_parallel_host(2, count_call, &calls);
    assert_int_equal(calls, 2);
    pli_context_destroy(work.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(failure_keeps_text_and_origin, 1),
        cmocka_unit_test(messages_stay_on_their_line),
        cmocka_unit_test(log_hook_gets_lines_up_to_its_level),
        cmocka_unit_test(wrong_thread_count_is_refused),
        cmocka_unit_test(nth_allocation_fails_and_leaks_nothing),
        TEST_IN_CONTEXT(absurd_sizes_are_refused, 1),
        TEST_IN_CONTEXT(reallocation_keeps_content, 1),
        TEST_IN_CONTEXT(blocks_of_every_size_are_zero_and_aligned, 1),
        TEST_IN_CONTEXT(warm_arena_does_not_allocate, 1),
        cmocka_unit_test(sums_have_the_same_bits_for_any_thread_count),
        cmocka_unit_test(compensated_sum_keeps_small_parts),
        TEST_IN_CONTEXT(parallel_loop_visits_every_item_once, 4),
        TEST_IN_CONTEXT(parallel_max_finds_the_largest, 2),
        cmocka_unit_test(teams_run_every_loop_completely_and_with_the_same_bits),
        cmocka_unit_test(workers_of_a_team_may_sleep),
        cmocka_unit_test(random_bits_match_published_vectors),
        cmocka_unit_test(random_numbers_have_the_right_moments),
        cmocka_unit_test(timers_charge_the_innermost_phase),
        cmocka_unit_test(hash_depends_on_every_byte),
        cmocka_unit_test(wide_hash_depends_on_every_byte_and_the_length),
        TEST_IN_CONTEXT(text_grows_and_formats, 1),
        cmocka_unit_test(edit_distance_counts_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
