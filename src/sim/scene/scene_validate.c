// SPDX-License-Identifier: Apache-2.0
#include "sim/scene/scene.h"

#include "base/names.h"
#include "base/suggest.h"
#include "sim/body/material_matter.h"
#include "sim/body/material_resolve.h"
#include "sim/scene/contact_choice.h"
#include "sim/scene/magnitude.h"
#include "sim/scene/own_shape.h"
#include "sim/scene/schema.h"

#include <stdio.h>
#include <string.h>

// Standard gravity to two digits (m/s^2).
static const double default_gravity = 9.81;

// Of shells (m).
static const double default_thickness = 1e-3;

// Of cloth (Xian et al. 2019, table 4).
static const double default_stretch = 100;    // N/m
static const double default_bend = 20;        // N/m
static const double default_area_density = 1; // kg/m^2

// ---- values against the table

static pli_status refuse(const pli_scene *scene, const pli_visit *visit, const char *text)
{
    return pli_scene_fail(scene, PLI_ERROR_SCENE, visit, "%s", text);
}

// Whether a text that the file must say may be empty: a path, when the mesh itself is there.
static bool is_supplied(const pli_visit *visit)
{
    for (int32_t i = 0; i < visit->schema->field_count; ++i) {
        const pli_field *field = &visit->schema->fields[i];
        if (field->kind != PLI_FIELD_MESH) continue;
        const char *member = (const char *)visit->holder + field->offset;
        return *(const pli_mesh_data *const *)member != NULL;
    }
    return false;
}

static bool is_missing(const pli_visit *visit, const pli_items *items)
{
    if ((visit->field->flags & PLI_FIELD_REQUIRED) == 0) return false;
    if (items->fixed == 0) return items->count == 0;
    if (items->kind == PLI_ITEM_VARIANT) return ((const pli_variant *)items->first)->kind < 0;
    if (items->kind != PLI_ITEM_TEXT) return false;
    return (*(const char *const *)items->first)[0] == '\0' && !is_supplied(visit);
}

static pli_status refuse_missing(const pli_scene *scene, const pli_visit *visit)
{
    char range[PLI_FIELD_ERROR_CAPACITY];
    return pli_scene_fail(scene, PLI_ERROR_SCENE, visit, "is missing; expected %s",
                          pli_field_range(visit->field, range));
}

// Every item against the range of the field.
static pli_status check_items(const pli_scene *scene, const pli_visit *visit,
                              const pli_items *items)
{
    char error[PLI_FIELD_ERROR_CAPACITY];
    for (int32_t i = 0; i < items->count; ++i) {
        const char *item = (const char *)items->first + (size_t)i * items->stride;
        if (pli_field_check(visit->field, item, error)) continue;
        if (!items->is_list) return refuse(scene, visit, error);
        return pli_scene_fail(scene, PLI_ERROR_SCENE, visit, "item %d: %s", i, error);
    }
    return PLI_OK;
}

static pli_status check_direction(const pli_scene *scene, const pli_visit *visit)
{
    if ((visit->field->flags & PLI_FIELD_NONZERO) == 0) return PLI_OK;
    const double *vector = visit->member;
    if (vector[0] != 0 || vector[1] != 0 || vector[2] != 0) return PLI_OK;
    return refuse(scene, visit, "found [0, 0, 0]; a direction needs a length");
}

