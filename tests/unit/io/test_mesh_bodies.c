// SPDX-License-Identifier: Apache-2.0
//
// Mesh files on their way to a body: what a file may hold that reads well but cannot be simulated,
// or hardly as it was meant. It is refused with the body, the file and the first elements, or it is
// loaded with a warning of what was made of it.
#include "folder.h"
#include "source.h"

#include "io/file/file.h"
#include "pliant/io.h"
#include "pliant/sim.h"

#include <sys/stat.h>

// ---- a scene of one mesh file, and what is said about it

typedef enum mesh_use { USE_SOLID, USE_FILLED, USE_SHELL, USE_COLLIDER } mesh_use;

static const char *const use_names[] = {"solid", "filled", "shell", "collider"};

typedef struct outcome {
    pli_status status;
    char message[1024];
    char warnings[4096];
} outcome;

static void hear(void *user, pli_log_level level, const char *text)
{
    outcome *out = user;
    size_t used = strlen(out->warnings);
    if (level == PLI_LOG_WARNING) {
        snprintf(out->warnings + used, sizeof out->warnings - used, "%s\n", text);
    }
}

static void write_scene(char *text, size_t capacity, const char *file, mesh_use use,
                        const char *contact)
{
    char body[512];
    const char *const forms[] = {
        "{geometry: {file: %s}, material: m}",
        "{geometry: {fill: {shape: {mesh: {path: %s, resolution: 16}}, vertices: 60}}, material: "
        "m}",
        "{kind: shell, geometry: {file: %s}, material: m}",
        "{geometry: {grid: {size: [1, 1, 1], cells: [1, 1, 1]}}, material: m, position: [1e3, 0, "
        "0]}",
    };
    // the last form has no file
    snprintf(body, sizeof body, forms[use], file); // NOLINT: the forms are ours
    int length = snprintf(text, capacity,
                          "materials: {m: {law: neo-hookean, density: 1e3, young: 1e4, poisson: "
                          "0.3}}\nbodies: {thing: %s}\ntime: {fps: 24, frames: 1}\n%s%s",
                          body, contact[0] == '\0' ? "contact: none\n" : "", contact);
    if (use == USE_COLLIDER) {
        snprintf(text + length, capacity - (size_t)length,
                 "colliders: {c: {shape: {mesh: {path: %s, resolution: 16}}, method: penalty}}\n",
                 file);
    }
}

