// SPDX-License-Identifier: Apache-2.0
//
// The polygon file format .ply (Turk, Stanford, 1994), text and binary of either byte order. The
// head declares elements and their properties, which may have any type and order; x, y, z of
// "vertex" and the list "vertex_indices" (or "vertex_index") of "face" are the mesh; their other
// numbers become arrays of those names, and red, green and blue also "color", from 0 to 1. All else
// is skipped. In text every item of an element is a line.
#include "io/mesh/mesh_arrays.h"
#include "io/mesh/mesh_format.h"

#include "base/memory.h"

typedef enum use {
    USE_NONE,
    USE_X, // the coordinates in order
    USE_Y,
    USE_Z,
    USE_CORNERS
} use;

typedef struct property {
    pli_scalar type;
    pli_scalar count_type; // of a list
    bool is_list;
    use what_for;
    pli_span name;
    double *values; // [count of the element] of a vertex or face; NULL: nobody keeps them
} property;

typedef struct element {
    int64_t count;
    int32_t first; // of its properties
    int32_t property_count;
    bool is_vertex;
    bool is_face;
    int64_t fixed_bytes; // of an item in binary, lists without their values
} element;

typedef struct ply {
    pli_mesh_builder *builder;
    pli_scan *scan;
    bool binary;
    bool has_vertices; // declared so far
    bool has_faces;
    int32_t element_count;
    int32_t element_capacity;
    element *elements;
    int32_t property_count;
    int32_t property_capacity;
    property *properties; // of all elements, one after the other
    int32_t *spans;       // [faces + 1][2] what came before a face; see mesh_arrays.h
} ply;

// ---- the head ----

static pli_status read_format(ply *file)
{
    pli_span word;
    PLI_TRY(pli_scan_word(file->scan, "the kind of file", &word));
    file->binary = !pli_span_is(word, "ascii");
    file->scan->big_endian = pli_span_is(word, "binary_big_endian");
    if (file->binary && !file->scan->big_endian && !pli_span_is(word, "binary_little_endian")) {
        return pli_scan_fail_word(file->scan, "the kind of file",
                                  "ascii, binary_little_endian or binary_big_endian");
    }
    PLI_TRY(pli_scan_expect(file->scan, "1.0", "the version of the format"));
    return pli_scan_end_line(file->scan);
}

static pli_status read_element(ply *file)
{
    pli_context *context = file->builder->context;
    if (file->element_count == file->element_capacity) {
        int32_t capacity = 2 * file->element_capacity + 4;
        PLI_TRY(PLI_RESIZE(context, file->elements, capacity, "ply elements"));
        file->element_capacity = capacity;
    }
    pli_span name;
    element *made = &file->elements[file->element_count];
    *made = (element){.first = file->property_count};
    PLI_TRY(pli_scan_word(file->scan, "the name of an element", &name));
    made->is_vertex = pli_span_is(name, "vertex");
    made->is_face = pli_span_is(name, "face");
    PLI_TRY(pli_scan_integer(file->scan, "the number of items", 0, INT32_MAX, &made->count));
    if ((made->is_vertex && file->has_vertices) || (made->is_face && file->has_faces)) {
        return PLI_SCAN_FAIL(file->scan, "this element was declared before; once is enough");
    }
    file->has_vertices = file->has_vertices || made->is_vertex;
    file->has_faces = file->has_faces || made->is_face;
    ++file->element_count;
    return pli_scan_end_line(file->scan);
}

static pli_status read_type(pli_scan *scan, pli_scalar *type)
{
    static const pli_scalar_name names[] = {
        {"char", PLI_SCALAR_I8},     {"int8", PLI_SCALAR_I8},     {"uchar", PLI_SCALAR_U8},
        {"uint8", PLI_SCALAR_U8},    {"short", PLI_SCALAR_I16},   {"int16", PLI_SCALAR_I16},
        {"ushort", PLI_SCALAR_U16},  {"uint16", PLI_SCALAR_U16},  {"int", PLI_SCALAR_I32},
        {"int32", PLI_SCALAR_I32},   {"uint", PLI_SCALAR_U32},    {"uint32", PLI_SCALAR_U32},
        {"float", PLI_SCALAR_F32},   {"float32", PLI_SCALAR_F32}, {"double", PLI_SCALAR_F64},
        {"float64", PLI_SCALAR_F64}, {NULL, PLI_SCALAR_F64}};
    return pli_scan_type(scan, "the type of a property", "a type such as float, int or uchar",
                         names, type);
}

static use find_use(const element *owner, const property *made, pli_span name)
{
    if (owner->is_vertex && !made->is_list) {
        if (pli_span_is(name, "x")) return USE_X;
        if (pli_span_is(name, "y")) return USE_Y;
        if (pli_span_is(name, "z")) return USE_Z;
    }
    bool corners = pli_span_is(name, "vertex_indices") || pli_span_is(name, "vertex_index");
    return owner->is_face && made->is_list && corners ? USE_CORNERS : USE_NONE;
}

