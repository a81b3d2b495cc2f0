// SPDX-License-Identifier: Apache-2.0
//
// Scenes of particles: what is read and completed, what is refused and how, and what a material of
// a scene comes to as that of particles.
#include "scene_samples.h"
#include "support/fault_sweep.h"

#include "base/memory.h"
#include "material/lame.h"
#include "sim/body/material_matter.h"
#include "sim/scene/schema.h"
#include "sim/step/solver_table.h"

// ---- helpers

static pli_status parse(pli_context *context, const char *text, pli_scene **scene)
{
    return pli_scene_parse(context, text, (int64_t)strlen(text), "s", NULL, scene);
}

static const pli_material_def *find_material(const pli_scene *scene, const char *name)
{
    const pli_scene_def *def = pli_scene_get(scene);
    for (int32_t k = 0; k < def->material_count; ++k) {
        if (strcmp(def->materials[k].name, name) == 0) return &def->materials[k];
    }
    fail_msg("no material %s", name);
    return NULL;
}

static pli_material resolve(pli_context *context, const pli_scene *scene, const char *name)
{
    pli_material material;
    OK(context, pli_matter_resolve(context, find_material(scene, name), &material));
    return material;
}

// ---- what is read

static void every_key_of_particles_is_read(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = load_sample(context, everything_of_particles);
    const pli_scene_def *def = pli_scene_get(scene);
    const pli_body_def *ball = &def->bodies[0];
    assert_int_equal(ball->geometry.kind, PLI_GEOMETRY_PARTICLES);
    const pli_particles_def *particles = ball->geometry.data;
    assert_int_equal(particles->shape.kind, PLI_SHAPE_SPHERE);
    assert_int_equal(particles->filling.per_cell, 12);
    assert_int_equal(particles->filling.pattern, PLI_PATTERN_POISSON);
    particles = def->bodies[1].geometry.data;
    assert_int_equal(particles->filling.per_cell, 8);
    assert_int_equal(particles->filling.pattern, PLI_PATTERN_LATTICE);

    NEAR(particles->stretch.fixed[0], 1, 0, 0);
    assert_int_equal(particles->stretch.random_count, 0);
    assert_int_equal(particles->volumes, PLI_VOLUMES_SEEDED);
    particles = def->bodies[2].geometry.data;
    assert_int_equal(particles->stretch.random_count, 2);
    NEAR(particles->stretch.random[1], 1.1, 0, 0);
    particles = def->bodies[3].geometry.data;
    NEAR(particles->stretch.fixed[0], 1.1, 0, 0);
    NEAR(particles->stretch.fixed[2], 0.9, 0, 0);

    const pli_emitter_def *tap = &def->emitters[0];
    assert_int_equal(def->emitter_count, 2);
    assert_string_equal(tap->name, "tap");
    assert_string_equal(tap->material, "water");
    assert_int_equal(tap->filling.per_cell, 16);
    NEAR(tap->velocity[1], -2, 0, 0);
    NEAR(tap->rate, 1e-3, 0, 0);
    NEAR(tap->begin, 0.5, 0, 0);
    NEAR(tap->end, 2, 0, 0);
    assert_int_equal(tap->motion.keyframe_count, 1);
    NEAR(tap->motion.keyframes[0].translate[0], 0.2, 0, 0);
    assert_int_equal(tap->motion.after, PLI_MOTION_RELEASE);
    NEAR(def->emitters[1].end, 0, 0, 0);

    NEAR(def->domain.cell, 0.02, 0, 0);
    NEAR(def->domain.min[1], -1, 0, 0);
    NEAR(def->domain.max[1], 3, 0, 0);
    assert_int_equal(def->domain.walls, PLI_BOUNDARY_SLIP);
    NEAR(def->domain.friction, 0.1, 0, 0);
    assert_int_equal(def->colliders[0].boundary, PLI_BOUNDARY_STICKY);
    assert_int_equal(def->colliders[1].boundary, PLI_BOUNDARY_SLIP);

    const pli_steps_def *steps = &def->solver.steps;
    NEAR(steps->sound, 0.4, 0, 0);
    NEAR(steps->advection, 0.3, 0, 0);
    NEAR(steps->tick, 1e-6, 0, 0);
    assert_int_equal(steps->longest, 64);
    assert_false(steps->guard);
    pli_scene_destroy(scene);
}

