// SPDX-License-Identifier: Apache-2.0
//
// Sand of explicit MPM: how far a column of it runs (Lube et al. 2004), and how steep a slope
// stands.
#include "mpm_world.h"

#define PI 3.14159265358979324
#define GRAVITY 9.81

static const double origin[3] = {0, 0, 0};

// Dense sand that is soft enough for steps of reasonable length: it gives way by 2 % at most.
static pli_material make_sand(double young, double degrees)
{
    pli_material sand = material_solid("hencky", 1600, young, 0.3);
    return material_yielding(sand, PLI_YIELD_DRUCKER_PRAGER,
                             &(pli_drucker_prager_def){.angle = degrees});
}

static double sound_speed(const pli_material *m)
{
    return sqrt((m->lambda + 2 * m->mu) / m->density);
}

// ---- collapse of a column

// A quarter of a column of radius r and height a r, between two planes of symmetry. Grains have an
// angle of 30 degrees, as the heaps of those experiments, and the floor's friction is fitted, one
// number for both columns. In the experiments neither mattered. Here both do, and the grid does:
// the thin end of the deposit, where it is less than a cell thick, is missing. With a friction of
// 0.5 a column of a = 1 runs 0.87, 0.98, 1.05, 1.11 and 1.26 at 8, 12, 16, 20 and 28 cells a
// radius; and on a floor that holds grains 0.81 and 0.90 at 12 and 20.
enum { COLUMN_CELLS = 12 };
static const double column_radius = 0.1, column_angle = 30, floor_friction = 0.41;

typedef struct collapse_report {
    double run_out; // (r_end - r) / r
    double height;  // of the highest grain, over r
    double kinetic; // after 3 sqrt(h / g), of the energy that was there at first
} collapse_report;

static const pli_shape *make_column(mpm_world *w, double height)
{
    const pli_shape *shapes[2] = {NULL, NULL}, *quarter = NULL;
    const double top[3] = {0, 0, height}, corner[3] = {column_radius, column_radius, height};
    OK(w->context, pli_shape_cylinder(w->shapes, origin, top, column_radius, &shapes[0]));
    shapes[1] = mpm_box(w, origin, corner);
    OK(w->context, pli_shape_intersection(w->shapes, 2, shapes, 0, &quarter));
    return quarter;
}

static void find_reach(void *user, const mpm_world *w, const mpm_sample *s)
{
    double *reach = user;
    *reach = fmax(*reach, hypot(s->x[0], s->x[1]) + mpm_dx(w) / 4);
}

static collapse_report run_collapse(double aspect, int32_t span)
{
    double dx = column_radius / COLUMN_CELLS, height = aspect * column_radius;
    mpm_world *w = mpm_world_make(dx, span, span, (int32_t)(COLUMN_CELLS * aspect) + 3);
    pli_material sand = make_sand(1e5 * fmax(1, aspect / 2), column_angle);
    int32_t kind = mpm_world_kind(w, &sand);
    w->def.gravity[2] = -GRAVITY;
    w->walls.walls[4].hold = PLI_GRID_SEPARATE;
    w->walls.walls[4].friction = floor_friction;
    mpm_world_build(w, 0.4 * dx / sound_speed(&sand));
    mpm_world_seed(w, kind, make_column(w, height), NULL);
    mpm_totals start = mpm_world_measure(w);
    mpm_world_run(w, (int64_t)(3 * sqrt(height / GRAVITY) / w->def.tick));
    mpm_totals end = mpm_world_measure(w);
    double reach = 0;
    mpm_world_visit(w, find_reach, &reach);
    mpm_world_destroy(w);
    return (collapse_report){.run_out = reach / column_radius - 1,
                             .height = (end.high[2] + dx / 4) / column_radius,
                             .kinetic = end.kinetic / (start.mass * GRAVITY * start.center[2])};
}

