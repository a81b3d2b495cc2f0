// SPDX-License-Identifier: Apache-2.0
//
// Structures that fill space: struts along the edges of cubes, and the gyroid.
#include "geometry/shape_node.h"

typedef struct lattice_node {
    pli_shape base;
    double cell; // period (m)
    double half; // strut radius, or half the sheet thickness (m)
} lattice_node;

// ---- struts

// Offset from the nearest line of the lattice that runs along the axis which is left out.
static double strut_nearest(const lattice_node *node, const double x[3], double d[3],
                            double projector[9])
{
    double offset[3];
    int farthest = 0;
    for (int i = 0; i < 3; ++i) {
        offset[i] = x[i] - node->cell * round(x[i] / node->cell);
        if (fabs(offset[i]) > fabs(offset[farthest])) farthest = i;
    }

    // the nearest line runs along the axis with the largest offset
    memset(projector, 0, 9 * sizeof(double));
    for (int i = 0; i < 3; ++i) {
        d[i] = i == farthest ? 0 : offset[i];
        projector[4 * i] = i != farthest;
    }
    return pli_vec3_norm(d) - node->half;
}

static double strut_value(const pli_shape *shape, const double x[3])
{
    double d[3];
    double projector[9];
    return strut_nearest((const lattice_node *)shape, x, d, projector);
}

static void strut_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const lattice_node *node = (const lattice_node *)shape;
    double d[3];
    double projector[9];
    strut_nearest(node, x, d, projector);
    pli_shape_jet_radial(d, projector, node->half, jet);
}

static const pli_shape_ops strut_ops = {strut_value, strut_derive};

static pli_status lattice_create(pli_shape_set *set, double cell, double half,
                                 const pli_shape_ops *ops, lattice_node **node)
{
    PLI_TRY(pli_shape_node_create(set, sizeof **node, ops, (void **)node));
    (*node)->cell = cell;
    (*node)->half = half;
    (*node)->base.is_exact = false;
    return PLI_OK;
}

pli_status pli_shape_struts(pli_shape_set *set, double cell, double radius, const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_length(set, "the cell of a strut lattice", cell));
    PLI_TRY(pli_shape_check_length(set, "the radius of struts", radius));
    lattice_node *node = NULL;
    PLI_TRY(lattice_create(set, cell, radius, &strut_ops, &node));
    *shape = &node->base;
    return PLI_OK;
}

// ---- gyroid

// Mean of |grad G| over the surface G = 0, in units of the wave number.
static const double gyroid_steepness = 1.52;
// Largest |grad G| anywhere, in the same units.
static const double gyroid_steepest = 1.7320508075688772;

// G = sin x cos y + sin y cos z + sin z cos x at x times the wave number, and its derivatives.
static double gyroid_field(const double x[3], double gradient[3], double hessian[9])
{
    double s[3];
    double c[3];
    double G = 0;
    for (int i = 0; i < 3; ++i) {
        s[i] = sin(x[i]);
        c[i] = cos(x[i]);
    }
    memset(hessian, 0, 9 * sizeof(double));
    for (int i = 0; i < 3; ++i) {
        int next = (i + 1) % 3;
        int last = (i + 2) % 3;
        G += s[i] * c[next];
        gradient[i] = c[i] * c[next] - s[last] * s[i];
        hessian[4 * i] = -s[i] * c[next] - s[last] * c[i];
        hessian[3 * i + next] = hessian[3 * next + i] = -c[i] * s[next];
    }
    return G;
}

// |G| / (steepness wave number) - half thickness
static void gyroid_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const lattice_node *node = (const lattice_node *)shape;
    double wave = 2 * 3.14159265358979323846 / node->cell;
    double phase[3] = {wave * x[0], wave * x[1], wave * x[2]};
    double G = gyroid_field(phase, jet->gradient, jet->hessian);
    double scale = copysign(1 / gyroid_steepness, G);
    jet->value = scale * G / wave - node->half;
    for (int i = 0; i < 3; ++i) jet->gradient[i] *= scale;
    for (int i = 0; i < 9; ++i) jet->hessian[i] *= scale * wave;
}

static double gyroid_value(const pli_shape *shape, const double x[3])
{
    pli_shape_jet jet;
    gyroid_derive(shape, x, &jet);
    return jet.value;
}

static const pli_shape_ops gyroid_ops = {gyroid_value, gyroid_derive};

pli_status pli_shape_gyroid(pli_shape_set *set, double cell, double thickness,
                            const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_length(set, "the cell of a gyroid", cell));
    PLI_TRY(pli_shape_check_length(set, "the thickness of a gyroid", thickness));
    lattice_node *node = NULL;
    PLI_TRY(lattice_create(set, cell, 0.5 * thickness, &gyroid_ops, &node));
    node->base.lipschitz = gyroid_steepest / gyroid_steepness;
    *shape = &node->base;
    return PLI_OK;
}
