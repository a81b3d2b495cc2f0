// SPDX-License-Identifier: Apache-2.0
#include "render/picture.h"

#include "geometry/collision/bounds.h"
#include "geometry/mesh/boundary.h"
#include "io/frames/frame_part.h"
#include "math/vec3.h"

#include <string.h>

// Triangles of one part, whatever kind it is.
typedef struct part_faces {
    int32_t count;
    const int32_t *triangles; // [count][3]  point ids
    const int32_t *cell;      // [count]     the cell behind each; NULL: the triangle itself
    uint8_t *group;           // [count]     pli_picture_group; NULL: all are solid
    int32_t first_vertex;     // of the part in the mesh
} part_faces;

static pli_status check_part(pli_context *context, const pli_frame_part *part)
{
    if (part->kind == PLI_PART_POINTS) return PLI_OK;
    int64_t corners = part->kind == PLI_PART_TETS10 ? 10 : part->kind == PLI_PART_TETS ? 4 : 3;
    if (part->cell_count > INT32_MAX / 4) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "part '%s' has %d cells; at most %d can be drawn", part->name,
                        part->cell_count, INT32_MAX / 4);
    }
    for (int64_t i = 0; i < corners * part->cell_count; ++i) {
        if (part->cells[i] >= 0 && part->cells[i] < part->point_count) continue;
        return PLI_FAIL(context, PLI_ERROR_MESH,
                        "part '%s', cell %lld: point %d is outside 0 to %d", part->name,
                        (long long)(i / corners), part->cells[i], part->point_count - 1);
    }
    return PLI_OK;
}

// The mean of the corners of a cell, which nodes on edges stand behind.
static void cell_middle(const pli_frame_part *part, int64_t cell, int64_t stride, double middle[3])
{
    int64_t corners = stride == 10 ? 4 : stride;
    pli_vec3_set(0, 0, 0, middle);
    for (int64_t k = 0; k < corners; ++k) {
        int64_t point = part->cells[stride * cell + k];
        pli_vec3_add_scaled(middle, 1.0 / (double)corners, part->points + 3 * point, middle);
    }
}

// Tetrahedra that a section leaves: their corners, and which of the part's they are.
static pli_status cut_tets(const pli_picture_def *def, const pli_frame_part *part,
                           pli_arena *scratch, pli_tets *tets, int32_t **cells)
{
    int64_t parts = part->kind == PLI_PART_TETS10 ? PLI_TET_PARTS : 1;
    int64_t stride = part->kind == PLI_PART_TETS10 ? 10 : 4;
    int32_t *kept = pli_arena_ints(scratch, 4 * parts * part->cell_count, "picture section");
    *cells = pli_arena_ints(scratch, parts * part->cell_count, "picture section");
    if (kept == NULL || *cells == NULL) return PLI_ERROR_MEMORY;
    tets->tet_count = 0;
    tets->tets = kept;
    for (int32_t cell = 0; cell < part->cell_count; ++cell) {
        double middle[3];
        const int32_t *nodes = part->cells + stride * cell;
        cell_middle(part, cell, stride, middle);
        if (def->section.cuts && pli_picture_is_cut(def, middle)) continue;
        int32_t *to = kept + 4 * (int64_t)tets->tet_count;
        if (parts == 1) memcpy(to, nodes, 4 * sizeof *kept);
        if (parts > 1) pli_tet_split(nodes, nodes + 4, to);
        for (int64_t k = 0; k < parts; ++k) (*cells)[tets->tet_count++] = cell;
    }
    return PLI_OK;
}

