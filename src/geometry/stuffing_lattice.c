// SPDX-License-Identifier: Apache-2.0
#include "geometry/stuffing_lattice.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"

#include <string.h>

// fractions of an edge within which a lattice point moves to a cut point
static const double move_long = 0.24999;
static const double move_short = 0.41189;
// cut points are found to this part of an edge
static const double cut_precision = 1e-6;

enum { BLOCK_CELLS = 4, NODE_LIMIT = 400000000 };

// ---- numbering

void pli_lattice_coordinates(const pli_lattice *lattice, int32_t node, int32_t at[3])
{
    bool center = node >= lattice->corner_count;
    int32_t index = center ? node - lattice->corner_count : node;
    int32_t width = lattice->cells[0] + !center;
    int32_t height = lattice->cells[1] + !center;
    at[0] = 2 * (index % width) + center;
    at[1] = 2 * (index / width % height) + center;
    at[2] = 2 * (index / width / height) + center;
}

// The node at given coordinates, -1 outside of the lattice.
static int32_t node_at(const pli_lattice *lattice, const int32_t at[3])
{
    for (int i = 0; i < 3; ++i) {
        if (at[i] < 0 || at[i] > 2 * lattice->cells[i]) return -1;
    }
    return at[0] % 2 == 0 ? pli_lattice_corner(lattice, at[0] / 2, at[1] / 2, at[2] / 2)
                          : pli_lattice_center(lattice, at[0] / 2, at[1] / 2, at[2] / 2);
}

