// SPDX-License-Identifier: Apache-2.0
//
// Symmetric Gauss-Seidel on the nodes of a level.
//
// With L, D and U the parts of A before, on and after the diagonal in the order of the sweep, a
// half sweep forwards leaves t = L x behind; the half sweep backwards takes it from there and reads
// U alone (Conrad and Wallach 1979). From a zero start the forward half needs L alone. After the
// backward half b - t - D x - U x is zero in every row, so the residual is t - L x with the final
// x. A cycle therefore reads the matrix three times instead of five: L, U and L before the coarse
// correction, all of it and U after.
//
// Order: blocks by colours, the nodes of a block in theirs. Blocks of a colour are further apart
// than a row reaches, so that they are swept at the same time.
//
// L and U are slots of the matrix, or copies in single precision (node_triangle.h).
#include "mpm/implicit/node_multigrid_inside.h"

#include "base/parallel.h"
#include "linear/matrix/block_kernel.h"
#include "linear/matrix/dense.h"
#include "math/mat3.h"

#include <string.h>

enum { BLOCK_GRAIN = 1, ROW_GRAIN = 64 };

// ---- order

// Block in which a place along an axis is, seen from the block of the places 0 to 3: -1, 0 or 1.
static int32_t block_step(int32_t place)
{
    return (place >= PLI_NODE_EDGE) - (place < 0);
}

// Whether the neighbour in a slot is swept before a node.
static bool is_before(int32_t reach, int32_t color, int32_t node, int32_t slot)
{
    int32_t side = pli_node_side(reach);
    int32_t x = block_step(node / 16 + slot / side / side - reach);
    int32_t y = block_step(node / 4 % 4 + slot / side % side - reach);
    int32_t z = block_step(node % 4 + slot % side - reach);
    // the next block along an axis has the other parity
    int32_t other = color ^ (4 * (x != 0) + 2 * (y != 0) + (z != 0));
    return other == color ? slot < side * side * side / 2 : other < color;
}

void pli_sweep_masks_build(int32_t reach, pli_sweep_masks *masks)
{
    int32_t side = pli_node_side(reach);
    memset(masks, 0, sizeof *masks);
    for (int32_t color = 0; color < PLI_NODE_COLORS; ++color) {
        for (int32_t node = 0; node < PLI_NODE_BLOCK_NODES; ++node) {
            uint64_t *lower = masks->lower[color][node];
            for (int32_t slot = 0; slot < side * side * side; ++slot) {
                if (is_before(reach, color, node, slot)) lower[slot / 64] |= 1ull << (slot % 64);
            }
        }
    }
}

// ---- rows

// Which slots of a row: those of `mask` or all but those, where there is a column.
static inline uint64_t pick_slots(const pli_node_level *level, int64_t row, const uint64_t *mask,
                                  bool is_upper, int32_t word)
{
    uint64_t present = level->present[row * level->mask_words + word];
    if (!is_upper) return present & mask[word];
    int32_t center = level->matrix->center;
    uint64_t diagonal = word == center / 64 ? 1ull << (center % 64) : 0;
    return present & ~mask[word] & ~diagonal;
}

// y = sum of A_s x_s over the slots of one side of the diagonal; the row that comes `next` is on
// its way to the cache meanwhile
static inline void multiply_slots(const pli_node_level *level, int64_t row, const uint64_t *mask,
                                  bool is_upper, int64_t next, const double *x, double y[3])
{
    const pli_ell *matrix = level->matrix;
    const int32_t *column = matrix->column + row * matrix->width;
    const double *values = matrix->values + 9 * row * matrix->width;
    int64_t ahead = 9 * next * matrix->width;
    pli_block_sum sum = {0};
    for (int32_t k = 0; k < level->mask_words; ++k) {
        uint64_t rest = pick_slots(level, row, mask, is_upper, k);
        for (; rest != 0; rest &= rest - 1) {
            int64_t slot = 64 * k + __builtin_ctzll(rest);
            __builtin_prefetch(values + 9 * slot + ahead);
            pli_block_sum_add(&sum, values + 9 * slot, x + 3 * (int64_t)column[slot]);
        }
    }
    pli_block_sum_get(&sum, y);
}

