// SPDX-License-Identifier: Apache-2.0
// Scenes larger than the memory are refused before anything of them is built.
#include "near.h"

#include "base/machine.h"
#include "pliant/io.h"
#include "pliant/sim.h"

#include <unistd.h>

#define MATERIAL "materials: {m: {preset: rubber}}\n"
#define FILL(more)                                                                                 \
    MATERIAL "bodies: {b: {geometry: {fill: {shape: {sphere: {radius: 0.5}}, " more ", material: " \
             "m"

static pli_status try_scene(const char *text, char message[1024])
{
    pli_context_def def = pli_context_def_default();
    def.thread_count = 1;
    pli_context *context = NULL;
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    OK(NULL, pli_context_create(&def, &context));
    OK(context, pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", NULL, &scene));
    // building any of these would take minutes, if it ended at all
    alarm(20);
    pli_status status = pli_model_create(context, scene, NULL, &model);
    alarm(0);
    pli_context_message(context, message, 1024);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
    return status;
}

static void scene_beyond_the_memory_is_refused_before_it_is_built(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double bytes; // least that it takes
        const char *said;
    } cases[] = {
        {FILL("vertices: 90000000}}") "}}\n", 90e9, "s.yaml:2:24: bodies.b.geometry: its 9e+07"},
        {FILL("vertices: 90000000}}") ", copies: {count: [10, 10, 10], spacing: [2, 2, 2]}}}\n",
         9e13, "take 9e+04 GB of memory at least; there are "},
        {"domain: {cell: 0.0015, min: [0, 0, 0], max: [1, 1, 1]}\n"
         "materials: {m: {preset: water}}\n"
         "bodies: {b: {geometry: {particles: {shape: {box: {center: [0.5, 0.4, 0.5], size: [0.9, "
         "0.7, "
         "0.9]}}}}, material: m}}\n",
         260e9, "s.yaml:3:24: bodies.b.geometry: about 1.3"},
        {FILL("spacing: 0.001}}") "}}\n", 1e12, "body b: spacing 0.001 m makes about 1.0"},
        {MATERIAL "bodies:\n  b: {geometry: {grid: {size: [1, 1, 1], cells: [600, 600, 600]}}, "
                  "material: m}\n",
         217e9, "s.yaml:3:17: bodies.b.geometry: its 2.17e+08 vertices"},
        {MATERIAL "bodies:\n  b: {kind: cloth, geometry: {sheet: {columns: 15000, rows: 15000}}}\n",
         112e9, "bodies.b.geometry: its 2.25e+08 vertices"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char message[1024];
        // a machine that has the memory would build it
        if ((double)pli_machine_memory() >= cases[i].bytes) continue;
        assert_int_equal(try_scene(cases[i].text, message), PLI_ERROR_SCENE);
        if (strstr(message, cases[i].said) == NULL)
            fail_msg("got %s\nwant %s", message, cases[i].said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scene_beyond_the_memory_is_refused_before_it_is_built),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
