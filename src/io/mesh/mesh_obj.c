// SPDX-License-Identifier: Apache-2.0
//
// Wavefront .obj: lines "v x y z" and "f a b c ...", where a corner is "v", "v/vt", "v//vn" or
// "v/vt/vn", counted from 1, or from the newest vertex backwards as -1, -2, ... A face may refer to
// vertices further down. The last "g" or "o" before a face names its group.
// A colour behind a vertex, "v x y z r g b", goes to the array "color". Texture, normals,
// materials, curves, lines and points are left out.
#include "io/mesh/mesh_arrays.h"
#include "io/mesh/mesh_format.h"

#include "base/number.h"

// Counts the vertices of the whole file, so that faces can be checked where they stand.
static int64_t count_vertices(pli_scan scan)
{
    int64_t count = 0;
    while (pli_scan_skip_blank(&scan)) {
        count += pli_scan_accept(&scan, "v");
        (void)pli_scan_rest_of_line(&scan);
    }
    return count;
}

// The colour of the newest vertex into the array "color".
static pli_status add_color(pli_mesh_builder *builder, int64_t vertices_in_file,
                            const double color[3], double **colors)
{
    if (*colors == NULL) {
        PLI_TRY(pli_mesh_arrays_add(builder, (pli_span){"color", 5}, PLI_MESH_POINTS, 3,
                                    vertices_in_file, colors));
    }
    memcpy(*colors + 3 * ((int64_t)builder->point_count - 1), color, 3 * sizeof *color);
    return PLI_OK;
}

// "v x y z", which a weight or a colour may follow.
static pli_status read_vertex(pli_mesh_builder *builder, pli_scan *scan, int64_t vertices_in_file,
                              double **colors)
{
    double point[3];
    double color[3];
    int32_t count = 0;
    PLI_TRY(pli_scan_reals(scan, "a coordinate of a vertex", 3, point));
    PLI_TRY(pli_mesh_builder_add_point(builder, scan, point));
    for (double extra = 0; pli_scan_has_value(scan); ++count) {
        PLI_TRY(pli_scan_real(scan, "a weight or colour of a vertex", &extra));
        if (count < 3) color[count] = extra;
    }
    bool is_counted = builder->point_count <= vertices_in_file;
    return count >= 3 && is_counted ? add_color(builder, vertices_in_file, color, colors) : PLI_OK;
}

// Whether the word goes on from c as "", "/3", "//4" or "/3/4" do, also with empty numbers.
static bool has_corner_tail(const char *c, const char *end)
{
    int64_t unused = 0;
    for (int slash = 0; slash < 2 && c < end && *c == '/'; ++slash) {
        c = pli_integer_parse(c + 1, end, &unused);
    }
    return c == end;
}

// One corner of a face.
static pli_status read_corner(const pli_mesh_builder *builder, pli_scan *scan,
                              int64_t vertices_in_file, int32_t *corner)
{
    pli_span word;
    int64_t number = 0;
    PLI_TRY(pli_scan_word(scan, "a corner of a face", &word));
    const char *end = word.text + word.length;
    const char *stop = pli_integer_parse(word.text, end, &number);
    if (stop == word.text || !has_corner_tail(stop, end)) {
        return pli_scan_fail_word(scan, "a corner of a face", "a number, or numbers like 1/2/3,");
    }
    int64_t index = number > 0 ? number - 1 : builder->point_count + number;
    if (number == 0 || index < 0 || index >= vertices_in_file) {
        return PLI_SCAN_FAIL(scan,
                             "a face refers to vertex %lld; 1 to %lld are allowed, or -1 to %d "
                             "backwards from here",
                             (long long)number, (long long)vertices_in_file, -builder->point_count);
    }
    *corner = (int32_t)index;
    return PLI_OK;
}

static pli_status read_face(pli_mesh_builder *builder, pli_scan *scan, int64_t vertices_in_file,
                            pli_pending_group *group)
{
    pli_mesh_polygon polygon = {0};
    PLI_TRY(pli_pending_group_get(group, builder, &polygon.group));
    while (pli_scan_has_value(scan)) {
        int32_t corner = 0;
        PLI_TRY(read_corner(builder, scan, vertices_in_file, &corner));
        PLI_TRY(pli_mesh_polygon_add(&polygon, builder, corner));
    }
    return pli_mesh_polygon_end(&polygon, builder, scan);
}

static bool is_other_word(pli_span word)
{
    static const char *const others[] = {
        "vt",    "vn",     "vp",       "s",        "l",    "p",          "mtllib",    "usemtl",
        "mg",    "maplib", "usemap",   "cstype",   "deg",  "bmat",       "step",      "curv",
        "curv2", "surf",   "parm",     "trim",     "hole", "scrv",       "sp",        "end",
        "con",   "bevel",  "c_interp", "d_interp", "lod",  "shadow_obj", "trace_obj", "ctech",
        "stech", "call",   "csh",      NULL};
    for (const char *const *other = others; *other != NULL; ++other) {
        if (pli_span_is(word, *other)) return true;
    }
    return false;
}

static pli_status read_obj(pli_mesh_builder *builder, pli_scan *scan)
{
    scan->by_lines = true;
    scan->continued = true;
    scan->comment = '#';
    int64_t vertices_in_file = count_vertices(*scan);
    // the shortest vertex is "v 0 0 0\n"
    int64_t fitting = pli_scan_left(scan) / 8 + 1;
    PLI_TRY(pli_mesh_builder_reserve_points(builder, vertices_in_file < fitting ? vertices_in_file
                                                                                : fitting));

    double *colors = NULL;
    pli_pending_group group = {0};
    while (pli_scan_skip_blank(scan)) {
        pli_span word;
        PLI_TRY(pli_scan_word(scan, "a statement", &word));
        if (pli_span_is(word, "v")) {
            PLI_TRY(read_vertex(builder, scan, vertices_in_file, &colors));
        } else if (pli_span_is(word, "f") || pli_span_is(word, "fo")) {
            PLI_TRY(read_face(builder, scan, vertices_in_file, &group));
        } else if (pli_span_is(word, "g") || pli_span_is(word, "o")) {
            group = (pli_pending_group){.name = pli_scan_rest_of_line(scan)};
        } else if (is_other_word(word)) {
            (void)pli_scan_rest_of_line(scan);
        } else {
            return pli_scan_fail_word(scan, "a statement",
                                      "'v', 'f' or another word of the format");
        }
    }
    if (builder->point_count == vertices_in_file) return PLI_OK;
    return PLI_SCAN_FAIL(scan, "%lld vertices were counted, but %d read; one 'v' a line is needed",
                         (long long)vertices_in_file, builder->point_count);
}

static bool matches_obj(const char *bytes, int64_t count)
{
    static const char *const starts[] = {"v", "vn", "vt", "f", "o", "g", "mtllib", "usemtl", NULL};
    pli_scan scan;
    pli_scan_init(&scan, NULL, "", bytes, count);
    scan.comment = '#';
    for (const char *const *start = starts; *start != NULL; ++start) {
        if (pli_scan_accept(&scan, *start)) return true;
    }
    return false;
}

const pli_mesh_format pli_mesh_format_obj = {"Wavefront OBJ", {"obj"}, matches_obj, read_obj};