static pli_status read_property(ply *file)
{
    pli_context *context = file->builder->context;
    pli_scan *scan = file->scan;
    if (file->element_count == 0) {
        return PLI_SCAN_FAIL(scan, "a property comes before the first element; it must come after");
    }
    if (file->property_count == file->property_capacity) {
        int32_t capacity = 2 * file->property_capacity + 8;
        PLI_TRY(PLI_RESIZE(context, file->properties, capacity, "ply properties"));
        file->property_capacity = capacity;
    }
    element *owner = &file->elements[file->element_count - 1];
    property *made = &file->properties[file->property_count];
    *made = (property){.is_list = pli_scan_accept(scan, "list")};
    if (made->is_list) PLI_TRY(read_type(scan, &made->count_type));
    PLI_TRY(read_type(scan, &made->type));
    pli_span name;
    PLI_TRY(pli_scan_word(scan, "the name of a property", &name));
    made->what_for = find_use(owner, made, name);
    made->name = name;
    bool whole = pli_scalar_is_integer(made->count_type) &&
                 (made->what_for != USE_CORNERS || pli_scalar_is_integer(made->type));
    if (made->is_list && !whole) {
        return PLI_SCAN_FAIL(scan, "this list counts or refers by floating-point numbers; whole "
                                   "numbers are needed");
    }
    owner->fixed_bytes += pli_scalar_size(made->is_list ? made->count_type : made->type);
    ++owner->property_count;
    ++file->property_count;
    return pli_scan_end_line(scan);
}

static pli_status read_head(ply *file)
{
    pli_scan *scan = file->scan;
    PLI_TRY(pli_scan_expect(scan, "ply", "the first word"));
    PLI_TRY(pli_scan_end_line(scan));
    PLI_TRY(pli_scan_expect(scan, "format", "the second line"));
    PLI_TRY(read_format(file));
    while (!pli_scan_accept(scan, "end_header")) {
        if (pli_scan_accept(scan, "element")) {
            PLI_TRY(read_element(file));
        } else if (pli_scan_accept(scan, "property")) {
            PLI_TRY(read_property(file));
        } else if (pli_scan_accept(scan, "comment") || pli_scan_accept(scan, "obj_info")) {
            (void)pli_scan_rest_of_line(scan);
            (void)pli_scan_skip_blank(scan);
        } else {
            return pli_scan_fail_word(scan, "a line of the head",
                                      "element, property, comment or end_header");
        }
    }
    return file->binary ? pli_scan_begin_binary(scan) : pli_scan_end_line(scan);
}

// ---- the values ----

// Reads the corners of a polygon or skips the values of another list.
static pli_status read_list(ply *file, const property *list)
{
    int64_t count = 0;
    int64_t value_bytes = file->binary ? pli_scalar_size(list->type) : 2;
    PLI_TRY(pli_scan_whole_value(file->scan, "the length of a list", list->count_type, INT32_MIN,
                                 INT32_MAX, &count));
    PLI_TRY(pli_scan_check_count(file->scan, "values of a list", value_bytes, count));
    pli_mesh_polygon polygon = {.group = -1};
    for (int64_t i = 0; i < count; ++i) {
        int64_t number = 0;
        int32_t corner = 0;
        double skipped = 0;
        if (list->what_for != USE_CORNERS) {
            PLI_TRY(pli_scan_value(file->scan, "a value", list->type, &skipped));
            continue;
        }
        PLI_TRY(pli_scan_whole_value(file->scan, "a vertex of a face", list->type, INT32_MIN,
                                     INT32_MAX, &number));
        PLI_TRY(pli_mesh_builder_corner(file->builder, file->scan, number, 0, &corner));
        PLI_TRY(pli_mesh_polygon_add(&polygon, file->builder, corner));
    }
    return list->what_for == USE_CORNERS ? pli_mesh_polygon_end(&polygon, file->builder, file->scan)
                                         : PLI_OK;
}

// Reads all properties of one item; coordinates arrive in point.
static pli_status read_item(ply *file, const element *owner, int64_t item, double point[3])
{
    for (int32_t i = 0; i < owner->property_count; ++i) {
        const property *one = &file->properties[owner->first + i];
        double value = 0;
        if (one->is_list) {
            PLI_TRY(read_list(file, one));
        } else {
            PLI_TRY(pli_scan_value(file->scan, "a value", one->type, &value));
        }
        if (one->what_for >= USE_X && one->what_for <= USE_Z) {
            point[one->what_for - USE_X] = value;
        }
        if (one->values != NULL) one->values[item] = value;
    }
    return file->binary ? PLI_OK : pli_scan_end_line(file->scan);
}

static bool has_use(const ply *file, const element *owner, use wanted)
{
    for (int32_t i = 0; i < owner->property_count; ++i) {
        if (file->properties[owner->first + i].what_for == wanted) return true;
    }
    return false;
}

static pli_status check_element(const ply *file, const element *owner)
{
    bool coordinates =
        has_use(file, owner, USE_X) && has_use(file, owner, USE_Y) && has_use(file, owner, USE_Z);
    if (owner->is_vertex && !coordinates) {
        return PLI_SCAN_FAIL(file->scan, "the vertices have no x, y and z; all three are needed");
    }
    if (owner->is_face && owner->count > 0 && !has_use(file, owner, USE_CORNERS)) {
        return PLI_SCAN_FAIL(file->scan, "the faces have no list vertex_indices; one is needed");
    }
    return PLI_OK;
}

