// SPDX-License-Identifier: Apache-2.0
//
// The scenes of sparse material-aware bases (Trusty et al. 2025), small, step by step: nothing
// crosses, nothing inverts, nothing is behind the ground, by a judge that knows nothing of the
// solver.
#include "brute_force.h"
#include "source.h"

// The solver that is judged, of all scenes.
#define SOLVER "subspace"

enum { SMALL_SETS = 5 };

// A scene made small: fewer vertices, and a start so near that the few steps have contact.
typedef struct small_scene {
    const char *name;
    int32_t steps;
    const char *sets[SMALL_SETS]; // ends with NULL
    bool touches;                 // there is contact within these steps
} small_scene;

static const small_scene small_scenes[] = {
    {"contact/slit-square",
     6,
     {"bodies.square.geometry.fill.spacing=0.07",
      "bodies.square.geometry.fill.shape.difference.shapes[1].box.size=[0.11, 0.6, 1]",
      "bodies.square.position=[0.04, 0.815, 0]"},
     true},
    {"mixed/layered-square", 5, {"bodies.square.geometry.grid.cells=[10, 10, 1]"}, true},
    {"contact/two-squares", 2, {"bodies.soft.geometry.grid.cells=[10, 10, 1]"}, true},
    {"rubber/cantilever", 6, {"bodies.beam.geometry.grid.cells=[20, 2, 2]"}, false},
    {"mixed/h-shape", 4, {"bodies.h.geometry.fill.spacing=0.05"}, true},
    {"contact/ball-on-spike", 6, {"bodies.ball.geometry.fill.vertices=400"}, true},
    {"contact/lattice-hoop",
     2,
     {"bodies.ball.geometry={fill: {shape: {recipe: {name: strutball, size: 0.24}}, spacing: "
      "0.016}}",
      "bodies.hoop.geometry={fill: {shape: {recipe: {name: hoop, size: 0.56}}, spacing: 0.03}}",
      "bodies.ball.position=[0.1, 0.27, 0.05]", "materials.steel.young=1e8"},
     true},
    {"contact/lattice-ball",
     4,
     {"bodies.ball.geometry={fill: {shape: {recipe: {name: strutball, size: 0.24}}, spacing: "
      "0.016}}",
      "materials.rubber.young=1e6"},
     true},
    {"contact/koosh",
     3,
     {"bodies.koosh.geometry={fill: {shape: {recipe: {name: koosh, size: 0.5}}, spacing: 0.0325}}"},
     true},
    {"mixed/shoe",
     2,
     {"bodies.shoe.geometry={fill: {shape: {recipe: {name: sole, size: 1}}, spacing: 0.053}}"},
     true},
    {"contact/foam-roller",
     6,
     {"bodies.roller.geometry.fill.vertices=600", "bodies.ground.geometry.fill.vertices=400"},
     true},
    {"mixed/stressball", 4, {"bodies.ball.geometry.fill.vertices=500"}, true},
    {"mixed/two-stressballs",
     4,
     {"bodies.left.geometry.fill.vertices=400", "bodies.right.geometry.fill.vertices=400"},
     true},
    {"mixed/jello",
     5,
     {"bodies.anvil.geometry.fill.vertices=400", "bodies.jello.geometry.grid.cells=[8, 3, 8]"},
     true},
};

enum { SMALL_SCENES = sizeof small_scenes / sizeof *small_scenes };

// ---- the judge itself

