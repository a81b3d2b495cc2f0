// SPDX-License-Identifier: Apache-2.0
#include "sim/model/resolution.h"

#include "base/context.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>

// what positions may be rounded by: of an edge, refused and warned of, and of a distance of contact
static const double coarsest_strain = 1e-6, coarse_strain = 1e-8, coarsest_gap = 1e-3;

double pli_resolution_sum_edges(const double *points, const int32_t *elements, int64_t count,
                                int size, int64_t *edges)
{
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) {
        const int32_t *corners = elements + size * k;
        for (int a = 0; a < size; ++a) {
            for (int b = 0; b < a; ++b) {
                sum += pli_vec3_distance(points + 3 * (int64_t)corners[a],
                                         points + 3 * (int64_t)corners[b]);
                ++*edges;
            }
        }
    }
    return sum;
}

static double mean_edge(const pli_model *model, const pli_model_body *body)
{
    int64_t edges = 0;
    double sum = pli_resolution_sum_edges(model->rest, model->tets + 4 * (int64_t)body->first_tet,
                                          body->tet_count, 4, &edges);
    sum +=
        pli_resolution_sum_edges(model->rest, model->triangles + 3 * (int64_t)body->first_triangle,
                                 body->triangle_count, 3, &edges);
    return edges > 0 ? sum / (double)edges : 0;
}

// Largest coordinate of a body, at rest and at the start (m).
static double farthest(const pli_model *model, const pli_model_body *body)
{
    double far = 0;
    int64_t first = 3 * (int64_t)body->first_vertex;
    for (int64_t k = first; k < first + 3 * (int64_t)body->vertex_count; ++k) {
        far = fmax(far, fmax(fabs(model->rest[k]), fabs(model->start[k])));
    }
    return far;
}

static pli_status check_body(const pli_model *model, const pli_model_body *body)
{
    double far = farthest(model, body), grain = far * DBL_EPSILON, edge = mean_edge(model, body);
    if (edge > 0 && grain > coarsest_strain * edge) {
        return PLI_FAIL(model->context, PLI_ERROR_SCENE,
                        "body %s: %g m from the origin positions are %.2g m apart, too coarse for "
                        "edges of %.2g m; move the scene to within %.2g m of the origin",
                        body->name, far, grain, edge, coarsest_strain * edge / DBL_EPSILON);
    }
    double distance = model->contact.method == PLI_CONTACT_BARRIER ? model->contact.distance : 0;
    if (distance > 0 && grain > coarsest_gap * distance) {
        return PLI_FAIL(model->context, PLI_ERROR_SCENE,
                        "body %s: %g m from the origin positions are %.2g m apart, too coarse for "
                        "contact.distance of %.2g m; move the scene to within %.2g m of the origin",
                        body->name, far, grain, distance, coarsest_gap * distance / DBL_EPSILON);
    }
    if (edge > 0 && grain > coarse_strain * edge) {
        PLI_LOG(model->context, PLI_LOG_WARNING,
                "body %s: %g m from the origin positions are %.2g m apart, and strains of edges of "
                "%.2g m are rounded to %.1g; nearer to the origin they are finer",
                body->name, far, grain, edge, grain / edge);
    }
    return PLI_OK;
}

pli_status pli_resolution_check(const pli_model *model)
{
    for (int32_t k = 0; k < model->body_count; ++k) PLI_TRY(check_body(model, &model->bodies[k]));
    return PLI_OK;
}
