// SPDX-License-Identifier: Apache-2.0
//
// Cells are numbered along each axis from 0, the layer without thickness before the box, to
// cells + 1, the one behind it; node i is the low corner of cell i. Blocks of SIDE cells that may
// hold surface are listed; everything else is stored per block of that list.
#include "geometry/shapes/contour.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/shapes/contour_cell.h"

#include <string.h>

enum {
    SIDE = 4,         // cells along a block
    CELLS = 64,       // of a block
    NODES = 125,      // of a block
    COARSEST = 64,    // cells along the boxes that the search for blocks begins with
    FEWEST_CELLS = 4, // along an axis, so that thin plates have an inside
    CORNERS = 8,      // most of a polygon: four cells and the faces between them
    BLOCK_GRAIN = 8,  // blocks that a task takes at least
    CROSSING_ITERATIONS = 64
};

// Free space between shape and border, in cells; unequal, so that planes of symmetry, where unions
// touch, do not fall on nodes.
static const double margins[2] = {0.31, 0.23};

static const double crossing_accuracy = 1e-10; // of an edge

typedef struct grid {
    pli_context *context;
    const pli_shape *shape;
    double low[3];     // corner of the first cell with thickness (m)
    double high[3];    // m
    double step[3];    // edges of a cell (m)
    int32_t cells[3];  // with thickness
    int32_t blocks[3]; // that cover all cells
    int32_t *table;    // [blocks z][blocks y][blocks x] place in the list; -1: no surface
    int32_t block_count;
    int32_t *origin;         // [block_count][3] first cell
    double *values;          // [block_count][NODES] (m)
    uint8_t *masks;          // [block_count][CELLS]
    int32_t *vertex_of;      // [block_count][CELLS] first vertex of a cell
    int32_t *vertex_start;   // [block_count + 1]
    int32_t *triangle_start; // [block_count + 1]
    double *points;          // [vertices][3] (m)
    int32_t *triangles;      // [triangles][3]
    pli_contour_case cases[256];
} grid;

// ---- the grid

// Where a node is; the layers outside of the box have no thickness.
static void node_point(const grid *g, const int32_t node[3], double x[3])
{
    for (int k = 0; k < 3; ++k) {
        x[k] = node[k] <= 1            ? g->low[k]
               : node[k] > g->cells[k] ? g->high[k]
                                       : g->low[k] + (node[k] - 1) * g->step[k];
    }
}

// Cuts what box and bounds of the shape have in common into cells.
static void lay_grid(grid *g, const pli_bounds *region, const pli_bounds *bounds,
                     int32_t resolution)
{
    double step = pli_bounds_longest(region) / resolution;
    for (int k = 0; k < 3; ++k) {
        double extent = region->max[k] - region->min[k];
        int32_t cells = (int32_t)ceil(extent / step * (1 - 1e-9));
        g->cells[k] = cells > FEWEST_CELLS ? cells : FEWEST_CELLS;
        // where the shape ends before the box does, it gets some air to close in
        double before = bounds->min[k] >= region->min[k] ? margins[0] : 0;
        double behind = bounds->max[k] <= region->max[k] ? margins[1] : 0;
        g->step[k] = extent / (g->cells[k] - before - behind);
        g->low[k] = region->min[k] - before * g->step[k];
        g->high[k] = region->max[k] + behind * g->step[k];
        g->blocks[k] = (g->cells[k] + 2 + SIDE - 1) / SIDE;
    }
}

// ---- the search for blocks near the surface

// Boxes of cells that may hold surface.
typedef struct candidates {
    const grid *grid;
    int32_t side; // cells along a box
    int64_t count;
    int32_t *first; // [count][3] first cell
    uint8_t *near;  // [count] whether the surface may be inside
} candidates;

static void candidates_clear(candidates *list)
{
    PLI_RELEASE(list->grid->context, list->first, list->near);
}

static pli_status candidates_init(candidates *list, const grid *g, int32_t side, int64_t capacity)
{
    *list = (candidates){.grid = g, .side = side};
    list->first = PLI_NEW(g->context, int32_t, 3 * capacity, "contour boxes");
    list->near = PLI_NEW(g->context, uint8_t, capacity, "contour boxes");
    if (list->first != NULL && list->near != NULL) return PLI_OK;
    candidates_clear(list);
    return PLI_ERROR_MEMORY;
}

