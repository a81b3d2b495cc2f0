// SPDX-License-Identifier: Apache-2.0
//
// Diagonal blocks of all levels and their inverses, and what blocks on the diagonal of a lifted
// matrix do to them.
//
// A block D_i at a vertex adds T_i^T D_i T_i to the diagonal block of its parent, and so on
// upwards: with one parent for each node nothing off the diagonal changes. (With several parents
// the sum over their pairs is replaced by the one over parents, with w instead of w^2, which is
// never less.) Every update starts from the matrices without blocks, so that nothing accumulates.
#include "linear/multigrid/multigrid_inside.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linear/matrix/dense.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum { NODE_GRAIN = 32 };

// inverse = A^-1 of a symmetric positive definite matrix of 1 or 3 rows; false: it is none.
static bool invert_small(int32_t n, const double *A, double *inverse)
{
    double W[6];
    if (n == 1) {
        inverse[0] = 1 / A[0];
        return A[0] > 0 && isfinite(inverse[0]);
    }
    if (!pli_dense3_factor(A, W)) return false;
    pli_dense3_inverse(W, inverse);
    return true;
}

// The same for n <= 12 rows.
static bool invert(int32_t n, const double *A, double *inverse)
{
    if (n <= 3) return invert_small(n, A, inverse);
    double L[PLI_MG_BLOCK];
    double W[PLI_MG_BLOCK]; // L^-1, lower triangle
    double limit = 0;
    for (int32_t k = 0; k < n; ++k) limit = fmax(limit, A[(n + 1) * k]);
    limit *= 1e-14;
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j <= i; ++j) {
            double sum = 0.5 * (A[n * i + j] + A[n * j + i]);
            for (int32_t k = 0; k < j; ++k) sum -= L[n * i + k] * L[n * j + k];
            if (i == j && !(sum > limit)) return false;
            L[n * i + j] = i == j ? sqrt(sum) : sum / L[(n + 1) * j];
        }
    }
    for (int32_t j = 0; j < n; ++j) {
        W[(n + 1) * j] = 1 / L[(n + 1) * j];
        for (int32_t i = j + 1; i < n; ++i) {
            double sum = 0;
            for (int32_t k = j; k < i; ++k) sum -= L[n * i + k] * W[n * k + j];
            W[n * i + j] = sum / L[(n + 1) * i];
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j <= i; ++j) {
            double sum = 0;
            for (int32_t k = i; k < n; ++k) sum += W[n * k + i] * W[n * k + j];
            inverse[n * i + j] = inverse[n * j + i] = sum;
        }
    }
    return isfinite(inverse[0]);
}

// ---- diagonals

void pli_mg_get_diagonal(const pli_mg_level *level, int32_t node, double *block)
{
    const pli_mg_matrix *natural = &level->natural;
    int32_t count = level->size * level->size;
    memcpy(block, natural->values + natural->diagonal[node] * count, (size_t)count * sizeof *block);
    if (level->null != NULL) pli_mg_regularize(level, node, block);
    int32_t patch = level->patches.of_node != NULL ? level->patches.of_node[node] : -1;
    if (patch < 0) return;
    const double *isotropic = level->patches.isotropic + (int64_t)patch * count;
    for (int32_t k = 0; k < count; ++k) block[k] += isotropic[k];
}

static bool take_diagonal(const pli_mg_kernels *kernels, pli_mg_level *level, int32_t node)
{
    double block[PLI_MG_BLOCK];
    double inverse[PLI_MG_BLOCK];
    int32_t place = level->order->place_of_node[node];
    pli_mg_get_diagonal(level, node, block);
    if (!invert(level->size, block, inverse)) return false;
    kernels->take_block(level->size, block, level->diagonal, place);
    kernels->take_block(level->size, inverse, level->inverse, place);
    return true;
}

typedef struct diagonal_job {
    const pli_mg_kernels *kernels;
    pli_mg_level *level;
} diagonal_job;

// number of nodes that failed
static double take_range(void *user, int64_t begin, int64_t end)
{
    const diagonal_job *job = user;
    double failed = 0;
    for (int64_t node = begin; node < end; ++node) {
        if (!take_diagonal(job->kernels, job->level, (int32_t)node)) failed = 1;
    }
    return failed;
}

bool pli_mg_take_diagonals(pli_multigrid *mg, pli_mg_level *level)
{
    diagonal_job job = {mg->kernels, level};
    return !(pli_parallel_max(mg->context, level->node_count, NODE_GRAIN, take_range, &job) > 0);
}

