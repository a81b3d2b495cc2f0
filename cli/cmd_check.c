// SPDX-License-Identifier: Apache-2.0
#include "check_frames.h"
#include "check_matter.h"
#include "json.h"
#include "progress.h"
#include "scene_source.h"

#include "pliant/io.h"
#include "pliant/sim.h"

#include <inttypes.h>
#include <string.h>

static void format_bytes(int64_t bytes, char *text, size_t capacity)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1000 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        ++unit;
    }
    snprintf(text, capacity, "%.3g %s", value, units[unit]);
}

// "constraint, friction 0.5", "penalty of 1e+06 N/m^2, friction 0"
static void print_contact(const pli_contact_info *info)
{
    printf("%s", info->method);
    if (strcmp(info->method, "penalty") == 0) printf(" of %.4g N/m^2", info->stiffness);
    if (strcmp(info->method, "quadratic") == 0) printf(" of %.4g N/m", info->stiffness);
    if (strcmp(info->method, "none") != 0) printf(", friction %.4g", info->friction);
    if (info->triangle_count > 0) printf(", %d triangles", (int)info->triangle_count);
    if (info->deviation > 0) printf(" within %.2g m of the shape", info->deviation);
    printf("\n");
}

static void print_colliders(const pli_model *model, int32_t count)
{
    pli_contact_info info;
    printf("# colliders   %d\n", (int)count);
    for (int32_t k = 0; k < count; ++k) {
        info = pli_model_get_collider(model, k);
        printf("#   %s: ", info.name);
        print_contact(&info);
    }
    info = pli_model_get_info(model).contact;
    printf("# contact     ");
    print_contact(&info);
}

// Which contact there is, and who said so.
static void print_choice(const pli_scene *scene)
{
    const char *text = pli_scene_get_info(scene).contact;
    const char *why = strchr(text, ',');
    if (why != NULL) printf("#   %s\n", why + 2);
}

// "traction of [0, -1, 2] N on 12 vertices", "air: gas, 0.0042 m^3 within 640 triangles"
static void print_loads(const pli_model *model, const pli_model_info *info)
{
    if (info->load_count > 0) printf("# loads       %d\n", (int)info->load_count);
    for (int32_t k = 0; k < info->load_count; ++k) {
        pli_load_info load = pli_model_get_load(model, k);
        bool follows = load.triangle_count > 0;
        printf("#   %s of [%.4g, %.4g, %.4g] N on %d %s\n", load.kind, load.force[0], load.force[1],
               load.force[2], (int)(follows ? load.triangle_count : load.vertex_count),
               follows ? "triangles" : "vertices");
    }
    if (info->cavity_count > 0) printf("# cavities    %d\n", (int)info->cavity_count);
    for (int32_t k = 0; k < info->cavity_count; ++k) {
        pli_cavity_info cavity = pli_model_get_cavity(model, k);
        printf("#   %s: %s, %.4g m^3 within %d triangles\n", cavity.name, cavity.content,
               cavity.volume, (int)cavity.triangle_count);
    }
}

// "25/500/14779 nodes, 3.1 MB", coarsest first; the last level is the vertices
static void print_levels(const pli_model_info *info)
{
    if (info->level_count == 0) return;
    char memory[32];
    format_bytes(info->level_memory, memory, sizeof memory);
    printf("# levels      ");
    for (int32_t k = 0; k < info->level_count; ++k) printf("%d/", (int)info->level_nodes[k]);
    printf("%d nodes, %s\n", (int)info->vertex_count, memory);
}

// "24 handles, cubature of 310 of 4521 tetrahedra, polish of 20 iterations, 3.1 MB"
static void print_subspace(const pli_model_info *info)
{
    if (info->handle_count == 0) return;
    char memory[32];
    format_bytes(info->subspace_memory, memory, sizeof memory);
    printf(
        "# subspace    %d handle%s, cubature of %d of %d tetrahedra, polish of %d iterations, %s\n",
        (int)info->handle_count, info->handle_count == 1 ? "" : "s", (int)info->cubature_count,
        (int)info->tet_count, (int)info->polish_iterations, memory);
}

