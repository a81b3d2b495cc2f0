// SPDX-License-Identifier: Apache-2.0
#include "io/mesh/mesh_file.h"

#include "base/memory.h"
#include "io/file/file.h"
#include "io/mesh/mesh_format.h"

#include <stdio.h>
#include <strings.h>

#define X(name) &pli_mesh_format_##name,
static const pli_mesh_format *const formats[] = {PLI_MESH_FORMATS(X)};
#undef X

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

struct pli_mesh_file {
    pli_context *context;
    char *name; // as in messages
    pli_mesh_data data;

    // what data points to
    double *points;
    int32_t *tets;
    int32_t *tet_groups;
    int32_t *triangles;
    int32_t *triangle_groups;
    char **group_names;
    int32_t *tet_lines;
    int32_t *triangle_lines;
    char *tet_file;
    char *triangle_file;
    pli_mesh_array *arrays; // names and values are those of `built`
    int32_t built_count;
    pli_built_array *built;
    int32_t *tet_mids;
    int32_t *set_groups;
    int32_t *set_points;
};

// ---- which format ----

static const pli_mesh_format *find_by_ending(const char *ending)
{
    for (int32_t i = 0; i < FORMAT_COUNT; ++i) {
        for (const char *const *known = formats[i]->endings; *known != NULL; ++known) {
            if (strcasecmp(*known, ending) == 0) return formats[i];
        }
    }
    return NULL;
}

static const pli_mesh_format *find_by_content(const char *bytes, int64_t count)
{
    for (int32_t i = 0; i < FORMAT_COUNT; ++i) {
        if (formats[i]->matches != NULL && formats[i]->matches(bytes, count)) return formats[i];
    }
    return NULL;
}

// Fails with the list of what could be read.
static pli_status fail_unknown(pli_context *context, const char *name)
{
    char known[256] = "";
    size_t length = 0;
    for (int32_t i = 0; i < FORMAT_COUNT; ++i) {
        for (const char *const *ending = formats[i]->endings; *ending != NULL; ++ending) {
            int put = snprintf(known + length, sizeof known - length, "%s%s",
                               length > 0 ? ", " : "", *ending);
            if (put > 0 && length + (size_t)put < sizeof known) length += (size_t)put;
        }
    }
    return PLI_FAIL(context, PLI_ERROR_MESH,
                    "%s: neither ending nor content is that of a mesh; known endings are %s", name,
                    known);
}

// The ending proposes a format; content that has the mark of another one overrules it.
static pli_status choose_format(pli_context *context, const char *name, const char *ending,
                                const char *bytes, int64_t count, const pli_mesh_format **format)
{
    const pli_mesh_format *proposed = find_by_ending(ending);
    *format = proposed;
    if (proposed != NULL && proposed->matches != NULL && proposed->matches(bytes, count)) {
        return PLI_OK;
    }
    const pli_mesh_format *found = find_by_content(bytes, count);
    if (found == NULL && proposed == NULL) return fail_unknown(context, name);
    if (found != NULL) {
        *format = found;
        PLI_LOG(context, PLI_LOG_WARNING, "%s: is read as %s, as its content says", name,
                found->name);
    }
    return PLI_OK;
}

static pli_status refuse_other_texts(pli_context *context, const char *name, const char *bytes,
                                     int64_t count)
{
    if (count == 0) {
        return PLI_FAIL(context, PLI_ERROR_MESH, "%s:1: the file is empty; a mesh is needed", name);
    }
    bool utf16 =
        count >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0);
    if (!utf16 || pli_mesh_format_stl.matches(bytes, count)) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_MESH,
                    "%s:1: the text is encoded as UTF-16; save it as UTF-8 or ASCII", name);
}

// ---- the object ----