// Adds the boxes that cover `extent` cells from a first one on, as far as there are cells.
static void candidates_cover(candidates *list, const int32_t first[3], const int32_t extent[3])
{
    const int32_t *cells = list->grid->cells;
    for (int32_t z = first[2]; z < first[2] + extent[2] && z < cells[2] + 2; z += list->side) {
        for (int32_t y = first[1]; y < first[1] + extent[1] && y < cells[1] + 2; y += list->side) {
            for (int32_t x = first[0]; x < first[0] + extent[0] && x < cells[0] + 2;
                 x += list->side) {
                int32_t *place = list->first + 3 * list->count++;
                place[0] = x;
                place[1] = y;
                place[2] = z;
            }
        }
    }
}

// A value that is larger than the shape can change from the middle to a corner tells that there is
// no surface.
static void test_boxes(void *user, int64_t begin, int64_t end)
{
    candidates *list = user;
    double lipschitz = pli_shape_lipschitz(list->grid->shape);
    for (int64_t i = begin; i < end; ++i) {
        const int32_t *first = list->first + 3 * i;
        const int32_t last[3] = {first[0] + list->side, first[1] + list->side,
                                 first[2] + list->side};
        double low[3], high[3], middle[3];
        node_point(list->grid, first, low);
        node_point(list->grid, last, high);
        for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (low[k] + high[k]);
        double reach = 0.5 * pli_vec3_distance(low, high) * lipschitz;
        double value = fabs(pli_shape_value(list->grid->shape, middle));
        // written so that NaN, as from an infinite slope of a box without size, keeps the box
        list->near[i] = !(value > reach * (1 + 1e-9));
    }
}

static int64_t boxes_along(int32_t extent, int32_t side)
{
    return (extent + side - 1) / side;
}

// The boxes near the surface, cut into smaller ones.
static pli_status refine(const candidates *coarse, int32_t side, candidates *fine)
{
    int64_t ratio = coarse->side / side;
    int64_t near = 0;
    for (int64_t i = 0; i < coarse->count; ++i) near += coarse->near[i];
    PLI_TRY(candidates_init(fine, coarse->grid, side, near * ratio * ratio * ratio));
    const int32_t extent[3] = {coarse->side, coarse->side, coarse->side};
    for (int64_t i = 0; i < coarse->count; ++i) {
        if (coarse->near[i]) candidates_cover(fine, coarse->first + 3 * i, extent);
    }
    return PLI_OK;
}

static pli_status find_candidates(const grid *g, candidates *list)
{
    static const int32_t zero[3] = {0, 0, 0};
    const int32_t extent[3] = {g->cells[0] + 2, g->cells[1] + 2, g->cells[2] + 2};
    int64_t count = boxes_along(extent[0], COARSEST) * boxes_along(extent[1], COARSEST) *
                    boxes_along(extent[2], COARSEST);
    PLI_TRY(candidates_init(list, g, COARSEST, count));
    candidates_cover(list, zero, extent);
    for (;;) {
        pli_parallel_for(g->context, list->count, 16, test_boxes, list);
        if (list->side == SIDE) return PLI_OK;
        candidates fine;
        pli_status status = refine(list, list->side / 4, &fine);
        candidates_clear(list);
        if (status != PLI_OK) return status;
        *list = fine;
    }
}

static int64_t table_index(const grid *g, const int32_t cell[3])
{
    return cell[0] / SIDE +
           (int64_t)g->blocks[0] * (cell[1] / SIDE + (int64_t)g->blocks[1] * (cell[2] / SIDE));
}

static pli_status allocate_blocks(grid *g, int64_t near)
{
    if (near > INT32_MAX / NODES) {
        return PLI_FAIL(g->context, PLI_ERROR_MESH,
                        "the surface passes through %lld blocks of cells; take a lower resolution",
                        (long long)near);
    }
    pli_context *context = g->context;
    int64_t size = (int64_t)g->blocks[0] * g->blocks[1] * g->blocks[2];
    PLI_TRY(PLI_MAKE(context, g->table, size, "contour table"));
    PLI_TRY(PLI_MAKE(context, g->origin, 3 * near, "contour blocks"));
    PLI_TRY(PLI_MAKE(context, g->values, near * NODES, "contour values"));
    PLI_TRY(PLI_MAKE(context, g->masks, near * CELLS, "contour masks"));
    PLI_TRY(PLI_MAKE(context, g->vertex_of, near * CELLS, "contour cells"));
    PLI_TRY(PLI_MAKE(context, g->vertex_start, near + 1, "contour blocks"));
    PLI_TRY(PLI_MAKE(context, g->triangle_start, near + 1, "contour blocks"));
    for (int64_t i = 0; i < size; ++i) g->table[i] = -1;
    return PLI_OK;
}