// "block: locking-free, chosen" for bodies whose tetrahedra are not linear.
static void print_elements(const pli_model *model, const pli_scene_def *scene, int32_t count)
{
    static const char *const names[] = {"", "linear", "quadratic", "locking-free"};
    int32_t of_kind[4] = {0}, last = -1;
    for (int32_t k = 0; k < count; ++k) {
        pli_body_info body = pli_model_get_body(model, k);
        of_kind[body.element] += body.tet_count > 0;
    }
    if (of_kind[PLI_ELEMENT_QUADRATIC] + of_kind[PLI_ELEMENT_LOCKING_FREE] == 0) return;
    printf("# elements    %d linear, %d quadratic, %d locking-free bodies\n",
           (int)of_kind[PLI_ELEMENT_LINEAR], (int)of_kind[PLI_ELEMENT_QUADRATIC],
           (int)of_kind[PLI_ELEMENT_LOCKING_FREE]);
    for (int32_t k = 0; k < count; ++k) {
        // copies and pieces have the element of the body
        pli_body_info body = pli_model_get_body(model, k);
        if (body.source == last || body.element == PLI_ELEMENT_LINEAR) continue;
        last = body.source;
        bool chosen = scene->bodies[last].element == PLI_ELEMENT_AUTO;
        printf("#   %s: %s%s\n", scene->bodies[last].name, names[body.element],
               chosen ? ", chosen" : "");
    }
}

static void print_painted(const pli_model_info *info)
{
    for (int32_t k = 0; k < info->painted_count; ++k) {
        const pli_painted_info *one = &info->painted[k];
        printf("# painted     %s: %s, %.4g to %.4g%s%s\n", one->number, one->by, one->least,
               one->most, one->unit[0] != '\0' ? " " : "", one->unit);
    }
}

static void print_meshes(const pli_model *model, const pli_scene *whole)
{
    const pli_scene_def *scene = pli_scene_get(whole);
    pli_model_info info = pli_model_get_info(model);
    int64_t steps = (int64_t)scene->time.frames * scene->time.steps_per_frame;
    printf("# bodies      %d\n", (int)info.body_count);
    printf("# vertices    %d\n", (int)info.vertex_count);
    printf("# tetrahedra  %d\n", (int)info.tet_count);
    print_elements(model, scene, info.body_count);
    if (info.triangle_count > 0) printf("# triangles   %d\n", (int)info.triangle_count);
    if (info.spring_count > 0) printf("# springs     %d\n", (int)info.spring_count);
    print_loads(model, &info);
    print_colliders(model, info.collider_count);
    print_choice(whole);
    printf("# unknowns    %" PRId64 "\n", info.unknown_count);
    printf("# mass        %.4g kg\n", info.mass);
    printf("# size        %.4g m\n", info.size);
    printf("# steps       %" PRId64 " of %.4g s, %.4g s in all\n", steps, info.dt,
           (double)steps * info.dt);
    if (info.fixed_iterations > 0) {
        printf("# solver      %s, %d iteration%s a step\n", info.solver, (int)info.fixed_iterations,
               info.fixed_iterations == 1 ? "" : "s");
    } else {
        printf("# solver      %s, to a tolerance of %.4g %s\n", info.solver, info.tolerance,
               info.tolerance_unit);
    }
    print_levels(&info);
    print_subspace(&info);
    print_painted(&info);
}

// What every step measures, beside energies.
static void print_measured(const pli_model *model)
{
    enum { SHOWN = 8 };
    int32_t count = 0;
    while (pli_model_get_probe(model, count).name != NULL) ++count;
    if (count == 0) return;
    printf("# measured    ");
    for (int32_t k = 0; k < count && k < SHOWN; ++k) {
        printf("%s%s", k > 0 ? ", " : "", pli_model_get_probe(model, k).name);
    }
    if (count > SHOWN) printf(" and %d more", (int)(count - SHOWN));
    printf("; in probes.csv\n");
}

// The scene as YAML, and what it costs as comments: together still a scene file.
static void print_text(const char *yaml, const pli_model *model, const pli_scene *scene)
{
    pli_model_info info = pli_model_get_info(model);
    char memory[32];
    format_bytes(info.memory_estimate, memory, sizeof memory);
    printf("%s\n", yaml);
    if (info.cell > 0) {
        pli_cli_print_matter(model, pli_scene_get(scene));
    } else {
        print_meshes(model, scene);
    }
    print_measured(model);
    printf("# memory      %s\n", memory);
}

static void put_contact(pli_cli_json *json, const char *key, const pli_contact_info *info)
{
    pli_cli_json_begin(json, key, '{');
    if (info->name[0] != '\0') pli_cli_json_text(json, "name", info->name);
    pli_cli_json_text(json, "method", info->method);
    pli_cli_json_real(json, "stiffness", info->stiffness);
    pli_cli_json_real(json, "friction", info->friction);
    if (info->triangle_count > 0) {
        pli_cli_json_integer(json, "triangles", info->triangle_count);
        pli_cli_json_real(json, "deviation", info->deviation);
    }
    pli_cli_json_end(json, '}');
}

static void put_colliders(pli_cli_json *json, const pli_model *model, const pli_scene *scene,
                          int32_t count)
{
    pli_contact_info info;
    pli_cli_json_begin(json, "colliders", '[');
    for (int32_t k = 0; k < count; ++k) {
        info = pli_model_get_collider(model, k);
        put_contact(json, NULL, &info);
    }
    pli_cli_json_end(json, ']');
    info = pli_model_get_info(model).contact;
    put_contact(json, "contact", &info);
    pli_cli_json_text(json, "contact_choice", pli_scene_get_info(scene).contact);
}

