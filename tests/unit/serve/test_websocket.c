// SPDX-License-Identifier: Apache-2.0
#include "near.h"

#include "serve/byte_queue.h"
#include "serve/digest.h"
#include "serve/packet.h"
#include "serve/utf8.h"
#include "serve/websocket.h"

#include "support/fault.h"

// ---- digests ----------------------------------------------------------------------------------

static void expect_sha1(const char *text, int64_t count, const char *want)
{
    uint8_t digest[PLI_SHA1_BYTES];
    char hex[2 * PLI_SHA1_BYTES + 1];
    pli_sha1(text, count, digest);
    for (int i = 0; i < PLI_SHA1_BYTES; ++i) snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(hex, want);
}

// The vectors of FIPS 180-4, and lengths around a block.
static void sha1_of_known_texts(void **state)
{
    (void)state;
    expect_sha1("", 0, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    expect_sha1("abc", 3, "a9993e364706816aba3e25717850c26c9cd0d89d");
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    expect_sha1(two, 56, "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
    char many[1000];
    memset(many, 'a', sizeof many);
    expect_sha1(many, 55, "c1c8bbdc22796e28c0e15163d20899b65621d65a");
    expect_sha1(many, 63, "03f09f5b158a7a8cdad920bddc29b81c18a551f5");
    expect_sha1(many, 64, "0098ba824b5c16427bd7a1122a5a442a25ec644d");
    expect_sha1(many, 1000, "291e9a6c66994949b57ba5e650361e98fc36b1ba");
}

static void base64_of_known_texts(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (int i = 0; i < 7; ++i) {
        char text[16];
        int64_t count = (int64_t)strlen(pairs[i][0]);
        pli_base64_encode(pairs[i][0], count, text);
        assert_string_equal(text, pairs[i][1]);
        assert_true(pli_base64_is_of(text, count));
        assert_false(pli_base64_is_of(text, count + 1));
    }
    uint8_t bytes[] = {0xfb, 0xff, 0xfe};
    char text[8];
    pli_base64_encode(bytes, 3, text);
    assert_string_equal(text, "+//+");
}

// The example of RFC 6455, 1.3.
static void handshake_of_the_standard(void **state)
{
    (void)state;
    char accept[PLI_WEBSOCKET_ACCEPT];
    pli_websocket_accept("dGhlIHNhbXBsZSBub25jZQ==", accept);
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    assert_true(pli_websocket_is_key("dGhlIHNhbXBsZSBub25jZQ=="));
    const char *const bad[] = {"",
                               "dGhlIHNhbXBsZSBub25jZQ",
                               "dGhlIHNhbXBsZSBub25jZQ=",
                               "dGhlIHNhbXBsZSBub25jZQ===",
                               "dGhlIHNhbXBsZSBub25j!Q==",
                               "dGhlIHNhbXBsZSBub25jZQ==dGhlIHNhbXBsZSBub25jZQ=="};
    for (int i = 0; i < 6; ++i) assert_false(pli_websocket_is_key(bad[i]));
}

// ---- UTF-8 ------------------------------------------------------------------------------------

static void utf8_is_told_from_what_it_is_not(void **state)
{
    (void)state;
    const char *const good[] = {"", "plain", "\xc2\x80\xdf\xbf",
                                "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf",
                                "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"};
    const char *const bad[] = {"\x80",
                               "\xc0\xaf",
                               "\xc1\xbf",
                               "\xe0\x9f\xbf",
                               "\xed\xa0\x80",
                               "\xf0\x8f\xbf\xbf",
                               "\xf5\x80\x80\x80",
                               "\xf4\x90\x80\x80",
                               "\xff",
                               "\xc2",
                               "\xe2\x82",
                               "\xe2\x28\xa1",
                               "a\xc2zb"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        assert_true(pli_utf8_is_whole(good[i], (int64_t)strlen(good[i])));
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        assert_false(pli_utf8_is_whole(bad[i], (int64_t)strlen(bad[i])));
    }
}

// Every character of four bytes and less, encoded by the rule, is taken; surrogates are not.
static void utf8_takes_every_character(void **state)
{
    (void)state;
    for (uint32_t c = 0; c <= 0x110000; ++c) {
        uint8_t bytes[4];
        int count = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        for (int i = count - 1; i > 0; --i)
            bytes[i] = (uint8_t)(0x80 | (c >> 6 * (count - 1 - i) & 63));
        static const uint8_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
        bytes[0] = (uint8_t)(marks[count] | c >> 6 * (count - 1));
        bool is_character = c < 0x110000 && (c < 0xd800 || c > 0xdfff);
        if (pli_utf8_is_whole(bytes, count) != is_character) fail_msg("U+%04X", c);
    }
}

// ---- frames -----------------------------------------------------------------------------------

enum { FIN = 0x80, CAPACITY = 2 * PLI_SERVE_MAX_MESSAGE };

typedef struct stream {
    uint8_t bytes[CAPACITY];
    int64_t count;
} stream;

static void add_bytes(stream *made, const void *bytes, int64_t count)
{
    memcpy(made->bytes + made->count, bytes, (size_t)count);
    made->count += count;
}

// A masked frame, as clients send it; the first byte is given whole.
static void add_frame(stream *made, int first, const void *content, int64_t size)
{
    static const uint8_t mask[4] = {0x37, 0xfa, 0x21, 0x3d};
    uint8_t head[PLI_WEBSOCKET_HEAD];
    int32_t count = pli_websocket_head(PLI_WEBSOCKET_TEXT, size, head);
    head[0] = (uint8_t)first;
    head[1] |= 0x80;
    add_bytes(made, head, count);
    add_bytes(made, mask, 4);
    for (int64_t i = 0; i < size; ++i) {
        uint8_t byte = ((const uint8_t *)content)[i] ^ mask[i & 3];
        add_bytes(made, &byte, 1);
    }
}

// Reads in pieces up to the first event.
static pli_websocket_event read_stream(pli_websocket_reader *reader, const stream *from,
                                       int64_t step)
{
    pli_websocket_reader_init(reader);
    for (int64_t begin = 0; begin < from->count; begin += step) {
        const uint8_t *at = from->bytes + begin;
        int64_t count = from->count - begin < step ? from->count - begin : step;
        pli_websocket_event event = pli_websocket_read(reader, &at, at + count);
        if (event != PLI_WEBSOCKET_MORE) return event;
    }
    return PLI_WEBSOCKET_MORE;
}

typedef struct fixture {
    stream from;
    pli_websocket_reader reader;
} fixture;

static int make_fixture(void **state)
{
    *state = calloc(1, sizeof(fixture));
    return *state == NULL;
}

static int free_fixture(void **state)
{
    free(*state);
    return 0;
}

static void expect_event(fixture *f, pli_websocket_event event)
{
    static const int64_t steps[] = {1, 2, 3, 7, CAPACITY};
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(read_stream(&f->reader, &f->from, steps[i]), event);
    }
}

static void expect_fault(fixture *f, int32_t code)
{
    expect_event(f, PLI_WEBSOCKET_FAULT);
    assert_int_equal(f->reader.code, code);
    f->from.count = 0;
}

static void heads_have_the_shortest_length(void **state)
{
    (void)state;
    uint8_t head[PLI_WEBSOCKET_HEAD];
    assert_int_equal(pli_websocket_head(PLI_WEBSOCKET_TEXT, 125, head), 2);
    assert_memory_equal(head, "\x81\x7d", 2);
    assert_int_equal(pli_websocket_head(PLI_WEBSOCKET_BINARY, 126, head), 4);
    assert_memory_equal(head, "\x82\x7e\x00\x7e", 4);
    assert_int_equal(pli_websocket_head(PLI_WEBSOCKET_BINARY, 65535, head), 4);
    assert_memory_equal(head, "\x82\x7e\xff\xff", 4);
    assert_int_equal(pli_websocket_head(PLI_WEBSOCKET_BINARY, 65536, head), 10);
    assert_memory_equal(head, "\x82\x7f\0\0\0\0\0\1\0\0", 10);
}

// The masked "Hello" of RFC 6455, 5.7.
static void message_of_the_standard(void **state)
{
    fixture *f = *state;
    add_bytes(&f->from, "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", 11);
    expect_event(f, PLI_WEBSOCKET_MESSAGE);
    assert_string_equal(f->reader.message, "Hello");
    assert_int_equal(f->reader.message_size, 5);
}

static void messages_up_to_the_limit_come_whole(void **state)
{
    fixture *f = *state;
    char *text = calloc(1, PLI_SERVE_MAX_MESSAGE);
    memset(text, 'x', PLI_SERVE_MAX_MESSAGE);
    add_frame(&f->from, FIN | 1, text, PLI_SERVE_MAX_MESSAGE);
    expect_event(f, PLI_WEBSOCKET_MESSAGE);
    assert_int_equal(f->reader.message_size, PLI_SERVE_MAX_MESSAGE);
    assert_memory_equal(f->reader.message, text, PLI_SERVE_MAX_MESSAGE);
    free(text);
}

static void fragments_are_joined_around_control_frames(void **state)
{
    fixture *f = *state;
    // a character is cut by the fragments
    add_frame(&f->from, 1, "a\xe2\x82", 3);
    add_frame(&f->from, 0, "", 0);
    add_frame(&f->from, FIN | 10, "pong", 4);
    add_frame(&f->from, FIN | 0, "\xac!", 2);
    add_frame(&f->from, FIN | 1, "", 0);
    pli_websocket_reader_init(&f->reader);
    const uint8_t *at = f->from.bytes;
    const uint8_t *end = at + f->from.count;
    assert_int_equal(pli_websocket_read(&f->reader, &at, end), PLI_WEBSOCKET_PONGED);
    assert_int_equal(f->reader.control_size, 4);
    assert_memory_equal(f->reader.control, "pong", 4);
    assert_int_equal(pli_websocket_read(&f->reader, &at, end), PLI_WEBSOCKET_MESSAGE);
    assert_string_equal(f->reader.message, "a\xe2\x82\xac!");
    assert_int_equal(pli_websocket_read(&f->reader, &at, end), PLI_WEBSOCKET_MESSAGE);
    assert_string_equal(f->reader.message, "");
    assert_int_equal(pli_websocket_read(&f->reader, &at, end), PLI_WEBSOCKET_MORE);
    assert_int_equal(f->reader.frame_count, 5);
}

static void pings_bring_their_content(void **state)
{
    fixture *f = *state;
    char content[PLI_WEBSOCKET_CONTROL];
    memset(content, 'p', sizeof content);
    add_frame(&f->from, FIN | 9, content, sizeof content);
    expect_event(f, PLI_WEBSOCKET_PINGED);
    assert_int_equal(f->reader.control_size, PLI_WEBSOCKET_CONTROL);
    assert_memory_equal(f->reader.control, content, sizeof content);
}

static void frames_that_must_not_be_are_1002(void **state)
{
    fixture *f = *state;
    // not masked
    add_bytes(&f->from, "\x81\x05Hello", 7);
    expect_fault(f, 1002);
    // reserved bits and opcodes
    const int firsts[] = {0xc1, 0xa1, 0x91, 0x83, 0x84, 0x85, 0x86,
                          0x87, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f};
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; ++i) {
        add_frame(&f->from, firsts[i], "x", 1);
        expect_fault(f, 1002);
    }
    // control frames in fragments or too long
    for (int opcode = 8; opcode <= 10; ++opcode) {
        add_frame(&f->from, opcode, "x", 1);
        expect_fault(f, 1002);
        char content[126] = {0};
        add_frame(&f->from, FIN | opcode, content, sizeof content);
        expect_fault(f, 1002);
    }
    // nothing to continue, and a new message within one
    add_frame(&f->from, FIN | 0, "x", 1);
    expect_fault(f, 1002);
    add_frame(&f->from, 1, "x", 1);
    add_frame(&f->from, FIN | 1, "x", 1);
    expect_fault(f, 1002);
    // lengths that are longer than they need, or negative
    add_bytes(&f->from, "\x81\xfe\x00\x7d\0\0\0\0", 8);
    expect_fault(f, 1002);
    add_bytes(&f->from, "\x81\xff\0\0\0\0\0\0\xff\xff\0\0\0\0", 14);
    expect_fault(f, 1002);
    add_bytes(&f->from, "\x81\xff\x80\0\0\0\0\0\0\0\0\0\0\0", 14);
    expect_fault(f, 1002);
}

