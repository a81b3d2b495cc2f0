// SPDX-License-Identifier: Apache-2.0
//
// Speed of barrier contact: small scenes, milliseconds per step, and where they go.
//
// Each scene is run with ipc-pcg and ipc-llt. The bands are what other programs take on a machine
// of two threads of this kind: the fastest code with a cubic barrier and without collision
// detection for ipc-pcg, and 60 % of the reference code of incremental potential contact for
// ipc-llt. They are seconds of such a machine and mean little on another; the table of phases and
// the two ratios to the machine's copy bandwidth mean the same everywhere.
#include "scene_run.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW_OVERRIDES = 4 };

typedef struct speed_row {
    const char *name;
    const char *scene;
    const char *overrides[ROW_OVERRIDES];
    double fastest;   // ms per step of the fastest rival
    double reference; // of the reference code; NAN: not known
} speed_row;

static const speed_row rows[] = {
    {"drop10", "contact/drop", {NULL}, 22, 189},
    {"drop20",
     "contact/drop",
     {"bodies.cube.geometry.grid.cells=[20,20,20]", "time.frames=50", NULL},
     170,
     1921},
    {"two10",
     "contact/two-cubes",
     {"contact.friction=0", "colliders.ground.friction=0", NULL},
     102,
     675},
    {"two10-rough", "contact/two-cubes", {NULL}, 140, 736},
    {"twist10", "contact/twist", {NULL}, 82, 737},
    {"hang22", "contact/hang", {NULL}, 1840, NAN},
};

enum { ROWS = sizeof rows / sizeof *rows };

// ---- phases

typedef struct phase_group {
    const char *name;
    const char *phases[6];
} phase_group;

static const phase_group groups[] = {
    {"elements", {"energy", "gradient", "line search", "predict", "report", NULL}},
    {"assembly", {"assembly", NULL}},
    {"search", {"contact search", NULL}},
    {"contact", {"contact", "friction", NULL}},
    {"ccd", {"ccd", "inversion", NULL}},
    {"linear", {"linear", "setup", NULL}},
};

enum { GROUPS = sizeof groups / sizeof *groups };

static double group_seconds(const pli_bench_tally *tally, const phase_group *group)
{
    double seconds = 0;
    for (int32_t k = 0; k < tally->phase_count; ++k) {
        for (int32_t i = 0; i < 6 && group->phases[i] != NULL; ++i) {
            if (strcmp(tally->phase_name[k], group->phases[i]) == 0) {
                seconds += tally->phase_seconds[k];
            }
        }
    }
    return seconds;
}

static void print_header(pli_bench *bench)
{
    char text[160];
    int used = snprintf(text, sizeof text, "%-12s %-8s %9s %7s %7s", "scene", "solver", "ms/step",
                        "solves", "inner");
    for (int32_t k = 0; k < GROUPS; ++k) {
        used += snprintf(text + used, sizeof text - (size_t)used, " %9s", groups[k].name);
    }
    pli_bench_note(bench, "%s", text);
}

static void print_row(pli_bench *bench, const char *name, const char *solver,
                      const pli_bench_tally *tally)
{
    char text[200];
    double steps = tally->steps;
    double inner = tally->solves > 0 ? (double)tally->linear_iterations / (double)tally->solves : 0;
    int used = snprintf(text, sizeof text, "%-12s %-8s %9.2f %7.2f %7.1f", name, solver,
                        1e3 * tally->seconds / steps, (double)tally->solves / steps, inner);
    for (int32_t k = 0; k < GROUPS; ++k) {
        used += snprintf(text + used, sizeof text - (size_t)used, " %9.2f",
                         1e3 * group_seconds(tally, &groups[k]) / steps);
    }
    pli_bench_note(bench, "%s%s", text, tally->unfinished ? " (out of time)" : "");
}

// ---- one scene with one solver

static pli_status run_row(pli_bench *bench, const speed_row *row, const char *solver,
                          pli_bench_tally *tally, pli_model_info *info)
{
    char name[64];
    const char *overrides[ROW_OVERRIDES + 2];
    int32_t count = 0;
    snprintf(name, sizeof name, "solver.name=%s", solver);
    overrides[count++] = name;
    for (int32_t k = 0; row->overrides[k] != NULL; ++k) overrides[count++] = row->overrides[k];
    overrides[count] = NULL;
    pli_bench_limits limits = {.seconds = 150};
    PLI_TRY(pli_bench_scene_run(bench, row->scene, overrides, limits, tally, info));
    print_row(bench, row->name, solver, tally);
    return PLI_OK;
}

