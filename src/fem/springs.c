// SPDX-License-Identifier: Apache-2.0
#include "fem/springs.h"

#include "base/memory.h"
#include "material/spring.h"
#include "math/simd.h"

#include <math.h>

enum {
    LANES = PLI_D4_LANES,
    BATCH = 64,          // springs whose energies are computed together
    SPRING_GRAIN = 4096, // of loops over springs
    GROUP_GRAIN = 512,   // of loops over groups of vertices
    AHEAD = 4            // vertices between asking for data and using it
};

static const pli_element_ops spring_ops; // below

// ---- creation

static pli_status check_springs(pli_context *context, const pli_spring_def *def)
{
    if (def->vertex_count < 0 || def->spring_count < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%d vertices with %d springs can't be",
                        (int)def->vertex_count, (int)def->spring_count);
    }
    if (def->spring_count >= 1 << 30) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED, "%d springs are too many; %d fit",
                        (int)def->spring_count, (1 << 30) - 1);
    }
    pli_clique_list list = {2, def->spring_count, def->ends};
    PLI_TRY(pli_clique_list_check(context, def->vertex_count, &list));
    for (int64_t s = 0; s < def->spring_count; ++s) {
        double k = def->stiffness[s];
        double l = def->rest_length[s];
        if (def->ends[2 * s] == def->ends[2 * s + 1]) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "spring %lld joins vertex %d with itself",
                            (long long)s, (int)def->ends[2 * s]);
        }
        // written so that a NaN fails
        if (k >= 0 && l >= 0 && isfinite(k) && isfinite(l)) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "spring %lld has stiffness %g and rest length %g, must be finite and not "
                        "negative",
                        (long long)s, k, l);
    }
    return PLI_OK;
}

static pli_status copy_springs(pli_spring_net *net, const pli_spring_def *def)
{
    int64_t count = def->spring_count;
    PLI_TRY(PLI_MAKE(net->elements.context, net->ends, 2 * count, "springs"));
    PLI_TRY(PLI_MAKE(net->elements.context, net->stiffness, count, "springs"));
    PLI_TRY(PLI_MAKE(net->elements.context, net->rest_length, count, "springs"));
    for (int64_t s = 0; s < count; ++s) {
        net->ends[2 * s] = def->ends[2 * s];
        net->ends[2 * s + 1] = def->ends[2 * s + 1];
        net->stiffness[s] = def->stiffness[s];
        net->rest_length[s] = def->rest_length[s];
    }
    net->elements.cliques = (pli_clique_list){2, count, net->ends};
    return PLI_OK;
}

// Rows of a group: as many as the busiest of its vertices has springs. valence [vertex_count]
static void count_rows(pli_spring_net *net, int32_t *valence)
{
    int32_t vertex_count = net->elements.vertex_count;
    for (int64_t end = 0; end < 2 * (int64_t)net->spring_count; ++end) ++valence[net->ends[end]];
    net->group_begin[0] = 0;
    for (int32_t group = 0; group < net->elements.group_count; ++group) {
        int32_t most = 0;
        for (int32_t v = LANES * group; v < LANES * (group + 1) && v < vertex_count; ++v) {
            if (valence[v] > most) most = valence[v];
            valence[v] = 0;
        }
        net->group_begin[group + 1] = net->group_begin[group] + most;
    }
}

static void clear_rows(pli_spring_net *net)
{
    int32_t vertex_count = net->elements.vertex_count;
    for (int32_t group = 0; group < net->elements.group_count; ++group) {
        for (int64_t at = LANES * net->group_begin[group]; at < LANES * net->group_begin[group + 1];
             ++at) {
            int32_t vertex = LANES * group + (int32_t)(at % LANES);
            net->other[at] = vertex < vertex_count ? vertex : vertex_count - 1;
            net->half[at] = -1;
        }
    }
}

// Puts every spring into the next row of both its ends. used [vertex_count]: rows so far, zeros
static void fill_rows(pli_spring_net *net, int32_t *used)
{
    for (int32_t half = 0; half < 2 * net->spring_count; ++half) {
        int32_t spring = half / 2;
        int32_t vertex = net->ends[half];
        int64_t row = net->group_begin[vertex / LANES] + used[vertex]++;
        int64_t at = LANES * row + vertex % LANES;
        net->other[at] = net->ends[half ^ 1];
        net->k[at] = net->stiffness[spring];
        net->l[at] = net->rest_length[spring];
        net->half[at] = half;
    }
}

