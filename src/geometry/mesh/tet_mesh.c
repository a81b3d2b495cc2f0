// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/tet_mesh.h"

#include "base/memory.h"
#include "geometry/mesh/boundary.h"
#include "geometry/mesh/mesh_check.h"
#include "math/mat3.h"

#include <string.h>

// The volume of an element with shorter edges, and what is thin beside it, leaves the range of
// normal doubles.
static const double smallest_edge = 1e-90;

// An element thinner than this times the cube of its longest edge has no volume: coordinates carry
// sixteen digits, and a product of three differences keeps about twelve of them.
static const double flat_volume = 1e-12;

// One thinner than this is a sliver: its height is some hundred thousandth of its length, and
// stiffness and inertia of its corners differ by the square of that.
static const double sliver_volume = 1e-6;

double pli_tet_volume(const double x0[3], const double x1[3], const double x2[3],
                      const double x3[3])
{
    double a[3], b[3], c[3], n[3];
    pli_vec3_subtract(x1, x0, a);
    pli_vec3_subtract(x2, x0, b);
    pli_vec3_subtract(x3, x0, c);
    pli_vec3_cross(b, c, n);
    return pli_vec3_dot(a, n) / 6;
}

static const double *corner_point(const double *points, const int32_t *tet, int corner)
{
    return points + 3 * (int64_t)tet[corner];
}

static double longest_edge(const double *points, const int32_t *tet)
{
    double longest = 0;
    for (int i = 0; i < 4; ++i) {
        for (int j = i + 1; j < 4; ++j) {
            longest = fmax(longest, pli_vec3_distance(corner_point(points, tet, i),
                                                      corner_point(points, tet, j)));
        }
    }
    return longest;
}

static pli_status fail_elements(pli_context *context, const pli_offenders *offenders,
                                pli_tet_mesh_report *report, const char *what)
{
    char text[128];
    report->refused = *offenders;
    pli_offenders_text(offenders, text, sizeof text);
    return PLI_FAIL(context, PLI_ERROR_MESH, "tetrahedra %s %s", text, what);
}

// Refuses elements without volume, and inverted ones unless they may be turned around; notes those
// that have hardly any.
static pli_status check_volumes(pli_context *context, const pli_tet_mesh_def *def,
                                pli_tet_mesh_report *report)
{
    pli_offenders flat = {0};
    pli_offenders inverted = {0};
    pli_offenders tiny = {0};
    for (int32_t t = 0; t < def->tet_count; ++t) {
        const int32_t *tet = def->tets + 4 * (int64_t)t;
        double volume = pli_tet_volume_at(def->points, tet);
        double longest = longest_edge(def->points, tet);
        if (longest > 0 && longest < smallest_edge) pli_offenders_add(&tiny, t);
        if (!(fabs(volume) > flat_volume * longest * longest * longest)) {
            pli_offenders_add(&flat, t);
        } else if (volume < 0) {
            pli_offenders_add(&inverted, t);
        }
        if (fabs(volume) < sliver_volume * longest * longest * longest) {
            pli_offenders_add(&report->slivers, t);
        }
    }
    if (tiny.count > 0) {
        return fail_elements(context, &tiny, report,
                             "are so small that their volume does not fit into a number; the "
                             "longest edge must be 1e-90 m at least");
    }
    if (flat.count > 0) {
        return fail_elements(context, &flat, report,
                             "have no volume; their four corners must not lie in a plane");
    }
    if (inverted.count > 0 && !def->turn_inverted) {
        return fail_elements(context, &inverted, report,
                             "are inverted (negative volume); exchange two of their corners");
    }
    return PLI_OK;
}

static pli_status allocate_mesh(pli_context *context, const pli_tet_mesh_def *def,
                                pli_tet_mesh *mesh)
{
    mesh->context = context;
    mesh->tet_count = def->tet_count;
    PLI_TRY(PLI_MAKE(context, mesh->points, 3 * (int64_t)mesh->vertex_count, "mesh points"));
    PLI_TRY(PLI_MAKE(context, mesh->tets, 4 * (int64_t)mesh->tet_count, "tetrahedra"));
    PLI_TRY(PLI_MAKE(context, mesh->vertex_origin, mesh->vertex_count, "vertex origins"));
    if (def->mid != NULL) {
        PLI_TRY(PLI_MAKE(context, mesh->mid, 6 * (int64_t)mesh->tet_count, "edge nodes"));
    }
    if (def->tet_group == NULL) return PLI_OK;
    return PLI_MAKE(context, mesh->tet_group, mesh->tet_count, "element groups");
}

