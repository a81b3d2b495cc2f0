// SPDX-License-Identifier: Apache-2.0
#include "check_matter.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *const boundary_names[] = {[PLI_BOUNDARY_SEPARATE] = "separate",
                                             [PLI_BOUNDARY_SLIP] = "slip",
                                             [PLI_BOUNDARY_STICKY] = "sticky"};

static int64_t count_steps(const pli_scene_def *scene)
{
    return (int64_t)scene->time.frames * scene->time.steps_per_frame;
}

// How many particles there are of a kind.
static int64_t count_kind(const pli_particle_view *particles, int32_t kind)
{
    int64_t count = 0;
    for (int64_t row = 0; row < particles->count; ++row) count += particles->kinds[row] == kind;
    return count;
}

// ---- lines

static void print_kinds(const pli_model *model, const pli_scene_def *scene,
                        const pli_particle_view *particles)
{
    int32_t count = pli_model_get_info(model).kind_count;
    printf("# kinds       %d\n", (int)count);
    for (int32_t k = 0; k < count; ++k) {
        pli_kind_info kind = pli_model_get_kind(model, k);
        printf("#   %s of %s: %" PRId64 " of %.4g kg, %.4g m^3\n", kind.source,
               scene->materials[kind.material].name, count_kind(particles, k), kind.mass,
               kind.volume);
    }
}

static void print_emitters(const pli_scene_def *scene)
{
    if (scene->emitter_count > 0) printf("# emitters    %d\n", (int)scene->emitter_count);
    for (int32_t k = 0; k < scene->emitter_count; ++k) {
        const pli_emitter_def *emitter = &scene->emitters[k];
        const double *v = emitter->velocity;
        printf("#   %s: %s at (%.4g, %.4g, %.4g) m/s, from %.4g s ", emitter->name,
               emitter->material, v[0], v[1], v[2], emitter->begin);
        if (emitter->end > 0) {
            printf("to %.4g s", emitter->end);
        } else {
            printf("on");
        }
        bool moves = emitter->motion.segment_count > 0 || emitter->motion.keyframe_count > 0;
        printf("%s\n", moves ? ", moved by a script" : "");
    }
}

static void print_domain(const pli_model_info *info, const pli_scene_def *scene)
{
    const double *min = info->domain_min, *max = info->domain_max;
    printf("# cell        %.4g m\n", info->cell);
    if (info->cfl > 0) printf("# nodes       %" PRId64 " at the start\n", info->node_count);
    printf("# domain      (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g) m, %.0f x %.0f x %.0f cells\n",
           min[0], min[1], min[2], max[0], max[1], max[2], (max[0] - min[0]) / info->cell,
           (max[1] - min[1]) / info->cell, (max[2] - min[2]) / info->cell);
    printf("# walls       %s, friction %.4g\n", boundary_names[scene->domain.walls],
           scene->domain.friction);
}

static void print_colliders(const pli_scene_def *scene)
{
    if (scene->collider_count > 0) printf("# colliders   %d\n", (int)scene->collider_count);
    for (int32_t k = 0; k < scene->collider_count; ++k) {
        const pli_collider_def *collider = &scene->colliders[k];
        printf("#   %s: %s, friction %.4g\n", collider->name, boundary_names[collider->boundary],
               collider->friction);
    }
}

// What ends a substep of an implicit step.
static void print_tolerance(const pli_model_info *info)
{
    bool is_force = info->tolerance_unit[0] != '\0';
    if (info->fixed_iterations > 0) {
        printf("# iterations  %d a substep\n", (int)info->fixed_iterations);
    } else {
        printf("# tolerance   %.4g %s\n", info->tolerance,
               is_force ? info->tolerance_unit : "of the force scale");
    }
}

static void print_steps(const pli_model_info *info, const pli_scene_def *scene)
{
    int64_t steps = count_steps(scene);
    double tick = scene->solver.steps.tick;
    printf("# steps       %" PRId64 " of %.4g s, %.4g s in all\n", steps, info->dt,
           (double)steps * info->dt);
    printf("# solver      %s, ", info->solver);
    if (info->cfl > 0) {
        printf("in substeps of at most %.4g cells of motion\n", info->cfl);
        print_tolerance(info);
    } else if (tick > 0) {
        printf("in ticks of %.4g s\n", tick);
    } else {
        printf("in shorter steps, as stability wants them\n");
    }
    printf("# substeps    %.4g a step or more, as fast as matter is at the start; at most %" PRId64
           "\n",
           fmax(1, info->substeps), info->max_substeps);
}