static pli_status build_rows(pli_spring_net *net)
{
    pli_context *context = net->elements.context;
    int32_t vertex_count = net->elements.vertex_count;
    int32_t group_count = (vertex_count + LANES - 1) / LANES;
    net->elements.group_count = group_count;
    net->group_begin = PLI_NEW(context, int64_t, (int64_t)group_count + 1, "spring rows");
    int32_t *count = PLI_NEW(context, int32_t, vertex_count, "springs of vertices");
    pli_status status = PLI_ERROR_MEMORY;
    if (net->group_begin == NULL || count == NULL) goto done;
    count_rows(net, count);
    int64_t places = LANES * net->group_begin[group_count];
    net->other = PLI_NEW(context, int32_t, places, "spring rows");
    net->half = PLI_NEW(context, int32_t, places, "spring rows");
    net->k = PLI_NEW(context, double, places, "spring rows");
    net->l = PLI_NEW(context, double, places, "spring rows");
    if (net->other == NULL || net->half == NULL || net->k == NULL || net->l == NULL) goto done;
    clear_rows(net);
    fill_rows(net, count);
    status = PLI_OK;

done:
    pli_release(context, count);
    return status;
}

pli_status pli_spring_net_create(pli_context *context, const pli_spring_def *def,
                                 pli_spring_net **net)
{
    *net = NULL;
    PLI_TRY(check_springs(context, def));
    pli_spring_net *made = PLI_NEW(context, pli_spring_net, 1, "springs");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->elements = (pli_elements){context, &spring_ops, .vertex_count = def->vertex_count};
    made->spring_count = def->spring_count;
    pli_status status = copy_springs(made, def);
    if (status == PLI_OK) status = build_rows(made);
    if (status != PLI_OK) {
        pli_spring_net_destroy(made);
        return status;
    }
    *net = made;
    return PLI_OK;
}

static void clear_stars(pli_spring_net *net)
{
    PLI_RELEASE(net->elements.context, net->star_begin, net->star_other, net->star_k, net->star_l);
    net->star_begin = NULL;
    net->star_other = NULL;
    net->star_k = NULL;
    net->star_l = NULL;
}

void pli_spring_net_destroy(pli_spring_net *net)
{
    if (net == NULL) return;
    pli_context *context = net->elements.context;
    clear_stars(net);
    pli_elements_clear(&net->elements);
    PLI_RELEASE(context, net->l, net->k, net->half, net->other, net->group_begin, net->rest_length,
                net->stiffness, net->ends, net);
}

// ---- energy, spring by spring

// Sum of the energies of count <= BATCH springs.
static double batch_energy(const pli_element_job *job, int64_t first, int32_t count)
{
    const pli_spring_net *net = job->self;
    double d[3 * BATCH];
    double energy[BATCH];
    for (int32_t s = 0; s < count; ++s) {
        const int32_t *ends = net->ends + 2 * (first + s);
        for (int i = 0; i < 3; ++i) {
            d[i * count + s] = job->x[3 * (int64_t)ends[1] + i] - job->x[3 * (int64_t)ends[0] + i];
        }
    }
    pli_springs batch = {count, d, net->stiffness + first, net->rest_length + first};
    pli_springs_evaluate(&batch, PLI_TANGENT_EXACT, energy, NULL, NULL);
    double sum = 0;
    for (int32_t s = 0; s < count; ++s) sum += energy[s];
    return sum;
}

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    pli_sum sum = {0, 0};
    for (int64_t first = begin; first < end; first += BATCH) {
        int64_t count = end - first < BATCH ? end - first : BATCH;
        pli_sum_merge(&sum, (pli_sum){batch_energy(user, first, (int32_t)count), 0});
    }
    return sum;
}

// ---- gradient, vertex by vertex

PLI_INLINE void load_points(const double *x, const int32_t vertex[LANES], pli_d4 p[3])
{
    const double *a = x + 3 * (int64_t)vertex[0];
    const double *b = x + 3 * (int64_t)vertex[1];
    const double *c = x + 3 * (int64_t)vertex[2];
    const double *d = x + 3 * (int64_t)vertex[3];
    for (int i = 0; i < 3; ++i) p[i] = (pli_d4){a[i], b[i], c[i], d[i]};
}

