// SPDX-License-Identifier: Apache-2.0
//
// The lowest eigenmodes of L u = lambda M u, L weighted by stiffness, as weights (after Benchekroun
// et al. 2023).
//
// Block Lanczos with three vectors, as many as a substitution takes at once, on the operator
//
//     A = (L + sigma M)^-1 M,    symmetric in the product u^T M v,    A u = u / (lambda + sigma),
//
// whose largest eigenvalues are the lowest of ours. The basis Q is kept M-orthonormal by
// orthogonalising twice against all of it, so that Rayleigh-Ritz with H = Q^T M A Q needs no care
// for ghosts. What a block can't see of an eigenvalue of higher multiplicity rounding brings in,
// and the random vectors that replace those which depend on the basis.
#include "multilevel/bases_inside.h"

#include "geometry/collision/bounds.h"
#include "linear/direct/cholesky.h"
#include "linear/direct/dense_eigen.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "math/vec3.h"

#include <string.h>

enum {
    BLOCK = 3,         // vectors of a step
    VERTEX_GRAIN = 512 // vertices worth a block of a parallel loop
};

// |A u - theta u| over theta at which a mode counts as found
static const double tolerance = 1e-5;

// of a vector's norm what has to be left of it beside the basis
static const double independence = 1e-8;

typedef struct modes {
    pli_bases_build *build;
    pli_context *context;
    int32_t vertex_count;
    int32_t wanted; // modes
    pli_laplacian *laplacian;
    const double *mass; // [vertex_count]  of the Laplacian
    pli_lifted *matrix; // L + sigma M
    pli_cholesky *cholesky;

    int32_t limit;      // vectors there is memory for
    int32_t capacity;   // vectors that are to be had: the limit, or fewer when there are no more
    int32_t count;      // vectors of the basis
    double *Q;          // [limit][vertex_count]
    double *H;          // [limit][limit]  lower triangle
    double *block;      // [vertex_count][3]  images of the last vectors
    double *w;          // [vertex_count]  the vector at hand
    double *products;   // [limit]  of w with the basis
    double left[BLOCK]; // of the last images, what the basis lacked
    uint64_t drawn;     // random numbers

    // Ritz pairs
    double *copy;    // [limit][limit]
    double *theta;   // [limit]  descending
    double *vectors; // [limit][limit]
} modes;

// ---- operator

// sigma: about the second eigenvalue of a cube as large as the mesh made of its softest matter
static double choose_shift(const modes *m)
{
    const pli_bases_def *def = m->build->def;
    pli_bounds bounds = pli_bounds_empty();
    double softest = def->stiffness != NULL ? INFINITY : 1;
    for (int32_t k = 0; def->stiffness != NULL && k < def->mesh.element_count; ++k) {
        softest = fmin(softest, def->stiffness[k]);
    }
    for (int64_t vertex = 0; vertex < m->vertex_count; ++vertex) {
        pli_bounds_add_point(&bounds, def->mesh.points + 3 * vertex);
    }
    double diagonal = pli_vec3_distance(bounds.min, bounds.max);
    return softest / (diagonal * diagonal);
}

// Vertices without elements get 1 on the diagonal and have no part in anything.
static void fill_matrix(modes *m, double shift)
{
    const pli_laplacian *l = m->laplacian;
    pli_lifted_set_zero(m->matrix);
    for (int32_t row = 0; row < m->vertex_count; ++row) {
        for (int64_t k = l->row_start[row]; k < l->row_start[row + 1]; ++k) {
            double value = l->values[k];
            if (l->column[k] == row) value = m->mass[row] > 0 ? value + shift * m->mass[row] : 1;
            pli_lifted_add(m->matrix, pli_lifted_find(m->matrix, row, l->column[k]), value);
        }
    }
    pli_lifted_close(m->matrix, NULL);
}

static pli_status factor_operator(modes *m)
{
    const pli_simplices *mesh = &m->build->def->mesh;
    pli_clique_list list = {mesh->corner_count, mesh->element_count, mesh->elements};
    pli_cholesky_def def = {.isotropic = true};
    bool positive = false;
    PLI_TRY(pli_laplacian_create(m->context, mesh, m->build->def->stiffness, &m->laplacian));
    m->mass = m->laplacian->mass;
    PLI_TRY(pli_lifted_create(m->context, m->vertex_count, 1, &list, &m->matrix));
    fill_matrix(m, choose_shift(m));
    PLI_TRY(pli_cholesky_create_lifted(m->context, &def, m->matrix, &m->cholesky));
    PLI_TRY(pli_cholesky_factor_lifted(m->cholesky, m->matrix, 0, &positive));
    if (positive) return PLI_OK;
    return PLI_FAIL(m->context, PLI_ERROR_NUMERIC,
                    "the Laplacian can't be factored for its eigenmodes; stiffness varies too "
                    "much, or elements are too badly shaped");
}

