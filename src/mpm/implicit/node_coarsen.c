// SPDX-License-Identifier: Apache-2.0
//
// Coarse matrices P^T A P, row by row of the fine one, each of which is read once.
//
// The columns come first: row i of Y = A P. P is a product of weights along the three axes and the
// slots of a row are a cube, so that Y comes from three passes, planes first, rows next, single
// blocks last, all of which are sums of a few long runs of numbers with weights. Along an axis a
// row of even place and reach 2 has 3 coarse columns and one of odd place 4 (linear embedding). Y
// is then added to the rows of the parents of i, at a place in their cubes of slots that is known:
// nothing is searched.
//
// The rows of a block are taken after each other, so that the coarse rows of its parents, 27 for
// linear embedding, stay in the second cache; families, and not blocks, are what is done at a time,
// so that a coarse row is seldom taken up again.
#include "mpm/implicit/node_multigrid_inside.h"

#include "base/parallel.h"
#include "math/mat3.h"

#include <string.h>

enum {
    FAMILY_GRAIN = 1,
    MOST_SIDE = 2 * PLI_NODE_REACH + 1,
    MOST_TERMS = 5,   // fine columns that have a coarse one as a parent
    MOST_COLUMNS = 6, // coarse columns of a row along an axis
    SLOTS_WORK = MOST_COLUMNS * MOST_SIDE * MOST_SIDE
};

// One coarse column along an axis: the sum of fine ones with weights.
typedef struct column_sum {
    int32_t count;
    int32_t from[MOST_TERMS]; // places of slots
    double weights[MOST_TERMS];
} column_sum;

// The coarse columns along an axis of rows of one parity.
typedef struct column_sums {
    int32_t count;
    int32_t first; // over half the place of the row
    column_sum columns[MOST_COLUMNS];
} column_sums;

typedef struct coarsen_job {
    const pli_embedding *embedding;
    const pli_node_level *level;
    pli_ell *matrix;
    column_sums sums[2]; // by parity of the row
    int32_t first;       // family of the loop
} coarsen_job;

// Half of a whole number, rounded down.
static int32_t half(int32_t n)
{
    return n >> 1;
}

static void set_sums(const pli_embedding *embedding, int32_t reach, int32_t parity,
                     column_sums *sums)
{
    *sums = (column_sums){.first = half(parity - reach)};
    sums->first += embedding->parity[(parity - reach) & 1].shift;
    for (int32_t k = 0; k < pli_node_side(reach); ++k) {
        int32_t j = parity - reach + k;
        const pli_node_parents *parents = &embedding->parity[j & 1];
        for (int32_t p = 0; p < parents->count; ++p) {
            int32_t place = half(j) + parents->shift + p - sums->first;
            column_sum *column = &sums->columns[place];
            column->from[column->count] = k;
            column->weights[column->count++] = parents->weights[p];
            if (place >= sums->count) sums->count = place + 1;
        }
    }
}

// ---- columns

// out = sum of `count` runs of numbers with weights
__attribute__((always_inline)) static inline void sum_runs(int32_t count, const double *const *in,
                                                           const double *weights, int32_t length,
                                                           double *restrict out)
{
    for (int32_t e = 0; e < length; ++e) {
        double sum = weights[0] * in[0][e];
        for (int32_t k = 1; k < count; ++k) sum += weights[k] * in[k][e];
        out[e] = sum;
    }
}

// The same for runs that begin every `stride` numbers; with the count known the loop unrolls.
static inline void add_up(const column_sum *column, const double *in, int32_t stride,
                          int32_t length, double *restrict out)
{
    const double *runs[MOST_TERMS];
    for (int32_t k = 0; k < column->count; ++k) runs[k] = in + column->from[k] * stride;
    switch (column->count) {
    case 1: sum_runs(1, runs, column->weights, length, out); break;
    case 2: sum_runs(2, runs, column->weights, length, out); break;
    case 3: sum_runs(3, runs, column->weights, length, out); break;
    case 4: sum_runs(4, runs, column->weights, length, out); break;
    default: sum_runs(5, runs, column->weights, length, out); break;
    }
}

// Y [x][y][z][9] of a row [side][side][side][9] whose missing slots are zero.
static void sum_columns(const column_sums *const sums[3], int32_t side, const double *row,
                        double *restrict Y)
{
    double planes[9 * SLOTS_WORK], rows[9 * MOST_COLUMNS * MOST_SIDE];
    int32_t plane = 9 * side * side, line = 9 * side;
    for (int32_t x = 0; x < sums[0]->count; ++x) {
        add_up(&sums[0]->columns[x], row, plane, plane, planes + x * plane);
    }
    for (int32_t x = 0; x < sums[0]->count; ++x) {
        for (int32_t y = 0; y < sums[1]->count; ++y) {
            add_up(&sums[1]->columns[y], planes + x * plane, line, line, rows + y * line);
        }
        for (int32_t y = 0; y < sums[1]->count; ++y) {
            for (int32_t z = 0; z < sums[2]->count; ++z, Y += 9) {
                add_up(&sums[2]->columns[z], rows + y * line, 9, 9, Y);
            }
        }
    }
}

// ---- rows

