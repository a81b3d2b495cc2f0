// SPDX-License-Identifier: Apache-2.0
//
// Parts of the case "s0": implicit steps of particles by solver hot (Wang et al. 2020), against the
// methods that it is compared with.
#ifndef PLI_BENCH_S0_H
#define PLI_BENCH_S0_H

#include "s0_race.h"

// Tables 1 and 2 of the supplement and table 3: time over that of hot, iterations, and on the
// states that they lead to what else belongs to single scenes: Q0-1 to 9, 11, 12, 14, 16, 18, 20.
pli_status pli_bench_s0_table(pli_bench *bench);

// Seconds and bytes of a step, against another program.
pli_status pli_bench_s0_speed(pli_bench *bench);

// Iterations against stiffness, and of a stretched box: Q0-13, 15.
pli_status pli_bench_s0_sweep(pli_bench *bench);

// The first step with alternating directions: Q0-10.
pli_status pli_bench_s0_first(pli_bench *bench);

// Levels: width of their kernels and blocks of their matrices: Q0-17, 21.
pli_status pli_bench_s0_levels(pli_bench *bench);

// What scenes say of solvers: Q0-19.
pli_status pli_bench_s0_options(pli_bench *bench);

// ---- on courses of the table

// Smoothers and precision on a course of twist: Q0-18.
pli_status pli_s0_smoothers(const pli_s0_course *course);

// Iterations of lbfgs-h in a step of wheel: Q0-11.
void pli_s0_stubborn(const pli_s0_course *course, const pli_s0_tally *one_level);

// Preconditioners in steps of armacat, given the tallies of pn-pcg and pn-mgpcg: Q0-14.
pli_status pli_s0_preconditioners(const pli_s0_course *course, const pli_s0_tally *jacobi,
                                  const pli_s0_tally *embedded);

// What becomes of a lead with gast15 and too loose a tolerance, and whether that is visible: Q0-12.
pli_status pli_s0_loose(const pli_s0_course *course, const char *name, const char *paper,
                        bool *wrong);

#endif
