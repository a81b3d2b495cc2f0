// SPDX-License-Identifier: Apache-2.0
#include "sim/report/probes.h"

#include "base/memory.h"
#include "contact/resultant.h"
#include "sim/model/barrier_build.h"
#include "sim/model/probe_build.h"
#include "sim/report/cells.h"
#include "sim/step/mesh_stepper.h"

#include <math.h>
#include <string.h>

struct pli_probes {
    pli_context *context;
    pli_resultant *constraints; // [constraint_count] of the last step
    pli_resultant *attachments; // [attachment_count]
    pli_cell_values cells;      // of the state measured last; NULL where nobody wants them
};

// ---- life

static bool wants(const pli_model_probes *wanted, pli_probe_of first, pli_probe_of last)
{
    for (int32_t k = 0; k < wanted->quantity_count; ++k) {
        const pli_model_quantity *quantity = &wanted->quantities[k];
        if (quantity->kind != PLI_QUANTITY_PLACE) continue;
        if (quantity->of >= (int32_t)first && quantity->of <= (int32_t)last) return true;
    }
    return false;
}

static pli_status allocate_cells(const pli_model *model, pli_cell_values *cells)
{
    pli_context *context = model->context;
    const pli_model_probes *wanted = model->probes;
    int64_t n = (int64_t)model->tet_count + model->shell_triangle_count;
    PLI_TRY(PLI_MAKE(context, cells->volume, n, "probes"));
    PLI_TRY(PLI_MAKE(context, cells->J, n, "probes"));
    if (wants(wanted, PLI_PROBE_STRESS, PLI_PROBE_VON_MISES)) {
        PLI_TRY(PLI_MAKE(context, cells->stress, 6 * n, "probes"));
    }
    if (wants(wanted, PLI_PROBE_LOG_STRAIN, PLI_PROBE_LOG_STRAIN)) {
        PLI_TRY(PLI_MAKE(context, cells->log_strain, 6 * n, "probes"));
    }
    if (wants(wanted, PLI_PROBE_GREEN_STRAIN, PLI_PROBE_GREEN_STRAIN)) {
        PLI_TRY(PLI_MAKE(context, cells->green_strain, 6 * n, "probes"));
    }
    return PLI_MAKE(context, cells->density, n, "probes");
}

pli_status pli_probes_create(pli_mesh_stepper *s, pli_probes **probes)
{
    const pli_model *model = s->model;
    *probes = NULL;
    if (pli_probe_count(model) == 0) return PLI_OK;
    pli_context *context = s->context;
    pli_probes *made = PLI_NEW(context, pli_probes, 1, "probes");
    if (made == NULL) return PLI_ERROR_MEMORY;
    *probes = made;
    made->context = context;
    PLI_TRY(PLI_MAKE(context, made->constraints, model->constraint_count, "probes"));
    PLI_TRY(PLI_MAKE(context, made->attachments, model->attachment_count, "probes"));
    return model->probes->wants_cells ? allocate_cells(model, &made->cells) : PLI_OK;
}

void pli_probes_destroy(pli_probes *probes)
{
    if (probes == NULL) return;
    pli_cell_values *cells = &probes->cells;
    PLI_RELEASE(probes->context, cells->stress, cells->log_strain, cells->green_strain, cells->J,
                cells->density, cells->volume, probes->attachments, probes->constraints, probes);
}

// ---- reactions

// Takes the moment about where the centre of a motion is at `time`.
static void move_to_center(const pli_motion *motion, double time, pli_resultant *sum)
{
    pli_pose pose;
    double center[3];
    pli_motion_get_pose(motion, time, &pose);
    pli_vec3_add(motion->center, pose.offset, center);
    pli_resultant_move(sum, center);
}

// The later of two constraints of a coordinate is first, and takes it out of the gradient.
static void sum_constraints(pli_mesh_stepper *s, double time, double *gradient)
{
    for (int32_t k = s->model->constraint_count - 1; k >= 0; --k) {
        const pli_model_handle *handle = &s->model->constraints[k];
        pli_resultant *sum = &s->probes->constraints[k];
        pli_pose pose;
        *sum = (pli_resultant){{0, 0, 0}, {0, 0, 0}};
        pli_motion_get_pose(&handle->motion, time, &pose);
        for (int32_t i = 0; i < handle->vertex_count && pose.active; ++i) {
            int64_t vertex = handle->vertices[i];
            double force[3] = {0, 0, 0};
            for (int axis = 0; axis < 3; ++axis) {
                if ((handle->axes & (1u << axis)) == 0) continue;
                force[axis] = gradient[3 * vertex + axis];
                gradient[3 * vertex + axis] = 0;
            }
            pli_resultant_add(sum, s->x + 3 * vertex, 1, force);
        }
        move_to_center(&handle->motion, time, sum);
    }
}

