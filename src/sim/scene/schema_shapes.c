// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/schema.h"

static const pli_field plane_fields[] = {
    {.key = "point",
     PLI_VECTOR(pli_plane_def, point),
     .fallback = PLI_ORIGIN_DEFAULT,
     PLI_COORDINATE,
     .doc = "A point on the plane."},
    {.key = "normal",
     PLI_VECTOR(pli_plane_def, normal),
     .fallback = PLI_AXIS_DEFAULT,
     PLI_DIRECTION,
     .doc = "Direction towards the outside, of any length."},
};
static const pli_schema plane_schema = {.name = "plane",
                                        .doc = "Everything on the inner side of a plane.",
                                        .size = sizeof(pli_plane_def),
                                        PLI_TABLE(plane_fields)};

static const pli_field box_fields[] = {
    {PLI_CENTER, PLI_VECTOR(pli_box_def, center)},
    {.key = "size",
     PLI_VECTOR(pli_box_def, size),
     .flags = PLI_FIELD_REQUIRED,
     PLI_EXTENT,
     .doc = "Edge lengths along x, y, z."},
    {.key = "rounding",
     PLI_REAL(pli_box_def, rounding),
     .fallback = "0",
     PLI_EXTENT_OR_NONE,
     .doc = "Radius of edges and corners."},
};
static const pli_schema box_schema = {.name = "box",
                                      .doc = "A box along the axes.",
                                      .size = sizeof(pli_box_def),
                                      PLI_TABLE(box_fields)};

static const pli_field sphere_fields[] = {
    {PLI_CENTER, PLI_VECTOR(pli_sphere_def, center)},
    {.key = "radius",
     PLI_REAL(pli_sphere_def, radius),
     .flags = PLI_FIELD_REQUIRED,
     PLI_EXTENT,
     .doc = "Radius."},
};
static const pli_schema sphere_schema = {.name = "sphere",
                                         .doc = "A ball.",
                                         .size = sizeof(pli_sphere_def),
                                         .scalar_key = "radius",
                                         PLI_TABLE(sphere_fields)};

static const pli_field ellipsoid_fields[] = {
    {PLI_CENTER, PLI_VECTOR(pli_ellipsoid_def, center)},
    {.key = "radii",
     PLI_VECTOR(pli_ellipsoid_def, radii),
     .flags = PLI_FIELD_REQUIRED,
     PLI_EXTENT,
     .doc = "Half axes along x, y, z."},
};
static const pli_schema ellipsoid_schema = {.name = "ellipsoid",
                                            .doc = "An ellipsoid along the axes.",
                                            .size = sizeof(pli_ellipsoid_def),
                                            PLI_TABLE(ellipsoid_fields)};

// rows of the axis of what is round
#define AXIS_START \
    .key = "start", .fallback = PLI_ORIGIN_DEFAULT, PLI_COORDINATE, .doc = "One end of the axis."
#define AXIS_END \
    .key = "end", .flags = PLI_FIELD_REQUIRED, PLI_COORDINATE, .doc = "The other end of the axis."

static const pli_field segment_fields[] = {
    {AXIS_START, PLI_VECTOR(pli_segment_def, start)},
    {AXIS_END, PLI_VECTOR(pli_segment_def, end)},
    {.key = "radius",
     PLI_REAL(pli_segment_def, radius),
     .flags = PLI_FIELD_REQUIRED,
     PLI_EXTENT,
     .doc = "Radius."},
};
static const pli_schema capsule_schema = {
    .name = "capsule",
    .doc = "A rod with round ends: all points within a radius of a segment.",
    .size = sizeof(pli_segment_def),
    PLI_TABLE(segment_fields)};
const pli_schema pli_cylinder_schema = {.name = "cylinder",
                                        .doc = "A rod with flat ends.",
                                        .size = sizeof(pli_segment_def),
                                        PLI_TABLE(segment_fields)};

static const pli_field cone_fields[] = {
    {AXIS_START, PLI_VECTOR(pli_cone_def, start)},
    {AXIS_END, PLI_VECTOR(pli_cone_def, end)},
    {.key = "start_radius",
     PLI_REAL(pli_cone_def, start_radius),
     .flags = PLI_FIELD_REQUIRED,
     PLI_EXTENT,
     .doc = "Radius at the start."},
    {.key = "end_radius",
     PLI_REAL(pli_cone_def, end_radius),
     .fallback = "0",
     PLI_EXTENT_OR_NONE,
     .doc = "Radius at the end; 0 makes a point."},
};
const pli_schema pli_cone_schema = {.name = "cone",
                                    .doc = "A cone, or a piece of one, with flat ends.",
                                    .size = sizeof(pli_cone_def),
                                    PLI_TABLE(cone_fields)};

