// SPDX-License-Identifier: Apache-2.0
#include "io/frames/frame_vtu.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "io/file/file.h"
#include "io/file/xml.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <zlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are written as memory has them");

enum {
    BLOCK_BYTES = 1 << 18, // of uncompressed data per zlib block
    FILL_GRAIN = 1 << 15   // numbers converted by one task
};

// how the bytes of an array come about
typedef enum array_kind {
    ARRAY_F64,     // doubles as they are
    ARRAY_F32,     // doubles as floats
    ARRAY_I32,     // int32_t as they are
    ARRAY_WHOLE,   // doubles as int32_t
    ARRAY_STEPS,   // int32_t: stride, 2 stride, 3 stride ...
    ARRAY_INDEX,   // int32_t: 0, 1, 2 ...
    ARRAY_CONSTANT // one byte, repeated
} array_kind;

static const struct {
    const char *type; // VTK's name
    int64_t size;     // bytes of a number
} kinds[] = {
    [ARRAY_F64] = {"Float64", 8},    [ARRAY_F32] = {"Float32", 4}, [ARRAY_I32] = {"Int32", 4},
    [ARRAY_WHOLE] = {"Int32", 4},    [ARRAY_STEPS] = {"Int32", 4}, [ARRAY_INDEX] = {"Int32", 4},
    [ARRAY_CONSTANT] = {"UInt8", 1},
};

struct pli_vtu_array {
    array_kind kind;
    const char *name;
    const char *unit; // "" or NULL: none
    int32_t components;
    const void *source; // [count] doubles or int32_t; NULL where the values are generated
    int32_t stride;     // of ARRAY_STEPS; value of ARRAY_CONSTANT
    int64_t count;      // numbers: tuples x components
    int64_t offset;     // in the appended data (bytes)
};

const char *pli_vtu_ending(pli_part_kind kind)
{
    return kind == PLI_PART_POINTS ? "vtp" : "vtu";
}

void pli_vtu_writer_init(pli_vtu_writer *writer, pli_context *context)
{
    *writer = (pli_vtu_writer){.context = context};
    pli_text_init(&writer->header, context);
}

void pli_vtu_writer_clear(pli_vtu_writer *writer)
{
    pli_context *context = writer->context;
    PLI_RELEASE(context, writer->arrays, writer->payload.bytes, writer->staging.bytes,
                writer->blocks.bytes, writer->block_sizes);
    pli_text_clear(&writer->header);
    pli_vtu_writer_init(writer, context);
}

// ---- the list of arrays -----------------------------------------------------------------------

static bool is_wanted(const pli_vtu_writer *writer, const pli_frame_field *field)
{
    for (int32_t i = 0; i < writer->field_count; ++i) {
        if (strcmp(writer->fields[i], field->name) == 0) return true;
    }
    return writer->field_count == 0;
}

static void add_array(pli_vtu_writer *writer, struct pli_vtu_array array)
{
    writer->arrays[writer->array_count++] = array;
}

static void add_fields(pli_vtu_writer *writer, const pli_frame_part *part, pli_field_place place)
{
    int64_t tuples = place == PLI_PLACE_POINT ? part->point_count : part->cell_count;
    for (int32_t i = 0; i < part->field_count; ++i) {
        const pli_frame_field *field = &part->fields[i];
        if (field->place != place || !is_wanted(writer, field)) continue;
        add_array(writer, (struct pli_vtu_array){.kind = field->whole ? ARRAY_WHOLE : ARRAY_F32,
                                                 .name = field->name,
                                                 .unit = field->unit,
                                                 .components = field->components,
                                                 .source = field->values,
                                                 .count = tuples * field->components});
    }
}

static void add_topology(pli_vtu_writer *writer, const pli_frame_part *part)
{
    int32_t corners = pli_part_corners(part->kind);
    bool points = part->kind == PLI_PART_POINTS;
    int64_t cells = points ? part->point_count : part->cell_count;
    add_array(writer, (struct pli_vtu_array){.kind = points ? ARRAY_INDEX : ARRAY_I32,
                                             .name = "connectivity",
                                             .components = 1,
                                             .source = part->cells,
                                             .count = cells * corners});
    add_array(writer, (struct pli_vtu_array){.kind = ARRAY_STEPS,
                                             .name = "offsets",
                                             .components = 1,
                                             .stride = corners,
                                             .count = cells});
    if (points) return;
    // VTK's numbers of cell types: 10 tetrahedron, 24 the one with ten nodes, 5 triangle
    add_array(writer, (struct pli_vtu_array){.kind = ARRAY_CONSTANT,
                                             .name = "types",
                                             .components = 1,
                                             .stride = part->kind == PLI_PART_TETS10 ? 24
                                                       : part->kind == PLI_PART_TETS ? 10
                                                                                     : 5,
                                             .count = cells});
}

