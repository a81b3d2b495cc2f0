// SPDX-License-Identifier: Apache-2.0
#include "io/run/saved_state.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

// ---- the hash ---------------------------------------------------------------------------------

static bool starts_with(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

// Hashes the lines of a resolved scene, leaving out what changes no result. Top-level keys stand at
// the beginning of a line and all that belongs to them is indented.
static uint64_t hash_scene(uint64_t hash, const char *text)
{
    bool left_out = false;
    bool in_time = false;
    for (const char *line = text; *line != '\0';) {
        const char *end = strchr(line, '\n');
        size_t length = end != NULL ? (size_t)(end - line) + 1 : strlen(line);
        if (line[0] != ' ' && line[0] != '-') {
            left_out = starts_with(line, "about:") || starts_with(line, "output:");
            in_time = starts_with(line, "time:");
        }
        bool frames = in_time && starts_with(line + strspn(line, " "), "frames:");
        if (!left_out && !frames) hash = pli_hash_bytes(hash, line, length);
        line += length;
    }
    return hash;
}

static uint64_t hash_array(uint64_t hash, const void *data, size_t bytes)
{
    return data != NULL ? pli_hash_bytes(hash, data, bytes) : hash;
}

static uint64_t hash_mesh(uint64_t hash, const pli_model *model)
{
    pli_mesh_view mesh = pli_model_get_mesh(model);
    size_t vertices = (size_t)mesh.vertex_count;
    hash = hash_array(hash, mesh.rest_positions, 3 * vertices * sizeof(double));
    hash = hash_array(hash, mesh.masses, vertices * sizeof(double));
    hash = hash_array(hash, mesh.triangles, 3 * (size_t)mesh.triangle_count * sizeof(int32_t));
    return hash_array(hash, mesh.tets, 4 * (size_t)mesh.tet_count * sizeof(int32_t));
}

// The mesh, or the particles at the start. Errors: memory.
static pli_status hash_model(const pli_model *model, uint64_t *hash)
{
    pli_model_info info = pli_model_get_info(model);
    *hash = hash_mesh(*hash, model);
    if (info.particle_count == 0) return PLI_OK;
    pli_state *start = NULL;
    PLI_TRY(pli_state_create(model, &start));
    uint64_t particles = pli_state_hash(start);
    *hash = pli_hash_bytes(*hash, &particles, sizeof particles);
    pli_state_destroy(start);
    return PLI_OK;
}

// ---- the object -------------------------------------------------------------------------------

// Says where the arrays of a state are now: those of particles move when there are more of them.
static void list_arrays(pli_saved_state *saved, pli_state *state)
{
    for (int32_t i = 0; i < saved->array_count; ++i) {
        (void)pli_state_get_array(state, i, &saved->arrays[i]);
    }
}

pli_status pli_saved_state_init(pli_saved_state *saved, const pli_scene *scene,
                                const pli_model *model, pli_state *state)
{
    *saved = (pli_saved_state){.context = pli_scene_context(scene), .model = model, .state = state};
    pli_status status = pli_scene_to_yaml(scene, NULL, &saved->scene_text);
    if (status == PLI_OK) {
        saved->scene_hash = hash_scene(PLI_HASH_START, saved->scene_text);
        status = hash_model(model, &saved->scene_hash);
    }
    if (status == PLI_OK) {
        pli_state_array array;
        while (pli_state_get_array(state, saved->array_count, &array)) ++saved->array_count;
        status = PLI_MAKE(saved->context, saved->arrays, saved->array_count, "state arrays");
    }
    if (status != PLI_OK) pli_saved_state_clear(saved);
    return status;
}

void pli_saved_state_clear(pli_saved_state *saved)
{
    if (saved->context == NULL) return;
    pli_text_free(saved->context, saved->scene_text);
    pli_release(saved->context, saved->arrays);
    *saved = (pli_saved_state){.context = saved->context};
}

static pli_checkpoint_def describe(const pli_saved_state *saved, const char *folder)
{
    return (pli_checkpoint_def){.folder = folder,
                                .files = saved->files,
                                .prefix = saved->prefix,
                                .scene_hash = saved->scene_hash,
                                .scene_text = saved->scene_text,
                                .step = pli_state_get(saved->state).step,
                                .time = pli_state_get(saved->state).time,
                                .array_count = saved->array_count,
                                .arrays = saved->arrays};
}

pli_status pli_saved_state_save(pli_saved_state *saved, const char *folder)
{
    list_arrays(saved, saved->state);
    pli_checkpoint_def def = describe(saved, folder);
    return pli_checkpoint_write(saved->context, &def);
}

// a state that is being filled
typedef struct filling {
    pli_saved_state *saved;
    pli_state *state;
} filling;

static pli_status set_particle_count(void *user, int64_t count)
{
    const filling *job = user;
    PLI_TRY(pli_state_set_particle_count(job->state, count));
    list_arrays(job->saved, job->state);
    return PLI_OK;
}

// step and time are part of the state's arrays, too
static pli_status check_step(const pli_saved_state *saved, const pli_state *state,
                             const pli_checkpoint_info *info, const char *folder)
{
    if (pli_state_get(state).step == info->step) return PLI_OK;
    return PLI_FAIL(saved->context, PLI_ERROR_IO,
                    "%s: the newest checkpoint says that it is of step %lld, but holds the state "
                    "of step %lld",
                    folder, (long long)info->step, (long long)pli_state_get(state).step);
}

pli_status pli_saved_state_load(pli_saved_state *saved, const char *folder)
{
    pli_checkpoint_info info;
    filling job = {.saved = saved};
    PLI_TRY(pli_state_create(saved->model, &job.state));
    list_arrays(saved, job.state);
    pli_checkpoint_def def = describe(saved, folder);
    def.set_particle_count = set_particle_count;
    def.user = &job;
    pli_status status = pli_checkpoint_read_newest(saved->context, &def, &info);
    if (status == PLI_OK) status = check_step(saved, job.state, &info, folder);
    if (status == PLI_OK) status = pli_state_copy(job.state, saved->state);
    pli_state_destroy(job.state);
    return status;
}

// ---- the public calls -------------------------------------------------------------------------

pli_status pli_checkpoint_save(const pli_scene *scene, const pli_model *model, pli_state *state,
                               const char *folder)
{
    pli_saved_state saved;
    PLI_TRY(pli_saved_state_init(&saved, scene, model, state));
    pli_status status = pli_saved_state_save(&saved, folder);
    pli_saved_state_clear(&saved);
    return status;
}

pli_status pli_checkpoint_load(const pli_scene *scene, const pli_model *model, const char *folder,
                               pli_state *state)
{
    pli_saved_state saved;
    PLI_TRY(pli_saved_state_init(&saved, scene, model, state));
    pli_status status = pli_saved_state_load(&saved, folder);
    pli_saved_state_clear(&saved);
    return status;
}
