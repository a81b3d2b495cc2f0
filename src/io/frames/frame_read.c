// SPDX-License-Identifier: Apache-2.0
//
// Reads back exactly what frame_vtu.c writes. Files may be cut short, damaged or of another origin:
// every count, offset and length is checked against the size of the file before memory is taken or
// a byte is read, so the worst that a file can do is to be refused.
#include "base/arena.h"
#include "base/memory.h"
#include "base/number.h"
#include "io/file/file.h"
#include "io/file/xml.h"
#include "io/frames/frame_vtu.h"
#include "io/frames/series.h"

#include <string.h>
#include <zlib.h>

enum {
    ZLIB_RATIO = 1040,     // no zlib stream expands further
    BLOCK_LIMIT = 1 << 28, // largest uncompressed block that is accepted (bytes)
    NAME_LIMIT = 256       // longest name or unit of an array (bytes)
};

typedef enum section {
    SECTION_OTHER,
    SECTION_POINT,
    SECTION_CELL,
    SECTION_POINTS,
    SECTION_CELLS
} section;

typedef struct reader {
    pli_context *context;
    const char *path;
    pli_arena *arena; // where the part's arrays live
    char *bytes;      // the file
    int64_t count;
    const char *payload; // appended data
    int64_t payload_count;
    int64_t claimed; // bytes of the payload that arrays took so far; they do not overlap
    bool compressed;
    char *scratch; // one uncompressed array
    pli_frame_part *part;
    pli_frame_field *fields; // those of the part, being filled
    int64_t *step;
    bool has_points;
    bool has_cells; // corners of the cells were read
} reader;

static pli_status refuse(const reader *r, const char *what)
{
    return PLI_FAIL(r->context, PLI_ERROR_IO, "%s: %s", r->path, what);
}

// ---- arrays -----------------------------------------------------------------------------------

