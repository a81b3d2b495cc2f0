// SPDX-License-Identifier: Apache-2.0
#include "sim/body/material_resolve.h"

#include "base/context.h"
#include "base/suggest.h"
#include "sim/scene/quantity.h"
#include "sim/scene/unit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// what is being resolved, and the elastic constants on the way
typedef struct resolution {
    const pli_context *context;
    const pli_material_def *def;
    const pli_material_preset *preset; // or NULL
    double young;                      // Pa; NaN: nobody gave it
    double poisson;                    // NaN: nobody gave it
    pli_resolved_material *result;
    pli_material_problem *problem; // or NULL
} resolution;

static bool blame(resolution *r, const char *key, const void *member, const char *format, ...)
    PLI_PRINTF(4, 5);

static bool blame(resolution *r, const char *key, const void *member, const char *format, ...)
{
    if (r->problem == NULL) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->problem->text, sizeof r->problem->text, format, arguments);
    va_end(arguments);
    snprintf(r->problem->key, sizeof r->problem->key, "%s", key);
    r->problem->member = member;
    return false;
}

static bool is_given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

// of a parameter that was not given a number: the default of its row, PLI_NO_VALUE
static const double no_value = 1e308;

static int32_t value_count(const pli_material_input *input)
{
    return input->components > 0 ? input->components : 1;
}

int32_t pli_material_find_input(const pli_material_ops *law, const char *key)
{
    int32_t place = 0;
    for (int32_t i = 0; i < law->input_count; place += value_count(&law->inputs[i]), ++i) {
        if (strcmp(law->inputs[i].key, key) == 0) return place;
    }
    return -1;
}

const pli_material_input *pli_material_input_of(const pli_material_ops *law, const char *key)
{
    for (int32_t i = 0; i < law->input_count; ++i) {
        if (strcmp(law->inputs[i].key, key) == 0) return &law->inputs[i];
    }
    return NULL;
}

pli_named_value pli_input_value(const pli_material_input *input, const double *inputs)
{
    pli_named_value value = {.name = input->key, .value = *inputs, .unit = ""};
    if (input->components == 0) return value;
    value.value = no_value;
    value.direction = inputs;
    value.direction_count = 3;
    return value;
}

// ---- names

static void list_presets(pli_suggest *suggest, const char *word)
{
    pli_suggest_init(suggest, word);
    const pli_material_preset *preset;
    for (int32_t i = 0; (preset = pli_material_preset_get(i)) != NULL; ++i) {
        pli_suggest_add(suggest, preset->name);
    }
}

static void list_laws(const pli_context *context, pli_suggest *suggest, const char *word)
{
    pli_suggest_init(suggest, word);
    for (int32_t i = 0; i < pli_context_law_count(context); ++i) {
        pli_suggest_add(suggest, pli_context_law(context, i)->name);
    }
    const pli_material_ops *law;
    for (int32_t i = 0; (law = pli_material_get(i)) != NULL; ++i) {
        pli_suggest_add(suggest, law->name);
    }
}

static bool find_preset(resolution *r)
{
    const pli_material_def *def = r->def;
    if (!is_given(def->preset)) return true;
    r->preset = pli_material_preset_find(def->preset);
    if (r->preset != NULL) return true;
    char found[PLI_EXCERPT_CAPACITY];
    pli_suggest suggest;
    list_presets(&suggest, pli_excerpt(def->preset, found));
    return blame(r, "preset", &def->preset, "found '%s', which is not a preset; presets are %s",
                 found, pli_suggest_text(&suggest));
}

static bool find_law(resolution *r)
{
    const pli_material_def *def = r->def;
    const char *name = def->law;
    if (!is_given(name) && r->preset != NULL) name = r->preset->law;
    char found[PLI_EXCERPT_CAPACITY] = "";
    pli_suggest suggest;
    if (!is_given(name)) {
        list_laws(r->context, &suggest, NULL);
        return blame(r, "law", &def->law, "is missing, and there is no preset; laws are %s",
                     pli_suggest_text(&suggest));
    }
    r->result->law = pli_material_find(r->context, name);
    if (r->result->law == NULL) {
        list_laws(r->context, &suggest, pli_excerpt(name, found));
        return blame(r, "law", &def->law,
                     "found '%s', which is not a law that this program knows; laws are %s", found,
                     pli_suggest_text(&suggest));
    }
    int32_t count = pli_material_defaults(r->result->law, NULL);
    if (count <= PLI_MATERIAL_INPUTS) return true;
    return blame(r, "law", &def->law, "law '%s' has %d inputs; at most %d are possible", name,
                 count, PLI_MATERIAL_INPUTS);
}