static const pli_field torus_fields[] = {
    {PLI_CENTER, PLI_VECTOR(pli_torus_def, center)},
    {.key = "axis",
     PLI_VECTOR(pli_torus_def, axis),
     .fallback = PLI_AXIS_DEFAULT,
     PLI_DIRECTION,
     .doc = "Axis of revolution, of any length."},
    {.key = "radius",
     PLI_REAL(pli_torus_def, radius),
     .flags = PLI_FIELD_REQUIRED,
     PLI_EXTENT,
     .doc = "From the centre to the middle of the tube."},
    {.key = "tube_radius",
     PLI_REAL(pli_torus_def, tube_radius),
     .flags = PLI_FIELD_REQUIRED,
     PLI_EXTENT,
     .doc = "Radius of the tube."},
};
static const pli_schema torus_schema = {
    .name = "torus", .doc = "A ring.", .size = sizeof(pli_torus_def), PLI_TABLE(torus_fields)};

static const pli_field height_field_fields[] = {
    {.key = "origin",
     PLI_VECTOR(pli_height_field_def, origin),
     .fallback = PLI_ORIGIN_DEFAULT,
     PLI_COORDINATE,
     .doc = "Corner with the smallest x and z."},
    {.key = "width",
     PLI_REAL(pli_height_field_def, size[0]),
     .flags = PLI_FIELD_REQUIRED,
     PLI_EXTENT,
     .doc = "Extent along x."},
    {.key = "depth",
     PLI_REAL(pli_height_field_def, size[1]),
     .flags = PLI_FIELD_REQUIRED,
     PLI_EXTENT,
     .doc = "Extent along z."},
    {.key = "columns",
     PLI_INTEGER(pli_height_field_def, columns),
     .flags = PLI_FIELD_REQUIRED,
     .min = 2,
     .max = 30000,
     .unit = "",
     .doc = "Samples along x."},
    {.key = "rows",
     PLI_INTEGER(pli_height_field_def, rows),
     .flags = PLI_FIELD_REQUIRED,
     .min = 2,
     .max = 30000,
     .unit = "",
     .doc = "Samples along z."},
    {.key = "heights",
     PLI_MEMBERS(PLI_FIELD_REALS, pli_height_field_def, heights, height_count),
     .flags = PLI_FIELD_REQUIRED,
     PLI_COORDINATE,
     .doc = "Heights above the origin, row after row, columns x rows of them."},
};
const pli_schema pli_height_field_schema = {
    .name = "height_field",
    .doc = "Everything below a surface y(x, z) given by samples.",
    .size = sizeof(pli_height_field_def),
    PLI_TABLE(height_field_fields)};

static const pli_field combination_fields[] = {
    {.key = "shapes",
     PLI_MEMBERS(PLI_FIELD_VARIANTS, pli_combination_def, shapes, shape_count),
     .flags = PLI_FIELD_REQUIRED,
     .variants = pli_shape_variants,
     .doc = "The shapes."},
    {.key = "smooth",
     PLI_REAL(pli_combination_def, smooth),
     .fallback = "0",
     PLI_EXTENT_OR_NONE,
     .doc = "Radius of the blend where shapes meet; 0 keeps the edges sharp."},
};
static const pli_schema union_schema = {.name = "union",
                                        .doc = "What lies in any of the shapes.",
                                        .size = sizeof(pli_combination_def),
                                        .scalar_key = "shapes",
                                        PLI_TABLE(combination_fields)};
static const pli_schema intersection_schema = {.name = "intersection",
                                               .doc = "What lies in all of the shapes.",
                                               .size = sizeof(pli_combination_def),
                                               .scalar_key = "shapes",
                                               PLI_TABLE(combination_fields)};
static const pli_schema difference_schema = {.name = "difference",
                                             .doc = "The first shape without the others.",
                                             .size = sizeof(pli_combination_def),
                                             .scalar_key = "shapes",
                                             PLI_TABLE(combination_fields)};

static const pli_field shell_fields[] = {
    {.key = "shape",
     PLI_VARIANT(pli_shell_def, shape, pli_shape_variants),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "The shape whose surface becomes a shell."},
    {.key = "thickness",
     PLI_REAL(pli_shell_def, thickness),
     .flags = PLI_FIELD_REQUIRED,
     PLI_EXTENT,
     .doc = "Thickness, half of it on each side of the surface."},
};
static const pli_schema shell_schema = {.name = "shell",
                                        .doc = "A hollow version of a shape.",
                                        .size = sizeof(pli_shell_def),
                                        PLI_TABLE(shell_fields)};

