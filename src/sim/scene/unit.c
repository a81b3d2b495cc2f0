// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/unit.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { KILOGRAM, METRE, SECOND, DEGREE, DIMENSIONS };
enum { NAME_CAPACITY = 16, POWER_LIMIT = 9 };
static const int64_t factor_limit = 100000000000000000; // 1e17

// a unit as powers of kg, m, s and degrees, and what one of it is in those
typedef struct measure {
    int32_t powers[DIMENSIONS];
    pli_quantity_factor factor;
} measure;

typedef struct known_unit {
    const char *name;
    const char *prefixes; // that it can have, one letter each
    measure is;
} known_unit;

#define SI "pnumcdhkMG"
#define UNIT(name, prefixes, kg, m, s, deg, p, q, exponent) \
    {                                                       \
        name, prefixes,                                     \
        {                                                   \
            {kg, m, s, deg},                                \
            {                                               \
                p, q, exponent, 0                           \
            }                                               \
        }                                                   \
    }

static const known_unit known_units[] = {
    UNIT("m", SI, 0, 1, 0, 0, 1, 1, 0),
    UNIT("s", SI, 0, 0, 1, 0, 1, 1, 0),
    UNIT("g", SI, 1, 0, 0, 0, 1, 1, -3),
    UNIT("N", SI, 1, 1, -2, 0, 1, 1, 0),
    UNIT("Pa", SI, 1, -1, -2, 0, 1, 1, 0),
    UNIT("J", SI, 1, 2, -2, 0, 1, 1, 0),
    UNIT("W", SI, 1, 2, -3, 0, 1, 1, 0),
    UNIT("Hz", SI, 0, 0, -1, 0, 1, 1, 0),
    UNIT("deg", "", 0, 0, 0, 1, 1, 1, 0),
    UNIT("degree", "", 0, 0, 0, 1, 1, 1, 0),
    UNIT("degrees", "", 0, 0, 0, 1, 1, 1, 0),
    UNIT("\xc2\xb0", "", 0, 0, 0, 1, 1, 1, 0),
    {"rad", "m", {{0, 0, 0, 1}, {1, 1, 0, 1}}},
    UNIT("rev", "", 0, 0, 0, 1, 360, 1, 0),
    UNIT("rpm", "", 0, 0, -1, 1, 6, 1, 0),
    UNIT("fps", "", 0, 0, -1, 0, 1, 1, 0),
    UNIT("%", "", 0, 0, 0, 0, 1, 1, -2),
    UNIT("percent", "", 0, 0, 0, 0, 1, 1, -2),
    UNIT("l", SI, 0, 3, 0, 0, 1, 1, -3),
    UNIT("L", SI, 0, 3, 0, 0, 1, 1, -3),
    UNIT("cc", "", 0, 3, 0, 0, 1, 1, -6),
    UNIT("t", "", 1, 0, 0, 0, 1, 1, 3),
    UNIT("bar", "m", 1, -1, -2, 0, 1, 1, 5),
    UNIT("P", "c", 1, -1, -1, 0, 1, 1, -1),
    UNIT("gsm", "", 1, -2, 0, 0, 1, 1, -3),
    UNIT("sec", "", 0, 0, 1, 0, 1, 1, 0),
    UNIT("min", "", 0, 0, 1, 0, 60, 1, 0),
    UNIT("h", "", 0, 0, 1, 0, 3600, 1, 0),
    UNIT("in", "", 0, 1, 0, 0, 254, 1, -4),
    UNIT("inch", "", 0, 1, 0, 0, 254, 1, -4),
    UNIT("ft", "", 0, 1, 0, 0, 3048, 1, -4),
    UNIT("mph", "", 0, 1, -1, 0, 44704, 1, -5),
    UNIT("lb", "", 1, 0, 0, 0, 45359237, 1, -8),
    UNIT("lbf", "", 1, 1, -2, 0, 44482216152605, 1, -13),
    // pounds per square inch
    UNIT("psi", "k", 1, -1, -2, 0, 44482216152605, 64516, -5),
};

// beside these "g" is what falls on Earth
static const measure gravity = {{0, 1, -2, 0}, {980665, 1, -5, 0}};

// ---- products and powers

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// *a *= b; false: too large.
static bool multiply(int64_t *a, int64_t b)
{
    return !__builtin_mul_overflow(*a, b, a) && *a <= factor_limit;
}

// Multiplies a by b or divides by it (sign -1).
static bool multiply_measure(measure *a, const measure *b, int32_t sign)
{
    for (int32_t k = 0; k < DIMENSIONS; ++k) {
        a->powers[k] += sign * b->powers[k];
        if (a->powers[k] > POWER_LIMIT || a->powers[k] < -POWER_LIMIT) return false;
    }
    a->factor.exponent += sign * b->factor.exponent;
    a->factor.radians += sign * b->factor.radians;
    int64_t p = sign > 0 ? b->factor.p : b->factor.q;
    int64_t q = sign > 0 ? b->factor.q : b->factor.p;
    if (!multiply(&a->factor.p, p) || !multiply(&a->factor.q, q)) return false;
    int64_t divisor = common_divisor(a->factor.p, a->factor.q);
    a->factor.p /= divisor;
    a->factor.q /= divisor;
    return true;
}

