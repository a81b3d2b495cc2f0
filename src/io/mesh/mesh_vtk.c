// SPDX-License-Identifier: Apache-2.0
//
// Legacy .vtk, text and binary (VTK file formats, versions 1.0 to 5.1): unstructured grids and
// polygonal data. Binary numbers are big-endian. Before version 5 a list of cells is a stream of
// "count id id ..."; since then it is two arrays, OFFSETS and CONNECTIVITY. Fields and metadata are
// skipped. Data on points and cells become arrays of their names: SCALARS, VECTORS, NORMALS,
// TENSORS, TEXTURE_COORDINATES, COLOR_SCALARS and those of fields; reading ends at anything else in
// there.
#include "io/mesh/mesh_arrays.h"
#include "io/mesh/mesh_format.h"

#include "base/memory.h"

typedef struct vtk {
    pli_mesh_builder *builder;
    pli_scan *scan;
    bool binary;
    bool has_types; // CELL_TYPES was read

    // the cells of an unstructured grid, until their types are known
    int64_t cell_count;
    int64_t *offsets; // [cell_count + 1]  where a cell's corners begin
    int64_t *starts;  // [cell_count]  bytes of the file before a cell
    int32_t *corners; // [offsets[cell_count]]  indices of points

    // the cells of the mesh that those of the file became; see mesh_arrays.h
    int64_t span_count;
    int64_t span_capacity;
    int32_t *spans; // [span_capacity + 1][2]
} vtk;

// ---- values ----

static pli_status read_type(pli_scan *scan, pli_scalar *type)
{
    static const pli_scalar_name names[] = {{"float", PLI_SCALAR_F32},
                                            {"double", PLI_SCALAR_F64},
                                            {"int", PLI_SCALAR_I32},
                                            {"unsigned_int", PLI_SCALAR_U32},
                                            {"vtkIdType", PLI_SCALAR_I32},
                                            {"long", PLI_SCALAR_I64},
                                            {"unsigned_long", PLI_SCALAR_U64},
                                            {"vtktypeint64", PLI_SCALAR_I64},
                                            {"vtktypeuint64", PLI_SCALAR_U64},
                                            {"char", PLI_SCALAR_I8},
                                            {"signed_char", PLI_SCALAR_I8},
                                            {"unsigned_char", PLI_SCALAR_U8},
                                            {"short", PLI_SCALAR_I16},
                                            {"unsigned_short", PLI_SCALAR_U16},
                                            {NULL, PLI_SCALAR_F64}};
    return pli_scan_type(scan, "the type of numbers", "float, double, int or another type", names,
                         type);
}

// Goes from the line that announces numbers to the numbers; pli_scan_end_binary goes back.
static pli_status begin_numbers(vtk *file)
{
    return file->binary ? pli_scan_begin_binary(file->scan) : PLI_OK;
}

static pli_status read_integer(vtk *file, pli_scalar type, const char *what, int64_t *value)
{
    return pli_scan_whole_value(file->scan, what, type, INT64_MIN, INT64_MAX, value);
}

static int64_t value_bytes(const vtk *file, pli_scalar type)
{
    return file->binary ? pli_scalar_size(type) : 2;
}

// ---- points and lists of cells ----

static pli_status read_points(vtk *file)
{
    int64_t count = 0;
    pli_scalar type;
    if (file->builder->point_count > 0) {
        return PLI_SCAN_FAIL(file->scan, "POINTS appears a second time; one is enough");
    }
    PLI_TRY(pli_scan_count(file->scan, "points", 3, &count));
    PLI_TRY(read_type(file->scan, &type));
    PLI_TRY(pli_scan_check_count(file->scan, "points", 3 * value_bytes(file, type), count));
    PLI_TRY(begin_numbers(file));
    PLI_TRY(pli_mesh_builder_reserve_points(file->builder, count));
    for (int64_t i = 0; i < count; ++i) {
        double point[3];
        for (int32_t k = 0; k < 3; ++k) {
            PLI_TRY(pli_scan_value(file->scan, "a coordinate of a point", type, &point[k]));
        }
        PLI_TRY(pli_mesh_builder_add_point(file->builder, file->scan, point));
    }
    pli_scan_end_binary(file->scan);
    return PLI_OK;
}