static void a_state_that_crosses_and_inverts_is_found(void **state)
{
    (void)state;
    // two tetrahedra, the tip of the second within the first
    static const int32_t tets[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    double x[24] = {0,   0,   0,   1, 0, 0, 0, 1, 0, 0, 0, 1, //
                    0.2, 0.2, 0.2, 3, 0, 0, 0, 3, 0, 0, 0, 3};
    brute_surface surface;
    brute_surface_init(&surface, 2, tets, 0, NULL);
    assert_int_equal(surface.triangle_count, 8);

    brute_findings findings = {0};
    brute_count_crossings(&surface, x, &findings);
    assert_true(findings.crossings > 0);
    brute_count_inverted(2, tets, x, &findings);
    assert_int_equal(findings.inverted, 0);

    // moved away nothing crosses; with two corners exchanged it is inside out
    for (int i = 4; i < 8; ++i) x[3 * i] += 4;
    findings = (brute_findings){0};
    brute_count_crossings(&surface, x, &findings);
    assert_int_equal(findings.crossings, 0);
    for (int k = 0; k < 3; ++k) {
        double kept = x[3 * 5 + k];
        x[3 * 5 + k] = x[3 * 6 + k];
        x[3 * 6 + k] = kept;
    }
    brute_count_inverted(2, tets, x, &findings);
    assert_int_equal(findings.inverted, 1);
    brute_surface_clear(&surface);
}

static void faces_of_two_tetrahedra_are_no_boundary(void **state)
{
    (void)state;
    static const int32_t tets[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    static const int32_t shell[3] = {5, 6, 7};
    brute_surface surface;
    brute_surface_init(&surface, 2, tets, 1, shell);
    assert_int_equal(surface.triangle_count, 7);
    brute_surface_clear(&surface);
}

// ---- scenes

static pli_scene *load_small(pli_context *context, const small_scene *small)
{
    char path[512];
    const char *sets[SMALL_SETS + 1] = {"solver.name=" SOLVER};
    pli_load_def def = {.sets = sets, .set_count = 1};
    pli_scene *scene = NULL;
    for (int k = 0; small->sets[k] != NULL; ++k) sets[def.set_count++] = small->sets[k];
    OK(context, pli_scene_load(context, scene_path(small->name, path, sizeof path), &def, &scene));
    return scene;
}

static void expect_clean(const small_scene *small, int64_t step, const brute_findings *findings)
{
    bool clean = findings->crossings == 0 && findings->inverted == 0 && findings->behind == 0;
    if (clean) return;
    fprintf(stderr, "%s, step %lld: %lld crossings, %d inverted, %d behind a plane\n", small->name,
            (long long)step, (long long)findings->crossings, (int)findings->inverted,
            (int)findings->behind);
    fail();
}

static void step_and_judge(const small_scene *small, const pli_scene *scene, const pli_model *model,
                           pli_state *state, pli_solver *solver)
{
    pli_context *context = pli_scene_context(scene);
    brute_surface surface;
    int32_t contacts = 0;
    pli_model_info info = pli_model_get_info(model);
    brute_surface_init(&surface, info.tet_count, pli_model_get_mesh(model).tets,
                       info.triangle_count, pli_model_get_mesh(model).triangles);
    for (int32_t k = 0; k <= small->steps; ++k) {
        if (k > 0) {
            pli_step_report report;
            OK(context, pli_solver_step(solver, state, &report));
            if (report.stop <= 0)
                fprintf(stderr, "%s, step %d: %s\n", small->name, (int)k,
                        pli_stop_name(report.stop));
            assert_true(report.stop > 0);
            contacts += report.contacts;
        }
        brute_findings findings = brute_check(scene, model, state, &surface);
        assert_true(findings.near > findings.triangles);
        expect_clean(small, k, &findings);
    }
    if (small->touches && contacts == 0) {
        fprintf(stderr, "%s: %d steps without any contact\n", small->name, (int)small->steps);
        fail();
    }
    brute_surface_clear(&surface);
}

static void run_small(const small_scene *small)
{
    pli_context *context = make_context(2);
    pli_scene *scene = load_small(context, small);
    pli_model *model = NULL;
    pli_state *state = NULL;
    pli_solver *solver = NULL;
    OK(context, pli_model_create(context, scene, NULL, &model));
    OK(context, pli_state_create(model, &state));
    OK(context, pli_solver_create(model, &solver));
    step_and_judge(small, scene, model, state, solver);
    pli_solver_destroy(solver);
    pli_state_destroy(state);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

static void no_scene_crosses_or_inverts_at_any_step(void **state)
{
    (void)state;
    for (int32_t k = 0; k < SMALL_SCENES; ++k) {
        fprintf(stderr, "           %s\n", small_scenes[k].name);
        run_small(&small_scenes[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_that_crosses_and_inverts_is_found),
        cmocka_unit_test(faces_of_two_tetrahedra_are_no_boundary),
        cmocka_unit_test(no_scene_crosses_or_inverts_at_any_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
