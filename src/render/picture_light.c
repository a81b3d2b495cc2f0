// SPDX-License-Identifier: Apache-2.0
#include "render/picture_view.h"

#include "base/random.h"
#include "math/vec3.h"

static const double pi = 3.14159265358979323846;

// the key light, relative to the camera
static const double key_azimuth = -48;  // degrees to the left of it
static const double key_elevation = 46; // degrees above the horizon
static const double key_spread = 0.12;  // tangent of its angular radius

// the sky and what else sends light
static const double sky_zenith[3] = {1.06, 1.09, 1.14};
static const double sky_horizon[3] = {0.72, 0.74, 0.78};
static const double sky_below[3] = {0.40, 0.39, 0.38};     // from below, without a ground
static const double ground_bounce[3] = {0.62, 0.60, 0.58}; // from a ground far below
static const double body_bounce = 0.16; // share of the sky that a stopped ray still brings

static const double reach_of_size = 0.45; // of rays towards the sky, in sizes of the scene

// van der Corput 1935: the digits of an index mirrored about the binary point
static uint32_t mirror_bits(uint32_t index)
{
    uint32_t mirrored = 0;
    for (int bit = 0; bit < 32; ++bit) mirrored |= (index >> bit & 1u) << (31 - bit);
    return mirrored;
}

// second dimension of Sobol's sequence (1967); together with the first every aligned run of 2^k
// points has one in each of the 2^k equal boxes of any shape
static uint32_t sobol_bits(uint32_t index)
{
    uint32_t result = 0;
    uint32_t direction = 1u << 31;
    for (; index != 0; index >>= 1) {
        if ((index & 1u) != 0) result ^= direction;
        direction ^= direction >> 1;
    }
    return result;
}

// a point of the unit square; scrambling by digits keeps the property above
static void square_point(uint32_t index, uint64_t scramble, double point[2])
{
    point[0] = (mirror_bits(index) ^ (uint32_t)scramble) * 0x1p-32;
    point[1] = (sobol_bits(index) ^ (uint32_t)(scramble >> 32)) * 0x1p-32;
}

// the same point on the unit disc, equal areas
static void disc_point(uint32_t index, uint64_t scramble, double point[2])
{
    double square[2];
    square_point(index, scramble, square);
    double radius = sqrt(square[0]);
    point[0] = radius * cos(2 * pi * square[1]);
    point[1] = radius * sin(2 * pi * square[1]);
}

// two unit vectors across a unit normal (Duff et al. 2017)
static void build_basis(const double n[3], double a[3], double b[3])
{
    double sign = copysign(1.0, n[2]);
    double c = -1 / (sign + n[2]);
    double d = n[0] * n[1] * c;
    pli_vec3_set(1 + sign * n[0] * n[0] * c, sign * d, -sign * n[0], a);
    pli_vec3_set(d, sign + n[1] * n[1] * c, -n[1], b);
}

// directions about the normal (0, 0, 1): the disc lifted to the hemisphere is cosine-weighted
static void draw_sky(pli_picture_directions *directions, uint64_t scramble)
{
    int32_t count = PLI_PICTURE_SLICES * directions->sky_count;
    for (int32_t i = 0; i < count; ++i) {
        double disc[2];
        disc_point((uint32_t)i, scramble, disc);
        double height2 = 1 - disc[0] * disc[0] - disc[1] * disc[1];
        directions->sky[3 * i] = (float)disc[0];
        directions->sky[3 * i + 1] = (float)disc[1];
        directions->sky[3 * i + 2] = (float)sqrt(fmax(height2, 1e-6));
    }
}

static void draw_key(const pli_picture_view *view, pli_picture_directions *directions,
                     uint64_t scramble)
{
    double a[3];
    double b[3];
    build_basis(view->key, a, b);
    int32_t count = PLI_PICTURE_SLICES * directions->key_count;
    for (int32_t i = 0; i < count; ++i) {
        double disc[2];
        double direction[3];
        disc_point((uint32_t)i, scramble, disc);
        pli_vec3_add_scaled(view->key, view->key_radius * disc[0], a, direction);
        pli_vec3_add_scaled(direction, view->key_radius * disc[1], b, direction);
        pli_vec3_normalize(direction, direction);
        for (int k = 0; k < 3; ++k) directions->key[3 * i + k] = (float)direction[k];
    }
}

