// SPDX-License-Identifier: Apache-2.0
#include "render/picture.h"

#include "math/mat3.h"

static const double pi = 3.14159265358979323846;

// share of the picture left free around what is fitted
static const double fit_margin = 0.085;

void pli_picture_axes(const double up[3], double front[3], double side[3])
{
    // the side is x made perpendicular to up, unless up is along x
    double x[3] = {1, 0, 0};
    if (fabs(up[0]) > 0.9 * pli_vec3_norm(up)) pli_vec3_set(0, 0, -1, x);
    double unit[3];
    pli_vec3_normalize(up, unit);
    pli_vec3_add_scaled(x, -pli_vec3_dot(x, unit), unit, side);
    pli_vec3_normalize(side, side);
    pli_vec3_cross(side, unit, front);
}

// the direction from which the automatic camera looks
static void view_direction(const pli_camera_def *def, double azimuth, double direction[3])
{
    double front[3];
    double side[3];
    double up[3];
    pli_picture_axes(def->up, front, side);
    pli_vec3_normalize(def->up, up);
    double a = azimuth * pi / 180;
    double e = def->elevation * pi / 180;
    pli_vec3_scale(sin(e), up, direction);
    pli_vec3_add_scaled(direction, cos(e) * cos(a), front, direction);
    pli_vec3_add_scaled(direction, cos(e) * sin(a), side, direction);
}

// tangents of half the angles of view, horizontal and vertical
static void set_tangents(const pli_picture_def *def, double tangent[2])
{
    tangent[1] = tan(0.5 * def->camera.fov * pi / 180);
    tangent[0] = tangent[1] * def->width / def->height;
}

// orthonormal axes of a camera that looks along forward
static void look_along(const double forward[3], const double up[3], pli_picture_camera *camera)
{
    pli_vec3_normalize(forward, camera->forward);
    pli_vec3_cross(camera->forward, up, camera->right);
    // looking along up: any axis across it serves
    if (pli_vec3_norm2(camera->right) <= 1e-12 * pli_vec3_norm2(up)) {
        double front[3];
        pli_picture_axes(camera->forward, front, camera->right);
    }
    pli_vec3_normalize(camera->right, camera->right);
    pli_vec3_cross(camera->right, camera->forward, camera->up);
}

void pli_picture_fit_init(const pli_picture_def *def, double turn, pli_picture_fit *fit)
{
    double back[3];
    double forward[3];
    pli_picture_camera camera;
    view_direction(&def->camera, def->camera.azimuth + turn, back);
    pli_vec3_scale(-1, back, forward);
    look_along(forward, def->camera.up, &camera);
    pli_vec3_copy(camera.forward, fit->forward);
    pli_vec3_copy(camera.right, fit->axis[0]);
    pli_vec3_copy(camera.up, fit->axis[1]);

    // the legend keeps its place at the right
    double tangent[2];
    set_tangents(def, tangent);
    double inner = 1 - 2 * fit_margin;
    for (int k = 0; k < 2; ++k) {
        fit->low[k] = -tangent[k] * inner;
        fit->high[k] = tangent[k] * inner;
        fit->most[k] = -HUGE_VAL;
        fit->least[k] = HUGE_VAL;
    }
    fit->high[0] -= 2 * tangent[0] * pli_picture_legend_margin(def);
}

void pli_picture_fit_add(pli_picture_fit *fit, const double centre[3], double radius)
{
    double z = pli_vec3_dot(centre, fit->forward);
    for (int k = 0; k < 2; ++k) {
        double x = pli_vec3_dot(centre, fit->axis[k]);
        double most = x - fit->high[k] * z + radius * sqrt(1 + fit->high[k] * fit->high[k]);
        double least = x - fit->low[k] * z - radius * sqrt(1 + fit->low[k] * fit->low[k]);
        fit->most[k] = fmax(fit->most[k], most);
        fit->least[k] = fmin(fit->least[k], least);
    }
}

// Takes a disc across up into account: along w it reaches as far as the part of w across up is
// long.
static void fit_add_disc(pli_picture_fit *fit, const double centre[3], const double up[3],
                         double radius)
{
    for (int k = 0; k < 2; ++k) {
        double most[3]; // directions whose coordinates fit->most and fit->least are extremes of
        double least[3];
        double across[3];
        pli_vec3_add_scaled(fit->axis[k], -fit->high[k], fit->forward, most);
        pli_vec3_add_scaled(most, -pli_vec3_dot(most, up), up, across);
        double reach = pli_vec3_dot(most, centre) + radius * pli_vec3_norm(across);
        fit->most[k] = fmax(fit->most[k], reach);
        pli_vec3_add_scaled(fit->axis[k], -fit->low[k], fit->forward, least);
        pli_vec3_add_scaled(least, -pli_vec3_dot(least, up), up, across);
        reach = pli_vec3_dot(least, centre) - radius * pli_vec3_norm(across);
        fit->least[k] = fmin(fit->least[k], reach);
    }
}

