// SPDX-License-Identifier: Apache-2.0
//
// Frames as packets: layout, values, names of topologies, and that a warm encoder allocates nothing
// but the packet.
#include "packet_reader.h"
#include "sample_frames.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/context.h"
#include "serve/frame_packet.h"

#include <float.h>

enum { SIDE = 5 };

typedef struct fixture {
    pli_context *context;
    pli_frame_encoder *encoder;
    sample s;
} fixture;

static int set_up(void **state)
{
    fixture *fix = calloc(1, sizeof *fix);
    assert_non_null(fix);
    fix->context = make_context(2);
    OK(fix->context, pli_frame_encoder_create(fix->context, &fix->encoder));
    sample_init(&fix->s, SIDE, 3);
    *state = fix;
    return 0;
}

static int tear_down(void **state)
{
    fixture *fix = *state;
    sample_clear(&fix->s);
    pli_frame_encoder_destroy(fix->encoder);
    pli_context_destroy(fix->context);
    free(fix);
    return 0;
}

// Encodes with fields given as "a b c" and opens the packet.
static pli_packet *encode(fixture *fix, const pli_frame *frame, const char *fields,
                          packet_reader *reader)
{
    char copy[256];
    const char *names[8];
    int32_t count = 0;
    snprintf(copy, sizeof copy, "%s", fields);
    for (char *at = strtok(copy, " "); at != NULL; at = strtok(NULL, " ")) names[count++] = at;
    pli_packet *packet = NULL;
    OK(fix->context, pli_frame_encode(fix->encoder, frame, names, count, 17, &packet));
    packet_open(reader, fix->context, packet);
    return packet;
}

static void done(packet_reader *reader, pli_packet *packet)
{
    packet_close(reader);
    pli_packet_drop(packet);
}

// ---- layout

static void head_and_text_say_what_the_frame_is(void **state)
{
    fixture *fix = *state;
    packet_reader reader;
    pli_packet *packet = encode(fix, &fix->s.frame, "", &reader);
    assert_int_equal(reader.kind, 1);
    assert_int_equal(reader.sequence, 17);
    assert_true(reader.time == fix->s.frame.time);
    assert_int_equal(pli_json_number(&reader.json, reader.root, "frame", -1), 3);
    assert_int_equal(pli_json_number(&reader.json, reader.root, "step", -1), 6);
    static const char *const wanted[3][3] = {
        {"block", "mesh", "body"}, {"sheet", "mesh", "collider"}, {"drops", "points", "body"}};
    for (int32_t i = 0; i < 3; ++i) {
        const pli_json_node *part = packet_part(&reader, i);
        assert_string_equal(packet_text(&reader, part, "name"), wanted[i][0]);
        assert_string_equal(packet_text(&reader, part, "kind"), wanted[i][1]);
        assert_string_equal(packet_text(&reader, part, "role"), wanted[i][2]);
        assert_int_equal(pli_json_number(&reader.json, part, "sheet", -1), -1); // not a number
        assert_int_equal(pli_json_get(&reader.json, part, "sheet")->number, i == 1);
    }
    assert_null(packet_part(&reader, 3));
    done(&reader, packet);
}

static void fields_are_those_asked_for_and_available_all(void **state)
{
    fixture *fix = *state;
    packet_reader reader;
    pli_packet *packet = encode(fix, &fix->s.frame, "velocity height nonsense", &reader);
    const pli_json_node *block = packet_part(&reader, 0);
    const pli_json_node *sheet = packet_part(&reader, 1);
    assert_non_null(packet_field(&reader, block, "fields", "velocity"));
    assert_null(packet_field(&reader, block, "fields", "pressure"));
    assert_null(packet_field(&reader, block, "fields", "nonsense"));
    assert_null(packet_field(&reader, sheet, "fields", "velocity"));
    assert_non_null(packet_field(&reader, sheet, "fields", "height"));
    static const char *const all[] = {"velocity", "pressure", "stress", "axis"};
    for (int i = 0; i < 4; ++i) assert_non_null(packet_field(&reader, block, "available", all[i]));
    const pli_json_node *velocity = packet_field(&reader, block, "available", "velocity");
    assert_string_equal(packet_text(&reader, velocity, "unit"), "m/s");
    assert_int_equal(pli_json_number(&reader.json, velocity, "components", 0), 3);
    done(&reader, packet);
}

