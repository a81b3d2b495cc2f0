// SPDX-License-Identifier: Apache-2.0
//
// The list of laws and presets, and laws that a context brings along.
#include "near.h"

#include "material/material.h"

static void every_law_is_found_by_its_name(void **state)
{
    (void)state;
    static const char *const names[] = {
        "fixed-corotated", "corotated", "neo-hookean", "stable-neo-hookean",
        "hencky",          "linear",    "fluid"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        assert_non_null(pli_material_find(NULL, names[k]));
    }
    for (int32_t k = 0; pli_material_get(k) != NULL; ++k) {
        const pli_material_ops *law = pli_material_get(k);
        assert_ptr_equal(pli_material_find(NULL, law->name), law);
        // names are unique
        for (int32_t other = 0; other < k; ++other) {
            assert_string_not_equal(law->name, pli_material_get(other)->name);
        }
    }
}

static void unknown_laws_and_presets_are_null(void **state)
{
    (void)state;
    assert_null(pli_material_find(NULL, "jelly"));
    assert_null(pli_material_find(NULL, ""));
    assert_null(pli_material_get(-1));
    assert_null(pli_material_preset_find("jelly"));
    assert_null(pli_material_preset_get(-1));
}

static void laws_of_the_context_come_first(void **state)
{
    (void)state;
    pli_material_ops mine = *pli_material_find(NULL, "hencky");
    pli_material_ops other = mine;
    other.name = "mine";
    const pli_material_ops *laws[] = {&mine, &other};
    pli_context_def def = pli_context_def_default();
    def.laws = laws;
    def.law_count = 2;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    assert_ptr_equal(pli_material_find(context, "hencky"), &mine);
    assert_ptr_equal(pli_material_find(context, "mine"), &other);
    assert_ptr_equal(pli_material_find(context, "linear"), pli_material_find(NULL, "linear"));
    assert_null(pli_material_find(NULL, "mine"));
    pli_context_destroy(context);
}

static void inside(double value, const double range[2])
{
    assert_true(range[0] <= value && value <= range[1]);
}

// Each further number of a preset is an input of its law, and in range; together they go.
static void numbers_are_those_of_the_law(const pli_material_preset *preset,
                                         const pli_material_ops *law)
{
    double inputs[32];
    (void)pli_material_defaults(law, inputs);
    for (int32_t i = 0; i < preset->number_count; ++i) {
        int32_t place = 0, k = 0;
        for (; k < law->input_count && strcmp(law->inputs[k].key, preset->numbers[i].key) != 0;
             ++k) {
            place += law->inputs[k].components > 0 ? 3 : 1;
        }
        assert_true(k < law->input_count && law->inputs[k].components == 0);
        inputs[place] = preset->numbers[i].value[0];
        assert_true(law->inputs[k].min <= inputs[place] && inputs[place] <= law->inputs[k].max);
    }
    char text[256];
    assert_true(law->check == NULL || law->check(inputs, sizeof text, text));
}

static void presets_are_inside_their_ranges_and_those_of_their_law(void **state)
{
    (void)state;
    static const char *const names[] = {"tissue",
                                        "rubber",
                                        "bone",
                                        "pvc",
                                        "metal",
                                        "ceramic",
                                        "muscle",
                                        "tendon",
                                        "artery",
                                        "wood",
                                        "vulcanised-rubber",
                                        "snow",
                                        "sand",
                                        "goo",
                                        "water"};
    enum { COUNT = sizeof names / sizeof *names };
    assert_null(pli_material_preset_get(COUNT));
    for (int32_t k = 0; k < COUNT; ++k) {
        const pli_material_preset *preset = pli_material_preset_find(names[k]);
        assert_ptr_equal(pli_material_preset_get(k), preset);
        inside(preset->density, preset->density_range);
        inside(preset->young, preset->young_range);
        inside(preset->poisson, preset->poisson_range);
        inside(preset->yield, preset->yield_range);
        const pli_material_ops *law = pli_material_find(NULL, preset->law);
        assert_non_null(law);
        numbers_are_those_of_the_law(preset, law);
        if (preset->number_count > 0) continue;
        bool is_fluid = preset->bulk > 0;
        double values[2] = {is_fluid ? preset->bulk : preset->young,
                            is_fluid ? preset->exponent : preset->poisson};
        for (int32_t i = 0; i < law->input_count; ++i) {
            assert_true(law->inputs[i].min < values[i] && values[i] < law->inputs[i].max);
        }
        // who has a yield stress says which law it is for
        if (preset->yield > 0) assert_string_equal(preset->yield_kind, "von-mises");
    }
    // metals and plastics yield, the others do not
    assert_true(pli_material_preset_find("metal")->yield >= 2e8);
    assert_true(pli_material_preset_find("pvc")->yield >= 1e7);
    assert_true(pli_material_preset_find("rubber")->yield == 0);
    assert_null(pli_material_preset_find("rubber")->yield_kind);
    assert_string_equal(pli_material_preset_find("snow")->yield_kind, "snow");
    assert_string_equal(pli_material_preset_find("sand")->yield_kind, "drucker-prager");
    assert_null(pli_material_preset_find("water")->yield_kind);
}

static void lame_constants_follow_from_young_and_poisson(void **state)
{
    (void)state;
    for (int32_t k = 0; pli_material_get(k) != NULL; ++k) {
        const pli_material_ops *law = pli_material_get(k);
        double inputs[32];
        double params[PLI_MATERIAL_PARAMS];
        AT_MOST(pli_material_defaults(law, inputs), 32);
        AT_MOST(law->param_count, PLI_MATERIAL_PARAMS);
        if (strcmp(law->inputs[0].key, "young") != 0) continue;
        inputs[0] = 1e5;
        inputs[1] = 0.3;
        assert_string_equal(law->inputs[1].key, "poisson");
        law->derive(inputs, params);
        NEAR(params[0], 38461.538461538461, 1e-15, 0);
        NEAR(params[1], 57692.307692307692, 1e-15, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_is_found_by_its_name),
        cmocka_unit_test(unknown_laws_and_presets_are_null),
        cmocka_unit_test(laws_of_the_context_come_first),
        cmocka_unit_test(presets_are_inside_their_ranges_and_those_of_their_law),
        cmocka_unit_test(lame_constants_follow_from_young_and_poisson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
