// SPDX-License-Identifier: Apache-2.0
#include "multilevel/galerkin.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linear/direct/cholesky.h"
#include "math/simd.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = PLI_HANDLE_DOFS * PLI_HANDLE_DOFS, TILE = 9, ROW = PLI_HANDLE_ROWS * TILE };

// vertices whose sums are kept at a time, and those that a worker takes at once
enum { SLAB = 4096, VERTEX_GRAIN = 64 };

// of a handle's mean diagonal entry, on its diagonal; more, up to a limit, where rounding of a
// matrix with very different entries, or a cubature of too few elements, leaves it indefinite
static const double regularity = 1e-9;
static const double regularity_growth = 100;
static const double regularity_limit = 1e-2;

// A coupling of handles that the pattern does not have.
typedef struct contact_pair {
    int32_t row;
    int32_t column; // > row
} contact_pair;

struct pli_galerkin {
    pli_context *context;
    const pli_space *space;
    int32_t handle_count;
    pli_bcsr *K; // rows 4 i + k
    pli_cholesky *cholesky;
    bool is_exact;    // the factor has the least regularity
    int64_t *slot_of; // [handle_count][handle_count] first block of handles (i, j) in K; -1: none

    // handles that move a vertex or its neighbours, increasing, and sums of a slab of vertices
    int64_t *around_start; // [vertex_count + 1]
    int32_t *around;       // [around_start[vertex_count]]
    double *sums;          // [handles around a slab][4][9]  T of galerkin.h

    // what updates start from
    double *base;     // [block_count of K][9]  K of the last build, without extra blocks
    double *diagonal; // [vertex_count][9]  diagonal blocks of O at the last build

    // couplings by contacts alone
    int32_t *pair_of; // [handle_count][handle_count] 1 + place in pairs; 0: none
    int64_t pair_room;
    int64_t pair_count;
    contact_pair *pairs; // [pair_room]
    double *pair_values; // [pair_room][4][4][9]
};

// ---- handles around vertices

static int compare_handles(const void *a, const void *b)
{
    int32_t first = *(const int32_t *)a;
    int32_t second = *(const int32_t *)b;
    return (first > second) - (first < second);
}

// Handles of the vertices in a row of the pattern, each once, in order; returns how many. list has
// room for all their links.
static int32_t list_around(const pli_bases *bases, const pli_bcsr *S, int32_t vertex, int32_t *list)
{
    int32_t count = 0;
    for (int64_t slot = S->row_start[vertex]; slot < S->row_start[vertex + 1]; ++slot) {
        int32_t b = S->column[slot];
        for (int64_t at = bases->start[b]; at < bases->start[b + 1]; ++at) {
            int32_t k = 0;
            while (k < count && list[k] != bases->handle[at]) ++k;
            if (k == count) list[count++] = bases->handle[at];
        }
    }
    qsort(list, (size_t)count, sizeof *list, compare_handles);
    return count;
}

// Most links that a row of the pattern can have.
static int64_t count_links(const pli_bases *bases, const pli_bcsr *S)
{
    int64_t most = 0;
    for (int32_t vertex = 0; vertex < S->row_count; ++vertex) {
        int64_t links = 0;
        for (int64_t slot = S->row_start[vertex]; slot < S->row_start[vertex + 1]; ++slot) {
            links += bases->start[S->column[slot] + 1] - bases->start[S->column[slot]];
        }
        most = links > most ? links : most;
    }
    return most;
}

static int64_t largest_slab(const pli_galerkin *g, int32_t vertex_count)
{
    int64_t most = 0;
    for (int32_t first = 0; first < vertex_count; first += SLAB) {
        int32_t last = vertex_count - first < SLAB ? vertex_count : first + SLAB;
        int64_t rows = g->around_start[last] - g->around_start[first];
        most = rows > most ? rows : most;
    }
    return most;
}

