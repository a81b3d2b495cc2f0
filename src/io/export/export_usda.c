// SPDX-License-Identifier: Apache-2.0
//
// USD as text: one file with a Mesh or Points prim a body under one Xform. Positions are time
// samples, one a frame, at time codes that are the frames' numbers. A mesh keeps its topology;
// points may change in number; they carry velocities, so that motion can be blurred, and widths:
// those that the particles have, or one for all that fits their number.
// subdivisionScheme is "none": importers would otherwise smooth the mesh.
#include "base/memory.h"
#include "base/number.h"
#include "io/export/export.h"
#include "io/frames/frame_part.h"

#include <math.h>
#include <string.h>

typedef struct usda {
    pli_export_job *job;
    pli_export_file *file;
    int32_t body;
    pli_skin skin;      // of the current part
    float *points;      // [points][3] of the current part (m)
    float (*extent)[6]; // [frame_count] smallest and largest coordinates (m)
    bool *present;      // [frame_count] the frame has the body
    bool has_radii;     // particles say how large each of them is
    float width;        // of all particles, when they do not (m); 0: there were none so far
} usda;

// ---- reading a frame --------------------------------------------------------------------------

static void measure(usda *u, int32_t frame)
{
    float *box = u->extent[frame];
    for (int k = 0; k < 3; ++k) {
        box[k] = u->skin.point_count > 0 ? INFINITY : 0;
        box[k + 3] = u->skin.point_count > 0 ? -INFINITY : 0;
    }
    for (int64_t i = 0; i < u->skin.point_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            box[k] = fminf(box[k], u->points[3 * i + k]);
            box[k + 3] = fmaxf(box[k + 3], u->points[3 * i + k]);
        }
    }
    u->present[frame] = true;
}

// Width of all particles, by the first frame that has some: what the part says, or else the edge of
// a particle's share of the box around them.
static void measure_width(usda *u, int32_t frame, const pli_frame_part *part)
{
    u->has_radii = u->has_radii || pli_part_find_radius(part) != NULL;
    if (part->kind != PLI_PART_POINTS || part->point_count == 0 || u->width > 0) return;
    const float *box = u->extent[frame];
    double volume = 1;
    for (int k = 0; k < 3; ++k) volume *= fmax((double)(box[k + 3] - box[k]), 1e-6);
    double share = cbrt(volume / part->point_count);
    u->width = (float)(part->radius > 0 ? 2 * part->radius : share);
}

// Brings skin and points up to a part.
static pli_status take_part(usda *u, const pli_frame_part *part)
{
    pli_context *context = u->job->context;
    if (u->skin.context == NULL || !pli_skin_fits(&u->skin, part)) {
        bool points = u->skin.kind == PLI_PART_POINTS && part->kind == PLI_PART_POINTS;
        if (u->skin.context != NULL && !points) {
            return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                            "body '%s' changes its cells; ply and vtkhdf can say that",
                            u->job->bodies[u->body].name);
        }
        pli_skin_clear(&u->skin);
        PLI_TRY(pli_skin_init(&u->skin, context, part));
        pli_release(context, u->points);
        u->points = PLI_NEW(context, float, 3 * (int64_t)u->skin.point_count, "export");
        if (u->points == NULL) return PLI_ERROR_MEMORY;
    }
    pli_skin_get_points(&u->skin, part, u->points);
    return PLI_OK;
}

// ---- text -------------------------------------------------------------------------------------

static void append_vector(pli_text *text, const float *vector)
{
    pli_text_append(text, "(");
    for (int k = 0; k < 3; ++k) {
        if (k > 0) pli_text_append(text, ", ");
        pli_text_append_float(text, vector[k]);
    }
    pli_text_append(text, ")");
}

static pli_status append_vectors(usda *u, const float *vectors, int64_t count)
{
    pli_text *text = &u->file->text;
    pli_text_append(text, "[");
    for (int64_t i = 0; i < count; ++i) {
        if (i > 0) pli_text_append(text, ", ");
        append_vector(text, vectors + 3 * i);
        PLI_TRY(pli_export_file_flush(u->file));
    }
    pli_text_append(text, "]");
    return PLI_OK;
}