// The key light stands to the left of where the camera is before it orbits, so that shadows keep
// their place while the camera moves.
static void place_key(pli_picture_view *view)
{
    const pli_camera_def *camera = &view->def->camera;
    double front[3];
    double side[3];
    pli_picture_axes(camera->up, front, side);
    double azimuth = camera->azimuth * pi / 180;
    if (!camera->automatic) {
        double back[3];
        pli_vec3_subtract(camera->position, camera->target, back);
        azimuth = atan2(pli_vec3_dot(back, side), pli_vec3_dot(back, front));
    }
    azimuth += key_azimuth * pi / 180;
    double elevation = key_elevation * pi / 180;
    pli_vec3_scale(sin(elevation), view->up, view->key);
    pli_vec3_add_scaled(view->key, cos(elevation) * cos(azimuth), front, view->key);
    pli_vec3_add_scaled(view->key, cos(elevation) * sin(azimuth), side, view->key);
    view->key_radius = key_spread;
}

// what comes from a direction when nothing is in the way; height: of the surface over the ground
static void sky_color(const pli_picture_view *view, double slope, double height, double color[3])
{
    if (slope >= 0) {
        for (int k = 0; k < 3; ++k) {
            color[k] = sky_horizon[k] + slope * (sky_zenith[k] - sky_horizon[k]);
        }
        return;
    }
    if (!view->has_ground) {
        pli_vec3_copy(sky_below, color);
        return;
    }
    // the ground near a body lies in its shade
    double distance = (height > 0 ? height : 0) / -slope;
    pli_vec3_scale(distance / (distance + 0.12 * view->size), ground_bounce, color);
}

// light of the ground where nothing shades it, by the very directions that are used for all else
static void measure_open(pli_picture_view *view)
{
    pli_vec3_set(0, 0, 0, view->open.sky);
    view->open.key = 1;
    int32_t count = PLI_PICTURE_SLICES * view->directions.sky_count;
    for (int32_t i = 0; i < count; ++i) {
        double color[3];
        sky_color(view, view->directions.sky[3 * i + 2], 0, color);
        pli_vec3_add_scaled(view->open.sky, 1.0 / count, color, view->open.sky);
    }
}

pli_status pli_picture_light_build(pli_picture_view *view, pli_arena *scratch)
{
    const pli_picture_def *def = view->def;
    view->reach = reach_of_size * view->size;
    place_key(view);

    // without rays one direction still tells the colour of the sky: the normal itself
    pli_picture_directions *directions = &view->directions;
    directions->sky_count = def->occlusion_rays > 0 ? def->occlusion_rays : 16;
    directions->key_count = def->shadow_rays > 0 ? def->shadow_rays : 1;
    int64_t slices = PLI_PICTURE_SLICES;
    directions->sky = pli_arena_take(scratch, 3 * slices * directions->sky_count, sizeof(float),
                                     "directions to the sky");
    directions->key = pli_arena_take(scratch, 3 * slices * directions->key_count, sizeof(float),
                                     "directions to the light");
    if (directions->sky == NULL || directions->key == NULL) return PLI_ERROR_MEMORY;

    pli_random random = {.seed = 0x70696374757265, .stream = 1};
    draw_sky(directions, pli_random_bits(random, 0));
    draw_key(view, directions, pli_random_bits(random, 1));
    measure_open(view);
    return PLI_OK;
}

// A packet of rays from one point, each with a direction and a length.
typedef struct ray_packet {
    struct RTCRay8 ray;
    _Alignas(32) int valid[PLI_PICTURE_LANES];
} ray_packet;

static void packet_begin(const double origin[3], float length, ray_packet *packet)
{
    for (int lane = 0; lane < PLI_PICTURE_LANES; ++lane) {
        packet->ray.org_x[lane] = (float)origin[0];
        packet->ray.org_y[lane] = (float)origin[1];
        packet->ray.org_z[lane] = (float)origin[2];
        packet->ray.tnear[lane] = 0;
        packet->ray.tfar[lane] = length;
        packet->ray.time[lane] = 0;
        packet->ray.mask[lane] = UINT32_MAX;
        packet->ray.id[lane] = 0;
        packet->ray.flags[lane] = 0;
        packet->valid[lane] = 0;
    }
}

