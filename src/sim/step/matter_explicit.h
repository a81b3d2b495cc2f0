// SPDX-License-Identifier: Apache-2.0
//
// Steps of particles: what the solvers "explicit" and "regional" do.
//
// A step of the model is some power of two of ticks, the unit of time in which regions choose steps
// of their own (mpm/explicit/stepper.h). Unless the scene says how long a tick is, it is a small
// part of what the fastest or stiffest matter allows at the start of the step; a finer tick costs
// nothing, because nobody has to move at every one. Should matter become so fast or stiff within
// the step that not even a tick is short enough, the step is redone with a finer one.
//
// Every step begins with what is in the state and ends there, and nothing else is kept: particles
// are put into blocks, moved, and read back. That costs about as much as a few sweeps.
//
// Emitters add their particles in between, often enough for what they emit to move by no more than
// a cell. Colliders are moved for every sweep, to where they are at its end.
//
// Failures leave the state as it was at the end of the step before.
#ifndef PLI_SIM_STEP_MATTER_EXPLICIT_H
#define PLI_SIM_STEP_MATTER_EXPLICIT_H

#include "mpm/explicit/stepper.h"
#include "mpm/grid/grid_collider.h"
#include "sim/report/matter_frame.h"
#include "sim/step/solver.h"

typedef struct pli_matter_explicit {
    pli_solver *solver; // whose part it is; the next two are its own
    const pli_model *model;
    pli_context *context;
    pli_stepper *stepper;
    pli_grid_colliders *colliders; // parts of the model's, one after another, then walls
    pli_particle *records;         // [PLI_MATTER_BATCH] on their way into the stepper
    int32_t page_room;
    pli_grid_page *pages; // [page_room] scratch
    int64_t offset_room;
    int64_t *offsets; // [offset_room] scratch of reading particles back
    bool has_warned;  // of a tick that is too long

    // of the step that is being computed
    double begin_time;        // when the present call of advance begins (s)
    double tick;              // s
    double limit;             // longest step that all blocks bore when the step began (s)
    double end_time;          // of the step (s)
    double speed;             // of the fastest particle when it began (m/s)
    int64_t substeps;         // begun so far: times at which something moved
    double substep_time;      // of the last one (s)
    pli_matter_state emitted; // times and counts of emitters, and the next id; no particles

    // of frames
    pli_matter_parts *parts; // NULL: nobody has asked for one
    int32_t plan_room;
    pli_stepper_plan *plans; // [plan_room] of blocks
} pli_matter_explicit;

enum { PLI_MATTER_BATCH = 1 << 15 };

extern const pli_stepper_ops pli_matter_explicit_ops;

// The stepper of a solver of explicit steps of particles; NULL: it is another.
pli_matter_explicit *pli_solver_explicit(pli_solver *solver);

// Puts the particles of a state into the stepper. Errors: argument (particles that can't be),
// memory.
PLI_CHECKED pli_status pli_matter_load(pli_matter_explicit *stepper, const pli_matter_state *state);

// The block of a particle that was loaded, by its position (m).
int32_t pli_matter_block_of(const pli_matter_explicit *stepper, const double position[3]);

// The length of a tick for what was loaded, and how many make a step.
double pli_matter_choose_tick(const pli_matter_explicit *stepper, int64_t *ticks);

// report/explicit_frame.c: the parts of a frame. Errors: argument (particles that can't be),
// memory.
PLI_CHECKED pli_status pli_matter_explicit_fill_parts(pli_matter_explicit *stepper,
                                                      const pli_state *state, pli_frame_part *parts,
                                                      int32_t *count);

#endif
