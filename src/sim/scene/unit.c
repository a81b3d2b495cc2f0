// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/unit.h"

#include "base/number.h"
#include "math/mat3.h"
#include "sim/scene/quantity.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct known_unit {
    const char *name;
    const char *of;  // as keys have it
    double in_those; // one of it
} known_unit;

static const known_unit known_units[] = {
    {"Pa", "Pa", 1},
    {"kPa", "Pa", 1e3},
    {"MPa", "Pa", 1e6},
    {"GPa", "Pa", 1e9},
    {"N/m^2", "Pa", 1},
    {"N/m2", "Pa", 1},
    {"N/mm^2", "Pa", 1e6},
    {"N/mm2", "Pa", 1e6},
    {"bar", "Pa", 1e5},
    {"psi", "Pa", 6894.757},
    {"ksi", "Pa", 6894757},
    {"m", "m", 1},
    {"km", "m", 1e3},
    {"dm", "m", 0.1},
    {"cm", "m", 0.01},
    {"mm", "m", 1e-3},
    {"um", "m", 1e-6},
    {"\xc2\xb5m", "m", 1e-6},
    {"nm", "m", 1e-9},
    {"in", "m", 0.0254},
    {"inch", "m", 0.0254},
    {"ft", "m", 0.3048},
    {"s", "s", 1},
    {"sec", "s", 1},
    {"ms", "s", 1e-3},
    {"us", "s", 1e-6},
    {"\xc2\xb5s", "s", 1e-6},
    {"min", "s", 60},
    {"h", "s", 3600},
    {"m/s", "m/s", 1},
    {"cm/s", "m/s", 0.01},
    {"mm/s", "m/s", 1e-3},
    {"km/s", "m/s", 1e3},
    {"km/h", "m/s", 1 / 3.6},
    {"mph", "m/s", 0.44704},
    {"m/s^2", "m/s^2", 1},
    {"m/s2", "m/s^2", 1},
    {"g", "m/s^2", 9.81},
    {"kg/m^3", "kg/m^3", 1},
    {"kg/m3", "kg/m^3", 1},
    {"g/cm^3", "kg/m^3", 1e3},
    {"g/cm3", "kg/m^3", 1e3},
    {"g/cc", "kg/m^3", 1e3},
    {"kg/l", "kg/m^3", 1e3},
    {"t/m^3", "kg/m^3", 1e3},
    {"t/mm^3", "kg/m^3", 1e12},
    {"kg/m^2", "kg/m^2", 1},
    {"kg/m2", "kg/m^2", 1},
    {"g/m^2", "kg/m^2", 1e-3},
    {"g/m2", "kg/m^2", 1e-3},
    {"gsm", "kg/m^2", 1e-3},
    {"N/m", "N/m", 1},
    {"kN/m", "N/m", 1e3},
    {"N/mm", "N/m", 1e3},
    {"N/cm", "N/m", 1e2},
    {"deg", "deg", 1},
    {"degrees", "deg", 1},
    {"\xc2\xb0", "deg", 1},
    {"rad", "deg", 1 / pli_radians_per_degree},
    {"deg/s", "deg/s", 1},
    {"\xc2\xb0/s", "deg/s", 1},
    {"rad/s", "deg/s", 1 / pli_radians_per_degree},
    {"rpm", "deg/s", 6},
    {"Hz", "1/s", 1},
    {"kHz", "1/s", 1e3},
    {"1/s", "1/s", 1},
    {"fps", "1/s", 1},
    {"Pa s", "Pa s", 1},
    {"Pa*s", "Pa s", 1},
    {"mPa s", "Pa s", 1e-3},
    {"cP", "Pa s", 1e-3},
    {"l/s", "m^3/s", 1e-3},
    {"m^3/s", "m^3/s", 1},
    {"%", "", 0.01},
    {"percent", "", 0.01},
};

// One of a unit in those of a key, as a number of full precision; 0: not known, or of another kind.
static double find_factor(const char *name, const char *unit)
{
    for (size_t k = 0; k < sizeof known_units / sizeof *known_units; ++k) {
        const known_unit *known = &known_units[k];
        if (strcmp(known->name, name) == 0 && strcmp(known->of, unit) == 0) return known->in_those;
    }
    return 0;
}

// Whether something can be a unit: it begins with a letter, a percent sign or a degree sign, and is
// not what is left of a number in another notation.
static bool is_unit(const char *text)
{
    unsigned char c = (unsigned char)text[0];
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c >= 0x80;
    bool is_number = (c == 'x' || c == 'X' || c == 'e' || c == 'E') &&
                     (text[1] == '\0' || (text[1] >= '0' && text[1] <= '9') || text[1] == '-');
    return is_letter && !is_number;
}

// Writes a number that was given in another unit, rounded where the factor made digits of its own.
static void format_product(double value, double factor, char text[PLI_QUANTITY_CAPACITY])
{
    char digits[64];
    double product = value * factor;
    double rounded = product;
    snprintf(digits, sizeof digits, "%.12g", product);
    (void)pli_number_parse(digits, digits + strlen(digits), &rounded);
    pli_quantity_format(isfinite(rounded) ? rounded : product, text);
}

static void advise_unit(double value, const char *name, const char *unit, char *advice)
{
    char number[PLI_QUANTITY_CAPACITY];
    double factor = find_factor(name, unit);
    bool is_known = factor > 0 && isfinite(value * factor);
    format_product(value, is_known ? factor : 1, number);
    const char *is = unit[0] != '\0' ? "the key is in " : "the key is a pure number";
    if (is_known) {
        snprintf(advice, PLI_UNIT_ADVICE, "; %s%s, and no unit is written: write %s", is, unit,
                 number);
    } else {
        snprintf(advice, PLI_UNIT_ADVICE, "; %s%s, and no unit is written: write the number alone",
                 is, unit);
    }
}

bool pli_unit_advise(const char *text, const char *unit, char advice[PLI_UNIT_ADVICE])
{
    double value = 0;
    const char *rest = pli_number_parse(text, text + strlen(text), &value);
    if (rest == text || !isfinite(value)) return false;
    const char *name = rest + strspn(rest, " ");
    if (is_unit(name)) {
        advise_unit(value, name, unit, advice);
        return true;
    }
    size_t digits = strspn(rest + (rest[0] != '\0'), "0123456789");
    if (rest[0] == ',' && digits > 0 && rest[1 + digits] == '\0') {
        snprintf(advice, PLI_UNIT_ADVICE, "; decimals have a point: write %.*s.%.*s",
                 (int)(rest - text < 40 ? rest - text : 40), text, (int)(digits < 40 ? digits : 40),
                 rest + 1);
        return true;
    }
    if (rest[0] != '_' && rest[0] != '\'') return false;
    snprintf(advice, PLI_UNIT_ADVICE, "; digits are not grouped: write 1000000 or 1e6");
    return true;
}
