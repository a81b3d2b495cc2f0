// SPDX-License-Identifier: Apache-2.0
//
// A model while it is built, and the stages of that, file by file; model.c has their order. Bodies
// of meshes have one file for each kind of element, with the same parts: elements placed in the
// model's arrays, masses lumped, starts checked. Bodies of particles are compiled by
// matter_build.h, colliders by collider_build.h, coarse levels of solvers by coarse_build.h and
// subspace_build.h.
#ifndef PLI_SIM_MODEL_MODEL_BUILDING_H
#define PLI_SIM_MODEL_MODEL_BUILDING_H

#include "base/names.h"
#include "sim/body/body_mesh.h"
#include "sim/body/material_resolve.h"
#include "sim/body/selection.h"
#include "sim/model/model.h"
#include "sim/scene/scene.h"

// what exists only while a model is built
typedef struct pli_building {
    pli_context *context;
    pli_model *model;
    const pli_scene *scene;
    const pli_scene_def *def;
    const pli_model_def *model_def;
    int32_t mesh_count;
    pli_body_mesh **meshes; // [mesh_count] of all pieces of the scene's bodies, in the bodies' own
                            // coordinates
    uint8_t *mask;          // [largest of vertex, tet and triangle counts]
    pli_names materials;    // of the scene
} pli_building;

// Asks who makes the model whether to go on. Errors: interrupted.
PLI_CHECKED pli_status pli_building_go_on(const pli_building *b);

// The description of a body of the model, its mesh, and the body as selections see it: its own
// numbering, its placed rest shape.
const pli_body_def *pli_building_body(const pli_building *b, int32_t index);
const pli_body_mesh *pli_building_mesh(const pli_building *b, int32_t index);
pli_selection_source pli_building_selection(const pli_building *b, int32_t index);

// ---- bodies: model_bodies.c, model_start.c

// The bodies with their copies and pieces, and the meshes of these. Errors: scene, mesh,
// unsupported, interrupted, memory.
PLI_CHECKED pli_status pli_model_list_bodies(pli_building *b);
PLI_CHECKED pli_status pli_model_create_meshes(pli_building *b);

// Where every body and surface has its vertices and elements, and arrays for all of them. Errors:
// unsupported, memory.
PLI_CHECKED pli_status pli_model_count_arrays(pli_building *b);
PLI_CHECKED pli_status pli_model_allocate_arrays(pli_building *b);

// The rest shape of a body, with its elements.
void pli_model_place_body(pli_building *b, int32_t index);

// Positions and velocities at time 0 of a body whose masses are there. Errors: mesh, scene.
PLI_CHECKED pli_status pli_model_start_body(const pli_building *b, int32_t index);

// ---- elements: model_elements.c

// Which tetrahedra solids are of; names of materials are known.
void pli_model_choose_elements(pli_building *b);

// ---- solids: model_tets.c; shells: model_triangles.h; cloth: model_springs.h

// Arrays of tetrahedra. Errors: memory.
PLI_CHECKED pli_status pli_model_allocate_tets(pli_model *model);
void pli_model_clear_tets(pli_model *model);

// A mirroring scale keeps volumes positive by swapping two corners.
void pli_model_place_tets(pli_model *model, const pli_model_body *body, const pli_body_def *def,
                          const pli_body_mesh *mesh);

// Lumped masses: of linear tetrahedra a quarter to each of the corners.
void pli_model_lump_tets(pli_model *model);

// A law that ends at J = 0 cannot start from inverted tetrahedra; for others the scene decides.
// Errors: scene.
PLI_CHECKED pli_status pli_model_check_tets(const pli_building *b, int32_t index);

// ---- obstacles: model_obstacles.c

// The surfaces of colliders that barriers keep bodies away from by triangles, as obstacles behind
// the bodies. Errors: scene, mesh, interrupted, memory.
PLI_CHECKED pli_status pli_model_list_surfaces(pli_building *b);
void pli_model_place_surfaces(pli_building *b);

// Constraints that hold obstacles where their motions have them, and surfaces where those of their
// colliders do; room for them is there. Errors: scene, memory.
PLI_CHECKED pli_status pli_model_hold_obstacles(pli_building *b);
PLI_CHECKED pli_status pli_model_hold_surfaces(pli_building *b);

// ---- materials: model_materials.c

// Their names, then laws and parameters. Errors: scene, unsupported, memory.
PLI_CHECKED pli_status pli_model_name_materials(pli_building *b);
PLI_CHECKED pli_status pli_model_resolve_materials(pli_building *b);

// Which element of a body has which of them.
void pli_model_assign_materials(pli_building *b, int32_t index);

// Fills a row of the model's materials, which is of a material of the scene.
void pli_model_set_material(pli_model *model, int32_t source, const pli_resolved_material *values,
                            int32_t row);

// ---- painted numbers: model_paint.c

bool pli_material_is_painted(const pli_material_def *def);

// Rows of materials for the elements of a body whose materials are there; thickness and bending of
// a shell. Errors: scene, memory.
PLI_CHECKED pli_status pli_model_paint_body(pli_building *b, int32_t index);

// Adds the painted velocities of a body to those of its vertices, [vertex_count][3]. Errors: scene,
// memory.
PLI_CHECKED pli_status pli_model_paint_velocity(const pli_building *b, int32_t index,
                                                double *velocity);

// The numbers that change with time. Errors: memory.
PLI_CHECKED pli_status pli_model_build_tracks(pli_building *b);

// How tetrahedra yield, where the scene states that they do: presets of meshes do not. Errors:
// scene, memory.
PLI_CHECKED pli_status pli_model_resolve_yields(pli_building *b);

// What tetrahedra have beside their laws, if any have something. Errors: memory.
PLI_CHECKED pli_status pli_model_resolve_viscoelastic(pli_building *b);

// ---- scripts: model_handles.c

// Errors: scene (nothing is selected), memory.
PLI_CHECKED pli_status pli_model_build_constraints(pli_building *b);
PLI_CHECKED pli_status pli_model_build_attachments(pli_building *b);
void pli_model_clear_handles(pli_model *model);

// ---- solver: model_solver.c

// Errors: scene.
PLI_CHECKED pli_status pli_model_set_solver(pli_building *b);

// Its coarse spaces, after which the model no longer looks at lists of the scene. Errors: as those
// of coarse_build.h and subspace_build.h.
PLI_CHECKED pli_status pli_model_build_levels(pli_building *b);

#endif
