// SPDX-License-Identifier: Apache-2.0
//
// Explicit MPM: updates of particles per second for a spinning cube of a million (fixed corotated,
// quadratic splines), over the plain reference on one thread, and as a share of what the machine
// can multiply and add. Then two balls of unlike stiffness, each at its own step against both at
// the smaller one.
#include "bench.h"
#include "mpm_bodies.h"
#include "support/transfer_reference.h"

#include "base/context.h"
#include "base/timers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- a million particles

// flops of one update as the equations have them, products and sums of weights included: 13 a node
// for scattering, 26 for gathering, 54 for F, 230 for stress
static const double flops = 27 * (13 + 26) + 54 + 230;

enum { CUBE = 50, WARM_STEPS = 5, STEPS = 20 };

static const double spin[9] = {5, 10, 0, -10, -5, 0, 3, 0, 0};

static pli_stepper_def describe_cube(const pli_mpm_kind *kind)
{
    pli_stepper_def def = pli_stepper_def_default();
    def.dx = 1.0 / 250;
    for (int axis = 0; axis < 3; ++axis) def.blocks[axis] = axis == 2 ? 33 : 64;
    def.gravity[1] = -10;
    def.kind_count = 1;
    def.kinds = kind;
    def.tick = 1e-4;
    def.longest = 1;
    def.is_regional = false;
    return def;
}

static pli_status describe_solid(pli_bench *bench, const char *law, double young, double poisson,
                                 double dx, pli_mpm_kind *kind)
{
    pli_context *context = pli_bench_context(bench);
    const double inputs[] = {young, poisson};
    kind->volume = dx * dx * dx / 8;
    return pli_material_init(context, pli_material_find(context, law), inputs, 400, 0,
                             &kind->material);
}

static pli_status time_cube(pli_stepper *stepper, double *seconds)
{
    PLI_TRY(pli_stepper_advance(stepper, WARM_STEPS));
    double start = pli_clock_seconds();
    PLI_TRY(pli_stepper_advance(stepper, STEPS));
    *seconds = (pli_clock_seconds() - start) / STEPS;
    return PLI_OK;
}

static pli_status fill_cube(pli_stepper *stepper, int32_t cells, int32_t first, double dx,
                            int64_t *count)
{
    pli_particle *made = pli_bench_make_cube(cells, first, dx, spin, count);
    if (made == NULL) return PLI_ERROR_MEMORY;
    pli_status status = pli_stepper_add(stepper, 0, *count, made);
    free(made);
    return status;
}

// ---- the reference, on a cube of a few cells

enum { SMALL = 12, SMALL_NODES = 32 };

typedef struct reference_run {
    pli_transfer transfer;
    double (*nodes)[4]; // [SMALL_NODES^3]
} reference_run;

static void run_reference(void *user)
{
    reference_run *run = user;
    int64_t nodes = (int64_t)SMALL_NODES * SMALL_NODES * SMALL_NODES;
    memset(run->nodes, 0, (size_t)nodes * sizeof *run->nodes);
    int32_t blocks = run->transfer.particles->block_count;
    for (int32_t block = 0; block < blocks; ++block) {
        pli_transfer_scatter_reference(&run->transfer, (pli_particle_place){block, 0}, 1e-4,
                                       run->nodes);
    }
    for (int64_t k = 0; k < nodes; ++k) {
        double *node = run->nodes[k];
        for (int c = 0; c < 3; ++c) node[c] = node[0] > 0 ? node[1 + c] / node[0] : 0;
    }
    for (int32_t block = 0; block < blocks; ++block) {
        // a step of no time: nothing moves, so that it can be repeated
        pli_transfer_gather_reference(&run->transfer, (pli_particle_place){block, 0}, 0,
                                      (const double(*)[4])run->nodes);
    }
}

