// SPDX-License-Identifier: Apache-2.0
#include "io/mesh/mesh_gmsh.h"

#include "base/memory.h"

// The lists "count value..." of an entity: the groups it belongs to, the entities that bound it.
static pli_status read_list(pli_gmsh *gmsh, const char *what, int64_t *count, int64_t *first)
{
    *first = 0;
    PLI_TRY(pli_gmsh_read_size(gmsh, what, count));
    for (int64_t i = 0; i < *count; ++i) {
        int64_t value = 0;
        PLI_TRY(pli_gmsh_read_int(gmsh, what, &value));
        if (i == 0) *first = value;
    }
    return PLI_OK;
}

// "tag box... groups [bounds]"; a point has a position in place of a box and nothing that bounds
// it.
static pli_status read_entity(pli_gmsh *gmsh, int64_t dimension)
{
    pli_gmsh_key key = {.dimension = dimension};
    double box[6];
    int64_t physical = 0;
    int64_t group_count = 0;
    PLI_TRY(pli_gmsh_read_int(gmsh, "the tag of an entity", &key.tag));
    PLI_TRY(pli_gmsh_read_reals(gmsh, "a coordinate of an entity", dimension == 0 ? 3 : 6, box));
    PLI_TRY(read_list(gmsh, "the physical groups of an entity", &group_count, &physical));
    if (dimension > 0) {
        int64_t bound_count = 0;
        int64_t bound = 0;
        PLI_TRY(read_list(gmsh, "the bounds of an entity", &bound_count, &bound));
    }
    PLI_TRY(pli_gmsh_end_record(gmsh));
    if (dimension < 2) return PLI_OK;

    int32_t index = 0;
    bool added = false;
    PLI_TRY(pli_key_map_add(&gmsh->entities, &key, &index, &added));
    gmsh->entity_groups[index] = physical;
    gmsh->crowded_count += group_count > 1;
    return PLI_OK;
}

pli_status pli_gmsh4_read_entities(pli_gmsh *gmsh)
{
    int64_t counts[4];
    PLI_TRY(pli_gmsh_begin_numbers(gmsh));
    for (int32_t dimension = 0; dimension < 4; ++dimension) {
        // the shortest entity is the point "1 0 0 0 0\n" in text
        PLI_TRY(pli_gmsh_read_size(gmsh, "the number of entities", &counts[dimension]));
        PLI_TRY(pli_scan_check_count(gmsh->scan, "entities", gmsh->binary ? 36 : 10,
                                     counts[dimension]));
    }
    PLI_TRY(pli_gmsh_end_record(gmsh));
    if (gmsh->entity_groups != NULL) {
        return PLI_SCAN_FAIL(gmsh->scan, "$Entities appears a second time; one is enough");
    }
    PLI_TRY(PLI_MAKE(gmsh->builder->context, gmsh->entity_groups, counts[2] + counts[3],
                     "groups of entities"));
    for (int32_t dimension = 0; dimension < 4; ++dimension) {
        for (int64_t i = 0; i < counts[dimension]; ++i) PLI_TRY(read_entity(gmsh, dimension));
    }
    pli_scan_end_binary(gmsh->scan);
    return PLI_OK;
}

// What both $Nodes and $Elements begin with.
typedef struct totals {
    int64_t block_count;
    int64_t item_count;
} totals;

static pli_status read_totals(pli_gmsh *gmsh, const char *items, int64_t min_bytes, totals *total)
{
    int64_t range[2]; // smallest and largest tag; nothing here needs them
    PLI_TRY(pli_gmsh_begin_numbers(gmsh));
    PLI_TRY(pli_gmsh_read_size(gmsh, "the number of blocks", &total->block_count));
    PLI_TRY(pli_gmsh_read_size(gmsh, "the number of items", &total->item_count));
    PLI_TRY(pli_gmsh_read_size(gmsh, "the smallest tag", &range[0]));
    PLI_TRY(pli_gmsh_read_size(gmsh, "the largest tag", &range[1]));
    PLI_TRY(pli_scan_check_count(gmsh->scan, items, min_bytes, total->item_count));
    return pli_gmsh_end_record(gmsh);
}