// Fits the cylinder about up that holds everything: two circles, so that the distance stays the
// same for the whole orbit.
static void fit_orbit(const pli_picture_def *def, const pli_picture_survey_data *survey,
                      pli_picture_fit *fit)
{
    // the axis: halfway between the extremes along the front and along the side
    enum { COUNT = PLI_PICTURE_BEARINGS, QUARTER = COUNT / 4 };
    double middle[3] = {0, 0, 0};
    for (int k = 0; k < 2 * QUARTER; k += QUARTER) {
        double place = 0.5 * (survey->extent.around[k] - survey->extent.around[k + 2 * QUARTER]);
        pli_vec3_add_scaled(middle, place, survey->bearing[k], middle);
    }

    // the radius: half planes along the bearings cut out a polygon whose corners are this far
    double radius = 0;
    for (int k = 0; k < COUNT; ++k) {
        double reach = survey->extent.around[k] - pli_vec3_dot(middle, survey->bearing[k]);
        radius = fmax(radius, reach / cos(pi / COUNT));
    }

    // the height: from corner to corner of the box
    double up[3];
    double low = 0;
    double high = 0;
    pli_vec3_normalize(def->camera.up, up);
    for (int k = 0; k < 3; ++k) {
        low += fmin(up[k] * survey->extent.low[k], up[k] * survey->extent.high[k]);
        high += fmax(up[k] * survey->extent.low[k], up[k] * survey->extent.high[k]);
    }
    pli_vec3_add_scaled(middle, low, up, middle);
    fit_add_disc(fit, middle, up, radius);
    pli_vec3_add_scaled(middle, high - low, up, middle);
    fit_add_disc(fit, middle, up, radius);
}

// places the camera as near as the fit allows, and everything in the middle of what is left
static void place_fitted(const pli_picture_def *def, const pli_picture_survey_data *survey,
                         double turn, pli_picture_camera *camera)
{
    pli_picture_fit fit = survey->extent.fit;
    static const double zero[3] = {0, 0, 0};
    if (survey->extent.empty || def->camera.orbit != 0) pli_picture_fit_init(def, turn, &fit);
    if (survey->extent.empty) {
        pli_picture_fit_add(&fit, zero, 1);
    } else if (def->camera.orbit != 0) {
        fit_orbit(def, survey, &fit);
    }

    double distance = -HUGE_VAL;
    for (int k = 0; k < 2; ++k) {
        double needed = (fit.most[k] - fit.least[k]) / (fit.high[k] - fit.low[k]);
        distance = fmax(distance, needed);
    }
    // a single point has no size to fit, and would sit in the camera
    if (!survey->extent.empty) {
        double size = pli_vec3_distance(survey->extent.low, survey->extent.high);
        double depth = pli_vec3_dot(survey->extent.low, fit.forward);
        distance = fmax(distance, fmax(0.5 * size, 1e-3) - depth);
    }
    pli_vec3_copy(fit.forward, camera->forward);
    pli_vec3_copy(fit.axis[0], camera->right);
    pli_vec3_copy(fit.axis[1], camera->up);
    pli_vec3_scale(-distance, fit.forward, camera->position);
    for (int k = 0; k < 2; ++k) {
        double shift = fit.most[k] - fit.high[k] * distance + fit.least[k] - fit.low[k] * distance;
        pli_vec3_add_scaled(camera->position, 0.5 * shift, fit.axis[k], camera->position);
    }
}

// the given camera, turned about up through its target
static void place_given(const pli_camera_def *def, double turn, pli_picture_camera *camera)
{
    double axis[3];
    double rotation[9];
    double offset[3];
    pli_vec3_normalize(def->up, axis);
    pli_mat3_rotation(axis, turn * pi / 180, rotation);
    pli_vec3_subtract(def->position, def->target, offset);
    pli_mat3_apply(rotation, offset, camera->position);
    double forward[3];
    pli_vec3_scale(-1, camera->position, forward);
    pli_vec3_add(def->target, camera->position, camera->position);
    look_along(forward, def->up, camera);
}

void pli_picture_camera_build(const pli_picture_def *def, const pli_picture_survey_data *survey,
                              int32_t frame_index, const double origin[3],
                              pli_picture_camera *camera)
{
    camera->width = def->width;
    camera->height = def->height;
    set_tangents(def, camera->tangent);
    double turn = fmod(def->camera.orbit * frame_index, 360);
    if (def->camera.automatic) {
        place_fitted(def, survey, turn, camera);
    } else {
        place_given(&def->camera, turn, camera);
    }
    pli_vec3_subtract(camera->position, origin, camera->position);
}

void pli_picture_camera_ray(const pli_picture_camera *camera, double x, double y,
                            double direction[3])
{
    double right = (2 * x / camera->width - 1) * camera->tangent[0];
    double up = (1 - 2 * y / camera->height) * camera->tangent[1];
    pli_vec3_add_scaled(camera->forward, right, camera->right, direction);
    pli_vec3_add_scaled(direction, up, camera->up, direction);
    pli_vec3_normalize(direction, direction);
}

bool pli_picture_camera_project(const pli_picture_camera *camera, const double point[3],
                                double pixel[2])
{
    double offset[3];
    pli_vec3_subtract(point, camera->position, offset);
    double depth = pli_vec3_dot(offset, camera->forward);
    if (!(depth > 0)) return false;
    double right = pli_vec3_dot(offset, camera->right) / (depth * camera->tangent[0]);
    double up = pli_vec3_dot(offset, camera->up) / (depth * camera->tangent[1]);
    pixel[0] = 0.5 * (1 + right) * camera->width;
    pixel[1] = 0.5 * (1 - up) * camera->height;
    return true;
}