static void release_cells(vtk *file)
{
    PLI_RELEASE(file->builder->context, file->offsets, file->starts, file->corners);
    file->offsets = NULL;
    file->starts = NULL;
    file->corners = NULL;
    file->cell_count = 0;
}

// Forgets the cells before and makes room for new ones.
static pli_status reserve_cells(vtk *file, int64_t cell_count, int64_t corner_count)
{
    pli_context *context = file->builder->context;
    release_cells(file);
    file->offsets = PLI_NEW(context, int64_t, cell_count + 1, "offsets of cells");
    file->starts = PLI_NEW(context, int64_t, cell_count, "places of cells");
    file->corners = PLI_NEW(context, int32_t, corner_count, "corners of cells");
    bool complete = file->offsets != NULL && file->starts != NULL && file->corners != NULL;
    if (!complete) return PLI_ERROR_MEMORY;
    file->cell_count = cell_count;
    return PLI_OK;
}

static pli_status read_corner(vtk *file, pli_scalar type, int32_t *corner)
{
    int64_t number = 0;
    PLI_TRY(read_integer(file, type, "a point of a cell", &number));
    return pli_mesh_builder_corner(file->builder, file->scan, number, 0, corner);
}

// Until version 4: cell_count times "n id ... id", value_count numbers in all.
static pli_status read_stream(vtk *file, int64_t cell_count, int64_t value_count)
{
    if (value_count < cell_count) {
        return PLI_SCAN_FAIL(file->scan,
                             "%lld cells are announced with %lld numbers; each cell "
                             "has at least one",
                             (long long)cell_count, (long long)value_count);
    }
    PLI_TRY(pli_scan_check_count(file->scan, "numbers", value_bytes(file, PLI_SCALAR_I32),
                                 value_count));
    PLI_TRY(reserve_cells(file, cell_count, value_count - cell_count));
    int64_t at = 0;
    for (int64_t i = 0; i < cell_count; ++i) {
        int64_t count = 0;
        PLI_TRY(read_integer(file, PLI_SCALAR_I32, "the number of points of a cell", &count));
        if (count < 0 || count > value_count - cell_count - at) {
            return PLI_SCAN_FAIL(file->scan,
                                 "cell %lld has %lld points; the list announces %lld "
                                 "numbers in all and cannot hold them",
                                 (long long)i, (long long)count, (long long)value_count);
        }
        file->starts[i] = file->scan->place - file->scan->begin;
        for (int64_t k = 0; k < count; ++k) {
            PLI_TRY(read_corner(file, PLI_SCALAR_I32, &file->corners[at++]));
        }
        file->offsets[i + 1] = at;
    }
    return PLI_OK;
}

// Since version 5: OFFSETS type ... CONNECTIVITY type ...
static pli_status read_arrays(vtk *file, int64_t offset_count, int64_t corner_count)
{
    pli_scan *scan = file->scan;
    pli_scalar type;
    PLI_TRY(read_type(scan, &type));
    PLI_TRY(pli_scan_check_count(scan, "offsets", value_bytes(file, type), offset_count));
    PLI_TRY(pli_scan_check_count(scan, "corners", 1, corner_count));
    PLI_TRY(begin_numbers(file));
    PLI_TRY(reserve_cells(file, offset_count > 0 ? offset_count - 1 : 0, corner_count));
    int64_t before = 0;
    for (int64_t i = 0; i < offset_count; ++i) {
        int64_t offset = 0;
        PLI_TRY(read_integer(file, type, "an offset", &offset));
        bool last = i == offset_count - 1;
        if (offset < before || offset > corner_count || (last && offset != corner_count)) {
            return PLI_SCAN_FAIL(scan, "offset %lld is %lld; offsets must rise from 0 to %lld",
                                 (long long)i, (long long)offset, (long long)corner_count);
        }
        file->offsets[i] = before = offset;
    }
    pli_scan_end_binary(file->scan);

    PLI_TRY(pli_scan_expect(scan, "CONNECTIVITY", "the second array of cells"));
    PLI_TRY(read_type(scan, &type));
    PLI_TRY(pli_scan_check_count(scan, "corners", value_bytes(file, type), corner_count));
    PLI_TRY(begin_numbers(file));
    int64_t cell = 0;
    for (int64_t i = 0; i < corner_count; ++i) {
        PLI_TRY(read_corner(file, type, &file->corners[i]));
        for (; cell < file->cell_count && file->offsets[cell] <= i; ++cell) {
            file->starts[cell] = scan->place - scan->begin;
        }
    }
    for (; cell < file->cell_count; ++cell) file->starts[cell] = scan->place - scan->begin;
    return PLI_OK;
}