static pli_status measure_reference(pli_bench *bench, const pli_mpm_kind *kind, double *seconds)
{
    pli_stepper *stepper = NULL;
    pli_stepper_def def = describe_cube(kind);
    int64_t count = 0;
    reference_run run = {0};
    for (int axis = 0; axis < 3; ++axis) def.blocks[axis] = SMALL_NODES / (axis == 2 ? 8 : 4);
    def.particle_room = 8 * SMALL * SMALL * SMALL;
    PLI_TRY(pli_stepper_create(pli_bench_context(bench), &def, &stepper));
    pli_status status = fill_cube(stepper, SMALL, 8, def.dx, &count);
    run.nodes = malloc(SMALL_NODES * SMALL_NODES * SMALL_NODES * sizeof *run.nodes);
    if (status == PLI_OK && run.nodes == NULL) status = PLI_ERROR_MEMORY;
    if (status == PLI_OK) {
        run.transfer =
            (pli_transfer){(pli_particles *)pli_stepper_particles(stepper), kind, def.dx};
        *seconds = pli_bench_best_seconds(run_reference, &run, 3) / (double)count;
    }
    free(run.nodes);
    pli_stepper_destroy(stepper);
    return status;
}

static void claim_cube(pli_bench *bench, double rate, double reference, double bytes)
{
    double peak = pli_bench_multiply_add_peak(bench);
    pli_bench_note(bench,
                   "mpm: %.1f million updates/s, %.2f million by the reference on one thread; "
                   "%.0f flops an update, %.0f GFLOP/s multiply-add peak",
                   1e-6 * rate, 1e-6 * reference, flops, 1e-9 * peak);
    pli_bench_claim(bench, &(pli_claim){"mpm", "million updates/s of fixed corotated particles",
                                        "2.0 (another code)", 1e-6 * rate, "", 10, INFINITY});
    pli_bench_claim(bench, &(pli_claim){"mpm", "the same over the plain reference, one thread", "-",
                                        rate / reference, "x", NAN, NAN});
    pli_bench_claim(bench, &(pli_claim){"mpm", "share of the machine's multiply-add peak", "-",
                                        rate * flops / peak, "", NAN, NAN});
    pli_bench_claim(bench, &(pli_claim){"mpm", "bytes a particle, grid included",
                                        "825 (another code)", bytes, "B", 0, 200});
}

static pli_status measure_cube(pli_bench *bench)
{
    pli_stepper *stepper = NULL;
    pli_mpm_kind kind;
    PLI_TRY(describe_solid(bench, "fixed-corotated", 1e4, 0.3, 1.0 / 250, &kind));
    pli_stepper_def def = describe_cube(&kind);
    int64_t count = 0;
    double seconds = NAN, reference = NAN;
    def.particle_room = 8 * CUBE * CUBE * CUBE;
    PLI_TRY(pli_stepper_create(pli_bench_context(bench), &def, &stepper));
    pli_status status = fill_cube(stepper, CUBE, 100, def.dx, &count);
    if (status == PLI_OK) status = time_cube(stepper, &seconds);
    double bytes = (double)pli_bench_stepper_memory(stepper) / (double)count;
    pli_stepper_destroy(stepper);
    if (status == PLI_OK) status = measure_reference(bench, &kind, &reference);
    if (status == PLI_OK) claim_cube(bench, (double)count / seconds, 1 / reference, bytes);
    return status;
}

// ---- two balls

typedef struct ball_case {
    const char *name;
    double stiff_radius; // m
    double soft_radius;
    const char *other; // what another code reaches
    double bar;
} ball_case;

static const ball_case ball_cases[] = {
    {"few stiff particles (2.6 %)", 0.06, 0.20, "3.8 (another code)", 8},
    {"half of them stiff", 0.15, 0.15, "0.83 (another code)", 1.5},
};

typedef struct ball_run {
    double seconds;
    double bytes;
    pli_stepper_report report;
} ball_run;

enum { BALL_TICKS = 4096 };

