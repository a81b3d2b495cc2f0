// SPDX-License-Identifier: Apache-2.0
//
// The rules of scenes of particles: what they need, what they cannot have beside them, and keys
// that mean nothing without them.
#include "sim/scene/scene_rules.h"

#include "base/suggest.h"
#include "fem/viscoelastic.h"
#include "sim/body/material_matter.h"
#include "sim/body/material_resolve.h"
#include "sim/scene/quantity.h"
#include "sim/scene/schema.h"
#include "sim/step/solver_table.h"

#include <stdio.h>
#include <string.h>

static bool is_particles(const pli_body_def *body)
{
    return body->geometry.kind == PLI_GEOMETRY_PARTICLES;
}

bool pli_scene_has_particles(const pli_scene_def *def)
{
    for (int32_t k = 0; k < def->body_count; ++k) {
        if (is_particles(&def->bodies[k])) return true;
    }
    return def->emitter_count > 0;
}

pli_status pli_scene_collect_materials(const pli_scene_def *def, pli_names *of_particles,
                                       pli_names *of_meshes)
{
    int32_t index = 0;
    for (int32_t k = 0; k < def->body_count; ++k) {
        const pli_body_def *body = &def->bodies[k];
        pli_names *names = is_particles(body) ? of_particles : of_meshes;
        PLI_TRY(pli_names_add(names, body->material, &index));
        for (int32_t i = 0; i < body->region_count; ++i) {
            PLI_TRY(pli_names_add(names, body->regions[i].material, &index));
        }
    }
    for (int32_t k = 0; k < def->emitter_count; ++k) {
        PLI_TRY(pli_names_add(of_particles, def->emitters[k].material, &index));
    }
    return PLI_OK;
}

// Whether a body of particles is made of a material.
static bool has_body_of(const pli_scene_def *def, const char *material)
{
    for (int32_t k = 0; k < def->body_count; ++k) {
        const pli_body_def *body = &def->bodies[k];
        if (!is_particles(body)) continue;
        if (strcmp(body->material, material) == 0) return true;
        for (int32_t i = 0; i < body->region_count; ++i) {
            if (strcmp(body->regions[i].material, material) == 0) return true;
        }
    }
    return false;
}

bool pli_scene_has_particles_of(const pli_scene_def *def, const char *material)
{
    if (has_body_of(def, material)) return true;
    for (int32_t k = 0; k < def->emitter_count; ++k) {
        if (strcmp(def->emitters[k].material, material) == 0) return true;
    }
    return false;
}

// ---- what particles are made of

// Whether a body of triangles is made of a material.
static bool has_triangles_of(const pli_scene_def *def, const char *material)
{
    for (int32_t k = 0; k < def->body_count; ++k) {
        const pli_body_def *body = &def->bodies[k];
        if (body->kind != PLI_BODY_SOLID && strcmp(body->material, material) == 0) return true;
    }
    return false;
}

static pli_status check_yield(const pli_rules *r, const pli_visit *visit,
                              const pli_material_ops *law);

// What a material of meshes has beside its law: branches, of elastic tetrahedra.
static pli_status check_branches(const pli_rules *r, const pli_visit *visit)
{
    const pli_material_def *material = visit->holder;
    const void *branches = &material->viscoelastic;
    double sum = 0;
    if (has_triangles_of(r->def, material->name)) {
        return pli_rules_refuse(r, visit, "viscoelastic", branches,
                                "is for tetrahedra; bodies of triangles have drag and rayleigh");
    }
    if (material->yield.kind >= 0 && material->yield.kind != PLI_YIELD_NONE) {
        return pli_rules_refuse(r, visit, "viscoelastic", branches,
                                "is for what does not yield: leave out one of the two");
    }
    if (material->viscoelastic_count > PLI_BRANCHES) {
        return pli_rules_refuse(r, visit, "viscoelastic", branches,
                                "has %d branches; at most %d are possible",
                                (int)material->viscoelastic_count, (int)PLI_BRANCHES);
    }
    for (int32_t k = 0; k < material->viscoelastic_count; ++k) {
        sum += material->viscoelastic[k].ratio;
    }
    if (material->moduli != PLI_MODULI_INSTANTANEOUS || sum < 1) return PLI_OK;
    char found[PLI_QUANTITY_CAPACITY];
    pli_quantity_format(sum, found);
    return pli_rules_refuse(r, visit, "viscoelastic", branches,
                            "has ratios whose sum is %s; with moduli: instantaneous nothing would "
                            "be left for slow loads unless it is less than 1",
                            found);
}

