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
#include "sim/step/stepper.h"

// What a solver takes, and what has to be known about it. Meshes and particles it takes when it has
// a stepper of them.
enum {
    PLI_TAKES_CONSTRAINTS = 1 << 0, // colliders as inequality constraints
    PLI_TAKES_BARRIERS = 1 << 1,
    PLI_TAKES_PENALTIES = 1 << 2, // of colliders that are cubic, so that their stiffness changes
    PLI_TAKES_COUPLINGS = 1 << 3, // that change within a step: bodies that meet by penalties
    PLI_TAKES_SHELLS = 1 << 4,
    PLI_TAKES_DAMPING = 1 << 5, // by Rayleigh, whose matrix changes from step to step
    PLI_TAKES_WOLFE = 1 << 6,   // the line search
    PLI_TAKES_PARTS = 1 << 7,   // a linear solver and a preconditioner of the scene's choice
    PLI_MAKES_STEPS = 1 << 8,   // of Newton, whose size can decide on convergence
    PLI_JUDGES_STEPS = 1 << 9,  // that size decides by default
    PLI_KEEPS_MATRIX = 1 << 10, // the same one for many steps
    PLI_LIKES_BLOCKS = 1 << 11, // contact is best as blocks on the diagonal of its matrix: it keeps
                                // a matrix for many iterations, has none, or it is V-cycles alone
    PLI_IS_STEADY = 1 << 12,    // makes the same share of the way in every iteration
    PLI_TAKES_YIELD = 1 << 13,  // of tetrahedra: neither matrix nor elements are those of rest
    PLI_KEEPS_PAIRS = 1 << 14,  // of steps and gradients, and its matrix for many iterations
    PLI_STARTS_STILL = 1 << 15, // where everything is, is a guess for it even without contact
    PLI_TAKES_PRESSURE = 1 << 16,  // that follows closed surfaces
    PLI_TAKES_OPEN = 1 << 17,      // and open ones, where it is prepared in every iteration
    PLI_TAKES_CAVITIES = 1 << 18,  // whose Hessian has a low-rank part
    PLI_TAKES_QUADRATIC = 1 << 19, // tetrahedra with ten nodes
    PLI_TAKES_PATCHES = 1 << 20    // locking-free ones, whose energy is that of patches
};

// How a solver takes implicit steps of particles.
typedef struct pli_grid_method {
    bool assembled;
    bool minres;
    pli_node_preconditioner preconditioner;
    pli_node_rule rule;
    pli_embedding_kind embedding;
    bool linear;                // a single linear solve instead of a minimisation
    bool plain_norm;            // |h g| decides on convergence
    double tolerance;           // default, in the unit of the norm; 0: the norm's own
    double coarsest_tolerance;  // of cycles, 0: that of node_multigrid.h
    double matrix_free_courant; // of steps that need no matrix, see mpm/implicit/implicit_stepper.h
    bool flip;                  // velocities are a blend of FLIP and PIC by default
    bool backward;              // positions by backward Euler by default
} pli_grid_method;

typedef struct pli_solver_kind {
    struct {
        const char *name;
        const char *doc;
        const char *source; // paper it comes from
    } info;
    const pli_stepper_ops *of_meshes;    // NULL: it takes none
    const pli_stepper_ops *of_particles; // NULL: it takes none
    // by name, of meshes in minimizer_build.c, of particles in matter_implicit.c; NULL: nothing is
    // minimised
    const char *minimizer;
    uint32_t flags;          // PLI_TAKES_... and the like
    bool projected;          // Hessian made positive semi-definite element by element
    bool safeguard;          // downhill test and length clamp
    bool best_guess;         // start from the best of several predictions, else the inertial one
    double linear_tolerance; // > 0: fixed relative tolerance; 0: the inexact rule
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

static inline bool pli_solver_has(const pli_solver_kind *kind, uint32_t flag)
{
    return (kind->flags & flag) != 0;
}

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
    return at_rest && pli_solver_has(kind, PLI_IS_STEADY) ? 100000 : 500;
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

// What advances a model, whose solver takes what is in it.
const pli_stepper_ops *pli_solver_choose_stepper(const pli_model *model);

// What the scene asks for, and where it says "auto" what the solver's row says; vertex_count of
// a model at rest (without inertia), otherwise 0.
pli_solver_parts pli_solver_parts_choose(const pli_solver_kind *kind, const pli_solver_def *def,
                                         int32_t vertices_at_rest);

#endif
