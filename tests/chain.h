// SPDX-License-Identifier: Apache-2.0
//
// A chain of springs with inertia, attachments and a floor, as terms that Newton's method,
// local-global minimisers and vertex descent all understand.
#ifndef PLI_TESTS_CHAIN_H
#define PLI_TESTS_CHAIN_H

#include "minimize.h"
#include "near.h"

#include "linear/krylov/solver.h"
#include "math/mat3.h"

enum { CHAIN_ATTACHMENTS = 8 };

typedef struct chain {
    int32_t point_count;
    int32_t *ends; // [point_count - 1][2]  springs
    pli_clique_list list;
    double stiffness; // of a spring
    double rest;      // length
    double mass;      // over the square of the step
    double *target;   // [point_count][3]  where inertia takes the points
    double floor;     // stiffness of the floor z = 0
    double turn;      // the floor's normal leans by this angle
    int32_t attachment_count;
    int32_t attached[CHAIN_ATTACHMENTS];
    double attachment[CHAIN_ATTACHMENTS][3]; // where to
    double attachment_stiffness;
    double largest_step; // of max_step; 0: no limit
} chain;

// ---- springs

// Unit vector along a spring; returns its length.
static inline double chain_direction(const chain *c, int32_t spring, const double *x, double u[3])
{
    const int32_t *end = c->ends + 2 * spring;
    pli_vec3_subtract(x + 3 * end[1], x + 3 * end[0], u);
    return pli_vec3_normalize(u, u);
}

static inline pli_sum chain_spring_energy(void *self, const double *x)
{
    const chain *c = self;
    pli_sum sum = {0, 0};
    for (int32_t s = 0; s + 1 < c->point_count; ++s) {
        double u[3];
        double stretch = chain_direction(c, s, x, u) - c->rest;
        pli_sum_add(&sum, 0.5 * c->stiffness * stretch * stretch);
    }
    return sum;
}

static inline void chain_spring_gradient(void *self, const double *x, double *g)
{
    const chain *c = self;
    for (int32_t s = 0; s + 1 < c->point_count; ++s) {
        double u[3];
        double force = c->stiffness * (chain_direction(c, s, x, u) - c->rest);
        for (int k = 0; k < 3; ++k) {
            g[3 * c->ends[2 * s] + k] -= force * u[k];
            g[3 * c->ends[2 * s + 1] + k] += force * u[k];
        }
    }
}

static inline void chain_spring_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    const chain *c = self;
    for (int32_t s = 0; s + 1 < c->point_count; ++s) {
        double u[3];
        double across = 1 - c->rest / chain_direction(c, s, x, u);
        if (projected && across < 0) across = 0;
        double block[9];
        double mirror[9];
        for (int k = 0; k < 9; ++k) {
            double identity = k % 4 == 0 ? across : 0;
            block[k] = c->stiffness * (identity + (1 - across) * u[k / 3] * u[k % 3]);
            mirror[k] = -block[k];
        }
        const int32_t *end = c->ends + 2 * s;
        pli_bcsr_add_diagonal_block(H, end[0], block);
        pli_bcsr_add_diagonal_block(H, end[1], block);
        assert_true(pli_bcsr_add_block(H, end[0], end[1], mirror));
        assert_true(pli_bcsr_add_block(H, end[1], end[0], mirror));
    }
}

static inline const pli_clique_list *chain_cliques(void *self)
{
    return &((chain *)self)->list;
}

static inline void chain_spring_lifted(void *self, pli_lifted *S)
{
    const chain *c = self;
    for (int32_t s = 0; s + 1 < c->point_count; ++s) {
        const int32_t *end = c->ends + 2 * s;
        pli_lifted_add(S, S->diagonal[end[0]], c->stiffness);
        pli_lifted_add(S, S->diagonal[end[1]], c->stiffness);
        pli_lifted_add(S, pli_lifted_find(S, end[0], end[1]), -c->stiffness);
        pli_lifted_add(S, pli_lifted_find(S, end[1], end[0]), -c->stiffness);
    }
}