// y = row of L times x
static inline void multiply_lower(const pli_node_level *level, int64_t row, const uint64_t *mask,
                                  const double *x, double y[3])
{
    if (level->is_single) {
        pli_node_triangle_multiply(&level->lower, row, false, x, y);
    } else {
        multiply_slots(level, row, mask, false, 1, x, y);
    }
}

// y = row of U times x; next: 1 forwards, -1 backwards
static inline void multiply_upper(const pli_node_level *level, int64_t row, const uint64_t *mask,
                                  int64_t next, const double *x, double y[3])
{
    if (level->is_single) {
        pli_node_triangle_multiply(&level->upper, row, next < 0, x, y);
    } else {
        multiply_slots(level, row, mask, true, next, x, y);
    }
}

// ---- half sweeps

typedef struct sweep_job {
    const pli_node_level *level;
    const pli_sweep_masks *masks;
    const double *b;
    double *x;
    double *r;
    int32_t color;
} sweep_job;

// What a half sweep does in one row.
typedef void (*row_fn)(const sweep_job *job, int64_t row, const uint64_t *mask);

// x = D^-1 (b - t - s)
static inline void relax(const sweep_job *job, int64_t row, const double t[3], const double s[3])
{
    double rest[3];
    for (int c = 0; c < 3; ++c) rest[c] = job->b[3 * row + c] - t[c] - s[c];
    double x[3];
    pli_mat3_apply(job->level->inverse + 9 * row, rest, x);
    memcpy(job->x + 3 * row, x, sizeof x);
}

static inline void begin_row(const sweep_job *job, int64_t row, const uint64_t *mask)
{
    static const double nothing[3] = {0, 0, 0};
    double *t = job->level->t + 3 * row;
    multiply_lower(job->level, row, mask, job->x, t);
    relax(job, row, t, nothing);
}

static inline void forward_row(const sweep_job *job, int64_t row, const uint64_t *mask)
{
    double s[3], *t = job->level->t + 3 * row;
    multiply_upper(job->level, row, mask, 1, job->x, s);
    multiply_lower(job->level, row, mask, job->x, t);
    relax(job, row, t, s);
}

static inline void backward_row(const sweep_job *job, int64_t row, const uint64_t *mask)
{
    double s[3];
    multiply_upper(job->level, row, mask, -1, job->x, s);
    relax(job, row, job->level->t + 3 * row, s);
}

static inline void residual_row(const sweep_job *job, int64_t row, const uint64_t *mask)
{
    double s[3];
    multiply_lower(job->level, row, mask, job->x, s);
    pli_vec3_subtract(job->level->t + 3 * row, s, job->r + 3 * row);
}

__attribute__((always_inline)) static inline void
sweep_block(const sweep_job *job, const pli_node_block *block, int32_t color, row_fn body)
{
    int64_t row = block->first;
    for (uint64_t rest = block->nodes; rest != 0; rest &= rest - 1, ++row) {
        body(job, row, job->masks->lower[color][__builtin_ctzll(rest)]);
    }
}

__attribute__((always_inline)) static inline void
sweep_block_back(const sweep_job *job, const pli_node_block *block, int32_t color, row_fn body)
{
    int64_t row = block->first + __builtin_popcountll(block->nodes);
    for (uint64_t rest = block->nodes; rest != 0;) {
        int32_t bit = 63 - __builtin_clzll(rest);
        rest ^= 1ull << bit;
        body(job, --row, job->masks->lower[color][bit]);
    }
}

static const pli_node_block *block_of(const sweep_job *job, int64_t k)
{
    const pli_node_grid *grid = job->level->grid;
    return &grid->blocks[grid->by_color[grid->color_start[job->color] + k]];
}

