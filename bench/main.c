// SPDX-License-Identifier: Apache-2.0
//
// pliant-bench [ID|all]... [--size lite|paper] [--json FILE] [--folder DIR] [--threads N]
#include "bench.h"
#include "s0.h"
#include "s1.h"
#include "s1_bars.h"
#include "s2.h"
#include "s3.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/timers.h"
#include "process.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pli_bench {
    pli_context *context;
    bool paper_size;
    const char *folder;
    const char *case_id;
    double copy_bandwidth; // bytes/s, 0: not measured yet
    pli_text json;         // claims so far, without the brackets
    int32_t claim_count;
    int32_t failed_count;
};

static pli_status run_kernels(pli_bench *bench)
{
    pli_status status = pli_bench_kernels_svd(bench);
    if (status == PLI_OK) status = pli_bench_kernels_linear(bench);
    if (status == PLI_OK) status = pli_bench_kernels_solve(bench);
    if (status == PLI_OK) status = pli_bench_kernels_fem(bench);
    if (status == PLI_OK) status = pli_bench_kernels_projective(bench);
    if (status == PLI_OK) status = pli_bench_kernels_springs(bench);
    if (status == PLI_OK) status = pli_bench_kernels_broad(bench);
    if (status == PLI_OK) status = pli_bench_kernels_contact(bench);
    if (status == PLI_OK) status = pli_bench_kernels_mpm(bench);
    if (status == PLI_OK) status = pli_bench_kernels_hot(bench);
    if (status == PLI_OK) status = pli_bench_kernels_implicit(bench);
    return status;
}

static const pli_bench_case cases[] = {
    {"kernels",
     "decompositions, block products and assembly against scalar code and the copy "
     "bandwidth",
     run_kernels, NULL},
    {"kernels-mpm", "explicit particles, one step and regional ones", pli_bench_kernels_mpm,
     "kernels"},
    {"kernels-hot", "multigrid on the nodes of a grid", pli_bench_kernels_hot, "kernels"},
    {"kernels-implicit", "passes over the particles of an implicit step",
     pli_bench_kernels_implicit, "kernels"},
    {"ccd", "continuous collision detection on a million queries of known truth", pli_bench_ccd,
     NULL},
    {"s4-mesh",
     "optimisation integrator on tetrahedral meshes without contact: Q4-1, 2, 3, 5, 6, "
     "10, 11, 15",
     pli_bench_s4_mesh, NULL},
    {"s4-contact",
     "optimisation integrator with colliders and contact, and the table of all its scenes: "
     "Q4-4, 7, 8, 9",
     pli_bench_s4_contact, NULL},
    {"s4-mpm",
     "optimisation integrator on particles: steps and time of snowballs against a semi-implicit "
     "step: Q4-12 to 14",
     pli_bench_s4_mpm, NULL},
    {"contact",
     "barrier contact that never intersects: ms per step of small scenes against other programs, "
     "and where they go",
     pli_bench_contact, NULL},
    {"contact-scenes", "all scenes of barrier contact, every frame checked by exact predicates",
     pli_bench_contact_scenes, NULL},
    {"solids",
     "elements, loads, cavities, laws and modes of solids against closed forms, and their cost",
     pli_bench_solids, NULL},
    {"solids-cost", "a step of quadratic tetrahedra over one of linear ones", pli_bench_solids_cost,
     "solids"},
    {"s0",
     "implicit particles at the pace of their motion: time, iterations and memory of solver hot "
     "and "
     "its rivals: Q0-1 to 21",
     pli_bench_s0, NULL},
    {"s0-table", "time over that of hot in ten scenes, and what belongs to single ones",
     pli_bench_s0_table, "s0"},
    {"s0-speed", "seconds and memory of a step against another program", pli_bench_s0_speed, "s0"},
    {"s0-sweep", "iterations against stiffness, and of a stretched box", pli_bench_s0_sweep, "s0"},
    {"s0-first", "the first step with alternating directions", pli_bench_s0_first, "s0"},
    {"s0-levels", "kernels and matrices of levels", pli_bench_s0_levels, "s0"},
    {"s0-options", "what scenes say of solvers", pli_bench_s0_options, "s0"},
    {"s1-bars", "linear systems of bars of two kinds of matter", pli_bench_s1_bars, "s1"},
    {"s1",
     "sparse material-aware bases for barrier contact: speed, stiffness, error, what bases can do: "
     "Q1-1 to 14",
     pli_bench_s1, NULL},
    {"s1-table", "speed over a direct solver", pli_bench_s1_table, "s1"},
    {"s1-stiffness", "a step of first contact over stiffness", pli_bench_s1_stiffness, "s1"},
    {"s1-error", "a step against the full space", pli_bench_s1_error, "s1"},
    {"s1-setup", "cubature, clusters and the affine level", pli_bench_s1_setup, "s1"},
    {"s1-bases", "coarse spaces of several kinds", pli_bench_s1_bases, "s1"},
    {"s1-ablation", "deformation with parts left out", pli_bench_s1_ablation, "s1"},
    {"s2",
     "multigrid in skinning space: frames per second, growth, energy against time, linear systems: "
     "Q2-1 to 10",
     pli_bench_s2, NULL},
    {"s2-linear", "linear systems of bars", pli_bench_s2_linear, "s2"},
    {"s2-spaces", "what coarse spaces are worth", pli_bench_s2_two_grid, "s2"},
    {"s2-stiff", "cycles against stiffness", pli_bench_s2_stiffness, "s2"},
    {"s2-table", "frames per second, phases, growth with the size", pli_bench_s2_table, "s2"},
    {"s2-motion", "the same motion at all sizes", pli_bench_s2_motion, "s2"},
    {"s2-race", "energy against time, with all rivals", pli_bench_s2_race, "s2"},
    {"s3",
     "explicit particles with a step for every region: speed, updates, memory, energy: Q3-1 to 12",
     pli_bench_s3, NULL},
    {"s3-steps", "the shortest and the longest step", pli_bench_s3_steps, "s3"},
    {"s3-table", "speed over one step for all", pli_bench_s3_table, "s3"},
    {"s3-energy", "energy of swaying storks", pli_bench_s3_energy, "s3"},
    {"s3-stiff", "where everything is stiff", pli_bench_s3_stiff, "s3"},
    {"s1-vbd", "vertex block descent against stiffness, Q1-13", pli_bench_s1_vbd, "s1"},
};