// ---- numbers

static bool find_density(resolution *r)
{
    double density = r->def->density;
    if (density == 0 && r->preset != NULL) density = r->preset->density;
    r->result->density = density;
    if (density > 0 && isfinite(density)) return true;
    return blame(r, "density", &r->def->density, "is missing, and there is no preset");
}

static bool use_lame_pair(resolution *r)
{
    const pli_material_def *def = r->def;
    double mu = def->mu;
    double lambda = def->lambda;
    if (def->young != 0 || def->poisson != -1) {
        return blame(r, "mu", &def->mu,
                     "young and poisson, or mu and lambda: both pairs together contradict");
    }
    if (!(mu > 0)) {
        return blame(r, "lambda", &def->lambda, "needs mu beside it, the shear modulus");
    }
    // a positive bulk modulus, lambda + 2/3 mu
    if (!(lambda > -2 * mu / 3)) {
        char limit[PLI_QUANTITY_CAPACITY];
        pli_quantity_format(-2 * mu / 3, limit);
        return blame(r, "lambda", &def->lambda, "must be greater than -2/3 mu, here %s", limit);
    }
    r->young = mu * (3 * lambda + 2 * mu) / (lambda + mu);
    r->poisson = lambda / (2 * (lambda + mu));
    return true;
}

static bool find_elastic_pair(resolution *r)
{
    const pli_material_def *def = r->def;
    bool supplied = r->preset != NULL && r->preset->young > 0;
    r->young = supplied ? r->preset->young : NAN;
    r->poisson = supplied ? r->preset->poisson : NAN;
    if (def->mu != 0 || def->lambda != 0) return use_lame_pair(r);
    if (def->young != 0) r->young = def->young;
    if (def->poisson != -1) r->poisson = def->poisson;
    return true;
}

static const pli_named_value *find_parameter(const pli_material_def *def, const char *key)
{
    for (int32_t i = 0; i < def->parameter_count; ++i) {
        if (strcmp(def->parameters[i].name, key) == 0) return &def->parameters[i];
    }
    return NULL;
}

static bool is_elastic_key(const char *key)
{
    return strcmp(key, "young") == 0 || strcmp(key, "poisson") == 0;
}

bool pli_input_allows(const pli_material_input *input, double value)
{
    if (input->exclusive) return value > input->min && value < input->max;
    return value >= input->min && value <= input->max;
}

static void format_limit(double limit, char text[PLI_QUANTITY_CAPACITY])
{
    snprintf(text, PLI_QUANTITY_CAPACITY, "%s", limit > 0 ? "infinity" : "-infinity");
    if (isfinite(limit)) pli_quantity_format(limit, text);
}

void pli_input_print(const pli_material_input *input, double value,
                     char text[PLI_INPUT_TEXT_CAPACITY], char range[PLI_INPUT_TEXT_CAPACITY])
{
    char number[PLI_QUANTITY_CAPACITY];
    char low[PLI_QUANTITY_CAPACITY];
    char high[PLI_QUANTITY_CAPACITY];
    format_limit(value, number);
    format_limit(input->min, low);
    format_limit(input->max, high);
    snprintf(text, PLI_INPUT_TEXT_CAPACITY, "%s", number);
    snprintf(range, PLI_INPUT_TEXT_CAPACITY, "%s %s and %s %s%s%s",
             input->exclusive ? "greater than" : "at least", low,
             input->exclusive ? "less than" : "at most", high, input->unit[0] != '\0' ? " " : "",
             input->unit);
}

bool pli_input_read(const pli_material_input *input, const pli_named_value *given, double *value,
                    char text[PLI_INPUT_TEXT_CAPACITY])
{
    *value = given->value;
    if (given->unit == NULL || given->unit[0] == '\0') return true;
    char found[PLI_EXCERPT_CAPACITY];
    char expected[64];
    char quantity[PLI_QUANTITY_CAPACITY + PLI_EXCERPT_CAPACITY + 1];
    // the shortest text is what was written, so that the product is rounded once
    pli_quantity_format(given->value, quantity);
    pli_excerpt(given->unit, found);
    snprintf(quantity + strlen(quantity), sizeof found + 1, " %s", found);
    if (pli_unit_read(quantity, input->unit, value) == PLI_UNIT_OK) return true;
    pli_unit_describe(input->unit, expected, sizeof expected);
    snprintf(text, PLI_INPUT_TEXT_CAPACITY, "expected %s, found '%s'", expected, found);
    return false;
}

