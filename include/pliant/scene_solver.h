// SPDX-License-Identifier: Apache-2.0
//
// Parts of scenes: time, solver, output and checks. See scene.h.
#ifndef PLIANT_SCENE_SOLVER_H
#define PLIANT_SCENE_SOLVER_H

#include "pliant/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- time, solver, output ----------------------------------------------------------------------

typedef enum pli_integrator { PLI_IMPLICIT_EULER, PLI_BDF2 } pli_integrator;
typedef enum pli_mode { PLI_MODE_DYNAMIC, PLI_MODE_QUASI_STATIC } pli_mode;

typedef enum pli_load_steps_kind {
    PLI_LOAD_STEPS_AUTO, // steps without inertia that do not converge are made in pieces
    PLI_LOAD_STEPS_FIXED // they are not
} pli_load_steps_kind;

// What happens where the state jumps to another equilibrium under a load that grows.
typedef enum pli_snap_kind {
    PLI_SNAP_WARN,   // it does so, and the log says it
    PLI_SNAP_REFUSE, // the step fails
    PLI_SNAP_ALLOW   // nobody looks
} pli_snap_kind;

typedef struct pli_time_def {
    int32_t frames;          // to compute after the initial one
    double fps;              // frames per second
    int32_t steps_per_frame; // steps of equal length
    int32_t integrator;      // pli_integrator
    int32_t mode;            // pli_mode
    // without inertia
    int32_t load_steps; // pli_load_steps_kind
    double least_piece; // of a step, in parts of it
    int32_t snap;       // pli_snap_kind
} pli_time_def;

typedef enum pli_norm_kind {
    PLI_NORM_AUTO,           // velocity, or error where there is no inertia
    PLI_NORM_VELOCITY,       // bound on the error of the velocity (m/s)
    PLI_NORM_CHARACTERISTIC, // scaled residual: force over a force scale of the material (-)
    PLI_NORM_FORCE,          // plain length of the gradient (N)
    PLI_NORM_STEP,           // largest step of Newton's method over the time step (m/s)
    PLI_NORM_ERROR           // error of the positions relative to the deformation (-)
} pli_norm_kind;

typedef enum pli_linear_kind {
    PLI_LINEAR_AUTO,
    PLI_LINEAR_PCG,
    PLI_LINEAR_MINRES,
    PLI_LINEAR_CHOLESKY,
    PLI_LINEAR_MULTIGRID
} pli_linear_kind;

typedef enum pli_preconditioner_kind {
    PLI_PRECONDITIONER_AUTO,
    PLI_PRECONDITIONER_NONE,
    PLI_PRECONDITIONER_JACOBI,
    PLI_PRECONDITIONER_BLOCK_JACOBI,
    PLI_PRECONDITIONER_SGS,
    PLI_PRECONDITIONER_MULTIGRID
} pli_preconditioner_kind;

typedef enum pli_line_search_kind {
    PLI_LINE_SEARCH_AUTO,
    PLI_LINE_SEARCH_WOLFE,
    PLI_LINE_SEARCH_BACKTRACKING,
    PLI_LINE_SEARCH_NONE
} pli_line_search_kind;

typedef struct pli_point_def {
    double point[3]; // m
} pli_point_def;

typedef enum pli_weights_kind {
    PLI_WEIGHTS_CONSTANT, // every vertex follows one handle
    PLI_WEIGHTS_SMOOTH,   // it follows several, by bounded biharmonic weights
    PLI_WEIGHTS_AVERAGED  // it follows several, by averages along the edges of stiff matter
} pli_weights_kind;

typedef enum pli_precision_kind { PLI_PRECISION_SINGLE, PLI_PRECISION_DOUBLE } pli_precision_kind;

typedef enum pli_sampling_kind {
    PLI_SAMPLING_AUTO,    // material where a body has several, else uniform
    PLI_SAMPLING_UNIFORM, // handles spread by distance alone
    PLI_SAMPLING_MATERIAL // handles do not reach across jumps of stiffness
} pli_sampling_kind;

typedef struct pli_multigrid_def { // the levels of a multigrid and what is done on them
    const int32_t *levels;         // nodes of the coarse ones, coarsest first; none: chosen by size
    int32_t level_count;
    const char *smoothers; // "direct/GS(3)/GS(3)", coarsest first; of two parts: for any depth
    int32_t dofs;          // unknowns of a coarse node: 12 (affine) or 3 (translation)
    int32_t weights;       // pli_weights_kind
    int32_t precision;     // pli_precision_kind, inside of a cycle
    int32_t cycles;        // V-cycles of a linear solve; 0: the solver's own
    int32_t sampling;      // pli_sampling_kind
    const pli_point_def *handles; // in the rest shape; the nearest vertices come first
    int32_t handle_count;
} pli_multigrid_def;