static uint64_t load_u64(const char *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

// Inflates the blocks of an array of `bytes` bytes into the scratch buffer.
static pli_status inflate_blocks(reader *r, const char *at, int64_t left, int64_t bytes)
{
    if (left < 24) return refuse(r, "the data end within an array");
    uint64_t block_count = load_u64(at);
    uint64_t block_size = load_u64(at + 8);
    uint64_t last_size = load_u64(at + 16);
    bool sane = block_count <= (uint64_t)(left - 24) / 8 && block_size <= BLOCK_LIMIT &&
                last_size <= block_size;
    if (!sane || bytes / ZLIB_RATIO > left) return refuse(r, "an array's block table is damaged");

    char *scratch = PLI_NEW(r->context, char, bytes > 0 ? bytes : 1, "frame array");
    if (scratch == NULL) return PLI_ERROR_MEMORY;
    pli_release(r->context, r->scratch);
    r->scratch = scratch;

    const char *sizes = at + 24;
    const char *data = sizes + 8 * block_count;
    left -= 24 + 8 * (int64_t)block_count;
    int64_t done = 0;
    for (uint64_t block = 0; block < block_count; ++block) {
        uint64_t packed = load_u64(sizes + 8 * block);
        bool last = block + 1 == block_count && last_size > 0;
        uint64_t size = last ? last_size : block_size;
        if (packed > (uint64_t)left || size > (uint64_t)(bytes - done)) {
            return refuse(r, "the data end within a compressed array");
        }
        uLongf got = (uLongf)size;
        int result = uncompress((Bytef *)scratch + done, &got, (const Bytef *)data, (uLong)packed);
        if (result == Z_MEM_ERROR) {
            return PLI_FAIL(r->context, PLI_ERROR_MEMORY, "out of memory in zlib");
        }
        if (result != Z_OK || got != size) return refuse(r, "a compressed array is damaged");
        data += packed;
        left -= (int64_t)packed;
        done += (int64_t)size;
    }
    if (done != bytes) return refuse(r, "a compressed array has another length than it should");
    r->claimed += data - at;
    return PLI_OK;
}

// Finds the `bytes` uncompressed bytes of the array that a DataArray element describes. Lifetime:
// until the next call.
static pli_status find_bytes(reader *r, const pli_xml_tag *tag, int64_t bytes, const char **found)
{
    int64_t offset = 0;
    *found = NULL;
    if (!pli_slice_is(pli_xml_get(tag, "format"), "appended") ||
        !pli_xml_get_count(tag, "offset", r->payload_count, &offset)) {
        return refuse(r, "an array is not appended data or lies outside the file");
    }
    const char *at = r->payload + offset;
    int64_t left = r->payload_count - offset;
    if (r->compressed) {
        PLI_TRY(inflate_blocks(r, at, left, bytes));
        *found = r->scratch;
    } else {
        if (left < 8 || bytes > left - 8) return refuse(r, "the data end within an array");
        if (load_u64(at) != (uint64_t)bytes) {
            return refuse(r, "an array has another length than it should");
        }
        *found = at + 8;
        r->claimed += 8 + bytes;
    }
    // many elements that share one array would take memory without bounds
    if (r->claimed > r->payload_count) return refuse(r, "arrays overlap");
    return PLI_OK;
}

static void load_floats(const char *source, int64_t count, double *values)
{
    for (int64_t i = 0; i < count; ++i) {
        float value;
        memcpy(&value, source + 4 * i, sizeof value);
        values[i] = (double)value;
    }
}

static void load_integers(const char *source, int64_t count, double *values)
{
    for (int64_t i = 0; i < count; ++i) {
        int32_t value;
        memcpy(&value, source + 4 * i, sizeof value);
        values[i] = value;
    }
}

// Reads count floats, doubles or, where *whole says so afterwards, integers; NULL: only the former.
static pli_status read_numbers(reader *r, const pli_xml_tag *tag, int64_t count,
                               const double **numbers, bool *whole)
{
    pli_slice type = pli_xml_get(tag, "type");
    bool integers = whole != NULL && pli_slice_is(type, "Int32");
    bool wide = pli_slice_is(type, "Float64");
    if (!integers && !wide && !pli_slice_is(type, "Float32")) {
        return refuse(r, whole != NULL ? "a field is neither Float32 nor Float64 nor Int32"
                                       : "points are neither Float32 nor Float64");
    }
    const char *source = NULL;
    PLI_TRY(find_bytes(r, tag, count * (wide ? 8 : 4), &source));
    double *values = pli_arena_doubles(r->arena, count, "frame array");
    if (values == NULL) return PLI_ERROR_MEMORY;
    if (wide) {
        memcpy(values, source, (size_t)count * 8);
    } else if (integers) {
        load_integers(source, count, values);
    } else {
        load_floats(source, count, values);
    }
    if (whole != NULL) *whole = integers;
    *numbers = values;
    return PLI_OK;
}

// ---- what the elements mean -------------------------------------------------------------------

static char *copy_slice(reader *r, pli_slice slice)
{
    int64_t capacity = (slice.length < NAME_LIMIT ? slice.length : NAME_LIMIT) + 1;
    char *copy = pli_arena_take(r->arena, capacity, 1, "frame");
    if (copy != NULL && !pli_xml_unescape(slice, copy, capacity)) copy[0] = '\0';
    return copy;
}

static pli_status read_field(reader *r, const pli_xml *xml, const pli_xml_tag *tag,
                             pli_field_place place)
{
    pli_frame_part *part = r->part;
    int64_t components = 1;
    int64_t tuples = place == PLI_PLACE_POINT ? part->point_count : part->cell_count;
    if (pli_xml_get(tag, "NumberOfComponents").bytes != NULL &&
        !pli_xml_get_count(tag, "NumberOfComponents", PLI_FIELD_COMPONENTS, &components)) {
        return refuse(r, "a field has a number of components other than 1, 3 or 6");
    }
    if (components != 1 && components != 3 && components != 6) {
        return refuse(r, "a field has a number of components other than 1, 3 or 6");
    }
    pli_frame_field *field = &r->fields[part->field_count];
    field->place = place;
    field->components = (int32_t)components;
    field->name = copy_slice(r, pli_xml_get(tag, "Name"));
    if (field->name == NULL) return PLI_ERROR_MEMORY;
    if (field->name[0] == '\0') return refuse(r, "a field has no name, or one too long");
    PLI_TRY(read_numbers(r, tag, tuples * components, &field->values, &field->whole));

    // the unit follows as <InformationKey name="UNITS_LABEL" ...>m/s</InformationKey>
    pli_xml ahead = *xml;
    pli_xml_tag next;
    field->unit = "";
    if (!tag->empty && pli_xml_next(&ahead, &next) && pli_xml_is(&next, "InformationKey")) {
        field->unit = copy_slice(r, pli_xml_content(&ahead, &next));
        if (field->unit == NULL) return PLI_ERROR_MEMORY;
    }
    ++part->field_count;
    return PLI_OK;
}

// Decides by the first cell whether these are tetrahedra or triangles; all must be the same.
static pli_status read_types(reader *r, const pli_xml_tag *tag)
{
    const char *types = NULL;
    if (!pli_slice_is(pli_xml_get(tag, "type"), "UInt8")) return refuse(r, "types are not UInt8");
    PLI_TRY(find_bytes(r, tag, r->part->cell_count, &types));
    for (int32_t i = 0; i < r->part->cell_count; ++i) {
        if (types[i] != types[0] || (types[i] != 10 && types[i] != 24 && types[i] != 5)) {
            return refuse(r, "cells other than tetrahedra alone or triangles alone");
        }
    }
    int type = r->part->cell_count > 0 ? types[0] : 10;
    r->part->kind = type == 5 ? PLI_PART_TRIANGLES : type == 24 ? PLI_PART_TETS10 : PLI_PART_TETS;
    return PLI_OK;
}

static pli_status read_corners(reader *r, const pli_xml_tag *tag)
{
    pli_frame_part *part = r->part;
    const char *source = NULL;
    int64_t count = (int64_t)part->cell_count * pli_part_corners(part->kind);
    if (!pli_slice_is(pli_xml_get(tag, "type"), "Int32")) {
        return refuse(r, "connectivity is not Int32");
    }
    PLI_TRY(find_bytes(r, tag, 4 * count, &source));
    int32_t *cells = pli_arena_ints(r->arena, count, "frame cells");
    if (cells == NULL) return PLI_ERROR_MEMORY;
    memcpy(cells, source, 4 * (size_t)count);
    for (int64_t i = 0; i < count; ++i) {
        if (cells[i] < 0 || cells[i] >= part->point_count) {
            return refuse(r, "a cell refers to a point that does not exist");
        }
    }
    part->cells = cells;
    r->has_cells = true;
    return PLI_OK;
}

static pli_status read_offsets(reader *r, const pli_xml_tag *tag)
{
    const char *source = NULL;
    int64_t corners = pli_part_corners(r->part->kind);
    if (!pli_slice_is(pli_xml_get(tag, "type"), "Int32")) return refuse(r, "offsets are not Int32");
    PLI_TRY(find_bytes(r, tag, 4 * (int64_t)r->part->cell_count, &source));
    for (int64_t i = 0; i < r->part->cell_count; ++i) {
        int32_t offset;
        memcpy(&offset, source + 4 * i, sizeof offset);
        if (offset != corners * (i + 1)) {
            return refuse(r, "cells with different numbers of corners");
        }
    }
    return PLI_OK;
}

// Polygons of other programs would silently become points.
static bool has_only_vertices(const pli_xml_tag *tag)
{
    static const char *const others[] = {"NumberOfLines", "NumberOfStrips", "NumberOfPolys"};
    for (int i = 0; i < 3; ++i) {
        int64_t count = 0;
        bool stated = pli_xml_get(tag, others[i]).bytes != NULL;
        if (stated && !pli_xml_get_count(tag, others[i], 0, &count)) return false;
    }
    return true;
}

static pli_status read_counts(reader *r, const pli_xml_tag *tag)
{
    int64_t points = 0;
    int64_t cells = 0;
    bool is_points = r->part->kind == PLI_PART_POINTS;
    if (!pli_xml_get_count(tag, "NumberOfPoints", INT32_MAX, &points) ||
        !pli_xml_get_count(tag, is_points ? "NumberOfVerts" : "NumberOfCells", INT32_MAX, &cells)) {
        return refuse(r, "the numbers of points and cells are missing or too large");
    }
    if (is_points && (cells != points || !has_only_vertices(tag))) {
        return refuse(r, "has cells other than one vertex for every point");
    }
    r->part->point_count = (int32_t)points;
    r->part->cell_count = is_points ? 0 : (int32_t)cells;
    return PLI_OK;
}

// Arrays that belong to the file as a whole; those of other programs are passed over.
static pli_status read_mark(reader *r, const pli_xml *xml, const pli_xml_tag *tag)
{
    pli_slice name = pli_xml_get(tag, "Name");
    pli_slice text = pli_xml_content(xml, tag);
    if (pli_slice_is(name, "Step") && !pli_integer_from_bytes(text.bytes, text.length, r->step)) {
        return refuse(r, "the step's number is damaged");
    }
    double *radius = &r->part->radius;
    if (pli_slice_is(name, "Radius") &&
        (!pli_number_from_bytes(text.bytes, text.length, radius) || !(*radius >= 0))) {
        return refuse(r, "the particles' radius is damaged");
    }
    if (pli_slice_is(name, "Collider")) r->part->role = PLI_ROLE_COLLIDER;
    if (pli_slice_is(name, "Barrier")) r->part->is_barrier = true;
    if (pli_slice_is(name, "Obstacle")) r->part->role = PLI_ROLE_OBSTACLE;
    return PLI_OK;
}

static pli_status read_data_array(reader *r, const pli_xml *xml, const pli_xml_tag *tag,
                                  section where)
{
    if (where == SECTION_POINT) return read_field(r, xml, tag, PLI_PLACE_POINT);
    if (where == SECTION_CELL) return read_field(r, xml, tag, PLI_PLACE_CELL);
    if (where == SECTION_POINTS) {
        r->has_points = true;
        return read_numbers(r, tag, 3 * (int64_t)r->part->point_count, &r->part->points, NULL);
    }
    if (where == SECTION_OTHER) return read_mark(r, xml, tag);
    // of cells, the types come first, in read_cells: they say how many corners there are
    return PLI_OK;
}

// Reads types, then connectivity and offsets, in whatever order the file has them.
static pli_status read_cells(reader *r, const pli_xml *xml)
{
    static const struct {
        const char *name;
        pli_status (*read)(reader *r, const pli_xml_tag *tag);
    } arrays[] = {{"types", read_types}, {"connectivity", read_corners}, {"offsets", read_offsets}};
    for (int i = 0; i < 3; ++i) {
        pli_xml ahead = *xml;
        pli_xml_tag tag;
        while (pli_xml_next(&ahead, &tag) && !pli_xml_is(&tag, "Cells")) {
            if (!pli_slice_is(pli_xml_get(&tag, "Name"), arrays[i].name)) continue;
            PLI_TRY(arrays[i].read(r, &tag));
        }
    }
    return PLI_OK;
}

static section section_of(const pli_xml_tag *tag, section current)
{
    static const struct {
        const char *element;
        section where;
    } sections[] = {{"PointData", SECTION_POINT},
                    {"CellData", SECTION_CELL},
                    {"Points", SECTION_POINTS},
                    {"Cells", SECTION_CELLS},
                    {"Verts", SECTION_CELLS}};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; ++i) {
        if (!pli_xml_is(tag, sections[i].element)) continue;
        return tag->closing || tag->empty ? SECTION_OTHER : sections[i].where;
    }
    return current;
}