// Tetrahedra yield where the scene states that they do; meshes are damped in other ways.
static pli_status check_mesh_material(const pli_rules *r, const pli_visit *visit)
{
    const pli_material_def *material = visit->holder;
    if (pli_names_find(&r->of_meshes, material->name) < 0) return PLI_OK;
    if (material->yield.kind >= 0 && has_triangles_of(r->def, material->name)) {
        return pli_rules_refuse(r, visit, "yield", &material->yield,
                                "is for particles and tetrahedra; bodies of triangles stay "
                                "elastic: leave it out");
    }
    if (material->viscosity > 0) {
        return pli_rules_refuse(r, visit, "viscosity", &material->viscosity,
                                "is for particles; bodies of tetrahedra and triangles have drag "
                                "and rayleigh");
    }
    if (material->viscoelastic_count > 0) PLI_TRY(check_branches(r, visit));
    pli_resolved_material resolved;
    bool good = pli_material_resolve(pli_scene_context(r->scene), material, &resolved, NULL);
    return good && material->yield.kind >= 0 ? check_yield(r, visit, resolved.law) : PLI_OK;
}

// Names the laws that can yield so.
static pli_status refuse_yield(const pli_rules *r, const pli_visit *visit, const char *law,
                               int32_t yield)
{
    const pli_material_def *material = visit->holder;
    pli_suggest suggest;
    pli_suggest_init(&suggest, NULL);
    const pli_material_ops *other;
    for (int32_t k = 0; (other = pli_material_get(k)) != NULL; ++k) {
        if (pli_yield_fits(pli_yield_get(yield), other)) pli_suggest_add(&suggest, other->name);
    }
    bool own = material->yield.kind >= 0;
    return pli_rules_refuse(r, visit, "yield", &material->yield,
                            "law '%s' cannot yield by '%s'%s%s; laws that can are %s%s", law,
                            pli_yield_variants[yield]->name, own ? "" : ", as preset ",
                            own ? "" : material->preset, pli_suggest_text(&suggest),
                            own ? "" : ", or write yield: none");
}

// A number that a rule has no default for, where neither scene nor preset give it.
static pli_status check_yield_numbers(const pli_rules *r, const pli_visit *visit,
                                      const pli_matter_yield *yield)
{
    const pli_material_def *material = visit->holder;
    const pli_schema *schema = pli_yield_variants[yield->kind];
    for (int32_t k = 0; k < schema->field_count; ++k) {
        const pli_field *field = &schema->fields[k];
        char path[96];
        bool is_missing = (field->flags & PLI_FIELD_OPTIONAL) != 0;
        if (!is_missing || !pli_field_is_absent(field, yield->of)) continue;
        const char *own = material->yield.data;
        snprintf(path, sizeof path, "yield.%s.%s", schema->name, field->key);
        return pli_rules_refuse(r, visit, path, own != NULL ? own + field->offset : NULL,
                                "is missing, and there is no preset that yields; it is: %s",
                                field->doc);
    }
    return PLI_OK;
}

// That law and rule go together, and that no number is missing.
static pli_status check_yield(const pli_rules *r, const pli_visit *visit,
                              const pli_material_ops *law)
{
    pli_matter_yield yield;
    pli_matter_yield_find(visit->holder, &yield);
    if (!pli_yield_fits(pli_yield_get(yield.kind), law)) {
        return refuse_yield(r, visit, law->name, yield.kind);
    }
    return check_yield_numbers(r, visit, &yield);
}

static pli_status check_damping(const pli_rules *r, const pli_visit *visit)
{
    static const char text[] = "is for bodies of tetrahedra and triangles; particles have "
                               "viscosity";
    const pli_material_def *material = visit->holder;
    if (material->drag > 0) {
        return pli_rules_refuse(r, visit, "drag", &material->drag, "%s", text);
    }
    if (material->rayleigh > 0) {
        return pli_rules_refuse(r, visit, "rayleigh", &material->rayleigh, "%s", text);
    }
    const pli_solver_kind *solver = pli_solver_kind_choose(r->def);
    if (material->viscosity > 0 && solver != NULL && solver->grid != NULL) {
        return pli_rules_refuse(r, visit, "viscosity", &material->viscosity,
                                "is for explicit steps; solver %s has none: use regional or "
                                "explicit, or leave it out",
                                solver->info.name);
    }
    return PLI_OK;
}

