// SPDX-License-Identifier: Apache-2.0
//
// What coarse spaces can do by themselves, without a polish, so that every step ends at the least
// energy of the space:
//   - the error of a fast step falls with the handles (figure 8),
//   - a slit opens and a soft layer bulges, or not, with bases of several kinds
//     (figures 3 and 4), against the full space,
//   - how much of the mesh a handle moves (figure 5).
#include "s1.h"
#include "s1_gauge.h"

#include "base/context.h"
#include "geometry/mesh/tet_mesh.h"
#include "sim/model/subspace_build.h"

#include <math.h>
#include <stdio.h>

// Newton's method in the space: the Hessian of all elements, fresh in every iteration. The
// tolerance is small since the measure is divided by the number of vertices.
#define PURE_SUBSPACE \
    "polish: 0, hessian: full, refresh_threshold: 2, refresh_average: 1, refresh_period: 1"

// ---- Q1-8

enum { STUDY = 5 };

static const int32_t study_handles[STUDY] = {12, 24, 48, 96, 192};

static pli_status measure_error(pli_bench *bench, int32_t handles, double *error)
{
    char subspace[160];
    pli_s1_pair pair;
    pli_s1_duel duel;
    pli_s1_pair_def def = {.scene = "contact/two-squares",
                           .solvers = {PLI_S1_DIRECT, PLI_S1_OURS},
                           .overrides = {"solver.tolerance=1e-6"},
                           .own = {{NULL}, {subspace, "solver.tolerance=1e-7"}}};
    snprintf(subspace, sizeof subspace, "solver.subspace={handles: %d, %s}", (int)handles,
             PURE_SUBSPACE);
    PLI_TRY(pli_s1_pair_init(&pair, bench, &def));
    pli_status status = pli_s1_pair_duel(&pair, &duel);
    int32_t made = pair.sides[1].info.handle_count;
    pli_s1_pair_clear(&pair);
    if (status != PLI_OK) return status;
    *error = duel.error.largest;
    pli_bench_note(bench,
                   "square on square, %3d handles: %d contacts, %d iterations%s, full space %d%s; "
                   "apart %.2e of the diagonal in the mean, %.2e at vertex %d",
                   (int)made, (int)duel.reports[1].contacts, (int)duel.reports[1].iterations,
                   duel.reports[1].stop <= 0 ? " (not converged)" : "",
                   (int)duel.reports[0].iterations,
                   duel.reports[0].stop <= 0 ? " (not converged)" : "", duel.error.mean,
                   duel.error.largest, (int)duel.error.vertex);
    return PLI_OK;
}

static pli_status study_convergence(pli_bench *bench)
{
    double errors[STUDY];
    double worst = 0; // largest ratio of an error to the one with half the handles
    for (int k = 0; k < STUDY; ++k) {
        PLI_TRY(measure_error(bench, study_handles[k], &errors[k]));
        if (k > 0) worst = fmax(worst, errors[k] / errors[k - 1]);
    }
    pli_bench_claim(bench,
                    &(pli_claim){"Q1-8", "error with twice the handles over that before, at worst",
                                 "< 1", worst, "x", 0, 1});
    pli_bench_claim(bench, &(pli_claim){"Q1-8", "error of a fast step with 192 handles", "small",
                                        errors[STUDY - 1], "", 0, 0.02});
    return PLI_OK;
}

// ---- Q1-9

// How far the lips of the slit are apart, mean over all of them, beyond the width at rest.
static double measure_slit(const pli_bench_scene *s)
{
    const double reach = 0.03; // of the lips from the middle of the slit (m)
    const double top = 0.87;   // a bit below the end of the slit, as placed (m)
    const double *x = pli_state_get(s->state).positions;
    double sum[2] = {0};
    double count[2] = {0};
    const pli_model_body *body = &s->model->bodies[0];
    for (int32_t i = body->first_vertex; i < body->first_vertex + body->vertex_count; ++i) {
        const double *X = s->model->rest + 3 * (int64_t)i;
        if (fabs(X[0]) > reach || X[1] > top) continue;
        int side = X[0] > 0;
        sum[side] += x[3 * (int64_t)i] - X[0];
        count[side] += 1;
    }
    return sum[1] / fmax(1, count[1]) - sum[0] / fmax(1, count[0]);
}

// How much wider the square is than at rest.
static double measure_bulge(const pli_bench_scene *s)
{
    const double *x = pli_state_get(s->state).positions;
    double low[2] = {INFINITY, INFINITY};
    double high[2] = {-INFINITY, -INFINITY};
    for (int32_t i = 0; i < s->info.vertex_count; ++i) {
        double now[2] = {s->model->rest[3 * (int64_t)i], x[3 * (int64_t)i]};
        for (int k = 0; k < 2; ++k) {
            low[k] = fmin(low[k], now[k]);
            high[k] = fmax(high[k], now[k]);
        }
    }
    return high[1] - low[1] - (high[0] - low[0]);
}

enum { KINDS = 4 };