static pli_status list_blocks(grid *g)
{
    candidates list;
    PLI_TRY(find_candidates(g, &list));
    int64_t near = 0;
    for (int64_t i = 0; i < list.count; ++i) near += list.near[i];
    pli_status status = allocate_blocks(g, near);
    for (int64_t i = 0; i < list.count && status == PLI_OK; ++i) {
        if (!list.near[i]) continue;
        memcpy(g->origin + 3 * (int64_t)g->block_count, list.first + 3 * i, 3 * sizeof(int32_t));
        g->table[table_index(g, list.first + 3 * i)] = g->block_count++;
    }
    candidates_clear(&list);
    return status;
}

// ---- cells

static int node_in_block(int x, int y, int z)
{
    return x + (SIDE + 1) * (y + (SIDE + 1) * z);
}

static int cell_in_block(const int32_t cell[3])
{
    return cell[0] % SIDE + SIDE * (cell[1] % SIDE) + SIDE * SIDE * (cell[2] % SIDE);
}

static void cell_of_block(const grid *g, int64_t block, int index, int32_t cell[3])
{
    const int32_t *origin = g->origin + 3 * block;
    cell[0] = origin[0] + index % SIDE;
    cell[1] = origin[1] + index / SIDE % SIDE;
    cell[2] = origin[2] + index / (SIDE * SIDE);
}

static bool is_cell(const grid *g, const int32_t cell[3])
{
    for (int k = 0; k < 3; ++k) {
        if (cell[k] < 0 || cell[k] > g->cells[k] + 1) return false;
    }
    return true;
}

// Place of a cell in the arrays of cells; -1 where there is no surface.
static int64_t find_cell(const grid *g, const int32_t cell[3])
{
    if (!is_cell(g, cell)) return -1;
    int64_t block = g->table[table_index(g, cell)];
    return block < 0 ? -1 : block * CELLS + cell_in_block(cell);
}

static double corner_value(const grid *g, int64_t at, int corner)
{
    int cell = (int)(at % CELLS);
    return g->values[at / CELLS * NODES + node_in_block(cell % SIDE + (corner & 1),
                                                        cell / SIDE % SIDE + (corner >> 1 & 1),
                                                        cell / (SIDE * SIDE) + (corner >> 2))];
}

static void sample_block(grid *g, int64_t block)
{
    double points[3 * NODES];
    const int32_t *origin = g->origin + 3 * block;
    for (int n = 0; n < NODES; ++n) {
        const int32_t node[3] = {origin[0] + n % (SIDE + 1),
                                 origin[1] + n / (SIDE + 1) % (SIDE + 1),
                                 origin[2] + n / ((SIDE + 1) * (SIDE + 1))};
        node_point(g, node, points + 3 * n);
    }
    pli_shape_values(g->shape, NODES, points, g->values + block * NODES);
    for (int c = 0; c < CELLS; ++c) {
        int32_t cell[3];
        int mask = 0;
        cell_of_block(g, block, c, cell);
        for (int corner = 0; corner < 8 && is_cell(g, cell); ++corner) {
            mask |= (corner_value(g, block * CELLS + c, corner) < 0) << corner;
        }
        g->masks[block * CELLS + c] = (uint8_t)mask;
    }
}

static void sample_blocks(void *user, int64_t begin, int64_t end)
{
    for (int64_t block = begin; block < end; ++block) sample_block(user, block);
}

// Whether the surface passes twice between a cell and the one before it along an axis, and returns
// to itself on both sides. Such a face has a vertex on each of the two paths.
static bool is_pinched(const grid *g, const int32_t cell[3], int axis)
{
    int64_t at = find_cell(g, cell);
    if (at < 0 || !(g->cases[g->masks[at]].folded >> (2 * axis) & 1)) return false;
    int32_t before[3] = {cell[0], cell[1], cell[2]};
    --before[axis];
    int64_t other = find_cell(g, before);
    return other >= 0 && g->cases[g->masks[other]].folded >> (2 * axis + 1) & 1;
}

