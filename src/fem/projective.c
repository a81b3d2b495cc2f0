// SPDX-License-Identifier: Apache-2.0
#include "fem/projective.h"

#include "fem/elastic.h"
#include "fem/tet_shape.h"

#include "base/memory.h"
#include "geometry/mesh/sort.h"
#include "material/lame.h"
#include "material/laws.h"
#include "math/rotation_simd.h"
#include "math/transpose_simd.h"

#include <math.h>
#include <string.h>

#include "fem/projective_kernel.inl"

enum { CHUNK_SIZE = 256, CHUNK_VERTICES = 4 * CHUNK_SIZE };

// What a chunk of tetrahedra says in a report.
typedef struct chunk_part {
    pli_sum energy;
    double min_J;
    int64_t inverted;
} chunk_part;

struct pli_projective {
    pli_context *context;
    int32_t vertex_count;
    int32_t tet_count;

    // constant; tetrahedra along a space-filling curve
    double *rest;    // [vertex_count][3] (m)
    int32_t *origin; // [tet_count] index in the def's order
    int32_t *tets;   // [tet_count][4]
    double *mu;      // [tet_count] (Pa)
    pli_clique_list cliques;

    // constant; chunks of CHUNK_SIZE tetrahedra
    pli_chunk_coloring *coloring;
    tet_block *blocks;     // [tet_count / LANES, rounded up]
    int64_t *vertex_start; // [chunk_count + 1]  first vertex of a chunk in `vertices`
    int32_t *vertices;     // [vertex_start[chunk_count]]  vertices of the chunks

    chunk_part *parts; // [chunk_count]  scratch of a report

    // made by bind: the same energy in double, for its Hessian
    pli_elastic *elastic;
};

// ---- construction

static pli_status check(pli_context *context, const pli_projective_def *def)
{
    pli_clique_list list = {.size = 4, .count = def->tet_count, .vertices = def->tets};
    PLI_TRY(pli_clique_list_check(context, def->vertex_count, &list));
    for (int32_t tet = 0; tet < def->tet_count; ++tet) {
        if (def->mu[tet] > 0 && isfinite(def->mu[tet])) continue;
        return PLI_FAIL(
            context, PLI_ERROR_ARGUMENT,
            "tetrahedron %d has the shear modulus %g Pa; it must be positive and finite", (int)tet,
            def->mu[tet]);
    }
    return PLI_OK;
}

