// SPDX-License-Identifier: Apache-2.0
//
// Coarse nodes whose vertices do not determine an affine field (Xian et al. 2019, section 4.4).
//
// The Gram matrix of a node, G = sum over its free vertices of P P^T with P = (u, 1), has a
// direction n in its null space exactly when no vertex notices it. Gram matrices of coarser nodes
// are sums of T^T G T. Held coordinates make them differ for x, y and z.
//
// Where finer nodes have several parents, fields of neighbouring nodes may depend on each other,
// which no node can see alone. A shift of the diagonal by what rounding is anyway keeps matrices
// definite.
#include "linear/multigrid/multigrid_inside.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

enum { NODE_GRAIN = 16 };

typedef struct null_job {
    pli_multigrid *mg;
    int32_t index;
    const uint8_t *mask;
} null_job;

// ---- Gram matrices

static void sum_grams(void *user, int64_t begin, int64_t end)
{
    const null_job *job = user;
    pli_mg_level *level = &job->mg->levels[job->index];
    const pli_mg_level *finer = level - 1;
    const pli_interpolation_map *transfer = &job->mg->hierarchy->transfers[job->index - 1];
    int32_t square = level->rows * level->rows;
    int32_t finer_square = finer->rows * finer->rows;
    for (int64_t node = begin; node < end; ++node) {
        double *gram = level->gram + 3 * node * square;
        memset(gram, 0, 3 * (size_t)square * sizeof *gram);
        for (int64_t c = level->child_start[node]; c < level->child_start[node + 1]; ++c) {
            int64_t child = level->child[c];
            double link[5];
            pli_mg_get_link(transfer, level->child_link[c], link);
            for (int axis = 0; axis < 3; ++axis) {
                double one = 1;
                bool held = job->index == 1 && job->mask != NULL && (job->mask[child] >> axis & 1);
                const double *G =
                    job->index == 1 ? &one : finer->gram + (3 * child + axis) * finer_square;
                if (held) continue;
                pli_mg_add_congruent(1, finer->rows, level->rows, link, link, G,
                                     gram + axis * square);
            }
        }
    }
}

// ---- null spaces

// One Jacobi rotation that makes G_pq zero; V collects the rotations, columns are eigenvectors.
static void rotate(double G[16], double V[16], int p, int q)
{
    if (G[4 * p + q] == 0) return;
    double theta = (G[5 * q] - G[5 * p]) / (2 * G[4 * p + q]);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1);
    double s = t * c;
    for (int k = 0; k < 4; ++k) {
        double a = G[4 * k + p];
        double b = G[4 * k + q];
        G[4 * k + p] = c * a - s * b;
        G[4 * k + q] = s * a + c * b;
    }
    for (int k = 0; k < 4; ++k) {
        double a = G[4 * p + k];
        double b = G[4 * q + k];
        G[4 * p + k] = c * a - s * b;
        G[4 * q + k] = s * a + c * b;
        a = V[4 * k + p];
        b = V[4 * k + q];
        V[4 * k + p] = c * a - s * b;
        V[4 * k + q] = s * a + c * b;
    }
}

// Projector to the eigenvectors of G whose eigenvalues are below share of the largest.
static void find_null_space(const double gram[16], double share, double projector[16])
{
    enum { SWEEPS = 8 };
    double G[16];
    double V[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    memcpy(G, gram, sizeof G);
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        for (int p = 0; p < 3; ++p) {
            for (int q = p + 1; q < 4; ++q) rotate(G, V, p, q);
        }
    }
    double largest = fmax(fmax(G[0], G[5]), fmax(G[10], G[15]));
    memset(projector, 0, 16 * sizeof *projector);
    for (int k = 0; k < 4; ++k) {
        if (G[5 * k] > share * largest) continue;
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) projector[4 * i + j] += V[4 * i + k] * V[4 * j + k];
        }
    }
}

static void find_null_range(void *user, int64_t begin, int64_t end)
{
    const null_job *job = user;
    pli_mg_level *level = &job->mg->levels[job->index];
    for (int64_t k = 3 * begin; k < 3 * end; ++k) {
        if (level->rows == 1) {
            level->null[k] = level->gram[k] > 0 ? 0 : 1;
        } else {
            find_null_space(level->gram + 16 * k, job->mg->null_share, level->null + 16 * k);
        }
    }
}

void pli_mg_find_null_spaces(pli_multigrid *mg, const uint8_t *mask)
{
    for (int32_t index = 1; index < mg->level_count; ++index) {
        null_job job = {mg, index, mask};
        int64_t count = mg->levels[index].node_count;
        pli_parallel_for(mg->context, count, NODE_GRAIN, sum_grams, &job);
        pli_parallel_for(mg->context, count, NODE_GRAIN, find_null_range, &job);
    }
}

// ---- use

void pli_mg_regularize(const pli_mg_level *level, int32_t node, double *block)
{
    int32_t rows = level->rows;
    int32_t size = level->size;
    int32_t e = level->lifted ? 1 : 3;
    const double *null = level->null + 3 * (int64_t)node * rows * rows;
    double mean = 0;
    for (int32_t k = 0; k < size; ++k) mean += block[(size + 1) * k] / size;
    double stiffness = mean > 0 ? mean : 1;
    for (int32_t axis = 0; axis < e; ++axis) {
        const double *N = null + axis * rows * rows;
        for (int32_t k = 0; k < rows; ++k) {
            for (int32_t l = 0; l < rows; ++l) {
                block[size * (e * k + axis) + e * l + axis] += stiffness * N[rows * k + l];
            }
        }
    }
    for (int32_t k = 0; k < size; ++k) block[(size + 1) * k] *= 1 + level->shift;
}
