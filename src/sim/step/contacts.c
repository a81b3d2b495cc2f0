// SPDX-License-Identifier: Apache-2.0
#include "sim/step/contacts.h"

#include "base/memory.h"
#include "contact/postprocess.h"
#include "math/mat3.h"
#include "sim/model/barrier_build.h"

#include <math.h>
#include <string.h>

struct pli_contacts {
    pli_context *context;
    const pli_model *model;
    const uint8_t *fixed;
    pli_timers *timers;

    // colliders, in parts
    int32_t collider_count;
    pli_collider *colliders;
    pli_collision_def def;
    pli_constraint *constraint; // NULL: no collider is one
    int32_t penalty_count;
    pli_penalty penalties[2]; // [penalty_count] the laws that are in use
    bool has_postprocess;
    pli_collision_report postprocessed; // what the last step's found

    // bodies against bodies
    pli_self_collision *bodies; // NULL: they do not collide
    double *friction_mass;      // [vertex_count] kg, infinite where vertices are held

    // bodies and planes that never touch
    pli_ipc *ipc; // NULL: no barriers
    int32_t pair_room;
    pli_contact_pair *pairs; // [pair_room] of the last report

    // what colliders of the scene do to bodies; [part] of those that are none of barriers
    bool sums_resultants;
    pli_resultant *resultants; // [collider_count]

    // what was found at the positions that were looked at last
    pli_self_collision_report bodies_found;
    pli_ipc_report barrier_found;
};

// ---- creation

static bool has_method(const pli_contacts *c, pli_collider_method method)
{
    for (int32_t k = 0; k < c->collider_count; ++k) {
        if (c->colliders[k].method == method) return true;
    }
    return false;
}

static void init_part(const pli_model_collider *from, int32_t source, int32_t part,
                      pli_collider *collider)
{
    pli_collider_init(collider, from->parts[part], from->method);
    collider->name = from->name;
    collider->source = source;
    collider->friction = from->friction;
    collider->stiffness = from->stiffness;
    collider->margin = from->margin;
    pli_vec3_copy(from->motion.center, collider->center);
}

static pli_status create_colliders(pli_contacts *c)
{
    const pli_model *model = c->model;
    int32_t count = 0;
    for (int32_t k = 0; k < model->collider_count; ++k) count += model->colliders[k].part_count;
    if (count == 0) return PLI_OK;
    PLI_TRY(PLI_MAKE(c->context, c->colliders, count, "colliders"));
    PLI_TRY(PLI_MAKE(c->context, c->resultants, count, "resultants"));
    for (int32_t k = 0; k < model->collider_count; ++k) {
        for (int32_t part = 0; part < model->colliders[k].part_count; ++part) {
            init_part(&model->colliders[k], k, part, &c->colliders[c->collider_count++]);
        }
    }
    c->def = (pli_collision_def){.point_count = model->vertex_count,
                                 .fixed = c->fixed,
                                 .collider_count = c->collider_count,
                                 .colliders = c->colliders,
                                 .size = model->size};
    PLI_TRY(pli_collision_check(c->context, &c->def));
    if (has_method(c, PLI_COLLIDER_PENALTY)) {
        c->penalties[c->penalty_count++] = (pli_penalty){c->context, c->def, false};
    }
    if (has_method(c, PLI_COLLIDER_QUADRATIC)) {
        c->penalties[c->penalty_count++] = (pli_penalty){c->context, c->def, true};
    }
    c->has_postprocess = has_method(c, PLI_COLLIDER_POSTPROCESS);
    if (!has_method(c, PLI_COLLIDER_CONSTRAINT)) return PLI_OK;
    return pli_constraint_create(c->context, &c->def, &c->constraint);
}