static void put_loads(pli_cli_json *json, const pli_model *model, const pli_model_info *info)
{
    pli_cli_json_begin(json, "loads", '[');
    for (int32_t k = 0; k < info->load_count; ++k) {
        pli_load_info load = pli_model_get_load(model, k);
        pli_cli_json_begin(json, NULL, '{');
        pli_cli_json_text(json, "kind", load.kind);
        pli_cli_json_begin(json, "force", '[');
        for (int i = 0; i < 3; ++i) pli_cli_json_real(json, NULL, load.force[i]);
        pli_cli_json_end(json, ']');
        pli_cli_json_integer(json, "vertices", load.vertex_count);
        pli_cli_json_integer(json, "triangles", load.triangle_count);
        pli_cli_json_end(json, '}');
    }
    pli_cli_json_end(json, ']');
    pli_cli_json_begin(json, "cavities", '[');
    for (int32_t k = 0; k < info->cavity_count; ++k) {
        pli_cavity_info cavity = pli_model_get_cavity(model, k);
        pli_cli_json_begin(json, NULL, '{');
        pli_cli_json_text(json, "name", cavity.name);
        pli_cli_json_text(json, "content", cavity.content);
        pli_cli_json_real(json, "volume", cavity.volume);
        pli_cli_json_integer(json, "triangles", cavity.triangle_count);
        pli_cli_json_end(json, '}');
    }
    pli_cli_json_end(json, ']');
}

static void put_meshes(pli_cli_json *json, const pli_model *model, const pli_scene *scene)
{
    pli_model_info info = pli_model_get_info(model);
    pli_cli_json_integer(json, "bodies", info.body_count);
    pli_cli_json_integer(json, "vertices", info.vertex_count);
    pli_cli_json_integer(json, "tetrahedra", info.tet_count);
    pli_cli_json_integer(json, "triangles", info.triangle_count);
    pli_cli_json_integer(json, "springs", info.spring_count);
    put_loads(json, model, &info);
    put_colliders(json, model, scene, info.collider_count);
    pli_cli_json_integer(json, "unknowns", info.unknown_count);
    pli_cli_json_integer(json, "blocks", info.block_count);
    pli_cli_json_real(json, "tolerance", info.tolerance);
    pli_cli_json_text(json, "tolerance_unit", info.tolerance_unit);
    pli_cli_json_begin(json, "levels", '[');
    for (int32_t k = 0; k < info.level_count; ++k) {
        pli_cli_json_integer(json, NULL, info.level_nodes[k]);
    }
    pli_cli_json_end(json, ']');
    pli_cli_json_integer(json, "level_memory", info.level_memory);
    if (info.handle_count > 0) {
        pli_cli_json_begin(json, "subspace", '{');
        pli_cli_json_integer(json, "handles", info.handle_count);
        pli_cli_json_integer(json, "cubature", info.cubature_count);
        pli_cli_json_integer(json, "polish", info.polish_iterations);
        pli_cli_json_integer(json, "memory", info.subspace_memory);
        pli_cli_json_end(json, '}');
    }
    if (info.painted_count == 0) return;
    pli_cli_json_begin(json, "painted", '[');
    for (int32_t k = 0; k < info.painted_count; ++k) {
        pli_cli_json_begin(json, NULL, '{');
        pli_cli_json_text(json, "number", info.painted[k].number);
        pli_cli_json_text(json, "by", info.painted[k].by);
        pli_cli_json_real(json, "least", info.painted[k].least);
        pli_cli_json_real(json, "most", info.painted[k].most);
        pli_cli_json_text(json, "unit", info.painted[k].unit);
        pli_cli_json_end(json, '}');
    }
    pli_cli_json_end(json, ']');
}

static void print_json(const char *yaml, const pli_model *model, const pli_scene *whole)
{
    const pli_scene_def *scene = pli_scene_get(whole);
    pli_model_info info = pli_model_get_info(model);
    pli_cli_json json;
    pli_cli_json_init(&json, stdout);
    pli_cli_json_begin(&json, NULL, '{');
    if (info.cell > 0) {
        pli_cli_put_matter(&json, model, scene);
    } else {
        put_meshes(&json, model, whole);
    }
    pli_cli_json_integer(&json, "memory", info.memory_estimate);
    pli_cli_json_real(&json, "mass", info.mass);
    pli_cli_json_real(&json, "size", info.size);
    pli_cli_json_real(&json, "dt", info.dt);
    pli_cli_json_integer(&json, "frames", scene->time.frames);
    pli_cli_json_integer(&json, "steps", (int64_t)scene->time.frames * scene->time.steps_per_frame);
    pli_cli_json_text(&json, "solver", info.solver);
    pli_cli_json_text(&json, "scene", yaml);
    pli_cli_json_end(&json, '}');
}

