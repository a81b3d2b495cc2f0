// SPDX-License-Identifier: Apache-2.0
//
// Implicit steps of meshes: the terms of the objective, the minimiser with its parts, and their
// scratch. One step is a minimisation (Gast et al. 2015, section 2.2):
//
//     E(x) = 1/(2 a h^2) |x - x~|^2_M + Phi(x)
//     implicit Euler: a = 1,   x~ = x_n + h v_n,  v = (x - x_n) / h
//     BDF2:           a = 4/9, x~ = (4 x_n - x_n-1)/3 + (2h/9)(4 v_n - v_n-1),
//                     v = (3x - 4 x_n + x_n-1) / (2h)
//
// The first BDF2 step has no history and is an implicit Euler step.
//
//     mesh_stepper.c      builds the terms and the stepper
//     tets_build.c        the tetrahedra's term
//     shells_build.c      those of shells
//     minimizer_build.c   the minimiser
//     scripts.c           what scripts, grips and forces want
//     guess.c             where the minimisation begins
//     loads.c             loads and cavities
//     pursuit.c           held vertices that barriers keep from arriving
//     mesh_step.c         a step
//     load_steps.c        a step without inertia, in pieces where it has to be
//     report/measure.c    what a state amounts to
//     report/probes.c     what probes, constraints and colliders measure
#ifndef PLI_SIM_STEP_MESH_STEPPER_H
#define PLI_SIM_STEP_MESH_STEPPER_H

#include "fem/elastic.h"
#include "fem/gravity.h"
#include "fem/pressure.h"
#include "fem/projective.h"
#include "fem/rayleigh.h"
#include "fem/shell.h"
#include "fem/springs.h"
#include "multilevel/subspace.h"
#include "optimize/anchor.h"
#include "optimize/linear_source.h"
#include "optimize/load.h"
#include "optimize/minimizer.h"
#include "sim/report/body_frame.h"
#include "sim/report/probes.h"
#include "sim/step/contacts.h"
#include "sim/step/solver.h"

typedef struct pli_load_steps pli_load_steps; // load_steps.c

// A step, or a part of one without inertia.
typedef struct pli_piece {
    double begin; // s
    double end;
    double h;
    double ratio; // of its length to that of what led to the state
} pli_piece;

typedef struct pli_mesh_stepper {
    pli_solver *solver; // whose part it is; the next four are its own
    const pli_model *model;
    pli_context *context;
    pli_arena *scratch;
    pli_timers *timers;

    // the objective and its terms
    pli_objective objective;
    pli_projective *projective; // the tetrahedra; NULL: elastic is the term
    bool bounds_tets;           // S (x) I of local_global.h bounds the Hessian of the tetrahedra
    pli_elastic *elastic;       // linear tetrahedra, if projective is NULL; see tets_build.h
    pli_elastic *quadratic;     // those with ten nodes; NULL: there are none
    pli_elastic *patched;       // locking-free ones; NULL: there are none
    pli_shell *shell;           // NULL: there are none
    pli_spring_net *springs;    // NULL: there are none
    pli_anchor inertia;
    pli_anchor drag;
    pli_anchor attachment;
    pli_anchor grip;        // borrows the state's arrays while they are in use; idle without grips
    pli_load load;          // borrows the state's forces; idle without any
    pli_load dead_load;     // of the scene's loads
    pli_pressure *pressure; // of the scene's loads; NULL: there is none
    pli_cavities *cavities; // NULL: there are none
    pli_gravity gravity;
    pli_rayleigh *rayleigh; // NULL: no material asks for it
    pli_contacts *contacts; // NULL: nothing collides
    pli_anchor pursuit;     // springs of held vertices that barriers keep from arriving
    pli_load relief;        // what a piece of a step leaves of the load for later; idle without

    // the minimiser, and what it borrows
    pli_minimizer minimizer;
    pli_linear_solver *linear;       // NULL: it solves no linear system of its own
    pli_linear_source linear_source; // over `linear`
    pli_subspace *subspace;          // NULL: not with three levels
    pli_elastic *cubature;           // elastic energy of a few tetrahedra for them; may be NULL

    // set for every step
    uint8_t *fixed;               // [vertex_count] coordinates that scripts hold at the step's end
    double *inertia_stiffness;    // [vertex_count] m / (a h^2) (N/m)
    double *inertia_target;       // [vertex_count][3] predicted position (m)
    double *drag_stiffness;       // [vertex_count] k m / h (N/m)
    double *attachment_stiffness; // [vertex_count] (N/m)
    double *attachment_target;    // [vertex_count][3] (m)
    double *dead_force;         // [vertex_count][3] of the scene's loads (N); NULL: there are none
    double *pursuit_stiffness;  // [vertex_count] (N/m); NULL without barriers
    double *pursuit_target;     // [vertex_count][3] (m); NULL without barriers
    double *friction_start;     // [vertex_count][3] where points stick (m); NULL without barriers
    double *x;                  // [vertex_count][3] iterate (m)
    int32_t min_iterations;     // that a guess needs, however small its gradient
    double energy_noise;        // rounding of the elastic energy near rest (J)
    int32_t indefinite;         // directions of the last attempt that met an indefinite Hessian
    pli_load_steps *load_steps; // NULL: with inertia

    double *J;                         // [tet_count] scratch of reports
    pli_cavity_report *cavity_reports; // [model->cavity_count]
    pli_body_parts *parts;             // of frames; NULL: nobody has asked for one
    pli_probes *probes;                // NULL: nothing is measured
} pli_mesh_stepper;

extern const pli_stepper_ops pli_mesh_stepper_ops;

// The stepper of a solver of meshes; NULL: it steps particles.
pli_mesh_stepper *pli_solver_meshes(pli_solver *solver);

// ---- mesh_step.c

PLI_CHECKED pli_status pli_mesh_stepper_step(pli_mesh_stepper *stepper, pli_state *state,
                                             pli_step_report *report);

// Looks for the state at the end of a piece and leaves it in x, whatever it is; the report says how
// the minimisation ended, as nonfinite if x is no state. Errors: interrupted, numeric, memory.
PLI_CHECKED pli_status pli_mesh_stepper_attempt(pli_mesh_stepper *stepper, const pli_state *state,
                                                const pli_piece *piece, pli_step_report *report);

// Makes x the positions of the state, with what comes after a minimisation; its step is not
// counted. Errors: memory.
PLI_CHECKED pli_status pli_mesh_stepper_accept(pli_mesh_stepper *stepper, const pli_piece *piece,
                                               pli_state *state, pli_step_report *report);

// Minimises the objective from x and adds what it took to the report; max_iterations > 0: instead
// of the minimiser's own. Errors: memory, interrupted.
PLI_CHECKED pli_status pli_mesh_stepper_minimize(pli_mesh_stepper *stepper, int32_t max_iterations,
                                                 pli_step_report *report);

// ---- report/measure.c

// Energies, momenta, smallest J, contact; after_step: as in stepper.h. Errors: memory.
PLI_CHECKED pli_status pli_mesh_stepper_measure(pli_mesh_stepper *stepper, const pli_state *state,
                                                bool after_step, pli_step_report *report);

#endif
