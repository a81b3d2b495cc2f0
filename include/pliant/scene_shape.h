// SPDX-License-Identifier: Apache-2.0
//
// Parts of scenes: shapes, meshes given as arrays, selections, motion by script. See scene.h.
#ifndef PLIANT_SCENE_SHAPE_H
#define PLIANT_SCENE_SHAPE_H

#include "pliant/schema.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- shapes: signed distance, negative inside ------------------------------------------------

typedef enum pli_shape_kind {
    PLI_SHAPE_PLANE,
    PLI_SHAPE_BOX,
    PLI_SHAPE_SPHERE,
    PLI_SHAPE_ELLIPSOID,
    PLI_SHAPE_CAPSULE,
    PLI_SHAPE_CYLINDER,
    PLI_SHAPE_CONE,
    PLI_SHAPE_TORUS,
    PLI_SHAPE_HEIGHT_FIELD,
    PLI_SHAPE_UNION,
    PLI_SHAPE_INTERSECTION,
    PLI_SHAPE_DIFFERENCE,
    PLI_SHAPE_SHELL,
    PLI_SHAPE_TRANSFORM,
    PLI_SHAPE_REPETITION,
    PLI_SHAPE_TWIST,
    PLI_SHAPE_STRUTS,
    PLI_SHAPE_GYROID,
    PLI_SHAPE_MESH,
    PLI_SHAPE_RECIPE,
    PLI_SHAPE_COMPLEMENT,
    PLI_SHAPE_SAMPLED,
    PLI_SHAPE_OWN
} pli_shape_kind;

typedef struct pli_plane_def {
    double point[3];  // a point on the plane (m)
    double normal[3]; // towards the outside
} pli_plane_def;

typedef struct pli_box_def {
    double center[3]; // m
    double size[3];   // edge lengths (m)
    double rounding;  // radius of edges and corners (m)
} pli_box_def;

typedef struct pli_sphere_def {
    double center[3]; // m
    double radius;    // m
} pli_sphere_def;

typedef struct pli_ellipsoid_def {
    double center[3]; // m
    double radii[3];  // m
} pli_ellipsoid_def;

typedef struct pli_segment_def { // capsule, cylinder
    double start[3];             // end points of the axis (m)
    double end[3];
    double radius; // m
} pli_segment_def;

typedef struct pli_cone_def {
    double start[3]; // end points of the axis (m)
    double end[3];
    double start_radius; // m
    double end_radius;   // m, 0 for a point
} pli_cone_def;

typedef struct pli_torus_def {
    double center[3];   // m
    double axis[3];     // of revolution
    double radius;      // centre to tube centre (m)
    double tube_radius; // m
} pli_torus_def;

typedef struct pli_height_field_def {
    double origin[3];      // corner with the smallest x and z (m)
    double size[2];        // extent along x and z (m)
    int32_t columns;       // samples along x
    int32_t rows;          // samples along z
    const double *heights; // [rows][columns], y above origin (m)
    int32_t height_count;
} pli_height_field_def;

typedef struct pli_combination_def { // union, intersection, difference (first minus the others)
    const pli_variant *shapes;
    int32_t shape_count;
    double smooth; // blending radius (m), 0: sharp
} pli_combination_def;

typedef struct pli_shell_def {
    pli_variant shape;
    double thickness; // m, centred on the shape's surface
} pli_shell_def;

typedef struct pli_transform_def {
    pli_variant shape;
    double translate[3]; // m, applied last
    double axis[3];      // of rotation
    double angle;        // degrees
    double scale;        // uniform, applied first
} pli_transform_def;

typedef struct pli_repetition_def {
    pli_variant shape;
    double spacing[3]; // m; 0: not repeated along this axis
    int32_t count[3];  // copies along each axis, centred on the original
} pli_repetition_def;

typedef struct pli_twist_def {
    pli_variant shape;
    double rate; // degrees per metre along y
} pli_twist_def;

typedef struct pli_struts_def { // lattice of struts along the edges of cubes
    double cell;                // edge of a cube (m)
    double radius;              // of a strut (m)
} pli_struts_def;

typedef struct pli_gyroid_def {
    double cell;      // period (m)
    double thickness; // of the sheet (m)
} pli_gyroid_def;

typedef struct pli_complement_def { // inside out: everything that is not the shape
    pli_variant shape;
} pli_complement_def;

typedef enum pli_interpolation { PLI_INTERPOLATE_LINEAR, PLI_INTERPOLATE_CUBIC } pli_interpolation;

typedef struct pli_sampled_def { // the distance of another shape, sampled on a grid
    pli_variant shape;
    int32_t resolution;    // samples along the longest edge
    int32_t interpolation; // pli_interpolation
} pli_sampled_def;

typedef struct pli_recipe_def { // a named stand-in shape that fits into a box of the given size
    const char *name;
    double size; // longest edge of its bounding box (m)
} pli_recipe_def;

typedef struct pli_named_value {
    const char *name;
    double value;
    const char *unit;                    // of the value; NULL or "": that of the input
    const struct pli_paint_def *painted; // over value or direction, or keyed; see scene_body.h
    int32_t painted_count;               // 0 or 1
    const double *direction; // [3] instead of value, where a direction is wanted; NULL: a number
    int32_t direction_count; // 3 or 0
} pli_named_value;