static int check_scene(pli_cli_session *session)
{
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    char *yaml = NULL;
    int code = pli_cli_load_scene(session, &scene);
    if (code != PLI_CLI_DONE) goto done;

    pli_status status = pli_cli_create_model(session, scene, &model);
    pli_yaml_def def = {.comments = session->arguments.comments};
    if (status == PLI_OK) status = pli_scene_to_yaml(scene, &def, &yaml);
    if (status != PLI_OK) {
        code = pli_cli_report(session, status);
        goto done;
    }
    if (session->arguments.json) {
        print_json(yaml, model, scene);
    } else if (!session->arguments.quiet) {
        print_text(yaml, model, scene);
    }

done:
    pli_text_free(session->context, yaml);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    return code;
}

static int refuse(pli_cli_session *session, const char *what)
{
    pli_cli_error(&session->console, "%s; 'pliant check --help' shows the usage", what);
    return PLI_CLI_USAGE;
}

// Beside a scene, --frames is the number of its frames, as in run.
static int check_scene_with(pli_cli_session *session)
{
    pli_cli_arguments *arguments = &session->arguments;
    if (arguments->every.given || arguments->with_colliders || arguments->stop_at_first) {
        return refuse(session,
                      "--every, --colliders and --stop-at-first go with --frames DIR alone, "
                      "without a scene");
    }
    if (arguments->frames_or_folder != NULL) {
        arguments->frames.given = true;
        if (!pli_cli_read_integer(arguments->frames_or_folder, &arguments->frames.value) ||
            arguments->frames.value < 0) {
            return refuse(session, "beside a scene, --frames takes a whole number from 0 on");
        }
    }
    return check_scene(session);
}

static int run_check(pli_cli_session *session)
{
    const pli_cli_arguments *arguments = &session->arguments;
    if (arguments->operand_count > 0) return check_scene_with(session);
    if (arguments->frames_or_folder == NULL) {
        return refuse(session, "a SCENE, or --frames DIR, is missing");
    }
    if (arguments->settings.count > 0 || arguments->solver != NULL || arguments->comments ||
        arguments->seed.given || arguments->end_time > 0) {
        return refuse(session, "with --frames DIR there is no scene to change or comment");
    }
    return pli_cli_check_frames(session, arguments->frames_or_folder);
}

static const pli_cli_option options[] = {
    {.name = "frames",
     .value = "DIR|N",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, frames_or_folder),
     .hint = PLI_CLI_HINT_FOLDER,
     .doc = "without a scene: tests the frames in the folder of a run; beside a scene: frames to "
            "compute after the initial one (default: as the scene says)"},
    {.name = "every",
     .value = "N",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, every),
     .min = 1,
     .max = INT32_MAX,
     .doc = "with --frames DIR: tests every N-th frame (default: 1)"},
    {.name = "colliders",
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, with_colliders),
     .doc = "with --frames DIR: tests bodies against colliders, too"},
    {.name = "stop-at-first",
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, stop_at_first),
     .doc = "with --frames DIR: ends at the first frame in which something is found"},
    {.name = "comments",
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, comments),
     .doc = "writes unit and meaning beside every key"},
};

const pli_cli_command pli_cli_command_check = {
    .name = "check",
    .operands = "SCENE|--frames DIR",
    .min_operands = 0,
    .max_operands = 1,
    .hint = PLI_CLI_HINT_SCENE,
    .computes = true,
    .summary = "validates a scene and says what it will cost; or tests the frames of a run",
    .about = "Reads a scene (a file, the name of a shipped scene, or - for standard input), builds "
             "everything that a run would need, and prints the scene with every default filled in, "
             "followed by its size: vertices, colliders, unknowns, steps and memory; of particles "
             "their number, kinds, emitters and domain. What is printed is itself a scene file. "
             "With --quiet only the exit code tells.\n\n"
             "With --frames DIR and no scene, tests every frame in the folder of a run by exact "
             "arithmetic: pairs of surface triangles that intersect (touching counts) and "
             "tetrahedra that are inverted. Prints a line per frame with findings, with --verbose "
             "the first few of them, and one line in all. Exits with 0 when nothing was found, 4 "
             "when something was, 3 when files cannot be read.",
    .examples = "  pliant check demo\n  pliant check mine.yaml --set time.fps=60 --comments\n"
                "  pliant check --frames out/demo\n",
    .own = PLI_CLI_OPTIONS(options),
    .shared = {&pli_cli_scene_options, &pli_cli_talk_options, &pli_cli_json_options},
    .run = run_check,
};
