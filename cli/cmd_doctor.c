// SPDX-License-Identifier: Apache-2.0
//
// What this machine and this build offer, and what would make them better.
#include "embedded.h"
#include "help.h"
#include "json.h"
#include "process.h"
#include "session.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { MAX_ROWS = 40, MAX_ADVICE = 16, MAX_PROBLEMS = 4, KEY_COLUMN = 22 };

typedef struct findings {
    int32_t row_count;
    struct {
        const char *key;
        char value[256];
    } rows[MAX_ROWS];
    int32_t advice_count;
    const char *advice[MAX_ADVICE]; // full sentences: what would be better
    int32_t problem_count;
    char problems[MAX_PROBLEMS][256]; // full sentences: what makes runs fail
} findings;

static void add_row(findings *found, const char *key, const char *format, ...) PLI_PRINTF(3, 4);

static void add_row(findings *found, const char *key, const char *format, ...)
{
    if (found->row_count == MAX_ROWS) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(found->rows[found->row_count].value, sizeof found->rows[0].value, format, arguments);
    va_end(arguments);
    found->rows[found->row_count++].key = key;
}

static void add_advice(findings *found, const char *sentence)
{
    if (found->advice_count < MAX_ADVICE) found->advice[found->advice_count++] = sentence;
}

static void add_problem(findings *found, const char *format, ...) PLI_PRINTF(2, 3);

static void add_problem(findings *found, const char *format, ...)
{
    if (found->problem_count == MAX_PROBLEMS) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(found->problems[found->problem_count++], sizeof found->problems[0], format,
              arguments);
    va_end(arguments);
}

// ---- reading the system's files

// The text after the first colon of the first line that begins with a word; "" when there is none.
static void find_line(const char *path, const char *word, char *value, size_t capacity)
{
    value[0] = '\0';
    FILE *file = fopen(path, "re");
    if (file == NULL) return;
    char line[8192];
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, word, strlen(word)) != 0) continue;
        const char *text = strchr(line, ':');
        if (text == NULL) continue;
        text += 1 + strspn(text + 1, " \t");
        snprintf(value, capacity, "%.*s", (int)strcspn(text, "\n"), text);
        break;
    }
    fclose(file);
}

static double memory_gigabytes(const char *word)
{
    char value[64];
    find_line("/proc/meminfo", word, value, sizeof value);
    return strtod(value, NULL) * 1024 / 1e9;
}

// Path of the first loaded library whose path contains a word; "" when there is none.
static void find_library(const char *word, char *path, size_t capacity)
{
    path[0] = '\0';
    FILE *file = fopen("/proc/self/maps", "re");
    if (file == NULL) return;
    char line[4096];
    while (path[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *slash = strchr(line, '/');
        if (slash == NULL || strstr(slash, word) == NULL) continue;
        snprintf(path, capacity, "%.*s", (int)strcspn(slash, "\n"), slash);
    }
    fclose(file);
}

static bool is_on_path(const char *program)
{
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, ":");
        char candidate[4096];
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, program);
        if (access(candidate, X_OK) == 0) return true;
        path += length + (path[length] == ':');
    }
    return false;
}

// Whether a file can really be made in a folder; errno says why not.
static bool is_writable(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/.pliant_doctor_XXXXXX", folder);
    int file = mkstemp(path);
    if (file < 0) return false;
    close(file);
    unlink(path);
    return true;
}

// ---- what is looked at

static void look_at_processor(findings *found)
{
    char model[160];
    char flags[8192];
    find_line("/proc/cpuinfo", "model name", model, sizeof model);
    find_line("/proc/cpuinfo", "flags", flags, sizeof flags);
    bool has_avx2 = strstr(flags, " avx2 ") != NULL && strstr(flags, " fma ") != NULL;
    add_row(found, "processor", "%s", model[0] != '\0' ? model : "unknown");
    add_row(found, "vector instructions", "%s%s",
            has_avx2 ? "AVX2 and FMA" : "neither AVX2 nor FMA known",
            strstr(flags, " avx512f ") != NULL ? ", AVX-512" : "");
    if (has_avx2 && strstr(pli_build_get()->text, "AVX2") == NULL) {
        add_advice(found, "This build does not use AVX2, which the processor has: build with "
                          "-DPLIANT_ARCH=native or x86-64-v3.");
    }

    long online = sysconf(_SC_NPROCESSORS_ONLN);
    double load[1] = {0};
    bool has_load = getloadavg(load, 1) == 1;
    add_row(found, "processors", "%ld online, %d for this process, load %.1f", online,
            (int)pli_cli_processor_count(), load[0]);
    if (has_load && load[0] > (double)online) {
        add_advice(found, "More programs want to run than there are processors: runs will be slow, "
                          "and timings mean little.");
    }
    add_row(found, "memory", "%.1f GB, %.1f GB free", memory_gigabytes("MemTotal"),
            memory_gigabytes("MemAvailable"));
}

