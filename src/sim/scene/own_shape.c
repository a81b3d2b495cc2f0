// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/own_shape.h"

#include "base/suggest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool blame(pli_material_problem *problem, const char *key, const void *member,
                  const char *format, ...) PLI_PRINTF(4, 5);

static bool blame(pli_material_problem *problem, const char *key, const void *member,
                  const char *format, ...)
{
    if (problem == NULL) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    snprintf(problem->key, sizeof problem->key, "%s", key);
    problem->member = member;
    return false;
}

static const pli_distance_ops *find_ops(const pli_context *context, const char *name)
{
    for (int32_t i = 0; i < pli_context_shape_count(context); ++i) {
        const pli_distance_ops *ops = pli_context_shape(context, i);
        if (strcmp(ops->name, name) == 0) return ops;
    }
    return NULL;
}

static bool refuse_name(const pli_context *context, const pli_own_shape_def *def,
                        pli_material_problem *problem)
{
    char found[PLI_EXCERPT_CAPACITY];
    pli_suggest suggest;
    pli_suggest_init(&suggest, pli_excerpt(def->name, found));
    for (int32_t i = 0; i < pli_context_shape_count(context); ++i) {
        pli_suggest_add(&suggest, pli_context_shape(context, i)->name);
    }
    return blame(problem, "name", &def->name,
                 "found '%s', a shape that this program does not bring along; it brings %s", found,
                 pli_suggest_text(&suggest));
}

static const pli_material_input *find_input(const pli_distance_ops *ops, const char *key)
{
    for (int32_t i = 0; i < ops->input_count; ++i) {
        if (strcmp(ops->inputs[i].key, key) == 0) return &ops->inputs[i];
    }
    return NULL;
}

// Puts one parameter where it belongs.
static bool take_parameter(const pli_named_value *parameter, pli_resolved_shape *resolved,
                           pli_material_problem *problem)
{
    const pli_distance_ops *ops = resolved->ops;
    const pli_material_input *input = find_input(ops, parameter->name);
    char found[PLI_EXCERPT_CAPACITY];
    char key[sizeof problem->key];
    snprintf(key, sizeof key, "parameters.%s", pli_excerpt(parameter->name, found));
    if (input == NULL) {
        pli_suggest suggest;
        pli_suggest_init(&suggest, found);
        for (int32_t i = 0; i < ops->input_count; ++i) {
            pli_suggest_add(&suggest, ops->inputs[i].key);
        }
        return blame(problem, key, parameter, "shape '%s' has no such parameter; it has %s",
                     ops->name, pli_suggest_text(&suggest));
    }
    if (parameter->painted_count > 0) {
        return blame(problem, key, parameter,
                     "inputs of shapes are the same everywhere; found a "
                     "painted one");
    }
    if (parameter->direction_count > 0) {
        return blame(problem, key, parameter, "shape '%s' takes a number here", ops->name);
    }
    double *target = &resolved->inputs[input - ops->inputs];
    char value[PLI_INPUT_TEXT_CAPACITY];
    if (!pli_input_read(input, parameter, target, value)) {
        return blame(problem, key, &parameter->value, "%s", value);
    }
    if (pli_input_allows(input, *target)) return true;
    char range[PLI_INPUT_TEXT_CAPACITY];
    pli_input_print(input, *target, value, range);
    return blame(problem, key, &parameter->value, "found '%s'; shape '%s' allows: %s", value,
                 ops->name, range);
}

bool pli_own_shape_resolve(const pli_context *context, const pli_own_shape_def *def,
                           pli_resolved_shape *resolved, pli_material_problem *problem)
{
    const pli_distance_ops *ops = find_ops(context, def->name);
    if (ops == NULL) return refuse_name(context, def, problem);
    if (ops->input_count > PLI_MATERIAL_INPUTS) {
        return blame(problem, "name", &def->name,
                     "shape '%s' has %d inputs; at most %d are possible", ops->name,
                     ops->input_count, PLI_MATERIAL_INPUTS);
    }
    resolved->ops = ops;
    for (int32_t i = 0; i < ops->input_count; ++i) resolved->inputs[i] = ops->inputs[i].fallback;
    for (int32_t i = 0; i < def->parameter_count; ++i) {
        if (!take_parameter(&def->parameters[i], resolved, problem)) return false;
    }
    // a default out of range stands for none
    for (int32_t i = 0; i < ops->input_count; ++i) {
        if (pli_input_allows(&ops->inputs[i], resolved->inputs[i])) continue;
        return blame(problem, "parameters", &def->parameters,
                     "'%s' is missing; shape '%s' needs it", ops->inputs[i].key, ops->name);
    }
    return true;
}

pli_status pli_own_shape_build(pli_shape_set *set, const pli_own_shape_def *def,
                               const pli_shape **shape)
{
    pli_resolved_shape resolved;
    pli_material_problem problem;
    *shape = NULL;
    if (!pli_own_shape_resolve(pli_shape_set_context(set), def, &resolved, &problem)) {
        return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_SCENE, "%s", problem.text);
    }
    return pli_shape_own(set, resolved.ops, resolved.inputs, shape);
}
