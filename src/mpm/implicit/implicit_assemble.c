// SPDX-License-Identifier: Apache-2.0
//
// The matrix of particles, cell by cell, as a product of two small dense matrices.
//
// Nodes of a cell that differ in z alone form a run; their blocks stand one behind the other in a
// row of the matrix, 9 x 3 numbers with quadratic splines. With B = F A F^T, whose second and
// fourth index are axes of the grid,
//
//   K_ij = sum_pb (grad w_ip)_b T_pb,j,     T_pb,j = sum_d B_ab,cd (grad w_jp)_d
//
// so for all particles p of the cell and b = x, y, z together the nodes i of a run and the blocks
// of a run of nodes j are a product: (3 x terms) times (terms x 27). It is formed in registers, 21
// vectors of four, and then added to the three rows of the matrix.
//
// T is made a run at a time too: a gradient is a product of weights along the axes, so that of a
// run is its factor along x and y times a pattern that all runs share,
//
//   T_pb,(j1 j2) = dx_j1 wy_j2 P_b0 + wx_j1 dy_j2 P_b1 + wx_j1 wy_j2 P_b2,
//   P_bd = B_.b,.d (x) (wz or, for d = z, dz)
//
// Pairs of runs with j >= i are computed; the other half of the matrix is its mirror, made in one
// pass in the end unless the matrix is but a half (ell.h; its margin is as wide as a run).
#include "mpm/implicit/implicit_inside.h"

enum {
    LANES = PLI_CLOUD_LANES,
    RUNS = PLI_SPLINE_WIDTH * PLI_SPLINE_WIDTH,
    BATCH = 16,                      // particles whose terms are summed at once
    RUN_SIZE = 9 * PLI_SPLINE_WIDTH, // numbers of the blocks of a run
    RUN_VECTORS = RUN_SIZE / 4,
    PATTERN_ROOM = RUN_SIZE + 4
};

// Particles of a cell: left and right factors of its blocks, terms 3 p + b.
typedef struct cell_factors {
    double G[RUNS][3 * BATCH][PLI_SPLINE_WIDTH]; // (grad w_i)_b of the nodes of a run (1/m)
    double T[RUNS * 3 * BATCH * RUN_SIZE];       // [runs][3 BATCH][run_stride] (J/m)
} cell_factors;

// Room for the numbers of a run, whole vectors.
PLI_INLINE int run_stride(int32_t width)
{
    return (9 * width + 3) / 4 * 4;
}

// Terms of a run of nodes j from term k on.
PLI_INLINE double *terms_of(int32_t width, cell_factors *factors, int run, int k)
{
    return factors->T + (3 * BATCH * run + k) * run_stride(width);
}

// Where vector v of a run is: the last one may overlap the one before.
PLI_INLINE int vector_place(int32_t width, int v)
{
    return 4 * v + 4 <= 9 * width ? 4 * v : 9 * width - 4;
}

PLI_INLINE int vector_count(int32_t width)
{
    return (9 * width + 3) / 4;
}

// ---- tangents in the frame of the grid

// B_bd = V F A F^T for one pair (a, c) and four particles, 3x3.
PLI_INLINE void push_block(const double *A, int64_t stride, const pli_d4 F[9], pli_d4 volume,
                           pli_d4 B[9])
{
    pli_d4 FA[9];
    for (int b = 0; b < 3; ++b) {
        for (int d = 0; d < 3; ++d) {
            FA[3 * b + d] = F[3 * b] * pli_cloud_load(A + d * stride) +
                            F[3 * b + 1] * pli_cloud_load(A + (9 + d) * stride) +
                            F[3 * b + 2] * pli_cloud_load(A + (18 + d) * stride);
        }
    }
    for (int b = 0; b < 3; ++b) {
        for (int d = 0; d < 3; ++d) {
            B[3 * b + d] = volume * (FA[3 * b] * F[3 * d] + FA[3 * b + 1] * F[3 * d + 1] +
                                     FA[3 * b + 2] * F[3 * d + 2]);
        }
    }
}

// out [LANES][84]: B of four particles, 9 (3 b + d) + 3 a + c; A are planes.
static void push_tangents(const pli_implicit *implicit, int64_t slot, const double *A,
                          int64_t stride, double (*out)[84])
{
    const pli_cloud *cloud = implicit->cloud;
    pli_d4 F[9], all[84], weight = pli_cloud_load(implicit->weight + slot);
    for (int k = 0; k < 9; ++k) {
        F[k] = pli_cloud_load(cloud->F + k * (int64_t)cloud->slot_room + slot);
    }
    for (int a = 0; a < 3; ++a) {
        for (int c = a; c < 3; ++c) {
            pli_d4 B[9];
            push_block(A + (27 * a + 3 * c) * stride, stride, F, weight, B);
            for (int bd = 0; bd < 9; ++bd) {
                all[9 * bd + 3 * a + c] = B[bd];
                // B_ab,cd = B_cd,ab
                all[9 * (bd % 3 * 3 + bd / 3) + 3 * c + a] = B[bd];
            }
        }
    }
    for (int k = 81; k < 84; ++k) all[k] = (pli_d4){0};
    for (int k = 0; k < 84; k += 4) {
        for (int p = 0; p < LANES; ++p) {
            pli_d4 row = {all[k][p], all[k + 1][p], all[k + 2][p], all[k + 3][p]};
            pli_cloud_save(row, out[p] + k);
        }
    }
}

