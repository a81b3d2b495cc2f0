// SPDX-License-Identifier: Apache-2.0
#include "geometry/generate/sheet_mesh.h"

#include "base/memory.h"

#include <math.h>

static const double two_pi = 6.28318530717958647693;

// Where the point (s, t) of the unit square is.
typedef void (*place_fn)(const void *def, double s, double t, double x[3]);

static pli_status check_cells(pli_context *context, const int32_t cells[2])
{
    if (cells[0] >= 1 && cells[1] >= 1 &&
        ((double)cells[0] + 1) * ((double)cells[1] + 1) <= INT32_MAX / 6) {
        return PLI_OK;
    }
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "a sheet of %d x %d cells; there must be at least 1 and at most %d together",
                    (int)cells[0], (int)cells[1], INT32_MAX / 6);
}

static void fill_points(const int32_t cells[2], place_fn place, const void *def, double *points)
{
    for (int32_t j = 0; j <= cells[1]; ++j) {
        for (int32_t i = 0; i <= cells[0]; ++i, points += 3) {
            place(def, (double)i / cells[0], (double)j / cells[1], points);
        }
    }
}

// Two triangles a square; the front is where s turns into t clockwise.
static void fill_triangles(const int32_t cells[2], int32_t *triangles)
{
    for (int32_t j = 0; j < cells[1]; ++j) {
        for (int32_t i = 0; i < cells[0]; ++i, triangles += 6) {
            int32_t a = i + (cells[0] + 1) * j;
            int32_t b = a + 1;
            int32_t c = a + cells[0] + 1;
            int32_t d = c + 1;
            bool rising = (i + j) % 2 == 0;
            const int32_t two[6] = {a, rising ? d : c, b, rising ? a : b, c, d};
            for (int k = 0; k < 6; ++k) triangles[k] = two[k];
        }
    }
}

static pli_status create(pli_context *context, const int32_t cells[2], place_fn place,
                         const void *def, pli_tri_mesh **mesh)
{
    *mesh = NULL;
    PLI_TRY(check_cells(context, cells));
    int32_t vertex_count = (cells[0] + 1) * (cells[1] + 1);
    int32_t triangle_count = 2 * cells[0] * cells[1];
    double *points = PLI_NEW(context, double, 3 * (int64_t)vertex_count, "sheet");
    int32_t *triangles = PLI_NEW(context, int32_t, 3 * (int64_t)triangle_count, "sheet");
    pli_status status = PLI_ERROR_MEMORY;
    if (points == NULL || triangles == NULL) goto done;
    fill_points(cells, place, def, points);
    fill_triangles(cells, triangles);
    status = pli_tri_mesh_create(context, vertex_count, points, triangle_count, triangles, mesh);

done:
    PLI_RELEASE(context, triangles, points);
    return status;
}

// ---- flat

static void place_flat(const void *user, double s, double t, double x[3])
{
    const pli_sheet_mesh_def *def = user;
    pli_vec3_set(def->center[0] + (s - 0.5) * def->size[0], def->center[1],
                 def->center[2] + (t - 0.5) * def->size[1], x);
}

pli_status pli_sheet_mesh_create(pli_context *context, const pli_sheet_mesh_def *def,
                                 pli_tri_mesh **mesh)
{
    return create(context, def->cells, place_flat, def, mesh);
}

// ---- rolled up

// With the growth per radian c = g / (2 pi), the length from radius 0 to r is
// 1/(2 c) (r sqrt(r^2 + c^2) + c^2 asinh(r / c)).
static double length_to_radius(double c, double r)
{
    return 0.5 * (r * hypot(r, c) / c + c * asinh(r / c));
}

double pli_scroll_length(const pli_scroll_mesh_def *def, double phi)
{
    double c = def->gap / two_pi;
    return length_to_radius(c, def->radius + c * phi) - length_to_radius(c, def->radius);
}

// The angle at which the spiral is as long as asked for, by Newton's method; the length is convex
// in the angle and the end of the spiral lies beyond, so that it falls steadily.
static double angle_at_length(const pli_scroll_mesh_def *def, double length)
{
    double c = def->gap / two_pi;
    double phi = two_pi * def->turns;
    for (int iteration = 0; iteration < 60; ++iteration) {
        double change = (pli_scroll_length(def, phi) - length) / hypot(def->radius + c * phi, c);
        phi -= change;
        if (fabs(change) <= 1e-14 * two_pi * def->turns) break;
    }
    return phi;
}

static void place_rolled(const void *user, double s, double t, double x[3])
{
    const pli_scroll_mesh_def *def = user;
    double whole = pli_scroll_length(def, two_pi * def->turns);
    double phi = angle_at_length(def, s * whole);
    double r = def->radius + def->gap / two_pi * phi;
    pli_vec3_set(def->center[0] + r * cos(phi), def->center[1] + r * sin(phi),
                 def->center[2] + (0.5 - t) * def->width, x);
}

pli_status pli_scroll_mesh_create(pli_context *context, const pli_scroll_mesh_def *def,
                                  pli_tri_mesh **mesh)
{
    *mesh = NULL;
    if (!(def->radius > 0 && def->gap > 0 && def->turns > 0 && def->width > 0)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a scroll needs a positive radius, gap, width and number of turns");
    }
    return create(context, def->cells, place_rolled, def, mesh);
}