static void columns_of_sand_run_as_far_as_measured(void **state)
{
    (void)state;
    collapse_report low = run_collapse(1, 34), high = run_collapse(2, 52);
    NEAR(low.run_out, 1.24, 0.1, 0);
    NEAR(high.run_out, 1.6 * sqrt(2), 0.1, 0);
    NEAR(low.height, 0.88, 0.15, 0);
    NEAR(high.height, 0.88 * pow(2, 1.0 / 6), 0.15, 0);
    AT_MOST(low.kinetic, 5e-3);
    AT_MOST(high.kinetic, 5e-3);
    if (getenv("PLIANT_LONG") == NULL) return;
    double four = run_collapse(4, 66).run_out, eight = run_collapse(8, 84).run_out;
    // 3.72: a friction of the floor that is fitted to low columns lets this one run 16 % too far
    NEAR(four, 3.2, 0.17, 0);
    NEAR(eight, 1.6 * sqrt(8), 0.15, 0);
    double exponent = log(eight / high.run_out) / log(4);
    NEAR(exponent, 0.5, 0, 0.1);
}

// ---- collapse between two plates

// Half of a column of half width L and height a L, on a floor with the friction of the grains.
static double run_plane_collapse(double aspect, int32_t cells)
{
    double half = 0.1, dx = half / cells, height = aspect * half;
    int32_t span = (int32_t)(cells * (2.5 + 2.2 * aspect));
    mpm_world *w = mpm_world_make(dx, 0, span, (int32_t)(cells * aspect) + 3);
    pli_material sand = make_sand(1e5 * fmax(1, aspect / 2), column_angle);
    int32_t kind = mpm_world_kind(w, &sand);
    w->def.gravity[2] = -GRAVITY;
    w->walls.walls[4].hold = PLI_GRID_SEPARATE;
    w->walls.walls[4].friction = tan(column_angle * PI / 180);
    mpm_world_build(w, 0.4 * dx / sound_speed(&sand));
    mpm_world_seed(w, kind, mpm_box(w, origin, (double[3]){0, half, height}), NULL);
    mpm_world_run(w, (int64_t)(4 * sqrt(height / GRAVITY) / w->def.tick));
    mpm_totals end = mpm_world_measure(w);
    AT_MOST(end.largest_speed, 0.2);
    mpm_world_destroy(w);
    return (end.high[1] + dx / 4) / half - 1;
}

// Lube et al. (2005): 1.2 a below 2.3, 1.9 a^(2/3) above, which is followed here; Balmforth and
// Kerswell (2005) found exponents of 0.65 +- 0.05 in narrow slots and 0.9 +- 0.1 in wide ones, and
// factors that differ between grains. With 12 cells a half width walls run 2.45, 4.17 and 7.00,
// with 24 cells 2.76, 4.46 and 6.94. Where the last grain lies is known to half a cell, 0.03 of the
// exponent, and resolution moves that from 0.74 to 0.64.
static void walls_of_sand_run_as_far_as_measured(void **state)
{
    (void)state;
    int32_t cells = getenv("PLIANT_LONG") != NULL ? 24 : 12;
    double low = run_plane_collapse(2, cells), middle = run_plane_collapse(4, cells);
    double high = run_plane_collapse(8, cells);
    NEAR(low, 2.4, 0.2, 0);
    NEAR(middle, 1.9 * pow(4, 2.0 / 3), 0.15, 0);
    NEAR(high, 1.9 * pow(8, 2.0 / 3), 0.15, 0);
    double exponent = log2(high / middle);
    NEAR(exponent, 2.0 / 3, 0, 0.1);
}

// ---- heap

// Sand that is let go above the middle, handful by handful, on a floor that holds it. A quarter,
// between two planes of symmetry.
enum { HEAP_CELLS = 20, HANDFULS = 30, HEAP_BINS = 10 };
static const double heap_dx = 0.01, handful_radius = 0.035, handful_height = 0.02;

typedef struct profile {
    double top[HEAP_BINS]; // highest grain by distance from the middle, in bins of two cells (m)
} profile;

static void add_to_profile(void *user, const mpm_world *w, const mpm_sample *s)
{
    profile *p = user;
    int bin = (int)(hypot(s->x[0], s->x[1]) / (2 * mpm_dx(w)));
    if (bin < HEAP_BINS) p->top[bin] = fmax(p->top[bin], s->x[2] + mpm_dx(w) / 4);
}

