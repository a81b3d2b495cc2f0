// SPDX-License-Identifier: Apache-2.0
//
// Bounded biharmonic weights (Xian et al. 2019): what defines them, and a minimiser by brute force.
#include "unit/multilevel/solids.h"

#include "linear/direct/cholesky.h"
#include "multilevel/biharmonic.h"

enum { HANDLES = 6 };

// A box with handles spread over it; every vertex has the handle next to it.
typedef struct fixture {
    pli_context *context;
    solid box;
    int32_t handles[HANDLES];
    int32_t *nearest;
    pli_biharmonic_def def;
} fixture;

static void find_nearest(fixture *f)
{
    const double *points = f->box.mesh->points;
    for (int32_t v = 0; v < f->box.graph.node_count; ++v) {
        double best = INFINITY;
        for (int32_t k = 0; k < HANDLES; ++k) {
            double distance = pli_vec3_distance(points + 3 * v, points + 3 * f->handles[k]);
            if (!(distance < best)) continue;
            best = distance;
            f->nearest[v] = k;
        }
    }
}

static fixture make_fixture(int32_t nx, int32_t ny, int32_t nz)
{
    fixture f = {.context = make_context(1)};
    f.box = make_solids(f.context, 1, nx, ny, nz);
    int32_t n = f.box.graph.node_count;
    for (int32_t k = 0; k < HANDLES; ++k) f.handles[k] = (2 * k + 1) * n / (2 * HANDLES);
    f.nearest = malloc((size_t)n * sizeof *f.nearest);
    assert_non_null(f.nearest);
    find_nearest(&f);
    pli_tet_mesh *mesh = f.box.mesh;
    f.def = (pli_biharmonic_def){.mesh = {n, mesh->points, 4, mesh->tet_count, mesh->tets},
                                 .handle_count = HANDLES,
                                 .nearest = f.nearest};
    return f;
}

static void clear_fixture(fixture *f)
{
    clear_solids(&f->box);
    free(f->nearest);
    pli_context_destroy(f->context);
}

// The weights as a table [vertex][HANDLES].
static double *new_table(const pli_biharmonic *weights)
{
    double *table = calloc((size_t)weights->vertex_count * HANDLES, sizeof *table);
    assert_non_null(table);
    for (int64_t v = 0; v < weights->vertex_count; ++v) {
        for (int64_t k = weights->start[v]; k < weights->start[v + 1]; ++k) {
            table[v * HANDLES + weights->handle[k]] = weights->weight[k];
        }
    }
    return table;
}

static void weights_are_bounded_and_sum_to_one(void **state)
{
    (void)state;
    if (!pli_cholesky_is_available()) skip();
    fixture f = make_fixture(8, 5, 5);
    f.def.handles = f.handles;
    pli_biharmonic *weights = NULL;
    OK(f.context, pli_biharmonic_create(f.context, &f.def, &weights));
    assert_true(weights->converged);
    for (int32_t v = 0; v < weights->vertex_count; ++v) {
        double sum = 0;
        for (int64_t k = weights->start[v]; k < weights->start[v + 1]; ++k) {
            // what is left out was under 1e-3; handles do not know of each other, and before
            // scaling their sum may exceed 1, but not by as much again
            AT_LEAST(weights->weight[k], 0.5e-3);
            AT_MOST(weights->weight[k], 1);
            assert_true(k == weights->start[v] || weights->handle[k] > weights->handle[k - 1]);
            sum += weights->weight[k];
        }
        NEAR(sum, 1, 0, 1e-14);
    }
    // a handle moves with itself alone
    for (int32_t k = 0; k < HANDLES; ++k) {
        int64_t begin = weights->start[f.handles[k]];
        assert_int_equal(weights->start[f.handles[k] + 1] - begin, 1);
        assert_int_equal(weights->handle[begin], k);
        NEAR(weights->weight[begin], 1, 0, 0);
    }
    pli_biharmonic_destroy(weights);
    pli_biharmonic_destroy(NULL);
    clear_fixture(&f);
}

// Q = L M^-1 L, dense.
static double *new_dense(const fixture *f)
{
    int64_t n = f->box.graph.node_count;
    pli_laplacian *l = NULL;
    OK(f->context, pli_laplacian_create(f->context, &f->def.mesh, NULL, &l));
    double *Q = calloc((size_t)(n * n), sizeof *Q);
    assert_non_null(Q);
    for (int64_t k = 0; k < n; ++k) {
        for (int64_t a = l->row_start[k]; a < l->row_start[k + 1]; ++a) {
            for (int64_t b = l->row_start[k]; b < l->row_start[k + 1]; ++b) {
                Q[l->column[a] * n + l->column[b]] += l->values[a] * l->values[b] / l->mass[k];
            }
        }
    }
    pli_laplacian_destroy(l);
    return Q;
}

