// SPDX-License-Identifier: Apache-2.0
//
// The scenes of regional steps (SC3-1 to SC3-6) on coarse grids, with one step for all and with
// regions: nothing leaves its room or is lost, and the two ways stay together.
#include "math/vec3.h"
#include "simulate.h"

enum { EXPLICIT, REGIONAL, SIDES };

typedef struct coarse_scene {
    const char *name;
    const char *cell; // four times that of the scene
    bool emits;
} coarse_scene;

static const coarse_scene coarse_scenes[] = {
    {"storks", "domain.cell=0.032", false},        {"balls", "domain.cell=0.032", false},
    {"snow-slope", "domain.cell=0.02", false},     {"dragon-bath", "domain.cell=0.02", true},
    {"dragon-massage", "domain.cell=0.02", false}, {"combo", "domain.cell=0.0264", false},
};

enum { SCENES = sizeof coarse_scenes / sizeof *coarse_scenes, STEPS = 1 };

static void load_coarse(const coarse_scene *coarse, int side, simulation *s)
{
    static const char *const solvers[SIDES] = {"solver.name=explicit", "solver.name=regional"};
    const char *sets[2] = {coarse->cell, solvers[side]};
    pli_load_def def = {.sets = sets, .set_count = 2};
    char path[512];
    // the root of the repository; without ctest the test is to be started there
    const char *source = getenv("PLIANT_SOURCE");
    snprintf(path, sizeof path, "%s/scenes/s3/%s.yaml", source != NULL ? source : ".",
             coarse->name);
    *s = (simulation){.context = make_context(2)};
    OK(s->context, pli_scene_load(s->context, path, &def, &s->scene));
    OK(s->context, pli_model_create(s->context, s->scene, &s->model));
    OK(s->context, pli_state_create(s->model, &s->state));
    OK(s->context, pli_solver_create(s->model, &s->solver));
    pli_model_get_info(s->model, &s->info);
}

// Walls hold nodes, and particles between the last two of them may pass a wall by a part of a cell.
static void expect_inside(const simulation *s, const pli_particle_view *view)
{
    const pli_domain_def *domain = &pli_scene_get(s->scene)->domain;
    for (int64_t k = 0; k < view->count; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            double x = view->positions[3 * k + axis];
            assert_true(x >= domain->min[axis] - 0.5 * s->info.cell);
            assert_true(x <= domain->max[axis] + 0.5 * s->info.cell);
        }
    }
}

static int64_t run(const coarse_scene *coarse, simulation *s)
{
    int64_t emitted = 0, updates = 0;
    for (int k = 0; k < STEPS; ++k) {
        pli_step_report report = simulation_step(s);
        emitted += report.matter.emitted;
        updates += report.matter.block_updates;
        assert_true(isfinite(report.energy.total));
        assert_int_equal(report.inverted, 0);
    }
    pli_particle_view view;
    pli_state_get_particles(s->state, &view);
    assert_int_equal(view.count, s->info.particle_count + emitted);
    assert_true(coarse->emits == (emitted > 0));
    expect_inside(s, &view);
    return updates;
}

// Mean distance of the particles that were there at the start, which have the first ids.
static double mean_distance(const simulation sides[SIDES])
{
    int64_t count = sides[0].info.particle_count;
    double *x = test_calloc((size_t)(3 * count), sizeof *x);
    pli_particle_view view;
    double sum = 0;
    pli_state_get_particles(sides[EXPLICIT].state, &view);
    for (int64_t k = 0; k < view.count; ++k) {
        if (view.ids[k] < count) pli_vec3_copy(view.positions + 3 * k, x + 3 * view.ids[k]);
    }
    pli_state_get_particles(sides[REGIONAL].state, &view);
    for (int64_t k = 0; k < view.count; ++k) {
        if (view.ids[k] >= count) continue;
        sum += pli_vec3_distance(view.positions + 3 * k, x + 3 * view.ids[k]);
    }
    test_free(x);
    return sum / (double)count;
}

static void scenes_of_particles_stay_in_their_rooms_and_together(void **state)
{
    (void)state;
    for (int32_t k = 0; k < SCENES; ++k) {
        const coarse_scene *coarse = &coarse_scenes[k];
        simulation sides[SIDES];
        int64_t updates[SIDES];
        for (int side = 0; side < SIDES; ++side) {
            load_coarse(coarse, side, &sides[side]);
            updates[side] = run(coarse, &sides[side]);
        }
        double cells = mean_distance(sides) / sides[0].info.cell;
        fprintf(stderr,
                "           %s: %lld particles, %.2f times fewer updates, %.4f cells apart\n",
                coarse->name, (long long)sides[0].info.particle_count,
                (double)updates[EXPLICIT] / (double)updates[REGIONAL], cells);
        assert_true(updates[REGIONAL] <= updates[EXPLICIT]);
        // steps of another length move first-order schemes apart by some percent of the way, which
        // is some cells at most
        assert_true(cells < 0.1);
        for (int side = 0; side < SIDES; ++side) simulation_clear(&sides[side]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_of_particles_stay_in_their_rooms_and_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
