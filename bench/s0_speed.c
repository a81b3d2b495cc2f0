// SPDX-License-Identifier: Apache-2.0
//
// Seconds and bytes of a step, against the program of Wang et al. 2020, run on two threads of a
// machine like ours: a bar of 37 thousand particles that is turned by its upper end, after half a
// turn, and the first frame of one in cells half as large.
//
// Memory is what the process grows by at most while a scene is made and takes its first two steps,
// where the system tells; what solvers know of themselves is told as well.
#include "s0.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct speed_row {
    pli_s0_method method;
    double seconds;      // a step, of the other program
    double bar;          // that ours may take at most (s)
    const char *counts;  // of the other program, all steps together
    double iterations;   // the most that ours may take; NAN: only reported
    double other_memory; // MB, of the other program
    double memory;       // the most that ours may take (MB); NAN: only reported
} speed_row;

enum { MOST_ROWS = 4 };

typedef struct speed_table {
    const char *name;
    pli_s0_course_def course;
    speed_row rows[MOST_ROWS]; // hot first
} speed_table;

static const speed_table tables[] = {
    {"cells of 0.015 m",
     {.scene = "mixed/bar", .lead = 24, .steps_per_frame = 5, .steps = 10},
     {
         {{.name = "hot", .solver = "hot"}, 1.00, 0.33, "26, 27 cycles", 26, 414, 200},
         {{.name = "pn-pcg-mf", .solver = "pn-pcg-mf"}, 1.16, 1.16, "54, 251 linear", NAN, 98, NAN},
         {{.name = "pn-mgpcg", .solver = "pn-mgpcg"}, 2.47, 2.47, "26, 37 linear", NAN, 426, NAN},
         {{.name = "pn-pcg", .solver = "pn-pcg"}, 3.09, 3.09, "54, 251 linear", NAN, 321, NAN},
     }},
    {"cells of 0.0075 m",
     {.scene = "mixed/bar", .overrides = {"domain.cell=0.0075"}, .steps_per_frame = 9, .steps = 9},
     {
         {{.name = "hot", .solver = "hot"}, 7.09, 2.2, "25, 26 cycles", NAN, 2088, 1200},
         {{.name = "pn-pcg-mf", .solver = "pn-pcg-mf"},
          6.54,
          6.54,
          "41, 137 linear",
          NAN,
          486,
          NAN},
     }},
};

// ---- memory

// A line of what the system tells of this process (bytes); NAN: it does not.
static double read_status(const char *key)
{
    char line[256];
    double bytes = NAN;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        double kilobytes;
        if (strncmp(line, key, strlen(key)) != 0) continue;
        if (sscanf(line + strlen(key), ": %lf", &kilobytes) == 1) bytes = 1024 * kilobytes;
    }
    if (file != NULL) fclose(file);
    return bytes;
}

// Forgets the largest size that the process had.
static void reset_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file == NULL) return;
    fputs("5", file);
    fclose(file);
}

static pli_status measure_memory(pli_bench *bench, const speed_table *table,
                                 const pli_s0_method *method, double *bytes)
{
    char name[64], cut[64];
    const char *overrides[] = {name, cut, table->course.overrides[0], NULL};
    pli_bench_scene scene;
    pli_step_report report;
    snprintf(name, sizeof name, "solver.name=%s", method->solver);
    snprintf(cut, sizeof cut, "time.steps_per_frame=%d", (int)table->course.steps_per_frame);
    double before = read_status("VmRSS");
    reset_peak();
    PLI_TRY(pli_bench_scene_init(&scene, bench, table->course.scene, overrides));
    pli_status status = pli_solver_step(scene.solver, scene.state, &report);
    if (status == PLI_OK) status = pli_solver_step(scene.solver, scene.state, &report);
    *bytes = read_status("VmHWM") - before;
    pli_bench_scene_clear(&scene);
    return status;
}