// The same for springs, whose stiffness is taken out.
static void sum_attachments(pli_mesh_stepper *s, double time, double *stiffness)
{
    memcpy(stiffness, s->attachment_stiffness, (size_t)s->model->vertex_count * sizeof *stiffness);
    for (int32_t k = s->model->attachment_count - 1; k >= 0; --k) {
        const pli_model_handle *handle = &s->model->attachments[k];
        pli_resultant *sum = &s->probes->attachments[k];
        pli_pose pose;
        *sum = (pli_resultant){{0, 0, 0}, {0, 0, 0}};
        pli_motion_get_pose(&handle->motion, time, &pose);
        for (int32_t i = 0; i < handle->vertex_count && pose.active; ++i) {
            int64_t vertex = handle->vertices[i];
            double stretch[3];
            pli_vec3_subtract(s->attachment_target + 3 * vertex, s->x + 3 * vertex, stretch);
            pli_resultant_add(sum, s->x + 3 * vertex, stiffness[vertex], stretch);
            stiffness[vertex] = 0;
        }
        move_to_center(&handle->motion, time, sum);
    }
}

// The gradient before what is constrained is taken out of it.
static void compute_gradient(const pli_mesh_stepper *s, double *gradient)
{
    memset(gradient, 0, 3 * (size_t)s->model->vertex_count * sizeof *gradient);
    for (int32_t k = 0; k < s->objective.term_count; ++k) {
        const pli_term *term = &s->objective.terms[k];
        term->ops->add_gradient(term->self, s->x, gradient);
    }
}

pli_status pli_probes_hear_step(pli_mesh_stepper *s, double time)
{
    if (s->probes == NULL) return PLI_OK;
    bool wanted = s->model->probes->wants_reactions && !s->solver->unmeasured;
    pli_contacts_sum_resultants(s->contacts, wanted);
    if (!wanted) return PLI_OK;
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    pli_status status = PLI_ERROR_MEMORY;
    double *gradient =
        pli_arena_doubles(s->scratch, 3 * (int64_t)s->model->vertex_count, "reactions");
    if (gradient == NULL) goto done;
    if (s->model->attachment_count > 0) sum_attachments(s, time, gradient);
    if (s->model->constraint_count > 0) {
        compute_gradient(s, gradient);
        sum_constraints(s, time, gradient);
    }
    status = PLI_OK;

done:
    pli_arena_end(s->scratch, mark);
    return status;
}

// ---- places

// Weighted mean of rows [..][size] of an array.
static void average(int32_t count, const int32_t *items, const double *weights, int32_t size,
                    const double *rows, double *mean)
{
    for (int32_t i = 0; i < size; ++i) mean[i] = 0;
    for (int32_t k = 0; k < count; ++k) {
        const double *row = rows + (int64_t)size * items[k];
        for (int32_t i = 0; i < size; ++i) mean[i] += weights[k] * row[i];
    }
}

static void average_vertices(const pli_model_place *place, const double *rows, double mean[3])
{
    average(place->vertex_count, place->vertices, place->vertex_weights, 3, rows, mean);
}

static void average_cells(const pli_model_place *place, int32_t size, const double *rows,
                          double *mean)
{
    average(place->cell_count, place->cells, place->cell_weights, size, rows, mean);
}

// Mass, momentum and kinetic energy of all vertices of a place.
static void sum_motion(const pli_model *model, const pli_model_place *place, const double *v,
                       double *mass, double momentum[3], double *kinetic)
{
    *mass = *kinetic = 0;
    pli_vec3_set(0, 0, 0, momentum);
    for (int32_t k = 0; k < place->vertex_count; ++k) {
        int64_t vertex = place->vertices[k];
        double m = model->mass[vertex];
        *mass += m;
        pli_vec3_add_scaled(momentum, m, v + 3 * vertex, momentum);
        *kinetic += 0.5 * m * pli_vec3_norm2(v + 3 * vertex);
    }
}

// Sums of factor times volume at rest over the cells of a place.
static double sum_cells(const pli_probes *probes, const pli_model_place *place,
                        const double *factor)
{
    double sum = 0;
    for (int32_t k = 0; k < place->cell_count; ++k) {
        sum += factor[place->cells[k]] * probes->cells.volume[place->cells[k]];
    }
    return sum;
}