static void defaults_are_those_promised(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = NULL;
    OK(context, parse(context,
                      "materials: {m: snow}\n"
                      "emitters: {e: {shape: {sphere: 1}, material: m, velocity: [1, 0, 0]}}\n"
                      "domain: 0.1\n",
                      &scene));
    const pli_scene_def *def = pli_scene_get(scene);
    NEAR(def->domain.cell, 0.1, 0, 0);
    assert_int_equal(def->domain.min_count, 0);
    assert_int_equal(def->domain.walls, PLI_BOUNDARY_SEPARATE);
    assert_int_equal(def->emitters[0].filling.per_cell, 8);
    assert_int_equal(def->emitters[0].filling.pattern, PLI_PATTERN_JITTERED);
    NEAR(def->solver.steps.sound, 0.5, 0, 0);
    NEAR(def->solver.steps.advection, 0.5, 0, 0);
    NEAR(def->solver.steps.tick, 0, 0, 0);
    assert_int_equal(def->solver.steps.longest, 1048576);
    assert_true(def->solver.steps.guard);
    pli_scene_destroy(scene);
}

static void resolved_text_gives_the_same_scene(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = load_sample(context, everything_of_particles);
    for (int comments = 0; comments < 2; ++comments) {
        pli_yaml_def def = {.comments = comments == 1};
        char *text = NULL;
        char *again_text = NULL;
        pli_scene *again = NULL;
        OK(context, pli_scene_to_yaml(scene, &def, &text));
        OK(context, parse(context, text, &again));
        assert_true(pli_scene_hash(scene) == pli_scene_hash(again));
        OK(context, pli_scene_to_yaml(again, &def, &again_text));
        assert_string_equal(text, again_text);
        pli_text_free(context, text);
        pli_text_free(context, again_text);
        pli_scene_destroy(again);
    }
    pli_scene_destroy(scene);
}

static void scenes_made_in_c_are_completed(void **state)
{
    pli_context *context = *state;
    pli_scene_def def;
    pli_material_def material;
    pli_emitter_def emitter;
    pli_scene *scene = NULL;
    pli_scene_def_init(&def);
    pli_schema_init(&pli_material_schema, &material);
    pli_schema_init(&pli_emitter_schema, &emitter);
    assert_int_equal(material.yield.kind, -1);
    material.name = "m";
    material.preset = "goo";
    material.yield = (pli_variant){PLI_YIELD_VON_MISES, NULL};
    emitter.name = "e";
    emitter.material = "m";
    emitter.shape = (pli_variant){PLI_SHAPE_SPHERE, &(pli_sphere_def){.radius = 1}};
    emitter.velocity[0] = 1;
    def.materials = &material;
    def.material_count = 1;
    def.emitters = &emitter;
    def.emitter_count = 1;
    def.domain.cell = 0.1;
    OK(context, pli_scene_create(context, &def, &scene));
    const pli_von_mises_def *yield = find_material(scene, "m")->yield.data;
    NEAR(yield->stress, pli_material_preset_find("goo")->yield, 0, 0);
    assert_int_equal(pli_scene_get(scene)->emitters[0].filling.per_cell, 8);
    pli_scene_destroy(scene);
    material.yield.kind = 99;
    REFUSED(
        context, pli_scene_create(context, &def, &scene),
        "scene: materials.m.yield: kind is 99; allowed: one of snow, von-mises, drucker-prager, "
        "none");
}

// Scenes of meshes say nothing of particles when they are written out.
static void scenes_without_particles_stay_silent_about_them(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = NULL;
    char *text = NULL;
    OK(context,
       parse(context, "materials: {m: metal}\nbodies: {b: {geometry: grid, material: m}}\n",
             &scene));
    // the yield of the preset is that of particles: a mesh stays elastic
    assert_int_equal(find_material(scene, "m")->yield.kind, -1);
    OK(context, pli_scene_to_yaml(scene, NULL, &text));
    assert_null(strstr(text, "yield:"));
    assert_null(strstr(text, "domain:"));
    assert_null(strstr(text, "emitters:"));
    pli_text_free(context, text);
    pli_scene_destroy(scene);
}

// ---- what a material comes to

