// SPDX-License-Identifier: Apache-2.0
#include "multilevel/bases.h"

#include "multilevel/bases_inside.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <string.h>

// How a kind is made.
typedef struct kind {
    pli_status (*build)(pli_bases_build *build);
    bool is_scaled; // weights of a vertex are scaled to sum one, and each has a place in it
    bool is_global; // handles have no places: all stand at the centroid of the mesh
} kind;

static const kind kinds[] = {
    [PLI_BASES_MATERIAL] = {pli_bases_build_material, true, false},
    [PLI_BASES_RADIAL] = {pli_bases_build_radial, true, false},
    [PLI_BASES_EIGENMODES] = {pli_bases_build_eigenmodes, false, true},
    [PLI_BASES_BIHARMONIC] = {pli_bases_build_biharmonic, false, false},
};

enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

// ---- input

static pli_status check_clusters(pli_context *context, const pli_bases_def *def)
{
    const pli_partition *partition = def->partition;
    for (int32_t element = 0; element < partition->element_count; ++element) {
        int32_t part = partition->element_part[element];
        if (part >= 0 && part < partition->count) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "element %d is in cluster %d; clusters are 0 to %d", (int)element,
                        (int)part, (int)partition->count - 1);
    }
    for (int32_t part = 0; part < partition->count; ++part) {
        int32_t center = partition->centers[part];
        if (center >= 0 && center < partition->vertex_count) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "cluster %d has its centre at vertex %d; vertices are 0 to %d", (int)part,
                        (int)center, (int)partition->vertex_count - 1);
    }
    return PLI_OK;
}

static pli_status check_elements(pli_context *context, const pli_bases_def *def)
{
    const pli_simplices *mesh = &def->mesh;
    if (mesh->corner_count != 3 && mesh->corner_count != 4) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "elements have %d corners; bases want triangles or tetrahedra",
                        (int)mesh->corner_count);
    }
    int64_t corner_count = (int64_t)mesh->corner_count * mesh->element_count;
    for (int64_t k = 0; k < corner_count; ++k) {
        if (mesh->elements[k] >= 0 && mesh->elements[k] < mesh->vertex_count) continue;
        return PLI_FAIL(
            context, PLI_ERROR_ARGUMENT, "element %d names vertex %d; vertices are 0 to %d",
            (int)(k / mesh->corner_count), (int)mesh->elements[k], (int)mesh->vertex_count - 1);
    }
    for (int32_t k = 0; def->stiffness != NULL && k < mesh->element_count; ++k) {
        if (def->stiffness[k] > 0 && isfinite(def->stiffness[k])) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the stiffness of element %d is %g; it has to be positive", (int)k,
                        def->stiffness[k]);
    }
    return PLI_OK;
}

static pli_status check_def(pli_context *context, const pli_bases_def *def)
{
    if ((int)def->kind < 0 || (int)def->kind >= KIND_COUNT) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "there is no kind %d of bases",
                        (int)def->kind);
    }
    const pli_partition *partition = def->partition;
    if (partition == NULL || partition->count < 1 ||
        partition->vertex_count != def->mesh.vertex_count ||
        partition->element_count != def->mesh.element_count) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "bases want a partition of the same mesh with at least one cluster");
    }
    if (!(def->drop >= 0 && def->drop < 1)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "weights below %g can't be left out; a small number under 1 can",
                        def->drop);
    }
    PLI_TRY(check_elements(context, def));
    return check_clusters(context, def);
}

// ---- columns

pli_status pli_bases_column_set(pli_context *context, int32_t count, const int32_t *vertices,
                                const double *values, pli_bases_column *column)
{
    column->vertices = PLI_NEW(context, int32_t, count, "columns of weights");
    column->values = PLI_NEW(context, double, count, "columns of weights");
    if (column->vertices == NULL || column->values == NULL) return PLI_ERROR_MEMORY;
    memcpy(column->vertices, vertices, (size_t)count * sizeof *vertices);
    memcpy(column->values, values, (size_t)count * sizeof *values);
    column->count = count;
    return PLI_OK;
}

