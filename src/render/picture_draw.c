// SPDX-License-Identifier: Apache-2.0
#include "render/picture_view.h"

#include "base/memory.h"
#include "math/vec3.h"

enum { MOST_PIXELS_ACROSS = 16384, MOST_SAMPLES = 8, MOST_RAYS = 256 };

struct pli_picture {
    pli_context *context;
    pli_picture_def def; // the texts are copies
    char *field;
    char **hidden; // [def.hidden_count]
    RTCDevice device;
    pli_status device_status; // of Embree's last failure since it was cleared
    pli_arena *scratch;

    bool is_surveyed;
    pli_picture_survey_data survey; // of all frames given to pli_picture_survey
};

static pli_status check_number(pli_context *context, const char *name, double value, double low,
                               double high)
{
    if (value >= low && value <= high) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "picture: %s is %g; allowed are %g to %g", name,
                    value, low, high);
}

static pli_status check_camera(pli_context *context, const pli_camera_def *camera)
{
    PLI_TRY(check_number(context, "camera.fov", camera->fov, 1, 150));
    PLI_TRY(check_number(context, "camera.orbit", camera->orbit, -360, 360));
    double up = pli_vec3_norm(camera->up);
    if (!(up > 0) || !isfinite(up)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "picture: camera.up must be a direction, such as (0, 1, 0)");
    }
    if (camera->automatic) {
        PLI_TRY(check_number(context, "camera.azimuth", camera->azimuth, -1e6, 1e6));
        return check_number(context, "camera.elevation", camera->elevation, -89, 89);
    }
    double distance = pli_vec3_distance(camera->position, camera->target);
    if (!(distance > 0) || !isfinite(distance)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "picture: camera.position and camera.target must be two finite points");
    }
    return PLI_OK;
}

static pli_status check_colors(pli_context *context, const pli_picture_def *def)
{
    PLI_TRY(check_number(context, "component", def->component, PLI_COMPONENT_MAGNITUDE,
                         PLI_FIELD_COMPONENTS - 1));
    PLI_TRY(check_number(context, "colormap", def->colormap, 0, PLI_COLORMAP_CATEGORIES));
    PLI_TRY(check_number(context, "background", def->background, 0, PLI_BACKGROUND_DARK));
    PLI_TRY(check_number(context, "colliders", def->colliders, 0, PLI_COLLIDERS_GLASS));
    if (def->automatic_range) return PLI_OK;
    if (def->range[0] < def->range[1] && isfinite(def->range[0]) && isfinite(def->range[1])) {
        return PLI_OK;
    }
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "picture: range is %g to %g; the first value must be less than the second",
                    def->range[0], def->range[1]);
}

static pli_status check_parts(pli_context *context, const pli_picture_def *def)
{
    PLI_TRY(check_number(context, "hidden_count", def->hidden_count, 0, INT32_MAX));
    for (int32_t k = 0; k < def->hidden_count; ++k) {
        if (def->hidden != NULL && def->hidden[k] != NULL) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "picture: hidden has no name %d", (int)k);
    }
    const pli_section_def *section = &def->section;
    if (!section->cuts) return PLI_OK;
    double length = pli_vec3_norm(section->normal);
    if (length > 0 && isfinite(length) && isfinite(section->offset)) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "picture: section needs a normal such as (1, 0, 0) and a finite offset");
}

static pli_status check_def(pli_context *context, const pli_picture_def *def)
{
    PLI_TRY(check_number(context, "width", def->width, 1, MOST_PIXELS_ACROSS));
    PLI_TRY(check_number(context, "height", def->height, 1, MOST_PIXELS_ACROSS));
    PLI_TRY(check_number(context, "samples", def->samples, 1, MOST_SAMPLES));
    PLI_TRY(check_number(context, "occlusion_rays", def->occlusion_rays, 0, MOST_RAYS));
    PLI_TRY(check_number(context, "shadow_rays", def->shadow_rays, 0, MOST_RAYS));
    PLI_TRY(check_number(context, "edge_width", def->edge_width, 0, 100));
    PLI_TRY(check_number(context, "particle_radius", def->particle_radius, 0, 1e12));
    PLI_TRY(check_number(context, "particle_scale", def->particle_scale, 0, 1e6));
    if (!def->automatic_ground) {
        PLI_TRY(check_number(context, "ground_height", def->ground_height, -1e12, 1e12));
    }
    PLI_TRY(check_colors(context, def));
    PLI_TRY(check_parts(context, def));
    return check_camera(context, &def->camera);
}

