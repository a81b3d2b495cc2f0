// SPDX-License-Identifier: Apache-2.0
#include "fem/plate.h"

#include "base/memory.h"
#include "fem/hinge_angle.h"
#include "math/eigen.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum {
    PLATE_GRAIN = 256,
    EDGES = 3,
    VERTICES = PLI_PLATE_VERTICES,
    HINGES = PLI_PLATE_HINGES,
    UNKNOWNS = 3 * VERTICES
};

// vertices of the hinges: the three sides, then two sides of every neighbour
static const int hinges[HINGES][4] = {{1, 2, 0, 3}, {2, 0, 1, 4},  {0, 1, 2, 5},
                                      {1, 3, 2, 6}, {3, 2, 1, 7},  {2, 4, 0, 8},
                                      {4, 0, 2, 9}, {0, 5, 1, 10}, {5, 1, 0, 11}};

// ---- one element

typedef struct plate_point {
    pli_hinge_point hinge[HINGES];
    double difference[HINGES]; // d, 0 where there is no hinge
    double phi[EDGES];         // P d
    double effort[EDGES];      // Q phi (N m)
    double moment[HINGES];     // P^T Q P d (N m)
} plate_point;

static void hinge_vertices(const int32_t *vertices, int hinge, int32_t out[4])
{
    for (int k = 0; k < 4; ++k) out[k] = vertices[hinges[hinge][k]];
}

static bool has_hinge(const pli_plates *plates, int64_t index, int hinge)
{
    return (plates->hinges[index] >> hinge & 1) != 0;
}

// False for an element with a triangle that has no area.
static bool load_plate(const pli_plates *plates, const double *x, int64_t index, plate_point *p)
{
    const double *Q = plates->stiffness + 9 * index;
    const double *P = plates->share + EDGES * HINGES * index;
    for (int k = 0; k < HINGES; ++k) {
        int32_t vertices[4];
        p->difference[k] = 0;
        if (!has_hinge(plates, index, k)) continue;
        hinge_vertices(plates->vertices + VERTICES * index, k, vertices);
        if (!pli_hinge_load(x, vertices, &p->hinge[k])) return false;
        p->difference[k] =
            pli_angle_difference(p->hinge[k].angle, plates->rest_angle[HINGES * index + k]);
    }
    for (int edge = 0; edge < EDGES; ++edge) {
        p->phi[edge] = 0;
        for (int k = 0; k < HINGES; ++k) p->phi[edge] += P[HINGES * edge + k] * p->difference[k];
    }
    for (int edge = 0; edge < EDGES; ++edge) {
        p->effort[edge] = pli_vec3_dot(Q + 3 * edge, p->phi);
    }
    for (int k = 0; k < HINGES; ++k) {
        p->moment[k] =
            P[k] * p->effort[0] + P[HINGES + k] * p->effort[1] + P[2 * HINGES + k] * p->effort[2];
    }
    return true;
}

// Adds by (a, b, c) of a hinge to the rows of its four vertices.
static void add_by_vertex(const double by[9], int hinge, double scale, double out[UNKNOWNS])
{
    for (int k = 0; k < 9; ++k) {
        out[3 * hinges[hinge][1 + k / 3] + k % 3] += scale * by[k];
        out[3 * hinges[hinge][0] + k % 3] -= scale * by[k];
    }
}

// ---- shape at rest

// An element laid flat into the plane of its triangle.
typedef struct flat_element {
    double at[VERTICES][2];
    bool has[HINGES];
} flat_element;

// Lays the vertex behind the edge of a hinge flat.
static void unfold(const double *rest, const int32_t *vertices, int hinge, flat_element *flat)
{
    const int *ends = hinges[hinge];
    const double *p = flat->at[ends[0]], *q = flat->at[ends[1]];
    const double *from = rest + 3 * (int64_t)vertices[ends[0]];
    double a[3], c[3], N[3];
    pli_vec3_subtract(rest + 3 * (int64_t)vertices[ends[1]], from, a);
    pli_vec3_subtract(rest + 3 * (int64_t)vertices[ends[3]], from, c);
    pli_vec3_cross(a, c, N);
    double square = pli_vec3_norm2(a);
    double along = pli_vec3_dot(a, c) / square, away = pli_vec3_norm(N) / square;
    double way[2] = {q[0] - p[0], q[1] - p[1]};
    flat->at[ends[3]][0] = p[0] + along * way[0] + away * way[1];
    flat->at[ends[3]][1] = p[1] + along * way[1] - away * way[0];
}