// ---- values

// The vertices of a part's surface, from its topology.
static const uint32_t *open_topology(fixture *fix, int32_t part, packet_reader *reader,
                                     pli_packet **packet, int64_t *count)
{
    OK(fix->context, pli_frame_encode_topology(fix->encoder, &fix->s.frame, part, packet));
    packet_open(reader, fix->context, *packet);
    assert_int_equal(reader->kind, 2);
    return packet_array(reader, reader->root, "vertices", "u32", count);
}

static void points_of_meshes_are_those_of_the_topology(void **state)
{
    fixture *fix = *state;
    for (int32_t i = 0; i < 2; ++i) {
        packet_reader frame;
        packet_reader topology;
        pli_packet *second = NULL;
        int64_t point_count = 0;
        int64_t vertex_count = 0;
        pli_packet *first = encode(fix, &fix->s.frame, "", &frame);
        const float *points =
            packet_array(&frame, packet_part(&frame, i), "points", "f32", &point_count);
        const uint32_t *vertices = open_topology(fix, i, &topology, &second, &vertex_count);
        // a lattice has all but its inner points on the surface
        int64_t inner = i == 0 ? (SIDE - 2) * (SIDE - 2) * (SIDE - 2) : 0;
        assert_int_equal(vertex_count, fix->s.parts[i].point_count - inner);
        assert_int_equal(point_count, 3 * vertex_count);
        for (int64_t k = 0; k < point_count; ++k) {
            double wanted = fix->s.parts[i].points[3 * vertices[k / 3] + k % 3];
            assert_true(points[k] == (float)wanted);
        }
        assert_string_equal(packet_text(&topology, topology.root, "topology"),
                            packet_text(&frame, packet_part(&frame, i), "topology"));
        done(&topology, second);
        done(&frame, first);
    }
}

static void triangles_close_the_surface_and_face_outwards(void **state)
{
    fixture *fix = *state;
    packet_reader reader;
    pli_packet *packet = NULL;
    int64_t vertex_count = 0;
    int64_t corner_count = 0;
    const uint32_t *vertices = open_topology(fix, 0, &reader, &packet, &vertex_count);
    const uint32_t *triangles =
        packet_array(&reader, reader.root, "triangles", "u32", &corner_count);
    assert_int_equal(corner_count, 3 * 12 * (SIDE - 1) * (SIDE - 1));
    // the volume by the divergence theorem, against the sum over tetrahedra
    double volume = 0;
    for (int64_t t = 0; t < corner_count; t += 3) {
        const double *p[3];
        for (int k = 0; k < 3; ++k) {
            assert_true(triangles[t + k] < vertex_count);
            p[k] = fix->s.parts[0].points + 3 * vertices[triangles[t + k]];
        }
        volume += (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) -
                   p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
                   p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
                  6;
    }
    // shearing along x keeps the volume, z is stretched
    double edge = 0.1 * (SIDE - 1);
    NEAR(volume, edge * edge * edge * (1 + 0.1 * fix->s.frame.time), 1e-12, 0);
    done(&reader, packet);
}

static void values_of_points_are_copied(void **state)
{
    fixture *fix = *state;
    packet_reader frame;
    packet_reader topology;
    pli_packet *second = NULL;
    int64_t count = 0;
    int64_t vertex_count = 0;
    pli_packet *first = encode(fix, &fix->s.frame, "velocity", &frame);
    const uint32_t *vertices = open_topology(fix, 0, &topology, &second, &vertex_count);
    const pli_json_node *field = packet_field(&frame, packet_part(&frame, 0), "fields", "velocity");
    const float *values = packet_array(&frame, field, "values", "f32", &count);
    assert_int_equal(count, 3 * vertex_count);
    for (int64_t k = 0; k < count; ++k) {
        double wanted = fix->s.bodies[0].values[0][3 * vertices[k / 3] + k % 3];
        assert_true(values[k] == (float)wanted);
    }
    done(&topology, second);
    done(&frame, first);
}

