// SPDX-License-Identifier: Apache-2.0
//
// Fluids of explicit MPM (M6, R4) against what is known of water: pressure at rest, and the front
// of a dam that breaks (Martin and Moyce 1952).
#include "mpm_world.h"

#define GRAVITY 9.81

static const double origin[3] = {0, 0, 0};

static pli_mpm_material water(double bulk, double exponent, double viscosity)
{
    return (pli_mpm_material){.elasticity = PLI_MPM_FLUID,
                              .density = 1000,
                              .bulk = bulk,
                              .exponent = exponent,
                              .viscosity = viscosity};
}

// ---- at rest

enum { LAYERS = 20, WIDTH = 4 };

// Sums over the particles of layers that are a cell thick, from below.
typedef struct layers {
    double pressure[LAYERS]; // Pa
    double mass[LAYERS];     // kg
    double count[LAYERS];
} layers;

static void add_to_layer(void *user, const mpm_world *w, const mpm_sample *s)
{
    layers *l = user;
    int32_t k = (int32_t)(s->x[2] / mpm_dx(w));
    assert_in_range(k, 0, LAYERS - 1);
    const float *tau = s->particle.tau;
    double trace = (double)tau[0] + (double)tau[1] + (double)tau[2];
    const double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}; // a fluid does not look at it
    double memory = (double)s->particle.memory;
    l->pressure[k] -= trace / (3 * pli_mpm_volume_ratio(&w->kinds[s->kind].material, F, memory));
    l->mass[k] += s->mass;
    l->count[k] += 1;
}

// A column one metre high starts without pressure and oscillates; viscosity as of tar, 2500 Pa s,
// takes half of the swing in every period, and it is at rest after two seconds.
static layers settle_fluid(double bulk, double exponent)
{
    double dx = 1.0 / LAYERS, dt = 1.1e-4;
    mpm_world *w = mpm_world_make(dx, 0, WIDTH, LAYERS + 4);
    pli_mpm_material fluid = water(bulk, exponent, 2500);
    int32_t kind = mpm_world_kind(w, &fluid);
    w->def.gravity[2] = -GRAVITY;
    mpm_world_build(w, dt);
    mpm_world_seed(w, kind, mpm_box(w, origin, (double[3]){0, WIDTH * dx, 1}), NULL);
    mpm_world_run(w, (int64_t)(2 / dt));
    mpm_totals end = mpm_world_measure(w);
    AT_MOST(end.largest_speed, 1e-3);
    NEAR(w->impulses[4][2], 2 * end.mass * GRAVITY, 2e-3, 0);
    layers l = {0};
    mpm_world_visit(w, add_to_layer, &l);
    mpm_world_destroy(w);
    return l;
}

// Pressure in a layer is the weight of what is above its middle. Errors are told in parts of the
// pressure at the bottom.
//
// The layer at the floor has more than that: the first free node reaches half a cell behind the
// wall, where nobody pushes, so those in front of it have to push more, by 0.039 / 0.383 of the
// pressure with two particles a cell, whatever dx is.
static void expect_hydrostatic(double bulk, double exponent)
{
    layers l = settle_fluid(bulk, exponent);
    double area = WIDTH / (double)LAYERS / LAYERS, bottom = 1000 * GRAVITY;
    double above = 0, sum = 0;
    for (int32_t k = LAYERS - 1; k >= 0; --k) {
        if (l.count[k] == 0) continue;
        double want = GRAVITY * (above + l.mass[k] / 2) / area;
        double error = (l.pressure[k] / l.count[k] - want) / bottom;
        above += l.mass[k];
        sum += fabs(error);
        AT_MOST(fabs(error), k == 0 ? 0.11 : 0.02);
    }
    NEAR(above / area, 1000, 1e-6, 0);
    AT_MOST(sum / LAYERS, 0.01);
}

static void pressure_at_rest_is_the_weight_above(void **state)
{
    (void)state;
    expect_hydrostatic(1e5, 7);
    expect_hydrostatic(7e5, 1);
}

// ---- dam break

enum { DAM_POINTS = 6 };
static const double dam_width = 0.05715;
static const double dam_times[DAM_POINTS] = {0.84, 1.43, 1.98, 2.51, 2.98, 3.33}; // t sqrt(2 g / a)
static const double dam_fronts[DAM_POINTS] = {1.22, 1.67, 2.33, 3.00, 3.67, 4.11}; // x / a

// Of the experiment: the gate takes time to open. As long as is allowed for.
static const double dam_delay = 0.1;

static mpm_world *make_dam(int32_t cells, double *dt)
{
    double dx = dam_width / cells;
    mpm_world *w = mpm_world_make(dx, 0, 6 * cells, 3 * cells);
    // sound at 8 m/s, five times the fastest flow
    pli_mpm_material fluid = water(1e4, 7, 1e-3);
    int32_t kind = mpm_world_kind(w, &fluid);
    w->def.gravity[2] = -GRAVITY;
    for (int32_t wall = 2; wall < PLI_GRID_WALLS; ++wall) {
        w->walls.walls[wall].hold = PLI_GRID_SEPARATE;
    }
    *dt = 0.4 * dx / sqrt(70);
    mpm_world_build(w, *dt);
    mpm_world_seed(w, kind, mpm_box(w, origin, (double[3]){0, dam_width, 2 * dam_width}), NULL);
    return w;
}

static double find_front(const mpm_world *w)
{
    return (mpm_world_measure(w).high[1] + mpm_dx(w) / 4) / dam_width;
}

static void the_front_of_a_dam_is_where_it_was_measured(void **state)
{
    (void)state;
    double dt, sum = 0, before = 1, time = 0;
    mpm_world *w = make_dam(20, &dt);
    double unit = sqrt(dam_width / (2 * GRAVITY)) / dt;
    int64_t done = 0;
    for (int32_t k = 0; k < DAM_POINTS; ++k) {
        double now = dam_times[k] - dam_delay;
        int64_t ticks = (int64_t)(now * unit);
        mpm_world_run(w, ticks - done);
        double front = find_front(w), error = fabs(front / dam_fronts[k] - 1);
        AT_MOST(error, 0.12);
        sum += error;
        // Ritter (1892): never faster than 2 sqrt(g H), which is 2 in these units
        AT_MOST(front - before, 2 * (now - time));
        before = front;
        time = now;
        done = ticks;
    }
    AT_MOST(sum / DAM_POINTS, 0.08);
    mpm_world_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressure_at_rest_is_the_weight_above),
        cmocka_unit_test(the_front_of_a_dam_is_where_it_was_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