static const pli_field transform_fields[] = {
    {.key = "shape",
     PLI_VARIANT(pli_transform_def, shape, pli_shape_variants),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "The shape that is moved."},
    {.key = "translate",
     PLI_VECTOR(pli_transform_def, translate),
     .fallback = PLI_ORIGIN_DEFAULT,
     PLI_COORDINATE,
     .doc = "Translation, applied last."},
    {.key = "axis",
     PLI_VECTOR(pli_transform_def, axis),
     .fallback = PLI_AXIS_DEFAULT,
     PLI_DIRECTION,
     .doc = "Axis of rotation through the origin, of any length."},
    {.key = "angle",
     PLI_REAL(pli_transform_def, angle),
     .fallback = "0",
     PLI_DEGREES,
     .doc = "Angle of rotation."},
    {.key = "scale",
     PLI_REAL(pli_transform_def, scale),
     .fallback = "1",
     .min = 1e-9,
     .max = 1e9,
     .unit = "",
     .doc = "Uniform scale about the origin, applied first."},
};
static const pli_schema transform_schema = {.name = "transform",
                                            .doc = "A shape scaled, rotated and moved.",
                                            .size = sizeof(pli_transform_def),
                                            PLI_TABLE(transform_fields)};

static const pli_field repetition_fields[] = {
    {.key = "shape",
     PLI_VARIANT(pli_repetition_def, shape, pli_shape_variants),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "The shape that is repeated."},
    {.key = "spacing",
     PLI_VECTOR(pli_repetition_def, spacing),
     .fallback = PLI_ORIGIN_DEFAULT,
     PLI_EXTENT_OR_NONE,
     .doc = "Distance of copies along x, y, z; 0: not repeated."},
    {.key = "count",
     PLI_TRIPLE(pli_repetition_def, count),
     .fallback = "[1, 1, 1]",
     .min = 1,
     .max = 100000,
     .unit = "",
     .doc = "Copies along x, y, z, centred on the original."},
};
const pli_schema pli_repetition_schema = {.name = "repetition",
                                          .doc = "Copies of a shape on a grid.",
                                          .size = sizeof(pli_repetition_def),
                                          PLI_TABLE(repetition_fields)};

static const pli_field twist_fields[] = {
    {.key = "shape",
     PLI_VARIANT(pli_twist_def, shape, pli_shape_variants),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "The shape that is twisted."},
    {.key = "rate",
     PLI_REAL(pli_twist_def, rate),
     .flags = PLI_FIELD_REQUIRED,
     .min = -1e9,
     .max = 1e9,
     .unit = "deg/m",
     .doc = "Angle per length along y."},
};
static const pli_schema twist_schema = {.name = "twist",
                                        .doc = "A shape twisted about the y axis.",
                                        .size = sizeof(pli_twist_def),
                                        PLI_TABLE(twist_fields)};

static const pli_field struts_fields[] = {
    {.key = "cell",
     PLI_REAL(pli_struts_def, cell),
     .flags = PLI_FIELD_REQUIRED,
     PLI_EXTENT,
     .doc = "Edge length of a cube of the lattice."},
    {.key = "radius",
     PLI_REAL(pli_struts_def, radius),
     .flags = PLI_FIELD_REQUIRED,
     PLI_EXTENT,
     .doc = "Radius of a strut."},
};
static const pli_schema struts_schema = {
    .name = "struts",
    .doc = "An endless lattice of struts along the edges of cubes.",
    .size = sizeof(pli_struts_def),
    PLI_TABLE(struts_fields)};

static const pli_field gyroid_fields[] = {
    {.key = "cell",
     PLI_REAL(pli_gyroid_def, cell),
     .flags = PLI_FIELD_REQUIRED,
     PLI_EXTENT,
     .doc = "Period."},
    {.key = "thickness",
     PLI_REAL(pli_gyroid_def, thickness),
     .flags = PLI_FIELD_REQUIRED,
     PLI_EXTENT,
     .doc = "Thickness of the sheet."},
};
static const pli_schema gyroid_schema = {
    .name = "gyroid",
    .doc = "An endless curved sheet with channels in all directions.",
    .size = sizeof(pli_gyroid_def),
    PLI_TABLE(gyroid_fields)};

