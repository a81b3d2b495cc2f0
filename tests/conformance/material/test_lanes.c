// SPDX-License-Identifier: Apache-2.0
//
// Steps of eight particles in single precision against the plain ones in double, for every law and
// rule, and what lanes promise.
#include "material_zoo.h"

enum { STATES = 4096, LANES = PLI_F8_LANES };

// Eight particles.
typedef struct lanes {
    pli_f8 C[9];
    pli_f8 F[9];
    pli_f8 history;
    pli_f8 tau[6];
    pli_f8 speed2;
} lanes;

// One of them in double.
typedef struct lane {
    double C[9];
    double F[9];
    double history;
    double tau[6];
    double speed2;
} lane;

static void put(const lane *from, int at, lanes *to)
{
    for (int k = 0; k < 9; ++k) {
        to->C[k][at] = (float)from->C[k];
        to->F[k][at] = (float)from->F[k];
    }
    to->history[at] = (float)from->history;
}

static void take(const lanes *from, int at, lane *to)
{
    for (int k = 0; k < 9; ++k) {
        to->C[k] = (double)from->C[k][at];
        to->F[k] = (double)from->F[k][at];
    }
    to->history = (double)from->history[at];
    for (int k = 0; k < 6; ++k) to->tau[k] = (double)from->tau[k][at];
    to->speed2 = (double)from->speed2[at];
}

static void advance(const pli_material *m, float dt, lanes *all)
{
    pli_material_advance_f8(m, dt, all->C, all->F, &all->history, all->tau, &all->speed2);
}

static void advance_one(const pli_material *m, float dt, lane *one)
{
    pli_material_advance(m, 1, (double)dt, one->C, one->F, &one->history, one->tau, &one->speed2);
}

// A state of a material, strains up to the given size, moving at 10 / s; returns the least s.
static double make(const pli_material *m, uint64_t index, double strain, lane *one)
{
    double least = zoo_deformation(index, strain, one->F);
    zoo_gradient(index, 10, one->C);
    one->history = zoo_history(m, index, strain);
    return least;
}

// The slope of -J p over log J grows as a fluid is pressed.
static double steepness(const pli_material *m, const lane *fluid)
{
    return fmax(1, exp(-m->params[1] * fluid->history));
}

static double norm9(const double A[9])
{
    return sqrt(pli_mat3_contract(A, A));
}

// Both ways, near rest and far from it. Near rest all is good to some roundings of numbers near 1
// (6e-8 each): 1e-6. Singular values are good to 2e-6 |F| each, so their logarithms, and what is
// divided by them, to 2e-6 |F| / s; stress has terms of J^2, and a
// pressure that may be larger. Hardening multiplies errors of the
// plastic volume by 5.
static void lanes_agree_with_the_reference(void **state)
{
    (void)state;
    static const double strains[] = {1e-4, 1e-3, 0.01, 0.05, 0.2, 0.4, 0.9};
    const float dt = 1e-3f;
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        for (uint64_t index = 0; index < STATES; index += LANES) {
            double strain = strains[index / LANES % 7];
            double least[LANES];
            lanes all;
            lane want[LANES];
            for (int k = 0; k < LANES; ++k) {
                least[k] = make(m, index + (uint64_t)k, strain, &want[k]);
                put(&want[k], k, &all);
                take(&all, k, &want[k]); // rounded
            }
            advance(m, dt, &all);
            for (int k = 0; k < LANES; ++k) {
                lane got;
                double size = norm9(want[k].F) / sqrt(3);
                double J = pli_mat3_determinant(want[k].F);
                double error = 1e-6 * fmax(1, size / least[k]);
                advance_one(m, dt, &want[k]);
                take(&all, k, &got);
                for (int i = 0; i < 9; ++i) NEAR(got.F[i], want[k].F[i], 0, error * size);
                NEAR(got.history, want[k].history, 2 * error, error);
                double hard = zoo_hardness(m, want[k].history);
                double stress = zoo_stiffness(m) * hard * fmax(size * size, J * J);
                if (pli_material_is_fluid(m)) stress = zoo_stiffness(m) * steepness(m, &want[k]);
                // of fourth order in F
                if (m->law == &zoo_own) stress *= size * size;
                stress += fabs(zoo_trace(want[k].tau));
                for (int i = 0; i < 6; ++i) NEAR(got.tau[i], want[k].tau[i], 0, error * stress);
                // hardening multiplies the error of the history
                double share = hard / pli_material_stiffness(m, want[k].history);
                double sure = fmax(10, 2 * share * fmax(1, want[k].history));
                NEAR(got.speed2, want[k].speed2, sure * error, 0);
            }
        }
    }
}

