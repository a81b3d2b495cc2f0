// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/generate/cutting.h"
#include "geometry/mesh/tet_mesh.h"

#include <string.h>

enum { CELL_TETS = 12, STENCIL_TETS = 3 };

// A lattice tetrahedron: corners 0, 1 are cube corners, 2, 3 cube centres, so that edges 01 and 23
// are long and the others short.
typedef struct lattice_tet {
    int32_t at[4][3]; // coordinates
    int32_t node[4];
    int8_t state[4];
} lattice_tet;

// what a lattice tetrahedron is filled with, by raw vertex: a node, or node_count + a cut
typedef struct stencil_output {
    int32_t count;
    int32_t tet[STENCIL_TETS][4];
} stencil_output;

// Tetrahedron `index` of the twelve around the three long edges that start at a cube corner.
static void load_tet(const pli_cutting *cutting, const int32_t origin[3], int index,
                     lattice_tet *tet)
{
    // cube centres around an edge, in order: positively oriented with the edge
    static const int ring[5][2] = {{1, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    int axis = index / 4;
    int u = (axis + 1) % 3;
    int v = (axis + 2) % 3;
    for (int corner = 0; corner < 4; ++corner) {
        memcpy(tet->at[corner], origin, sizeof tet->at[corner]);
    }
    tet->at[1][axis] += 2;
    for (int side = 0; side < 2; ++side) {
        const int *offset = ring[index % 4 + side];
        tet->at[2 + side][axis] += 1;
        tet->at[2 + side][u] += offset[0];
        tet->at[2 + side][v] += offset[1];
    }
    // -1: a place without a node is outside of everything
    for (int corner = 0; corner < 4; ++corner) {
        int32_t node = pli_bcc_find(cutting->bcc, tet->at[corner]);
        tet->node[corner] = node;
        tet->state[corner] = node >= 0 ? cutting->state[node] : -1;
    }
}

// Raw vertex of the cut between two corners.
static int32_t cut_vertex(const pli_cutting *cutting, const lattice_tet *tet, int a, int b)
{
    int direction = pli_bcc_direction(tet->at[a], tet->at[b]);
    bool owned = direction < PLI_BCC_OWNED;
    int32_t owner = owned ? tet->node[a] : tet->node[b];
    int32_t edge = owned ? direction : direction - PLI_BCC_OWNED;
    int32_t cut = cutting->edge[(int64_t)owner * PLI_BCC_OWNED + edge];
    return pli_bcc_node_count(cutting->bcc) + cut;
}

static bool is_long_edge(int a, int b)
{
    return a / 2 == b / 2;
}

// Which of the inside corners a, b the diagonal on their face with the outside corner c starts
// from; it ends in the cut of the other one's edge.
static int diagonal_start(const lattice_tet *tet, int a, int b, int c)
{
    if (is_long_edge(a, c)) return b;
    if (is_long_edge(b, c)) return a;
    // parity rule
    int larger = 0;
    for (int k = 0; k < 3; ++k) larger += tet->at[a][k] > tet->at[c][k];
    return larger % 2 == 0 ? a : b;
}

static void add_tet(stencil_output *out, int32_t a, int32_t b, int32_t c, int32_t d)
{
    const int32_t tet[4] = {a, b, c, d};
    memcpy(out->tet[out->count++], tet, sizeof tet);
}

// A prism with ends u and w, cut along diagonals u_i w_j where i comes before j.
static void add_prism(stencil_output *out, const int32_t u[3], const int32_t w[3],
                      bool before[3][3])
{
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; ++i) {
        int rank = 0;
        for (int j = 0; j < 3; ++j) rank += j != i && before[j][i];
        order[rank] = i;
    }
    int a = order[0];
    int b = order[1];
    int c = order[2];
    add_tet(out, u[a], w[a], w[b], w[c]);
    add_tet(out, u[a], u[b], w[b], w[c]);
    add_tet(out, u[a], u[b], u[c], w[c]);
}

// corners of a lattice tetrahedron by state
typedef struct corner_sets {
    int inside_count;
    int outside_count;
    int inside[4];
    int outside[4];
    int surface[4];
} corner_sets;

static corner_sets sort_corners(const lattice_tet *tet)
{
    corner_sets sets = {0};
    int surface_count = 0;
    for (int k = 0; k < 4; ++k) {
        if (tet->state[k] > 0) sets.inside[sets.inside_count++] = k;
        if (tet->state[k] < 0) sets.outside[sets.outside_count++] = k;
        if (tet->state[k] == 0) sets.surface[surface_count++] = k;
    }
    return sets;
}

// One inside corner: the tetrahedron shrunk towards it.
static void fill_corner(const pli_cutting *cutting, const lattice_tet *tet, int inside,
                        stencil_output *out)
{
    int32_t v[4];
    for (int k = 0; k < 4; ++k) {
        v[k] = tet->state[k] < 0 ? cut_vertex(cutting, tet, inside, k) : tet->node[k];
    }
    add_tet(out, v[0], v[1], v[2], v[3]);
}

// Two inside corners, one outside, one on the surface: a pyramid over a quadrilateral.
static void fill_pyramid(const pli_cutting *cutting, const lattice_tet *tet,
                         const corner_sets *sets, stencil_output *out)
{
    int c = sets->outside[0];
    int a = diagonal_start(tet, sets->inside[0], sets->inside[1], c);
    int b = sets->inside[0] + sets->inside[1] - a;
    int32_t tip = tet->node[sets->surface[0]];
    int32_t a_cut = cut_vertex(cutting, tet, a, c);
    int32_t b_cut = cut_vertex(cutting, tet, b, c);
    add_tet(out, tet->node[a], tet->node[b], b_cut, tip);
    add_tet(out, tet->node[a], b_cut, a_cut, tip);
}

// Two inside corners, two outside: a prism between the two.
static void fill_wedge(const pli_cutting *cutting, const lattice_tet *tet, const corner_sets *sets,
                       stencil_output *out)
{
    int a = sets->inside[0];
    int b = sets->inside[1];
    int32_t u[3] = {tet->node[a]};
    int32_t w[3] = {tet->node[b]};
    bool before[3][3] = {{false}};
    for (int k = 1; k < 3; ++k) {
        int c = sets->outside[k - 1];
        u[k] = cut_vertex(cutting, tet, a, c);
        w[k] = cut_vertex(cutting, tet, b, c);
        bool from_a = diagonal_start(tet, a, b, c) == a;
        before[0][k] = from_a;
        before[k][0] = !from_a;
    }
    // the third diagonal lies on the surface; only one choice goes with two that differ
    bool first = before[1][0] || before[0][2];
    before[1][2] = first;
    before[2][1] = !first;
    add_prism(out, u, w, before);
}

// Three inside corners: a prism between them and their cuts.
static void fill_slab(const pli_cutting *cutting, const lattice_tet *tet, const corner_sets *sets,
                      stencil_output *out)
{
    int32_t u[3], w[3];
    bool before[3][3] = {{false}};
    for (int i = 0; i < 3; ++i) {
        u[i] = tet->node[sets->inside[i]];
        w[i] = cut_vertex(cutting, tet, sets->inside[i], sets->outside[0]);
        for (int j = 0; j < 3; ++j) {
            before[i][j] = i != j && diagonal_start(tet, sets->inside[i], sets->inside[j],
                                                    sets->outside[0]) == sets->inside[i];
        }
    }
    add_prism(out, u, w, before);
}

static stencil_output fill_tet(const pli_cutting *cutting, const lattice_tet *tet)
{
    stencil_output out = {0};
    corner_sets sets = sort_corners(tet);
    if (sets.inside_count == 0) return out;
    if (sets.outside_count == 0) {
        add_tet(&out, tet->node[0], tet->node[1], tet->node[2], tet->node[3]);
    } else if (sets.inside_count == 1) {
        fill_corner(cutting, tet, sets.inside[0], &out);
    } else if (sets.inside_count == 3) {
        fill_slab(cutting, tet, &sets, &out);
    } else if (sets.outside_count == 2) {
        fill_wedge(cutting, tet, &sets, &out);
    } else {
        fill_pyramid(cutting, tet, &sets, &out);
    }
    return out;
}

// Whether a block has inside nodes of its own.
static bool has_inside(const pli_cutting *cutting, int32_t slot)
{
    const int8_t *state = cutting->state + (int64_t)slot * PLI_BCC_BLOCK_NODES;
    for (int32_t n = 0; n < PLI_BCC_BLOCK_NODES; ++n) {
        if (state[n] > 0) return true;
    }
    return false;
}

// what workers share
typedef struct filling_job {
    const pli_cutting *cutting;
    pli_filling *filling;
    bool *inside;    // [slot_count] blocks that have inside nodes
    int64_t *first;  // [slot_count + 1] tetrahedra of each block start here
    int32_t *number; // [node_count + cut_count] vertex of each raw vertex, -1: not used
} filling_job;

// Whether inside nodes are near enough to a block for its tetrahedra to reach them.
static bool is_near_inside(const filling_job *job, int32_t slot)
{
    const pli_bcc *bcc = job->cutting->bcc;
    int32_t corner[3];
    pli_bcc_coordinates(bcc, slot * PLI_BCC_BLOCK_NODES, corner);
    for (int k = 0; k < 27; ++k) {
        // eight half edges to a block
        const int32_t at[3] = {corner[0] + 8 * (k % 3 - 1), corner[1] + 8 * (k / 3 % 3 - 1),
                               corner[2] + 8 * (k / 9 - 1)};
        int32_t node = pli_bcc_find(bcc, at);
        if (node >= 0 && job->inside[node / PLI_BCC_BLOCK_NODES]) return true;
    }
    return false;
}

// Fills the tetrahedra that belong to a block; with out NULL only counts them.
static int64_t fill_block(const filling_job *job, int32_t slot, int32_t *out)
{
    const pli_cutting *cutting = job->cutting;
    int64_t count = 0;
    if (!is_near_inside(job, slot)) return 0;
    int32_t first = slot * PLI_BCC_BLOCK_NODES;
    for (int32_t node = first; node < first + PLI_BCC_BLOCK_NODES; node += 2) {
        int32_t origin[3];
        pli_bcc_coordinates(cutting->bcc, node, origin);
        for (int index = 0; index < CELL_TETS; ++index) {
            lattice_tet tet;
            load_tet(cutting, origin, index, &tet);
            stencil_output stencil = fill_tet(cutting, &tet);
            if (out != NULL && stencil.count > 0) {
                memcpy(out + 4 * count, stencil.tet, (size_t)stencil.count * sizeof stencil.tet[0]);
            }
            count += stencil.count;
        }
    }
    return count;
}

static void mark_inside(void *user, int64_t begin, int64_t end)
{
    const filling_job *job = user;
    for (int64_t slot = begin; slot < end; ++slot) {
        job->inside[slot] = has_inside(job->cutting, (int32_t)slot);
    }
}

static void count_blocks(void *user, int64_t begin, int64_t end)
{
    const filling_job *job = user;
    for (int64_t slot = begin; slot < end; ++slot) {
        job->first[slot + 1] = fill_block(job, (int32_t)slot, NULL);
    }
}

static void fill_blocks(void *user, int64_t begin, int64_t end)
{
    const filling_job *job = user;
    for (int64_t slot = begin; slot < end; ++slot) {
        fill_block(job, (int32_t)slot, job->filling->tets + 4 * job->first[slot]);
    }
}

// Where a raw vertex lies.
static void raw_position(const pli_cutting *cutting, int32_t raw, double x[3])
{
    const pli_bcc *bcc = cutting->bcc;
    int32_t nodes = pli_bcc_node_count(bcc);
    int32_t c = raw < nodes ? cutting->warp[raw] : raw - nodes;
    int32_t at[3];
    if (c < 0) {
        pli_bcc_coordinates(bcc, raw, at);
        const double real[3] = {at[0], at[1], at[2]};
        pli_bcc_position(bcc, real, x);
        return;
    }
    const pli_cut *cut = &cutting->cuts[c];
    double real[3];
    pli_bcc_coordinates(bcc, cut->from, at);
    for (int k = 0; k < 3; ++k) real[k] = at[k] + cut->t * pli_bcc_offset[cut->direction][k];
    pli_bcc_position(bcc, real, x);
}

static void place_points(void *user, int64_t begin, int64_t end)
{
    const filling_job *job = user;
    for (int64_t raw = begin; raw < end; ++raw) {
        int32_t vertex = job->number[raw];
        if (vertex < 0) continue;
        raw_position(job->cutting, (int32_t)raw, job->filling->points + 3 * (int64_t)vertex);
    }
}

// Replaces raw vertices by numbers and turns tetrahedra to positive volume.
static void renumber_tets(void *user, int64_t begin, int64_t end)
{
    const filling_job *job = user;
    const double *points = job->filling->points;
    for (int64_t t = begin; t < end; ++t) {
        int32_t *tet = job->filling->tets + 4 * t;
        for (int k = 0; k < 4; ++k) tet[k] = job->number[tet[k]];
        if (pli_tet_volume_at(points, tet) < 0) pli_tet_turn(tet);
    }
}

static pli_status number_vertices(filling_job *job, int64_t raw_count)
{
    pli_filling *filling = job->filling;
    memset(job->number, -1, (size_t)raw_count * sizeof(int32_t));
    for (int64_t k = 0; k < 4 * (int64_t)filling->tet_count; ++k) job->number[filling->tets[k]] = 0;
    for (int64_t raw = 0; raw < raw_count; ++raw) {
        if (job->number[raw] >= 0) job->number[raw] = filling->vertex_count++;
    }
    return PLI_MAKE(filling->context, filling->points, 3 * (int64_t)filling->vertex_count,
                    "filling points");
}

static pli_status fill_lattice(filling_job *job)
{
    pli_filling *filling = job->filling;
    pli_context *context = filling->context;
    int32_t slots = job->cutting->bcc->slot_count;
    pli_parallel_for(context, slots, 64, mark_inside, job);
    pli_parallel_for(context, slots, 4, count_blocks, job);
    for (int32_t s = 0; s < slots; ++s) job->first[s + 1] += job->first[s];
    if (job->first[slots] > INT32_MAX / 4) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "too many tetrahedra: %.3g",
                        (double)job->first[slots]);
    }
    filling->tet_count = (int32_t)job->first[slots];
    PLI_TRY(PLI_MAKE(context, filling->tets, 4 * (int64_t)filling->tet_count, "filling"));
    pli_parallel_for(context, slots, 4, fill_blocks, job);
    return PLI_OK;
}

