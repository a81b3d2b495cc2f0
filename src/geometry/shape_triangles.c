// SPDX-License-Identifier: Apache-2.0
//
// Signed distance to a closed surface of triangles, sampled on a grid. The nearest triangle comes
// from a tree of boxes over the triangles in Morton order; the sign is that of the offset along the
// pseudo-normal of the nearest face, edge or corner: the normals of the faces that meet there,
// weighted at corners by their angles (Baerentzen and Aanaes 2005).
#include "geometry/morton.h"
#include "geometry/shape_node.h"

#include "base/memory.h"

enum { LEAF_SIZE = 4, STACK_SIZE = 64 };

// A node of the tree covers sorted triangles [begin, end); its first child follows it directly.
typedef struct tree_node {
    double low[3];
    double high[3];
    int32_t begin, end;
    int32_t second; // index of the second child; 0: leaf
} tree_node;

typedef struct surface_tree {
    pli_context *context;
    const pli_triangles *surface; // borrowed
    int32_t *order;               // [triangle_count] triangles along the Morton curve
    tree_node *nodes;             // [node_count]
    int32_t node_count;
    int32_t *corner_start;    // [point_count + 1] into corner_triangle
    int32_t *corner_triangle; // [3 triangle_count] triangles around each point
} surface_tree;

static const double *triangle_point(const pli_triangles *surface, int32_t triangle, int corner)
{
    int32_t point = surface->triangles[3 * (int64_t)triangle + corner];
    return surface->points + 3 * (int64_t)point;
}

// ---- one triangle

// Normal of a triangle, its length twice the area.
static void triangle_normal(const pli_triangles *surface, int32_t triangle, double n[3])
{
    double u[3];
    double v[3];
    const double *a = triangle_point(surface, triangle, 0);
    pli_vec3_subtract(triangle_point(surface, triangle, 1), a, u);
    pli_vec3_subtract(triangle_point(surface, triangle, 2), a, v);
    pli_vec3_cross(u, v, n);
}

// Parameter in [0, 1] of the point of segment ab nearest to p; returns the squared distance.
static double segment_nearest(const double p[3], const double a[3], const double b[3], double *t)
{
    double ab[3];
    double ap[3];
    double d[3];
    pli_vec3_subtract(b, a, ab);
    pli_vec3_subtract(p, a, ap);
    double length2 = pli_vec3_norm2(ab);
    *t = length2 > 0 ? fmin(fmax(pli_vec3_dot(ap, ab) / length2, 0), 1) : 0;
    pli_vec3_add_scaled(ap, -*t, ab, d);
    return pli_vec3_norm2(d);
}

// Weights of the nearest point of a triangle, exactly 0 off its edge or corner; returns the
// squared distance.
static double triangle_nearest(const pli_triangles *surface, int32_t triangle, const double p[3],
                               double w[3])
{
    double n[3];
    double ap[3];
    triangle_normal(surface, triangle, n);
    double area2 = pli_vec3_norm2(n);
    bool above = area2 > 0;

    // weights of the foot on the plane: areas of the triangles that p spans with the edges
    for (int i = 0; i < 3; ++i) {
        const double *a = triangle_point(surface, triangle, (i + 1) % 3);
        const double *b = triangle_point(surface, triangle, (i + 2) % 3);
        double u[3];
        double v[3];
        double c[3];
        pli_vec3_subtract(a, p, u);
        pli_vec3_subtract(b, p, v);
        pli_vec3_cross(u, v, c);
        w[i] = area2 > 0 ? pli_vec3_dot(c, n) / area2 : 0;
        above = above && w[i] > 0;
    }
    if (above) {
        pli_vec3_subtract(p, triangle_point(surface, triangle, 0), ap);
        double height = pli_vec3_dot(ap, n);
        return height * height / area2;
    }

    // the foot is outside: the nearest of the edges
    double best = INFINITY;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        double t;
        double distance2 = segment_nearest(p, triangle_point(surface, triangle, i),
                                           triangle_point(surface, triangle, j), &t);
        if (!(distance2 < best)) continue;
        best = distance2;
        w[i] = 1 - t;
        w[j] = t;
        w[(i + 2) % 3] = 0;
    }
    return best;
}

// ---- the tree

static void node_fit(const surface_tree *tree, tree_node *node)
{
    for (int i = 0; i < 3; ++i) {
        node->low[i] = INFINITY;
        node->high[i] = -INFINITY;
    }
    for (int32_t k = node->begin; k < node->end; ++k) {
        for (int corner = 0; corner < 3; ++corner) {
            const double *p = triangle_point(tree->surface, tree->order[k], corner);
            for (int i = 0; i < 3; ++i) {
                node->low[i] = fmin(node->low[i], p[i]);
                node->high[i] = fmax(node->high[i], p[i]);
            }
        }
    }
}