// All numbers together, as particles will have them.
static pli_status check_numbers(const pli_rules *r, const pli_visit *visit)
{
    const pli_material_def *material = visit->holder;
    pli_context *context = pli_scene_context(r->scene);
    pli_material made;
    pli_status status = pli_matter_resolve(context, material, &made);
    if (status == PLI_OK || status == PLI_ERROR_MEMORY) return status;
    char text[PLI_FIELD_ERROR_CAPACITY];
    pli_context_message(context, text, sizeof text);
    return pli_rules_refuse(r, visit, "", NULL, "%s", text);
}

static pli_status check_material(const pli_rules *r, const pli_visit *visit)
{
    const pli_material_def *material = visit->holder;
    if (material->moduli != PLI_MODULI_LONG_TERM && material->viscoelastic_count == 0) {
        return pli_rules_refuse(r, visit, "moduli", &material->moduli,
                                "found 'instantaneous', which differs from 'long-term' only beside "
                                "viscoelastic branches");
    }
    if (pli_names_find(&r->of_particles, material->name) < 0) return check_mesh_material(r, visit);
    PLI_TRY(check_damping(r, visit));
    if (material->viscoelastic_count > 0) {
        return pli_rules_refuse(r, visit, "viscoelastic", &material->viscoelastic,
                                "is for tetrahedra; explicit particles have viscosity");
    }
    pli_resolved_material resolved;
    pli_context *context = pli_scene_context(r->scene);
    // its own rule has shown that it can be resolved
    if (!pli_material_resolve(context, material, &resolved, NULL)) return PLI_OK;
    PLI_TRY(check_yield(r, visit, resolved.law));
    int32_t poisson = pli_material_find_input(resolved.law, "poisson");
    if (poisson >= 0 && resolved.inputs[poisson] < 0) {
        char found[PLI_QUANTITY_CAPACITY];
        pli_quantity_format(resolved.inputs[poisson], found);
        return pli_rules_refuse(r, visit, "poisson", &material->poisson,
                                "found '%s'; particles take 0 or more", found);
    }
    return check_numbers(r, visit);
}

// ---- bodies

// Keys of a body that mean something for meshes only.
static pli_status check_mesh_keys(const pli_rules *r, const pli_visit *visit)
{
    const pli_body_def *body = visit->holder;
    bool moved = body->motion.segment_count > 0 || body->motion.keyframe_count > 0;
    const pli_field *springs = pli_schema_find(&pli_body_schema, "springs");
    const struct {
        bool given;
        const char *key;
        const void *member;
    } keys[] = {
        {body->kind != PLI_BODY_SOLID, "kind", &body->kind},
        {body->thickness != 0, "thickness", &body->thickness},
        {body->bending != -1, "bending", &body->bending},
        {body->bending_model != PLI_BENDING_AUTO, "bending_model", &body->bending_model},
        {body->fold.angle > 0, "fold", &body->fold},
        {moved, "motion", &body->motion},
        {!pli_field_is_absent(springs, body), "springs", &body->springs},
        {body->start.kind > PLI_START_REST, "start", &body->start},
    };
    for (int32_t k = 0; k < PLI_COUNT_OF(keys); ++k) {
        if (!keys[k].given) continue;
        return pli_rules_refuse(r, visit, keys[k].key, keys[k].member,
                                "is for bodies of tetrahedra and triangles; particles fill a solid "
                                "that starts at rest: leave it out");
    }
    return PLI_OK;
}

// A shape that is stretched has no distance any more.
static pli_status check_scale(const pli_rules *r, const pli_visit *visit)
{
    const pli_body_def *body = visit->holder;
    const double *s = body->scale;
    if (s[0] == s[1] && s[0] == s[2]) return PLI_OK;
    return pli_rules_refuse(r, visit, "scale", body->scale,
                            "found [%g, %g, %g]; particles take the same scale along x, y and z",
                            s[0], s[1], s[2]);
}

