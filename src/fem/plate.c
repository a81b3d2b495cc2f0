// SPDX-License-Identifier: Apache-2.0
#include "fem/plate.h"

#include "base/memory.h"
#include "fem/hinge_angle.h"
#include "math/eigen.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { PLATE_GRAIN = 512, EDGES = 3, CORNERS = 6, UNKNOWNS = 3 * CORNERS };

// vertices of the hinge at the edge across from a corner, among those of the element
static const int hinges[EDGES][4] = {{1, 2, 0, 3}, {2, 0, 1, 4}, {0, 1, 2, 5}};

// ---- one element

typedef struct plate_point {
    bool has_edge[EDGES];
    pli_hinge_point hinge[EDGES];
    double difference[EDGES]; // d
    double moment[EDGES];     // Q d (N m)
} plate_point;

static void hinge_vertices(const int32_t *vertices, int edge, int32_t out[4])
{
    for (int k = 0; k < 4; ++k) out[k] = vertices[hinges[edge][k]];
}

// False for an element with a triangle that has no area.
static bool load_plate(const pli_plates *plates, const double *x, int64_t index, plate_point *p)
{
    const double *Q = plates->stiffness + 9 * index;
    for (int edge = 0; edge < EDGES; ++edge) {
        int32_t vertices[4];
        p->has_edge[edge] = Q[4 * edge] > 0;
        p->difference[edge] = 0;
        if (!p->has_edge[edge]) continue;
        hinge_vertices(plates->vertices + CORNERS * index, edge, vertices);
        if (!pli_hinge_load(x, vertices, &p->hinge[edge])) return false;
        p->difference[edge] =
            pli_angle_difference(p->hinge[edge].angle, plates->rest_angle[EDGES * index + edge]);
    }
    for (int edge = 0; edge < EDGES; ++edge) {
        p->moment[edge] = pli_vec3_dot(Q + 3 * edge, p->difference);
    }
    return true;
}

// Adds by (a, b, c) of the hinge to the rows of the four vertices.
static void add_by_vertex(const double by[9], int edge, double scale, double out[UNKNOWNS])
{
    for (int k = 0; k < 9; ++k) {
        out[3 * hinges[edge][1 + k / 3] + k % 3] += scale * by[k];
        out[3 * hinges[edge][0] + k % 3] -= scale * by[k];
    }
}

// ---- shape at rest

// The plane of a triangle, in which its neighbours are unfolded.
typedef struct flat_element {
    double corner[CORNERS][2];
} flat_element;

// Corners of a triangle from the lengths of its sides, and its neighbours turned into its plane.
static void unfold(const double *rest, const int32_t *vertices, flat_element *flat)
{
    const double *x[CORNERS];
    double u[3], v[3], n[3];
    for (int k = 0; k < CORNERS; ++k) {
        x[k] = rest + 3 * (int64_t)(vertices[k] >= 0 ? vertices[k] : vertices[0]);
    }
    pli_vec3_subtract(x[1], x[0], u);
    pli_vec3_subtract(x[2], x[0], v);
    pli_vec3_cross(u, v, n);
    double length = pli_vec3_norm(u);
    const double corners[3][2] = {
        {0, 0}, {length, 0}, {pli_vec3_dot(u, v) / length, pli_vec3_norm(n) / length}};
    memcpy(flat->corner, corners, sizeof corners);
    for (int edge = 0; edge < EDGES; ++edge) {
        const double *p = flat->corner[hinges[edge][0]], *q = flat->corner[hinges[edge][1]];
        double a[3], c[3], N[3];
        pli_vec3_subtract(x[hinges[edge][1]], x[hinges[edge][0]], a);
        pli_vec3_subtract(x[3 + edge], x[hinges[edge][0]], c);
        pli_vec3_cross(a, c, N);
        double square = pli_vec3_norm2(a);
        double along = pli_vec3_dot(a, c) / square, away = pli_vec3_norm(N) / square;
        double way[2] = {q[0] - p[0], q[1] - p[1]};
        flat->corner[3 + edge][0] = p[0] + along * way[0] + away * way[1];
        flat->corner[3 + edge][1] = p[1] + along * way[1] - away * way[0];
    }
}

