// SPDX-License-Identifier: Apache-2.0
//
// Nodes as particles of the next coarser grid: who has which parents, and transfers of vectors.
#include "mpm/implicit/node_multigrid_inside.h"

#include "base/parallel.h"
#include "linear/matrix/vector.h"
#include "math/mat3.h"

#include <string.h>

enum { FAMILY_GRAIN = 1, MOST_BOX = 6, BOX_NODES = MOST_BOX * MOST_BOX * MOST_BOX };

// N(i/2 - I): hat and quadratic B-spline at whole and half arguments
static const pli_embedding embeddings[] = {
    [PLI_EMBEDDING_LINEAR] = {{{1, 0, {1}}, {2, 0, {0.5, 0.5}}}, 5, 2},
    [PLI_EMBEDDING_QUADRATIC] = {{{3, 0, {0.125, 0.75, 0.125}}, {2, 1, {0.5, 0.5}}}, 6, 3},
};

pli_embedding pli_embedding_of(pli_embedding_kind kind)
{
    return embeddings[kind];
}

// ---- families

static bool is_next_in_family(const pli_node_family *family, const pli_node_block *block)
{
    for (int a = 0; a < 3; ++a) {
        if (block->at[a] >> 1 != family->at[a]) return false;
    }
    return true;
}

static int family_color(const pli_node_family *family)
{
    return 4 * (family->at[0] & 1) + 2 * (family->at[1] & 1) + (family->at[2] & 1);
}

// Families in the order of their blocks.
static int32_t find_families(const pli_node_grid *grid, pli_node_family *families)
{
    int32_t count = 0;
    for (int32_t k = 0; k < grid->block_count; ++k) {
        const pli_node_block *block = &grid->blocks[k];
        if (count == 0 || !is_next_in_family(&families[count - 1], block)) {
            const int32_t *at = block->at;
            families[count++] = (pli_node_family){{at[0] >> 1, at[1] >> 1, at[2] >> 1}, k, 0};
        }
        ++families[count - 1].count;
    }
    return count;
}

static void sort_families(const pli_node_family *found, pli_node_level *level)
{
    int32_t place[PLI_NODE_COLORS] = {0};
    for (int32_t k = 0; k < level->family_count; ++k) ++place[family_color(&found[k])];
    level->family_start[0] = 0;
    for (int c = 0; c < PLI_NODE_COLORS; ++c) {
        level->family_start[c + 1] = level->family_start[c] + place[c];
        place[c] = level->family_start[c];
    }
    for (int32_t k = 0; k < level->family_count; ++k) {
        level->families[place[family_color(&found[k])]++] = found[k];
    }
}