// ---- the file ---------------------------------------------------------------------------------

// Finds the appended data and what kind of file this is; counts the arrays.
static pli_status read_frame_of_file(reader *r, int64_t *array_count)
{
    pli_xml xml;
    pli_xml_tag tag;
    bool known = false;
    *array_count = 0;
    pli_xml_init(&xml, r->bytes, r->count);
    while (r->payload == NULL && pli_xml_next(&xml, &tag)) {
        if (pli_xml_is(&tag, "VTKFile") && !tag.closing) {
            pli_slice type = pli_xml_get(&tag, "type");
            pli_slice compressor = pli_xml_get(&tag, "compressor");
            bool points = pli_slice_is(type, "PolyData");
            known = (points || pli_slice_is(type, "UnstructuredGrid")) &&
                    pli_slice_is(pli_xml_get(&tag, "byte_order"), "LittleEndian") &&
                    pli_slice_is(pli_xml_get(&tag, "header_type"), "UInt64") &&
                    (compressor.bytes == NULL || pli_slice_is(compressor, "vtkZLibDataCompressor"));
            r->part->kind = points ? PLI_PART_POINTS : PLI_PART_TETS;
            r->compressed = compressor.bytes != NULL;
        }
        *array_count += pli_xml_is(&tag, "DataArray");
        if (!pli_xml_is(&tag, "AppendedData")) continue;
        if (!pli_slice_is(pli_xml_get(&tag, "encoding"), "raw")) break;
        const char *mark = memchr(tag.end, '_', (size_t)(xml.end - tag.end));
        if (mark == NULL) break;
        r->payload = mark + 1;
        r->payload_count = xml.end - r->payload;
    }
    if (!known) return refuse(r, "is not a .vtu or .vtp file of the kind that pliant writes");
    if (r->payload == NULL) return refuse(r, "ends before its data, or has none");

    static const char closing[] = PLI_VTU_CLOSING;
    int64_t length = (int64_t)sizeof closing - 1;
    r->payload_count -= length;
    if (r->payload_count < 0 ||
        memcmp(r->bytes + r->count - length, closing, (size_t)length) != 0) {
        return refuse(r, "was cut short: its closing tags are missing");
    }
    return PLI_OK;
}