// The two vertices on a pinched face belong to the cell behind it, after those of its loops.
static int32_t pinch_vertex(const grid *g, const int32_t cell[3], int axis, int path)
{
    int64_t at = find_cell(g, cell);
    int32_t vertex = g->vertex_of[at] + g->cases[g->masks[at]].loop_count;
    for (int k = 0; k < axis; ++k) vertex += is_pinched(g, cell, k) ? 2 : 0;
    return vertex + path;
}

// ---- vertices

// Where the surface crosses an edge between values of different sign, and its normal there: secants
// in a bracket that is halved when they are slow (Dowell and Jarratt 1971, the Illinois method).
static void find_crossing(const grid *g, const double start[3], const double end[3],
                          const double values[2], double x[3], double normal[3])
{
    double t[2] = {0, 1};
    double f[2] = {values[0], values[1]};
    double length = pli_vec3_distance(start, end);
    double span[3];
    pli_vec3_subtract(end, start, span);
    int kept = -1; // end of the bracket that did not move
    double at = f[1] == 0 ? 1 : 0;
    for (int i = 0; i < CROSSING_ITERATIONS && f[0] != 0 && f[1] != 0; ++i) {
        at = t[0] + (t[1] - t[0]) * (f[0] / (f[0] - f[1]));
        pli_vec3_add_scaled(start, at, span, x);
        double value = pli_shape_value(g->shape, x);
        if (fabs(value) <= 1e-14 * length || t[1] - t[0] <= crossing_accuracy) break;
        int moved = (value < 0) == (values[0] < 0) ? 0 : 1;
        if (kept == 1 - moved) f[kept] *= 0.5;
        t[moved] = at;
        f[moved] = value;
        kept = 1 - moved;
    }
    pli_vec3_add_scaled(start, at, span, x);
    pli_shape_gradient(g->shape, x, normal);
    pli_vec3_normalize(normal, normal);
}

static void add_crossing(const grid *g, const int32_t cell[3], int64_t at, int edge,
                         pli_contour_planes *planes)
{
    double ends[2][3], values[2];
    for (int end = 0; end < 2; ++end) {
        int corner = pli_contour_edge_corner(edge, end);
        const int32_t node[3] = {cell[0] + (corner & 1), cell[1] + (corner >> 1 & 1),
                                 cell[2] + (corner >> 2)};
        node_point(g, node, ends[end]);
        values[end] = corner_value(g, at, corner);
    }
    int i = planes->count++;
    find_crossing(g, ends[0], ends[1], values, planes->point[i], planes->normal[i]);
}

// Moves a vertex that missed the surface, as above a bend narrower than its cell, along the
// gradient to it, as far as the cell allows. Vertices on faces, edges and corners are there
// already.
static void settle(const grid *g, const pli_bounds *cell, double x[3])
{
    double gradient[3];
    double value = pli_shape_gradient(g->shape, x, gradient);
    double slope2 = pli_vec3_norm2(gradient);
    double size = pli_vec3_distance(cell->min, cell->max);
    if (!(fabs(value) > 1e-9 * size) || !(slope2 > 1e-6)) return;
    pli_vec3_add_scaled(x, -value / slope2, gradient, x);
    for (int k = 0; k < 3; ++k) x[k] = fmin(fmax(x[k], cell->min[k]), cell->max[k]);
}

static void place_loop(const grid *g, const int32_t cell[3], int64_t at, int loop, double x[3])
{
    const pli_contour_case *entry = &g->cases[g->masks[at]];
    pli_contour_planes planes = {.count = 0};
    for (int edge = 0; edge < PLI_CONTOUR_EDGES; ++edge) {
        if (entry->loop[edge] == loop) add_crossing(g, cell, at, edge, &planes);
    }
    const int32_t behind[3] = {cell[0] + 1, cell[1] + 1, cell[2] + 1};
    pli_bounds bounds;
    node_point(g, cell, bounds.min);
    node_point(g, behind, bounds.max);
    pli_contour_vertex(&planes, &bounds, x);
    settle(g, &bounds, x);
}

