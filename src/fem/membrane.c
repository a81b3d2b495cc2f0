// SPDX-License-Identifier: Apache-2.0
#include "fem/membrane.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>

enum { TRIANGLE_GRAIN = 512, MODES = 6 };

static const pli_element_ops membrane_ops; // below

// ---- construction

static pli_status allocate_arrays(pli_membrane *m)
{
    pli_context *context = m->elements.context;
    int64_t count = m->triangle_count;
    m->triangles = PLI_NEW(context, int32_t, 3 * count, "triangles");
    m->gradients = PLI_NEW(context, double, 4 * count, "shape gradients");
    m->volume = PLI_NEW(context, double, count, "volumes");
    m->mu = PLI_NEW(context, double, count, "shear moduli");
    m->bulk = PLI_NEW(context, double, count, "bulk moduli");
    bool complete = m->triangles != NULL && m->gradients != NULL && m->volume != NULL &&
                    m->mu != NULL && m->bulk != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

// Edges of a triangle from its corner 0.
static void get_edges(const double *x, const int32_t triangle[3], double e1[3], double e2[3])
{
    const double *x0 = x + 3 * (int64_t)triangle[0];
    pli_vec3_subtract(x + 3 * (int64_t)triangle[1], x0, e1);
    pli_vec3_subtract(x + 3 * (int64_t)triangle[2], x0, e2);
}

// Lays a triangle flat, corner 1 on the first axis: corners are (0, 0), (a, 0) and (p, q).
static pli_status compute_rest_shape(pli_membrane *m, const pli_membrane_def *def, int32_t index)
{
    double e1[3], e2[3], normal[3];
    get_edges(def->rest, def->triangles + 3 * (int64_t)index, e1, e2);
    pli_vec3_cross(e1, e2, normal);
    double a = pli_vec3_norm(e1);
    double q = pli_vec3_norm(normal) / a;
    double p = pli_vec3_dot(e1, e2) / a;
    double area = 0.5 * a * q;
    if (!(area > 0) || !isfinite(p / (a * q))) {
        return PLI_FAIL(m->elements.context, PLI_ERROR_MESH,
                        "triangle %d has no area at rest; every triangle of a shell needs one",
                        (int)index);
    }
    double *gradient = m->gradients + 4 * (int64_t)index;
    gradient[0] = 1 / a;
    gradient[1] = -p / (a * q);
    gradient[2] = 0;
    gradient[3] = 1 / q;
    m->volume[index] = area * def->thickness[index];
    return PLI_OK;
}

static pli_status build(pli_membrane *m, const pli_membrane_def *def)
{
    PLI_TRY(allocate_arrays(m));
    for (int32_t k = 0; k < m->triangle_count; ++k) {
        for (int64_t i = 3 * (int64_t)k; i < 3 * (int64_t)k + 3; ++i) {
            m->triangles[i] = def->triangles[i];
        }
        PLI_TRY(compute_rest_shape(m, def, k));
        m->mu[k] = 0.5 * def->young[k] / (1 + def->poisson[k]);
        m->bulk[k] = 0.5 * def->young[k] / (1 - def->poisson[k]);
    }
    return pli_elements_color(&m->elements, 3, m->triangle_count, m->triangles);
}

pli_status pli_membrane_create(pli_context *context, const pli_membrane_def *def,
                               pli_membrane **membrane)
{
    *membrane = NULL;
    pli_membrane *made = PLI_NEW(context, pli_membrane, 1, "membrane term");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->elements = (pli_elements){context, &membrane_ops, .vertex_count = def->vertex_count};
    made->triangle_count = def->triangle_count;
    pli_status status = build(made, def);
    if (status != PLI_OK) {
        pli_membrane_destroy(made);
        return status;
    }
    *membrane = made;
    return PLI_OK;
}

void pli_membrane_destroy(pli_membrane *membrane)
{
    if (membrane == NULL) return;
    pli_context *context = membrane->elements.context;
    pli_elements_clear(&membrane->elements);
    PLI_RELEASE(context, membrane->bulk, membrane->mu, membrane->volume, membrane->gradients,
                membrane->triangles, membrane);
}

// ---- one triangle

// A deformed triangle and what its energy depends on.
typedef struct membrane_point {
    const double *gradient; // [4]
    double mu;
    double bulk;
    double f1[3]; // columns of F
    double f2[3];
    double n[3]; // f1 x f2 / J
    double J;
} membrane_point;

// False for a triangle without area, where the energy is infinite and has no derivatives.
static bool load_point(const pli_membrane *m, const double *x, int64_t index, membrane_point *p)
{
    double e1[3], e2[3];
    const double *g = m->gradients + 4 * index;
    get_edges(x, m->triangles + 3 * index, e1, e2);
    for (int i = 0; i < 3; ++i) {
        p->f1[i] = e1[i] * g[0] + e2[i] * g[2];
        p->f2[i] = e1[i] * g[1] + e2[i] * g[3];
    }
    p->gradient = g;
    p->mu = m->mu[index];
    p->bulk = m->bulk[index];
    pli_vec3_cross(p->f1, p->f2, p->n);
    p->J = pli_vec3_norm(p->n);
    // also not for what is not finite
    if (!(p->J >= DBL_MIN && p->J <= DBL_MAX)) return false;
    pli_vec3_scale(1 / p->J, p->n, p->n);
    return true;
}

// psi, in a form that keeps its digits near rest: (s_1 - s_2)^2 = (s_1^2 - s_2^2)^2 / (s_1 + s_2)^2
static double point_energy(const membrane_point *p)
{
    double c11 = pli_vec3_norm2(p->f1);
    double c22 = pli_vec3_norm2(p->f2);
    double c12 = pli_vec3_dot(p->f1, p->f2);
    double unequal = ((c11 - c22) * (c11 - c22) + 4 * c12 * c12) / (c11 + c22 + 2 * p->J);
    double growth = p->J - 1;
    double barrier = growth + 0.5 * growth * growth - log1p(growth);
    return 0.5 * p->mu * unequal + 0.5 * p->bulk * barrier;
}

// b = dpsi/dJ at constant |F|^2
static double point_pressure(const membrane_point *p)
{
    return -p->mu + 0.5 * p->bulk * (p->J - 1 / p->J);
}

// Columns of P = mu F + b dJ/dF.
static void point_stress(const membrane_point *p, double P1[3], double P2[3])
{
    double b = point_pressure(p);
    pli_vec3_cross(p->f2, p->n, P1);
    pli_vec3_cross(p->n, p->f1, P2);
    for (int i = 0; i < 3; ++i) {
        P1[i] = p->mu * p->f1[i] + b * P1[i];
        P2[i] = p->mu * p->f2[i] + b * P2[i];
    }
}

// F = s_1 u_1 v_1^T + s_2 u_2 v_2^T, s_1 >= s_2 > 0
typedef struct membrane_frame {
    double s[2];
    double v[2][2];
    double u[3][3]; // u_1, u_2, n
} membrane_frame;

static void find_frame(const membrane_point *p, membrane_frame *frame)
{
    double c12 = pli_vec3_dot(p->f1, p->f2);
    double angle = 0.5 * atan2(2 * c12, pli_vec3_norm2(p->f1) - pli_vec3_norm2(p->f2));
    double c = cos(angle);
    double s = sin(angle);
    frame->v[0][0] = c;
    frame->v[0][1] = s;
    frame->v[1][0] = -s;
    frame->v[1][1] = c;
    double along[3];
    pli_vec3_scale(c, p->f1, along);
    pli_vec3_add_scaled(along, s, p->f2, along);
    frame->s[0] = pli_vec3_normalize(along, frame->u[0]);
    frame->s[1] = p->J / frame->s[0];
    pli_vec3_copy(p->n, frame->u[2]);
    pli_vec3_cross(p->n, frame->u[0], frame->u[1]);
}

// An eigenvector of the Hessian, M = sum c_ij u_i v_j^T, and its eigenvalue.
typedef struct membrane_mode {
    double value;
    double c[3][2];
} membrane_mode;

// Eigenvalues and vectors of the symmetric matrix of the two stretches.
static void find_stretch_modes(double a, double b, double d, membrane_mode modes[2])
{
    double angle = 0.5 * atan2(2 * b, a - d);
    double middle = 0.5 * (a + d);
    double radius = hypot(0.5 * (a - d), b);
    double c = cos(angle);
    double s = sin(angle);
    modes[0] = (membrane_mode){middle + radius, {{c, 0}, {0, s}, {0, 0}}};
    modes[1] = (membrane_mode){middle - radius, {{-s, 0}, {0, c}, {0, 0}}};
}

static void find_modes(const membrane_point *p, const membrane_frame *frame,
                       membrane_mode modes[MODES])
{
    const double half = 0.70710678118654752440;
    double mu = p->mu;
    double b = point_pressure(p);
    double d = 0.5 * p->bulk * (1 + 1 / (p->J * p->J));
    double s1 = frame->s[0];
    double s2 = frame->s[1];
    find_stretch_modes(mu + d * s2 * s2, b + d * p->J, mu + d * s1 * s1, modes);
    modes[2] = (membrane_mode){mu - b, {{0, half}, {half, 0}, {0, 0}}};
    modes[3] = (membrane_mode){mu + b, {{0, half}, {-half, 0}, {0, 0}}};
    modes[4] = (membrane_mode){mu + b * s2 / s1, {{0, 0}, {0, 0}, {1, 0}}};
    modes[5] = (membrane_mode){mu + b * s1 / s2, {{0, 0}, {0, 0}, {0, 1}}};
}

// w_a = sum c_ij u_i (v_j . grad N_a): how a mode moves the corners.
static void move_corners(const membrane_point *p, const membrane_frame *frame,
                         const membrane_mode *mode, double w[9])
{
    double slope[2][2]; // v_j . grad N_(a+1)
    for (int a = 0; a < 2; ++a) {
        for (int j = 0; j < 2; ++j) {
            slope[a][j] =
                frame->v[j][0] * p->gradient[2 * a] + frame->v[j][1] * p->gradient[2 * a + 1];
        }
    }
    for (int a = 0; a < 2; ++a) {
        double *to = w + 3 * (a + 1);
        pli_vec3_set(0, 0, 0, to);
        for (int i = 0; i < 3; ++i) {
            double along = mode->c[i][0] * slope[a][0] + mode->c[i][1] * slope[a][1];
            pli_vec3_add_scaled(to, along, frame->u[i], to);
        }
    }
    for (int i = 0; i < 3; ++i) w[i] = -w[3 + i] - w[6 + i];
}

// K = weight sum of lambda w w^T over the modes, [9][9]
static void point_stiffness(const membrane_point *p, double weight, bool projected, double K[81])
{
    membrane_frame frame;
    membrane_mode modes[MODES];
    find_frame(p, &frame);
    find_modes(p, &frame, modes);
    for (int k = 0; k < 81; ++k) K[k] = 0;
    for (int mode = 0; mode < MODES; ++mode) {
        double value = weight * (projected ? fmax(modes[mode].value, 0) : modes[mode].value);
        double w[9];
        if (value == 0) continue;
        move_corners(p, &frame, &modes[mode], w);
        for (int i = 0; i < 9; ++i) {
            for (int j = 0; j < 9; ++j) K[9 * i + j] += value * w[i] * w[j];
        }
    }
}

// ---- energy

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_membrane *m = job->self;
    pli_sum sum = {0, 0};
    for (int64_t k = begin; k < end; ++k) {
        membrane_point point;
        bool defined = load_point(m, job->x, k, &point);
        double energy = defined ? m->volume[k] * point_energy(&point) : INFINITY;
        pli_sum_merge(&sum, (pli_sum){energy, 0});
    }
    return sum;
}