static void column_clear(pli_context *context, pli_bases_column *column)
{
    PLI_RELEASE(context, column->vertices, column->values);
}

// ---- rows

// The function of the fixed vertices at every vertex, [vertex_count]; 1 at the fixed ones, however
// it came out. NULL on failure.
static double *new_held(const pli_bases_build *build)
{
    int32_t vertex_count = build->def->mesh.vertex_count;
    double *held = PLI_NEW(build->context, double, vertex_count, "fixed vertices");
    if (held == NULL) return NULL;
    for (int32_t k = 0; k < build->held.count; ++k) {
        held[build->held.vertices[k]] = build->held.values[k];
    }
    for (int32_t vertex = 0; build->fixed != NULL && vertex < vertex_count; ++vertex) {
        if (build->fixed[vertex]) held[vertex] = 1;
    }
    return held;
}

// Counts the entries of rows into start, those of vertex v at v; a vertex without any that no
// function holds is given one, and is_orphan is set.
static void count_entries(const pli_bases_build *build, const double *held, uint8_t *is_orphan,
                          pli_bases *bases)
{
    for (int32_t handle = 0; handle < build->handle_count; ++handle) {
        const pli_bases_column *column = &build->columns[handle];
        for (int32_t k = 0; k < column->count; ++k) ++bases->start[column->vertices[k]];
    }
    for (int32_t vertex = 0; vertex < bases->vertex_count; ++vertex) {
        bool has_cluster = build->def->partition->vertex_part[vertex] >= 0;
        if (bases->start[vertex] > 0 || held[vertex] > 0 || !has_cluster) continue;
        is_orphan[vertex] = 1;
        bases->start[vertex] = 1;
        ++bases->orphan_count;
    }
}

// Moves entries from columns to rows: from the last handle to the first, so that each end of a row
// becomes its start.
static void fill_entries(const pli_bases_build *build, const uint8_t *is_orphan, pli_bases *bases)
{
    int64_t sum = 0;
    for (int32_t vertex = 0; vertex <= bases->vertex_count; ++vertex) {
        sum += bases->start[vertex];
        bases->start[vertex] = sum;
    }
    for (int32_t vertex = 0; vertex < bases->vertex_count; ++vertex) {
        if (!is_orphan[vertex]) continue;
        int64_t place = --bases->start[vertex];
        bases->handle[place] = build->def->partition->vertex_part[vertex];
        bases->weight[place] = 1;
    }
    for (int32_t handle = build->handle_count - 1; handle >= 0; --handle) {
        const pli_bases_column *column = &build->columns[handle];
        for (int32_t k = 0; k < column->count; ++k) {
            int64_t place = --bases->start[column->vertices[k]];
            bases->handle[place] = handle;
            bases->weight[place] = column->values[k];
        }
    }
}

// phi = u / (sum of u + u of the fixed vertices), equation 11
static void scale_rows(const double *held, pli_bases *bases)
{
    for (int32_t vertex = 0; vertex < bases->vertex_count; ++vertex) {
        int64_t end = bases->start[vertex + 1];
        double sum = held[vertex];
        for (int64_t k = bases->start[vertex]; k < end; ++k) sum += bases->weight[k];
        for (int64_t k = bases->start[vertex]; k < end; ++k) bases->weight[k] /= sum;
    }
}