// A row of M: the angle of a flat hinge per curvature k_11, k_22, k_12 of z = 1/2 x^T K x.
static bool angle_by_curvature(const flat_element *flat, int edge, double row[3])
{
    double points[12] = {0}, g[9];
    static const int32_t order[4] = {0, 1, 2, 3};
    pli_hinge_point hinge;
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < 2; ++i) points[3 * k + i] = flat->corner[hinges[edge][k]][i];
    }
    if (!pli_hinge_load(points, order, &hinge)) return false;
    pli_hinge_gradient(&hinge, g);
    row[0] = row[1] = row[2] = 0;
    for (int k = 1; k < 4; ++k) {
        const double *p = points + 3 * k, *o = points;
        double by_z = g[3 * (k - 1) + 2];
        row[0] += by_z * 0.5 * (p[0] * p[0] - o[0] * o[0]);
        row[1] += by_z * 0.5 * (p[1] * p[1] - o[1] * o[1]);
        row[2] += by_z * (p[0] * p[1] - o[0] * o[1]);
    }
    return true;
}

// The inverse of a positive matrix [n][n], whose eigenvalues are raised to a part of the largest.
static void invert(int n, const double *G, double *inverse)
{
    double values[3], vectors[9];
    pli_eigen_symmetric(n, G, values, vectors);
    for (int k = 0; k < n * n; ++k) inverse[k] = 0;
    for (int mode = 0; mode < n; ++mode) {
        double value = fmax(values[mode], PLI_PLATE_LEAST * values[n - 1]);
        for (int k = 0; k < n * n; ++k) {
            inverse[k] += vectors[n * (k / n) + mode] * vectors[n * (k % n) + mode] / value;
        }
    }
}

// a^T C^-1 b of a plate with D = 1
static double comply(const double a[3], const double b[3], double nu)
{
    double direct = a[0] * b[0] + a[1] * b[1] - nu * (a[0] * b[1] + a[1] * b[0]);
    return direct / (1 - nu * nu) + a[2] * b[2] / (2 * (1 - nu));
}

// Q = A D (M C^-1 M^T)^-1, and the angles at rest. Zero where a triangle has no area.
static void compute_rest(pli_plates *plates, const pli_plates_def *def, int64_t index)
{
    const int32_t *vertices = def->vertices + CORNERS * index;
    flat_element flat;
    double rows[EDGES][3], G[9], inverse[9];
    int edges[EDGES], n = 0;
    unfold(def->rest, vertices, &flat);
    for (int edge = 0; edge < EDGES; ++edge) {
        if (vertices[3 + edge] < 0) continue;
        if (!angle_by_curvature(&flat, edge, rows[n])) return;
        edges[n++] = edge;
    }
    if (n == 0) return;
    for (int k = 0; k < n * n; ++k) G[k] = comply(rows[k / n], rows[k % n], def->poisson[index]);
    invert(n, G, inverse);
    double area = 0.5 * flat.corner[1][0] * flat.corner[2][1];
    for (int k = 0; k < n * n; ++k) {
        plates->stiffness[9 * index + 3 * edges[k / n] + edges[k % n]] =
            area * def->rigidity[index] * inverse[k];
    }
    for (int k = 0; k < n; ++k) {
        int32_t hinge[4];
        hinge_vertices(vertices, edges[k], hinge);
        plates->rest_angle[EDGES * index + edges[k]] = pli_hinge_angle(def->rest, hinge);
    }
}

// ---- construction

static const pli_element_ops plate_ops; // below

static pli_status build(pli_plates *plates, const pli_plates_def *def)
{
    pli_context *context = plates->elements.context;
    int64_t count = plates->plate_count;
    PLI_TRY(PLI_MAKE(context, plates->vertices, CORNERS * count, "plates"));
    PLI_TRY(PLI_MAKE(context, plates->stiffness, 9 * count, "bending stiffness"));
    PLI_TRY(PLI_MAKE(context, plates->rest_angle, EDGES * count, "rest angles"));
    for (int64_t k = 0; k < CORNERS * count; ++k) {
        int32_t vertex = def->vertices[k];
        plates->vertices[k] = vertex >= 0 ? vertex : def->vertices[k - EDGES];
    }
    for (int64_t k = 0; k < count; ++k) compute_rest(plates, def, k);
    return pli_elements_color(&plates->elements, CORNERS, count, plates->vertices);
}

pli_status pli_plates_create(pli_context *context, const pli_plates_def *def, pli_plates **plates)
{
    *plates = NULL;
    pli_plates *made = PLI_NEW(context, pli_plates, 1, "plate term");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->elements = (pli_elements){context, &plate_ops, .vertex_count = def->vertex_count};
    made->plate_count = def->plate_count;
    pli_status status = build(made, def);
    if (status != PLI_OK) {
        pli_plates_destroy(made);
        return status;
    }
    *plates = made;
    return PLI_OK;
}