// two tetrahedra on a common face; points 1, 2, 3 belong to both
static const double pair_points[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
static const int32_t pair_cells[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}};

static pli_frame_part make_pair(const pli_frame_field *fields, int32_t field_count)
{
    return (pli_frame_part){.name = "pair",
                            .kind = PLI_PART_TETS,
                            .point_count = 5,
                            .points = pair_points[0],
                            .cell_count = 2,
                            .cells = pair_cells[0],
                            .field_count = field_count,
                            .fields = fields};
}

static void values_of_cells_are_averaged_and_whole_ones_are_not(void **state)
{
    fixture *fix = *state;
    static const double stress[2] = {1, 4};
    static const double material[2] = {3, 8};
    const pli_frame_field fields[2] = {{"stress", "Pa", PLI_PLACE_CELL, 1, stress, false},
                                       {"material", "", PLI_PLACE_CELL, 1, material, true}};
    pli_frame_part part = make_pair(fields, 2);
    pli_frame frame = {.part_count = 1, .parts = &part};
    packet_reader reader;
    int64_t count = 0;
    pli_packet *packet = encode(fix, &frame, "stress material", &reader);
    const pli_json_node *node = packet_part(&reader, 0);
    const float *values = packet_array(&reader, packet_field(&reader, node, "fields", "stress"),
                                       "values", "f32", &count);
    // a shared point has two triangles of each tetrahedron
    assert_int_equal(count, 5);
    static const float means[5] = {1, 2.5F, 2.5F, 2.5F, 4};
    for (int i = 0; i < 5; ++i) assert_true(values[i] == means[i]);
    const pli_json_node *whole = packet_field(&reader, node, "fields", "material");
    values = packet_array(&reader, whole, "values", "f32", &count);
    assert_int_equal(pli_json_get(&reader.json, whole, "whole")->number, 1);
    assert_true(values[0] == 3 && values[4] == 8);
    for (int i = 1; i < 4; ++i) assert_true(values[i] == 3 || values[i] == 8);
    done(&reader, packet);
}

static void values_that_are_not_numbers_stay_so(void **state)
{
    fixture *fix = *state;
    const double stress[5] = {1, NAN, 2, INFINITY, 3};
    const double cell[2] = {NAN, 4};
    const pli_frame_field fields[2] = {{"stress", "Pa", PLI_PLACE_POINT, 1, stress, false},
                                       {"cell", "", PLI_PLACE_CELL, 1, cell, false}};
    pli_frame_part part = make_pair(fields, 2);
    pli_frame frame = {.part_count = 1, .parts = &part};
    packet_reader reader;
    int64_t count = 0;
    pli_packet *packet = encode(fix, &frame, "stress cell", &reader);
    const pli_json_node *node = packet_part(&reader, 0);
    const float *values = packet_array(&reader, packet_field(&reader, node, "fields", "stress"),
                                       "values", "f32", &count);
    assert_true(values[0] == 1 && isnan(values[1]) && isinf(values[3]) && values[4] == 3);
    values = packet_array(&reader, packet_field(&reader, node, "fields", "cell"), "values", "f32",
                          &count);
    assert_true(isnan(values[0]) && isnan(values[1]) && values[4] == 4);
    done(&reader, packet);
}

// ---- particles

enum { CLOUD = 100000 };

static double *make_cloud(void)
{
    double *points = sample_reals(3 * CLOUD);
    for (int64_t i = 0; i < 3 * CLOUD; ++i)
        points[i] = 5 * sin(0.37 * (double)i) + 100 * (double)(i % 3);
    return points;
}

