// SPDX-License-Identifier: Apache-2.0
//
// A quarter (x >= 0, z >= 0) of a square column whose lower end is part of a sphere, with cells
// that grow away from its lowest point: what a contact of small radius needs. As long as the
// contact is small against the column, it is that of a ball.
//
// In a cube [0, 1]^3 with the lowest point as its origin, a core of equal cells is surrounded by
// shells, each of which continues the three outer faces of the core: cells grow with their
// distance. The cube becomes the column up to the centre of the sphere; what is above follows in
// layers. Cells are cut into six tetrahedra around the diagonal that leads away from the origin, so
// that faces of neighbours match.
#ifndef PLI_TESTS_GRADED_TIP_H
#define PLI_TESTS_GRADED_TIP_H

#include "near.h"

#include "geometry/mesh/tet_mesh.h"
#include "math/vec3.h"

typedef struct graded_tip_def {
    double radius;  // of the sphere (m)
    double width;   // of the column from its axis (m)
    double fine;    // width of the core (m), which is half as high
    int32_t core;   // cells along its width, even; half as many along its height
    int32_t shells; // around it
    double height;  // of the column above the centre of the sphere (m)
    int32_t layers; // of cells there; 0: the column ends at the centre
} graded_tip_def;

typedef struct graded_tip {
    graded_tip_def def;
    int32_t n[3]; // cells of the core
    int32_t point_count;
    double *points; // [point_count][3] (m), the centre of the sphere is the origin
    int32_t tet_count;
    int32_t *tets; // [tet_count][4]
    int32_t *ids;  // [n + 1][shells + 1] of the core's vertices, and of those behind them
} graded_tip;

// ---- points

// What is u of the way from the axis, or from the lowest point, to the end of the cube, when it is
// `shell` shells outside of a core that ends at `inner`.
static inline double tip_reach(double inner, double u, double shell)
{
    return u * inner * pow(1 / inner, shell);
}

// Adds a point of the cube, or of what is above it (u[1] > 1).
static inline int32_t tip_add_point(graded_tip *tip, const double u[3])
{
    const graded_tip_def *def = &tip->def;
    double *p = tip->points + 3 * (int64_t)tip->point_count;
    p[0] = def->width * u[0];
    p[2] = def->width * u[2];
    double depth = sqrt(def->radius * def->radius - p[0] * p[0] - p[2] * p[2]);
    p[1] = u[1] > 1 ? (u[1] - 1) * def->height : (u[1] - 1) * depth;
    return tip->point_count++;
}

static inline int32_t tip_index(const graded_tip *tip, int32_t i, int32_t j, int32_t k)
{
    return ((i * (tip->n[1] + 1) + j) * (tip->n[2] + 1) + k) * (tip->def.shells + 1);
}

static inline void tip_fill_column(graded_tip *tip, int32_t i, int32_t j, int32_t k)
{
    const graded_tip_def *def = &tip->def;
    bool outer = i == tip->n[0] || j == tip->n[1] || k == tip->n[2];
    for (int32_t s = 0; s <= (outer ? def->shells : 0); ++s) {
        double shell = (double)s / def->shells, across = def->fine / def->width;
        double u[3] = {tip_reach(across, (double)i / tip->n[0], shell),
                       tip_reach(0.5 * def->fine / def->radius, (double)j / tip->n[1], shell),
                       tip_reach(across, (double)k / tip->n[2], shell)};
        tip->ids[tip_index(tip, i, j, k) + s] = tip_add_point(tip, u);
    }
}

// ---- cells

