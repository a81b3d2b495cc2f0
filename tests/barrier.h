// SPDX-License-Identifier: Apache-2.0
//
// What tests of barrier contact share: steps after which everything is apart, and blocks that have
// come to rest.
#ifndef PLI_TESTS_BARRIER_H
#define PLI_TESTS_BARRIER_H

#include "simulate.h"

#include "geometry/collision/crossing.h"
#include "math/vec3.h"
#include "sim/step/mesh_stepper.h"

static const double gravity = 9.81; // m/s^2

// ---- steps

// Surfaces are apart and no tetrahedron is inverted, by the filters' own figures and by exact
// predicates.
static inline void expect_apart(const simulation *s, const pli_step_report *report)
{
    assert_true(report->min_gap > 0);
    assert_true(report->min_J > 0);
    pli_soup soup = {.vertex_count = s->info.vertex_count,
                     .points = pli_state_get(s->state).positions,
                     .triangle_count = s->model->surface_triangle_count,
                     .triangles = s->model->surface_triangles};
    int64_t crossings = -1;
    pli_crossing first;
    OK(s->context, pli_soup_find_crossings(s->context, &soup, 1, &first, &crossings));
    assert_int_equal(crossings, 0);
}

// One step that converges, and after which everything is apart.
static inline pli_step_report barrier_step(simulation *s)
{
    pli_step_report report = simulation_step(s);
    expect_apart(s, &report);
    return report;
}

// ---- bodies

// Mass-weighted mean of an array [vertex_count][3] over a body.
static inline void body_mean(const simulation *s, int32_t body, const double *values,
                             double mean[3])
{
    const double *mass = pli_model_get_mesh(s->model).masses;
    double total = 0;
    pli_body_info range = pli_model_get_body(s->model, body);
    int32_t first = range.first_vertex;
    int32_t count = range.vertex_count;
    pli_vec3_set(0, 0, 0, mean);
    for (int64_t i = first; i < first + count; ++i) {
        pli_vec3_add_scaled(mean, mass[i], values + 3 * i, mean);
        total += mass[i];
    }
    pli_vec3_scale(1 / total, mean, mean);
}

static inline double body_mass(const simulation *s, int32_t body)
{
    const double *mass = pli_model_get_mesh(s->model).masses;
    double total = 0;
    pli_body_info range = pli_model_get_body(s->model, body);
    int32_t first = range.first_vertex;
    int32_t count = range.vertex_count;
    for (int32_t i = first; i < first + count; ++i) total += mass[i];
    return total;
}

// Largest speed of a vertex (m/s).
static inline double top_speed(const simulation *s)
{
    const double *v = pli_state_get(s->state).velocities;
    double top = 0;
    for (int64_t i = 0; i < s->info.vertex_count; ++i) {
        top = fmax(top, sqrt(pli_vec3_dot(v + 3 * i, v + 3 * i)));
    }
    return top;
}

// The forces between two things, the second NULL: the first and anything; NULL when they do not
// touch.
static inline const pli_contact_pair *find_pair(const pli_step_report *report, const char *first,
                                                const char *second)
{
    for (int32_t k = 0; k < report->pair_count; ++k) {
        const pli_contact_pair *pair = &report->pairs[k];
        bool same = strcmp(pair->first, first) == 0 && strcmp(pair->second, second) == 0;
        if (same) return pair;
    }
    return NULL;
}

// Sum of an array [vertex_count][3].
static inline void sum_vectors(const simulation *s, const double *values, double sum[3])
{
    pli_vec3_set(0, 0, 0, sum);
    for (int64_t i = 0; i < s->info.vertex_count; ++i) pli_vec3_add(sum, values + 3 * i, sum);
}

// ---- states from one simulation into another with the same bodies

static inline void take_positions(simulation *to, const simulation *from, const double *velocities)
{
    assert_int_equal(to->info.vertex_count, from->info.vertex_count);
    OK(to->context, pli_state_set(to->state, pli_state_get(from->state).positions, velocities));
}

#endif
