// SPDX-License-Identifier: Apache-2.0
//
// Collisions of the optimisation integrator (Gast et al. 2015, sections 3.2, 5 and figure 15).
#include "scene_run.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>

// ---- the table of figure 15

enum { ROW_OVERRIDES = 3 };

typedef struct scene_row {
    const char *scene;
    const char *figure; // of the paper
    int32_t steps_per_frame;
    const char *paper; // seconds per frame, unknowns and solves per step, as published
    const char *lite[ROW_OVERRIDES];
    const char *full[ROW_OVERRIDES];
} scene_row;

// order of the rows
enum { STRETCH, PULSE, SPHERES, RANDOM, POINT, TORUS, BOWL, GROUND, HOLE, STACK, SQUEEZE, ROWS };

static const scene_row rows[ROWS] = {
    [STRETCH] = {"rubber/stretch", "3 mid", 1, "0.51 s, 18.5k, 2.8", {NULL}, {NULL}},
    [PULSE] = {"rubber/pulse", "2 top", 1, "0.52 s, 18.5k, 2.9", {NULL}, {NULL}},
    [SPHERES] = {"contact/spheres", "4 top", 1, "4.25 s, 28.0k, 8.1", {NULL}, {NULL}},
    [RANDOM] = {"rubber/random",
                "6 rt",
                1,
                "667 s, 824k, 109.6",
                {NULL},
                {"bodies.cube.geometry.grid.cells=[64,64,64]"}},
    [POINT] = {"rubber/point",
               "8 rt",
               1,
               "444 s, 824k, 88.8",
               {NULL},
               {"bodies.cube.geometry.grid.cells=[64,64,64]"}},
    [TORUS] = {"contact/torus-drop", "7", 5, "1.13 s, 7.9k, 2.1", {NULL}, {NULL}},
    [BOWL] = {"contact/bowl",
              "9",
              5,
              "200 s, 984k, 2.2",
              {"bodies.torus.geometry.fill.vertices=700"},
              {"bodies.torus.copies.count=[5,5,5]", "bodies.torus.position=[0,5.2,0]",
               "colliders.bowl.shape={sampled: {resolution: 64, interpolation: linear, shape: "
               "{intersection: {shapes: [{shell: {shape: {sphere: {center: [0, 3, 0], radius: "
               "2.8}}, thickness: 0.4}}, {plane: {point: [0, 3, 0], normal: [0, 1, 0]}}]}}}}"}},
    [GROUND] = {"contact/ground", "10 top", 1, "0.42 s, 14.0k, 3.8", {NULL}, {NULL}},
    [HOLE] = {"contact/hole", "11", 1, "0.45 s, 7.9k, 8.6", {NULL}, {NULL}},
    [STACK] = {"contact/box-wall",
               "12",
               1,
               "17.1 s, 138k, 6.9",
               {NULL},
               {"bodies.soft.geometry.grid.cells=[10,10,10]",
                "bodies.stiff.geometry.grid.cells=[10,10,10]"}},
    [SQUEEZE] = {"contact/squeeze",
                 "13",
                 1,
                 "46.1 s, 73.8k, 34.7",
                 {NULL},
                 {"bodies.creature.geometry.fill.vertices=24600"}},
};

// A run that takes longer than this at lite size has gone wrong (s).
static const double lite_seconds = 150;

// The overrides of a scene's size and further ones, which end with NULL.
typedef struct override_list {
    const char *text[12];
} override_list;

static void list_overrides(const pli_bench *bench, int32_t row, const char *const *more,
                           override_list *list)
{
    const char *const *size = pli_bench_is_paper_size(bench) ? rows[row].full : rows[row].lite;
    int32_t count = 0;
    for (int32_t k = 0; k < ROW_OVERRIDES && size[k] != NULL; ++k) list->text[count++] = size[k];
    for (int32_t k = 0; more != NULL && more[k] != NULL; ++k) list->text[count++] = more[k];
    list->text[count] = NULL;
}

static pli_status run_row(pli_bench *bench, int32_t row, const char *const *more,
                          pli_bench_tally *tally, pli_model_info *info)
{
    override_list list;
    list_overrides(bench, row, more, &list);
    pli_bench_limits limits = {.seconds = pli_bench_is_paper_size(bench) ? 0 : lite_seconds};
    return pli_bench_scene_run(bench, rows[row].scene, list.text, limits, tally, info);
}

