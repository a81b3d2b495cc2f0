// SPDX-License-Identifier: Apache-2.0
//
// Tables 1 and 2: frames per second at the paper's sizes, with time by phase, and how time, memory
// and cycles grow with the size of the creature.
#include "s2.h"
#include "s2_problem.h"

#include "base/timers.h"
#include "sim/step/mesh_stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WARM_FRAMES = 10, FRAMES = 60, MAX_CYCLES = 100 };

// V-cycles on the linear system of a frame.
typedef struct cycle_result {
    double cycles; // to a relative residual of 1e-3
    double factor; // of the residual per cycle
    bool reached;
    double memory;      // of hierarchy and multigrid (bytes)
    double sweep_bytes; // that the smoothing of a cycle has to read
} cycle_result;

typedef struct row_result {
    pli_bench_tally tally; // of FRAMES frames
    double vertices;
    double tets;
    double fps;
    double setup;        // seconds that a solver takes to be made
    cycle_result table;  // with the levels of the table
    cycle_result chosen; // with levels chosen by the number of vertices
} row_result;

// ---- one row

static double phase_seconds(const pli_bench_tally *tally, const char *name)
{
    for (int32_t k = 0; k < tally->phase_count; ++k) {
        if (strcmp(tally->phase_name[k], name) == 0) return tally->phase_seconds[k];
    }
    return 0;
}

static void tell_row(pli_bench *bench, const pli_s2_row *row, const row_result *result)
{
    char levels[64] = "";
    int used = 0;
    for (int32_t k = 0; k < row->level_count; ++k) {
        used += snprintf(levels + used, sizeof levels - (size_t)used, "%d/", (int)row->levels[k]);
    }
    pli_bench_note(bench,
                   "%s %.0f/%.0f (paper %s), %sall %s, %d iterations: %.1f frames/s (paper %s), "
                   "solver made in %.2f s",
                   row->name, result->vertices, result->tets, row->paper, levels, row->smoothers,
                   (int)row->iterations, result->fps, row->paper_fps, result->setup);
    char phases[400] = "";
    used = 0;
    for (int32_t k = 0; k < result->tally.phase_count; ++k) {
        double ms = 1e3 * result->tally.phase_seconds[k] / result->tally.steps;
        int room = (int)sizeof phases - used;
        if (ms < 0.005) continue;
        int length = snprintf(phases + used, (size_t)room, "%s%s %.2f", used > 0 ? ", " : "",
                              result->tally.phase_name[k], ms);
        used += length < room ? length : 0;
    }
    pli_bench_note(bench, "    ms per frame: %s", phases);
}

static pli_status measure_setup(const pli_bench_scene *scene, double *seconds)
{
    pli_solver *solver = NULL;
    double start = pli_clock_seconds();
    pli_status status = pli_solver_create(scene->model, &solver);
    *seconds = pli_clock_seconds() - start;
    pli_solver_destroy(solver);
    return status;
}

// Frames of a scene that is already warm, without energies in the reports.
static pli_status measure_frames(pli_bench_scene *scene, row_result *result)
{
    pli_solver_set_measuring(scene->solver, false);
    PLI_TRY(pli_bench_scene_steps(scene, FRAMES, false, &result->tally));
    result->vertices = scene->info.vertex_count;
    result->tets = scene->info.tet_count;
    result->fps = result->tally.steps / result->tally.seconds;
    return measure_setup(scene, &result->setup);
}

// What the sweeps of a cycle read of matrices and their columns: a symmetric Gauss-Seidel sweep
// half of the matrix twice, and a half more each for the residual and for the first sweep after the
// correction; Jacobi the whole of it, but nothing at first and once for the residual.
static double sweep_bytes(const pli_multigrid *multigrid, const pli_vcycle_def *def)
{
    double bytes = 0;
    for (int32_t level = 0; level + 1 < pli_multigrid_level_count(multigrid); ++level) {
        pli_multigrid_level_info info = pli_multigrid_get_level(multigrid, level);
        bool swept = def->smoothers[level].kind == PLI_SMOOTHER_GAUSS_SEIDEL;
        double reads = 2.0 * def->smoothers[level].sweeps + (swept ? 1 : 0);
        double entry = 4 + 4.0 * info.node_size * info.node_size; // column, and values as floats
        bytes += reads * (double)info.block_count * entry;
    }
    return bytes;
}