static double component(const packet_reader *reader, const pli_json_node *array, const char *key,
                        int k)
{
    return packet_item(reader, pli_json_get(&reader->json, array, key), k)->number;
}

static void particles_are_off_by_half_a_step_at_most(void **state)
{
    fixture *fix = *state;
    double *points = make_cloud();
    pli_frame_part part = {.name = "cloud",
                           .kind = PLI_PART_POINTS,
                           .point_count = CLOUD,
                           .points = points,
                           .radius = 0.125};
    pli_frame frame = {.part_count = 1, .parts = &part};
    packet_reader reader;
    int64_t count = 0;
    pli_packet *packet = encode(fix, &frame, "", &reader);
    const pli_json_node *node = packet_part(&reader, 0);
    const uint16_t *stored = packet_array(&reader, node, "points", "u16", &count);
    const pli_json_node *array = pli_json_get(&reader.json, node, "points");
    assert_int_equal(count, 3 * CLOUD);
    for (int k = 0; k < 3; ++k) {
        double low = component(&reader, array, "low", k);
        double high = component(&reader, array, "high", k);
        bool has_low = false;
        bool has_high = false;
        for (int64_t i = k; i < count; i += 3) {
            // half a step, and the rounding of reading it back
            double allowed = 0.5 * (high - low) / 65535 * (1 + 1e-9);
            AT_MOST(fabs(low + (high - low) * stored[i] / 65535 - points[i]), allowed);
            has_low = has_low || stored[i] == 0;
            has_high = has_high || stored[i] == 65535;
        }
        assert_true(has_low && has_high);
    }
    assert_true(pli_json_number(&reader.json, node, "radius", 0) == 0.125);
    assert_string_equal(packet_text(&reader, node, "topology"), "");
    assert_true(pli_frame_encoder_topology(fix->encoder, 0) == 0);
    done(&reader, packet);
    free(points);
}

static void lost_particles_do_not_spoil_the_others(void **state)
{
    fixture *fix = *state;
    const double points[4][3] = {{0, 0, 0}, {NAN, INFINITY, -INFINITY}, {1, 2, 4}, {0.5, 1, 1}};
    pli_frame_part part = {
        .name = "cloud", .kind = PLI_PART_POINTS, .point_count = 4, .points = points[0]};
    pli_frame frame = {.part_count = 1, .parts = &part};
    packet_reader reader;
    int64_t count = 0;
    pli_packet *packet = encode(fix, &frame, "", &reader);
    const uint16_t *stored =
        packet_array(&reader, packet_part(&reader, 0), "points", "u16", &count);
    static const uint16_t wanted[3] = {65535, 65535, 65535};
    assert_memory_equal(stored + 6, wanted, sizeof wanted);
    assert_int_equal(stored[9], 32768);
    const pli_json_node *bounds = pli_json_get(&reader.json, reader.root, "bounds");
    assert_true(packet_item(&reader, packet_item(&reader, bounds, 1), 2)->number == 4);
    // a radius that nobody gave is some positive number
    assert_true(pli_json_number(&reader.json, packet_part(&reader, 0), "radius", 0) > 0);
    done(&reader, packet);
}

// ---- edges

static void empty_parts_have_empty_arrays_and_no_bounds(void **state)
{
    fixture *fix = *state;
    const pli_frame_part parts[3] = {{.name = "a", .kind = PLI_PART_TETS},
                                     {.name = "b", .kind = PLI_PART_TRIANGLES},
                                     {.name = "c", .kind = PLI_PART_POINTS}};
    pli_frame frame = {.part_count = 3, .parts = parts};
    packet_reader reader;
    int64_t count = -1;
    pli_packet *packet = encode(fix, &frame, "velocity", &reader);
    for (int32_t i = 0; i < 3; ++i) {
        packet_array(&reader, packet_part(&reader, i), "points", i == 2 ? "u16" : "f32", &count);
        assert_int_equal(count, 0);
    }
    assert_int_equal(pli_json_get(&reader.json, reader.root, "bounds")->kind, PLI_JSON_NULL);
    done(&reader, packet);
    for (int32_t i = 0; i < 2; ++i) {
        OK(fix->context, pli_frame_encode_topology(fix->encoder, &frame, i, &packet));
        packet_open(&reader, fix->context, packet);
        packet_array(&reader, reader.root, "triangles", "u32", &count);
        assert_int_equal(count, 0);
        done(&reader, packet);
    }
    frame = (pli_frame){0};
    packet = encode(fix, &frame, "", &reader);
    assert_null(packet_part(&reader, 0));
    done(&reader, packet);
}