static void flatten(const double *rest, const int32_t *vertices, flat_element *flat)
{
    double u[3], v[3], n[3];
    const double *origin = rest + 3 * (int64_t)vertices[0];
    *flat = (flat_element){0};
    pli_vec3_subtract(rest + 3 * (int64_t)vertices[1], origin, u);
    pli_vec3_subtract(rest + 3 * (int64_t)vertices[2], origin, v);
    pli_vec3_cross(u, v, n);
    double length = pli_vec3_norm(u);
    flat->at[1][0] = length;
    flat->at[2][0] = pli_vec3_dot(u, v) / length;
    flat->at[2][1] = pli_vec3_norm(n) / length;
    for (int k = 0; k < HINGES; ++k) {
        flat->has[k] = vertices[hinges[k][3]] >= 0;
        if (flat->has[k]) unfold(rest, vertices, k, flat);
    }
}

// The angle of a flat hinge per curvature k_11, k_22, k_12 of z = 1/2 x^T K x. False where a
// triangle has no area.
static bool angle_by_curvature(const flat_element *flat, int hinge, double row[3])
{
    static const int32_t order[4] = {0, 1, 2, 3};
    double points[12] = {0}, g[9];
    pli_hinge_point point;
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < 2; ++i) points[3 * k + i] = flat->at[hinges[hinge][k]][i];
    }
    if (!pli_hinge_load(points, order, &point)) return false;
    pli_hinge_gradient(&point, g);
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

// f of the triangle on one side of a hinge: its slope across the edge minus that of the quadratic
// surface in the middle, both towards the other side, per curvature. `side` 2 is the element's own.
static void slope_by_curvature(const flat_element *flat, int hinge, int side, double f[3])
{
    const double *p = flat->at[hinges[hinge][0]], *q = flat->at[hinges[hinge][1]];
    const double *r = flat->at[hinges[hinge][side]];
    double way[2] = {q[0] - p[0], q[1] - p[1]};
    double length = hypot(way[0], way[1]);
    double n[2] = {way[1] / length, -way[0] / length}, t[2] = {way[0] / length, way[1] / length};
    double to[2] = {r[0] - p[0], r[1] - p[1]};
    double h = -(to[0] * n[0] + to[1] * n[1]), s = to[0] * t[0] + to[1] * t[1];
    // with the origin at p: z = 0 there, 1/2 length^2 k_tt at q, so that of the line at the foot of
    // r is 1/2 s length k_tt; the middle is at length / 2
    double by_tt = (0.5 * s * length - 0.5 * s * s) / h, by_nn = -0.5 * h;
    double by_nt = s - 0.5 * length;
    f[0] = by_tt * t[0] * t[0] + by_nn * n[0] * n[0] + by_nt * n[0] * t[0];
    f[1] = by_tt * t[1] * t[1] + by_nn * n[1] * n[1] + by_nt * n[1] * t[1];
    f[2] = 2 * by_tt * t[0] * t[1] + 2 * by_nn * n[0] * n[1] + by_nt * (n[0] * t[1] + n[1] * t[0]);
}

// The inverse of a positive matrix [n][n]; eigenvalues below a part of the largest count as none,
// with `drops`, else as that part.
static void invert(int n, const double *G, double least, bool drops, double *inverse)
{
    double values[3], vectors[9];
    pli_eigen_symmetric(n, G, values, vectors);
    for (int k = 0; k < n * n; ++k) inverse[k] = 0;
    for (int mode = 0; mode < n; ++mode) {
        double bound = least * values[n - 1];
        if (drops && values[mode] < bound) continue;
        for (int k = 0; k < n * n; ++k) {
            inverse[k] += vectors[n * (k / n) + mode] * vectors[n * (k % n) + mode] /
                          fmax(values[mode], bound);
        }
    }
}

