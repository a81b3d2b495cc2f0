// SPDX-License-Identifier: Apache-2.0
//
// Matrices and references that the tests of linear solvers share.
#ifndef PLI_TESTS_LINEAR_PROBLEMS_H
#define PLI_TESTS_LINEAR_PROBLEMS_H

#include "near.h"

#include "box_matrix.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "linear/matrix/vector.h"
#include "math/mat3.h"

static inline double *new_vector(int64_t count)
{
    double *x = aligned_alloc(64, ((size_t)count * sizeof *x + 63) / 64 * 64 + 64);
    assert_non_null(x);
    memset(x, 0, (size_t)count * sizeof *x);
    return x;
}

// Entries in [-1, 1).
static inline double *random_vector(int64_t count, uint64_t seed)
{
    double *x = new_vector(count);
    for (int64_t i = 0; i < count; ++i) {
        x[i] = pli_random_range((pli_random){seed, 7}, (uint64_t)i, -1, 1);
    }
    return x;
}

static inline int64_t unknown_count(const pli_bcsr *matrix)
{
    return 3 * (int64_t)matrix->row_count;
}

static inline uint64_t vector_hash(int64_t count, const double *x)
{
    return pli_hash_bytes(PLI_HASH_START, x, (size_t)count * sizeof *x);
}

// Random triangles over row_count vertices, two per vertex.
static inline int32_t *random_triangles(int32_t row_count, uint64_t seed)
{
    int64_t corners = 6 * (int64_t)row_count;
    int32_t *vertices = malloc((size_t)corners * sizeof *vertices);
    assert_non_null(vertices);
    for (int64_t k = 0; k < corners; ++k) {
        vertices[k] = (int32_t)pli_random_range((pli_random){seed, 3}, (uint64_t)k, 0, row_count);
    }
    return vertices;
}

// Adds G^T G for a random 9x9 matrix G to the nine blocks of an element: positive semidefinite.
static inline void add_random_element(pli_bcsr *matrix, const int32_t slots[9], uint64_t seed)
{
    double G[81];
    for (uint64_t k = 0; k < 81; ++k) G[k] = pli_random_range((pli_random){seed, 5}, k, -1, 1);
    for (int i = 0; i < 9; ++i) {
        for (int j = 0; j < 9; ++j) {
            double sum = 0;
            for (int k = 0; k < 9; ++k) sum += G[9 * k + i] * G[9 * k + j];
            int slot = slots[i / 3 * 3 + j / 3];
            matrix->values[9 * (int64_t)slot + i % 3 * 3 + j % 3] += sum;
        }
    }
}

static inline void add_identity(pli_bcsr *matrix, double weight)
{
    double *weights = new_vector(matrix->row_count);
    for (int32_t row = 0; row < matrix->row_count; ++row) weights[row] = weight;
    pli_bcsr_add_to_diagonal(matrix, weights);
    free(weights);
}

// A random symmetric positive definite matrix of irregular pattern.
static inline pli_bcsr *random_matrix(pli_context *context, int32_t row_count, uint64_t seed)
{
    pli_bcsr *matrix = NULL;
    int32_t *slots = NULL;
    int32_t *vertices = random_triangles(row_count, seed);
    pli_clique_list list = {3, 2 * (int64_t)row_count, vertices};
    OK(context, pli_bcsr_create(context, row_count, 1, &list, &matrix));
    OK(context, pli_bcsr_slots(context, matrix, &list, &slots));
    for (int64_t e = 0; e < list.count; ++e) {
        add_random_element(matrix, slots + 9 * e, seed + 100 + (uint64_t)e);
    }
    add_identity(matrix, 0.1);
    pli_release(context, slots);
    free(vertices);
    return matrix;
}

// Linear elasticity on a box of nx x ny x nz cells plus mass.
static inline pli_bcsr *box_matrix(pli_context *context, int32_t nx, int32_t ny, int32_t nz,
                                   double mass, double contrast)
{
    box_mesh mesh;
    pli_bcsr *matrix = NULL;
    assert_true(box_mesh_init(&mesh, nx, ny, nz));
    OK(context, box_matrix_create(context, &mesh, mass, contrast, &matrix));
    box_mesh_clear(&mesh);
    return matrix;
}

// Adds G^T G for a random 6x6 matrix G to the four blocks of two rows, as a contact would: positive
// semidefinite. Fails the test when there is no room.
static inline void add_contact(pli_bcsr *matrix, int32_t i, int32_t j, uint64_t seed)
{
    double G[36];
    int32_t rows[2] = {i, j};
    for (uint64_t k = 0; k < 36; ++k) G[k] = pli_random_range((pli_random){seed, 6}, k, -1, 1);
    for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 2; ++b) {
            double block[9] = {0};
            for (int k = 0; k < 54; ++k) {
                block[k % 9] += G[6 * (k / 9) + 3 * a + k % 9 / 3] * G[6 * (k / 9) + 3 * b + k % 3];
            }
            assert_true(pli_bcsr_add_block(matrix, rows[a], rows[b], block));
        }
    }
}

