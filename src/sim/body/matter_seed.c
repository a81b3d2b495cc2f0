// SPDX-License-Identifier: Apache-2.0
//
// Bodies of particles: a shape is filled, copy by copy, and what is in regions gets other matter.
#include "sim/model/matter_build.h"

#include "base/memory.h"
#include "base/random.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "sim/body/body_copy.h"
#include "sim/body/body_size.h"
#include "sim/body/selection.h"
#include "sim/body/shape_build.h"
#include "sim/scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    STRETCH_STREAM = 0x57e7
}; // of random numbers, so that other uses of a seed are not disturbed

// a body that is being filled
typedef struct filling {
    pli_matter *matter;
    const pli_scene *scene;
    const pli_body_def *def;
    int32_t body;
    pli_shape_set *shapes;
    const pli_shape *shape; // in the body's own coordinates
    int64_t count;
    int64_t room;
    double *position; // [room][3] (m)
    double *velocity; // [room][3] (m/s)
    double volume;    // of all particles together (m^3)
    int32_t *region;  // [room] that a particle is in, -1: in none
} filling;

// ---- copies

// x = A X + offset with A = scale times rotation.
static pli_status place_shape(const filling *f, int32_t copy, const pli_shape **shape)
{
    pli_shape_placement placement;
    double A[9];
    pli_body_copy_place(f->def, pli_scene_get(f->scene)->seed, f->body, copy, A,
                        placement.translation);
    placement.scale = cbrt(pli_mat3_determinant(A));
    for (int k = 0; k < 9; ++k) placement.rotation[k] = A[k] / placement.scale;
    return pli_shape_transform(f->shapes, f->shape, &placement, shape);
}

static pli_status grow(filling *f, int64_t count)
{
    pli_context *context = f->matter->context;
    if (count <= f->room) return PLI_OK;
    PLI_TRY(PLI_RESIZE(context, f->position, 3 * count, "seeds"));
    PLI_TRY(PLI_RESIZE(context, f->velocity, 3 * count, "seeds"));
    PLI_TRY(PLI_RESIZE(context, f->region, count, "seeds"));
    f->room = count;
    return PLI_OK;
}

// v = velocity + w x (x - c), c the centre of mass of the copy
static void set_velocities(filling *f, int64_t first)
{
    double center[3] = {0, 0, 0}, spin[3], arm[3], turned[3];
    double share = 1.0 / (double)(f->count - first);
    for (int64_t k = first; k < f->count; ++k) {
        pli_vec3_add_scaled(center, share, f->position + 3 * k, center);
    }
    pli_vec3_scale(pli_radians_per_degree, f->def->angular_velocity, spin);
    for (int64_t k = first; k < f->count; ++k) {
        pli_vec3_subtract(f->position + 3 * k, center, arm);
        pli_vec3_cross(spin, arm, turned);
        pli_vec3_add(f->def->velocity, turned, f->velocity + 3 * k);
    }
}

static pli_status fill_copy(filling *f, int32_t copy)
{
    const pli_particles_def *def = f->def->geometry.data;
    pli_seeding_def seeding_def = pli_matter_seeding(f->matter, f->scene, &def->filling);
    const pli_shape *shape = NULL;
    pli_seeding *seeding = NULL;
    PLI_TRY(place_shape(f, copy, &shape));
    PLI_TRY(pli_seeding_create_in_shape(f->matter->context, &seeding_def, shape, &seeding));
    pli_status status = grow(f, f->count + seeding->count);
    if (status == PLI_OK && seeding->count > 0) {
        int64_t first = f->count;
        memcpy(f->position + 3 * first, seeding->positions,
               3 * (size_t)seeding->count * sizeof(double));
        f->count += seeding->count;
        f->volume += seeding->count * seeding->volume;
        set_velocities(f, first);
    }
    pli_seeding_destroy(seeding);
    return status;
}

// ---- matter

// The last region that a particle is in.
static void find_regions(filling *f)
{
    for (int64_t k = 0; k < f->count; ++k) {
        f->region[k] = -1;
        for (int32_t r = 0; r < f->def->region_count; ++r) {
            if (pli_selection_contains(&f->def->regions[r].where, f->position + 3 * k)) {
                f->region[k] = r;
            }
        }
    }
}