static void measure_place(const pli_mesh_stepper *s, const pli_state *state,
                          const pli_model_place *place, pli_probe_of of, double *values)
{
    const pli_probes *probes = s->probes;
    const pli_cell_values *cells = &probes->cells;
    double rest[3], mass, momentum[3], kinetic, stress[6];
    switch (of) {
    case PLI_PROBE_POSITION: average_vertices(place, state->x, values); break;
    case PLI_PROBE_DISPLACEMENT:
        average_vertices(place, state->x, values);
        average_vertices(place, s->model->rest, rest);
        pli_vec3_subtract(values, rest, values);
        break;
    case PLI_PROBE_VELOCITY: average_vertices(place, state->v, values); break;
    case PLI_PROBE_MOMENTUM: sum_motion(s->model, place, state->v, &mass, values, &kinetic); break;
    case PLI_PROBE_MASS: sum_motion(s->model, place, state->v, values, momentum, &kinetic); break;
    case PLI_PROBE_KINETIC: sum_motion(s->model, place, state->v, &mass, momentum, values); break;
    case PLI_PROBE_VOLUME: values[0] = sum_cells(probes, place, cells->J); break;
    case PLI_PROBE_ELASTIC: values[0] = sum_cells(probes, place, cells->density); break;
    case PLI_PROBE_J: average_cells(place, 1, cells->J, values); break;
    case PLI_PROBE_STRESS: average_cells(place, 6, cells->stress, values); break;
    case PLI_PROBE_PRINCIPAL:
        average_cells(place, 6, cells->stress, stress);
        pli_principal_from(stress, values, NULL);
        break;
    case PLI_PROBE_VON_MISES:
        average_cells(place, 6, cells->stress, stress);
        values[0] = pli_von_mises_from(stress);
        break;
    case PLI_PROBE_LOG_STRAIN: average_cells(place, 6, cells->log_strain, values); break;
    case PLI_PROBE_GREEN_STRAIN: average_cells(place, 6, cells->green_strain, values); break;
    case PLI_PROBE_DENSITY: average_cells(place, 1, cells->density, values); break;
    case PLI_PROBE_OF_COUNT: break;
    }
}

static double measure_distance(const pli_model_probes *wanted, const double *x, int32_t first,
                               int32_t second)
{
    double a[3], b[3];
    average_vertices(&wanted->places[first], x, a);
    average_vertices(&wanted->places[second], x, b);
    pli_vec3_subtract(a, b, a);
    return pli_vec3_norm(a);
}

// ---- resultants

// Whether one of those that take part in contact by barriers is, or is of, a part of a probe.
static bool is_of_part(const pli_model *model, int32_t thing, int32_t part)
{
    if (part < 0) return thing == pli_barrier_thing(model, -1 - part);
    return thing < model->body_count && model->bodies[thing].source == part;
}

// What the second part does to the first, copies and all.
static pli_resultant contact_resultant(const pli_mesh_stepper *s, int32_t first, int32_t second)
{
    pli_resultant sum = {{0, 0, 0}, {0, 0, 0}};
    int32_t things = pli_model_things(s->model) + s->model->collider_count;
    for (int32_t i = 0; i < things; ++i) {
        if (!is_of_part(s->model, i, first)) continue;
        for (int32_t k = 0; k < things; ++k) {
            if (k == i || !is_of_part(s->model, k, second)) continue;
            pli_resultant pair = pli_contacts_pair_resultant(s->contacts, i, k);
            pli_resultant_merge(&sum, 1, &pair);
        }
    }
    return sum;
}

static pli_resultant find_resultant(const pli_mesh_stepper *s, const pli_model_quantity *quantity)
{
    switch (quantity->kind) {
    case PLI_QUANTITY_CONSTRAINT: return s->probes->constraints[quantity->source];
    case PLI_QUANTITY_ATTACHMENT: return s->probes->attachments[quantity->source];
    case PLI_QUANTITY_COLLIDER: return pli_contacts_resultant(s->contacts, quantity->source);
    default: return contact_resultant(s, quantity->source, quantity->other);
    }
}

static void measure_resultant(const pli_mesh_stepper *s, const pli_model_quantity *quantity,
                              double time, bool after_step, double *values)
{
    if (quantity->of == PLI_PART_TRAVEL) {
        pli_pose pose;
        pli_motion_get_pose(&s->model->constraints[quantity->source].motion, time, &pose);
        pli_vec3_copy(pose.offset, values);
        return;
    }
    if (!after_step) return;
    pli_resultant sum = find_resultant(s, quantity);
    pli_vec3_copy(quantity->of == PLI_PART_FORCE ? sum.force : sum.moment, values);
}

pli_status pli_probes_measure(pli_mesh_stepper *s, const pli_state *state, bool after_step,
                              pli_step_report *report)
{
    pli_probes *probes = s->probes;
    if (probes == NULL) return PLI_OK;
    const pli_model_probes *wanted = s->model->probes;
    if (wanted->wants_cells) PLI_TRY(pli_cells_measure(s, state, &probes->cells));
    for (int32_t k = 0; k < wanted->quantity_count; ++k) {
        const pli_model_quantity *quantity = &wanted->quantities[k];
        double *values = s->solver->probe_values[k].values;
        s->solver->probe_values[k] = pli_probe_blank(wanted, k);
        if (quantity->kind == PLI_QUANTITY_PLACE) {
            measure_place(s, state, &wanted->places[quantity->source], (pli_probe_of)quantity->of,
                          values);
        } else if (quantity->kind == PLI_QUANTITY_DISTANCE) {
            values[0] = measure_distance(wanted, state->x, quantity->source, quantity->other);
        } else {
            measure_resultant(s, quantity, pli_state_time(state), after_step, values);
        }
    }
    report->probe_count = wanted->quantity_count;
    report->probes = s->solver->probe_values;
    return PLI_OK;
}
