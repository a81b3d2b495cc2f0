// SPDX-License-Identifier: Apache-2.0
#include "sim/report/matter_probes.h"

#include "base/parallel.h"
#include "math/vec3.h"
#include "sim/model/matter.h"
#include "sim/model/probe_build.h"

#include <math.h>

// what is summed up: mass, volume, kinetic energy, first moment of mass, momentum
enum { MASS, VOLUME, KINETIC, MOMENT, MOMENTUM = MOMENT + 3, SUM_COUNT = MOMENTUM + 3 };

static void add_particle(const pli_model *model, const pli_matter_state *state, int64_t row,
                         pli_sum *sums)
{
    const pli_matter_kind *kind = &model->matter->kinds[state->kind[row]];
    const double *x = state->position + 3 * row, *v = state->velocity + 3 * row;
    double volume = pli_matter_volume(model->matter, state->kind[row], state->id[row]);
    double mass = kind->mass;
    double J = pli_material_volume_ratio(&kind->matter.material, state->deformation + 9 * row,
                                         state->memory[row]);
    pli_sum_add(&sums[MASS], mass);
    pli_sum_add(&sums[VOLUME], volume * J);
    pli_sum_add(&sums[KINETIC], 0.5 * mass * pli_vec3_norm2(v));
    for (int k = 0; k < 3; ++k) {
        pli_sum_add(&sums[MOMENT + k], mass * x[k]);
        pli_sum_add(&sums[MOMENTUM + k], mass * v[k]);
    }
}

static void measure_place(const pli_model *model, const pli_matter_state *state, int32_t source,
                          double totals[SUM_COUNT])
{
    pli_sum sums[SUM_COUNT] = {{0, 0}};
    for (int64_t row = 0; row < state->count; ++row) {
        bool is_inside = source < 0 || model->matter->kinds[state->kind[row]].source == source;
        if (is_inside) add_particle(model, state, row, sums);
    }
    for (int k = 0; k < SUM_COUNT; ++k) totals[k] = pli_sum_value(sums[k]);
}

static void fill_value(const double totals[SUM_COUNT], pli_probe_of of, double *values)
{
    switch (of) {
    case PLI_PROBE_MASS: values[0] = totals[MASS]; break;
    case PLI_PROBE_VOLUME: values[0] = totals[VOLUME]; break;
    case PLI_PROBE_KINETIC: values[0] = totals[KINETIC]; break;
    case PLI_PROBE_MOMENTUM: pli_vec3_copy(totals + MOMENTUM, values); break;
    case PLI_PROBE_POSITION: pli_vec3_scale(1 / totals[MASS], totals + MOMENT, values); break;
    case PLI_PROBE_VELOCITY: pli_vec3_scale(1 / totals[MASS], totals + MOMENTUM, values); break;
    default: break; // rules allow no others
    }
}

void pli_matter_probes_measure(pli_solver *solver, const pli_state *state, pli_step_report *report)
{
    const pli_model_probes *wanted = solver->model->probes;
    int32_t place = -1;
    double totals[SUM_COUNT] = {0};
    for (int32_t k = 0; k < pli_probe_count(solver->model); ++k) {
        const pli_model_quantity *quantity = &wanted->quantities[k];
        const pli_model_place *first = &wanted->places[quantity->source];
        solver->probe_values[k] = pli_probe_blank(wanted, k);
        double *values = solver->probe_values[k].values;
        if (quantity->kind == PLI_QUANTITY_DISTANCE) {
            double other[SUM_COUNT], a[3], b[3];
            measure_place(solver->model, &state->matter, first->source, totals);
            measure_place(solver->model, &state->matter, wanted->places[quantity->other].source,
                          other);
            fill_value(totals, PLI_PROBE_POSITION, a);
            fill_value(other, PLI_PROBE_POSITION, b);
            pli_vec3_subtract(a, b, a);
            values[0] = pli_vec3_norm(a);
            place = -1;
            continue;
        }
        // quantities of a place stand together
        if (place != quantity->source) {
            measure_place(solver->model, &state->matter, first->source, totals);
        }
        place = quantity->source;
        fill_value(totals, (pli_probe_of)quantity->of, values);
    }
    report->probe_count = pli_probe_count(solver->model);
    report->probes = solver->probe_values;
}