static void packet_aim(ray_packet *packet, int lane, const double direction[3])
{
    packet->ray.dir_x[lane] = (float)direction[0];
    packet->ray.dir_y[lane] = (float)direction[1];
    packet->ray.dir_z[lane] = (float)direction[2];
    packet->valid[lane] = -1;
}

static void packet_trace(RTCScene scene, ray_packet *packet)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded8(packet->valid, scene, &context, &packet->ray);
}

// Embree marks a ray that met something by a negative length
static bool packet_is_stopped(const ray_packet *packet, int lane)
{
    return packet->ray.tfar[lane] < 0;
}

static void trace_sky(const pli_picture_view *view, const pli_picture_hit *hit,
                      const float *directions, int32_t count, double sky[3])
{
    double a[3];
    double b[3];
    build_basis(hit->normal, a, b);
    double height = pli_vec3_dot(hit->point, view->up) - view->ground;
    pli_vec3_set(0, 0, 0, sky);
    for (int32_t first = 0; first < count; first += PLI_PICTURE_LANES) {
        int lanes = count - first < PLI_PICTURE_LANES ? count - first : PLI_PICTURE_LANES;
        double direction[PLI_PICTURE_LANES][3];
        ray_packet packet;
        packet_begin(hit->ray_origin, (float)view->reach, &packet);
        for (int lane = 0; lane < lanes; ++lane) {
            const float *local = directions + 3 * (int64_t)(first + lane);
            pli_vec3_scale(local[2], hit->normal, direction[lane]);
            pli_vec3_add_scaled(direction[lane], local[0], a, direction[lane]);
            pli_vec3_add_scaled(direction[lane], local[1], b, direction[lane]);
            packet_aim(&packet, lane, direction[lane]);
        }
        if (view->def->occlusion_rays > 0) packet_trace(view->scene, &packet);
        for (int lane = 0; lane < lanes; ++lane) {
            double color[3];
            sky_color(view, pli_vec3_dot(direction[lane], view->up), height, color);
            double share = packet_is_stopped(&packet, lane) ? body_bounce : 1;
            pli_vec3_add_scaled(sky, share / count, color, sky);
        }
    }
}

static double trace_key(const pli_picture_view *view, const pli_picture_hit *hit,
                        const float *directions, int32_t count)
{
    // what faces away from the light is dark without asking
    if (pli_vec3_dot(hit->normal, view->key) <= -view->key_radius) return 0;
    if (view->def->shadow_rays == 0) return 1;
    int32_t stopped = 0;
    for (int32_t first = 0; first < count; first += PLI_PICTURE_LANES) {
        int lanes = count - first < PLI_PICTURE_LANES ? count - first : PLI_PICTURE_LANES;
        ray_packet packet;
        packet_begin(hit->ray_origin, INFINITY, &packet);
        for (int lane = 0; lane < lanes; ++lane) {
            const float *local = directions + 3 * (int64_t)(first + lane);
            double direction[3] = {local[0], local[1], local[2]};
            packet_aim(&packet, lane, direction);
        }
        packet_trace(view->shadows, &packet);
        for (int lane = 0; lane < lanes; ++lane) stopped += packet_is_stopped(&packet, lane);
    }
    return 1 - (double)stopped / count;
}

// Casts rays towards the light. share: part of the slice's rays to cast, in (0, 1].
static void trace_light(const pli_picture_view *view, const pli_picture_hit *hit, int32_t slice,
                        double share, pli_picture_light *light)
{
    const pli_picture_directions *all = &view->directions;
    int32_t sky_count = (int32_t)ceil(share * all->sky_count);
    int32_t key_count = (int32_t)ceil(share * all->key_count);
    trace_sky(view, hit, all->sky + 3 * (int64_t)slice * all->sky_count, sky_count, light->sky);
    light->key = trace_key(view, hit, all->key + 3 * (int64_t)slice * all->key_count, key_count);
}