// A list of cells of either form into offsets and corners.
static pli_status read_cells(vtk *file)
{
    int64_t counts[2];
    PLI_TRY(pli_scan_count(file->scan, "cells", 1, &counts[0]));
    PLI_TRY(pli_scan_count(file->scan, "numbers of cells", 1, &counts[1]));
    PLI_TRY(begin_numbers(file));
    // no stream of cells can begin with the letters of this word
    const char *begin = file->scan->next;
    if (pli_scan_accept(file->scan, "OFFSETS")) {
        file->scan->binary = false;
        PLI_TRY(read_arrays(file, counts[0], counts[1]));
    } else {
        file->scan->next = begin;
        PLI_TRY(read_stream(file, counts[0], counts[1]));
    }
    pli_scan_end_binary(file->scan);
    return PLI_OK;
}

// ---- what cells mean ----

typedef enum meaning {
    CELL_REFUSED,
    CELL_SKIPPED,
    CELL_TET,
    CELL_POLYGON,
    CELL_PIXEL, // a quadrangle with its last two corners swapped
    CELL_STRIP
} meaning;

typedef struct cell_type {
    meaning kind;
    int32_t point_count;  // 0: any
    int32_t corner_count; // 0: all points
} cell_type;

// by VTK's number of the type
static const cell_type cell_types[] = {
    [0] = {CELL_SKIPPED, 0, 0},  [1] = {CELL_SKIPPED, 0, 0},  [2] = {CELL_SKIPPED, 0, 0},
    [3] = {CELL_SKIPPED, 0, 0},  [4] = {CELL_SKIPPED, 0, 0},  [5] = {CELL_POLYGON, 3, 3},
    [6] = {CELL_STRIP, 0, 0},    [7] = {CELL_POLYGON, 0, 0},  [8] = {CELL_PIXEL, 4, 4},
    [9] = {CELL_POLYGON, 4, 4},  [10] = {CELL_TET, 4, 4},     [21] = {CELL_SKIPPED, 0, 0},
    [22] = {CELL_POLYGON, 6, 3}, [23] = {CELL_POLYGON, 8, 4}, [24] = {CELL_TET, 10, 4},
    [28] = {CELL_POLYGON, 9, 4}, [34] = {CELL_POLYGON, 7, 3}, [35] = {CELL_SKIPPED, 0, 0},
    [68] = {CELL_SKIPPED, 0, 0},
};

static pli_status add_polygon(vtk *file, const int32_t *corners, int64_t count)
{
    pli_mesh_polygon polygon = {.group = -1};
    for (int64_t i = 0; i < count; ++i) {
        PLI_TRY(pli_mesh_polygon_add(&polygon, file->builder, corners[i]));
    }
    return pli_mesh_polygon_end(&polygon, file->builder, file->scan);
}

// Every other triangle of a strip is turned round.
static pli_status add_strip(vtk *file, const int32_t *corners, int64_t count)
{
    pli_mesh_builder *builder = file->builder;
    for (int64_t i = 0; i + 2 < count; ++i) {
        int64_t odd = i % 2;
        int32_t triangle[3] = {corners[i + odd], corners[i + 1 - odd], corners[i + 2]};
        PLI_TRY(pli_mesh_builder_add_cell(builder, file->scan, &builder->triangles, triangle, -1));
    }
    return PLI_OK;
}

