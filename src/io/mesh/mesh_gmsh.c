// SPDX-License-Identifier: Apache-2.0
#include "io/mesh/mesh_gmsh.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>

// ---- values ----

pli_status pli_gmsh_read_int(pli_gmsh *gmsh, const char *what, int64_t *value)
{
    return pli_scan_whole_value(gmsh->scan, what, PLI_SCALAR_I32, INT32_MIN, INT32_MAX, value);
}

pli_status pli_gmsh_read_size(pli_gmsh *gmsh, const char *what, int64_t *value)
{
    return pli_scan_whole_value(gmsh->scan, what, PLI_SCALAR_U64, 0, INT64_MAX, value);
}

pli_status pli_gmsh_read_reals(pli_gmsh *gmsh, const char *what, int32_t count, double *values)
{
    if (!gmsh->scan->binary) return pli_scan_reals(gmsh->scan, what, count, values);
    const char *bytes = NULL;
    PLI_TRY(pli_scan_take(gmsh->scan, what, 8 * (int64_t)count, &bytes));
    for (int32_t i = 0; i < count; ++i) {
        values[i] = pli_scalar_load_real(PLI_SCALAR_F64, bytes + 8 * i, gmsh->scan->big_endian);
    }
    return PLI_OK;
}

pli_status pli_gmsh_end_record(pli_gmsh *gmsh)
{
    return gmsh->scan->binary ? PLI_OK : pli_scan_end_line(gmsh->scan);
}

pli_status pli_gmsh_begin_numbers(pli_gmsh *gmsh)
{
    return gmsh->binary ? pli_scan_begin_binary(gmsh->scan) : pli_scan_end_line(gmsh->scan);
}

// ---- nodes ----

// Puts the tags that counted up by one so far into the table.
static pli_status fill_table(pli_gmsh *gmsh)
{
    PLI_TRY(pli_key_map_reserve(&gmsh->nodes, gmsh->builder->point_capacity));
    for (int64_t i = 0; i < gmsh->node_count; ++i) {
        int64_t tag = gmsh->first_tag + i;
        int32_t index = 0;
        bool added = false;
        PLI_TRY(pli_key_map_add(&gmsh->nodes, &tag, &index, &added));
    }
    gmsh->scattered = true;
    return PLI_OK;
}

pli_status pli_gmsh_add_tag(pli_gmsh *gmsh, int64_t tag)
{
    if (gmsh->node_count == 0) gmsh->first_tag = tag;
    if (!gmsh->scattered && tag - gmsh->first_tag != gmsh->node_count) PLI_TRY(fill_table(gmsh));
    if (gmsh->scattered) {
        int32_t index = 0;
        bool added = false;
        PLI_TRY(pli_key_map_add(&gmsh->nodes, &tag, &index, &added));
        if (!added) {
            return PLI_SCAN_FAIL(gmsh->scan,
                                 "the node tag %lld appears a second time; every node "
                                 "needs its own",
                                 (long long)tag);
        }
    }
    ++gmsh->node_count;
    return PLI_OK;
}

int64_t pli_gmsh_find_node(const pli_gmsh *gmsh, int64_t tag)
{
    if (gmsh->scattered) return pli_key_map_find(&gmsh->nodes, &tag);
    bool is_known = tag >= gmsh->first_tag && tag - gmsh->first_tag < gmsh->node_count;
    return is_known ? tag - gmsh->first_tag : -1;
}

static pli_status find_node(const pli_gmsh *gmsh, int64_t tag, int32_t *index)
{
    int64_t found = pli_gmsh_find_node(gmsh, tag);
    if (found < 0) {
        return PLI_SCAN_FAIL(gmsh->scan,
                             "an element refers to node %lld; $Nodes has %lld nodes and none with "
                             "this tag",
                             (long long)tag, (long long)gmsh->node_count);
    }
    *index = (int32_t)found;
    return PLI_OK;
}

// ---- groups ----

