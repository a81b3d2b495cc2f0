// SPDX-License-Identifier: Apache-2.0
//
// A time step of particles as implicit substeps (implicit_stepper.h), one after another.
//
// In a substep matter moves by no more than cfl cells, by the velocities when it begins, those of
// objects that constrain it included (Wang et al. 2020; pli_implicit_stepper_speed); substeps are
// evened out so that the last one is not much shorter. Objects stand where they are at the end of a
// substep, with the velocity that takes them there.
//
// After each substep matter yields: the return map of its rule, once. Fluids, which count by their
// volume, go through a substep as if they were dilated alike in all directions.
//
// The linear method halves a substep that would raise the energy and redoes it, and tries double
// the length when one went well.
#ifndef PLI_MPM_IMPLICIT_IMPLICIT_MARCH_H
#define PLI_MPM_IMPLICIT_IMPLICIT_MARCH_H

#include "material/material.h"
#include "mpm/implicit/implicit_stepper.h"

// Particles, moved in place; arrays of rows as in pli_cloud_source.
typedef struct pli_implicit_rows {
    int64_t count;
    double *position;     // [count][3] (m)
    double *velocity;     // [count][3] (m/s)
    double *affine;       // [count][9] (1/s)
    double *deformation;  // [count][9]
    double *history;      // [count] history variable of the yield rule; of fluids log J
    const int32_t *kind;  // [count]
    const double *volume; // [count] at rest (m^3); NULL: those of the kinds
} pli_implicit_rows;

// One substep, when it is over.
typedef struct pli_implicit_substep {
    double h;        // its length (s)
    int32_t retries; // times that it was halved before
    pli_implicit_report report;
} pli_implicit_substep;

// What belongs to whoever owns the particles.
typedef struct pli_implicit_owner {
    // Objects are to go from where they are at `begin` to where they are at `end` (s).
    pli_status (*move_objects)(void *self, double begin, double end);

    // Before a substep that is the number-th, from 1: `left` are still to be made, this one
    // included, at this speed of the fastest matter (m/s). Errors refuse it.
    pli_status (*begin)(void *self, int32_t number, double left, double speed);

    // A substep is over, or was rejected.
    void (*tell)(void *self, const pli_implicit_substep *substep);

    // A substep has ended `at` (s), and its particles have yielded; may add rows.
    pli_status (*end)(void *self, double at, pli_implicit_rows *rows);

    void *self;
} pli_implicit_owner;

typedef struct pli_implicit_march_def {
    pli_implicit_stepper *stepper;        // borrowed
    const pli_material *const *materials; // by kinds; borrowed
    bool yields_inside;                   // the stepper's kinds have yielding in them
    bool halves;                          // the stepper's method is the linear one
    double reach;                         // of matter in a substep, cfl dx (m)
    double least_speed;                   // of what may come from elsewhere (m/s)
    pli_implicit_owner owner;
} pli_implicit_march_def;

// The longest substep that the rows bear, with objects on their way from begin to end (s), and the
// speed that it comes from (m/s). Errors: those of the owner, numeric, memory.
PLI_CHECKED pli_status pli_implicit_march_limit(const pli_implicit_march_def *def,
                                                const pli_implicit_rows *rows, double begin,
                                                double end, double *limit, double *speed);

// Moves the rows from begin to end (s). *rejected: a substep was not finite; the rows are then
// somewhere on their way, as after an error. Errors: those of the owner, interrupted, numeric,
// memory.
PLI_CHECKED pli_status pli_implicit_march(pli_context *context, const pli_implicit_march_def *def,
                                          double begin, double end, const pli_minimize_env *env,
                                          pli_implicit_rows *rows, bool *rejected);

#endif
