// SPDX-License-Identifier: Apache-2.0
//
// Deformation with parts of the method left out: a cantilever whose bases do not know what is held
// (figure 9), a ball on a spike without a polish (figure 11), an anvil on jello with
// few handles (figure 22).
#include "s1.h"
#include "s1_gauge.h"

#include "base/context.h"
#include "sim/model/model.h"

#include <math.h>
#include <stdio.h>

// ---- Q1-11

// How far the free end has come down, mean over its vertices.
static double measure_deflection(const pli_bench_scene *s)
{
    const double tip = 0.499; // of a beam to x = 0.5 (m)
    const double *x = pli_state_get(s->state).positions;
    double sum = 0;
    double count = 0;
    for (int32_t i = 0; i < s->info.vertex_count; ++i) {
        const double *X = s->model->rest + 3 * (int64_t)i;
        if (X[0] < tip) continue;
        sum += X[1] - x[3 * (int64_t)i + 1];
        count += 1;
    }
    return sum / fmax(1, count);
}

static pli_status bend(pli_bench *bench)
{
    double full = NAN;
    double aware = NAN;
    double unaware = NAN;
    pli_s1_motion_def def = {
        .scene = "rubber/cantilever",
        .label = "full space",
        .overrides = {"solver={name: " PLI_S1_DIRECT "}"},
        .gauge = measure_deflection,
        .steps = 40,
    };
    PLI_TRY(pli_s1_motion_run(bench, &def, &full));
    def.overrides[0] = "solver={name: " PLI_S1_OURS
                       ", tolerance: 1e-6, subspace: {handles: 4, polish: 0, hessian: full}}";
    def.label = "bases that know what is held";
    PLI_TRY(pli_s1_motion_run(bench, &def, &aware));
    def.overrides[1] = "solver.subspace.dirichlet=false";
    def.label = "bases that do not";
    PLI_TRY(pli_s1_motion_run(bench, &def, &unaware));
    pli_bench_claim(bench,
                    &(pli_claim){"Q1-11", "deflection of bases that know what is held over others",
                                 "> 1", aware / unaware, "x", 1.2, INFINITY});
    pli_bench_claim(bench, &(pli_claim){"Q1-11", "deflection over that of the full space", "< 1",
                                        aware / full, "x", NAN, NAN});
    return PLI_OK;
}

// ---- Q1-12

// Largest height of the vertices of a body.
static double find_top(const pli_bench_scene *s, int32_t body)
{
    const double *x = pli_state_get(s->state).positions;
    const pli_model_body *b = &s->model->bodies[body];
    double top = -INFINITY;
    for (int32_t i = b->first_vertex; i < b->first_vertex + b->vertex_count; ++i) {
        top = fmax(top, x[3 * (int64_t)i + 1]);
    }
    return top;
}

// What is missing of the ball's diameter above the tip of the spike.
static double measure_compression(const pli_bench_scene *s)
{
    const double diameter = 0.4; // m
    return diameter - (find_top(s, 0) - find_top(s, 1));
}

static pli_status impale(pli_bench *bench)
{
    double full = NAN;
    double polished = NAN;
    double plain = NAN;
    pli_s1_motion_def def = {
        .scene = "contact/ball-on-spike",
        .label = "full space",
        .overrides = {"solver={name: " PLI_S1_ITERATIVE "}"},
        .gauge = measure_compression,
        .steps = 13,
    };
    PLI_TRY(pli_s1_motion_run(bench, &def, &full));
    def.overrides[0] =
        "solver={name: " PLI_S1_OURS ", tolerance: 1e-5, subspace: {handles: 64, hessian: full}}";
    def.label = "with polish";
    PLI_TRY(pli_s1_motion_run(bench, &def, &polished));
    def.overrides[1] = "solver.subspace.polish=0";
    def.label = "without polish";
    PLI_TRY(pli_s1_motion_run(bench, &def, &plain));
    pli_bench_claim(bench, &(pli_claim){"Q1-12", "compression without polish over that with it",
                                        "< 1", plain / polished, "x", 0, 0.8});
    pli_bench_claim(bench, &(pli_claim){"Q1-12", "compression with polish over the full space's",
                                        "1", polished / full, "x", NAN, NAN});
    return PLI_OK;
}

// ---- Q1-14

// Depth of the deepest point of what was the top of the jello.
static double measure_imprint(const pli_bench_scene *s)
{
    const double top = 0.201; // of the block as placed (m)
    const double *x = pli_state_get(s->state).positions;
    const pli_model_body *jello = &s->model->bodies[1];
    double depth = 0;
    for (int32_t i = jello->first_vertex; i < jello->first_vertex + jello->vertex_count; ++i) {
        if (s->model->rest[3 * (int64_t)i + 1] < top - 1e-6) continue;
        depth = fmax(depth, top - x[3 * (int64_t)i + 1]);
    }
    return depth;
}

enum { IMPRINTS = 3 };

// The smallest ratio of an imprint to that with fewer handles, and the last imprint.
static pli_status imprint(pli_bench *bench, bool polish, double *least, double *last)
{
    static const int32_t handles[IMPRINTS] = {15, 47, 118};
    *least = INFINITY;
    for (int k = 0; k < IMPRINTS; ++k) {
        char solver[192];
        double depth = NAN;
        pli_s1_motion_def def = {.scene = "mixed/jello",
                                 .label = polish ? "with polish" : "without polish",
                                 .overrides = {solver, "bodies.jello.geometry.grid.cells=[24,8,24]",
                                               "bodies.anvil.geometry.fill.vertices=1500"},
                                 .gauge = measure_imprint,
                                 .steps = 12};
        snprintf(solver, sizeof solver,
                 "solver={name: %s, tolerance: 1e-5, subspace: {handles: %d, polish: %d}}",
                 PLI_S1_OURS, (int)handles[k], polish ? -1 : 0);
        PLI_TRY(pli_s1_motion_run(bench, &def, &depth));
        if (k > 0) *least = fmin(*least, depth / *last);
        *last = depth;
    }
    return PLI_OK;
}

// Judged without the polish, which brings the imprint of the full space back with any handles.
static pli_status press(pli_bench *bench)
{
    double least = NAN;
    double last = NAN;
    PLI_TRY(imprint(bench, false, &least, &last));
    pli_bench_claim(bench,
                    &(pli_claim){"Q1-14", "imprint over that with fewer handles, without polish",
                                 "> 1", least, "x", 1, INFINITY});
    PLI_TRY(imprint(bench, true, &least, &last));
    pli_bench_claim(bench,
                    &(pli_claim){"Q1-14", "the same with polish", "> 1", least, "x", NAN, NAN});
    return PLI_OK;
}

pli_status pli_bench_s1_ablation(pli_bench *bench)
{
    PLI_TRY(bend(bench));
    PLI_TRY(impale(bench));
    return press(bench);
}