static void claim_speed(pli_bench *bench, const speed_row *row, const char *solver, double bar,
                        const pli_bench_tally *tally)
{
    char id[64], what[128], paper[64];
    snprintf(id, sizeof id, "%s-%s", row->name, solver);
    snprintf(what, sizeof what, "%s with %s, time per step", row->name, solver);
    snprintf(paper, sizeof paper, "%g ms", bar);
    bool known = isfinite(bar);
    pli_claim claim = {id,   what, known ? paper : "-",   1e3 * tally->seconds / tally->steps,
                       "ms", 0,    known ? bar : INFINITY};
    pli_bench_claim(bench, &claim);
}

static void claim_safety(pli_bench *bench, int32_t failures, int32_t inverted, double min_gap)
{
    pli_claim converged = {
        "converged", "steps of all scenes that did not converge", "-", failures, "steps", 0, 0};
    pli_claim upright = {"upright", "most inverted tetrahedra after any step", "0", inverted, "", 0,
                         0};
    pli_claim apart = {"apart", "smallest gap after any step", "> 0", min_gap, "m", 1e-12,
                       INFINITY};
    pli_bench_claim(bench, &converged);
    pli_bench_claim(bench, &upright);
    pli_bench_claim(bench, &apart);
}

// How far the two heavy kernels of a run are from the machine: bytes per second of the products,
// counting each block of the matrix once, and tetrahedra assembled per second.
static void print_limits(pli_bench *bench, const char *name, const pli_bench_tally *tally,
                         const pli_model_info *info)
{
    const double block_bytes = 9 * sizeof(double) + sizeof(int32_t);
    double products = (double)(tally->linear_iterations + tally->solves);
    double bytes = products * (double)info->block_count * block_bytes;
    double bandwidth = pli_bench_copy_bandwidth(bench);
    pli_bench_note(
        bench,
        "%-12s assembles %.2f M tetrahedra/s; conjugate gradients run at %.2f of the "
        "copy bandwidth (%.1f GB/s), counting the matrix in double precision",
        name, 1e-6 * (double)tally->solves * info->tet_count / group_seconds(tally, &groups[1]),
        bytes / group_seconds(tally, &groups[5]) / bandwidth, 1e-9 * bandwidth);
}

pli_status pli_bench_contact(pli_bench *bench)
{
    pli_bench_tally pcg[ROWS], llt[ROWS];
    pli_model_info info[ROWS];
    int32_t failures = 0, inverted = 0;
    double min_gap = INFINITY;
    print_header(bench);
    for (int32_t k = 0; k < ROWS; ++k) {
        PLI_TRY(run_row(bench, &rows[k], "ipc-pcg", &pcg[k], &info[k]));
        failures += pcg[k].failures;
        inverted = pcg[k].max_inverted > inverted ? pcg[k].max_inverted : inverted;
        min_gap = fmin(min_gap, pcg[k].min_gap);
        llt[k] = (pli_bench_tally){0};
        if (!isfinite(rows[k].reference)) continue;
        PLI_TRY(run_row(bench, &rows[k], "ipc-llt", &llt[k], NULL));
        failures += llt[k].failures;
        inverted = llt[k].max_inverted > inverted ? llt[k].max_inverted : inverted;
        min_gap = fmin(min_gap, llt[k].min_gap);
    }
    for (int32_t k = 0; k < ROWS; ++k) print_limits(bench, rows[k].name, &pcg[k], &info[k]);
    for (int32_t k = 0; k < ROWS; ++k) {
        claim_speed(bench, &rows[k], "ipc-pcg", rows[k].fastest, &pcg[k]);
        if (!isfinite(rows[k].reference)) continue;
        claim_speed(bench, &rows[k], "ipc-llt", 0.6 * rows[k].reference, &llt[k]);
    }
    claim_safety(bench, failures, inverted, min_gap);
    return PLI_OK;
}
