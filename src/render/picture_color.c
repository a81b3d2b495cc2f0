// SPDX-License-Identifier: Apache-2.0
#include "render/picture.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

// A stop of a colour map as lightness, chroma and hue (degrees) of OKLab, a space in which equal
// steps look equal (Ottosson 2020).
typedef struct stop {
    double lightness;
    double chroma;
    double hue;
} stop;

typedef struct stops {
    int32_t count;
    const stop *stop;
} stops;

// lightness grows in equal steps, so that the map survives a print in grey
static const stop sequential_stops[] = {{0.27, 0.100, 305}, {0.40, 0.115, 285}, {0.53, 0.105, 245},
                                        {0.66, 0.105, 190}, {0.79, 0.150, 145}, {0.93, 0.165, 105}};

// both arms lose the same lightness, so that neither sign looks larger
static const stop diverging_stops[] = {{0.42, 0.135, 262}, {0.62, 0.120, 255}, {0.80, 0.070, 250},
                                       {0.94, 0.006, 90},  {0.80, 0.085, 40},  {0.62, 0.160, 32},
                                       {0.42, 0.155, 24}};

// sRGB, in the order in which bodies get them: neighbours differ in hue and in lightness
static const uint8_t body_colors[][3] = {
    {224, 122, 95},  {61, 139, 186}, {242, 184, 75}, {90, 167, 134}, {142, 107, 176},
    {227, 154, 192}, {163, 184, 92}, {140, 109, 90}, {91, 192, 190}, {107, 122, 143}};
enum { BODY_COLORS = sizeof body_colors / sizeof body_colors[0] };

static const double not_finite_color[3] = {1.0, 0.0, 0.58};
static const double nothing_color[3] = {0.48, 0.50, 0.54};