typedef struct pli_chebyshev_def { // acceleration of the solver "chebyshev"
    double rho;                    // estimated spectral radius of a Jacobi iteration
    double gamma;                  // under-relaxation
    int32_t delay;                 // iterations before it begins
} pli_chebyshev_def;

typedef enum pli_subspace_bases {  // weights of the handles of the solver "subspace"
    PLI_SUBSPACE_BASES_MATERIAL,   // sparse, heeding geometry and matter
    PLI_SUBSPACE_BASES_RADIAL,     // isotropic radial functions
    PLI_SUBSPACE_BASES_EIGENMODES, // of a Laplacian, global
    PLI_SUBSPACE_BASES_BIHARMONIC  // coordinates of all handles at once, global
} pli_subspace_bases;

typedef enum pli_reduced_hessian { // of the coarse levels
    PLI_REDUCED_AUTO,              // cubature where it takes fewer than half of the elements
    PLI_REDUCED_CUBATURE,          // of a few elements, by moments of the weights
    PLI_REDUCED_POLYNOMIAL,        // of a few elements, by moments of polynomials
    PLI_REDUCED_FULL               // of all elements, as old as that of the polish
} pli_reduced_hessian;

typedef enum pli_reduced_preconditioner {
    PLI_REDUCED_BLOCKS, // block Jacobi
    PLI_REDUCED_FACTOR  // the factored matrix of the handles
} pli_reduced_preconditioner;

typedef enum pli_affine_level { // a level of one handle per body
    PLI_AFFINE_AUTO,            // with blocks: a factor sees to whole bodies, too
    PLI_AFFINE_ON,
    PLI_AFFINE_OFF
} pli_affine_level;

typedef struct pli_subspace_def {  // the solver "subspace"
    int32_t handles;               // 0: chosen by the number of vertices
    int32_t bases;                 // pli_subspace_bases
    int32_t affine;                // pli_affine_level
    bool dirichlet;                // weights that vanish at fixed vertices smoothly
    double jump;                   // stiffness at interfaces over the softest; 0: left alone
    double conform;                // ratio of stiffness that no cluster spans; 0: any
    double oversampling;           // clusters to begin with over those wanted
    double prune_ratio;            // median volume over that of a cluster that may go
    int32_t prune_period;          // rounds
    int32_t rounds;                // of clustering, at most
    int32_t hessian;               // pli_reduced_hessian
    int32_t degree;                // of the moments
    double cubature_tolerance;     // of the moments, relative
    int32_t cubature_initial;      // elements drawn at first in a cluster; 0: automatic
    int32_t cubature_increment;    // further ones in a round; 0: automatic
    double tolerance;              // relative, of the linear solves of the coarse levels
    int32_t preconditioner;        // pli_reduced_preconditioner, of the handles
    int32_t polish;                // iterations over all vertices; -1: 20 or 40, by the clusters
    int32_t polish_preconditioner; // pli_reduced_preconditioner
    double refresh_threshold;      // mean step size below which the Hessian is rebuilt
    int32_t refresh_average;       // step sizes in the mean
    int32_t refresh_period;        // iterations between two Hessians, at least
} pli_subspace_def;

typedef struct pli_steps_def { // the solvers "explicit" and "regional"
    double sound;              // share of the time that sound takes to cross a cell
    double advection;          // share of the time that the fastest particle takes to cross a cell
    double tick;               // the shortest step (s); 0: by what moves and what it is made of
    int32_t longest;           // step of a region, in ticks, a power of two
    bool guard;                // what is next to a region of shorter step takes that step, too
} pli_steps_def;

typedef enum pli_spline_choice {
    PLI_SPLINE_CHOICE_AUTO, // quadratic
    PLI_SPLINE_CHOICE_LINEAR,
    PLI_SPLINE_CHOICE_QUADRATIC,
    PLI_SPLINE_CHOICE_CUBIC
} pli_spline_choice;

typedef enum pli_transfer_choice {
    PLI_TRANSFER_AUTO, // the solver's own
    PLI_TRANSFER_APIC, // particles have affine velocities
    PLI_TRANSFER_FLIP  // velocities are a blend of FLIP and PIC
} pli_transfer_choice;

typedef enum pli_positions_choice {
    PLI_POSITIONS_AUTO,    // the solver's own
    PLI_POSITIONS_FORWARD, // by the velocity where a particle is when a step begins
    PLI_POSITIONS_BACKWARD // by the velocity where it is when a step ends
} pli_positions_choice;