static void presets_of_particles_yield(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = load_sample(context, everything_of_particles);

    pli_material snow = resolve(context, scene, "powder");
    assert_string_equal(snow.law->name, "fixed-corotated");
    assert_ptr_equal(snow.yield, pli_yield_get(PLI_YIELD_SNOW));
    NEAR(snow.density, 400, 0, 0);
    // compression, stretch, hardening, least and most
    static const double of_snow[] = {0.025, 0.0075, 10, 0.6, 20};
    assert_memory_equal(snow.yield_params, of_snow, sizeof of_snow);
    // and the scene says so once it is validated
    const pli_material_def *powder = find_material(scene, "powder");
    assert_int_equal(powder->yield.kind, PLI_YIELD_SNOW);
    NEAR(((const pli_snow_def *)powder->yield.data)->least, 0.6, 0, 0);

    pli_material tin = resolve(context, scene, "tin");
    assert_ptr_equal(tin.yield, pli_yield_get(PLI_YIELD_VON_MISES));
    NEAR(tin.yield_params[0], pli_material_preset_find("metal")->yield, 0, 0);
    const pli_von_mises_def *tin_yield = find_material(scene, "tin")->yield.data;
    NEAR(tin_yield->stress, tin.yield_params[0], 0, 0);

    pli_material spring = resolve(context, scene, "spring");
    assert_null(spring.yield);
    pli_material water = resolve(context, scene, "water");
    assert_true(pli_material_is_fluid(&water));
    assert_null(water.yield);
    NEAR(water.params[0], 1e5, 0, 0);
    NEAR(water.params[1], 7, 0, 0);
    NEAR(water.viscosity, 1e-3, 0, 0);
    pli_scene_destroy(scene);
}

static void every_preset_that_yields_has_the_rule_it_names(void **state)
{
    pli_context *context = *state;
    int32_t yielding = 0;
    for (int32_t k = 0; pli_material_preset_get(k) != NULL; ++k) {
        const pli_material_preset *preset = pli_material_preset_get(k);
        char text[512];
        pli_scene *scene = NULL;
        snprintf(text, sizeof text,
                 "domain: 0.1\nmaterials: {m: {preset: %s}}\nbodies: {b: {geometry: {particles: "
                 "{shape: {sphere: {radius: 0.2}}}}, material: m}}\n",
                 preset->name);
        if (preset->yield_kind == NULL) continue;
        OK(context, pli_scene_parse(context, text, (int64_t)strlen(text), "s", NULL, &scene));
        int32_t kind = find_material(scene, "m")->yield.kind;
        assert_true(kind >= 0 && kind != PLI_YIELD_NONE);
        assert_string_equal(pli_yield_variants[kind]->name, preset->yield_kind);
        assert_ptr_equal(resolve(context, scene, "m").yield, pli_yield_get(kind));
        pli_scene_destroy(scene);
        ++yielding;
    }
    assert_true(yielding >= 5);
}

static void materials_take_their_own_numbers(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = load_sample(context, everything_of_particles);
    pli_material dune = resolve(context, scene, "dune");
    assert_string_equal(dune.law->name, "hencky");
    assert_ptr_equal(dune.yield, pli_yield_get(PLI_YIELD_DRUCKER_PRAGER));
    // the angle in radians, the cone, and no volume correction
    NEAR(dune.yield_params[0], 0.61086523819801535, 1e-15, 0);
    NEAR(dune.yield_params[2], 0, 0, 0);
    double lame[2];
    pli_lame_derive((const double[]){3.537e5, 0.3}, lame);
    NEAR(dune.mu, lame[0], 1e-15, 0);
    NEAR(dune.lambda, lame[1], 1e-15, 0);

    pli_material dough = resolve(context, scene, "dough");
    NEAR(dough.yield_params[0], 200, 0, 0);
    NEAR(dough.yield_params[1], 1e3, 0, 0);
    pli_material oil = resolve(context, scene, "oil");
    NEAR(oil.params[0], 2e5, 0, 0);
    NEAR(oil.params[1], 1, 0, 0);
    NEAR(oil.density, 900, 0, 0);
    // a Lame pair goes through young and poisson
    pli_material jelly = resolve(context, scene, "jelly");
    assert_string_equal(jelly.law->name, "neo-hookean");
    NEAR(jelly.mu, 4e3, 1e-14, 0);
    NEAR(jelly.lambda, 6e3, 1e-13, 0);
    pli_scene_destroy(scene);
}