static void look_at_threads(findings *found, const pli_cli_session *session)
{
    // what an unset variable means: process.c sets two of them for commands that compute
    static const char *const variables[][2] = {
        {"OMP_NUM_THREADS", "not set"},
        {"OMP_WAIT_POLICY", "not set; commands that compute set it to passive"},
        {"OMP_PROC_BIND", "not set"},
        {"OPENBLAS_NUM_THREADS", "not set; commands that compute set it to 1"},
    };
    add_row(found, "threads", "%d", (int)pli_context_thread_count(session->context));
    for (size_t index = 0; index < sizeof variables / sizeof *variables; ++index) {
        const char *value = getenv(variables[index][0]);
        add_row(found, variables[index][0], "%s", value != NULL ? value : variables[index][1]);
    }
    const char *policy = getenv("OMP_WAIT_POLICY");
    if (policy != NULL && strcasecmp(policy, "active") == 0) {
        add_advice(found,
                   "OMP_WAIT_POLICY=active makes waiting threads spin, which is slow when the "
                   "processors are shared: set it to passive, or leave it unset.");
    }
    const char *blas_threads = getenv("OPENBLAS_NUM_THREADS");
    if (blas_threads != NULL && strtol(blas_threads, NULL, 10) > 1) {
        add_advice(found,
                   "More than one BLAS thread makes factorisations slower at usual sizes: set "
                   "OPENBLAS_NUM_THREADS=1, or leave it unset.");
    }
}

// Threads that the BLAS in use takes; 0: it does not say.
static int32_t count_blas_threads(void)
{
    // only OpenBLAS has this function, and whether that is in use is decided when programs start
    int (*count)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    memcpy(&count, &symbol, sizeof count);
    return count != NULL ? (int32_t)count() : 0;
}

static void look_at_blas(findings *found)
{
    char blas[512];
    find_library("libblas.so", blas, sizeof blas);
    if (blas[0] == '\0') find_library("libopenblas", blas, sizeof blas);
    add_row(found, "BLAS", "%s", blas[0] != '\0' ? blas : "none is loaded");
    if (count_blas_threads() > 0) {
        add_row(found, "BLAS threads", "%d at first; solvers hold them back while they factorise",
                (int)count_blas_threads());
    }
    if (strstr(blas, "pthread") != NULL) {
        add_advice(found,
                   "The pthread flavour of OpenBLAS is in use; the OpenMP one shares threads "
                   "with the rest: install libopenblas0-openmp and choose it with "
                   "update-alternatives.");
    } else if (blas[0] != '\0' && strstr(blas, "openblas") == NULL &&
               strstr(blas, "blis") == NULL && strstr(blas, "mkl") == NULL) {
        add_advice(found, "The reference BLAS is in use, which is slow: install "
                          "libopenblas0-openmp.");
    }
}

static void look_at_parts(findings *found)
{
    bool has_cholmod = strstr(pli_build_get()->text, "CHOLMOD on") != NULL;
    bool has_pictures = strstr(pli_build_get()->text, "pictures on") != NULL;
    bool has_films = is_on_path("ffmpeg");
    char bench[4096];
    bool has_bench =
        pli_cli_path_beside("pliant-bench", bench, sizeof bench) && access(bench, X_OK) == 0;
    add_row(found, "CHOLMOD", "%s", has_cholmod ? "yes" : "no");
    add_row(found, "pictures", "%s", has_pictures ? "yes" : "no");
    add_row(found, "films", "%s", has_films ? "yes, by ffmpeg" : "no");
    add_row(found, "benchmarks", "%s", has_bench ? "yes" : "no");
    add_row(found, "shipped scenes", "%d", (int)pli_cli_embedded_scene_count);
    if (!has_cholmod) {
        add_advice(found, "Built without CHOLMOD: solvers that factor matrices, such as ipc-llt, "
                          "pd-direct, subspace and lbfgs, are not there. Install "
                          "libsuitesparse-dev and build again.");
    }
    if (!has_pictures) {
        add_advice(found, "Built without Embree and libpng: 'pliant render' makes no pictures. "
                          "Install libembree-dev and libpng-dev and build again.");
    }
    if (has_pictures && !has_films) {
        add_advice(found, "ffmpeg is not installed: 'pliant render' makes pictures, but no films. "
                          "Install ffmpeg.");
    }
}