// Makes a model with the mesh file as one of its uses.
static void try_file(const char *folder, const char *file, mesh_use use, const char *contact,
                     outcome *out)
{
    char text[4096];
    char name[1024];
    *out = (outcome){0};
    pli_context_def def = pli_context_def_default();
    def.thread_count = 1;
    def.log = hear;
    def.log_user = out;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    write_scene(text, sizeof text, file, use, contact);
    snprintf(name, sizeof name, "%s/scene.yaml", folder);
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    out->status = pli_scene_parse(context, text, (int64_t)strlen(text), name, NULL, &scene);
    if (out->status == PLI_OK) out->status = pli_model_create(context, scene, NULL, &model);
    if (out->status != PLI_OK) {
        pli_context_message(context, out->message, sizeof out->message);
        assert_null(strchr(out->message, '\n'));
    }
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

// ---- files of our own

#define POINTS(n) "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" #n "\n"
#define CORNER "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
#define TETS(n) "$EndNodes\n$Elements\n" #n "\n"
#define TET(id, a, b, c, d) #id " 4 2 0 1 " #a " " #b " " #c " " #d "\n"
#define END "$EndElements\n"

// a strip of five quadrangles around the z axis, joined with half a turn
#define MOEBIUS                                                                               \
    "OFF\n10 10 0\n1 0 -.3\n1 0 .3\n.3 1 -.3\n.3 1 .3\n-.8 .6 -.3\n-.8 .6 .3\n-.8 -.6 -.3\n"  \
    "-.8 -.6 .3\n.3 -1 -.3\n.3 -1 .3\n3 0 1 2\n3 2 1 3\n3 2 3 4\n3 4 3 5\n3 4 5 6\n3 6 5 7\n" \
    "3 6 7 8\n3 8 7 9\n3 8 9 1\n3 1 9 0\n"

// a cube of which a corner is cut off and left open
#define WITH_HOLE                                                                                \
    "OFF\n10 15 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n0 1 1\n1 .8 1\n1 1 .8\n.8 1 1\n"    \
    "3 0 3 2\n3 0 2 1\n3 0 1 5\n3 0 5 4\n3 0 4 6\n3 0 6 3\n3 3 6 9\n3 3 9 8\n3 3 8 2\n3 1 2 8\n" \
    "3 1 8 7\n3 1 7 5\n3 4 5 7\n3 4 7 9\n3 4 9 6\n"

typedef struct mesh_case {
    const char *file;
    const char *content;
    mesh_use use;
    const char *contact;
    pli_status status;
    const char *said[3]; // parts of the message or of the warnings
} mesh_case;

// a row with what is said last
#define CASE(file, content, use, contact, status, ...) \
    {                                                  \
        file, content, use, contact, status,           \
        {                                              \
            __VA_ARGS__                                \
        }                                              \
    }

static const mesh_case cases[] = {
    // elements that cannot be
    CASE("inverted.msh",
         POINTS(4) CORNER TETS(7) TET(1, 1, 2, 3, 4) TET(2, 1, 2, 4, 3) TET(3, 1, 2, 4, 3)
             TET(4, 1, 2, 4, 3) TET(5, 1, 2, 4, 3) TET(6, 1, 2, 4, 3) TET(7, 1, 2, 4, 3) END,
         USE_SOLID, "", PLI_ERROR_MESH,
         "body thing: inverted.msh:14: tetrahedra 1, 2, 3, 4, 5 and 1 more", "are inverted"),
    CASE("inverted.mesh",
         "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
         "Tetrahedra 2\n1 2 3 4 0\n1 2 4 3 0\nEnd\n",
         USE_SOLID, "", PLI_ERROR_MESH, "body thing: inverted.mesh:10: tetrahedra 1 are inverted"),
    CASE("inverted.vtk",
         "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
         "0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 2 10\n4 0 1 2 3\n4 0 1 3 2\nCELL_TYPES 2\n10 10\n",
         USE_SOLID, "", PLI_ERROR_MESH, "body thing: inverted.vtk:9: tetrahedra 1 are inverted"),
    CASE("flat.msh",
         POINTS(5) CORNER "5 .25 .25 0\n" TETS(2) TET(1, 1, 2, 3, 4) TET(2, 1, 2, 3, 5) END,
         USE_SOLID, "", PLI_ERROR_MESH, "body thing: flat.msh:15: tetrahedra 1", "have no volume"),
    // not a matter of planes
    CASE("far.msh",
         POINTS(4) "1 0 0 0\n2 1e160 0 0\n3 0 1e160 0\n4 0 0 1e160\n" TETS(1) TET(1, 1, 2, 3, 4)
             END,
         USE_SOLID, "", PLI_ERROR_MESH,
         "body thing: far.msh: vertices 1, 2, 3 have coordinates beyond 1e+100 m"),
    CASE("far.off", "OFF\n3 1 0\n0 0 0\n1e200 0 0\n0 1 0\n3 0 1 2\n", USE_SHELL, "", PLI_ERROR_MESH,
         "body thing: far.off: vertices 1 have coordinates beyond 1e+100 m"),
    CASE("tiny.msh",
         POINTS(4) "1 0 0 0\n2 1e-120 0 0\n3 0 1e-120 0\n4 0 0 1e-120\n" TETS(1) TET(1, 1, 2, 3, 4)
             END,
         USE_SOLID, "", PLI_ERROR_MESH,
         "body thing: tiny.msh:13: tetrahedra 0 are so small that their volume"),
    CASE("sliver.msh",
         POINTS(5) CORNER "5 .25 .25 -1e-7\n" TETS(2) TET(1, 1, 2, 3, 4) TET(2, 1, 3, 2, 5) END,
         USE_SOLID, "", PLI_OK, "body thing: sliver.msh:15: tetrahedra 1 are slivers"),
    CASE("twice.msh", POINTS(4) CORNER TETS(2) TET(1, 1, 2, 3, 4) TET(2, 1, 2, 3, 3) END, USE_SOLID,
         "", PLI_ERROR_MESH, "twice.msh:14: tetrahedron 1, counted from 0, uses a vertex twice"),
    // vertices
    CASE("unused.msh", POINTS(6) CORNER "5 9 9 9\n6 8 8 8\n" TETS(1) TET(1, 1, 2, 3, 4) END,
         USE_SOLID, "", PLI_OK, "body thing: unused.msh: dropped 2 vertices that no element uses"),
    CASE("unused.off", "OFF\n5 2 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n7 7 7\n3 0 1 2\n3 1 3 2\n",
         USE_SHELL, "", PLI_OK, "body thing: unused.off: dropped 1 vertices"),
    CASE("coincident.msh",
         POINTS(8) CORNER "5 0 0 0\n6 1 0 0\n7 0 1 0\n8 0 0 -1\n" TETS(2) TET(1, 1, 2, 3, 4)
             TET(2, 5, 7, 6, 8) END,
         USE_SOLID, "", PLI_OK,
         "body thing: coincident.msh: 3 vertices lie at the place of another one"),
    CASE("coincident.off",
         "OFF\n6 2 0\n0 0 0\n1 0 0\n0 1 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 3 4 5\n", USE_SHELL, "",
         PLI_OK, "body thing: coincident.off: 2 vertices lie at the place of another one"),
    // surfaces that bound nothing are fine as shells, and nothing can be filled into them
    CASE("moebius.off", MOEBIUS, USE_SHELL, "", PLI_OK, NULL),
    CASE("moebius.off", MOEBIUS, USE_FILLED, "", PLI_ERROR_MESH,
         "body thing: moebius.off: the surface ", "it must be closed"),
    CASE("moebius.off", MOEBIUS, USE_COLLIDER, "", PLI_ERROR_MESH,
         "colliders.c.shape: moebius.off: the surface ", "it must be closed"),
    CASE("open.off", "OFF\n4 3 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n",
         USE_FILLED, "", PLI_ERROR_MESH, "body thing: open.off: the surface ", "it must be closed"),
    CASE("with_hole.off", WITH_HOLE, USE_FILLED, "", PLI_OK,
         "with_hole.off: surface is not closed (3 open, 0 crowded, 0 badly oriented edges)",
         "its inside is guessed by ray casting"),
    CASE("crowded.off",
         "OFF\n5 3 0\n0 0 0\n0 0 1\n1 0 0\n-1 1 0\n-1 -1 0\n3 0 1 2\n3 0 1 3\n3 0 1 4\n", USE_SHELL,
         "", PLI_OK, "body thing: crowded.off: the surface is no manifold",
         "1 edges have more than two"),
    CASE("pinched.msh",
         POINTS(7) CORNER "5 -1 0 0\n6 0 -1 0\n7 0 0 -1\n" TETS(2) TET(1, 1, 2, 3, 4)
             TET(2, 1, 6, 5, 7) END,
         USE_SOLID, "", PLI_OK, "body thing: pinched.msh: the surface is no manifold",
         "by a vertex alone at 1 places"),
    CASE("needle.off", "OFF\n5 3 0\n0 0 0\n1 0 0\n2 0 0\n0 1 0\n3 0 0\n3 0 1 2\n3 0 1 3\n3 1 2 4\n",
         USE_SHELL, "", PLI_ERROR_MESH,
         "body thing: needle.off:8: triangles 0, 2 have no area, which a shell needs"),
    CASE("points.obj", "v 0 0 0\nv 1 0 0\n", USE_SHELL, "", PLI_ERROR_SCENE,
         "points.obj: the mesh has no triangles and no tetrahedra"),
    // starts
    CASE("nested.msh",
         POINTS(8) CORNER "5 .1 .1 .1\n6 .2 .1 .1\n7 .1 .2 .1\n8 .1 .1 .2\n" TETS(2)
             TET(1, 1, 2, 3, 4) TET(2, 5, 6, 7, 8) END,
         USE_SOLID, "contact: barrier\n", PLI_ERROR_SCENE,
         "bodies.thing: a part of body thing, that of vertex 4, starts inside of the body itself"),
    CASE("nested.msh",
         POINTS(8) CORNER "5 .1 .1 .1\n6 .2 .1 .1\n7 .1 .2 .1\n8 .1 .1 .2\n" TETS(2)
             TET(1, 1, 2, 3, 4) TET(2, 5, 6, 7, 8) END,
         USE_SOLID, "contact: barrier\nchecks: {body_overlap: warning}\n", PLI_OK,
         "a part of body thing, that of vertex 4, starts inside of the body itself"),
    CASE("nested.msh",
         POINTS(8) CORNER "5 .1 .1 .1\n6 .2 .1 .1\n7 .1 .2 .1\n8 .1 .1 .2\n" TETS(2)
             TET(1, 1, 2, 3, 4) TET(2, 5, 6, 7, 8) END,
         USE_SOLID, "contact: penalty\n", PLI_ERROR_SCENE,
         "bodies.thing: 4 vertices of body thing start inside of the body itself"),
    CASE("crossing.msh",
         POINTS(8) CORNER "5 .1 .1 -.5\n6 .2 .1 -.5\n7 .1 .2 -.5\n8 .1 .1 .2\n" TETS(2)
             TET(1, 1, 2, 3, 4) TET(2, 5, 6, 7, 8) END,
         USE_SOLID, "contact: barrier\n", PLI_ERROR_SCENE, "crosses or touches itself at the start",
         "pairs of triangles, by vertices: "),
    CASE("touching.msh",
         POINTS(8) CORNER "5 0 0 0\n6 -1 0 0\n7 0 -1 0\n8 0 0 -1\n" TETS(2) TET(1, 1, 2, 3, 4)
             TET(2, 5, 7, 6, 8) END,
         USE_SOLID, "contact: barrier\n", PLI_ERROR_SCENE,
         "crosses or touches itself at the start"),
};

static void mesh_is_refused_by_body_and_file_or_loaded_with_a_warning(void **state)
{
    folder_fixture *fix = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const mesh_case *one = &cases[i];
        outcome out;
        OK(fix->context, pli_file_write(fix->context, in_folder(fix, one->file), one->content,
                                        (int64_t)strlen(one->content)));
        try_file(fix->folder, one->file, one->use, one->contact, &out);
        const char *text = out.status == PLI_OK ? out.warnings : out.message;
        bool fits = out.status == one->status;
        for (int k = 0; k < 3 && one->said[k] != NULL; ++k) {
            fits = fits && strstr(text, one->said[k]) != NULL;
        }
        if (fits) continue;
        fail_msg("%s as %s, status %s: %s\n%s", one->file, use_names[one->use],
                 pli_status_text(out.status), out.message, out.warnings);
    }
}