// Lists point fields, cell fields, points and topology, in this order.
static pli_status list_arrays(pli_vtu_writer *writer, const pli_frame_part *part)
{
    enum { OTHERS = 4 };
    int64_t capacity = part->field_count + OTHERS;
    writer->array_count = 0;
    if (pli_memory_size(writer->arrays) < (size_t)capacity * sizeof *writer->arrays) {
        pli_release(writer->context, writer->arrays);
        PLI_TRY(PLI_MAKE(writer->context, writer->arrays, capacity, "frame arrays"));
    }
    add_fields(writer, part, PLI_PLACE_POINT);
    add_fields(writer, part, PLI_PLACE_CELL);
    add_array(writer, (struct pli_vtu_array){.kind = ARRAY_F64,
                                             .name = "Points",
                                             .unit = "m",
                                             .components = 3,
                                             .source = part->points,
                                             .count = 3 * (int64_t)part->point_count});
    add_topology(writer, part);
    return PLI_OK;
}

// ---- the appended data ------------------------------------------------------------------------

// Makes room for count more bytes and returns where they go; NULL when memory ran out.
static char *grow(pli_context *context, pli_vtu_bytes *buffer, int64_t count)
{
    int64_t needed = buffer->count + count;
    int64_t capacity = (int64_t)pli_memory_size(buffer->bytes);
    if (needed > capacity) {
        int64_t larger = needed > 2 * capacity ? needed : 2 * capacity;
        char *bytes = pli_reallocate(context, buffer->bytes, larger, 1, "frame file");
        if (bytes == NULL) return NULL;
        buffer->bytes = bytes;
    }
    char *place = buffer->bytes + buffer->count;
    buffer->count = needed;
    return place;
}

static float to_float(double value)
{
    if (isfinite(value) && fabs(value) > (double)FLT_MAX) return value > 0 ? FLT_MAX : -FLT_MAX;
    return (float)value;
}

typedef struct fill_job {
    const struct pli_vtu_array *array;
    char *target;
} fill_job;

static void fill_range(void *user, int64_t begin, int64_t end)
{
    const fill_job *job = user;
    const struct pli_vtu_array *array = job->array;
    const int64_t size = kinds[array->kind].size;
    char *target = job->target + begin * size;
    switch (array->kind) {
    case ARRAY_F64:
    case ARRAY_I32:
        memcpy(target, (const char *)array->source + begin * size, (size_t)((end - begin) * size));
        break;
    case ARRAY_F32:
        for (int64_t i = begin; i < end; ++i, target += size) {
            float value = to_float(((const double *)array->source)[i]);
            memcpy(target, &value, sizeof value);
        }
        break;
    case ARRAY_WHOLE:
        for (int64_t i = begin; i < end; ++i, target += size) {
            int32_t value = (int32_t)((const double *)array->source)[i];
            memcpy(target, &value, sizeof value);
        }
        break;
    case ARRAY_STEPS:
    case ARRAY_INDEX:
        for (int64_t i = begin; i < end; ++i, target += size) {
            int64_t wide = array->kind == ARRAY_INDEX ? i : (i + 1) * array->stride;
            int32_t value = (int32_t)wide;
            memcpy(target, &value, sizeof value);
        }
        break;
    case ARRAY_CONSTANT: memset(target, array->stride, (size_t)(end - begin)); break;
    }
}

static void fill(const pli_vtu_writer *writer, const struct pli_vtu_array *array, char *target)
{
    fill_job job = {array, target};
    pli_parallel_for(writer->context, array->count, FILL_GRAIN, fill_range, &job);
}

// length, then the bytes
static pli_status append_raw(pli_vtu_writer *writer, const struct pli_vtu_array *array)
{
    uint64_t bytes = (uint64_t)(array->count * kinds[array->kind].size);
    char *place = grow(writer->context, &writer->payload, (int64_t)(sizeof bytes + bytes));
    if (place == NULL) return PLI_ERROR_MEMORY;
    memcpy(place, &bytes, sizeof bytes);
    fill(writer, array, place + sizeof bytes);
    return PLI_OK;
}

typedef struct block_job {
    const pli_vtu_writer *writer;
    int64_t bytes; // of the whole array
    int64_t bound; // room for one compressed block
} block_job;