static pli_status read_elements(reader *r)
{
    pli_xml xml;
    pli_xml_tag tag;
    section where = SECTION_OTHER;
    bool counted = false;
    pli_xml_init(&xml, r->bytes, r->payload - r->bytes);
    while (pli_xml_next(&xml, &tag) && !pli_xml_is(&tag, "AppendedData")) {
        where = section_of(&tag, where);
        if (pli_xml_is(&tag, "Piece") && !tag.closing) {
            if (counted) return refuse(r, "has more than one piece");
            PLI_TRY(read_counts(r, &tag));
            counted = true;
        }
        if (pli_xml_is(&tag, "Cells") && !tag.closing) {
            if (!counted || r->has_cells) return refuse(r, "has cells outside of a piece");
            PLI_TRY(read_cells(r, &xml));
        }
        if (pli_xml_is(&tag, "DataArray") && !tag.closing) {
            if (where != SECTION_OTHER && !counted) return refuse(r, "has no piece");
            PLI_TRY(read_data_array(r, &xml, &tag, where));
        }
    }
    if (xml.broken || !counted || !r->has_points) return refuse(r, "has no points");
    if (r->part->kind != PLI_PART_POINTS && !r->has_cells) return refuse(r, "has no cells");
    return PLI_OK;
}

pli_status pli_vtu_read(pli_context *context, const char *path, pli_arena *arena,
                        pli_frame_part *part, int64_t *step)
{
    reader r = {.context = context, .path = path, .arena = arena, .part = part, .step = step};
    int64_t array_count = 0;
    *step = 0;
    part->point_count = part->cell_count = part->field_count = 0;
    part->points = NULL;
    part->cells = NULL;
    part->fields = NULL;
    part->role = PLI_ROLE_BODY;
    part->is_barrier = false;
    part->radius = 0;

    pli_status status = pli_file_read(context, path, 0, &r.bytes, &r.count);
    if (status == PLI_OK) status = read_frame_of_file(&r, &array_count);
    if (status == PLI_OK) {
        r.fields = pli_arena_take(arena, array_count, sizeof *r.fields, "frame fields");
        part->fields = r.fields;
        status = r.fields != NULL ? read_elements(&r) : PLI_ERROR_MEMORY;
    }
    PLI_RELEASE(context, r.scratch, r.bytes);
    return status;
}
