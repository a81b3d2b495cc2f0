// SPDX-License-Identifier: Apache-2.0
//
// Bytes on their way to clients.
#include "near.h"

#include "serve/byte_queue.h"
#include "serve/packet.h"
#include "support/fault_sweep.h"

static void queue_keeps_the_order_within_its_limit(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_byte_queue queue;
    pli_byte_queue_init(&queue, context);
    uint8_t in = 0;
    uint8_t out = 0;
    for (int round = 0; round < 2000; ++round) {
        uint8_t bytes[97];
        for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = in++;
        assert_true(pli_byte_queue_append(&queue, bytes, sizeof bytes, 200000));
        int64_t count = round % 3 == 0 ? queue.count / 2 : 31;
        for (int64_t i = 0; i < count; ++i) {
            assert_int_equal(pli_byte_queue_front(&queue)[i], out++);
        }
        pli_byte_queue_take(&queue, count);
    }
    int64_t there = queue.count;
    assert_false(pli_byte_queue_append(&queue, "ab", 2, there + 1));
    assert_int_equal(queue.count, there);
    assert_true(pli_byte_queue_append(&queue, "a", 1, there + 1));
    pli_byte_queue_clear(&queue);
    pli_context_destroy(context);
}

static void packet_lives_as_long_as_its_references(void **state)
{
    (void)state;
    pli_fault fault = {0};
    pli_context *context = fault_context(&fault, 1);
    int64_t before = fault.live_blocks;
    pli_packet *packet = pli_packet_create(context, 100);
    memset(pli_packet_bytes(packet), 7, 100);
    pli_packet_cut(packet, 60);
    assert_int_equal(pli_packet_size(packet), 60);
    assert_ptr_equal(pli_packet_share(packet), packet);
    pli_packet_drop(packet);
    assert_int_equal(fault.live_blocks, before + 1);
    assert_int_equal(pli_packet_bytes(packet)[59], 7);
    pli_packet_drop(packet);
    assert_int_equal(fault.live_blocks, before);

    static const char text[] = "for ever";
    pli_packet *fixed = pli_packet_create_static(context, text, sizeof text);
    assert_ptr_equal(pli_packet_bytes(fixed), text);
    pli_packet_drop(fixed);
    pli_packet_drop(NULL);
    assert_null(pli_packet_share(NULL));

    fault.fail_at = fault.calls + 1;
    assert_null(pli_packet_create(context, 1));
    assert_int_equal(fault.live_blocks, before);
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue_keeps_the_order_within_its_limit),
        cmocka_unit_test(packet_lives_as_long_as_its_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