// ---- the files of tests/data/meshes

static void try_any(const char *folder, const char *file)
{
    for (mesh_use use = USE_SOLID; use <= USE_COLLIDER; ++use) {
        outcome out;
        // barriers look at starts most closely
        bool barrier = use == USE_SOLID || use == USE_SHELL;
        try_file(folder, file, use, barrier ? "contact: barrier\n" : "", &out);
        if (out.status == PLI_OK) continue;
        // who is told, and by what name
        bool named = strstr(out.message, file) != NULL || strstr(out.message, "thing") != NULL;
        bool known = out.status == PLI_ERROR_MESH || out.status == PLI_ERROR_SCENE;
        if (!named || !known) {
            fail_msg("%s as %s, status %s: %s", file, use_names[use], pli_status_text(out.status),
                     out.message);
        }
    }
}

static void element_in_a_second_file_is_refused_by_that_file_and_its_line(void **state)
{
    folder_fixture *fix = *state;
    static const struct {
        const char *file;
        const char *text;
    } files[] = {{"two.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"},
                 {"two.ele", "# elements\n2 4 0\n1 1 2 3 4\n2 1 2 4 3\n"}};
    for (int k = 0; k < 2; ++k) {
        OK(fix->context, pli_file_write(fix->context, in_folder(fix, files[k].file), files[k].text,
                                        (int64_t)strlen(files[k].text)));
    }
    for (int k = 0; k < 2; ++k) {
        outcome out;
        try_file(fix->folder, files[k].file, USE_SOLID, "", &out);
        assert_int_equal(out.status, PLI_ERROR_MESH);
        assert_non_null(strstr(out.message, "body thing: two.ele:4: tetrahedra 1 are inverted"));
    }
}

static void any_mesh_file_is_refused_by_name_or_loaded(void **state)
{
    (void)state;
    char folder[512];
    const char *further = getenv("PLIANT_MESHES");
    if (further != NULL)
        snprintf(folder, sizeof folder, "%s", further);
    else
        sample_path("meshes", folder, sizeof folder);
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    int count = 0;
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (entry->d_name[0] == '.') continue;
        try_any(folder, entry->d_name);
        ++count;
    }
    closedir(listing);
    AT_LEAST(count, further != NULL ? 1 : 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(mesh_is_refused_by_body_and_file_or_loaded_with_a_warning,
                                        folder_set_up, folder_tear_down),
        cmocka_unit_test_setup_teardown(
            element_in_a_second_file_is_refused_by_that_file_and_its_line, folder_set_up,
            folder_tear_down),
        cmocka_unit_test(any_mesh_file_is_refused_by_name_or_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