// The middle of a path through the low face of a cell, which cuts off the inside corner at the low
// (path 0) or high side along axis + 2.
static void place_pinch(const grid *g, const int32_t cell[3], int64_t at, int axis, int path,
                        double x[3])
{
    int b = (axis + 1) % 3;
    int c = (axis + 2) % 3;
    int corner = path << c;
    if (!(g->masks[at] >> corner & 1)) corner |= 1 << b;
    pli_contour_planes planes = {.count = 0};
    // the corner lies at the low side along `axis`, which follows c and precedes b
    add_crossing(g, cell, at, 4 * b + (corner >> c & 1), &planes);
    add_crossing(g, cell, at, 4 * c + 2 * (corner >> b & 1), &planes);
    for (int k = 0; k < 3; ++k) x[k] = 0.5 * (planes.point[0][k] + planes.point[1][k]);
}

static int32_t count_vertices(const grid *g, const int32_t cell[3], int64_t at)
{
    int32_t count = g->cases[g->masks[at]].loop_count;
    for (int axis = 0; axis < 3; ++axis) count += is_pinched(g, cell, axis) ? 2 : 0;
    return count;
}

// Numbers the vertices of cells from the start of their block, and counts those of the block.
static void number_vertices(void *user, int64_t begin, int64_t end)
{
    grid *g = user;
    for (int64_t block = begin; block < end; ++block) {
        int32_t count = 0;
        for (int c = 0; c < CELLS; ++c) {
            int32_t cell[3];
            cell_of_block(g, block, c, cell);
            g->vertex_of[block * CELLS + c] = count;
            if (is_cell(g, cell)) count += count_vertices(g, cell, block * CELLS + c);
        }
        g->vertex_start[block + 1] = count;
    }
}

static void place_cell(const grid *g, const int32_t cell[3], int64_t at)
{
    double *x = g->points + 3 * (int64_t)g->vertex_of[at];
    for (int loop = 0; loop < g->cases[g->masks[at]].loop_count; ++loop, x += 3) {
        place_loop(g, cell, at, loop, x);
    }
    for (int axis = 0; axis < 3; ++axis) {
        for (int path = 0; path < 2 && is_pinched(g, cell, axis); ++path, x += 3) {
            place_pinch(g, cell, at, axis, path, x);
        }
    }
}

static void place_vertices(void *user, int64_t begin, int64_t end)
{
    const grid *g = user;
    for (int64_t block = begin; block < end; ++block) {
        for (int c = 0; c < CELLS; ++c) {
            int32_t cell[3];
            cell_of_block(g, block, c, cell);
            if (is_cell(g, cell)) place_cell(g, cell, block * CELLS + c);
        }
    }
}

// ---- polygons

// The polygon around a crossed edge, counter-clockwise seen from outside.
typedef struct polygon {
    int axis;    // of the edge
    bool rising; // inside at its low end
    int count;
    int32_t corner[CORNERS]; // vertices
    int pinch;               // a corner on a pinched face; -1: none
} polygon;

// cells around an edge, in steps back along axis + 1 and axis + 2, counter-clockwise seen from the
// high end; the faces between them lie across axis + 1, axis + 2, and so on in turn
static const int around[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};

static void cell_around(const int32_t node[3], int axis, int index, int32_t cell[3])
{
    memcpy(cell, node, 3 * sizeof *cell);
    cell[(axis + 1) % 3] -= around[index][0];
    cell[(axis + 2) % 3] -= around[index][1];
}

// Adds the vertex on the face between two cells around an edge, if it is pinched.
static void add_pinch(const grid *g, const int32_t node[3], int index, polygon *p)
{
    int axis = (p->axis + 1 + index % 2) % 3;
    int32_t cell[3], next[3];
    cell_around(node, p->axis, index, cell);
    cell_around(node, p->axis, (index + 1) % 4, next);
    const int32_t *owner = cell[axis] > next[axis] ? cell : next;
    if (!is_pinched(g, owner, axis)) return;

    // the path is that of the edge's inside end
    int c = (axis + 2) % 3;
    int32_t inside = node[c] + (c == p->axis && !p->rising);
    p->pinch = p->count;
    p->corner[p->count++] = pinch_vertex(g, owner, axis, inside - owner[c]);
}