pli_status pli_node_level_list_families(pli_node_level *level, pli_arena *tables)
{
    const pli_node_grid *grid = level->grid;
    int64_t most = grid->block_count;
    level->families = pli_arena_take(tables, most, sizeof *level->families, "families of nodes");
    if (level->families == NULL) return PLI_ERROR_MEMORY;
    pli_arena_mark mark = pli_arena_begin(tables);
    pli_node_family *found = pli_arena_take(tables, most, sizeof *found, "families of nodes");
    if (found != NULL) {
        level->family_count = find_families(grid, found);
        sort_families(found, level);
    }
    pli_arena_end(tables, mark);
    return found != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

// ---- parents

// Marks the parents of a node at u, relative to the corner of its family.
static void mark_parents(const pli_embedding *embedding, const int32_t u[3], bool *box)
{
    const pli_node_parents *p[3];
    for (int a = 0; a < 3; ++a) p[a] = &embedding->parity[u[a] & 1];
    for (int32_t x = 0; x < p[0]->count; ++x) {
        for (int32_t y = 0; y < p[1]->count; ++y) {
            int32_t row =
                ((u[0] >> 1) + p[0]->shift + x) * embedding->box + (u[1] >> 1) + p[1]->shift + y;
            bool *first = box + row * embedding->box + (u[2] >> 1) + p[2]->shift;
            for (int32_t z = 0; z < p[2]->count; ++z) first[z] = true;
        }
    }
}

static void set_corner(const pli_node_family *family, const pli_node_block *block,
                       int32_t corner[3])
{
    for (int a = 0; a < 3; ++a) corner[a] = PLI_NODE_EDGE * (block->at[a] - 2 * family->at[a]);
}

static void set_place(const int32_t corner[3], int bit, int32_t u[3])
{
    u[0] = corner[0] + bit / 16;
    u[1] = corner[1] + bit / 4 % 4;
    u[2] = corner[2] + bit % 4;
}

static pli_status mark_family(const pli_embedding *embedding, const pli_node_level *level,
                              const pli_node_family *family, pli_node_grid *coarse)
{
    bool box[BOX_NODES] = {false};
    int32_t corner[3], u[3], side = embedding->box;
    for (int32_t k = family->first; k < family->first + family->count; ++k) {
        const pli_node_block *block = &level->grid->blocks[k];
        int64_t node = block->first;
        set_corner(family, block, corner);
        for (uint64_t rest = block->nodes; rest != 0; rest &= rest - 1, ++node) {
            if (pli_node_is_fixed(level, node)) continue;
            set_place(corner, __builtin_ctzll(rest), u);
            mark_parents(embedding, u, box);
        }
    }
    for (int32_t n = 0; n < side * side * side; ++n) {
        if (!box[n]) continue;
        const int32_t at[3] = {4 * family->at[0] + n / side / side,
                               4 * family->at[1] + n / side % side, 4 * family->at[2] + n % side};
        PLI_TRY(pli_node_grid_mark(coarse, at, 1));
    }
    return PLI_OK;
}

pli_status pli_embedding_mark(const pli_embedding *embedding, const pli_node_level *level,
                              pli_node_grid *coarse)
{
    pli_node_grid_clear(coarse);
    for (int32_t k = 0; k < level->family_count; ++k) {
        PLI_TRY(mark_family(embedding, level, &level->families[k], coarse));
    }
    return PLI_OK;
}

// What the loop bodies work on.
typedef struct embed_job {
    const pli_embedding *embedding;
    const pli_node_level *level;
    const pli_node_grid *coarse_grid;
    const double *coarse;
    const double *fine;
    double *out;
    int32_t first; // family of the loop
} embed_job;

static int32_t box_nodes(const pli_embedding *embedding)
{
    return embedding->box * embedding->box * embedding->box;
}

static void link_families(void *user, int64_t begin, int64_t end)
{
    const embed_job *job = user;
    for (int64_t k = begin; k < end; ++k) {
        const int32_t *at = job->level->families[k].at;
        const int32_t low[3] = {4 * at[0], 4 * at[1], 4 * at[2]};
        pli_node_grid_find_box(job->coarse_grid, low, job->embedding->box,
                               job->level->parents + k * box_nodes(job->embedding));
    }
}

pli_status pli_embedding_link(const pli_embedding *embedding, pli_node_level *level,
                              const pli_node_grid *coarse, pli_arena *tables)
{
    int64_t count = (int64_t)level->family_count * box_nodes(embedding);
    level->parents = pli_arena_ints(tables, count, "parents of nodes");
    if (level->parents == NULL) return PLI_ERROR_MEMORY;
    embed_job job = {.embedding = embedding, .level = level, .coarse_grid = coarse};
    pli_parallel_for(level->context, level->family_count, FAMILY_GRAIN, link_families, &job);
    return PLI_OK;
}

// ---- transfers

// Parents of a node, and their weights; returns their number.
static int32_t list_parents(const pli_embedding *embedding, const int32_t u[3],
                            const int32_t *parents, int32_t *nodes, double *weights)
{
    const pli_node_parents *p[3];
    int32_t count = 0;
    for (int a = 0; a < 3; ++a) p[a] = &embedding->parity[u[a] & 1];
    for (int32_t x = 0; x < p[0]->count; ++x) {
        for (int32_t y = 0; y < p[1]->count; ++y) {
            int32_t row =
                ((u[0] >> 1) + p[0]->shift + x) * embedding->box + (u[1] >> 1) + p[1]->shift + y;
            const int32_t *first = parents + row * embedding->box + (u[2] >> 1) + p[2]->shift;
            double w = p[0]->weights[x] * p[1]->weights[y];
            for (int32_t z = 0; z < p[2]->count; ++z) {
                nodes[count] = first[z];
                weights[count++] = w * p[2]->weights[z];
            }
        }
    }
    return count;
}

// v = T v where the node is held
static void project(const pli_node_level *level, int32_t node, double v[3])
{
    if (level->held[node] < 0) return;
    double Tv[3];
    pli_mat3_apply(level->tangents + 9 * (int64_t)level->held[node], v, Tv);
    pli_vec3_copy(Tv, v);
}

static void prolong_block(const embed_job *job, int64_t family, const pli_node_block *block)
{
    int32_t corner[3], u[3], nodes[27], node = block->first;
    double weights[27];
    const int32_t *parents = job->level->parents + family * box_nodes(job->embedding);
    set_corner(&job->level->families[family], block, corner);
    for (uint64_t rest = block->nodes; rest != 0; rest &= rest - 1, ++node) {
        if (pli_node_is_fixed(job->level, node)) continue;
        double v[3] = {0, 0, 0};
        set_place(corner, __builtin_ctzll(rest), u);
        int32_t count = list_parents(job->embedding, u, parents, nodes, weights);
        for (int32_t k = 0; k < count; ++k) {
            pli_vec3_add_scaled(v, weights[k], job->coarse + 3 * (int64_t)nodes[k], v);
        }
        project(job->level, node, v);
        pli_vec3_add(job->out + 3 * (int64_t)node, v, job->out + 3 * (int64_t)node);
    }
}

static void restrict_block(const embed_job *job, int64_t family, const pli_node_block *block)
{
    int32_t corner[3], u[3], nodes[27], node = block->first;
    double weights[27];
    const int32_t *parents = job->level->parents + family * box_nodes(job->embedding);
    set_corner(&job->level->families[family], block, corner);
    for (uint64_t rest = block->nodes; rest != 0; rest &= rest - 1, ++node) {
        if (pli_node_is_fixed(job->level, node)) continue;
        double v[3];
        pli_vec3_copy(job->fine + 3 * (int64_t)node, v);
        project(job->level, node, v);
        set_place(corner, __builtin_ctzll(rest), u);
        int32_t count = list_parents(job->embedding, u, parents, nodes, weights);
        for (int32_t k = 0; k < count; ++k) {
            double *out = job->out + 3 * (int64_t)nodes[k];
            pli_vec3_add_scaled(out, weights[k], v, out);
        }
    }
}

static void prolong_families(void *user, int64_t begin, int64_t end)
{
    const embed_job *job = user;
    for (int64_t k = begin; k < end; ++k) {
        const pli_node_family *family = &job->level->families[k];
        const pli_node_block *blocks = job->level->grid->blocks + family->first;
        for (int32_t b = 0; b < family->count; ++b) prolong_block(job, k, &blocks[b]);
    }
}

static void restrict_families(void *user, int64_t begin, int64_t end)
{
    const embed_job *job = user;
    for (int64_t k = job->first + begin; k < job->first + end; ++k) {
        const pli_node_family *family = &job->level->families[k];
        const pli_node_block *blocks = job->level->grid->blocks + family->first;
        for (int32_t b = 0; b < family->count; ++b) restrict_block(job, k, &blocks[b]);
    }
}

void pli_embedding_prolong(const pli_embedding *embedding, const pli_node_level *level,
                           const double *coarse, double *fine)
{
    embed_job job = {.embedding = embedding, .level = level, .coarse = coarse, .out = fine};
    pli_parallel_for(level->context, level->family_count, FAMILY_GRAIN, prolong_families, &job);
}

void pli_embedding_restrict(const pli_embedding *embedding, const pli_node_level *level,
                            int32_t coarse_count, const double *fine, double *coarse)
{
    const pli_context *context = level->context;
    pli_vector_fill(context, 3 * (int64_t)coarse_count, 0, coarse);
    for (int c = 0; c < PLI_NODE_COLORS; ++c) {
        int32_t first = level->family_start[c];
        embed_job job = {
            .embedding = embedding, .level = level, .fine = fine, .out = coarse, .first = first};
        pli_parallel_for(context, level->family_start[c + 1] - first, FAMILY_GRAIN,
                         restrict_families, &job);
    }
}