static void begin_blocks(void *user, int64_t begin, int64_t end)
{
    const sweep_job *job = user;
    for (int64_t k = begin; k < end; ++k) {
        sweep_block(job, block_of(job, k), job->color, begin_row);
    }
}

static void forward_blocks(void *user, int64_t begin, int64_t end)
{
    const sweep_job *job = user;
    for (int64_t k = begin; k < end; ++k) {
        sweep_block(job, block_of(job, k), job->color, forward_row);
    }
}

static void backward_blocks(void *user, int64_t begin, int64_t end)
{
    const sweep_job *job = user;
    for (int64_t k = begin; k < end; ++k) {
        sweep_block_back(job, block_of(job, k), job->color, backward_row);
    }
}

static int32_t color_of(const pli_node_block *block)
{
    return 4 * (block->at[0] & 1) + 2 * (block->at[1] & 1) + (block->at[2] & 1);
}

static void residual_blocks(void *user, int64_t begin, int64_t end)
{
    const sweep_job *job = user;
    for (int64_t k = begin; k < end; ++k) {
        const pli_node_block *block = &job->level->grid->blocks[k];
        sweep_block(job, block, color_of(block), residual_row);
    }
}

static void sweep_color(sweep_job *job, int32_t color, pli_range_fn body)
{
    const pli_node_grid *grid = job->level->grid;
    job->color = color;
    pli_parallel_for(job->level->context, grid->color_start[color + 1] - grid->color_start[color],
                     BLOCK_GRAIN, body, job);
}

static void sweep_before(const pli_node_level *level, const pli_sweep_masks *masks, const double *b,
                         double *x, double *r)
{
    sweep_job job = {.level = level, .masks = masks, .b = b, .x = x, .r = r};
    for (int32_t c = 0; c < PLI_NODE_COLORS; ++c) sweep_color(&job, c, begin_blocks);
    for (int32_t c = PLI_NODE_COLORS - 1; c >= 0; --c) sweep_color(&job, c, backward_blocks);
    pli_parallel_for(level->context, level->grid->block_count, BLOCK_GRAIN, residual_blocks, &job);
}

static void sweep_after(const pli_node_level *level, const pli_sweep_masks *masks, const double *b,
                        double *x)
{
    sweep_job job = {.level = level, .masks = masks, .b = b, .x = x};
    for (int32_t c = 0; c < PLI_NODE_COLORS; ++c) sweep_color(&job, c, forward_blocks);
    for (int32_t c = PLI_NODE_COLORS - 1; c >= 0; --c) sweep_color(&job, c, backward_blocks);
}

const pli_node_smoother_ops pli_node_sweep_ops = {
    .can_be_single = true, .before = sweep_before, .after = sweep_after};

// ---- triangles

typedef struct pack_job {
    pli_node_level *level;
    const pli_sweep_masks *masks;
} pack_job;

// Numbers of blocks on both sides of the diagonal, kept one row further.
static void count_blocks(void *user, int64_t begin, int64_t end)
{
    const pack_job *job = user;
    pli_node_level *level = job->level;
    for (int64_t b = begin; b < end; ++b) {
        const pli_node_block *block = &level->grid->blocks[b];
        int64_t row = block->first;
        for (uint64_t rest = block->nodes; rest != 0; rest &= rest - 1, ++row) {
            const uint64_t *mask = job->masks->lower[color_of(block)][__builtin_ctzll(rest)];
            int64_t lower = 0, upper = 0;
            for (int32_t k = 0; k < level->mask_words; ++k) {
                lower += __builtin_popcountll(pick_slots(level, row, mask, false, k));
                upper += __builtin_popcountll(pick_slots(level, row, mask, true, k));
            }
            level->lower.start[row + 1] = lower;
            level->upper.start[row + 1] = upper;
        }
    }
}

