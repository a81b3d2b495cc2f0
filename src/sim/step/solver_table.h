// SPDX-License-Identifier: Apache-2.0
//
// The solvers by name: each is a choice of parts, written down as data. A scene may replace single
// parts; what then remains is pli_solver_parts.
#ifndef PLI_SIM_STEP_SOLVER_TABLE_H
#define PLI_SIM_STEP_SOLVER_TABLE_H

#include "linear/krylov/solver.h"
#include "linear/multigrid/lifted_solver.h"
#include "mpm/implicit/implicit_stepper.h"
#include "optimize/line_search.h"
#include "pliant/sim.h"

typedef enum pli_minimizer_kind {
    PLI_MINIMIZER_NEWTON,       // a matrix for every iteration, see optimize/newton.h
    PLI_MINIMIZER_LOCAL_GLOBAL, // one matrix for many, see optimize/local_global.h
    PLI_MINIMIZER_VERTEX,       // no matrix, see optimize/vertex_descent.h
    PLI_MINIMIZER_LBFGS,        // a matrix for every step, see optimize/lbfgs.h
    PLI_MINIMIZER_NONE          // for particles only, see mpm/explicit/stepper.h and
                                // mpm/implicit/implicit_stepper.h
} pli_minimizer_kind;

// How a solver takes implicit steps of particles.
typedef struct pli_grid_method {
    pli_implicit_method method;
    bool assembled;
    bool exact; // tangents are not made positive semi-definite
    bool minres;
    pli_node_preconditioner preconditioner;
    pli_node_rule rule;
    pli_embedding_kind embedding;
    pli_search_kind search;
    bool plain_norm;           // |h g| decides on convergence
    double tolerance;          // default, in the unit of the norm; 0: the norm's own
    double coarsest_tolerance; // of cycles, 0: that of node_multigrid.h
    double easy_courant;       // of steps that need no matrix, see mpm/implicit/implicit_stepper.h
    bool flip;                 // velocities are a blend of FLIP and PIC by default
    bool backward;             // positions by backward Euler by default
} pli_grid_method;

typedef struct pli_solver_kind {
    pli_solver_info info;
    pli_minimizer_kind minimizer;
    bool projected;    // Hessian made positive semi-definite element by element
    bool safeguard;    // downhill test and length clamp
    bool constrains;   // takes colliders as constraints
    bool judges_steps; // by default the size of Newton's steps decides on convergence
    bool best_guess;   // start from the best of several predictions, else from the inertial one
    double linear_tolerance; // > 0: fixed relative tolerance; 0: the inexact rule
    double decrease;         // c1 of a backtracking search
    pli_search_kind search;

    // of Newton and L-BFGS
    pli_linear_solver_kind linear;
    pli_precondition_kind preconditioner;
    bool multigrid;      // the preconditioner is a V-cycle instead
    bool subspace;       // directions come from three levels, see multilevel/subspace.h
    bool direct_at_rest; // without inertia, and up to some size, sparse Cholesky by default

    // of L-BFGS, of meshes and of particles
    int32_t refresh; // iterations that a matrix serves for; 0: all of a step

    // of local-global
    pli_lifted_solver_kind lifted;
    int32_t linear_iterations; // of a linear solve; multigrid: as the scene says
    bool accelerated;          // by Chebyshev's polynomials

    // of particles
    bool regional;               // every region has a step of its own
    const pli_grid_method *grid; // implicit steps; NULL: none of particles
} pli_solver_kind;

// Iterations that the matrix of L-BFGS serves for, as a scene says or by default.
static inline int32_t pli_solver_refresh(const pli_solver_kind *kind, const pli_solver_def *def)
{
    return def->refresh >= 0 ? def->refresh : kind->refresh;
}

// Outer iterations before a step counts as not converged, as a scene says or by default. Without
// inertia, methods that go the same share of the way in every iteration need thousands of them.
static inline int32_t pli_solver_max_iterations(const pli_solver_kind *kind,
                                                const pli_solver_def *def, bool at_rest)
{
    if (def->max_iterations > 0) return def->max_iterations;
    bool steady =
        kind->minimizer == PLI_MINIMIZER_LOCAL_GLOBAL || kind->minimizer == PLI_MINIMIZER_VERTEX;
    return at_rest && steady ? 100000 : 500;
}

// Whether scenes of particles, or of meshes, may name the solver.
static inline bool pli_solver_takes_particles(const pli_solver_kind *kind)
{
    return kind->minimizer == PLI_MINIMIZER_NONE || kind->grid != NULL;
}

static inline bool pli_solver_takes_meshes(const pli_solver_kind *kind)
{
    return kind->minimizer != PLI_MINIMIZER_NONE;
}

// The parts of a solver with what the scene says about them.
typedef struct pli_solver_parts {
    pli_search_kind search;
    pli_linear_solver_kind linear;
    pli_precondition_kind preconditioner;
    bool multigrid;       // a V-cycle is the preconditioner
    bool needs_hierarchy; // something in it is a multigrid
} pli_solver_parts;

// The solver that a scene names, NULL when there is none of this name; "auto" goes by what the
// scene contains: particles, which are stepped implicitly if they are very stiff, barriers, or
// neither, and then by whether there is inertia.
const pli_solver_kind *pli_solver_kind_choose(const pli_scene_def *def);

// What the scene asks for, and where it says "auto" what the solver's row says; vertex_count of
// a model at rest (without inertia), otherwise 0.
pli_solver_parts pli_solver_parts_choose(const pli_solver_kind *kind, const pli_solver_def *def,
                                         int32_t vertices_at_rest);

#endif
