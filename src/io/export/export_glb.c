// SPDX-License-Identifier: Apache-2.0
//
// glTF 2.0 in its binary form: one mesh a body. The first frame is the mesh itself, every further
// one a morph target (differences of positions), and one animation fades from target to target, so
// that positions between frames are linear in time, which is exactly what the frames say.
//
// The JSON part states the smallest and largest value of every accessor and therefore comes first;
// so bodies are read twice, once to measure and once to write, and never held in memory. Normals
// are left out: they would double the file, and readers then shade flat, as the standard says.
#include "base/memory.h"
#include "io/export/export.h"
#include "io/file/json.h"

#include <math.h>
#include <string.h>

enum {
    GLB_MAGIC = 0x46546C67,
    GLB_JSON = 0x4E4F534A,
    GLB_BINARY = 0x004E4942,
    COMPONENT_FLOAT = 5126,
    COMPONENT_UINT = 5125,
    TARGET_VERTICES = 34962,
    TARGET_INDICES = 34963
};

typedef struct glb_body {
    pli_skin skin;
    float *base;     // [points][3] of the first frame (m)
    float (*box)[6]; // [frame_count] smallest and largest: of base, then of each target
} glb_body;

typedef struct glb {
    pli_export_job *job;
    pli_export_file file;
    glb_body *bodies; // [body_count]
    int32_t target_count;
    float *points;      // [points][3] scratch for one frame
    int64_t byte_count; // of the binary part so far
    int32_t view_count;
    int32_t accessor_count;
    pli_text views; // JSON of the lists that grow together
    pli_text accessors;
    pli_text meshes;
    pli_text nodes;
    pli_text materials;
    pli_text channels;
    int32_t node_count; // of bodies
} glb;

enum { TEXTS = 6 };

// The lists of JSON, for what is done to all of them.
static pli_text *part_of_json(glb *g, int index)
{
    pli_text *const texts[TEXTS] = {&g->views, &g->accessors, &g->meshes,
                                    &g->nodes, &g->materials, &g->channels};
    return texts[index];
}

// ---- measuring --------------------------------------------------------------------------------

// Keeps evenly spaced frames, the first and the last among them, when there are too many.
static void thin_frames(pli_export_job *job)
{
    int32_t most = job->def->max_targets > 0 ? job->def->max_targets : 1;
    int32_t count = job->frame_count;
    if (count <= most + 1) return;
    for (int32_t i = 0; i <= most; ++i) {
        job->positions[i] = job->positions[(int64_t)i * (count - 1) / most];
    }
    job->frame_count = most + 1;
    job->total = job->body_count * job->frame_count;
    job->report->frame_count = job->frame_count;
    PLI_LOG(job->context, PLI_LOG_INFO, "glb: %d of %d frames, since every one is a morph target",
            job->frame_count, count);
}

static void measure(const float *points, int64_t count, float box[6])
{
    for (int k = 0; k < 3; ++k) {
        box[k] = INFINITY;
        box[k + 3] = -INFINITY;
    }
    for (int64_t i = 0; i < 3 * count; ++i) {
        box[i % 3] = fminf(box[i % 3], points[i]);
        box[i % 3 + 3] = fmaxf(box[i % 3 + 3], points[i]);
    }
}

static pli_status begin_body(glb *g, int32_t body, const pli_frame_part *part)
{
    pli_context *context = g->job->context;
    glb_body *b = &g->bodies[body];
    PLI_TRY(pli_skin_init(&b->skin, context, part));
    b->base = PLI_NEW(context, float, 3 * (int64_t)b->skin.point_count, "export");
    b->box = pli_allocate(context, g->job->frame_count, sizeof *b->box, "export");
    pli_release(context, g->points);
    g->points = PLI_NEW(context, float, 3 * (int64_t)b->skin.point_count, "export");
    if (b->base == NULL || b->box == NULL || g->points == NULL) return PLI_ERROR_MEMORY;
    pli_skin_get_points(&b->skin, part, b->base);
    return PLI_OK;
}