static bool refuse_input(resolution *r, const pli_material_input *input, const char *key,
                         const void *member, double value)
{
    if (isnan(value)) {
        return blame(r, key, member, "is missing, and %s; law '%s' needs it",
                     r->preset != NULL ? "the preset has none" : "there is no preset",
                     r->result->law->name);
    }
    char found[PLI_INPUT_TEXT_CAPACITY];
    char range[PLI_INPUT_TEXT_CAPACITY];
    pli_input_print(input, value, found, range);
    return blame(r, key, member, "found '%s'; law '%s' allows: %s", found, r->result->law->name,
                 range);
}

// A further number of the preset's law, or NULL.
static const double *find_preset_number(const resolution *r, const char *key)
{
    const pli_material_preset *preset = r->preset;
    if (preset == NULL || strcmp(preset->law, r->result->law->name) != 0) return NULL;
    for (int32_t i = 0; i < preset->number_count; ++i) {
        if (strcmp(preset->numbers[i].key, key) == 0) return preset->numbers[i].value;
    }
    return NULL;
}

// What the preset says about an input besides young and poisson, else the law's own default.
static double default_value(const resolution *r, const pli_material_input *input)
{
    if (r->preset == NULL) return input->fallback;
    const double *number = find_preset_number(r, input->key);
    if (number != NULL) return *number;
    const struct {
        const char *key;
        double value; // 0: none
    } supplied[] = {
        {"yield", r->preset->yield}, {"bulk", r->preset->bulk}, {"exponent", r->preset->exponent}};
    for (size_t k = 0; k < sizeof supplied / sizeof *supplied; ++k) {
        if (supplied[k].value > 0 && strcmp(supplied[k].key, input->key) == 0) {
            return supplied[k].value;
        }
    }
    return input->fallback;
}

// Finds the three numbers of a direction; where it is painted, what stands in for it.
static bool find_direction(resolution *r, const pli_material_input *input, double direction[3])
{
    char key[sizeof r->problem->key];
    snprintf(key, sizeof key, "parameters.%s", input->key);
    const pli_named_value *parameter = find_parameter(r->def, input->key);
    const bool is_painted = parameter != NULL && parameter->painted_count > 0;
    if (is_painted && parameter->painted->key_count > 0) {
        return blame(r, key, parameter->painted,
                     "is a direction, which does not change with time: keys are for numbers");
    }
    const double *from = find_preset_number(r, input->key);
    if (from == NULL) from = input->direction;
    const bool is_plain = parameter != NULL && !is_painted;
    if (is_plain) from = parameter->direction;
    bool has_three = !is_plain || parameter->direction_count == 3;
    double length = has_three ? sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]) : 0;
    if (length > 0 && isfinite(length)) {
        memcpy(direction, from, 3 * sizeof *direction);
        return true;
    }
    return blame(r, key, parameter,
                 "law '%s' takes a direction here: three numbers that are not "
                 "all zero, such as [0, 1, 0]",
                 r->result->law->name);
}

// Finds the value of one input of the law and checks it.
static bool find_input_value(resolution *r, const pli_material_input *input, double *value)
{
    const pli_material_def *def = r->def;
    char key[sizeof r->problem->key];
    snprintf(key, sizeof key, "%s", input->key);
    const void *member = def;
    if (strcmp(input->key, "young") == 0) {
        *value = r->young;
        member = &def->young;
    } else if (strcmp(input->key, "poisson") == 0) {
        *value = r->poisson;
        member = &def->poisson;
    } else {
        const pli_named_value *parameter = find_parameter(def, input->key);
        *value = default_value(r, input);
        const pli_paint_def *paint =
            parameter != NULL && parameter->painted_count > 0 ? parameter->painted : NULL;
        if (paint != NULL && paint->key_count > 0) *value = paint->keys[0].value;
        if (parameter != NULL) member = &parameter->value;
        snprintf(key, sizeof key, "parameters.%s", input->key);
        bool is_number = parameter == NULL || paint != NULL ||
                         (parameter->direction_count == 0 && parameter->value != no_value);
        if (!is_number) {
            return blame(r, key, member, "law '%s' takes a number here", r->result->law->name);
        }
        char text[PLI_INPUT_TEXT_CAPACITY];
        bool is_read =
            parameter == NULL || paint != NULL || pli_input_read(input, parameter, value, text);
        if (!is_read) return blame(r, key, member, "%s", text);
    }
    return pli_input_allows(input, *value) || refuse_input(r, input, key, member, *value);
}

