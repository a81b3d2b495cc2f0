// SPDX-License-Identifier: Apache-2.0
//
// Friction that is frozen, and what contact amounts to: forces, gaps, resultants of pairs.
#include "contact/ipc_inside.h"

#include "base/memory.h"
#include "contact/stencil.h"

#include <math.h>
#include <string.h>

// ---- friction

static void freeze_contact(pli_ipc *ipc, const pli_ipc_contact *contact, const double *x)
{
    pli_contact_stencil stencil = contact->stencil;
    stencil.friction = ipc->rules.friction(ipc->rules.user, contact->bodies[0], contact->bodies[1]);
    if (!(stencil.friction > 0)) return;
    double points[PLI_CONTACT_DOFS];
    pli_contact_gather(&stencil, x, points);
    pli_ipc_tangential *tangential = &ipc->tangentials[ipc->tangential_count];
    pli_friction_freeze(&stencil, &ipc->barrier, points, &tangential->friction);
    if (!(tangential->friction.limit > 0)) return;
    memcpy(tangential->vertices, stencil.vertices, sizeof tangential->vertices);
    memcpy(tangential->bodies, contact->bodies, sizeof tangential->bodies);
    ++ipc->tangential_count;
}

pli_status pli_ipc_freeze_friction(pli_ipc *ipc, const double *x, const double *start, double slip)
{
    PLI_ASSERT(ipc->context, slip > 0);
    ipc->friction_slip = slip;
    ipc->tangential_count = 0;
    ipc->start = start;
    if (ipc->rules.friction == NULL) return PLI_OK;
    pli_ipc_detect(ipc, x);
    PLI_TRY(pli_ipc_tell(ipc));
    pli_ipc_begin(ipc, "friction");
    pli_status status = pli_ipc_grow(ipc, (void **)&ipc->tangentials, &ipc->tangential_room,
                                     ipc->contact_count, sizeof *ipc->tangentials);
    for (int64_t c = 0; status == PLI_OK && c < ipc->contact_count; ++c) {
        freeze_contact(ipc, &ipc->contacts[c], x);
    }
    pli_ipc_end(ipc);
    return status;
}

bool pli_ipc_has_friction(const pli_ipc *ipc)
{
    return ipc->rules.friction != NULL;
}

// ---- pairs of bodies

static pli_status reserve_pairs(pli_ipc *ipc)
{
    if (ipc->pair_count < ipc->pair_room) return PLI_OK;
    int32_t wanted = 16 + 2 * ipc->pair_room;
    PLI_TRY(PLI_RESIZE(ipc->context, ipc->pair_list, wanted, "pairs in contact"));
    ipc->pair_room = wanted;
    return PLI_OK;
}

static bool is_before(const pli_ipc_pair *pair, int32_t first, int32_t second)
{
    return pair->first != first ? pair->first < first : pair->second < second;
}

