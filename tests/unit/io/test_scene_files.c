// SPDX-License-Identifier: Apache-2.0
#include "scene_samples.h"
#include "support/fault_sweep.h"

#include "base/memory.h"
#include "io/file/file.h"

#include <sys/stat.h>
#include <unistd.h>

// a folder of its own for every test
typedef struct fixture {
    pli_context *context;
    char folder[64];
    char path[160]; // scratch for names in it
} fixture;

static int set_up(void **state)
{
    fixture *fix = calloc(1, sizeof *fix);
    assert_non_null(fix);
    fix->context = make_context(1);
    strcpy(fix->folder, "/tmp/pliant-test-XXXXXX");
    assert_non_null(mkdtemp(fix->folder));
    *state = fix;
    return 0;
}

static int tear_down(void **state)
{
    fixture *fix = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", fix->folder);
    assert_int_equal(system(command), 0);
    pli_context_destroy(fix->context);
    free(fix);
    return 0;
}

static const char *in_folder(fixture *fix, const char *name)
{
    snprintf(fix->path, sizeof fix->path, "%s/%s", fix->folder, name);
    return fix->path;
}

static void put(fixture *fix, const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s", in_folder(fix, name));
    char *slash = strrchr(path, '/');
    *slash = '\0';
    OK(fix->context, pli_folder_create(fix->context, path));
    OK(fix->context,
       pli_file_write(fix->context, in_folder(fix, name), text, (int64_t)strlen(text)));
}

static pli_status load(fixture *fix, const char *name, const pli_load_def *def, pli_scene **scene)
{
    return pli_scene_load(fix->context, in_folder(fix, name), def, scene);
}

// The call failed with a message that ends like this behind the folder's name.
static void refused(fixture *fix, const char *name, pli_status want_status, const char *want)
{
    pli_scene *scene = NULL;
    pli_status status = load(fix, name, NULL, &scene);
    char message[1024];
    char text[1024];
    pli_context_message(fix->context, message, sizeof message);
    snprintf(text, sizeof text, "%s/%s", fix->folder, want);
    assert_null(scene);
    if (status == want_status && strcmp(message, text) == 0) return;
    fail_msg("status '%s', message\n  %s\nwant\n  %s", pli_status_text(status), message, text);
}

#define BODY "bodies: {cube: {geometry: grid, material: rubber}}\n"

