// SPDX-License-Identifier: Apache-2.0
//
// One solver with one tolerance for all scenes (Wang et al. 2020, section 7.1): what shipped scenes
// say of solvers is a name at most.
#include "s0.h"

#include "embedded.h"

#include <string.h>

// Whether a scene says more of its solver than the name: "solver:" at the beginning of a line, with
// a list in braces behind it, or nothing.
static bool has_options(const pli_cli_embedded *scene)
{
    const char *at = strstr(scene->begin, "\nsolver:");
    if (at == NULL) return false;
    at += strlen("\nsolver:");
    at += strspn(at, " ");
    return *at == '{' || *at == '\n' || *at == '#';
}

pli_status pli_bench_s0_options(pli_bench *bench)
{
    int32_t count = 0, with = 0;
    for (int32_t k = 0; k < pli_cli_embedded_scene_count; ++k) {
        const pli_cli_embedded *scene = &pli_cli_embedded_scenes[k];
        if (strstr(scene->begin, "Wang et al. 2020") == NULL) continue;
        ++count;
        if (!has_options(scene)) continue;
        ++with;
        pli_bench_note(bench, "%s says more of its solver than a name", scene->name);
    }
    pli_bench_note(bench, "%d scenes", (int)count);
    pli_bench_claim(bench, &(pli_claim){"Q0-19", "scenes with options of solvers of their own", "0",
                                        with, "", 0, 0});
    return PLI_OK;
}