// ---- reading

// The power of ten of the prefix at text, and its length; 0: there is none of those allowed.
static size_t read_prefix(const char *text, const char *allowed, int32_t *exponent)
{
    static const struct {
        const char *text;
        char letter;
        int32_t exponent;
    } prefixes[] = {{"p", 'p', -12}, {"n", 'n', -9}, {"u", 'u', -6},        {"m", 'm', -3},
                    {"c", 'c', -2},  {"d", 'd', -1}, {"h", 'h', 2},         {"k", 'k', 3},
                    {"M", 'M', 6},   {"G", 'G', 9},  {"\xc2\xb5", 'u', -6}, {"\xce\xbc", 'u', -6}};
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; ++k) {
        size_t length = strlen(prefixes[k].text);
        if (strncmp(text, prefixes[k].text, length) != 0) continue;
        if (strchr(allowed, prefixes[k].letter) == NULL) continue;
        *exponent = prefixes[k].exponent;
        return length;
    }
    return 0;
}

// A name alone goes before one with a prefix: "min" are no milli-inches.
static bool find_unit(const char *name, measure *found)
{
    enum { COUNT = sizeof known_units / sizeof *known_units };
    for (int32_t k = 0; k < COUNT; ++k) {
        if (strcmp(known_units[k].name, name) != 0) continue;
        *found = known_units[k].is;
        return true;
    }
    for (int32_t k = 0; k < COUNT; ++k) {
        int32_t exponent = 0;
        size_t length = read_prefix(name, known_units[k].prefixes, &exponent);
        if (length == 0 || strcmp(known_units[k].name, name + length) != 0) continue;
        *found = known_units[k].is;
        found->factor.exponent += exponent;
        return true;
    }
    return false;
}

// "^3", "3", "^-1", "\u00b3", or nothing, which is 1; 0: something else.
static int32_t read_power(const char **text)
{
    const char *at = *text;
    if (strncmp(at, "\xc2\xb2", 2) == 0 || strncmp(at, "\xc2\xb3", 2) == 0) {
        *text += 2;
        return (unsigned char)at[1] == 0xb2 ? 2 : 3;
    }
    bool has_sign = at[0] == '^';
    at += has_sign;
    int32_t sign = has_sign && at[0] == '-' ? -1 : 1;
    at += sign < 0;
    bool is_digit = at[0] >= '1' && at[0] <= '0' + POWER_LIMIT;
    if (!is_digit) return has_sign ? 0 : 1;
    *text = at + 1;
    return sign * (at[0] - '0');
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%';
}

// The bytes of a name: letters, and the micro and degree signs, which powers are not.
static size_t name_length(const char *text)
{
    size_t length = 0;
    for (;;) {
        bool is_sign = strncmp(text + length, "\xc2\xb5", 2) == 0 ||
                       strncmp(text + length, "\xce\xbc", 2) == 0 ||
                       strncmp(text + length, "\xc2\xb0", 2) == 0;
        if (!is_sign && !is_letter(text[length])) return length;
        length += is_sign ? 2 : 1;
    }
}

// One name with its power, times the sign.
static bool read_term(const char **text, int32_t sign, measure *product)
{
    char name[NAME_CAPACITY];
    size_t length = name_length(*text);
    if (length == 0 && **text == '1' && !is_letter((*text)[1])) {
        ++*text;
        return true;
    }
    if (length == 0 || length >= sizeof name) return false;
    memcpy(name, *text, length);
    name[length] = '\0';
    *text += length;
    int32_t power = read_power(text);
    measure unit;
    if (power == 0 || !find_unit(name, &unit)) return false;
    if (power < 0) sign = -sign;
    for (int32_t k = 0; k < (power < 0 ? -power : power); ++k) {
        if (!multiply_measure(product, &unit, sign)) return false;
    }
    return true;
}

// The whole text to the end, "N s/m^2" or "kg/(m s)".
static bool read_unit(const char *text, const char *end, measure *product)
{
    *product = (measure){.factor = {1, 1, 0, 0}};
    bool in_brackets = false;
    int32_t sign = *text == '/' ? -1 : 1;
    text += sign < 0;
    while (text < end) {
        text += strspn(text, " ");
        if (*text == '(' && !in_brackets) {
            in_brackets = true;
            ++text;
        }
        if (!read_term(&text, sign, product)) return false;
        if (in_brackets && *text == ')') {
            in_brackets = false;
            ++text;
        }
        text += strspn(text, " ");
        // without brackets only what follows at once is divided by
        if (!in_brackets) sign = 1;
        if (*text == '/' && in_brackets) return false;
        if (*text == '/') sign = -1;
        if (*text == '/' || *text == '*') ++text;
        if (text >= end && (text[-1] == '/' || text[-1] == '*')) return false;
    }
    return text >= end && !in_brackets; // behind the end there are blanks
}

