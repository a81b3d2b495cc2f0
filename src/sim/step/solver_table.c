// SPDX-License-Identifier: Apache-2.0
#include "sim/step/solver_table.h"

#include "linear/direct/cholesky.h"
#include "sim/body/material_matter.h"
#include "sim/body/material_resolve.h"
#include "sim/scene/scene.h"
#include "sim/step/matter_explicit.h"
#include "sim/step/matter_implicit.h"
#include "sim/step/mesh_stepper.h"

#include <math.h>
#include <string.h>

// ---- implicit steps of particles

static const pli_grid_method grid_newton = {.preconditioner = PLI_NODE_REST_DIAGONAL,
                                            .rule = PLI_NODE_INEXACT,
                                            .flip = true,
                                            .backward = true};
static const pli_grid_method grid_pn_pcg = {
    .assembled = true, .preconditioner = PLI_NODE_BLOCK_JACOBI, .rule = PLI_NODE_INEXACT};
static const pli_grid_method grid_pn_pcg_mf = {.preconditioner = PLI_NODE_BLOCK_JACOBI,
                                               .rule = PLI_NODE_INEXACT};
static const pli_grid_method grid_pn_sgs = {
    .assembled = true, .preconditioner = PLI_NODE_SWEEP, .rule = PLI_NODE_INEXACT};
// conjugate gradients want a cycle that is linear, or nearly so
static const pli_grid_method grid_pn_mgpcg = {.assembled = true,
                                              .preconditioner = PLI_NODE_EMBEDDED_CYCLE,
                                              .rule = PLI_NODE_INEXACT,
                                              .coarsest_tolerance = 1e-2};
static const pli_grid_method grid_hot = {.assembled = true,
                                         .preconditioner = PLI_NODE_EMBEDDED_CYCLE,
                                         .rule = PLI_NODE_ONCE,
                                         .matrix_free_courant = 3};
static const pli_grid_method grid_hot_quadratic = {.assembled = true,
                                                   .preconditioner = PLI_NODE_EMBEDDED_CYCLE,
                                                   .rule = PLI_NODE_ONCE,
                                                   .embedding = PLI_EMBEDDING_QUADRATIC};
static const pli_grid_method grid_lbfgs_h = {
    .assembled = true, .preconditioner = PLI_NODE_BLOCK_JACOBI, .rule = PLI_NODE_HALF};
static const pli_grid_method grid_lbfgs_gmg = {.assembled = true,
                                               .preconditioner = PLI_NODE_GEOMETRIC_CYCLE,
                                               .rule = PLI_NODE_ONCE,
                                               .embedding = PLI_EMBEDDING_QUADRATIC};
static const pli_grid_method grid_gast15 = {.preconditioner = PLI_NODE_BLOCK_JACOBI,
                                            .rule = PLI_NODE_LENGTH,
                                            .plain_norm = true,
                                            .tolerance = 1e-3};
static const pli_grid_method grid_admm = {.preconditioner = PLI_NODE_BLOCK_JACOBI,
                                          .rule = PLI_NODE_FIXED};
static const pli_grid_method grid_semi_implicit = {.linear = true,
                                                   .minres = true,
                                                   .preconditioner = PLI_NODE_REST_DIAGONAL,
                                                   .rule = PLI_NODE_FIXED,
                                                   .flip = true};

// ---- the table

