// SPDX-License-Identifier: Apache-2.0
#include "scene_samples.h"
#include "support/fault_sweep.h"

#include "io/scene/schema_list.h"
#include "pliant/extend.h"
#include "sim/body/material_resolve.h"
#include "sim/scene/schema.h"

// ---- the tables

static bool is_number(pli_item_kind kind)
{
    return kind == PLI_ITEM_REAL || kind == PLI_ITEM_INTEGER;
}

static void check_row(const pli_schema *schema, const pli_field *field)
{
    pli_items items = pli_field_get_items(field, NULL);
    assert_non_null(field->doc);
    assert_true(field->doc[strlen(field->doc) - 1] == '.');
    // docs go into JSON and Markdown as they are
    assert_null(strpbrk(field->doc, "\"|\\\n"));
    assert_true(field->offset < schema->size);
    assert_true(field->count_offset < schema->size);
    if (is_number(items.kind)) assert_non_null(field->unit);
    if (is_number(items.kind)) assert_true(field->min <= field->max);
    if (items.fixed == 0) assert_null(field->fallback);
    if (items.kind == PLI_ITEM_CHOICE) assert_non_null(field->choices);
    if (items.kind == PLI_ITEM_STRUCT) assert_non_null(field->schema);
    if (items.kind == PLI_ITEM_VARIANT) assert_non_null(field->variants);
    // the JSON Schema cannot say "this key or that one"
    if (field->flags & PLI_FIELD_REQUIRED) assert_null(field->alias);
}

// Defaults read without error and lie in the range, except where they mean "not given".
static void check_default(const pli_schema *schema, const pli_field *field)
{
    pli_items items = pli_field_get_items(field, NULL);
    char def[1024];
    assert_true(schema->size <= sizeof def);
    pli_schema_init(schema, def);
    items = pli_field_get_items(field, def);
    if (field->flags & PLI_FIELD_OPTIONAL) assert_true(pli_field_is_absent(field, def));
    if (field->fallback == NULL || items.kind >= PLI_ITEM_STRUCT) return;

    char text[256] = "";
    for (int32_t i = 0; i < items.count; ++i) {
        char buffer[PLI_FIELD_TEXT_CAPACITY];
        char error[PLI_FIELD_ERROR_CAPACITY];
        const char *item = (const char *)items.first + (size_t)i * items.stride;
        if (i > 0) strcat(text, ", ");
        strcat(text, pli_field_print(field, item, buffer));
        bool may_be_out = (field->flags & (PLI_FIELD_OPTIONAL | PLI_FIELD_REQUIRED)) != 0;
        assert_true(may_be_out || pli_field_check(field, item, error));
    }
    // the default was understood: it prints as what it was, up to the form of numbers
    if (!is_number(items.kind)) assert_string_equal(text, field->fallback);
    if (items.count == 1 && is_number(items.kind)) {
        NEAR(strtod(text, NULL), strtod(field->fallback, NULL), 0, 0);
    }
    if (items.count == 3) assert_int_equal(strlen(text) + 2, strlen(field->fallback));
}

static void tables_keep_their_rules(void **state)
{
    (void)state;
    pli_schema_list list;
    pli_schema_list_build(&list, pli_scene_schema());
    AT_LEAST(list.count, 50);
    AT_MOST(list.count, PLI_SCHEMA_PARTS - 1);
    for (int32_t part = 0; part < list.count; ++part) {
        const pli_schema *schema = list.parts[part].schema;
        if (schema == NULL) continue;
        AT_MOST(schema->field_count, 64);
        if (schema->scalar_key != NULL) {
            assert_non_null(pli_schema_find(schema, schema->scalar_key));
        }
        if (schema->list_key != NULL) assert_non_null(pli_schema_find(schema, schema->list_key));
        for (int32_t i = 0; i < schema->field_count; ++i) {
            const pli_field *field = &schema->fields[i];
            check_row(schema, field);
            check_default(schema, field);
            if (!pli_field_is_key(field)) continue;
            // the first field of that key is this one: keys and aliases are unique
            assert_ptr_equal(pli_schema_find(schema, field->key), field);
            if (field->alias != NULL) {
                assert_ptr_equal(pli_schema_find(schema, field->alias), field);
            }
        }
    }
}

