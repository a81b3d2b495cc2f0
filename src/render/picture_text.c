// SPDX-License-Identifier: Apache-2.0
#include "render/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CAPITAL_HEIGHT = 20, // of the font's grid
    CURVE_PIECES = 8,    // lines that a curve is drawn with
    MOST_SEGMENTS = 160  // of a glyph
};

static const double raised_size = 0.68;   // of digits after "^"
static const double raised_weight = 0.85; // of the pen that draws them
static const double raised_height = 0.5;  // how far they are lifted, in capital letters

typedef struct segment {
    double a[2]; // pixels
    double b[2];
} segment;

// The strokes of a glyph, placed in the picture.
typedef struct glyph_strokes {
    double x, y, scale; // left end of the base line, and pixels per unit of the grid
    int32_t count;
    segment segments[MOST_SEGMENTS];
} glyph_strokes;

static void blend(uint8_t *pixel, const double color[3], double cover)
{
    for (int k = 0; k < 3; ++k) {
        double value = (1 - cover) * pixel[k] / 255 + cover * color[k];
        pixel[k] = (uint8_t)lround(255 * pli_picture_clamp(value));
    }
}

static void add_segment(glyph_strokes *strokes, const double from[2], const double to[2])
{
    if (strokes->count == MOST_SEGMENTS) return;
    segment *s = &strokes->segments[strokes->count++];
    s->a[0] = strokes->x + strokes->scale * from[0];
    s->a[1] = strokes->y - strokes->scale * from[1];
    s->b[0] = strokes->x + strokes->scale * to[0];
    s->b[1] = strokes->y - strokes->scale * to[1];
}

static void add_curve(glyph_strokes *strokes, double p[4][2])
{
    double from[2] = {p[0][0], p[0][1]};
    for (int i = 1; i <= CURVE_PIECES; ++i) {
        double t = (double)i / CURVE_PIECES;
        double s = 1 - t;
        double weight[4] = {s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t};
        double to[2] = {0, 0};
        for (int k = 0; k < 4; ++k) {
            to[0] += weight[k] * p[k][0];
            to[1] += weight[k] * p[k][1];
        }
        add_segment(strokes, from, to);
        memcpy(from, to, sizeof from);
    }
}

// reads pairs of numbers after a command; returns where they end
static const char *read_points(const char *path, int count, double points[][2])
{
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 2; ++k) {
            char *end = NULL;
            points[i][k] = (double)strtol(path, &end, 10);
            path = end;
        }
    }
    return path;
}

static void read_strokes(const char *path, glyph_strokes *strokes)
{
    double p[4][2] = {{0}}; // p[0] is where the pen is
    while (*path != '\0') {
        char command = *path++;
        int count = command == 'C' ? 3 : 1;
        path = read_points(path, count, p + 1);
        if (command == 'L') add_segment(strokes, p[0], p[1]);
        if (command == 'C') add_curve(strokes, p);
        memcpy(p[0], p[count], sizeof p[0]);
    }
}

static double segment_distance(const segment *s, double x, double y)
{
    double d[2] = {s->b[0] - s->a[0], s->b[1] - s->a[1]};
    double e[2] = {x - s->a[0], y - s->a[1]};
    double length2 = d[0] * d[0] + d[1] * d[1];
    double t = length2 > 0 ? (d[0] * e[0] + d[1] * e[1]) / length2 : 0;
    t = pli_picture_clamp(t);
    return hypot(e[0] - t * d[0], e[1] - t * d[1]);
}

// the pixels that a glyph with its pen can touch, inside the picture
static void pixel_box(const glyph_strokes *strokes, double pen, const pli_picture_canvas *canvas,
                      int32_t low[2], int32_t high[2])
{
    const double most[2] = {canvas->width, canvas->height};
    for (int k = 0; k < 2; ++k) {
        double least = HUGE_VAL;
        double largest = -HUGE_VAL;
        for (int32_t i = 0; i < strokes->count; ++i) {
            const segment *s = &strokes->segments[i];
            least = fmin(least, fmin(s->a[k], s->b[k]));
            largest = fmax(largest, fmax(s->a[k], s->b[k]));
        }
        low[k] = (int32_t)fmin(fmax(floor(least - pen - 1), 0), most[k]);
        high[k] = (int32_t)fmax(fmin(ceil(largest + pen + 1), most[k]), 0);
    }
}