// What solvers take by the way they minimise.
enum {
    OF_LBFGS = PLI_TAKES_PENALTIES | PLI_TAKES_COUPLINGS | PLI_TAKES_SHELLS | PLI_TAKES_DAMPING |
               PLI_TAKES_WOLFE | PLI_TAKES_PARTS | PLI_TAKES_YIELD | PLI_LIKES_BLOCKS |
               PLI_KEEPS_PAIRS | PLI_TAKES_PRESSURE | PLI_TAKES_CAVITIES | PLI_TAKES_QUADRATIC |
               PLI_TAKES_PATCHES,
    OF_NEWTON =
        (OF_LBFGS & ~(PLI_LIKES_BLOCKS | PLI_KEEPS_PAIRS)) | PLI_MAKES_STEPS | PLI_TAKES_OPEN,
    OF_LOCAL_GLOBAL = PLI_KEEPS_MATRIX | PLI_LIKES_BLOCKS | PLI_IS_STEADY,
    OF_VERTEX_DESCENT = PLI_TAKES_PENALTIES | PLI_TAKES_DAMPING | PLI_TAKES_YIELD |
                        PLI_TAKES_QUADRATIC | PLI_LIKES_BLOCKS | PLI_IS_STEADY | PLI_STARTS_STILL
};

