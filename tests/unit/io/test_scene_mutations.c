// SPDX-License-Identifier: Apache-2.0
//
// Every number that a scene file may have, set to values that files should not have: refused when
// the scene is read, with the key and what is allowed, or legal. The numbers are found by the field
// table, in the samples that use every key. What is legal is carried on to a model, by scenes that
// are small enough for it: it is made or refused within the memory and time that a machine has, and
// no number in its state is anything but finite.
#include "scene_samples.h"

#include "pliant/sim.h"
#include "sim/scene/schema.h"
#include "support/fault_sweep.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static const char *const values[] = {
    "0", "-1", ".nan", ".inf", "1e308", "1e-320", "2147483648", "1e999", "9223372036854775808"};

enum { VALUE_COUNT = sizeof values / sizeof *values, MOST_NUMBERS = 4096 };

// ---- the numbers of a scene by their paths

typedef struct scene_number {
    const pli_field *field;
    bool is_real;
    char path[192];
} scene_number;

typedef struct number_list {
    int32_t count;
    scene_number numbers[MOST_NUMBERS];
} number_list;

static bool is_listed(const number_list *list, const pli_field *field)
{
    for (int32_t k = 0; k < list->count; ++k) {
        if (list->numbers[k].field == field) return true;
    }
    return false;
}

// Every field once, in the first place where the scene has it, with all numbers of a vector.
static pli_status list_numbers(void *user, const pli_visit *visit)
{
    number_list *list = user;
    if (visit->field == NULL || is_listed(list, visit->field)) return PLI_OK;
    pli_items items = pli_field_get_items(visit->field, visit->holder);
    bool is_number = items.kind == PLI_ITEM_REAL || items.kind == PLI_ITEM_INTEGER;
    bool several = items.is_list || items.fixed > 1;
    for (int32_t k = 0; is_number && k < items.count; ++k) {
        assert_true(list->count < MOST_NUMBERS);
        scene_number *one = &list->numbers[list->count++];
        one->field = visit->field;
        one->is_real = items.kind == PLI_ITEM_REAL;
        char index[16] = "";
        if (several) snprintf(index, sizeof index, "[%d]", (int)k);
        int length = snprintf(one->path, sizeof one->path, "%s%s", visit->path, index);
        assert_true(length < (int)sizeof one->path);
    }
    return PLI_OK;
}

static number_list *numbers_of(pli_context *context, const pli_scene *scene)
{
    number_list *list = calloc(1, sizeof *list);
    assert_non_null(list);
    OK(context,
       pli_schema_walk(context, pli_scene_schema(), pli_scene_get(scene), list_numbers, list));
    return list;
}

static pli_status require_finite(void *user, const pli_visit *visit)
{
    (void)user;
    if (visit->field == NULL) return PLI_OK;
    pli_items items = pli_field_get_items(visit->field, visit->holder);
    for (int32_t k = 0; items.kind == PLI_ITEM_REAL && k < items.count; ++k) {
        double value = 0;
        memcpy(&value, (const char *)items.first + (size_t)k * items.stride, sizeof value);
        if (!isfinite(value)) fail_msg("%s is not finite", visit->path);
    }
    return PLI_OK;
}

// ---- reading

static bool is_never_a_number(const char *value)
{
    return strpbrk(value, "nNi/x") != NULL || strcmp(value, "1e999") == 0;
}

// Whether the field table alone has nothing against a value.
static bool is_allowed(const scene_number *number, const char *value)
{
    char error[PLI_FIELD_ERROR_CAPACITY];
    double real = strtod(value, NULL);
    if (is_never_a_number(value)) return false;
    if (number->is_real) return pli_field_check(number->field, &real, error);
    if (real < INT32_MIN || real > INT32_MAX || real != floor(real)) return false;
    int32_t whole = (int32_t)real;
    return pli_field_check(number->field, &whole, error);
}

// Reads a scene with one number changed; NULL: it was refused, in words that name the key or one
// that the number no longer fits to.
static pli_scene *read_changed(pli_context *context, const char *text, const scene_number *number,
                               const char *value)
{
    char set[512];
    snprintf(set, sizeof set, "%s=%s", number->path, value);
    const char *const sets[] = {set};
    pli_load_def def = {.sets = sets, .set_count = 1};
    pli_scene *scene = NULL;
    pli_status status =
        pli_scene_parse(context, text, (int64_t)strlen(text), "nowhere/a.yaml", &def, &scene);
    if (status == PLI_OK) {
        OK(context, pli_schema_walk(context, pli_scene_schema(), pli_scene_get(scene),
                                    require_finite, NULL));
        return scene;
    }
    char message[1024];
    pli_context_message(context, message, sizeof message);
    // a value that the field itself refuses is told with its range; others contradict other keys
    bool ranged = strstr(message, "allowed") != NULL || strstr(message, "expected") != NULL ||
                  strstr(message, "numbers other than 0 start at") != NULL ||
                  strstr(message, "too large for a number") != NULL;
    bool by_name =
        strstr(message, "--set ") != NULL || strncmp(message, "nowhere/a.yaml:", 15) == 0;
    if (status != PLI_ERROR_SCENE || !by_name || strchr(message, '\n') != NULL ||
        (!ranged && !is_allowed(number, value))) {
        fail_msg("%s: status %s, message: %s", set, pli_status_text(status), message);
    }
    return NULL;
}