static double known_memory(const pli_grid_report *grid)
{
    double bytes = (double)grid->bytes;
    for (int32_t k = 0; k < grid->level_count; ++k) bytes += (double)grid->level_bytes[k];
    return bytes;
}

// ---- one method

static void claim(const pli_s0_course *course, const speed_table *table, const speed_row *row,
                  const pli_claim *given)
{
    char what[96];
    pli_claim c = *given;
    snprintf(what, sizeof what, "%s, %s: %s", table->name, row->method.name, given->what);
    c.what = what;
    pli_bench_claim(course->bench, &c);
}

static void claim_row(const pli_s0_course *course, const speed_table *table, const speed_row *row,
                      const pli_s0_tally *tally)
{
    char paper[32];
    double steps = tally->steps, share = 100 / tally->time.clock;
    pli_bench_note(course->bench,
                   "%s, %s: %.3f s a step, matrix %.0f %%, levels %.0f %%, solves %.0f %%, line "
                   "search %.0f %%; %.2f of two processors",
                   table->name, row->method.name, tally->time.clock / steps,
                   share * tally->matrix_seconds, share * tally->hierarchy_seconds,
                   share * tally->linear_seconds, share * tally->search_seconds,
                   tally->time.cpu / tally->time.clock);
    pli_bench_note(course->bench,
                   "  %lld iterations, %lld linear, %lld cycles; the other program %s",
                   (long long)tally->iterations, (long long)tally->linear_iterations,
                   (long long)tally->cycles, row->counts);
    snprintf(paper, sizeof paper, "%g", row->seconds);
    claim(course, table, row,
          &(pli_claim){"S0-speed", "seconds a step", paper, tally->time.clock / steps, "s", 0,
                       row->bar});
    if (isnan(row->iterations)) return;
    claim(course, table, row,
          &(pli_claim){"S0-speed", "iterations of all steps", "26", (double)tally->iterations, "",
                       0, row->iterations});
}

static pli_status claim_memory(const pli_s0_course *course, const speed_table *table,
                               const speed_row *row, const pli_s0_tally *tally)
{
    char paper[32];
    double bytes = NAN, known = 1e-6 * known_memory(&tally->last);
    PLI_TRY(measure_memory(course->bench, table, &row->method, &bytes));
    snprintf(paper, sizeof paper, "%g", row->other_memory);
    claim(course, table, row,
          &(pli_claim){"S0-memory", "bytes of the solver's arrays", paper, known, "MB", NAN, NAN});
    double limit = row->memory;
    claim(course, table, row,
          &(pli_claim){"S0-memory", "growth of the process", paper, 1e-6 * bytes, "MB",
                       isnan(limit) ? NAN : 0, limit});
    return PLI_OK;
}

static pli_status run_table(pli_bench *bench, const speed_table *table)
{
    pli_s0_course course;
    PLI_TRY(pli_s0_course_init(&course, bench, &table->course));
    pli_status status = PLI_OK;
    pli_bench_note(bench, "%s: %lld particles, %d nodes, %d steps of %.3g s from %.3g s on",
                   table->name, (long long)course.hot.info.particle_count,
                   (int)course.tally.last.nodes, (int)course.tally.steps, course.hot.info.dt,
                   pli_state_get(course.states[0]).time);
    for (int k = 0; k < MOST_ROWS && table->rows[k].method.name != NULL; ++k) {
        const speed_row *row = &table->rows[k];
        pli_s0_tally tally = course.tally;
        if (k > 0 && status == PLI_OK) {
            status = pli_s0_course_run(&course, &row->method, 100, &tally);
        }
        if (status == PLI_OK) claim_row(&course, table, row, &tally);
        if (status == PLI_OK) status = claim_memory(&course, table, row, &tally);
    }
    pli_s0_course_clear(&course);
    return status;
}

pli_status pli_bench_s0_speed(pli_bench *bench)
{
    for (size_t k = 0; k < sizeof tables / sizeof *tables; ++k) {
        PLI_TRY(run_table(bench, &tables[k]));
    }
    return PLI_OK;
}