static const int8_t neighbor_steps[PLI_LATTICE_NEIGHBOR_COUNT][3] = {
    {-2, 0, 0},  {2, 0, 0},   {0, -2, 0}, {0, 2, 0},   {0, 0, -2}, {0, 0, 2},  {-1, -1, -1},
    {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {-1, 1, 1}, {1, 1, 1}};

void pli_lattice_neighbors(const pli_lattice *lattice, int32_t node,
                           int32_t neighbors[PLI_LATTICE_NEIGHBOR_COUNT])
{
    int32_t at[3];
    pli_lattice_coordinates(lattice, node, at);
    for (int k = 0; k < PLI_LATTICE_NEIGHBOR_COUNT; ++k) {
        const int8_t *step = neighbor_steps[k];
        int32_t to[3] = {at[0] + step[0], at[1] + step[1], at[2] + step[2]};
        neighbors[k] = node_at(lattice, to);
    }
}

static void node_place(const pli_lattice *lattice, int32_t node, double x[3])
{
    int32_t at[3];
    pli_lattice_coordinates(lattice, node, at);
    for (int i = 0; i < 3; ++i) x[i] = lattice->origin[i] + 0.5 * lattice->h * at[i];
}

void pli_lattice_cut_position(const pli_lattice *lattice, int32_t edge, double x[3])
{
    double a[3];
    double b[3];
    node_place(lattice, lattice->edge_nodes[2 * (int64_t)edge], a);
    node_place(lattice, lattice->edge_nodes[2 * (int64_t)edge + 1], b);
    double t = lattice->edge_cut[edge];
    for (int i = 0; i < 3; ++i) x[i] = (1 - t) * a[i] + t * b[i];
}

void pli_lattice_position(const pli_lattice *lattice, int32_t node, double x[3])
{
    if (lattice->moved_to[node] >= 0) {
        pli_lattice_cut_position(lattice, lattice->moved_to[node], x);
    } else {
        node_place(lattice, node, x);
    }
}

int32_t pli_lattice_edge(const pli_lattice *lattice, int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b;
    int32_t high = a < b ? b : a;
    for (int32_t e = lattice->edge_first[low]; e < lattice->edge_first[low + 1]; ++e) {
        if (lattice->edge_nodes[2 * (int64_t)e + 1] == high) return e;
    }
    return -1;
}

// ---- step 1: signs

static double node_value(const pli_lattice *lattice, int32_t node)
{
    double x[3];
    node_place(lattice, node, x);
    return pli_shape_value(lattice->shape, x) - lattice->offset;
}

// Nodes of one block of cells: those whose coordinates lie in its range.
typedef struct node_block {
    int32_t low[3]; // in cells
    int32_t high[3];
} node_block;

// Evaluates the corners or the centres of a block; an infinite value is known without.
static void block_set(pli_lattice *lattice, const node_block *block, bool center, double known)
{
    int32_t limit[3];
    for (int i = 0; i < 3; ++i) {
        int32_t count = lattice->cells[i] + !center;
        limit[i] = block->high[i] < count ? block->high[i] : count;
    }
    for (int32_t k = block->low[2]; k < limit[2]; ++k) {
        for (int32_t j = block->low[1]; j < limit[1]; ++j) {
            for (int32_t i = block->low[0]; i < limit[0]; ++i) {
                int32_t node = center ? pli_lattice_center(lattice, i, j, k)
                                      : pli_lattice_corner(lattice, i, j, k);
                double value = isfinite(known) ? node_value(lattice, node) : known;
                lattice->value[node] = value;
                lattice->sign[node] = (int8_t)((value < 0) - (value > 0));
            }
        }
    }
}

static void block_evaluate(pli_lattice *lattice, const node_block *block)
{
    // the value in the middle decides for all when it is further from zero than the value can
    // change within the block
    double middle[3];
    double reach = 0.5 * lattice->h * (BLOCK_CELLS - 0.5);
    for (int i = 0; i < 3; ++i) middle[i] = lattice->origin[i] + lattice->h * block->low[i] + reach;
    double value = pli_shape_value(lattice->shape, middle) - lattice->offset;
    double change = 1.001 * sqrt(3) * reach * pli_shape_lipschitz(lattice->shape);
    double known = fabs(value) > change ? copysign(INFINITY, value) : 0;
    block_set(lattice, block, false, known);
    block_set(lattice, block, true, known);
}

static int32_t block_count(const pli_lattice *lattice, int axis)
{
    return lattice->cells[axis] / BLOCK_CELLS + 1;
}

static void evaluate_blocks(void *user, int64_t begin, int64_t end)
{
    pli_lattice *lattice = user;
    int64_t width = block_count(lattice, 0);
    int64_t height = block_count(lattice, 1);
    for (int64_t index = begin; index < end; ++index) {
        int64_t at[3] = {index % width, index / width % height, index / width / height};
        node_block block;
        for (int i = 0; i < 3; ++i) {
            block.low[i] = (int32_t)at[i] * BLOCK_CELLS;
            block.high[i] = block.low[i] + BLOCK_CELLS;
        }
        block_evaluate(lattice, &block);
    }
}

static void compute_signs(pli_lattice *lattice)
{
    int64_t count =
        (int64_t)block_count(lattice, 0) * block_count(lattice, 1) * block_count(lattice, 2);
    pli_parallel_for(lattice->context, count, 4, evaluate_blocks, lattice);
}

// ---- step 2: cut points

// Counts the edges of a node to larger nodes of opposite sign; writes them when nodes is given.
static int32_t node_cut_edges(const pli_lattice *lattice, int32_t node, int32_t *nodes)
{
    int32_t neighbors[PLI_LATTICE_NEIGHBOR_COUNT];
    int32_t count = 0;
    pli_lattice_neighbors(lattice, node, neighbors);
    for (int k = 0; k < PLI_LATTICE_NEIGHBOR_COUNT; ++k) {
        int32_t other = neighbors[k];
        if (other < node || lattice->sign[node] * lattice->sign[other] >= 0) continue;
        if (nodes != NULL) {
            nodes[2 * count] = node;
            nodes[2 * count + 1] = other;
        }
        ++count;
    }
    return count;
}

static void count_edges(void *user, int64_t begin, int64_t end)
{
    pli_lattice *lattice = user;
    for (int64_t node = begin; node < end; ++node) {
        lattice->edge_first[node + 1] = node_cut_edges(lattice, (int32_t)node, NULL);
    }
}

static void fill_edges(void *user, int64_t begin, int64_t end)
{
    pli_lattice *lattice = user;
    for (int64_t node = begin; node < end; ++node) {
        int64_t first = lattice->edge_first[node];
        if (lattice->edge_first[node + 1] == first) continue;
        node_cut_edges(lattice, (int32_t)node, lattice->edge_nodes + 2 * first);
    }
}

// Fraction at which the value changes sign between nodes a and b: false position with the
// Illinois rule, which keeps the root enclosed, and halving should it stall.
static double find_cut(const pli_lattice *lattice, int32_t a, int32_t b)
{
    enum { ROUND_LIMIT = 60, STALL = 12 };
    double xa[3];
    double xb[3];
    node_place(lattice, a, xa);
    node_place(lattice, b, xb);
    double fa = isfinite(lattice->value[a]) ? lattice->value[a] : node_value(lattice, a);
    double fb = isfinite(lattice->value[b]) ? lattice->value[b] : node_value(lattice, b);
    double ta = 0;
    double tb = 1;
    for (int round = 0; round < ROUND_LIMIT && tb - ta > cut_precision; ++round) {
        double t = round < STALL ? (ta * fb - tb * fa) / (fb - fa) : 0.5 * (ta + tb);
        double x[3];
        if (!(t > ta && t < tb)) t = 0.5 * (ta + tb);
        for (int i = 0; i < 3; ++i) x[i] = (1 - t) * xa[i] + t * xb[i];
        double f = pli_shape_value(lattice->shape, x) - lattice->offset;
        if (fabs(f) <= cut_precision * lattice->h) return t;
        if ((f < 0) == (fb < 0)) {
            tb = t;
            fb = f;
            fa *= 0.5;
        } else {
            ta = t;
            fa = f;
            fb *= 0.5;
        }
    }
    return 0.5 * (ta + tb);
}

static void find_cuts(void *user, int64_t begin, int64_t end)
{
    pli_lattice *lattice = user;
    for (int64_t e = begin; e < end; ++e) {
        lattice->edge_cut[e] =
            find_cut(lattice, lattice->edge_nodes[2 * e], lattice->edge_nodes[2 * e + 1]);
    }
}

static pli_status compute_cuts(pli_lattice *lattice)
{
    pli_context *context = lattice->context;
    pli_parallel_for(context, lattice->node_count, 4096, count_edges, lattice);
    int64_t total = 0;
    for (int32_t node = 0; node < lattice->node_count; ++node) {
        total += lattice->edge_first[node + 1];
        lattice->edge_first[node + 1] = (int32_t)total;
        if (total > NODE_LIMIT) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                            "the lattice is cut in more than %d edges: use a larger spacing",
                            NODE_LIMIT);
        }
    }
    lattice->edge_count = (int32_t)total;
    lattice->edge_nodes = PLI_NEW(context, int32_t, 2 * total, "cut edges");
    lattice->edge_cut = PLI_NEW(context, double, total, "cut points");
    if (lattice->edge_nodes == NULL || lattice->edge_cut == NULL) return PLI_ERROR_MEMORY;
    pli_parallel_for(context, lattice->node_count, 4096, fill_edges, lattice);
    pli_parallel_for(context, total, 64, find_cuts, lattice);
    return PLI_OK;
}