// The vertices of a group; lanes beyond the last vertex repeat it.
PLI_INLINE int32_t load_group(const pli_element_job *job, int64_t group, pli_d4 p[3])
{
    const pli_spring_net *net = job->self;
    int32_t vertex[LANES];
    int32_t last = net->elements.vertex_count - 1;
    for (int lane = 0; lane < LANES; ++lane) {
        int32_t wanted = (int32_t)(LANES * group) + lane;
        vertex[lane] = wanted < last ? wanted : last;
    }
    load_points(job->x, vertex, p);
    int32_t left = last + 1 - (int32_t)(LANES * group);
    return left < LANES ? left : LANES;
}

// One over the lengths of d, 0 where there is none.
PLI_INLINE pli_d4 inverse_length(const pli_d4 d[3])
{
    pli_d4 square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    pli_d4_mask some = (pli_d4_mask)(square > 0);
    return pli_d4_select(some, pli_d4_rsqrt(square), (pli_d4){0});
}

// g_i -= sum over the springs of i of k (1 - l / |d|) d,  d = x_j - x_i
static void add_group_forces(const pli_element_job *job, int64_t group)
{
    const pli_spring_net *net = job->self;
    pli_d4 p[3];
    pli_d4 sum[3] = {{0}};
    int32_t lanes = load_group(job, group, p);
    for (int64_t row = net->group_begin[group]; row < net->group_begin[group + 1]; ++row) {
        pli_d4 d[3];
        load_points(job->x, net->other + LANES * row, d);
        for (int i = 0; i < 3; ++i) d[i] -= p[i];
        pli_d4 k = pli_d4_load(net->k + LANES * row);
        pli_d4 l = pli_d4_load(net->l + LANES * row);
        pli_d4 scale = k - k * l * inverse_length(d);
        for (int i = 0; i < 3; ++i) sum[i] += scale * d[i];
    }
    for (int lane = 0; lane < lanes; ++lane) {
        double *g = job->g + 3 * (LANES * group + lane);
        for (int i = 0; i < 3; ++i) g[i] -= sum[i][lane];
    }
}

static void add_forces(void *user, int64_t begin, int64_t end)
{
    for (int64_t group = begin; group < end; ++group) add_group_forces(user, group);
}

// ---- Hessian, row by row

enum { SYMMETRIC = 6 }; // xx, yy, zz, xy, xz, yz

// where the entries of a symmetric block stand in a row-major one, both places
static const int places[SYMMETRIC][2] = {{0, 0}, {4, 4}, {8, 8}, {1, 3}, {2, 6}, {5, 7}};

static void add_block(double sign, const pli_d4 B[SYMMETRIC], int lane, double *block)
{
    for (int e = 0; e < SYMMETRIC; ++e) {
        double value = sign * B[e][lane];
        block[places[e][0]] += value;
        if (e >= 3) block[places[e][1]] += value;
    }
}

// B = k (t I + (1 - t) n n^T),  t = 1 - l / |d|, at least 0 when projected
PLI_INLINE void row_hessian(const pli_d4 d[3], pli_d4 k, pli_d4 l, bool projected,
                            pli_d4 B[SYMMETRIC])
{
    pli_d4 n[3];
    pli_d4 length = pli_d4_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    pli_d4_mask some = (pli_d4_mask)(length > 0);
    pli_d4 inverse = pli_d4_select(some, 1 / length, (pli_d4){0});
    for (int i = 0; i < 3; ++i) n[i] = d[i] * inverse;
    // as in material/spring.c, so that the exact Hessian is finite everywhere
    pli_d4 least = pli_d4_max(1e-6 * l, pli_d4_broadcast(1e-300));
    pli_d4 t = 1 - l / pli_d4_max(length, least);
    if (projected) t = pli_d4_max(t, (pli_d4){0});
    pli_d4 along = k * (1 - t);
    for (int i = 0; i < 3; ++i) B[i] = k * t + along * n[i] * n[i];
    B[3] = along * n[0] * n[1];
    B[4] = along * n[0] * n[2];
    B[5] = along * n[1] * n[2];
}

PLI_INLINE pli_d4 weigh_row(const pli_element_job *job, int64_t row)
{
    const pli_spring_net *net = job->self;
    const int32_t *half = net->half + LANES * row;
    pli_d4 k = pli_d4_load(net->k + LANES * row);
    for (int lane = 0; job->weights != NULL && lane < LANES; ++lane) {
        if (half[lane] >= 0) k[lane] *= job->weights[half[lane] / 2];
    }
    return k;
}