enum { CASE_COUNT = sizeof cases / sizeof *cases };

pli_context *pli_bench_context(const pli_bench *bench)
{
    return bench->context;
}

bool pli_bench_is_paper_size(const pli_bench *bench)
{
    return bench->paper_size;
}

const char *pli_bench_folder(const pli_bench *bench)
{
    return bench->folder;
}

static const char *verdict(const pli_claim *claim)
{
    if (isnan(claim->band_low) && isnan(claim->band_high)) return "";
    bool pass = claim->ours >= claim->band_low && claim->ours <= claim->band_high;
    return pass ? "pass" : "FAIL";
}

static void append_json_number(pli_text *json, double value)
{
    if (isfinite(value)) {
        pli_text_format(json, "%.6g", value);
    } else {
        pli_text_append(json, "null");
    }
}

void pli_bench_claim(pli_bench *bench, const pli_claim *claim)
{
    const char *outcome = verdict(claim);
    if (strcmp(outcome, "FAIL") == 0) ++bench->failed_count;
    printf("%-10s %-62s paper %-12s ours %10.4g %-12s %s\n", claim->claim, claim->what,
           claim->paper, claim->ours, claim->unit, outcome);
    fflush(stdout);

    pli_text *json = &bench->json;
    pli_text_format(json, "%s\n  {\"claim\": \"%s\", \"bench\": \"%s\", \"what\": \"%s\", ",
                    bench->claim_count > 0 ? "," : "", claim->claim, bench->case_id, claim->what);
    pli_text_format(json, "\"paper\": \"%s\", \"ours\": ", claim->paper);
    append_json_number(json, claim->ours);
    pli_text_format(json, ", \"unit\": \"%s\", \"band\": [", claim->unit);
    append_json_number(json, claim->band_low);
    pli_text_append(json, ", ");
    append_json_number(json, claim->band_high);
    pli_text_format(json, "], \"pass\": %s}",
                    outcome[0] == '\0'  ? "null"
                    : outcome[0] == 'p' ? "true"
                                        : "false");
    ++bench->claim_count;
}

void pli_bench_note(pli_bench *bench, const char *format, ...)
{
    (void)bench;
    va_list arguments;
    va_start(arguments, format);
    printf("           ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    fflush(stdout);
}

double pli_bench_best_seconds(void (*body)(void *user), void *user, int repeats)
{
    body(user);
    double best = INFINITY;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        double start = pli_clock_seconds();
        body(user);
        best = fmin(best, pli_clock_seconds() - start);
    }
    return best;
}

typedef struct copy_arrays {
    const pli_context *context;
    double *from;
    double *to;
    int64_t count;
} copy_arrays;

static void copy_range(void *user, int64_t begin, int64_t end)
{
    copy_arrays *arrays = user;
    memcpy(arrays->to + begin, arrays->from + begin, (size_t)(end - begin) * sizeof(double));
}

static void copy_once(void *user)
{
    copy_arrays *arrays = user;
    pli_parallel_for(arrays->context, arrays->count, 4096, copy_range, arrays);
}