static void bounds_are_of_bodies_alone(void **state)
{
    fixture *fix = *state;
    packet_reader reader;
    fix->s.frame.part_count = 2;
    pli_packet *packet = encode(fix, &fix->s.frame, "", &reader);
    const pli_json_node *bounds = pli_json_get(&reader.json, reader.root, "bounds");
    double top = packet_item(&reader, packet_item(&reader, bounds, 1), 1)->number;
    // the sheet lies at 2, the block ends at 0.4
    NEAR(top, 0.4 - 0.5 * fix->s.frame.time * fix->s.frame.time, 1e-12, 0);
    done(&reader, packet);
}

static void markup_in_names_is_escaped(void **state)
{
    fixture *fix = *state;
    static const double stress[2] = {1, 4};
    static const char name[] = "\"</script>\\\n&";
    const pli_frame_field field = {name, "<b>", PLI_PLACE_CELL, 1, stress, false};
    pli_frame_part part = make_pair(&field, 1);
    part.name = name;
    pli_frame frame = {.part_count = 1, .parts = &part};
    const char *wanted[1] = {name};
    pli_packet *packet = NULL;
    packet_reader reader;
    OK(fix->context, pli_frame_encode(fix->encoder, &frame, wanted, 1, 0, &packet));
    packet_open(&reader, fix->context, packet);
    const pli_json_node *node = packet_part(&reader, 0);
    assert_string_equal(packet_text(&reader, node, "name"), name);
    assert_non_null(packet_field(&reader, node, "fields", name));
    assert_null(memchr(reader.bytes + 32, '<', (size_t)(reader.arrays - reader.bytes - 32)));
    done(&reader, packet);
}

static void corners_past_the_end_are_refused(void **state)
{
    fixture *fix = *state;
    static const int32_t cells[4] = {0, 1, 2, 5};
    pli_frame_part part = make_pair(NULL, 0);
    part.cell_count = 1;
    part.cells = cells;
    pli_frame frame = {.part_count = 1, .parts = &part};
    pli_packet *packet = NULL;
    assert_int_equal(pli_frame_encode(fix->encoder, &frame, NULL, 0, 0, &packet), PLI_ERROR_MESH);
    assert_null(packet);
    assert_int_equal(pli_frame_encode_topology(fix->encoder, &frame, 0, &packet), PLI_ERROR_MESH);
    assert_null(packet);
    // and nothing of it stays
    packet_reader reader;
    packet = encode(fix, &fix->s.frame, "", &reader);
    done(&reader, packet);
}

static void parts_without_topology_are_refused(void **state)
{
    fixture *fix = *state;
    pli_packet *packet = NULL;
    static const int32_t wrong[] = {2, 3, -1, INT32_MAX};
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(pli_frame_encode_topology(fix->encoder, &fix->s.frame, wrong[i], &packet),
                         PLI_ERROR_ARGUMENT);
        assert_null(packet);
    }
}

// ---- names of topologies

static uint64_t name_of(fixture *fix, const pli_frame *frame, int32_t part)
{
    packet_reader reader;
    pli_packet *packet = encode(fix, frame, "", &reader);
    uint64_t name = pli_frame_encoder_topology(fix->encoder, part);
    char text[32];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)name);
    assert_string_equal(packet_text(&reader, packet_part(&reader, part), "topology"), text);
    done(&reader, packet);
    return name;
}

