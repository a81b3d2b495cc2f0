// SPDX-License-Identifier: Apache-2.0
//
// Volumes of particles from the density that the grid has around them at the start:
//
//   m_i = sum_p m_p w_ip,    rho_p = sum_i m_i / dx^3 w_ip,    V_p = m_p / rho_p
//
// with quadratic splines (Gast et al. 2015, section 6.1, step 2). It evens out what a pattern
// without order does to the stress: where particles are crowded, each stands for less. At a free
// surface the grid sees about half of the density, and volumes are larger than the shape has.
#include "sim/model/matter_build.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"
#include "mpm/implicit/cloud.h"
#include "sim/scene/scene.h"

enum { GRAIN = 4096 };

static bool wants_density(const pli_scene_def *def, int32_t source)
{
    // emitters come after bodies
    if (source >= def->body_count) return false;
    const pli_particles_def *particles = def->bodies[source].geometry.data;
    return particles->volumes == PLI_VOLUMES_DENSITY;
}

// ---- the density around particles

static pli_status create_cloud(const pli_matter *matter, pli_cloud **cloud)
{
    int64_t count = matter->kind_count;
    *cloud = NULL;
    pli_cloud_kind *kinds = PLI_NEW(matter->context, pli_cloud_kind, count, "kinds");
    if (kinds == NULL) return PLI_ERROR_MEMORY;
    for (int64_t k = 0; k < count; ++k) {
        kinds[k] = (pli_cloud_kind){matter->kinds[k].mass, matter->kinds[k].matter.volume};
    }
    pli_cloud_def def = {.spline = PLI_SPLINE_QUADRATIC,
                         .dx = matter->dx,
                         .kind_count = matter->kind_count,
                         .kinds = kinds};
    pli_vec3_copy(matter->origin, def.origin);
    pli_status status = pli_cloud_create(matter->context, &def, cloud);
    pli_release(matter->context, kinds);
    return status;
}

static pli_status load_cloud(const pli_matter *matter, pli_cloud *cloud)
{
    const pli_matter_state *start = &matter->start;
    pli_cloud_source source = {.count = start->count,
                               .position = start->position,
                               .velocity = start->velocity,
                               .affine = start->affine,
                               .deformation = start->deformation,
                               .memory = start->memory,
                               .kind = start->kind};
    return pli_cloud_build(cloud, &source);
}

// density [count][3]: what nodes have goes to particles as if it were the x of a velocity.
static pli_status interpolate(const pli_matter *matter, pli_cloud *cloud, double *density)
{
    double cell = matter->dx * matter->dx * matter->dx;
    int64_t nodes = cloud->nodes->count;
    double *mass = PLI_NEW(matter->context, double, nodes, "mass of nodes");
    double *field = PLI_NEW(matter->context, double, 3 * nodes, "density of nodes");
    pli_status status = PLI_ERROR_MEMORY;
    if (mass == NULL || field == NULL) goto done;
    pli_cloud_to_nodes(cloud, false, mass, field);
    for (int64_t k = 0; k < nodes; ++k) pli_vec3_set(mass[k] / cell, 0, 0, field + 3 * k);
    pli_cloud_pull pull = {.velocity = field};
    pli_cloud_from_nodes(cloud, &pull);
    pli_cloud_target to = {.velocity = density};
    pli_cloud_store(cloud, &to);
    status = PLI_OK;

done:
    PLI_RELEASE(matter->context, field, mass);
    return status;
}

static pli_status find_density(const pli_matter *matter, double *density)
{
    pli_cloud *cloud = NULL;
    PLI_TRY(create_cloud(matter, &cloud));
    pli_status status = load_cloud(matter, cloud);
    if (status == PLI_OK) status = interpolate(matter, cloud, density);
    pli_cloud_destroy(cloud);
    return status;
}

// ---- volumes

typedef struct volume_job {
    pli_matter *matter;
    const pli_scene_def *def;
    const double *density; // [count][3], of which the first is meant
} volume_job;

// Ids of the start are 0, 1, 2 ... in some order.
static void divide(void *user, int64_t begin, int64_t end)
{
    const volume_job *job = user;
    const pli_matter_state *start = &job->matter->start;
    for (int64_t row = begin; row < end; ++row) {
        const pli_matter_kind *kind = &job->matter->kinds[start->kind[row]];
        bool wanted = wants_density(job->def, kind->source);
        job->matter->volumes[start->id[row]] =
            wanted ? kind->mass / job->density[3 * row] : kind->matter.volume;
    }
}

pli_status pli_matter_find_volumes(pli_matter *matter, const pli_scene *scene)
{
    volume_job job = {.matter = matter, .def = pli_scene_get(scene)};
    int64_t count = matter->start.count;
    bool wanted = false;
    for (int32_t k = 0; k < job.def->body_count; ++k) wanted = wanted || wants_density(job.def, k);
    if (!wanted) return PLI_OK;
    double *density = PLI_NEW(matter->context, double, 3 * count, "density of particles");
    matter->volumes = PLI_NEW(matter->context, double, count, "volumes of particles");
    pli_status status = PLI_ERROR_MEMORY;
    if (density != NULL && matter->volumes != NULL) status = find_density(matter, density);
    if (status == PLI_OK) {
        job.density = density;
        matter->volume_count = count;
        pli_parallel_for(matter->context, count, GRAIN, divide, &job);
    }
    pli_release(matter->context, density);
    return status;
}