// Adds -B to the blocks of a row's springs.
static void add_couplings(const pli_element_job *job, int64_t row, const pli_d4 B[SYMMETRIC])
{
    const pli_spring_net *net = job->self;
    for (int lane = 0; lane < LANES; ++lane) {
        int64_t half = net->half[LANES * row + lane];
        if (half < 0) continue;
        // of the blocks 00, 01, 10, 11 of a spring, the one from this end to the other
        int32_t slot = job->slots[2 * half + 1 - half % 2];
        add_block(-1, B, lane, job->H->values + 9 * (int64_t)slot);
    }
}

static void add_group_stiffness(const pli_element_job *job, int64_t group)
{
    const pli_spring_net *net = job->self;
    pli_d4 p[3];
    pli_d4 sum[SYMMETRIC] = {{0}};
    int32_t lanes = load_group(job, group, p);
    for (int64_t row = net->group_begin[group]; row < net->group_begin[group + 1]; ++row) {
        pli_d4 d[3], B[SYMMETRIC];
        load_points(job->x, net->other + LANES * row, d);
        for (int i = 0; i < 3; ++i) d[i] -= p[i];
        row_hessian(d, weigh_row(job, row), pli_d4_load(net->l + LANES * row), job->projected, B);
        add_couplings(job, row, B);
        for (int e = 0; e < SYMMETRIC; ++e) sum[e] += B[e];
    }
    for (int lane = 0; lane < lanes; ++lane) {
        add_block(1, sum, lane, job->H->values + 9 * job->H->diagonal[LANES * group + lane]);
    }
}

static void add_stiffness(void *user, int64_t begin, int64_t end)
{
    for (int64_t group = begin; group < end; ++group) add_group_stiffness(user, group);
}

static const pli_element_ops spring_ops = {.grain = SPRING_GRAIN,
                                           .gather_grain = GROUP_GRAIN,
                                           .sum_energy = sum_energy,
                                           .add_gradient = add_forces,
                                           .add_hessian = add_stiffness};

// ---- the matrix of projective dynamics

typedef struct lifted_job {
    const pli_spring_net *net;
    pli_lifted *S;
} lifted_job;

// Row i of S: k on the diagonal, -k towards the other end, for every spring of i.
static void add_rows(void *user, int64_t begin, int64_t end)
{
    const lifted_job *job = user;
    const pli_spring_net *net = job->net;
    for (int64_t at = LANES * net->group_begin[begin]; at < LANES * net->group_begin[end]; ++at) {
        if (net->half[at] < 0) continue;
        int32_t vertex = net->ends[net->half[at]];
        pli_lifted_add(job->S, job->S->diagonal[vertex], net->k[at]);
        pli_lifted_add(job->S, pli_lifted_find(job->S, vertex, net->other[at]), -net->k[at]);
    }
}

static void spring_add_lifted(void *self, pli_lifted *S)
{
    const pli_spring_net *net = self;
    lifted_job job = {net, S};
    pli_parallel_for(net->elements.context, net->elements.group_count, GROUP_GRAIN, add_rows, &job);
}

// ---- one vertex, its springs a lane each

// How many springs a vertex has: in its lane they stand before the places without any.
static int32_t count_springs(const pli_spring_net *net, int32_t vertex)
{
    int32_t count = 0;
    int64_t group = vertex / LANES;
    for (int64_t row = net->group_begin[group]; row < net->group_begin[group + 1]; ++row) {
        if (net->half[LANES * row + vertex % LANES] >= 0) ++count;
    }
    return count;
}

// Copies the springs of a vertex to its star and fills the last vector with springs of no
// stiffness.
static void fill_star(pli_spring_net *net, int32_t vertex)
{
    int32_t count = count_springs(net, vertex);
    int64_t from = LANES * net->group_begin[vertex / LANES] + vertex % LANES;
    int64_t begin = LANES * net->star_begin[vertex];
    int64_t end = LANES * net->star_begin[vertex + 1];
    for (int64_t to = begin; to < end; ++to, from += LANES) {
        bool some = to < begin + count;
        net->star_other[to] = some ? net->other[from] : vertex;
        net->star_k[to] = some ? net->k[from] : 0;
        net->star_l[to] = some ? net->l[from] : 0;
    }
}

