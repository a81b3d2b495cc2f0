// SPDX-License-Identifier: Apache-2.0
#include "sim/model/barrier_check.h"

#include "base/memory.h"
#include "fem/tet_quadratic.h"
#include "geometry/collision/crossing.h"
#include "geometry/collision/predicates.h"
#include "geometry/collision/tet_locate.h"
#include "geometry/mesh/union_find.h"
#include "math/vec3.h"
#include "sim/model/barrier_build.h"
#include "sim/scene/scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_CAPACITY = 256, PATH_CAPACITY = 160, LISTED = 5 };

// ---- a list of the first few of something

typedef struct listing {
    int64_t count;
    size_t used;
    char text[TEXT_CAPACITY];
} listing;

// Counts one more and writes it down if it is among the first.
PLI_PRINTF(2, 3) static void list(listing *list, const char *format, ...)
{
    va_list arguments;
    if (++list->count > LISTED + 1) return;
    const char *before = list->count > 1 ? ", " : "";
    size_t room = sizeof list->text - list->used;
    int written = snprintf(list->text + list->used, room, "%s", before);
    if (written > 0 && (size_t)written < room) list->used += (size_t)written;
    room = sizeof list->text - list->used;
    va_start(arguments, format);
    written = list->count <= LISTED ? vsnprintf(list->text + list->used, room, format, arguments)
                                    : snprintf(list->text + list->used, room, "...");
    va_end(arguments);
    if (written > 0 && (size_t)written < room) list->used += (size_t)written;
}

static pli_status refuse_body(const pli_model *model, const pli_scene *scene, int32_t body,
                              const char *text)
{
    const pli_body_def *source = &pli_scene_get(scene)->bodies[model->bodies[body].source];
    char path[PATH_CAPACITY];
    snprintf(path, sizeof path, "bodies.%s", source->name);
    pli_visit at = {.path = path, .holder = source};
    return pli_scene_fail(scene, PLI_ERROR_SCENE, &at, "%s", text);
}

// What else would do where nobody asked for barriers.
static const char *way_out(const pli_scene *scene)
{
    return pli_scene_chose_contact(scene)
               ? ", or write contact: none, since this scene does not ask for barriers"
               : "";
}

// ---- tetrahedra

// Whether J of a quadratic tetrahedron is positive at its material points.
static bool is_upright(const pli_model *model, int64_t tet)
{
    int32_t nodes[PLI_TET10];
    pli_tet10_shape shape;
    pli_model_tet_nodes(model, tet, nodes);
    pli_tet10_shape_compute(model->start, nodes, &shape);
    for (int k = 0; k < PLI_TET10_POINTS; ++k) {
        if (!(shape.volume[k] > 0)) return false;
    }
    return true;
}

static pli_status check_tets(const pli_model *model, const pli_scene *scene, int32_t index)
{
    const pli_model_body *body = &model->bodies[index];
    listing inverted = {0};
    for (int32_t k = 0; k < body->tet_count; ++k) {
        int64_t at = (int64_t)body->first_tet + k;
        if (pli_model_tet_is_quadratic(model, at)) {
            if (!is_upright(model, at)) list(&inverted, "%d", (int)k);
            continue;
        }
        const int32_t *tet = model->tets + 4 * at;
        const double *x[4];
        for (int i = 0; i < 4; ++i) x[i] = model->start + 3 * (int64_t)tet[i];
        if (pli_orient3d(x[0], x[1], x[2], x[3]) <= 0) list(&inverted, "%d", (int)k);
    }
    if (inverted.count == 0) return PLI_OK;
    char text[2 * TEXT_CAPACITY];
    snprintf(
        text, sizeof text,
        "%lld %s of body %s %s inverted or flat: %s; barriers keep volumes above zero, so start "
        "from another shape%s",
        (long long)inverted.count, inverted.count == 1 ? "tetrahedron" : "tetrahedra", body->name,
        inverted.count == 1 ? "starts" : "start", inverted.text, way_out(scene));
    return refuse_body(model, scene, index, text);
}

// ---- planes

static pli_status check_plane(const pli_model *model, const pli_scene *scene, int32_t collider,
                              int32_t index)
{
    const pli_model_body *body = &model->bodies[index];
    const double *plane = model->colliders[collider].plane;
    listing behind = {0};
    for (int32_t k = 0; k < body->vertex_count; ++k) {
        const double *x = model->start + 3 * ((int64_t)body->first_vertex + k);
        double depth = plane[3] - pli_vec3_dot(plane, x);
        if (depth >= 0) list(&behind, "%d (%.3g m)", (int)k, depth);
    }
    if (behind.count == 0) return PLI_OK;
    const pli_collider_def *def = &pli_scene_get(scene)->colliders[collider];
    char path[PATH_CAPACITY];
    snprintf(path, sizeof path, "colliders.%s", def->name);
    pli_visit at = {.path = path, .holder = def};
    return pli_scene_fail(scene, PLI_ERROR_SCENE, &at,
                          "%lld %s of body %s %s on or behind this plane: %s; barriers need a gap, "
                          "so move them apart%s",
                          (long long)behind.count, behind.count == 1 ? "vertex" : "vertices",
                          body->name, behind.count == 1 ? "starts" : "start", behind.text,
                          way_out(scene));
}

