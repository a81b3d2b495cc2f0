// SPDX-License-Identifier: Apache-2.0
// Particles that fill shapes and meshes.
#include "support/fault_sweep.h"
#include "support/same_bits.h"
#include "unit/mpm/point_pairs.h"
#include "workshop.h"

#include "base/hash.h"
#include "mpm/seed/seeding_pattern.h"

enum { KINDS = 4 };

static const double pi = 3.14159265358979323846;
static const double zero[3] = {0, 0, 0};

static pli_seeding_def make_def(pli_seeding_kind kind, double dx, int32_t per_cell)
{
    return (pli_seeding_def){kind, dx, {0, 0, 0}, per_cell, 5};
}

static pli_seeding *seed_shape(const workshop *s, const pli_seeding_def *def,
                               const pli_shape *shape)
{
    pli_seeding *seeding = NULL;
    OK(s->context, pli_seeding_create_in_shape(s->context, def, shape, &seeding));
    return seeding;
}

static const pli_shape *make_box(const workshop *s, const double min[3], const double max[3])
{
    const pli_shape *box = NULL;
    double center[3], size[3];
    for (int k = 0; k < 3; ++k) {
        center[k] = 0.5 * (min[k] + max[k]);
        size[k] = max[k] - min[k];
    }
    OK(s->context, pli_shape_box(s->set, center, size, 0, &box));
    return box;
}

static uint64_t hash_of(const pli_seeding *seeding)
{
    return pli_hash_bytes(PLI_HASH_START, seeding->positions,
                          3 * (size_t)seeding->count * sizeof(double));
}

static void check_inside(const pli_seeding *seeding, const pli_shape *shape)
{
    for (int32_t i = 0; i < seeding->count; ++i) {
        assert_true(pli_shape_value(shape, seeding->positions + 3 * (int64_t)i) < 0);
    }
}

// ---- numbers

// Fills a shape of ten cells across in every pattern and compares with the volume; with a single
// particle a cell, it takes twenty.
static void check_counts(const workshop *s, const pli_shape *shape, double volume, double cell)
{
    static const int32_t counts[] = {1, 5, 8, 27, 100};
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int c = 0; c < 5; ++c) {
            double dx = counts[c] == 1 ? 0.5 * cell : cell;
            pli_seeding_def def = make_def((pli_seeding_kind)kind, dx, counts[c]);
            pli_seeding *seeding = seed_shape(s, &def, shape);
            double want = volume * counts[c] / (dx * dx * dx);
            // points of cells that the surface cuts are in or out: 2 % of the count
            NEAR(seeding->count, want, 0.02, 0);
            NEAR(seeding->volume, dx * dx * dx / counts[c], 1e-14, 0);
            check_inside(seeding, shape);
            pli_seeding_destroy(seeding);
        }
    }
}

static void counts_follow_the_volume(void **state)
{
    workshop *s = *state;
    const double center[3] = {0.31, -0.17, 0.05};
    const double radii[3] = {0.5, 0.8, 0.6}, axis[3] = {1, 2, 3};
    const pli_shape *shape = NULL;
    OK(s->context, pli_shape_sphere(s->set, center, 0.6, &shape));
    check_counts(s, shape, 4.0 / 3.0 * pi * 0.216, 0.1);
    OK(s->context, pli_shape_ellipsoid(s->set, center, radii, &shape));
    check_counts(s, shape, 4.0 / 3.0 * pi * 0.24, 0.1);
    OK(s->context, pli_shape_torus(s->set, center, axis, 0.6, 0.35, &shape));
    check_counts(s, shape, 2 * pi * pi * 0.6 * 0.35 * 0.35, 0.07);
}