static bool is_same_dimension(const measure *a, const measure *b)
{
    return memcmp(a->powers, b->powers, sizeof a->powers) == 0;
}

// A unit in one of the units of a key.
static pli_unit_fault convert(const char *name, const char *unit, pli_quantity_factor *factor)
{
    measure from;
    if (!read_unit(name, name + strlen(name), &from)) return PLI_UNIT_UNKNOWN;
    while (unit != NULL) {
        const char *other = strstr(unit, " or ");
        measure to;
        measure ratio = strcmp(name, "g") == 0 ? gravity : from;
        bool is_known = read_unit(unit, other != NULL ? other : unit + strlen(unit), &to);
        if (is_known && !is_same_dimension(&ratio, &to)) ratio = from;
        if (is_known && is_same_dimension(&ratio, &to)) {
            if (!multiply_measure(&ratio, &to, -1)) return PLI_UNIT_UNKNOWN;
            *factor = ratio.factor;
            return PLI_UNIT_OK;
        }
        unit = other != NULL ? other + 4 : NULL;
    }
    return PLI_UNIT_OTHER;
}

const char *pli_unit_of(const char *text)
{
    const char *rest = pli_quantity_skip(text);
    if (rest == text) return NULL;
    const char *name = rest + strspn(rest, " ");
    bool is_inverse = name[0] == '/' || (name > rest && name[0] == '1' && name[1] == '/');
    if (is_inverse) return is_letter(name[name[0] == '/' ? 1 : 2]) ? name : NULL;
    // what is left of a number in another notation: 0x10, 1e
    char c = name[0];
    bool is_notation = name == rest && (c == 'x' || c == 'X' || c == 'e' || c == 'E') &&
                       (name[1] == '\0' || (name[1] >= '0' && name[1] <= '9') || name[1] == '-');
    return name_length(name) > 0 && !is_notation ? name : NULL;
}

pli_unit_fault pli_unit_read(const char *text, const char *unit, double *value)
{
    *value = 0;
    const char *name = pli_unit_of(text);
    if (name == NULL) return PLI_UNIT_ABSENT;
    pli_quantity_factor factor;
    pli_unit_fault fault = convert(name, unit, &factor);
    if (fault != PLI_UNIT_OK) return fault;
    switch (pli_quantity_scale(text, &factor, value)) {
    case PLI_QUANTITY_OK: return PLI_UNIT_OK;
    case PLI_QUANTITY_LARGE: return PLI_UNIT_LARGE;
    case PLI_QUANTITY_SMALL: return PLI_UNIT_SMALL;
    case PLI_QUANTITY_SYNTAX: break;
    }
    return PLI_UNIT_ABSENT;
}

pli_unit_fault pli_unit_factor(const char *from, const char *to, double *factor)
{
    *factor = 1;
    pli_quantity_factor by;
    pli_unit_fault fault = convert(from, to, &by);
    if (fault == PLI_UNIT_OK) (void)pli_quantity_scale("1", &by, factor);
    return fault;
}

// ---- words

void pli_unit_describe(const char *unit, char *text, size_t capacity)
{
    static const struct {
        measure is;
        const char *name;
    } quantities[] = {{{{0, 1, 0, 0}, {0}}, "length"},
                      {{{0, 0, 1, 0}, {0}}, "time"},
                      {{{1, 0, 0, 0}, {0}}, "mass"},
                      {{{0, 2, 0, 0}, {0}}, "area"},
                      {{{0, 3, 0, 0}, {0}}, "volume"},
                      {{{0, 0, 0, 1}, {0}}, "angle"},
                      {{{1, -1, -2, 0}, {0}}, "stress"},
                      {{{1, 1, -2, 0}, {0}}, "force"},
                      {{{1, 2, -2, 0}, {0}}, "energy"},
                      {{{0, 1, -1, 0}, {0}}, "velocity"},
                      {{{0, 1, -2, 0}, {0}}, "acceleration"},
                      {{{0, 0, -1, 0}, {0}}, "rate"},
                      {{{0, 0, -1, 1}, {0}}, "speed of turning"},
                      {{{1, -3, 0, 0}, {0}}, "density"},
                      {{{1, -2, 0, 0}, {0}}, "mass per area"},
                      {{{1, 0, -2, 0}, {0}}, "stiffness"},
                      {{{1, -1, -1, 0}, {0}}, "viscosity"},
                      {{{0, 3, -1, 0}, {0}}, "volume per time"},
                      {{{0, -1, 0, 1}, {0}}, "turn per length"}};
    measure is;
    const char *name = NULL;
    bool is_known = read_unit(unit, unit + strlen(unit), &is);
    for (size_t k = 0; is_known && k < sizeof quantities / sizeof *quantities; ++k) {
        if (is_same_dimension(&is, &quantities[k].is)) name = quantities[k].name;
    }
    if (unit[0] == '\0') {
        snprintf(text, capacity, "a pure number");
    } else if (name != NULL) {
        snprintf(text, capacity, "%s (%s)", unit, name);
    } else {
        snprintf(text, capacity, "%s", unit);
    }
}