pli_status pli_gmsh_find_group(pli_gmsh *gmsh, int64_t dimension, int64_t tag, int32_t *group)
{
    // a negative tag means the group with the orientation turned
    pli_gmsh_key key = {dimension, tag < 0 ? -tag : tag};
    *group = -1;
    if (key.tag == 0) return PLI_OK;
    if (key.tag != gmsh->last_key.tag || key.dimension != gmsh->last_key.dimension) {
        int32_t found = pli_key_map_find(&gmsh->physicals, &key);
        if (found >= 0 && gmsh->names[found].length > 0) {
            PLI_TRY(pli_mesh_builder_group(gmsh->builder, gmsh->names[found], &gmsh->last_group));
        } else {
            PLI_TRY(pli_mesh_builder_group_number(gmsh->builder, key.tag, &gmsh->last_group));
        }
        gmsh->last_key = key;
    }
    *group = gmsh->last_group;
    return PLI_OK;
}

// What stands between the quotes of `3 1 "name"`; a name without quotes is taken as it is.
static pli_span strip_quotes(pli_span text)
{
    if (text.length >= 2 && text.text[0] == '"' && text.text[text.length - 1] == '"') {
        return (pli_span){text.text + 1, text.length - 2};
    }
    return text;
}

// Text in binary files too.
static pli_status read_physical_names(pli_gmsh *gmsh)
{
    int64_t count = 0;
    PLI_TRY(pli_scan_end_line(gmsh->scan));
    PLI_TRY(pli_scan_count(gmsh->scan, "physical names", 6, &count));
    PLI_TRY(pli_scan_end_line(gmsh->scan));
    if (gmsh->names != NULL) {
        return PLI_SCAN_FAIL(gmsh->scan, "$PhysicalNames appears a second time; one is enough");
    }
    PLI_TRY(PLI_MAKE(gmsh->builder->context, gmsh->names, count, "physical names"));

    for (int64_t i = 0; i < count; ++i) {
        pli_gmsh_key key;
        PLI_TRY(pli_scan_integer(gmsh->scan, "the dimension of a group", 0, 3, &key.dimension));
        PLI_TRY(pli_scan_integer(gmsh->scan, "the tag of a group", 0, INT32_MAX, &key.tag));
        pli_span name = strip_quotes(pli_scan_rest_of_line(gmsh->scan));
        (void)pli_scan_skip_blank(gmsh->scan);
        int32_t index = 0;
        bool added = false;
        PLI_TRY(pli_key_map_add(&gmsh->physicals, &key, &index, &added));
        gmsh->names[index] = name;
    }
    return PLI_OK;
}

// ---- elements ----

// by Gmsh's number of the type
static const pli_gmsh_type types[] = {
    [1] = {PLI_GMSH_SKIPPED, 2, 0, 1},       [2] = {PLI_GMSH_TRIANGLE, 3, 3, 2},
    [3] = {PLI_GMSH_QUADRANGLE, 4, 4, 2},    [4] = {PLI_GMSH_TETRAHEDRON, 4, 4, 3},
    [5] = {PLI_GMSH_REFUSED, 8, 0, 3},       [6] = {PLI_GMSH_REFUSED, 6, 0, 3},
    [7] = {PLI_GMSH_REFUSED, 5, 0, 3},       [8] = {PLI_GMSH_SKIPPED, 3, 0, 1},
    [9] = {PLI_GMSH_TRIANGLE, 6, 3, 2},      [10] = {PLI_GMSH_QUADRANGLE, 9, 4, 2},
    [11] = {PLI_GMSH_TETRAHEDRON, 10, 4, 3}, [12] = {PLI_GMSH_REFUSED, 27, 0, 3},
    [13] = {PLI_GMSH_REFUSED, 18, 0, 3},     [14] = {PLI_GMSH_REFUSED, 14, 0, 3},
    [15] = {PLI_GMSH_SKIPPED, 1, 0, 0},      [16] = {PLI_GMSH_QUADRANGLE, 8, 4, 2},
    [17] = {PLI_GMSH_REFUSED, 20, 0, 3},     [18] = {PLI_GMSH_REFUSED, 15, 0, 3},
    [19] = {PLI_GMSH_REFUSED, 13, 0, 3},     [20] = {PLI_GMSH_TRIANGLE, 9, 3, 2},
    [21] = {PLI_GMSH_TRIANGLE, 10, 3, 2},    [22] = {PLI_GMSH_TRIANGLE, 12, 3, 2},
    [23] = {PLI_GMSH_TRIANGLE, 15, 3, 2},    [24] = {PLI_GMSH_TRIANGLE, 15, 3, 2},
    [25] = {PLI_GMSH_TRIANGLE, 21, 3, 2},    [26] = {PLI_GMSH_SKIPPED, 4, 0, 1},
    [27] = {PLI_GMSH_SKIPPED, 5, 0, 1},      [28] = {PLI_GMSH_SKIPPED, 6, 0, 1},
    [29] = {PLI_GMSH_TETRAHEDRON, 20, 4, 3}, [30] = {PLI_GMSH_TETRAHEDRON, 35, 4, 3},
    [31] = {PLI_GMSH_TETRAHEDRON, 56, 4, 3}, [92] = {PLI_GMSH_REFUSED, 64, 0, 3},
    [93] = {PLI_GMSH_REFUSED, 125, 0, 3},
};