static const char tetrahedron[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                                  "$PhysicalNames\n2\n3 1 \"inside\"\n2 2 \"lid\"\n"
                                  "$EndPhysicalNames\n"
                                  "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
                                  "$Elements\n2\n1 4 2 1 1 1 2 3 4\n2 2 2 2 2 2 3 4\n"
                                  "$EndElements\n";

// ---- includes

static void later_files_win_key_by_key(void **state)
{
    fixture *fix = *state;
    put(fix, "lib/materials.yaml",
        "materials:\n  rubber: {preset: rubber, E: 1e6}\n  skin: tissue\n"
        "solver: newton-plain\ntime: {fps: 30, frames: 5}\n"
        "constraints: [{axes: x}, {axes: y}]\n");
    put(fix, "lib/solver.yaml", "solver: {tolerance: 1e-3}\ntime: {frames: 6}\n");
    put(fix, "a.yaml",
        "include: [lib/materials.yaml, lib/solver.yaml]\n"
        "materials: {rubber: {young: 2e6}}\n"
        "bodies: {cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: rubber}}\n"
        "constraints: [{axes: z}]\ntime: {steps_per_frame: 4}\n");
    put(fix, "b.yaml", "include: a.yaml\nbodies: {cube: {geometry: {grid: {size: [2, 2, 2]}}}}\n");
    pli_scene *scene = NULL;
    OK(fix->context, load(fix, "b.yaml", NULL, &scene));
    const pli_scene_def *def = pli_scene_get(scene);
    assert_int_equal(def->material_count, 2);
    NEAR(def->materials[0].young, 2e6, 0, 0);
    assert_string_equal(def->materials[0].preset, "rubber");
    assert_string_equal(def->solver.name, "newton-plain");
    NEAR(def->solver.tolerance, 1e-3, 0, 0);
    NEAR(def->time.fps, 30, 0, 0);
    assert_int_equal(def->time.frames, 6);
    assert_int_equal(def->time.steps_per_frame, 4);
    // lists are replaced, variants of one kind are merged
    assert_int_equal(def->constraint_count, 1);
    assert_string_equal(def->constraints[0].axes, "z");
    const pli_grid_def *grid = def->bodies[0].geometry.data;
    assert_int_equal(grid->cells[0], 2);
    NEAR(grid->size[0], 2, 0, 0);
    pli_scene_destroy(scene);

    // another kind of variant replaces
    put(fix, "c.yaml",
        "include: a.yaml\nbodies: {cube: {geometry: {fill: {shape: {sphere: 1}}}}}\n");
    OK(fix->context, load(fix, "c.yaml", NULL, &scene));
    assert_int_equal(pli_scene_get(scene)->bodies[0].geometry.kind, PLI_GEOMETRY_FILL);
    pli_scene_destroy(scene);
}

static const double *fibre_of(const pli_scene *scene)
{
    const pli_material_def *material = &pli_scene_get(scene)->materials[0];
    for (int32_t k = 0; k < material->parameter_count; ++k) {
        if (strcmp(material->parameters[k].name, "fibre") != 0) continue;
        assert_int_equal(material->parameters[k].direction_count, 3);
        return material->parameters[k].direction;
    }
    fail_msg("no direction");
    return NULL;
}

// Lists are directions, from one file over the next, and as the scene is printed.
static void parameters_may_be_directions(void **state)
{
    fixture *fix = *state;
    put(fix, "a.yaml",
        "materials: {rubber: {preset: muscle, parameters: {fibre: [0, 2, 1], k1: 5}}}\n" BODY);
    put(fix, "b.yaml", "include: a.yaml\nmaterials: {rubber: {parameters: {fibre: [0, 0, 3]}}}\n");
    pli_scene *scene = NULL;
    OK(fix->context, load(fix, "a.yaml", NULL, &scene));
    NEAR(fibre_of(scene)[1], 2, 0, 0);
    pli_scene_destroy(scene);
    OK(fix->context, load(fix, "b.yaml", NULL, &scene));
    NEAR(fibre_of(scene)[1], 0, 0, 0);
    NEAR(fibre_of(scene)[2], 3, 0, 0);
    char *text = NULL;
    OK(fix->context, pli_scene_to_yaml(scene, NULL, &text));
    pli_scene_destroy(scene);
    put(fix, "c.yaml", text);
    pli_text_free(fix->context, text);
    OK(fix->context, load(fix, "c.yaml", NULL, &scene));
    NEAR(fibre_of(scene)[2], 3, 0, 0);
    pli_scene_destroy(scene);
}

static void parameters_of_the_wrong_kind_are_refused(void **state)
{
    fixture *fix = *state;
    static const struct {
        const char *parameters;
        const char *message;
    } wrong[] = {
        {"fibre: 2", "fibre: law 'fibres' takes a direction here: three numbers that are not all "
                     "zero, such as [0, 1, 0]"},
        {"fibre: [0, 0, 0]",
         "fibre: law 'fibres' takes a direction here: three numbers that are not "
         "all zero, such as [0, 1, 0]"},
        {"k1: [0, 1, 0]", "k1: law 'fibres' takes a number here"},
        {"k1: {}", "k1: law 'fibres' takes a number here"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        char text[256], want[300], message[1024];
        snprintf(text, sizeof text,
                 "materials: {rubber: {preset: muscle, parameters: {%s}}}\n" BODY,
                 wrong[k].parameters);
        put(fix, "w.yaml", text);
        pli_scene *scene = NULL;
        assert_int_equal(load(fix, "w.yaml", NULL, &scene), PLI_ERROR_SCENE);
        pli_context_message(fix->context, message, sizeof message);
        snprintf(want, sizeof want, "materials.rubber.parameters.%s", wrong[k].message);
        if (strstr(message, want) == NULL) fail_msg("'%s' lacks '%s'", message, want);
    }
    // and what the law says about its inputs together
    put(fix, "w.yaml", "materials: {rubber: {preset: wood, parameters: {poisson12: 4}}}\n" BODY);
    pli_scene *scene = NULL;
    char message[1024];
    assert_int_equal(load(fix, "w.yaml", NULL, &scene), PLI_ERROR_SCENE);
    pli_context_message(fix->context, message, sizeof message);
    assert_non_null(strstr(message, "materials.rubber.parameters: law 'orthotropic': poisson12 = 4 "
                                    "leaves no positive stiffness"));
}

static void faults_in_includes_name_their_file(void **state)
{
    fixture *fix = *state;
    put(fix, "lib/m.yaml", "materials:\n  rubber: {preset: rubber, E: -1}\n");
    put(fix, "a.yaml", "include: [lib/m.yaml]\n" BODY);
    refused(fix, "a.yaml", PLI_ERROR_SCENE,
            "lib/m.yaml:2:31: materials.rubber.young: found '-1'; allowed: greater than 0 and at "
            "most 1e15 Pa");
    put(fix, "lib/m.yaml", "materials:\n  rubber: {preset: rubbr}\n");
    refused(fix, "a.yaml", PLI_ERROR_SCENE,
            "lib/m.yaml:2:20: materials.rubber.preset: found 'rubbr', which is not a preset; "
            "presets are tissue, rubber, bone, pvc, metal, ceramic, muscle, tendon, artery, wood, "
            "vulcanised-rubber, snow, sand, goo, water (did you "
            "mean 'rubber'?)");
    put(fix, "lib/m.yaml", "materials: [\n");
    refused(fix, "a.yaml", PLI_ERROR_SCENE,
            "lib/m.yaml:2:1: did not find expected node content, while parsing a flow node that "
            "begins in line 2");
    put(fix, "lib/m.yaml", "[1]\n");
    refused(fix, "a.yaml", PLI_ERROR_SCENE,
            "lib/m.yaml:1:1: expected a map of keys, such as bodies: {...}");
}

static void includes_stay_in_the_folder_and_end(void **state)
{
    fixture *fix = *state;
    put(fix, "sub/a.yaml", "include: [../m.yaml]\n" BODY);
    put(fix, "m.yaml", "materials: {rubber: rubber}\n");
    char want[512];
    snprintf(want, sizeof want,
             "sub/a.yaml:1:11: include: ../m.yaml: lies outside the folder %s/sub; give a relative "
             "path below it, or allow files outside by --allow-outside (allow_outside in programs)",
             fix->folder);
    refused(fix, "sub/a.yaml", PLI_ERROR_SCENE, want);
    pli_scene *scene = NULL;
    pli_load_def allow = {.allow_outside = true};
    OK(fix->context, load(fix, "sub/a.yaml", &allow, &scene));
    pli_scene_destroy(scene);

    // from a subfolder upwards is fine as long as it stays below the scene
    put(fix, "lib/x.yaml", "include: ../m.yaml\n");
    put(fix, "b.yaml", "include: lib/x.yaml\n" BODY);
    OK(fix->context, load(fix, "b.yaml", NULL, &scene));
    pli_scene_destroy(scene);

    // what is not there, and what never ends
    put(fix, "c.yaml", "include: gone.yaml\n" BODY);
    snprintf(want, sizeof want,
             "c.yaml:1:10: include: %s/gone.yaml: cannot open: No such file or directory",
             fix->folder);
    refused(fix, "c.yaml", PLI_ERROR_IO, want);
    put(fix, "d.yaml", "include: e.yaml\n" BODY);
    put(fix, "e.yaml", "include: d.yaml\n");
    snprintf(want, sizeof want, "e.yaml:1:10: include: %s/d.yaml: includes itself", fix->folder);
    refused(fix, "d.yaml", PLI_ERROR_SCENE, want);
    for (int i = 0; i < 20; ++i) {
        char name[32];
        char text[64];
        snprintf(name, sizeof name, "n%d.yaml", i);
        snprintf(text, sizeof text, "include: n%d.yaml\n", i + 1);
        put(fix, name, text);
    }
    snprintf(want, sizeof want,
             "n16.yaml:1:10: include: %s/n17.yaml: more than 16 files include each other",
             fix->folder);
    refused(fix, "n0.yaml", PLI_ERROR_SCENE, want);

    // a pipe must not hang
    assert_int_equal(mkfifo(in_folder(fix, "pipe"), 0600), 0);
    put(fix, "p.yaml", "include: pipe\n" BODY);
    snprintf(want, sizeof want,
             "p.yaml:1:10: include: %s/pipe: is a pipe; a regular file is needed", fix->folder);
    refused(fix, "p.yaml", PLI_ERROR_IO, want);
    refused(fix, "pipe", PLI_ERROR_IO, "pipe: is a pipe; a regular file is needed");
    refused(fix, "none.yaml", PLI_ERROR_IO, "none.yaml: cannot open: No such file or directory");
}

static void many_includes_are_counted(void **state)
{
    fixture *fix = *state;
    // each level includes the next one eight times: 8^5 files without a limit
    for (int i = 0; i < 5; ++i) {
        char name[32];
        char text[256] = "include: [";
        snprintf(name, sizeof name, "l%d.yaml", i);
        for (int k = 0; k < 8; ++k) {
            char item[32];
            snprintf(item, sizeof item, "%sl%d.yaml", k > 0 ? ", " : "", i + 1);
            strcat(text, item);
        }
        strcat(text, "]\n");
        put(fix, name, text);
    }
    put(fix, "l5.yaml", "about: x\n");
    pli_scene *scene = NULL;
    assert_int_equal(load(fix, "l0.yaml", NULL, &scene), PLI_ERROR_SCENE);
    char message[1024];
    pli_context_message(fix->context, message, sizeof message);
    assert_non_null(strstr(message, "more than 256 files are included"));
}

// ---- mesh files

static void mesh_files_are_loaded_beside_the_file_that_names_them(void **state)
{
    fixture *fix = *state;
    put(fix, "lib/tet.msh", tetrahedron);
    put(fix, "lib/body.yaml",
        "materials: {rubber: rubber}\n"
        "bodies: {cube: {geometry: {file: tet.msh}, material: rubber}}\n");
    put(fix, "a.yaml",
        "include: lib/body.yaml\nconstraints: [{body: cube, where: {group: lid}}]\n"
        "bodies: {cube: {regions: [{where: {group: inside}, material: rubber}]}}\n");
    pli_scene *scene = NULL;
    OK(fix->context, load(fix, "a.yaml", NULL, &scene));
    const pli_file_def *file = pli_scene_get(scene)->bodies[0].geometry.data;
    assert_string_equal(file->path, "lib/tet.msh");
    assert_int_equal(file->mesh->point_count, 4);
    assert_int_equal(file->mesh->tet_count, 1);
    assert_int_equal(file->mesh->group_count, 2);

    // the resolved text, beside the scene or anywhere with absolute paths
    char *text = NULL;
    OK(fix->context, pli_scene_to_yaml(scene, NULL, &text));
    put(fix, "again.yaml", text);
    pli_text_free(fix->context, text);
    pli_scene *again = NULL;
    OK(fix->context, load(fix, "again.yaml", NULL, &again));
    assert_true(pli_scene_hash(again) == pli_scene_hash(scene));
    pli_scene_destroy(again);
    pli_yaml_def absolute = {.absolute_paths = true};
    pli_load_def allow = {.allow_outside = true};
    OK(fix->context, pli_scene_to_yaml(scene, &absolute, &text));
    OK(fix->context, pli_scene_parse(fix->context, text, (int64_t)strlen(text), "elsewhere/x.yaml",
                                     &allow, &again));
    pli_text_free(fix->context, text);
    pli_scene_destroy(again);
    unlink(in_folder(fix, "lib/tet.msh"));
    assert_int_equal(pli_scene_to_yaml(scene, &absolute, &text), PLI_ERROR_IO);
    assert_null(text);
    pli_scene_destroy(scene);
}

static void faults_of_mesh_files_name_both_places(void **state)
{
    fixture *fix = *state;
    char want[1024];
    put(fix, "a.yaml",
        "materials: {rubber: rubber}\nbodies:\n  cube:\n    geometry: {file: {path: no.msh}}\n"
        "    material: rubber\n");
    snprintf(want, sizeof want,
             "a.yaml:4:29: bodies.cube.geometry.file.path: %s/no.msh: cannot open: No such file or "
             "directory",
             fix->folder);
    refused(fix, "a.yaml", PLI_ERROR_IO, want);
    put(fix, "no.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\nx\n");
    pli_scene *scene = NULL;
    assert_int_equal(load(fix, "a.yaml", NULL, &scene), PLI_ERROR_MESH);
    char message[1024];
    pli_context_message(fix->context, message, sizeof message);
    snprintf(want, sizeof want,
             "%s/a.yaml:4:29: bodies.cube.geometry.file.path: %s/no.msh:5: ", fix->folder,
             fix->folder);
    assert_memory_equal(message, want, strlen(want));

    put(fix, "b.yaml",
        "materials: {rubber: rubber}\nbodies:\n  cube:\n    geometry: {file: /etc/passwd}\n"
        "    material: rubber\n");
    snprintf(want, sizeof want,
             "b.yaml:4:22: bodies.cube.geometry.file.path: /etc/passwd: lies outside the folder "
             "%s; give a relative path below it, or allow files outside by --allow-outside "
             "(allow_outside in programs)",
             fix->folder);
    refused(fix, "b.yaml", PLI_ERROR_SCENE, want);

    put(fix, "tet.msh", tetrahedron);
    put(fix, "c.yaml",
        "materials: {rubber: rubber}\nbodies:\n  cube:\n    geometry: {file: tet.msh}\n"
        "    material: rubber\nconstraints:\n  - {body: cube, where: {group: lidd}}\n");
    refused(fix, "c.yaml", PLI_ERROR_SCENE,
            "c.yaml:7:33: constraints[0].where.group.name: found 'lidd', which is not a group of "
            "the body; groups are inside, lid (did you mean 'lid'?)");
    put(fix, "flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    put(fix, "d.yaml",
        "materials: {rubber: rubber}\nbodies:\n  cube:\n    geometry: {file: flat.obj}\n"
        "    material: rubber\n");
    refused(
        fix, "d.yaml", PLI_ERROR_SCENE,
        "d.yaml:4:22: bodies.cube.geometry.file.path: flat.obj: the mesh has no tetrahedra; to "
        "fill a closed surface with them, write fill: {shape: {mesh: ...}}; to make a thin shell "
        "of it, kind: shell");
    put(fix, "e.yaml",
        "materials: {rubber: rubber}\nbodies:\n  cube:\n"
        "    geometry: {fill: {shape: {mesh: flat.obj}}}\n    material: rubber\n");
    OK(fix->context, load(fix, "e.yaml", NULL, &scene));
    const pli_fill_def *fill = pli_scene_get(scene)->bodies[0].geometry.data;
    const pli_file_def *file = fill->shape.data;
    assert_int_equal(file->resolution, 64);
    assert_int_equal(file->mesh->triangle_count, 1);
    pli_scene_destroy(scene);
}

static void any_failing_allocation_leaves_nothing_behind(void **state)
{
    fixture *fix = *state;
    put(fix, "lib/tet.msh", tetrahedron);
    put(fix, "lib/m.yaml", "materials: {rubber: rubber}\nbodies: {b: {material: rubber}}\n");
    put(fix, "a.yaml", "include: lib/m.yaml\nbodies: {b: {geometry: {file: lib/tet.msh}}}\n");
    char path[160];
    snprintf(path, sizeof path, "%s", in_folder(fix, "a.yaml"));
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_yaml_def absolute = {.absolute_paths = true};
        pli_scene *scene = NULL;
        char *text = NULL;
        sweep.status = pli_scene_load(sweep.context, path, NULL, &scene);
        if (sweep.status == PLI_OK) sweep.status = pli_scene_to_yaml(scene, &absolute, &text);
        pli_text_free(sweep.context, text);
        pli_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(later_files_win_key_by_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults_in_includes_name_their_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parameters_may_be_directions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parameters_of_the_wrong_kind_are_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(includes_stay_in_the_folder_and_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_includes_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mesh_files_are_loaded_beside_the_file_that_names_them,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(faults_of_mesh_files_name_both_places, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_failing_allocation_leaves_nothing_behind, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