typedef enum pli_grid_smoother_choice {
    PLI_GRID_SMOOTHER_SWEEPS, // symmetric Gauss-Seidel
    PLI_GRID_SMOOTHER_JACOBI,
    PLI_GRID_SMOOTHER_CHEBYSHEV
} pli_grid_smoother_choice;

typedef enum pli_grid_coarsest_choice {
    PLI_GRID_COARSEST_PCG,
    PLI_GRID_COARSEST_DIRECT
} pli_grid_coarsest_choice;

typedef enum pli_plasticity_choice {
    PLI_PLASTICITY_LAGGED,  // matter yields after a step is solved
    PLI_PLASTICITY_IMPLICIT // and also while it is, as far as there is a potential
} pli_plasticity_choice;

typedef struct pli_implicit_grid_def { // implicit solvers of particles
    int32_t spline;                    // pli_spline_choice
    int32_t transfer;                  // pli_transfer_choice
    double flip;                       // share of FLIP in its blend with PIC
    int32_t positions;                 // pli_positions_choice
    double cfl;                        // cells that a particle moves in a step, at most
    int32_t levels;                    // of a multigrid
    int32_t smoother;                  // pli_grid_smoother_choice
    int32_t coarsest;                  // pli_grid_coarsest_choice
    int32_t precision;                 // pli_precision_kind, of what a cycle reads
    int32_t plasticity;                // pli_plasticity_choice
    bool matrix_free_short_steps;      // hot makes no matrix for steps that do not need one
    bool restarts;                     // L-BFGS forgets its pairs when the residual rises
} pli_implicit_grid_def;

typedef struct pli_solver_def {
    const char *name;         // "auto" or one of the solvers
    int32_t norm;             // pli_norm_kind
    double tolerance;         // in the norm's unit; 0: the norm's own default
    int32_t max_iterations;   // outer iterations before the step counts as not converged; 0: auto
    int32_t fixed_iterations; // > 0: exactly so many, without a convergence test
    int32_t max_substeps;     // of particles within a step; 0: the solver's own
    double max_travel;        // of a vertex in a step with barriers, over the largest body's extent
    int32_t linear;           // pli_linear_kind
    int32_t preconditioner;   // pli_preconditioner_kind
    int32_t linear_max_iterations;
    double linear_scale;    // sigma of the inexact tolerance
    int32_t line_search;    // pli_line_search_kind
    double wolfe_decrease;  // c1
    double wolfe_curvature; // c2
    double length_clamp;    // largest length of a search direction (m)
    double downhill;        // kappa: smallest cosine between direction and steepest descent
    double linear_cap;      // largest relative tolerance of a linear solve
    int32_t plasticity;     // pli_plasticity_choice, of tetrahedra
    bool rest_shape_guess;  // tangled bodies may take their rest shape as initial guess

    // of solvers that make a fixed number of inner iterations; 0: the solver's own
    int32_t linear_iterations;
    double linear_tolerance; // relative, of every linear solve; 0: the solver's own rule
    pli_multigrid_def multigrid;
    pli_chebyshev_def chebyshev;
    pli_subspace_def subspace;
    pli_steps_def steps;

    // of L-BFGS
    int32_t window;  // pairs of steps and gradients that are remembered
    int32_t refresh; // iterations that a matrix serves for; 0: all of a step; -1: the solver's own

    pli_implicit_grid_def grid;
} pli_solver_def;

// Two measured numbers against each other, as a figure of the report.
typedef struct pli_plot_def {
    const char *x; // "tip.displacement.y"
    const char *y; // "support.force.y"
} pli_plot_def;

typedef struct pli_output_def {
    int32_t every;             // write every n-th frame
    int32_t checkpoint_every;  // frames between checkpoints
    bool compress;             // zlib in .vtu files
    bool iterations;           // also iterations.jsonl, a line per solver iteration
    const char *const *fields; // of the frames; none: all
    int32_t field_count;
    int32_t handle; // of the solver "subspace" whose weights frames carry; -1: none
    bool residuals; // also residuals/, a frame per iteration of implicit steps of particles
    bool reactions; // what constraints, attachments and colliders do is measured at every step
    const pli_plot_def *plots; // none: chosen automatically
    int32_t plot_count;
} pli_output_def;

typedef enum pli_severity {
    PLI_SEVERITY_ERROR,
    PLI_SEVERITY_WARNING,
    PLI_SEVERITY_IGNORE
} pli_severity;

typedef struct pli_checks_def {
    int32_t inverted_start;   // pli_severity: tetrahedra that start inverted
    int32_t collider_overlap; // pli_severity: vertices that start inside of a collider
    int32_t body_overlap;     // pli_severity: vertices that start inside of a tetrahedron
} pli_checks_def;

#ifdef __cplusplus
}
#endif

#endif