static pli_status check_body_material(const pli_rules *r, const pli_visit *visit, const char *key,
                                      const char *const *name)
{
    if ((*name)[0] == '\0') {
        return pli_rules_refuse(r, visit, key, name, "is missing; expected a text");
    }
    return pli_rules_check_reference(r, visit, key, name, &r->materials, NULL);
}

static pli_status check_region(const pli_rules *r, const pli_visit *visit, int32_t index)
{
    const pli_body_def *body = visit->holder;
    const pli_region_def *region = &body->regions[index];
    char key[64];
    snprintf(key, sizeof key, "regions[%d].material", (int)index);
    PLI_TRY(check_body_material(r, visit, key, &region->material));
    bool named =
        region->where.kind == PLI_SELECT_GROUP || region->where.kind == PLI_SELECT_VERTICES;
    if (!named) return PLI_OK;
    snprintf(key, sizeof key, "regions[%d].where", (int)index);
    return pli_rules_refuse(r, visit, key, &region->where,
                            "found '%s', which particles have none of; use all, box, sphere or "
                            "half_space",
                            pli_selection_variants[region->where.kind]->name);
}

pli_status pli_rules_check_particles(const pli_rules *r, const pli_visit *visit)
{
    const pli_body_def *body = visit->holder;
    PLI_TRY(check_mesh_keys(r, visit));
    PLI_TRY(check_scale(r, visit));
    PLI_TRY(check_body_material(r, visit, "material", &body->material));
    for (int32_t k = 0; k < body->region_count; ++k) PLI_TRY(check_region(r, visit, k));
    return PLI_OK;
}

static pli_status check_stretch(const pli_rules *r, const pli_visit *visit)
{
    const pli_stretch_def *stretch = visit->holder;
    const double *random = stretch->random;
    if (stretch->random_count == 0) return PLI_OK;
    if (stretch->random_count != 2) {
        return pli_rules_refuse(r, visit, "random", &stretch->random,
                                "found %d numbers, expected two: the least and the most",
                                (int)stretch->random_count);
    }
    if (random[0] > random[1]) {
        return pli_rules_refuse(r, visit, "random", &stretch->random,
                                "found [%g, %g]; the least comes first", random[0], random[1]);
    }
    for (int k = 0; k < 3; ++k) {
        if (stretch->fixed[k] == 1) continue;
        return pli_rules_refuse(r, visit, "random", &stretch->random,
                                "there is a fixed stretch as well; particles have one of the two");
    }
    return PLI_OK;
}

// Explicit steps know one volume of all particles of a kind.
static pli_status check_volumes(const pli_rules *r, const pli_visit *visit)
{
    const pli_particles_def *particles = visit->holder;
    const pli_solver_kind *solver = pli_solver_kind_choose(r->def);
    if (particles->volumes == PLI_VOLUMES_SEEDED || solver == NULL) return PLI_OK;
    if (solver->of_particles == NULL || solver->grid != NULL) return PLI_OK;
    return pli_rules_refuse(r, visit, "volumes", &particles->volumes,
                            "found 'density', which is for implicit steps; solver %s has the same "
                            "volume for all particles of a body: use hot or newton, or seeded",
                            solver->info.name);
}

// Particles and meshes do not know of each other.
static pli_status check_body(const pli_rules *r, const pli_visit *visit)
{
    const pli_body_def *body = visit->holder;
    if (!r->has_particles || is_particles(body)) return PLI_OK;
    return pli_rules_refuse(r, visit, "geometry", &body->geometry,
                            "found a mesh in a scene of particles, which do not collide with it; "
                            "make it geometry: particles, or a collider");
}

// ---- emitters

static pli_status check_emission(const pli_rules *r, const pli_visit *visit)
{
    const pli_emitter_def *emitter = visit->holder;
    if (pli_names_find(&r->bodies, emitter->name) >= 0) {
        return pli_rules_refuse(r, visit, "", &emitter->name,
                                "there is a body of the name '%s', too; each part of a scene needs "
                                "a name of its own",
                                emitter->name);
    }
    PLI_TRY(
        pli_rules_check_reference(r, visit, "material", &emitter->material, &r->materials, NULL));
    PLI_TRY(pli_rules_check_rigid(r, visit, &emitter->motion,
                                  "because what streams out would not stay as dense as it is"));
    if (emitter->end == 0 || emitter->end > emitter->begin) return PLI_OK;
    char begin[PLI_QUANTITY_CAPACITY];
    char end[PLI_QUANTITY_CAPACITY];
    pli_quantity_format(emitter->begin, begin);
    pli_quantity_format(emitter->end, end);
    return pli_rules_refuse(r, visit, "end", &emitter->end,
                            "found '%s'; expected a time after begin, %s, or nothing for never",
                            end, begin);
}