// ---- basis

// Products of w with vectors of the basis, one at a time in the order of vertices.
static void multiply_range(void *user, int64_t begin, int64_t end)
{
    modes *m = user;
    for (int64_t k = begin; k < end; ++k) {
        const double *q = m->Q + k * m->vertex_count;
        double sums[4] = {0};
        int64_t vertex = 0;
        for (; vertex + 4 <= m->vertex_count; vertex += 4) {
            for (int c = 0; c < 4; ++c) {
                sums[c] += q[vertex + c] * m->mass[vertex + c] * m->w[vertex + c];
            }
        }
        for (; vertex < m->vertex_count; ++vertex) {
            sums[0] += q[vertex] * m->mass[vertex] * m->w[vertex];
        }
        m->products[k] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
}

static void subtract_range(void *user, int64_t begin, int64_t end)
{
    modes *m = user;
    for (int64_t k = 0; k < m->count; ++k) {
        const double *q = m->Q + k * m->vertex_count;
        double product = m->products[k];
        for (int64_t vertex = begin; vertex < end; ++vertex) m->w[vertex] -= product * q[vertex];
    }
}

// Products of w with the basis, which are taken out of it.
static void orthogonalize(modes *m)
{
    pli_parallel_for(m->context, m->count, 1, multiply_range, m);
    pli_parallel_for(m->context, m->vertex_count, VERTEX_GRAIN, subtract_range, m);
}

static pli_sum norm_range(void *user, int64_t begin, int64_t end)
{
    const modes *m = user;
    pli_sum sum = {0};
    for (int64_t k = begin; k < end; ++k) pli_sum_add(&sum, m->mass[k] * m->w[k] * m->w[k]);
    return sum;
}

static double norm_of_w(modes *m)
{
    return sqrt(
        pli_sum_value(pli_parallel_sum(m->context, m->vertex_count, VERTEX_GRAIN, norm_range, m)));
}

static void draw_w(modes *m)
{
    for (int32_t vertex = 0; vertex < m->vertex_count; ++vertex) {
        m->w[vertex] =
            m->mass[vertex] > 0 ? pli_random_range((pli_random){17, 0}, m->drawn++, -1, 1) : 0;
    }
}

// Takes what is left of w into the basis, or of random vectors when it depends on the basis; when
// they do too there is nothing more to find. Returns what was left of w.
static double append_w(modes *m)
{
    double left = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
        double before = norm_of_w(m);
        orthogonalize(m);
        orthogonalize(m);
        double after = norm_of_w(m);
        if (attempt == 0) left = after;
        if (m->count == m->capacity) return left;
        if (after > independence * before) {
            double *q = m->Q + (int64_t)m->count++ * m->vertex_count;
            for (int32_t k = 0; k < m->vertex_count; ++k) q[k] = m->w[k] / after;
            return left;
        }
        draw_w(m);
    }
    m->capacity = m->count;
    return left;
}

// Images of the vectors [first, end) of the basis, their part of H, and what is new as further
// vectors.
static pli_status expand(modes *m, int32_t first, int32_t end)
{
    for (int64_t k = 0; k < m->vertex_count; ++k) {
        for (int32_t c = 0; c < BLOCK; ++c) {
            int64_t vector = first + c;
            m->block[3 * k + c] =
                vector < end ? m->mass[k] * m->Q[vector * m->vertex_count + k] : 0;
        }
    }
    PLI_TRY(pli_cholesky_solve(m->cholesky, 1, m->block, m->block));
    for (int32_t c = 0; c < end - first; ++c) {
        for (int64_t k = 0; k < m->vertex_count; ++k) m->w[k] = m->block[3 * k + c];
        pli_parallel_for(m->context, m->count, 1, multiply_range, m);
        int64_t row = first + c;
        for (int64_t k = 0; k <= row; ++k) {
            m->H[row * m->limit + k] = m->products[k];
        }
        m->left[c] = append_w(m);
    }
    return PLI_OK;
}

// ---- modes

// Ritz pairs of the first `size` vectors.
static void compute_ritz(modes *m, int32_t size)
{
    for (int64_t i = 0; i < size; ++i) {
        for (int64_t j = 0; j < size; ++j) {
            m->copy[i * size + j] = i >= j ? m->H[i * m->limit + j] : m->H[j * m->limit + i];
        }
    }
    pli_dense_eigen(size, m->copy, m->theta, m->vectors);
}

// The largest relative residual of the wanted pairs of the first `size` vectors, of which the last
// ones are [first, size): what the basis lacked of their images.
static double measure_residual(const modes *m, int32_t first, int32_t size)
{
    double largest = 0;
    for (int32_t k = 0; k < m->wanted && k < size; ++k) {
        const double *y = m->vectors + (int64_t)k * size;
        double residual = 0;
        for (int32_t c = first; c < size; ++c) residual += fabs(y[c]) * m->left[c - first];
        largest = fmax(largest, residual / fabs(m->theta[k]));
    }
    return largest;
}