static void defaults_are_those_promised(void **state)
{
    (void)state;
    pli_scene_def def;
    pli_scene_def_init(&def);
    assert_string_equal(def.about, "");
    assert_int_equal(def.up, PLI_UP_Y);
    assert_int_equal(def.time.frames, 48);
    NEAR(def.time.fps, 24, 0, 0);
    assert_int_equal(def.time.steps_per_frame, 1);
    assert_int_equal(def.time.integrator, PLI_IMPLICIT_EULER);
    assert_int_equal(def.time.mode, PLI_MODE_DYNAMIC);
    assert_string_equal(def.solver.name, "auto");
    assert_int_equal(def.solver.norm, PLI_NORM_AUTO);
    NEAR(def.solver.tolerance, 0, 0, 0);
    assert_int_equal(def.solver.max_iterations, 0); // by the solver
    assert_int_equal(def.solver.fixed_iterations, 0);
    assert_int_equal(def.solver.linear_max_iterations, 10000);
    assert_int_equal(def.solver.window, 8);
    assert_int_equal(def.solver.refresh, -1);
    NEAR(def.solver.linear_scale, 1, 0, 0);
    NEAR(def.solver.linear_cap, 0.1, 0, 0);
    NEAR(def.solver.wolfe_decrease, 1e-4, 0, 0);
    NEAR(def.solver.wolfe_curvature, 0.9, 0, 0);
    NEAR(def.solver.length_clamp, 1e3, 0, 0);
    NEAR(def.solver.downhill, 1e-2, 0, 0);
    assert_int_equal(def.output.every, 1);
    assert_int_equal(def.output.checkpoint_every, 1);
    assert_false(def.output.compress);
    assert_int_equal(def.contact.method, PLI_CONTACT_AUTO);
    assert_true(def.contact.self);
    NEAR(def.contact.stiffness, 0, 0, 0);
    NEAR(def.contact.friction, 0, 0, 0);
    assert_int_equal(def.checks.inverted_start, PLI_SEVERITY_WARNING);
    assert_int_equal(def.checks.collider_overlap, PLI_SEVERITY_ERROR);
    assert_int_equal(def.checks.body_overlap, PLI_SEVERITY_ERROR);

    pli_collider_def collider;
    pli_schema_init(&pli_collider_schema, &collider);
    assert_int_equal(collider.shape.kind, -1);
    assert_false(collider.inside_out);
    assert_int_equal(collider.method, PLI_COLLIDER_AUTO);
    NEAR(collider.stiffness, 0, 0, 0);
    NEAR(collider.friction, 0, 0, 0);
    pli_sampled_def sampled;
    pli_schema_init(&pli_sampled_schema, &sampled);
    assert_int_equal(sampled.resolution, 64);
    assert_int_equal(sampled.interpolation, PLI_INTERPOLATE_CUBIC);
    pli_file_def mesh;
    pli_schema_init(&pli_mesh_shape_schema, &mesh);
    assert_int_equal(mesh.interpolation, PLI_INTERPOLATE_CUBIC);

    pli_body_def body;
    pli_schema_init(&pli_body_schema, &body);
    assert_int_equal(body.geometry.kind, -1);
    assert_int_equal(body.start.kind, PLI_START_REST);
    NEAR(body.scale[2], 1, 0, 0);
    NEAR(body.axis[1], 1, 0, 0);

    pli_constraint_def constraint;
    pli_schema_init(&pli_constraint_schema, &constraint);
    assert_int_equal(constraint.where.kind, PLI_SELECT_ALL);
    assert_string_equal(constraint.axes, "xyz");
    assert_int_equal(constraint.motion.ease, PLI_EASE_LINEAR);
    assert_int_equal(constraint.motion.after, PLI_MOTION_HOLD);
}

// ---- a scene made in C

// Everything that a small scene needs, ready to be changed by a test.
typedef struct kit {
    pli_scene_def def;
    pli_material_def materials[2];
    pli_body_def bodies[2];
    pli_grid_def grid;
    pli_constraint_def constraint;
    pli_keyframe_def keyframes[2];
} kit;

