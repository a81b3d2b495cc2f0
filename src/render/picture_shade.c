// SPDX-License-Identifier: Apache-2.0
#include "render/picture_view.h"

#include "base/parallel.h"
#include "math/vec3.h"

// How strong the lights are on a surface of colour 1. Fields get a flatter light, so that colours
// can be compared; the ground gets more of the sky, so that bodies stand on it.
typedef struct strengths {
    double key;
    double sky;
} strengths;
static const strengths body_strengths = {0.80, 0.50};
static const strengths field_strengths = {0.64, 0.62};
static const strengths ground_strengths = {0.70, 0.75};
static const double key_tint[3] = {1.03, 1.0, 0.96};

// the gloss of bodies; pictures of a field have less, so that colours can be read
static const double gloss_strength = 0.05;
static const double gloss_of_fields = 0.4;
static const double gloss_exponent = 26;
static const double rim_strength = 0.10;

// colliders of glass: share of their colour from the front and at grazing angles, and highlight
static const double glass_opacity[2] = {0.24, 0.70};
static const double glass_gloss = 0.35;
static const double glass_exponent = 90;

// the ground shows all light up to this many sizes of the scene, and none from the second on
static const double ground_fade[2] = {0.75, 2.4};

static double smooth_step(double low, double high, double x)
{
    double t = pli_picture_clamp((x - low) / (high - low));
    return t * t * (3 - 2 * t);
}

// colour of the background at a height of the picture (pixels)
static void background_color(const pli_picture_view *view, double y, double color[3])
{
    double t = y / view->camera.height;
    for (int k = 0; k < 3; ++k) {
        color[k] = (1 - t) * view->background[0][k] + t * view->background[1][k];
    }
}

// colour of the surface itself
static void surface_color(const pli_picture_view *view, const pli_picture_hit *hit, double color[3])
{
    const pli_picture_mesh *mesh = &view->mesh;
    int64_t item = hit->primitive;
    bool sphere = hit->kind == PLI_PICTURE_SPHERE;
    int32_t part = sphere ? mesh->sphere_part[item] : mesh->triangle_part[item];
    if (mesh->part_is_collider[part]) {
        pli_picture_color_of_collider(color);
        return;
    }
    if (!view->colors.by_field) {
        pli_picture_color_of_body(part, color);
        return;
    }
    if (!mesh->part_has_field[part]) {
        pli_picture_color_of_nothing(color);
        return;
    }
    double value = 0;
    if (sphere) {
        value = mesh->sphere_values[item];
    } else {
        for (int k = 0; k < 3; ++k) value += hit->weight[k] * mesh->values[3 * item + k];
    }
    pli_picture_color_of_value(&view->colors, value, color);
}

static bool is_body_triangle(const pli_picture_view *view, const pli_picture_hit *hit)
{
    const pli_picture_mesh *mesh = &view->mesh;
    return hit->kind == PLI_PICTURE_TRIANGLE &&
           !mesh->part_is_collider[mesh->triangle_part[hit->primitive]];
}

// distance of a point of the picture from the line through two others (pixels)
static double line_distance(const double p[2], const double a[2], const double b[2])
{
    double length = hypot(b[0] - a[0], b[1] - a[1]);
    if (!(length > 0)) return hypot(p[0] - a[0], p[1] - a[1]);
    return fabs((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])) / length;
}

// How much of an edge line covers a place of the picture, 0 to 1. Lines have the same width
// everywhere; where triangles get as small as the lines they fade, so that fine meshes do not turn
// black.
static double edge_cover(const pli_picture_view *view, const pli_picture_hit *hit, double x,
                         double y)
{
    const pli_picture_mesh *mesh = &view->mesh;
    double corner[3][2];
    for (int k = 0; k < 3; ++k) {
        const float *v =
            mesh->vertices + 3 * (int64_t)mesh->triangles[3 * (int64_t)hit->primitive + k];
        double point[3] = {v[0], v[1], v[2]};
        if (!pli_picture_camera_project(&view->camera, point, corner[k])) return 0;
    }
    double place[2] = {x, y};
    double nearest = HUGE_VAL;
    double altitude = HUGE_VAL;
    for (int k = 0; k < 3; ++k) {
        const double *a = corner[k];
        const double *b = corner[(k + 1) % 3];
        nearest = fmin(nearest, line_distance(place, a, b));
        altitude = fmin(altitude, line_distance(corner[(k + 2) % 3], a, b));
    }
    double width = view->def->edge_width;
    if (!(width > 0)) width = fmax(1, view->camera.height / 600) * 1.1;
    double cover = pli_picture_clamp(0.5 * width + 0.5 - nearest);
    return cover * smooth_step(1.5 * width, 7 * width, altitude);
}

