// SPDX-License-Identifier: Apache-2.0
//
// Inside of shapes: what every kind of node provides and the helpers that kinds share. For the
// files shape_*.c only.
#ifndef PLI_GEOMETRY_SHAPE_NODE_H
#define PLI_GEOMETRY_SHAPE_NODE_H

#include "geometry/shape.h"
#include "math/mat3.h"

typedef struct pli_shape_ops {
    double (*value)(const pli_shape *shape, const double x[3]);
    // fills all of the jet
    void (*derive)(const pli_shape *shape, const double x[3], pli_shape_jet *jet);
} pli_shape_ops;

// First member of every node; filled by the constructors, constant afterwards.
struct pli_shape {
    const pli_shape_ops *ops;
    pli_context *context;
    double low[3]; // bounds of the solid (m)
    double high[3];
    double lipschitz;
    bool is_exact;
    bool is_analytic;
    // outside the bounds the value is at least the distance to them
    bool is_beyond_bounds;
};

// Memory of a set that lives as long as the set; NULL when there is none left.
void *pli_shape_set_take(pli_shape_set *set, int64_t count, size_t size, const char *what);

// A zeroed node of the given size with infinite bounds, flags of an exact formula and Lipschitz
// constant 1.
pli_status pli_shape_node_create(pli_shape_set *set, size_t size, const pli_shape_ops *ops,
                                 void **node);

// Takes flags and constant over from a member: the node is at most as good as it.
void pli_shape_node_inherit(pli_shape *node, const pli_shape *member);

// Fails with an argument error that names the quantity unless it is finite and, for lengths, > 0.
pli_status pli_shape_check_length(pli_shape_set *set, const char *what, double value);
pli_status pli_shape_check_vector(pli_shape_set *set, const char *what, const double value[3]);
pli_status pli_shape_check_member(pli_shape_set *set, const pli_shape *member);

// jet of |d| - radius, where d are the components of an offset in the subspace with projector P
// (NULL: all of space): gradient n = d / |d|, Hessian (P - n n^T) / |d|.
void pli_shape_jet_radial(const double d[3], const double *projector, double radius,
                          pli_shape_jet *jet);

static inline double pli_shape_eval(const pli_shape *shape, const double x[3])
{
    return shape->ops->value(shape, x);
}

// Squared distance from x to the box of a node.
static inline double pli_shape_box_distance2(const double low[3], const double high[3],
                                             const double x[3])
{
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        // comparisons, which compile to single instructions where fmax is a call
        double below = low[i] - x[i];
        double above = x[i] - high[i];
        double gap = below > above ? below : above;
        sum += gap > 0 ? gap * gap : 0;
    }
    return sum;
}

// A direction orthogonal to a unit vector, of unit length.
void pli_shape_orthogonal(const double axis[3], double out[3]);

// Weights of the four samples around a parameter t in [0, 1] between the middle two, and their
// first and second derivatives by t (Catmull and Rom 1974): w[order][sample].
void pli_spline_weights(double t, double w[3][4]);

#endif