static pli_stepper_def describe_balls(const pli_mpm_kind kinds[2], bool is_regional)
{
    pli_stepper_def def = pli_stepper_def_default();
    def.dx = 1.0 / 128;
    for (int axis = 0; axis < 3; ++axis) def.blocks[axis] = axis == 2 ? 17 : 33;
    def.kind_count = 2;
    def.kinds = kinds;
    def.particle_room = 4000000;
    def.tick = 0.01 / BALL_TICKS;
    def.is_regional = is_regional;
    return def;
}

static pli_status add_ball(pli_stepper *stepper, int32_t kind, const pli_bench_ball *ball,
                           double dx)
{
    int64_t count = 0;
    pli_particle *made = pli_bench_make_ball(ball, dx, &count);
    if (made == NULL) return PLI_ERROR_MEMORY;
    pli_status status = pli_stepper_add(stepper, kind, count, made);
    free(made);
    return status;
}

static pli_status fill_balls(pli_stepper *stepper, const ball_case *balls, double dx)
{
    pli_bench_ball stiff = {{0.20, 0.5, 0.5}, balls->stiff_radius, {1, 0, 0}, 0};
    pli_bench_ball soft = {{0.68, 0.5, 0.5}, balls->soft_radius, {-1, 0, 0}, 1 << 24};
    PLI_TRY(add_ball(stepper, 0, &stiff, dx));
    return add_ball(stepper, 1, &soft, dx);
}

static pli_status run_balls(pli_bench *bench, const ball_case *balls, bool is_regional,
                            ball_run *run)
{
    pli_mpm_kind kinds[2];
    PLI_TRY(describe_solid(bench, "hencky", 2e5, 0.4, 1.0 / 128, &kinds[0]));
    PLI_TRY(describe_solid(bench, "hencky", 1e3, 0.4, 1.0 / 128, &kinds[1]));
    pli_stepper *stepper = NULL;
    pli_stepper_def def = describe_balls(kinds, is_regional);
    PLI_TRY(pli_stepper_create(pli_bench_context(bench), &def, &stepper));
    pli_status status = fill_balls(stepper, balls, def.dx);
    double start = pli_clock_seconds();
    if (status == PLI_OK) status = pli_stepper_advance(stepper, BALL_TICKS);
    run->seconds = pli_clock_seconds() - start;
    run->report = pli_stepper_get_report(stepper);
    run->bytes = (double)pli_bench_stepper_memory(stepper);
    pli_stepper_destroy(stepper);
    return status;
}

static pli_status measure_balls(pli_bench *bench, const ball_case *balls)
{
    ball_run runs[2];
    char what[96];
    for (int k = 0; k < 2; ++k) PLI_TRY(run_balls(bench, balls, k == 1, &runs[k]));
    const pli_stepper_report *report = &runs[1].report;
    pli_bench_note(bench,
                   "mpm, %s: %.2f s at one step, %.2f s at two, %.2f times fewer updates; "
                   "scheduling %.1f %% of the time",
                   balls->name, runs[0].seconds, runs[1].seconds,
                   (double)runs[0].report.particle_updates / (double)report->particle_updates,
                   100 * report->schedule_seconds /
                       (report->schedule_seconds + report->transfer_seconds));
    snprintf(what, sizeof what, "%s: speed of regional steps", balls->name);
    pli_bench_claim(bench,
                    &(pli_claim){"mpm-regional", what, balls->other,
                                 runs[0].seconds / runs[1].seconds, "x", balls->bar, INFINITY});
    snprintf(what, sizeof what, "%s: memory over that at one step", balls->name);
    pli_bench_claim(
        bench, &(pli_claim){"mpm-regional", what, "2", runs[1].bytes / runs[0].bytes, "x", 0, 1.4});
    return PLI_OK;
}

pli_status pli_bench_kernels_mpm(pli_bench *bench)
{
    PLI_TRY(measure_cube(bench));
    for (int k = 0; k < 2; ++k) PLI_TRY(measure_balls(bench, &ball_cases[k]));
    return PLI_OK;
}