pli_status pli_gmsh_find_type(pli_gmsh *gmsh, int64_t number, const pli_gmsh_type **type)
{
    *type = NULL;
    int64_t count = (int64_t)(sizeof types / sizeof *types);
    if (number < 0 || number >= count || types[number].kind == PLI_GMSH_UNKNOWN) {
        return PLI_SCAN_FAIL(gmsh->scan,
                             "element type %lld is unknown; tetrahedra are 4, triangles 2",
                             (long long)number);
    }
    if (types[number].kind == PLI_GMSH_REFUSED) {
        return PLI_SCAN_FAIL(gmsh->scan,
                             "element type %lld is a hexahedron, prism or pyramid; only "
                             "tetrahedra can fill a body: mesh it with tetrahedra",
                             (long long)number);
    }
    *type = &types[number];
    return PLI_OK;
}

static pli_status add_cell(pli_gmsh *gmsh, const pli_gmsh_type *type, const int32_t *corners,
                           int32_t group)
{
    pli_mesh_builder *builder = gmsh->builder;
    if (type->kind == PLI_GMSH_TETRAHEDRON && type->node_count == 10) {
        // edges 01, 12, 02, 03, 23, 13
        const int32_t mids[6] = {corners[4], corners[5], corners[6],
                                 corners[7], corners[9], corners[8]};
        PLI_TRY(pli_mesh_builder_add_cell(builder, gmsh->scan, &builder->tets, corners, group));
        return pli_mesh_builder_add_mids(builder, gmsh->scan, mids);
    }
    builder->curved_count += type->node_count > type->corner_count;
    if (type->kind == PLI_GMSH_TETRAHEDRON) {
        return pli_mesh_builder_add_cell(builder, gmsh->scan, &builder->tets, corners, group);
    }
    pli_mesh_polygon polygon = {.group = group};
    for (int32_t i = 0; i < type->corner_count; ++i) {
        PLI_TRY(pli_mesh_polygon_add(&polygon, builder, corners[i]));
    }
    if (polygon.count == 0) return PLI_OK;
    return pli_mesh_polygon_end(&polygon, builder, gmsh->scan);
}

// Whether this is the cell before once more, for another of its groups.
static bool is_same_cell(const pli_gmsh *gmsh, const pli_gmsh_type *type, const int32_t *corners,
                         int32_t group)
{
    return gmsh->version == 22 && type == gmsh->cell_type && group != gmsh->cell_group &&
           memcmp(corners, gmsh->cell_corners, sizeof gmsh->cell_corners) == 0;
}