// The rules let through exactly the pairs that can be made.
static void laws_and_yields_go_together_as_particles_have_them(void **state)
{
    pli_context *context = *state;
    for (int32_t k = 0; pli_material_get(k) != NULL; ++k) {
        const pli_material_ops *ops = pli_material_get(k);
        for (int32_t yield = 0; pli_yield_variants[yield] != NULL; ++yield) {
            char text[512];
            bool has_young = strcmp(ops->inputs[0].key, "young") == 0;
            snprintf(text, sizeof text,
                     "materials: {m: {law: %s, density: 1, %s yield: {%s: {%s}}}}\n"
                     "bodies: {b: {geometry: {particles: {shape: {sphere: 1}}}, material: m}}\n"
                     "domain: 0.1\n",
                     ops->name, has_young ? "young: 1e4, poisson: 0.3," : "",
                     pli_yield_variants[yield]->name,
                     yield == PLI_YIELD_VON_MISES ? "stress: 1" : "");
            pli_scene *scene = NULL;
            pli_status status = parse(context, text, &scene);
            bool goes = pli_yield_fits(pli_yield_get(yield), ops);
            assert_int_equal(status, goes ? PLI_OK : PLI_ERROR_SCENE);
            pli_material material;
            if (goes)
                OK(context, pli_matter_resolve(context, find_material(scene, "m"), &material));
            pli_scene_destroy(scene);
        }
    }
}

// ---- solvers

static void auto_picks_regional_for_particles(void **state)
{
    (void)state;
    pli_scene_def def;
    pli_scene_def_init(&def);
    assert_string_equal(pli_solver_kind_choose(&def)->info.name, "newton");
    pli_body_def body;
    pli_schema_init(&pli_body_schema, &body);
    body.geometry.kind = PLI_GEOMETRY_PARTICLES;
    def.bodies = &body;
    def.body_count = 1;
    const pli_solver_kind *kind = pli_solver_kind_choose(&def);
    assert_string_equal(kind->info.name, "regional");
    assert_null(kind->minimizer);
    assert_true(kind->regional);
    def.solver.name = "explicit";
    assert_false(pli_solver_kind_choose(&def)->regional);
    assert_false(pli_solver_parts_choose(kind, &def.solver, 0).needs_hierarchy);
}