double pli_picture_linear_from_srgb(double value)
{
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

double pli_picture_srgb_from_linear(double value)
{
    if (!(value > 0)) return 0;
    if (value >= 1) return 1;
    return value <= 0.0031308 ? 12.92 * value : 1.055 * pow(value, 1 / 2.4) - 0.055;
}

static void lab_of_stop(const stop *s, double lab[3])
{
    lab[0] = s->lightness;
    lab[1] = s->chroma * cos(s->hue * pi / 180);
    lab[2] = s->chroma * sin(s->hue * pi / 180);
}

// linear sRGB of an OKLab colour; the matrices are those of the definition
static void linear_from_lab(const double lab[3], double color[3])
{
    double l = lab[0] + 0.3963377774 * lab[1] + 0.2158037573 * lab[2];
    double m = lab[0] - 0.1055613458 * lab[1] - 0.0638541728 * lab[2];
    double s = lab[0] - 0.0894841775 * lab[1] - 1.2914855480 * lab[2];
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    color[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    color[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    color[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
    for (int k = 0; k < 3; ++k) color[k] = pli_picture_clamp(color[k]);
}

// Catmull-Rom curve through the stops, t in [0, 1]; its ends are continued straight
static void lab_on_curve(const stops *map, double t, double lab[3])
{
    double place = t * (map->count - 1);
    int32_t i = place < map->count - 2 ? (int32_t)place : map->count - 2;
    double f = place - i;

    double p[4][3] = {{0}};
    for (int32_t k = 0; k < 4; ++k) {
        int32_t index = i - 1 + k;
        if (index >= 0 && index < map->count) lab_of_stop(&map->stop[index], p[k]);
    }
    for (int k = 0; k < 3; ++k) {
        if (i == 0) p[0][k] = 2 * p[1][k] - p[2][k];
        if (i == map->count - 2) p[3][k] = 2 * p[2][k] - p[1][k];
        double slope = 0.5 * (p[2][k] - p[0][k]);
        double bend = p[0][k] - 2.5 * p[1][k] + 2 * p[2][k] - 0.5 * p[3][k];
        double twist = 0.5 * (p[3][k] - p[0][k]) + 1.5 * (p[1][k] - p[2][k]);
        lab[k] = p[1][k] + f * (slope + f * (bend + f * twist));
    }
}

static const double collider_color[3] = {0.71, 0.71, 0.70}; // sRGB

// ends of the colour map: as given, or what was surveyed, never empty
static void choose_range(const pli_picture_def *def, const pli_picture_survey_data *survey,
                         double range[2])
{
    range[0] = def->range[0];
    range[1] = def->range[1];
    if (!def->automatic_range) return;

    range[0] = survey->range[0];
    range[1] = survey->range[1];
    if (!(range[0] <= range[1])) {
        range[0] = 0;
        range[1] = 1;
    }
    // values of both signs: zero in the middle
    if (def->colormap == PLI_COLORMAP_DIVERGING && range[0] < 0 && range[1] > 0) {
        double most = fmax(-range[0], range[1]);
        range[0] = -most;
        range[1] = most;
    }
    double smallest = 1e-9 * fmax(fabs(range[0]), fabs(range[1]));
    if (range[1] - range[0] <= smallest) {
        double half = range[0] != 0 ? 0.5 * fabs(range[0]) : 0.5;
        // no room for other categories
        if (def->colormap == PLI_COLORMAP_CATEGORIES) half = 0.4;
        range[0] -= half;
        range[1] += half;
    }
}

void pli_picture_colors_build(const pli_picture_def *def, const pli_picture_survey_data *survey,
                              pli_picture_colors *colors)
{
    colors->by_field = def->field != NULL && def->field[0] != '\0';
    colors->kind = def->colormap;
    choose_range(def, survey, colors->range);

    stops map = {sizeof sequential_stops / sizeof(stop), sequential_stops};
    if (def->colormap == PLI_COLORMAP_DIVERGING) {
        map = (stops){sizeof diverging_stops / sizeof(stop), diverging_stops};
    }
    for (int32_t i = 0; i < PLI_PICTURE_SHADES; ++i) {
        double lab[3];
        lab_on_curve(&map, i / (PLI_PICTURE_SHADES - 1.0), lab);
        linear_from_lab(lab, colors->map[i]);
    }
}

void pli_picture_color_of_value(const pli_picture_colors *colors, double value, double color[3])
{
    if (!isfinite(value)) {
        for (int k = 0; k < 3; ++k) color[k] = not_finite_color[k];
        return;
    }
    if (colors->kind == PLI_COLORMAP_CATEGORIES) {
        // far outside of any category the rounding would overflow
        pli_picture_color_of_body((int64_t)round(fmin(fmax(value, -1e15), 1e15)), color);
        return;
    }
    // halves keep the difference of huge values finite
    double width = 0.5 * colors->range[1] - 0.5 * colors->range[0];
    double place = (0.5 * value - 0.5 * colors->range[0]) / width;
    place = pli_picture_clamp(place) * (PLI_PICTURE_SHADES - 1);
    int32_t i = place < PLI_PICTURE_SHADES - 2 ? (int32_t)place : PLI_PICTURE_SHADES - 2;
    double f = place - i;
    for (int k = 0; k < 3; ++k) {
        color[k] = (1 - f) * colors->map[i][k] + f * colors->map[i + 1][k];
    }
}

void pli_picture_color_of_body(int64_t body, double color[3])
{
    int64_t index = ((body % BODY_COLORS) + BODY_COLORS) % BODY_COLORS;
    for (int k = 0; k < 3; ++k) {
        color[k] = pli_picture_linear_from_srgb(body_colors[index][k] / 255.0);
    }
}

void pli_picture_color_of_nothing(double color[3])
{
    for (int k = 0; k < 3; ++k) color[k] = nothing_color[k];
}

void pli_picture_color_of_collider(double color[3])
{
    for (int k = 0; k < 3; ++k) color[k] = pli_picture_linear_from_srgb(collider_color[k]);
}