// Embree's failures become ours; the text is kept in the context
static pli_status status_of_embree(enum RTCError code)
{
    switch (code) {
    case RTC_ERROR_NONE: return PLI_OK;
    case RTC_ERROR_OUT_OF_MEMORY: return PLI_ERROR_MEMORY;
    case RTC_ERROR_UNSUPPORTED_CPU: return PLI_ERROR_UNSUPPORTED;
    default: return PLI_ERROR_NUMERIC;
    }
}

static void hear_embree(void *user, enum RTCError code, const char *text)
{
    pli_picture *picture = user;
    picture->device_status =
        PLI_FAIL(picture->context, status_of_embree(code), "Embree: %s", text != NULL ? text : "");
}

static pli_status open_device(pli_picture *picture)
{
    // one thread: see render/picture.h on equal bytes
    picture->device = rtcNewDevice("threads=1");
    if (picture->device == NULL) {
        enum RTCError code = rtcGetDeviceError(NULL);
        return PLI_FAIL(picture->context, status_of_embree(code),
                        "Embree could not be started (error %d)", (int)code);
    }
    rtcSetDeviceErrorFunction(picture->device, hear_embree, picture);
    return PLI_OK;
}

// The texts of the definition become the picture's own. What was copied before a failure is
// released with the picture.
static pli_status copy_texts(pli_picture *picture, const pli_picture_def *def)
{
    pli_context *context = picture->context;
    picture->def.hidden_count = 0;
    picture->def.hidden = NULL;
    picture->def.field = picture->field =
        pli_string_copy(context, def->field != NULL ? def->field : "");
    if (picture->field == NULL) return PLI_ERROR_MEMORY;
    if (def->hidden_count == 0) return PLI_OK;
    PLI_TRY(PLI_MAKE(context, picture->hidden, def->hidden_count, "picture"));
    for (int32_t k = 0; k < def->hidden_count; ++k) {
        picture->hidden[k] = pli_string_copy(context, def->hidden[k]);
        if (picture->hidden[k] == NULL) return PLI_ERROR_MEMORY;
        ++picture->def.hidden_count;
    }
    picture->def.hidden = (const char *const *)picture->hidden;
    return PLI_OK;
}

pli_status pli_picture_create(pli_context *context, const pli_picture_def *def,
                              pli_picture **picture)
{
    *picture = NULL;
    PLI_TRY(check_def(context, def));
    pli_picture *made = PLI_NEW(context, pli_picture, 1, "picture");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    pli_picture_survey_init(&made->def, &made->survey);

    pli_status status = copy_texts(made, def);
    if (status != PLI_OK) goto done;
    status = pli_arena_create(context, 1 << 16, &made->scratch);
    if (status != PLI_OK) goto done;
    status = open_device(made);
    if (status != PLI_OK) goto done;
    *picture = made;
    made = NULL;

done:
    pli_picture_destroy(made);
    return status;
}

void pli_picture_destroy(pli_picture *picture)
{
    if (picture == NULL) return;
    if (picture->device != NULL) rtcReleaseDevice(picture->device);
    pli_arena_destroy(picture->scratch);
    for (int32_t k = 0; k < picture->def.hidden_count; ++k) {
        pli_release(picture->context, picture->hidden[k]);
    }
    PLI_RELEASE(picture->context, picture->hidden, picture->field, picture);
}

