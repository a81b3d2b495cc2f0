// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/schema.h"

// ---- time

static const char *const integrator_names[] = {
    [PLI_IMPLICIT_EULER] = "implicit-euler", [PLI_BDF2] = "bdf2", NULL};
static const char *const mode_names[] = {
    [PLI_MODE_DYNAMIC] = "dynamic", [PLI_MODE_QUASI_STATIC] = "quasi-static", NULL};

static const char *const load_steps_names[] = {
    [PLI_LOAD_STEPS_AUTO] = "auto", [PLI_LOAD_STEPS_FIXED] = "fixed", NULL};
static const char *const snap_names[] = {
    [PLI_SNAP_WARN] = "warn", [PLI_SNAP_REFUSE] = "refuse", [PLI_SNAP_ALLOW] = "allow", NULL};

static const pli_field time_fields[] = {
    {.key = "frames",
     PLI_INTEGER(pli_time_def, frames),
     .fallback = "48",
     .min = 0,
     .max = 100000000,
     .unit = "",
     .doc = "Frames to compute after the initial one."},
    {.key = "fps",
     PLI_REAL(pli_time_def, fps),
     .fallback = "24",
     .min = 1e-6,
     .max = 1e9,
     .unit = "1/s",
     .doc = "Frames per second."},
    {.key = "steps_per_frame",
     PLI_INTEGER(pli_time_def, steps_per_frame),
     .fallback = "1",
     .min = 1,
     .max = 1000000,
     .unit = "",
     .doc = "Time steps of equal length in each frame."},
    {.key = "integrator",
     PLI_CHOICE(pli_time_def, integrator, integrator_names),
     .fallback = "implicit-euler",
     .doc = "Formula for the acceleration."},
    {.key = "mode",
     PLI_CHOICE(pli_time_def, mode, mode_names),
     .fallback = "dynamic",
     .doc = "With inertia, or a sequence of states of rest."},
    {.key = "load_steps",
     PLI_CHOICE(pli_time_def, load_steps, load_steps_names),
     .fallback = "auto",
     .doc = "quasi-static: auto makes a step that does not converge again in pieces of its load, "
            "halved as often as needed; fixed leaves it as it is."},
    {.key = "least_piece",
     PLI_REAL(pli_time_def, least_piece),
     .fallback = "0.00390625",
     .min = 1e-6,
     .max = 1,
     .unit = "",
     .doc = "quasi-static: the smallest piece of a step, in parts of it."},
    {.key = "snap",
     PLI_CHOICE(pli_time_def, snap, snap_names),
     .fallback = "warn",
     .doc =
         "quasi-static: what happens where the load passes a limit point and the state jumps to "
         "another equilibrium: warn in the log, refuse the step, or allow it. refuse follows the "
         "path in pieces of a quarter of a step or less."},
};
static const pli_schema time_schema = {.name = "time",
                                       .doc = "How long and how fine to simulate.",
                                       .size = sizeof(pli_time_def),
                                       PLI_TABLE(time_fields)};

// ---- solver

static const char *const norm_names[] = {[PLI_NORM_AUTO] = "auto",
                                         [PLI_NORM_VELOCITY] = "velocity",
                                         [PLI_NORM_CHARACTERISTIC] = "characteristic",
                                         [PLI_NORM_FORCE] = "force",
                                         [PLI_NORM_STEP] = "step",
                                         [PLI_NORM_ERROR] = "error",
                                         NULL};
static const char *const linear_names[] = {
    [PLI_LINEAR_AUTO] = "auto",           [PLI_LINEAR_PCG] = "pcg",
    [PLI_LINEAR_MINRES] = "minres",       [PLI_LINEAR_CHOLESKY] = "cholesky",
    [PLI_LINEAR_MULTIGRID] = "multigrid", NULL};
static const char *const preconditioner_names[] = {[PLI_PRECONDITIONER_AUTO] = "auto",
                                                   [PLI_PRECONDITIONER_NONE] = "none",
                                                   [PLI_PRECONDITIONER_JACOBI] = "jacobi",
                                                   [PLI_PRECONDITIONER_BLOCK_JACOBI] =
                                                       "block-jacobi",
                                                   [PLI_PRECONDITIONER_SGS] = "sgs",
                                                   [PLI_PRECONDITIONER_MULTIGRID] = "multigrid",
                                                   NULL};