static bool find_inputs(resolution *r)
{
    const pli_material_ops *law = r->result->law;
    double *values = r->result->inputs;
    for (int32_t i = 0; i < law->input_count; values += value_count(&law->inputs[i]), ++i) {
        const pli_material_input *input = &law->inputs[i];
        bool found = input->components > 0 ? find_direction(r, input, values)
                                           : find_input_value(r, input, values);
        if (!found) return false;
    }
    return true;
}

// Whether the law takes its inputs together.
static bool check_together(resolution *r)
{
    const pli_material_ops *law = r->result->law;
    char text[PLI_FIELD_ERROR_CAPACITY];
    if (law->check == NULL || law->check(r->result->inputs, sizeof text, text)) return true;
    return blame(r, "parameters", &r->def->parameters, "law '%s': %s", law->name, text);
}

// ---- what is given must be used

static bool refuse_parameter(resolution *r, const pli_named_value *parameter)
{
    const pli_material_ops *law = r->result->law;
    char found[PLI_EXCERPT_CAPACITY];
    char key[sizeof r->problem->key];
    pli_excerpt(parameter->name, found);
    snprintf(key, sizeof key, "parameters.%s", found);
    if (is_elastic_key(parameter->name)) {
        return blame(r, key, parameter, "give '%s' beside the law, not among the parameters",
                     found);
    }
    pli_suggest suggest;
    pli_suggest_init(&suggest, found);
    for (int32_t i = 0; i < law->input_count; ++i) {
        if (!is_elastic_key(law->inputs[i].key)) pli_suggest_add(&suggest, law->inputs[i].key);
    }
    return blame(r, key, parameter, "law '%s' has no such parameter; it has %s", law->name,
                 pli_suggest_text(&suggest));
}

static bool check_parameters(resolution *r)
{
    for (int32_t i = 0; i < r->def->parameter_count; ++i) {
        const pli_named_value *parameter = &r->def->parameters[i];
        bool is_input = pli_material_find_input(r->result->law, parameter->name) >= 0;
        if (!is_input || is_elastic_key(parameter->name)) return refuse_parameter(r, parameter);
    }
    return true;
}

static bool check_elastic_use(resolution *r)
{
    const pli_material_ops *law = r->result->law;
    if (r->def->young != 0 && pli_material_find_input(law, "young") < 0) {
        return blame(r, "young", &r->def->young, "law '%s' has no such input", law->name);
    }
    if (r->def->poisson != -1 && pli_material_find_input(law, "poisson") < 0) {
        return blame(r, "poisson", &r->def->poisson, "law '%s' has no such input", law->name);
    }
    bool pair = r->def->mu != 0 || r->def->lambda != 0;
    if (pair && pli_material_find_input(law, "young") < 0) {
        return blame(r, "mu", &r->def->mu, "law '%s' has no such input", law->name);
    }
    return true;
}

// ---- what is painted

// In the place of numbers that are painted something stands that is allowed: the first key, else
// the preset's, else what is usual. Elements have their own.
static void stand_in(pli_material_def *def)
{
    bool has_preset = is_given(def->preset);
    const struct {
        const char *key;
        double *number;
        double usual;
    } numbers[] = {{"density", &def->density, has_preset ? 0 : 1000},
                   {"young", &def->young, has_preset ? 0 : 1e6},
                   {"poisson", &def->poisson, has_preset ? -1 : 0.3},
                   {"mu", &def->mu, 4e5},
                   {"lambda", &def->lambda, 6e5},
                   {"drag", &def->drag, 0},
                   {"rayleigh", &def->rayleigh, 0}};
    for (int32_t k = 0; k < def->painted_count; ++k) {
        const pli_paint_def *paint = &def->painted[k];
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
            if (strcmp(numbers[i].key, paint->key) != 0) continue;
            *numbers[i].number = paint->key_count > 0 ? paint->keys[0].value : numbers[i].usual;
        }
    }
}

bool pli_material_resolve(const pli_context *context, const pli_material_def *def,
                          pli_resolved_material *resolved, pli_material_problem *problem)
{
    pli_material_def own = *def;
    stand_in(&own);
    *resolved = (pli_resolved_material){.drag = own.drag, .rayleigh = own.rayleigh};
    resolution r = {.context = context, .def = &own, .result = resolved, .problem = problem};
    bool is_right = find_preset(&r) && find_law(&r) && find_density(&r) && find_elastic_pair(&r) &&
                    check_parameters(&r) && check_elastic_use(&r) && find_inputs(&r) &&
                    check_together(&r);
    if (is_right || problem == NULL) return is_right;
    // members are those of the scene
    const char *member = problem->member;
    bool is_own = member >= (const char *)&own && member < (const char *)(&own + 1);
    if (is_own) problem->member = (const char *)def + (member - (const char *)&own);
    return false;
}
