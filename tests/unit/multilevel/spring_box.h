// SPDX-License-Identifier: Apache-2.0
//
// A box of tetrahedra whose edges are springs, pulled by inertia and by stiff links between far
// vertices, as contacts are: a split objective for tests of coarse levels. The springs lag; the
// links take their places beside the pattern when an iteration begins.
#ifndef PLI_TESTS_MULTILEVEL_SPRING_BOX_H
#define PLI_TESTS_MULTILEVEL_SPRING_BOX_H

#include "cubature_blocks.h"

#include "linear/matrix/vector.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "multilevel/subspace.h"

enum { SPRING_BOX_LINKS = 12, TET_EDGES = 6 };

// ---- springs along the edges of some tetrahedra

typedef struct springs {
    const pli_tet_mesh *mesh;
    int32_t *tets; // [cliques.count][4]
    pli_clique_list cliques;
    double stiffness; // of a tetrahedron's edge (N/m)
} springs;

typedef struct spring {
    int32_t ends[2];
    double u[3];    // unit vector from the first to the second
    double length;  // m
    double stretch; // beyond the length at rest (m)
} spring;

static inline spring spring_at(const springs *s, int64_t number, const double *x)
{
    static const int corners[TET_EDGES][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    const int32_t *tet = s->tets + 4 * (number / TET_EDGES);
    spring found = {
        .ends = {tet[corners[number % TET_EDGES][0]], tet[corners[number % TET_EDGES][1]]}};
    pli_vec3_subtract(x + 3 * found.ends[1], x + 3 * found.ends[0], found.u);
    found.length = pli_vec3_normalize(found.u, found.u);
    const double *X = s->mesh->points;
    found.stretch = found.length - pli_vec3_distance(X + 3 * found.ends[0], X + 3 * found.ends[1]);
    return found;
}

static inline pli_sum springs_energy(void *self, const double *x)
{
    const springs *s = self;
    pli_sum sum = {0, 0};
    for (int64_t k = 0; k < TET_EDGES * s->cliques.count; ++k) {
        spring at = spring_at(s, k, x);
        pli_sum_add(&sum, 0.5 * s->stiffness * at.stretch * at.stretch);
    }
    return sum;
}

static inline void springs_gradient(void *self, const double *x, double *g)
{
    const springs *s = self;
    for (int64_t k = 0; k < TET_EDGES * s->cliques.count; ++k) {
        spring at = spring_at(s, k, x);
        double *first = g + 3 * at.ends[0];
        double *second = g + 3 * at.ends[1];
        pli_vec3_add_scaled(first, -s->stiffness * at.stretch, at.u, first);
        pli_vec3_add_scaled(second, s->stiffness * at.stretch, at.u, second);
    }
}

// Adds k (a - b)(a - b)^T for a block k of a pair.
static inline void add_pair(pli_bcsr *H, const int32_t ends[2], const double block[9])
{
    double mirror[9];
    for (int k = 0; k < 9; ++k) mirror[k] = -block[k];
    pli_bcsr_add_diagonal_block(H, ends[0], block);
    pli_bcsr_add_diagonal_block(H, ends[1], block);
    assert_true(pli_bcsr_add_block(H, ends[0], ends[1], mirror));
    assert_true(pli_bcsr_add_block(H, ends[1], ends[0], mirror));
}

static inline void springs_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    const springs *s = self;
    for (int64_t k = 0; k < TET_EDGES * s->cliques.count; ++k) {
        spring at = spring_at(s, k, x);
        double across = at.stretch / at.length;
        if (projected && across < 0) across = 0;
        double block[9];
        for (int e = 0; e < 9; ++e) {
            double identity = e % 4 == 0 ? across : 0;
            block[e] = s->stiffness * (identity + (1 - across) * at.u[e / 3] * at.u[e % 3]);
        }
        add_pair(H, at.ends, block);
    }
}

static inline const pli_clique_list *springs_cliques(void *self)
{
    return &((springs *)self)->cliques;
}