static void names_stay_while_points_move_and_change_with_cells(void **state)
{
    fixture *fix = *state;
    uint64_t before = name_of(fix, &fix->s.frame, 0);
    assert_true(before != 0 && before != name_of(fix, &fix->s.frame, 1));
    fix->s.bodies[0].points[7] += 1;
    assert_true(name_of(fix, &fix->s.frame, 0) == before);

    // another encoder gives the same name
    pli_frame_encoder *kept = fix->encoder;
    OK(fix->context, pli_frame_encoder_create(fix->context, &fix->encoder));
    assert_true(name_of(fix, &fix->s.frame, 0) == before);
    pli_frame_encoder_destroy(kept);

    // one cell less, in the middle of the list and by the same memory
    int32_t *cells = fix->s.bodies[0].cells;
    int32_t count = --fix->s.parts[0].cell_count;
    int32_t last[4];
    memcpy(last, cells + 4 * (int64_t)count, sizeof last);
    memcpy(cells, cells + 4 * (int64_t)count, sizeof last);
    assert_true(name_of(fix, &fix->s.frame, 0) != before);
}

static void one_changed_corner_changes_the_name(void **state)
{
    fixture *fix = *state;
    uint64_t before = name_of(fix, &fix->s.frame, 1);
    int32_t *cells = fix->s.bodies[1].cells;
    int32_t kept = cells[0];
    cells[0] = cells[1];
    cells[1] = kept;
    assert_true(name_of(fix, &fix->s.frame, 1) != before);
    cells[1] = cells[0];
    cells[0] = kept;
    assert_true(name_of(fix, &fix->s.frame, 1) == before);
}

static void parts_that_come_and_go_keep_their_surfaces(void **state)
{
    fixture *fix = *state;
    uint64_t sheet = name_of(fix, &fix->s.frame, 1);
    pli_frame less = fix->s.frame;
    less.parts = fix->s.parts + 1;
    less.part_count = 2;
    assert_true(name_of(fix, &less, 0) == sheet);
    int64_t before = pli_context_allocation_count(fix->context);
    pli_packet *packet = NULL;
    OK(fix->context, pli_frame_encode(fix->encoder, &fix->s.frame, NULL, 0, 0, &packet));
    int64_t mixed = pli_context_allocation_count(fix->context) - before;
    pli_packet_drop(packet);
    before = pli_context_allocation_count(fix->context);
    OK(fix->context, pli_frame_encode(fix->encoder, &fix->s.frame, NULL, 0, 0, &packet));
    assert_int_equal(pli_context_allocation_count(fix->context) - before, mixed);
    pli_packet_drop(packet);
}

static void many_topologies_do_not_pile_up(void **state)
{
    (void)state;
    pli_fault fault = {0};
    pli_context *context = fault_context(&fault, 1);
    pli_frame_encoder *encoder = NULL;
    OK(context, pli_frame_encoder_create(context, &encoder));
    int64_t bytes[2] = {0, 0};
    for (int32_t round = 0; round < 200; ++round) {
        int32_t cells[6] = {0, 1, 2, round, round + 1, round + 2};
        double points[3 * 256] = {0};
        pli_frame_part part = {.name = "a",
                               .kind = PLI_PART_TRIANGLES,
                               .point_count = 256,
                               .points = points,
                               .cell_count = 2,
                               .cells = cells};
        pli_frame frame = {.part_count = 1, .parts = &part};
        pli_packet *packet = NULL;
        OK(context, pli_frame_encode(encoder, &frame, NULL, 0, 0, &packet));
        pli_packet_drop(packet);
        if (round == 99) bytes[0] = fault.live_bytes;
        if (round == 199) bytes[1] = fault.live_bytes;
    }
    assert_int_equal(bytes[0], bytes[1]);
    pli_frame_encoder_destroy(encoder);
    pli_context_destroy(context);
    assert_int_equal(fault.live_blocks, 0);
}

// ---- memory