// The particles at the start; without memory for them, none.
static pli_state *start_of(const pli_model *model, pli_particle_view *particles)
{
    pli_state *state = NULL;
    *particles = (pli_particle_view){0};
    if (pli_state_create(model, &state) == PLI_OK) *particles = pli_state_get(state).particles;
    return state;
}

void pli_cli_print_matter(const pli_model *model, const pli_scene_def *scene)
{
    pli_particle_view particles;
    pli_model_info info = pli_model_get_info(model);
    pli_state *start = start_of(model, &particles);
    printf("# bodies      %d\n", (int)scene->body_count);
    printf("# particles   %" PRId64 "%s\n", info.particle_count,
           info.emitter_count > 0 ? " at the start" : "");
    print_kinds(model, scene, &particles);
    print_emitters(scene);
    print_domain(&info, scene);
    print_colliders(scene);
    printf("# mass        %.4g kg\n", info.mass);
    print_steps(&info, scene);
    pli_state_destroy(start);
}

// ---- JSON

static void put_vector(pli_cli_json *json, const char *key, const double v[3])
{
    pli_cli_json_begin(json, key, '[');
    for (int k = 0; k < 3; ++k) pli_cli_json_real(json, NULL, v[k]);
    pli_cli_json_end(json, ']');
}

static void put_kinds(pli_cli_json *json, const pli_model *model, const pli_scene_def *scene,
                      const pli_particle_view *particles)
{
    pli_cli_json_begin(json, "kinds", '[');
    int32_t count = pli_model_get_info(model).kind_count;
    for (int32_t k = 0; k < count; ++k) {
        pli_kind_info kind = pli_model_get_kind(model, k);
        pli_cli_json_begin(json, NULL, '{');
        pli_cli_json_text(json, "source", kind.source);
        pli_cli_json_text(json, "material", scene->materials[kind.material].name);
        pli_cli_json_integer(json, "particles", count_kind(particles, k));
        pli_cli_json_real(json, "mass", kind.mass);
        pli_cli_json_real(json, "volume", kind.volume);
        pli_cli_json_end(json, '}');
    }
    pli_cli_json_end(json, ']');
}

static void put_colliders(pli_cli_json *json, const pli_scene_def *scene)
{
    pli_cli_json_begin(json, "colliders", '[');
    for (int32_t k = 0; k < scene->collider_count; ++k) {
        pli_cli_json_begin(json, NULL, '{');
        pli_cli_json_text(json, "name", scene->colliders[k].name);
        pli_cli_json_text(json, "boundary", boundary_names[scene->colliders[k].boundary]);
        pli_cli_json_real(json, "friction", scene->colliders[k].friction);
        pli_cli_json_end(json, '}');
    }
    pli_cli_json_end(json, ']');
}

// What only implicit steps have.
static void put_grid(pli_cli_json *json, const pli_model_info *info)
{
    pli_cli_json_integer(json, "nodes", info->node_count);
    pli_cli_json_real(json, "cfl", info->cfl);
    pli_cli_json_real(json, "tolerance", info->tolerance);
    pli_cli_json_text(json, "tolerance_unit", info->tolerance_unit);
    pli_cli_json_integer(json, "fixed_iterations", info->fixed_iterations);
}

void pli_cli_put_matter(pli_cli_json *json, const pli_model *model, const pli_scene_def *scene)
{
    pli_particle_view particles;
    pli_model_info info = pli_model_get_info(model);
    pli_state *start = start_of(model, &particles);
    pli_cli_json_integer(json, "bodies", scene->body_count);
    pli_cli_json_integer(json, "particles", info.particle_count);
    put_kinds(json, model, scene, &particles);
    pli_cli_json_begin(json, "emitters", '[');
    for (int32_t k = 0; k < scene->emitter_count; ++k) {
        pli_cli_json_text(json, NULL, scene->emitters[k].name);
    }
    pli_cli_json_end(json, ']');
    pli_cli_json_real(json, "cell", info.cell);
    pli_cli_json_begin(json, "domain", '{');
    put_vector(json, "min", info.domain_min);
    put_vector(json, "max", info.domain_max);
    pli_cli_json_text(json, "walls", boundary_names[scene->domain.walls]);
    pli_cli_json_end(json, '}');
    put_colliders(json, scene);
    pli_cli_json_real(json, "substeps", fmax(1, info.substeps));
    pli_cli_json_integer(json, "max_substeps", info.max_substeps);
    if (info.cfl > 0) put_grid(json, &info);
    pli_state_destroy(start);
}
