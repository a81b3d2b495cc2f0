// SPDX-License-Identifier: Apache-2.0
//
// Inside of shapes, for the files that implement kinds of them: a node is a table of functions, a
// parameter block of its own kind, and children.
#ifndef PLI_GEOMETRY_SHAPES_SHAPE_NODE_H
#define PLI_GEOMETRY_SHAPES_SHAPE_NODE_H

#include "geometry/shapes/jet.h"
#include "geometry/shapes/shape.h"

// points an operation gets at once, at most
enum { PLI_SHAPE_CHUNK = 64 };

typedef struct pli_shape_ops {
    const char *name;
    // values[n] at points [n][3], n <= PLI_SHAPE_CHUNK
    void (*values)(const pli_shape *shape, int32_t n, const double *points, double *values);
    // value and derivatives at one point
    void (*jet)(const pli_shape *shape, const double x[3], pli_jet *jet);
} pli_shape_ops;

struct pli_shape {
    const pli_shape_ops *ops;
    pli_bounds bounds;
    double lipschitz; // bound on |gradient|, infinity: unknown
    bool is_exact;
    bool is_analytic;
    int32_t depth; // nodes on the longest way down
    bool is_far;   // outside of its bounds the value is at least the distance to them
    int32_t child_count;
    const pli_shape **children; // [child_count]
    void *data;                 // the kind's own parameters
    pli_shape *next;            // in the set
};

// What a constructor knows before the node exists.
typedef struct pli_shape_new {
    const pli_shape_ops *ops;
    size_t data_bytes; // zeroed room for the kind's parameters
    int32_t child_count;
    const pli_shape *const *children;
} pli_shape_new;

// A node with its data zeroed, no bounds, slope bound 1, exact; analytic and far if its children
// are.
pli_status pli_shape_node_create(pli_shape_set *set, const pli_shape_new *description,
                                 pli_shape **node);

// Evaluation of a child within an operation.
static inline void pli_shape_child_values(const pli_shape *child, int32_t n, const double *points,
                                          double *values)
{
    child->ops->values(child, n, points, values);
}

// ---- what shape_parts.c asks about a node

// True for combinations without blending: value = outer * min_i (signs[i] child_i).
bool pli_shape_get_sharp(const pli_shape *shape, double *outer, const double **signs);

bool pli_shape_is_negation(const pli_shape *shape);

// NULL unless the node is a transform.
const pli_shape_placement *pli_shape_get_placement(const pli_shape *shape);

// True for boxes without rounding; their faces are those of the bounds.
bool pli_shape_is_sharp_box(const pli_shape *shape);

// ---- checks of parameters

// Fails unless the number is finite and positive; what: "radius".
pli_status pli_shape_check_positive(pli_shape_set *set, const char *what, double value);

// Fails unless the number is finite and not negative.
pli_status pli_shape_check_not_negative(pli_shape_set *set, const char *what, double value);

// Fails unless all count numbers are finite.
pli_status pli_shape_check_finite(pli_shape_set *set, const char *what, int64_t count,
                                  const double *values);

#endif
