// SPDX-License-Identifier: Apache-2.0
#include "serve/frame_packet.h"

#include "base/memory.h"
#include "base/number.h"
#include "io/file/json.h"
#include "io/frames/frame_part.h"
#include "serve/packet_array.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    HEAD_BYTES = 32,
    FORMAT_VERSION = 1,
    KIND_FRAME = 1,
    KIND_TOPOLOGY = 2,
    ALIGNMENT = 8 // of the text's end and of every array
};

// A part of the frame that was last encoded.
typedef struct part_topology {
    int32_t place; // of its surface in the store; -1: a part of points
    uint64_t name; // 0: none
} part_topology;

struct pli_frame_encoder {
    pli_context *context;
    pli_surface_store store;

    // of the frame that was last encoded
    int32_t part_count;
    int32_t part_capacity;
    part_topology *parts; // [part_count]

    // of the packet that is being made; the memory is kept
    pli_text text;
    pli_packet_array *arrays; // [array_count]
    int32_t array_count;
    int32_t array_capacity;
    int64_t array_bytes;
    bool failed; // no memory for arrays
};

pli_status pli_frame_encoder_create(pli_context *context, pli_frame_encoder **encoder)
{
    *encoder = PLI_NEW(context, pli_frame_encoder, 1, "frame encoder");
    if (*encoder == NULL) return PLI_ERROR_MEMORY;
    (*encoder)->context = context;
    pli_surface_store_init(&(*encoder)->store, context);
    pli_text_init(&(*encoder)->text, context);
    return PLI_OK;
}

void pli_frame_encoder_destroy(pli_frame_encoder *encoder)
{
    if (encoder == NULL) return;
    pli_surface_store_clear(&encoder->store);
    pli_text_clear(&encoder->text);
    pli_release(encoder->context, encoder->parts);
    pli_release(encoder->context, encoder->arrays);
    pli_release(encoder->context, encoder);
}

uint64_t pli_frame_encoder_topology(const pli_frame_encoder *encoder, int32_t part)
{
    return part >= 0 && part < encoder->part_count ? encoder->parts[part].name : 0;
}

// ---- arrays

static void begin_packet(pli_frame_encoder *encoder)
{
    pli_text_reset(&encoder->text);
    encoder->text.failed = false;
    encoder->array_count = 0;
    encoder->array_bytes = 0;
    encoder->failed = false;
}