typedef struct pli_own_shape_def { // a shape that the context knows, see extend.h
    const char *name;
    const pli_named_value *parameters; // its inputs, by their keys
    int32_t parameter_count;
} pli_own_shape_def;

// ---- meshes given as arrays -------------------------------------------------------------------

typedef enum pli_mesh_place { PLI_MESH_POINTS, PLI_MESH_TETS, PLI_MESH_TRIANGLES } pli_mesh_place;

// Values on a mesh by name, such as Gmsh's $ElementData or the arrays of VTK.
typedef struct pli_mesh_array {
    const char *name;
    int32_t place; // pli_mesh_place
    int32_t component_count;
    const double *values; // [count of the place][component_count]; not a number: none is known
} pli_mesh_array;

typedef struct pli_mesh_data {
    int32_t point_count;
    const double *points; // [point_count][3] (m)
    int32_t tet_count;
    const int32_t *tets; // [tet_count][4]
    int32_t triangle_count;
    const int32_t *triangles; // [triangle_count][3]
    // groups of cells by name, such as Gmsh's physical groups; tags are indices into group_names,
    // -1: none. NULL arrays: no groups at all
    int32_t group_count;
    const char *const *group_names;
    const int32_t *tet_groups;      // [tet_count]
    const int32_t *triangle_groups; // [triangle_count]
    // where cells stand, for messages: the line of each, and the name of the file beside that of
    // the mesh if they have one of their own. NULL: not known, as of binary files and meshes of
    // programs
    const int32_t *tet_lines;      // [tet_count]
    const int32_t *triangle_lines; // [triangle_count]
    const char *tet_file;
    const char *triangle_file;
    int32_t array_count;
    const pli_mesh_array *arrays;
    // nodes on the edges 01, 12, 02, 03, 13, 23 of tetrahedra of second order; NULL: all are of
    // first order
    const int32_t *tet_mids; // [tet_count][6]
    // points in groups of their own, such as node sets: pairs of a group and a point
    int32_t set_count;
    const int32_t *set_groups; // [set_count]
    const int32_t *set_points; // [set_count]
} pli_mesh_data;

// How many values an array of a mesh has a component of.
static inline int32_t pli_mesh_place_count(const pli_mesh_data *mesh, int32_t place)
{
    return place == PLI_MESH_POINTS ? mesh->point_count
           : place == PLI_MESH_TETS ? mesh->tet_count
                                    : mesh->triangle_count;
}

typedef struct pli_file_def { // a mesh from a file; `mesh` holds its content once loaded
    const char *path;         // relative to the scene file
    const pli_mesh_data *mesh;
    int32_t resolution;    // as a shape: samples along the longest edge of the distance grid
    int32_t interpolation; // as a shape: pli_interpolation between the samples
} pli_file_def;

// ---- selections of vertices and tetrahedra, where the body is at the start -------------------

typedef enum pli_selection_kind {
    PLI_SELECT_ALL,
    PLI_SELECT_BOX,
    PLI_SELECT_SPHERE,
    PLI_SELECT_HALF_SPACE,
    PLI_SELECT_GROUP,
    PLI_SELECT_VERTICES
} pli_selection_kind;

typedef struct pli_select_all_def {
    int32_t unused;
} pli_select_all_def;

typedef struct pli_select_box_def {
    double min[3]; // m; the box includes its faces
    double max[3];
} pli_select_box_def;

typedef struct pli_half_space_def { // where (x - point) . normal >= 0
    double point[3];
    double normal[3];
} pli_half_space_def;

typedef struct pli_group_def {
    const char *name; // a group of the body's mesh file or recipe
} pli_group_def;

typedef struct pli_vertices_def {
    const int32_t *ids;
    int32_t id_count;
} pli_vertices_def;

// ---- motion by script -------------------------------------------------------------------------

typedef struct pli_motion_segment_def { // moves on from where the segment before it ended
    double duration;                    // s
    double velocity[3];                 // m/s
    double axis[3];                     // of rotation, through the moving centre
    double spin;                        // degrees per second about the axis
    double stretch[3]; // growth of the extent along x, y, z per second, relative to the start
} pli_motion_segment_def;

typedef struct pli_keyframe_def {
    double time;         // s
    double translate[3]; // m from the start
    double axis[3];
    double angle;    // degrees
    double scale[3]; // about the centre
} pli_keyframe_def;

typedef enum pli_motion_after { PLI_MOTION_HOLD, PLI_MOTION_RELEASE } pli_motion_after;
typedef enum pli_motion_ease { PLI_EASE_LINEAR, PLI_EASE_SMOOTH } pli_motion_ease;

typedef struct pli_motion_def { // segments or keyframes, not both; neither: stands still
    const pli_motion_segment_def *segments;
    int32_t segment_count;
    const pli_keyframe_def *keyframes;
    int32_t keyframe_count;
    int32_t ease;         // pli_motion_ease, between keyframes
    int32_t after;        // pli_motion_after, once the script is over
    const double *center; // [3] of rotation and stretching (m); none: centroid of what moves
    int32_t center_count; // 0 or 3
} pli_motion_def;

#ifdef __cplusplus
}
#endif

#endif
