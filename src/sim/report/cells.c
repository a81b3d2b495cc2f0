// SPDX-License-Identifier: Apache-2.0
#include "sim/report/cells.h"

#include "base/parallel.h"
#include "math/eigen.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "sim/step/mesh_stepper.h"
#include "sim/step/tets_build.h"

#include <float.h>
#include <math.h>

// places of xx, yy, zz, xy, yz, xz in a 3x3 matrix
static const int places[6] = {0, 4, 8, 1, 5, 2};

// ---- tensors

static void pack(const double A[9], double tensor[6])
{
    for (int k = 0; k < 6; ++k) tensor[k] = A[places[k]];
}

static void unpack(const double tensor[6], double A[9])
{
    static const int index[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
    for (int k = 0; k < 9; ++k) A[k] = tensor[index[k]];
}

// sigma = P F^T / J
void pli_stress_from(const double F[9], const double P[9], double stress[6])
{
    static const double thinnest = 1e-9;
    double J = pli_mat3_determinant(F);
    double sigma[9];
    pli_mat3_multiply_transposed_right(P, F, sigma);
    pack(sigma, stress);
    for (int k = 0; k < 6; ++k) stress[k] /= copysign(fmax(fabs(J), thinnest), J);
}

// 1/2 ln (F F^T)
void pli_log_strain_from(const double F[9], double strain[6])
{
    double B[9], values[3], Q[9], L[9] = {0};
    pli_mat3_multiply_transposed_right(F, F, B);
    pli_eigen_symmetric(3, B, values, Q);
    for (int k = 0; k < 3; ++k) {
        double stretch = 0.5 * log(fmax(values[k], DBL_MIN));
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) L[3 * i + j] += stretch * Q[3 * i + k] * Q[3 * j + k];
        }
    }
    pack(L, strain);
}

void pli_green_strain_from(const double F[9], double strain[6])
{
    double C[9];
    pli_mat3_multiply_transposed_left(F, F, C);
    pack(C, strain);
    for (int k = 0; k < 6; ++k) strain[k] = 0.5 * (strain[k] - (k < 3 ? 1 : 0));
}

void pli_principal_from(const double tensor[6], double values[3], double direction[3])
{
    double A[9], ascending[3], Q[9];
    unpack(tensor, A);
    pli_eigen_symmetric(3, A, ascending, Q);
    for (int k = 0; k < 3; ++k) {
        if (values != NULL) values[k] = ascending[2 - k];
        if (direction != NULL) direction[k] = Q[3 * k + 2];
    }
}

double pli_von_mises_from(const double stress[6])
{
    double mean = (stress[0] + stress[1] + stress[2]) / 3;
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        sum += (stress[k] - mean) * (stress[k] - mean) + 2 * stress[3 + k] * stress[3 + k];
    }
    return sqrt(1.5 * sum);
}

// ---- elements

enum { TET_GRAIN = 512 };

typedef struct cell_job {
    const pli_cell_values *wanted;
    const pli_model *model;
    const pli_elastic *elastic;
    const double *x;
} cell_job;

// What an element has is the mean of its material points, by volume.
static void put(const pli_elastic_point *point, int32_t size, const double *value, double *to)
{
    for (int32_t k = 0; k < size; ++k) {
        double part = point->share * value[k];
        to[k] = point->point > 0 ? to[k] + part : part;
    }
}

static void take_point(void *user, const pli_elastic_point *point)
{
    const pli_cell_values *to = ((const cell_job *)user)->wanted;
    int64_t at = point->tet;
    double tensor[6];
    if (to->stress != NULL) {
        pli_stress_from(point->F, point->P, tensor);
        put(point, 6, tensor, to->stress + 6 * at);
    }
    if (to->log_strain != NULL) {
        pli_log_strain_from(point->F, tensor);
        put(point, 6, tensor, to->log_strain + 6 * at);
    }
    if (to->green_strain != NULL) {
        pli_green_strain_from(point->F, tensor);
        put(point, 6, tensor, to->green_strain + 6 * at);
    }
    if (to->density != NULL) put(point, 1, &point->psi, to->density + at);
    if (to->volume != NULL) {
        to->volume[at] = point->point > 0 ? to->volume[at] + point->volume : point->volume;
    }
}