// Halves make the whole: nothing is lost or doubled where they touch.
static void bodies_that_touch_share_the_pattern(void **state)
{
    workshop *s = *state;
    const double low[3] = {-0.37, 0, 0.13}, high[3] = {0.71, 0.9, 0.96};
    const double cut_high[3] = {0.2, 0.9, 0.96}, cut_low[3] = {0.2, 0, 0.13};
    for (int kind = 0; kind < KINDS; ++kind) {
        if (kind == PLI_SEEDING_RANDOM) continue; // meets the number of each body instead
        pli_seeding_def def = make_def((pli_seeding_kind)kind, 0.0613, 8);
        pli_seeding *whole = seed_shape(s, &def, make_box(s, low, high));
        pli_seeding *left = seed_shape(s, &def, make_box(s, low, cut_high));
        pli_seeding *right = seed_shape(s, &def, make_box(s, cut_low, high));
        assert_int_equal(whole->count, left->count + right->count);
        pli_seeding_destroy(whole);
        pli_seeding_destroy(left);
        pli_seeding_destroy(right);
    }
}

// ---- lattice

static bool has_point(const pli_seeding *seeding, const double x[3])
{
    for (int32_t i = 0; i < seeding->count; ++i) {
        if (pli_vec3_distance(seeding->positions + 3 * (int64_t)i, x) < 1e-14) return true;
    }
    return false;
}

static void eight_per_cell_are_quarter_points(void **state)
{
    enum { X = 5, Y = 3, Z = 2 };
    workshop *s = *state;
    pli_seeding_def def = make_def(PLI_SEEDING_LATTICE, 0.5, 8);
    pli_vec3_set(0.125, -3, 100.25, def.origin);
    const double low[3] = {0.125, 1, 0.25},
                 high[3] = {0.125 + 0.5 * X, 1 + 0.5 * Y, 0.25 + 0.5 * Z};
    pli_seeding *seeding = seed_shape(s, &def, make_box(s, low, high));
    assert_int_equal(seeding->count, 8 * X * Y * Z);
    for (int32_t i = 0; i < 8 * X * Y * Z; ++i) {
        const int32_t at[3] = {i % (2 * X), i / (2 * X) % (2 * Y), i / (4 * X * Y)};
        double x[3];
        for (int k = 0; k < 3; ++k) x[k] = low[k] + 0.25 * at[k] + 0.125;
        assert_true(has_point(seeding, x));
    }
    NEAR(seeding->spacing, 0.25, 1e-15, 0);
    pli_seeding_destroy(seeding);
}

// Least distance between points of the periodic cell, corners included.
static double periodic_spacing(int32_t count, const double *points)
{
    double least = 1;
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t j = 0; j < i; ++j) {
            double d[3];
            pli_vec3_subtract(points + 3 * i, points + 3 * j, d);
            for (int k = 0; k < 3; ++k) d[k] -= round(d[k]);
            if (pli_vec3_norm(d) < least) least = pli_vec3_norm(d);
        }
    }
    return least;
}

static void lattices_of_any_count_are_spread_out(void **state)
{
    (void)state;
    double points[3 * PLI_SEEDING_MOST];
    for (int32_t count = 1; count <= PLI_SEEDING_MOST; count += count < 64 ? 1 : 11) {
        double spacing = pli_seeding_lattice(count, points);
        NEAR(spacing, periodic_spacing(count, points), 1e-13, 0);
        // no lattice is better than the face-centred one, 2^(1/6); the cubic one has 1
        AT_MOST(spacing * cbrt(count), pow(2, 1.0 / 6) * (1 + 1e-12));
        // few points leave little choice: 3 and 5 are the worst
        AT_LEAST(spacing * cbrt(count), count > 40 ? 1 - 1e-12 : 0.83);
        for (int32_t i = 0; i < 3 * count; ++i) {
            AT_LEAST(points[i], 0.5 / count * (1 - 1e-12));
            AT_MOST(points[i], 1 - 0.5 / count * (1 - 1e-12));
        }
    }
    // 2: body-centred, 4: face-centred
    NEAR(pli_seeding_lattice(2, points), sqrt(0.75), 1e-15, 0);
    NEAR(pli_seeding_lattice(4, points), sqrt(0.5), 1e-15, 0);
}

// ---- cells

static void count_cells(const pli_seeding *seeding, double dx, int32_t side, int32_t parts,
                        int32_t *counts)
{
    memset(counts, 0, (size_t)(side * side * side) * sizeof *counts);
    for (int32_t i = 0; i < seeding->count; ++i) {
        int32_t at[3];
        for (int k = 0; k < 3; ++k) {
            at[k] = (int32_t)floor(seeding->positions[3 * (int64_t)i + k] / dx * parts);
        }
        ++counts[at[0] + side * (at[1] + side * at[2])];
    }
}