double pli_bench_copy_bandwidth(pli_bench *bench)
{
    if (bench->copy_bandwidth > 0) return bench->copy_bandwidth;
    enum { COUNT = 1 << 25 }; // 256 MiB an array
    copy_arrays arrays = {bench->context, PLI_NEW(bench->context, double, COUNT, "copy source"),
                          PLI_NEW(bench->context, double, COUNT, "copy target"), COUNT};
    if (arrays.from != NULL && arrays.to != NULL) {
        double seconds = pli_bench_best_seconds(copy_once, &arrays, 5);
        bench->copy_bandwidth = 2.0 * COUNT * sizeof(double) / seconds;
        pli_bench_note(bench, "copy bandwidth %.2f GB/s with %d threads",
                       1e-9 * bench->copy_bandwidth, (int)pli_context_thread_count(bench->context));
    }
    pli_release(bench->context, arrays.from);
    pli_release(bench->context, arrays.to);
    return bench->copy_bandwidth;
}

static const pli_bench_case *find_case(const char *id)
{
    for (int index = 0; index < CASE_COUNT; ++index) {
        if (strcmp(cases[index].id, id) == 0) return &cases[index];
    }
    return NULL;
}

static bool run_case(pli_bench *bench, const pli_bench_case *one)
{
    printf("== %s (%s): %s\n", one->id, bench->paper_size ? "paper" : "lite", one->doc);
    fflush(stdout);
    bench->case_id = one->id;
    double start = pli_clock_seconds();
    pli_status status = one->run(bench);
    printf("   %.1f s\n", pli_clock_seconds() - start);
    if (status == PLI_OK) return true;
    char message[1024];
    pli_context_message(bench->context, message, sizeof message);
    fprintf(stderr, "%s: %s: %s\n", one->id, pli_status_text(status), message);
    return false;
}

static bool write_json(const pli_bench *bench, const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        return false;
    }
    fprintf(file, "[%s\n]\n", bench->json.bytes != NULL ? bench->json.bytes : "");
    return fclose(file) == 0;
}

typedef struct arguments {
    const pli_bench_case *cases[CASE_COUNT];
    int case_count;
    bool paper_size;
    const char *json;
    const char *folder;
    int32_t threads;
} arguments;

static int usage(void)
{
    fprintf(stderr, "usage: pliant-bench [ID|all]... [--size lite|paper] [--json FILE] "
                    "[--folder DIR] [--threads N]\n");
    return 2;
}

static bool read_option(arguments *given, const char *name, const char *value)
{
    if (strcmp(name, "--json") == 0) {
        given->json = value;
    } else if (strcmp(name, "--folder") == 0) {
        given->folder = value;
    } else if (strcmp(name, "--threads") == 0) {
        given->threads = (int32_t)strtol(value, NULL, 10);
    } else if (strcmp(name, "--size") == 0) {
        given->paper_size = strcmp(value, "paper") == 0;
        return given->paper_size || strcmp(value, "lite") == 0;
    } else {
        return false;
    }
    return true;
}

static bool add_case(arguments *given, const pli_bench_case *one)
{
    if (one == NULL || given->case_count == CASE_COUNT) return false;
    given->cases[given->case_count++] = one;
    return true;
}

static bool add_all(arguments *given)
{
    bool added = true;
    for (int index = 0; index < CASE_COUNT; ++index) {
        if (cases[index].part_of == NULL) added = add_case(given, &cases[index]) && added;
    }
    return added;
}

static bool read_arguments(int count, char **values, arguments *given)
{
    *given = (arguments){.folder = "."};
    for (int index = 1; index < count; ++index) {
        if (values[index][0] == '-') {
            if (index + 1 >= count || !read_option(given, values[index], values[index + 1])) {
                return false;
            }
            ++index;
        } else if (strcmp(values[index], "all") == 0) {
            if (!add_all(given)) return false;
        } else if (!add_case(given, find_case(values[index]))) {
            return false;
        }
    }
    return true;
}

static int list_cases(void)
{
    for (int index = 0; index < CASE_COUNT; ++index) {
        const char *whole = cases[index].part_of;
        printf("%-16s ", cases[index].id);
        if (whole != NULL) printf("part of %s: ", whole);
        printf("%s\n", cases[index].doc);
    }
    printf("%-16s everything but the parts, one after another\n", "all");
    return 0;
}

int main(int count, char **values)
{
    arguments given;
    if (!read_arguments(count, values, &given)) return usage();
    if (given.case_count == 0) return list_cases();
    pli_cli_calm_threads(values);

    pli_bench bench = {.paper_size = given.paper_size, .folder = given.folder};
    pli_context_def def = pli_context_def_default();
    def.thread_count = given.threads;
    if (pli_context_create(&def, &bench.context) != PLI_OK) return usage();
    pli_text_init(&bench.json, bench.context);

    // what was measured is written after every case, for a run may be ended before the last one
    bool ran = true;
    for (int index = 0; index < given.case_count; ++index) {
        ran = run_case(&bench, given.cases[index]) && ran;
        if (given.json != NULL) ran = write_json(&bench, given.json) && ran;
    }
    printf("%d claims, %d outside their band\n", (int)bench.claim_count, (int)bench.failed_count);

    pli_text_clear(&bench.json);
    pli_context_destroy(bench.context);
    return ran ? 0 : 1;
}