pli_status pli_filling_init(const pli_cutting *cutting, pli_filling *filling)
{
    pli_context *context = cutting->bcc->context;
    *filling = (pli_filling){.context = context};
    int64_t raw_count = (int64_t)pli_bcc_node_count(cutting->bcc) + cutting->cut_count;
    filling_job job = {
        .cutting = cutting,
        .filling = filling,
        .inside = PLI_NEW(context, bool, cutting->bcc->slot_count, "inside blocks"),
        .first = PLI_NEW(context, int64_t, (int64_t)cutting->bcc->slot_count + 1, "tet offsets"),
        .number = PLI_NEW(context, int32_t, raw_count, "vertex numbers"),
    };
    pli_status status = PLI_ERROR_MEMORY;
    if (job.inside == NULL || job.first == NULL || job.number == NULL) goto done;
    status = fill_lattice(&job);
    if (status == PLI_OK) status = number_vertices(&job, raw_count);
    if (status != PLI_OK) goto done;
    pli_parallel_for(context, raw_count, 4096, place_points, &job);
    pli_parallel_for(context, filling->tet_count, 4096, renumber_tets, &job);

done:
    PLI_RELEASE(context, job.number, job.first, job.inside);
    if (status != PLI_OK) pli_filling_clear(filling);
    return status;
}

void pli_filling_clear(pli_filling *filling)
{
    if (filling->context == NULL) return;
    PLI_RELEASE(filling->context, filling->points, filling->tets);
    *filling = (pli_filling){0};
}

static pli_sum sum_volumes(void *user, int64_t begin, int64_t end)
{
    const pli_filling *filling = user;
    pli_sum sum = {0, 0};
    for (int64_t t = begin; t < end; ++t) {
        pli_sum_add(&sum, pli_tet_volume_at(filling->points, filling->tets + 4 * t));
    }
    return sum;
}

double pli_filling_volume(const pli_filling *filling)
{
    pli_filling copy = *filling;
    return pli_sum_value(
        pli_parallel_sum(filling->context, filling->tet_count, 4096, sum_volumes, &copy));
}