pli_status pli_gmsh_read_cell(pli_gmsh *gmsh, const pli_gmsh_type *type, int64_t number,
                              int32_t group)
{
    int32_t corners[10] = {0};
    bool quadratic = type->kind == PLI_GMSH_TETRAHEDRON && type->node_count == 10;
    int32_t wanted = quadratic ? 10 : type->corner_count;
    for (int32_t i = 0; i < type->node_count; ++i) {
        int64_t tag = 0;
        pli_status status = gmsh->version == 41
                                ? pli_gmsh_read_size(gmsh, "a node of an element", &tag)
                                : pli_gmsh_read_int(gmsh, "a node of an element", &tag);
        PLI_TRY(status);
        if (i < wanted) PLI_TRY(find_node(gmsh, tag, &corners[i]));
    }
    if (type->kind == PLI_GMSH_SKIPPED) return PLI_OK;
    if (is_same_cell(gmsh, type, corners, group)) {
        ++gmsh->crowded_count;
        return PLI_OK;
    }
    gmsh->cell_type = type;
    gmsh->cell_group = group;
    memcpy(gmsh->cell_corners, corners, sizeof gmsh->cell_corners);
    int32_t before[2] = {gmsh->builder->tets.count, gmsh->builder->triangles.count};
    PLI_TRY(add_cell(gmsh, type, corners, group));
    return gmsh->has_element_data ? pli_gmsh_note_element(gmsh, number, before) : PLI_OK;
}

// ---- sections ----

// "2.2 0 8": version, 0 text or 1 binary, bytes of a number. Binary: the number 1 follows.
static pli_status read_format(pli_gmsh *gmsh)
{
    pli_scan *scan = gmsh->scan;
    double version = 0;
    int64_t binary = 0;
    int64_t size = 0;
    if (gmsh->version != 0) {
        return PLI_SCAN_FAIL(scan, "$MeshFormat appears a second time; one is enough");
    }
    PLI_TRY(pli_scan_end_line(scan));
    PLI_TRY(pli_scan_real(scan, "the version of the format", &version));
    if (version >= 2 && version < 3) gmsh->version = 22;
    if (fabs(version - 4.1) < 1e-6) gmsh->version = 41;
    if (gmsh->version == 0) {
        return PLI_SCAN_FAIL(scan, "version %g of the format is not read; save it as 2.2 or 4.1",
                             version);
    }
    PLI_TRY(pli_scan_integer(scan, "the kind of file (0 text, 1 binary)", 0, 1, &binary));
    PLI_TRY(pli_scan_integer(scan, "the size of a number", 8, 8, &size));
    gmsh->binary = binary == 1;
    PLI_TRY(pli_gmsh_begin_numbers(gmsh));
    if (!gmsh->binary) return PLI_OK;

    int64_t one = 0;
    PLI_TRY(pli_gmsh_read_int(gmsh, "the number 1 that shows the byte order", &one));
    scan->big_endian = one == 1 << 24;
    if (one != 1 && !scan->big_endian) {
        return PLI_SCAN_FAIL(scan,
                             "found %lld where the number 1 shows the byte order; this is "
                             "neither order",
                             (long long)one);
    }
    pli_scan_end_binary(gmsh->scan);
    return PLI_OK;
}

static pli_status read_nodes(pli_gmsh *gmsh)
{
    if (gmsh->has_nodes) {
        return PLI_SCAN_FAIL(gmsh->scan, "$Nodes appears a second time; one is enough");
    }
    gmsh->has_nodes = true;
    return gmsh->version == 41 ? pli_gmsh4_read_nodes(gmsh) : pli_gmsh2_read_nodes(gmsh);
}

static pli_status read_elements(pli_gmsh *gmsh)
{
    if (!gmsh->has_nodes) {
        return PLI_SCAN_FAIL(gmsh->scan, "$Elements comes before $Nodes; it must come after");
    }
    gmsh->has_elements = true;
    return gmsh->version == 41 ? pli_gmsh4_read_elements(gmsh) : pli_gmsh2_read_elements(gmsh);
}

// Goes to "$EndName" of a section that is not needed.
static pli_status skip_section(pli_gmsh *gmsh, const char *end_word)
{
    pli_scan *scan = gmsh->scan;
    const char *end = memmem(scan->next, (size_t)pli_scan_left(scan), end_word, strlen(end_word));
    if (end == NULL) {
        return PLI_SCAN_FAIL(scan, "this section does not end; '%s' is needed", end_word);
    }
    scan->next = end;
    return PLI_OK;
}

// '$' and some letters or digits.
static bool is_section_name(pli_span word)
{
    if (word.length < 2 || word.length > 60 || word.text[0] != '$') return false;
    for (int64_t i = 1; i < word.length; ++i) {
        char c = word.text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter && !(c >= '0' && c <= '9')) return false;
    }
    return !pli_span_starts(word, "$End");
}

