// SPDX-License-Identifier: Apache-2.0
#include "io/mesh/mesh_gmsh.h"

pli_status pli_gmsh2_read_nodes(pli_gmsh *gmsh)
{
    // the shortest node is "1 0 0 0\n" in text
    int64_t count = 0;
    PLI_TRY(pli_scan_end_line(gmsh->scan));
    PLI_TRY(pli_scan_count(gmsh->scan, "nodes", gmsh->binary ? 28 : 8, &count));
    PLI_TRY(pli_gmsh_begin_numbers(gmsh));
    PLI_TRY(pli_mesh_builder_reserve_points(gmsh->builder, count));
    for (int64_t i = 0; i < count; ++i) {
        int64_t tag = 0;
        double point[3];
        PLI_TRY(pli_gmsh_read_int(gmsh, "the tag of a node", &tag));
        PLI_TRY(pli_gmsh_add_tag(gmsh, tag));
        PLI_TRY(pli_gmsh_read_reals(gmsh, "a coordinate of a node", 3, point));
        PLI_TRY(pli_mesh_builder_add_point(gmsh->builder, gmsh->scan, point));
        PLI_TRY(pli_gmsh_end_record(gmsh));
    }
    pli_scan_end_binary(gmsh->scan);
    return PLI_OK;
}

// Reads an element's tags, of which the first is the physical group, and its nodes.
static pli_status read_tags_and_nodes(pli_gmsh *gmsh, const pli_gmsh_type *type, int64_t number,
                                      int64_t tag_count)
{
    int64_t physical = 0;
    for (int64_t i = 0; i < tag_count; ++i) {
        int64_t tag = 0;
        PLI_TRY(pli_gmsh_read_int(gmsh, "a tag of an element", &tag));
        if (i == 0) physical = tag;
    }
    // points and lines make no group of the mesh
    int32_t group = -1;
    if (type->kind != PLI_GMSH_SKIPPED) {
        PLI_TRY(pli_gmsh_find_group(gmsh, type->dimension, physical, &group));
    }
    return pli_gmsh_read_cell(gmsh, type, number, group);
}

// "number type tag_count tags... nodes..."
static pli_status read_text_element(pli_gmsh *gmsh)
{
    int64_t number = 0;
    int64_t type_number = 0;
    int64_t tag_count = 0;
    const pli_gmsh_type *type = NULL;
    PLI_TRY(pli_gmsh_read_int(gmsh, "the number of an element", &number));
    PLI_TRY(pli_gmsh_read_int(gmsh, "the type of an element", &type_number));
    PLI_TRY(pli_gmsh_find_type(gmsh, type_number, &type));
    PLI_TRY(
        pli_scan_integer(gmsh->scan, "the number of an element's tags", 0, INT32_MAX, &tag_count));
    PLI_TRY(read_tags_and_nodes(gmsh, type, number, tag_count));
    return pli_gmsh_end_record(gmsh);
}

// A head "type count tag_count", then count times "number tags... nodes...".
static pli_status read_binary_block(pli_gmsh *gmsh, int64_t most, int64_t *count)
{
    int64_t type_number = 0;
    int64_t tag_count = 0;
    const pli_gmsh_type *type = NULL;
    PLI_TRY(pli_gmsh_read_int(gmsh, "the type of elements", &type_number));
    PLI_TRY(pli_gmsh_find_type(gmsh, type_number, &type));
    PLI_TRY(pli_gmsh_read_int(gmsh, "the number of elements of this type", count));
    PLI_TRY(pli_gmsh_read_int(gmsh, "the number of tags", &tag_count));
    if (*count < 1 || *count > most || tag_count < 0) {
        return PLI_SCAN_FAIL(gmsh->scan,
                             "a block announces %lld elements with %lld tags each; at most %lld "
                             "elements are left to come",
                             (long long)*count, (long long)tag_count, (long long)most);
    }
    PLI_TRY(pli_scan_check_count(gmsh->scan, "elements", 4 * (1 + tag_count + type->node_count),
                                 *count));
    if (type->kind == PLI_GMSH_TETRAHEDRON) {
        PLI_TRY(pli_mesh_builder_reserve_cells(gmsh->builder, &gmsh->builder->tets, *count));
    }
    for (int64_t i = 0; i < *count; ++i) {
        int64_t number = 0;
        PLI_TRY(pli_gmsh_read_int(gmsh, "the number of an element", &number));
        PLI_TRY(read_tags_and_nodes(gmsh, type, number, tag_count));
    }
    return PLI_OK;
}

pli_status pli_gmsh2_read_elements(pli_gmsh *gmsh)
{
    // the shortest element is the point "1 15 0 1\n" in text
    int64_t count = 0;
    PLI_TRY(pli_scan_end_line(gmsh->scan));
    PLI_TRY(pli_scan_count(gmsh->scan, "elements", 8, &count));
    PLI_TRY(pli_gmsh_begin_numbers(gmsh));
    for (int64_t done = 0; done < count;) {
        int64_t read = 1;
        if (gmsh->binary) {
            PLI_TRY(read_binary_block(gmsh, count - done, &read));
        } else {
            PLI_TRY(read_text_element(gmsh));
        }
        done += read;
    }
    pli_scan_end_binary(gmsh->scan);
    return PLI_OK;
}