static pli_status list_all_around(pli_galerkin *g, const pli_bcsr *S)
{
    const pli_bases *bases = g->space->bases;
    int32_t n = S->row_count;
    g->around_start = PLI_NEW(g->context, int64_t, n + 1, "handles around vertices");
    int32_t *list = PLI_NEW(g->context, int32_t, count_links(bases, S), "handles around a vertex");
    pli_status status = PLI_ERROR_MEMORY;
    if (g->around_start == NULL || list == NULL) goto done;
    for (int32_t vertex = 0; vertex < n; ++vertex) {
        g->around_start[vertex + 1] = g->around_start[vertex] + list_around(bases, S, vertex, list);
    }
    g->around = PLI_NEW(g->context, int32_t, g->around_start[n], "handles around vertices");
    g->sums = PLI_NEW(g->context, double, ROW *largest_slab(g, n), "sums over vertices");
    if (g->around == NULL || g->sums == NULL) goto done;
    for (int32_t vertex = 0; vertex < n; ++vertex) {
        int32_t count = list_around(bases, S, vertex, list);
        if (count == 0) continue;
        memcpy(g->around + g->around_start[vertex], list, (size_t)count * sizeof *list);
    }
    status = PLI_OK;

done:
    pli_release(g->context, list);
    return status;
}

// ---- the pattern

// Marks the handles that share a vertex or an edge of the pattern with a handle.
static void mark_neighbors(const pli_galerkin *g, int32_t handle, uint8_t *marked)
{
    const pli_space *space = g->space;
    for (int64_t at = space->start[handle]; at < space->start[handle + 1]; ++at) {
        int32_t a = space->vertex[at];
        for (int64_t k = g->around_start[a]; k < g->around_start[a + 1]; ++k) {
            marked[g->around[k]] = 1;
        }
    }
    marked[handle] = 1;
}

// Four rows of blocks for the handle, each with four columns for every marked one.
static int64_t list_rows(int32_t handle, int32_t count, const uint8_t *marked, int64_t at,
                         int64_t *row_start, int32_t *column)
{
    for (int32_t k = 0; k < PLI_HANDLE_ROWS; ++k) {
        row_start[PLI_HANDLE_ROWS * handle + k] = at;
        for (int32_t j = 0; j < count; ++j) {
            if (!marked[j]) continue;
            for (int32_t l = 0; l < PLI_HANDLE_ROWS; ++l) column[at++] = PLI_HANDLE_ROWS * j + l;
        }
    }
    return at;
}

static pli_status create_matrix(pli_galerkin *g)
{
    int32_t m = g->handle_count;
    pli_context *context = g->context;
    pli_status status = PLI_ERROR_MEMORY;
    int64_t *row_start = NULL;
    int32_t *column = NULL;
    uint8_t *marked = PLI_NEW(context, uint8_t, (int64_t)m * m, "couplings of handles");
    if (marked == NULL) goto done;
    int64_t total = 0;
    for (int32_t i = 0; i < m; ++i) {
        uint8_t *row = marked + (int64_t)i * m;
        mark_neighbors(g, i, row);
        for (int32_t j = 0; j < m; ++j) total += row[j];
    }
    row_start = PLI_NEW(context, int64_t, PLI_HANDLE_ROWS * (int64_t)m + 1, "coarse matrix");
    column = PLI_NEW(context, int32_t, PLI_HANDLE_ROWS * PLI_HANDLE_ROWS * total, "coarse matrix");
    if (row_start == NULL || column == NULL) goto done;
    int64_t at = 0;
    for (int32_t i = 0; i < m; ++i) {
        at = list_rows(i, m, marked + (int64_t)i * m, at, row_start, column);
    }
    row_start[PLI_HANDLE_ROWS * (int64_t)m] = at;
    status = pli_bcsr_create_from_rows(context, PLI_HANDLE_ROWS * m, row_start, column, &g->K);

done:
    PLI_RELEASE(context, column, row_start, marked);
    return status;
}

static pli_status find_slots(pli_galerkin *g)
{
    int32_t m = g->handle_count;
    PLI_TRY(PLI_MAKE(g->context, g->slot_of, (int64_t)m * m, "couplings of handles"));
    for (int32_t i = 0; i < m; ++i) {
        for (int32_t j = 0; j < m; ++j) {
            g->slot_of[(int64_t)i * m + j] =
                pli_bcsr_find(g->K, PLI_HANDLE_ROWS * i, PLI_HANDLE_ROWS * j);
        }
    }
    return PLI_OK;
}

// ---- creation

