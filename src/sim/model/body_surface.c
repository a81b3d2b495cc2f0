// SPDX-License-Identifier: Apache-2.0
#include "sim/model/body_surface.h"

#include "base/memory.h"
#include "geometry/mesh/surface.h"
#include "math/vec3.h"

#include <string.h>

// Copies triangles of the mesh; a mirrored body has its triangles the other way round.
static pli_status copy_triangles(pli_body_surface *s, const pli_body_def *def, int32_t count,
                                 const int32_t *triangles)
{
    bool mirrored = def->scale[0] * def->scale[1] * def->scale[2] < 0;
    PLI_TRY(PLI_MAKE(s->context, s->triangles, 3 * (int64_t)count, "surface"));
    s->triangle_count = count;
    for (int64_t k = 0; k < 3 * (int64_t)count; ++k) {
        int64_t from = mirrored ? 3 * (k / 3) + (3 - k % 3) % 3 : k;
        s->triangles[k] = triangles[from];
    }
    return PLI_OK;
}

static pli_status collect_triangles(pli_body_surface *s, const pli_body_def *def,
                                    const pli_body_mesh *mesh)
{
    if (mesh->solid == NULL) return copy_triangles(s, def, mesh->cell_count, mesh->cells);
    pli_surface *surface = NULL;
    PLI_TRY(pli_surface_create(mesh->solid, &surface));
    pli_status status = copy_triangles(s, def, surface->triangle_count, surface->triangles);
    pli_surface_destroy(surface);
    return status;
}

static pli_status select_from(pli_body_surface *s, const pli_selection_source *source,
                              const pli_variant *where)
{
    PLI_TRY(PLI_MAKE(s->context, s->vertex_mask, source->mesh->vertex_count, "selection"));
    PLI_TRY(PLI_MAKE(s->context, s->mask, s->triangle_count, "selection"));
    s->selected_vertices = pli_selection_mark_vertices(where, source, s->vertex_mask);
    PLI_TRY(pli_selection_mark_triangles(where, source, s->triangle_count, s->triangles,
                                         s->vertex_mask, s->mask));
    for (int32_t k = 0; k < s->triangle_count; ++k) s->selected_triangles += s->mask[k];
    return PLI_OK;
}

pli_status pli_body_surface_init(const pli_model *model, int32_t body, const pli_body_def *def,
                                 const pli_body_mesh *mesh, const pli_variant *where,
                                 pli_body_surface *surface)
{
    *surface = (pli_body_surface){.context = model->context};
    int32_t first = model->bodies[body].first_vertex;
    pli_selection_source source = {
        .body = def, .mesh = mesh, .points = model->rest + 3 * (int64_t)first};
    pli_status status = collect_triangles(surface, def, mesh);
    if (status == PLI_OK) status = select_from(surface, &source, where);
    if (status != PLI_OK) {
        pli_body_surface_clear(surface);
        return status;
    }
    for (int64_t k = 0; k < 3 * (int64_t)surface->triangle_count; ++k) {
        surface->triangles[k] += first;
    }
    return PLI_OK;
}

void pli_body_surface_clear(pli_body_surface *surface)
{
    PLI_RELEASE(surface->context, surface->mask, surface->vertex_mask, surface->triangles);
    *surface = (pli_body_surface){0};
}

double pli_model_enclosed_volume(const pli_model *model, int32_t triangle_count,
                                 const int32_t *triangles)
{
    double sum = 0;
    for (int64_t t = 0; t < triangle_count; ++t) {
        const int32_t *corner = triangles + 3 * t;
        const double *origin = model->start + 3 * (int64_t)triangles[0];
        double at[3][3], n[3];
        for (int k = 0; k < 3; ++k) {
            pli_vec3_subtract(model->start + 3 * (int64_t)corner[k], origin, at[k]);
        }
        pli_vec3_cross(at[1], at[2], n);
        sum += pli_vec3_dot(at[0], n) / 6;
    }
    return sum;
}