// Shear and compression over many steps, yielding again and again. The error of a step, 1e-7 of
// entries near 1, adds up over 400 of them to 4e-5 at most.
static void lanes_follow_the_reference_for_many_steps(void **state)
{
    (void)state;
    const float dt = 1e-3f;
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        lanes all;
        lane want[LANES];
        for (int k = 0; k < LANES; ++k) {
            make(m, (uint64_t)k, 0, &want[k]);
            want[k].history = pli_material_rest_history(m);
            for (int i = 0; i < 9; ++i) want[k].C[i] *= 0.1;
            put(&want[k], k, &all);
            take(&all, k, &want[k]);
        }
        for (int step = 0; step < 400; ++step) {
            advance(m, dt, &all);
            for (int k = 0; k < LANES; ++k) advance_one(m, dt, &want[k]);
        }
        for (int k = 0; k < LANES; ++k) {
            lane got;
            take(&all, k, &got);
            for (int i = 0; i < 9; ++i) NEAR(got.F[i], want[k].F[i], 0, 4e-5);
            NEAR(got.history, want[k].history, 0, 8e-5);
            double hard = zoo_hardness(m, want[k].history);
            if (pli_material_is_fluid(m)) hard = steepness(m, &want[k]);
            for (int i = 0; i < 6; ++i) {
                NEAR(got.tau[i], want[k].tau[i], 0, 4e-5 * hard * zoo_stiffness(m));
            }
        }
    }
}

// Whatever the neighbours are, near rest, far from it or not finite, a lane keeps its bits.
static void a_lane_does_not_depend_on_its_neighbours(void **state)
{
    (void)state;
    static const double strains[] = {1e-3, 0.02, 0.3, 1.2};
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        for (uint64_t index = 0; index < 64; ++index) {
            lane mine;
            make(m, index, strains[index % 4], &mine);
            lanes alone;
            for (int k = 0; k < LANES; ++k) put(&mine, k, &alone);
            advance(m, 1e-3f, &alone);
            for (int place = 0; place < LANES; ++place) {
                lanes mixed;
                for (int k = 0; k < LANES; ++k) {
                    lane other;
                    make(m, 100 * index + (uint64_t)k, strains[k % 4], &other);
                    if (k == (place + 3) % LANES) other.F[3] = other.history = NAN;
                    if (k == (place + 5) % LANES) memset(other.F, 0, sizeof other.F);
                    put(k == place ? &mine : &other, k, &mixed);
                }
                advance(m, 1e-3f, &mixed);
                lane a;
                lane b;
                take(&alone, 0, &a);
                take(&mixed, place, &b);
                assert_memory_equal(&a, &b, sizeof a);
                take(&mixed, (place + 3) % LANES, &b);
                for (int k = 0; k < 3; ++k) assert_true(isnan(b.tau[k]));
                assert_true(isnan(b.speed2));
            }
        }
    }
}