static void every_number_of_a_file_is_refused_or_legal(void **state)
{
    pli_context *context = make_context(1);
    pli_scene *scene = load_sample(context, *state);
    number_list *list = numbers_of(context, scene);
    char *text = NULL;
    pli_yaml_def def = {0};
    OK(context, pli_scene_to_yaml(scene, &def, &text));
    AT_LEAST(list->count, 100);
    int64_t refused = 0;
    for (int32_t k = 0; k < list->count; ++k) {
        for (int v = 0; v < VALUE_COUNT; ++v) {
            pli_scene *changed = read_changed(context, text, &list->numbers[k], values[v]);
            if (changed != NULL && is_never_a_number(values[v])) {
                fail_msg("%s=%s was accepted", list->numbers[k].path, values[v]);
            }
            refused += changed == NULL;
            pli_scene_destroy(changed);
        }
    }
    // each number was refused at least what is no number, or none that a double can hold
    AT_LEAST((double)refused, 4.0 * list->count);
    pli_text_free(context, text);
    free(list);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

// ---- models

#define MATERIAL "materials: {soft: {law: neo-hookean, density: 1000, young: 1e4, poisson: 0.3}}\n"

static const char *const small_scenes[] = {
    // a solid with everything that holds and hits it
    MATERIAL
    "bodies:\n"
    "  a: {geometry: {grid: {size: [1, 1, 1], cells: [1, 1, 1]}}, material: soft,\n"
    "      position: [0, 2, 0], axis: [0, 1, 0], angle: 10, scale: [1, 1, 1], velocity: [1, 0, "
    "0],\n"
    "      angular_velocity: [0, 9, 0],\n"
    "      copies: {count: [1, 1, 2], spacing: [0, 0, 3]}}\n"
    "constraints:\n"
    "  - {body: a, where: {half_space: {point: [0, 2.4, 0], normal: [0, 1, 0]}},\n"
    "     motion: {segments: [{duration: 1, axis: [0, 1, 0], spin: 9, velocity: [0, 1, 0]}]}}\n"
    "colliders: {floor: {shape: {plane: {point: [0, -1, 0]}}, friction: 0.5},\n"
    "  ball: {shape: {sphere: {center: [5, 0, 0], radius: 1}}, method: penalty}}\n"
    "contact: {method: penalty, friction: 0.1}\n"
    "time: {fps: 24, frames: 1}\n",
    // barriers and shells
    MATERIAL "bodies:\n"
             "  a: {geometry: {grid: {size: [1, 1, 1], cells: [1, 1, 1]}}, material: soft}\n"
             "  b: {kind: shell, geometry: {sheet: {width: 1, depth: 1, columns: 2, rows: 2}},\n"
             "      material: soft, thickness: 1e-2, bending: 1, position: [0, 2, 0]}\n"
             "colliders: {floor: {shape: {plane: {point: [0, -1, 0]}}}}\n"
             "contact: {method: barrier, distance: 1e-3, friction: 0.1}\n"
             "time: {fps: 24, frames: 1}\n",
    // shapes that are filled
    MATERIAL
    "contact: none\n"
    "bodies:\n"
    "  a: {geometry: {fill: {shape: {box: {size: [1, 1, 1], rounding: 0.1}}, vertices: 40}},\n"
    "      material: soft}\n"
    "  b: {geometry: {fill: {shape: {sphere: {center: [3, 0, 0], radius: 0.5}}, spacing: 0.3}},\n"
    "      material: soft}\n"
    "  c: {geometry: {rod: {}}, material: soft, position: [0, 5, 0]}\n"
    "  d: {kind: cloth, geometry: {sheet: {columns: 2, rows: 2}}, position: [0, 9, 0]}\n"
    "time: {fps: 24, frames: 1}\n",
    // particles
    "materials: {s: {preset: snow}, w: {preset: water}}\n"
    "bodies:\n"
    "  a: {geometry: {particles: {shape: {sphere: 0.2}, per_cell: 8}}, material: s}\n"
    "emitters: {tap: {shape: {sphere: {center: [0, 1, 0], radius: 0.1}}, material: w,\n"
    "  velocity: [0, -1, 0]}}\n"
    "domain: {cell: 0.1, min: [-1, -1, -1], max: [1, 2, 1]}\n"
    "colliders: {floor: {shape: {plane: {point: [0, -0.5, 0]}}}}\n"
    "time: {fps: 24, frames: 1}\n",
};

enum { SCENE_COUNT = sizeof small_scenes / sizeof *small_scenes };

static char what_is_tried[768];

// Says what takes too long before the process ends.
static void tell_and_end(int signal_number)
{
    (void)signal_number;
    ssize_t written = write(STDERR_FILENO, what_is_tried, strlen(what_is_tried));
    (void)written;
    _exit(1);
}

static void check_state(pli_context *context, const pli_model *model)
{
    pli_state *state = NULL;
    OK(context, pli_state_create(model, &state));
    pli_state_array array;
    for (int32_t k = 0; pli_state_get_array(state, k, &array); ++k) {
        const double *numbers = array.data;
        for (int64_t i = 0; array.kind == PLI_ARRAY_F64 && i < array.rows * array.columns; ++i) {
            if (!isfinite(numbers[i])) fail_msg("%s: %s is not finite", what_is_tried, array.name);
        }
    }
    pli_state_destroy(state);
}

static void try_model(pli_context *context, const pli_scene *scene)
{
    pli_model *model = NULL;
    pli_status status = pli_model_create(context, scene, NULL, &model);
    if (status == PLI_OK) {
        check_state(context, model);
        pli_model_destroy(model);
        return;
    }
    char message[1024];
    pli_context_message(context, message, sizeof message);
    bool known = status == PLI_ERROR_SCENE || status == PLI_ERROR_MESH ||
                 status == PLI_ERROR_ARGUMENT || status == PLI_ERROR_UNSUPPORTED ||
                 status == PLI_ERROR_MEMORY;
    if (!known || message[0] == '\0' || strchr(message, '\n') != NULL) {
        fail_msg("%s: status %s, message: %s", what_is_tried, pli_status_text(status), message);
    }
}

static void every_legal_number_gives_a_finite_model_or_a_refusal(void **state)
{
    (void)state;
    static const char *const extremes[] = {"0", "-1", "1e308", "1e-300", "2147483647"};
    enum { EXTREME_COUNT = sizeof extremes / sizeof *extremes };
    // what an input may take
    pli_fault memory = {.byte_limit = (int64_t)256 << 20};
    pli_context *context = fault_context(&memory, 1);
    signal(SIGVTALRM, tell_and_end);
    for (int s = 0; s < SCENE_COUNT; ++s) {
        pli_scene *scene = NULL;
        OK(context, pli_scene_parse(context, small_scenes[s], (int64_t)strlen(small_scenes[s]),
                                    "small.yaml", NULL, &scene));
        pli_model *model = NULL;
        OK(context, pli_model_create(context, scene, NULL, &model));
        pli_model_destroy(model);
        number_list *list = numbers_of(context, scene);
        char *text = NULL;
        pli_yaml_def def = {0};
        OK(context, pli_scene_to_yaml(scene, &def, &text));
        for (int32_t k = 0; k < list->count; ++k) {
            for (int v = 0; v < EXTREME_COUNT; ++v) {
                snprintf(what_is_tried, sizeof what_is_tried, "scene %d: %s=%s", s,
                         list->numbers[k].path, extremes[v]);
                // of the processor, so that a busy machine does not matter
                struct itimerval limit = {.it_value = {.tv_sec = 20}};
                setitimer(ITIMER_VIRTUAL, &limit, NULL);
                pli_scene *changed = read_changed(context, text, &list->numbers[k], extremes[v]);
                if (changed != NULL) try_model(context, changed);
                pli_scene_destroy(changed);
            }
        }
        pli_text_free(context, text);
        free(list);
        pli_scene_destroy(scene);
    }
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){0}, NULL);
    pli_context_destroy(context);
    assert_int_equal(memory.live_blocks, 0);
}

int main(void)
{
    void *meshes = (void *)(uintptr_t)everything_of_meshes;
    void *particles = (void *)(uintptr_t)everything_of_particles;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_number_of_a_file_is_refused_or_legal, meshes),
        cmocka_unit_test_prestate(every_number_of_a_file_is_refused_or_legal, particles),
        cmocka_unit_test(every_legal_number_gives_a_finite_model_or_a_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
