// SPDX-License-Identifier: Apache-2.0
//
// One suite for all mesh formats; a row is a small file of unit/io/mesh_samples.h, and every ending
// that readers know has one. Damaged files are refused or sound: cut at every byte, every byte
// changed, every allocation failing; unit.io.mesh_formats says what whole ones hold. Inputs stand
// in blocks of exactly their size, so that the sanitizers see any step beyond the end.
#include "near.h"

#include "unit/io/mesh_samples.h"

#include "support/fault_sweep.h"

// Whatever was loaded keeps what the header of mesh_file.h promises.
static void check_mesh(const pli_mesh_data *data)
{
    assert_true(data->point_count > 0);
    for (int64_t i = 0; i < 3 * (int64_t)data->point_count; ++i) {
        assert_true(isfinite(data->points[i]));
    }
    for (int64_t i = 0; i < 4 * (int64_t)data->tet_count; ++i) {
        assert_true(data->tets[i] >= 0 && data->tets[i] < data->point_count);
    }
    for (int64_t i = 0; i < 3 * (int64_t)data->triangle_count; ++i) {
        assert_true(data->triangles[i] >= 0 && data->triangles[i] < data->point_count);
    }
    for (int32_t i = 0; i < data->group_count; ++i) assert_non_null(data->group_names[i]);
    for (int32_t i = 0; i < data->tet_count && data->group_count > 0; ++i) {
        assert_true(data->tet_groups[i] >= -1 && data->tet_groups[i] < data->group_count);
    }
    for (int32_t i = 0; i < data->triangle_count && data->group_count > 0; ++i) {
        assert_true(data->triangle_groups[i] >= -1 && data->triangle_groups[i] < data->group_count);
    }
}

// Parses; the result is a sound mesh or one line of text, and memory stays small.
static pli_status try_parse(pli_context *context, const pli_fault *gauge, const sample *one,
                            const char *bytes, int64_t count)
{
    pli_mesh_file *mesh = NULL;
    pli_status status = pli_mesh_file_parse(context, "memory", one->ending, bytes, count, &mesh);
    if (status == PLI_OK) {
        check_mesh(pli_mesh_file_data(mesh));
    } else {
        char message[1024];
        pli_context_message(context, message, sizeof message);
        assert_null(mesh);
        assert_int_equal(status, PLI_ERROR_MESH);
        assert_null(strchr(message, '\n'));
        assert_memory_equal(message, "memory", 6);
        assert_true(strlen(message) < 700);
    }
    pli_mesh_file_destroy(mesh);
    // the worst case is a polygon: each corner, of at least one byte, makes a triangle of 16 bytes,
    // in arrays that grow by half and are held twice while they do: 16 (1 + 1.5) = 40. Besides
    // there are some blocks of fixed size
    AT_MOST((double)gauge->peak_bytes, 40 * (double)count + 16384);
    return status;
}

// The endings are those that the refusal of an unknown file tells.
static void every_format_has_a_sample(void **state)
{
    (void)state;
    sample list[SAMPLE_CAPACITY];
    int sample_count = make_samples(list), known = 0;
    pli_context *context = make_context(1);
    pli_mesh_file *mesh = NULL;
    char message[1024];
    assert_int_equal(pli_mesh_file_parse(context, "memory", "nothing", "?", 1, &mesh),
                     PLI_ERROR_MESH);
    pli_context_message(context, message, sizeof message);
    char *rest = strstr(message, "known endings are ");
    assert_non_null(rest);
    rest += strlen("known endings are ");
    for (char *ending = strsep(&rest, ", "); ending != NULL; ending = strsep(&rest, ", ")) {
        if (ending[0] == '\0') continue;
        bool found = false;
        for (int i = 0; i < sample_count; ++i) found |= strcmp(ending, list[i].ending) == 0;
        // a mesh of TetGen is read by any of its files
        found |= strcmp(ending, "ele") == 0 || strcmp(ending, "face") == 0;
        if (!found) fail_msg("no sample of a mesh file ends with .%s", ending);
        ++known;
    }
    AT_LEAST(known, 9);
    pli_context_destroy(context);
    free_samples(list, sample_count);
}

static void file_cut_at_any_byte_is_refused_or_sound(void **state)
{
    (void)state;
    sample list[SAMPLE_CAPACITY];
    int sample_count = make_samples(list);
    for (int i = 0; i < sample_count; ++i) {
        int64_t refused = 0;
        for (int64_t count = 0; count < list[i].count; ++count) {
            pli_fault gauge = {0};
            pli_context *context = fault_context(&gauge, 1);
            char *cut = malloc((size_t)count + (count == 0));
            assert_non_null(cut);
            memcpy(cut, list[i].bytes, (size_t)count);
            refused += try_parse(context, &gauge, &list[i], cut, count) != PLI_OK;
            free(cut);
            pli_context_destroy(context);
            assert_int_equal(gauge.live_blocks, 0);
        }
        // most cuts fall before the mesh is complete
        if (2 * refused < list[i].count) {
            fprintf(stderr, "%s: only %lld of %lld cuts were noticed\n", list[i].name,
                    (long long)refused, (long long)list[i].count);
            fail();
        }
    }
    free_samples(list, sample_count);
}

