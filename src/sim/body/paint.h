// SPDX-License-Identifier: Apache-2.0
//
// A number of a material or a body that differs from place to place, ready to be asked: by an array
// of the body's mesh file, or by expressions of the place at rest in the scene.
//
// An array on vertices gives a cell the mean of its corners; one on cells gives a vertex the mean
// of the cells around it by their volume (area). Vectors of an array are along the axes of the mesh
// file and turn with the body; those of expressions are along the axes of the scene.
#ifndef PLI_SIM_BODY_PAINT_H
#define PLI_SIM_BODY_PAINT_H

#include "base/expression.h"
#include "sim/body/body_mesh.h"

// The body that is painted.
typedef struct pli_canvas {
    const pli_body_def *body;
    const pli_body_mesh *mesh;
    const double *points; // [mesh->vertex_count][3] placed rest shape (m)
    double place[9];      // what has taken the mesh there, without translation
    uint64_t seed;
} pli_canvas;

typedef struct pli_paint {
    const pli_paint_def *def;
    int32_t value_count;         // 1, or 3: a vector
    const pli_mesh_array *array; // NULL: expressions, or keys
    double factor;               // of the array's values to the unit of the number
    pli_expression expressions[3];
} pli_paint;

enum { PLI_PAINT_ERROR = 512 };

// Prepares a paint for a body; unit is that of the number. False: error says what is wrong.
bool pli_paint_init(pli_paint *paint, const pli_paint_def *def, const char *unit,
                    int32_t value_count, const pli_canvas *canvas, char error[PLI_PAINT_ERROR]);

// The values in a cell, and at a vertex if the array is not one of cells. Not-a-number: the file
// has none there. Keys have that of time 0.
void pli_paint_cell(const pli_paint *paint, const pli_canvas *canvas, int32_t cell, double *values);

// The values at all vertices, [vertex_count][value_count]; weights [vertex_count] is scratch.
void pli_paint_vertices(const pli_paint *paint, const pli_canvas *canvas, double *weights,
                        double *values);

// The value of keys at a time (s).
double pli_paint_keyed(const pli_paint_key_def *keys, int32_t key_count, int32_t ease, double time);

// "by array 'stiffness'", "by expression '1e5 * y'", "by expressions '1', 'x', '0'", "by keys".
void pli_paint_describe(const pli_paint_def *def, char *text, size_t capacity);

// How many of array, expression and keys a paint has; exactly one is right.
int32_t pli_paint_way_count(const pli_paint_def *def);

#endif