static void each_cell_has_its_share(void **state)
{
    enum { SIDE = 9 };
    static const int32_t counts[] = {1, 3, 7, 8, 20, 27, 64, 97};
    int32_t found[SIDE * SIDE * SIDE];
    workshop *s = *state;
    const double high[3] = {SIDE * 0.1, SIDE * 0.1, SIDE * 0.1};
    const pli_shape *box = make_box(s, zero, high);
    for (int c = 0; c < 8; ++c) {
        for (int kind = PLI_SEEDING_LATTICE; kind <= PLI_SEEDING_JITTERED; ++kind) {
            pli_seeding_def def = make_def((pli_seeding_kind)kind, 0.1, counts[c]);
            pli_seeding *seeding = seed_shape(s, &def, box);
            count_cells(seeding, 0.1, SIDE, 1, found);
            for (int i = 0; i < SIDE * SIDE * SIDE; ++i) assert_int_equal(found[i], counts[c]);
            pli_seeding_destroy(seeding);
        }
    }
}

// Cubic counts are cut into cubes, each of which has one particle.
static void jittered_particles_have_a_box_each(void **state)
{
    enum { SIDE = 4 };
    static int32_t found[SIDE * SIDE * SIDE * 216];
    workshop *s = *state;
    const double high[3] = {SIDE, SIDE, SIDE};
    for (int32_t m = 2; m <= 6; ++m) {
        pli_seeding_def def = make_def(PLI_SEEDING_JITTERED, 1, m * m * m);
        pli_seeding *seeding = seed_shape(s, &def, make_box(s, zero, high));
        count_cells(seeding, 1, SIDE * m, m, found);
        for (int i = 0; i < SIDE * SIDE * SIDE * m * m * m; ++i) assert_int_equal(found[i], 1);
        pli_seeding_destroy(seeding);
    }
}

// Boxes of any number have the same volume and are not far from cubes.
static void strata_have_the_same_volume(void **state)
{
    pli_context *context = *state;
    for (int32_t count = 1; count <= PLI_SEEDING_MOST; ++count) {
        pli_seeding_def def = make_def(PLI_SEEDING_JITTERED, 1, count);
        pli_seeding_pattern *pattern = NULL;
        OK(context, pli_seeding_pattern_create(context, &def, &pattern));
        for (int32_t i = 0; i < count; ++i) {
            const double *e = pattern->edges + 3 * (int64_t)i;
            NEAR(e[0] * e[1] * e[2] * count, 1, 1e-12, 0);
            // 7 slices of a cube, each again of 1 part, are the flattest there are
            for (int k = 0; k < 3; ++k) AT_MOST(e[k] / e[(k + 1) % 3], 7 * (1 + 1e-12));
        }
        pli_seeding_pattern_destroy(pattern);
    }
}

// Counts of cells inside scatter as those of independent points do: variance = mean.
static void random_particles_are_independent(void **state)
{
    enum { SIDE = 20, CELLS = SIDE * SIDE * SIDE };
    static int32_t found[CELLS];
    workshop *s = *state;
    const double high[3] = {SIDE * 0.1, SIDE * 0.1, SIDE * 0.1};
    pli_seeding_def def = make_def(PLI_SEEDING_RANDOM, 0.1, 8);
    pli_seeding *seeding = seed_shape(s, &def, make_box(s, zero, high));
    // the volume of a box is measured exactly but for its edges
    NEAR(seeding->count, 8 * CELLS, 2e-3, 0);
    count_cells(seeding, 0.1, SIDE, 1, found);
    double variance = 0;
    for (int i = 0; i < CELLS; ++i) variance += (found[i] - 8.0) * (found[i] - 8.0) / CELLS;
    // relative standard error of a variance from so many cells: sqrt(2 / 8000) = 1.6 %, times four
    NEAR(variance, 8, 0.065, 0);
    pli_seeding_destroy(seeding);
}

