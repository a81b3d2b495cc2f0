// SPDX-License-Identifier: Apache-2.0
//
// What must hold for every mesh that stuffing makes, shared by the tests of shapes and recipes.
#ifndef PLI_TESTS_STUFFING_CHECKS_H
#define PLI_TESTS_STUFFING_CHECKS_H

#include "near.h"

#include "geometry/stuffing.h"
#include "math/vec3.h"

// The last line a context logged.
typedef struct heard {
    char text[256];
    int count;
} heard;

static inline void hear_line(void *user, pli_log_level level, const char *text)
{
    (void)level;
    heard *last = user;
    ++last->count;
    snprintf(last->text, sizeof last->text, "%s", text);
}

static inline pli_context *make_hearing_context(heard *last)
{
    pli_context_def def = pli_context_def_default();
    def.thread_count = 1;
    def.log = hear_line;
    def.log_user = last;
    def.log_level = PLI_LOG_WARNING;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    return context;
}

// Dihedral angle (degrees) at the edge from corner i to j, the other corners being k and l.
static inline double dihedral_angle(const double *x[4], int i, int j, int k, int l)
{
    double edge[3];
    double u[3];
    double v[3];
    double nu[3];
    double nv[3];
    double c[3];
    pli_vec3_subtract(x[j], x[i], edge);
    pli_vec3_subtract(x[k], x[i], u);
    pli_vec3_subtract(x[l], x[i], v);
    pli_vec3_cross(edge, u, nu);
    pli_vec3_cross(edge, v, nv);
    pli_vec3_cross(nu, nv, c);
    return atan2(pli_vec3_norm(c), pli_vec3_dot(nu, nv)) * 180 / M_PI;
}

// Volumes are positive and dihedral angles between 10 and 165 degrees.
static inline void check_angles(const pli_stuffing *mesh)
{
    static const int edges[6][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2},
                                    {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 3, 0, 1}};
    double smallest = 180;
    double largest = 0;
    for (int32_t t = 0; t < mesh->tet_count; ++t) {
        const double *x[4];
        double e[3][3];
        double c[3];
        for (int i = 0; i < 4; ++i) x[i] = mesh->points + 3 * mesh->tets[4 * t + i];
        for (int i = 0; i < 3; ++i) pli_vec3_subtract(x[i + 1], x[0], e[i]);
        pli_vec3_cross(e[0], e[1], c);
        assert_true(pli_vec3_dot(c, e[2]) > 0);
        for (int k = 0; k < 6; ++k) {
            double angle = dihedral_angle(x, edges[k][0], edges[k][1], edges[k][2], edges[k][3]);
            smallest = fmin(smallest, angle);
            largest = fmax(largest, angle);
        }
    }
    AT_LEAST(smallest, 10);
    AT_MOST(largest, 165);
}

typedef struct face_key {
    int32_t sorted[3];
    int32_t turned[3]; // as seen from outside
} face_key;

static inline int compare_faces(const void *a, const void *b)
{
    const face_key *x = a;
    const face_key *y = b;
    for (int i = 0; i < 3; ++i) {
        if (x->sorted[i] != y->sorted[i]) return x->sorted[i] < y->sorted[i] ? -1 : 1;
    }
    return 0;
}

static inline int compare_keys(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static inline void sort_three(int32_t v[3])
{
    for (int k = 0; k < 3; ++k) {
        int i = k % 2;
        if (v[i] <= v[i + 1]) continue;
        int32_t swap = v[i];
        v[i] = v[i + 1];
        v[i + 1] = swap;
    }
}

// Inner faces are shared by two tetrahedra, and every edge of the boundary belongs to two of its
// faces, once in each direction. Every vertex is used.
static inline void check_boundary(const pli_stuffing *mesh)
{
    static const int sides[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    int32_t face_count = 4 * mesh->tet_count;
    face_key *faces = calloc((size_t)face_count, sizeof *faces);
    int64_t *edges = calloc(3 * (size_t)face_count, sizeof *edges);
    bool *used = calloc((size_t)mesh->point_count, sizeof *used);
    for (int32_t f = 0; f < face_count; ++f) {
        for (int i = 0; i < 3; ++i) {
            int32_t vertex = mesh->tets[4 * (f / 4) + sides[f % 4][i]];
            assert_in_range(vertex, 0, mesh->point_count - 1);
            faces[f].sorted[i] = faces[f].turned[i] = vertex;
            used[vertex] = true;
        }
        sort_three(faces[f].sorted);
    }
    for (int32_t p = 0; p < mesh->point_count; ++p) assert_true(used[p]);

    // faces that appear once are the boundary
    qsort(faces, (size_t)face_count, sizeof *faces, compare_faces);
    int32_t edge_count = 0;
    for (int32_t f = 0; f < face_count;) {
        int32_t same = 1;
        while (f + same < face_count && compare_faces(faces + f, faces + f + same) == 0) ++same;
        assert_true(same <= 2);
        for (int i = 0; i < 3 && same == 1; ++i) {
            const int32_t *v = faces[f].turned;
            edges[edge_count++] = (int64_t)v[i] << 32 | v[(i + 1) % 3];
        }
        f += same;
    }
    qsort(edges, (size_t)edge_count, sizeof *edges, compare_keys);
    for (int32_t e = 0; e < edge_count; ++e) {
        int64_t back = edges[e] << 32 | edges[e] >> 32;
        assert_true(e == 0 || edges[e] != edges[e - 1]);
        assert_non_null(bsearch(&back, edges, (size_t)edge_count, sizeof *edges, compare_keys));
    }
    free(faces);
    free(edges);
    free(used);
}

#endif
