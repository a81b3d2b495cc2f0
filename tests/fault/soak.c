// SPDX-License-Identifier: Apache-2.0
//
// A soak: so many steps of a scene, and memory after every tenth of them. Prints a heading and
// lines of: step, bytes resident, blocks that the library holds, their bytes, time of the state,
// step times dt, most contacts so far. What is allocated after the first tenth goes to standard
// error, with its step. test_soak.py judges.
#include "pliant/pliant.h"
#include "support/fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// What the library holds, counted exactly, and when it asks for more; one thread, so nothing is
// locked.
typedef struct account {
    pli_fault counts; // fails nothing
    pli_allocator counting;
    int64_t step;
    bool tells;
} account;

static void *account_allocate(void *user, size_t bytes, const char *what)
{
    account *held = user;
    if (held->tells) fprintf(stderr, "step %" PRId64 ": %zu bytes, %s\n", held->step, bytes, what);
    return held->counting.allocate(held->counting.user, bytes, what);
}

static void account_release(void *user, void *memory, size_t bytes)
{
    account *held = user;
    held->counting.release(held->counting.user, memory, bytes);
}

// Counted page by page, of which the sums of /proc/self/statm may be behind by 64, and without
// those of the program's own file, which come when its code is first used.
static int64_t resident_bytes(void)
{
    char line[128];
    long long kilobytes = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "re");
    if (file == NULL) return -1;
    while (kilobytes < 0 && fgets(line, sizeof line, file) != NULL) {
        sscanf(line, "Anonymous: %lld", &kilobytes);
    }
    fclose(file);
    return (int64_t)kilobytes * 1024;
}

static pli_status soak(pli_context *context, account *held, const char *path, int64_t steps)
{
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    pli_state *state = NULL;
    pli_solver *solver = NULL;
    pli_model_info info;
    int32_t most_contacts = 0;
    pli_status status = pli_scene_load(context, path, NULL, &scene);
    if (status == PLI_OK) status = pli_model_create(context, scene, NULL, &model);
    if (status == PLI_OK) status = pli_state_create(model, &state);
    if (status == PLI_OK) status = pli_solver_create(model, &solver);
    if (status == PLI_OK) info = pli_model_get_info(model);
    // a heading, so that the buffer of standard output is there before memory is looked at
    printf("step resident blocks held time expected contacts\n");
    for (int64_t step = 1; step <= steps && status == PLI_OK; ++step) {
        pli_step_report report;
        held->step = step;
        status = pli_solver_step(solver, state, &report);
        if (report.contacts > most_contacts) most_contacts = report.contacts;
        if (step % (steps / 10) == 0) {
            printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %.17g %.17g %d\n",
                   pli_state_get(state).step, resident_bytes(), held->counts.live_blocks,
                   held->counts.live_bytes, pli_state_get(state).time, (double)step * info.dt,
                   (int)most_contacts);
            held->tells = true;
        }
    }
    held->tells = false;
    pli_solver_destroy(solver);
    pli_state_destroy(state);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    return status;
}

int main(int count, char **values)
{
    if (count != 3) return 2;
    pli_context *context = NULL;
    account held = {0};
    held.counting = pli_fault_allocator(&held.counts);
    pli_context_def def = pli_context_def_default();
    def.thread_count = 1;
    def.allocator = (pli_allocator){account_allocate, account_release, &held, false};
    if (pli_context_create(&def, &context) != PLI_OK) return 1;
    pli_status status = soak(context, &held, values[1], strtoll(values[2], NULL, 10));
    char message[512];
    pli_context_message(context, message, sizeof message);
    if (status != PLI_OK) fprintf(stderr, "%s\n", message);
    pli_context_destroy(context);
    int64_t left = held.counts.live_blocks;
    if (left != 0) fprintf(stderr, "%" PRId64 " blocks were never released\n", left);
    return status == PLI_OK && left == 0 ? 0 : 1;
}