static void compress_range(void *user, int64_t begin, int64_t end)
{
    const block_job *job = user;
    for (int64_t block = begin; block < end; ++block) {
        int64_t start = block * BLOCK_BYTES;
        int64_t left = job->bytes - start;
        uLongf size = (uLongf)job->bound;
        int result = compress2((Bytef *)job->writer->blocks.bytes + block * job->bound, &size,
                               (const Bytef *)job->writer->staging.bytes + start,
                               (uLong)(left < BLOCK_BYTES ? left : BLOCK_BYTES), Z_BEST_SPEED);
        // with room for the bound, only memory can be missing
        job->writer->block_sizes[block] = result == Z_OK ? (int64_t)size : -1;
    }
}

// Compresses the staged array block by block, each to its own place.
static pli_status compress_blocks(pli_vtu_writer *writer, int64_t block_count, int64_t bound)
{
    pli_context *context = writer->context;
    writer->blocks.count = 0;
    if (grow(context, &writer->blocks, block_count * bound) == NULL) return PLI_ERROR_MEMORY;
    if (pli_memory_size(writer->block_sizes) < (size_t)block_count * sizeof(int64_t)) {
        pli_release(context, writer->block_sizes);
        PLI_TRY(PLI_MAKE(context, writer->block_sizes, block_count, "frame blocks"));
    }
    block_job job = {writer, writer->staging.count, bound};
    pli_parallel_for(context, block_count, 1, compress_range, &job);
    for (int64_t block = 0; block < block_count; ++block) {
        if (writer->block_sizes[block] < 0) {
            return PLI_FAIL(context, PLI_ERROR_MEMORY, "out of memory in zlib");
        }
    }
    return PLI_OK;
}