// Marks used vertices and gives them their new numbers; returns how many there are.
static int32_t number_used(const pli_tet_mesh_def *def, int32_t *number)
{
    for (int64_t k = 0; k < 4 * (int64_t)def->tet_count; ++k) number[def->tets[k]] = 1;
    for (int64_t k = 0; def->mid != NULL && k < 6 * (int64_t)def->tet_count; ++k) {
        number[def->mid[k]] = 1;
    }
    int32_t count = 0;
    for (int32_t v = 0; v < def->vertex_count; ++v) number[v] = number[v] ? count++ : -1;
    return count;
}

static void copy_mesh(const pli_tet_mesh_def *def, const int32_t *number, pli_tet_mesh *mesh,
                      pli_tet_mesh_report *report)
{
    for (int32_t v = 0; v < def->vertex_count; ++v) {
        if (number[v] < 0) continue;
        pli_vec3_copy(def->points + 3 * (int64_t)v, mesh->points + 3 * (int64_t)number[v]);
        mesh->vertex_origin[number[v]] = v;
    }
    for (int32_t t = 0; t < def->tet_count; ++t) {
        int32_t *tet = mesh->tets + 4 * (int64_t)t;
        for (int k = 0; k < 4; ++k) tet[k] = number[def->tets[4 * (int64_t)t + k]];
        int32_t *mid = mesh->mid != NULL ? mesh->mid + 6 * (int64_t)t : NULL;
        for (int k = 0; mid != NULL && k < 6; ++k) mid[k] = number[def->mid[6 * (int64_t)t + k]];
        if (pli_tet_volume_at(mesh->points, tet) < 0) {
            pli_tet_turn(tet);
            if (mid != NULL) pli_tet_turn_mid(mid);
            ++report->turned_tets;
        }
    }
    if (mesh->tet_group != NULL) {
        memcpy(mesh->tet_group, def->tet_group, (size_t)def->tet_count * sizeof(int32_t));
    }
}

// What a caller without a report should know.
static void log_report(pli_context *context, const pli_tet_mesh_report *report)
{
    if (report->unused_vertices > 0) {
        PLI_LOG(context, PLI_LOG_INFO, "dropped %d vertices that no tetrahedron uses",
                report->unused_vertices);
    }
    if (report->coincident_vertices > 0) {
        PLI_LOG(context, PLI_LOG_WARNING,
                "%d vertices lie at the place of another one: parts that look joined may not be",
                report->coincident_vertices);
    }
    if (report->turned_tets > 0) {
        PLI_LOG(context, PLI_LOG_INFO, "turned %d inverted tetrahedra around", report->turned_tets);
    }
}

static pli_status check_def(pli_context *context, const pli_tet_mesh_def *def,
                            pli_tet_mesh_report *report)
{
    pli_cells cells = {"tetrahedron", 4, def->tet_count, def->tets, def->vertex_count, def->points};
    PLI_TRY(pli_cells_check(context, &cells));
    if (def->tet_count == 0) {
        return PLI_FAIL(context, PLI_ERROR_MESH, "the mesh has no tetrahedra");
    }
    pli_cells mid = {"tetrahedron (nodes of its edges)",
                     6,
                     def->tet_count,
                     def->mid,
                     def->vertex_count,
                     def->points};
    if (def->mid != NULL) PLI_TRY(pli_cells_check(context, &mid));
    return check_volumes(context, def, report);
}

pli_status pli_tet_mesh_create(pli_context *context, const pli_tet_mesh_def *def,
                               pli_tet_mesh_report *report, pli_tet_mesh **out)
{
    pli_tet_mesh_report unwanted;
    if (report == NULL) report = &unwanted;
    *report = (pli_tet_mesh_report){0};
    *out = NULL;
    PLI_TRY(check_def(context, def, report));

    pli_status status = PLI_ERROR_MEMORY;
    pli_tet_mesh *mesh = NULL;
    int32_t *number = PLI_NEW(context, int32_t, def->vertex_count, "vertex numbers");
    if (number == NULL) goto done;
    mesh = PLI_NEW(context, pli_tet_mesh, 1, "tetrahedral mesh");
    if (mesh == NULL) goto done;
    mesh->vertex_count = number_used(def, number);
    status = allocate_mesh(context, def, mesh);
    if (status != PLI_OK) goto done;

    report->unused_vertices = def->vertex_count - mesh->vertex_count;
    copy_mesh(def, number, mesh, report);
    status = pli_points_count_coincident(context, mesh->vertex_count, mesh->points,
                                         &report->coincident_vertices);
    if (status != PLI_OK) goto done;
    if (report == &unwanted) log_report(context, report);
    *out = mesh;

done:
    pli_release(context, number);
    if (status != PLI_OK) pli_tet_mesh_destroy(mesh);
    return status;
}

