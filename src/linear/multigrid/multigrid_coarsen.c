// SPDX-License-Identifier: Apache-2.0
//
// Galerkin coarsening block by block. With links that say q_i = T_i Q of the parent, the coarse
// block of two parents is the sum of T_i^T A_ij T_j over their children (Xian et al. 2019, equation
// 7). Rows of coarse blocks are summed in parallel, each by one thread and in the order of the
// children.
#include "linear/multigrid/multigrid_inside.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linear/matrix/bcsr_pattern.h"

#include <string.h>

enum {
    ROW_GRAIN = 4,   // coarse rows that are worth a thread
    GROUPED_ROW = 64 // longest coarse row whose sums are grouped
};

void pli_mg_get_link(const pli_interpolation_map *transfer, int64_t link, double data[5])
{
    const double *place = transfer->place + 4 * link;
    double w = transfer->weight != NULL ? transfer->weight[link] : 1;
    for (int k = 0; k < 3; ++k) data[k] = w * place[k];
    data[3] = w;
    data[4] = w * place[3];
}

// ---- pattern

// Links sorted by coarse nodes, children increasing.
static pli_status build_children(pli_context *context, const pli_interpolation_map *transfer,
                                 pli_mg_level *level)
{
    int32_t n = transfer->coarse_count;
    level->child_start = PLI_NEW(context, int64_t, (int64_t)n + 1, "children");
    level->child = PLI_NEW(context, int32_t, transfer->link_count, "children");
    level->child_link = PLI_NEW(context, int64_t, transfer->link_count, "children");
    int64_t *next = PLI_NEW(context, int64_t, n, "children");
    pli_status status = PLI_ERROR_MEMORY;
    if (level->child_start == NULL || level->child == NULL || level->child_link == NULL ||
        next == NULL) {
        goto done;
    }
    for (int64_t link = 0; link < transfer->link_count; ++link) {
        ++level->child_start[transfer->parent[link] + 1];
    }
    for (int32_t node = 0; node < n; ++node) {
        level->child_start[node + 1] += level->child_start[node];
        next[node] = level->child_start[node];
    }
    for (int32_t node = 0; node < transfer->fine_count; ++node) {
        for (int64_t link = transfer->start[node]; link < transfer->start[node + 1]; ++link) {
            int64_t at = next[transfer->parent[link]]++;
            level->child[at] = node;
            level->child_link[at] = link;
        }
    }
    status = PLI_OK;

done:
    pli_release(context, next);
    return status;
}

// Counts, or with `columns` lists in no order, the coarse nodes that a coarse node is coupled to.
static int64_t visit_row(const pli_mg_level *level, const pli_interpolation_map *transfer,
                         const pli_mg_matrix *fine, int32_t node, int32_t *mark, int32_t *columns)
{
    int64_t count = 0;
    int32_t stamp = 2 * node + (columns != NULL ? 2 : 1);
    for (int64_t c = level->child_start[node]; c < level->child_start[node + 1]; ++c) {
        int32_t child = level->child[c];
        for (int64_t k = fine->row_start[child]; k < fine->row_start[child + 1]; ++k) {
            int32_t other = fine->column[k];
            for (int64_t l = transfer->start[other]; l < transfer->start[other + 1]; ++l) {
                int32_t parent = transfer->parent[l];
                if (mark[parent] == stamp) continue;
                mark[parent] = stamp;
                if (columns != NULL) columns[count] = parent;
                ++count;
            }
        }
    }
    return count;
}

static int64_t find_block(const pli_mg_level *level, int32_t row, int32_t column)
{
    return pli_pattern_find(level->own_row_start, level->own_column, row, column);
}

