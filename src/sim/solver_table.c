// SPDX-License-Identifier: Apache-2.0
#include "sim/solver_table.h"

#include <string.h>

static const pli_solver_kind kinds[] = {
    {
        .info = {"newton",
                 "Newton as a minimiser: inexact conjugate gradients that stop at indefiniteness, "
                 "downhill test, strong Wolfe line search",
                 "Gast et al. 2015, section 3.1"},
        .safeguard = true,
        .constrains = true,
        .best_guess = true,
        .search = PLI_SEARCH_WOLFE,
        .linear = PLI_SOLVER_PCG,
        .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
    },
    {
        .info = {"newton-plain",
                 "Newton as a root finder: full steps, no definiteness fix; fails at large steps, "
                 "kept for comparison",
                 "baseline of Gast et al. 2015, figures 1 to 4"},
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
        .projected = true,
        .safeguard = true,
        .constrains = true,
        .best_guess = true,
        .search = PLI_SEARCH_BACKTRACKING,
        .linear = PLI_SOLVER_PCG,
        .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
    },
    {
        .info = {"pn-sgs",
                 "projected Newton with conjugate gradients preconditioned by coloured symmetric "
                 "Gauss-Seidel",
                 "Wang et al. 2020, supplement table 3"},
        .projected = true,
        .safeguard = true,
        .constrains = true,
        .best_guess = true,
        .search = PLI_SEARCH_BACKTRACKING,
        .linear = PLI_SOLVER_PCG,
        .preconditioner = PLI_PRECONDITION_GAUSS_SEIDEL,
    },
    {
        .info = {"ipc-pcg",
                 "projected Newton for barriers: conjugate gradients with block Jacobi, steps that "
                 "keep surfaces apart, ends when steps are small",
                 "Li et al. 2020, algorithm 1; Trusty et al. 2024, IPC-PCG"},
        .projected = true,
        .safeguard = true,
        .judges_steps = true,
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
                 "Li et al. 2020, algorithm 1; Trusty et al. 2024, IPC-LLT"},
        .projected = true,
        .safeguard = true,
        .judges_steps = true,
        .best_guess = true,
        .linear_tolerance = 1e-10,
        .search = PLI_SEARCH_BACKTRACKING,
        .linear = PLI_SOLVER_CHOLESKY,
        .preconditioner = PLI_PRECONDITION_NONE,
    },
};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

const pli_solver_kind *pli_solver_kind_find(const char *name, bool barrier)
{
    if (strcmp(name, "auto") == 0) name = barrier ? "ipc-pcg" : "newton";
    for (int32_t k = 0; k < KIND_COUNT; ++k) {
        if (strcmp(kinds[k].info.name, name) == 0) return &kinds[k];
    }
    return NULL;
}

int32_t pli_solver_info_count(void)
{
    return KIND_COUNT;
}

const pli_solver_info *pli_solver_info_get(int32_t index)
{
    return &kinds[index].info;
}