// What lies inside keeps its bits, and so does what has been put onto its limit: snow and metal
// take rounding for nothing, unless a single step was so large that rounding of the way back is
// beyond that. Sand has no such margin, and no history that could drift by shear.
static void yielding_once_is_enough(void **state)
{
    (void)state;
    static const double strains[] = {1e-3, 0.02, 0.2, 0.4};
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        for (uint64_t index = 0; index < 1024; index += LANES) {
            lanes once;
            for (int k = 0; k < LANES; ++k) {
                lane one;
                make(m, index + (uint64_t)k, strains[k % 4], &one);
                put(&one, k, &once);
            }
            advance(m, 1e-3f, &once);
            lanes twice = once;
            advance(m, 0, &twice);
            bool sand = zoo_yields_by(m, PLI_YIELD_DRUCKER_PRAGER);
            for (int k = 0; k < LANES; ++k) {
                lane a;
                lane b;
                take(&once, k, &a);
                take(&twice, k, &b);
                double error = sand || strains[k % 4] > 0.1 ? 2e-6 : 0;
                for (int i = 0; i < 9; ++i) NEAR(b.F[i], a.F[i], 0, error);
                NEAR(b.history, a.history, 0, error);
            }
        }
    }
}

// What has yielded is admissible: to rounding of all of its stress, pressure included, and to the
// margin of 1e-6 in strain.
static void states_stay_within_their_limit(void **state)
{
    (void)state;
    static const double strains[] = {1e-3, 0.02, 0.3, 1.2};
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        if (m->yield == NULL) continue;
        for (uint64_t index = 0; index < 1024; index += LANES) {
            lanes all;
            for (int k = 0; k < LANES; ++k) {
                lane one;
                make(m, index + (uint64_t)k, strains[k % 4], &one);
                put(&one, k, &all);
            }
            advance(m, 1e-3f, &all);
            for (int k = 0; k < LANES; ++k) {
                lane one;
                take(&all, k, &one);
                double size = fmax(1, pli_mat3_contract(one.F, one.F) / 3) * zoo_stiffness(m);
                size += fabs(zoo_trace(one.tau));
                AT_MOST(zoo_excess(m, one.F, one.history), 2e-6 * size / (2 * m->mu));
            }
        }
    }
}

// Flat, inverted, vanished and torn matter: numbers come out, and speeds that are not negative.
static void finite_matter_gives_finite_stress(void **state)
{
    (void)state;
    static const double hard[][3] = {
        {0, 0, 0},    {1, 0, 0},          {1, 1, 0},       {1, 1, -1},
        {2, 1, -0.5}, {-1, -1, -1},       {30, 1, 0.01},   {1, 1, 1e-6},
        {1e-4, 1, 1}, {1e-5, 1e-5, 1e-5}, {40, 40, 40},    {0.4, 0.4, 0.4},
        {3, 3, -2.9}, {1, 1e-4, -1},      {5, 0.5, 0.499}, {1, 1, 1}};
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        for (uint64_t index = 0; index < 512; index += LANES) {
            lanes all;
            for (int k = 0; k < LANES; ++k) {
                lane one = {.history = pli_material_rest_history(m)};
                zoo_compose(index + (uint64_t)k, hard[(index + (uint64_t)k) % 16], one.F);
                zoo_gradient(index + (uint64_t)k, 1e4, one.C);
                put(&one, k, &all);
            }
            // once as it is, once torn by ten times its size
            for (int step = 0; step < 2; ++step) {
                advance(m, step == 0 ? 0 : 1e-3f, &all);
                for (int k = 0; k < LANES; ++k) {
                    lane one;
                    take(&all, k, &one);
                    for (int i = 0; i < 9; ++i) assert_true(isfinite(one.F[i]));
                    for (int i = 0; i < 6; ++i) assert_true(isfinite(one.tau[i]));
                    assert_true(isfinite(one.history) && isfinite(one.speed2) && one.speed2 >= 0);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_agree_with_the_reference),
        cmocka_unit_test(lanes_follow_the_reference_for_many_steps),
        cmocka_unit_test(a_lane_does_not_depend_on_its_neighbours),
        cmocka_unit_test(yielding_once_is_enough),
        cmocka_unit_test(states_stay_within_their_limit),
        cmocka_unit_test(finite_matter_gives_finite_stress),
    };
    return cmocka_run_group_tests(tests, zoo_make, NULL);
}