// The spin of the body as the gradient of its velocity.
static void set_affine(const filling *f, double affine[9])
{
    double w[3];
    pli_vec3_scale(pli_radians_per_degree, f->def->angular_velocity, w);
    const double C[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    for (int k = 0; k < 9; ++k) affine[k] = C[k];
}

// F = diag(s) of particle `id`. Fluids, of which volume alone counts, have log J in their memory.
static void set_stretch(const filling *f, int32_t id, bool is_fluid, double F[9], double *memory)
{
    const pli_particles_def *def = f->def->geometry.data;
    const pli_stretch_def *stretch = &def->stretch;
    pli_random random = {(uint64_t)(uint32_t)pli_scene_get(f->scene)->seed, STRETCH_STREAM};
    double s[3];
    for (int k = 0; k < 3; ++k) {
        s[k] = stretch->fixed[k];
        if (stretch->random_count != 2) continue;
        uint64_t index = 3 * (uint64_t)id + (uint64_t)k;
        s[k] = pli_random_range(random, index, stretch->random[0], stretch->random[1]);
    }
    pli_mat3_identity(F);
    if (is_fluid) {
        *memory = log(s[0] * s[1] * s[2]);
    } else {
        for (int k = 0; k < 3; ++k) F[4 * k] = s[k];
    }
}

static void append_particle(filling *f, int64_t from, int32_t kind, double memory)
{
    pli_matter_state *state = &f->matter->start;
    int64_t to = state->count++;
    pli_vec3_copy(f->position + 3 * from, state->position + 3 * to);
    pli_vec3_copy(f->velocity + 3 * from, state->velocity + 3 * to);
    set_affine(f, state->affine + 9 * to);
    state->memory[to] = memory;
    state->kind[to] = kind;
    state->id[to] = (int32_t)state->next_id++;
    bool is_fluid = pli_material_is_fluid(&f->matter->kinds[kind].matter.material);
    set_stretch(f, state->id[to], is_fluid, state->deformation + 9 * to, state->memory + to);
}

// Adds the particles of one region, -1 for those in none, to the start.
static pli_status append_region(filling *f, int32_t region)
{
    const char *material = region < 0 ? f->def->material : f->def->regions[region].material;
    int32_t kind = -1;
    double memory = 0;
    for (int64_t k = 0; k < f->count; ++k) {
        if (f->region[k] != region) continue;
        if (kind < 0) {
            PLI_TRY(pli_matter_find_kind(f->matter, f->scene, f->body, material,
                                         f->volume / (double)f->count, &kind));
            memory = pli_material_rest_history(&f->matter->kinds[kind].matter.material);
        }
        append_particle(f, k, kind, memory);
    }
    return PLI_OK;
}

// Regions of the same matter become one, so that the order is that of kinds.
static void merge_regions(filling *f)
{
    int32_t count = f->def->region_count;
    for (int32_t r = count - 1; r >= 0; --r) {
        int32_t same = -1;
        if (strcmp(f->def->regions[r].material, f->def->material) != 0) {
            same = 0;
            while (strcmp(f->def->regions[same].material, f->def->regions[r].material) != 0) ++same;
        }
        for (int64_t k = 0; same != r && k < f->count; ++k) {
            if (f->region[k] == r) f->region[k] = same;
        }
    }
}

// Refuses more particles than there is memory for. The volume is sampled, some per cent off.
static pli_status check_count(const filling *f)
{
    enum { RESOLUTION = 48 };
    const pli_particles_def *def = f->def->geometry.data;
    pli_bounds bounds = pli_shape_bounds(f->shape);
    double volume = 0;
    if (!pli_bounds_is_finite(&bounds) || pli_bounds_is_empty(&bounds)) return PLI_OK;
    PLI_TRY(pli_shape_volume(f->matter->context, f->shape, RESOLUTION, &volume));
    const double *scale = f->def->scale;
    volume *= scale[0] * scale[1] * scale[2] * (double)pli_body_copy_count(f->def);
    return pli_body_check_particles(f->matter->context, volume, def->filling.per_cell,
                                    f->matter->dx);
}

static pli_status fill(filling *f)
{
    const pli_particles_def *def = f->def->geometry.data;
    PLI_TRY(pli_shape_build(f->shapes, &def->shape, &f->shape));
    PLI_TRY(check_count(f));
    int32_t copies = (int32_t)pli_body_copy_count(f->def);
    for (int32_t copy = 0; copy < copies; ++copy) PLI_TRY(fill_copy(f, copy));
    if (f->count == 0) {
        return PLI_FAIL(f->matter->context, PLI_ERROR_SCENE,
                        "the shape holds no particle; make it larger, or domain.cell smaller");
    }
    find_regions(f);
    merge_regions(f);
    PLI_TRY(pli_matter_state_reserve(&f->matter->start, f->matter->start.count + f->count));
    for (int32_t region = -1; region < f->def->region_count; ++region) {
        PLI_TRY(append_region(f, region));
    }
    return PLI_OK;
}

pli_status pli_matter_seed(pli_matter *matter, const pli_scene *scene, int32_t body)
{
    filling f = {
        .matter = matter, .scene = scene, .def = &pli_scene_get(scene)->bodies[body], .body = body};
    pli_status status = pli_shape_set_create(matter->context, &f.shapes);
    if (status == PLI_OK) status = fill(&f);
    pli_shape_set_destroy(f.shapes);
    PLI_RELEASE(matter->context, f.position, f.velocity, f.region);
    if (status == PLI_OK) return PLI_OK;
    char path[PLI_PATH_CAPACITY];
    snprintf(path, sizeof path, "bodies.%s.geometry", f.def->name);
    pli_visit at = {.path = path, .holder = f.def, .member = &f.def->geometry};
    return pli_scene_fail_again(scene, status, &at);
}