static double seconds_per_frame(const pli_bench_tally *tally, int32_t steps_per_frame)
{
    return tally->seconds * steps_per_frame / tally->steps;
}

static pli_status run_table(pli_bench *bench, pli_bench_tally tallies[ROWS], double sizes[ROWS])
{
    pli_bench_note(bench, "%-14s %-7s %11s %10s %9s %12s %9s  %s", "scene", "figure", "steps/frame",
                   "s/frame", "unknowns", "solves/step", "failures", "paper");
    for (int32_t row = 0; row < ROWS; ++row) {
        const scene_row *r = &rows[row];
        pli_bench_tally *tally = &tallies[row];
        pli_model_info info;
        PLI_TRY(run_row(bench, row, NULL, tally, &info));
        sizes[row] = info.size;
        pli_bench_note(bench, "%-14s %-7s %11d %10.3f %9lld %12.2f %9d  %s%s", r->scene, r->figure,
                       (int)r->steps_per_frame, seconds_per_frame(tally, r->steps_per_frame),
                       (long long)(3 * (int64_t)info.vertex_count),
                       (double)tally->solves / tally->steps, (int)tally->failures, r->paper,
                       tally->unfinished ? " (out of time)" : "");
    }
    return PLI_OK;
}

// ---- what must hold in every scene

static void claim_depths(pli_bench *bench, const pli_bench_tally tallies[ROWS],
                         const double sizes[ROWS])
{
    // scenes all of whose colliders are constraints
    static const int32_t constrained[] = {TORUS, GROUND, HOLE, STACK, SQUEEZE};
    double deepest = 0;
    for (size_t k = 0; k < sizeof constrained / sizeof *constrained; ++k) {
        int32_t row = constrained[k];
        double depth = tallies[row].collider_depth / sizes[row];
        pli_bench_note(bench, "%s: deepest %.2g of the scene in a constraint collider",
                       rows[row].scene, depth);
        deepest = fmax(deepest, depth);
    }
    pli_bench_claim(bench, &(pli_claim){"C1", "deepest vertex in a constraint, of the diagonal",
                                        "none", deepest, "", 0, 1e-10});
}

static void claim_friction(pli_bench *bench, const pli_bench_tally tallies[ROWS])
{
    double most = -INFINITY;
    for (int32_t row = 0; row < ROWS; ++row) most = fmax(most, tallies[row].friction_work);
    pli_bench_claim(bench, &(pli_claim){"C4, C8", "largest work of friction in any step", "<= 0",
                                        most, "J", -INFINITY, 0});
}

static void claim_rest(pli_bench *bench, int32_t row, const pli_bench_tally *tally)
{
    pli_bench_note(bench, "%s: at most %d inverted tetrahedra, depth at most %.2g m",
                   rows[row].scene, (int)tally->max_inverted, tally->max_depth);
    pli_bench_claim(bench, &(pli_claim){rows[row].scene, "kinetic energy at the end, of its peak",
                                        "rest", tally->kinetic / tally->peak_kinetic, "", 0, 0.01});
}

static void claim_sound(pli_bench *bench, int32_t row, const pli_bench_tally *tally)
{
    pli_bench_claim(bench, &(pli_claim){rows[row].scene, "inverted tetrahedra at the end", "0",
                                        tally->inverted, "", 0, 0});
    pli_bench_claim(bench, &(pli_claim){rows[row].scene, "steps that fail or were not reached", "0",
                                        tally->failures + tally->unfinished, "", 0, 0});
}

static void claim_scenes(pli_bench *bench, const pli_bench_tally tallies[ROWS])
{
    static const int32_t piles[] = {TORUS, BOWL};
    static const int32_t sound[] = {TORUS, BOWL, HOLE, STACK, SQUEEZE};
    for (size_t k = 0; k < sizeof piles / sizeof *piles; ++k) {
        claim_rest(bench, piles[k], &tallies[piles[k]]);
    }
    for (size_t k = 0; k < sizeof sound / sizeof *sound; ++k) {
        claim_sound(bench, sound[k], &tallies[sound[k]]);
    }
    const pli_bench_tally *bowl = &tallies[BOWL];
    pli_bench_claim(bench, &(pli_claim){"C5, C6", "share of contact detection in contact/bowl", "-",
                                        bowl->contact_seconds / bowl->seconds, "", 0, 0.3});
}

