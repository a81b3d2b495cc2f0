// SPDX-License-Identifier: Apache-2.0
//
// PLY, binary little endian: one file a body and frame. Vertices are float32 x y z, then one
// property a field (three for vectors: name_x, name_y, name_z), int for whole numbers of points and
// float for all else; faces are lists of three vertices. Every number has four bytes.
#include "base/memory.h"
#include "base/number.h"
#include "io/export/export.h"
#include "io/frames/frame_part.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER_BYTES = 4 };

_Static_assert(sizeof(float) == NUMBER_BYTES && sizeof(int32_t) == NUMBER_BYTES, "numbers of PLY");

// what a vertex has of one kind
typedef struct column {
    int64_t components;
    const char *values; // [points][components] float or int32_t
} column;

// Averages of whole numbers over cells are not whole.
static bool is_whole(const pli_frame_field *field)
{
    return field->whole && field->place == PLI_PLACE_POINT;
}

static void append_property(pli_text *text, const char *type, const char *name, const char *suffix)
{
    pli_text_format(text, "property %s ", type);
    for (; *name != '\0'; ++name) {
        // blanks would end the name
        bool blank = *name == ' ' || (unsigned char)*name < 0x20;
        pli_text_append_bytes(text, blank ? "_" : name, 1);
    }
    pli_text_format(text, "%s\n", suffix);
}

static void append_header(pli_text *text, const pli_export_job *job, const pli_skin *skin,
                          const pli_frame *frame)
{
    static const char *const suffixes[] = {"_x", "_y", "_z"};
    const pli_frame_part *part = &frame->parts[0];
    pli_text_format(text,
                    "ply\nformat binary_little_endian 1.0\ncomment pliant %s, metres, %s is up\n"
                    "comment frame %d, time ",
                    pli_version(), job->z_up ? "z" : "y", frame->index);
    pli_text_append_number(text, frame->time);
    pli_text_append(text, " s\n");
    if (skin->kind == PLI_PART_POINTS && part->radius > 0) {
        pli_text_append(text, "comment radius ");
        pli_text_append_number(text, part->radius);
        pli_text_append(text, " m\n");
    }
    pli_text_format(text, "element vertex %d\n", skin->point_count);
    append_property(text, "float", "x", "");
    append_property(text, "float", "y", "");
    append_property(text, "float", "z", "");
    for (int32_t i = 0; i < part->field_count; ++i) {
        const pli_frame_field *field = &part->fields[i];
        const char *type = is_whole(field) ? "int" : "float";
        for (int32_t k = 0; k < field->components; ++k) {
            append_property(text, type, field->name, field->components > 1 ? suffixes[k] : "");
        }
    }
    if (skin->kind != PLI_PART_POINTS) {
        pli_text_format(text, "element face %d\nproperty list uchar int vertex_indices\n",
                        skin->triangle_count);
    }
    pli_text_append(text, "end_header\n");
}

static pli_status append_vertices(pli_export_file *file, const pli_skin *skin,
                                  const column *columns, int32_t column_count)
{
    for (int64_t i = 0; i < skin->point_count; ++i) {
        for (int32_t c = 0; c < column_count; ++c) {
            int64_t bytes = NUMBER_BYTES * columns[c].components;
            pli_text_append_bytes(&file->text, columns[c].values + bytes * i, bytes);
        }
        PLI_TRY(pli_export_file_flush(file));
    }
    return PLI_OK;
}

static pli_status append_faces(pli_export_file *file, const pli_skin *skin)
{
    for (int64_t i = 0; i < skin->triangle_count; ++i) {
        pli_text_append_bytes(&file->text, "\3", 1);
        pli_text_append_bytes(&file->text, skin->triangles + 3 * i, 3 * NUMBER_BYTES);
        PLI_TRY(pli_export_file_flush(file));
    }
    return PLI_OK;
}

static void fill_whole(const pli_skin *skin, const pli_frame_field *field, int32_t *values)
{
    for (int64_t i = 0; i < skin->point_count; ++i) {
        const double *source = field->values + (int64_t)skin->point_ids[i] * field->components;
        for (int32_t k = 0; k < field->components; ++k) *values++ = (int32_t)source[k];
    }
}

