// SPDX-License-Identifier: Apache-2.0
//
// Inside of the scene object: the description, the memory that everything in it lives in, and notes
// on where each value was written.
//
// A scene is made in one of two ways. From a def: pli_scene_create checks it against the table,
// copies it (scene_copy.c), then validates. From a file: a reader fills an empty scene and notes
// positions, then validates. Validating is scene_validate.c (every value against the table, and the
// completion of what depends on other values) and scene_rules.c (what only the meaning tells).
#ifndef PLI_SIM_SCENE_SCENE_H
#define PLI_SIM_SCENE_SCENE_H

#include "base/names.h"
#include "pliant/scene_reader.h"

// Copies a def of a schema into the scene's memory: target, of schema->size bytes, gets the struct,
// everything it points to is copied behind it. The def must have passed pli_scene_check_links.
// Errors: memory.
PLI_CHECKED pli_status pli_scene_copy(pli_scene *scene, const pli_schema *schema, const void *def,
                                      void *target);

// Checks that a def can be walked and copied: counts are not negative, lists are there, variants
// are among those of their field. Errors: scene, memory.
PLI_CHECKED pli_status pli_scene_check_links(const pli_scene *scene, const pli_schema *schema,
                                             const void *def);

// Checks what the meaning of the values tells: references, combinations, what is missing.
// Errors: scene, memory.
PLI_CHECKED pli_status pli_scene_check_rules(const pli_scene *scene);

// Whether something in a scene is or emits particles.
bool pli_scene_has_particles(const pli_scene_def *def);

// Whether particles in it are made of the material of this name.
bool pli_scene_has_particles_of(const pli_scene_def *def, const char *material);

// Remembers who said which contact bodies have, and what was chosen to go with it ("" or a
// sentence); pli_scene_get_info tells. Both are copied; reason NULL: the scene states it.
// Errors: memory.
PLI_CHECKED pli_status pli_scene_explain_contact(pli_scene *scene, const char *reason,
                                                 const char *besides);

// Whether the contact of bodies was chosen instead of stated.
bool pli_scene_chose_contact(const pli_scene *scene);

// Collects the materials that particles are made of, and those of meshes, each once: for questions
// about many materials. Lifetime: names are those of the def. Errors: memory.
PLI_CHECKED pli_status pli_scene_collect_materials(const pli_scene_def *def,
                                                   pli_names *of_particles, pli_names *of_meshes);

enum { PLI_PATH_CAPACITY = 512 };

// The place of a member of a visited struct; key may have several parts. The path is written to
// `path`, where the result points.
pli_visit pli_visit_member(const pli_visit *holder, const char *key, const void *member,
                           char path[PLI_PATH_CAPACITY]);

// Tells the context's last failure again, with its place in the scene. What was wrong with an
// argument of ours is wrong with the scene.
pli_status pli_scene_fail_again(const pli_scene *scene, pli_status status, const pli_visit *at);

// Logs a warning at a place in the scene, worded like a failure.
void pli_scene_warn(const pli_scene *scene, const pli_visit *at, const char *format, ...)
    PLI_PRINTF(3, 4);

// Whether warnings are kept, for pli_scene_get_info; true forgets earlier ones.
void pli_scene_set_validating(pli_scene *scene, bool validating);

#endif