static int64_t round_up(int64_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// Appends what says of an array where it is, and makes room for it. *offset is where it begins.
static void append_array(pli_frame_encoder *encoder, int64_t count, const char *type,
                         int64_t *offset)
{
    *offset = encoder->array_bytes;
    pli_text_format(&encoder->text, "{\"offset\":%" PRId64 ",\"count\":%" PRId64 ",\"type\":\"%s\"",
                    *offset, count, type);
    int64_t size = strcmp(type, "u16") == 0 ? 2 : 4;
    encoder->array_bytes += round_up(count * size);
}

// Keeps an array to be written when the packet is there.
static void keep_array(pli_frame_encoder *encoder, const pli_packet_array *array)
{
    if (encoder->array_count == encoder->array_capacity) {
        int32_t capacity = encoder->array_capacity < 16 ? 16 : 2 * encoder->array_capacity;
        pli_packet_array *arrays = pli_reallocate(encoder->context, encoder->arrays, capacity,
                                                  sizeof *arrays, "packet arrays");
        encoder->failed = encoder->failed || arrays == NULL;
        if (arrays == NULL) return;
        encoder->arrays = arrays;
        encoder->array_capacity = capacity;
    }
    encoder->arrays[encoder->array_count++] = *array;
}

// ---- packets

static void put_head(uint8_t *bytes, int kind, int64_t sequence, double time)
{
    const uint16_t numbers[2] = {FORMAT_VERSION, (uint16_t)kind};
    memcpy(bytes, "PLIF", 4);
    memcpy(bytes + 4, numbers, 4);
    memcpy(bytes + 8, &sequence, 8);
    memcpy(bytes + 16, &time, 8);
}

// The packet with head and text; the arrays are left to the caller.
static pli_status make_packet(pli_frame_encoder *encoder, pli_packet **packet)
{
    int64_t text_bytes = round_up(encoder->text.length);
    int64_t size = HEAD_BYTES + text_bytes + encoder->array_bytes;
    if (encoder->text.failed || encoder->failed) return PLI_ERROR_MEMORY;
    if (size > UINT32_MAX) {
        return PLI_FAIL(encoder->context, PLI_ERROR_UNSUPPORTED,
                        "a packet of %" PRId64 " bytes is larger than the page can take, 4 GiB; "
                        "ask for fewer fields",
                        size);
    }
    *packet = pli_packet_create(encoder->context, size);
    if (*packet == NULL) return PLI_ERROR_MEMORY;
    uint8_t *bytes = pli_packet_bytes(*packet);
    const uint32_t sizes[2] = {(uint32_t)text_bytes, (uint32_t)size};
    memcpy(bytes + 24, sizes, 8);
    memset(bytes + HEAD_BYTES, ' ', (size_t)text_bytes);
    memcpy(bytes + HEAD_BYTES, encoder->text.bytes, (size_t)encoder->text.length);
    return PLI_OK;
}

// Where the arrays of a packet begin.
static uint8_t *arrays_of(const pli_frame_encoder *encoder, pli_packet *packet)
{
    return pli_packet_bytes(packet) + HEAD_BYTES + round_up(encoder->text.length);
}

// ---- the text of a frame

typedef struct field_list {
    const char *const *names;
    int32_t count;
} field_list;

static bool is_wanted(const field_list *wanted, const char *name)
{
    for (int32_t i = 0; i < wanted->count; ++i) {
        if (strcmp(wanted->names[i], name) == 0) return true;
    }
    return false;
}

// Whether a field can be shown: of several with one name the first, of points those at points.
static bool is_shown(const pli_frame_part *part, int32_t field)
{
    const pli_frame_field *it = &part->fields[field];
    if (part->kind == PLI_PART_POINTS && it->place == PLI_PLACE_CELL) return false;
    for (int32_t i = 0; i < field; ++i) {
        if (strcmp(part->fields[i].name, it->name) == 0) return false;
    }
    return true;
}

// {"name":...,"unit":...,"components":...,"whole":... without the closing brace
static void append_field_info(pli_text *text, const pli_frame_field *field)
{
    pli_text_append(text, "{");
    pli_json_add_string(text, "name", field->name);
    pli_json_add_string(text, "unit", field->unit != NULL ? field->unit : "");
    pli_text_format(text, ",\"components\":%d,\"whole\":%s", field->components,
                    field->whole ? "true" : "false");
}

static void append_fields(pli_frame_encoder *encoder, const pli_packet_array *points,
                          const field_list *wanted)
{
    const char *separator = "";
    const pli_frame_part *part = points->part;
    for (int32_t i = 0; i < part->field_count; ++i) {
        const pli_frame_field *field = &part->fields[i];
        if (!is_shown(part, i) || !is_wanted(wanted, field->name)) continue;
        pli_packet_array array = *points;
        array.field = field;
        array.narrow = false;
        array.components = field->components;
        pli_text_append(&encoder->text, separator);
        append_field_info(&encoder->text, field);
        pli_text_append(&encoder->text, ",\"values\":");
        append_array(encoder, array.point_count * array.components, "f32", &array.offset);
        pli_text_append(&encoder->text, "}}");
        keep_array(encoder, &array);
        separator = ",";
    }
}

static void append_available(pli_text *text, const pli_frame_part *part)
{
    const char *separator = "";
    for (int32_t i = 0; i < part->field_count; ++i) {
        if (!is_shown(part, i)) continue;
        pli_text_append(text, separator);
        append_field_info(text, &part->fields[i]);
        pli_text_append(text, "}");
        separator = ",";
    }
}

// What particles are drawn with: as they say, or else by the room that each has in their box.
static double choose_radius(const pli_frame_part *part, const pli_extent *extent)
{
    double radius =
        part->point_count > 0 ? pli_part_radius(part, pli_part_find_radius(part), 0) : part->radius;
    if (radius > 0 && isfinite(radius)) return radius;
    if (pli_extent_is_empty(extent) || part->point_count < 2) return 0;
    double room = 1;
    int dimensions = 0;
    for (int k = 0; k < 3; ++k) {
        double width = extent->high[k] - extent->low[k];
        if (!(width > 0)) continue;
        room *= width;
        ++dimensions;
    }
    return dimensions > 0 ? 0.5 * pow(room / part->point_count, 1.0 / dimensions) : 0;
}

static void append_points(pli_frame_encoder *encoder, pli_packet_array *points)
{
    pli_text *text = &encoder->text;
    pli_text_append(text, ",\"points\":");
    append_array(encoder, 3 * points->point_count, points->narrow ? "u16" : "f32", &points->offset);
    if (points->narrow) {
        pli_json_add_key(text, "low");
        pli_json_append_numbers(text, points->extent.low, 3);
        pli_json_add_key(text, "high");
        pli_json_append_numbers(text, points->extent.high, 3);
    }
    pli_text_append(text, "}");
    keep_array(encoder, points);
}

// Components without a finite number stand for 0.
static pli_extent close_gaps(pli_extent extent)
{
    for (int k = 0; k < 3; ++k) {
        if (!(extent.low[k] <= extent.high[k])) extent.low[k] = extent.high[k] = 0;
    }
    return extent;
}

static void append_part(pli_frame_encoder *encoder, const pli_frame_part *part,
                        const pli_surface *surface, const field_list *wanted, pli_extent *bodies)
{
    static const char *const roles[] = {[PLI_ROLE_BODY] = "body",
                                        [PLI_ROLE_COLLIDER] = "collider",
                                        [PLI_ROLE_OBSTACLE] = "obstacle"};
    pli_text *text = &encoder->text;
    pli_extent extent = pli_packet_extent(encoder->context, part, surface);
    if (part->role == PLI_ROLE_BODY) pli_extent_add(bodies, &extent);
    pli_packet_array points = {.part = part,
                               .surface = surface,
                               .extent = close_gaps(extent),
                               .narrow = surface == NULL,
                               .components = 3,
                               .point_count =
                                   surface != NULL ? surface->skin.point_count : part->point_count};

    pli_text_append(text, "{");
    pli_json_add_string(text, "name", part->name);
    pli_json_add_string(text, "role", roles[part->role]);
    if (surface != NULL) {
        pli_text_format(text, ",\"kind\":\"mesh\",\"sheet\":%s,\"topology\":\"%016" PRIx64 "\"",
                        part->kind == PLI_PART_TRIANGLES ? "true" : "false", surface->name);
    } else {
        pli_text_append(text, ",\"kind\":\"points\",\"sheet\":false,\"topology\":\"\"");
        pli_json_add_number(text, "radius", choose_radius(part, &extent));
    }
    append_points(encoder, &points);
    pli_text_append(text, ",\"fields\":[");
    append_fields(encoder, &points, wanted);
    pli_text_append(text, "],\"available\":[");
    append_available(text, part);
    pli_text_append(text, "]}");
}

static void append_bounds(pli_text *text, const pli_extent *bodies)
{
    pli_text_append(text, "],\"bounds\":");
    if (pli_extent_is_empty(bodies)) {
        pli_text_append(text, "null}");
        return;
    }
    pli_text_append(text, "[");
    pli_json_append_numbers(text, bodies->low, 3);
    pli_text_append(text, ",");
    pli_json_append_numbers(text, bodies->high, 3);
    pli_text_append(text, "]}");
}

static void append_frame(pli_frame_encoder *encoder, const pli_frame *frame,
                         const field_list *wanted)
{
    pli_extent bodies = pli_extent_nothing();
    pli_text_format(&encoder->text, "{\"frame\":%d,\"step\":%" PRId64 ",\"parts\":[", frame->index,
                    frame->step);
    for (int32_t i = 0; i < frame->part_count; ++i) {
        int32_t place = encoder->parts[i].place;
        if (i > 0) pli_text_append(&encoder->text, ",");
        append_part(encoder, &frame->parts[i], place >= 0 ? &encoder->store.items[place] : NULL,
                    wanted, &bodies);
    }
    append_bounds(&encoder->text, &bodies);
}

// ---- frames

static pli_status reserve_parts(pli_frame_encoder *encoder, int32_t part_count)
{
    if (part_count <= encoder->part_capacity) return PLI_OK;
    part_topology *parts =
        pli_reallocate(encoder->context, encoder->parts, part_count, sizeof *parts, "parts");
    if (parts == NULL) return PLI_ERROR_MEMORY;
    for (int32_t i = encoder->part_capacity; i < part_count; ++i) parts[i].place = -1;
    encoder->parts = parts;
    encoder->part_capacity = part_count;
    return PLI_OK;
}

// Finds the surfaces of all meshes of a frame.
static pli_status find_surfaces(pli_frame_encoder *encoder, const pli_frame *frame)
{
    encoder->part_count = 0;
    PLI_TRY(reserve_parts(encoder, frame->part_count));
    PLI_TRY(pli_surface_store_begin(&encoder->store, frame->part_count));
    for (int32_t i = 0; i < frame->part_count; ++i) {
        part_topology *part = &encoder->parts[i];
        int32_t hint = part->place;
        *part = (part_topology){.place = -1};
        if (frame->parts[i].kind == PLI_PART_POINTS) continue;
        PLI_TRY(pli_surface_store_find(&encoder->store, &frame->parts[i], hint, &part->place));
        part->name = encoder->store.items[part->place].name;
    }
    encoder->part_count = frame->part_count;
    return PLI_OK;
}

pli_status pli_frame_encode(pli_frame_encoder *encoder, const pli_frame *frame,
                            const char *const *fields, int32_t field_count, int64_t sequence,
                            pli_packet **packet)
{
    *packet = NULL;
    field_list wanted = {fields, field_count};
    PLI_TRY(find_surfaces(encoder, frame));
    begin_packet(encoder);
    append_frame(encoder, frame, &wanted);
    PLI_TRY(make_packet(encoder, packet));
    put_head(pli_packet_bytes(*packet), KIND_FRAME, sequence, frame->time);
    uint8_t *arrays = arrays_of(encoder, *packet);
    for (int32_t i = 0; i < encoder->array_count; ++i) {
        pli_packet_array_write(&encoder->arrays[i], encoder->context, arrays);
    }
    return PLI_OK;
}

// ---- topologies

pli_status pli_frame_encode_topology(pli_frame_encoder *encoder, const pli_frame *frame,
                                     int32_t part, pli_packet **packet)
{
    *packet = NULL;
    if (part < 0 || part >= frame->part_count || frame->parts[part].kind == PLI_PART_POINTS) {
        return PLI_FAIL(encoder->context, PLI_ERROR_ARGUMENT,
                        "part %d of the frame has no topology; it has %d parts", part,
                        frame->part_count);
    }
    int32_t place = -1;
    int32_t hint = part < encoder->part_count ? encoder->parts[part].place : -1;
    PLI_TRY(pli_surface_store_begin(&encoder->store, frame->part_count));
    PLI_TRY(pli_surface_store_find(&encoder->store, &frame->parts[part], hint, &place));

    const pli_surface *surface = &encoder->store.items[place];
    const pli_skin *skin = &surface->skin;
    int64_t triangles = 0;
    int64_t vertices = 0;
    begin_packet(encoder);
    pli_text_format(&encoder->text,
                    "{\"topology\":\"%016" PRIx64 "\",\"sheet\":%s,\"triangles\":", surface->name,
                    skin->kind == PLI_PART_TRIANGLES ? "true" : "false");
    append_array(encoder, 3 * (int64_t)skin->triangle_count, "u32", &triangles);
    pli_text_append(&encoder->text, "},\"vertices\":");
    append_array(encoder, skin->point_count, "u32", &vertices);
    pli_text_append(&encoder->text, "}}");
    PLI_TRY(make_packet(encoder, packet));
    put_head(pli_packet_bytes(*packet), KIND_TOPOLOGY, frame->index, frame->time);
    uint8_t *arrays = arrays_of(encoder, *packet);
    memcpy(arrays + triangles, skin->triangles, 12 * (size_t)skin->triangle_count);
    memcpy(arrays + vertices, skin->point_ids, 4 * (size_t)skin->point_count);
    return PLI_OK;
}