// Reads a frame of a body: the first into base, any other as differences into points.
static pli_status read_frame(glb *g, int32_t body, int32_t frame)
{
    pli_frame *loaded = NULL;
    glb_body *b = &g->bodies[body];
    pli_status status = pli_export_need(g->job, body, frame, &loaded);
    if (status == PLI_OK && b->skin.context == NULL) {
        status = begin_body(g, body, &loaded->parts[0]);
    }
    if (status == PLI_OK && !pli_skin_fits(&b->skin, &loaded->parts[0])) {
        status = PLI_FAIL(g->job->context, PLI_ERROR_UNSUPPORTED,
                          "body '%s' changes its points or cells by frame %d, which morph targets "
                          "cannot say; ply, usda and vtkhdf can",
                          g->job->bodies[body].name, pli_export_frame(g->job, frame).index);
    }
    if (status == PLI_OK && frame > 0) {
        pli_skin_get_points(&b->skin, &loaded->parts[0], g->points);
        for (int64_t i = 0; i < 3 * (int64_t)b->skin.point_count; ++i) g->points[i] -= b->base[i];
    }
    pli_frame_destroy(loaded);
    return status;
}

static pli_status measure_body(glb *g, int32_t body)
{
    for (int32_t frame = 0; frame < g->job->frame_count; ++frame) {
        PLI_TRY(read_frame(g, body, frame));
        const glb_body *b = &g->bodies[body];
        measure(frame == 0 ? b->base : g->points, b->skin.point_count, b->box[frame]);
    }
    return PLI_OK;
}

// ---- JSON -------------------------------------------------------------------------------------

// Describes the next bytes of the binary part; returns the view's number.
static int32_t add_view(glb *g, int64_t bytes, int32_t stride, int32_t target)
{
    pli_text_format(&g->views, "%s{\"buffer\":0,\"byteOffset\":%lld,\"byteLength\":%lld",
                    g->view_count > 0 ? ",\n" : "", (long long)g->byte_count, (long long)bytes);
    if (stride > 0) pli_text_format(&g->views, ",\"byteStride\":%d", stride);
    if (target > 0) pli_text_format(&g->views, ",\"target\":%d", target);
    pli_text_append(&g->views, "}");
    g->byte_count += bytes;
    return g->view_count++;
}

typedef struct accessor {
    int32_t view;
    int64_t offset; // within the view (bytes)
    int32_t component;
    int64_t count;
    const char *type;
    const float *min; // NULL: not stated
    const float *max;
    int32_t bound_count;
} accessor;

static void append_bounds(pli_text *text, const char *key, const float *values, int32_t count)
{
    double exact[3];
    for (int32_t k = 0; k < count; ++k) exact[k] = (double)values[k];
    pli_text_format(text, ",\"%s\":", key);
    pli_json_append_numbers(text, exact, count);
}

static int32_t add_accessor(glb *g, const accessor *a)
{
    pli_text *text = &g->accessors;
    pli_text_format(text,
                    "%s{\"bufferView\":%d,\"byteOffset\":%lld,\"componentType\":%d,\"count\":%lld,"
                    "\"type\":\"%s\"",
                    g->accessor_count > 0 ? ",\n" : "", a->view, (long long)a->offset, a->component,
                    (long long)a->count, a->type);
    if (a->min != NULL) {
        append_bounds(text, "min", a->min, a->bound_count);
        append_bounds(text, "max", a->max, a->bound_count);
    }
    pli_text_append(text, "}");
    return g->accessor_count++;
}

static int32_t add_positions(glb *g, int32_t view, int64_t offset, int64_t count,
                             const float box[6])
{
    return add_accessor(g, &(accessor){.view = view,
                                       .offset = offset,
                                       .component = COMPONENT_FLOAT,
                                       .count = count,
                                       .type = "VEC3",
                                       .min = box,
                                       .max = box + 3,
                                       .bound_count = 3});
}