static bool build_polygon(const grid *g, const int32_t node[3], int64_t at, int axis, polygon *p)
{
    int b = (axis + 1) % 3;
    int c = (axis + 2) % 3;
    int mask = g->masks[at];
    bool inside[2] = {mask & 1, mask >> (1 << axis) & 1};
    if (inside[0] == inside[1] || node[b] == 0 || node[c] == 0) return false;

    *p = (polygon){.axis = axis, .rising = inside[0], .pinch = -1};
    for (int i = 0; i < 4; ++i) {
        int32_t cell[3];
        cell_around(node, axis, i, cell);
        int64_t there = find_cell(g, cell);
        int edge = 4 * axis + around[i][0] + 2 * around[i][1];
        // a shape that is steeper than it says leaves a hole
        if (there < 0) return false;
        p->corner[p->count++] = g->vertex_of[there] + g->cases[g->masks[there]].loop[edge];
        add_pinch(g, node, i, p);
    }
    for (int i = 0; i < p->count / 2 && !p->rising; ++i) {
        int32_t swapped = p->corner[i];
        p->corner[i] = p->corner[p->count - 1 - i];
        p->corner[p->count - 1 - i] = swapped;
    }
    if (p->pinch >= 0 && !p->rising) p->pinch = p->count - 1 - p->pinch;
    return true;
}

// Twice the area of a triangle seen along the polygon's edge, positive when it faces outwards.
static double seen_area(const grid *g, const polygon *p, int i, int j, int k)
{
    const double *a = g->points + 3 * (int64_t)p->corner[i];
    double u[3], v[3], n[3];
    pli_vec3_subtract(g->points + 3 * (int64_t)p->corner[j], a, u);
    pli_vec3_subtract(g->points + 3 * (int64_t)p->corner[k], a, v);
    pli_vec3_cross(u, v, n);
    return p->rising ? n[p->axis] : -n[p->axis];
}

// How well a diagonal from corner i divides a quadrilateral.
typedef struct diagonal {
    double area;     // the smaller one of the two triangles, as seen along the edge (m^2)
    double distance; // of its middle from the surface (m)
    double length;   // m
} diagonal;

static diagonal measure_diagonal(const grid *g, const polygon *p, int i)
{
    const double *a = g->points + 3 * (int64_t)p->corner[i];
    const double *b = g->points + 3 * (int64_t)p->corner[i + 2];
    double middle[3];
    for (int k = 0; k < 3; ++k) middle[k] = 0.5 * (a[k] + b[k]);
    return (diagonal){
        pli_smaller(seen_area(g, p, i, i + 1, i + 2), seen_area(g, p, i, i + 2, (i + 3) % 4)),
        fabs(pli_shape_value(g->shape, middle)), pli_vec3_distance(a, b)};
}

// The corner from which a polygon is cut into a fan. Polygons with vertices on pinched faces are
// cut from one of those: no other polygon has the diagonals. Else that diagonal is taken that turns
// no triangle over, lies closer to the surface, or is shorter, in this order.
static int choose_fan(const grid *g, const polygon *p)
{
    if (p->pinch >= 0) return p->pinch;
    diagonal first = measure_diagonal(g, p, 0);
    diagonal second = measure_diagonal(g, p, 1);
    if ((first.area < 0) != (second.area < 0)) return first.area < 0 ? 1 : 0;
    double length = pli_smaller(first.length, second.length);
    double difference = first.distance - second.distance;
    if (fabs(difference) > 1e-6 * length) return difference > 0 ? 1 : 0;
    return second.length < first.length * (1 - 1e-9) ? 1 : 0;
}

static int32_t fill_polygon(const grid *g, const polygon *p, int32_t triangle)
{
    int start = choose_fan(g, p);
    for (int i = 1; i + 1 < p->count; ++i, ++triangle) {
        int32_t *corners = g->triangles + 3 * (int64_t)triangle;
        corners[0] = p->corner[start];
        corners[1] = p->corner[(start + i) % p->count];
        corners[2] = p->corner[(start + i + 1) % p->count];
    }
    return triangle;
}

// Counts (triangles NULL) or fills the triangles around the edges that begin in a block's cells.
static int32_t visit_block(const grid *g, int64_t block, int32_t triangle)
{
    for (int c = 0; c < CELLS; ++c) {
        int32_t cell[3];
        cell_of_block(g, block, c, cell);
        int64_t at = block * CELLS + c;
        if (g->masks[at] == 0 || g->masks[at] == 255) continue;
        for (int axis = 0; axis < 3; ++axis) {
            polygon p;
            if (!build_polygon(g, cell, at, axis, &p)) continue;
            triangle =
                g->triangles != NULL ? fill_polygon(g, &p, triangle) : triangle + p.count - 2;
        }
    }
    return triangle;
}