// Notes what comes before the next cell of the file.
static pli_status add_span(vtk *file)
{
    if (file->span_count == file->span_capacity) {
        int64_t capacity = file->span_capacity + file->span_capacity / 2 + file->cell_count;
        PLI_TRY(PLI_RESIZE(file->builder->context, file->spans, 2 * (capacity + 1), "cells"));
        file->span_capacity = capacity;
    }
    file->spans[2 * file->span_count] = file->builder->tets.count;
    file->spans[2 * file->span_count + 1] = file->builder->triangles.count;
    ++file->span_count;
    return PLI_OK;
}

static pli_status add_cell(vtk *file, const cell_type *type, const int32_t *corners, int64_t count)
{
    pli_mesh_builder *builder = file->builder;
    int64_t corner_count = type->corner_count > 0 ? type->corner_count : count;
    PLI_TRY(add_span(file));
    if (type->kind == CELL_TET) {
        PLI_TRY(pli_mesh_builder_add_cell(builder, file->scan, &builder->tets, corners, -1));
        return count == 10 ? pli_mesh_builder_add_mids(builder, file->scan, corners + 4) : PLI_OK;
    }
    builder->curved_count += count > corner_count;
    switch (type->kind) {
    case CELL_POLYGON: return add_polygon(file, corners, corner_count);
    case CELL_PIXEL: {
        int32_t turned[4] = {corners[0], corners[1], corners[3], corners[2]};
        return add_polygon(file, turned, 4);
    }
    case CELL_STRIP: return add_strip(file, corners, count);
    case CELL_TET:
    case CELL_SKIPPED:
    case CELL_REFUSED: break;
    }
    return PLI_OK;
}

static pli_status add_typed_cell(vtk *file, int64_t cell, int64_t type_number)
{
    static const cell_type unknown = {CELL_REFUSED, 0, 0};
    int64_t type_count = (int64_t)(sizeof cell_types / sizeof *cell_types);
    const cell_type *type =
        type_number >= 0 && type_number < type_count ? &cell_types[type_number] : &unknown;
    int64_t count = file->offsets[cell + 1] - file->offsets[cell];
    if (type->kind == CELL_REFUSED) {
        return PLI_SCAN_FAIL(file->scan,
                             "cell %lld, counted from 0, is of type %lld; only "
                             "tetrahedra (10) can fill a body, and triangles (5) bound it",
                             (long long)cell, (long long)type_number);
    }
    if (type->point_count > 0 && count != type->point_count) {
        return PLI_SCAN_FAIL(file->scan,
                             "cell %lld, counted from 0, is of type %lld and has %lld "
                             "points; %d are needed",
                             (long long)cell, (long long)type_number, (long long)count,
                             type->point_count);
    }
    file->scan->place = file->scan->begin + file->starts[cell];
    return add_cell(file, type, file->corners + file->offsets[cell], count);
}

static pli_status read_cell_types(vtk *file)
{
    int64_t count = 0;
    PLI_TRY(pli_scan_count(file->scan, "cell types", value_bytes(file, PLI_SCALAR_I32), &count));
    if (count != file->cell_count || file->has_types) {
        return PLI_SCAN_FAIL(file->scan,
                             "%lld cell types are announced for %lld cells; one list "
                             "with a type for each cell is needed",
                             (long long)count, (long long)file->cell_count);
    }
    PLI_TRY(begin_numbers(file));
    for (int64_t i = 0; i < count; ++i) {
        int64_t type = 0;
        PLI_TRY(read_integer(file, PLI_SCALAR_I32, "the type of a cell", &type));
        PLI_TRY(add_typed_cell(file, i, type));
    }
    pli_scan_end_binary(file->scan);
    file->has_types = true;
    return PLI_OK;
}

// A list of polygonal data, all of whose cells are of one type.
static pli_status read_typed_cells(vtk *file, const cell_type *type)
{
    PLI_TRY(read_cells(file));
    file->scan->binary = file->binary;
    for (int64_t i = 0; i < file->cell_count; ++i) {
        file->scan->place = file->scan->begin + file->starts[i];
        int64_t count = file->offsets[i + 1] - file->offsets[i];
        PLI_TRY(add_cell(file, type, file->corners + file->offsets[i], count));
    }
    pli_scan_end_binary(file->scan);
    release_cells(file);
    return PLI_OK;
}