// Positions and fields as columns, [1 + field_count]; numbers has room for all of them.
static void fill_columns(const pli_skin *skin, const pli_frame_part *part, double *scratch,
                         char *numbers, column *columns)
{
    columns[0] = (column){3, numbers};
    pli_skin_get_points(skin, part, (float *)numbers);
    for (int32_t i = 0; i < part->field_count; ++i) {
        const pli_frame_field *field = &part->fields[i];
        numbers += NUMBER_BYTES * columns[i].components * skin->point_count;
        columns[i + 1] = (column){field->components, numbers};
        if (is_whole(field)) {
            fill_whole(skin, field, (int32_t *)numbers);
        } else {
            pli_skin_get_values(skin, part, field, scratch, (float *)numbers);
        }
    }
}

// Collects positions and fields, then writes header, vertices and faces.
static pli_status append_all(pli_export_file *file, const pli_skin *skin, const pli_frame *frame)
{
    const pli_frame_part *part = &frame->parts[0];
    pli_context *context = file->job->context;
    int64_t width = 3; // numbers of a vertex
    for (int32_t i = 0; i < part->field_count; ++i) width += part->fields[i].components;
    // values of cells are averaged; particles have no cells
    int64_t averaged = part->kind != PLI_PART_POINTS ? part->point_count : 0;
    char *numbers = pli_allocate(context, width * skin->point_count, NUMBER_BYTES, "export");
    double *scratch = PLI_NEW(context, double, 4 * averaged, "export");
    column *columns = PLI_NEW(context, column, part->field_count + 1, "export");
    pli_status status = PLI_ERROR_MEMORY;
    if (numbers == NULL || scratch == NULL || columns == NULL) goto done;

    fill_columns(skin, part, scratch, numbers, columns);
    append_header(&file->text, file->job, skin, frame);
    status = append_vertices(file, skin, columns, part->field_count + 1);
    if (status == PLI_OK) status = append_faces(file, skin);

done:
    PLI_RELEASE(context, columns, scratch, numbers);
    return status;
}

static pli_status write_frame(pli_export_job *job, int32_t body, const pli_skin *skin,
                              const pli_frame *frame)
{
    char ending[32];
    pli_export_file file = {0};
    snprintf(ending, sizeof ending, "_%05d.ply", frame->index);
    char *path = pli_export_path(job, job->bodies[body].stem, ending);
    pli_status status = path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_export_file_init(&file, job, path);
    if (status == PLI_OK) status = append_all(&file, skin, frame);
    if (status == PLI_OK) status = pli_export_file_commit(&file);
    pli_export_file_clear(&file);
    pli_release(job->context, path);
    return status;
}

static pli_status write_body(pli_export_job *job, int32_t body)
{
    pli_skin skin = {0};
    pli_status status = PLI_OK;
    for (int32_t frame = 0; frame < job->frame_count && status == PLI_OK; ++frame) {
        pli_frame *loaded = NULL;
        status = pli_export_load(job, body, frame, &loaded);
        if (loaded == NULL) continue;
        // a body whose cells change gets a new skin
        const pli_frame_part *part = &loaded->parts[0];
        if (status == PLI_OK && (skin.context == NULL || !pli_skin_fits(&skin, part))) {
            pli_skin_clear(&skin);
            status = pli_skin_init(&skin, job->context, part);
        }
        if (status == PLI_OK) status = write_frame(job, body, &skin, loaded);
        pli_frame_destroy(loaded);
    }
    pli_skin_clear(&skin);
    return status;
}

static pli_status write_ply(pli_export_job *job)
{
    for (int32_t body = 0; body < job->body_count; ++body) PLI_TRY(write_body(job, body));
    return PLI_OK;
}

const pli_exporter_ops pli_exporter_ply = {
    {"ply", "surface or points with fields, a file per body and frame (Blender, Houdini, MeshLab)"},
    write_ply};
