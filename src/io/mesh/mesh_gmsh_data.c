// SPDX-License-Identifier: Apache-2.0
#include "io/mesh/mesh_arrays.h"
#include "io/mesh/mesh_gmsh.h"

#include "base/memory.h"

pli_status pli_gmsh_note_element(pli_gmsh *gmsh, int64_t number, const int32_t before[2])
{
    pli_context *context = gmsh->builder->context;
    int32_t index = 0;
    bool added = false;
    PLI_TRY(pli_key_map_add(&gmsh->elements, &number, &index, &added));
    if (index >= gmsh->element_capacity) {
        int32_t capacity = gmsh->element_capacity + gmsh->element_capacity / 2 + 64;
        PLI_TRY(PLI_RESIZE(context, gmsh->element_cells, capacity, "numbers of elements"));
        gmsh->element_capacity = capacity;
    }
    int32_t *cells = gmsh->element_cells[index];
    cells[0] = before[0];
    cells[1] = before[1];
    cells[2] = gmsh->builder->tets.count;
    cells[3] = gmsh->builder->triangles.count;
    return PLI_OK;
}

// The arrays of a section.
typedef struct data {
    bool of_nodes;
    int64_t components;
    double *points;
    double *cells[2]; // of tetrahedra and triangles
} data;

static pli_status add_arrays(pli_gmsh *gmsh, pli_span name, data *made)
{
    pli_mesh_builder *builder = gmsh->builder;
    if (made->of_nodes) {
        return pli_mesh_arrays_add(builder, name, PLI_MESH_POINTS, made->components,
                                   builder->point_count, &made->points);
    }
    PLI_TRY(pli_mesh_arrays_add(builder, name, PLI_MESH_TETS, made->components, builder->tets.count,
                                &made->cells[0]));
    return pli_mesh_arrays_add(builder, name, PLI_MESH_TRIANGLES, made->components,
                               builder->triangles.count, &made->cells[1]);
}

// Gives a value to the node or element of a tag; those that are no part of the mesh need none.
static void put_value(const pli_gmsh *gmsh, const data *to, int64_t tag, const double *value)
{
    size_t size = (size_t)to->components * sizeof *value;
    if (to->of_nodes) {
        int64_t node = pli_gmsh_find_node(gmsh, tag);
        if (node >= 0 && to->points != NULL) {
            memcpy(to->points + node * to->components, value, size);
        }
        return;
    }
    int32_t index = pli_key_map_find(&gmsh->elements, &tag);
    if (index < 0) return;
    const int32_t *cells = gmsh->element_cells[index];
    for (int k = 0; k < 2; ++k) {
        for (int64_t cell = cells[k]; to->cells[k] != NULL && cell < cells[k + 2]; ++cell) {
            memcpy(to->cells[k] + cell * to->components, value, size);
        }
    }
}

static pli_status read_values(pli_gmsh *gmsh, const data *to, int64_t count)
{
    int64_t bytes = gmsh->binary ? 4 + 8 * to->components : 2 + 2 * to->components;
    PLI_TRY(pli_scan_check_count(gmsh->scan, "values", bytes, count));
    PLI_TRY(pli_gmsh_begin_numbers(gmsh));
    for (int64_t i = 0; i < count; ++i) {
        double value[PLI_MESH_COMPONENTS] = {0};
        int64_t tag = 0;
        PLI_TRY(pli_gmsh_read_int(gmsh, "the number of a node or element", &tag));
        for (int64_t k = 0; k < to->components; ++k) {
            double one = 0;
            PLI_TRY(pli_mesh_arrays_scan(gmsh->scan, PLI_SCALAR_F64, &one));
            if (k < PLI_MESH_COMPONENTS) value[k] = one;
        }
        PLI_TRY(pli_gmsh_end_record(gmsh));
        put_value(gmsh, to, tag, value);
    }
    pli_scan_end_binary(gmsh->scan);
    return PLI_OK;
}

// Whether the section is over already: one without data, which says nothing.
static bool is_over(const pli_gmsh *gmsh)
{
    return pli_scan_left(gmsh->scan) > 0 && *gmsh->scan->next == '$';
}

// A count and as many lines of text, of which the first is kept.
static pli_status read_tags(pli_gmsh *gmsh, pli_span *first)
{
    int64_t count = 0;
    PLI_TRY(pli_scan_count(gmsh->scan, "tags of data", 1, &count));
    PLI_TRY(pli_scan_end_line(gmsh->scan));
    for (int64_t i = 0; i < count && !is_over(gmsh); ++i) {
        pli_span line = pli_scan_rest_of_line(gmsh->scan);
        (void)pli_scan_skip_blank(gmsh->scan);
        if (i == 0) *first = line;
    }
    return PLI_OK;
}

// Texts, the first of which is the name; real numbers; whole numbers: the step, the number of
// components and that of values.
pli_status pli_gmsh_read_data(pli_gmsh *gmsh, bool of_nodes)
{
    pli_span name = {"", 0};
    pli_span ignored = {"", 0};
    int64_t numbers[3] = {0};
    int64_t count = 0;
    PLI_TRY(pli_scan_end_line(gmsh->scan));
    PLI_TRY(read_tags(gmsh, &name));
    if (is_over(gmsh)) return PLI_OK;
    PLI_TRY(read_tags(gmsh, &ignored));
    PLI_TRY(pli_scan_count(gmsh->scan, "tags of data", 1, &count));
    if (count < 3) {
        return PLI_SCAN_FAIL(gmsh->scan,
                             "data have %lld whole numbers in their head; the step, the "
                             "number of components and that of values are needed",
                             (long long)count);
    }
    for (int64_t i = 0; i < count; ++i) {
        int64_t number = 0;
        PLI_TRY(pli_scan_end_line(gmsh->scan));
        PLI_TRY(pli_scan_integer(gmsh->scan, "a whole number of the head of data", 0, INT32_MAX,
                                 &number));
        if (i < 3) numbers[i] = number;
    }
    bool is_quoted = name.length >= 2 && name.text[0] == '"';
    if (is_quoted) name = (pli_span){name.text + 1, name.length - 2};
    data made = {.of_nodes = of_nodes, .components = numbers[1]};
    PLI_TRY(add_arrays(gmsh, name, &made));
    return read_values(gmsh, &made, numbers[2]);
}
