// SPDX-License-Identifier: Apache-2.0
#include "base/expression.h"

#include "base/number.h"
#include "base/random.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STREAM = 47 }; // of random numbers

typedef enum operation {
    OP_CONSTANT,
    OP_X,
    OP_Y,
    OP_Z,
    OP_NEGATE,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_EXP,
    OP_LOG,
    OP_SQRT,
    OP_ABS,
    OP_FLOOR,
    OP_MIN,
    OP_MAX,
    OP_STEP,
    OP_CLAMP,
    OP_SMOOTHSTEP,
    OP_NOISE
} operation;

typedef struct known_function {
    const char *name;
    operation op;
    int32_t argument_count;
} known_function;

static const known_function functions[] = {
    {"sin", OP_SIN, 1},     {"cos", OP_COS, 1},     {"tan", OP_TAN, 1},
    {"exp", OP_EXP, 1},     {"log", OP_LOG, 1},     {"sqrt", OP_SQRT, 1},
    {"abs", OP_ABS, 1},     {"floor", OP_FLOOR, 1}, {"min", OP_MIN, 2},
    {"max", OP_MAX, 2},     {"pow", OP_POWER, 2},   {"step", OP_STEP, 2},
    {"clamp", OP_CLAMP, 3}, {"noise", OP_NOISE, 3}, {"smoothstep", OP_SMOOTHSTEP, 3},
};

// ---- parsing, by descent

typedef struct parser {
    const char *text;
    const char *at;
    pli_expression *program;
    int32_t depth;  // of brackets and signs
    int32_t height; // of the stack when the program has come here
    char *error;
    bool failed;
} parser;

static void parse_sum(parser *p);

