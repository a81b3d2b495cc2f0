// SPDX-License-Identifier: Apache-2.0
//
// Collision detection without a simulation: two triangles fall onto a tetrahedron. Finds the pairs
// that may touch, the safe part of the way, and takes it; again and again, until hardly anything is
// left to take. Then one query by itself.
//
//     contact_detect
#include "pliant/detect.h"

#include <stdio.h>
#include <stdlib.h>

enum { VERTICES = 8, EDGES = 11, TRIANGLES = 6, ROUNDS = 6 };

// a square of two triangles 30 cm above a tetrahedron (m); it falls by half a metre and tilts
static double x0[3 * VERTICES] = {0, 0, 0,   1, 0, 0,   0, 1, 0,   0.3, 0.3, 0.7,
                                  0, 0, 1.0, 1, 0, 1.0, 1, 1, 1.0, 0,   1,   1.0};
static const double x1[3 * VERTICES] = {0, 0, 0,   1, 0, 0,   0, 1, 0,   0.3, 0.3, 0.7,
                                        0, 0, 0.5, 1, 0, 0.4, 1, 1, 0.3, 0,   1,   0.4};
static const int32_t points[VERTICES] = {0, 1, 2, 3, 4, 5, 6, 7};
static const int32_t edges[2 * EDGES] = {0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2,
                                         3, 4, 5, 5, 6, 6, 7, 7, 4, 4, 6};
static const int32_t triangles[3 * TRIANGLES] = {0, 2, 1, 0, 1, 3, 1, 2, 3,
                                                 2, 0, 3, 4, 5, 6, 4, 6, 7};

// Goes on from x0 towards x1 for as long as that is safe.
static pli_status advance(pli_broad_phase *broad, double *step)
{
    static const char *const names[] = {"two points", "a point and an edge",
                                        "a point and a triangle", "two edges"};
    pli_broad_phase_pairs pairs;
    pli_safe_step_report report;
    pli_ccd_def def = pli_ccd_def_default(); // keeps a tenth of each gap
    pli_status status = pli_broad_phase_find_swept(broad, x0, x1, def.separation, &pairs);
    if (status != PLI_OK) return status;
    *step = pli_safe_step(broad, &pairs, x0, x1, &def, &report);
    printf("%3lld point-triangle and %3lld edge-edge pairs, %.7f of the way is safe",
           (long long)pairs.point_triangle.count, (long long)pairs.edge_edge.count, *step);
    if (report.pair[0] >= 0) {
        printf(": %s, %d and %d", names[report.kind], report.pair[0], report.pair[1]);
    }
    printf("\n");
    for (int i = 0; i < 3 * VERTICES; ++i) x0[i] += *step * (x1[i] - x0[i]);
    return PLI_OK;
}

// The tip of the tetrahedron against a triangle of the square, from where it is now.
static double ask_one_pair(void)
{
    const double *const start[] = {x0 + 3 * 3, x0 + 3 * 4, x0 + 3 * 5, x0 + 3 * 6};
    const double *const end[] = {x1 + 3 * 3, x1 + 3 * 4, x1 + 3 * 5, x1 + 3 * 6};
    pli_ccd_def def = pli_ccd_def_default();
    pli_ccd_query query;
    pli_ccd_report report;
    def.gap = 0;
    def.tolerance = 1e-9;
    pli_ccd_query_init(PLI_CCD_POINT_TRIANGLE, start, end, &query);
    pli_ccd_solve(&query, &def, &report);
    printf("tip and triangle: %.3g m apart, contact after %.7f of the rest of the way\n",
           pli_ccd_distance(&query, 0), report.time);
    return pli_ccd_distance(&query, 0);
}

int main(void)
{
    const pli_broad_phase_def def = {.vertex_count = VERTICES,
                                     .point_count = VERTICES,
                                     .edge_count = EDGES,
                                     .triangle_count = TRIANGLES,
                                     .points = points,
                                     .edges = edges,
                                     .triangles = triangles};
    pli_context *context = NULL;
    pli_broad_phase *broad = NULL;
    double step = 1, distance = 0;
    pli_status status = pli_context_create(NULL, &context);
    if (status == PLI_OK) status = pli_broad_phase_create(context, &def, &broad);
    for (int round = 0; status == PLI_OK && round < ROUNDS; ++round) status = advance(broad, &step);
    if (status == PLI_OK) distance = ask_one_pair();
    if (status != PLI_OK) fprintf(stderr, "%s\n", pli_status_text(status));
    pli_broad_phase_destroy(broad);
    pli_context_destroy(context);
    // nothing has touched, and the way is used up
    return distance > 0 && step < 1e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
