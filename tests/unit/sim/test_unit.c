// SPDX-License-Identifier: Apache-2.0
#include "near.h"

#include "sim/scene/unit.h"

#include <string.h>

typedef struct reading {
    const char *text;
    const char *unit; // of the key
    pli_unit_fault fault;
    double value;
} reading;

// Values are the doubles nearest to what is written: a product of doubles would miss some of them.
static const reading readings[] = {
    {"30 MPa", "Pa", PLI_UNIT_OK, 30e6},
    {"30MPa", "Pa", PLI_UNIT_OK, 30e6},
    {"1e5Pa", "Pa", PLI_UNIT_OK, 1e5},
    {"0.1 cm", "m", PLI_UNIT_OK, 0.001},
    {"0.7 mm", "m", PLI_UNIT_OK, 0.0007},
    {"8.41 kPa", "Pa", PLI_UNIT_OK, 8410},
    {"-2.9e-3 GPa", "Pa", PLI_UNIT_OK, -2.9e6},
    {"1.1 um", "m", PLI_UNIT_OK, 1.1e-6},
    {"1.1 \xc2\xb5m", "m", PLI_UNIT_OK, 1.1e-6},
    {"1 in", "m", PLI_UNIT_OK, 0.0254},
    {"3 ft", "m", PLI_UNIT_OK, 0.9144},
    {"1/24 s", "s", PLI_UNIT_OK, 1.0 / 24},
    {"1/3 cm", "m", PLI_UNIT_OK, 1.0 / 300},
    {"5 min", "s", PLI_UNIT_OK, 300},
    {"2 h", "s", PLI_UNIT_OK, 7200},
    {"90 km/h", "m/s", PLI_UNIT_OK, 25},
    {"1 km/h", "m/s", PLI_UNIT_OK, 1 / 3.6},
    {"60 mph", "m/s", PLI_UNIT_OK, 26.8224},
    {"1 g", "m/s^2", PLI_UNIT_OK, 9.80665},
    {"1 g", "kg", PLI_UNIT_OK, 0.001},
    {"1.1 g/cm^3", "kg/m^3", PLI_UNIT_OK, 1100},
    {"1.1 g/cm3", "kg/m^3", PLI_UNIT_OK, 1100},
    {"1.1 g/cm\xc2\xb3", "kg/m^3", PLI_UNIT_OK, 1100},
    {"1 kg/l", "kg/m^3", PLI_UNIT_OK, 1000},
    {"7.85e-9 t/mm^3", "kg/m^3", PLI_UNIT_OK, 7850},
    {"200 gsm", "kg/m^2", PLI_UNIT_OK, 0.2},
    {"12 N/mm", "N/m", PLI_UNIT_OK, 12000},
    {"12 N/mm", "N/m^2 or N/m", PLI_UNIT_OK, 12000},
    {"12 N/mm^2", "N/m^2 or N/m", PLI_UNIT_OK, 12e6},
    {"3 mPa s", "Pa s", PLI_UNIT_OK, 0.003},
    {"3 N*s/m^2", "Pa s", PLI_UNIT_OK, 3},
    {"3 kg/(m s)", "Pa s", PLI_UNIT_OK, 3},
    {"1 cP", "Pa s", PLI_UNIT_OK, 0.001},
    {"1 l/min", "m^3/s", PLI_UNIT_OK, 1.0 / 60000},
    {"30 deg", "deg", PLI_UNIT_OK, 30},
    {"30\xc2\xb0", "deg", PLI_UNIT_OK, 30},
    {"1 rad", "deg", PLI_UNIT_OK, 57.295779513082320877},
    {"3.141592653589793 rad", "deg", PLI_UNIT_OK, 180},
    {"2 rpm", "deg/s", PLI_UNIT_OK, 12},
    {"1 rev", "deg", PLI_UNIT_OK, 360},
    {"3 deg/cm", "deg/m", PLI_UNIT_OK, 300},
    {"24 Hz", "1/s", PLI_UNIT_OK, 24},
    {"24 fps", "1/s", PLI_UNIT_OK, 24},
    {"5 1/s", "1/s", PLI_UNIT_OK, 5},
    {"5/s", "1/s", PLI_UNIT_OK, 5},
    {"5 /ms", "1/s", PLI_UNIT_OK, 5000},
    {"5 s^-1", "1/s", PLI_UNIT_OK, 5},
    {"45%", "", PLI_UNIT_OK, 0.45},
    {"0 %", "", PLI_UNIT_OK, 0},
    {"14.7 psi", "Pa", PLI_UNIT_OK, 101352.93220957491},
    {"1e300 GPa", "Pa", PLI_UNIT_LARGE, 0},
    {"1/0 m", "m", PLI_UNIT_LARGE, 0},
    {"1e-307 nm", "m", PLI_UNIT_SMALL, 0},
    {"3 kg", "Pa", PLI_UNIT_OTHER, 0},
    {"3 m", "", PLI_UNIT_OTHER, 0},
    {"3 %", "m", PLI_UNIT_OTHER, 0},
    {"3 rad", "", PLI_UNIT_OTHER, 0},
    {"3 Hz", "deg/s", PLI_UNIT_OTHER, 0},
    {"3 parsec", "m", PLI_UNIT_UNKNOWN, 0},
    {"3 m/", "m", PLI_UNIT_UNKNOWN, 0},
    {"3 m^", "m", PLI_UNIT_UNKNOWN, 0},
    {"3 m^99", "m", PLI_UNIT_UNKNOWN, 0},
    {"3 kg/(m s", "Pa s", PLI_UNIT_UNKNOWN, 0},
    {"3 km", "unit of the norm", PLI_UNIT_OTHER, 0},
    {"3", "m", PLI_UNIT_ABSENT, 0},
    {"m", "m", PLI_UNIT_ABSENT, 0},
    {"0x10", "m", PLI_UNIT_ABSENT, 0},
    {"1_000", "m", PLI_UNIT_ABSENT, 0},
    {"1,5 m", "m", PLI_UNIT_ABSENT, 0},
    {"", "m", PLI_UNIT_ABSENT, 0},
};