static void poisson_particles_keep_their_distance(void **state)
{
    static const int32_t counts[] = {1, 2, 8, 27, 200};
    workshop *s = *state;
    for (int c = 0; c < 5; ++c) {
        // larger than the tile of some 32000 particles, so that its seams are inside
        pli_seeding_def def = make_def(PLI_SEEDING_POISSON, 0.1, counts[c]);
        double size = 0.1 * cbrt(50000.0 / counts[c]);
        const double low[3] = {-0.3 * size, 0.2, -0.77},
                     high[3] = {0.7 * size, 0.2 + size, size - 0.77};
        pli_seeding *seeding = seed_shape(s, &def, make_box(s, low, high));
        // particles sit within rounding of 1e-16 of where the tile has them
        NEAR(seeding->spacing, 0.082 / cbrt(counts[c]), 1e-12, 0);
        AT_LEAST(least_distance(s->context, seeding->count, seeding->positions, 0.2),
                 seeding->spacing * (1 - 1e-12));
        NEAR(seeding->count, 50000, 0.01, 0);
        pli_seeding_destroy(seeding);
    }
}

// ---- bits

static uint64_t seed_hash(int32_t threads, int kind, const double origin[3], uint64_t seed)
{
    workshop *s = workshop_open(threads);
    const double center[3] = {0.31, -0.17, 0.05}, axis[3] = {1, 2, 3};
    const pli_shape *shape = NULL;
    OK(s->context, pli_shape_torus(s->set, center, axis, 0.6, 0.25, &shape));
    pli_seeding_def def = make_def((pli_seeding_kind)kind, 0.07, 8);
    def.seed = seed;
    pli_vec3_copy(origin, def.origin);
    pli_seeding *seeding = seed_shape(s, &def, shape);
    assert_true(seeding->count > 10000);
    uint64_t hash = hash_of(seeding);
    pli_seeding_destroy(seeding);
    workshop_close(s);
    return hash;
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            same_bits_keep_hash(&bits, seed_hash(bits.threads, kind, zero, 5));
        }
        if (kind == PLI_SEEDING_LATTICE) continue;
        assert_true(seed_hash(1, kind, zero, 6) != seed_hash(1, kind, zero, 5));
    }
}

static void whole_cells_of_shift_change_no_bit(void **state)
{
    (void)state;
    const double origin[3] = {0.013, -0.035, 1.0 / 3};
    const double shifted[3] = {0.013 + 12 * 0.07, -0.035 - 1000 * 0.07, 1.0 / 3 + 7 * 0.07};
    const double half[3] = {0.013 + 12.5 * 0.07, -0.035, 1.0 / 3};
    for (int kind = 0; kind < KINDS; ++kind) {
        uint64_t here = seed_hash(1, kind, origin, 5);
        assert_true(seed_hash(1, kind, shifted, 5) == here);
        assert_true(seed_hash(1, kind, half, 5) != here);
    }
}

// ---- what is not there or wrong

static void hear(void *user, pli_log_level level, const char *text)
{
    (void)text;
    if (level == PLI_LOG_WARNING) ++*(int *)user;
}

static void bodies_too_small_are_told(void **state)
{
    (void)state;
    int warnings = 0;
    pli_context_def context_def = pli_context_def_default();
    context_def.log = hear;
    context_def.log_user = &warnings;
    context_def.log_level = PLI_LOG_WARNING;
    workshop s = {0};
    OK(NULL, pli_context_create(&context_def, &s.context));
    OK(s.context, pli_shape_set_create(s.context, &s.set));
    const pli_shape *parts[2] = {NULL, NULL}, *nothing = NULL;
    const double far[3] = {3, 0, 0};
    OK(s.context, pli_shape_sphere(s.set, zero, 0.001, &parts[0]));
    OK(s.context, pli_shape_sphere(s.set, far, 0.5, &parts[1]));
    OK(s.context, pli_shape_intersection(s.set, 2, parts, 0, &nothing));
    for (int kind = 0; kind < KINDS; ++kind) {
        pli_seeding_def def = make_def((pli_seeding_kind)kind, 0.5, 1);
        warnings = 0;
        pli_seeding *seeding = seed_shape(&s, &def, parts[0]);
        assert_int_equal(seeding->count, 0);
        assert_int_equal(warnings, 1);
        pli_seeding_destroy(seeding);
        // an intersection that is empty
        seeding = seed_shape(&s, &def, nothing);
        assert_int_equal(seeding->count, 0);
        pli_seeding_destroy(seeding);
    }
    pli_seeding_destroy(NULL);
    pli_seeding_pattern_destroy(NULL);
    pli_shape_set_destroy(s.set);
    pli_context_destroy(s.context);
}