static pli_status make_rows(const pli_bases_build *build, pli_bases *bases)
{
    pli_context *context = build->context;
    pli_status status = PLI_ERROR_MEMORY;
    double *held = new_held(build);
    uint8_t *is_orphan = PLI_NEW(context, uint8_t, bases->vertex_count, "rows of weights");
    if (held == NULL || is_orphan == NULL) goto done;
    count_entries(build, held, is_orphan, bases);
    int64_t entry_count = 0;
    for (int32_t v = 0; v < bases->vertex_count; ++v) entry_count += bases->start[v];
    bases->handle = PLI_NEW(context, int32_t, entry_count, "rows of weights");
    bases->weight = PLI_NEW(context, double, entry_count, "rows of weights");
    if (bases->handle == NULL || bases->weight == NULL) goto done;
    fill_entries(build, is_orphan, bases);
    if (kinds[build->def->kind].is_scaled) scale_rows(held, bases);
    status = PLI_OK;

done:
    PLI_RELEASE(context, held, is_orphan);
    return status;
}

// ---- centres

static void compute_centroid(const pli_simplices *mesh, double centroid[3])
{
    double total = 0;
    pli_vec3_set(0, 0, 0, centroid);
    for (int32_t element = 0; element < mesh->element_count; ++element) {
        double gradients[4][3];
        double measure = pli_simplex_gradients(mesh, element, gradients);
        const int32_t *corners = mesh->elements + (int64_t)mesh->corner_count * element;
        for (int c = 0; c < mesh->corner_count; ++c) {
            pli_vec3_add_scaled(centroid, measure / mesh->corner_count,
                                mesh->points + 3 * (int64_t)corners[c], centroid);
        }
        total += measure;
    }
    if (total > 0) pli_vec3_scale(1 / total, centroid, centroid);
}

static void set_centers(const pli_bases_build *build, pli_bases *bases)
{
    const pli_bases_def *def = build->def;
    double centroid[3];
    compute_centroid(&def->mesh, centroid);
    for (int64_t handle = 0; handle < bases->handle_count; ++handle) {
        int32_t place = build->places[handle];
        if (place < 0) place = def->partition->centers[handle];
        const double *center = def->mesh.points + 3 * (int64_t)place;
        pli_vec3_copy(kinds[def->kind].is_global ? centroid : center, bases->center + 3 * handle);
    }
}

static void set_sizes(const double *points, pli_bases *bases)
{
    for (int64_t vertex = 0; vertex < bases->vertex_count; ++vertex) {
        for (int64_t k = bases->start[vertex]; k < bases->start[vertex + 1]; ++k) {
            int64_t handle = bases->handle[k];
            double distance = pli_vec3_distance(points + 3 * vertex, bases->center + 3 * handle);
            bases->size[handle] = fmax(bases->size[handle], distance);
        }
    }
    // a handle that moves one vertex only may be of any size
    for (int32_t k = 0; k < bases->handle_count; ++k) {
        if (!(bases->size[k] > 0)) bases->size[k] = 1;
    }
}

// ---- objects

// Empty bases with room for everything but the entries of rows; NULL on failure.
static pli_bases *new_bases(pli_context *context, int32_t vertex_count, int32_t handle_count)
{
    pli_bases *made = PLI_NEW(context, pli_bases, 1, "bases");
    if (made == NULL) return NULL;
    made->context = context;
    made->vertex_count = vertex_count;
    made->handle_count = handle_count;
    made->start = PLI_NEW(context, int64_t, (int64_t)vertex_count + 1, "bases");
    made->center = PLI_NEW(context, double, 3 * (int64_t)handle_count, "bases");
    made->size = PLI_NEW(context, double, handle_count, "bases");
    if (made->start != NULL && made->center != NULL && made->size != NULL) return made;
    pli_bases_destroy(made);
    return NULL;
}