static const pli_solver_kind kinds[] = {
    {
        .info = {"newton",
                 "Newton as a minimiser: inexact conjugate gradients that stop at indefiniteness, "
                 "downhill test, strong Wolfe line search",
                 "Gast et al. 2015, section 3.1"},
        .of_meshes = &pli_mesh_stepper_ops,
        .of_particles = &pli_matter_implicit_ops,
        .minimizer = "newton",
        .flags = OF_NEWTON | PLI_TAKES_BARRIERS | PLI_TAKES_CONSTRAINTS,
        .safeguard = true,
        .best_guess = true,
        .search = PLI_SEARCH_WOLFE,
        .linear = PLI_SOLVER_PCG,
        .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
        .direct_at_rest = true,
        .grid = &grid_newton,
    },
    {
        .info = {"newton-plain",
                 "Newton as a root finder: full steps, no definiteness fix; fails at large steps, "
                 "kept for comparison",
                 "baseline of Gast et al. 2015, figures 1 to 4"},
        .of_meshes = &pli_mesh_stepper_ops,
        .minimizer = "newton",
        .flags = OF_NEWTON,
        .linear_tolerance = 1e-6,
        .search = PLI_SEARCH_NONE,
        .linear = PLI_SOLVER_MINRES,
        .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
    },
    {
        .info = {"pn-pcg",
                 "projected Newton: positive semi-definite Hessian, inexact conjugate gradients "
                 "with block Jacobi, backtracking",
                 "Teran et al. 2005; Wang et al. 2020, algorithm 1"},
        .of_meshes = &pli_mesh_stepper_ops,
        .of_particles = &pli_matter_implicit_ops,
        .minimizer = "newton",
        .flags = OF_NEWTON | PLI_TAKES_BARRIERS | PLI_TAKES_CONSTRAINTS,
        .projected = true,
        .safeguard = true,
        .best_guess = true,
        .search = PLI_SEARCH_BACKTRACKING,
        .linear = PLI_SOLVER_PCG,
        .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
        .grid = &grid_pn_pcg,
    },
    {
        .info = {"pn-sgs",
                 "projected Newton with conjugate gradients preconditioned by coloured symmetric "
                 "Gauss-Seidel",
                 "Wang et al. 2020, supplement table 3"},
        .of_meshes = &pli_mesh_stepper_ops,
        .of_particles = &pli_matter_implicit_ops,
        .minimizer = "newton",
        .flags = OF_NEWTON | PLI_TAKES_BARRIERS | PLI_TAKES_CONSTRAINTS,
        .projected = true,
        .safeguard = true,
        .best_guess = true,
        .search = PLI_SEARCH_BACKTRACKING,
        .linear = PLI_SOLVER_PCG,
        .preconditioner = PLI_PRECONDITION_GAUSS_SEIDEL,
        .grid = &grid_pn_sgs,
    },
    {
        .info = {"ipc-pcg",
                 "projected Newton for barriers: conjugate gradients with block Jacobi, steps that "
                 "keep surfaces apart, ends when steps are small",
                 "Li et al. 2020, algorithm 1; Trusty et al. 2025, IPC-PCG"},
        .of_meshes = &pli_mesh_stepper_ops,
        .minimizer = "newton",
        .flags = OF_NEWTON | PLI_TAKES_BARRIERS | PLI_JUDGES_STEPS,
        .projected = true,
        .safeguard = true,
        .best_guess = true,
        .linear_tolerance = 1e-2,
        .search = PLI_SEARCH_BACKTRACKING,
        .linear = PLI_SOLVER_PCG,
        .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
    },
    {
        .info = {"ipc-llt",
                 "projected Newton for barriers: sparse Cholesky, steps that keep surfaces apart, "
                 "ends when steps are small",
                 "Li et al. 2020, algorithm 1; Trusty et al. 2025, IPC-LLT"},
        .of_meshes = &pli_mesh_stepper_ops,
        .minimizer = "newton",
        .flags = OF_NEWTON | PLI_TAKES_BARRIERS | PLI_JUDGES_STEPS,
        .projected = true,
        .safeguard = true,
        .best_guess = true,
        .linear_tolerance = 1e-10,
        .search = PLI_SEARCH_BACKTRACKING,
        .linear = PLI_SOLVER_CHOLESKY,
        .preconditioner = PLI_PRECONDITION_NONE,
    },
    {
        .info = {"subspace",
                 "Newton for barriers on intricate bodies of tetrahedra: affine motion, sparse "
                 "material-aware handles, and a polish over all vertices, by conjugate gradients",
                 "Trusty et al. 2025, algorithms 1 and 2"},
        .of_meshes = &pli_mesh_stepper_ops,
        .minimizer = "newton",
        .flags = (OF_NEWTON & ~(PLI_TAKES_YIELD | PLI_TAKES_CAVITIES | PLI_TAKES_QUADRATIC |
                                PLI_TAKES_PATCHES)) |
                 PLI_TAKES_BARRIERS | PLI_JUDGES_STEPS,
        .projected = true,
        .safeguard = true,
        .best_guess = true,
        .search = PLI_SEARCH_BACKTRACKING,
        .linear = PLI_SOLVER_PCG,
        .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
        .subspace = true,
    },
    {
        .info = {"newton-multigrid",
                 "projected Newton whose linear systems are solved by V-cycles in skinning space, "
                 "backtracking",
                 "Xian et al. 2019, section 4.6"},
        .of_meshes = &pli_mesh_stepper_ops,
        .minimizer = "newton",
        .flags = OF_NEWTON | PLI_TAKES_BARRIERS | PLI_TAKES_CONSTRAINTS | PLI_LIKES_BLOCKS,
        .projected = true,
        .safeguard = true,
        .best_guess = true,
        .search = PLI_SEARCH_BACKTRACKING,
        .linear = PLI_SOLVER_MULTIGRID,
        .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
    },
    {
        .info = {"pn-mgpcg",
                 "projected Newton with conjugate gradients preconditioned by a V-cycle in "
                 "skinning space, backtracking",
                 "Xian et al. 2019, section 6"},
        .of_meshes = &pli_mesh_stepper_ops,
        .of_particles = &pli_matter_implicit_ops,
        .minimizer = "newton",
        .flags = OF_NEWTON | PLI_TAKES_BARRIERS | PLI_TAKES_CONSTRAINTS,
        .projected = true,
        .safeguard = true,
        .best_guess = true,
        .search = PLI_SEARCH_BACKTRACKING,
        .linear = PLI_SOLVER_PCG,
        .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
        .multigrid = true,
        .grid = &grid_pn_mgpcg,
    },
    {
        .info = {"pd-multigrid",
                 "projective dynamics: a constant matrix, solved by V-cycles in skinning space; "
                 "real-time",
                 "Xian et al. 2019, algorithm 4"},
        .of_meshes = &pli_mesh_stepper_ops,
        .minimizer = "local-global",
        .flags = OF_LOCAL_GLOBAL,
        .search = PLI_SEARCH_NONE,
        .lifted = PLI_LIFTED_MULTIGRID,
    },
    {
        .info = {"pd-direct",
                 "projective dynamics: a constant matrix, factored once by sparse Cholesky",
                 "Bouaziz et al. 2014; Liu et al. 2017"},
        .of_meshes = &pli_mesh_stepper_ops,
        .minimizer = "local-global",
        .flags = OF_LOCAL_GLOBAL,
        .search = PLI_SEARCH_NONE,
        .lifted = PLI_LIFTED_DIRECT,
        .linear_iterations = 1,
    },
    {
        .info = {"pd-pcg",
                 "projective dynamics: a constant matrix, a fixed number of conjugate gradient "
                 "iterations with block Jacobi",
                 "baseline of Xian et al. 2019, section 5.6"},
        .of_meshes = &pli_mesh_stepper_ops,
        .minimizer = "local-global",
        .flags = OF_LOCAL_GLOBAL,
        .search = PLI_SEARCH_NONE,
        .lifted = PLI_LIFTED_PCG,
        .linear_iterations = 20,
    },
    {
        .info = {"vivace",
                 "projective dynamics: a constant matrix, a fixed number of Gauss-Seidel sweeps in "
                 "the order of a randomised colouring",
                 "Fratarcangeli et al. 2016"},
        .of_meshes = &pli_mesh_stepper_ops,
        .minimizer = "local-global",
        .flags = OF_LOCAL_GLOBAL,
        .search = PLI_SEARCH_NONE,
        .lifted = PLI_LIFTED_VIVACE,
        .linear_iterations = 10,
    },
    {
        .info = {"chebyshev",
                 "projective dynamics: one Jacobi iteration per local step, accelerated by "
                 "Chebyshev polynomials",
                 "Wang 2015"},
        .of_meshes = &pli_mesh_stepper_ops,
        .minimizer = "local-global",
        .flags = OF_LOCAL_GLOBAL,
        .search = PLI_SEARCH_NONE,
        .lifted = PLI_LIFTED_JACOBI,
        .linear_iterations = 1,
        .accelerated = true,
    },
    {
        .info = {"lbfgs",
                 "L-BFGS: a positive semi-definite Hessian for many iterations, factored by sparse "
                 "Cholesky, and what the last of them tell about how it changes; backtracking",
                 "Liu et al. 2017; Li et al. 2019, LBFGS-H; Wang et al. 2020, algorithm 3"},
        .of_meshes = &pli_mesh_stepper_ops,
        .minimizer = "lbfgs",
        .flags = OF_LBFGS,
        .best_guess = true,
        .linear_tolerance = 0.1,
        .search = PLI_SEARCH_BACKTRACKING,
        .linear = PLI_SOLVER_CHOLESKY,
        .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
        .refresh = 8,
    },
    {
        .info = {"vbd",
                 "vertex block descent: no matrix, one vertex after another by colours; cheap "
                 "iterations, of which stiff matter needs many",
                 "Chen et al. 2024"},
        .of_meshes = &pli_mesh_stepper_ops,
        .minimizer = "vertex-descent",
        .flags = OF_VERTEX_DESCENT,
        .best_guess = true,
        .search = PLI_SEARCH_NONE,
    },
    {
        .info = {"regional",
                 "particles on a grid, explicit: every region at its longest stable step",
                 "Fang et al. 2018; Hu et al. 2018"},
        .of_particles = &pli_matter_explicit_ops,
        .flags = PLI_LIKES_BLOCKS,
        .search = PLI_SEARCH_NONE,
        .regional = true,
    },
    {
        .info =
            {"explicit",
             "particles on a grid, explicit: all at the longest step that is stable for everything",
             "Hu et al. 2018, MLS-MPM; Sulsky et al. 1994"},
        .of_particles = &pli_matter_explicit_ops,
        .flags = PLI_LIKES_BLOCKS,
        .search = PLI_SEARCH_NONE,
    },
    {
        .info = {"hot",
                 "particles, implicit at the pace of their motion: L-BFGS over one V-cycle of node "
                 "embedding, matrix and levels once a step",
                 "Wang et al. 2020, algorithm 3"},
        .of_particles = &pli_matter_implicit_ops,
        .minimizer = "lbfgs",
        .flags = PLI_LIKES_BLOCKS,
        .projected = true,
        .search = PLI_SEARCH_BACKTRACKING,
        .grid = &grid_hot,
    },
    {
        .info = {"hot-quadratic", "the same with quadratic instead of linear embedding",
                 "Wang et al. 2020, section 7.1"},
        .of_particles = &pli_matter_implicit_ops,
        .minimizer = "lbfgs",
        .flags = PLI_LIKES_BLOCKS,
        .projected = true,
        .search = PLI_SEARCH_BACKTRACKING,
        .grid = &grid_hot_quadratic,
    },
    {
        .info = {"lbfgs-h",
                 "particles, implicit: L-BFGS over conjugate gradients with the Hessian of the "
                 "start of the step, to half of the residual",
                 "Li et al. 2019; Wang et al. 2020, section 7.1"},
        .of_particles = &pli_matter_implicit_ops,
        .minimizer = "lbfgs",
        .flags = PLI_LIKES_BLOCKS,
        .projected = true,
        .search = PLI_SEARCH_BACKTRACKING,
        .grid = &grid_lbfgs_h,
    },
    {
        .info = {"lbfgs-gmg",
                 "particles, implicit: L-BFGS over one V-cycle whose coarse matrices are summed "
                 "over particles",
                 "Wang et al. 2020, section 7.1"},
        .of_particles = &pli_matter_implicit_ops,
        .minimizer = "lbfgs",
        .flags = PLI_LIKES_BLOCKS,
        .projected = true,
        .search = PLI_SEARCH_BACKTRACKING,
        .grid = &grid_lbfgs_gmg,
    },
    {
        .info = {"pn-pcg-mf",
                 "particles, implicit: projected Newton, conjugate gradients with block Jacobi "
                 "without a matrix",
                 "Wang et al. 2020, algorithm 1"},
        .of_particles = &pli_matter_implicit_ops,
        .minimizer = "newton",
        .flags = PLI_LIKES_BLOCKS,
        .projected = true,
        .search = PLI_SEARCH_BACKTRACKING,
        .grid = &grid_pn_pcg_mf,
    },
    {
        .info = {"gast15",
                 "particles, implicit: the same, but the length of the gradient (kg m/s) decides; "
                 "its tolerance has to be found for every scene",
                 "Gast et al. 2015; baseline of Wang et al. 2020"},
        .of_particles = &pli_matter_implicit_ops,
        .minimizer = "newton",
        .flags = PLI_LIKES_BLOCKS,
        .projected = true,
        .search = PLI_SEARCH_BACKTRACKING,
        .grid = &grid_gast15,
    },
    {
        .info = {"admm",
                 "particles, implicit: alternating directions, a quadratic solve for nodes and a "
                 "proximal one for every particle; quick at first, slow to converge",
                 "Fang et al. 2019; Overby et al. 2017"},
        .of_particles = &pli_matter_implicit_ops,
        .minimizer = "admm",
        .flags = PLI_LIKES_BLOCKS,
        .projected = true,
        .search = PLI_SEARCH_NONE,
        .grid = &grid_admm,
    },
    {
        .info = {"semi-implicit",
                 "particles: one linear solve a step, which is cut as often as it would raise the "
                 "energy; kept for comparison",
                 "Stomakhin et al. 2013; baseline of Gast et al. 2015, section 6"},
        .of_particles = &pli_matter_implicit_ops,
        .minimizer = "linear",
        .flags = PLI_LIKES_BLOCKS,
        .search = PLI_SEARCH_NONE,
        .grid = &grid_semi_implicit,
    },
};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