static void kit_init(kit *k)
{
    memset(k, 0, sizeof *k);
    pli_scene_def_init(&k->def);
    for (int32_t i = 0; i < 2; ++i) {
        pli_schema_init(&pli_material_schema, &k->materials[i]);
        pli_schema_init(&pli_body_schema, &k->bodies[i]);
        k->bodies[i].geometry = (pli_variant){PLI_GEOMETRY_GRID, NULL};
        k->bodies[i].material = "rubber";
    }
    k->materials[0].name = "rubber";
    k->materials[0].preset = "rubber";
    k->materials[1].name = "steel";
    k->materials[1].law = "fixed-corotated";
    k->materials[1].density = 7850;
    k->materials[1].young = 2.1e11;
    k->materials[1].poisson = 0.29;
    k->bodies[0].name = "cube";
    k->bodies[1].name = "floor";
    pli_schema_init(&pli_grid_schema, &k->grid);
    pli_schema_init(&pli_constraint_schema, &k->constraint);
    k->keyframes[0] = (pli_keyframe_def){.time = 0, .axis = {0, 1, 0}, .scale = {1, 1, 1}};
    k->keyframes[1] = (pli_keyframe_def){.time = 1, .axis = {0, 1, 0}, .scale = {1, 1, 1}};
    k->def.materials = k->materials;
    k->def.material_count = 2;
    k->def.bodies = k->bodies;
    k->def.body_count = 2;
    k->def.constraints = &k->constraint;
    k->def.constraint_count = 1;
}

static pli_status try_kit(pli_context *context, const kit *k)
{
    pli_scene *scene = NULL;
    pli_status status = pli_scene_create(context, &k->def, &scene);
    assert_true((status == PLI_OK) == (scene != NULL));
    pli_scene_destroy(scene);
    return status;
}

// A kit k that is sound but for one thing is refused with these words.
#define BROKEN(wrong, want)                             \
    do {                                                \
        kit_init(&k);                                   \
        (wrong);                                        \
        REFUSED(context, try_kit(context, &k), (want)); \
    } while (0)

static void scene_owns_copies_of_everything(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = NULL;
    char name[] = "cube";
    double heights[4] = {1, 2, 3, 4};
    pli_height_field_def field = {
        .size = {1, 1}, .columns = 2, .rows = 2, .heights = heights, .height_count = 4};
    pli_fill_def fill = {.shape = {PLI_SHAPE_HEIGHT_FIELD, &field}, .vertices = 100};
    {
        kit k;
        kit_init(&k);
        k.bodies[0].name = name;
        k.bodies[0].geometry = (pli_variant){PLI_GEOMETRY_FILL, &fill};
        OK(context, pli_scene_create(context, &k.def, &scene));
        memset(&k, 0xFF, sizeof k);
    }
    name[0] = '?';
    memset(heights, 0, sizeof heights);
    memset(&field, 0, sizeof field);
    memset(&fill, 0, sizeof fill);

    const pli_scene_def *def = pli_scene_get(scene);
    assert_string_equal(pli_scene_get_info(scene).name, "scene");
    assert_ptr_equal(pli_scene_context(scene), context);
    assert_string_equal(def->bodies[0].name, "cube");
    const pli_fill_def *kept = def->bodies[0].geometry.data;
    const pli_height_field_def *kept_field = kept->shape.data;
    NEAR(kept_field->heights[3], 4, 0, 0);
    // what depends on other values is completed
    assert_int_equal(def->gravity_count, 3);
    NEAR(def->gravity[1], -9.81, 0, 0);
    // two bodies have barriers, and with them presets the law that resists collapse
    assert_string_equal(def->materials[0].law, "neo-hookean");
    const pli_grid_def *grid = def->bodies[1].geometry.data;
    assert_int_equal(grid->cells[0], 8);
    assert_non_null(def->bodies[1].start.data);
    assert_non_null(def->constraints[0].where.data);
    pli_scene_destroy(scene);
    pli_scene_destroy(NULL);
}