static pli_status run_build(pli_bases_build *build, pli_bases **bases)
{
    const pli_bases_def *def = build->def;
    build->places = PLI_NEW(build->context, int32_t, build->handle_count, "bases");
    build->columns = PLI_NEW(build->context, pli_bases_column, build->handle_count, "bases");
    if (build->places == NULL || build->columns == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < build->handle_count; ++k) build->places[k] = def->partition->centers[k];
    PLI_TRY(kinds[def->kind].build(build));
    pli_bases *made = new_bases(build->context, def->mesh.vertex_count, build->handle_count);
    if (made == NULL) return PLI_ERROR_MEMORY;
    pli_status status = make_rows(build, made);
    if (status == PLI_OK) status = pli_bases_tell(build, 1);
    if (status != PLI_OK) {
        pli_bases_destroy(made);
        return status;
    }
    set_centers(build, made);
    set_sizes(def->mesh.points, made);
    *bases = made;
    return PLI_OK;
}

static void build_clear(pli_bases_build *build)
{
    pli_context *context = build->context;
    pli_incidence_clear(context, &build->around);
    pli_incidence_clear(context, &build->members);
    for (int32_t k = 0; build->columns != NULL && k < build->handle_count; ++k) {
        column_clear(context, &build->columns[k]);
    }
    column_clear(context, &build->held);
    PLI_RELEASE(context, build->columns, build->places);
}

pli_status pli_bases_create(pli_context *context, const pli_bases_def *def, pli_bases **bases)
{
    *bases = NULL;
    PLI_TRY(check_def(context, def));
    pli_bases_build build = {.context = context, .def = def, .handle_count = def->partition->count};
    pli_status status = run_build(&build, bases);
    build_clear(&build);
    return status;
}

void pli_bases_destroy(pli_bases *bases)
{
    if (bases == NULL) return;
    pli_context *context = bases->context;
    PLI_RELEASE(context, bases->start, bases->handle, bases->weight, bases->center, bases->size,
                bases);
}

// ---- one handle per body

static pli_status check_bodies(pli_context *context, const pli_affine_def *def)
{
    for (int32_t vertex = 0; vertex < def->vertex_count; ++vertex) {
        int32_t body = def->body_of[vertex];
        if (body < -1 || body >= def->body_count) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                            "vertex %d is of body %d; bodies are 0 to %d, and -1 is none",
                            (int)vertex, (int)body, (int)def->body_count - 1);
        }
        if (body >= 0 && !(def->masses[vertex] > 0 && isfinite(def->masses[vertex]))) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                            "vertex %d has mass %g; it has to be positive", (int)vertex,
                            def->masses[vertex]);
        }
    }
    return PLI_OK;
}

// A weight of one for every vertex with a body; centres as means over the mass, which is summed in
// size.
static void fill_affine(const pli_affine_def *def, pli_bases *bases)
{
    int64_t count = 0;
    for (int64_t vertex = 0; vertex < def->vertex_count; ++vertex) {
        int64_t body = def->body_of[vertex];
        if (body >= 0) {
            pli_vec3_add_scaled(bases->center + 3 * body, def->masses[vertex],
                                def->points + 3 * vertex, bases->center + 3 * body);
            bases->size[body] += def->masses[vertex];
            bases->handle[count] = (int32_t)body;
            bases->weight[count++] = 1;
        }
        bases->start[vertex + 1] = count;
    }
    for (int64_t body = 0; body < def->body_count; ++body) {
        double mass = bases->size[body];
        double *center = bases->center + 3 * body;
        if (mass > 0) pli_vec3_scale(1 / mass, center, center);
        bases->size[body] = 0;
    }
}

pli_status pli_bases_create_affine(pli_context *context, const pli_affine_def *def,
                                   pli_bases **bases)
{
    *bases = NULL;
    PLI_TRY(check_bodies(context, def));
    pli_bases *made = new_bases(context, def->vertex_count, def->body_count);
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->handle = PLI_NEW(context, int32_t, def->vertex_count, "bases");
    made->weight = PLI_NEW(context, double, def->vertex_count, "bases");
    if (made->handle == NULL || made->weight == NULL) {
        pli_bases_destroy(made);
        return PLI_ERROR_MEMORY;
    }
    fill_affine(def, made);
    set_sizes(def->points, made);
    *bases = made;
    return PLI_OK;
}