static inline void chain_spring_vertices(void *self, const double *x, const pli_vertex_batch *b)
{
    const chain *c = self;
    for (int32_t i = 0; i < b->count; ++i) {
        for (int32_t s = b->vertices[i] - 1; s <= b->vertices[i]; ++s) {
            if (s < 0 || s + 1 >= c->point_count) continue;
            double u[3];
            double length = chain_direction(c, s, x, u);
            double stretch = length - c->rest;
            double sign = c->ends[2 * s] == b->vertices[i] ? -1 : 1;
            double across = fmax(0, stretch / length);
            if (b->energy != NULL) b->energy[i] += 0.5 * c->stiffness * stretch * stretch;
            for (int k = 0; k < 3 && b->g != NULL; ++k) {
                b->g[3 * i + k] += sign * c->stiffness * stretch * u[k];
            }
            for (int k = 0; k < 6 && b->H != NULL; ++k) {
                static const int rows[6] = {0, 1, 2, 0, 0, 1};
                static const int columns[6] = {0, 1, 2, 1, 2, 2};
                b->H[6 * i + k] += c->stiffness * ((k < 3 ? across : 0) +
                                                   (1 - across) * u[rows[k]] * u[columns[k]]);
            }
        }
    }
}

static inline double chain_max_step(void *self, const double *x, const double *d)
{
    const chain *c = self;
    (void)x;
    double largest = 0;
    for (int32_t i = 0; i < 3 * c->point_count; ++i) largest = fmax(largest, fabs(d[i]));
    return c->largest_step > 0 && largest > c->largest_step ? c->largest_step / largest : 1;
}

static const pli_term_ops chain_spring_term = {
    .name = "springs",
    .energy = chain_spring_energy,
    .add_gradient = chain_spring_gradient,
    .add_hessian = chain_spring_hessian,
    .get_cliques = chain_cliques,
    .max_step = chain_max_step,
    .add_lifted = chain_spring_lifted,
    .add_vertices = chain_spring_vertices,
};

// ---- inertia

static inline pli_sum chain_inertia_energy(void *self, const double *x)
{
    const chain *c = self;
    pli_sum sum = {0, 0};
    for (int32_t i = 0; i < 3 * c->point_count; ++i) {
        double away = x[i] - c->target[i];
        pli_sum_add(&sum, 0.5 * c->mass * away * away);
    }
    return sum;
}

static inline void chain_inertia_gradient(void *self, const double *x, double *g)
{
    const chain *c = self;
    for (int32_t i = 0; i < 3 * c->point_count; ++i) g[i] += c->mass * (x[i] - c->target[i]);
}

static inline void chain_inertia_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    const chain *c = self;
    (void)x;
    (void)projected;
    const double block[9] = {c->mass, 0, 0, 0, c->mass, 0, 0, 0, c->mass};
    for (int32_t p = 0; p < c->point_count; ++p) pli_bcsr_add_diagonal_block(H, p, block);
}

static inline void chain_inertia_lifted(void *self, pli_lifted *S)
{
    const chain *c = self;
    for (int32_t p = 0; p < c->point_count; ++p) pli_lifted_add(S, S->diagonal[p], c->mass);
}

static inline void chain_inertia_vertices(void *self, const double *x, const pli_vertex_batch *b)
{
    const chain *c = self;
    for (int32_t i = 0; i < 3 * b->count; ++i) {
        int32_t at = 3 * b->vertices[i / 3] + i % 3;
        double away = x[at] - c->target[at];
        if (b->energy != NULL) b->energy[i / 3] += 0.5 * c->mass * away * away;
        if (b->g != NULL) b->g[i] += c->mass * away;
        if (b->H != NULL) b->H[6 * (i / 3) + i % 3] += c->mass;
    }
}

static const pli_term_ops chain_inertia_term = {
    .name = "inertia",
    .energy = chain_inertia_energy,
    .add_gradient = chain_inertia_gradient,
    .add_hessian = chain_inertia_hessian,
    .add_lifted = chain_inertia_lifted,
    .add_vertices = chain_inertia_vertices,
};

// ---- attachments and floor

static inline void chain_normal(const chain *c, double n[3])
{
    pli_vec3_set(sin(c->turn), 0, cos(c->turn), n);
}