// Hands over where the cells stand.
static void take_places(pli_mesh_file *mesh, pli_mesh_builder *builder)
{
    mesh->tet_lines = builder->tets.lines;
    mesh->triangle_lines = builder->triangles.lines;
    mesh->tet_file = builder->tets.file;
    mesh->triangle_file = builder->triangles.file;
    builder->tets.lines = builder->triangles.lines = NULL;
    builder->tets.file = builder->triangles.file = NULL;
    mesh->data.tet_lines = mesh->tet_lines;
    mesh->data.triangle_lines = mesh->triangle_lines;
    mesh->data.tet_file = mesh->tet_file;
    mesh->data.triangle_file = mesh->triangle_file;
}

// Hands over the values by name, those with a value for every point or cell.
static pli_status take_values(pli_mesh_file *mesh, pli_mesh_builder *builder)
{
    if (builder->array_count == 0) return PLI_OK;
    PLI_TRY(PLI_MAKE(mesh->context, mesh->arrays, builder->array_count, "arrays of a mesh"));
    mesh->built = builder->arrays;
    mesh->built_count = builder->array_count;
    builder->arrays = NULL;
    builder->array_count = 0;
    for (int32_t k = 0; k < mesh->built_count; ++k) {
        const pli_built_array *from = &mesh->built[k];
        if (from->count < pli_mesh_place_count(&mesh->data, from->place)) continue;
        mesh->arrays[mesh->data.array_count++] =
            (pli_mesh_array){from->name, from->place, from->component_count, from->values};
    }
    mesh->data.arrays = mesh->arrays;
    return PLI_OK;
}

// Hands the builder's arrays over.
static void take_arrays(pli_mesh_file *mesh, pli_mesh_builder *builder)
{
    mesh->points = builder->points;
    mesh->tets = builder->tets.corners;
    mesh->triangles = builder->triangles.corners;
    builder->points = NULL;
    builder->tets.corners = NULL;
    builder->triangles.corners = NULL;
    mesh->data = (pli_mesh_data){
        .point_count = builder->point_count,
        .points = mesh->points,
        .tet_count = builder->tets.count,
        .tets = mesh->tets,
        .triangle_count = builder->triangles.count,
        .triangles = mesh->triangles,
    };
    take_places(mesh, builder);
    if (builder->tets.mid_count == builder->tets.count) {
        mesh->tet_mids = builder->tets.mids;
        builder->tets.mids = NULL;
        mesh->data.tet_mids = mesh->tet_mids;
    }
    if (builder->group_count == 0) return;
    mesh->set_groups = builder->set_groups;
    mesh->set_points = builder->set_points;
    builder->set_groups = builder->set_points = NULL;
    mesh->data.set_count = builder->set_count;
    mesh->data.set_groups = mesh->set_groups;
    mesh->data.set_points = mesh->set_points;

    mesh->tet_groups = builder->tets.groups;
    mesh->triangle_groups = builder->triangles.groups;
    mesh->group_names = builder->group_names;
    builder->tets.groups = NULL;
    builder->triangles.groups = NULL;
    builder->group_names = NULL;
    mesh->data.group_count = builder->group_count;
    builder->group_count = 0;
    mesh->data.tet_groups = mesh->tet_groups;
    mesh->data.triangle_groups = mesh->triangle_groups;
    mesh->data.group_names = (const char *const *)mesh->group_names;
}

void pli_mesh_file_destroy(pli_mesh_file *mesh)
{
    if (mesh == NULL) return;
    pli_context *context = mesh->context;
    for (int32_t i = 0; i < mesh->data.group_count; ++i) pli_release(context, mesh->group_names[i]);
    for (int32_t i = 0; i < mesh->built_count; ++i) {
        PLI_RELEASE(context, mesh->built[i].values, mesh->built[i].name);
    }
    PLI_RELEASE(context, mesh->built, mesh->arrays, mesh->set_points, mesh->set_groups,
                mesh->tet_mids);
    PLI_RELEASE(context, mesh->group_names, mesh->tet_file, mesh->triangle_file, mesh->tet_lines,
                mesh->triangle_lines, mesh->triangle_groups, mesh->triangles, mesh->tet_groups,
                mesh->tets, mesh->points, mesh->name, mesh);
}