// number of blocks, size of a block, size of the last one if smaller, compressed sizes, blocks
static pli_status append_compressed(pli_vtu_writer *writer, const struct pli_vtu_array *array)
{
    int64_t bytes = array->count * kinds[array->kind].size;
    int64_t block_count = (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
    int64_t bound = (int64_t)compressBound(BLOCK_BYTES);
    writer->staging.count = 0;
    char *staged = grow(writer->context, &writer->staging, bytes);
    if (staged == NULL && bytes > 0) return PLI_ERROR_MEMORY;
    fill(writer, array, staged);
    if (bytes > 0) PLI_TRY(compress_blocks(writer, block_count, bound));

    uint64_t head[3] = {(uint64_t)block_count, BLOCK_BYTES, (uint64_t)(bytes % BLOCK_BYTES)};
    int64_t total = (int64_t)sizeof head + block_count * 8;
    for (int64_t block = 0; block < block_count; ++block) total += writer->block_sizes[block];
    char *place = grow(writer->context, &writer->payload, total);
    if (place == NULL) return PLI_ERROR_MEMORY;
    memcpy(place, head, sizeof head);
    place += sizeof head;
    if (block_count > 0) memcpy(place, writer->block_sizes, (size_t)block_count * 8);
    place += block_count * 8;
    for (int64_t block = 0; block < block_count; ++block) {
        memcpy(place, writer->blocks.bytes + block * bound, (size_t)writer->block_sizes[block]);
        place += writer->block_sizes[block];
    }
    return PLI_OK;
}

static pli_status append_arrays(pli_vtu_writer *writer)
{
    writer->payload.count = 0;
    for (int32_t i = 0; i < writer->array_count; ++i) {
        struct pli_vtu_array *array = &writer->arrays[i];
        array->offset = writer->payload.count;
        PLI_TRY(writer->compress ? append_compressed(writer, array) : append_raw(writer, array));
    }
    return PLI_OK;
}

// ---- the XML around it ------------------------------------------------------------------------

static void describe_array(pli_text *text, const struct pli_vtu_array *array)
{
    pli_text_format(text, "<DataArray type=\"%s\" Name=\"", kinds[array->kind].type);
    pli_xml_append_escaped(text, array->name);
    pli_text_append(text, "\"");
    if (array->components > 1) {
        pli_text_format(text, " NumberOfComponents=\"%d\"", array->components);
    }
    pli_text_format(text, " format=\"appended\" offset=\"%lld\"", (long long)array->offset);
    if (array->unit == NULL || array->unit[0] == '\0') {
        pli_text_append(text, "/>\n");
        return;
    }
    pli_text_append(text, "><InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">");
    pli_xml_append_escaped(text, array->unit);
    pli_text_append(text, "</InformationKey></DataArray>\n");
}

// Describes `count` arrays from `*next` on between the tags of an element.
static void describe_group(pli_vtu_writer *writer, const char *element, int32_t count,
                           int32_t *next)
{
    pli_text_format(&writer->header, "<%s>\n", element);
    for (int32_t i = 0; i < count; ++i) {
        describe_array(&writer->header, &writer->arrays[(*next)++]);
    }
    pli_text_format(&writer->header, "</%s>\n", element);
}

static int32_t count_fields(const pli_vtu_writer *writer, const pli_frame_part *part,
                            pli_field_place place)
{
    int32_t count = 0;
    for (int32_t i = 0; i < part->field_count; ++i) {
        count += part->fields[i].place == place && is_wanted(writer, &part->fields[i]);
    }
    return count;
}

// An array of one number that belongs to the whole file: opens it, and closes it after the number.
static void open_mark(pli_text *text, const char *type, const char *name)
{
    pli_text_format(text,
                    "<DataArray type=\"%s\" Name=\"%s\" NumberOfTuples=\"1\" format=\"ascii\">",
                    type, name);
}

static void mark_integer(pli_text *text, const char *type, const char *name, int64_t value)
{
    open_mark(text, type, name);
    pli_text_format(text, "%lld</DataArray>\n", (long long)value);
}

static void mark_real(pli_text *text, const char *name, double value)
{
    open_mark(text, "Float64", name);
    pli_text_append_number(text, value);
    pli_text_append(text, "</DataArray>\n");
}

static void describe_opening(pli_vtu_writer *writer, const pli_frame *frame,
                             const pli_frame_part *part, const char *type)
{
    pli_text *text = &writer->header;
    pli_text_format(text,
                    "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" "
                    "byte_order=\"LittleEndian\" header_type=\"UInt64\"%s>\n<%s>\n<FieldData>\n",
                    type, writer->compress ? " compressor=\"vtkZLibDataCompressor\"" : "", type);
    mark_real(text, "TimeValue", frame->time);
    mark_integer(text, "Int64", "Step", frame->step);
    mark_integer(text, "Int32", "Frame", frame->index);
    if (part->role == PLI_ROLE_COLLIDER) mark_integer(text, "Int32", "Collider", 1);
    if (part->is_barrier) mark_integer(text, "Int32", "Barrier", 1);
    if (part->role == PLI_ROLE_OBSTACLE) mark_integer(text, "Int32", "Obstacle", 1);
    bool sized = part->kind == PLI_PART_POINTS && part->radius > 0;
    if (sized) mark_real(text, "Radius", part->radius);
    pli_text_append(text, "</FieldData>\n");
}

static void describe(pli_vtu_writer *writer, const pli_frame *frame, const pli_frame_part *part)
{
    pli_text *text = &writer->header;
    if (text->failed) pli_text_clear(text);
    pli_text_reset(text);
    bool points = part->kind == PLI_PART_POINTS;
    const char *type = points ? "PolyData" : "UnstructuredGrid";
    describe_opening(writer, frame, part, type);

    pli_text_format(text, "<Piece NumberOfPoints=\"%d\" ", part->point_count);
    if (points) {
        pli_text_format(text,
                        "NumberOfVerts=\"%d\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
                        "NumberOfPolys=\"0\">\n",
                        part->point_count);
    } else {
        pli_text_format(text, "NumberOfCells=\"%d\">\n", part->cell_count);
    }

    // the same order as list_arrays
    int32_t next = 0;
    describe_group(writer, "PointData", count_fields(writer, part, PLI_PLACE_POINT), &next);
    describe_group(writer, "CellData", count_fields(writer, part, PLI_PLACE_CELL), &next);
    describe_group(writer, "Points", 1, &next);
    describe_group(writer, points ? "Verts" : "Cells", points ? 2 : 3, &next);
    pli_text_format(text, "</Piece>\n</%s>\n<AppendedData encoding=\"raw\">\n_", type);
}

pli_status pli_vtu_draft(pli_vtu_writer *writer, int folder, const char *path,
                         const pli_frame *frame, const pli_frame_part *part, pli_draft **draft)
{
    static const char closing[] = PLI_VTU_CLOSING;
    *draft = NULL;
    if ((int64_t)part->cell_count * pli_part_corners(part->kind) > INT32_MAX) {
        return PLI_FAIL(writer->context, PLI_ERROR_UNSUPPORTED,
                        "%s: %d cells have more corners than 32 bits count", path,
                        part->cell_count);
    }
    PLI_TRY(list_arrays(writer, part));
    PLI_TRY(append_arrays(writer));
    describe(writer, frame, part);
    if (writer->header.failed) return PLI_ERROR_MEMORY;

    pli_draft *made = NULL;
    pli_status status = pli_draft_create_in(writer->context, folder, path, &made);
    if (status == PLI_OK) {
        status = pli_draft_append(made, writer->header.bytes, writer->header.length);
    }
    if (status == PLI_OK) {
        status = pli_draft_append(made, writer->payload.bytes, writer->payload.count);
    }
    if (status == PLI_OK) status = pli_draft_append(made, closing, (int64_t)sizeof closing - 1);
    if (status != PLI_OK) {
        pli_draft_destroy(made);
        return status;
    }
    *draft = made;
    return PLI_OK;
}