static inline pli_sum chain_contact_energy(void *self, const double *x)
{
    const chain *c = self;
    pli_sum sum = {0, 0};
    double n[3];
    chain_normal(c, n);
    for (int32_t p = 0; p < c->point_count; ++p) {
        double depth = fmin(0, pli_vec3_dot(n, x + 3 * p));
        pli_sum_add(&sum, 0.5 * c->floor * depth * depth);
    }
    for (int32_t a = 0; a < c->attachment_count; ++a) {
        double away[3];
        pli_vec3_subtract(x + 3 * c->attached[a], c->attachment[a], away);
        pli_sum_add(&sum, 0.5 * c->attachment_stiffness * pli_vec3_dot(away, away));
    }
    return sum;
}

static inline void chain_contact_gradient(void *self, const double *x, double *g)
{
    const chain *c = self;
    double n[3];
    chain_normal(c, n);
    for (int32_t p = 0; p < c->point_count; ++p) {
        double depth = fmin(0, pli_vec3_dot(n, x + 3 * p));
        for (int k = 0; k < 3; ++k) g[3 * p + k] += c->floor * depth * n[k];
    }
    for (int32_t a = 0; a < c->attachment_count; ++a) {
        for (int k = 0; k < 3; ++k) {
            double away = x[3 * c->attached[a] + k] - c->attachment[a][k];
            g[3 * c->attached[a] + k] += c->attachment_stiffness * away;
        }
    }
}

static inline void chain_contact_blocks(void *self, const double *x, double *blocks)
{
    const chain *c = self;
    double n[3];
    chain_normal(c, n);
    for (int32_t p = 0; p < c->point_count; ++p) {
        if (!(pli_vec3_dot(n, x + 3 * p) < 0)) continue;
        double *D = blocks + 6 * p;
        for (int k = 0; k < 3; ++k) D[k] += c->floor * n[k] * n[k];
        D[3] += c->floor * n[0] * n[1];
        D[4] += c->floor * n[0] * n[2];
        D[5] += c->floor * n[1] * n[2];
    }
    for (int32_t a = 0; a < c->attachment_count; ++a) {
        for (int k = 0; k < 3; ++k) blocks[6 * c->attached[a] + k] += c->attachment_stiffness;
    }
}

static inline void chain_contact_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    const chain *c = self;
    (void)projected;
    double *blocks = calloc((size_t)c->point_count, 6 * sizeof *blocks);
    assert_non_null(blocks);
    chain_contact_blocks(self, x, blocks);
    for (int32_t p = 0; p < c->point_count; ++p) {
        const double *D = blocks + 6 * p;
        const double block[9] = {D[0], D[3], D[4], D[3], D[1], D[5], D[4], D[5], D[2]};
        pli_bcsr_add_diagonal_block(H, p, block);
    }
    free(blocks);
}

// What a point sees of the floor, if it is below it, and of the places that it is attached to.
static inline void chain_contact_vertices(void *self, const double *x, const pli_vertex_batch *b)
{
    const chain *c = self;
    double n[3];
    chain_normal(c, n);
    for (int32_t i = 0; i < b->count; ++i) {
        double depth = fmin(0, pli_vec3_dot(n, x + 3 * b->vertices[i]));
        double floor = depth < 0 ? c->floor : 0;
        const double outer[6] = {n[0] * n[0], n[1] * n[1], n[2] * n[2],
                                 n[0] * n[1], n[0] * n[2], n[1] * n[2]};
        if (b->energy != NULL) b->energy[i] += 0.5 * floor * depth * depth;
        for (int k = 0; k < 3 && b->g != NULL; ++k) b->g[3 * i + k] += floor * depth * n[k];
        for (int k = 0; k < 6 && b->H != NULL; ++k) b->H[6 * i + k] += floor * outer[k];
        for (int32_t a = 0; a < c->attachment_count; ++a) {
            if (c->attached[a] != b->vertices[i]) continue;
            for (int k = 0; k < 3; ++k) {
                double away = x[3 * c->attached[a] + k] - c->attachment[a][k];
                if (b->energy != NULL) b->energy[i] += 0.5 * c->attachment_stiffness * away * away;
                if (b->g != NULL) b->g[3 * i + k] += c->attachment_stiffness * away;
                if (b->H != NULL) b->H[6 * i + k] += c->attachment_stiffness;
            }
        }
    }
}

static const pli_term_ops chain_contact_term = {
    .name = "contacts",
    .energy = chain_contact_energy,
    .add_gradient = chain_contact_gradient,
    .add_hessian = chain_contact_hessian,
    .add_blocks = chain_contact_blocks,
    .add_vertices = chain_contact_vertices,
};

