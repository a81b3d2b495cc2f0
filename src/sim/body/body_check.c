// SPDX-License-Identifier: Apache-2.0
#include "sim/body/body_check.h"

#include "geometry/mesh/mesh_check.h"
#include "geometry/mesh/surface.h"
#include "sim/body/body_mesh.h"

#include <stdio.h>
#include <string.h>

enum { NAME_CAPACITY = 320, LIST_CAPACITY = 128 };

static const pli_file_def *file_of(const pli_body_def *def)
{
    if (def->geometry.kind != PLI_GEOMETRY_FILE) return NULL;
    const pli_file_def *file = def->geometry.data;
    return file->path != NULL && file->path[0] != '\0' ? file : NULL;
}

// "body bar: bar.msh", or without the file where there is none.
static const char *name_of(const pli_body_def *def, char text[NAME_CAPACITY])
{
    const pli_file_def *file = file_of(def);
    snprintf(text, NAME_CAPACITY, "body %.64s%s%.240s", def->name, file != NULL ? ": " : "",
             file != NULL ? file->path : "");
    return text;
}

// "body bar: bar.msh:17" for a cell whose line is known.
static const char *name_of_cell(const pli_body_def *def, int32_t cell, char text[NAME_CAPACITY])
{
    const pli_file_def *file = file_of(def);
    const pli_mesh_data *mesh = file != NULL ? file->mesh : NULL;
    if (mesh == NULL || cell < 0) return name_of(def, text);
    // cells are tetrahedra where there are any
    bool tets = mesh->tet_count > 0;
    const int32_t *lines = tets ? mesh->tet_lines : mesh->triangle_lines;
    const char *other = tets ? mesh->tet_file : mesh->triangle_file;
    if (lines == NULL || lines[cell] <= 0) return name_of(def, text);
    if (other != NULL && other[0] == '\0') other = NULL;

    // a file of their own lies beside that of the mesh
    const char *slash = strrchr(file->path, '/');
    int kept = (int)strlen(file->path);
    if (other != NULL) kept = slash != NULL ? (int)(slash + 1 - file->path) : 0;
    snprintf(text, NAME_CAPACITY, "body %.64s: %.*s%.100s:%d", def->name, kept < 140 ? kept : 140,
             file->path, other != NULL ? other : "", (int)lines[cell]);
    return text;
}

pli_status pli_body_fail_mesh(pli_context *context, const pli_body_def *def, int32_t cell,
                              pli_status status)
{
    if (status == PLI_OK || status == PLI_ERROR_MEMORY) return status;
    char name[NAME_CAPACITY];
    char message[1024];
    pli_context_message(context, message, sizeof message);
    return PLI_FAIL(context, status, "%s: %s", name_of_cell(def, cell, name), message);
}

static void warn_vertices(pli_context *context, const pli_body_def *def, int32_t unused,
                          int32_t coincident)
{
    char name[NAME_CAPACITY];
    if (unused > 0) {
        PLI_LOG(context, PLI_LOG_WARNING, "%s: dropped %d vertices that no element uses",
                name_of(def, name), (int)unused);
    }
    if (coincident > 0) {
        PLI_LOG(context, PLI_LOG_WARNING,
                "%s: %d vertices lie at the place of another one: parts that look joined may not "
                "be",
                name_of(def, name), (int)coincident);
    }
}

static void warn_pinches(pli_context *context, const pli_body_def *def,
                         const pli_tri_mesh_report *report)
{
    char name[NAME_CAPACITY];
    if (report->pinched_vertices == 0 && report->crowded_edges == 0) return;
    PLI_LOG(context, PLI_LOG_WARNING,
            "%s: the surface is no manifold: parts hang together by a vertex alone at %d places, "
            "and %d edges have more than two triangles",
            name_of(def, name), (int)report->pinched_vertices, (int)report->crowded_edges);
}

pli_status pli_body_warn_solid(const pli_body_def *def, const pli_tet_mesh *mesh,
                               const pli_tet_mesh_report *report)
{
    pli_context *context = mesh->context;
    warn_vertices(context, def, report->unused_vertices, report->coincident_vertices);
    if (report->slivers.count > 0) {
        char name[NAME_CAPACITY];
        char list[LIST_CAPACITY];
        pli_offenders_text(&report->slivers, list, sizeof list);
        PLI_LOG(context, PLI_LOG_WARNING,
                "%s: tetrahedra %s are slivers, almost without volume: expect slow convergence",
                name_of_cell(def, report->slivers.first[0], name), list);
    }
    pli_surface *boundary = NULL;
    pli_tri_mesh *skin = NULL;
    pli_tri_mesh_report skin_report;
    pli_status status = pli_surface_create(mesh, &boundary);
    if (status == PLI_OK) status = pli_surface_to_tri_mesh(boundary, mesh, &skin);
    if (status == PLI_OK) status = pli_tri_mesh_check(skin, &skin_report);
    if (status == PLI_OK) warn_pinches(context, def, &skin_report);
    pli_tri_mesh_destroy(skin);
    pli_surface_destroy(boundary);
    return status;
}

pli_status pli_body_warn_surface(const pli_body_def *def, const pli_tri_mesh *mesh,
                                 int32_t file_vertex_count)
{
    pli_tri_mesh_report report;
    int32_t coincident = 0;
    PLI_TRY(
        pli_points_count_coincident(mesh->context, mesh->vertex_count, mesh->points, &coincident));
    PLI_TRY(pli_tri_mesh_check(mesh, &report));
    warn_vertices(mesh->context, def, file_vertex_count - mesh->vertex_count, coincident);
    warn_pinches(mesh->context, def, &report);
    return PLI_OK;
}