static pli_status measure_cycles(pli_s2_problem *p, const pli_hierarchy *hierarchy,
                                 const char *smoothers, cycle_result *result)
{
    pli_multigrid *multigrid = NULL;
    pli_vcycle_def def = {.single = true};
    bool definite = false;
    pli_krylov_report report = {0};
    PLI_TRY(pli_multigrid_parse(p->context, smoothers, hierarchy->level_count + 1, &def));
    def.single = true;
    const pli_lifted *matrix = pli_local_global_matrix(p->global);
    PLI_TRY(pli_multigrid_create_lifted(p->context, &def, hierarchy, matrix, &multigrid));
    pli_arena_mark mark = pli_arena_begin(p->arena);
    double *x = pli_arena_doubles(p->arena, p->size, "solution");
    pli_status status = x != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_multigrid_build(multigrid, NULL, &definite);
    if (status == PLI_OK && !definite) {
        status = PLI_FAIL(p->context, PLI_ERROR_NUMERIC, "a coarse matrix is not definite");
    }
    if (status == PLI_OK) {
        status = pli_multigrid_solve(multigrid, p->b, 1e-3, MAX_CYCLES, p->arena, x, &report);
    }
    if (status == PLI_OK) {
        double share = report.residual / report.initial_residual;
        *result = (cycle_result){.cycles = report.iterations,
                                 .factor = pow(share, 1 / fmax(1, report.iterations)),
                                 .reached = report.stop == PLI_KRYLOV_CONVERGED,
                                 .memory = (double)(pli_multigrid_memory_bytes(multigrid) +
                                                    pli_hierarchy_memory_bytes(hierarchy)),
                                 .sweep_bytes = sweep_bytes(multigrid, &def)};
    }
    pli_arena_end(p->arena, mark);
    pli_multigrid_destroy(multigrid);
    return status;
}

// The same with levels chosen by the number of vertices.
static pli_status measure_chosen(pli_s2_problem *p, cycle_result *result)
{
    pli_hierarchy *hierarchy = NULL;
    PLI_TRY(pli_s2_problem_hierarchy(p, 0, NULL, 12, false, &hierarchy));
    pli_status status = measure_cycles(p, hierarchy, "direct/GS(8)/GS(2)", result);
    pli_hierarchy_destroy(hierarchy);
    return status;
}

// A cycle in both precisions: how many it takes to 1e-8, and how long one lasts.
static pli_status compare_precisions(pli_bench *bench, pli_s2_problem *p)
{
    enum { REPEATS = 20 };
    double seconds[2] = {0, 0};
    for (int single = 0; single < 2; ++single) {
        pli_vcycle_def def = {0};
        pli_multigrid *multigrid = NULL;
        bool definite = false;
        pli_krylov_report report;
        PLI_TRY(pli_s2_problem_multigrid_def(p, p->hierarchy, &def));
        def.single = single == 1;
        PLI_TRY(pli_multigrid_create_lifted(p->context, &def, p->hierarchy,
                                            pli_local_global_matrix(p->global), &multigrid));
        pli_arena_mark mark = pli_arena_begin(p->arena);
        double *x = pli_arena_doubles(p->arena, p->size, "solution");
        pli_status status = x != NULL ? PLI_OK : PLI_ERROR_MEMORY;
        if (status == PLI_OK) status = pli_multigrid_build(multigrid, NULL, &definite);
        if (status == PLI_OK) {
            status = pli_multigrid_solve(multigrid, p->b, 1e-8, MAX_CYCLES, p->arena, x, &report);
        }
        if (status == PLI_OK) {
            double start = pli_clock_seconds();
            for (int k = 0; k < REPEATS; ++k) pli_multigrid_apply(multigrid, p->b, x);
            seconds[single] = (pli_clock_seconds() - start) / REPEATS;
            pli_bench_note(bench, "%s precision: %d cycles to 1e-8, %.2f ms a cycle",
                           single ? "single" : "double", (int)report.iterations,
                           1e3 * seconds[single]);
        }
        pli_arena_end(p->arena, mark);
        pli_multigrid_destroy(multigrid);
        if (status != PLI_OK) return status;
    }
    pli_bench_claim(bench, &(pli_claim){"G7", "a cycle in double precision over one in single", "-",
                                        seconds[0] / seconds[1], "x", 1, INFINITY});
    return PLI_OK;
}

static pli_status measure_row(pli_bench *bench, const pli_s2_row *row, row_result *result)
{
    pli_s2_problem problem;
    *result = (row_result){0};
    PLI_TRY(pli_s2_problem_init(&problem, bench, row, NULL, WARM_FRAMES));
    pli_status status = measure_cycles(&problem, problem.hierarchy, row->smoothers, &result->table);
    if (status == PLI_OK) status = measure_chosen(&problem, &result->chosen);
    if (status == PLI_OK && row == &pli_s2_creatures[3]) {
        status = compare_precisions(bench, &problem);
    }
    if (status == PLI_OK) status = measure_frames(&problem.scene, result);
    pli_s2_problem_clear(&problem);
    if (status == PLI_OK) tell_row(bench, row, result);
    return status;
}

