// SPDX-License-Identifier: Apache-2.0
#include "geometry/generate/cutting.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/mesh/sort.h"

#include <string.h>

enum { CHUNK = 64, MAX_ITERATIONS = 24 };

// smallest allowed distance of a cut from a node as a fraction of its edge, long and short
static const double alpha_long = 0.285;
static const double alpha_short = 0.3985;

// what workers share
typedef struct cutting_job {
    pli_cutting *cutting;
    const pli_cutting_def *def;
    int32_t *first; // [slot_count + 1] cuts owned by the nodes of each block start here
} cutting_job;

static void set_states(void *user, int64_t begin, int64_t end)
{
    const cutting_job *job = user;
    pli_cutting *cutting = job->cutting;
    for (int64_t node = begin; node < end; ++node) {
        double value = cutting->bcc->value[node] - job->def->level;
        cutting->state[node] = value < 0 ? 1 : value > 0 ? -1 : 0;
        cutting->warp[node] = -1;
    }
}

// The node at the other end of an edge, -1 when it is not stored.
static int32_t neighbour(const pli_bcc *bcc, const int32_t at[3], int direction)
{
    const int8_t *d = pli_bcc_offset[direction];
    const int32_t there[3] = {at[0] + d[0], at[1] + d[1], at[2] + d[2]};
    return pli_bcc_find(bcc, there);
}

// Lists the cut edges owned by the nodes of a block and returns how many there are; with out NULL
// only counts.
static int32_t list_block_cuts(const pli_cutting *cutting, int32_t slot, pli_cut *out)
{
    const pli_bcc *bcc = cutting->bcc;
    int32_t count = 0;
    int32_t first = slot * PLI_BCC_BLOCK_NODES;
    for (int32_t node = first; node < first + PLI_BCC_BLOCK_NODES; ++node) {
        int32_t at[3];
        if (cutting->state[node] == 0 || bcc->value[node] == -INFINITY) continue;
        pli_bcc_coordinates(bcc, node, at);
        for (int direction = 0; direction < PLI_BCC_OWNED; ++direction) {
            int32_t other = neighbour(bcc, at, direction);
            if (other < 0 || cutting->state[other] != -cutting->state[node]) continue;
            if (out != NULL) out[count] = (pli_cut){node, other, 0, (int8_t)direction, true};
            ++count;
        }
    }
    return count;
}

static void count_cuts(void *user, int64_t begin, int64_t end)
{
    const cutting_job *job = user;
    for (int64_t slot = begin; slot < end; ++slot) {
        job->first[slot + 1] = list_block_cuts(job->cutting, (int32_t)slot, NULL);
    }
}

static void list_cuts(void *user, int64_t begin, int64_t end)
{
    const cutting_job *job = user;
    pli_cutting *cutting = job->cutting;
    for (int64_t slot = begin; slot < end; ++slot) {
        list_block_cuts(cutting, (int32_t)slot, cutting->cuts + job->first[slot]);
        for (int32_t c = job->first[slot]; c < job->first[slot + 1]; ++c) {
            const pli_cut *cut = &cutting->cuts[c];
            cutting->edge[(int64_t)cut->from * PLI_BCC_OWNED + cut->direction] = c;
        }
    }
}

// a root bracketed on one edge
typedef struct bracket {
    double start[3];
    double along[3];
    double low, high;       // parameters
    double at_low, at_high; // values there, of opposite signs
    double t;               // estimate of the root
    int moved;              // end that moved last, -1: low, 1: high
    bool found;
} bracket;

static bracket make_bracket(const pli_cutting *cutting, const pli_cut *cut, double level)
{
    const pli_bcc *bcc = cutting->bcc;
    bracket b = {.low = 0,
                 .high = 1,
                 .at_low = bcc->value[cut->from] - level,
                 .at_high = bcc->value[cut->to] - level};
    int32_t at[3];
    pli_bcc_coordinates(bcc, cut->from, at);
    const double real[3] = {at[0], at[1], at[2]};
    pli_bcc_position(bcc, real, b.start);
    for (int k = 0; k < 3; ++k) {
        b.along[k] = 0.5 * bcc->spacing * pli_bcc_offset[cut->direction][k];
    }
    b.t = b.at_low / (b.at_low - b.at_high);
    return b;
}