// The boundary of tetrahedra, or of those that a section leaves.
static pli_status build_tet_faces(const pli_picture_def *def, const pli_frame_part *part,
                                  pli_arena *scratch, part_faces *faces)
{
    pli_tets tets = {part->point_count, part->points, part->cell_count, part->cells};
    int32_t *cells = NULL;
    pli_boundary boundary;
    bool split = part->kind == PLI_PART_TETS10;
    if (def->section.cuts || split) PLI_TRY(cut_tets(def, part, scratch, &tets, &cells));
    PLI_TRY(pli_boundary_build(&tets, scratch, &boundary));
    for (int32_t i = 0; cells != NULL && i < boundary.triangle_count; ++i) {
        boundary.tet[i] = cells[boundary.tet[i]];
    }
    *faces = (part_faces){
        .count = boundary.triangle_count, .triangles = boundary.triangles, .cell = boundary.tet};
    return PLI_OK;
}

static pli_status build_faces(pli_context *context, const pli_picture_def *def,
                              const pli_frame_part *part, pli_arena *scratch, part_faces *faces)
{
    *faces = (part_faces){0};
    PLI_TRY(check_part(context, part));
    if (part->kind == PLI_PART_TRIANGLES) {
        *faces = (part_faces){.count = part->cell_count, .triangles = part->cells};
    } else if (part->kind == PLI_PART_TETS || part->kind == PLI_PART_TETS10) {
        PLI_TRY(build_tet_faces(def, part, scratch, faces));
    }
    return PLI_OK;
}

// Sorts the triangles of a part into groups; those that are cut away are left out.
static pli_status sort_faces(const pli_picture_def *def, const pli_picture_stage *stage,
                             const pli_frame_part *part, pli_arena *scratch, part_faces *faces)
{
    bool is_collider = pli_picture_is_collider(part);
    bool is_cut = def->section.cuts && part->kind == PLI_PART_TRIANGLES;
    if (faces->count == 0 || (!is_collider && !is_cut)) return PLI_OK;
    faces->group = pli_arena_take(scratch, faces->count, 1, "picture groups");
    if (faces->group == NULL) return PLI_ERROR_MEMORY;
    memset(faces->group, PLI_PICTURE_SOLID, (size_t)faces->count);
    if (is_collider) {
        PLI_TRY(pli_picture_collider_sort(def, stage, part, scratch, faces->group));
    }
    for (int32_t i = 0; is_cut && i < faces->count; ++i) {
        double middle[3];
        cell_middle(part, i, 3, middle);
        if (pli_picture_is_cut(def, middle)) faces->group[i] = PLI_PICTURE_LEFT_OUT;
    }
    return PLI_OK;
}

static void add_box(const pli_frame *frame, bool colliders, pli_bounds *box)
{
    for (int32_t i = 0; i < frame->part_count; ++i) {
        const pli_frame_part *part = &frame->parts[i];
        if (pli_picture_is_collider(part) != colliders) continue;
        for (int64_t p = 0; p < part->point_count; ++p) {
            const double *point = part->points + 3 * p;
            if (pli_picture_is_drawable(point)) pli_bounds_add_point(box, point);
        }
    }
}

// the middle of the bodies, so that single precision is spent on them and not on their place
static void measure_box(const pli_frame *frame, pli_picture_mesh *mesh)
{
    pli_bounds box = pli_bounds_empty();
    pli_bounds colliders = pli_bounds_empty();
    add_box(frame, false, &box);
    add_box(frame, true, &colliders);
    if (pli_bounds_is_empty(&box)) box = colliders;
    if (pli_bounds_is_empty(&box)) return;
    for (int k = 0; k < 3; ++k) mesh->origin[k] = 0.5 * (box.min[k] + box.max[k]);
    mesh->size = pli_vec3_distance(box.min, box.max);
    colliders = pli_bounds_union(box, colliders);
    mesh->reach = pli_vec3_distance(colliders.min, colliders.max);
}

