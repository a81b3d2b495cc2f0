// SPDX-License-Identifier: Apache-2.0
//
// What the rules of a scene share. A rule looks at one struct of the scene that the table of fields
// has already found right, and refuses it with a message that names the key, what was found and
// what would be right. Rules stand in scene_rules.c, those of
// shapes in scene_shapes.c and those of particles in scene_matter.c.
#ifndef PLI_SIM_SCENE_SCENE_RULES_H
#define PLI_SIM_SCENE_SCENE_RULES_H

#include "base/names.h"
#include "geometry/collision/bounds.h"
#include "sim/scene/scene.h"

typedef struct pli_rules {
    const pli_scene *scene;
    const pli_scene_def *def;
    bool has_particles;
    // what others may refer to
    pli_names materials;
    pli_names bodies;
    pli_names colliders;
    // materials that are in use
    pli_names of_particles;
    pli_names of_meshes;
} pli_rules;

// The rule of one kind of struct.
typedef struct pli_rule {
    const pli_schema *schema;
    pli_status (*check)(const pli_rules *r, const pli_visit *visit);
} pli_rule;

// Applies the rule of the visited kind of struct, if the table has one. Errors: of the rule.
PLI_CHECKED pli_status pli_rules_apply(const pli_rules *r, const pli_visit *visit,
                                       const pli_rule *rules, int32_t count);

// Fails at the member of the visited struct that the key names. Returns the status `scene`.
pli_status pli_rules_refuse(const pli_rules *r, const pli_visit *holder, const char *key,
                            const void *member, const char *format, ...) PLI_PRINTF(5, 6);

// The name must be one of names, or of more of them when more is not NULL. Errors: scene.
PLI_CHECKED pli_status pli_rules_check_reference(const pli_rules *r, const pli_visit *visit,
                                                 const char *key, const char *const *name,
                                                 const pli_names *names, const pli_names *more);

// Three numbers or none. Errors: scene.
PLI_CHECKED pli_status pli_rules_check_point(const pli_rules *r, const pli_visit *visit,
                                             const char *key, const void *member, int32_t count);

// The member `motion` of the visited struct does not stretch; otherwise the message gives the
// reason. Errors: scene.
PLI_CHECKED pli_status pli_rules_check_rigid(const pli_rules *r, const pli_visit *visit,
                                             const pli_motion_def *motion, const char *reason);

// ---- shapes

// The rules of geometries, shapes and selections. Errors: scene, memory.
PLI_CHECKED pli_status pli_rules_check_shapes(const pli_rules *r, const pli_visit *visit);

// The same for rules that rely on all others. Errors: scene, memory.
PLI_CHECKED pli_status pli_rules_check_shapes_late(const pli_rules *r, const pli_visit *visit);

// Refuses what is in a mesh, by the name of its file if it has one. Returns the status `scene`.
pli_status pli_rules_refuse_file(const pli_rules *r, const pli_visit *visit, const char *key,
                                 const pli_file_def *file, const char *why);

// Why a mesh without triangles and tetrahedra is refused.
extern const char pli_rules_no_cells[];

// Whether a grid of samples takes part in a shape.
bool pli_rules_is_sampled(const pli_variant *shape);

// How messages call a shape.
const char *pli_rules_name_shape(const pli_variant *shape);

// Makes the member `shape` of the visited struct to see whether it can be made, and its bounds.
// Shapes with a grid of samples are left for the model, because sampling takes long; bounds are
// empty then. Errors: scene, memory.
PLI_CHECKED pli_status pli_rules_try_shape(const pli_rules *r, const pli_visit *visit,
                                           const pli_variant *variant, pli_bounds *bounds);

// ---- painted and keyed numbers

// The rules of what is painted in a material or a body. Errors: scene.
PLI_CHECKED pli_status pli_rules_check_paint(const pli_rules *r, const pli_visit *visit);

// ---- particles

// The rules of a body of particles. Errors: scene.
PLI_CHECKED pli_status pli_rules_check_particles(const pli_rules *r, const pli_visit *visit);

// What particles ask of any other struct, and what asks for particles. Errors: scene, memory.
PLI_CHECKED pli_status pli_rules_check_matter(const pli_rules *r, const pli_visit *visit);

// The same for rules that rely on all others. Errors: scene, memory.
PLI_CHECKED pli_status pli_rules_check_matter_late(const pli_rules *r, const pli_visit *visit);

#endif