// First vertices and tetrahedra of all bodies, [body_count + 1] each.
static void list_ranges(const pli_model *model, int32_t *first_vertex, int32_t *first_tet)
{
    for (int32_t k = 0; k < model->body_count; ++k) {
        first_vertex[k] = model->bodies[k].first_vertex;
        first_tet[k] = model->bodies[k].first_cell;
    }
    first_vertex[model->body_count] = model->vertex_count;
    first_tet[model->body_count] = model->cell_count;
}

pli_status pli_contacts_create_bodies(const pli_model *model, pli_timers *timers,
                                      pli_self_collision **bodies)
{
    *bodies = NULL;
    if (model->contact.method != PLI_CONTACT_PENALTY) return PLI_OK;
    int64_t range_count = (int64_t)model->body_count + 1;
    int32_t *ranges = PLI_NEW(model->context, int32_t, 2 * range_count, "ranges of bodies");
    if (ranges == NULL) return PLI_ERROR_MEMORY;
    list_ranges(model, ranges, ranges + range_count);
    pli_self_collision_def def = {.vertex_count = model->vertex_count,
                                  .rest = model->rest,
                                  .tet_count = model->cell_count,
                                  .tets = model->cells,
                                  .body_count = model->body_count,
                                  .first_vertex = ranges,
                                  .first_tet = ranges + range_count,
                                  .triangle_count = model->surface_triangle_count,
                                  .triangles = model->surface_triangles,
                                  .stiffness = model->contact.stiffness,
                                  .friction = model->contact.friction,
                                  .self = model->contact.self,
                                  .timers = timers};
    pli_status status = pli_self_collision_create(model->context, &def, bodies);
    pli_release(model->context, ranges);
    return status;
}