static void meshes_are_copied_and_hashed(void **state)
{
    pli_context *context = *state;
    double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int32_t tets[4] = {0, 1, 2, 3};
    int32_t groups[1] = {0};
    const char *names[1] = {"all"};
    pli_mesh_data mesh = {.point_count = 4,
                          .points = points[0],
                          .tet_count = 1,
                          .tets = tets,
                          .group_count = 1,
                          .group_names = names,
                          .tet_groups = groups};
    pli_file_def file = {.path = "", .mesh = &mesh};
    pli_group_def group = {"all"};
    kit k;
    kit_init(&k);
    k.bodies[0].geometry = (pli_variant){PLI_GEOMETRY_FILE, &file};
    k.constraint.where = (pli_variant){PLI_SELECT_GROUP, &group};

    pli_scene *scenes[2] = {NULL, NULL};
    OK(context, pli_scene_create(context, &k.def, &scenes[0]));
    points[3][2] = 2;
    OK(context, pli_scene_create(context, &k.def, &scenes[1]));
    const pli_file_def *kept = pli_scene_get(scenes[0])->bodies[0].geometry.data;
    NEAR(kept->mesh->points[11], 1, 0, 0);
    assert_string_equal(kept->mesh->group_names[0], "all");
    assert_true(kept->mesh->group_names[0] != names[0]);
    assert_true(pli_scene_hash(scenes[0]) != pli_scene_hash(scenes[1]));
    pli_scene_destroy(scenes[0]);
    pli_scene_destroy(scenes[1]);

    group.name = "lid";
    REFUSED(context, try_kit(context, &k),
            "scene: constraints[0].where.group.name: found 'lid', which is not a group of any "
            "body; groups are all");
    k.constraint.body = "floor";
    REFUSED(context, try_kit(context, &k),
            "scene: constraints[0].where.group.name: found 'lid', which is not a group of the "
            "body; groups are none");
    group.name = "all";
    k.constraint.body = "";
    pli_vertices_def vertices = {(const int32_t[]){3, 4}, 2};
    k.constraint.where = (pli_variant){PLI_SELECT_VERTICES, &vertices};
    OK(context, try_kit(context, &k));
    k.constraint.body = "cube";
    REFUSED(context, try_kit(context, &k),
            "scene: constraints[0].where.vertices.ids: found '4'; the body has vertices 0 to 3");
    k.constraint.where.kind = PLI_SELECT_ALL;
    k.constraint.where.data = NULL;
    mesh.tet_count = 0;
    REFUSED(
        context, try_kit(context, &k),
        "scene: bodies.cube.geometry.file.path: the mesh has no tetrahedra; to fill a closed "
        "surface with them, write fill: {shape: {mesh: ...}}; to make a thin shell of it, kind: "
        "shell");
    mesh.tet_count = -1;
    REFUSED(context, try_kit(context, &k),
            "scene: bodies.cube.geometry.file.mesh: a count of the mesh is negative");
    mesh.tet_count = 1;
    mesh.tets = NULL;
    REFUSED(context, try_kit(context, &k),
            "scene: bodies.cube.geometry.file.mesh: an array of the mesh is missing");
    file.mesh = NULL;
    REFUSED(context, try_kit(context, &k),
            "scene: bodies.cube.geometry.file.path: is missing; expected a text");
    file.path = "a.msh";
    REFUSED(context, try_kit(context, &k),
            "scene: bodies.cube.geometry.file.path: the file was not read; load the scene from a "
            "file, or give the mesh itself");
}

// ---- every rule, broken

static void names_must_refer_and_be_unique(void **state)
{
    pli_context *context = *state;
    kit k;
    BROKEN(k.bodies[0].material = "rubbr",
           "scene: bodies.cube.material: found 'rubbr', which is not defined; defined are rubber, "
           "steel (did you mean 'rubber'?)");
    BROKEN(k.bodies[0].material = "", "scene: bodies.cube.material: is missing; expected a text");
    BROKEN(k.bodies[0].material = NULL, "scene: bodies.cube.material: is missing; expected a text");
    BROKEN(k.constraint.body = "cub",
           "scene: constraints[0].body: found 'cub', which is not defined; defined are cube, "
           "floor (did you mean 'cube'?)");
    BROKEN(k.bodies[1].name = "cube", "scene: bodies: there are two of the name 'cube'");
    BROKEN(k.bodies[1].name = "a.b",
           "scene: bodies: found the name 'a.b'; allowed are 1 to 64 letters, digits, '-' and "
           "'_'");
    BROKEN(k.materials[1].name = NULL,
           "scene: materials: found the name ''; allowed are 1 to 64 letters, digits, '-' and "
           "'_'");
    kit_init(&k);
    k.def.solver.name = "newtn";
    char message[1024];
    assert_int_equal(try_kit(context, &k), PLI_ERROR_SCENE);
    pli_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "scene: solver.name: found 'newtn', which is not a solver; "
                                    "solvers are auto, newton, "));
    assert_non_null(strstr(message, " (did you mean 'newton'?)"));
    BROKEN(k.def.about = "\xC0\x80", "scene: about: the text is not valid UTF-8");
}

