// SPDX-License-Identifier: Apache-2.0
#include "linear/multigrid/multigrid_inside.h"

#include "math/simd.h"

#include <math.h>
#include <string.h>

enum {
    ROW_GRAIN = 1024, // rows of a vector that are worth a thread
    COARSE_GRAIN = 8, // coarse nodes that are worth one
    TAKE_AHEAD = 12   // blocks that are asked for before they are taken
};

#define REAL float
#define LANE int32_t
#define NAME(name) name##_single
#define TABLE pli_mg_kernels_single
#include "linear/multigrid/multigrid_kernel.inl"
#undef REAL
#undef LANE
#undef NAME
#undef TABLE

#define REAL double
#define LANE int64_t
#define NAME(name) name##_double
#define TABLE pli_mg_kernels_double
#include "linear/multigrid/multigrid_kernel.inl"
#undef REAL
#undef LANE
#undef NAME
#undef TABLE