static void take_tets(void *user, int64_t begin, int64_t end)
{
    const cell_job *job = user;
    unsigned want = PLI_ELASTIC_WHOLE;
    if (job->wanted->density != NULL) want |= PLI_ELASTIC_ENERGY;
    if (job->wanted->stress != NULL) want |= PLI_ELASTIC_STRESS;
    pli_elastic_visit(job->elastic, job->x, want, begin, end, take_point, user);
}

// sum of values[k] d_k d_k^T
static void compose(const double values[2], double directions[2][3], double tensor[6])
{
    for (int k = 0; k < 6; ++k) {
        int i = places[k] / 3;
        int j = places[k] % 3;
        tensor[k] = values[0] * directions[0][i] * directions[0][j] +
                    values[1] * directions[1][i] * directions[1][j];
    }
}

// With the edges D at rest and d now, both [3][2]: E = D G (d^T d - D^T D) G D^T / 2,
// G = (D^T D)^-1.
static void measure_green(const cell_job *job, int64_t triangle, double strain[6])
{
    const int32_t *corners = job->model->triangles + 3 * triangle;
    double D[2][3], d[2][3], dual[2][3], change[2][2], E[9];
    for (int k = 0; k < 2; ++k) {
        int64_t from = 3 * (int64_t)corners[0], to = 3 * (int64_t)corners[k + 1];
        pli_vec3_subtract(job->model->rest + to, job->model->rest + from, D[k]);
        pli_vec3_subtract(job->x + to, job->x + from, d[k]);
    }
    double a = pli_vec3_norm2(D[0]), b = pli_vec3_dot(D[0], D[1]), c = pli_vec3_norm2(D[1]);
    double area2 = a * c - b * b;
    for (int i = 0; i < 3; ++i) {
        dual[0][i] = (c * D[0][i] - b * D[1][i]) / area2;
        dual[1][i] = (a * D[1][i] - b * D[0][i]) / area2;
    }
    for (int k = 0; k < 2; ++k) {
        for (int l = 0; l < 2; ++l) {
            change[k][l] = 0.5 * (pli_vec3_dot(d[k], d[l]) - pli_vec3_dot(D[k], D[l]));
        }
    }
    for (int k = 0; k < 9; ++k) {
        E[k] = 0;
        for (int l = 0; l < 4; ++l) {
            E[k] += change[l / 2][l % 2] * dual[l / 2][k / 3] * dual[l % 2][k % 3];
        }
    }
    pack(E, strain);
}

static void take_triangle(void *user, const pli_membrane_sample *sample)
{
    const cell_job *job = user;
    const pli_cell_values *to = job->wanted;
    int64_t at = (int64_t)job->model->tet_count + sample->triangle;
    pli_membrane_sample own = *sample;
    double stretch[2];
    for (int k = 0; k < 2; ++k) stretch[k] = log(fmax(sample->stretch[k], DBL_MIN));
    if (to->stress != NULL) compose(own.stress, own.direction, to->stress + 6 * at);
    if (to->log_strain != NULL) compose(stretch, own.direction, to->log_strain + 6 * at);
    if (to->green_strain != NULL) measure_green(job, sample->triangle, to->green_strain + 6 * at);
    if (to->J != NULL) to->J[at] = sample->J;
    if (to->density != NULL) to->density[at] = sample->psi;
    if (to->volume != NULL) to->volume[at] = sample->volume;
}

pli_status pli_cells_measure(pli_mesh_stepper *s, const pli_state *state,
                             const pli_cell_values *wanted)
{
    PLI_TRY(pli_tets_ensure_elastic(s));
    pli_tets_set_time(s, pli_state_time(state));
    pli_tets_load(s, state);
    cell_job job = {wanted, s->model, NULL, state->x};
    pli_elastic *list[PLI_TETS_KINDS];
    int32_t count = pli_tets_list(s, list);
    for (int32_t k = 0; k < count; ++k) {
        job.elastic = list[k];
        if (list[k]->patches != NULL) pli_elastic_update_patches(list[k], state->x);
        pli_parallel_for(s->context, list[k]->tet_count, TET_GRAIN, take_tets, &job);
    }
    if (wanted->J != NULL) pli_tets_measure(s, state->x, wanted->J);
    if (s->shell != NULL) pli_membrane_visit(s->shell->membrane, state->x, take_triangle, &job);
    return PLI_OK;
}