static const char *const line_search_names[] = {[PLI_LINE_SEARCH_AUTO] = "auto",
                                                [PLI_LINE_SEARCH_WOLFE] = "wolfe",
                                                [PLI_LINE_SEARCH_BACKTRACKING] = "backtracking",
                                                [PLI_LINE_SEARCH_NONE] = "none",
                                                NULL};

static const char *const weights_names[] = {[PLI_WEIGHTS_CONSTANT] = "constant",
                                            [PLI_WEIGHTS_SMOOTH] = "smooth",
                                            [PLI_WEIGHTS_AVERAGED] = "averaged",
                                            NULL};
const char *const pli_precision_names[] = {
    [PLI_PRECISION_SINGLE] = "single", [PLI_PRECISION_DOUBLE] = "double", NULL};
static const char *const sampling_names[] = {[PLI_SAMPLING_AUTO] = "auto",
                                             [PLI_SAMPLING_UNIFORM] = "uniform",
                                             [PLI_SAMPLING_MATERIAL] = "material",
                                             NULL};

static const pli_field handle_fields[] = {
    {.key = "point",
     PLI_VECTOR(pli_point_def, point),
     .flags = PLI_FIELD_REQUIRED,
     PLI_COORDINATE,
     .doc = "A place in the rest shape."},
};
static const pli_schema handle_schema = {.name = "handle",
                                         .doc = "Where a coarse node stands.",
                                         .size = sizeof(pli_point_def),
                                         .scalar_key = "point",
                                         PLI_TABLE(handle_fields)};

