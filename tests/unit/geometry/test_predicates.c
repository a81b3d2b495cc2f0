// SPDX-License-Identifier: Apache-2.0
//
// Exact predicates against integers of any length: a double is an integer times a power of two, so
// the determinant of doubles is one of integers. PLIANT_PREDICATE_CASES sets how many inputs are
// drawn for either predicate, 120000 by default.
#include "near.h"

#include "base/random.h"
#include "geometry/collision/predicates.h"

#include <float.h>

// ---- inputs that are hard

enum { DIMENSIONS = 3, POINTS = 4 };

typedef struct draw {
    pli_random random;
    uint64_t next;
} draw;

static double uniform(draw *d, double low, double high)
{
    return pli_random_range(d->random, d->next++, low, high);
}

static int32_t whole(draw *d, int32_t count)
{
    return (int32_t)(pli_random_bits(d->random, d->next++) % (uint64_t)count);
}

static void fill_uniform(draw *d, double points[POINTS][3], double size)
{
    for (int i = 0; i < POINTS * 3; ++i) points[i / 3][i % 3] = uniform(d, -size, size);
}

// Moves a coordinate by up to two units in its last place.
static void nudge(draw *d, double points[POINTS][3])
{
    double *x = &points[whole(d, POINTS)][whole(d, 3)];
    for (int32_t i = whole(d, 3); i > 0; --i) *x = nextafter(*x, whole(d, 2) == 0 ? -1e300 : 1e300);
}

// The last point is a combination of the others up to rounding: in their plane, or nearly. In two
// dimensions c is put on the line ab in the same way.
static void fill_flat(draw *d, double points[POINTS][3], double offset)
{
    fill_uniform(d, points, 1);
    double s = uniform(d, -1, 2);
    double t = uniform(d, -1, 2);
    double origin[3] = {offset * uniform(d, -1, 1), offset, -offset};
    bool on_line = whole(d, 2) == 0;
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) points[i][k] += origin[k];
        double u = points[1][k] - points[0][k];
        double v = points[2][k] - points[0][k];
        points[3][k] = points[0][k] + s * u + t * v;
        if (on_line) points[2][k] = points[0][k] + s * u;
    }
    nudge(d, points);
}

static void fill_lattice(draw *d, double points[POINTS][3])
{
    for (int i = 0; i < POINTS * 3; ++i) points[i / 3][i % 3] = 0.1 * (whole(d, 5) - 2);
}

// Every coordinate has a magnitude of its own, from one end of the range to the other.
static void fill_mixed(draw *d, double points[POINTS][3])
{
    for (int i = 0; i < POINTS * 3; ++i) {
        points[i / 3][i % 3] = ldexp(uniform(d, 0.5, 1), whole(d, 608) - 303);
        if (whole(d, 2) == 0) points[i / 3][i % 3] *= -1;
        if (whole(d, 8) == 0) points[i / 3][i % 3] = 0;
    }
}

static void scale_points(double points[POINTS][3], int exponent)
{
    for (int i = 0; i < POINTS * 3; ++i) {
        points[i / 3][i % 3] = ldexp(points[i / 3][i % 3], exponent);
    }
}

static void fill_case(draw *d, int32_t index, double points[POINTS][3])
{
    switch (index % 8) {
    case 0: fill_uniform(d, points, 1); break;
    case 1: fill_flat(d, points, 0); break;
    case 2: fill_flat(d, points, 1000); break;
    case 3: fill_lattice(d, points); break;
    case 4: fill_mixed(d, points); break;
    case 5:
        fill_flat(d, points, 0);
        scale_points(points, -280);
        break;
    case 6:
        fill_flat(d, points, 1e6);
        scale_points(points, 280);
        break;
    default:
        // two points are the same, but for a last place now and then
        fill_uniform(d, points, 1);
        memcpy(points[whole(d, POINTS)], points[whole(d, POINTS)], sizeof points[0]);
        if (whole(d, 2) == 0) nudge(d, points);
    }
    // whatever is smaller than what is promised
    for (int i = 0; i < POINTS * 3; ++i) {
        double *x = &points[i / 3][i % 3];
        if (fabs(*x) < PLI_PREDICATE_SMALLEST) *x = 0;
    }
}