// ---- the domain

static pli_status check_corners(const pli_rules *r, const pli_visit *visit)
{
    const pli_domain_def *domain = visit->holder;
    PLI_TRY(pli_rules_check_point(r, visit, "min", &domain->min, domain->min_count));
    PLI_TRY(pli_rules_check_point(r, visit, "max", &domain->max, domain->max_count));
    if (domain->min_count != domain->max_count) {
        bool low = domain->min_count > 0;
        return pli_rules_refuse(r, visit, low ? "min" : "max",
                                low ? (const void *)&domain->min : &domain->max,
                                "stands alone; give both corners of the room, or none");
    }
    for (int axis = 0; axis < domain->min_count; ++axis) {
        double cells = (domain->max[axis] - domain->min[axis]) / domain->cell;
        if (cells >= 1) continue;
        return pli_rules_refuse(r, visit, "max", &domain->max,
                                cells > 0 ? "is less than a cell from min along %c"
                                          : "must be greater than min along %c",
                                'x' + axis);
    }
    return PLI_OK;
}

static pli_status check_domain(const pli_rules *r, const pli_visit *visit)
{
    const pli_domain_def *domain = visit->holder;
    const pli_field *field = pli_schema_find(pli_scene_schema(), "domain");
    if (!r->has_particles) {
        if (pli_field_is_absent(field, r->def)) return PLI_OK;
        return pli_rules_refuse(r, visit, "", domain,
                                "is for particles, but the scene has none; make a body with "
                                "geometry: particles, or an emitter");
    }
    if (domain->cell == 0) {
        return pli_rules_refuse(r, visit, "cell", &domain->cell,
                                "is missing; scenes of particles need the edge of the grid's cells "
                                "(m), a tenth or less of the smallest thing that matters");
    }
    return check_corners(r, visit);
}

// ---- what else there is

static pli_status check_collider(const pli_rules *r, const pli_visit *visit)
{
    const pli_collider_def *collider = visit->holder;
    if (!r->has_particles) {
        if (collider->boundary == PLI_BOUNDARY_SEPARATE) return PLI_OK;
        return pli_rules_refuse(r, visit, "boundary", &collider->boundary,
                                "found '%s', which is for particles; bodies of tetrahedra and "
                                "triangles have method and friction",
                                pli_boundary_names[collider->boundary]);
    }
    if (collider->method != PLI_COLLIDER_AUTO) {
        return pli_rules_refuse(
            r, visit, "method", &collider->method,
            "found '%s', which is for vertices; leave it out, and say by boundary "
            "what becomes of particles",
            pli_schema_find(&pli_collider_schema, "method")->choices[collider->method]);
    }
    if (collider->stiffness > 0) {
        return pli_rules_refuse(r, visit, "stiffness", &collider->stiffness,
                                "is for vertices; particles meet a solid that does not give way");
    }
    if (collider->margin > 0) {
        return pli_rules_refuse(r, visit, "margin", &collider->margin,
                                "is for vertices; to keep particles away, enlarge the shape");
    }
    return PLI_OK;
}

static pli_status check_constraint(const pli_rules *r, const pli_visit *visit)
{
    if (!r->has_particles) return PLI_OK;
    return pli_rules_refuse(
        r, visit, "", NULL,
        "constrains vertices, and particles have none; fix them by a collider with "
        "boundary: sticky");
}

static pli_status check_attachment(const pli_rules *r, const pli_visit *visit)
{
    if (!r->has_particles) return PLI_OK;
    return pli_rules_refuse(r, visit, "", NULL,
                            "pulls vertices, and particles have none; move them by a collider with "
                            "boundary: sticky");
}

static pli_status check_load(const pli_rules *r, const pli_visit *visit)
{
    if (!r->has_particles) return PLI_OK;
    return pli_rules_refuse(r, visit, "", NULL,
                            "acts on vertices and surfaces of meshes, and particles have none; "
                            "gravity acts on them, and colliders move them");
}