static void describe_targets(glb *g, const glb_body *b)
{
    int64_t points = b->skin.point_count;
    int32_t view = add_view(g, 12 * points * g->target_count, 12, TARGET_VERTICES);
    pli_text_append(&g->meshes, ",\"targets\":[");
    for (int32_t target = 0; target < g->target_count; ++target) {
        int32_t index = add_positions(g, view, 12 * points * target, points, b->box[target + 1]);
        pli_text_format(&g->meshes, "%s{\"POSITION\":%d}", target > 0 ? "," : "", index);
    }
    pli_text_append(&g->meshes, "]");
}

// A material per body, so that each can be changed alone: six colours that stay apart, linear.
static void describe_material(glb *g, const char *name)
{
    static const double colors[6][3] = {{0.10, 0.28, 0.72}, {0.75, 0.24, 0.05}, {0.03, 0.42, 0.25},
                                        {0.40, 0.12, 0.55}, {0.65, 0.42, 0.02}, {0.62, 0.06, 0.18}};
    pli_text *text = &g->materials;
    pli_text_append(text, g->node_count > 0 ? ",\n{\"name\":" : "{\"name\":");
    pli_json_append_string(text, name);
    pli_text_append(text, ",\"pbrMetallicRoughness\":{\"baseColorFactor\":[");
    for (int k = 0; k < 3; ++k) {
        pli_json_append_number(text, colors[g->node_count % 6][k]);
        pli_text_append(text, ",");
    }
    pli_text_append(text, "1],\"metallicFactor\":0,\"roughnessFactor\":0.6},"
                          "\"doubleSided\":true}");
}

static void describe_body(glb *g, int32_t body)
{
    const glb_body *b = &g->bodies[body];
    pli_text *text = &g->meshes;
    const char *separator = g->node_count > 0 ? ",\n" : "";
    int64_t points = b->skin.point_count;
    int32_t view = add_view(g, 12 * points, 0, TARGET_VERTICES);
    int32_t positions = add_positions(g, view, 0, points, b->box[0]);
    pli_text_format(text, "%s{\"name\":", separator);
    pli_json_append_string(text, g->job->bodies[body].name);
    pli_text_format(text, ",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"material\":%d",
                    positions, g->node_count);
    describe_material(g, g->job->bodies[body].name);
    if (b->skin.triangle_count > 0) {
        int64_t corners = 3 * (int64_t)b->skin.triangle_count;
        view = add_view(g, 4 * corners, 0, TARGET_INDICES);
        accessor indices = {.view = view, .component = COMPONENT_UINT, .count = corners};
        indices.type = "SCALAR";
        pli_text_format(text, ",\"indices\":%d", add_accessor(g, &indices));
    } else {
        pli_text_append(text, ",\"mode\":0");
    }
    if (g->target_count > 0) describe_targets(g, b);
    pli_text_append(text, "}]");
    if (g->target_count > 0) {
        pli_text_append(text, ",\"weights\":[0");
        for (int32_t i = 1; i < g->target_count; ++i) pli_text_append(text, ",0");
        pli_text_append(text, "]");
    }
    pli_text_append(text, "}");

    pli_text_format(&g->nodes, "%s{\"name\":", separator);
    pli_json_append_string(&g->nodes, g->job->bodies[body].name);
    pli_text_format(&g->nodes, ",\"mesh\":%d}", g->node_count);
    pli_text_format(&g->channels, "%s{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"weights\"}}",
                    separator, g->node_count);
    ++g->node_count;
}

static float time_of(const glb *g, int32_t frame)
{
    return (float)(pli_export_frame(g->job, frame).time - pli_export_frame(g->job, 0).time);
}