// The same row with levels and smoothers as the program chooses them.
static pli_s2_row own_row(const pli_s2_row *row)
{
    pli_s2_row own = *row;
    own.level_count = 0;
    own.smoothers = "auto";
    return own;
}

static void claim_fps(pli_bench *bench, const pli_s2_row *row, const row_result *result)
{
    char what[96];
    bool own = row->level_count == 0;
    bool judged = row->bar_fps > 0 && own;
    snprintf(what, sizeof what, "%s, %.0f vertices, levels of %s", row->name, result->vertices,
             own ? "our own" : "table 1");
    pli_bench_claim(bench, &(pli_claim){"Q2-5", what, row->paper_fps, result->fps, "frames/s",
                                        judged ? row->bar_fps : NAN, judged ? INFINITY : NAN});
}

// What smoothing and the local step reach of what the memory can give.
static void claim_limits(pli_bench *bench, const pli_s2_row *row, const row_result *result)
{
    char what[64];
    double copy = pli_bench_copy_bandwidth(bench);
    double steps = result->tally.steps;
    double smooth = phase_seconds(&result->tally, "smooth") / steps;
    double gradient = phase_seconds(&result->tally, "gradient") / steps;
    double sweeps = result->table.sweep_bytes * row->iterations;
    snprintf(what, sizeof what, "%s: sweeps, share of copy bandwidth", row->name);
    pli_bench_claim(bench, &(pli_claim){"Q2-8", what, "-", sweeps / smooth / copy, "x", NAN, NAN});
    // corners, gradients and stiffness of a tetrahedron; x read, g read and written
    double local = row->iterations * (result->tets * (16 + 36 + 4) + result->vertices * 72);
    snprintf(what, sizeof what, "%s: local step, share of copy bandwidth", row->name);
    pli_bench_claim(bench, &(pli_claim){"Q2-8", what, "-", local / gradient / copy, "x", NAN, NAN});
    snprintf(what, sizeof what, "%s: local step", row->name);
    pli_bench_claim(bench, &(pli_claim){"Q2-8", what, "-",
                                        1e-6 * row->iterations * result->tets / gradient,
                                        "M tets/s", NAN, NAN});
}

// ---- growth with the size