static pli_status read_section(pli_gmsh *gmsh)
{
    pli_span word;
    PLI_TRY(pli_scan_word(gmsh->scan, "a section", &word));
    if (!is_section_name(word)) {
        return pli_scan_fail_word(gmsh->scan, "the start of a section", "a word like '$Nodes'");
    }
    char end_word[80];
    snprintf(end_word, sizeof end_word, "$End%.*s", (int)word.length - 1, word.text + 1);

    bool comment = pli_span_is(word, "$Comments");
    pli_status status = PLI_OK;
    if (gmsh->version == 0 && !comment && !pli_span_is(word, "$MeshFormat")) {
        return pli_scan_fail_word(gmsh->scan, "the first section", "'$MeshFormat'");
    }
    if (pli_span_is(word, "$MeshFormat")) {
        status = read_format(gmsh);
    } else if (pli_span_is(word, "$PhysicalNames")) {
        status = read_physical_names(gmsh);
    } else if (pli_span_is(word, "$Entities") && gmsh->version == 41) {
        status = pli_gmsh4_read_entities(gmsh);
    } else if (pli_span_is(word, "$Nodes")) {
        status = read_nodes(gmsh);
    } else if (pli_span_is(word, "$Elements")) {
        status = read_elements(gmsh);
    } else if (pli_span_is(word, "$NodeData") && gmsh->has_nodes) {
        status = pli_gmsh_read_data(gmsh, true);
    } else if (pli_span_is(word, "$ElementData") && gmsh->has_elements) {
        status = pli_gmsh_read_data(gmsh, false);
    } else {
        status = skip_section(gmsh, end_word);
    }
    PLI_TRY(status);
    PLI_TRY(pli_scan_expect(gmsh->scan, end_word,
                            "the end of the section, after all that it announces,"));
    return pli_scan_end_line(gmsh->scan);
}

static pli_status read_sections(pli_gmsh *gmsh)
{
    while (pli_scan_skip_blank(gmsh->scan)) PLI_TRY(read_section(gmsh));
    if (!gmsh->has_nodes || !gmsh->has_elements) {
        return PLI_SCAN_FAIL(gmsh->scan, "the file ends without %s; the file is cut short",
                             gmsh->has_nodes ? "$Elements" : "$Nodes");
    }
    if (gmsh->crowded_count > 0) {
        PLI_LOG(gmsh->builder->context, PLI_LOG_WARNING,
                "%s: %lld %s belong to further physical groups; the first of each is used",
                gmsh->scan->source, (long long)gmsh->crowded_count,
                gmsh->version == 41 ? "entities" : "cells");
    }
    return PLI_OK;
}

static pli_status read_gmsh(pli_mesh_builder *builder, pli_scan *scan)
{
    pli_context *context = builder->context;
    pli_gmsh gmsh = {.builder = builder, .scan = scan};
    scan->by_lines = true;
    pli_key_map_init(&gmsh.nodes, context, sizeof(int64_t));
    pli_key_map_init(&gmsh.physicals, context, sizeof(pli_gmsh_key));
    pli_key_map_init(&gmsh.entities, context, sizeof(pli_gmsh_key));
    pli_key_map_init(&gmsh.elements, context, sizeof(int64_t));
    static const char data[] = "$ElementData";
    gmsh.has_element_data =
        memmem(scan->next, (size_t)pli_scan_left(scan), data, sizeof data - 1) != NULL;

    pli_status status = read_sections(&gmsh);

    PLI_RELEASE(context, gmsh.entity_groups, gmsh.names, gmsh.element_cells);
    pli_key_map_clear(&gmsh.elements);
    pli_key_map_clear(&gmsh.entities);
    pli_key_map_clear(&gmsh.physicals);
    pli_key_map_clear(&gmsh.nodes);
    return status;
}

static bool matches_gmsh(const char *bytes, int64_t count)
{
    pli_scan scan;
    pli_scan_init(&scan, NULL, "", bytes, count);
    return pli_scan_accept(&scan, "$MeshFormat") || pli_scan_accept(&scan, "$Comments");
}

const pli_mesh_format pli_mesh_format_gmsh = {"Gmsh", {"msh"}, matches_gmsh, read_gmsh};