// Times and weights; returns the accessor of the times, the next one is that of the weights.
static int32_t describe_animation(glb *g)
{
    int64_t frames = g->job->frame_count;
    float first = 0;
    float last = time_of(g, (int32_t)frames - 1);
    accessor times = {.view = add_view(g, 4 * frames, 0, 0),
                      .component = COMPONENT_FLOAT,
                      .count = frames,
                      .type = "SCALAR",
                      .min = &first,
                      .max = &last,
                      .bound_count = 1};
    int32_t index = add_accessor(g, &times);
    accessor weights = {.view = add_view(g, 4 * frames * g->target_count, 0, 0),
                        .component = COMPONENT_FLOAT,
                        .count = frames * g->target_count,
                        .type = "SCALAR"};
    add_accessor(g, &weights);
    return index;
}

static void append_json(glb *g, pli_text *text, int32_t times)
{
    pli_text_format(text,
                    "{\"asset\":{\"version\":\"2.0\",\"generator\":\"pliant %s\"},\n"
                    "\"scene\":0,\"scenes\":[{\"nodes\":[%d]}],\n\"nodes\":[%s,\n",
                    pli_version(), g->node_count, g->nodes.bytes);
    // glTF's up is y: a scene whose up is z is turned about x by -90 degrees
    pli_text_append(text, "{\"name\":\"world\"");
    if (g->job->z_up) {
        pli_text_append(text, ",\"rotation\":[-0.70710678118654752,0,0,0.70710678118654752]");
    }
    pli_text_append(text, ",\"children\":[");
    for (int32_t i = 0; i < g->node_count; ++i) {
        pli_text_format(text, "%s%d", i > 0 ? "," : "", i);
    }
    pli_text_format(text, "]}],\n\"meshes\":[%s],\n\"materials\":[%s],\n", g->meshes.bytes,
                    g->materials.bytes);
    if (times >= 0) {
        pli_text_format(text,
                        "\"animations\":[{\"name\":\"frames\",\"samplers\":[{\"input\":%d,"
                        "\"output\":%d,\"interpolation\":\"LINEAR\"}],\"channels\":[%s]}],\n",
                        times, times + 1, g->channels.bytes);
    }
    pli_text_format(text,
                    "\"accessors\":[%s],\n\"bufferViews\":[%s],\n"
                    "\"buffers\":[{\"byteLength\":%lld}]}",
                    g->accessors.bytes, g->views.bytes, (long long)g->byte_count);
    while (text->length % 4 != 0 && !text->failed) pli_text_append(text, " ");
}

// ---- binary -----------------------------------------------------------------------------------

static pli_status append_body_data(glb *g, int32_t body)
{
    glb_body *b = &g->bodies[body];
    pli_context *context = g->job->context;
    int64_t points = b->skin.point_count;
    pli_text_append_bytes(&g->file.text, b->base, 12 * points);
    if (b->skin.triangle_count > 0) {
        pli_text_append_bytes(&g->file.text, b->skin.triangles,
                              12 * (int64_t)b->skin.triangle_count);
    }
    pli_release(context, g->points);
    g->points = PLI_NEW(context, float, 3 * points, "export");
    if (g->points == NULL) return PLI_ERROR_MEMORY;
    for (int32_t frame = 1; frame < g->job->frame_count; ++frame) {
        PLI_TRY(read_frame(g, body, frame));
        pli_text_append_bytes(&g->file.text, g->points, 12 * points);
        PLI_TRY(pli_export_file_flush(&g->file));
    }
    return PLI_OK;
}

// The weights of frame i are those of target i - 1 alone.
static void append_animation_data(glb *g)
{
    for (int32_t frame = 0; frame < g->job->frame_count; ++frame) {
        float time = time_of(g, frame);
        pli_text_append_bytes(&g->file.text, &time, 4);
    }
    for (int32_t frame = 0; frame < g->job->frame_count; ++frame) {
        for (int32_t target = 0; target < g->target_count; ++target) {
            float weight = target == frame - 1 ? 1 : 0;
            pli_text_append_bytes(&g->file.text, &weight, 4);
        }
    }
}

static void append_chunk(pli_text *text, uint32_t length, uint32_t type)
{
    pli_text_append_bytes(text, &length, 4);
    pli_text_append_bytes(text, &type, 4);
}