static void warm_encoder_allocates_the_packet_alone(void **state)
{
    fixture *fix = *state;
    static const char *const fields[] = {"velocity", "stress", "axis", "height", "speed"};
    pli_packet *packet = NULL;
    OK(fix->context, pli_frame_encode(fix->encoder, &fix->s.frame, fields, 5, 0, &packet));
    int64_t size = pli_packet_size(packet);
    pli_packet_drop(packet);

    int64_t start = pli_context_allocation_count(fix->context);
    packet = pli_packet_create(fix->context, size);
    int64_t alone = pli_context_allocation_count(fix->context) - start;
    pli_packet_drop(packet);

    fix->s.bodies[0].points[4] += 0.5;
    start = pli_context_allocation_count(fix->context);
    OK(fix->context, pli_frame_encode(fix->encoder, &fix->s.frame, fields, 5, 1, &packet));
    assert_int_equal(pli_context_allocation_count(fix->context) - start, alone);
    pli_packet_drop(packet);
}

static void every_failed_allocation_is_survived(void **state)
{
    fixture *fix = *state;
    static const char *const fields[] = {"velocity", "stress"};
    const pli_frame *frame = &fix->s.frame;
    for (fault_sweep sweep = {.at_least = 10}; fault_sweep_next(&sweep);) {
        pli_frame_encoder *encoder = NULL;
        pli_packet *first = NULL;
        pli_packet *second = NULL;
        pli_status status = pli_frame_encoder_create(sweep.context, &encoder);
        if (status == PLI_OK) status = pli_frame_encode(encoder, frame, fields, 2, 0, &first);
        if (status == PLI_OK) status = pli_frame_encode_topology(encoder, frame, 0, &second);
        sweep.status = status;
        pli_packet_drop(first);
        pli_packet_drop(second);
        pli_frame_encoder_destroy(encoder);
    }
}

static void threads_do_not_change_a_byte(void **state)
{
    (void)state;
    double *points = make_cloud();
    const pli_frame_field field = {"place", "m", PLI_PLACE_POINT, 3, points, false};
    pli_frame_part part = {.name = "cloud",
                           .kind = PLI_PART_POINTS,
                           .point_count = CLOUD,
                           .points = points,
                           .field_count = 1,
                           .fields = &field};
    pli_frame frame = {.part_count = 1, .parts = &part};
    static const char *const fields[] = {"place"};
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        pli_frame_encoder *encoder = NULL;
        pli_packet *packet = NULL;
        OK(context, pli_frame_encoder_create(context, &encoder));
        OK(context, pli_frame_encode(encoder, &frame, fields, 1, 0, &packet));
        same_bits_keep(&bits, pli_packet_bytes(packet), (size_t)pli_packet_size(packet));
        pli_packet_drop(packet);
        pli_frame_encoder_destroy(encoder);
        pli_context_destroy(context);
    }
    free(points);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(head_and_text_say_what_the_frame_is),
        TEST(fields_are_those_asked_for_and_available_all),
        TEST(points_of_meshes_are_those_of_the_topology),
        TEST(triangles_close_the_surface_and_face_outwards),
        TEST(values_of_points_are_copied),
        TEST(values_of_cells_are_averaged_and_whole_ones_are_not),
        TEST(values_that_are_not_numbers_stay_so),
        TEST(particles_are_off_by_half_a_step_at_most),
        TEST(lost_particles_do_not_spoil_the_others),
        TEST(empty_parts_have_empty_arrays_and_no_bounds),
        TEST(bounds_are_of_bodies_alone),
        TEST(markup_in_names_is_escaped),
        TEST(corners_past_the_end_are_refused),
        TEST(parts_without_topology_are_refused),
        TEST(names_stay_while_points_move_and_change_with_cells),
        TEST(one_changed_corner_changes_the_name),
        TEST(parts_that_come_and_go_keep_their_surfaces),
        TEST(many_topologies_do_not_pile_up),
        TEST(warm_encoder_allocates_the_packet_alone),
        TEST(every_failed_allocation_is_survived),
        TEST(threads_do_not_change_a_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