// ---- what "auto" picks

// explicit steps in one of the scene from which on implicit ones are quicker
static const double many_steps = 500;

// How long sound takes to cross half a cell of a material of particles (s); infinite where that is
// not known.
static double sound_time(const pli_scene_def *def, const pli_material_def *material)
{
    pli_resolved_material resolved;
    double params[PLI_MATERIAL_INPUTS];
    if (!pli_scene_has_particles_of(def, material->name)) return INFINITY;
    if (!pli_material_resolve(NULL, material, &resolved, NULL)) return INFINITY;
    resolved.law->derive(resolved.inputs, params);
    return 0.5 * def->domain.cell / resolved.law->sound_speed(params, resolved.density);
}

// Implicit steps pay for what is so stiff that explicit ones are very short. Fluids and sand have
// little to gain by them, and viscosity is for explicit steps.
static bool is_worth_implicit(const pli_scene_def *def)
{
    double shortest = INFINITY;
    for (int32_t k = 0; k < def->material_count; ++k) {
        const pli_material_def *material = &def->materials[k];
        pli_matter_yield yield;
        if (!pli_scene_has_particles_of(def, material->name)) continue;
        pli_matter_yield_find(material, &yield);
        if (yield.kind == PLI_YIELD_DRUCKER_PRAGER || material->viscosity > 0) return false;
        shortest = fmin(shortest, sound_time(def, material));
    }
    double dt = 1 / (def->time.fps * def->time.steps_per_frame);
    return dt > many_steps * shortest;
}