// Narrows a bracket by the value at its estimate: regula falsi, in which an end that stays twice in
// a row counts half (Dowell and Jarratt 1971), so that both ends keep moving.
static void narrow(bracket *b, double value, double tolerance)
{
    if (fabs(value) <= tolerance || b->high - b->low <= 1e-9) b->found = true;
    if (b->found) return;
    if ((value < 0) == (b->at_low < 0)) {
        b->low = b->t;
        b->at_low = value;
        if (b->moved < 0) b->at_high *= 0.5;
        b->moved = -1;
    } else {
        b->high = b->t;
        b->at_high = value;
        if (b->moved > 0) b->at_low *= 0.5;
        b->moved = 1;
    }
    b->t = b->low + (b->high - b->low) * b->at_low / (b->at_low - b->at_high);
}

// Evaluates the shape at the estimates that are not yet good enough; returns how many there were.
static int32_t refine_once(const cutting_job *job, bracket *brackets, int32_t count)
{
    double tolerance = 1e-7 * job->cutting->bcc->spacing;
    double points[3 * CHUNK], values[CHUNK];
    int32_t open[CHUNK];
    int32_t open_count = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (brackets[i].found) continue;
        pli_vec3_add_scaled(brackets[i].start, brackets[i].t, brackets[i].along,
                            points + 3 * open_count);
        open[open_count++] = i;
    }
    pli_shape_values(job->def->shape, open_count, points, values);
    for (int32_t k = 0; k < open_count; ++k) {
        narrow(&brackets[open[k]], values[k] - job->def->level, tolerance);
    }
    return open_count;
}

static void refine_chunk(const cutting_job *job, pli_cut *cuts, int32_t count)
{
    bracket brackets[CHUNK];
    for (int32_t i = 0; i < count; ++i) {
        brackets[i] = make_bracket(job->cutting, &cuts[i], job->def->level);
    }
    int32_t open_count = job->def->refine ? count : 0;
    for (int iteration = 0; iteration < MAX_ITERATIONS && open_count > 0; ++iteration) {
        open_count = refine_once(job, brackets, count);
    }
    for (int32_t i = 0; i < count; ++i) cuts[i].t = brackets[i].t;
}

static void refine_cuts(void *user, int64_t begin, int64_t end)
{
    const cutting_job *job = user;
    for (int64_t first = begin; first < end; first += CHUNK) {
        int64_t count = end - first < CHUNK ? end - first : CHUNK;
        refine_chunk(job, job->cutting->cuts + first, (int32_t)count);
    }
}

// The node that a cut violates, -1: none; *distance from it (m).
static int32_t violated_node(const pli_cutting *cutting, const pli_cut *cut, double *distance)
{
    bool is_long = cut->direction < PLI_BCC_LONG;
    double alpha = is_long ? alpha_long : alpha_short;
    double length = cutting->bcc->spacing * (is_long ? 1 : 0.5 * sqrt(3.0));
    *distance = fmin(cut->t, 1 - cut->t) * length;
    if (cut->t < alpha) return cut->from;
    return 1 - cut->t < alpha ? cut->to : -1;
}

static void kill_cuts_of(pli_cutting *cutting, int32_t node)
{
    int32_t at[3];
    pli_bcc_coordinates(cutting->bcc, node, at);
    for (int direction = 0; direction < PLI_BCC_DIRECTIONS; ++direction) {
        bool owned = direction < PLI_BCC_OWNED;
        int32_t owner = owned ? node : neighbour(cutting->bcc, at, direction);
        if (owner < 0) continue;
        int32_t edge = owned ? direction : direction - PLI_BCC_OWNED;
        int32_t cut = cutting->edge[(int64_t)owner * PLI_BCC_OWNED + edge];
        if (cut >= 0) cutting->cuts[cut].is_live = false;
    }
}

// Bits of a number that is not negative sort like the number.
static uint64_t sort_key(double x)
{
    uint64_t key;
    memcpy(&key, &x, sizeof key);
    return key;
}

// Moves nodes onto the cuts that violate them, the closest first.
static pli_status warp_nodes(pli_cutting *cutting)
{
    pli_context *context = cutting->bcc->context;
    pli_status status = PLI_ERROR_MEMORY;
    int32_t count = 0;
    uint64_t *keys = PLI_NEW(context, uint64_t, cutting->cut_count, "violations");
    int32_t *violating = PLI_NEW(context, int32_t, cutting->cut_count, "violating cuts");
    int32_t *order = PLI_NEW(context, int32_t, cutting->cut_count, "order of violations");
    if (keys == NULL || violating == NULL || order == NULL) goto done;

    for (int32_t c = 0; c < cutting->cut_count; ++c) {
        double distance;
        if (violated_node(cutting, &cutting->cuts[c], &distance) < 0) continue;
        keys[count] = sort_key(fmax(distance, 0));
        violating[count++] = c;
    }
    status = pli_sort_order(context, count, keys, order);
    if (status != PLI_OK) goto done;
    for (int32_t i = 0; i < count; ++i) {
        int32_t c = violating[order[i]];
        double distance;
        if (!cutting->cuts[c].is_live) continue;
        int32_t node = violated_node(cutting, &cutting->cuts[c], &distance);
        cutting->state[node] = 0;
        cutting->warp[node] = c;
        kill_cuts_of(cutting, node);
    }

done:
    PLI_RELEASE(context, order, violating, keys);
    return status;
}