static void broken_links_are_refused(void **state)
{
    pli_context *context = *state;
    kit k;
    BROKEN(k.def.body_count = -1, "scene: bodies: the number of items is negative");
    BROKEN(k.def.bodies = NULL, "scene: bodies: has 2 items, but the array is NULL");
    BROKEN(k.def.body_count = 0,
           "scene: bodies: is missing; a scene needs bodies, or emitters of particles");
    BROKEN(k.bodies[0].geometry.kind = 99,
           "scene: bodies.cube.geometry: kind is 99; allowed: one of grid, fill, file, arch, "
           "card_house, spikes, rod, ring, sheet, scroll, particles");
    BROKEN(k.bodies[0].geometry.kind = -1,
           "scene: bodies.cube.geometry: is missing; expected one of grid, fill, file, arch, "
           "card_house, spikes, rod, ring, sheet, scroll, particles");
    BROKEN(k.def.time.mode = 17,
           "scene: time.mode: found '17'; allowed: one of dynamic, quasi-static");
    kit_init(&k);
    k.def.gravity = (const double[]){0, -9.81};
    k.def.gravity_count = 2;
    REFUSED(context, try_kit(context, &k), "scene: gravity: found 2 numbers, expected three");

    // a shape that holds itself
    kit_init(&k);
    pli_shell_def shell = {.thickness = 1};
    shell.shape = (pli_variant){PLI_SHAPE_SHELL, &shell};
    pli_fill_def fill = {.shape = shell.shape, .vertices = 100};
    k.bodies[0].geometry = (pli_variant){PLI_GEOMETRY_FILL, &fill};
    REFUSED(context, try_kit(context, &k), "scene: nested more than 64 deep");
}

static void motions_must_make_sense(void **state)
{
    pli_context *context = *state;
    kit k;
    kit_init(&k);
    pli_motion_segment_def segment = {.duration = 1, .axis = {0, 1, 0}};
    k.constraint.motion.segments = &segment;
    k.constraint.motion.segment_count = 1;
    OK(context, try_kit(context, &k));
    k.constraint.motion.keyframes = k.keyframes;
    k.constraint.motion.keyframe_count = 2;
    REFUSED(context, try_kit(context, &k),
            "scene: constraints[0].motion.keyframes: there are segments as well; a motion has one "
            "of the two");
    k.constraint.motion.segment_count = 0;
    OK(context, try_kit(context, &k));
    k.keyframes[1].time = 0;
    REFUSED(context, try_kit(context, &k),
            "scene: constraints[0].motion.keyframes[1].time: found '0', expected a time after that "
            "of the keyframe before, 0");
    k.keyframes[1].time = 1;
    k.keyframes[1].axis[1] = 0;
    REFUSED(context, try_kit(context, &k),
            "scene: constraints[0].motion.keyframes[1].axis: found [0, 0, 0]; a direction needs a "
            "length");
    kit_init(&k);
    k.constraint.motion.center = (const double[]){1};
    k.constraint.motion.center_count = 1;
    REFUSED(context, try_kit(context, &k),
            "scene: constraints[0].motion.center: found 1 numbers, expected three");
    BROKEN(k.constraint.axes = "xq",
           "scene: constraints[0].axes: found 'xq'; allowed are x, y and z, each once, such as "
           "'xz'");
    k.constraint.axes = "xx";
    assert_int_equal(try_kit(context, &k), PLI_ERROR_SCENE);
    k.constraint.axes = "";
    REFUSED(context, try_kit(context, &k),
            "scene: constraints[0].axes: holds nothing; name at least one of xyz");
    k.constraint.axes = "zx";
    OK(context, try_kit(context, &k));
    BROKEN(k.def.solver.wolfe_curvature = 1e-5,
           "scene: solver.wolfe_decrease: must be less than wolfe_curvature");
}

static void try_shape(pli_context *context, pli_shape_kind kind, const void *shape,
                      const char *want)
{
    kit k;
    kit_init(&k);
    pli_fill_def fill = {.shape = {(int32_t)kind, shape}, .vertices = 100};
    k.bodies[0].geometry = (pli_variant){PLI_GEOMETRY_FILL, &fill};
    char message[512];
    snprintf(message, sizeof message, "scene: bodies.cube.geometry.fill.shape.%s", want);
    REFUSED(context, try_kit(context, &k), message);
}