void pli_plates_destroy(pli_plates *plates)
{
    if (plates == NULL) return;
    pli_context *context = plates->elements.context;
    pli_elements_clear(&plates->elements);
    PLI_RELEASE(context, plates->rest_angle, plates->stiffness, plates->vertices, plates);
}

// ---- energy

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    pli_sum sum = {0, 0};
    for (int64_t k = begin; k < end; ++k) {
        plate_point point;
        if (!load_plate(job->self, job->x, k, &point)) continue;
        pli_sum_add(&sum, 0.5 * pli_vec3_dot(point.moment, point.difference));
    }
    return sum;
}

// ---- gradient

static void add_forces(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_plates *plates = job->self;
    for (int64_t k = begin; k < end; ++k) {
        plate_point point;
        double sum[UNKNOWNS] = {0};
        if (!load_plate(plates, job->x, k, &point)) continue;
        for (int edge = 0; edge < EDGES; ++edge) {
            double g[9];
            if (!point.has_edge[edge]) continue;
            pli_hinge_gradient(&point.hinge[edge], g);
            add_by_vertex(g, edge, point.moment[edge], sum);
        }
        const int32_t *vertices = plates->vertices + CORNERS * k;
        for (int i = 0; i < UNKNOWNS; ++i) {
            job->g[3 * (int64_t)vertices[i / 3] + i % 3] += sum[i];
        }
    }
}

// ---- Hessian

// K += moment d2theta of one hinge
static void add_curvature(const plate_point *point, int edge, double K[UNKNOWNS * UNKNOWNS])
{
    double H[81], rows[9][UNKNOWNS] = {{0}};
    pli_hinge_hessian(&point->hinge[edge], point->moment[edge], H);
    for (int row = 0; row < 9; ++row) add_by_vertex(H + 9 * row, edge, 1, rows[row]);
    for (int column = 0; column < UNKNOWNS; ++column) {
        double by[9], out[UNKNOWNS] = {0};
        for (int row = 0; row < 9; ++row) by[row] = rows[row][column];
        add_by_vertex(by, edge, 1, out);
        for (int row = 0; row < UNKNOWNS; ++row) K[UNKNOWNS * row + column] += out[row];
    }
}

// K = w (dtheta^T Q dtheta + moments d2theta), without the second part when projected
static void plate_stiffness(const plate_point *point, const double *Q, double weight,
                            bool projected, double K[UNKNOWNS * UNKNOWNS])
{
    double g[EDGES][UNKNOWNS] = {{0}}, Qg[EDGES][UNKNOWNS] = {{0}};
    memset(K, 0, UNKNOWNS * UNKNOWNS * sizeof *K);
    for (int edge = 0; edge < EDGES; ++edge) {
        double by[9];
        if (!point->has_edge[edge]) continue;
        pli_hinge_gradient(&point->hinge[edge], by);
        add_by_vertex(by, edge, 1, g[edge]);
        if (!projected) add_curvature(point, edge, K);
    }
    for (int edge = 0; edge < EDGES; ++edge) {
        for (int i = 0; i < UNKNOWNS; ++i) {
            Qg[edge][i] =
                Q[3 * edge] * g[0][i] + Q[3 * edge + 1] * g[1][i] + Q[3 * edge + 2] * g[2][i];
        }
    }
    for (int i = 0; i < UNKNOWNS; ++i) {
        for (int j = 0; j < UNKNOWNS; ++j) {
            double sum = g[0][i] * Qg[0][j] + g[1][i] * Qg[1][j] + g[2][i] * Qg[2][j];
            K[UNKNOWNS * i + j] = weight * (K[UNKNOWNS * i + j] + sum);
        }
    }
}

static void add_stiffness(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_plates *plates = job->self;
    for (int64_t k = begin; k < end; ++k) {
        plate_point point;
        double K[UNKNOWNS * UNKNOWNS];
        double weight = pli_element_weight(job, k);
        if (weight == 0 || !load_plate(plates, job->x, k, &point)) continue;
        plate_stiffness(&point, plates->stiffness + 9 * k, weight, job->projected, K);
        pli_element_add_matrix(job, k, CORNERS, K);
    }
}

static const pli_element_ops plate_ops = {.grain = PLATE_GRAIN,
                                          .sum_energy = sum_energy,
                                          .add_gradient = add_forces,
                                          .add_hessian = add_stiffness};

const pli_term_ops pli_plates_term = {
    .name = "plates",
    .energy = pli_elements_energy,
    .add_gradient = pli_elements_add_gradient,
    .add_hessian = pli_elements_add_hessian,
    .get_cliques = pli_elements_get_cliques,
    .bind = pli_elements_bind,
    .lags = true,
};