static void refuse(const workshop *s, const pli_seeding_def *def, const pli_shape *shape)
{
    pli_seeding *seeding = (pli_seeding *)(uintptr_t)def;
    assert_int_equal(pli_seeding_create_in_shape(s->context, def, shape, &seeding),
                     PLI_ERROR_ARGUMENT);
    assert_null(seeding);
}

static void wrong_arguments_are_refused(void **state)
{
    workshop *s = *state;
    const double up[3] = {0, 1, 0};
    const pli_shape *ball = NULL, *ground = NULL;
    OK(s->context, pli_shape_sphere(s->set, zero, 0.5, &ball));
    OK(s->context, pli_shape_plane(s->set, zero, up, &ground));
    const pli_seeding_def good = make_def(PLI_SEEDING_LATTICE, 0.1, 8);
    pli_seeding_def def = good;
    def.kind = (pli_seeding_kind)4;
    refuse(s, &def, ball);
    static const double wrong_dx[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; ++i) {
        def = good;
        def.dx = wrong_dx[i];
        refuse(s, &def, ball);
    }
    static const int32_t wrong_counts[] = {0, -1, PLI_SEEDING_MOST + 1};
    for (int i = 0; i < 3; ++i) {
        def = good;
        def.per_cell = wrong_counts[i];
        refuse(s, &def, ball);
    }
    static const double wrong_origins[] = {NAN, INFINITY, 1e15};
    for (int i = 0; i < 3; ++i) {
        def = good;
        def.origin[i] = wrong_origins[i];
        refuse(s, &def, ball);
    }
    // cells so small that they can't be counted, and a body without end
    def = good;
    def.dx = 1e-5;
    refuse(s, &def, ball);
    def.dx = 1e-300;
    refuse(s, &def, ball);
    for (int kind = 0; kind < KINDS; ++kind) {
        def = good;
        def.kind = (pli_seeding_kind)kind;
        refuse(s, &def, ground);
    }
}

static void failed_allocations_release_everything(void **state)
{
    workshop *s = *state;
    const pli_shape *ball = NULL;
    OK(s->context, pli_shape_sphere(s->set, zero, 0.5, &ball));
    for (int kind = 0; kind < KINDS; ++kind) {
        pli_seeding_def def = make_def((pli_seeding_kind)kind, 0.25, 8);
        for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
            pli_seeding *seeding = NULL;
            sweep.status = pli_seeding_create_in_shape(sweep.context, &def, ball, &seeding);
            assert_int_equal(seeding == NULL, sweep.status != PLI_OK);
            pli_seeding_destroy(seeding);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_WORKSHOP(counts_follow_the_volume, 2),
        TEST_IN_WORKSHOP(bodies_that_touch_share_the_pattern, 1),
        TEST_IN_WORKSHOP(eight_per_cell_are_quarter_points, 1),
        cmocka_unit_test(lattices_of_any_count_are_spread_out),
        TEST_IN_WORKSHOP(each_cell_has_its_share, 2),
        TEST_IN_WORKSHOP(jittered_particles_have_a_box_each, 1),
        TEST_IN_CONTEXT(strata_have_the_same_volume, 1),
        TEST_IN_WORKSHOP(random_particles_are_independent, 2),
        TEST_IN_WORKSHOP(poisson_particles_keep_their_distance, 2),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(whole_cells_of_shift_change_no_bit),
        cmocka_unit_test(bodies_too_small_are_told),
        TEST_IN_WORKSHOP(wrong_arguments_are_refused, 1),
        TEST_IN_WORKSHOP(failed_allocations_release_everything, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