// Slope of log y over log x.
static double fit_slope(const double *x, const double *y, int32_t count)
{
    double sx = 0;
    double sy = 0;
    double sxx = 0;
    double sxy = 0;
    for (int32_t k = 0; k < count; ++k) {
        double u = log(x[k]);
        double v = log(y[k]);
        sx += u;
        sy += v;
        sxx += u * u;
        sxy += u * v;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

static void claim_growth(pli_bench *bench, const row_result *results)
{
    double tets[PLI_S2_CREATURES];
    double memory[PLI_S2_CREATURES];
    double seconds[PLI_S2_CREATURES];
    double most = 0;
    double most_chosen = 0;
    for (int32_t k = 0; k < PLI_S2_CREATURES; ++k) {
        const cycle_result *table = &results[k].table;
        const cycle_result *chosen = &results[k].chosen;
        tets[k] = results[k].tets;
        memory[k] = table->memory;
        seconds[k] = 1 / results[k].fps;
        most = fmax(most, table->cycles);
        most_chosen = fmax(most_chosen, chosen->cycles);
        pli_bench_note(bench,
                       "%.0f vertices: %.0f cycles to 1e-3%s, factor %.3f, %.2f MB; with levels by "
                       "size %.0f%s, factor %.3f, %.2f MB",
                       results[k].vertices, table->cycles, table->reached ? "" : " (not reached)",
                       table->factor, 1e-6 * table->memory, chosen->cycles,
                       chosen->reached ? "" : " (not reached)", chosen->factor,
                       1e-6 * chosen->memory);
    }
    pli_bench_claim(bench, &(pli_claim){"Q2-3", "slope of memory in tetrahedra", "1.012",
                                        fit_slope(tets, memory, PLI_S2_CREATURES), "", 0.95, 1.1});
    pli_bench_claim(bench, &(pli_claim){"Q2-4", "slope of time per frame in tetrahedra", "0.365",
                                        fit_slope(tets, seconds, PLI_S2_CREATURES), "", 0, 1.1});
    pli_bench_claim(
        bench, &(pli_claim){"Q2-4", "cycles to 1e-3, most over smallest size, levels of table 1",
                            "-", most / results[0].table.cycles, "x", 0, 1.5});
    pli_bench_claim(bench,
                    &(pli_claim){"Q2-4", "cycles to 1e-3, most over smallest size, levels by size",
                                 "-", most_chosen / results[0].chosen.cycles, "x", 0, 1.5});
}

// Frames per second of a scene with one of the solvers.
static pli_status measure_scene(pli_bench *bench, const pli_s2_row *row, const char *solver,
                                row_result *result)
{
    char override[64];
    const char *more[] = {override, NULL};
    pli_bench_scene scene;
    *result = (row_result){0};
    snprintf(override, sizeof override, "solver.name=%s", solver);
    PLI_TRY(pli_s2_scene_init(&scene, bench, row, more));
    pli_status status = pli_bench_scene_steps(&scene, WARM_FRAMES, false, &result->tally);
    if (status == PLI_OK) status = measure_frames(&scene, result);
    pli_bench_scene_clear(&scene);
    if (status == PLI_OK) tell_row(bench, row, result);
    return status;
}

// A row of the table, once as the paper has it and once with our own levels, which are judged.
static pli_status run_row(pli_bench *bench, const pli_s2_row *row, row_result *result,
                          row_result *own)
{
    pli_s2_row chosen = own_row(row);
    PLI_TRY(measure_row(bench, row, result));
    claim_fps(bench, row, result);
    PLI_TRY(measure_scene(bench, &chosen, "pd-multigrid", own));
    claim_fps(bench, &chosen, own);
    return PLI_OK;
}

static pli_status run_creatures(pli_bench *bench)
{
    row_result results[PLI_S2_CREATURES];
    row_result own[PLI_S2_CREATURES];
    for (int32_t k = 0; k < PLI_S2_CREATURES; ++k) {
        PLI_TRY(run_row(bench, &pli_s2_creatures[k], &results[k], &own[k]));
    }
    claim_growth(bench, results);
    claim_limits(bench, &pli_s2_creatures[3], &results[3]);
    const row_result *fourth = &own[3];
    // another program, with a prefactored matrix: 273 ms at 47k vertices and 256k tetrahedra
    pli_bench_claim(bench,
                    &(pli_claim){"Q2-5", "local-global iteration at 51k vertices, 258k tetrahedra",
                                 "-", 1e3 / fourth->fps, "ms", 0, 20});
    return PLI_OK;
}

// ---- cloth: projective dynamics by cycles and directly, and Newton's method

static pli_status run_cloth(pli_bench *bench)
{
    static const pli_s2_row newton = {
        "cloth/newton",           NULL, "40401/240000", 3, {25, 100, 1000},
        "direct/J(10)/J(5)/J(5)", 4,    "35.7",         0};
    static const pli_s2_row large = {"cloth/large",       NULL, "63001/375000", 2, {100, 1000},
                                     "direct/J(10)/J(5)", 3,    "31.5",         0};
    row_result cycles;
    row_result direct;
    row_result other;
    pli_s2_row own = own_row(&pli_s2_cloth);
    pli_s2_row own_newton = own_row(&newton);
    PLI_TRY(measure_scene(bench, &pli_s2_cloth, "pd-multigrid", &cycles));
    claim_fps(bench, &pli_s2_cloth, &cycles);
    PLI_TRY(measure_scene(bench, &own, "pd-multigrid", &cycles));
    claim_fps(bench, &own, &cycles);
    PLI_TRY(measure_scene(bench, &pli_s2_cloth, "pd-direct", &direct));
    pli_bench_claim(bench, &(pli_claim){"Q2-5", "cloth: cycles, speed over a prefactored matrix",
                                        "8.1", cycles.fps / direct.fps, "x", NAN, NAN});
    PLI_TRY(measure_scene(bench, &newton, "newton-multigrid", &other));
    claim_fps(bench, &newton, &other);
    PLI_TRY(measure_scene(bench, &own_newton, "newton-multigrid", &other));
    claim_fps(bench, &own_newton, &other);
    pli_bench_claim(bench, &(pli_claim){"Q2-5", "cloth: projective dynamics, speed over Newton",
                                        "2.1", cycles.fps / other.fps, "x", 1.5, 4});
    PLI_TRY(measure_scene(bench, &large, "newton-multigrid", &other));
    claim_fps(bench, &large, &other);
    return PLI_OK;
}

pli_status pli_bench_s2_table(pli_bench *bench)
{
    row_result result;
    row_result own;
    PLI_TRY(run_creatures(bench));
    PLI_TRY(run_cloth(bench));
    PLI_TRY(run_row(bench, &pli_s2_dragon, &result, &own));
    claim_limits(bench, &pli_s2_dragon, &result);
    PLI_TRY(run_row(bench, &pli_s2_octopus, &result, &own));
    double smooth = phase_seconds(&result.tally, "smooth") / result.tally.seconds;
    pli_bench_claim(bench, &(pli_claim){"Q2-8", "octopus: share of smoothing in a frame", "0.78",
                                        smooth, "", NAN, NAN});
    return PLI_OK;
}
