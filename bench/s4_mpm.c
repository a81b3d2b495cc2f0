// SPDX-License-Identifier: Apache-2.0
//
// The optimisation integrator on particles (Gast et al. 2015, section 6 and figure 18): snowballs,
// by Newton as a minimiser against the step that it is meant to replace, one linear solve that is
// cut as often as it would raise the energy. Solver hot takes part, too.
//
// All of them take the same time around the impact, from the same particles: balls begin to fly
// shortly before it, where free flight takes them, and until most of the motion is over.
//
// A piece is what a method takes at once: as long as matter bears it (0.6 cells), or shorter.
#include "bench.h"
#include "scene_run.h"

#include "base/context.h"
#include "base/timers.h"
#include "geometry/shapes/shape.h"
#include "sim/model/model.h"
#include "sim/model/state.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

enum { MOST_OVERRIDES = 8, NEWTON = 0, HOT, SEMI_IMPLICIT, METHODS };

static const char *const methods[METHODS] = {
    [NEWTON] = "newton", [HOT] = "hot", [SEMI_IMPLICIT] = "semi-implicit"};

typedef struct snow_row {
    const char *name;
    const char *scene;
    const char *overrides[MOST_OVERRIDES]; // ends with NULL
    int32_t steps;
    const char *paper_steps; // ratio of mean steps
    const char *paper_speed;
} snow_row;

// places and velocities 5 ms before the impact
static const snow_row rows[] = {
    {"drop",
     "snow/drop",
     {"bodies.ball.position=[0,0.128,0]", "bodies.ball.velocity=[0,-5.27,0]"},
     5,
     "7.7",
     "3.1"},
    {"wall",
     "snow/wall",
     {"bodies.ball.position=[0.5,0.75,-1.07]", "bodies.ball.velocity=[0,0.16,-5.5]"},
     5,
     "10.7",
     "5.1"},
    {"two balls",
     "snow/pair",
     {"bodies.left.position=[-0.132,0.74,0.02]", "bodies.left.velocity=[6,-0.4,0.1]",
      "bodies.right.position=[0.132,0.717,0]", "bodies.right.velocity=[-6,-0.5,0]"},
     4,
     "9.4",
     "2.7"},
};

typedef struct snow_tally {
    double time; // simulated (s)
    double seconds;
    double cpu_seconds; // of all threads
    int64_t pieces;
    int32_t retries;
    int32_t unconverged;
    double shortest;
    int64_t iterations;
    int64_t linear_iterations;
    int64_t moved;    // particles, once for every piece
    int64_t repeated; // of these, more than one step of Newton's method for the position
    int64_t inside;   // particles in something that holds them, at the end
    double deepest;   // of them (m)
    double kinetic;   // J, at the end
} snow_tally;

// ---- who is inside

// Depth of a point in walls and colliders that do not move (m); negative: it is outside of all.
static double depth_of(const pli_model *model, const double x[3])
{
    double depth = -INFINITY;
    for (int a = 0; a < 3; ++a) {
        depth = fmax(depth, model->matter->room[0][a] - x[a]);
        depth = fmax(depth, x[a] - model->matter->room[1][a]);
    }
    for (int32_t k = 0; k < model->collider_count; ++k) {
        depth = fmax(depth, -pli_shape_value(model->colliders[k].shape, x));
    }
    return depth;
}

static void count_inside(const pli_bench_scene *scene, snow_tally *tally)
{
    const double touching = 1e-9; // m
    const pli_matter_state *matter = &scene->state->matter;
    for (int64_t k = 0; k < matter->count; ++k) {
        double depth = depth_of(scene->model, matter->position + 3 * k);
        tally->inside += depth > touching;
        tally->deepest = fmax(tally->deepest, depth);
    }
}

// ---- a run

static void add_step(const pli_step_report *report, snow_tally *tally)
{
    const pli_grid_report *grid = &report->grid;
    tally->time += report->dt;
    tally->seconds += report->seconds;
    tally->pieces += grid->substeps;
    tally->retries += grid->retries;
    tally->unconverged += grid->unconverged;
    tally->shortest = fmin(tally->shortest, grid->shortest);
    tally->iterations += report->iterations;
    tally->linear_iterations += report->linear_iterations;
    tally->moved += grid->substeps * report->matter.particles;
    tally->repeated += grid->repeated_positions;
}