static const pli_term_ops springs_term = {.name = "springs",
                                          .energy = springs_energy,
                                          .add_gradient = springs_gradient,
                                          .add_hessian = springs_hessian,
                                          .get_cliques = springs_cliques,
                                          .lags = true};

// Every so many-th tetrahedron, each standing for `weight` of them.
static inline springs make_springs(const pli_tet_mesh *mesh, int32_t every, double weight)
{
    springs s = {.mesh = mesh, .stiffness = 100 * weight};
    s.tets = new_items(4 * (size_t)mesh->tet_count, sizeof *s.tets);
    int64_t count = 0;
    for (int32_t t = 0; t < mesh->tet_count; t += every) {
        memcpy(s.tets + 4 * count++, mesh->tets + 4 * t, 4 * sizeof *s.tets);
    }
    s.cliques = (pli_clique_list){4, count, s.tets};
    return s;
}

// ---- inertia and links

typedef struct spring_box {
    pli_context *context;
    blocks b;
    springs elastic;
    pli_bases *affine; // one handle for the whole box
    double *masses;    // [vertex_count] over the square of the time step (N/m)
    double *target;    // [vertex_count][3] where inertia takes the vertices (m)
    int32_t link_count;
    int32_t links[SPRING_BOX_LINKS][2];
    double link_stiffness; // N/m
    uint8_t *fixed;        // [vertex_count]

    pli_objective objective;
    pli_arena *scratch;
    int64_t n; // unknowns
    double *x; // [n] the present point (m)
    double *g; // [n] gradient there (N)
    double *d; // [n] direction (m)
    double *r; // [n] g + H d (N)
} spring_box;

static inline pli_sum box_inertia_energy(void *self, const double *x)
{
    const spring_box *box = self;
    pli_sum sum = {0, 0};
    for (int64_t k = 0; k < box->n; ++k) {
        double away = x[k] - box->target[k];
        pli_sum_add(&sum, 0.5 * box->masses[k / 3] * away * away);
    }
    return sum;
}

static inline void box_inertia_gradient(void *self, const double *x, double *g)
{
    const spring_box *box = self;
    for (int64_t k = 0; k < box->n; ++k) g[k] += box->masses[k / 3] * (x[k] - box->target[k]);
}

static inline void box_inertia_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    (void)x;
    (void)projected;
    pli_bcsr_add_to_diagonal(H, ((const spring_box *)self)->masses);
}

static const pli_term_ops box_inertia_term = {.name = "inertia",
                                              .energy = box_inertia_energy,
                                              .add_gradient = box_inertia_gradient,
                                              .add_hessian = box_inertia_hessian};

// A link makes the difference of two x coordinates smaller than at rest; how far it is from there.
static inline double link_gap(const spring_box *box, int32_t link, const double *x)
{
    const double *X = box->b.mesh->points;
    const int32_t *ends = box->links[link];
    return (x[3 * ends[1]] - x[3 * ends[0]]) - (X[3 * ends[1]] - X[3 * ends[0]]) + 0.2;
}

static inline pli_sum box_link_energy(void *self, const double *x)
{
    const spring_box *box = self;
    pli_sum sum = {0, 0};
    for (int32_t k = 0; k < box->link_count; ++k) {
        pli_sum_add(&sum, 0.5 * box->link_stiffness * pow(link_gap(box, k, x), 2));
    }
    return sum;
}

static inline void box_link_gradient(void *self, const double *x, double *g)
{
    const spring_box *box = self;
    for (int32_t k = 0; k < box->link_count; ++k) {
        double force = box->link_stiffness * link_gap(box, k, x);
        g[3 * box->links[k][0]] -= force;
        g[3 * box->links[k][1]] += force;
    }
}

static inline void box_link_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    const spring_box *box = self;
    (void)x;
    (void)projected;
    const double block[9] = {box->link_stiffness};
    for (int32_t k = 0; k < box->link_count; ++k) add_pair(H, box->links[k], block);
}

