// SPDX-License-Identifier: Apache-2.0
//
// Rules of numbers that are painted or keyed. Arrays are looked up when the model is made, where
// the meshes of bodies are known.
#include "base/suggest.h"
#include "sim/body/material_resolve.h"
#include "sim/body/paint.h"
#include "sim/scene/scene_rules.h"
#include "sim/scene/schema.h"
#include "sim/scene/unit.h"

#include <string.h>

// a painted number: its struct, the name that messages have for it, and its row of the table
typedef struct painted {
    const pli_visit *visit;
    const char *name;
    const pli_paint_def *def;
    const pli_field *field; // NULL: the input of a law
} painted;

static pli_status refuse(const pli_rules *r, const painted *p, const char *text)
{
    return pli_rules_refuse(r, p->visit, p->name, p->def, "%s", text);
}

static bool is_keyable(const painted *p)
{
    static const char *const keyable[] = {"young", "poisson", "drag", "rayleigh"};
    if (p->field == NULL) return true;
    if (p->visit->schema != &pli_material_schema) return false;
    for (size_t k = 0; k < sizeof keyable / sizeof *keyable; ++k) {
        if (strcmp(keyable[k], p->field->key) == 0) return true;
    }
    return false;
}

static pli_status check_keys(const pli_rules *r, const painted *p)
{
    if (p->def->key_count == 0) return PLI_OK;
    if (!is_keyable(p)) {
        return refuse(r, p,
                      "does not change with time: keys are for young, poisson, parameters, "
                      "drag and rayleigh of a material");
    }
    for (int32_t k = 0; k < p->def->key_count; ++k) {
        char error[PLI_FIELD_ERROR_CAPACITY];
        bool is_late = k == 0 || p->def->keys[k].time > p->def->keys[k - 1].time;
        if (!is_late) {
            return pli_rules_refuse(r, p->visit, p->name, p->def,
                                    "keys[%d] is not later than the key before", k);
        }
        if (p->field == NULL || pli_field_check(p->field, &p->def->keys[k].value, error)) continue;
        return pli_rules_refuse(r, p->visit, p->name, p->def, "keys[%d]: %s", k, error);
    }
    return PLI_OK;
}

static pli_status check_expressions(const pli_rules *r, const painted *p)
{
    bool is_vector = p->field != NULL && p->field->kind == PLI_FIELD_VECTOR;
    int32_t count = p->def->expression_count;
    // the input of a law may be a direction; the model knows
    bool is_right = count == (is_vector ? 3 : 1) || (p->field == NULL && count == 3);
    if (!is_right) {
        return pli_rules_refuse(r, p->visit, p->name, p->def, "found %d expressions, expected %s",
                                count, is_vector ? "three, for x, y and z" : "one");
    }
    for (int32_t k = 0; k < count; ++k) {
        pli_expression expression;
        char error[PLI_EXPRESSION_ERROR];
        char found[PLI_EXCERPT_CAPACITY];
        const char *text = p->def->expression[k];
        if (pli_expression_parse(text, &expression, error)) continue;
        return pli_rules_refuse(r, p->visit, p->name, p->def, "expression '%s', %s",
                                pli_excerpt(text, found), error);
    }
    return PLI_OK;
}

static pli_status check_unit(const pli_rules *r, const painted *p)
{
    double factor = 1;
    bool is_checked = p->field != NULL && p->def->unit != NULL && p->def->unit[0] != '\0';
    if (!is_checked || pli_unit_factor(p->def->unit, p->field->unit, &factor) == PLI_UNIT_OK) {
        return PLI_OK;
    }
    char expected[64];
    char found[PLI_EXCERPT_CAPACITY];
    pli_unit_describe(p->field->unit, expected, sizeof expected);
    return pli_rules_refuse(r, p->visit, p->name, p->def, "unit: expected %s, found '%s'", expected,
                            pli_excerpt(p->def->unit, found));
}

static pli_status check_paint(const pli_rules *r, const painted *p)
{
    if (pli_paint_way_count(p->def) != 1) {
        return refuse(r, p, "expected a number, or exactly one of array, expression and keys");
    }
    if (r->has_particles) {
        return refuse(r, p,
                      "is painted or keyed, which bodies of meshes can be; particles take "
                      "one number for all of them");
    }
    PLI_TRY(check_keys(r, p));
    PLI_TRY(check_unit(r, p));
    return p->def->expression_count > 0 ? check_expressions(r, p) : PLI_OK;
}