static pli_status allocate_mesh(pli_context *context, const pli_frame *frame, bool by_field,
                                const part_faces *faces, pli_arena *scratch, pli_picture_mesh *mesh)
{
    int64_t vertices = 0;
    int64_t triangles = 0;
    int64_t spheres = 0;
    for (int32_t i = 0; i < frame->part_count; ++i) {
        bool points = frame->parts[i].kind == PLI_PART_POINTS;
        *(points ? &spheres : &vertices) += frame->parts[i].point_count;
        triangles += faces[i].count;
    }
    // corners and coordinates are counted in 32 bits too
    int64_t most = INT32_MAX / 4;
    if (vertices > most || triangles > most || spheres > most) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "the frame has more than %lld vertices, triangles or particles",
                        (long long)most);
    }

    // Embree reads 16 bytes at each vertex
    mesh->vertices = pli_arena_take(scratch, 3 * vertices + 4, sizeof(float), "picture vertices");
    mesh->triangles =
        pli_arena_take(scratch, 3 * triangles + 1, sizeof(uint32_t), "picture triangles");
    mesh->normals = pli_arena_take(scratch, 9 * triangles, sizeof(float), "picture normals");
    mesh->triangle_part = pli_arena_ints(scratch, triangles, "picture triangle parts");
    mesh->spheres = pli_arena_take(scratch, 4 * spheres, sizeof(float), "picture spheres");
    mesh->sphere_part = pli_arena_ints(scratch, spheres, "picture sphere parts");
    mesh->part_has_field =
        pli_arena_take(scratch, frame->part_count, sizeof(bool), "picture parts");
    mesh->part_is_collider =
        pli_arena_take(scratch, frame->part_count, sizeof(bool), "picture parts");
    if (mesh->vertices == NULL || mesh->triangles == NULL || mesh->normals == NULL ||
        mesh->triangle_part == NULL || mesh->spheres == NULL || mesh->sphere_part == NULL ||
        mesh->part_has_field == NULL || mesh->part_is_collider == NULL) {
        return PLI_ERROR_MEMORY;
    }
    if (!by_field) return PLI_OK;
    mesh->values = pli_arena_take(scratch, 3 * triangles, sizeof(float), "picture values");
    mesh->sphere_values = pli_arena_take(scratch, spheres, sizeof(float), "picture sphere values");
    return mesh->values != NULL && mesh->sphere_values != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

static void add_vertices(const pli_frame_part *part, pli_picture_mesh *mesh)
{
    float *vertices = mesh->vertices + 3 * (int64_t)mesh->vertex_count;
    for (int64_t i = 0; i < part->point_count; ++i) {
        bool drawable = pli_picture_is_drawable(part->points + 3 * i);
        for (int k = 0; k < 3; ++k) {
            double x = drawable ? part->points[3 * i + k] - mesh->origin[k] : 0;
            vertices[3 * i + k] = (float)x;
        }
    }
    mesh->vertex_count += part->point_count;
}

// values of the field at the corners of a triangle, or the value of its cell at all three
static void set_values(const pli_picture_def *def, const pli_frame_field *field,
                       const int32_t points[3], int32_t cell, float values[3])
{
    for (int k = 0; k < 3; ++k) {
        int32_t item = field->place == PLI_PLACE_POINT ? points[k] : cell;
        values[k] = (float)pli_picture_field_value(def, field, item);
    }
}

// The triangles of a part that belong to a group.
typedef struct triangle_source {
    const pli_frame_part *part;
    int32_t part_index;
    const part_faces *faces;
    pli_picture_group group;
} triangle_source;

static void add_triangles(const pli_picture_def *def, const triangle_source *source,
                          pli_picture_mesh *mesh)
{
    const pli_frame_part *part = source->part;
    const part_faces *faces = source->faces;
    const pli_frame_field *field = pli_picture_find_field(def, part);
    for (int32_t i = 0; i < faces->count; ++i) {
        int group = faces->group != NULL ? faces->group[i] : PLI_PICTURE_SOLID;
        if (group != (int)source->group) continue;
        const int32_t *points = faces->triangles + 3 * (int64_t)i;
        bool drawable = true;
        for (int k = 0; k < 3; ++k) {
            drawable = drawable && pli_picture_is_drawable(part->points + 3 * (int64_t)points[k]);
        }
        if (!drawable) continue;
        int64_t triangle = mesh->triangle_count++;
        for (int k = 0; k < 3; ++k) {
            mesh->triangles[3 * triangle + k] = (uint32_t)(faces->first_vertex + points[k]);
        }
        mesh->triangle_part[triangle] = source->part_index;
        if (field == NULL) continue;
        int32_t cell = faces->cell != NULL ? faces->cell[i] : i;
        set_values(def, field, points, cell, mesh->values + 3 * triangle);
    }
}

