// SPDX-License-Identifier: Apache-2.0
#include "scene_samples.h"

#include "sim/scene/schema.h"

static bool is_number(pli_item_kind kind)
{
    return kind == PLI_ITEM_REAL || kind == PLI_ITEM_INTEGER;
}

// Every number of a scene that has everything; tests get the sample's name.
enum { MOST_ITEMS = 1000 };

typedef struct number_item {
    const pli_field *field;
    const void *holder;
    void *item;
    bool is_real;
    char path[160];
} number_item;

typedef struct number_list {
    int32_t count;
    number_item items[MOST_ITEMS];
} number_list;

static pli_status collect_number(void *user, const pli_visit *visit)
{
    number_list *list = user;
    if (visit->field == NULL) return PLI_OK;
    pli_items items = pli_field_get_items(visit->field, visit->holder);
    for (int32_t i = 0; is_number(items.kind) && i < items.count; ++i) {
        assert_true(list->count < MOST_ITEMS);
        number_item *item = &list->items[list->count++];
        item->field = visit->field;
        item->holder = visit->holder;
        item->item = (char *)(uintptr_t)items.first + (size_t)i * items.stride;
        item->is_real = items.kind == PLI_ITEM_REAL;
        snprintf(item->path, sizeof item->path, "%s", visit->path);
    }
    return PLI_OK;
}

// Puts a value in place of an item, validates, and puts the old one back. is_absent: the value
// stands for none.
static pli_status validate_with(pli_scene *scene, const number_item *item, double value,
                                bool *is_absent)
{
    double old_real = 0;
    int32_t old_integer = 0;
    if (item->is_real) {
        old_real = *(double *)item->item;
        *(double *)item->item = value;
    } else {
        old_integer = *(int32_t *)item->item;
        *(int32_t *)item->item = (int32_t)value;
    }
    *is_absent = pli_field_is_absent(item->field, item->holder);
    pli_status status = pli_scene_validate(scene);
    if (item->is_real) *(double *)item->item = old_real;
    if (!item->is_real) *(int32_t *)item->item = old_integer;
    return status;
}

static void every_number_is_checked(void **state)
{
    static const double values[] = {NAN,   INFINITY, -INFINITY, 0,        -1,
                                    1e308, -1e308,   INT32_MAX, INT32_MIN};
    pli_context *context = make_context(1);
    pli_scene *scene = load_sample(context, *state);
    number_list *list = calloc(1, sizeof *list);
    assert_non_null(list);
    OK(context,
       pli_schema_walk(context, pli_scene_schema(), pli_scene_get(scene), collect_number, list));
    AT_LEAST(list->count, 100);
    for (int32_t i = 0; i < list->count; ++i) {
        const number_item *item = &list->items[i];
        for (size_t v = 0; v < sizeof values / sizeof *values; ++v) {
            if (!item->is_real && !(fabs(values[v]) <= 2147483648.0)) continue;
            bool is_absent = false;
            pli_status status = validate_with(scene, item, values[v], &is_absent);
            if (!isfinite(values[v])) assert_int_equal(status, PLI_ERROR_SCENE);
            if (status == PLI_OK) continue;
            // the message names the key, or one that it no longer fits to
            char message[1024];
            pli_context_message(context, message, sizeof message);
            char error[PLI_FIELD_ERROR_CAPACITY];
            int32_t whole = item->is_real ? 0 : (int32_t)values[v];
            bool in_range = item->is_real ? pli_field_check(item->field, &values[v], error)
                                          : pli_field_check(item->field, &whole, error);
            // what is not given is missing from the struct that it is a key of
            const char *key = strrchr(item->path, '.');
            int length = is_absent && key != NULL ? (int)(key - item->path) : -1;
            char blamed[sizeof item->path];
            snprintf(blamed, sizeof blamed, "%.*s", length, item->path);
            if (!in_range && strstr(message, blamed) == NULL) {
                fail_msg("%s: %s", item->path, message);
            }
        }
    }
    OK(context, pli_scene_validate(scene));
    free(list);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

static void hash_depends_on_every_number(void **state)
{
    pli_context *context = make_context(1);
    pli_scene *scene = load_sample(context, *state);
    pli_scene *same = load_sample(context, *state);
    uint64_t hash = pli_scene_hash(scene);
    assert_true(hash != 0 && hash == pli_scene_hash(same));
    number_list *list = calloc(1, sizeof *list);
    assert_non_null(list);
    OK(context,
       pli_schema_walk(context, pli_scene_schema(), pli_scene_get(scene), collect_number, list));
    for (int32_t i = 0; i < list->count; ++i) {
        const number_item *item = &list->items[i];
        if (item->is_real) *(double *)item->item += 0.125;
        if (!item->is_real) *(int32_t *)item->item += 1;
        assert_true(pli_scene_hash(scene) != hash);
        if (item->is_real) *(double *)item->item -= 0.125;
        if (!item->is_real) *(int32_t *)item->item -= 1;
    }
    pli_scene_edit(scene)->about = "";
    assert_true(pli_scene_hash(scene) != hash);
    free(list);
    pli_scene_destroy(same);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

int main(void)
{
    void *meshes = (void *)(uintptr_t)everything_of_meshes;
    void *particles = (void *)(uintptr_t)everything_of_particles;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_number_is_checked, meshes),
        cmocka_unit_test_prestate(hash_depends_on_every_number, meshes),
        cmocka_unit_test_prestate(every_number_is_checked, particles),
        cmocka_unit_test_prestate(hash_depends_on_every_number, particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
