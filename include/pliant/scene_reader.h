// SPDX-License-Identifier: Apache-2.0
//
// Filling a scene while knowing where each value stands: for readers of scene files. io.h has ours.
#ifndef PLIANT_SCENE_READER_H
#define PLIANT_SCENE_READER_H

#include "pliant/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where something was written. line 0: source alone says it ("--set time.fps=0").
typedef struct pli_position {
    const char *source; // name of the file; NULL: the scene's own source
    int32_t line;       // counted from 1
    int32_t column;
} pli_position;

// An empty scene (every default, nothing in it) that a reader fills through pli_scene_edit;
// source is the file's name in messages, or NULL. pli_scene_validate ends the filling.
PLI_API PLI_CHECKED pli_status pli_scene_create_empty(pli_context *context, const char *source,
                                                      pli_scene **scene);
// What is put into the description must lie in the scene's memory (pli_scene_take), because
// validating completes it where it is.
PLI_API pli_scene_def *pli_scene_edit(pli_scene *scene);

// Zeroed memory that lives as long as the scene; NULL when there is none.
PLI_API void *pli_scene_take(pli_scene *scene, size_t bytes);

// A copy of a mesh that lives as long as the scene; NULL when memory ran out.
PLI_API const pli_mesh_data *pli_scene_take_mesh(pli_scene *scene, const pli_mesh_data *mesh);

// Remembers where the value at this address of the scene's memory was written. A struct is noted
// before its members, so that one and its first member can be told apart. position->source is
// borrowed: it must live as long as the scene.
PLI_API PLI_CHECKED pli_status pli_scene_note(pli_scene *scene, const void *address,
                                              const pli_position *position);

// Checks every value against the table, chooses the contact of bodies where it is left open, and
// checks what the table cannot know: names that refer, combinations, what is missing. Then
// completes what depends on other values: gravity gets its three numbers, materials the numbers of
// their presets (a Lame pair becomes young and poisson), variants without data their defaults,
// shells their thickness; materials of particles get the yield of their presets. Suspicious values
// are logged as warnings. Errors: scene, memory.
PLI_API PLI_CHECKED pli_status pli_scene_validate(pli_scene *scene);

// Records a failure at a place in the scene, "file:line:column: path: text", and returns status.
// The position is that of at->member, else that of at->holder, else the file alone.
PLI_API pli_status pli_scene_fail(const pli_scene *scene, pli_status status, const pli_visit *at,
                                  const char *format, ...) PLI_PRINTF(4, 5);

// The same for a place that is known by its position; path may be "".
PLI_API pli_status pli_position_fail(pli_context *context, pli_status status,
                                     const pli_position *position, const char *path,
                                     const char *format, ...) PLI_PRINTF(5, 6);

// Logs a warning worded like that, and keeps it for pli_scene_get_info.
PLI_API void pli_position_warn(pli_scene *scene, const pli_position *position, const char *path,
                               const char *format, ...) PLI_PRINTF(4, 5);

#ifdef __cplusplus
}
#endif

#endif