static void shapes_must_make_sense(void **state)
{
    pli_context *context = *state;
    double heights[3] = {0};
    pli_height_field_def field = {
        .size = {1, 1}, .columns = 2, .rows = 2, .heights = heights, .height_count = 3};
    try_shape(context, PLI_SHAPE_HEIGHT_FIELD, &field,
              "height_field.heights: found 3 numbers, expected columns x rows = 4");
    pli_segment_def cylinder = {.radius = 1};
    try_shape(context, PLI_SHAPE_CYLINDER, &cylinder,
              "cylinder.end: is the same point as the start");
    pli_cone_def cone = {.start_radius = 1};
    try_shape(context, PLI_SHAPE_CONE, &cone, "cone.end: is the same point as the start");
    pli_sphere_def sphere = {.radius = 1};
    pli_repetition_def repetition = {.shape = {PLI_SHAPE_SPHERE, &sphere}, .count = {2, 1, 1}};
    try_shape(context, PLI_SHAPE_REPETITION, &repetition,
              "repetition.spacing: is 0 along x, where there are 2 copies");
    sphere.radius = 0;
    try_shape(context, PLI_SHAPE_SPHERE, &sphere,
              "sphere.radius: found '0'; allowed: from 1e-9 to 1e9 m");
    pli_recipe_def recipe = {.size = 1};
    try_shape(context, PLI_SHAPE_RECIPE, &recipe, "recipe.name: is missing; expected a text");
    pli_plane_def plane = {.normal = {0, 0, 0}};
    try_shape(context, PLI_SHAPE_PLANE, &plane,
              "plane.normal: found [0, 0, 0]; a direction needs a length");
    pli_combination_def combination = {.shape_count = 0};
    try_shape(
        context, PLI_SHAPE_UNION, &combination,
        "union.shapes: is missing; expected one of plane, box, sphere, ellipsoid, capsule, "
        "cylinder, cone, torus, height_field, union, intersection, difference, shell, "
        "transform, repetition, twist, struts, gyroid, mesh, recipe, complement, sampled, own");

    kit k;
    kit_init(&k);
    k.bodies[0].geometry.data = &k.grid;
    k.grid.cells[0] = k.grid.cells[1] = k.grid.cells[2] = 1000;
    REFUSED(context, try_kit(context, &k),
            "scene: bodies.cube.geometry.grid.cells: 1000000000 cells are too many; allowed are "
            "300000000");
    kit_init(&k);
    pli_select_box_def box = {{0, 0, 0}, {1, -1, 1}};
    k.constraint.where = (pli_variant){PLI_SELECT_BOX, &box};
    REFUSED(context, try_kit(context, &k),
            "scene: constraints[0].where.box.max: is less than min along y");
}

// ---- materials

static void material_problem(pli_context *context, const kit *k, const char *want)
{
    char message[512];
    snprintf(message, sizeof message, "scene: materials.%s", want);
    REFUSED(context, try_kit(context, k), message);
}

static void materials_must_be_complete(void **state)
{
    pli_context *context = *state;
    kit k;
    kit_init(&k);
    k.materials[0].preset = "rubberr";
    char message[1024];
    assert_int_equal(try_kit(context, &k), PLI_ERROR_SCENE);
    pli_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "materials.rubber.preset: found 'rubberr', which is not a "
                                    "preset; presets are "));
    assert_non_null(strstr(message, "(did you mean 'rubber'?)"));
    kit_init(&k);
    k.materials[1].law = "neo-hokean";
    assert_int_equal(try_kit(context, &k), PLI_ERROR_SCENE);
    pli_context_message(context, message, sizeof message);
    assert_non_null(strstr(
        message,
        "materials.steel.law: found 'neo-hokean', which is not a law that this program knows; "
        "laws are "));
    assert_non_null(strstr(message, "(did you mean 'neo-hookean'?)"));
    k.materials[1].law = "";
    assert_int_equal(try_kit(context, &k), PLI_ERROR_SCENE);
    pli_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "materials.steel.law: is missing, and there is no preset; "));

    BROKEN(k.materials[1].density = 0,
           "scene: materials.steel.density: is missing, and there is no preset");
    BROKEN(k.materials[1].young = 0,
           "scene: materials.steel.young: is missing, and there is no preset; law "
           "'fixed-corotated' needs it");
    BROKEN(k.materials[1].poisson = -1,
           "scene: materials.steel.poisson: is missing, and there is no preset; law "
           "'fixed-corotated' needs it");
    k.materials[1].poisson = 0.5;
    material_problem(context, &k,
                     "steel.poisson: found '0.5'; allowed: greater than -1 and less "
                     "than 0.5");
    BROKEN(k.materials[1].mu = 1e5,
           "scene: materials.steel.mu: young and poisson, or mu and lambda: both pairs "
           "together contradict");
    k.materials[1].young = 0;
    k.materials[1].poisson = -1;
    k.materials[1].mu = 0;
    k.materials[1].lambda = 1e5;
    material_problem(context, &k, "steel.lambda: needs mu beside it, the shear modulus");
    k.materials[1].mu = 3e5;
    k.materials[1].lambda = -2e5;
    material_problem(context, &k, "steel.lambda: must be greater than -2/3 mu, here -200000");
    kit_init(&k);
    pli_named_value parameter = {.name = "yeild", .value = 1};
    k.materials[1].parameters = &parameter;
    k.materials[1].parameter_count = 1;
    material_problem(context, &k,
                     "steel.parameters.yeild: law 'fixed-corotated' has no such "
                     "parameter; it has none");
    parameter.name = "young";
    material_problem(context, &k,
                     "steel.parameters.young: give 'young' beside the law, not among "
                     "the parameters");
}