// Depth first: halves of the sorted triangles; the depth is the logarithm of their number.
static void node_build(surface_tree *tree, int32_t begin, int32_t end)
{
    tree_node *node = tree->nodes + tree->node_count++;
    *node = (tree_node){.begin = begin, .end = end};
    node_fit(tree, node);
    if (end - begin <= LEAF_SIZE) return;
    int32_t middle = begin + (end - begin) / 2;
    node_build(tree, begin, middle);
    node->second = tree->node_count;
    node_build(tree, middle, end);
}

static void corners_build(surface_tree *tree)
{
    const pli_triangles *surface = tree->surface;
    int64_t corner_count = 3 * (int64_t)surface->triangle_count;
    int32_t *start = tree->corner_start;
    for (int64_t k = 0; k < corner_count; ++k) ++start[surface->triangles[k]];
    for (int32_t p = 0; p < surface->point_count; ++p) start[p + 1] += start[p];

    // backwards, so that start ends at the beginning of each list
    for (int64_t k = corner_count - 1; k >= 0; --k) {
        tree->corner_triangle[--start[surface->triangles[k]]] = (int32_t)(k / 3);
    }
}

static void tree_clear(surface_tree *tree)
{
    pli_release(tree->context, tree->order);
    pli_release(tree->context, tree->nodes);
    pli_release(tree->context, tree->corner_start);
    pli_release(tree->context, tree->corner_triangle);
}

static pli_status tree_init(pli_context *context, const pli_triangles *surface, surface_tree *tree)
{
    int32_t count = surface->triangle_count;
    *tree = (surface_tree){.context = context, .surface = surface};
    pli_status status = PLI_ERROR_MEMORY;
    double *centers = PLI_NEW(context, double, 3 * (int64_t)count, "triangle centres");
    tree->order = PLI_NEW(context, int32_t, count, "triangle order");
    tree->nodes = PLI_NEW(context, tree_node, 2 * (int64_t)count, "triangle tree");
    tree->corner_start = PLI_NEW(context, int32_t, (int64_t)surface->point_count + 1, "corners");
    tree->corner_triangle = PLI_NEW(context, int32_t, 3 * (int64_t)count, "corner triangles");
    if (centers == NULL || tree->order == NULL || tree->nodes == NULL ||
        tree->corner_start == NULL || tree->corner_triangle == NULL) {
        goto done;
    }
    for (int32_t t = 0; t < count; ++t) {
        for (int corner = 0; corner < 3; ++corner) {
            double *center = centers + 3 * (int64_t)t;
            pli_vec3_add_scaled(center, 1.0 / 3, triangle_point(surface, t, corner), center);
        }
    }
    status = pli_morton_order(context, count, centers, tree->order);
    if (status != PLI_OK) goto done;
    node_build(tree, 0, count);
    corners_build(tree);

done:
    pli_release(context, centers);
    if (status != PLI_OK) tree_clear(tree);
    return status;
}

// The triangle nearest to p and the weights of the nearest point; returns the squared distance.
static double tree_nearest(const surface_tree *tree, const double p[3], int32_t *triangle,
                           double weights[3])
{
    double best = INFINITY;
    int32_t stack[STACK_SIZE] = {0};
    int depth = 1;
    *triangle = 0;
    while (depth > 0) {
        int32_t index = stack[--depth];
        const tree_node *node = tree->nodes + index;
        if (pli_shape_box_distance2(node->low, node->high, p) >= best) continue;
        if (node->second != 0) {
            // the nearer child on top
            const tree_node *first = node + 1;
            const tree_node *second = tree->nodes + node->second;
            bool swap = pli_shape_box_distance2(second->low, second->high, p) <
                        pli_shape_box_distance2(first->low, first->high, p);
            stack[depth++] = swap ? index + 1 : node->second;
            stack[depth++] = swap ? node->second : index + 1;
            continue;
        }
        for (int32_t k = node->begin; k < node->end; ++k) {
            double w[3];
            double distance2 = triangle_nearest(tree->surface, tree->order[k], p, w);
            if (!(distance2 < best)) continue;
            best = distance2;
            *triangle = tree->order[k];
            pli_vec3_copy(w, weights);
        }
    }
    return best;
}

// ---- sign