// ---- Q4-4: two spheres, ours at one step per frame, plain Newton at its own

// Smallest number of steps per frame at which every step of plain Newton converges; 0: none does.
static pli_status find_plain_steps(pli_bench *bench, int32_t *steps_per_frame,
                                   pli_bench_tally *tally)
{
    static const int32_t attempts[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24};
    for (size_t k = 0; k < sizeof attempts / sizeof *attempts; ++k) {
        char steps[64];
        snprintf(steps, sizeof steps, "time.steps_per_frame=%d", (int)attempts[k]);
        // it converges within a few iterations or not at all: the caps end the latter
        const char *overrides[] = {"solver.name=newton-plain", steps, "solver.max_iterations=60",
                                   "solver.linear_max_iterations=500", NULL};
        pli_bench_limits limits = {true, pli_bench_is_paper_size(bench) ? 0 : lite_seconds};
        PLI_TRY(pli_bench_scene_run(bench, "contact/spheres", overrides, limits, tally, NULL));
        bool converged = tally->failures == 0 && !tally->unfinished;
        pli_bench_note(bench, "newton-plain, %d steps per frame: %s, %.2f solves per step",
                       (int)attempts[k],
                       converged           ? "converges"
                       : tally->unfinished ? "out of time"
                                           : "fails",
                       (double)tally->solves / tally->steps);
        *steps_per_frame = converged ? attempts[k] : 0;
        if (converged) return PLI_OK;
    }
    return PLI_OK;
}

static pli_status claim_spheres(pli_bench *bench, const pli_bench_tally *ours)
{
    int32_t plain = 0;
    pli_bench_tally tally;
    PLI_TRY(find_plain_steps(bench, &plain, &tally));
    pli_bench_claim(bench, &(pli_claim){"Q4-4", "steps that fail at 1 step per frame, newton", "0",
                                        ours->failures + ours->unfinished, "", 0, 0});
    pli_bench_claim(bench, &(pli_claim){"Q4-4", "solves per step, newton", "8.1",
                                        (double)ours->solves / ours->steps, "", 4, 16});
    pli_bench_claim(
        bench, &(pli_claim){"Q4-4", "steps per frame that newton-plain needs (inf: more than 24)",
                            "6", plain > 0 ? (double)plain : (double)INFINITY, "", 2, INFINITY});
    if (plain == 0) return PLI_OK;
    double speedup = seconds_per_frame(&tally, plain) / seconds_per_frame(ours, 1);
    pli_bench_claim(bench, &(pli_claim){"Q4-4", "time of newton-plain at its step over newton's",
                                        "1.7", speedup, "x", 1, INFINITY});
    pli_bench_note(bench, "newton-plain at %d steps per frame: %lld solves, newton at 1: %lld",
                   (int)plain, (long long)tally.solves, (long long)ours->solves);
    return PLI_OK;
}

// ---- Q4-7, Q4-8: the ground as constraint, post-process and penalty

static pli_status run_ground(pli_bench *bench, const char *method, const char *rest_shape_guess,
                             pli_bench_tally *tally, pli_model_info *info)
{
    char method_override[64];
    snprintf(method_override, sizeof method_override, "colliders.ground.method=%s", method);
    const char *overrides[] = {method_override, rest_shape_guess, NULL};
    PLI_TRY(run_row(bench, GROUND, overrides, tally, info));
    pli_bench_note(
        bench,
        "contact/ground, %s, %s: %.2f solves per step, at most %d inverted, J at least %.3g, "
        "%d failures, depth %.2g m",
        method, rest_shape_guess, (double)tally->solves / tally->steps, (int)tally->max_inverted,
        tally->least_J, (int)tally->failures, tally->collider_depth);
    return PLI_OK;
}