// the slice of a pixel: its place in a square of 4 x 4
static int32_t slice_of(int32_t column, int32_t row)
{
    return PLI_PICTURE_WINDOW * (row % PLI_PICTURE_WINDOW) + column % PLI_PICTURE_WINDOW;
}

static void record_set(const pli_picture_view *view, const pli_picture_hit *hit, int32_t slice,
                       pli_picture_record *record)
{
    record->kind = (int32_t)hit->kind;
    if (hit->kind == PLI_PICTURE_NOTHING) return;
    pli_picture_light light;
    trace_light(view, hit, slice, 1, &light);
    for (int k = 0; k < 3; ++k) {
        record->point[k] = (float)hit->point[k];
        record->normal[k] = (float)hit->normal[k];
        record->sky[k] = (float)light.sky[k];
    }
    record->key = (float)light.key;
}

void pli_picture_light_record(const pli_picture_view *view, int32_t column, int32_t row)
{
    static const double middle[2] = {0.5, 0.5};
    const pli_picture_def *def = view->def;
    for (int32_t y = row; y < row + PLI_PICTURE_TILE && y < def->height; ++y) {
        pli_picture_hit hits[PLI_PICTURE_LANES];
        pli_picture_cast(view, column, y, middle, hits);
        for (int32_t x = column; x < column + PLI_PICTURE_TILE && x < def->width; ++x) {
            pli_picture_record *record = &view->records[(int64_t)y * def->width + x];
            record_set(view, &hits[x - column], slice_of(x, y), record);
        }
    }
}

// How far a record tells the light of a hit: 1 on the same smooth surface, 0 on another.
static double record_weight(const pli_picture_view *view, const pli_picture_hit *hit,
                            const pli_picture_record *record)
{
    if (record->kind != (int32_t)hit->kind) return 0;
    double normal[3] = {record->normal[0], record->normal[1], record->normal[2]};
    double offset[3] = {record->point[0] - hit->point[0], record->point[1] - hit->point[1],
                        record->point[2] - hit->point[2]};
    // full weight up to 25 degrees between the normals, none from 45 on
    double facing = (pli_vec3_dot(normal, hit->normal) - 0.707) / (0.906 - 0.707);
    // full weight within two pixels of the tangent plane, none from four on
    double pixel = view->pixel_size * hit->distance;
    double level = 2 - 0.5 * fabs(pli_vec3_dot(offset, hit->normal)) / pixel;
    return pli_picture_clamp(facing) * pli_picture_clamp(level);
}

void pli_picture_light_gather(const pli_picture_view *view, const pli_picture_hit *hit, double x,
                              double y, pli_picture_light *light)
{
    // the window of 4 x 4 pixels whose middle is nearest
    int32_t left = (int32_t)floor(x + 0.5) - PLI_PICTURE_WINDOW / 2;
    int32_t top = (int32_t)floor(y + 0.5) - PLI_PICTURE_WINDOW / 2;
    const pli_picture_def *def = view->def;
    double total = 0;
    *light = (pli_picture_light){{0, 0, 0}, 0};
    for (int32_t i = 0; i < PLI_PICTURE_SLICES; ++i) {
        int32_t column = left + i % PLI_PICTURE_WINDOW;
        int32_t row = top + i / PLI_PICTURE_WINDOW;
        if (column < 0 || row < 0 || column >= def->width || row >= def->height) continue;
        const pli_picture_record *record = &view->records[(int64_t)row * def->width + column];
        double weight = record_weight(view, hit, record);
        if (weight == 0) continue;
        total += weight;
        for (int k = 0; k < 3; ++k) light->sky[k] += weight * record->sky[k];
        light->key += weight * record->key;
    }
    // nothing alike around: rays of its own, fewer, since the other samples cast theirs too
    if (total < 0.5) {
        double share = 1.0 / (def->samples * def->samples);
        trace_light(view, hit, slice_of((int32_t)x, (int32_t)y), fmax(share, 0.25), light);
        return;
    }
    pli_vec3_scale(1 / total, light->sky, light->sky);
    light->key /= total;
}