static pli_status check_contact(const pli_rules *r, const pli_visit *visit)
{
    const pli_contact_def *contact = visit->holder;
    if (!r->has_particles || contact->method == PLI_CONTACT_NONE) return PLI_OK;
    return pli_rules_refuse(
        r, visit, "method", &contact->method,
        "found '%s', which is for meshes; particles meet on their grid: leave "
        "it out",
        pli_schema_find(&pli_contact_schema, "method")->choices[contact->method]);
}

static pli_status check_time(const pli_rules *r, const pli_visit *visit)
{
    const pli_time_def *time = &r->def->time;
    if (!r->has_particles) return PLI_OK;
    if (time->integrator != PLI_IMPLICIT_EULER) {
        return pli_rules_refuse(r, visit, "time.integrator", &time->integrator,
                                "found 'bdf2', which is for meshes; particles take implicit Euler "
                                "or explicit steps: leave it out");
    }
    if (time->mode != PLI_MODE_DYNAMIC) {
        return pli_rules_refuse(r, visit, "time.mode", &time->mode,
                                "found 'quasi-static', which is for meshes; particles have "
                                "inertia: leave it out");
    }
    return PLI_OK;
}

static pli_status check_solver(const pli_rules *r, const pli_visit *visit)
{
    const pli_solver_def *solver = visit->holder;
    // its own rule has shown that there is one
    const pli_solver_kind *kind = pli_solver_kind_choose(r->def);
    const pli_stepper_ops *stepper = r->has_particles ? kind->of_particles : kind->of_meshes;
    if (stepper != NULL) return PLI_OK;
    return pli_rules_refuse(r, visit, "name", &solver->name,
                            r->has_particles
                                ? "found '%s', which is for meshes; particles take auto, hot, "
                                  "regional, explicit or another solver of particles"
                                : "found '%s', which is for particles, but the scene has none; use "
                                  "auto, newton or another solver of meshes",
                            solver->name);
}

static pli_status check_steps(const pli_rules *r, const pli_visit *visit)
{
    const pli_steps_def *steps = visit->holder;
    if ((steps->longest & (steps->longest - 1)) == 0) return PLI_OK;
    int32_t below = 1;
    while (2 * below < steps->longest) below *= 2;
    return pli_rules_refuse(r, visit, "longest", &steps->longest,
                            "found '%d'; expected a power of two, such as %d or %d",
                            (int)steps->longest, (int)below, (int)(2 * below));
}

static const pli_rule rules[] = {
    {&pli_material_schema, check_material},     {&pli_body_schema, check_body},
    {&pli_emitter_schema, check_emission},      {&pli_domain_schema, check_domain},
    {&pli_collider_schema, check_collider},     {&pli_constraint_schema, check_constraint},
    {&pli_attachment_schema, check_attachment}, {&pli_contact_schema, check_contact},
    {&pli_solver_schema, check_solver},         {&pli_steps_schema, check_steps},
    {&pli_stretch_schema, check_stretch},       {&pli_particles_schema, check_volumes},
    {&pli_body_load_schema, check_load},        {&pli_cavity_schema, check_load},
};

pli_status pli_rules_check_matter(const pli_rules *r, const pli_visit *visit)
{
    if (visit->holder == r->def) return check_time(r, visit);
    return pli_rules_apply(r, visit, rules, PLI_COUNT_OF(rules));
}

// ---- shapes, once all their parts are right

// What is filled or streams out of has an end.
static pli_status check_bounded(const pli_rules *r, const pli_visit *visit,
                                const pli_variant *shape)
{
    pli_bounds bounds;
    PLI_TRY(pli_rules_try_shape(r, visit, shape, &bounds));
    if (pli_bounds_is_empty(&bounds) || pli_bounds_is_finite(&bounds)) return PLI_OK;
    return pli_rules_refuse(r, visit, "shape", shape,
                            "found a %s without end, which no number of particles fills; intersect "
                            "it with a box",
                            pli_rules_name_shape(shape));
}

pli_status pli_rules_check_matter_late(const pli_rules *r, const pli_visit *visit)
{
    if (visit->schema == &pli_particles_schema) {
        return check_bounded(r, visit, &((const pli_particles_def *)visit->holder)->shape);
    }
    if (visit->schema == &pli_emitter_schema) {
        return check_bounded(r, visit, &((const pli_emitter_def *)visit->holder)->shape);
    }
    return PLI_OK;
}