static pli_status create_bodies(pli_contacts *c)
{
    PLI_TRY(pli_contacts_create_bodies(c->model, c->timers, &c->bodies));
    if (c->bodies == NULL) return PLI_OK;
    c->friction_mass = PLI_NEW(c->context, double, c->model->vertex_count, "masses of friction");
    return c->friction_mass != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

pli_status pli_contacts_create(const pli_model *model, const uint8_t *fixed, pli_timers *timers,
                               pli_contacts **contacts)
{
    *contacts = NULL;
    if (model->collider_count == 0 && model->contact.method == PLI_CONTACT_NONE) return PLI_OK;
    pli_contacts *made = PLI_NEW(model->context, pli_contacts, 1, "contacts");
    if (made == NULL) return PLI_ERROR_MEMORY;
    *made = (pli_contacts){.context = model->context,
                           .model = model,
                           .fixed = fixed,
                           .timers = timers,
                           .postprocessed = {.min_gap = INFINITY}};
    pli_status status = create_colliders(made);
    if (status == PLI_OK) status = create_bodies(made);
    if (status == PLI_OK && model->contact.method == PLI_CONTACT_BARRIER) {
        status = pli_barrier_create(model, timers, &made->ipc);
    }
    if (status != PLI_OK) {
        pli_contacts_destroy(made);
        return status;
    }
    *contacts = made;
    return PLI_OK;
}

void pli_contacts_destroy(pli_contacts *contacts)
{
    if (contacts == NULL) return;
    pli_context *context = contacts->context;
    pli_release(context, contacts->pairs);
    pli_ipc_destroy(contacts->ipc);
    pli_release(context, contacts->friction_mass);
    pli_self_collision_destroy(contacts->bodies);
    pli_constraint_destroy(contacts->constraint);
    PLI_RELEASE(context, contacts->resultants, contacts->colliders);
    pli_release(context, contacts);
}

void pli_contacts_add(pli_contacts *contacts, pli_objective *objective)
{
    if (contacts == NULL) return;
    for (int32_t k = 0; k < contacts->penalty_count; ++k) {
        pli_objective_add_as(objective, PLI_TERM_CONTACT, &pli_penalty_term,
                             &contacts->penalties[k]);
    }
    if (contacts->bodies != NULL) {
        pli_objective_add_as(objective, PLI_TERM_CONTACT, &pli_self_collision_term,
                             contacts->bodies);
    }
    if (contacts->ipc != NULL) {
        pli_objective_add_as(objective, PLI_TERM_BARRIER, &pli_ipc_term, contacts->ipc);
    }
    if (contacts->constraint != NULL) {
        objective->projection =
            (pli_feasible_set){&pli_constraint_projection, contacts->constraint};
    }
}

pli_ipc *pli_contacts_barrier(pli_contacts *contacts)
{
    return contacts != NULL ? contacts->ipc : NULL;
}

// ---- before the solve

static void set_pose(const pli_motion *motion, double time, bool *active, pli_rigid_pose *to)
{
    pli_pose pose;
    pli_motion_get_pose(motion, time, &pose);
    *active = pose.active;
    pli_mat3_copy(pose.A, to->R); // rigid: scenes refuse colliders that stretch
    pli_vec3_copy(pose.offset, to->offset);
}

void pli_contacts_begin_step(pli_contacts *contacts, double begin_time, double end_time)
{
    if (contacts == NULL) return;
    for (int32_t k = 0; k < contacts->collider_count; ++k) {
        pli_collider *collider = &contacts->colliders[k];
        const pli_motion *motion = &contacts->model->colliders[collider->source].motion;
        bool was_active = false;
        set_pose(motion, begin_time, &was_active, &collider->before);
        set_pose(motion, end_time, &collider->active, &collider->now);
    }
}

// ---- what touches

static pli_status reserve_pairs(pli_contacts *c, int32_t count)
{
    if (count <= c->pair_room) return PLI_OK;
    pli_contact_pair *grown =
        pli_reallocate(c->context, c->pairs, 2 * count, sizeof *grown, "pairs in contact");
    if (grown == NULL) return PLI_ERROR_MEMORY;
    c->pairs = grown;
    c->pair_room = 2 * count;
    return PLI_OK;
}

static pli_status find_barrier(pli_contacts *c, const double *x)
{
    if (c->ipc == NULL) return PLI_OK;
    PLI_TRY(pli_ipc_measure(c->ipc, x, &c->barrier_found));
    return reserve_pairs(c, c->barrier_found.pair_count);
}

static void find_bodies(pli_contacts *c, const double *x, double *forces)
{
    if (c->bodies != NULL) pli_self_collision_measure(c->bodies, x, &c->bodies_found, forces);
}

pli_status pli_contacts_find(pli_contacts *contacts, const double *x)
{
    if (contacts == NULL) return PLI_OK;
    return find_barrier(contacts, x);
}

// ---- after the solve

static pli_resultant *wanted_sums(const pli_contacts *c)
{
    return c->sums_resultants ? c->resultants : NULL;
}

static double apply_postprocess(pli_contacts *c, pli_state *state)
{
    c->postprocessed = (pli_collision_report){.min_gap = INFINITY};
    if (!c->has_postprocess) return 0;
    pli_postprocess_state after = {state->dt, c->model->mass, state->x, state->v, wanted_sums(c)};
    pli_postprocess_apply(c->context, &c->def, &after, &c->postprocessed);
    return c->postprocessed.energy;
}

static double apply_friction(pli_contacts *c, pli_state *state)
{
    const pli_model *model = c->model;
    double work = 0;
    if (c->constraint != NULL) {
        work += pli_constraint_apply_friction(c->constraint, state->x, model->mass, state->dt,
                                              state->v);
    }
    for (int32_t k = 0; k < c->penalty_count; ++k) {
        work += pli_penalty_apply_friction(&c->penalties[k], state->x, model->mass, state->dt,
                                           state->v, wanted_sums(c));
    }
    if (c->bodies != NULL && model->contact.friction > 0) {
        for (int32_t k = 0; k < model->vertex_count; ++k) {
            c->friction_mass[k] = c->fixed[k] != 0 ? INFINITY : model->mass[k];
        }
        work += pli_self_collision_apply_friction(c->bodies, state->x, c->friction_mass, state->dt,
                                                  state->v);
    }
    return work;
}

// What the friction of barriers did: its force times velocity and time step.
static double barrier_friction_work(const pli_contacts *c, pli_state *state)
{
    if (c->ipc == NULL) return 0;
    pli_sum sum = {0, 0};
    for (int64_t k = 0; k < 3 * (int64_t)state->vertex_count; ++k) {
        pli_sum_add(&sum, state->friction_force[k] * state->v[k] * state->dt);
    }
    return pli_sum_value(sum);
}

// Fills the state's forces of contact and friction.
static void sum_forces(pli_contacts *c, pli_state *state)
{
    double *forces = state->contact_force;
    if (c->ipc != NULL) {
        // nothing else is beside barriers
        pli_ipc_fill_forces(c->ipc, forces, state->friction_force);
        return;
    }
    memset(forces, 0, 3 * (size_t)state->vertex_count * sizeof(double));
    find_bodies(c, state->x, forces); // overwrites
    if (c->constraint != NULL) pli_constraint_add_forces(c->constraint, forces);
    for (int32_t k = 0; k < c->penalty_count; ++k) {
        pli_penalty_add_forces(&c->penalties[k], state->x, forces);
    }
}

// Forces of contact that are not summed on the way, once friction has been applied.
static void sum_resultants(pli_contacts *c, const pli_state *state)
{
    if (!c->sums_resultants) return;
    for (int32_t k = 0; k < c->penalty_count; ++k) {
        pli_penalty_add_resultants(&c->penalties[k], state->x, c->resultants);
    }
    if (c->constraint == NULL) return;
    pli_constraint_add_resultants(c->constraint, state->x, state->dt, c->resultants);
}

double pli_contacts_finish_step(pli_contacts *contacts, pli_state *state)
{
    if (contacts == NULL) return 0;
    pli_timers_begin(contacts->timers, "friction");
    if (contacts->sums_resultants && contacts->collider_count > 0) {
        memset(contacts->resultants, 0,
               (size_t)contacts->collider_count * sizeof *contacts->resultants);
    }
    double work = apply_postprocess(contacts, state);
    sum_forces(contacts, state);
    // without inertia there are no velocities to brake
    if (contacts->model->time.mode == PLI_MODE_DYNAMIC) work += apply_friction(contacts, state);
    work += barrier_friction_work(contacts, state);
    sum_resultants(contacts, state);
    if (contacts->ipc != NULL) state->barrier_stiffness = pli_ipc_stiffness(contacts->ipc);
    pli_timers_end(contacts->timers);
    return work;
}

// ---- what it amounts to

void pli_contacts_sum_resultants(pli_contacts *contacts, bool wanted)
{
    if (contacts != NULL) contacts->sums_resultants = wanted;
}

pli_resultant pli_contacts_pair_resultant(const pli_contacts *c, int32_t first, int32_t second)
{
    pli_resultant sum = {{0, 0, 0}, {0, 0, 0}};
    for (int32_t k = 0; c != NULL && k < c->barrier_found.pair_count; ++k) {
        const pli_ipc_pair *pair = &c->barrier_found.pairs[k];
        if (pair->first == first && pair->second == second) return pair->sum;
        if (pair->first == second && pair->second == first) {
            pli_resultant_merge(&sum, -1, &pair->sum);
        }
    }
    return sum;
}

// Of a plane or a surface that barriers keep bodies away from: of all pairs that it is one of.
static pli_resultant barrier_resultant(const pli_contacts *c, int32_t thing)
{
    pli_resultant sum = {{0, 0, 0}, {0, 0, 0}};
    for (int32_t k = 0; k < c->barrier_found.pair_count; ++k) {
        const pli_ipc_pair *pair = &c->barrier_found.pairs[k];
        if (pair->second == thing) pli_resultant_merge(&sum, 1, &pair->sum);
        if (pair->first == thing) pli_resultant_merge(&sum, -1, &pair->sum);
    }
    return sum;
}

pli_resultant pli_contacts_resultant(const pli_contacts *c, int32_t collider)
{
    pli_resultant sum = {{0, 0, 0}, {0, 0, 0}};
    double center[3] = {0, 0, 0};
    int32_t thing = pli_barrier_thing(c->model, collider);
    if (thing >= 0) sum = barrier_resultant(c, thing);
    for (int32_t k = 0; k < c->collider_count; ++k) {
        const pli_collider *part = &c->colliders[k];
        if (part->source != collider) continue;
        pli_vec3_add(part->center, part->now.offset, center);
        if (thing < 0) pli_resultant_merge(&sum, 1, &c->resultants[k]);
    }
    pli_resultant_move(&sum, center);
    return sum;
}

static void add_report(const pli_collision_report *from, pli_step_report *report)
{
    report->contacts += (int32_t)from->contacts;
    report->min_gap = fmin(report->min_gap, from->min_gap);
    report->max_depth = fmax(report->max_depth, from->max_depth);
}

static void list_pairs(const pli_contacts *c, pli_step_report *report)
{
    const pli_ipc_report *found = &c->barrier_found;
    for (int32_t k = 0; k < found->pair_count; ++k) {
        const pli_ipc_pair *from = &found->pairs[k];
        pli_contact_pair *to = &c->pairs[k];
        *to = (pli_contact_pair){.first = pli_barrier_name(c->model, from->first),
                                 .second = pli_barrier_name(c->model, from->second),
                                 .contacts = from->contacts,
                                 .min_gap = from->min_gap};
        pli_vec3_copy(from->normal, to->normal_force);
        pli_vec3_copy(from->friction, to->friction_force);
    }
    report->pair_count = found->pair_count;
    report->pairs = c->pairs;
}

static void add_barrier(const pli_contacts *c, pli_step_report *report)
{
    const pli_ipc_report *found = &c->barrier_found;
    report->contacts += (int32_t)found->contacts;
    report->min_gap = fmin(report->min_gap, found->min_gap);
    report->energy.contact += found->barrier_energy;
    report->barrier_distance = c->model->contact.distance;
    report->barrier_stiffness = pli_ipc_stiffness(c->ipc);
    list_pairs(c, report);
}

static void add_bodies(const pli_contacts *c, pli_step_report *report)
{
    report->contacts += c->bodies_found.contact_count;
    report->max_depth = fmax(report->max_depth, c->bodies_found.max_depth);
    report->energy.contact += c->bodies_found.energy;
}

pli_status pli_contacts_measure_gaps(pli_contacts *contacts, const double *x, double *gaps)
{
    if (contacts == NULL || contacts->ipc == NULL) return PLI_OK;
    pli_ipc_report found;
    PLI_TRY(pli_ipc_measure(contacts->ipc, x, &found));
    pli_ipc_fill_gaps(contacts->ipc, gaps);
    return PLI_OK;
}

pli_status pli_contacts_measure(pli_contacts *contacts, const pli_state *state, bool found,
                                pli_step_report *report)
{
    report->min_gap = INFINITY;
    if (contacts == NULL) return PLI_OK;
    if (!found) {
        find_bodies(contacts, state->x, NULL);
        PLI_TRY(find_barrier(contacts, state->x));
    }
    report->collides = true;
    pli_collision_report touched;
    if (contacts->constraint != NULL) {
        pli_constraint_measure(contacts->constraint, state->x, &touched);
        add_report(&touched, report);
    }
    for (int32_t k = 0; k < contacts->penalty_count; ++k) {
        pli_penalty_measure(&contacts->penalties[k], state->x, &touched);
        add_report(&touched, report);
        report->energy.contact += touched.energy;
    }
    if (contacts->has_postprocess) add_report(&contacts->postprocessed, report);
    if (contacts->bodies != NULL) add_bodies(contacts, report);
    if (contacts->ipc != NULL) add_barrier(contacts, report);
    report->energy.total += report->energy.contact;
    return PLI_OK;
}