// Names appear in paths and file names, so only plain characters are allowed; bytes beyond ASCII
// are letters of UTF-8.
bool pli_scene_is_name(const char *name)
{
    enum { LONGEST = 64 };
    size_t length = strnlen(name, LONGEST + 1);
    if (length == 0 || length > LONGEST) return false;
    for (size_t i = 0; i < length; ++i) {
        unsigned char c = (unsigned char)name[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
        if (!is_letter && !(c >= '0' && c <= '9') && c != '-' && c != '_') return false;
    }
    return true;
}

static pli_status check_name(const pli_scene *scene, const pli_visit *visit,
                             const char *const *name, pli_names *names)
{
    char found[PLI_EXCERPT_CAPACITY];
    char error[PLI_FIELD_ERROR_CAPACITY];
    pli_visit at = *visit;
    at.member = name;
    static const pli_field text_field = {.kind = PLI_FIELD_TEXT};
    if (!pli_field_check(&text_field, name, error)) return refuse(scene, &at, error);
    if (!pli_scene_is_name(*name)) {
        return pli_scene_fail(scene, PLI_ERROR_SCENE, &at,
                              "found the name '%s'; allowed are 1 to 64 letters, digits, '-' and "
                              "'_'",
                              pli_excerpt(*name, found));
    }
    int32_t count = names->count;
    int32_t index = 0;
    PLI_TRY(pli_names_add(names, *name, &index));
    if (index == count) return PLI_OK;
    return pli_scene_fail(scene, PLI_ERROR_SCENE, &at, "there are two of the name '%s'", *name);
}

static pli_status check_names(const pli_scene *scene, const pli_visit *visit,
                              const pli_items *items)
{
    if (visit->field->kind != PLI_FIELD_NAMED) return PLI_OK;
    pli_names names;
    pli_names_init(&names, pli_scene_context(scene));
    pli_status status = PLI_OK;
    for (int32_t i = 0; i < items->count && status == PLI_OK; ++i) {
        const char *item = (const char *)items->first + (size_t)i * items->stride;
        status = check_name(scene, visit, (const char *const *)item, &names);
    }
    pli_names_clear(&names);
    return status;
}

// Gives variants without data their defaults.
static pli_status complete_variants(pli_scene *scene, const pli_visit *visit,
                                    const pli_items *items)
{
    if (items->kind != PLI_ITEM_VARIANT) return PLI_OK;
    for (int32_t i = 0; i < items->count; ++i) {
        pli_variant *variant = (pli_variant *)(uintptr_t)items->first + i;
        const pli_schema *schema = pli_field_variant(visit->field, variant);
        if (items->is_list && schema == NULL) return refuse_missing(scene, visit);
        if (schema == NULL || variant->data != NULL) continue;
        void *data = pli_scene_take(scene, schema->size);
        if (data == NULL) return PLI_ERROR_MEMORY;
        pli_schema_init(schema, data);
        variant->data = data;
    }
    return PLI_OK;
}

static pli_status check_field(void *user, const pli_visit *visit)
{
    pli_scene *scene = user;
    if (visit->field == NULL || pli_field_is_absent(visit->field, visit->holder)) return PLI_OK;
    pli_items items = pli_field_get_items(visit->field, visit->holder);
    if (is_missing(visit, &items)) return refuse_missing(scene, visit);
    PLI_TRY(check_items(scene, visit, &items));
    PLI_TRY(check_direction(scene, visit));
    PLI_TRY(check_names(scene, visit, &items));
    return complete_variants(scene, visit, &items);
}

// ---- contact

static bool is_of_solids(const pli_scene_def *def, const pli_material_def *material)
{
    for (int32_t k = 0; k < def->body_count; ++k) {
        const pli_body_def *body = &def->bodies[k];
        bool named = body->material != NULL && strcmp(body->material, material->name) == 0;
        if (body->kind == PLI_BODY_SOLID && named) return true;
    }
    return false;
}

// Whether a material leaves its law to a preset whose law survives inversion. Barriers keep
// tetrahedra from inverting; such a law does not, and where they are squeezed it pushes on towards
// what is forbidden, so that no step is left.
static bool leaves_collapse_to_barriers(const pli_scene_def *def, const pli_material_def *material)
{
    bool states_law = material->law != NULL && material->law[0] != '\0';
    bool has_preset = material->preset != NULL && material->preset[0] != '\0';
    if (states_law || !has_preset || !is_of_solids(def, material)) return false;
    const pli_material_preset *preset = pli_material_preset_find(material->preset);
    if (preset == NULL) return false;
    // what has directions keeps them
    unsigned flags = pli_material_find(NULL, preset->law)->flags;
    return (flags & PLI_LAW_INVERTIBLE) != 0 && (flags & PLI_LAW_ISOTROPIC) != 0;
}

// Under barriers presets have the law that resists collapse by itself; said what it is in besides.
static void choose_laws(pli_scene_def *def, size_t capacity, char *besides)
{
    static const char law[] = "neo-hookean";
    int32_t count = 0;
    besides[0] = '\0';
    if (def->contact.method != PLI_CONTACT_BARRIER) return;
    for (int32_t k = 0; k < def->material_count; ++k) {
        pli_material_def *material = (pli_material_def *)(uintptr_t)&def->materials[k];
        if (!leaves_collapse_to_barriers(def, material)) continue;
        material->law = law;
        if (++count == 1) {
            snprintf(besides, capacity, "; law of %.80s: %s, which resists collapse",
                     material->name, law);
        }
    }
    size_t used = strlen(besides);
    if (count > 1) {
        snprintf(besides + used, capacity - used, " (and of %d other presets)", (int)count - 1);
    }
}

// Chooses the contact of bodies where the scene leaves it open. Bodies that pass through each other
// although nobody asked for it are warned of.
static pli_status complete_contact(pli_scene *scene)
{
    pli_scene_def *def = pli_scene_edit(scene);
    bool particles = pli_scene_has_particles(def);
    char besides[256];
    if (def->contact.method != PLI_CONTACT_AUTO) {
        choose_laws(def, sizeof besides, besides);
        return particles ? PLI_OK : pli_scene_explain_contact(scene, NULL, besides);
    }
    pli_contact_choice choice;
    pli_contact_choose(def, &choice);
    def->contact.method = (int32_t)choice.method;
    if (particles) return PLI_OK;
    if (choice.gives_up) {
        pli_visit at = {.path = "contact", .holder = &def->contact, .member = &def->contact.method};
        pli_scene_warn(scene, &at,
                       "bodies pass through each other, because %s; write contact: none if that is "
                       "meant",
                       choice.reason);
    }
    choose_laws(def, sizeof besides, besides);
    return pli_scene_explain_contact(scene, choice.reason, besides);
}

// ---- completion

static pli_status complete_gravity(pli_scene *scene)
{
    pli_scene_def *def = pli_scene_edit(scene);
    if (def->gravity_count != 0) return PLI_OK;
    double *gravity = pli_scene_take(scene, 3 * sizeof *gravity);
    if (gravity == NULL) return PLI_ERROR_MEMORY;
    gravity[def->up == PLI_UP_Z ? 2 : 1] = -default_gravity;
    def->gravity = gravity;
    def->gravity_count = 3;
    return PLI_OK;
}

static bool is_elastic(const pli_material_input *input)
{
    return strcmp(input->key, "young") == 0 || strcmp(input->key, "poisson") == 0;
}

// Values that were given in units of their own, or are painted, as they were resolved.
static void convert_parameters(const pli_material_input *inputs, int32_t input_count,
                               const double *values, const pli_named_value *parameters,
                               int32_t count)
{
    for (int32_t k = 0; k < count; ++k) {
        pli_named_value *parameter = (pli_named_value *)(uintptr_t)&parameters[k];
        parameter->unit = "";
        int32_t place = 0;
        for (int32_t i = 0; i < input_count; ++i) {
            bool is_number = inputs[i].components == 0;
            bool is_meant = is_number && strcmp(inputs[i].key, parameter->name) == 0;
            if (is_meant) parameter->value = values[place];
            place += is_number ? 1 : inputs[i].components;
        }
    }
}

// What is painted over an input stays; a direction that is painted is no other one.
static void keep_paint(const pli_material_def *given, pli_named_value *parameter)
{
    for (int32_t k = 0; k < given->parameter_count; ++k) {
        if (strcmp(given->parameters[k].name, parameter->name) != 0) continue;
        parameter->painted = given->parameters[k].painted;
        parameter->painted_count = given->parameters[k].painted_count;
        if (parameter->painted_count == 0) continue;
        parameter->direction = NULL;
        parameter->direction_count = 0;
    }
}

// The inputs of the law besides young and poisson, as parameters; given ones stay where they are.
static pli_status complete_parameters(pli_scene *scene, pli_material_def *material,
                                      const pli_resolved_material *resolved)
{
    const pli_material_ops *law = resolved->law;
    int32_t count = 0;
    for (int32_t i = 0; i < law->input_count; ++i) count += !is_elastic(&law->inputs[i]);
    if (material->parameter_count == count) {
        convert_parameters(law->inputs, law->input_count, resolved->inputs, material->parameters,
                           count);
        return PLI_OK;
    }
    pli_named_value *parameters = pli_scene_take(scene, (size_t)count * sizeof *parameters);
    double *inputs = pli_scene_take(scene, sizeof resolved->inputs);
    if (parameters == NULL || inputs == NULL) return PLI_ERROR_MEMORY;
    memcpy(inputs, resolved->inputs, sizeof resolved->inputs);
    const pli_material_def given = *material;
    material->parameters = parameters;
    material->parameter_count = count;
    for (int32_t i = 0; i < law->input_count; ++i) {
        const pli_material_input *input = &law->inputs[i];
        if (is_elastic(input)) continue;
        *parameters = pli_input_value(input, inputs + pli_material_find_input(law, input->key));
        keep_paint(&given, parameters++);
    }
    return PLI_OK;
}

static void complete_elastic_pair(pli_material_def *material, const pli_resolved_material *resolved)
{
    int32_t young = pli_material_find_input(resolved->law, "young");
    int32_t poisson = pli_material_find_input(resolved->law, "poisson");
    if (young >= 0) material->young = resolved->inputs[young];
    if (poisson >= 0) material->poisson = resolved->inputs[poisson];
    material->mu = 0;
    material->lambda = 0;
}

// How the material yields, with the numbers of its preset. Meshes do where the scene states it.
static pli_status complete_yield(pli_scene *scene, const pli_names *of_particles,
                                 pli_material_def *material)
{
    bool is_stated = material->yield.kind >= 0;
    if (!is_stated && pli_names_find(of_particles, material->name) < 0) return PLI_OK;
    pli_matter_yield yield;
    pli_matter_yield_find(material, &yield);
    if (yield.kind == PLI_YIELD_NONE) return PLI_OK;
    void *data = (void *)(uintptr_t)material->yield.data;
    size_t size = pli_yield_variants[yield.kind]->size;
    if (material->yield.kind < 0) data = pli_scene_take(scene, size);
    if (data == NULL) return PLI_ERROR_MEMORY;
    memcpy(data, &yield.of, size);
    material->yield = (pli_variant){yield.kind, data};
    return PLI_OK;
}

static pli_status complete_used_materials(pli_scene *scene, const pli_names *of_particles)
{
    const pli_scene_def *def = pli_scene_get(scene);
    for (int32_t i = 0; i < def->material_count; ++i) {
        pli_material_def *material = (pli_material_def *)(uintptr_t)&def->materials[i];
        pli_resolved_material resolved;
        // the rules have shown that it can be resolved
        if (!pli_material_resolve(pli_scene_context(scene), material, &resolved, NULL)) continue;
        PLI_TRY(complete_parameters(scene, material, &resolved));
        PLI_TRY(complete_yield(scene, of_particles, material));
        material->law = resolved.law->name;
        material->density = resolved.density;
        complete_elastic_pair(material, &resolved);
    }
    return PLI_OK;
}

static pli_status complete_materials(pli_scene *scene)
{
    pli_names of_particles;
    pli_names of_meshes;
    pli_names_init(&of_particles, pli_scene_context(scene));
    pli_names_init(&of_meshes, pli_scene_context(scene));
    pli_status status =
        pli_scene_collect_materials(pli_scene_get(scene), &of_particles, &of_meshes);
    if (status == PLI_OK) status = complete_used_materials(scene, &of_particles);
    pli_names_clear(&of_meshes);
    pli_names_clear(&of_particles);
    return status;
}

static void complete_bodies(pli_scene *scene)
{
    const pli_scene_def *def = pli_scene_get(scene);
    for (int32_t i = 0; i < def->body_count; ++i) {
        pli_body_def *body = (pli_body_def *)(uintptr_t)&def->bodies[i];
        pli_springs_def *springs = &body->springs;
        if (body->kind == PLI_BODY_SHELL) {
            if (body->thickness == 0) body->thickness = default_thickness;
            if (body->bending == -1) body->bending = 1;
            if (body->bending_model == PLI_BENDING_AUTO) body->bending_model = PLI_BENDING_HINGES;
        } else if (body->kind == PLI_BODY_CLOTH) {
            if (springs->stretch == -1) springs->stretch = default_stretch;
            if (springs->bend == -1) springs->bend = default_bend;
            if (springs->area_density == -1) springs->area_density = default_area_density;
        }
    }
}

// The inputs of a shape of one's own that the scene leaves to it.
static pli_status complete_own_shape(void *user, const pli_visit *visit)
{
    if (visit->field != NULL || visit->schema != &pli_own_shape_schema) return PLI_OK;
    pli_scene *scene = user;
    pli_own_shape_def *def = (pli_own_shape_def *)(uintptr_t)visit->holder;
    pli_resolved_shape resolved;
    if (!pli_own_shape_resolve(pli_scene_context(scene), def, &resolved, NULL)) return PLI_OK;
    int32_t count = resolved.ops->input_count;
    if (def->parameter_count == count) {
        convert_parameters(resolved.ops->inputs, count, resolved.inputs, def->parameters, count);
        return PLI_OK;
    }
    pli_named_value *parameters = pli_scene_take(scene, (size_t)count * sizeof *parameters);
    if (parameters == NULL) return PLI_ERROR_MEMORY;
    for (int32_t i = 0; i < count; ++i) {
        parameters[i] = pli_input_value(&resolved.ops->inputs[i], &resolved.inputs[i]);
    }
    def->parameters = parameters;
    def->parameter_count = count;
    return PLI_OK;
}

static pli_status validate(pli_scene *scene)
{
    pli_context *context = pli_scene_context(scene);
    const pli_schema *schema = pli_scene_schema();
    PLI_TRY(pli_scene_check_links(scene, schema, pli_scene_get(scene)));
    PLI_TRY(pli_schema_walk(context, schema, pli_scene_get(scene), check_field, scene));
    PLI_TRY(complete_contact(scene));
    PLI_TRY(pli_scene_check_rules(scene));
    PLI_TRY(complete_gravity(scene));
    complete_bodies(scene);
    PLI_TRY(complete_materials(scene));
    PLI_TRY(pli_magnitude_check_scene(scene));
    return pli_schema_walk(context, schema, pli_scene_get(scene), complete_own_shape, scene);
}

pli_status pli_scene_validate(pli_scene *scene)
{
    pli_scene_set_validating(scene, true);
    pli_status status = validate(scene);
    pli_scene_set_validating(scene, false);
    return status;
}