static pli_status build_pattern(pli_context *context, const pli_interpolation_map *transfer,
                                const pli_mg_matrix *fine, pli_mg_level *level)
{
    int32_t n = level->node_count;
    pli_status status = PLI_ERROR_MEMORY;
    int32_t *mark = PLI_NEW(context, int32_t, n, "coarse pattern");
    level->own_row_start = PLI_NEW(context, int64_t, (int64_t)n + 1, "coarse pattern");
    level->own_diagonal = PLI_NEW(context, int64_t, n, "coarse pattern");
    if (mark == NULL || level->own_row_start == NULL || level->own_diagonal == NULL) goto done;
    for (int32_t node = 0; node < n; ++node) {
        level->own_row_start[node + 1] =
            level->own_row_start[node] + visit_row(level, transfer, fine, node, mark, NULL);
    }
    int64_t count = level->own_row_start[n];
    level->own_column = PLI_NEW(context, int32_t, count, "coarse pattern");
    level->own_values =
        PLI_NEW(context, double, count * level->size * level->size, "coarse matrix");
    if (level->own_column == NULL || level->own_values == NULL) goto done;
    for (int32_t node = 0; node < n; ++node) {
        int32_t *columns = level->own_column + level->own_row_start[node];
        pli_pattern_sort(columns, visit_row(level, transfer, fine, node, mark, columns));
        level->own_diagonal[node] = find_block(level, node, node);
    }
    level->natural = (pli_mg_matrix){n,
                                     level->size,
                                     count,
                                     level->own_row_start,
                                     level->own_diagonal,
                                     level->own_column,
                                     level->own_values};
    status = PLI_OK;

done:
    pli_release(context, mark);
    return status;
}

typedef struct coarsen_job {
    pli_mg_level *level;
    const pli_mg_matrix *fine;
    const pli_interpolation_map *transfer;
    const uint8_t *mask; // of vertices; NULL: nothing is held, or the finer level is coarse, too
    int32_t fine_rows;
} coarsen_job;

static void find_targets_range(void *user, int64_t begin, int64_t end)
{
    const coarsen_job *job = user;
    const pli_interpolation_map *transfer = job->transfer;
    for (int64_t node = begin; node < end; ++node) {
        bool has_parent = transfer->start[node + 1] > transfer->start[node];
        int32_t row = has_parent ? transfer->parent[transfer->start[node]] : -1;
        for (int64_t k = job->fine->row_start[node]; k < job->fine->row_start[node + 1]; ++k) {
            int32_t other = job->fine->column[k];
            bool linked = has_parent && transfer->start[other + 1] > transfer->start[other];
            job->level->target[k] =
                linked
                    ? (int32_t)find_block(job->level, row, transfer->parent[transfer->start[other]])
                    : -1;
        }
    }
}

pli_status pli_mg_coarsen_create(pli_multigrid *mg, int32_t index)
{
    pli_context *context = mg->context;
    pli_mg_level *level = &mg->levels[index];
    const pli_mg_matrix *fine = &mg->levels[index - 1].natural;
    const pli_interpolation_map *transfer = &mg->hierarchy->transfers[index - 1];
    PLI_TRY(build_children(context, transfer, level));
    PLI_TRY(build_pattern(context, transfer, fine, level));
    int64_t gram = 3 * (int64_t)level->node_count * level->rows * level->rows;
    PLI_TRY(PLI_MAKE(context, level->gram, gram, "Gram matrices"));
    PLI_TRY(PLI_MAKE(context, level->null, gram, "null spaces"));
    if (!pli_interpolation_map_is_piecewise(transfer)) return PLI_OK;
    PLI_TRY(PLI_MAKE(context, level->target, fine->block_count, "coarse places"));
    coarsen_job job = {.level = level, .fine = fine, .transfer = transfer};
    pli_parallel_for(context, fine->node_count, 1024, find_targets_range, &job);
    return PLI_OK;
}

void pli_mg_coarsen_clear(pli_context *context, pli_mg_level *level)
{
    PLI_RELEASE(context, level->own_row_start, level->own_diagonal, level->own_column,
                level->own_values, level->target, level->child_start, level->child,
                level->child_link, level->gram, level->null);
}

// ---- values

// T of a link: finer row k as a combination of coarse rows
static void fill_transfer(int32_t fine_rows, int32_t coarse_rows, const double link[5],
                          double T[16])
{
    memset(T, 0, 16 * sizeof *T);
    double *last = T + 4 * (fine_rows - 1);
    if (coarse_rows == 1) {
        last[0] = link[3];
        return;
    }
    for (int k = 0; k < 4; ++k) last[k] = link[k];
    for (int k = 0; k < 3 && fine_rows == 4; ++k) T[4 * k + k] = link[4];
}