static void add_spheres(const pli_picture_def *def, const pli_frame *frame, int32_t part_index,
                        double otherwise, pli_picture_mesh *mesh)
{
    const pli_frame_part *part = &frame->parts[part_index];
    const pli_frame_field *field = pli_picture_find_field(def, part);
    const pli_frame_field *radii = pli_part_find_radius(part);
    for (int64_t i = 0; i < part->point_count; ++i) {
        const double *point = part->points + 3 * i;
        if (!pli_picture_is_drawable(point) || pli_picture_is_cut(def, point)) continue;
        double radius = pli_picture_radius_of(def, part, radii, i, otherwise);
        int64_t sphere = mesh->sphere_count++;
        for (int k = 0; k < 3; ++k) {
            mesh->spheres[4 * sphere + k] = (float)(point[k] - mesh->origin[k]);
        }
        mesh->spheres[4 * sphere + 3] = (float)radius;
        mesh->size = fmax(mesh->size, 2 * radius);
        mesh->sphere_part[sphere] = part_index;
        if (field != NULL) {
            mesh->sphere_values[sphere] = (float)pli_picture_field_value(def, field, i);
        }
    }
}

static void add_parts(const pli_picture_def *def, const pli_frame *frame, double particle_radius,
                      part_faces *faces, pli_picture_mesh *mesh)
{
    for (int32_t i = 0; i < frame->part_count; ++i) {
        const pli_frame_part *part = &frame->parts[i];
        mesh->part_has_field[i] = pli_picture_find_field(def, part) != NULL;
        mesh->part_is_collider[i] = pli_picture_is_collider(part);
        if (part->kind == PLI_PART_POINTS) {
            add_spheres(def, frame, i, particle_radius, mesh);
        } else {
            faces[i].first_vertex = mesh->vertex_count;
            add_vertices(part, mesh);
        }
    }
    for (int group = 0; group < PLI_PICTURE_GROUPS; ++group) {
        for (int32_t i = 0; i < frame->part_count; ++i) {
            triangle_source source = {&frame->parts[i], i, &faces[i], (pli_picture_group)group};
            add_triangles(def, &source, mesh);
        }
        mesh->group_end[group] = mesh->triangle_count;
    }
}

pli_status pli_picture_mesh_build(pli_context *context, const pli_picture_def *def,
                                  const pli_frame *frame, const pli_picture_stage *stage,
                                  pli_arena *scratch, pli_picture_mesh *mesh)
{
    *mesh = (pli_picture_mesh){0};
    part_faces *faces = pli_arena_take(scratch, frame->part_count, sizeof *faces, "picture faces");
    if (faces == NULL) return PLI_ERROR_MEMORY;
    for (int32_t i = 0; i < frame->part_count; ++i) {
        PLI_TRY(build_faces(context, def, &frame->parts[i], scratch, &faces[i]));
        PLI_TRY(sort_faces(def, stage, &frame->parts[i], scratch, &faces[i]));
    }
    measure_box(frame, mesh);
    bool by_field = def->field != NULL && def->field[0] != '\0';
    PLI_TRY(allocate_mesh(context, frame, by_field, faces, scratch, mesh));
    add_parts(def, frame, stage->particle_radius, faces, mesh);
    return pli_picture_normals_build(context, scratch, mesh);
}