// Corners by bits: 1, 2, 4 for the far side along the first, second and third direction.
static inline void tip_add_cell(graded_tip *tip, const int32_t corners[8])
{
    static const int ways[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
    for (int k = 0; k < 6; ++k) {
        int32_t *tet = tip->tets + 4 * (int64_t)tip->tet_count++;
        tet[0] = corners[0];
        tet[1] = corners[ways[k][0]];
        tet[2] = corners[ways[k][1]];
        tet[3] = corners[7];
        if (pli_tet_volume_at(tip->points, tet) < 0) {
            tet[2] = tet[1];
            tet[1] = corners[ways[k][1]];
        }
    }
}

static inline void tip_fill_core(graded_tip *tip)
{
    const int32_t *n = tip->n;
    for (int32_t cell = 0; cell < n[0] * n[1] * n[2]; ++cell) {
        int32_t i = cell / (n[1] * n[2]), j = cell / n[2] % n[1], k = cell % n[2], corners[8];
        for (int bit = 0; bit < 8; ++bit) {
            int32_t index = tip_index(tip, i + (bit & 1), j + (bit >> 1 & 1), k + (bit >> 2));
            corners[bit] = tip->ids[index];
        }
        tip_add_cell(tip, corners);
    }
}

// Cells of one shell behind the face of the core across an axis.
static inline void tip_fill_shell(graded_tip *tip, int axis, int32_t shell)
{
    int first = (axis + 1) % 3, second = (axis + 2) % 3;
    int32_t across = tip->n[second];
    for (int32_t cell = 0; cell < tip->n[first] * across; ++cell) {
        int32_t corners[8];
        for (int bit = 0; bit < 8; ++bit) {
            int32_t at[3];
            at[axis] = tip->n[axis];
            at[first] = cell / across + (bit & 1);
            at[second] = cell % across + (bit >> 1 & 1);
            corners[bit] = tip->ids[tip_index(tip, at[0], at[1], at[2]) + shell + (bit >> 2)];
        }
        tip_add_cell(tip, corners);
    }
}

// A vertex at the height of the centre, or of a layer above it, which follow one after another.
static inline int32_t tip_layer_vertex(const graded_tip *tip, int32_t above, int32_t layer,
                                       int32_t i, int32_t k)
{
    int32_t side = tip->n[0] + 1;
    if (layer == 0) return tip->ids[tip_index(tip, i, tip->n[1], k) + tip->def.shells];
    return above + ((layer - 1) * side + i) * side + k;
}

static inline void tip_fill_layers(graded_tip *tip)
{
    int32_t n = tip->n[0], above = tip->point_count, layers = tip->def.layers;
    for (int32_t k = 0; k < layers * (n + 1) * (n + 1); ++k) {
        int32_t layer = k / ((n + 1) * (n + 1)) + 1;
        double u[3] = {(double)(k / (n + 1) % (n + 1)) / n, 1 + (double)layer / layers,
                       (double)(k % (n + 1)) / n};
        tip_add_point(tip, u);
    }
    for (int32_t cell = 0; cell < layers * n * n; ++cell) {
        int32_t corners[8];
        for (int bit = 0; bit < 8; ++bit) {
            corners[bit] = tip_layer_vertex(tip, above, cell / (n * n) + (bit >> 2),
                                            cell / n % n + (bit & 1), cell % n + (bit >> 1 & 1));
        }
        tip_add_cell(tip, corners);
    }
}

static inline void graded_tip_init(graded_tip *tip, const graded_tip_def *def)
{
    int32_t n = def->core, half = def->core / 2;
    int64_t core = (int64_t)(n + 1) * (n + 1) * (half + 1);
    int64_t shell = core - (int64_t)n * n * half;
    int64_t points = core + shell * def->shells + (int64_t)(n + 1) * (n + 1) * def->layers;
    int64_t cells = (int64_t)n * n * (half + 2 * def->shells + def->layers);
    *tip = (graded_tip){.def = *def,
                        .n = {n, half, n},
                        .points = calloc(3 * (size_t)points, sizeof(double)),
                        .tets = calloc(4 * 6 * (size_t)cells, sizeof(int32_t)),
                        .ids = calloc((size_t)(core * (def->shells + 1)), sizeof(int32_t))};
    for (int32_t k = 0; k < core; ++k) {
        tip_fill_column(tip, k / ((n + 1) * (half + 1)), k / (n + 1) % (half + 1), k % (n + 1));
    }
    tip_fill_core(tip);
    for (int32_t s = 0; s < def->shells; ++s) {
        for (int axis = 0; axis < 3; ++axis) tip_fill_shell(tip, axis, s);
    }
    tip_fill_layers(tip);
    assert_int_equal(tip->point_count, points);
    assert_int_equal(tip->tet_count, 6 * cells);
}

static inline void graded_tip_clear(graded_tip *tip)
{
    free(tip->ids);
    free(tip->tets);
    free(tip->points);
}

#endif
