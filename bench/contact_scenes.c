// SPDX-License-Identifier: Apache-2.0
//
// Every scene of barrier contact from beginning to end, each frame looked at by exact predicates:
// nothing crosses, nothing inverts, every step converges.
#include "scene_run.h"

#include "base/context.h"
#include "base/timers.h"

#include <math.h>

typedef struct scene_row {
    const char *scene;
    const char *what;
} scene_row;

static const scene_row rows[] = {
    {"contact/drop", "cube on a plane"},
    {"contact/edge-drop", "cube that lands on its edge"},
    {"contact/two-cubes", "two cubes with friction"},
    {"contact/cube-on-cube", "cube that tumbles off another"},
    {"contact/stack", "boxes of 1e4 to 1e10 Pa"},
    {"contact/arch", "masonry arch"},
    {"contact/card-house", "house of cards, and blocks that fall on it"},
    {"contact/chain", "links pulled tight"},
    {"contact/rods", "bundle of rods, twisted"},
    {"contact/spikes", "mat dragged over spikes"},
    {"shells/scroll", "rolled sheet, squeezed"},
    {"cloth/ball-drop", "cloth on a ball"},
    {"contact/bullet", "ball at 20 m/s on a sheet"},
    {"contact/hollow-ball", "hollow ball"},
    {"contact/basketball", "ball of struts"},
    {"contact/roller", "roller on terrain"},
    {"contact/hoop", "ball through a hoop with a net"},
    {"contact/twist", "bar, twisted"},
};

enum { ROWS = sizeof rows / sizeof *rows };

// A scene that takes longer than this has gone wrong (s).
static const double patience = 240;

typedef struct outcome {
    pli_bench_tally tally;
    int32_t frames;
    int64_t crossings;
    int64_t inverted;
    double min_gap;
} outcome;

static pli_status check_frame(pli_bench_scene *s, outcome *o)
{
    pli_frame frame;
    pli_frame_findings findings;
    PLI_TRY(pli_solver_frame(s->solver, s->state, &frame));
    PLI_TRY(pli_frame_check(s->context, &frame, false, &findings));
    ++o->frames;
    o->crossings += findings.intersection_count;
    o->inverted += findings.inverted_count;
    return PLI_OK;
}

static pli_status run_frames(pli_bench_scene *s, outcome *o)
{
    const pli_time_def *time = &pli_scene_get(s->scene)->time;
    *o = (outcome){.tally = {.min_gap = INFINITY, .least_J = INFINITY}};
    PLI_TRY(check_frame(s, o));
    for (int32_t frame = 0; frame < time->frames && !o->tally.unfinished; ++frame) {
        pli_bench_tally part;
        PLI_TRY(pli_bench_scene_steps(s, time->steps_per_frame, false, &part));
        pli_bench_tally_add(&part, &o->tally);
        PLI_TRY(check_frame(s, o));
    }
    return PLI_OK;
}

static pli_status run_row(pli_bench *bench, const scene_row *row, outcome *o)
{
    static const char *const none[] = {NULL};
    pli_bench_scene s;
    PLI_TRY(pli_bench_scene_init(&s, bench, row->scene, none));
    s.deadline = pli_clock_seconds() + patience;
    pli_status status = run_frames(&s, o);
    if (status == PLI_OK) {
        double steps = o->tally.steps > 0 ? o->tally.steps : 1;
        pli_bench_note(bench, "%-21s %7d %6d %9.1f %7.1f %6d %9.1e %9lld %8lld  %s%s", row->scene,
                       (int)s.info.vertex_count, (int)o->tally.steps,
                       1e3 * o->tally.seconds / steps, (double)o->tally.solves / steps,
                       (int)o->tally.failures, o->tally.min_gap, (long long)o->crossings,
                       (long long)o->inverted, row->what,
                       o->tally.unfinished ? " (out of time)" : "");
    }
    pli_bench_scene_clear(&s);
    return status;
}

pli_status pli_bench_contact_scenes(pli_bench *bench)
{
    int64_t crossings = 0, inverted = 0, failures = 0, unfinished = 0;
    pli_bench_note(bench, "%-21s %7s %6s %9s %7s %6s %9s %9s %8s", "scene", "points", "steps",
                   "ms/step", "solves", "failed", "gap (m)", "crossings", "inverted");
    for (int32_t k = 0; k < ROWS; ++k) {
        outcome o;
        PLI_TRY(run_row(bench, &rows[k], &o));
        crossings += o.crossings;
        inverted += o.inverted;
        failures += o.tally.failures;
        unfinished += o.tally.unfinished;
    }
    pli_claim claims[] = {
        {"apart", "crossings of triangles in all frames", "0", (double)crossings, "", 0, 0},
        {"upright", "inverted tetrahedra in all frames", "0", (double)inverted, "", 0, 0},
        {"converged", "steps that did not converge", "-", (double)failures, "steps", 0, 0},
        {"finished", "scenes that ran out of time", "-", (double)unfinished, "scenes", 0, 0},
    };
    for (int k = 0; k < 4; ++k) pli_bench_claim(bench, &claims[k]);
    return PLI_OK;
}