// Without inertia a factor that serves for many iterations is the quickest; it wants nothing in the
// scene that it cannot take, which is all that touches.
static bool is_worth_pairs(const pli_scene_def *def)
{
    bool touches = def->collider_count > 0 || def->contact.method != PLI_CONTACT_NONE;
    bool at_rest = def->time.mode == PLI_MODE_QUASI_STATIC;
    // whose matrix is never the exact one: it sees no limit points
    bool looks = def->time.snap == PLI_SNAP_REFUSE;
    return at_rest && !touches && !looks && pli_cholesky_is_available();
}

static const char *default_name(const pli_scene_def *def)
{
    if (pli_scene_has_particles(def)) return is_worth_implicit(def) ? "hot" : "regional";
    if (def->contact.method == PLI_CONTACT_BARRIER) return "ipc-pcg";
    return is_worth_pairs(def) ? "lbfgs" : "newton";
}

const pli_solver_kind *pli_solver_kind_choose(const pli_scene_def *def)
{
    const char *name = def->solver.name;
    if (strcmp(name, "auto") == 0) name = default_name(def);
    for (int32_t k = 0; k < KIND_COUNT; ++k) {
        if (strcmp(kinds[k].info.name, name) == 0) return &kinds[k];
    }
    return NULL;
}

static pli_search_kind choose_search(const pli_solver_kind *kind, const pli_solver_def *def)
{
    switch ((pli_line_search_kind)def->line_search) {
    case PLI_LINE_SEARCH_WOLFE: return PLI_SEARCH_WOLFE;
    case PLI_LINE_SEARCH_BACKTRACKING: return PLI_SEARCH_BACKTRACKING;
    case PLI_LINE_SEARCH_NONE: return PLI_SEARCH_NONE;
    case PLI_LINE_SEARCH_AUTO: break;
    }
    return kind->search;
}