// ---- patches

pli_status pli_mg_patches_create(pli_context *context, pli_mg_level *level)
{
    pli_mg_patches *patches = &level->patches;
    PLI_TRY(PLI_MAKE(context, patches->of_node, level->node_count, "patches"));
    PLI_TRY(PLI_MAKE(context, patches->of_place, level->node_count, "patches"));
    for (int32_t k = 0; k < level->node_count; ++k) patches->of_node[k] = patches->of_place[k] = -1;
    return PLI_OK;
}

void pli_mg_patches_clear(pli_context *context, pli_mg_patches *patches)
{
    PLI_RELEASE(context, patches->node, patches->is_full, patches->isotropic, patches->block,
                patches->of_node, patches->of_place, patches->diagonal, patches->inverse,
                patches->former);
    *patches = (pli_mg_patches){0};
}

// An array of another length with the old content; NULL when there is no memory, the old one stays.
static void *regrow(pli_context *context, const void *old, size_t old_bytes, size_t bytes)
{
    unsigned char *made = PLI_NEW(context, unsigned char, (int64_t)bytes, "patches");
    if (made != NULL && old_bytes > 0) memcpy(made, old, old_bytes);
    return made;
}

// Room for at least `count` patches.
static pli_status reserve(pli_context *context, const pli_mg_kernels *kernels, pli_mg_level *level,
                          int32_t count)
{
    pli_mg_patches *patches = &level->patches;
    if (count <= patches->capacity) return PLI_OK;
    int32_t wanted = count + count / 2 + 8;
    if (wanted > level->node_count) wanted = level->node_count;
    size_t square = (size_t)(level->rows * level->rows);
    struct {
        void **array;
        size_t bytes;
    } arrays[] = {{(void **)&patches->node, sizeof(int32_t)},
                  {(void **)&patches->is_full, sizeof(bool)},
                  {(void **)&patches->isotropic, square * sizeof(double)},
                  {(void **)&patches->block, 9 * square * sizeof(double)},
                  // kernels read a number beyond the end
                  {&patches->diagonal, 9 * square * kernels->real_bytes},
                  {&patches->inverse, 9 * square * kernels->real_bytes},
                  {(void **)&patches->former, sizeof(int32_t)}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
        void *made = regrow(context, *arrays[k].array, (size_t)patches->capacity * arrays[k].bytes,
                            (size_t)wanted * arrays[k].bytes + 64);
        if (made == NULL) return PLI_ERROR_MEMORY;
        pli_release(context, *arrays[k].array);
        *arrays[k].array = made;
    }
    patches->capacity = wanted;
    return PLI_OK;
}

// The patch of a node, made when it has none. There must be room.
static int32_t get_patch(pli_mg_level *level, int32_t node)
{
    pli_mg_patches *patches = &level->patches;
    if (patches->of_node[node] >= 0) return patches->of_node[node];
    int32_t square = level->rows * level->rows;
    int32_t patch = patches->count++;
    patches->of_node[node] = patch;
    patches->node[patch] = node;
    patches->is_full[patch] = false;
    memset(patches->isotropic + (int64_t)patch * square, 0, (size_t)square * sizeof(double));
    memset(patches->block + 9 * (int64_t)patch * square, 0, 9 * (size_t)square * sizeof(double));
    return patch;
}

// Forgets all patches of a level and remembers where they were.
static void forget(pli_mg_level *level)
{
    pli_mg_patches *patches = &level->patches;
    patches->former_count = patches->count;
    for (int32_t k = 0; k < patches->count; ++k) {
        int32_t node = patches->node[k];
        patches->former[k] = node;
        patches->of_node[node] = -1;
        patches->of_place[level->order->place_of_node[node]] = -1;
    }
    patches->count = 0;
    patches->full_count = 0;
}

static void place_vertex_patches(const pli_lifted *matrix, pli_mg_level *finest)
{
    for (int32_t k = 0; k < matrix->block_count; ++k) {
        int32_t row = matrix->block_row[k];
        const double *D = matrix->blocks + 9 * (int64_t)k;
        if (matrix->held[row]) continue;
        int32_t patch = get_patch(finest, row);
        if (pli_mat3_is_isotropic(D)) {
            finest->patches.isotropic[patch] += D[0];
        } else {
            finest->patches.is_full[patch] = true;
            double *block = finest->patches.block + 9 * (int64_t)patch;
            for (int m = 0; m < 9; ++m) block[m] += D[m];
        }
    }
}

