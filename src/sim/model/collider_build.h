// SPDX-License-Identifier: Apache-2.0
//
// What collisions need in a model: colliders compiled from their descriptions, contact with its
// stiffness resolved, and the surface of the bodies.
//
// A method that is left to us becomes a constraint, or a penalty where a grid of samples takes part
// in the shape (Gast et al. 2015); with barriers between bodies it is a barrier, and with solvers
// that keep their matrix the quadratic penalty, whose Hessian is a block on its diagonal (Xian et
// al. 2019). A collider that turns does so about the centre of its shape's bounds unless the scene
// says otherwise; a shape without bounds about the origin.
//
// Automatic stiffness. The penalty of a vertex at depth d is k d^3, its force 3 k d^2. Against it
// stands the pressure p of the body on the vertex's share of the surface, about the square of an
// edge length e: p e^2 = 3 k d^2. With k = 10 E, E being Young's modulus, the depth at strain p / E
// is d = e sqrt((p / E) / 30), that is 2 % of an edge at a strain of 1 % and 10 % of one at 30 %.
// So k has the unit of a modulus and needs no length of the mesh. Young's modulus is taken and not
// |dP/dF|, because the latter grows without end towards incompressible materials, although these
// are not harder to indent; |dP/dF| at rest stands in for laws that have no such input. The
// stiffest material that is in use counts, so that none is too weakly held out. Cloth has springs
// instead of a material: a spring k of length l stands for a modulus of k / l.
// The quadratic penalty k/2 d^2 has the force k d. By the same reasoning with p e^2 = k d, its k is
// 10 E e, the stiffness of the stiffest edge times ten: d is 0.1 e times the strain.
#ifndef PLI_SIM_MODEL_COLLIDER_BUILD_H
#define PLI_SIM_MODEL_COLLIDER_BUILD_H

#include "sim/body/body_mesh.h"
#include "sim/model/model.h"

// Colliders and contact of a model whose bodies and materials are there.
// Errors: scene, mesh (a shape from a file), memory.
pli_status pli_collider_build(pli_model *model, const pli_scene *scene);

// The method of a collider, chosen where the scene leaves it to us; never auto. analytic: no grid
// of samples takes part in the shape.
pli_collider_method pli_collider_choose_method(const pli_scene_def *def,
                                               const pli_collider_def *collider, bool analytic);

// The surface of all bodies, when anything collides. meshes are those that the bodies were
// made from, by pli_model_body.mesh. Errors: mesh (faces that belong to too many tetrahedra),
// memory.
pli_status pli_collider_build_surface(pli_model *model, const pli_scene *scene,
                                      pli_body_mesh *const *meshes);

// The contact of bodies, as outsiders may ask for it.
pli_contact_info pli_collider_get_contact(const pli_model *model);

// Frees what the two made, also after they failed.
void pli_collider_clear(pli_model *model);

#endif