static const char *const kinds[KINDS] = {"material", "radial", "eigenmodes", "biharmonic"};

typedef struct shape_row {
    const char *name;
    const char *scene;
    pli_s1_gauge gauge;
    int32_t handles;
    int32_t steps;
    const char *paper[KINDS];
    double low[KINDS]; // bands of the share of the full space; NAN: reported
    double high[KINDS];
} shape_row;

static const shape_row shapes[] = {
    {"slit",
     "contact/slit-square",
     measure_slit,
     16,
     14,
     {"opens", "locked", "opens", "opens"},
     {0.8, 0, NAN, NAN},
     {INFINITY, 0.5, NAN, NAN}},
    {"soft layer",
     "mixed/layered-square",
     measure_bulge,
     16,
     8,
     {"bulges", "locked", "bulges", "locked"},
     {0.8, 0, NAN, NAN},
     {INFINITY, 0.5, NAN, NAN}},
};

static pli_status compare_kinds(pli_bench *bench, const shape_row *row)
{
    double full = NAN;
    char solver[256] = "solver={name: " PLI_S1_DIRECT "}";
    pli_s1_motion_def def = {.scene = row->scene,
                             .label = "full space",
                             .overrides = {solver},
                             .gauge = row->gauge,
                             .steps = row->steps};
    PLI_TRY(pli_s1_motion_run(bench, &def, &full));
    for (int k = 0; k < KINDS; ++k) {
        char what[96];
        double width = NAN;
        snprintf(solver, sizeof solver,
                 "solver={name: %s, tolerance: 1e-6, subspace: {bases: %s, handles: %d, %s}}",
                 PLI_S1_OURS, kinds[k], (int)row->handles, PURE_SUBSPACE);
        def.label = kinds[k];
        PLI_TRY(pli_s1_motion_run(bench, &def, &width));
        snprintf(what, sizeof what, "%s with bases %s: width over full space", row->name, kinds[k]);
        pli_bench_claim(bench, &(pli_claim){"Q1-9", what, row->paper[k], width / full, "x",
                                            row->low[k], row->high[k]});
    }
    return PLI_OK;
}

// ---- Q1-10

// Whether a handle moves a vertex of a tetrahedron that no earlier corner has.
static bool is_first_corner(const pli_bases *bases, const int32_t *corner, int at, int32_t handle)
{
    for (int k = 0; k < at; ++k) {
        for (int64_t p = bases->start[corner[k]]; p < bases->start[corner[k] + 1]; ++p) {
            if (bases->handle[p] == handle && bases->weight[p] != 0) return false;
        }
    }
    return true;
}

// Handles that move a tetrahedron.
static int32_t count_handles(const pli_bases *bases, const int32_t *corner)
{
    int32_t count = 0;
    for (int k = 0; k < 4; ++k) {
        for (int64_t p = bases->start[corner[k]]; p < bases->start[corner[k] + 1]; ++p) {
            if (bases->weight[p] == 0) continue;
            count += is_first_corner(bases, corner, k, bases->handle[p]);
        }
    }
    return count;
}

// Volume that a handle moves over all volume, mean of the handles.
static double measure_support(const pli_model *model)
{
    const pli_bases *bases = model->reduction->bases;
    double moved = 0;
    double all = 0;
    for (int32_t tet = 0; tet < model->tet_count; ++tet) {
        const int32_t *corner = model->tets + 4 * (int64_t)tet;
        double volume = pli_tet_volume_at(model->rest, corner);
        all += volume;
        moved += volume * count_handles(bases, corner);
    }
    return moved / (all * bases->handle_count);
}

static pli_status compare_supports(pli_bench *bench)
{
    static const char *const paper[KINDS] = {"compact", "compact", "global", "global"};
    static const double bands[KINDS][2] = {{0, 0.3}, {NAN, NAN}, {0.9, 1}, {0.9, 1}};
    for (int k = 0; k < KINDS; ++k) {
        char solver[256];
        char what[96];
        pli_bench_scene s;
        snprintf(solver, sizeof solver,
                 "solver={name: %s, subspace: {bases: %s, handles: 24, hessian: full}}",
                 PLI_S1_OURS, kinds[k]);
        PLI_TRY(
            pli_bench_scene_init(&s, bench, "contact/slit-square", (const char *[]){solver, NULL}));
        double share = measure_support(s.model);
        snprintf(what, sizeof what, "%s: share of the mesh that a handle moves, of %d", kinds[k],
                 (int)s.info.handle_count);
        pli_bench_scene_clear(&s);
        pli_bench_claim(bench,
                        &(pli_claim){"Q1-10", what, paper[k], share, "", bands[k][0], bands[k][1]});
    }
    return PLI_OK;
}

pli_status pli_bench_s1_bases(pli_bench *bench)
{
    PLI_TRY(study_convergence(bench));
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; ++k) {
        PLI_TRY(compare_kinds(bench, &shapes[k]));
    }
    return compare_supports(bench);
}