pli_status pli_picture_survey(pli_picture *picture, const pli_frame *frame)
{
    pli_frame seen;
    pli_arena_mark mark = pli_arena_begin(picture->scratch);
    pli_status status = pli_picture_hide(&picture->def, frame, picture->scratch, &seen);
    if (status == PLI_OK) {
        pli_picture_survey_add(picture->context, &picture->def, &seen, &picture->survey);
        picture->is_surveyed = true;
    }
    pli_arena_end(picture->scratch, mark);
    return status;
}

// the geometries are attached under the number of their kind, which is how hits are told apart
static void attach(RTCScene scene, RTCGeometry geometry, pli_picture_kind kind)
{
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene, geometry, (unsigned)kind);
    rtcReleaseGeometry(geometry);
}

// the triangles of a group; the scenes that share them read the same arrays
static void attach_triangles(RTCDevice device, RTCScene scene, const pli_picture_mesh *mesh,
                             pli_picture_group group, pli_picture_kind kind)
{
    int64_t first = group > 0 ? mesh->group_end[group - 1] : 0;
    int64_t count = mesh->group_end[group] - first;
    if (count == 0) return;
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                               mesh->vertices, 0, 3 * sizeof(float), (size_t)mesh->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                               mesh->triangles + 3 * first, 0, 3 * sizeof(uint32_t), (size_t)count);
    attach(scene, geometry, kind);
}

static void attach_spheres(RTCDevice device, RTCScene scene, const pli_picture_mesh *mesh)
{
    if (mesh->sphere_count == 0) return;
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                               mesh->spheres, 0, 4 * sizeof(float), (size_t)mesh->sphere_count);
    attach(scene, geometry, PLI_PICTURE_SPHERE);
}

static RTCScene new_scene(RTCDevice device)
{
    RTCScene scene = rtcNewScene(device);
    // no gaps between the triangles of a surface
    if (scene != NULL) rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    return scene;
}

// Embree's tree over all that is opaque, with or without walls
static void build_opaque(pli_picture *picture, const pli_picture_mesh *mesh, bool walls,
                         RTCScene *scene)
{
    *scene = new_scene(picture->device);
    if (*scene == NULL) return;
    attach_triangles(picture->device, *scene, mesh, PLI_PICTURE_SOLID, PLI_PICTURE_TRIANGLE);
    attach_spheres(picture->device, *scene, mesh);
    if (walls) {
        attach_triangles(picture->device, *scene, mesh, PLI_PICTURE_WALL,
                         PLI_PICTURE_WALL_TRIANGLE);
    }
    if (picture->device_status == PLI_OK) rtcCommitScene(*scene);
}

// Embree's trees over the mesh, which it reads in place; what has no use for one of its own shares
static pli_status build_scenes(pli_picture *picture, pli_picture_view *view)
{
    const pli_picture_mesh *mesh = &view->mesh;
    const int32_t *end = mesh->group_end;
    picture->device_status = PLI_OK;
    build_opaque(picture, mesh, true, &view->scene);
    if (end[PLI_PICTURE_WALL] > end[PLI_PICTURE_SOLID]) {
        build_opaque(picture, mesh, false, &view->shadows);
    } else if (view->scene != NULL) {
        rtcRetainScene(view->scene);
        view->shadows = view->scene;
    }
    if (end[PLI_PICTURE_GLASS] > end[PLI_PICTURE_WALL]) {
        view->glass = new_scene(picture->device);
        if (view->glass == NULL) return picture->device_status;
        attach_triangles(picture->device, view->glass, mesh, PLI_PICTURE_GLASS,
                         PLI_PICTURE_TRIANGLE);
        if (picture->device_status == PLI_OK) rtcCommitScene(view->glass);
    }
    return picture->device_status;
}

static void release_scenes(pli_picture_view *view)
{
    if (view->scene != NULL) rtcReleaseScene(view->scene);
    if (view->shadows != NULL) rtcReleaseScene(view->shadows);
    if (view->glass != NULL) rtcReleaseScene(view->glass);
}

static void set_background(pli_picture_view *view)
{
    // sRGB at the top and at the bottom
    static const double light[2][3] = {{0.965, 0.970, 0.978}, {0.885, 0.897, 0.915}};
    static const double dark[2][3] = {{0.115, 0.125, 0.145}, {0.235, 0.250, 0.280}};
    const double(*ends)[3] = view->def->background == PLI_BACKGROUND_DARK ? dark : light;
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 3; ++k) {
            view->background[i][k] = pli_picture_linear_from_srgb(ends[i][k]);
        }
    }
}