// Expands the basis until its Ritz pairs are good enough; *size: vectors they are made of.
static pli_status find_pairs(modes *m, int32_t *size)
{
    int32_t check = 2 * m->wanted + 10 * BLOCK;
    double residual = INFINITY;
    for (int32_t c = 0; c < BLOCK; ++c) {
        draw_w(m);
        (void)append_w(m);
    }
    for (int32_t first = 0; residual > tolerance; first = *size) {
        *size = m->count < first + BLOCK ? m->count : first + BLOCK;
        PLI_TRY(expand(m, first, *size));
        PLI_TRY(pli_bases_tell(m->build, 0.9 * *size / m->limit));
        bool is_last = *size == m->count;
        if (*size < check && !is_last) continue;
        compute_ritz(m, *size);
        residual = measure_residual(m, first, *size);
        check += check / 4;
        if (is_last) break;
    }
    if (residual <= tolerance) return PLI_OK;
    PLI_LOG(m->context, PLI_LOG_WARNING, "eigenmodes are good to %.1e only", residual);
    return PLI_OK;
}

// A mode scaled to a largest value of 1 becomes a column.
static pli_status keep_mode(modes *m, int32_t mode, int32_t size, const int32_t *vertices)
{
    const double *y = m->vectors + (int64_t)mode * size;
    double largest = 0;
    memset(m->w, 0, (size_t)m->vertex_count * sizeof *m->w);
    for (int64_t k = 0; k < size; ++k) {
        const double *q = m->Q + k * m->vertex_count;
        for (int32_t vertex = 0; vertex < m->vertex_count; ++vertex)
            m->w[vertex] += y[k] * q[vertex];
    }
    for (int32_t vertex = 0; vertex < m->vertex_count; ++vertex) {
        if (fabs(m->w[vertex]) > fabs(largest)) largest = m->w[vertex];
    }
    for (int32_t vertex = 0; vertex < m->vertex_count; ++vertex) m->w[vertex] /= largest;
    return pli_bases_column_set(m->context, m->vertex_count, vertices, m->w,
                                &m->build->columns[mode]);
}

static pli_status keep_modes(modes *m, int32_t size)
{
    int32_t *vertices = PLI_NEW(m->context, int32_t, m->vertex_count, "eigenmodes");
    if (vertices == NULL) return PLI_ERROR_MEMORY;
    for (int32_t vertex = 0; vertex < m->vertex_count; ++vertex) vertices[vertex] = vertex;
    pli_status status = PLI_OK;
    for (int32_t mode = 0; mode < m->wanted && mode < size && status == PLI_OK; ++mode) {
        status = keep_mode(m, mode, size, vertices);
    }
    pli_release(m->context, vertices);
    return status;
}

static pli_status allocate_basis(modes *m)
{
    pli_context *context = m->context;
    int64_t limit = 3 * (int64_t)m->wanted + 20 * BLOCK;
    if (limit > m->vertex_count) limit = m->vertex_count;
    m->limit = (int32_t)limit;
    m->capacity = m->limit;
    m->Q = PLI_NEW(context, double, limit * m->vertex_count, "eigenmodes");
    m->H = PLI_NEW(context, double, limit *limit, "eigenmodes");
    m->block = PLI_NEW(context, double, 3 * (int64_t)m->vertex_count, "eigenmodes");
    m->w = PLI_NEW(context, double, m->vertex_count, "eigenmodes");
    m->products = PLI_NEW(context, double, limit, "eigenmodes");
    m->copy = PLI_NEW(context, double, limit *limit, "eigenmodes");
    m->theta = PLI_NEW(context, double, limit, "eigenmodes");
    m->vectors = PLI_NEW(context, double, limit *limit, "eigenmodes");
    bool complete = m->Q != NULL && m->H != NULL && m->block != NULL && m->w != NULL &&
                    m->products != NULL && m->copy != NULL && m->theta != NULL &&
                    m->vectors != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

static pli_status run_modes(modes *m)
{
    int32_t size = 0;
    PLI_TRY(factor_operator(m));
    PLI_TRY(allocate_basis(m));
    PLI_TRY(find_pairs(m, &size));
    return keep_modes(m, size);
}

pli_status pli_bases_build_eigenmodes(pli_bases_build *build)
{
    modes m = {.build = build,
               .context = build->context,
               .vertex_count = build->def->mesh.vertex_count,
               .wanted = build->handle_count};
    pli_status status = run_modes(&m);
    pli_laplacian_destroy(m.laplacian);
    pli_lifted_destroy(m.matrix);
    pli_cholesky_destroy(m.cholesky);
    PLI_RELEASE(m.context, m.Q, m.H, m.block, m.w, m.products, m.copy, m.theta, m.vectors);
    return status;
}