// Adds to a row of P what an edge's share has of the curvature k, d . k: k fits the angles at the
// sides of the edge's two triangles.
static bool add_fit(const flat_element *flat, int edge, const double d[3], double row[HINGES])
{
    const int around[5] = {0, 1, 2, 3 + 2 * edge, 4 + 2 * edge};
    double M[5][3], G[9] = {0}, inverse[9], weight[3];
    for (int r = 0; r < 5; ++r) {
        if (!flat->has[around[r]]) continue;
        if (!angle_by_curvature(flat, around[r], M[r])) return false;
        for (int k = 0; k < 9; ++k) G[k] += M[r][k / 3] * M[r][k % 3];
    }
    invert(3, G, 1e-3, true, inverse);
    for (int k = 0; k < 3; ++k) weight[k] = pli_vec3_dot(inverse + 3 * k, d);
    for (int r = 0; r < 5; ++r) {
        if (flat->has[around[r]]) row[around[r]] += pli_vec3_dot(M[r], weight);
    }
    return true;
}

// A row of P, and f of the element's own triangle. False where a triangle has no area.
static bool share_angle(const flat_element *flat, int edge, double f[3], double row[HINGES])
{
    double other[3], d[3];
    const double *p = flat->at[hinges[edge][0]], *q = flat->at[hinges[edge][1]];
    double heights[2];
    for (int side = 0; side < 2; ++side) {
        const double *r = flat->at[hinges[edge][2 + side]];
        heights[side] = fabs((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]));
    }
    double w = heights[0] / (heights[0] + heights[1]);
    slope_by_curvature(flat, edge, 2, f);
    slope_by_curvature(flat, edge, 3, other);
    // seen from the other side, slopes have the other sign
    for (int k = 0; k < 3; ++k) d[k] = f[k] - w * (f[k] - other[k]);
    row[edge] += w;
    return add_fit(flat, edge, d, row);
}

// a^T C^-1 b of a plate with D = 1
static double comply(const double a[3], const double b[3], double nu)
{
    double direct = a[0] * b[0] + a[1] * b[1] - nu * (a[0] * b[1] + a[1] * b[0]);
    return direct / (1 - nu * nu) + a[2] * b[2] / (2 * (1 - nu));
}

// P, Q = A D (f C^-1 f^T)^-1, and the angles at rest. Zero where a triangle has no area.
static void compute_rest(pli_plates *plates, const pli_plates_def *def, int64_t index)
{
    const int32_t *vertices = def->vertices + VERTICES * index;
    flat_element flat;
    double f[EDGES][3], P[EDGES * HINGES] = {0}, G[9], inverse[9];
    int edges[EDGES], n = 0;
    flatten(def->rest, vertices, &flat);
    for (int edge = 0; edge < EDGES; ++edge) {
        if (!flat.has[edge]) continue;
        if (!share_angle(&flat, edge, f[n], P + HINGES * edge)) return;
        edges[n++] = edge;
    }
    if (n == 0) return;
    for (int k = 0; k < n * n; ++k) G[k] = comply(f[k / n], f[k % n], def->poisson[index]);
    invert(n, G, 1e-12, false, inverse);
    double area = 0.5 * flat.at[1][0] * flat.at[2][1];
    for (int k = 0; k < n * n; ++k) {
        plates->stiffness[9 * index + 3 * edges[k / n] + edges[k % n]] =
            area * def->rigidity[index] * inverse[k];
    }
    memcpy(plates->share + EDGES * HINGES * index, P, sizeof P);
    for (int k = 0; k < HINGES; ++k) {
        int32_t hinge[4];
        if (!flat.has[k]) continue;
        hinge_vertices(vertices, k, hinge);
        plates->hinges[index] = (uint16_t)(plates->hinges[index] | 1u << k);
        plates->rest_angle[HINGES * index + k] = pli_hinge_angle(def->rest, hinge);
    }
}

