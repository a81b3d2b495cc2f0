// SPDX-License-Identifier: Apache-2.0
#include "contact/penalty.h"

#include "contact/coulomb.h"
#include "math/eigen.h"
#include "math/mat3.h"

enum { POINT_GRAIN = 256 };

// What visitors of penetrating pairs need; each uses its part.
typedef struct penalty_job {
    const pli_penalty *penalty;
    const double *x;
    pli_sum sum; // energy (J)
    double *g;   // forces are scaled by `sign` and added
    double sign;
    pli_bcsr *H;
    double *blocks; // [points][6]
    bool projected;
    const double *mass;
    double h;
    double *v;
    pli_resultant *resultants; // [collider_count] or NULL; then one range is all points
} penalty_job;

static pli_collider_method method_of(const pli_penalty *penalty)
{
    return penalty->quadratic ? PLI_COLLIDER_QUADRATIC : PLI_COLLIDER_PENALTY;
}

static void visit_inside(const penalty_job *job, int64_t begin, int64_t end, pli_pair_fn visit,
                         void *user)
{
    pli_collision_scan scan = {&job->penalty->def, method_of(job->penalty), 0, job->x};
    pli_collision_visit(&scan, begin, end, visit, user);
}

static const pli_collider *collider_of(const penalty_job *job, int32_t b)
{
    return &job->penalty->def.colliders[b];
}

// ---- the laws

// Energy at a depth d, with its first two derivatives.
typedef struct law_value {
    double e;
    double slope;
    double curvature;
} law_value;

static law_value evaluate_law(const penalty_job *job, const pli_collider *collider, double d)
{
    double k = collider->stiffness;
    if (job->penalty->quadratic) return (law_value){0.5 * k * d * d, k * d, k};
    return (law_value){k * d * d * d, 3 * k * d * d, 6 * k * d};
}

// ---- energy

static void add_pair_energy(void *user, int64_t point, int32_t b)
{
    penalty_job *job = user;
    const pli_collider *collider = collider_of(job, b);
    double depth = -pli_collider_value(collider, job->x + 3 * point);
    pli_sum_add(&job->sum, evaluate_law(job, collider, depth).e);
}

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    // blocks run at the same time: each has a sum of its own
    penalty_job job = *(const penalty_job *)user;
    visit_inside(&job, begin, end, add_pair_energy, &job);
    return job.sum;
}

static pli_sum total_energy(const pli_penalty *penalty, const double *x)
{
    penalty_job job = {.penalty = penalty, .x = x};
    return pli_parallel_sum(penalty->context, penalty->def.point_count, POINT_GRAIN, sum_energy,
                            &job);
}

static pli_sum penalty_energy(void *self, const double *x)
{
    return total_energy(self, x);
}

// ---- gradient and forces

// f = e' grad phi
static void pair_force(const penalty_job *job, const pli_collider *collider, const double x[3],
                       double f[3])
{
    double phi = pli_collider_gradient(collider, x, f);
    pli_vec3_scale(evaluate_law(job, collider, -phi).slope, f, f);
}

static void add_pair_force(void *user, int64_t point, int32_t b)
{
    const penalty_job *job = user;
    double f[3];
    pair_force(job, collider_of(job, b), job->x + 3 * point, f);
    pli_vec3_add_scaled(job->g + 3 * point, job->sign, f, job->g + 3 * point);
}

static void add_range_forces(void *user, int64_t begin, int64_t end)
{
    visit_inside(user, begin, end, add_pair_force, user);
}

static void add_forces(const pli_penalty *penalty, const double *x, double sign, double *g)
{
    penalty_job job = {.penalty = penalty, .x = x, .g = g, .sign = sign};
    pli_parallel_for(penalty->context, penalty->def.point_count, POINT_GRAIN, add_range_forces,
                     &job);
}

static void penalty_add_gradient(void *self, const double *x, double *g)
{
    add_forces(self, x, -1, g);
}