// Angle of a triangle at one of its corners.
static double corner_angle(const pli_triangles *surface, int32_t triangle, int corner)
{
    double u[3];
    double v[3];
    double c[3];
    const double *p = triangle_point(surface, triangle, corner);
    pli_vec3_subtract(triangle_point(surface, triangle, (corner + 1) % 3), p, u);
    pli_vec3_subtract(triangle_point(surface, triangle, (corner + 2) % 3), p, v);
    pli_vec3_cross(u, v, c);
    return atan2(pli_vec3_norm(c), pli_vec3_dot(u, v));
}

static int corner_of_point(const pli_triangles *surface, int32_t triangle, int32_t point)
{
    for (int corner = 0; corner < 3; ++corner) {
        if (surface->triangles[3 * (int64_t)triangle + corner] == point) return corner;
    }
    return -1;
}

// Sum of unit normals of the triangles around a point, weighted by angle; with other >= 0 only
// those that hold the edge to it, unweighted.
static void pseudo_normal(const surface_tree *tree, int32_t point, int32_t other, double n[3])
{
    pli_vec3_set(0, 0, 0, n);
    for (int32_t k = tree->corner_start[point]; k < tree->corner_start[point + 1]; ++k) {
        int32_t triangle = tree->corner_triangle[k];
        double m[3];
        if (other >= 0 && corner_of_point(tree->surface, triangle, other) < 0) continue;
        triangle_normal(tree->surface, triangle, m);
        if (pli_vec3_normalize(m, m) == 0) continue;
        int corner = corner_of_point(tree->surface, triangle, point);
        double weight = other >= 0 ? 1 : corner_angle(tree->surface, triangle, corner);
        pli_vec3_add_scaled(n, weight, m, n);
    }
}

static double signed_distance(const surface_tree *tree, const double x[3])
{
    int32_t triangle;
    double w[3] = {0, 0, 0};
    double distance = sqrt(tree_nearest(tree, x, &triangle, w));
    const int32_t *corners = tree->surface->triangles + 3 * (int64_t)triangle;

    // offset from the nearest point, and the points of the face, edge or corner it lies on
    double offset[3] = {x[0], x[1], x[2]};
    int32_t on[3];
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        if (w[i] == 0) continue;
        pli_vec3_add_scaled(offset, -w[i], triangle_point(tree->surface, triangle, i), offset);
        on[count++] = corners[i];
    }
    double n[3];
    if (count == 3) {
        triangle_normal(tree->surface, triangle, n);
    } else {
        pseudo_normal(tree, on[0], count == 2 ? on[1] : -1, n);
    }
    return pli_vec3_dot(offset, n) < 0 ? -distance : distance;
}

// ---- a shape over the tree, only to be sampled

typedef struct surface_node {
    pli_shape base;
    const surface_tree *tree;
} surface_node;

static double surface_value(const pli_shape *shape, const double x[3])
{
    return signed_distance(((const surface_node *)shape)->tree, x);
}

static const pli_shape_ops surface_ops = {surface_value, NULL};

static pli_status check_surface(pli_context *context, const pli_triangles *surface)
{
    int64_t corner_count = 3 * (int64_t)surface->triangle_count;
    for (int64_t k = 0; k < corner_count; ++k) {
        int32_t point = surface->triangles[k];
        if (point >= 0 && point < surface->point_count) continue;
        return PLI_FAIL(context, PLI_ERROR_MESH,
                        "triangle %lld refers to point %d, there are %d points", (long long)(k / 3),
                        point, surface->point_count);
    }
    double area = 0;
    for (int32_t t = 0; t < surface->triangle_count; ++t) {
        double n[3];
        triangle_normal(surface, t, n);
        area += pli_vec3_norm(n);
    }
    if (area > 0 && isfinite(area)) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_MESH,
                    "a surface of %d triangles has no finite area; a shape needs a closed surface",
                    surface->triangle_count);
}

pli_status pli_shape_create_from_triangles(pli_shape_set *set, const pli_triangles *surface,
                                           int32_t resolution, const pli_shape **shape)
{
    *shape = NULL;
    pli_context *context = pli_shape_set_context(set);
    surface_tree tree;
    PLI_TRY(check_surface(context, surface));
    PLI_TRY(tree_init(context, surface, &tree));
    surface_node node = {.base = {.ops = &surface_ops, .context = context}, .tree = &tree};
    pli_vec3_copy(tree.nodes[0].low, node.base.low);
    pli_vec3_copy(tree.nodes[0].high, node.base.high);
    pli_status status =
        pli_shape_create_sampled(set, &node.base, resolution, PLI_GRID_CUBIC, shape);
    tree_clear(&tree);
    return status;
}