// row += w Y where its columns stand in the cube of slots, from slot `first` on
static void add_columns(const column_sums *const sums[3], int32_t side, double w, const double *Y,
                        double *restrict row)
{
    int32_t length = 9 * sums[2]->count;
    for (int32_t x = 0; x < sums[0]->count; ++x) {
        for (int32_t y = 0; y < sums[1]->count; ++y, Y += length) {
            double *out = row + 9 * (x * side + y) * side;
            for (int32_t e = 0; e < length; ++e) out[e] += w * Y[e];
        }
    }
}

// Adds Y of the node at u, from the corner of the family, to the rows of its parents.
static void add_to_parents(const coarsen_job *job, const int32_t u[3], const int32_t *parents,
                           const column_sums *const sums[3], const double *Y)
{
    const pli_node_parents *p[3];
    int32_t from[3], side = pli_node_side(job->embedding->reach), box = job->embedding->box;
    for (int a = 0; a < 3; ++a) {
        p[a] = &job->embedding->parity[u[a] & 1];
        // slot of the first column in the row of the first parent
        from[a] = sums[a]->first - p[a]->shift + job->embedding->reach;
    }
    for (int32_t n = 0; n < p[0]->count * p[1]->count * p[2]->count; ++n) {
        int32_t z = n % p[2]->count, y = n / p[2]->count % p[1]->count;
        int32_t x = n / p[2]->count / p[1]->count;
        int32_t place = ((u[0] >> 1) + p[0]->shift + x) * box + (u[1] >> 1) + p[1]->shift + y;
        int64_t parent = parents[place * box + (u[2] >> 1) + p[2]->shift + z];
        int64_t slot = ((from[0] - x) * side + from[1] - y) * side + from[2] - z;
        double w = p[0]->weights[x] * p[1]->weights[y] * p[2]->weights[z];
        add_columns(sums, side, w, Y,
                    job->matrix->values + 9 * (parent * side * side * side + slot));
    }
}

// The row of a node with zeros where there is no neighbour, and T A T on the diagonal.
static const double *complete_row(const pli_node_level *level, int64_t node, double *copy)
{
    const pli_ell *matrix = level->matrix;
    int32_t present = 0;
    for (int32_t k = 0; k < level->mask_words; ++k) {
        present += __builtin_popcountll(level->present[node * level->mask_words + k]);
    }
    if (matrix->first == 0 && present == matrix->width && level->held[node] < 0) {
        return pli_ell_block(matrix, node, 0);
    }
    pli_ell_get_row(matrix, node, copy);
    if (level->held[node] >= 0) {
        const double *T = level->tangents + 9 * (int64_t)level->held[node];
        double *D = copy + 9 * matrix->center, TD[9];
        pli_mat3_multiply(T, D, TD);
        pli_mat3_multiply_transposed_right(TD, T, D);
    }
    return copy;
}

static void add_node(const coarsen_job *job, int64_t node, const int32_t u[3],
                     const int32_t *parents)
{
    if (pli_node_is_fixed(job->level, node)) return;
    double copy[9 * PLI_NODE_SLOTS], Y[9 * MOST_COLUMNS * MOST_COLUMNS * MOST_COLUMNS];
    const double *row = complete_row(job->level, node, copy);
    const column_sums *const sums[3] = {&job->sums[u[0] & 1], &job->sums[u[1] & 1],
                                        &job->sums[u[2] & 1]};
    sum_columns(sums, pli_node_side(job->level->reach), row, Y);
    add_to_parents(job, u, parents, sums, Y);
}

static void add_block(const coarsen_job *job, const pli_node_family *family,
                      const pli_node_block *block, const int32_t *parents)
{
    int64_t node = block->first;
    for (uint64_t rest = block->nodes; rest != 0; rest &= rest - 1, ++node) {
        int32_t bit = __builtin_ctzll(rest);
        const int32_t place[3] = {bit / 16, bit / 4 % 4, bit % 4};
        int32_t u[3];
        for (int a = 0; a < 3; ++a) u[a] = 4 * (block->at[a] - 2 * family->at[a]) + place[a];
        add_node(job, node, u, parents);
    }
}

static void add_families(void *user, int64_t begin, int64_t end)
{
    const coarsen_job *job = user;
    int32_t box = job->embedding->box;
    for (int64_t k = job->first + begin; k < job->first + end; ++k) {
        const pli_node_family *family = &job->level->families[k];
        const pli_node_block *blocks = job->level->grid->blocks + family->first;
        const int32_t *parents = job->level->parents + k * box * box * box;
        for (int32_t b = 0; b < family->count; ++b) add_block(job, family, &blocks[b], parents);
    }
}

void pli_embedding_coarsen(const pli_embedding *embedding, const pli_node_level *level,
                           pli_ell *matrix)
{
    coarsen_job job = {.embedding = embedding, .level = level, .matrix = matrix};
    for (int32_t parity = 0; parity < 2; ++parity) {
        set_sums(embedding, level->reach, parity, &job.sums[parity]);
    }
    for (int c = 0; c < PLI_NODE_COLORS; ++c) {
        job.first = level->family_start[c];
        pli_parallel_for(level->context, level->family_start[c + 1] - job.first, FAMILY_GRAIN,
                         add_families, &job);
    }
}