static void begin_sample(usda *u, int32_t frame)
{
    pli_text_format(&u->file->text, "            %d: ", pli_export_frame(u->job, frame).index);
}

static pli_status append_topology(usda *u)
{
    pli_text *text = &u->file->text;
    pli_text_append(text, "        uniform token subdivisionScheme = \"none\"\n"
                          "        int[] faceVertexCounts = [");
    for (int32_t i = 0; i < u->skin.triangle_count; ++i) {
        pli_text_append(text, i > 0 ? ", 3" : "3");
    }
    pli_text_append(text, "]\n        int[] faceVertexIndices = [");
    for (int64_t i = 0; i < 3 * (int64_t)u->skin.triangle_count; ++i) {
        pli_text_format(text, "%s%d", i > 0 ? ", " : "", u->skin.triangles[i]);
        PLI_TRY(pli_export_file_flush(u->file));
    }
    pli_text_append(text, "]\n");
    return PLI_OK;
}

// Positions of every frame; the first one decides what kind of prim this is.
static pli_status append_positions(usda *u)
{
    pli_status status = PLI_OK;
    bool begun = false;
    pli_text *text = &u->file->text;
    for (int32_t frame = 0; frame < u->job->frame_count && status == PLI_OK; ++frame) {
        pli_frame *loaded = NULL;
        status = pli_export_load(u->job, u->body, frame, &loaded);
        if (loaded == NULL) continue;
        status = take_part(u, &loaded->parts[0]);
        bool mesh = loaded->parts[0].kind != PLI_PART_POINTS;
        if (status == PLI_OK && !begun) {
            pli_text_format(text, "    def %s \"%s\"\n    {\n", mesh ? "Mesh" : "Points",
                            u->job->bodies[u->body].stem);
            if (mesh) status = append_topology(u);
            pli_text_append(text, "        point3f[] points.timeSamples = {\n");
            begun = true;
        }
        if (status == PLI_OK) {
            measure(u, frame);
            measure_width(u, frame, &loaded->parts[0]);
            begin_sample(u, frame);
            status = append_vectors(u, u->points, u->skin.point_count);
            pli_text_append(text, ",\n");
        }
        pli_frame_destroy(loaded);
    }
    pli_text_append(text, "        }\n");
    return status;
}

static void append_extents(usda *u)
{
    pli_text *text = &u->file->text;
    pli_text_append(text, "        float3[] extent.timeSamples = {\n");
    for (int32_t frame = 0; frame < u->job->frame_count; ++frame) {
        if (!u->present[frame]) continue;
        begin_sample(u, frame);
        pli_text_append(text, "[");
        append_vector(text, u->extent[frame]);
        pli_text_append(text, ", ");
        append_vector(text, u->extent[frame] + 3);
        pli_text_append(text, "],\n");
    }
    pli_text_append(text, "        }\n");
}

// One sample of velocities; frames without the field have none.
static pli_status append_velocity(usda *u, int32_t frame, const pli_frame_part *part)
{
    const pli_frame_field *field = pli_part_find_field(part, "velocity", PLI_PLACE_POINT, 3);
    if (field == NULL) return PLI_OK;
    pli_skin_get_values(&u->skin, part, field, NULL, u->points);
    begin_sample(u, frame);
    PLI_TRY(append_vectors(u, u->points, u->skin.point_count));
    pli_text_append(&u->file->text, ",\n");
    return PLI_OK;
}

// One sample of widths, which are diameters.
static pli_status append_width(usda *u, int32_t frame, const pli_frame_part *part)
{
    const pli_frame_field *radii = pli_part_find_radius(part);
    pli_text *text = &u->file->text;
    begin_sample(u, frame);
    pli_text_append(text, "[");
    for (int64_t i = 0; i < part->point_count; ++i) {
        double radius = pli_part_radius(part, radii, i);
        if (i > 0) pli_text_append(text, ", ");
        pli_text_append_float(text, radius > 0 ? (float)(2 * radius) : u->width);
        PLI_TRY(pli_export_file_flush(u->file));
    }
    pli_text_append(text, "],\n");
    return PLI_OK;
}

