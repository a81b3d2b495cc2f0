// SPDX-License-Identifier: Apache-2.0
//
// Figure 6: the creature swings alike at all sizes. What is compared is the distance from the place
// between its ears to the tip of its tail, frame by frame, with the finest size that was run.
#include "s2.h"
#include "s2_problem.h"

#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

enum { FRAMES = 60, LITE_SIZES = 4 };

// places of the recipe at rest (m), and what counts as the tip
static const double ears[3] = {0, 0.413, 0.143};
static const double tip[3] = {0.193, -0.446, -0.392};
static const double tip_radius = 0.1;

// Distance from the ears' place to the mean of the tip's mass.
static double tip_distance(const pli_bench_scene *scene)
{
    const double *rest = pli_model_get_mesh(scene->model).rest_positions;
    const double *mass = pli_model_get_mesh(scene->model).masses;
    const double *x = pli_state_get(scene->state).positions;
    double sum[3] = {0};
    double total = 0;
    for (int64_t k = 0; k < scene->info.vertex_count; ++k) {
        if (pli_vec3_distance(rest + 3 * k, tip) > tip_radius) continue;
        pli_vec3_add_scaled(sum, mass[k], x + 3 * k, sum);
        total += mass[k];
    }
    pli_vec3_scale(1 / total, sum, sum);
    return pli_vec3_distance(sum, ears);
}

static pli_status run_size(pli_bench *bench, const pli_s2_row *row, double *curve)
{
    pli_bench_scene scene;
    PLI_TRY(pli_s2_scene_init(&scene, bench, row, NULL));
    pli_status status = PLI_OK;
    for (int32_t k = 0; status == PLI_OK && k < FRAMES; ++k) {
        pli_bench_tally tally;
        status = pli_bench_scene_steps(&scene, 1, false, &tally);
        curve[k] = tip_distance(&scene);
    }
    pli_bench_scene_clear(&scene);
    return status;
}

pli_status pli_bench_s2_motion(pli_bench *bench)
{
    double curves[PLI_S2_CREATURES][FRAMES];
    int32_t sizes = pli_bench_is_paper_size(bench) ? PLI_S2_CREATURES : LITE_SIZES;
    for (int32_t k = 0; k < sizes; ++k) {
        PLI_TRY(run_size(bench, &pli_s2_creatures[k], curves[k]));
    }
    const double *finest = curves[sizes - 1];
    for (int32_t k = 0; k < sizes - 1; ++k) {
        double largest = 0;
        int32_t when = 0;
        for (int32_t frame = 0; frame < FRAMES; ++frame) {
            double difference = fabs(curves[k][frame] - finest[frame]);
            if (difference > largest) when = frame;
            largest = fmax(largest, difference);
        }
        char what[80];
        snprintf(what, sizeof what, "ears to tail, mesh of %s, from that of %s, at most",
                 pli_s2_creatures[k].paper, pli_s2_creatures[sizes - 1].paper);
        pli_bench_note(bench, "largest difference in frame %d: %.4f and %.4f m", (int)when,
                       curves[k][when], finest[when]);
        pli_bench_claim(bench, &(pli_claim){"Q2-9", what, "alike", largest, "of the box", 0, 0.05});
    }
    return PLI_OK;
}