// Blocks of a row to both triangles. What a sweep has just computed comes last in both, the upper
// of which is read from its end, so that it is not waited for.
static void pack_row(pli_node_level *level, int64_t row, const uint64_t *mask)
{
    const pli_ell *matrix = level->matrix;
    const int32_t *column = matrix->column + row * matrix->width;
    double copy[9 * PLI_NODE_SLOTS], *values = copy;
    if (matrix->first > 0) {
        pli_ell_get_row(matrix, row, copy);
    } else {
        values = pli_ell_block(matrix, row, 0);
    }
    pli_node_triangle *const triangles[2] = {&level->upper, &level->lower};
    int64_t place[2] = {level->upper.start[row], level->lower.start[row]};
    for (int32_t k = 0; k < level->mask_words; ++k) {
        uint64_t rest = level->present[row * level->mask_words + k];
        for (; rest != 0; rest &= rest - 1) {
            int32_t bit = __builtin_ctzll(rest), slot = 64 * k + bit;
            if (slot == matrix->center) continue;
            int is_lower = (int)(mask[k] >> bit & 1);
            const pli_node_triangle *out = triangles[is_lower];
            int64_t to = place[is_lower]++;
            out->column[to] = column[slot];
            for (int e = 0; e < 9; ++e) {
                out->values[9 * to + e] = (float)values[9 * slot + e % 3 * 3 + e / 3];
            }
        }
    }
}

static void pack_blocks(void *user, int64_t begin, int64_t end)
{
    const pack_job *job = user;
    for (int64_t b = begin; b < end; ++b) {
        const pli_node_block *block = &job->level->grid->blocks[b];
        int64_t row = block->first;
        for (uint64_t rest = block->nodes; rest != 0; rest &= rest - 1, ++row) {
            const uint64_t *mask = job->masks->lower[color_of(block)][__builtin_ctzll(rest)];
            pack_row(job->level, row, mask);
        }
    }
}

// Room for starts first, since they say how many blocks there are.
static pli_status count_triangles(pack_job *job)
{
    pli_node_level *level = job->level;
    pli_context *context = level->context;
    int64_t rows = level->grid->count;
    PLI_TRY(pli_node_triangle_reserve(context, &level->lower, rows, 0));
    PLI_TRY(pli_node_triangle_reserve(context, &level->upper, rows, 0));
    pli_parallel_for(context, level->grid->block_count, BLOCK_GRAIN, count_blocks, job);
    level->lower.start[0] = level->upper.start[0] = 0;
    for (int64_t row = 0; row < rows; ++row) {
        level->lower.start[row + 1] += level->lower.start[row];
        level->upper.start[row + 1] += level->upper.start[row];
    }
    PLI_TRY(pli_node_triangle_reserve(context, &level->lower, rows, level->lower.start[rows]));
    return pli_node_triangle_reserve(context, &level->upper, rows, level->upper.start[rows]);
}

pli_status pli_node_level_pack(pli_node_level *level, const pli_sweep_masks *masks)
{
    pack_job job = {level, masks};
    level->is_single = false;
    PLI_TRY(count_triangles(&job));
    pli_parallel_for(level->context, level->grid->block_count, BLOCK_GRAIN, pack_blocks, &job);
    level->is_single = true;
    return PLI_OK;
}

// ---- diagonal blocks

static void invert_range(void *user, int64_t begin, int64_t end)
{
    pli_node_level *level = user;
    const pli_ell *matrix = level->matrix;
    for (int64_t row = begin; row < end; ++row) {
        double W[6], full[9], half[9];
        double *inverse = level->inverse + 9 * row;
        (void)pli_dense3_safe_factor(pli_ell_block(matrix, row, matrix->center), W);
        pli_dense3_inverse(W, inverse);
        if (level->held[row] < 0) continue;
        // T D^-1 T
        const double *T = level->tangents + 9 * (int64_t)level->held[row];
        pli_mat3_copy(inverse, full);
        pli_mat3_multiply(T, full, half);
        pli_mat3_multiply_transposed_right(half, T, inverse);
    }
}

void pli_node_level_invert(pli_node_level *level)
{
    pli_parallel_for(level->context, level->grid->count, ROW_GRAIN, invert_range, level);
}