// Without inertia conjugate gradients take thousands of iterations for what one factorisation does,
// until that is too large.
static bool wants_factor(const pli_solver_kind *kind, int32_t vertices_at_rest)
{
    enum { MOST_VERTICES = 20000 };
    bool at_rest = vertices_at_rest > 0 && vertices_at_rest <= MOST_VERTICES;
    return kind->direct_at_rest && at_rest && pli_cholesky_is_available();
}

static pli_linear_solver_kind choose_linear(const pli_solver_kind *kind, const pli_solver_def *def,
                                            int32_t vertices_at_rest)
{
    switch ((pli_linear_kind)def->linear) {
    case PLI_LINEAR_PCG: return PLI_SOLVER_PCG;
    case PLI_LINEAR_MINRES: return PLI_SOLVER_MINRES;
    case PLI_LINEAR_CHOLESKY: return PLI_SOLVER_CHOLESKY;
    case PLI_LINEAR_MULTIGRID: return PLI_SOLVER_MULTIGRID;
    case PLI_LINEAR_AUTO: break;
    }
    if (wants_factor(kind, vertices_at_rest)) return PLI_SOLVER_CHOLESKY;
    return kind->linear;
}

// A V-cycle has block Jacobi beside it for matrices that it cannot take.
static void choose_preconditioner(const pli_solver_kind *kind, const pli_solver_def *def,
                                  pli_solver_parts *parts)
{
    static const pli_precondition_kind kinds_of_scenes[] = {
        [PLI_PRECONDITIONER_NONE] = PLI_PRECONDITION_NONE,
        [PLI_PRECONDITIONER_JACOBI] = PLI_PRECONDITION_JACOBI,
        [PLI_PRECONDITIONER_BLOCK_JACOBI] = PLI_PRECONDITION_BLOCK_JACOBI,
        [PLI_PRECONDITIONER_SGS] = PLI_PRECONDITION_GAUSS_SEIDEL,
        [PLI_PRECONDITIONER_MULTIGRID] = PLI_PRECONDITION_BLOCK_JACOBI,
    };
    bool given = def->preconditioner != PLI_PRECONDITIONER_AUTO;
    parts->preconditioner = given ? kinds_of_scenes[def->preconditioner] : kind->preconditioner;
    parts->multigrid =
        given ? def->preconditioner == PLI_PRECONDITIONER_MULTIGRID : kind->multigrid;
}