static void any_changed_byte_is_refused_or_sound(void **state)
{
    (void)state;
    static const char values[] = {0, 1, (char)0xff, 0x7f, '0', '9', '-', ' ', '\n', '\r', '#', '$'};
    sample list[SAMPLE_CAPACITY];
    int sample_count = make_samples(list);
    for (int i = 0; i < sample_count; ++i) {
        pli_fault gauge = {0};
        pli_context *context = fault_context(&gauge, 1);
        char *bytes = malloc((size_t)list[i].count);
        assert_non_null(bytes);
        memcpy(bytes, list[i].bytes, (size_t)list[i].count);
        for (int64_t at = 0; at < list[i].count; ++at) {
            char old = bytes[at];
            for (size_t k = 0; k < sizeof values + 8; ++k) {
                int flipped = old ^ (1 << k % 8);
                bytes[at] = (char)(k < 8 ? flipped : values[k - 8]);
                (void)try_parse(context, &gauge, &list[i], bytes, list[i].count);
            }
            bytes[at] = old;
        }
        free(bytes);
        pli_context_destroy(context);
        assert_int_equal(gauge.live_blocks, 0);
    }
    free_samples(list, sample_count);
}

static void numbers_at_the_limits_are_refused_or_sound(void **state)
{
    (void)state;
    static const char *const numbers[] = {"0",
                                          "-1",
                                          "2147483647",
                                          "2147483648",
                                          "4294967296",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "1e308",
                                          "1e-320",
                                          "nan",
                                          "-0",
                                          "99999999999999999999999999"};
    sample list[SAMPLE_CAPACITY];
    int sample_count = make_samples(list);
    for (int i = 0; i < sample_count; ++i) {
        pli_fault gauge = {0};
        pli_context *context = fault_context(&gauge, 1);
        for (int64_t at = 0; at < list[i].count; ++at) {
            // every run of digits in turn
            bool digit = list[i].bytes[at] >= '0' && list[i].bytes[at] <= '9';
            bool first = at == 0 || list[i].bytes[at - 1] == ' ' || list[i].bytes[at - 1] == '\n';
            if (!digit || !first) continue;
            int64_t end = at;
            while (end < list[i].count && list[i].bytes[end] > ' ') ++end;
            for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
                byte_list out = {0};
                put(&out, list[i].bytes, at);
                put_text(&out, numbers[k]);
                put(&out, list[i].bytes + end, list[i].count - end);
                (void)try_parse(context, &gauge, &list[i], out.at, out.count);
                free(out.at);
            }
        }
        pli_context_destroy(context);
        assert_int_equal(gauge.live_blocks, 0);
    }
    free_samples(list, sample_count);
}

static void nth_allocation_fails_and_leaks_nothing(void **state)
{
    (void)state;
    sample list[SAMPLE_CAPACITY];
    int sample_count = make_samples(list);
    for (int i = 0; i < sample_count; ++i) {
        for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
            pli_mesh_file *mesh = NULL;
            sweep.status = pli_mesh_file_parse(sweep.context, "memory", list[i].ending,
                                               list[i].bytes, list[i].count, &mesh);
            assert_int_equal(mesh == NULL, sweep.status != PLI_OK);
            pli_mesh_file_destroy(mesh);
        }
    }
    free_samples(list, sample_count);
}

// many of the shortest items of a format
static byte_list repeat(const char *head, const char *item, int count, const char *tail)
{
    byte_list out = {0};
    put_text(&out, head);
    size_t length = strlen(item);
    char *items = malloc(length * (size_t)count);
    assert_non_null(items);
    for (int i = 0; i < count; ++i) memcpy(items + length * (size_t)i, item, length);
    put(&out, items, (int64_t)length * count);
    put_text(&out, tail);
    free(items);
    return out;
}

static void memory_stays_within_a_few_times_the_file(void **state)
{
    (void)state;
    enum { N = 20000 };
    static const struct {
        const char *ending;
        const char *head;
        const char *item;
        const char *tail;
    } cases[] = {
        {"obj", "", "v 0 0 0\n", ""},
        {"obj", "", "v\n", ""},
        {"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "f 1 2 3\n", ""},
        {"obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf", " 1 2 3", "\n"},
        {"off", "OFF\n20000 0 0\n", "0 0 0\n", ""},
        {"mesh",
         "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"
         "0 0 1 0\nTetrahedra 20000\n",
         "1 2 3 4 0\n", "End\n"},
        {"vtk",
         "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 int\n"
         "0 0 0\nCELLS 20000 40000\n",
         "1 0 ", "\n"},
        {"ply", "ply\nformat ascii 1.0\n", "element a 0\n", "end_header\n"},
        {"ply", "ply\nformat ascii 1.0\nelement a 0\n", "property int a\n", "end_header\n"},
        {"ply",
         "ply\nformat binary_little_endian 1.0\nelement vertex 90\nproperty char x\n"
         "property char y\nproperty char z\nelement face 1\n"
         "property list int char vertex_indices\nend_header\n",
         "123456789", ""},
        {"stl", "solid\n", SAMPLE_FACET("0 0 0", "1 0 0", "0 1 0"), "endsolid\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        pli_fault gauge = {0};
        pli_context *context = fault_context(&gauge, 1);
        byte_list content = repeat(cases[i].head, cases[i].item, N, cases[i].tail);
        sample one = {.ending = cases[i].ending};
        (void)try_parse(context, &gauge, &one, content.at, content.count);
        free(content.at);
        pli_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_a_sample),
        cmocka_unit_test(file_cut_at_any_byte_is_refused_or_sound),
        cmocka_unit_test(any_changed_byte_is_refused_or_sound),
        cmocka_unit_test(numbers_at_the_limits_are_refused_or_sound),
        cmocka_unit_test(nth_allocation_fails_and_leaks_nothing),
        cmocka_unit_test(memory_stays_within_a_few_times_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