// ---- data, and what is skipped ----

// what data belong to; NOWHERE: they are skipped
typedef enum data_place { DATA_NOWHERE, DATA_POINTS, DATA_CELLS } data_place;

static pli_status read_values(vtk *file, pli_scalar type, int64_t count, double *values)
{
    PLI_TRY(pli_scan_check_count(file->scan, "values", value_bytes(file, type), count));
    PLI_TRY(begin_numbers(file));
    for (int64_t k = 0; k < count; ++k) {
        double value = 0;
        PLI_TRY(pli_mesh_arrays_scan(file->scan, type, &value));
        if (values != NULL) values[k] = value;
    }
    pli_scan_end_binary(file->scan);
    return PLI_OK;
}

// The values of cells of the file, until those of the mesh have them.
static pli_status read_cell_values(vtk *file, pli_span name, pli_scalar type, int64_t components)
{
    pli_context *context = file->builder->context;
    int64_t count = components * file->span_count;
    PLI_TRY(pli_scan_check_count(file->scan, "values", value_bytes(file, type), count));
    double *values = PLI_NEW(context, double, count, "values of cells");
    if (values == NULL) return PLI_ERROR_MEMORY;
    file->spans[2 * file->span_count] = file->builder->tets.count;
    file->spans[2 * file->span_count + 1] = file->builder->triangles.count;
    pli_status status = read_values(file, type, count, values);
    if (status == PLI_OK) {
        status = pli_mesh_arrays_spread(file->builder, name, components, file->span_count,
                                        file->spans, values);
    }
    pli_release(context, values);
    return status;
}

// An array of so many tuples; what does not fit to its place is skipped.
static pli_status read_array(vtk *file, data_place place, pli_span name, pli_scalar type,
                             int64_t components, int64_t tuples)
{
    bool fits = components >= 1 && components <= PLI_MESH_COMPONENTS;
    double *values = NULL;
    if (fits && place == DATA_CELLS && tuples == file->span_count && tuples > 0) {
        return read_cell_values(file, name, type, components);
    }
    PLI_TRY(
        pli_scan_check_count(file->scan, "values", value_bytes(file, type), components * tuples));
    if (fits && place == DATA_POINTS && tuples == file->builder->point_count) {
        PLI_TRY(
            pli_mesh_arrays_add(file->builder, name, PLI_MESH_POINTS, components, tuples, &values));
    }
    return read_values(file, type, components * tuples, values);
}

// An array of a field: "name components tuples type" and the values.
static pli_status read_field_array(vtk *file, data_place place)
{
    pli_scan *scan = file->scan;
    pli_span name;
    int64_t components = 0;
    int64_t tuples = 0;
    pli_scalar type;
    PLI_TRY(pli_scan_word(scan, "the name of an array", &name));
    PLI_TRY(pli_scan_integer(scan, "the number of components", 0, INT32_MAX, &components));
    PLI_TRY(pli_scan_integer(scan, "the number of tuples", 0, INT32_MAX, &tuples));
    PLI_TRY(read_type(scan, &type));
    return read_array(file, place, name, type, components, tuples);
}

// "FIELD name array_count" and the arrays.
static pli_status read_field(vtk *file, data_place place)
{
    pli_span name;
    int64_t array_count = 0;
    PLI_TRY(pli_scan_word(file->scan, "the name of a field", &name));
    PLI_TRY(pli_scan_count(file->scan, "arrays", 8, &array_count));
    for (int64_t i = 0; i < array_count; ++i) PLI_TRY(read_field_array(file, place));
    return PLI_OK;
}