pli_solver_parts pli_solver_parts_choose(const pli_solver_kind *kind, const pli_solver_def *def,
                                         int32_t vertices_at_rest)
{
    pli_solver_parts parts = {.search = choose_search(kind, def)};
    parts.needs_hierarchy =
        pli_solver_has(kind, PLI_KEEPS_MATRIX) && kind->lifted == PLI_LIFTED_MULTIGRID;
    if (!pli_solver_has(kind, PLI_TAKES_PARTS)) return parts;
    parts.linear = choose_linear(kind, def, vertices_at_rest);
    choose_preconditioner(kind, def, &parts);
    bool iterates = parts.linear == PLI_SOLVER_PCG || parts.linear == PLI_SOLVER_MINRES;
    parts.multigrid = parts.multigrid && iterates;
    parts.needs_hierarchy = parts.multigrid || parts.linear == PLI_SOLVER_MULTIGRID;
    return parts;
}

const pli_stepper_ops *pli_solver_choose_stepper(const pli_model *model)
{
    const pli_solver_kind *kind = model->solver_kind;
    return model->matter != NULL ? kind->of_particles : kind->of_meshes;
}

// Notes which sections of the scene's keys a solver does not look at.
static void list_unused(const pli_solver_kind *kind, pli_solver_info *info)
{
    const struct {
        const char *section;
        bool is_used;
    } known[] = {{"multigrid", kind->of_meshes != NULL},
                 {"chebyshev", kind->accelerated},
                 {"subspace", kind->subspace},
                 {"steps", kind->minimizer == NULL},
                 {"grid", kind->grid != NULL}};
    int32_t count = 0;
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        if (!known[k].is_used) info->unused[count++] = known[k].section;
    }
}

bool pli_solver_info_get(int32_t index, pli_solver_info *info)
{
    if (index < 0 || index >= KIND_COUNT) return false;
    const pli_solver_kind *kind = &kinds[index];
    bool meshes = kind->of_meshes != NULL;
    bool particles = kind->of_particles != NULL;
    *info = (pli_solver_info){.name = kind->info.name,
                              .doc = kind->info.doc,
                              .source = kind->info.source,
                              .takes = meshes && particles ? "both"
                                       : meshes            ? "meshes"
                                                           : "particles"};
    list_unused(kind, info);
    return true;
}