// a pixel is covered as far as the pen's round tip reaches over its middle
static void draw_strokes(const pli_picture_canvas *canvas, const glyph_strokes *strokes,
                         const pli_picture_ink *ink)
{
    if (strokes->count == 0) return;
    int32_t low[2];
    int32_t high[2];
    pixel_box(strokes, 0.5 * ink->weight, canvas, low, high);
    for (int32_t row = low[1]; row < high[1]; ++row) {
        for (int32_t column = low[0]; column < high[0]; ++column) {
            double nearest = HUGE_VAL;
            for (int32_t i = 0; i < strokes->count; ++i) {
                nearest =
                    fmin(nearest, segment_distance(&strokes->segments[i], column + 0.5, row + 0.5));
            }
            double cover = pli_picture_clamp(0.5 * ink->weight + 0.5 - nearest);
            if (cover == 0) continue;
            blend(canvas->rgb + 3 * ((int64_t)row * canvas->width + column), ink->color, cover);
        }
    }
}

// A walk along a text: where the next glyph stands and how large it is.
typedef struct text_walk {
    const char *text;
    double x; // pixels from the start
    bool raised;
} text_walk;

// the next visible character, or 0 at the end
static char walk_next(text_walk *walk)
{
    if (*walk->text == '^' && walk->text[1] != '\0') {
        walk->raised = true;
        ++walk->text;
    } else if (walk->raised && strchr("0123456789+-.", *walk->text) == NULL) {
        walk->raised = false;
    }
    return *walk->text != '\0' ? *walk->text++ : '\0';
}

static double walk_scale(const text_walk *walk, const pli_picture_ink *ink)
{
    return (walk->raised ? raised_size : 1) * ink->size / CAPITAL_HEIGHT;
}

void pli_picture_text_draw(const pli_picture_canvas *canvas, const pli_picture_ink *ink, double x,
                           double y, const char *text)
{
    text_walk walk = {.text = text};
    for (char c = walk_next(&walk); c != '\0'; c = walk_next(&walk)) {
        const pli_picture_glyph *glyph = pli_picture_glyph_get(c);
        glyph_strokes strokes;
        strokes.count = 0;
        strokes.scale = walk_scale(&walk, ink);
        strokes.x = x + walk.x;
        strokes.y = y - (walk.raised ? raised_height * ink->size : 0);
        read_strokes(glyph->path, &strokes);
        pli_picture_ink pen = *ink;
        if (walk.raised) pen.weight *= raised_weight;
        draw_strokes(canvas, &strokes, &pen);
        walk.x += glyph->advance * strokes.scale;
    }
}

double pli_picture_text_width(const pli_picture_ink *ink, const char *text)
{
    text_walk walk = {.text = text};
    for (char c = walk_next(&walk); c != '\0'; c = walk_next(&walk)) {
        walk.x += pli_picture_glyph_get(c)->advance * walk_scale(&walk, ink);
    }
    return walk.x;
}

// length of [low, high] inside pixel i
static double pixel_overlap(double low, double high, int32_t i)
{
    return fmax(fmin(high, i + 1.0) - fmax(low, (double)i), 0);
}

void pli_picture_box_draw(const pli_picture_canvas *canvas, const pli_picture_box *box,
                          const double color[3], double opacity)
{
    int32_t top = (int32_t)fmin(fmax(floor(box->top), 0), canvas->height);
    int32_t left = (int32_t)fmin(fmax(floor(box->left), 0), canvas->width);
    for (int32_t row = top; row < canvas->height && row < box->bottom; ++row) {
        for (int32_t column = left; column < canvas->width && column < box->right; ++column) {
            double cover = pixel_overlap(box->top, box->bottom, row) *
                           pixel_overlap(box->left, box->right, column);
            blend(canvas->rgb + 3 * ((int64_t)row * canvas->width + column), color,
                  opacity * cover);
        }
    }
}