static pli_status take_steps(pli_bench_scene *scene, int32_t steps, snow_tally *tally)
{
    pli_step_report report;
    pli_solver_set_measuring(scene->solver, false);
    for (int32_t k = 0; k < steps; ++k) {
        clock_t start = clock();
        PLI_TRY(pli_solver_step(scene->solver, scene->state, &report));
        tally->cpu_seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
        add_step(&report, tally);
    }
    PLI_TRY(pli_solver_measure(scene->solver, scene->state, &report));
    tally->kinetic = report.energy.kinetic;
    return PLI_OK;
}

static pli_status run(pli_bench *bench, const snow_row *row, const char *solver, snow_tally *tally)
{
    char name[64];
    const char *all[MOST_OVERRIDES + 4] = {name, "time.steps_per_frame=4"};
    int32_t count = 2;
    for (int32_t k = 0; row->overrides[k] != NULL; ++k) all[count++] = row->overrides[k];
    if (pli_bench_is_paper_size(bench)) all[count++] = "domain.cell=0.005";
    *tally = (snow_tally){.shortest = INFINITY, .deepest = -INFINITY};
    pli_bench_scene scene;
    snprintf(name, sizeof name, "solver.name=%s", solver);
    PLI_TRY(pli_bench_scene_init(&scene, bench, row->scene, all));
    pli_status status = take_steps(&scene, row->steps, tally);
    if (status == PLI_OK) count_inside(&scene, tally);
    pli_bench_scene_clear(&scene);
    return status;
}

// ---- what came of it

static void tell(pli_bench *bench, const snow_row *row, const char *solver, const snow_tally *tally)
{
    pli_bench_note(bench,
                   "%s by %s: %.3g s in %lld pieces of %.3g s on average, the shortest %.3g s, %d "
                   "redone, %d not converged; %.2f s, %.2f of processors",
                   row->name, solver, tally->time, (long long)tally->pieces,
                   tally->time / (double)tally->pieces, tally->shortest, (int)tally->retries,
                   (int)tally->unconverged, tally->seconds, tally->cpu_seconds);
    pli_bench_note(bench,
                   "  %.1f iterations and %.1f linear ones a piece; %.3g J in motion in the end; "
                   "%lld particles inside of what holds them, %.2g m at most",
                   (double)tally->iterations / (double)tally->pieces,
                   (double)tally->linear_iterations / (double)tally->pieces, tally->kinetic,
                   (long long)tally->inside, fmax(0, tally->deepest));
}

static double mean_piece(const snow_tally *tally)
{
    return tally->time / (double)tally->pieces;
}

static void claim(pli_bench *bench, const snow_row *row, const pli_claim *given)
{
    char what[96];
    pli_claim c = *given;
    snprintf(what, sizeof what, "%s: %s", row->name, given->what);
    c.what = what;
    pli_bench_claim(bench, &c);
}

static void claim_row(pli_bench *bench, const snow_row *row, const snow_tally tallies[METHODS])
{
    const snow_tally *ours = &tallies[NEWTON], *theirs = &tallies[SEMI_IMPLICIT];
    const snow_tally *hot = &tallies[HOT];
    const pli_claim claims[] = {
        {"Q4-12", "mean step of newton over semi-implicit's", row->paper_steps,
         mean_piece(ours) / mean_piece(theirs), "x", 4, INFINITY},
        {"Q4-12", "shortest step of newton over semi-implicit's", "11 to 318",
         ours->shortest / theirs->shortest, "x", NAN, NAN},
        {"Q4-13", "speed of newton over semi-implicit's", row->paper_speed,
         theirs->seconds / ours->seconds, "x", 2, INFINITY},
        {"Q4-13", "speed of hot over semi-implicit's", "-", theirs->seconds / hot->seconds, "x",
         NAN, NAN},
        {"Q4-14", "share of positions that take one step of Newton", "typical",
         1 - (double)ours->repeated / (double)ours->moved, "", 0.95, 1},
        {"Q4-14", "particles inside of what holds them, newton", "0", (double)ours->inside, "", 0,
         0},
    };
    for (size_t k = 0; k < sizeof claims / sizeof *claims; ++k) claim(bench, row, &claims[k]);
}

pli_status pli_bench_s4_mpm(pli_bench *bench)
{
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        snow_tally tallies[METHODS];
        for (int m = 0; m < METHODS; ++m) {
            PLI_TRY(run(bench, &rows[k], methods[m], &tallies[m]));
            tell(bench, &rows[k], methods[m], &tallies[m]);
        }
        claim_row(bench, &rows[k], tallies);
    }
    return PLI_OK;
}