// The middle of the heap's flank, by least squares over bins that are between a fifth and four
// fifths of its height (degrees).
static double flank_angle(const profile *p)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, high = p->top[0];
    for (int k = 0; k < HEAP_BINS; ++k) {
        double r = (k + 0.5) * 2 * heap_dx, z = p->top[k];
        if (z > 0.8 * high || z < 0.2 * high) continue;
        n += 1;
        x += r;
        y += z;
        xx += r * r;
        xy += r * z;
    }
    assert_true(n >= 3);
    return atan(-(n * xy - x * y) / (n * xx - x * x)) * 180 / PI;
}

static double pour(double degrees)
{
    mpm_world *w = mpm_world_make(heap_dx, HEAP_CELLS, HEAP_CELLS, HEAP_CELLS);
    pli_material sand = make_sand(1e5, degrees);
    int32_t kind = mpm_world_kind(w, &sand);
    w->def.gravity[2] = -GRAVITY;
    w->walls.walls[4].hold = PLI_GRID_STICKY;
    mpm_world_build(w, 0.4 * heap_dx / sound_speed(&sand));
    for (int k = 0; k < HANDFULS; ++k) {
        profile now = {{0}};
        mpm_world_visit(w, add_to_profile, &now);
        // two cells above what is there
        double low = now.top[0] + 2 * heap_dx, high = low + handful_height;
        const pli_shape *shapes[2] = {NULL, NULL}, *quarter = NULL;
        OK(w->context, pli_shape_cylinder(w->shapes, (double[3]){0, 0, low},
                                          (double[3]){0, 0, high}, handful_radius, &shapes[0]));
        shapes[1] =
            mpm_box(w, (double[3]){0, 0, low}, (double[3]){handful_radius, handful_radius, high});
        OK(w->context, pli_shape_intersection(w->shapes, 2, shapes, 0, &quarter));
        mpm_world_seed(w, kind, quarter, NULL);
        mpm_world_run(w, (int64_t)(0.15 / w->def.tick));
    }
    mpm_world_run(w, (int64_t)(0.5 / w->def.tick));
    profile end = {{0}};
    mpm_world_visit(w, add_to_profile, &end);
    mpm_world_destroy(w);
    return flank_angle(&end);
}

// sin phi_ps = 2 sqrt(3) sin phi / (3 - sin phi)
static double plane_angle(double degrees)
{
    double sine = sin(degrees * PI / 180);
    return asin(2 * sqrt(3) * sine / (3 - sine)) * 180 / PI;
}

static void heaps_are_as_steep_as_their_grains_are_rough(void **state)
{
    (void)state;
    static const double angles[3] = {20, 30, 35};
    double before = 0;
    for (int k = 0; k < 3; ++k) {
        double found = pour(angles[k]);
        AT_LEAST(found, fmax(before, angles[k] - 5));
        AT_MOST(found, plane_angle(angles[k]));
        before = found;
    }
}

// ---- slope

// A layer without end on an incline, as one column: what happens does not depend on the place along
// the slope, y, so nodes of a row along y have the velocity of all of them. They are in one page as
// long as the particles, which are at one place of it, have not moved farther than 1.5 cells.
// Gravity turns; the floor holds what touches it.
enum { SLOPE_CELLS = 10 };

typedef struct slope {
    mpm_world *world;
    double gravity[3]; // m/s^2
} slope;

static float *node_of(float *page, int32_t i, int32_t j, int32_t k)
{
    return page + PLI_NODE_FLOATS * (PLI_BLOCK_Z * (PLI_BLOCK_Y * i + j) + k);
}

static void constrain_row(const slope *s, float *page, int32_t i, int32_t k, bool is_held,
                          double dt)
{
    double mass = 0, v[3] = {0, 0, 0};
    for (int32_t j = 0; j < PLI_BLOCK_Y; ++j) {
        const float *node = node_of(page, i, j, k);
        mass += (double)node[0];
        for (int c = 1; c < 3; ++c) v[c] += (double)node[0] * (double)node[4 + c];
    }
    bool is_free = mass > 0 && !is_held;
    for (int c = 1; c < 3; ++c) v[c] = is_free ? v[c] / mass + dt * s->gravity[c] : 0;
    for (int32_t j = 0; j < PLI_BLOCK_Y; ++j) {
        for (int c = 0; c < 3; ++c) node_of(page, i, j, k)[4 + c] = (float)v[c];
    }
}

