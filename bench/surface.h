// SPDX-License-Identifier: Apache-2.0
//
// Surfaces as contact sees them, for benchmarks: solids, cloth, rubble, and awkward cases.
#ifndef PLI_BENCH_SURFACE_H
#define PLI_BENCH_SURFACE_H

#include "pliant/detect.h"

// a triangle mesh that moves; all vertices are points
typedef struct pli_bench_surface {
    int32_t vertex_count;
    int32_t edge_count;
    int32_t triangle_count;
    double *x0;         // [vertex_count][3] (m)
    double *x1;         // [vertex_count][3] after the motion (m)
    int32_t *points;    // [vertex_count]
    int32_t *edges;     // [edge_count][2]
    int32_t *triangles; // [triangle_count][3]
} pli_bench_surface;

typedef struct pli_bench_surface_case {
    const char *name;
    pli_status (*make)(pli_context *context, pli_bench_surface *s);
} pli_bench_surface_case;

enum {
    PLI_BENCH_CUBE,
    PLI_BENCH_MOVING_CUBE,
    PLI_BENCH_TWO_CUBES,
    PLI_BENCH_CLOTH,
    PLI_BENCH_RUBBLE,
    PLI_BENCH_HUGE_TRIANGLE,
    PLI_BENCH_HEAP,
    PLI_BENCH_SURFACES
};

// The surfaces by number. A failed `make` leaves something to clear.
extern const pli_bench_surface_case pli_bench_surfaces[PLI_BENCH_SURFACES];

void pli_bench_surface_clear(pli_context *context, pli_bench_surface *s);

// The broad phase over a surface.
PLI_CHECKED pli_status pli_bench_surface_broad(pli_context *context, const pli_bench_surface *s,
                                               pli_broad_phase **broad);

#endif