static void count_triangles(void *user, int64_t begin, int64_t end)
{
    grid *g = user;
    for (int64_t block = begin; block < end; ++block) {
        g->triangle_start[block + 1] = visit_block(g, block, 0);
    }
}

static void fill_triangles(void *user, int64_t begin, int64_t end)
{
    const grid *g = user;
    for (int64_t block = begin; block < end; ++block) {
        visit_block(g, block, g->triangle_start[block]);
    }
}

// ---- the whole

// Turns counts in start [count + 1] into first numbers. Errors: mesh when they grow too large.
static pli_status sum_up(const grid *g, int32_t *start)
{
    int64_t sum = 0;
    for (int32_t block = 0; block <= g->block_count; ++block) {
        sum += start[block];
        if (sum > INT32_MAX / 4) {
            return PLI_FAIL(g->context, PLI_ERROR_MESH,
                            "the surface has more than %d triangles; take a lower resolution",
                            INT32_MAX / 4);
        }
        start[block] = (int32_t)sum;
    }
    return PLI_OK;
}

static pli_status make_vertices(grid *g)
{
    pli_parallel_for(g->context, g->block_count, BLOCK_GRAIN, number_vertices, g);
    PLI_TRY(sum_up(g, g->vertex_start));
    for (int64_t at = 0; at < (int64_t)g->block_count * CELLS; ++at) {
        g->vertex_of[at] += g->vertex_start[at / CELLS];
    }
    int64_t count = g->vertex_start[g->block_count];
    PLI_TRY(PLI_MAKE(g->context, g->points, 3 * count, "contour points"));
    pli_parallel_for(g->context, g->block_count, BLOCK_GRAIN, place_vertices, g);
    return PLI_OK;
}

static pli_status make_triangles(grid *g)
{
    pli_parallel_for(g->context, g->block_count, BLOCK_GRAIN, count_triangles, g);
    PLI_TRY(sum_up(g, g->triangle_start));
    int64_t count = g->triangle_start[g->block_count];
    PLI_TRY(PLI_MAKE(g->context, g->triangles, 3 * count, "contour triangles"));
    pli_parallel_for(g->context, g->block_count, BLOCK_GRAIN, fill_triangles, g);
    return PLI_OK;
}

static pli_status contour(grid *g, pli_tri_mesh **mesh)
{
    PLI_TRY(list_blocks(g));
    pli_parallel_for(g->context, g->block_count, BLOCK_GRAIN, sample_blocks, g);
    PLI_TRY(make_vertices(g));
    PLI_TRY(make_triangles(g));
    return pli_tri_mesh_create(g->context, g->vertex_start[g->block_count], g->points,
                               g->triangle_start[g->block_count], g->triangles, mesh);
}

pli_status pli_contour_create(pli_context *context, const pli_shape *shape, const pli_bounds *box,
                              int32_t resolution, pli_tri_mesh **mesh)
{
    *mesh = NULL;
    if (resolution < 1 || resolution > PLI_CONTOUR_RESOLUTION) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "resolution is %d, allowed is 1 to %d",
                        resolution, PLI_CONTOUR_RESOLUTION);
    }
    pli_bounds bounds = pli_shape_bounds(shape);
    pli_bounds region = pli_bounds_intersection(bounds, *box);
    if (pli_bounds_is_empty(&region) || pli_bounds_longest(&region) <= 0) {
        return pli_tri_mesh_create(context, 0, NULL, 0, NULL, mesh);
    }
    if (!pli_bounds_is_finite(&region)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the shape is unbounded; its surface can be had inside of a finite box");
    }
    grid *g = PLI_NEW(context, grid, 1, "contour");
    if (g == NULL) return PLI_ERROR_MEMORY;
    g->context = context;
    g->shape = shape;
    pli_contour_cases_build(g->cases);
    lay_grid(g, &region, &bounds, resolution);
    pli_status status = contour(g, mesh);
    PLI_RELEASE(context, g->triangles, g->points, g->triangle_start, g->vertex_start, g->vertex_of,
                g->masks, g->values, g->origin, g->table, g);
    return status;
}