// lengths that belong to the scene as a whole, and the ground
static void measure_view(const pli_picture_survey_data *survey, pli_picture_view *view)
{
    const pli_picture_def *def = view->def;
    pli_vec3_normalize(def->camera.up, view->up);
    view->size = view->mesh.size;
    pli_vec3_set(0, 0, 0, view->middle);
    const pli_picture_extent *extent = &survey->extent;
    if (!extent->empty) {
        view->size = pli_vec3_distance(extent->low, extent->high);
        for (int k = 0; k < 3; ++k) {
            view->middle[k] = 0.5 * (extent->low[k] + extent->high[k]) - view->mesh.origin[k];
        }
    }
    if (!(view->size > 0)) view->size = 1;
    // single precision is good for some 1e-7 of how far things reach
    view->lift = fmax(2e-5 * fmax(view->size, view->mesh.size), 4e-7 * view->mesh.reach);
    view->pixel_size = 2 * view->camera.tangent[1] / view->camera.height;

    double ground = def->ground_height;
    if (def->automatic_ground) ground = fmin(survey->lowest, survey->lowest_particle);
    view->has_ground = def->ground && def->lit && isfinite(ground);
    view->ground = isfinite(ground) ? ground - pli_vec3_dot(view->mesh.origin, view->up) : 0;
}

// the field that colours, of the first part that has it
static const pli_frame_field *find_field(const pli_picture_def *def, const pli_frame *frame)
{
    for (int32_t i = 0; i < frame->part_count; ++i) {
        const pli_frame_field *field = pli_picture_find_field(def, &frame->parts[i]);
        if (field != NULL) return field;
    }
    return NULL;
}

static pli_status draw_frame(pli_picture *picture, const pli_frame *frame, pli_picture_view *view)
{
    const pli_picture_def *def = &picture->def;
    pli_picture_survey_data survey = picture->survey;
    if (!picture->is_surveyed) pli_picture_survey_add(picture->context, def, frame, &survey);
    pli_picture_stage stage = {.survey = &survey,
                               .particle_radius = pli_picture_particle_radius(def, &survey)};
    survey = pli_picture_survey_grown(def, &survey);

    // what is drawn of colliders depends on where the camera stands in the world
    static const double world[3] = {0, 0, 0};
    pli_picture_camera_build(def, &survey, frame->index, world, &view->camera);
    pli_vec3_copy(view->camera.position, stage.eye);
    PLI_TRY(pli_picture_mesh_build(picture->context, def, frame, &stage, picture->scratch,
                                   &view->mesh));
    pli_vec3_subtract(view->camera.position, view->mesh.origin, view->camera.position);
    PLI_TRY(build_scenes(picture, view));
    pli_picture_colors_build(def, &survey, &view->colors);
    measure_view(&survey, view);
    set_background(view);
    PLI_TRY(pli_picture_render(view, picture->scratch));

    if (def->legend && view->colors.by_field) {
        pli_picture_legend_draw(def, &view->colors, find_field(def, frame), &view->canvas);
    }
    if (def->time_stamp) pli_picture_time_draw(def, frame->time, &view->canvas);
    return PLI_OK;
}

pli_status pli_picture_draw(pli_picture *picture, const pli_frame *frame, uint8_t *rgb)
{
    pli_picture_view view = {.context = picture->context, .def = &picture->def};
    view.canvas = (pli_picture_canvas){picture->def.width, picture->def.height, rgb};
    pli_arena_mark mark = pli_arena_begin(picture->scratch);
    pli_frame seen;
    pli_status status = pli_picture_hide(&picture->def, frame, picture->scratch, &seen);
    if (status == PLI_OK) status = draw_frame(picture, &seen, &view);
    release_scenes(&view);
    pli_arena_end(picture->scratch, mark);
    return status;
}