#if defined(PLI_TEST_HAS_GMP)
#include <gmp.h>

// ---- the oracle

typedef struct oracle {
    mpz_t x[POINTS][3]; // coordinates in units of a common power of two
    mpz_t u[POINTS][3]; // their differences to point 0
    mpz_t product;
    mpz_t det;
} oracle;

static void oracle_init(oracle *o)
{
    for (int i = 0; i < POINTS * 3; ++i) {
        mpz_init(o->x[i / 3][i % 3]);
        mpz_init(o->u[i / 3][i % 3]);
    }
    mpz_inits(o->product, o->det, NULL);
}

static void oracle_clear(oracle *o)
{
    for (int i = 0; i < POINTS * 3; ++i) {
        mpz_clear(o->x[i / 3][i % 3]);
        mpz_clear(o->u[i / 3][i % 3]);
    }
    mpz_clears(o->product, o->det, NULL);
}

static void oracle_load(oracle *o, double points[POINTS][3])
{
    int lowest = 2000;
    for (int i = 0; i < POINTS * 3; ++i) {
        int exponent = 0;
        if (points[i / 3][i % 3] == 0) continue;
        frexp(points[i / 3][i % 3], &exponent);
        if (exponent - DBL_MANT_DIG < lowest) lowest = exponent - DBL_MANT_DIG;
    }
    for (int i = 0; i < POINTS * 3; ++i) {
        int exponent = 0;
        double mantissa = frexp(points[i / 3][i % 3], &exponent);
        mpz_ptr x = o->x[i / 3][i % 3];
        mpz_set_d(x, ldexp(mantissa, DBL_MANT_DIG));
        if (mantissa != 0) mpz_mul_2exp(x, x, (mp_bitcnt_t)(exponent - DBL_MANT_DIG - lowest));
    }
    for (int i = 0; i < POINTS * 3; ++i) {
        mpz_sub(o->u[i / 3][i % 3], o->x[i / 3][i % 3], o->x[0][i % 3]);
    }
}

// det += sign a b c, or sign a b when c is NULL
static void oracle_add(oracle *o, int sign, mpz_srcptr a, mpz_srcptr b, mpz_srcptr c)
{
    mpz_mul(o->product, a, b);
    if (c != NULL) mpz_mul(o->product, o->product, c);
    if (sign > 0) {
        mpz_add(o->det, o->det, o->product);
    } else {
        mpz_sub(o->det, o->det, o->product);
    }
}

static int oracle_orient3d(oracle *o)
{
    mpz_set_ui(o->det, 0);
    for (int k = 0; k < 3; ++k) {
        oracle_add(o, 1, o->u[1][k], o->u[2][(k + 1) % 3], o->u[3][(k + 2) % 3]);
        oracle_add(o, -1, o->u[1][k], o->u[2][(k + 2) % 3], o->u[3][(k + 1) % 3]);
    }
    return mpz_sgn(o->det);
}

static int oracle_orient2d(oracle *o)
{
    mpz_set_ui(o->det, 0);
    oracle_add(o, 1, o->u[1][0], o->u[2][1], NULL);
    oracle_add(o, -1, o->u[1][1], o->u[2][0], NULL);
    return mpz_sgn(o->det);
}

// What plain arithmetic says.
static int naive_orient3d(double points[POINTS][3])
{
    double u[3][3];
    for (int i = 0; i < 9; ++i) u[i / 3][i % 3] = points[i / 3 + 1][i % 3] - points[0][i % 3];
    double det = 0;
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        int last = (k + 2) % 3;
        det += u[0][k] * (u[1][next] * u[2][last] - u[1][last] * u[2][next]);
    }
    return (det > 0) - (det < 0);
}