static pli_status allocate_arrays(pli_projective *p)
{
    pli_context *context = p->context;
    int64_t block_count = ((int64_t)p->tet_count + LANES - 1) / LANES;
    p->rest = PLI_NEW(context, double, 3 * (int64_t)p->vertex_count, "rest positions");
    p->origin = PLI_NEW(context, int32_t, p->tet_count, "tetrahedron order");
    p->tets = PLI_NEW(context, int32_t, 4 * (int64_t)p->tet_count, "tetrahedra");
    p->mu = PLI_NEW(context, double, p->tet_count, "shear moduli");
    p->blocks = PLI_NEW(context, tet_block, block_count, "blocks of tetrahedra");
    bool complete = p->rest != NULL && p->origin != NULL && p->tets != NULL && p->mu != NULL &&
                    p->blocks != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

// Position of a tetrahedron along the curve through all of them.
static uint64_t tet_key(const pli_bounds *bounds, const double *rest, const int32_t corners[4])
{
    double center[3] = {0, 0, 0};
    for (int a = 0; a < 4; ++a) {
        pli_vec3_add_scaled(center, 0.25, rest + 3 * (int64_t)corners[a], center);
    }
    return pli_hilbert_key(bounds, center);
}

// Sorts the tetrahedra so that those of a chunk are close together.
static pli_status sort_tets(pli_projective *p, const pli_projective_def *def)
{
    pli_bounds bounds = pli_bounds_empty();
    for (int64_t v = 0; v < def->vertex_count; ++v) {
        pli_bounds_add_point(&bounds, def->rest + 3 * v);
    }
    uint64_t *keys = PLI_NEW(p->context, uint64_t, def->tet_count, "order keys");
    if (keys == NULL) return PLI_ERROR_MEMORY;
    for (int64_t tet = 0; tet < def->tet_count; ++tet) {
        keys[tet] = tet_key(&bounds, def->rest, def->tets + 4 * tet);
    }
    pli_status status = pli_sort_order(p->context, def->tet_count, keys, p->origin);
    pli_release(p->context, keys);
    return status;
}

static void copy_def(pli_projective *p, const pli_projective_def *def)
{
    for (int64_t k = 0; k < 3 * (int64_t)def->vertex_count; ++k) p->rest[k] = def->rest[k];
    for (int64_t tet = 0; tet < def->tet_count; ++tet) {
        int64_t old = p->origin[tet];
        memcpy(p->tets + 4 * tet, def->tets + 4 * old, 4 * sizeof *p->tets);
        p->mu[tet] = def->mu[old];
    }
    p->cliques = (pli_clique_list){.size = 4, .count = p->tet_count, .vertices = p->tets};
}

// Writes the geometry of one tetrahedron; padding has no weight.
static pli_status fill_lane(const pli_projective *p, int64_t tet, bool padding, int64_t lane,
                            tet_block *block)
{
    pli_tet_shape shape;
    pli_tet_shape_compute(p->rest, p->tets + 4 * tet, &shape);
    PLI_TRY(pli_tet_shape_check(p->context, &shape, p->origin[tet]));
    for (int k = 0; k < 9; ++k) block->gradients[k][lane] = (float)shape.gradients[k];
    block->weight[lane] = padding ? 0 : (float)(2 * p->mu[tet] * shape.volume);
    return PLI_OK;
}

// Fills the blocks of a chunk and numbers its vertices in the order in which they come; number
// [vertex_count] is -1 before and after. Sets the end of the chunk's vertices.
static pli_status fill_chunk(pli_projective *p, int32_t chunk, int32_t *number)
{
    const int64_t *range = p->coloring->chunk_begin + chunk;
    int32_t *vertices = p->vertices + p->vertex_start[chunk];
    int32_t count = 0;
    for (int64_t slot = 0; slot < (range[1] - range[0] + LANES - 1) / LANES * LANES; ++slot) {
        tet_block *block = &p->blocks[(range[0] + slot) / LANES];
        int64_t lane = slot % LANES;
        // lanes past the end repeat the last tetrahedron without weight
        bool padding = range[0] + slot >= range[1];
        int64_t tet = padding ? range[1] - 1 : range[0] + slot;
        PLI_TRY(fill_lane(p, tet, padding, lane, block));
        for (int a = 0; a < 4; ++a) {
            int32_t vertex = p->tets[4 * tet + a];
            if (number[vertex] < 0) {
                vertices[count] = vertex;
                number[vertex] = count++;
            }
            block->corner[lane][a] = (int16_t)number[vertex];
        }
    }
    for (int32_t k = 0; k < count; ++k) number[vertices[k]] = -1;
    p->vertex_start[chunk + 1] = p->vertex_start[chunk] + count;
    return PLI_OK;
}

static pli_status fill_chunks(pli_projective *p, int32_t *number)
{
    for (int32_t v = 0; v < p->vertex_count; ++v) number[v] = -1;
    for (int32_t chunk = 0; chunk < p->coloring->chunk_count; ++chunk) {
        PLI_TRY(fill_chunk(p, chunk, number));
    }
    return PLI_OK;
}

static pli_status build_chunks(pli_projective *p)
{
    pli_context *context = p->context;
    PLI_TRY(
        pli_chunk_coloring_create(context, p->vertex_count, &p->cliques, CHUNK_SIZE, &p->coloring));
    int32_t chunk_count = p->coloring->chunk_count;
    int32_t *number = PLI_NEW(context, int32_t, p->vertex_count, "vertex numbers");
    pli_status status = PLI_ERROR_MEMORY;
    p->parts = PLI_NEW(context, chunk_part, chunk_count, "chunks");
    p->vertex_start = PLI_NEW(context, int64_t, (int64_t)chunk_count + 1, "chunks");
    p->vertices = PLI_NEW(context, int32_t, 4 * (int64_t)p->tet_count, "vertices of chunks");
    if (number == NULL || p->parts == NULL || p->vertex_start == NULL || p->vertices == NULL) {
        goto done;
    }
    status = fill_chunks(p, number);
    if (status != PLI_OK) goto done;
    status = PLI_RESIZE(context, p->vertices, p->vertex_start[chunk_count], "vertices of chunks");

done:
    pli_release(context, number);
    return status;
}

static pli_status build(pli_projective *p, const pli_projective_def *def)
{
    PLI_TRY(check(p->context, def));
    PLI_TRY(allocate_arrays(p));
    PLI_TRY(sort_tets(p, def));
    copy_def(p, def);
    return build_chunks(p);
}

pli_status pli_projective_create(pli_context *context, const pli_projective_def *def,
                                 pli_projective **projective)
{
    *projective = NULL;
    pli_projective *made = PLI_NEW(context, pli_projective, 1, "projective term");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->vertex_count = def->vertex_count;
    made->tet_count = def->tet_count;
    pli_status status = build(made, def);
    if (status != PLI_OK) {
        pli_projective_destroy(made);
        return status;
    }
    *projective = made;
    return PLI_OK;
}

void pli_projective_destroy(pli_projective *projective)
{
    if (projective == NULL) return;
    pli_context *context = projective->context;
    pli_elastic_destroy(projective->elastic);
    PLI_RELEASE(context, projective->parts, projective->vertices, projective->vertex_start,
                projective->blocks);
    pli_chunk_coloring_destroy(projective->coloring);
    PLI_RELEASE(context, projective->mu, projective->tets, projective->origin, projective->rest,
                projective);
}

// ---- chunks

// One chunk: its blocks and its vertices.
typedef struct chunk_view {
    const tet_block *blocks;
    int32_t block_count;
    const int32_t *vertices;
    int32_t vertex_count;
} chunk_view;

static chunk_view view_chunk(const pli_projective *p, int64_t chunk)
{
    const int64_t *begin = p->coloring->chunk_begin + chunk;
    return (chunk_view){.blocks = p->blocks + begin[0] / LANES,
                        .block_count = (int32_t)((begin[1] - begin[0] + LANES - 1) / LANES),
                        .vertices = p->vertices + p->vertex_start[chunk],
                        .vertex_count =
                            (int32_t)(p->vertex_start[chunk + 1] - p->vertex_start[chunk])};
}

// Brings the positions of a chunk together.
static void gather_positions(const chunk_view *chunk, const double *x, double *local)
{
    for (int32_t k = 0; k < chunk->vertex_count; ++k) {
        const double *from = x + 3 * (int64_t)chunk->vertices[k];
        pli_d4_store((pli_d4){from[0], from[1], from[2], 0}, local + 4 * k);
    }
}

// ---- gradient

typedef struct gradient_job {
    const pli_projective *projective;
    const double *x;
    double *g;
} gradient_job;

// All forces of a chunk are summed on the spot, then each of its vertices is written once.
static void add_chunk_gradient(void *user, int64_t begin, int64_t end)
{
    (void)end;
    const gradient_job *job = user;
    chunk_view chunk = view_chunk(job->projective, begin / CHUNK_SIZE);
    _Alignas(64) double x[4 * CHUNK_VERTICES];
    _Alignas(64) double f[4 * CHUNK_VERTICES];
    gather_positions(&chunk, job->x, x);
    memset(f, 0, 4 * (size_t)chunk.vertex_count * sizeof *f);
    int32_t block = 0;
    for (; block + 1 < chunk.block_count; block += 2) add_forces(2, chunk.blocks + block, x, f);
    if (block < chunk.block_count) add_forces(1, chunk.blocks + block, x, f);
    for (int32_t k = 0; k < chunk.vertex_count; ++k) {
        double *to = job->g + 3 * (int64_t)chunk.vertices[k];
        for (int i = 0; i < 3; ++i) to[i] += f[4 * k + i];
    }
}

static void run_gradient(void *user)
{
    gradient_job *job = user;
    pli_chunk_coloring_run(job->projective->coloring, add_chunk_gradient, job);
}

static void projective_add_gradient(void *self, const double *x, double *g)
{
    const pli_projective *projective = self;
    gradient_job job = {projective, x, g};
    pli_parallel_team(projective->context, run_gradient, &job);
}

// ---- reports

typedef struct measure_job {
    const pli_projective *projective;
    const double *x;
} measure_job;

static chunk_part combine_lanes(const lane_sums *sums)
{
    chunk_part part = {.min_J = INFINITY, .inverted = sums->inverted};
    for (int lane = 0; lane < LANES; ++lane) {
        pli_sum_merge(&part.energy, (pli_sum){sums->energy[lane / 4][lane % 4], 0});
        part.min_J = fmin(part.min_J, (double)sums->min_J[lane]);
    }
    return part;
}

static void measure_chunk(const pli_projective *p, int64_t index, const double *positions)
{
    chunk_view chunk = view_chunk(p, index);
    lane_sums sums = {.min_J = pli_f8_broadcast(INFINITY)};
    _Alignas(64) double x[4 * CHUNK_VERTICES];
    gather_positions(&chunk, positions, x);
    int32_t block = 0;
    for (; block + 1 < chunk.block_count; block += 2) {
        measure_blocks(2, chunk.blocks + block, x, &sums);
    }
    if (block < chunk.block_count) measure_blocks(1, chunk.blocks + block, x, &sums);
    p->parts[index] = combine_lanes(&sums);
}

static void measure_chunks(void *user, int64_t begin, int64_t end)
{
    const measure_job *job = user;
    for (int64_t chunk = begin; chunk < end; ++chunk) measure_chunk(job->projective, chunk, job->x);
}

// The parts of all chunks, combined in their order.
static chunk_part measure(const pli_projective *p, const double *x)
{
    measure_job job = {p, x};
    int32_t chunk_count = p->coloring->chunk_count;
    pli_parallel_for(p->context, chunk_count, 1, measure_chunks, &job);
    chunk_part total = {.min_J = INFINITY};
    for (int32_t k = 0; k < chunk_count; ++k) {
        const chunk_part *part = &p->parts[k];
        pli_sum_merge(&total.energy, part->energy);
        total.min_J = fmin(total.min_J, part->min_J);
        total.inverted += part->inverted;
    }
    return total;
}

void pli_projective_measure(const pli_projective *projective, const double *x,
                            pli_projective_report *report)
{
    chunk_part total = measure(projective, x);
    *report = (pli_projective_report){
        .energy = pli_sum_value(total.energy), .min_J = total.min_J, .inverted = total.inverted};
}

static pli_sum projective_energy(void *self, const double *x)
{
    return measure(self, x).energy;
}

// ---- matrices

static const pli_clique_list *projective_get_cliques(void *self)
{
    return &((const pli_projective *)self)->cliques;
}

// The same energy as a general elastic term.
static pli_status make_elastic(pli_projective *p)
{
    pli_context *context = p->context;
    const pli_material_ops *law = &pli_law_corotated;
    int32_t *law_of_tet = PLI_NEW(context, int32_t, p->tet_count, "laws");
    double *params =
        PLI_NEW(context, double, (int64_t)PLI_ELASTIC_PARAMS * p->tet_count, "law parameters");
    pli_status status = PLI_ERROR_MEMORY;
    if (law_of_tet == NULL || params == NULL) goto done;
    // all numbers not written are zero: the law's index and lambda
    for (int64_t tet = 0; tet < p->tet_count; ++tet) {
        params[PLI_ELASTIC_PARAMS * tet + PLI_LAME_MU] = p->mu[tet];
    }
    pli_elastic_def def = {.vertex_count = p->vertex_count,
                           .tet_count = p->tet_count,
                           .rest = p->rest,
                           .tets = p->tets,
                           .law_count = 1,
                           .laws = &law,
                           .law_of_tet = law_of_tet,
                           .params = params};
    status = pli_elastic_create(context, &def, &p->elastic);

done:
    PLI_RELEASE(context, params, law_of_tet);
    return status;
}

static pli_status projective_bind(void *self, const pli_bcsr *H)
{
    pli_projective *projective = self;
    if (projective->elastic == NULL) PLI_TRY(make_elastic(projective));
    return pli_elements_bind(projective->elastic, H);
}

static void projective_add_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    const pli_projective *projective = self;
    pli_elements_add_hessian(projective->elastic, x, projected, H);
}

typedef struct lifted_job {
    const pli_projective *projective;
    pli_lifted *S;
} lifted_job;

static void add_chunk_lifted(void *user, int64_t begin, int64_t end)
{
    const lifted_job *job = user;
    const pli_projective *p = job->projective;
    for (int64_t tet = begin; tet < end; ++tet) {
        const int32_t *corners = p->tets + 4 * tet;
        pli_tet_shape shape;
        pli_tet_shape_compute(p->rest, corners, &shape);
        pli_tet_shape_add_lifted(&shape, corners, 2 * p->mu[tet], job->S);
    }
}

static void projective_add_lifted(void *self, pli_lifted *S)
{
    const pli_projective *projective = self;
    lifted_job job = {projective, S};
    pli_chunk_coloring_run(projective->coloring, add_chunk_lifted, &job);
}

const pli_term_ops pli_projective_term = {
    .name = "projective",
    .energy = projective_energy,
    .add_gradient = projective_add_gradient,
    .add_hessian = projective_add_hessian,
    .get_cliques = projective_get_cliques,
    .bind = projective_bind,
    .add_lifted = projective_add_lifted,
};