static pli_status check_planes(const pli_model *model, const pli_scene *scene)
{
    int32_t plane = pli_model_things(model);
    for (int32_t k = 0; k < model->collider_count; ++k) {
        if (!pli_barrier_is_plane(&model->colliders[k])) continue;
        for (int32_t body = 0; body < model->body_count; ++body) {
            if (!pli_barrier_collides(model, body, plane)) continue;
            PLI_TRY(check_plane(model, scene, k, body));
        }
        ++plane;
    }
    return PLI_OK;
}

// ---- surfaces

// Triangles of some bodies, one body after the other, that are searched for crossings.
typedef struct surfaces {
    const pli_model *model;
    int32_t triangle_count;
    int32_t *triangles; // [3 * triangle_count] vertices
    int32_t *bodies;    // [triangle_count] body of a triangle
    bool is_apart;      // look at different bodies only
} surfaces;

static void drop_surfaces(surfaces *s)
{
    PLI_RELEASE(s->model->context, s->bodies, s->triangles);
}

static void add_surface(surfaces *s, int32_t body)
{
    const pli_model_body *of = &s->model->bodies[body];
    memcpy(s->triangles + 3 * (int64_t)s->triangle_count,
           s->model->surface_triangles + 3 * (int64_t)of->first_surface_triangle,
           3 * (size_t)of->surface_triangle_count * sizeof *s->triangles);
    for (int32_t k = 0; k < of->surface_triangle_count; ++k)
        s->bodies[s->triangle_count + k] = body;
    s->triangle_count += of->surface_triangle_count;
}

// Collects the surfaces of two bodies (of one where they are the same), or of all bodies (NULL).
static pli_status collect_surfaces(const pli_model *model, const int32_t pair[2], surfaces *s)
{
    *s = (surfaces){.model = model, .is_apart = pair != NULL && pair[0] != pair[1]};
    int32_t count = pair == NULL ? pli_model_things(model) : 1 + (pair[0] != pair[1]);
    int64_t triangle_count = 0;
    for (int32_t k = 0; k < count; ++k) {
        triangle_count += model->bodies[pair == NULL ? k : pair[k]].surface_triangle_count;
    }
    s->triangles = PLI_NEW(model->context, int32_t, 3 * triangle_count, "crossing triangles");
    s->bodies = PLI_NEW(model->context, int32_t, triangle_count, "crossing bodies");
    if (s->triangles == NULL || s->bodies == NULL) {
        drop_surfaces(s);
        return PLI_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < count; ++k) add_surface(s, pair == NULL ? k : pair[k]);
    return PLI_OK;
}

static bool is_pair(const void *user, int32_t triangle, int32_t other)
{
    const surfaces *s = user;
    if (s->is_apart && s->bodies[triangle] == s->bodies[other]) return false;
    return pli_barrier_collides(s->model, s->bodies[triangle], s->bodies[other]);
}

static pli_status find_crossings(const surfaces *s, int32_t capacity, pli_crossing *crossings,
                                 int64_t *count)
{
    pli_soup soup = {.vertex_count = s->model->vertex_count,
                     .points = s->model->start,
                     .triangle_count = s->triangle_count,
                     .triangles = s->triangles,
                     .is_pair = is_pair,
                     .user = s};
    return pli_soup_find_crossings(s->model->context, &soup, capacity, crossings, count);
}

// Finds the first two bodies that cross and collide, negative where there are none. Obstacles never
// do, so they may cross each other and themselves as they like.
static pli_status find_crossing_pair(const pli_model *model, int32_t pair[2])
{
    surfaces all;
    pli_crossing first;
    int64_t count = 0;
    pair[0] = pair[1] = -1;
    PLI_TRY(collect_surfaces(model, NULL, &all));
    pli_status status = find_crossings(&all, 1, &first, &count);
    for (int k = 0; k < 2 && count > 0; ++k) pair[k] = all.bodies[first.triangles[k]];
    drop_surfaces(&all);
    return status;
}

// Writes the vertices of a triangle, counted within its body.
static void list_corners(const surfaces *s, int32_t triangle, int32_t corners[3])
{
    int32_t first = s->model->bodies[s->bodies[triangle]].first_vertex;
    for (int k = 0; k < 3; ++k) corners[k] = s->triangles[3 * (int64_t)triangle + k] - first;
}

