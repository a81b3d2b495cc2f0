// SPDX-License-Identifier: Apache-2.0
//
// PLY, binary little endian: one file a body and frame. Vertices are float32 x y z, then one
// property a field (three for vectors: name_x, name_y, name_z); faces are lists of three vertices.
#include "base/memory.h"
#include "base/number.h"
#include "io/export.h"

#include <stdio.h>
#include <string.h>

// one property that a vertex has behind its position
typedef struct column {
    const pli_frame_field *field;
    const float *values; // [points][components]
} column;

static void append_property(pli_text *text, const char *name, const char *suffix)
{
    pli_text_append(text, "property float ");
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
    pli_text_format(text, " s\nelement vertex %d\n", skin->point_count);
    append_property(text, "x", "");
    append_property(text, "y", "");
    append_property(text, "z", "");
    for (int32_t i = 0; i < part->field_count; ++i) {
        const pli_frame_field *field = &part->fields[i];
        for (int32_t k = 0; k < field->components; ++k) {
            append_property(text, field->name, field->components > 1 ? suffixes[k] : "");
        }
    }
    if (skin->kind != PLI_PART_POINTS) {
        pli_text_format(text, "element face %d\nproperty list uchar int vertex_indices\n",
                        skin->triangle_count);
    }
    pli_text_append(text, "end_header\n");
}

static void append_vertices(pli_text *text, const pli_skin *skin, const float *points,
                            const column *columns, int32_t column_count)
{
    for (int64_t i = 0; i < skin->point_count; ++i) {
        pli_text_append_bytes(text, points + 3 * i, 3 * (int64_t)sizeof *points);
        for (int32_t c = 0; c < column_count; ++c) {
            int64_t components = columns[c].field->components;
            pli_text_append_bytes(text, columns[c].values + components * i,
                                  components * (int64_t)sizeof *points);
        }
    }
}

static void append_faces(pli_text *text, const pli_skin *skin)
{
    for (int64_t i = 0; i < skin->triangle_count; ++i) {
        pli_text_append_bytes(text, "\3", 1);
        pli_text_append_bytes(text, skin->triangles + 3 * i, 3 * (int64_t)sizeof(int32_t));
    }
}

// Collects positions and fields, then writes header, vertices and faces.
static pli_status append_all(pli_export_file *file, const pli_skin *skin, const pli_frame *frame)
{
    const pli_frame_part *part = &frame->parts[0];
    pli_context *context = file->job->context;
    int64_t width = 3; // numbers of a vertex
    for (int32_t i = 0; i < part->field_count; ++i) width += part->fields[i].components;
    float *numbers = PLI_NEW(context, float, width * skin->point_count, "export");
    double *scratch = PLI_NEW(context, double, 4 * (int64_t)part->point_count, "export");
    column *columns = PLI_NEW(context, column, part->field_count, "export");
    pli_status status = PLI_ERROR_MEMORY;
    if (numbers == NULL || scratch == NULL || columns == NULL) goto done;

    pli_skin_get_points(skin, part, numbers);
    float *next = numbers + 3 * (int64_t)skin->point_count;
    for (int32_t i = 0; i < part->field_count; ++i) {
        pli_skin_get_values(skin, part, &part->fields[i], scratch, next);
        columns[i] = (column){&part->fields[i], next};
        next += (int64_t)part->fields[i].components * skin->point_count;
    }
    append_header(&file->text, file->job, skin, frame);
    append_vertices(&file->text, skin, numbers, columns, part->field_count);
    append_faces(&file->text, skin);
    status = file->text.failed ? PLI_ERROR_MEMORY : PLI_OK;

done:
    pli_release(context, columns);
    pli_release(context, scratch);
    pli_release(context, numbers);
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

// A body whose cells change gets a new skin.
static pli_status update_skin(pli_export_job *job, const pli_frame_part *part, pli_skin *skin)
{
    if (skin->context != NULL && pli_skin_fits(skin, part)) return PLI_OK;
    pli_skin_clear(skin);
    return pli_skin_init(skin, job->context, part);
}

static pli_status write_body(pli_export_job *job, int32_t body)
{
    pli_skin skin = {0};
    pli_status status = PLI_OK;
    for (int32_t frame = 0; frame < job->frame_count && status == PLI_OK; ++frame) {
        pli_frame *loaded = NULL;
        status = pli_export_load(job, body, frame, &loaded);
        if (loaded == NULL) continue;
        status = update_skin(job, &loaded->parts[0], &skin);
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