// Projected Gauss-Seidel, which converges for every bounded convex quadratic program.
static void minimize_by_sweeps(const fixture *f, const double *Q, int32_t handle, double *w)
{
    int64_t n = f->box.graph.node_count;
    bool *held = calloc((size_t)n, sizeof *held);
    for (int32_t k = 0; k < HANDLES; ++k) held[f->handles[k]] = true;
    w[f->handles[handle]] = 1;
    double change = 1;
    for (int32_t sweep = 0; sweep < 100000 && change > 1e-9; ++sweep) {
        change = 0;
        for (int64_t i = 0; i < n; ++i) {
            if (held[i]) continue;
            double r = 0;
            for (int64_t j = 0; j < n; ++j) r -= Q[i * n + j] * w[j];
            double next = fmin(fmax(w[i] + r / Q[i * n + i], 0), 1);
            change = fmax(change, fabs(next - w[i]));
            w[i] = next;
        }
    }
    AT_MOST(change, 1e-9);
    free(held);
}

static void weights_minimise_the_biharmonic_energy(void **state)
{
    (void)state;
    if (!pli_cholesky_is_available()) skip();
    fixture f = make_fixture(5, 2, 2);
    f.def.handles = f.handles;
    pli_biharmonic *weights = NULL;
    OK(f.context, pli_biharmonic_create(f.context, &f.def, &weights));
    int64_t n = f.box.graph.node_count;
    double *table = new_table(weights);
    double *Q = new_dense(&f);
    double *w = calloc((size_t)(HANDLES * n), sizeof *w);
    for (int32_t k = 0; k < HANDLES; ++k) minimize_by_sweeps(&f, Q, k, w + k * n);
    bool is_bounded = false;
    for (int64_t v = 0; v < n; ++v) {
        double sum = 0;
        for (int32_t k = 0; k < HANDLES; ++k) sum += w[k * n + v];
        for (int32_t k = 0; k < HANDLES; ++k) {
            is_bounded = is_bounded || (w[k * n + v] == 0 && v != f.handles[(k + 1) % HANDLES]);
            // iterations stop at changes of 1e-3, and six weights are scaled by their sum
            NEAR(table[v * HANDLES + k], w[k * n + v] / sum, 0, 1e-2);
        }
    }
    // the bounds matter here
    assert_true(is_bounded);
    free(w);
    free(Q);
    free(table);
    pli_biharmonic_destroy(weights);
    clear_fixture(&f);
}

// Vertices without elements, and parts of the mesh without handles, follow the nearest handle.
static void unreached_vertices_follow_the_nearest_handle(void **state)
{
    (void)state;
    if (!pli_cholesky_is_available()) skip();
    fixture f = make_fixture(4, 3, 3);
    f.def.handles = f.handles;
    // one handle is skipped with its vertex: its elements are left out, the others remain
    f.nearest[0] = -1;
    pli_simplices *mesh = &f.def.mesh;
    mesh->element_count /= 2;
    pli_biharmonic *weights = NULL;
    OK(f.context, pli_biharmonic_create(f.context, &f.def, &weights));
    assert_int_equal(weights->start[1] - weights->start[0], 0);
    int32_t last = mesh->vertex_count - 1;
    assert_int_equal(weights->start[last + 1] - weights->start[last], 1);
    assert_int_equal(weights->handle[weights->start[last]], f.nearest[last]);
    for (int32_t v = 1; v < mesh->vertex_count; ++v) {
        assert_true(weights->start[v + 1] > weights->start[v]);
    }
    pli_biharmonic_destroy(weights);
    clear_fixture(&f);
}

// A strip of triangles, mirror-symmetric: so are the weights of handles at its ends.
static void triangles_work_as_well(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    enum { LENGTH = 12, COUNT = 2 * LENGTH + 1 };
    pli_context *context = *state;
    // two rows; the lower one has a vertex more
    double points[COUNT][3] = {{0}};
    int32_t triangles[COUNT - 2][3];
    int32_t nearest[COUNT];
    for (int v = 0; v < COUNT; ++v) pli_vec3_set(0.5 * v, v % 2, 0.1 * (v % 2), points[v]);
    for (int32_t t = 0; t < COUNT - 2; ++t) {
        int32_t corners[3] = {t, t + 1, t + 2};
        memcpy(triangles[t], corners, sizeof corners);
    }
    for (int v = 0; v < COUNT; ++v) nearest[v] = v < COUNT / 2 ? 0 : 1;
    int32_t handles[2] = {0, COUNT - 1};
    pli_biharmonic_def def = {{COUNT, points[0], 3, COUNT - 2, triangles[0]}, 2, handles, nearest};
    pli_biharmonic *weights = NULL;
    OK(context, pli_biharmonic_create(context, &def, &weights));
    double first[COUNT] = {0};
    for (int v = 0; v < COUNT; ++v) {
        for (int64_t k = weights->start[v]; k < weights->start[v + 1]; ++k) {
            if (weights->handle[k] == 0) first[v] = weights->weight[k];
        }
    }
    for (int v = 0; v < COUNT; ++v) NEAR(first[v] + first[COUNT - 1 - v], 1, 0, 5e-3);
    for (int v = 2; v < COUNT; ++v) AT_MOST(first[v], first[v - 2] + 1e-3);
    pli_biharmonic_destroy(weights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_bounded_and_sum_to_one),
        cmocka_unit_test(weights_minimise_the_biharmonic_energy),
        cmocka_unit_test(unreached_vertices_follow_the_nearest_handle),
        TEST_IN_CONTEXT(triangles_work_as_well, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