static pli_status allocate_nodes(pli_cutting *cutting)
{
    pli_context *context = cutting->bcc->context;
    int64_t nodes = pli_bcc_node_count(cutting->bcc);
    cutting->state = PLI_NEW(context, int8_t, nodes, "node states");
    cutting->warp = PLI_NEW(context, int32_t, nodes, "node warps");
    cutting->edge = PLI_NEW(context, int32_t, nodes * PLI_BCC_OWNED, "edge cuts");
    if (cutting->state == NULL || cutting->warp == NULL || cutting->edge == NULL) {
        return PLI_ERROR_MEMORY;
    }
    memset(cutting->edge, -1, (size_t)nodes * PLI_BCC_OWNED * sizeof(int32_t));
    return PLI_OK;
}

static pli_status find_cuts(cutting_job *job)
{
    pli_cutting *cutting = job->cutting;
    pli_context *context = cutting->bcc->context;
    int32_t slots = cutting->bcc->slot_count;
    pli_parallel_for(context, slots, 8, count_cuts, job);
    int64_t total = 0;
    for (int32_t s = 0; s < slots; ++s) {
        total += job->first[s + 1];
        job->first[s + 1] = (int32_t)total;
    }
    if (total > INT32_MAX / 2) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "too many lattice edges cut the surface");
    }
    cutting->cut_count = (int32_t)total;
    cutting->cuts = PLI_NEW(context, pli_cut, total, "cuts");
    if (cutting->cuts == NULL) return PLI_ERROR_MEMORY;
    pli_parallel_for(context, slots, 8, list_cuts, job);
    pli_parallel_for(context, total, 4 * CHUNK, refine_cuts, job);
    return PLI_OK;
}

pli_status pli_cutting_create(const pli_bcc *bcc, const pli_cutting_def *def, pli_cutting **out)
{
    *out = NULL;
    pli_context *context = bcc->context;
    pli_status status = PLI_ERROR_MEMORY;
    pli_cutting *cutting = PLI_NEW(context, pli_cutting, 1, "cutting");
    if (cutting == NULL) return status;
    cutting->bcc = bcc;
    cutting_job job = {.cutting = cutting, .def = def};
    job.first = PLI_NEW(context, int32_t, (int64_t)bcc->slot_count + 1, "cut offsets");
    if (job.first == NULL) goto done;
    status = allocate_nodes(cutting);
    if (status != PLI_OK) goto done;

    pli_parallel_for(context, pli_bcc_node_count(bcc), 4096, set_states, &job);
    status = find_cuts(&job);
    if (status == PLI_OK) status = warp_nodes(cutting);
    if (status == PLI_OK) *out = cutting;

done:
    pli_release(context, job.first);
    if (status != PLI_OK) pli_cutting_destroy(cutting);
    return status;
}

void pli_cutting_destroy(pli_cutting *cutting)
{
    if (cutting == NULL) return;
    pli_context *context = cutting->bcc->context;
    PLI_RELEASE(context, cutting->cuts, cutting->edge, cutting->warp, cutting->state, cutting);
}

static bool has_inside_neighbour(const pli_cutting *cutting, int32_t node)
{
    int32_t at[3];
    pli_bcc_coordinates(cutting->bcc, node, at);
    for (int direction = 0; direction < PLI_BCC_DIRECTIONS; ++direction) {
        int32_t other = neighbour(cutting->bcc, at, direction);
        if (other >= 0 && cutting->state[other] > 0) return true;
    }
    return false;
}

// Inside nodes, surface nodes that touch the inside, and live cuts.
int32_t pli_cutting_vertex_count(const pli_cutting *cutting)
{
    int32_t count = 0;
    for (int32_t node = 0; node < pli_bcc_node_count(cutting->bcc); ++node) {
        if (cutting->state[node] > 0) ++count;
        if (cutting->state[node] == 0 && has_inside_neighbour(cutting, node)) ++count;
    }
    for (int32_t c = 0; c < cutting->cut_count; ++c) count += cutting->cuts[c].is_live;
    return count;
}