static const pli_field complement_fields[] = {
    {.key = "shape",
     PLI_VARIANT(pli_complement_def, shape, pli_shape_variants),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "The shape that is turned inside out."},
};
static const pli_schema complement_schema = {.name = "complement",
                                             .doc = "Everything that is not in a shape.",
                                             .size = sizeof(pli_complement_def),
                                             PLI_TABLE(complement_fields)};

static const char *const interpolation_names[] = {
    [PLI_INTERPOLATE_LINEAR] = "linear", [PLI_INTERPOLATE_CUBIC] = "cubic", NULL};

// samples along the longest edge of a distance grid
#define RESOLUTION .fallback = "64", .min = 8, .max = 1024, .unit = ""

#define INTERPOLATION                            \
    .key = "interpolation", .fallback = "cubic", \
    .doc = "Between the samples: linear, or cubic, which has continuous slopes."

static const pli_field sampled_fields[] = {
    {.key = "shape",
     PLI_VARIANT(pli_sampled_def, shape, pli_shape_variants),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "The shape whose distance is sampled; it must have an end in all directions."},
    {.key = "resolution",
     PLI_INTEGER(pli_sampled_def, resolution),
     RESOLUTION,
     .doc = "Samples of the distance grid along the longest edge of the shape."},
    {INTERPOLATION, PLI_CHOICE(pli_sampled_def, interpolation, interpolation_names)},
};
const pli_schema pli_sampled_schema = {
    .name = "sampled",
    .doc = "A shape whose distance is read from a grid of samples: fast, however intricate it is.",
    .size = sizeof(pli_sampled_def),
    PLI_TABLE(sampled_fields)};

static const pli_field mesh_shape_fields[] = {
    {.key = "path",
     PLI_TEXT(pli_file_def, path),
     .flags = PLI_FIELD_REQUIRED | PLI_FIELD_PATH,
     .doc = "Mesh file with a closed surface."},
    {.key = "resolution",
     PLI_INTEGER(pli_file_def, resolution),
     RESOLUTION,
     .doc = "Samples of the distance grid along the longest edge of the mesh."},
    {INTERPOLATION, PLI_CHOICE(pli_file_def, interpolation, interpolation_names)},
    {.key = "mesh", PLI_MEMBER(PLI_FIELD_MESH, pli_file_def, mesh), .doc = "Content of the file."},
};
const pli_schema pli_mesh_shape_schema = {.name = "mesh",
                                          .doc = "The inside of a closed surface from a file.",
                                          .size = sizeof(pli_file_def),
                                          .scalar_key = "path",
                                          PLI_TABLE(mesh_shape_fields)};

static const pli_field recipe_fields[] = {
    {.key = "name",
     PLI_TEXT(pli_recipe_def, name),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "Which shape."},
    {.key = "size",
     PLI_REAL(pli_recipe_def, size),
     .fallback = "1",
     PLI_EXTENT,
     .doc = "Longest edge of its bounding box."},
};
const pli_schema pli_recipe_schema = {.name = "recipe",
                                      .doc = "A built-in shape by name.",
                                      .size = sizeof(pli_recipe_def),
                                      .scalar_key = "name",
                                      PLI_TABLE(recipe_fields)};

static const pli_field own_fields[] = {
    {.key = "name",
     PLI_TEXT(pli_own_shape_def, name),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "Which shape, by the name that the program gave it."},
    {.key = "parameters",
     PLI_MEMBERS(PLI_FIELD_NAMED, pli_own_shape_def, parameters, parameter_count),
     .schema = &pli_parameter_schema,
     .doc = "Inputs of the shape, by name."},
};
const pli_schema pli_own_shape_schema = {
    .name = "own",
    .doc = "A shape that an embedding program brings along; the program pliant has none.",
    .size = sizeof(pli_own_shape_def),
    .scalar_key = "name",
    PLI_TABLE(own_fields)};