static pli_status build_symbolic(pli_galerkin *g, const pli_bcsr *S)
{
    PLI_TRY(list_all_around(g, S));
    PLI_TRY(create_matrix(g));
    PLI_TRY(find_slots(g));
    PLI_TRY(PLI_MAKE(g->context, g->pair_of, (int64_t)g->handle_count * g->handle_count,
                     "couplings of handles"));
    PLI_TRY(PLI_MAKE(g->context, g->base, TILE * g->K->block_count, "coarse matrix"));
    PLI_TRY(PLI_MAKE(g->context, g->diagonal, TILE * (int64_t)S->row_count, "diagonal blocks"));
    pli_cholesky_def def = {.order = PLI_CHOLESKY_ORDER_AUTO};
    return pli_cholesky_create(g->context, &def, g->K, &g->cholesky);
}

pli_status pli_galerkin_create(pli_context *context, const pli_space *space, const pli_bcsr *S,
                               pli_galerkin **galerkin)
{
    *galerkin = NULL;
    pli_galerkin *made = PLI_NEW(context, pli_galerkin, 1, "coarse matrix");
    if (made == NULL) return PLI_ERROR_MEMORY;
    *made = (pli_galerkin){
        .context = context, .space = space, .handle_count = space->bases->handle_count};
    pli_status status = build_symbolic(made, S);
    if (status != PLI_OK) {
        pli_galerkin_destroy(made);
        return status;
    }
    *galerkin = made;
    return PLI_OK;
}

void pli_galerkin_destroy(pli_galerkin *galerkin)
{
    if (galerkin == NULL) return;
    pli_context *context = galerkin->context;
    PLI_RELEASE(context, galerkin->pair_values, galerkin->pairs, galerkin->pair_of,
                galerkin->diagonal, galerkin->base, galerkin->sums, galerkin->around,
                galerkin->around_start, galerkin->slot_of);
    pli_cholesky_destroy(galerkin->cholesky);
    pli_bcsr_destroy(galerkin->K);
    pli_release(context, galerkin);
}

void pli_galerkin_begin(pli_galerkin *galerkin)
{
    pli_cholesky_begin(galerkin->cholesky);
}

const pli_bcsr *pli_galerkin_matrix(const pli_galerkin *galerkin)
{
    return galerkin->K;
}

// ---- couplings of the pattern

typedef struct row_job {
    pli_galerkin *galerkin;
    const pli_galerkin_matrices *H;
    int32_t first; // vertices of the slab
    int32_t last;
} row_job;

// Blocks of handles (i, j) in the first of the four rows; those of the others are a row's length
// apart. NULL: the pattern has none.
static double *find_blocks(const pli_galerkin *g, int32_t i, int32_t j, int64_t *stride)
{
    const pli_bcsr *K = g->K;
    int64_t slot = g->slot_of[(int64_t)i * g->handle_count + j];
    int32_t row = PLI_HANDLE_ROWS * i;
    *stride = TILE * (K->row_start[row + 1] - K->row_start[row]);
    return slot >= 0 ? K->values + TILE * slot : NULL;
}

// K_ij += s (x) T for a vertex, T [4][9]
static void add_outer(double *blocks, int64_t stride, const double s[PLI_HANDLE_ROWS],
                      const double *T)
{
    for (int k = 0; k < PLI_HANDLE_ROWS; ++k) {
        double *row = blocks + k * stride;
        for (int e = 0; e < ROW; ++e) row[e] += s[k] * T[e];
    }
}

// T_j(a) += H_ab (x) s_j(b) for all handles j of b; T follows the handles around a, each [9][4], so
// that the four numbers of s are one vector.
static void add_neighbor(const pli_galerkin *g, int32_t a, int32_t b, const double H[TILE],
                         double *T)
{
    const pli_bases *bases = g->space->bases;
    const int32_t *around = g->around + g->around_start[a];
    int64_t k = 0;
    for (int64_t at = bases->start[b]; at < bases->start[b + 1]; ++at) {
        // both lists increase
        while (around[k] != bases->handle[at]) ++k;
        double place[PLI_HANDLE_ROWS];
        pli_space_place(g->space, b, bases->handle[at], bases->weight[at], place);
        pli_d4 s = pli_d4_load(place);
        double *sums = T + ROW * k;
        for (int e = 0; e < TILE; ++e) {
            double *four = sums + PLI_HANDLE_ROWS * e;
            pli_d4_store(pli_d4_load(four) + s * H[e], four);
        }
    }
}

