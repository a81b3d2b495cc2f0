// SPDX-License-Identifier: Apache-2.0
//
// Geomview's .off in text: a word such as OFF, the numbers of vertices, faces and edges, then a
// line for each vertex and "n a b c ..." for each face, counted from 0. The word may be missing.
// Its letters before OFF say what stands on a vertex's line besides x y z, in this order: N a
// normal of three numbers, C a colour of three or four from 0 to 255 or 0 to 1, ST two coordinates
// of a texture. These are read past, but must be there. 4OFF (a fourth coordinate w, by which the
// others are divided) and nOFF (any dimension) are refused. What follows on a face's line is a
// colour.
#include "io/mesh/mesh_format.h"

typedef struct word_kind {
    const char *word;
    int32_t extra;   // numbers that each vertex has after its coordinates, a colour not counted
    bool has_color;  // of three or four numbers
    const char *all; // what a vertex's line holds, for messages
} word_kind;

// Files of other programs have C without colours, which the format lets a reader guess; a normal or
// a place in a texture cannot be guessed.
static const word_kind kinds[] = {
    {"OFF", 0, false, "x y z"},
    {"COFF", 0, true, "x y z r g b a"},
    {"NOFF", 3, false, "x y z nx ny nz"},
    {"CNOFF", 3, true, "x y z nx ny nz r g b a"},
    {"NCOFF", 3, true, "x y z nx ny nz r g b a"},
    {"STOFF", 2, false, "x y z s t"},
    {"STCOFF", 2, true, "x y z r g b a s t"},
    {"STNOFF", 5, false, "x y z nx ny nz s t"},
    {"STCNOFF", 5, true, "x y z nx ny nz r g b a s t"},
};

// The word at the start; the counts may follow it directly.
static pli_span find_word(const pli_scan *scan)
{
    const char *c = scan->next;
    while (c < scan->end && ((*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z'))) ++c;
    return (pli_span){scan->next, c - scan->next};
}

// NULL when the word is none of the format. Upper and lower case are the same, but for the n of a
// dimension before upper-case letters.
static const word_kind *find_kind(pli_span word)
{
    if (word.length == 0) return &kinds[0];
    bool has_dimension = word.length > 3 && memcmp(word.text + word.length - 4, "nOFF", 4) == 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !has_dimension; ++i) {
        if (pli_span_is(word, kinds[i].word)) return &kinds[i];
    }
    return NULL;
}

static pli_status read_vertex(pli_mesh_builder *builder, pli_scan *scan, const word_kind *kind)
{
    double point[3];
    PLI_TRY(pli_scan_reals(scan, "a coordinate of a vertex", 3, point));
    PLI_TRY(pli_mesh_builder_add_point(builder, scan, point));
    int32_t least = kind->extra + (kind->has_color ? 3 : 0);
    for (int32_t i = 0; i < least; ++i) {
        double unused = 0;
        if (!pli_scan_has_value(scan)) {
            return PLI_SCAN_FAIL(scan,
                                 "vertex %d has %d numbers; after the word %s at the head at least "
                                 "%d are needed: %s",
                                 builder->point_count - 1, 3 + i, kind->word, 3 + least, kind->all);
        }
        PLI_TRY(pli_scan_real(scan, "a number of a vertex", &unused));
    }
    return PLI_OK;
}

static pli_status read_face(pli_mesh_builder *builder, pli_scan *scan)
{
    int64_t corner_count = 0;
    PLI_TRY(pli_scan_count(scan, "corners of a face", 2, &corner_count));
    pli_mesh_polygon polygon = {.group = -1};
    for (int64_t i = 0; i < corner_count; ++i) {
        int32_t corner = 0;
        PLI_TRY(pli_mesh_builder_scan_corner(builder, scan, 0, &corner));
        PLI_TRY(pli_mesh_polygon_add(&polygon, builder, corner));
    }
    return pli_mesh_polygon_end(&polygon, builder, scan);
}

// Ends a line whose further values do not matter, and goes to the next one that is not blank.
static void end_item(pli_scan *scan)
{
    (void)pli_scan_rest_of_line(scan);
    (void)pli_scan_skip_blank(scan);
}

static pli_status read_word(pli_scan *scan, const word_kind **kind)
{
    pli_span word = find_word(scan);
    *kind = find_kind(word);
    // a four between the letters, and a count right after the word, as in OFF3
    bool four = word.text + word.length < scan->end && word.text[word.length] == '4' &&
                pli_scan_left(scan) - word.length > 3 &&
                (pli_span_starts((pli_span){word.text + word.length + 1, 3}, "OFF") ||
                 pli_span_starts((pli_span){word.text + word.length + 1, 3}, "nOF"));
    if (*kind == NULL || four) {
        return pli_scan_fail_word(scan, "the first word",
                                  "'OFF', or one with C, N or ST before it, for vertices of three "
                                  "coordinates,");
    }
    scan->next += word.length;
    return PLI_OK;
}

static pli_status read_off(pli_mesh_builder *builder, pli_scan *scan)
{
    scan->comment = '#';
    (void)pli_scan_skip_blank(scan);
    const word_kind *kind = NULL;
    PLI_TRY(read_word(scan, &kind));
    (void)pli_scan_skip_blank(scan);
    scan->by_lines = true;
    if (pli_scan_accept(scan, "BINARY")) {
        return PLI_SCAN_FAIL(scan, "binary OFF is not read; save it as text");
    }

    // the number of edges is often wrong or missing, and nothing needs it
    int64_t point_count = 0;
    int64_t face_count = 0;
    PLI_TRY(pli_scan_count(scan, "vertices", 6, &point_count));
    PLI_TRY(pli_scan_count(scan, "faces", 2, &face_count));
    end_item(scan);
    PLI_TRY(pli_mesh_builder_reserve_points(builder, point_count));
    for (int64_t i = 0; i < point_count; ++i) {
        PLI_TRY(read_vertex(builder, scan, kind));
        end_item(scan);
    }
    for (int64_t i = 0; i < face_count; ++i) {
        PLI_TRY(read_face(builder, scan));
        end_item(scan);
    }
    if (!pli_scan_skip_blank(scan)) return PLI_OK;
    return pli_scan_fail_word(scan, "the end of the file after the last face that its head counts",
                              "nothing more");
}

static bool matches_off(const char *bytes, int64_t count)
{
    pli_scan scan;
    pli_scan_init(&scan, NULL, "", bytes, count);
    scan.comment = '#';
    (void)pli_scan_skip_blank(&scan);
    pli_span word = find_word(&scan);
    return word.length > 0 && find_kind(word) != NULL;
}

const pli_mesh_format pli_mesh_format_off = {"OFF", {"off"}, matches_off, read_off};