// Tells about the crossings of two bodies, or of one with itself, of which there are `count`.
static pli_status tell_crossings(const surfaces *s, const pli_scene *scene, const int32_t bodies[2],
                                 int64_t count, const pli_crossing *crossings)
{
    const pli_model *model = s->model;
    listing pairs = {0};
    for (int64_t k = 0; k < count && k <= LISTED; ++k) {
        int32_t a[3], b[3];
        list_corners(s, crossings[k].triangles[0], a);
        list_corners(s, crossings[k].triangles[1], b);
        list(&pairs, "%d %d %d with %d %d %d", (int)a[0], (int)a[1], (int)a[2], (int)b[0],
             (int)b[1], (int)b[2]);
    }
    char text[3 * TEXT_CAPACITY], other[PATH_CAPACITY];
    bool is_collider = bodies[1] >= model->body_count;
    snprintf(other, sizeof other,
             bodies[0] == bodies[1] ? "itself" : (is_collider ? "collider %s" : "body %s"),
             model->bodies[bodies[1]].name);
    snprintf(text, sizeof text,
             "the surface of body %s crosses or touches %s at the start, in %s%lld %s of "
             "triangles, by vertices: %s; barriers need a gap, so move them apart%s",
             model->bodies[bodies[0]].name, other,
             count >= PLI_CROSSINGS_COUNTED ? "at least " : "", (long long)count,
             count == 1 ? "pair" : "pairs", pairs.text, way_out(scene));
    return refuse_body(model, scene, bodies[0], text);
}

static pli_status check_surfaces(const pli_model *model, const pli_scene *scene)
{
    int32_t pair[2];
    PLI_TRY(find_crossing_pair(model, pair));
    if (pair[0] < 0) return PLI_OK;

    // once more, for all crossings that these two have
    surfaces two;
    pli_crossing crossings[LISTED + 1];
    int64_t count = 0;
    PLI_TRY(collect_surfaces(model, pair, &two));
    pli_status status = find_crossings(&two, LISTED + 1, crossings, &count);
    if (status == PLI_OK) status = tell_crossings(&two, scene, pair, count, crossings);
    drop_surfaces(&two);
    return status;
}

// ---- bodies inside of colliders

// Where no surfaces cross, a body is inside of a collider or outside of it as a whole, part by
// part; what is deeper than the triangles can be from the shape is inside.
static pli_status check_collider(const pli_model *model, const pli_scene *scene, int32_t index,
                                 const pli_model_body *body)
{
    const pli_model_collider *collider = &model->colliders[index];
    const pli_collider_def *def = &pli_scene_get(scene)->colliders[index];
    int32_t severity = pli_scene_get(scene)->checks.collider_overlap;
    double allowed = collider->margin - collider->deviation - 1e-9 * model->size;
    listing inside = {0};
    for (int32_t k = 0; k < body->vertex_count; ++k) {
        const double *x = model->start + 3 * ((int64_t)body->first_vertex + k);
        double value = pli_shape_value(collider->shape, x);
        if (value < allowed) list(&inside, "%d (%.3g m)", (int)k, collider->margin - value);
    }
    if (inside.count == 0) return PLI_OK;
    char path[PATH_CAPACITY], text[2 * TEXT_CAPACITY];
    snprintf(path, sizeof path, "colliders.%s", def->name);
    snprintf(text, sizeof text,
             "%lld %s of body %s %s inside of this collider: %s; move them apart, or write checks: "
             "{collider_overlap: warning}",
             (long long)inside.count, inside.count == 1 ? "vertex" : "vertices", body->name,
             inside.count == 1 ? "starts" : "start", inside.text);
    pli_visit at = {.path = path, .holder = def};
    if (severity == PLI_SEVERITY_ERROR) {
        return pli_scene_fail(scene, PLI_ERROR_SCENE, &at, "%s", text);
    }
    pli_scene_warn(scene, &at, "%s", text);
    return PLI_OK;
}

static pli_status check_colliders(const pli_model *model, const pli_scene *scene)
{
    if (pli_scene_get(scene)->checks.collider_overlap == PLI_SEVERITY_IGNORE) return PLI_OK;
    for (int32_t k = model->body_count; k < pli_model_things(model); ++k) {
        for (int32_t body = 0; body < model->body_count; ++body) {
            if (!pli_barrier_collides(model, body, k)) continue;
            PLI_TRY(check_collider(model, scene, model->bodies[k].source, &model->bodies[body]));
        }
    }
    return PLI_OK;
}

// ---- parts inside of others