// Patches of a coarse level from those of the finer one.
static void place_coarse_patches(const pli_interpolation_map *transfer, const pli_mg_level *fine,
                                 pli_mg_level *coarse)
{
    const pli_mg_patches *from = &fine->patches;
    pli_mg_patches *to = &coarse->patches;
    int32_t fine_square = fine->rows * fine->rows;
    int32_t square = coarse->rows * coarse->rows;
    for (int32_t k = 0; k < from->count; ++k) {
        int32_t node = from->node[k];
        for (int64_t l = transfer->start[node]; l < transfer->start[node + 1]; ++l) {
            int32_t patch = get_patch(coarse, transfer->parent[l]);
            double link[5];
            double other[5];
            pli_mg_get_link(transfer, l, link);
            for (int m = 0; m < 5; ++m) other[m] = link[3] > 0 ? link[m] / link[3] : 0;
            pli_mg_add_congruent(1, fine->rows, coarse->rows, link, other,
                                 from->isotropic + (int64_t)k * fine_square,
                                 to->isotropic + (int64_t)patch * square);
            if (!from->is_full[k]) continue;
            to->is_full[patch] = true;
            pli_mg_add_congruent(3, fine->rows, coarse->rows, link, other,
                                 from->block + 9 * (int64_t)k * fine_square,
                                 to->block + 9 * (int64_t)patch * square);
        }
    }
}

// The full diagonal block of a patch and its inverse.
static bool take_full_patch(const pli_mg_kernels *kernels, pli_mg_level *level, int32_t patch)
{
    pli_mg_patches *patches = &level->patches;
    int32_t rows = level->rows;
    int32_t full = 3 * rows;
    double lifted[16];
    double block[PLI_MG_BLOCK];
    double inverse[PLI_MG_BLOCK];
    pli_mg_get_diagonal(level, patches->node[patch], lifted);
    memcpy(block, patches->block + 9 * (int64_t)patch * rows * rows,
           (size_t)(full * full) * sizeof *block);
    for (int32_t k = 0; k < rows; ++k) {
        for (int32_t l = 0; l < rows; ++l) {
            for (int c = 0; c < 3; ++c)
                block[full * (3 * k + c) + 3 * l + c] += lifted[rows * k + l];
        }
    }
    if (!invert(full, block, inverse)) return false;
    kernels->take_block(full, block, patches->diagonal, patch);
    kernels->take_block(full, inverse, patches->inverse, patch);
    patches->of_place[level->order->place_of_node[patches->node[patch]]] = patch;
    ++patches->full_count;
    return true;
}

// Diagonals of the nodes that have a patch or had one.
static bool take_patches(const pli_mg_kernels *kernels, pli_mg_level *level)
{
    pli_mg_patches *patches = &level->patches;
    bool definite = true;
    for (int32_t k = 0; k < patches->former_count; ++k) {
        definite = take_diagonal(kernels, level, patches->former[k]) && definite;
    }
    for (int32_t k = 0; k < patches->count; ++k) {
        definite = take_diagonal(kernels, level, patches->node[k]) && definite;
        if (patches->is_full[k]) definite = take_full_patch(kernels, level, k) && definite;
    }
    return definite;
}

void pli_mg_patches_forget(pli_multigrid *mg)
{
    for (int32_t index = 0; index < mg->level_count; ++index) forget(&mg->levels[index]);
}

pli_status pli_mg_patches_update(pli_multigrid *mg, bool *definite)
{
    // room first, so that a failure changes nothing
    int32_t most = mg->lifted->block_count;
    for (int32_t index = 0; index < mg->level_count; ++index) {
        pli_mg_level *level = &mg->levels[index];
        int32_t count = most < level->node_count ? most : level->node_count;
        PLI_TRY(reserve(mg->context, mg->kernels, level, count));
        if (index + 1 < mg->level_count) {
            const pli_interpolation_map *transfer = &mg->hierarchy->transfers[index];
            if (transfer->link_count > transfer->fine_count) most = INT32_MAX; // several parents
        }
    }
    *definite = true;
    for (int32_t index = 0; index < mg->level_count; ++index) {
        pli_mg_level *level = &mg->levels[index];
        forget(level);
        if (index == 0) {
            place_vertex_patches(mg->lifted, level);
        } else {
            place_coarse_patches(&mg->hierarchy->transfers[index - 1], level - 1, level);
        }
        *definite = take_patches(mg->kernels, level) && *definite;
    }
    return PLI_OK;
}