// light reflected as by a slightly glossy plastic
static void shade_body(const pli_picture_view *view, const pli_picture_hit *hit,
                       const pli_picture_light *light, const double base[3], double color[3])
{
    double facing = pli_picture_clamp(pli_vec3_dot(hit->normal, view->key));
    double seen = pli_picture_clamp(-pli_vec3_dot(hit->normal, hit->direction));
    double gloss = view->colors.by_field ? gloss_of_fields : 1;
    strengths strength = view->colors.by_field ? field_strengths : body_strengths;

    // highlight about the direction halfway between light and eye (Blinn 1977), and a rim that
    // grows towards grazing angles (Schlick 1994)
    double half[3];
    pli_vec3_subtract(view->key, hit->direction, half);
    pli_vec3_normalize(half, half);
    double highlight = 0;
    if (facing > 0 && light->key > 0) {
        highlight = pow(pli_picture_clamp(pli_vec3_dot(hit->normal, half)), gloss_exponent);
        highlight *= gloss * gloss_strength * light->key * (gloss_exponent + 8) / 8;
    }
    double grazing = (1 - seen) * (1 - seen);
    double rim = gloss * rim_strength * grazing * grazing * (1 - seen);

    for (int k = 0; k < 3; ++k) {
        double diffuse = strength.key * key_tint[k] * facing * light->key;
        diffuse += strength.sky * light->sky[k];
        color[k] = base[k] * diffuse + highlight + rim * light->sky[k];
    }
}

// The ground takes the colour of the background, dimmed by what keeps light from it, so that it has
// neither border nor horizon.
static void shade_ground(const pli_picture_view *view, const pli_picture_hit *hit,
                         const pli_picture_light *light, double color[3])
{
    double facing = pli_vec3_dot(view->up, view->key);
    double offset = pli_vec3_distance(hit->point, view->middle) / view->size;
    double fade = smooth_step(ground_fade[0], ground_fade[1], offset);
    for (int k = 0; k < 3; ++k) {
        double key = ground_strengths.key * facing;
        double full = key + ground_strengths.sky * view->open.sky[k];
        double got = key * light->key + ground_strengths.sky * light->sky[k];
        color[k] *= fade + (1 - fade) * pli_picture_clamp(got / full);
    }
}

// compresses what is brighter than 0.8 so that nothing reaches 1; darker colours stay exact
static double tone(double x)
{
    const double knee = 0.8;
    if (x <= knee) return x;
    double over = (x - knee) / (1 - knee);
    return knee + (1 - knee) * over / (1 + over);
}

// linear colour of a hit seen at (x, y) pixels, in [0, 1]
static void shade(const pli_picture_view *view, const pli_picture_hit *hit, double x, double y,
                  double color[3])
{
    pli_picture_light light;
    if (hit->kind == PLI_PICTURE_NOTHING || hit->kind == PLI_PICTURE_GROUND) {
        background_color(view, y, color);
        if (hit->kind == PLI_PICTURE_NOTHING) return;
        pli_picture_light_gather(view, hit, x, y, &light);
        shade_ground(view, hit, &light, color);
        return;
    }

    double base[3];
    surface_color(view, hit, base);
    if (view->def->edges && is_body_triangle(view, hit)) {
        pli_vec3_scale(1 - 0.82 * edge_cover(view, hit, x, y), base, base);
    }
    pli_vec3_copy(base, color);
    if (!view->def->lit) return;
    pli_picture_light_gather(view, hit, x, y, &light);
    shade_body(view, hit, &light, base, color);
    for (int k = 0; k < 3; ++k) color[k] = tone(color[k]);
}

// Lays a pane of glass over a colour: hardly visible from the front, denser towards grazing angles
// (Schlick 1994), with a highlight of the key light.
static void shade_glass(const pli_picture_view *view, const pli_picture_hit *glass, double color[3])
{
    double base[3];
    pli_picture_color_of_collider(base);
    double opacity = glass_opacity[0];
    double gloss = 0;
    if (view->def->lit) {
        double seen = pli_picture_clamp(-pli_vec3_dot(glass->normal, glass->direction));
        double grazing = (1 - seen) * (1 - seen) * (1 - seen);
        opacity += (glass_opacity[1] - glass_opacity[0]) * grazing;
        double half[3];
        pli_vec3_subtract(view->key, glass->direction, half);
        pli_vec3_normalize(half, half);
        gloss = pow(pli_picture_clamp(pli_vec3_dot(glass->normal, half)), glass_exponent);
        // enough light and shade to tell sides apart
        double facing = pli_picture_clamp(pli_vec3_dot(glass->normal, view->key));
        pli_vec3_scale(0.65 + 0.5 * facing, base, base);
    }
    for (int k = 0; k < 3; ++k) {
        color[k] = (1 - opacity) * color[k] + opacity * base[k];
        color[k] = tone(color[k] + glass_gloss * gloss);
    }
}