// ---- gradient

// dE/dx_a = V P grad N_a
static void add_forces(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_membrane *m = job->self;
    for (int64_t k = begin; k < end; ++k) {
        membrane_point p;
        if (!load_point(m, job->x, k, &p)) continue;
        double P1[3], P2[3];
        const int32_t *corner = m->triangles + 3 * k;
        double V = m->volume[k];
        point_stress(&p, P1, P2);
        for (int i = 0; i < 3; ++i) {
            double f1 = V * (P1[i] * p.gradient[0] + P2[i] * p.gradient[1]);
            double f2 = V * (P1[i] * p.gradient[2] + P2[i] * p.gradient[3]);
            job->g[3 * (int64_t)corner[0] + i] -= f1 + f2;
            job->g[3 * (int64_t)corner[1] + i] += f1;
            job->g[3 * (int64_t)corner[2] + i] += f2;
        }
    }
}

// ---- Hessian

static void add_stiffness(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_membrane *m = job->self;
    for (int64_t k = begin; k < end; ++k) {
        membrane_point point;
        double K[81];
        if (!load_point(m, job->x, k, &point)) continue;
        double weight = m->volume[k] * pli_element_weight(job, k);
        if (weight == 0) continue;
        point_stiffness(&point, weight, job->projected, K);
        pli_element_add_matrix(job, k, 3, K);
    }
}