// ---- everything a minimisation needs

typedef struct chain_problem {
    pli_context *context;
    chain body;
    pli_objective objective;
    double *weights; // [point_count] of the norm
    uint8_t *fixed;  // [point_count]
    double *x;       // [point_count][3]
    pli_arena *scratch;
    pli_timers timers;
} chain_problem;

// A slack chain that falls onto the floor.
static inline void chain_problem_init(chain_problem *p, pli_context *context, int32_t point_count)
{
    size_t points = (size_t)point_count;
    *p = (chain_problem){.context = context};
    p->body = (chain){.point_count = point_count,
                      .ends = malloc(2 * points * sizeof(int32_t)),
                      .stiffness = 50,
                      .rest = 1,
                      .mass = 1,
                      .target = malloc(3 * points * sizeof(double)),
                      .floor = 20};
    p->weights = malloc(points * sizeof(double));
    p->fixed = calloc(points, 1);
    p->x = malloc(3 * points * sizeof(double));
    assert_true(p->body.ends != NULL && p->body.target != NULL && p->weights != NULL &&
                p->fixed != NULL && p->x != NULL);
    for (int32_t i = 0; i < point_count; ++i) {
        p->body.ends[2 * i] = i;
        p->body.ends[2 * i + 1] = i + 1;
        pli_vec3_set(1.1 * i, 0.5 * sin(i), 0.3 * cos(2.0 * i), p->x + 3 * i);
        pli_vec3_set(1.1 * i, 0.4 * sin(i), 0.3 * cos(2.0 * i) - 0.1, p->body.target + 3 * i);
        p->weights[i] = 1;
    }
    p->body.list = (pli_clique_list){2, point_count - 1, p->body.ends};
    pli_objective_init(&p->objective, context, point_count);
    pli_objective_add(&p->objective, &chain_inertia_term, &p->body);
    pli_objective_add(&p->objective, &chain_spring_term, &p->body);
    pli_objective_add(&p->objective, &chain_contact_term, &p->body);
    p->objective.norm_weights = p->weights;
    p->objective.fixed = p->fixed;
    OK(context, pli_arena_create(context, 1 << 16, &p->scratch));
    pli_timers_clear(&p->timers);
}

static inline void chain_problem_clear(chain_problem *p)
{
    pli_arena_destroy(p->scratch);
    pli_objective_clear(&p->objective);
    free(p->body.ends);
    free(p->body.target);
    free(p->weights);
    free(p->fixed);
    free(p->x);
}

static inline void chain_attach(chain *c, int32_t point, double x, double y, double z)
{
    int32_t a = c->attachment_count++;
    c->attached[a] = point;
    pli_vec3_set(x, y, z, c->attachment[a]);
    c->attachment_stiffness = 30;
}

// Attachments, a leaning floor, and coordinates that are fixed one by one or all together.
static inline void chain_make_hard(chain_problem *p)
{
    p->body.turn = 0.3;
    chain_attach(&p->body, 5, 6, 1, 0.5);
    chain_attach(&p->body, 23, 24, 0, 1);
    p->fixed[0] = 7;
    p->fixed[9] = 2;
    p->fixed[14] = 5;
}

// The minimum as Newton's method finds it, in p->x.
static inline void chain_minimize(chain_problem *p)
{
    pli_linear_solver *linear = NULL;
    pli_linear_solver_def linear_def = {.kind = PLI_SOLVER_PCG,
                                        .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
                                        .max_iterations = 1000,
                                        .stop_at_indefinite = true};
    pli_newton_def def = {.tolerance = 1e-11,
                          .max_iterations = 300,
                          .projected = true,
                          .linear_tolerance = 1e-12,
                          .line_search = {PLI_SEARCH_BACKTRACKING, 1e-4, 0.9, 60}};
    pli_minimize_env env = {.timers = &p->timers, .scratch = p->scratch};
    pli_minimize_report report;
    OK(p->context, pli_objective_build_pattern(&p->objective));
    OK(p->context, pli_linear_solver_create(p->context, &linear_def, p->objective.H, &linear));
    OK(p->context, newton_minimize(&def, &p->objective, linear, &env, p->x, &report));
    assert_true(report.stop > 0);
    pli_linear_solver_destroy(linear);
}

#endif
