// SPDX-License-Identifier: Apache-2.0
//
// Files in and out.
//
// Texts that a function here hands out through `char **text` belong to the caller, who gives them
// back with pli_text_free; on failure there is nothing to give back.
#ifndef PLIANT_IO_H
#define PLIANT_IO_H

#include "pliant/base.h"
#include "pliant/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// Gives back a text that was handed out by this context; NULL is legal.
PLI_API void pli_text_free(pli_context *context, char *text);

// ---- scenes
// --------------------------------------------------------------------------------------
//
// A scene file is YAML (JSON is read as well), at most 16 MiB. Its keys are those of the field
// table in scene.h. Every error has the form "file:line:column: path: what is wrong, and what would
// be right".
//
//   include: [materials.yaml]    at the top of a file: other files, relative to this one. Maps are
//                                merged key by key, anything else is replaced; what comes later
//                                wins, and the file itself wins over what it includes.
//   solver: newton               a plain value stands for a struct's main key, here solver.name
//   where: all                   a variant by its name alone takes all its defaults
//   shape: {sphere: {radius: 1}} a variant with its values is a map with one key
//   fps: 1/0.04                  numbers may be fractions
//
// Unknown keys, keys that are there twice, tags, and more than one document are refused. Anchors
// and aliases work as long as what they expand to stays small.

typedef struct pli_load_def {
    // changes applied on top of the file, in this order: "PATH=VALUE", where the path is made of
    // keys, names and indices ("bodies.cube.position[1]", "constraints[0].where") and the value is
    // YAML ("0.3", "[0, 1, 0]", "{box: {...}}")
    const char *const *sets;
    int32_t set_count;

    // whether includes and mesh files may lie outside the folder of the scene file
    bool allow_outside;
} pli_load_def;

// Reads a scene and the mesh files it names, and validates it. def may be NULL.
// Errors: io, scene, mesh, memory.
PLI_API PLI_CHECKED pli_status pli_scene_load(pli_context *context, const char *path,
                                              const pli_load_def *def, pli_scene **scene);

// The same from a text of count bytes. name stands for the file in messages; relative paths count
// from its folder.
PLI_API PLI_CHECKED pli_status pli_scene_parse(pli_context *context, const char *text,
                                               int64_t count, const char *name,
                                               const pli_load_def *def, pli_scene **scene);

typedef struct pli_yaml_def {
    bool comments;       // unit and meaning beside every key
    bool absolute_paths; // mesh files by absolute path, so that the text can be moved elsewhere
} pli_yaml_def;

// A validated scene as YAML with every default filled in; reading it again gives the same scene
// (absolute paths need allow_outside; meshes given as arrays are not in the text). def may be NULL.
// Errors: memory, io (a mesh file is no longer there).
PLI_API PLI_CHECKED pli_status pli_scene_to_yaml(const pli_scene *scene, const pli_yaml_def *def,
                                                 char **text);

// The field table as JSON Schema (draft 7), for editors that complete and check scene files.
PLI_API PLI_CHECKED pli_status pli_schema_to_json(pli_context *context, char **text);

// The field table as reference documentation in Markdown.
PLI_API PLI_CHECKED pli_status pli_schema_to_markdown(pli_context *context, char **text);

#ifdef __cplusplus
}
#endif

#endif