static pli_status check_parameters(const pli_rules *r, const pli_visit *visit)
{
    const pli_material_def *material = visit->holder;
    for (int32_t k = 0; k < material->parameter_count; ++k) {
        const pli_named_value *parameter = &material->parameters[k];
        if (parameter->painted_count == 0) continue;
        painted p = {visit, parameter->name, parameter->painted, NULL};
        PLI_TRY(check_paint(r, &p));
    }
    return PLI_OK;
}

static pli_status check_members(const pli_rules *r, const pli_visit *visit,
                                const pli_paint_def *paints, int32_t count)
{
    for (int32_t k = 0; k < count; ++k) {
        const char *key = paints[k].key != NULL ? paints[k].key : "";
        const pli_field *field = pli_schema_find(visit->schema, key);
        painted p = {visit, key, &paints[k], field};
        bool is_paintable = field != NULL && (field->flags & PLI_FIELD_PAINTABLE) != 0;
        if (!is_paintable) return refuse(r, &p, "is no number that can be painted");
        PLI_TRY(check_paint(r, &p));
    }
    return PLI_OK;
}

// Law inputs at the values of a key are in the range of the law.
static pli_status check_key_values(const pli_rules *r, const pli_visit *visit)
{
    const pli_material_def *material = visit->holder;
    for (int32_t k = 0; k < material->painted_count; ++k) {
        pli_paint_def paint = material->painted[k];
        pli_material_def own = *material;
        own.painted = &paint;
        own.painted_count = 1;
        for (int32_t i = 0; i < paint.key_count; ++i) {
            pli_resolved_material resolved;
            pli_material_problem problem;
            // what stands in for keys is their first value
            paint.keys = material->painted[k].keys + i;
            bool is_right =
                pli_material_resolve(pli_scene_context(r->scene), &own, &resolved, &problem);
            if (is_right || strcmp(problem.key, paint.key) != 0) continue;
            return pli_rules_refuse(r, visit, paint.key, &material->painted[k], "keys[%d]: %s", i,
                                    problem.text);
        }
    }
    return PLI_OK;
}

static bool has_keys(const pli_material_def *material)
{
    bool any = false;
    for (int32_t k = 0; k < material->painted_count; ++k) {
        any = any || material->painted[k].key_count > 0;
    }
    for (int32_t k = 0; k < material->parameter_count; ++k) {
        const pli_named_value *parameter = &material->parameters[k];
        any = any || (parameter->painted_count > 0 && parameter->painted->key_count > 0);
    }
    return any;
}

static pli_status check_material(const pli_rules *r, const pli_visit *visit)
{
    const pli_material_def *material = visit->holder;
    PLI_TRY(check_members(r, visit, material->painted, material->painted_count));
    PLI_TRY(check_parameters(r, visit));
    PLI_TRY(check_key_values(r, visit));
    bool yields = material->yield.kind >= 0 && material->yield.kind != PLI_YIELD_NONE;
    if (!yields || !has_keys(material)) return PLI_OK;
    return pli_rules_refuse(r, visit, "yield", &material->yield,
                            "a material that changes with time cannot yield; give plain numbers or "
                            "paint them");
}

static pli_status check_body(const pli_rules *r, const pli_visit *visit)
{
    const pli_body_def *body = visit->holder;
    PLI_TRY(check_members(r, visit, body->painted, body->painted_count));
    for (int32_t k = 0; k < body->painted_count; ++k) {
        bool moves = strcmp(body->painted[k].key, "velocity") == 0;
        bool is_used = moves ? body->kind != PLI_BODY_OBSTACLE : body->kind == PLI_BODY_SHELL;
        if (is_used) continue;
        return pli_rules_refuse(r, visit, body->painted[k].key, &body->painted[k],
                                moves ? "is not a key of an obstacle: only its motion moves it"
                                      : "is a key of a shell alone");
    }
    return PLI_OK;
}

pli_status pli_rules_check_paint(const pli_rules *r, const pli_visit *visit)
{
    if (visit->schema == &pli_material_schema) return check_material(r, visit);
    return visit->schema == &pli_body_schema ? check_body(r, visit) : PLI_OK;
}