static void binary_messages_are_1003(void **state)
{
    fixture *f = *state;
    add_frame(&f->from, FIN | 2, "x", 1);
    expect_fault(f, 1003);
    add_frame(&f->from, 2, "x", 1);
    expect_fault(f, 1003);
}

static void bad_texts_are_1007_as_soon_as_they_are_seen(void **state)
{
    fixture *f = *state;
    add_frame(&f->from, FIN | 1, "a\xff", 2);
    expect_fault(f, 1007);
    // cut at the end
    add_frame(&f->from, FIN | 1, "a\xe2\x82", 3);
    expect_fault(f, 1007);
    // over fragments; the message never ends
    add_frame(&f->from, 1, "\xed", 1);
    add_frame(&f->from, 0, "\xa0", 1);
    expect_fault(f, 1007);
    // within a frame that is not whole
    add_frame(&f->from, FIN | 1, "\xf8 and more to come", 18);
    f->from.count = 7;
    expect_fault(f, 1007);
}

static void large_messages_are_1009_by_their_head(void **state)
{
    fixture *f = *state;
    add_bytes(&f->from, "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14);
    expect_fault(f, 1009);
    add_bytes(&f->from, "\x81\xff\0\0\0\0\0\1\0\1\0\0\0\0", 14);
    expect_fault(f, 1009);
    // by fragments
    char *text = calloc(1, PLI_SERVE_MAX_MESSAGE);
    add_frame(&f->from, 1, text, PLI_SERVE_MAX_MESSAGE);
    add_frame(&f->from, FIN | 0, "x", 1);
    expect_fault(f, 1009);
    free(text);
}

static void closes_bring_their_code(void **state)
{
    fixture *f = *state;
    add_frame(&f->from, FIN | 8, "", 0);
    expect_event(f, PLI_WEBSOCKET_CLOSED);
    assert_int_equal(f->reader.code, 1005);
    const int32_t good[] = {1000, 1001, 1002, 1003, 1007, 1011, 3000, 4999};
    const int32_t bad[] = {0, 999, 1004, 1005, 1006, 1015, 1016, 2000, 2999, 5000, 65535};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        uint8_t content[] = {(uint8_t)(good[i] >> 8), (uint8_t)good[i], 'b', 'y', 'e'};
        f->from.count = 0;
        add_frame(&f->from, FIN | 8, content, sizeof content);
        expect_event(f, PLI_WEBSOCKET_CLOSED);
        assert_int_equal(f->reader.code, good[i]);
    }
    f->from.count = 0;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        uint8_t content[] = {(uint8_t)(bad[i] >> 8), (uint8_t)bad[i]};
        add_frame(&f->from, FIN | 8, content, sizeof content);
        expect_fault(f, 1002);
    }
    add_frame(&f->from, FIN | 8, "\x03", 1);
    expect_fault(f, 1002);
    add_frame(&f->from, FIN | 8, "\x03\xe8\xff", 3);
    expect_fault(f, 1007);
}