const pli_mesh_data *pli_mesh_file_data(const pli_mesh_file *mesh)
{
    return &mesh->data;
}

// ---- reading ----

static pli_status create_empty(pli_context *context, const char *name, pli_mesh_file **mesh)
{
    *mesh = PLI_NEW(context, pli_mesh_file, 1, "mesh file");
    if (*mesh == NULL) return PLI_ERROR_MEMORY;
    (*mesh)->context = context;
    (*mesh)->name = pli_string_copy(context, name);
    return (*mesh)->name != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

// Runs the reader and the checks that are common to all formats.
static pli_status fill_builder(const pli_mesh_format *format, pli_scan *scan,
                               pli_mesh_builder *builder)
{
    PLI_TRY(format->read(builder, scan));
    PLI_TRY(pli_mesh_builder_end_polygons(builder, scan));
    PLI_TRY(pli_mesh_builder_check_cells(builder, scan));
    if (builder->point_count == 0) {
        return PLI_FAIL(builder->context, PLI_ERROR_MESH,
                        "%s: the mesh has no vertices; at least one is needed", scan->source);
    }
    // where all tetrahedra have nodes on edges, those of triangles follow from them
    bool mixed = builder->tets.mid_count < builder->tets.count;
    if (mixed) builder->curved_count += builder->tets.mid_count;
    if (builder->curved_count > 0 && (mixed || builder->tets.count == 0)) {
        PLI_LOG(builder->context, PLI_LOG_WARNING,
                "%s: %lld cells of higher order are read as their corners alone", scan->source,
                (long long)builder->curved_count);
    }
    if (builder->bent_count > 0) {
        PLI_LOG(builder->context, PLI_LOG_WARNING,
                "%s:%lld: this face and %lld more are bent so far that they have no front; they "
                "are cut from their first corner, which may not be as they are meant",
                scan->source, (long long)pli_scan_line_of(scan, builder->bent_place),
                (long long)builder->bent_count - 1);
    }
    return PLI_OK;
}

// path is that of the file on disk, or NULL.
static pli_status parse(pli_context *context, const char *name, const char *path,
                        const char *ending, pli_span content, pli_mesh_file **mesh)
{
    *mesh = NULL;
    const pli_mesh_format *format = NULL;
    PLI_TRY(refuse_other_texts(context, name, content.text, content.length));
    PLI_TRY(choose_format(context, name, ending, content.text, content.length, &format));

    pli_mesh_file *made = NULL;
    pli_mesh_builder builder;
    pli_mesh_builder_init(&builder, context, path);
    pli_scan scan;
    pli_scan_init(&scan, context, name, content.text, content.length);

    pli_status status = create_empty(context, name, &made);
    if (status != PLI_OK) goto done;
    status = fill_builder(format, &scan, &builder);
    if (status != PLI_OK) goto done;
    take_arrays(made, &builder);
    status = take_values(made, &builder);

done:
    pli_mesh_builder_clear(&builder);
    if (status != PLI_OK) {
        pli_mesh_file_destroy(made);
        return status;
    }
    *mesh = made;
    return PLI_OK;
}

pli_status pli_mesh_file_parse(pli_context *context, const char *name, const char *ending,
                               const void *bytes, int64_t count, pli_mesh_file **mesh)
{
    if (ending == NULL) ending = pli_path_ending(name);
    return parse(context, name, NULL, ending, (pli_span){bytes, count}, mesh);
}

pli_status pli_mesh_file_read(pli_context *context, const char *path, pli_mesh_file **mesh)
{
    *mesh = NULL;
    char *bytes = NULL;
    int64_t count = 0;
    PLI_TRY(pli_file_read(context, path, 0, &bytes, &count));
    pli_status status =
        parse(context, path, path, pli_path_ending(path), (pli_span){bytes, count}, mesh);
    pli_release(context, bytes);
    return status;
}