// ---- Hessian

// B = e'' n n^T - e' d2phi, made positive semi-definite when projected
static void pair_hessian(const penalty_job *job, const pli_collider *collider, const double x[3],
                         double B[9])
{
    double n[3];
    double D[9] = {0};
    bool flat = job->projected && job->penalty->quadratic;
    double phi =
        flat ? pli_collider_gradient(collider, x, n) : pli_collider_hessian(collider, x, n, D);
    law_value law = evaluate_law(job, collider, -phi);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            B[3 * i + j] = law.curvature * n[i] * n[j] - law.slope * D[3 * i + j];
        }
    }
    if (job->projected && !flat) pli_psd_clamp(3, B);
}

static void add_pair_hessian(void *user, int64_t point, int32_t b)
{
    const penalty_job *job = user;
    double B[9];
    pair_hessian(job, collider_of(job, b), job->x + 3 * point, B);
    double *block = job->H->values + 9 * job->H->diagonal[point];
    pli_mat3_add_scaled(block, 1, B, block);
}

static void add_range_hessians(void *user, int64_t begin, int64_t end)
{
    visit_inside(user, begin, end, add_pair_hessian, user);
}

static void penalty_add_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    const pli_penalty *penalty = self;
    penalty_job job = {.penalty = penalty, .x = x, .projected = projected, .H = H};
    pli_parallel_for(penalty->context, penalty->def.point_count, POINT_GRAIN, add_range_hessians,
                     &job);
}

// ---- blocks on the diagonal of a matrix that stays

static const int places[6] = {0, 4, 8, 1, 2, 5}; // xx, yy, zz, xy, xz, yz

static void add_pair_block(void *user, int64_t point, int32_t b)
{
    const penalty_job *job = user;
    double B[9];
    pair_hessian(job, collider_of(job, b), job->x + 3 * point, B);
    for (int k = 0; k < 6; ++k) job->blocks[6 * point + k] += B[places[k]];
}

static void add_range_blocks(void *user, int64_t begin, int64_t end)
{
    visit_inside(user, begin, end, add_pair_block, user);
}

static void penalty_add_blocks(void *self, const double *x, double *blocks)
{
    const pli_penalty *penalty = self;
    penalty_job job = {.penalty = penalty, .x = x, .projected = true, .blocks = blocks};
    pli_parallel_for(penalty->context, penalty->def.point_count, POINT_GRAIN, add_range_blocks,
                     &job);
}

// ---- one vertex

// What the vertex at a place of the batch sees of a collider that it is inside of, at -phi.
static void add_pair_vertex(const penalty_job *job, const pli_collider *collider, double phi,
                            const pli_vertex_batch *batch, int64_t at)
{
    const double *x = job->x + 3 * (int64_t)batch->vertices[at];
    if (batch->energy != NULL) batch->energy[at] += evaluate_law(job, collider, -phi).e;
    if (batch->g != NULL) {
        double f[3];
        pair_force(job, collider, x, f);
        pli_vec3_subtract(batch->g + 3 * at, f, batch->g + 3 * at);
    }
    if (batch->H != NULL) {
        double B[9];
        pair_hessian(job, collider, x, B);
        for (int k = 0; k < 6; ++k) batch->H[6 * at + k] += B[places[k]];
    }
}

// Looks at n <= PLI_COLLIDER_CHUNK vertices of the batch together.
static void add_chunk_vertices(const penalty_job *job, const pli_vertex_batch *batch, int32_t begin,
                               int32_t n)
{
    const pli_collision_def *def = &job->penalty->def;
    double points[3 * PLI_COLLIDER_CHUNK];
    double values[PLI_COLLIDER_CHUNK];
    for (int32_t i = 0; i < n; ++i) {
        pli_vec3_copy(job->x + 3 * (int64_t)batch->vertices[begin + i], points + 3 * i);
    }
    for (int32_t b = 0; b < def->collider_count; ++b) {
        const pli_collider *collider = &def->colliders[b];
        if (!pli_collider_is(collider, method_of(job->penalty))) continue;
        if (!pli_collider_values(collider, n, points, 0, values)) continue;
        for (int32_t i = 0; i < n; ++i) {
            bool held = pli_collision_held(def, batch->vertices[begin + i]) == PLI_HELD;
            if (values[i] < 0 && !held) add_pair_vertex(job, collider, values[i], batch, begin + i);
        }
    }
}