static void fail(parser *p, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The first fault is the one that is told.
static void fail(parser *p, const char *where, const char *format, ...)
{
    if (p->failed) return;
    p->failed = true;
    int length =
        snprintf(p->error, PLI_EXPRESSION_ERROR, "column %d: ", (int)(where - p->text) + 1);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->error + length, (size_t)(PLI_EXPRESSION_ERROR - length), format, arguments);
    va_end(arguments);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

static bool accept(parser *p, char c)
{
    skip_blanks(p);
    if (p->failed || *p->at != c) return false;
    ++p->at;
    return true;
}

// Says what stands where something else was expected.
static void fail_here(parser *p, const char *expected)
{
    char found[24];
    int length = 0;
    skip_blanks(p);
    while (length < (int)sizeof found - 1 && (is_letter(p->at[length]) || is_digit(p->at[length])))
        ++length;
    // a character of several bytes is shown whole
    if (length == 0 && p->at[0] != '\0') length = 1;
    while (length > 0 && length < 8 && ((unsigned char)p->at[length] & 0xC0) == 0x80) ++length;
    snprintf(found, sizeof found, "%.*s", length, p->at);
    if (found[0] != '\0') fail(p, p->at, "expected %s, found '%s'", expected, found);
    if (found[0] == '\0') fail(p, p->at, "expected %s, found the end", expected);
}

// Adds a step that takes some numbers off the stack and puts one on it.
static void emit(parser *p, operation op, double value, int32_t taken)
{
    if (p->failed) return;
    p->height += 1 - taken;
    if (p->program->count == PLI_EXPRESSION_CODE || p->height > PLI_EXPRESSION_DEPTH) {
        fail(p, p->at, "the expression is too long");
        return;
    }
    p->program->code[p->program->count++] = (pli_instruction){value, (int32_t)op};
}

static void parse_number(parser *p)
{
    double value = 0;
    const char *begin = p->at;
    p->at = pli_number_parse(begin, begin + strlen(begin), &value);
    if (p->at == begin) fail_here(p, "a number, a name or a bracket");
    if (!isfinite(value)) fail(p, begin, "the number is too large");
    emit(p, OP_CONSTANT, value, 0);
}

static void parse_call(parser *p, const known_function *function, const char *begin)
{
    if (!accept(p, '(')) {
        fail_here(p, "'(' behind the name of a function");
        return;
    }
    for (int32_t k = 0; k < function->argument_count; ++k) {
        if (k > 0 && !accept(p, ',')) {
            fail(p, begin, "%s takes %d numbers", function->name, (int)function->argument_count);
            return;
        }
        parse_sum(p);
    }
    if (accept(p, ',')) {
        fail(p, begin, "%s takes %d number%s", function->name, (int)function->argument_count,
             function->argument_count > 1 ? "s" : "");
    }
    if (!accept(p, ')')) fail_here(p, "')'");
    emit(p, function->op, 0, function->argument_count);
}

static void parse_name(parser *p)
{
    static const struct {
        const char *name;
        operation op;
        double value;
    } variables[] = {{"x", OP_X, 0},
                     {"y", OP_Y, 0},
                     {"z", OP_Z, 0},
                     {"pi", OP_CONSTANT, 3.14159265358979323846}};
    const char *begin = p->at;
    while (is_letter(*p->at) || is_digit(*p->at)) ++p->at;
    size_t length = (size_t)(p->at - begin);
    for (size_t k = 0; k < sizeof variables / sizeof *variables; ++k) {
        if (strlen(variables[k].name) != length || strncmp(variables[k].name, begin, length) != 0) {
            continue;
        }
        emit(p, variables[k].op, variables[k].value, 0);
        return;
    }
    for (size_t k = 0; k < sizeof functions / sizeof *functions; ++k) {
        if (strlen(functions[k].name) != length || strncmp(functions[k].name, begin, length) != 0) {
            continue;
        }
        parse_call(p, &functions[k], begin);
        return;
    }
    fail(p, begin,
         "'%.*s' is unknown; there are x, y, z, pi, sin, cos, tan, exp, log, sqrt, abs, floor, "
         "min, max, pow, step, clamp, smoothstep, noise",
         (int)(length < 16 ? length : 16), begin);
}

static void parse_primary(parser *p)
{
    skip_blanks(p);
    if (is_letter(*p->at)) {
        parse_name(p);
    } else if (accept(p, '(')) {
        parse_sum(p);
        if (!accept(p, ')')) fail_here(p, "')'");
    } else {
        // a sign here would be the second one
        bool has_sign = *p->at == '+' || *p->at == '-';
        if (has_sign) fail_here(p, "a number, a name or a bracket");
        if (!p->failed) parse_number(p);
    }
}

// A sign holds for what it stands before, powers included: -x^2 = -(x^2).
static void parse_signed(parser *p)
{
    if (++p->depth > PLI_EXPRESSION_DEPTH) fail(p, p->at, "too many brackets within each other");
    if (p->failed) return;
    if (accept(p, '-')) {
        parse_signed(p);
        emit(p, OP_NEGATE, 0, 1);
    } else if (accept(p, '+')) {
        parse_signed(p);
    } else {
        parse_primary(p);
        if (accept(p, '^')) {
            parse_signed(p);
            emit(p, OP_POWER, 0, 2);
        }
    }
    --p->depth;
}

static void parse_product(parser *p)
{
    parse_signed(p);
    while (!p->failed) {
        bool times = accept(p, '*');
        if (!times && !accept(p, '/')) return;
        parse_signed(p);
        emit(p, times ? OP_MULTIPLY : OP_DIVIDE, 0, 2);
    }
}

static void parse_sum(parser *p)
{
    parse_product(p);
    while (!p->failed) {
        bool plus = accept(p, '+');
        if (!plus && !accept(p, '-')) return;
        parse_product(p);
        emit(p, plus ? OP_ADD : OP_SUBTRACT, 0, 2);
    }
}

bool pli_expression_parse(const char *text, pli_expression *expression,
                          char error[PLI_EXPRESSION_ERROR])
{
    expression->count = 0;
    error[0] = '\0';
    parser p = {.text = text, .at = text, .program = expression, .error = error};
    parse_sum(&p);
    skip_blanks(&p);
    if (!p.failed && *p.at != '\0') fail_here(&p, "+, -, *, /, ^ or the end");
    return !p.failed;
}

// ---- evaluating

static double smooth(double low, double high, double a)
{
    double t = low < high ? (a - low) / (high - low) : (a < low ? 0.0 : 1.0);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

// A random number from -1 to 1 for every corner of a lattice of cells of size 1.
static double corner_value(int64_t i, int64_t j, int64_t k, uint64_t seed)
{
    uint64_t index =
        (uint64_t)(i & 0x1FFFFF) << 42 | (uint64_t)(j & 0x1FFFFF) << 21 | (uint64_t)(k & 0x1FFFFF);
    return pli_random_range((pli_random){seed, STREAM}, index, -1, 1);
}

// Between the corners by smoothstep along each axis.
static double noise(const double a[3], uint64_t seed)
{
    int64_t cell[3];
    double t[3];
    for (int k = 0; k < 3; ++k) {
        // farther out there are no digits between two cells
        if (!(fabs(a[k]) < 1e15)) return NAN;
        cell[k] = (int64_t)floor(a[k]);
        t[k] = smooth(0, 1, a[k] - floor(a[k]));
    }
    double sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        int64_t at[3];
        double weight = 1;
        for (int k = 0; k < 3; ++k) {
            int up = corner >> k & 1;
            at[k] = cell[k] + up;
            weight *= up ? t[k] : 1 - t[k];
        }
        sum += weight * corner_value(at[0], at[1], at[2], seed);
    }
    return sum;
}

// What an operation makes of its numbers, the first of which is a[0].
static double apply(operation op, const double *a, uint64_t seed)
{
    switch (op) {
    case OP_NEGATE: return -a[0];
    case OP_ADD: return a[0] + a[1];
    case OP_SUBTRACT: return a[0] - a[1];
    case OP_MULTIPLY: return a[0] * a[1];
    case OP_DIVIDE: return a[0] / a[1];
    case OP_POWER: return pow(a[0], a[1]);
    case OP_SIN: return sin(a[0]);
    case OP_COS: return cos(a[0]);
    case OP_TAN: return tan(a[0]);
    case OP_EXP: return exp(a[0]);
    case OP_LOG: return log(a[0]);
    case OP_SQRT: return sqrt(a[0]);
    case OP_ABS: return fabs(a[0]);
    case OP_FLOOR: return floor(a[0]);
    case OP_MIN: return fmin(a[0], a[1]);
    case OP_MAX: return fmax(a[0], a[1]);
    case OP_STEP: return a[1] < a[0] ? 0 : 1;
    case OP_CLAMP: return fmin(fmax(a[0], a[1]), a[2]);
    case OP_SMOOTHSTEP: return smooth(a[0], a[1], a[2]);
    case OP_NOISE: return noise(a, seed);
    case OP_CONSTANT:
    case OP_X:
    case OP_Y:
    case OP_Z: break;
    }
    return NAN;
}

static int32_t taken_by(operation op)
{
    if (op <= OP_Z) return 0;
    if (op == OP_NEGATE || (op >= OP_SIN && op <= OP_FLOOR)) return 1;
    return op >= OP_CLAMP ? 3 : 2;
}

double pli_expression_evaluate(const pli_expression *expression, const double x[3], uint64_t seed)
{
    double stack[PLI_EXPRESSION_DEPTH + 1] = {0};
    int32_t height = 0;
    for (int32_t k = 0; k < expression->count; ++k) {
        operation op = (operation)expression->code[k].operation;
        height -= taken_by(op);
        double *top = stack + height++;
        if (op == OP_CONSTANT) {
            *top = expression->code[k].value;
        } else if (op <= OP_Z) {
            *top = x[op - OP_X];
        } else {
            *top = apply(op, top, seed);
        }
    }
    return stack[0];
}
