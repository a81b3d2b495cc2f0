// SPDX-License-Identifier: Apache-2.0
//
// Start-up check of barrier contact: at time 0 nothing that collides may touch.
//
// Barriers keep apart what is apart. What crosses, touches, or lies behind a plane at the start has
// an infinite energy or, worse, is kept where it is for good; a tetrahedron that starts inverted is
// not kept from anything. So all of it is refused, whatever the scene's checks say, and told with
// the names of the bodies and the first ids. Surfaces and tetrahedra are judged by exact predicates
// (geometry/collision/crossing.h): not the smallest overlap is missed, and any gap at all will do.
// Pairs that do not collide are left out. Matter that starts wholly inside of other matter crosses
// nothing and would stay there; it is told as strictly as the scene's check body_overlap wants.
#ifndef PLI_SIM_MODEL_BARRIER_CHECK_H
#define PLI_SIM_MODEL_BARRIER_CHECK_H

#include "sim/model/model.h"

// Checks a model whose bodies, colliders and surface are there. Errors: scene, memory.
pli_status pli_barrier_check(const pli_model *model, const pli_scene *scene);

#endif
