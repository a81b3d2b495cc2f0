// SPDX-License-Identifier: Apache-2.0
#include "render/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TICKS = 8, MOST_SWATCHES = 10, TITLE_CAPACITY = 128, LABEL_CAPACITY = 32 };

// Measures of the legend in pixels of a picture 600 high; others are scaled.
static const double text_size = 12.5;
static const double pen_width = 1.45;
static const double border = 26; // to the borders of the picture
static const double bar_width = 15;
static const double bar_height = 300;
static const double label_width = 58; // room for the numbers beside the bar
static const double label_gap = 10;
static const double title_gap = 20; // between the title and the bar
static const double swatch_height = 24;

static double legend_scale(int32_t height)
{
    return fmax(height / 600.0, 0.5);
}

static pli_picture_ink legend_ink(const pli_picture_def *def)
{
    double scale = legend_scale(def->height);
    pli_picture_ink ink = {{0.17, 0.19, 0.23}, text_size * scale, pen_width * scale};
    if (def->background == PLI_BACKGROUND_DARK) {
        for (int k = 0; k < 3; ++k) ink.color[k] = 0.90;
    }
    // thinner than this it would turn pale
    ink.weight = fmax(ink.weight, 1.0);
    return ink;
}

double pli_picture_legend_margin(const pli_picture_def *def)
{
    if (!def->legend || def->field == NULL || def->field[0] == '\0') return 0;
    double pixels = (border + bar_width + label_gap + label_width) * legend_scale(def->height);
    return fmin(pixels / def->width, 0.25);
}

int32_t pli_picture_ticks(double low, double high, int32_t capacity, double *ticks)
{
    if (capacity < 2 || !(high > low) || !isfinite(high - low)) return 0;
    // the smallest of 1, 2 and 5 times a power of ten that needs no more than capacity ticks
    static const double steps[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10((high - low) / (capacity - 1))));
    double step = 0;
    double first = 0;
    double last = 0;
    for (int i = 0; i < 4; ++i) {
        step = steps[i] * power;
        // ends that are ticks up to rounding count as ticks
        first = ceil(low / step - 1e-6);
        last = floor(high / step + 1e-6);
        if (last - first < capacity) break;
    }
    int32_t count = 0;
    for (double k = first; k <= last && count < capacity; ++k) ticks[count++] = k * step;
    return count;
}

// power of ten, a multiple of three, that is taken out of the numbers of a scale
static int32_t common_exponent(const double range[2])
{
    double most = fmax(fabs(range[0]), fabs(range[1]));
    if (!(most > 0)) return 0;
    int32_t exponent = (int32_t)floor(log10(most) + 1e-9);
    if (exponent >= -2 && exponent < 4) return 0;
    return 3 * (int32_t)floor(exponent / 3.0);
}

// digits after the point that tell neighbouring ticks apart
static int decimals_of(const double *ticks, int32_t count, double unit)
{
    if (count < 2) return 2;
    double step = (ticks[1] - ticks[0]) / unit;
    double decimals = -floor(log10(step) + 1e-6);
    return (int)fmin(fmax(decimals, 0), 9);
}

// "velocity x (10^3 m/s)"
static void compose_title(const pli_picture_def *def, const pli_frame_field *field,
                          int32_t exponent, char title[TITLE_CAPACITY])
{
    static const char *const of_three[] = {" x", " y", " z"};
    static const char *const of_six[] = {" xx", " yy", " zz", " xy", " yz", " xz"};
    const char *unit = field != NULL && field->unit != NULL ? field->unit : "";
    if (strcmp(unit, "-") == 0 || strcmp(unit, "1") == 0) unit = "";
    bool component = def->component >= 0 && field != NULL && field->components > 1;
    const char *const *axes = field != NULL && field->components == 6 ? of_six : of_three;

    char scale[LABEL_CAPACITY] = "";
    if (exponent != 0) snprintf(scale, sizeof scale, "10^%d", exponent);
    bool both = scale[0] != '\0' && unit[0] != '\0';
    bool either = scale[0] != '\0' || unit[0] != '\0';
    snprintf(title, TITLE_CAPACITY, "%.60s%s%s%s%s%.30s%s", def->field,
             component ? axes[def->component] : "", either ? " (" : "", scale, both ? " " : "",
             unit, either ? ")" : "");
    for (char *c = title; *c != '\0'; ++c) {
        if (*c == '_') *c = ' ';
    }
}

static void draw_title(const pli_picture_def *def, const char *title, double bottom,
                       const pli_picture_canvas *canvas)
{
    pli_picture_ink ink = legend_ink(def);
    double scale = legend_scale(def->height);
    double width = pli_picture_text_width(&ink, title);
    double right = canvas->width - border * scale;
    pli_picture_text_draw(canvas, &ink, fmax(right - width, 2), bottom, title);
}

