// SPDX-License-Identifier: Apache-2.0
//
// The shipped scenes of particles on coarse grids. Those of regional steps (Fang et al. 2018) with
// one step for all and with regions: nothing leaves its room or is lost, and the two ways stay
// together. Those of implicit steps (Wang et al. 2020; Gast et al. 2015): their steps converge,
// clamps hold nodes also on the coarse grid, and nothing leaves or is lost.
#include "math/vec3.h"
#include "simulate.h"
#include "source.h"

enum { EXPLICIT, REGIONAL, SIDES };

typedef struct coarse_scene {
    const char *name;
    const char *cell; // four times that of the scene
    bool emits;
} coarse_scene;

static const coarse_scene coarse_scenes[] = {
    {"mixed/storks", "domain.cell=0.032", false},
    {"rubber/balls", "domain.cell=0.032", false},
    {"snow/slope", "domain.cell=0.02", false},
    {"fluid/dragon-bath", "domain.cell=0.02", true},
    {"sand/dragon-massage", "domain.cell=0.02", false},
    {"mixed/combo", "domain.cell=0.0264", false},
};

enum { SCENES = sizeof coarse_scenes / sizeof *coarse_scenes, STEPS = 1 };

// name is that of a file below scenes/
static void load(const char *name, const char *const *sets, int32_t count, simulation *s)
{
    pli_load_def def = {.sets = sets, .set_count = count};
    char path[512];
    *s = (simulation){.context = make_context(2)};
    OK(s->context,
       pli_scene_load(s->context, scene_path(name, path, sizeof path), &def, &s->scene));
    OK(s->context, pli_model_create(s->context, s->scene, NULL, &s->model));
    OK(s->context, pli_state_create(s->model, &s->state));
    OK(s->context, pli_solver_create(s->model, &s->solver));
    s->info = pli_model_get_info(s->model);
}

static void load_coarse(const coarse_scene *coarse, int side, simulation *s)
{
    static const char *const solvers[SIDES] = {"solver.name=explicit", "solver.name=regional"};
    const char *sets[2] = {coarse->cell, solvers[side]};
    load(coarse->name, sets, 2, s);
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
    pli_particle_view view = pli_state_get(s->state).particles;
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
    double sum = 0;
    pli_particle_view view = pli_state_get(sides[EXPLICIT].state).particles;
    for (int64_t k = 0; k < view.count; ++k) {
        if (view.ids[k] < count) pli_vec3_copy(view.positions + 3 * k, x + 3 * view.ids[k]);
    }
    view = pli_state_get(sides[REGIONAL].state).particles;
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

// ---- implicit

typedef struct implicit_scene {
    const char *name;
    const char *cell; // twice that of the scene
    bool emits;
    bool clamps; // colliders hold what begins inside of them
} implicit_scene;

static const implicit_scene implicit_scenes[] = {
    {"mixed/twist", "domain.cell=0.04", false, true},
    {"metal/plates", "domain.cell=0.032", false, true},
    {"metal/donut", "domain.cell=0.0228", false, true},
    {"mixed/armacat-soft", "domain.cell=0.16", false, true},
    {"mixed/armacat-stiff", "domain.cell=0.16", false, true},
    {"mixed/chain", "domain.cell=0.04", false, false},
    {"sand/boards", "domain.cell=0.028", true, true},
    {"metal/wheel", "domain.cell=0.02", false, true},
    {"rubber/bust", "domain.cell=0.04", false, true},
    {"goo/sauce", "domain.cell=0.06", true, false},
    {"mixed/bar", "domain.cell=0.03", false, true},
    {"rubber/stretched-box", "domain.cell=0.04", false, false},
    {"metal/cat-on-sheet", "domain.cell=0.12", false, true},
    {"snow/drop", "domain.cell=0.02", false, false},
    {"snow/wall", "domain.cell=0.02", false, false},
    {"snow/pair", "domain.cell=0.02", false, false},
};

enum { IMPLICIT_SCENES = sizeof implicit_scenes / sizeof *implicit_scenes };

static void scenes_of_implicit_particles_converge_and_are_held(void **state)
{
    (void)state;
    for (int32_t k = 0; k < IMPLICIT_SCENES; ++k) {
        const implicit_scene *coarse = &implicit_scenes[k];
        simulation s;
        load(coarse->name, &coarse->cell, 1, &s);
        pli_step_report report = simulation_step(&s);
        fprintf(stderr, "           %s: %lld particles, %d nodes, %d held, %d iterations\n",
                coarse->name, (long long)s.info.particle_count, (int)report.grid.nodes,
                (int)report.grid.constrained, (int)report.iterations);
        assert_true(report.stop > 0);
        assert_int_equal(report.grid.unconverged, 0);
        assert_true(isfinite(report.energy.total));
        assert_true((report.matter.emitted > 0) == coarse->emits);
        assert_true(!coarse->clamps || report.grid.constrained > 0);
        pli_particle_view view = pli_state_get(s.state).particles;
        assert_int_equal(view.count, s.info.particle_count + report.matter.emitted);
        expect_inside(&s, &view);
        simulation_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_of_particles_stay_in_their_rooms_and_together),
        cmocka_unit_test(scenes_of_implicit_particles_converge_and_are_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