// "SCALARS name type [components]" and "LOOKUP_TABLE name", behind the first word.
static pli_status read_scalars(vtk *file, data_place place, int64_t tuples)
{
    pli_span name;
    pli_span table;
    pli_scalar type;
    int64_t components = 1;
    PLI_TRY(pli_scan_word(file->scan, "the name of an array", &name));
    PLI_TRY(read_type(file->scan, &type));
    bool has_table = pli_scan_skip_blank(file->scan) && pli_scan_accept(file->scan, "LOOKUP_TABLE");
    // an array without values says nothing
    if (!has_table && pli_scan_left(file->scan) == 0) return PLI_OK;
    if (!has_table) {
        const char *begin = file->scan->next;
        pli_span word;
        PLI_TRY(pli_scan_word(file->scan, "the number of components", &word));
        bool is_count = word.length == 1 && word.text[0] >= '1' && word.text[0] <= '9';
        if (is_count) components = word.text[0] - '0';
        if (is_count) has_table = pli_scan_accept(file->scan, "LOOKUP_TABLE");
        if (!is_count) file->scan->next = begin;
    }
    if (has_table) PLI_TRY(pli_scan_word(file->scan, "the name of a table", &table));
    return read_array(file, place, name, type, components, tuples);
}

// One array of a section of data. *ends: it is none that is known.
static pli_status read_datum(vtk *file, pli_span word, data_place place, int64_t tuples, bool *ends)
{
    static const struct {
        const char *word;
        int64_t components; // 0: they stand behind the name
    } plain[] = {{"VECTORS", 3},
                 {"NORMALS", 3},
                 {"TENSORS", 9},
                 {"TENSORS6", 6},
                 {"GLOBAL_IDS", 1},
                 {"PEDIGREE_IDS", 1},
                 {"TEXTURE_COORDINATES", 0}};
    pli_span name;
    pli_scalar type;
    *ends = false;
    if (pli_span_is(word, "SCALARS")) return read_scalars(file, place, tuples);
    if (pli_span_is(word, "FIELD")) return read_field(file, place);
    bool is_color = pli_span_is(word, "COLOR_SCALARS");
    if (is_color || pli_span_is(word, "LOOKUP_TABLE")) {
        int64_t count = 0;
        PLI_TRY(pli_scan_word(file->scan, "the name of an array", &name));
        PLI_TRY(pli_scan_integer(file->scan, "the number of values", 0, INT32_MAX, &count));
        // bytes in binary, from 0 to 1 in text
        return is_color ? read_array(file, place, name, PLI_SCALAR_U8, count, tuples)
                        : read_values(file, PLI_SCALAR_U8, 4 * count, NULL);
    }
    for (size_t k = 0; k < sizeof plain / sizeof *plain; ++k) {
        if (!pli_span_is(word, plain[k].word)) continue;
        int64_t components = plain[k].components;
        PLI_TRY(pli_scan_word(file->scan, "the name of an array", &name));
        if (components == 0) {
            PLI_TRY(pli_scan_integer(file->scan, "the number of components", 1, 3, &components));
        }
        PLI_TRY(read_type(file->scan, &type));
        return read_array(file, place, name, type, components, tuples);
    }
    *ends = true;
    return PLI_OK;
}

// Lines up to an empty one.
static void skip_metadata(pli_scan *scan)
{
    (void)pli_scan_rest_of_line(scan);
    while (pli_scan_left(scan) > 0 && pli_scan_rest_of_line(scan).length > 0) continue;
}

// ---- the file ----

// "# vtk DataFile Version 3.0", a title, "ASCII" or "BINARY", "DATASET kind".
static pli_status read_head(vtk *file, bool *grid)
{
    pli_scan *scan = file->scan;
    pli_span line = pli_scan_rest_of_line(scan);
    if (!pli_span_starts(line, "# vtk DataFile")) {
        return pli_scan_fail_word(scan, "the first line", "'# vtk DataFile Version 3.0'");
    }
    (void)pli_scan_rest_of_line(scan);
    file->binary = pli_scan_accept(scan, "BINARY");
    if (!file->binary && !pli_scan_accept(scan, "ASCII")) {
        return pli_scan_fail_word(scan, "the kind of file", "ASCII or BINARY");
    }
    PLI_TRY(pli_scan_expect(scan, "DATASET", "the kind of data set"));
    *grid = pli_scan_accept(scan, "UNSTRUCTURED_GRID");
    if (!*grid && !pli_scan_accept(scan, "POLYDATA")) {
        return pli_scan_fail_word(scan, "the kind of data set", "UNSTRUCTURED_GRID or POLYDATA");
    }
    return PLI_OK;
}