static void numbers_with_units_are_read_to_the_nearest_double(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof readings / sizeof *readings; ++k) {
        const reading *r = &readings[k];
        double value = 1;
        pli_unit_fault fault = pli_unit_read(r->text, r->unit, &value);
        if (fault != r->fault) fail_msg("'%s' for '%s' gave %d", r->text, r->unit, (int)fault);
        if (value != r->value) fail_msg("'%s' is %.17g", r->text, value);
    }
}

// The rounding of digits beyond what a double holds is that of the whole text.
static void digits_beyond_a_double_count(void **state)
{
    (void)state;
    static const char *const halves[] = {
        // halfway between two doubles, and a little more, far behind
        "9007199254740993 Pa",
        "9007199254740993.0000000000000000000000000000000000000000000000000000000000001 Pa",
        "9007199254740.9930000000000000000000000000000000000000000000000000000000000001 kPa",
    };
    static const double want[] = {9007199254740992, 9007199254740994, 9007199254740994};
    for (int k = 0; k < 3; ++k) {
        double value = 0;
        assert_int_equal(pli_unit_read(halves[k], "Pa", &value), PLI_UNIT_OK);
        if (value != want[k]) fail_msg("'%s' is %.17g", halves[k], value);
    }
}

static void units_are_described_by_what_they_measure(void **state)
{
    (void)state;
    static const char *const words[][2] = {{"Pa", "Pa (stress)"},
                                           {"", "a pure number"},
                                           {"deg/s", "deg/s (speed of turning)"},
                                           {"kg/m^3", "kg/m^3 (density)"},
                                           {"unit of the norm", "unit of the norm"}};
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
        char text[64];
        pli_unit_describe(words[k][0], text, sizeof text);
        assert_string_equal(text, words[k][1]);
    }
}

static void a_factor_takes_one_unit_to_another(void **state)
{
    (void)state;
    double factor = 0;
    assert_int_equal(pli_unit_factor("MPa", "Pa", &factor), PLI_UNIT_OK);
    assert_true(factor == 1e6);
    assert_int_equal(pli_unit_factor("kg", "Pa", &factor), PLI_UNIT_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_with_units_are_read_to_the_nearest_double),
        cmocka_unit_test(digits_beyond_a_double_count),
        cmocka_unit_test(units_are_described_by_what_they_measure),
        cmocka_unit_test(a_factor_takes_one_unit_to_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