static pli_status claim_postprocess(pli_bench *bench)
{
    static const char *guess[2] = {"solver.rest_shape_guess=false", "solver.rest_shape_guess=true"};
    static const char *what[2] = {"solves, post-process over constraint, without the rest guess",
                                  "the same with the rest guess, as by default"};
    for (int32_t k = 0; k < 2; ++k) {
        pli_bench_tally constraint, after;
        PLI_TRY(run_ground(bench, "constraint", guess[k], &constraint, NULL));
        PLI_TRY(run_ground(bench, "postprocess", guess[k], &after, NULL));
        if (k == 0) {
            pli_bench_claim(bench, &(pli_claim){"Q4-7", "most inverted tetrahedra, constraint", "0",
                                                constraint.max_inverted, "", 0, 0});
            pli_bench_claim(bench, &(pli_claim){"Q4-7", "most inverted tetrahedra, post-process",
                                                "> 0", after.max_inverted, "", 1, INFINITY});
        }
        double ratio = (double)after.solves / (double)constraint.solves;
        pli_bench_claim(bench, &(pli_claim){"Q4-7", what[k], "2.6", ratio, "x", k == 0 ? 1.5 : NAN,
                                            k == 0 ? INFINITY : NAN});
    }
    return PLI_OK;
}

static pli_status claim_penalty(pli_bench *bench)
{
    pli_bench_tally constraint, penalty;
    pli_model_info info;
    PLI_TRY(run_ground(bench, "constraint", "solver.rest_shape_guess=true", &constraint, &info));
    PLI_TRY(run_ground(bench, "penalty", "solver.rest_shape_guess=true", &penalty, &info));
    pli_bench_claim(bench, &(pli_claim){"Q4-8", "time, constraint over penalty", "about 1",
                                        constraint.seconds / penalty.seconds, "x", 0.7, 1.4});
    pli_bench_note(bench, "contact/ground, constraint and penalty: %lld and %lld linear iterations",
                   (long long)constraint.linear_iterations, (long long)penalty.linear_iterations);
    pli_bench_claim(bench, &(pli_claim){"Q4-8", "deepest vertex of the diagonal, constraint", "0",
                                        constraint.collider_depth / info.size, "", 0, 1e-10});
    pli_bench_claim(bench, &(pli_claim){"Q4-8", "deepest vertex of the diagonal, penalty", "> 0",
                                        penalty.collider_depth / info.size, "", 1e-10, 0.1});
    return PLI_OK;
}

// ---- Q4-9: what smaller steps cost

static pli_status claim_step_sizes(pli_bench *bench, const pli_bench_tally *one)
{
    static const int32_t steps[3] = {2, 4, 8};
    static const char *what[3] = {"time per frame at 2 steps per frame over 1",
                                  "time per frame at 4 steps per frame over 1",
                                  "time per frame at 8 steps per frame over 1"};
    static const char *paper[3] = {"1.26", "1.91", "2.54"};
    double previous = 1;
    for (int32_t k = 0; k < 3; ++k) {
        char text[64];
        snprintf(text, sizeof text, "time.steps_per_frame=%d", (int)steps[k]);
        const char *overrides[] = {text, NULL};
        pli_bench_tally tally;
        PLI_TRY(run_row(bench, SQUEEZE, overrides, &tally, NULL));
        double ratio = seconds_per_frame(&tally, steps[k]) / seconds_per_frame(one, 1);
        pli_bench_claim(bench, &(pli_claim){"Q4-9", what[k], paper[k], ratio, "x", previous,
                                            k < 2 ? INFINITY : 4});
        pli_bench_note(
            bench,
            "contact/squeeze at %d steps per frame: %.2f solves per step, %d failures, %d "
            "inverted at the end, %.2f x the linear iterations",
            (int)steps[k], (double)tally.solves / tally.steps, (int)tally.failures,
            (int)tally.inverted, (double)tally.linear_iterations / (double)one->linear_iterations);
        previous = ratio;
    }
    return PLI_OK;
}

pli_status pli_bench_s4_contact(pli_bench *bench)
{
    pli_bench_tally tallies[ROWS];
    double sizes[ROWS];
    PLI_TRY(run_table(bench, tallies, sizes));
    claim_depths(bench, tallies, sizes);
    claim_friction(bench, tallies);
    claim_scenes(bench, tallies);
    PLI_TRY(claim_postprocess(bench));
    PLI_TRY(claim_penalty(bench));
    PLI_TRY(claim_step_sizes(bench, &tallies[SQUEEZE]));
    return claim_spheres(bench, &tallies[SPHERES]);
}