// Writes both headers and the JSON part.
static pli_status append_front(glb *g, const pli_text *json)
{
    int64_t total = 12 + 8 + json->length + 8 + g->byte_count;
    if (total > UINT32_MAX) {
        return PLI_FAIL(g->job->context, PLI_ERROR_UNSUPPORTED,
                        "the glb file would have %lld bytes, but 4 GiB is its limit; take fewer "
                        "frames (max_targets)",
                        (long long)total);
    }
    uint32_t head[3] = {GLB_MAGIC, 2, (uint32_t)total};
    pli_text_append_bytes(&g->file.text, head, sizeof head);
    append_chunk(&g->file.text, (uint32_t)json->length, GLB_JSON);
    pli_text_append_bytes(&g->file.text, json->bytes, json->length);
    append_chunk(&g->file.text, (uint32_t)g->byte_count, GLB_BINARY);
    return PLI_OK;
}

// ---- the file ---------------------------------------------------------------------------------

static bool is_shown(const glb *g, int32_t body)
{
    return g->bodies[body].skin.point_count > 0;
}

static pli_status describe_all(glb *g, pli_text *json)
{
    for (int32_t body = 0; body < g->job->body_count; ++body) {
        if (is_shown(g, body)) describe_body(g, body);
    }
    if (g->node_count == 0) {
        return PLI_FAIL(g->job->context, PLI_ERROR_UNSUPPORTED,
                        "the frames have no points, and a glb file cannot be empty");
    }
    int32_t times = g->target_count > 0 ? describe_animation(g) : -1;
    for (int i = 0; i < TEXTS; ++i) {
        if (part_of_json(g, i)->failed) return PLI_ERROR_MEMORY;
    }
    append_json(g, json, times);
    return json->failed ? PLI_ERROR_MEMORY : PLI_OK;
}

static pli_status write_all(glb *g, pli_text *json)
{
    pli_context *context = g->job->context;
    g->bodies = PLI_NEW(context, glb_body, g->job->body_count, "export");
    if (g->bodies == NULL) return PLI_ERROR_MEMORY;
    for (int32_t body = 0; body < g->job->body_count; ++body) PLI_TRY(measure_body(g, body));
    PLI_TRY(describe_all(g, json));
    PLI_TRY(append_front(g, json));
    for (int32_t body = 0; body < g->job->body_count; ++body) {
        if (is_shown(g, body)) PLI_TRY(append_body_data(g, body));
    }
    if (g->target_count > 0) append_animation_data(g);
    return pli_export_file_commit(&g->file);
}

static void clear(glb *g)
{
    pli_context *context = g->job->context;
    for (int32_t body = 0; g->bodies != NULL && body < g->job->body_count; ++body) {
        pli_skin_clear(&g->bodies[body].skin);
        PLI_RELEASE(context, g->bodies[body].base, g->bodies[body].box);
    }
    PLI_RELEASE(context, g->bodies, g->points);
    for (int i = 0; i < TEXTS; ++i) pli_text_clear(part_of_json(g, i));
    pli_export_file_clear(&g->file);
}

static pli_status write_glb(pli_export_job *job)
{
    thin_frames(job);
    glb g = {.job = job, .target_count = job->frame_count - 1};
    for (int i = 0; i < TEXTS; ++i) pli_text_init(part_of_json(&g, i), job->context);
    pli_text json;
    pli_text_init(&json, job->context);
    char *path = pli_export_path(job, job->title, ".glb");
    pli_status status = path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_export_file_init(&g.file, job, path);
    if (status == PLI_OK) status = write_all(&g, &json);
    clear(&g);
    pli_text_clear(&json);
    pli_release(job->context, path);
    return status;
}

const pli_exporter_ops pli_exporter_glb = {
    {"glb", "one glTF 2.0 file, frames as morph targets (web pages, Blender, game engines)"},
    write_glb};