// Contacts between random rows, some of which the pattern couples; closed.
static inline void add_random_contacts(pli_bcsr *matrix, int32_t count, uint64_t seed)
{
    OK(matrix->context, pli_bcsr_reserve_extra(matrix, matrix->extra.count + 2 * (int64_t)count));
    for (int32_t k = 0; k < count; ++k) {
        pli_random random = {seed, 8};
        int32_t i = (int32_t)pli_random_range(random, 2 * (uint64_t)k, 0, matrix->row_count);
        int32_t j = (int32_t)pli_random_range(random, 2 * (uint64_t)k + 1, 0, matrix->row_count);
        if (i != j) add_contact(matrix, i, j, seed + (uint64_t)k);
    }
    pli_bcsr_close_extra(matrix);
}

// Orthogonal projector onto a random space of the given dimension, 0 to 3.
static inline void random_tangent(int dimension, uint64_t seed, double T[9])
{
    double axis[3];
    double R[9];
    for (uint64_t k = 0; k < 3; ++k) axis[k] = pli_random_range((pli_random){seed, 9}, k, 0.1, 1);
    pli_vec3_normalize(axis, axis);
    pli_mat3_rotation(axis, 1 + (double)(seed % 7), R);
    for (int k = 0; k < 9; ++k) {
        T[k] = 0;
        for (int c = 0; c < dimension; ++c) T[k] += R[3 * (k / 3) + c] * R[3 * (k % 3) + c];
    }
}

static inline void add_to_dense(int64_t n, int64_t row, int64_t column, const double block[9],
                                double *A)
{
    for (int k = 0; k < 9; ++k) A[(3 * row + k / 3) * n + 3 * column + k % 3] += block[k];
}

static inline double *dense_copy(const pli_bcsr *matrix)
{
    int64_t n = unknown_count(matrix);
    double *A = new_vector(n * n);
    for (int64_t row = 0; row < matrix->row_count; ++row) {
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            add_to_dense(n, row, matrix->column[slot], matrix->values + 9 * slot, A);
        }
    }
    for (int64_t k = 0; k < matrix->extra.count; ++k) {
        const pli_extra_block *block = matrix->extra.blocks + k;
        add_to_dense(n, block->row, block->column, block->values, A);
    }
    return A;
}

// Some unknowns of every so many rows: bits of a row.
static inline void make_mask(int rows, int every, uint8_t *mask)
{
    for (int row = 0; row < rows; ++row) mask[row] = (uint8_t)(row % every == 0 ? row % 8 : 0);
}

// What fixing unknowns makes of a dense matrix.
static inline void fix_dense(int64_t n, const uint8_t *mask, double diagonal, double *A)
{
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
            bool fixed = (mask[i / 3] >> i % 3 & 1) || (mask[j / 3] >> j % 3 & 1);
            if (fixed) A[i * n + j] = i == j ? diagonal : 0;
        }
    }
}

// Gaussian elimination with partial pivoting; A and b are destroyed, b becomes x.
static inline void solve_by_elimination(int64_t n, double *A, double *b)
{
    for (int64_t k = 0; k < n; ++k) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < n; ++i) {
            if (fabs(A[i * n + k]) > fabs(A[pivot * n + k])) pivot = i;
        }
        for (int64_t j = 0; j < n; ++j) {
            double swap = A[k * n + j];
            A[k * n + j] = A[pivot * n + j];
            A[pivot * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int64_t i = k + 1; i < n; ++i) {
            double factor = A[i * n + k] / A[k * n + k];
            for (int64_t j = k; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int64_t k = n - 1; k >= 0; --k) {
        for (int64_t j = k + 1; j < n; ++j) b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
}

// Largest difference of two vectors relative to the largest entry of the second.
static inline double relative_difference(int64_t n, const double *x, const double *reference)
{
    double difference = 0;
    double scale = 0;
    for (int64_t i = 0; i < n; ++i) {
        difference = fmax(difference, fabs(x[i] - reference[i]));
        scale = fmax(scale, fabs(reference[i]));
    }
    return difference / scale;
}

// |b - A x| / |b|
static inline double relative_residual(const pli_bcsr *matrix, const double *b, const double *x)
{
    int64_t n = unknown_count(matrix);
    double *r = new_vector(n);
    pli_bcsr_residual(matrix, b, x, r);
    double ratio = pli_vector_norm(matrix->context, n, r) / pli_vector_norm(matrix->context, n, b);
    free(r);
    return ratio;
}

#endif