static const pli_element_ops membrane_ops = {.grain = TRIANGLE_GRAIN,
                                             .sum_energy = sum_energy,
                                             .add_gradient = add_forces,
                                             .add_hessian = add_stiffness};

const pli_term_ops pli_membrane_term = {
    .name = "membrane",
    .energy = pli_elements_energy,
    .add_gradient = pli_elements_add_gradient,
    .add_hessian = pli_elements_add_hessian,
    .get_cliques = pli_elements_get_cliques,
    .bind = pli_elements_bind,
    .lags = true,
};

// ---- reports

// Principal stresses psi_i / s_j, with psi_i = mu s_i + b s_j.
static double point_von_mises(const membrane_point *p)
{
    membrane_frame frame;
    find_frame(p, &frame);
    double b = point_pressure(p);
    double s1 = p->mu * frame.s[0] / frame.s[1] + b;
    double s2 = p->mu * frame.s[1] / frame.s[0] + b;
    return sqrt(s1 * s1 - s1 * s2 + s2 * s2);
}

typedef struct measure_job {
    const pli_membrane *membrane;
    const double *x;
    double *J;
    double *von_mises;
} measure_job;

static void measure_range(void *user, int64_t begin, int64_t end)
{
    const measure_job *job = user;
    for (int64_t k = begin; k < end; ++k) {
        membrane_point point;
        bool defined = load_point(job->membrane, job->x, k, &point);
        if (job->J != NULL) job->J[k] = defined ? point.J : 0;
        if (job->von_mises != NULL) job->von_mises[k] = defined ? point_von_mises(&point) : 0;
    }
}

void pli_membrane_measure(const pli_membrane *membrane, const double *x, double *J,
                          double *von_mises)
{
    measure_job job = {membrane, x, J, von_mises};
    pli_parallel_for(membrane->elements.context, membrane->triangle_count, TRIANGLE_GRAIN,
                     measure_range, &job);
}