// ---- factors

// Weights of one particle, and derivatives in 1/m.
typedef struct particle_weights {
    double w[3][PLI_SPLINE_WIDTH];
    double d[3][PLI_SPLINE_WIDTH];
} particle_weights;

PLI_INLINE void take_weights(int32_t width, const pli_cloud_weights *at, int p,
                             particle_weights *own)
{
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < PLI_SPLINE_WIDTH; ++k) {
            own->w[axis][k] = k < width ? at->w[axis][k][p] : 0;
            own->d[axis][k] = k < width ? at->d[axis][k][p] : 0;
        }
    }
}

// The left factor of a particle.
PLI_INLINE void set_gradients(int32_t width, const particle_weights *at, int particle,
                              cell_factors *out)
{
    pli_d4 w = pli_cloud_load(at->w[2]), d = pli_cloud_load(at->d[2]);
    for (int i = 0, run = 0; i < width; ++i) {
        for (int j = 0; j < width; ++j, ++run) {
            double(*G)[PLI_SPLINE_WIDTH] = out->G[run] + 3 * particle;
            pli_cloud_save(at->d[0][i] * at->w[1][j] * w, G[0]);
            pli_cloud_save(at->w[0][i] * at->d[1][j] * w, G[1]);
            pli_cloud_save(at->w[0][i] * at->w[1][j] * d, G[2]);
        }
    }
}

// P_bd: blocks of nine times the weights along z.
PLI_INLINE void set_pattern(int32_t width, const double *B, const double *q, double *pattern)
{
    pli_d4 block[3];
    for (int v = 0; v < 3; ++v) block[v] = pli_cloud_load(B + 4 * v);
    for (int k = 0; k < width; ++k) {
        // three numbers too many, which the next node overwrites
        for (int v = 0; v < 3; ++v) pli_cloud_save(q[k] * block[v], pattern + 9 * k + 4 * v);
    }
}

// The right factor of a particle.
PLI_INLINE void set_terms(int32_t width, const particle_weights *at, const double *B, int particle,
                          cell_factors *out)
{
    double P[9][PATTERN_ROOM];
    for (int bd = 0; bd < 9; ++bd) {
        set_pattern(width, B + 9 * bd, bd % 3 < 2 ? at->w[2] : at->d[2], P[bd]);
    }
    for (int b = 0; b < 3; ++b) {
        double(*own)[PATTERN_ROOM] = P + 3 * b;
        for (int v = 0; v < vector_count(width); ++v) {
            int place = vector_place(width, v);
            pli_d4 p0 = pli_cloud_load(own[0] + place), p1 = pli_cloud_load(own[1] + place);
            pli_d4 p2 = pli_cloud_load(own[2] + place);
            for (int j = 0; j < width; ++j) {
                pli_d4 q = at->d[1][j] * p1 + at->w[1][j] * p2, r = at->w[1][j] * p0;
                for (int i = 0; i < width; ++i) {
                    pli_cloud_save(at->w[0][i] * q + at->d[0][i] * r,
                                   terms_of(width, out, width * i + j, 3 * particle + b) + place);
                }
            }
        }
    }
}

// ---- products

// Adds the blocks of the nodes i of a run with a run of nodes j to their rows.
PLI_INLINE void add_tile(int32_t width, int32_t terms, double (*G)[PLI_SPLINE_WIDTH],
                         const double *T, double *const *rows, int64_t row_place)
{
    pli_d4 sum[PLI_SPLINE_WIDTH][RUN_VECTORS];
    int vectors = vector_count(width);
    for (int i = 0; i < width; ++i) {
        for (int v = 0; v < vectors; ++v) sum[i][v] = (pli_d4){0};
    }
    for (int32_t k = 0; k < terms; ++k, T += run_stride(width)) {
        for (int v = 0; v < vectors; ++v) {
            pli_d4 t = pli_cloud_load(T + vector_place(width, v));
            pli_d4_pin(&t);
            for (int i = 0; i < width; ++i) sum[i][v] += G[k][i] * t;
        }
    }
    for (int i = 0; i < width; ++i) {
        double *row = rows[i] + row_place;
        // all are read before one is written: the last two may overlap
        for (int v = 0; v < vectors; ++v) sum[i][v] += pli_cloud_load(row + vector_place(width, v));
        for (int v = 0; v < vectors; ++v) pli_cloud_save(sum[i][v], row + vector_place(width, v));
    }
}

// Two runs of a cell.
typedef struct run_pair {
    int32_t i;
    int32_t j;
    int64_t place; // of the first block, from that of a node of run i with itself on
} run_pair;