// Offsets of the samples in a pixel: a grid sheared both ways, so that all samples differ in both
// coordinates and nearly upright and nearly level borders are smooth too.
static void sample_offset(int32_t samples, int32_t index, double offset[2])
{
    double i = index % samples;
    double j = index / samples;
    offset[0] = (i + (j + 0.5) / samples) / samples;
    offset[1] = (j + (samples - i - 0.5) / samples) / samples;
}

// What a channel is raised by before it is cut to a whole number. Plain rounding would show steps
// in the gentle gradients of lit pictures: there the threshold changes from pixel to pixel in an
// ordered pattern (Bayer 1973), which compresses better than noise.
static double round_threshold(const pli_picture_def *def, int32_t column, int32_t row)
{
    static const int8_t order[4][4] = {
        {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    return def->lit ? (order[row % 4][column % 4] + 0.5) / 16 : 0.5;
}

static uint8_t to_byte(double linear, double threshold)
{
    return (uint8_t)fmin(floor(255 * pli_picture_srgb_from_linear(linear) + threshold), 255);
}

// the mean of the samples of PLI_PICTURE_LANES pixels of a row
static void render_span(const pli_picture_view *view, int32_t column, int32_t row)
{
    const pli_picture_def *def = view->def;
    int32_t count = def->samples * def->samples;
    double sum[PLI_PICTURE_LANES][3] = {{0}};
    for (int32_t i = 0; i < count; ++i) {
        double offset[2];
        pli_picture_hit hits[PLI_PICTURE_LANES];
        pli_picture_hit glass[PLI_PICTURE_LANES];
        sample_offset(def->samples, i, offset);
        pli_picture_cast(view, column, row, offset, hits);
        if (view->glass != NULL) pli_picture_cast_glass(view, column, row, hits, glass);
        for (int lane = 0; lane < PLI_PICTURE_LANES && column + lane < def->width; ++lane) {
            double color[3];
            shade(view, &hits[lane], column + lane + offset[0], row + offset[1], color);
            bool pane = view->glass != NULL && glass[lane].kind != PLI_PICTURE_NOTHING;
            if (pane) shade_glass(view, &glass[lane], color);
            pli_vec3_add_scaled(sum[lane], 1.0 / count, color, sum[lane]);
        }
    }
    for (int lane = 0; lane < PLI_PICTURE_LANES && column + lane < def->width; ++lane) {
        uint8_t *pixel = view->canvas.rgb + 3 * ((int64_t)row * def->width + column + lane);
        double threshold = round_threshold(def, column + lane, row);
        for (int k = 0; k < 3; ++k) pixel[k] = to_byte(sum[lane][k], threshold);
    }
}

static int64_t tiles_across(const pli_picture_view *view)
{
    return (view->def->width + PLI_PICTURE_TILE - 1) / PLI_PICTURE_TILE;
}

static void record_tiles(void *user, int64_t begin, int64_t end)
{
    const pli_picture_view *view = user;
    int64_t across = tiles_across(view);
    for (int64_t tile = begin; tile < end; ++tile) {
        pli_picture_light_record(view, (int32_t)(tile % across) * PLI_PICTURE_TILE,
                                 (int32_t)(tile / across) * PLI_PICTURE_TILE);
    }
}

static void render_tiles(void *user, int64_t begin, int64_t end)
{
    const pli_picture_view *view = user;
    int64_t across = tiles_across(view);
    for (int64_t tile = begin; tile < end; ++tile) {
        int32_t column = (int32_t)(tile % across) * PLI_PICTURE_TILE;
        int32_t row = (int32_t)(tile / across) * PLI_PICTURE_TILE;
        for (int32_t y = row; y < row + PLI_PICTURE_TILE && y < view->def->height; ++y) {
            render_span(view, column, y);
        }
    }
}

pli_status pli_picture_render(pli_picture_view *view, pli_arena *scratch)
{
    const pli_picture_def *def = view->def;
    int64_t down = (def->height + PLI_PICTURE_TILE - 1) / PLI_PICTURE_TILE;
    int64_t tiles = tiles_across(view) * down;
    if (def->lit) {
        int64_t pixels = (int64_t)def->width * def->height;
        view->records = pli_arena_take(scratch, pixels, sizeof *view->records, "light records");
        if (view->records == NULL) return PLI_ERROR_MEMORY;
        PLI_TRY(pli_picture_light_build(view, scratch));
        pli_parallel_for(view->context, tiles, 1, record_tiles, view);
    }
    pli_parallel_for(view->context, tiles, 1, render_tiles, view);
    return PLI_OK;
}