static void signs_equal_those_of_long_integers(void **state)
{
    (void)state;
    const char *text = getenv("PLIANT_PREDICATE_CASES");
    int32_t case_count = text != NULL ? atoi(text) : 120000;
    int32_t zeros = 0;
    int32_t naive_errors = 0;
    oracle o;
    oracle_init(&o);
    for (int32_t index = 0; index < case_count; ++index) {
        draw d = {.random = {.seed = 7, .stream = (uint64_t)index}};
        double p[POINTS][3];
        fill_case(&d, index, p);
        oracle_load(&o, p);
        int want = oracle_orient3d(&o);
        zeros += want == 0;
        naive_errors += naive_orient3d(p) != want;
        if (pli_orient3d(p[0], p[1], p[2], p[3]) != want ||
            pli_orient2d(p[0], p[1], p[2]) != oracle_orient2d(&o)) {
            fail_msg("case %d of kind %d has the wrong sign", (int)index, (int)(index % 8));
        }
    }
    oracle_clear(&o);
    // the inputs are as hard as they are meant to be
    assert_true(zeros > case_count / 20);
    assert_true(naive_errors > case_count / 20);
}
#else
static void signs_equal_those_of_long_integers(void **state)
{
    (void)state;
    skip();
}
#endif

// ---- claims that need no oracle

static void swapping_two_points_turns_the_sign(void **state)
{
    (void)state;
    for (int32_t index = 0; index < 8000; ++index) {
        draw d = {.random = {.seed = 8, .stream = (uint64_t)index}};
        double p[POINTS][3];
        fill_case(&d, index, p);
        int sign = pli_orient3d(p[0], p[1], p[2], p[3]);
        assert_int_equal(pli_orient3d(p[1], p[0], p[2], p[3]), -sign);
        assert_int_equal(pli_orient3d(p[0], p[1], p[3], p[2]), -sign);
        assert_int_equal(pli_orient3d(p[3], p[2], p[1], p[0]), sign);
        int turn = pli_orient2d(p[0], p[1], p[2]);
        assert_int_equal(pli_orient2d(p[1], p[0], p[2]), -turn);
        assert_int_equal(pli_orient2d(p[1], p[2], p[0]), turn);
    }
}

static void one_ulp_off_a_plane_is_seen(void **state)
{
    (void)state;
    // the plane x + y + z = 3 at points that are exact
    double a[3] = {3, 0, 0};
    double b[3] = {0, 3, 0};
    double c[3] = {0, 0, 3};
    double d[3] = {1, 1, 1};
    assert_int_equal(pli_orient3d(a, b, c, d), 0);
    d[2] = nextafter(1, 2);
    assert_int_equal(pli_orient3d(a, b, c, d), 1);
    d[2] = nextafter(1, 0);
    assert_int_equal(pli_orient3d(a, b, c, d), -1);
    double p[2] = {0, 0};
    double q[2] = {12, 12};
    double r[2] = {0.5, nextafter(0.5, 1)};
    assert_int_equal(pli_orient2d(p, q, r), 1);
}

static void signs_follow_the_right_hand(void **state)
{
    (void)state;
    double origin[3] = {0, 0, 0};
    double x[3] = {1, 0, 0};
    double y[3] = {0, 1, 0};
    double z[3] = {0, 0, 1};
    assert_int_equal(pli_orient3d(origin, x, y, z), 1);
    assert_int_equal(pli_orient2d(origin, x, y), 1);
}

static void numbers_out_of_range_end_quietly(void **state)
{
    (void)state;
    double big[3] = {DBL_MAX, -DBL_MAX, DBL_MAX};
    double bad[3] = {NAN, INFINITY, 0};
    double tiny[3] = {DBL_TRUE_MIN, 0, -DBL_TRUE_MIN};
    double one[3] = {1, 2, 3};
    int sign = pli_orient3d(big, bad, tiny, one);
    assert_true(sign >= -1 && sign <= 1);
    sign = pli_orient3d(big, big, tiny, one);
    assert_true(sign >= -1 && sign <= 1);
    sign = pli_orient2d(big, bad, tiny);
    assert_true(sign >= -1 && sign <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_equal_those_of_long_integers),
        cmocka_unit_test(swapping_two_points_turns_the_sign),
        cmocka_unit_test(one_ulp_off_a_plane_is_seen),
        cmocka_unit_test(signs_follow_the_right_hand),
        cmocka_unit_test(numbers_out_of_range_end_quietly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