const pli_schema *const pli_shape_variants[] = {[PLI_SHAPE_PLANE] = &plane_schema,
                                                [PLI_SHAPE_BOX] = &box_schema,
                                                [PLI_SHAPE_SPHERE] = &sphere_schema,
                                                [PLI_SHAPE_ELLIPSOID] = &ellipsoid_schema,
                                                [PLI_SHAPE_CAPSULE] = &capsule_schema,
                                                [PLI_SHAPE_CYLINDER] = &pli_cylinder_schema,
                                                [PLI_SHAPE_CONE] = &pli_cone_schema,
                                                [PLI_SHAPE_TORUS] = &torus_schema,
                                                [PLI_SHAPE_HEIGHT_FIELD] = &pli_height_field_schema,
                                                [PLI_SHAPE_UNION] = &union_schema,
                                                [PLI_SHAPE_INTERSECTION] = &intersection_schema,
                                                [PLI_SHAPE_DIFFERENCE] = &difference_schema,
                                                [PLI_SHAPE_SHELL] = &shell_schema,
                                                [PLI_SHAPE_TRANSFORM] = &transform_schema,
                                                [PLI_SHAPE_REPETITION] = &pli_repetition_schema,
                                                [PLI_SHAPE_TWIST] = &twist_schema,
                                                [PLI_SHAPE_STRUTS] = &struts_schema,
                                                [PLI_SHAPE_GYROID] = &gyroid_schema,
                                                [PLI_SHAPE_MESH] = &pli_mesh_shape_schema,
                                                [PLI_SHAPE_RECIPE] = &pli_recipe_schema,
                                                [PLI_SHAPE_COMPLEMENT] = &complement_schema,
                                                [PLI_SHAPE_SAMPLED] = &pli_sampled_schema,
                                                [PLI_SHAPE_OWN] = &pli_own_shape_schema,
                                                NULL};

// ---- selections

static const pli_schema select_all_schema = {
    .name = "all", .doc = "Everything.", .size = sizeof(pli_select_all_def)};

static const pli_field select_box_fields[] = {
    {.key = "min",
     PLI_VECTOR(pli_select_box_def, min),
     .flags = PLI_FIELD_REQUIRED,
     PLI_COORDINATE,
     .doc = "Corner with the smallest coordinates."},
    {.key = "max",
     PLI_VECTOR(pli_select_box_def, max),
     .flags = PLI_FIELD_REQUIRED,
     PLI_COORDINATE,
     .doc = "Corner with the largest coordinates."},
};
const pli_schema pli_select_box_schema = {.name = "box",
                                          .doc = "What lies in a box, faces included.",
                                          .size = sizeof(pli_select_box_def),
                                          PLI_TABLE(select_box_fields)};

static const pli_field half_space_fields[] = {
    {.key = "point",
     PLI_VECTOR(pli_half_space_def, point),
     .fallback = PLI_ORIGIN_DEFAULT,
     PLI_COORDINATE,
     .doc = "A point on the plane."},
    {.key = "normal",
     PLI_VECTOR(pli_half_space_def, normal),
     .flags = PLI_FIELD_REQUIRED | PLI_FIELD_NONZERO,
     .min = -1e9,
     .max = 1e9,
     .unit = "",
     .doc = "Direction from the plane to what is selected."},
};
static const pli_schema half_space_schema = {
    .name = "half_space",
    .doc = "What lies on a plane or on the side its normal points to.",
    .size = sizeof(pli_half_space_def),
    PLI_TABLE(half_space_fields)};

static const pli_field group_fields[] = {
    {.key = "name",
     PLI_TEXT(pli_group_def, name),
     .flags = PLI_FIELD_REQUIRED,
     .doc = "Name of a group of the body's mesh file or recipe."},
};
static const pli_schema group_schema = {
    .name = "group",
    .doc = "A group of the mesh file, such as a physical group of Gmsh, or a part of the recipe.",
    .size = sizeof(pli_group_def),
    .scalar_key = "name",
    PLI_TABLE(group_fields)};

static const pli_field vertices_fields[] = {
    {.key = "ids",
     PLI_MEMBERS(PLI_FIELD_INTEGERS, pli_vertices_def, ids, id_count),
     .flags = PLI_FIELD_REQUIRED,
     .min = 0,
     .max = INT32_MAX,
     .unit = "",
     .doc = "Numbers of the vertices in the body, counted from 0."},
};
static const pli_schema vertices_schema = {.name = "vertices",
                                           .doc = "Vertices by number.",
                                           .size = sizeof(pli_vertices_def),
                                           .scalar_key = "ids",
                                           PLI_TABLE(vertices_fields)};

const pli_schema *const pli_selection_variants[] = {[PLI_SELECT_ALL] = &select_all_schema,
                                                    [PLI_SELECT_BOX] = &pli_select_box_schema,
                                                    [PLI_SELECT_SPHERE] = &sphere_schema,
                                                    [PLI_SELECT_HALF_SPACE] = &half_space_schema,
                                                    [PLI_SELECT_GROUP] = &group_schema,
                                                    [PLI_SELECT_VERTICES] = &vertices_schema,
                                                    NULL};