enum { PAIRS = RUNS * (RUNS + 1) / 2, AHEAD = 2 };

// A pass with what it is about.
typedef struct assembly_job {
    pli_implicit_pass pass; // the first
    pli_ell *matrix;
    int32_t pair_count;
    run_pair pairs[PAIRS]; // j >= i
} assembly_job;

static void list_pairs(int32_t width, assembly_job *job)
{
    int32_t side = 2 * width - 1;
    job->pair_count = 0;
    for (int32_t j = 0; j < width * width; ++j) {
        for (int32_t i = 0; i <= j; ++i) {
            int32_t x = j / width - i / width, y = j % width - i % width;
            job->pairs[job->pair_count++] = (run_pair){i, j, 9 * (int64_t)(x * side + y) * side};
        }
    }
}

// Asks for the part of rows that a pair of runs will be added to.
PLI_INLINE void expect_pair(int32_t width, const run_pair *pair, double *const *rows)
{
    for (int k = 0; k < width; ++k) {
        const double *begin = rows[width * pair->i + k] + pair->place;
        for (int v = 0; v < 9 * width; v += 8) __builtin_prefetch(begin + v, 1);
        __builtin_prefetch(begin + 9 * width - 1, 1);
    }
}

// Adds the products of all pairs of runs to the rows of a cell's nodes.
PLI_INLINE void add_pairs(const assembly_job *job, int32_t width, int32_t terms,
                          cell_factors *factors, double *const *rows)
{
    for (int32_t k = 0; k < job->pair_count; ++k) {
        const run_pair *pair = &job->pairs[k];
        if (k + AHEAD < job->pair_count) expect_pair(width, pair + AHEAD, rows);
        add_tile(width, terms, factors->G[pair->i], terms_of(width, factors, pair->j, 0),
                 rows + width * pair->i, pair->place);
    }
}

// ---- cells

// Where the blocks of a run of nodes begin in the row of each node of a cell, for the run that the
// node is in.
PLI_INLINE void find_rows(const assembly_job *job, int32_t width, int64_t cell, double **rows)
{
    const pli_cloud *cloud = job->pass.implicit->cloud;
    const int32_t *nodes = cloud->cell_node + cell * cloud->cell_nodes;
    for (int32_t n = 0; n < width * width * width; ++n) {
        rows[n] = pli_ell_block(job->matrix, nodes[n], job->matrix->center - n % width);
    }
}

// Adds the slots [first, first + count) of a cell, whose tangents are in `at`.
PLI_INLINE void add_slots(const assembly_job *job, int32_t width, int64_t cell, int64_t first,
                          int32_t count, const pli_evaluation *at)
{
    const pli_implicit *implicit = job->pass.implicit;
    const pli_cloud *cloud = implicit->cloud;
    double *rows[PLI_SPLINE_NODES];
    cell_factors factors;
    int32_t particle = 0;
    find_rows(job, width, cell, rows);
    for (int32_t k = 0; k < count; k += LANES) {
        pli_cloud_weights weights;
        double B[LANES][84];
        pli_cloud_weigh(cloud, width, first + k, &weights);
        push_tangents(implicit, first + k, at->dPdF + (first - at->first) + k, at->stride, B);
        for (int p = 0; p < LANES && cloud->row[first + k + p] >= 0; ++p, ++particle) {
            particle_weights own;
            take_weights(width, &weights, p, &own);
            set_gradients(width, &own, particle, &factors);
            set_terms(width, &own, B[p], particle, &factors);
        }
        if (particle <= BATCH - LANES && k + LANES < count) continue;
        add_pairs(job, width, 3 * particle, &factors, rows);
        particle = 0;
    }
}

static void add_cell(const assembly_job *job, int64_t cell, const pli_evaluation *at)
{
    int64_t first;
    int32_t count;
    if (!pli_evaluation_clip(job->pass.implicit->cloud, cell, at, &first, &count)) return;
    PLI_WITH_WIDTH(job->pass.implicit->cloud->spline,
                   add_slots(job, width, cell, first, count, at));
}

static void assemble_part(const pli_implicit_pass *pass, int64_t first_cell, int64_t end_cell,
                          pli_evaluation *at)
{
    pli_implicit_deform_part(pass, first_cell, end_cell, at);
    pli_implicit_evaluate(pass->implicit, PLI_WANT_TANGENT, pass->projected, at);
    for (int64_t cell = first_cell; cell < end_cell; ++cell) {
        add_cell((const assembly_job *)(const void *)pass, cell, at);
    }
}

void pli_implicit_assemble(const pli_implicit *implicit, const double *x, bool projected,
                           pli_ell *matrix)
{
    assembly_job job = {.pass = {.implicit = (pli_implicit *)(uintptr_t)implicit,
                                 .x = x,
                                 .projected = projected,
                                 .part = assemble_part},
                        .matrix = matrix};
    list_pairs(implicit->cloud->width, &job);
    pli_implicit_run_colors(&job.pass);
    pli_ell_mirror(matrix);
}
