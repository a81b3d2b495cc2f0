// SPDX-License-Identifier: Apache-2.0
//
// Fluids of explicit MPM (Fang et al. 2018) against what is known of water: pressure at rest, and a
// dam that breaks, as an ideal fluid does it (tests/oracle/dam_break.py) and as water was measured
// to (Martin and Moyce 1952).
#include "mpm_world.h"

#define GRAVITY 9.81

static const double origin[3] = {0, 0, 0};

static pli_material water(double bulk, double exponent, double viscosity)
{
    pli_material fluid = material_fluid(1000, bulk, exponent);
    fluid.viscosity = viscosity;
    return fluid;
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
    l->pressure[k] -=
        trace / (3 * pli_material_volume_ratio(&w->kinds[s->kind].material, F, memory));
    l->mass[k] += s->mass;
    l->count[k] += 1;
}

// A column one metre high starts without pressure and oscillates; viscosity as of tar, 2500 Pa s,
// takes half of the swing in every period, and it is at rest after two seconds.
static layers settle_fluid(double bulk, double exponent)
{
    double dx = 1.0 / LAYERS, dt = 1.1e-4;
    mpm_world *w = mpm_world_make(dx, 0, WIDTH, LAYERS + 4);
    pli_material fluid = water(bulk, exponent, 2500);
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

// A column of water, a wide and 2 a high, is let go beside a wall. Lengths are in a, times are
// T = t sqrt(2 g / a), heights are in parts of 2 a; nothing is shifted.
static const double dam_width = 0.05715; // a (m)
enum { DAM_RATE = 100, DAM_SAMPLES = 350, DAM_COLUMNS = 8 * 80 };

// depth that counts as water for the front of an ideal fluid, in a: the film before it is as thin
// as panels and cells are long
static const double dam_depth = 0.1;

// an ideal fluid, until its front is thinner than the panels; printed by tests/oracle/dam_break.py
enum { IDEAL_POINTS = 4 };
static const double ideal_times[IDEAL_POINTS] = {0.41, 0.84, 1.19, 1.43};
static const double ideal_fronts[IDEAL_POINTS] = {1.068, 1.287, 1.592, 1.867};
static const double ideal_heights[IDEAL_POINTS] = {0.981, 0.924, 0.855, 0.800};

// measured: a of 2.25 inches, n^2 = 2, tables 2 and 6; times of the heights are t sqrt(g / a) there
enum { FRONT_POINTS = 15, HEIGHT_POINTS = 11 };
static const double front_times[FRONT_POINTS] = {0.41, 0.84, 1.19, 1.43, 1.63, 1.83, 1.98, 2.20,
                                                 2.32, 2.51, 2.65, 2.83, 2.98, 3.11, 3.33};
static const double fronts[FRONT_POINTS] = {1.11, 1.22, 1.44, 1.67, 1.89, 2.11, 2.33, 2.56,
                                            2.78, 3.00, 3.22, 3.44, 3.67, 3.89, 4.11};
static const double height_times[HEIGHT_POINTS] = {0.56, 0.77, 0.93, 1.08, 1.28, 1.46,
                                                   1.66, 1.84, 2.00, 2.21, 2.45};
static const double heights[HEIGHT_POINTS] = {0.94, 0.89, 0.83, 0.78, 0.72, 0.67,
                                              0.61, 0.56, 0.50, 0.44, 0.39};

typedef struct dam_def {
    int32_t cells;  // in a, 80 at most
    double bulk;    // k of the water (Pa); its exponent is 7
    double courant; // of sound, in a step
    pli_grid_hold floor;
    bool is_pressed; // has the pressure of the water above it from the start
} dam_def;

// sound at 8 m/s, five times the fastest flow
static const dam_def usual_dam = {
    .cells = 40, .bulk = 1e4, .courant = 0.4, .floor = PLI_GRID_SEPARATE};

// Of every hundredth of T from 0 on.
typedef struct dam_history {
    double front[DAM_SAMPLES];  // of the farthest particle
    double depth[DAM_SAMPLES];  // farthest place that is dam_depth deep
    double height[DAM_SAMPLES]; // of the column at its wall
    double volume[DAM_SAMPLES]; // mean volume ratio
} dam_history;

// What is asked of all particles at once.
typedef struct dam_profile {
    double columns[DAM_COLUMNS]; // area of water above each cell of the floor, in a dx
    double volume;
    int64_t count;
} dam_profile;

// Logarithm of the volume ratio at which water bears what is above it: k (J^-7 - 1) = rho g depth.
static double pressed_volume(double bulk, double depth)
{
    return -log1p(1000 * GRAVITY * depth / bulk) / 7;
}

static void seed_dam(mpm_world *w, const dam_def *def, int32_t kind)
{
    double top = 2 * dam_width, low = mpm_dx(w) / 4, pitch = mpm_dx(w) / 2;
    int32_t count = 0;
    pli_particle *particles = calloc((size_t)(8 * def->cells * def->cells), sizeof *particles);
    assert_non_null(particles);
    for (int32_t i = 0; i < 2 * def->cells; ++i) {
        for (int32_t k = 0; k < 4 * def->cells; ++k) {
            double x[3] = {mpm_dx(w) / 2, low + i * pitch, low + k * pitch};
            pli_particle *p = &particles[count];
            *p = mpm_world_particle(w, kind, x, NULL);
            if (def->is_pressed) p->memory = (float)pressed_volume(def->bulk, top - x[2]);
            p->id = count++;
        }
    }
    OK(w->context, pli_stepper_add(w->stepper, kind, count, particles));
    free(particles);
}

static mpm_world *make_dam(const dam_def *def, double *dt)
{
    double dx = dam_width / def->cells;
    mpm_world *w = mpm_world_make(dx, 0, 6 * def->cells, 3 * def->cells);
    pli_material fluid = water(def->bulk, 7, 1e-3);
    int32_t kind = mpm_world_kind(w, &fluid);
    w->def.gravity[2] = -GRAVITY;
    for (int32_t wall = 2; wall < PLI_GRID_WALLS; ++wall)
        w->walls.walls[wall].hold = PLI_GRID_SEPARATE;
    w->walls.walls[4].hold = def->floor;
    *dt = def->courant * dx / sqrt(7 * def->bulk / 1000);
    mpm_world_build(w, *dt);
    seed_dam(w, def, kind);
    return w;
}

static void add_to_profile(void *user, const mpm_world *w, const mpm_sample *s)
{
    dam_profile *p = user;
    double dx = mpm_dx(w);
    int32_t k = (int32_t)floor(s->x[1] / dx);
    assert_in_range(k, 0, DAM_COLUMNS - 1);
    p->columns[k] += s->mass / (1000 * dx * dx * dam_width);
    p->volume += exp((double)s->particle.memory);
    ++p->count;
}

// Between the middles of the last column that is deep enough and the one after it, in cells.
static double find_depth(const dam_profile *p)
{
    int32_t k = DAM_COLUMNS - 2;
    while (p->columns[k] < dam_depth) --k;
    double here = p->columns[k], there = p->columns[k + 1];
    return k + 0.5 + (here - dam_depth) / (here - there);
}

static dam_history *break_dam(const dam_def *def)
{
    double dt;
    mpm_world *w = make_dam(def, &dt);
    dam_history *h = calloc(1, sizeof *h);
    assert_non_null(h);
    double unit = sqrt(dam_width / (2 * GRAVITY)) / dt / DAM_RATE, border = mpm_dx(w) / 4;
    int64_t done = 0;
    for (int32_t k = 0; k < DAM_SAMPLES; ++k) {
        int64_t ticks = (int64_t)(k * unit);
        if (ticks > done) mpm_world_run(w, ticks - done);
        done = ticks;
        mpm_totals now = mpm_world_measure(w);
        dam_profile profile = {0};
        mpm_world_visit(w, add_to_profile, &profile);
        h->front[k] = (now.high[1] + border) / dam_width;
        h->depth[k] = find_depth(&profile) / def->cells;
        h->height[k] = (now.high[2] + border) / (2 * dam_width);
        h->volume[k] = profile.volume / (double)profile.count;
    }
    mpm_world_destroy(w);
    return h;
}

static int break_usual_dam(void **state)
{
    *state = break_dam(&usual_dam);
    return 0;
}

static int forget_dam(void **state)
{
    free(*state);
    return 0;
}

static double at_time(const double samples[DAM_SAMPLES], double time)
{
    int32_t k = (int32_t)(time * DAM_RATE);
    double part = time * DAM_RATE - k;
    return samples[k] + part * (samples[k + 1] - samples[k]);
}

// T when the front is at x.
static double time_at(const double samples[DAM_SAMPLES], double x)
{
    int32_t k = 0;
    while (samples[k + 1] < x) ++k;
    return (k + (x - samples[k]) / (samples[k + 1] - samples[k])) / DAM_RATE;
}

// Both are computed without friction. Panels and cells agree to 1.5 %, the height to 0.3 %; with 80
// cells, to 0.5 and 0.2 %.
static void a_dam_breaks_as_an_ideal_fluid_does(void **state)
{
    const dam_history *h = *state;
    for (int32_t k = 0; k < IDEAL_POINTS; ++k) {
        NEAR(at_time(h->depth, ideal_times[k]), ideal_fronts[k], 0.02, 0);
        NEAR(at_time(h->height, ideal_times[k]), ideal_heights[k], 0.01, 0);
    }
}

// Readings are to 0.01, which is 1.3 % of the last of them either way, and the same again for where
// water that wets a wall ends.
static void a_column_of_water_sinks_as_measured(void **state)
{
    const dam_history *h = *state;
    double sum = 0;
    for (int32_t k = 0; k < HEIGHT_POINTS; ++k) {
        double error = at_time(h->height, sqrt(2) * height_times[k]) / heights[k] - 1;
        AT_MOST(fabs(error), 0.04);
        sum += fabs(error);
    }
    AT_MOST(sum / HEIGHT_POINTS, 0.02);
}

// From where water has got going to the last reading, two times that are both measured.
static void the_front_of_a_dam_is_as_fast_as_measured(void **state)
{
    const dam_history *h = *state;
    enum { FIRST = 2, LAST = FRONT_POINTS - 1 };
    double ours = time_at(h->front, fronts[LAST]) - time_at(h->front, fronts[FIRST]);
    NEAR(ours, front_times[LAST] - front_times[FIRST], 0.05, 0);
}

// Water was 0.22 to 0.31 of T later than ours at every reading but the first: it was measured to go
// at an even speed at first and not to start from rest, and to be as fast as ours from then on. An
// ideal fluid is ahead of it as well, by 11 and 17 % at the second and third reading where it is
// a/20 deep; what is farthest of ours is 3 % farther.
static void the_front_of_a_dam_is_ahead_of_the_measured_by_its_late_start(void **state)
{
    const dam_history *h = *state;
    double sum = 0;
    for (int32_t k = 0; k < FRONT_POINTS; ++k) {
        double error = at_time(h->front, front_times[k]) / fronts[k] - 1;
        AT_LEAST(error, -0.03);
        AT_MOST(error, 0.21);
        sum += fabs(error);
    }
    AT_MOST(sum / FRONT_POINTS, 0.14);
}

// Ritter (1892): 2 sqrt(g H), which is 2 in these units.
static void no_front_is_faster_than_that_of_shallow_water(void **state)
{
    const dam_history *h = *state;
    enum { SPAN = 20 };
    for (int32_t k = SPAN; k < DAM_SAMPLES; ++k) {
        AT_MOST(h->front[k] - h->front[k - SPAN], 2.0 * SPAN / DAM_RATE);
    }
}

// The weight of all the water compresses the lowest by 1.6 %; half of that is the mean, at most.
static void water_keeps_its_volume_while_it_flows(void **state)
{
    const dam_history *h = *state;
    for (int32_t k = 0; k < DAM_SAMPLES; ++k) NEAR(h->volume[k], 1, 0.008, 0);
}

// How far the farthest particle is ahead of the readings, in the mean.
static double mean_lead(const dam_def *def)
{
    dam_history *h = break_dam(def);
    double sum = 0;
    for (int32_t k = 0; k < FRONT_POINTS; ++k) {
        sum += at_time(h->front, front_times[k]) / fronts[k] - 1;
    }
    free(h);
    return sum / FRONT_POINTS;
}

// A front that is ahead because of cells, steps, sound or the start would be so by another amount
// with others. A floor that holds water back changes it by more than three hundredths.
static void the_lead_of_the_front_is_not_that_of_numbers(void **state)
{
    (void)state;
    dam_def base = usual_dam;
    base.cells = 20;
    double lead = mean_lead(&base);
    dam_def finer = base, stiffer = base, shorter = base, pressed = base, held = base;
    finer.cells = getenv("PLIANT_LONG") != NULL ? 80 : 30;
    stiffer.bulk = 1e5;
    shorter.courant = 0.1;
    pressed.is_pressed = true;
    held.floor = PLI_GRID_STICKY;
    NEAR(mean_lead(&finer), lead, 0, 0.03);
    NEAR(mean_lead(&pressed), lead, 0, 0.03);
    AT_MOST(mean_lead(&held), lead - 0.03);
    if (getenv("PLIANT_LONG") == NULL) return;
    NEAR(mean_lead(&stiffer), lead, 0, 0.03);
    NEAR(mean_lead(&shorter), lead, 0, 0.03);
}

int main(void)
{
    const struct CMUnitTest rest[] = {cmocka_unit_test(pressure_at_rest_is_the_weight_above)};
    const struct CMUnitTest dam[] = {
        cmocka_unit_test(a_dam_breaks_as_an_ideal_fluid_does),
        cmocka_unit_test(a_column_of_water_sinks_as_measured),
        cmocka_unit_test(the_front_of_a_dam_is_as_fast_as_measured),
        cmocka_unit_test(the_front_of_a_dam_is_ahead_of_the_measured_by_its_late_start),
        cmocka_unit_test(no_front_is_faster_than_that_of_shallow_water),
        cmocka_unit_test(water_keeps_its_volume_while_it_flows),
        cmocka_unit_test(the_lead_of_the_front_is_not_that_of_numbers),
    };
    int failed = cmocka_run_group_tests(rest, NULL, NULL);
    return failed + cmocka_run_group_tests(dam, break_usual_dam, forget_dam);
}