// ---- bytes ------------------------------------------------------------------------------------

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
    pli_context_def def = pli_context_def_default();
    def.allocator = pli_fault_allocator(&fault);
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
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

#define WITH_STREAM(test) cmocka_unit_test_setup_teardown(test, make_fixture, free_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha1_of_known_texts),
        cmocka_unit_test(base64_of_known_texts),
        cmocka_unit_test(handshake_of_the_standard),
        cmocka_unit_test(utf8_is_told_from_what_it_is_not),
        cmocka_unit_test(utf8_takes_every_character),
        cmocka_unit_test(heads_have_the_shortest_length),
        WITH_STREAM(message_of_the_standard),
        WITH_STREAM(messages_up_to_the_limit_come_whole),
        WITH_STREAM(fragments_are_joined_around_control_frames),
        WITH_STREAM(pings_bring_their_content),
        WITH_STREAM(frames_that_must_not_be_are_1002),
        WITH_STREAM(binary_messages_are_1003),
        WITH_STREAM(bad_texts_are_1007_as_soon_as_they_are_seen),
        WITH_STREAM(large_messages_are_1009_by_their_head),
        WITH_STREAM(closes_bring_their_code),
        cmocka_unit_test(queue_keeps_the_order_within_its_limit),
        cmocka_unit_test(packet_lives_as_long_as_its_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