// ---- step 3: moving lattice points to cut points that are too near

static void move_node(pli_lattice *lattice, int32_t node)
{
    int32_t neighbors[PLI_LATTICE_NEIGHBOR_COUNT];
    double nearest = INFINITY;
    pli_lattice_neighbors(lattice, node, neighbors);
    for (int k = 0; k < PLI_LATTICE_NEIGHBOR_COUNT; ++k) {
        int32_t other = neighbors[k];
        if (other < 0 || lattice->sign[node] * lattice->sign[other] >= 0) continue;
        int32_t edge = pli_lattice_edge(lattice, node, other);
        bool is_long = k < PLI_LATTICE_LONG_COUNT;
        double t = node < other ? lattice->edge_cut[edge] : 1 - lattice->edge_cut[edge];
        double distance = t * (is_long ? 1 : 0.5 * sqrt(3));
        if (t > (is_long ? move_long : move_short) || distance >= nearest) continue;
        nearest = distance;
        lattice->moved_to[node] = edge;
    }
    if (isfinite(nearest)) lattice->sign[node] = 0;
}

// One after another, in the order of the numbers: a moved point frees its neighbours.
static pli_status move_nodes(pli_lattice *lattice)
{
    bool *near = PLI_NEW(lattice->context, bool, lattice->node_count, "points near cuts");
    if (near == NULL) return PLI_ERROR_MEMORY;
    for (int64_t k = 0; k < 2 * (int64_t)lattice->edge_count; ++k) {
        near[lattice->edge_nodes[k]] = true;
    }
    for (int32_t node = 0; node < lattice->node_count; ++node) {
        if (near[node]) move_node(lattice, node);
    }
    pli_release(lattice->context, near);
    return PLI_OK;
}