// Where runs and temporary files go.
static void look_at_folder(findings *found, const char *key, const char *folder)
{
    struct statvfs disk = {0};
    double space = 0;
    if (statvfs(folder, &disk) == 0) space = (double)disk.f_bavail * (double)disk.f_frsize / 1e9;
    bool writable = is_writable(folder);
    const char *reason = strerror(errno);
    add_row(found, key, "%s, %s, %.1f GB free", folder, writable ? "writable" : "not writable",
            space);
    if (!writable) add_problem(found, "Nothing can be written to %s: %s.", folder, reason);
}

static void look_at_folders(findings *found)
{
    char here[4096];
    const char *temporary = getenv("TMPDIR");
    look_at_folder(found, "folder", getcwd(here, sizeof here) != NULL ? here : ".");
    bool given = temporary != NULL && temporary[0] != '\0';
    look_at_folder(found, "temporary files", given ? temporary : "/tmp");
}

// Programs that show what pliant makes.
static void look_at_viewers(findings *found)
{
    const char *browser = getenv("BROWSER");
    bool given = browser != NULL && browser[0] != '\0';
    bool has_browser = given || is_on_path("xdg-open");
    add_row(found, "browser", "%s",
            given         ? browser
            : has_browser ? "by xdg-open"
                          : "none is opened; view and live print their address");
    add_row(found, "other viewers", "%s%s", is_on_path("paraview") ? "ParaView " : "",
            is_on_path("blender")    ? "Blender"
            : is_on_path("paraview") ? ""
                                     : "neither ParaView nor Blender");
    if (!has_browser) {
        add_advice(found, "Neither BROWSER nor xdg-open is there: 'pliant view' and 'pliant live' "
                          "print an address to open by hand. Install xdg-utils, or set BROWSER.");
    }
}

// ---- the command

static void print_text(const findings *found)
{
    int32_t columns = pli_cli_columns(STDOUT_FILENO);
    for (int32_t index = 0; index < found->row_count; ++index) {
        printf("%-*s %s\n", KEY_COLUMN, found->rows[index].key, found->rows[index].value);
    }
    printf("\n");
    for (int32_t index = 0; index < found->problem_count; ++index) {
        printf("! ");
        pli_cli_print_wrapped(stdout, found->problems[index], 2, 2, columns);
    }
    for (int32_t index = 0; index < found->advice_count; ++index) {
        printf("- ");
        pli_cli_print_wrapped(stdout, found->advice[index], 2, 2, columns);
    }
    if (found->advice_count + found->problem_count == 0) printf("Nothing to suggest.\n");
}

static void print_json(const findings *found)
{
    pli_cli_json json;
    pli_cli_json_init(&json, stdout);
    pli_cli_json_begin(&json, NULL, '{');
    for (int32_t index = 0; index < found->row_count; ++index) {
        pli_cli_json_text(&json, found->rows[index].key, found->rows[index].value);
    }
    pli_cli_json_begin(&json, "problems", '[');
    for (int32_t index = 0; index < found->problem_count; ++index) {
        pli_cli_json_text(&json, NULL, found->problems[index]);
    }
    pli_cli_json_end(&json, ']');
    pli_cli_json_begin(&json, "suggestions", '[');
    for (int32_t index = 0; index < found->advice_count; ++index) {
        pli_cli_json_text(&json, NULL, found->advice[index]);
    }
    pli_cli_json_end(&json, ']');
    pli_cli_json_end(&json, '}');
}

static int run_doctor(pli_cli_session *session)
{
    findings found = {0};
    add_row(&found, "version", "%s", pli_version());
    add_row(&found, "commit", "%s",
            pli_build_get()->commit[0] != '\0' ? pli_build_get()->commit : "unknown");
    add_row(&found, "build", "%s", pli_build_get()->text);
    look_at_processor(&found);
    look_at_threads(&found, session);
    look_at_blas(&found);
    look_at_parts(&found);
    look_at_folders(&found);
    look_at_viewers(&found);
    session->arguments.json ? print_json(&found) : print_text(&found);
    return found.problem_count == 0 ? PLI_CLI_DONE : PLI_CLI_IO;
}

const pli_cli_command pli_cli_command_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "shows threads, instruction set, libraries and settings, and what to improve",
    .about =
        "Shows what this machine and this build offer: processor, threads and the environment "
        "variables that rule them, the BLAS library in use, optional parts, folders and viewers. "
        "Says what would make runs faster or more complete (-), and what makes them fail (!): then "
        "it ends with 3.",
    .shared = {&pli_cli_json_options},
    .run = run_doctor,
};