static void constrain_slope(void *user, uint32_t code, float *page, double dt)
{
    const slope *s = user;
    int32_t at[3];
    pli_paged_grid_coordinates(pli_stepper_particles(s->world->stepper)->grid, code, at);
    for (int32_t row = 0; row < PLI_BLOCK_X * PLI_BLOCK_Z; ++row) {
        int32_t k = row % PLI_BLOCK_Z;
        bool is_held = PLI_BLOCK_Z * at[2] + k <= MPM_WALL;
        constrain_row(s, page, row / PLI_BLOCK_Z, k, is_held, dt);
    }
}

// Viscosity takes the waves away that would shake the slope while gravity turns.
static slope *make_slope(double degrees)
{
    slope *s = calloc(1, sizeof *s);
    assert_non_null(s);
    double dx = 1.0 / SLOPE_CELLS;
    mpm_world *w = s->world = mpm_world_make(dx, 0, 0, SLOPE_CELLS + 2);
    pli_material sand = make_sand(1e6, degrees);
    sand.viscosity = 2000;
    int32_t kind = mpm_world_kind(w, &sand);
    w->def.tick = 0.2 * dx / sound_speed(&sand);
    w->def.constrain = constrain_slope;
    w->def.user = s;
    OK(w->context, pli_stepper_create(w->context, &w->def, &w->stepper));
    pli_particle particles[2 * SLOPE_CELLS];
    for (int32_t k = 0; k < 2 * SLOPE_CELLS; ++k) {
        const double x[3] = {dx / 2, -1.25 * dx, (k + 0.5) * dx / 2};
        particles[k] = mpm_world_particle(w, kind, x, NULL);
    }
    OK(w->context, pli_stepper_add(w->stepper, kind, 2 * SLOPE_CELLS, particles));
    return s;
}

// Runs for a time in which the slope goes from one angle to another (degrees). False: the surface
// has moved by a cell and a half, and the slope flows.
static bool tilt(slope *s, double seconds, double from, double to)
{
    mpm_world *w = s->world;
    int64_t steps = (int64_t)(seconds / w->def.tick);
    for (int64_t k = 0; k < steps; ++k) {
        double angle = (from + (to - from) * (double)k / (double)steps) * PI / 180;
        s->gravity[1] = GRAVITY * sin(angle);
        s->gravity[2] = -GRAVITY * cos(angle);
        mpm_world_run(w, 1);
        if (k % 64 == 0 && mpm_world_measure(w).high[1] > 0.25 * mpm_dx(w)) return false;
    }
    return true;
}

// Whether the layer is at rest for good, two seconds after it was turned to an angle (degrees).
static bool stands(double friction_angle, double degrees)
{
    slope *s = make_slope(friction_angle);
    bool is_up = tilt(s, 0.5, 0, 0) && tilt(s, 2, 0, degrees) && tilt(s, 2, degrees, degrees);
    mpm_totals end = mpm_world_measure(s->world);
    bool is_still = end.largest_speed < 1e-3;
    mpm_world_destroy(s->world);
    free(s);
    return is_up && is_still;
}

// sin phi_ps = 2 sqrt(3) sin phi / (3 - sin phi), stands below atan(sin phi_ps)
static void a_slope_stands_up_to_its_angle_in_plane_strain(void **state)
{
    (void)state;
    static const double angles[3][2] = {{20, 24.02}, {30, 34.72}, {35, 39.31}};
    for (int k = 0; k < 3; ++k) {
        assert_true(stands(angles[k][0], angles[k][1] - 1.5));
        assert_false(stands(angles[k][0], angles[k][1] + 1.5));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_of_sand_run_as_far_as_measured),
        cmocka_unit_test(heaps_are_as_steep_as_their_grains_are_rough),
        cmocka_unit_test(columns_of_sand_run_as_far_as_measured),
        cmocka_unit_test(a_slope_stands_up_to_its_angle_in_plane_strain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