void pli_mg_add_congruent(int32_t e, int32_t fine_rows, int32_t coarse_rows, const double link_i[5],
                          const double link_j[5], const double *A, double *C)
{
    double Ti[16];
    double Tj[16];
    double half[PLI_MG_BLOCK]; // A T_j: [fine_rows e][coarse_rows e]
    int32_t fine = fine_rows * e;
    int32_t coarse = coarse_rows * e;
    fill_transfer(fine_rows, coarse_rows, link_i, Ti);
    fill_transfer(fine_rows, coarse_rows, link_j, Tj);
    memset(half, 0, (size_t)(fine * coarse) * sizeof *half);
    for (int32_t r = 0; r < fine; ++r) {
        for (int32_t l = 0; l < fine_rows; ++l) {
            for (int32_t L = 0; L < coarse_rows; ++L) {
                double t = Tj[4 * l + L];
                if (t == 0) continue;
                for (int32_t d = 0; d < e; ++d) {
                    half[coarse * r + e * L + d] += t * A[fine * r + e * l + d];
                }
            }
        }
    }
    for (int32_t k = 0; k < fine_rows; ++k) {
        for (int32_t K = 0; K < coarse_rows; ++K) {
            double t = Ti[4 * k + K];
            if (t == 0) continue;
            const double *from = half + coarse * e * k;
            double *to = C + coarse * e * K;
            for (int32_t m = 0; m < coarse * e; ++m) to[m] += t * from[m];
        }
    }
}

// Diagonal block of a vertex without its held coordinates.
static const double *free_block(const coarsen_job *job, int32_t vertex, const double *A, int32_t e,
                                double copy[9])
{
    uint8_t held = job->mask[vertex];
    if (held == 0) return A;
    for (int32_t r = 0; r < e; ++r) {
        for (int32_t c = 0; c < e; ++c) {
            bool taken = e == 1 ? held == 7 : (held >> r & 1) != 0 || (held >> c & 1) != 0;
            copy[e * r + c] = taken ? 0 : A[e * r + c];
        }
    }
    return copy;
}

// Block k of the finer matrix, which lies in the row of this finer node.
static const double *fine_block(const coarsen_job *job, int32_t node, int64_t k, double copy[9])
{
    const pli_mg_matrix *fine = job->fine;
    const double *A = fine->values + k * fine->size * fine->size;
    if (job->mask == NULL || fine->column[k] != node) return A;
    return free_block(job, node, A, fine->size, copy);
}

// Numbers of a sum over the children of one coarse column: four rows of a link times nine of a
// block, each nine as three fours.
enum { GROUP_SUM = 48 };

// sum [R][12] += P_l A for the rows l of a link
static inline void add_to_group(const double *A, const double *P, int32_t e, int32_t R, double *sum)
{
    double a[12] = {0};
    for (int32_t m = 0; m < e * e; ++m) a[m] = A[m];
    for (int32_t l = 0; l < R; ++l) {
        for (int32_t m = 0; m < (e == 1 ? 1 : 12); ++m) sum[12 * l + m] += P[l] * a[m];
    }
}

// C [(R e)^2] += P_k sum_l at the rows k and columns l
static inline void spread_group(const double *sum, const double *P, int32_t e, int32_t R, double *C)
{
    double wide[36]; // [e][R e]
    for (int32_t c = 0; c < e; ++c) {
        for (int32_t l = 0; l < R; ++l) {
            for (int32_t d = 0; d < e; ++d) wide[R * e * c + e * l + d] = sum[12 * l + e * c + d];
        }
    }
    for (int32_t k = 0; k < R; ++k) {
        for (int32_t m = 0; m < R * e * e; ++m) C[R * e * e * k + m] += P[k] * wide[m];
    }
}

// Sums of a row of blocks with vertices below, grouped: A_ij T_j is summed over the j of one coarse
// column first, and multiplied by T_i^T once for all of them. A vertex with several parents counts
// for the column of each.
static inline __attribute__((always_inline)) void
add_vertex_row(const coarsen_job *job, int32_t row, int32_t vertex, const double link_i[5],
               int32_t e, int32_t R, double *sums, int32_t *listed)
{
    const pli_mg_level *level = job->level;
    const pli_interpolation_map *transfer = job->transfer;
    int32_t count = 0;
    for (int64_t k = job->fine->row_start[vertex]; k < job->fine->row_start[vertex + 1]; ++k) {
        double copy[9];
        const double *A = fine_block(job, vertex, k, copy);
        int32_t other = job->fine->column[k];
        for (int64_t link = transfer->start[other]; link < transfer->start[other + 1]; ++link) {
            double link_j[5];
            pli_mg_get_link(transfer, link, link_j);
            int32_t slot = 0;
            while (slot < count && listed[slot] != transfer->parent[link]) ++slot;
            double *sum = sums + (int64_t)slot * GROUP_SUM;
            if (slot == count) {
                listed[count++] = transfer->parent[link];
                memset(sum, 0, GROUP_SUM * sizeof *sum);
            }
            add_to_group(A, R == 1 ? link_j + 3 : link_j, e, R, sum);
        }
    }
    for (int32_t slot = 0; slot < count; ++slot) {
        int64_t at = find_block(level, row, listed[slot]);
        double *C = level->own_values + at * level->size * level->size;
        spread_group(sums + (int64_t)slot * GROUP_SUM, R == 1 ? link_i + 3 : link_i, e, R, C);
    }
}

