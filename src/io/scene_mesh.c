// SPDX-License-Identifier: Apache-2.0
#include "io/scene_tree.h"

#include "base/memory.h"
#include "io/file.h"
#include "io/mesh_file.h"

typedef struct mesh_load {
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

// Every path of a scene is that of a mesh, in a pli_file_def.
static pli_status load_mesh(void *user, const pli_visit *visit)
{
    const mesh_load *load = user;
    if (visit->field == NULL || (visit->field->flags & PLI_FIELD_PATH) == 0) return PLI_OK;
    pli_file_def *file = (pli_file_def *)(uintptr_t)visit->holder;
    pli_context *context = pli_scene_context(load->scene);
    char *real = NULL;
    pli_status status =
        pli_path_resolve(context, load->folder, file->path, load->allow_outside, &real);
    if (status == PLI_OK) status = read_mesh(load, real, &file->mesh);
    pli_release(context, real);
    return status == PLI_OK ? PLI_OK : fail_mesh(load, status, visit);
}

pli_status pli_scene_load_meshes(pli_scene *scene, const char *folder, bool allow_outside)
{
    mesh_load load = {scene, folder, allow_outside};
    return pli_schema_walk(pli_scene_context(scene), pli_scene_schema(), pli_scene_get(scene),
                           load_mesh, &load);
}