static inline pli_status box_link_prepare(void *self, const double *x, pli_bcsr *H, bool *changed)
{
    (void)x;
    (void)changed;
    return pli_bcsr_reserve_extra(H, 2 * ((const spring_box *)self)->link_count);
}

static const pli_term_ops box_link_term = {.name = "links",
                                           .energy = box_link_energy,
                                           .add_gradient = box_link_gradient,
                                           .add_hessian = box_link_hessian,
                                           .prepare = box_link_prepare};

// ---- the box

static inline void box_set_handles(spring_box *box)
{
    pli_bases *bases = &box->b.bases;
    bases->center = new_items(3 * (size_t)bases->handle_count, sizeof(double));
    bases->size = new_items((size_t)bases->handle_count, sizeof(double));
    const int32_t *counts = box->b.counts;
    for (int32_t i = 0; i < bases->handle_count; ++i) {
        const int32_t at[3] = {i % counts[0], i / counts[0] % counts[1],
                               i / (counts[0] * counts[1])};
        for (int c = 0; c < 3; ++c) bases->center[3 * i + c] = box->b.side * (at[c] + 0.5);
        bases->size[i] = 1.5 * box->b.side;
    }
    int32_t *body_of = new_items((size_t)bases->vertex_count, sizeof *body_of);
    pli_affine_def def = {bases->vertex_count, box->b.mesh->points, box->masses, 1, body_of};
    OK(box->context, pli_bases_create_affine(box->context, &def, &box->affine));
    free(body_of);
}

// Links join the ends of the box.
static inline void box_set_links(spring_box *box, int32_t count)
{
    box->link_count = count;
    box->link_stiffness = 1e4;
    int32_t vertex_count = box->b.mesh->vertex_count;
    for (int32_t k = 0; k < count; ++k) {
        box->links[k][0] = 2 * k;
        box->links[k][1] = vertex_count - 1 - 2 * k;
    }
}

// Blocks of side^3 cells, nx of them along x and two along the others; inertia bends, stretches and
// moves the box.
static inline void spring_box_init(spring_box *box, pli_context *context, int32_t side, int32_t nx)
{
    *box = (spring_box){.context = context, .b = make_blocks(context, side, nx, 2, 2, 3)};
    const pli_tet_mesh *mesh = box->b.mesh;
    size_t n = (size_t)mesh->vertex_count;
    box->n = 3 * (int64_t)n;
    box->elastic = make_springs(mesh, 1, 1);
    box->masses = new_items(n, sizeof *box->masses);
    box->target = new_items(3 * n, sizeof *box->target);
    box->fixed = new_items(n, 1);
    box->x = new_items(3 * n, sizeof *box->x);
    box->g = new_items(3 * n, sizeof *box->g);
    box->d = new_items(3 * n, sizeof *box->d);
    box->r = new_items(3 * n, sizeof *box->r);
    for (size_t v = 0; v < n; ++v) {
        const double *X = mesh->points + 3 * v;
        box->masses[v] = pli_random_range((pli_random){3, 1}, v, 5, 15);
        pli_vec3_set(1.1 * X[0] + 0.3, X[1] + 0.4 * sin(X[0]), X[2] - 0.5 + 0.2 * X[1],
                     box->target + 3 * v);
        memcpy(box->x + 3 * v, X, 3 * sizeof *X);
    }
    box_set_handles(box);
    box_set_links(box, SPRING_BOX_LINKS);
    pli_objective_init(&box->objective, context, mesh->vertex_count);
    box->objective.fixed = box->fixed;
    box->objective.norm_weights = box->masses;
    pli_objective_add(&box->objective, &box_inertia_term, box);
    pli_objective_add(&box->objective, &springs_term, &box->elastic);
    pli_objective_add(&box->objective, &box_link_term, box);
    OK(context, pli_objective_build_split_pattern(&box->objective));
    OK(context, pli_arena_create(context, 1 << 20, &box->scratch));
}