// Turns finished sums of a vertex from [9][4] to [4][9].
static void turn_sums(int64_t count, double *T)
{
    for (int64_t k = 0; k < count; ++k) {
        double turned[ROW];
        for (int l = 0; l < PLI_HANDLE_ROWS; ++l) {
            for (int e = 0; e < TILE; ++e) {
                turned[TILE * l + e] = T[ROW * k + PLI_HANDLE_ROWS * e + l];
            }
        }
        memcpy(T + ROW * k, turned, sizeof turned);
    }
}

// Sums of the slab's vertices that some handle moves.
static void sum_vertices(void *user, int64_t begin, int64_t end)
{
    const row_job *job = user;
    const pli_galerkin *g = job->galerkin;
    const pli_bcsr *S = job->H->S;
    const pli_bcsr *O = job->H->O;
    for (int32_t a = job->first + (int32_t)begin; a < job->first + (int32_t)end; ++a) {
        int64_t count = g->around_start[a + 1] - g->around_start[a];
        double *T = g->sums + ROW * (g->around_start[a] - g->around_start[job->first]);
        memset(T, 0, ROW * (size_t)count * sizeof *T);
        for (int64_t slot = S->row_start[a]; slot < S->row_start[a + 1]; ++slot) {
            add_neighbor(g, a, S->column[slot], S->values + TILE * slot, T);
        }
        double block[TILE];
        pli_space_free_block(g->space, a, O->values + TILE * O->diagonal[a], block);
        add_neighbor(g, a, a, block, T);
        turn_sums(count, T);
    }
}

