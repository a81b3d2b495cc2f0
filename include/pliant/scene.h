// SPDX-License-Identifier: Apache-2.0
//
// The scene: an editable description of what there is and how it starts, in SI units.
//
// A scene is a tree of plain def structs whose root is pli_scene_def. The same tree is what a YAML
// scene file says (io.h reads and writes it), key by key: one table of fields (schema.h) knows
// for every member its key, unit, default, range and meaning, and drives reading, checking,
// printing, documentation and completion. So a default exists exactly once, in that table.
//
//     pli_scene_def def;
//     pli_scene_def_init(&def);                  // every default filled in
//     def.bodies = &body; def.body_count = 1; ...
//     status = pli_scene_create(context, &def, &scene);
//
// Def structs only ever grow at the end. Texts and arrays in a def are borrowed by the call that
// takes it; a scene owns copies. Angles in defs are in degrees, as in scene files.
#ifndef PLIANT_SCENE_H
#define PLIANT_SCENE_H

#include "pliant/scene_body.h"
#include "pliant/scene_contact.h"
#include "pliant/scene_load.h"
#include "pliant/scene_shape.h"
#include "pliant/scene_solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pli_up_axis { PLI_UP_Y, PLI_UP_Z } pli_up_axis;

typedef struct pli_scene_def {
    const char *about;
    int32_t seed;          // of every random number
    int32_t up;            // pli_up_axis
    const double *gravity; // [3] m/s^2; none: 9.81 downwards
    int32_t gravity_count; // 0 or 3
    const pli_material_def *materials;
    int32_t material_count;
    const pli_body_def *bodies;
    int32_t body_count;
    const pli_constraint_def *constraints;
    int32_t constraint_count;
    const pli_attachment_def *attachments;
    int32_t attachment_count;
    pli_time_def time;
    pli_solver_def solver;
    pli_output_def output;
    pli_checks_def checks;
    const pli_collider_def *colliders;
    int32_t collider_count;
    pli_contact_def contact;
    pli_domain_def domain;
    const pli_emitter_def *emitters;
    int32_t emitter_count;
    const pli_body_load_def *loads;
    int32_t load_count;
    const pli_cavity_def *cavities;
    int32_t cavity_count;
} pli_scene_def;

// ---- the scene object --------------------------------------------------------------------------

typedef struct pli_scene pli_scene;

// The table of the root. Lifetime: static.
PLI_API const pli_schema *pli_scene_schema(void);

PLI_API void pli_scene_def_init(pli_scene_def *def);

// Checks a description and makes a scene with copies of everything in it.
// Errors: scene (the message names the key, what was found and what is allowed), memory.
PLI_API PLI_CHECKED pli_status pli_scene_create(pli_context *context, const pli_scene_def *def,
                                                pli_scene **scene);
PLI_API void pli_scene_destroy(pli_scene *scene);

// The description. Lifetime: until the scene is destroyed.
PLI_API const pli_scene_def *pli_scene_get(const pli_scene *scene);

PLI_API pli_context *pli_scene_context(const pli_scene *scene);

// What is known about a scene besides its description. Lifetime of texts: until the scene is
// validated again or destroyed.
typedef struct pli_scene_info {
    const char *name;   // "cube" of scenes/cube.yaml; "scene" of no file
    const char *source; // file that it was read from, as given, or NULL
    // which contact bodies have, and who said so: "barrier, as the scene says", "barrier, chosen
    // because there are 2 bodies; contact: none switches it off". A scene that leaves its contact
    // to pliant has barriers when there is more than one body or cloth or a shell, and
    // contact.method says so once it is valid. "" for particles, which meet on their grid
    const char *contact;
    // that reading and validating gave, "file:line:column: path: text"; 16 are kept
    int32_t warning_count;
    const char *const *warnings; // [warning_count]
} pli_scene_info;

PLI_API pli_scene_info pli_scene_get_info(const pli_scene *scene);

// 64-bit hash of everything that the scene describes, contents of meshes included.
PLI_API uint64_t pli_scene_hash(const pli_scene *scene);

#ifdef __cplusplus
}
#endif

#endif