// ---- construction

static const pli_element_ops plate_ops; // below

static pli_status build(pli_plates *plates, const pli_plates_def *def)
{
    pli_context *context = plates->elements.context;
    int64_t count = plates->plate_count;
    PLI_TRY(PLI_MAKE(context, plates->vertices, VERTICES * count, "plates"));
    PLI_TRY(PLI_MAKE(context, plates->hinges, count, "plates"));
    PLI_TRY(PLI_MAKE(context, plates->share, EDGES * HINGES * count, "plates"));
    PLI_TRY(PLI_MAKE(context, plates->stiffness, 9 * count, "bending stiffness"));
    PLI_TRY(PLI_MAKE(context, plates->rest_angle, HINGES * count, "rest angles"));
    for (int64_t k = 0; k < VERTICES * count; ++k) {
        int32_t vertex = def->vertices[k];
        plates->vertices[k] = vertex >= 0 ? vertex : def->vertices[k - k % VERTICES];
    }
    for (int64_t k = 0; k < count; ++k) compute_rest(plates, def, k);
    return pli_elements_color(&plates->elements, VERTICES, count, plates->vertices);
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
    PLI_RELEASE(context, plates->rest_angle, plates->stiffness, plates->share, plates->hinges,
                plates->vertices, plates);
}

// ---- energy

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    pli_sum sum = {0, 0};
    for (int64_t k = begin; k < end; ++k) {
        plate_point point;
        if (!load_plate(job->self, job->x, k, &point)) continue;
        pli_sum_add(&sum, 0.5 * pli_vec3_dot(point.effort, point.phi));
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
        for (int hinge = 0; hinge < HINGES; ++hinge) {
            double g[9];
            if (!has_hinge(plates, k, hinge)) continue;
            pli_hinge_gradient(&point.hinge[hinge], g);
            add_by_vertex(g, hinge, point.moment[hinge], sum);
        }
        const int32_t *vertices = plates->vertices + VERTICES * k;
        for (int i = 0; i < UNKNOWNS; ++i) {
            job->g[3 * (int64_t)vertices[i / 3] + i % 3] += sum[i];
        }
    }
}

// ---- Hessian

// K += moment d2theta of one hinge, which has twelve unknowns
static void add_curvature(const plate_point *point, int hinge, double K[UNKNOWNS * UNKNOWNS])
{
    double H[81];
    pli_hinge_hessian(&point->hinge[hinge], point->moment[hinge], H);
    for (int row = 0; row < 9; ++row) {
        int at = 3 * hinges[hinge][1 + row / 3] + row % 3;
        int from = 3 * hinges[hinge][0] + row % 3;
        add_by_vertex(H + 9 * row, hinge, 1, K + UNKNOWNS * at);
        add_by_vertex(H + 9 * row, hinge, -1, K + UNKNOWNS * from);
    }
}

// K = w (dphi^T Q dphi + moments d2theta), without the second part when projected
static void plate_stiffness(const pli_plates *plates, int64_t index, const plate_point *point,
                            double weight, bool projected, double K[UNKNOWNS * UNKNOWNS])
{
    const double *Q = plates->stiffness + 9 * index;
    const double *P = plates->share + EDGES * HINGES * index;
    double g[EDGES][UNKNOWNS] = {{0}}, Qg[EDGES][UNKNOWNS];
    memset(K, 0, UNKNOWNS * UNKNOWNS * sizeof *K);
    for (int k = 0; k < HINGES; ++k) {
        double by[9];
        if (!has_hinge(plates, index, k)) continue;
        pli_hinge_gradient(&point->hinge[k], by);
        for (int edge = 0; edge < EDGES; ++edge) {
            if (P[HINGES * edge + k] != 0) add_by_vertex(by, k, P[HINGES * edge + k], g[edge]);
        }
        if (!projected && point->moment[k] != 0) add_curvature(point, k, K);
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
        plate_stiffness(plates, k, &point, weight, job->projected, K);
        pli_element_add_matrix(job, k, VERTICES, K);
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
