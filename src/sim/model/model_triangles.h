// SPDX-License-Identifier: Apache-2.0
//
// What a model has beyond tetrahedra: the triangles of shells, cloth and obstacles.
//
// Triangles of all shells come first, those of cloth and then of obstacles behind them, so that who
// works on shells works on a range. A shell's mass is density times thickness times area, a third
// of every triangle to each of its corners; an obstacle has none.
#ifndef PLI_SIM_MODEL_MODEL_TRIANGLES_H
#define PLI_SIM_MODEL_MODEL_TRIANGLES_H

#include "sim/body/body_mesh.h"
#include "sim/model/model.h"

// Room for triangle_count triangles. Errors: memory.
pli_status pli_model_allocate_triangles(pli_model *model);
void pli_model_clear_triangles(pli_model *model);

// Writes the triangles of a body, with the thickness and the bending factor of its description.
void pli_model_place_triangles(pli_model *model, const pli_model_body *body,
                               const pli_body_def *def, const pli_body_mesh *mesh);

// Adds the mass and drag of shells to their vertices, and to the total.
void pli_model_lump_triangles(pli_model *model);

// A shell must have area everywhere, at rest and at the start, a cloth at rest. Errors: mesh,
// scene; the message leaves the name of the body to the caller, who gets the first triangle of the
// body that has none at rest, or -1.
pli_status pli_model_check_triangles(const pli_model *model, const pli_model_body *body,
                                     int32_t *triangle);

// Adds to each vertex the length of the sides opposite to it times thickness (m^2): the rim of the
// vertex's triangles. areas [vertex_count]
void pli_model_add_rim_areas(const pli_model *model, double *areas);

// Area of a triangle given by indices into points [][3] (m^2).
static inline double pli_triangle_area_at(const double *points, const int32_t triangle[3])
{
    double u[3], v[3], normal[3];
    pli_vec3_subtract(points + 3 * (int64_t)triangle[1], points + 3 * (int64_t)triangle[0], u);
    pli_vec3_subtract(points + 3 * (int64_t)triangle[2], points + 3 * (int64_t)triangle[0], v);
    pli_vec3_cross(u, v, normal);
    return 0.5 * pli_vec3_norm(normal);
}

// Counts what folds, if anything does, once triangles are placed. Errors: memory.
PLI_CHECKED pli_status pli_model_count_folds(pli_model *model);

#endif