static void auto_steps_stiff_particles_implicitly(void **state)
{
    (void)state;
    static const struct {
        const char *preset;
        const char *solver;
    } cases[] = {{"rubber", "regional"}, {"metal", "hot"}, {"sand", "regional"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        pli_scene_def def;
        pli_scene_def_init(&def);
        pli_body_def body;
        pli_schema_init(&pli_body_schema, &body);
        body.geometry.kind = PLI_GEOMETRY_PARTICLES;
        body.material = "m";
        pli_material_def material;
        pli_schema_init(&pli_material_schema, &material);
        material.name = "m";
        material.preset = cases[k].preset;
        def.bodies = &body;
        def.body_count = 1;
        def.materials = &material;
        def.material_count = 1;
        def.domain.cell = 0.05;
        assert_string_equal(pli_solver_kind_choose(&def)->info.name, cases[k].solver);
    }
}

// ---- what is refused

#define MATERIALS "materials: {m: snow, w: water, r: rubber}\n"
#define BALL "b: {geometry: {particles: {shape: {sphere: 1}}}, material: m"
#define BODY MATERIALS "bodies: {" BALL "}}\n"
#define SMALL BODY "domain: {cell: 0.1}\n"
#define MESH MATERIALS "bodies: {b: {geometry: grid, material: r}}\n"
#define EMITTER MATERIALS "domain: {cell: 0.1}\nemitters: {e: {shape: {sphere: 1}, material: w, "

// A body of particles with a material of its own.
#define OF(material) "materials: {m: " material "}\nbodies: {" BALL "}}\ndomain: {cell: 0.1}\n"

typedef struct refusal {
    const char *text;
    const char *message;
} refusal;

static void expect_refusals(const refusal *list, size_t count)
{
    pli_context *context = make_context(1);
    for (size_t k = 0; k < count; ++k) {
        pli_scene *scene = NULL;
        REFUSED(context, parse(context, list[k].text, &scene), list[k].message);
        assert_null(scene);
    }
    pli_context_destroy(context);
}

#define EXPECT_REFUSALS(list) expect_refusals((list), sizeof(list) / sizeof *(list))

static void what_does_not_go_with_particles_is_refused(void **state)
{
    (void)state;
    static const refusal list[] = {
        {MATERIALS "bodies: {" BALL "}, c: {geometry: grid, material: r}}\ndomain: 0.1\n",
         "s:2:87: bodies.c.geometry: found a mesh in a scene of particles, which do not collide "
         "with it; make it geometry: particles, or a collider"},
        {MESH "domain: 0.1\nemitters: {e: {shape: {sphere: 1}, material: w, velocity: [1, 0, 0]}}",
         "s:2:24: bodies.b.geometry: found a mesh in a scene of particles, which do not collide "
         "with it; make it geometry: particles, or a collider"},
        {SMALL "constraints: [{where: all}]\n", "s:4:15: constraints[0]: constrains vertices, and "
                                                "particles have none; fix them by a collider "
                                                "with boundary: sticky"},
        {SMALL "attachments: [{stiffness: 1}]\n",
         "s:4:15: attachments[0]: pulls vertices, and particles have none; move them by a collider "
         "with boundary: sticky"},
        {SMALL "contact: barrier\n",
         "s:4:10: contact.method: found 'barrier', which is for meshes; particles meet on their "
         "grid: leave it out"},
        {SMALL "time: {integrator: bdf2}\n",
         "s:4:20: time.integrator: found 'bdf2', which is for meshes; particles take "
         "implicit Euler or explicit steps: leave it out"},
        {SMALL "time: {mode: quasi-static}\n",
         "s:4:14: time.mode: found 'quasi-static', which is for meshes; particles have inertia: "
         "leave it out"},
        {SMALL "solver: lbfgs\n",
         "s:4:9: solver.name: found 'lbfgs', which is for meshes; particles take auto, hot, "
         "regional, explicit or another solver of particles"},
        {"materials: {m: {preset: rubber, viscosity: 2}}\nbodies: {" BALL
         "}}\ndomain: {cell: 0.1}\n"
         "solver: hot\n",
         "s:1:44: materials.m.viscosity: is for explicit steps; solver hot has none: use regional "
         "or explicit, or leave it out"},
        {SMALL "solver: {steps: {longest: 100}}\n",
         "s:4:27: solver.steps.longest: found '100'; expected a power of two, such as 64 or 128"},
        {SMALL "solver: {steps: {sound: 0}}\n",
         "s:4:25: solver.steps.sound: found '0'; allowed: greater than 0 and at most 1"},
        {SMALL "output: {fields: [plastic, von_mises]}\n",
         "s:4:18: output.fields: found 'von_mises', which is not a field of frames; fields are "
         "velocity, material, J, plastic, step, status, residual, id"},
        {SMALL "colliders: {c: {shape: plane, method: penalty}}\n",
         "s:4:39: colliders.c.method: found 'penalty', which is for vertices; leave it out, and "
         "say by boundary what becomes of particles"},
        {SMALL "colliders: {c: {shape: plane, stiffness: 2}}\n",
         "s:4:42: colliders.c.stiffness: is for vertices; particles meet a solid that does not "
         "give way"},
        {SMALL "colliders: {c: {shape: plane, margin: 2}}\n",
         "s:4:39: colliders.c.margin: is for vertices; to keep particles away, enlarge the shape"},
        {SMALL "colliders: {c: {shape: plane, boundary: glue}}\n",
         "s:4:41: colliders.c.boundary: found 'glue'; allowed are separate, slip, sticky"},
    };
    EXPECT_REFUSALS(list);
}

static void what_needs_particles_is_refused_without(void **state)
{
    (void)state;
    static const refusal list[] = {
        {MESH "domain: 0.1\n", "s:3:9: domain: is for particles, but the scene has none; make a "
                               "body with geometry: particles, or an emitter"},
        {MESH "domain: {walls: sticky}\n",
         "s:3:9: domain: is for particles, but the scene has none; make a body with geometry: "
         "particles, or an emitter"},
        {MESH "colliders: {c: {shape: plane, boundary: slip}}\n",
         "s:3:41: colliders.c.boundary: found 'slip', which is for particles; bodies of tetrahedra "
         "and "
         "triangles have method and friction"},
        {MESH "solver: regional\n",
         "s:3:9: solver.name: found 'regional', which is for particles, but the scene has none; "
         "use auto, newton or another solver of meshes"},
        {"materials: {r: {preset: rubber, yield: snow}}\n"
         "bodies: {b: {kind: shell, geometry: {sheet: {}}, thickness: 1e-3, material: r}}\n",
         "s:1:40: materials.r.yield: is for particles and tetrahedra; bodies of triangles stay "
         "elastic: leave it out"},
        {"materials: {r: {preset: rubber, viscosity: 1}}\nbodies: {b: {geometry: grid, material: r}"
         "}\n",
         "s:1:44: materials.r.viscosity: is for particles; bodies of tetrahedra and triangles have "
         "drag and rayleigh"},
        {MATERIALS, "s:1:1: bodies: is missing; a scene needs bodies, or emitters of particles"},
    };
    EXPECT_REFUSALS(list);
}

static void domains_must_make_sense(void **state)
{
    (void)state;
    static const refusal list[] = {
        {BODY, "s: domain.cell: is missing; scenes of particles need the edge of the grid's cells "
               "(m), a tenth or less of the smallest thing that matters"},
        {BODY "domain: {walls: slip}\n",
         "s:3:9: domain.cell: is missing; scenes of particles need the edge of the grid's cells "
         "(m), a tenth or less of the smallest thing that matters"},
        {BODY "domain: -1\n", "s:3:9: domain.cell: found '-1'; allowed: from 1e-9 to 1e9 m"},
        {BODY "domain: {cell: 0.1, min: [0, 0]}\n",
         "s:3:26: domain.min: found 2 numbers, expected three"},
        {BODY "domain: {cell: 0.1, min: [0, 0, 0]}\n",
         "s:3:26: domain.min: stands alone; give both corners of the room, or none"},
        {BODY "domain: {cell: 0.1, max: [0, 0, 0]}\n",
         "s:3:26: domain.max: stands alone; give both corners of the room, or none"},
        {BODY "domain: {cell: 0.1, min: [0, 0, 0], max: [1, 0, 1]}\n",
         "s:3:42: domain.max: must be greater than min along y"},
        {BODY "domain: {cell: 0.1, min: [0, 0, 0], max: [1, 0.05, 1]}\n",
         "s:3:42: domain.max: is less than a cell from min along y"},
    };
    EXPECT_REFUSALS(list);
}

static void bodies_of_particles_must_make_sense(void **state)
{
    (void)state;
    static const char mesh_key[] = "is for bodies of tetrahedra and triangles; particles fill a "
                                   "solid that starts at rest: leave it out";
    static const struct {
        const char *key; // and its value
        const char *place;
    } keys[] = {{"kind: shell", "s:2:78: bodies.b.kind"},
                {"thickness: 1", "s:2:83: bodies.b.thickness"},
                {"bending: 1", "s:2:81: bodies.b.bending"},
                {"motion: {segments: [{duration: 1}]}", "s:2:91: bodies.b.motion"},
                {"springs: {bend: 1}", "s:2:81: bodies.b.springs"},
                {"start: random", "s:2:79: bodies.b.start"}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k) {
        char text[512];
        char message[512];
        snprintf(text, sizeof text, MATERIALS "bodies: {" BALL ", %s}}\ndomain: 0.1\n",
                 keys[k].key);
        snprintf(message, sizeof message, "%s: %s", keys[k].place, mesh_key);
        expect_refusals(&(refusal){text, message}, 1);
    }

    static const refusal list[] = {
        {MATERIALS "bodies: {" BALL ", scale: [1, 1, 2]}}\ndomain: 0.1\n",
         "s:2:79: bodies.b.scale: found [1, 1, 2]; particles take the same scale along x, y and z"},
        {MATERIALS "bodies: {b: {geometry: {particles: {shape: plane}}, material: m}}\ndomain: 1\n",
         "s:2:44: bodies.b.geometry.particles.shape: found a plane without end, which no number of "
         "particles fills; intersect it with a box"},
        {MATERIALS "bodies: {b: {geometry: {particles: {shape: {sphere: 1}}}}}\ndomain: 1\n",
         "s:2:10: bodies.b.material: is missing; expected a text"},
        {MATERIALS "bodies: {b: {geometry: {particles: {shape: {sphere: 1}, per_cell: 257}}}}\n",
         "s:2:67: bodies.b.geometry.particles.per_cell: found '257'; allowed: from 1 to 256"},
        {MATERIALS "bodies: {b: {geometry: {particles: {shape: {sphere: 1}, filling: 2}}}}\n",
         "s:2:57: bodies.b.geometry.particles: unknown key 'filling'; allowed are shape, per_cell, "
         "pattern, stretch, volumes"},
        {MATERIALS "bodies: {" BALL ", regions: [{where: all, material: x}]}}\ndomain: 1\n",
         "s:2:105: bodies.b.regions[0].material: found 'x', which is not defined; defined are m, "
         "w, r"},
        {MATERIALS "bodies: {" BALL ", regions: [{where: {vertices: [1]}, material: m}]}}\n"
                   "domain: 1\n",
         "s:2:90: bodies.b.regions[0].where: found 'vertices', which particles have none of; use "
         "all, box, sphere or half_space"},
        {MATERIALS "bodies: {" BALL ", regions: [{where: {group: a}, material: m}]}}\ndomain: 1\n",
         "s:2:90: bodies.b.regions[0].where: found 'group', which particles have none of; use "
         "all, box, sphere or half_space"},
    };
    EXPECT_REFUSALS(list);
}

static void starts_of_particles_must_make_sense(void **state)
{
    (void)state;
#define START(keys)                                                                               \
    MATERIALS "domain: 0.1\nbodies: {b: {geometry: {particles: {shape: {sphere: 1}, " keys "}}, " \
              "material: m}}\n"
    static const refusal list[] = {
        {START("stretch: [1, 0, 1]"), "s:3:70: bodies.b.geometry.particles.stretch.fixed[1]: found "
                                      "'0'; allowed: greater than 0 and at most 1000"},
        {START("stretch: {random: [1]}"),
         "s:3:75: bodies.b.geometry.particles.stretch.random: found 1 numbers, expected two: the "
         "least and the most"},
        {START("stretch: {random: [1.3, 0.7]}"),
         "s:3:75: bodies.b.geometry.particles.stretch.random: found [1.3, 0.7]; the least comes "
         "first"},
        {START("stretch: {random: [0.7, 1.3], fixed: [2, 1, 1]}"),
         "s:3:75: bodies.b.geometry.particles.stretch.random: there is a fixed stretch as well; "
         "particles have one of the two"},
        {START("volumes: density") "solver: regional\n",
         "s:3:66: bodies.b.geometry.particles.volumes: found 'density', which is for implicit "
         "steps; solver regional has the same volume for all particles of a body: use hot or "
         "newton, or seeded"},
        {START("volumes: grid") "solver: hot\n",
         "s:3:66: bodies.b.geometry.particles.volumes: found 'grid'; allowed are seeded, density"},
    };
#undef START
    EXPECT_REFUSALS(list);
}

static void emitters_must_make_sense(void **state)
{
    (void)state;
    static const refusal list[] = {
        {EMITTER "velocity: [0, 0, 0]}}\n",
         "s:3:59: emitters.e.velocity: found [0, 0, 0]; a direction needs a length"},
        {EMITTER "}}\n", "s:3:15: emitters.e: the key 'velocity' is missing: Velocity of what "
                         "comes out."},
        {EMITTER "velocity: [1, 0, 0], begin: 2, end: 1}}\n",
         "s:3:85: emitters.e.end: found '1'; expected a time after begin, 2, or nothing for never"},
        {EMITTER "velocity: [1, 0, 0], rate: -1}}\n",
         "s:3:76: emitters.e.rate: found '-1'; allowed: greater than 0 and at most 1e18 m^3/s"},
        {SMALL "emitters: {e: {shape: {sphere: 1}, material: x, velocity: [1, 0, 0]}}\n",
         "s:4:46: emitters.e.material: found 'x', which is not defined; defined are m, w, r"},
        {SMALL "emitters: {b: {shape: {sphere: 1}, material: w, velocity: [1, 0, 0]}}\n",
         "s:4:12: emitters.b: there is a body of the name 'b', too; each part of a scene needs a "
         "name of its own"},
        {EMITTER "velocity: [1, 0, 0], motion: {segments: [{duration: 1, stretch: [1, 0, 0]}]}}}\n",
         "s:3:113: emitters.e.motion.segments[0].stretch: found [1, 0, 0]; allowed: [0, 0, 0], "
         "because what streams out would not stay as dense as it is"},
        {EMITTER "velocity: [1, 0, 0], motion: {keyframes: [{time: 1, scale: [1, 2, 1]}]}}}\n",
         "s:3:108: emitters.e.motion.keyframes[0].scale: found [1, 2, 1]; allowed: [1, 1, 1], "
         "because what streams out would not stay as dense as it is"},
        {SMALL "emitters: {e: {shape: plane, material: w, velocity: [1, 0, 0]}}\n",
         "s:4:23: emitters.e.shape: found a plane without end, which no number of particles fills; "
         "intersect it with a box"},
    };
    EXPECT_REFUSALS(list);
}

static void materials_of_particles_must_make_sense(void **state)
{
    (void)state;
    static const refusal list[] = {
        {OF("{preset: snow, drag: 1}"), "s:1:37: materials.m.drag: is for bodies of tetrahedra and "
                                        "triangles; particles have viscosity"},
        {OF("{preset: snow, rayleigh: 1}"),
         "s:1:41: materials.m.rayleigh: is for bodies of tetrahedra and triangles; particles have "
         "viscosity"},
        {OF("{preset: water, yield: snow}"),
         "s:1:39: materials.m.yield: law 'fluid' cannot yield by 'snow'; laws that can are "
         "fixed-corotated, stable-neo-hookean, neo-hookean, mooney-rivlin, ogden, "
         "st-venant-kirchhoff, corotated, hencky"},
        {OF("{preset: metal, law: linear}"),
         "s:1:13: materials.m.yield: law 'linear' cannot yield by 'von-mises', as preset metal; "
         "laws that can are fixed-corotated, stable-neo-hookean, neo-hookean, mooney-rivlin, "
         "ogden, "
         "st-venant-kirchhoff, corotated, hencky, or write yield: none"},
        {OF("{preset: rubber, yield: von-mises}"),
         "s:1:40: materials.m.yield.von-mises.stress: is missing, and there is no preset that "
         "yields; it is: Stress in a pulled rod from which on it stays deformed; by default that "
         "of the preset."},
        {OF("{preset: snow, poisson: -0.2}"),
         "s:1:40: materials.m.poisson: found '-0.2'; particles take 0 or more"},
        {OF("{preset: snow, yield: {snow: {hardening: 1e3, least: 0.1}}}"),
         "s:1:13: materials.m: stiffness at the least volume of a particle material is inf; it "
         "must be finite, and at most 1e+30"},
        {OF("{preset: snow, yield: {snow: {compression: 1}}}"),
         "s:1:59: materials.m.yield.snow.compression: found '1'; allowed: at least 0 and less than "
         "1"},
        {OF("{preset: sand, yield: {drucker-prager: 90}}"),
         "s:1:55: materials.m.yield.drucker-prager.angle: found '90'; allowed: at least 0 and less "
         "than "
         "90 deg"},
        {OF("{preset: sand, yield: glue}"), "s:1:38: materials.m.yield: found 'glue'; allowed are "
                                            "snow, von-mises, drucker-prager, none"},
        {OF("{preset: water, young: 3}"),
         "s:1:39: materials.m.young: law 'fluid' has no such input"},
        {OF("{preset: water, mu: 3}"), "s:1:36: materials.m.mu: law 'fluid' has no such input"},
        {OF("{preset: water, law: hencky}"),
         "s:1:13: materials.m.young: is missing, and the preset has none; law 'hencky' needs it"},
        {OF("{preset: water, parameters: {exponent: 0.5}}"),
         "s:1:55: materials.m.parameters.exponent: found '0.5'; law 'fluid' allows: at least 1 and "
         "at most 100"},
    };
    EXPECT_REFUSALS(list);
}

// ---- memory

static void any_failing_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    pli_context *reader = make_context(1);
    char *text = read_sample(reader, everything_of_particles);
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_scene *scene = NULL;
        char *yaml = NULL;
        sweep.status = parse(sweep.context, text, &scene);
        if (sweep.status == PLI_OK) sweep.status = pli_scene_to_yaml(scene, NULL, &yaml);
        pli_text_free(sweep.context, yaml);
        pli_scene_destroy(scene);
    }
    pli_release(reader, text);
    pli_context_destroy(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(every_key_of_particles_is_read, 1),
        TEST_IN_CONTEXT(defaults_are_those_promised, 1),
        TEST_IN_CONTEXT(resolved_text_gives_the_same_scene, 1),
        TEST_IN_CONTEXT(scenes_made_in_c_are_completed, 1),
        TEST_IN_CONTEXT(scenes_without_particles_stay_silent_about_them, 1),
        TEST_IN_CONTEXT(presets_of_particles_yield, 1),
        TEST_IN_CONTEXT(every_preset_that_yields_has_the_rule_it_names, 1),
        TEST_IN_CONTEXT(materials_take_their_own_numbers, 1),
        TEST_IN_CONTEXT(laws_and_yields_go_together_as_particles_have_them, 1),
        cmocka_unit_test(auto_picks_regional_for_particles),
        cmocka_unit_test(auto_steps_stiff_particles_implicitly),
        cmocka_unit_test(what_does_not_go_with_particles_is_refused),
        cmocka_unit_test(what_needs_particles_is_refused_without),
        cmocka_unit_test(domains_must_make_sense),
        cmocka_unit_test(bodies_of_particles_must_make_sense),
        cmocka_unit_test(starts_of_particles_must_make_sense),
        cmocka_unit_test(emitters_must_make_sense),
        cmocka_unit_test(materials_of_particles_must_make_sense),
        cmocka_unit_test(any_failing_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