static bool is_number_of_mesh(const element *owner, const property *one)
{
    return (owner->is_vertex || owner->is_face) && !one->is_list && one->what_for == USE_NONE;
}

// Makes room for the numbers of vertices, which go straight to their arrays, and for those of
// faces.
static pli_status begin_numbers(ply *file, const element *owner)
{
    pli_context *context = file->builder->context;
    for (int32_t i = 0; i < owner->property_count; ++i) {
        property *one = &file->properties[owner->first + i];
        if (!is_number_of_mesh(owner, one)) continue;
        if (owner->is_vertex) {
            PLI_TRY(pli_mesh_arrays_add(file->builder, one->name, PLI_MESH_POINTS, 1, owner->count,
                                        &one->values));
            continue;
        }
        PLI_TRY(PLI_MAKE(context, one->values, owner->count, "numbers of faces"));
        if (file->spans != NULL) continue;
        PLI_TRY(PLI_MAKE(context, file->spans, 2 * (owner->count + 1), "triangles of faces"));
    }
    return PLI_OK;
}

// What the next face begins with.
static void note_span(ply *file, int64_t face)
{
    if (file->spans == NULL) return;
    file->spans[2 * face] = file->builder->tets.count;
    file->spans[2 * face + 1] = file->builder->triangles.count;
}

// The numbers of faces become those of their triangles.
static pli_status end_numbers(ply *file, const element *owner)
{
    pli_status status = PLI_OK;
    for (int32_t i = 0; i < owner->property_count; ++i) {
        property *one = &file->properties[owner->first + i];
        if (owner->is_face && one->values != NULL && status == PLI_OK) {
            status = pli_mesh_arrays_spread(file->builder, one->name, 1, owner->count, file->spans,
                                            one->values);
        }
        if (owner->is_face) pli_release(file->builder->context, one->values);
        one->values = NULL;
    }
    return status;
}

// Colours of whole numbers go up to 255.
static pli_status join_colors(ply *file, const element *owner)
{
    static const char *const names[3] = {"red", "green", "blue"};
    double factor = 1;
    for (int32_t i = 0; i < owner->property_count; ++i) {
        const property *one = &file->properties[owner->first + i];
        bool is_whole = pli_span_is(one->name, "red") && pli_scalar_is_integer(one->type);
        if (is_whole) factor = 1 / 255.0;
    }
    return owner->is_vertex ? pli_mesh_arrays_join(file->builder, names, "color", factor) : PLI_OK;
}

static pli_status read_items(ply *file, const element *owner)
{
    PLI_TRY(check_element(file, owner));
    // items without properties take no bytes and mean nothing
    if (owner->property_count == 0) return PLI_OK;
    int64_t item_bytes = file->binary ? owner->fixed_bytes : 2 * (int64_t)owner->property_count;
    PLI_TRY(pli_scan_check_count(file->scan, owner->is_vertex ? "vertices" : "items", item_bytes,
                                 owner->count));
    if (owner->is_vertex) PLI_TRY(pli_mesh_builder_reserve_points(file->builder, owner->count));
    PLI_TRY(begin_numbers(file, owner));
    for (int64_t i = 0; i < owner->count; ++i) {
        double point[3] = {0};
        if (owner->is_face) note_span(file, i);
        PLI_TRY(read_item(file, owner, i, point));
        if (owner->is_vertex) {
            PLI_TRY(pli_mesh_builder_add_point(file->builder, file->scan, point));
        }
    }
    if (owner->is_face) note_span(file, owner->count);
    PLI_TRY(end_numbers(file, owner));
    return join_colors(file, owner);
}

// What a failure has left behind: numbers of faces, where those of vertices are the builder's.
static void release_numbers(ply *file)
{
    for (int32_t k = 0; k < file->element_count; ++k) {
        const element *owner = &file->elements[k];
        for (int32_t i = 0; owner->is_face && i < owner->property_count; ++i) {
            pli_release(file->builder->context, file->properties[owner->first + i].values);
        }
    }
}

static pli_status read_ply(pli_mesh_builder *builder, pli_scan *scan)
{
    scan->by_lines = true;
    ply file = {.builder = builder, .scan = scan};
    pli_status status = read_head(&file);
    for (int32_t i = 0; status == PLI_OK && i < file.element_count; ++i) {
        status = read_items(&file, &file.elements[i]);
    }
    release_numbers(&file);
    PLI_RELEASE(builder->context, file.spans, file.properties, file.elements);
    return status;
}

static bool matches_ply(const char *bytes, int64_t count)
{
    pli_scan scan;
    pli_scan_init(&scan, NULL, "", bytes, count);
    return pli_scan_accept(&scan, "ply");
}

const pli_mesh_format pli_mesh_format_ply = {"PLY", {"ply"}, matches_ply, read_ply};
