// SPDX-License-Identifier: Apache-2.0
//
// Reads packets as docs/protocol.md says, checking head, alignment and that arrays neither overlap
// nor leave the packet.
#ifndef PLI_TESTS_PACKET_READER_H
#define PLI_TESTS_PACKET_READER_H

#include "near.h"

#include "io/file/json.h"
#include "serve/packet.h"

typedef struct packet_reader {
    const uint8_t *bytes;
    int64_t size;
    int kind;
    int64_t sequence;
    double time;
    const uint8_t *arrays;
    int64_t array_bytes;
    pli_json json;
    const pli_json_node *root;
} packet_reader;

static inline uint32_t read_u32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline void packet_open(packet_reader *reader, pli_context *context, pli_packet *packet)
{
    assert_non_null(packet);
    *reader = (packet_reader){.bytes = pli_packet_bytes(packet), .size = pli_packet_size(packet)};
    const uint8_t *bytes = reader->bytes;
    assert_true(reader->size >= 32);
    assert_memory_equal(bytes, "PLIF\1\0", 6);
    reader->kind = bytes[6] | bytes[7] << 8;
    memcpy(&reader->sequence, bytes + 8, 8);
    memcpy(&reader->time, bytes + 16, 8);
    int64_t text_bytes = read_u32(bytes + 24);
    assert_int_equal(read_u32(bytes + 28), reader->size);
    assert_int_equal(text_bytes % 8, 0);
    assert_true(32 + text_bytes <= reader->size);
    reader->arrays = bytes + 32 + text_bytes;
    reader->array_bytes = reader->size - 32 - text_bytes;
    reader->json.context = context;
    OK(context, pli_json_parse(&reader->json, (const char *)bytes + 32, text_bytes));
    reader->root = &reader->json.nodes[0];
    assert_int_equal(reader->root->kind, PLI_JSON_OBJECT);
}

static inline void packet_close(packet_reader *reader)
{
    pli_json_clear(&reader->json);
}

static inline const pli_json_node *packet_item(const packet_reader *reader,
                                               const pli_json_node *list, int32_t index)
{
    const pli_json_node *node = pli_json_child(&reader->json, list);
    for (; index > 0 && node != NULL; --index) node = pli_json_next(&reader->json, node);
    return node;
}

static inline const pli_json_node *packet_part(const packet_reader *reader, int32_t index)
{
    return packet_item(reader, pli_json_get(&reader->json, reader->root, "parts"), index);
}

// An array of a part, field or topology, with its type checked.
static inline const void *packet_array(const packet_reader *reader, const pli_json_node *object,
                                       const char *key, const char *type, int64_t *count)
{
    const pli_json_node *array = pli_json_get(&reader->json, object, key);
    assert_non_null(array);
    assert_string_equal(pli_json_text(&reader->json, array, "type", ""), type);
    int64_t offset = (int64_t)pli_json_number(&reader->json, array, "offset", -1);
    *count = (int64_t)pli_json_number(&reader->json, array, "count", -1);
    int64_t width = strcmp(type, "u16") == 0 ? 2 : 4;
    assert_true(offset >= 0 && offset % 8 == 0 && *count >= 0);
    assert_true(offset + *count * width <= reader->array_bytes);
    return reader->arrays + offset;
}

// A field of a part by name; NULL: it is not among them.
static inline const pli_json_node *packet_field(const packet_reader *reader,
                                                const pli_json_node *part, const char *list,
                                                const char *name)
{
    const pli_json_node *node =
        pli_json_child(&reader->json, pli_json_get(&reader->json, part, list));
    while (node != NULL && strcmp(pli_json_text(&reader->json, node, "name", ""), name) != 0) {
        node = pli_json_next(&reader->json, node);
    }
    return node;
}

static inline const char *packet_text(const packet_reader *reader, const pli_json_node *object,
                                      const char *key)
{
    return pli_json_text(&reader->json, object, key, "(none)");
}

#endif