void pli_tet_mesh_destroy(pli_tet_mesh *mesh)
{
    if (mesh == NULL) return;
    PLI_RELEASE(mesh->context, mesh->points, mesh->tets, mesh->mid, mesh->tet_group,
                mesh->vertex_origin, mesh);
}

pli_status pli_tet_mesh_transform(pli_tet_mesh *mesh, const double A[9], const double b[3])
{
    double determinant = pli_mat3_determinant(A);
    double size2 = pli_mat3_contract(A, A);
    if (!isfinite(size2 + b[0] + b[1] + b[2]) ||
        !(fabs(determinant) > flat_volume * size2 * sqrt(size2))) {
        return PLI_FAIL(mesh->context, PLI_ERROR_ARGUMENT,
                        "the transformation flattens the mesh (determinant %g); scales must not be "
                        "zero",
                        determinant);
    }
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        double *x = mesh->points + 3 * (int64_t)v;
        double y[3];
        pli_mat3_apply(A, x, y);
        pli_vec3_add(y, b, x);
    }
    for (int32_t t = 0; determinant < 0 && t < mesh->tet_count; ++t) {
        pli_tet_turn(mesh->tets + 4 * (int64_t)t);
        if (mesh->mid != NULL) pli_tet_turn_mid(mesh->mid + 6 * (int64_t)t);
    }
    return PLI_OK;
}

pli_bounds pli_tet_mesh_bounds(const pli_tet_mesh *mesh)
{
    return pli_bounds_of_points(mesh->vertex_count, mesh->points);
}

double pli_tet_mesh_volume(const pli_tet_mesh *mesh)
{
    double sum = 0;
    for (int32_t t = 0; t < mesh->tet_count; ++t) {
        sum += pli_tet_volume_at(mesh->points, mesh->tets + 4 * (int64_t)t);
    }
    return sum;
}

static double triangle_area(const double *points, int32_t a, int32_t b, int32_t c)
{
    double u[3], v[3], n[3];
    pli_vec3_subtract(points + 3 * (int64_t)b, points + 3 * (int64_t)a, u);
    pli_vec3_subtract(points + 3 * (int64_t)c, points + 3 * (int64_t)a, v);
    pli_vec3_cross(u, v, n);
    return 0.5 * pli_vec3_norm(n);
}

pli_status pli_tets_ring_areas(pli_context *context, const pli_tets *tets, double *areas)
{
    pli_arena *scratch = NULL;
    pli_boundary boundary;
    PLI_TRY(pli_arena_create(context, 0, &scratch));
    pli_status status = pli_boundary_build(tets, scratch, &boundary);
    if (status != PLI_OK) goto done;

    // the face opposite to a vertex always bounds its ring
    const double *points = tets->points;
    memset(areas, 0, (size_t)tets->vertex_count * sizeof *areas);
    for (int32_t t = 0; t < tets->tet_count; ++t) {
        const int32_t *v = tets->tets + 4 * (int64_t)t;
        areas[v[0]] += triangle_area(points, v[1], v[2], v[3]);
        areas[v[1]] += triangle_area(points, v[0], v[2], v[3]);
        areas[v[2]] += triangle_area(points, v[0], v[1], v[3]);
        areas[v[3]] += triangle_area(points, v[0], v[1], v[2]);
    }
    // and so do the boundary faces that touch it
    for (int32_t t = 0; t < boundary.triangle_count; ++t) {
        const int32_t *v = boundary.triangles + 3 * (int64_t)t;
        double area = triangle_area(points, v[0], v[1], v[2]);
        for (int k = 0; k < 3; ++k) areas[v[k]] += area;
    }

done:
    pli_arena_destroy(scratch);
    return status;
}