// The same for any links and any finer nodes.
static void add_row(const coarsen_job *job, int32_t row, int32_t node, const double link_i[5],
                    int32_t e)
{
    const pli_mg_level *level = job->level;
    const pli_interpolation_map *transfer = job->transfer;
    for (int64_t k = job->fine->row_start[node]; k < job->fine->row_start[node + 1]; ++k) {
        double copy[9];
        const double *A = fine_block(job, node, k, copy);
        int32_t other = job->fine->column[k];
        for (int64_t link = transfer->start[other]; link < transfer->start[other + 1]; ++link) {
            double link_j[5];
            pli_mg_get_link(transfer, link, link_j);
            int64_t at = level->target != NULL ? level->target[k]
                                               : find_block(level, row, transfer->parent[link]);
            pli_mg_add_congruent(e, job->fine_rows, level->rows, link_i, link_j, A,
                                 level->own_values + at * level->size * level->size);
        }
    }
}

// Rows of children stand far apart: asks for the beginning of one before it is needed.
static void prefetch_row(const pli_mg_matrix *fine, int32_t node)
{
    enum { LINES = 16, LINE = 8 }; // doubles in a line of the cache
    int64_t block = (int64_t)fine->size * fine->size;
    const double *begin = fine->values + block * fine->row_start[node];
    const double *end = fine->values + block * fine->row_start[node + 1];
    for (int k = 0; k < LINES && begin < end; ++k, begin += LINE) __builtin_prefetch(begin);
}

static void sum_rows(void *user, int64_t begin, int64_t end)
{
    const coarsen_job *job = user;
    pli_mg_level *level = job->level;
    int64_t block = (int64_t)level->size * level->size;
    int32_t e = level->lifted ? 1 : 3;
    double sums[GROUPED_ROW * GROUP_SUM];
    int32_t listed[GROUPED_ROW];
    for (int64_t row = begin; row < end; ++row) {
        int64_t first = level->own_row_start[row];
        int64_t length = level->own_row_start[row + 1] - first;
        bool grouped = job->fine_rows == 1 && length <= GROUPED_ROW;
        memset(level->own_values + block * first, 0,
               (size_t)(block * length) * sizeof *level->own_values);
        for (int64_t c = level->child_start[row]; c < level->child_start[row + 1]; ++c) {
            double link[5];
            if (c + 1 < level->child_start[row + 1]) prefetch_row(job->fine, level->child[c + 1]);
            pli_mg_get_link(job->transfer, level->child_link[c], link);
            if (grouped && level->rows == 4 && e == 3) {
                add_vertex_row(job, (int32_t)row, level->child[c], link, 3, 4, sums, listed);
            } else if (grouped && level->rows == 4) {
                add_vertex_row(job, (int32_t)row, level->child[c], link, 1, 4, sums, listed);
            } else if (grouped && e == 3) {
                add_vertex_row(job, (int32_t)row, level->child[c], link, 3, 1, sums, listed);
            } else if (grouped) {
                add_vertex_row(job, (int32_t)row, level->child[c], link, 1, 1, sums, listed);
            } else {
                add_row(job, (int32_t)row, level->child[c], link, e);
            }
        }
    }
}

void pli_mg_coarsen_values(pli_multigrid *mg, int32_t index, const uint8_t *mask)
{
    coarsen_job job = {.level = &mg->levels[index],
                       .fine = &mg->levels[index - 1].natural,
                       .transfer = &mg->hierarchy->transfers[index - 1],
                       .mask = index == 1 ? mask : NULL,
                       .fine_rows = mg->levels[index - 1].rows};
    pli_parallel_for(mg->context, job.level->node_count, ROW_GRAIN, sum_rows, &job);
}