static const pli_material_input own_inputs[] = {
    {.key = "bulk",
     .unit = "Pa",
     .fallback = 2e9,
     .max = 1e12,
     .exclusive = true,
     .doc = "Bulk modulus."},
    {.key = "exponent", .unit = "", .fallback = 7, .min = 1, .max = 9, .doc = "Exponent."},
};
static const pli_material_ops own_law = {
    .name = "own-fluid", .input_count = 2, .inputs = own_inputs};

static void own_laws_take_their_own_inputs(void **state)
{
    (void)state;
    const pli_material_ops *laws[] = {&own_law};
    pli_context_def context_def = pli_context_def_default();
    context_def.laws = laws;
    context_def.law_count = 1;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&context_def, &context));
    pli_named_value parameter = {.name = "exponent", .value = 3};
    kit k;
    kit_init(&k);
    pli_material_def *material = &k.materials[1];
    pli_schema_init(&pli_material_schema, material);
    material->name = "steel";
    material->law = "own-fluid";
    material->density = 1000;
    material->parameters = &parameter;
    material->parameter_count = 1;

    pli_scene *scene = NULL;
    OK(context, pli_scene_create(context, &k.def, &scene));
    pli_resolved_material resolved;
    assert_true(pli_material_resolve(context, material, &resolved, NULL));
    assert_ptr_equal(resolved.law, &own_law);
    NEAR(resolved.inputs[0], 2e9, 0, 0);
    NEAR(resolved.inputs[1], 3, 0, 0);
    // the scene lists the law's own default as well
    const pli_material_def *kept = &pli_scene_get(scene)->materials[1];
    assert_int_equal(kept->parameter_count, 2);
    assert_string_equal(kept->parameters[0].name, "bulk");
    NEAR(kept->parameters[0].value, 2e9, 0, 0);
    pli_scene_destroy(scene);

    parameter.value = 10;
    material_problem(context, &k,
                     "steel.parameters.exponent: found '10'; law 'own-fluid' allows: "
                     "at least 1 and at most 9");
    parameter.name = "exponnet";
    material_problem(context, &k,
                     "steel.parameters.exponnet: law 'own-fluid' has no such "
                     "parameter; it has bulk, exponent (did you mean 'exponent'?)");
    material->parameter_count = 0;
    material->young = 1e6;
    material_problem(context, &k, "steel.young: law 'own-fluid' has no such input");
    pli_context_destroy(context);
}

static void lame_pair_becomes_young_and_poisson(void **state)
{
    pli_context *context = *state;
    kit k;
    kit_init(&k);
    pli_material_def *material = &k.materials[1];
    double young = 1e5, poisson = 0.3;
    material->young = 0;
    material->poisson = -1;
    material->mu = young / (2 * (1 + poisson));
    material->lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    pli_scene *scene = NULL;
    OK(context, pli_scene_create(context, &k.def, &scene));
    const pli_material_def *kept = &pli_scene_get(scene)->materials[1];
    // a few roundings
    NEAR(kept->young, young, 1e-14, 0);
    NEAR(kept->poisson, poisson, 1e-14, 0);
    NEAR(kept->mu, 0, 0, 0);
    pli_scene_destroy(scene);

    // one number changed, the rest from the preset
    material->mu = material->lambda = 0;
    material->preset = "rubber";
    material->law = "";
    material->density = 0;
    material->poisson = 0.1;
    pli_resolved_material resolved;
    const pli_material_preset *preset = pli_material_preset_find("rubber");
    assert_true(pli_material_resolve(context, material, &resolved, NULL));
    assert_string_equal(resolved.law->name, preset->law);
    NEAR(resolved.density, preset->density, 0, 0);
    NEAR(resolved.inputs[pli_material_find_input(resolved.law, "young")], preset->young, 0, 0);
    NEAR(resolved.inputs[pli_material_find_input(resolved.law, "poisson")], 0.1, 0, 0);
}

typedef struct heard {
    int32_t count;
    char text[512];
} heard;