// Finds the pair of two bodies in the sorted list, or makes it.
static pli_status find_pair(pli_ipc *ipc, int32_t first, int32_t second, pli_ipc_pair **pair)
{
    int32_t low = 0, high = ipc->pair_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (is_before(&ipc->pair_list[middle], first, second)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *pair = &ipc->pair_list[low];
    if (low < ipc->pair_count && (*pair)->first == first && (*pair)->second == second) {
        return PLI_OK;
    }
    PLI_TRY(reserve_pairs(ipc));
    *pair = &ipc->pair_list[low];
    memmove(*pair + 1, *pair, (size_t)(ipc->pair_count - low) * sizeof **pair);
    **pair = (pli_ipc_pair){.first = first, .second = second, .min_gap = INFINITY};
    ++ipc->pair_count;
    return PLI_OK;
}

// Adds the force on the body with the lower number, from the gradient [points][3] of one stencil at
// x [points][3], to the force of its kind and to the resultant. Within a body forces cancel.
static void sum_force(const int32_t *body_of, const int32_t *vertices, int32_t points,
                      const int32_t bodies[2], const double *x, const double *gradient,
                      double *force, pli_resultant *sum)
{
    int32_t lower = bodies[0] < bodies[1] ? bodies[0] : bodies[1];
    if (bodies[0] == bodies[1]) return;
    for (int32_t i = 0; i < points; ++i) {
        if (body_of[vertices[i]] != lower) continue;
        pli_vec3_subtract(force, gradient + 3 * i, force);
        pli_resultant_add(sum, x + 3 * i, -1, gradient + 3 * i);
    }
}

static pli_status get_pair(pli_ipc *ipc, const int32_t bodies[2], pli_ipc_pair **pair)
{
    bool ordered = bodies[0] <= bodies[1];
    return find_pair(ipc, bodies[!ordered], bodies[ordered], pair);
}

static pli_status add_contacts(pli_ipc *ipc)
{
    for (int64_t c = 0; c < ipc->contact_count; ++c) {
        const pli_ipc_contact *contact = &ipc->contacts[c];
        const pli_contact_stencil *stencil = &contact->stencil;
        double x[PLI_CONTACT_DOFS], gradient[PLI_CONTACT_DOFS];
        pli_ipc_pair *pair;
        PLI_TRY(get_pair(ipc, contact->bodies, &pair));
        ++pair->contacts;
        pair->min_gap = fmin(pair->min_gap, contact->distance);
        pli_contact_gather(stencil, ipc->x, x);
        pli_contact_evaluate(stencil, &ipc->barrier, x, false, gradient, NULL);
        sum_force(ipc->body_of, stencil->vertices, pli_contact_point_count(stencil->kind),
                  contact->bodies, x, gradient, pair->normal, &pair->sum);
    }
    return PLI_OK;
}

// Returns through work what friction did over the slip since start.
static pli_status add_tangential(pli_ipc *ipc, double *work)
{
    pli_sum sum = {0, 0};
    for (int64_t c = 0; c < ipc->tangential_count; ++c) {
        const pli_ipc_tangential *tangential = &ipc->tangentials[c];
        double x[PLI_CONTACT_DOFS], start[PLI_CONTACT_DOFS], gradient[PLI_CONTACT_DOFS];
        int32_t points = tangential->friction.point_count;
        for (int32_t i = 0; i < points; ++i) {
            pli_vec3_copy(ipc->x + 3 * (int64_t)tangential->vertices[i], x + 3 * i);
            pli_vec3_copy(ipc->start + 3 * (int64_t)tangential->vertices[i], start + 3 * i);
        }
        pli_friction_evaluate(&tangential->friction, ipc->friction_slip, x, start, gradient, NULL);
        for (int32_t k = 0; k < 3 * points; ++k)
            pli_sum_add(&sum, -gradient[k] * (x[k] - start[k]));
        pli_ipc_pair *pair;
        PLI_TRY(get_pair(ipc, tangential->bodies, &pair));
        sum_force(ipc->body_of, tangential->vertices, points, tangential->bodies, x, gradient,
                  pair->friction, &pair->sum);
    }
    *work = pli_sum_value(sum);
    return PLI_OK;
}

pli_status pli_ipc_measure(pli_ipc *ipc, const double *x, pli_ipc_report *report)
{
    *report = (pli_ipc_report){.min_gap = INFINITY};
    pli_ipc_detect(ipc, x);
    PLI_TRY(pli_ipc_tell(ipc));
    ipc->pair_count = 0;
    PLI_TRY(add_contacts(ipc));
    PLI_TRY(add_tangential(ipc, &report->friction_work));
    report->contacts = ipc->contact_count;
    report->barrier_energy = pli_sum_value(pli_ipc_energy_of(ipc, false));
    report->pair_count = ipc->pair_count;
    report->pairs = ipc->pair_list;
    for (int32_t k = 0; k < ipc->pair_count; ++k) {
        report->min_gap = fmin(report->min_gap, ipc->pair_list[k].min_gap);
    }
    return PLI_OK;
}

// ---- vertices

void pli_ipc_fill_gaps(const pli_ipc *ipc, double *gaps)
{
    for (int32_t k = 0; k < ipc->vertex_count; ++k) gaps[k] = ipc->barrier.dhat;
    for (int64_t c = 0; c < ipc->contact_count; ++c) {
        const pli_ipc_contact *contact = &ipc->contacts[c];
        int32_t points = pli_contact_point_count(contact->stencil.kind);
        for (int32_t i = 0; i < points; ++i) {
            double *gap = &gaps[contact->stencil.vertices[i]];
            *gap = fmin(*gap, contact->distance);
        }
    }
}

static void fill_forces(pli_ipc *ipc, bool friction, double *forces)
{
    if (forces == NULL) return;
    memset(forces, 0, 3 * (size_t)ipc->vertex_count * sizeof *forces);
    pli_ipc_add_gradient_of(ipc, friction, -1, forces);
}

void pli_ipc_fill_forces(pli_ipc *ipc, double *normal_force, double *friction_force)
{
    fill_forces(ipc, false, normal_force);
    fill_forces(ipc, true, friction_force);
}