static int64_t add_saturated(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

// Says that the blocks together do not hold what the section announced.
static pli_status fail_total(const pli_gmsh *gmsh, const char *items, int64_t announced,
                             int64_t found)
{
    return PLI_SCAN_FAIL(gmsh->scan,
                         "the section announces %lld %s, but its blocks hold %lld; the two must be "
                         "equal",
                         (long long)announced, items, (long long)found);
}

// "dimension entity parametric count", then the tags, then the coordinates with parameters.
static pli_status read_node_block(pli_gmsh *gmsh, int64_t announced)
{
    int64_t dimension = 0;
    int64_t entity = 0;
    int64_t parametric = 0;
    int64_t count = 0;
    PLI_TRY(pli_gmsh_read_int(gmsh, "the dimension of a block", &dimension));
    PLI_TRY(pli_gmsh_read_int(gmsh, "the entity of a block", &entity));
    PLI_TRY(pli_gmsh_read_int(gmsh, "the word on parameters", &parametric));
    PLI_TRY(pli_gmsh_read_size(gmsh, "the number of nodes of a block", &count));
    if (dimension < 0 || dimension > 3 || parametric < 0 || parametric > 1) {
        return PLI_SCAN_FAIL(
            gmsh->scan,
            "a block of nodes has dimension %lld and parametric %lld; 0 to 3 and 0 "
            "or 1 are allowed",
            (long long)dimension, (long long)parametric);
    }
    if (count > announced - gmsh->node_count) {
        return fail_total(gmsh, "nodes", announced, add_saturated(gmsh->node_count, count));
    }
    PLI_TRY(pli_gmsh_end_record(gmsh));

    for (int64_t i = 0; i < count; ++i) {
        int64_t tag = 0;
        PLI_TRY(pli_gmsh_read_size(gmsh, "the tag of a node", &tag));
        PLI_TRY(pli_gmsh_add_tag(gmsh, tag));
        PLI_TRY(pli_gmsh_end_record(gmsh));
    }
    int32_t value_count = 3 + (parametric != 0 ? (int32_t)dimension : 0);
    for (int64_t i = 0; i < count; ++i) {
        double point[6];
        PLI_TRY(pli_gmsh_read_reals(gmsh, "a coordinate of a node", value_count, point));
        PLI_TRY(pli_mesh_builder_add_point(gmsh->builder, gmsh->scan, point));
        PLI_TRY(pli_gmsh_end_record(gmsh));
    }
    return PLI_OK;
}

pli_status pli_gmsh4_read_nodes(pli_gmsh *gmsh)
{
    // the shortest node is "1\n" and "0 0 0\n" in text
    totals total;
    PLI_TRY(read_totals(gmsh, "nodes", gmsh->binary ? 32 : 8, &total));
    PLI_TRY(pli_mesh_builder_reserve_points(gmsh->builder, total.item_count));
    for (int64_t i = 0; i < total.block_count; ++i) {
        PLI_TRY(read_node_block(gmsh, total.item_count));
    }
    if (gmsh->node_count != total.item_count) {
        return fail_total(gmsh, "nodes", total.item_count, gmsh->node_count);
    }
    pli_scan_end_binary(gmsh->scan);
    return PLI_OK;
}

// The group of the cells of an entity.
static pli_status find_entity_group(pli_gmsh *gmsh, int64_t dimension, int64_t tag, int32_t *group)
{
    pli_gmsh_key key = {dimension, tag};
    int32_t index = pli_key_map_find(&gmsh->entities, &key);
    int64_t physical = index >= 0 ? gmsh->entity_groups[index] : 0;
    return pli_gmsh_find_group(gmsh, dimension, physical, group);
}

// "dimension entity type count", then for each element its tag and its nodes.
static pli_status read_element_block(pli_gmsh *gmsh, const totals *total, int64_t *done)
{
    int64_t dimension = 0;
    int64_t entity = 0;
    int64_t type_number = 0;
    int64_t count = 0;
    const pli_gmsh_type *type = NULL;
    PLI_TRY(pli_gmsh_read_int(gmsh, "the dimension of a block", &dimension));
    PLI_TRY(pli_gmsh_read_int(gmsh, "the entity of a block", &entity));
    PLI_TRY(pli_gmsh_read_int(gmsh, "the type of elements", &type_number));
    PLI_TRY(pli_gmsh_find_type(gmsh, type_number, &type));
    PLI_TRY(pli_gmsh_read_size(gmsh, "the number of elements of a block", &count));
    if (count > total->item_count - *done) {
        return fail_total(gmsh, "elements", total->item_count, add_saturated(*done, count));
    }
    PLI_TRY(pli_gmsh_end_record(gmsh));

    int64_t value_bytes = gmsh->binary ? 8 : 2;
    PLI_TRY(
        pli_scan_check_count(gmsh->scan, "elements", value_bytes * (1 + type->node_count), count));
    if (type->kind == PLI_GMSH_TETRAHEDRON) {
        PLI_TRY(pli_mesh_builder_reserve_cells(gmsh->builder, &gmsh->builder->tets, count));
    }
    int32_t group = -1;
    if (type->kind != PLI_GMSH_SKIPPED && count > 0) {
        PLI_TRY(find_entity_group(gmsh, dimension, entity, &group));
    }
    for (int64_t i = 0; i < count; ++i) {
        int64_t tag = 0;
        PLI_TRY(pli_gmsh_read_size(gmsh, "the tag of an element", &tag));
        PLI_TRY(pli_gmsh_read_cell(gmsh, type, tag, group));
        PLI_TRY(pli_gmsh_end_record(gmsh));
    }
    *done += count;
    return PLI_OK;
}

pli_status pli_gmsh4_read_elements(pli_gmsh *gmsh)
{
    // the shortest element is the point "1 1\n" in text
    totals total;
    int64_t done = 0;
    PLI_TRY(read_totals(gmsh, "elements", gmsh->binary ? 16 : 4, &total));
    for (int64_t i = 0; i < total.block_count; ++i) {
        PLI_TRY(read_element_block(gmsh, &total, &done));
    }
    if (done != total.item_count) return fail_total(gmsh, "elements", total.item_count, done);
    pli_scan_end_binary(gmsh->scan);
    return PLI_OK;
}