// ---- all of it

// Cells that cover the bounds with more than one to spare on each side. The lattice is not centred:
// in a symmetric position many of its points would change sides at the same spacing, and the
// number of points and the volume would jump there.
static pli_status lattice_size(pli_lattice *lattice)
{
    double low[3];
    double high[3];
    double nodes = 0;
    double product[2] = {1, 1};
    double margin = fmax(lattice->offset, 0);
    static const double shift[3] = {0.137, 0.271, 0.389};
    pli_shape_bounds(lattice->shape, low, high);
    for (int i = 0; i < 3; ++i) {
        double cells = ceil((high[i] - low[i] + 2 * margin) / lattice->h) + 3;
        product[0] *= cells + 1;
        product[1] *= cells;
        nodes = product[0] + product[1];
        lattice->cells[i] = cells < NODE_LIMIT ? (int32_t)cells : NODE_LIMIT;
        lattice->origin[i] =
            0.5 * (low[i] + high[i] - lattice->h * lattice->cells[i]) + shift[i] * lattice->h;
    }
    if (!(nodes < NODE_LIMIT)) {
        return PLI_FAIL(lattice->context, PLI_ERROR_ARGUMENT,
                        "spacing %g over a box of %g x %g x %g makes %.3g lattice points, the "
                        "limit is %d: use a larger spacing",
                        lattice->h, high[0] - low[0], high[1] - low[1], high[2] - low[2], nodes,
                        NODE_LIMIT);
    }
    lattice->corner_count = (int32_t)product[0];
    lattice->node_count = (int32_t)nodes;
    return PLI_OK;
}

pli_status pli_lattice_init(pli_context *context, const pli_shape *shape, double h, double offset,
                            pli_lattice *lattice)
{
    *lattice = (pli_lattice){.context = context, .shape = shape, .h = h, .offset = offset};
    PLI_TRY(lattice_size(lattice));
    int64_t count = lattice->node_count;
    pli_status status = PLI_ERROR_MEMORY;
    lattice->value = PLI_NEW(context, double, count, "lattice values");
    lattice->sign = PLI_NEW(context, int8_t, count, "lattice signs");
    lattice->edge_first = PLI_NEW(context, int32_t, count + 1, "lattice edges");
    lattice->moved_to = PLI_NEW(context, int32_t, count, "moved lattice points");
    if (lattice->value == NULL || lattice->sign == NULL || lattice->edge_first == NULL ||
        lattice->moved_to == NULL) {
        goto done;
    }
    memset(lattice->moved_to, -1, (size_t)count * sizeof(int32_t));
    compute_signs(lattice);
    status = compute_cuts(lattice);
    if (status == PLI_OK) status = move_nodes(lattice);

done:
    if (status != PLI_OK) pli_lattice_clear(lattice);
    return status;
}

void pli_lattice_clear(pli_lattice *lattice)
{
    pli_context *context = lattice->context;
    pli_release(context, lattice->value);
    pli_release(context, lattice->sign);
    pli_release(context, lattice->edge_first);
    pli_release(context, lattice->moved_to);
    pli_release(context, lattice->edge_nodes);
    pli_release(context, lattice->edge_cut);
    *lattice = (pli_lattice){.context = context};
}
