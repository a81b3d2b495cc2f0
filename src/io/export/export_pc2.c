// SPDX-License-Identifier: Apache-2.0
//
// OBJ and its point cache: <body>.obj has the first frame's surface, <body>.pc2 the positions of
// the same vertices in every frame. Blender plays it with the Mesh Cache modifier.
//
// PC2: "POINTCACHE2" and a zero byte, int32 version 1, int32 points, float start frame, float
// frames per sample, int32 samples; then samples x points x 3 floats, all little endian.
#include "base/memory.h"
#include "base/number.h"
#include "io/export/export.h"

#include <string.h>

typedef struct cache {
    pli_export_job *job;
    int32_t body;
    pli_skin skin;
    float *points; // [points][3] of the current frame (m)
} cache;

static void append_obj(pli_text *text, const cache *c)
{
    pli_text_format(text, "# pliant %s, metres, %s is up; motion in %s.pc2\no %s\n", pli_version(),
                    c->job->z_up ? "z" : "y", c->job->bodies[c->body].stem,
                    c->job->bodies[c->body].stem);
    for (int64_t i = 0; i < c->skin.point_count; ++i) {
        pli_text_append(text, "v");
        for (int k = 0; k < 3; ++k) {
            pli_text_append(text, " ");
            pli_text_append_float(text, c->points[3 * i + k]);
        }
        pli_text_append(text, "\n");
    }
    for (int64_t i = 0; i < c->skin.triangle_count; ++i) {
        const int32_t *corner = c->skin.triangles + 3 * i;
        pli_text_format(text, "f %d %d %d\n", corner[0] + 1, corner[1] + 1, corner[2] + 1);
    }
}

static pli_status write_obj(cache *c)
{
    pli_export_file file = {0};
    char *path = pli_export_path(c->job, c->job->bodies[c->body].stem, ".obj");
    pli_status status = path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_export_file_init(&file, c->job, path);
    if (status == PLI_OK) append_obj(&file.text, c);
    if (status == PLI_OK) status = pli_export_file_commit(&file);
    pli_export_file_clear(&file);
    pli_release(c->job->context, path);
    return status;
}

static void append_pc2_header(pli_text *text, const cache *c)
{
    const pli_export_job *job = c->job;
    int32_t first = pli_export_frame(job, 0).index;
    int32_t next = job->frame_count > 1 ? pli_export_frame(job, 1).index : first + 1;
    int32_t version = 1;
    float start = (float)first;
    float rate = (float)(next - first);
    pli_text_append_bytes(text, "POINTCACHE2", 12);
    pli_text_append_bytes(text, &version, 4);
    pli_text_append_bytes(text, &c->skin.point_count, 4);
    pli_text_append_bytes(text, &start, 4);
    pli_text_append_bytes(text, &rate, 4);
    pli_text_append_bytes(text, &job->frame_count, 4);
}

// Makes skin and OBJ from the first frame, and checks that later ones have the same cells.
static pli_status take_frame(cache *c, int32_t frame, const pli_frame_part *part)
{
    pli_context *context = c->job->context;
    if (frame == 0) {
        PLI_TRY(pli_skin_init(&c->skin, context, part));
        c->points = PLI_NEW(context, float, 3 * (int64_t)c->skin.point_count, "export");
        if (c->points == NULL) return PLI_ERROR_MEMORY;
    } else if (!pli_skin_fits(&c->skin, part)) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "body '%s' changes its points or cells by frame %d, which a point cache "
                        "cannot say; ply, usda and vtkhdf can",
                        c->job->bodies[c->body].name, pli_export_frame(c->job, frame).index);
    }
    pli_skin_get_points(&c->skin, part, c->points);
    return frame == 0 ? write_obj(c) : PLI_OK;
}

static pli_status append_frames(cache *c, pli_export_file *file)
{
    pli_status status = PLI_OK;
    for (int32_t frame = 0; frame < c->job->frame_count && status == PLI_OK; ++frame) {
        pli_frame *loaded = NULL;
        status = pli_export_need(c->job, c->body, frame, &loaded);
        if (status == PLI_OK) status = take_frame(c, frame, &loaded->parts[0]);
        if (status == PLI_OK && frame == 0) append_pc2_header(&file->text, c);
        if (status == PLI_OK) {
            pli_text_append_bytes(&file->text, c->points,
                                  3 * (int64_t)c->skin.point_count * (int64_t)sizeof(float));
            status = pli_export_file_flush(file);
        }
        pli_frame_destroy(loaded);
    }
    return status;
}

static pli_status write_body(pli_export_job *job, int32_t body)
{
    cache c = {.job = job, .body = body};
    pli_export_file file = {0};
    char *path = pli_export_path(job, job->bodies[body].stem, ".pc2");
    pli_status status = path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_export_file_init(&file, job, path);
    if (status == PLI_OK) status = append_frames(&c, &file);
    if (status == PLI_OK) status = pli_export_file_commit(&file);
    pli_export_file_clear(&file);
    pli_skin_clear(&c.skin);
    PLI_RELEASE(job->context, c.points, path);
    return status;
}

static pli_status write_pc2(pli_export_job *job)
{
    for (int32_t body = 0; body < job->body_count; ++body) PLI_TRY(write_body(job, body));
    return PLI_OK;
}

const pli_exporter_ops pli_exporter_pc2 = {
    {"obj+pc2", "surface as OBJ with a point cache of its motion (Blender's Mesh Cache modifier)"},
    write_pc2};