static pli_status read_section(vtk *file, bool grid, pli_span word)
{
    static const cell_type polygon = {CELL_POLYGON, 0, 0};
    static const cell_type strip = {CELL_STRIP, 0, 0};
    static const cell_type skipped = {CELL_SKIPPED, 0, 0};
    if (pli_span_is(word, "POINTS")) return read_points(file);
    if (pli_span_is(word, "FIELD")) return read_field(file, DATA_NOWHERE);
    if (pli_span_is(word, "METADATA")) {
        skip_metadata(file->scan);
        return PLI_OK;
    }
    if (grid && pli_span_is(word, "CELLS")) return read_cells(file);
    if (grid && pli_span_is(word, "CELL_TYPES")) return read_cell_types(file);
    if (!grid && pli_span_is(word, "POLYGONS")) return read_typed_cells(file, &polygon);
    if (!grid && pli_span_is(word, "TRIANGLE_STRIPS")) return read_typed_cells(file, &strip);
    if (!grid && pli_span_is(word, "LINES")) return read_typed_cells(file, &skipped);
    if (!grid && pli_span_is(word, "VERTICES")) return read_typed_cells(file, &skipped);
    return pli_scan_fail_word(file->scan, "a section",
                              grid ? "POINTS, CELLS or CELL_TYPES" : "POINTS or POLYGONS");
}

// "POINT_DATA count" or "CELL_DATA count" and the arrays, from the first of these words on.
static pli_status read_data(vtk *file, pli_span word)
{
    data_place place = DATA_NOWHERE;
    int64_t tuples = 0;
    bool ends = false;
    while (!ends) {
        bool points = pli_span_is(word, "POINT_DATA");
        if (points || pli_span_is(word, "CELL_DATA")) {
            place = points ? DATA_POINTS : DATA_CELLS;
            PLI_TRY(pli_scan_integer(file->scan, "the number of values", 0, INT32_MAX, &tuples));
        } else if (pli_span_is(word, "METADATA")) {
            skip_metadata(file->scan);
        } else {
            PLI_TRY(read_datum(file, word, place, tuples, &ends));
        }
        if (!pli_scan_skip_blank(file->scan)) return PLI_OK;
        if (!ends) PLI_TRY(pli_scan_word(file->scan, "a section", &word));
    }
    return PLI_OK;
}

static pli_status read_sections(vtk *file)
{
    bool grid = false;
    PLI_TRY(read_head(file, &grid));
    while (pli_scan_skip_blank(file->scan)) {
        pli_span word;
        PLI_TRY(pli_scan_word(file->scan, "a section", &word));
        if (pli_span_is(word, "POINT_DATA") || pli_span_is(word, "CELL_DATA")) {
            PLI_TRY(read_data(file, word));
            break;
        }
        PLI_TRY(read_section(file, grid, word));
    }
    if (grid && file->cell_count > 0 && !file->has_types) {
        return PLI_SCAN_FAIL(file->scan, "the list CELL_TYPES is missing; the file is cut short");
    }
    return PLI_OK;
}

static pli_status read_vtk(pli_mesh_builder *builder, pli_scan *scan)
{
    vtk file = {.builder = builder, .scan = scan};
    scan->big_endian = true;
    pli_status status = read_sections(&file);
    release_cells(&file);
    pli_release(builder->context, file.spans);
    return status;
}

static bool matches_vtk(const char *bytes, int64_t count)
{
    pli_scan scan;
    pli_scan_init(&scan, NULL, "", bytes, count);
    return pli_span_starts((pli_span){scan.next, pli_scan_left(&scan)}, "# vtk DataFile");
}

const pli_mesh_format pli_mesh_format_vtk = {"VTK", {"vtk"}, matches_vtk, read_vtk};