static const pli_field multigrid_fields[] = {
    {.key = "levels",
     PLI_MEMBERS(PLI_FIELD_INTEGERS, pli_multigrid_def, levels, level_count),
     .flags = PLI_FIELD_OPTIONAL,
     .min = 1,
     .max = 1000000000,
     .unit = "",
     .doc = "Nodes of the coarse levels, coarsest first, such as [25, 500]; by default chosen by "
            "the number of vertices."},
    {.key = "smoothers",
     PLI_TEXT(pli_multigrid_def, smoothers),
     .fallback = "auto",
     .doc =
         "auto, or what is done on each level, coarsest first and the vertices last: direct on the "
         "coarsest, then GS(n), n symmetric sweeps of Gauss-Seidel before and after the "
         "correction from below, or J(n), of block Jacobi. Two parts serve any number of "
         "levels, and so do three, the middle one for all between the coarsest and the "
         "vertices."},
    {.key = "dofs",
     PLI_INTEGER(pli_multigrid_def, dofs),
     .fallback = "12",
     .min = 3,
     .max = 12,
     .unit = "",
     .doc = "Unknowns of a coarse node: 12, an affine field, or 3, a translation."},
    {.key = "weights",
     PLI_CHOICE(pli_multigrid_def, weights, weights_names),
     .fallback = "constant",
     .doc = "How vertices follow coarse nodes: each its nearest one, or several of them smoothly, "
            "by bounded biharmonic weights, which take long to compute and fill the matrices, or "
            "about two by weights averaged along stiff edges, which pay in large meshes of mixed "
            "matter."},
    {.key = "precision",
     PLI_CHOICE(pli_multigrid_def, precision, pli_precision_names),
     .fallback = "single",
     .doc = "Precision inside of a V-cycle; residuals are double in any case."},
    {.key = "cycles",
     PLI_INTEGER(pli_multigrid_def, cycles),
     .fallback = "0",
     .min = 0,
     .max = 1000000000,
     .unit = "",
     .doc = "V-cycles of a linear solve; 0: one in projective dynamics, with the solver lbfgs and "
            "with fixed_iterations, else as many as the tolerance of the solve asks for. A "
            "preconditioner is one cycle in any case."},
    {.key = "sampling",
     PLI_CHOICE(pli_multigrid_def, sampling, sampling_names),
     .fallback = "auto",
     .doc = "How coarse nodes are spread: by distance alone, or so that none reaches across a jump "
            "of stiffness; auto does the latter where a body has several materials."},
    {.key = "handles",
     PLI_MEMBERS(PLI_FIELD_LIST, pli_multigrid_def, handles, handle_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &handle_schema,
     .doc = "Points of the rest shape whose nearest vertices are the first coarse nodes, such as "
            "[[0, 0, 0], [1, 0, 0]]; by default the first one is chosen by the seed."},
};
const pli_schema pli_multigrid_schema = {.name = "multigrid",
                                         .doc = "The levels of a multigrid.",
                                         .size = sizeof(pli_multigrid_def),
                                         PLI_TABLE(multigrid_fields)};

static const pli_field chebyshev_fields[] = {
    {.key = "rho",
     PLI_REAL(pli_chebyshev_def, rho),
     .fallback = "0.9992",
     .flags = PLI_FIELD_MIN_EXCLUDED | PLI_FIELD_MAX_EXCLUDED,
     .min = 0,
     .max = 1,
     .unit = "",
     .doc = "Estimate of the spectral radius of a Jacobi iteration; nearer to 1 for finer meshes, "
            "stiffer matter and longer steps. Too large is slow, too small gives the "
            "acceleration away."},
    {.key = "gamma",
     PLI_REAL(pli_chebyshev_def, gamma),
     .fallback = "0.9",
     .flags = PLI_FIELD_MIN_EXCLUDED,
     .min = 0,
     .max = 1,
     .unit = "",
     .doc = "Under-relaxation, which keeps Jacobi iterations from diverging."},
    {.key = "delay",
     PLI_INTEGER(pli_chebyshev_def, delay),
     .fallback = "10",
     .min = 0,
     .max = 1000000000,
     .unit = "",
     .doc = "Iterations of a step before the acceleration begins."},
};
static const pli_schema chebyshev_schema = {.name = "chebyshev",
                                            .doc = "Acceleration of the solver chebyshev.",
                                            .size = sizeof(pli_chebyshev_def),
                                            PLI_TABLE(chebyshev_fields)};

static const pli_field solver_fields[] = {
    {.key = "name",
     PLI_TEXT(pli_solver_def, name),
     .fallback = "auto",
     .doc = "Which solver; auto picks by what the scene contains."},
    {.key = "norm",
     PLI_CHOICE(pli_solver_def, norm, norm_names),
     .fallback = "auto",
     .doc = "What the convergence test measures: the error of the velocity (m/s), the scaled "
            "residual (force over a force scale of the material), the plain force (N), the largest "
            "step of Newton's method over the time step (m/s), or the error of the positions "
            "relative to the deformation."},
    {.key = "tolerance",
     PLI_REAL(pli_solver_def, tolerance),
     .fallback = "0",
     .min = 0,
     .max = 1e15,
     .unit = "unit of the norm",
     .doc = "When a step counts as converged; 0: the norm's own default."},
    {.key = "max_iterations",
     PLI_INTEGER(pli_solver_def, max_iterations),
     .fallback = "0",
     .min = 0,
     .max = 1000000000,
     .unit = "",
     .doc =
         "Outer iterations before a step counts as not converged; 0: 500, and without inertia "
         "100,000 for solvers whose iterations are cheap and many, projective dynamics and vbd."},
    {.key = "fixed_iterations",
     PLI_INTEGER(pli_solver_def, fixed_iterations),
     .fallback = "0",
     .min = 0,
     .max = 1000000000,
     .unit = "",
     .doc = "Exactly so many outer iterations, without a convergence test; 0: until converged."},
    {.key = "max_substeps",
     PLI_INTEGER(pli_solver_def, max_substeps),
     .fallback = "0",
     .min = 0,
     .max = 1000000000,
     .unit = "",
     .doc = "Substeps of particles within a time step before it is refused, which takes more the "
            "faster they are; 0: 1000 implicit or 20000 explicit ones."},
    {.key = "max_travel",
     PLI_REAL(pli_solver_def, max_travel),
     .fallback = "20",
     .flags = PLI_FIELD_MIN_EXCLUDED,
     .min = 0,
     .max = 1e9,
     .unit = "",
     .doc =
         "How far a vertex may move in a step where barriers keep surfaces apart, over the extent "
         "of the largest body; a longer step is refused at ten times the speed of sound."},
    {.key = "linear",
     PLI_CHOICE(pli_solver_def, linear, linear_names),
     .fallback = "auto",
     .doc = "Solver of the linear systems."},
    {.key = "preconditioner",
     PLI_CHOICE(pli_solver_def, preconditioner, preconditioner_names),
     .fallback = "auto",
     .doc = "Preconditioner of iterative linear solvers."},
    {.key = "linear_max_iterations",
     PLI_INTEGER(pli_solver_def, linear_max_iterations),
     .fallback = "10000",
     .min = 1,
     .max = 1000000000,
     .unit = "",
     .doc = "Iterations before a linear solve ends with what it has."},
    {.key = "linear_scale",
     PLI_REAL(pli_solver_def, linear_scale),
     .fallback = "1",
     .flags = PLI_FIELD_MIN_EXCLUDED,
     .min = 0,
     .max = 1e9,
     .unit = "",
     .doc = "Factor on the tolerance of inexact linear solves."},
    {.key = "linear_cap",
     PLI_REAL(pli_solver_def, linear_cap),
     .fallback = "0.1",
     .flags = PLI_FIELD_MIN_EXCLUDED,
     .min = 0,
     .max = 0.5,
     .unit = "",
     .doc = "Largest relative tolerance of a linear solve, far from the solution."},
    {.key = "plasticity",
     PLI_CHOICE(pli_solver_def, plasticity, pli_plasticity_names),
     .fallback = "lagged",
     .doc =
         "When tetrahedra yield: after a step has been solved as if it were elastic (lagged), or "
         "while it is solved (implicit), where law and rule have a potential together: von Mises "
         "with hencky and fixed-corotated, snow with fixed-corotated; others lag."},
    {.key = "rest_shape_guess",
     .former = "rest_guess",
     PLI_BOOL(pli_solver_def, rest_shape_guess),
     .fallback = "true",
     .doc = "Whether bodies with many inverted tetrahedra may take their rest shape as initial "
            "guess of a step."},
    {.key = "line_search",
     PLI_CHOICE(pli_solver_def, line_search, line_search_names),
     .fallback = "auto",
     .doc = "How the length of a step is chosen."},
    {.key = "wolfe_decrease",
     PLI_REAL(pli_solver_def, wolfe_decrease),
     .fallback = "1e-4",
     .flags = PLI_FIELD_MIN_EXCLUDED | PLI_FIELD_MAX_EXCLUDED,
     .min = 0,
     .max = 1,
     .unit = "",
     .doc = "Wolfe's first constant: the least decrease of the energy."},
    {.key = "wolfe_curvature",
     PLI_REAL(pli_solver_def, wolfe_curvature),
     .fallback = "0.9",
     .flags = PLI_FIELD_MIN_EXCLUDED | PLI_FIELD_MAX_EXCLUDED,
     .min = 0,
     .max = 1,
     .unit = "",
     .doc = "Wolfe's second constant: the least decrease of the slope."},
    {.key = "length_clamp",
     PLI_REAL(pli_solver_def, length_clamp),
     .fallback = "1e3",
     PLI_EXTENT,
     .doc = "Largest length of a search direction."},
    {.key = "downhill",
     PLI_REAL(pli_solver_def, downhill),
     .fallback = "1e-2",
     .flags = PLI_FIELD_MAX_EXCLUDED,
     .min = 0,
     .max = 1,
     .unit = "",
     .doc = "Smallest cosine between a search direction and steepest descent."},
    {.key = "linear_iterations",
     PLI_INTEGER(pli_solver_def, linear_iterations),
     .fallback = "0",
     .min = 0,
     .max = 1000000000,
     .unit = "",
     .doc = "Inner iterations of every linear solve of pd-pcg (0: 20), vivace (0: 10) and "
            "chebyshev (0: 1); other solvers have no fixed number."},
    {.key = "linear_tolerance",
     PLI_REAL(pli_solver_def, linear_tolerance),
     .fallback = "0",
     .flags = PLI_FIELD_MAX_EXCLUDED,
     .min = 0,
     .max = 1,
     .unit = "",
     .doc = "Relative tolerance of every linear solve, which may then take up to "
            "linear_max_iterations; 0: the solver's own rule, or its fixed number of iterations."},
    {.key = "window",
     PLI_INTEGER(pli_solver_def, window),
     .fallback = "8",
     .min = 0,
     .max = 64,
     .unit = "",
     .doc = "Iterations whose steps and gradients lbfgs and hot remember; 0: none, which is "
            "descent along what the first matrix says."},
    {.key = "refresh",
     PLI_INTEGER(pli_solver_def, refresh),
     .fallback = "-1",
     .min = -1,
     .max = 1000000000,
     .unit = "",
     .doc =
         "Iterations after which lbfgs and hot rebuild their matrix; 0: never within a step; -1: "
         "8 for lbfgs, 0 for hot and its kin."},
    {.key = "multigrid",
     PLI_STRUCT(pli_solver_def, multigrid, &pli_multigrid_schema),
     .doc = "The levels of solvers, linear solvers and preconditioners that are a multigrid."},
    {.key = "chebyshev",
     PLI_STRUCT(pli_solver_def, chebyshev, &chebyshev_schema),
     .doc = "Acceleration of the solver chebyshev."},
    {.key = "subspace",
     PLI_STRUCT(pli_solver_def, subspace, &pli_subspace_schema),
     .doc = "Handles, cubature and levels of the solver subspace."},
    {.key = "steps",
     PLI_STRUCT(pli_solver_def, steps, &pli_steps_schema),
     .doc = "Time steps of the solvers explicit and regional."},
    {.key = "grid",
     PLI_STRUCT(pli_solver_def, grid, &pli_implicit_grid_schema),
     .doc = "Implicit steps of particles: splines, transfers, steps, levels."},
};
const pli_schema pli_solver_schema = {.name = "solver",
                                      .doc = "How the energy of each step is minimised.",
                                      .size = sizeof(pli_solver_def),
                                      .scalar_key = "name",
                                      PLI_TABLE(solver_fields)};

// ---- output and checks

static const pli_field output_fields[] = {
    {.key = "every",
     PLI_INTEGER(pli_output_def, every),
     .fallback = "1",
     .min = 1,
     .max = 100000000,
     .unit = "",
     .doc = "Write every n-th frame."},
    {.key = "checkpoint_every",
     PLI_INTEGER(pli_output_def, checkpoint_every),
     .fallback = "1",
     .min = 1,
     .max = 100000000,
     .unit = "",
     .doc = "Frames between checkpoints."},
    {.key = "compress",
     PLI_BOOL(pli_output_def, compress),
     .fallback = "false",
     .doc = "Compress frames with zlib."},
    {.key = "iterations",
     PLI_BOOL(pli_output_def, iterations),
     .fallback = "false",
     .doc = "Also write iterations.jsonl, a line per solver iteration."},
    {.key = "residuals",
     PLI_BOOL(pli_output_def, residuals),
     .fallback = "false",
     .doc = "Also write residuals/, a series of frames: the scaled residual of every iteration of "
            "implicit steps of particles."},
    {.key = "fields",
     PLI_MEMBERS(PLI_FIELD_TEXTS, pli_output_def, fields, field_count),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "Names of the fields that frames hold; by default all."},
    {.key = "handle",
     PLI_INTEGER(pli_output_def, handle),
     .fallback = "-1",
     .min = -1,
     .max = 100000000,
     .unit = "",
     .doc = "Handle of the solver subspace whose weights frames hold, as field weight; -1: none."},
};
const pli_schema pli_output_schema = {.name = "output",
                                      .doc = "What is written.",
                                      .size = sizeof(pli_output_def),
                                      PLI_TABLE(output_fields)};

static const char *const severity_names[] = {[PLI_SEVERITY_ERROR] = "error",
                                             [PLI_SEVERITY_WARNING] = "warning",
                                             [PLI_SEVERITY_IGNORE] = "ignore",
                                             NULL};

static const pli_field checks_fields[] = {
    {.key = "inverted_start",
     PLI_CHOICE(pli_checks_def, inverted_start, severity_names),
     .fallback = "warning",
     .doc = "What to do about tetrahedra that start inverted."},
    {.key = "collider_overlap",
     PLI_CHOICE(pli_checks_def, collider_overlap, severity_names),
     .fallback = "error",
     .doc = "What to do about vertices that start inside of a collider."},
    {.key = "body_overlap",
     PLI_CHOICE(pli_checks_def, body_overlap, severity_names),
     .fallback = "error",
     .doc = "What to do about vertices that start inside of a body, where bodies collide."},
};
static const pli_schema checks_schema = {.name = "checks",
                                         .doc = "How strict to be about what may be wrong.",
                                         .size = sizeof(pli_checks_def),
                                         PLI_TABLE(checks_fields)};

// ---- the root

static const char *const up_names[] = {[PLI_UP_Y] = "y", [PLI_UP_Z] = "z", NULL};

static const pli_field scene_fields[] = {
    {.key = "about",
     PLI_TEXT(pli_scene_def, about),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "What the scene shows."},
    {.key = "seed",
     PLI_INTEGER(pli_scene_def, seed),
     .fallback = "0",
     .min = 0,
     .max = INT32_MAX,
     .unit = "",
     .doc = "Start of every random number."},
    {.key = "up",
     PLI_CHOICE(pli_scene_def, up, up_names),
     .fallback = "y",
     .doc = "The axis that points upwards."},
    {.key = "gravity",
     PLI_MEMBERS(PLI_FIELD_REALS, pli_scene_def, gravity, gravity_count),
     .flags = PLI_FIELD_OPTIONAL,
     .min = -1e9,
     .max = 1e9,
     .unit = "m/s^2",
     .doc = "Gravity, three numbers; by default 9.81 m/s^2 downwards."},
    {.key = "materials",
     PLI_MEMBERS(PLI_FIELD_NAMED, pli_scene_def, materials, material_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &pli_material_schema,
     .doc = "Materials by name."},
    {.key = "bodies",
     PLI_MEMBERS(PLI_FIELD_NAMED, pli_scene_def, bodies, body_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &pli_body_schema,
     .doc = "Bodies by name; a scene needs one, or an emitter."},
    {.key = "emitters",
     PLI_MEMBERS(PLI_FIELD_NAMED, pli_scene_def, emitters, emitter_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &pli_emitter_schema,
     .doc = "Shapes that particles stream out of, by name."},
    {.key = "domain",
     PLI_STRUCT(pli_scene_def, domain, &pli_domain_schema),
     .flags = PLI_FIELD_OPTIONAL,
     .doc = "The box with walls and the grid that particles move on."},
    {.key = "constraints",
     PLI_MEMBERS(PLI_FIELD_LIST, pli_scene_def, constraints, constraint_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &pli_constraint_schema,
     .doc =
         "Dirichlet boundary conditions: vertices whose positions are fixed or follow a script."},
    {.key = "attachments",
     PLI_MEMBERS(PLI_FIELD_LIST, pli_scene_def, attachments, attachment_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &pli_attachment_schema,
     .doc = "Springs from vertices to where they started, or to a script."},
    {.key = "colliders",
     PLI_MEMBERS(PLI_FIELD_NAMED, pli_scene_def, colliders, collider_count),
     .flags = PLI_FIELD_OPTIONAL,
     .schema = &pli_collider_schema,
     .doc = "Solids that bodies collide with, by name."},
    {.key = "contact",
     PLI_STRUCT(pli_scene_def, contact, &pli_contact_schema),
     .doc = "Contact between bodies, and self-contact."},
    {.key = "time",
     PLI_STRUCT(pli_scene_def, time, &time_schema),
     .doc = "How long and how fine to simulate."},
    {.key = "solver",
     PLI_STRUCT(pli_scene_def, solver, &pli_solver_schema),
     .doc = "How the energy of each step is minimised."},
    {.key = "output",
     PLI_STRUCT(pli_scene_def, output, &pli_output_schema),
     .doc = "What is written."},
    {.key = "checks",
     PLI_STRUCT(pli_scene_def, checks, &checks_schema),
     .doc = "How strict to be about what may be wrong."},
};
static const pli_schema scene_schema = {.name = "scene",
                                        .doc = "What there is and how it starts, in SI units.",
                                        .size = sizeof(pli_scene_def),
                                        PLI_TABLE(scene_fields)};

const pli_schema *pli_scene_schema(void)
{
    return &scene_schema;
}
