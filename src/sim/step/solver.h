// SPDX-License-Identifier: Apache-2.0
//
// Inside of the solver: the terms of the objective, the minimiser's parts and their scratch. All of
// it can be rebuilt from model and state; dropping it never changes a result.
#ifndef PLI_SIM_STEP_SOLVER_H
#define PLI_SIM_STEP_SOLVER_H

#include "base/arena.h"
#include "base/timers.h"
#include "fem/elastic.h"
#include "fem/gravity.h"
#include "fem/projective.h"
#include "fem/rayleigh.h"
#include "fem/shell.h"
#include "fem/springs.h"
#include "multilevel/subspace.h"
#include "optimize/anchor.h"
#include "optimize/lbfgs.h"
#include "optimize/linear_source.h"
#include "optimize/load.h"
#include "optimize/local_global.h"
#include "optimize/newton.h"
#include "optimize/vertex_descent.h"
#include "sim/model/model.h"
#include "sim/model/state.h"
#include "sim/step/contacts.h"
#include "sim/step/matter_implicit.h"
#include "sim/step/matter_step.h"

typedef struct pli_frame_cache pli_frame_cache; // frame.c

struct pli_solver {
    const pli_model *model;
    pli_context *context;
    pli_arena *scratch;
    pli_timers timers;

    // the objective and its terms
    pli_objective objective;
    pli_projective *projective; // the tetrahedra; NULL: elastic is the term
    bool bounds_tets;           // S (x) I of local_global.h bounds the Hessian of the tetrahedra
    pli_elastic *elastic;       // the same, always there when projective is NULL; see tets_build.h
    pli_shell *shell;           // NULL: there are none
    pli_spring_net *springs;    // NULL: there are none
    pli_anchor inertia;
    pli_anchor drag;
    pli_anchor attachment;
    pli_anchor grip; // borrows the state's arrays while they are in use; idle without grips
    pli_load load;   // borrows the state's forces; idle without any
    pli_gravity gravity;
    pli_rayleigh *rayleigh; // NULL: no material asks for it
    pli_contacts *contacts; // NULL: nothing collides
    pli_anchor pursuit;     // springs of held vertices that barriers keep from arriving

    // one of the four minimisers
    pli_newton_def newton;
    pli_linear_solver *linear;          // NULL: neither Newton nor L-BFGS, or with three levels
    pli_subspace *subspace;             // NULL: not Newton with three levels
    pli_elastic *cubature;              // elastic energy of a few tetrahedra for them; may be NULL
    pli_lbfgs *lbfgs;                   // NULL: not L-BFGS
    pli_linear_source start_hessian;    // operator of L-BFGS, over `linear`
    pli_local_global *local_global;     // NULL: not local-global
    pli_vertex_descent *vertex_descent; // NULL: not vertex by vertex

    // set for every step
    uint8_t *fixed;               // [vertex_count] coordinates that scripts hold at the step's end
    double *inertia_stiffness;    // [vertex_count] m / (a h^2) (N/m)
    double *inertia_target;       // [vertex_count][3] predicted position (m)
    double *drag_stiffness;       // [vertex_count] k m / h (N/m)
    double *attachment_stiffness; // [vertex_count] (N/m)
    double *attachment_target;    // [vertex_count][3] (m)
    double *pursuit_stiffness;    // [vertex_count] (N/m); NULL without barriers
    double *pursuit_target;       // [vertex_count][3] (m); NULL without barriers
    double *friction_start;       // [vertex_count][3] where points stick (m); NULL without barriers
    double *x;                    // [vertex_count][3] iterate (m)
    int32_t min_iterations;       // that a guess needs, however small its gradient
    uint64_t coefficients;        // hash of what the terms' constant stiffness depends on

    // particles: one of the two; none of the above but for scratch and timers is there then
    pli_matter_solver *matter;
    pli_matter_implicit *implicit;

    double *J; // [tet_count] scratch of reports
    pli_frame_cache *frames;

    pli_iteration_fn monitor;
    void *monitor_user;
    pli_residual_fn residual_monitor;
    void *residual_user;
    pli_cancel_fn cancel;
    void *cancel_user;
    double asked;      // when it was last asked whether to go on (s)
    bool unmeasured;   // reports are left without energies
    char culprit[256]; // of the last step that was rejected, see culprit.h
    int64_t step;      // that is being computed, for the monitor
    double step_begin; // clock when it began (s)
};

// guess.c: moves the coordinates that scripts hold at `time` to where they hold them, in x, and
// marks them in fixed.
void pli_solver_hold(pli_solver *solver, double time);

// step.c: minimises the objective from x and adds what it took to the report
pli_status pli_solver_minimize(pli_solver *solver, pli_step_report *report);

// step.c: whether the caller wants the step no more, asked from within an iteration: passed on four
// times a second. user is a pli_solver
bool pli_solver_is_cancelled_inside(void *user);

// step.c: attachments as scripts want them at `time`, and grips and forces of the state
void pli_solver_attach(pli_solver *solver, const pli_state *state, double time);

// frame.c: made on first use
void pli_frame_cache_destroy(pli_frame_cache *cache);

// measure.c: energies, momenta, smallest J; or none of them
void pli_report_leave_open(const pli_state *state, pli_step_report *report);
pli_status pli_solver_fill_report(pli_solver *solver, const pli_state *state,
                                  pli_step_report *report);

#endif
