// SPDX-License-Identifier: Apache-2.0
#include "s4_map.h"

#include "base/context.h"
#include "base/memory.h"
#include "scene_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DT_COUNT = 6, FAILURE_LIMIT = 500 };

// steps per 24 Hz frame, and one second
static const char *const dt_names[DT_COUNT] = {"170", "40", "20", "10", "1", "1s"};
static const double dt_fps[DT_COUNT] = {170 * 24.0, 40 * 24.0, 20 * 24.0, 10 * 24.0, 24.0, 1.0};

typedef struct map {
    pli_bench *bench;
    const char *solver;
    int32_t size;       // pixels along an edge
    uint8_t *rgb;       // [size][size][3]
    double *positions;  // [vertex_count][3] start of the current pixel (m)
    int32_t failed;     // pixels
    int64_t iterations; // of the pixels that converged
} map;

// The bar's left end stays, its right end goes to the pixel, and in between the displacement grows
// linearly; the pixel (3/5, 1/2) is the rest shape.
static void drag_end(const pli_bench_scene *s, double u, double v, double *positions)
{
    const double *rest = pli_model_get_mesh(s->model).rest_positions;
    for (int32_t i = 0; i < s->info.vertex_count; ++i) {
        const double *X = rest + 3 * (int64_t)i;
        double along = (X[0] - 0.2) / 0.4;
        positions[3 * i] = X[0] + along * (u - 0.6);
        positions[3 * i + 1] = X[1] + along * (v - 0.5);
        positions[3 * i + 2] = X[2];
    }
}

// black at 0, blue at 15, cyan from 30 on, red for failure
static void color_of(int32_t iterations, bool failed, uint8_t rgb[3])
{
    double t = fmin(1, iterations / 30.0);
    rgb[0] = failed ? 220 : 0;
    rgb[1] = failed ? 30 : (uint8_t)(255 * fmax(0, 2 * t - 1));
    rgb[2] = failed ? 30 : (uint8_t)(255 * fmin(1, 2 * t));
}

static pli_status try_pixel(map *m, pli_bench_scene *s, const pli_state *fresh, int32_t row,
                            int32_t column)
{
    double u = (column + 0.5) / m->size;
    double v = 1 - (row + 0.5) / m->size;
    drag_end(s, u, v, m->positions);
    PLI_TRY(pli_state_copy(fresh, s->state));
    PLI_TRY(pli_state_set(s->state, m->positions, NULL));
    pli_step_report report;
    PLI_TRY(pli_solver_step(s->solver, s->state, &report));
    bool failed = report.stop <= 0;
    m->failed += failed;
    if (!failed) m->iterations += report.iterations;
    color_of(report.iterations, failed, m->rgb + 3 * ((int64_t)row * m->size + column));
    return PLI_OK;
}

static pli_status draw_pixels(map *m, pli_bench_scene *s)
{
    pli_state *fresh = NULL;
    PLI_TRY(pli_state_create(s->model, &fresh));
    pli_status status = PLI_OK;
    for (int32_t row = 0; row < m->size && status == PLI_OK; ++row) {
        for (int32_t column = 0; column < m->size && status == PLI_OK; ++column) {
            status = try_pixel(m, s, fresh, row, column);
        }
    }
    pli_state_destroy(fresh);
    return status;
}

static pli_status write_map(const map *m, int32_t dt)
{
    char path[512];
    snprintf(path, sizeof path, "%s/map_%s_%s.png", pli_bench_folder(m->bench), m->solver,
             dt_names[dt]);
    pli_status status =
        pli_picture_write_png(pli_bench_context(m->bench), path, m->size, m->size, m->rgb);
    // a build without pictures still measures
    return status == PLI_ERROR_UNSUPPORTED ? PLI_OK : status;
}

static pli_status draw_map(map *m, int32_t dt)
{
    char fps[64];
    char solver[64];
    char limit[64];
    snprintf(fps, sizeof fps, "time.fps=%.17g", dt_fps[dt]);
    snprintf(solver, sizeof solver, "solver.name=%s", m->solver);
    snprintf(limit, sizeof limit, "solver.max_iterations=%d", FAILURE_LIMIT);
    const char *overrides[] = {fps, solver, limit, NULL};
    pli_bench_scene s;
    PLI_TRY(pli_bench_scene_init(&s, m->bench, "rubber/map", overrides));
    m->failed = 0;
    m->iterations = 0;
    m->positions = PLI_NEW(s.context, double, 3 * (int64_t)s.info.vertex_count, "map start");
    m->rgb = PLI_NEW(s.context, uint8_t, 3 * (int64_t)m->size * m->size, "map");
    pli_status status = m->positions != NULL && m->rgb != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = draw_pixels(m, &s);
    if (status == PLI_OK) status = write_map(m, dt);
    pli_release(s.context, m->rgb);
    pli_release(s.context, m->positions);
    pli_bench_scene_clear(&s);
    return status;
}

static pli_status claim_solver(pli_bench *bench, const char *solver, double fraction[DT_COUNT])
{
    map m = {.bench = bench, .solver = solver, .size = pli_bench_is_paper_size(bench) ? 160 : 40};
    for (int32_t dt = 0; dt < DT_COUNT; ++dt) {
        PLI_TRY(draw_map(&m, dt));
        int32_t pixels = m.size * m.size;
        fraction[dt] = (double)m.failed / pixels;
        pli_bench_note(bench, "%s, %s steps per frame: %.1f %% failed, %.1f iterations otherwise",
                       solver, dt_names[dt], 100 * fraction[dt],
                       (double)m.iterations / fmax(1, pixels - m.failed));
    }
    return PLI_OK;
}

pli_status pli_bench_s4_map(pli_bench *bench)
{
    double ours[DT_COUNT];
    double plain[DT_COUNT];
    PLI_TRY(claim_solver(bench, "newton", ours));
    PLI_TRY(claim_solver(bench, "newton-plain", plain));

    double worst = 0;
    for (int32_t dt = 0; dt < DT_COUNT; ++dt) worst = fmax(worst, ours[dt]);
    pli_bench_claim(bench,
                    &(pli_claim){"Q4-1", "largest share of failed pixels over all steps, newton",
                                 "0", worst, "", 0, 0});
    pli_bench_claim(bench,
                    &(pli_claim){"Q4-1", "failed share at 1 s minus at 1/4080 s, newton-plain",
                                 "> 0", plain[DT_COUNT - 1] - plain[0], "", 0.01, 1});
    return PLI_OK;
}