static pli_status spring_bind_vertices(void *self)
{
    pli_spring_net *net = self;
    pli_context *context = net->elements.context;
    int32_t vertex_count = net->elements.vertex_count;
    clear_stars(net);
    PLI_TRY(PLI_MAKE(context, net->star_begin, (int64_t)vertex_count + 1, "spring stars"));
    for (int32_t v = 0; v < vertex_count; ++v) {
        net->star_begin[v + 1] = net->star_begin[v] + (count_springs(net, v) + LANES - 1) / LANES;
    }
    int64_t room = LANES * net->star_begin[vertex_count];
    net->star_other = PLI_NEW(context, int32_t, room, "spring stars");
    net->star_k = PLI_NEW(context, double, room, "spring stars");
    net->star_l = PLI_NEW(context, double, room, "spring stars");
    if (net->star_other == NULL || net->star_k == NULL || net->star_l == NULL) {
        clear_stars(net);
        return PLI_ERROR_MEMORY;
    }
    for (int32_t v = 0; v < vertex_count; ++v) fill_star(net, v);
    return PLI_OK;
}

// What a vertex sees of its springs, a part in each lane.
typedef struct star_sums {
    pli_d4 energy;
    pli_d4 g[3];
    pli_d4 H[SYMMETRIC];
} star_sums;

static void sum_star(const pli_spring_net *net, const double *x, int32_t vertex,
                     const pli_vertex_batch *wanted, star_sums *sums)
{
    const double *p = x + 3 * (int64_t)vertex;
    for (int64_t row = net->star_begin[vertex]; row < net->star_begin[vertex + 1]; ++row) {
        pli_d4 d[3], B[SYMMETRIC];
        pli_d4 k = pli_d4_load(net->star_k + LANES * row);
        pli_d4 l = pli_d4_load(net->star_l + LANES * row);
        load_points(x, net->star_other + LANES * row, d);
        for (int i = 0; i < 3; ++i) d[i] -= p[i];
        if (wanted->energy != NULL) {
            pli_d4 stretch = pli_d4_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - l;
            sums->energy += 0.5 * k * stretch * stretch;
        }
        if (wanted->g != NULL) {
            pli_d4 scale = k - k * l * inverse_length(d);
            for (int i = 0; i < 3; ++i) sums->g[i] -= scale * d[i];
        }
        if (wanted->H == NULL) continue;
        row_hessian(d, k, l, true, B);
        for (int e = 0; e < SYMMETRIC; ++e) sums->H[e] += B[e];
    }
}

// Asks for the rows of a vertex that comes soon. Vertices of one colour are too far from each other
// for the processor to foresee it.
PLI_INLINE void prefetch_star(const pli_spring_net *net, int32_t vertex)
{
    int64_t begin = LANES * net->star_begin[vertex];
    int64_t end = LANES * net->star_begin[vertex + 1];
    for (int64_t at = begin; at < end; at += LANES) {
        __builtin_prefetch(net->star_other + at);
        __builtin_prefetch(net->star_k + at);
        __builtin_prefetch(net->star_l + at);
    }
}

PLI_INLINE double sum_lanes(pli_d4 a)
{
    return (a[0] + a[2]) + (a[1] + a[3]);
}

static void spring_add_vertices(void *self, const double *x, const pli_vertex_batch *wanted)
{
    for (int64_t at = 0; at < wanted->count; ++at) {
        star_sums sums = {.energy = {0}};
        if (at + AHEAD < wanted->count) prefetch_star(self, wanted->vertices[at + AHEAD]);
        sum_star(self, x, wanted->vertices[at], wanted, &sums);
        if (wanted->energy != NULL) wanted->energy[at] += sum_lanes(sums.energy);
        for (int i = 0; i < 3 && wanted->g != NULL; ++i) {
            wanted->g[3 * at + i] += sum_lanes(sums.g[i]);
        }
        for (int e = 0; e < SYMMETRIC && wanted->H != NULL; ++e) {
            wanted->H[SYMMETRIC * at + e] += sum_lanes(sums.H[e]);
        }
    }
}

const pli_term_ops pli_spring_term = {
    .name = "springs",
    .energy = pli_elements_energy,
    .add_gradient = pli_elements_add_gradient,
    .add_hessian = pli_elements_add_hessian,
    .get_cliques = pli_elements_get_cliques,
    .bind = pli_elements_bind,
    .add_lifted = spring_add_lifted,
    .lags = true,
    .bind_vertices = spring_bind_vertices,
    .add_vertices = spring_add_vertices,
};

// ---- reports