// The place of the first vertex >= vertex in the list of a handle.
static int64_t find_vertex(const pli_space *space, int32_t handle, int32_t vertex)
{
    int64_t low = space->start[handle];
    int64_t high = space->start[handle + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (space->vertex[middle] < vertex) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// What the slab adds to the rows of a handle, columns from its own on.
static void add_handle_row(const row_job *job, int32_t i)
{
    const pli_galerkin *g = job->galerkin;
    const pli_space *space = g->space;
    int64_t end = find_vertex(space, i, job->last);
    for (int64_t at = find_vertex(space, i, job->first); at < end; ++at) {
        int32_t a = space->vertex[at];
        double s[PLI_HANDLE_ROWS];
        pli_space_place(space, a, i, space->weight[at], s);
        for (int64_t k = g->around_start[a]; k < g->around_start[a + 1]; ++k) {
            if (g->around[k] < i) continue;
            int64_t stride;
            double *blocks = find_blocks(g, i, g->around[k], &stride);
            add_outer(blocks, stride, s, g->sums + ROW * (k - g->around_start[job->first]));
        }
    }
}

static void add_handle_rows(void *user, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; ++i) add_handle_row(user, (int32_t)i);
}

// Right half of U^T H U without extra blocks.
static void add_patterns(pli_galerkin *g, const pli_galerkin_matrices *H)
{
    int32_t n = H->S->row_count;
    for (int32_t first = 0; first < n; first += SLAB) {
        row_job job = {g, H, first, n - first < SLAB ? n : first + SLAB};
        pli_parallel_for(g->context, job.last - first, VERTEX_GRAIN, sum_vertices, &job);
        pli_parallel_for(g->context, g->handle_count, 1, add_handle_rows, &job);
    }
}

// Copies what is right of the diagonal to the left.
static void mirror_rows(void *user, int64_t begin, int64_t end)
{
    pli_bcsr *K = ((const row_job *)user)->galerkin->K;
    for (int64_t row = PLI_HANDLE_ROWS * begin; row < PLI_HANDLE_ROWS * end; ++row) {
        for (int64_t slot = K->row_start[row]; slot < K->row_start[row + 1]; ++slot) {
            int32_t column = K->column[slot];
            if (column / PLI_HANDLE_ROWS >= row / PLI_HANDLE_ROWS) break;
            const double *from = K->values + TILE * pli_bcsr_find(K, column, (int32_t)row);
            double *to = K->values + TILE * slot;
            for (int e = 0; e < TILE; ++e) to[e] = from[3 * (e % 3) + e / 3];
        }
    }
}

// ---- couplings by contacts

static pli_status grow_pairs(pli_galerkin *g)
{
    int64_t room = g->pair_count + g->pair_count / 2 + 64;
    contact_pair *pairs = PLI_NEW(g->context, contact_pair, room, "couplings of handles");
    double *values = PLI_NEW(g->context, double, BLOCK *room, "couplings of handles");
    if (pairs == NULL || values == NULL) {
        PLI_RELEASE(g->context, values, pairs);
        return PLI_ERROR_MEMORY;
    }
    if (g->pair_count > 0) {
        memcpy(pairs, g->pairs, (size_t)g->pair_count * sizeof *pairs);
        memcpy(values, g->pair_values, BLOCK * (size_t)g->pair_count * sizeof *values);
    }
    PLI_RELEASE(g->context, g->pairs, g->pair_values);
    g->pairs = pairs;
    g->pair_values = values;
    g->pair_room = room;
    return PLI_OK;
}

// Where the blocks of handles row < column are that the pattern does not have.
static pli_status find_pair(pli_galerkin *g, int32_t row, int32_t column, double **blocks)
{
    int32_t *place = g->pair_of + (int64_t)row * g->handle_count + column;
    if (*place == 0) {
        if (g->pair_count == g->pair_room) PLI_TRY(grow_pairs(g));
        g->pairs[g->pair_count] = (contact_pair){row, column};
        memset(g->pair_values + BLOCK * g->pair_count, 0, BLOCK * sizeof(double));
        *place = (int32_t)++g->pair_count;
    }
    *blocks = g->pair_values + BLOCK * (int64_t)(*place - 1);
    return PLI_OK;
}

// K_ij += s_i s_j^T (x) B for one block of vertices; i <= j.
static pli_status add_coupling(pli_galerkin *g, int32_t i, int32_t j, const double *s_i,
                               const double *s_j, const double B[TILE])
{
    int64_t stride;
    double *blocks = find_blocks(g, i, j, &stride);
    if (blocks == NULL) {
        PLI_TRY(find_pair(g, i, j, &blocks));
        stride = PLI_HANDLE_ROWS * TILE;
    }
    double T[PLI_HANDLE_ROWS * TILE];
    for (int k = 0; k < PLI_HANDLE_ROWS; ++k) {
        for (int e = 0; e < TILE; ++e) T[TILE * k + e] = s_j[k] * B[e];
    }
    add_outer(blocks, stride, s_i, T);
    return PLI_OK;
}

// All handles of both vertices of a block, as far as the column is not before the row: the
// block's mirror gives the rest.
static pli_status add_vertex_block(pli_galerkin *g, const pli_extra_block *block)
{
    const pli_bases *bases = g->space->bases;
    for (int64_t p = bases->start[block->row]; p < bases->start[block->row + 1]; ++p) {
        double s_i[PLI_HANDLE_ROWS];
        int32_t i = bases->handle[p];
        pli_space_place(g->space, block->row, i, bases->weight[p], s_i);
        for (int64_t q = bases->start[block->column]; q < bases->start[block->column + 1]; ++q) {
            double s_j[PLI_HANDLE_ROWS];
            int32_t j = bases->handle[q];
            if (j < i) continue;
            pli_space_place(g->space, block->column, j, bases->weight[q], s_j);
            PLI_TRY(add_coupling(g, i, j, s_i, s_j, block->values));
        }
    }
    return PLI_OK;
}

// Puts the blocks of a pair and their mirrors beside the pattern.
static void place_pair(pli_galerkin *g, int64_t pair)
{
    int32_t row = PLI_HANDLE_ROWS * g->pairs[pair].row;
    int32_t column = PLI_HANDLE_ROWS * g->pairs[pair].column;
    const double *blocks = g->pair_values + BLOCK * pair;
    for (int k = 0; k < PLI_HANDLE_ROWS; ++k) {
        for (int l = 0; l < PLI_HANDLE_ROWS; ++l) {
            const double *B = blocks + TILE * (PLI_HANDLE_ROWS * k + l);
            double mirror[TILE];
            for (int e = 0; e < TILE; ++e) mirror[e] = B[3 * (e % 3) + e / 3];
            bool placed = pli_bcsr_add_block(g->K, row + k, column + l, B) &&
                          pli_bcsr_add_block(g->K, column + l, row + k, mirror);
            PLI_ASSERT(g->context, placed); // room was reserved
            (void)placed;
        }
    }
}

// ---- the factor

static void regularize(pli_galerkin *g, double share)
{
    for (int32_t i = 0; i < g->handle_count; ++i) {
        double sum = 0;
        for (int k = 0; k < PLI_HANDLE_ROWS; ++k) {
            const double *D = g->K->values + TILE * g->K->diagonal[PLI_HANDLE_ROWS * i + k];
            sum += D[0] + D[4] + D[8];
        }
        double shift = sum > 0 ? share * sum / PLI_HANDLE_DOFS : 1;
        for (int k = 0; k < PLI_HANDLE_ROWS; ++k) {
            double *D = g->K->values + TILE * g->K->diagonal[PLI_HANDLE_ROWS * i + k];
            for (int c = 0; c < 3; ++c) D[4 * c] += shift;
        }
    }
}

pli_status pli_galerkin_build(pli_galerkin *galerkin, const pli_galerkin_matrices *H,
                              bool *definite)
{
    pli_bcsr_set_zero(galerkin->K);
    add_patterns(galerkin, H);
    memcpy(galerkin->base, galerkin->K->values,
           TILE * (size_t)galerkin->K->block_count * sizeof(double));
    pli_bcsr_get_diagonal_blocks(H->O, galerkin->diagonal);
    return pli_galerkin_update(galerkin, H->O, definite);
}

// What the diagonal block of a vertex has become more than it was; false: nothing.
static bool find_change(const pli_galerkin *g, const pli_bcsr *O, int32_t vertex,
                        double change[TILE])
{
    const double *now = O->values + TILE * O->diagonal[vertex];
    const double *then = g->diagonal + TILE * (int64_t)vertex;
    bool any = false;
    for (int e = 0; e < TILE; ++e) {
        change[e] = now[e] - then[e];
        any = any || change[e] != 0;
    }
    return any;
}

pli_status pli_galerkin_update(pli_galerkin *g, const pli_bcsr *O, bool *definite)
{
    *definite = false;
    pli_bcsr_set_zero(g->K); // extra blocks, too
    memcpy(g->K->values, g->base, TILE * (size_t)g->K->block_count * sizeof(double));
    for (int64_t k = 0; k < g->pair_count; ++k) {
        g->pair_of[(int64_t)g->pairs[k].row * g->handle_count + g->pairs[k].column] = 0;
    }
    g->pair_count = 0;

    // diagonal blocks that have changed, and blocks of vertices in contact
    for (int32_t vertex = 0; vertex < O->row_count; ++vertex) {
        pli_extra_block block = {.row = vertex, .column = vertex};
        if (find_change(g, O, vertex, block.values)) PLI_TRY(add_vertex_block(g, &block));
    }
    for (int64_t k = 0; k < O->extra.count; ++k) {
        PLI_TRY(add_vertex_block(g, O->extra.blocks + k));
    }
    row_job job = {.galerkin = g};
    pli_parallel_for(g->context, g->handle_count, 1, mirror_rows, &job);
    PLI_TRY(pli_bcsr_reserve_extra(g->K, 2 * PLI_HANDLE_ROWS * PLI_HANDLE_ROWS * g->pair_count));
    for (int64_t k = 0; k < g->pair_count; ++k) place_pair(g, k);
    pli_bcsr_close_extra(g->K);

    for (double share = regularity; !*definite && share < regularity_limit;
         share *= regularity_growth) {
        regularize(g, share);
        PLI_TRY(pli_cholesky_factor(g->cholesky, g->K, 0, definite));
        g->is_exact = *definite && share == regularity;
    }
    return PLI_OK;
}

bool pli_galerkin_is_exact(const pli_galerkin *galerkin)
{
    return galerkin->is_exact;
}

static void solve(const void *self, const double *r, double *z)
{
    const pli_galerkin *g = self;
    pli_status status = pli_cholesky_solve(g->cholesky, 1, r, z);
    PLI_ASSERT(g->context, status == PLI_OK); // there is a factor
    (void)status;
}

pli_operator pli_galerkin_operator(const pli_galerkin *galerkin)
{
    return (pli_operator){
        .size = pli_space_size(galerkin->space), .self = galerkin, .apply = solve};
}