static inline void spring_box_clear(spring_box *box)
{
    pli_arena_destroy(box->scratch);
    pli_objective_clear(&box->objective);
    pli_bases_destroy(box->affine);
    free(box->b.bases.center);
    free(box->b.bases.size);
    free(box->elastic.tets);
    free(box->masses);
    free(box->target);
    free(box->fixed);
    free(box->x);
    free(box->g);
    free(box->d);
    free(box->r);
    clear_blocks(&box->b);
}

// Holds some coordinates: all of the first vertices, single ones elsewhere.
static inline void spring_box_hold(spring_box *box)
{
    for (int32_t v = 0; v < box->b.mesh->vertex_count; ++v) {
        box->fixed[v] = (uint8_t)(v < 10 ? 7 : v % 11 == 0 ? v % 8 : 0);
    }
}

// Both coarse levels to a tight tolerance with the full Hessian, and no polish.
static inline pli_subspace_source_def spring_box_def(const spring_box *box)
{
    return (pli_subspace_source_def){.affine = box->affine,
                                     .bases = &box->b.bases,
                                     .points = box->b.mesh->points,
                                     .tolerance = 1e-12,
                                     .max_iterations = 2000,
                                     .average_length = 3,
                                     .threshold = 0.5,
                                     .period = 5};
}

static inline pli_subspace *make_subspace(const spring_box *box, const pli_subspace_source_def *def)
{
    pli_subspace *subspace = NULL;
    OK(box->context, pli_subspace_create(box->context, def, &box->objective, &subspace));
    return subspace;
}

// Matrices at the present point after a step of size alpha.
static inline void prepare_at(spring_box *box, pli_subspace *subspace, double alpha)
{
    pli_direction_source source = pli_subspace_source(subspace);
    bool changed = false;
    pli_direction_matrix made = {0};
    OK(box->context, pli_objective_prepare(&box->objective, box->x, &changed));
    pli_direction_point at = {.objective = &box->objective, .x = box->x, .alpha = alpha};
    OK(box->context, source.ops->prepare(source.self, &at, &made));
    assert_true(made.usable);
}

// Gradient and direction at the present point, with the matrices as they are.
static inline pli_direction_report solve_at(spring_box *box, pli_subspace *subspace)
{
    pli_direction_source source = pli_subspace_source(subspace);
    pli_direction_report report = {0};
    pli_objective_compute_gradient(&box->objective, box->x, box->g);
    OK(box->context, source.ops->solve(source.self, box->g, 0, box->scratch, box->d, &report));
    double largest = pli_vector_max_abs(box->context, box->n, box->d);
    NEAR(pli_subspace_get_counts(subspace).largest, largest, 0, 0);
    return report;
}

// The first direction of a minimisation.
static inline pli_direction_report first_direction(spring_box *box, pli_subspace *subspace)
{
    pli_direction_source source = pli_subspace_source(subspace);
    source.ops->begin(source.self);
    prepare_at(box, subspace, 1);
    return solve_at(box, subspace);
}

// The same by a solver that is made for it.
static inline pli_subspace_counts direction_by(spring_box *box, const pli_subspace_source_def *def)
{
    pli_subspace *subspace = make_subspace(box, def);
    first_direction(box, subspace);
    pli_subspace_counts counts = pli_subspace_get_counts(subspace);
    pli_subspace_destroy(subspace);
    return counts;
}

// g . d + d . H d / 2 with the matrices of the objective as they are; leaves r = g + H d.
static inline double model_value(spring_box *box)
{
    pli_objective_multiply_hessian(&box->objective, box->d, box->r);
    double value = pli_vector_dot(box->context, box->n, box->g, box->d) +
                   0.5 * pli_vector_dot(box->context, box->n, box->d, box->r);
    pli_vector_axpy(box->context, box->n, 1, box->g, box->r);
    return value;
}

#endif
