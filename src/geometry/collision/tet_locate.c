// SPDX-License-Identifier: Apache-2.0
#include "geometry/collision/tet_locate.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/collision/bvh.h"

enum { BOX_GRAIN = 2048 };

// rounding of a determinant of three differences, relative to the cube of the largest of them
static const double volume_rounding = 1e-14;

struct pli_tet_locate {
    pli_context *context;
    int32_t vertex_count;
    int32_t tet_count;
    const int32_t *tets; // [tet_count][4] borrowed
    pli_bvh *bvh;

    // rewritten by refit
    const double *x;   // [vertex_count][3] (m), borrowed
    pli_bounds *boxes; // [tet_count]
    double *centers;   // [tet_count][3] scratch of rebuilding
};

static const double *corner_of(const pli_tet_locate *locate, int32_t tet, int corner)
{
    return locate->x + 3 * (int64_t)locate->tets[4 * (int64_t)tet + corner];
}

static void fill_boxes(void *user, int64_t begin, int64_t end)
{
    const pli_tet_locate *locate = user;
    for (int64_t tet = begin; tet < end; ++tet) {
        pli_bounds box = pli_bounds_empty();
        for (int k = 0; k < 4; ++k) pli_bounds_add_point(&box, corner_of(locate, (int32_t)tet, k));
        locate->boxes[tet] = box;
    }
}

static pli_status check_corners(pli_context *context, int32_t vertex_count, int32_t tet_count,
                                const int32_t *tets)
{
    if (vertex_count < 0 || tet_count < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "%d vertices and %d tetrahedra; numbers must not be negative", vertex_count,
                        tet_count);
    }
    for (int64_t k = 0; k < 4 * (int64_t)tet_count; ++k) {
        if (tets[k] >= 0 && tets[k] < vertex_count) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "tetrahedron %d has vertex %d, must be at least 0 and below %d",
                        (int)(k / 4), tets[k], vertex_count);
    }
    return PLI_OK;
}

pli_status pli_tet_locate_create(pli_context *context, int32_t vertex_count, const double *x,
                                 int32_t tet_count, const int32_t *tets, pli_tet_locate **out)
{
    *out = NULL;
    PLI_TRY(check_corners(context, vertex_count, tet_count, tets));
    pli_tet_locate *locate = PLI_NEW(context, pli_tet_locate, 1, "tet locate");
    if (locate == NULL) return PLI_ERROR_MEMORY;
    pli_status status = PLI_ERROR_MEMORY;
    int64_t count = tet_count;
    locate->context = context;
    locate->vertex_count = vertex_count;
    locate->tet_count = tet_count;
    locate->x = x;
    locate->tets = tets;
    locate->boxes = PLI_NEW(context, pli_bounds, count, "tet locate boxes");
    locate->centers = PLI_NEW(context, double, 3 * count, "tet locate centres");
    if (locate->boxes == NULL || locate->centers == NULL) goto done;
    pli_parallel_for(context, count, BOX_GRAIN, fill_boxes, locate);
    status = pli_bvh_create(context, tet_count, locate->boxes, &locate->bvh);
    if (status == PLI_OK) *out = locate;

done:
    if (status != PLI_OK) pli_tet_locate_destroy(locate);
    return status;
}

void pli_tet_locate_destroy(pli_tet_locate *locate)
{
    if (locate == NULL) return;
    pli_bvh_destroy(locate->bvh);
    PLI_RELEASE(locate->context, locate->centers, locate->boxes, locate);
}

void pli_tet_locate_refit(pli_tet_locate *locate, const double *x)
{
    locate->x = x;
    pli_parallel_for(locate->context, locate->tet_count, BOX_GRAIN, fill_boxes, locate);
    pli_bvh_update(locate->bvh, locate->boxes, locate->centers);
}

// whether two volumes have different signs beyond doubt
static bool are_opposite(double a, double b, double rounding)
{
    return (a > rounding && b < -rounding) || (a < -rounding && b > rounding);
}

bool pli_tet_contains(const double *const corners[4], const double point[3])
{
    // corners as seen from the point, and the box around them
    double r[4][3];
    pli_bounds box = pli_bounds_empty();
    for (int i = 0; i < 4; ++i) {
        pli_vec3_subtract(corners[i], point, r[i]);
        pli_bounds_add_point(&box, r[i]);
    }
    double size = 0;
    for (int k = 0; k < 3; ++k) {
        if (!(box.min[k] <= 0 && box.max[k] >= 0)) return false;
        size = pli_larger(size, pli_larger(-box.min[k], box.max[k]));
    }

    // six times the volumes with corner i replaced by the point; their sum is that of the whole
    double V[4];
    double rounding = volume_rounding * size * size * size;
    V[0] = pli_vec3_triple(r[1], r[2], r[3]);
    V[1] = -pli_vec3_triple(r[0], r[2], r[3]);
    if (are_opposite(V[0], V[1], rounding)) return false;
    V[2] = pli_vec3_triple(r[0], r[1], r[3]);
    V[3] = -pli_vec3_triple(r[0], r[1], r[2]);
    double whole = V[0] + V[1] + V[2] + V[3];
    if (!(fabs(whole) > rounding)) return false;
    double sign = whole > 0 ? 1 : -1;
    for (int i = 0; i < 4; ++i) {
        if (!(sign * V[i] >= -rounding)) return false;
    }
    return true;
}

// a query and the mesh it goes to
typedef struct locate_user {
    const pli_tet_locate *locate;
    const pli_tet_query *query;
} locate_user;

static bool visit_tet(void *user, int32_t tet)
{
    const locate_user *u = user;
    const pli_tet_locate *locate = u->locate;
    const pli_tet_query *query = u->query;
    const int32_t *t = locate->tets + 4 * (int64_t)tet;
    int32_t skip = query->skip_vertex;
    if (t[0] == skip || t[1] == skip || t[2] == skip || t[3] == skip) return true;
    if (query->want != NULL && !query->want(query->user, tet)) return true;
    const double *corners[4];
    for (int k = 0; k < 4; ++k) corners[k] = corner_of(locate, tet, k);
    if (!pli_tet_contains(corners, query->point)) return true;
    return query->visit(query->user, tet);
}

void pli_tet_locate_query(const pli_tet_locate *locate, const pli_tet_query *query)
{
    const double *p = query->point;
    if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) return;
    locate_user user = {locate, query};
    pli_bounds box = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
    pli_bvh_query_box(locate->bvh, &box, visit_tet, &user);
}
