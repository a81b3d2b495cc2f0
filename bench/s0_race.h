// SPDX-License-Identifier: Apache-2.0
//
// A course: states of a scene of particles, one after another, that solver hot leads through. Every
// method takes every step of it from the very state that hot had there, so that all of them solve
// the same problems, whatever they make of them.
//
// Hot leads there by frames, cut into pieces as the scene says. On the course a frame is cut into
// so many equal steps that each is one piece, for all methods of the same length: that is up to who
// defines it, as matter may move by a cell in them (solver.grid.cfl=1) instead of 0.6.
//
// Hot comes first and is timed on its way. A rival first takes an iteration that is not timed, in
// which its memory grows. It is given a multiple of hot's time for the whole course; when that is
// over, so is the race, and what is told is of the steps that it reached, the last of them
// unfinished. Methods are asked at outer iterations only; that none spends all its time within one
// is what bounds their linear iterations, at a number that takes as long as all it is given.
//
// Ratios are those of time. On a machine that is busy with other things, which a short test tells,
// they are those of processor time, and a note says so.
#ifndef PLI_BENCH_S0_RACE_H
#define PLI_BENCH_S0_RACE_H

#include "scene_run.h"

#include "sim/step/solver_table.h"

enum { PLI_S0_OVERRIDES = 8, PLI_S0_STEPS = 32 };

typedef struct pli_s0_course_def {
    const char *scene;
    const char *overrides[PLI_S0_OVERRIDES]; // "path=value" of all methods, ends with NULL
    int32_t lead;                            // frames before the course
    int32_t steps_per_frame;                 // on it, a multiple of those of the scene
    int32_t approach;                        // steps of this length that do not count
    int32_t steps;                           // of the course, up to PLI_S0_STEPS
    int32_t skip;                            // steps that do not count between two that do
} pli_s0_course_def;

typedef struct pli_s0_method {
    const char *name;
    const char *solver;          // that the scene names
    const char *override;        // "path=value" of its own; NULL: none
    double work;                 // of a linear iteration, in V-cycles; 0: they need no bound
    const pli_solver_kind *kind; // instead of that of the table; NULL: the solver's
} pli_s0_method;

// Of the clock, and of all threads together (s).
typedef struct pli_s0_time {
    double clock;
    double cpu;
} pli_s0_time;

// What came of a method. Times are without those of reports.
typedef struct pli_s0_tally {
    int32_t steps; // finished
    bool cut;      // off in the next one
    pli_s0_time time;
    double ratio; // of its time to hot's for the same steps, the one cut off included
    double worst; // step, the same

    // counts, also of the step cut off
    int64_t iterations; // outer ones
    int64_t linear_iterations;
    int64_t rises;       // iterations that raised the energy
    double largest_rise; // in parts of what the solve had lowered it by

    // of finished steps
    int32_t pieces;
    int32_t unconverged; // pieces
    int64_t matrices;
    int64_t solves;
    int64_t cycles;
    int64_t coarsest_iterations;
    int64_t capped; // linear solves
    double matrix_seconds;
    double hierarchy_seconds;
    double linear_seconds; // solves and cycles
    double search_seconds;
    double shortest;      // piece (s)
    pli_grid_report last; // grid of the last one
} pli_s0_tally;

typedef struct pli_s0_course {
    pli_bench *bench;
    const pli_s0_course_def *def;
    pli_bench_scene hot;
    char cut[64];                    // override
    pli_state *led;                  // at the end of the lead
    pli_state *states[PLI_S0_STEPS]; // before every step
    pli_s0_time times[PLI_S0_STEPS]; // of hot
    pli_s0_tally tally;              // of hot
    bool busy;                       // ratios are those of processor time
    double lead_seconds;
} pli_s0_course;

// Leads there and runs hot. On failure nothing is left to clear.
pli_status pli_s0_course_init(pli_s0_course *course, pli_bench *bench,
                              const pli_s0_course_def *def);
void pli_s0_course_clear(pli_s0_course *course);

// Runs a rival, for `limit` times as long as hot at most. The ratio of one that is cut off is a
// bound from below.
pli_status pli_s0_course_run(const pli_s0_course *course, const pli_s0_method *method, double limit,
                             pli_s0_tally *tally);

// Steps that were begun.
int32_t pli_s0_begun(const pli_s0_tally *tally);

#endif
