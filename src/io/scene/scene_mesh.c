// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_tree.h"

#include "base/memory.h"
#include "io/file/file.h"
#include "io/mesh/mesh_file.h"

#include <string.h>
#include <strings.h>

typedef struct mesh_load {
    const pli_tree *tree;
    pli_scene *scene;
    const char *folder;
    bool allow_outside;
} mesh_load;

// Puts the place in the scene before the message of what failed there.
static pli_status fail_mesh(const mesh_load *load, pli_status status, const pli_visit *at)
{
    if (status == PLI_ERROR_MEMORY) return status;
    char message[1024];
    pli_context_message(pli_scene_context(load->scene), message, sizeof message);
    return pli_scene_fail(load->scene, status, at, "%s", message);
}

// Reads one mesh file into the scene's memory.
static pli_status read_mesh(const mesh_load *load, const char *path, const pli_mesh_data **mesh)
{
    *mesh = NULL;
    pli_mesh_file *file = NULL;
    PLI_TRY(pli_mesh_file_read(pli_scene_context(load->scene), path, &file));
    *mesh = pli_scene_take_mesh(load->scene, pli_mesh_file_data(file));
    pli_mesh_file_destroy(file);
    return *mesh != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

static const char *const tetgen_endings[] = {"node", "ele", "face", "NODE", "ELE", "FACE"};

enum { TETGEN_ENDING_COUNT = sizeof tetgen_endings / sizeof *tetgen_endings };

static bool is_of_tetgen(const char *path)
{
    for (int32_t k = 0; k < TETGEN_ENDING_COUNT; ++k) {
        if (strcasecmp(pli_path_ending(path), tetgen_endings[k]) == 0) return true;
    }
    return false;
}

// A mesh of TetGen lies in several files, of which the scene names one; links must not lead out of
// the folder by the others.
static pli_status check_siblings(const mesh_load *load, const char *path)
{
    if (!is_of_tetgen(path)) return PLI_OK;
    pli_context *context = pli_scene_context(load->scene);
    size_t kept = strlen(path) - strlen(pli_path_ending(path));
    pli_status status = PLI_OK;
    for (int32_t k = 0; k < TETGEN_ENDING_COUNT && status == PLI_OK; ++k) {
        int64_t capacity = (int64_t)(kept + strlen(tetgen_endings[k]) + 1);
        char *sibling = PLI_NEW(context, char, capacity, "path");
        char *real = NULL;
        if (sibling == NULL) return PLI_ERROR_MEMORY;
        memcpy(sibling, path, kept);
        strcpy(sibling + kept, tetgen_endings[k]);
        status = pli_path_resolve(context, load->folder, sibling, load->allow_outside, &real);
        PLI_RELEASE(context, real, sibling);
    }
    return status;
}

// Every path of a scene is that of a mesh, in a pli_file_def.
static pli_status load_mesh(void *user, const pli_visit *visit)
{
    const mesh_load *load = user;
    if (visit->field == NULL || (visit->field->flags & PLI_FIELD_PATH) == 0) return PLI_OK;
    pli_file_def *file = (pli_file_def *)(uintptr_t)visit->holder;
    PLI_TRY(pli_tree_go_on(load->tree));
    pli_context *context = pli_scene_context(load->scene);
    char *real = NULL;
    pli_status status =
        pli_path_resolve(context, load->folder, file->path, load->allow_outside, &real);
    if (status == PLI_OK) status = check_siblings(load, file->path);
    if (status == PLI_OK) status = read_mesh(load, real, &file->mesh);
    pli_release(context, real);
    return status == PLI_OK ? PLI_OK : fail_mesh(load, status, visit);
}

pli_status pli_scene_load_meshes(const pli_tree *tree, pli_scene *scene, const char *folder,
                                 bool allow_outside)
{
    mesh_load load = {tree, scene, folder, allow_outside};
    return pli_schema_walk(pli_scene_context(scene), pli_scene_schema(), pli_scene_get(scene),
                           load_mesh, &load);
}