// What hangs together, with one of its vertices, and whether that is inside of other matter. Where
// no surfaces cross, all of a part is on the side of the others that this vertex is on.
typedef struct nesting {
    const pli_model *model;
    int32_t *part_of; // [vertex_count] smallest vertex of the part
    int32_t part;
    int32_t body; // that the part is of
    int32_t host; // body that it is inside of; -1: none
} nesting;

static int32_t body_of_vertex(const pli_model *model, int32_t vertex)
{
    // bodies follow one another
    int32_t low = 0;
    int32_t high = pli_model_things(model) - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        const pli_model_body *body = &model->bodies[middle];
        if (vertex < body->first_vertex + body->vertex_count) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static bool is_other_part(void *user, int32_t tet)
{
    nesting *n = user;
    int32_t corner = n->model->cells[4 * (int64_t)tet];
    if (n->part_of[corner] == n->part) return false;
    return pli_barrier_collides(n->model, n->body, body_of_vertex(n->model, corner));
}

static bool note_host(void *user, int32_t tet)
{
    nesting *n = user;
    n->host = body_of_vertex(n->model, n->model->cells[4 * (int64_t)tet]);
    return false;
}

static void join_cells(int32_t *parent, int64_t count, int32_t corner_count, const int32_t *cells)
{
    for (int64_t k = 0; k < count * corner_count; ++k) {
        pli_union_join(parent, cells[k - k % corner_count], cells[k]);
    }
}

// Finds the parts of a model; returns how many there are.
static int32_t find_parts(const pli_model *model, int32_t *part_of)
{
    int32_t count = 0;
    for (int32_t k = 0; k < model->vertex_count; ++k) part_of[k] = k;
    join_cells(part_of, model->cell_count, 4, model->cells);
    join_cells(part_of, model->triangle_count, 3, model->triangles);
    for (int32_t k = 0; k < model->vertex_count; ++k) {
        part_of[k] = pli_union_root(part_of, k);
        count += part_of[k] == k;
    }
    return count;
}

static pli_status tell_nested(const nesting *n, const pli_scene *scene)
{
    const pli_model *model = n->model;
    const pli_model_body *body = &model->bodies[n->body];
    int32_t severity = pli_scene_get(scene)->checks.body_overlap;
    char text[2 * TEXT_CAPACITY], other[PATH_CAPACITY];
    snprintf(other, sizeof other, n->host == n->body ? "the body itself" : "body %s",
             model->bodies[n->host].name);
    snprintf(text, sizeof text,
             "a part of body %s, that of vertex %d, starts inside of %s; move them apart, or write "
             "checks: {body_overlap: warning}",
             body->name, (int)(n->part - body->first_vertex), other);
    if (severity == PLI_SEVERITY_ERROR) return refuse_body(model, scene, n->body, text);
    PLI_LOG(model->context, PLI_LOG_WARNING, "%s", text);
    return PLI_OK;
}

static pli_status check_parts(nesting *n, const pli_scene *scene, const pli_tet_locate *locate)
{
    const pli_model *model = n->model;
    for (n->part = 0; n->part < model->vertex_count; ++n->part) {
        if (n->part_of[n->part] != n->part) continue;
        n->body = body_of_vertex(model, n->part);
        n->host = -1;
        pli_tet_query query = {.point = model->start + 3 * (int64_t)n->part,
                               .skip_vertex = -1,
                               .want = is_other_part,
                               .visit = note_host,
                               .user = n};
        pli_tet_locate_query(locate, &query);
        if (n->host >= 0) PLI_TRY(tell_nested(n, scene));
    }
    return PLI_OK;
}

// Matter must not start inside of matter, of which surfaces alone know nothing.
static pli_status check_nesting(const pli_model *model, const pli_scene *scene)
{
    if (pli_scene_get(scene)->checks.body_overlap == PLI_SEVERITY_IGNORE) return PLI_OK;
    pli_context *context = model->context;
    nesting n = {.model = model};
    pli_tet_locate *locate = NULL;
    PLI_TRY(PLI_MAKE(context, n.part_of, model->vertex_count, "parts"));
    pli_status status = PLI_OK;
    if (model->tet_count == 0 || find_parts(model, n.part_of) < 2) goto done;
    status = pli_tet_locate_create(context, model->vertex_count, model->start, model->cell_count,
                                   model->cells, &locate);
    if (status == PLI_OK) status = check_parts(&n, scene, locate);

done:
    pli_tet_locate_destroy(locate);
    pli_release(context, n.part_of);
    return status;
}

pli_status pli_barrier_check(const pli_model *model, const pli_scene *scene)
{
    for (int32_t k = 0; k < model->body_count; ++k) PLI_TRY(check_tets(model, scene, k));
    PLI_TRY(check_planes(model, scene));
    PLI_TRY(check_surfaces(model, scene));
    PLI_TRY(check_colliders(model, scene));
    return check_nesting(model, scene);
}