static void penalty_add_vertices(void *self, const double *x, const pli_vertex_batch *batch)
{
    penalty_job job = {.penalty = self, .x = x, .projected = true};
    for (int32_t begin = 0; begin < batch->count; begin += PLI_COLLIDER_CHUNK) {
        int32_t left = batch->count - begin;
        int32_t n = left < PLI_COLLIDER_CHUNK ? left : PLI_COLLIDER_CHUNK;
        add_chunk_vertices(&job, batch, begin, n);
    }
}

const pli_term_ops pli_penalty_term = {
    .name = "collider penalty",
    .energy = penalty_energy,
    .add_gradient = penalty_add_gradient,
    .add_hessian = penalty_add_hessian,
    .add_blocks = penalty_add_blocks,
    .add_vertices = penalty_add_vertices,
};

// ---- after the solve

void pli_penalty_measure(const pli_penalty *penalty, const double *x, pli_collision_report *report)
{
    pli_collision_measure(penalty->context, &penalty->def, method_of(penalty), x, report);
    report->energy = pli_sum_value(total_energy(penalty, x));
}

void pli_penalty_add_forces(const pli_penalty *penalty, const double *x, double *forces)
{
    add_forces(penalty, x, 1, forces);
}

static void sum_pair(void *user, int64_t point, int32_t b)
{
    const penalty_job *job = user;
    const double *x = job->x + 3 * point;
    double f[3];
    pair_force(job, collider_of(job, b), x, f);
    pli_resultant_add(&job->resultants[b], x, 1, f);
}

void pli_penalty_add_resultants(const pli_penalty *penalty, const double *x,
                                pli_resultant *resultants)
{
    penalty_job job = {.penalty = penalty, .x = x, .resultants = resultants};
    visit_inside(&job, 0, penalty->def.point_count, sum_pair, &job);
}

static void brake_pair(void *user, int64_t point, int32_t b)
{
    penalty_job *job = user;
    const pli_collider *collider = collider_of(job, b);
    double f[3], impulse[3];
    pair_force(job, collider, job->x + 3 * point, f);
    pli_coulomb pair = {.friction = collider->friction,
                        .mass = job->mass[point],
                        .held = pli_collision_held(&job->penalty->def, point)};
    pair.impulse = job->h * pli_vec3_normalize(f, pair.normal);
    pli_collider_velocity(collider, job->x + 3 * point, job->h, pair.velocity);
    pli_sum_add(&job->sum, pli_coulomb_brake(&pair, job->v + 3 * point, impulse));
    if (job->resultants == NULL) return;
    pli_resultant_add(&job->resultants[b], job->x + 3 * point, 1 / job->h, impulse);
}

static pli_sum brake_range(void *user, int64_t begin, int64_t end)
{
    penalty_job job = *(const penalty_job *)user;
    visit_inside(&job, begin, end, brake_pair, &job);
    return job.sum;
}

double pli_penalty_apply_friction(const pli_penalty *penalty, const double *x, const double *mass,
                                  double h, double *v, pli_resultant *resultants)
{
    penalty_job job = {
        .penalty = penalty, .x = x, .mass = mass, .h = h, .v = v, .resultants = resultants};
    if (resultants != NULL) return pli_sum_value(brake_range(&job, 0, penalty->def.point_count));
    return pli_sum_value(pli_parallel_sum(penalty->context, penalty->def.point_count, POINT_GRAIN,
                                          brake_range, &job));
}