// where the bar stands; it starts below the title and is at most half as high as the picture
static pli_picture_box bar_box(const pli_picture_def *def)
{
    double scale = legend_scale(def->height);
    // whole pixels, so that neighbouring strips of colour do not mix with what is below
    double right = round(def->width - (border + label_width + label_gap) * scale);
    double top = round((border + text_size + title_gap) * scale);
    return (pli_picture_box){round(right - bar_width * scale), top, right,
                             round(top + bar_height * scale)};
}

static void srgb_of_value(const pli_picture_colors *colors, double value, double srgb[3])
{
    pli_picture_color_of_value(colors, value, srgb);
    for (int k = 0; k < 3; ++k) srgb[k] = pli_picture_srgb_from_linear(srgb[k]);
}

static void draw_bar(const pli_picture_def *def, const pli_picture_colors *colors,
                     const pli_picture_box *bar, const pli_picture_canvas *canvas)
{
    pli_picture_ink ink = legend_ink(def);
    pli_picture_box frame = {bar->left - 1, bar->top - 1, bar->right + 1, bar->bottom + 1};
    pli_picture_box_draw(canvas, &frame, ink.color, 0.55);
    int32_t rows = (int32_t)ceil(bar->bottom - bar->top);
    for (int32_t row = 0; row < rows; ++row) {
        double top = bar->top + row;
        double bottom = fmin(top + 1, bar->bottom);
        double t = (bar->bottom - 0.5 * (top + bottom)) / (bar->bottom - bar->top);
        double srgb[3];
        srgb_of_value(colors, (1 - t) * colors->range[0] + t * colors->range[1], srgb);
        pli_picture_box strip = {bar->left, top, bar->right, bottom};
        pli_picture_box_draw(canvas, &strip, srgb, 1);
    }
}

static void draw_ticks(const pli_picture_def *def, const pli_picture_colors *colors,
                       const pli_picture_box *bar, double unit, const pli_picture_canvas *canvas)
{
    double ticks[MOST_TICKS];
    int32_t count = pli_picture_ticks(colors->range[0], colors->range[1], MOST_TICKS, ticks);
    int decimals = decimals_of(ticks, count, unit);
    pli_picture_ink ink = legend_ink(def);
    double scale = legend_scale(def->height);
    for (int32_t i = 0; i < count; ++i) {
        double t = (ticks[i] - colors->range[0]) / (colors->range[1] - colors->range[0]);
        double y = bar->bottom - t * (bar->bottom - bar->top);
        double half = 0.5 * fmax(scale, 1);
        pli_picture_box mark = {bar->right + 1, y - half, bar->right + 1 + 4 * scale, y + half};
        pli_picture_box_draw(canvas, &mark, ink.color, 0.8);

        char label[LABEL_CAPACITY];
        // adding 0 turns -0 into 0
        snprintf(label, sizeof label, "%.*f", decimals, ticks[i] / unit + 0.0);
        pli_picture_text_draw(canvas, &ink, bar->right + label_gap * scale, y + 0.5 * ink.size,
                              label);
    }
}

// one square per category instead of a bar
static void draw_swatches(const pli_picture_def *def, const pli_picture_colors *colors,
                          const pli_picture_box *bar, const pli_picture_canvas *canvas)
{
    pli_picture_ink ink = legend_ink(def);
    double scale = legend_scale(def->height);
    double first = ceil(colors->range[0]);
    double last = fmin(floor(colors->range[1]), first + MOST_SWATCHES - 1);
    double top = bar->top;
    for (double category = first; category <= last; ++category) {
        double srgb[3];
        srgb_of_value(colors, category, srgb);
        pli_picture_box swatch = {bar->left, top, bar->right, top + bar_width * scale};
        pli_picture_box_draw(canvas, &swatch, srgb, 1);
        char label[LABEL_CAPACITY];
        snprintf(label, sizeof label, "%.0f", category + 0.0);
        pli_picture_text_draw(canvas, &ink, bar->right + label_gap * scale,
                              top + 0.5 * (bar_width * scale + ink.size), label);
        top += swatch_height * scale;
    }
}

void pli_picture_legend_draw(const pli_picture_def *def, const pli_picture_colors *colors,
                             const pli_frame_field *field, const pli_picture_canvas *canvas)
{
    bool categories = colors->kind == PLI_COLORMAP_CATEGORIES;
    int32_t exponent = categories ? 0 : common_exponent(colors->range);
    char title[TITLE_CAPACITY];
    compose_title(def, field, exponent, title);
    pli_picture_box bar = bar_box(def);
    draw_title(def, title, bar.top - title_gap * legend_scale(def->height), canvas);
    if (categories) {
        draw_swatches(def, colors, &bar, canvas);
        return;
    }
    draw_bar(def, colors, &bar, canvas);
    draw_ticks(def, colors, &bar, pow(10, exponent), canvas);
}

void pli_picture_time_draw(const pli_picture_def *def, double time,
                           const pli_picture_canvas *canvas)
{
    char text[LABEL_CAPACITY];
    snprintf(text, sizeof text, "t = %.3f s", time);
    pli_picture_ink ink = legend_ink(def);
    double margin = border * legend_scale(def->height);
    pli_picture_text_draw(canvas, &ink, margin, canvas->height - margin, text);
}