typedef pli_status (*append_fn)(usda *u, int32_t frame, const pli_frame_part *part);

// An attribute of particles with a sample a frame.
static pli_status append_samples(usda *u, const char *attribute, append_fn append)
{
    pli_status status = PLI_OK;
    pli_text_format(&u->file->text, "        %s.timeSamples = {\n", attribute);
    for (int32_t frame = 0; frame < u->job->frame_count && status == PLI_OK; ++frame) {
        pli_frame *loaded = NULL;
        status = pli_export_load(u->job, u->body, frame, &loaded);
        if (loaded == NULL) continue;
        status = take_part(u, &loaded->parts[0]);
        if (status == PLI_OK) status = append(u, frame, &loaded->parts[0]);
        pli_frame_destroy(loaded);
    }
    pli_text_append(&u->file->text, "        }\n");
    return status;
}

static pli_status append_point_attributes(usda *u)
{
    pli_text *text = &u->file->text;
    if (u->has_radii) {
        pli_text_append(text, "        float[] widths (\n            interpolation = \"vertex\"\n"
                              "        )\n");
        PLI_TRY(append_samples(u, "float[] widths", append_width));
    } else {
        pli_text_append(text, "        float[] widths = [");
        pli_text_append_float(text, u->width);
        pli_text_append(text, "] (\n            interpolation = \"constant\"\n        )\n");
    }
    return append_samples(u, "vector3f[] velocities", append_velocity);
}

static pli_status append_body(usda *u)
{
    pli_context *context = u->job->context;
    u->extent = pli_allocate(context, u->job->frame_count, sizeof *u->extent, "export");
    u->present = PLI_NEW(context, bool, u->job->frame_count, "export");
    pli_status status = u->extent != NULL && u->present != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = append_positions(u);
    if (status == PLI_OK) append_extents(u);
    if (status == PLI_OK && u->skin.kind == PLI_PART_POINTS) status = append_point_attributes(u);
    pli_text_append(&u->file->text, "    }\n");
    pli_skin_clear(&u->skin);
    PLI_RELEASE(context, u->points, u->extent, u->present);
    return status;
}

// ---- the file ---------------------------------------------------------------------------------

static void append_header(pli_text *text, const pli_export_job *job)
{
    pli_text_format(text,
                    "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = \"pliant %s\"\n"
                    "    metersPerUnit = 1\n    upAxis = \"%s\"\n    timeCodesPerSecond = ",
                    pli_version(), job->z_up ? "Z" : "Y");
    pli_text_append_number(text, job->fps);
    pli_text_append(text, "\n    framesPerSecond = ");
    pli_text_append_number(text, job->fps);
    pli_text_format(text,
                    "\n    startTimeCode = %d\n    endTimeCode = %d\n)\n\n"
                    "def Xform \"World\"\n{\n",
                    pli_export_frame(job, 0).index,
                    pli_export_frame(job, job->frame_count - 1).index);
}

static pli_status write_usda(pli_export_job *job)
{
    pli_export_file file = {0};
    char *path = pli_export_path(job, job->title, ".usda");
    pli_status status = path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_export_file_init(&file, job, path);
    if (status == PLI_OK) append_header(&file.text, job);
    for (int32_t body = 0; body < job->body_count && status == PLI_OK; ++body) {
        usda u = {.job = job, .file = &file, .body = body};
        status = append_body(&u);
    }
    if (status == PLI_OK) {
        pli_text_append(&file.text, "}\n");
        status = pli_export_file_commit(&file);
    }
    pli_export_file_clear(&file);
    pli_release(job->context, path);
    return status;
}

const pli_exporter_ops pli_exporter_usda = {
    {"usda",
     "one USD text file: meshes and points with time samples (Houdini, Omniverse, usdview)"},
    write_usda};