static void hear(void *user, pli_log_level level, const char *text)
{
    heard *last = user;
    if (level != PLI_LOG_WARNING) return;
    ++last->count;
    snprintf(last->text, sizeof last->text, "%s", text);
}

static void suspicious_magnitudes_are_warned_of(void **state)
{
    (void)state;
    heard last = {0};
    pli_context_def context_def = pli_context_def_default();
    context_def.log = hear;
    context_def.log_user = &last;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&context_def, &context));
    kit k;
    kit_init(&k);
    OK(context, try_kit(context, &k));
    assert_int_equal(last.count, 0);
    k.materials[1].young = 50;
    OK(context, try_kit(context, &k));
    assert_int_equal(last.count, 1);
    assert_string_equal(last.text, "scene: materials.steel.young: 50 Pa is unusually soft; check "
                                   "the units (rubber has 1e6, steel 2e11)");
    k.materials[1].young = 1e14;
    OK(context, try_kit(context, &k));
    assert_int_equal(last.count, 2);
    k.materials[1].young = 1e6;
    k.materials[1].density = 0.5;
    OK(context, try_kit(context, &k));
    assert_string_equal(last.text, "scene: materials.steel.density: 0.5 kg/m^3 is lighter than "
                                   "air; check the units (water has 1000)");
    pli_context_destroy(context);
}

// ---- notes and memory

static void failures_blame_the_nearest_note(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = NULL;
    OK(context, pli_scene_create_empty(context, "folder/drop.test.yaml", &scene));
    assert_string_equal(pli_scene_get_info(scene).name, "drop.test");
    pli_body_def *body = pli_scene_take(scene, sizeof *body);
    assert_non_null(body);
    // the struct, then the member at the same address, then another member
    OK(context, pli_scene_note(scene, body, &(pli_position){NULL, 3, 1}));
    OK(context, pli_scene_note(scene, &body->name, &(pli_position){NULL, 4, 5}));
    OK(context, pli_scene_note(scene, &body->angle, &(pli_position){"other.yaml", 7, 9}));
    pli_visit at = {.path = "a.b", .holder = body, .member = &body->angle};
    REFUSED(context, pli_scene_fail(scene, PLI_ERROR_SCENE, &at, "%d", 1),
            "other.yaml:7:9: a.b: 1");
    at.member = &body->name;
    REFUSED(context, pli_scene_fail(scene, PLI_ERROR_SCENE, &at, "x"),
            "folder/drop.test.yaml:4:5: a.b: x");
    at.member = &body->scale;
    REFUSED(context, pli_scene_fail(scene, PLI_ERROR_SCENE, &at, "x"),
            "folder/drop.test.yaml:3:1: a.b: x");
    at.holder = NULL;
    at.path = "";
    REFUSED(context, pli_scene_fail(scene, PLI_ERROR_SCENE, &at, "x"), "folder/drop.test.yaml: x");
    pli_scene_destroy(scene);
    OK(context, pli_scene_create_empty(context, "folder/", &scene));
    assert_string_equal(pli_scene_get_info(scene).name, "scene");
    pli_scene_destroy(scene);
    OK(context, pli_scene_create_empty(context, ".hidden", &scene));
    assert_string_equal(pli_scene_get_info(scene).name, ".hidden");
    pli_scene_destroy(scene);
}

static void any_failing_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    kit k;
    kit_init(&k);
    k.constraint.motion.keyframes = k.keyframes;
    k.constraint.motion.keyframe_count = 2;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        sweep.status = try_kit(sweep.context, &k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_keep_their_rules),
        cmocka_unit_test(defaults_are_those_promised),
        TEST_IN_CONTEXT(scene_owns_copies_of_everything, 1),
        TEST_IN_CONTEXT(meshes_are_copied_and_hashed, 1),
        TEST_IN_CONTEXT(names_must_refer_and_be_unique, 1),
        TEST_IN_CONTEXT(broken_links_are_refused, 1),
        TEST_IN_CONTEXT(motions_must_make_sense, 1),
        TEST_IN_CONTEXT(shapes_must_make_sense, 1),
        TEST_IN_CONTEXT(materials_must_be_complete, 1),
        cmocka_unit_test(own_laws_take_their_own_inputs),
        TEST_IN_CONTEXT(lame_pair_becomes_young_and_poisson, 1),
        cmocka_unit_test(suspicious_magnitudes_are_warned_of),
        TEST_IN_CONTEXT(failures_blame_the_nearest_note, 1),
        cmocka_unit_test(any_failing_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
